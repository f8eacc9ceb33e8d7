"""Decimals of Arrow become the doubles nearest to them, in files as in clusters."""

from decimal import Decimal

import numpy as np
import pytest

pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed")

from fastauc.files._arrow_format import are_doubles, as_doubles  # noqa: E402

KINDS = {
    name: make
    for name, make in {
        "32": getattr(pa, "decimal32", None),
        "64": getattr(pa, "decimal64", None),
        "128": pa.decimal128,
        "256": pa.decimal256,
    }.items()
    if make is not None  # the shorter ones came with pyarrow 18
}


def draw(kind, precision, scale, n=500):
    """Return decimals of all lengths, and the Arrow array that holds them."""
    rng = np.random.default_rng([precision, scale + 99])
    digits = [int(rng.integers(-(10**length), 10**length)) for length in range(1, precision)]
    digits += rng.integers(1 - 10**precision, 10**precision, n).tolist()
    values = [Decimal(number).scaleb(-scale) for number in digits]
    return values, pa.array(values, KINDS[kind](precision, scale))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("scale", [0, 1, 6, 15, 22])
def test_each_is_the_nearest_double(kind, scale):
    precision = 9 if kind == "32" else 15
    values, column = draw(kind, precision, scale)
    assert are_doubles(column.type)
    assert as_doubles(column).tolist() == [float(value) for value in values]
    part = column.slice(7, 100)  # its buffers begin elsewhere
    assert as_doubles(part).tolist() == [float(value) for value in values[7:107]]


@pytest.mark.parametrize("scale", [23, 38])
def test_powers_of_ten_that_are_no_doubles(scale):
    values, column = draw("128", 15, scale)
    assert as_doubles(column).tolist() == [float(value) for value in values]


def test_longer_decimals_are_left_as_they_are():
    assert not are_doubles(pa.decimal128(16, 2))
    assert not are_doubles(pa.float64())
