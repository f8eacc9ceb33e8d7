"""``fastauc.reports.report``: the page of the command, for notebooks; and its numbers."""

import html
import math
import re

import numpy as np
import pytest

import fastauc
from fastauc._cli.main import main
from fastauc._drawing.words import MISSING, percents, pvalue_in_words
from fastauc._rows import cut_off
from fastauc.reports._tables import aligned
from support.file_columns import ordered_words
from support.pages import Page
from support.studies import BREAST_CANCER, breast_cancer

pytest.importorskip("matplotlib")
RNG = np.random.default_rng(0)
N = 500
Y = (RNG.random(N) < 0.4).astype(int)
SCORES = {"a": RNG.normal(size=N) + Y, "<b>": RNG.normal(size=N).round(1) + Y}
WEIGHT = RNG.random(N) + 0.5
GROUPS = RNG.choice(["north", "south & west"], N)


@pytest.fixture(scope="module")
def known():
    return fastauc.reports.report(Y, SCORES, groups=GROUPS)


def tables(page):
    return Page(page.html).tables


@pytest.fixture(scope="module")
def real():
    scores = breast_cancer()
    labels = scores.pop("y_true")
    return fastauc.reports.report(labels, scores, cost=1, revenue=5, bins=7)


@pytest.mark.usefixtures("without_pictures")
def test_numbers_are_those_of_the_command(tmp_path, real):
    path = tmp_path / "r.html"
    command = ["report", str(BREAST_CANCER), "--label=y_true", "--score=logistic"]
    command += ["--score=forest", "--cost=1", "--revenue=5", "--bins=7", "-o", str(path)]
    assert main(command) == 0
    known = Page(path.read_text(encoding="utf-8"))
    assert tables(real)[:-1] == known.tables[:-1]
    made, by_command = dict(tables(real)[-1]), dict(known.tables[-1])
    assert made.pop("Made by") == (
        "fastauc.reports.report(y_true, y_score, bins=7, cost=1, revenue=5)"
    )
    assert by_command.keys() - made.keys() == {"Files", "Label column", "Made by"}
    assert by_command | made == by_command


@pytest.mark.usefixtures("without_pictures")
def test_groups_weights_and_direction():
    opposites = {name: -score for name, score in SCORES.items()}
    options = {"sample_weight": WEIGHT, "groups": GROUPS}
    by_group = tables(fastauc.reports.report(Y, SCORES, **options))[-2]
    turned = fastauc.reports.report(Y, opposites, higher_is_positive=False, **options)
    assert tables(turned)[-2] == by_group
    assert [row[0] for row in by_group[1:]] == [name for name in np.unique(GROUPS) for _ in SCORES]
    assert "at or below the threshold" in turned.html
    found = dict(tables(turned)[-1])
    assert found["Direction"] == "lower scores are positive: a, <b>"
    assert found["Made by"] == (
        "fastauc.reports.report(y_true, y_score, sample_weight=sample_weight, groups=groups, "
        "higher_is_positive=False)"
    )


@pytest.mark.parametrize(
    ("make", "names"),
    [
        (lambda a, b: a.tolist(), ["score"]),
        (lambda a, b: [a, b], ["0", "1"]),
        (lambda a, b: np.column_stack([a, b]), ["0", "1"]),
        (lambda a, b: {"new": a, 7: b}, ["new", "7"]),
    ],
)
@pytest.mark.usefixtures("without_pictures")
def test_scores_in_any_form(make, names):
    page = fastauc.reports.report(Y, make(*SCORES.values()))
    assert [row[0] for row in tables(page)[1][1:]] == names
    areas = [f"{fastauc.roc_auc_score(Y, score):.4f}" for score in SCORES.values()]
    assert [row[1] for row in tables(page)[1][1:]] == areas[: len(names)]


@pytest.mark.usefixtures("without_pictures")
def test_a_series_keeps_its_name():
    pd, pl = pytest.importorskip("pandas"), pytest.importorskip("polars")
    for series in pd.Series(SCORES["a"], name="a"), pl.Series("a", SCORES["a"]):
        page = fastauc.reports.report(Y, series, n_jobs=3)
        assert [row[0] for row in tables(page)[1][1:]] == ["a"]


def test_a_notebook_shows_a_document_of_its_own():
    page = fastauc.reports.report(Y, SCORES, title='"><script>alert(1)</script>')
    shown = page._repr_html_()
    (frame,) = (attributes for tag, attributes in Page(shown).elements)
    assert set(frame) == {"srcdoc", "sandbox", "title", "style"}
    assert frame["sandbox"] == ""
    assert frame["srcdoc"] == page.html
    assert html.unescape(shown).count("<iframe") == 1
    assert "<script" not in page.html
    assert not re.search(r"https?:|//|url\((?!#)|@import|src=|javascript", page.html)
    assert repr(page).startswith(f"<HtmlReport of {len(page.html)} characters")


def test_a_page_is_saved(tmp_path, known):
    known.save(tmp_path / "r.html")
    assert (tmp_path / "r.html").read_bytes() == known.html.encode()


def test_curves_and_calibration_of_probabilities_are_square(real):
    # Below the curve of the calibration, a histogram takes the room that is left.
    for label, height in (("ROC curve", 1.0), ("Calibration of logistic", 1 + 0.18 / 0.82 / 1.05)):
        (picture,) = re.findall(rf'<svg[^>]*aria-label="{label}".*?</svg>', real.html, re.S)
        clips = [each for each in Page(picture).of("rect") if "width" in each]
        for each in clips:
            assert float(each["height"]) / float(each["width"]) == pytest.approx(height, rel=0.01)
    (roc,) = re.findall(r'<svg[^>]*aria-label="ROC curve".*?</svg>', real.html, re.S)
    assert "logistic (AUC = 0.995)" in roc


def test_numbers_of_a_column_have_the_same_decimals(real):
    assert percents([0.1, 0.0967, math.nan, 1]) == ["10.0%", "9.7%", MISSING, "100.0%"]
    # A tiny one does not widen its column.
    assert percents([0.0004, 0.25, 0, -0.1]) == ["< 0.1%", "25.0%", "0.0%", "\N{MINUS SIGN}10.0%"]
    assert percents([0.0004, 0.00025]) == ["0.0400%", "0.0250%"]
    assert aligned([0.98765, 0.1, math.nan]) == ["0.9877", "0.1000", MISSING]
    assert aligned([-1234.5, 2]) == ["\N{MINUS SIGN}1,234", "2"]
    assert aligned([640, 9]) == ["640", "9"]
    assert aligned([0.0, 0.0]) == ["0", "0"]
    assert [cut_off(t, False) for t in (627.0, 0.5, 1e22, math.inf, math.nan)] == [
        "at or above 627",
        "at or above 0.5",
        "at or above 1e+22",
        "no row",
        "undefined",
    ]
    assert aligned([1e-300, 5e-301]) == ["1e\N{MINUS SIGN}300", "5e\N{MINUS SIGN}301"]
    assert [pvalue_in_words(p) for p in (0.0, 4e-4, 0.001, 0.25, math.nan)] == [
        "< 0.001",
        "< 0.001",
        "0.001",
        "0.250",
        "-",
    ]
    for table in tables(real)[3:6]:
        for title, *column in zip(*table, strict=True):
            if title not in ("Criterion", "Predicted positive", "Value"):
                numbers = [cell for cell in column if re.search(r"\d", cell)]
                decimals = {len(cell.partition(".")[2].split()[0:1]) for cell in numbers}
                assert len(decimals) <= 1, title


@pytest.mark.usefixtures("without_pictures")
def test_rows_that_lack_a_score_are_left_out():
    scores = {name: score.copy() for name, score in SCORES.items()}
    scores["a"][:7] = math.nan
    scores["<b>"][5:9] = math.nan
    kept = np.arange(N) >= 9
    scores["<b>"] = [None if math.isnan(value) else value for value in scores["<b>"].tolist()]
    options = {"sample_weight": WEIGHT, "groups": GROUPS}
    known = fastauc.reports.report(
        Y[kept],
        {name: score[kept] for name, score in SCORES.items()},
        **{name: values[kept] for name, values in options.items()},
    )
    page = fastauc.reports.report(Y, scores, **options, nan_policy="omit")
    *others, assumptions = tables(page)
    assert others == tables(known)[:-1]
    assert dict(assumptions)["Rows without a score"] == (
        f"9 rows dropped ({Y[:9].sum()} positives): a is missing in 7 "
        f"({Y[:7].sum()} positives), <b> is missing in 4 ({Y[5:9].sum()} positives)"
    )


SEGMENTS = ["small", "medium", "large"]


@pytest.mark.parametrize("library", ["pandas", "pandas array", "polars", "pyarrow"])
@pytest.mark.parametrize("nan_policy", ["raise", "omit"])
@pytest.mark.usefixtures("without_pictures")
def test_groups_are_in_the_order_of_their_categories(library, nan_policy):
    words = np.resize(SEGMENTS[::2], N).tolist()  # no medium ones
    scores = {name: score.copy() for name, score in SCORES.items()}
    if nan_policy == "omit":
        scores["a"][:9] = math.nan
    groups = ordered_words(library, words, SEGMENTS)
    page = fastauc.reports.report(Y, scores, groups=groups, nan_policy=nan_policy)
    by_group = tables(page)[-2]
    assert [row[0] for row in by_group[1:]] == ["small", "small", "large", "large"]
    for row in by_group[1:]:
        chosen = (np.array(words) == row[0]) & ~np.isnan(scores["a"])
        area = fastauc.roc_auc_score(Y[chosen], scores[row[3]][chosen])
        assert (row[1], row[4]) == (str(chosen.sum()), f"{area:.4f}")


@pytest.mark.usefixtures("without_pictures")
def test_bins_of_weighted_rows_are_not_of_equal_numbers():
    for weight, bins, figure in (
        (None, "10, of equal numbers of rows, tied rows together", "equal numbers of rows, each"),
        (WEIGHT, "10, of equal weight, tied rows together", "Bins of equal weight"),
    ):
        page = fastauc.reports.report(Y, np.linspace(0, 1, len(Y)), sample_weight=weight)
        assert dict(tables(page)[-1])["Bins"] == bins
        assert figure in page.html
        assert ("each with its interval" in page.html) == (weight is None)


@pytest.mark.usefixtures("without_pictures")
def test_rows_of_weight_0_are_as_if_left_out():
    weight, groups = WEIGHT.copy(), GROUPS.copy()
    weight[::3] = 0
    groups[:30:3] = "no others"
    found = fastauc.reports.report(Y, SCORES, sample_weight=weight, groups=groups)
    kept = weight > 0
    scores = {name: score[kept] for name, score in SCORES.items()}
    rows = {"sample_weight": weight[kept], "groups": groups[kept]}
    assert tables(found) == tables(fastauc.reports.report(Y[kept], scores, **rows))
    assert tables(found)[0][0] == ["Rows", str(np.count_nonzero(kept))]


def test_wrong_arguments():
    for scores, message in (
        ({"a": [0.5, math.nan]}, r"y_score\['a'\]\[1\] is nan"),
        ([0.5, 0.25, 0.125], "inconsistent numbers of samples"),
        ({"1": [1, 2], 1: [1, 2]}, "y_score has two columns '1'"),
        ({}, "y_score contains no models"),
    ):
        with pytest.raises(ValueError, match=message):
            fastauc.reports.report([0, 1], scores)
    with pytest.raises(ValueError, match="groups holds 101 different values; expected at most 100"):
        fastauc.reports.report(np.arange(101) % 2, np.arange(101), groups=np.arange(101))
    for wrong in (
        *({"bins": 0}, {"cost": 1}, {"cost_fp": 1}, {"cost_fn": -1, "cost_fp": 1}),
        {"nan_policy": "drop"},
    ):
        with pytest.raises(fastauc.InvalidParameterError):
            fastauc.reports.report([0, 1], [0.25, 0.5], **wrong)
