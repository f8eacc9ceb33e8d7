"""Power analysis for tests of AUCs: power, sample size, significance level, detectable AUC.

After Obuchowski: the AUC of a normal score has the variance V / n_pos, where V depends on the AUC
and on the number of negatives per positive, and a test of a difference d has n_pos d^2 = (z_alpha
sqrt(V0) + z_beta sqrt(V))^2, with V0 as the variance under the null hypothesis. Each function
solves this equation for a different term.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any, NamedTuple

from numpy.typing import ArrayLike

from fastauc._tables import result
from fastauc._validation.arrays import as_fraction
from fastauc._validation.columns import read_models
from fastauc._validation.errors import warn_undefined
from fastauc._validation.labels import Label
from fastauc._validation.options import check_number, check_option, is_real, refuse_given
from fastauc._validation.threads import Workers
from fastauc.inference._delong import products_of_rows
from fastauc.inference._distributions import normal_quantile, normal_tail

_NON_INFERIORITY = "non-inferiority"
ALTERNATIVES = ("two-sided", "one-sided", _NON_INFERIORITY)


@result("fastauc.inference")
class RocAucSampleSize(NamedTuple):
    """The number of rows of each class that a test needs.

    Attributes
    ----------
    n_pos, n_neg : int
        Positives, and negatives.

    Examples
    --------
    >>> from fastauc.inference import roc_auc_sample_size
    >>> roc_auc_sample_size(0.8, ratio=2)
    RocAucSampleSize(n_pos=10, n_neg=20)
    """

    n_pos: int
    n_neg: int


class Variances(NamedTuple):
    """The difference to detect, and n_pos times the variance of its estimate.

    ``null`` under the null hypothesis, ``actual`` under the alternative.
    """

    difference: float
    null: float
    actual: float

    def power(self, n_pos: float, alpha: float, alternative: str) -> float:
        """Return the probability that n_pos positives detect the difference."""
        found = math.sqrt(n_pos) * self.difference
        found -= _critical(alpha, alternative) * math.sqrt(self.null)
        if self.actual == 0:
            return float(found > 0)
        return normal_tail(-found / math.sqrt(self.actual))

    def sample_size(
        self, power: float, ratio: float, alpha: float, alternative: str
    ) -> RocAucSampleSize:
        """Return the minimum numbers of rows that detect the difference with this power."""
        reach = _critical(alpha, alternative) * math.sqrt(self.null)
        reach += normal_quantile(1 - power) * math.sqrt(self.actual)
        n_pos = max(0.0, reach / self.difference) ** 2
        return RocAucSampleSize(max(1, math.ceil(n_pos)), max(1, math.ceil(ratio * n_pos)))

    def alpha(self, n_pos: float, power: float, alternative: str) -> float:
        """Return the lowest level at which n_pos positives detect the difference."""
        reach = math.sqrt(n_pos) * self.difference
        reach -= normal_quantile(1 - power) * math.sqrt(self.actual)
        if self.null == 0:
            return float(reach <= 0)
        tail = normal_tail(reach / math.sqrt(self.null))
        return min(1.0, 2 * tail) if alternative == "two-sided" else tail


class _Plan(NamedTuple):
    """What the AUC is compared with, and by which test."""

    auc_b: float | None
    correlation_pos: float
    correlation_neg: float
    sd_ratio: float
    alternative: str
    margin: float | None


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
    sd_ratio: float = 1.0,
    margin: float | None = None,
) -> float:
    """Return the power of a test that compares two AUCs, or one AUC with one half.

    Parameters
    ----------
    auc : float in [0.5, 1)
        The hypothesized AUC.
    n_pos, n_neg : float
        The number of rows in each class, above 0.
    auc_b : float in [0.5, 1), optional
        The hypothesized AUC of a second score; by default, the first is compared with 1/2.
    correlation_pos, correlation_neg : float in [-1, 1]
        The correlation of the two scores among the positives and among the negatives; 0 also means
        two independent samples of that size each.
    alpha : float in (0, 1)
        The significance level (type I error rate).
    alternative : {"two-sided", "one-sided", "non-inferiority"}
        Whether the test is two-sided or one-sided; or, for "non-inferiority", tests that ``auc`` is
        not lower than ``auc_b`` by the margin or more.
    sd_ratio : float
        The ratio of the standard deviation of the negatives' scores to that of the positives',
        above 0: the slope of the binormal curve. The same for both scores.
    margin : float in (0, 1), optional
        The smallest difference that matters, for "non-inferiority".

    Returns
    -------
    float
        The power, in [0, 1].

    Raises
    ------
    InvalidParameterError
        For a number outside its range; it is both a ValueError and a TypeError.
    ValueError
        For equal AUCs, or with a margin for an AUC that is not above ``auc_b`` minus the margin.

    Notes
    -----
    Assumes normal scores, after Obuchowski and McClish [1]_. Their variance omits a negative term,
    so the true power of a comparison of two scores is greater than that returned, especially if
    they are correlated: 0.86 instead of 0.76 in a simulation with AUCs of 0.85 and 0.75 and a
    correlation of 0.5. For an AUC against 1/2, it was 0.985 instead of 0.989, and 0.85 instead of
    0.89 with ``sd_ratio=2``.

    "non-inferiority" is the one-sided test of ``roc_auc_test``, with the variance at the
    hypothesized AUCs; no term is omitted there: 0.91 instead of 0.92 with a correlation of 0.6.

    The formula of [2]_ for one AUC, used by pROC, is the same with two rounded constants: 0.0099
    for 1 / (32 pi) and 1.414 for the square root of 2. Its sample sizes are up to 0.5 % smaller.

    The formulas are 4 and 5 of [1]_. O(1) time; no data are needed, so ties and missing classes do
    not arise.

    References
    ----------
    .. [1] N. A. Obuchowski and D. K. McClish, "Sample size determination for diagnostic accuracy
       studies involving binormal ROC curve indices", Statist. Med. 16 (1997) 1529-1542.
    .. [2] N. A. Obuchowski, M. L. Lieber and F. H. Wians, "ROC curves in clinical chemistry: uses,
       misuses, and possible solutions", Clin. Chem. 50 (2004) 1118-1125.

    Examples
    --------
    >>> from fastauc.inference import roc_auc_power
    >>> round(roc_auc_power(0.73, 41, 72), 4)
    0.9895
    """
    function = "roc_auc_power"
    _check_rows(n_pos, n_neg, function)
    _check_share(alpha, "alpha", function)
    plan = _Plan(auc_b, correlation_pos, correlation_neg, sd_ratio, alternative, margin)
    _check_plan(plan, function)
    _check_area(auc, plan, function)
    return _variances(auc, n_neg / n_pos, plan).power(n_pos, alpha, alternative)


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
    sd_ratio: float = 1.0,
    margin: float | None = None,
) -> RocAucSampleSize:
    """Return the sample size for a test that compares two AUCs, or one AUC with one half.

    Parameters
    ----------
    auc : float in [0.5, 1)
        The hypothesized AUC.
    power : float in (0, 1)
        The probability that the test detects the difference.
    ratio : float
        The number of negatives per positive, above 0.
    auc_b : float in [0.5, 1), optional
        The hypothesized AUC of a second score; by default, the first is compared with 1/2.
    correlation_pos, correlation_neg : float in [-1, 1]
        The correlation of the two scores among the positives and among the negatives; 0 also means
        two independent samples of that size each.
    alpha : float in (0, 1)
        The significance level (type I error rate).
    alternative : {"two-sided", "one-sided", "non-inferiority"}
        Whether the test is two-sided or one-sided; or, for "non-inferiority", tests that ``auc`` is
        not lower than ``auc_b`` by the margin or more.
    sd_ratio : float
        The ratio of the standard deviation of the negatives' scores to that of the positives',
        above 0: the slope of the binormal curve. The same for both scores.
    margin : float in (0, 1), optional
        The smallest difference that matters, for "non-inferiority".

    Returns
    -------
    RocAucSampleSize
        The minimum ``n_pos`` that has the power, and ``n_neg``, which is ``ratio`` times its exact
        value; both rounded up.

    Raises
    ------
    InvalidParameterError
        For a number outside its range; it is both a ValueError and a TypeError.
    ValueError
        For equal AUCs, or with a margin for an AUC that is not above ``auc_b`` minus the margin.

    Notes
    -----
    See ``roc_auc_power`` for the formula and its sources.

    O(1) time.

    Examples
    --------
    >>> from fastauc.inference import roc_auc_sample_size
    >>> roc_auc_sample_size(0.8, auc_b=0.75, correlation_pos=0.6, correlation_neg=0.6)
    RocAucSampleSize(n_pos=405, n_neg=405)
    """
    function = "roc_auc_sample_size"
    _check_share(power, "power", function)
    _check_share(alpha, "alpha", function)
    _check_positive(ratio, "ratio", function)
    plan = _Plan(auc_b, correlation_pos, correlation_neg, sd_ratio, alternative, margin)
    _check_plan(plan, function)
    _check_area(auc, plan, function)
    return _variances(auc, ratio, plan).sample_size(power, ratio, alpha, alternative)


def roc_auc_significance_level(
    auc: float,
    n_pos: float,
    n_neg: float,
    *,
    power: float = 0.8,
    auc_b: float | None = None,
    correlation_pos: float = 0.0,
    correlation_neg: float = 0.0,
    alternative: str = "two-sided",
    sd_ratio: float = 1.0,
    margin: float | None = None,
) -> float:
    """Return the significance level alpha at which a test of AUCs has a given power.

    Parameters
    ----------
    auc : float in [0.5, 1)
        The hypothesized AUC.
    n_pos, n_neg : float
        The number of rows in each class, above 0.
    power : float in (0, 1)
        The probability that the test detects the difference.
    auc_b, correlation_pos, correlation_neg, alternative, sd_ratio, margin
        See ``roc_auc_power``.

    Returns
    -------
    float
        In [0, 1]: the type I error rate.

    Raises
    ------
    InvalidParameterError
        For a number outside its range; it is both a ValueError and a TypeError.
    ValueError
        For equal AUCs, or with a margin for an AUC that is not above ``auc_b`` minus the margin.

    Notes
    -----
    See ``roc_auc_power`` for the formula and its sources. O(1) time.

    Examples
    --------
    >>> from fastauc.inference import roc_auc_significance_level
    >>> round(roc_auc_significance_level(0.73, 41, 72, power=0.95), 4)
    0.0095
    """
    function = "roc_auc_significance_level"
    _check_rows(n_pos, n_neg, function)
    _check_share(power, "power", function)
    plan = _Plan(auc_b, correlation_pos, correlation_neg, sd_ratio, alternative, margin)
    _check_plan(plan, function)
    _check_area(auc, plan, function)
    return _variances(auc, n_neg / n_pos, plan).alpha(n_pos, power, alternative)


def roc_auc_detectable(
    n_pos: float,
    n_neg: float,
    *,
    power: float = 0.8,
    auc_b: float | None = None,
    correlation_pos: float = 0.0,
    correlation_neg: float = 0.0,
    alpha: float = 0.05,
    alternative: str = "two-sided",
    sd_ratio: float = 1.0,
    margin: float | None = None,
) -> float:
    """Return the lowest AUC that a test can tell from another AUC, or from one half.

    Parameters
    ----------
    n_pos, n_neg : float
        The number of rows in each class, above 0.
    power : float in (0, 1)
        The probability that the test detects the difference.
    auc_b, correlation_pos, correlation_neg, alpha, alternative, sd_ratio, margin
        See ``roc_auc_power``.

    Returns
    -------
    float
        In [0.5, 1); with "non-inferiority", it may be below ``auc_b`` and is the lowest AUC that is
        shown to be non-inferior. NaN, with an ``UndefinedMetricWarning``, if not even an AUC close
        to 1 can be detected.

    Raises
    ------
    InvalidParameterError
        For a number outside its range; it is both a ValueError and a TypeError.

    Notes
    -----
    See ``roc_auc_power`` for the formula and its sources. It is solved by bisection to full
    precision. O(1) time.

    Examples
    --------
    >>> from fastauc.inference import roc_auc_detectable
    >>> round(roc_auc_detectable(41, 72, power=0.95), 4)
    0.6965
    """
    function = "roc_auc_detectable"
    _check_rows(n_pos, n_neg, function)
    _check_share(power, "power", function)
    _check_share(alpha, "alpha", function)
    plan = _Plan(auc_b, correlation_pos, correlation_neg, sd_ratio, alternative, margin)
    _check_plan(plan, function)

    def is_shown(auc: float) -> bool:
        return _variances(auc, n_neg / n_pos, plan).power(n_pos, alpha, alternative) >= power

    low, high = max(0.5, _reference(plan)), math.nextafter(1.0, 0.0)
    if not is_shown(high):
        warn_undefined(f"No AUC is detectable with power {power}, n_pos={n_pos} and n_neg={n_neg}.")
        return math.nan
    # Where the margin reaches below one half, the lowest AUC may be outside the bisection.
    if low > _reference(plan) and is_shown(low):
        return low
    while True:
        middle = (low + high) / 2
        if middle in (low, high):
            return high
        low, high = (low, middle) if is_shown(middle) else (middle, high)


def roc_auc_pilot_power(
    y_true: ArrayLike,
    score_a: ArrayLike,
    score_b: ArrayLike | float,
    *,
    n_pos: float,
    n_neg: float,
    alpha: float = 0.05,
    alternative: str = "two-sided",
    pos_label: Label | None = None,
    n_jobs: int | None = None,
) -> float:
    """Return the power of a test of AUCs, with the difference estimated from a pilot sample.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Labels of the pilot sample, of two classes; of more if ``pos_label`` is given.
    score_a : array-like of shape (n_samples,)
        Finite scores of the first model, of any numeric dtype; higher means more likely positive.
        Only equal scores are tied, and a tied pair counts one half.
    score_b : array-like of shape (n_samples,) or float
        Scores of the second model for the same rows; or a number in (0, 1) to compare the AUC of
        the first with.
    n_pos, n_neg : float
        The planned number of rows in each class, above 0.
    alpha : float in (0, 1)
        The significance level (type I error rate).
    alternative : {"two-sided", "one-sided"}
        Whether the test is two-sided or one-sided.
    pos_label : int, float, bool or str, optional
        The label of the positive class; defaults to 1 if the labels are in {0, 1} or {-1, 1}.
    n_jobs : int or None
        Number of threads. None: the environment variable FASTAUC_NUM_THREADS, or 1 if it is not
        set; -1: all cores.

    Returns
    -------
    float
        In [0, 1]: the probability that the test detects the difference.

    Raises
    ------
    ValueError
        Same as ``roc_auc_test``; if the pilot sample has only one class, or fewer than two rows of
        one; or if its difference or variance is 0.
    InvalidParameterError
        For a number outside its range; it is both a ValueError and a TypeError.
    OverflowError
        For 2^32 rows or more.

    See Also
    --------
    roc_auc_power : From hypothesized AUCs and correlations.

    Notes
    -----
    The formula of ``roc_auc_power``, with the AUCs of the pilot sample and, for each class, the
    variances from DeLong's placements [1]_ in place of the binormal ones, so the planned prevalence
    may differ from that of the pilot sample. The variance under the null hypothesis is the one that
    ``roc_auc_test`` uses: for two AUCs DeLong's unchanged, for one AUC that of a proportion at the
    constant. O(n log n) time.

    pROC's ``power.roc.test`` for two curves has the same variance of the difference, but under the
    null hypothesis twice the variance of the first AUC minus twice the covariance: its power
    depends on which model comes first. In simulations of ``roc_auc_test`` with correlated normal
    scores and 50+150 rows, 0.50 of the samples showed the difference; this power was 0.53, and
    pROC's 0.62, or 0.46 with the models swapped; with 40+100 rows and an AUC of 0.95, 0.71, 0.70
    and 0.88. pROC also assumes the prevalence of the pilot sample, whatever is planned.

    The difference in a small pilot sample may be far from the true one, and so may this power. At
    the sizes of the pilot sample itself, it says no more than the p-value of the test.

    References
    ----------
    .. [1] E. R. DeLong, D. M. DeLong and D. L. Clarke-Pearson, "Comparing the areas under two or
       more correlated receiver operating characteristic curves", Biometrics 44 (1988) 837-845.

    Examples
    --------
    >>> from fastauc.inference import roc_auc_pilot_power
    >>> y_true = [0, 0, 0, 0, 1, 1, 1, 1]
    >>> score_a, score_b = [1, 2, 3, 6, 4, 5, 7, 8], [1, 5, 2, 4, 3, 6, 4, 2]
    >>> round(roc_auc_pilot_power(y_true, score_a, score_b, n_pos=40, n_neg=40), 4)
    0.8854
    """
    function = "roc_auc_pilot_power"
    _check_rows(n_pos, n_neg, function)
    _check_share(alpha, "alpha", function)
    check_option(alternative, "alternative", ALTERNATIVES[:2], function)
    variances = _pilot(y_true, score_a, score_b, n_neg / n_pos, pos_label, function, n_jobs)
    return variances.power(n_pos, alpha, alternative)


def roc_auc_pilot_sample_size(
    y_true: ArrayLike,
    score_a: ArrayLike,
    score_b: ArrayLike | float,
    *,
    power: float = 0.8,
    ratio: float = 1.0,
    alpha: float = 0.05,
    alternative: str = "two-sided",
    pos_label: Label | None = None,
    n_jobs: int | None = None,
) -> RocAucSampleSize:
    """Return the sample size for a test of AUCs, with the difference from a pilot sample.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Labels of the pilot sample, of two classes; of more if ``pos_label`` is given.
    score_a : array-like of shape (n_samples,)
        Finite scores of the first model, of any numeric dtype; higher means more likely positive.
        Only equal scores are tied, and a tied pair counts one half.
    score_b : array-like of shape (n_samples,) or float
        Scores of the second model for the same rows; or a number in (0, 1) to compare the AUC of
        the first with.
    power : float in (0, 1)
        The probability that the test detects the difference.
    ratio : float
        The planned number of negatives per positive, above 0; it may differ from that of the pilot
        sample.
    alpha : float in (0, 1)
        The significance level (type I error rate).
    alternative : {"two-sided", "one-sided"}
        Whether the test is two-sided or one-sided.
    pos_label : int, float, bool or str, optional
        The label of the positive class; defaults to 1 if the labels are in {0, 1} or {-1, 1}.
    n_jobs : int or None
        Number of threads. None: the environment variable FASTAUC_NUM_THREADS, or 1 if it is not
        set; -1: all cores.

    Returns
    -------
    RocAucSampleSize
        The minimum ``n_pos`` that has the power, and ``n_neg``, which is ``ratio`` times its exact
        value; both rounded up.

    Raises
    ------
    ValueError
        Same as ``roc_auc_test``; if the pilot sample has only one class, or fewer than two rows of
        one; or if its difference or variance is 0.
    InvalidParameterError
        For a number outside its range; it is both a ValueError and a TypeError.
    OverflowError
        For 2^32 rows or more.

    Notes
    -----
    See ``roc_auc_pilot_power`` for the formula and its sources. O(n log n) time.

    Examples
    --------
    >>> from fastauc.inference import roc_auc_pilot_sample_size
    >>> y_true = [0, 0, 0, 0, 1, 1, 1, 1]
    >>> score_a, score_b = [1, 2, 3, 6, 4, 5, 7, 8], [1, 5, 2, 4, 3, 6, 4, 2]
    >>> roc_auc_pilot_sample_size(y_true, score_a, score_b, ratio=3)
    RocAucSampleSize(n_pos=22, n_neg=66)
    """
    function = "roc_auc_pilot_sample_size"
    _check_share(power, "power", function)
    _check_share(alpha, "alpha", function)
    _check_positive(ratio, "ratio", function)
    check_option(alternative, "alternative", ALTERNATIVES[:2], function)
    variances = _pilot(y_true, score_a, score_b, ratio, pos_label, function, n_jobs)
    return variances.sample_size(power, ratio, alpha, alternative)


def _pilot(
    y_true: object,
    score_a: object,
    score_b: Any,
    ratio: float,
    pos_label: Label | None,
    function: str,
    n_jobs: int | None,
) -> Variances:
    """Return the variances in a sample, given ``ratio`` negatives per positive."""
    is_constant = is_real(score_b)
    if is_constant:
        expected = "an array-like or a float in the range (0.0, 1.0)"
        check_number(score_b, "score_b", expected, lambda area: 0 < area < 1, function)
    with Workers(n_jobs, function) as workers:
        scores = {"score_a": score_a} | ({} if is_constant else {"score_b": score_b})
        models = read_models(y_true, scores, None, None, function, workers, pos_label)
        samples = [models.whole_sample(k) for k in range(len(scores))]
        for name, n_rows in ("positive", samples[0].n_pos), ("negative", samples[0].n_neg):
            if n_rows < 2:
                raise ValueError(
                    f"y_true has {n_rows} {name} rows; expected two or more of each class."
                )
        areas, rows, products = products_of_rows(samples, workers)
    area = areas[0]
    other = as_fraction(score_b) if is_constant else areas[1]
    # For one row of a class, with the negatives weighted by how many there are per positive.
    of_pos, of_neg = (
        by_class * Fraction(m * m, m - 1) for by_class, m in zip(products, rows, strict=False)
    )
    covariance = of_pos + of_neg / as_fraction(ratio)
    own = covariance[0, 0]
    actual = own if is_constant else own + covariance[1, 1] - 2 * covariance[0, 1]
    if area == other or actual == 0:
        raise ValueError(
            f"The AUCs are {float(area)} and {float(other)}, and n_pos times the variance of the "
            f"difference is {float(actual)}; expected different AUCs, and a variance above 0."
        )
    # The variance in roc_auc_test: DeLong's unchanged, or that of a proportion at the constant.
    null = actual * other * (1 - other) / (area * (1 - area)) if is_constant else actual
    return Variances(float(abs(area - other)), float(null), float(actual))


def _check_rows(n_pos: float, n_neg: float, function: str) -> None:
    for name, value in {"n_pos": n_pos, "n_neg": n_neg}.items():
        _check_positive(value, name, function)


def _check_positive(value: float, name: str, function: str) -> None:
    expected = "a finite float above 0"
    check_number(value, name, expected, lambda number: 0 < number < math.inf, function)


def _check_share(value: float, name: str, function: str) -> None:
    expected = "a float in the range (0.0, 1.0)"
    check_number(value, name, expected, lambda share: 0 < share < 1, function)


def _check_supposed(value: float, name: str, function: str) -> None:
    expected = "a float in the range [0.5, 1.0)"
    check_number(value, name, expected, lambda area: 0.5 <= area < 1, function)


def _check_plan(plan: _Plan, function: str) -> None:
    if plan.auc_b is not None:
        _check_supposed(plan.auc_b, "auc_b", function)
    for name in ("correlation_pos", "correlation_neg"):
        expected = "a float in the range [-1.0, 1.0]"
        value = getattr(plan, name)
        check_number(value, name, expected, lambda number: -1 <= number <= 1, function)
    _check_positive(plan.sd_ratio, "sd_ratio", function)
    check_option(plan.alternative, "alternative", ALTERNATIVES, function)
    if plan.alternative == _NON_INFERIORITY:
        expected = f"a float in the range (0.0, 1.0) with alternative={plan.alternative!r}"
        check_number(plan.margin, "margin", expected, lambda width: 0 < width < 1, function)
        if plan.auc_b is None:
            raise ValueError(
                "auc_b is None, and alternative='non-inferiority' compares two scores; expected "
                "the AUC of the second."
            )
    else:
        refuse_given({"margin": plan.margin}, f"but alternative={plan.alternative!r} has none.")


def _check_area(auc: float, plan: _Plan, function: str) -> None:
    """Reject an AUC that does not differ from what it is compared with."""
    _check_supposed(auc, "auc", function)
    if plan.margin is None and auc == _reference(plan):
        raise ValueError(f"auc is {auc}, the AUC that it is compared with; expected another.")
    if plan.margin is not None and auc <= _reference(plan):
        raise ValueError(
            f"auc is {auc}, and auc_b minus the margin is {_reference(plan)}; expected more."
        )


def _reference(plan: _Plan) -> float:
    """Return the AUC under the null hypothesis."""
    return (0.5 if plan.auc_b is None else plan.auc_b) - (plan.margin or 0.0)


def _critical(alpha: float, alternative: str) -> float:
    return normal_quantile(alpha / 2 if alternative == "two-sided" else alpha)


def _variances(auc: float, ratio: float, plan: _Plan) -> Variances:
    """Return the variances of a difference, given ``ratio`` negatives per positive."""
    b, difference = plan.sd_ratio, abs(auc - _reference(plan))
    first = _separation(auc, b)
    own = _variance(first, b, ratio)
    if plan.auc_b is None:
        return Variances(difference, _variance(0.0, b, ratio), own)
    second = _separation(plan.auc_b, b)
    both = _covariance(first, second, b, ratio, plan)
    other = _variance(second, b, ratio)
    if plan.margin is not None:
        # For a score with itself, formula 5 is the variance, with no term omitted.
        itself = plan._replace(correlation_pos=1.0, correlation_neg=1.0)
        own, other = (_covariance(a, a, b, ratio, itself) for a in (first, second))
    # AUCs far apart, which correlated scores cannot have, may give a negative variance.
    actual = max(0.0, own + other - 2 * both)
    null = max(0.0, 2 * own - 2 * both) if plan.margin is None else actual
    return Variances(difference, null, actual)


def _separation(auc: float, b: float) -> float:
    """Return the distance between the means of normal scores, in SDs of the positives."""
    return math.sqrt(1 + b * b) * normal_quantile(1 - auc)


def _slopes(a: float, b: float) -> tuple[float, float]:
    """Return the derivatives of the AUC by the separation a and by the ratio b of the SDs."""
    scale = 1 + b * b
    by_separation = math.exp(-a * a / (2 * scale)) / math.sqrt(2 * math.pi * scale)
    return by_separation, -a * b / scale * by_separation


def _variance(a: float, b: float, ratio: float) -> float:
    """Return n_pos times the variance of an AUC: formula 4 of Obuchowski and McClish (1997).

    It omits the covariance of the two parameters, and so is conservative.
    """
    by_a, by_b = _slopes(a, b)
    of_a = 1 + b * b / ratio + a * a / 2
    return by_a**2 * of_a + by_b**2 * b * b * (1 + ratio) / (2 * ratio)


def _covariance(a1: float, a2: float, b: float, ratio: float, plan: _Plan) -> float:
    """Return n_pos times the covariance of two AUCs: their formula 5."""
    pos, neg = plan.correlation_pos, plan.correlation_neg
    (by_a1, by_b1), (by_a2, by_b2) = _slopes(a1, b), _slopes(a2, b)
    return (
        by_a1 * by_a2 * (pos + neg * b * b / ratio + pos**2 * a1 * a2 / 2)
        + by_b1 * by_b2 * b * b * (neg**2 + ratio * pos**2) / (2 * ratio)
        + (by_a1 * by_b2 * a1 + by_a2 * by_b1 * a2) * b * pos**2 / 2
    )
