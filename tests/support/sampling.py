"""Samples that tests of inference share."""

import numpy as np
from hypothesis import strategies

# Few distinct scores: most pairs of rows are tied.
ROWS = strategies.lists(
    strategies.tuples(strategies.booleans(), strategies.integers(-3, 3)), min_size=2, max_size=14
).filter(lambda rows: len({label for label, _ in rows}) == 2)


def columns(rows):
    """Return labels and scores."""
    label, score = zip(*rows, strict=True)
    return list(map(int, label)), list(map(float, score))


def model_problem(rng, n_pos, n_neg):
    """Return a sample of the model problem of the source documents: an area of 5/6."""
    scores = np.concatenate([np.sqrt(rng.random(n_pos)), 1 - np.sqrt(rng.random(n_neg))])
    return np.repeat([1, 0], [n_pos, n_neg]), scores
