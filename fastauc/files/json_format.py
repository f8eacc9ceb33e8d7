"""Lines of JSON objects: blocks of whole lines, each decoded by pyarrow."""

import json
import re
from collections.abc import Iterator
from functools import partial
from typing import Any

from fastauc.files.arrow_format import column_types, to_numpy
from fastauc.files.columns import (
    EXACT_IN_FLOAT64,
    EXPECTED_EXACT,
    Array,
    Piece,
    Request,
    are_beyond,
    missing_value,
    wrong_value,
)
from fastauc.files.sources import DataError, Source, decoding, import_pyarrow, open_text

__all__ = ["jsonl_pieces"]

_BLOCK_BYTES = 1 << 22
_LONGEST_LINE = 1 << 25


def jsonl_pieces(source: Source, request: Request, start: int) -> Iterator[Piece]:
    """Yield a file as one piece: its rows have to be counted from the first."""
    import_pyarrow(source)
    yield Piece(0, partial(_read, source, request))


def _read(source: Source, request: Request) -> Iterator[dict[str, Array]]:
    n_rows = 0
    for block in _blocks(source):
        with decoding(source):
            table = _decode(block, source, request, n_rows)
            for name in request.numeric:
                _check_integers(table.column(name), block, source, name, n_rows)
        for start in range(0, table.num_rows, request.batch_rows):
            part = table.slice(start, request.batch_rows)
            yield {
                name: to_numpy(
                    part.column(name).combine_chunks(), source, name, n_rows + start, request
                )
                for name in request.columns
            }
        n_rows += table.num_rows


def _blocks(source: Source) -> Iterator[bytes]:
    """Yield whole lines, and no block without an object: pyarrow refuses that."""
    rest = b""
    with decoding(source), open_text(source) as file:
        while more := file.read(_BLOCK_BYTES):
            block = rest + more
            stop = block.rfind(b"\n") + 1
            rest = block[stop:]
            if len(rest) > _LONGEST_LINE:
                raise DataError(f"{source.shown}: a line is longer than {_LONGEST_LINE} bytes")
            if block[:stop].strip():
                yield block[:stop]
        if rest.strip():
            yield rest


def _decode(block: bytes, source: Source, request: Request, n_rows: int) -> Any:
    pa = import_pyarrow(source)
    table = _parse(block, source, request, {}, n_rows)
    if n_rows:  # a column that ends is a null in each row, as it is where a block has some of it
        for name in request.columns:
            if name not in table.column_names and name in request.may_miss:
                table = table.append_column(name, pa.nulls(table.num_rows))
            elif name not in table.column_names:
                raise missing_value(source, name, n_rows, request)
    types = column_types(source, table.schema, request)
    texts = {
        name: pa.string()
        for name, found in types.items()
        if found != table.schema.field(name).type  # dates: labels that look like them
    }
    return _parse(block, source, request, texts, n_rows) if texts else table


def _parse(
    block: bytes, source: Source, request: Request, types: dict[str, Any], n_rows: int
) -> Any:
    pa = import_pyarrow(source)
    reading = pa.json.ReadOptions(use_threads=request.use_threads, block_size=len(block))
    parsing = pa.json.ParseOptions(explicit_schema=pa.schema(types)) if types else None
    try:
        return pa.json.read_json(pa.BufferReader(block), reading, parsing)
    except pa.ArrowInvalid as error:
        text = re.sub(r"in row (\d+)", lambda row: f"in row {int(row[1]) + n_rows + 1}", str(error))
        raise ValueError(text) from error


def _check_integers(column: Any, block: bytes, source: Source, name: str, n_rows: int) -> None:
    """Refuse integers that were rounded, as they are where other numbers have decimals."""
    if not import_pyarrow(source).types.is_floating(column.type) or not are_beyond(column):
        return
    for row, line in enumerate(filter(bytes.strip, block.split(b"\n")), n_rows):
        value = json.loads(line).get(name)
        if isinstance(value, int) and abs(value) > EXACT_IN_FLOAT64:
            raise wrong_value(source, name, row, str(value), EXPECTED_EXACT)
