"""Agreement with other people's programs: scikit-learn and SciPy."""

import numpy as np
import pytest
from scipy import stats
from sklearn import metrics

import fastauc
from support.laws import first
from support.public import PUBLIC
from support.reliability import tried

# The largest difference allowed; scikit-learn adds up rounded rates.
CLOSE = 1e-12


def draw(rng, n_rows):
    """Return labels of both classes and scores of one of several kinds."""
    labels = (rng.random(n_rows) < rng.uniform(0.05, 0.95)).astype(int)
    labels[:2] = [0, 1]
    scores = rng.normal(size=n_rows) + labels * rng.normal()
    kind = rng.integers(5)
    if kind == 0:
        scores = scores.astype(np.float32)
    elif kind == 1:
        scores = np.round(scores, 1)
    elif kind == 2:
        scores = rng.integers(0, 5, n_rows)
    elif kind == 3:
        scores = np.round(scores).astype(np.float16)
    return labels, scores


def draw_weights(rng, n_rows):
    """Return no weights, real ones, or eighths, of which every sum is exact; some are 0."""
    kind = rng.integers(3)
    if kind == 0:
        return None, True
    weights = rng.random(n_rows) if kind == 1 else rng.integers(0, 9, n_rows) / 8
    weights[:2] = 1
    return weights, kind == 2


def compare(name, *sample, close=CLOSE, **options):
    tried()
    expected = getattr(metrics, name)(*sample, **options)
    got = PUBLIC[name](*sample, **options)
    if isinstance(expected, float):
        assert got == pytest.approx(expected, rel=0, abs=CLOSE)
        return
    assert len(got) == len(expected)
    for ours, theirs in zip(got, expected, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=0, atol=close)
    assert got[-1].dtype == expected[-1].dtype  # thresholds


def compare_all(rng, n_rows):
    """Compare every function on one sample."""
    labels, scores = draw(rng, n_rows)
    weights, exact_sums = draw_weights(rng, n_rows)
    sample, weighted = (labels, scores), {"sample_weight": weights}
    compare("roc_auc_score", *sample, **weighted)
    compare("roc_auc_score", *sample, max_fpr=rng.uniform(0.01, 1), **weighted)
    compare("average_precision_score", *sample, **weighted)
    if weights is None or weights.all():
        # Every one of scikit-learn's n additions rounds a sum up to the total weight.
        rounding = 0 if exact_sums else n_rows * 2**-53 * weights.sum()
        compare("confusion_matrix_at_thresholds", *sample, close=rounding, **weighted)
    compare("roc_curve", *sample, drop_intermediate=False, **weighted)
    if exact_sums:
        # Of inexact sums scikit-learn drops points by rounding noise.
        compare("roc_curve", *sample, drop_intermediate=True, **weighted)
    for name in ("precision_recall_curve", "det_curve"):
        for drop_intermediate in (False, True):
            compare(name, *sample, drop_intermediate=drop_intermediate, **weighted)


@pytest.mark.check("scikit-learn")
@pytest.mark.parametrize("seed", first(2, range(20)))
def test_scikit_learn(seed):
    rng = np.random.default_rng([3, seed])
    for _ in range(120):  # of eight to ten comparisons each
        compare_all(rng, int(10 ** rng.uniform(0.4, 3)))


@pytest.mark.check("scikit-learn")
@pytest.mark.parametrize("n_rows", [10_000, 100_000])
@pytest.mark.parametrize("seed", first(1, range(5)))
def test_scikit_learn_on_many_rows(seed, n_rows):
    compare_all(np.random.default_rng([3, seed, n_rows]), n_rows)


@pytest.mark.check("SciPy")
@pytest.mark.parametrize("seed", first(1, range(5)))
def test_scipy(seed):
    rng = np.random.default_rng([4, seed])
    for _ in range(1000):
        labels, scores = draw(rng, int(10 ** rng.uniform(0.4, 2.5)))
        # SciPy computes in the dtype of the scores; half precision would overflow there.
        scores = scores.astype(np.float64)
        positives, negatives = scores[labels == 1], scores[labels == 0]
        pairs = fastauc.concordance(labels, scores)
        twice_u = 2 * pairs.concordant + pairs.tied

        test = stats.mannwhitneyu(positives, negatives, method="asymptotic", use_continuity=False)
        assert 2 * test.statistic == twice_u

        mid_ranks = stats.rankdata(scores)  # halves, and exact
        assert 2 * mid_ranks[labels == 1].sum() - len(positives) * (len(positives) + 1) == twice_u

        with np.errstate(divide="ignore"):  # in the p-value, for a single row of a class
            ks = stats.ks_2samp(positives, negatives, method="asymp").statistic
        # Two quotients of counts off by 2^-54 each, and a rounding of their difference.
        assert abs(fastauc.ks_score(labels, scores) - ks) <= 1e-15
        tried(3)
