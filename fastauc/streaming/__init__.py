"""Rows in chunks: histograms with certified bounds, refined to the exact AUC, and accumulators."""

from fastauc.streaming._accumulator import RocAucAccumulator
from fastauc.streaming._bounds import ScoreInterval
from fastauc.streaming._class_counts import auc_from_counts
from fastauc.streaming._histogram import ScoreHistogram
from fastauc.streaming._refinement import PassRecord, RefinedAuc, refine_roc_auc

__all__ = [
    "PassRecord",
    "RefinedAuc",
    "RocAucAccumulator",
    "ScoreHistogram",
    "ScoreInterval",
    "auc_from_counts",
    "refine_roc_auc",
]


def __dir__() -> list[str]:
    return __all__
