"""Numbers as they are written in text, held against the doubles nearest to them."""

import math
from decimal import Decimal
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from fastauc._kernels.decimals import find_unsure, has_long_numbers

_MOST_DIGITS = 767  # of any double
# Each as the nearest double and the rest.
POWERS_OF_TEN = np.array(
    [(float(10**k), float(10**k - int(float(10**k)))) for k in range(290)], np.float64
)
# A text, and where each number in it begins and ends.
Places = tuple[bytes | memoryview, NDArray[np.int64], NDArray[np.int64]]


def may_be_rounded(text: bytes, decimal: str) -> bool:
    """Tell whether a text may hold a number of more digits than a double keeps."""
    return has_long_numbers(text, ord(decimal))


def first_rounded(
    places: Places, values: NDArray[np.float64], decimal: str
) -> tuple[int, str] | None:
    """Return the first number of more digits than the double nearest to it has, and its row."""
    text, starts, stops = places
    row = -1
    while True:
        row = find_unsure(*places, values, ord(decimal), POWERS_OF_TEN, row + 1)
        if row == len(values):
            return None
        found = str(text[starts[row] : stops[row]], "utf-8").strip()
        if is_rounded(found.replace(decimal, "."), float(values[row])):
            return row, found


def is_rounded(text: str, value: float) -> bool:
    """Tell whether a double is more than half a unit of the last digit from what the text is."""
    _, digits, exponent = Decimal(text).as_tuple()
    kept = "".join(map(str, digits)).rstrip("0")
    if not 0 < abs(value) < math.inf or len(kept) > _MOST_DIGITS:
        return bool(kept)
    unit = Fraction(10) ** (int(exponent) + len(digits) - len(kept))
    return abs(Fraction(abs(value)) - int(kept) * unit) > unit / 2
