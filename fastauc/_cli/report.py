"""``fastauc report FILE… -o report.html``: one page about all scores."""

from fastauc import __version__
from fastauc._cli.arguments import (
    CommandLine,
    Commands,
    UsageError,
    add_command,
    add_memory_limit,
    add_money,
    add_output,
    add_rows,
    at_least_zero,
    check_output,
    given_money,
    positive_integer,
    read_parts,
)
from fastauc._cli.output import check_matplotlib, saying_warnings, writing
from fastauc.files._sources import describe

_REPORT = """\
Write one self-contained HTML file: AUC with confidence intervals; ROC, precision-recall, gain and
Kolmogorov-Smirnov curves; score distribution and calibration; gains table, recommended thresholds
and a confusion matrix; for one or several score columns, overall and by group.
"""


def add_report(commands: Commands) -> None:
    """Add the command that writes a report."""
    parser = add_command(commands, "report", "write a page of metrics, curves and tables", _REPORT)
    parser.set_defaults(run=_report)
    add_rows(parser)
    add = parser.add_argument
    add("--by", metavar="COL", help="column with groups, up to 100 of them")
    add_output(parser, (".html", ".htm"), required=True)
    add("--title", metavar="TEXT", help="title of the page")
    add("--bins", type=positive_integer, default=10, metavar="N",
        help="number of bins in the gains table (default: 10)")  # fmt: skip
    add_money(parser)
    add("--cost-fp", type=at_least_zero, metavar="X", help="cost of a false positive")
    add("--cost-fn", type=at_least_zero, metavar="X", help="cost of a false negative")
    add_memory_limit(parser)


def _report(options: CommandLine) -> str:
    # Imported here so that other commands start faster.
    from fastauc.reports._content import Settings, make
    from fastauc.reports._page import Names, as_page

    costs = {"cost_fp": options.cost_fp, "cost_fn": options.cost_fn}
    missing = [name for name, value in costs.items() if value is None]
    if len(missing) == 1:
        flag = f"--{missing[0].replace('_', '-')}"
        raise UsageError(f"{flag} is missing; it is required with the other cost")
    settings = Settings(options.bins, given_money(options), {} if missing else costs)
    check_output(options)
    check_matplotlib("report")
    scores = list(dict.fromkeys(options.scores))
    parts = read_parts(options, options.by)
    whole = parts[0]
    with saying_warnings(whole.where, options.label, options.weight):
        report = make(parts, scores, settings)
    files = describe(options.files)
    names = Names(
        options.title or f"How well scores rank {options.label}: {files}",
        files,
        options.label,
        options.pos_label,
        options.weight,
        options.by,
        __version__,
    )
    page = as_page(report, names).encode()
    with writing(options.output) as file:
        file.write(page)
    is_certain = all(model.is_certain for model in report.models)
    sure = "exact" if is_certain else "bounded, not exact: counted in one pass"
    dropped = "" if whole.dropped is None else f"; {whole.dropped.sentence()}"
    return f"{options.output}: {whole.n_rows} rows, {whole.n_pos} positives{dropped}; {sure}"
