"""Samples of groups, and results compared with their definitions."""

import math

import pytest

import fastauc
import naive


def same(ours, theirs):
    return ours == theirs or (math.isnan(ours) and math.isnan(theirs))


def draw_sample(rng, n_rows, n_groups, n_scores=6):
    """Return labels, tied scores and ids, as lists."""
    return (
        rng.integers(0, 2, n_rows).tolist(),
        rng.integers(-n_scores, n_scores, n_rows).tolist(),
        rng.integers(0, n_groups, n_rows).tolist(),
    )


def check_by_group(y_true, y_score, ids=None, **options):
    """Compare the results of groups with the definition; unweighted areas to the last bit."""
    ours = fastauc.groups.roc_auc_by_group(y_true, y_score, ids, **options)
    theirs = naive.roc_auc_by_group(y_true, y_score, ids, **options)
    assert ours.group.tolist() == [row[0] for row in theirs]
    for i, (_, area, n_pos, n_neg, undefined, low, high) in enumerate(theirs):
        assert (ours.n_pos[i], ours.n_neg[i], ours.undefined[i]) == (n_pos, n_neg, undefined)
        if options.get("sample_weight") is None:
            assert same(ours.auc[i], float(area))
        else:
            # The quanta of the weights are what they are in roc_auc_score: within 4 ulp.
            assert undefined or abs(ours.auc[i] - area) <= 4 * math.ulp(area)
            assert undefined == math.isnan(ours.auc[i])
        if low is None:
            assert ours.low is ours.high is None
        else:
            # Some ten operations on doubles of the same size.
            assert (ours.low[i], ours.high[i]) == pytest.approx((low, high), rel=1e-13, nan_ok=True)
    return ours
