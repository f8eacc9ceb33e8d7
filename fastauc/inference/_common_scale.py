"""One scale for the scores of two models, so that rows can exchange them.

A ROC curve only depends on the order of the scores. What two scores of different models have in
common is their rank. Tied rows, a level, span a range of ranks, which differs a little from model
to model. If the midranks alone were compared, scores that are tied in each model would be in strict
order after an exchange. So levels are matched:

- If both models have equally many, and two rows or more in each on average, the k-th of one is the
  k-th of the other: ratings, flags.
- Otherwise, two levels are the same if each contains the middle of the other. They divide the
  scale, and within each part the first rule applies again.

The other levels are ordered by their middle. Without ties, this is the order of the ranks.

The map keeps the order and the ties of both models. Levels of one model do not overlap. The middle
of a level is thus within its match, which is on the same side of each other level of the first
model; and the sum of both middles is ordered like either of them. Levels matched within a part are
in the same order, and between the middles of the matches around them.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastauc._pairs.sorting import add_ranks
from fastauc._validation.arrays import INT64
from fastauc._validation.samples import BinarySample

Ranks = NDArray[np.int64]


class _Levels(NamedTuple):
    """The levels of a model, from the lowest: twice their midranks, and their numbers of rows.

    From its middle, a level reaches its number of rows to either side.
    """

    middle: Ranks
    sizes: Ranks


def place_rows(first: BinarySample, second: BinarySample) -> tuple[Ranks, Ranks]:
    """Return the places of the rows by two scores, as integers from 0 up."""
    (level, own), (other_level, other) = _find_levels(first), _find_levels(second)
    places, other_places = _number_levels(own, other)
    return places[level], other_places[other_level]


def _find_levels(sample: BinarySample) -> tuple[Ranks, _Levels]:
    """Return the number of the level of each row, and the levels."""
    twice = np.zeros(len(sample.label))
    add_ranks(sample.score, 2.0, twice)
    rank = twice.astype(INT64)
    counts = np.bincount(rank)
    middle = np.flatnonzero(counts)
    return (np.cumsum(counts > 0) - 1)[rank], _Levels(middle, counts[middle])


def _number_levels(first: _Levels, second: _Levels) -> tuple[Ranks, Ranks]:
    """Return the place of each level of two models on one scale, as integers from 0 up."""
    ends = [np.array([-1, len(levels.sizes)]) for levels in (first, second)]
    own, other = _match_in_order(first, second, *ends)
    if len(own) == 0:
        # The only level of the second that can contain the middle of one of the first.
        at = np.searchsorted(second.middle + second.sizes, first.middle)
        distance = np.abs(second.middle[at] - first.middle)
        is_match = distance < np.minimum(first.sizes, second.sizes[at])
        matches = np.flatnonzero(is_match), at[is_match]
        between = (np.insert(end, 1, match) for end, match in zip(ends, matches, strict=True))
        own, other = _match_in_order(first, second, *between)
    middles = 2 * first.middle, 2 * second.middle
    middles[0][own] = middles[1][other] = first.middle[own] + second.middle[other]
    numbers = np.unique(np.concatenate(middles), return_inverse=True)[1].reshape(-1)
    return numbers[: len(first.sizes)], numbers[len(first.sizes) :]


def _match_in_order(
    first: _Levels, second: _Levels, own: Ranks, other: Ranks
) -> tuple[Ranks, Ranks]:
    """Return what matches, if ``own`` of the first and ``other`` of the second divide the scale.

    They match each other, but for the two that stand for the ends of the scale.
    """
    n_levels = np.diff(own) - 1
    n_rows = np.zeros(len(n_levels), np.int64)
    for levels, divided in (first, own), (second, other):
        below = np.concatenate([[0], np.cumsum(levels.sizes)])
        n_rows += below[divided[1:]] - below[divided[:-1] + 1]
    is_alike = (n_levels == np.diff(other) - 1) & (n_rows >= 4 * n_levels)
    number = np.arange(len(first.sizes))
    part = np.searchsorted(own, number, "right") - 1
    is_match = is_alike[part] | (number == own[part])
    return number[is_match], (other[part] + number - own[part])[is_match]
