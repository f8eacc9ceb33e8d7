"""Labels that are words: which of them is the positive one is said, not guessed."""

import inspect

import numpy as np
import pytest

from support.public import PUBLIC

RNG = np.random.default_rng(0)
IS_BAD = np.arange(60) % 3 == 0
FIRST, SECOND = RNG.normal(size=(2, 60)) + IS_BAD
THREE = np.where(IS_BAD, "bad", np.where(np.arange(60) % 2 == 0, "good", "none"))
CALLS = {
    "bootstrap_ci": (FIRST, {"rng": 0, "n_resamples": 50}),
    "concordance": (FIRST, {}),
    "bootstrap_test": (FIRST, SECOND, {"rng": 0, "n_resamples": 50}),
    "gini_score": (FIRST, {}),
    "ks_statistic": (FIRST, {}),
    "rate_test": (FIRST, SECOND, {"threshold_a": 0.5, "threshold_b": 0.6}),
    "optimal_threshold_validation": (FIRST, {"rng": 0, "n_resamples": 5}),
    "placements": (FIRST, {}),
    "roc_auc_ci": (FIRST, {}),
    "compare_roc_auc": ([FIRST, SECOND], {}),
    "roc_auc_test": (FIRST, SECOND, {}),
    "sigmoid_roc_auc": (FIRST, {}),
    "roc_curve_test": (FIRST, SECOND, {"rng": 0, "n_resamples": 50}),
}
# As scikit-learn's, where the greater of two labels is the positive one.
WITHOUT = {"roc_auc_score"}


@pytest.mark.parametrize("name", CALLS)
def test_words_need_pos_label(name):
    function, (*scores, options) = PUBLIC[name], CALLS[name]
    expected = repr(function(IS_BAD.astype(int), *scores, **options))
    words = np.where(IS_BAD, "bad", "good")
    assert repr(function(words, *scores, **options, pos_label="bad")) == expected
    assert repr(function(THREE, *scores, **options, pos_label="bad")) == expected
    assert repr(function(IS_BAD * 2 - 1, *scores, **options)) == expected
    assert repr(function(IS_BAD, *scores, **options)) == expected
    shown = r"y_true takes value in \{'bad', 'good'\} and pos_label is not specified"
    with pytest.raises(ValueError, match=shown):
        function(words, *scores, **options)
    with pytest.raises(ValueError, match=r"y_true takes value in \{1, 2\} and pos_label"):
        function(IS_BAD + 1, *scores, **options)


def test_a_second_sample_is_named():
    words = np.where(IS_BAD, "bad", "good")
    for name in ("roc_auc_test", "roc_curve_test"):
        *scores, options = CALLS[name]
        test = PUBLIC[name]
        expected = test(IS_BAD, *scores, **options, y_true_b=IS_BAD)
        options = {**options, "y_true_b": words}
        assert test(words, *scores, **options, pos_label="bad") == expected
        with pytest.raises(ValueError, match=r"y_true_b takes value in \{'bad', 'good'\}"):
            test(IS_BAD, *scores, **options)


def test_every_function_of_labels_takes_it():
    for name in PUBLIC:
        value = PUBLIC[name]
        if not inspect.isfunction(value) or name in WITHOUT:
            continue
        parameters = inspect.signature(value).parameters
        if "y_true" in parameters:
            assert "pos_label" in parameters, name
