"""Validates options: numbers in a range, rates, strings among several, flags."""

import math
import numbers
from collections.abc import Callable, Iterable, Mapping
from decimal import Decimal
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from fastauc._validation.arrays import as_array, as_python, is_nan, locate
from fastauc._validation.errors import invalid_parameter
from fastauc._validation.literals import Interpolation


def check_option(value: object, name: str, options: tuple[str | None, ...], function: str) -> None:
    """Reject a value that is not one of the options."""
    if (isinstance(value, str) or value is None) and value in options:
        return
    names = ", ".join(repr(option) for option in options if option is not None)
    expected = f"a str among {{{names}}}" + (" or None" if None in options else "")
    raise invalid_parameter(function, name, expected, value)


def check_literal(value: object, name: str, literal: Any, function: str) -> None:
    """Reject a value that is not one of those of a Literal type."""
    check_option(value, name, literal.__args__, function)


def check_flag(value: object, name: str, function: str) -> None:
    """Reject a value that is not a bool."""
    if not isinstance(value, (bool, np.bool_)):
        expected = f"an instance of 'bool' or an instance of 'numpy.{np.bool_.__name__}'"
        raise invalid_parameter(function, name, expected, value)


def check_pos_label(pos_label: object, function: str, *, optional: bool) -> None:
    """Reject values that cannot be a label."""
    if pos_label is None and optional:
        return
    # The usual types first: checking the abstract base class takes a third of a microsecond.
    if not isinstance(pos_label, (int, str, np.bool_, numbers.Real)):
        last = f"an instance of 'bool' or an instance of 'numpy.{np.bool_.__name__}'"
        first = "an instance of 'float', an instance of 'str'"
        expected = f"{first}, {last} or None" if optional else f"{first} or {last}"
        raise invalid_parameter(function, "pos_label", expected, pos_label)


def check_max_fpr(max_fpr: Any, function: str) -> None:
    """Reject a value outside (0, 1]."""
    if max_fpr is None:
        return
    is_number = isinstance(max_fpr, numbers.Real)
    if not (is_number and 0 < max_fpr <= 1):
        expected = "a float in the range (0.0, 1.0] or None"
        raise invalid_parameter(function, "max_fpr", expected, max_fpr)


def check_threshold(threshold: Any) -> Any:
    """Reject values that cannot be compared with a score."""
    if not isinstance(threshold, (numbers.Real, Decimal)) or is_nan(threshold):
        raise ValueError(f"threshold is {threshold!r}; expected a number other than NaN.")
    return threshold


def is_real(value: Any) -> bool:
    """Return whether a value is a number, and not an array or a bool."""
    return isinstance(value, numbers.Real) and not isinstance(value, (bool, np.bool_))


def check_number(
    value: Any, name: str, expected: str, within: Callable[[Any], bool], function: str
) -> None:
    """Reject anything but a real number in the range that ``expected`` describes."""
    if not (is_real(value) and within(value)):
        raise invalid_parameter(function, name, expected, value)


def check_integer(value: Any, name: str, least: int, function: str) -> None:
    """Reject anything but an integer of at least ``least``."""
    is_integer = isinstance(value, numbers.Integral) and not isinstance(value, (bool, np.bool_))
    if not (is_integer and value >= least):
        raise invalid_parameter(function, name, f"an int of {least} or more", value)


def check_numbers_of_rows(counts: Mapping[str, Any], function: str) -> None:
    """Reject counts that are sums of weights, from which the number of rows is unknown."""
    expected = "an int of 0 or more: a number of rows, not a sum of weights"
    for name, count in counts.items():
        if not (isinstance(count, numbers.Integral) and int(count) >= 0):
            raise invalid_parameter(function, name, expected, count)


def refuse_given(arguments: Mapping[str, object], reason: str) -> None:
    """Reject arguments that are not None, for a reason that continues the sentence."""
    for name, value in arguments.items():
        if value is not None:
            raise ValueError(f"{name} is given, {reason}")


def check_confidence_level(value: Any, function: str) -> None:
    """Reject a value outside (0, 1)."""
    expected = "a float in the range (0.0, 1.0)"
    check_number(value, "confidence_level", expected, lambda level: 0 < level < 1, function)


def read_rng(rng: Any, function: str) -> "np.random.Generator":
    """Return the random generator given by the argument or seeded with it."""
    try:
        if isinstance(rng, (bool, np.bool_)):
            raise TypeError
        return np.random.default_rng(rng)
    except (TypeError, ValueError):
        expected = (
            "None, an int of 0 or more, or a Generator, BitGenerator or SeedSequence of NumPy"
        )
        raise invalid_parameter(function, "rng", expected, rng) from None


def check_share(share: Any, function: str, *, zero: bool = True) -> None:
    """Reject a share of the rows outside [0, 1], optionally also 0."""
    expected = f"a number in {'[' if zero else '('}0, 1]"
    check_number(
        share, "share", expected, lambda value: 0 < value <= 1 or (zero and value == 0), function
    )


def check_amount(value: Any, name: str, function: str) -> None:
    """Reject anything but a finite non-negative amount."""
    expected = "a finite number of 0 or more"
    check_number(value, name, expected, lambda value: 0 <= value < math.inf, function)


def check_positive(value: Any, name: str, function: str) -> None:
    """Reject anything but a finite number above 0."""
    expected = "a finite number above 0"
    check_number(value, name, expected, lambda value: 0 < value < math.inf, function)


def check_both_or_none(amounts: Mapping[str, Any], function: str) -> None:
    """Reject one of two amounts without the other, and invalid amounts."""
    for name, value in amounts.items():
        if value is not None:
            check_amount(value, name, function)
        elif any(other is not None for other in amounts.values()):
            raise invalid_parameter(
                function, name, "a finite number of 0 or more, as the other amount is given", None
            )


def check_bins_of_rows(bins: Any, n_rows: int | None, function: str) -> None:
    """Reject more bins than there are rows, unless their number is unknown (None)."""
    check_integer(bins, "bins", 1, function)
    if n_rows is not None and bins > n_rows:
        expected = f"at most the number of rows, {n_rows}"
        raise invalid_parameter(function, "bins", expected, bins)


def check_needed(
    given: dict[str, Any], needed: tuple[str, ...], method: str, function: str
) -> None:
    """Reject an option that a method requires but does not have, or has but does not use."""
    for name, value in given.items():
        if name in needed and value is None:
            raise ValueError(f"method={method!r} of {function} requires {name}, which is None.")
        if name not in needed and value is not None:
            raise ValueError(
                f"method={method!r} of {function} does not use {name}, which is {value!r}; "
                "expected None."
            )


class RateRange(NamedTuple):
    """A range of "fpr" or of "tpr", the rates of the ROC curve: 0 <= lower < upper <= 1."""

    rate: str
    lower: Fraction
    upper: Fraction

    @classmethod
    def up_to(cls, max_fpr: Any) -> "RateRange":
        """Return the false positive rates from 0 on."""
        return cls("fpr", Fraction(0), Fraction(as_python(max_fpr)))

    @property
    def fpr_interval(self) -> tuple[Fraction, Fraction]:
        """The corresponding range of false positive rates, for the reversed curve if ``tpr``.

        See ``swap_classes`` in ``_counts/roc.py``.
        """
        return (self.lower, self.upper) if self.rate == "fpr" else (1 - self.upper, 1 - self.lower)


def read_range(
    fpr_range: object, tpr_range: object, function: str, log_scale: bool = False
) -> RateRange:
    """Return the one range that is given; on a log scale, of false positive rates above 0."""
    check_flag(log_scale, "log_scale", function)
    if (fpr_range is None) == (tpr_range is None):
        found = "neither is given" if fpr_range is None else "both are given"
        raise ValueError(f"{function} accepts either fpr_range or tpr_range; {found}.")
    rate, bounds = ("fpr", fpr_range) if tpr_range is None else ("tpr", tpr_range)
    pair = list(bounds) if isinstance(bounds, Iterable) and not isinstance(bounds, str) else []
    if len(pair) == 2 and all(_is_rate(bound) for bound in pair):
        lower, upper = (Fraction(as_python(bound)) for bound in pair)
        if log_scale and (rate == "tpr" or lower == 0):
            raise ValueError(
                f"log_scale=True of {function} requires an fpr_range that begins above 0, such as "
                f"(0.001, 1); {rate}_range is {bounds!r}."
            )
        if lower < upper:
            return RateRange(rate, lower, upper)
    expected = "two numbers (a, b) with 0 <= a < b <= 1"
    raise invalid_parameter(function, f"{rate}_range", expected, bounds)


def _is_rate(value: Any) -> bool:
    return is_real(value) and bool(0 <= value <= 1)


class Rates(NamedTuple):
    """The rates at which a curve is evaluated, and their shape; None for a single number."""

    values: list[Fraction]
    shape: tuple[int, ...] | None


def read_rates(
    rates: object, name: str, interpolation: object, function: str, *, above_zero: bool = False
) -> Rates:
    """Return one rate or an array of rates, exactly; reject 0 if it is not allowed."""
    check_literal(interpolation, "interpolation", Interpolation, function)
    is_single = isinstance(rates, numbers.Real)
    array = np.asarray(rates) if is_single else as_array(rates, name, function)
    expected = "in (0, 1]" if above_zero else "in [0, 1]"
    values = [rates] if is_single else array.reshape(-1).tolist()
    for position, value in enumerate(values):
        if not _is_rate(value) or (above_zero and value == 0):
            place = name if is_single or not array.ndim else locate(name, position, array)
            raise ValueError(f"{place} is {value!r}; expected a number {expected}.")
    shape = None if is_single or array.ndim == 0 else array.shape
    return Rates([Fraction(as_python(value)) for value in values], shape)


def check_prevalence(prevalence: Any, function: str) -> Fraction | None:
    """Reject anything but a number between 0 and 1, or None; return the number exactly."""
    if prevalence is None:
        return None
    if not _is_rate(prevalence) or prevalence in (0, 1):
        expected = "a float in the range (0.0, 1.0) or None"
        raise invalid_parameter(function, "prevalence", expected, prevalence)
    return Fraction(as_python(prevalence))


def check_n_jobs(n_jobs: object, function: str) -> None:
    """Reject anything but a valid number of threads."""
    if n_jobs is None:
        return
    is_integer = hasattr(n_jobs, "__index__") and not isinstance(n_jobs, bool)
    if not (is_integer and n_jobs != 0):
        raise invalid_parameter(function, "n_jobs", "an int other than 0 or None", n_jobs)
