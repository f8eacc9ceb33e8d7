"""Keys in order by adaptive cells, against NumPy's sorts."""

import threading

import numpy as np
import pytest
from fastauc._pairs.ordering import order_of, sort_keys
from fastauc._validation.threads import Workers
from hypothesis import given, settings, strategies as st
from hypothesis.extra import numpy as hnp

ONE_CELL = 2**12


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
    yield "sorted", np.sort(words)
    yield "falling", np.sort(words)[::-1].copy()


@pytest.mark.parametrize("n", [1, 2, 3, 16, 17, 33, 500, ONE_CELL, ONE_CELL + 1, 60_000])
@pytest.mark.parametrize("bits", [32, 64])
def test_every_shape_is_ordered_as_a_stable_sort_does(n, bits, rng):
    for shape, words in shapes(n, rng):
        keys = (words >> np.uint64(64 - bits)).astype(f"u{bits // 8}")
        order = np.argsort(keys, kind="stable")
        alone, together = keys.copy(), keys.copy()
        sort_keys(alone)
        np.testing.assert_array_equal(alone, keys[order], err_msg=shape)
        np.testing.assert_array_equal(order_of(together), order, err_msg=shape)
        np.testing.assert_array_equal(together, keys[order], err_msg=shape)


@settings(max_examples=60, deadline=None)
@given(
    hnp.arrays(np.uint64, st.integers(0, 300), elements=st.integers(0, 2**64 - 1)),
    st.integers(0, 63),
)
def test_any_keys_are_ordered_as_a_stable_sort_does(keys, shift):
    keys = keys >> np.uint64(shift)
    order = np.argsort(keys, kind="stable")
    ordered = keys.copy()
    np.testing.assert_array_equal(order_of(ordered), order)
    np.testing.assert_array_equal(ordered, keys[order])


def test_threads_change_nothing(rng):
    for shape, words in shapes(500_000, rng):
        expected = np.argsort(words, kind="stable")
        with Workers(2) as workers:
            alone, together = words.copy(), words.copy()
            sort_keys(alone, workers)
            np.testing.assert_array_equal(order_of(together, workers), expected, err_msg=shape)
        np.testing.assert_array_equal(alone, words[expected], err_msg=shape)


def test_a_small_stack_is_enough_for_keys_that_nest(rng):
    # Each level takes one of the keys away from all the others, as deep as keys of 64 bits allow.
    far = np.uint64(1) << np.arange(64, dtype=np.uint64)
    keys = np.concatenate([np.repeat(far, 2), rng.integers(0, 2**10, 70_000, dtype=np.uint64)])
    keys = rng.permutation(keys)
    expected, failures = np.sort(keys), []

    def order():
        try:
            sort_keys(keys)
        except BaseException as error:
            failures.append(error)

    size = threading.stack_size(256 * 1024)
    try:
        thread = threading.Thread(target=order)
        thread.start()
        thread.join()
    finally:
        threading.stack_size(size)
    assert not failures
    np.testing.assert_array_equal(keys, expected)
