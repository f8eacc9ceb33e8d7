"""The order of a sample: its positives and its negatives, each sorted by score.

An area or a curve never needs to know which row a score came from, only its class. So the two
classes are sorted apart, as bare keys, and merged once: no index is sorted and nothing is gathered.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastauc import _ordering
from fastauc._parallel import ROWS_PER_THREAD, run_all
from fastauc._validation import BinarySample


class SortedClasses(NamedTuple):
    """Scores of each class in increasing order; with weights, rows of (score, weight)."""

    positives: NDArray[Any]
    negatives: NDArray[Any]


def sort_classes(sample: BinarySample, n_jobs: int | None = None) -> SortedClasses:
    """Return the two classes of a sample, each in increasing order.

    The weighted order is by score and then by weight, so that it depends on nothing but the values
    of the rows, and neither does any sum taken along it.
    """
    n = len(sample.label)
    if sample.weight is None:
        classes = np.empty(n, sample.score.dtype)
        n_pos = _ordering.split_by_label(sample.label, sample.score, classes)
        keys = classes
    else:
        classes = np.empty((n, 2))
        n_pos = _ordering.split_weighted(sample.label, sample.score, sample.weight, classes)
        # NumPy orders complex numbers by their real and then by their imaginary part.
        keys = classes.view(np.complex128)[:, 0]
    if n < ROWS_PER_THREAD:
        keys[:n_pos].sort()
        keys[n_pos:].sort()
    else:
        sorts: list[Callable[[], None]] = [keys[:n_pos].sort, keys[n_pos:].sort]
        run_all(sorts, n_jobs)
    return SortedClasses(classes[:n_pos], classes[n_pos:])
