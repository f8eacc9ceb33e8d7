"""Valid contents of file columns, and the errors that locate invalid values."""

import contextlib
from collections.abc import Callable, Collection, Iterator, Sequence
from difflib import get_close_matches
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastauc._validation.errors import DataError
from fastauc.files._opening import Source

Array = NDArray[Any]

BATCH_ROWS = 1 << 20
EXACT_IN_FLOAT64 = 2**53
EXPECTED_EXACT = "expected no integer beyond 2**53, where float64 has gaps"
_LISTED_NAMES = 20
_DELIMITERS = ",;\t|"
_MOST_SHOWN = 100  # characters of a value


class Request(NamedTuple):
    """The columns to read, those that must hold numbers, and how to read them.

    ``may_miss`` names number columns in which nulls and NaN are allowed: both become NaN;
    ``could_miss`` those in which they would be, if the caller had asked for it.
    """

    columns: tuple[str, ...]
    numeric: Collection[str]
    nonnegative: Collection[str] = ()
    batch_rows: int = BATCH_ROWS
    use_threads: bool = True
    may_miss: Collection[str] = ()
    could_miss: Collection[str] = ()


class BytesRead:
    """How many bytes of a file as stored have been read; 0 if that is not known."""

    number = 0


class Piece(NamedTuple):
    """Consecutive rows of a file that can be decoded without the rows before them, in batches."""

    first_row: int
    read: Callable[[], Iterator[dict[str, Array]]]
    bytes_read: BytesRead = BytesRead()


def check_names(source: Source, columns: Sequence[str], present: Sequence[str]) -> None:
    """Refuse a file in which a column is missing; its folders may name further columns."""
    present = [*present, *(name for name, _ in source.partitions)]
    for name in columns:
        if name not in present:
            listed = ", ".join(map(repr, present[:_LISTED_NAMES])) or "no columns"
            more = ", ..." if len(present) > _LISTED_NAMES else ""
            found = f"{source.shown}: no column {name!r}; there are {listed}{more}"
            raise DataError(found, _advice(source, name, present))


def other_delimiter(source: Source, name: str, present: Sequence[str]) -> str | None:
    """Return the delimiter, as written for --delimiter, that would yield a column; None if none."""
    header = source.delimiter.join(present)
    for delimiter in _DELIMITERS.replace(source.delimiter, ""):
        if name in (part.strip('" ') for part in header.split(delimiter)):
            return "tab" if delimiter == "\t" else repr(delimiter)
    return None


def _advice(source: Source, name: str, present: Sequence[str]) -> tuple[str, str] | None:
    """Return a suggestion for a missing column: in Python, and on the command line."""
    shown = other_delimiter(source, name, present) if source.format == "csv" else None
    if shown is not None:
        reason = f"if columns are separated by {shown}"
        in_python = repr("\t") if shown == "tab" else shown
        return f"{reason}, use delimiter={in_python}", f"{reason}, use --delimiter {shown}"
    close = get_close_matches(name, present, 1)
    return (f"did you mean {close[0]!r}?",) * 2 if close else None


def wrong_type(source: Source, name: str, found: object, request: Request) -> DataError:
    expected = "numbers" if name in request.numeric else "numbers, text or booleans"
    return DataError(f"{source.shown}: column {name!r} has type {found}; expected {expected}")


def not_utf8(source: Source, name: str) -> DataError:
    where = f"{source.shown}: column {name!r}"
    return DataError(f"{where} holds text that is not UTF-8; save the file as UTF-8")


def wrong_value(
    source: Source,
    name: str,
    row: int,
    found: str,
    expected: str,
    advice: tuple[str, str] | None = None,
) -> DataError:
    """Return the error for a value; ``row`` counts from 0 in the file."""
    place = f"{source.shown}: column {name!r}, row {row + 1}"
    return DataError(f"{place} is {shortened(found)}; {expected}", advice)


def missing_value(
    source: Source, name: str, row: int, request: Request, found: str = "null"
) -> DataError:
    expected = "expected a value in every row" if found == "null" else "expected finite numbers"
    advice = None
    if name in request.could_miss:
        leave_out = "to leave such rows out, use "
        advice = f"{leave_out}nan_policy='omit'", f"{leave_out}--missing drop"
    return wrong_value(source, name, row, found, expected, advice)


def number_of(text: str, decimal: str) -> float:
    """Parse a number, or raise ValueError."""
    return float(text if decimal == "." else text.replace(".", "x").replace(decimal, "."))


def not_a_number(source: Source, name: str, row: int, text: str) -> DataError:
    """Return the error for a text, with a suggestion if its decimals have commas."""
    advice = None
    if "," in text and source.decimal == ".":
        with contextlib.suppress(ValueError):
            number_of(text, ",")
            reason = "if it has a decimal comma, use "
            advice = f"{reason}decimal=','", f"{reason}--decimal ,"
    return wrong_value(source, name, row, repr(text), "expected a number", advice)


def shortened(found: str) -> str:
    """Return a value as shown in errors, truncated: it may be as long as the file."""
    if len(found) <= _MOST_SHOWN:
        return found
    return f"{found[:_MOST_SHOWN]}... ({len(found)} characters)"


def check_numbers(
    values: Array, source: Source, name: str, request: Request, first_row: int
) -> None:
    """Refuse NaN and infinities, and negative numbers where they are forbidden."""
    if values.dtype.kind == "f":
        finite = np.isfinite(values)
        if name in request.may_miss and not finite.all():
            finite |= np.isnan(values)
        if not finite.all():
            row = int(np.argmin(finite))
            if np.isnan(values[row]):
                raise missing_value(source, name, first_row + row, request, "nan")
            found = str(values[row])
            raise wrong_value(source, name, first_row + row, found, "expected finite numbers")
    if name in request.nonnegative and (values < 0).any():
        row = int(np.argmax(values < 0))
        raise wrong_value(source, name, first_row + row, str(values[row]), "expected 0 or more")


def as_floats(values: Array, source: Source, name: str, first_row: int) -> Array:
    """Return numbers as float32 or float64; refuse those that float64 cannot hold exactly."""
    if values.dtype == object:
        raise DataError(
            f"{source.shown}: column {name!r} holds decimals with more than 15 digits; "
            "expected numbers that are exact as float64"
        )
    if values.dtype.kind == "f" and values.dtype.itemsize <= 4:
        return values.astype(np.float32, copy=False)
    if values.dtype.kind in "iu" and values.dtype.itemsize == 8:
        beyond = values > EXACT_IN_FLOAT64
        if values.dtype.kind == "i":
            beyond |= values < -EXACT_IN_FLOAT64
        if beyond.any():
            row = int(np.argmax(beyond))
            found = str(values[row])
            raise wrong_value(source, name, first_row + row, found, EXPECTED_EXACT)
    floats = values.astype(np.float64, copy=False)
    if values.dtype.kind == "f" and values.dtype.itemsize > 8 and (floats != values).any():
        row = int(np.argmax(floats != values))
        expected = "expected numbers that are exact as float64"
        raise wrong_value(source, name, first_row + row, str(values[row]), expected)
    return floats
