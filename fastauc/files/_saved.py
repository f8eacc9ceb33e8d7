"""Saved jobs and states: files that are replaced atomically, and their content."""

import contextlib
import errno
import json
import os
from collections.abc import Sequence
from functools import reduce
from itertools import chain
from typing import Any, NamedTuple

from fastauc._counts.result_table import replacing
from fastauc._validation.errors import CorruptStateError, DataError
from fastauc.files._opening import Fingerprint, Source
from fastauc.files._sources import Path
from fastauc.streaming._histogram import ScoreHistogram, state_of
from fastauc.streaming._state_format import (
    COUNT,
    MAGIC,
    Fields,
    Kind,
    Parts,
    broken,
    field,
    packed,
    padded,
    size_of,
    unpack,
)


class Saved(NamedTuple):
    """The content of a file: an object of plain values, and states, as views of its bytes."""

    header: dict[str, Any]
    blobs: tuple[memoryview, ...]


def save(path: str, kind: Kind, header: dict[str, Any], states: Sequence[Parts]) -> None:
    """Write a file atomically: after an interruption, it has either the old or the new content."""
    described = json.dumps(header, sort_keys=True).encode()
    fields = [*_sized([described]), field(len(states), COUNT), *chain(*map(_sized, states))]
    _check_regular(path)
    fresh = f"{path}.new"  # always the same name: a killed process leaves at most this file
    try:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(fresh)
        with replacing(path, fresh) as file:
            file.writelines(packed(kind, fields))
        _sync_folder(path)
    except OSError as error:
        raise DataError(f"{path}: cannot be written: {error.strerror}") from error


def check_writable(path: Path) -> None:
    """Refuse a path to which no file can be written, before there is anything to write."""
    name = os.fspath(path)
    _check_regular(name)
    try:
        if os.path.isdir(name):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        with open(f"{name}.new", "wb"):
            pass
        os.unlink(f"{name}.new")
    except OSError as error:
        raise DataError(f"{name}: cannot be written: {error.strerror}") from error


def _check_regular(path: str) -> None:
    """Refuse devices and pipes: reading one may never end, and writing would replace it."""
    if os.path.exists(path) and not (os.path.isfile(path) or os.path.isdir(path)):
        raise DataError(f"{path}: this is not a regular file")


def _sized(content: Parts) -> list[Parts]:
    return [field(size_of(content), COUNT), padded(content)]


def _sync_folder(path: str) -> None:
    # The new name is on the disk only when its folder is. Windows has no such call.
    if os.name == "posix":
        folder = os.open(os.path.dirname(os.path.abspath(path)), os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


def read_saved(path: str, kind: Kind) -> Saved:
    """Read a file that ``save`` has written."""
    _check_regular(path)
    try:
        with open(path, "rb") as file:
            content = file.read(len(MAGIC))
            if content == MAGIC:  # any other file may be of any size
                file.seek(0)
                content = file.read()
    except OSError as error:
        raise DataError(f"{path}: {error.strerror}") from error
    fields = unpack(kind, content, "read_saved")
    header = _read_header(fields)
    blobs = [_read_sized(fields, "a state") for _ in _counted(fields, "the number of states")]
    fields.end()
    return Saved(header, tuple(blobs))


def _read_header(fields: Fields) -> dict[str, Any]:
    try:
        header = json.loads(bytes(_read_sized(fields, "the description")))
    except (ValueError, RecursionError) as error:
        raise broken(f"its description: {error}") from None
    if not isinstance(header, dict):
        raise broken("its description is not a JSON object")
    return header


def _read_sized(fields: Fields, name: str) -> memoryview:
    n_bytes = fields.integer(f"the size of {name}")
    return fields.view(name, n_bytes)


def _counted(fields: Fields, name: str) -> Sequence[int]:
    # Each state has at least a size field, so a forged number is refused at the first missing one.
    return range(min(fields.integer(name), 2**32))


INPUT = (str, int, int, str)  # a file's path, size, time of change and digest
_SHAPE = {
    "columns": {"label": str, "weight": str | None, "scores": [str]},
    "positive": bool | int | float | str,
    "n_rows": int,
    "n_pos": int,
    "inputs": [INPUT],
}


def inputs_of(files: Sequence[Source], fingerprints: Sequence[Fingerprint]) -> list[list[Any]]:
    return [[source.path, *known] for source, known in zip(files, fingerprints, strict=True)]


def matches(value: Any, shape: Any) -> bool:
    """Tell whether a value of JSON has a shape.

    That is a type, a list with the shape of all elements, a tuple with that of each, or a dict.
    """
    if isinstance(shape, list):
        return isinstance(value, list) and all(matches(each, shape[0]) for each in value)
    if isinstance(shape, tuple):
        is_as_long = isinstance(value, list) and len(value) == len(shape)
        return is_as_long and all(map(matches, value, shape))
    if isinstance(shape, dict):
        has_names = isinstance(value, dict) and value.keys() >= shape.keys()
        return has_names and all(matches(value[name], each) for name, each in shape.items())
    return isinstance(value, shape)


class ScoreStates(NamedTuple):
    """What is known about some files after one pass, with a histogram for each column of scores.

    ``columns`` has the names of the columns: ``label``, ``weight`` (or None) and ``scores``.
    """

    columns: dict[str, Any]
    positive: Any
    n_rows: int
    n_pos: int
    inputs: list[list[Any]]
    histograms: tuple[ScoreHistogram, ...]


def write_states(path: Path, states: ScoreStates) -> None:
    """Write a file atomically."""
    header = states._asdict()
    del header["histograms"]
    histograms = [state_of(histogram) for histogram in states.histograms]
    save(os.fspath(path), Kind.SCORES, header, histograms)


def load_states(path: Path) -> ScoreStates:
    name = os.fspath(path)
    try:
        saved = read_saved(name, Kind.SCORES)
        histograms = tuple(map(ScoreHistogram.from_bytes, saved.blobs))
        states = ScoreStates(**saved.header, histograms=histograms)
        _check(states)
    except (CorruptStateError, KeyError, TypeError, ValueError) as error:
        if isinstance(error, DataError):
            raise
        raise DataError(f"{name}: cannot be read: {error}") from error
    return states


def _check(states: ScoreStates) -> None:
    if not matches(states._asdict(), _SHAPE):
        raise broken("its description is invalid")
    weighted = states.columns["weight"] is not None
    fits = len(states.histograms) == len(states.columns["scores"]) > 0
    if not fits or any(histogram.weighted != weighted for histogram in states.histograms):
        raise broken("its columns do not match its states")
    if not 0 <= states.n_pos <= states.n_rows:
        raise broken(f"it has {states.n_pos} positives in {states.n_rows} rows")
    for histogram in states.histograms:
        if not weighted and (histogram.n_pos, histogram.n_rows) != (states.n_pos, states.n_rows):
            raise broken("its counts of rows differ")


def merge_all(paths: Sequence[Path]) -> ScoreStates:
    """Read files of states with the same columns, and merge them; none may count a file twice."""
    return reduce(_merge, ((os.fspath(path), load_states(path)) for path in paths))[1]


def _merge(
    merged: tuple[str, ScoreStates], other: tuple[str, ScoreStates]
) -> tuple[str, ScoreStates]:
    first, mine = merged
    path, others = other
    for name, before, now in (
        ("set of columns", mine.columns, others.columns),
        ("positive label", mine.positive, others.positive),
    ):
        if before != now:
            raise DataError(f"{path}: its {name} is {now!r}; expected {before!r}, as in {first}")
    counted = {tuple(each[1:]) for each in mine.inputs}
    for each in others.inputs:
        if tuple(each[1:]) in counted:
            raise DataError(
                f"{path}: its file {each[0]} is also in another state; expected each file once"
            )
    try:
        for mine_histogram, histogram in zip(mine.histograms, others.histograms, strict=True):
            mine_histogram.merge(histogram)
    except (OverflowError, ValueError) as error:
        raise DataError(f"{path}: {error}") from error
    return first, mine._replace(
        n_rows=mine.n_rows + others.n_rows,
        n_pos=mine.n_pos + others.n_pos,
        inputs=mine.inputs + others.inputs,
    )
