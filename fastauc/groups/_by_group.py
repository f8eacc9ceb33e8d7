"""AUC by group of rows (user, query, site, segment), and its mean over groups.

Pairs are counted within each group, in integers, so the AUC of a group is exactly what
``roc_auc_score`` returns for its rows. Recommender systems know the mean over groups as GAUC.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastauc._counts.proportions import ConfidenceInterval, wilson_bounds
from fastauc._kernels import groups as _groups
from fastauc._tables import result, to_pandas
from fastauc._validation.arrays import UINT64, Array, as_python
from fastauc._validation.errors import warn_undefined
from fastauc._validation.labels import Label
from fastauc._validation.literals import Undefined, Weighting
from fastauc._validation.options import check_confidence_level, check_literal
from fastauc._validation.threads import Workers
from fastauc.groups._group_pairs import (
    GroupAreas,
    count_pairs_of,
    measure_groups,
    read_grouped_sample,
    spreads_of_weighted,
)
from fastauc.inference._delong import (
    UNSEEN_GROUP,
    Spread,
    effective_size,
    inverse_size,
    variance_of_spreads,
)
from fastauc.inference._distributions import normal_quantile
from fastauc.inference._pivots import pivot_of
from fastauc.inference._results import NAN_INTERVAL, Estimate

NO_GROUP = (
    "No group has rows of both classes. The mean of their ROC AUC scores is undefined in that case."
)


@result("fastauc.groups")
class AucByGroup(NamedTuple):
    """The AUCs of groups, as parallel arrays.

    Attributes
    ----------
    group, auc, n_pos, n_neg, undefined : arrays of shape (n_groups,)
        The ids of the groups that have rows, sorted (categories: in their own order; of several
        columns of ids: records with a field for each, named like the column, or by its number); the
        AUCs as float64, NaN if a group has only one class; the int64 numbers of rows of each class,
        without those with weight 0; and whether a class is missing.
    low, high : float64 arrays of shape (n_groups,) or None
        Bounds of the confidence interval, if requested.
    twice_u : uint64 array of shape (n_groups,) or None
        Twice the number of concordant pairs plus the number of tied ones, for the exact mean; None
        for weighted rows.

    Examples
    --------
    >>> from fastauc.groups import roc_auc_by_group
    >>> areas = roc_auc_by_group([1, 0, 0, 1], [0.9, 0.4, 0.8, 0.7], ["b", "a", "b", "a"])
    >>> dict(zip(areas.group.tolist(), areas.auc.tolist()))
    {'a': 1.0, 'b': 1.0}
    """

    group: Array
    auc: NDArray[np.float64]
    n_pos: NDArray[np.int64]
    n_neg: NDArray[np.int64]
    undefined: NDArray[np.bool_]
    low: NDArray[np.float64] | None = None
    high: NDArray[np.float64] | None = None
    twice_u: NDArray[np.uint64] | None = None

    def mean_ci(
        self, *, weighting: Weighting = "equal", confidence_level: float = 0.95
    ) -> Estimate:
        """Return the mean AUC (GAUC) with its standard error and confidence interval.

        The mean is that of ``grouped_roc_auc_score``, with the same ``weighting``; groups with only
        one class are skipped. NaN, with an ``UndefinedMetricWarning``, if no group counts; the
        interval also if only one does. Not for weighted rows.

        Assumes that groups, such as users or queries, are a random sample: the variance is the
        jackknife estimate (W. G. Cochran, "Sampling Techniques", 3rd ed., Wiley, 1977), leaving out
        one group at a time. It includes both the variation between groups and the error of each
        AUC; rows in the same group may be dependent. The interval is Wilson's for a proportion of
        that variance, with one more row in the rarer class or, if this is wider, with one more
        group whose AUC may be lower by 1/2: groups that the model does not suit may be rare. It
        uses Student's t distribution, with Kish's effective number of groups minus 1 as the degrees
        of freedom.

        Examples
        --------
        >>> from fastauc.groups import roc_auc_by_group
        >>> y_true, y_score = [1, 0, 1, 0, 1, 0, 1], [0.8, 0.3, 0.2, 0.6, 0.6, 0.1, 0.7]
        >>> estimate = roc_auc_by_group(y_true, y_score, [7, 7, 3, 3, 3, 5, 5]).mean_ci()
        >>> round(estimate.statistic, 4), round(estimate.standard_error, 4)
        (0.75, 0.25)
        """
        check_literal(weighting, "weighting", Weighting, "mean_ci")
        check_confidence_level(confidence_level, "mean_ci")
        if self.twice_u is None:
            raise ValueError("sample_weight was given, but mean_ci expects rows without weights.")
        counts = np.column_stack([self.n_neg, self.n_pos])
        statistic = mean_of_areas(counts, self.twice_u, weighting, "skip")
        defined, level = ~self.undefined, float(confidence_level)
        n_groups = int(np.count_nonzero(defined))
        if n_groups < 2:
            warn_undefined(
                "The variance of the mean is undefined: one group has rows of both classes; "
                "expected two or more."
                if n_groups
                else NO_GROUP
            )
            return Estimate(statistic, math.nan, NAN_INTERVAL, level, "wilson")
        weight = weights_of_groups(counts, weighting)[defined].astype(np.float64)
        whole = math.fsum(weight.tolist())
        # How the mean changes if a group is left out.
        deviation = weight / (whole - weight) * (self.auc[defined] - statistic)
        variance = (n_groups - 1) / n_groups * math.fsum((deviation**2).tolist())
        size = effective_size(weight)
        n_neg, n_pos = counts[defined].sum(axis=0).tolist()
        # Two groups have one degree of freedom, even if one of them is huge.
        df, unseen = max(1.0, size - 1), [((size, size), UNSEEN_GROUP)]
        spread = Spread(statistic, variance, (n_pos, n_neg), df, unseen=unseen)
        interval = ConfidenceInterval(*pivot_of(spread).interval(level))
        return Estimate(statistic, math.sqrt(variance), interval, level, "wilson")

    def _columns(self) -> dict[str, Array]:
        fields = self._asdict()
        del fields["twice_u"]
        names = self.group.dtype.names
        if names is not None:
            columns = {f"group_{name}": self.group[name] for name in names}
            fields = columns | {name: fields[name] for name in fields if name != "group"}
        return {name: column for name, column in fields.items() if column is not None}

    def to_pandas(self) -> Any:
        """Return a ``pandas.DataFrame`` with a row for each group."""
        return to_pandas(self)


# Intervals ----------------------------------------------------------------------------------------


def _intervals(
    areas: GroupAreas, spreads: list[Spread | None] | None, level: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the interval of ``roc_auc_ci`` for each AUC; NaN if it has no variance.

    Uses DeLong's variance, or the given spreads.
    """
    n_neg, n_pos = areas.counts.T.astype(np.float64)
    has_interval = (n_pos > 1) & (n_neg > 1)
    if spreads is not None:
        found = [
            NAN_INTERVAL if each is None else pivot_of(each).interval(level) for each in spreads
        ]
        low, high = np.array(found).reshape(-1, 2).T
    else:
        with np.errstate(divide="ignore", invalid="ignore"):
            of_neg, of_pos = areas.spreads.T
            variance = variance_of_spreads(of_pos, of_neg, n_pos, n_neg)
            share = inverse_size(areas.auc, variance, n_pos, n_neg)
            low, high = wilson_bounds(areas.auc, share, normal_quantile((1 - level) / 2))
    missing = ~has_interval & ~np.isnan(areas.auc)
    if missing.any():
        warn_undefined(
            f"{np.count_nonzero(missing)} of {len(missing)} groups have no confidence interval: "
            "it requires two rows of each class. Their bounds are NaN."
        )
    return np.where(has_interval, low, math.nan), np.where(has_interval, high, math.nan)


# Means --------------------------------------------------------------------------------------------


def _sum(values: NDArray[np.uint64]) -> int:
    """Return a sum that may exceed 64 bits."""
    return (int((values >> np.uint64(32)).sum()) << 32) + int(
        (values & UINT64.type(2**32 - 1)).sum()
    )


def weights_of_groups(totals: NDArray[Any], weighting: Weighting) -> NDArray[Any]:
    """Return the weights of groups, from their negatives and positives or the weights of both.

    Without overflow: a group has fewer than 2^62 pairs.
    """
    neg, pos = totals.T
    found: dict[Weighting, NDArray[Any]] = {"equal": np.ones_like(pos), "positives": pos}
    found |= {"size": neg + pos, "pairs": neg * pos}
    return found[weighting]


def exact_mean(
    twice_u: NDArray[np.uint64], pairs: NDArray[np.uint64], weight: NDArray[np.uint64], halves: int
) -> Fraction | float:
    """Return the weighted mean of twice / (2 pairs), plus 1/2 with the weight ``halves``.

    The result is the double nearest to the mean. 126 bits of each quotient are enough for that,
    unless the mean is in the middle of two doubles, or next to it: then a fraction is used.
    """
    total, inexact = _groups.add_quotients(twice_u, pairs, weight)
    total += halves << 126
    whole = (_sum(weight) + halves) << 127
    mean = total / whole
    if mean == (total + inexact) / whole:
        return mean
    parts: dict[int, int] = {}
    for double, n_pairs, times in zip(*(a.tolist() for a in (twice_u, pairs, weight)), strict=True):
        parts[n_pairs] = parts.get(n_pairs, 0) + double * times
    exact = sum(Fraction(part, 2 * n_pairs) for n_pairs, part in parts.items())
    return (exact + Fraction(halves, 2)) / (_sum(weight) + halves)


def mean_of_areas(
    counts: NDArray[np.int64], twice_u: NDArray[np.uint64], weighting: Weighting, undefined: str
) -> float:
    """Return the mean of unweighted AUCs, rounded once; NaN if all weights are 0."""
    weight, pairs = weights_of_groups(counts, weighting).astype(UINT64), count_pairs_of(counts)
    defined = pairs != 0
    halves = _sum(weight[~defined]) if undefined == "half" else 0
    twice_u, pairs, weight = twice_u[defined], pairs[defined], weight[defined]
    if _sum(weight) + halves == 0:
        return math.nan
    if weighting == "pairs":
        return _sum(twice_u) / (2 * _sum(pairs))
    return float(exact_mean(twice_u, pairs, weight, halves))


def _mean_of_weighted(areas: GroupAreas, weighting: Weighting, undefined: Undefined) -> float:
    """Return the mean of weighted AUCs; every sum is rounded once, so the order is irrelevant."""
    totals = areas.totals
    assert totals is not None
    chosen = slice(None) if undefined == "half" else ~np.isnan(areas.auc)
    totals, auc = totals[chosen], areas.auc[chosen]
    # Scaled by powers of two, so that no product overflows, or is rounded below the normal numbers.
    # By those of a class that are added to no others: weights of the classes may be far apart.
    most = np.max(totals, axis=None if weighting == "size" else 0, initial=0)
    weight = weights_of_groups(np.ldexp(totals, -np.frexp(most)[1]), weighting)
    auc = np.where(np.isnan(auc), 0.5, auc)
    whole = math.fsum(weight)
    return math.fsum(weight * auc) / whole if whole else math.nan


# Public functions ---------------------------------------------------------------------------------


def roc_auc_by_group(
    y_true: ArrayLike,
    y_score: ArrayLike,
    groups: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    pos_label: Label | None = None,
    confidence_level: float | None = None,
    n_jobs: int | None = None,
) -> AucByGroup:
    """Return the AUC of every group of rows.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Labels of two classes.
    y_score : array-like of shape (n_samples,)
        Finite scores of any numeric dtype; higher means more likely positive. Only equal scores
        are tied, and a tied pair counts one half.
    groups : array-like of shape (n_samples,) or (n_samples, n_columns)
        The id of each row's group: integers, booleans, dates, strings, whole floats, or categories;
        in any order. Missing ids are an error. Of several columns, in a matrix, a DataFrame, a
        mapping, or a list of arrays, the groups are the combinations that occur. From the sizes of
        contiguous groups: ``np.repeat(np.arange(len(sizes)), sizes)``.
    sample_weight : array-like of shape (n_samples,), optional
        Non-negative sample weights; rows with weight 0 are ignored, and so are groups that
        have no other rows.
    pos_label : int, float, bool or str, optional
        The label of the positive class; defaults to 1 if the labels are in {0, 1} or {-1, 1}.
    confidence_level : float in (0, 1), optional
        If given, return confidence intervals of this level, as ``roc_auc_ci`` does with DeLong's
        variance (1988). With weights they are computed one group at a time, which takes up to half
        a millisecond each.
    n_jobs : int or None
        Number of threads. None: the environment variable FASTAUC_NUM_THREADS, or 1 if it is not
        set; -1: all cores. The result does not depend on it.

    Returns
    -------
    AucByGroup
        One entry per group, sorted by id. ``auc`` is the same as ``roc_auc_score`` returns for the
        rows of the group: if unweighted,
        the double nearest to the exact fraction; if weighted, within 4 ulp. Groups with only one
        class are NaN and marked as ``undefined``, without a warning.

    Raises
    ------
    ValueError
        Same as ``roc_auc_score``; and for missing or mixed ids, and unequal lengths.
    OverflowError
        For 2^32 rows or more in a group.

    Notes
    -----
    O(n) time if scores are spread out within a group, or tied. Groups of a few thousand rows take
    as long as ``roc_auc_score`` does for their rows, and large ones are split among threads. About
    20 bytes of memory per row for scattered integers, twice that if one group has most of the rows;
    much less for contiguous groups. Strings in arrays of objects and in lists are numbered in
    Python, which takes longer than everything else; others are not.

    Examples
    --------
    >>> from fastauc.groups import roc_auc_by_group
    >>> y_true, y_score = [1, 0, 1, 0, 1, 1], [0.8, 0.3, 0.2, 0.6, 0.6, 0.1]
    >>> areas = roc_auc_by_group(y_true, y_score, [7, 7, 3, 3, 3, 5])
    >>> areas.group, areas.auc, areas.undefined
    (array([3, 5, 7]), array([0.25,  nan, 1.  ]), array([False,  True, False]))
    >>> columns = {"site": ["n", "n", "s", "s", "s", "s"], "day": [7, 7, 3, 3, 3, 5]}
    >>> roc_auc_by_group(y_true, y_score, columns).group.tolist()
    [('n', 7), ('s', 3), ('s', 5)]
    """
    function = "roc_auc_by_group"
    if confidence_level is not None:
        check_confidence_level(confidence_level, function)
    with Workers(n_jobs, function) as workers:
        rows = y_true, y_score, groups, sample_weight
        sample = read_grouped_sample(*rows, pos_label, function, workers)
        has_spreads = confidence_level is not None and sample_weight is None
        areas = measure_groups(sample, workers, with_spreads=has_spreads)
        low: NDArray[np.float64] | None = None
        high: NDArray[np.float64] | None = None
        if confidence_level is not None:
            spreads = None if has_spreads else spreads_of_weighted(sample, areas)
            low, high = _intervals(areas, spreads, float(confidence_level))
    n_neg, n_pos = areas.counts.T
    undefined = (n_pos == 0) | (n_neg == 0)
    twice_u = None if areas.totals is not None else areas.twice_u
    counts = n_pos.copy(), n_neg.copy()
    return AucByGroup(areas.group, areas.auc, *counts, undefined, low, high, twice_u)


def grouped_roc_auc_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    groups: ArrayLike,
    *,
    weighting: Weighting = "equal",
    undefined: Undefined = "skip",
    sample_weight: ArrayLike | None = None,
    pos_label: Label | None = None,
    n_jobs: int | None = None,
) -> float:
    """Return the mean of the AUCs of groups of rows (GAUC).

    Parameters
    ----------
    y_true, y_score, groups, sample_weight, pos_label, n_jobs
        As for ``roc_auc_by_group``.
    weighting : {"equal", "size", "positives", "pairs"}
        The weight of a group: 1, its rows (impressions), its positives (clicks), or its
        positive-negative pairs; with ``sample_weight``, the sums of their weights. "pairs" gives
        the share of concordant pairs among all pairs within groups.
    undefined : {"skip", "half", "raise"}
        How to treat groups with only one class: skip them, count them as 1/2, or raise an error.

    Returns
    -------
    float
        Unweighted: the double nearest to the exact mean of fractions, whatever the order of rows
        and groups. With ``sample_weight``: within 16 ulp of it. NaN, with an
        ``UndefinedMetricWarning``, if no group counts.

    Raises
    ------
    ValueError
        Same as ``roc_auc_by_group``, and for a group with only one class if ``undefined="raise"``.
    InvalidParameterError
        For an invalid option; it is both a ValueError and a TypeError.

    Notes
    -----
    Time and memory as for ``roc_auc_by_group``. Other implementations treat ties and groups with
    only one class differently, so their means differ: see ``undefined``, and compare with care.

    The name GAUC and the weighting "size" are from G. Zhou et al., "Deep interest network for
    click-through rate prediction", Proc. 24th KDD (2018) 1059-1068, eq. 7.

    Examples
    --------
    >>> from fastauc.groups import grouped_roc_auc_score
    >>> y_true, y_score = [1, 0, 1, 0, 1, 1], [0.8, 0.3, 0.2, 0.6, 0.6, 0.1]
    >>> grouped_roc_auc_score(y_true, y_score, ["u7", "u7", "u3", "u3", "u3", "u5"])
    0.625
    """
    function = "grouped_roc_auc_score"
    check_literal(weighting, "weighting", Weighting, function)
    check_literal(undefined, "undefined", Undefined, function)
    with Workers(n_jobs, function) as workers:
        rows = y_true, y_score, groups, sample_weight
        sample = read_grouped_sample(*rows, pos_label, function, workers)
        areas = measure_groups(sample, workers)
    lacking = np.flatnonzero(np.isnan(areas.auc))
    if undefined == "raise" and len(lacking):
        first = int(lacking[0])
        n_neg, n_pos = areas.counts[first].tolist()
        raise ValueError(
            f"{len(lacking)} of {len(areas.auc)} groups have only one class, the first of them "
            f"{as_python(areas.group[first])!r}, with {n_pos} positives and {n_neg} negatives; "
            'expected rows of both classes in each, or undefined="skip" or "half".'
        )
    if areas.totals is None:
        result = mean_of_areas(areas.counts, areas.twice_u, weighting, undefined)
    else:
        result = _mean_of_weighted(areas, weighting, undefined)
    if math.isnan(result):
        warn_undefined(NO_GROUP)
    return result
