"""Which decimals stand for the doubles nearest to them: by their values, whatever their type."""

from decimal import Decimal

DIGITS = 15  # decimals of this many digits stay distinct, and in order, as doubles
_LARGEST_EXPONENT = 307  # of a number of which every such decimal has a double of full precision


def is_short(value: Decimal) -> bool:
    """Tell whether a finite decimal has few enough digits, zeros at the end aside."""
    digits = "".join(map(str, value.as_tuple().digits)).rstrip("0")
    return not digits or (len(digits) <= DIGITS and abs(value.adjusted()) <= _LARGEST_EXPONENT)


def as_double(value: Decimal) -> float | Decimal:
    """Return the double nearest to a decimal of few digits, and any other unchanged."""
    return float(value) if is_short(value) else value
