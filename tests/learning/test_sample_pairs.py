"""Random pairs of a positive and a negative."""

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy import stats

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


def test_every_pair_is_as_likely():
    labels = ["no", "yes", "no", "yes", "no"]
    positives, negatives = fastauc.learning.sample_pairs(labels, 60_000, pos_label="yes", rng=1)
    counts = np.zeros((5, 5), int)
    np.add.at(counts, (positives, negatives), 1)
    drawn = counts[[1, 3]][:, [0, 2, 4]]
    assert drawn.sum() == 60_000
    # Six pairs: the 99.99 % quantile of chi-squared with 5 degrees of freedom.
    assert ((drawn - 10_000) ** 2 / 10_000).sum() < stats.chi2.isf(1e-4, 5)


def test_one_class():
    with pytest.warns(UndefinedMetricWarning):
        positives, negatives = fastauc.learning.sample_pairs([1, 1], 3)
    assert len(positives) == len(negatives) == 0
