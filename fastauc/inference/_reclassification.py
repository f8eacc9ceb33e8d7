"""Net reclassification and integrated discrimination improvement by a new model."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastauc._counts.proportions import ConfidenceInterval
from fastauc._tables import result, to_pandas
from fastauc._validation.arrays import Array, as_doubles
from fastauc._validation.columns import read_increasing, read_models
from fastauc._validation.errors import warn_undefined
from fastauc._validation.labels import Label
from fastauc._validation.options import check_confidence_level
from fastauc._validation.threads import SERIAL
from fastauc.inference._distributions import normal_quantile, normal_tail
from fastauc.inference._results import NAN_INTERVAL, Estimate


@result("fastauc.inference")
class ReclassificationResult(NamedTuple):
    """An improvement by a new model, and its parts for events and nonevents.

    Attributes
    ----------
    improvement : Estimate
        The sum of the two parts, with its standard error and confidence interval.
    pvalue : float
        Two-sided, for an improvement of 0. Not evidence for a marker: see the functions.
    events, nonevents : Estimate
        The improvement among the positives and among the negatives; above 0 is better for both.

    Examples
    --------
    >>> from fastauc.inference import net_reclassification_improvement
    >>> old, new = [0.1, 0.4, 0.2, 0.5, 0.6, 0.3], [0.2, 0.3, 0.1, 0.7, 0.5, 0.4]
    >>> result = net_reclassification_improvement([0, 0, 0, 1, 1, 1], old, new)
    >>> round(result.events.statistic, 4), round(result.nonevents.statistic, 4)
    (0.3333, 0.3333)
    """

    improvement: Estimate
    pvalue: float
    events: Estimate
    nonevents: Estimate

    def _columns(self) -> dict[str, Array]:
        parts = {name: part for name, part in self._asdict().items() if isinstance(part, Estimate)}
        ends = [part.confidence_interval for part in parts.values()]
        return {
            "part": np.array(list(parts)),
            "statistic": np.array([part.statistic for part in parts.values()]),
            "standard_error": np.array([part.standard_error for part in parts.values()]),
            "low": np.array([end.low for end in ends]),
            "high": np.array([end.high for end in ends]),
        }

    def to_pandas(self) -> Any:
        """Return a ``pandas.DataFrame`` with a row for the sum and for each part."""
        return to_pandas(self)


_Part = tuple[Fraction | float, Fraction | float]


def net_reclassification_improvement(
    y_true: ArrayLike,
    y_score_old: ArrayLike,
    y_score_new: ArrayLike,
    *,
    thresholds: ArrayLike | None = None,
    confidence_level: float = 0.95,
    pos_label: Label | None = None,
) -> ReclassificationResult:
    """Return the net reclassification improvement (NRI) of a new model over an old one.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Labels of two classes; of more if ``pos_label`` is given, the events.
    y_score_old, y_score_new : array-like of shape (n_samples,)
        Risks predicted by the two models, in any numeric dtype, compared as doubles. Finite. A row
        with tied risks, or in the same category under both models, is not reclassified.
    thresholds : array-like of shape (n_thresholds,), optional
        Increasing lower limits of the risk categories; a risk equal to a threshold is above it. By
        default, any change of the risk counts: the category-free NRI.
    confidence_level : float in (0, 1)
        The nominal coverage of the two-sided intervals.
    pos_label : int, float, bool or str, optional
        The label of the positive class; defaults to 1 if the labels are in {0, 1} or {-1, 1}.

    Returns
    -------
    ReclassificationResult
        ``improvement, pvalue, events, nonevents``. For events, the share that moves up minus the
        share that moves down; for nonevents, down minus up; within [-1, 1], from integer counts,
        rounded once. Their sum is within [-2, 2]. NaN, with an ``UndefinedMetricWarning``, if only
        one class is present; NaN bounds and p-value if the estimated variance is 0 but the
        improvement is not.

    Raises
    ------
    ValueError
        For NaN or infinite scores, unequal lengths, no rows, more than two labels, and thresholds
        that are not increasing.
    InvalidParameterError
        For an invalid option; it is both a ValueError and a TypeError.

    Notes
    -----
    Do not use it as evidence that a model is better. It can be positive for a worthless marker,
    even on rows that the models were not fitted on, and its test is then significant far too often
    [3]_, [4]_. A miscalibrated model can gain by it. Report its parts, and compare the AUCs with
    ``roc_auc_test``. With one threshold, the parts are the changes in sensitivity and specificity,
    which ``mcnemar_test`` compares.

    The NRI is that of [1]_, without categories that of [2]_. The variance of a part is that of a
    multinomial proportion, as in Hmisc's ``improveProb``; the z statistic of [1]_ omits its second
    term. Values are shares, not percentages. O(n) time.

    References
    ----------
    .. [1] M. J. Pencina, R. B. D'Agostino Sr, R. B. D'Agostino Jr and R. S. Vasan, "Evaluating the
       added predictive ability of a new marker", Statist. Med. 27 (2008) 157-172.
    .. [2] M. J. Pencina, R. B. D'Agostino Sr and E. W. Steyerberg, "Extensions of net
       reclassification improvement calculations", Statist. Med. 30 (2011) 11-21.
    .. [3] K. F. Kerr et al., "Net reclassification indices for evaluating risk prediction
       instruments: a critical review", Epidemiology 25 (2014) 114-121.
    .. [4] M. S. Pepe, J. Fan, Z. Feng, T. Gerds and J. Hilden, "The net reclassification index
       (NRI): a misleading measure of prediction improvement even with independent test data sets",
       Stat. Biosci. 7 (2015) 282-295.

    Examples
    --------
    >>> from fastauc.inference import net_reclassification_improvement
    >>> old, new = [0.1, 0.4, 0.2, 0.5, 0.6, 0.3], [0.2, 0.3, 0.1, 0.7, 0.5, 0.4]
    >>> y_true = [0, 0, 0, 1, 1, 1]
    >>> net_reclassification_improvement(y_true, old, new, thresholds=[0.35]).improvement.statistic
    0.6666666666666666
    """
    function = "net_reclassification_improvement"
    check_confidence_level(confidence_level, function)
    edges = None if thresholds is None else read_increasing(thresholds, "thresholds", function)
    label, *risks = _read(y_true, y_score_old, y_score_new, pos_label, function)
    if edges is not None:
        risks = [np.searchsorted(edges, risk, side="right") for risk in risks]
    old, new = risks
    moves = np.sign(np.subtract(new > old, new < old, dtype=np.int8))
    parts = [_net_share(moves[label == 1]), _net_share(-moves[label == 0])]
    return _result(parts, float(confidence_level), 1.0)


def integrated_discrimination_improvement(
    y_true: ArrayLike,
    y_score_old: ArrayLike,
    y_score_new: ArrayLike,
    *,
    confidence_level: float = 0.95,
    pos_label: Label | None = None,
) -> ReclassificationResult:
    """Return the integrated discrimination improvement (IDI) of a new model over an old one.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Labels of two classes; of more if ``pos_label`` is given, the events.
    y_score_old, y_score_new : array-like of shape (n_samples,)
        Finite risks predicted by the two models, probabilities, in any numeric dtype. Ties do not
        matter.
    confidence_level : float in (0, 1)
        The nominal coverage of the two-sided intervals.
    pos_label : int, float, bool or str, optional
        The label of the positive class; defaults to 1 if the labels are in {0, 1} or {-1, 1}.

    Returns
    -------
    ReclassificationResult
        ``improvement, pvalue, events, nonevents``: the mean increase in risk among the events, the
        mean decrease among the nonevents, and their sum. NaN, with an ``UndefinedMetricWarning``,
        if only one class is present; NaN standard error, bounds and p-value if a class has a single
        row, or if the estimated variance is 0 but the improvement is not.

    Raises
    ------
    ValueError
        For NaN or infinite scores, unequal lengths, no rows, and more than two labels.
    InvalidParameterError
        For an invalid option; it is both a ValueError and a TypeError.

    Notes
    -----
    Do not use it as evidence that a model is better: it can be positive for a worthless marker, and
    its test is not valid if the models were fitted on the same rows [2]_, [3]_. Compare the AUCs
    with ``roc_auc_test``.

    The variance is that of the two mean differences, as in Hmisc's ``improveProb``. O(n) time.

    References
    ----------
    .. [1] M. J. Pencina, R. B. D'Agostino Sr, R. B. D'Agostino Jr and R. S. Vasan, "Evaluating the
       added predictive ability of a new marker", Statist. Med. 27 (2008) 157-172.
    .. [2] K. F. Kerr, R. L. McClelland, E. R. Brown and T. Lumley, "Evaluating the incremental
       value of new biomarkers with integrated discrimination improvement", Am. J. Epidemiol. 174
       (2011) 364-374.
    .. [3] J. Hilden and T. A. Gerds, "A note on the evaluation of novel biomarkers: do not rely on
       integrated discrimination improvement and net reclassification index", Statist. Med. 33
       (2014) 3405-3414.

    Examples
    --------
    >>> from fastauc.inference import integrated_discrimination_improvement
    >>> old, new = [0.25, 0.5, 0.5, 0.5], [0.25, 0.25, 0.75, 0.5]
    >>> integrated_discrimination_improvement([0, 0, 1, 1], old, new).improvement.statistic
    0.25
    """
    function = "integrated_discrimination_improvement"
    check_confidence_level(confidence_level, function)
    label, old, new = _read(y_true, y_score_old, y_score_new, pos_label, function)
    increase = new.astype(np.float64) - old.astype(np.float64)
    parts = [_mean(increase[label == 1]), _mean(-increase[label == 0])]
    return _result(parts, float(confidence_level), math.inf)


def _read(
    y_true: object,
    y_score_old: object,
    y_score_new: object,
    pos_label: Label | None,
    function: str,
) -> tuple[NDArray[np.uint8], Array, Array]:
    """Return the labels and both risks; with a single label, the other class has no rows."""
    scores = {"y_score_old": y_score_old, "y_score_new": y_score_new}
    models = read_models(y_true, scores, None, None, function, SERIAL, pos_label)
    if models.n_labels < 2:
        warn_undefined("Only one class is present in y_true: improvements require both.")
    old, new = (as_doubles(order)[0] for order, _ in models.scores)
    return models.label, old, new


def _net_share(right: NDArray[np.int8]) -> _Part:
    """Return the share of correct moves minus that of wrong moves, and its variance."""
    n = len(right)
    if n == 0:
        return math.nan, math.nan
    net, moved = int(right.sum(dtype=np.int64)), int(np.count_nonzero(right))
    return Fraction(net, n), Fraction(n * moved - net**2, n**3)


def _mean(gains: NDArray[np.float64]) -> _Part:
    n = len(gains)
    if n == 0:
        return math.nan, math.nan
    mean = math.fsum(gains.tolist()) / n
    if n == 1:
        return mean, math.nan
    return mean, math.fsum(((gains - mean) ** 2).tolist()) / (n - 1) / n


def _result(parts: list[_Part], level: float, most: float) -> ReclassificationResult:
    (of_events, of_nonevents), (variance, other_variance) = zip(*parts, strict=True)
    total = of_events + of_nonevents, variance + other_variance
    improvement = _estimate(total, level, 2 * most)
    pvalue = math.nan
    if improvement.standard_error > 0:
        pvalue = 2 * normal_tail(abs(improvement.statistic) / improvement.standard_error)
    elif improvement.statistic == improvement.standard_error == 0:
        pvalue = 1.0
    return ReclassificationResult(
        improvement, pvalue, *(_estimate(part, level, most) for part in parts)
    )


def _estimate(part: _Part, level: float, most: float) -> Estimate:
    """Return an estimate whose interval is within ``most`` of 0; zero width only at 0."""
    statistic, error = float(part[0]), math.sqrt(part[1])
    width = normal_quantile((1 - level) / 2) * error
    interval = ConfidenceInterval(max(-most, statistic - width), min(most, statistic + width))
    if math.isnan(error) or (error == 0 and statistic != 0):
        interval = NAN_INTERVAL
    return Estimate(statistic, error, interval, level, "wald")
