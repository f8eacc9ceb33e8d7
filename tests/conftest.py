"""Tests that set nothing else are as repeatable as the laws, with half as many samples."""

import signal

import pytest
from hypothesis import settings

from support.laws import EXAMPLES, law
from support.reliability import pytest_runtest_call as pytest_runtest_call

settings.register_profile("repeatable", law, max_examples=EXAMPLES // 2)
settings.load_profile("repeatable")


@pytest.fixture
def heard():
    """Let children hear Ctrl-C: what a shell runs in the background ignores it, and so do they."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)
