"""Decimals of Arrow become the doubles nearest to them, in files as in clusters."""

from decimal import Decimal

import numpy as np
import pytest
from hypothesis import given, strategies as st

import fastauc

pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed")

from fastauc import spark  # noqa: E402
from fastauc._validation.arrays import is_short  # noqa: E402
from fastauc.files import DataError, score  # noqa: E402
from fastauc.files._arrow_format import from_decimals  # noqa: E402
from fastauc.streaming import ScoreHistogram, refine_roc_auc  # noqa: E402
from support.file_columns import write_columns  # noqa: E402

KINDS = {
    name: make
    for name, make in {
        "32": getattr(pa, "decimal32", None),
        "64": getattr(pa, "decimal64", None),
        "128": pa.decimal128,
        "256": pa.decimal256,
    }.items()
    if make is not None  # the shorter ones came with pyarrow 18
}


def draw(kind, precision, scale, n=500):
    """Return decimals of all lengths, and the Arrow array that holds them."""
    rng = np.random.default_rng([precision, scale + 99])
    digits = [int(rng.integers(-(10**length), 10**length)) for length in range(1, precision)]
    digits += rng.integers(1 - 10**precision, 10**precision, n).tolist()
    values = [Decimal(number).scaleb(-scale) for number in digits]
    return values, pa.array(values, KINDS[kind](precision, scale))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("scale", [0, 1, 6, 15, 22])
def test_each_is_the_nearest_double(kind, scale):
    precision = 9 if kind == "32" else 15
    values, column = draw(kind, precision, scale)
    assert from_decimals(column).tolist() == [float(value) for value in values]
    part = column.slice(7, 100)  # its buffers begin elsewhere
    assert from_decimals(part).tolist() == [float(value) for value in values[7:107]]


@pytest.mark.parametrize("scale", [23, 38])
def test_powers_of_ten_that_are_no_doubles(scale):
    values, column = draw("128", 15, scale)
    assert from_decimals(column).tolist() == [float(value) for value in values]


# Declared types say nothing: databases declare 38 digits for numbers like 0.1 ---------------------

WIDE = {  # of each type the most digits, and how many are behind the point
    "spark": (pa.decimal128, 38, 18),
    "duckdb": (pa.decimal128, 18, 3),
    "all behind the point": (pa.decimal128, 38, 37),
    "none": (pa.decimal128, 38, 0),
    "256 bits": (pa.decimal256, 76, 30),
}
SHORT = {
    "of few places": ["0.1", "0.2", "1.178", "-3", "0", "12.5"],
    "of many digits": ["123456789012.345", "0.001", "-999999999999.999"],
    "large beside small": ["1234567890.1", "0.00000000012345678901234", "-1E-20", "1E+15"],
}
LONG = ["0.1000000000000001", "1234567890123456.7", "0.333333333333333333"]


def wide_columns():
    """Yield columns of every type that holds the values, and the values."""
    for make, precision, scale in WIDE.values():
        for texts in SHORT.values():
            values = [Decimal(text) for text in texts]
            try:
                yield pa.array(values, make(precision, scale)), values
            except pa.ArrowInvalid:
                continue  # does not fit


def test_values_of_few_digits_are_the_nearest_doubles_in_any_type():
    found = list(wide_columns())
    assert len(found) > 6
    for column, values in found:
        assert from_decimals(column).dtype == np.float64
        assert from_decimals(column).tolist() == [float(value) for value in values]


@pytest.mark.parametrize("text", LONG)
def test_longer_ones_stay_as_they_are_beside_doubles(text):
    values = [Decimal("0.5"), Decimal(text)]
    assert from_decimals(pa.array(values, pa.decimal128(38, 18))).tolist() == [0.5, values[1]]


@given(st.decimals(allow_nan=False, allow_infinity=False, min_value=-(10**40), max_value=10**40))
def test_decimals_of_few_digits_stay_distinct(value):
    digits = "".join(map(str, value.as_tuple().digits)).strip("0")
    assert is_short(value) == (len(digits) <= 15 and (not digits or abs(value.adjusted()) <= 307))
    if is_short(value):
        # The double leads back to it: no other such decimal has the same.
        assert Decimal(f"{float(value):.15g}") == value


@pytest.mark.parametrize("text", ["1e-320", "1e400", "1e-100000", "1.5e999999"])
def test_what_has_no_double_of_full_precision_is_not_short(text):
    assert not is_short(Decimal(text))


ROWS = [0, 1, 0, 1, 1, 0], ["0.1", "0.1", "1.178", "1.178", "0.3", "0.2"]


def reader(name, values, folder):
    """Return the AUC by one of the ways in, exact in the second reading."""
    labels = ROWS[0]
    if name == "files":
        column = pa.array(values, pa.decimal128(38, 18))
        path = write_columns(folder / "x.parquet", {"y": labels, "s": column})
        (found,) = score([path], label="y", score="s", memory_limit=1)
        return found.roc_auc.estimate
    if name == "spark":
        values = spark._as_array(pa.array(values, pa.decimal128(38, 18)), "y_score")
    if name == "dask":
        pd = pytest.importorskip("pandas")
        values = pd.Series(values, dtype=pd.ArrowDtype(pa.decimal128(38, 18)))
    chunks = [(labels[:3], values[:3]), (labels[3:], values[3:])]
    histogram = ScoreHistogram(bins=1, range=(-2, 2))
    for chunk in chunks:
        histogram.update(*chunk)
    found = refine_roc_auc(histogram, lambda: iter(chunks))
    assert found.exact
    return found.estimate


@pytest.mark.parametrize("name", ["files", "spark", "dask", "arrays"])
def test_one_rule_for_every_way_in(name, tmp_path):
    values = [Decimal(text) for text in ROWS[1]]
    exact = fastauc.roc_auc_score(ROWS[0], [float(text) for text in ROWS[1]])
    assert fastauc.roc_auc_score(ROWS[0], values) == exact
    assert reader(name, values, tmp_path) == exact
    values[3] = Decimal("0.333333333333333333")
    with pytest.raises((DataError, ValueError), match=r"0\.333333333333333"):
        reader(name, values, tmp_path)


def test_weights_are_read_by_their_values(tmp_path):
    columns = {"y": [0, 1, 1], "s": [1, 2, 0], "w": ["0.1", "0.25", "3"]}
    columns["w"] = pa.array(list(map(Decimal, columns["w"])), pa.decimal128(38, 18))
    path = write_columns(tmp_path / "x.parquet", columns)
    (found,) = score([path], label="y", score="s", weight="w")
    weight = [0.1, 0.25, 3.0]
    assert found.roc_auc.estimate == fastauc.roc_auc_score(
        [0, 1, 1], [1, 2, 0], sample_weight=weight
    )
