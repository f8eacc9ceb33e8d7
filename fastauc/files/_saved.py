"""Saved jobs and states: files that are replaced atomically, and their content."""

import errno
import hashlib
import json
import os
from collections.abc import Sequence
from itertools import chain
from typing import Any, NamedTuple

from fastauc._counts.result_table import created_beside, is_device, replacing
from fastauc._state_format import MAGIC, Kind, Parts, broken, field, packed, padded, unpack
from fastauc._validation.errors import DataError
from fastauc.files._opening import Fingerprint, Source, differ, refusing
from fastauc.files._sources import Path, form_of
from fastauc.streaming import ScoreHistogram


def save(path: str, kind: Kind, header: dict[str, Any], states: Sequence[bytes]) -> None:
    """Write a file atomically: after an interruption, it has either the old or the new content."""
    described = json.dumps(header, sort_keys=True).encode()
    fields = [*_sized(described), field(len(states)), *chain(*map(_sized, states))]
    check_regular(path)
    with refusing(f"{path}: cannot be written", OSError):
        with replacing(path) as file:
            file.writelines(packed(kind, fields))
        if os.name == "posix":  # the new name is on the disk only when its folder is
            folder = os.open(os.path.dirname(os.path.realpath(path)), os.O_RDONLY)
            try:
                os.fsync(folder)
            finally:
                os.close(folder)


def check_writable(path: Path) -> None:
    """Refuse a path to which no file can be written, before there is anything to write."""
    name = os.fspath(path)
    with refusing(f"{name}: cannot be written", OSError):
        if os.path.isdir(name):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        with created_beside(os.path.realpath(name)):
            pass


def check_regular(path: str) -> None:
    """Refuse devices and pipes: reading one may never end, and writing would replace it."""
    if is_device(path):
        raise DataError(f"{path}: this is not a regular file")


def _sized(content: bytes) -> list[Parts]:
    return [field(len(content)), padded([content])]


def read_saved(path: str, kind: Kind) -> tuple[dict[str, Any], list[memoryview]]:
    """Return the header and the states of a file that ``save`` has written, as views of bytes."""
    check_regular(path)
    with refusing(path, OSError), open(path, "rb") as file:
        content = file.read(len(MAGIC))
        if content == MAGIC:  # any other file may be of any size
            file.seek(0)
            content = file.read()
    fields = unpack(kind, content, "read_saved")
    described = fields.view("the description", fields.integer("the size of the description"))
    try:
        header = json.loads(bytes(described))
    except (ValueError, RecursionError) as error:
        raise broken(f"its description: {error}") from None
    if not isinstance(header, dict):
        raise broken("its description is not a JSON object")
    # A forged number is refused at the first state that is missing.
    n = min(fields.integer("the number of states"), 2**32)
    states = [fields.view("a state", fields.integer("the size of a state")) for _ in range(n)]
    fields.end()
    return header, states


INPUT = (str, int, int, str)  # a file's path, size, time of change and digest
_SHAPE = {
    "columns": {"label": str, "weight": str | None, "scores": [str]},
    "positive": bool | int | float | str,
    "n_rows": int,
    "n_pos": int,
    "inputs": [INPUT],
}


def inputs_of(files: Sequence[Source], fingerprints: Sequence[Fingerprint]) -> list[list[Any]]:
    names = [source.shown if source.is_once else source.path for source in files]
    return [[name, *known] for name, known in zip(names, fingerprints, strict=True)]


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
    histograms = [histogram.to_bytes() for histogram in states.histograms]
    save(os.fspath(path), Kind.SCORES, header, histograms)


def load_states(path: Path) -> ScoreStates:
    name = os.fspath(path)
    with refusing(f"{name}: cannot be read", KeyError, TypeError, ValueError):
        header, saved = read_saved(name, Kind.SCORES)
        states = ScoreStates(**header, histograms=tuple(map(ScoreHistogram.from_bytes, saved)))
        _check(states)
    return states


def _check(states: ScoreStates) -> None:
    if not matches(states._asdict(), _SHAPE):
        raise broken("its description is invalid")
    weighted, n_scores = states.columns["weight"] is not None, len(states.columns["scores"])
    check_counts(states.histograms, n_scores, weighted, states.n_rows, states.n_pos)


def check_counts(
    histograms: Sequence[ScoreHistogram], n_scores: int, weighted: bool, n_rows: int, n_pos: int
) -> None:
    """Refuse histograms that are not of one column each, of so many rows and positives."""
    fits = len(histograms) == n_scores > 0
    if not fits or any(histogram.weighted != weighted for histogram in histograms):
        raise broken("its columns do not match its states")
    n_neg = n_rows - n_pos
    if min(n_pos, n_neg) < 0:
        raise broken(f"it has {n_pos} positives in {n_rows} rows")
    counts = {(each.n_rows, each.n_neg, each.n_pos) for each in histograms}
    (found,) = counts if len(counts) == 1 else [(-1, 0, 0)]
    # Of weighted rows only those of weight 0 are in no bin; a class without rows has no weight.
    has_classes = (n_neg > 0 or found[1] == 0) and (n_pos > 0 or found[2] == 0)
    is_possible = 0 <= found[0] <= n_rows and has_classes
    if not (is_possible if weighted else found == (n_rows, n_neg, n_pos)):
        raise broken("its counts of rows differ")


def _counts_of(states: ScoreStates) -> bytes:
    """Return a hash of all counts."""
    counts = [histogram.to_bytes() for histogram in states.histograms]
    return hashlib.sha256(b"".join(counts)).digest()


def _forms_of(states: ScoreStates) -> set[str]:
    return {form_of(shown) for shown, *_ in states.inputs}


def _in_words(value: Any) -> str:
    """Return one name or several, or a label."""
    several = value if isinstance(value, list) else [value]
    return "none" if value is None else " and ".join(map(repr, several))


def merge_all(paths: Sequence[Path]) -> ScoreStates:
    """Read files of states with the same columns, and merge them; none may count a file twice."""
    first, *others = [os.fspath(path) for path in paths]
    merged = load_states(first)
    known = {_counts_of(merged): (first, _forms_of(merged))}
    for path in others:
        more = load_states(path)
        for name, before, now in [
            ("label", merged.columns["label"], more.columns["label"]),
            ("weight", merged.columns["weight"], more.columns["weight"]),
            ("score", merged.columns["scores"], more.columns["scores"]),
            ("positive label", merged.positive, more.positive),
        ]:
            if before != now:
                shown, expected = (_in_words(each) for each in (now, before))
                raise DataError(
                    f"{path}: its {name} is {shown}; expected {expected}, as in {first}"
                )
        counted = {(size, digest): shown for shown, size, _, digest in merged.inputs}
        for shown, size, _, digest in more.inputs:
            other = counted.get((size, digest))
            if other is not None and not differ(shown, other):
                same = "" if shown == other else f", as {other}, which holds the same bytes"
                raise DataError(
                    f"{path}: its file {shown} is also in another state{same}; expected each file "
                    "once"
                )
        other, forms = known.setdefault(_counts_of(more), (path, _forms_of(more)))
        if forms.isdisjoint(_forms_of(more)):
            raise DataError(
                f"{path}: it counted the same rows as {other}, of files in another form; expected "
                "each file once"
            )
        with refusing(path, OverflowError, ValueError):
            for histogram, other in zip(merged.histograms, more.histograms, strict=True):
                histogram.merge(other)
        merged = merged._replace(
            n_rows=merged.n_rows + more.n_rows,
            n_pos=merged.n_pos + more.n_pos,
            inputs=merged.inputs + more.inputs,
        )
    return merged
