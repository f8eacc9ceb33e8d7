"""Intervals of rates at thresholds, against SciPy, statsmodels and what they solve."""

import math
from decimal import Context, Decimal, localcontext
from statistics import NormalDist

import numpy as np
import pytest
from scipy.stats import beta, binomtest

import fastauc
from fastauc import ConfusionMatrix
from fastauc._counts.proportions import quotient_ends, share_ends

LEVELS = [0.5, 0.95, 0.999]
OF_SCIPY = {"wilson": "wilson", "beta": "exact"}
FIELDS = fastauc.metrics.ConfusionIntervals._fields
# tp, tp + fn, fp, fp + tn: confint_proportions_2indep(*counts, method="score", compare="ratio",
# alpha=0.05, correction=False) of statsmodels 0.15.0.
OF_STATSMODELS = [
    ((40, 50, 5, 50), (3.6874143224859344, 18.57819519864609)),
    ((9, 122, 829, 1688), (0.07987091832145823, 0.27394712679451466)),
    ((3, 20, 1, 300), (6.559951529807718, 303.132727301069)),
    ((1, 2, 1, 3), (0.20558317832770523, 10.185414984512452)),
    ((19, 20, 299, 300), (0.7663835126822143, 0.9956435172504504)),
]


def koopman_score(x1, n1, x2, n2, quotient):
    """Return how many errors the first share is above a multiple of the second, to 40 digits."""
    with localcontext(Context(prec=40)):
        x1, n1, x2, n2, quotient = map(Decimal, (x1, n1, x2, n2, quotient))
        linear = quotient * (n1 + x2) + x1 + n2
        root = (linear**2 - 4 * (n1 + n2) * quotient * (x1 + x2)).sqrt()
        p1 = (linear - root) / (2 * (n1 + n2))
        p2 = p1 / quotient
        variance = p1 * (1 - p1) / n1 + quotient**2 * p2 * (1 - p2) / n2
        return float((x1 / n1 - quotient * x2 / n2) / variance.sqrt())


def draw_matrices(n_matrices):
    rng = np.random.default_rng(3)
    for k in range(n_matrices):
        counts = rng.integers(0, 10 ** (1 + k % 4), 4)
        counts[k % 5 : k % 5 + 1] *= k % 3 > 0  # some are 0
        yield ConfusionMatrix(*counts.tolist())


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("method", OF_SCIPY)
def test_shares_are_as_scipy_has_them(method, level):
    # SciPy looks for exact ends to 2e-12.
    close = 4e-12 if method == "beta" else 1e-15
    for matrix in draw_matrices(30):
        tn, fp, fn, tp = matrix
        intervals = matrix.intervals(method=method, confidence_level=level)
        shares = {
            "sensitivity": (tp, tp + fn),
            "specificity": (tn, tn + fp),
            "precision": (tp, tp + fp),
            "npv": (tn, tn + fn),
            "accuracy": (tp + tn, sum(matrix)),
        }
        for name, (part, whole) in shares.items():
            found = getattr(intervals, name)
            if whole == 0:
                assert np.isnan(found).all()
                continue
            expected = binomtest(part, whole).proportion_ci(level, OF_SCIPY[method])
            assert found == pytest.approx((expected.low, expected.high), rel=1e-13, abs=close)
        if tp + fp + fn:
            ends = binomtest(tp, tp + fp + fn).proportion_ci(level, OF_SCIPY[method])
            expected = [2 / (1 / end + 1) if end else 0 for end in (ends.low, ends.high)]
            assert intervals.f1 == pytest.approx(expected, rel=1e-13, abs=2 * close)


@pytest.mark.parametrize(("counts", "expected"), OF_STATSMODELS)
def test_likelihood_ratios_are_as_statsmodels_has_them(counts, expected):
    tp, n_pos, fp, n_neg = counts
    matrix = ConfusionMatrix(n_neg - fp, fp, n_pos - tp, tp)
    found = matrix.intervals().positive_likelihood_ratio
    # statsmodels looks for the ends less closely: up to 1e-8 off what they solve.
    assert found == pytest.approx(expected, rel=3e-8)
    z = NormalDist().inv_cdf(0.975)
    scores = [koopman_score(*counts, end) for end in found]
    # Some roundings of shares, of 1e-16 each, and a score that is some hundred times as steep.
    assert scores == pytest.approx([z, -z], abs=1e-12)
    turned = ConfusionMatrix(fp, n_neg - fp, tp, n_pos - tp).intervals()
    assert turned.negative_likelihood_ratio == found


@pytest.mark.parametrize("n", [1, 2, 7, 100, 10**6])
@pytest.mark.parametrize("level", LEVELS)
def test_a_ratio_of_two_whole_shares(n, level):
    # The score at a quotient q < 1 is sqrt(n (1 / q - 1)); that of the other side is its inverse.
    z = NormalDist().inv_cdf((1 + level) / 2)
    for m in 1, 30, n:
        whole = np.array([float(n)]), np.array([float(m)])
        low, high = quotient_ends((whole[0], whole[0]), (whole[1], whole[1]), level)
        # Some roundings; the score is as steep at its end as it is curved.
        assert low == pytest.approx(1 / (1 + z * z / n), rel=1e-14, abs=0)
        assert high == pytest.approx(1 + z * z / m, rel=1e-14, abs=0)


@pytest.mark.parametrize("level", [0.01, 0.5, 0.95, 1 - 1e-9])
def test_all_counts_of_few_rows_and_some_of_many(level):
    for n in (1, 2, 5, 40, 10**4, 10**6):
        part = np.unique(np.rint(np.linspace(0, n, 41)))
        low, high = share_ends(part, np.full_like(part, n), "beta", level)
        tail = (1 - level) / 2
        # SciPy's own are off by as much as this for a level of 0.01, and for many rows.
        expected = beta.ppf(tail, part[1:], n - part[1:] + 1)
        np.testing.assert_allclose(low[1:], expected, rtol=2e-12)
        np.testing.assert_allclose(high, 1 - low[::-1], rtol=0, atol=1e-15)
        assert (low[0], high[-1]) == (0, 1)


def test_a_ratio_of_nothing_has_one_end():
    perfect = ConfusionMatrix(tn=50, fp=0, fn=0, tp=40).intervals()
    assert perfect.positive_likelihood_ratio.high == math.inf
    assert perfect.negative_likelihood_ratio.low == 0
    z = NormalDist().inv_cdf(0.975)
    low, high = perfect.positive_likelihood_ratio.low, perfect.negative_likelihood_ratio.high
    assert koopman_score(40, 40, 0, 50, low) == pytest.approx(z, abs=1e-12)
    assert koopman_score(0, 40, 50, 50, high) == pytest.approx(-z, abs=1e-12)
    assert np.isnan(ConfusionMatrix(0, 0, 0, 5).intervals().positive_likelihood_ratio).all()


@pytest.mark.parametrize("method", OF_SCIPY)
def test_a_table_holds_what_each_threshold_has(method):
    rng = np.random.default_rng(2)
    y_true = rng.integers(0, 2, 60)
    counts = fastauc.confusion_matrix_at_thresholds(y_true, rng.integers(0, 15, 60) + y_true)
    table = counts.intervals(method=method, confidence_level=0.8)
    ends = [f"{name}{end}" for name in FIELDS for end in ("", "_low", "_high")]
    assert table.columns == ("threshold", *ends)
    for k, threshold in enumerate(counts.thresholds.tolist()):
        assert table["threshold"][k] == threshold
        matrix = counts.at(threshold)
        intervals = matrix.intervals(method=method, confidence_level=0.8)
        for name in FIELDS:
            row = [table[column][k] for column in (name, f"{name}_low", f"{name}_high")]
            expected = [getattr(matrix, name), *getattr(intervals, name)]
            # Newton's steps end together for a whole column.
            assert row == pytest.approx(expected, rel=1e-14, nan_ok=True)


def test_weights_and_wrong_options_are_refused():
    labels, scores = [0, 1, 0, 1], [1, 2, 3, 4]
    counts = fastauc.confusion_matrix_at_thresholds(labels, scores, sample_weight=[1, 2, 1, 2])
    with pytest.raises(fastauc.InvalidParameterError, match=r"'fps'.*not a sum of weights"):
        counts.intervals()
    with pytest.raises(fastauc.InvalidParameterError, match=r"'tn'.*not a sum of weights"):
        counts.at(2).intervals()
    with pytest.raises(fastauc.InvalidParameterError, match="'fn'"):
        ConfusionMatrix(1, 1, -1, 1).intervals()
    counts = fastauc.confusion_matrix_at_thresholds(labels, scores)
    with pytest.raises(fastauc.InvalidParameterError, match=r"'method'.*'wilson', 'beta'"):
        counts.at(2).intervals(method="wald")
    with pytest.raises(fastauc.InvalidParameterError, match="'confidence_level'"):
        counts.at(2).intervals(confidence_level=1)
