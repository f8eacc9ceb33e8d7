"""AUC, average precision, K-S distance and ties of rows in memory, in little memory beside them.

The counts at all thresholds would take up 24 bytes a row. All four are sums, or the maximum, over
the thresholds, so the sorted rows are counted in blocks, and in integers: blocks change no bit.
"""

from fractions import Fraction
from itertools import pairwise

import numpy as np

from fastauc._counts.confusion_counts import count_sample, count_values
from fastauc._counts.ks import ks_distance
from fastauc._counts.precision_recall import mean_of_total, mean_precision, warn_if_no_positives
from fastauc._counts.roc import area as area_of_counts, tied_share
from fastauc._kernels import counts as _counts, sort_scan as _sort_scan
from fastauc._pairs.concordance import exact_area
from fastauc._pairs.sorted_rows import flip_of_low, sort_rows
from fastauc._validation.arrays import Array
from fastauc._validation.samples import BinarySample
from fastauc._validation.threads import Workers

_ROWS = 2**18  # of a block, whose counts stay in the caches

Measures = tuple[Fraction | None, float, float, float]


def measure_sample(sample: BinarySample, workers: Workers) -> Measures:
    """Return the AUC, the average precision, the K-S distance and the share of tied pairs.

    What a missing class leaves undefined is None or NaN, with a warning.
    """
    n_neg, n_pos = sample.n_neg, sample.n_pos
    if sample.weight is None and 0 < n_neg * n_pos < 2**63:
        counts = count_values(sample, workers)
        return _measure_rows(sample, workers) if counts is None else _measure_counts(*counts[:2])
    fps, tps, _ = count_sample(sample, workers)
    measures = _measure_counts(fps, tps)
    if sample.weight is not None and measures[0] is not None:
        # Weighted counts are rounded sums, from which the AUC would be less accurate.
        measures = exact_area(sample, workers), *measures[1:]
    return measures


def _measure_counts(fps: Array, tps: Array) -> Measures:
    area = area_of_counts(fps, tps) if fps[-1] > 0 and tps[-1] > 0 else None
    warn_if_no_positives(tps[-1])
    return area, mean_precision(fps, tps), ks_distance(fps, tps), tied_share(fps, tps)


def _measure_rows(sample: BinarySample, workers: Workers) -> Measures:
    """Return the measures of rows of both classes, of fewer than 2^63 pairs."""
    n_neg, n_pos, dtype = sample.n_neg, sample.n_pos, sample.score.dtype
    rows = sort_rows(sample, workers)
    twice_area = tied = precision = widest = 0
    fp = tp = 0
    regions = (rows.packed[rows.n_low :], 0), (rows.packed[: rows.n_low], flip_of_low(dtype))
    for region, flip in regions:
        for start, stop in _blocks(region):
            block = region[start:stop]
            # The last counts of the block before come first.
            fps, tps = np.empty((2, len(block) + 1), np.int64)
            n_low = len(block) if flip else 0
            outputs = fps[1:], tps[1:]
            n = _sort_scan.count_thresholds(block, n_low, flip, np.empty(0), *outputs)
            fps, tps = fps[: n + 1], tps[: n + 1]
            fps[0] = tps[0] = 0
            fps += fp
            tps += tp
            falls, rises = np.diff(fps), np.diff(tps)
            twice_area += int(np.dot(falls, tps[1:] + tps[:-1]))
            tied += int(np.dot(falls, rises))
            precision += _counts.sum_precision(fps, tps) - _counts.sum_precision(fps[:1], tps[:1])
            widest = max(widest, int(np.abs(tps * n_neg - fps * n_pos).max()))
            fp, tp = int(fps[-1]), int(tps[-1])
    pairs = n_neg * n_pos
    area = Fraction(twice_area, 2 * pairs)
    return area, mean_of_total(precision, n_pos), widest / pairs, tied / pairs


def _blocks(region: Array) -> list[tuple[int, int]]:
    """Return where to divide sorted rows, from the highest down, without splitting a tie."""
    places = region[np.arange(_ROWS, len(region), _ROWS)] | region.dtype.type(1)
    stops = np.searchsorted(region, places, "right").tolist()
    ends = sorted({0, *stops, len(region)})
    return list(pairwise(ends))[::-1]
