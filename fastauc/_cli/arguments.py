"""Arguments that commands share: files and columns, the memory limit, costs and revenues."""

import argparse
import contextlib
import math
from collections.abc import Callable, Collection, Iterator, Sequence
from inspect import cleandoc
from typing import Any

from fastauc._cli.output import needing, progress_bar, say_dropped, saying_warnings
from fastauc._cli.written import ending_of, path_beside
from fastauc._counts.result_table import is_device
from fastauc._rows import PERIODS, Part, column_and_period, tells_period
from fastauc.files import DataError, Source
from fastauc.files._counting import count_files
from fastauc.files._formats import FORMATS
from fastauc.files._memory import check_limit, parse_size
from fastauc.files._saved import check_writable
from fastauc.files._sources import located

_IN_ONE_PASS = """\
Files are read the way fastauc score reads them. If the rows fit within --memory-limit, they are
loaded and every value is exact. Otherwise the files are read once and the rows are counted in score
bins: counts at bin edges are exact, and values that depend on the order within a bin are reported
with bounds.
"""


class _AppendNew(argparse._AppendAction):
    """Append a value, unless it has been given before."""

    def __call__(self, parser: Any, namespace: Any, values: Any, option: Any = None) -> None:
        if values not in (getattr(namespace, self.dest) or []):
            super().__call__(parser, namespace, values, option)


class UsageError(ValueError):
    """Options that cannot be combined; the text is one sentence."""


def positive_integer(text: str) -> int:
    """Parse an integer of 1 or more."""
    if not (text.isascii() and text.isdecimal()) or int(text) == 0:
        raise argparse.ArgumentTypeError(f"{text!r} is not a positive integer")
    return int(text)


def _number(expected: str, is_meant: Callable[[float], bool]) -> Callable[[str], float]:
    """Return what parses a finite number."""

    def parse(text: str) -> float:
        try:
            value = float(text)
        except ValueError:
            value = math.nan
        if not (math.isfinite(value) and is_meant(value)):
            raise argparse.ArgumentTypeError(f"{text!r} is not a number {expected}")
        return value

    return parse


at_least_zero = _number("of 0 or more", lambda value: value >= 0)
share = _number("from 0 to 1", lambda value: 0 <= value <= 1)
inner_share = _number("between 0 and 1", lambda value: 0 < value < 1)

_SHARED: dict[str, dict[str, Any]] = {
    "--json": {"action": "store_true", "help": "print one JSON object per score column"},
    "--title": {"metavar": "TEXT", "help": "title of the picture or page"},
    "--bins": {"type": positive_integer, "metavar": "N", "default": 10,
               "help": "number of bins in the gains table (default: 10)"},
    "--cost": {"type": at_least_zero, "metavar": "X", "help": "cost of each selected row"},
    "--revenue": {"type": at_least_zero, "metavar": "X",
                  "help": "revenue of each selected positive"},
    "--cost-fp": {"type": at_least_zero, "metavar": "X", "help": "cost of a false positive"},
    "--cost-fn": {"type": at_least_zero, "metavar": "X", "help": "cost of a false negative"},
}  # fmt: skip


def add_command(
    commands: Any,
    run: Callable[[argparse.Namespace], str | None],
    name: str,
    *,
    kinds: tuple[Sequence[str], str] | None = None,
    epilog: str = _IN_ONE_PASS,
) -> Any:
    """Add a command on rows of files, with the arguments that say which files and columns.

    It is described as ``run`` is; ``kinds`` are the choices of a first argument, and what it says.
    """
    brief, _, description = cleandoc(run.__doc__ or "").partition("\n\n")
    parser = commands.add_parser(
        name,
        help=brief[:1].lower() + brief[1:].removesuffix("."),
        description=description,
        epilog=epilog,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.set_defaults(parser=parser, run=run)
    add = parser.add_argument
    if kinds is not None:
        add("kind", choices=kinds[0], help=kinds[1])
    add("files", nargs="+", metavar="FILE",
        help="file, pattern, folder, URL or pipe to read; - is standard input. That and pipes are "
        "copied to a temporary file first, in the folder TMPDIR")  # fmt: skip
    add("--label", required=True, metavar="COL", help="column with the labels of two classes")
    add("--score", required=True, action=_AppendNew, metavar="COL", dest="scores",
        help="column with scores, higher for positives; may be repeated")  # fmt: skip
    add("--lower-is-positive", action=_AppendNew, default=[], metavar="COL",
        help="score column that is lower for positives, like scorecard points for bad loans: rows "
        "at or below a threshold are predicted positive; may be repeated")  # fmt: skip
    add("--weight", metavar="COL", help="column with sample weights")
    add("--by", action=_AppendNew, default=[], metavar="COL",
        help="column with groups, up to 100 of them, each measured as well; of a column of dates, "
        f"COL:PERIOD, where PERIOD is {', '.join(PERIODS[:-1])} or {PERIODS[-1]}; repeated, the "
        "groups are the combinations of values")  # fmt: skip
    add("--date-format", metavar="FORMAT",
        help="how the dates of --by COL:PERIOD are written, such as %%d.%%m.%%Y (default: as "
        "2024-03-05)")  # fmt: skip
    add("--pos-label", metavar="V", help="label of the positive class (default: 1, or true)")
    add("--missing", choices=("error", "drop"), default="error",
        help="treatment of rows in which any score is missing (default: error)")  # fmt: skip
    add("--format", choices=[ending[1:] for ending in FORMATS],
        help="format of all files, whatever their names, and of standard input")  # fmt: skip
    add("--delimiter", type=_delimiter, metavar="C",
        help="CSV field separator, or 'tab' (default: a comma; a semicolon with "
        "--decimal ,; a tab for .tsv)")  # fmt: skip
    add("--decimal", choices=(".", ","), default=".",
        help="CSV decimal separator (default: a point)")  # fmt: skip
    add("--missing-values", type=lambda text: text.split(","), default=(), metavar="WORDS",
        help="texts for a missing value in CSV, as 'NA,\\N,.', besides an empty field, NA, "
        "NULL, NaN and the like")  # fmt: skip
    add("--memory-limit", type=_size, metavar="SIZE",
        help="memory to use, such as 2GB or 512MiB (default: half of the memory available to the "
        "process)")  # fmt: skip
    add("--threads", type=positive_integer, metavar="N",
        help="number of threads (default: FASTAUC_NUM_THREADS, or all cores)")  # fmt: skip
    add("--quiet", action="store_true", help="show no progress bar")
    return parser


def add_shared(parser: Any, *flags: str) -> None:
    """Add options that several commands have."""
    for flag in flags:
        parser.add_argument(flag, **_SHARED[flag])


def add_output(parser: Any, endings: Sequence[str], *, required: bool = False) -> None:
    """Add the file to write; its ending is one of those."""
    parser.add_argument("-o", "--out", required=required, metavar="PATH", dest="output",
                        help=f"file to write or replace: {', '.join(endings)}")  # fmt: skip
    parser.set_defaults(endings=tuple(endings))
    if ".csv" in endings:
        parser.add_argument("--raw", action="store_true",
                            help="write groups and names to a .csv file as they are, even if "
                            "a terminal or a spreadsheet would run them")  # fmt: skip
        parser.add_argument("--out-delimiter", type=_delimiter, metavar="C",
                            help="field separator of CSV output (default: --delimiter if given, "
                            "else a semicolon with a decimal comma, else a comma)")  # fmt: skip
        parser.add_argument(
            "--out-decimal",
            choices=(".", ","),
            help="decimal separator of CSV output (default: --decimal)",
        )


def _delimiter(text: str) -> str:
    character = {"tab": "\t", "\\t": "\t"}.get(text, text)
    if len(character) != 1 or not character.isascii() or character in '"\r\n':
        raise argparse.ArgumentTypeError(f"{text!r} is neither one ASCII character nor 'tab'")
    return character


def _size(text: str) -> int:
    try:
        return check_limit(parse_size(text))
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from error


def given_pair(
    options: argparse.Namespace,
    names: Sequence[str] = ("cost", "revenue"),
    *,
    kind: str = "amount",
    needed_for: str | None = None,
) -> dict[str, float]:
    """Return two amounts, or nothing if neither is given."""
    given = {name: getattr(options, name) for name in names}
    if all(amount is None for amount in given.values()) and needed_for is None:
        return {}
    for name, amount in given.items():
        if amount is None:
            flag, reason = f"--{name.replace('_', '-')}", f"with the other {kind}"
            reason = reason if needed_for is None else f"for {needed_for}"
            raise UsageError(f"{flag} is missing; it is required {reason}")
    return given


def refuse_unused(subject: str, given: dict[str, Any], used: Collection[str]) -> None:
    """Refuse options that a method, or a kind of plot, does not use."""
    for name, value in given.items():
        if value is not None and value is not False and name not in used:
            raise UsageError(f"{subject} does not use --{name.replace('_', '-')}")


def check_bins(options: argparse.Namespace, whole: Part) -> None:
    """Refuse more bins than there are rows."""
    if options.bins is not None and options.bins > whole.n_rows:
        raise DataError(
            f"{whole.where}: there are {whole.n_rows} rows; expected at least as many as --bins, "
            f"{options.bins}"
        )


def check_output(options: argparse.Namespace, *others: str) -> None:
    """Refuse an output that cannot be written, before the files are read.

    ``others`` are the tables that CSV has in a file of their own.
    """
    path = options.output
    if path is None:
        return
    if ending_of(path) not in options.endings:
        listed = ", ".join(options.endings)
        raise UsageError(f"argument -o/--out: {path!r} does not end in one of {listed}")
    if ending_of(path) == ".xlsx":
        with needing("XlsxWriter", "a .xlsx file", "excel"):
            import xlsxwriter  # noqa: F401
    beside = [path_beside(path, name) for name in others] if ending_of(path) == ".csv" else []
    for each in [path, *beside]:
        if not is_device(each):
            check_writable(each)


@contextlib.contextmanager
def given_files(options: argparse.Namespace) -> Iterator[list[Source]]:
    """Find the files; they can be read more than once."""
    periods = [period for _, period in map(column_and_period, options.by) if period]
    if (form := options.date_format) is not None:
        if not periods:
            raise UsageError("--date-format needs --by COL:PERIOD")
        for period in periods:
            if not tells_period(form, period):
                raise UsageError(f"--date-format {form!r} does not tell the {period} of a date")
    names = ("format", "delimiter", "decimal", "missing_values")
    reading = {name: getattr(options, name) for name in names}
    with contextlib.ExitStack() as stack:
        with saying_warnings(options):
            files = stack.enter_context(located(options.files, **reading))
        yield files


def directions(options: argparse.Namespace) -> dict[str, bool]:
    """Return the ``higher_is_positive`` that --lower-is-positive stands for."""
    for name in options.lower_is_positive:
        if name not in options.scores:
            listed = ", ".join(map(repr, options.scores))
            raise UsageError(f"--lower-is-positive {name}: expected a column of --score: {listed}")
    return dict.fromkeys(options.lower_is_positive, False)


def columns_of(options: argparse.Namespace) -> dict[str, Any]:
    """Return which columns are read and how, as arguments of ``fastauc.files.score``."""
    return {
        "label": options.label,
        "score": options.scores,
        "weight": options.weight,
        "pos_label": options.pos_label,
        "higher_is_positive": directions(options),
        "nan_policy": "omit" if options.missing == "drop" else "raise",
        "memory_limit": options.memory_limit,
        "n_jobs": options.threads,
    }


def read_parts(options: argparse.Namespace) -> list[Part]:
    """Return the rows of the files: all of them, and then each group."""
    with given_files(options) as files:
        return parts_of(files, options)


def parts_of(files: list[Source], options: argparse.Namespace) -> list[Part]:
    """Return the rows of files that have been found, as ``read_parts`` does."""
    with progress_bar(options.quiet) as progress:
        how = columns_of(options)
        grouping: dict[str, Any] = {"by": options.by, "date_format": options.date_format}
        parts = count_files(files, **how, **grouping, progress=progress)
    say_dropped(parts[0].where, parts[0].dropped)
    return parts
