"""The convex hull of the ROC curve."""

import math

import numpy as np
import pytest
from hypothesis import given

import fastauc
import naive
from support.laws import law, samples, weights_of_rows


@law
@given(samples())
def test_it_is_the_exact_one(sample):
    expected = naive.roc_convex_hull(*sample)
    hull = fastauc.metrics.roc_convex_hull(*sample)
    for found, exact in zip(hull[:3], expected[:3], strict=True):
        assert found.tolist() == [float(value) for value in exact]
    assert hull.auc == float(expected[3])
    counts = fastauc.confusion_matrix_at_thresholds(*sample).roc_convex_hull()
    assert counts.auc == hull.auc
    assert all((a == b).all() for a, b in zip(counts[:3], hull[:3], strict=True))


@law
@given(samples(weights_of_rows))
def test_with_weights(sample):
    *rows, weights = sample
    hull = fastauc.metrics.roc_convex_hull(*rows, sample_weight=weights)
    # Points that are on a line but for a rounding may be corners or not; the area is the same.
    exact = float(naive.roc_convex_hull(*rows, sample_weight=weights)[3])
    assert hull.auc == pytest.approx(exact, rel=0, abs=1e-15)


def test_slopes_are_compared_in_integers_of_any_size():
    # Three slopes near one that differ by 2^-80: no double tells them apart.
    big = 2**40
    fps = np.array([big, 2 * big + 1, 3 * big + 3])
    tps = np.array([big + 1, 2 * big + 3, 3 * big + 6])
    # (big + 1) / big > (big + 2) / (big + 1) > (big + 3) / (big + 2)
    counts = fastauc.ConfusionCounts(fps[-1] - fps, fps, tps[-1] - tps, tps, np.array([3, 2, 1]))
    assert counts.roc_convex_hull().thresholds.tolist() == [math.inf, 3, 2, 1]
    turned = fastauc.ConfusionCounts(fps[-1] - fps, tps, tps[-1] - tps, fps, np.array([3, 2, 1]))
    assert turned.roc_convex_hull().thresholds.tolist() == [math.inf, 1]
    line = np.array([big + 1, 2 * big + 2, 3 * big + 3])
    straight = fastauc.ConfusionCounts(line, line, line, 3 * line, np.array([3, 2, 1]))
    assert straight.roc_convex_hull().thresholds.tolist() == [math.inf, 1]
