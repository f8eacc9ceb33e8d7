"""Numbers as text, for legends and labels."""

import math
from collections.abc import Iterable, Sequence
from fractions import Fraction

import numpy as np

from fastauc._rows import Dropped
from fastauc._tables import printable
from fastauc.streaming import ScoreInterval

_LEAST_DECIMALS, _MOST_DECIMALS = 3, 6
MISSING = "\N{EN DASH}"


def pvalue_in_words(p: float) -> str:
    """Return a p-value with three decimals; "-" if it is undefined."""
    if math.isnan(p):
        return "-"
    return f"{p:.3f}" if p >= 0.001 else "< 0.001"


def in_words(value: float | ScoreInterval, digits: int = _LEAST_DECIMALS) -> str:
    """Return a number with three decimals, or as many as asked for.

    A bounded one is the midpoint ± the distance, and the exact value is within the distance from
    the midpoint, as written. Both have as many decimals as the distance needs, from three to six.
    """
    if not isinstance(value, ScoreInterval):
        return "undefined" if math.isnan(value) else f"{value:.{digits}f}"
    if value.exact or math.isnan(value.estimate):
        return in_words(value.estimate, digits)
    half = max((value.upper - value.lower) / 2, 10.0**-_MOST_DECIMALS)
    decimals = max(math.ceil(-math.log10(half)), _LEAST_DECIMALS)
    unit = Fraction(1, 10**decimals)
    middle = round(Fraction(value.estimate) / unit)
    off = max(Fraction(value.upper) - middle * unit, middle * unit - Fraction(value.lower))
    distance = math.ceil(off / unit)
    return f"{float(middle * unit):.{decimals}f} ± {float(distance * unit):.{decimals}f}"


def amount_in_words(value: float) -> str:
    """Return an amount of money, in whole units from a thousand on."""
    return with_minus(f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}")


def with_minus(number: str) -> str:
    """Return a number with the minus sign of typography, which is as wide as the plus sign."""
    return number.replace("-", "\N{MINUS SIGN}")


def percent(share: float) -> str:
    """Return a share as a percentage of three digits; a dash for NaN."""
    return MISSING if math.isnan(share) else f"{100 * share:.3g}%"


def percents(shares: Iterable[float]) -> list[str]:
    """Return shares as percentages with the same decimals: one, or what the largest needs.

    What would be shown as 0 and is not, is shown as less than the last decimal.
    """
    given = [100 * share for share in shares]
    most = max((abs(share) for share in given if not math.isnan(share)), default=0.0)
    digits = 2 - math.floor(math.log10(most)) if most > 0 else 1
    decimals = min(max(1, digits), _MOST_DECIMALS)
    least = 10.0**-decimals
    return [
        MISSING
        if math.isnan(share)
        else f"< {least:.{decimals}f}%"
        if 0 < share < least / 2
        else with_minus(f"{share:.{decimals}f}%")
        for share in given
    ]


def legend_name(name: str) -> str:
    """Return a name for a legend: matplotlib hides labels that begin with an underscore."""
    return f" {name}" if name.startswith("_") else name


def with_value(measure: str, value: float | ScoreInterval | None) -> str:
    """Return a metric and its value for a legend; nothing if the value is not given."""
    return "" if value is None else f"{measure} = {in_words(value)}"


def with_mean(measure: str, values: Sequence[float] | None) -> str:
    """Return a metric with the mean and the standard deviation of its values over folds."""
    if values is None:
        return ""
    mean, deviation = in_words(float(np.mean(values))), in_words(float(np.std(values)))
    return f"mean {measure} = {mean}, SD {deviation}"


def in_legend(name: str | None, curve: str, figure: str) -> str:
    """Return the name of a model with a metric, or either one; without both, the ``curve``."""
    if name is None:
        return figure or curve
    return f"{name} ({figure})" if figure else name


def note_on_rows(pos_label: str | None, dropped: Dropped | None) -> str:
    """Return which label is positive, and how many rows without a score were left out."""
    note = f"{printable(pos_label or '1 or true')} = positive"
    n = 0 if dropped is None else dropped.negatives + dropped.positives
    return note + (f"; {n:,} row{'s' * (n != 1)} without a score left out" if n else "")
