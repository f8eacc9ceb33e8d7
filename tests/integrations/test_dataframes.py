"""Columns where they are: groups of pandas and polars, batches of Arrow, queries of DuckDB."""

import math
import tracemalloc

import numpy as np
import pytest

import fastauc
from fastauc import concordance
from fastauc.streaming import RocAucAccumulator, ScoreHistogram, auc_from_counts

N_ROWS = 100_000


@pytest.fixture(scope="module")
def columns():
    """Return labels, scores of three digits, and groups, one of which has no positive."""
    rng = np.random.default_rng(12)
    groups = rng.integers(0, 8, N_ROWS)
    labels = rng.integers(0, 2, N_ROWS) * (groups != 5)
    return {"y": labels, "s": (rng.normal(size=N_ROWS) + labels).round(3), "g": groups}


@pytest.fixture(scope="module")
def expected(columns):
    """Return the area of each group, None where it has none."""
    areas = {}
    for group in range(8):
        rows = columns["g"] == group
        pairs = concordance(columns["y"][rows], columns["s"][rows])
        areas[group] = None if group == 5 else pairs.auc
    return areas


def area_or_none(y_true, y_score):
    """Return the area, or None where it is undefined."""
    if len(y_true) == 0:
        return None
    pairs = concordance(y_true, y_score)
    return pairs.auc if pairs.n_pos and pairs.n_neg else None


# pandas -------------------------------------------------------------------------------------------


def test_groups_of_pandas(columns, expected):
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(columns)
    areas = frame.groupby("g")[["y", "s"]].apply(lambda part: area_or_none(part["y"], part["s"]))
    assert math.isnan(areas[5])
    assert areas.drop(5).to_dict() == {g: a for g, a in expected.items() if g != 5}
    frame = pytest.importorskip("pyarrow").table(columns).to_pandas(types_mapper=pd.ArrowDtype)
    areas = {g: area_or_none(part["y"], part["s"]) for g, part in frame.groupby("g")}
    assert areas == expected


# polars -------------------------------------------------------------------------------------------


@pytest.fixture
def pl():
    return pytest.importorskip("polars", minversion="2.0")


def test_an_expression_of_polars(columns, pl):
    def area(rows):
        return area_or_none(rows.struct["y"], rows.struct["s"])

    expression = pl.struct("y", "s").map_batches(area, return_dtype=pl.Float64, returns_scalar=True)
    frame = pl.DataFrame(columns)
    expected = fastauc.roc_auc_score(columns["y"], columns["s"])
    assert frame.select(expression).item() == expected
    assert frame.lazy().select(expression).collect().item() == expected
    for undefined in (frame.filter(pl.col("g") == 5), frame.clear()):
        assert undefined.select(expression).item() is None


def test_groups_of_polars(columns, expected, pl):
    expression = pl.map_groups(
        ["y", "s"],
        lambda rows: area_or_none(*rows),
        return_dtype=pl.Float64,
        returns_scalar=True,
    )
    frame = pl.DataFrame(columns)
    for areas in (
        frame.group_by("g").agg(area=expression),
        frame.lazy().group_by("g").agg(area=expression).collect(),
    ):
        assert areas.schema["area"] == pl.Float64
        assert areas["area"].null_count() == 1
        assert dict(areas.iter_rows()) == expected


# Arrow --------------------------------------------------------------------------------------------


def count_batches(batches, columns):
    """Count batches one after another, and hold what they give against all rows."""
    histogram, accumulator = ScoreHistogram(bins=1000, range=(-4, 4)), RocAucAccumulator()
    n_batches = 0
    for batch in batches:
        histogram.update(batch["y"], batch["s"])
        accumulator.update(batch["y"], batch["s"])
        n_batches += 1
    assert n_batches > 3
    expected = concordance(columns["y"], columns["s"])
    assert accumulator.concordance() == expected
    interval = histogram.roc_auc()
    assert interval.lower <= expected.auc <= interval.upper
    whole = ScoreHistogram(bins=1000, range=(-4, 4)).update(columns["y"], columns["s"])
    assert histogram == whole


def test_batches_of_arrow(columns):
    table = pytest.importorskip("pyarrow").table(columns)
    count_batches(table.to_batches(max_chunksize=3000), columns)
    assert concordance(table["y"], table["s"]) == concordance(columns["y"], columns["s"])


# DuckDB -------------------------------------------------------------------------------------------


@pytest.fixture
def relation(columns):
    """Return a table of DuckDB with the columns."""
    duckdb = pytest.importorskip("duckdb")
    pa = pytest.importorskip("pyarrow")
    connection = duckdb.connect()
    connection.register("arrived", pa.table(columns))
    connection.execute("CREATE TABLE scored AS SELECT * FROM arrived")
    yield connection
    connection.close()


def test_batches_of_duckdb(columns, relation):
    count_batches(relation.sql("SELECT y, s FROM scored").to_arrow_reader(10_000), columns)


def test_scores_grouped_by_duckdb(columns, expected, relation):
    query = """
        SELECT s, count(*) FILTER (y = 0) AS neg, count(*) FILTER (y = 1) AS pos
        FROM scored {} GROUP BY s ORDER BY s
    """
    counts = relation.sql(query.format("")).to_arrow_table()
    area = auc_from_counts(counts["pos"], counts["neg"])
    assert area == fastauc.roc_auc_score(columns["y"], columns["s"])
    counts = relation.sql(query.format("WHERE g = 3")).to_arrow_table()
    assert auc_from_counts(counts["pos"], counts["neg"]) == expected[3]


# Copies -------------------------------------------------------------------------------------------


def columns_of(library, columns):
    """Return labels and scores as columns of a library."""
    module = pytest.importorskip(library)
    if library == "torch":
        return module.from_numpy(columns["y"]), module.from_numpy(columns["s"])
    make = module.record_batch if library == "pyarrow" else module.DataFrame
    frame = make(columns)
    return frame["y"], frame["s"]


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow", "torch"])
def test_columns_are_counted_without_a_copy(library, columns):
    labels, scores = columns_of(library, columns)
    expected = concordance(columns["y"], columns["s"])
    assert concordance(labels, scores) == expected
    tracemalloc.start()
    found = concordance(labels, scores)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert found == expected
    # The codes of the labels and the cells: less than a copy of the scores would take up alone.
    assert peak < 8 * N_ROWS, f"{peak / N_ROWS:.1f} bytes a row"
