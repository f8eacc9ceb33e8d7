"""The command line, run in this process."""

import json

import pytest


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
