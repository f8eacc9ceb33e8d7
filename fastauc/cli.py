"""The command line: ``fastauc score FILE… --label COL --score COL``, and ``fastauc merge STATE…``.

Results go to standard output and everything else to standard error. The exit code is 0, 1 for
files that do not hold what was asked of them, 2 for wrong usage, and 130 after Ctrl-C.
"""

import argparse
import math
import os
import warnings
from collections.abc import Sequence

from fastauc import __version__
from fastauc._parallel import count_threads
from fastauc.files import ColumnScore, DataError, ScoringInterrupted, describe, merge_states, score
from fastauc.memory import parse_size
from fastauc.printing import (
    as_json,
    as_table,
    discard_output,
    progress_bar,
    say,
    say_interrupted,
    undefined_of,
)

__all__ = ["main"]

_SCORE = """\
Print AUC, Gini, average precision, Kolmogorov-Smirnov distance, number of rows and of
positives, and share of tied pairs; one line for each column of scores.
"""
_EPILOG = """\
Several files are parts of one table; a pattern or a folder stands for all files that it
matches or holds. The formats, told by the ending of the name: .csv, .parquet, .arrow,
.feather, .ipc (pip install 'fastauc[cli]'), .npy (fields of a structured array, or columns
0, 1, ... of a matrix), .npz (one array a column). --json shows all decimals, the table six.

Rows that fit into --memory-limit are read into memory, and every figure is exact. Others are
read in passes. The first pass bounds all figures; further ones narrow the bounds of the AUC
until it is exact, or --tol wide. A figure that is known less closely than the table shows it
has columns _lower and _upper.
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code.

    Parameters
    ----------
    argv : sequence of str, optional
        The arguments; those of the process if left out.

    Returns
    -------
    int
        0, 1 after an error in the files, 130 after Ctrl-C. Wrong usage ends in ``SystemExit(2)``.
    """
    parser = _make_parser()
    options = parser.parse_args(argv)
    if options.threads is None and "FASTAUC_NUM_THREADS" not in os.environ:
        options.threads = -1
    try:
        options.threads = count_threads(options.threads)
    except ValueError as error:
        parser.error(str(error))
    try:
        results = options.run(options)
        print(as_json(results) if options.json else as_table(results), flush=True)
    except BrokenPipeError:
        discard_output()  # whoever reads has read enough
    except (DataError, MemoryError, OSError, UnicodeEncodeError) as error:
        if isinstance(error, OSError):
            discard_output()
        say("error", "not enough memory" if isinstance(error, MemoryError) else str(error))
        return 1
    except ScoringInterrupted as interrupted:
        say_interrupted(interrupted, list(dict.fromkeys(options.scores)))
        return 130
    except KeyboardInterrupt:
        return 130
    return 0


def _make_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="fastauc",
        description="Exact, tie-aware ROC AUC of scores in files.",
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"fastauc {__version__}")
    commands = parser.add_subparsers(metavar="COMMAND", required=True)
    _add_score(commands)
    _add_merge(commands)
    return parser


def _add_score(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    parser = commands.add_parser(
        "score",
        help="measure how well columns of scores rank a column of labels",
        description=_SCORE,
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.set_defaults(run=_score)
    add = parser.add_argument
    add("files", nargs="+", metavar="FILE",
        help="file, pattern or folder to read; - is CSV on standard input")  # fmt: skip
    add("--label", required=True, metavar="COL", help="column of labels, of two classes")
    add("--score", required=True, action="append", metavar="COL", dest="scores",
        help="column of scores, higher for the positives; may be repeated")  # fmt: skip
    add("--weight", metavar="COL", help="column of weights of the rows")
    add("--pos-label", metavar="V", help="label of the positives; 1 (or true) if left out")
    add("--json", action="store_true", help="print one JSON object for each column of scores")
    add("--threads", type=_positive, metavar="N", help="threads; FASTAUC_NUM_THREADS or all cores")
    add("--quiet", action="store_true", help="show no progress bar")
    large = parser.add_argument_group("data larger than memory")
    large.add_argument("--memory-limit", type=_size, metavar="SIZE",
                       help="memory to use, such as 2GB or 512MiB; half of what the process "
                       "may have if left out")  # fmt: skip
    how = large.add_mutually_exclusive_group()
    how.add_argument("--exact", action="store_const", const=0.0, dest="tol", default=0.0,
                     help="make passes until the AUC is exact (default)")  # fmt: skip
    how.add_argument("--tol", type=_tolerance, metavar="WIDTH",
                     help="make passes until its bounds are so close, such as 1e-6")  # fmt: skip
    how.add_argument("--one-pass", action="store_true", help="make one pass, and print bounds")
    large.add_argument("--checkpoint", metavar="FILE",
                       help="save the job to FILE while it runs, and go on from there if it was "
                       "killed; kept at the end")  # fmt: skip
    large.add_argument("--checkpoint-seconds", type=_tolerance, metavar="S", default=30.0,
                       help="time from one save to the next; 30 if left out")  # fmt: skip
    large.add_argument("--state", metavar="FILE",
                       help="write what the first pass found, for fastauc merge")  # fmt: skip


def _add_merge(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    parser = commands.add_parser(
        "merge",
        help="combine what fastauc score --state has written on several machines",
        description="Print the same table for all rows of the states together, with bounds. A "
        "file that two states have counted is refused, if it has not been copied or touched.",
        allow_abbrev=False,
    )
    parser.set_defaults(run=_merge, threads=1)
    add = parser.add_argument
    add("states", nargs="+", metavar="STATE", help="file written by --state")
    add("--state", metavar="FILE", help="write the merged state")
    add("--json", action="store_true", help="print one JSON object for each column of scores")


def _positive(text: str) -> int:
    if not text.isdecimal() or int(text) == 0:
        raise argparse.ArgumentTypeError(f"{text!r} is not a positive integer")
    return int(text)


def _size(text: str) -> int:
    try:
        return parse_size(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from error


def _tolerance(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not (math.isfinite(value) and value >= 0):
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of 0 or more")
    return value


def _score(options: argparse.Namespace) -> list[ColumnScore]:
    with progress_bar(options.quiet) as progress, warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        results = score(
            options.files,
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
    return results


def _merge(options: argparse.Namespace) -> list[ColumnScore]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        results = merge_states(options.states, state=options.state)
    where = describe(options.states)
    _say_warnings(results, caught, where, f"{where}: the column of labels", False)
    return results


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
