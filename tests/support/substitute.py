"""A pytest plugin that puts fastauc's functions in the place of scikit-learn's.

Loaded with ``-p support.substitute`` in a process of its own, before any test module of
scikit-learn is imported. It writes to the file named by ``SUBSTITUTE_REPORT``, as JSON, the outcome
of each test in which a function of fastauc was called. Under ``python -m fastauc.sklearn`` the
functions are there already; then it only counts.
"""

import functools
import inspect
import json
import os
from numbers import Integral

import sklearn.metrics
import sklearn.metrics._ranking

from support.contract import DROP_IN
from support.public import PUBLIC

calls = 0
outcomes = {}


def counted(function):
    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        global calls
        calls += 1
        return function(*args, **kwargs)

    return wrapper


def substitute(name):
    """Put a function of fastauc, as it is, in the place of scikit-learn's."""
    function = counted(PUBLIC[name])
    # The tests of parameters read from here what to try; it says nothing about the answers.
    original = getattr(sklearn.metrics, name)
    constraints = dict(original._skl_parameter_constraints)
    if "n_jobs" in inspect.signature(function).parameters:
        constraints["n_jobs"] = [Integral, None]
    function._skl_parameter_constraints = constraints
    for module in (sklearn.metrics, sklearn.metrics._ranking):
        setattr(module, name, function)


def pytest_configure(config):
    if os.environ.get("FASTAUC_PATCH_SKLEARN") == "1":
        import fastauc.sklearn

        # All functions there are calls of one class.
        replacement = type(fastauc.sklearn.roc_auc_score)
        replacement.__call__ = counted(replacement.__call__)
        return
    for name in ("auc", *DROP_IN):
        substitute(name)


def pytest_runtest_setup(item):
    global calls
    calls = 0


def pytest_runtest_logreport(report):
    if report.when == "call" and calls:
        outcomes[report.nodeid.rpartition("tests/")[2]] = report.outcome


def pytest_sessionfinish(session):
    with open(os.environ["SUBSTITUTE_REPORT"], "w", encoding="utf-8") as stream:
        json.dump(outcomes, stream, indent=1)
