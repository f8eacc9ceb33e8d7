"""Tails and quantiles, against SciPy's."""

import itertools
import math

import pytest
import scipy.stats

from fastauc.inference._distributions import (
    normal_quantile,
    normal_tail,
    student_quantile,
    student_tail,
)

DEGREES = [0.5, 1, 2, 3.3, 10, 57.2, 999, 1000.5, 5e4, 1e7, 3e9]
NUMBERS = [0.0, 1e-5, 0.001, 0.1, 0.5, 1.0, 1.96, 2.5, 5.0, 12.0]
TAILS = [0.5, 0.3, 0.025, 1e-6, 1e-12, 1e-100, 0.9, 1 - 1e-9]


def test_normal_tail():
    for z in [*NUMBERS, 37.0]:
        assert normal_tail(z) == pytest.approx(scipy.stats.norm.sf(z), rel=1e-13)
        assert normal_tail(-z) == pytest.approx(scipy.stats.norm.sf(-z), rel=1e-15)


def test_quantiles_invert_tails():
    for tail in TAILS:
        expected = scipy.stats.norm.isf(tail)
        assert normal_quantile(tail) == pytest.approx(expected, rel=1e-14, abs=1e-15)
        for df in (1, 7.3, 200.0, 1e6):
            expected = scipy.stats.t.isf(tail, df)
            assert student_quantile(tail, df) == pytest.approx(expected, rel=1e-9, abs=1e-12)


def test_student_tail():
    # What is reached is stated in the file; SciPy itself is off by 1e-12 for small t and large df.
    for t, df in itertools.product(NUMBERS, DEGREES):
        expected = scipy.stats.t.sf(t, df)
        assert student_tail(t, df) == pytest.approx(expected, rel=3e-12), (t, df)
        assert student_tail(-t, df) == pytest.approx(1 - expected, rel=1e-12), (t, df)


def test_nothing_is_beyond_infinity():
    for df in (1.0, 2.5, 30.0, 2000.0):
        assert student_tail(math.inf, df) == 0
        assert student_tail(1e200, df) == 0
        assert student_tail(-math.inf, df) == 1
