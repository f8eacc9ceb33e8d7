"""Columns of Parquet and Arrow files, by pyarrow.

pyarrow is imported on first use.
"""

import re
from collections.abc import Iterator
from decimal import Decimal
from functools import partial
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from fastauc._validation.arrays import DIGITS
from fastauc._validation.errors import DataError
from fastauc.files._columns import Array, Piece, Request, Rows, check_names
from fastauc.files._opening import Source, decoding, import_pyarrow, open_bytes, unless_left

_MOST_DIGITS = 38  # of decimal128
_EXACT_POWER = 22  # 10^22 is the highest power of ten that is a double
_BUFFER_BYTES = 1 << 20
_SMALL_FILE = 1 << 24
_STREAM = b"\xff\xff\xff\xff"  # the beginning of each message of Arrow
_END_OF_STREAM = _STREAM + bytes(4)
# A field of structs, or an element of lists.
_PART = re.compile(r"(.+)(?:\.([^.\[\]]+)|\[([0-9]{1,9})\])", re.DOTALL)


def from_decimals(column: Any) -> Array:
    """Return the double nearest to each decimal of a column without nulls.

    In an array of objects, if there are decimals of more than 15 digits, which stay as they are.
    """
    import pyarrow as pa

    precision, scale = column.type.precision, column.type.scale
    if precision <= _MOST_DIGITS:
        column = column.cast(pa.decimal128(precision, scale))
    if precision <= DIGITS and 0 <= scale <= _EXACT_POWER:
        # Arrow's own cast to double is not correctly rounded; one operation on exact doubles is.
        whole = pa.Array.from_buffers(
            pa.decimal128(precision, 0), len(column), column.buffers(), offset=column.offset
        )
        return np.asarray(_numbers(whole.cast(pa.int64())) / 10.0**scale)
    # Databases declare 38 digits and 18 places for numbers like 0.1.
    texts = column.cast(pa.string())
    digits = pa.compute.replace_substring_regex(texts, "E.*|[^0-9]", "")
    digits = pa.compute.utf8_trim(digits, "0")
    is_long = pa.compute.greater(pa.compute.utf8_length(digits), DIGITS)
    values: Array = _numbers(texts.cast(pa.float64()))
    if pa.compute.any(is_long).as_py():
        values = values.astype(object)
        rows = np.flatnonzero(_unpacked(is_long))
        values[rows] = column.take(rows).to_pylist()
    return values


def column_types(
    source: Source, schema: Any, request: Request, *, is_text: bool = False
) -> dict[str, Any]:
    """Return the type of each requested column; refuse missing columns.

    ``is_text`` tells that the types are those of a parser: dates are the text that they were.
    """
    pa = import_pyarrow(source)
    types = {name: _type_of(schema, name, pa) for name in request.columns}
    check_names(source, [name for name in types if types[name] is None], schema.names)
    for name, found in types.items():
        rows = Rows(source, name, 0, request)
        if schema.names.count(_column_of(schema.names, name)) > 1:
            raise DataError(f"{source.shown}: there are multiple columns named {name}")
        if pa.types.is_temporal(found) if is_text else _is_date(found, pa, name, request):
            types[name] = pa.string()
        elif is_text and pa.types.is_binary(found):
            raise rows.not_utf8()
        elif not _is_readable(found, pa, text=name not in request.numeric):
            raise rows.wrong_type(found, _parts_of(name, found, pa))
    return types


def _column_of(names: list[str], name: str) -> str:
    """Return the column that a name is of: "p" for "p.b" and "p[1]", unless there is one such."""
    while name not in names and (match := _PART.fullmatch(name)):
        name = match[1]
    return name


def _type_of(schema: Any, name: str, pa: Any) -> Any:
    """Return the type of a column, or of a part of one; None if there is none."""
    if name in schema.names:
        return schema.field(schema.names.index(name)).type
    match = _PART.fullmatch(name)
    whole = match and _type_of(schema, match[1], pa)
    if match is None or whole is None:
        return None
    if match[3] is not None:
        return whole.value_type if _is_list(whole, pa) else None
    place = whole.get_field_index(match[2]) if pa.types.is_struct(whole) else -1
    return None if place < 0 else whole.field(place).type


def _part(batch: Any, name: str, rows: Rows) -> Any:
    """Return a column, or a part of one, of which ``_type_of`` knows the type."""
    pa = import_pyarrow(rows.source)
    match = None if name in batch.schema.names else _PART.fullmatch(name)
    if match is None:
        return batch.column(name)
    whole = _part(batch, match[1], rows)
    whole.validate(full=True)  # its parts come from a file that may be forged
    if match[3] is not None:
        return _elements(whole, int(match[3]), rows, pa)
    return pa.compute.struct_field(whole, match[2])


def _elements(lists: Any, place: int, rows: Rows, pa: Any) -> Any:
    """Return one element of each list; where it may be missing, null for a list that is shorter."""
    lengths = pa.compute.list_value_length(lists)
    is_short = pa.compute.less_equal(lengths, place).fill_null(False)
    if short := pa.compute.index(is_short, True).as_py() + 1:
        if rows.column not in rows.request.may_miss:
            found, expected = str(lists[short - 1].as_py()), f"expected {place + 1} values or more"
            raise rows.missing_value(short - 1, found, expected)
        lists = pa.compute.if_else(is_short, None, lists)
    return pa.compute.list_element(lists, place)


def _is_list(found: Any, pa: Any) -> bool:
    kinds = pa.types.is_list, pa.types.is_large_list, pa.types.is_fixed_size_list
    return any(is_kind(found) for is_kind in kinds)


def _parts_of(name: str, found: Any, pa: Any) -> tuple[str, str] | None:
    """Return how to name a part of a column of structs or lists."""
    if pa.types.is_struct(found) and found.num_fields:
        part = f"{name}.{found.field(0).name}"
    elif _is_list(found, pa):
        part = f"{name}[0]"
    else:
        return None
    return (f"a part of it has a name such as {part!r}",) * 2


def parquet_pieces(source: Source, request: Request, start: int) -> Iterator[Piece]:
    """Yield the row groups of a Parquet file from the one that holds row ``start``."""
    import_pyarrow(source)
    if source.size <= _SMALL_FILE and start == 0:  # opened once, by the thread that reads it
        yield Piece(0, partial(_read_parquet, source, request))
        return
    with decoding(source):
        metadata = unless_left(partial(_metadata, source), source)
    for run in _runs(metadata, request.batch_rows):
        if run.stop > start:
            yield Piece(run.first_row, partial(_read_parquet, source, request, metadata, run))


def _open_parquet(source: Source, metadata: Any = None) -> Any:
    # A local file by name, so that pyarrow reads on its own threads. Without a buffer all bytes of
    # a column in a row group would be in memory at once. But a buffer is as large as a page claims
    # to be: up to 2 GB, whatever the file holds.
    place = source.path if source.stored is None else open_bytes(source)
    is_small = source.stored is None and source.size <= _SMALL_FILE
    return import_pyarrow(source).parquet.ParquetFile(
        place,
        metadata=metadata,
        pre_buffer=False,
        buffer_size=0 if is_small else _BUFFER_BYTES,
        page_checksum_verification=True,
    )


def _metadata(source: Source) -> Any:
    with _open_parquet(source) as file:
        return _checked(file.metadata)


def _checked(metadata: Any) -> Any:
    counts = [metadata.row_group(i).num_rows for i in range(metadata.num_row_groups)]
    if min(counts, default=0) < 0 or sum(counts) != metadata.num_rows:
        raise ValueError(f"the footer says {metadata.num_rows} rows, but its row groups {counts}")
    return metadata


class _Run(NamedTuple):
    """Row groups that are read together, and their rows: the first, and the one after the last."""

    groups: list[int]
    first_row: int
    stop: int


def _runs(metadata: Any, batch_rows: int) -> Iterator[_Run]:
    """Yield runs of row groups: small ones are joined to keep threads busy."""
    run = _Run([], 0, 0)
    for group in range(metadata.num_row_groups):
        stop = run.stop + metadata.row_group(group).num_rows
        if run.groups and stop - run.first_row > batch_rows:
            yield run
            run = _Run([], run.stop, run.stop)
        run = _Run([*run.groups, group], run.first_row, stop)
    if run.groups:
        yield run


def _read_parquet(
    source: Source, request: Request, metadata: Any = None, run: _Run | None = None
) -> Iterator[dict[str, Array]]:
    """Yield the rows of some row groups, or of the whole file."""
    with decoding(source), _open_parquet(source, metadata) as file:
        column_types(source, file.schema_arrow, request)
        runs = [run] if run else _runs(_checked(file.metadata), request.batch_rows)
        for each in runs:
            yield from _read_groups(file, source, request, each)


def _read_groups(
    file: Any, source: Source, request: Request, run: _Run
) -> Iterator[dict[str, Array]]:
    groups, row, stop = run
    first, last = groups[0], groups[-1]
    part = f"row group {first}" if first == last else f"row groups {first} to {last}"
    names = file.schema_arrow.names
    columns = [_column_of(names, name) for name in request.columns]
    with decoding(source, part):
        for batch in file.iter_batches(
            request.batch_rows, row_groups=groups, columns=columns, use_threads=False
        ):
            yield _arrays(batch, source, row, request)
            row += batch.num_rows
    if row != stop:
        raise DataError(
            f"{source.shown}: {row - run.first_row} rows in {part}; the footer says "
            f"{stop - run.first_row}"
        )


def ipc_pieces(source: Source, request: Request, start: int) -> Iterator[Piece]:
    import_pyarrow(source)
    yield Piece(0, partial(_read_ipc, source, request))


def _read_ipc(source: Source, request: Request) -> Iterator[dict[str, Array]]:
    pa = import_pyarrow(source)
    with decoding(source), _open_ipc(source) as file:
        schema = _ipc_reader(file, pa).schema
        column_types(source, schema, request)
        columns = {_column_of(schema.names, name) for name in request.columns}
        fields = [schema.get_field_index(name) for name in columns]
        options = pa.ipc.IpcReadOptions(included_fields=fields, use_threads=False)
        reader = _ipc_reader(file, pa, options)
        batches = _batches_of(reader)
        row, i = 0, 0
        while True:
            with decoding(source, f"record batch {i}"):
                batch = next(batches, None)
            if batch is None:
                break
            for start in range(0, batch.num_rows, request.batch_rows):
                yield _arrays(batch.slice(start, request.batch_rows), source, row + start, request)
            row, i = row + batch.num_rows, i + 1
        if batches is reader:
            _check_end_of_stream(file, source)


def _ipc_reader(file: Any, pa: Any, options: Any = None) -> Any:
    """Return a reader of an Arrow file, or of a stream, which has no footer."""
    file.seek(0)
    is_stream = file.read(len(_STREAM)) == _STREAM
    file.seek(0)
    return (pa.ipc.open_stream if is_stream else pa.ipc.open_file)(file, options=options)


def _check_end_of_stream(file: Any, source: Source) -> None:
    """Refuse a stream that was cut between two batches, and one that another one follows."""
    file.seek(max(0, file.tell() - len(_END_OF_STREAM)))
    if file.read() != _END_OF_STREAM:
        raise DataError(
            f"{source.shown}: cannot be read: expected the end of the Arrow stream after its rows"
        )


def _open_ipc(source: Source) -> Any:
    # Not memory-mapped: truncating the file while it is read would kill the process.
    if source.stored is None:
        return import_pyarrow(source).OSFile(source.path)
    return open_bytes(source)


def count_parquet(source: Source) -> int:
    """Return the number of rows that a file says it has."""
    with decoding(source):
        return int(unless_left(partial(_metadata, source), source).num_rows)


def count_ipc(source: Source) -> int | None:
    """Return the number of rows that a file says it has; a stream says nothing, nor old pyarrow."""
    pa = import_pyarrow(source)

    def look() -> int | None:
        with _open_ipc(source) as file:
            reader = _ipc_reader(file, pa)
            return int(reader.count_rows()) if hasattr(reader, "count_rows") else None

    with decoding(source):
        return unless_left(look, source)


def parquet_order(source: Source, name: str) -> list[Any] | None:
    """Return the categories of a column in their order, as ``_categories`` does."""

    def look() -> list[Any] | None:
        with _open_parquet(source) as file:
            schema = file.schema_arrow
            batch = next(file.iter_batches(1, columns=[_column_of(schema.names, name)]), None)
            if batch is None:
                return []
            group = file.metadata.row_group(0)
            chunks = map(group.column, range(group.num_columns))
            # Without a dictionary in the file, words are in the order of the rows at hand.
            is_stored = any(c.path_in_schema == name and c.has_dictionary_page for c in chunks)
            return _categories(batch, schema, source, name) if is_stored else None

    with decoding(source):
        return unless_left(look, source)


def ipc_order(source: Source, name: str) -> list[Any] | None:
    """Return the categories of a column in their order, as ``_categories`` does."""

    def look() -> list[Any] | None:
        with _open_ipc(source) as file:
            reader = _ipc_reader(file, import_pyarrow(source))
            batch = next(_batches_of(reader), None)
            return [] if batch is None else _categories(batch, reader.schema, source, name)

    with decoding(source):
        return unless_left(look, source)


def _batches_of(reader: Any) -> Any:
    """Return an iterator over the batches of a file; of a stream, it is the reader."""
    is_stream = not hasattr(reader, "get_batch")
    return reader if is_stream else map(reader.get_batch, range(reader.num_record_batches))


def _categories(batch: Any, schema: Any, source: Source, name: str) -> list[Any] | None:
    """Return the values of a column in an order that has a meaning; None if there is none.

    That is the order of an ordered dictionary, such as an Enum of polars, and of all categories of
    pandas, which has a note on them beside the columns.
    """
    pa = import_pyarrow(source)
    found = _type_of(schema, name, pa)
    if not pa.types.is_dictionary(found):
        return None
    noted = (schema.pandas_metadata or {}).get("columns", [])
    kinds = {each.get("field_name"): each.get("pandas_type") for each in noted}
    if not found.ordered and kinds.get(name) != "categorical":
        return None
    values = _part(batch, name, Rows(source, name, 0, Request((name,), ()))).dictionary
    values.validate(full=True)
    order: list[Any] = values.to_pylist()
    return order


def table_arrays(
    table: Any, source: Source, row: int, request: Request
) -> Iterator[dict[str, Array]]:
    """Yield the columns of a table, whose first row is ``row`` of the file, in batches of rows."""
    for batch in table.combine_chunks().to_batches(max_chunksize=request.batch_rows):
        yield _arrays(batch, source, row, request)
        row += batch.num_rows


def _arrays(batch: Any, source: Source, row: int, request: Request) -> dict[str, Array]:
    return {
        name: to_numpy(_part(batch, name, rows), rows)
        for name in request.columns
        for rows in [Rows(source, name, row, request)]
    }


def _is_date(found: Any, pa: Any, name: str, request: Request) -> bool:
    """Tell whether a column holds dates, which are read as text: as ISO 8601 writes them."""
    is_date = pa.types.is_date(found) or pa.types.is_timestamp(found)
    return is_date and name not in request.numeric


def _is_text(found: Any, pa: Any) -> bool:
    return found in (pa.string(), pa.large_string(), pa.string_view())


def _is_readable(found: Any, pa: Any, *, text: bool) -> bool:
    if pa.types.is_dictionary(found):
        found = found.value_type
    numbers = (pa.types.is_integer, pa.types.is_floating, pa.types.is_decimal)
    others = (pa.types.is_boolean, pa.types.is_null)
    return any(check(found) for check in (*numbers, *others)) or (text and _is_text(found, pa))


def to_numpy(column: Any, rows: Rows) -> Array:
    """Return an Arrow array of these rows as a NumPy array; refuse nulls."""
    pa = import_pyarrow(rows.source)
    try:
        column.validate(full=True)  # lengths and indices come from a file that may be forged
    except pa.ArrowInvalid as error:
        if "Invalid UTF8" in str(error):  # pyarrow has one class for this and for forged lengths
            raise rows.not_utf8() from error
        raise
    if pa.types.is_dictionary(column.type):
        words = column.dictionary
        if words.type == pa.string_view():  # which pyarrow does not decode
            words = words.cast(pa.large_string())
            column = pa.DictionaryArray.from_arrays(column.indices, words)
        column = column.dictionary_decode()
    if column.null_count and rows.column in rows.request.may_miss:
        return _with_nan(column, rows, pa)
    if column.null_count:
        raise rows.missing_value(int(np.argmax(_unpacked(column.is_null()))))
    if _is_date(column.type, pa, rows.column, rows.request):
        column = column.cast(pa.string())
    if _is_text(column.type, pa):
        coded = column.cast(pa.large_string()).dictionary_encode()
        words = np.array(_words(coded.dictionary), dtype=object)
        return words.take(_numbers(coded.indices))
    return _values(column, pa)


def _with_nan(column: Any, rows: Rows, pa: Any) -> Array:
    is_null = _unpacked(column.is_null())
    if pa.types.is_null(column.type):
        return np.full(len(column), np.nan)
    if _is_text(column.type, pa):
        raise rows.wrong_type("text")
    if pa.types.is_decimal(column.type):
        values = _values(column.fill_null(pa.scalar(Decimal(0), column.type)), pa)
    else:
        values = _values(column, pa)
        values = np.where(is_null, values.dtype.type(0), values)
    floats = rows.as_floats(values)
    return np.where(is_null, floats.dtype.type(np.nan), floats)


def _values(column: Any, pa: Any) -> Array:
    """Return the values of a column; those of nulls may be anything."""
    if pa.types.is_boolean(column.type) and len(column):
        return _unpacked(column)
    if pa.types.is_decimal(column.type):
        return from_decimals(column)
    if pa.types.is_integer(column.type) or pa.types.is_floating(column.type):
        return _numbers(column)
    return np.asarray(column.to_numpy(zero_copy_only=False))


# pyarrow's own conversions of numbers and of text crash if Python has no memory for them, as does
# numpy if an array of objects is indexed by another.


def _words(column: Any) -> list[str]:
    """Return the values of a column of large strings without nulls."""
    if len(column) == 0:
        return []
    _, offsets, content = column.buffers()
    ends = np.frombuffer(offsets, np.int64, len(column) + 1, column.offset * 8).tolist()
    texts = memoryview(content or b"")
    return [str(texts[start:end], "utf-8") for start, end in pairwise(ends)]


def column_values(column: Any) -> Array:
    """Return the numbers of a column of a table; those of nulls may be anything."""
    return _numbers(column.combine_chunks())


def _numbers(column: Any) -> Array:
    dtype = np.dtype(column.type.to_pandas_dtype())
    if len(column) == 0:
        return np.empty(0, dtype)
    offset = column.offset * dtype.itemsize
    return np.frombuffer(column.buffers()[1], dtype, len(column), offset)


def _unpacked(column: Any) -> Array:
    # pyarrow's own conversion asks for one bit at a time, which takes as long as decoding scores.
    packed = np.frombuffer(column.buffers()[1], np.uint8)[column.offset // 8 :]
    skipped = column.offset % 8
    bits = np.unpackbits(packed, count=skipped + len(column), bitorder="little")
    return bits[skipped:].view(np.bool_)
