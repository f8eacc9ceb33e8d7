"""How a command line is run on what nobody means, and what may come of it."""

import contextlib
import io
import json
import os
import sys

import numpy as np
import pyarrow as pa
from hypothesis import HealthCheck, settings

from fastauc._cli.main import main
from fastauc.files import _memory
from support import laws

EXAMPLES = int(os.environ.get("FASTAUC_TEST_EXAMPLES", "15"))
law = settings(
    laws.law,
    max_examples=EXAMPLES,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)

N = 60
RNG = np.random.default_rng(0)
LABEL = RNG.random(N) < 0.4
TABLE = pa.table({"y": LABEL, "s": RNG.integers(0, 40, N) / 8 + LABEL, "k": np.arange(N) % 7})
_memory.LEAST_LIMIT = 1
IN_MEMORY, IN_PASSES = [], ["--memory-limit=1"]


def memory(kind):
    """Return the memory that this process takes up, "VmRSS", or has taken up at most, "VmHWM"."""
    if sys.platform != "linux":
        return 0
    with open("/proc/self/status", encoding="ascii") as status:
        return next(int(line.split()[1]) << 10 for line in status if line.startswith(kind))


def run(*arguments):
    """Run the command line in this process: exit code, standard output, standard error."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = main([str(argument) for argument in arguments])
    return code, out.getvalue(), err.getvalue()


def outcome(path, *options, command="score", score="s"):
    """Return the numbers of a file, or the one line that refuses it, without its beginning."""
    columns = ["--label=y", f"--score={score}"] if command == "score" else []
    code, out, err = run(command, path, *columns, "--json", *options)
    lines = err.splitlines()
    assert all(line.isprintable() for line in lines)
    if code == 0:
        beginnings = tuple(f"fastauc: {kind}: {path}: " for kind in ("warning", "note"))
        assert all(line.startswith(beginnings) for line in lines)
        return json.loads(out)
    assert (code, out, len(lines)) == (1, "", 1)
    assert lines[0].startswith(f"fastauc: error: {path}: ")
    return lines[0].removeprefix(f"fastauc: error: {path}: ")
