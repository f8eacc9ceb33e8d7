"""Permutation tests by their definition: everything that can be exchanged is.

Of the same rows, the mean ranks of two scores within each row; of two samples, the rows of a class,
each with its place among all scores; of one score and the area 1/2, the labels.
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


def _exchanged_ranks(score_a, score_b):
    """Yield both columns of ranks for each way to exchange them within rows; at first as is."""
    ranks = list(zip(rank_average([score_a]), rank_average([score_b]), strict=True))
    for kept in product((True, False), repeat=len(ranks)):
        rows = [(a, b) if keep else (b, a) for keep, (a, b) in zip(kept, ranks, strict=True)]
        yield [list(column) for column in zip(*rows, strict=True)]


def _exchanged_rows(samples):
    """Yield both samples for each way to deal out the rows to them; at first as they are.

    A row is its place: the part that is below it of a population with the same share of positives
    as both samples, which is returned as well.
    """
    n_pos, n_neg = (sum(len(sample[c]) for sample in samples) for c in (0, 1))
    share = Fraction(n_pos, n_pos + n_neg)

    def place(sample, value):
        return share * _share_below(sample[0], value) + (1 - share) * _share_below(sample[1], value)

    deals = [
        _splits(
            [place(sample, value) for sample in samples for value in sample[c]], len(samples[0][c])
        )
        for c in (0, 1)
    ]
    for positives, negatives in product(*deals):
        yield list(zip(positives, negatives, strict=True))


def exchange_test(y_true, score_a, score_b, *, y_true_b=None, alternative="two-sided"):
    """Return the difference of the areas, and the share of exchanges that are as far out."""
    if not hasattr(score_b, "__len__"):
        positives, negatives = _by_class(y_true, score_a)
        dealt = _splits([*positives, *negatives], len(positives))
        found = [_area(sample) - Fraction(1, 2) for sample in dealt]
    elif y_true_b is None:
        found = [
            _area(_by_class(y_true, a)) - _area(_by_class(y_true, b))
            for a, b in _exchanged_ranks(score_a, score_b)
        ]
    else:
        samples = [_by_class(y_true, score_a), _by_class(y_true_b, score_b)]
        found = [_area(a) - _area(b) for a, b in _exchanged_rows(samples)]
    beyond = {
        "two-sided": sum(abs(difference) >= abs(found[0]) for difference in found),
        "greater": sum(difference >= found[0] for difference in found),
        "less": sum(difference <= found[0] for difference in found),
    }
    return found[0], beyond[alternative] / len(found)


# Curves -------------------------------------------------------------------------------------------


def roc_curve_test(y_true, score_a, score_b, *, y_true_b=None):
    """Return the statistic, of the same rows without ties, and the p-value by all exchanges."""
    if y_true_b is None:
        ranks = _exchanged_ranks(score_a, score_b)
        found = [
            _distance_of_errors(listed(y_true), rank_average([first]), rank_average([second]))
            for first, second in ranks
        ]
    else:
        samples = [_by_class(y_true, score_a), _by_class(y_true_b, score_b)]
        n_pos, n_neg = (sum(len(sample[c]) for sample in samples) for c in (0, 1))
        share = Fraction(n_pos, n_pos + n_neg)
        found = [_area_between(*pair, share) for pair in _exchanged_rows(samples)]
    return found[0], sum(distance >= found[0] for distance in found) / len(found)


def _distance_of_errors(y_true, first, second):
    """Return the sum over all cutoffs of how many more errors one of them makes."""

    def errors(ranks, cutoff):
        rows = zip(y_true, ranks, strict=True)
        return sum(rank <= cutoff if label else rank > cutoff for label, rank in rows)

    cutoffs = [Fraction(j, 2) for j in range(2, 2 * len(y_true) + 2)]
    return sum(abs(errors(first, cut) - errors(second, cut)) for cut in cutoffs) / 2


def _area_between(first, second, share):
    """Return the area between the errors of two samples, by the share called negative."""

    def points(positives, negatives):
        path = [(Fraction(0), 1 - share)]
        for value in sorted({*positives, *negatives}):
            missed = share * Fraction(sum(s <= value for s in positives), len(positives))
            right = (1 - share) * Fraction(sum(s <= value for s in negatives), len(negatives))
            path.append((missed + right, missed + 1 - share - right))
        return path

    def height(path, x):
        (x0, y0), (x1, y1) = next(step for step in pairwise(path) if x <= step[1][0])
        return y0 + (y1 - y0) * (x - x0) / (x1 - x0)

    paths, area = [points(*first), points(*second)], 0
    for x0, x1 in pairwise(sorted({x for path in paths for x, _ in path})):
        y0, y1 = (height(paths[0], x) - height(paths[1], x) for x in (x0, x1))
        if y0 * y1 < 0:
            area += (x1 - x0) * (y0**2 + y1**2) / (2 * abs(y0 - y1))
        else:
            area += (x1 - x0) * abs(y0 + y1) / 2
    return area
