"""Gain, lift, K-S and gains tables of the model problem: closed forms, met at every border.

Densities 2a of the positives and 2 - 2a of the negatives. The samples are grids with the exact mass
of each class in each cell as weights, so there is no sampling noise.
"""

import math
from fractions import Fraction as F

import numpy as np
import pytest

import fastauc
from support.studies import PRIORS, TENTHS, border_of, count_grid, grid

by_prior = pytest.mark.parametrize("prior", PRIORS.values(), ids=PRIORS)

# The promise is 1e-12. Weights are whole numbers here, their sums exact, and the closed forms are
# computed with a few roundings of numbers up to 100.
CLOSE = 1e-12


@by_prior
def test_curves_meet_the_closed_forms_at_every_border(prior):
    n_cells = 1000
    labels, scores, weights = grid(n_cells, prior)
    theta = np.arange(n_cells, -1, -1) / n_cells
    tpr, fpr = 1 - theta**2, (1 - theta) ** 2
    rates = float(prior) * tpr + float(1 - prior) * fpr
    got_rates, got_tpr, thresholds = fastauc.metrics.gain_curve(
        labels, scores, sample_weight=weights
    )
    np.testing.assert_allclose(got_rates, rates, rtol=0, atol=CLOSE)
    np.testing.assert_allclose(got_tpr, tpr, rtol=0, atol=CLOSE)
    assert thresholds.tolist() == [math.inf, *range(n_cells - 1, -1, -1)]
    lift = fastauc.metrics.lift_curve(labels, scores, sample_weight=weights)[1]
    np.testing.assert_allclose(lift[1:], tpr[1:] / rates[1:], rtol=CLOSE, atol=0)
    assert lift[0] == lift[1]
    chart = fastauc.metrics.ks_curve(labels, scores, sample_weight=weights)
    for got, expected in zip(chart, (rates, tpr, fpr), strict=False):
        np.testing.assert_allclose(got, expected, rtol=0, atol=CLOSE)


@by_prior
def test_s3_18_where_the_distance_is_greatest(prior):
    labels, scores, weights = grid(1000, prior)
    found = fastauc.metrics.ks_statistic(labels, scores, sample_weight=weights)
    assert (found.statistic, found.threshold) == (0.5, 500)
    assert fastauc.ks_score(labels, scores, sample_weight=weights) == 0.5
    assert (found.tpr, found.fpr) == (0.75, 0.25)
    assert found.positive_rate == float(F(1, 4) + prior / 2)  # 0.3 for p1 = 0.1
    assert math.isnan(found.pvalue)


@pytest.mark.parametrize("prior", TENTHS, ids=str)
def test_s3_13_the_grid_of_tenths(prior):
    """Cells that end at each tenth of the rows: the numbers of section 3, to the printed digits."""
    table = TENTHS[prior]
    borders = np.array([*(border_of(row[0], prior) for row in reversed(table)), 1.0])
    weights = np.concatenate(
        [float(prior) * np.diff(borders**2), -float(1 - prior) * np.diff((1 - borders) ** 2)]
    )
    labels, scores = np.repeat([1, 0], len(table)), np.tile(borders[:-1], 2)
    counts = fastauc.confusion_matrix_at_thresholds(labels, scores, sample_weight=weights)
    made = counts.gains_table()
    split = counts.gains_table(ties="split")
    for k, (rate, tpr, fpr, ks, lift, precision) in enumerate(table):
        for got in (made, split):
            numbers = [got[name][k] for name in ("cum_pos_share", "cum_neg_share", "ks")]
            numbers += [got["cum_lift"][k], got["cum_response_rate"][k], got["cum_share"][k]]
            # Half a unit of the tenth decimal, which is all that is printed.
            expected = [tpr, fpr, ks, lift, precision, rate]
            np.testing.assert_allclose(numbers, expected, rtol=0, atol=5.1e-11)
        assert counts.gain_at(rate) == pytest.approx(tpr, rel=0, abs=5.1e-11)
        assert counts.lift_at(rate) == pytest.approx(lift, rel=0, abs=5.1e-11)
        # The ends of the cells are at these shares but for the rounding of ten sums.
        assert made["min_score"][k] == borders[len(table) - 1 - k]


@pytest.mark.parametrize("prior", [F(1, 2), F(1, 10)], ids=str)
def test_s3_12_top_ten_percent(prior):
    # Between borders the gain is a line below the concave curve, by at most an eighth of the square
    # of the width of a cell times the greatest curvature there.
    counts = count_grid(20_000, prior)
    gain, lift = {F(1, 2): (0.19, 1.9), F(1, 10): (0.4375, 4.375)}[prior]
    assert counts.gain_at(0.1) == pytest.approx(gain, rel=0, abs=1e-8)
    assert counts.lift_at(0.1) == pytest.approx(lift, rel=0, abs=1e-7)


@by_prior
@pytest.mark.parametrize("ties", ["group", "split"])
def test_s3_21_tables_lie_on_the_curves(prior, ties):
    n_cells = 1000
    counts = count_grid(n_cells, prior)
    made = counts.gains_table(bins=20, ties=ties)
    assert len(made) == 20
    np.testing.assert_allclose(made["share"].sum(), 1, rtol=0, atol=CLOSE)
    if ties == "split":
        np.testing.assert_allclose(made["share"], 1 / 20, rtol=0, atol=CLOSE)
    tpr = 1 - (made["min_score"] / n_cells) ** 2
    if ties == "group":
        np.testing.assert_allclose(made["cum_pos_share"], tpr, rtol=0, atol=CLOSE)
    assert made["ks"][-1] == 0
    assert made["cum_lift"][-1] == made["cum_share"][-1] == made["cum_neg_share"][-1] == 1
