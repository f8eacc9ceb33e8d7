"""Every public function that takes rows, beside the area of the same rows.

The functions are found in the public modules, so a new one is measured without being listed here.
Its arguments come from two tables, by their names; an argument that is in neither is an error.
"""

import functools
import inspect

import numpy as np
from case import Case, Figure
from rivals import read
from targets import scaled, traced_bytes

import fastauc

MODULES = ("metrics", "inference", "groups", "learning")
# One of these is the first argument of a function of rows.
FIRST = {"y_true", "y_true_a", "y_scores"}
N_RESAMPLES = 50
NUMBERS = {"share": 0.1, "tpr": 0.8, "fpr": 0.1, "recall": 0.8, "auc": 0.7, "n_pairs": 1000}
NUMBERS |= {"threshold_a": 0.5, "threshold_b": 0.5, "cost": 1.0, "revenue": 5.0}
NUMBERS |= {"fpr_range": (0, 0.1), "n_resamples": N_RESAMPLES}
# Of functions that compare all pairs of rows.
MOST_ROWS = {"learning.sigmoid_roc_auc": 10_000}
# Arguments with a default that a function is called with, once for each set of them.
FURTHER = {
    "metrics.partial_roc_auc_score": [["fpr_range"]],
    "inference.roc_auc_ci": [[], ["fpr_range"], ["groups"]],
    "inference.curve_ci": [[]],
    "groups.roc_auc_by_group": [["groups"]],
    "groups.grouped_roc_auc_score": [["groups"]],
}


def functions(options):
    """Each function, weighted and not, and two floors: to read the rows, and to sort scores."""
    for n in (10_000, 10**6):
        yield from of_size(scaled(n, options), options)


def memory(options):
    """What each function allocates beside its rows and its result."""
    n = scaled(10**6, options)
    for case in of_size(n, options):
        for kind in ("unweighted", "weighted"):
            if kind not in case.calls:
                continue
            function, *inputs = case.calls[kind]
            name = f"{case.axes['function']}, {kind}: scratch, bytes per row"
            yield Figure(name, traced_bytes(function, inputs) / n)


def of_size(n, options):
    rows = rows_of(n, options.seed)
    for name, function in public_functions():
        if n <= MOST_ROWS.get(name, n):
            yield from cases_of(name, function, rows, n)
    for bins in (None, 4096):
        name = "streaming.ScoreHistogram.update"
        span = None if bins is None else (0, 1)
        made = functools.partial(fastauc.streaming.ScoreHistogram, bins, range=span)
        update, weighed = made().update, made(weighted=True).update
        y, s, weight = (rows[key] for key in ("y_true", "y_score", "sample_weight"))
        calls = {"unweighted": (update, y, s), "weighted": (weighed, y, s, weight)}
        yield beside_area(f"{name}, {bins or 'default'} bins", calls, rows, n)


def public_functions():
    """Yield the functions of rows, with the names that users call them by."""
    for module in MODULES:
        for name in getattr(fastauc, module).__all__:
            found = getattr(getattr(fastauc, module), name)
            if inspect.isfunction(found) and FIRST & {*inspect.signature(found).parameters}:
                yield f"{module}.{name}", found


def rows_of(n, seed):
    """Return columns, 30 % positive, by the name of the argument that they are for."""
    rng = np.random.default_rng(seed)
    label = (rng.random(n) < 0.3).astype(np.int64)
    normal = rng.standard_normal(n) + label
    score = 1 / (1 + np.exp(-normal))
    others = normal[:, np.newaxis] + rng.standard_normal((n, 5))
    weight = rng.random(n) + 0.5
    rows = {"y_true": label, "y_true_a": label, "y_true_b": label, "groups": np.arange(n) // 1000}
    rows |= {"y_score": score, "score_a": score, "score_b": others[:, 0], "scores": others}
    rows |= {"X": others, "y_scores": [*others.T], "k": max(1, n // 10)}
    return rows | {"sample_weight": weight}


def cases_of(name, function, rows, n):
    known = inspect.signature(function).parameters
    needed = [key for key, parameter in known.items() if parameter.default is parameter.empty]
    weight = rows["sample_weight"]
    if "y_true_a" in known:
        weight = weight, weight  # of two samples
    for further in FURTHER.get(name, [[]]):
        given = {key: (rows | NUMBERS)[key] for key in [*needed, *further]}
        if "n_resamples" in known and name not in FURTHER:
            given["n_resamples"] = N_RESAMPLES
        calls = {"unweighted": (functools.partial(function, **given),)}
        if "sample_weight" in known:
            calls["weighted"] = (functools.partial(function, **given, sample_weight=weight),)
        shown = ", ".join([name, *further])
        # Of a replicate, with the fixed part of the call.
        yield beside_area(shown, calls, rows, n, N_RESAMPLES if "n_resamples" in given else 1)


def beside_area(name, calls, rows, n, n_replicates=1):
    area = (fastauc.roc_auc_score, rows["y_true"], rows["y_score"])
    floors = {"read": (read, *area[1:]), "np.sort": (np.sort, rows["y_score"])}
    return Case(
        f"{name}, {n}",
        {"area": area} | calls | floors,
        rows=dict.fromkeys(("area", *floors), n) | dict.fromkeys(calls, n * n_replicates),
        tolerance=None,
        axes={"function": name, "n": n},
    )
