"""The textbook definitions of averages of areas with their intervals."""

import math
from fractions import Fraction

import scipy.stats

from naive.curves import area_of, roc_auc_score
from naive.groups import _classes, _rows_by_group
from naive.inference import inverse_size, wilson_bounds
from naive.rows import listed


def multiclass_roc_auc_ci(
    y_true, y_score, *, multi_class="ovr", average="macro", labels=None, confidence_level=0.95
):
    """The influence of a row: the slope of the average in how often the row occurs."""
    y_true, rows = listed(y_true), [[Fraction(s) for s in listed(row)] for row in y_score]
    n, sizes = len(y_true), {c: y_true.count(c) for c in set(y_true)}
    ones = [Fraction(1)] * n
    rule = {"multi_class": multi_class, "average": average}
    statistic = roc_auc_score(y_true, rows, **rule)
    variance = Fraction(0)
    # A central difference, whose error is of the order of the square of the step.
    step = Fraction(1, 10**9)
    for i, own in enumerate(y_true):
        up, down = (
            roc_auc_score(y_true, rows, sample_weight=[*ones[:i], 1 + s, *ones[i + 1 :]], **rule)
            for s in (step, -step)
        )
        slope = (up - down) / (2 * step)
        variance += slope**2 * Fraction(sizes[own], sizes[own] - 1)
    k = len(sizes)
    shares = {
        c: Fraction(m, n) if average == "weighted" else Fraction(1, k) for c, m in sizes.items()
    }
    size = Fraction(k, 2) / sum(shares[c] / m for c, m in sizes.items())
    z = scipy.stats.norm.isf((1 - confidence_level) / 2)
    interval = wilson_bounds(statistic, inverse_size(statistic, variance, size, size), z)
    return statistic, math.sqrt(variance), interval, confidence_level, "wilson"


def grouped_roc_auc_ci(
    y_true,
    y_score,
    groups,
    *,
    weighting="equal",
    confidence_level=0.95,
    pos_label=None,
):
    rows = _classes(y_true, y_score, None, pos_label)
    found = []
    for own in _rows_by_group(rows, groups).values():
        n_pos = sum(is_pos for is_pos, _, _ in own)
        n_neg = len(own) - n_pos
        if n_pos and n_neg:
            weight = {"equal": 1, "size": len(own), "positives": n_pos, "pairs": n_pos * n_neg}
            found.append((weight[weighting], area_of(own), n_pos, n_neg))
    m, whole = len(found), sum(weight for weight, *_ in found)
    mean = sum(weight * area for weight, area, *_ in found) / Fraction(whole)
    without = [
        (whole * mean - weight * area) / Fraction(whole - weight) for weight, area, *_ in found
    ]
    variance = Fraction(m - 1, m) * sum((other - mean) ** 2 for other in without)
    effective = Fraction(whole**2, sum(weight**2 for weight, *_ in found))
    quantile = scipy.stats.t(max(1, float(effective) - 1)).isf((1 - confidence_level) / 2)
    n_pos, n_neg = (sum(row[k] for row in found) for k in (2, 3))
    sizes = float(effective), float(effective)
    share = max(
        inverse_size(mean, variance, n_pos, n_neg), inverse_size(mean, variance, *sizes, 0.25)
    )
    return (
        mean,
        math.sqrt(variance),
        wilson_bounds(mean, share, quantile),
        confidence_level,
        "wilson",
    )
