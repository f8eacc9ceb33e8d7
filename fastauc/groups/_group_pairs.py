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
from fastauc._validation.arrays import UINT64, Array
from fastauc._validation.columns import Models
from fastauc._validation.groups import Grouping, read_groups
from fastauc._validation.labels import Label
from fastauc._validation.options import check_pos_label
from fastauc._validation.samples import BinarySample
from fastauc._validation.threads import SERIAL, Workers
from fastauc.groups._batches import LARGE_GROUP, Batch, visit_groups
from fastauc.inference._delong import Spread, spread_of

_EXACT_IN_FLOAT64 = 2**52


class GroupedSample(NamedTuple):
    """Clean rows, and the groups that they belong to."""

    sample: BinarySample
    grouping: Grouping


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
    sample_weight: object,
    pos_label: Label | None,
    function: str,
    workers: Workers,
) -> GroupedSample:
    """Return clean rows with weights above 0, and the groups that they belong to."""
    check_pos_label(pos_label, function, optional=True)
    inputs = samples.read_inputs(y_true, y_score, sample_weight, function)
    label, n_pos, n_labels = samples.read_binary_labels(inputs.y_true, pos_label, workers)
    grouping = read_groups(groups, len(label), function)
    sample = samples.complete_sample(label, n_pos, n_labels, inputs, workers)
    if inputs.sample_weight is not None and len(sample.label) < len(label):
        grouping = grouping.of_rows(samples.as_float64(inputs.sample_weight, "sample_weight") != 0)
    return GroupedSample(sample, grouping)


# Areas --------------------------------------------------------------------------------------------


def measure_groups(
    grouped: GroupedSample, workers: Workers, *, with_spreads: bool = False
) -> GroupAreas:
    """Count the pairs in every group, or sum their weights; spreads only if unweighted."""
    sample, grouping = grouped
    n_groups = len(grouping.values)
    counts, twice_u = np.zeros((n_groups, 2), np.int64), np.zeros(n_groups, UINT64)
    spreads = np.zeros((n_groups if with_spreads else 0, 2))
    auc = np.full(n_groups, math.nan)
    totals = None if sample.weight is None else np.zeros((n_groups, 2))
    unsure = np.zeros(n_groups, np.uint8)

    def visit(batch: Batch) -> None:
        groups, keys = batch.groups, batch.keys
        counts[groups] = np.diff(batch.ends, prepend=np.uint32(0)).reshape(-1, 2)
        if totals is not None:
            spare = np.empty((3, len(keys)), UINT64)
            _groups.weigh_groups(
                keys, batch.weight, batch.ends, spare, auc[groups], totals[groups], unsure[groups]
            )
        else:
            results = twice_u[groups], spreads[groups]
            _groups.compare_groups(keys, batch.ends, LARGE_GROUP, np.empty_like(keys), *results)

    def visit_large(group: int, label: NDArray[np.uint8], keys: Array) -> None:
        n_pos = int(np.count_nonzero(label.view(np.bool_)))
        counts[group] = len(label) - n_pos, n_pos
        if counts[group].all():
            order = sample.order._replace(keys=keys)
            part = samples.make_sample(label, order, None, n_pos, 2)
            not_above, tied = count_pairs(part, workers)
            twice_u[group] = 2 * not_above - tied

    is_plain = totals is None and not with_spreads
    visit_groups(sample, grouping, visit, workers, visit_large if is_plain else None)
    if totals is None:
        auc = _divide(twice_u, count_pairs_of(counts))
    else:
        _weigh_again(grouped, np.flatnonzero(unsure), auc, totals)
    chosen = grouping.groups_in_order()
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
    grouped: GroupedSample,
    unsure: NDArray[np.intp],
    auc: NDArray[np.float64],
    totals: NDArray[np.float64],
) -> None:
    """Compute the AUCs and totals of some groups one by one, whatever their weights."""
    for group, part in _members(grouped, unsure):
        assert part.weight is not None
        is_pos = part.label.view(np.bool_)
        totals[group] = math.fsum(part.weight[~is_pos]), math.fsum(part.weight[is_pos])
        if part.n_pos and part.n_neg:
            numerator, denominator = weighted_ratio(part)
            auc[group] = numerator / denominator


def _members(
    grouped: GroupedSample, chosen: NDArray[np.intp]
) -> Iterator[tuple[int, BinarySample]]:
    """Yield the numbers of the chosen groups, in increasing order, and their rows."""
    (label, _, weight, *_), grouping = grouped
    for group, rows in _rows_of(grouping, chosen):
        own = label[rows]
        keys = np.ascontiguousarray(grouped.sample.score[rows])
        order = grouped.sample.order._replace(keys=keys)
        own_weight = None if weight is None else weight[rows]
        n_pos = int(np.count_nonzero(own))
        yield group, samples.make_sample(own, order, own_weight, n_pos, 2)


def _rows_of(grouping: Grouping, chosen: NDArray[np.intp]) -> Iterator[tuple[int, Any]]:
    """Yield the numbers of the chosen groups and where their rows are."""
    if len(chosen) == 0:
        return
    if grouping.codes is None:
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


def spreads_of_weighted(grouped: GroupedSample, areas: GroupAreas) -> list[Spread | None]:
    """Return the spread of each weighted AUC; None if a class has fewer than two rows."""
    several = np.sort(areas.number[(areas.counts > 1).all(axis=1)])
    found: dict[int, Spread] = {}
    for group, part in _members(grouped, several):
        models = Models(
            part.label, part.n_pos, 2, [(part.order, None)], part.weight, part.weight_range, None
        )
        found[group] = spread_of(part, models, SERIAL)[0]
    return [found.get(group) for group in areas.number.tolist()]
