"""Pairs of every two of several classes: each column of scores is ordered once.

The rows are brought into the order of their classes. In a column each class is sorted by itself,
and the class that the column belongs to is merged with each of the others: as many rows are sorted
as the matrix has, and three times as many compared, however many pairs of classes there are.
"""

import itertools
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastauc._kernels import cells as _cells
from fastauc._kernels import class_pairs as _class_pairs
from fastauc._validation.arrays import Array
from fastauc._validation.threads import Workers


def count_class_pairs(
    codes: NDArray[Any], keys: Array, present: NDArray[Any], workers: Workers
) -> NDArray[np.uint64]:
    """Return twice the pairs with a row of class a above one of class b, plus the tied ones.

    In the column of a, at [a, b], with the classes numbered as in ``present``; their codes are
    their columns.
    """
    by_class = np.argsort(codes, kind="stable")
    bounds = np.append(np.searchsorted(codes[by_class], present), len(codes)).astype(np.int64)
    twice = np.zeros((len(present), len(present)), np.uint64)

    def compare(number: int) -> None:
        column = np.empty(len(codes), np.uint64)
        _cells.ordered_keys(keys[:, present[number]].take(by_class), column)
        for first, stop in itertools.pairwise(bounds.tolist()):
            column[first:stop].sort()
        _class_pairs.compare_with_classes(column, bounds, number, twice[number])

    workers.run_all([partial(compare, number) for number in range(len(present))])
    return twice
