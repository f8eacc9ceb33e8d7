"""Killed while an output is written: the file there is the old one or the new one, whole."""

import json
import os

import numpy as np
import pytest

from support.programs import run_program
from support.reliability import tried

pytestmark = [
    pytest.mark.check("killed while writing"),
    pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork"),
]

# Runs a command again and again in children of its own, and kills them: at each write (of many, at
# some), of which half is done, and before and after each new name; or at random moments.
CHILD = """
    import io, json, os, random, signal, sys, time
    import fastauc.reports._content, fastauc.reports._page  # the rest is loaded before the children
    import matplotlib.backends.backend_agg, matplotlib.backends.backend_svg, matplotlib.figure
    from fastauc import plotting
    from fastauc._cli.main import main
    from fastauc.files import _memory
    _memory.LEAST_LIMIT = 1
    from fastauc._counts import result_table

    output, old_input, new_input, n_random, *command = sys.argv[1:]
    left = 0
    counts = os.pipe()

    def die_when_due():
        global left
        left -= 1
        if left == 0:
            os.kill(os.getpid(), signal.SIGKILL)

    class Deadly(io.BufferedWriter):
        def write(self, content):
            half = len(content) // 2
            super().write(content[:half])
            self.flush()
            die_when_due()
            return half + super().write(content[half:])

    def deadly_open(path, mode):
        return Deadly(io.FileIO(path, mode))

    def deadly(function):
        def call(*arguments):
            die_when_due()
            function(*arguments)
            die_when_due()
        return call

    def start(path, moment=0):
        global left
        child = os.fork()
        if child == 0:
            left = moment
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
            result_table.open = deadly_open
            os.replace, os.fsync = deadly(os.replace), deadly(os.fsync)
            code = main([path if each == "INPUT" else each for each in command])
            os.write(counts[1], b"%d\\n" % (moment - left))
            os._exit(code)
        return child

    def content():
        with open(output, "rb") as file:
            return file.read()

    def wait(child):
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        assert code in (0, -signal.SIGKILL), code
        return code

    begin = time.monotonic()
    assert wait(start(new_input)) == 0
    seconds, new = time.monotonic() - begin, content()
    n_moments = int(os.read(counts[0], 100))
    assert wait(start(old_input)) == 0
    old = content()
    assert old != new
    found = {"old": 0, "new": 0}
    moments = range(1, n_moments + 1)
    if n_random != "0":
        moments = [0] * int(n_random)
    elif n_moments > 40:
        moments = [*moments[:10], *moments[10:-10 : n_moments // 20], *moments[-10:]]
    for moment in moments:
        child = start(new_input, moment)
        if moment == 0:
            time.sleep(random.random() * 1.2 * seconds)
            os.kill(child, signal.SIGKILL)  # a child that has ended is there until it is waited for
        code = wait(child)
        assert code == -signal.SIGKILL or moment == 0
        now = content()
        assert now in (old, new), (len(now), len(old), len(new))
        assert now == new or code != 0
        found["old" if now == old else "new"] += 1
        with open(output, "wb") as file:
            file.write(old)
    # What killed children have left behind is in nobody's way.
    assert wait(start(new_input)) == 0
    assert content() == new
    print(json.dumps(found))
"""

ROWS = ["INPUT", "--label=y", "--score=s"]
COMMANDS = {
    "score.csv": ["score", *ROWS, "-o"],
    "score.json": ["score", *ROWS, "-o"],
    "score.md": ["score", *ROWS, "-o"],
    "gains.csv": ["gains", *ROWS, "-o"],
    "gains.html": ["gains", *ROWS, "-o"],
    "curve.csv": ["curve", "roc", *ROWS, "-o"],
    "curve.parquet": ["curve", "pr", *ROWS, "-o"],
    "plot.png": ["plot", "roc", *ROWS, "-o"],
    "plot.svg": ["plot", "gain", *ROWS, "-o"],
    "report.html": ["report", *ROWS, "-o"],
    "state": ["score", *ROWS, "--state"],
    "passes.state": ["score", *ROWS, "--memory-limit=1", "--one-pass", "--state"],
}
DEFAULT = ("score.csv", "state")


def kill(folder, name, n_random=0):
    """Kill a command while it writes; return how often the old and the new file were there."""
    inputs = []
    for seed in range(2):
        rng = np.random.default_rng(seed)
        inputs.append(folder / f"{seed}.npz")
        y = rng.random(2000) < 0.4
        np.savez(inputs[-1], y=y, s=(rng.normal(size=2000) + y).round(3))
    output = folder / "out" / name
    output.parent.mkdir()
    command = [str(output), *map(str, inputs), str(n_random), *COMMANDS[name], str(output)]
    found = json.loads(run_program(CHILD, *command, timeout=900, MPLBACKEND="agg")[0])
    tried(sum(found.values()))
    return found


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=[] if name in DEFAULT else pytest.mark.slow) for name in COMMANDS],
)
def test_killed_at_every_write(tmp_path, name):
    found = kill(tmp_path, name)
    assert found["old"] > 0
    assert found["new"] > 0


@pytest.mark.slow
@pytest.mark.parametrize("name", COMMANDS)
def test_killed_at_random_moments(tmp_path, name):
    kill(tmp_path, name, n_random=10)
