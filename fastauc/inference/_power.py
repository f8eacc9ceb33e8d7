"""``roc_auc_power``: power, sample size, level, detectable AUC and width of an interval.

Power and width follow from the supposed AUCs, the numbers of rows and the level; whatever else is
asked for is found from them by bisection.

With normal scores the covariance of the AUCs of a sample is known without approximation: it is made
of the covariances of two comparisons of a positive with a negative that share both rows, the
positive, or the negative, each a probability of the bivariate normal distribution. So is the mean
of DeLong's estimate of it. The statistic of ``roc_auc_test`` is a function of the AUCs of the
sample and of this estimate, which varies with them; it is taken to be normal, with the standard
deviation that the delta method gives.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any, NamedTuple, get_args

import numpy as np
from numpy.typing import ArrayLike

from fastauc._tables import result
from fastauc._validation.arrays import Array
from fastauc._validation.columns import read_models
from fastauc._validation.errors import invalid_parameter, warn_undefined
from fastauc._validation.labels import Label
from fastauc._validation.literals import AlternativeOfPower
from fastauc._validation.options import (
    check_integer,
    check_number,
    check_option,
    check_positive,
    is_real,
    refuse_given,
)
from fastauc._validation.threads import Workers
from fastauc.inference._delong import Spread, compare_areas, satterthwaite
from fastauc.inference._distributions import normal_quantile, normal_tail, student_quantile
from fastauc.inference._pivots import Pivot, default_of_difference, pivot_of

_FUNCTION = "roc_auc_power"
_NON_INFERIORITY = "non-inferiority"
ALTERNATIVES = get_args(AlternativeOfPower)
# Where a search ends: the size of the largest sample, an AUC near 0 or 1, and the lowest level.
_MOST_ROWS, _NEAR_AN_END, _LEAST_ALPHA = 2.0**32, 1e-9, 1e-300


@result("fastauc.inference")
class RocAucPower(NamedTuple):
    """A plan of ``roc_auc_power``: the given quantities and the one that was found.

    Attributes
    ----------
    solved_for : str
        The quantity that was found: "power", "n_pos", "n_neg", "alpha" or "auc".
    auc, auc_b : float
        The supposed AUC, and that of the second score or the constant it is compared with.
    n_pos, n_neg : int
        The numbers of rows.
    alpha : float
        The significance level; the confidence level of the interval is 1 minus it.
    power : float
        The probability that the test rejects, with these numbers of rows.
    width : float
        The expected width of the interval for the AUC, or for the difference of two. NaN for a
        one-sided alternative.
    alternative : str
        The alternative hypothesis.
    margin, correlation_pos, correlation_neg, sd_ratio : float or None
        As they were given; None if they do not apply.
    method : str
        "delong", or "delong, pilot".

    Examples
    --------
    >>> from fastauc.inference import roc_auc_power
    >>> plan = roc_auc_power(auc=0.8, power=0.9)
    >>> plan.n_pos, plan.n_neg, round(plan.power, 3)
    (18, 18, 0.912)
    """

    solved_for: str
    auc: float
    auc_b: float
    n_pos: float
    n_neg: float
    alpha: float
    power: float
    width: float
    alternative: str
    margin: float | None
    correlation_pos: float | None
    correlation_neg: float | None
    sd_ratio: float | None
    method: str


def roc_auc_power(
    *,
    auc: float | None = None,
    auc_b: float | None = None,
    constant: float | None = None,
    n_pos: int | None = None,
    n_neg: int | None = None,
    ratio: float | None = None,
    alpha: float | None = 0.05,
    power: float | None = None,
    width: float | None = None,
    correlation: ArrayLike | None = None,
    margin: float | None = None,
    alternative: AlternativeOfPower = "two-sided",
    sd_ratio: float | None = None,
    pilot: Any = None,
    pos_label: Label | None = None,
) -> RocAucPower:
    """Plan a test or an interval of AUCs: find the one quantity that is left out.

    Give all but one of ``auc``, the numbers of rows, ``alpha``, and ``power`` or ``width``; without
    the last two, both are found.

    Parameters
    ----------
    auc : float in (0, 1), optional
        The supposed AUC. If it is left out: the one nearest to the AUC that it is compared with,
        below it for "less", above it otherwise.
    auc_b : float in (0, 1), optional
        The supposed AUC of a second score on the same rows.
    constant : float in (0, 1), optional
        The constant that the AUC of a single score is compared with; by default 1/2.
    n_pos, n_neg : int, optional
        The numbers of positives and negatives, two or more.
    ratio : float, optional
        The number of negatives per positive if both are looked for; by default 1.
    alpha : float in (0, 1) or None
        The significance level (type I error rate); None to look for it.
    power : float in (0, 1), optional
        The probability that the test rejects: the default one of ``roc_auc_test`` or, for a
        constant, of ``roc_auc_test_1samp``.
    width : float in (0, 1), optional
        The expected width of the interval of level 1 - alpha: that of ``roc_auc_ci`` or, for two
        scores, of ``roc_auc_test``.
    correlation : float in [-1, 1], or two of them, optional
        The correlation of the two scores within each class, or among the positives and among the
        negatives. 0, the default, also means two independent samples of that size each.
    margin : float in (0, 1), optional
        The smallest difference that matters, for "non-inferiority" of two scores.
    alternative : {"two-sided", "less", "greater", "non-inferiority"}
        The alternative hypothesis, as for ``roc_auc_test``.
    sd_ratio : float, optional
        The standard deviation of the negatives' scores divided by that of the positives': the slope
        of the binormal curve, the same for both scores; by default 1.
    pilot : tuple (y_true, score_a, score_b), optional
        A sample whose AUCs and DeLong variances replace supposed AUCs and normal scores;
        ``score_b`` may be a number in (0, 1) to compare the AUC with. Its share of positives need
        not be the planned one.
    pos_label : int, float, bool or str, optional
        The label of the positive class of the pilot sample, as for ``roc_auc_test``.

    Returns
    -------
    RocAucPower
        The given quantities and the one that was found. Numbers of rows are rounded up; power and
        width are computed from these numbers. NaN, with an ``UndefinedMetricWarning``, if no number
        of rows reaches the given power or width.

    Raises
    ------
    ValueError
        If not exactly one quantity is left out; for an argument that does not apply; for a pilot
        sample that ``roc_auc_test`` refuses, that has fewer than two rows of a class, or whose
        difference or variance is 0.
    InvalidParameterError
        For a number outside its range; it is both a ValueError and a TypeError.
    OverflowError
        For a pilot sample of 2^32 rows or more.

    Notes
    -----
    Normal scores are assumed, so no ties. The power is within 0.02 of that of the test for AUCs up
    to 0.9 and 30 rows or more of each class; see "Planning" in the manual. The covariance of the
    AUCs of normal scores is R. L. Plackett's integral, Biometrika 41 (1954) 351-360.

    With a pilot sample the standard error is the estimated one and does not vary with the AUCs. The
    difference in a small pilot sample may be far from the true one, and so may this power: at the
    sizes of the pilot sample itself, it says no more than the p-value of the test.

    A fifth of a second at most; with a pilot sample O(n log n).

    Examples
    --------
    >>> from fastauc.inference import roc_auc_power
    >>> round(roc_auc_power(auc=0.73, n_pos=41, n_neg=72).power, 3)
    0.99
    >>> plan = roc_auc_power(auc=0.85, auc_b=0.75, correlation=0.5, power=0.8, ratio=2)
    >>> plan.n_pos, plan.n_neg
    (63, 125)
    >>> roc_auc_power(auc=0.8, width=0.1).n_pos
    150
    """
    is_pilot = pilot is not None
    areas = {"auc": auc, "auc_b": auc_b, "constant": constant}
    of_scores = {"correlation": correlation, "sd_ratio": sd_ratio}
    of_two = {"correlation": correlation, "margin": margin}
    check_option(alternative, "alternative", ALTERNATIVES, _FUNCTION)
    for applies, arguments, reason in (
        (power is not None, {"width": width}, "and so is power; expected one of them."),
        (n_pos is not None or n_neg is not None, {"ratio": ratio}, "and so is n_pos or n_neg."),
        (auc_b is not None, {"constant": constant}, "and so is auc_b; expected one of them."),
        (is_pilot, areas | of_scores, "but the pilot sample tells it."),
        (not is_pilot, {"pos_label": pos_label}, "but pilot is None."),
        (not is_pilot and auc_b is None, of_two, "but auc_b is None: there is no second score."),
        (alternative != _NON_INFERIORITY, {"margin": margin}, f"but {alternative=} has none."),
        (alternative != "two-sided", {"width": width}, f"but {alternative=} has none."),
    ):
        if applies:
            refuse_given(arguments, reason)
    for name, share in (areas | {"alpha": alpha, "power": power, "width": width}).items():
        _check_share(share, name, optional=True)
    _check_share(margin, "margin", optional=alternative != _NON_INFERIORITY)
    for name, quotient in {"ratio": ratio, "sd_ratio": sd_ratio}.items():
        if quotient is not None:
            check_positive(quotient, name, _FUNCTION)
    for name, n_rows in {"n_pos": n_pos, "n_neg": n_neg}.items():
        if n_rows is not None:
            check_integer(n_rows, name, 2, _FUNCTION)
    if pilot is not None:
        auc, design = _read_pilot(pilot, alternative, margin, pos_label)
    else:
        reference = next(float(area) for area in (auc_b, constant, 0.5) if area is not None)
        scores = _read_correlation(correlation), float(sd_ratio or 1)
        design = Design(reference, auc_b is not None, alternative, float(margin or 0), *scores)

    auc, alpha = (None if share is None else float(share) for share in (auc, alpha))
    known: dict[str, Any] = {"auc": auc, "n_pos": n_pos, "n_neg": n_neg, "alpha": alpha}
    if n_pos is n_neg is None:
        del known["n_neg"]  # it follows from n_pos
    left_out = [name for name in known if known[name] is None]
    left_out += ["power"] if power is width is None else []
    if len(left_out) != 1 or (left_out == ["auc"] and width is not None):
        raise ValueError(
            f"{', '.join(left_out) or 'Nothing'} left out; expected exactly one of: auc, unless "
            "width is given; n_pos, n_neg or both; alpha; power."
        )
    (solved_for,) = left_out
    negatives = 1.0 if ratio is None else float(ratio)

    def case_of(value: float) -> dict[str, Any]:
        case = known if solved_for == "power" else known | {solved_for: value}
        return {"n_neg": negatives * case["n_pos"]} | case

    def reaches(value: float) -> bool:
        case = case_of(value)
        if power is not None:
            return power_of(design, **case) >= power
        return width_of(design, **case) <= (width or 0)

    farthest = _NEAR_AN_END if alternative == "less" else 1 - _NEAR_AN_END
    low, high = {
        "auc": (max(_NEAR_AN_END, design.reference - design.margin), farthest),
        "alpha": (_LEAST_ALPHA, 1 - 2.0**-53),
    }.get(solved_for, (max(2.0, 2 / negatives), _MOST_ROWS))
    value = low if solved_for == "power" else _first(reaches, low, high)
    case = case_of(value)
    if math.isnan(value):
        warn_undefined(f"No {solved_for} is enough for {power=}, {width=}.")
        found = [math.nan if goal is None else goal for goal in (power, width)]
    else:
        case |= {name: math.ceil(case[name]) for name in ("n_pos", "n_neg")}
        found = [power_of(design, **case), width_of(design, **case)]
    of_normal = design.correlations if design.has_second and not is_pilot else (None, None)
    return RocAucPower(
        solved_for=solved_for,
        auc_b=design.reference,
        power=found[0],
        width=found[1],
        alternative=alternative,
        margin=margin,
        correlation_pos=of_normal[0],
        correlation_neg=of_normal[1],
        sd_ratio=None if is_pilot else design.sd_ratio,
        method="delong, pilot" if is_pilot else "delong",
        **case,
    )


def _first(reaches: Callable[[float], bool], low: float, high: float) -> float:
    """Return the number nearest to ``low`` that reaches what is asked for; NaN if none does."""
    if reaches(low):
        return low
    if not reaches(high):
        return math.nan
    while True:
        middle = (low + high) / 2
        if middle in (low, high):
            return high
        low, high = (low, middle) if reaches(middle) else (middle, high)


def _read_correlation(correlation: Any) -> tuple[float, float]:
    if correlation is None:
        return 0.0, 0.0
    both = (correlation, correlation) if is_real(correlation) else correlation
    expected = "a float in the range [-1.0, 1.0], or two of them"
    if not (isinstance(both, (tuple, list)) and len(both) == 2):
        raise invalid_parameter(_FUNCTION, "correlation", expected, correlation)
    for value in both:
        check_number(value, "correlation", expected, lambda number: -1 <= number <= 1, _FUNCTION)
    return float(both[0]), float(both[1])


def _check_share(value: object, name: str, *, optional: bool) -> None:
    if value is not None or not optional:
        expected = "a float in the range (0.0, 1.0)"
        check_number(value, name, expected, lambda share: 0 < share < 1, _FUNCTION)


def _read_pilot(
    pilot: Any, alternative: str, margin: float | None, pos_label: Label | None
) -> tuple[float, Design]:
    """Return the first AUC of a sample, and the design for its AUCs and variances."""
    if not (isinstance(pilot, (tuple, list)) and len(pilot) == 3):
        expected = "a tuple (y_true, score_a, score_b)"
        raise invalid_parameter(_FUNCTION, "pilot", expected, type(pilot))
    y_true, score_a, score_b = pilot
    is_constant = is_real(score_b)
    if is_constant:
        _check_share(score_b, "score_b", optional=False)
        refuse_given({"margin": margin}, "but score_b is a number; move it by the margin.")
    with Workers(None) as workers:
        scores = {"score_a": score_a} | ({} if is_constant else {"score_b": score_b})
        models = read_models((_FUNCTION, workers, pos_label, "raise"), y_true, scores)
        sample = models.weighted_sample(0)
        sizes = {"positive": sample.n_pos, "negative": sample.n_neg}
        for name, n_rows in sizes.items():
            if n_rows < 2:
                raise ValueError(
                    f"y_true has {n_rows} {name} rows; expected two or more of each class."
                )
        found = compare_areas(models, workers)
    pos, neg = (n_rows * of_class.astype(np.float64) for of_class, n_rows in found.parts)
    area, reference = (float(value) for value in (*found.areas, score_b)[:2])
    # In place of what pairs with the same rows share, which makes the parts those of DeLong.
    shared = np.stack([pos + neg, pos, neg])
    design = Design(reference, not is_constant, alternative, float(margin or 0), shared=shared)
    variance = math.fsum(parts_of_variance(shared, 1, 1))
    if area - reference + design.margin == 0 or variance == 0:
        raise ValueError(
            f"The AUCs of the pilot sample are {area} and {reference}, and the variance of the "
            f"difference for one row of each class is {variance}; expected a difference from the "
            "null hypothesis, and a variance above 0."
        )
    return area, design


_SIGNS = np.array([1.0, -1.0])
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(64)


class Design(NamedTuple):
    """What is compared, and how.

    Attributes
    ----------
    reference : float
        The AUC of the second score, or a constant.
    has_second, alternative, margin
        Whether there is a second score; and as for ``roc_auc_power``.
    correlations, sd_ratio
        Of normal scores.
    shared : float64 array or None
        In place of normal scores: what ``_shared_by_normal`` returns, from a pilot sample.
    """

    reference: float
    has_second: bool
    alternative: str
    margin: float
    correlations: tuple[float, float] = (0.0, 0.0)
    sd_ratio: float = 1.0
    shared: Array | None = None


def power_of(design: Design, auc: float, n_pos: float, n_neg: float, alpha: float) -> float:
    """Return the probability that the default test of ``roc_auc_test`` rejects."""
    areas = (auc, design.reference) if design.has_second else (auc,)
    statistic, pivot = _test(design, areas, n_pos, n_neg)
    if design.shared is None:
        slopes = np.empty(len(areas))
        for k, area in enumerate(areas):
            step = 1e-4 * area * (1 - area)  # its square is the order of the error
            ends = [(*areas[:k], area + by, *areas[k + 1 :]) for by in (-step, step)]
            less, more = (_test(design, end, n_pos, n_neg)[0] for end in ends)
            slopes[k] = (more - less) / (2 * step)
    else:
        difference = auc - design.reference + design.margin
        slopes = _SIGNS[: len(areas)] * statistic / difference
    both, pos, neg = _shared(design, areas)
    covariance = (both + (n_neg - 1) * pos + (n_pos - 1) * neg) / (n_pos * n_neg)
    deviation = math.sqrt(max(0.0, slopes @ covariance @ slopes))
    tail = alpha / 2 if design.alternative == "two-sided" else alpha
    critical = student_quantile(tail, pivot.df)
    above, below = (_tail(critical - found, deviation) for found in (statistic, -statistic))
    return {"two-sided": above + below, "less": below}.get(design.alternative, above)


def width_of(design: Design, auc: float, n_pos: float, n_neg: float, alpha: float) -> float:
    """Return the width of the two-sided interval for a sample that is as supposed."""
    if design.alternative != "two-sided":
        return math.nan
    areas = (auc, design.reference) if design.has_second else (auc,)
    _, pivot = _test(design, areas, n_pos, n_neg)
    low, high = pivot.bounds(student_quantile(alpha / 2, pivot.df))
    return high - low


def _test(
    design: Design, areas: tuple[float, ...], n_pos: float, n_neg: float
) -> tuple[float, Pivot]:
    """Return the statistic and the pivot for a sample that is as supposed."""
    parts, sizes = parts_of_variance(_shared(design, areas), n_pos, n_neg), (n_pos, n_neg)
    variance = max(0.0, math.fsum(parts))
    if not design.has_second:
        pivot = pivot_of(Spread(Fraction(areas[0]), variance, sizes))
        return pivot.distance_from(Fraction(design.reference)), pivot
    spread = Spread(areas[0] - areas[1], variance, sizes, mean=math.fsum(areas) / 2)
    df = satterthwaite(list(zip(parts, sizes, strict=True)))
    pivot = default_of_difference(
        spread._replace(df_of_parts=df, least=min(sizes)), design.margin != 0
    )
    return pivot.distance_from(-design.margin), pivot


def parts_of_variance(shared: Array, n_pos: float, n_neg: float) -> tuple[float, float]:
    """Return the means of the parts of DeLong's variance, of positives and of negatives."""
    signs = _SIGNS[: shared.shape[1]]
    both, pos, neg = (float(signs @ matrix @ signs) for matrix in shared)
    pairs = n_pos * n_neg
    return (both + (n_neg - 1) * pos - neg) / pairs, (both + (n_pos - 1) * neg - pos) / pairs


def _shared(design: Design, areas: tuple[float, ...]) -> Array:
    if design.shared is not None:
        return design.shared
    return _shared_by_normal(areas, design.correlations, design.sd_ratio)


@functools.lru_cache(maxsize=16)
def _shared_by_normal(
    areas: tuple[float, ...], correlations: tuple[float, float], sd_ratio: float
) -> Array:
    """Return the covariances of two comparisons that share both rows, the positive or the negative.

    For every two scores: shape (3, n_scores, n_scores). A comparison is whether a normal difference
    of two scores is above 0. Two of them are correlated through the rows that they share, by r;
    their covariance is the integral of the bivariate normal density at the deviates over the
    correlations from 0 to r (Plackett 1954), here over their arc sines.
    """
    deviates = np.array([-normal_quantile(area) for area in areas])
    pos, neg = (np.where(np.eye(len(areas), dtype=bool), 1.0, r) for r in correlations)
    of_pos = pos / (1 + sd_ratio**2)
    of_neg = neg - neg / (1 + sd_ratio**2)
    half = np.arcsin(np.clip([of_pos + of_neg, of_pos, of_neg], -1, 1)) / 2
    sine = np.sin(half[..., None] * (1 + _NODES))
    first, second = deviates[:, None, None], deviates[None, :, None]
    exponent = (first - second) ** 2 / (2 * (1 - sine**2)) + first * second / (1 + sine)
    covariances: Array = half * (np.exp(-exponent) @ _WEIGHTS) / (2 * math.pi)
    return covariances


def _tail(distance: float, deviation: float) -> float:
    """Return the probability that a normal deviate with mean 0 is above a distance."""
    return normal_tail(distance / deviation) if deviation else float(distance < 0)
