"""The page of a report: what it holds, put into words, tables and drawings."""

import math
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from fastauc._report.charts import (
    N_STYLES,
    Dot,
    Line,
    Row,
    bar_chart,
    interval_chart,
    legend_of,
    line_chart,
    nice_axis,
    rates,
)
from fastauc._report.content import (
    CONFIDENCE_LEVEL,
    TOP_SHARE,
    Figures,
    GroupReport,
    ModelReport,
    Report,
)
from fastauc._report.html import escaped, figure, figures, page, paragraph, section, table_of
from fastauc._streaming.bounds import ScoreInterval
from fastauc.plotting._words import in_words, percent

__all__ = ["Names", "as_page"]

_BOUNDED = (
    "The rows did not fit into the memory limit. They were read once and counted in cells of the "
    "score. Figures written with ± are certain to be within that distance; the others are exact. "
    "The curves are exact at the edges of the cells, and the bins of the gains "
    "tables end there. The interval of chance needs the rows in memory."
)
_READING = (
    "A row is predicted positive if its score is at or above the threshold. Tied pairs count one "
    "half in the AUC. Gain: the share of the positives among the best rows; lift: gain by the "
    "share of the rows. K-S: the largest distance between the shares of positives and negatives."
)
_METHODS = {
    "youden": "Largest TPR - FPR (Youden)",
    "f1": "Largest F1",
    "accuracy": "Largest accuracy",
    "max_fpr": "Largest recall with FPR of at most {limit:g}",
    "min_recall": "Least FPR with recall of at least {limit:g}",
    "cost": "Least mean cost of a row",
    "profit": "Largest profit",
}
_MISSING = "-"


class Names(NamedTuple):
    """What the user has called the things that the report is about."""

    title: str
    files: str
    label: str
    pos_label: str | None
    weight: str | None
    by: str | None
    version: str


def as_page(report: Report, names: Names) -> str:
    """Return the report as a page of its own."""
    is_bounded = not all(model.is_certain for model in report.models)
    parts = [_facts(report, names)]
    if is_bounded:
        parts.append(paragraph(_BOUNDED, "notice"))
    parts.append(section("Figures", _figures_table([each.figures for each in report.models])))
    if report.comparisons:
        parts.append(section("Are the models different?", _comparisons(report)))
    parts.append(section("Curves", _curves(report.models)))
    for model in report.models:
        parts.append(section(f"Model {model.figures.score}", _model(model)))
    if report.groups:
        parts.append(section(f"By {names.by}", _by_group(report)))
    parts.append(f"<footer><p>{escaped(_READING)}</p><p>fastauc {names.version}</p></footer>\n")
    return page(names.title, "".join(parts))


# Numbers ------------------------------------------------------------------------------------------


def _whole(count: float) -> str:
    return f"{count:,}" if isinstance(count, int) else _amount(count)


def _amount(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 1000 else _number(value)


def _number(value: float) -> str:
    return _MISSING if math.isnan(value) else f"{value:.4g}"


def _threshold(value: float) -> str:
    # Rows are chosen by it: a rounded one would choose others.
    if math.isnan(value):
        return _MISSING
    return "none (no row)" if value == math.inf else repr(value)


def _share(value: float) -> str:
    return _MISSING if math.isnan(value) else percent(value)


def _interval(figures: Figures) -> str:
    if figures.estimate is None:
        return _MISSING
    low, high = figures.estimate.confidence_interval
    return _MISSING if math.isnan(low) else f"{low:.4f} to {high:.4f}"


def _word(value: ScoreInterval) -> str:
    if math.isnan(value.estimate):
        return "undefined"
    return f"{value.estimate:.4f}" if value.exact else in_words(value)


# Tables -------------------------------------------------------------------------------------------


def _facts(report: Report, names: Names) -> str:
    first = report.models[0]
    figures = first.figures
    n_neg = figures.n_rows - figures.n_pos
    rows = [
        ["Files", names.files],
        ["Rows", _whole(figures.n_rows)],
        ["Positives", f"{_whole(figures.n_pos)} ({_share(figures.n_pos / figures.n_rows)})"],
        ["Negatives", f"{_whole(n_neg)} ({_share(n_neg / figures.n_rows)})"],
        ["Column of labels", names.label],
        ["Label of the positives", names.pos_label or "1 or true"],
    ]
    if first.weights is None:
        rows.append(["Weights", "none: each row counts once"])
    else:
        neg, pos = first.weights
        weights = f"positives {_whole(pos)}, negatives {_whole(neg)}"
        rows.append([f"Weights, column {names.weight}", weights])
    for model in report.models:
        kind = "distinct scores" if model.is_certain else "cells of the score that hold rows"
        ties = model.figures.tie_share
        tied = "" if ties is None or math.isnan(ties) else f"; {_share(ties)} of the pairs are tied"
        rows.append(
            [f"Scores, column {model.figures.score}", f"{_whole(model.n_distinct)} {kind}{tied}"]
        )
    return table_of(None, rows)


def _figures_table(figures: Sequence[Figures], first: Sequence[str] | None = None) -> str:
    """Return a line for each of the figures; ``first`` are names to begin them with."""
    top = f"{TOP_SHARE:.0%}"
    level = f"{CONFIDENCE_LEVEL:.0%}"
    has_interval = any(each.estimate is not None for each in figures)
    columns = ["Score", "AUC", *[f"{level} interval"] * has_interval, "Gini", "Average precision"]
    columns += ["K-S", f"Gain at {top}", f"Lift at {top}"]
    rows = []
    for each in figures:
        words = [each.gini, each.average_precision, each.ks, each.gain, each.lift]
        interval = [_interval(each)] * has_interval
        rows.append([each.score, _word(each.roc_auc), *interval, *map(_word, words)])
    if first is not None:
        columns = ["Group", "Rows", "Positives", *columns]
        rows = [
            [name, _whole(each.n_rows), _whole(each.n_pos), *row]
            for name, each, row in zip(first, figures, rows, strict=True)
        ]
    table = table_of(columns, rows, is_wordy=first is not None)
    return table + (_on_interval(figures) if has_interval else "")


def _on_interval(figures: Sequence[Figures]) -> str:
    methods = dict.fromkeys(each.estimate.method for each in figures if each.estimate is not None)
    shown = ", ".join("DeLong" if name == "delong" else name for name in methods)
    return paragraph(
        f"The interval is that of the AUC over samples of such rows ({shown}); the figure itself "
        "is exact for these rows.",
        "soft",
    )


def _comparisons(report: Report) -> str:
    scores = [model.figures.score for model in report.models]
    columns = ["Models", "Difference of AUC", "Standard error", "p", "p (Holm)"]
    rows = [
        [
            f"{scores[test.first]} - {scores[test.second]}",
            f"{test.difference:+.4f}",
            f"{test.standard_error:.4f}",
            *(
                _MISSING if math.isnan(p) else f"{p:.3g}"
                for p in (test.pvalue, test.adjusted_pvalue)
            ),
        ]
        for test in report.comparisons
    ]
    note = "DeLong's test of two scores of the same rows; adjusted for the number of tests by Holm."
    return table_of(columns, rows) + paragraph(note, "soft")


_GAINS = {
    "bin": "Bin",
    "n": "Rows",
    "cum_share": "Rows so far",
    "min_score": "Least score",
    "response_rate": "Response",
    "n_pos": "Positives",
    "cum_pos_share": "Gain",
    "cum_neg_share": "FPR",
    "ks": "K-S",
    "lift": "Lift",
    "cum_lift": "Lift so far",
    "profit": "Profit",
    "cum_profit": "Profit so far",
    "cum_roi": "ROI so far",
}
_SHARES = ("cum_share", "response_rate", "cum_pos_share", "cum_neg_share", "ks", "cum_roi")


def _gains(model: ModelReport) -> str:
    table = model.gains
    if table is None:
        return paragraph("There are fewer rows than bins.", "soft")
    shown = [name for name in _GAINS if name in table.columns]
    rows = zip(*(table[name].tolist() for name in shown), strict=True)
    cells = [
        [_gains_cell(name, value) for name, value in zip(shown, row, strict=True)] for row in rows
    ]
    return table_of([_GAINS[name] for name in shown], cells)


def _gains_cell(name: str, value: Any) -> str:
    if name in ("bin", "n", "n_pos"):
        return _whole(value)
    if name == "min_score":
        return f"{value:.6g}"
    if name in _SHARES:
        return _share(value)
    return _amount(value)


def _thresholds(model: ModelReport) -> str:
    columns = ["Criterion", "Threshold", "Value", "Recall", "FPR", "Precision", "Accuracy"]
    columns.append("Predicted positive")
    rows = []
    for facts in model.thresholds:
        name = _METHODS[facts["method"]].format(limit=facts["limit"] or 0)
        value = _amount(facts["value"])
        if "value_lower" in facts and facts["value_lower"] < facts["value_upper"]:
            lower, upper = facts["value_lower"], facts["value_upper"]
            best = ScoreInterval(lower / 2 + upper / 2, lower, upper, False)
            value += f" (best of all: {in_words(best)})"
        rates = [_share(facts[rate]) for rate in ("recall", "fpr", "precision", "accuracy")]
        chosen = facts["tp"] + facts["fp"]
        rows.append([name, _threshold(facts["threshold"]), value, *rates, _whole(chosen)])
    note = "A threshold that is best on these rows is too good there: judge it on others."
    return table_of(columns, rows, is_wordy=True) + paragraph(note, "soft")


# Drawings -----------------------------------------------------------------------------------------


def _styles(names: Iterable[str]) -> list[tuple[str, int]]:
    return [(name, number % N_STYLES) for number, name in enumerate(names)]


def _curves(models: Sequence[ModelReport]) -> str:
    styles = _styles(model.figures.score for model in models)
    legend = legend_of(styles)

    def lines(curve: str, steps: bool = False) -> list[Line]:
        return [
            Line(name, *model.curves[curve], style, steps)
            for model, (name, style) in zip(models, styles, strict=True)
        ]

    dots = [
        Dot(f"{name}: largest TPR - FPR, at threshold {model.ks.threshold!r}",
            model.ks.fpr, model.ks.tpr, style)
        for model, (name, style) in zip(models, styles, strict=True)
        if not math.isnan(model.ks.statistic)
    ]  # fmt: skip
    roc = line_chart("ROC curve", rates("False positive rate"), rates("True positive rate"),
                     lines("roc"), dots=dots, chance=((0, 0), (1, 1)))  # fmt: skip
    base = _prevalence(models[0])
    recall = line_chart("Precision-recall curve", rates("Recall"), rates("Precision"),
                        lines("pr", steps=True), chance=((0, base), (1, base)))  # fmt: skip
    gain = line_chart("Gain curve", rates("Share of the rows, the best first"),
                      rates("Share of the positives"), lines("gain"),
                      chance=((0, 0), (1, 1)))  # fmt: skip
    return figures(
        figure("ROC", roc, legend, "Dots: the largest K-S distance. Dotted: chance."),
        figure("Precision and recall", recall, legend, "Dotted: the share of the positives."),
        figure("Gain", gain, legend, "Dotted: rows in random order."),
    )


def _prevalence(model: ModelReport) -> float:
    if model.weights is None:
        return model.figures.n_pos / model.figures.n_rows
    neg, pos = model.weights
    return pos / (neg + pos)


def _model(model: ModelReport) -> str:
    share, tpr, fpr = model.ks_curve
    found = model.ks
    lines = [Line("Positives", share, tpr, 0), Line("Negatives", share, fpr, 1)]
    if not math.isnan(found.statistic):
        ends = np.array([found.tpr, found.fpr])
        lines.append(Line("Largest distance", np.full(2, found.positive_rate), ends, 7))
        caption = (
            f"{found.statistic:.4f} at threshold {found.threshold:.6g}, with "
            f"{_share(found.positive_rate)} of the rows"
            + ("" if model.is_certain else "; the largest at the edges of the cells")
        )
    else:
        caption = "Undefined for one class"
    ks = line_chart("K-S chart", rates("Share of the rows, the best first"),
                    rates("Share of the class"), lines)  # fmt: skip
    legend = legend_of([(line.label, line.style) for line in lines])
    drawn = figures(
        figure("Kolmogorov-Smirnov", ks, legend, caption),
        _distribution(model),
    )
    return (
        f"{drawn}<h3>Gains table</h3>\n{_gains(model)}"
        f"<h3>Recommended thresholds</h3>\n{_thresholds(model)}"
    )


def _distribution(model: ModelReport) -> str:
    edges, negatives, positives, outside = model.distribution
    highest = max(float(negatives.max()), float(positives.max())) or 1.0
    bars = bar_chart(
        "Distribution of the scores",
        nice_axis("Score", float(edges[0]), float(edges[-1])),
        nice_axis("Share of the class", 0.0, highest),
        edges,
        [positives, negatives],
    )
    legend = legend_of([("Positives", 0), ("Negatives", 1)], areas=True)
    caption = f"{len(edges) - 1} bins of equal width"
    if outside > 0:
        caption += f"; {_share(outside)} of the rows are outside"
    return figure("Scores", bars, legend, caption)


def _by_group(report: Report) -> str:
    groups = report.groups
    names = [str(each.group) for each in groups]
    labels = [name for name, each in zip(names, groups, strict=True) for _ in each.figures]
    table = _figures_table([one for each in groups for one in each.figures], labels)
    scores = [model.figures.score for model in report.models]
    styles = _styles(scores)
    rows = []
    for name, group in zip(names, groups, strict=True):
        for figures_of, (_, style) in zip(group.figures, styles, strict=True):
            rows.append(_row(name, figures_of, style))
    known = [end for row in rows for end in (row.low, row.high) if math.isfinite(end)]
    low, high = min(known, default=0.0), max(known, default=1.0)
    axis = nice_axis("AUC", max(low - 0.01, 0.0), min(high + 0.01, 1.0))
    chart = figure(
        "AUC by group", interval_chart("AUC by group", axis, rows), legend_of(styles), ""
    )
    return figures(chart, *_group_curves(groups, scores)) + table


def _row(name: str, figures_of: Figures, style: int) -> Row:
    area, estimate = figures_of.roc_auc, figures_of.estimate
    low, high = area.lower, area.upper
    if estimate is not None and not math.isnan(estimate.confidence_interval.low):
        low, high = estimate.confidence_interval
    return Row(name, area.estimate, low, high, style)


def _group_curves(groups: Sequence[GroupReport], scores: Sequence[str]) -> list[str]:
    if not all(group.curves for group in groups):
        return []
    styles = _styles(str(group.group) for group in groups)
    drawn = []
    for number, score in enumerate(scores):
        lines = [
            Line(name, *group.curves[number], style)
            for group, (name, style) in zip(groups, styles, strict=True)
        ]
        chart = line_chart(f"ROC curves of {score}", rates("False positive rate"),
                           rates("True positive rate"), lines, chance=((0, 0), (1, 1)))  # fmt: skip
        drawn.append(figure(f"ROC by group: {score}", chart, legend_of(styles), ""))
    return drawn
