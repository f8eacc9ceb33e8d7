"""Every route compared with the pairs that are expected, and blocks of any number of rows."""

import itertools

import pytest

from bisection import make_sample
from fastauc import cells, pairs
from fastauc.pairs import ROUTES
from threads import on_threads

count_pairs = on_threads(pairs.count_pairs)


def compare_pairs(labels, scores):
    """Return the numbers of pairs with the negative not above, and of tied pairs."""
    positives, negatives = scores[labels == 1, None], scores[None, labels == 0]
    return int((negatives <= positives).sum()), int((negatives == positives).sum())


def assert_every_route(labels, scores, expected, n_jobs=(None,), routes=(None, *ROUTES)):
    """Compare all routes with the expected pairs, and with those of the reversed order."""
    sample = make_sample(labels, scores)
    turned = make_sample(1 - labels, scores)
    n_pairs = sample.n_pos * sample.n_neg
    for route, n_threads in itertools.product(routes, n_jobs):
        not_above, tied = count_pairs(sample, n_threads, route)
        assert (not_above, tied) == expected, route
        assert {type(not_above), type(tied)} == {int}, route
        assert count_pairs(turned, n_threads, route) == (n_pairs - not_above + tied, tied), route


@pytest.fixture
def blocks(monkeypatch):
    """Return what sets how many rows a block has, whatever the number of threads."""

    def cut(n_rows):
        monkeypatch.setattr(cells, "count_threads", lambda n_jobs: 2**31)
        monkeypatch.setattr(cells, "ROWS_PER_THREAD", n_rows)
        monkeypatch.setattr(pairs, "_RANKED_ROWS", 1 + n_rows // 3)
        monkeypatch.setattr(pairs, "_LEAST_CLOSE_ROWS_OF_CELLS", 2 * n_rows)

    return cut
