"""A job that is killed goes on where it was saved, and ends as if it had not been."""

import errno
import gzip
import io
import itertools
import os
import signal
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest

from fastauc._state_format import Kind
from fastauc._validation.errors import CorruptStateError
from fastauc.files import DataError, ScoringInterrupted, merge_states, score
from fastauc.files._saved import read_saved, save
from fastauc.streaming import ScoreHistogram
from fastauc.streaming._refinement import SecondReading
from support.file_columns import Interrupt, refusal
from support.forging import damages
from support.laws import first
from support.programs import start_program
from support.reliability import tried

N = 60_000  # 15 chunks in each pass, more where files end
OPTIONS = {"label": "y", "score": ["s", "t"], "memory_limit": 1, "checkpoint_seconds": 0}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    rng = np.random.default_rng(0)
    folder = tmp_path_factory.mktemp("parts")
    for i in range(3):
        n = N // 3
        y = rng.random(n) < 0.4
        columns = {"y": y, "s": rng.normal(size=n) + y, "t": rng.random(n).round(2)}
        columns["w"] = rng.random(n) * (rng.random(n) < 0.8)
        pq.write_table(pa.table(columns), folder / f"{i}.parquet", row_group_size=1000)
    return folder


pytestmark = pytest.mark.usefixtures("fast_clock")


@pytest.mark.check("killed and resumed")
@pytest.mark.parametrize("options", first(2, [{}, {"weight": "w"}, {"tol": 1e-7}, {"tol": 1}]))
def test_interrupted_jobs_end_as_others_do(folder, tmp_path, options):
    options = OPTIONS | options
    whole = score([folder], checkpoint=tmp_path / "whole", **options)
    assert whole == score([folder], checkpoint=tmp_path / "new", **options)
    path = tmp_path / "c"
    rng = np.random.default_rng(1)
    n_interrupted, places = 0, []
    while True:
        # Later and later, as a second reading begins anew.
        interrupt = Interrupt(rng.integers(2, 9) + 2 * n_interrupted)
        try:
            results = score([folder], checkpoint=path, progress=interrupt, **options)
            break
        except ScoringInterrupted as interrupted:
            n_interrupted += 1
            places.append((interrupted.progress.pass_number, interrupted.progress.rows))
    assert n_interrupted >= 2
    tried(n_interrupted)
    first = [place for place in places if place[0] == 1]
    assert first == sorted(first) == places[: len(first)]
    assert results == whole
    assert path.read_bytes() == (tmp_path / "whole").read_bytes()


def test_an_interrupt_as_the_first_reading_ends(folder, tmp_path, monkeypatch):
    # With a pause between saves none has been made before.
    options = OPTIONS | {"checkpoint": tmp_path / "c", "checkpoint_seconds": 600}
    with monkeypatch.context() as patch:
        patch.setattr("fastauc.files._passes.release_memory", lambda: Interrupt(1)(None))
        with pytest.raises(ScoringInterrupted):
            score([folder], **options)
    passes = set()
    results = score([folder], progress=lambda told: passes.add(told.pass_number), **options)
    assert passes == {2}
    assert results == score([folder], **OPTIONS)


class Unwaited(ThreadPoolExecutor):
    """Ctrl-C while a chunk is counted, and again while its thread is waited for."""

    left, counted = 0, None
    counting, interrupted = threading.Event(), threading.Event()

    def submit(self, *task):
        Unwaited.left -= 1
        Unwaited.counted = super().submit(*task)
        if Unwaited.left == 0:
            assert Unwaited.counting.wait(60)
            raise KeyboardInterrupt
        return Unwaited.counted

    def shutdown(self, wait=True):
        super().shutdown(wait=Unwaited.left > 0)
        if Unwaited.left == 0:
            Unwaited.interrupted.set()
            raise KeyboardInterrupt


@pytest.mark.check("killed and resumed")
@pytest.mark.parametrize("chunk", [1, 2, 7, 16, 20])
def test_interrupted_twice_while_a_chunk_is_counted(folder, tmp_path, monkeypatch, chunk):
    whole = score([folder], checkpoint=tmp_path / "whole", **OPTIONS)
    path = tmp_path / "c"
    with monkeypatch.context() as patch:
        patch.setattr(ScoreHistogram, "update", until_interrupted(ScoreHistogram.update))
        patch.setattr(SecondReading, "update", until_interrupted(SecondReading.update))
        patch.setattr("fastauc.files._passes.ThreadPoolExecutor", Unwaited)
        patch.setattr(Unwaited, "left", chunk)
        Unwaited.counting.clear()
        Unwaited.interrupted.clear()
        with pytest.raises(ScoringInterrupted):
            score([folder], checkpoint=path, **OPTIONS)
        saved = path.read_bytes()
        Unwaited.counted.result(60)
        assert path.read_bytes() == saved
        assert sorted(os.listdir(tmp_path)) == ["c", "whole"]
    assert score([folder], checkpoint=path, **OPTIONS) == whole


def until_interrupted(method):
    def late(*args, **kwargs):
        if Unwaited.left == 0:
            Unwaited.counting.set()
            assert Unwaited.interrupted.wait(60)
            time.sleep(0.02)  # a job that did not wait for it would have been saved by now
        return method(*args, **kwargs)

    return late


@pytest.mark.check("repeated tasks")
def test_a_finished_job_returns_at_once(folder, tmp_path):
    path = tmp_path / "c"
    first = score([folder], checkpoint=path, **OPTIONS)
    before = path.read_bytes()
    again = score([folder], checkpoint=path, progress=Interrupt(1), **OPTIONS)
    assert again == first
    assert path.read_bytes() == before


@pytest.mark.check("killed and resumed")
@pytest.mark.parametrize("ending", ["parquet", "csv.gz"])  # which does not say how many rows it has
def test_the_states_of_a_continued_job_are_those_of_all_rows(folder, tmp_path, ending):
    path = tmp_path / f"x.{ending}"
    if ending == "parquet":
        path = folder
    else:
        with gzip.open(path, "wb") as file:
            pyarrow.csv.write_csv(pq.read_table(folder), file)
    score([path], state=tmp_path / "whole", **OPTIONS)
    with pytest.raises(ScoringInterrupted):
        score([path], checkpoint=tmp_path / "c", progress=Interrupt(5), **OPTIONS)
    score([path], checkpoint=tmp_path / "c", state=tmp_path / "state", **OPTIONS)
    assert (tmp_path / "state").read_bytes() == (tmp_path / "whole").read_bytes()


def test_data_that_fits_into_memory_needs_no_checkpoint(folder, tmp_path):
    score([folder], label="y", score="s", checkpoint=tmp_path / "c")
    assert not (tmp_path / "c").exists()


def test_saves_are_rare_unless_asked_for(folder, tmp_path, monkeypatch):
    saves = []
    monkeypatch.setattr(
        "fastauc.files._checkpoints.save", lambda *args, **kwargs: saves.append(args)
    )
    score([folder], checkpoint=tmp_path / "c", **OPTIONS | {"checkpoint_seconds": 1000})
    assert len(saves) == 3  # at the start, and after each of two readings
    saves.clear()
    score([folder], checkpoint=tmp_path / "c", **OPTIONS)
    assert len(saves) >= 3 + 15  # and after each chunk of the first


# Killed -------------------------------------------------------------------------------------------

# Kills itself at the k-th of the moments at which something has just changed, or is about to.
CHILD = """
    import json, os, signal, sys
    from fastauc.files import _checkpoints as checkpoints, _passes as passes, _saved as saved
    from fastauc.files import _memory, score
    _memory.LEAST_LIMIT = 1
    left = int(sys.argv[3])

    def deadly(function):
        def call(*args, **kwargs):
            global left
            for moment in range(2):
                left -= 1
                if left == 0:
                    os.kill(os.getpid(), signal.SIGKILL)
                if moment == 0:
                    result = function(*args, **kwargs)
            return result
        return call

    os.replace, os.fsync = deadly(os.replace), deadly(os.fsync)
    passes.Job._add = deadly(passes.Job._add)
    passes.Job._advance = deadly(passes.Job._advance)
    results = score([sys.argv[1]], label="y", score=["s", "t"], memory_limit=1,
                    checkpoint=sys.argv[2], checkpoint_seconds=0)
    print(results)
"""


def run_child(folder, path, moment):
    """Return the exit code, the output, and what is said beside it."""
    process = start_program(CHILD, folder, path, moment)
    out, err = process.communicate(timeout=300)
    return process.returncode, out, err


@pytest.mark.check("killed and resumed")
@pytest.mark.skipif(os.name != "posix", reason="signals as POSIX knows them")
@pytest.mark.parametrize(  # 300 kills
    "seed", [None, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(50))]
)
def test_killed_jobs_end_as_others_do(folder, tmp_path, seed):
    # The first save has eight moments, each chunk and its save a dozen.
    moments = [3, 20, 60]
    if seed is not None:
        moments = np.random.default_rng(seed).integers(1, 120, 8).tolist()
    path = tmp_path / "c"
    for moment in moments:
        code, out, err = run_child(folder, path, moment)
        if code == 0:
            break
        assert (code, out) == (-signal.SIGKILL, ""), err
        tried()
    whole = score([folder], checkpoint=tmp_path / "whole", **OPTIONS)
    assert run_child(folder, path, 0) == (0, f"{whole}\n", "")
    assert path.read_bytes() == (tmp_path / "whole").read_bytes()


# Damaged, changed, not written --------------------------------------------------------------------


@pytest.fixture
def interrupted(folder, tmp_path):
    """Return the checkpoint of a job that has been interrupted."""
    path = tmp_path / "c"
    with pytest.raises(ScoringInterrupted) as caught:
        score([folder], checkpoint=path, progress=Interrupt(7), **OPTIONS)
    assert caught.value.checkpoint == str(path)
    assert caught.value.progress.rows > 0
    return path


@pytest.fixture(scope="module")
def whole(folder):
    return score([folder], **OPTIONS)


@pytest.mark.check("damaged checkpoints")
def test_damage_is_noticed(tmp_path):
    path = tmp_path / "c"
    header, blobs = {"name": "one"}, [b"one" * 9, b""]
    save(str(path), Kind.CHECKPOINT, header, list(blobs))
    content = path.read_bytes()
    assert read_saved(str(path), Kind.CHECKPOINT) == (header, blobs)
    tried(10 * len(content))
    longer = (content[:place] + b"\0" + content[place:] for place in range(len(content)))
    for wrong in itertools.chain(damages(content), longer):
        path.write_bytes(wrong)
        with pytest.raises(CorruptStateError, match=r"^The state "):
            read_saved(str(path), Kind.CHECKPOINT)


@pytest.mark.check("damaged checkpoints")
@pytest.mark.parametrize("content", [b"", b"FAUC", b"y,s\n0,0.5\n", b"\0" * 100])
def test_a_damaged_checkpoint_is_refused(folder, tmp_path, content):
    path = tmp_path / "c"
    path.write_bytes(content)
    with pytest.raises(DataError, match=r"c: cannot be read: The state .*; remove it to start"):
        score([folder], checkpoint=path, **OPTIONS)
    assert path.read_bytes() == content


@pytest.mark.check("changed inputs")
@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"score": ["t", "s"]}, "scores was ['s', 't'], and is"),
        ({"weight": "w"}, "weight was None, and is 'w' now"),
        ({"tol": 0.5}, "tol was 0.0, and is 0.5 now"),
    ],
)
def test_other_columns_or_options(folder, interrupted, options, reason):
    before = interrupted.read_bytes()
    said = refusal(score, [folder], checkpoint=interrupted, **OPTIONS | options)
    assert f"the checkpoint is from another job: {reason}" in said
    assert interrupted.read_bytes() == before


@pytest.mark.check("changed inputs")
def test_other_inputs(folder, tmp_path):
    files = []
    for path in sorted(folder.iterdir()):
        files.append(tmp_path / path.name)
        files[-1].write_bytes(path.read_bytes())
    path = tmp_path / "c"
    with pytest.raises(ScoringInterrupted):
        score(files, checkpoint=path, progress=Interrupt(7), **OPTIONS)

    def said(*files):
        return refusal(score, files, checkpoint=path, **OPTIONS)

    assert "0.parquet is not at the same position" in said(files[1], files[0], files[2])
    assert "0.parquet is not at the same position" in said(files[1], files[2])
    assert "it had 3 files, and has 2 now" in said(*files[:2])
    done = tmp_path / "done"
    score(files[:2], checkpoint=done, **OPTIONS)
    said_of_more = refusal(score, files, checkpoint=done, **OPTIONS)
    assert "it had 2 files, and has 3 now" in said_of_more
    status = files[2].stat()
    os.utime(files[2], ns=(status.st_atime_ns, status.st_mtime_ns + 1))
    assert "2.parquet has changed since then" in said(*files)
    content = files[2].read_bytes()
    files[2].write_bytes(files[1].read_bytes())
    assert "2.parquet has changed" in said(*files)
    files[2].write_bytes(content)
    os.utime(files[2], ns=(status.st_atime_ns, status.st_mtime_ns))
    score(files, checkpoint=path, **OPTIONS)  # as before: taken up again
    tried(5)


def test_standard_input_has_no_checkpoint(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"y,s,t\n0,1,1\n1,2,2\n")))
    with pytest.raises(DataError, match="standard input cannot be read again"):
        score(["-"], checkpoint=tmp_path / "c", **OPTIONS)


def failing(function, numbers, code=errno.ENOSPC):
    """Return a function of which the calls with these numbers, from 1 on, fail."""
    count = itertools.count(1)

    def call(*args):
        if next(count) in numbers:
            raise OSError(code, os.strerror(code))
        return function(*args)

    return call


@pytest.mark.check("failing disks")
@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EIO, errno.EACCES])
@pytest.mark.parametrize("times", [1, 7, 8])
@pytest.mark.parametrize("call", ["fsync", "replace"])
def test_what_cannot_be_written(folder, tmp_path, whole, monkeypatch, code, call, times):
    path = tmp_path / "c"
    with monkeypatch.context() as patch:
        patch.setattr(os, call, failing(getattr(os, call), [times], code))
        if times == 1:
            said = refusal(score, [folder], checkpoint=path, **OPTIONS)
            assert said == f"{path}: cannot be written: {os.strerror(code)}"
        else:
            # The job goes on, and is saved by the next attempt.
            assert score([folder], checkpoint=path, **OPTIONS) == whole
    assert os.listdir(tmp_path) == (["c"] if times > 1 else [])
    assert score([folder], checkpoint=path, **OPTIONS) == whole


@pytest.mark.check("failing disks")
@pytest.mark.check("killed and resumed")
def test_a_disk_that_becomes_full(folder, tmp_path, whole, monkeypatch):
    """The job ends with a warning, and the file is the last one that could be written."""
    path = tmp_path / "c"
    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", failing(os.fsync, range(11, 10**6)))
        with pytest.warns(RuntimeWarning, match="c: cannot be written: No space .* went on"):
            assert score([folder], checkpoint=path, **OPTIONS) == whole
    kept, _ = read_saved(str(path), Kind.CHECKPOINT)
    assert kept["pass"] == [1]
    assert 0 < kept["rows"][0] < N
    assert score([folder], checkpoint=path, **OPTIONS) == whole


@pytest.mark.check("malformed files")
def test_only_the_first_bytes_of_another_file_are_read(tmp_path):
    path = tmp_path / "scores.parquet"
    with path.open("wb") as file:
        file.truncate(1 << 42)
    with pytest.raises(DataError, match="The state does not begin with"):
        merge_states([path])
