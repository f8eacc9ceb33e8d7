"""The page of a report: its content as text, tables and pictures."""

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

from fastauc import __version__
from fastauc._counts.confusion_matrix import ConfusionMatrix
from fastauc._drawing.words import in_words, percent, percents
from fastauc._rows import note_of_reversal
from fastauc.inference import PairwiseTests
from fastauc.reports._content import CONFIDENCE_LEVEL, TOP_SHARE, Figures, ModelReport, Report
from fastauc.reports._html import escaped, page, paragraph, section, table_of
from fastauc.reports._pictures import STYLE, draw_curves, draw_groups, draw_model, scales_of_scores
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
    "youden": "Highest TPR - FPR (Youden)",
    "f1": "Highest F1",
    "accuracy": "Highest accuracy",
    "max_fpr": "Highest recall with an FPR of at most {limit:g}",
    "min_recall": "Lowest FPR with a recall of at least {limit:g}",
    "cost": "Lowest mean cost per row",
    "profit": "Highest profit",
}
_MISSING = "-"
_MOST_DECIMALS = 6


class Names(NamedTuple):
    """The names that the user gave to columns and files; None for those without a name."""

    title: str
    files: str | None = None
    label: str | None = None
    pos_label: str | None = None
    weight: str | None = None
    by: str | None = None


def as_page(report: Report, names: Names) -> str:
    """Return the report as a complete page."""
    is_bounded = not all(model.exact for model in report.models)
    parts = [_facts(report, names)]
    if is_bounded:
        parts.append(paragraph(_BOUNDED, "notice"))
    figures = [each.figures for each in report.models]
    parts.append(section("Summary", _figures_table(figures) + _notes_of_reversal(report)))
    if report.comparisons is not None:
        parts.append(section("Are the models different?", _comparisons(report, report.comparisons)))
    parts.append(section("Curves", draw_curves(report.models)))
    for model, scales in zip(report.models, scales_of_scores(report.models), strict=True):
        tables = (
            f"<h3>Gains table</h3>\n{_gains(model)}"
            f"<h3>Recommended thresholds</h3>\n{_thresholds(model)}{_matrix(model)}"
        )
        parts.append(section(f"Model {model.figures.score}", draw_model(model, scales) + tables))
    if report.groups:
        parts.append(section(f"By {names.by}", _by_group(report)))
    reading = _READING.format(sides=_sides(report))
    parts.append(f"<footer><p>{escaped(reading)}</p><p>fastauc {__version__}</p></footer>\n")
    return page(names.title, "".join(parts), STYLE)


# Numbers ------------------------------------------------------------------------------------------


def _whole(count: float) -> str:
    return f"{count:,}" if isinstance(count, int) else _amount(count)


def _amount(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 1000 else _number(value)


def _number(value: float) -> str:
    return _MISSING if math.isnan(value) else f"{value:.4g}"


def _pvalue(p: float) -> str:
    if math.isnan(p):
        return _MISSING
    return f"{p:.3f}" if p >= 0.001 else "< 0.001"


def _aligned(values: Sequence[float]) -> list[str]:
    """Return numbers with the same decimals: none for integers, else four digits in the largest."""
    most = max((abs(value) for value in values if math.isfinite(value)), default=0.0)
    digits = 3 - math.floor(math.log10(most)) if most > 0 else 0
    decimals = 0 if all(value % 1 == 0 for value in values) else max(digits, 0)
    if decimals > _MOST_DECIMALS:
        return [_number(value) for value in values]
    return [_MISSING if math.isnan(value) else f"{value:,.{decimals}f}" for value in values]


def _threshold(value: float) -> str:
    # Rows are selected by it: a rounded one would select others.
    if math.isnan(value):
        return _MISSING
    return "none (no row)" if math.isinf(value) else repr(value)


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
        *([] if names.files is None else [["Files", names.files]]),
        ["Rows", _whole(figures.n_rows)],
        ["Positives", f"{_whole(figures.n_pos)} ({percent(figures.n_pos / figures.n_rows)})"],
        ["Negatives", f"{_whole(n_neg)} ({percent(n_neg / figures.n_rows)})"],
        *([] if report.dropped is None else [["Missing scores", report.dropped.sentence()]]),
        *([] if names.label is None else [["Label column", names.label]]),
        ["Positive label", names.pos_label or "1 or true"],
    ]
    if first.weights is None:
        rows.append(["Weights", "none: each row counts once"])
    else:
        neg, pos = first.weights
        weights = f"positives {_whole(pos)}, negatives {_whole(neg)}"
        title = "Weights" if names.weight is None else f"Weights, column {names.weight}"
        rows.append([title, weights])
    for model in report.models:
        kind = "distinct scores" if model.exact else "score bins that hold rows"
        ties = model.figures.tie_share
        tied = (
            "" if ties is None or math.isnan(ties) else f"; {percent(ties)} of the pairs are tied"
        )
        rows.append(
            [f"Scores, column {model.figures.score}", f"{_whole(model.n_distinct)} {kind}{tied}"]
        )
    return table_of(None, rows)


def _figures_table(figures: Sequence[Figures], first: Sequence[str] | None = None) -> str:
    """Return a table with one row of metrics for each model; ``first`` are names to begin with."""
    top = percent(TOP_SHARE)
    level = percent(CONFIDENCE_LEVEL)
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
    shown = ", ".join(name.title() for name in methods)
    return paragraph(
        f"Confidence interval of the AUC ({shown}). For these rows, the AUC itself is exact.",
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
        note = note_of_reversal(model.figures.roc_auc, model.higher_is_positive)
        if note is not None:
            how = "use" if model.higher_is_positive else "leave out"
            advice = f"{how} higher_is_positive={{{score!r}: False}}"
            on_command_line = f"on the command line, --lower-is-positive {score}"
            notices.append(f"{score}: {note}. If this is intended, {advice} ({on_command_line}).")
    return "".join(paragraph(each, "notice") for each in notices)


def _comparisons(report: Report, tests: PairwiseTests) -> str:
    scores = [model.figures.score for model in report.models]
    interval = f"{percent(CONFIDENCE_LEVEL)} interval"
    columns = ["Models", "AUC difference", interval, "Standard error", "p", "p (Holm)"]
    rows = [
        [
            f"{scores[first]} - {scores[second]}",
            f"{difference:+.4f}",
            _MISSING if math.isnan(low) else f"{low:+.4f} to {high:+.4f}",
            f"{error:.4f}",
            _pvalue(pvalue),
            _pvalue(adjusted),
        ]
        for first, second, difference, error, low, high, _, pvalue, adjusted, _ in zip(
            *(column.tolist() for column in tests), strict=True
        )
    ]
    note = "DeLong's test for two scores on the same rows; p also adjusted by Holm's method."
    return table_of(columns, rows) + paragraph(note, "soft")


_GAINS = {
    "bin": "Bin",
    "n": "Rows",
    "cum_share": "Rows so far",
    "min_score": "Lowest score",
    "max_score": "Highest score",
    "response_rate": "Response rate",
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
_GAINS_OF_WEIGHTS = {
    "n": "Weight",
    "cum_share": "Weight so far",
    "n_pos": "Weight of positives",
}
_SHARES = ("cum_share", "response_rate", "cum_pos_share", "cum_neg_share", "ks", "cum_roi")


def _gains(model: ModelReport) -> str:
    if model.figures.n_pos == 0:
        return paragraph("There are no positives: gain, lift and K-S are undefined.", "soft")
    if model.gains is None:
        return paragraph("There are fewer rows than bins.", "soft")
    table = model.gains.to_dict()
    # The threshold that selects a bin and those before it.
    other_end = "max_score" if model.higher_is_positive else "min_score"
    shown = [name for name in _GAINS if name in table and name != other_end]
    cells = [_gains_column(name, table[name]) for name in shown]
    titles = _GAINS if model.weights is None else _GAINS | _GAINS_OF_WEIGHTS
    return table_of([titles[name] for name in shown], list(zip(*cells, strict=True)))


def _gains_column(name: str, values: list[Any]) -> list[str]:
    if name in _SHARES:
        return percents(values)
    if name == "bin":
        return [str(value) for value in values]
    return _aligned(values)


def _thresholds(model: ModelReport) -> str:
    names, values = [], []
    for facts in model.thresholds:
        names.append(_METHODS[facts["method"]].format(limit=facts["limit"] or 0))
        value = _value(facts["value"])
        if "value_lower" in facts and facts["value_lower"] < facts["value_upper"]:
            lower, upper = facts["value_lower"], facts["value_upper"]
            best = ScoreInterval(lower / 2 + upper / 2, lower, upper, False)
            value += f" (best possible: {in_words(best)})"
        values.append(value)
    columns = {
        "Criterion": names,
        "Threshold": [_threshold(facts["threshold"]) for facts in model.thresholds],
        "Value": values,
    }
    for rate in ("Recall", "FPR", "Precision", "Accuracy"):
        columns[rate] = percents([facts[rate.lower()] for facts in model.thresholds])
    title = "Predicted positive" if model.weights is None else "Weight predicted positive"
    columns[title] = [_whole(facts["tp"] + facts["fp"]) for facts in model.thresholds]
    rows = list(zip(*columns.values(), strict=True))
    note = (
        "Each threshold was chosen on these rows, so its values are optimistic: validate it on new "
        "data."
    )
    return table_of(columns, rows, is_wordy=True) + paragraph(note, "soft")


def _value(value: float) -> str:
    return _MISSING if math.isnan(value) else f"{value:,.{0 if abs(value) >= 1000 else 4}f}"


def _matrix(model: ModelReport) -> str:
    """Return the confusion matrix at a threshold; nothing for one class."""
    facts = model.chosen
    if math.isnan(facts["threshold"]):
        return ""
    matrix = ConfusionMatrix(*(facts[name] for name in ConfusionMatrix._fields))
    tn, fp, fn, tp = matrix
    unit = "rows" if model.weights is None else "weight"
    columns = [f"Number of {unit}", "Predicted positive", "Predicted negative", "All"]
    lines = {"Positives": (tp, fn), "Negatives": (fp, tn), "All": (tp + fp, fn + tn)}
    rows = [
        [name, *(_whole(count) for count in (found, missed, found + missed))]
        for name, (found, missed) in lines.items()
    ]
    criterion = _METHODS[facts["method"]].format(limit=facts["limit"] or 0)
    note = paragraph(f"Threshold {_threshold(facts['threshold'])}: {criterion}.")
    table = table_of(columns, rows, is_wordy=True)
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
        [name.capitalize(), rate, _MISSING if low == _MISSING else f"{low} to {high}"]
        for name, rate, low, high in zip(names, rates, lows, highs, strict=True)
    ]
    columns = ["Rate", "Value", f"{percent(CONFIDENCE_LEVEL)} interval (Wilson)"]
    return table_of(columns, rows, is_wordy=True)


def _by_group(report: Report) -> str:
    groups = report.groups
    scores = [model.figures.score for model in report.models]
    labels = [str(group.group) for group in groups for _ in scores]
    table = _figures_table([one for group in groups for one in group.figures], labels)
    return draw_groups(groups, scores) + table
