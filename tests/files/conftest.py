"""Jobs on files that tell of every chunk."""

import itertools
import time

import pytest


@pytest.fixture
def fast_clock(monkeypatch):
    """Let half a second pass between any two looks at the clock, more than between two reports."""
    clock = itertools.count(time.monotonic(), 0.5)
    monkeypatch.setattr(time, "monotonic", lambda: next(clock))
