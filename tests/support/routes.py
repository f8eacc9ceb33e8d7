"""Every route compared with the pairs that are expected."""

import itertools

from fastauc._pairs import unweighted
from fastauc._pairs.unweighted import ROUTES
from support.bisection import make_sample
from support.reliability import tried
from support.threads import on_threads

count_pairs = on_threads(unweighted.count_pairs)


def compare_pairs(labels, scores):
    """Return the numbers of pairs with the negative not above, and of tied pairs."""
    positives, negatives = scores[labels == 1, None], scores[None, labels == 0]
    return int((negatives <= positives).sum()), int((negatives == positives).sum())


def assert_every_route(labels, scores, expected, n_jobs=(None,), routes=(None, *ROUTES)):
    """Compare all routes with the expected pairs, and with those of the reversed order."""
    sample = make_sample(labels, scores)
    turned = make_sample(1 - labels, scores)
    n_pairs = sample.n_pos * sample.n_neg
    tried()
    for route, n_threads in itertools.product(routes, n_jobs):
        not_above, tied = count_pairs(sample, n_threads, route)
        assert (not_above, tied) == expected, route
        assert {type(not_above), type(tied)} == {int}, route
        assert count_pairs(turned, n_threads, route) == (n_pairs - not_above + tied, tied), route
