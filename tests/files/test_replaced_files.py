"""Files that change while they are read: the sentence says so, and not how they seem damaged."""

import numpy as np
import pytest

from fastauc.files import DataError, _passes as passes, find, score, stream_columns
from support.file_columns import reading_threads, write_columns


def write(path):
    rng = np.random.default_rng(0)
    columns = {"y": rng.integers(0, 2, 40_000), "s": rng.normal(size=40_000)}
    return write_columns(path, columns, rows=1_000)


@pytest.mark.parametrize("ending", ["parquet", "csv"])
@pytest.mark.parametrize("content", [b"", b"PAR1 not what the name says", b"y,t\n0,1\n"])
def test_a_file_that_is_replaced_before_it_is_read(tmp_path, ending, content):
    path = write(tmp_path / f"x.{ending}")
    files = find([path])
    path.write_bytes(content)
    with pytest.raises(DataError, match="the file has changed since it was first read"):
        list(stream_columns(files, ["y", "s"], numeric=["s"]))


def test_a_file_that_is_replaced_between_two_passes(tmp_path, monkeypatch):
    path = write(tmp_path / "x.parquet")
    original, begun = passes.stream, []

    def stream(*args, **options):
        begun.append(None)
        if len(begun) == 2:
            path.write_bytes(b"PAR1 not what the name says")
        return original(*args, **options)

    monkeypatch.setattr(passes, "stream", stream)
    with pytest.raises(DataError, match="the file has changed since it was first read"):
        score([path], label="y", score="s", memory_limit=1)
    assert len(begun) == 2
    assert reading_threads() == []
