"""Reports: every number is that of the API, the page needs nothing else, and errors are a line."""

import contextlib
import functools
import html
import io
import re
import shlex
from datetime import UTC, datetime

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import fastauc
from fastauc._cli import arguments
from fastauc._cli.main import main
from fastauc._drawing.words import MISSING
from support.pages import Page
from support.studies import BREAST_CANCER, breast_cancer

pytest.importorskip("matplotlib")
REAL = [BREAST_CANCER, "--label=y_true", "--score=logistic", "--score=forest"]
TINY = ["--memory-limit=1"]
AMOUNTS = ["--cost=1", "--revenue=5", "--cost-fp=1", "--cost-fn=3"]
EVIL = "<i>\"s'&amp;$"


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """Write a report, once for the same arguments: the page, its content and what is said."""

    @functools.cache
    def call(*arguments):
        path = tmp_path_factory.mktemp("written") / "report.html"
        said = io.StringIO()
        with contextlib.redirect_stdout(said):
            assert main(["report", *map(str, arguments), "-o", str(path)]) == 0
        content = path.read_text(encoding="utf-8")
        assert said.getvalue().startswith(f"{path}: ")
        return Page(content), content, said.getvalue()

    return call


@pytest.fixture(scope="module")
def real():
    return breast_cancer()


@pytest.fixture(scope="module")
def grouped(tmp_path_factory):
    rng = np.random.default_rng(0)
    n = 3000
    y = rng.random(n) < 0.3
    columns = {"y": y, EVIL: rng.normal(size=n) + y, "g": rng.choice(["<b>", "z"], n)}
    columns |= {"w": rng.random(n) + 0.5, "t": rng.integers(0, 3, n) + y}
    path = tmp_path_factory.mktemp("grouped") / "x.parquet"
    pq.write_table(pa.table(columns), path)
    return path, columns


GROUPED = ["--label=y", f"--score={EVIL}"]


def row_of(table, name):
    (row,) = (row for row in table if row[0] == name)
    return row


# Numbers ------------------------------------------------------------------------------------------


def test_figures_are_those_of_the_api(written, real):
    page, _, out = written(*REAL, *AMOUNTS)
    assert out.endswith(": 569 rows, 212 positives; exact\n")
    facts, figures, differences, *tables = page.tables
    assert row_of(facts, "Positives")[1] == "212 (37.3%)"
    assert row_of(facts, "Scores, column forest")[1] == (
        "26 distinct scores; 0.733% of the pairs are tied"
    )
    label = real["y_true"]
    for name, table in (("logistic", tables[:4]), ("forest", tables[4:8])):
        counts = fastauc.confusion_matrix_at_thresholds(label, real[name])
        low, high = fastauc.inference.roc_auc_ci(label, real[name]).confidence_interval
        distance = fastauc.inference.bootstrap_ci(
            label, real[name], statistic="ks", n_resamples=1000, rng=0
        )
        assert row_of(figures, name)[1:] == [
            f"{counts.roc_auc():.4f}",
            f"{low:.4f} to {high:.4f}",
            f"{counts.gini():.4f}",
            f"{2 * low - 1:.4f} to {2 * high - 1:.4f}",
            f"{counts.ks():.4f}",
            "{:.4f} to {:.4f}".format(*distance.confidence_interval),
            f"{counts.average_precision():.4f}",
            f"{100 * counts.gain_at(0.1):.1f}%",
            f"{counts.lift_at(0.1):.4f}",
        ]
        gains = counts.gains_table(cost=1, revenue=5)
        assert [row[1] for row in table[0][1:]] == [str(n) for n in gains["n"]]
        assert [row[-2] for row in table[0][1:]] == [f"{p:.0f}" for p in gains["cum_profit"]]
        thresholds = dict(row[:2] for row in table[1][1:])
        best = counts.optimal_threshold(method="cost", cost_fp=1, cost_fn=3)
        key = "Lowest mean cost per row (false positive 1, false negative 3)"
        assert thresholds[key] == f"at or above {best.threshold!r}"
        best = counts.optimal_threshold(method="max_fpr", limit=0.05)
        key = "Highest recall with an FPR of at most 0.05"
        assert thresholds[key] == f"at or above {best.threshold!r}"
        # Costs are given: the matrix is that of their threshold.
        tn, fp, fn, tp = counts.optimal_threshold(method="cost", cost_fp=1, cost_fn=3).matrix
        assert table[2][1:] == [
            ["Positives", str(tp), str(fn), "212"],
            ["Negatives", str(fp), str(tn), "357"],
            ["All", str(tp + fp), str(tn + fn), "569"],
        ]
        low, high = fastauc.ConfusionMatrix(tn, fp, fn, tp).intervals().sensitivity
        recall = [f"{100 * share:.1f}%" for share in (tp / 212, low, high)]
        assert table[3][1] == ["Sensitivity", recall[0], f"{recall[1]} to {recall[2]}"]
    test = fastauc.inference.roc_auc_test(label, real["logistic"], real["forest"])
    low, high = test.confidence_interval
    assert row_of(differences, "logistic \N{MINUS SIGN} forest")[1:] == [
        f"{test.difference:+.4f}",
        f"{low:+.4f} to {high:+.4f}".replace("-", "\N{MINUS SIGN}"),
        f"{test.standard_error:.4f}",
        f"{test.pvalue:.3f}",
        f"{test.pvalue:.3f}",
    ]


def test_assumptions_are_on_the_page(written, grouped, tmp_path):
    """All that the numbers depend on beside the rows, and how to make the page again."""
    page, _, out = written(*REAL, *AMOUNTS)
    found = dict(page.tables[-1])
    assert found["Costs of errors"] == "a false positive costs 1, a false negative costs 3"
    assert found["Profit"] == "each row selected costs 1, each positive selected brings 5"
    assert found["Direction"] == "higher scores are positive"
    assert found["Rows without a score"] == "none"
    size, time = BREAST_CANCER.stat().st_size, BREAST_CANCER.stat().st_mtime
    changed = datetime.fromtimestamp(time, UTC).strftime("%Y-%m-%d %H:%M")
    assert found["Files"] == f"{BREAST_CANCER}: {size:,} bytes, {changed} UTC"
    for name, version in (("fastauc", fastauc.__version__), ("numpy", np.__version__)):
        assert f"{name} {version}" in found["Versions"]
    # The command is one that a shell takes, and makes the same page.
    command = shlex.split(found["Made by"])
    path = out.partition(": ")[0]
    assert command == ["fastauc", "report", *map(str, REAL), *AMOUNTS, "-o", path]
    files = []
    for number in range(3):
        files.append(tmp_path / f"{number}.csv")
        files[-1].write_text(f"y,s,p\n0,0.5,1\n1,,2\n1,0.25,1\n0,1e6,{number + 3}\n")
    options = ["--label=y", "--score=s", "--score=p", "--missing=drop", "--lower-is-positive=p"]
    found = written(tmp_path, *options, "--cost-fp=0.5", "--cost-fn=1e6")[0].tables[-1]
    at = [row[0] for row in found].index("Files")
    assert [row[1].partition(":")[0] for row in found[at : at + 3]] == list(map(str, files))
    found = dict(found)
    assert (
        found["Costs of errors"] == "a false positive costs 0.5, a false negative costs 1,000,000"
    )
    assert found["Profit"] == "none given"
    assert found["Direction"] == "higher scores are positive; lower scores are positive: p"
    assert found["Rows without a score"].startswith("3 rows dropped (3 positives): s is missing")


def test_the_positive_label_is_at_the_top_and_on_every_figure(written, tmp_path):
    """So are, at the top, the rows without a score."""
    path = tmp_path / "x.csv"
    path.write_text("y,s\n" + "good,600\nbad,500\nbad,580\ngood,520\n" * 9 + "bad,\n" * 2)
    options = [path, "--label=y", "--pos-label=bad", "--score=s", "--lower-is-positive=s"]
    page, content, _ = written(*options, "--missing=drop", "--bins=2")
    assert "bad = positive; 2 rows without a score left out" in page.texts[:6]
    captions = re.findall("<figcaption>(.*?)</figcaption>", content)
    assert len(captions) == 5  # points have no calibration
    assert all(each.startswith("bad = positive") for each in captions)
    assert "at or below 580" in page.texts


def test_a_report_by_month_has_a_chart_of_the_whole_width(written, tmp_path):
    path = tmp_path / "x.csv"
    rows = [f"{k % 2},{k * 7 % 20},2024-{k // 20 + 1:02}-15" for k in range(60)]
    path.write_text("\n".join(["y,s,opened", *rows]))
    page, content, _ = written(path, "--label=y", "--score=s", "--by=opened:month")
    assert "By month of opened" in page.texts
    heads, *rows = page.tables[-2]
    assert heads[0] == "Month of opened"
    assert content.count('class="unbroken">2024-0') == len(rows) == 3
    (chart,) = re.findall(
        r'<figure class="wide"><h3>AUC by group</h3><svg viewBox="([^"]*)"', content
    )
    width, height = map(float, chart.split()[2:])
    assert width > 3 * height
    # Gain is a percentage and K-S is none, here and there.
    gains = next(table for table in page.tables if table[0][0] == "Bin")
    assert gains[1][gains[0].index("Gain")].endswith("%")
    assert rows[0][heads.index("Gain at 10%")].endswith("%")
    assert not gains[1][gains[0].index("K-S")].endswith("%")


def test_a_report_by_grade_and_month_has_a_line_for_each_grade(written, tmp_path):
    path = tmp_path / "x.csv"
    rows = [f"{k % 2},{k * 7 % 20},{'AB'[k % 3 % 2]},2024-{k // 20 + 1:02}-15" for k in range(60)]
    path.write_text("\n".join(["y,s,grade,opened", *rows]))
    page, content, _ = written(path, "--label=y", "--score=s", "--by=grade", "--by=opened:month")
    assert "By grade, month of opened" in page.texts
    (chart,) = re.findall(r'<figure class="wide"><h3>AUC by group</h3>(<svg.*?</svg>)', content)
    assert {"A, s", "B, s", "2024-01", "2024-02", "2024-03"} < set(Page(chart).texts)


def test_a_url_is_shown_without_secrets(monkeypatch):
    seen = []

    def fail(options):
        seen.append(options.command)
        raise arguments.UsageError("enough")

    monkeypatch.setattr("fastauc._cli.arguments.check_output", fail)
    with pytest.raises(SystemExit):
        main(["report", "s3://me:secret@bucket/x.csv?token=secret", "--label=y", "--score=s",
              "-o", "r.html"])  # fmt: skip
    assert seen == ["fastauc report s3://bucket/x.csv --label=y --score=s -o r.html"]


def test_a_bounded_report_says_so(written, grouped):
    path, columns = grouped
    page, _, out = written(path, *GROUPED, "--by=g", *TINY)
    assert out.endswith("; bounded, not exact: counted in one pass\n")
    assert any(
        text.startswith("The rows did not fit within the memory limit.") for text in page.texts
    )
    figures = page.tables[1]
    assert "95% interval" not in figures[0]
    middle, distance = map(float, figures[1][1].split(" ± "))
    counts = fastauc.confusion_matrix_at_thresholds(columns["y"], columns[EVIL])
    assert 0 < distance < 1e-3
    assert abs(counts.roc_auc() - middle) <= distance


# The page -----------------------------------------------------------------------------------------


def test_the_page_needs_nothing_else(written, grouped):
    page, content, _ = written(grouped[0], *GROUPED, "--by=g", "--title", EVIL)
    assert not re.search(
        r"https?:|//|url\((?!#)|@import|src=|href=\"(?!#)|<script|javascript", content
    )
    assert [each for each in page.elements if any(key.startswith("on") for key in each[1])] == []
    assert "i" not in {tag for tag, _ in page.elements}
    assert page.texts.count(EVIL) >= 3
    assert "@media screen and (prefers-color-scheme: dark)" in content
    assert "@media print" in content
    assert {"name": "viewport", "content": "width=device-width, initial-scale=1"} in page.of("meta")
    assert len(content) < 300_000
    labels = [each["aria-label"] for each in page.of("svg") if each["role"] == "img"]
    assert labels == [
        "ROC curve",
        "Precision-recall curve",
        "Gain curve",
        f"K-S chart of {EVIL}",
        f"Distribution of the scores of {EVIL}",
        "AUC by group",
        f"ROC curves of {EVIL} by group",
    ]
    ids = [each["id"] for _, each in page.elements if "id" in each]
    assert len(set(ids)) == len(ids) > len(labels)
    assert set(re.findall(r'(?:url\(|href=")#([\w-]+)', content)) <= set(ids)


def test_the_same_rows_make_the_same_bytes(written, grouped):
    contents = set()
    for more in (["--threads=3"], []):
        _, content, out = written(grouped[0], *GROUPED, "--by=g", "--title", EVIL, *more)
        # Only the command that is shown differs.
        shown = html.escape(shlex.join([*more, "-o", out.partition(": ")[0]]))
        assert content.count(shown) == 1
        contents.add(content.replace(shown, ""))
    assert len(contents) == 1


def test_tables_fit_a_phone_and_whole_pages_of_paper(written, grouped):
    page, content, _ = written(grouped[0], *GROUPED, "--by=g", "--title", EVIL)
    wide = [each["class"] == "scroll" for each in page.of("div") if "scroll" in each["class"]]
    headings = [table[0][0] for table in page.tables[1:-1]]  # without the lists of facts
    assert [name for name, is_wide in zip(headings, wide, strict=True) if is_wide] == ["Bin"]
    # In a small one, each cell says what it is.
    labels = [each.get("data-label") for each in page.of("td") if "data-label" in each]
    assert {
        "AUC",
        "AUC interval",
        "Gini interval",
        "K-S interval",
        "Recall",
        "Predicted positive",
    } < set(labels)
    assert ".scroll { overflow: visible; background: none; }" in content


@pytest.mark.parametrize("limit", [[], TINY])
def test_one_class_and_few_rows(run, tmp_path, limit, request):
    path, output = tmp_path / "x.csv", tmp_path / "r.html"

    def page_of(rows, *options):
        path.write_text(rows)
        code, _, err = run("report", path, "--label=y", "--score=s", *options, "-o", output)
        assert code == 0
        return Page(output.read_text(encoding="utf-8")), err

    page, err = page_of("y,s,g\n1,0.5,a\n1,0.25,b\n", *limit)
    assert err == (
        f"fastauc: warning: {path}: column 'y' holds only one class; values that need both are "
        "undefined\n"
    )
    assert row_of(page.tables[1], "s")[1] == "undefined"
    assert "There are fewer rows than bins." in page.texts
    assert not any("nan" in text for text in page.texts if str(tmp_path) not in text)
    if limit:
        return
    request.getfixturevalue("without_pictures")  # displays of few rows have tests of their own
    many = "".join(f"y,{k / 16}\n" for k in range(20))
    page, _ = page_of("y,s\n" + many.replace("y", "0"))
    assert "There are no positives: gain, lift and K-S are undefined." in page.texts
    page, _ = page_of("y,s\n" + many.replace("y", "1"))
    heads, first, *_ = next(table for table in page.tables if table[0][0] == "Bin")
    # The gain at 10% is the one of the first of ten bins.
    assert row_of(page.tables[1], "s")[-2] == "10.0%"
    assert first[heads.index("Gain")] == "10.0%"
    assert first[heads.index("K-S")] == MISSING
    page, err = page_of("y,s,g\n1,0.5,a\n1,0.25,b\n0,0.125,b\n0,0.75,b\n1,1,b\n", "--by=g")
    assert err == (
        f"fastauc: warning: {path}: column 'y', in group 'a', holds only one class; values that "
        "need both are undefined\n"
    )
    assert [row[4] for row in page.tables[-2][1:]] == ["undefined", "0.7500"]
    page, err = page_of("y,s\n1,0.5\n0,0.25\n0,0.125\n")
    assert err.startswith(f"fastauc: warning: {path}: The variance of the AUC is undefined: 1 pos")
    assert err.count("\n") == 1
    assert row_of(page.tables[1], "s")[1:3] == ["1.0000", MISSING]


@pytest.mark.slow
def test_ten_million_rows_make_a_small_page(written, tmp_path):
    rng = np.random.default_rng(0)
    y = rng.random(10**7) < 0.1
    score = 1 / (1 + np.exp(2 - rng.normal(size=len(y)) - 1.2 * y))
    pq.write_table(pa.table({"y": y, "s": score}), tmp_path / "x.parquet")
    pages = []
    for limit in ("4GB", "400MB"):
        command = [tmp_path / "x.parquet", "--label=y", "--score=s", f"--memory-limit={limit}"]
        page, content, _ = written(*command)
        assert len(content) < 2_000_000
        pages.append(page)
    exact, bounded = pages
    middle, distance = map(float, bounded.tables[1][1][1].split(" ± "))
    assert abs(float(exact.tables[1][1][1]) - middle) <= distance + 0.00005  # of four decimals
    assert distance < 1e-4
