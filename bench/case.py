"""A case: contestants that do the same work, timed in turn, after their answers were compared."""

import gc
import math
import statistics
import time
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from answers import difference

ENOUGH_ROUNDS = 3  # of a contestant so slow that more would exceed --seconds
SCALES = {"ns": 1e9, "us": 1e6, "ms": 1e3, "s": 1.0}


class Target(NamedTuple):
    """What is to be reached; of several cases that have the same text, the worst counts."""

    text: str
    sign: str  # ">=" or "<="
    bound: float


class Figure(NamedTuple):
    """A number that is no time: bytes, passes over a file, the width of bounds."""

    name: str
    value: float
    target: Target | None = None


class Timed(NamedTuple):
    """What a call returns that looks at a clock itself."""

    seconds: float
    answer: Any


@dataclass
class Case:
    """Calls, each (function, *arguments), by the name of who makes them.

    All times are divided by that of the first, whose answer all others must give: within a relative
    tolerance, or to the last bit; None stands for answers that cannot be compared. A target belongs
    to the ratio of a contestant, that of the first one to its time.
    """

    name: str
    calls: dict
    rows: int | dict = 1  # times are of one row
    unit: str = "ns"
    tolerance: float | dict | None = 0.0
    targets: dict = field(default_factory=dict)
    may_refuse: tuple = ()  # rivals that may raise
    may_differ: tuple = ()  # rivals that are known to be wrong
    axes: dict = field(default_factory=dict)  # what else the report says of it


class WrongAnswerError(Exception):
    """Two ways to the same number have not given it."""


def agree(what, ours, theirs, tolerance=0.0):
    """Refuse answers that differ by more than a relative tolerance."""
    unlike = difference(ours, theirs)
    if not unlike <= tolerance:
        raise WrongAnswerError(f"{what}: the answers differ by {unlike:.2g}")


def answer_of(call):
    """Return the answer of a call, and whether the call looks at the clock itself."""
    function, *arguments = call
    answer = function(*arguments)
    return (answer.answer, True) if isinstance(answer, Timed) else (answer, False)


def of_each(value, name):
    """Return what belongs to a contestant, of a dictionary or of one value for all."""
    return value[name] if isinstance(value, dict) else value


def compared(case):
    """Call every contestant once; return those to be timed, notes on others, and failures."""
    (first, call), *others = case.calls.items()
    right, has_clock = answer_of(call)
    timed, notes, failures = {first: (call, has_clock)}, {}, []
    for name, call in others:
        try:
            answer, has_clock = answer_of(call)
        except ImportError as error:
            notes[name] = f"not installed: {error.name}"
            continue
        except Exception as error:
            notes[name] = f"refused: {type(error).__name__}: {error}".splitlines()[0][:100]
            failures += [] if name in case.may_refuse else [name]
            continue
        tolerance = of_each(case.tolerance, name)
        unlike = 0.0 if tolerance is None else difference(right, answer)
        if tolerance is None or unlike <= tolerance:
            timed[name] = call, has_clock
        else:
            notes[name] = f"answers differ by {unlike:.2g}"
            failures += [] if name in case.may_differ else [name]
    return timed, notes, failures


def seconds_per_call(call, has_clock, n_calls):
    """Return the mean time of calls in a row."""
    function, *arguments = call
    if has_clock:
        return max(function(*arguments).seconds, 1e-9)  # a coarse clock may stand still
    start = time.perf_counter()
    for _ in range(n_calls):
        function(*arguments)
    return (time.perf_counter() - start) / n_calls


def measure(contestants, rounds, budget):
    """Return the seconds of each (call, has_clock), measured in turn.

    So many rounds, and more for a tenth of the budget; but fewer will do once the budget is spent.
    A measurement repeats a call of less than a millisecond until it lasts as long.
    """
    n_calls = []
    for call, has_clock in contestants:
        once = seconds_per_call(call, has_clock, 1)
        n_calls.append(max(1, math.ceil(1e-3 / max(once, 1e-9))))
    found = [[] for _ in contestants]
    gc.collect()
    gc.disable()
    start, spent, n_rounds = time.perf_counter(), 0.0, 0
    while n_rounds < 99 and (
        n_rounds < (rounds if spent < budget else min(rounds, ENOUGH_ROUNDS)) or spent < budget / 10
    ):
        for contestant, repeats, seconds in zip(contestants, n_calls, found, strict=True):
            seconds.append(seconds_per_call(*contestant, repeats))
        n_rounds, spent = n_rounds + 1, time.perf_counter() - start
    gc.enable()
    return found


def run(case, rounds, budget):
    """Return what the report says of a case."""
    timed, notes, failures = compared(case)
    seconds = dict(zip(timed, measure(list(timed.values()), rounds, budget), strict=True))
    scale = SCALES[case.unit]
    times = {
        name: [second * scale / of_each(case.rows, name) for second in values]
        for name, values in seconds.items()
    }
    own = next(iter(times))
    medians = {name: statistics.median(values) for name, values in times.items()}
    ratios = {
        name: statistics.median(a / b for a, b in zip(values, times[own], strict=True))
        for name, values in times.items()
        if name != own
    }
    reached = [
        {**target._asdict(), "value": (ratios | {own: medians[own]})[name], "where": case.name}
        for name, target in case.targets.items()
        if name in medians
    ]
    row = {"name": case.name, "unit": case.unit, **case.axes, "rounds": len(times[own])}
    row |= {"median": medians, "ratio": ratios, "notes": notes}
    return row | {"targets": reached, "failures": [f"{case.name}: {name}" for name in failures]}


def run_figure(figure):
    """Return what the report says of a figure."""
    row = {"name": figure.name, "figure": figure.value, "targets": [], "failures": []}
    if figure.target:
        reached = figure.target._asdict() | {"value": figure.value, "where": figure.name}
        row["targets"].append(reached)
    return row


def missing(text, error):
    """Return what the report says of a case whose library is not installed."""
    name = f"{text}: {error.name} is not installed"
    return {"name": name, "targets": [], "failures": []}
