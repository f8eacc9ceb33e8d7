"""The best threshold and its rates; certified bounds of it from the cells of a histogram."""

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
    groups: ThresholdCounts, choice: Choice
) -> tuple[OptimalThreshold, float, float]:
    """Return the best of the known thresholds, and bounds of the best possible value.

    The edges of cells are thresholds, so one bound is the value found. Every criterion is better
    for more true positives and for fewer false ones. A threshold inside a cell has at most the
    positives to the end of the cell, and at least the negatives before it: as if the positives of
    the cell came first. The best threshold of these counts is the other bound.
    """
    found = find_threshold(groups, choice)
    if found.value != found.value:
        return found, found.value, found.value
    lower = upper = found.value
    if groups.is_mixed is not None:
        best = find_threshold(_sorted_inside(groups, groups.is_mixed), choice).value
        lower, upper = sorted([found.value, best])
    if groups.is_weighted and not groups.exact:
        slack = _slack(groups, choice)
        lower, upper = lower - slack, upper + slack
    return found, lower, upper


def _sorted_inside(groups: ThresholdCounts, is_mixed: NDArray[np.bool_]) -> ThresholdCounts:
    """Return groups in which the positives of each cell of several scores come first."""
    before_fps, before_tps = (np.append(0, each[:-1]) for each in (groups.fps, groups.tps))
    is_mixed = is_mixed & (groups.fps > before_fps) & (groups.tps > before_tps)
    cells = np.flatnonzero(is_mixed)
    fps = np.insert(groups.fps, cells, before_fps[cells].astype(groups.fps.dtype))
    tps = np.insert(groups.tps, cells, groups.tps[cells])
    lows = np.insert(groups.lows, cells, groups.lows[cells])
    return ThresholdCounts(fps, tps, lows, lows)


def _slack(groups: ThresholdCounts, choice: Choice) -> float:
    """Return how far rounded weights can move a value.

    Each count is a double next to a sum that is off by ``off``. The rates are off by 2^-52 and
    twice ``off`` by the weight of the rarer class, and the value by fewer than eight times that,
    by the greatest value there can be.
    """
    n_neg, n_pos = groups.counts_to(len(groups.fps) - 1)
    off = groups.weight_error / min(n_neg, n_pos)
    amounts = [choice.cost_fp, choice.cost_fn, choice.cost, choice.revenue]
    scale = sum((as_fraction(amount) for amount in amounts if amount is not None), Fraction(0)) or 1
    if choice.method == "profit":
        scale *= groups.total
    return float(scale * (Fraction(1, 2**48) + 16 * off))


def threshold_facts(groups: ThresholdCounts, choices: Sequence[Choice]) -> list[dict[str, Any]]:
    """Return each best threshold, its value with bounds if it is not certain, and the rates.

    For a choice with a prevalence, rates that depend on it are computed at it, and named for it.
    """
    facts = []
    for choice in choices:
        found, lower, upper = bounded_threshold(groups, choice)
        matrix = found.matrix
        told = {"method": choice.method, "threshold": found.threshold, "value": found.value}
        if not groups.exact:
            told |= {"value_lower": lower, "value_upper": upper}
        told |= {"recall": matrix.recall, "fpr": matrix.fpr}
        if choice.prevalence is None:
            told |= {"precision": matrix.precision, "accuracy": matrix.accuracy}
        else:
            told["prevalence"] = float(choice.prevalence)
            told |= rates_at_prevalence(matrix, choice)
        facts.append(told | matrix._asdict())
    return facts
