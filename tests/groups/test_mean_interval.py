"""The interval of the mean area of groups: the definition and what is undefined."""

import math

import numpy as np
import pytest
from hypothesis import given, strategies as st

import fastauc
import naive
from fastauc.groups import grouped_roc_auc_score, roc_auc_by_group


def mean_ci(y_true, y_score, groups, **options):
    """Return the mean over groups with its interval."""
    return roc_auc_by_group(y_true, y_score, groups).mean_ci(**options)


WEIGHTINGS = ["equal", "size", "positives", "pairs"]
ROWS = st.lists(st.tuples(st.integers(0, 1), st.integers(0, 4), st.integers(0, 5)), max_size=30)


@given(ROWS, st.sampled_from(WEIGHTINGS))
def test_it_is_its_definition(rows, weighting):
    rows = [(1, 2, 0), (0, 1, 0), (1, 0, 1), (0, 3, 1), *rows]
    columns = [list(column) for column in zip(*rows, strict=True)]
    options = {"weighting": weighting, "confidence_level": 0.8}
    found = mean_ci(*columns, **options)
    expected = naive.grouped_roc_auc_ci(*columns, **options)
    assert found.statistic == grouped_roc_auc_score(*columns, weighting=weighting)
    assert found.statistic == float(expected[0])
    # Differences of doubles, each within 1e-16 of its own.
    assert found.standard_error == pytest.approx(expected[1], rel=1e-12, abs=1e-15)
    assert found.confidence_interval == pytest.approx(expected[2], rel=1e-10)


def test_groups_in_perfect_order_have_a_width():
    low, high = mean_ci([1, 0] * 5, [1, 0] * 5, np.arange(10) // 2).confidence_interval
    assert 0 < low < 0.9
    assert high == 1


def test_what_is_undefined():
    with pytest.warns(fastauc.UndefinedMetricWarning, match="one group has rows of both classes"):
        found = mean_ci([1, 0, 1], [2, 1, 0], [0, 0, 1])
    assert found.statistic == 1
    assert np.isnan([found.standard_error, *found.confidence_interval]).all()
    with pytest.warns(fastauc.UndefinedMetricWarning, match="No group has rows of both classes"):
        assert math.isnan(mean_ci([1, 0], [2, 1], [0, 1]).statistic)


@pytest.mark.parametrize(("name", "value"), [("weighting", "rows"), ("confidence_level", 0)])
def test_options_are_judged(name, value):
    with pytest.raises(fastauc.InvalidParameterError, match=f"The '{name}' parameter of mean_ci"):
        mean_ci([0, 1], [0, 1], [0, 0], **{name: value})


def test_weighted_rows_are_refused():
    areas = roc_auc_by_group([1, 0, 1, 0], [2, 1, 0, 1], [0, 0, 1, 1], sample_weight=[1, 2, 1, 1])
    with pytest.raises(ValueError, match=r"^sample_weight was given, but mean_ci expects"):
        areas.mean_ci()
