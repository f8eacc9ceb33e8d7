"""The textbook definitions of pairs, areas, curves, counts, and of bounds of them."""

import math
from fractions import Fraction
from itertools import combinations, product

from naive.gains import _points, gain_at, gain_score
from naive.pairs import area_of, compare_pairs
from naive.parts import area_up_to
from naive.rows import (
    HALF,
    listed,
    of_rows,
    of_unweighted_rows,
    ratio,
    rows_of as _rows,
    totals,
    weights_of,
)

# Counts at thresholds ---------------------------------------------------------------------------


@of_rows
def confusion_matrix_at_thresholds(rows):
    n_pos, n_neg = totals(rows)
    thresholds, fps, tps = map(list, zip(*_points(rows)[1:], strict=True))
    return [n_neg - fp for fp in fps], fps, [n_pos - tp for tp in tps], tps, thresholds


def confusion_matrix(tn, fp, fn, tp):
    tpr, tnr = ratio(tp, tp + fn), ratio(tn, tn + fp)
    return {
        "tpr": tpr,
        "recall": tpr,
        "sensitivity": tpr,
        "fpr": ratio(fp, tn + fp),
        "tnr": tnr,
        "specificity": tnr,
        "fnr": ratio(fn, tp + fn),
        "precision": ratio(tp, tp + fp),
        "accuracy": ratio(tp + tn, tn + fp + fn + tp),
        "balanced_accuracy": (tpr + tnr) / 2,
        "npv": ratio(tn, tn + fn),
        "f1": ratio(2 * tp, 2 * tp + fp + fn),
        "positive_likelihood_ratio": _ratio_of_rates(tpr, ratio(fp, tn + fp)),
        "negative_likelihood_ratio": _ratio_of_rates(ratio(fn, tp + fn), tnr),
    }


def _ratio_of_rates(rate, other):
    return math.inf if other == 0 and rate > 0 else ratio(rate, other)


def confusion_counts(tns, fps, fns, tps, thresholds):
    n_pos, n_neg = tps[-1], fps[-1]
    fpr = [ratio(fp, n_neg) for fp in fps]
    tpr = [ratio(tp, n_pos) for tp in tps]
    area = tied = average_precision = Fraction(0)
    fp_before = tp_before = 0
    for fp, tp in zip(fps, tps, strict=True):
        area += Fraction((fp - fp_before) * (tp + tp_before)) / 2
        tied += (fp - fp_before) * (tp - tp_before)
        average_precision += (tp - tp_before) * ratio(tp, tp + fp)
        fp_before, tp_before = fp, tp
    defined = n_pos != 0 and n_neg != 0
    return {
        "roc_auc": ratio(area, n_pos * n_neg),
        "gini": 2 * ratio(area, n_pos * n_neg) - 1,
        "tie_share": ratio(tied, n_pos * n_neg),
        "ks": max(abs(y - x) for x, y in zip(fpr, tpr, strict=True)) if defined else math.nan,
        "average_precision": ratio(average_precision, n_pos),
    }


# Areas: pairs -----------------------------------------------------------------------------------


@of_unweighted_rows
def concordance(rows):
    concordant, tied, _ = compare_pairs(rows)
    n_pos = sum(positive for positive, _, _ in rows)
    return concordant, tied, n_pos, len(rows) - n_pos


def concordance_counts(concordant, tied, n_pos, n_neg):
    area = ratio(concordant + HALF * tied, n_pos * n_neg)
    return {"discordant": n_pos * n_neg - concordant - tied, "fraction": area, "auc": area}


@of_rows
def gini_score(rows):
    return 2 * area_of(rows) - 1


def roc_auc_score(
    y_true,
    y_score,
    *,
    average="macro",
    sample_weight=None,
    max_fpr=None,
    multi_class="raise",
    labels=None,
):
    y_true, y_score = listed(y_true), listed(y_score)

    def metric(rows):
        return area_of(rows) if max_fpr is None else area_up_to(rows, max_fpr)

    if multi_class == "ovo":
        classes = sorted(set(y_true)) if labels is None else listed(labels)
        return _average_pairs(y_true, y_score, classes, average, sample_weight)
    pos_label = None if isinstance(y_true[0], list) else max(y_true)
    return _of_labels(metric, y_true, y_score, average, sample_weight, pos_label, labels)


# Averages ---------------------------------------------------------------------------------------


def _of_labels(metric, y_true, y_score, average, sample_weight, pos_label, labels=None):
    """Return a metric of two classes, of several against the rest, or of a matrix of labels."""
    if isinstance(y_true[0], list):
        truth = [[label == 1 for label in row] for row in y_true]
        return _average(metric, truth, y_score, average, sample_weight, y_true)
    if not isinstance(y_score[0], list):
        return metric(_rows(y_true, y_score, sample_weight, pos_label))
    classes = sorted(set(y_true)) if labels is None else listed(labels)
    truth = [[label == name for name in classes] for label in y_true]
    return _average(metric, truth, y_score, average, sample_weight, truth)


def _average(metric, truth, scores, average, sample_weight, amounts):
    """Average a metric over the columns of a matrix of labels, over its rows, or take all cells.

    ``amounts`` is what is added up in a column to give its weight in the weighted average.
    """
    weights = weights_of(sample_weight, len(truth))
    rows, columns = range(len(truth)), range(len(truth[0]))

    def cell(row, column, weight):
        return truth[row][column], scores[row][column], weight

    weighted_rows = [row for row in rows if weights[row] != 0]
    if average == "micro":
        return metric([cell(r, c, weights[r]) for r in weighted_rows for c in columns])
    if average == "samples":
        values = [metric([cell(r, c, Fraction(1)) for c in columns]) for r in weighted_rows]
        return _mean(values, [weights[r] for r in weighted_rows])
    values = [metric([cell(r, c, weights[r]) for r in weighted_rows]) for c in columns]
    if average is None:
        return values
    if average == "macro":
        return _mean(values, [Fraction(1) for _ in columns])
    totals = [sum(amounts[r][c] * weights[r] for r in rows) for c in columns]
    if sum(totals) == 0:
        return Fraction(0)
    return _mean(values, totals)


def _mean(values, weights):
    total = sum(weights)
    terms = [value * weight for value, weight in zip(values, weights, strict=True) if weight != 0]
    return sum(terms) / total


def _average_pairs(y_true, y_score, classes, average, sample_weight):
    """Average the areas of every pair of classes (Hand and Till, 2001)."""
    rows = list(zip(y_true, y_score, weights_of(sample_weight, len(y_true)), strict=True))
    values, amounts = [], []
    for pair in combinations([name for name in classes if name in y_true], 2):
        own = [row for row in rows if row[0] in pair]
        areas = [
            area_of([(label == name, scores[classes.index(name)], w) for label, scores, w in own])
            for name in pair
        ]
        values.append(sum(areas) / 2)
        amounts.append(sum(w for *_, w in own) if average == "weighted" else Fraction(1))
    return _mean(values, amounts) if values else math.nan


# Curves -----------------------------------------------------------------------------------------


def _ends_of_rises(tps):
    """Return the first point, the last, and every point before or after which tps changes."""
    last = len(tps) - 1
    return [
        i for i in range(len(tps)) if i in (0, last) or tps[i - 1] != tps[i] or tps[i] != tps[i + 1]
    ]


def _changes_of_step(fps, tps):
    """Return the first point, the last, and every point at which the step of a count changes."""
    last = len(fps) - 1
    return [
        i
        for i in range(len(fps))
        if i in (0, last)
        or fps[i] - fps[i - 1] != fps[i + 1] - fps[i]
        or tps[i] - tps[i - 1] != tps[i + 1] - tps[i]
    ]


@of_rows
def roc_curve(rows, *, drop_intermediate=True):
    _, fps, _, tps, thresholds = confusion_matrix_at_thresholds.of_rows(rows)
    kept = _changes_of_step(fps, tps) if drop_intermediate else range(len(fps))
    fpr = [ratio(0, fps[-1]), *(ratio(fps[i], fps[-1]) for i in kept)]
    tpr = [ratio(0, tps[-1]), *(ratio(tps[i], tps[-1]) for i in kept)]
    return fpr, tpr, [math.inf, *(thresholds[i] for i in kept)]


@of_rows
def precision_recall_curve(rows, *, drop_intermediate=False):
    _, fps, _, tps, thresholds = confusion_matrix_at_thresholds.of_rows(rows)
    kept = _ends_of_rises(tps) if drop_intermediate else range(len(fps))
    precision = [tps[i] / (tps[i] + fps[i]) for i in kept]
    recall = [tps[i] / tps[-1] if tps[-1] != 0 else Fraction(1) for i in kept]
    thresholds = [thresholds[i] for i in kept]
    return [*precision[::-1], Fraction(1)], [*recall[::-1], Fraction(0)], thresholds[::-1]


def det_curve(y_true, y_score, pos_label=None, sample_weight=None, drop_intermediate=False):
    _, fps, fns, tps, thresholds = confusion_matrix_at_thresholds(
        y_true, y_score, pos_label=pos_label, sample_weight=sample_weight
    )
    n_pos, n_neg = tps[-1], fps[-1]
    fps, fns, tps = [Fraction(0), *fps], [n_pos, *fns], [Fraction(0), *tps]
    thresholds = [math.inf, *thresholds]
    kept = _ends_of_rises(tps) if drop_intermediate else range(len(fps))
    fps, fns = [fps[i] for i in kept], [fns[i] for i in kept]
    thresholds = [thresholds[i] for i in kept]
    first = max(i for i, fp in enumerate(fps) if fp == 0)
    last = min(i for i, fn in enumerate(fns) if fn == 0)
    shown = range(last, first - 1, -1)
    return (
        [ratio(fps[i], n_neg) for i in shown],
        [ratio(fns[i], n_pos) for i in shown],
        [thresholds[i] for i in shown],
    )


# Numbers read off the counts --------------------------------------------------------------------


def _average_precision(rows):
    return confusion_counts(*confusion_matrix_at_thresholds.of_rows(rows))["average_precision"]


def _average_precision_or_0(rows):
    value = _average_precision(rows)
    return Fraction(0) if math.isnan(value) else value


def average_precision_score(y_true, y_score, *, average="macro", pos_label=1, sample_weight=None):
    y_true, y_score = listed(y_true), listed(y_score)
    return _of_labels(_average_precision_or_0, y_true, y_score, average, sample_weight, pos_label)


@of_rows
def ks_score(rows):
    return confusion_counts(*confusion_matrix_at_thresholds.of_rows(rows))["ks"]


def auc(x, y):
    x, y = [Fraction(v) for v in listed(x)], [Fraction(v) for v in listed(y)]
    area = Fraction(0)
    for i in range(1, len(x)):
        area += (x[i] - x[i - 1]) * (y[i] + y[i - 1]) / 2
    decreasing = any(x[i] < x[i - 1] for i in range(1, len(x)))
    return -area if decreasing else area


# Histograms ---------------------------------------------------------------------------------------


def auc_from_counts(n_pos, n_neg):
    pairs = won = Fraction(0)
    for i, pos in enumerate(listed(n_pos)):
        for j, neg in enumerate(listed(n_neg)):
            pairs += Fraction(pos) * Fraction(neg)
            won += Fraction(pos) * Fraction(neg) * (1 if i > j else HALF if i == j else 0)
    return ratio(won, pairs)


def _orders(n_rows):
    """Return every way to rank rows, where rows may share a rank."""
    ranks = product(range(n_rows), repeat=n_rows)
    return [order for order in ranks if set(order) == set(range(len(set(order))))]


def score_histogram(cells, share=0.5):
    """Return the least and the greatest value over all orders of the rows inside each cell.

    ``cells`` are lists of (is positive, score) in increasing order of the cells. The rows of a cell
    with a single score are tied.
    """
    labels = [positive for cell in cells for positive, _ in cell]
    several = [len({score for _, score in cell}) > 1 for cell in cells]
    orders = [
        _orders(len(cell)) if is_several else [(0,) * len(cell)]
        for cell, is_several in zip(cells, several, strict=True)
    ]
    found = {"roc_auc": [], "gini": [], "average_precision": [], "ks": []}
    found |= {"gain_score": [], "gain_at": []}
    for choice in product(*orders):
        scores = [10 * k + rank for k, order in enumerate(choice) for rank in order]
        rows = _rows(labels, scores, None, True)
        values = confusion_counts(*confusion_matrix_at_thresholds.of_rows(rows))
        values["gain_score"] = gain_score.of_rows(rows)
        values["gain_at"] = gain_at.of_rows(rows, share)
        for name, own in found.items():
            own.append(values[name])
    return {name: (min(values), max(values)) for name, values in found.items()}


def undecided_rows(cells):
    """Return the rows in doubt: those in cells of both classes and of several scores.

    ``cells`` has the rows of each, as those of ``score_histogram``.
    """
    return [
        row
        for cell in cells
        for row in cell
        if len({positive for positive, _ in cell}) > 1 and len({score for _, score in cell}) > 1
    ]


def refine_roc_auc(histogram, chunks, *, tol=0.0, max_rows=2**24, pos_label=None):
    rows = []
    for y_true, y_score, *weight in chunks():
        label = 1 if pos_label is None else pos_label
        rows += _rows(y_true, y_score, weight[0] if weight else None, label)
    return area_of(rows)


def roc_auc_accumulator(batches):
    """Return what the accumulator of these batches of labels and scores answers."""
    rows = [row for labels, scores in batches for row in _rows(labels, scores)]
    concordant, tied, _ = compare_pairs(rows)
    n_pos = sum(positive for positive, _, _ in rows)
    return {
        "compute": area_of(rows),
        "concordance": (concordant, tied, n_pos, len(rows) - n_pos),
    }
