"""How long areas within groups take, against pandas with scikit-learn and against polars_ds.

Each round measures every contestant in turn; the table shows medians in nanoseconds per row. What
takes a Python call for each group is measured on the first of them, and said to be extrapolated.
Answers are compared first. Two threads cannot be faster than one where a neighbor takes the other
core: the load is printed.
"""

import argparse
import json
import os
import statistics
import time
import warnings

import numpy as np

import fastauc

CASES = {"1e6 groups of 10 rows": (1_000_000, 10), "1e3 groups of 10,000 rows": (1_000, 10_000)}
PART = 500  # groups that pandas and scikit-learn are given


def make_rows(n_groups, size, seed=0):
    """Return labels, continuous scores and scattered ids."""
    rng = np.random.default_rng(seed)
    ids = rng.permutation(np.repeat(np.arange(n_groups), size))
    return rng.integers(0, 2, len(ids)), rng.standard_normal(len(ids)), ids


def ours(n_jobs):
    """Return the contestants of fastauc: by ids in any order, in order, and by offsets."""

    def scattered(y_true, y_score, ids):
        return fastauc.roc_auc_by_group(y_true, y_score, ids, n_jobs=n_jobs).auc

    def mean(y_true, y_score, ids):
        return fastauc.grouped_roc_auc_score(y_true, y_score, ids, n_jobs=n_jobs)

    return {"by group": scattered, "mean": mean}


def by_pandas(y_true, y_score, ids):
    """Return the areas of the groups, by a call of scikit-learn for each."""
    import pandas as pd
    from sklearn.metrics import roc_auc_score

    table = pd.DataFrame({"id": ids, "y": y_true, "s": y_score})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        areas = table.groupby("id")[["y", "s"]].apply(
            lambda rows: roc_auc_score(rows["y"], rows["s"])
        )
    return areas.to_numpy()


def by_polars_ds(y_true, y_score, ids):
    """Return the areas of the groups, by an expression of polars_ds."""
    import polars as pl
    import polars_ds as pds

    table = pl.DataFrame({"id": ids, "y": y_true.astype(np.uint32), "s": y_score})
    areas = table.group_by("id").agg(pds.query_roc_auc("y", "s").alias("area")).sort("id")
    return areas["area"].to_numpy()


def seconds(call, *arguments):
    """Return how long one call takes."""
    start = time.perf_counter()
    call(*arguments)
    return time.perf_counter() - start


def measure(n_groups, size, rounds):
    """Return the medians of all contestants in nanoseconds per row."""
    y_true, y_score, ids = make_rows(n_groups, size)
    by_group = np.argsort(ids, kind="stable")
    beside = y_true[by_group], y_score[by_group], ids[by_group]
    offsets = np.arange(0, len(ids) + 1, size)
    own = ids < PART
    part = y_true[own], y_score[own], ids[own]
    calls = {}
    for n_jobs in (1, 2):
        for name, call in ours(n_jobs).items():
            calls[f"{name}, scattered ids, {n_jobs} threads"] = (call, (y_true, y_score, ids))
    calls["by group, sparse ids, 1 threads"] = (
        ours(1)["by group"],
        (y_true, y_score, ids * 7919**3),
    )
    calls["by group, ids in order, 1 threads"] = (ours(1)["by group"], beside)
    calls["by group, offsets, 1 threads"] = (
        lambda y, s, bounds: fastauc.roc_auc_by_group(y, s, offsets=bounds).auc,
        (*beside[:2], offsets),
    )
    calls[f"pandas and scikit-learn, {PART} groups, extrapolated"] = (by_pandas, part)
    try:
        import polars_ds  # noqa: F401

        calls["polars_ds group_by, all cores"] = (by_polars_ds, (y_true, y_score, ids))
    except ImportError:
        print("polars_ds is not installed")
    areas = fastauc.roc_auc_by_group(y_true, y_score, ids).auc
    for name, (call, arguments) in calls.items():
        found = call(*arguments)
        expected = np.nanmean(areas) if "mean" in name else areas[: np.size(found)]
        assert np.allclose(found, expected, rtol=1e-12, equal_nan=True), name
    times = {name: [] for name in calls}
    for _ in range(rounds):
        for name, (call, arguments) in calls.items():
            times[name].append(seconds(call, *arguments) / len(arguments[0]) * 1e9)
    return {name: statistics.median(values) for name, values in times.items()}


def main(argv=None):
    """Print a line for every contestant."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args(argv)
    os.environ["FASTAUC_NUM_THREADS"] = "1"
    report = {"load": os.getloadavg()[0], "ns_per_row": {}}
    for case, (n_groups, size) in CASES.items():
        found = measure(n_groups, size, arguments.rounds)
        report["ns_per_row"][case] = found
        if not arguments.json:
            print(case)
            first = next(iter(found.values()))
            for name, value in found.items():
                print(f"  {name:<56}{value:>12.1f} ns per row{value / first:>10.2f} x")
    print(json.dumps(report, indent=1) if arguments.json else f"load {report['load']:.1f}")


if __name__ == "__main__":
    main()
