"""``fastauc plot roc FILE… -o roc.png``: pictures, by the displays of ``fastauc.plotting``."""

import math
from argparse import ArgumentTypeError, Namespace
from collections.abc import Callable
from typing import Any

from fastauc._cli import arguments, output, written
from fastauc._cli.arguments import UsageError
from fastauc._counts.confusion_counts import threshold_counts
from fastauc._counts.thresholds import METHODS, needed_by
from fastauc._drawing.words import note_on_rows
from fastauc._readings import as_interval
from fastauc._rows import Part, note_of
from fastauc.files import DataError

# Names in fastauc.plotting, which is imported only to draw, so that other commands start faster.
_DISPLAYS = {
    "roc": "RocCurveDisplay",
    "pr": "PrecisionRecallDisplay",
    "det": "DetCurveDisplay",
    "gain": "GainCurveDisplay",
    "lift": "LiftCurveDisplay",
    "ks": "KsDisplay",
    "profit": "ProfitCurveDisplay",
    "distribution": "ScoreDistributionDisplay",
    "gains": "GainsTableDisplay",
    "threshold": "ThresholdDisplay",
    "calibration": "CalibrationDisplay",
    "auc": "AucByGroupDisplay",
}
# Each column of scores has several lines or bars, and so needs its own axes.
_APART = ("ks", "distribution", "gains", "threshold")
_WITH_BINS = ("distribution", "gains", "calibration")
_MARKED = ("roc", "threshold", "distribution")
# By option, the kinds of plots that use it.
_USED_BY = {
    "bins": _WITH_BINS,
    "operating_point": _MARKED,
    "cost": ("profit", "gains"),
    "revenue": ("profit", "gains"),
}
_MOST_ACROSS = 3  # panels side by side
_INCHES = 6.4, 5.2
_DPI = 150


def add_plot(commands: Any) -> None:
    """Add the command that draws."""
    kinds = tuple(_DISPLAYS), "the plot to draw"
    parser = arguments.add_command(commands, _plot, "plot", kinds=kinds)
    arguments.add_output(parser, (".png", ".svg", ".pdf"), required=True)
    add = parser.add_argument
    arguments.add_shared(parser, "--title", "--cost", "--revenue")
    add("--bins", type=arguments.positive_integer, metavar="N",
        help=f"number of bins, for {', '.join(_WITH_BINS)}")  # fmt: skip
    add("--operating-point", type=_threshold, metavar="T",
        help="threshold to mark: a score, or the name of a criterion such as youden or f1; for "
             f"{', '.join(_MARKED)}")  # fmt: skip


def _threshold(text: str) -> float | str:
    """Return a number as a float, and the name of a criterion as it is."""
    names = [method for method in METHODS if not needed_by(method)]
    if text in names:
        return text
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if math.isnan(value):
        raise ArgumentTypeError(f"{text!r} is neither a number nor one of {', '.join(names)}")
    return value


def _plot(options: Namespace) -> str:
    """Draw a curve or a table as a picture.

    Draw a curve, a score distribution or a table with matplotlib (pip install 'fastauc[plot]').
    Several score columns share the same axes, or are drawn side by side where that would be hard to
    read. auc draws the AUC of each group of --by with its 95% confidence interval; of periods,
    along time.
    """
    if options.kind == "auc" and not options.by:
        raise UsageError("plot auc needs --by")
    display_options = _display_options(options)
    arguments.check_output(options)
    with output.needing("matplotlib", "plot", "plot"):
        import matplotlib

    parts = arguments.read_parts(options)
    arguments.check_bins(options, parts[0])
    # Column names are never read as TeX, and the same rows give the same bytes.
    fixed: Any = {"svg.fonttype": "none", "svg.hashsalt": "fastauc"}
    fixed |= {"text.parse_math": False, "text.usetex": False}
    with matplotlib.rc_context(fixed), output.saying_warnings(options) as begin:
        if options.kind == "auc":
            figure, notes = _draw_aucs(options, parts, begin)
        else:
            figure, notes = _draw(options, parts, display_options, begin)
        _finish(figure, options.title, note_on_rows(options.pos_label, parts[0].dropped))
        _save(figure, options.output)
    return f"{options.output}: {'; '.join(notes)}"


def _display_options(options: Namespace) -> dict[str, Any]:
    kind = options.kind
    given = {name: getattr(options, name) for name in _USED_BY}
    arguments.refuse_unused(f"plot {kind}", given, [n for n in _USED_BY if kind in _USED_BY[n]])
    found = {"bins": options.bins} if options.bins is not None else {}
    if options.operating_point is not None and kind == "distribution":
        found["operating_point"] = options.operating_point
    if money := arguments.given_pair(options, needed_for=kind if kind == "profit" else None):
        found |= money if kind == "profit" else money | {"column": "profit"}
    return found


def _draw(
    options: Namespace,
    parts: list[Part],
    display_options: dict[str, Any],
    begin: Callable[[Part], object],
) -> tuple[Any, list[str]]:
    """Return the figure, and a sentence about each column of scores."""
    from matplotlib.figure import Figure

    from fastauc import plotting
    from fastauc._drawing.aucs import MOST_LINES
    from fastauc._drawing.axes import share_scales
    from fastauc._drawing.words import legend_name

    display = getattr(plotting, _DISPLAYS[options.kind])
    drawn_parts = parts[1:] if options.by else parts
    scores = [(part, score) for part in drawn_parts for score in part.scores]
    if len(scores) > MOST_LINES:
        raise DataError(
            f"{parts[0].where}: there are {len(scores)} groups and scores to draw; expected at "
            f"most {MOST_LINES}{'; plot auc draws the AUC of each group' * bool(options.by)}"
        )
    n_axes = len(scores) if options.kind in _APART else 1
    # A row of panels for each group, if it has several scores.
    n_across = min(len(drawn_parts[0].scores), n_axes)
    if not 1 < n_across <= _MOST_ACROSS:
        n_across = min(n_axes, _MOST_ACROSS)
    n_rows = -(-n_axes // n_across)
    size = _INCHES[0] * n_across, _INCHES[1] * n_rows
    figure = Figure(figsize=size, layout="constrained", dpi=_DPI)
    axes = [figure.add_subplot(n_rows, n_across, k + 1) for k in range(n_axes)]
    notes = []
    for number, (part, score) in enumerate(scores):
        begin(part)
        counts = output.counts_of(part, score)
        title = output.title_of(output.names_of(part, score, options))
        notes.append(f"{title}: {note_of(part, counts)}")
        if not threshold_counts(counts).exact:
            output.say("note", notes[-1])
        ax = axes[number % n_axes]
        try:
            drawn = display.from_counts(
                counts,
                higher_is_positive=score not in part.lower_is_positive,
                name=title if n_axes == 1 else None,  # else it is the title of the axes
                ax=ax,
                **display_options,
            )
            if options.operating_point is not None and options.kind != "distribution":
                drawn.add_operating_points(options.operating_point)
        except ValueError as error:
            raise DataError(f"{part.where}: column {score!r}: {error}") from error
        if n_axes > 1:
            ax.set_title(legend_name(title))
    share_scales(axes)
    return figure, notes


def _draw_aucs(
    options: Namespace, parts: list[Part], begin: Callable[[Part], object]
) -> tuple[Any, list[str]]:
    """Return the figure of the AUCs of groups, and a sentence about each column of scores."""
    from matplotlib.figure import Figure

    from fastauc._drawing.aucs import GroupAuc, lines_of_aucs
    from fastauc.plotting import AucByGroupDisplay
    from fastauc.reports._content import CONFIDENCE_LEVEL

    whole, *groups = parts
    known: dict[str, list[GroupAuc]] = {score: [] for score in whole.scores}
    for part in groups:
        begin(part)
        for score in whole.scores:
            estimate = part.roc_auc_ci(score, CONFIDENCE_LEVEL)
            area = part.counts(score).roc_auc() if estimate is None else estimate.statistic
            auc = GroupAuc(part.group, as_interval(area), estimate, part.n_rows, part.n_pos)
            known[score].append(auc)
    lines = lines_of_aucs(options.by, known)
    displays = [(name, AucByGroupDisplay(aucs=aucs)) for name, aucs in lines]
    width, height = _INCHES
    if displays[0][1].is_along_time:
        width *= 1.5
    else:
        height = 1 + 0.25 * len(groups) * len(known)
    figure = Figure(figsize=(width, height), layout="constrained", dpi=_DPI)
    ax = figure.subplots()
    for name, display in displays:
        display.plot(ax, name=name)
    return figure, [f"{score}: AUC of {len(groups)} groups" for score in known]


def _finish(figure: Any, title: str | None, note: str) -> None:
    from fastauc._drawing.axes import make_room, trim

    if title is not None:
        figure.suptitle(title)
    figure.supxlabel(note, fontsize="small", color="0.35")
    make_room(figure)
    trim(figure)


def _save(figure: Any, path: str) -> None:
    ending = written.ending_of(path).removeprefix(".")
    no_date: dict[str, Any] = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}
    with written.writing(path) as file:
        figure.savefig(file, format=ending, metadata=no_date.get(ending))
