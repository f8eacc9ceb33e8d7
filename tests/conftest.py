"""Tests that set nothing else are as repeatable as the laws, with half as many samples."""

from hypothesis import settings

from support.laws import EXAMPLES, law

settings.register_profile("repeatable", law, max_examples=EXAMPLES // 2)
settings.load_profile("repeatable")
