"""What the best rows bring: gain and lift, the gains table, profit."""

from __future__ import annotations

import math

from numpy.typing import ArrayLike

from fastauc._counts.gains import (
    Points,
    gain_area,
    gain_of_area,
    gain_of_share,
    gain_points,
    lift_of_share,
    lift_points,
    profit_points,
)
from fastauc._counts.gains_table import (
    Bins,
    check_table,
    ideal_borders,
    in_own_scale,
    tabulate,
)
from fastauc._counts.result_table import ResultTable
from fastauc._counts.selected import count_all, count_at_share, count_read_sample, counts_around
from fastauc._pairs.concordance import exact_area
from fastauc._validation.arrays import as_fraction
from fastauc._validation.errors import warn_if_undefined
from fastauc._validation.labels import Label
from fastauc._validation.missing import omit_missing
from fastauc._validation.options import check_amount, check_flag, check_positive
from fastauc._validation.samples import read_binary_sample, read_opposite
from fastauc._validation.threads import Workers


def gain_curve(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    pos_label: Label | None = None,
    sample_weight: ArrayLike | None = None,
    nan_policy: str = "raise",
    n_jobs: int | None = None,
) -> Points:
    """Return the share of the positives that are found against the share of the rows chosen.

    Also called the cumulative accuracy profile (CAP), and the Lorenz curve of the positives.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Labels of two classes; of more if ``pos_label`` is given.
    y_score : array-like of shape (n_samples,)
        Scores in any numeric dtype; higher means more likely positive. Finite.
    pos_label : int, float, bool or str, optional
        The label of the positives; 1 if left out, for labels in {0, 1} or {-1, 1}.
    sample_weight : array-like of shape (n_samples,), optional
        Weights of the rows, not negative; rows of weight 0 are left out.
    nan_policy : {"raise", "omit"}
        Whether a score that is missing, as NaN or None, is an error, or its row is left out. Rows
        in errors are then counted among those that are left.
    n_jobs : int or None
        Threads; None means the environment's FASTAUC_NUM_THREADS or 1, -1 all cores. The result
        does not depend on it.

    Returns
    -------
    positive_rate : float64 array of shape (n_thresholds + 1,)
        The share of the rows, or of their weight, at or above each threshold: from 0 to 1.
    tpr : float64 array of shape (n_thresholds + 1,)
        The share of the positives there: from 0 to 1. All NaN, with an ``UndefinedMetricWarning``,
        without positives.
    thresholds : float64 array of shape (n_thresholds + 1,)
        Infinity, and then the distinct scores, decreasing.

    Raises
    ------
    ValueError
        For NaN or infinite scores; negative, infinite, NaN or all-zero weights; unequal lengths;
        no rows; labels that need ``pos_label``.

    See Also
    --------
    gain_score : The area under the curve.

    Notes
    -----
    O(n log n) time. Tied rows make one step; along the line between two points, a part of them is
    chosen.

    Source: M. Vuk and T. Curk, "ROC curve, lift chart and calibration plot", Metodološki zvezki 3
    (2006) 89-108, where it is the lift chart.

    Examples
    --------
    >>> from fastauc import gain_curve
    >>> positive_rate, tpr, thresholds = gain_curve([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    >>> positive_rate, tpr
    (array([0.  , 0.25, 0.5 , 0.75, 1.  ]), array([0. , 0.5, 0.5, 1. , 1. ]))
    """
    y_true, y_score, sample_weight = omit_missing(
        y_true, y_score, sample_weight, nan_policy, "gain_curve"
    )
    groups = count_read_sample(y_true, y_score, sample_weight, pos_label, n_jobs, "gain_curve")
    return gain_points(groups)


def lift_curve(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    pos_label: Label | None = None,
    sample_weight: ArrayLike | None = None,
    nan_policy: str = "raise",
    n_jobs: int | None = None,
) -> Points:
    """Return how many times more positives are found than by chance, for each share of the rows.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Labels of two classes; of more if ``pos_label`` is given.
    y_score : array-like of shape (n_samples,)
        Scores in any numeric dtype; higher means more likely positive. Finite.
    pos_label : int, float, bool or str, optional
        The label of the positives; 1 if left out, for labels in {0, 1} or {-1, 1}.
    sample_weight : array-like of shape (n_samples,), optional
        Weights of the rows, not negative; rows of weight 0 are left out.
    nan_policy : {"raise", "omit"}
        Whether a score that is missing, as NaN or None, is an error, or its row is left out. Rows
        in errors are then counted among those that are left.
    n_jobs : int or None
        Threads; None means the environment's FASTAUC_NUM_THREADS or 1, -1 all cores. The result
        does not depend on it.

    Returns
    -------
    positive_rate : float64 array of shape (n_thresholds + 1,)
        The share of the rows, or of their weight, at or above each threshold: from 0 to 1.
    lift : float64 array of shape (n_thresholds + 1,)
        ``tpr / positive_rate``. The first entry is the limit at 0, which is that of the rows with
        the highest score: the curve of the gain begins with a line. All NaN, with an
        ``UndefinedMetricWarning``, without positives.
    thresholds : float64 array of shape (n_thresholds + 1,)
        Infinity, and then the distinct scores, decreasing.

    Raises
    ------
    ValueError
        For NaN or infinite scores; negative, infinite, NaN or all-zero weights; unequal lengths;
        no rows; labels that need ``pos_label``.

    Notes
    -----
    O(n log n) time. Between two points the lift is a line of the gain by the share of the rows, and
    no line itself.

    Tied rows make one point. Source: ``lift_curve`` of R's yardstick.

    Examples
    --------
    >>> from fastauc import lift_curve
    >>> positive_rate, lift, thresholds = lift_curve([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    >>> lift
    array([2.        , 2.        , 1.        , 1.33333333, 1.        ])
    """
    y_true, y_score, sample_weight = omit_missing(
        y_true, y_score, sample_weight, nan_policy, "lift_curve"
    )
    groups = count_read_sample(y_true, y_score, sample_weight, pos_label, n_jobs, "lift_curve")
    return lift_points(groups)


def gain_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    pos_label: Label | None = None,
    sample_weight: ArrayLike | None = None,
    nan_policy: str = "raise",
    n_jobs: int | None = None,
) -> float:
    """Return the area under the gain curve.

    The probability that a random positive is above a random row, where a tie, and the row itself,
    count one half.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Labels of two classes; of more if ``pos_label`` is given.
    y_score : array-like of shape (n_samples,)
        Scores in any numeric dtype; higher means more likely positive. Finite.
    pos_label : int, float, bool or str, optional
        The label of the positives; 1 if left out, for labels in {0, 1} or {-1, 1}.
    sample_weight : array-like of shape (n_samples,), optional
        Weights of the rows, not negative; rows of weight 0 are left out.
    nan_policy : {"raise", "omit"}
        Whether a score that is missing, as NaN or None, is an error, or its row is left out. Rows
        in errors are then counted among those that are left.
    n_jobs : int or None
        Threads; None means the environment's FASTAUC_NUM_THREADS or 1, -1 all cores. The result
        does not depend on it.

    Returns
    -------
    float
        p1 / 2 + p0 AUC, for the shares p1 of the positives and p0 of the negatives; unweighted, the
        double nearest to the exact fraction. NaN, with an ``UndefinedMetricWarning``, for a class
        without rows.

    Raises
    ------
    ValueError
        For NaN or infinite scores; negative, infinite, NaN or all-zero weights; unequal lengths;
        no rows; labels that need ``pos_label``.

    See Also
    --------
    gini_score : The accuracy ratio, (area - 1/2) / (p0 / 2), which does not depend on p1.

    Notes
    -----
    Time and memory as ``roc_auc_score``; O(n log n) with weights. By chance the area is 1/2, and at
    best 1 - p1 / 2. The accuracy ratio of the cumulative accuracy profile compares the two, and
    equals 2 AUC - 1: it is ``gini_score``.

    Sources: M. Vuk and T. Curk, "ROC curve, lift chart and calibration plot", Metodološki zvezki 3
    (2006) 89-108; B. Engelmann, E. Hayden and D. Tasche, "Testing rating accuracy", Risk 16 (2003)
    82-86.

    Examples
    --------
    >>> from fastauc import gain_score
    >>> gain_score([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    0.625
    """
    y_true, y_score, sample_weight = omit_missing(
        y_true, y_score, sample_weight, nan_policy, "gain_score"
    )
    function = "gain_score"
    with Workers(n_jobs, function) as workers:
        sample = read_binary_sample(y_true, y_score, sample_weight, pos_label, function, workers)
        if sample.weight is not None:
            return gain_area(count_all(sample, workers))
        warn_if_undefined(sample.n_pos, sample.n_neg)
        if sample.n_pos == 0 or sample.n_neg == 0:
            return math.nan
        area = exact_area(sample, workers)
    return float(gain_of_area(area, as_fraction(sample.n_pos), as_fraction(sample.n_neg)))


def gain_at(
    y_true: ArrayLike,
    y_score: ArrayLike,
    share: float,
    *,
    pos_label: Label | None = None,
    sample_weight: ArrayLike | None = None,
    nan_policy: str = "raise",
    n_jobs: int | None = None,
) -> float:
    """Return how many of the positives are among the best rows, as "44 % in the top 10 %".

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Labels of two classes; of more if ``pos_label`` is given.
    y_score : array-like of shape (n_samples,)
        Scores in any numeric dtype; higher means more likely positive. Finite.
    share : float in [0, 1]
        The share of the rows, or of their weight, that is chosen. A double stands for the share
        k / n of n rows that rounds to it: 0.57 for 57 of 100.
    pos_label : int, float, bool or str, optional
        The label of the positives; 1 if left out, for labels in {0, 1} or {-1, 1}.
    sample_weight : array-like of shape (n_samples,), optional
        Weights of the rows, not negative; rows of weight 0 are left out.
    nan_policy : {"raise", "omit"}
        Whether a score that is missing, as NaN or None, is an error, or its row is left out. Rows
        in errors are then counted among those that are left.
    n_jobs : int or None
        Threads; None means the environment's FASTAUC_NUM_THREADS or 1, -1 all cores. The result
        does not depend on it.

    Returns
    -------
    float
        The share of the positives; where the choice ends among tied rows, these are taken in part.
        Unweighted, the double nearest to the exact fraction. NaN, with an
        ``UndefinedMetricWarning``, without positives.

    Raises
    ------
    ValueError
        For NaN or infinite scores; negative, infinite, NaN or all-zero weights; unequal lengths;
        no rows; labels that need ``pos_label``.
    InvalidParameterError
        For a ``share`` outside [0, 1].

    Notes
    -----
    O(n) time where scores are spread, O(n log n) for others. For several shares,
    ``confusion_matrix_at_thresholds(y_true, y_score).gain_at`` sorts once.

    Source: M. Vuk and T. Curk, "ROC curve, lift chart and calibration plot", Metodološki zvezki 3
    (2006) 89-108.

    Examples
    --------
    >>> from fastauc import gain_at
    >>> gain_at([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], 0.25)
    0.5
    """
    y_true, y_score, sample_weight = omit_missing(
        y_true, y_score, sample_weight, nan_policy, "gain_at"
    )
    return gain_of_share(
        count_at_share(y_true, y_score, share, pos_label, sample_weight, n_jobs, "gain_at"), share
    )


def lift_at(
    y_true: ArrayLike,
    y_score: ArrayLike,
    share: float,
    *,
    pos_label: Label | None = None,
    sample_weight: ArrayLike | None = None,
    nan_policy: str = "raise",
    n_jobs: int | None = None,
) -> float:
    """Return how many times more positives are among the best rows than among as many others.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Labels of two classes; of more if ``pos_label`` is given.
    y_score : array-like of shape (n_samples,)
        Scores in any numeric dtype; higher means more likely positive. Finite.
    share : float in [0, 1]
        The share of the rows, or of their weight, that is chosen; at 0, the limit is returned.
    pos_label : int, float, bool or str, optional
        The label of the positives; 1 if left out, for labels in {0, 1} or {-1, 1}.
    sample_weight : array-like of shape (n_samples,), optional
        Weights of the rows, not negative; rows of weight 0 are left out.
    nan_policy : {"raise", "omit"}
        Whether a score that is missing, as NaN or None, is an error, or its row is left out. Rows
        in errors are then counted among those that are left.
    n_jobs : int or None
        Threads; None means the environment's FASTAUC_NUM_THREADS or 1, -1 all cores. The result
        does not depend on it.

    Returns
    -------
    float
        ``gain_at`` divided by ``share``; unweighted, the double nearest to the exact fraction. NaN,
        with an ``UndefinedMetricWarning``, without positives.

    Raises
    ------
    ValueError
        For NaN or infinite scores; negative, infinite, NaN or all-zero weights; unequal lengths;
        no rows; labels that need ``pos_label``.
    InvalidParameterError
        For a ``share`` outside [0, 1].

    Notes
    -----
    Time as ``gain_at``.

    Tied rows as in ``gain_at``. Source: ``lift_curve`` of R's yardstick.

    Examples
    --------
    >>> from fastauc import lift_at
    >>> lift_at([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], 0.25)
    2.0
    """
    y_true, y_score, sample_weight = omit_missing(
        y_true, y_score, sample_weight, nan_policy, "lift_at"
    )
    return lift_of_share(
        count_at_share(y_true, y_score, share, pos_label, sample_weight, n_jobs, "lift_at"), share
    )


def gains_table(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    bins: int = 10,
    ties: str = "group",
    cost: float | None = None,
    revenue: float | None = None,
    pos_label: Label | None = None,
    sample_weight: ArrayLike | None = None,
    higher_is_positive: bool = True,
    nan_policy: str = "raise",
    n_jobs: int | None = None,
) -> ResultTable:
    """Tabulate the best rows, the next ones, and so on, in bins of equal size.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Labels of two classes; of more if ``pos_label`` is given.
    y_score : array-like of shape (n_samples,)
        Scores in any numeric dtype; higher means more likely positive, unless told otherwise.
        Finite.
    bins : int
        Number of bins, from 1 to the number of rows.
    ties : {"group", "split"}
        What happens to tied rows at the border of two bins. "group": they stay together, and the
        border moves to the nearest end of a group, the higher one of two that are equally near; a
        bin that is left without rows is left out. "split": they are divided in proportion, so that
        all bins have the same size, and counts need not be whole numbers. Never by the position of
        the rows.
    cost, revenue : float, optional
        What each row costs that is chosen, and what each positive among them brings: both or none.
    pos_label : int, float, bool or str, optional
        The label of the positives; 1 if left out, for labels in {0, 1} or {-1, 1}.
    sample_weight : array-like of shape (n_samples,), optional
        Weights of the rows, not negative; rows of weight 0 are left out.
    higher_is_positive : bool
        False for scores that are lower for the positives, as points of a scorecard are for bad
        loans: the rows with the lowest scores are the best ones then.
    nan_policy : {"raise", "omit"}
        Whether a score that is missing, as NaN or None, is an error, or its row is left out. Rows
        in errors are then counted among those that are left.
    n_jobs : int or None
        Threads; None means the environment's FASTAUC_NUM_THREADS or 1, -1 all cores. The result
        does not depend on it.

    Returns
    -------
    ResultTable
        A row for each bin, from the highest scores down (from the lowest ones up without
        ``higher_is_positive``), and the columns

        - ``bin``: its number, from 1; ``n``: its rows, or their weight;
        - ``share``, ``cum_share``: its share of all rows, and that of the bins to this one;
        - ``min_score``, ``max_score``: its scores;
        - ``response_rate``, ``cum_response_rate``: the share of positives among its rows;
        - ``n_pos``, ``pos_share``, ``cum_pos_share``: its positives, their share of all positives,
          and that of the bins to this one, which is the true positive rate;
        - ``n_neg``, ``neg_share``, ``cum_neg_share``: the same of the negatives;
        - ``ks``: ``cum_pos_share - cum_neg_share``;
        - ``lift``: ``pos_share / share``; ``cum_lift``: ``cum_pos_share / cum_share``;

        and with money, each of the bin and, with ``cum_`` before the name, of the bins to this one:
        ``spend``, ``income``, ``profit``, and ``roi``, the profit by the spending.

        Shares are not percentages: 0.1 is ten percent. Each number is an exact quotient, rounded
        once; of weights, of their rounded sums. NaN, with an ``UndefinedMetricWarning``, where a
        class has no rows.

    Raises
    ------
    ValueError
        For NaN or infinite scores; negative, infinite, NaN or all-zero weights; unequal lengths;
        no rows; labels that need ``pos_label``.
    InvalidParameterError
        For ``bins`` below 1 or above the number of rows, ``ties`` that are not known, negative
        money, or one amount of money without the other.

    Notes
    -----
    O(n) time where scores are spread and bins few, O(n log n) for others.

    Sources: of the gain, ``cum_pos_share`` by ``cum_share``, M. Vuk and T. Curk, "ROC curve, lift
    chart and calibration plot", Metodološki zvezki 3 (2006) 89-108; of the lift, ``lift_curve`` of
    R's yardstick.

    Examples
    --------
    >>> from fastauc import gains_table
    >>> y_true, y_score = [0, 0, 1, 0, 1, 1], [0.1, 0.2, 0.3, 0.3, 0.4, 0.5]
    >>> table = gains_table(y_true, y_score, bins=3, cost=1, revenue=3)
    >>> table["n_pos"].tolist(), table["cum_lift"].tolist(), table["profit"].tolist()
    ([2, 1, 0], [2.0, 1.5, 1.0], [4.0, 1.0, -2.0])
    """
    y_true, y_score, sample_weight = omit_missing(
        y_true, y_score, sample_weight, nan_policy, "gains_table"
    )
    function = "gains_table"
    options = Bins(bins, ties, cost, revenue)
    check_table(options, function)
    check_flag(higher_is_positive, "higher_is_positive", function)
    if not higher_is_positive:
        y_score = read_opposite(y_score, function)
    with Workers(n_jobs, function) as workers:
        sample = read_binary_sample(y_true, y_score, sample_weight, pos_label, function, workers)
        n_rows = len(sample.label)
        borders = ideal_borders(as_fraction(n_rows), min(int(bins), n_rows))
        groups = counts_around(sample, borders, workers)
    table = tabulate(groups, options, n_rows, function)
    return table if higher_is_positive else in_own_scale(table)


def profit_curve(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    cost: float,
    revenue: float,
    pos_label: Label | None = None,
    sample_weight: ArrayLike | None = None,
    nan_policy: str = "raise",
    n_jobs: int | None = None,
) -> Points:
    """Return the profit against the share of the rows chosen.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Labels of two classes; of more if ``pos_label`` is given.
    y_score : array-like of shape (n_samples,)
        Scores in any numeric dtype; higher means more likely positive. Finite.
    cost : float
        What each row costs that is chosen, not negative.
    revenue : float
        What each positive among them brings, not negative.
    pos_label : int, float, bool or str, optional
        The label of the positives; 1 if left out, for labels in {0, 1} or {-1, 1}.
    sample_weight : array-like of shape (n_samples,), optional
        Weights of the rows, not negative; rows of weight 0 are left out.
    nan_policy : {"raise", "omit"}
        Whether a score that is missing, as NaN or None, is an error, or its row is left out. Rows
        in errors are then counted among those that are left.
    n_jobs : int or None
        Threads; None means the environment's FASTAUC_NUM_THREADS or 1, -1 all cores. The result
        does not depend on it.

    Returns
    -------
    positive_rate : float64 array of shape (n_thresholds + 1,)
        The share of the rows, or of their weight, at or above each threshold: from 0 to 1.
    profit : float64 array of shape (n_thresholds + 1,)
        ``revenue * tp - cost * (tp + fp)``, from 0 for no row. Defined for one class as well.
    thresholds : float64 array of shape (n_thresholds + 1,)
        Infinity, and then the distinct scores, decreasing.

    Raises
    ------
    ValueError
        For NaN or infinite scores; negative, infinite, NaN or all-zero weights; unequal lengths;
        no rows; labels that need ``pos_label``.
    InvalidParameterError
        For amounts that are missing, negative or not finite.

    See Also
    --------
    optimal_threshold : The best cut-off, by ``method="profit"``.
    break_even_response_rate : Where the profit begins to fall.

    Notes
    -----
    O(n log n) time.

    Tied rows are chosen together; along the line between two points, a part of them is. Source: F.
    Provost and T. Fawcett, Data Science for Business, O'Reilly (2013), chapter 8.

    Examples
    --------
    >>> from fastauc import profit_curve
    >>> y_true, y_score = [0, 0, 1, 0, 1, 1], [0.1, 0.2, 0.3, 0.3, 0.4, 0.5]
    >>> positive_rate, profit, thresholds = profit_curve(y_true, y_score, cost=1, revenue=3)
    >>> profit
    array([0., 2., 4., 5., 4., 3.])
    """
    y_true, y_score, sample_weight = omit_missing(
        y_true, y_score, sample_weight, nan_policy, "profit_curve"
    )
    function = "profit_curve"
    check_amount(cost, "cost", function)
    check_amount(revenue, "revenue", function)
    groups = count_read_sample(y_true, y_score, sample_weight, pos_label, n_jobs, function)
    return profit_points(groups, cost, revenue)


def break_even_response_rate(cost: float, revenue: float) -> float:
    """Return the share of positives from which on it pays to choose rows.

    Parameters
    ----------
    cost : float
        What each row costs, not negative.
    revenue : float
        What each positive brings, above 0.

    Returns
    -------
    float
        ``cost / revenue``; above 1 if it never pays.

    Raises
    ------
    InvalidParameterError
        For amounts outside their range.

    Notes
    -----
    Of a well calibrated score it is the best threshold.

    O(1) time. It is ``bayes_threshold(cost, revenue - cost)``, where revenue is above the cost: C.
    Elkan, "The foundations of cost-sensitive learning", Proc. 17th IJCAI (2001) 973-978, eq. 2.

    Examples
    --------
    >>> from fastauc import break_even_response_rate
    >>> break_even_response_rate(cost=1, revenue=5)
    0.2
    """
    function = "break_even_response_rate"
    check_amount(cost, "cost", function)
    check_positive(revenue, "revenue", function)
    return float(as_fraction(cost) / as_fraction(revenue))
