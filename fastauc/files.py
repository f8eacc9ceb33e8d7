"""Columns of files as NumPy arrays: only those asked for, every value checked.

CSV, Parquet and Arrow files are decoded by ``pyarrow.dataset``, imported with the first of them;
.npy and .npz files need NumPy alone. Only local files are opened, and nothing is unpickled.
"""

import contextlib
import os
import re
import shutil
import stat
import sys
import tempfile
from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["DataError", "describe", "read_columns"]

Array = NDArray[Any]
Path = str | os.PathLike[str]

_FORMATS = {".csv": "csv", ".parquet": "parquet", ".arrow": "ipc", ".feather": "ipc", ".ipc": "ipc"}
_FORMATS |= {".npy": "numpy", ".npz": "numpy"}
_BATCH_ROWS = 1 << 20
_LISTED_NAMES = 20
_EXACT_IN_FLOAT64 = 2**53
_DIGITS_OF_FLOAT64 = 15  # decimals of so many digits stay distinct, and in order, as doubles


class DataError(ValueError):
    """A file does not hold what was asked of it; the text is one sentence for its owner."""


class _Source(NamedTuple):
    path: str
    shown: str
    format: str


class _Request(NamedTuple):
    columns: tuple[str, ...]
    numeric: Collection[str]
    progress: Callable[[int], object]
    use_threads: bool


def describe(paths: Sequence[Path]) -> str:
    """Return how a sentence names a set of files."""
    first = "standard input" if paths[0] == "-" else os.fspath(paths[0])
    return first if len(paths) == 1 else f"{first} and {len(paths) - 1} more"


def read_columns(
    paths: Sequence[Path],
    columns: Collection[str],
    *,
    numeric: Collection[str] = (),
    nonnegative: Collection[str] = (),
    progress: Callable[[int], object] | None = None,
    use_threads: bool = True,
) -> dict[str, Array]:
    """Read columns of files that are parts of one table; their rows follow each other.

    Parameters
    ----------
    paths : sequence of str or path
        CSV (.csv), Parquet (.parquet), Arrow (.arrow, .feather, .ipc) or NumPy files (.npy: the
        fields of a structured array, or the columns "0", "1", … of a matrix; .npz: one array a
        column); "-" is CSV on standard input.
    columns : collection of str
        The columns to read. No other column is decoded.
    numeric, nonnegative : collection of str
        Those columns that must hold numbers, not text; and those that must be 0 or more.
    progress : callable, optional
        Called with a number of rows when so many more have been read.
    use_threads : bool
        Whether pyarrow may decode on several threads.

    Returns
    -------
    dict of str to ndarray
        One array a column, equally long and not empty. Numbers are finite; text is ``str``.

    Raises
    ------
    DataError
        For a file that cannot be read, a column that is missing or of a wrong type, types that
        differ between the files, nulls, NaN, infinities, forbidden negatives, and for no rows.
        Rows are counted from 1 in each file, without the header.
    """
    if sum(path == "-" for path in paths) > 1:
        raise DataError("standard input can be read only once")
    names = tuple(dict.fromkeys(columns))
    request = _Request(names, numeric, progress or (lambda n_rows: None), use_threads)
    parts: dict[str, list[tuple[str, Array]]] = {name: [] for name in names}
    for path in paths:
        with _located(os.fspath(path)) as source:
            read = _read_numpy if source.format == "numpy" else _read_arrow
            for name, values in read(source, request).items():
                if len(values) == 0:
                    continue
                if name in numeric and _kind(values) == "text":
                    raise _wrong_type(source, name, "text", request)
                _check_numbers(values, source, name, name in nonnegative)
                parts[name].append((source.shown, values))
    if not parts[names[0]]:
        raise DataError(f"{describe(paths)}: there are no rows")
    return {name: _join(name, parts.pop(name)) for name in names}


@contextlib.contextmanager
def _located(path: str) -> Iterator[_Source]:
    if path == "-":
        # On disk it can be read again, which a late change of a column's type makes necessary.
        with tempfile.TemporaryDirectory("fastauc", ignore_cleanup_errors=True) as folder:
            spooled = _Source(os.path.join(folder, "input.csv"), "standard input", "csv")
            with open(spooled.path, "wb") as copy:
                shutil.copyfileobj(sys.stdin.buffer, copy)
                if copy.tell() == 0:
                    raise DataError("standard input: there is nothing in it")
            yield spooled
        return
    if re.match(r"[A-Za-z][A-Za-z0-9+.-]*://", path):
        raise DataError(f"{path}: URLs are not opened; expected a local file")
    try:
        status = os.stat(path)
        if stat.S_ISREG(status.st_mode):
            open(path, "rb").close()  # fails if reading is not permitted
    except (OSError, ValueError) as error:
        raise DataError(f"{path}: {getattr(error, 'strerror', error)}") from error
    if not stat.S_ISREG(status.st_mode):
        kind = "a directory" if stat.S_ISDIR(status.st_mode) else "not a regular file"
        raise DataError(f"{path}: this is {kind}; expected a file (- is CSV on standard input)")
    file_format = _FORMATS.get(os.path.splitext(path)[1].lower())
    if file_format is None:
        raise DataError(f"{path}: unknown format; expected a name ending in {', '.join(_FORMATS)}")
    if status.st_size == 0:
        raise DataError(f"{path}: the file is empty")
    # pyarrow refuses a relative path that looks like a URL, such as "s3:scores.csv".
    yield _Source(os.path.abspath(path), path, file_format)


@contextlib.contextmanager
def _decoding(source: _Source) -> Iterator[None]:
    try:
        yield
    except (DataError, MemoryError):
        raise
    except Exception as error:  # the decoders' errors for damaged files have no common class
        reason = str(error).split(f"input source '{source.path}': ")[-1].removeprefix("Invalid: ")
        reason = reason or type(error).__name__
        raise DataError(f"{source.shown}: cannot be read: {reason}") from error


def _check_names(source: _Source, columns: Sequence[str], present: Sequence[str]) -> None:
    for name in columns:
        if name not in present:
            listed = ", ".join(map(repr, present[:_LISTED_NAMES])) or "no columns"
            more = ", ..." if len(present) > _LISTED_NAMES else ""
            raise DataError(f"{source.shown}: no column {name!r}; there are {listed}{more}")


def _wrong_type(source: _Source, name: str, found: object, request: _Request) -> DataError:
    expected = "numbers" if name in request.numeric else "numbers, text or booleans"
    return DataError(f"{source.shown}: column {name!r} has type {found}; expected {expected}")


def _wrong_value(source: _Source, name: str, row: int, found: str, expected: str) -> DataError:
    return DataError(f"{source.shown}: column {name!r}, row {row + 1} is {found}; {expected}")


def _check_numbers(values: Array, source: _Source, name: str, nonnegative: bool) -> None:
    if values.dtype.kind == "f":
        finite = np.isfinite(values)
        if not finite.all():
            row = int(np.argmin(finite))
            raise _wrong_value(source, name, row, str(values[row]), "expected finite numbers")
    if nonnegative and (values < 0).any():
        row = int(np.argmax(values < 0))
        raise _wrong_value(source, name, row, str(values[row]), "expected 0 or more")


def _kind(values: Array) -> str:
    if values.dtype.kind == "b":
        return "booleans"
    is_text = values.dtype.kind == "U" or isinstance(values[0], str)
    return "text" if is_text else "numbers"


def _join(name: str, parts: list[tuple[str, Array]]) -> Array:
    first_file, first = parts[0]
    if len(parts) == 1:
        return first
    common = np.result_type(*(values.dtype for _, values in parts))
    for file, values in parts:
        if _kind(values) != _kind(first):
            raise DataError(
                f"{file}: column {name!r} holds {_kind(values)}, but {_kind(first)} in "
                f"{first_file}; expected the same in every file"
            )
        rounds = common == np.float64 and values.dtype.kind in "iu"
        if rounds and max(-int(values.min()), int(values.max())) > _EXACT_IN_FLOAT64:
            raise DataError(
                f"{file}: column {name!r} holds integers beyond 2**53, and other types in other "
                "files; expected the same in every file"
            )
    return np.concatenate([values for _, values in parts])


def _read_numpy(source: _Source, request: _Request) -> dict[str, Array]:
    columns = request.columns
    with _decoding(source), open(source.path, "rb") as file:
        # NumPy maps a file by its name; of a damaged archive given by name, it loses the handle.
        is_archive = file.read(2) == b"PK"
        file.seek(0)
        opened = file if is_archive else source.path
        loaded = np.load(opened, mmap_mode="r", allow_pickle=False)
        if isinstance(loaded, np.lib.npyio.NpzFile):
            with loaded:
                _check_names(source, columns, loaded.files)
                arrays = {name: np.asarray(loaded[name]) for name in columns}
        elif loaded.dtype.names:
            _check_names(source, columns, loaded.dtype.names)
            arrays = {name: loaded[name] for name in columns}
        elif loaded.ndim == 2:
            _check_names(source, columns, [str(column) for column in range(loaded.shape[1])])
            arrays = {name: loaded[:, int(name)] for name in columns}
        else:
            raise DataError(f"{source.shown}: one array of shape {loaded.shape}; expected columns")
    for name, values in arrays.items():
        if values.dtype.kind not in ("biuf" if name in request.numeric else "biufU"):
            raise _wrong_type(source, name, values.dtype, request)
        if values.shape != arrays[columns[0]].shape[:1]:
            raise DataError(
                f"{source.shown}: column {name!r} has shape {values.shape} and {columns[0]!r} "
                f"{arrays[columns[0]].shape}; expected one dimension and equal lengths"
            )
    request.progress(len(arrays[columns[0]]))
    return arrays


def _read_arrow(source: _Source, request: _Request) -> dict[str, Array]:
    pa = _pyarrow(source)
    is_csv = source.format == "csv"
    with _decoding(source):
        schema = _open_dataset(source, {}).schema
        _check_names(source, request.columns, schema.names)
        types = {name: schema.field(name).type for name in request.columns}
        for name, found in types.items():
            if is_csv and pa.types.is_temporal(found):
                types[name] = pa.string()  # a label that looks like a date
            elif not _is_readable(found, pa, text=is_csv or name not in request.numeric):
                raise _wrong_type(source, name, found, request)
        if not is_csv:
            return _scan(source, {}, request)
        try:
            return _scan(source, types, request)
        except pa.ArrowInvalid:
            # The types are those of the first megabyte; a later value may need a wider one.
            types = {name: _widened(source, name, types[name]) for name in types}
            return _scan(source, types, request)


def _pyarrow(source: _Source) -> Any:
    try:
        import pyarrow as pa
        import pyarrow.csv
        import pyarrow.dataset
        import pyarrow.fs
    except ImportError as error:
        raise DataError(
            f"{source.shown}: this format needs pyarrow; install it with pip install 'fastauc[cli]'"
        ) from error
    return pa


def _open_dataset(source: _Source, types: dict[str, Any]) -> Any:
    pa = _pyarrow(source)
    file_format = source.format
    if file_format == "csv":
        convert = pa.csv.ConvertOptions(column_types=types, strings_can_be_null=True)
        options = pa.dataset.CsvFragmentScanOptions(convert_options=convert)
        file_format = pa.dataset.CsvFileFormat(default_fragment_scan_options=options)
    local = pa.fs.LocalFileSystem()
    return pa.dataset.dataset(source.path, format=file_format, filesystem=local)


def _batches(source: _Source, types: dict[str, Any], columns: Sequence[str], threads: bool) -> Any:
    dataset = _open_dataset(source, types)
    scanner = dataset.scanner(columns=list(columns), batch_size=_BATCH_ROWS, use_threads=threads)
    return scanner.to_batches()


def _widened(source: _Source, name: str, inferred: Any) -> Any:
    pa = _pyarrow(source)
    for candidate in (inferred, pa.float64()):
        with contextlib.suppress(pa.ArrowInvalid):
            for _ in _batches(source, {name: candidate}, [name], threads=True):
                pass
            return candidate
    return pa.string()


def _is_text(found: Any, pa: Any) -> bool:
    return found in (pa.string(), pa.large_string(), pa.string_view())


def _is_readable(found: Any, pa: Any, *, text: bool) -> bool:
    if pa.types.is_dictionary(found):
        found = found.value_type
    numbers = (pa.types.is_integer, pa.types.is_floating, pa.types.is_decimal)
    others = (pa.types.is_boolean, pa.types.is_null)
    return any(check(found) for check in (*numbers, *others)) or (text and _is_text(found, pa))


def _scan(source: _Source, types: dict[str, Any], request: _Request) -> dict[str, Array]:
    chunks: dict[str, list[Array]] = {name: [] for name in request.columns}
    n_rows = 0
    for batch in _batches(source, types, request.columns, request.use_threads):
        for name in request.columns:
            column = batch.column(name)
            chunks[name].append(_to_numpy(column, source, name, n_rows, name in request.numeric))
        n_rows += batch.num_rows
        request.progress(batch.num_rows)
    return {name: np.concatenate(chunks.pop(name) or [np.empty(0)]) for name in request.columns}


def _to_numpy(column: Any, source: _Source, name: str, start: int, numeric: bool) -> Array:
    pa = _pyarrow(source)
    if pa.types.is_dictionary(column.type):
        column = column.dictionary_decode()
    if column.null_count:
        row = start + int(np.argmax(column.is_null().to_numpy(zero_copy_only=False)))
        raise _wrong_value(source, name, row, "null", "expected a value in every row")
    if _is_text(column.type, pa):
        if numeric:
            # Numbers to Python, though not to Arrow, are left for the check of the whole column.
            _check_spelling(column.to_pylist(), source, name, start)
        coded = column.cast(pa.large_string()).dictionary_encode()
        column = np.array(coded.dictionary.to_pylist(), dtype=object)[coded.indices.to_numpy()]
        return np.asarray(column)
    if pa.types.is_decimal(column.type) and column.type.precision <= _DIGITS_OF_FLOAT64:
        column = column.cast(pa.float64())
    return np.asarray(column.to_numpy(zero_copy_only=False))


def _check_spelling(texts: list[str], source: _Source, name: str, start: int) -> None:
    for row, text in enumerate(texts, start):
        try:
            float(text)
        except ValueError:
            raise _wrong_value(source, name, row, repr(text), "expected a number") from None
