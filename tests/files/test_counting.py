"""Rows of files counted, all together and by group: in memory, and in one pass over chunks."""

import os

import numpy as np
import pytest

from fastauc import confusion_matrix_at_thresholds
from fastauc._rows import MOST_GROUPS
from fastauc.files import DataError, score
from fastauc.files._counting import count_files

N = 10_000  # a few chunks of the smallest size
COLUMNS = {"label": "y", "score": ["s", "t"], "weight": "w", "by": "g"}


def sample():
    rng = np.random.default_rng(0)
    g = np.array(["b", "a", "c"])[np.minimum(rng.integers(0, 3, N), np.arange(N) // 4_000)]
    scores = {name: rng.integers(0, 50, N) / 64 for name in "st"}
    return {"y": rng.integers(0, 2, N), "w": rng.integers(0, 4, N), "g": g} | scores


def write(folder, columns):
    """Write two files of the columns."""
    for i, rows in enumerate([slice(N // 2), slice(N // 2, N)]):
        np.savez(folder / f"{i}.npz", **{name: values[rows] for name, values in columns.items()})
    return [folder]


@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize("limit", [1, None])
def test_groups_are_counted_as_their_rows_alone(tmp_path, limit, n_jobs):
    columns = sample()
    parts = count_files(write(tmp_path, columns), **COLUMNS, memory_limit=limit, n_jobs=n_jobs)
    assert [part.group for part in parts] == [None, "a", "b", "c"]
    assert {part.rows is None for part in parts} == {limit == 1}
    for part in parts:
        chosen = np.full(N, True) if part.group is None else columns["g"] == part.group
        y, w = columns["y"][chosen], columns["w"][chosen]
        assert (part.n_rows, part.n_pos) == ((w > 0).sum(), y[w > 0].sum())
        for name in "st":
            exact = confusion_matrix_at_thresholds(y, columns[name][chosen], sample_weight=w)
            found = part.counts(name).ks()  # exact: a cell for each score, and whole weights
            assert getattr(found, "lower", found) == exact.ks()


@pytest.mark.parametrize("limit", [1, None])
def test_as_many_groups_as_may_be(tmp_path, limit):
    options = {"label": "y", "score": ["s"], "by": "g", "memory_limit": limit}
    g = np.arange(2 * MOST_GROUPS) // 2
    paths = write(tmp_path, {"y": g % 2, "s": g / 64, "g": g})
    assert len(count_files(paths, **options)) == 1 + MOST_GROUPS
    g[0] = MOST_GROUPS
    paths = write(tmp_path, {"y": g % 2, "s": g / 64, "g": g})
    with pytest.raises(DataError, match=f"column 'g' has {MOST_GROUPS + 1} values or more"):
        count_files(paths, **options)


@pytest.mark.parametrize("limit", [1, None])
@pytest.mark.parametrize("function", [score, count_files])
def test_a_third_label_is_located_in_its_file(tmp_path, function, limit):
    columns = sample()
    columns["y"][[N // 2 + 7, N // 2 + 9, N - 1]] = [3, 2, 2]
    paths = write(tmp_path, columns)
    message = f"the third one in {tmp_path / '1.npz'}, row 8; expected two"
    with pytest.raises(DataError, match=message):
        function(paths, label="y", score=["s"], memory_limit=limit)


@pytest.mark.check("changed inputs")
def test_a_file_that_changes_is_not_counted(tmp_path, fast_clock):
    paths = write(tmp_path, sample())

    def change(_):
        os.utime(tmp_path / "1.npz", ns=(1, 1))

    with pytest.raises(DataError, match=r"1\.npz: the file has changed since it was first read"):
        count_files(paths, **COLUMNS, memory_limit=1, progress=change)
