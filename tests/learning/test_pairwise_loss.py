"""Losses over all pairs, and their gradients."""

from fractions import Fraction as F

import numpy as np
import pytest
from hypothesis import given, strategies as st

import naive
from fastauc.learning import pairwise_loss
from support.laws import first, law, samples, weights_of_rows

KINDS = ["squared_hinge", "square", "hinge"]
HINGES = ["squared_hinge", "hinge"]

each_kind = pytest.mark.parametrize("kind", KINDS)
each_hinge = pytest.mark.parametrize("kind", HINGES)

margins = st.sampled_from([0.0, 0.1, 1.0, 3.0, 1e-9, 1e9])
# Of very different sizes; sums with a margin are rarely doubles.
values = st.one_of(
    st.integers(-30, 30).map(lambda k: k / 10), st.floats(-1e6, 1e6), st.floats(-1e-6, 1e-6)
)


def ulps(count, exact):
    """Return how much ``count`` units in the last place of a number are; subnormal ones as well."""
    return F(count) * max(F(abs(exact)) * F(2) ** -52, F(2) ** -1074)


def assert_close(found, expected, tolerance):
    for ours, exact in zip(found, expected, strict=True):
        assert abs(F(ours) - exact) <= tolerance(float(exact))


# The definition ---------------------------------------------------------------------------------


@each_hinge
@law
@given(samples(weights_of_rows, scores=values), margins, st.booleans())
def test_hinges_are_those_of_all_pairs(kind, sample, margin, weighted):
    *rows, weights = sample
    options = {"kind": kind, "margin": margin, "sample_weight": weights if weighted else None}
    loss, gradient = pairwise_loss(*rows, **options)
    exact_loss, exact_gradient = naive.pairwise_loss(*rows, **options)
    # A gap is rounded once, a square of it twice as much; the sums carry 2^-100 of themselves; then
    # there are a rounding of the sum, a product, the pairs, a quotient; and with weights, the sum
    # of those of each class is rounded once.
    assert_close([loss, *gradient], [exact_loss, *exact_gradient], lambda exact: ulps(8, exact))
    assert pairwise_loss(*rows, **options, return_gradient=False) == loss


@law
@given(samples(weights_of_rows, scores=values), margins, st.booleans())
def test_squares_are_those_of_all_pairs(sample, margin, weighted):
    *rows, weights = sample
    options = {"kind": "square", "margin": margin, "sample_weight": weights if weighted else None}
    loss, gradient = pairwise_loss(*rows, **options)
    exact_loss, exact_gradient = naive.pairwise_loss(*rows, **options)
    # Scores from their mean, their means and the margin are off by a few units of the largest of
    # them, and a gap by as much; squares are off by that times twice the gap.
    reach = margin + np.ptp(rows[1])
    assert abs(F(loss) - exact_loss) <= F(1e-14) * F(reach) ** 2 + ulps(1, 0)
    shares = weights if weighted else np.ones(len(weights))
    labels = rows[0]
    shares = shares / np.where(labels == 1, shares[labels == 1].sum(), shares[labels == 0].sum())
    for ours, exact, share in zip(gradient, exact_gradient, shares.tolist(), strict=True):
        assert abs(F(ours) - exact) <= F(1e-14) * F(reach) * F(share) + ulps(1, 0)


@each_kind
@law
@given(samples(weights_of_rows, scores=values), st.randoms(use_true_random=False))
def test_the_order_of_the_rows_does_not_matter(kind, sample, random):
    labels, scores, weights = sample
    rows = list(range(len(labels)))
    random.shuffle(rows)
    for weight in (None, weights):
        loss, gradient = pairwise_loss(labels, scores, kind=kind, sample_weight=weight)
        other_loss, other = pairwise_loss(
            labels[rows],
            scores[rows],
            kind=kind,
            sample_weight=weight if weight is None else weight[rows],
        )
        assert other_loss == loss
        assert other.tolist() == gradient[rows].tolist()


@each_kind
@pytest.mark.parametrize("offset", first(1, [2.0**30, 0.0, -(2.0**45)]))
def test_offsets_change_nothing(kind, offset):
    # Scores on a grid that the offset leaves exact.
    rng = np.random.default_rng(4)
    labels = rng.integers(0, 2, 120)
    scores = rng.integers(-500, 500, 120) / 128
    options = {"kind": kind, "margin": 0.5}
    expected = naive.pairwise_loss(labels, scores, **options)
    loss, gradient = pairwise_loss(labels, scores + offset, **options)
    tolerance = 1e-14 * 8 if kind == "square" else 0
    assert abs(F(loss) - expected[0]) <= max(ulps(8, loss), 8 * tolerance)
    for ours, exact in zip(gradient, expected[1], strict=True):
        # Of the square, each row has its share of a class of 50 rows or more.
        assert abs(F(ours) - exact) <= max(ulps(8, float(exact)), tolerance / 50)


def test_the_corner_is_compared_exactly():
    # 1.1 - 0.1 is a little above 1, and 1.3 - 0.3 a little below: as doubles; 2 - 1 is 1.
    for pos, neg in (1.1, 0.1), (1.3, 0.3), (2.0, 1.0), (0.3 + 1e-17, -0.7):
        gap = 1 - (F(pos) - F(neg))
        loss, gradient = pairwise_loss([1, 0], [pos, neg], kind="hinge")
        assert loss == float(max(gap, 0))
        assert gradient.tolist() == ([-1, 1] if gap > 0 else [0, 0])


# Input ------------------------------------------------------------------------------------------


@each_kind
def test_rows_of_weight_0_are_left_out(kind):
    labels, scores, weights = [1, 0, 1, 0, 0], [1, 2, 9, 9, 0], [1, 2, 0, 0, 3]
    found = pairwise_loss(labels, scores, kind=kind, sample_weight=weights)
    kept = pairwise_loss([1, 0, 0], [1, 2, 0], kind=kind, sample_weight=[1, 2, 3])
    assert found[0] == kept[0]
    assert found[1].tolist() == [kept[1][0], kept[1][1], 0, 0, kept[1][2]]


@each_kind
def test_scores_of_any_size(kind):
    labels, scores = [1, 0, 1, 0], np.array([2.0, 0.0, 1.0, 1.5])
    loss, gradient = pairwise_loss(labels, scores, kind=kind)
    for exponent in (-900, -300, 300, 1000):
        unit = 2.0**exponent
        found = pairwise_loss(labels, scores * unit, kind=kind, margin=unit)
        # The loss may be beyond the doubles, or below them.
        with np.errstate(over="ignore"):
            assert found[0] == np.ldexp(loss, exponent if kind == "hinge" else 2 * exponent)
        assert found[1].tolist() == np.ldexp(gradient, 0 if kind == "hinge" else exponent).tolist()


@each_kind
def test_differences_of_large_integers_are_exact(kind):
    whole = pairwise_loss([1, 0], np.array([2**63 + 2**20, 2**63], np.uint64), kind=kind)
    assert whole[0] == {"square": (1 - 2.0**20) ** 2}.get(kind, 0)


@each_kind
def test_weights_of_classes_far_apart(kind):
    # Only the first positive counts, and the weights of a class cancel out.
    loss, gradient = pairwise_loss(
        [1, 1, 0], [1, 2, 3], kind=kind, sample_weight=[1e200, 1e-200, 1e-180]
    )
    plain, slopes = pairwise_loss([1, 0], [1, 3], kind=kind)
    assert loss == plain
    assert gradient == pytest.approx([slopes[0], 0.0, slopes[1]], rel=1e-15)
