"""CSV files and lines of JSON objects: blocks of whole lines, each decoded by pyarrow.

A block is kept until it is decoded: where it cannot be, it is decoded once more, column by column
and as text, to find the value at fault. pyarrow's own readers of files are not used, because they
lose the rows after a quote that is not closed, without an error (pyarrow 26).
"""

import codecs
import csv
import io
import json
import re
from collections.abc import Generator, Iterable, Iterator
from contextlib import closing, suppress
from functools import cache, partial
from itertools import chain
from typing import Any

import numpy as np

from fastauc._validation.errors import DataError
from fastauc._validation.written_numbers import Places, first_rounded, may_be_rounded
from fastauc.files._arrow_format import column_types, column_values, table_arrays
from fastauc.files._columns import (
    EXACT_IN_FLOAT64,
    EXPECTED_EXACT,
    Array,
    BytesRead,
    Piece,
    Request,
    Rows,
    check_names,
    number_of,
)
from fastauc.files._opening import (
    Source,
    arrow_reader,
    decoding,
    decompressed,
    has_changed,
    import_pyarrow,
    open_bytes,
    open_text,
)

_BLOCK_BYTES = 1 << 22
_PART_BYTES = 1 << 19  # that one thread reads
_LONGEST_LINE = 1 << 25
_MOST_COLUMNS = 10_000  # that pyarrow is given
# Text up to an unclosed quoted value. A quote opens a value only at its beginning. A value of
# several lines must end at its second quote; otherwise two unclosed quotes far apart would pair up.
_LINE = rb'[^"\r\n]*+(?:""[^"\r\n]*+)*+"'
_INTEGER = re.compile(r"[+-]?[0-9]+")
_EXPECTED_DIGITS = "expected at most 15 digits, or the exact digits of a float64"
_BOOLEANS = {"true", "false", "0", "1"}
# A first line that tells the field separator to Excel.
_SEPARATOR = re.compile(rb'\A(?:\xef\xbb\xbf)?"?sep=([^"\r\n])"?(?=[\r\n]|\Z)', re.IGNORECASE)
_NESTED = re.compile(r"changed from \w+ to (array|object) in row")


# Blocks -------------------------------------------------------------------------------------------


def _blocks(reader: "_Reader", bytes_read: BytesRead) -> Generator[bytes, None, None]:
    """Yield blocks of whole rows, and tell how much of the file as stored has been read."""
    source = reader.source
    with decoding(source), open_bytes(source) as stored, decompressed(stored, source) as file:
        rest, n_bytes = b"", 0
        while block := file.read(_BLOCK_BYTES):
            if n_bytes == 0 and not rest:
                _check_encoding(block, source)
                n_bytes, block = reader.begin(block)
            bytes_read.number = stored.tell() if source.size else 0
            block = rest + block
            stop = reader.end_of_rows(block)
            rest = block[stop:]
            n_bytes += stop
            if len(rest) > _LONGEST_LINE:
                reader.check_rest(rest, n_bytes)
                raise DataError(f"{source.shown}: a line is longer than {_LONGEST_LINE} bytes")
            if stop:
                yield block[:stop]
        reader.check_rest(rest, n_bytes)
        if rest:
            yield rest


def _check_encoding(block: bytes, source: Source) -> None:
    found = "UTF-16 or UTF-32" if block[:2] in (b"\xff\xfe", b"\xfe\xff") else ""
    if not found and b"\0" in block[:4]:  # of these encodings without a mark at the beginning
        found = "in an encoding with null characters, such as UTF-16"
    if found:
        raise DataError(f"{source.shown}: the text is {found}; save the file as UTF-8")


@cache
def _closed(delimiter: str) -> re.Pattern[bytes]:
    ends = re.escape(delimiter).encode() + rb"\r\n"
    begin = rb'(?:\A|(?<=[%b]))"' % ends
    lines = rb'[^"]*+(?:""[^"]*+)*+"(?=[%b]|\Z)' % ends
    return re.compile(rb'(?:[^"]++|(?<=[^%b])"|%b(?:%b|%b))*+' % (ends, begin, _LINE, lines))


def _opened_quote(block: bytes, stop: int, delimiter: str) -> int:
    """Return where a quoted value that is not closed before ``stop`` begins; or ``stop``."""
    if block.find(b'"', 0, stop) < 0:
        return stop
    closed = _closed(delimiter).match(block, 0, stop)
    return closed.end() if closed is not None else 0


def _line_of(source: Source, place: int) -> int:
    """Return the number of the line in which a byte of the text is, by reading it again."""
    n_lines = n_returns = 0
    with open_text(source) as file:
        while place > 0 and (block := file.read(min(place, _BLOCK_BYTES))):
            place -= len(block)
            n_lines, n_returns = n_lines + block.count(b"\n"), n_returns + block.count(b"\r")
    return (n_lines or n_returns) + 1


# Rows ---------------------------------------------------------------------------------------------


def most_rows(source: Source, n_columns: int) -> int | None:
    """Return how many rows there are at most: a value takes up two characters or more."""
    return None if source.compression else source.size // (2 * n_columns) + 1


def _pieces(kind: "type[_Reader]", source: Source, request: Request, start: int) -> Iterator[Piece]:
    """Yield a file as one piece, because its rows have to be counted from the first."""
    import_pyarrow(source)
    bytes_read = BytesRead()
    yield Piece(0, partial(_read, kind, source, request, bytes_read), bytes_read)


def _read(
    kind: "type[_Reader]", source: Source, request: Request, bytes_read: BytesRead
) -> Iterator[dict[str, Array]]:
    reader = kind(source, request)
    with decoding(source), closing(_blocks(reader, bytes_read)) as blocks:
        block = b""
        for block in blocks:
            yield from reader.arrays(block)
        if not block and has_changed(source):  # any other empty part has no rows
            raise ValueError("the file is empty now")


class _Reader:
    """The types of the columns so far, and the number of rows before the block at hand."""

    def __init__(self, source: Source, request: Request) -> None:
        self.pa = import_pyarrow(source)
        self.source, self.request = source, request
        self.types: dict[str, Any] = {}
        self.n_rows = 0

    def begin(self, block: bytes) -> tuple[int, bytes]:
        """Return the first block without its byte order mark, and how many bytes that is less."""
        rest = block.removeprefix(codecs.BOM_UTF8)
        return len(block) - len(rest), rest

    def end_of_rows(self, block: bytes) -> int:
        """Return where the last whole row of a block ends."""
        return block.rfind(b"\n") + 1

    def check_rest(self, rest: bytes, n_before: int) -> None:
        """Refuse what is no row; it follows so many bytes."""

    def arrays(self, block: bytes) -> Iterator[dict[str, Array]]:
        """Yield the next rows as arrays."""
        table = self.decode(block)
        is_long = may_be_rounded(block, self.source.decimal)
        for name in self.types:
            column = table.column(name)
            if name in self.request.numeric and self.pa.types.is_floating(column.type):
                self._check_integers(column, block, name)
                if is_long and table.num_rows:
                    self._check_digits(column, block, name)
        yield from table_arrays(table, self.source, self.n_rows, self.request)
        self.n_rows += table.num_rows

    def rows(self, name: str) -> Rows:
        """Return the rows of a column in the block, for errors."""
        return Rows(self.source, name, self.n_rows, self.request)

    def decode(self, block: bytes) -> Any:
        """Return the columns of a block, and keep their types."""
        raise NotImplementedError

    def texts(self, block: bytes, name: str) -> Iterable[str | None]:
        """Return the numbers of a column as they are written."""
        raise NotImplementedError

    def places(self, block: bytes, name: str, n_rows: int) -> Places:
        """Return a text with the numbers of a column as they are written, and where each is."""
        return _places_of([(text or "").encode() for text in self.texts(block, name)])

    def _check_digits(self, column: Any, block: bytes, name: str) -> None:
        """Refuse numbers of more digits than the float64 nearest to them has."""
        values = column_values(column)
        places = self.places(block, name, len(values))
        if found := first_rounded(places, values, self.source.decimal):
            raise self.rows(name).wrong_value(*found, _EXPECTED_DIGITS)

    def _check_integers(self, column: Any, block: bytes, name: str) -> None:
        """Refuse rounded integers."""
        extremes = self.pa.compute.min_max(column).as_py().values()
        if not any(value is not None and abs(value) >= EXACT_IN_FLOAT64 for value in extremes):
            return
        for row, text in enumerate(self.texts(block, name)):
            found = (text or "").strip()
            if _INTEGER.fullmatch(found):
                digits = found.lstrip("+-").lstrip("0")
                is_long = len(digits) > len(str(EXACT_IN_FLOAT64))  # also for ``int``
                if is_long or int(digits or 0) > EXACT_IN_FLOAT64:
                    raise self.rows(name).wrong_value(row, found, EXPECTED_EXACT)


# CSV ----------------------------------------------------------------------------------------------


class _CsvReader(_Reader):
    """Blocks of CSV, the first of which begins with the header."""

    header: list[str]
    names: list[str] | None = None  # after the header has been read

    def begin(self, block: bytes) -> tuple[int, bytes]:
        """Take the separator from the line that is for Excel, which becomes an empty one."""
        if separator := _SEPARATOR.match(block):
            self.source = self.source._replace(delimiter=separator[1].decode("latin-1"))
            return separator.end(), block[separator.end() :]
        return super().begin(block)

    def end_of_rows(self, block: bytes) -> int:
        """Return where the last whole row of a block ends, outside of quotes."""
        stop = block.rfind(b"\n") + 1 or block.rfind(b"\r") + 1
        opened = _opened_quote(block, stop, self.source.delimiter)
        if opened < stop:  # the value continues on the next lines
            stop = block.rfind(b"\n", 0, opened) + 1 or block.rfind(b"\r", 0, opened) + 1
        return stop

    def check_rest(self, rest: bytes, n_before: int) -> None:
        """Refuse an unclosed quote, after which pyarrow would lose rows."""
        source = self.source
        opened = _opened_quote(rest, len(rest), source.delimiter)
        if opened < len(rest):
            line = f"line {_line_of(source, n_before + opened)}" if source.size else "a line"
            raise DataError(
                f"{source.shown}: {line} begins a quoted value that does not end; expected a "
                "closing quote"
            )

    def arrays(self, block: bytes) -> Iterator[dict[str, Array]]:
        if self.names is None:
            if not block.strip(b"\r\n"):  # an empty part has no header
                return
            self.header = next(self._rows(block, "replace"))
            self._check_header()
        is_wide = len(self.header) > _MOST_COLUMNS
        yield from super().arrays(self._narrowed(block) if is_wide else block)
        self.names = list(self.request.columns) if is_wide else self.header

    def _rows(self, block: bytes, errors: str) -> Iterator[list[str]]:
        text = io.TextIOWrapper(io.BytesIO(block), "utf-8", errors, newline="")
        return filter(None, csv.reader(text, delimiter=self.source.delimiter))

    def _check_header(self) -> None:
        check_names(self.source, self.request.columns, self.header, self.source.delimiter)
        for name in self.request.columns:
            if self.header.count(name) > 1:
                raise DataError(f"{self.source.shown}: there are multiple columns named {name}")

    def _narrowed(self, block: bytes) -> bytes:
        """Return the requested columns alone: pyarrow makes room for 512 rows of all columns."""
        places = [self.header.index(name) for name in self.request.columns]
        kept = io.StringIO()
        writer = csv.writer(kept, delimiter=self.source.delimiter)
        first = self.n_rows + (1 if self.names is None else 2)
        for row, fields in enumerate(self._rows(block, "surrogateescape"), first):
            if len(fields) != len(self.header):
                expected = f"Expected {len(self.header)} columns, got {len(fields)}"
                raise ValueError(f"CSV parse error: Row #{row}: {expected}")
            writer.writerow([fields[place] for place in places])
        return kept.getvalue().encode("utf-8", "surrogateescape")

    def decode(self, block: bytes) -> Any:
        if not self.types:
            self._read_types(block)
        try:
            return self._parse(block, self.types, self.types)
        except self.pa.ArrowInvalid:
            self._check_lines(block)
            for name in self.types:
                try:
                    self._parse(block, [name], self.types)
                except self.pa.ArrowInvalid:
                    self._widen(block, name)
            return self._parse(block, self.types, self.types)

    def texts(self, block: bytes, name: str) -> Iterable[str | None]:
        return self._texts(block, name).to_pylist()  # type: ignore[no-any-return]

    def places(self, block: bytes, name: str, n_rows: int) -> Places:
        column = self._texts(block, name).combine_chunks()
        _, offsets, text = column.buffers()
        ends = np.frombuffer(offsets, np.int32, n_rows + 1, 4 * column.offset).astype(np.int64)
        return memoryview(text or bytes(1)).cast("B"), ends[:-1], ends[1:]

    def _texts(self, block: bytes, name: str) -> Any:
        try:
            return self._parse(block, [name], {name: self.pa.string()}).column(name)
        except self.pa.ArrowInvalid as error:  # each line has as many fields as the header
            raise self.rows(name).not_utf8() from error

    def _read_types(self, block: bytes) -> None:
        given = dict.fromkeys(self.request.as_text, self.pa.string())
        schema = self._parse(block, self.request.columns, given, in_parts=True).schema
        self.types = self._found_types(schema, self.request.columns)
        numbers = dict.fromkeys(self.request.numeric, self.pa.float64())
        self.types |= {name: numbers[name] for name in self.types if name in numbers}

    def _found_types(self, schema: Any, names: tuple[str, ...]) -> dict[str, Any]:
        # What is no number is refused where it is, later.
        request = self.request._replace(columns=names, numeric=())
        return column_types(self.source, schema, request, is_text=True)

    def _parse(
        self, block: bytes, names: Iterable[str], types: dict[str, Any], *, in_parts: bool = False
    ) -> Any:
        """Return the columns, or all if none are named; or a reader of them part by part.

        The reader takes one thread: several do not locate errors.
        """
        pa_csv = self.pa.csv
        # If values are quoted, pyarrow must not split the block: it would split at line ends within
        # values, and lose rows when several threads read the parts. Nor can it join a line that
        # fills a part with the parts before and after it.
        starts = range(0, len(block) - _PART_BYTES, _PART_BYTES)
        is_whole = b'"' in block or any(
            block.find(b"\n", start, start + _PART_BYTES) < 0
            and block.find(b"\r", start, start + _PART_BYTES) < 0
            for start in starts
        )
        reading = pa_csv.ReadOptions(
            use_threads=self.request.use_threads and not in_parts,
            column_names=self.names,
            block_size=max(len(block), _PART_BYTES) if is_whole else _PART_BYTES,
        )
        converting = pa_csv.ConvertOptions(
            include_columns=list(names),
            column_types=types,
            strings_can_be_null=True,
            null_values=[*pa_csv.ConvertOptions().null_values, *self.source.missing_values],
            decimal_point=self.source.decimal,
        )
        parsing = pa_csv.ParseOptions(delimiter=self.source.delimiter)
        read = pa_csv.open_csv if in_parts else pa_csv.read_csv
        return read(arrow_reader(block, self.pa), reading, parsing, converting)

    def _check_lines(self, block: bytes) -> None:
        """Refuse a block in which a line has a wrong number of fields, with its line number."""
        fields = dict.fromkeys(self.types, self.pa.binary())
        try:
            self._parse(block, fields, fields, in_parts=True).read_all()
        except self.pa.ArrowInvalid as error:
            before = 0 if self.names is None else self.n_rows + 1
            raise ValueError(_from_row(r"Row #(\d+)", before, error)) from error

    def _widen(self, block: bytes, name: str) -> None:
        """Find a wider type for a column that no longer fits its type, or refuse it.

        The blocks before have been given away: only integers can still become doubles.
        """
        before, types = self.types[name], self.pa.types
        if name not in self.request.numeric:
            schema = self._parse(block, [name], {}).schema
            found = self._found_types(schema, (name,))[name]
            is_number = types.is_integer(found) or types.is_floating(found)
            if self.names is None or types.is_null(before):
                self.types[name] = found
                return
            if types.is_integer(before) and is_number:
                self.types[name] = self.pa.float64()
                return
        for row, text in enumerate(self.texts(block, name)):
            if text is not None and not _fits(text, types.is_boolean(before), self.source.decimal):
                if types.is_boolean(before):
                    raise self.rows(name).wrong_value(row, repr(text), "expected true or false")
                raise self.rows(name).not_a_number(row, text)
        raise DataError(f"{self.source.shown}: column {name!r} does not hold {before} throughout")


def _from_row(pattern: str, before: int, error: Exception) -> str:
    """Return what pyarrow says, with the number of the row in the file, not in the block."""
    return re.sub(
        pattern, lambda row: row[0].replace(row[1], str(int(row[1]) + before)), str(error)
    )


def _places_of(texts: list[bytes]) -> Places:
    ends = np.zeros(len(texts) + 1, np.int64)
    np.cumsum(np.fromiter(map(len, texts), np.int64, len(texts)), out=ends[1:])
    return b"".join(texts) or bytes(1), ends[:-1], ends[1:]


def _fits(text: str, boolean: bool, decimal: str) -> bool:
    if boolean:
        return text.strip().lower() in _BOOLEANS
    try:
        number_of(text, decimal)
    except ValueError:
        return False
    return text.isascii() and "_" not in text  # spellings of Python's own


# JSON ---------------------------------------------------------------------------------------------


class _JsonReader(_Reader):
    """Blocks of lines of JSON objects.

    pyarrow would give each name of the block a column of as many rows, and each level of nesting a
    type: of a few lines that may be more than there is memory for. It passes over what has no type.
    """

    def arrays(self, block: bytes) -> Iterator[dict[str, Array]]:
        if block.strip():  # pyarrow refuses a block without an object
            yield from super().arrays(block)

    def decode(self, block: bytes) -> Any:
        source = self.source
        if not block.lstrip(b" \t\r\n").startswith(b"{"):  # if it is null, pyarrow ends the process
            where = f"{source.shown}: row {self.n_rows + 1}"
            raise DataError(f"{where} is no object; expected one in each line")
        with suppress(ValueError):  # a value of another type
            if self.types:
                return self._parse(block, self.types)
        self.types = {name: self._type_of(block, name) for name in self.request.columns}
        table = self._parse(block, self.types)
        # Where a score may be missing, its key may first appear behind this block.
        needed = [name for name in self.request.columns if name not in self.request.may_miss]
        if self.n_rows == 0 and any(
            table.column(name).null_count == table.num_rows for name in needed
        ):
            check_names(source, needed, self._names(block, needed))
        column_types(source, table.schema, self.request, is_text=True)
        return table

    def _names(self, first: bytes, wanted: list[str]) -> list[str]:
        """Return the names in the first block, and in others up to where all wanted are found."""
        found: dict[str, None] = {}
        again = type(self)(self.source, self.request)
        can_read_again = not self.source.is_once or self.source.size > 0
        with closing(_blocks(again, BytesRead())) as blocks:
            for block in chain([first], blocks if can_read_again else ()):
                if block is first or b"\\" in block or any(n.encode() in block for n in wanted):
                    found |= dict.fromkeys(chain.from_iterable(_objects(block)))
                if found.keys() >= set(wanted):
                    break
        return list(found)

    def texts(self, block: bytes, name: str) -> Iterable[str | None]:
        values = (each.get(name) for each in _objects(block))
        return (value if isinstance(value, _Written) else None for value in values)

    def places(self, block: bytes, name: str, n_rows: int) -> Places:
        number = rb'"%b"[ \t]*:[ \t]*([-+.0-9eE]+)' % re.escape(name.encode())
        texts = re.findall(number, block)
        # In plain lines, a number after each name: these are faster to find than to parse.
        if len(texts) == n_rows == block.count(b"{") and b"\\" not in block:
            return _places_of(texts)
        return super().places(block, name, n_rows)

    def _type_of(self, block: bytes, name: str) -> Any:
        """Return the first type that all values of a column have."""
        pa, refusals = self.pa, []
        # A text that looks like a date stays a text.
        for kind in (pa.int64(), pa.float64(), pa.bool_(), pa.string()):
            try:
                self._parse(block, {name: kind})
            except ValueError as error:
                refusals.append(error)
            else:
                return kind
        if match := _NESTED.search(str(refusals[0])):
            advice = "save the part to use as a column of its own"
            raise self.rows(name).wrong_type(match[1], (advice, advice))
        raise refusals[1]

    def _parse(self, block: bytes, types: dict[str, Any]) -> Any:
        pa = self.pa
        reading = pa.json.ReadOptions(use_threads=self.request.use_threads, block_size=len(block))
        parsing = pa.json.ParseOptions(
            explicit_schema=pa.schema(types), unexpected_field_behavior="ignore"
        )
        try:
            return pa.json.read_json(arrow_reader(block, pa), reading, parsing)
        except pa.ArrowInvalid as error:
            raise ValueError(_from_row(r"in row (\d+)", self.n_rows + 1, error)) from error


class _Written(str):
    """A number as it is written."""

    __slots__ = ()


def _objects(block: bytes) -> Iterator[dict[str, Any]]:
    for line in filter(bytes.strip, block.split(b"\n")):
        row = json.loads(line, parse_int=_Written, parse_float=_Written)
        yield row if isinstance(row, dict) else {}


csv_pieces, json_pieces = partial(_pieces, _CsvReader), partial(_pieces, _JsonReader)
