"""States, checkpoints and arguments that nobody means: an answer, or one line."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, strategies as st

from fastauc._state_format import Kind
from fastauc.files._saved import read_saved, save
from fastauc.streaming import ScoreHistogram
from support.fuzzing import IN_PASSES, TABLE, law, outcome, run
from support.reliability import tried

# States -------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def state(tmp_path_factory):
    folder = tmp_path_factory.mktemp("states")
    pq.write_table(TABLE, folder / "x.parquet")
    columns = ["--label=y", "--score=s"]
    assert run("score", folder / "x.parquet", *columns, "--state", folder / "x")[0] == 0
    return read_saved(str(folder / "x"), Kind.SCORES)


plain = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=3),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=2)
    ),
    max_leaves=4,
)


@st.composite
def forged(draw, value):
    """Return a plain value of which some part is another one."""
    if isinstance(value, dict) and value and draw(st.integers(0, 4)):
        key = draw(st.sampled_from(sorted(value)))
        return value | {key: draw(forged(value[key]))}
    if isinstance(value, list) and value and draw(st.integers(0, 4)):
        k = draw(st.integers(0, len(value) - 1))
        return [*value[:k], draw(forged(value[k])), *value[k + 1 :]]
    return draw(plain)


@pytest.mark.check("fuzzed states")
@law
@given(data=st.data())
def test_forged_states(tmp_path, state, data):
    """The checksum is right; the description is not that of the histograms."""
    tried()
    header = data.draw(forged(state[0]))
    blobs = state[1] * data.draw(st.integers(0, 2))
    path, other = tmp_path / "forged", tmp_path / "other"
    save(str(path), Kind.SCORES, header, list(blobs))
    found = outcome(path, command="merge")
    if isinstance(found, dict):
        assert found["n"] == len(TABLE)
    header = state[0] | {"inputs": [["elsewhere.parquet", 1, 2, "digest"]]}
    save(str(other), Kind.SCORES, header, list(state[1]))
    code, out, err = run("merge", other, path)
    assert code == 0 or (code, out, err.count("\n")) == (1, "", 1)


@pytest.mark.check("forged states")
@pytest.mark.parametrize(
    "change",
    [
        {"inputs": [["x.parquet", [], 2, "digest"]]},
        {"inputs": {"x": 1}},
        {"positive": ["bad"]},
        {"n_rows": 60.0},
        {"columns": ["label", "weight", "scores"]},
        {"columns": {"label": "y", "weight": None, "scores": "s"}},
        {"columns": {"label": "y", "weight": None, "scores": [None]}},
    ],
)
def test_states_described_by_other_types(tmp_path, state, change):
    path = tmp_path / "forged"
    save(str(path), Kind.SCORES, state[0] | change, list(state[1]))
    said = "cannot be read: The state is broken: its description is invalid."
    assert outcome(path, command="merge") == said


def saved_in_the_first_reading(path):
    """Return the checkpoint of a finished job as that of the end of its first reading."""
    header, blobs = read_saved(str(path), Kind.CHECKPOINT)
    return header | {"pass": [1], "place": [0, len(TABLE)]}, blobs


@pytest.mark.check("damaged checkpoints")
@pytest.mark.check("fuzzed states")
@law
@given(data=st.data())
def test_forged_checkpoints(tmp_path, data):
    tried()
    source, path = tmp_path / "x.parquet", tmp_path / "checkpoint"
    if not path.exists():
        pq.write_table(TABLE, source)
        outcome(source, *IN_PASSES, "--checkpoint", path)
    header, blobs = saved_in_the_first_reading(path)
    header = data.draw(forged(header))
    forgery = tmp_path / "forged"
    save(str(forgery), Kind.CHECKPOINT, header, list(blobs))
    command = ["score", source, "--label=y", "--score=s", *IN_PASSES, "--checkpoint", forgery]
    code, out, err = run(*command)
    assert code == 0 or (code, out, err.count("\n")) == (1, "", 1)


def with_pairs(pairs):
    """Return what a checkpoint says after the second reading."""
    return {"pass": [2], "columns": [{"passes": [], "pairs": pairs}]}


@pytest.mark.check("damaged checkpoints")
@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"labels": ["000"]}, "x.parquet: column 'y' holds the labels '000', which are text"),
        ({"labels": [0, "1"]}, "checkpoint: cannot be read: The state is broken: its description"),
        ({"labels": [0, 1, 2]}, "checkpoint: cannot be read: The state is broken: its description"),
        ({"columns": []}, "checkpoint: cannot be read: The state is broken: its description"),
        ({"inputs": [[]]}, "checkpoint: cannot be read: The state is broken: its description"),
        ({"place": [1]}, "checkpoint: cannot be read: The state is broken: its description"),
        ({"rows": [1]}, "checkpoint: cannot be read: The state is broken: its description"),
        ({"spec": {}}, "checkpoint: cannot be read: 'scores'"),
        (with_pairs([0, 0]), "cannot be read: The state is broken: its pairs do not match"),
        (with_pairs([10**40, 0]), "cannot be read: The state is broken: its pairs do not match"),
        (with_pairs([10**9]), "checkpoint: cannot be read: "),
        ({"place": [0, -1]}, "checkpoint: cannot be read: The state is broken: its description"),
    ],
)
def test_checkpoints_described_by_other_types(tmp_path, change, said):
    source, path = tmp_path / "x.parquet", tmp_path / "checkpoint"
    pq.write_table(TABLE, source)
    command = ["score", source, "--label=y", "--score=s", *IN_PASSES, "--checkpoint", path]
    assert run(*command)[0] == 0
    header, blobs = saved_in_the_first_reading(path)
    save(str(path), Kind.CHECKPOINT, header | change, list(blobs))
    code, out, err = run(*command)
    assert (code, out, err.count("\n")) == (1, "", 1)
    assert said in err


@pytest.fixture(scope="module", params=["rows", "weighted", "with missing scores"])
def job(request, tmp_path_factory):
    """Make the finished job of a few rows, and return its command, its checkpoint, and the rows."""
    folder = tmp_path_factory.mktemp("job")
    rng = np.random.default_rng(0)
    y_true, scores = rng.integers(0, 2, 60), rng.random((2, 60))
    options = ["--score=s", "--score=t", *IN_PASSES, "--checkpoint", folder / "checkpoint"]
    columns = {"y": y_true, "s": scores[0], "t": scores[1], "w": rng.integers(0, 3, 60)}
    if request.param == "weighted":
        options += ["--weight=w"]
    if request.param == "with missing scores":
        columns["s"][:7] = np.nan
        options += ["--missing=drop"]
    pq.write_table(pa.table(columns), folder / "x.parquet")
    command = ["score", folder / "x.parquet", "--label=y", *options]
    assert run(*command)[0] == 0
    header, blobs = read_saved(str(folder / "checkpoint"), Kind.CHECKPOINT)
    return command, folder / "checkpoint", header, [bytes(blob) for blob in blobs]


def changed(values, k, by):
    return [value + by * (i == k) for i, value in enumerate(values)]


# What the description and the histograms say of each other; the rows of weight 0 are in no bin.
CONTRADICTIONS = {
    "more rows": lambda h, _: {"rows": changed(h["rows"], 0, 9), "pass": [1], "place": [0, 60]},
    "no rows": lambda h, _: {"rows": [0, 0]},
    "one class": lambda h, _: {"rows": [h["rows"][0]] * 2},
    "no positives": lambda h, _: {"rows": changed(h["rows"], 1, -h["rows"][1])},
    "more positives than rows": lambda h, _: {"rows": changed(h["rows"], 1, 100)},
    "a place before": lambda h, _: {"pass": [1], "place": [0, 1]},
    "a place behind": lambda h, _: {"pass": [1], "place": [0, 61]},
    "the next file": lambda h, _: {"pass": [1], "place": [1, 0]},
    "one label": lambda h, _: {"labels": [1]},
    "other labels": lambda h, _: {"labels": [0, -1]},
    "no labels": lambda h, _: {"labels": []},
    "more missing scores": lambda h, _: {"dropped": changed(h["dropped"], 2, 100)},
    "a pass less": lambda h, _: {
        "columns": [c | {"passes": c["passes"][1:]} for c in h["columns"]]
    },
    "no passes": lambda h, _: {"columns": [c | {"passes": []} for c in h["columns"]]},
    "other pairs": lambda h, _: {
        "columns": [c | {"pairs": changed(c["pairs"], 0, -1)} for c in h["columns"]]
    },
    "no pairs": lambda h, _: {"columns": [c | {"pairs": [0, 0]} for c in h["columns"]]},
    "more pairs": lambda h, _: {
        "columns": [c | {"pairs": changed(c["pairs"], 1, 10**50)} for c in h["columns"]]
    },
    "an empty histogram": lambda h, weighted: [ScoreHistogram(weighted=weighted).to_bytes()] * 2,
    "a histogram of more rows": lambda h, weighted: [
        ScoreHistogram(weighted=weighted).update([0, 1] * 40, [0.1] * 80).to_bytes()
    ],
    "a histogram of another kind": lambda h, weighted: [
        ScoreHistogram(weighted=not weighted).update([0, 1], [0.1] * 2).to_bytes()
    ],
}


@pytest.mark.check("damaged checkpoints")
@pytest.mark.parametrize("name", CONTRADICTIONS)
def test_checkpoints_that_contradict_their_histograms(tmp_path, job, name):
    """The checksum is right, and each part by itself is possible."""
    command, path, header, blobs = job
    if "w" in header["spec"].values() and name in ("more rows", "a place behind"):
        pytest.skip("rows of weight 0 are read and not counted")
    forgery = CONTRADICTIONS[name](header, "w" in header["spec"].values())
    if isinstance(forgery, list):  # the first of two, or both
        blobs, forgery = [*forgery, *blobs][:2], {}
    save(str(path), Kind.CHECKPOINT, header | forgery, list(blobs))
    tried()
    code, out, err = run(*command)
    assert (code, out, err.count("\n")) == (1, "", 1)
    assert "checkpoint: cannot be read: " in err or "x.parquet: column 'y' holds the labels" in err


def test_a_checkpoint_whose_files_have_become_more(tmp_path):
    """What is finished for two files does not answer for three, nor for one."""
    names = [tmp_path / f"{k}.parquet" for k in range(3)]
    for k, name in enumerate(names):
        pq.write_table(TABLE.slice(k), name)
    options = ["--label=y", "--score=s", *IN_PASSES, "--checkpoint", tmp_path / "checkpoint"]
    assert run("score", *names[:2], *options)[0] == 0
    for given_names, said in [(names, "and has 3 now"), (names[:1], "and has 1 now")]:
        code, out, err = run("score", *given_names, *options)
        assert (code, out, err.count("\n")) == (1, "", 1)
        assert f"it had 2 files, {said}" in err
