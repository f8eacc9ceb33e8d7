"""``fastauc score FILE… --label COL --score COL``, and ``fastauc merge STATE…``."""

import argparse
import warnings

from fastauc._cli.arguments import (
    CommandLine,
    Commands,
    add_memory_limit,
    add_rows,
    at_least_zero,
    given_files,
)
from fastauc._cli.output import as_json, as_table, progress_bar, say, undefined_of
from fastauc.files import ColumnScore, describe, merge_states, score

_SCORE = """\
Print AUC, Gini, average precision, Kolmogorov-Smirnov distance, number of rows and of
positives, and share of tied pairs; one line for each column of scores.
"""
_EPILOG = """\
Several files are parts of one table; a pattern or a folder stands for all files that it
matches or holds. The formats, told by the ending of the name or by --format: .csv, .tsv,
.jsonl (also .gz, .bz2, .zst, .lz4), .parquet, .arrow, .feather, .ipc (pip install
'fastauc[cli]'), .npy (fields of a structured array, or columns 0, 1, ... of a matrix), .npz
(one array a column). s3://, gs:// and hdfs:// are opened by pyarrow, with the credentials
that it finds. --json shows all decimals, the table six.

Rows that fit into --memory-limit are read into memory, and every figure is exact. Others are
read in passes. The first pass bounds all figures; further ones narrow the bounds of the AUC
until it is exact, or --tol wide. A figure that is known less closely than the table shows it
has columns _lower and _upper.
"""


def add_score(commands: Commands) -> None:
    """Add the command that prints one line of figures for each column."""
    parser = commands.add_parser(
        "score",
        help="measure how well columns of scores rank a column of labels",
        description=_SCORE,
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.set_defaults(parser=parser, run=_score)
    add_rows(parser)
    parser.add_argument(
        "--json", action="store_true", help="print one JSON object for each column of scores"
    )
    large = parser.add_argument_group("data larger than memory")
    add_memory_limit(large)
    how = large.add_mutually_exclusive_group()
    how.add_argument("--exact", action="store_const", const=0.0, dest="tol", default=0.0,
                     help="make passes until the AUC is exact (default)")  # fmt: skip
    how.add_argument("--tol", type=at_least_zero, metavar="WIDTH",
                     help="make passes until its bounds are so close, such as 1e-6")  # fmt: skip
    how.add_argument("--one-pass", action="store_true", help="make one pass, and print bounds")
    large.add_argument("--checkpoint", metavar="FILE",
                       help="save the job to FILE while it runs, and go on from there if it was "
                       "killed; kept at the end")  # fmt: skip
    large.add_argument("--checkpoint-seconds", type=at_least_zero, metavar="S", default=30.0,
                       help="time from one save to the next; 30 if left out")  # fmt: skip
    large.add_argument("--state", metavar="FILE",
                       help="write what the first pass found, for fastauc merge")  # fmt: skip


def add_merge(commands: Commands) -> None:
    """Add the command that prints the same for states of several machines."""
    parser = commands.add_parser(
        "merge",
        help="combine what fastauc score --state has written on several machines",
        description="Print the same table for all rows of the states together, with bounds. A "
        "file that two states have counted is refused, if it has not been copied or touched.",
    )
    parser.set_defaults(parser=parser, run=_merge, threads=1)
    add = parser.add_argument
    add("states", nargs="+", metavar="STATE", help="file written by --state")
    add("--state", metavar="FILE", help="write the merged state")
    add("--json", action="store_true", help="print one JSON object for each column of scores")


def _score(options: CommandLine) -> str:
    with (
        given_files(options) as files,
        progress_bar(options.quiet) as progress,
        warnings.catch_warnings(record=True) as caught,
    ):
        warnings.simplefilter("always")
        results = score(
            files,
            label=options.label,
            score=options.scores,
            weight=options.weight,
            pos_label=options.pos_label,
            memory_limit=options.memory_limit,
            tol=options.tol,
            one_pass=options.one_pass,
            n_jobs=options.threads,
            progress=progress,
            checkpoint=options.checkpoint,
            checkpoint_seconds=options.checkpoint_seconds,
            state=options.state,
        )
    where = describe(options.files)
    column = f"{where}: column {options.label!r}"
    _say_warnings(results, caught, where, column, options.weight is not None)
    return as_json(results) if options.json else as_table(results)


def _merge(options: CommandLine) -> str:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        results = merge_states(options.states, state=options.state)
    where = describe(options.states)
    _say_warnings(results, caught, where, f"{where}: the column of labels", False)
    return as_json(results) if options.json else as_table(results)


def _say_warnings(
    results: list[ColumnScore],
    caught: list[warnings.WarningMessage],
    where: str,
    column: str,
    weighted: bool,
) -> None:
    if undefined := undefined_of(results[0]):
        only = "only one class with weight" if weighted else "only one class"
        say("warning", f"{column} holds {only}; undefined: {', '.join(undefined)}")
        # The others say the same, each for one of the figures.
        caught = [warning for warning in caught if warning.category is RuntimeWarning]
    for text in dict.fromkeys(str(warning.message) for warning in caught):
        say("warning", f"{where}: {text}")
