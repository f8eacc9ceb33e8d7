"""Concordant and tied pairs, AUCs and variances within each group."""

import math
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastauc._kernels import groups as _groups
from fastauc._pairs.sorting import order_of
from fastauc._pairs.unweighted import count_pairs
from fastauc._pairs.weighted import weighted_ratio
from fastauc._validation import samples
from fastauc._validation.arrays import UINT64, Array, OrderKeys
from fastauc._validation.columns import Models
from fastauc._validation.group_columns import read_groups
from fastauc._validation.groups import Grouping
from fastauc._validation.labels import Label
from fastauc._validation.options import check_pos_label
from fastauc._validation.threads import SERIAL, Workers
from fastauc.groups._batches import LARGE_GROUP, Batch, CleanRows, visit_groups
from fastauc.inference._delong import Spread, spread_of

_EXACT_IN_FLOAT64 = 2**52


class GroupedSample(NamedTuple):
    """Clean rows, the groups that they belong to, and how their scores are encoded."""

    rows: CleanRows
    grouping: Grouping
    order: OrderKeys


class GroupAreas(NamedTuple):
    """The counts and AUCs of groups, in the order of the results.

    ``number`` is its position among the ids of the grouping. Without weights: ``twice_u`` is twice
    the number of concordant pairs plus the number of tied ones, with the ``spreads`` of the
    placements if requested; with weights: their ``totals``. In pairs of columns, the first is for
    the negatives.
    """

    group: Array
    number: NDArray[np.intp]
    auc: NDArray[np.float64]
    counts: NDArray[np.int64]
    twice_u: NDArray[np.uint64]
    spreads: NDArray[np.float64]
    totals: NDArray[np.float64] | None


# Samples ------------------------------------------------------------------------------------------


def read_grouped_sample(
    y_true: object,
    y_score: object,
    groups: object,
    offsets: object,
    sample_weight: object,
    pos_label: Label | None,
    function: str,
    workers: Workers,
) -> GroupedSample:
    """Return clean rows with weights above 0, and the groups that they belong to."""
    check_pos_label(pos_label, function, optional=True)
    inputs = samples.read_inputs(y_true, y_score, sample_weight, function)
    label, n_pos, n_labels = samples.read_binary_labels(inputs.y_true, pos_label, workers)
    samples.check_consistent_length(len(label), inputs)
    grouping = read_groups(groups, offsets, len(label), function)
    unweighted = inputs._replace(sample_weight=None)
    sample = samples.complete_sample(label, n_pos, n_labels, unweighted, workers)
    if inputs.sample_weight is None:
        return GroupedSample(CleanRows(label, sample.score, None), grouping, sample.order)
    weight = samples.as_float64(inputs.sample_weight, "sample_weight")
    weight_range = samples.check_weights(label, weight, workers)
    rows = CleanRows(label, sample.score, weight)
    if min(weight_range.lowest_neg, weight_range.lowest_pos) > 0:
        return GroupedSample(rows, grouping, sample.order)
    kept = weight != 0
    rows = CleanRows(*(array[kept] for array in (label, sample.score, weight)))
    if grouping.codes is not None:
        grouping = grouping._replace(codes=grouping.codes[kept])
    else:
        assert grouping.offsets is not None
        before = np.append(0, np.cumsum(kept))
        grouping = grouping._replace(offsets=before[grouping.offsets])
    return GroupedSample(rows, grouping, sample.order)


# Areas --------------------------------------------------------------------------------------------


def measure_groups(
    sample: GroupedSample, workers: Workers, *, with_spreads: bool = False
) -> GroupAreas:
    """Count the pairs in every group, or sum their weights; spreads only if unweighted."""
    rows, grouping, order = sample
    n_groups = len(grouping.values)
    counts, twice_u = np.zeros((n_groups, 2), np.int64), np.zeros(n_groups, UINT64)
    spreads = np.zeros((n_groups if with_spreads else 0, 2))
    auc = np.full(n_groups, math.nan)
    totals = None if rows.weight is None else np.zeros((n_groups, 2))
    unsure = np.zeros(n_groups, np.uint8)

    def visit(batch: Batch) -> None:
        groups, keys = batch.groups, batch.keys
        counts[groups] = np.diff(batch.ends, prepend=np.uint32(0)).reshape(-1, 2)
        if totals is not None:
            spare = np.empty((3, len(keys)), UINT64)
            _groups.weigh_groups(
                keys, batch.weight, batch.ends, spare, auc[groups], totals[groups], unsure[groups]
            )
        elif with_spreads:
            spare = np.empty_like(keys)
            _groups.place_groups(keys, batch.ends, spare, twice_u[groups], spreads[groups])
        else:
            spare = np.empty_like(keys)
            _groups.compare_groups(keys, batch.ends, LARGE_GROUP, spare, twice_u[groups])

    def visit_large(group: int, rows: CleanRows) -> None:
        n_pos = int(np.count_nonzero(rows.label.view(np.bool_)))
        counts[group] = len(rows.label) - n_pos, n_pos
        if counts[group].all():
            part = samples.make_sample(rows.label, order._replace(keys=rows.score), None, n_pos, 2)
            not_above, tied = count_pairs(part, workers)
            twice_u[group] = 2 * not_above - tied

    is_plain = totals is None and not with_spreads
    visit_groups(rows, grouping, visit, workers, visit_large if is_plain else None)
    if totals is None:
        auc = _divide(twice_u, count_pairs_of(counts))
    else:
        _weigh_again(sample, np.flatnonzero(unsure), auc, totals)
    chosen = np.arange(n_groups) if grouping.order is None else grouping.order
    chosen = chosen[counts[chosen].any(axis=1)]
    return GroupAreas(
        grouping.values[chosen],
        chosen,
        auc[chosen],
        counts[chosen],
        twice_u[chosen],
        spreads[chosen] if with_spreads else spreads,
        None if totals is None else totals[chosen],
    )


def count_pairs_of(counts: NDArray[np.int64]) -> NDArray[np.uint64]:
    """Return the number of pairs in each group: below 2^62, as no group has 2^32 rows."""
    pairs: NDArray[np.uint64] = (counts[:, 0] * counts[:, 1]).view(UINT64)
    return pairs


def _divide(twice_u: NDArray[np.uint64], pairs: NDArray[np.uint64]) -> NDArray[np.float64]:
    """Return twice / (2 pairs), rounded once; NaN without pairs."""
    auc = np.full(len(twice_u), math.nan)
    np.divide(twice_u, 2.0 * pairs, out=auc, where=pairs != 0)
    for i in np.flatnonzero(pairs >= _EXACT_IN_FLOAT64).tolist():
        auc[i] = int(twice_u[i]) / (2 * int(pairs[i]))
    return auc


def _weigh_again(
    sample: GroupedSample,
    unsure: NDArray[np.intp],
    auc: NDArray[np.float64],
    totals: NDArray[np.float64],
) -> None:
    """Compute the AUCs and totals of some groups one by one, whatever their weights."""
    (label, score, weight), _, order = sample
    assert weight is not None
    for group, rows in _members(sample.grouping, unsure):
        is_pos = label[rows].view(np.bool_)
        totals[group] = math.fsum(weight[rows][~is_pos]), math.fsum(weight[rows][is_pos])
        n_pos = int(np.count_nonzero(is_pos))
        if 0 < n_pos < len(is_pos):
            keys = order._replace(keys=np.ascontiguousarray(score[rows]))
            part = samples.make_sample(label[rows], keys, weight[rows], n_pos, 2)
            numerator, denominator = weighted_ratio(part)
            auc[group] = numerator / denominator


def _members(grouping: Grouping, chosen: NDArray[np.intp]) -> Iterator[tuple[int, Any]]:
    """Yield the numbers of the chosen groups, in increasing order, and where their rows are."""
    if len(chosen) == 0:
        return
    if grouping.codes is None:
        assert grouping.offsets is not None
        for group in chosen.tolist():
            yield group, slice(*grouping.offsets[group : group + 2].tolist())
        return
    is_chosen = np.zeros(len(grouping.values), np.bool_)
    is_chosen[chosen] = True
    places = np.flatnonzero(is_chosen[grouping.codes])
    codes = grouping.codes[places]
    by_group = order_of(codes.astype(np.uint32))
    ends = np.searchsorted(codes[by_group], chosen, "right")
    yield from zip(chosen.tolist(), np.split(places[by_group], ends[:-1]), strict=True)


# Errors -------------------------------------------------------------------------------------------


def spreads_of_weighted(sample: GroupedSample, areas: GroupAreas) -> list[Spread | None]:
    """Return the spread of each weighted AUC; None if a class has fewer than two rows."""
    (label, score, weight), grouping, order = sample
    assert weight is not None
    number_of = np.empty(len(grouping.values), np.intp)
    number_of[areas.number] = np.arange(len(areas.number))
    spreads: list[Spread | None] = [None] * len(areas.number)
    several = np.sort(areas.number[(areas.counts > 1).all(axis=1)])
    for group, rows in _members(grouping, several):
        n_pos = int(areas.counts[number_of[group], 1])
        keys = order._replace(keys=np.ascontiguousarray(score[rows]))
        models = Models(label[rows], n_pos, 2, [(keys, None)], weight[rows], None, None)
        spreads[number_of[group]] = spread_of(models.weighted_sample(0), models, SERIAL)[0]
    return spreads
