"""The values of a calibration curve: predicted scores against observed shares of positives."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastauc._counts.confusion_counts import GainMethods, threshold_counts
from fastauc._counts.proportions import share_ends
from fastauc._drawing import score_cells
from fastauc._drawing.score_cells import ScoreCells
from fastauc._drawing.thinning import Doubles
from fastauc._validation.arrays import opposite

LEVEL = 0.95  # of the interval of each share
_N_BARS = 40


def calibrate(
    cells: ScoreCells, bin_of: NDArray[np.intp]
) -> tuple[Doubles, Doubles, Doubles, Doubles]:
    """Return the positives and the rows of the bins with rows, and bounds of their mean score."""
    held, bin_of = np.unique(bin_of, return_inverse=True)
    n_bins, in_cell = len(held), cells.neg + cells.pos
    rows = score_cells.sums_of_bins(bin_of, n_bins, in_cell)
    share = in_cell / rows[bin_of]  # divided first: sums of scores may overflow
    # A mean lies between the scores, but rounding can push it outside, even to infinity.
    low, high = (
        np.clip(score_cells.sums_of_bins(bin_of, n_bins, share * ends), ends[0], ends[-1])
        for ends in (cells.lows, cells.highs)
    )
    return score_cells.sums_of_bins(bin_of, n_bins, cells.pos), rows, low, high


def _bars_between(cells: ScoreCells, low: float, high: float) -> tuple[Doubles, Doubles]:
    """Return the edges of bins of the scores in a range, and how many rows each holds."""
    shown = (cells.lows >= low) & (cells.highs <= high)
    if not shown.any():
        return np.array([low, high]), np.zeros(1)
    inside = ScoreCells(*(values[shown] for values in cells))
    stepped = score_cells.edges_of_steps(inside, _N_BARS)
    edges = score_cells.edges_between(inside, _N_BARS) if stepped is None else stepped
    bin_of = score_cells.find_bins(inside, edges)
    return edges, score_cells.sums_of_bins(bin_of, len(edges) - 1, inside.neg + inside.pos)


def calibration_of(
    counts: GainMethods, bins: int, strategy: str, higher_is_positive: bool
) -> dict[str, Any]:
    """Return the parameters of a ``CalibrationDisplay``, without those of all displays."""
    steps = threshold_counts(counts)
    cells = score_cells.cells_of(steps)
    if strategy == "uniform":
        bin_of = score_cells.find_bins(cells, score_cells.edges_between(cells, bins))
    else:
        starts = counts.gains_table(bins=bins)["min_score"][::-1].astype(np.float64)
        bin_of = np.searchsorted(starts, cells.lows, "right") - 1
    pos, rows, low, high = calibrate(cells, bin_of)
    share = pos / rows
    ends = None if steps.is_weighted else share_ends(pos, rows, "wilson", LEVEL)
    is_probability = higher_is_positive and cells.are_probabilities()
    limits_of_scores = low[0], high[-1]
    if is_probability:
        limits_of_scores = limits_of_shares(low, high, share, *(ends or ()))
    edges, n = _bars_between(cells, *limits_of_scores)
    if not higher_is_positive:
        share, n, ends = share[::-1], n[::-1], ends and (ends[0][::-1], ends[1][::-1])
        low, high, edges = opposite(high[::-1]), opposite(low[::-1]), opposite(edges[::-1])
    is_known = bool((low == high).all())
    return {
        "prob_true": share,
        "prob_pred": low + (high / 2 - low / 2),  # halves: the difference may overflow
        "prob_true_low": None if ends is None else ends[0],
        "prob_true_high": None if ends is None else ends[1],
        "prob_pred_low": None if is_known else low,
        "prob_pred_high": None if is_known else high,
        "edges": edges,
        "n": n,
        "is_probability": is_probability,
    }


def limits_of_shares(*shares: Doubles) -> tuple[float, float]:
    """Return the limits of an axis of shares: from 0 or to 1 if there is little to gain."""
    given = np.concatenate(shares).tolist()
    low, high = max(min(given), 0.0), min(max(given), 1.0)
    low, high = 0.0 if low < high / 3 else low, 1.0 if high > 0.7 else high
    return (low, high) if low < high else (0.0, 1.0)
