"""How the optimal threshold of a sample performs on new rows: bootstrap estimates of optimism."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastauc._counts.threshold_counts import ThresholdCounts
from fastauc._counts.thresholds import (
    LIMITED,
    Choice,
    check_choice,
    find_point,
    limited_rate_at,
    value_at,
    warn_if_unreached,
)
from fastauc._pairs.concordance import warn_one_class
from fastauc._pairs.exact_sum import exact_sum
from fastauc._tables import result, to_pandas
from fastauc._validation.arrays import Array
from fastauc._validation.errors import warn_undefined
from fastauc._validation.labels import Label
from fastauc._validation.literals import NanPolicy, ThresholdMethod
from fastauc._validation.options import check_flag, check_integer, read_rng
from fastauc._validation.rows import Rows
from fastauc._validation.samples import BinarySample
from fastauc._validation.threads import Workers
from fastauc.inference._bootstrap import can_vary
from fastauc.inference._resampling import (
    Doubles,
    Replicate,
    Resampler,
    evaluate,
    find_score_steps,
    put_in_order,
    whole_sample,
)


@result("fastauc.inference")
class OptimismEstimate(NamedTuple):
    """A metric at a threshold chosen on a sample, and its estimates for new rows.

    Attributes
    ----------
    apparent : float
        On the sample, at its own optimal threshold.
    in_bag : float
        On the resampled rows, at their optimal threshold: the mean over replicates.
    out_of_bag : float
        At the same thresholds, on the rows that were not drawn: the mean over replicates.
    optimism : float
        ``in_bag`` minus the mean on the whole sample at the same thresholds.
    corrected : float
        ``apparent`` minus ``optimism``.

    Examples
    --------
    >>> from fastauc.inference import optimal_threshold_validation
    >>> y_true, y_score = [0, 0, 0, 1, 0, 1, 1, 1], [1, 2, 3, 4, 5, 6, 7, 8]
    >>> optimal_threshold_validation(y_true, y_score, rng=0).value.apparent
    0.75
    """

    apparent: float
    in_bag: float
    out_of_bag: float
    optimism: float
    corrected: float


_UNKNOWN = OptimismEstimate(*[math.nan] * 5)


@result("fastauc.inference")
class ThresholdValidation(NamedTuple):
    """The result of ``optimal_threshold_validation``.

    Attributes
    ----------
    threshold : float
        The optimal threshold of the sample.
    value : OptimismEstimate
        The value of the criterion.
    limited_rate : OptimismEstimate or None
        The rate limited by "max_fpr", "min_recall" or "min_precision"; None for other methods.
    thresholds : array of shape (n_resamples,)
        The optimal threshold of each replicate.

    Examples
    --------
    >>> from fastauc.inference import optimal_threshold_validation
    >>> y_true, y_score = [0, 0, 0, 1, 0, 1, 1, 1], [1, 2, 3, 4, 5, 6, 7, 8]
    >>> optimal_threshold_validation(y_true, y_score, rng=0)
     part  apparent   in_bag  out_of_bag  optimism  corrected
    value      0.75  0.87125    0.435882     0.173      0.577
    <BLANKLINE>
    threshold 6
    """

    threshold: float
    value: OptimismEstimate
    limited_rate: OptimismEstimate | None
    thresholds: NDArray[Any]

    def _columns(self) -> dict[str, Array]:
        parts = {"value": self.value, "limited_rate": self.limited_rate}
        shown = {name: part for name, part in parts.items() if part is not None}
        numbers = np.array(list(shown.values()), np.float64)
        names = dict(zip(OptimismEstimate._fields, numbers.T, strict=True))
        return {"part": np.array(list(shown))} | names

    def to_pandas(self) -> Any:
        """Return a ``pandas.DataFrame`` with a row for the value, and one for the limited rate."""
        return to_pandas(self)


def optimal_threshold_validation(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    method: ThresholdMethod = "youden",
    cost_fp: float | None = None,
    cost_fn: float | None = None,
    prevalence: float | None = None,
    cost: float | None = None,
    revenue: float | None = None,
    limit: float | None = None,
    n_resamples: int = 1000,
    stratified: bool = True,
    sample_weight: ArrayLike | None = None,
    nan_policy: NanPolicy = "raise",
    rng: Any = None,
    pos_label: Label | None = None,
    n_jobs: int | None = None,
) -> ThresholdValidation:
    """Return how well the optimal threshold is expected to perform on new rows.

    Parameters
    ----------
    y_true, y_score : array-like of shape (n_samples,)
        As in ``roc_auc_ci``; tied rows are on the same side of every threshold.
    method : str
        The criterion, as in ``optimal_threshold``.
    cost_fp, cost_fn, cost, revenue : float, optional
        The amounts for "cost" and "profit", as in ``optimal_threshold``.
    prevalence : float in (0, 1), optional
        The prevalence of positives where the threshold will be used, if it differs from the
        sample's.
    limit : float in [0, 1], optional
        For "max_fpr", "min_recall" and "min_precision": the limit on this rate.
    n_resamples : int
        Number of bootstrap replicates.
    stratified : bool
        Whether each replicate has the same number of rows of each class as the sample; if False,
        the numbers are random as well.
    sample_weight, rng, pos_label, nan_policy, n_jobs : optional
        As in ``bootstrap_ci``.

    Returns
    -------
    ThresholdValidation
        ``threshold``, the ``value`` of the criterion there with its optimism, the ``limited_rate``
        with its optimism, and the ``thresholds`` of the replicates; ``print`` shows them as a
        table. For a criterion that is minimized, the optimism is negative. "profit" is for as many
        rows as the sample has. For "equal_error_rate", the value is (fpr + fnr) / 2 at the
        threshold, the half total error rate, as the two rates differ on other rows. NaN, with an
        ``UndefinedMetricWarning``, if only one class is present, and except for the sample itself
        if a class has a single row.

    Raises
    ------
    ValueError, InvalidParameterError, OverflowError
        As for ``optimal_threshold``.

    See Also
    --------
    fastauc.metrics.optimal_threshold : The threshold, and its performance on the sample.

    Notes
    -----
    The performance of a threshold on the sample it was chosen on is optimistic. Each replicate
    draws rows, chooses its own threshold, and applies it to the rows drawn, to the rows not drawn,
    and to all rows. cutpointr reports ``out_of_bag``; replicates whose out-of-bag rows are all of
    one class are excluded. The optimism is Harrell's [1]_: how much better the threshold performs
    on the rows that it was chosen on than on all of them. The thresholds of replicates are chosen
    on about 0.63 n distinct rows, and so are slightly worse than the final one.

    In simulations of 20+20, 50+50 and 30+300 rows with normal scores, ``out_of_bag`` was 0.003 to
    0.017 below the true performance of the threshold for Youden's index and F1, and ``corrected``
    0.01 to 0.05 above it, with an optimism of 0.04 to 0.14: rely on the former where they differ.

    On the sample, the limited rate is within its limit by construction; ``corrected`` and
    ``out_of_bag`` show what to expect on new rows. If several thresholds are equally good, the
    highest is used; cutpointr uses the median. O(n log n) time, plus O(n) for each replicate.

    References
    ----------
    .. [1] F. E. Harrell, K. L. Lee and D. B. Mark, "Multivariable prognostic models", Stat. Med. 15
       (1996) 361-387.
    .. [2] C. Thiele and G. Hirschfeld, "cutpointr: improved estimation and validation of optimal
       cutpoints in R", J. Stat. Softw. 98 (2021) 11.

    Examples
    --------
    >>> from fastauc.inference import optimal_threshold_validation
    >>> y_true, y_score = [0, 0, 0, 1, 0, 1, 1, 1], [1, 2, 3, 4, 5, 6, 7, 8]
    >>> found = optimal_threshold_validation(y_true, y_score, rng=0)
    >>> found.threshold, found.value.apparent, found.value.corrected < 0.75
    (6.0, 0.75, True)
    """
    function = "optimal_threshold_validation"
    choice = Choice(method, cost_fp, cost_fn, prevalence, cost, revenue, limit)
    check_choice(choice, function)
    check_integer(n_resamples, "n_resamples", 1, function)
    check_flag(stratified, "stratified", function)
    generator, rows = read_rng(rng, function), (y_true, y_score, sample_weight)
    with Workers(n_jobs, function) as workers:
        sample = Rows(function, *rows, pos_label, nan_policy).sample(workers)
        if sample.n_pos == 0 or sample.n_neg == 0:
            warn_one_class(sample)
            limited_rate = _UNKNOWN if method in LIMITED else None
            return ThresholdValidation(math.nan, _UNKNOWN, limited_rate, np.empty(0))
        return _validate(sample, choice, n_resamples, bool(stratified), generator, workers)


def _validate(
    sample: BinarySample,
    choice: Choice,
    n_resamples: int,
    stratified: bool,
    rng: np.random.Generator,
    workers: Workers,
) -> ThresholdValidation:
    (ordered,), _ = put_in_order([sample], None)
    steps, scores = find_score_steps(ordered, None)
    thresholds = np.append(math.inf, scores)
    whole = _counts_of(whole_sample(steps))
    size, n_numbers = float(whole.total), 1 + (choice.method in LIMITED)

    def measure(steps: ThresholdCounts, point: int) -> list[float]:
        """Return the value, and the limited rate if there is one."""
        if not steps.has_both:
            return [math.nan] * n_numbers
        value = value_at(steps, choice, point)
        if choice.method == "profit":
            value *= size / float(steps.total)
        return [value, limited_rate_at(steps, choice, point)] if n_numbers == 2 else [value]

    def of_replicate(in_bag: Replicate, factors: tuple[Array, Array]) -> list[float]:
        bag = _counts_of(in_bag)
        # Groups that were not drawn are not thresholds: the first of equal points is one that was.
        first = min(
            int(np.searchsorted(counts, counts.dtype.type(0), "right")) for counts in bag[:2]
        )
        best = find_point(_steps_of(bag.fps[first:], bag.tps[first:]), choice)
        point = best + first if best else 0
        # The rows of a class are in the order of their steps.
        left = [
            _sums_to(rows.weight, each == 0, int(np.searchsorted(rows.step, np.uint32(point))))
            for rows, each in zip((steps.neg, steps.pos), reversed(factors), strict=True)
        ]
        counts = [_counts_to(bag, point), _steps_of(*left), _counts_to(whole, point)]
        return [point, *(number for each in counts for number in measure(each, min(point, 1)))]

    best = find_point(whole, choice)
    warn_if_unreached(choice, best)
    threshold, apparent = thresholds.item(best), measure(whole, best)
    found, chosen = [_UNKNOWN._replace(apparent=number) for number in apparent], np.empty(0)
    if can_vary(steps):
        resampler = Resampler([steps], stratified, with_factors=True)
        values = evaluate(resampler, n_resamples, of_replicate, rng, workers)
        if not np.isfinite(values[:, 1 + n_numbers]).any():
            warn_undefined(
                f"The rows that were not drawn belong to one class in all {n_resamples} "
                "replicates: the out-of-bag value is undefined."
            )
        points, *columns = values.T
        found = [_estimate(own, columns[k::n_numbers]) for k, own in enumerate(apparent)]
        chosen = thresholds[points.astype(np.intp)]
    limited_rate = found[1] if n_numbers == 2 else None
    return ThresholdValidation(threshold, found[0], limited_rate, chosen)


def _counts_of(drawn: Replicate) -> ThresholdCounts:
    """Return the counts at all steps, including those without rows."""
    # Where they are: all rows are fewer than 2^32, and no memory is touched for the first time.
    return _steps_of(*(np.cumsum(each, dtype=each.dtype, out=each) for each in drawn[1::-1]))


def _steps_of(fps: Array, tps: Array) -> ThresholdCounts:
    """Return counts whose thresholds are not asked for."""
    return ThresholdCounts(fps, tps, fps, tps)


def _counts_to(counts: ThresholdCounts, point: int) -> ThresholdCounts:
    """Return the counts to a point, and to the last one."""
    return _steps_of(counts.fps[[point - 1, -1]], counts.tps[[point - 1, -1]])


def _sums_to(weight: Doubles, is_left: Array, stop: int) -> Array:
    """Return how many of the first rows, and of all, are left, or their weights."""
    left, add_up = (weight * is_left, exact_sum) if len(weight) else (is_left, np.count_nonzero)
    return np.array([add_up(left[:stop]), add_up(left)])


def _estimate(apparent: float, columns: Sequence[Doubles]) -> OptimismEstimate:
    """Return the column means: in the bag, out of bag, and on the whole sample."""
    in_bag, out_of_bag = (_mean(column) for column in columns[:2])
    optimism = _mean(columns[0] - columns[2])
    return OptimismEstimate(apparent, in_bag, out_of_bag, optimism, apparent - optimism)


def _mean(column: Doubles) -> float:
    """Return the mean of the defined values; precision without predicted positives is not."""
    defined = column[~np.isnan(column)]
    return float(defined.mean()) if len(defined) else math.nan
