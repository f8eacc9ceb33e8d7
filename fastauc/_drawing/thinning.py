"""Thinning: fewer points of a curve, without a visible change of its picture."""

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

Doubles = NDArray[np.float64]

MOST_PAIRS = 10_000  # that can be told apart in a picture of them all


def thin(x: Doubles, y: Doubles, borders: Doubles) -> NDArray[np.intp]:
    """Return the positions of the points needed to draw a curve, in their order.

    ``x`` never decreases, or never increases; ``borders`` increase, and lead from one end of the
    picture to the other. Two borders that follow each other are the ends of a column, and what is
    outside of them all is one more column on either side. Of each column the first, the last, the
    lowest and the highest point are kept: at most 4 (len(borders) + 1).

    Inside a column, the line through all of its points and the line through those kept both lead
    from the first one to the last one and take all heights from the lowest to the highest point,
    and no others. So to each point of one line there is a point of the other of the same height,
    and less than the width of the column aside. The lines between two columns are the same. All of
    this holds for the steps between points as well as for straight lines. (U. Jugel et al., "M4: a
    visualization-oriented time series data aggregation", Proc. VLDB Endow. 7 (2014) 797-808.)
    """
    n = len(x)
    if n <= 4 * (len(borders) + 1):
        return np.arange(n)
    if x[0] > x[-1]:
        return n - 1 - thin(x[::-1], y[::-1], borders)[::-1]
    cuts = np.unique(np.concatenate([[0], np.searchsorted(x, borders), [n]])).tolist()
    kept = np.empty((len(cuts) - 1, 4), np.intp)
    for row, (start, stop) in zip(kept, pairwise(cuts), strict=True):
        heights = y[start:stop]
        lowest, highest = start + int(np.argmin(heights)), start + int(np.argmax(heights))
        row[:] = start, lowest, highest, stop - 1
    return np.unique(kept)
