"""Gain and lift, the gains table, and profit."""

from __future__ import annotations

import math

from numpy.typing import ArrayLike

from fastauc._counts import gains
from fastauc._counts.confusion_counts import count_rows, count_sample
from fastauc._counts.gains import Points
from fastauc._counts.result_table import ResultTable
from fastauc._counts.selected import counts_around, counts_at_share
from fastauc._pairs.concordance import exact_area
from fastauc._validation.arrays import as_fraction
from fastauc._validation.errors import warn_if_undefined
from fastauc._validation.labels import Label
from fastauc._validation.literals import NanPolicy, Ties
from fastauc._validation.options import check_amount
from fastauc._validation.rows import Rows
from fastauc._validation.threads import Workers


def gain_curve(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    pos_label: Label | None = None,
    sample_weight: ArrayLike | None = None,
    nan_policy: NanPolicy = "raise",
    n_jobs: int | None = None,
) -> Points:
    """Return the cumulative gain: the share of positives found, by share of the rows selected.

    Also called the cumulative accuracy profile (CAP), or the Lorenz curve of the positives.

    Parameters
    ----------
    y_true, y_score, sample_weight, pos_label, nan_policy, n_jobs
        As for ``gini_score``.

    Returns
    -------
    share : float64 array of shape (n_thresholds + 1,)
        The share of the rows, or of their weight, at or above each threshold: from 0 to 1.
    tpr : float64 array of shape (n_thresholds + 1,)
        The share of the positives at or above each threshold: from 0 to 1. All NaN, with an
        ``UndefinedMetricWarning``, without positives.
    thresholds : float64 array of shape (n_thresholds + 1,)
        Infinity, followed by the distinct scores in decreasing order.

    Raises
    ------
    ValueError
        As for ``gini_score``.

    Notes
    -----
    O(n log n) time. Tied rows form one step; along the line between two points, only some of them
    are selected. Source: M. Vuk and T. Curk, "ROC curve, lift chart and calibration plot",
    Metodološki zvezki 3 (2006) 89-108, where it is called the lift chart.

    Examples
    --------
    >>> from fastauc.metrics import gain_curve
    >>> share, tpr, thresholds = gain_curve([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    >>> share, tpr
    (array([0.  , 0.25, 0.5 , 0.75, 1.  ]), array([0. , 0.5, 0.5, 1. , 1. ]))
    """
    rows = Rows("gain_curve", y_true, y_score, sample_weight, pos_label, nan_policy, n_jobs)
    return gains.gain_points(count_rows(rows))


def lift_curve(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    pos_label: Label | None = None,
    sample_weight: ArrayLike | None = None,
    nan_policy: NanPolicy = "raise",
    n_jobs: int | None = None,
) -> Points:
    """Return the lift over random selection, by share of the rows selected.

    Parameters
    ----------
    y_true, y_score, sample_weight, pos_label, nan_policy, n_jobs
        As for ``gini_score``.

    Returns
    -------
    share, lift, thresholds : float64 arrays of shape (n_thresholds + 1,)
        As for ``gain_curve``, with the lift ``tpr / share``. Its first entry is the limit
        at 0, which is the lift of the rows with the highest score, as the gain curve starts with a
        line. All NaN, with an ``UndefinedMetricWarning``, without positives.

    Raises
    ------
    ValueError
        As for ``gini_score``.

    Notes
    -----
    O(n log n) time. Between two points, the gain is linear in the share of the rows, but the lift
    is not. Tied rows form one point. Source: ``lift_curve`` of R's yardstick.

    Examples
    --------
    >>> from fastauc.metrics import lift_curve
    >>> share, lift, thresholds = lift_curve([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    >>> lift
    array([2.        , 2.        , 1.        , 1.33333333, 1.        ])
    """
    rows = Rows("lift_curve", y_true, y_score, sample_weight, pos_label, nan_policy, n_jobs)
    return gains.lift_points(count_rows(rows))


def gain_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    pos_label: Label | None = None,
    sample_weight: ArrayLike | None = None,
    nan_policy: NanPolicy = "raise",
    n_jobs: int | None = None,
) -> float:
    """Return the area under the gain curve.

    The probability that a random positive scores above a random row, where a tie, or drawing the
    same row, counts one half.

    Parameters
    ----------
    y_true, y_score, sample_weight, pos_label, nan_policy, n_jobs
        As for ``gini_score``.

    Returns
    -------
    float
        p / 2 + (1 - p) AUC, for the share p of the positives; if unweighted, the double nearest to
        the exact fraction. NaN, with an ``UndefinedMetricWarning``, for a class without rows.

    Raises
    ------
    ValueError
        As for ``gini_score``.

    Notes
    -----
    Time and memory as for ``roc_auc_score``; O(n log n) with weights. The area is 1/2 for random
    scores and 1 - p / 2 for a perfect model. The accuracy ratio of the cumulative accuracy profile
    compares the two, (area - 1/2) / ((1 - p) / 2), and equals 2 AUC - 1, which does not depend on
    p: it is ``gini_score``. Sources: see ``gain_curve`` and ``gini_score``.

    Examples
    --------
    >>> from fastauc.metrics import gain_score
    >>> gain_score([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    0.625
    """
    rows = Rows("gain_score", y_true, y_score, sample_weight, pos_label, nan_policy, n_jobs)
    with Workers(n_jobs) as workers:
        sample = rows.sample(workers)
        if sample.weight is not None:
            return gains.gain_area(count_sample(sample, workers))
        if warn_if_undefined(sample.n_pos, sample.n_neg):
            return math.nan
        area = exact_area(sample, workers)
    return float(gains.gain_of_area(area, as_fraction(sample.n_pos), as_fraction(sample.n_neg)))


def gain_at(
    y_true: ArrayLike,
    y_score: ArrayLike,
    share: float,
    *,
    pos_label: Label | None = None,
    sample_weight: ArrayLike | None = None,
    nan_policy: NanPolicy = "raise",
    n_jobs: int | None = None,
) -> float:
    """Return the share of positives captured in the top share of rows: "44% in the top 10%".

    Parameters
    ----------
    y_true, y_score, sample_weight, pos_label, nan_policy, n_jobs
        As for ``gini_score``.
    share : float in [0, 1]
        The share of the rows, or of their weight, that is selected. A double matches the share k /
        n of n rows that rounds to it: 0.57 is 57 of 100.

    Returns
    -------
    float
        The share of the positives; if the cutoff falls among tied rows, they are included in
        proportion. If unweighted, the double nearest to the exact fraction. NaN, with an
        ``UndefinedMetricWarning``, without positives.

    Raises
    ------
    ValueError
        As for ``gini_score``.
    InvalidParameterError
        For a ``share`` outside [0, 1].

    Notes
    -----
    O(n) time if the scores are spread out, O(n log n) otherwise. For several shares,
    ``confusion_matrix_at_thresholds(y_true, y_score).gain_at`` sorts only once. Source: that of
    ``gain_curve``.

    Examples
    --------
    >>> from fastauc.metrics import gain_at
    >>> gain_at([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], 0.25)
    0.5
    """
    rows = Rows("gain_at", y_true, y_score, sample_weight, pos_label, nan_policy, n_jobs)
    return gains.gain_of_share(counts_at_share(rows, share), share)


def lift_at(
    y_true: ArrayLike,
    y_score: ArrayLike,
    share: float,
    *,
    pos_label: Label | None = None,
    sample_weight: ArrayLike | None = None,
    nan_policy: NanPolicy = "raise",
    n_jobs: int | None = None,
) -> float:
    """Return the lift in the top share of rows: positives found relative to random selection.

    Parameters
    ----------
    y_true, y_score, share, sample_weight, pos_label, nan_policy, n_jobs
        As for ``gain_at``; at a share of 0, the limit is returned.

    Returns
    -------
    float
        ``gain_at`` divided by ``share``; if unweighted, the double nearest to the exact fraction.
        NaN, with an ``UndefinedMetricWarning``, without positives.

    Raises
    ------
    ValueError, InvalidParameterError
        As for ``gain_at``.

    Notes
    -----
    Time, and tied rows, as for ``gain_at``. Source: ``lift_curve`` of R's yardstick.

    Examples
    --------
    >>> from fastauc.metrics import lift_at
    >>> lift_at([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], 0.25)
    2.0
    """
    rows = Rows("lift_at", y_true, y_score, sample_weight, pos_label, nan_policy, n_jobs)
    return gains.lift_of_share(counts_at_share(rows, share), share)


def gains_table(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    bins: int = 10,
    ties: Ties = "group",
    cost: float | None = None,
    revenue: float | None = None,
    pos_label: Label | None = None,
    sample_weight: ArrayLike | None = None,
    higher_is_positive: bool = True,
    nan_policy: NanPolicy = "raise",
    n_jobs: int | None = None,
) -> ResultTable:
    """Return the gains table: rows ranked by score, in bins of equal size.

    Parameters
    ----------
    y_true, y_score, sample_weight, pos_label, nan_policy, n_jobs
        As for ``gini_score``.
    bins : int
        Number of bins, from 1 to the number of rows.
    ties : {"group", "split"}
        How to treat tied rows at the edge of two bins. "group": they stay together, and the edge
        moves to the nearest end of the group, or to the higher one if both are equally near; bins
        left empty are dropped. "split": they are divided proportionally, so that all bins have the
        same size, and counts need not be integers. Neither depends on the order of the rows.
    cost, revenue : float, optional
        The cost of each row that is selected, and the revenue from each positive among them: give
        both or neither.
    higher_is_positive : bool
        False for scores that are lower for the positives, like scorecard points for bad loans: the
        rows with the lowest scores then come first.

    Returns
    -------
    ResultTable
        One row per bin, from the highest scores down (from the lowest up if ``higher_is_positive``
        is False), with the columns

        - ``bin``: its number, from 1; ``n``: its number of rows, or their weight;
        - ``share``, ``cum_share``: its share of all rows, and the cumulative share;
        - ``min_score``, ``max_score``: its lowest and highest score;
        - ``response_rate``, ``cum_response_rate``: the share of positives among its rows, and among
          the rows of all bins so far;
        - ``n_pos``, ``pos_share``, ``cum_pos_share``: its positives, their share of all positives,
          and the cumulative share, which is the true positive rate;
        - ``n_neg``, ``neg_share``, ``cum_neg_share``: the same for the negatives;
        - ``ks``: ``cum_pos_share - cum_neg_share``;
        - ``lift``: ``pos_share / share``; ``cum_lift``: ``cum_pos_share / cum_share``;

        and, given costs, ``spend``, ``income``, ``profit``, and ``roi``, the profit divided by the
        spend: for the bin and, with the prefix ``cum_``, cumulative.

        Shares are fractions, not percentages: 0.1 is ten percent. Each number is an exact quotient,
        rounded once; with weights, a quotient of their rounded sums. NaN, with an
        ``UndefinedMetricWarning``, where a class has no rows.

    Raises
    ------
    ValueError
        As for ``gini_score``.
    InvalidParameterError
        For ``bins`` below 1 or above the number of rows, unknown ``ties``, a negative ``cost`` or
        ``revenue``, or one without the other.

    Notes
    -----
    O(n) time if the scores are spread out and the bins few, O(n log n) otherwise. Sources: for the
    gain (``cum_pos_share`` by ``cum_share``), that of ``gain_curve``; for the lift, ``lift_curve``
    of R's yardstick.

    Examples
    --------
    >>> from fastauc.metrics import gains_table
    >>> y_true, y_score = [0, 0, 1, 0, 1, 1], [0.1, 0.2, 0.3, 0.3, 0.4, 0.5]
    >>> table = gains_table(y_true, y_score, bins=3, cost=1, revenue=3)
    >>> table["n_pos"].tolist(), table["cum_lift"].tolist(), table["profit"].tolist()
    ([2, 1, 0], [2.0, 1.5, 1.0], [4.0, 1.0, -2.0])
    """
    function = "gains_table"
    rows = Rows(function, y_true, y_score, sample_weight, pos_label, nan_policy, n_jobs)
    options = gains.TableOptions(bins, ties, cost, revenue)
    gains.check_table(options, function)
    rows.reverse_unless(higher_is_positive)
    with Workers(n_jobs) as workers:
        sample = rows.sample(workers)
        n_rows = len(sample.label)
        borders = gains.ideal_borders(as_fraction(n_rows), min(int(bins), n_rows))
        groups = counts_around(sample, borders, workers)
    table = gains.tabulate(groups, options, n_rows, function)
    return table if higher_is_positive else gains.in_own_scale(table)


def profit_curve(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    cost: float,
    revenue: float,
    pos_label: Label | None = None,
    sample_weight: ArrayLike | None = None,
    nan_policy: NanPolicy = "raise",
    n_jobs: int | None = None,
) -> Points:
    """Return the profit by share of the rows selected.

    In a campaign, the rows selected are the customers to contact, and the positives the customers
    who respond. In lending, they are the loans to accept, and the positives are the *good* ones:
    with an income for each good loan and a loss for each bad one, give the loss as ``cost`` and the
    sum of the two as ``revenue``.

    Parameters
    ----------
    y_true, y_score, sample_weight, pos_label, nan_policy, n_jobs
        As for ``gini_score``.
    cost : float
        The cost of each row that is selected, positive or negative; non-negative.
    revenue : float
        The revenue from each positive among them; non-negative.

    Returns
    -------
    share, profit, thresholds : float64 arrays of shape (n_thresholds + 1,)
        As for ``gain_curve``, with the profit ``revenue * tp - cost * (tp + fp)``, starting at 0
        for no rows. Also defined if only one class is present.

    Raises
    ------
    ValueError
        As for ``gini_score``.
    InvalidParameterError
        For a ``cost`` or ``revenue`` that is missing, negative or not finite.

    See Also
    --------
    optimal_threshold : The best cutoff, with ``method="profit"``.

    Notes
    -----
    O(n log n) time. Tied rows are selected together; along the line between two points, only some
    of them are. Source: F. Provost and T. Fawcett, Data Science for Business, O'Reilly (2013),
    chapter 8.

    Examples
    --------
    >>> from fastauc.metrics import profit_curve
    >>> y_true, y_score = [0, 0, 1, 0, 1, 1], [0.1, 0.2, 0.3, 0.3, 0.4, 0.5]
    >>> share, profit, thresholds = profit_curve(y_true, y_score, cost=1, revenue=3)
    >>> profit
    array([0., 2., 4., 5., 4., 3.])

    Loans to accept, by the points of a scorecard: each good one earns 1, each bad one loses 5.

    >>> outcome, points = ["good", "bad", "good", "good"], [640, 590, 580, 700]
    >>> share, profit, cut_offs = profit_curve(outcome, points, cost=5, revenue=6, pos_label="good")
    >>> profit, cut_offs
    (array([ 0.,  1.,  2., -3., -2.]), array([ inf, 700., 640., 590., 580.]))
    """
    rows = Rows("profit_curve", y_true, y_score, sample_weight, pos_label, nan_policy, n_jobs)
    check_amount(cost, "cost", rows.function)
    check_amount(revenue, "revenue", rows.function)
    return gains.profit_points(count_rows(rows), cost, revenue)
