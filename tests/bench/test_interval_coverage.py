"""The default interval holds the area in samples from distributions on which others fail."""

import importlib
import math
from pathlib import Path

import numpy as np
import pytest

import fastauc

BENCH = Path(__file__).resolve().parents[2] / "bench"
N_SAMPLES = 2000
CELLS = [
    (0.8, "normal", 20, 20),
    (0.95, "normal", 50, 50),
    (0.8, "five ratings", 50, 50),
    (0.95, "exponential", 30, 300),
    (0.99, "exponential", 30, 300),
    (0.9, "positives spread 2:1", 10, 190),
    (0.95, "negatives spread 2:1", 30, 300),
    (0.95, "exponential, mirrored", 30, 300),
]


@pytest.fixture
def simulation(monkeypatch):
    monkeypatch.syspath_prepend(BENCH)
    return importlib.import_module("interval_coverage")


def four_deviations(percent):
    """Return how far the share of so many samples is from the true one, but for 1 in 15,000."""
    return 4 * math.sqrt(percent * (100 - percent) / N_SAMPLES)


@pytest.mark.parametrize(("area", "distribution", "n_pos", "n_neg"), CELLS)
def test_the_default_covers(simulation, area, distribution, n_pos, n_neg):
    rng = np.random.default_rng([5, n_pos, n_neg])
    found, agrees = simulation.measure(rng, area, distribution, n_pos, n_neg, N_SAMPLES)
    assert agrees  # the formulas for arrays and roc_auc_ci, of the first sample
    holds, below, above, _ = found["wilson"]
    assert holds >= 93 - four_deviations(93)
    assert max(below, above) <= 4 + four_deviations(4)


def test_delong_on_the_logit_scale_does_not(simulation):
    # What the bounds above are able to refuse: 75 % with 6,000 samples of the bench.
    rng = np.random.default_rng(6)
    found, _ = simulation.measure(rng, 0.99, "exponential", 30, 300, N_SAMPLES)
    holds, _, above, _ = found["delong"]
    assert holds < 93 - four_deviations(93)
    assert above > 4 + four_deviations(4)


def test_the_default_covers_rows_in_groups(simulation):
    # Groups with rows of both classes: 20 of them, and 500 samples. A share of 93 % of these has a
    # deviation of 1.1 %.
    found = simulation.measure_groups(np.random.default_rng(7), 0.8, 20, 6, False, 500)
    holds, _, _, width = found["wilson"]
    assert holds >= 93 - 4 * 1.1
    # No wider than one that knows the design effect has to be: it was 1.38 times without.
    assert width < 1.15 * found["delong"][3]


def test_placements_of_all_samples_at_once(simulation):
    # Tied and untied, against the variance of roc_auc_ci.
    rng = np.random.default_rng(8)
    pos, neg = rng.integers(0, 9, (5, 7)), rng.integers(-3, 6, (5, 11))
    areas, variances = simulation.spreads(pos, neg)
    for k in range(5):
        labels, scores = np.repeat([1, 0], [7, 11]), np.concatenate([pos[k], neg[k]])
        estimate = fastauc.roc_auc_ci(labels, scores)
        assert areas[k] == pytest.approx(estimate.statistic, rel=1e-13)
        assert math.sqrt(variances[k]) == pytest.approx(estimate.standard_error, rel=1e-12)
