"""What every public function promises of its rows: held against all of them alike."""

import inspect

import numpy as np
import pytest

from fastauc._validation import labels, samples, threads
from support.flushing import SUBNORMAL, flush_to_zero, on_glibc
from support.public import FUNCTIONS, PUBLIC, Rows, call, draw_rows, flat, update_states, values
from support.reliability import tried

pytestmark = pytest.mark.check("threads and parts")
ROWS = draw_rows(300)
OF_ANY_SCORES = [name for name in FUNCTIONS if name != "net_benefit_curve"]  # of probabilities
# A score that is a threshold, as a double, may be flushed like any other number.
WITH_THRESHOLDS = {"det_curve", "gain_curve", "ks_curve", "lift_curve", "profit_curve", "roc_curve"}
WITH_THRESHOLDS |= {"gains_table", "ks_statistic", "optimal_threshold", "roc_convex_hull"}
WITH_THRESHOLDS |= {"optimal_threshold_validation"}


@pytest.fixture(scope="module")
def expected():
    return {name: flat(call(name, ROWS)) for name in FUNCTIONS}


def differing(expected, rows, names=FUNCTIONS, **options):
    """Return the functions that do not answer as expected."""
    tried(len(names))
    return [name for name in names if flat(call(name, rows, **options)) != expected[name]]


@pytest.mark.parametrize("order", [np.arange(300), np.argsort(ROWS.label)], ids=["drawn", "sorted"])
def test_the_number_of_threads_changes_no_bit(order, monkeypatch):
    # By their labels, most blocks of rows are of one class.
    rows = Rows(*(column[order] for column in ROWS))
    names = [name for name in FUNCTIONS if "n_jobs" in inspect.signature(PUBLIC[name]).parameters]
    assert len(names) > 30
    expected = {name: flat(call(name, rows, n_jobs=1)) for name in names}
    monkeypatch.setattr(threads, "ROWS_PER_THREAD", 20)
    for module in (labels, samples, threads):
        monkeypatch.setattr(module, "ROWS_READ_PER_THREAD", 20)
    for n_jobs in (2, 3, 7, -1):
        assert differing(expected, rows, names, n_jobs=n_jobs) == []


def test_rows_are_taken_from_any_container(expected):
    pandas = pytest.importorskip("pandas")
    for make in (np.ndarray.tolist, pandas.Series):
        assert differing(expected, Rows(*map(make, ROWS)), OF_ANY_SCORES) == []


@pytest.mark.parametrize("dtype", ["f2", "f4", "g", ">f8", "i2", "i8", ">i4", "u8", "O"])
def test_scores_of_any_dtype_have_the_answer_of_doubles(dtype):
    rows = draw_rows(300, np.int64)
    doubles, given = (
        rows._replace(score=rows.score.astype(kind), other=rows.other.astype(kind))
        for kind in ("f8", dtype)
    )
    for name in OF_ANY_SCORES:
        found, exact = values(call(name, given)), values(call(name, doubles))
        np.testing.assert_equal(found, exact, err_msg=name)
        tried()


@pytest.mark.parametrize("exponent", [-1000, -500, 500, 900])
def test_the_unit_of_the_weights_changes_no_bit(expected, exponent):
    sums = {"confusion_matrix_at_thresholds", "gains_table", "optimal_threshold", "profit_curve"}
    names = [name for name in FUNCTIONS if name not in sums]
    scaled = ROWS._replace(weight=np.ldexp(ROWS.weight, exponent))
    assert differing(expected, scaled, names) == []


@on_glibc
@pytest.mark.parametrize("kind", SUBNORMAL)
def test_processors_that_flush_subnormal_numbers_change_no_bit(kind):
    rng = np.random.default_rng(5)
    rows = ROWS._replace(score=SUBNORMAL[kind](rng, 300), other=SUBNORMAL[kind](rng, 300))
    names = [name for name in OF_ANY_SCORES if name not in WITH_THRESHOLDS]
    states, expected = update_states(rows), {name: flat(call(name, rows)) for name in names}
    for bits in (0x8000, 0x40, 0x8040):
        assert flush_to_zero(bits, update_states, rows)[0] == states
        assert flush_to_zero(bits, differing, expected, rows, names)[0] == []


def test_rows_are_read_only_and_stay_as_they_are(expected):
    rows = Rows(*(column.copy() for column in ROWS))
    for column in rows:
        column.flags.writeable = False
    assert differing(expected, rows) == []
    assert update_states(rows) == update_states(ROWS)
    assert flat(rows) == flat(ROWS)
    # Nor do they need to lie beside each other.
    assert differing(expected, Rows(*(np.repeat(column, 2)[::2] for column in ROWS))) == []
