"""Spark DataFrames: the bits of one process for any partition, with tasks that fail."""

import doctest
import os
import sys
from decimal import Decimal

import numpy as np
import pytest

import fastauc
from fastauc import UndefinedMetricWarning, spark as fastauc_spark
from fastauc.spark import refine_roc_auc, roc_auc_score, score_histogram
from fastauc.streaming import ScoreHistogram
from support.clusters import HAS_JAVA, draw_columns, in_one_process, spark_session
from support.reliability import NOT_SANITIZED

pyspark = pytest.importorskip("pyspark", reason="pyspark is not installed (extra spark)")
pd = pytest.importorskip("pandas", reason="pandas is not installed")
pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed")

N = 20_000

# Executors can import the package, but neither this file nor what lies beside it.
pyspark.cloudpickle.register_pickle_by_value(sys.modules[__name__])

pytestmark = [
    NOT_SANITIZED,  # nor does the JVM start under it
    pytest.mark.skipif(not HAS_JAVA, reason="there is no Java"),
    # Of pyspark 4 with pandas 3, at each DataFrame that is made of one, and each use of Arrow.
    pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas:FutureWarning"),
]


@pytest.fixture(scope="module")
def spark(tmp_path_factory):
    with spark_session(tmp_path_factory.mktemp("spark")) as session:
        yield session


@pytest.fixture(scope="module")
def frame():
    return pd.DataFrame(draw_columns(N))


@pytest.fixture(scope="module")
def data(spark, frame, tmp_path_factory):
    """The same rows in four files, as Spark reads them."""
    folder = tmp_path_factory.mktemp("scores")
    for number in range(4):
        frame[number * N // 4 : (number + 1) * N // 4].to_parquet(folder / f"{number}.parquet")
    return spark.read.parquet(str(folder))


# Partitions ---------------------------------------------------------------------------------------


@pytest.mark.check("partitions")
def test_any_partition_gives_the_same_bits(spark, data, frame):
    whole = ScoreHistogram(weighted=True).update(frame.label, frame.score, frame.weight)
    for n_partitions in (1, 7, 64):
        counted = score_histogram(data.repartition(n_partitions), "label", "score", "weight")
        assert counted == whole
        assert counted.to_bytes() == whole.to_bytes()
    for adaptive in ("true", "false"):
        spark.conf.set("spark.sql.adaptive.enabled", adaptive)
        # Equal keys are together: of 9 partitions, 7 have no rows, and two are of one class.
        rows = data.repartition(9, "label")
        assert score_histogram(rows, "label", "score", "weight") == whole
    spark.conf.unset("spark.sql.adaptive.enabled")


@pytest.mark.check("partitions")
@pytest.mark.parametrize("rows_of_task", [2**22, 2_000])
def test_second_reading(data, frame, monkeypatch, rows_of_task):
    monkeypatch.setattr("fastauc.streaming._partitions._ROWS_OF_TASK", rows_of_task)
    monkeypatch.setattr("fastauc.streaming._undecided._ROWS_OF_BUCKET", 1000)
    grid = {"bins": 50, "range": (0, 1)}
    columns = frame.label, frame.score, frame.weight
    for names in (["label", "score"], ["label", "score", "weight"]):
        chosen = columns[: len(names)]
        whole = ScoreHistogram(**grid, weighted=len(names) == 3).update(*chosen)
        expected = fastauc.streaming.refine_roc_auc(whole, lambda c=chosen: [c])
        area = refine_roc_auc(data, *names, **grid)
        assert area == expected
        assert area.exact
        assert [step.kind for step in area.passes] == ["histogram", "rows"]


def test_result_is_a_number(data, frame):
    exact = fastauc.roc_auc_score(frame.label, frame.score)
    assert roc_auc_score(data, "label", "score") == exact
    grid = {"bins": 100, "range": (0, 1)}
    area = refine_roc_auc(data, "label", "score", **grid, tol=0.1)
    assert len(area.passes) == 1
    assert area.lower < exact < area.upper < area.lower + 0.1


def test_no_rows_and_one_class(spark, data):
    empty = spark.createDataFrame([], "label int, score double")
    assert score_histogram(empty, "label", "score") == ScoreHistogram()
    with pytest.warns(UndefinedMetricWarning, match="No negative samples") as caught:
        assert np.isnan(roc_auc_score(data.filter("label = 1"), "label", "score"))
    assert any(warning.filename == __file__ for warning in caught)


# Tasks that fail ----------------------------------------------------------------------------------


def failing_once(data, folder, fail):
    """Return rows whose partitions each fail the first time they are computed."""

    def load(batches):
        from pyspark import TaskContext

        marker = folder / str(TaskContext.get().partitionId())
        if not marker.exists():
            marker.touch()
            fail()
        yield from batches

    return data.repartition(2).mapInArrow(load, data.schema)


def raise_error():
    raise OSError("the disk is away")


@pytest.mark.check("repeated tasks")
@pytest.mark.parametrize("fail", [raise_error, lambda: os._exit(9)], ids=["raise", "exit"])
def test_tasks_that_fail_are_run_again(data, frame, tmp_path, fail):
    rows = failing_once(data, tmp_path, fail)
    assert refine_roc_auc(rows, "label", "score") == in_one_process(frame)
    assert len(list(tmp_path.iterdir())) == 2


# Labels, scores, weights --------------------------------------------------------------------------


def test_labels(data, frame):
    expected = ScoreHistogram().update(frame.label, frame.score)
    for label, pos_label in (
        ("cast(label as boolean)", None),
        ("cast(2 * label - 1 as tinyint)", None),
        ("cast(label as decimal(3, 1))", None),
        ("if(label = 1, 'yes', 'no')", "yes"),
        ("5 * label + 3", 8),
    ):
        rows = data.selectExpr(f"{label} as `a.b``c`", "score")
        assert score_histogram(rows, "a.b`c", "score", pos_label=pos_label) == expected


def test_scores(data, frame):
    for kind in ("float", "decimal(15, 9)", "decimal(22, 4)"):
        rows = data.selectExpr("label", f"cast(1000 * score as {kind}) as score")
        label, score = (column.to_pylist() for column in rows.toArrow().columns)
        assert isinstance(score[0], Decimal) == kind.startswith("decimal")
        # Of up to 15 digits, the nearest doubles are as different as the decimals.
        score = [float(value) for value in score] if kind == "decimal(15, 9)" else score
        expected = ScoreHistogram().update(label, score)
        assert score_histogram(rows, "label", "score") == expected


# Errors -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("column", "value", "said"),
    [
        ("score", "double('nan')", r"Input contains NaN. y_score\[\d+\] is nan; expected finite"),
        ("score", "null", r"y_score\[\d+\] is null; expected a value in every row"),
        ("label", "null", r"y_true\[\d+\] is null; expected a value in every row"),
        ("label", "2", r"multiclass format is not supported.* y_true\[\d+\] is 2"),
        ("weight", "-1", r"Negative values.* sample_weight\[\d+\] is -1.0"),
    ],
)
def test_wrong_values_are_named(data, frame, column, value, said):
    wrong = f"if(score = {float(frame.score.min())!r}D, {value}, {column})"
    rows = data.withColumn("wrong", pyspark.sql.functions.expr(wrong)).drop(column)
    rows = rows.withColumnRenamed("wrong", column).repartition(3)
    place = r"^partition [012], its rows from \d+ on, y_true='label', y_score='score', "
    with pytest.raises(ValueError, match=place + "sample_weight='weight': " + said):
        roc_auc_score(rows, "label", "score", "weight")


def test_the_first_wrong_partition_is_named(spark):
    rows = spark.range(0, 120, 1, 12).selectExpr(
        "id % 2 as label", "if(id < 25, 0.5, double('nan')) as score"
    )
    with pytest.raises(ValueError, match=r"^partition 2, its rows from 0 on.* y_score\[5\] is nan"):
        score_histogram(rows, "label", "score")


def test_types_of_columns(spark, data):
    rows = data.selectExpr("label", "score", "'0.5' as text", "array(score) as scores")
    said = r"^y_score='text' is of type string; expected numbers\.$"
    with pytest.raises(ValueError, match=said):
        roc_auc_score(rows, "label", "text")
    said = r"^y_true='scores' is of type array<double>; expected numbers, booleans or text\.$"
    with pytest.raises(ValueError, match=said):
        roc_auc_score(rows, "scores", "score")
    from pyspark.ml.linalg import Vectors

    rows = spark.createDataFrame([(0, Vectors.dense([0.5, 0.5]))], ["label", "probability"])
    said = r"^y_score='probability' is of type .*vector_to_array\(…\)\[1\] is one of a vector\.$"
    with pytest.raises(ValueError, match=said):
        roc_auc_score(rows, "label", "probability")


def test_arguments(data, frame):
    said = r"^y_score is 'scores'; expected the name of a column: 'label', 'score', 'weight', 'ot"
    with pytest.raises(ValueError, match=said):
        score_histogram(data, "label", "scores")
    with pytest.raises(ValueError, match=r"^y_true is of type Column; expected the name"):
        score_histogram(data, data.label, "score")
    with pytest.raises(TypeError, match=r"^data is of type DataFrame; expected a pyspark\.sql\.Da"):
        score_histogram(frame, "label", "score")
    with pytest.raises(ValueError, match="The 'tol' parameter of refine_roc_auc must be"):
        refine_roc_auc(data, "label", "score", tol=-1)
    with pytest.raises(ValueError, match="The 'pos_label' parameter of score_histogram must be"):
        score_histogram(data, "label", "score", pos_label=[1])


@pytest.mark.check("changed inputs")
def test_rows_that_change_between_passes(data, tmp_path):
    def load(batches):
        marker = tmp_path / str(os.urandom(8).hex())
        marker.touch()
        rng = np.random.default_rng(len(list(tmp_path.iterdir())))
        for batch in batches:
            yield pa.RecordBatch.from_arrays(
                [batch.column("label"), pa.array(rng.random(len(batch)))], ["label", "score"]
            )

    noisy = data.mapInArrow(load, "label long, score double")
    with pytest.raises(ValueError, match="expected the same data"):
        refine_roc_auc(noisy, "label", "score", bins=10, range=(0, 1))


def test_without_pyspark(monkeypatch, frame):
    for name in ("pyspark", "pyspark.sql"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(ImportError, match=r"needs pyspark; install it with pip install 'fastauc\["):
        score_histogram(frame, "label", "score")


# Documents ----------------------------------------------------------------------------------------


def test_examples(spark):
    outcome = doctest.testmod(fastauc_spark, extraglobs={"spark": spark})
    assert outcome.attempted > 5
    assert outcome.failed == 0
