"""Bounds of precision in doubles: never inside those of fractions, and hardly wider."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import naive
from fastauc import average_precision_score
from fastauc.streaming import ScoreHistogram, _bounds as bounds
from fastauc.streaming._bounds import BinSums, average_precision_interval
from support.flushing import flush_to_zero, on_glibc
from support.intervals import assert_contains, make, outwards
from support.laws import EXAMPLES, law
from support.reliability import tried

# Of either bound: 2^-49 of it three times, for the sums and what the loss of the bins is off by,
# a unit in the last place for rounding it outwards, and the logarithm's own 2^-47 of 1.
SLACK = Fraction(1, 2**46)

COUNTS = {
    "tiny": st.integers(0, 4),
    "large": st.integers(0, 2**57),  # forty of them are below 2^63
    "any": st.one_of(st.integers(0, 4), st.integers(0, 2**57), st.sampled_from([2**53 + 1, 2**57])),
}
WEIGHTS = st.one_of(st.integers(0, 4), st.integers(0, 2**185), st.sampled_from([2**128, 2**185]))


def bin_sums(bins, is_weighted=False, n_rounded=0):
    neg, pos, several = zip(*bins, strict=True)
    dtype = object if is_weighted else np.int64
    sums = (np.array(counts, dtype) for counts in (neg, pos))
    return BinSums(*sums, np.array(several, bool), is_weighted, n_rounded)


def both_ways(sums):
    """Return the interval by integers, and the one by doubles unless it is exact."""
    intervals = []
    with pytest.MonkeyPatch.context() as patch:
        for few in (math.inf, -1):
            patch.setattr(bounds, "_FEW_BINS", few)
            intervals.append(average_precision_interval(sums))
    return intervals


def assert_holds(wide, narrow):
    """Assert that one interval holds another, and is hardly wider."""
    assert wide.exact == narrow.exact
    assert narrow.lower - SLACK <= wide.lower <= narrow.lower
    assert narrow.upper <= wide.upper <= narrow.upper + SLACK
    assert wide.lower <= wide.estimate <= wide.upper


def lists_of(counts):
    bins = st.lists(st.tuples(counts, counts, st.booleans()), min_size=1, max_size=38)
    # So that one bin of both classes is in doubt below another.
    return bins.map(lambda drawn: [(3, 2, True), *drawn, (1, 1, True)])


@pytest.mark.check("histogram bounds")
@settings(law, max_examples=EXAMPLES // 4)
@given(lists_of(COUNTS["tiny"]))
def test_small_counts_are_bounded_by_the_definition(bins):
    tried()
    least, most = naive.precision_bounds(bins)
    narrow, wide = both_ways(bin_sums(bins))
    assert_holds(wide, narrow)
    above = outwards(least, most)[1]
    assert above <= narrow.upper <= math.nextafter(above, math.inf)
    assert narrow.lower <= least


@pytest.mark.check("histogram bounds")
@settings(law, max_examples=EXAMPLES // 4)
@given(st.data(), st.sampled_from(["large", "any"]))
def test_large_counts_are_bounded_as_by_integers(data, size):
    tried()
    bins = data.draw(lists_of(COUNTS[size]))
    narrow, wide = both_ways(bin_sums(bins))
    assert_holds(wide, narrow)


@pytest.mark.check("histogram bounds")
@settings(law, max_examples=EXAMPLES // 4)
@given(lists_of(WEIGHTS), st.sampled_from([0, 1, 1000]))
def test_weights_are_bounded_as_by_integers(bins, n_rounded):
    tried()
    sums = bin_sums(bins, True, n_rounded)
    assert_holds(*both_ways(sums)[::-1])


@pytest.mark.parametrize("prevalence", [0.5, 1e-3])
def test_many_bins_are_hardly_wider(prevalence):
    labels, values = make("sigmoid_normal", 60_000, prevalence)
    made = ScoreHistogram().update(labels, values)
    sums = made._sums()[1]
    narrow, wide = both_ways(sums)
    assert not wide.exact
    assert_holds(wide, narrow)
    assert_contains(wide, average_precision_score(labels, values))
    if prevalence == 0.5:
        assert np.count_nonzero(sums.pos) > bounds._FEW_BINS
        assert made.average_precision() == wide
    weighted = ScoreHistogram(weighted=True).update(labels, values, np.full(len(labels), 0.7))
    narrow, wide = both_ways(weighted._sums()[1])
    assert_holds(wide, narrow)
    assert_contains(wide, average_precision_score(labels, values))


@on_glibc
@pytest.mark.parametrize("is_weighted", [False, True])
def test_bounds_of_flushing_processors(is_weighted):
    rng = np.random.default_rng(8)
    greatest = 2**180 if is_weighted else 2**55
    counts = [[int(greatest ** rng.random()) for _ in range(40)] for _ in range(2)]
    sums = bin_sums([*zip(*counts, rng.random(40) < 0.7, strict=True)], is_weighted)
    expected = both_ways(sums)
    for bits in (0x40, 0x8000, 0x8040):
        found, flushed = flush_to_zero(bits, both_ways, sums)
        assert 0 in flushed
        assert found == expected
