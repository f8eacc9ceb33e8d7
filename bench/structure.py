"""How the package is built: code lines of each folder, and how calls walk through the modules.

    python bench/structure.py              # the tree, and the walks of six calls
    python bench/structure.py --files      # the tree with every file

A line of code is one that is neither docstring, comment nor blank. A walk is a warm call seen by a
profiler: a stay is a run of calls into one module, and a return is a stay in a module that the call
had left before. Many returns mean that one idea is spread over several files.
"""

import argparse
import ast
import contextlib
import io
import sys
import tempfile
import tokenize
from pathlib import Path

import numpy as np

import fastauc

PACKAGE = Path(fastauc.__file__).parent
ROWS = 200_000
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


def walk(call):
    """Return the modules, stays and returns of a warm call in this thread."""
    root, stays = str(PACKAGE), []

    def see(frame, event, _):
        module = frame.f_code.co_filename
        if event == "call" and module.startswith(root) and stays[-1:] != [module]:
            stays.append(module)

    call()
    sys.setprofile(see)
    try:
        call()
    finally:
        sys.setprofile(None)
    modules = len(set(stays))
    return modules, len(stays), len(stays) - modules


def calls(folder):
    """Yield (name, call) of what is walked through."""
    from fastauc import files
    from fastauc._cli.main import main

    rng = np.random.default_rng(0)
    label, score = rng.integers(0, 2, ROWS), rng.random(ROWS)
    table = folder / "table.csv"
    np.savetxt(table, np.column_stack([label, score]), "%g", ",", header="y,s", comments="")
    report = ["report", str(table), "--label=y", "--score=s", "-o", str(folder / "page.html")]

    def run_report():
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            main([*report, "--quiet", "--threads=1"])

    yield "roc_auc_score", lambda: fastauc.roc_auc_score(label, score)
    yield "roc_auc_ci", lambda: fastauc.inference.roc_auc_ci(label, score)
    yield "gains_table", lambda: fastauc.metrics.gains_table(label, score)
    yield "optimal_threshold", lambda: fastauc.metrics.optimal_threshold(label, score)
    yield "files.score", lambda: files.score([table], label="y", score="s", n_jobs=1)
    yield "fastauc report", run_report


def main():
    parser = argparse.ArgumentParser(description="Show how the package is built.")
    parser.add_argument("--files", action="store_true", help="every file of the tree")
    print_tree(parser.parse_args().files)
    print(f"\n{'call':20} modules  stays  returns")
    with tempfile.TemporaryDirectory() as folder:
        for name, call in calls(Path(folder)):
            modules, stays, returns = walk(call)
            print(f"{name:20} {modules:7} {stays:6} {returns:8}")


if __name__ == "__main__":
    main()
