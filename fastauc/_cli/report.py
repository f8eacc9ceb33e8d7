"""``fastauc report FILE… -o report.html``: one page about all scores."""

from argparse import Namespace
from datetime import UTC, datetime
from typing import Any

from fastauc._cli import arguments, output, written
from fastauc._counts.confusion_counts import threshold_counts
from fastauc._rows import of_positives
from fastauc._validation.errors import warn_if_undefined
from fastauc.files import Source
from fastauc.files._sources import describe

# Files that the page lists.
_MOST_FILES = 20


def add_report(commands: Any) -> None:
    """Add the command that writes a report."""
    parser = arguments.add_command(commands, _report, "report")
    arguments.add_output(parser, (".html", ".htm"), required=True)
    arguments.add_shared(
        parser, "--title", "--bins", "--cost", "--revenue", "--cost-fp", "--cost-fn"
    )


def _report(options: Namespace) -> str:
    """Write a page of metrics, curves and tables.

    Write one self-contained HTML file: AUC with confidence intervals; ROC, precision-recall, gain
    and Kolmogorov-Smirnov curves; score distribution and calibration; gains table, recommended
    thresholds and a confusion matrix; for one or several score columns, overall and by group.
    """
    # Imported here so that other commands start faster.
    from fastauc.reports._content import Settings, make
    from fastauc.reports._page import Names, as_page

    costs = arguments.given_pair(options, ("cost_fp", "cost_fn"), kind="cost")
    settings = Settings(options.bins, arguments.given_pair(options), costs)
    arguments.check_output(options)
    with output.needing("matplotlib", "report", "plot"):
        import matplotlib  # noqa: F401
    with arguments.given_files(options) as files:
        parts = arguments.parts_of(files, options)
        shown = _described(files)
    whole = parts[0]
    names = Names(
        options.title or f"How well scores rank {options.label}: {describe(options.files)}",
        made_by=options.command,
        files=shown,
        label=options.label,
        pos_label=options.pos_label,
        weight=options.weight,
        by=tuple(options.by),
    )
    with output.saying_warnings(options) as begin:
        for part in [*parts[1:], whole]:
            begin(part)
            warn_if_undefined(part.n_pos, part.n_rows - part.n_pos)
        content = make(parts, settings)
        page = as_page(content, names, settings)
    for model in content.models:
        score, area = model.figures.score, model.figures.measures.roc_auc
        output.say_if_reversed(whole.where, score, area, whole.lower_is_positive)
    with written.writing(options.output) as file:
        file.write(page.encode())
    is_exact = all(threshold_counts(each).exact for each in whole.histograms.values())
    sure = "exact" if is_exact else "bounded, not exact: counted in one pass"
    return f"{options.output}: {whole.n_rows} rows, {of_positives(whole.n_pos)}; {sure}"


def _described(files: list[Source]) -> list[str]:
    """Return a line for each file, with its size and the time of its last change if it has them."""
    lines = []
    for source in files[:_MOST_FILES]:
        line = source.shown
        if source.stored is None and not source.is_once:
            time = datetime.fromtimestamp(source.mtime_ns / 1e9, UTC)
            line += f": {source.size:,} bytes, {time:%Y-%m-%d %H:%M} UTC"
        lines.append(line)
    hidden = len(files) - _MOST_FILES
    return lines if hidden <= 0 else [*lines, f"and {hidden} more"]
