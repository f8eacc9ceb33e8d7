"""What the command line prints: tables, JSON, warnings, a progress bar."""

import contextlib
import json
import math
import os
import shutil
import sys
import warnings
from argparse import Namespace
from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Any

from fastauc._drawing.words import pvalue_in_words
from fastauc._readings import HEADINGS, Counts, Measures, as_interval
from fastauc._rows import Dropped, Part, group_in_words, note_of_reversal
from fastauc._tables import in_blocks, padded, printable
from fastauc._validation.arrays import as_python
from fastauc.files import ColumnScore, DataError, Progress, ScoringInterrupted
from fastauc.files._sources import describe, without_secrets
from fastauc.streaming import ScoreInterval

# By metric, the columns of its confidence interval.
Intervals = dict[str, dict[str, Any]]
_DIRECTION = "higher_is_positive"
# The columns of names, and those that are seldom needed or have been said, and left out of tables.
_NAMES = ("score", "first", "second", "predicted_positive")
_UNSEEN = ("dropped_negatives", "dropped_positives", "missing_negatives", "missing_positives",
           "tie_share", "auc_se", "gini_ci_low", "gini_ci_high", "ks_ci_low", "ks_ci_high",
           "statistic", "method", "threshold", "unit", "accuracy", "tn", "fp", "fn", "tp",
           _DIRECTION)  # fmt: skip
_ALL_ROWS = (None, group_in_words(None))
_LEAST_PVALUE = 1e-300
# What warnings of a missing class begin with.
_MOST_NAMED = 3  # groups
_ONE_CLASS = ("No negative samples", "No positive samples", "No positive class", "Only one class")


def _figures(result: ColumnScore) -> dict[str, ScoreInterval]:
    names = [name for name in Measures._fields if name in HEADINGS]
    return {name.removeprefix("roc_"): getattr(result, name) for name in names}


def _counts(result: ColumnScore) -> dict[str, Any]:
    dropped = {} if result.dropped is None else result.dropped.columns(result.score)
    counts = {"n": result.n, "positives": result.positives} | dropped
    return counts | {"tie_share": result.tie_share}


def as_json_lines(objects: list[dict[str, Any]]) -> str:
    """Return objects of plain values, one per line.

    NaN is null; infinity is a string, as is a p-value too small for a number.
    """
    return "\n".join(json.dumps(plain(each), allow_nan=False) for each in objects)


def as_object(result: ColumnScore, intervals: Intervals) -> dict[str, Any]:
    """Return a result as plain values: for files read in passes, all bounds and the passes, too."""
    figures = _figures(result)
    estimates = {name: each.estimate for name, each in figures.items()}
    row = {"score": result.score} | estimates | _counts(result)
    if result.passes:
        for bound in ("lower", "upper", "exact"):
            row[bound] = {name: getattr(each, bound) for name, each in figures.items()}
        row["passes"] = [record._asdict() for record in result.passes]
    for interval in intervals.values():
        row |= interval
    return row


def plain(value: Any, name: str = "") -> Any:
    """Return a value of JSON: NaN is None, infinity and a tiny p-value are text."""
    if isinstance(value, dict):
        return {key: plain(entry, key) for key, entry in value.items()}
    if isinstance(value, list):
        return [plain(entry) for entry in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None if math.isnan(value) else str(value)
    if name.endswith("pvalue") and value < _LEAST_PVALUE:
        return f"< {_LEAST_PVALUE}"
    return value


def rows_of(
    results: list[ColumnScore], intervals: Sequence[Intervals], *, all_digits: bool = False
) -> list[dict[str, Any]]:
    """Return a row for each result, all with the same columns.

    A metric whose bounds differ in the digits shown has columns for them.
    """
    shown = [_figures(result) for result in results]
    wide = {name for each in shown for name in each if _is_wide(each[name], all_digits)}
    rows = []
    for result, figures, own in zip(results, shown, intervals, strict=True):
        row: dict[str, Any] = {"score": result.score}
        for name, bounds in figures.items():
            row[name] = bounds.estimate
            if name in wide:
                row[f"{name}_lower"], row[f"{name}_upper"] = bounds.lower, bounds.upper
            row |= own.get(name, {})
        rows.append(row | _counts(result))
    if any(result.passes for result in results):
        for row, result in zip(rows, results, strict=True):
            row["passes"] = len(result.passes)
    return rows


def as_tables(tables: list[list[dict[str, Any]]]) -> str:
    """Return tables of rows, with an empty line between two."""
    return "\n\n".join(map(as_rows, tables))


def as_rows(rows: list[dict[str, Any]]) -> str:
    """Return rows with the same columns as a table no wider than the terminal.

    Names are aligned to the left, and repeated if the columns do not fit on one line.
    """
    names, lines, n_names = seen(rows)
    return in_blocks(padded([names, *lines], n_left=n_names), terminal_width(), n_names)


def seen(rows: list[dict[str, Any]]) -> tuple[list[str], list[list[str]], int]:
    """Return the columns of a table to look at, its cells, and how many columns are names."""
    wide = ("average_precision",) if "auc_ci_low" in rows[0] else ()
    names = [name for name in rows[0] if name not in (*_UNSEEN, *wide)]
    cells = [[_as_cell(name, row[name]) for name in names] for row in rows]
    shown = {"auc_ci_low": "ci_low", "auc_ci_high": "ci_high", "value": rows[0].get("unit")}
    n_names = sum(name in _NAMES or name.startswith("group") for name in names)
    return [shown.get(name) or printable(name) for name in names], cells, n_names


def terminal_width() -> int:
    """Return how many characters a line of the terminal has; 80 if there is none."""
    return shutil.get_terminal_size().columns


def _as_cell(name: str, value: Any) -> str:
    if name.startswith("group"):
        return group_in_words(value)
    if value is None:
        return "-"
    if name.endswith("pvalue"):
        return pvalue_in_words(value)
    if isinstance(value, float):
        return "-" if math.isnan(value) else f"{value:.6f}"
    return printable(str(value))


def names_of(part: Part, score: str, options: Namespace) -> dict[str, Any]:
    """Return the fields that name the rows and the scores; if there are groups, the group, too."""
    return group_of(part, options) | {"score": score}


def direction_of(score: str, lower_is_positive: Collection[str] = ()) -> dict[str, bool]:
    """Return the field that says on which side of a threshold a row is predicted positive."""
    return {_DIRECTION: score not in lower_is_positive}


def title_of(names: dict[str, Any]) -> str:
    """Return the group and the column of scores in words."""
    *groups, score = names.values()
    groups = [group for group in groups if group is not None] or groups[:1]
    return ", ".join(map(group_in_words, [*groups, str(score)]))


def group_of(part: Part, options: Namespace) -> dict[str, Any]:
    """Return the fields for the group of a part, one for each column; nothing without groups."""
    if len(options.by) < 2:
        return {"group": as_python(part.group)} if options.by else {}
    values = [None] * len(options.by) if part.group is None else map(as_python, part.group)
    return {f"group_{name}": value for name, value in zip(options.by, values, strict=True)}


def all_rows_named(row: dict[str, Any]) -> dict[str, Any]:
    """Return a row in which a column of groups says "all rows" where it has no group."""
    return {
        name: group_in_words(value) if value in _ALL_ROWS and name.startswith("group") else value
        for name, value in row.items()
    }


def _is_wide(interval: ScoreInterval, all_digits: bool) -> bool:
    if all_digits:
        return interval.lower < interval.upper
    return len({f"{bound:.6f}" for bound in interval[:3]}) > 1


def say(kind: str, text: str) -> None:
    """Print one line to standard error, even if a file name or a message contains line breaks."""
    print(f"fastauc: {kind}: {printable(' '.join(text.split()))}", file=sys.stderr)


def without_given(text: str, given: Sequence[str]) -> str:
    """Return a text in which the URLs that are among the arguments have no secrets."""
    for argument in given:
        for name in (argument, argument.partition("=")[2]):
            if ":/" in name:
                for shown in (name, repr(name)[1:-1]):  # argparse quotes what is wrong
                    text = text.replace(shown, without_secrets(shown))
    return text


def say_if_reversed(where: str, score: str, area: ScoreInterval, lower: Collection[str]) -> None:
    """Note that an AUC is below one half: lower scores may be meant to be positive, or not."""
    if note := note_of_reversal(area, score not in lower):
        option = "without" if score in lower else "with"
        advice = f"if this is intended, run the command {option} --lower-is-positive {score}"
        say("note", f"{where}: column {score!r}: {note}; {advice}")


def say_dropped(where: str, dropped: Dropped | None) -> None:
    """Report rows that were left out."""
    if dropped is not None and dropped.negatives + dropped.positives:
        say("note", f"{where}: {dropped.sentence()}")


def counts_of(part: Part, score: str) -> Counts:
    """Return the counts of a column of scores, with a note if the scores seem to be reversed."""
    counts = part.counts(score)
    if part.has_both and part.group is None:
        area = as_interval(counts.roc_auc())
        say_if_reversed(part.where, score, area, part.lower_is_positive)
    return counts


@contextlib.contextmanager
def saying_warnings(options: Namespace) -> Iterator[Callable[[Part], object]]:
    """Print each warning of a block once, in terms of the files.

    Gives what is called with each part before it is measured: its warnings name the group.
    """
    begun: list[tuple[int, Any]] = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield lambda part: begun.append((len(caught), part.group))
    where, groups_of = describe(options.files), dict[str, dict[Any, None]]()
    for number, warning in enumerate(caught):
        groups = [group for start, group in begun if start <= number][-1:] if options.by else []
        text = str(warning.message)
        text = "" if text.startswith(_ONE_CLASS) else text
        groups_of.setdefault(text, {}).update(dict.fromkeys(groups))
    for text in sorted(groups_of, key=bool):
        known = groups_of[text]
        within = f"in {_groups_in_words([*known])}" if known else ""
        if text:
            text = text.replace("sample_weight", "--weight")
            say("warning", f"{where}: {within and f'{within}: '}{text}")
            continue
        column = "the column of labels" if options.label is None else f"column {options.label!r}"
        weight = "" if options.weight is None else " with positive weight"
        found = f"{column}{within and f', {within},'} holds only one class{weight}"
        say("warning", f"{where}: {found}; values that need both are undefined")


def _groups_in_words(groups: list[Any]) -> str:
    """Return the first groups, and how many more there are."""
    named = [
        repr(group_in_words(group) if isinstance(group, tuple) else group)
        for group in groups
        if group is not None
    ]
    listed = ", ".join(named[:_MOST_NAMED])
    more = f" and {len(named) - _MOST_NAMED} more" if len(named) > _MOST_NAMED else ""
    words = ["all rows"] if None in groups else []
    words += [f"group{'s' if len(named) > 1 else ''} {listed}{more}"] if named else []
    return " and ".join(words)


def say_interrupted(interrupted: ScoringInterrupted, scores: list[str]) -> None:
    """Report what was known when files read in passes were interrupted, one line per column."""
    number, n_rows, total, intervals, _ = interrupted.progress
    place = _place_of(interrupted.progress)
    for name, area in zip(scores, intervals, strict=False):
        of = f"these {n_rows} rows alone" if number == 1 else f"all {total} rows"
        known = f"is {area.estimate!r}" if area.exact else f"from {area.lower!r} to {area.upper!r}"
        say("interrupted", f"{place}: column {name!r}: AUC of {of} {known}")
    if not intervals:
        say("interrupted", f"{place}: the two classes have not both been seen yet")
    if interrupted.checkpoint is not None:
        path = interrupted.checkpoint
        say("interrupted", f"the same command resumes from --checkpoint {path}")


def _place_of(progress: Progress) -> str:
    whole = "" if progress.total is None else f" of {progress.total}"
    return f"in pass {progress.pass_number} after {progress.rows}{whole} rows"


def discard_output() -> None:
    """Drop buffered output: writing it would fail again, visibly, when the interpreter exits."""
    with contextlib.suppress(OSError, ValueError), open(os.devnull, "wb") as nowhere:
        os.dup2(nowhere.fileno(), sys.stdout.fileno())


@contextlib.contextmanager
def progress_bar(
    quiet: bool, checkpoint: str | None = None
) -> Iterator[Callable[[Progress], object]]:
    """Show a progress bar on a terminal if tqdm is installed: rows, rate, pass and AUC interval.

    Of a job that is resumed, a line says where.
    """
    is_said = False

    def say_resumed(progress: Progress) -> None:
        nonlocal is_said
        if progress.resumed and not is_said:
            say("note", f"resumed from --checkpoint {checkpoint} {_place_of(progress)}")
        is_said = True

    try:
        from tqdm import tqdm
    except ImportError:
        quiet = True
    if quiet or not sys.stderr.isatty():
        yield say_resumed
        return
    with tqdm(unit=" rows", unit_scale=True, miniters=1, leave=False, file=sys.stderr) as bar:
        number = -1

        def show(progress: Progress) -> None:
            nonlocal number
            if not is_said:
                bar.clear()
                say_resumed(progress)
            if progress.pass_number != number:
                number = progress.pass_number
                bar.set_description(f"pass {number}" if number else "reading", refresh=False)
                bar.reset()
            bar.total = progress.total  # from text, it is estimated anew each time
            if progress.intervals:
                shown = (f"{each.lower:.6f}..{each.upper:.6f}" for each in progress.intervals)
                bar.set_postfix_str("auc " + ", ".join(shown), refresh=False)
            bar.update(progress.rows - bar.n)

        yield show


@contextlib.contextmanager
def needing(library: str, needed_for: str, extra: str) -> Iterator[None]:
    """Raise an error if an optional library, which the block imports, is not installed."""
    try:
        yield
    except ModuleNotFoundError as error:
        raise DataError(
            f"{needed_for} needs {library}; install it with pip install 'fastauc[{extra}]'"
        ) from error
    except ImportError as error:  # it is installed, but not whole
        raise DataError(f"{library} cannot be imported: {error}") from error
