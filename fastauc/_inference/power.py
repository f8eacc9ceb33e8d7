"""Power and sample size of tests of areas.

After Obuchowski: an area of a normal score has the variance V / n_pos, where V depends on the area
and on the number of negatives per positive, and the test of a difference d has n_pos d^2 =
(z_alpha sqrt(V0) + z_beta sqrt(V))^2, with V0 as the variance if there is no difference.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from fastauc._inference.distributions import normal_quantile, normal_tail
from fastauc._validation.options import check_number, check_option

ALTERNATIVES = ("two-sided", "one-sided")


class RocAucSampleSize(NamedTuple):
    """How many rows of each class a test needs.

    Attributes
    ----------
    n_pos, n_neg : int
        Positives, and negatives.

    Examples
    --------
    >>> from fastauc import roc_auc_sample_size
    >>> roc_auc_sample_size(0.8, ratio=2)
    RocAucSampleSize(n_pos=10, n_neg=20)
    """

    n_pos: int
    n_neg: int


RocAucSampleSize.__module__ = "fastauc"


class _Variances(NamedTuple):
    """The difference to be found, and n_pos times the variance of its estimate.

    ``null`` if there is no difference, ``actual`` if there is.
    """

    difference: float
    null: float
    actual: float


def roc_auc_power(
    auc: float,
    n_pos: float,
    n_neg: float,
    *,
    auc_b: float | None = None,
    correlation_pos: float = 0.0,
    correlation_neg: float = 0.0,
    alpha: float = 0.05,
    alternative: str = "two-sided",
) -> float:
    """Return the probability that a test shows that two areas differ, or one from one half.

    Parameters
    ----------
    auc : float in [0.5, 1)
        The supposed area.
    n_pos, n_neg : float
        Rows of each class, more than 0.
    auc_b : float in [0.5, 1), optional
        The supposed area of a second score; if left out, the first is compared with 1/2.
    correlation_pos, correlation_neg : float in [-1, 1]
        The correlation of the two scores among the positives and among the negatives; 0 also stands
        for two samples of that size each.
    alpha : float in (0, 1)
        The probability that the test shows a difference where there is none.
    alternative : {"two-sided", "one-sided"}
        Whether the test would also show a difference in the other direction.

    Returns
    -------
    float
        In [0, 1].

    Raises
    ------
    InvalidParameterError
        For a number outside its domain; it is a ValueError and a TypeError.
    ValueError
        For equal areas.

    Notes
    -----
    For normal scores with the same spread in both classes, after Obuchowski and McClish [1]_, whose
    variance is on the safe side. The formula of [2]_ for one area, which pROC has, is the same with
    two constants rounded, 1 / (32 pi) to 0.0099 and the root of 2 to 1.414: its numbers of rows are
    up to 0.5 % smaller.

    The formulas are 4 and 5 of [1]_. O(1) time; no rows are looked at.

    References
    ----------
    .. [1] N. A. Obuchowski and D. K. McClish, "Sample size determination for diagnostic accuracy
       studies involving binormal ROC curve indices", Statist. Med. 16 (1997) 1529-1542.
    .. [2] N. A. Obuchowski, M. L. Lieber and F. H. Wians, "ROC curves in clinical chemistry: uses,
       misuses, and possible solutions", Clin. Chem. 50 (2004) 1118-1125.

    Examples
    --------
    >>> from fastauc import roc_auc_power
    >>> round(roc_auc_power(0.73, 41, 72), 4)
    0.9895
    """
    function = "roc_auc_power"
    for name, value in {"n_pos": n_pos, "n_neg": n_neg}.items():
        _check_positive(value, name, function)
    correlations = correlation_pos, correlation_neg
    _check_test(auc, auc_b, correlations, alpha, alternative, function)
    difference, null, actual = _variances(auc, auc_b, n_neg / n_pos, correlations)
    found = math.sqrt(n_pos) * difference - _critical(alpha, alternative) * math.sqrt(null)
    if actual == 0:
        return float(found > 0)
    return normal_tail(-found / math.sqrt(actual))


def roc_auc_sample_size(
    auc: float,
    *,
    power: float = 0.8,
    ratio: float = 1.0,
    auc_b: float | None = None,
    correlation_pos: float = 0.0,
    correlation_neg: float = 0.0,
    alpha: float = 0.05,
    alternative: str = "two-sided",
) -> RocAucSampleSize:
    """Return how many rows show that two areas differ, or one from one half.

    Parameters
    ----------
    auc : float in [0.5, 1)
        The supposed area.
    power : float in (0, 1)
        The probability that the test shows the difference.
    ratio : float
        Negatives for each positive, more than 0.
    auc_b : float in [0.5, 1), optional
        The supposed area of a second score; if left out, the first is compared with 1/2.
    correlation_pos, correlation_neg : float in [-1, 1]
        The correlation of the two scores among the positives and among the negatives; 0 also stands
        for two samples of that size each.
    alpha : float in (0, 1)
        The probability that the test shows a difference where there is none.
    alternative : {"two-sided", "one-sided"}
        Whether the test would also show a difference in the other direction.

    Returns
    -------
    RocAucSampleSize
        The least ``n_pos`` with the power, and ``n_neg``, ``ratio`` times the exact value of it;
        both rounded up.

    Raises
    ------
    InvalidParameterError
        For a number outside its domain; it is a ValueError and a TypeError.
    ValueError
        For equal areas.

    Notes
    -----
    ``roc_auc_power`` has the formula and its sources.

    O(1) time.

    Examples
    --------
    >>> from fastauc import roc_auc_sample_size
    >>> roc_auc_sample_size(0.8, auc_b=0.75, correlation_pos=0.6, correlation_neg=0.6)
    RocAucSampleSize(n_pos=405, n_neg=405)
    """
    function = "roc_auc_sample_size"
    expected = "a float in the range (0.0, 1.0)"
    check_number(power, "power", expected, lambda share: 0 < share < 1, function)
    _check_positive(ratio, "ratio", function)
    correlations = correlation_pos, correlation_neg
    _check_test(auc, auc_b, correlations, alpha, alternative, function)
    difference, null, actual = _variances(auc, auc_b, ratio, correlations)
    reach = _critical(alpha, alternative) * math.sqrt(null)
    reach += normal_quantile(1 - power) * math.sqrt(actual)
    n_pos = max(0.0, reach / difference) ** 2
    return RocAucSampleSize(max(1, math.ceil(n_pos)), max(1, math.ceil(ratio * n_pos)))


def _check_positive(value: float, name: str, function: str) -> None:
    expected = "a finite float of more than 0"
    check_number(value, name, expected, lambda number: 0 < number < math.inf, function)


def _check_test(
    auc: float,
    auc_b: float | None,
    correlations: tuple[float, float],
    alpha: float,
    alternative: str,
    function: str,
) -> None:
    areas = {"auc": auc} if auc_b is None else {"auc": auc, "auc_b": auc_b}
    for name, area in areas.items():
        expected = "a float in the range [0.5, 1.0)"
        check_number(area, name, expected, lambda value: 0.5 <= value < 1, function)
    for name, value in zip(("correlation_pos", "correlation_neg"), correlations, strict=True):
        expected = "a float in the range [-1.0, 1.0]"
        check_number(value, name, expected, lambda number: -1 <= number <= 1, function)
    expected = "a float in the range (0.0, 1.0)"
    check_number(alpha, "alpha", expected, lambda share: 0 < share < 1, function)
    check_option(alternative, "alternative", ALTERNATIVES, function)
    if auc == (0.5 if auc_b is None else auc_b):
        raise ValueError(f"auc is {auc}, the area that it is compared with; expected another.")


def _critical(alpha: float, alternative: str) -> float:
    return normal_quantile(alpha / 2 if alternative == "two-sided" else alpha)


def _variances(
    auc: float, auc_b: float | None, ratio: float, correlations: tuple[float, float]
) -> _Variances:
    """Return the variances of a difference with ``ratio`` negatives for each positive."""
    first = _separation(auc)
    own = _variance(first, ratio)
    if auc_b is None:
        return _Variances(auc - 0.5, _variance(0.0, ratio), own)
    second = _separation(auc_b)
    both = _covariance(first, second, ratio, correlations)
    null, actual = 2 * own - 2 * both, own + _variance(second, ratio) - 2 * both
    # Areas far apart, that correlated scores cannot have, may leave less than nothing.
    return _Variances(abs(auc - auc_b), max(0.0, null), max(0.0, actual))


def _separation(auc: float) -> float:
    """Return the distance of the means of normal scores with this area, in their deviations."""
    return math.sqrt(2) * normal_quantile(1 - auc)


def _slopes(a: float) -> tuple[float, float]:
    """Return how the area depends on the separation a, and on the ratio of the deviations at 1."""
    by_separation = math.exp(-a * a / 4) / math.sqrt(4 * math.pi)
    return by_separation, -a / 2 * by_separation


def _variance(a: float, ratio: float) -> float:
    """Return n_pos times the variance of an area: formula 4 of Obuchowski and McClish (1997).

    It leaves out the covariance of the two parameters, and so is on the safe side.
    """
    by_a, by_b = _slopes(a)
    return by_a**2 * (1 + 1 / ratio + a * a / 2) + by_b**2 * (1 + ratio) / (2 * ratio)


def _covariance(a1: float, a2: float, ratio: float, correlations: tuple[float, float]) -> float:
    """Return n_pos times the covariance of two areas: their formula 5."""
    pos, neg = correlations
    (by_a1, by_b1), (by_a2, by_b2) = _slopes(a1), _slopes(a2)
    return (
        by_a1 * by_a2 * (pos + neg / ratio + pos**2 * a1 * a2 / 2)
        + by_b1 * by_b2 * (neg**2 + ratio * pos**2) / (2 * ratio)
        + (by_a1 * by_b2 * a1 + by_a2 * by_b1 * a2) * pos**2 / 2
    )
