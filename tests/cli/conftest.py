"""The command line, run in this process."""

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
        said, _, command = err.partition("error: ")[2].partition("; see fastauc")
        assert command.endswith(" --help\n")
        return said

    return call
