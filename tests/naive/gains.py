"""The textbook definitions of gain, lift, K-S, gains tables, profit and thresholds.

As in ``naive``: plain loops over rows and fractions, whatever the time. What is undefined is NaN.
"""

import itertools
import math
from fractions import Fraction

from naive.rows import HALF, of_rows, ratio, rows_of, totals


def share_meant(rate, rows):
    """Return the share of the rows that rounds to a rate; the rate if none does."""
    n = sum(weight for _, _, weight in rows)
    # Shares of a total weight are the same, but there may be too many to look at.
    shares = (Fraction(k) / n for k in range(math.floor(n) + 1)) if n < 1000 else ()
    return next((share for share in shares if float(share) == rate), Fraction(rate))


def _weigh(rows, chosen=lambda score: True):
    """Return the negatives and the positives whose score is chosen."""
    fp = sum((w for positive, score, w in rows if not positive and chosen(score)), Fraction(0))
    tp = sum((w for positive, score, w in rows if positive and chosen(score)), Fraction(0))
    return fp, tp


def _thresholds(rows):
    return [math.inf, *sorted({score for _, score, _ in rows}, reverse=True)]


def _points(rows, higher_is_positive=True):
    """Return (threshold, fp, tp) for every threshold, a row being chosen if score >= threshold.

    Of scores that are lower for the positives, if score <= threshold.
    """
    if not higher_is_positive:
        thresholds = [-math.inf, *sorted({score for _, score, _ in rows})]
        return [(t, *_weigh(rows, lambda score, t=t: score <= t)) for t in thresholds]
    return [(t, *_weigh(rows, lambda score, t=t: score >= t)) for t in _thresholds(rows)]


# Curves -----------------------------------------------------------------------------------------


@of_rows
def ks_curve(rows):
    n_pos, n_neg = totals(rows)
    points = _points(rows)
    rates = [(fp + tp) / (n_neg + n_pos) for _, fp, tp in points]
    tpr = [ratio(tp, n_pos) for _, _, tp in points]
    fpr = [ratio(fp, n_neg) for _, fp, _ in points]
    return rates, tpr, fpr, [threshold for threshold, _, _ in points]


@of_rows
def gain_curve(rows):
    rates, tpr, _, thresholds = ks_curve.of_rows(rows)
    return rates, tpr, thresholds


@of_rows
def lift_curve(rows):
    rates, tpr, thresholds = gain_curve.of_rows(rows)
    lift = [y / x for x, y in zip(rates[1:], tpr[1:], strict=True)]
    return rates, [lift[0], *lift], thresholds


@of_rows
def profit_curve(rows, *, cost, revenue):
    rates, _, thresholds = gain_curve.of_rows(rows)
    profit = [Fraction(revenue) * tp - Fraction(cost) * (tp + fp) for _, fp, tp in _points(rows)]
    return rates, profit, thresholds


# Numbers ----------------------------------------------------------------------------------------


@of_rows
def gain_score(rows):
    """Compare every positive with every row, itself included."""
    n_pos, n_neg = totals(rows)
    if n_neg == 0 or n_pos == 0:
        return math.nan
    won = Fraction(0)
    for positive, score, weight in rows:
        for _, other, other_weight in rows:
            if positive:
                share = 1 if score > other else HALF if score == other else 0
                won += share * weight * other_weight
    return won / (n_pos * (n_neg + n_pos))


def _taken(rows, low, high, higher_is_positive=True):
    """Return the part of each row between two numbers of best rows, tied rows in equal parts."""
    parts = []
    for _, score, weight in rows:
        above = sum(w for _, s, w in rows if (s > score if higher_is_positive else s < score))
        tied = sum(w for _, s, w in rows if s == score)
        inside = max(min(high, above + tied) - max(low, above), Fraction(0))
        parts.append(weight * inside / tied)
    return parts


@of_rows
def gain_at(rows, share):
    n_pos, n_neg = totals(rows)
    if n_pos == 0:
        return math.nan
    parts = _taken(rows, Fraction(0), share_meant(share, rows) * (n_neg + n_pos))
    found = (part for part, row in zip(parts, rows, strict=True) if row[0])
    return sum(found, Fraction(0)) / n_pos


@of_rows
def lift_at(rows, share):
    if share == 0:
        n_pos, n_neg = totals(rows)
        fp, tp = _weigh(rows, lambda score: score == max(s for _, s, _ in rows))
        return ratio(tp, n_pos) / ((fp + tp) / (n_neg + n_pos))
    return gain_at.of_rows(rows, share) / share_meant(share, rows)


def share_of_orders(gap, n_pos, n_neg, ends):
    """Return the share of all orders of the rows whose distance is gap / (n_pos n_neg) or more.

    The distance is read after the numbers of rows in ``ends``.
    """
    near = {}
    for i in range(n_pos + 1):
        for j in range(n_neg + 1):
            if i + j in ends and abs(i * n_neg - j * n_pos) >= gap:
                near[i, j] = 0
            elif i == j == 0:
                near[i, j] = 1
            else:
                near[i, j] = near.get((i - 1, j), 0) + near.get((i, j - 1), 0)
    return 1 - Fraction(near[n_pos, n_neg], math.comb(n_pos + n_neg, n_pos))


def ks_statistic(y_true, y_score, *, method="auto", pos_label=None, sample_weight=None):
    """Return the fields of the result, with the exact p-value unless the scores are continuous."""
    rows = rows_of(y_true, y_score, sample_weight, pos_label)
    n_pos, n_neg = totals(rows)
    if n_neg == 0 or n_pos == 0:
        return (math.nan,) * 6
    best = None
    for threshold, fp, tp in _points(rows)[1:]:
        distance = abs(tp / n_pos - fp / n_neg)
        if best is None or distance > best[0]:
            best = distance, threshold, (tp + fp) / (n_pos + n_neg), tp / n_pos, fp / n_neg
    pvalue = math.nan
    if sample_weight is None:
        ends = {int(tp + fp) for _, fp, tp in _points(rows)}
        if method == "continuous":
            ends = range(len(rows) + 1)
        pvalue = share_of_orders(best[0] * n_pos * n_neg, int(n_pos), int(n_neg), ends)
    return (*best, pvalue)


# Tables -----------------------------------------------------------------------------------------


def _nearest(border, ends):
    """Return the end nearest to a border; the fewer rows if two are."""
    return min(ends, key=lambda end: (abs(end - border), end))


@of_rows
def gains_table(rows, *, bins=10, ties="group", cost=None, revenue=None, higher_is_positive=True):
    """Return the columns as lists."""
    n_pos, n_neg = totals(rows)
    total = n_neg + n_pos
    borders = [Fraction(k, bins) * total for k in range(bins + 1)]
    if ties == "group":
        ends = [Fraction(0), *(fp + tp for _, fp, tp in _points(rows, higher_is_positive)[1:])]
        borders = sorted({_nearest(border, ends) for border in borders})
    table = {}
    cum_fp = cum_tp = Fraction(0)
    for number in range(1, len(borders)):
        parts = _taken(rows, borders[number - 1], borders[number], higher_is_positive)
        inside = [(row, part) for row, part in zip(rows, parts, strict=True) if part > 0]
        fp = sum((part for row, part in inside if not row[0]), Fraction(0))
        tp = sum((part for row, part in inside if row[0]), Fraction(0))
        cum_fp, cum_tp = cum_fp + fp, cum_tp + tp
        line = {
            "bin": number,
            "n": fp + tp,
            "share": (fp + tp) / total,
            "cum_share": (cum_fp + cum_tp) / total,
            "min_score": min(row[1] for row, _ in inside),
            "max_score": max(row[1] for row, _ in inside),
            "response_rate": tp / (fp + tp),
            "cum_response_rate": cum_tp / (cum_fp + cum_tp),
            "n_pos": tp,
            "pos_share": ratio(tp, n_pos),
            "cum_pos_share": ratio(cum_tp, n_pos),
            "n_neg": fp,
            "neg_share": ratio(fp, n_neg),
            "cum_neg_share": ratio(cum_fp, n_neg),
            "ks": ratio(cum_tp, n_pos) - ratio(cum_fp, n_neg),
            "lift": ratio(tp, n_pos) / ((fp + tp) / total),
            "cum_lift": ratio(cum_tp, n_pos) / ((cum_fp + cum_tp) / total),
        }
        if cost is not None:
            for prefix, neg, pos in ("", fp, tp), ("cum_", cum_fp, cum_tp):
                spend, income = Fraction(cost) * (neg + pos), Fraction(revenue) * pos
                line |= {f"{prefix}spend": spend, f"{prefix}income": income}
                line[f"{prefix}profit"] = income - spend
                line[f"{prefix}roi"] = ratio(income - spend, spend)
        for name, value in line.items():
            table.setdefault(name, []).append(value)
    return table


# Thresholds -------------------------------------------------------------------------------------


def criteria(tp, fp, n_pos, n_neg, given):
    """Return each criterion of rows of which so many are predicted positive, and the precision.

    Of "closest_topleft", the square; ``given`` has the options of ``optimal_threshold``.
    """
    amounts = {name: Fraction(given.get(name) or 0) for name in given}
    tpr, fpr = tp / n_pos, fp / n_neg
    p1 = amounts.get("prevalence") or n_pos / (n_pos + n_neg)
    hits, alarms = p1 * tpr, (1 - p1) * fpr
    cost_fp, cost_fn, cost, revenue = (
        amounts.get(name, 0) for name in ("cost_fp", "cost_fn", "cost", "revenue")
    )
    found = {
        "youden": tpr - fpr,
        "balanced_accuracy": (tpr + 1 - fpr) / 2,
        "closest_topleft": fpr**2 + (1 - tpr) ** 2,
        "equal_error_rate": (fpr + 1 - tpr) / 2,
        "accuracy": hits + (1 - p1) - alarms,
        "f1": 2 * hits / (hits + alarms + p1),
        "cost": cost_fp * alarms + cost_fn * (p1 - hits),
        "profit": revenue * tp - cost * (tp + fp),
        "max_fpr": tpr,
        "min_recall": fpr,
        "min_precision": tpr,
    }
    return found, ratio(hits, hits + alarms)


@of_rows
def optimal_threshold(
    rows,
    *,
    method="youden",
    cost_fp=None,
    cost_fn=None,
    prevalence=None,
    cost=None,
    revenue=None,
    limit=None,
    higher_is_positive=True,
):
    """Return the threshold, the value (of "closest_topleft", its square), and tn, fp, fn, tp."""
    n_pos, n_neg = totals(rows)
    if n_neg == 0 or n_pos == 0:
        return math.nan, math.nan, (math.nan,) * 4
    given = {"cost_fp": cost_fp, "cost_fn": cost_fn, "cost": cost, "revenue": revenue}
    given["prevalence"], limit = prevalence, limit or 0
    best = None
    for threshold, fp, tp in _points(rows, higher_is_positive):
        values, precision = criteria(tp, fp, n_pos, n_neg, given)
        allowed = {
            "max_fpr": float(fp / n_neg) <= limit,
            "min_recall": float(tp / n_pos) >= limit,
            "min_precision": math.isinf(threshold) or float(precision) >= limit,
        }.get(method, True)
        least = method in ("closest_topleft", "cost", "min_recall")
        rank = -values[method] if least else values[method]
        if method == "equal_error_rate":
            rank = -abs(fp / n_neg - (1 - tp / n_pos))
        if allowed and (best is None or rank > best[0]):
            best = rank, threshold, values[method], (n_neg - fp, fp, n_pos - tp, tp)
    _, threshold, value, matrix = best
    if method == "equal_error_rate":
        rates = [(fp / n_neg, 1 - tp / n_pos) for _, fp, tp in _points(rows, higher_is_positive)]
        value = crossing(rates)
    return threshold, value, matrix


def crossing(rates):
    """Return the fpr at which it equals the fnr, on the lines between points of both."""
    for (fpr, fnr), (next_fpr, next_fnr) in itertools.pairwise(rates):
        gap, next_gap = fnr - fpr, next_fnr - next_fpr
        if gap > 0 >= next_gap:
            return fpr + (next_fpr - fpr) * gap / (gap - next_gap)
    raise AssertionError("the gap falls from 1 to -1")


def bayes_threshold(cost_fp, cost_fn, *, scale="probability"):
    if scale == "logit":
        return math.log(cost_fp / cost_fn)
    return Fraction(cost_fp) / (Fraction(cost_fp) + Fraction(cost_fn))


@of_rows
def net_benefit_curve(rows, *, thresholds=None, prevalence=None):
    n_pos, n_neg = totals(rows)
    # What a positive and a negative count for: one row each, or what makes up the prevalence.
    of_pos = of_neg = 1 / (n_neg + n_pos)
    share = n_pos * of_pos
    if prevalence is not None:
        share = Fraction(prevalence)
        of_pos, of_neg = ratio(share, n_pos), ratio(1 - share, n_neg)
    if thresholds is None:
        thresholds = [threshold for threshold in _thresholds(rows) if threshold < 1]
    treated, everyone = [], []
    for threshold in map(Fraction, thresholds):
        odds = threshold / (1 - threshold)
        fp, tp = _weigh(rows, lambda score, t=threshold: score >= t)
        treated.append(tp * of_pos - fp * of_neg * odds)
        everyone.append(share - (1 - share) * odds)
    return treated, everyone, list(thresholds)
