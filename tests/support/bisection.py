"""Pairs counted by bisection, for samples too large for ``naive``, and whatever is counted so.

The negatives are sorted, and each positive is looked up among them: no packing, no buckets, no
tables, and no rounding, because NumPy compares two numbers of one dtype exactly.
"""

import numpy as np

from fastauc._validation.samples import read_binary_sample


def count_by_bisection(labels, scores):
    """Return how many negatives are at or below a positive, and how many are tied with one."""
    negatives, positives = np.sort(scores[labels == 0]), scores[labels == 1]
    not_above = negatives.searchsorted(positives, "right")
    below = negatives.searchsorted(positives, "left")
    return int(not_above.sum()), int((not_above - below).sum())


def make_sample(labels, scores):
    """Return the sample that the public functions make of two arrays."""
    return read_binary_sample(labels, scores, None, 1, "concordance")


def draw_labels(rng, n_rows, n_pos=None):
    """Return labels of both classes; half of them are positive if no number is given."""
    n_pos = n_rows // 2 if n_pos is None else n_pos
    return rng.permutation((np.arange(n_rows) < n_pos).astype(np.uint8))
