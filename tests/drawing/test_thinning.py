"""Thinned curves: to each point there is one of the same height in the same column."""

from fractions import Fraction as F
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from fastauc._drawing.thinning import thin

WIDTH, BORDERS = 8, np.arange(0.0, 65.0, 8.0)
walks = st.lists(st.tuples(st.integers(0, 2), st.integers(-3, 3)), min_size=1, max_size=200).map(
    lambda steps: [np.cumsum(column).astype(float) for column in zip(*steps, strict=True)]
)


def straight(points):
    return list(pairwise(points)) or [(points[0], points[0])]


def in_steps(points):
    """Return the segments of a line that keeps its height until the next point."""
    corners = [points[0]]
    for (_, y), (next_x, next_y) in pairwise(points):
        corners += [(next_x, y), (next_x, next_y)]
    return straight(corners)


def nearest(segments, x, y):
    """Return how far aside of a point a line has the same height; None if nowhere."""
    best = None
    for (x0, y0), (x1, y1) in segments:
        if not min(y0, y1) <= y <= max(y0, y1):
            continue
        if y0 == y1:
            at = min(max(x, min(x0, x1)), max(x0, x1))
        else:
            at = x0 + F(y - y0) * (x1 - x0) / (y1 - y0)
        best = abs(at - x) if best is None else min(best, abs(at - x))
    return best


@pytest.mark.parametrize("join", [straight, in_steps])
@settings(max_examples=50)
@given(walk=walks, falls=st.booleans())
def test_no_point_moves_by_a_column(join, walk, falls):
    x, y = walk
    if falls:
        x, y = 64 - x, y
    kept = thin(x, y, BORDERS)
    every = [(int(a), int(b)) for a, b in zip(x, y, strict=True)]
    some = [every[k] for k in kept]
    for points, others in (every, some), (some, every):
        segments, lines = join(points), join(others)
        middles = [((F(a + c) / 2), F(b + d) / 2) for (a, b), (c, d) in segments]
        for at in [*points, *middles]:
            if 0 <= at[0] <= 64:
                distance = nearest(lines, *at)
                assert distance is not None
                assert distance < WIDTH


@settings(max_examples=50)
@given(walk=walks)
def test_ends_are_kept_and_few_points(walk):
    kept = thin(*walk, BORDERS)
    assert kept[0] == 0
    assert kept[-1] == len(walk[0]) - 1
    assert (np.diff(kept) > 0).all()
    assert len(kept) <= 4 * (len(BORDERS) + 1)


def test_few_points_are_all_kept():
    x = np.zeros(36)
    assert thin(x, np.arange(36.0), np.linspace(0, 1, 9)).tolist() == list(range(36))
    assert thin(np.zeros(41), np.arange(41.0), np.linspace(0, 1, 9)).tolist() == [0, 40]


def test_a_million_points():
    rng = np.random.default_rng(0)
    x, y = np.linspace(0, 1, 1_000_000), rng.random(1_000_000)
    borders = np.linspace(0, 1, 101)
    kept = thin(x, y, borders)
    assert len(kept) <= 4 * 102
    column = np.searchsorted(borders, x, "right")
    for wanted in (1, 50, 100):
        inside = np.flatnonzero(column == wanted)
        extremes = {inside[0], inside[np.argmin(y[inside])], inside[np.argmax(y[inside])]}
        assert extremes | {inside[-1]} <= set(kept.tolist())
