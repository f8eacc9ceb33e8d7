"""Samples and grids for refinement, and their parts."""

import numpy as np
from hypothesis import strategies as st

from fastauc.streaming import ScoreHistogram
from support.flushing import SMALLEST

GREATEST = float(np.finfo(np.float64).max)
GRIDS = [
    {},
    {"bins": 2, "range": (0, 1)},
    {"bins": 5, "range": (-1e300, 1e300)},
    {"edges": [-3.0, 0.0, SMALLEST, 0.1, 1.0]},
    {"edges": [5.0]},
]

scores = st.one_of(
    st.integers(0, 40).map(lambda k: (np.array(0.3).view(np.int64) + k).view(np.float64).item()),
    st.integers(0, 1074).map(lambda k: 2.0**-k),
    st.integers(0, 12).map(lambda k: k / 4),
    st.sampled_from([-0.0, 0.0, SMALLEST, -SMALLEST, GREATEST, -GREATEST]),
    st.floats(allow_nan=False, allow_infinity=False),
)
samples = st.lists(st.tuples(st.booleans(), scores), min_size=1, max_size=40)
grids = st.sampled_from(GRIDS)
limits = st.sampled_from([1, 2, 3, 5, 10, 1000])
parts = st.sampled_from([2, 8, 64, 2**12, 2**20])


def divide(rows, n):
    """Return the columns of every n-th row, for each place to start from."""
    return [tuple(np.asarray(column[k::n]) for column in rows) for k in range(n)]


def columns_of(sample, dtype=np.float64):
    """Return the labels and the scores of pairs."""
    labels, values = zip(*sample, strict=True)
    return np.array(labels, np.uint8), np.array(values, dtype)


def histogram_of(rows, grid=GRIDS[0]):
    """Return a histogram of columns, weighted if there are three."""
    return ScoreHistogram(weighted=len(rows) == 3, **grid).update(*rows)
