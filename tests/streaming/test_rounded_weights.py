"""Bounds where weights were rounded to units: whatever they were before, the value is inside.

The exact values are those of the definitions, in fractions, of weights half a unit off in either
direction, which is as far as rounding goes. The margins are for the sum of all errors at its worst:
of none of them more than four tenths was ever used where all rows are rounded.
"""

import itertools
from fractions import Fraction as F
from functools import partial

import pytest
from hypothesis import given, settings, strategies as st

import naive
from support.forging import histogram_of_bins
from support.laws import EXAMPLES, law

pytestmark = pytest.mark.check("histogram bounds")

HALF, SHARE = F(1, 2), 0.25


# From the weights of the negatives and the positives of each score, in increasing order of these.
MEASURES = {
    "roc_auc": naive.roc_auc_score,
    "ks": naive.ks_score,
    "average_precision": naive.average_precision_score,
    "gain_score": naive.gain_score,
    "gain_at": partial(naive.gain_at, share=SHARE),
}


def exact(definition, neg, pos, **options):
    """Return what a definition says of a row of each class at each score."""
    labels, scores = [0] * len(neg) + [1] * len(pos), [*range(len(neg)), *range(len(pos))]
    return definition(labels, scores, sample_weight=[*neg, *pos], **options)


def histogram_of(scores, n_rounded):
    """Return the histogram of the weights of each score, in units."""
    return histogram_of_bins(
        [(*units, False) for units in scores], weighted=True, n_rounded=n_rounded
    )


def weights_before(scores):
    """Return all weights half a unit from these."""
    flat = [units for pair in scores for units in pair]
    for signs in itertools.product(*[(-HALF, HALF) if units else (F(0),) for units in flat]):
        weights = [units + off for units, off in zip(flat, signs, strict=True)]
        yield weights[::2], weights[1::2]


# Of the upper digits half a unit of the last place, and something below them.
SUMS = st.builds(
    lambda digits, shift, rest: (2 * digits + 1 << shift) + rest,
    st.integers(2**52, 2**53 - 1),
    st.integers(0, 136),
    st.integers(-1, 1),
)


@settings(law, max_examples=EXAMPLES)
@given(st.lists(st.tuples(SUMS, SUMS), min_size=1, max_size=3))
def test_sums_of_weights_are_the_nearest_doubles(sums):
    counts = histogram_of(sums, 0).confusion_counts()
    for found, column in zip((counts.fps, counts.tps), zip(*sums, strict=True), strict=True):
        added = itertools.accumulate(reversed(column))
        assert found.tolist() == [float(F(units, 2**128)) for units in added]


UNITS = st.one_of(st.integers(0, 3), st.integers(0, 40))


@settings(law, max_examples=EXAMPLES)
@given(st.lists(st.tuples(UNITS, UNITS), min_size=1, max_size=3))
def test_the_value_of_any_weights_is_inside(scores):
    if not all(map(sum, zip(*scores, strict=True))):
        return
    # Each weight is that of one row.
    histogram = histogram_of(scores, sum(units > 0 for pair in scores for units in pair))
    for name, definition in MEASURES.items():
        found = histogram.gain_at(SHARE) if name == "gain_at" else getattr(histogram, name)()
        for neg, pos in weights_before(scores):
            assert F(found.lower) <= exact(definition, neg, pos) <= F(found.upper)


def test_one_rounded_weight_of_a_rare_class():
    """Many negatives make the pairs of one positive, of half a unit and not of one, count most."""
    found = one_rounded([0, 10**9, 0], [10, 0, 1]).roc_auc()
    area = exact(naive.roc_auc_score, [0, 10**9, 0], [10, 0, HALF])
    assert found.lower <= area <= found.upper


# Near the worst case of each margin: one weight of half a unit is rounded, all others are not.


def one_rounded(neg, pos):
    return histogram_of(zip(neg, pos, strict=True), 1)


def test_a_rounded_weight_moves_the_rate_of_its_class_alone():
    found = one_rounded([10**9, 0], [10, 0]).ks()
    assert found.lower <= exact(naive.ks_score, [10**9, 0], [10, HALF]) <= found.upper


def test_a_rounded_weight_at_the_top_lowers_the_precision_of_all_positives():
    # Each octave of weights below it loses as much.
    neg, pos = [0] * 30 + [1], [*(2**k for k in reversed(range(30))), 0]
    found = one_rounded(neg, pos).average_precision()
    for weight in HALF, 3 * HALF:
        precision = exact(naive.average_precision_score, [0] * 30 + [weight], pos)
        assert found.lower <= precision <= found.upper


def test_a_rounded_weight_is_all_that_a_small_share_finds():
    neg, pos, share = [0, 100, 0], [100, 0, 0], 1 / 200
    found = one_rounded(neg, pos).gain_at(share)
    gain = exact(naive.gain_at, neg, [100, 0, HALF], share=share)
    assert found.lower <= gain <= found.upper
