"""The values of the distribution of the scores of each class."""

import math
from typing import Any

import numpy as np

from fastauc._counts.confusion_counts import GainMethods, threshold_counts
from fastauc._counts.threshold_counts import ThresholdCounts
from fastauc._drawing import score_cells
from fastauc._validation.arrays import opposite

_MOST_BINS, _LEAST_BINS = 40, 10


def _usual_bins(steps: ThresholdCounts) -> int:
    if steps.is_weighted:
        return _MOST_BINS
    rice = math.ceil(2 * math.cbrt(steps.total))
    return min(max(rice, _LEAST_BINS), _MOST_BINS)


def distribution_of(
    counts: GainMethods, bins: int | None, threshold: float | None, higher_is_positive: bool
) -> dict[str, Any]:
    """Return the parameters of a ``ScoreDistributionDisplay``, without those of all displays.

    There is an edge at the ``threshold``, if there is one; NaN stands for one that is undefined.
    """
    steps = threshold_counts(counts)
    n_bins = _usual_bins(steps) if bins is None else bins
    cells = whole = score_cells.cells_of(steps)
    if bins is None and threshold is None:
        cells = score_cells.without_tails(whole)
    stepped = score_cells.edges_of_steps(cells, n_bins) if bins is None else None
    edges = score_cells.edges_between(cells, n_bins) if stepped is None else stepped
    cut = None
    if threshold is not None and not math.isnan(threshold):
        cut = float(threshold)
        cut = cut if higher_is_positive else 0 - cut
        edges, cut = score_cells.with_edge_at(edges, cut, cells, stepped is not None)
    bin_of = score_cells.find_bins(cells, edges)
    shares = []
    for rows, of_all in ((cells.neg, whole.neg), (cells.pos, whole.pos)):
        total = of_all.sum()
        sums = score_cells.sums_of_bins(bin_of, len(edges) - 1, rows)
        shares.append(sums / total if total > 0 else np.full(len(sums), np.nan))
    if not higher_is_positive:
        edges, shares = opposite(edges[::-1]), [share[::-1] for share in shares]
        cut = None if cut is None else 0 - cut
    return {
        "edges": edges,
        "neg_share": shares[0],
        "pos_share": shares[1],
        "share_outside": 1 - float((cells.neg + cells.pos).sum() / (whole.neg + whole.pos).sum()),
        "cut": cut,
    }
