"""The model problem of the sources: densities 2a of the positives and 2 - 2a of the negatives.

With the threshold t, TPR = 1 - t^2 and FPR = (1 - t)^2, whatever the prior p1. The samples are
grids without sampling noise, see ``support/studies.py``. Gain, lift, K-S and the tenths of
all rows are in ``metrics/test_gains_model.py``.
"""

import math
from fractions import Fraction as F

import numpy as np
import pytest

import fastauc
from support.studies import AREAS_UNDER_PRECISION, PRIORS, count_grid, grid

by_prior = pytest.mark.parametrize("prior", PRIORS.values(), ids=PRIORS)


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
