"""What the tests of saved states share."""

import tracemalloc

import pytest


@pytest.fixture
def traced():
    """Count the memory that is taken up."""
    tracemalloc.start()
    yield
    tracemalloc.stop()
