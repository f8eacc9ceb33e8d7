"""Dask collections: the bits of one process for any partition, with workers that fail and die."""

import doctest
import itertools
import os
import sys
from unittest import mock

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import fastauc
from fastauc import UndefinedMetricWarning, concordance, dask as fastauc_dask
from fastauc.dask import refine_roc_auc, roc_auc_score, score_histogram
from fastauc.streaming import ScoreHistogram, _partitions
from support.clusters import dask_client, draw_columns, in_one_process
from support.reliability import tried

dask = pytest.importorskip("dask", reason="dask is not installed")
pytest.importorskip("distributed", reason="distributed is not installed")
cloudpickle = pytest.importorskip("cloudpickle")
pd = pytest.importorskip("pandas", reason="pandas is not installed")
da = pytest.importorskip("dask.array")
dd = pytest.importorskip("dask.dataframe")

N = 30_000


# Workers can import the package, but not this file, whose name pytest makes up. What they cannot
# read is not an error: they end, and what waits for them waits for ever.
cloudpickle.register_pickle_by_value(sys.modules[__name__])


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    with dask_client(tmp_path_factory.mktemp("workers")) as client:
        yield client


@pytest.fixture
def client(cluster):
    with cluster.as_current():
        yield cluster


@pytest.fixture(scope="module")
def frame():
    return pd.DataFrame(draw_columns(N))


def split(frame, bounds):
    """Return a collection of the rows between neighbouring bounds."""
    parts = [frame.iloc[slice(*pair)] for pair in itertools.pairwise(bounds)]
    return dd.from_map(lambda rows: rows, parts, meta=frame.iloc[:0])


# Partitions ---------------------------------------------------------------------------------------


@pytest.mark.check("partitions")
@settings(max_examples=25)
@given(
    cuts=st.lists(st.integers(0, 200), max_size=63),
    order=st.sampled_from(["as they are", "by label", "by score"]),
    weighted=st.booleans(),
    rows_of_task=st.sampled_from([1, 2**22]),
    seed=st.integers(0, 100),
)
def test_any_partition_gives_the_same_bits(cuts, order, weighted, rows_of_task, seed):
    tried()
    rng = np.random.default_rng(seed)
    rows = pd.DataFrame({"a": rng.integers(0, 2, 200), "s": rng.random(200), "w": rng.random(200)})
    rows = rows.sort_values({"by label": "a", "by score": "s"}.get(order, "w"))
    # Equal cuts make empty partitions; in order of the labels, all but one are of one class.
    data = split(rows, sorted([0, *cuts, 200]))
    grid = {"bins": 8, "range": (0, 1)}
    names = ["a", "s", "w"] if weighted else ["a", "s"]
    columns = tuple(rows[name] for name in names)
    whole = ScoreHistogram(**grid, weighted=weighted).update(*columns)
    with (
        dask.config.set(scheduler="synchronous"),
        mock.patch.object(_partitions, "_ROWS_OF_TASK", rows_of_task),
    ):
        counted = score_histogram(data, *names, **grid)
        area = refine_roc_auc(data, *names, **grid)
    assert counted == whole
    assert counted.to_bytes() == whole.to_bytes()
    expected = fastauc.streaming.refine_roc_auc(whole, lambda: [columns])
    assert area == expected
    assert area.exact
    if not weighted:
        assert area.concordance == concordance(*columns)


@pytest.mark.check("partitions")
def test_arrays(frame):
    label = da.from_array(frame.label.to_numpy(), chunks=10_000)
    score = da.from_array(frame.score.to_numpy(), chunks=N)
    weight = da.from_array(frame.weight.to_numpy(), chunks=12_345)
    whole = ScoreHistogram(weighted=True).update(frame.label, frame.score, frame.weight)
    assert score_histogram(None, label, score, weight) == whole
    assert score_histogram(y_true=label[:, None], y_score=score, sample_weight=weight) == whole
    area = fastauc.roc_auc_score(frame.label, frame.score)
    assert roc_auc_score(None, label, score) == area


def test_series_and_arrays_of_unknown_chunks(frame):
    data = dd.from_pandas(frame, npartitions=5)
    whole = ScoreHistogram().update(frame.label, frame.score)
    label, score = data["label"], data["score"]
    assert score_histogram(None, label, score) == whole
    assert score_histogram(None, label.to_dask_array(), score.to_dask_array()) == whole
    assert score_histogram(None, label, score.to_dask_array()) == whole


@pytest.mark.check("partitions")
def test_workers_give_the_bits_of_one_process(client, frame, tmp_path):
    for number in range(4):
        frame[number * N // 4 : (number + 1) * N // 4].to_parquet(tmp_path / f"{number}.parquet")
    data = dd.read_parquet(tmp_path)
    assert refine_roc_auc(data, "label", "score") == in_one_process(frame)
    grid = {"bins": 1_000, "range": (0, 1)}
    whole = ScoreHistogram(**grid, weighted=True).update(frame.label, frame.score, frame.weight)
    assert score_histogram(data, "label", "score", "weight", **grid) == whole


def unwrapped(results):
    """Return what one task has returned; how deep it lies depends on the version of Dask."""
    (inner,) = results
    return unwrapped(inner) if type(inner) is tuple else inner


def test_only_counts_come_back(frame):
    returned = []

    def run(graph, keys, **options):
        results = dask.get(graph, keys, **options)
        returned.append(results)
        return results

    with dask.config.set(scheduler=run):
        area = refine_roc_auc(
            split(frame, [0, 10_000, N]), "label", "score", bins=99, range=(0, 1), tol=1e-3
        )
    assert area == fastauc.streaming.refine_roc_auc(
        ScoreHistogram(99, range=(0, 1)).update(frame.label, frame.score),
        lambda: [(frame.label, frame.score)],
        tol=1e-3,
    )
    assert [step.kind for step in area.passes] == ["histogram", "rows"]
    # The scores alone take up 8 bytes each.
    histogram, counts = map(unwrapped, returned)
    assert len(histogram.to_bytes()) < N
    assert sum(each.n_rows for each in counts) == area.passes[1].rows < 0.9 * N


# Many rows ----------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def many():
    """Rows of which nearly all are undecided."""
    rng = np.random.default_rng(11)
    label = rng.integers(0, 2, 200_000)
    return pd.DataFrame({"label": label, "score": rng.random(len(label)), "weight": 0.5})


@pytest.mark.parametrize(("rows_of_task", "n_tasks"), [(2**22, 1), (50_000, 4)])
def test_rows_are_divided_among_tasks(client, many, monkeypatch, rows_of_task, n_tasks):
    monkeypatch.setattr(_partitions, "_ROWS_OF_TASK", rows_of_task)
    monkeypatch.setattr("fastauc.streaming._undecided._ROWS_OF_BUCKET", 1000)
    counted = []
    monkeypatch.setattr(fastauc_dask, "number_of_tasks", lambda buckets: counted.append(
        _partitions.number_of_tasks(buckets)) or counted[-1])  # fmt: skip
    data, expected = dd.from_pandas(many, npartitions=5), in_one_process(many)
    assert refine_roc_auc(data, "label", "score") == expected
    assert refine_roc_auc(data, "label", "score", "weight").estimate == expected.estimate
    assert counted[0] == n_tasks


def test_large_states(client, frame):
    # Dask warns of graphs of 10 MB.
    edges = np.linspace(0, 1, 1_400_000)
    whole = ScoreHistogram(edges=edges).update(frame.label, frame.score)
    data = split(frame, [0, N // 2, N])
    assert score_histogram(data, "label", "score", edges=edges) == whole


# Workers that fail --------------------------------------------------------------------------------


def failing_once(frame, marker, fail):
    """Return two partitions that cannot be computed, the first time one is."""

    def load(rows):
        try:
            open(marker, "x").close()
        except FileExistsError:
            return rows
        fail()

    return dd.from_map(load, [frame[: N // 2], frame[N // 2 :]], meta=frame[:0])


def raise_error():
    raise OSError("the disk is away")


@pytest.mark.check("repeated tasks")
@pytest.mark.parametrize(
    ("fail", "options"),
    [
        (raise_error, {"compute_kwargs": {"retries": 2}}),
        pytest.param(lambda: os._exit(9), {}, marks=pytest.mark.ci),  # the worker is lost
    ],
)
def test_tasks_that_fail_are_run_again(client, frame, tmp_path, fail, options):
    data = failing_once(frame, tmp_path / "failed", fail)
    area = refine_roc_auc(data, "label", "score", **options)
    assert (tmp_path / "failed").exists()
    assert area == in_one_process(frame)


@pytest.mark.check("repeated tasks")
def test_tasks_that_fail_too_often_raise_their_error(client, frame, tmp_path):
    data = failing_once(frame, tmp_path / "failed", raise_error)
    with pytest.raises(OSError, match="the disk is away"):
        score_histogram(data, "label", "score")


# Labels, scores, weights --------------------------------------------------------------------------


def test_labels(frame):
    expected = ScoreHistogram().update(frame.label[:500], frame.score[:500])
    for values, pos_label in (
        (np.array([False, True]), None),
        (np.array(["no", "yes"], object), "yes"),
        (pd.array(["no", "yes"]), "yes"),
        (pd.Categorical(["no", "yes"]), "yes"),
        (pd.array([0, 1], "Int64"), None),
        (np.array([3, 8]), 8),
    ):
        rows = frame[:500].assign(label=values[frame.label[:500]])
        data = dd.from_pandas(rows, npartitions=3)
        assert score_histogram(data, "label", "score", pos_label=pos_label) == expected
        assert score_histogram(None, data.label, data.score, pos_label=pos_label) == expected


def test_scores(frame):
    for dtype in ("float32", "uint8", "Float64"):
        rows = frame.assign(score=(frame.score * 100).round().astype(dtype))
        data = dd.from_pandas(rows, npartitions=4)
        assert refine_roc_auc(data, "label", "score") == in_one_process(rows)


def test_one_class(frame):
    data = dd.from_pandas(frame.assign(label=1), npartitions=4)
    with pytest.warns(UndefinedMetricWarning, match="No negative samples") as caught:
        area = roc_auc_score(data, "label", "score")
    assert np.isnan(area)
    assert all(warning.filename == __file__ for warning in caught)


# Errors -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("column", "value", "said"),
    [
        ("score", np.nan, r"Input contains NaN. y_score\[5\] is nan; expected finite numbers"),
        ("score", np.inf, r"Input contains infinity.* y_score\[5\] is inf"),
        ("label", np.nan, r"Input y_true contains NaN. y_true\[5\] is nan"),
        ("label", 2, r"multiclass format is not supported.* y_true\[5\] is 2"),
        ("label", pd.NA, r"Input y_true contains NaN. y_true\[5\] is nan"),
        ("weight", -1.0, r"Negative values.*sample_weight\[5\] is -1.0"),
        ("weight", np.nan, r"Input sample_weight contains NaN. sample_weight\[5\] is nan"),
    ],
)
def test_wrong_values_are_named(client, frame, column, value, said):
    rows = frame[:400].copy()
    rows[column] = rows[column].astype({float: "float64", int: "int64"}.get(type(value), "Int64"))
    rows.loc[205, column] = value
    data = split(rows, [0, 100, 200, 300, 400])
    place = r"^data\.partitions\[2\], y_true='label', y_score='score', sample_weight='weight': "
    with pytest.raises(ValueError, match=place + said):
        score_histogram(data, "label", "score", "weight")
    with pytest.raises(ValueError, match=r"^y_true\.partitions\[2\]: " + said):
        roc_auc_score(None, data["label"], data["score"], data["weight"])


def test_wrong_values_in_arrays_are_named():
    label, score = da.from_array([0, 1, 0, 1], chunks=2), np.array([0.1, 0.2, 0.3, np.nan])
    with pytest.raises(ValueError, match=r"^y_true.blocks\[1\]: .* y_score\[1\] is nan"):
        score_histogram(None, label, da.from_array(score, chunks=4))


def test_labels_without_a_positive_one_are_named(frame):
    data = dd.from_pandas(frame.assign(label="yes"), npartitions=2)
    with pytest.raises(ValueError, match=r"^data.partitions\[[01]\].*pos_label is not specified"):
        score_histogram(data, "label", "score")


def test_arguments_that_do_not_do(frame):
    data = dd.from_pandas(frame, npartitions=4)
    label = data["label"]
    array = da.from_array(frame.label.to_numpy(), chunks=10_000)
    other = dd.from_pandas(frame.set_index(frame.index * 2), npartitions=4)
    known = "'label', 'score', 'weight', 'other'"
    for arguments, error, said in (
        ([data, "label", "scores"], ValueError, f"y_score is 'scores'; .* a column: {known}"),
        ([data, "label"], ValueError, "y_score is of type NoneType; expected the name of a column"),
        ([data, label, "score"], ValueError, "y_true is of type Series; expected the name of a c"),
        ([frame, "label", "score"], TypeError, "data is of type DataFrame; expected a dask DataFr"),
        ([array, array], TypeError, "data is of type Array; expected a dask DataFrame"),
        ([None, array, frame.score.to_numpy()], TypeError, "y_score is of type ndarray; expected"),
        ([], TypeError, "y_true is of type NoneType; expected a dask array"),
        ([None, da.zeros(4), da.zeros(3)], ValueError, r".* numbers of samples: \[4, 3\]"),
        (
            [None, da.zeros(4), da.zeros((4, 2))],
            ValueError,
            "y_score has 2 dimensions; exp",
        ),
        (
            [None, label, data.repartition(npartitions=3)["score"]],
            ValueError,
            "y_score has 3 partitions and y_true 4; expected Series",
        ),
        ([None, label, other["score"]], ValueError, "y_score has other divisions than y_true"),
    ):
        for function in (score_histogram, roc_auc_score):
            with pytest.raises(error, match=f"^{said}"):
                function(*arguments)


def test_options_are_checked_before_any_row_is_read(frame):
    def load(number):
        pytest.fail("a partition has been read")

    data = dd.from_map(load, [0, 1], meta=frame.iloc[:0])
    with pytest.raises(ValueError, match="The 'tol' parameter of refine_roc_auc must be"):
        refine_roc_auc(data, "label", "score", tol=-1)
    with pytest.raises(ValueError, match="The 'pos_label' parameter of score_histogram must be"):
        score_histogram(data, "label", "score", pos_label=[1])
    with pytest.raises(ValueError, match="The 'bins' parameter of ScoreHistogram must be"):
        refine_roc_auc(data, "label", "score", bins=0, range=(0, 1))


@pytest.mark.check("changed inputs")
def test_rows_that_change_between_passes(frame):
    rng = np.random.default_rng(3)
    noisy = split(frame, [0, 10_000, N]).map_partitions(
        lambda rows: rows.assign(score=rng.random(len(rows))), meta=frame.iloc[:0]
    )
    with pytest.raises(ValueError, match="expected the same data"):
        refine_roc_auc(noisy, "label", "score", bins=10, range=(0, 1))


def test_without_dask(monkeypatch, frame):
    monkeypatch.setitem(sys.modules, "dask", None)
    with pytest.raises(
        ImportError, match=r"needs dask; install it with pip install 'fastauc\[dask"
    ):
        score_histogram(None, frame.label, frame.score)


# Documents ----------------------------------------------------------------------------------------


def test_examples():
    outcome = doctest.testmod(fastauc_dask)
    assert outcome.attempted > 5
    assert outcome.failed == 0
