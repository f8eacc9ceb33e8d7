"""Valid contents of file columns, and the errors that locate invalid values."""

import contextlib
from collections.abc import Callable, Collection, Iterator, Sequence
from decimal import Decimal
from difflib import get_close_matches
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastauc._validation.arrays import DIGITS
from fastauc._validation.errors import DataError, shortened
from fastauc.files._opening import Source

Array = NDArray[Any]

BATCH_ROWS = 1 << 20
EXACT_IN_FLOAT64 = 2**53
EXPECTED_EXACT = "expected no integer beyond 2**53, where float64 has gaps"
_LISTED_NAMES, _COMPARED_NAMES = 20, 10_000
_DELIMITERS = ",;\t|"


class Request(NamedTuple):
    """The columns to read, those that must hold numbers, and how to read them.

    ``may_miss`` names number columns in which nulls and NaN are allowed: both become NaN;
    ``could_miss`` those in which they would be, if the caller had asked for it. Columns of CSV
    ``as_text`` are not taken for numbers.
    """

    columns: tuple[str, ...]
    numeric: Collection[str]
    nonnegative: Collection[str] = ()
    batch_rows: int = BATCH_ROWS
    use_threads: bool = True
    may_miss: Collection[str] = ()
    could_miss: Collection[str] = ()
    as_text: Collection[str] = ()


class BytesRead:
    """How many bytes of a file as stored have been read; 0 if that is not known."""

    number = 0


class Piece(NamedTuple):
    """Consecutive rows of a file that can be decoded without the rows before them, in batches."""

    first_row: int
    read: Callable[[], Iterator[dict[str, Array]]]
    bytes_read: BytesRead = BytesRead()


class NoColumn(DataError):
    """A file lacks a column."""


def check_names(
    source: Source, columns: Sequence[str], present: Sequence[str], delimiter: str | None = None
) -> None:
    """Refuse a file in which a column is missing; its folders may name further columns.

    The advice may be to use another delimiter than this one.
    """
    present = [*present, *(name for name, _ in source.partitions)]
    for name in columns:
        if name not in present:
            listed = ", ".join(map(repr, present[:_LISTED_NAMES])) or "no columns"
            more = ", ..." if len(present) > _LISTED_NAMES else ""
            found = f"{source.shown}: no column {name!r}; there are {listed}{more}"
            raise NoColumn(found, _advice(name, present, delimiter))


def _advice(name: str, present: Sequence[str], delimiter: str | None) -> tuple[str, str] | None:
    """Return a suggestion for a missing column: in Python, and on the command line."""
    header = "" if delimiter is None else delimiter.join(present)
    for other in _DELIMITERS.replace(delimiter or "", ""):
        if header and name in (part.strip('" ') for part in header.split(other)):
            shown = "tab" if other == "\t" else repr(other)
            reason = f"if columns are separated by {shown}"
            return f"{reason}, use delimiter={other!r}", f"{reason}, use --delimiter {shown}"
    close = get_close_matches(name, present[:_COMPARED_NAMES], 1)
    return (f"did you mean {close[0]!r}?",) * 2 if close else None


def number_of(text: str, decimal: str) -> float:
    """Parse a number, or raise ValueError."""
    return float(text if decimal == "." else text.replace(".", "x").replace(decimal, "."))


class Rows(NamedTuple):
    """Rows of a column of a file, with the errors for them; their values are counted from 0."""

    source: Source
    column: str
    first_row: int
    request: Request

    def wrong_type(self, found: object, advice: tuple[str, str] | None = None) -> DataError:
        is_number = self.column in self.request.numeric
        expected = "numbers" if is_number else "numbers, text or booleans"
        where = f"{self.source.shown}: column {self.column!r}"
        return DataError(f"{where} has type {found}; expected {expected}", advice)

    def not_utf8(self) -> DataError:
        where = f"{self.source.shown}: column {self.column!r}"
        return DataError(f"{where} holds text that is not UTF-8; save the file as UTF-8")

    def wrong_value(
        self, row: int, found: str, expected: str, advice: tuple[str, str] | None = None
    ) -> DataError:
        place = f"{self.source.shown}: column {self.column!r}, row {self.first_row + row + 1}"
        return DataError(f"{place} is {shortened(found)}; {expected}", advice)

    def missing_value(
        self, row: int, found: str | None = None, expected: str = "expected a value in every row"
    ) -> DataError:
        advice = None
        if found is None:
            # Editors and spreadsheets count the header as well.
            is_csv = self.source.format == "csv"
            found = "empty or marked as missing (row 1 is below the header)" if is_csv else "null"
        if self.column in self.request.could_miss:
            leave_out = "to leave such rows out, use "
            advice = f"{leave_out}nan_policy='omit'", f"{leave_out}--missing drop"
        return self.wrong_value(row, found, expected, advice)

    def not_a_number(self, row: int, text: str) -> DataError:
        advice = None
        if "," in text and self.source.decimal == ".":
            with contextlib.suppress(ValueError):
                number_of(text, ",")
                reason, is_same = "if it has a decimal comma, use ", self.source.delimiter == ","
                advice = (
                    f"{reason}decimal=','" + ", delimiter=','" * is_same,
                    f"{reason}--decimal ," + " --delimiter ," * is_same,
                )
        return self.wrong_value(row, repr(text), "expected a number", advice)

    def refuse(self, is_wrong: NDArray[np.bool_], values: Array, expected: str) -> None:
        """Refuse the first value that is wrong."""
        if is_wrong.any():
            row = int(np.argmax(is_wrong))
            raise self.wrong_value(row, str(values[row]), expected)

    def check_numbers(self, values: Array) -> None:
        """Refuse NaN and infinities, and negative numbers where they are forbidden."""
        if values.dtype.kind == "f":
            may_miss, finite = self.column in self.request.may_miss, "expected finite numbers"
            is_wrong = np.isinf(values) if may_miss else ~np.isfinite(values)
            if is_wrong.any() and np.isnan(values[np.argmax(is_wrong)]):
                raise self.missing_value(int(np.argmax(is_wrong)), "nan", finite)
            self.refuse(is_wrong, values, finite)
        if self.column in self.request.nonnegative:
            self.refuse(values < 0, values, "expected 0 or more")

    def as_floats(self, values: Array) -> Array:
        """Return numbers as float32 or float64; refuse those that float64 cannot hold exactly."""
        kind, n_bytes = values.dtype.kind, values.dtype.itemsize
        if kind == "O":
            is_long = np.array([isinstance(value, Decimal) for value in values.tolist()])
            self.refuse(is_long, values, f"expected at most {DIGITS} digits, which float64 holds")
        if kind == "f" and n_bytes <= 4:
            return values.astype(np.float32, copy=False)
        if kind in "iu" and n_bytes == 8:
            beyond = values > EXACT_IN_FLOAT64
            if kind == "i":
                beyond |= values < -EXACT_IN_FLOAT64
            self.refuse(beyond, values, EXPECTED_EXACT)
        floats = values.astype(np.float64, copy=False)
        if kind == "f" and n_bytes > 8:
            self.refuse(floats != values, values, "expected numbers that are exact as float64")
        return floats
