"""Keys in order by adaptive buckets, against NumPy's sorts."""

import itertools

import numpy as np
import pytest

from fastauc._pairs.sorting import ONE_BUCKET, lexsort, order_of, sort_keys
from fastauc._validation.threads import Workers
from support.pairs import on_a_small_stack

# Half as many keys with companions are as large.
SIZES = [ONE_BUCKET // 2, ONE_BUCKET // 2 + 1, ONE_BUCKET, ONE_BUCKET + 1, 60_000]


@pytest.fixture
def rng():
    return np.random.default_rng(0)


def shapes(n, rng):
    """Yield keys of 64 bits that make it hard for a map from a sample to spread them."""
    words = rng.integers(0, 2**64, n, dtype=np.uint64, endpoint=False)
    few = rng.integers(0, 2**64, 50, dtype=np.uint64)
    yield "any bits", words
    yield "one value", np.full(n, few[0])
    yield "two far values", few[:2][rng.integers(0, 2, n)]
    yield "few values", few[rng.integers(0, 50, n)]
    yield "one far key", np.append(words[1:] >> np.uint64(40), np.uint64(2**64 - 1))
    yield "nested", np.uint64(1) << rng.integers(0, 64, n, dtype=np.uint64)
    yield "nested at random", words >> rng.integers(0, 64, n, dtype=np.uint64)
    yield "clusters", few[:9][rng.integers(0, 9, n)] + rng.integers(0, 99, n, dtype=np.uint64)
    yield "mostly one", np.where(rng.random(n) < 0.9, few[0], words)
    ends = np.array([0, 1, 2**63, 2**63 + 1, 2**64 - 2, 2**64 - 1], np.uint64)
    for end in ends:
        yield f"mostly {end}", np.where(rng.random(n) < 0.8, end, words)
    yield "ends", np.where(rng.random(n) < 0.5, ends[rng.integers(0, 6, n)], words)
    yield "sorted", np.sort(words)
    yield "falling", np.sort(words)[::-1].copy()


@pytest.mark.parametrize("n", [1, 2, 3, 16, 17, 33, 500, *SIZES])
def test_every_shape_is_ordered_as_a_stable_sort_does(n, rng):
    for (shape, words), bits in itertools.product(shapes(n, rng), [32, 64]):
        keys = (words >> np.uint64(64 - bits)).astype(f"u{bits // 8}")
        order = np.argsort(keys, kind="stable")
        alone, together = keys.copy(), keys.copy()
        sort_keys(alone)
        np.testing.assert_array_equal(alone, keys[order], err_msg=shape)
        np.testing.assert_array_equal(order_of(together), order, err_msg=shape)
        np.testing.assert_array_equal(together, keys[order], err_msg=shape)
        # Weights of equal keys are put in order.
        for weight in rng.random(n), rng.choice([0.0, 5e-324, 1.0, 1e300], n), np.ones(n):
            order = np.lexsort((weight, keys))
            ordered, ordered_weight = keys.copy(), weight.copy()
            # The bits of weights, which are not below 0, are in their order.
            sort_keys(ordered, companion=ordered_weight.view(np.uint64), sorts_ties=True)
            np.testing.assert_array_equal(ordered, keys[order], err_msg=shape)
            np.testing.assert_array_equal(ordered_weight, weight[order], err_msg=shape)


def test_threads_change_nothing(rng):
    for shape, words in shapes(500_000, rng):
        expected = np.argsort(words, kind="stable")
        with Workers(2) as workers:
            alone, together = words.copy(), words.copy()
            sort_keys(alone, workers)
            np.testing.assert_array_equal(order_of(together, workers), expected, err_msg=shape)
        np.testing.assert_array_equal(alone, words[expected], err_msg=shape)


@pytest.mark.check("small stacks")
@pytest.mark.parametrize(("repeats", "n_close"), [(2, 70_000), (2, 2_500), (13, 0), (40, 0)])
def test_a_small_stack_is_enough_for_keys_that_nest(repeats, n_close, rng):
    # Each level takes a few of the keys away from all the others, as deep as 64 bits allow.
    far = np.uint64(1) << np.arange(64, dtype=np.uint64)
    close = rng.integers(0, 2**10, n_close, dtype=np.uint64)
    keys = rng.permutation(np.concatenate([np.repeat(far, repeats), close]))
    expected = np.sort(keys)
    on_a_small_stack(lambda: sort_keys(keys))
    np.testing.assert_array_equal(keys, expected)


# What belongs to the keys -----------------------------------------------------------------------


COLUMNS = {
    "doubles": lambda rng, n: rng.choice([-np.inf, -1.5, -5e-324, -0.0, 0.0, 1.5, np.inf], n),
    "single": lambda rng, n: rng.standard_normal(n).astype(np.float32).round(1),
    "half": lambda rng, n: rng.standard_normal(n).astype(np.float16),
    "integers": lambda rng, n: rng.choice([-(2**63), -1, 0, 1, 2**53, 2**53 + 1, 2**63 - 1], n),
    "short": lambda rng, n: rng.integers(-128, 128, n).astype(np.int8),
    "unsigned": lambda rng, n: rng.choice(np.array([0, 2**63, 2**64 - 1], np.uint64), n),
    "bytes": lambda rng, n: rng.integers(0, 256, n).astype(np.uint8),
}


@pytest.mark.parametrize("n", [1, 3, 200, 20_000])
def test_rows_of_several_columns_are_ordered_as_by_numpy(n, rng):
    # Ties of one column are left to the one before it, and those of all to the order of the rows.
    for first, last in itertools.product(COLUMNS, repeat=2):
        columns = [COLUMNS[name](rng, n) for name in (first, "bytes", last)]
        for several in columns[:1], columns[::2], columns:
            np.testing.assert_array_equal(lexsort(several), np.lexsort(several), err_msg=last)
    with Workers(2) as workers:
        np.testing.assert_array_equal(lexsort(columns, workers), np.lexsort(columns))
