"""Rows of a public call: they are read once, and classes as scikit-learn reads them."""

import numpy as np
import pytest

from fastauc._validation.labels import Target
from fastauc._validation.rows import Rows
from fastauc._validation.samples import BinarySample, Inputs
from fastauc._validation.threads import SERIAL

LABELS, SCORES = np.array([0, 0, 1, 1]), np.array([0.1, 0.4, 0.35, 0.8])


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
