"""The k highest scores."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

import fastauc
import naive
from support.laws import law, samples
from support.public import PUBLIC

AT_K = ["roc_auc_at_k", "precision_at_k", "recall_at_k"]


@law
@pytest.mark.filterwarnings("ignore::fastauc.UndefinedMetricWarning")
@pytest.mark.parametrize("name", AT_K)
@given(samples(), st.integers(0, 41))
def test_it_is_that_of_the_rows_taken(name, sample, k):
    k = 1 + k % len(sample[0])
    found = PUBLIC[name](*sample, k)
    np.testing.assert_equal(found, float(getattr(naive, name)(*sample, k)))


@pytest.mark.parametrize(
    "scores",
    [
        np.array([5, 4, 4, 1], np.uint64) + np.uint64(2**64 - 6),
        np.array([2**62 + 1, 2**62, 2**62, -5]),
        np.array([1.5, 0.5, 0.5, -2], np.float16),
        np.array([2, 0.0, -0.0, -1]),
        [2, 1, 1, -(10**400)],
    ],
    ids=["uint64", "int64", "float16", "zeros", "objects"],
)
def test_scores_of_any_kind(scores):
    assert fastauc.metrics.precision_at_k(["a", "b", "a", "b"], scores, 2, pos_label="a") == 2 / 3
    assert fastauc.metrics.roc_auc_at_k([1, 0, 1, 0], scores, 2) == 3 / 4


@pytest.mark.parametrize("name", AT_K)
def test_bad_input(name):
    function = PUBLIC[name]
    with pytest.raises(ValueError, match="k is 3; expected no more than the 2 samples"):
        function([0, 1], [1, 2], 3)
    assert function([0, 1], [2, 1], np.int8(2)) == {"roc": 0, "pre": 0.5, "rec": 1}[name[:3]]
