"""The textbook definitions of net reclassification and integrated discrimination."""

import math
from fractions import Fraction

import scipy.stats

from naive.inference import NAN, _is_positive, _list
from naive.labels import with_pos_label


def _estimate(mean, variance, level, most):
    error = math.sqrt(variance)
    width = scipy.stats.norm.isf((1 - level) / 2) * error
    if error == 0 and mean != 0:
        return float(mean), error, (NAN, NAN), level, "wald"
    ends = max(-most, float(mean) - width), min(most, float(mean) + width)
    return float(mean), error, ends, level, "wald"


def _result(y_true, gains, level, most, ddof):
    """Return the result from what each row gains, in its class's right direction."""
    parts = []
    for own in (True, False):
        found = [
            gain if own else -gain
            for positive, gain in zip(_is_positive(y_true), gains, strict=True)
            if positive == own
        ]
        n, mean = len(found), sum(found) / Fraction(len(found))
        parts.append((mean, sum((gain - mean) ** 2 for gain in found) / (n - ddof) / n))
    total = [sum(column) for column in zip(*parts, strict=True)]
    error = math.sqrt(total[1])
    pvalue = 1.0 if total[0] == 0 else NAN
    if error:
        pvalue = 2 * scipy.stats.norm.sf(abs(float(total[0])) / error)
    return (
        _estimate(*total, level, 2 * most),
        pvalue,
        *(_estimate(*part, level, most) for part in parts),
    )


@with_pos_label
def net_reclassification_improvement(
    y_true, y_score_old, y_score_new, *, thresholds=None, confidence_level=0.95
):
    def category(risk):
        return risk if thresholds is None else sum(risk >= t for t in _list(thresholds))

    pairs = zip(map(category, _list(y_score_old)), map(category, _list(y_score_new)), strict=True)
    moves = [Fraction((new > old) - (new < old)) for old, new in pairs]
    # A multinomial variance: squares of moves about their mean, over n.
    return _result(y_true, moves, confidence_level, 1, 0)


@with_pos_label
def integrated_discrimination_improvement(
    y_true, y_score_old, y_score_new, *, confidence_level=0.95
):
    pairs = zip(_list(y_score_old), _list(y_score_new), strict=True)
    gains = [Fraction(new) - Fraction(old) for old, new in pairs]
    return _result(y_true, gains, confidence_level, math.inf, 1)


def reclassification_result(improvement, pvalue, events, nonevents):
    return {}
