"""Full disks, failing and interrupted writes: the old file and one line, or the new file.

A library that is loaded before the C library, failing_calls.c, lets the k-th call fail.
"""

import errno
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from support.programs import run_program
from support.reliability import NOT_SANITIZED, tried

pytestmark = [
    NOT_SANITIZED,
    pytest.mark.check("failing disks"),
    pytest.mark.skipif(sys.platform != "linux", reason="LD_PRELOAD as Linux knows it"),
    pytest.mark.skipif(shutil.which("gcc") is None, reason="there is no gcc"),
]
SOURCE = Path(__file__).with_name("failing_calls.c")
FAULTS = [errno.ENOSPC, errno.EIO, errno.EDQUOT, "short", "eintr"]

# Runs a command again and again in children of its own, of which each meets a fault one call later.
CHILD = """
    import json, os, shutil, sys
    import matplotlib.backends.backend_agg, matplotlib.figure
    from fastauc import plotting
    from fastauc._cli.main import main
    from fastauc.files import _memory
    _memory.LEAST_LIMIT = 1

    folder, how, *command = sys.argv[1:]
    old, printed, said, note = (f"{folder}-{name}" for name in ("old", "printed", "said", "note"))

    def run(moment):
        child = os.fork()
        if child == 0:
            for number, path in ((1, printed), (2, said)):
                os.dup2(os.open(path, os.O_CREAT | os.O_WRONLY | os.O_TRUNC), number)
            if moment:
                os.environ |= {"FAIL_FOLDER": folder, "FAIL_AT": str(moment), "FAIL_HOW": how}
                os.environ["FAIL_NOTE"] = note
            code = main(command)
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(code)
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        return code, read(printed), read(said)

    def read(path):
        with open(path, "rb") as file:
            return file.read().decode("latin-1")

    def files():
        return {name: read(os.path.join(folder, name)) for name in sorted(os.listdir(folder))}

    shutil.copytree(folder, old)
    outcomes = [(*run(0), files(), None)]
    while True:
        shutil.rmtree(folder)
        shutil.copytree(old, folder)
        code, out, err = run(len(outcomes))
        if not os.path.exists(note):
            break
        os.unlink(note)
        after = files()
        outcomes.append((code, out, err, after, run(0)))
    print(json.dumps(outcomes))
"""


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    path = tmp_path_factory.mktemp("library") / "failing_calls.so"
    command = ["gcc", "-O1", "-shared", "-fPIC", "-o", path, SOURCE, "-ldl"]
    built = subprocess.run(command, capture_output=True, text=True, check=False)
    if built.returncode:
        pytest.skip(f"gcc makes no library: {built.stderr[-200:]}")
    return path


COMMANDS = {
    "score.csv": ["-o"],
    "state": ["--state"],
    "c": ["--memory-limit=1", "--checkpoint-seconds=0", "--checkpoint"],
    "gains.html": ["-o"],
    "plot.png": ["-o"],
    "curve.parquet": ["-o"],
}
VERBS = {"gains.html": ["gains"], "plot.png": ["plot", "roc"], "curve.parquet": ["curve", "pr"]}
# The others are tried every night.
MARKS = {("score.csv", errno.ENOSPC): [], ("state", "short"): [], ("c", errno.EIO): pytest.mark.ci}
CASES = [
    pytest.param(name, fault, marks=MARKS.get((name, fault), pytest.mark.slow))
    for name in COMMANDS
    for fault in FAULTS
]


@pytest.mark.parametrize(("name", "fault"), CASES)
def test_a_call_that_fails(library, tmp_path, name, fault):
    rng = np.random.default_rng(0)
    y = rng.random(5000) < 0.4
    np.savez(tmp_path / "x.npz", y=y, s=(rng.normal(size=5000) + y).round(3))
    folder = tmp_path / "out"
    folder.mkdir()
    if name != "c":
        (folder / name).write_text("the file before")
    command = [*VERBS.get(name, ["score"]), tmp_path / "x.npz", "--label=y", "--score=s"]
    command += [*COMMANDS[name], folder / name]
    printed, _ = run_program(CHILD, folder, fault, *command, timeout=900, LD_PRELOAD=str(library))
    (code, out, _, new, _), *outcomes = json.loads(printed)
    assert code == 0
    assert outcomes
    for failed, printed, said, after, again in outcomes:
        tried()
        if isinstance(fault, str):
            assert (failed, printed) == (0, out)
        if failed == 0 and name == "c" and not isinstance(fault, str):
            # The job goes on, and the file is the one before, or that of the next attempt.
            assert printed == out
            assert after.keys() <= new.keys()
            assert after
        elif failed == 0:
            assert after == new
        else:
            assert (failed, printed) == (1, "")
            reason = os.strerror(fault)
            assert said == f"fastauc: error: {folder / name}: cannot be written: {reason}\n"
            # Nothing half-written stays; a job goes on from what was saved before.
            assert after == {name: "the file before"} or (
                name == "c" and after.keys() <= new.keys()
            )
        assert again[:2] == [0, out]
