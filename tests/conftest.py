"""Tests that set nothing else are as repeatable as the laws, with half as many samples."""

from hypothesis import settings

from support.laws import EXAMPLES, law
from support.reliability import pytest_runtest_call as pytest_runtest_call

settings.register_profile("repeatable", law, max_examples=EXAMPLES // 2)
settings.load_profile("repeatable")
