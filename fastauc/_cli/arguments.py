"""Arguments that commands share: which files and columns, how much memory, what money."""

import argparse
import contextlib
import math
import os
from collections.abc import Iterator, Sequence
from typing import Any

from fastauc._cli.output import ending_of, progress_bar
from fastauc.files import DataError, Source, located
from fastauc.files.counting import Part, count_files
from fastauc.files.formats import FORMATS
from fastauc.files.memory import parse_size

CommandLine = argparse.Namespace
Commands = Any  # argparse has no public name for what holds the commands

_IN_ONE_PASS = """\
The files are read as by fastauc score. Rows that fit into --memory-limit are read into memory, and
everything is exact. Others are read once, and counted in bins of the score. Counts at the edges of
bins are exact too; what depends on the order inside a bin is given with its bounds.
"""


class UsageError(ValueError):
    """Options that do not go together; the text is one sentence."""


def add_command(commands: Commands, name: str, brief: str, description: str) -> Any:
    """Add a command that counts rows of files, with the arguments that say which."""
    parser = commands.add_parser(
        name,
        help=brief,
        description=description,
        epilog=_IN_ONE_PASS,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.set_defaults(parser=parser)
    return parser


def add_rows(parser: Any) -> None:
    """Add the files and the columns."""
    add = parser.add_argument
    add("files", nargs="+", metavar="FILE",
        help="file, pattern, folder or URL to read; - is standard input")  # fmt: skip
    add("--label", required=True, metavar="COL", help="column of labels, of two classes")
    add("--score", required=True, action="append", metavar="COL", dest="scores",
        help="column of scores, higher for the positives; may be repeated")  # fmt: skip
    add("--lower-is-positive", action="store_false", dest="higher_is_positive",
        help="the scores are lower for the positives, as points of a scorecard are for bad loans: "
        "predicted positive are rows at or below a threshold")  # fmt: skip
    add("--weight", metavar="COL", help="column of weights of the rows")
    add("--pos-label", metavar="V", help="label of the positives; 1 (or true) if left out")
    add("--missing", choices=("error", "drop"), default="error",
        help="what is done with rows in which one of the scores is missing")  # fmt: skip
    add("--format", choices=[ending[1:] for ending in FORMATS],
        help="format of all files, whatever their names; of - as well")  # fmt: skip
    add("--delimiter", type=_delimiter, metavar="C",
        help="character between two values of CSV, or 'tab'; a comma if left out")  # fmt: skip
    add("--decimal", choices=(".", ","), default=".",
        help="character before the decimals of CSV; a point if left out")  # fmt: skip
    add("--threads", type=positive_integer, metavar="N",
        help="threads; FASTAUC_NUM_THREADS or all cores")  # fmt: skip
    add("--quiet", action="store_true", help="show no progress bar")


def add_memory_limit(parser: Any) -> None:
    """Add the limit of the memory, to a parser or to a group of it."""
    parser.add_argument("--memory-limit", type=_size, metavar="SIZE",
                        help="memory to use, such as 2GB or 512MiB; half of what the process "
                        "may have if left out")  # fmt: skip


def add_money(parser: Any) -> None:
    """Add what a row costs, and what a positive one brings."""
    add = parser.add_argument
    add("--cost", type=at_least_zero, metavar="X", help="what each chosen row costs")
    add("--revenue", type=at_least_zero, metavar="X", help="what each positive among them brings")


def add_output(parser: Any, endings: Sequence[str], *, required: bool = False) -> None:
    """Add the file to write; its ending is one of those."""
    parser.add_argument("-o", "--out", required=required, metavar="PATH", dest="output",
                        help=f"file to write, replaced whole: {', '.join(endings)}")  # fmt: skip
    parser.set_defaults(endings=tuple(endings))


def positive_integer(text: str) -> int:
    """Return the integer of 1 or more that a text names."""
    if not (text.isascii() and text.isdecimal()) or int(text) == 0:
        raise argparse.ArgumentTypeError(f"{text!r} is not a positive integer")
    return int(text)


def _delimiter(text: str) -> str:
    character = {"tab": "\t", "\\t": "\t"}.get(text, text)
    if len(character) != 1 or not character.isascii() or character in '"\r\n':
        raise argparse.ArgumentTypeError(f"{text!r} is not one ASCII character, or 'tab'")
    return character


def _size(text: str) -> int:
    try:
        return parse_size(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from error


def at_least_zero(text: str) -> float:
    """Return the finite number of 0 or more that a text names."""
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not (math.isfinite(value) and value >= 0):
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of 0 or more")
    return value


def share(text: str) -> float:
    """Return the number from 0 to 1 that a text names."""
    value = at_least_zero(text)
    if value > 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from 0 to 1")
    return value


def inner_share(text: str) -> float:
    """Return the number between 0 and 1 that a text names."""
    value = share(text)
    if value in (0, 1):
        raise argparse.ArgumentTypeError(f"{text!r} is not a number between 0 and 1")
    return value


def given_money(options: CommandLine, *, needed_for: str | None = None) -> dict[str, float]:
    """Return ``cost`` and ``revenue``, or nothing if neither is given."""
    given = {name: getattr(options, name) for name in ("cost", "revenue")}
    if all(amount is None for amount in given.values()) and needed_for is None:
        return {}
    for name, amount in given.items():
        if amount is None:
            reason = "the other amount is given" if needed_for is None else f"of {needed_for}"
            raise UsageError(f"--{name} is missing; it is needed, because {reason}")
    return given


def check_output(options: CommandLine) -> None:
    """Refuse an output that cannot be written, before the files are read."""
    path = options.output
    if path is None:
        return
    if ending_of(path) not in options.endings:
        listed = ", ".join(options.endings)
        raise UsageError(f"argument -o/--out: {path!r} does not end in one of {listed}")
    folder = os.path.dirname(os.path.abspath(path))
    reason = None
    if os.path.isdir(path):
        reason = "it is a folder"
    elif not os.path.isdir(folder):
        reason = "its folder does not exist"
    elif not os.access(folder, os.W_OK):
        reason = "its folder is not writable"
    if reason is not None:
        raise DataError(f"{path}: cannot be written: {reason}")


@contextlib.contextmanager
def given_files(options: CommandLine) -> Iterator[list[Source]]:
    """Find the files; they can be read repeatedly."""
    if options.delimiter == options.decimal:
        raise UsageError(f"--delimiter and --decimal are both {options.decimal!r}")
    reading = {name: getattr(options, name) for name in ("format", "delimiter", "decimal")}
    with located(options.files, **reading) as files:
        yield files


def nan_policy_of(options: CommandLine) -> str:
    """Return what the API calls the choice of --missing."""
    return "omit" if options.missing == "drop" else "raise"


def read_parts(options: CommandLine, by: str | None = None) -> list[Part]:
    """Return the rows of the files: all of them, and then each group."""
    with given_files(options) as files, progress_bar(options.quiet) as progress:
        return count_files(
            files,
            label=options.label,
            score=options.scores,
            weight=options.weight,
            pos_label=options.pos_label,
            higher_is_positive=options.higher_is_positive,
            nan_policy=nan_policy_of(options),
            by=by,
            memory_limit=options.memory_limit,
            n_jobs=options.threads,
            progress=progress,
        )
