"""The command line, run in this process."""

import io
import json

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest


@pytest.fixture(scope="session")
def folder(tmp_path_factory):
    """Three files of 4,000 rows each: more than a limit of a byte holds."""
    rng = np.random.default_rng(0)
    folder = tmp_path_factory.mktemp("parts")
    for i in range(3):
        n = 4000
        y = rng.random(n) < 0.4
        columns = {"y": y, "s": rng.normal(size=n) + y, "t": rng.integers(0, 4, n) + y}
        columns |= {"one": y | True, "w": rng.random(n)}
        pq.write_table(pa.table(columns), folder / f"{i}.parquet")
    return folder


@pytest.fixture
def terminal(monkeypatch):
    """Return a class of streams on which progress bars are drawn."""
    monkeypatch.setattr(pytest.importorskip("tqdm").tqdm, "monitor_interval", 0)

    class Terminal(io.StringIO):
        def isatty(self):
            return True

    return Terminal


@pytest.fixture
def misused(run, capsys):
    """Run a command with wrong options, and return what it says of them."""

    def call(*arguments):
        with pytest.raises(SystemExit) as caught:
            run(*arguments)
        assert caught.value.code == 2
        out, err = capsys.readouterr()
        assert out == ""
        assert err.count("\n") == 1
        assert err.startswith("fastauc: error: ")
        assert err.endswith(" --help\n")
        return err.removeprefix("fastauc: error: ").partition("; see fastauc ")[0]

    return call


@pytest.fixture
def refused(run):
    """Run a command on bad files, and return the one line that it must print."""

    def call(*arguments):
        code, out, err = run(*arguments)
        assert (code, out) == (1, "")
        assert err.startswith("fastauc: error: ")
        assert err.count("\n") == 1
        assert err.endswith("\n")
        return err.removeprefix("fastauc: error: ").rstrip("\n")

    return call


@pytest.fixture
def records(run):
    """Run a command in which nothing is worth a word, and return its objects of JSON."""

    def call(*arguments):
        code, out, err = run(*arguments, "--json")
        assert (code, err) == (0, "")
        return [json.loads(line) for line in out.splitlines()]

    return call
