"""``fastauc score FILE… --label COL --score COL``, and ``fastauc merge STATE…``."""

import os
from argparse import Namespace
from typing import Any, NamedTuple

from fastauc._cli import arguments, output, written
from fastauc._cli.arguments import UsageError
from fastauc._rows import Part
from fastauc.files import ColumnScore, DataError, merge_states, score
from fastauc.files._scoring import score_part
from fastauc.files._sources import describe


class Measured(NamedTuple):
    """The metrics of a column of scores, and the intervals of those that have one."""

    group: dict[str, Any]
    result: ColumnScore
    intervals: output.Intervals


_OF_LARGE_FILES = ("tol", "checkpoint", "checkpoint_seconds", "state")
_EPILOG = """\
Several files are parts of one table; a pattern or folder stands for all matching files.
Formats, by file extension or --format: .csv, .tsv and .jsonl (also compressed as .gz, .bz2,
.zst, .lz4, .zip), .parquet, .arrow, .arrows, .feather, .ipc (pip install 'fastauc[cli]'), .npy
(fields of a structured array, or columns 0, 1, ... of a matrix), .npz (one array per column).
s3://, gs:// and hdfs:// are opened by pyarrow, with the credentials it finds. --json prints
all decimals, the table six.

If the rows fit within --memory-limit, they are loaded and every metric is exact. Otherwise
the files are read once, which bounds all metrics, and once more for the exact AUC, unless its
bounds are already --tol apart; undecided rows that do not fit into memory are kept in a temporary
file, in the folder TMPDIR. If the bounds of a metric differ in the decimals shown, the table
has columns _lower and _upper. With --by, such files are read once and all metrics are bounded;
--ci and --compare need all rows in memory.
"""


def add_score(commands: Any) -> None:
    """Add the command that prints one line of metrics for each column."""
    parser = arguments.add_command(commands, _score, "score", epilog=_EPILOG)
    add = parser.add_argument
    arguments.add_shared(parser, "--json")
    add("--ci", action="store_true",
        help="add the confidence interval of each AUC; --json, .csv and .xlsx also have its "
        "standard error and the intervals of Gini and K-S (the last by 1,000 bootstrap samples, of "
        "up to a million rows)")  # fmt: skip
    add("--confidence-level", type=arguments.inner_share, metavar="P", default=0.95,
        help="confidence level for --ci (default: 0.95)")  # fmt: skip
    add("--compare", action="store_true",
        help="compare every two score columns by DeLong's test, with p-values also adjusted by "
        "Holm's method")  # fmt: skip
    arguments.add_output(parser, written.ROWS)
    large = parser.add_argument_group("data larger than memory")
    how = large.add_mutually_exclusive_group()
    how.add_argument("--tol", type=arguments.at_least_zero, metavar="WIDTH", default=0.0,
                     help="stop when the bounds of the AUC are at most WIDTH apart, such as 1e-6 "
                     "(default: 0, until it is exact)")  # fmt: skip
    how.add_argument("--one-pass", action="store_const", const=1.0, dest="tol",
                     help="read files once and print bounds")  # fmt: skip
    large.add_argument("--checkpoint", metavar="FILE",
                       help="save progress to FILE, and resume from it if interrupted; kept at "
                       "the end")  # fmt: skip
    large.add_argument("--checkpoint-seconds", type=arguments.at_least_zero, metavar="S",
                       default=30.0, help="seconds between saves (default: 30)")  # fmt: skip
    large.add_argument("--state", metavar="FILE",
                       help="write the counts of the first pass, for fastauc merge")  # fmt: skip


def add_merge(commands: Any) -> None:
    """Add the command that prints the same for the combined states of several machines."""
    parser = commands.add_parser(
        "merge",
        help="combine files that fastauc score --state wrote on several machines",
        description="Print the same table, with bounds, for the rows of all states. States that "
        "counted the same file, or a copy of it, are refused.",
    )
    parser.set_defaults(parser=parser, run=_merge, threads=1, label=None, weight=None)
    parser.set_defaults(lower_is_positive=(), ci=False, output=None)  # no state is saved of others
    add = parser.add_argument
    add("files", nargs="+", metavar="STATE", help="file written by --state")
    add("--state", metavar="FILE", help="write the merged state")
    arguments.add_shared(parser, "--json")


def _score(options: Namespace) -> str:
    """Measure how well scores rank labels: AUC and other metrics.

    Print the AUC, Gini coefficient, average precision, Kolmogorov-Smirnov distance, numbers of
    rows and positives, and share of tied pairs; one line per score column.
    """
    arguments.check_output(options, *(["tests"] if options.compare else []))
    scores = options.scores
    if options.compare and len(scores) < 2:
        raise UsageError("--compare needs two columns of scores or more")
    others = {"--missing drop": options.missing == "drop"}
    for flag, value in (others | {"--lower-is-positive": options.lower_is_positive}).items():
        if options.state is not None and value:
            raise UsageError(f"--state cannot be used with {flag}, which a state does not record")
    if options.by or options.ci or options.compare:
        return _score_parts(options, scores)
    with (
        arguments.given_files(options) as files,
        output.progress_bar(options.quiet, options.checkpoint) as progress,
        output.saying_warnings(options),
    ):
        results = score(
            files,
            **arguments.columns_of(options),
            **{name: getattr(options, name) for name in _OF_LARGE_FILES},
            progress=progress,
        )
    where = describe(options.files)
    output.say_dropped(where, results[0].dropped)
    _say_if_reversed(results, where, options)
    return _shown(options, [Measured({}, result, {}) for result in results], [])


def _merge(options: Namespace) -> str:
    with output.saying_warnings(options):
        results = merge_states(options.files, state=options.state)
    return _shown(options, [Measured({}, result, {}) for result in results], [])


def _score_parts(options: Namespace, scores: list[str]) -> str:
    """Measure all rows, and each group, of files that are read once."""
    given = {"--tol": 0 < options.tol < 1, "--checkpoint": options.checkpoint}
    for flag, value in (given | {"--state": options.state}).items():
        if value:
            raise UsageError(f"{flag} cannot be used with --by, --ci or --compare, which read once")
    parts = arguments.read_parts(options)
    whole = parts[0]
    needs_rows = [flag for flag in ("ci", "compare") if getattr(options, flag)]
    if needs_rows and whole.rows is None:
        raise DataError(
            f"{whole.where}: the rows do not fit within --memory-limit; --{needs_rows[0]} needs "
            "all of them in memory"
        )
    measured: list[Measured] = []
    tests: list[dict[str, Any]] = []
    with output.saying_warnings(options) as begin:
        for part in parts:
            begin(part)
            group = output.group_of(part, options)
            results = [score_part(part, name) for name in scores]
            intervals = [_intervals(part, name, options) if options.ci else {} for name in scores]
            tests += [group | test for test in _tests(part)] if options.compare else []
            if part is whole:
                _say_if_reversed(results, whole.where, options)
            measured += [Measured(group, *pair) for pair in zip(results, intervals, strict=True)]
    return _shown(options, measured, tests)


def _intervals(part: Part, score: str, options: Namespace) -> output.Intervals:
    """Return the intervals of AUC, Gini, 2 AUC - 1, and K-S; of None where there is none."""
    error = low = high = ks_low = ks_high = None
    area = part.roc_auc_ci(score, options.confidence_level)
    distance = part.ks_ci(score, options.confidence_level)
    if area is not None:
        error, (low, high) = area.standard_error, area.confidence_interval
    if distance is not None:
        ks_low, ks_high = distance.confidence_interval
    ends = {"gini_ci_low": low, "gini_ci_high": high}
    return {
        "auc": {"auc_se": error, "auc_ci_low": low, "auc_ci_high": high},
        "gini": {name: None if end is None else 2 * end - 1 for name, end in ends.items()},
        "ks": {"ks_ci_low": ks_low, "ks_ci_high": ks_high},
    }


def _tests(part: Part) -> list[dict[str, Any]]:
    """Return DeLong's test of every two columns of scores; none for one class."""
    if (tests := part.compare()) is None:
        return []
    shown = [name for name in tests._fields if name not in ("low", "high", "method")]
    values = zip(*(getattr(tests, name).tolist() for name in shown), strict=True)
    return [dict(zip(shown, row, strict=True)) for row in values]


def _shown(options: Namespace, measured: list[Measured], tests: list[dict[str, Any]]) -> str:
    """Return the text to print, after writing the output file if one is given."""
    level = {"confidence_level": options.confidence_level} if options.ci else {}
    objects = [
        {"type": "metrics"}
        | each.group
        | output.as_object(each.result, each.intervals)
        | output.direction_of(each.result.score, options.lower_is_positive)
        | level
        for each in measured
    ]
    lines = output.as_json_lines(objects + [{"type": "test"} | test for test in tests])
    if options.output is not None:
        is_sheet = written.ending_of(options.output) in (".csv", ".xlsx")
        tables = _tables(measured, tests, all_digits=is_sheet)
        written.write_rows(options, tables, lines)
        beside = written.path_beside(options.output, "tests")
        if options.compare and not tests and beside.endswith(".csv") and os.path.exists(beside):
            output.say("warning", f"{beside} is of an earlier command: there are no tests now")
    return lines if options.json else output.as_tables([*_tables(measured, tests).values()])


def _tables(
    measured: list[Measured], tests: list[dict[str, Any]], *, all_digits: bool = False
) -> dict[str, list[dict[str, Any]]]:
    """Return the rows of the metrics, and those of the tests if there are any."""
    results, intervals = [each.result for each in measured], [each.intervals for each in measured]
    rows = output.rows_of(results, intervals, all_digits=all_digits)
    rows = [each.group | row for each, row in zip(measured, rows, strict=True)]
    return {"metrics": rows} | ({"tests": tests} if tests else {})


def _say_if_reversed(results: list[ColumnScore], where: str, options: Namespace) -> None:
    for result in results:
        output.say_if_reversed(where, result.score, result.roc_auc, options.lower_is_positive)
