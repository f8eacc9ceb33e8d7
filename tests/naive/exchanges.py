"""Permutation tests by their definition: everything that can be exchanged is.

Of two models, the places of both scores of a row; of one score, the labels.
"""

from fractions import Fraction
from itertools import combinations, pairwise, product

from naive.parts import rank_average
from naive.rows import listed


def _share_below(scores, value):
    below = sum(2 * (score < value) + (score == value) for score in scores)
    return Fraction(below, 2 * len(scores))


def _area(sample):
    """Return the area of the scores of positives and of negatives."""
    positives, negatives = sample
    return sum(_share_below(negatives, score) for score in positives) / len(positives)


def _by_class(y_true, scores):
    """Return the scores of positives and of negatives."""
    rows = list(zip(listed(y_true), listed(scores), strict=True))
    return [[score for label, score in rows if bool(label) == own] for own in (True, False)]


def _splits(values, n):
    """Yield every way to take n of the values, and what is left; at first the first n."""
    for taken in combinations(range(len(values)), n):
        rest = [value for i, value in enumerate(values) if i not in taken]
        yield [values[i] for i in taken], rest


# The common scale ---------------------------------------------------------------------------------


def common_scale(first, second):
    """Return a dict for each column of scores: the place of each score."""
    levels = []
    for column in first, second:
        ends = [0]
        for value in sorted({*column}):
            ends.append(ends[-1] + column.count(value))
        levels.append(list(zip(sorted({*column}), ends, ends[1:], strict=False)))
    places = [{v: begin + end for v, begin, end in own} for own in levels]
    for (u, *_), (v, *_) in _same_levels(*levels):
        both = Fraction(places[0][u] + places[1][v], 2)
        places[0][u] = places[1][v] = both
    return places


def _same_levels(first, second):
    """Return the pairs of levels that are the same."""
    if _in_order(first, second):
        return _in_order(first, second)
    same = [
        (i, j)
        for (i, (_, a, b)), (j, (_, c, d)) in product(enumerate(first), enumerate(second))
        if a < (c + d) / 2 < b and c < (a + b) / 2 < d
    ]
    found = [(first[i], second[j]) for i, j in same]
    for (i, j), (k, m) in pairwise([(-1, -1), *same, (len(first), len(second))]):
        found += _in_order(first[i + 1 : k], second[j + 1 : m])
    return found


def _in_order(first, second):
    """Return the pairs of equally many levels if these have two rows or more on average."""
    n_rows = sum(end - begin for _, begin, end in [*first, *second])
    if len(first) != len(second) or n_rows < 2 * (len(first) + len(second)):
        return []
    return list(zip(first, second, strict=True))


# Exchanges ----------------------------------------------------------------------------------------


def _exchanged_scores(score_a, score_b):
    """Yield the places of both scores for each way to exchange them within rows; first as is."""
    columns = listed(score_a), listed(score_b)
    scale = common_scale(*columns)
    rows = [(scale[0][a], scale[1][b]) for a, b in zip(*columns, strict=True)]
    for kept in product((True, False), repeat=len(rows)):
        exchanged = [(a, b) if keep else (b, a) for keep, (a, b) in zip(kept, rows, strict=True)]
        yield [list(column) for column in zip(*exchanged, strict=True)]


def _result(found, alternative):
    """Return the first statistic, and the share of all that are as extreme."""
    beyond = {
        "two-sided": sum(abs(statistic) >= abs(found[0]) for statistic in found),
        "greater": sum(statistic >= found[0] for statistic in found),
        "less": sum(statistic <= found[0] for statistic in found),
    }
    return found[0], beyond[alternative] / len(found)


def permutation_test(y_true, score_a, score_b, *, statistic="roc_auc", alternative="two-sided"):
    """Return the statistic, and the p-value by all exchanges."""
    both = _exchanged_scores(score_a, score_b)
    if statistic == "roc_auc":
        found = [_area(_by_class(y_true, a)) - _area(_by_class(y_true, b)) for a, b in both]
    else:
        labels = listed(y_true)
        found = [_distance_of_errors(labels, rank_average([a]), rank_average([b])) for a, b in both]
    return _result(found, alternative)


def permutation_test_1samp(y_true, y_score, *, alternative="two-sided"):
    """Return the area, and the p-value by all permutations of the labels."""
    positives, negatives = _by_class(y_true, y_score)
    dealt = _splits([*positives, *negatives], len(positives))
    difference, pvalue = _result([_area(s) - Fraction(1, 2) for s in dealt], alternative)
    return difference + Fraction(1, 2), pvalue


# Curves -------------------------------------------------------------------------------------------


def _distance_of_errors(y_true, first, second):
    """Return the sum over all cutoffs of how many more errors one of them makes."""

    def errors(ranks, cutoff):
        rows = zip(y_true, ranks, strict=True)
        return sum(rank <= cutoff if label else rank > cutoff for label, rank in rows)

    cutoffs = [Fraction(j, 2) for j in range(2, 2 * len(y_true) + 2)]
    return sum(abs(errors(first, cut) - errors(second, cut)) for cut in cutoffs) / 2
