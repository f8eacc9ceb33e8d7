"""Many columns of scores against the same labels, and every two of many classes."""

import math

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given
from hypothesis.extra import numpy as hnp

import fastauc
import naive
from fastauc import groups
from fastauc._counts import multiclass
from fastauc._validation.threads import SERIAL, Workers
from support.flushing import flush_to_zero, on_glibc
from support.public import PUBLIC

quiet = pytest.mark.filterwarnings("ignore::fastauc.UndefinedMetricWarning")
MATRICES = hnp.arrays(
    np.int64, st.tuples(st.integers(1, 25), st.integers(1, 4)), elements=st.integers(-3, 3)
)


def check(y_true, matrix, **options):
    """Compare both functions with their definitions."""
    for name, places in (("roc_auc_by_column", [1]), ("feature_quality", [1, 2])):
        ours = PUBLIC[name](y_true, matrix, **options)
        theirs = getattr(naive, name)(y_true, matrix, **options)
        assert len(ours.column) == len(theirs)
        for i, row in enumerate(theirs):
            assert (ours.n_pos[i], ours.n_neg[i]) == row[-2:]
            for place in places:
                if options.get("sample_weight") is None:
                    np.testing.assert_equal(ours[place][i], float(row[place]))
                elif place == 2 and abs(row[1]) < 1e-12:
                    continue  # which side of one half the quanta are on
                else:
                    # The area is within 4 ulp, twice that at most after subtraction.
                    expected = pytest.approx(float(row[place]), abs=1e-15, nan_ok=True)
                    assert ours[place][i] == expected


# Definitions --------------------------------------------------------------------------------------


@quiet
@given(MATRICES, st.lists(st.integers(0, 1), min_size=25, max_size=25))
def test_areas_and_qualities_are_those_of_the_definition(matrix, labels):
    check(labels[: len(matrix)], matrix)
    check(labels[: len(matrix)], matrix.tolist())


@quiet
@given(
    hnp.arrays(np.float64, (12, 3), elements=st.sampled_from([-1.0, 0.5, 2.0, math.nan])),
    st.lists(st.integers(0, 1), min_size=12, max_size=12),
    st.booleans(),
)
def test_rows_without_a_score_are_left_out_of_their_column(matrix, labels, weighted):
    weight = [1.0, 2.0, 0.0, 3.0] * 3 if weighted else None
    check(labels, matrix, nan_policy="omit", sample_weight=weight)


def test_columns_that_cannot_miss_a_score_are_whole():
    rng = np.random.default_rng(3)
    for dtype in ("i4", "?"):
        labels, matrix = rng.integers(0, 2, 12), rng.integers(0, 2, (12, 3)).astype(dtype)
        check(labels, matrix, nan_policy="omit")


# Matrices -----------------------------------------------------------------------------------------

DTYPES = ["f2", "f4", "f8", ">f8", "g", "i1", "u2", "i4", "i8", "u8", "?"]


@pytest.mark.parametrize("layout", ["C", "F", "strided", "reversed", "unaligned"])
def test_every_layout_and_dtype(layout):
    rng = np.random.default_rng(2)
    y_true = rng.integers(0, 2, 300)
    for number, dtype in enumerate(DTYPES):
        matrix = rng.integers(0, 5, (300, 37)).astype(dtype)
        expected = [fastauc.roc_auc_score(y_true, matrix[:, i]) for i in range(37)]
        if layout == "F":
            matrix = np.asfortranarray(matrix)
        elif layout == "strided":
            matrix = np.repeat(np.repeat(matrix, 2, axis=0), 3, axis=1)[::2, ::3]
        elif layout == "reversed":
            matrix = matrix[::-1, ::-1].copy()[::-1, ::-1]
        elif layout == "unaligned":
            room = np.empty(matrix.nbytes + 1, np.uint8)
            room[1:] = np.frombuffer(matrix.tobytes(), np.uint8)
            matrix = room[1:].view(dtype).reshape(300, 37)
        matrix.flags.writeable = False
        areas = groups.roc_auc_by_column(y_true, matrix, n_jobs=[None, 2, 3][number % 3])
        assert areas.auc.tolist() == expected


@pytest.mark.parametrize(("n_rows", "n_columns"), [(100, 50_000), (2**22 + 1, 2)])
def test_large_matrices_are_read_in_smaller_blocks(n_rows, n_columns):
    # A block is 32 MiB, or a column if that is more.
    rng = np.random.default_rng(3)
    y_true, matrix = rng.integers(0, 2, n_rows), rng.random((n_rows, n_columns), np.float32)
    matrix = matrix.astype(np.float64)
    found = groups.roc_auc_by_column(y_true, matrix).auc
    for column in range(0, n_columns, max(1, n_columns // 300)):
        assert found[column] == fastauc.roc_auc_score(y_true, matrix[:, column])


def test_a_column_alone_or_among_others_has_the_same_bits():
    rng = np.random.default_rng(4)
    y_true, matrix, weight = rng.integers(0, 2, 5000), rng.random((5000, 3)), rng.random(5000)
    areas = groups.roc_auc_by_column(y_true, matrix, sample_weight=weight)
    for column, area in zip(matrix.T, areas.auc, strict=True):
        assert area == fastauc.roc_auc_score(y_true, column, sample_weight=weight)
        alone = groups.roc_auc_by_column(y_true, column, sample_weight=weight)
        assert alone.auc.tolist() == [area]


# Containers ---------------------------------------------------------------------------------------


def test_tables_keep_their_names():
    pd, pl, pa = (pytest.importorskip(name) for name in ("pandas", "polars", "pyarrow"))
    y_true = [0, 1, 0, 1, 1]
    columns = {
        "age": [3, 1, 4, 1, 5],
        "score": [0.1, 0.2, 0.1, 0.4, 0.1],
        "flag": [True, False] * 2 + [True],
    }
    expected = [fastauc.roc_auc_score(y_true, column) for column in columns.values()]
    arrays = {name: np.array(column) for name, column in columns.items()}
    for table in (columns, arrays, pd.DataFrame(columns), pl.DataFrame(columns), pa.table(columns)):
        found = groups.roc_auc_by_column(y_true, table)
        assert found.auc.tolist() == expected
        qualities = groups.feature_quality(y_true, table)
        assert found.column.tolist() == qualities.column.tolist() == [*columns]
    for vectors in (list(arrays.values()), tuple(map(pd.Series, columns.values()))):
        found = groups.roc_auc_by_column(y_true, vectors)
        assert found.column.tolist() == [0, 1, 2]
        assert found.auc.tolist() == expected
    twice = pd.concat([pd.DataFrame(columns)] * 2, axis=1)
    assert groups.roc_auc_by_column(y_true, twice).auc.tolist() == expected * 2


def test_missing_values_of_tables():
    pd, pl = pytest.importorskip("pandas"), pytest.importorskip("polars")
    y_true = [0, 1, 0, 1]
    expected = groups.roc_auc_by_column(y_true, [[1.0], [math.nan], [2], [2]], nan_policy="omit")
    assert (expected.auc.tolist(), expected.n_pos.tolist()) == ([0.75], [1])
    for table in (
        pd.DataFrame({"a": pd.array([1, None, 2, 2], dtype="Int64")}),
        pd.DataFrame({"a": [1.0, None, 2, 2]}),
        pl.DataFrame({"a": [1, None, 2, 2]}),
        {"a": np.array([1, None, 2, 2], object)},
    ):
        found = groups.roc_auc_by_column(y_true, table, nan_policy="omit")
        assert found.auc.tolist() == [0.75]
        with pytest.raises(ValueError, match=r"contains NaN. y_score\['a'\]\[1\] is"):
            groups.roc_auc_by_column(y_true, table)


# Undefined and refused ----------------------------------------------------------------------------


def test_columns_of_one_class_are_said_once():
    matrix = [[1.0, math.nan, 1], [2.0, 3, 2], [3.0, math.nan, 3]]
    with pytest.warns(fastauc.UndefinedMetricWarning, match="1 of 3 columns") as caught:
        found = groups.roc_auc_by_column([0, 1, 0], matrix, nan_policy="omit")
    assert len(caught) == 1
    assert np.isnan(found.auc).tolist() == [False, True, False]
    with pytest.warns(fastauc.UndefinedMetricWarning, match="3 of 3 columns"):
        found = groups.feature_quality([1, 1, 1], matrix, nan_policy="omit")
    assert np.isnan(found.quality).all()
    assert found.direction.tolist() == [0, 0, 0]
    with pytest.warns(fastauc.UndefinedMetricWarning):
        found = groups.roc_auc_by_column([0, 1], [[math.nan], [math.nan]], nan_policy="omit")
    assert (found.n_pos.tolist(), found.n_neg.tolist()) == ([0], [0])


GOOD, OMIT = np.arange(8.0).reshape(4, 2), {"nan_policy": "omit"}
REFUSED = [
    (np.where(GOOD == 5, math.nan, GOOD), {}, r"contains NaN. y_score\[:, 1\]\[2\] is nan"),
    (np.where(GOOD == 4, math.inf, GOOD), OMIT, r"contains infinity .*y_score\[:, 0\]\[2\] is inf"),
    (GOOD[:3], {}, r"samples: \[4, 3\]. y_true has 4, y_score\[:, 0\] has 3"),
    ({"a": [1, 2, 3, 4], "b": [1]}, {}, r"y_score\['b'\] has 1; expected"),
    (np.zeros((4, 2, 2)), {}, "must be a matrix, a DataFrame"),
    (np.array([["a"], ["b"], ["c"], ["d"]]), {}, r"y_score\[:, 0\] has dtype <U1"),
    (GOOD, {"sample_weight": [1, 2, 3]}, "y_true has 4, .*sample_weight has 3"),
]


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_refused(n_jobs):
    for scores, options, message in REFUSED:
        with pytest.raises(ValueError, match=message):
            groups.roc_auc_by_column([0, 1, 0, 1], scores, **{"n_jobs": n_jobs} | options)


def test_the_first_column_that_is_wrong_is_named_by_any_number_of_threads():
    matrix = np.arange(400.0).reshape(4, 100)
    matrix[2, 40:] = math.nan
    for n_jobs in (1, 2, 3, 7):
        with pytest.raises(ValueError, match=r"y_score\[:, 40\]\[2\] is nan"):
            groups.roc_auc_by_column([0, 1, 0, 1], matrix, n_jobs=n_jobs)


# Every two classes --------------------------------------------------------------------------------


@on_glibc
def test_subnormal_scores_of_classes():
    rng = np.random.default_rng(7)
    codes = rng.integers(0, 3, 200)
    keys = rng.integers(-5, 5, (200, 3)) * 5e-324
    expected = multiclass.count_class_pairs(codes, keys * 1.0, np.arange(3), SERIAL)
    with Workers(2) as workers:
        rows = codes, keys, np.arange(3), workers
        twice, _ = flush_to_zero(0x8040, multiclass.count_class_pairs, *rows)
    np.testing.assert_array_equal(twice, expected)
