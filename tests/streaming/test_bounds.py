"""Bounds of precision: those of the best and the worst order within the bins."""

import math
from decimal import Context, Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from fastauc import average_precision_score
from fastauc.streaming import ScoreHistogram, _bounds
from support.forging import histogram_of_bins
from support.intervals import assert_contains, make, outwards
from support.laws import EXAMPLES, law
from support.reliability import tried

COUNTS = {
    "large": st.integers(0, 2**57),  # forty of them are below 2^63
    "any": st.one_of(st.integers(0, 4), st.integers(0, 2**57), st.sampled_from([2**53 + 1, 2**57])),
    "weights": st.one_of(
        st.integers(0, 4), st.integers(0, 2**185), st.sampled_from([2**128, 2**185])
    ),
}


def lists_of(counts):
    bins = st.lists(st.tuples(counts, counts, st.booleans()), min_size=1, max_size=38)
    # So that one bin of both classes is in doubt below another.
    return bins.map(lambda drawn: [(3, 2, True), *drawn, (1, 1, True)])


def bounds_by_integrals(bins, step):
    """Return the bounds of precision, with an integral in place of the sum of the worst order."""
    exact = Context(prec=120)
    n_pos = sum(pos for _, pos, _ in bins)
    least = most = Fraction(0)
    fps = tps = 0
    for neg, pos, several in reversed(bins):
        above, fps, tps = fps, fps + neg, tps + pos
        certain = not several or fps == 0 or (step and (neg, pos) == (0, 1))
        if pos:
            most += pos * Fraction(tps, tps + (fps if certain else above))
        if pos and certain:
            least += pos * Fraction(tps, tps + fps)
        elif pos:
            share = exact.divide(Decimal(2 * pos), Decimal(2 * (tps - pos + fps) + step))
            lost = exact.multiply(Decimal(fps), exact.ln(exact.add(1, share)))
            least += max(pos - Fraction(lost), 0)
    return least / n_pos, most / n_pos


@pytest.mark.check("histogram bounds")
@settings(law, max_examples=EXAMPLES // 2)
@given(st.data(), st.sampled_from(["large", "any", "weights"]))
def test_large_counts_are_bounded_by_integrals(data, size):
    tried()
    bins = data.draw(lists_of(COUNTS[size]))
    is_weighted = size == "weights"
    least, most = bounds_by_integrals(bins, 0 if is_weighted else 1)
    interval = histogram_of_bins(bins, weighted=is_weighted).average_precision()
    above = outwards(least, most)[1]
    assert above <= interval.upper <= math.nextafter(above, math.inf)
    # The logarithm is rounded up by less than 2^-47 of it.
    assert least - Fraction(1, 2**46) <= interval.lower <= least


@pytest.mark.parametrize("weighted", [False, True])
def test_parts_of_the_bins_add_up(monkeypatch, weighted):
    # Of the second list only bins above the last three round anything, and bounds tell if none did.
    rounded = [(5, 0, False)] * 3 + [(5, 2, True), (1, 0, True)]
    for bins in ([(2, 1, False), (3, 5, True), (0, 1, True)] * 3, rounded):
        made = histogram_of_bins(bins, weighted=weighted)
        whole = made.average_precision()
        for n_steps in (1, 2, 5):
            with monkeypatch.context() as patch:
                patch.setattr(_bounds, "_STEPS_AT_ONCE", n_steps)
                assert made.average_precision() == whole


@pytest.mark.parametrize("prevalence", [0.5, 1e-3])
def test_many_bins_hold_the_precision_of_the_rows(prevalence):
    labels, values = make("sigmoid_normal", 60_000, prevalence)
    for weight in (None, np.full(len(labels), 0.7)):
        made = ScoreHistogram(weighted=weight is not None).update(labels, values, weight)
        interval = made.average_precision()
        assert not interval.exact
        assert_contains(interval, average_precision_score(labels, values))
