"""The examples that the type checker reads are true when they run."""

import pytest
from package import typing_examples


@pytest.mark.parametrize("example", typing_examples.EXAMPLES, ids=lambda example: example.__name__)
def test_example(example):
    example()
