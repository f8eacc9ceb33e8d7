"""How long areas within groups take, against pandas with scikit-learn, polars_ds, torchrec's rule.

Each round measures every contestant in turn; the table shows medians in nanoseconds per row. The
others are given the first groups only, as many as the table says: they would take hours for all.
Answers are compared first. Two threads cannot be faster than one where a neighbor takes the other
core: the load is printed.
"""

import argparse
import importlib.util
import itertools
import json
import os
import statistics
import time
import warnings

import numpy as np

import fastauc

CASES = {"1e6 groups of 10 rows": (1_000_000, 10), "1e3 groups of 10,000 rows": (1_000, 10_000)}
PART_ROWS = 5_000  # of the groups that are given to what takes a call for each of them
LEAST_PART = 50  # groups


def make_rows(n_groups, size, seed=0):
    """Return labels, continuous scores and scattered ids."""
    rng = np.random.default_rng(seed)
    ids = rng.permutation(np.repeat(np.arange(n_groups), size))
    return rng.integers(0, 2, len(ids)), rng.standard_normal(len(ids)), ids


def ours(n_jobs):
    """Return the contestants of fastauc: by ids in any order, in order, and by offsets."""

    def scattered(y_true, y_score, ids):
        return fastauc.groups.roc_auc_by_group(y_true, y_score, ids, n_jobs=n_jobs).auc

    def mean(y_true, y_score, ids):
        return fastauc.groups.grouped_roc_auc_score(y_true, y_score, ids, n_jobs=n_jobs)

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


def one_by_one(y_true, y_score, ids):
    """Return the areas of groups in the order of their ids, by a call of fastauc for each."""
    bounds = np.searchsorted(ids, np.arange(ids[-1] + 2)).tolist()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return np.array(
            [
                fastauc.roc_auc_score(y_true[start:stop], y_score[start:stop])
                for start, stop in itertools.pairwise(bounds)
            ]
        )


def by_torchrec(y_true, y_score, ids):
    """Return the areas of the groups by the rule of torchrec: 1/2 where there is one class."""
    import torch

    label, score = torch.from_numpy(y_true).double(), torch.from_numpy(y_score)
    sizes = torch.from_numpy(np.bincount(ids)).tolist()
    by_group = torch.from_numpy(np.argsort(ids, kind="stable"))
    areas = []
    for rows in torch.split(by_group, sizes):
        ranked = label[rows][torch.argsort(score[rows], descending=True)]
        tps, fps = torch.cumsum(ranked, 0), torch.cumsum(1 - ranked, 0)
        pairs = tps[-1] * fps[-1]
        areas.append(torch.where(pairs == 0, 0.5, torch.trapezoid(tps, fps) / pairs))
    return torch.stack(areas).numpy()


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


def contestants(n_groups, size):
    """Return what is called with which rows, by name."""
    y_true, y_score, ids = make_rows(n_groups, size)
    by_group = np.argsort(ids, kind="stable")
    beside = y_true[by_group], y_score[by_group], ids[by_group]
    offsets = np.arange(0, len(ids) + 1, size)
    n_part = max(LEAST_PART, PART_ROWS // size)
    own = ids < n_part
    part = y_true[own], y_score[own], ids[own]
    calls = {}
    for n_jobs in (1, 2):
        for name, call in ours(n_jobs).items():
            calls[f"{name}, scattered ids, {n_jobs} threads"] = (call, (y_true, y_score, ids))
        calls[f"by group, offsets, {n_jobs} threads"] = (
            lambda y, s, bounds, n_jobs=n_jobs: (
                fastauc.groups.roc_auc_by_group(y, s, offsets=bounds, n_jobs=n_jobs).auc
            ),
            (*beside[:2], offsets),
        )
    calls["by group, sparse ids, 1 threads"] = (
        ours(1)["by group"],
        (y_true, y_score, ids * 7919**3),
    )
    calls["by group, ids in order, 1 threads"] = (ours(1)["by group"], beside)
    few = f", {n_part} groups"
    calls["roc_auc_score of each group" + few] = (
        one_by_one,
        tuple(column[: n_part * size] for column in beside),
    )
    calls["pandas and scikit-learn" + few] = (by_pandas, part)
    for module, name, call in (
        ("torch", "the rule of torchrec", by_torchrec),
        ("polars_ds", "polars_ds group_by, all cores", by_polars_ds),
    ):
        if importlib.util.find_spec(module) is None:
            print(f"{module} is not installed")
        else:
            calls[name + few] = (call, part)
    return calls


def check(calls):
    """Compare all answers: torchrec and others have their own numbers for one class."""
    areas = next(call(*arguments) for call, arguments in calls.values())
    for name, (call, arguments) in calls.items():
        found = call(*arguments)
        expected = np.nanmean(areas) if "mean" in name else areas[: np.size(found)]
        if "torchrec" in name:
            expected = np.where(np.isnan(expected), 0.5, expected)
        if "polars" in name:
            # What it answers for one class is left out.
            found = np.where(np.isnan(expected), np.nan, found)
        assert np.allclose(found, expected, rtol=1e-12, equal_nan=True), name


def measure(n_groups, size, rounds):
    """Return the medians of all contestants in nanoseconds per row."""
    calls = contestants(n_groups, size)
    check(calls)
    times = {name: [] for name in calls}
    for _ in range(rounds):
        for name, (call, arguments) in calls.items():
            times[name].append(seconds(call, *arguments) / len(arguments[1]) * 1e9)
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
