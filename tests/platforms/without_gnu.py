"""The kernels as a compiler without GNU C compiles them: what Microsoft's gets.

In a copy of the tree, whatever asks for GNU C or for integers of 128 bits in the C code of our own
is switched off, so that what stands in for it is compiled and tested.
"""

import os
import re
import tempfile
from pathlib import Path

from reliability import mutants

# Questions that the preprocessor is asked, and the words by which another one would be noticed.
ASKED = r"#if defined\((__GNUC__|__SIZEOF_INT128__)\)"
NOTICED = r"__GNUC__|__clang__|__SIZEOF_INT128__|__has_"

TESTS = ["pairs", "counts", "metrics", "learning", "groups", "streaming", "inference"]
TESTS += [f"package/test_{name}.py" for name in ("capi", "exactness", "limits", "recorded")]


def run_without_gnu(run_pytest):
    """Build without GNU C, and run the tests of everything that calls kernels."""
    with tempfile.TemporaryDirectory() as folder:
        tree = Path(folder, "tree")
        mutants.copy_sources(tree)
        n_off = sum(map(switch_off, sorted(tree.joinpath("fastauc").rglob("*.p[yx][xd]"))))
        if n_off == 0:
            raise RuntimeError("no kernel asks for GNU C")
        mutants.build(tree)
        tests = [f"tests/{name}" for name in TESTS]
        found = run_pytest(*tests, cwd=tree, env=os.environ | {"PYTHONPATH": str(tree)})
        return found | {"switched_off": n_off}


def switch_off(path):
    """Let C code of a kernel find no GNU C; return how often it asked."""
    text, n_off = re.subn(ASKED, "#if 0", path.read_text(encoding="utf-8"))
    if left := re.search(NOTICED, text):
        raise RuntimeError(f"{path.name} asks for {left[0]} in another way")
    path.write_text(text, encoding="utf-8")
    return n_off
