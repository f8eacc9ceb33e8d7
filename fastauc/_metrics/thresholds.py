"""Which threshold to use: by a criterion of the sample, or from the costs of the errors alone."""

from __future__ import annotations

import math

from numpy.typing import ArrayLike

from fastauc._counts.selected import count_read_sample
from fastauc._counts.thresholds import Choice, OptimalThreshold, check_choice, find_threshold
from fastauc._validation.arrays import as_fraction
from fastauc._validation.labels import Label
from fastauc._validation.missing import omit_missing
from fastauc._validation.options import check_flag, check_option, check_positive
from fastauc._validation.samples import read_opposite


def optimal_threshold(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    method: str = "youden",
    cost_fp: float | None = None,
    cost_fn: float | None = None,
    prevalence: float | None = None,
    cost: float | None = None,
    revenue: float | None = None,
    limit: float | None = None,
    pos_label: Label | None = None,
    sample_weight: ArrayLike | None = None,
    higher_is_positive: bool = True,
    nan_policy: str = "raise",
    n_jobs: int | None = None,
) -> OptimalThreshold:
    """Return the threshold that is best by a criterion, and what it does.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Labels of two classes; of more if ``pos_label`` is given.
    y_score : array-like of shape (n_samples,)
        Scores in any numeric dtype; higher means more likely positive, unless told otherwise.
        Finite.
    method : str
        The criterion, whose value at the threshold is the ``value`` of the result:

        - "youden": the greatest tpr - fpr, which is the value;
        - "balanced_accuracy": the greatest (tpr + tnr) / 2: the same threshold;
        - "closest_topleft": the least distance of the ROC curve from the corner (0, 1);
        - "accuracy": the greatest share of rows whose class is predicted;
        - "f1": the greatest 2 tp / (2 tp + fp + fn);
        - "cost": the least mean cost of a row, of ``cost_fp`` and ``cost_fn``;
        - "profit": the greatest ``revenue * tp - cost * (tp + fp)``;
        - "max_fpr": the greatest tpr (the value) with a false positive rate of at most ``limit``;
        - "min_recall": the least fpr (the value) with a recall of at least ``limit``;
        - "min_precision": the greatest recall (the value) with a precision of at least ``limit``;
          no row is predicted positive if no threshold reaches it.
    cost_fp, cost_fn : float, optional
        For "cost": what a false positive and a false negative cost; not negative.
    prevalence : float in (0, 1), optional
        For "accuracy", "f1", "cost" and "min_precision": the share of the positives where the
        threshold will be used, if it is not that of the sample. The others do not depend on it.
    cost, revenue : float, optional
        For "profit": what each row costs that is chosen, and what each positive among them brings;
        not negative.
    limit : float in [0, 1], optional
        For "max_fpr", "min_recall" and "min_precision": the limit of this rate. A double stands
        for every rate that rounds to it: 9 of 10 reach 0.9.
    pos_label : int, float, bool or str, optional
        The label of the positives; 1 if left out, for labels in {0, 1} or {-1, 1}.
    sample_weight : array-like of shape (n_samples,), optional
        Weights of the rows, not negative; rows of weight 0 are left out.
    higher_is_positive : bool
        False for scores that are lower for the positives, as points of a scorecard are for bad
        loans: rows scored at or below the threshold are predicted positive then.
    nan_policy : {"raise", "omit"}
        Whether a score that is missing, as NaN or None, is an error, or its row is left out. Rows
        in errors are then counted among those that are left.
    n_jobs : int or None
        Threads; None means the environment's FASTAUC_NUM_THREADS or 1, -1 all cores. The result
        does not depend on it.

    Returns
    -------
    OptimalThreshold
        The fields ``threshold``, ``value`` and ``matrix``, whose properties are the rates. All NaN,
        with an ``UndefinedMetricWarning``, for a class without rows.

        Of several thresholds that are equally good, the highest is taken (the lowest without
        ``higher_is_positive``): it predicts the fewest rows positive. Values are compared as exact
        fractions of the counts and the doubles given.

    Raises
    ------
    ValueError
        For NaN or infinite scores; negative, infinite, NaN or all-zero weights; unequal lengths;
        no rows; labels that need ``pos_label``.
    InvalidParameterError
        For a ``method`` that is not known, or an option outside its domain.

    See Also
    --------
    bayes_threshold : From the costs alone, for scores that are probabilities.
    optimal_threshold_validation : What the threshold does on other rows.

    Notes
    -----
    O(n log n) time. The performance of a threshold on the sample it was chosen on is optimistic;
    validate it on new data.

    Tied rows are on the same side of every threshold. Sources: W. J. Youden, "Index for rating
    diagnostic tests", Cancer 3 (1950) 32-35; "closest_topleft" and it are the best thresholds of
    pROC's ``coords``; for costs, C. Elkan, "The foundations of cost-sensitive learning", Proc. 17th
    IJCAI (2001) 973-978.

    Examples
    --------
    >>> from fastauc import optimal_threshold
    >>> y_true, y_score = [0, 0, 0, 1, 1, 1, 0], [0.5, 0.1, 0.2, 0.6, 0.2, 0.3, 0.0]
    >>> best = optimal_threshold(y_true, y_score)
    >>> best.threshold, best.value, best.matrix
    (0.2, 0.5, ConfusionMatrix(tn=2, fp=2, fn=0, tp=3))
    >>> optimal_threshold(y_true, y_score, method="cost", cost_fp=1, cost_fn=2).threshold
    0.2

    Points that are lower for the positives: those of 520 and fewer are predicted positive.

    >>> points = [540, 610, 580, 500, 580, 520, 700]
    >>> optimal_threshold(y_true, points, higher_is_positive=False).threshold
    520
    """
    y_true, y_score, sample_weight = omit_missing(
        y_true, y_score, sample_weight, nan_policy, "optimal_threshold"
    )
    function = "optimal_threshold"
    choice = Choice(method, cost_fp, cost_fn, prevalence, cost, revenue, limit)
    check_choice(choice, function)
    check_flag(higher_is_positive, "higher_is_positive", function)
    if not higher_is_positive:
        y_score = read_opposite(y_score, function)
    groups = count_read_sample(y_true, y_score, sample_weight, pos_label, n_jobs, function)
    found = find_threshold(groups, choice)
    return found if higher_is_positive else found._replace(threshold=0 - found.threshold)


def bayes_threshold(cost_fp: float, cost_fn: float, *, scale: str = "probability") -> float:
    """Return the threshold of least expected cost for scores that are true probabilities.

    Parameters
    ----------
    cost_fp, cost_fn : float
        What a false positive and a false negative cost, above 0. Only their ratio matters.
    scale : {"probability", "logit"}
        Whether the threshold is one of the probability p of a positive, or of ln(p / (1 - p)).

    Returns
    -------
    float
        ``cost_fp / (cost_fp + cost_fn)``, correctly rounded, or ``ln(cost_fp / cost_fn)``.

    Raises
    ------
    InvalidParameterError
        For costs that are not above 0, or a ``scale`` that is not known.

    Notes
    -----
    To predict positive costs (1 - p) cost_fp on average, to predict negative p cost_fn.

    O(1) time. Source: C. Elkan, "The foundations of cost-sensitive learning", Proc. 17th IJCAI
    (2001) 973-978, eq. 2, where right predictions cost nothing.

    Examples
    --------
    >>> from fastauc import bayes_threshold
    >>> bayes_threshold(1, 4), bayes_threshold(1, 4, scale="logit")
    (0.2, -1.3862943611198906)
    """
    function = "bayes_threshold"
    check_positive(cost_fp, "cost_fp", function)
    check_positive(cost_fn, "cost_fn", function)
    check_option(scale, "scale", ("probability", "logit"), function)
    false_positive, false_negative = as_fraction(cost_fp), as_fraction(cost_fn)
    if scale == "probability":
        return float(false_positive / (false_positive + false_negative))
    ratio = false_positive / false_negative
    if 2.0**-1000 < ratio < 2.0**1000:
        return math.log(ratio)
    return math.log(false_positive) - math.log(false_negative)  # the ratio may be no double
