"""The weighted area in integers: equal to the fraction where quanta hold the weights, else near it.

That it is on scores of all kinds is in ``test_distributions.py``.
"""

import itertools

import numpy as np
import pytest

import fastauc
import naive
from fastauc._pairs import weighted
from fastauc._pairs.weighted import ROUTES
from fastauc._validation import threads
from support.distributions import MISLEADING, make
from support.pairs import draw_labels, watch
from support.reliability import tried
from support.weighted_pairs import (
    assert_every_weighted_route as assert_every_route,
    assert_within_4_ulp,
    exact_area,
    make_weighted_sample as make_sample,
    weighted_area,
)

SMALLEST = 5e-324


@pytest.fixture
def taken(monkeypatch):
    """Return what tells the steps that a call has taken."""
    steps = {
        "_weigh_few": "few",
        "_weigh_buckets": "buckets",
        "_weigh_values": "values",
        "sort_weighted_rows": "sort",
        "_area_of_doubles": "doubles",
    }
    return watch(monkeypatch, [(weighted, name, step) for name, step in steps.items()])


# Weights ----------------------------------------------------------------------------------------


# All of these are multiples of a quantum: 56 bits below the power of two above the greatest.
WHOLE = {
    "integers": lambda rng, n: rng.integers(1, 1000, n).astype(float),
    "53 bits": lambda rng, n: rng.integers(1, 2**53, n).astype(float),
    "below 2^56": lambda rng, n: np.append(
        np.ldexp(1.0, rng.integers(0, 56, n - 2)), [2.0**56 - 8, 2.0**56 - 8]
    ),
    "most quanta": lambda rng, n: 2.0**56 - 8 * rng.integers(1, 5, n),
    "all quanta": lambda rng, n: np.full(n, 1 - 2.0**-53),
    "dyadic": lambda rng, n: rng.integers(1, 2**20, n) * 2.0**-30,
    "singles": lambda rng, n: rng.uniform(0.01, 2, n).astype(np.float32),
    "half to two": lambda rng, n: rng.uniform(0.5, 2, n),
    "counts": lambda rng, n: np.floor(np.exp(rng.normal(4, 3, n))) + 1,
    "tiny": lambda rng, n: rng.integers(1, 2**53, n) * 2.0**-980,
    "large": lambda rng, n: rng.integers(1, 2**53, n) * 2.0**950,
}
CUT = {
    "uniform": lambda rng, n: 1 - rng.random(n) ** 2,
    "lognormal": lambda rng, n: np.exp(3 * rng.standard_normal(n)),
    "narrow": lambda rng, n: np.exp(rng.uniform(-3, 0, n)),
    "far apart": lambda rng, n: rng.choice([1e300, 1e-300], n) * rng.random(n),
    "whole range": lambda rng, n: 10.0 ** rng.uniform(-300, 300, n),
    "subnormal": lambda rng, n: rng.integers(1, 2**50, n) * SMALLEST,
    "few subnormal": lambda rng, n: rng.integers(1, 9, n) * SMALLEST,
    "beside subnormal": lambda rng, n: np.where(rng.random(n) < 0.5, SMALLEST, rng.random(n)),
    "one huge": lambda rng, n: np.where(np.arange(n) == n // 2, 1e300, 1e-5 * (1 + rng.random(n))),
    "greatest": lambda rng, n: np.finfo(float).max / (2 * n) * (1 - rng.random(n)),
    "barely cut": lambda rng, n: np.append(
        rng.integers(2**51, 2**53, n - 2) | 1, [2**56 - 8, 2**56 - 8]
    ) * 1.0,
}  # fmt: skip


def test_the_oracle_agrees_with_the_definition():
    rng = np.random.default_rng(1)
    for dtype, draw in itertools.product(["f4", "f8", "i8"], [*WHOLE.values(), *CUT.values()]):
        labels, weights = draw_labels(rng, 20, int(rng.integers(1, 20))), draw(rng, 20)
        scores = rng.integers(-9, 9, 20).astype(dtype)
        expected = naive.roc_auc_score(labels, scores, sample_weight=weights)
        assert exact_area(labels, scores, weights) == expected


SCORES = {
    "no ties": lambda rng, n: rng.random(n),
    "some ties": lambda rng, n: rng.integers(0, max(2, n // 3), n) * 0.1,
    "few values": lambda rng, n: rng.integers(-3, 3, n) / 2,
    "singles": lambda rng, n: np.round(rng.standard_normal(n), 2).astype(np.float32),
}


@pytest.mark.check("weights")
@pytest.mark.check("every route")
@pytest.mark.parametrize("weights", [*WHOLE, *CUT])
def test_weights_of_all_kinds(weights):
    rng, is_whole, weights = np.random.default_rng(2), weights in WHOLE, (WHOLE | CUT)[weights]
    for scores, n_rows in itertools.product(SCORES.values(), [2, 3, 30, 300, 3000]):
        for n_pos in {1, n_rows // 2, n_rows - 1}:
            labels = draw_labels(rng, n_rows, n_pos)
            assert_every_route(labels, scores(rng, n_rows), weights(rng, n_rows), is_whole)
    # What is lost with small parts of weights must be small beside a small area, too.
    for share in 0, 0.001, 0.999, 1:
        labels = draw_labels(rng, 3000).astype(int)
        in_order = rng.random(3000) < share
        scores = rng.random(3000) + np.where(in_order, 2 * labels, -2 * labels)
        assert_every_route(labels, scores, weights(rng, 3000), is_whole)
        # Each class has its own quantum.
        scaled = np.where(labels == 1, 2.0**-20, 2.0**20) * weights(rng, 3000) ** 0.5
        assert_every_route(labels, scores, scaled, is_whole=False)


@pytest.mark.check("weights")
def test_a_small_area_made_of_what_is_cut():
    # A quantum is some 2^-55. All of the area are the two positives of the weight 2^-60.
    labels = np.repeat([1, 0], 1500)
    scores = np.concatenate([np.arange(1500) - 2000.0, np.arange(1500)])
    scores[:2] = 5000
    weights = np.ones(3000)
    for weight in 2.0**-60, 2.0**-54, 2.0**-54 * 1.75, 1e-30, 1e-300:
        weights[:2] = weight
        assert_every_route(labels, scores, weights, is_whole=False)


@pytest.mark.parametrize("cut_class", [0, 1])
def test_each_class_loses_its_own_share(cut_class):
    # Nearly two quanta count as one in half of the rows, of which a single other weighs anything.
    labels = np.repeat([cut_class, 1 - cut_class], 1500)
    scores = np.concatenate([np.full(1500, 2000), np.arange(1500)])
    weights = np.where(np.arange(3000) < 1500, (2 - 2.0**-50) * 2.0**-55, 1.0)
    scores[0], weights[0] = 750, 1
    assert_every_route(labels, scores * 0.5, weights, is_whole=False)


# Scores -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("draw", MISLEADING.values(), ids=MISLEADING)
def test_close_and_tied_scores(draw):
    rng = np.random.default_rng(6)
    for n_rows, n_pos in [(2, 1), (300, 1), (300, 299), (4000, 1), (4000, 130), (4000, 2000)]:
        labels = draw_labels(rng, n_rows, n_pos)
        assert_every_route(labels, draw(rng, n_rows), 2.0**56 - 8 * rng.integers(1, 5, n_rows))


# Order of the rows, threads, blocks -------------------------------------------------------------


@pytest.mark.check("threads and parts")
@pytest.mark.parametrize("draw", SCORES.values(), ids=SCORES)
def test_any_order_and_any_blocks(monkeypatch, draw):
    rng = np.random.default_rng(9)
    for weights in "53 bits", "most quanta", "narrow", "barely cut":
        scores, drawn = draw(rng, 4000), (WHOLE | CUT)[weights](rng, 4000)
        labels = draw_labels(rng, 4000)
        areas = {route: set() for route in (None, *ROUTES)}
        for n_jobs, size in itertools.product([1, 2, 3, 4], [100, 1023, 1300, 10_000]):
            monkeypatch.setattr(threads, "ROWS_PER_THREAD", size)
            order = rng.permutation(4000)
            sample = make_sample(labels[order], scores[order], drawn[order])
            for route, found in areas.items():
                found.update(weighted_area(sample, n_jobs, route) for _ in range(2))
                tried(2)
        assert [len(found) for found in areas.values()] == [1, 1, 1, 1, 1]
        assert areas["few"] == areas["buckets"] == areas["values"] == areas[None]


def test_the_order_of_rows_does_not_decide_how_weights_are_cut(taken, monkeypatch):
    # Crowded tied doubles: whether the sample shows a tie depends on the order of the rows.
    monkeypatch.setattr(weighted, "FEW_ROWS", 0)
    rng = np.random.default_rng(10)
    steps, labels = set(), np.repeat([1, 0], 1000)
    for _ in range(40):
        ranks = np.concatenate(
            [2000 + rng.permutation(850), 600 + np.arange(150), rng.permutation(1000) + 0.5]
        )
        scores = ranks // 100 * 100 + ranks % 100 * 1e-6
        scores[1000:1200] = scores[1200:1400]
        # The weights of the positives on top lose half a quantum each, the others nothing.
        weights = np.ones(2000)
        weights[:850] = np.ldexp(2.0**53 - 1 - 2 * rng.integers(0, 2**20, 850), -56)
        areas = set()
        for _ in range(6):
            order = rng.permutation(2000)
            sample = make_sample(labels[order], scores[order], weights[order])
            area, way = taken(weighted_area, sample)
            areas.add(area)
            steps.add(way)
        assert len(areas) == 1
        assert_within_4_ulp(areas.pop(), exact_area(labels, scores, weights))
    # Both ways have been taken, and neither ended in rounded sums.
    assert len(steps) > 1
    assert not any("doubles" in way for way in steps)


# Carries ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("n_values", [1, 2, 30, 1000, 10**9])
def test_totals_of_more_than_two_words(n_values):
    # 20,000 rows of nearly 2^56 quanta: totals beyond 2^64, and pairs of them beyond 2^128.
    rng = np.random.default_rng(13)
    labels, scores = draw_labels(rng, 20_000), rng.integers(0, n_values, 20_000) + 0.25
    for weights in (
        np.full(20_000, 2.0**56 - 8),
        np.where(labels == 1, 2.0**55, 2.0**56 - 8),
        np.where(rng.random(20_000) < 0.5, 2.0**32, 2.0**56 - 8),
        2.0**56 - 2.0 ** rng.integers(3, 56, 20_000),
        2.0 ** rng.integers(0, 56, 20_000),
    ):
        weights[np.unique(labels, return_index=True)[1]] = 2.0**56 - 8
        assert_every_route(labels, scores, weights, n_jobs=(1, 2))


# The automatic choice ---------------------------------------------------------------------------

UNIFORM, WIDE, COUNTS = (
    lambda rng, n: rng.uniform(0.5, 2, n),
    lambda rng, n: 10.0 ** rng.uniform(-20, 20, n),
    WHOLE["counts"],
)
CHOICES = {
    ("few rows", 12_000, "rounded3", UNIFORM): ("few",),
    ("spread rows", 20_000, "uniform", UNIFORM): ("few",),
    ("crowded rows", 12_001, "outlier", UNIFORM): ("no few", "buckets"),
    ("more rows", 20_001, "uniform", UNIFORM): ("buckets",),
    ("continuous", 50_000, "lognormal", UNIFORM): ("buckets",),
    ("single", 50_000, "float32", UNIFORM): ("buckets",),
    ("integers", 50_000, "int64", UNIFORM): ("buckets",),
    ("counts", 50_000, "uniform", COUNTS): ("buckets",),
    ("tied decimals", 200_000, "rounded6", UNIFORM): ("sort",),
    ("rounded", 50_000, "rounded3", UNIFORM): ("values",),
    ("leaves", 50_000, "leaves200", COUNTS): ("values",),
    ("half precision", 200_000, "float16", UNIFORM): ("values",),
    ("constant", 50_000, "constant", UNIFORM): ("values",),
    ("wide weights", 50_000, "uniform", WIDE): ("buckets", "sort", "doubles"),
    ("wide weights of few values", 50_000, "rounded3", WIDE): ("values", "sort", "doubles"),
}


@pytest.mark.parametrize(("case", "steps"), CHOICES.items(), ids=[case[0] for case in CHOICES])
def test_choice(taken, case, steps):
    _, n_rows, name, draw = case
    labels, scores = make(name, n_rows, 0.5, 3)
    weights = draw(np.random.default_rng(15), n_rows)
    exact = exact_area(labels, scores, weights)
    for n_jobs in 1, 2:
        value, way = taken(
            fastauc.roc_auc_score, labels, scores, sample_weight=weights, n_jobs=n_jobs
        )
        assert way == steps
        assert_within_4_ulp(value, exact)
        assert value == float(exact) or draw is WIDE


def test_many_tied_singles_are_not_sorted(taken):
    # Of 2,048 rows some 20 pairs are tied: too many values for a table. Unlike doubles, whole
    # scores fit into the offsets of buckets.
    rng = np.random.default_rng(16)
    labels, weights = draw_labels(rng, 200_000), rng.uniform(0.5, 2, 200_000)
    single = (rng.integers(0, 10**5, 200_000) ** 3 * 0.5).astype(np.float32)
    area, way = taken(weighted_area, make_sample(labels, single, weights))
    assert way[-1] == "buckets"
    assert area == exact_area(labels, single, weights)
