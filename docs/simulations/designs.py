"""One matrix of designs: how samples come about, and what is true of them.

A design says how the scores are distributed, how many rows (or clusters) there are, how they
depend on each other, their weights, whether the class sizes are fixed, the area, and how alike two
models are.
"""

from typing import NamedTuple

import numpy as np
from scipy import special

import fastauc


class Design(NamedTuple):
    """How samples come about."""

    scores: str
    n_pos: int
    n_neg: int
    dependence: str
    weights: str
    prevalence: str
    area: float
    correlation: float

    @property
    def drawn_share(self):
        """The share of positives among the rows."""
        return self.n_pos / (self.n_pos + self.n_neg)

    @property
    def share(self):
        """The share of positives in the population."""
        if self.weights != "20:1 by score":
            return self.drawn_share
        below = special.ndtr(np.array([-1, 1]) * shift_of(self.area) / 2)
        stand_for = np.array([self.n_pos, self.n_neg]) / (below + 20 * (1 - below))
        return float(stand_for[0] / stand_for.sum())


AXES = {
    "scores": ("continuous", "two levels", "three levels", "five levels", "a lump"),
    "sizes": ((5, 95), (10, 190), (20, 20), (50, 50), (30, 300), (100, 100), (200, 20)),
    # Twice: so many methods are for rows without weights only.
    "dependence": ("rows", "rows", "clusters of one label", "clusters of both", "unlike groups"),
    "weights": ("none", "none", "mild", "strong", "20:1 by score"),
    "prevalence": ("fixed", "drawn"),
    "area": (0.6, 0.75, 0.9, 0.95, 0.99),
    "correlation": (0.0, 0.5, 0.9),
}
ROWS_OF_CLUSTER, ROWS_OF_GROUP = 4, 40
GOOD, BAD, SHARE_OF_BAD = 0.98, 0.6, 0.1
MARGIN = 0.04  # by which another model is better


# What goes with what: the true values of the other combinations are not known.
_ALONE = {"scores": ("continuous",), "weights": ("none",), "prevalence": ("fixed",)}
_ONLY = {
    "clusters of one label": {"weights": ("none", "mild", "strong")},
    "clusters of both": _ALONE,
    "unlike groups": _ALONE,
    "20:1 by score": {"scores": ("continuous",)},
}


def draw_design(rng, only=None):
    """Return a design at random, with ``only`` these values of some axes."""

    def pick(axis, *rules):
        values = AXES[axis]
        for each in (only or {}, *rules):
            values = [value for value in values if value in each.get(axis, values)]
        return values[rng.integers(len(values))]

    dependence = pick("dependence")
    first = _ONLY.get(dependence, {})
    weights = pick("weights", first)
    second = _ONLY.get(weights, {})
    return Design(
        pick("scores", first, second),
        *pick("sizes"),
        dependence,
        weights,
        pick("prevalence", first, second),
        pick("area"),
        pick("correlation"),
    )


def shift_of(area):
    """Return how much higher the normal numbers of positives are."""
    return special.ndtri(area) * np.sqrt(2)


def cut(numbers, scores, shift):
    """Return scores of normal numbers: as they are, in levels, or with a lump at the lower end."""
    middle = shift / 2
    if scores == "a lump":
        return np.maximum(numbers, middle)
    edges = {"two levels": [0], "three levels": [-0.5, 0.5], "five levels": [-0.9, -0.3, 0.3, 0.9]}
    if scores in edges:
        return np.searchsorted(np.array(edges[scores]) + middle, numbers).astype(float)
    return numbers


# Samples ------------------------------------------------------------------------------------------


class Sample(NamedTuple):
    """A sample of a design.

    ``first``, ``second`` and two ``more`` are models of the same curve, ``better`` one of the
    design ``better_of``, if there is one, ``blind`` one that says nothing. ``area`` is the true
    area, ``mean`` that over groups.
    """

    label: np.ndarray
    first: np.ndarray
    second: np.ndarray
    more: list[np.ndarray]
    better: np.ndarray | None
    blind: np.ndarray | None
    weight: np.ndarray | None
    groups: np.ndarray | None
    area: float
    mean: float

    @property
    def design(self):
        """The arguments that say how rows were drawn."""
        given = {"sample_weight": self.weight, "groups": self.groups}
        return {name: values for name, values in given.items() if values is not None}


def draw(design, true, rng):
    """Return a sample of a design, whose area is ``true``, but for clusters of both labels."""
    n_pos, n_neg = design.n_pos, design.n_neg
    if design.prevalence == "drawn":
        n_pos = 0
        while not 2 <= n_pos <= design.n_pos + design.n_neg - 2:
            n_pos = rng.binomial(design.n_pos + design.n_neg, design.drawn_share)
        n_neg = design.n_pos + design.n_neg - n_pos
    shift, groups, weight = shift_of(design.area), None, None
    if design.dependence == "unlike groups":
        return _draw_unlike(min(n_pos, 20), rng)
    label, shared = np.repeat([1, 0], [n_pos, n_neg]), 0.0
    if design.dependence != "rows":
        groups, shared = np.repeat(np.arange(len(label)), ROWS_OF_CLUSTER), 0.5
        label = np.repeat(label, ROWS_OF_CLUSTER)
    if design.dependence == "clusters of both":
        rng.shuffle(label)

    def numbers():
        found = rng.standard_normal(len(label))
        if groups is None:
            return found
        common = rng.standard_normal(groups[-1] + 1)[groups]
        return np.sqrt(shared) * common + np.sqrt(1 - shared) * found

    common = numbers()
    models = [
        np.sqrt(design.correlation) * common + np.sqrt(1 - design.correlation) * numbers()
        for _ in range(4)
    ]
    if design.dependence == "clusters of both":
        pos, neg = (np.bincount(groups[label == k], minlength=groups[-1] + 1) for k in (1, 0))
        within = special.ndtr(shift / np.sqrt(2 * (1 - shared)))
        true += (within - true) * (pos @ neg) / (pos.sum() * neg.sum())
    if design.weights == "mild":
        weight = 1.0 + rng.integers(0, 3, len(label))
    elif design.weights == "strong":
        weight = np.exp(rng.standard_normal(len(label)))
    elif design.weights == "20:1 by score":
        # Of the first model; scores below the middle are sampled twenty times less often.
        below = special.ndtr(np.where(label, -shift, shift) / 2)
        is_low = rng.random(len(label)) < below / (below + 20 * (1 - below))
        place = rng.random(len(label))
        models[0] = special.ndtri(np.where(is_low, place * below, below + place * (1 - below)))
        weight = np.where(is_low, 20.0, 1.0)
    first, second, *more = (cut(each + shift * label, design.scores, shift) for each in models)
    better = None
    if has_better(design):
        higher = shift_of(better_of(design).area)
        better = cut(models[1] + higher * label, design.scores, higher)
    blind = cut(models[0], design.scores, 0.0)
    return Sample(label, first, second, more, better, blind, weight, groups, true, np.nan)


def has_better(design):
    """Return whether there is a model that is better by the margin."""
    return design.area + MARGIN < 1


def better_of(design):
    """Return the design of the better model; the margin is that of scores before they are cut."""
    return design._replace(area=design.area + MARGIN)


def _draw_unlike(n_groups, rng):
    """Return groups of which few have a lower area; scores are centered within each."""
    label = np.tile(np.arange(ROWS_OF_GROUP) % 2, n_groups)
    groups = np.repeat(np.arange(n_groups), ROWS_OF_GROUP)
    shifts = np.where(rng.random(n_groups) < SHARE_OF_BAD, shift_of(BAD), shift_of(GOOD))
    first, second, *more = (
        rng.standard_normal(len(label)) + (label - 0.5) * shifts[groups] for _ in range(4)
    )
    shares, normal = np.array([1 - SHARE_OF_BAD, SHARE_OF_BAD]), special.ndtri([GOOD, BAD])
    pairs = special.ndtr(np.add.outer(normal, normal) / 2)
    mean = shares @ np.array([GOOD, BAD])
    area = shares @ pairs @ shares
    return Sample(label, first, second, more, None, None, None, groups, area, mean)


def draw_classes(design, rng):
    """Return labels of three classes and shares of them whose areas, one by one, are the design's.

    Less their mean, numbers of three classes have 2/3 of their variance.
    """
    label = np.repeat([0, 1, 2], [design.n_pos, design.n_neg, design.n_pos])
    shift = special.ndtri(design.area) * np.sqrt(4 / 3)
    numbers = rng.standard_normal((len(label), 3)) + shift * np.eye(3)[label]
    return label, (1 + (numbers - numbers.mean(axis=1, keepdims=True)) / 100) / 3


# What is true -------------------------------------------------------------------------------------

RATES = np.arange(1, 10) / 10
TO_FPR, FROM_TPR = (0, 0.3), (0.7, 1)
LOW, HIGH = 0.2, 0.6  # thresholds of the net benefit
_QUANTILES = special.ndtri((np.arange(20_000) + 0.5) / 20_000)


def population(design):
    """Return labels and scores of 20,000 quantiles of each class, of the first model."""
    shift = shift_of(design.area)
    label = np.repeat([1, 0], len(_QUANTILES))
    numbers = np.concatenate([_QUANTILES + shift, _QUANTILES])
    return label, cut(numbers, design.scores, shift)


def threshold_of(design):
    """Return a threshold between both classes, which is one between levels."""
    middle = shift_of(design.area) / 2
    if design.scores == "two levels":
        return min(middle, 1.0)
    return middle + (1e-9 if design.scores == "a lump" else 0.0)


def as_probability(design, scores):
    """Return scores as probabilities."""
    return special.expit(scores - shift_of(design.area) / 2)


def best_accuracy(counts):
    """Return the accuracy at the threshold that was best: a maximum, and biased."""
    return (counts.tps + counts.tns).max() / (counts.tps[-1] + counts.fps[-1])


def known_values(design):
    """Return the true values of a population, and those of the better model."""
    return _values(design) | {"better": _values(better_of(design)) if has_better(design) else None}


def _values(design):
    label, scores = population(design)
    metrics, rows = fastauc.metrics, (label, scores)
    rule = {"sample_weight": np.where(label == 1, design.share, 1 - design.share)}
    probability = as_probability(design, scores)
    benefits = metrics.net_benefit_curve(label, probability, thresholds=[LOW, HIGH], **rule)[0]
    counts = fastauc.confusion_matrix_at_thresholds(*rows, **rule)
    return {
        "roc_auc": fastauc.roc_auc_score(*rows),
        "ks": fastauc.ks_score(*rows),
        "average_precision": fastauc.average_precision_score(*rows, **rule),
        "net_benefit": dict(zip((LOW, HIGH), benefits, strict=True)),
        "fpr_range": metrics.partial_roc_auc_score(*rows, fpr_range=TO_FPR),
        "tpr_range": metrics.partial_roc_auc_score(*rows, tpr_range=FROM_TPR),
        "fpr": metrics.tpr_at_fpr(*rows, RATES),
        "tpr": metrics.fpr_at_tpr(*rows, RATES),
        "recall": np.array([counts.precision_at_recall(rate) for rate in RATES]),
        "counts": counts,
        "at": counts.at(threshold_of(design)),
        "best accuracy": best_accuracy(counts),
    }
