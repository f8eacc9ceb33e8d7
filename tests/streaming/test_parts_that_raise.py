"""Parts of rows that end in an exception: what was added before is there, and nothing else."""

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


@pytest.mark.parametrize("weighted", [False, True])
def test_a_part_that_raises_leaves_a_histogram_as_it_was(weighted):
    histogram = fastauc.streaming.ScoreHistogram(weighted=weighted)
    for label, score, weight in zip(LABEL, SCORE, WEIGHT, strict=True):
        before = histogram.to_bytes()
        given = [weight] if weighted else []
        for broken in (Broken(), nan_at_the_end(score)):
            with pytest.raises((TypeError, ValueError)):
                histogram.update(label, broken, *given)
            assert histogram.to_bytes() == before
        histogram.update(label, score, *given)
        tried(2)
    whole = fastauc.streaming.ScoreHistogram(weighted=weighted)
    whole.update(LABEL.ravel(), SCORE.ravel(), *([WEIGHT.ravel()] if weighted else []))
    assert histogram.to_bytes() == whole.to_bytes()


def test_a_part_that_raises_leaves_an_accumulator_as_it_was():
    accumulator = fastauc.streaming.RocAucAccumulator()
    for label, score in zip(LABEL, SCORE, strict=True):
        before = accumulator.to_bytes()
        for broken in (Broken(), nan_at_the_end(score)):
            with pytest.raises((TypeError, ValueError)):
                accumulator.update(label, broken)
            assert accumulator.to_bytes() == before
        accumulator.update(label, score)
        tried(2)
    assert accumulator.compute() == fastauc.roc_auc_score(LABEL.ravel(), SCORE.ravel())


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
