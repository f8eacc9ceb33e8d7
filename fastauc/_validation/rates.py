"""Judges rates and ranges of rates, and words the errors."""

import numbers
from collections.abc import Iterable
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from fastauc._validation.arrays import as_array, locate, plain
from fastauc._validation.errors import invalid_parameter
from fastauc._validation.options import check_option


class RateRange(NamedTuple):
    """A part of the ROC curve: between two values of one of its rates.

    Attributes
    ----------
    rate : str
        "fpr" or "tpr".
    lower, upper : Fraction
        0 <= ``lower`` < ``upper`` <= 1.
    """

    rate: str
    lower: Fraction
    upper: Fraction

    @property
    def strip(self) -> tuple[Fraction, Fraction]:
        """The false positive rates it lies between, where a range of ``tpr`` is turned around.

        See ``areas.turn_around``.
        """
        return (self.lower, self.upper) if self.rate == "fpr" else (1 - self.upper, 1 - self.lower)


def read_range(fpr_range: object, tpr_range: object, function: str) -> RateRange:
    """Return the one range that is given."""
    if (fpr_range is None) == (tpr_range is None):
        found = "neither is given" if fpr_range is None else "both are given"
        raise ValueError(f"{function} takes either fpr_range or tpr_range; {found}.")
    rate, bounds = ("fpr", fpr_range) if tpr_range is None else ("tpr", tpr_range)
    pair = list(bounds) if isinstance(bounds, Iterable) and not isinstance(bounds, str) else []
    if len(pair) == 2 and all(_is_rate(bound) for bound in pair):
        lower, upper = (Fraction(plain(bound)) for bound in pair)
        if lower < upper:
            return RateRange(rate, lower, upper)
    expected = "two numbers (a, b) with 0 <= a < b <= 1"
    raise invalid_parameter(function, f"{rate}_range", expected, bounds)


def _is_rate(value: Any) -> bool:
    is_number = isinstance(value, numbers.Real) and not isinstance(value, (bool, np.bool_))
    return is_number and bool(0 <= value <= 1)


class Rates(NamedTuple):
    """Rates that are asked for.

    Attributes
    ----------
    values : list of Fraction
        In the order of the array.
    shape : tuple of int, or None
        That of the array; None for a single number.
    """

    values: list[Fraction]
    shape: tuple[int, ...] | None


def read_rates(
    rates: object, name: str, interpolation: object, function: str, *, above_zero: bool = False
) -> Rates:
    """Return one rate or an array of them, exactly; refuse 0 where it has no meaning."""
    check_option(interpolation, "interpolation", ("linear", "step"), function)
    is_single = isinstance(rates, numbers.Real)
    array = np.asarray(rates) if is_single else as_array(rates, name, function)
    expected = "in (0, 1]" if above_zero else "in [0, 1]"
    values = [rates] if is_single else array.reshape(-1).tolist()
    for position, value in enumerate(values):
        if not _is_rate(value) or (above_zero and value == 0):
            place = name if is_single or not array.ndim else locate(name, position, array)
            raise ValueError(f"{place} is {value!r}; expected a number {expected}.")
    shape = None if is_single or array.ndim == 0 else array.shape
    return Rates([Fraction(plain(value)) for value in values], shape)


def check_prevalence(prevalence: Any, function: str) -> Fraction | None:
    """Refuse what is not between 0 and 1; return the rest exactly."""
    if prevalence is None:
        return None
    if not _is_rate(prevalence) or prevalence in (0, 1):
        expected = "a float in the range (0.0, 1.0) or None"
        raise invalid_parameter(function, "prevalence", expected, prevalence)
    return Fraction(plain(prevalence))
