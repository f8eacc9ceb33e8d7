"""The command line, run in this process."""

import pytest

from fastauc._cli.main import main


@pytest.fixture
def run(capsys):
    """Run the command line in this process: exit code, standard output, standard error."""

    def call(*arguments):
        code = main([str(argument) for argument in arguments])
        return code, *capsys.readouterr()

    return call


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
