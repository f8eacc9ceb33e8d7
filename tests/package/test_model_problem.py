"""The model problem of the sources: densities 2a of the positives and 2 - 2a of the negatives.

With the threshold t, TPR = 1 - t^2 and FPR = (1 - t)^2, whatever the prior p1. Most tests have no
sampling noise: the sample is a grid, see ``support/studies.py``. Gain, lift, K-S and the tenths of
all rows are in ``metrics/test_gains_model.py``.
"""

import math
from fractions import Fraction as F

import numpy as np
import pytest

import fastauc
from support.laws import model_problem
from support.studies import AREAS_UNDER_PRECISION, PRIORS, count_grid, grid

AREA = F(5, 6)

by_prior = pytest.mark.parametrize("prior", PRIORS.values(), ids=PRIORS)


def deviation(n_pos, n_neg):
    """Return the exact standard deviation of the area of a sample: Q1 = Q2 = 11/15."""
    spread = F(11, 15) - AREA**2
    variance = (AREA * (1 - AREA) + (n_pos - 1 + n_neg - 1) * spread) / (n_pos * n_neg)
    return math.sqrt(variance)


# Closed forms -----------------------------------------------------------------------------------


@by_prior
def test_s0_15_every_border_lies_on_the_curve(prior):
    n_cells = 1000
    labels, scores, weights = grid(n_cells, prior)
    fpr, tpr, _ = fastauc.roc_curve(labels, scores, sample_weight=weights, drop_intermediate=False)
    borders = np.arange(n_cells, -1, -1)
    # Quotients of integers below 2^53: each division is correctly rounded.
    np.testing.assert_array_equal(tpr, (n_cells**2 - borders**2) / n_cells**2)
    np.testing.assert_array_equal(fpr, (n_cells - borders) ** 2 / n_cells**2)


@by_prior
def test_s0_17_area_under_the_grid(prior):
    for n_cells in 1, 2, 10, 200, 1000:
        # The area does not depend on the prior.
        labels, scores, weights = grid(n_cells, prior)
        area = F(5 * n_cells**2 - 2, 6 * n_cells**2)
        # The promise for weighted areas is 4 ulp.
        tolerance = 4 * math.ulp(float(area))
        got = fastauc.roc_auc_score(labels, scores, sample_weight=weights)
        assert got == pytest.approx(float(area), rel=0, abs=tolerance)
        gini = fastauc.gini_score(labels, scores, sample_weight=weights)
        assert gini == pytest.approx(float(2 * area - 1), rel=0, abs=2 * tolerance)
        assert abs(float(area) - 5 / 6) <= 1 / (3 * n_cells**2) + 2**-53


@by_prior
def test_s0_19_area_of_yes_and_no_at_one_half(prior):
    labels, scores, weights = grid(1000, prior)
    assert fastauc.roc_auc_score(labels, scores >= 500, sample_weight=weights) == 3 / 4
    point = count_grid(1000, prior).at(500)
    # TPR = TNR = 3/4 there, so the accuracy is 3/4 for every prior.
    assert point.balanced_accuracy == point.accuracy == 3 / 4


@pytest.mark.parametrize(("prior", "area"), AREAS_UNDER_PRECISION.items(), ids=str)
def test_s3_03_area_under_precision_and_recall(prior, area):
    n_cells = 20_000
    labels, scores, weights = grid(n_cells, prior)
    value = fastauc.average_precision_score(labels, scores, sample_weight=weights)
    # Precision falls from 1 to p1 as recall grows, so steps from the right end of each cell lie
    # below the curve, by at most the widest cell (2 / K of the positives) times 1 - p1.
    assert 0 <= area - value <= 2 / n_cells * (1 - prior)
    precision, recall, _ = fastauc.precision_recall_curve(labels, scores, sample_weight=weights)
    upper = -np.sum(np.diff(recall) * precision[1:])
    assert value <= area <= upper


# Samples ----------------------------------------------------------------------------------------


# Section 4: positives, negatives; mean and deviation of average precision and of ks, found by
# simulation with 1,000 samples or more.
SPREADS = {
    "150 and 150": (150, 150, 0.0228306, (0.8348, 0.0248), (0.530, 0.045)),
    "1500 and 1500": (1500, 1500, 0.0072027, (0.8336, 0.0079), (0.507, 0.015)),
    "30 and 270": (30, 270, 0.0380509, (0.4595, 0.0811), (0.557, 0.072)),
    "300 and 2700": (300, 2700, 0.0120045, (0.4449, 0.0264), (0.513, 0.025)),
}


@pytest.mark.parametrize(("n_pos", "n_neg", "sd", "precision", "ks"), SPREADS.values(), ids=SPREADS)
def test_spread_of_small_samples(n_pos, n_neg, sd, precision, ks):
    # The source prints 0.012 for 3,000 rows, which is the deviation of the last line here and not
    # of balanced samples.
    n_samples = 1000
    rng = np.random.default_rng([21, n_pos, n_neg])
    values = []
    for _ in range(n_samples):
        counts = fastauc.confusion_matrix_at_thresholds(*model_problem(rng, n_pos, n_neg))
        values.append((counts.roc_auc(), counts.average_precision(), counts.ks()))
    area_mean, precision_mean, ks_mean = np.mean(values, axis=0)
    assert deviation(n_pos, n_neg) == pytest.approx(sd, rel=0, abs=5e-8)  # printed to 7 decimals
    # A mean of R samples has a deviation of sd / sqrt(R); a deviation has one of sd / sqrt(2 R),
    # for values that are nearly normal. Five of these.
    assert abs(area_mean - 5 / 6) < 5 * sd / math.sqrt(n_samples)
    assert abs(np.std(values, axis=0)[0] / sd - 1) < 5 / math.sqrt(2 * n_samples)
    # Two simulations differ by sqrt(2) times as much, and the table rounds at the given decimal.
    both = 5 * math.sqrt(2 / n_samples)
    assert abs(precision_mean - precision[0]) < both * precision[1] + 5e-5
    assert abs(ks_mean - ks[0]) < both * ks[1] + 5e-4
