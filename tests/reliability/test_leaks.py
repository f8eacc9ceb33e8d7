"""Thousands of calls, refused ones among them, leave no memory and no reference behind."""

import gc
import gzip
import sys
import tracemalloc

import pytest

import fastauc
from support.fuzzing import memory
from support.public import FEW, FUNCTIONS, call, refuse, update_states
from support.reliability import tried

pytestmark = pytest.mark.check("leaks")

# The others take no more than some 0.1 ms: ten thousand of each are a second.
LONGER = {"bootstrap_ci", "bootstrap_test", "compare_roc_auc", "curve_ci", "gains_table"}
LONGER |= {"net_benefit_curve", "optimal_threshold_validation", "pr_gain_auc_score", "roc_auc_ci"}
LONGER |= {"permutation_test", "permutation_test_1samp", "roc_auc_power"}
LONGER |= {"roc_auc_test", "roc_auc_test_1samp", "roc_auc_test_ind", "roc_convex_hull"}
LONGER |= {"sigmoid_roc_auc"}
QUICK = sorted(set(FUNCTIONS) - LONGER)


def count_held():
    """Return the blocks of memory that Python holds, and the references to some objects.

    No block is made for these objects where a reference to one is lost. The types of arrays are not
    among them: numpy loses one with each array that is made without naming a type.
    """
    gc.collect()
    objects = (*FEW, None, 0, 1, "", (), float, fastauc.UndefinedMetricWarning)
    return [sys.getallocatedblocks(), *map(sys.getrefcount, objects)]


N_CALLS = 200


@pytest.fixture(autouse=True, scope="module")
def few_objects_to_look_at():
    """Leave what other tests have made out of what the collector looks at."""
    gc.collect()
    gc.freeze()
    yield
    gc.unfreeze()


def repeat(action, n=N_CALLS):
    """Do something n times, and again; assert that neither blocks nor references grow each time."""
    for _ in range(10):
        action()
    growths = []
    for _ in range(4):
        before = count_held()
        for _ in range(n):
            action()
        growths.append([new - old for new, old in zip(count_held(), before, strict=True)])
        # What a call loses is lost n times, once a call at the least. Meanwhile the blocks that the
        # interpreter keeps for itself come and go: up to 100 numbers, and as many tuples of a
        # length; and without the lock, arrays of numpy for a while.
        if len(growths) > 1 and max(map(min, *growths)) < 0.75 * n:
            break
    else:
        raise AssertionError(growths)
    tried(2 * n)


@pytest.mark.parametrize(
    "name", [*QUICK, *(pytest.param(name, marks=pytest.mark.slow) for name in sorted(LONGER))]
)
def test_calls_hold_on_to_nothing(name):
    repeat(lambda: call(name, FEW))
    repeat(lambda: refuse(name))


@pytest.mark.ci
def test_states_hold_on_to_nothing():
    repeat(lambda: update_states(FEW))
    corrupt = bytearray(fastauc.streaming.ScoreHistogram().to_bytes())
    corrupt[-1] ^= 1

    def refuse_state():
        with pytest.raises(fastauc.CorruptStateError):
            fastauc.streaming.ScoreHistogram.from_bytes(bytes(corrupt))

    repeat(refuse_state)


def test_states_leave_nothing_to_the_collector():
    # Rows that are kept in memory would stay until it looks for cycles.
    update_states(FEW)
    gc.collect()
    gc.disable()
    try:
        update_states(FEW)
        assert gc.collect() == 0
    finally:
        gc.enable()
    tried(1)


def test_damaged_text_holds_on_to_nothing(tmp_path):
    # What is read at once is a megabyte, which is no block of Python's, so it is traced.
    path = tmp_path / "cut.csv.gz"
    path.write_bytes(gzip.compress(b"y,s\n1,0.5\n0,0.25\n")[:20])

    def refuse_file():
        with pytest.raises(fastauc.files.DataError):
            fastauc.files.score(path, label="y", score="s")

    refuse_file()
    tracemalloc.start()
    try:
        for _ in range(20):
            refuse_file()
        gc.collect()
        held, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert held < 1 << 20
    tried(20)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
@pytest.mark.parametrize("name", QUICK)
def test_ten_thousand_calls(name):
    repeat(lambda: call(name, FEW), 500)
    before = memory("VmRSS")
    total = getattr(sys, "gettotalrefcount", int)  # of a debug build
    references = total()
    repeat(lambda: call(name, FEW), 2_500)
    repeat(lambda: refuse(name), 2_500)
    # A block of the least size, 16 bytes, of each call is 160 KB; the pools of the interpreter and
    # of the C library come and go by 256 KiB and more.
    assert memory("VmRSS") - before <= 1 << 20
    assert total() - references < 1_000
