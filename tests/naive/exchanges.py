"""Permutation tests of two models by their definition: everything that can be exchanged is."""

from fractions import Fraction
from itertools import combinations, product

from naive.curves import area_of
from naive.rows import ONE, with_pos_label


def mean_ranks(values):
    return [
        Fraction(1 + 2 * sum(v < own for v in values) + sum(v == own for v in values), 2)
        for own in values
    ]


def _area(positives, negatives):
    return area_of([(own, s, ONE) for own, part in ((1, positives), (0, negatives)) for s in part])


def _of_exchanged_ranks(positive, score_a, score_b):
    """Yield the difference of the areas for each way to exchange the ranks within rows."""
    ranks = list(zip(mean_ranks(score_a), mean_ranks(score_b), strict=True))
    for kept in product((True, False), repeat=len(positive)):
        rows = [(a, b) if keep else (b, a) for keep, (a, b) in zip(kept, ranks, strict=True)]
        areas = [
            _area(
                *([row[k] for row, p in zip(rows, positive, strict=True) if p == c] for c in (1, 0))
            )
            for k in (0, 1)
        ]
        yield areas[0] - areas[1]


def _place(own, positives, negatives, share):
    """Return the part of a population with this share of positives that is below a score."""
    part = 0
    for scores, weight in (positives, share), (negatives, 1 - share):
        below = sum(2 * (score < own) + (score == own) for score in scores)
        part += weight * Fraction(below, 2 * len(scores))
    return part


def _of_exchanged_rows(samples):
    """Yield the difference of the areas for each way to deal out the rows to the samples."""
    n_pos, n_neg = (sum(len(sample[c]) for sample in samples) for c in (0, 1))
    share = Fraction(n_pos, n_pos + n_neg)
    deals = []
    for c in (0, 1):
        places = [_place(own, *sample, share) for sample in samples for own in sample[c]]
        deals.append(
            [
                (
                    [places[i] for i in chosen],
                    [place for i, place in enumerate(places) if i not in chosen],
                )
                for chosen in combinations(range(len(places)), len(samples[0][c]))
            ]
        )
    for positives, negatives in product(*deals):
        yield _area(positives[0], negatives[0]) - _area(positives[1], negatives[1])


@with_pos_label
def bandos_test(y_true, score_a, score_b, *, y_true_b=None, alternative="two-sided"):
    """All exchanges, for every method: what each of them comes near to."""
    if y_true_b is None:
        found = list(_of_exchanged_ranks(list(y_true), list(score_a), list(score_b)))
    else:
        samples = [
            [[s for s, own in zip(scores, truth, strict=True) if own == c] for c in (True, False)]
            for truth, scores in ((y_true, score_a), (y_true_b, score_b))
        ]
        found = list(_of_exchanged_rows(samples))
    observed = found[0]
    beyond = {
        "two-sided": sum(abs(difference) >= abs(observed) for difference in found),
        "greater": sum(difference >= observed for difference in found),
        "less": sum(difference <= observed for difference in found),
    }
    return observed, beyond[alternative] / len(found)
