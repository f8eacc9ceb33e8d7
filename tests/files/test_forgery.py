"""States, checkpoints and arguments that nobody means: an answer, or one line."""

import pyarrow.parquet as pq
import pytest
from hypothesis import given, strategies as st

from fastauc.files._saved import read_saved, save
from fastauc.streaming._state_format import Kind
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
    save(str(path), Kind.SCORES, header, [[blob] for blob in blobs])
    found = outcome(path, command="merge")
    if isinstance(found, dict):
        assert found["n"] == len(TABLE)
    header = state[0] | {"inputs": [["elsewhere.parquet", 1, 2, "digest"]]}
    save(str(other), Kind.SCORES, header, [[blob] for blob in state[1]])
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
    save(str(path), Kind.SCORES, state[0] | change, [[blob] for blob in state[1]])
    said = "cannot be read: The state is broken: its description is invalid."
    assert outcome(path, command="merge") == said


def saved_in_the_first_reading(path):
    """Return the checkpoint of a finished job, as if there were rows to read."""
    header, blobs = read_saved(str(path), Kind.CHECKPOINT)
    return header | {"pass": [1], "place": [0, 0]}, blobs


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
    save(str(forgery), Kind.CHECKPOINT, header, [[blob] for blob in blobs])
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
        ({"labels": ["000"]}, "x.parquet: column 'y' holds 3 distinct labels (False, True, '000')"),
        ({"labels": [0, "1"]}, "checkpoint: cannot be read: The state is broken: its description"),
        ({"labels": [0, 1, 2]}, "checkpoint: cannot be read: The state is broken: its description"),
        ({"columns": []}, "checkpoint: cannot be read: The state is broken: its description"),
        ({"inputs": [[]]}, "checkpoint: cannot be read: The state is broken: its description"),
        ({"place": [1]}, "checkpoint: cannot be read: The state is broken: its description"),
        ({"rows": [1]}, "checkpoint: cannot be read: The state is broken: its description"),
        ({"spec": {}}, "checkpoint: cannot be read: 'scores'"),
        (with_pairs([0, 0]), "cannot be read: The state is broken: its pairs are not those"),
        (with_pairs([10**40, 0]), "cannot be read: The state is broken: its pairs are not those"),
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
    save(str(path), Kind.CHECKPOINT, header | change, [[blob] for blob in blobs])
    code, out, err = run(*command)
    assert (code, out, err.count("\n")) == (1, "", 1)
    assert said in err
