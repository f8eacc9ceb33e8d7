"""Lines of JSON objects: blocks of whole lines, each decoded by pyarrow."""

import json
import re
from collections.abc import Iterator
from functools import partial
from itertools import chain
from typing import Any

from fastauc.files._arrow_format import column_types, table_arrays
from fastauc.files._columns import (
    EXACT_IN_FLOAT64,
    EXPECTED_EXACT,
    Array,
    Piece,
    Request,
    are_beyond,
    check_names,
    wrong_type,
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

__all__ = ["jsonl_pieces"]

_BLOCK_BYTES = 1 << 22
_LONGEST_LINE = 1 << 25
_NESTED = re.compile(r"changed from \w+ to (array|object) in row")


def jsonl_pieces(source: Source, request: Request, start: int) -> Iterator[Piece]:
    """Yield a file as one piece, because its rows have to be counted from the first."""
    import_pyarrow(source)
    yield Piece(0, partial(_read, source, request))


def _read(source: Source, request: Request) -> Iterator[dict[str, Array]]:
    n_rows, types = 0, dict[str, Any]()
    for block in _blocks(source):
        with decoding(source):
            table = _decode(block, source, request, types, n_rows)
            for name in request.numeric:
                _check_integers(table.column(name), block, source, name, n_rows)
            yield from table_arrays(table, source, n_rows, request)
        n_rows += table.num_rows


def _blocks(source: Source) -> Iterator[bytes]:
    """Yield whole lines, and no blocks without an object, which pyarrow refuses."""
    rest = b""
    with decoding(source), open_text(source) as file:
        while block := file.read(_BLOCK_BYTES):
            block = rest + block
            stop = block.rfind(b"\n") + 1
            rest = block[stop:]
            if len(rest) > _LONGEST_LINE:
                raise DataError(f"{source.shown}: a line is longer than {_LONGEST_LINE} bytes")
            block = block[:stop]
            if block.strip():
                yield block
        if rest.strip():
            yield rest


def _decode(
    block: bytes, source: Source, request: Request, types: dict[str, Any], n_rows: int
) -> Any:
    """Return the columns that are asked for; ``types`` are those of the block before, and change.

    pyarrow would give each name of the block a column of as many rows, and each level of nesting a
    type: of a few lines that may be more than there is memory for. It passes over what has no type.
    """
    if not block.lstrip(b" \t\r\n").startswith(b"{"):  # if it is null, pyarrow ends the process
        raise DataError(f"{source.shown}: row {n_rows + 1} is no object; expected one in each line")
    try:
        if types:
            return _parse(block, source, request, types, n_rows)
    except ValueError:  # a value of another type
        pass
    for name in request.columns:
        types[name] = _type_of(block, source, request, name, n_rows)
    table = _parse(block, source, request, types, n_rows)
    if n_rows == 0:
        _check_names(table, block, source, request)
    column_types(source, table.schema, request)
    return table


def _type_of(block: bytes, source: Source, request: Request, name: str, n_rows: int) -> Any:
    """Return the first type that all values of a column have."""
    pa = import_pyarrow(source)
    refusals = []
    # A text that looks like a date stays a text.
    for kind in (pa.int64(), pa.float64(), pa.bool_(), pa.string()):
        try:
            _parse(block, source, request, {name: kind}, n_rows)
        except ValueError as error:
            refusals.append(error)
        else:
            return kind
    if match := _NESTED.search(str(refusals[0])):
        raise wrong_type(source, name, match[1], request)
    raise refusals[1]


def _check_names(table: Any, block: bytes, source: Source, request: Request) -> None:
    """Refuse columns that no row has."""
    if any(table.column(name).null_count == table.num_rows for name in request.columns):
        names = list(dict.fromkeys(chain.from_iterable(_rows(block))))
        check_names(source, request.columns, names)


def _rows(block: bytes) -> Iterator[dict[str, Any]]:
    for line in filter(bytes.strip, block.split(b"\n")):
        row = json.loads(line)
        yield row if isinstance(row, dict) else {}


def _parse(
    block: bytes, source: Source, request: Request, types: dict[str, Any], n_rows: int
) -> Any:
    pa = import_pyarrow(source)
    reading = pa.json.ReadOptions(use_threads=request.use_threads, block_size=len(block))
    parsing = pa.json.ParseOptions(
        explicit_schema=pa.schema(types), unexpected_field_behavior="ignore"
    )
    try:
        return pa.json.read_json(arrow_reader(block, pa), reading, parsing)
    except pa.ArrowInvalid as error:
        text = re.sub(r"in row (\d+)", lambda row: f"in row {int(row[1]) + n_rows + 1}", str(error))
        raise ValueError(text) from error


def _check_integers(column: Any, block: bytes, source: Source, name: str, n_rows: int) -> None:
    """Refuse rounded integers, which occur if other numbers have decimals."""
    if not import_pyarrow(source).types.is_floating(column.type) or not are_beyond(column):
        return
    for row, values in enumerate(_rows(block), n_rows):
        value = values.get(name)
        if isinstance(value, int) and abs(value) > EXACT_IN_FLOAT64:
            raise wrong_value(source, name, row, str(value), EXPECTED_EXACT)
