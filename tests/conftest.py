"""Tests that set nothing else are as repeatable as the laws, with half as many samples."""

import gc
import signal

import pytest
from hypothesis import settings

from fastauc._cli.main import main
from fastauc.files import _memory
from support.laws import EXAMPLES, law
from support.reliability import pytest_runtest_call as pytest_runtest_call

# A few rows are then more than fit into memory.
_memory.LEAST_LIMIT = 1
settings.register_profile("repeatable", law, max_examples=EXAMPLES // 2)
settings.load_profile("repeatable")


@pytest.fixture
def run(capsys):
    """Run the command line in this process: exit code, standard output, standard error."""

    def call(*arguments):
        code = main([str(argument) for argument in arguments])
        return code, *capsys.readouterr()

    return call


@pytest.fixture
def heard():
    """Let children hear Ctrl-C: what a shell runs in the background ignores it, and so do they."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def pytest_report_header(config):
    """Say what to expect of a run of all tests, which shows nothing while it gathers them."""
    if config.args_source is not pytest.Config.ArgsSource.TESTPATHS:
        return None
    return "fastauc: some 6,400 tests, 4 minutes on two idle cores; gathering them takes 20 s"


def pytest_collection_finish():
    # What is there by now stays: no collection of garbage needs to go through it.
    gc.freeze()
