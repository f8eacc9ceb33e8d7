"""Small calls of every public function under valgrind's memcheck.

Not counted is what the interpreter does by itself when it imports numpy and the package: memcheck
is run on that alone, and reports of the same kind with the same four innermost functions are left
out. A leak counts if a kernel is on its stack; any other report counts wherever it is, for the
memory may be ours.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from xml.etree import ElementTree

ROOT = Path(__file__).resolve().parents[2]
CALLS = ROOT / "tests" / "reliability" / "guard_pages.py"
# Few rows, and enough for the buckets and for the sorts that are split: see guard_pages.py.
BOUNDS = ("2", "40", "2"), ("20000", "20000")
IMPORTS = "import support.public"


def run_valgrind():
    """Make the calls and return how many there were, and what memcheck reported."""
    if shutil.which("valgrind") is None:
        return {"skipped": "valgrind is not installed"}
    _, by_itself = run_memcheck("-c", IMPORTS)
    known, n_calls, ours = {key for key, _ in by_itself}, 0, []
    for bounds in BOUNDS:
        printed, reports = run_memcheck(str(CALLS), os.devnull, "end", "6", *bounds)
        n_calls += int(printed)
        ours += [text for key, text in reports if key not in known]
    return {"run": n_calls, "reports": len(ours), "first": ours[:3]}


def run_memcheck(*arguments):
    """Return what Python prints under memcheck, and (key, text) of each report that may be ours."""
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder, "log.xml")
        command = ["valgrind", "--leak-check=full", "--show-leak-kinds=definite", "--xml=yes"]
        command += [f"--xml-file={log}", "--num-callers=30", sys.executable, *arguments]
        # In a folder without sources of the package: the installed one is examined.
        environment = os.environ | {"PYTHONMALLOC": "malloc", "PYTHONPATH": str(ROOT / "tests")}
        done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
        if done.returncode != 0:
            raise RuntimeError(f"the calls ended by {done.returncode}: {done.stderr[-2000:]}")
        return done.stdout, list(read_reports(ElementTree.parse(log).getroot()))


def read_reports(log):
    """Yield (key, text) of each report in a log."""
    for error in log.iter("error"):
        kind, frames = error.findtext("kind"), list(error.find("stack").iter("frame"))
        is_in_kernel = any("/fastauc/" in frame.findtext("obj", "") for frame in frames)
        if is_in_kernel or not kind.startswith("Leak_"):
            lines = [f"{f.findtext('fn')} in {Path(f.findtext('obj')).name}" for f in frames]
            yield (kind, *(f.findtext("fn") for f in frames[:4])), "\n".join([kind, *lines[:12]])


def describe_valgrind(results):
    """Return what docs/reliability.md says of this stage."""
    return f"{results['run']:,} calls, {results['reports']:,} reports"
