"""The table of benchmarks: what a suite is called, and what its cases are.

A suite is a function of the options that yields cases, or a list of slices: of a grid of metrics,
sizes, distributions and prevalences, in which every rival is measured in a process of its own.
"""

from dataclasses import dataclass, replace
from itertools import product

import data
import functions
import numpy as np
import rivals
import targets
import topics
from answers import EXACT_UP_TO, as_number, exact_answer, is_exact
from case import Case, WrongAnswerError, missing

AREA, WEIGHTED = "roc_auc_score", "roc_auc_score_weighted"
CURVES = ["roc_curve", "precision_recall_curve", "average_precision_score"]
METRICS = [AREA, WEIGHTED, *CURVES]
SIZES = [100, 1000, 10_000, 100_000, 10**6, 10**7]


@dataclass(frozen=True)
class Slice:
    """A product of cases."""

    metrics: list
    sizes: list
    distributions: list
    prevalences: list
    rivals: list


GRIDS = {
    # The page docs/speed.md: every rival at every size.
    "headline": [
        Slice([AREA], SIZES, ["uniform"], [0.5], list(rivals.RIVALS)),
        Slice(METRICS, [100, 10_000, 10**6, 10**7], ["uniform"], [0.5], list(rivals.RIVALS)),
        Slice([AREA], [10**6], ["uniform"], [0.01], ["scikit-learn"]),
        Slice([AREA], [10**6], ["rounded3"], [0.5], ["scikit-learn"]),
    ],
    "distributions": [
        Slice([AREA], [10**6], list(data.DISTRIBUTIONS), [0.5, 0.01, 0.0001], ["scikit-learn"]),
    ],
}
TARGETS = {
    "areas": targets.areas,
    "scratch": targets.scratch,
    "reference": targets.reference,
    "small": targets.small,
    "sizes": targets.sizes,
    "delong": targets.delong,
    "labels": targets.labels,
    "threads": targets.threads,
    "groups": topics.groups,
    "bootstrap": topics.bootstrap,
}
# In `targets` only with --growth and --large.
GREAT_TARGETS = {"growth": targets.growth, "files": topics.files}
TOPICS = {
    "orders": topics.orders,
    "columns": topics.columns,
    "inference": topics.inference,
    "gains": topics.gains,
    "histogram": topics.histogram,
    "engines": topics.engines,
    "spark": topics.spark,
    "boosters": topics.boosters,
    "imports": topics.imports,
    "functions": functions.functions,
    "memory": functions.memory,
}
SUITES = GRIDS | TARGETS | GREAT_TARGETS | TOPICS


def children(options):
    """Return the (suite, rival) that are measured in a process each."""
    names = []
    for suite in options.suite:
        if suite == "targets":
            names += [*TARGETS, *["growth"] * options.growth, *["files"] * options.large]
        else:
            names.append(suite)
    found = []
    for name in dict.fromkeys(names):
        chosen = [name for part in slices(name, options) for name in part.rivals]
        found += [(name, rival) for rival in (dict.fromkeys(chosen) if name in GRIDS else ["-"])]
    return found


def slices(name, options):
    """Return the slices of a suite, on the axes that the command line gives."""
    axes = ("metrics", "sizes", "distributions", "prevalences", "rivals")
    given = {axis: value for axis in axes if (value := getattr(options, axis))}
    return [replace(part, **given) for part in GRIDS.get(name, [])]


def cases(name, rival, options):
    """Yield the cases of a suite; of a grid, those with one rival."""
    if name in GRIDS:
        return grid(slices(name, options), rival, options)
    return SUITES[name](options)


def grid(parts, rival, options):
    """Yield the cases of slices that one rival has a function for, each once."""
    try:
        theirs = rivals.RIVALS[rival][0](options.n_jobs)
    except ImportError as error:
        yield missing(rival, error)
        return
    own, found = rivals.fastauc(options.n_jobs), {}
    for part in parts:
        sizes = [min(n, options.max_rows or n) for n in part.sizes]
        metrics = [metric for metric in part.metrics if metric in theirs]
        if rival in part.rivals:
            found |= dict.fromkeys(product(sizes, part.distributions, part.prevalences, metrics))
    made = None
    for n, distribution, prevalence, metric in sorted(found, key=lambda key: key[:3]):
        if made != (n, distribution, prevalence):
            made = n, distribution, prevalence
            rows = data.make(*made[1::-1], prevalence, options.seed)
            rows = *rows, data.weights(n, options.seed)
        inputs = rows[: 3 if metric == WEIGHTED else 2]
        check_exact(metric, own[metric](*inputs), *inputs)
        calls = {"fastauc": (own[metric], *inputs), "read": (rivals.read, *inputs)}
        calls[rival] = (theirs[metric], *inputs)
        yield Case(
            f"{metric}, {distribution}, {prevalence:.4g}, {n}",
            calls,
            rows=n,
            tolerance={"read": None, rival: rivals.TOLERANCES.get(rival, rivals.TOLERANCE)},
            may_refuse=(rival,),
            may_differ=(rival,) if (rival, distribution) in rivals.KNOWN_DEVIATIONS else (),
            axes={"metric": metric, "distribution": distribution, "prevalence": prevalence}
            | {"n": n, "n_jobs": options.n_jobs},
        )


def check_exact(metric, answer, y_true, y_score, sample_weight=None):
    """Refuse an answer of fastauc to few rows that is not the one summed as fractions."""
    if len(y_true) > EXACT_UP_TO:
        return
    weight = np.ones(len(y_true), np.int64) if sample_weight is None else sample_weight
    exact = exact_answer(metric, y_true, y_score, weight)
    if not is_exact(metric, as_number(metric, answer), exact):
        raise WrongAnswerError(f"{metric} of {len(y_true)} rows: {answer}, not {exact}")
