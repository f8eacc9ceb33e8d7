"""The best threshold and its rates; certified bounds of it from the bins of a histogram."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastauc._counts.gains import ThresholdCounts
from fastauc._counts.thresholds import (
    Choice,
    OptimalThreshold,
    find_threshold,
    rates_at_prevalence,
)
from fastauc._validation.arrays import as_fraction


def bounded_threshold(
    counts: ThresholdCounts, choice: Choice
) -> tuple[OptimalThreshold, float, float]:
    """Return the best of the known thresholds, and bounds of the best possible value.

    The edges of bins are thresholds, so one bound is the value found. Every criterion is better
    for more true positives and for fewer false ones. A threshold inside a bin has at most the
    positives to the end of the bin, and at least the negatives before it: as if the positives of
    the bin came first. The best threshold of these counts is the other bound.
    """
    found = find_threshold(counts, choice)
    if found.value != found.value:
        return found, found.value, found.value
    lower = upper = found.value
    if counts.is_mixed is not None:
        best = find_threshold(_sorted_inside(counts, counts.is_mixed), choice).value
        lower, upper = sorted([found.value, best])
    if counts.is_weighted and not counts.exact:
        slack = _slack(counts, choice)
        lower, upper = lower - slack, upper + slack
    return found, lower, upper


def _sorted_inside(counts: ThresholdCounts, is_mixed: NDArray[np.bool_]) -> ThresholdCounts:
    """Return steps in which the positives of each bin of several scores come first."""
    before_fps, before_tps = (np.append(0, each[:-1]) for each in (counts.fps, counts.tps))
    is_mixed = is_mixed & (counts.fps > before_fps) & (counts.tps > before_tps)
    bins = np.flatnonzero(is_mixed)
    fps = np.insert(counts.fps, bins, before_fps[bins].astype(counts.fps.dtype))
    tps = np.insert(counts.tps, bins, counts.tps[bins])
    lows = np.insert(counts.lows, bins, counts.lows[bins])
    return ThresholdCounts(fps, tps, lows, lows)


def _slack(counts: ThresholdCounts, choice: Choice) -> float:
    """Return how far rounded weights can move a value.

    Each count is a double next to a sum that is off by ``off``. The rates are off by 2^-52 and
    twice ``off`` by the weight of the rarer class, and the value by fewer than eight times that,
    by the greatest value there can be.
    """
    n_neg, n_pos = counts.counts_to(len(counts.fps) - 1)
    off = counts.weight_error / min(n_neg, n_pos)
    amounts = [choice.cost_fp, choice.cost_fn, choice.cost, choice.revenue]
    scale = sum((as_fraction(amount) for amount in amounts if amount is not None), Fraction(0)) or 1
    if choice.method == "profit":
        scale *= counts.total
    return float(scale * (Fraction(1, 2**48) + 16 * off))


def threshold_facts(counts: ThresholdCounts, choices: Sequence[Choice]) -> list[dict[str, Any]]:
    """Return each best threshold, its value with bounds if it is not certain, and the rates.

    For a choice with a prevalence, rates that depend on it are computed at it, and named for it.
    """
    facts = []
    for choice in choices:
        found, lower, upper = bounded_threshold(counts, choice)
        matrix = found.matrix
        told = {"method": choice.method, "threshold": found.threshold, "value": found.value}
        if not counts.exact:
            told |= {"value_lower": lower, "value_upper": upper}
        told |= {"recall": matrix.recall, "fpr": matrix.fpr}
        if choice.prevalence is None:
            told |= {"precision": matrix.precision, "accuracy": matrix.accuracy}
        else:
            told["prevalence"] = float(choice.prevalence)
            told |= rates_at_prevalence(matrix, choice)
        facts.append(told | matrix._asdict())
    return facts
