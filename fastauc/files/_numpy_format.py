"""Columns of .npy and .npz files, read by NumPy alone; nothing is unpickled."""

import os
import zipfile
from collections.abc import Iterator
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from fastauc._validation.errors import DataError
from fastauc.files._columns import Array, Piece, Request, Rows, check_names
from fastauc.files._opening import Source, decoding

_WINDOW_BYTES = 1 << 22  # of rows read at a time: they stay in the cache for any chunk size


class _Layout(NamedTuple):
    shape: tuple[int, ...]
    fortran_order: bool
    dtype: np.dtype[Any]
    offset: int


def _select(rows: Array, source: Source, request: Request) -> dict[str, Array]:
    if rows.dtype.names:
        check_names(source, request.columns, rows.dtype.names)
        return {name: rows[name] for name in request.columns}
    if rows.ndim == 2:
        check_names(source, request.columns, [str(column) for column in range(rows.shape[1])])
        return {name: rows[:, int(name)] for name in request.columns}
    raise DataError(f"{source.shown}: one array of shape {rows.shape}; expected columns")


def _check_arrays(arrays: dict[str, Array], source: Source, request: Request) -> None:
    first = request.columns[0]
    for name, values in arrays.items():
        if values.dtype.kind not in ("biuf" if name in request.numeric else "biufU"):
            raise Rows(source, name, 0, request).wrong_type(values.dtype)
        if values.shape != arrays[first].shape[:1]:
            raise DataError(
                f"{source.shown}: column {name!r} has shape {values.shape} and {first!r} "
                f"{arrays[first].shape}; expected one dimension and equal lengths"
            )


def npz_pieces(source: Source, request: Request, start: int) -> Iterator[Piece]:
    """Yield an archive as one piece, because its arrays cannot be read in parts."""
    yield Piece(0, partial(_read_npz, source, request))


def _read_npz(source: Source, request: Request) -> Iterator[dict[str, Array]]:
    # NumPy leaks the handle of a damaged archive that is given by name.
    with decoding(source), open(source.path, "rb") as file, np.lib.npyio.NpzFile(file) as loaded:
        check_names(source, request.columns, loaded.files)
        arrays = {name: np.asarray(loaded[name]) for name in request.columns}
    _check_arrays(arrays, source, request)
    for start in range(0, len(arrays[request.columns[0]]), request.batch_rows):
        yield {name: arrays[name][start : start + request.batch_rows] for name in arrays}


def npy_pieces(source: Source, request: Request, start: int) -> Iterator[Piece]:
    """Yield the rows of an .npy file from ``start``."""
    with decoding(source):
        layout = _layout(source)
    yield Piece(start, partial(_read_npy, source, request, layout, start))


def _read_npy(
    source: Source, request: Request, layout: _Layout, start: int
) -> Iterator[dict[str, Array]]:
    # Not memory-mapped: truncating the file while it is read would kill the process, and an address
    # space smaller than the file could not hold it.
    rows = np.broadcast_to(np.zeros((), layout.dtype), layout.shape)  # of the same form
    _check_arrays(_select(rows, source, request), source, request)
    n_rows, shape = layout.shape[0], layout.shape[1:]
    row_bytes = layout.dtype.itemsize * int(np.prod(shape))
    step = max(1, min(request.batch_rows, _WINDOW_BYTES // max(1, row_bytes)))
    by_column = layout.fortran_order and len(layout.shape) == 2
    with decoding(source), open(source.path, "rb") as file:
        for row in range(start, n_rows, step):
            n = min(step, n_rows - row)
            if by_column:
                size = layout.dtype.itemsize
                places = {name: (int(name) * n_rows + row) * size for name in request.columns}
                yield {name: _window(file, layout, at, n) for name, at in places.items()}
            else:
                window = _window(file, layout, row * row_bytes, n * int(np.prod(shape)))
                yield _select(window.reshape(n, *shape), source, request)


def _window(file: Any, layout: _Layout, place: int, n_values: int) -> Array:
    file.seek(layout.offset + place)
    values = np.fromfile(file, layout.dtype, n_values)
    if len(values) != n_values:
        raise ValueError("the file was truncated while it was read")
    return values


def most_rows(source: Source, n_columns: int) -> int:
    """Return how many rows there are at most: a value in an archive takes up a byte or more."""
    try:
        with zipfile.ZipFile(source.path) as archive:
            return max((member.file_size for member in archive.infolist()), default=0)
    except (OSError, ValueError, zipfile.BadZipFile, NotImplementedError):
        return 0  # reading it will report the error


def count(source: Source) -> int:
    with decoding(source):
        return _layout(source).shape[0]


def _layout(source: Source) -> _Layout:
    """Read the header of an .npy file, and check that the file has the length it states."""
    with open(source.path, "rb") as file:
        version = np.lib.format.read_magic(file)
        if version == (1, 0):
            shape, fortran_order, dtype = np.lib.format.read_array_header_1_0(file)
        elif version == (2, 0):
            shape, fortran_order, dtype = np.lib.format.read_array_header_2_0(file)
        else:  # NumPy has no public reader of the header with names beyond Latin-1
            mapped = np.load(source.path, mmap_mode="r", allow_pickle=False)
            shape, fortran_order, dtype = mapped.shape, mapped.flags.fnc, mapped.dtype
            file.seek(mapped.offset)
        if dtype.hasobject:
            raise ValueError("Object arrays cannot be loaded when allow_pickle=False")
        layout = _Layout(shape, fortran_order, dtype, file.tell())
        n_bytes = dtype.itemsize
        for length in shape:
            n_bytes *= length
        held = os.fstat(file.fileno()).st_size - layout.offset
        if len(shape) == 0 or min(shape) < 0 or n_bytes > held:
            raise ValueError(f"the header says shape {shape} of {dtype}; {held} bytes follow")
    return layout
