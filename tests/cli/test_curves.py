"""Gains, thresholds and curves on the command line: the numbers of the API, or bounds of them."""

import csv
import errno
import io
import json
import os
import re
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import fastauc
from support.studies import BREAST_CANCER, breast_cancer

REAL = [BREAST_CANCER, "--label=y_true", "--score=logistic"]
COLUMNS = ["--label=y", "--score=s"]
TINY = ["--memory-limit=1"]


@pytest.fixture(scope="module")
def real():
    columns = breast_cancer()
    return fastauc.confusion_matrix_at_thresholds(columns["y_true"], columns["logistic"])


def rows_of(folder):
    table = pq.read_table(folder)
    return {name: table[name].to_numpy() for name in table.column_names}


def test_gains_of_a_histogram_have_bounds(records, folder):
    (bounded,) = records("gains", folder, *COLUMNS, *TINY)
    (exact,) = records("score", folder, *COLUMNS)
    assert bounded["exact"] is False
    for name, (lower, upper) in bounded["bounds"].items():
        assert lower <= exact[name] <= upper < lower + 1e-3


def test_cells_are_not_divided(refused, folder):
    assert refused("gains", folder, *COLUMNS, *TINY, "--ties=split").startswith(
        f"{folder / '0.parquet'} and 2 more: column 's': splitting ties would divide the b"
    )


# Thresholds ---------------------------------------------------------------------------------------

METHODS = [
    ("youden", {}),
    ("equal_error_rate", {}),
    ("accuracy", {"prevalence": 0.1}),
    ("cost", {"cost_fp": 1.0, "cost_fn": 4.0}),
    ("profit", {"cost": 1.0, "revenue": 1.5}),
    ("max_fpr", {"limit": 0.05}),
    ("min_precision", {"limit": 0.7}),
]

UNITS = {"youden": "TPR - FPR", "accuracy": "accuracy", "cost": "mean cost per row"}
UNITS |= {"profit": "total profit", "max_fpr": "recall", "min_precision": "recall"}
UNITS |= {"equal_error_rate": "equal error rate"}


def flags(options):
    return [f"--{name.replace('_', '-')}={value}" for name, value in options.items()]


def shares_at(matrix, prevalence):
    tn, fp, fn, tp = map(Fraction, matrix)
    p = Fraction(prevalence)
    hits, alarms = p * tp / (tp + fn), (1 - p) * fp / (fp + tn)
    return {
        "precision_at_prevalence": float(hits / (hits + alarms)),
        "accuracy_at_prevalence": float(hits + (1 - p) - alarms),
    }


@pytest.mark.parametrize(("method", "options"), METHODS)
def test_thresholds_are_those_of_the_api_or_bound_them(records, folder, method, options):
    data = rows_of(folder)
    best = fastauc.metrics.optimal_threshold(data["y"], data["s"], method=method, **options)
    command = ["threshold", folder, *COLUMNS, "--method", method, *flags(options)]
    (found,) = records(*command)
    shares = {"precision": best.matrix.precision, "accuracy": best.matrix.accuracy}
    if "prevalence" in options:
        shares = shares_at(best.matrix, options["prevalence"])
        shares["prevalence"] = options["prevalence"]
    assert found == {
        "score": "s",
        "method": method,
        "threshold": best.threshold,
        "predicted_positive": f"at or above {best.threshold!r}",
        "unit": UNITS[method],
        "value": best.value,
        "recall": best.matrix.recall,
        "fpr": best.matrix.fpr,
        **shares,
        **best.matrix._asdict(),
        "higher_is_positive": True,
    }
    (bounded,) = records(*command, *TINY)
    assert bounded["value_lower"] <= best.value <= bounded["value_upper"]


# Curves -------------------------------------------------------------------------------------------


def test_curves_in_files(run, tmp_path, real):
    path, expected = tmp_path / "x.CSV", real.ks_curve()
    code, out, err = run("curve", "ks", *REAL, "--score=forest", "--out", path)
    assert (code, err) == (0, "")
    n = len(expected[0])
    assert out.startswith(f"logistic: {n} points; 569 rows, 212 positives; exact\nforest: ")
    table = pa.csv.read_csv(path)
    assert table.column_names == ["score", "share", "tpr", "fpr", "threshold"]
    assert set(table["score"].to_pylist()) == {"logistic", "forest"}
    for name, values in zip(table.column_names[1:], expected, strict=True):
        np.testing.assert_array_equal(table[name].to_numpy()[:n].astype(float), values)


def test_curve_of_a_histogram_is_a_part_of_the_curve(run, folder, tmp_path):
    data = rows_of(folder)
    code, out, err = run("curve", "roc", folder, *COLUMNS, *TINY)
    assert code == 0
    assert re.fullmatch(
        r"fastauc: note: s: 12000 rows, \d+ positives; bounded, not exact: .*\n", err
    )
    table = list(csv.DictReader(io.StringIO(out)))
    counts = fastauc.confusion_matrix_at_thresholds(data["y"], data["s"])
    for row in table[1::97]:
        at = counts.at(float(row["threshold"]))
        assert (float(row["fpr"]), float(row["tpr"])) == (at.fpr, at.tpr)
    code, out, _ = run("curve", "roc", folder, *COLUMNS, *TINY, "-o", tmp_path / "x.csv")
    assert code == 0
    assert "bounded, not exact" in out


# Bad input ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("limit", [[], TINY])
def test_one_class(run, folder, limit, tmp_path):
    code, out, err = run("gains", folder, "--label=one", "--score=s", *limit, "--json")
    assert code == 0
    assert json.loads(out)["table"]["ks"] == [None] * 10
    _, out, _ = run("gains", folder, "--label=one", "--score=s", *limit, "-o", tmp_path / "o.md")
    for text in out, (tmp_path / "o.md").read_text():
        assert "nan" not in text
        assert text.count(" - ") + text.count(" -\n") >= 10
    assert err == (
        f"fastauc: warning: {folder}: column 'one' holds only one class; values that need both are "
        "undefined\n"
    )


def test_more_bins_than_rows(refused, tmp_path):
    for command in (["gains"], ["plot", "gains", "-o", tmp_path / "x.png"]):
        assert refused(*command, *REAL, "--bins=570") == (
            f"{BREAST_CANCER}: there are 569 rows; expected at least as many as --bins, 570"
        )


def test_outputs_that_cannot_be_written(refused, tmp_path, monkeypatch):
    (tmp_path / "folder.csv").mkdir()
    for path, number in (
        (tmp_path / "no" / "x.csv", errno.ENOENT),
        (tmp_path / "folder.csv", errno.EISDIR),
    ):
        for command in (["gains"], ["curve", "roc"]):
            said = refused(*command, *REAL, "-o", path)
            assert said == f"{path}: cannot be written: {os.strerror(number)}"

    def refuse(path):  # some users may write everywhere
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))

    monkeypatch.setattr("fastauc.files._saved.created_beside", refuse)
    assert refused("gains", *REAL, "-o", tmp_path / "x.csv") == (
        f"{tmp_path / 'x.csv'}: cannot be written: {os.strerror(errno.EACCES)}"
    )
