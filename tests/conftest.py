"""Tests that set nothing else are as repeatable as the laws, with half as many samples."""

from hypothesis import settings

from fastauc.files import _memory
from support.laws import EXAMPLES, law
from support.reliability import pytest_runtest_call as pytest_runtest_call

# A few rows are then more than fit into memory.
_memory.LEAST_LIMIT = 1
settings.register_profile("repeatable", law, max_examples=EXAMPLES // 2)
settings.load_profile("repeatable")
