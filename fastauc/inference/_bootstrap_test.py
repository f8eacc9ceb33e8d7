"""The bootstrap test of two scores, for the statistics of ``bootstrap_ci``.

If the two scores are for the same rows, each replicate draws rows with both scores, which accounts
for their correlation. Two independent samples are resampled separately.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import Any, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastauc._counts.proportions import ConfidenceInterval
from fastauc._validation.columns import Directions, Models, read_pair
from fastauc._validation.errors import warn_undefined
from fastauc._validation.labels import Label
from fastauc._validation.literals import Alternative, BootstrapTest, NanPolicy, StatisticOf
from fastauc._validation.options import check_option, read_rng, refuse_given
from fastauc._validation.threads import Workers
from fastauc.inference._bootstrap import (
    BootstrapOptions,
    Prepared,
    all_finite,
    can_vary,
    df_of,
    draw_values,
    prepare,
    read_options,
    standard_error,
)
from fastauc.inference._distributions import student
from fastauc.inference._resampling import Doubles, Statistic, Streams, whole_sample
from fastauc.inference._results import ALTERNATIVES, NAN_INTERVAL, DifferenceTestResult, untested

_STATISTICS = ("roc_auc", "average_precision", "ks")
METHODS = get_args(BootstrapTest)


def _compare(
    pair: Sequence[Models],
    options: BootstrapOptions,
    alternative: Alternative,
    rng: np.random.Generator,
    workers: Workers,
) -> DifferenceTestResult:
    """Return the test for validated samples; NaN, with a warning, if it is undefined."""
    samples = [sample for models in pair for sample in models.samples()]
    if any(sample.n_pos == 0 or sample.n_neg == 0 for sample in samples):
        warn_undefined(
            f"Only one class is present in y_true. The bootstrap of {options.name} is not "
            "defined in that case."
        )
        return untested(math.nan, options.method)
    drawn_together = [
        prepare(models.samples(), options, models.clusters(), workers) for models in pair
    ]
    first, second = itertools.chain(*drawn_together)
    difference = first.value - second.value
    if len(pair) == 2:
        _refuse_prevalence(first, second, options.name)
    if not all(can_vary(scores[0].steps) for scores in drawn_together):
        return untested(difference, options.method)
    values = np.concatenate(
        [draw_values(scores, options, Streams(rng), workers) for scores in drawn_together]
    )
    defined = [
        all_finite(options.name, each.value, own)
        for each, own in zip((first, second), values, strict=True)
    ]
    if not all(defined):
        return untested(difference, options.method)
    sizes = [df_of(each.steps) for each in (first, second)]
    df = sizes[0] if len(pair) == 1 else _welch(values, sizes)
    return _test(difference, values[0] - values[1], df, options, alternative)


def _refuse_prevalence(first: Prepared, second: Prepared, name: str) -> None:
    """Reject two samples of different prevalence for a statistic that depends on it."""
    samples = [whole_sample(each.steps) for each in (first, second)]
    shares = [sample.n_pos / (sample.n_pos + sample.n_neg) for sample in samples]
    if shares[0] == shares[1]:
        return
    for each, sample in zip((first, second), samples, strict=True):
        doubled = sample._replace(neg=2 * sample.neg, n_neg=2 * sample.n_neg)
        value = float(each.function(doubled))
        same = math.isclose(value, each.value, rel_tol=1e-9, abs_tol=1e-12)
        if not same and math.isfinite(value) and math.isfinite(each.value):
            raise ValueError(
                f"statistic is {name}, which depends on the share of positives: {each.value:.6g}, "
                f"but {value:.6g} with every negative twice; the samples have shares of "
                f"{shares[0]:.6g} and {shares[1]:.6g}. With y_true_b, expected equal shares, or a "
                "statistic of rates, such as 'roc_auc' or a function that computes it at a fixed "
                "prevalence."
            )


def _welch(values: Doubles, sizes: list[float]) -> float:
    """Return Welch's degrees of freedom for the difference of two samples."""
    variances = np.var(values, axis=1, ddof=1)
    total = float(variances.sum())
    if total == 0:
        return math.inf
    shares = (variances / total).tolist()
    return 1 / math.fsum(share**2 / df for share, df in zip(shares, sizes, strict=True))


def _test(
    difference: float,
    values: NDArray[np.float64],
    df: float,
    options: BootstrapOptions,
    alternative: Alternative,
) -> DifferenceTestResult:
    """Return the test result from replicates of a difference; ``df`` is used by "t".

    Test and interval are consistent: the p-value is that at which the interval ends at 0.
    """
    method = options.method
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
        return untested(difference, method, **known)
    error, center = standard_error(values), difference
    if method == "t":
        # The mean varies less from sample to sample than the statistic itself if that is a
        # maximum, like the K-S statistic, or a precision at few positives, and by as much as the
        # replicates show.
        center = float(np.mean(values))
    statistic = center / error
    tail = (1 - options.confidence_level) / (2 if alternative == "two-sided" else 1)
    df = df if method == "t" else math.inf
    if method in ("t", "normal"):
        tail_of, quantile_of = student(df)
        above, below = tail_of(statistic), tail_of(-statistic)
        width = quantile_of(tail) * error
        low, high = center - width, center + width
    else:
        # Reflected about the difference, quantiles reach 0 where they are twice the difference.
        is_basic = method == "basic"
        edges = _shares_up_to(values, 2 * difference if is_basic else 0.0)
        above, below = (1 - edges[0], edges[1]) if is_basic else (edges[1], 1 - edges[0])
        low, high = np.quantile(values, (tail, 1 - tail)).tolist()
        if is_basic:
            low, high = 2 * difference - high, 2 * difference - low
    pvalues = {"greater": above, "less": below, "two-sided": min(1.0, 2 * min(above, below))}
    most = math.inf if callable(options.statistic) else 1.0
    low = -most if alternative == "less" else max(low, -most)
    high = most if alternative == "greater" else min(high, most)
    interval = ConfidenceInterval(low, high)
    if low == high:
        interval = NAN_INTERVAL
        warn_undefined(
            f"The {method} interval would have no width, which no sample justifies, and is "
            "undefined."
        )
    pvalue = float(pvalues[alternative])
    return DifferenceTestResult(statistic, pvalue, difference, error, df, interval, method, values)


def _shares_up_to(values: NDArray[np.float64], point: float) -> tuple[float, float]:
    """Return the lowest and the highest probability whose quantile of the values is a point.

    The inverse of NumPy's quantiles, from 0 to 1 beyond all values. No probability is below 1 / (n
    + 1) for n values: another draw may be anywhere.
    """
    ordered, least = np.sort(values), 1 / (len(values) + 1)
    ends = []
    for side in ("left", "right"):
        k = int(np.searchsorted(ordered, point, side))
        if 0 < k < len(ordered):
            gap = ordered[k] - ordered[k - 1]
            place = k - 1 + (point - ordered[k - 1]) / gap
        else:
            place = 0.0 if k == 0 else len(ordered) - 1.0
        ends.append(min(1 - least, max(least, place / (len(ordered) - 1))))
    return ends[0], ends[1]


def bootstrap_test(
    y_true: ArrayLike,
    score_a: ArrayLike,
    score_b: ArrayLike,
    *,
    y_true_b: ArrayLike | None = None,
    statistic: Statistic = "roc_auc",
    statistic_of: StatisticOf = "counts",
    alternative: Alternative = "two-sided",
    method: BootstrapTest = "t",
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
    """Test by bootstrap whether two scores differ in a statistic.

    Parameters
    ----------
    y_true, score_a, score_b, higher_is_positive, pos_label, nan_policy
        As in ``roc_auc_test``. Rows of the same sample are resampled with both scores. Copies of a
        row that is drawn more than once are tied.
    y_true_b : array-like of shape (n_samples_b,), optional
        Labels of a second sample, which is independent of the first, for ``score_b``.
    statistic : {"roc_auc", "average_precision", "ks"} or callable
        The metric of ``roc_auc_score``, ``average_precision_score`` or ``ks_score``; or a function
        that returns one real number, such as ``lambda counts: counts.roc_auc(max_fpr=0.1)`` for the
        partial AUC.
    statistic_of : {"counts", "rows"}
        What a function is called with: the ``ConfusionCounts`` of the resampled rows, or ``(y_true,
        y_score)``, as for ``bootstrap_ci``. Of two samples with different shares of positives, the
        value must not change with them, which is tried with every negative twice: average
        precision, F1 or precision are refused, but not a function that computes them at a fixed
        prevalence.
    alternative : {"two-sided", "less", "greater"}
        The alternative hypothesis: that the statistic of the first scores differs from that of the
        second, is less, or is greater.
    method : {"t", "normal", "percentile", "basic"}
        How interval and test are computed. "t": from the mean of the replicates (the bagged
        difference), their standard deviation, and Student's t distribution with n - 1 degrees of
        freedom, for n rows in the rarer class (Kish's effective sample size with weights or
        clusters), or with Welch's for two samples. "normal": from the difference, the standard
        deviation of the replicates, and the normal distribution, as in pROC. "percentile": from
        quantiles of the replicates. "basic": from these reflected about the difference.
    confidence_level : float in (0, 1)
        The nominal coverage of the interval for the difference.
    n_resamples, rng, sample_weight
        As in ``bootstrap_ci``. No weights with two samples.
    groups : array-like of shape (n_samples,), optional
        The cluster of each row; whole clusters are resampled. Numbers or strings, none missing. Not
        with two samples. Without it, replicates keep the number of rows of each class for "roc_auc"
        and "ks", which the share of positives does not change, and for nothing else.
    n_jobs : int or None
        As in ``roc_auc_ci``. A function runs in the calling thread.

    Returns
    -------
    DifferenceTestResult
        ``statistic, pvalue, difference, standard_error, df, confidence_interval, method`` and the
        ``bootstrap_distribution``. For "t", the statistic is the mean difference of the replicates
        divided by its standard error. NaN, with an ``UndefinedMetricWarning``, if only one class is
        present, if a class has a single row (or all its rows are in one cluster), if all replicates
        have the same difference, or if a function returns NaN or an infinite number. But if the
        scores have the same value in the sample and in all replicates, as when they rank the rows
        alike, the statistic is 0 and the p-value 1; only the interval is undefined.

    Raises
    ------
    ValueError, InvalidParameterError, OverflowError
        As for ``roc_auc_ci``; for groups or weights with two samples; and for a statistic that
        depends on the share of positives, if theirs differ.
    TypeError
        If a function returns anything but one real number.

    See Also
    --------
    roc_auc_test : DeLong's test, for the AUC and the partial AUC.
    bootstrap_ci : The confidence interval for one score.

    Notes
    -----
    Test and interval are consistent: the p-value is below alpha if the interval of level 1 - alpha
    does not contain 0, for alpha above 1 / n_resamples. "t" is meant for small samples, in which
    average precision and the Kolmogorov-Smirnov statistic vary more than their replicates, but the
    mean of the replicates, the bagged difference [2]_, does not: for equal models with 20 + 20 to
    30 + 300 rows, it rejected in 2 to 6% at the 5% level, "normal" in 3 to 10%, "percentile" in
    2 to 8%. "normal" is the test of pROC's ``roc.test(method="bootstrap")`` [1]_. For two samples
    of these sizes, "t" rejected in 3 to 6%. Kolmogorov-Smirnov statistics are biased upward, and
    more so in the smaller sample: for 20 + 20 against 30 + 300 rows, it rejected in 9%.

    Each score is sorted once; a replicate takes O(n) time, about five ns per row. The draws depend
    on the state of ``rng``, on the version of NumPy, and on the set of rows, but not on their order
    or the number of threads; increasing ``n_resamples`` only appends replicates.

    Type I error of each method: "Bootstrap tests" on the page "Which interval or test to use" of
    the manual.

    References
    ----------
    .. [1] X. Robin et al., "pROC: an open-source package for R and S+ to analyze and compare ROC
       curves", BMC Bioinformatics 12 (2011) 77.
    .. [2] B. Efron, "Estimation and accuracy after model selection", J. Am. Stat. Assoc. 109 (2014)
       991-1007, eq. 1.6.

    Examples
    --------
    >>> from fastauc.inference import bootstrap_test
    >>> y_true = [0, 0, 0, 0, 1, 1, 1, 1]
    >>> result = bootstrap_test(y_true, [1, 2, 3, 6, 4, 5, 7, 8], [1, 5, 2, 4, 3, 6, 4, 2], rng=0)
    >>> result.difference, 0.1 < result.pvalue < 0.6
    (0.25, True)

    F1 at a threshold, for two independent samples:

    >>> def f1(counts):
    ...     return counts.at(4).f1
    >>> scores, others = [1, 2, 3, 6, 4, 5, 7, 8], {"y_true_b": [0, 0, 0, 1, 1, 1]}
    >>> result = bootstrap_test(y_true, scores, [2, 1, 5, 3, 4, 6], **others, statistic=f1, rng=0)
    >>> round(result.difference, 4), 0.1 < result.pvalue < 1
    (0.2222, True)
    """
    function = "bootstrap_test"
    if not callable(statistic):
        check_option(statistic, "statistic", _STATISTICS, function)
    check_option(alternative, "alternative", ALTERNATIVES, function)
    options = read_options(
        function,
        groups,
        statistic=statistic,
        statistic_of=statistic_of,
        method=method,
        methods=METHODS,
        confidence_level=confidence_level,
        n_resamples=n_resamples,
    )
    if y_true_b is not None:
        of_rows = {"groups": groups, "sample_weight": sample_weight}
        refuse_given(of_rows, "but rows of two samples are drawn individually, without weights.")
    generator = read_rng(rng, function)
    with Workers(n_jobs, function) as workers:
        pair = read_pair(
            function,
            (y_true, y_true_b),
            (score_a, score_b),
            higher_is_positive,
            (sample_weight, None),
            (groups, None),
            workers=workers,
            pos_label=pos_label,
            nan_policy=nan_policy,
        )
        return _compare(pair, options, alternative, generator, workers)
