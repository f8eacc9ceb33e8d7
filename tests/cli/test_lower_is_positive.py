"""Scores that are lower for the positives: everything as of their opposites, in their own scale."""

import csv
import io
import json
import re

import numpy as np
import pytest

import fastauc
from fastauc._cli.main import main
from fastauc.files import score
from support.laws import first
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


@pytest.fixture
def run(capsys):
    """Run the command line in this process: what it prints, after nothing went wrong."""

    def call(*arguments):
        assert main([str(argument) for argument in arguments]) == 0
        out, err = capsys.readouterr()
        return out, err

    return call


def misused(capsys, *arguments):
    with pytest.raises(SystemExit):
        main([str(argument) for argument in arguments])
    return capsys.readouterr().err.partition("error: ")[2].partition("; see fastauc ")[0]


@pytest.mark.parametrize("limit", [*LIMITS, ["--memory-limit=1", "--one-pass"]])
@pytest.mark.parametrize("weight", [[], ["--weight=w"]])
def test_figures_are_those_of_the_opposites(run, path, limit, weight):
    out, err = run("score", path, *DOWN, *weight, *limit, "--json")
    known, _ = run("score", path, *UPWARDS, *weight, *limit, "--json")
    assert err == ""
    assert json.loads(out) == json.loads(known) | {"score": "down"}
    assert json.loads(out)["auc"] > 0.7


def test_intervals_and_groups_too(run, path):
    out, _ = run("score", path, *DOWN, *POINTS, "--ci", "--compare", "--json")
    down, points, _ = map(json.loads, out.splitlines())
    known = fastauc.inference.roc_auc_ci(Y, -TABLE["points"])
    assert (points["auc"], points["auc_se"]) == (known.statistic, known.standard_error)
    assert down["auc"] == fastauc.roc_auc_score(Y, UP)


@pytest.mark.parametrize("limit", LIMITS)
@pytest.mark.parametrize("method", [["youden"], ["max_fpr", "--limit=0.1"]])
def test_thresholds_are_those_of_the_scores(run, path, limit, method):
    command = ["--method", *method, *limit, "--json"]
    down = json.loads(run("threshold", path, *DOWN, *command)[0])
    known = json.loads(run("threshold", path, *UPWARDS, *command)[0])
    assert down["threshold"] == -known["threshold"]
    assert {**down, "score": "", "threshold": 0} == {**known, "score": "", "threshold": 0}
    chosen = TABLE["down"] <= down["threshold"]
    assert [down["tp"], down["fp"]] == [(chosen & (Y == 1)).sum(), (chosen & (Y == 0)).sum()]
    points = json.loads(run("threshold", path, *LABEL, *POINTS, "--json")[0])
    best = fastauc.metrics.optimal_threshold(Y, TABLE["points"], higher_is_positive=False)
    assert (points["threshold"], points["value"]) == best[:2]


@pytest.mark.parametrize("limit", LIMITS)
def test_tables_and_curves_are_in_the_scale_of_the_scores(run, path, limit):
    down = json.loads(run("gains", path, *DOWN, *limit, "--json")[0])["table"]
    known = json.loads(run("gains", path, *UPWARDS, *limit, "--json")[0])["table"]
    for name in known:
        if name == "min_score":
            assert down[name] == [-end for end in known["max_score"]]
        elif name == "max_score":
            assert down[name] == [-end for end in known["min_score"]]
        else:
            assert down[name] == known[name]
    if not limit:
        table = fastauc.metrics.gains_table(Y, TABLE["down"], higher_is_positive=False)
        assert down == table.to_dict()
    curves = [
        list(csv.DictReader(io.StringIO(run("curve", "roc", path, *columns, *limit)[0])))
        for columns in (DOWN, UPWARDS)
    ]
    assert curves[0][0]["threshold"] == "-inf"
    for row, other in zip(*curves, strict=True):
        assert (row["fpr"], row["tpr"]) == (other["fpr"], other["tpr"])
        assert float(row["threshold"]) == -float(other["threshold"])


@pytest.mark.parametrize("command", [["score"], ["gains"], ["threshold"], ["curve", "roc"]])
@pytest.mark.parametrize("limit", LIMITS)
def test_an_area_below_one_half_is_noted(run, path, command, limit):
    _, err = run(*command, path, *LABEL, "--score=down", *limit)
    area = fastauc.roc_auc_score(Y, TABLE["down"])
    assert re.search(
        rf"fastauc: note: {re.escape(str(path))}: column 'down': the AUC is {area:.4f}, below one "
        "half: the positives tend to have the lower scores; if this is intended, run the command "
        "with --lower-is-positive down\n",
        err,
    )
    _, err = run(*command, path, *LABEL, "--score=up", "--lower-is-positive=up", *limit)
    assert "tend to have the higher scores; if this is intended, run the command without" in err


@pytest.mark.parametrize("limit", LIMITS)
def test_the_direction_belongs_to_a_column(run, path, limit):
    """Points against a probability: each as in a command of its own, and compared as they are."""
    both = [*UPWARDS, *POINTS]
    for command in (["score"], ["gains"], ["threshold"], ["score", "--by=w10"]):
        shown, err = run(command[0], path, *both, *limit, *command[1:], "--json")
        alone = [run(command[0], path, *LABEL, *each, *limit, *command[1:], "--json")[0]
                 for each in (["--score=up"], POINTS)]  # fmt: skip
        assert sorted(shown.splitlines()) == sorted("".join(alone).splitlines())
        assert err == ""
    curve = run("curve", "roc", path, *both, *limit)[0]
    first, second = (run("curve", "roc", path, *LABEL, *each, *limit)[0]
                     for each in (["--score=up"], POINTS))  # fmt: skip
    assert curve == first + second.partition("\n")[2]


def test_points_against_a_probability(run, path):
    *_, test = run("score", path, *UPWARDS, *POINTS, "--compare", "--json")[0].splitlines()
    known = fastauc.inference.roc_auc_test(Y, UP, -TABLE["points"])
    assert json.loads(test)["difference"] == known.difference
    assert json.loads(test)["pvalue"] == known.pvalue


def tables_of_first_model(page):
    first = next(k for k, table in enumerate(page.tables) if table[0][0] == "Bin")
    return page.tables[first : first + 3]


@pytest.mark.parametrize("limit", first(1, LIMITS))
def test_a_report_is_in_the_scale_of_the_scores(run, path, tmp_path, limit):
    pytest.importorskip("matplotlib")
    pages = []
    for command in ([*DOWN, "--score=up"], UPWARDS, [*LABEL, "--score=down"]):
        run("report", path, *command, *limit, "-o", tmp_path / "r.html")
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
            assert float(found) == -float(wanted)
            assert row[:at] + row[at + 1 :] == other[:at] + other[at + 1 :]
    assert matrix == known_matrix
    assert any("above the threshold (of down: at or below)" in text for text in down.texts)
    assert down.tables[1][2][1:] == up.tables[1][1][1:]
    if not limit:  # scores are compared where their rows are in memory
        assert "+0.0000" in down.tables[2][1]  # the AUC of one less that of the other
    (note,) = (text for text in reversed_page.texts if "below one half" in text)
    assert note.startswith("down: the AUC is 0.2")
    assert not any("below one half" in text for text in down.texts + up.texts)


@pytest.mark.parametrize("limit", LIMITS)
@pytest.mark.parametrize("kind", ["ks", "distribution", "threshold", "gains", "roc"])
def test_pictures_show_the_scores_of_the_file(run, path, tmp_path, kind, limit):
    pytest.importorskip("matplotlib")
    picture = tmp_path / "x.svg"
    mark = [] if kind in ("ks", "gains") else ["--operating-point=youden"]
    run("plot", kind, path, *LABEL, *POINTS, *limit, *mark, "-o", picture)
    drawn = picture.read_text(encoding="utf-8")
    best = fastauc.metrics.optimal_threshold(Y, TABLE["points"], higher_is_positive=False).threshold
    assert ("lowest scores first" if kind == "gains" else f"threshold {best}") in drawn


def test_what_it_does_not_go_with(path, capsys, tmp_path):
    state = ["--state", tmp_path / "s"]
    assert misused(capsys, "score", path, *DOWN, *state).startswith(
        "--state cannot be used with --lower-is-positive: "
    )
    with pytest.raises(ValueError, match="higher_is_positive is False for 'down'; expected only"):
        score([path], label="y", score="down", higher_is_positive=False, state=tmp_path / "s")
    found = misused(capsys, "gains", path, *LABEL, "--score=up", "--lower-is-positive=down")
    assert found == "--lower-is-positive down: expected a column of --score: 'up'"
    assert list(tmp_path.iterdir()) == []


def test_a_checkpoint_of_the_other_direction_is_refused(path, tmp_path, capsys):
    job = ["score", path, *LABEL, "--score=down", "--memory-limit=1"]
    job += ["--checkpoint", tmp_path / "c", "--checkpoint-seconds=0"]
    assert main([str(argument) for argument in job]) == 0
    capsys.readouterr()
    assert main([str(argument) for argument in [*job, "--lower-is-positive=down"]]) == 1
    assert "lower for positives was [], and is ['down'] now" in capsys.readouterr().err


@pytest.mark.parametrize("limit", LIMITS)
def test_integers_that_float64_does_not_hold(run, capsys, tmp_path, limit):
    """The same are valid whether the rows fit into memory or not."""
    for last, is_valid in ((2**53, True), (2**64 - 1, False)):
        columns = {"y": [1, 1, 0, 0], "s": np.array([3, 2, 7, last], np.uint64)}
        np.savez(tmp_path / "x.npz", **columns)
        command = [tmp_path / "x.npz", *LABEL, "--score=s", "--lower-is-positive=s", *limit]
        if is_valid:
            assert json.loads(run("score", *command, "--json")[0])["auc"] == 1
            continue
        for name in ("score", "threshold"):
            assert main([name, *map(str, command)]) == 1
            assert "row 4 is 18446744073709551615; expected no int" in capsys.readouterr().err
