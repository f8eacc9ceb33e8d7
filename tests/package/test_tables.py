"""How results look: decimals, long tables, notes, escapes, and data frames."""

import math

import numpy as np

import fastauc
from fastauc._tables import as_html, as_text


def cells(*values):
    return as_text({"x": np.array(values)}).replace(" ", "").split("\n")[1:]


def test_numbers_of_a_column_have_one_number_of_decimals():
    assert cells(0.5, 1.0, 0.12) == ["0.50", "1.00", "0.12"]
    assert cells(1 / 3, 1.0, 0.1) == ["0.333333", "1.000000", "0.100000"]
    assert cells(1 / 3, 12.5) == ["0.3333", "12.5000"]
    assert cells(2.0, 30.0) == ["2", "30"]
    assert cells(1234567.25, 0.5) == ["1234567", "0.5"]
    assert cells(math.inf, 0.5, math.nan, -math.inf, 0.25) == ["inf", "0.50", "nan", "-inf", "0.25"]
    assert cells(math.nan, math.inf) == ["nan", "inf"]
    assert cells(np.float32(0.1), np.float32(0.2)) == ["0.1", "0.2"]
    assert cells(1, 20, -3) == ["1", "20", "-3"]
    assert cells(0.0, 0.0) == ["0", "0"]


def test_a_number_is_never_shown_as_zero():
    assert cells(0.25, 1e-12, 0.0) == ["0.25", "1e-12", "0.00"]
    assert cells(1e-300, 3e-301) == ["1.00000e-300", "3.00000e-301"]
    assert cells(2e-5, 1e-6) == ["0.000020", "0.000001"]
    assert cells(1e300, 0.0) == ["1.00000e+300", "0.00000e+00"]


def test_dates_and_words_are_shown_as_they_are():
    dates = np.array(["2024-01-02", "2024-05-06"], "datetime64[ns]")
    assert as_text({"date": dates}).split()[1].startswith("2024-01-02T")
    text = as_html({"<i>": np.array(['a & "b"'])}, ["x < y"])
    assert text == (
        "<table><thead><tr><th>&lt;i&gt;</th></tr></thead>"
        "<tbody><tr><td>a &amp; &quot;b&quot;</td></tr></tbody></table><p>x &lt; y</p>"
    )


def test_groups_are_rows():
    areas = fastauc.groups.roc_auc_by_group(
        *([1, 0, 0, 1, 1, 0], [0.9, 0.4, 0.8, 0.7, 0.1, 0.2], ["<b>", "a", "<b>", "a", "<b>", "a"])
    )
    assert str(areas).split("\n") == [
        "group  auc  n_pos  n_neg  undefined",
        "  <b>  0.5      2      1      False",
        "    a  1.0      1      2      False",
    ]
    assert "<td>&lt;b&gt;</td>" in areas._repr_html_()
    frame = areas.to_pandas()
    assert frame.columns.tolist() == ["group", "auc", "n_pos", "n_neg", "undefined"]
    assert frame.set_index("group").loc["a", "n_neg"] == 2


def test_a_table_without_rows_has_columns():
    alone = fastauc.inference.compare_roc_auc([0, 0, 1, 1], {"a": [1, 3, 2, 4]}).pairwise()
    assert str(alone).split() == list(fastauc.inference.PairwiseTests._fields)
    assert alone.to_pandas().shape == (0, 10)


def test_a_single_result_is_one_row():
    found = fastauc.inference.roc_auc_test_1samp([0, 0, 1, 1], [1, 3, 2, 4], 0.5)
    frame = found.to_pandas()
    low, high = found.confidence_interval
    assert frame[["low", "high"]].to_numpy().tolist() == [[low, high]]
    assert frame["method"].tolist() == ["score"]
    drawn = fastauc.inference.bootstrap_ci([0, 0, 1, 1], [1, 3, 2, 4], n_resamples=9, rng=0)
    assert "bootstrap_distribution" not in drawn.to_pandas()
    assert str(drawn).split("\n")[0].split()[0] == "statistic"


def test_numbers_for_all_rows_are_below():
    band = fastauc.inference.curve_ci([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], [0, 0.5])
    note = "given fpr, simultaneous False, confidence_level 0.95, method binomial"
    assert str(band).split("\n\n")[1] == note
    assert band._repr_html_().endswith(f"<p>{note}</p>")
    assert list(band.to_pandas()) == ["fpr", "tpr", "low", "high"]


def test_models_are_rows():
    models = fastauc.inference.compare_roc_auc([0, 0, 1, 1], {"a": [1, 3, 2, 4], "b": [1, 2, 2, 3]})
    frame = models.to_pandas().set_index("name")
    assert frame["auc"].tolist() == [0.75, 0.875]
    assert frame["standard_error"].tolist() == [math.sqrt(0.125), math.sqrt(0.03125)]
    assert list(frame) == ["auc", "standard_error", "low", "high"]
    # Each model has its interval, and the tests alone name a method.
    assert [frame["low"].tolist(), frame["high"].tolist()] == [[*models.low], [*models.high]]
    assert str(models).splitlines()[-1] == "adjust holm"


def test_a_part_has_its_fields_on_one_line():
    best = fastauc.metrics.optimal_threshold([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], method="accuracy")
    assert str(best) == "threshold  0.8\nvalue      0.75\nmatrix     tn 2, fp 0, fn 1, tp 1"
    assert "<tr><th>matrix</th><td>tn 2, fp 0, fn 1, tp 1</td></tr>" in best._repr_html_()
