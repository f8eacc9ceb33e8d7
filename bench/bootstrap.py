"""Bootstrap intervals: B replicates of fastauc, and of SciPy over scikit-learn on a part of them.

    python bench/bootstrap.py [--sizes 10000 100000 1000000] [--n-resamples 1000] [--rounds 3]

Rows are normal scores, half of them positive. fastauc computes all replicates, on one thread and on
two in turn; SciPy computes so many that it takes some ten seconds, and its time for all of them is
extrapolated. Both bootstraps have rows of each class drawn on their own. Their standard errors must
agree within 5 of their own standard errors, else the status is 1.
"""

import argparse
import json
import math
import statistics
import sys
import time

import numpy as np
from machine import machine, versions
from scipy import stats
from sklearn.metrics import roc_auc_score

import fastauc

PATIENCE = 10.0  # seconds that SciPy gets for a size


def rows(n):
    """Return labels and scores; the area is about 0.84."""
    rng = np.random.default_rng(n)
    labels = np.repeat([1, 0], n // 2)
    return labels, rng.normal(size=n) + 1.4 * labels


def ours(labels, scores, n_resamples, n_jobs):
    """Return the time of a call of fastauc, and its result."""
    start = time.perf_counter()
    found = fastauc.inference.bootstrap_ci(
        labels, scores, n_resamples=n_resamples, rng=1, n_jobs=n_jobs
    )
    return time.perf_counter() - start, found


def area_of_classes(pos, neg):
    """Return the area of scores that were drawn from each class."""
    return roc_auc_score(np.repeat([1, 0], [len(pos), len(neg)]), np.concatenate([pos, neg]))


def theirs(labels, scores):
    """Return the time of one replicate of SciPy over scikit-learn, and its replicates."""
    classes = scores[labels == 1], scores[labels == 0]

    def run(n):
        start = time.perf_counter()
        found = stats.bootstrap(
            classes, area_of_classes, n_resamples=n, vectorized=False, method="percentile", rng=1
        )
        return time.perf_counter() - start, found.bootstrap_distribution

    seconds, _ = run(3)  # one of them is the warm-up
    n = int(min(max(PATIENCE / (seconds / 3), 10), 1000))
    seconds, distribution = run(n)
    return seconds / n, distribution


def agree(one, other):
    """Tell whether two samples have one standard deviation, as far as chance allows."""
    deviations = one.std(ddof=1), other.std(ddof=1)
    errors = [d / math.sqrt(2 * len(v)) for d, v in zip(deviations, (one, other), strict=True)]
    return abs(deviations[0] - deviations[1]) < 5 * math.hypot(*errors)


def measure(n, n_resamples, n_rounds):
    """Return the row of a size."""
    labels, scores = rows(n)
    ours(labels, scores, 16, 2)
    times = {1: [], 2: []}
    found = {}
    for _ in range(n_rounds):
        for n_jobs, seconds in times.items():
            elapsed, found[n_jobs] = ours(labels, scores, n_resamples, n_jobs)
            seconds.append(elapsed)
    replicates = [each.bootstrap_distribution for each in found.values()]
    per_replicate, distribution = theirs(labels, scores)
    one, two = (statistics.median(times[n_jobs]) for n_jobs in (1, 2))
    return {
        "n": n,
        "n_resamples": n_resamples,
        "seconds_1_thread": one,
        "seconds_2_threads": two,
        "ns_per_row_and_replicate": 1e9 * one / (n * n_resamples),
        "scipy_replicates": len(distribution),
        "scipy_seconds_extrapolated": per_replicate * n_resamples,
        "times_faster_1_thread": per_replicate * n_resamples / one,
        "agree": bool(
            (replicates[0] == replicates[1]).all() and agree(distribution, replicates[0])
        ),
    }


def main():
    """Print one line of JSON for the machine and one for each size."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--sizes", type=int, nargs="+", default=[10_000, 100_000, 1_000_000])
    parser.add_argument("--n-resamples", type=int, default=1000)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    print(json.dumps(machine() | versions(["scikit-learn", "scipy"])))
    all_agree = True
    for n in options.sizes:
        row = measure(n, options.n_resamples, options.rounds)
        print(json.dumps(row), flush=True)
        all_agree &= row["agree"]
    return 0 if all_agree else 1


if __name__ == "__main__":
    sys.exit(main())
