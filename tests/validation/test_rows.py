"""Rows of a public call: every function names itself, and classes are read as scikit-learn does."""

import inspect

import numpy as np
import pytest

import fastauc.metrics
from fastauc._validation.labels import Target
from fastauc._validation.rows import Rows
from fastauc._validation.samples import BinarySample, Inputs
from fastauc._validation.threads import SERIAL

FUNCTIONS = {
    name: inspect.signature(getattr(fastauc.metrics, name)).parameters
    for name in fastauc.metrics.__all__
    if inspect.isfunction(getattr(fastauc.metrics, name))
}
READERS = [name for name, parameters in FUNCTIONS.items() if "y_true" in parameters]
LABELS, SCORES = np.array([0, 0, 1, 1]), np.array([0.1, 0.4, 0.35, 0.8])
# What cannot be left out.
REQUIRED = {"fpr": 0.5, "tpr": 0.5, "recall": 0.5, "k": 2, "share": 0.5, "cost": 1, "revenue": 3}


def call(name, **options):
    required = {
        parameter: REQUIRED[parameter]
        for parameter, kind in FUNCTIONS[name].items()
        if kind.default is kind.empty and parameter in REQUIRED
    }
    given = {"y_true": LABELS, "y_score": SCORES} | required | options
    return getattr(fastauc.metrics, name)(**given)


@pytest.mark.parametrize("option", ["n_jobs", "pos_label", "nan_policy", "y_true", "y_score"])
def test_every_function_names_itself(option):
    names = [name for name in READERS if option in FUNCTIONS[name]]
    assert len(names) > 10
    for name in names:
        with pytest.raises(TypeError, match=f"^The '{option}' parameter of {name} must be "):
            call(name, **{option: 1j if option.startswith("y") else [1]})


def test_binary_rows_of_any_container():
    for columns in [
        (LABELS, SCORES),
        (LABELS.tolist(), SCORES.tolist()),
        (LABELS, SCORES[:, None]),
    ]:
        sample = Rows("test", *columns).sample(SERIAL)
        assert sample.label.tolist() == LABELS.tolist()
        assert sample.score.tolist() == SCORES.tolist()
        assert (sample.n_pos, sample.n_neg) == (2, 2)


def test_missing_scores_are_left_out_with_their_rows():
    rows = Rows("test", [0, 1, 1], [0.5, np.nan, 1.0], [1.0, 2.0, 3.0], None, "omit")
    sample = rows.sample(SERIAL)
    assert sample.label.tolist() == [0, 1]
    assert sample.weight.tolist() == [1.0, 3.0]


def test_two_classes_are_a_sample():
    # Without a positive label it is the greater one, whatever the labels are.
    for labels in LABELS, 2 * LABELS + 5, np.array(["a", "b"])[LABELS]:
        found = Rows("test", labels, SCORES).read_classes(SERIAL)
        assert isinstance(found, BinarySample)
        assert found.label.tolist() == LABELS.tolist()
    found = Rows("test", LABELS, SCORES, None, 0).read_classes(SERIAL)
    assert found.label.tolist() == (1 - LABELS).tolist()
    with pytest.raises(ValueError, match=r"pos_label=2 is not a valid label.* \[0 1\]"):
        Rows("test", LABELS, SCORES, None, 2).read_classes(SERIAL)


def test_several_classes_are_inputs_with_their_labels_encoded():
    matrix = np.arange(12.0).reshape(4, 3)
    for labels, kind in [(LABELS, "binary"), ([0, 1, 2, 2], "multiclass")]:
        found = Rows("test", labels, matrix).read_classes(SERIAL)
        assert isinstance(found, Inputs)
        assert isinstance(found.y_true, Target)
        assert found.y_true.kind == kind
        assert found.y_score is matrix
