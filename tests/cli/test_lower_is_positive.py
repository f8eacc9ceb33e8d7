"""Scores that are lower for the positives: everything as of their opposites, in their own scale."""

import csv
import io
import re

import numpy as np
import pytest

import fastauc
from fastauc.files import score
from support.pages import Page

RNG = np.random.default_rng(0)
N = 600
Y = (RNG.random(N) < 0.4).astype(int)
UP = RNG.normal(size=N).round(2) + Y
TABLE = {"y": Y, "up": UP, "down": -UP, "points": (600 - 20 * UP).astype(int), "w": RNG.random(N)}
TABLE["w10"] = (10 * TABLE["w"]).astype(int)
LABEL = ["--label=y"]
DOWN = [*LABEL, "--score=down", "--lower-is-positive=down"]
POINTS = ["--score=points", "--lower-is-positive=points"]
UPWARDS = [*LABEL, "--score=up"]
LIMITS = [[], ["--memory-limit=1"]]


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    path = tmp_path_factory.mktemp("lower") / "x.npz"
    np.savez(path, **TABLE)
    return path


@pytest.mark.parametrize("limit", [*LIMITS, ["--memory-limit=1", "--one-pass"]])
def test_figures_are_those_of_the_opposites(records, path, limit):
    for weight in ([], ["--weight=w"]):
        (found,) = records("score", path, *DOWN, *weight, *limit)
        (known,) = records("score", path, *UPWARDS, *weight, *limit)
        assert found == known | {"score": "down", "higher_is_positive": False}
        assert found["auc"] > 0.7


def test_intervals_and_tests_too(records, path):
    points, up, test = records("score", path, *LABEL, *POINTS, "--score=up", "--ci", "--compare")
    known = fastauc.inference.roc_auc_ci(Y, -TABLE["points"])
    assert (points["auc"], points["auc_se"]) == (known.statistic, known.standard_error)
    assert up["auc"] == fastauc.roc_auc_score(Y, UP)
    known = fastauc.inference.roc_auc_test(Y, -TABLE["points"], UP)
    assert (test["difference"], test["pvalue"]) == (known.difference, known.pvalue)


@pytest.mark.parametrize("limit", LIMITS)
def test_thresholds_are_those_of_the_scores(records, path, limit):
    for method in (["youden"], ["max_fpr", "--limit=0.1"]):
        command = ["threshold", path, "--method", *method, *limit]
        (down,), (known,) = records(*command, *DOWN), records(*command, *UPWARDS)
        assert down["threshold"] == -known["threshold"]
        assert (down.pop("higher_is_positive"), known.pop("higher_is_positive")) == (False, True)
        assert down.pop("predicted_positive") == f"at or below {down['threshold']!r}"
        assert known.pop("predicted_positive") == f"at or above {known['threshold']!r}"
        assert {**down, "score": "", "threshold": 0} == {**known, "score": "", "threshold": 0}
        chosen = TABLE["down"] <= down["threshold"]
        assert [down["tp"], down["fp"]] == [(chosen & (Y == 1)).sum(), (chosen & (Y == 0)).sum()]


def test_thresholds_of_two_directions_in_one_table_say_which(run, path):
    lines = run("threshold", path, *DOWN, "--score=up")[1].splitlines()
    assert lines[0].split()[:5] == ["score", "predicted_positive", "TPR", "-", "FPR"]
    assert re.search(r"^down +at or below -?[\d.]+  ", lines[1])
    assert re.search(r"^up +at or above -?[\d.]+  ", lines[2])


@pytest.mark.parametrize("limit", LIMITS)
def test_tables_and_curves_are_in_the_scale_of_the_scores(run, records, path, limit):
    down, known = (records("gains", path, *of, *limit)[0]["table"] for of in (DOWN, UPWARDS))
    assert down["min_score"] == [-end for end in known["max_score"]]
    assert down["max_score"] == [-end for end in known["min_score"]]
    assert {**down, "min_score": 0, "max_score": 0} == {**known, "min_score": 0, "max_score": 0}
    if not limit:
        table = fastauc.metrics.gains_table(Y, TABLE["down"], higher_is_positive=False)
        assert down == table.to_dict()
    curves = [
        list(csv.DictReader(io.StringIO(run("curve", "roc", path, *columns, *limit)[1])))
        for columns in (DOWN, UPWARDS)
    ]
    assert curves[0][0]["threshold"] == "-inf"
    for row, other in zip(*curves, strict=True):
        assert (row["fpr"], row["tpr"]) == (other["fpr"], other["tpr"])
        assert float(row["threshold"]) == -float(other["threshold"])


@pytest.mark.parametrize("limit", LIMITS)
def test_an_area_below_one_half_is_noted(run, path, limit):
    area = fastauc.roc_auc_score(Y, TABLE["down"])
    for command in (["score"], ["gains"], ["threshold"], ["curve", "roc"]):
        err = run(*command, path, *LABEL, "--score=down", *limit)[2]
        assert re.search(
            rf"fastauc: note: {re.escape(str(path))}: column 'down': the AUC is {area:.4f}, below "
            "one half: the positives tend to have the lower scores; if this is intended, run the "
            "command with --lower-is-positive down\n",
            err,
        )
        err = run(*command, path, *LABEL, "--score=up", "--lower-is-positive=up", *limit)[2]
        assert "tend to have the higher scores; if this is intended, run the command without" in err


def test_an_area_that_would_be_shown_as_one_half_is_not_noted(run, tmp_path):
    path = tmp_path / "even.csv"
    rows = ["0,3", *["0,1"] * 149, "1,2", *["1,1"] * 149]
    path.write_text("\n".join(["label,up", *rows]))
    code, out, err = run("score", path, "--label=label", "--score=up")
    assert (code, err) == (0, "")
    assert "0.499978" in out


@pytest.mark.parametrize("limit", LIMITS)
def test_the_direction_belongs_to_a_column(run, records, path, limit):
    """Points against a probability: each as in a command of its own."""
    columns = ["--score=up"], POINTS
    for command in (["score"], ["gains"], ["threshold"], ["score", "--by=w10"]):
        name, *options = [*command, *LABEL, *limit]
        both = records(name, path, *options, "--score=up", *POINTS)
        alone = [row for each in columns for row in records(name, path, *options, *each)]
        assert sorted(map(str, both)) == sorted(map(str, alone))
    curve = ["curve", "roc", path, *LABEL, *limit]
    first, second = (run(*curve, *each)[1] for each in columns)
    assert run(*curve, "--score=up", *POINTS)[1] == first + second.partition("\n")[2]


def tables_of_first_model(page):
    first = next(k for k, table in enumerate(page.tables) if table[0][0] == "Bin")
    return page.tables[first : first + 3]


def test_a_report_is_in_the_scale_of_the_scores(run, path, tmp_path, monkeypatch):
    pytest.importorskip("matplotlib")
    monkeypatch.setattr("fastauc.reports._pictures._svg", lambda *_: "")  # of tables alone
    pages = []
    for command in ([*DOWN, "--score=up"], UPWARDS, [*LABEL, "--score=down"]):
        err = run("report", path, *command, "-o", tmp_path / "r.html")[2]
        pages.append(Page((tmp_path / "r.html").read_text(encoding="utf-8")))
    down, up, reversed_page = pages
    assert down.tables[1][1][1:] == up.tables[1][1][1:]
    gains, thresholds, matrix = tables_of_first_model(down)
    known_gains, known_thresholds, known_matrix = tables_of_first_model(up)
    assert gains[0][3] == "Highest score"
    for table, known in ((gains, known_gains), (thresholds, known_thresholds)):
        at = 3 if table is gains else 1
        for row, other in zip(table[1:], known[1:], strict=True):
            found, wanted = (cell.replace("\N{MINUS SIGN}", "-") for cell in (row[at], other[at]))
            if table is thresholds:
                assert (found[:12], wanted[:12]) == ("at or below ", "at or above ")
                found, wanted = found[12:], wanted[12:]
            assert float(found) == -float(wanted)
            assert row[:at] + row[at + 1 :] == other[:at] + other[at + 1 :]
    assert matrix == known_matrix
    assert any("above the threshold (of down: at or below)" in text for text in down.texts)
    assert down.tables[1][2][1:] == up.tables[1][1][1:]
    assert "+0.0000" in down.tables[2][1]  # the AUC of one less that of the other
    assert err.startswith(f"fastauc: note: {path}: column 'down': the AUC is 0.2")
    assert err.count("\n") == 1
    (note,) = (text for text in reversed_page.texts if "below one half" in text)
    assert note.startswith("down: the AUC is 0.2")
    assert not any("below one half" in text for text in down.texts + up.texts)


@pytest.mark.parametrize("limit", LIMITS)
def test_pictures_show_the_scores_of_the_file(run, path, tmp_path, limit):
    pytest.importorskip("matplotlib")
    best = fastauc.metrics.optimal_threshold(Y, TABLE["points"], higher_is_positive=False)
    for kind, mark, shown in (
        ("gains", [], "lowest scores first"),
        ("ks", [], f"threshold {best.threshold}"),
        ("distribution", ["--operating-point=youden"], f"threshold {best.threshold}"),
    ):
        picture = tmp_path / f"{kind}.svg"
        run("plot", kind, path, *LABEL, *POINTS, *limit, *mark, "-o", picture)
        assert shown in picture.read_text(encoding="utf-8")


def test_what_it_does_not_go_with(misused, path, tmp_path):
    with pytest.raises(ValueError, match="state is given, and higher_is_positive=False"):
        score([path], label="y", score="down", higher_is_positive=False, state=tmp_path / "s")
    assert list(tmp_path.iterdir()) == []
    found = misused("gains", path, *LABEL, "--score=up", "--lower-is-positive=down")
    assert found == "--lower-is-positive down: expected a column of --score: 'up'"


def test_a_checkpoint_of_the_other_direction_is_refused(run, refused, path, tmp_path):
    job = ["score", path, *LABEL, "--score=down", "--memory-limit=1"]
    job += ["--checkpoint", tmp_path / "c", "--checkpoint-seconds=0"]
    assert run(*job)[0] == 0
    assert "lower_is_positive was [], and is ['down'] now" in refused(
        *job, "--lower-is-positive=down"
    )


@pytest.mark.parametrize("limit", LIMITS)
def test_integers_that_float64_does_not_hold(records, refused, tmp_path, limit):
    """The same are valid whether the rows fit into memory or not."""
    path = tmp_path / "x.npz"
    options = [path, *LABEL, "--score=s", "--lower-is-positive=s", *limit]
    np.savez(path, y=[1, 1, 0, 0], s=np.array([3, 2, 7, 2**53], np.uint64))
    assert records("score", *options)[0]["auc"] == 1
    np.savez(path, y=[1, 1, 0, 0], s=np.array([3, 2, 7, 2**64 - 1], np.uint64))
    for name in ("score", "threshold"):
        assert "row 4 is 18446744073709551615; expected no int" in refused(name, *options)
