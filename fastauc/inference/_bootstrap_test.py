"""The bootstrap test of two scores of the same rows, for the statistics of ``bootstrap_ci``.

Each replicate draws rows with both scores, which accounts for their correlation.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from fastauc._validation.columns import Directions, Models, read_pair
from fastauc._validation.errors import warn_undefined
from fastauc._validation.labels import Label
from fastauc._validation.literals import Alternative, NanPolicy, StatisticOf
from fastauc._validation.options import check_option, read_rng
from fastauc._validation.threads import Workers
from fastauc.inference._bootstrap import (
    BootstrapOptions,
    all_finite,
    can_vary,
    df_of,
    draw_values,
    has_one_class,
    prepare,
    read_options,
    standard_error,
)
from fastauc.inference._pivots import wald
from fastauc.inference._resampling import Doubles, Replicate, Statistic, Streams
from fastauc.inference._results import ALTERNATIVES, DifferenceTestResult, untested


def _compare(
    models: Models,
    options: BootstrapOptions,
    alternative: Alternative,
    rng: np.random.Generator,
    workers: Workers,
) -> DifferenceTestResult:
    """Return the test for a validated sample; NaN, with a warning, if it is undefined."""
    if has_one_class(models.samples(), options.name):
        return untested(math.nan, "t")
    both = prepare(models.samples(), options, models.clusters(), workers)
    difference = both[0].value - both[1].value
    if not can_vary(both[0].steps):
        return untested(difference, "t")

    def of_both(*drawn: Replicate) -> list[float]:
        return [each.function(own) for each, own in zip(both, drawn, strict=True)]

    values = draw_values(both, of_both, options, Streams(rng), workers).T
    defined = [
        all_finite(options.name, each.value, own) for each, own in zip(both, values, strict=True)
    ]
    if not all(defined):
        return untested(difference, "t")
    df = df_of(both[0].steps)
    return _test(difference, values[0] - values[1], df, options, alternative)


def _test(
    difference: float,
    values: Doubles,
    df: float,
    options: BootstrapOptions,
    alternative: Alternative,
) -> DifferenceTestResult:
    """Return the test result from replicates of a difference."""
    if (values == values[0]).all():
        known: dict[str, Any] = {"bootstrap_distribution": values}
        why = "the interval is undefined"
        if difference == values[0] == 0:
            known |= {"statistic": 0.0, "pvalue": 1.0, "standard_error": 0.0}
        else:
            why = "the test is undefined"
        warn_undefined(
            f"All {len(values)} replicates have the difference {values[0]}, with no variation "
            f"between them: {why}. For AUCs, roc_auc_test is not."
        )
        return untested(difference, "t", **known)
    error = standard_error(values)
    # The mean varies less from sample to sample than the statistic itself if that is a maximum,
    # like the K-S statistic, or a precision at few positives, and by as much as the replicates
    # show.
    center = float(np.mean(values))
    most = math.inf if callable(options.statistic) else 1.0
    pivot = wald(center, error, df, (-most, most))
    found = pivot.judge(alternative, options.confidence_level, ends=(-most, most))
    statistic, pvalue, interval = found
    return DifferenceTestResult(statistic, pvalue, difference, error, df, interval, "t", values)


def bootstrap_test(
    y_true: ArrayLike,
    score_a: ArrayLike,
    score_b: ArrayLike,
    *,
    statistic: Statistic = "roc_auc",
    statistic_of: StatisticOf = "counts",
    alternative: Alternative = "two-sided",
    confidence_level: float = 0.95,
    n_resamples: int = 2000,
    groups: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    higher_is_positive: Directions = True,
    nan_policy: NanPolicy = "raise",
    rng: Any = None,
    pos_label: Label | None = None,
    n_jobs: int | None = None,
) -> DifferenceTestResult:
    """Test by bootstrap whether two scores of the same rows differ in a statistic.

    Parameters
    ----------
    y_true, score_a, score_b, higher_is_positive, pos_label, nan_policy
        As in ``roc_auc_test``. Rows are resampled with both scores. Copies of a row that is drawn
        more than once are tied.
    statistic : {"roc_auc", "average_precision", "ks"} or callable
        The metric of ``roc_auc_score``, ``average_precision_score`` or ``ks_score``; or a function
        that returns one real number, such as ``lambda counts: counts.roc_auc(max_fpr=0.1)`` for the
        partial AUC.
    statistic_of : {"counts", "rows"}
        What a function is called with: the ``ConfusionCounts`` of the resampled rows, or ``(y_true,
        y_score)``, as for ``bootstrap_ci``.
    alternative : {"two-sided", "less", "greater"}
        The alternative hypothesis: that the statistic of the first scores differs from that of the
        second, is less, or is greater.
    confidence_level : float in (0, 1)
        The nominal coverage of the interval for the difference.
    n_resamples, rng, sample_weight
        As in ``bootstrap_ci``.
    groups : array-like of shape (n_samples,), optional
        The cluster of each row; whole clusters are resampled. Numbers or strings, none missing.
        Without it, replicates keep the number of rows of each class for "roc_auc" and "ks", which
        the share of positives does not change, and for nothing else.
    n_jobs : int or None
        As in ``roc_auc_ci``. A function runs in the calling thread.

    Returns
    -------
    DifferenceTestResult
        ``statistic, pvalue, difference, standard_error, df, confidence_interval, method`` and the
        ``bootstrap_distribution``. The statistic is the mean difference of the replicates divided
        by its standard error. NaN, with an ``UndefinedMetricWarning``, if only one class is
        present, if a class has a single row (or all its rows are in one cluster), if all replicates
        have the same difference, or if a function returns NaN or an infinite number. But if the
        scores have the same value in the sample and in all replicates, as when they rank the rows
        alike, the statistic is 0 and the p-value 1; only the interval is undefined.

    Raises
    ------
    ValueError, InvalidParameterError, OverflowError
        As for ``roc_auc_ci``.
    TypeError
        If a function returns anything but one real number.

    See Also
    --------
    roc_auc_test : DeLong's test, for the AUC and the partial AUC.
    bootstrap_ci : The confidence interval for one score.

    Notes
    -----
    From the mean of the replicates (the bagged difference [1]_), their standard deviation, and
    Student's t distribution with n - 1 degrees of freedom, for n rows in the rarer class (Kish's
    effective sample size with weights or clusters). In small samples average precision and the
    Kolmogorov-Smirnov statistic vary more than their replicates, but this mean does not. Test and
    interval are consistent: the p-value is below alpha if the interval of level 1 - alpha does not
    contain 0.

    Of two independent samples, ``roc_auc_test_ind`` compares the areas. For another statistic, the
    standard errors of ``bootstrap_ci`` of either sample add up by squares, if it does not depend
    on the share of positives, or if this is the same in both.

    Each score is sorted once; a replicate takes O(n) time, about five ns per row. The draws depend
    on the state of ``rng``, on the version of NumPy, and on the set of rows, but not on their order
    or the number of threads; increasing ``n_resamples`` only appends replicates.

    Type I error: "Bootstrap tests" on the page "Which interval or test to use" of
    the manual.

    References
    ----------
    .. [1] B. Efron, "Estimation and accuracy after model selection", J. Am. Stat. Assoc. 109 (2014)
       991-1007, eq. 1.6.

    Examples
    --------
    >>> from fastauc.inference import bootstrap_test
    >>> y_true = [0, 0, 0, 0, 1, 1, 1, 1]
    >>> result = bootstrap_test(y_true, [1, 2, 3, 6, 4, 5, 7, 8], [1, 5, 2, 4, 3, 6, 4, 2], rng=0)
    >>> result.difference, 0.1 < result.pvalue < 0.6
    (0.25, True)

    F1 at a threshold:

    >>> def f1(counts):
    ...     return counts.at(4).f1
    >>> scores = [1, 2, 3, 6, 4, 5, 7, 8], [1, 5, 2, 4, 3, 6, 4, 2]
    >>> result = bootstrap_test(y_true, *scores, statistic=f1, rng=0)
    >>> round(result.difference, 4), 0.1 < result.pvalue < 1
    (0.3889, True)
    """
    function = "bootstrap_test"
    check_option(alternative, "alternative", ALTERNATIVES, function)
    options = read_options(
        function,
        groups,
        statistic=statistic,
        statistic_of=statistic_of,
        confidence_level=confidence_level,
        n_resamples=n_resamples,
    )
    generator, scores = read_rng(rng, function), (score_a, score_b)
    asked: dict[str, Any] = {"pos_label": pos_label, "nan_policy": nan_policy}
    with Workers(n_jobs, function) as workers:
        rows = y_true, scores, higher_is_positive, sample_weight, groups
        models = read_pair(function, *rows, workers=workers, **asked)
        return _compare(models, options, alternative, generator, workers)
