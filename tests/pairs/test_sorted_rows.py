"""Rows in the order of their scores, two regions of integers, against NumPy's stable sort."""

import itertools

import numpy as np
import pytest

from fastauc._pairs.sorted_rows import (
    flip_of_low,
    number_weighted_rows,
    places_by_class,
    sort_rows,
    sort_rows_with,
    sort_weighted_rows,
)
from fastauc._pairs.sorting import ONE_BUCKET
from fastauc._validation import threads
from fastauc._validation.threads import SERIAL, Workers
from support.distributions import SIGNED
from support.laws import first
from support.pairs import make_sample

DTYPES = ["f4", "f8", "i8"]
SIZES = [2, 17, ONE_BUCKET // 2, ONE_BUCKET // 2 + 1, ONE_BUCKET, ONE_BUCKET + 1, 60_000]


@pytest.fixture
def rng():
    return np.random.default_rng(0)


def draw_rows(draw, dtype, rng, n):
    """Return labels and scores; of integers those near the ends of their range as well."""
    scores = draw(rng, n)
    if dtype == "i8":
        bits = scores.astype(float).view(np.int64)
        scores = np.where(rng.random(n) < 0.5, bits, bits % 7 - 3)
    scores = scores.astype(dtype)
    labels = rng.integers(0, 2, n)
    labels[:2] = 0, 1
    return labels, scores


def in_order(labels, scores):
    """Return scores, without the sign of zeros, and labels in order: negatives first of a tie."""
    order = np.lexsort((labels, scores))
    scores = scores[order]
    if scores.dtype.kind == "f":
        scores[scores == 0] = 0.0
    return scores, labels[order]


def unpack(rows, dtype):
    """Return the scores and the labels of sorted rows."""
    packed = rows.packed.copy()
    labels = packed & packed.dtype.type(1)
    packed >>= packed.dtype.type(1)
    packed[: rows.n_low] ^= packed.dtype.type(flip_of_low(np.dtype(dtype)))
    return packed.view(dtype), labels


def assert_in_order(rows, labels, scores):
    ordered, ordered_labels = in_order(labels, scores)
    unpacked, unpacked_labels = unpack(rows, scores.dtype)
    np.testing.assert_array_equal(
        unpacked.view(f"u{scores.itemsize}"), ordered.view(unpacked_labels.dtype)
    )
    np.testing.assert_array_equal(unpacked_labels, ordered_labels)
    assert rows.n_low == np.count_nonzero(scores < 0)


@pytest.mark.parametrize("draw", first(12, SIGNED))
def test_rows_are_in_order_and_what_belongs_to_them_follows(draw, rng, monkeypatch):
    monkeypatch.setattr(threads, "ROWS_PER_THREAD", 10_000)
    for dtype, n in itertools.product(DTYPES, SIZES):
        labels, scores = draw_rows(SIGNED[draw], dtype, rng, n)
        sample, numbers = make_sample(labels, scores), np.arange(n, dtype=np.uint64)
        for is_few_runs in False, True:
            assert_in_order(sort_rows(sample, SERIAL, is_few_runs), labels, scores)
        with Workers(2) as workers:
            assert_in_order(sort_rows(sample, workers), labels, scores)
            for found in sort_rows_with(sample, numbers), sort_rows_with(sample, numbers, workers):
                rows, order = found
                assert_in_order(rows, labels, scores)
                # Equal rows stay as they are.
                np.testing.assert_array_equal(order, np.lexsort((labels, scores)))
        weight = rng.choice([0.5, 1.0, 5e-324, 1e300], n)
        rows, ordered = sort_weighted_rows(sample, weight)
        assert_in_order(rows, labels, scores)
        np.testing.assert_array_equal(ordered, weight[np.lexsort((weight, labels, scores))])
        rows, again, order = number_weighted_rows(sample, weight)
        assert_in_order(rows, labels, scores)
        np.testing.assert_array_equal(again, ordered)
        np.testing.assert_array_equal(weight[order.view(np.int64)], ordered)
        np.testing.assert_array_equal(np.sort(order), numbers)
        # Numbers of their own, by which the weights are.
        own = rng.permutation(numbers)
        moved = np.empty(n)
        moved[own.view(np.int64)] = weight
        again = number_weighted_rows(sample, moved, SERIAL, own)
        assert_in_order(again[0], labels, scores)
        np.testing.assert_array_equal(again[1], ordered)
        np.testing.assert_array_equal(moved[again[2].view(np.int64)], ordered)
        np.testing.assert_array_equal(labels[order.view(np.int64)], rows.packed & 1)


@pytest.mark.parametrize("n", [0, 1, 2**15, 2**15 + 1, 100_000])
def test_negatives_have_the_first_places(n, rng):
    for share in 0.0, 0.3, 1.0:
        label = (rng.random(n) < share).astype(np.uint8)
        # Of the packed rows, the lowest bit is the label.
        for rows in label, rng.integers(0, 2**62, n, dtype=np.uint64) << np.uint64(1) | label:
            placed = np.argsort(places_by_class(rows))
            np.testing.assert_array_equal(placed, np.argsort(label, kind="stable"))
