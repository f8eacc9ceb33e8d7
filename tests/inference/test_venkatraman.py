"""The tests of Venkatraman and Begg, and of Venkatraman: all exchanges, and crossing curves."""

import math

import numpy as np
import pytest

import fastauc
import naive
from fastauc import UndefinedMetricWarning
from fastauc.inference import roc_curve_test


@pytest.mark.parametrize("seed", range(6))
def test_it_is_the_share_of_all_exchanges(seed):
    rng = np.random.default_rng(seed)
    labels = rng.permutation([0, 0, 0, 0, 1, 1, 1])
    first, second = rng.permuted(np.tile(np.arange(7), (2, 1)), axis=1)
    statistic, pvalue = naive.roc_curve_test(labels, first, second)
    found = roc_curve_test(labels, first, second, n_resamples=20_000, rng=seed)
    assert found.statistic == statistic
    # Four deviations of a share of so many exchanges.
    assert abs(found.pvalue - pvalue) < 4 * math.sqrt(0.25 / 20_000)


@pytest.mark.parametrize("is_tied", [False, True])
@pytest.mark.parametrize("seed", range(5))
def test_of_two_samples_it_is_the_share_of_all_exchanges(seed, is_tied):
    rng = np.random.default_rng([seed, is_tied])
    labels, labels_b = rng.permutation([0, 0, 0, 1, 1]), rng.permutation([0, 0, 1, 1, 1, 1])
    first, second = rng.normal(size=5), rng.normal(size=6)
    if is_tied:
        first, second = np.round(first), np.round(second)
    given = {"y_true_b": labels_b}
    statistic, pvalue = naive.roc_curve_test(labels, first, second, **given)
    found = roc_curve_test(labels, first, second, **given, n_resamples=2000, rng=seed)
    # Sums of some twenty doubles below 1.
    assert found.statistic == pytest.approx(float(statistic), abs=1e-14)
    # Four deviations of a share of so many exchanges.
    assert abs(found.pvalue - pvalue) < 4 * math.sqrt(0.25 / 2000)


def test_of_two_samples_with_as_many_rows_of_each_class_it_is_that_of_the_same_rows():
    rng = np.random.default_rng(8)
    labels = rng.permutation(np.repeat([0, 1], [30, 20]))
    first, second = rng.normal(size=(2, 50)) + labels
    options = {"n_resamples": 9, "rng": 1}
    errors = roc_curve_test(labels, first, second, **options).statistic
    rows = rng.permutation(50)
    found = roc_curve_test(labels, first, second[rows], y_true_b=labels[rows], **options)
    # Sums of a hundred doubles below 1 / 50.
    assert found.statistic == pytest.approx(errors / 50**2, abs=1e-15)


def proc_statistic(samples, kappa):
    """Return the statistic of venkatraman.unpaired.stat in R/venkatraman.R of pROC 1.19."""
    curves = []
    for labels, scores in samples:
        sorted_labels = labels[np.argsort(scores)]
        fnr, tnr = (np.cumsum(sorted_labels == c) / np.sum(labels == c) for c in (1, 0))
        curves.append((kappa * fnr + (1 - kappa) * tnr, kappa * fnr + (1 - kappa) * (1 - tnr)))
    # Where one of the curves has not begun, its approxfun gives NA, which is left out.
    x = np.sort(np.concatenate([curve[0] for curve in curves]))
    x = x[x >= max(curve[0][0] for curve in curves)]
    y = np.abs(np.interp(x, *curves[0]) - np.interp(x, *curves[1]))
    return np.sum((y[1:] + y[:-1]) * np.diff(x)) / 2


@pytest.mark.parametrize("seed", range(6))
def test_of_two_samples_alike_in_size_the_statistic_is_that_of_proc(seed):
    rng = np.random.default_rng(seed)
    labels = rng.permutation(np.repeat([0, 1], [30, 20]))
    first, second = rng.normal(size=(2, 50)) + labels
    found = roc_curve_test(labels, first, second, y_true_b=labels, n_resamples=1, rng=0).statistic
    # The triangle before the first row, where the curves part if it is of different classes.
    height = 2 / 50 * abs(int(labels[np.argmin(first)]) - int(labels[np.argmin(second)]))
    expected = proc_statistic([(labels, first), (labels, second)], 0.4) + height / 50 / 2
    # Sums of a hundred doubles below 1 / 50.
    assert found == pytest.approx(expected, abs=1e-15)


def test_the_same_order_and_crossing_curves():
    labels, scores = np.arange(400) % 2, np.arange(400) // 40
    assert roc_curve_test(labels, scores, scores * 3, n_resamples=99, rng=0)[:2] == (0, 1)
    # Equal areas, about 0.5: the spread of the positives is greater by the one, less by the other.
    noise = np.random.default_rng(4).normal(size=(2, 400))
    first, second = noise * np.where(labels == 1, [[3], [1 / 3]], 1)
    for second_sample in ({}, {"y_true_b": labels}):
        options = {"n_resamples": 199, "rng": 0} | second_sample
        assert roc_curve_test(labels, first, second, **options).pvalue == 1 / 200
        assert roc_curve_test(labels, first, first**3, **options)[:2] == (0, 1)


def test_undefined_and_refused():
    with pytest.warns(UndefinedMetricWarning, match="Only one class"):
        assert math.isnan(roc_curve_test([1, 1], [1, 2], [2, 1]).pvalue)
    with pytest.raises(fastauc.InvalidParameterError, match="'n_resamples' parameter of roc_curve"):
        roc_curve_test([0, 1], [1, 2], [2, 1], n_resamples=0)
    with pytest.raises(ValueError, match="y_true_b"):
        roc_curve_test([0, 1], [1, 2], [2, 1, 3], y_true_b=[0, 1])
    with pytest.warns(UndefinedMetricWarning, match="Only one class"):
        found = roc_curve_test([0, 1], [1, 2], [2, 1], y_true_b=[1, 1])
    assert math.isnan(found.statistic)
