"""Sums are those of fractions, rounded once."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, strategies as st
from hypothesis.extra.numpy import arrays

from fastauc._pairs.exact_sum import exact_sum

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


def test_digits_do_not_overflow():
    # The greatest number that is added to a digit at a time, over and over.
    value = math.ldexp(2 - 2.0**-52, 31)
    for sign in (1, -1):
        values = np.full(100_000, sign * value)
        assert exact_sum(values) == float(Fraction(sign * value) * 100_000)


def test_a_sum_that_is_no_double():
    with pytest.raises(OverflowError):
        exact_sum(np.full(1000, 1e308))
