"""The mean over folds of the AUCs of held-out rows, and its variance.

A fold is scored by a model that was fitted to the others. Given these models, its AUC has the
influences of its own rows, each of which counts 1 / (number of folds) of that in the mean: LeDell,
Petersen and van der Laan (2015). The influences of a unit, a row or a group of them, add up over
classes and folds, and the sum of the squares of units is the variance. With m units of a class in a
fold, it is too small by a factor of m / (m - 1), as in ``_delong``.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from fastauc._pairs.exact_sum import exact_sum
from fastauc._pairs.sorting import order_of
from fastauc._validation.arrays import Array
from fastauc._validation.columns import Models
from fastauc._validation.errors import warn_undefined
from fastauc._validation.samples import BinarySample
from fastauc._validation.threads import Workers
from fastauc.inference._delong import (
    UNSEEN_GROUP,
    UNSEEN_WEIGHT,
    Spread,
    effective_size,
    heaviest_rows,
    influences_of,
    satterthwaite,
    sizes_in_groups,
    sum_units,
)


def spread_of_folds(models: Models, folds: NDArray[np.intp], workers: Workers) -> Spread:
    """Return the mean AUC over folds of rows of nonzero weight, with its variance.

    NaN, with a warning, if a fold has rows of one class only; without a variance if a fold has a
    single row, or group, of a class.
    """
    sample, units = models.weighted_sample(0), models.units_of_sample()
    label = sample.label
    n_folds = int(folds.max()) + 1
    cell = 2 * folds + label  # of a fold and a class
    counts = np.bincount(cell, minlength=2 * n_folds).reshape(-1, 2)
    if not counts.all():
        k, missing = np.argwhere(counts == 0)[0]
        warn_undefined(
            f"The fold of row {np.argmax(folds == k)} has no {('negatives', 'positives')[missing]} "
            "in y_true: its AUC, and the mean over folds, are undefined."
        )
        return Spread(math.nan, None)
    influence, share = np.empty(len(label)), np.empty(len(label))
    # The rows of each cell, beside each other.
    rows_of_cells = np.split(order_of(cell.astype(np.uint64)), np.cumsum(counts)[:-1])
    areas = []
    for k in range(n_folds):
        rows = np.concatenate(rows_of_cells[2 * k : 2 * k + 2])
        area, influence[rows], share[rows] = _influences_in_fold(sample, rows, workers)
        areas.append(area)
    area = sum(areas, Fraction()) / n_folds
    influence, share = influence / n_folds, share / n_folds
    plain = _spread(area, influence, share, label, cell, rows_of_cells)
    unseen = []
    if not sample.has_one_weight_per_class:
        unseen.append((heaviest_rows(share[label == 1], share[label == 0]), UNSEEN_WEIGHT))
    if units is None or plain.variance is None:
        return plain._replace(unseen=unseen)
    found = _spread(area, influence, share, label, cell, rows_of_cells, units)
    if found.variance is None:
        return found
    unseen.append((found.sizes, UNSEEN_GROUP))
    sizes = sizes_in_groups(plain, found.variance, found.sizes) if found.variance else found.sizes
    return found._replace(sizes=sizes, unseen=unseen)


def _influences_in_fold(
    sample: BinarySample, rows: NDArray[np.intp], workers: Workers
) -> tuple[Fraction, Array, Array]:
    """Return the AUC of a fold, the influences of its rows, and their shares of its classes."""
    order = sample.order._replace(keys=np.ascontiguousarray(sample.score[rows]))
    label = sample.label[rows]
    weight = None if sample.weight is None else sample.weight[rows]
    n_pos = int(np.count_nonzero(label))
    own = Models(label, n_pos, 2, [(order, None)], weight, None, None).weighted_sample(0)
    found = influences_of([own], None, workers)
    influence, share = found.columns
    return found.areas[0], influence, share


def _spread(
    area: Fraction,
    influence: Array,
    share: Array,
    label: Array,
    cell: Array,
    rows_of_cells: list[NDArray[np.int64]],
    units: NDArray[np.intp] | None = None,
) -> Spread:
    """Return the spread of units; without a variance if one alone is of a class in a fold."""
    n_cells = len(rows_of_cells)
    if units is None:
        m = np.array([len(rows) for rows in rows_of_cells])
    else:
        is_in = np.zeros((int(units.max()) + 1, n_cells), np.bool_)
        is_in[units, cell] = True
        m = is_in.sum(axis=0)
    scaled = influence * np.sqrt(m / np.maximum(m - 1, 1)).take(cell)
    if units is None:
        sums, weight, shares = scaled, share, [share[label == own] for own in (1, 0)]
    else:
        (pos, pos_share), (neg, neg_share) = (
            own.sums for own in sum_units([scaled, share], label, units)
        )
        sums, weight, shares = pos + neg, pos_share + neg_share, [pos_share, neg_share]
    sizes = [effective_size(of_class) for of_class in shares]
    if m.min() < 2:
        alone, of_class = divmod(int(m.argmin()), 2)
        name, unit = ("negatives", "positives")[of_class], "row" if units is None else "group"
        warn_undefined(
            "The variance of the mean is undefined: the fold of row "
            f"{np.argmax(cell // 2 == alone)} has {name} of one {unit} only; expected two or more "
            "of each class in each fold."
        )
        return Spread(area, None, (sizes[0], sizes[1]))
    # Units that are in the same cells are estimated together.
    if units is not None:
        kind = np.unique(is_in, axis=0, return_inverse=True)[1].reshape(-1)
        rows_of_cells = [np.flatnonzero(kind == k) for k in np.unique(kind)]
    parts = [
        (exact_sum(sums.take(own) ** 2), effective_size(weight.take(own))) for own in rows_of_cells
    ]
    variance = math.fsum(part for part, _ in parts)
    least = max(1.0, min(sizes) - 1)
    df = satterthwaite(parts) if variance else least
    return Spread(area, variance, (sizes[0], sizes[1]), df, df)
