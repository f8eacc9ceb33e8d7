"""Placements: of every row, against pairs compared one by one; and their sums, in integers."""

import math
import warnings
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, strategies

import fastauc
import naive
from fastauc._kernels import resampling
from fastauc._validation.columns import read_models
from fastauc._validation.rows import Rows
from fastauc._validation.threads import SERIAL, Workers
from fastauc.inference import _placements as places, placements
from support.flushing import SUBNORMAL, flush_to_zero, on_glibc
from support.laws import ROWS, columns

WEIGHTS = strategies.sampled_from([0.0, 0.1, 0.5, 1.0, 3.0, 1e-9])


def ranked(y_true, y_score):
    """Return the exact placements of many rows, from their ranks among the other class."""
    y_true, y_score = np.asarray(y_true), np.asarray(y_score)
    pos, neg = np.sort(y_score[y_true == 1]), np.sort(y_score[y_true == 0])
    below = np.searchsorted(neg, y_score), np.searchsorted(neg, y_score, "right")
    above = np.searchsorted(pos, y_score), np.searchsorted(pos, y_score, "right")
    of_positives = (below[0] + below[1]) / (2 * len(neg))
    of_negatives = (2 * len(pos) - above[0] - above[1]) / (2 * len(pos))
    return np.where(y_true == 1, of_positives, of_negatives)


def draw(rng, n, n_values):
    y_true = rng.integers(0, 2, n)
    y_true[:2] = 0, 1
    return y_true, rng.integers(0, n_values, n) / 7


@given(ROWS)
def test_placements_are_shares_of_the_other_class(rows):
    y_true, y_score = columns(rows)
    found = placements(y_true, y_score)
    assert found.dtype == np.float64
    # One division of integers: correctly rounded.
    assert found.tolist() == [float(share) for share in naive.placements(y_true, y_score)]


@given(ROWS, strategies.data())
def test_weighted_placements(rows, data):
    y_true, y_score = columns(rows)
    weight = data.draw(strategies.lists(WEIGHTS, min_size=len(rows), max_size=len(rows)))
    totals = [sum(w for w, y in zip(weight, y_true, strict=True) if y == own) for own in (0, 1)]
    if not any(weight):
        return
    with warnings.catch_warnings():
        if not all(totals):
            warnings.simplefilter("ignore", fastauc.UndefinedMetricWarning)
        found = placements(y_true, y_score, sample_weight=weight)
    exact = naive.placements(y_true, y_score, sample_weight=weight)
    for share, expected in zip(found.tolist(), exact, strict=True):
        if isinstance(expected, float):
            assert math.isnan(share)
        else:
            assert 0 <= share <= 1
            # Sums of double-doubles, rounded to a double; the total, likewise; and a quotient.
            assert abs(Fraction(share) - expected) <= 2 * Fraction(math.ulp(float(expected)))


@pytest.mark.parametrize("n_values", [1, 2, 30, 1000, 10**9])
def test_many_rows(n_values):
    y_true, y_score = draw(np.random.default_rng(n_values), 20_000, n_values)
    found, expected = placements(y_true, y_score), ranked(y_true, y_score)
    np.testing.assert_array_equal(found, expected)
    equal = np.full(len(y_true), 3.0)
    np.testing.assert_array_equal(placements(y_true, y_score, sample_weight=equal), expected)
    area = fastauc.roc_auc_score(y_true, y_score)
    for own in (0, 1):
        # math.fsum rounds once; each placement is half an ulp of 1 off at most, as is the area.
        mean = math.fsum(found[y_true == own]) / np.count_nonzero(y_true == own)
        assert mean == pytest.approx(area, rel=0, abs=2**-52)


def test_scores_are_compared_as_they_are():
    great = 2**62 + np.array([0, 1, 1, 2, 3, 3])  # beyond doubles
    assert placements([0, 1, 0, 0, 1, 1], great).tolist() == [1, 1 / 2, 5 / 6, 2 / 3, 1, 1]
    zeros = [-0.0, 0.0, 5e-324, -5e-324]
    assert placements([0, 1, 0, 1], zeros).tolist() == [1 / 4, 1 / 4, 0, 0]


@on_glibc
def doubled_placements(sample):
    place = np.arange(len(sample.label), dtype=np.uint64)
    return places.find_placements(sample, places.rank_rows(sample, place=place))[0]


@pytest.mark.parametrize("bits", [0x40, 0x8040])
def test_processors_that_flush(bits):
    for make in SUBNORMAL.values():
        rng = np.random.default_rng(6)
        y_true, y_score = rng.integers(0, 2, 3000), make(rng, 3000)
        sample = Rows("placements", y_true, y_score, None, 1).sample(SERIAL)
        # Integers: the last division could not go wrong, but the comparison would.
        expected = doubled_placements(sample)
        found, _ = flush_to_zero(bits, doubled_placements, sample)
        assert found.tolist() == expected.tolist()
        others = 2 * np.array([sample.n_pos, sample.n_neg])[y_true]
        np.testing.assert_array_equal(expected / others, ranked(y_true, y_score))


def test_rows_in_another_order_and_threads():
    rng = np.random.default_rng(3)
    y_true, y_score = draw(rng, 450_000, 10**6)
    order = rng.permutation(len(y_true))
    again = placements(y_true[order], y_score[order], n_jobs=2)
    np.testing.assert_array_equal(again, placements(y_true, y_score)[order])


def test_a_class_without_weight_gives_no_placements():
    for labels, weights in ([0, 0, 0], None), ([1, 1, 1], None), ([0, 1, 1], [0, 1, 1]):
        with pytest.warns(fastauc.UndefinedMetricWarning, match="placements are undefined"):
            found = placements(labels, [1, 2, 0], sample_weight=weights)
        expected = [math.nan] * 3 if weights is None else [0.5, math.nan, math.nan]
        np.testing.assert_array_equal(found, expected)


# Sums ---------------------------------------------------------------------------------------------


def sums_of(y_true, y_score, workers=SERIAL):
    models = read_models(("placements", workers, None, "raise"), y_true, {"s": y_score})
    return places.sum_placements(models.weighted_sample(0), workers)


def naive_sums(y_true, y_score):
    concordant, tied, n_pos, n_neg = naive.concordance(y_true, y_score)
    shares = list(zip(y_true, naive.placements(y_true, y_score), strict=True))
    of_pos = sum((share * 2 * n_neg) ** 2 for own, share in shares if own)
    of_neg = sum((share * 2 * n_pos) ** 2 for own, share in shares if not own)
    return 2 * concordant + tied, of_pos, of_neg


@given(ROWS)
def test_sums_of_one_scan(rows):
    y_true, y_score = columns(rows)
    found = sums_of(y_true, y_score)
    assert found == naive_sums(y_true, y_score)
    assert all(type(value) is int for value in found)


@pytest.mark.parametrize("n_values", [2, 500, 10**9])
def test_sums_are_those_of_the_rows(n_values):
    y_true, y_score = draw(np.random.default_rng(4), 30_000, n_values)
    y_score -= y_score.mean()  # both regions of the sorted rows
    sample = read_models(("", SERIAL, None, "raise"), y_true, {"s": y_score}).weighted_sample(0)
    of_rows = doubled_placements(sample).astype(object)
    with Workers(2) as workers:
        twice_u, *squares = places.sum_placements(sample, workers)
    pairs = fastauc.concordance(y_true, y_score)
    assert twice_u == 2 * pairs.concordant + pairs.tied == of_rows[y_true == 1].sum()
    assert twice_u == of_rows[y_true == 0].sum()
    assert squares == [(of_rows[y_true == label] ** 2).sum() for label in (1, 0)]


def test_squares_that_need_more_than_64_bits():
    # Separated: each positive has the place 2 n_neg, each negative 2 n_pos.
    n_pos, n_neg = 1_200_000, 2_400_000
    y_true = np.repeat([0, 1], [n_neg, n_pos])
    _, *squares = sums_of(y_true, np.arange(n_pos + n_neg, dtype=np.float32))
    assert squares == [n_pos * (2 * n_neg) ** 2, n_neg * (2 * n_pos) ** 2]
    assert max(squares) > 2**64

    values = np.array([2**62, 3, 2**61], np.int64)
    labels = np.array([0, 1, 0], np.uint8)
    found = resampling.sum_products_by_class(labels, values, values)
    assert found == (2**124 + 2**122, 9)


def test_too_many_rows_are_refused():
    told = r"There are 4294967296 rows; expected fewer than 2\^32"
    with pytest.raises(OverflowError, match=told):
        places.check_size(2**32)
