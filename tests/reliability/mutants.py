"""Faulty source: is there a test for each line that counts?

    python tests/reliability/mutants.py            every fault of mutants.toml
    python tests/reliability/mutants.py carry      those with this word in their names

A copy of the tree is built with little optimization. One fault at a time is put into it, what
depends on a kernel is built again, and tests are run until one fails: first those of the part of
the package, then all others. A fault that no test notices is a hole in the tests.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
FAULTS = Path(__file__).with_suffix(".toml")

# Seconds after which a test run hangs. All tests take a quarter of that in one process.
_LONGEST = 3600
# A test in the output of pytest, without its parameters.
_TEST = r"^(tests/\S+?\.py::\w+)"

# The tests that are run first, by how the name of a file or of its folder begins: what fits first.
_PAIRS = ["pairs", "package/test_exactness.py"]
_WEIGHTS = ["pairs/test_weighted.py", "groups/test_by_group.py", "package/test_exactness.py"]
_CURVES = ["metrics/test_roc_curve_hull.py", "metrics/test_ks.py", "package/test_agreement.py"]
_CURVES += ["counts/test_precision_recall.py", "counts/test_sample_curves.py"]
FIRST_TESTS = {
    "_capi": ["package/test_capi.py"],
    "double_double": ["package/test_capi.py", *_WEIGHTS, *_CURVES],
    "wide_integers": ["package/test_capi.py", *_WEIGHTS, "streaming"],
    "counts.pyx": _CURVES,
    "wide_counts": ["streaming", "counts", "metrics/test_roc_curve_hull.py"],
    "precision_sum": _CURVES,
    "sort_scan": _CURVES,
    "doubles": ["streaming"],
    "histogram": ["streaming"],
    "decimals": ["files"],
    "groups.pyx": ["groups"],
    "inputs": ["validation"],
    "rank_sum.pyx": ["learning", "counts/test_multiclass.py", "streaming"],
    "resampling": ["inference"],
    "weighted": _WEIGHTS,
    "_kernels": [*_PAIRS, *_WEIGHTS],
    "_counts": ["counts", "metrics"],
    "_pairs": _PAIRS,
    "_validation": ["validation", "inference/test_arguments.py", "metrics", "groups", "streaming"],
    "files": ["files"],
    "groups": ["groups"],
    "inference": ["inference"],
    "learning": ["learning"],
    "metrics": ["metrics", "counts", "validation"],
    "_rows": ["cli", "reports"],
    "streaming": ["streaming"],
}


class Fault(NamedTuple):
    """What is replaced in a file of the package, and by what; see mutants.toml."""

    name: str
    file: str
    before: str
    after: str

    @property
    def first_tests(self) -> list[str]:
        """The tests that are run first."""
        return next(tests for name, tests in FIRST_TESTS.items() if f"/{name}" in f"/{self.file}")

    def faulty_text(self, package: Path) -> str:
        """Return the text of the file with the fault; the line must be there exactly once."""
        text = (package / self.file).read_text(encoding="utf-8")
        if text.count(self.before) != 1:
            raise ValueError(f"{text.count(self.before)} places for the fault {self.name!r}")
        return text.replace(self.before, self.after)


def read_faults() -> list[Fault]:
    """Return all faults."""
    return [Fault(**fault) for fault in tomllib.loads(FAULTS.read_text(encoding="utf-8"))["mutant"]]


# Copies of the tree -----------------------------------------------------------------------------


def copy_sources(tree: Path) -> None:
    """Copy what Git knows, or would know."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    files = subprocess.run(command, cwd=ROOT, capture_output=True, check=True)
    for name in files.stdout.decode().rstrip("\0").split("\0"):
        (tree / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, tree / name)


def copy_tree(tree: Path) -> None:
    """Copy the sources, and build them with little optimization."""
    copy_sources(tree)
    setup = tree / "setup.py"
    setup.write_text(setup.read_text(encoding="utf-8").replace('"-O3"', '"-O1"'), encoding="utf-8")
    build(tree)


def build(tree: Path, **variables: str) -> None:
    """Build what has changed, and what depends on it, with these variables in the environment."""
    command = [sys.executable, "setup.py", "-q", "build_ext", "--inplace"]
    done = subprocess.run(
        command, cwd=tree, env=os.environ | variables, capture_output=True, text=True
    )
    if done.returncode != 0:
        raise RuntimeError(f"the build failed: {done.stderr[-2000:]}")


# Tests ------------------------------------------------------------------------------------------


def first_failure(tree: Path, tests: list[str]) -> str | None:
    """Run tests until one fails, and return it; None if none does."""
    options = ["-v", "-x", "-p", "no:cacheprovider", "-m", "not slow and not release"]
    options += ["-o", "addopts=--import-mode=importlib"]
    # It would notice every fault, by its text.
    options += ["--ignore=tests/reliability/test_mutants.py"]
    command = [sys.executable, "-u", "-m", "pytest", *options, *tests]
    environment = os.environ | {"PYTHONPATH": str(tree)}
    with (tree / "output.txt").open("w+", encoding="utf-8") as output:
        try:
            status = subprocess.run(
                command, cwd=tree, env=environment, stdout=output, stderr=output, timeout=_LONGEST
            ).returncode
        except subprocess.TimeoutExpired:
            status = None
        output.seek(0)
        text = output.read()
    if status == 0:
        return None
    # Of a file that fails before its tests begin there is no more than its name.
    failed = re.search(_TEST + r".* (FAILED|ERROR) |^_+ ERROR collecting (\S+)", text, re.MULTILINE)
    if status in (1, 2) and failed:
        return failed[1] or failed[3]
    # A crash, or a test that does not end: it is the last that has begun.
    begun = re.findall(_TEST, text, re.MULTILINE)
    if not begun:
        raise RuntimeError(f"no test was run:\n{text}")
    return f"{begun[-1]} ({'timeout' if status is None else f'exit code {status}'})"


def find_test(tree: Path, fault: Fault) -> str | None:
    """Return the first test that fails in a tree with the fault, or None."""
    (tree / "fastauc" / fault.file).write_text(
        fault.faulty_text(tree / "fastauc"), encoding="utf-8"
    )
    if not fault.file.endswith(".py"):
        build(tree)
    first = [f"tests/{name}" for name in fault.first_tests]
    return first_failure(tree, [*dict.fromkeys(first)]) or first_failure(tree, ["tests"])


def run_mutants(word: str = "") -> dict[str, object]:
    """Put the faults in one after another, as many at a time as there are cores; tell who noticed.

    Each in a copy of its own: what is in build/ would be taken for what the source gives.
    """
    faults = [fault for fault in read_faults() if word in fault.name]
    mutants = []
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(os.cpu_count()) as pool:
        clean = Path(folder, "clean")
        copy_tree(clean)

        def try_out(k: int) -> dict[str, str | None]:
            tree = Path(shutil.copytree(clean, Path(folder, f"{k}")))
            caught_by = find_test(tree, faults[k])
            shutil.rmtree(tree)
            return {"name": faults[k].name, "file": faults[k].file, "caught_by": caught_by}

        for mutant in pool.map(try_out, range(len(faults))):
            mutants.append(mutant)
            print(describe_mutant(mutant), flush=True)
        # A test that fails without a fault notices none.
        build(clean)
        names = {mutant["caught_by"].split(" ")[0] for mutant in mutants if mutant["caught_by"]}
        if names and (failing := first_failure(clean, sorted(names))):
            raise RuntimeError(f"{failing} fails without a fault")
    return {"mutants": mutants}


def describe_mutant(mutant: dict[str, str | None]) -> str:
    """Return the line of a fault in a table."""
    test = f"`{mutant['caught_by'].removeprefix('tests/')}`" if mutant["caught_by"] else "SURVIVED"
    return f"| {mutant['name']} | `{mutant['file']}` | {test} |"


def describe_mutants(results: dict[str, object] | None) -> list[str]:
    """Return the lines of docs/reliability.md on the faults."""
    title = ["", "## Tests that notice faults", ""]
    if results is None:
        return [*title, "Not run."]
    mutants = results["mutants"]
    n_caught = sum(mutant["caught_by"] is not None for mutant in mutants)
    return [
        *title,
        f"{n_caught} of {len(mutants)} faults, each put into the source alone, make a test fail.",
        f"Files and tests are named as of the run ({results['date']}, commit {results['commit']}):",
        "",
        "| fault | file | a test that fails |",
        "|---|---|---|",
        *map(describe_mutant, mutants),
    ]


if __name__ == "__main__":
    run_mutants(*sys.argv[1:])
