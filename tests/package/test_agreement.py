"""Agreement with other people's programs: scikit-learn and SciPy."""

import numpy as np
import pytest
from scipy import stats

import fastauc
from support.contract import DRAWS_CURVE, answer_alike
from support.laws import first
from support.reliability import tried


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


def compare_all(rng, n_rows):
    """Compare every function on one sample."""
    sample = draw(rng, n_rows)
    weights, exact_sums = draw_weights(rng, n_rows)
    weighted = {"sample_weight": weights}
    answer_alike("roc_auc_score", sample, weighted)
    answer_alike("roc_auc_score", sample, weighted | {"max_fpr": rng.uniform(0.01, 1)})
    answer_alike("average_precision_score", sample, weighted)
    for name in DRAWS_CURVE:
        answer_alike(name, sample, weighted | {"drop_intermediate": False})
        # Of inexact sums scikit-learn drops points of roc_curve by rounding noise.
        if exact_sums or name != "roc_curve":
            answer_alike(name, sample, weighted | {"drop_intermediate": True})
    # Counts of weight 0 are left out here, and those of many inexact weights are not rounded alike.
    if exact_sums and (weights is None or weights.all()):
        answer_alike("confusion_matrix_at_thresholds", sample, weighted)


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
