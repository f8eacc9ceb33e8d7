"""Calls and operations of our Python code of which the k-th raises MemoryError in its place.

    python tests/reliability/failing_python.py calls GROWTH ROWS NAME...

is failing_allocations.py with one more way to fail. To let the allocations of the interpreter fail
would try the interpreter; here our own code is compiled anew, with a step that may fail around the
last operand of each call and operation. Whatever is evaluated before has been; the call itself has
not begun. Leaving a context never fails: its locks are always let go of.
"""

import ast
import builtins
import itertools
import sys
from importlib.machinery import PathFinder, SourceFileLoader
from pathlib import Path


class Calls:
    """A way to fail, and as a function the step that may fail; it returns what it is given."""

    in_a_row = 1
    _k = 0

    def arm(self, k):
        self._passed, self._k = itertools.count(1), k

    def disarm(self):
        k, self._k = self._k, 0
        return next(self._passed) > k

    def __call__(self, operand):
        if self._k and next(self._passed) == self._k:
            raise MemoryError
        return operand


class Rewriter(ast.NodeTransformer):
    """Puts the step that may fail around last operands."""

    def generic_visit(self, node):
        super().generic_visit(node)
        match node:
            case ast.Call(keywords=[*_, last]) | ast.Call(args=[*_, ast.Starred() as last]):
                last.value = may_fail(last.value)
            case ast.Call(args=[*_, last]):
                node.args[-1] = may_fail(last)
            case ast.Call():
                node.func = may_fail(node.func)
            case ast.BinOp():
                node.right = may_fail(node.right)
            case ast.AugAssign():
                node.value = may_fail(node.value)
            case ast.Compare(ops=[*_, last]) if not isinstance(last, ast.Is | ast.IsNot):
                node.comparators[-1] = may_fail(node.comparators[-1])
        return node


def may_fail(operand):
    return ast.Call(ast.Name("may_fail", ast.Load()), [operand], [])


class Loader(SourceFileLoader):
    """Compiles a file anew, whatever has been kept of it."""

    def get_code(self, fullname):
        tree = Rewriter().visit(ast.parse(self.get_data(self.path)))
        return compile(ast.fix_missing_locations(tree), self.path, "exec", dont_inherit=True)


class Finder:
    """Finds the package's own files before others do."""

    @staticmethod
    def find_spec(name, path=None, target=None):
        if name.partition(".")[0] != "fastauc":
            return None
        spec = PathFinder.find_spec(name, path, target)
        if isinstance(spec.loader, SourceFileLoader):
            spec.loader = Loader(spec.loader.name, spec.loader.path)
        return spec


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[1]))
    sys.meta_path.insert(0, Finder)
    builtins.may_fail = calls = Calls()
    from reliability import failing_allocations

    failing_allocations.WAYS["calls"] = lambda: calls
    failing_allocations.main(*sys.argv[1:])
