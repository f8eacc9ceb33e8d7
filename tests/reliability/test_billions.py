"""More rows than 32 bits can count: in parts that need no memory, and in a single call."""

import numpy as np
import pytest

import fastauc
import naive
from support.reliability import tried

pytestmark = [pytest.mark.release, pytest.mark.check("billions of rows")]

PERIOD = 2**24
ONE_CALL = 11 * 2**31  # bytes: a float32 score and a label of each row, and half as much again


def available_memory():
    """Return how many bytes are free, as far as the system tells."""
    try:
        with open("/proc/meminfo", encoding="ascii") as file:
            lines = dict(line.split(":") for line in file)
        return 1024 * int(lines["MemAvailable"].split()[0])
    except OSError:
        return 0


@pytest.mark.parametrize("n_rows", [2**31 + 17, 2**32 + 17], ids=["2^31 + 17", "2^32 + 17"])
def test_rows_in_parts(n_rows):
    rng = np.random.default_rng(31)
    scores = rng.integers(-128, 128, PERIOD).astype(np.int8)
    labels = (rng.integers(-200, 400, PERIOD) < scores).astype(np.int8)
    histogram, counts = fastauc.streaming.ScoreHistogram(), np.zeros((2, 256), np.int64)
    of_period = np.bincount(256 * labels.astype(int) + scores + 128, minlength=512).reshape(2, 256)
    for _ in range(n_rows // PERIOD):
        histogram.update(labels, scores)
        counts += of_period
    n_left = n_rows % PERIOD
    histogram.update(labels[:n_left], scores[:n_left])
    np.add.at(counts, (labels[:n_left].astype(int), scores[:n_left].astype(int) + 128), 1)
    assert histogram.n_rows == counts.sum() == n_rows
    assert (histogram.n_neg, histogram.n_pos) == tuple(counts.sum(axis=1))
    area = histogram.roc_auc()
    assert area.exact
    assert area.estimate == area.lower == area.upper == float(naive.auc_from_counts(*counts[::-1]))
    restored = fastauc.streaming.ScoreHistogram.from_bytes(histogram.to_bytes())
    assert restored.roc_auc() == area
    tried(n_rows)


def test_rows_in_one_call():
    if available_memory() < ONE_CALL:
        pytest.skip(f"needs {ONE_CALL / 2**30:.0f} GiB of free memory")
    n_rows = 2**31 + 17
    # All rows are the same two bytes: a stride of 0.
    labels, scores = (np.broadcast_to(np.int8(value), n_rows) for value in (1, 5))
    histogram = fastauc.streaming.ScoreHistogram().update(labels, scores)
    histogram.update(np.zeros(3, np.int8), np.array([4, 5, 6], np.int8))
    assert (histogram.n_pos, histogram.n_neg) == (n_rows, 3)
    area = histogram.roc_auc()
    assert area.exact
    assert area.estimate == 1 / 2
    tried(n_rows)
