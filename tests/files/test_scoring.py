"""Files scored in passes give the numbers of the arrays they hold, or bounds of them."""

import gzip
import math
import os
import warnings
import zipfile
from pathlib import Path

import numpy as np
import pytest

import fastauc
from fastauc import UndefinedMetricWarning
from fastauc.files import DataError, merge_states, score
from support.file_columns import refusal, write_columns
from support.reliability import tried
from support.weighted_pairs import exact_area

TINY = 1  # no row fits: all files are read in passes


def draw_scores(rng, n):
    kinds = [
        lambda: rng.normal(size=n),
        lambda: 1 / (1 + np.exp(-rng.normal(size=n))),
        lambda: rng.random(n).round(int(rng.integers(1, 6))),
        lambda: np.exp(3 * rng.normal(size=n)),
        lambda: rng.integers(-3, 4, n) * 1e-300,
        lambda: np.float64(0.1) + rng.integers(0, 40, n) * 2.0**-56,  # all in one cell
        lambda: np.where(rng.random(n) < 0.5, rng.normal(size=n), 0.25),
        lambda: rng.normal(size=n).astype(np.float32),
        lambda: rng.integers(0, 1000, n),
    ]
    return kinds[rng.integers(len(kinds))]()


def write(folder, columns, ending="parquet", parts=1, row_group=100):
    """Write columns as a number of files, and return their folder."""
    folder.mkdir(exist_ok=True)
    n = len(next(iter(columns.values())))
    places = np.linspace(0, n, parts + 1).astype(int)
    for i in range(parts):
        rows = slice(places[i], places[i + 1])
        part = {name: values[rows] for name, values in columns.items()}
        write_columns(folder / f"part-{i:03}.{ending}", part, row_group)
    return folder


def contains(interval, value, slack=0):
    return interval.lower <= value + slack and value - slack <= interval.upper


@pytest.mark.check("exact mode")
@pytest.mark.parametrize(
    "seed", [*range(40), *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(40, 500))]
)
def test_exact_in_passes_is_exact_in_memory(tmp_path, seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 3000))
    columns = {"y": rng.random(n) < rng.choice([0.02, 0.5]), "s": draw_scores(rng, n)}
    columns["y"][:2] = False, True
    folder = write(tmp_path / "x", columns, ["parquet", "csv", "npz", "feather"][seed % 4],
                   parts=int(rng.integers(1, 4)))  # fmt: skip
    options = {"label": "y", "score": "s"}
    (whole,) = score([folder], **options)
    (streamed,) = score([folder], memory_limit=TINY, n_jobs=seed % 3 + 1, **options)
    assert whole.passes == ()
    assert len(streamed.passes) >= 1
    assert streamed.roc_auc == whole.roc_auc
    assert whole.roc_auc.estimate == fastauc.roc_auc_score(columns["y"], columns["s"])
    assert streamed.roc_auc.exact
    same = ("gini", "n", "positives", "tie_share")
    assert [getattr(streamed, name) for name in same] == [getattr(whole, name) for name in same]
    for name in ("average_precision", "ks"):
        assert contains(getattr(streamed, name), getattr(whole, name).estimate, 2**-50)
    last = streamed.passes[-1]
    assert (last.lower, last.upper) == streamed.roc_auc[1:3]


@pytest.mark.check("exact mode")
@pytest.mark.parametrize("seed", range(12))
def test_weights_in_passes(tmp_path, seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 1500))
    weight = rng.integers(0, 9, n) / 8 if seed % 2 else rng.random(n)
    columns = {"y": rng.random(n) < 0.3, "s": draw_scores(rng, n), "w": weight}
    columns["y"][:2] = False, True
    columns["w"][:2] = 1
    folder = write(tmp_path / "x", columns, parts=2)
    options = {"label": "y", "score": "s", "weight": "w"}
    (whole,) = score([folder], **options)
    (streamed,) = score([folder], memory_limit=TINY, **options)
    exact = exact_area(columns["y"], columns["s"], weight)
    assert streamed.roc_auc.exact
    assert streamed.roc_auc.estimate == float(exact)
    assert streamed.gini.estimate == pytest.approx(float(2 * exact - 1), abs=2**-52)
    # The area in memory is promised to 4 ulp.
    assert abs(whole.roc_auc.estimate - float(exact)) <= 4 * math.ulp(float(exact))
    assert (streamed.n, streamed.positives) == (whole.n, whole.positives)
    assert streamed.tie_share is None


def test_bounds_hold_where_passes_are_left_out(tmp_path):
    rng = np.random.default_rng(3)
    n = 20_000
    y = rng.random(n) < 0.3
    columns = {"y": y, "s": 1 / (1 + np.exp(-rng.normal(size=n) - y))}
    folder = write(tmp_path / "x", columns)
    options = {"label": "y", "score": "s", "memory_limit": TINY}
    (whole,) = score([folder], label="y", score="s")
    (once,) = score([folder], tol=1, **options)
    assert len(once.passes) == 1
    assert not once.roc_auc.exact
    assert once.tie_share is None
    for name in ("roc_auc", "gini", "average_precision", "ks"):
        interval, value = getattr(once, name), getattr(whole, name).estimate
        assert contains(interval, value)
        assert interval.lower < interval.upper < interval.lower + 0.01
    width = once.roc_auc.upper - once.roc_auc.lower
    (within,) = score([folder], tol=width / 100, **options)
    assert contains(within.roc_auc, whole.roc_auc.estimate)
    assert within.roc_auc.upper - within.roc_auc.lower <= width / 100
    (enough,) = score([folder], tol=width, **options)
    assert enough.roc_auc == once.roc_auc


@pytest.mark.parametrize(
    ("labels", "pos_label"),
    [
        ([0, 0, 1, 1], None),
        ([-1, -1, 1, 1], None),
        ([0.0, 0.0, 1.0, 1.0], None),
        ([False, False, True, True], None),
        ([True, True, False, False], False),
        ([True, True, False, False], "false"),
        ([1, 1, 2, 2], "2.0"),
        ([1, 1, 2, 2], 2),
        (["good", "good", "bad", "bad"], "bad"),
    ],
)
def test_positive_label(tmp_path, labels, pos_label):
    columns = {"y": np.array(labels), "s": np.array([0.1, 0.2, 0.3, 0.2])}
    folder = write(tmp_path / "x", columns, parts=4)
    for limit in (TINY, None):
        options = {"pos_label": pos_label, "memory_limit": limit}
        (result,) = score([folder], label="y", score="s", **options)
        assert (result.roc_auc.estimate, result.positives) == (0.875, 2)
        assert result.tie_share == 0.25


@pytest.mark.parametrize(
    ("labels", "pos_label", "message"),
    [
        (["good", "bad", "bad"], None, "name the positive one with pos_label"),
        ([1, 2, 2], None, "name the positive one with pos_label"),
        ([-1, 0, 0], None, "name the positive one with pos_label"),
        ([0, 1, 1], "2", "has no label '2'; it holds 0, 1"),
        ([0, 1, 1], "yes", "has no label 'yes'"),
        ([0, 1, 2], None, "part-002.parquet, row 1; expected two"),
        ([True, False, True], "1", "has no label '1'"),
    ],
)
def test_labels_that_do_not_make_two_classes(tmp_path, labels, pos_label, message):
    columns = {"y": np.array(labels), "s": np.array([0.1, 0.2, 0.3])}
    folder = write(tmp_path / "x", columns, parts=3)
    options = {"label": "y", "score": "s", "pos_label": pos_label}
    for limit in (TINY, None):
        assert message in refusal(score, folder, **options, memory_limit=limit)


def test_one_class_is_undefined(tmp_path):
    folder = write(tmp_path / "x", {"y": np.ones(5, int), "s": np.arange(5.0)}, parts=2)
    for limit in (TINY, None):
        with pytest.warns(UndefinedMetricWarning):
            (result,) = score([folder], label="y", score="s", memory_limit=limit)
        values = [result.roc_auc.estimate, result.gini.estimate, result.ks.estimate]
        assert all(map(math.isnan, [*values, result.tie_share]))
        assert result.average_precision.estimate == 1.0
        assert (result.n, result.positives) == (5, 5)


def test_no_rows_and_no_weight(tmp_path):
    empty = write(tmp_path / "x", {"y": np.zeros(0, bool), "s": np.zeros(0)})
    columns = {"y": np.array([0, 1]), "s": np.array([0.1, 0.2]), "w": np.zeros(2)}
    weightless = write(tmp_path / "z", columns)
    for limit in (TINY, None):
        options = {"label": "y", "score": "s", "memory_limit": limit}
        assert "there are no rows" in refusal(score, empty, **options)
        assert "at least one non-zero" in refusal(score, weightless, weight="w", **options)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"score": []}, "score is empty"),
        ({"tol": -1}, "tol is -1"),
        ({"tol": math.nan}, "tol is nan"),
        ({"memory_limit": 0}, "memory_limit is 0"),
        ({"memory_limit": "2GB"}, "memory_limit is '2GB'; expected a number of bytes"),
    ],
)
def test_wrong_arguments(options, message):
    with pytest.raises(ValueError, match=message):
        score(["x.csv"], **{"label": "y", "score": "s"} | options)


# How much is kept in memory -----------------------------------------------------------------------


def test_files_that_do_not_say_how_many_rows_they_have_are_kept_until_they_do_not_fit(tmp_path):
    rng = np.random.default_rng(0)
    n = 20_000
    columns = {"y": rng.integers(0, 2, n), "s": rng.normal(size=n)}
    folder = write(tmp_path / "x", columns, "csv", parts=2)
    size = sum(path.stat().st_size for path in folder.iterdir())
    assert size / 4 > n * 1.2  # rows take up more than the least that they could
    row = 24 + 16 + 64
    passes = {}
    for rows in (size // 4 + 10, int(n * 1.2), n // 2):
        (result,) = score([folder], label="y", score="s", memory_limit=16 * rows * row)
        assert result.roc_auc.estimate == fastauc.roc_auc_score(columns["y"], columns["s"])
        assert result.n == n
        passes[rows] = len(result.passes)
    assert list(passes.values()) == [0, 0, 2]


def test_more_rows_than_expected_and_numbers_of_two_types_in_memory(tmp_path):
    (tmp_path / "x.csv").write_text("y,s\n" + "1,\n0,\n" * 100_000 + "1,2\n0,1\n1,1\n")
    (found,) = score([tmp_path / "x.csv"], label="y", score="s", nan_policy="omit")
    assert (found.n, found.roc_auc.estimate) == (3, 0.75)
    assert found.dropped[:2] == (100_000, 100_000)
    rng = np.random.default_rng(1)
    parts = [rng.normal(size=1000).astype(dtype) for dtype in ("f4", "f8", "f4")]
    labels = rng.integers(0, 2, 3000)
    for i, part in enumerate(parts):
        columns = {"y": labels[1000 * i : 1000 * (i + 1)], "s": part}
        write_columns(tmp_path / f"{i}.parquet", columns)
    (found,) = score([tmp_path / f"{i}.parquet" for i in range(3)], label="y", score="s")
    assert found.roc_auc.estimate == fastauc.roc_auc_score(labels, np.concatenate(parts))


def test_progress_tells_the_pass_the_rows_and_the_interval(tmp_path, fast_clock):
    rng = np.random.default_rng(0)
    n = 30_000
    columns = {"y": rng.random(n) < 0.5, "s": rng.normal(size=n)}
    folder = write(tmp_path / "x", columns, parts=4)
    seen = []
    (result,) = score([folder], label="y", score="s", memory_limit=TINY, progress=seen.append)
    assert {each.pass_number for each in seen} == {1, 2}
    assert {each.total for each in seen} == {n}
    for number in (1, 2):
        rows = [each.rows for each in seen if each.pass_number == number]
        assert rows == sorted(set(rows))
        assert rows[-1] == n
    first = next(each for each in seen if each.rows == n)
    assert first.intervals[0][1:3] == result.passes[0][2:]
    part = seen[0]
    area = fastauc.roc_auc_score(columns["y"][: part.rows], columns["s"][: part.rows])
    assert contains(part.intervals[0], area)


# States -------------------------------------------------------------------------------------------


@pytest.mark.check("partitions")
@pytest.mark.parametrize("limit", [TINY, None])
@pytest.mark.parametrize("weight", [None, "w"])
def test_states_of_parts_merge_to_that_of_the_whole(tmp_path, limit, weight):
    rng = np.random.default_rng(1)
    n = 4000
    columns = {"y": rng.random(n) < 0.5, "s": rng.normal(size=n), "t": rng.random(n).round(2),
               "w": rng.integers(0, 5, n)}  # fmt: skip
    folder = write(tmp_path / "x", columns, parts=3)
    options = {"label": "y", "score": ["s", "t"], "weight": weight, "memory_limit": limit}
    parts = []
    for path in sorted(folder.iterdir()):
        parts.append(tmp_path / f"{path.stem}.state")
        score([path], state=parts[-1], **options)
    whole = score([folder], state=tmp_path / "whole", tol=1, **{**options, "memory_limit": 1})
    assert merge_states(parts, state=tmp_path / "merged") == whole
    assert merge_states([tmp_path / "merged"]) == whole
    assert (tmp_path / "whole").read_bytes() == (tmp_path / "merged").read_bytes()
    twice = [*parts, parts[0]]
    assert "part-000.parquet is also in another state" in refusal(merge_states, twice)


@pytest.mark.check("state round trips")
def test_a_state_that_was_written_once_is_read_for_ever(tmp_path):
    golden = Path(__file__).parents[1] / "data" / "states" / "files_v1.bin"
    (found,) = merge_states([golden])
    assert (found.score, found.n, found.positives) == ("s", 4, 2)
    assert (found.roc_auc.exact, found.roc_auc.estimate) == (True, 0.75)
    # Parts of one job may be counted by several versions.
    path = tmp_path / "rest.csv"
    path.write_text("y,s\n1,0.4\n0,0.9\n")
    score([path], label="y", score="s", state=tmp_path / "state")
    (found,) = merge_states([golden, tmp_path / "state"])
    assert found.roc_auc.estimate == 4.5 / 9
    tried(2)


@pytest.mark.check("repeated tasks")
def test_parts_in_any_order_count_once(tmp_path):
    """The tasks of a job write a state each, some of them twice, and end in any order."""
    rng = np.random.default_rng(2)
    n = 500
    columns = {"y": rng.random(n) < 0.3, "s": rng.normal(size=n).round(1)}
    columns["y"][100:300] = True  # some parts are of one class
    folder = write(tmp_path / "x", columns, parts=8)
    options = {"label": "y", "score": "s"}
    whole = score([folder], memory_limit=TINY, tol=1, **options)
    parts, again = [], []
    for path in sorted(folder.iterdir()):
        for states, name in ((parts, "first"), (again, "again")):
            states.append(tmp_path / f"{path.stem}.{name}")
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", UndefinedMetricWarning)
                score([path], state=states[-1], **options)
    for number in range(100):
        tried()
        chosen = [pair[rng.integers(2)] for pair in zip(parts, again, strict=True)]
        twice = [parts[rng.integers(8)] for _ in range(number % 3)]
        order = rng.permutation(np.array([*chosen, *twice], object)).tolist()
        if twice:
            assert "is also in another state" in refusal(merge_states, order)
        else:
            assert merge_states(order) == whole


@pytest.mark.check("repeated tasks")
@pytest.mark.parametrize("limit", [None, TINY])
@pytest.mark.parametrize("ending", ["csv", "npy"])
@pytest.mark.parametrize("n", [40, 40_000])
def test_a_copy_counts_once(tmp_path, n, ending, limit):
    """Files are compared whole as long as they are there, else by their size and end."""
    rng = np.random.default_rng(3)
    columns = {"y": np.arange(n) % 2, "s": rng.random(n).astype(np.float32)}
    names = ["a", "copy", "other", "empty", "also_empty"]
    paths = {name: tmp_path / f"{name}.{ending}" for name in names}
    write_columns(paths["a"], columns)
    for name in ("copy", "other"):
        write_columns(paths[name], columns)
        os.utime(paths[name], (1, 1))
        columns["s"][0] = 0.5 if columns["s"][0] != 0.5 else 0.25  # of "other"
    for name in ("empty", "also_empty"):
        write_columns(paths[name], {name: values[:0] for name, values in columns.items()})
        os.utime(paths[name], (len(name), 1))

    def count(name, *more):
        files = [paths[each] for each in (name, *more)]
        state = tmp_path / f"{name}.state"
        score(files, label="y", score="s", state=state, memory_limit=limit)
        return state

    first, copy = count("a", "empty"), count("copy", "also_empty")
    said = refusal(merge_states, [first, copy])
    assert "copy" in said
    assert "is also in another state, as " in said
    if paths["other"].stat().st_size == paths["a"].stat().st_size:
        other = count("other", "also_empty")
        (column,) = merge_states([first, other])
        assert column.n == 2 * n
        both = score([paths["a"], paths["other"]], label="y", score="s", memory_limit=limit)
        assert both[0].n == 2 * n
        paths["other"].unlink()
        is_like = n == 40_000  # as far as the state knows
        assert ("expected each file once" in str(outcome_of([first, other]))) == is_like


FORMS = ["csv", "csv.gz", "csv.zip", "tsv", "jsonl", "parquet", "arrow", "npz"]


def write_in(path, columns, ending):
    """Write columns in a form that its ending tells; of text, numbers as Python prints them."""
    if ending == "tsv" or ending.startswith("csv"):
        between = "\t" if ending == "tsv" else ","
        rows = zip(*(np.asarray(values).tolist() for values in columns.values()), strict=True)
        text = "".join(f"{between.join(map(str, row))}\n" for row in [columns, *rows]).encode()
        if ending.endswith("zip"):
            with zipfile.ZipFile(path, "w") as archive:
                archive.writestr(zipfile.ZipInfo("x.csv"), text)
        else:
            path.write_bytes(gzip.compress(text, mtime=0) if ending.endswith("gz") else text)
    else:
        write_columns(path, columns)
    return path


@pytest.mark.parametrize(("limit", "weight"), [(None, None), (TINY, None), (TINY, "w")])
@pytest.mark.parametrize(
    ("one", "other"),
    [pair for k in (0, 1, 3) for pair in zip(FORMS, np.roll(FORMS, k), strict=True)],
)
def test_the_same_rows_count_once(tmp_path, one, other, weight, limit):
    """In one call and in two states, as copies and in another form; other rows count."""
    rng = np.random.default_rng(5)
    columns = {"y": rng.integers(0, 2, 500), "s": rng.random(500), "w": rng.integers(1, 9, 500)}
    (tmp_path / "of").mkdir()
    paths = [tmp_path / f"a.{one}", tmp_path / "of" / f"b.{other}", tmp_path / f"c.{other}"]
    for path in paths:
        ending = path.name.partition(".")[2]
        write_in(path, columns, ending)
        if path == paths[1]:
            columns["s"][-1] = 0.25
    options = {"label": "y", "score": "s", "weight": weight, "memory_limit": limit}
    held = "bytes" if one == other else "rows, in another form,"
    said = refusal(score, paths[:2], **options)
    assert said.startswith(f"{paths[1]}: it holds the same {held} as {paths[0]}; expected each ")
    (column,) = score([paths[0], paths[2]], **options)
    assert column.n == 1000
    states = [tmp_path / f"{i}.state" for i in range(3)]
    for path, state in zip(paths, states, strict=True):
        score([path], state=state, **options)
    said = refusal(merge_states, states[:2])
    assert ("holds the same bytes" if one == other else "counted the same rows") in said
    assert merge_states([states[0], states[2]])[0].n == 1000


def test_what_is_no_copy(tmp_path):
    """Equal rows beside other columns, in folders that tell them apart, and files without rows."""
    columns = {"y": [0, 1, 1], "s": [1, 2, 3]}
    paths = []
    for k in range(2):
        (tmp_path / f"day={k}").mkdir()
        paths.append(write_columns(tmp_path / f"day={k}" / "x.npz", columns))
        paths.append(write_columns(tmp_path / f"{k}.csv", columns | {"id": [k, 5, 6]}))
        paths.append(tmp_path / f"empty{k}.csv")
        paths[-1].write_text("y,s\n")
    in_other_form = write_in(tmp_path / "day=1" / "x.csv", columns, "csv")
    for limit in (None, TINY):
        for several in (paths[::3], paths[1::3] + paths[2::3], [paths[0], in_other_form]):
            assert score(several, label="y", score="s", memory_limit=limit)[0].n == 6
    states = [tmp_path / f"{k}.state" for k in range(2)]
    for k in range(2):
        score(paths[3 * k + 1], label="y", score="s", state=states[k])
    assert merge_states(states)[0].n == 6


def test_standard_input_is_called_so(tmp_path, monkeypatch):
    path = write_in(tmp_path / "x.csv", {"y": [0, 1], "s": [1, 2]}, "csv")
    states = [tmp_path / "1", tmp_path / "2"]
    for state in states:
        with open(path) as file, monkeypatch.context() as patched:
            patched.setattr("sys.stdin", file)
            score("-", label="y", score="s", state=state)
    said = refusal(merge_states, states)
    assert (
        said
        == f"{states[1]}: its file standard input is also in another state; expected each file once"
    )
    with open(path) as file, monkeypatch.context() as patched:
        patched.setattr("sys.stdin", file)
        said = refusal(score, ["-", path], label="y", score="s")
    assert said.startswith(f"{path}: it holds the same bytes as standard input; ")


def outcome_of(states):
    try:
        return merge_states(states)
    except DataError as error:
        return error


@pytest.mark.check("incompatible states")
@pytest.mark.check("repeated tasks")
def test_states_that_do_not_merge(tmp_path):
    columns = {"y": np.array([0, 1]), "s": np.array([0.1, 0.2]), "t": np.array([0.1, 0.2])}
    folder = write(tmp_path / "x", columns, parts=2)
    _, second = sorted(folder.iterdir())
    states = [tmp_path / name for name in "abc"]
    score([folder], label="y", score="s", state=states[0])
    with pytest.warns(UndefinedMetricWarning):
        score([second], label="y", score="t", state=states[1])
    score([folder], label="y", score="s", pos_label=0, state=states[2])
    assert "its score is 't'; expected 's', as in" in refusal(merge_states, states[:2])
    said = refusal(merge_states, [states[0], states[2]])
    assert "its positive label is 0; expected 1, as in" in said
    assert "No such file" in refusal(merge_states, [tmp_path / "none"])
    with pytest.raises(ValueError, match="states is empty"):
        merge_states([])
    said = refusal(score, folder, label="y", score="s", state=tmp_path / "no" / "folder")
    assert "cannot be written" in said
