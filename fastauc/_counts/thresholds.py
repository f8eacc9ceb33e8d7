"""The optimal threshold by a criterion, and its confusion matrix; the net benefit of thresholds.

A criterion is a formula of the two rates and the prevalence. It is computed in doubles for all
thresholds, and in fractions for those that may be optimal, so the choice does not depend on
rounding; the highest of several equally good thresholds is returned.
"""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from fastauc._counts.confusion_matrix import ConfusionMatrix
from fastauc._counts.gains import Points
from fastauc._counts.threshold_counts import (
    ThresholdCounts,
    counts_at,
    point_at,
    prepend,
)
from fastauc._tables import result
from fastauc._validation import options
from fastauc._validation.arrays import as_fraction
from fastauc._validation.errors import warn_if_undefined, warn_user
from fastauc._validation.literals import ThresholdMethod


@result("fastauc.metrics")
class OptimalThreshold(NamedTuple):
    """A threshold, the value of its criterion, and its confusion matrix.

    Attributes
    ----------
    threshold : float
        Rows that score at or above it are predicted positive (at or below it if
        ``higher_is_positive`` is False). A score of the sample; or infinity (minus infinity) if it
        is optimal to predict no row positive.
    value : float
        The criterion at the threshold, in the units of the method.
    matrix : ConfusionMatrix
        The counts at the threshold, with rates as properties.

    Examples
    --------
    >>> from fastauc.metrics import optimal_threshold
    >>> best = optimal_threshold([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], method="accuracy")
    >>> best.threshold, best.value, best.matrix.recall
    (0.8, 0.75, 0.5)
    """

    threshold: float
    value: float
    matrix: ConfusionMatrix


class Choice(NamedTuple):
    """The options of ``optimal_threshold``."""

    method: str
    cost_fp: Any = None
    cost_fn: Any = None
    prevalence: Any = None
    cost: Any = None
    revenue: Any = None
    limit: Any = None


class _Point(NamedTuple):
    """Rates and class shares: doubles or fractions."""

    tpr: Any
    fpr: Any
    p1: Any
    p0: Any

    @property
    def tp(self) -> Any:
        """The share of true positives among all rows."""
        return self.p1 * self.tpr

    @property
    def fp(self) -> Any:
        """The share of false positives among all rows."""
        return self.p0 * self.fpr


def _accuracy(at: _Point) -> Any:
    return at.tp + at.p0 * (1 - at.fpr)


def _precision_of(at: _Point) -> Any:
    return at.tp / (at.tp + at.fp)


Criterion = Callable[[_Point, Choice], Any]

# To be maximized; with the options that each requires.
_CRITERIA: dict[str, tuple[Criterion, tuple[str, ...]]] = {
    "youden": (lambda at, _: at.tpr - at.fpr, ()),
    "balanced_accuracy": (lambda at, _: (at.tpr + (1 - at.fpr)) / 2, ()),
    "closest_topleft": (lambda at, _: -((1 - at.tpr) ** 2 + at.fpr**2), ()),
    "equal_error_rate": (lambda at, _: -abs(at.tpr + at.fpr - 1), ()),
    "accuracy": (lambda at, _: _accuracy(at), ()),
    "f1": (lambda at, _: 2 * at.tp / (at.tp + at.fp + at.p1), ()),
    "cost": (
        lambda at, its: -(its.cost_fp * at.fp + its.cost_fn * at.p1 * (1 - at.tpr)),
        ("cost_fp", "cost_fn"),
    ),
    "profit": (
        lambda at, its: its.revenue * at.tp - its.cost * (at.tp + at.fp),
        ("cost", "revenue"),
    ),
}
LIMITED = ("max_fpr", "min_precision", "min_recall")
_MONEY = ("cost_fp", "cost_fn", "cost", "revenue")
# These depend on the prevalence, which may differ from that of the sample.
OF_PREVALENCE = ("accuracy", "f1", "cost", "min_precision")

METHODS = get_args(ThresholdMethod)
_BLOCK = 2**14
# All negatives and all positives.
_Totals = tuple[Fraction, Fraction]


def needed_by(method: str) -> tuple[str, ...]:
    """Return the options that a method requires."""
    return ("limit",) if method in LIMITED else _CRITERIA[method][1]


def check_choice(choice: Choice, function: str) -> None:
    """Reject invalid options, missing ones, and those that a method does not use."""
    method = choice.method
    options.check_option(method, "method", METHODS, function)
    needed = needed_by(method)
    given = choice._asdict()
    prevalence = given.pop("prevalence")
    del given["method"]
    if prevalence is not None:
        if method not in OF_PREVALENCE:
            options.check_needed({"prevalence": prevalence}, (), method, function)
        options.check_prevalence(prevalence, function)
    options.check_needed(given, needed, method, function)
    for name in needed:
        if name in _MONEY:
            options.check_amount(given[name], name, function)
        else:
            expected = "a number in [0, 1]"
            options.check_number(given[name], name, expected, lambda rate: 0 <= rate <= 1, function)


def find_threshold(counts: ThresholdCounts, choice: Choice) -> OptimalThreshold:
    """Return the optimal threshold; NaN, with a warning, if a class has no rows.

    Points are numbered from 0 for the threshold infinity; point k + 1 is the end of step k.
    """
    if warn_if_undefined(counts.tps[-1], counts.fps[-1]):
        return OptimalThreshold(math.nan, math.nan, ConfusionMatrix(*[math.nan] * 4))
    point = find_point(counts, choice)
    warn_if_unreached(choice, point)
    threshold = counts.lows.item(point - 1) if point else math.inf
    return OptimalThreshold(threshold, _best_value(counts, choice, point), _matrix(counts, point))


def warn_if_unreached(choice: Choice, point: int) -> None:
    """Warn of a limit that no threshold with a positive meets: the threshold is infinity."""
    if point == 0 and choice.method in ("max_fpr", "min_precision"):
        warn_user(
            f"No threshold with {choice.method}={choice.limit} finds a positive: no row is "
            "predicted positive."
        )


def find_point(counts: ThresholdCounts, choice: Choice) -> int:
    """Return the number of the optimal point for a sample with both classes."""
    return (_find_limit if choice.method in LIMITED else _find_best)(counts, choice)


def value_at(counts: ThresholdCounts, choice: Choice, point: int) -> float:
    """Return the criterion at a point, whether or not it is optimal."""
    tpr, fpr = _rates_at(counts, point)
    if choice.method in LIMITED:
        return float(fpr if choice.method == "min_recall" else tpr)
    if choice.method == "equal_error_rate":
        return float((1 - tpr + fpr) / 2)
    value = _exactly(counts, choice, point)
    if choice.method == "closest_topleft":
        return math.sqrt(-value)
    if choice.method == "cost":
        return float(-value)
    return float(value * counts.total if choice.method == "profit" else value)


def _best_value(counts: ThresholdCounts, choice: Choice, point: int) -> float:
    """Return the value of the optimal point: of "equal_error_rate", where the curve crosses."""
    if choice.method != "equal_error_rate":
        return value_at(counts, choice, point)
    tpr, fpr = _rates_at(counts, point)
    excess = tpr + fpr - 1
    if excess == 0:
        return float(fpr)
    # The sum of the rates increases from 0 to 2: the curve crosses beside the nearest point.
    other_tpr, other_fpr = _rates_at(counts, point + 1 if excess < 0 else point - 1)
    part = excess / (tpr + fpr - other_tpr - other_fpr)
    return float(fpr + part * (other_fpr - fpr))


def limited_rate_at(counts: ThresholdCounts, choice: Choice, point: int) -> float:
    """Return the rate that a method limits; NaN for precision without predicted positives."""
    if choice.method == "min_precision":
        has_rows = counts.rows_to(point - 1) > 0
        step = slice(point - 1, point)
        return float(_precision(counts, choice, step)[0]) if has_rows else math.nan
    tpr, fpr = _rates_at(counts, point)
    return float(fpr if choice.method == "max_fpr" else tpr)


def _matrix(counts: ThresholdCounts, point: int) -> ConfusionMatrix:
    n_neg, n_pos = counts.fps.item(-1), counts.tps.item(-1)
    fp, tp = n_neg * 0, n_pos * 0
    if point:
        fp, tp = counts.fps.item(point - 1), counts.tps.item(point - 1)
    return ConfusionMatrix(n_neg - fp, fp, n_pos - tp, tp)


def _shares(totals: _Totals, prevalence: Any) -> tuple[Fraction, Fraction]:
    """Return the shares of positives and negatives, in the sample or at the given prevalence."""
    n_neg, n_pos = totals
    p1 = n_pos / (n_pos + n_neg) if prevalence is None else as_fraction(prevalence)
    return p1, 1 - p1


def _amounts(choice: Choice) -> dict[str, Any]:
    """Return the amounts that are given."""
    given = {name: getattr(choice, name) for name in _MONEY}
    return {name: value for name, value in given.items() if value is not None}


def _rates_at(counts: ThresholdCounts, point: int) -> tuple[Fraction, Fraction]:
    """Return the true and the false positive rate at a point, as fractions."""
    n_neg, n_pos = counts.totals
    fp, tp = counts.counts_to(point - 1)
    return tp / n_pos, fp / n_neg


def _exactly(counts: ThresholdCounts, choice: Choice, point: int) -> Fraction:
    """Return a criterion at a point, as a fraction."""
    amounts: dict[str, Any] = {name: as_fraction(value) for name, value in _amounts(choice).items()}
    at = _Point(*_rates_at(counts, point), *_shares(counts.totals, choice.prevalence))
    return Fraction(_CRITERIA[choice.method][0](at, choice._replace(**amounts)))


def _find_best(counts: ThresholdCounts, choice: Choice) -> int:
    p1, p0 = map(float, _shares(counts.totals, choice.prevalence))
    # Costs may be huge or tiny: only their ratio matters.
    given = _amounts(choice)
    unit = max(given.values(), default=1) or 1
    amounts: dict[str, Any] = {
        name: float(as_fraction(value) / as_fraction(unit)) for name, value in given.items()
    }
    criterion, options = _CRITERIA[choice.method][0], choice._replace(**amounts)
    values = np.empty(1 + len(counts.tps))
    values[0] = criterion(_Point(0.0, 0.0, p1, p0), options)
    # In blocks that stay in the cache, which takes half the time.
    for start in range(0, len(counts.tps), _BLOCK):
        steps = slice(start, start + _BLOCK)
        tpr, fpr = (each[steps] / each[-1] for each in (counts.tps, counts.fps))
        values[1:][steps] = criterion(_Point(tpr, fpr, p1, p0), options)
    # Each formula has fewer than eight roundings of terms up to 2: doubles are off by less than
    # 2^-48.
    candidates = np.flatnonzero(values >= values.max() - 2.0**-46).tolist()
    if len(candidates) == 1:
        return int(candidates[0])
    return int(max(candidates, key=lambda point: _exactly(counts, choice, point)))


def _find_limit(counts: ThresholdCounts, choice: Choice) -> int:
    """Return the point with the best rate among those that keep another rate within a limit.

    A rate within rounding error of the limit meets it: a recall of 9 in 10 is 0.9.
    """
    limit = as_fraction(choice.limit)
    if choice.method == "min_recall":
        least = counts_at(limit, counts.tps)[0]
        return bisect_left(counts.tps, least, key=as_fraction) + 1 if limit else 0
    if choice.method == "max_fpr":
        most = counts_at(limit, counts.fps)[1]
        kept = np.arange(bisect_right(counts.fps, most, key=as_fraction) + 1)
    else:
        kept = 1 + np.flatnonzero(_precision(counts, choice) >= float(limit))
    if len(kept) == 0:
        return 0
    tps = prepend(0, counts.tps)[kept]
    return int(kept[np.argmax(tps == tps[-1])])


def _precision(
    counts: ThresholdCounts, choice: Choice, steps: slice = slice(None)
) -> NDArray[np.float64]:
    """Return the precision of each step together with those above it; they have rows.

    Correctly rounded near the limit.
    """
    fps, tps = counts.fps[steps], counts.tps[steps]
    precision: NDArray[np.float64]
    if choice.prevalence is None:
        precision = tps / (tps + fps)
    else:
        n_neg, n_pos = counts.totals
        p1, p0 = _shares((n_neg, n_pos), choice.prevalence)
        at = _Point(tps / counts.tps[-1], fps / counts.fps[-1], float(p1), float(p0))
        precision = _precision_of(at)
        # Four rounding errors are less than 2^-50.
        for step in np.flatnonzero(np.abs(precision - float(choice.limit)) < 2.0**-50).tolist():
            fp, tp = point_at(fps, tps, step)
            precision[step] = float(_precision_of(_Point(tp / n_pos, fp / n_neg, p1, p0)))
    return precision


def rates_at_prevalence(matrix: ConfusionMatrix, choice: Choice) -> dict[str, float]:
    """Return precision and accuracy at the chosen prevalence."""
    rates = {"precision": matrix.precision, "accuracy": matrix.accuracy}
    if not math.isnan(rates["accuracy"]):
        tn, fp, fn, tp = map(as_fraction, matrix)
        at = _Point(tp / (tp + fn), fp / (fp + tn), *_shares((fp + tn, tp + fn), choice.prevalence))
        rates["accuracy"] = float(_accuracy(at))
        if tp + fp > 0:
            rates["precision"] = float(_precision_of(at))
    return {f"{name}_at_prevalence": rate for name, rate in rates.items()}


def net_benefit_points(
    counts: ThresholdCounts, thresholds: NDArray[np.float64] | None, prevalence: Fraction | None
) -> Points:
    """Return ``net_benefit, net_benefit_all, thresholds``; by default at the scores below 1.

    tp - fp p / (1 - p), of shares of all rows. A share has up to three roundings, the odds have
    two, their product and the difference one each: the error is below 2^-49 times the larger term.
    """
    if thresholds is None:
        scores = counts.lows.astype(np.float64)
        n_groups = np.flatnonzero(scores < 1) + 1
        thresholds = scores[n_groups - 1]
    else:
        n_groups = len(counts.lows) - np.searchsorted(counts.lows[::-1], thresholds)
    n_neg, n_pos = totals = counts.totals
    p1, p0 = map(float, _shares(totals, prevalence))
    if prevalence is None:
        tp, fp = (column / float(n_pos + n_neg) for column in (counts.tps, counts.fps))
    else:
        warn_if_undefined(counts.tps[-1], counts.fps[-1])
        tp = p1 * (counts.tps / (float(n_pos) or math.nan))
        fp = p0 * (counts.fps / (float(n_neg) or math.nan))
    odds = thresholds / (1 - thresholds)
    net_benefit = prepend(0, tp)[n_groups] - prepend(0, fp)[n_groups] * odds
    return net_benefit, p1 - p0 * odds, thresholds


def bounded_threshold(
    counts: ThresholdCounts, choice: Choice
) -> tuple[OptimalThreshold, float, float]:
    """Return the best of the known thresholds, and bounds of the best possible value.

    The edges of bins are thresholds, so one bound is the value found. Every criterion is better
    for more true positives and for fewer false ones. A threshold inside a bin has at most the
    positives to the end of the bin, and at least the negatives before it: as if the positives of
    the bin came first. The best threshold of these counts is the other bound. The equal error
    rate lies between the two curves on which the positives or the negatives come first.
    """
    found = find_threshold(counts, choice)
    if found.value != found.value:
        return found, found.value, found.value
    lower = upper = found.value
    if counts.is_mixed is not None:
        values = [found.value]
        for positives_first in [True, False] if choice.method == "equal_error_rate" else [True]:
            inside = _sorted_inside(counts, counts.is_mixed, positives_first)
            values.append(_best_value(inside, choice, find_point(inside, choice)))
        lower, upper = min(values), max(values)
    if counts.is_weighted and not counts.exact:
        slack = _slack(counts, choice)
        lower, upper = lower - slack, upper + slack
    return found, lower, upper


def _sorted_inside(
    counts: ThresholdCounts, is_mixed: NDArray[np.bool_], positives_first: bool
) -> ThresholdCounts:
    """Return steps in which one class of each bin of several scores comes first."""
    before_fps, before_tps = (np.append(0, each[:-1]) for each in (counts.fps, counts.tps))
    is_mixed = is_mixed & (counts.fps > before_fps) & (counts.tps > before_tps)
    bins = np.flatnonzero(is_mixed)
    fps_inside, tps_inside = (
        (before_fps, counts.tps) if positives_first else (counts.fps, before_tps)
    )
    fps = np.insert(counts.fps, bins, fps_inside[bins].astype(counts.fps.dtype))
    tps = np.insert(counts.tps, bins, tps_inside[bins].astype(counts.tps.dtype))
    lows = np.insert(counts.lows, bins, counts.lows[bins])
    return ThresholdCounts(fps, tps, lows, lows)


def _slack(counts: ThresholdCounts, choice: Choice) -> float:
    """Return how far rounded weights can move a value.

    Each count is a double next to a sum that is off by ``off``. The rates are off by 2^-52 and
    twice ``off`` by the weight of the rarer class, and the value by fewer than eight times that,
    by the greatest value there can be.
    """
    n_neg, n_pos = counts.totals
    off = counts.weight_error / min(n_neg, n_pos)
    scale = sum(map(as_fraction, _amounts(choice).values()), Fraction(0)) or 1
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
