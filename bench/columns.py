"""How long the areas of many columns take, against a call for each of them.

Each round measures every contestant in turn; the table shows medians in nanoseconds per score. A
call for each column is measured on the first columns, and said to be extrapolated. Answers are
compared first. Two threads cannot be faster than one where a neighbor takes the other core: the
load is printed.
"""

import argparse
import os
import statistics
import time

import numpy as np

import fastauc

PART = 50  # columns that are given to one call each
PART_OF_RIVAL = 5


def one_by_one(function):
    """Return a contestant that calls a function for every column."""

    def call(y_true, matrix):
        return np.array([function(y_true, matrix[:, i]) for i in range(matrix.shape[1])])

    return call


def main(argv=None):
    """Print a line for every contestant."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--columns", type=int, default=1000)
    parser.add_argument("--dtype", default="f4")
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args(argv)
    os.environ["FASTAUC_NUM_THREADS"] = "1"
    from sklearn.metrics import roc_auc_score

    rng = np.random.default_rng(0)
    y_true = rng.integers(0, 2, arguments.rows)
    rows = rng.standard_normal((arguments.rows, arguments.columns), dtype=arguments.dtype)
    columns = np.asfortranarray(rows)
    calls = {}
    for layout, matrix in ("columns (F)", columns), ("rows (C)", rows):
        for n_jobs in (1, 2):
            calls[f"fastauc, {layout}, {n_jobs} threads"] = (
                lambda y, scores, n=n_jobs: (
                    fastauc.groups.roc_auc_by_column(y, scores, n_jobs=n).auc
                ),
                matrix,
            )
        calls[f"fastauc, {layout}, one call each, extrapolated"] = (
            one_by_one(fastauc.roc_auc_score),
            matrix[:, :PART],
        )
    calls["scikit-learn, columns (F), one call each, extrapolated"] = (
        one_by_one(roc_auc_score),
        columns[:, :PART_OF_RIVAL],
    )
    expected = fastauc.groups.roc_auc_by_column(y_true, columns).auc
    times = {name: [] for name in calls}
    for name, (call, matrix) in calls.items():
        assert np.allclose(call(y_true, matrix), expected[: matrix.shape[1]], rtol=1e-12), name
    for _ in range(arguments.rounds):
        for name, (call, matrix) in calls.items():
            start = time.perf_counter()
            call(y_true, matrix)
            times[name].append((time.perf_counter() - start) / matrix.size * 1e9)
    for name, values in times.items():
        print(f"{name:<60}{statistics.median(values):>10.1f} ns per score")
    print(f"load {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    main()
