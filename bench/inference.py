"""How long a DeLong interval and test take, against the area alone and against other packages.

The others are the Python copies of Sun and Xu's algorithm: ``confidenceinterval`` for the interval
and ``MLstatkit`` for the paired test. What is not installed is skipped. Everything is measured in
turn, and the answers are compared first.
"""

import argparse
import os
import statistics
import sys
import time

import data
import numpy as np
from timing import calls_for, seconds_per_call

import fastauc

LARGEST_OF_OTHERS = 100_000  # rows; they take about a microsecond for each
# MLstatkit adds up doubles; the ranks of confidenceinterval are single precision.
TOLERANCES = {"MLstatkit / paired test": 1e-9, "confidenceinterval / interval": 1e-4}


def interval(y_true, y_score, _):
    """Return what both packages find: the area and DeLong's 95 % interval without a transform."""
    found = fastauc.inference.roc_auc_ci(y_true, y_score, method="delong")
    return found.statistic, *found.confidence_interval


def their_interval(y_true, y_score, _):
    from confidenceinterval import roc_auc_score

    area, bounds = roc_auc_score(y_true, y_score, confidence_level=0.95)
    return area, *bounds


def test(y_true, y_score, other):
    """Return z of the paired test."""
    return (fastauc.inference.roc_auc_test(y_true, y_score, other).statistic,)


def their_test(y_true, y_score, other):
    from MLstatkit import Delong_test

    z, _ = Delong_test(y_true, y_score, other, return_ci=False, return_auc=False, verbose=0)
    return (-z,)  # the second area less the first


def area(y_true, y_score, _):
    return (fastauc.roc_auc_score(y_true, y_score),)


# What is measured beside what, and what is divided by what.
PAIRS = {
    "interval / area": (area, interval),
    "paired test / area": (area, test),
    "confidenceinterval / interval": (interval, their_interval),
    "MLstatkit / paired test": (test, their_test),
}
OTHERS = (their_interval, their_test)


def make(n, distribution):
    """Return labels, scores, and the same scores with as much noise again."""
    y_true, y_score = data.make(distribution, n, 0.5, 0)
    noise = np.random.default_rng(1).standard_normal(n)
    return y_true, y_score, y_score + y_score.std() * noise


def measure(pair, inputs, rounds):
    """Return the median times of both, and the median of the ratios of neighboring ones."""
    calls = [calls_for(call, inputs) for call in pair]
    times = []
    for _ in range(rounds):
        times.append(
            [seconds_per_call(call, inputs, k) for call, k in zip(pair, calls, strict=True)]
        )
    medians = [statistics.median(column) for column in zip(*times, strict=True)]
    return *medians, statistics.median(second / first for first, second in times)


def compare(name, pair, inputs):
    """Return whether two packages agree."""
    answers = [np.array(call(*inputs), float) for call in pair]
    return np.allclose(*answers, rtol=TOLERANCES[name], atol=0)


def main():
    """Compare, measure in turn, and print medians."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=[10_000, 100_000, 1_000_000])
    parser.add_argument("--distribution", default="uniform", choices=sorted(data.DISTRIBUTIONS))
    parser.add_argument("--rounds", type=int, default=7)
    options = parser.parse_args()
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else float("nan")
    print(f"fastauc {fastauc.__version__}, {options.distribution} scores, load {load:.1f}, "
          f"medians of {options.rounds}; ns per row")  # fmt: skip
    print(f"{'':32}{'rows':>9}{'first':>9}{'second':>9}{'ratio':>9}")
    for n in options.sizes:
        inputs = make(n, options.distribution)
        for name, pair in PAIRS.items():
            is_other = pair[1] in OTHERS
            if is_other and n > LARGEST_OF_OTHERS:
                continue
            try:
                if is_other and not compare(name, pair, inputs):
                    sys.exit(f"{name}: the answers differ")
            except ModuleNotFoundError as error:
                print(f"{name:32}{n:9d}  not installed: {error.name}")
                continue
            first, second, ratio = measure(pair, inputs, options.rounds)
            print(f"{name:32}{n:9d}{first / n * 1e9:9.1f}{second / n * 1e9:9.1f}{ratio:9.2f}")


if __name__ == "__main__":
    start = time.perf_counter()
    main()
    print(f"{time.perf_counter() - start:.0f} s")
