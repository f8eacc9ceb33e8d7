"""Calls in which the k-th allocation fails, for k = 1, 2, ... until none is left to fail.

    python tests/reliability/failing_allocations.py WAY GROWTH ROWS NAME...

is a process of its own, for what is asked is whether it survives. WAY is "python", for allocators
of the interpreter, or "malloc", for those of the C library, and needs failing_malloc.c; "arrays"
for its blocks of 200,000 bytes and more; or "space", for whatever is beyond k times as many bytes
of address space. With PYTHONMALLOC=malloc those of the C library are those
of the interpreter as well, and threads may be begun, which "python" could wait for forever. From
one k to the next it goes by the factor GROWTH. NAME is a function, "states" or "commands". It
prints how many allocations have failed, and ends with an error unless arrays are let go of.

A call must raise MemoryError or return the right answer, and the next one return it. Where numpy or
the interpreter notice that an allocation has failed, not all of their code says so by MemoryError:
a SystemError of a function that "returned NULL", or a lock that cannot be made, are the same thing.
"""

import contextlib
import ctypes
import gc
import io
import resource
import sys
import tempfile
import threading
import tracemalloc
import warnings
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import fastauc
from fastauc._cli.main import main as main_of_command
from fastauc.files import _memory

if not __package__:  # run as a command, which finds only what lies beside it
    sys.path.insert(0, str(Path(__file__).parents[1]))
from support.public import FUNCTIONS, PUBLIC, Rows, arguments_of, draw_rows, flat

NOT_SAID = (
    "without exception set",
    "without setting an exception",
    "can't allocate lock",
    "can't allocate read lock",
    "can't start new thread",
)
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


class PythonAllocators:
    """Allocations of the interpreter, and of whatever takes memory from it."""

    # Some failures are made up for, so one right answer does not mean that there is no k-th one.
    in_a_row = 30

    def __init__(self):
        import _testcapi

        self._api = _testcapi

    def arm(self, k):
        self._api.set_nomemory(k - 1, k)

    def disarm(self):
        self._api.remove_mem_hooks()


class Malloc:
    """Allocations of at least so many bytes of numpy, the interpreter and fastauc."""

    def __init__(self, least):
        library = ctypes.CDLL(None)
        self._fail_at = library.fail_at
        self._fail_at.argtypes = [ctypes.c_long, ctypes.c_size_t]
        self._fail_at.restype = None
        # Of a function without arguments a call allocates nothing.
        self._fail_none = library.fail_none
        self._fail_none.restype = None
        self._least = least
        self.in_a_row = 30 if least == 0 else 2  # nothing makes up for large ones
        watch, unwatch = library.watch_thread, library.unwatch_thread
        watch.restype = unwatch.restype = None
        # Threads of libraries in C++ crash if they get no thread state, and Thread.start waits
        # forever for a thread that ends before it has said that it runs, and forgets one that it
        # has started if it then fails: https://github.com/python/cpython/issues/140746.
        threading.Thread.start = around(threading.Thread.start, unwatch, watch)
        threading.Thread.run = around(threading.Thread.run, watch, unwatch)

    def arm(self, k):
        self._fail_at(k, self._least)

    def disarm(self):
        self._fail_none()


class AddressSpace:
    """Whatever takes more address space than some large arrays would."""

    in_a_row = 5

    def __init__(self):
        self._unlimited = resource.getrlimit(resource.RLIMIT_AS)

    def arm(self, k):
        pages = int(Path("/proc/self/statm").read_text().split()[0])
        most = pages * resource.getpagesize() + (k - 1) * LARGE
        resource.setrlimit(resource.RLIMIT_AS, (most, self._unlimited[1]))

    def disarm(self):
        resource.setrlimit(resource.RLIMIT_AS, self._unlimited)


def around(method, before, after):
    """Return a method with something done before it and after it."""

    def call(thread):
        before()
        try:
            method(thread)
        finally:
            after()

    return call


LARGE = 200_000
WAYS = {
    "python": PythonAllocators,
    "malloc": partial(Malloc, 0),
    # Of more than the buffers of numpy's iterators. Beyond 500 elements they are made without the
    # GIL, and numpy crashes in saying that there is no memory for them.
    "arrays": partial(Malloc, LARGE),
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
    for weighted in (False, True):
        known = fastauc.streaming.ScoreHistogram(bins=5, range=(-1, 20), weighted=weighted)
        known.update(rows.label, rows.score, rows.weight if weighted else None)
        add = partial(add_rows, rows=half, weight=half.weight if weighted else None)
        merge = partial(fastauc.streaming.ScoreHistogram.merge, other=known)
        for act in (add, merge):
            yield trial_of_state(known, act)
        chunk = rows.label, rows.score, *([rows.weight] if weighted else [])
        for max_rows in (len(rows.label) // 6, 2 * len(rows.label)):
            refine = partial(
                fastauc.streaming.refine_roc_auc, chunks=lambda c=chunk: [c], max_rows=max_rows
            )
            yield Trial(f"refine_roc_auc of {known!r}, {max_rows}", refine, flat, known.copy)
    begun = fastauc.streaming.RocAucAccumulator().update(rows.label, rows.score)
    for act in (partial(add_rows, rows=half, weight=None), sort):
        yield trial_of_state(begun, act)


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


def run(command):
    """Run a command line; return what it printed, and raise MemoryError if it says that."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = main_of_command(command.split())
    if code != 0 and any(text in err.getvalue() for text in ("memory", *NOT_SAID)):
        raise MemoryError(err.getvalue())
    # A thread of Python's own pool may lack memory to say that it is done, and the interpreter to
    # close a generator: then they say that.
    told = err.getvalue()
    is_of_python = told.startswith(("Exception in worker\n", "Exception ignored in: <generator "))
    return code, out.getvalue(), "" if is_of_python and "MemoryError" in told else told


# Trying -------------------------------------------------------------------------------------------


def fail_once(way, k, action):
    """Do something, of which the k-th allocation fails; return its answer, or None if it raised."""
    way.arm(k)
    try:
        return action()
    except (MemoryError, SystemError, RuntimeError) as error:
        way.disarm()
        if not (isinstance(error, MemoryError) or any(text in str(error) for text in NOT_SAID)):
            raise
        return None
    finally:
        way.disarm()
        # Leaving contextlib.redirect_stdout may have failed as well.
        sys.stdout, sys.stderr = sys.__stdout__, sys.__stderr__


def sweep(way, growth, trial):
    """Let allocation after allocation of a trial fail; return how many have failed."""
    expected = trial.tell(trial.act(trial.make()))
    assert trial.tell(trial.act(trial.make())) == expected  # what is kept is not allocated again
    n_failures, n_right, k = 0, 0, 1
    while n_right < way.in_a_row:
        subject = trial.make()
        before = trial.state(subject)
        answer = fail_once(way, k, partial(trial.act, subject))
        if answer is None:
            assert trial.state(subject) == before, f"{trial.name}, k = {k}: the state changed"
            answer = trial.act(subject)
            n_failures, n_right = n_failures + 1, 0
        else:
            n_right += 1
        assert trial.tell(answer) == expected, f"{trial.name}, k = {k}: a wrong answer: {answer}"
        k = k + 1 if n_right else max(k + 1, int(k * growth))
    return n_failures


def main(kind, growth, n_rows, *names):
    warnings.simplefilter("ignore")  # of what the samples have, not of what fails
    way = WAYS[kind]()
    rows = draw_rows(int(n_rows))
    with tempfile.TemporaryDirectory() as folder:
        trials = [*trials_of_functions(rows, [name for name in names if name in FUNCTIONS])]
        if "states" in names:
            trials += trials_of_states(rows)
        if "commands" in names:
            trials += trials_of_commands(Path(folder))
        references = list(map(sys.getrefcount, rows))
        failures = [sweep(way, float(growth), trial) for trial in trials]
        assert all(failures) or kind != "space", failures
        n_failures = sum(failures)
        gc.collect()
        # The interpreter itself loses arguments of a call for which it gets no frame.
        assert kind == "python" or list(map(sys.getrefcount, rows)) == references
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
