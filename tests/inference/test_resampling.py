"""Replicates of given draws are the samples in which rows are repeated, and all draws are alike."""

import math

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import fastauc
from fastauc._kernels import resampling as _resampling
from fastauc._validation.rows import Rows
from fastauc._validation.threads import SERIAL
from fastauc.inference import (
    _bands as bands,
    _bootstrap as bootstrap,
    _placements as places,
    _resampling as resampling,
    bootstrap_ci,
    bootstrap_test,
)
from naive import bands as naive_bands, bootstrap as naive_bootstrap
from naive.rows import rows_of
from support.public import flat

STATISTICS = bootstrap.STATISTICS
RATES = [0, 0.1, 0.29, 1 / 3, 0.5, 0.7, 1]

by_statistic = pytest.mark.parametrize("statistic", STATISTICS)


def value(replicate, statistic):
    return bootstrap.FUNCTIONS[statistic](replicate)


def public_value(labels, scores, statistic, weights=None):
    if statistic == "ks":
        return fastauc.ks_score(labels, scores, sample_weight=weights)
    if statistic == "average_precision":
        return fastauc.average_precision_score(labels, scores, sample_weight=weights)
    return fastauc.roc_auc_score(labels, scores, sample_weight=weights)


def read(labels, scores, weights=None, codes=None):
    sample = Rows("test", labels, scores, weights).sample(SERIAL)
    clusters = None
    if codes is not None:
        clusters = np.asarray(codes, np.uint32)
    return sample, clusters


def steps_of(labels, scores, statistic, weights=None, codes=None):
    sample, clusters = read(labels, scores, weights, codes)
    return resampling.find_steps([sample], statistic == "average_precision", clusters)[0]


def in_class_order(labels, scores, values):
    """Return the values of the rows of each class, from the highest score down."""
    order = np.argsort(-np.asarray(scores, float), kind="stable")
    is_pos = np.asarray(labels)[order] == 1
    values = np.asarray(values)[order]
    return values[is_pos], values[~is_pos]


# Steps ------------------------------------------------------------------------------------------


samples = st.lists(
    st.tuples(st.integers(0, 1), st.integers(-3, 3), st.integers(0, 3)), min_size=2, max_size=14
).filter(lambda rows: len({label for label, _, count in rows if count}) == 2)


@given(samples, st.booleans())
def test_a_score_has_the_steps_that_it_has_beside_another(rows, keep_positives):
    # By itself, its rows are not put in order first.
    sample, _ = read(*zip(*[row[:2] for row in rows for _ in range(row[2])], strict=True))
    (alone,), (beside, _) = (
        resampling.find_steps([sample] * number, keep_positives) for number in (1, 2)
    )
    for own, other in (alone.pos, beside.pos), (alone.neg, beside.neg):
        np.testing.assert_array_equal(own.step, other.step)
    np.testing.assert_array_equal(alone.tied, beside.tied)


@given(samples, st.sampled_from(STATISTICS), st.booleans(), st.integers(0, 2**32))
@settings(max_examples=400)
def test_counts_make_the_statistic_of_the_repeated_rows(rows, statistic, weighted, seed):
    labels, scores, counts = (list(column) for column in zip(*rows, strict=True))
    weights = None
    if weighted:
        # One weight for equal rows: which of them is drawn then makes no difference.
        rng = np.random.default_rng(seed)
        of_row = {(label, score): rng.random() + 0.1 for label, score, _ in rows}
        weights = [of_row[label, score] for label, score, _ in rows]
    steps = steps_of(labels, scores, statistic, weights)
    factors = in_class_order(labels, scores, np.array(counts, np.uint32))
    found = value(resampling.add_up(steps, *factors), statistic)
    repeated = naive_bootstrap.repeat_rows(rows_of(labels, scores, weights), counts)
    exact = float(naive_bootstrap.statistic_of_rows(repeated, statistic))
    if weighted:
        # 14 steps at most, each within 2^-51 of the sum.
        assert found == pytest.approx(exact, abs=4 * 14 * 2**-51)
        return
    # Sums of precisions are within 2^-66 of themselves: no such small sample comes that near to the
    # middle between two doubles.
    assert found == exact
    assert found == public_value(np.repeat(labels, counts), np.repeat(scores, counts), statistic)


@given(samples, st.data())
@settings(max_examples=200)
def test_counts_make_the_curve_of_the_repeated_rows(rows, data):
    labels, scores, counts = (list(column) for column in zip(*rows, strict=True))
    steps = steps_of(labels, scores, "roc_auc")
    factors = in_class_order(labels, scores, np.array(counts, np.uint32))
    rates = sorted(data.draw(st.lists(st.sampled_from(RATES), min_size=1)))
    found = bands.height_of(resampling.add_up(steps, *factors), np.array(rates, float))
    repeated = naive_bootstrap.repeat_rows(rows_of(labels, scores), counts)
    exact = [float(naive_bands.height_of_rows(repeated, rate)) for rate in rates]
    # Four roundings, of numbers up to 1 and of a share of it.
    np.testing.assert_allclose(found, exact, rtol=0, atol=4 * 2**-53)


@by_statistic
def test_the_whole_sample_has_its_statistic(statistic):
    for ties in (1, 7, 400):
        rng = np.random.default_rng([ties, STATISTICS.index(statistic)])
        # More than a block of groups, of steps and of rows.
        scores = rng.permutation(3000) // ties - 1000
        labels = rng.integers(0, 2, 3000)
        found = value(resampling.whole_sample(steps_of(labels, scores, statistic)), statistic)
        assert found == public_value(labels, scores, statistic)


@given(samples, st.sampled_from(STATISTICS), st.randoms(use_true_random=False))
@settings(max_examples=200)
def test_clusters_are_taken_whole(rows, statistic, random):
    labels, scores, _ = (list(column) for column in zip(*rows, strict=True))
    codes = [random.randrange(4) for _ in rows]
    counts = np.array([random.randrange(3) for _ in range(max(codes) + 1)], np.uint32)
    repeated = naive_bootstrap.repeat_rows(rows_of(labels, scores), counts[codes])
    steps = None
    if {0, 1} == set(labels):
        steps = steps_of(labels, scores, statistic, codes=codes)
    if steps is not None and naive_bootstrap.has_both_classes(repeated):
        drawn = resampling.add_up(steps, counts, counts)
        exact = naive_bootstrap.statistic_of_rows(repeated, statistic)
        assert value(drawn, statistic) == float(exact)
        # So many rows that 32 bits might not count them: the same in doubles.
        masses = resampling.add_up(steps._replace(may_overflow=True), counts, counts)
        assert masses.pos.dtype == np.float64
        assert value(masses, statistic) == pytest.approx(float(exact), abs=4 * 14 * 2**-51)


def test_weights_of_any_size():
    rng = np.random.default_rng(5)
    labels, scores, weights = rng.integers(0, 2, 60), rng.integers(0, 9, 60), rng.random(60)
    options = {"n_resamples": 50, "rng": 1}
    plain = bootstrap_ci(labels, scores, sample_weight=weights, **options)
    for power in (-1000, -60, 900, 1015):
        scaled = np.ldexp(weights, power)
        found = bootstrap_ci(labels, scores, sample_weight=scaled, **options)
        np.testing.assert_array_equal(found.bootstrap_distribution, plain.bootstrap_distribution)
    weights = np.where(labels == 1, 1e-200, 1.0)
    with pytest.raises(ValueError, match=r"the value 1e-200 in a sum of .* 2\^-400"):
        bootstrap_ci(labels, scores, sample_weight=weights)


def test_a_replicate_of_the_lightest_rows_alone():
    # Each class has a row of weight 1, so it is not the share of a class that is too small.
    rows, told = ([0, 0, 1, 1], [1, 3, 2, 4]), r"the value 1e-163 in a sum of 2; .* 2\^-400"
    for statistic in ("roc_auc", "average_precision", "ks"):
        given_ = {"statistic": statistic, "sample_weight": [1, 1e-163, 1, 1e-163]}
        with pytest.raises(ValueError, match=told):
            bootstrap_ci(*rows, **given_)
        with pytest.raises(ValueError, match=told):
            bootstrap_test(*rows, [2, 1, 3, 4], **given_)
        steps = steps_of(*rows, statistic, [1, 1e-110, 1, 1e-110])
        twice_the_highest = np.array([2, 0], np.uint32)
        assert (
            value(resampling.add_up(steps, twice_the_highest, twice_the_highest), statistic) == 1.0
        )


# Draws ------------------------------------------------------------------------------------------


def test_draws_are_the_bits_of_the_words():
    rng = np.random.default_rng(3)
    sizes = np.array([1, 8, 512, 4096, 4096])
    draws = np.array([3, 0, 11, 4095, 4100])
    words = rng.integers(2**64 - 1, size=1 + 0 + 3 + 819 + 820, dtype=np.uint64, endpoint=True)
    step = rng.integers(0, 50, sizes.sum(), dtype=np.uint32)
    expected, left, first = np.zeros(50, np.uint32), words.tolist(), 0
    for size, n_draws in zip(sizes.tolist(), draws.tolist(), strict=True):
        for draw in range(n_draws):
            word = left[draw // 5] >> (12 * (draw % 5))
            expected[step[first + word % size]] += 1
        left = left[-(-n_draws // 5) :]
        first += size
    assert left == []
    counts = np.zeros(50, np.uint32)
    _resampling.count_draws(words, draws, sizes, step, counts)
    np.testing.assert_array_equal(counts, expected)


def sigmas(counts, expected):
    """Return by how many standard deviations a chi-square is above or below its mean."""
    chi_square = ((counts - expected) ** 2 / expected).sum()
    free = counts.size - 1
    return (chi_square - free) / math.sqrt(2 * free)


@pytest.mark.parametrize("n", [1, 2, 3, 100, 4095, 4096, 5001, 300_000])
def test_every_unit_is_drawn_as_often(n):
    urn = resampling.BlockSampler(np.arange(n, dtype=np.uint32))
    (rng,) = resampling.make_streams(np.random.default_rng(n), 1)
    counts = np.zeros(n, np.uint32)
    n_draws = 200 * max(n, 1000)
    urn.draw(n_draws, rng, counts)
    assert counts.sum() == n_draws
    if n > 1:
        # A normal number beyond 6 has probability 2e-9; with few units the chi-square is more
        # skewed: with one degree of freedom it exceeds 1 + 16 sqrt(2) with probability 1e-6.
        assert abs(sigmas(counts, n_draws / n)) < (6 if n > 50 else 16)
        ends = np.cumsum(urn._sizes)[:-1]
        blocks = np.array([block.sum() for block in np.split(counts, ends)])
        if len(blocks) > 1:
            assert abs(sigmas(blocks, n_draws * urn._shares)) < 16


def resampler(labels, scores, stratified=True, **columns):
    return resampling.Resampler([steps_of(labels, scores, "roc_auc", **columns)], stratified)


LABELS = np.repeat([1, 0], [700, 5000])
SCORES = np.random.default_rng(4).integers(0, 500, 5700) + 100 * LABELS


@pytest.mark.parametrize("stratified", [True, False])
def test_rows_counted_at_their_steps_are_those_drawn(stratified):
    steps = steps_of(LABELS, SCORES, "roc_auc")
    direct = resampling.Resampler([steps], stratified)
    by_factors = resampling.Resampler([steps, steps], stratified)
    both = (each.replicates(5, np.random.default_rng(5)) for each in (direct, by_factors))
    sizes = set()
    for (one,), (other, same) in zip(*both, strict=True):
        np.testing.assert_array_equal(other.pos, same.pos)
        assert flat(one) == flat(other)
        assert one.pos.sum() == one.n_pos
        assert one.neg.sum() == one.n_neg
        assert one.n_pos + one.n_neg == 5700
        sizes.add(one.n_pos)
    assert sizes == {700} if stratified else len(sizes) > 1


def test_a_replicate_without_a_class_is_drawn_again():
    # Otherwise a class would be empty in half of the replicates.
    drawn = resampler([1, 0], [2, 1], stratified=False)
    codes = [0, 1]
    clusters = resampler([1, 0], [2, 1], stratified=False, codes=codes)
    for each in (drawn, clusters):
        for (replicate,) in each.replicates(40, np.random.default_rng(0)):
            assert (replicate.n_pos, replicate.n_neg) == (1, 1)


def test_streams_differ_and_depend_on_nothing_else():
    def first_draws(n, generator):
        return [own.integers(2**62) for own in resampling.make_streams(generator, n)]

    draws = first_draws(4, np.random.default_rng(1))
    assert len(set(draws)) == 4
    generator = np.random.default_rng(1)
    assert first_draws(3, generator) == draws[:3]
    assert not set(first_draws(4, generator)) & set(draws)


def test_too_many_rows(monkeypatch):
    monkeypatch.setattr(places, "MOST_ROWS", 4)
    with pytest.raises(OverflowError, match=r"There are 4 rows; expected fewer than 2\^32"):
        bootstrap_ci([0, 1, 0, 1], [1, 2, 3, 4])
    # Two clusters of two rows may be four rows of one cluster: counted in doubles.
    monkeypatch.setattr(places, "MOST_ROWS", 5)
    monkeypatch.setattr(resampling, "MOST_ROWS", 5)
    assert not steps_of([0, 1, 0, 1], [1, 2, 3, 4], "ks", codes=[0, 0, 1, 1]).may_overflow
    assert steps_of([0, 1, 0, 1], [1, 2, 3, 4], "ks", codes=[0, 1, 1, 1]).may_overflow
