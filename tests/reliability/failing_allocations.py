"""Calls in which the k-th allocation fails, for k = 1, 2, ... until none is left to fail.

    python tests/reliability/failing_allocations.py WAY GROWTH ROWS NAME...

is a process of its own, for what is asked is whether it survives. WAY is "kernels", for what our
compiled code asks for; "arrays", for what numpy asks for in blocks of 200,000 bytes and more; or
"space", for whatever is beyond k times as many bytes of address space. The first two need
failing_malloc.c; failing_python.py adds "calls". From one k to the next it goes by the factor
GROWTH. NAME is a function, "states", "refinements", "commands" or "conversions". It prints how many
have failed, and ends with an error unless arrays are let go of.

A call must raise MemoryError or return the right answer, and the next one return it. Small blocks
of numpy and the interpreter never fail: where these have no memory they may crash, CPython 3.12 and
3.13 for one where they make a function.
"""

import contextlib
import ctypes
import gc
import io
import os
import resource
import sys
import tempfile
import tracemalloc
import warnings
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import fastauc
from fastauc._cli.main import main as main_of_command
from fastauc.files import _memory
from fastauc.files._arrow_format import to_numpy
from fastauc.files._columns import Request, Rows as RowsOfColumn
from fastauc.files._opening import Source

if not __package__:  # run as a command, which finds only what lies beside it
    sys.path.insert(0, str(Path(__file__).parents[1]))
from support.public import FUNCTIONS, PUBLIC, Rows, arguments_of, draw_rows, flat

LARGE = 200_000
_memory.LEAST_LIMIT = 1
COMMANDS = (
    "score {table} --label y --score s",
    "score {table} --label y --score s --weight w --json",
    "score {table} --label y --score s --memory-limit 1kB",
    "gains {table} --label y --score s --bins 3",
    "threshold {table} --label y --score s",
    "curve roc {table} --label y --score s",
    "merge {state}",
)


# Ways to fail -------------------------------------------------------------------------------------


class Malloc:
    """Allocations of at least so many bytes that modules of a package ask for."""

    in_a_row = 1

    def __init__(self, package, least):
        library = ctypes.CDLL(None)
        library.fail_at.argtypes = [ctypes.c_long, ctypes.c_size_t, ctypes.c_char_p]
        library.fail_at.restype = None
        folder = os.fsencode(Path(package.__file__).parent) + b"/"
        self.arm = lambda k: library.fail_at(k, least, folder)
        self.disarm = library.fail_none


class AddressSpace:
    """Whatever takes more address space than some large arrays would."""

    in_a_row = 5  # what was freed before may do

    def __init__(self):
        self._unlimited = resource.getrlimit(resource.RLIMIT_AS)

    def arm(self, k):
        pages = int(Path("/proc/self/statm").read_text().split()[0])
        most = pages * resource.getpagesize() + (k - 1) * LARGE
        resource.setrlimit(resource.RLIMIT_AS, (most, self._unlimited[1]))

    def disarm(self):
        resource.setrlimit(resource.RLIMIT_AS, self._unlimited)
        return False


WAYS = {
    "kernels": partial(Malloc, fastauc, 1),
    # Of more than the buffers of numpy's iterators. Beyond 500 elements they are made without the
    # GIL, and numpy crashes in saying that there is no memory for them.
    "arrays": partial(Malloc, np, LARGE),
    "space": AddressSpace,
}


# What is tried ------------------------------------------------------------------------------------


class Trial(NamedTuple):
    """Something to do with a subject that is made anew each time."""

    name: str
    act: Callable[[Any], Any]
    tell: Callable[[Any], Any]
    """Of what it returned, something that can be compared."""
    make: Callable[[], Any] = lambda: None
    state: Callable[[Any], Any] = lambda subject: None
    """Of the subject, what must not have changed if it raises."""


def trials_of_functions(rows, names):
    """Yield a trial of each public function."""
    for name in names:
        prepared = partial(PUBLIC[name], **arguments_of(name, rows))
        yield Trial(name, lambda _, prepared=prepared: prepared(), flat)


def trials_of_states(rows):
    """Yield trials of what rows are added to."""
    half = Rows(*(column[::2] for column in rows))
    for known, weight in histograms_of(rows):
        add = partial(add_rows, rows=half, weight=weight if weight is None else half.weight)
        merge = partial(fastauc.streaming.ScoreHistogram.merge, other=known)
        for act in (add, merge):
            yield trial_of_state(known, act)
    begun = fastauc.streaming.RocAucAccumulator().update(rows.label, rows.score)
    for act in (partial(add_rows, rows=half, weight=None), sort):
        yield trial_of_state(begun, act)


def trials_of_refinements(rows):
    """Yield trials of areas that are made exact, in memory and with a file."""
    for known, weight in histograms_of(rows):
        chunk = rows.label, rows.score, *([] if weight is None else [weight])
        for max_rows in (len(rows.label) // 6, 2 * len(rows.label)):
            refine = partial(
                fastauc.streaming.refine_roc_auc, chunks=lambda c=chunk: [c], max_rows=max_rows
            )
            yield Trial(f"refine_roc_auc of {known!r}, {max_rows}", refine, flat, known.copy)


def histograms_of(rows):
    """Yield a histogram of rows alone and one of rows with weights, and their weights."""
    for weight in (None, rows.weight):
        known = fastauc.streaming.ScoreHistogram(
            bins=5, range=(-1, 20), weighted=weight is not None
        )
        yield known.update(rows.label, rows.score, weight), weight


def trial_of_state(begun, act):
    """Return a trial of adding to a state, which must be as it was after an error."""
    to_bytes, make = type(begun).to_bytes, partial(type(begun).from_bytes, begun.to_bytes())
    return Trial(f"{act} of {begun!r}", act, to_bytes, make, to_bytes)


def add_rows(state, rows, weight):
    return state.update(rows.label, rows.score, *([] if weight is None else [weight]))


def sort(accumulator):
    accumulator.compute()
    return accumulator


def trials_of_commands(folder):
    """Yield a trial of each command line."""
    rows = draw_rows(40)
    table, state = folder / "table.csv", folder / "kept.state"
    lines = [f"{y},{s},{w}" for y, s, w in zip(rows.label, rows.score, rows.weight, strict=True)]
    table.write_text("\n".join(["y,s,w", *lines]) + "\n")
    run(f"score {table} --label y --score s --state {state}")
    for command in COMMANDS:
        command = command.format(table=table, state=state)
        yield Trial(command, lambda _, command=command: run(command), lambda answer: answer)


def trials_of_conversions():
    """Yield a trial of each kind of column that files are read into."""
    import pyarrow as pa

    source = Source("x.csv", "x.csv", "csv", None, ",", ".", None)
    rows = RowsOfColumn(source, "s", 0, Request(("s",), [], may_miss=["s"]))
    for column in (
        pa.array([0.5, 0.25, 0.75]).slice(1),
        pa.array([1, 2, 3]),
        pa.array([0.5, None, 0.75]),
        pa.array([1, None, 3]),
        pa.array([True, False, None]),
        pa.array([True, False, True]),
        pa.array(["no", "yes", "no"]),
        pa.array(["no", "yes", "no"]).dictionary_encode(),
    ):
        yield Trial(f"{column.type}", lambda _, column=column: to_numpy(column, rows), str)


def run(command):
    """Run a command line; return what it printed, and raise MemoryError if it says that."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = main_of_command(command.split())
    if code != 0 and "memory" in err.getvalue():
        raise MemoryError(err.getvalue())
    return code, out.getvalue(), err.getvalue()


# Trying -------------------------------------------------------------------------------------------


def sweep(way, growth, trial):
    """Let allocation after allocation of a trial fail; return how many have failed."""
    expected = trial.tell(trial.act(trial.make()))
    assert trial.tell(trial.act(trial.make())) == expected  # what is kept is not allocated again
    n_failures, n_right, k = 0, 0, 1
    while n_right < way.in_a_row:
        subject = trial.make()
        before = trial.state(subject)
        way.arm(k)
        has_raised = False
        try:
            answer = trial.act(subject)
        except MemoryError:
            has_raised = True
        finally:
            has_failed = way.disarm() or has_raised
        if has_raised:
            assert trial.state(subject) == before, f"{trial.name}, k = {k}: the state changed"
            answer = trial.act(subject)
        assert trial.tell(answer) == expected, f"{trial.name}, k = {k}: a wrong answer: {answer}"
        n_failures, n_right = n_failures + has_failed, 0 if has_failed else n_right + 1
        k = max(k + 1, int(k * growth)) if has_failed else k + 1
    return n_failures


def main(kind, growth, n_rows, *names):
    warnings.simplefilter("ignore")  # of what the samples have, not of what fails
    way = WAYS[kind]()
    rows = draw_rows(int(n_rows))
    with tempfile.TemporaryDirectory() as folder:
        groups = {
            "states": partial(trials_of_states, rows),
            "refinements": partial(trials_of_refinements, rows),
            "commands": partial(trials_of_commands, Path(folder)),
            "conversions": trials_of_conversions,
        }
        trials = [*trials_of_functions(rows, [name for name in names if name in FUNCTIONS])]
        trials += [trial for name in names if name in groups for trial in groups[name]()]
        references = list(map(sys.getrefcount, rows))
        failures = [sweep(way, float(growth), trial) for trial in trials]
        assert all(failures) or kind not in ("calls", "space"), failures
        n_failures = sum(failures)
        gc.collect()
        assert list(map(sys.getrefcount, rows)) == references
        if kind == "arrays":
            # The interpreter may hold on to what was there when the last exception was raised.
            tracemalloc.start()
            held = []
            for _ in range(2):
                n_failures += sum(sweep(way, float(growth), trial) for trial in trials)
                gc.collect()
                held.append(tracemalloc.get_traced_memory()[0])
            assert held[1] - held[0] < LARGE, f"arrays have not been freed: {held}"
    print(n_failures)


if __name__ == "__main__":
    main(*sys.argv[1:])
