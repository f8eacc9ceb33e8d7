"""Which cases are measured: named slices of a product that takes an hour or two as a whole.

A plan is a list of slices, a slice the product of its axes. Whatever axis the command line gives
replaces that of every slice of a suite.
"""

import math
from dataclasses import dataclass, replace
from itertools import product

import data
import rivals

AREA = "roc_auc_score"
WEIGHTED = "roc_auc_score_weighted"
CURVES = ["roc_curve", "precision_recall_curve", "average_precision_score"]
METRICS = [AREA, WEIGHTED, *CURVES]
SIZES = [100, 1000, 10_000, 100_000, 10**6, 10**7]
QUICK_SIZES = [100, 10_000]
PREVALENCES = [0.5, 0.01, 0.0001]
ALL = list(data.DISTRIBUTIONS)
USUAL = list(data.USUAL)


@dataclass(frozen=True)
class Slice:
    """A product of cases."""

    metrics: list
    sizes: list
    distributions: list
    prevalences: list
    rivals: list
    n_jobs: int | None = None  # None: what --n-jobs says


REFERENCE = ["scikit-learn"]
OTHERS = [name for name in rivals.RIVALS if name != rivals.ONE_THREAD]
SUITES = {
    # Every rival at every size.
    "headline": [Slice([AREA], SIZES, ["uniform"], [0.5], OTHERS)],
    # Is there a distribution that is much slower than uniform scores?
    "distributions": [Slice([AREA], [10**6], ALL, PREVALENCES, REFERENCE)],
    # What a second thread gives: fastauc on two against itself on one, and against the rivals.
    "threads": [
        Slice([AREA], SIZES[3:], ["uniform"], [0.5], [rivals.ONE_THREAD], 2),
        Slice([AREA], [10**6], ["uniform"], [0.5], OTHERS, 2),
        Slice([AREA], [10**7], ["uniform"], [0.5], REFERENCE, 2),
        Slice([AREA], [10**6], ["rounded3", "lognormal"], [0.5, 0.01], [rivals.ONE_THREAD], 2),
        Slice([WEIGHTED, *CURVES], [10**6], ["uniform"], [0.5], [rivals.ONE_THREAD], 2),
    ],
    "curves": [
        Slice(CURVES, [100, 10_000, 10**6, 10**7], ["uniform"], [0.5], OTHERS),
        Slice(CURVES, [10**6], ["rounded3", "lognormal"], [0.5, 0.01], REFERENCE),
    ],
    "weighted": [
        Slice([WEIGHTED], SIZES, ["uniform"], [0.5], OTHERS),
        Slice([WEIGHTED], [10**6], ALL, PREVALENCES, REFERENCE),
    ],
    # Everything against everything, which product.py measures in another way.
    "product": [Slice([AREA, WEIGHTED], SIZES, USUAL, PREVALENCES, OTHERS)],
}
# What the peak of memory is measured on: (metric, distribution, prevalence).
MEMORY = [(metric, "uniform", 0.5) for metric in METRICS]
MEMORY += [(AREA, "rounded3", 0.5), (AREA, "lognormal", 0.5), (AREA, "uniform", 0.01)]


def plan(arguments):
    """Return the slices to measure."""
    slices = [part for name in arguments.suite or [] for part in SUITES[name]]
    if not slices:
        sizes = [100, 10_000, 10**6, 10**7]
        slices = [Slice(METRICS, sizes, ["uniform"], [0.5], OTHERS)]
    given = {"sizes": QUICK_SIZES} if arguments.quick else {}
    for axis in ("metrics", "sizes", "distributions", "prevalences", "rivals"):
        given |= {axis: value} if (value := getattr(arguments, axis)) else {}
    parts = [replace(part, n_jobs=part.n_jobs or arguments.n_jobs, **given) for part in slices]
    most = arguments.max_n or math.inf
    return [replace(part, sizes=[n for n in part.sizes if n <= most]) for part in parts]


def children(slices):
    """Return the (rival, number of threads) that a plan needs, each once."""
    return list(dict.fromkeys((name, part.n_jobs) for part in slices for name in part.rivals))


def cases(slices, rival, n_jobs):
    """Return {(n, distribution, prevalence): metrics} of one rival, each case once."""
    found = {}
    for part in slices:
        if rival in part.rivals and part.n_jobs == n_jobs:
            for key in product(part.sizes, part.distributions, part.prevalences):
                found.setdefault(key, {}).update(dict.fromkeys(part.metrics))
    return {key: list(found[key]) for key in sorted(found, key=lambda key: key[0])}


def memory_cases(slices):
    """Return the (metric, distribution, prevalence, number of threads) whose memory to measure."""
    found = {}
    for part in slices:
        for metric, distribution, prevalence in MEMORY:
            if metric in part.metrics:
                found[metric, distribution, prevalence, part.n_jobs] = None
    return list(found)
