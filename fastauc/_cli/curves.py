"""The commands gains, threshold and curve: parse, call, return the text."""

import math
import sys
from argparse import Namespace
from collections.abc import Iterator
from typing import Any

import numpy as np

from fastauc._cli import arguments, output, written
from fastauc._cli.arguments import UsageError
from fastauc._counts.confusion_counts import threshold_counts
from fastauc._counts.result_table import ResultTable
from fastauc._counts.threshold_counts import prepend
from fastauc._counts.thresholds import METHODS, OF_PREVALENCE, Choice, needed_by
from fastauc._readings import Counts
from fastauc._rows import Part, note_of
from fastauc._tables import as_text
from fastauc._validation.arrays import opposite
from fastauc.streaming import ScoreHistogram

_RATES = {
    "roc": ("fpr", "tpr"),
    "pr": ("recall", "precision"),
    "det": ("fpr", "fnr"),
    "gain": ("share", "tpr"),
    "lift": ("share", "lift"),
    "ks": ("share", "tpr", "fpr"),
    "profit": ("share", "profit"),
}
CURVES = tuple(_RATES)


def curve_table(kind: str, counts: Counts, money: dict[str, float]) -> ResultTable:
    """Return the points of a curve, from threshold infinity down; ``money`` is for "profit".

    The rates are those of the function of that name; the point of the precision-recall curve that
    has no threshold gets infinity.
    """
    if kind == "pr":
        precision, recall, thresholds = counts.precision_recall_curve()
        arrays = [recall[::-1], precision[::-1], prepend(math.inf, thresholds[::-1])]
    elif kind == "det":
        arrays = [np.flip(array) for array in counts.det_curve()]
    elif kind == "profit":
        arrays = list(counts.profit_curve(**money))
    else:
        arrays = list(getattr(counts, f"{kind}_curve")())
    return ResultTable(dict(zip((*_RATES[kind], "threshold"), arrays, strict=True)))


# The tables of gains ------------------------------------------------------------------------------

_SEEN = ("n_pos", "response_rate", "cum_pos_share", "ks")


def add_gains(commands: Any) -> None:
    """Add the command that prints gains tables."""
    parser = arguments.add_command(commands, _gains, "gains")
    add = parser.add_argument
    add("--ties", choices=("group", "split"), default="group",
        help="keep tied rows at a bin boundary together (default), or split them "
        "proportionally")  # fmt: skip
    arguments.add_shared(parser, "--bins", "--cost", "--revenue", "--json")
    arguments.add_output(parser, (".csv", ".xlsx", ".md"))


def _gains(options: Namespace) -> str:
    """Tabulate gain, lift and profit by score bin.

    Tabulate rows from the best scores to the worst in bins of equal size: response rate, gain,
    lift, Kolmogorov-Smirnov distance and, with --cost and --revenue, profit; one table per score
    column. --json, .csv and .xlsx have more columns.
    """
    binning: dict[str, Any] = {"ties": options.ties} | arguments.given_pair(options)
    arguments.check_output(options)
    parts = arguments.read_parts(options)
    arguments.check_bins(options, parts[0])
    tables: list[written.NamedTable] = []
    objects: list[dict[str, Any]] = []
    with output.saying_warnings(options) as begin:
        for part in parts:
            begin(part)
            binning["bins"] = min(options.bins, part.n_rows)
            for score in part.scores:
                counts = output.counts_of(part, score)
                table = part.gains_table(score, counts, **binning)
                of = output.names_of(part, score, options)
                tables.append(written.NamedTable(of, note_of(part, counts), table))
                facts = _facts(part, counts, score) | output.direction_of(
                    score, options.lower_is_positive
                )
                objects.append(of | facts | {"table": table.to_dict()})
    seen = [each._replace(table=_seen(each, options)) for each in tables]
    if options.output is not None:
        is_text = written.ending_of(options.output) == ".md"
        written.write_tables(options, seen if is_text else tables, "gains", parts[0])
    return output.as_json_lines(objects) if options.json else _as_text(seen)


def _seen(named: written.NamedTable, options: Namespace) -> ResultTable:
    """Return the columns of a table to look at; a bin ends at its threshold."""
    is_lower = named.of["score"] in options.lower_is_positive
    seen = ["bin", "n", "max_score" if is_lower else "min_score", *_SEEN]
    seen.append("cum_profit" if "cum_profit" in named.table.columns else "cum_lift")
    return ResultTable({name: named.table[name] for name in seen})


def _as_text(tables: list[written.NamedTable]) -> str:
    width = output.terminal_width()
    texts = [as_text(dict(each.table), width=width).replace("nan", "  -") for each in tables]
    return "\n\n".join(
        f"{each.title}: {each.note}\n{text}" for each, text in zip(tables, texts, strict=True)
    )


def _facts(part: Part, counts: Counts, score: str) -> dict[str, Any]:
    facts: dict[str, Any] = {"n": part.n_rows, "positives": part.n_pos} | _dropped(part, score)
    facts["exact"] = threshold_counts(counts).exact
    if isinstance(counts, ScoreHistogram):
        bounds = {"auc": counts.roc_auc(), "ks": counts.ks()}
        facts["bounds"] = {name: [each.lower, each.upper] for name, each in bounds.items()}
    return facts


def _dropped(part: Part, score: str) -> dict[str, int]:
    return {} if part.dropped is None else part.dropped.columns(score)


# Thresholds ---------------------------------------------------------------------------------------


def add_threshold(commands: Any) -> None:
    """Add the command that finds the best threshold."""
    parser = arguments.add_command(commands, _threshold, "threshold")
    add = parser.add_argument
    add("--method", choices=METHODS, default="youden", help="the criterion (default: youden)")
    arguments.add_shared(parser, "--cost-fp", "--cost-fn", "--cost", "--revenue", "--json")
    add("--limit", type=arguments.share, metavar="R",
        help="the limit of max_fpr, min_recall and min_precision, from 0 to 1")  # fmt: skip
    add("--prevalence", type=arguments.inner_share, metavar="P",
        help="share of positives where the threshold will be used, if it differs from these rows: "
        "value, precision and accuracy are computed at it")  # fmt: skip
    arguments.add_output(parser, written.ROWS)


def _choice(options: Namespace) -> Choice:
    """Return the criterion; refuse missing options, and options that it does not use."""
    method = options.method
    needed = needed_by(method)
    given = {name: getattr(options, name) for name in Choice._fields if name != "method"}
    for name in needed:
        if given[name] is None:
            raise UsageError(f"--method {method} needs --{name.replace('_', '-')}")
    of_prevalence = ["prevalence"] if method in OF_PREVALENCE else []
    arguments.refuse_unused(f"--method {method}", given, [*needed, *of_prevalence])
    return Choice(method, **given)


def _threshold(options: Namespace) -> str:
    """Find the best threshold by a criterion.

    Print the best threshold by a criterion and the rates there, one line per score column. A row is
    predicted positive if its score is at or above the threshold (at or below it with
    --lower-is-positive). With --prevalence, the value and the precision and accuracy columns named
    for it are computed at that prevalence; tn, fp, fn and tp count the rows that were read.
    """
    choice = _choice(options)
    arguments.check_output(options)
    parts = arguments.read_parts(options)
    rows = []
    with output.saying_warnings(options) as begin:
        for part in parts:
            begin(part)
            for score in part.scores:
                (facts,) = part.thresholds(score, output.counts_of(part, score), [choice])
                of = output.names_of(part, score, options)
                facts |= output.direction_of(score, options.lower_is_positive)
                rows.append(of | facts | _dropped(part, score))
    lines = output.as_json_lines(rows)
    if options.output is not None:
        written.write_rows(options, {"thresholds": rows}, lines)
    return lines if options.json else output.as_rows(rows)


# Curves -------------------------------------------------------------------------------------------


def add_curve(commands: Any) -> None:
    """Add the command that writes the points of a curve."""
    parser = arguments.add_command(commands, _curve, "curve", kinds=(CURVES, "the curve"))
    arguments.add_shared(parser, "--cost", "--revenue")
    arguments.add_output(parser, (".csv", ".xlsx"))


def _curve(options: Namespace) -> str | None:
    """Write the points of a curve.

    Write the points of a curve (ROC, precision-recall, DET, gain, lift, Kolmogorov-Smirnov or
    profit) and their thresholds, as CSV to standard output or to a file.
    """
    money = arguments.given_pair(options, needed_for="profit") if options.kind == "profit" else {}
    arguments.check_output(options)
    parts = arguments.read_parts(options)
    said: list[str] = []

    def tables() -> Iterator[written.NamedTable]:
        # One after the other: curves may be as large as the files.
        for part, score in ((each, score) for each in parts for score in each.scores):
            begin(part)
            counts = output.counts_of(part, score)
            table = curve_table(options.kind, counts, money)
            if score in part.lower_is_positive:
                own = {"threshold": opposite(table["threshold"])}
                table = ResultTable(dict(table) | own)
            of = output.names_of(part, score, options)
            named = written.NamedTable(of, note_of(part, counts), table)
            if not threshold_counts(counts).exact:
                output.say("note", f"{named.title}: {named.note}")
            said.append(f"{named.title}: {len(table)} points; {named.note}")
            yield named

    with output.saying_warnings(options) as begin:
        if options.output is None:
            for line in written.csv_text(options, written.lines_of_tables(tables())):
                sys.stdout.write(line.replace("\r\n", "\n"))
            return None
        written.write_tables(options, tables(), options.kind)
    return "\n".join(said)
