"""Reports: every number is that of the API, the page needs nothing else, and errors are a line."""

import math
import re
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import example, given, settings, strategies as st

import fastauc
from fastauc._cli.main import main
from fastauc._counts import result_table
from fastauc._counts.methods import threshold_counts
from fastauc.files._counting import count_files
from fastauc.reports._content import Settings, _distribution, make
from support.pages import Page

pytest.importorskip("matplotlib")
BREAST_CANCER = Path(__file__).parents[1] / "data" / "breast_cancer.csv"
REAL = [BREAST_CANCER, "--label=y_true", "--score=logistic", "--score=forest"]
TINY = ["--memory-limit=1"]
EVIL = "<i>\"s'&amp;$"


@pytest.fixture
def run(capsys):
    """Run the command line in this process: exit code, standard output, standard error."""

    def call(*arguments):
        code = main([str(argument) for argument in arguments])
        return code, *capsys.readouterr()

    return call


@pytest.fixture
def written(run, tmp_path):
    """Write a report, and return the page and what was said."""

    def call(*arguments):
        path = tmp_path / "report.html"
        code, out, err = run("report", *arguments, "-o", path)
        assert (code, err) == (0, "")
        assert out.startswith(f"{path}: ")
        return Page(path.read_text(encoding="utf-8")), out

    return call


@pytest.fixture(scope="module")
def real():
    table = np.genfromtxt(BREAST_CANCER, delimiter=",", names=True)
    return {name: table[name] for name in table.dtype.names}


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
    page, out = written(*REAL, "--cost=1", "--revenue=5", "--cost-fp=1", "--cost-fn=3")
    assert out.endswith(": 569 rows, 212 positives; exact\n")
    facts, figures, differences, *tables = page.tables
    assert row_of(facts, "Positives")[1] == "212 (37.3 %)"
    assert row_of(facts, "Scores, column forest")[1] == (
        "26 distinct scores; 0.733 % of the pairs are tied"
    )
    label = real["y_true"]
    for name, table in (("logistic", tables[:4]), ("forest", tables[4:])):
        counts = fastauc.confusion_matrix_at_thresholds(label, real[name])
        low, high = fastauc.inference.roc_auc_ci(label, real[name]).confidence_interval
        assert row_of(figures, name)[1:] == [
            f"{counts.roc_auc():.4f}",
            f"{low:.4f} to {high:.4f}",
            f"{counts.gini():.4f}",
            f"{counts.average_precision():.4f}",
            f"{counts.ks():.4f}",
            f"{counts.gain_at(0.1):.4f}",
            f"{counts.lift_at(0.1):.4f}",
        ]
        gains = counts.gains_table(cost=1, revenue=5)
        assert [row[1] for row in table[0][1:]] == [str(n) for n in gains["n"]]
        assert [row[-2] for row in table[0][1:]] == [f"{p:.0f}" for p in gains["cum_profit"]]
        thresholds = dict(row[:2] for row in table[1][1:])
        best = counts.optimal_threshold(method="cost", cost_fp=1, cost_fn=3)
        assert thresholds["Lowest mean cost per row"] == repr(best.threshold)
        best = counts.optimal_threshold(method="max_fpr", limit=0.05)
        key = "Highest recall with an FPR of at most 0.05"
        assert thresholds[key] == repr(best.threshold)
        # Costs are given: the matrix is that of their threshold.
        tn, fp, fn, tp = counts.optimal_threshold(method="cost", cost_fp=1, cost_fn=3).matrix
        assert table[2][1:] == [
            ["Positives", str(tp), str(fn), "212"],
            ["Negatives", str(fp), str(tn), "357"],
            ["All", str(tp + fp), str(tn + fn), "569"],
        ]
        low, high = fastauc.ConfusionMatrix(tn, fp, fn, tp).intervals().sensitivity
        recall = [f"{100 * share:.1f} %" for share in (tp / 212, low, high)]
        assert table[3][1] == ["Sensitivity", recall[0], f"{recall[1]} to {recall[2]}"]
    test = fastauc.inference.roc_auc_test(label, real["logistic"], real["forest"])
    low, high = test.confidence_interval
    assert row_of(differences, "logistic - forest")[1:] == [
        f"{test.difference:+.4f}",
        f"{low:+.4f} to {high:+.4f}",
        f"{test.standard_error:.4f}",
        f"{test.pvalue:.3f}",
        f"{test.pvalue:.3f}",
    ]


def test_groups_and_weights(written, grouped):
    path, columns = grouped
    page, _ = written(path, *GROUPED, "--weight=w", "--by=g")
    facts = page.tables[0]
    weight = columns["w"][columns["y"]].sum()
    assert f"positives {weight:.4g}, " in row_of(facts, "Weights, column w")[1]
    gains, thresholds = page.tables[2:4]
    assert gains[0][1:3] == ["Weight", "Weight so far"]
    assert "Weight of positives" in gains[0]
    assert thresholds[0][-1] == "Weight predicted positive"
    assert not any("of the rows" in text for text in page.texts if "at threshold" in text)
    table = page.tables[-1]
    assert [row[0] for row in table] == ["Group", "<b>", "z"]
    for name, n, n_pos, score, area, interval, *_ in table[1:]:
        chosen = columns["g"] == name
        y, s, w = (columns[key][chosen] for key in ("y", EVIL, "w"))
        estimate = fastauc.inference.roc_auc_ci(y, s, sample_weight=w)
        low, high = estimate.confidence_interval
        assert (n, n_pos, score) == (f"{len(y):,}", str(y.sum()), EVIL)
        assert (area, interval) == (f"{estimate.statistic:.4f}", f"{low:.4f} to {high:.4f}")


def test_bounds_hold_in_one_pass(grouped):
    path, _ = grouped
    options = {"label": "y", "score": [EVIL, "t"], "by": "g", "n_jobs": 1}
    exact = make(count_files([path], **options), Settings(10, {}, {}))
    parts = count_files([path], memory_limit=1, **options)
    bounded = make(parts, Settings(10, {}, {}))
    assert [model.exact for model in bounded.models] == [False, True]
    assert bounded.comparisons is None
    pairs = [
        *(
            (model.figures, other.figures)
            for model, other in zip(bounded.models, exact.models, strict=True)
        ),
        *(
            pair
            for group, other in zip(bounded.groups, exact.groups, strict=True)
            for pair in zip(group.figures, other.figures, strict=True)
        ),
    ]
    assert len(pairs) == 6
    for found, wanted in pairs:
        assert (found.n_rows, found.n_pos) == (wanted.n_rows, wanted.n_pos)
        for name in ("roc_auc", "gini", "average_precision", "ks", "gain", "lift"):
            interval, point = getattr(found, name), getattr(wanted, name).estimate
            assert interval.lower <= point <= interval.upper
            assert interval.exact or found.score != "t"
        assert found.roc_auc.exact == (found.score == "t")
    assert bounded.models[1].thresholds == exact.models[1].thresholds


def test_a_bounded_report_says_so(written, grouped):
    path, columns = grouped
    page, out = written(path, *GROUPED, "--by=g", *TINY)
    assert out.endswith("; bounded, not exact: counted in one pass\n")
    assert any(
        text.startswith("The rows did not fit within the memory limit.") for text in page.texts
    )
    figures = page.tables[1]
    assert "95 % interval" not in figures[0]
    middle, distance = map(float, figures[1][1].split(" ± "))
    counts = fastauc.confusion_matrix_at_thresholds(columns["y"], columns[EVIL])
    assert 0 < distance < 1e-3
    assert abs(counts.roc_auc() - middle) <= distance


# Pictures -----------------------------------------------------------------------------------------


@settings(max_examples=30, deadline=None)
@given(
    rows=st.lists(
        st.tuples(st.booleans(), st.one_of(st.integers(-3, 3).map(float), st.floats(-1e3, 1e3))),
        min_size=1,
        max_size=12,
    )
)
@example([(True, 1e308), (False, -1e308), (True, 5e-324)])
@example([(True, 2.5)] * 3)
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_distribution_holds_every_row_once(rows):
    y, score = (np.array(values) for values in zip(*rows, strict=True))
    counts = fastauc.confusion_matrix_at_thresholds(y, score, pos_label=True)
    edges, (negatives, positives), outside = _distribution(threshold_counts(counts))
    assert (np.diff(edges) > 0).all()
    for shares, chosen in ((negatives, ~y), (positives, y)):
        total = chosen.sum()
        for k, share in enumerate(shares):
            is_last = k == len(shares) - 1
            inside = [
                edges[k] <= s and (s < edges[k + 1] or (is_last and s == edges[-1]))
                for s in score[chosen]
            ]
            assert share == sum(inside) / total if total else math.isnan(share)
    shown = (score >= edges[0]) & (score <= edges[-1])
    assert outside == pytest.approx(1 - shown.mean(), abs=1e-12)


def test_a_long_tail_is_left_out():
    rng = np.random.default_rng(0)
    score = np.exp(rng.normal(size=20_000) * 2)
    counts = fastauc.confusion_matrix_at_thresholds(rng.random(20_000) < 0.5, score)
    edges, _, outside = _distribution(threshold_counts(counts))
    assert edges[-1] < score.max() / 3
    assert 0.001 <= outside <= 0.0021
    probabilities = fastauc.confusion_matrix_at_thresholds([0, 1], [0.4, 0.6])
    assert _distribution(threshold_counts(probabilities))[0][[0, -1]].tolist() == [0, 1]


def test_rounded_scores_make_no_comb():
    rng = np.random.default_rng(0)
    score = rng.integers(5, 94, 20_000) / 100
    counts = fastauc.confusion_matrix_at_thresholds(rng.random(20_000) < 0.5, score)
    edges, _, outside = _distribution(threshold_counts(counts))
    held = np.histogram(np.unique(score), edges)[0]
    assert (len(held), outside) == (45, 0)
    assert held.tolist() == [2] * 44 + [1]


# The page -----------------------------------------------------------------------------------------


def test_the_page_needs_nothing_else(written, grouped, tmp_path):
    page, _ = written(grouped[0], *GROUPED, "--by=g", "--title", EVIL)
    content = (tmp_path / "report.html").read_text(encoding="utf-8")
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
        f"ROC curves of {EVIL}",
    ]
    ids = [each["id"] for _, each in page.elements if "id" in each]
    assert len(set(ids)) == len(ids) > len(labels)


def test_the_same_rows_make_the_same_bytes(written, grouped, tmp_path):
    contents = set()
    for more in (["--threads=3"], []):
        written(grouped[0], *GROUPED, "--by=g", *more)
        contents.add((tmp_path / "report.html").read_bytes())
    assert len(contents) == 1


@pytest.mark.ci
def test_many_models_and_groups(written, tmp_path):
    rng = np.random.default_rng(0)
    n = 4000
    y = rng.random(n) < 0.5
    columns = {f"s{k}": (rng.normal(size=n) + y).round(2) for k in range(10)}
    pq.write_table(
        pa.table({"y": y, "g": rng.integers(0, 40, n)} | columns), tmp_path / "x.parquet"
    )
    scores = [f"--score={name}" for name in columns]
    page, _ = written(tmp_path / "x.parquet", "--label=y", *scores, "--by=g")
    assert len(page.tables[2]) == 1 + 45
    assert len(page.tables[-1]) == 1 + 400
    assert (tmp_path / "report.html").stat().st_size < 2_000_000


@pytest.mark.parametrize("limit", [[], TINY])
def test_one_class_and_few_rows(run, tmp_path, limit):
    path = tmp_path / "x.csv"
    path.write_text("y,s,g\n1,0.5,a\n1,0.25,b\n")
    code, _, err = run("report", path, "--label=y", "--score=s", *limit, "-o", tmp_path / "r.html")
    assert code == 0
    assert err == (
        f"fastauc: warning: {path}: column 'y' holds only one class; values that need both are "
        "undefined\n"
    )
    page = Page((tmp_path / "r.html").read_text(encoding="utf-8"))
    assert row_of(page.tables[1], "s")[1] == "undefined"
    assert "There are fewer rows than bins." in page.texts
    assert "nan" not in re.sub(
        r"<style>.*</style>", "", (tmp_path / "r.html").read_text(), flags=re.S
    )


def test_gains_of_one_class(run, tmp_path):
    path, output = tmp_path / "x.csv", tmp_path / "r.html"
    rows = "".join(f"y,{k / 16}\n" for k in range(20))
    path.write_text("y,s\n" + rows.replace("y", "0"))
    assert run("report", path, "--label=y", "--score=s", "-o", output)[0] == 0
    page = Page(output.read_text(encoding="utf-8"))
    assert "There are no positives: gain, lift and K-S are undefined." in page.texts
    path.write_text("y,s\n" + rows.replace("y", "1"))
    assert run("report", path, "--label=y", "--score=s", "-o", output)[0] == 0
    page = Page(output.read_text(encoding="utf-8"))
    heads, first, *_ = next(table for table in page.tables if table[0][0] == "Bin")
    # The gain at 10 % is the one of the first of ten bins.
    assert row_of(page.tables[1], "s")[-2] == "0.1000"
    assert first[heads.index("Gain")] == "10.0 %"
    assert first[heads.index("K-S")] == "-"


def test_a_group_of_one_class_and_one_positive(run, tmp_path):
    path, output = tmp_path / "x.csv", tmp_path / "r.htm"
    path.write_text("y,s,g\n1,0.5,a\n1,0.25,b\n0,0.125,b\n0,0.75,b\n1,1,b\n")
    code, _, err = run("report", path, "--label=y", "--score=s", "--by=g", "-o", output)
    assert (code, err) == (0, "")
    table = Page(output.read_text(encoding="utf-8")).tables[-1]
    assert [row[4] for row in table[1:]] == ["undefined", "0.7500"]
    path.write_text("y,s\n1,0.5\n0,0.25\n0,0.125\n")
    code, _, err = run("report", path, "--label=y", "--score=s", "-o", output)
    assert code == 0
    assert err.startswith(f"fastauc: warning: {path}: The variance of the AUC is undefined: 1 pos")
    assert err.count("\n") == 1
    assert row_of(Page(output.read_text(encoding="utf-8")).tables[1], "s")[1:3] == ["1.0000", "-"]


@pytest.mark.slow
def test_ten_million_rows_make_a_small_page(written, tmp_path):
    rng = np.random.default_rng(0)
    y = rng.random(10**7) < 0.1
    score = 1 / (1 + np.exp(2 - rng.normal(size=len(y)) - 1.2 * y))
    pq.write_table(pa.table({"y": y, "s": score}), tmp_path / "x.parquet")
    exact, _ = written(tmp_path / "x.parquet", "--label=y", "--score=s", "--memory-limit=4GB")
    assert (tmp_path / "report.html").stat().st_size < 2_000_000
    command = [tmp_path / "x.parquet", "--label=y", "--score=s", "--memory-limit=400MB"]
    bounded, _ = written(*command)
    assert (tmp_path / "report.html").stat().st_size < 2_000_000
    middle, distance = map(float, bounded.tables[1][1][1].split(" ± "))
    assert abs(float(exact.tables[1][1][1]) - middle) <= distance + 0.00005  # of four decimals
    assert distance < 1e-4


# Bad input ----------------------------------------------------------------------------------------


def misused(run, capsys, *arguments):
    with pytest.raises(SystemExit) as caught:
        run(*arguments)
    assert caught.value.code == 2
    said = capsys.readouterr().err.splitlines()[-1].partition("error: ")[2]
    assert said.endswith("; see fastauc report --help")
    return said.removesuffix("; see fastauc report --help")


def test_wrong_options(run, capsys, tmp_path):
    path = tmp_path / "r.html"
    command = ["report", *REAL]
    assert misused(run, capsys, *command) == ("the following arguments are required: -o/--out")
    assert misused(run, capsys, *command, "-o", path, "--cost-fp=1") == (
        "--cost-fn is missing; it is required with the other cost"
    )
    assert misused(run, capsys, *command, "-o", path, "--cost=1") == (
        "--revenue is missing; it is required with the other amount"
    )
    assert "does not end in one of .html, .htm" in misused(run, capsys, *command, "-o", "r.pdf")
    assert list(tmp_path.iterdir()) == []


def test_too_many_groups(run, tmp_path):
    path = tmp_path / "x.csv"
    path.write_text("y,s,g\n" + "".join(f"{k % 2},{k},{k}\n" for k in range(101)))
    for limit in ([], TINY):
        code, out, err = run("report", path, "--label=y", "--score=s", "--by=g", *limit,
                             "-o", tmp_path / "r.html")  # fmt: skip
        assert (code, out) == (1, "")
        assert err == (
            f"fastauc: error: {path}: column 'g' has 101 values or more; expected at most 100 "
            "groups\n"
        )
    assert [each.name for each in tmp_path.iterdir()] == ["x.csv"]


def test_a_page_that_cannot_be_written(run, tmp_path, monkeypatch):
    path = tmp_path / "r.html"
    path.write_text("old")

    def fail(source, target):
        raise OSError(13, "Permission denied", source)

    monkeypatch.setattr(result_table.os, "replace", fail)
    for command in (["report"], ["plot", "roc"]):
        target = path if command == ["report"] else tmp_path / "r.svg"
        code, out, err = run(*command, *REAL, "-o", target)
        assert (code, out) == (1, "")
        assert err == f"fastauc: error: {target}: cannot be written: Permission denied\n"
    assert path.read_text() == "old"
    assert [each.name for each in tmp_path.iterdir()] == ["r.html"]
