"""Parts of rows that end in an exception: what was added before is there, and nothing else."""

from functools import partial

import numpy as np
import pytest

import fastauc
from support.reliability import tried

pytestmark = pytest.mark.check("iterators that raise")

N_PARTS = 100
RNG = np.random.default_rng(36)
LABEL = RNG.integers(0, 2, (N_PARTS, 7))
SCORE = RNG.integers(0, 50, (N_PARTS, 7)) / 8
WEIGHT = RNG.integers(1, 9, (N_PARTS, 7)) / 4


class BrokenError(Exception):
    """What no reader of the package raises."""


class Broken:
    """Numbers that cannot be had."""

    def __array__(self, dtype=None, copy=None):
        raise BrokenError


def nan_at_the_end(scores):
    return [*scores[:-1], np.nan]


@pytest.mark.parametrize(
    ("make", "columns"),
    [
        (fastauc.streaming.ScoreHistogram, (LABEL, SCORE)),
        (partial(fastauc.streaming.ScoreHistogram, weighted=True), (LABEL, SCORE, WEIGHT)),
        (fastauc.streaming.RocAucAccumulator, (LABEL, SCORE)),
    ],
)
def test_a_part_that_raises_leaves_all_as_it_was(make, columns):
    state = make()
    for label, score, *weight in zip(*columns, strict=True):
        before = state.to_bytes()
        for broken in (Broken(), nan_at_the_end(score)):
            with pytest.raises((TypeError, ValueError)):
                state.update(label, broken, *weight)
            assert state.to_bytes() == before
        state.update(label, score, *weight)
        tried(2)
    assert state.to_bytes() == make().update(*(column.ravel() for column in columns)).to_bytes()


def test_an_iterator_that_raises_leaves_the_histogram_that_is_refined_as_it_was():
    histogram = fastauc.streaming.ScoreHistogram(bins=3, range=(0, 7))
    histogram.update(LABEL.ravel(), SCORE.ravel())
    before = histogram.to_bytes()
    for position in range(N_PARTS):

        def parts(position=position):
            yield from zip(LABEL[:position], SCORE[:position], strict=True)
            raise BrokenError

        for begun in (histogram, None):
            with pytest.raises(BrokenError):
                fastauc.streaming.refine_roc_auc(begun, parts)
        assert histogram.to_bytes() == before
        tried(2)
    whole = fastauc.streaming.refine_roc_auc(histogram, lambda: zip(LABEL, SCORE, strict=True))
    assert whole.estimate == fastauc.roc_auc_score(LABEL.ravel(), SCORE.ravel())
