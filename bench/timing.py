"""What a measurement is: enough calls in a row for the clock, in turn, with so many threads."""

import gc
import json
import math
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

ENOUGH_ROUNDS = 3  # of a rival so slow that more would exceed --seconds
ONE_CALL_FROM = 1_000_000  # rows; one call lasts long enough to be timed alone
THREAD_SETTINGS = [
    "FASTAUC_NUM_THREADS",
    "MKL_NUM_THREADS",
    "NUMBA_NUM_THREADS",
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "POLARS_MAX_THREADS",
    "RAYON_NUM_THREADS",
]


def environment(n_jobs):
    """Return the environment of a process that is to use this number of threads."""
    return os.environ | dict.fromkeys(THREAD_SETTINGS, str(n_jobs))


def child(argv, kind, name, n_jobs, **settings):
    """Start run.py as a child, with more settings in its environment; yield what it prints."""
    command = [sys.executable, str(Path(__file__).with_name("run.py")), *argv]
    with subprocess.Popen(
        [*command, "--child", kind, name, str(n_jobs)],
        stdout=subprocess.PIPE,
        text=True,
        env=environment(n_jobs) | settings,
    ) as process:
        yield from (json.loads(line) for line in process.stdout if line.startswith('{"'))
    if process.returncode:
        yield {"crashed": f"{kind} {name}, n_jobs = {n_jobs}", "status": process.returncode}


def calls_for(call, inputs, least_seconds=1e-3):
    """Return how many calls make a measurement that a clock can resolve."""
    if len(inputs[0]) >= ONE_CALL_FROM:
        return 1
    start = time.perf_counter()
    call(*inputs)
    return max(1, math.ceil(least_seconds / max(time.perf_counter() - start, 1e-9)))


def seconds_per_call(call, inputs, n_calls):
    """Return the mean time of n_calls calls in a row."""
    start = time.perf_counter()
    for _ in range(n_calls):
        call(*inputs)
    return (time.perf_counter() - start) / n_calls


def measure(contestants, rounds, budget, least_seconds=0.2):
    """Time all (function, inputs) in turn and return the list of seconds of each.

    So many rounds and for so long at least; but fewer will do once the budget is spent.
    """
    n_calls = [calls_for(call, inputs) for call, inputs in contestants]
    timed = [[] for _ in contestants]
    n_rounds, spent = 0, 0.0
    start = time.perf_counter()
    gc.collect()
    gc.disable()
    while n_rounds < 99 and (
        n_rounds < (rounds if spent < budget else min(rounds, ENOUGH_ROUNDS))
        or spent < min(least_seconds, budget)
    ):
        for (call, inputs), repeats, seconds in zip(contestants, n_calls, timed, strict=True):
            seconds.append(seconds_per_call(call, inputs, repeats))
        n_rounds, spent = n_rounds + 1, time.perf_counter() - start
    gc.enable()
    return timed


def median_ratio(above, below):
    """Return the median of the ratios of neighboring measurements."""
    return statistics.median(a / b for a, b in zip(above, below, strict=True))


def read(y_true, y_score, *sample_weight):
    """Read scores and labels once: the floor."""
    np.add.reduce(y_true)
    np.add.reduce(y_score)
