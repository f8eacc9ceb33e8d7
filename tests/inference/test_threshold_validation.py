"""The optimism of the best threshold: against its definition, and what cutpointr published."""

import math
from fractions import Fraction as F

import numpy as np
import pytest

import fastauc
import naive
from fastauc.inference import _resampling as resampling, optimal_threshold_validation
from support.studies import THRESHOLD_CHOICES


def draw(seed=1, n=40):
    rng = np.random.default_rng(seed)
    labels = rng.permutation(np.arange(n) % 3 == 0).astype(int)
    return labels, np.round(rng.normal(size=n) + labels, 1), rng.integers(1, 5, n) / 4


@pytest.mark.parametrize("choice", THRESHOLD_CHOICES, ids=lambda c: "-".join(map(str, c.values())))
def test_each_replicate_is_that_of_the_definition(choice, monkeypatch):
    seen, factors = [], resampling.Resampler.factors

    def remember(self, rng):
        drawn = factors(self, rng)
        seen.append([each.copy() for each in drawn])
        return drawn

    monkeypatch.setattr(resampling.Resampler, "factors", remember)
    labels, scores, weights = draw()
    for weight, stratified in (None, True), (weights, True), (weights, False):
        seen.clear()
        options = choice | {"sample_weight": weight}
        found = optimal_threshold_validation(
            labels, scores, **options, stratified=stratified, n_resamples=25, rng=2
        )
        assert len(seen) == 25
        # The rows of each class from the highest score down, those of one score by their weights.
        order = np.lexsort((np.ones(40) if weight is None else weight, scores, labels))[::-1]
        drawn = [[*of_pos, *of_neg] for of_pos, of_neg in seen]
        options["sample_weight"] = weight if weight is None else weight[order]
        rows = labels[order], scores[order], drawn
        threshold, value, rate, thresholds = naive.optimal_threshold_validation(*rows, **options)
        assert (found.threshold, found.thresholds.tolist()) == (threshold, thresholds)
        # Means of 25 doubles, and their differences; profits are up to 40.
        close = {"rel": 1e-12, "abs": 1e-13, "nan_ok": True}
        assert found.value == pytest.approx(value, **close)
        assert found.limited_rate == (rate and pytest.approx(rate, **close))
        best = fastauc.metrics.optimal_threshold(labels, scores, **choice, sample_weight=weight)
        apparent = best.value
        if choice["method"] == "equal_error_rate":
            tn, fp, fn, tp = map(F, best.matrix)
            apparent = float((fp / (fp + tn) + fn / (fn + tp)) / 2)
        assert (found.threshold, found.value.apparent) == (best.threshold, apparent)


@pytest.mark.check("published examples")
def test_what_cutpointr_published():
    # README of cutpointr 1.1: its data by the score, and the summary of 1,000 replicates of
    # cutpointr(suicide, dsi, suicide, boot_runs = 1000), where sensitivity and specificity are
    # added up: 1 more than Youden's index.
    tps = [0, 1, 2, 3, 4, 7, 16, 20, 28, 29, 32, 34, 36]
    fps = [0, 0, 1, 1, 1, 1, 6, 16, 44, 56, 68, 120, 496]
    scores = np.arange(11, -1, -1)
    scores = np.concatenate([np.repeat(scores, np.diff(counts)) for counts in (tps, fps)])
    labels, drawn = np.repeat([1, 0], [36, 496]), {"n_resamples": 4000, "rng": 0}
    found = optimal_threshold_validation(labels, scores, stratified=False, **drawn)
    assert found.threshold == 2
    assert round(found.value.apparent, 4) == 0.7518
    # Four errors of the difference of means of 1,000 and 4,000 with the deviations of 0.721, 0.053
    # and 0.091 that are printed.
    four = 4 * math.sqrt(1 / 1000 + 1 / 4000)
    assert abs(found.thresholds.mean() - 2.118) < 0.721 * four
    assert abs(found.value.in_bag - 0.758) < 0.053 * four
    assert abs(found.value.out_of_bag - 0.714) < 0.091 * four
    assert found.thresholds.std() == pytest.approx(0.721, rel=0.15)


def test_undefined():
    with pytest.warns(fastauc.UndefinedMetricWarning, match="Only one class"):
        found = optimal_threshold_validation([1, 1], [1, 2], method="min_recall", limit=0.5)
    assert math.isnan(found.threshold)
    assert np.isnan(found.value).all()
    assert np.isnan(found.limited_rate).all()
    with pytest.warns(fastauc.UndefinedMetricWarning, match="positives are all in one row"):
        found = optimal_threshold_validation([1, 0, 0], [2, 1, 3])
    assert (found.threshold, found.value.apparent, len(found.thresholds)) == (2, 0.5, 0)
    assert np.isnan(found.value[1:]).all()
    # By this seed both rows of a class are drawn in the only replicate.
    with pytest.warns(fastauc.UndefinedMetricWarning, match="not drawn belong to one class in all"):
        found = optimal_threshold_validation([1, 1, 0, 0], [2, 1, 3, 0], n_resamples=1, rng=0)
    assert math.isnan(found.value.out_of_bag)
    assert not math.isnan(found.value.corrected)
    for limit, message in (None, "requires limit"), (2, "'limit' parameter of optimal_threshold_v"):
        with pytest.raises(ValueError, match=message):
            optimal_threshold_validation([0, 1], [1, 2], method="max_fpr", limit=limit)
