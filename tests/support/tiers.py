"""Of the cases of one test, some for every run of the tests and the others for CI."""

import pytest


def first(n, cases):
    """Return parameters: the first n cases as they are, and the others with the mark ci."""
    cases = list(cases)
    others = [case if isinstance(case, tuple) else (case,) for case in cases[n:]]
    return cases[:n] + [pytest.param(*case, marks=pytest.mark.ci) for case in others]
