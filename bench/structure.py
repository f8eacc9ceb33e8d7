"""How the package is built: the code lines of each folder.

    python bench/structure.py              # the tree
    python bench/structure.py --files      # the tree with every file

A line of code is one that is neither docstring, comment nor blank.
"""

import argparse
import ast
import io
import tokenize
from pathlib import Path

import fastauc

PACKAGE = Path(fastauc.__file__).parent
NOT_CODE = {
    *(tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE),
    *(tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER),
}
DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


def docstring_lines(text):
    """Return the numbers of the lines of docstrings."""
    lines = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, DOCUMENTED) and ast.get_docstring(node, clean=False) is not None:
            lines.update(range(node.body[0].lineno, node.body[0].end_lineno + 1))
    return lines


def count_code(text):
    """Return the number of lines of code of a module."""
    lines = set()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type not in NOT_CODE:
            lines.update(range(token.start[0], token.end[0] + 1))
    return len(lines - docstring_lines(text))


def print_tree(with_files):
    """Print the code lines of every folder, and of every file if asked for."""
    sizes = {path: count_code(path.read_text()) for path in sorted(PACKAGE.rglob("*.py"))}
    for folder in sorted({path.parent for path in sizes}):
        files = {path.name: size for path, size in sizes.items() if path.parent == folder}
        name = "/".join(folder.relative_to(PACKAGE.parent).parts)
        print(f"{name:24} {len(files):3} files {sum(files.values()):6}  most {max(files.values())}")
        if with_files:
            for file, size in files.items():
                print(f"    {file:24} {size:10}")
    print(f"{'all':24} {len(sizes):3} files {sum(sizes.values()):6}")


def main():
    parser = argparse.ArgumentParser(description="Show how the package is built.")
    parser.add_argument("--files", action="store_true", help="every file of the tree")
    print_tree(parser.parse_args().files)


if __name__ == "__main__":
    main()
