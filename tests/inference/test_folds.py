"""The mean AUC over folds: its definition, the published formula, and how often it is right."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy import special

import fastauc
import naive
from fastauc.inference import roc_auc_ci

FOLDS = [0, 1] * 10
LABELS = [1, 1, 0, 0] * 5
ROWS = st.lists(
    st.tuples(*[st.integers(0, 4)] * 2, st.integers(0, 5), st.sampled_from([0, 1, 2])),
    min_size=20,
    max_size=20,
)


@pytest.mark.filterwarnings("ignore::fastauc.UndefinedMetricWarning")
@given(ROWS, st.booleans(), st.booleans())
def test_it_is_its_definition(rows, has_groups, has_weights):
    y_score, _, groups, weights = (list(column) for column in zip(*rows, strict=True))
    options = {"folds": FOLDS, "confidence_level": 0.9}
    options |= {"groups": groups} if has_groups else {}
    if has_weights and any(weights):
        options["sample_weight"] = weights
        if len({y for y, w in zip(LABELS, weights, strict=True) if w}) < 2:
            return
        if len({f for f, w in zip(FOLDS, weights, strict=True) if w}) < 2:
            return
    found = roc_auc_ci(LABELS, y_score, **options)
    statistic, error, bounds, _, _ = naive.roc_auc_ci(LABELS, y_score, **options)
    assert found.statistic == pytest.approx(statistic, rel=1e-15, nan_ok=True)
    # A root of a sum that may be a rounding error.
    assert found.standard_error == pytest.approx(error, rel=1e-9, abs=1e-9, nan_ok=True)
    if error == 0 or found.standard_error > 1e-9:
        assert found.confidence_interval == pytest.approx(bounds, abs=1e-9, nan_ok=True)


def ledell(y_true, y_score, folds):
    """Return the variance of theorem 3 of the paper, as printed: of folds of one size."""
    n, names = len(y_true), sorted({*folds})
    share = Fraction(sum(y_true), n)
    means = []
    for name in names:
        own = [(y, s) for y, s, f in zip(y_true, y_score, folds, strict=True) if f == name]
        pos, neg = ([s for y, s in own if y == label] for label in (1, 0))

        def wins(p, q):
            return Fraction(2 * (p > q) + (p == q), 2)

        area = sum(wins(p, q) for p in pos for q in neg) / Fraction(len(pos) * len(neg))
        squares = [((sum(wins(p, q) for q in neg) / len(neg) - area) / share) ** 2 for p in pos]
        squares += [
            ((sum(wins(p, q) for p in pos) / len(pos) - area) / (1 - share)) ** 2 for q in neg
        ]
        means.append(sum(squares) / Fraction(len(own)))
    return sum(means) / len(names) / n


def test_the_published_variance_but_for_the_degrees_of_freedom():
    # Four positives and four negatives in each of three folds: 4 / 3 of the published one.
    y_score = np.random.default_rng(1).integers(0, 9, 24)
    y_true, folds = np.tile([0, 1], 12), np.arange(24) // 8
    found = roc_auc_ci(y_true, y_score, folds=folds)
    expected = ledell(y_true.tolist(), y_score.tolist(), folds.tolist())
    assert found.standard_error**2 == pytest.approx(float(expected * Fraction(4, 3)), rel=1e-14)
    areas = [fastauc.roc_auc_score(y_true[folds == k], y_score[folds == k]) for k in range(3)]
    assert found.statistic == pytest.approx(np.mean(areas), rel=1e-15)


def test_by_hand():
    # AUCs of 1 and 1/2. Placements of the second: positives 1/2 and 1/2, negatives 1 and 0. The
    # influences of its negatives are 1/2 * 1/2 * 1/2 each, their squares add up to 1/32, times 2.
    y_true, y_score = [0, 0, 1, 1, 0, 0, 1, 1], [1, 2, 3, 4, 1, 4, 2, 3]
    found = roc_auc_ci(y_true, y_score, folds=[0, 0, 0, 0, 1, 1, 1, 1])
    assert found.statistic == 0.75
    assert found.standard_error == pytest.approx(1 / 4, rel=1e-15)


@pytest.mark.parametrize("design", [{}, {"groups": np.arange(60) // 2}])
def test_neither_the_order_of_the_rows_nor_the_threads_matter(design):
    rng = np.random.default_rng(4)
    y_true, y_score, weight = np.tile([0, 1], 30), rng.normal(size=60), rng.integers(0, 4, 60)
    columns = {"folds": np.arange(60) // 12, "sample_weight": weight, **design}
    found = roc_auc_ci(y_true, y_score, **columns)
    order = rng.permutation(60)
    moved = {name: column[order] for name, column in columns.items()}
    assert roc_auc_ci(y_true[order], y_score[order], n_jobs=2, **moved) == found
    kept = {name: column[weight > 0] for name, column in columns.items()}
    assert roc_auc_ci(y_true[weight > 0], y_score[weight > 0], **kept) == found


def test_what_is_undefined_or_refused():
    y_true, y_score = [0, 0, 1, 1, 0, 0, 1, 1], [1, 2, 3, 4, 1, 4, 2, 3]
    with pytest.warns(fastauc.UndefinedMetricWarning, match="fold of row 2 has no negatives"):
        found = roc_auc_ci(y_true, y_score, folds=["a", "a", "b", "b", "a", "a", "a", "a"])
    assert np.isnan([found.statistic, found.standard_error, *found.confidence_interval]).all()
    told = "fold of row 0 has positives of one row only"
    with pytest.warns(fastauc.UndefinedMetricWarning, match=told):
        found = roc_auc_ci(y_true, y_score, folds=[0, 0, 0, 1, 1, 1, 1, 1])
    assert found.statistic > 0
    assert math.isnan(found.confidence_interval.low)
    for options, message in (
        ({"folds": [3] * 8}, "folds has one value"),
        ({"folds": [0, 1]}, "folds has 2"),
        ({"folds": [0, 1] * 4, "fpr_range": (0, 0.5)}, "^fpr_range is given, but folds have whole"),
        ({"folds": [0, 1] * 4, "multi_class": "ovr"}, "^folds is given, but multi_class='ovr'"),
    ):
        with pytest.raises(ValueError, match=message):
            roc_auc_ci(y_true, y_score, **options)


@pytest.mark.ci
@pytest.mark.parametrize(
    ("n_pos", "n_neg", "n_folds", "size"),
    [(50, 50, 5, 1), (50, 50, 10, 1), (30, 300, 5, 1), (25, 25, 5, 4)],
)
def test_it_holds_the_mean_of_the_true_areas_of_the_models(n_pos, n_neg, n_folds, size):
    # Linear discriminants of four columns, fitted to the other folds: their true areas are known.
    # Rows of a cluster, which is in one fold, have half of their variance in common.
    rng, shift = np.random.default_rng(21), np.array([1, 0.5, 0, 0])
    label = np.repeat([1, 0], [n_pos, n_neg])
    units = np.arange(n_pos + n_neg)
    folds = np.concatenate([np.arange(n) % n_folds for n in (n_pos, n_neg)])
    label, units, folds = (np.repeat(column, size) for column in (label, units, folds))
    held, n_samples = 0, 300
    for _ in range(n_samples):
        columns = rng.standard_normal((len(label), 4))
        if size > 1:
            columns = (columns + rng.standard_normal((units[-1] + 1, 4))[units]) / math.sqrt(2)
        columns += np.outer(label, shift)
        score, true = np.empty(len(label)), []
        for fold in range(n_folds):
            fitted = folds != fold
            pos, neg = (columns[fitted & (label == k)] for k in (1, 0))
            within = (np.cov(pos.T) * len(pos) + np.cov(neg.T) * len(neg)) / fitted.sum()
            slope = np.linalg.solve(within, pos.mean(axis=0) - neg.mean(axis=0))
            score[~fitted] = columns[~fitted] @ slope
            true.append(special.ndtr(slope @ shift / math.sqrt(2 * slope @ slope)))
        groups = {"groups": units} if size > 1 else {}
        low, high = roc_auc_ci(label, score, folds=folds, **groups).confidence_interval
        held += low <= np.mean(true) <= high
    assert held / n_samples >= 0.935 - 4 * math.sqrt(0.935 * 0.065 / n_samples)
