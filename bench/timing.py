"""What a measurement is: enough calls in a row for the clock, with so many threads."""

import math
import os
import time

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
