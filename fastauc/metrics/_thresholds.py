"""Choosing a threshold: by a criterion on the sample, or from the costs of errors alone.

Also what probabilities are worth at each threshold that somebody may choose.
"""

from __future__ import annotations

import math

from numpy.typing import ArrayLike

from fastauc._counts.confusion_counts import count_rows
from fastauc._counts.gains import Points
from fastauc._counts.thresholds import (
    Choice,
    OptimalThreshold,
    check_choice,
    find_threshold,
    net_benefit_points,
)
from fastauc._validation.arrays import as_fraction, opposite_number
from fastauc._validation.labels import Label
from fastauc._validation.literals import NanPolicy, Scale, ThresholdMethod
from fastauc._validation.options import check_literal, check_positive, check_prevalence
from fastauc._validation.rows import Rows
from fastauc._validation.samples import (
    check_probabilities,
    read_scores,
    read_threshold_probabilities,
)


def optimal_threshold(
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
    pos_label: Label | None = None,
    sample_weight: ArrayLike | None = None,
    higher_is_positive: bool = True,
    nan_policy: NanPolicy = "raise",
    n_jobs: int | None = None,
) -> OptimalThreshold:
    """Return the threshold that is optimal by a given criterion, and its confusion matrix.

    Parameters
    ----------
    y_true, y_score, sample_weight, pos_label, nan_policy, n_jobs
        As for ``gini_score``.
    method : str
        The criterion; its value at the threshold is the ``value`` of the result:

        - "youden": maximum tpr - fpr (Youden's J);
        - "balanced_accuracy": maximum (tpr + tnr) / 2; the same threshold as "youden";
        - "closest_topleft": minimum distance of the ROC curve from the corner (0, 1);
        - "accuracy": maximum share of correctly predicted rows;
        - "f1": maximum 2 tp / (2 tp + fp + fn);
        - "equal_error_rate": the threshold at which fpr and fnr are closest. The value is the
          equal error rate (EER): fpr where the ROC curve, with straight lines between its points,
          crosses fpr = fnr;
        - "cost": minimum mean cost per row, given ``cost_fp`` and ``cost_fn``;
        - "profit": maximum ``revenue * tp - cost * (tp + fp)``;
        - "max_fpr": maximum tpr (the value) with a false positive rate of at most ``limit``;
        - "min_recall": minimum fpr (the value) with a recall of at least ``limit``;
        - "min_precision": maximum recall (the value) with a precision of at least ``limit``; if no
          threshold reaches it, no row is predicted positive.
    cost_fp, cost_fn : float, optional
        For "cost": the cost of a false positive and of a false negative; non-negative.
    prevalence : float in (0, 1), optional
        For "accuracy", "f1", "cost" and "min_precision": the prevalence of positives where the
        threshold will be used, if it differs from the sample's. The other criteria do not depend on
        it.
    cost, revenue : float, optional
        For "profit": the cost of each row that is selected, and the revenue from each positive
        among them; non-negative.
    limit : float in [0, 1], optional
        For "max_fpr", "min_recall" and "min_precision": the limit on this rate. A double matches
        every rate that rounds to it: 9 of 10 reach 0.9.
    higher_is_positive : bool
        False for scores that are lower for the positives, like scorecard points for bad loans: rows
        that score at or below the threshold are then predicted positive.

    Returns
    -------
    OptimalThreshold
        The fields ``threshold``, ``value`` and ``matrix``, whose properties are the rates. All are
        NaN, with an ``UndefinedMetricWarning``, if only one class is present. If no
        threshold within a limit finds a positive, it is infinity and the value 0, with a
        UserWarning.

        If several thresholds are equally good, the highest is returned (the lowest if
        ``higher_is_positive`` is False), which predicts the fewest rows positive. Values are
        compared as exact fractions of the counts and the given floats.

    Raises
    ------
    ValueError
        As for ``gini_score``.
    InvalidParameterError
        For an unknown ``method``, or an invalid option.

    See Also
    --------
    bayes_threshold : From the costs alone, if scores are probabilities.
    net_benefit_curve : How good probabilities are at every threshold.
    fastauc.inference.optimal_threshold_validation : How the threshold performs on new rows.

    Notes
    -----
    O(n log n) time. The performance of a threshold on the sample it was chosen on is optimistic;
    validate it on new data. Tied rows are on the same side of every threshold. Sources: W. J.
    Youden, "Index for rating diagnostic tests", Cancer 3 (1950) 32-35; "youden" and
    "closest_topleft" are the best thresholds of pROC's ``coords``; for costs, C. Elkan, "The
    foundations of cost-sensitive learning", Proc. 17th IJCAI (2001) 973-978.

    The equal error rate is that of ``brentq(lambda x: 1 - x - interp1d(fpr, tpr)(x), 0, 1)``, a
    common recipe, but exact. SpeechBrain returns the mean of fpr and fnr at the threshold, which
    ``matrix`` gives; BOSARIS reads the convex hull, and its rate is never higher.

    Examples
    --------
    >>> from fastauc.metrics import optimal_threshold
    >>> y_true, y_score = [0, 0, 0, 1, 1, 1, 0], [0.5, 0.1, 0.2, 0.6, 0.2, 0.3, 0.0]
    >>> best = optimal_threshold(y_true, y_score)
    >>> best.threshold, best.value, best.matrix
    (0.2, 0.5, ConfusionMatrix(tn=2, fp=2, fn=0, tp=3))
    >>> optimal_threshold(y_true, y_score, method="cost", cost_fp=1, cost_fn=2).threshold
    0.2

    Points that are lower for the positives: rows with 520 points or fewer are predicted positive.

    >>> points = [540, 610, 580, 500, 580, 520, 700]
    >>> optimal_threshold(y_true, points, higher_is_positive=False).threshold
    520
    """
    function = "optimal_threshold"
    rows = Rows(function, y_true, y_score, sample_weight, pos_label, nan_policy, n_jobs)
    choice = Choice(method, cost_fp, cost_fn, prevalence, cost, revenue, limit)
    check_choice(choice, function)
    rows.reverse_unless(higher_is_positive)
    found = find_threshold(count_rows(rows), choice)
    return (
        found if higher_is_positive else found._replace(threshold=opposite_number(found.threshold))
    )


def bayes_threshold(cost_fp: float, cost_fn: float, *, scale: Scale = "probability") -> float:
    """Return the threshold with the minimum expected cost, for scores that are probabilities.

    Parameters
    ----------
    cost_fp, cost_fn : float
        The cost of a false positive and of a false negative, above 0. Only their ratio matters.
    scale : {"probability", "logit"}
        Whether the threshold is for the probability p of a positive, or for ln(p / (1 - p)).

    Returns
    -------
    float
        ``cost_fp / (cost_fp + cost_fn)``, correctly rounded, or ``ln(cost_fp / cost_fn)``.

    Raises
    ------
    InvalidParameterError
        For costs that are not above 0, or an unknown ``scale``.

    Notes
    -----
    O(1) time. Predicting positive costs (1 - p) cost_fp on average, and predicting negative p
    cost_fn. Source: C. Elkan, "The foundations of cost-sensitive learning", Proc. 17th IJCAI
    (2001) 973-978, eq. 2, with no cost for correct predictions.

    Examples
    --------
    >>> from fastauc.metrics import bayes_threshold
    >>> bayes_threshold(1, 4), bayes_threshold(1, 4, scale="logit")
    (0.2, -1.3862943611198906)
    """
    function = "bayes_threshold"
    check_positive(cost_fp, "cost_fp", function)
    check_positive(cost_fn, "cost_fn", function)
    check_literal(scale, "scale", Scale, function)
    false_positive, false_negative = as_fraction(cost_fp), as_fraction(cost_fn)
    if scale == "probability":
        return float(false_positive / (false_positive + false_negative))
    ratio = false_positive / false_negative
    if 2.0**-1000 < ratio < 2.0**1000:
        return math.log(ratio)
    return math.log(false_positive) - math.log(false_negative)  # the ratio may be no double


def net_benefit_curve(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    thresholds: ArrayLike | None = None,
    prevalence: float | None = None,
    pos_label: Label | None = None,
    sample_weight: ArrayLike | None = None,
    nan_policy: NanPolicy = "raise",
    n_jobs: int | None = None,
) -> Points:
    """Return the net benefit of treating rows by their predicted probability: the decision curve.

    At a threshold probability p, rows of probability p or more are treated. Whoever chooses p finds
    a false positive p / (1 - p) times as bad as a true positive is good, so the net benefit is
    ``tp / n - fp / n * p / (1 - p)``, in true positives per row.

    Parameters
    ----------
    y_true, pos_label, sample_weight, nan_policy, n_jobs
        As for ``optimal_threshold``.
    y_score : array-like of shape (n_samples,)
        Probabilities of the positive class, in [0, 1] and any numeric dtype. Points or log odds
        must be converted first, and miscalibrated probabilities lower the net benefit.
    thresholds : array-like of shape (n_thresholds,), optional
        Threshold probabilities p in [0, 1), in any order. By default, the distinct scores below 1,
        in decreasing order.
    prevalence : float in (0, 1), optional
        The prevalence of positives in the population, if it differs from the sample's, as in a
        case-control study.

    Returns
    -------
    net_benefit : float64 array of shape (n_thresholds,)
        The net benefit of treating rows that score at or above each threshold; at most the
        prevalence. The net benefit of treating none is 0.
    net_benefit_all : float64 array of shape (n_thresholds,)
        The net benefit of treating all rows: ``prevalence - (1 - prevalence) * p / (1 - p)``. A
        model is of use at p if its net benefit is above this and above 0.
    thresholds : float64 array of shape (n_thresholds,)
        The threshold probabilities p.

        One class only is no exception, unless ``prevalence`` is given: then the net benefit is all
        NaN, with an ``UndefinedMetricWarning``.

    Raises
    ------
    ValueError
        For scores outside [0, 1] and thresholds outside [0, 1), NaN included; negative, infinite,
        NaN or all-zero weights; unequal lengths; no rows; labels that need ``pos_label``.
    InvalidParameterError
        For a ``prevalence`` outside (0, 1).

    See Also
    --------
    bayes_threshold : The threshold probability from the costs of errors.

    Notes
    -----
    O(n log n) time. The error is below 2^-49 times the larger of the two terms that are subtracted.

    Tied rows are treated together. Between two distinct scores the same rows are treated, but the
    net benefit falls with p, in a curve. To compare models, give the same thresholds for each. Of
    ``np.arange(1, 100) / 100``, each is the double nearest to the hundredth, as 0.35 is;
    ``np.arange(0.01, 1, 0.01)`` contains 0.35000000000000003, above scores of 0.35.

    Sources: A. J. Vickers and E. B. Elkin, "Decision curve analysis: a novel method for evaluating
    prediction models", Med. Decis. Making 26 (2006) 565-574; with a prevalence, ``dca`` of R's
    dcurves, which, other than here, does not treat rows of probability 0 at threshold 0.

    Examples
    --------
    >>> from fastauc.metrics import net_benefit_curve
    >>> y_true, y_score = [0, 0, 1, 0, 1, 1], [0.1, 0.2, 0.3, 0.3, 0.4, 0.5]
    >>> net_benefit, net_benefit_all, thresholds = net_benefit_curve(
    ...     y_true, y_score, thresholds=[0.2, 0.5]
    ... )
    >>> net_benefit.round(3), net_benefit_all.round(3)
    (array([0.417, 0.167]), array([0.375, 0.   ]))
    """
    rows = Rows("net_benefit_curve", y_true, y_score, sample_weight, pos_label, nan_policy, n_jobs)
    given = read_threshold_probabilities(thresholds, rows.function)
    share = check_prevalence(prevalence, rows.function)
    rows.read()
    read_scores(rows.y_score)  # NaN is no probability, and has a sentence of its own
    check_probabilities(rows.y_score, "y_score")
    return net_benefit_points(count_rows(rows), given, share)
