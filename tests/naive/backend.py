"""Definitions for evaluation loops: the area of rows in batches, and the mean area of queries.

Pair by pair, in exact fractions, as in ``naive``.
"""

import math
from fractions import Fraction

from naive.curves import area_of, compare_pairs
from naive.rows import rows_of


def roc_auc_accumulator(batches):
    """Return what the accumulator of these batches of labels and scores answers."""
    rows = [row for labels, scores in batches for row in rows_of(labels, scores)]
    concordant, tied, _ = compare_pairs(rows)
    n_pos = sum(positive for positive, _, _ in rows)
    return {
        "compute": area_of(rows),
        "concordance": (concordant, tied, n_pos, len(rows) - n_pos),
    }


def mean_query_area(queries):
    """Return the weighted mean of the areas of the queries that have one.

    Each query is its weight and its rows: (relevance, score, weight of the row).
    """
    total, weights = Fraction(0), Fraction(0)
    for query_weight, rows in queries:
        area = area_of([(label > 0, score, Fraction(weight)) for label, score, weight in rows])
        if not math.isnan(area):
            total += Fraction(query_weight) * area
            weights += Fraction(query_weight)
    return total / weights if weights else math.nan
