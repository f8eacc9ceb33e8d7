"""Populations of scores whose area, and whose whole ROC curve, are known.

A population tells how scores of each class are made from standard normal numbers, which may be
correlated, and how high and how wide its curve is at a rate.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from scipy import integrate, optimize, special, stats

RATINGS = np.array([-0.9, -0.3, 0.3, 0.9])  # where normal scores are cut into five


class Population(NamedTuple):
    """Scores from standard normal numbers, and rates from rates of the other class."""

    positive: Callable[[Any], Any]
    negative: Callable[[Any], Any]
    tpr_at: Callable[[Any], Any]
    fpr_at: Callable[[Any], Any]

    def draw(self, rng, n_samples, n_pos, n_neg):
        """Return the scores of independent samples, a row each: positives first."""
        numbers = rng.standard_normal((n_samples, n_pos + n_neg))
        return self.score(numbers, n_pos)

    def score(self, numbers, n_pos):
        """Return the scores of rows whose standard normal numbers these are."""
        parts = self.positive(numbers[..., :n_pos]), self.negative(numbers[..., n_pos:])
        return np.concatenate(parts, axis=-1)

    def partial_area(self, rate, lower, upper):
        """Return the area over a range of one of the rates, as a share of what is possible."""
        if rate == "fpr":
            return integrate.quad(self.tpr_at, lower, upper)[0] / (upper - lower)
        return 1 - integrate.quad(self.fpr_at, lower, upper)[0] / (upper - lower)

    def ks(self):
        """Return the greatest distance of the curve from the diagonal."""
        return max(self.tpr_at(fpr) - fpr for fpr in np.linspace(0, 1, 100_001))

    def average_precision(self, share):
        """Return the mean precision over recalls, with this share of positives."""
        return integrate.quad(lambda recall: self.precision_at(recall, share), 0, 1)[0]

    def precision_at(self, recall, share):
        """Return the precision at a recall above 0, with this share of positives."""
        return share * recall / (share * recall + (1 - share) * self.fpr_at(recall))


def normal(area, sd_pos=1, sd_neg=1):
    """Normal scores with these deviations."""
    shift = stats.norm.ppf(area) * np.hypot(sd_pos, sd_neg)
    return Population(
        lambda z: shift + sd_pos * z,
        lambda z: sd_neg * z,
        lambda fpr: special.ndtr((sd_neg * special.ndtri(fpr) + shift) / sd_pos),
        lambda tpr: special.ndtr((sd_pos * special.ndtri(tpr) - shift) / sd_neg),
    )


def exponential(area):
    """Exponential scores, of which those of positives vary more."""
    odds = area / (1 - area)
    return Population(
        lambda z: -odds * special.log_ndtr(-z),
        lambda z: -special.log_ndtr(-z),
        lambda fpr: fpr ** (1 / odds),
        lambda tpr: tpr**odds,
    )


def mirrored(population):
    """Return the same with the classes exchanged and the scores turned around."""
    return Population(
        lambda z: -population.negative(z),
        lambda z: -population.positive(z),
        lambda fpr: 1 - population.fpr_at(1 - fpr),
        lambda tpr: 1 - population.tpr_at(1 - tpr),
    )


def ratings(area):
    """Ratings from 0 to 4: normal scores, cut."""

    def above(shift):
        return np.concatenate([[0], special.ndtr(shift - RATINGS[::-1]), [1]])

    def excess(shift):
        fpr, tpr = above(-shift / 2), above(shift / 2)
        return np.diff(fpr) @ (tpr[1:] + tpr[:-1]) / 2 - area

    shift = optimize.brentq(excess, 0, 12)
    fpr, tpr = above(-shift / 2), above(shift / 2)
    return Population(
        lambda z: np.searchsorted(RATINGS - shift / 2, z),
        lambda z: np.searchsorted(RATINGS + shift / 2, z),
        lambda rate: np.interp(rate, fpr, tpr),
        lambda rate: np.interp(rate, tpr, fpr),
    )


POPULATIONS = {
    "normal": normal,
    "positives spread 2:1": lambda area: normal(area, 2, 1),
    "negatives spread 2:1": lambda area: normal(area, 1, 2),
    "exponential": exponential,
    "exponential, mirrored": lambda area: mirrored(exponential(area)),
    "five ratings": ratings,
}
