"""Every route compared with pairs that are counted by bisection, on any number of threads.

The negatives are sorted, and each positive is looked up among them: no packing, no buckets, no
tables, and no rounding, because NumPy compares two numbers of one dtype exactly.
"""

import functools
import itertools
import threading

import numpy as np

from fastauc._pairs import unweighted
from fastauc._pairs.unweighted import ROUTES
from fastauc._validation.rows import Rows
from fastauc._validation.threads import SERIAL, Workers
from support.reliability import tried


def on_threads(function):
    """Return the function with ``n_jobs`` in place of its second argument, the workers."""

    @functools.wraps(function)
    def call(first, n_jobs=1, *args, **options):
        with Workers(n_jobs) as workers:
            return function(first, workers, *args, **options)

    return call


def watch(monkeypatch, functions):
    """Return what calls a function and tells its steps: of those that gave nothing, "no" and which.

    ``functions`` are where each stands, its name and what the step is called.
    """
    log = []

    def watched(function, step):
        def call(*args, **options):
            answer = function(*args, **options)
            taken = "runs" if options.get("is_few_runs") else step
            log.append(taken if answer is not None else f"no {taken}")
            return answer

        return call

    for owner, name, step in functions:
        monkeypatch.setattr(owner, name, watched(getattr(owner, name), step))

    def steps_of(function, *args, **options):
        log.clear()
        return function(*args, **options), tuple(log)

    return steps_of


def on_a_small_stack(function):
    """Return what a function returns on a thread with 256 KiB of stack."""
    found = []
    before = threading.stack_size(256 * 1024)
    try:
        thread = threading.Thread(target=lambda: found.append(function()))
        thread.start()
        thread.join()
    finally:
        threading.stack_size(before)
    return found[0]


def count_by_bisection(labels, scores):
    """Return how many negatives are at or below a positive, and how many are tied with one."""
    negatives, positives = np.sort(scores[labels == 0]), scores[labels == 1]
    not_above = negatives.searchsorted(positives, "right")
    below = negatives.searchsorted(positives, "left")
    return int(not_above.sum()), int((not_above - below).sum())


def make_sample(labels, scores):
    """Return the sample that the public functions make of two arrays."""
    return Rows("concordance", labels, scores, None, 1).sample(SERIAL)


def draw_labels(rng, n_rows, n_pos=None):
    """Return labels of both classes; half of them are positive if no number is given."""
    n_pos = n_rows // 2 if n_pos is None else n_pos
    return rng.permutation((np.arange(n_rows) < n_pos).astype(np.uint8))


count_pairs = on_threads(unweighted.count_pairs)


def assert_every_route(labels, scores, expected, n_jobs=(None,), routes=(None, *ROUTES)):
    """Compare all routes with the expected pairs, and with those of the reversed order."""
    sample = make_sample(labels, scores)
    turned = make_sample(1 - labels, scores)
    n_pairs = sample.n_pos * sample.n_neg
    tried()
    for route, n_threads in itertools.product(routes, n_jobs):
        not_above, tied = count_pairs(sample, n_threads, route)
        assert (not_above, tied) == expected, route
        assert {type(not_above), type(tied)} == {int}, route
        assert count_pairs(turned, n_threads, route) == (n_pairs - not_above + tied, tied), route
