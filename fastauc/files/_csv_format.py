"""CSV files: blocks of whole lines, each decoded by pyarrow.

A block is kept until it is decoded. If the type found so far does not fit, only this block is read
again as text; if all rows are kept, all blocks are.
"""

import re
from collections.abc import Iterable, Iterator
from functools import cache, partial
from typing import IO, Any

import numpy as np

from fastauc.files._arrow_format import column_types, table_arrays
from fastauc.files._columns import (
    EXACT_IN_FLOAT64,
    EXPECTED_EXACT,
    Array,
    Piece,
    Request,
    WiderTypeNeeded,
    are_beyond,
    check_names,
    expected_number,
    number_of,
    other_delimiter,
    wrong_value,
)
from fastauc.files._sources import (
    DataError,
    Source,
    arrow_reader,
    decoding,
    import_pyarrow,
    open_text,
)

__all__ = ["csv_pieces"]

_BLOCK_BYTES = 1 << 22
_PART_BYTES = 1 << 19  # that one thread reads
_LONGEST_LINE = 1 << 25
# Text up to an unclosed quoted value. A quote opens a value only at its beginning. A value of
# several lines must end at its second quote; otherwise two unclosed quotes far apart would pair up.
_LINE = rb'[^"\r\n]*+(?:""[^"\r\n]*+)*+"'
_INTEGER = re.compile(r"[+-]?[0-9]+")
_BOOLEANS = {"true", "false", "0", "1"}


@cache
def _closed(delimiter: str) -> re.Pattern[bytes]:
    ends = re.escape(delimiter).encode() + rb"\r\n"
    begin = rb'(?:\A|(?<=[%b]))"' % ends
    lines = rb'[^"]*+(?:""[^"]*+)*+"(?=[%b]|\Z)' % ends
    return re.compile(rb'(?:[^"]++|(?<=[^%b])"|%b(?:%b|%b))*+' % (ends, begin, _LINE, lines))


def csv_pieces(source: Source, request: Request, start: int) -> Iterator[Piece]:
    """Yield a CSV file as one piece, because its rows have to be counted from the first."""
    import_pyarrow(source)
    yield Piece(0, partial(_read, source, request))


def _read(source: Source, request: Request) -> Iterator[dict[str, Array]]:
    with decoding(source), open_text(source) as file:
        reader = None
        for block in _blocks(file, source):
            reader = reader or _BlockReader(source, request, block)
            yield from reader.arrays(block)
        if reader is None:
            raise DataError(f"{source.shown}: there is no data")


def _blocks(file: IO[bytes], source: Source) -> Iterator[bytes]:
    """Yield whole rows; refuse an unclosed quote, after which pyarrow would lose rows."""
    rest, n_lines = b"", 0
    while block := file.read(_BLOCK_BYTES):
        block = rest + block
        stop = block.rfind(b"\n") + 1 or block.rfind(b"\r") + 1
        opened = _opened_quote(block, stop, source.delimiter)
        if opened < stop:  # the value continues on the next lines
            stop = block.rfind(b"\n", 0, opened) + 1 or block.rfind(b"\r", 0, opened) + 1
        rest = block[stop:]
        n_lines += _count_lines(block, stop)
        if len(rest) > _LONGEST_LINE:
            end = _opened_quote(rest, len(rest), source.delimiter)
            if end < len(rest):
                raise _not_closed(source, n_lines + _count_lines(rest, end))
            raise DataError(f"{source.shown}: a line is longer than {_LONGEST_LINE} bytes")
        block = block[:stop]
        if block:
            yield block
    end = _opened_quote(rest, len(rest), source.delimiter)
    if end < len(rest):
        raise _not_closed(source, n_lines + _count_lines(rest, end))
    if rest:
        yield rest


def _opened_quote(block: bytes, stop: int, delimiter: str) -> int:
    """Return where a quoted value that is not closed before ``stop`` begins; or ``stop``."""
    if block.find(b'"', 0, stop) < 0:
        return stop
    closed = _closed(delimiter).match(block, 0, stop)
    return closed.end() if closed is not None else 0


def _count_lines(block: bytes, stop: int) -> int:
    # ``bytes.count`` searches for line ends one by one, which takes five times as long.
    array = np.frombuffer(block, np.uint8, stop)
    return int(np.count_nonzero(array == ord("\n")) or np.count_nonzero(array == ord("\r")))


def _not_closed(source: Source, n_lines: int) -> DataError:
    return DataError(
        f"{source.shown}: line {n_lines + 1} begins a quoted value that does not end; expected "
        "a closing quote"
    )


class _BlockReader:
    """The types of the columns so far, and the number of rows before the block at hand."""

    def __init__(self, source: Source, request: Request, first_block: bytes) -> None:
        self.pa = import_pyarrow(source)
        self.source, self.request = source, request
        self.n_rows = 0
        self.names: list[str] | None = None  # after the header has been read
        one_thread = self._reading(first_block, False)  # several threads do not locate errors
        csv = self.pa.csv
        self.parsing = csv.ParseOptions(delimiter=source.delimiter)
        convert = csv.ConvertOptions(decimal_point=source.decimal)
        opened = arrow_reader(first_block, self.pa)
        try:
            schema = csv.open_csv(opened, one_thread, self.parsing, convert).schema
        except self.pa.ArrowInvalid:
            self._check_delimiter(first_block)
            raise
        self.header = schema.names
        self.types = column_types(source, schema, request)
        for name in self.types:
            if request.wider is not None:
                self.types[name] = request.wider.get((source.path, name), self.types[name])
            elif name in request.numeric:
                self.types[name] = self.pa.float64()

    def _check_delimiter(self, first_block: bytes) -> None:
        """Refuse a header in which a column exists only with another delimiter."""
        line = first_block.splitlines()[0].decode(errors="replace")
        present = line.split(self.source.delimiter)
        for name in self.request.columns:
            if other_delimiter(self.source, name, present) is not None:
                check_names(self.source, [name], present)

    def arrays(self, block: bytes) -> Iterator[dict[str, Array]]:
        """Yield the next rows as arrays."""
        table = self._decode(block)
        for name in self.types:
            if name in self.request.numeric and self.request.wider is None:
                self._check_integers(table.column(name), block, name)
        self.names = self.header
        yield from table_arrays(table, self.source, self.n_rows, self.request)
        self.n_rows += table.num_rows

    def _decode(self, block: bytes) -> Any:
        pa = self.pa
        try:
            return self._parse(block, self.types, self.types)
        except pa.ArrowInvalid:
            self._check_lines(block)
            for name in self.types:
                try:
                    self._parse(block, [name], self.types)
                except pa.ArrowInvalid:
                    self._widen(block, name)
            return self._parse(block, self.types, self.types)

    def _parse(
        self, block: bytes, names: Iterable[str], types: dict[str, Any], threads: bool | None = None
    ) -> Any:
        csv = self.pa.csv
        threads = self.request.use_threads if threads is None else threads
        convert = csv.ConvertOptions(
            include_columns=list(names),
            column_types=types,
            strings_can_be_null=True,
            decimal_point=self.source.decimal,
        )
        reading = self._reading(block, threads)
        return csv.read_csv(arrow_reader(block, self.pa), reading, self.parsing, convert)

    def _reading(self, block: bytes, threads: bool) -> Any:
        # If values are quoted, pyarrow must not split the block: it would split at line ends within
        # values, and lose rows when several threads read the parts. Nor can it join a line that
        # fills a part with the parts before and after it.
        starts = range(0, len(block) - _PART_BYTES, _PART_BYTES)
        is_whole = b'"' in block or not all(_ends_a_line(block, start) for start in starts)
        size = max(len(block), _PART_BYTES) if is_whole else _PART_BYTES
        return self.pa.csv.ReadOptions(
            use_threads=threads, column_names=self.names, block_size=size
        )

    def _check_lines(self, block: bytes) -> None:
        """Refuse a block in which a line has a wrong number of fields, with its line number."""
        texts = dict.fromkeys(self.types, self.pa.string())
        try:
            self._parse(block, texts, texts, threads=False)
        except self.pa.ArrowInvalid as error:
            before = 0 if self.names is None else self.n_rows + 1
            raise ValueError(
                re.sub(r"Row #(\d+)", lambda row: f"Row #{int(row[1]) + before}", str(error))
            ) from error

    def _texts(self, block: bytes, name: str) -> list[str | None]:
        column = self._parse(block, [name], {name: self.pa.string()}).column(name)
        return list(column.to_pylist())

    def _widen(self, block: bytes, name: str) -> None:
        """Find a wider type for a column that no longer fits its type, or refuse it."""
        pa = self.pa
        before, types, wider = self.types[name], pa.types, self.request.wider
        takes_text = name not in self.request.numeric
        if wider is not None or takes_text:
            schema = self._parse(block, [name], {}).schema
            found = column_types(self.source, schema, self.request._replace(columns=(name,)))[name]
            is_new = self.names is None or types.is_null(before)
            # Not after a double, which holds every number that is spelled as one.
            are_numbers = types.is_integer(before) and _is_number(found, pa)
            if not is_new and wider is not None and (are_numbers or takes_text):
                wider[self.source.path, name] = pa.float64() if are_numbers else pa.string()
                raise WiderTypeNeeded(f"{self.source.shown}: column {name!r} is not {before}")
            if is_new or are_numbers:
                self.types[name] = found if is_new else pa.float64()
                return
        for row, text in enumerate(self._texts(block, name), self.n_rows):
            if text is not None and not _fits(text, types.is_boolean(before), self.source.decimal):
                is_boolean = types.is_boolean(before)
                expected = (
                    "expected true or false" if is_boolean else expected_number(text, self.source)
                )
                raise wrong_value(self.source, name, row, repr(text), expected)
        raise DataError(f"{self.source.shown}: column {name!r} does not hold {before} throughout")

    def _check_integers(self, column: Any, block: bytes, name: str) -> None:
        """Refuse rounded integers; other numbers are the float64 nearest to the text."""
        if not are_beyond(column):
            return
        for row, text in enumerate(self._texts(block, name), self.n_rows):
            digits = (text or "").strip()
            if _INTEGER.fullmatch(digits) and _is_beyond(digits.lstrip("+-").lstrip("0")):
                raise wrong_value(self.source, name, row, digits, EXPECTED_EXACT)


def _ends_a_line(block: bytes, start: int) -> bool:
    stop = start + _PART_BYTES
    return block.find(b"\n", start, stop) >= 0 or block.find(b"\r", start, stop) >= 0


def _is_beyond(digits: str) -> bool:
    return len(digits) > len(str(EXACT_IN_FLOAT64)) or int(digits or 0) > EXACT_IN_FLOAT64


def _is_number(found: Any, pa: Any) -> bool:
    return bool(pa.types.is_integer(found) or pa.types.is_floating(found))


def _fits(text: str, boolean: bool, decimal: str) -> bool:
    if boolean:
        return text.strip().lower() in _BOOLEANS
    try:
        number_of(text, decimal)
    except ValueError:
        return False
    return text.isascii() and "_" not in text  # spellings of Python's own
