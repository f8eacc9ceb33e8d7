"""Full disks, failing and interrupted writes, and kills: the old file or the new one, whole.

A library that is loaded before the C library, failing_calls.c, lets the k-th call fail.
"""

import errno
import json
import os
import signal
import sys
from pathlib import Path

import numpy as np
import pytest

from support.programs import preloaded, run_program
from support.reliability import NOT_SANITIZED, tried

pytestmark = [
    NOT_SANITIZED,
    pytest.mark.skipif(sys.platform != "linux", reason="LD_PRELOAD as Linux knows it"),
]
SOURCE = Path(__file__).with_name("failing_calls.c")
FAULTS = [errno.ENOSPC, errno.EIO, errno.EDQUOT, "short", "eintr", "kill", "killed"]

# Runs a command again and again in children of its own, of which each meets a fault one call later.
CHILD = """
    import json, os, shutil, sys
    from fastauc._cli.main import main
    from fastauc.files import _memory
    _memory.LEAST_LIMIT = 1

    folder, how, *command = sys.argv[1:]
    if command[0] in ("plot", "report"):  # the rest is loaded before the children
        import fastauc.reports._content, fastauc.reports._page
        import matplotlib.backends.backend_agg, matplotlib.backends.backend_svg, matplotlib.figure
        from fastauc import plotting
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
    outcomes = [(*run(0), files(), None, None)]
    while True:
        shutil.rmtree(folder)
        shutil.copytree(old, folder)
        code, out, err = run(len(outcomes))
        if not os.path.exists(note):
            break
        os.unlink(note)
        after = files()
        outcomes.append((code, out, err, after, run(0), files()))
    print(json.dumps(outcomes))
"""


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    return preloaded(SOURCE, tmp_path_factory.mktemp("library"))


COMMANDS = {
    "score.csv": ["-o"],
    "state": ["--state"],
    "c": ["--memory-limit=1", "--checkpoint-seconds=0", "--checkpoint"],
    "gains.xlsx": ["-o"],
    "plot.png": ["-o"],
    "plot.svg": ["-o"],
    "curve.csv": ["-o"],
    "report.html": ["-o"],
}
VERBS = {"gains.xlsx": ["gains"], "plot.png": ["plot", "roc"], "plot.svg": ["plot", "gain"]}
VERBS |= {"curve.csv": ["curve", "pr"], "report.html": ["report"]}
# The others are tried every night.
TIERS = {("score.csv", errno.ENOSPC): [], ("state", "short"): [], ("c", errno.EIO): pytest.mark.ci}
TIERS |= {("score.csv", "kill"): [], ("state", "killed"): []}
DISK, KILLED = pytest.mark.check("failing disks"), pytest.mark.check("killed while writing")


def mark_case(name, fault):
    tier = TIERS.get((name, fault), pytest.mark.slow)
    check = KILLED if str(fault).startswith("kill") else DISK
    return pytest.param(name, fault, marks=[check, *([tier] if tier else [])])


@pytest.mark.parametrize(
    ("name", "fault"), [mark_case(name, fault) for name in COMMANDS for fault in FAULTS]
)
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
    printed, _ = run_program(CHILD, folder, fault, *command, timeout=900, **library)
    (code, out, _, new, *_), *outcomes = json.loads(printed)
    assert code == 0
    assert outcomes
    old = {} if name == "c" else {name: "the file before"}
    for failed, printed, said, after, again, at_last in outcomes:
        tried()
        if fault in ("kill", "killed"):
            assert failed == -signal.SIGKILL
            assert name == "c" or after[name] in (old[name], new[name])
        elif isinstance(fault, str):
            assert (failed, printed) == (0, out)
        if failed == 0 and name == "c" and not isinstance(fault, str):
            # The job goes on, and the file is the one before, or that of the next attempt.
            assert printed == out
            assert after.keys() <= new.keys()
            assert after
        elif failed == 0:
            assert after == new
        elif failed > 0:
            assert (failed, printed) == (1, "")
            reason = os.strerror(fault)
            assert said == f"fastauc: error: {folder / name}: cannot be written: {reason}\n"
            # Nothing half-written stays; a job goes on from what was saved before.
            assert after == old or (name == "c" and after.keys() <= new.keys())
        # What was left behind is in nobody's way.
        assert again[:2] == [0, out]
        assert name == "c" or at_last[name] == new[name]
    if fault == "killed" and name != "c":
        assert {after[name] for _, _, _, after, *_ in outcomes} == {old[name], new[name]}
