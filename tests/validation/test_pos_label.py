"""Labels that are words: which of them is the positive one is said, not guessed."""

import numpy as np
import pytest

from support.public import FUNCTIONS, PARAMETERS, call, draw_rows, flat

ROWS = draw_rows(60)
# As scikit-learn's: the greater of two labels is the positive one, or 1 is by default.
WITHOUT, WITH_DEFAULT = {"roc_auc_score"}, {"average_precision_score"}
OF_LABELS = [name for name in FUNCTIONS if "y_true" in PARAMETERS[name]]

WORDS = np.where(ROWS.label == 1, "bad", "good")
THREE = np.where(ROWS.label == 1, "bad", np.where(np.arange(60) % 2 == 0, "good", "none"))


def test_every_function_of_labels_takes_it():
    assert {name for name in OF_LABELS if "pos_label" not in PARAMETERS[name]} == WITHOUT


@pytest.mark.parametrize("name", sorted({*OF_LABELS} - WITHOUT - WITH_DEFAULT))
def test_words_need_pos_label(name):
    expected = flat(call(name, ROWS))
    for labels in (WORDS, THREE) if name != "det_curve" else (WORDS,):
        assert flat(call(name, ROWS, y_true=labels, pos_label="bad")) == expected
    for labels in (ROWS.label * 2 - 1, ROWS.label == 1):
        assert flat(call(name, ROWS, y_true=labels)) == expected
    for labels, shown in ((WORDS, "'bad', 'good'"), (ROWS.label + 1, "1, 2")):
        with pytest.raises(ValueError, match=rf"y_true takes value in {{{shown}}} and pos_label"):
            call(name, ROWS, y_true=labels)


def test_a_second_sample_is_named():
    name = "roc_auc_test_ind"
    expected = call(name, ROWS)
    assert call(name, ROWS, y_true_a=WORDS, y_true_b=WORDS, pos_label="bad") == expected
    with pytest.raises(ValueError, match=r"y_true_b takes value in \{'bad', 'good'\}"):
        call(name, ROWS, y_true_b=WORDS)
