"""Laws that hold for every sample."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

import fastauc
from support.laws import law, samples, tied_scores, weights_of_rows
from support.public import PUBLIC
from support.reliability import run_for_longer

pytestmark = pytest.mark.check("properties")


def all_numbers(labels, scores, weights=None):
    """Return everything that can be asked about a sample, as one flat list."""
    counts = fastauc.confusion_matrix_at_thresholds(labels, scores, sample_weight=weights)
    return [
        fastauc.roc_auc_score(labels, scores, sample_weight=weights),
        fastauc.roc_auc_score(labels, scores, sample_weight=weights, max_fpr=0.3),
        fastauc.gini_score(labels, scores, sample_weight=weights),
        fastauc.average_precision_score(labels, scores, sample_weight=weights),
        fastauc.ks_score(labels, scores, sample_weight=weights),
        counts.roc_auc(),
        counts.tie_share(),
        counts.pr_gain_auc(),
        *np.concatenate([*counts, *counts.roc_curve(), *counts.det_curve()]).tolist(),
        *np.concatenate(counts.precision_recall_curve()).tolist(),
    ]


def test_the_order_of_the_rows_does_not_decide_a_rounding():
    # 1 + 2^-53 lies halfway between two doubles. Whether a thousand weights of 2^-107 lift it over
    # the half depends on whether they are added to each other first, even in twice the digits.
    weights = np.array([1, 2.0**-53] + [2.0**-107] * 1024 + [1])
    labels = np.array([1] * 1026 + [0])
    scores = np.ones(len(labels))
    expected = all_numbers(labels, scores, weights)
    for order in np.arange(1027)[::-1], np.random.default_rng(53).permutation(1027):
        assert all_numbers(labels[order], scores, weights[order]) == expected


@law
@given(samples(weights_of_rows), st.lists(st.tuples(st.booleans(), tied_scores), max_size=5))
def test_a_row_of_weight_zero_is_no_row(sample, ignored):
    labels, scores, weights = sample
    more_labels = np.concatenate([labels, [int(label) for label, _ in ignored]])
    more_scores = np.concatenate([scores, [score for _, score in ignored]])
    more_weights = np.concatenate([weights, np.zeros(len(ignored))])
    assert all_numbers(more_labels, more_scores, more_weights) == all_numbers(*sample)


@pytest.mark.check("weights")
@law
@given(samples(weights_of_rows), st.integers(-500, 500))
def test_powers_of_two_do_not_change_the_weighted_area(sample, exponent):
    labels, scores, weights = sample
    scaled = np.ldexp(weights, exponent)
    for name in ("roc_auc_score", "gini_score", "average_precision_score", "ks_score"):
        function = PUBLIC[name]
        expected = function(labels, scores, sample_weight=weights)
        assert function(labels, scores, sample_weight=scaled) == expected


@pytest.mark.slow
def test_ten_thousand_examples_of_each(tmp_path):
    run_for_longer([__file__], 10_000, tmp_path)
