"""The page of a report: its content as text, tables and pictures."""

import math
import platform
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from fastauc import __version__
from fastauc._counts.confusion_matrix import ConfusionMatrix
from fastauc._drawing.words import (
    MISSING,
    in_words,
    note_on_rows,
    percent,
    percents,
    pvalue_in_words,
    with_minus,
)
from fastauc._readings import HEADINGS
from fastauc._rows import column_and_period, note_of_reversal
from fastauc._tables import escaped
from fastauc.inference import Estimate, PairwiseTests
from fastauc.reports._content import (
    CONFIDENCE_LEVEL,
    TOP_SHARE,
    Figures,
    ModelReport,
    Report,
    Settings,
)
from fastauc.reports._html import page, paragraph, section, table_of
from fastauc.reports._pictures import draw_curves, draw_groups, draw_model, style
from fastauc.reports._tables import gains_table, whole
from fastauc.streaming import ScoreInterval

_BOUNDED = (
    "The rows did not fit within the memory limit. They were read once and counted in score bins. "
    "Values written with ± are guaranteed to be within that distance; the others are exact. "
    "Curves are exact at the edges of the score bins; the bins of gains tables end at such edges. "
    "Confidence intervals need the rows in memory."
)
_READING = (
    "A row is predicted positive if its score is {sides}. Tied pairs count one "
    "half in the AUC. Gain: the share of all positives found among the top rows; lift: gain "
    "divided by the share of rows. K-S: the largest distance between TPR and FPR."
)
_METHODS = {
    "youden": "Highest TPR \N{MINUS SIGN} FPR (Youden)",
    "f1": "Highest F1",
    "max_fpr": "Highest recall with an FPR of at most {limit:g}",
    "min_recall": "Lowest FPR with a recall of at least {limit:g}",
    "cost": (
        "Lowest mean cost per row (false positive {cost_fp:,.12g}, false negative {cost_fn:,.12g})"
    ),
    "profit": "Highest profit (cost {cost:,.12g}, revenue {revenue:,.12g})",
}


class Names(NamedTuple):
    """What the user called things, and how; None for what has no name.

    ``made_by`` is the command or the call that makes the page again, and ``files`` has a line for
    each file, with its size and time.
    """

    title: str
    made_by: str
    files: Sequence[str] | None = None
    label: str | None = None
    pos_label: str | None = None
    weight: str | None = None
    by: Sequence[str] = ()


def as_page(report: Report, names: Names, settings: Settings) -> str:
    """Return the report as a complete page."""
    is_bounded = not all(model.exact for model in report.models)
    positive = note_on_rows(names.pos_label, None)
    parts = [paragraph(note_on_rows(names.pos_label, report.dropped)), _facts(report, names)]
    if is_bounded:
        parts.append(paragraph(_BOUNDED, "notice"))
    figures = [each.figures for each in report.models]
    parts.append(section("Summary", _figures_table(figures) + _notes_of_reversal(report)))
    if report.comparisons is not None:
        parts.append(section("Are the models different?", _comparisons(report.comparisons)))
    parts.append(section("Curves", draw_curves(report.models, positive)))
    for model in report.models:
        tables = (
            f"<h3>Gains table</h3>\n{_gains(model)}"
            f"<h3>Thresholds by criterion</h3>\n{_thresholds(model, settings)}"
            f"{_matrix(model, settings)}"
        )
        parts.append(section(f"Model {model.figures.score}", draw_model(model, positive) + tables))
    if report.groups:
        parts.append(
            section(
                f"By {', '.join(map(_grouping, names.by))}", _by_group(report, names.by, positive)
            )
        )
    parts.append(section("Assumptions", _assumptions(report, names, settings)))
    reading = _READING.format(sides=_sides(report))
    parts.append(f"<footer><p>{escaped(reading)}</p></footer>\n")
    return page(names.title, "".join(parts), style())


# Numbers ------------------------------------------------------------------------------------------


def _interval(estimate: Estimate | None, scale: int = 1) -> str:
    """Return the interval of an estimate; with a ``scale`` of 2, that of twice it less 1."""
    if estimate is None or math.isnan(estimate.confidence_interval.low):
        return MISSING
    low, high = (scale * end - (scale - 1) for end in estimate.confidence_interval)
    return with_minus(f"{low:.4f} to {high:.4f}")


# Tables -------------------------------------------------------------------------------------------


def _facts(report: Report, names: Names) -> str:
    first = report.models[0]
    figures = first.figures
    n_neg = figures.n_rows - figures.n_pos
    rows = [
        ["Rows", whole(figures.n_rows)],
        ["Positives", f"{whole(figures.n_pos)} ({percent(figures.n_pos / figures.n_rows)})"],
        ["Negatives", f"{whole(n_neg)} ({percent(n_neg / figures.n_rows)})"],
    ]
    if first.weights is None:
        rows.append(["Weights", "none: each row counts once"])
    else:
        neg, pos = first.weights
        weights = f"positives {whole(pos)}, negatives {whole(neg)}"
        title = "Weights" if names.weight is None else f"Weights, column {names.weight}"
        rows.append([title, weights])
    for model in report.models:
        kind = "distinct scores" if model.exact else "score bins that hold rows"
        ties = model.figures.measures.tie_share
        tied = (
            "" if ties is None or math.isnan(ties) else f"; {percent(ties)} of the pairs are tied"
        )
        rows.append(
            [f"Scores, column {model.figures.score}", f"{whole(model.n_distinct)} {kind}{tied}"]
        )
    return table_of(None, rows)


def _assumptions(report: Report, names: Names, settings: Settings) -> str:
    """Return what the numbers depend on beside the rows, and how to make the page again."""
    import matplotlib

    dropped = report.dropped
    lower = [each.figures.score for each in report.models if not each.higher_is_positive]
    others = len(lower) < len(report.models)
    direction = ["higher scores are positive"] * others
    direction += [f"lower scores are positive: {', '.join(lower)}"] * bool(lower)
    money = {"each row selected costs": "cost", "each positive selected brings": "revenue"}
    costs = {"a false positive costs": "cost_fp", "a false negative costs": "cost_fn"}
    versions = {"fastauc": __version__, "Python": platform.python_version()}
    versions |= {each.__name__: each.__version__ for each in (np, matplotlib)}
    size = "numbers of rows" if report.models[0].weights is None else "weight"
    rows = [
        ["Direction", "; ".join(direction)],
        ["Rows without a score", "none" if dropped is None else dropped.sentence()],
        ["Costs of errors", _amounts(costs, settings.costs)],
        ["Profit", _amounts(money, settings.money)],
        ["Bins", f"{settings.bins}, of equal {size}, tied rows together"],
        ["Intervals", f"{percent(CONFIDENCE_LEVEL)} confidence"],
        *([] if names.label is None else [["Label column", names.label]]),
        *(["Files" if k == 0 else "", file] for k, file in enumerate(names.files or ())),
        ["Made by", names.made_by],
        ["Versions", ", ".join(f"{name} {version}" for name, version in versions.items())],
    ]
    return table_of(None, rows)


def _amounts(words: dict[str, str], given: dict[str, Any]) -> str:
    if not given:
        return "none given"
    return ", ".join(f"{what} {with_minus(f'{given[name]:,.12g}')}" for what, name in words.items())


def _figures_table(
    figures: Sequence[Figures],
    first: tuple[Sequence[str], Sequence[Sequence[str]]] | None = None,
) -> str:
    """Return a table with one row of metrics for each model.

    ``first`` has the titles of the columns that say the group, and these of each row.
    """
    top = percent(TOP_SHARE)
    has_interval = any(each.estimate is not None for each in figures)
    rows = []
    for each in figures:
        area, distance, measures = each.estimate, each.ks_estimate, each.measures
        ends = {"roc_auc": _interval(area), "gini": _interval(area, scale=2)}
        ends["ks"] = _interval(distance)
        cells = {"Score": each.score}
        for name, heading in HEADINGS.items():
            cells[heading] = in_words(getattr(measures, name), 4)
            if name in ends:
                cells[f"{heading} interval"] = ends[name]
        gain = f"{100 * each.gain.estimate:.1f}%" if each.gain.exact else in_words(each.gain, 4)
        cells |= {f"Gain at {top}": gain, f"Lift at {top}": in_words(each.lift, 4)}
        columns = [name for name in cells if has_interval or not name.endswith("interval")]
        rows.append([cells[name] for name in columns])
    if first is not None:
        titles, names = first
        columns = [*titles, "Rows", "Positives", *columns]
        rows = [
            [*own, whole(each.n_rows), whole(each.n_pos), *row]
            for own, each, row in zip(names, figures, rows, strict=True)
        ]
    table = table_of(columns, rows)
    return table + (_on_interval(figures) if has_interval else "")


def _on_interval(figures: Sequence[Figures]) -> str:
    methods = dict.fromkeys(each.estimate.method for each in figures if each.estimate is not None)
    shown = ", ".join(name.title() for name in methods)
    return paragraph(
        f"{percent(CONFIDENCE_LEVEL)} confidence intervals: of AUC and Gini, {shown}; of K-S, "
        "1,000 bootstrap samples, of up to a million rows. For these rows, the values themselves "
        "are exact. In small samples, K-S is biased upwards and its interval too narrow.",
        "soft",
    )


def _sides(report: Report) -> str:
    """Return on which side of a threshold a row is predicted positive."""
    lower = [each.figures.score for each in report.models if not each.higher_is_positive]
    if len(lower) == len(report.models):
        return "at or below the threshold"
    return "at or above the threshold" + (f" (of {', '.join(lower)}: at or below)" if lower else "")


def _notes_of_reversal(report: Report) -> str:
    """Return a notice for each model whose AUC is below one half."""
    notices = []
    for model in report.models:
        score = model.figures.score
        note = note_of_reversal(model.figures.measures.roc_auc, model.higher_is_positive)
        if note is not None:
            how = "use" if model.higher_is_positive else "leave out"
            advice = f"{how} higher_is_positive={{{score!r}: False}}"
            on_command_line = f"on the command line, --lower-is-positive {score}"
            notices.append(f"{score}: {note}. If this is intended, {advice} ({on_command_line}).")
    return "".join(paragraph(each, "notice") for each in notices)


def _comparisons(tests: PairwiseTests) -> str:
    interval = f"{percent(CONFIDENCE_LEVEL)} interval"
    columns = ["Models", "AUC difference", interval, "Standard error", "p", "p (Holm)"]
    rows = [
        [
            f"{first} \N{MINUS SIGN} {second}",
            with_minus(f"{difference:+.4f}"),
            MISSING if math.isnan(low) else with_minus(f"{low:+.4f} to {high:+.4f}"),
            f"{error:.4f}",
            pvalue_in_words(p),
            pvalue_in_words(adjusted),
        ]
        for first, second, difference, error, low, high, _, p, adjusted, _ in zip(
            *(column.tolist() for column in tests), strict=True
        )
    ]
    note = "DeLong's test for two scores on the same rows; p also adjusted by Holm's method."
    return table_of(columns, rows) + paragraph(note, "soft")


def _gains(model: ModelReport) -> str:
    if model.figures.n_pos == 0:
        return paragraph("There are no positives: gain, lift and K-S are undefined.", "soft")
    if model.gains is None:
        return paragraph("There are fewer rows than bins.", "soft")
    return gains_table(
        model.gains,
        is_weighted=model.weights is not None,
        higher_is_positive=model.higher_is_positive,
    )


def _criterion(facts: dict[str, Any], settings: Settings) -> str:
    amounts = {"limit": facts["limit"]} | settings.costs | settings.money
    return _METHODS[facts["method"]].format(**amounts)


def _thresholds(model: ModelReport, settings: Settings) -> str:
    names, values = [], []
    for facts in model.thresholds:
        names.append(_criterion(facts, settings))
        value = _value(facts["value"])
        if "value_lower" in facts and facts["value_lower"] < facts["value_upper"]:
            lower, upper = facts["value_lower"], facts["value_upper"]
            best = ScoreInterval(lower / 2 + upper / 2, lower, upper, False)
            value += f" (best possible: {in_words(best)})"
        values.append(value)
    columns = {
        "Criterion": names,
        "Predicted positive": [facts["predicted_positive"] for facts in model.thresholds],
        "Value": values,
    }
    for rate in ("Recall", "FPR", "Precision", "Accuracy"):
        columns[rate] = percents([facts[rate.lower()] for facts in model.thresholds])
    columns["Rows" if model.weights is None else "Weight"] = [
        whole(facts["tp"] + facts["fp"]) for facts in model.thresholds
    ]
    rows = list(zip(*columns.values(), strict=True))
    note = (
        "Each threshold was chosen on these rows, so its values are optimistic: validate it on new "
        "data."
    )
    return table_of(list(columns), rows) + paragraph(note, "soft")


def _value(value: float) -> str:
    decimals = 0 if abs(value) >= 1000 else 4
    return MISSING if math.isnan(value) else with_minus(f"{value:,.{decimals}f}")


def _matrix(model: ModelReport, settings: Settings) -> str:
    """Return the confusion matrix at a threshold; nothing for one class."""
    facts = model.chosen
    if math.isnan(facts["threshold"]):
        return ""
    matrix = ConfusionMatrix(*(facts[name] for name in ConfusionMatrix._fields))
    tn, fp, fn, tp = matrix
    unit = "Rows" if model.weights is None else "Weight"
    columns = [unit, "Predicted positive", "Predicted negative", "All"]
    lines = {"Positives": (tp, fn), "Negatives": (fp, tn), "All": (tp + fp, fn + tn)}
    rows = [
        [name, *(whole(count) for count in (found, missed, found + missed))]
        for name, (found, missed) in lines.items()
    ]
    cut, why = facts["predicted_positive"], _criterion(facts, settings)
    note = paragraph(f"Scores {cut} are predicted positive: {why[0].lower()}{why[1:]}.")
    table = table_of(columns, rows)
    return f"<h3>Confusion matrix</h3>\n{note}{table}{_rates(matrix, model)}"


def _rates(matrix: ConfusionMatrix, model: ModelReport) -> str:
    """Return the rates at a threshold, with intervals where rows are counted, not weighted."""
    if model.weights is not None:
        return ""
    intervals = matrix.intervals(confidence_level=CONFIDENCE_LEVEL)
    names = ("sensitivity", "specificity", "precision", "accuracy")
    rates = percents([getattr(matrix, name) for name in names])
    lows, highs = (percents([getattr(intervals, name)[end] for name in names]) for end in (0, 1))
    rows = [
        [name.capitalize(), rate, MISSING if low == MISSING else f"{low} to {high}"]
        for name, rate, low, high in zip(names, rates, lows, highs, strict=True)
    ]
    columns = ["Rate", "Value", f"{percent(CONFIDENCE_LEVEL)} interval (Wilson)"]
    return table_of(columns, rows)


def _grouping(by: str) -> str:
    """Return what tells groups apart in words: of "opened:month", "month of opened"."""
    column, period = column_and_period(by)
    return column if period is None else f"{period} of {column}"


def _by_group(report: Report, by: Sequence[str], positive: str) -> str:
    groups = report.groups
    scores = [model.figures.score for model in report.models]
    several = len(by) > 1
    names = [map(str, group.group) if several else [str(group.group)] for group in groups]
    labels = [own for own in map(list, names) for _ in scores]
    figures = [one for group in groups for one in group.figures]
    titles = [_grouping(name) for name in by]
    titles = ["Group"] if titles == [by[0]] else [f"{name[0].upper()}{name[1:]}" for name in titles]
    table = _figures_table(figures, (titles, labels))
    return draw_groups(groups, scores, by, positive) + table
