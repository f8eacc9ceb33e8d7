"""Scores that are hard to put in order: areas by every route and curves, against NumPy's sort.

Areas count pairs and curves count rows, both as integers: they are right to the last bit or wrong.
"""

import itertools

import numpy as np
import pytest

import fastauc
from support.distributions import DISTRIBUTIONS
from support.pairs import assert_every_route, count_by_bisection, count_pairs, make_sample
from support.weighted_pairs import assert_every_weighted_route, exact_area

DTYPES = ["float64", "float32", "int64"]
PREVALENCES = [0.001, 0.01, 0.5]
# Those in which the rows that a sample takes say least about the others.
TREACHEROUS = ["40 clusters", "six digits", "nested", "two far clusters", "unsampled clusters"]


def draw(name, dtype, n_rows):
    """Return the scores as this dtype, or None if it does not hold them.

    Where they are no whole numbers, the integers of their bits, which lie as the scores do but at
    other distances, take their place.
    """
    rng = np.random.default_rng([n_rows, list(DISTRIBUTIONS).index(name)])
    scores = DISTRIBUTIONS[name](rng, n_rows)
    if dtype == "int64" and scores.dtype != np.int64:
        return scores.view(np.int64)
    with np.errstate(over="ignore"):
        scores = scores.astype(dtype)
    return scores if np.isfinite(scores).all() else None


def labels_of(scores, prevalence):
    """Return labels that depend a little on the scores."""
    n_rows = len(scores)
    rng = np.random.default_rng([n_rows, int(1000 * prevalence)])
    ranks = np.empty(n_rows)
    ranks[np.argsort(scores, kind="stable")] = np.arange(n_rows)
    order = np.argsort(ranks + n_rows * rng.random(n_rows))
    labels = np.zeros(n_rows, np.uint8)
    labels[order[n_rows - max(1, int(prevalence * n_rows)) :]] = 1
    return labels


def counts_by_score(labels, scores):
    """Return the distinct scores from the highest on, and both classes at or above each."""
    values, places = np.unique(scores, return_inverse=True)
    classes = np.bincount(2 * places + labels, minlength=2 * len(values)).reshape(-1, 2)
    fps, tps = np.cumsum(classes[::-1], axis=0).T
    return values[::-1], fps, tps


def assert_area(labels, scores, n_jobs=None):
    assert count_pairs(make_sample(labels, scores), n_jobs) == count_by_bisection(labels, scores)


def assert_weighted_area(labels, scores):
    # Single precision between 0.5 and 2: whole numbers of 2^-24, which the kernels add up exactly.
    weights = np.random.default_rng(len(scores)).integers(2**23, 2**25, len(scores)) * 2.0**-24
    exact = float(exact_area(labels, scores, weights))
    assert fastauc.roc_auc_score(labels, scores, sample_weight=weights) == exact


def assert_curve(labels, scores):
    fpr, tpr, thresholds = fastauc.roc_curve(labels, scores, drop_intermediate=False)
    values, fps, tps = counts_by_score(labels, scores)
    np.testing.assert_array_equal(thresholds[1:], values)
    np.testing.assert_array_equal(fpr, np.append(0, fps / fps[-1]))
    np.testing.assert_array_equal(tpr, np.append(0, tps / tps[-1]))


def assert_all_routes(labels, scores):
    """Compare all routes in two orders of the rows, without weights, with whole ones and others."""
    n_rows = len(labels)
    rng = np.random.default_rng(n_rows)
    expected, order = count_by_bisection(labels, scores), rng.permutation(n_rows)
    assert_every_route(labels, scores, expected, n_jobs=(None, 3))
    assert_every_route(labels[order], scores[order], expected)
    assert_every_weighted_route(labels, scores, rng.integers(1, 2**53, n_rows) * 0.5)
    assert_every_weighted_route(labels, scores, rng.lognormal(0, 1, n_rows), is_whole=False)


@pytest.mark.check("every route")
@pytest.mark.parametrize("name", DISTRIBUTIONS)
def test_every_distribution(name):
    for dtype, n_rows in itertools.product(DTYPES, [300, 3_000, 40_000]):
        scores = draw(name, dtype, n_rows)
        if scores is None:
            assert (name, dtype) in {("magnitudes", "float32"), ("one far above", "float32")}
            continue
        for prevalence in PREVALENCES:
            labels = labels_of(scores, prevalence)
            if n_rows == 40_000:
                assert_area(labels, scores)
                assert_curve(labels, scores)
                if prevalence == 0.5:  # no route is one for weights of a rare class
                    assert_weighted_area(labels, scores)
            elif dtype == "float64" or prevalence == 0.01:
                assert_all_routes(labels, scores)


@pytest.mark.parametrize("name", TREACHEROUS)
def test_more_rows_than_one_thread_gets(name):
    scores = draw(name, "float64", 300_000)
    for prevalence in PREVALENCES:
        labels = labels_of(scores, prevalence)
        assert_area(labels, scores, n_jobs=2)
    assert_weighted_area(labels, scores)
    assert_curve(labels, scores)
