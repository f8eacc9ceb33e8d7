"""The test of Venkatraman and Begg: all exchanges of ranks, and its level."""

import math

import numpy as np
import pytest

import fastauc
import naive
from fastauc import UndefinedMetricWarning, venkatraman_test


@pytest.mark.parametrize("seed", range(6))
def test_it_is_the_share_of_all_exchanges(seed):
    rng = np.random.default_rng(seed)
    labels = rng.permutation([0, 0, 0, 0, 1, 1, 1])
    first, second = rng.permuted(np.tile(np.arange(7), (2, 1)), axis=1)
    statistic, pvalue = naive.venkatraman_test(labels, first, second)
    found = venkatraman_test(labels, first, second, n_resamples=20_000, rng=seed)
    assert found.statistic == statistic
    # Four deviations of a share of so many exchanges.
    assert abs(found.pvalue - pvalue) < 4 * math.sqrt(0.25 / 20_000)


def test_threads_order_of_rows_and_scale_do_not_matter():
    rng = np.random.default_rng(3)
    labels = rng.integers(0, 2, 2000)
    first, second = np.round(rng.normal(size=(2, 2000)) + labels, 1)
    found = venkatraman_test(labels, first, second, n_resamples=300, rng=1)
    rows = rng.permutation(2000)
    turned = labels[rows], first[rows] * 2, second[rows] ** 3
    assert venkatraman_test(*turned, n_resamples=300, rng=1, n_jobs=2) == found


def test_the_same_order_and_crossing_curves():
    labels, scores = np.arange(400) % 2, np.arange(400) // 40
    assert venkatraman_test(labels, scores, scores * 3, n_resamples=99, rng=0) == (0, 1)
    # Equal areas, about 0.5: the spread of the positives is greater by the one, less by the other.
    noise = np.random.default_rng(4).normal(size=(2, 400))
    first, second = noise * np.where(labels == 1, [[3], [1 / 3]], 1)
    assert venkatraman_test(labels, first, second, n_resamples=199, rng=0).pvalue == 1 / 200


def test_undefined_and_refused():
    with pytest.warns(UndefinedMetricWarning, match="Only one class"):
        assert math.isnan(venkatraman_test([1, 1], [1, 2], [2, 1]).pvalue)
    with pytest.raises(fastauc.InvalidParameterError, match="'n_resamples' parameter of venk"):
        venkatraman_test([0, 1], [1, 2], [2, 1], n_resamples=0)
