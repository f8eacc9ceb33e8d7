"""The AUC by group of rows, by column of scores, and the quality of features."""

from fastauc.groups._by_column import (
    AucByColumn,
    FeatureQuality,
    feature_quality,
    roc_auc_by_column,
)
from fastauc.groups._by_group import AucByGroup, grouped_roc_auc_score, roc_auc_by_group

__all__ = [
    "AucByColumn",
    "AucByGroup",
    "FeatureQuality",
    "feature_quality",
    "grouped_roc_auc_score",
    "roc_auc_by_column",
    "roc_auc_by_group",
]


def __dir__() -> list[str]:
    return __all__
