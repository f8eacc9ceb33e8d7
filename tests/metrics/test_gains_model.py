"""Gain, lift, K-S and gains tables of the model problem: closed forms, met at every border.

Densities 2a of the positives and 2 - 2a of the negatives. The samples are grids with the exact mass
of each class in each cell as weights, so there is no sampling noise.
"""

import numpy as np
import pytest

import fastauc
from support.studies import TENTHS, border_of


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
