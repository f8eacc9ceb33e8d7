"""What a type checker knows of the public names: mypy checks this file, and test_typing runs it."""

from fractions import Fraction
from typing import Any, assert_type

import numpy as np
import pytest
from numpy.typing import NDArray

import fastauc

Y: list[int] = [0, 1, 0, 1, 1, 0]
S: NDArray[np.float64] = np.array([0.1, 0.4, 0.4, 0.8, 0.3, 0.2])


def areas() -> None:
    area = fastauc.roc_auc_score(Y, S, sample_weight=np.ones(6), n_jobs=1)
    assert_type(area, float)
    several = fastauc.roc_auc_score(np.eye(6), np.eye(6), average=None)
    assert_type(several, float | NDArray[np.float64])
    assert_type(fastauc.gini_score(Y, S), float)
    assert_type(fastauc.average_precision_score(Y, S), float)
    pairs = fastauc.concordance(Y, S)
    assert_type(pairs, fastauc.Concordance)
    assert_type(pairs.concordant, int)
    assert_type(pairs.fraction, Fraction)
    assert_type(pairs.auc, float)


def curves() -> None:
    fpr, tpr, _ = fastauc.roc_curve(Y, S)
    assert_type(fpr, NDArray[np.float64])
    assert_type(fastauc.auc(fpr, tpr), float)
    counts = fastauc.confusion_matrix_at_thresholds(Y, S)
    assert_type(counts, fastauc.ConfusionCounts)
    assert_type(counts.roc_auc(), float)
    assert_type(counts.at(0.4), fastauc.ConfusionMatrix)
    assert_type(counts.at(0.4).recall, float)
    assert_type(counts.at(0.4).intervals().f1.low, float)
    assert_type(counts.intervals(), fastauc.metrics.ResultTable)


def decisions() -> None:
    best = fastauc.metrics.optimal_threshold(Y, S)
    assert_type(best, fastauc.metrics.OptimalThreshold)
    assert_type(best.threshold, float)
    table = fastauc.metrics.gains_table(Y, S, bins=2)
    assert_type(table, fastauc.metrics.ResultTable)


def options() -> None:
    with pytest.raises(ValueError, match="nan_policy"):
        fastauc.gini_score(Y, S, nan_policy="drop")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="average"):
        fastauc.roc_auc_score(Y, S, average="macr")  # type: ignore[call-overload]
    with pytest.raises(ValueError, match="method"):
        fastauc.metrics.optimal_threshold(Y, S, method="yuden")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="alternative"):
        fastauc.inference.roc_auc_test(Y, S, S, alternative="two_sided")  # type: ignore[arg-type]


def intervals() -> None:
    estimate = fastauc.inference.roc_auc_ci(Y, S)
    assert_type(estimate, fastauc.inference.Estimate)
    assert_type(estimate.statistic, float)
    assert_type(estimate.confidence_interval, fastauc.inference.ConfidenceInterval)
    assert_type(estimate.confidence_interval.low, float)


def parts() -> None:
    histogram = fastauc.streaming.ScoreHistogram(bins=4, range=(0, 1)).update(Y, S)
    assert_type(histogram, fastauc.streaming.ScoreHistogram)
    assert_type(histogram.roc_auc(), fastauc.streaming.ScoreInterval)
    assert_type(histogram.to_bytes(), bytes)
    refined = fastauc.streaming.refine_roc_auc(histogram, lambda: [(Y, S)])
    assert_type(refined, fastauc.streaming.RefinedAuc)
    assert_type(refined.exact, bool)
    accumulator = fastauc.streaming.RocAucAccumulator()
    assert_type(accumulator.update(Y, S), fastauc.streaming.RocAucAccumulator)
    assert_type(accumulator.compute(), float)


def groups() -> None:
    by_group = fastauc.groups.roc_auc_by_group(Y, S, [1, 1, 1, 2, 2, 2])
    assert_type(by_group, fastauc.groups.AucByGroup)
    auc: NDArray[np.float64] | Any = by_group.auc
    assert len(auc) == 2


def displays() -> None:
    ax = pytest.importorskip("matplotlib.figure").Figure().subplots()
    roc = fastauc.plotting.RocCurveDisplay.from_predictions(Y, S, ax=ax, despine=True)
    assert_type(roc.add_hull().zoom(0.5), fastauc.plotting.RocCurveDisplay)
    table = fastauc.plotting.GainsTableDisplay.from_predictions(Y, S, ax=ax, bins=2)
    assert_type(table.plot(ax, name="again"), fastauc.plotting.GainsTableDisplay)
    with pytest.raises(TypeError):  # an option of another display
        fastauc.plotting.KsDisplay.from_predictions(Y, S, bins=2)


def wrong_arguments() -> None:
    # strict mode also refuses an ignore that nothing is wrong with.
    with pytest.raises(TypeError):  # an option by position
        fastauc.roc_auc_score(Y, S, None)  # type: ignore[call-overload]
    with pytest.raises(fastauc.InvalidParameterError):
        fastauc.roc_auc_score(Y, S, multi_class=1)  # type: ignore[call-overload]


EXAMPLES = (areas, curves, decisions, options, intervals, parts, groups, displays, wrong_arguments)
