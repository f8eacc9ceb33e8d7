"""Where numbers end: huge counts, half and single precision, neighbors, zeros, integers past 2^53.

Lists are compared with Python's own numbers, which compare integers with floats exactly.
"""

import itertools
import math
from fractions import Fraction
from functools import partial

import numpy as np
import pytest

import fastauc
import naive
from fastauc._pairs.concordance import check_number_of_pairs
from support.laws import first
from support.pairs import count_by_bisection, draw_labels
from support.reliability import tried


def assert_exact(labels, scores):
    """Compare the pairs, the area, its weighted form, and the thresholds with the oracle."""
    values = np.array(scores, object) if isinstance(scores, list) else scores
    not_above, tied = count_by_bisection(np.asarray(labels), values)
    pairs = fastauc.concordance(labels, scores)
    assert (pairs.concordant, pairs.tied) == (not_above - tied, tied)
    area = (2 * not_above - tied) / (2 * pairs.n_pos * pairs.n_neg)
    assert fastauc.roc_auc_score(labels, scores) == area
    tried()
    # Weights of 1 have exact sums, so the weighted area is rounded once, too.
    ones = np.ones(len(labels), np.float32)
    assert fastauc.roc_auc_score(labels, scores, sample_weight=ones) == area
    for weights in None, ones:
        counts = fastauc.confusion_matrix_at_thresholds(labels, scores, sample_weight=weights)
        thresholds = scores.tolist() if hasattr(scores, "tolist") else scores
        assert counts.thresholds.tolist() == sorted(set(thresholds), reverse=True)
        assert counts.roc_auc() == area


# Huge counts --------------------------------------------------------------------------------------

SIZES = [1, 2, 46340, 46341, 65535, 65536, 2**24 - 1, 2**24 + 1, 94906265, 94906266, 2**31 - 1]
SIZES += [2**31, 2**32, 3037000499, 3037000500, 2**40, 2**52]

# From the numbers of positives and negatives to those of each score, from the highest down.
SHAPES = {
    "one tie": lambda p, n: [(p, n)],
    "perfect": lambda p, n: [(p, 0), (0, n)],
    "reversed": lambda p, n: [(0, n), (p, 0)],
    "three ties": lambda p, n: [
        (p // 3, n // 5),
        (p - p // 3 - p // 7, n // 2),
        (p // 7, n - n // 5 - n // 2),
    ],
}


def make_counts(groups):
    """Return ConfusionCounts, and the same counts as lists of Python integers."""
    groups = [group for group in groups if group != (0, 0)]
    tps = list(itertools.accumulate(p for p, _ in groups))
    fps = list(itertools.accumulate(n for _, n in groups))
    rows = [fps[-1] - fp for fp in fps], fps, [tps[-1] - tp for tp in tps], tps
    thresholds = np.arange(len(groups), 0, -1)
    return fastauc.ConfusionCounts(*map(np.array, rows), thresholds), rows


@pytest.mark.check("counts up to 2^52")
@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
def test_huge_counts(shape):
    for n_pos, n_neg in itertools.product(SIZES, repeat=2):
        counts, rows = make_counts(shape(n_pos, n_neg))
        exact = naive.confusion_counts(*rows, None)
        tried()
        assert counts.roc_auc() == counts.roc_auc(max_fpr=1) == float(exact["roc_auc"])
        assert counts.gini() == float(exact["gini"])
        assert counts.tie_share() == float(exact["tie_share"])
        assert counts.ks() == float(exact["ks"])
        assert counts.average_precision() == pytest.approx(
            float(exact["average_precision"]), rel=2**-53, abs=0
        )
        fpr, tpr, _ = counts.roc_curve(drop_intermediate=False)
        assert fpr.tolist() == [0, *(fp / n_neg for fp in rows[1])]
        assert tpr.tolist() == [0, *(tp / n_pos for tp in rows[3])]
        if len(rows[0]) == 1:
            # A diagonal: the standardized area is that of chance, up to any rate.
            assert counts.roc_auc(max_fpr=0.3) == 1 / 2


@pytest.mark.check("counts up to 2^52")
def test_huge_numbers_of_pairs():
    for n_pos, n_neg in itertools.product(SIZES, repeat=2):
        n_pairs = n_pos * n_neg
        for concordant, tied in [(0, n_pairs), (n_pairs, 0), (n_pairs // 3, n_pairs // 7)]:
            pairs = fastauc.Concordance(concordant, tied, n_pos, n_neg)
            exact = naive.concordance_counts(*pairs)
            tried()
            assert pairs.fraction == exact["fraction"]
            assert pairs.auc == float(exact["fraction"])
            assert pairs.discordant == exact["discordant"]


@pytest.mark.check("counts up to 2^52")
@pytest.mark.parametrize("n_pos", [2**32, 2**63])
def test_more_pairs_than_a_counter_holds(n_pos):
    check_number_of_pairs(n_pos, 2**64 // n_pos - 1)
    with pytest.raises(OverflowError, match=f"{n_pos} positives and .* make 2\\^64 pairs or more"):
        check_number_of_pairs(n_pos, 2**64 // n_pos)


# More rows than float32 counts --------------------------------------------------------------------

N_MANY = 2**24 + 1000


def two_levels():
    rows = np.arange(N_MANY)
    return (rows % 3 == 0).astype(np.int8), (rows % 5 < 2).astype(np.float32)


def no_ties():
    # Neighboring bit patterns, from 1/8 up, in an order that visits each once.
    ranks = np.arange(N_MANY) * 7919 % N_MANY
    assert math.gcd(7919, N_MANY) == 1
    labels = (np.arange(N_MANY) % 3 == 0).astype(np.int8)
    return labels, (ranks.astype(np.int32) + np.float32(1 / 8).view(np.int32)).view(np.float32)


@pytest.mark.check("counts past 2^24")
@pytest.mark.parametrize("weighted", first(1, [False, True]), ids=["unweighted", "unit weights"])
@pytest.mark.parametrize("make", first(1, [two_levels, no_ties]))
def test_single_precision_loses_no_rows(make, weighted):
    labels, scores = make()
    not_above, tied = count_by_bisection(labels, scores)
    weights = np.ones(N_MANY, np.float32) if weighted else None
    n_pos = int(labels.sum(dtype=np.int64))
    n_neg = N_MANY - n_pos
    area = (2 * not_above - tied) / (2 * n_pos * n_neg)
    assert fastauc.roc_auc_score(labels, scores, sample_weight=weights) == area
    counts = fastauc.confusion_matrix_at_thresholds(labels, scores, sample_weight=weights)
    assert (counts.tps[-1], counts.fps[-1]) == (n_pos, n_neg)
    assert (counts.tns[0], counts.fns[0]) == (n_neg - counts.fps[0], n_pos - counts.tps[0])
    assert len(counts.thresholds) == (2 if make is two_levels else N_MANY)
    assert counts.thresholds.dtype == np.float32
    assert counts.roc_auc() == area
    if not weighted:
        assert fastauc.concordance(labels, scores)[:2] == (not_above - tied, tied)


# Half precision -----------------------------------------------------------------------------------

HALVES = np.arange(65_536, dtype=np.uint16).view(np.float16)
FINITE_HALVES = HALVES[np.isfinite(HALVES)]


@pytest.mark.check("half precision")
def test_every_finite_half():
    rng = np.random.default_rng(14)
    assert len(FINITE_HALVES) == 2 * 31 * 1024  # signs, exponents but the last, fractions
    increasing = np.sort(FINITE_HALVES)
    for scores in FINITE_HALVES, increasing, increasing[::-1], rng.permutation(increasing):
        tried(len(scores))
        assert_exact(draw_labels(rng, len(scores)), scores)
    for step in range(6):  # with ties
        assert_exact(draw_labels(rng, 4096), rng.choice(FINITE_HALVES[:: 2**step], 4096))


@pytest.mark.check("half precision")
def test_every_other_half_is_refused():
    others = HALVES[~np.isfinite(HALVES)]
    assert len(others) == 2 * 1024
    tried(len(others))
    for value in others:
        with pytest.raises(ValueError, match=r"y_score\[1\]"):
            fastauc.roc_auc_score([0, 1, 1], np.array([0, value, 1], np.float16))


# Neighbors ----------------------------------------------------------------------------------------


@pytest.mark.check("neighboring numbers")
@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_neighbors_are_never_merged(dtype):
    rng = np.random.default_rng(15)
    lowest, highest = {np.float16: (-7, 4), np.float32: (-44, 38), np.float64: (-310, 308)}[dtype]
    scores = (10 ** rng.uniform(lowest, highest, 3500)).astype(dtype)
    scores *= rng.choice(np.array([-1, 1], dtype), len(scores))
    for score in scores[np.isfinite(scores)]:
        pair = np.array([score, np.nextafter(score, dtype(np.inf))])
        assert fastauc.concordance([0, 1], pair) == (1, 0, 1, 1)
        assert fastauc.roc_auc_score([1, 0], pair) == 0
        assert fastauc.roc_auc_score([0, 1], pair, sample_weight=[1, 2]) == 1
        assert len(fastauc.confusion_matrix_at_thresholds([0, 1], pair).thresholds) == 2
        tried()


# Zeros --------------------------------------------------------------------------------------------


@pytest.mark.check("signed zeros")
@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_zeros_are_equal(dtype):
    rng = np.random.default_rng(16)
    tiny = np.finfo(dtype).smallest_subnormal
    values = np.array([-0.0, 0.0, -tiny, tiny, 1], dtype)
    assert fastauc.concordance([0, 1], values[:2]) == (0, 1, 1, 1)
    for _ in range(400):
        scores = rng.choice(values, int(rng.integers(2, 20)))
        labels = draw_labels(rng, len(scores))
        assert_exact(labels, scores)
        for weights in None, np.ones(len(scores)):
            counts = fastauc.confusion_matrix_at_thresholds(labels, scores, sample_weight=weights)
            assert not np.signbit(counts.thresholds[counts.thresholds == 0]).any()


# Integers past 2^53 -------------------------------------------------------------------------------


SIGNED = [2**53 - 2, 2**63 - 6, -(2**63), -(2**53) - 3, -3]
UNSIGNED = [2**53 - 2, 2**63 - 3, 2**64 - 6]


@pytest.mark.check("wide integers")
@pytest.mark.parametrize(("dtype", "starts"), [(np.int64, SIGNED), (np.uint64, UNSIGNED)])
def test_neighboring_integers(dtype, starts):
    rng = np.random.default_rng(17)
    for start, _ in itertools.product(starts, range(150)):
        values = np.array([start + step for step in range(6)], dtype)
        scores = rng.choice(values, int(rng.integers(2, 20)))
        labels = draw_labels(rng, len(scores))
        assert_exact(labels, scores)
        counts = fastauc.confusion_matrix_at_thresholds(labels, scores)
        assert counts.thresholds.dtype == dtype
        for threshold in values.tolist():
            predicted = labels[scores >= dtype(threshold)]
            assert counts.at(threshold).tp == predicted.sum()
            assert counts.at(threshold).fp == len(predicted) - predicted.sum()
            assert counts.at(threshold + Fraction(1, 2)) == counts.at(threshold + 1)


MIXED = {
    "signed": [2**53, 2**53 + 1, 2**53 + 2, float(2**53), -(2**60), -(2**60) - 1, 0.5],
    "unsigned": [2**63, 2**63 + 1, float(2**63), 2**64 - 1, 0.5, True],
    "both": [2**64 - 1, 2**64 - 2, -1, -(2**63), -(2**63) + 1],
    "huge": [2**64, 2**64 + 1, 2.0**64, 10**40, 10**40 + 1, 1e40, -0.25],
    "fractions": [Fraction(1, 3), 1 / 3, 2**53 + 1, float(2**53), Fraction(2**54 + 1, 2)],
}


@pytest.mark.check("wide integers")
@pytest.mark.parametrize("values", MIXED.values(), ids=MIXED)
def test_lists_of_integers_and_floats(values):
    rng = np.random.default_rng(17)
    for _ in range(150):
        chosen = rng.integers(0, len(values), int(rng.integers(2, 20)))
        scores = [values[position] for position in chosen]
        labels = draw_labels(rng, len(scores))
        assert_exact(labels.tolist(), scores)


# Weights of any size ------------------------------------------------------------------------------


@pytest.mark.check("AUC within [0, 1]")
def test_perfect_stays_perfect():
    rng = np.random.default_rng(18)
    for _ in range(2_000):
        labels = draw_labels(rng, int(rng.integers(2, 8)))
        weights = 10 ** rng.uniform(-300, 300, len(labels))
        options = {"sample_weight": weights}
        assert fastauc.roc_auc_score(labels, labels, **options) == 1
        assert fastauc.roc_auc_score(labels, 1 - labels, **options) == 0
        assert fastauc.roc_auc_score(labels, labels * 0, **options) == 1 / 2
        assert fastauc.ks_score(labels, labels, **options) == 1
        assert fastauc.average_precision_score(labels, labels, **options) == 1
        tried()


SHARES = {
    "area": fastauc.roc_auc_score,
    "part": partial(fastauc.roc_auc_score, max_fpr=0.3),
    "gini": lambda *sample, **options: (fastauc.gini_score(*sample, **options) + 1) / 2,
    "counts": lambda *sample, **options: fastauc.confusion_matrix_at_thresholds(
        *sample, **options
    ).roc_auc(),
    "precision": fastauc.average_precision_score,
    "curved": partial(fastauc.metrics.pr_auc_score, interpolation="davis-goadrich"),
    "ks": fastauc.ks_score,
}


@pytest.mark.check("AUC within [0, 1]")
@pytest.mark.parametrize("name", SHARES)
@pytest.mark.parametrize(
    "n_samples", [3000, pytest.param(1_000_000 // len(SHARES), marks=pytest.mark.slow)]
)
def test_weights_of_any_size_give_no_share_outside_0_and_1(name, n_samples):
    """Compute of samples of up to 20 rows, some perfect and some reversed, with any weights."""
    rng = np.random.default_rng([180, list(SHARES).index(name)])
    share = SHARES[name]
    for _ in range(n_samples // 100):
        n_rows = int(rng.integers(2, 20))
        widest = rng.choice([1, 16, 300])
        weights = 10 ** rng.uniform(-widest, widest, (100, n_rows))
        labels = rng.integers(0, 2, (100, n_rows))
        labels[:, :2] = [0, 1]
        scores = rng.integers(0, 6, (100, n_rows)) + rng.integers(-6, 7, (100, 1)) * labels
        for sample in zip(labels, scores, weights, strict=True):
            assert 0 <= share(*sample[:2], sample_weight=sample[2]) <= 1, sample
        tried(100)
