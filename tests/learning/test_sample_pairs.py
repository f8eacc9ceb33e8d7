"""Random pairs of a positive and a negative."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

import fastauc
import naive
from fastauc import UndefinedMetricWarning
from support.laws import law, samples


@law
@given(samples(), st.integers(1, 50), st.integers(0, 9))
def test_pairs_are_those_of_the_definition(sample, n_pairs, seed):
    labels, _ = sample
    pairs = fastauc.learning.sample_pairs(labels, n_pairs, rng=seed)
    assert tuple(side.tolist() for side in pairs) == naive.sample_pairs(labels, n_pairs, rng=seed)
    assert [side.dtype for side in pairs] == [np.intp, np.intp]


def test_one_class():
    with pytest.warns(UndefinedMetricWarning):
        positives, negatives = fastauc.learning.sample_pairs([1, 1], 3)
    assert len(positives) == len(negatives) == 0
