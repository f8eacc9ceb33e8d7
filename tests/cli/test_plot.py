"""Pictures on the command line: each kind is drawn, by the display of its name, into one file."""

import json
import sys

import numpy as np
import pytest

from fastauc import roc_auc_score
from support.studies import BREAST_CANCER

pytest.importorskip("matplotlib")
REAL = [str(BREAST_CANCER), "--label=y_true", "--score=logistic"]
KINDS = ["roc", "pr", "det", "gain", "lift", "ks", "profit", "distribution", "gains", "threshold"]
KINDS.append("calibration")
MONEY = ["--cost=1", "--revenue=5"]
BEGINNINGS = {".png": b"\x89PNG\r\n", ".svg": b"<?xml", ".pdf": b"%PDF-"}


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_is_drawn(run, tmp_path, kind):
    path = tmp_path / "x.svg"
    money = MONEY if kind in ("profit", "gains") else []
    code, out, err = run("plot", kind, *REAL, "--score=forest", *money, "-o", path)
    assert (code, err) == (0, "")
    assert out == (
        f"{path}: logistic: 569 rows, 212 positives; exact; "
        "forest: 569 rows, 212 positives; exact\n"
    )
    content = path.read_bytes()
    assert content.startswith(BEGINNINGS[".svg"])
    text = content.decode()
    assert ">logistic" in text  # text is text
    assert ">forest" in text
    assert [each.name for each in tmp_path.iterdir()] == ["x.svg"]


@pytest.mark.parametrize("ending", BEGINNINGS)
def test_formats_and_names_that_look_like_formulas(run, tmp_path, ending):
    name, title = r"$\frac{s$", r"$\nothing{"
    np.savez(tmp_path / "x.npz", **{"y": [0, 1, 1, 0], name: [0.1, 0.8, 0.4, 0.3]})
    path = tmp_path / f"x{ending}"
    command = ["plot", "roc", tmp_path / "x.npz", "--label=y", f"--score={name}", "--title", title]
    contents = set()
    for _ in range(2):
        code, _, err = run(*command, "-o", path)
        assert (code, err) == (0, "")
        contents.add(path.read_bytes())
    (content,) = contents  # no date, nothing random
    assert content.startswith(BEGINNINGS[ending])


def test_options_of_kinds(run, tmp_path):
    few = {"y": [0, 0, 0, 1, 1, 1, 0], "s": [0.5, 0.1, 0.2, 0.6, 0.2, 0.3, 0.0]}
    np.savez(tmp_path / "few.npz", **few)
    for kind, options, words in (
        ("roc", ["--operating-point=0.25"], ["threshold 0.25"]),
        ("threshold", ["--operating-point=f1"], ["F1: threshold 0.2"]),
        ("distribution", ["--operating-point=0.25"], ["TPR = 0.667", "FPR = 0.250", "TNR = 0.750"]),
        ("ks", [], ["K-S = 0.500 at 71.4%, threshold 0.2"]),
        ("gain", [], ["Perfect model"]),
    ):
        path = tmp_path / "x.svg"
        source = [tmp_path / "few.npz", "--label=y", "--score=s"]
        code, _, err = run("plot", kind, *source, *options, "-o", path)
        assert (code, err) == (0, "")
        text = path.read_text(encoding="utf-8")
        assert [word for word in words if word not in text] == []


def test_panels_have_the_same_scales_if_they_can(monkeypatch, tmp_path, run):
    from matplotlib.figure import Figure

    figures = []
    monkeypatch.setattr(Figure, "savefig", lambda figure, *_, **options: figures.append(figure))
    rng = np.random.default_rng(0)
    y = rng.random(500) < 0.5
    a = rng.random(500)
    np.savez(tmp_path / "x.npz", y=y, a=a, b=np.where(y, a**0.5, a**2), logit=10 * a - 5)
    for scores in ("a", "b"), ("a", "logit"):
        columns = [f"--score={score}" for score in scores]
        run(
            "plot",
            "distribution",
            tmp_path / "x.npz",
            "--label=y",
            *columns,
            "-o",
            tmp_path / "x.png",
        )
    shared, apart = ([ax.get_ylim() for ax in figure.axes] for figure in figures)
    assert shared[0] == shared[1]
    assert apart[0] != apart[1]  # densities of other units
    assert figures[0].axes[0].get_xlim() == figures[0].axes[1].get_xlim()


@pytest.mark.parametrize(
    ("scores", "n_groups", "n_rows"), [("a", 2, 1), ("a", 4, 2), ("ab", 3, 3), ("abcd", 2, 3)]
)
def test_panels_wrap(monkeypatch, tmp_path, run, scores, n_groups, n_rows):
    from matplotlib.figure import Figure

    figures = []
    monkeypatch.setattr(Figure, "savefig", lambda figure, *_, **options: figures.append(figure))
    rng = np.random.default_rng(0)
    table = {name: rng.random(100) for name in scores}
    group = np.arange(100) % n_groups
    np.savez(tmp_path / "x.npz", y=rng.random(100) < 0.5, group=group, **table)
    columns = [f"--score={name}" for name in scores]
    file = tmp_path / "x.npz", "--label=y", "--by=group"
    run("plot", "distribution", *file, *columns, "-o", tmp_path / "x.png")
    (figure,) = figures
    assert len(figure.axes) == len(scores) * n_groups
    assert figure.axes[0].get_gridspec().nrows == n_rows
    assert figure.get_figwidth() <= 3 * 6.4
    # A group with several scores has a row of its own, unless they are too many.
    if scores == "ab":
        titles = [ax.get_title() for ax in figure.axes[:2]]
        assert [ax.get_subplotspec().rowspan.start for ax in figure.axes] == [0, 0, 1, 1, 2, 2]
        assert [title.split(", ")[1] for title in titles] == ["a", "b"]


@pytest.mark.parametrize("kind", [*KINDS, "auc"])
def test_every_figure_says_what_is_positive_and_what_is_left_out(run, tmp_path, kind):
    path = tmp_path / "x.csv"
    lines = [f"{'bad' if k % 3 else 'good'},{k * 7 % 20 / 20},{'ab'[k % 2]}" for k in range(40)]
    path.write_text("\n".join(["y,s,g", *lines, *["bad,,a"] * 1234]))
    options = [path, "--label=y", "--pos-label=bad", "--score=s", "--missing=drop"]
    options += MONEY if kind in ("profit", "gains") else []
    options += ["--by=g"] if kind == "auc" else []
    code, _, err = run("plot", kind, *options, "-o", tmp_path / "x.svg")
    assert code == 0
    assert err.startswith(f"fastauc: note: {path}: 1234 rows dropped")
    text = (tmp_path / "x.svg").read_text(encoding="utf-8")
    assert text.count(">bad = positive; 1,234 rows without a score left out<") == 1
    if kind == "roc":  # with the usual label, and nothing left out
        run("plot", kind, *REAL, "-o", tmp_path / "x.svg")
        text = (tmp_path / "x.svg").read_text(encoding="utf-8")
        assert ">1 or true = positive<" in text


def test_without_matplotlib(refused, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    for command, name in (["plot", "roc"], "x.png"), (["report"], "x.html"):
        assert refused(*command, *REAL, "-o", tmp_path / name) == (
            f"{command[0]} needs matplotlib; install it with pip install 'fastauc[plot]'"
        )
    assert list(tmp_path.iterdir()) == []


def test_with_a_broken_matplotlib(refused, tmp_path, monkeypatch):
    (tmp_path / "matplotlib.py").write_text("raise ImportError('numpy is too old')")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "matplotlib", raising=False)
    said = refused("plot", "roc", *REAL, "-o", tmp_path / "x.png")
    assert said == "matplotlib cannot be imported: numpy is too old"


def test_groups_are_drawn(run, tmp_path):
    loans = BREAST_CANCER.with_name("loans.csv")
    command = [loans, "--label=outcome", "--pos-label=bad", "--score=new", "--by=segment"]
    for kind in ("roc", "distribution"):
        code, _, err = run("plot", kind, *command, "-o", tmp_path / "x.svg")
        assert (code, err) == (0, "")
        text = (tmp_path / "x.svg").read_text(encoding="utf-8")
        assert all(f">{segment}, new" in text for segment in ("broker", "online", "retail"))


@pytest.mark.parametrize("limit", [[], ["--memory-limit=190MB"]])
def test_aucs_of_groups(run, records, monkeypatch, tmp_path, limit):
    """Of months along time, of other groups side by side; as ``score`` has them."""
    from matplotlib.figure import Figure

    monkeypatch.chdir(tmp_path)
    monkeypatch.chdir(tmp_path)
    figures = []
    monkeypatch.setattr(Figure, "savefig", lambda figure, *_, **options: figures.append(figure))
    if limit:
        monkeypatch.setattr("fastauc.files._passes.most_rows", lambda *_: 0)
    rng = np.random.default_rng(0)
    months = np.repeat([f"2024-{k:02}-15" for k in range(1, 11)], 40)
    y = (rng.random(400) < 0.4) & (months != "2024-05-15")
    np.savez(
        tmp_path / "x.npz",
        y=y,
        d=months,
        g=np.repeat([*"abcdefghij"], 40),
        s=rng.normal(size=400) + y,
    )
    options = [tmp_path / "x.npz", "--label=y", "--score=s", *limit]
    for by in ("d:month", "g"):
        code, out, _ = run("plot", "auc", *options, f"--by={by}", "-o", "x.png")
        assert (code, out) == (0, "x.png: s: AUC of 10 groups\n")
        ax = figures[-1].axes[0]
        drawn = ax.lines[0].get_ydata() if by == "d:month" else ax.lines[0].get_xdata()
        out = run("score", *options, f"--by={by}", *([] if limit else ["--ci"]), "--json")[1]
        known = [json.loads(line) for line in out.splitlines()[1:]]
        expected = [np.nan if row["auc"] is None else row["auc"] for row in known]
        np.testing.assert_array_equal(drawn, expected)
        assert np.isnan(drawn).sum() == 1
        ends = [path.vertices[:, int(by == "d:month")] for path in ax.collections[0].get_paths()]
        if not limit:
            low = [row["auc_ci_low"] for row in known if row["auc"] is not None]
            assert [min(pair) for pair in ends if not np.isnan(pair).any()] == low
    said = run("plot", "roc", *options, "--by=d:month", "-o", "x.png")[2]
    assert said.endswith(
        "there are 10 groups and scores to draw; expected at most 8; plot auc draws the AUC of "
        "each group\n"
    )


@pytest.fixture
def graded(tmp_path):
    """Write loans of grades and months, in which each grade and half-year has both classes."""
    rng = np.random.default_rng(0)
    grade, month = rng.choice([*"AB"], 600), rng.choice(["2024-01", "2024-07"], 600)
    y = rng.random(600) < 0.4
    table = {"y": y, "grade": grade, "opened": [f"{each}-15" for each in month]}
    table |= {"s": rng.normal(size=600) + y, "t": rng.normal(size=600) + y}
    np.savez(tmp_path / "x.npz", **table)
    return [tmp_path / "x.npz", "--label=y", "--score=s"], table | {"month": month}


def test_several_columns_of_groups_are_lines_along_time(run, monkeypatch, tmp_path, graded):
    from matplotlib.figure import Figure

    monkeypatch.chdir(tmp_path)
    monkeypatch.chdir(tmp_path)
    figures = []
    monkeypatch.setattr(Figure, "savefig", lambda figure, *_, **options: figures.append(figure))
    options, table = graded
    for by in (["grade", "opened:month"], ["opened:month", "grade"]):
        flags = [f"--by={column}" for column in by]
        code, out, _ = run("plot", "auc", *options, "--score=t", *flags, "-o", "x.png")
        assert (code, out) == (0, "x.png: s: AUC of 4 groups; t: AUC of 4 groups\n")
        ax = figures[-1].axes[0]
        assert [tick.get_text() for tick in ax.get_xticklabels()] == ["2024-01", "2024-07"]
        lines = {line.get_label(): line.get_ydata().tolist() for line in ax.lines}
        assert lines.keys() == {"A, s", "A, t", "B, s", "B, t"}
        for name, drawn in lines.items():
            grade, score = name.split(", ")
            assert drawn == [
                roc_auc_score(table["y"][chosen], table[score][chosen])
                for month in ("2024-01", "2024-07")
                for chosen in [(table["grade"] == grade) & (table["month"] == month)]
            ]
    # Without periods, and with more lines than can be told apart, there is a list.
    for flags, n_groups in (["--by=grade", "--by=half"], 4), (["--by=k", "--by=opened:month"], 18):
        half = np.where(table["month"] == "2024-01", "first", "second")
        columns = {name: table[name] for name in ("y", "s", "grade", "opened")}
        np.savez(tmp_path / "y.npz", **columns, half=half, k=np.arange(600) % 9)
        code, *_ = run("plot", "auc", tmp_path / "y.npz", *options[1:], *flags, "-o", "x.png")
        assert code == 0
        ticks = [tick.get_text() for tick in figures[-1].axes[0].get_yticklabels()]
        assert len(ticks) == n_groups
        assert ticks[0] == ("A, first" if n_groups == 4 else "0, 2024-01")


@pytest.mark.parametrize("kind", ["roc", "distribution"])
def test_several_columns_of_groups_are_named(run, tmp_path, kind, graded):
    flags = ["--by=grade", "--by=opened:month", "-o", tmp_path / "x.svg"]
    code, _, err = run("plot", kind, *graded[0], *flags)
    assert (code, err) == (0, "")
    text = (tmp_path / "x.svg").read_text(encoding="utf-8")
    assert all(f">{grade}, 2024-0{month}, s" in text for grade in "AB" for month in (1, 7))
