"""Every route to the weighted area compared with sums of Python integers along the scores."""

import itertools
import math
from fractions import Fraction

import numpy as np

from fastauc._pairs import weighted
from fastauc._pairs.sorted_rows import sort_weighted_rows
from fastauc._pairs.weighted import ROUTES
from fastauc._validation.rows import Rows
from fastauc._validation.threads import SERIAL
from support.pairs import on_threads
from support.reliability import tried


@on_threads
def weighted_area(*args):
    return Fraction(*weighted.weighted_ratio(*args))


def make_weighted_sample(labels, scores, weights):
    return Rows("roc_auc_score", labels, scores, weights, 1).sample(SERIAL)


def as_integers(weights):
    """Return doubles as integers, in units of the greatest power of two that they allow."""
    ratios = [weight.as_integer_ratio() for weight in weights.tolist()]
    unit = max(denominator for _, denominator in ratios)  # all are powers of 2
    return [numerator * (unit // denominator) for numerator, denominator in ratios]


def exact_area(labels, scores, weights):
    """Return the area as a fraction, by adding up integers from the lowest score on."""
    order = np.argsort(scores, kind="stable")
    integers = np.array(as_integers(np.asarray(weights, float)), object)[order]
    _, starts = np.unique(scores[order], return_index=True)
    of_classes = (np.where(labels[order] == label, integers, 0) for label in (0, 1))
    negative, positive = (np.add.reduceat(own, starts) for own in of_classes)
    below = np.cumsum(negative) - negative
    twice = (positive * (2 * below + negative)).sum()
    return Fraction(twice, 2 * positive.sum() * negative.sum())


def assert_within_4_ulp(area, exact):
    value = float(area)
    assert 0 <= area <= 1
    assert abs(Fraction(value) - exact) <= 4 * Fraction(math.ulp(float(exact)))


def assert_sorted(area, exact):
    # Each of some thousand sums is within 2^-102 of itself.
    assert 0 <= area <= 1
    assert abs(area - exact) <= exact / 2**85 + Fraction(1, 2**1074)


def assert_every_weighted_route(labels, scores, weights, is_whole=True, n_jobs=(None,)):
    """Compare all routes with the exact area, and integers with those of the turned classes."""
    exact = exact_area(labels, scores, weights)
    sample = make_weighted_sample(labels, scores, weights)
    turned = make_weighted_sample(1 - labels, scores, weights)
    tried()
    for route, n_threads in itertools.product((None, *ROUTES), n_jobs):
        area = weighted_area(sample, n_threads, route)
        opposite = weighted_area(turned, n_threads, route)
        if is_whole:
            assert area == exact, route
            assert opposite == 1 - exact, route
        else:
            assert_within_4_ulp(area, exact)
            assert_within_4_ulp(opposite, 1 - exact)
    assert_sorted(area_of_doubles(sample), exact)
    assert_sorted(area_of_doubles(turned), 1 - exact)


def area_of_doubles(sample):
    """Return what takes the place of quanta where the range of the weights is too wide for them."""
    return weighted._area_of_doubles(sample, *sort_weighted_rows(sample, sample.weight))
