"""The histograms of files scored in parts, written by each part and merged later."""

import os
from collections.abc import Sequence
from functools import reduce
from typing import Any, NamedTuple

from fastauc._streaming.histogram import ScoreHistogram
from fastauc._streaming.state_format import Kind
from fastauc._validation.errors import CorruptStateError
from fastauc.files.saved import read_saved, save
from fastauc.files.sources import DataError, Path

__all__ = ["ScoreStates", "load_states", "merge_all", "write_states"]

_INPUT = [str, int, int, str]  # a file's path, size, time of change and digest


class ScoreStates(NamedTuple):
    """What is known of some files after one pass.

    Attributes
    ----------
    columns : dict
        The names of the columns: ``label``, ``weight`` (or None) and ``scores``.
    positive : int, float, bool or str
        The label of the positives.
    n_rows, n_pos : int
        Rows, and positives among them.
    inputs : list of list
        Of each file its path, size, time of change and digest.
    histograms : tuple of ScoreHistogram
        One for each column of scores.
    """

    columns: dict[str, Any]
    positive: Any
    n_rows: int
    n_pos: int
    inputs: list[list[Any]]
    histograms: tuple[ScoreHistogram, ...]


def write_states(path: Path, states: ScoreStates) -> None:
    """Write a file, whole or not at all."""
    header = states._asdict()
    del header["histograms"]
    histograms = [histogram._state() for histogram in states.histograms]
    save(os.fspath(path), Kind.SCORES, header, histograms)


def load_states(path: Path) -> ScoreStates:
    """Read a file that ``write_states`` has written.

    Raises
    ------
    DataError
        If it cannot be opened, is damaged, or is another kind of file.
    """
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
    if not _is_described(states):
        raise CorruptStateError("The state is broken: its columns or files are not described.")
    weighted = states.columns["weight"] is not None
    fits = len(states.histograms) == len(states.columns["scores"]) > 0
    if not fits or any(histogram.weighted != weighted for histogram in states.histograms):
        raise CorruptStateError("The state is broken: its columns are not those of its states.")
    if not 0 <= states.n_pos <= states.n_rows:
        raise CorruptStateError(
            f"The state is broken: it has {states.n_pos} positives in {states.n_rows} rows."
        )
    for histogram in states.histograms:
        if not weighted and (histogram.n_pos, histogram.n_rows) != (states.n_pos, states.n_rows):
            raise CorruptStateError("The state is broken: its counts of rows differ.")


def _is_described(states: ScoreStates) -> bool:
    """Tell whether all fields but the histograms are of their types: anybody can write them."""
    columns, inputs = states.columns, states.inputs
    if not (isinstance(columns, dict) and columns.keys() == {"label", "weight", "scores"}):
        return False
    if not (isinstance(columns["scores"], list) and isinstance(inputs, list)):
        return False
    names = [columns["label"], *columns["scores"]]
    if columns["weight"] is not None:
        names.append(columns["weight"])
    return (
        all(isinstance(name, str) for name in names)
        and isinstance(states.positive, (bool, int, float, str))
        and all(type(count) is int for count in (states.n_rows, states.n_pos))
        and all(isinstance(each, list) and list(map(type, each)) == _INPUT for each in inputs)
    )


def merge_all(paths: Sequence[Path]) -> ScoreStates:
    """Read files of states and return what they know together.

    Raises
    ------
    DataError
        For files of other columns, and for states that have counted the same file.
    """
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
            raise DataError(f"{path}: its file {each[0]} is in another state; it would count twice")
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
