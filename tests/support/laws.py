"""What laws are checked with: how many samples Hypothesis makes, of what rows, and in which tier.

Set FASTAUC_TEST_EXAMPLES for more than the 100 for each law of a default run, which are the same
every time; more are drawn anew.
"""

import os

import numpy as np
import pytest
from hypothesis import HealthCheck, settings, strategies as st

from support.reliability import tried

_DEFAULT = 100
EXAMPLES = int(os.environ.get("FASTAUC_TEST_EXAMPLES", _DEFAULT))
law = settings(
    max_examples=EXAMPLES,
    deadline=None,
    derandomize=EXAMPLES == _DEFAULT,
    database=None,
    suppress_health_check=[HealthCheck.too_slow],  # as samples are on a busy machine
)

tied_scores = st.integers(-3, 3).map(float)
all_scores = st.floats(allow_nan=False, allow_infinity=False)
quarters = st.integers(0, 6).map(lambda k: k / 4)
weights_of_rows = st.floats(2.0**-40, 2.0**40)
eighths = st.integers(1, 8).map(lambda k: k / 8)  # of which every sum is exact


@st.composite
def samples(draw, weights=None, scores=None, max_size=40):
    """Return labels of both classes, scores and, if asked for, weights."""
    score = draw(st.sampled_from([tied_scores, all_scores, st.one_of(tied_scores, all_scores)]))
    score = score if scores is None else scores
    rows = draw(st.lists(st.tuples(st.booleans(), score), max_size=max_size))
    rows += [(True, draw(score)), (False, draw(score))]
    labels, values = (np.array(column) for column in zip(*rows, strict=True))
    tried()
    if weights is None:
        return labels.astype(int), values
    row_weights = draw(st.lists(weights, min_size=len(rows), max_size=len(rows)))
    return labels.astype(int), values, np.array(row_weights)


def rows_of_both_classes(*columns, max_size=14):
    """Return rows of a label and of what is drawn for each column."""
    rows = st.lists(st.tuples(st.integers(0, 1), *columns), min_size=2, max_size=max_size)
    return rows.filter(lambda found: len({row[0] for row in found}) == 2)


# Few distinct scores: most pairs of rows are tied.
ROWS = rows_of_both_classes(st.integers(-3, 3))


def columns(rows):
    """Return labels and scores."""
    label, score = zip(*rows, strict=True)
    return list(map(int, label)), list(map(float, score))


def model_problem(rng, n_pos, n_neg):
    """Return a sample of the model problem of the source documents: an area of 5/6."""
    scores = np.concatenate([np.sqrt(rng.random(n_pos)), 1 - np.sqrt(rng.random(n_neg))])
    return np.repeat([1, 0], [n_pos, n_neg]), scores


def first(n, cases):
    """Return parameters: the first n cases as they are, and the others with the mark ci."""
    cases = list(cases)
    others = [case if isinstance(case, tuple) else (case,) for case in cases[n:]]
    return cases[:n] + [pytest.param(*case, marks=pytest.mark.ci) for case in others]
