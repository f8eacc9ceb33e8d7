"""The same files in memory, in passes, on Dask and on Spark: the same integers and bytes."""

import itertools
from fractions import Fraction
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import fastauc
import fastauc.dask
import fastauc.spark
from fastauc import Concordance
from fastauc.files import score
from fastauc.files._saved import load_states
from fastauc.streaming import ScoreHistogram
from support.clusters import HAS_JAVA, dask_client, spark_session

pytestmark = pytest.mark.slow

N = 200_000
# Rows of six files: the third has none, and the last one positives alone.
CUTS = [0, 10_000, 75_000, 75_000, 76_001, 180_000, N]
LEAST_MEMORY = 1  # the rows that are kept in memory are then as few as can be:
MAX_ROWS = 2**16


class InMemory(NamedTuple):
    """What arrays give: the pairs, the histogram of all rows, and the area in passes over them."""

    pairs: Concordance
    state: bytes
    area: fastauc.streaming.RefinedAuc


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(11)
    y = rng.random(N) < 0.3
    y[CUTS[-2] :] = True
    continuous = rng.normal(y)
    return {"y": y, "continuous": continuous, "tied": np.round(continuous, 2)}


@pytest.fixture(scope="module")
def folder(rows, tmp_path_factory):
    folder = tmp_path_factory.mktemp("parts")
    for number, part in enumerate(itertools.starmap(slice, itertools.pairwise(CUTS))):
        table = pa.table({name: column[part] for name, column in rows.items()})
        pq.write_table(table, folder / f"{number}.parquet", row_group_size=30_000)
    return folder


@pytest.fixture(scope="module", params=["continuous", "tied"])
def name(request):
    return request.param


@pytest.fixture(scope="module")
def expected(rows, name):
    columns = rows["y"], rows[name]
    histogram = ScoreHistogram().update(*columns)
    area = fastauc.streaming.refine_roc_auc(histogram, lambda: [columns], max_rows=MAX_ROWS)
    assert (len(area.passes) > 1) == (name == "continuous")
    return InMemory(fastauc.concordance(*columns), histogram.to_bytes(), area)


def pairs_of(column):
    """Return the integers of which a result in passes tells quotients, rounded once.

    Both denominators are below 2^36: to be rounded has moved the numerators by less than 2^-17.
    """
    n_pos, n_neg = column.positives, column.n - column.positives
    twice = round(2 * n_pos * n_neg * Fraction(column.roc_auc.estimate))
    tied = round(n_pos * n_neg * Fraction(column.tie_share))
    return Concordance((twice - tied) // 2, tied, n_pos, n_neg)


def assert_same(area, histogram, expected):
    assert area.concordance == expected.pairs
    assert area == expected.area
    assert histogram.to_bytes() == expected.state


def test_passes_over_the_files(folder, name, expected, tmp_path):
    path = tmp_path / "state"
    options = {"label": "y", "score": name, "memory_limit": LEAST_MEMORY, "state": path}
    (column,) = score([folder], **options)
    assert pairs_of(column) == expected.pairs
    assert column.roc_auc == expected.area[:4]
    assert column.passes == expected.area.passes
    (histogram,) = load_states(path).histograms
    assert histogram.to_bytes() == expected.state


@pytest.fixture(scope="module")
def dask_rows(folder, tmp_path_factory):
    for module in ("dask", "distributed", "pandas"):
        pytest.importorskip(module, reason=f"{module} is not installed")
    import dask.dataframe as dd

    with dask_client(tmp_path_factory.mktemp("workers")) as client, client.as_current():
        yield dd.read_parquet(folder)


def test_dask(dask_rows, name, expected):
    area = fastauc.dask.refine_roc_auc(dask_rows, "y", name)
    assert_same(area, fastauc.dask.score_histogram(dask_rows, "y", name), expected)


@pytest.fixture(scope="module")
def spark_rows(folder, tmp_path_factory):
    pytest.importorskip("pyspark", reason="pyspark is not installed (extra spark)")
    pytest.importorskip("pandas", reason="pandas is not installed")
    if not HAS_JAVA:
        pytest.skip("there is no Java")
    with spark_session(tmp_path_factory.mktemp("spark")) as session:
        yield session.read.parquet(str(folder))


# Of pyspark 4 with pandas 3, at each use of Arrow.
@pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas:FutureWarning")
def test_spark(spark_rows, name, expected):
    area = fastauc.spark.refine_roc_auc(spark_rows, "y", name)
    assert_same(area, fastauc.spark.score_histogram(spark_rows, "y", name), expected)
