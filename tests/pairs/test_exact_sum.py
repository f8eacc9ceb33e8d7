"""Sums are those of fractions, rounded once."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, strategies as st
from hypothesis.extra.numpy import arrays

from fastauc._pairs.exact_sum import exact_sum, sums_by

# No sum of them passes the greatest double.
FINITE = st.floats(-1e305, 1e305)


@given(arrays(np.float64, st.integers(0, 300), elements=FINITE))
def test_a_sum_is_that_of_the_standard_library(values):
    assert exact_sum(values) == math.fsum(values.tolist())


@pytest.mark.parametrize("exponents", [(-1080, -1000), (-1080, 900), (-40, 40), (0, 1)])
@pytest.mark.parametrize("n", [101, 1023, 1024, 1025, 20_000])
def test_what_cancels_leaves_what_is_small(exponents, n):
    rng = np.random.default_rng(n)
    values = np.ldexp(rng.standard_normal(n), rng.integers(*exponents, n))
    values = rng.permutation(np.concatenate([values, -values[1:]]))
    whole = sum(map(Fraction, values.tolist()))
    assert exact_sum(values) == float(whole)
    assert exact_sum(values[::2]) == math.fsum(values[::2].tolist())


@pytest.mark.parametrize("n", [0, 99, 100, 2**15 - 1, 2**15 + 1, 70_000])
def test_products_are_rounded_one_by_one(n):
    values, factors = np.random.default_rng(n).standard_normal((2, n))
    assert exact_sum(values, factors) == math.fsum((values * factors).tolist())


def test_digits_do_not_overflow():
    # The greatest number that is added to a digit at a time, over and over.
    value = math.ldexp(2 - 2.0**-52, 31)
    for sign in (1, -1):
        values = np.full(100_000, sign * value)
        assert exact_sum(values) == float(Fraction(sign * value) * 100_000)


def test_a_sum_that_is_no_double():
    with pytest.raises(OverflowError):
        exact_sum(np.full(1000, 1e308))


@pytest.mark.parametrize("n_cells", [1, 3, 700])
@pytest.mark.parametrize("spread", [0, 10, 300])
def test_sums_of_cells_depend_on_nothing_but_their_values(n_cells, spread):
    rng = np.random.default_rng(spread + n_cells)
    for n in (1, 2, 1000):
        values = rng.standard_normal(n) * 10.0 ** -rng.integers(0, spread + 1, n)
        cells = rng.integers(0, n_cells, n)
        sizes = np.bincount(cells, minlength=n_cells)
        found = sums_by(cells, values, sizes)
        order = rng.permutation(n)
        assert found.tolist() == sums_by(cells[order], values[order], sizes).tolist()
        exact = [
            sum(map(Fraction, values[cells == k].tolist()), Fraction()) for k in range(n_cells)
        ]
        # What is cut off, and the last addition.
        lost = int(sizes.max()) ** 3 * Fraction(np.abs(values).max()) / 2**100
        for share, whole in zip(found.tolist(), exact, strict=True):
            assert abs(Fraction(share) - whole) <= lost + abs(whole) / 2**52


def test_sums_of_nothing_are_0():
    assert sums_by(np.array([1, 1]), np.zeros(2), np.array([0, 2, 0])).tolist() == [0, 0, 0]
