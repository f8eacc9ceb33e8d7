"""``fastauc score FILE… --label COL --score COL``, and ``fastauc merge STATE…``."""

import warnings
from argparse import Namespace
from typing import Any, NamedTuple

from fastauc._cli import arguments, output
from fastauc._cli.arguments import UsageError
from fastauc._rows import Part
from fastauc._tables import short
from fastauc._validation.arrays import as_python
from fastauc.files import ColumnScore, DataError, merge_states, score
from fastauc.files._scoring import score_part
from fastauc.files._sources import describe
from fastauc.inference import compare_roc_auc, roc_auc_ci


class Measured(NamedTuple):
    """The metrics of a column of scores, with the group of its rows and an interval of the AUC."""

    group: dict[str, Any]
    result: ColumnScore
    interval: dict[str, Any]


_SCORE = """\
Print the AUC, Gini coefficient, average precision, Kolmogorov-Smirnov distance, numbers of
rows and positives, and share of tied pairs; one line per score column.
"""
_EPILOG = """\
Several files are parts of one table; a pattern or folder stands for all matching files.
Formats, by file extension or --format: .csv, .tsv and .jsonl (also compressed as .gz, .bz2,
.zst, .lz4), .parquet, .arrow, .feather, .ipc (pip install 'fastauc[cli]'), .npy (fields of a
structured array, or columns 0, 1, ... of a matrix), .npz (one array per column). s3://, gs://
and hdfs:// are opened by pyarrow, with the credentials it finds. --json prints all decimals,
the table six.

If the rows fit within --memory-limit, they are loaded and every metric is exact. Otherwise
the files are read once, which bounds all metrics, and once more for the exact AUC, unless its
bounds are already --tol apart. If the bounds of a metric differ in the decimals shown, the table
has columns _lower and _upper. With --by, such files are read once and all metrics are bounded;
--ci and --compare need all rows in memory.
"""


def add_score(commands: Any) -> None:
    """Add the command that prints one line of metrics for each column."""
    texts = "measure how well scores rank labels: AUC and other metrics", _SCORE
    parser = arguments.add_command(commands, _score, "score", texts, epilog=_EPILOG)
    add = parser.add_argument
    add("--json", action="store_true", help="print one JSON object per score column")
    add("--by", metavar="COL", help="column with groups, up to 100 of them; adds a line for each")
    add("--ci", action="store_true",
        help="add the standard error and confidence interval of each AUC (roc_auc_ci)")  # fmt: skip
    add("--confidence-level", type=arguments.inner_share, metavar="P", default=0.95,
        help="confidence level for --ci (default: 0.95)")  # fmt: skip
    add("--compare", action="store_true",
        help="compare every two score columns by DeLong's test, with p-values also adjusted by "
        "Holm's method")  # fmt: skip
    arguments.add_output(parser, (".csv", ".json", ".md", ".txt"))
    large = parser.add_argument_group("data larger than memory")
    arguments.add_memory_limit(large)
    how = large.add_mutually_exclusive_group()
    how.add_argument("--exact", action="store_const", const=0.0, dest="tol", default=0.0,
                     help="read the files until the AUC is exact (default)")  # fmt: skip
    how.add_argument("--tol", type=arguments.at_least_zero, metavar="WIDTH",
                     help="read the files until its bounds are this close, as 1e-6")  # fmt: skip
    how.add_argument("--one-pass", action="store_true", help="read files once and print bounds")
    large.add_argument("--spill", metavar="DIR",
                       help="folder for a temporary file of undecided rows that do not fit into "
                       "memory (default: the system's)")  # fmt: skip
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
        "counted the same file are refused, unless the file was copied or touched in between.",
    )
    parser.set_defaults(parser=parser, run=_merge, threads=1)
    add = parser.add_argument
    add("states", nargs="+", metavar="STATE", help="file written by --state")
    add("--state", metavar="FILE", help="write the merged state")
    add("--json", action="store_true", help="print one JSON object per score column")


def _score(options: Namespace) -> str:
    arguments.check_output(options)
    scores = list(dict.fromkeys(options.scores))
    if options.compare and len(scores) < 2:
        raise UsageError("--compare needs two columns of scores or more")
    if options.state is not None and options.missing == "drop":
        raise UsageError(
            "--state cannot be used with --missing drop: a state does not record dropped rows"
        )
    if options.state is not None and options.lower_is_positive:
        raise UsageError(
            "--state cannot be used with --lower-is-positive: a state does not record that lower "
            "scores are positive"
        )
    if options.by is not None or options.ci or options.compare:
        return _score_parts(options, scores)
    with (
        arguments.given_files(options) as files,
        output.progress_bar(options.quiet) as progress,
        warnings.catch_warnings(record=True) as caught,
    ):
        warnings.simplefilter("always")
        results = score(
            files,
            label=options.label,
            score=options.scores,
            weight=options.weight,
            pos_label=options.pos_label,
            higher_is_positive=arguments.directions(options),
            nan_policy=arguments.nan_policy_of(options),
            memory_limit=options.memory_limit,
            tol=options.tol,
            one_pass=options.one_pass,
            spill=options.spill,
            n_jobs=options.threads,
            progress=progress,
            checkpoint=options.checkpoint,
            checkpoint_seconds=options.checkpoint_seconds,
            state=options.state,
        )
    where = describe(options.files)
    column = f"{where}: column {options.label!r}"
    _say_warnings(results, caught, where, column, options.weight)
    _say_if_reversed(results, where, options)
    return _shown(options, [Measured({}, result, {}) for result in results], [])


def _merge(options: Namespace) -> str:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        results = merge_states(options.states, state=options.state)
    where = describe(options.states)
    _say_warnings(results, caught, where, f"{where}: the column of labels", None)
    if options.json:
        return output.as_json_lines([output.as_object(each) for each in results])
    return output.as_rows(output.rows_of(results))


def _score_parts(options: Namespace, scores: list[str]) -> str:
    """Measure all rows, and each group, of files that are read once."""
    for name, flag in [("tol", "--tol"), ("checkpoint", "--checkpoint"), ("state", "--state")]:
        if getattr(options, name):
            raise UsageError(f"{flag} cannot be used with --by, --ci or --compare, which read once")
    parts = arguments.read_parts(options, options.by)
    whole = parts[0]
    needs_rows = [flag for flag in ("ci", "compare") if getattr(options, flag)]
    if needs_rows and whole.rows is None:
        raise DataError(
            f"{whole.where}: the rows do not fit within --memory-limit; --{needs_rows[0]} needs "
            "all of them in memory"
        )
    measured: list[Measured] = []
    tests: list[dict[str, Any]] = []
    for part in parts:
        group = {} if options.by is None else {"group": as_python(part.group)}
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            results = [score_part(part, name) for name in scores]
            intervals = [_interval(part, name, options) if options.ci else {} for name in scores]
            tests += [group | test for test in _tests(part, scores)] if options.compare else []
        of_group = "" if part is whole else f", in group {as_python(part.group)!r},"
        column = f"{whole.where}: column {options.label!r}{of_group}"
        _say_warnings(results, caught, whole.where, column, options.weight)
        if part is whole:
            _say_if_reversed(results, whole.where, options)
        measured += [Measured(group, *pair) for pair in zip(results, intervals, strict=True)]
    return _shown(options, measured, tests)


def _interval(part: Part, score: str, options: Namespace) -> dict[str, Any]:
    """Return the standard error and the interval of the AUC; None for one class."""
    names = ("auc_se", "auc_ci_low", "auc_ci_high")
    if part.rows is None or not part.has_both:
        return dict.fromkeys(names)
    estimate = roc_auc_ci(
        part.rows.positive,
        part.rows.scores[score],
        confidence_level=options.confidence_level,
        sample_weight=part.rows.weight,
        n_jobs=part.n_jobs,
    )
    values = estimate.standard_error, *estimate.confidence_interval
    return dict(zip(names, values, strict=True))


def _tests(part: Part, scores: list[str]) -> list[dict[str, Any]]:
    """Return DeLong's test of every two columns of scores; none for one class."""
    if part.rows is None or not part.has_both:
        return []
    rows = part.rows
    columns = {name: rows.scores[name] for name in scores}
    tests = compare_roc_auc(
        rows.positive, columns, sample_weight=rows.weight, n_jobs=part.n_jobs
    ).pairwise()
    shown = [name for name in tests._fields if name not in ("low", "high", "method")]
    values = zip(*(getattr(tests, name).tolist() for name in shown), strict=True)
    return [dict(zip(shown, row, strict=True)) for row in values]


def _shown(options: Namespace, measured: list[Measured], tests: list[dict[str, Any]]) -> str:
    """Return the text to print, after writing the output file if one is given."""
    level = {"confidence_level": options.confidence_level} if options.ci else {}
    lines = output.as_json_lines(
        [each.group | output.as_object(each.result) | each.interval | level for each in measured]
        + tests
    )
    if options.output is not None:
        ending = output.ending_of(options.output)
        is_csv = ending == ".csv"
        tables = _tables(measured, tests, as_text=not is_csv)
        text = f"{lines}\n" if ending == ".json" else output.written_rows(ending, tables)
        with output.writing(options.output) as file:
            file.write(text.encode())
    return lines if options.json else output.as_tables(_tables(measured, tests, as_text=True))


def _tables(
    measured: list[Measured], tests: list[dict[str, Any]], *, as_text: bool
) -> list[list[dict[str, Any]]]:
    """Return the rows of the metrics, and those of the tests if there are any."""
    rows = output.rows_of([each.result for each in measured], all_digits=not as_text)
    rows = [each.group | row | each.interval for each, row in zip(measured, rows, strict=True)]
    tables = [rows, tests] if tests else [rows]
    if not as_text:
        return tables
    return [
        [{name: _as_text(name, value) for name, value in row.items()} for row in table]
        for table in tables
    ]


def _as_text(name: str, value: Any) -> Any:
    if name == "group":
        return "all rows" if value is None else str(value)
    # Six decimals would show the smallest ones as zero.
    return short(value) if name.endswith("pvalue") else value


def _say_warnings(
    results: list[ColumnScore],
    caught: list[warnings.WarningMessage],
    where: str,
    column: str,
    weight: str | None,
) -> None:
    if undefined := output.undefined_of(results[0]):
        only = output.only_one_class(weight)
        output.say("warning", f"{column} holds {only}; undefined: {', '.join(undefined)}")
        # The other warnings say the same, each for one metric.
        caught = [warning for warning in caught if warning.category is RuntimeWarning]
    for text in dict.fromkeys(str(warning.message) for warning in caught):
        output.say("warning", f"{where}: {text}")


def _say_if_reversed(results: list[ColumnScore], where: str, options: Namespace) -> None:
    for result in results:
        output.say_if_reversed(where, result.score, result.roc_auc, options.lower_is_positive)
