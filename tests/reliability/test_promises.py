"""What every public function promises of its rows: held against all of them alike."""

import inspect

import numpy as np
import pytest

from fastauc._validation import threads
from support.public import FUNCTIONS, PUBLIC, Rows, call, draw_rows, flat
from support.reliability import tried

pytestmark = pytest.mark.check("threads and parts")
ROWS = draw_rows(300)


@pytest.fixture(scope="module")
def expected():
    return {name: flat(call(name, ROWS)) for name in FUNCTIONS}


def differing(expected, rows, names=FUNCTIONS, **options):
    """Return the functions that do not answer as expected."""
    tried(len(names))
    return [name for name in names if flat(call(name, rows, **options)) != expected[name]]


def test_the_number_of_threads_changes_no_bit(expected, monkeypatch):
    monkeypatch.setattr(threads, "ROWS_PER_THREAD", 20)
    names = [name for name in FUNCTIONS if "n_jobs" in inspect.signature(PUBLIC[name]).parameters]
    assert len(names) > 30
    for n_jobs in (2, 3, -1):
        assert differing(expected, ROWS, names, n_jobs=n_jobs) == []


def test_rows_are_taken_from_any_container(expected):
    pandas = pytest.importorskip("pandas")
    names = [name for name in FUNCTIONS if name != "net_benefit_curve"]  # scales an array here
    for make in (np.ndarray.tolist, pandas.Series):
        assert differing(expected, Rows(*map(make, ROWS)), names) == []


def test_rows_are_read_only_and_stay_as_they_are(expected):
    rows = Rows(*(column.copy() for column in ROWS))
    for column in rows:
        column.flags.writeable = False
    assert differing(expected, rows) == []
    assert flat(rows) == flat(ROWS)
    # Nor do they need to lie beside each other.
    assert differing(expected, Rows(*(np.repeat(column, 2)[::2] for column in ROWS))) == []
