"""nan_policy: rows without a score are left out, and everything else stays as it was."""

import math
from decimal import Decimal

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import fastauc
from support.public import FUNCTIONS, OPTIONS, PARAMETERS, PUBLIC, values

pl = pytest.importorskip("polars", reason="polars is not installed")

pytestmark = pytest.mark.check("missing scores")
# No more bins than rows.
NEEDED = OPTIONS | {"gains_table": {"bins": 2}}


# Of one score, and not column by column; of two, tests/inference/test_arguments.py.
NAMES = [name for name in FUNCTIONS if {"nan_policy", "y_score"} <= PARAMETERS[name].keys()]
NAMES.remove("roc_auc_by_column")
LABELS = [0, 0, 1, 1, 0, 1]
SCORES = [0.1, math.nan, 0.35, 0.8, 0.4, math.nan]
WEIGHTS = [1, 2, 0.5, 1, 3, 1]
KEPT = [0, 2, 3, 4]


def call(name, label, score, weight=None, **options):
    if weight is not None and "sample_weight" in PARAMETERS[name]:
        options["sample_weight"] = weight
    return PUBLIC[name](label, score, **NEEDED.get(name, {}), **options)


def test_the_functions_that_are_no_drop_ins_have_it():
    assert len(NAMES) >= 23
    for name in ("roc_auc_score", "average_precision_score", "roc_curve", "det_curve"):
        assert "nan_policy" not in PARAMETERS[name]


@pytest.mark.parametrize("name", NAMES)
def test_the_answer_is_that_of_the_rows_that_are_left(name):
    for columns in ([LABELS, SCORES], [LABELS, SCORES, WEIGHTS]):
        left = [[column[k] for k in KEPT] for column in columns]
        expected = repr(values(call(name, *left)))
        for make in (list, np.array, pd.Series, lambda values: np.array(values)[:, None]):
            assert repr(values(call(name, *map(make, columns), nan_policy="omit"))) == expected
        assert repr(values(call(name, *left, nan_policy="omit"))) == expected
        with pytest.raises(ValueError, match="contains NaN"):
            call(name, *map(np.array, columns))


BIG = 2**53


@pytest.mark.parametrize(
    "score",
    [
        [BIG, None, BIG + 1, BIG + 3],
        np.array([BIG, None, BIG + 1, BIG + 3], object),
        [Decimal(BIG), Decimal("nan"), Decimal(BIG + 1), Decimal(BIG + 3)],
        pd.Series([BIG, None, BIG + 1, BIG + 3], dtype="Int64"),
        pl.Series([BIG, None, BIG + 1, BIG + 3]),
        pa.array([BIG, None, BIG + 1, BIG + 3]),
        pa.chunked_array([[BIG, None], [BIG + 1, BIG + 3]]),
    ],
    ids=["list", "objects", "decimals", "pandas", "polars", "arrow", "chunks"],
)
def test_missing_values_of_any_container(score):
    """Integers beyond 2**53 beside a null stay apart."""
    found = fastauc.concordance([0, 1, 1, 0], score, nan_policy="omit")
    assert tuple(found) == (1, 0, 1, 2)
    first = pl.Series([2**53, None, 2**53 + 1])  # the least that rounding joins
    assert fastauc.concordance([0, 1, 1], first, nan_policy="omit").concordant == 1


@pytest.mark.parametrize(
    ("label", "score", "message"),
    [
        ([0, 1], [math.nan, math.nan], "minimum of 1 is required"),
        ([0, 1, 1], [0.5, math.nan], "inconsistent"),
        ([0, 1, 1], [0.5, math.inf, math.nan], "contains infinity"),
        ([0, math.nan, 1], [0.5, 0.25, math.nan], "contains NaN"),
        ([0, 1], ["a", None], "y_score"),
    ],
)
def test_what_stays_an_error(label, score, message):
    with pytest.raises(ValueError, match=message):
        fastauc.ks_score(label, score, nan_policy="omit")


def test_inputs_are_not_changed():
    score = np.array(SCORES)
    fastauc.ks_score(LABELS, score, nan_policy="omit")
    assert score.tolist() == pytest.approx(SCORES, nan_ok=True)


@pytest.mark.parametrize("dtype", [np.float16, np.float32])
def test_small_floats_of_arrow_are_omitted_without_a_warning(dtype):
    scores = pa.array(np.array([0.1, 0.2, np.nan, 0.5, 0.9], dtype))
    assert fastauc.gini_score([0, 1, 0, 0, 1], scores, nan_policy="omit") == 0.5
