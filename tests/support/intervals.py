"""What the tests of histograms share: grids, awkward scores, and what an interval must do."""

import math

import numpy as np
from hypothesis import strategies as st

from support.distributions import make as make
from support.flushing import SMALLEST

INTERVALS = "roc_auc", "average_precision", "ks"
GREATEST = float(np.finfo(np.float64).max)

finite = st.floats(allow_nan=False, allow_infinity=False)
# Scores that come close to each other, to the bounds of bins, and to 0 and 1.
scores = st.one_of(
    st.sampled_from([-0.0, 0.0, 0.5, 1.0, -1.0, SMALLEST, -SMALLEST, GREATEST, 0.25, 2.0**-32]),
    st.integers(0, 40).map(lambda k: (np.array(0.3).view(np.int64) + k).view(np.float64).item()),
    st.integers(0, 1074).map(lambda k: 2.0**-k),
    st.integers(0, 12).map(lambda k: k / 4),
    st.floats(0, 1),
    finite,
)


def find_bins(made, values):
    return made._bins.find_bins(np.asarray(values, np.float64))


def bins_of_rows(made, labels, values):
    rows = zip(find_bins(made, values).tolist(), labels, values, strict=True)
    found = {}
    for bin, label, score in rows:
        found.setdefault(bin, []).append((label == 1, score))
    return [found[bin] for bin in sorted(found)]


def assert_contains(interval, value):
    __tracebackhide__ = True
    assert interval.lower <= value <= interval.upper, (interval, float(value))
    assert interval.lower <= interval.estimate <= interval.upper
    assert not interval.exact or interval.lower == interval.upper


def assert_holds(interval, value):
    """Assert that an interval contains a fraction, or is the double nearest to it."""
    __tracebackhide__ = True
    if interval.exact:
        assert interval[:3] == (float(value),) * 3
    else:
        assert_contains(interval, value)


def outwards(least, greatest):
    """Return the doubles next to two fractions."""
    low, high = float(least), float(greatest)
    low = low if low <= least else math.nextafter(low, -math.inf)
    return low, high if high >= greatest else math.nextafter(high, math.inf)


GRIDS = [
    {},
    {"bins": 200, "range": (0, 1)},
    {"bins": 3, "range": (-1, 1e300)},
    {"bins": 1000, "range": (-GREATEST / 2, GREATEST / 3)},
    {"bins": 7, "range": (2.0**-900, 2.0**-890)},
    {"edges": [-3.0, -0.0, SMALLEST, 0.1, 1.0]},
]
