"""Exact results on very many small samples, and every function by its definition.

The fast oracles are those of other tests, where they are compared with ``naive``.
"""

import itertools
import math
import operator
from fractions import Fraction

import numpy as np
import pytest

import fastauc
import naive
from support.pairs import count_by_bisection
from support.public import PUBLIC
from support.reliability import tried
from support.weighted_pairs import assert_within_4_ulp, exact_area

DTYPES = ["float16", "float32", "float64", "int8", "int64", "uint64", "bool"]
REGIMES = ["no ties", "few ties", "heavy ties", "constant", "two levels", "one ulp"]
KINDS = [(regime, dtype) for regime in REGIMES for dtype in DTYPES]
by_regime = pytest.mark.parametrize("regime", REGIMES)
# Of the samples that a test draws, the first ones are enough to notice most faults.
some_and_all = pytest.mark.parametrize("share", [0.1, pytest.param(1, marks=pytest.mark.ci)])


# Generated samples ------------------------------------------------------------------------------


# Where neighbors begin: both signs, both ends, and past 2^53, where float64 merges integers.
FIRST = {
    "float": [1.5, -1.5],
    "int8": [60, -128, -30],
    "int64": [2**63 - 100, -(2**63), 2**53 - 30, -30],
    "uint64": [2**64 - 100, 2**63 - 30, 2**53 - 30],
}


def neighbors(rng, ranks, dtype):
    """Return numbers of the dtype without any other number between them."""
    dtype = np.dtype(dtype)
    if dtype.kind == "b":
        return ranks % 2 == 0
    choices = FIRST["float" if dtype.kind == "f" else dtype.name]
    first = dtype.type(choices[rng.integers(len(choices))])
    if dtype.kind == "f":
        bits = first.view(f"i{dtype.itemsize}")
        return (ranks.astype(bits.dtype) + bits).view(dtype)
    return ranks.astype(dtype) + first


def draw_scores(rng, regime, dtype, shape):
    """Return a batch of scores, a sample in each row."""
    n_rows = shape[1]
    ranks = rng.permuted(np.tile(np.arange(n_rows), (shape[0], 1)), axis=1)
    if regime == "one ulp":
        return neighbors(rng, ranks, dtype)
    if regime == "few ties":
        ranks[rng.random(shape) < 0.2] = n_rows // 2
    elif regime == "heavy ties":
        ranks = rng.integers(0, 4, shape)
    elif regime == "constant":
        ranks[:] = 1
    elif regime == "two levels":
        ranks = rng.integers(0, 2, shape)
    kind = np.dtype(dtype).kind
    if kind == "b":
        return ranks % 2 == 0
    if kind == "f":
        return (np.sqrt(ranks + 0.25) - 4).astype(dtype)  # 60 numbers that float16 tells apart
    return (2 * ranks - (n_rows if kind == "i" else 0)).astype(dtype)


def draw_batches(regime, n_samples, per_batch=200, dtypes=DTYPES):
    """Yield (generator, labels, scores) of samples of 2 to 60 rows, ``n_samples`` of all regimes.

    Every sample holds both classes, at any prevalence.
    """
    n_batches = math.ceil(n_samples / len(KINDS) / per_batch)
    for dtype in dtypes:
        rng = np.random.default_rng([1, KINDS.index((regime, dtype))])
        for _ in range(n_batches):
            shape = per_batch, int(rng.integers(2, 61))
            labels = (rng.random(shape) < rng.random((per_batch, 1))).astype(np.int8)
            labels[:, :2] = [0, 1]
            tried(per_batch)
            yield rng, rng.permuted(labels, axis=1), draw_scores(rng, regime, dtype, shape)


# Oracles ----------------------------------------------------------------------------------------


def count_pairs(labels, scores):
    """Return the numbers of concordant, tied and all pairs."""
    not_above, tied = count_by_bisection(labels, scores)
    n_pos = int(labels.sum())
    return not_above - tied, tied, n_pos * (len(labels) - n_pos)


# 200,000 random samples ---------------------------------------------------------------------------


@pytest.mark.check("exact fractions")
@by_regime
@some_and_all
def test_unweighted(regime, share):
    for number, (_, labels, scores) in enumerate(draw_batches(regime, share * 200_000)):
        for y_true, y_score in zip(labels, scores, strict=True):
            concordant, tied, pairs = count_pairs(y_true, y_score)
            assert fastauc.concordance(y_true, y_score)[:2] == (concordant, tied)
            # Python divides integers with a single, correct rounding.
            area = (2 * concordant + tied) / (2 * pairs)
            assert fastauc.roc_auc_score(y_true, y_score) == area
            if number % 3 == 0:  # every way to the area, of each dtype
                gini = (2 * concordant + tied - pairs) / pairs
                counts = fastauc.confusion_matrix_at_thresholds(y_true, y_score)
                assert fastauc.gini_score(y_true, y_score) == counts.gini() == gini
                assert counts.roc_auc() == area
                assert counts.tie_share() == tied / pairs


@pytest.mark.check("weights")
@by_regime
@some_and_all
def test_real_weights(regime, share):
    ranges = itertools.cycle([(-1, 0), (-30, 30), (-300, 300), (0, 0)])
    for rng, labels, scores in draw_batches(regime, share * 20_000, per_batch=12):
        low, high = next(ranges)
        weights = 0.1 * 10 ** rng.uniform(low, high, labels.shape)
        for y_true, y_score, weight in zip(labels, scores, weights, strict=True):
            exact = exact_area(y_true, y_score, weight)
            value = fastauc.roc_auc_score(y_true, y_score, sample_weight=weight)
            assert_within_4_ulp(value, exact)
            gini = fastauc.gini_score(y_true, y_score, sample_weight=weight)
            # Twice the 4 ulp of the area, for numbers up to 1, and one rounding.
            assert abs(Fraction(gini) - (2 * exact - 1)) <= 9 * Fraction(1, 2**53)


# Weights on many rows -----------------------------------------------------------------------------


def add_up(scores, weights):
    """Return the exact weight at or above each score, in units of 2^-80."""
    totals = dict.fromkeys(sorted(set(scores.tolist()), reverse=True), 0)
    for score, weight in zip(scores.tolist(), weights.tolist(), strict=True):
        totals[score] += int(Fraction(weight) * 2**80)
    return list(itertools.accumulate(totals.values()))


@pytest.mark.check("weights")
@pytest.mark.parametrize("n_levels", [2, 100, 10**9], ids=["two levels", "ties", "no ties"])
@pytest.mark.parametrize("exponent", [0, 8], ids=["uniform", "log-uniform"])
def test_weights_on_many_rows(n_levels, exponent):
    n_rows = 50_000
    rng = np.random.default_rng([19, n_levels, exponent])
    labels, scores = rng.integers(0, 2, n_rows), rng.integers(0, n_levels, n_rows)
    # A double of 2^-28 or more is a multiple of 2^-80.
    weights = (0.5 + rng.random(n_rows)) * 10 ** rng.uniform(-exponent, exponent, n_rows)
    tps, fps = add_up(scores, weights * labels), add_up(scores, weights * (1 - labels))
    counts = fastauc.confusion_matrix_at_thresholds(labels, scores, sample_weight=weights)
    for got, exact in (counts.tps, tps), (counts.fps, fps):
        expected = np.array([count / 2**80 for count in exact])
        # Carried in twice the digits and rounded once, or kept from falling by one unit.
        assert (np.abs(got - expected) <= np.spacing(expected)).all()
    exact = exact_area(labels, scores, weights)
    assert_within_4_ulp(fastauc.roc_auc_score(labels, scores, sample_weight=weights), exact)
    # Counts are off by 2^-53 of the weight of their class: by partial summation that moves the
    # area by 2 * 2^-53 for each class, and by 2^-53 for each total.
    assert abs(Fraction(counts.roc_auc()) - exact) <= 6 * Fraction(1, 2**53)


# Every small pattern ------------------------------------------------------------------------------


def every_pattern(n_rows):
    """Return all labels and all scores of three levels, in all combinations."""
    labels = np.array(list(itertools.product([0, 1], repeat=n_rows)), dtype=np.int8)
    scores = np.array(list(itertools.product([-0.1, 0.0, 0.3], repeat=n_rows)))
    return np.repeat(labels, len(scores), axis=0), np.tile(scores, (len(labels), 1))


@pytest.mark.filterwarnings("ignore::fastauc.UndefinedMetricWarning")
@pytest.mark.check("all small samples")
@pytest.mark.parametrize("n_rows", [*range(1, 7), pytest.param(7, marks=pytest.mark.ci)])
def test_every_pattern(n_rows):
    labels, scores = every_pattern(n_rows)
    assert len(labels) == 6**n_rows
    tried(len(labels))
    for y_true, y_score in zip(labels, scores, strict=True):
        concordant, tied, pairs = count_pairs(y_true, y_score)
        n_pos = y_true.sum()
        assert fastauc.concordance(y_true, y_score) == (concordant, tied, n_pos, n_rows - n_pos)
        area = fastauc.roc_auc_score(y_true, y_score)
        assert area == (2 * concordant + tied) / (2 * pairs) if pairs else math.isnan(area)


# Every function by its definition -----------------------------------------------------------------


def draw_small(seed, n_samples):
    """Yield (labels, scores, weights) with many ties; the weights are sums of powers of 2."""
    rng = np.random.default_rng(seed)
    for number in range(n_samples):
        n_rows = int(rng.integers(2, 12))
        labels = rng.integers(0, 2, n_rows)
        labels[:2] = [0, 1]
        scores = rng.integers(-3, rng.choice([-1, 2, 20]), n_rows) / 8
        # Every sum of these is exact in float64; some rows weigh nothing.
        weights = rng.integers(0, 9, n_rows) / 8
        weights[:2] = 1
        yield labels, scores, None if number % 2 else weights


def as_floats(values):
    return [float(value) for value in values]


@pytest.mark.parametrize("drop_intermediate", [False, True])
@pytest.mark.parametrize("name", ["roc_curve", "precision_recall_curve", "det_curve"])
def test_curve(name, drop_intermediate):
    for labels, scores, weights in draw_small(2, 1000):
        options = {"sample_weight": weights, "drop_intermediate": drop_intermediate}
        expected = getattr(naive, name)(labels, scores, **options)
        curve = PUBLIC[name](labels, scores, **options)
        # Each rate is one division of two exact counts.
        assert [array.tolist() for array in curve] == [as_floats(values) for values in expected]
        counts = fastauc.confusion_matrix_at_thresholds(labels, scores, sample_weight=weights)
        again = getattr(counts, name)(drop_intermediate=drop_intermediate)
        assert [array.tolist() for array in again] == [array.tolist() for array in curve]


def test_counts_at_thresholds():
    for labels, scores, weights in draw_small(3, 1000):
        expected = naive.confusion_matrix_at_thresholds(labels, scores, sample_weight=weights)
        counts = fastauc.confusion_matrix_at_thresholds(labels, scores, sample_weight=weights)
        assert [array.tolist() for array in counts] == [as_floats(values) for values in expected]
        between = [*expected[-1], expected[-1][0] + 0.1, expected[-1][-1] - 0.1, 0.05]
        for threshold, inclusive in itertools.product(between, [True, False]):
            matrix = counts.at(threshold, inclusive=inclusive)
            above = operator.ge if inclusive else operator.gt
            row = sum(above(score, threshold) for score in expected[-1]) - 1
            if row >= 0:
                assert matrix == tuple(column[row] for column in expected[:4])
            else:
                assert matrix == (expected[1][-1], 0, expected[3][-1], 0)


@pytest.mark.parametrize("n_rows", [12, pytest.param(24, marks=pytest.mark.ci)])
def test_rates_of_every_table_are_correctly_rounded(n_rows):
    for fp, fn, tp in itertools.product(range(n_rows + 1), repeat=3):
        for tn in range(n_rows + 1 - fp - fn - tp):
            matrix = fastauc.ConfusionMatrix(tn, fp, fn, tp)
            for name, exact in naive.confusion_matrix(tn, fp, fn, tp).items():
                got, expected = getattr(matrix, name), float(exact)
                assert got == expected or (got != got and expected != expected), (matrix, name)


def test_numbers_of_a_binary_sample():
    for labels, scores, weights in draw_small(4, 1000):
        counts = fastauc.confusion_matrix_at_thresholds(labels, scores, sample_weight=weights)
        exact = naive.confusion_counts(
            *naive.confusion_matrix_at_thresholds(labels, scores, sample_weight=weights)
        )
        area = naive.roc_auc_score(labels, scores, sample_weight=weights)
        assert exact["roc_auc"] == area
        assert counts.tie_share() == float(exact["tie_share"])
        assert_within_4_ulp(counts.roc_auc(), area)
        assert_within_4_ulp(fastauc.roc_auc_score(labels, scores, sample_weight=weights), area)
        for value in (
            counts.average_precision(),
            fastauc.average_precision_score(labels, scores, sample_weight=weights),
        ):
            assert value == pytest.approx(
                float(exact["average_precision"]), rel=0, abs=math.ulp(value)
            )
        for value in (counts.ks(), fastauc.ks_score(labels, scores, sample_weight=weights)):
            # Correctly rounded from integers; with weights two rates and their difference.
            tolerance = 0 if weights is None else 3 * 2**-54
            assert value == pytest.approx(float(exact["ks"]), rel=0, abs=tolerance)


def test_auc_of_points():
    rng = np.random.default_rng(6)
    for n_points in (2, 3, 10, 100):
        x, y = np.sort(rng.random(n_points)), rng.random(n_points)
        for points in (x, y), (x[::-1], y):
            # Each trapezoid takes three roundings and the sum one more, of numbers below 1.
            tolerance = 4 * n_points * 2**-53
            expected = float(naive.auc(*points))
            assert fastauc.auc(*points) == pytest.approx(expected, rel=0, abs=tolerance)
