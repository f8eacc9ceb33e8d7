"""The smooth area over all pairs, and its gradient."""

import math

import numpy as np
import pytest
from hypothesis import given, strategies as st

import fastauc
import naive
from support.laws import law, samples, weights_of_rows

scales = st.sampled_from([1e-3, 0.1, 1.0, 30.0])
scores = st.integers(-30, 30).map(lambda k: k / 10)


@law
@given(samples(weights_of_rows, scores=scores), scales, st.booleans())
def test_it_is_the_mean_of_all_pairs(sample, scale, is_weighted):
    *rows, weights = sample
    options = {"scale": scale, "sample_weight": weights if is_weighted else None}
    value, gradient = fastauc.learning.sigmoid_roc_auc(*rows, **options)
    expected_value, expected = naive.sigmoid_roc_auc(*rows, **options)
    assert value == pytest.approx(expected_value, abs=1e-13)
    np.testing.assert_allclose(gradient, expected, rtol=0, atol=1e-13 / scale)
    assert fastauc.learning.sigmoid_roc_auc(*rows, **options, return_gradient=False) == value


def test_blocks_of_pairs_add_up():
    rng = np.random.default_rng(0)
    labels, scores = rng.integers(0, 2, 1500), rng.normal(size=1500)
    value, gradient = fastauc.learning.sigmoid_roc_auc(labels, scores, scale=0.5)
    pos, neg = scores[labels == 1], scores[labels == 0]
    sigmoid = 1 / (1 + np.exp((neg - pos[:, None]) / 0.5))
    assert value == pytest.approx(sigmoid.mean(), abs=1e-13)
    slopes = (sigmoid * (1 - sigmoid)).sum(axis=1) / (0.5 * sigmoid.size)
    np.testing.assert_allclose(gradient[labels == 1], slopes, rtol=1e-10)


def test_extreme_scores_and_scales():
    labels, scores = [0, 1, 1], [1.7e308, -1.7e308, 1.7e308]
    value, gradient = fastauc.learning.sigmoid_roc_auc(labels, scores, scale=5e-324)
    assert (value, gradient.tolist()[:2]) == (0.25, [-math.inf, 0.0])
    assert fastauc.learning.sigmoid_roc_auc(labels, scores, scale=1e300)[0] == pytest.approx(0.25)
