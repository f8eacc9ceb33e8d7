"""Intervals of the net benefit: the score interval of a mean of rows that have three values.

At a threshold p, a row counts 1 if it is a true positive, -p / (1 - p) if it is a false one, and 0
otherwise, and the net benefit is the mean. The variance of the mean is that of the most likely
shares of the three with a supposed mean, as in Tango's interval (1998) for the difference of two
paired proportions, which is that of p = 1/2. Weights and groups make rows as many independent ones
as would have the variance of the weighted mean, or of the sums over groups.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastauc._counts.confusion_counts import count_sample
from fastauc._counts.threshold_counts import ThresholdCounts
from fastauc._counts.thresholds import net_benefit_points
from fastauc._pairs.exact_sum import exact_sum
from fastauc._validation.errors import warn_undefined
from fastauc._validation.groups import Clusters
from fastauc._validation.probabilities import check_probabilities
from fastauc._validation.samples import BinarySample
from fastauc._validation.threads import Workers
from fastauc.inference._delong import effective_size, least_sizes, weights_of
from fastauc.inference._distributions import student
from fastauc.inference._resampling import put_in_order

Doubles = NDArray[np.float64]


class Trials(NamedTuple):
    """How many independent rows, at each threshold, have the shares of true and false positives."""

    tp: Doubles
    fp: Doubles
    n: Doubles
    odds: Doubles


def net_benefit_bounds(
    sample: BinarySample,
    clusters: Clusters | None,
    thresholds: Doubles,
    level: float,
    workers: Workers,
) -> tuple[Doubles, Doubles, Doubles]:
    """Return the net benefit at thresholds, and both ends of its interval; NaN of one group."""
    fps, tps, scores = count_sample(sample, workers)
    check_probabilities(scores, "y_score, from the highest")
    counts = ThresholdCounts(fps, tps, scores, scores)
    found = net_benefit_points(counts, thresholds, None)[0]
    place = len(scores) - np.searchsorted(scores[::-1], thresholds)
    whole = float(tps[-1] + fps[-1])
    tp, fp = (np.concatenate([[0.0], column / whole])[place] for column in (tps, fps))
    n, df, odds = (
        np.full(len(found), float(len(sample.label))),
        math.inf,
        thresholds / (1 - thresholds),
    )
    most = math.fsum(least_sizes((math.inf, math.inf), *weights_of(sample)))
    if clusters is not None or not _has_one_weight(sample):
        # In order, so that sums do not depend on that of the rows.
        (sample,), clusters = put_in_order([sample], clusters)
        weight = np.ones(len(sample.label)) if sample.weight is None else sample.weight
        own = np.arange(len(weight)) if clusters is None else clusters.codes
        sizes = np.bincount(own, weight)
        if len(sizes) < 2:
            warn_undefined("All rows are in one group; expected two or more for an interval.")
            return found, *np.full((2, len(found)), math.nan)
        kish = effective_size(sizes)
        df = max(1.0, kish - 1)
        of_one_row = tp + odds**2 * fp - found**2
        score = sample.order.restore(sample.score)
        for k, threshold in enumerate(thresholds):
            value = np.where(score >= threshold, np.where(sample.label, 1.0, -odds[k]), 0.0)
            sums = np.bincount(own, weight * (value - found[k])) / whole
            variance = len(sums) / (len(sums) - 1) * exact_sum(sums**2)
            is_known = variance > _ROUNDING * (1 + odds[k] ** 2)
            n[k] = min(n[k], most, of_one_row[k] / variance if is_known else kish)
    z = student(df)[1]((1 - level) / 2)
    return found, *score_bounds(Trials(tp, fp, n, odds), found, z)


# Variances below it are rounding errors of sums of doubles.
_ROUNDING = 1e-30


def _has_one_weight(sample: BinarySample) -> bool:
    """Return whether all rows count alike, those of both classes."""
    return sample.weight is None or bool((sample.weight == sample.weight[0]).all())


def variance_of_row(supposed: Doubles, trials: Trials) -> Doubles:
    """Return the variance of a row under the most likely shares with a supposed mean.

    The derivative of the likelihood in the share of false positives is a quadratic with one root
    that leaves no share negative.
    """
    tp, fp, n, odds = trials
    square = n * odds * (1 + odds)
    linear = tp * n * odds * (1 - supposed) + fp * n * (
        odds * (1 - supposed) - supposed * (1 + odds)
    )
    linear -= (n - tp * n - fp * n) * (1 + odds) * supposed
    constant = fp * n * supposed * (1 - supposed)
    root = np.sqrt(np.maximum(linear**2 + 4 * square * constant, 0))
    with np.errstate(divide="ignore", invalid="ignore"):
        # At odds of 0, the equation is linear.
        share = np.where(odds > 0, (linear + root) / (2 * square), -constant / linear)
        least = np.where(odds > 0, np.maximum(0, -supposed / odds), 0)
    share = np.clip(np.nan_to_num(share), least, (1 - supposed) / (1 + odds))
    variance: Doubles = supposed + odds * share + odds**2 * share - supposed**2
    return variance


def score_bounds(trials: Trials, found: Doubles, z: float) -> tuple[Doubles, Doubles]:
    """Return the range of means from which the one found is at most z of their deviations away."""
    ends = []
    for end in (-trials.odds, np.ones(len(found))):
        inside, outside = found.copy(), end.copy()
        for _ in range(60):
            middle = (inside + outside) / 2
            reach = z * z * np.maximum(variance_of_row(middle, trials), 0)
            is_near = (found - middle) ** 2 * trials.n <= reach
            inside, outside = np.where(is_near, middle, inside), np.where(is_near, outside, middle)
        ends.append(inside)
    return ends[0], ends[1]
