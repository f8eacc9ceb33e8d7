"""The second reading: exact to the last integer, for any grid, limit, partition and spill."""

import contextlib
import errno
import math
import os
import shutil
import tempfile
from unittest import mock

import numpy as np
import pytest
from hypothesis import given, strategies as st

import fastauc
import naive
from fastauc import concordance
from fastauc.streaming import (
    ScoreHistogram,
    _bucket_pairs as bucket_pairs,
    _bucket_rows as bucket_rows,
    refine_roc_auc,
)
from support.distributions import DISTRIBUTIONS
from support.intervals import bins_of_rows, scores
from support.laws import law
from support.reliability import tried
from support.weighted_pairs import exact_area

GRIDS = [
    {},
    {"bins": 2, "range": (0, 1)},
    {"bins": 5, "range": (-1e300, 1e300)},
    {"edges": [-3.0, 0.0, 5e-324, 0.1, 1.0]},
    {"edges": [5.0]},
]
samples = st.lists(st.tuples(st.booleans(), scores), min_size=1, max_size=40)
grids = st.sampled_from(GRIDS)
limits = st.sampled_from([1, 2, 3, 5, 10, 1000])
EDGES = st.sampled_from([1, 3, 64])
"""How many keys of a bucket are drawn as edges of its parts."""


def divide(rows, n):
    """Return the columns of every n-th row, for each place to start from."""
    return [tuple(np.asarray(column[k::n]) for column in rows) for k in range(n)]


def columns_of(sample):
    """Return the labels and the scores of pairs."""
    labels, values = zip(*sample, strict=True)
    return np.array(labels, np.uint8), np.array(values, np.float64)


def histogram_of(rows, grid=GRIDS[0]):
    """Return a histogram of columns, weighted if there are three."""
    return ScoreHistogram(weighted=len(rows) == 3, **grid).update(*rows)


def refined(rows, grid=GRIDS[0], n_parts=1, n_edges=64, **options):
    """Refine a histogram of rows, which come in parts."""
    histogram = histogram_of(rows, grid)
    with mock.patch.object(bucket_pairs, "_EDGES", n_edges):
        return refine_roc_auc(histogram, lambda: divide(rows, n_parts), **options)


# Exactness ----------------------------------------------------------------------------------------


@pytest.mark.check("exact mode")
@pytest.mark.check("partitions")
@law
@given(samples, grids, limits, st.integers(1, 3), st.integers(1, 3), EDGES)
@pytest.mark.filterwarnings("ignore::fastauc.UndefinedMetricWarning")
def test_pairs_are_those_of_concordance(sample, grid, max_rows, n, n_jobs, n_edges):
    tried()
    rows = columns_of(sample)
    found = refined(rows, grid, n, n_edges, max_rows=max_rows, n_jobs=n_jobs)
    assert len(found.passes) <= 2
    if len(set(rows[0].tolist())) < 2:
        assert math.isnan(found.estimate)
        assert found.concordance is None
        return
    assert found.exact
    assert found.concordance == concordance(*rows)
    assert found.estimate == found.lower == found.upper == found.concordance.auc
    assert found.concordance.fraction == naive.refine_roc_auc(None, lambda: [rows])


@pytest.mark.check("histogram bounds")
@law
@given(samples, grids, limits, st.sampled_from([1e-12, 1e-3, 0.02, 0.2, 1.0]))
def test_interval_is_as_wide_as_allowed(sample, grid, max_rows, tol):
    tried()
    rows = columns_of([(False, 0.0), (True, 0.3), *sample])
    # Where an interval is exact, it is rounded to the nearest, as the value here.
    exact = float(naive.refine_roc_auc(None, lambda: [rows]))
    found = refined(rows, grid, tol=tol, max_rows=max_rows)
    assert found.upper - found.lower <= tol
    assert found.lower <= exact <= found.upper
    before = (0.0, 1.0)
    for record in found.passes:
        assert before[0] <= record.lower <= exact <= record.upper <= before[1]
        before = record.lower, record.upper
    assert len(found.passes) <= 2


@pytest.mark.check("histogram bounds")
def test_interval_is_as_wide_as_allowed_to_the_last_bit():
    # Bounds that are as near as that already: nothing is read again.
    rows = [0, 1, 0, 1], [0.2, 0.7, 3.5, 9.5]
    found = refine_roc_auc(ScoreHistogram(10, range=(0, 10)).update(*rows), list, tol=0.25)
    assert (found.upper - found.lower, len(found.passes)) == (0.25, 1)
    # One of three bins left would make them 1/12 apart, and a bit more as they are rounded.
    rows = [0, 1, 0, 1, 0, 1, 1], [0.2, 0.7, 1.2, 1.7, 2.2, 2.7, 9.5]
    histogram = ScoreHistogram(10, range=(0, 10)).update(*rows)
    found = refine_roc_auc(histogram, lambda: [rows], tol=1 / 12)
    assert found.upper - found.lower <= 1 / 12


@pytest.mark.check("exact mode")
@pytest.mark.check("partitions")
@law
@given(samples, st.lists(st.integers(0, 1000), min_size=42, max_size=42), grids, limits, EDGES)
def test_weights_are_added_exactly(sample, weights, grid, max_rows, n_edges):
    tried()
    labels, values = columns_of([(False, 0.0), (True, 0.3), *sample])
    # Of a wide range, and multiples of 2^-128.
    weight = np.array([(k % 10) * 2.0 ** (k - 60.0 - k % 10) for k in weights[: len(labels)]])
    weight = np.minimum(weight, 2.0**50)
    weight[:2] = 1.0
    rows = labels, values, weight
    found = refined(rows, grid, 2, n_edges, max_rows=max_rows)
    assert found.exact
    assert found.estimate == float(naive.refine_roc_auc(None, lambda: [rows]))
    assert found.concordance is None


def test_weights_that_are_rounded_leave_true_bounds():
    rng = np.random.default_rng(4)
    labels, values = rng.integers(0, 2, 60), rng.integers(0, 20, 60) / 64 + 1000
    weight = np.where(rng.random(60) < 0.5, 2.0**-76, 2.0**-110) * rng.random(60)
    rows = labels, values, weight
    exact = naive.refine_roc_auc(None, lambda: [rows])
    found = refined(rows, GRIDS[1])
    assert not found.exact
    assert len(found.passes) == 2
    assert found.lower <= exact <= found.upper
    assert found.upper - found.lower < 2.0**-40  # 60 halves of 2^-128 by weights of 2^-76


N = 6_000


@pytest.mark.check("exact mode")
@pytest.mark.parametrize("max_rows", [4_000, 10**6, pytest.param(500, marks=pytest.mark.ci)])
@pytest.mark.parametrize("shape", DISTRIBUTIONS)
def test_any_distribution_in_two_readings(shape, max_rows):
    rng = np.random.default_rng(5)
    rows = (rng.random(N) < 0.3).astype(np.uint8), DISTRIBUTIONS[shape](rng, N).astype(float)
    expected = concordance(*rows)
    for grid in GRIDS[:2]:
        tried()
        found = refined(rows, grid, 3, max_rows=max_rows, n_jobs=2)
        assert found.concordance == expected
        assert len(found.passes) <= 2


@pytest.mark.check("exact mode")
@pytest.mark.parametrize("max_rows", [10, 10**6])
@pytest.mark.parametrize("dtype", [np.float32, np.float16, np.int32, np.int64, np.bool_])
def test_dtypes(dtype, max_rows):
    rng = np.random.default_rng(6)
    rows = rng.integers(0, 2, 400), (10 * rng.standard_normal(400)).astype(dtype)
    assert refined(rows, GRIDS[1], 2, max_rows=max_rows).concordance == concordance(*rows)


def test_labels_and_threads():
    rng = np.random.default_rng(7)
    labels, values = rng.choice(["good", "bad", "worse"], 300), rng.random(300)
    parts = divide((labels, values), 3)
    for max_rows in (10, 1000):
        options = {"max_rows": max_rows, "pos_label": "good", "n_jobs": 2}
        found = refine_roc_auc(None, lambda: parts, **options)
        assert found.concordance == concordance(labels == "good", values)


@pytest.mark.parametrize("n_values", [1, 2, 50])
@pytest.mark.parametrize("max_rows", [1, 100])
def test_frequent_scores_become_parts_of_their_own(n_values, max_rows):
    values = np.repeat(1 + np.arange(n_values) * 2.0**-52, 40)
    rows = np.arange(len(values)) % 2, values
    steps = mock.patch.object(bucket_pairs, "tally_bucket", wraps=bucket_pairs.tally_bucket)
    with steps as tally:
        found = refined(rows, GRIDS[4], n_edges=3, max_rows=max_rows)
    assert found.concordance == concordance(*rows)
    assert len(found.passes) <= 2
    # Not by halves of the keys again and again.
    assert tally.call_count < 4 * n_values + 8


@pytest.mark.parametrize("n_edges", [1, 64])
def test_two_neighbors_where_a_bin_begins(n_edges):
    # The first part of the bucket is the lowest key alone.
    rows = np.arange(64) % 2, np.repeat([1.0, 1 + 2.0**-52], 32)
    found = refined(rows, {"edges": [1.0]}, n_edges=n_edges, max_rows=8)
    assert found.concordance == concordance(*rows)


# Which rows ---------------------------------------------------------------------------------------


def test_no_reading_for_exact_histograms():
    histogram = ScoreHistogram().update([0, 1, 1, 0], [0.25, 0.25, 0.5, 0.75])
    assert refine_roc_auc(histogram, list).concordance == (1, 1, 2, 2)
    assert not histogram.undecided([0.25, 0.5, 0.3]).any()


def test_one_class_and_no_rows():
    for part in ([], [([1, 1], [0.5, 0.25])]):
        with pytest.warns(fastauc.UndefinedMetricWarning) as warned:
            found = refine_roc_auc(None, lambda part=part: part)
        assert len(warned) == 2 - len(part)  # for each class without rows
        assert math.isnan(found.estimate)
        assert len(found.passes) == 1
    parts = [([], []), ([0], [0.5]), ([], []), ([1, 1], [0.5, 0.25]), ([0], [0.500001])]
    histogram = ScoreHistogram(bins=1, range=(0, 1))
    for part in parts:
        histogram.update(*part)
    assert refine_roc_auc(histogram, lambda: parts).concordance == (0, 1, 2, 2)


@law
@given(samples, grids)
@pytest.mark.filterwarnings("ignore::fastauc.UndefinedMetricWarning")
def test_undecided_rows(sample, grid):
    labels, values = columns_of(sample)
    histogram = histogram_of((labels, values), grid)
    expected = naive.undecided_rows(bins_of_rows(histogram, labels, values.tolist()))
    looked_at = histogram.undecided(values)
    chosen = zip(labels[looked_at] == 1, values[looked_at].tolist(), strict=True)
    assert sorted(chosen) == sorted(expected)
    # The others may be left out.
    found = refine_roc_auc(histogram, lambda: [(labels[looked_at], values[looked_at])])
    assert found.concordance == refine_roc_auc(histogram, lambda: [(labels, values)]).concordance
    assert sum(record.rows for record in found.passes[1:]) == len(expected)


def test_fewer_rows_for_wider_intervals():
    rng = np.random.default_rng(10)
    rows = (rng.random(N) < 0.5).astype(int), rng.random(N)
    histogram = histogram_of(rows, {"bins": 100, "range": (0, 1)})
    sizes = []
    for tol in (0.0, 1e-4, 1e-3, 4e-3, 1.0):
        found = refine_roc_auc(histogram, lambda: [rows], tol=tol)
        assert found.upper - found.lower <= tol
        sizes.append(int(histogram.undecided(rows[1], tol=tol).sum()))
        assert sizes[-1] == sum(record.rows for record in found.passes[1:])
    assert sizes[0] == N
    assert sizes[-1] == 0
    assert sorted(sizes, reverse=True) == sizes
    assert len(set(sizes)) == len(sizes)


# Files and memory ---------------------------------------------------------------------------------

ROWS = np.random.default_rng(12).integers(0, 2, N), np.random.default_rng(13).random(N)
THOUSAND = {"bins": 1000, "range": (0, 1)}


def test_what_fits_is_not_written(monkeypatch):
    sizes, append = [], bucket_rows.SpillFile.append

    def watched(file, n_bytes, views):
        sizes.append(n_bytes)
        return append(file, n_bytes, views)

    monkeypatch.setattr(bucket_rows.SpillFile, "append", watched)
    assert refined(ROWS, GRIDS[1], 4, max_rows=10**6).exact
    assert sizes == []
    assert refined(ROWS, {"bins": 100, "range": (0, 1)}, 4, max_rows=N // 2).exact
    assert sum(sizes) == 8 * N


def test_no_file_is_left(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    found = refined(ROWS, GRIDS[1], 2, max_rows=1000)
    assert found.concordance == concordance(*ROWS)
    assert os.listdir(tmp_path) == []

    def broken():
        yield from divide(ROWS, 2)
        raise KeyboardInterrupt

    histogram = histogram_of(ROWS, GRIDS[1])
    with pytest.raises(KeyboardInterrupt):
        refine_roc_auc(histogram, broken, max_rows=1000)
    assert os.listdir(tmp_path) == []


@pytest.mark.check("failing disks")
@pytest.mark.parametrize("weighted", [False, True])
def test_without_a_folder_rows_are_read_again(tmp_path, monkeypatch, weighted):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "no" / "folder"))
    expected = concordance(*ROWS)
    rows = (*ROWS, np.full(N, 0.5)) if weighted else ROWS
    tried()
    with pytest.warns(RuntimeWarning, match=r"no/folder: no room .* more than twice") as warned:
        found = refined(rows, THOUSAND, 9, max_rows=N // 3)
    assert found.estimate == expected.auc
    assert 3 < len(found.passes) < 12
    assert len(warned) == len(found.passes) - 2  # none for the last one
    if not weighted:
        assert found.concordance == expected


@pytest.mark.check("failing disks")
@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EOPNOTSUPP, None])
def test_a_disk_that_is_too_small(monkeypatch, code):
    def refuse(*arguments):
        raise OSError(code, os.strerror(code))

    monkeypatch.setattr(os, "posix_fallocate", refuse, raising=False)
    if code is None:  # a system that has no such call
        monkeypatch.delattr(os, "posix_fallocate")
    if code != errno.ENOSPC:
        monkeypatch.setattr(shutil, "disk_usage", lambda folder: mock.Mock(free=4 * N))
    tried()
    with pytest.warns(RuntimeWarning, match="No space left on device"):
        found = refined(ROWS, THOUSAND, 9, max_rows=N // 4)
    assert found.concordance == concordance(*ROWS)
    with pytest.raises(OSError, match=r"rows of a bin are undecided, and .* No space"):
        refined(ROWS, GRIDS[4], 9, max_rows=N // 4)


@pytest.mark.check("failing disks")
@pytest.mark.parametrize("n_writes", [0, 1, 3])
def test_a_disk_that_becomes_full_all_the_same(monkeypatch, n_writes):
    make = tempfile.TemporaryFile

    def small(*args, **options):
        file = make(*args, **options)
        watch = mock.Mock(wraps=file)
        full = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        watch.flush.side_effect = [*[mock.DEFAULT] * n_writes, full]
        return watch

    monkeypatch.setattr(tempfile, "TemporaryFile", small)
    tried()
    with pytest.raises(OSError, match=r"no room for all undecided rows: .*No space left"):
        refined(ROWS, THOUSAND, 9, max_rows=N // 6)


@pytest.mark.check("failing disks")
def test_more_light_rows_than_their_weight_suggests(tmp_path, monkeypatch):
    rng = np.random.default_rng(14)
    weight = np.where(np.arange(N) < 20, 1.0, 2.0**-40)
    rows = rng.integers(0, 2, N), rng.random(N) + (weight == 1), weight
    tried()
    grid = {"bins": 2, "range": (0, 2)}
    found = refined(rows, grid, 9, max_rows=1000)
    assert found.estimate == float(exact_area(*rows))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "none"))
    with (
        pytest.warns(RuntimeWarning, match="no room for undecided rows"),
        pytest.raises(OSError, match="More than 1000 rows are undecided, without room for them"),
    ):
        refined(rows, grid, 9, max_rows=1000)


# Wrong data ---------------------------------------------------------------------------------------


def changes(rows):
    """Yield rows that are not those of the first reading."""
    labels, values, *weight = rows
    is_undecided = int(np.argsort(values)[len(values) // 2])
    keep = np.arange(len(values)) != is_undecided
    yield tuple(column[keep] for column in rows)
    yield tuple(np.append(column, column[is_undecided]) for column in rows)
    yield tuple(np.concatenate([column, column]) for column in rows)
    yield np.where(keep, labels, 1 - labels), values, *weight
    yield labels, np.where(keep, values, 1.5), *weight
    yield tuple(column[:0] for column in rows)


@pytest.mark.check("changed inputs")
@pytest.mark.parametrize("max_rows", [10, 10**6])
@pytest.mark.parametrize("weighted", [False, True])
def test_data_that_change_between_readings(weighted, max_rows):
    rng = np.random.default_rng(16)
    rows = rng.integers(0, 2, 1000), rng.random(1000)
    rows = (*rows, rng.random(1000)) if weighted else rows
    histogram = histogram_of(rows, {"bins": 20, "range": (0, 1)})
    for changed in changes(rows):
        tried()
        parts = divide(changed, 3)
        with pytest.raises(ValueError, match="expected the same data in each reading"):
            refine_roc_auc(histogram, lambda parts=parts: parts, max_rows=max_rows)


@pytest.mark.check("changed inputs")
@pytest.mark.parametrize("max_rows", [10, 10**6])
def test_scores_that_move_between_bins(max_rows):
    labels, values = np.array([0, 1] * 20), np.arange(40) / 40
    histogram = histogram_of((labels, values), {"bins": 4, "range": (0, 1)})
    # As many rows of each class, but not in each bin; and a bin that is left empty.
    for moved in (np.where(values < 0.1, values + 0.5, values), values % 0.25 + 0.5):
        with pytest.raises(ValueError, match=r"from .* to .* expected the same data"):
            refine_roc_auc(histogram, lambda moved=moved: [(labels, moved)], max_rows=max_rows)


def test_integers_that_are_no_doubles():
    values = 2**53 + np.array([0, 1, 2, 3, 4, 5, 6, 7])
    labels = [0, 1, 0, 1, 0, 1, 0, 1]
    histogram = ScoreHistogram().update(labels, values)
    before = histogram.roc_auc()
    assert before.lower <= concordance(labels, values).auc <= before.upper
    for max_rows in (1, 100):
        with pytest.raises(ValueError, match=r"y_score\[1\] is close to 9007199254740992"):
            refine_roc_auc(histogram, lambda: [(labels, values)], max_rows=max_rows)
    # Those that are settled do no harm.
    values = np.append(values, [5, 6, 7])
    labels = np.array([1] * 8 + [0, 1, 0])
    histogram = ScoreHistogram(bins=2, range=(0, 100)).update(labels, values)
    found = refine_roc_auc(histogram, lambda: [(labels, values)])
    assert found.concordance == concordance(labels, values)


# Arguments ----------------------------------------------------------------------------------------


TOLERANCES = -1e-9, math.nan, math.inf, "0", None, True
SIZES = 0, -1, 1.0, None, True
# Of a histogram without weights: the parts of the rows, options, and what the error says.
WRONG = [
    *((list, {"tol": tol}, "The 'tol' parameter of refine_roc_auc") for tol in TOLERANCES),
    *((list, {"max_rows": size}, "The 'max_rows' parameter of refine_roc_auc") for size in SIZES),
    ([], {}, "The 'chunks' parameter"),
    (lambda: [([0, 1],)], {}, "A part of chunks has 1 entries"),
    (lambda: [([0], [0.1], [1.0])], {}, "sample_weight is given, but the first reading counted"),
    (lambda: [([0, 1], [0.1, math.nan])], {}, r"Input contains NaN. y_score\[1\] is nan"),
]


def test_wrong_arguments():
    histogram = ScoreHistogram(bins=1, range=(0, 1)).update([0, 1, 1], [0.1, 0.2, 0.3])
    for chunks, options, said in WRONG:
        with pytest.raises(ValueError, match=said):
            refine_roc_auc(histogram, chunks, **options)
    parts = [([0, 1, 1], [0.1, 0.2, 0.3])]
    assert refine_roc_auc(histogram, lambda: parts, max_rows=2**70).estimate == 1.0
    for tol in TOLERANCES:
        with pytest.raises(fastauc.InvalidParameterError, match="'tol' parameter of undecided"):
            histogram.undecided([0.1], tol=tol)
    with pytest.raises(ValueError, match=r"y_score\[1\] is nan"):
        histogram.undecided([0.1, math.nan])


# The temporary file -------------------------------------------------------------------------------


def test_what_is_spilled_is_read_again():
    file, words = bucket_rows.SpillFile(), np.arange(1000, dtype=np.uint64)
    with contextlib.closing(file):
        places = [file.append(part.nbytes, [part.data]) for part in (words[:300], words[300:])]
        assert places == [0, 2400]
        assert file.read(8 * 200, 500).tolist() == words[200:700].tolist()
        assert file.append(8, [words[:1].data]) == 8000
        with pytest.raises(OSError, match="has been cut off"):
            file.read(8 * 501, 501)
