"""What the command line prints and writes: tables, JSON, warnings, a progress bar, files."""

import contextlib
import json
import math
import os
import sys
import warnings
from collections.abc import Callable, Collection, Iterable, Iterator
from typing import IO, Any, NamedTuple

import numpy as np

from fastauc._counts.result_table import ResultTable, csv_blocks, replacing
from fastauc._rows import Counts, Part, note_of_reversal
from fastauc._tables import padded
from fastauc.files import ColumnScore, DataError, Progress, ScoringInterrupted, Source
from fastauc.files._sources import import_pyarrow
from fastauc.reports._html import page, paragraph, section
from fastauc.reports._tables import gains_table
from fastauc.streaming import ScoreInterval

_FIGURES = {"auc": "roc_auc", "gini": "gini", "average_precision": "average_precision", "ks": "ks"}
# What warnings of a missing class begin with.
_ONE_CLASS = ("No negative samples", "No positive samples", "No positive class", "Only one class")


def _figures(result: ColumnScore) -> dict[str, ScoreInterval]:
    return {title: getattr(result, name) for title, name in _FIGURES.items()}


def _counts(result: ColumnScore) -> dict[str, Any]:
    dropped = {} if result.dropped is None else result.dropped.columns(result.score)
    counts = {"n": result.n, "positives": result.positives} | dropped
    return counts | {"tie_share": result.tie_share}


def undefined_of(result: ColumnScore) -> list[str]:
    """Return the names of the metrics that are NaN."""
    values = {name: each.estimate for name, each in _figures(result).items()} | _counts(result)
    return [name for name, value in values.items() if value is not None and value != value]


def as_json_lines(objects: list[dict[str, Any]]) -> str:
    """Return objects of plain values, one per line; NaN is null, and infinity is a string."""
    return "\n".join(json.dumps(_plain(each), allow_nan=False) for each in objects)


def as_object(result: ColumnScore) -> dict[str, Any]:
    """Return a result as plain values: for files read in passes, all bounds and the passes, too."""
    figures = _figures(result)
    estimates = {name: each.estimate for name, each in figures.items()}
    row = {"score": result.score} | estimates | _counts(result)
    if result.passes:
        for bound in ("lower", "upper", "exact"):
            row[bound] = {name: getattr(each, bound) for name, each in figures.items()}
        row["passes"] = [record._asdict() for record in result.passes]
    return row


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _plain(entry) for key, entry in value.items()}
    if isinstance(value, list):
        return [_plain(entry) for entry in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None if math.isnan(value) else str(value)
    return value


def rows_of(results: list[ColumnScore], *, all_digits: bool = False) -> list[dict[str, Any]]:
    """Return a row for each result, all with the same columns.

    A metric whose bounds differ in the digits shown has columns for them.
    """
    shown = [_figures(result) for result in results]
    wide = {name for each in shown for name in each if _is_wide(each[name], all_digits)}
    rows = []
    for result, figures in zip(results, shown, strict=True):
        row: dict[str, Any] = {"score": result.score}
        for name, interval in figures.items():
            row[name] = interval.estimate
            if name in wide:
                row[f"{name}_lower"], row[f"{name}_upper"] = interval.lower, interval.upper
        rows.append(row | _counts(result))
    if any(result.passes for result in results):
        for row, result in zip(rows, results, strict=True):
            row["passes"] = len(result.passes)
    return rows


def as_tables(tables: list[list[dict[str, Any]]]) -> str:
    """Return tables of rows, with an empty line between two."""
    return "\n\n".join(map(as_rows, tables))


def as_rows(rows: list[dict[str, Any]]) -> str:
    """Return rows with the same columns as a table, the first column aligned to the left."""
    lines = [list(rows[0]), *([_as_cell(value) for value in row.values()] for row in rows)]
    return "\n".join("  ".join(line) for line in padded(lines, n_left=1))


def _as_cell(value: Any) -> str:
    if value is None:
        return "-"
    return f"{value:.6f}" if isinstance(value, float) else str(value)


def _is_wide(interval: ScoreInterval, all_digits: bool) -> bool:
    if all_digits:
        return interval.lower < interval.upper
    return len({f"{bound:.6f}" for bound in interval[:3]}) > 1


def say(kind: str, text: str) -> None:
    """Print one line to standard error, even if a file name or a message contains line breaks."""
    line = " ".join(text.split())
    line = "".join(c if c.isprintable() else ascii(c)[1:-1] for c in line)
    print(f"fastauc: {kind}: {line}", file=sys.stderr)


def say_if_reversed(where: str, score: str, area: ScoreInterval, lower: Collection[str]) -> None:
    """Note that an AUC is below one half: lower scores may be meant to be positive, or not."""
    if note := note_of_reversal(area, score not in lower):
        option = "without" if score in lower else "with"
        advice = f"if this is intended, run the command {option} --lower-is-positive {score}"
        say("note", f"{where}: column {score!r}: {note}; {advice}")


def counts_of(part: Part, score: str) -> Counts:
    """Return the counts of a column of scores, with a note if the scores seem to be reversed."""
    counts = part.counts(score)
    if part.has_both:
        area = counts.roc_auc()
        area = area if isinstance(area, ScoreInterval) else ScoreInterval(area, area, area, True)
        say_if_reversed(part.where, score, area, part.lower_is_positive)
    return counts


@contextlib.contextmanager
def saying_warnings(where: str, column: str, weight: str | None) -> Iterator[None]:
    """Print each warning of a block once; a missing class is reported in terms of the files."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield
    texts = list(dict.fromkeys(str(warning.message) for warning in caught))
    of_classes = [text for text in texts if text.startswith(_ONE_CLASS)]
    if of_classes:
        say(
            "warning",
            f"{where}: column {column!r} holds {only_one_class(weight)}; values that need both are "
            "undefined",
        )
    for text in texts:
        if text not in of_classes:
            say("warning", f"{where}: {text}")


def only_one_class(weight: str | None) -> str:
    """Return the words for labels of which only one class has rows, or positive weight."""
    return "only one class" if weight is None else "only one class with positive weight"


def say_interrupted(interrupted: ScoringInterrupted, scores: list[str]) -> None:
    """Report what was known when files read in passes were interrupted, one line per column."""
    number, n_rows, total, intervals = interrupted.progress
    whole = "" if total is None else f" of {total}"
    place = f"in pass {number} after {n_rows}{whole} rows"
    for name, area in zip(scores, intervals, strict=False):
        of = f"these {n_rows} rows alone" if number == 1 else f"all {total} rows"
        known = f"is {area.estimate!r}" if area.exact else f"from {area.lower!r} to {area.upper!r}"
        say("interrupted", f"{place}: column {name!r}: AUC of {of} {known}")
    if not intervals:
        say("interrupted", f"{place}: the two classes have not both been seen yet")
    if interrupted.checkpoint is not None:
        path = interrupted.checkpoint
        say("interrupted", f"the same command resumes from --checkpoint {path}")


def discard_output() -> None:
    """Drop buffered output: writing it would fail again, visibly, when the interpreter exits."""
    with contextlib.suppress(OSError, ValueError), open(os.devnull, "wb") as nowhere:
        os.dup2(nowhere.fileno(), sys.stdout.fileno())


@contextlib.contextmanager
def progress_bar(quiet: bool) -> Iterator[Callable[[Progress], object] | None]:
    """Show a progress bar on a terminal if tqdm is installed: rows, rate, pass and AUC interval."""
    try:
        from tqdm import tqdm
    except ImportError:
        quiet = True
    if quiet or not sys.stderr.isatty():
        yield None
        return
    with tqdm(unit=" rows", unit_scale=True, miniters=1, leave=False, file=sys.stderr) as bar:
        number = -1

        def show(progress: Progress) -> None:
            nonlocal number
            if progress.pass_number != number:
                number = progress.pass_number
                bar.reset()
                bar.set_description(f"pass {number}" if number else "reading", refresh=False)
            bar.total = progress.total  # from text, it is estimated anew each time
            if progress.intervals:
                shown = (f"{each.lower:.6f}..{each.upper:.6f}" for each in progress.intervals)
                bar.set_postfix_str("auc " + ", ".join(shown), refresh=False)
            bar.update(progress.rows - bar.n)

        yield show


class NamedTable(NamedTuple):
    """A table, the name of its column of scores, and a sentence about it."""

    score: str
    note: str
    table: ResultTable


@contextlib.contextmanager
def writing(path: str) -> Iterator[IO[bytes]]:
    """Open a file that replaces ``path`` when the block ends without an error.

    Raises
    ------
    DataError
        If the file cannot be written; an existing file is left unchanged.
    """
    try:
        with replacing(path) as file:
            yield file
    except OSError as error:
        raise DataError(f"{path}: cannot be written: {error.strerror}") from error


def written_rows(ending: str, tables: list[list[dict[str, Any]]]) -> str:
    """Return the content of a file with this extension: tables, separated by an empty line.

    CSV keeps all digits of a number, and has empty fields for NaN and for missing values.
    """
    if ending == ".txt":
        return as_tables(tables) + "\n"
    is_csv = ending == ".csv"
    shown = []
    for rows in tables:
        missing = None if is_csv else "-"
        lines = [[missing if v is None else v for v in row.values()] for row in rows]
        columns = np.array(lines, object).T
        shown.append(ResultTable(dict(zip(rows[0], columns, strict=True))))
    if is_csv:
        return "\r\n".join("".join(csv_blocks(table)) for table in shown)
    return "\n".join(f"{table.to_markdown()}\n" for table in shown)


def write_tables(path: str, tables: Iterable[NamedTable], title: str) -> None:
    """Write tables with the same columns, in the format given by the file extension."""
    ending = ending_of(path)
    with writing(path) as file:
        if ending == ".csv":
            file.writelines(lines.encode() for lines in csv_lines(tables))
        elif ending == ".parquet":
            _write_parquet(path, file, tables)
        elif ending == ".md":
            file.write(_as_markdown(tables).encode())
        else:
            file.write(_as_page(tables, title).encode())


def check_matplotlib(command: str) -> None:
    """Raise an error if matplotlib is not installed."""
    try:
        import matplotlib  # noqa: F401
    except ModuleNotFoundError as error:
        raise DataError(
            f"{command} needs matplotlib; install it with pip install 'fastauc[plot]'"
        ) from error
    except ImportError as error:  # it is installed, but not whole
        raise DataError(f"matplotlib cannot be imported: {error}") from error


def ending_of(path: str) -> str:
    """Return the extension of a file name, in lowercase."""
    return os.path.splitext(path)[1].lower()


def csv_lines(tables: Iterable[NamedTable]) -> Iterator[str]:
    """Yield tables as comma-separated values, with one header; see ``csv_blocks``."""
    for number, (score, _, table) in enumerate(tables):
        yield from csv_blocks(table, score, has_header=number == 0)


def _write_parquet(path: str, file: IO[bytes], tables: Iterable[NamedTable]) -> None:
    pa = import_pyarrow(Source(path, path, "parquet"))
    import pyarrow.parquet as pq

    writer = None
    for score, _, table in tables:
        names = pa.array([score] * len(table), pa.string()).dictionary_encode()
        columns = {"score": names} | {name: pa.array(table[name]) for name in table.columns}
        part = pa.table(columns)
        writer = writer or pq.ParquetWriter(file, part.schema)
        writer.write_table(part)
    if writer is not None:
        writer.close()


def _as_markdown(tables: Iterable[NamedTable]) -> str:
    parts = [f"**{score}**: {note}\n\n{table.to_markdown()}\n" for score, note, table in tables]
    return "\n".join(parts)


def _as_page(tables: Iterable[NamedTable], title: str) -> str:
    parts = []
    for score, note, table in tables:
        lowest = table["min_score"]
        shown = gains_table(
            table,
            is_weighted=table["n"].dtype.kind == "f",
            higher_is_positive=bool(lowest[0] >= lowest[-1]),
        )
        parts.append(section(score, paragraph(note) + shown))
    return page(title, "".join(parts))
