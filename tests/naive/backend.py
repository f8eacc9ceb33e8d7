"""Definitions for evaluation loops: the area of rows in batches, and the mean area of queries.

Pair by pair, in exact fractions, as in ``naive``.
"""

import math
from fractions import Fraction


def _pairs(rows, wins):
    """Return the weight of the pairs of a positive and a negative for which ``wins`` is true."""
    positives = [(score, weight) for positive, score, weight in rows if positive]
    negatives = [(score, weight) for positive, score, weight in rows if not positive]
    return sum(
        (v * w for above, v in positives for below, w in negatives if wins(above, below)),
        Fraction(0),
    )


def _area(rows):
    pairs = _pairs(rows, lambda above, below: True)
    if pairs == 0:
        return math.nan
    tied = _pairs(rows, lambda above, below: above == below)
    return (_pairs(rows, lambda above, below: above > below) + tied / 2) / pairs


def roc_auc_accumulator(batches):
    """Return what the accumulator of these batches of labels and scores answers."""
    rows = [
        (label == 1, score, Fraction(1))
        for labels, scores in batches
        for label, score in zip(labels, scores, strict=True)
    ]
    n_pos = sum(positive for positive, _, _ in rows)
    concordance = (
        _pairs(rows, lambda above, below: above > below),
        _pairs(rows, lambda above, below: above == below),
        n_pos,
        len(rows) - n_pos,
    )
    return {"compute": _area(rows), "concordance": concordance}


def mean_query_area(queries):
    """Return the weighted mean of the areas of the queries that have one.

    Each query is its weight and its rows: (relevance, score, weight of the row).
    """
    total, weights = Fraction(0), Fraction(0)
    for query_weight, rows in queries:
        exact = [(label > 0, score, Fraction(weight)) for label, score, weight in rows]
        area = _area(exact)
        if not math.isnan(area):
            total += Fraction(query_weight) * area
            weights += Fraction(query_weight)
    return total / weights if weights else math.nan
