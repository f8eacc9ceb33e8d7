"""How many samples Hypothesis makes.

Set FASTAUC_TEST_EXAMPLES for more than the 200 for each law of a default run, which are the same
every time; more are drawn anew.
"""

import os

from hypothesis import settings

_DEFAULT = 200
EXAMPLES = int(os.environ.get("FASTAUC_TEST_EXAMPLES", _DEFAULT))
law = settings(
    max_examples=EXAMPLES, deadline=None, derandomize=EXAMPLES == _DEFAULT, database=None
)
