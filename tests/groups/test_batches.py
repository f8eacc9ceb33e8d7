"""Groups of many rows: each is compared by the routes of a sample of its own."""

import math
from fractions import Fraction

import numpy as np
import pytest

from fastauc._validation.threads import ROWS_PER_THREAD
from fastauc.groups import _batches as grouping, _group_pairs as group_pairs, roc_auc_by_group
from support.pairs import count_by_bisection

LARGE = grouping.LARGE_GROUP


def area(y_true, y_score):
    not_above, tied = count_by_bisection(y_true, y_score)
    n_pos = int(y_true.sum())
    n_pairs = n_pos * (len(y_true) - n_pos)
    return (2 * not_above - tied) / (2 * n_pairs) if n_pairs else math.nan


def make_rows(rng, sizes, dtype, n_values=None):
    """Return labels, scores and the number of each row's group, group by group."""
    n = sum(sizes)
    y_score = rng.standard_normal(n) * 1e9
    if n_values:
        y_score = np.round(y_score / 1e9 * n_values)
    return rng.integers(0, 2, n), y_score.astype(dtype), np.repeat(np.arange(len(sizes)), sizes)


SIZES = {
    "at the limit": (LARGE - 1, LARGE, 3, LARGE + 1),
    "large ones at the ends": (5 * LARGE, 0, 10, 20, 30, 6 * LARGE),
    "one beside another": (LARGE, 2 * LARGE, 0, 0, 7 * LARGE),
    "only one": (4 * LARGE,),
    "beyond a few": (13_000, 40, 14_000),
}


@pytest.mark.parametrize(
    ("dtype", "n_values"),
    [(np.float64, None), (np.float64, 30), (np.float32, 30), (np.int64, None)],
)
@pytest.mark.parametrize("sizes", SIZES.values(), ids=SIZES)
def test_every_area_is_that_of_its_rows(sizes, n_values, dtype):
    rng = np.random.default_rng(len(sizes))
    y_true, y_score, ids = make_rows(rng, sizes, dtype, n_values)
    if dtype is not np.int64:
        y_score[rng.random(len(ids)) < 0.1] = -0.0
        y_score[rng.random(len(ids)) < 0.1] = 0.0
    expected = [area(y_true[ids == group], y_score[ids == group]) for group in range(len(sizes))]
    n_pos = np.bincount(ids, y_true, minlength=len(sizes)).astype(int)
    order, present = rng.permutation(len(ids)), np.array(sizes) > 0
    for found in (
        roc_auc_by_group(y_true, y_score, ids),
        roc_auc_by_group(y_true[order], y_score[order], ids[order]),
    ):
        np.testing.assert_array_equal(found.auc, np.array(expected)[present])
        np.testing.assert_array_equal(found.n_pos, n_pos[present])
        np.testing.assert_array_equal(found.n_neg, (np.array(sizes) - n_pos)[present])


@pytest.mark.parametrize("scattered", [False, True])
def test_threads_share_out_groups_and_split_great_ones(scattered):
    great = 2 * ROWS_PER_THREAD
    sizes = [500] * 20 + [great] + [3 * LARGE] * 3 + [0, 40] + [7] * 30
    rng = np.random.default_rng(3)
    y_true, y_score, ids = make_rows(rng, sizes, np.float32)
    expected = [area(y_true[ids == group], y_score[ids == group]) for group in range(len(sizes))]
    if scattered:
        order = rng.permutation(len(ids))
        y_true, y_score, ids = y_true[order], y_score[order], ids[order]
    expected = [a for a, n in zip(expected, sizes, strict=True) if n]
    for n_jobs in (1, 2):
        found = roc_auc_by_group(y_true, y_score, ids, n_jobs=n_jobs)
        np.testing.assert_array_equal(found.auc, expected)


def test_groups_that_take_up_all_bits_of_a_place(monkeypatch):
    """One part would do, but its groups have 15 bits at most, and their class one more."""
    monkeypatch.setattr(grouping, "_MOST_PARTS", 1)
    rng = np.random.default_rng(5)
    ids, order = np.repeat(2 * np.arange(40_000), 2), rng.permutation(80_000)
    y_true, y_score = np.tile([0, 1], 40_000), rng.random(80_000)
    found = roc_auc_by_group(y_true[order], y_score[order], ids[order])
    assert found.group.tolist() == ids[::2].tolist()
    assert found.auc.tolist() == (y_score[1::2] > y_score[::2]).tolist()


def test_numbers_of_pairs_that_no_double_holds():
    # The quotient is rounded once: by the double nearest to each, it would be rounded three times.
    pairs = np.array([0, 3, 2**53 + 1, 7**19 + 2, 3**38, 2**62 - 1], np.uint64)
    twice = np.array([0, 1, 2**53 + 1, 7**19 - 4, 3**38 + 2, 2**62 + 2**9 + 1], np.uint64)
    found = group_pairs._divide(twice, pairs)
    assert math.isnan(found[0])
    quotients = zip(twice.tolist()[1:], pairs.tolist()[1:], strict=True)
    assert found[1:].tolist() == [float(Fraction(t, 2 * n)) for t, n in quotients]
