"""Groups of several columns of ids: the combinations that occur, with the columns apart."""

import math
import re

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given, settings, strategies as st

import naive
from fastauc.groups import grouped_roc_auc_score, roc_auc_by_group

IDS = {
    "integers": st.integers(-2, 2),
    "sparse integers": st.sampled_from([-(2**63), 0, 5, 2**63 - 1]),
    "booleans": st.booleans(),
    "words": st.sampled_from(["b", "a", "ä", ""]),
    "days": st.sampled_from(["2024-03-05", "2023-12-31"]).map(np.datetime64),
}


@st.composite
def samples(draw):
    """Draw labels, scores, weights, and one to three columns of ids, which may be sorted."""
    n = draw(st.integers(1, 25))
    kinds = draw(st.lists(st.sampled_from(sorted(IDS)), min_size=2, max_size=3))
    columns = [np.array(draw(st.lists(IDS[k], min_size=n, max_size=n))) for k in kinds]
    if draw(st.booleans()):
        columns = [np.sort(column) for column in columns]
    y_true, y_score = (draw(st.lists(st.integers(0, k), min_size=n, max_size=n)) for k in (1, 3))
    weight = draw(st.none() | st.lists(st.sampled_from([0.0, 0.5, 2.0]), min_size=n, max_size=n))
    if weight is not None and not any(weight):
        weight[0] = 1.0
    return y_true, y_score, columns, weight


@given(samples())
@settings(max_examples=200)
def test_combinations_are_those_of_the_definition(sample):
    y_true, y_score, columns, weight = sample
    found = roc_auc_by_group(y_true, y_score, columns, sample_weight=weight)
    expected = naive.groups.roc_auc_by_group(y_true, y_score, columns, sample_weight=weight)
    assert [tuple(found.group[name].tolist()[i] for name in found.group.dtype.names)
            for i in range(len(found.group))] == [row[0] for row in expected]  # fmt: skip
    assert found.n_pos.tolist() == [row[2] for row in expected]
    assert found.n_neg.tolist() == [row[3] for row in expected]
    for auc, row in zip(found.auc.tolist(), expected, strict=True):
        # Within 4 ulp if weighted, as for a single column.
        assert (math.isnan(auc) and math.isnan(row[1])) or auc == pytest.approx(
            float(row[1]), rel=1e-15 if weight else 0, abs=0
        )


N = 200
RNG = np.random.default_rng(0)
Y_TRUE, Y_SCORE = RNG.integers(0, 2, N), RNG.random(N)
SITE, YEAR = RNG.choice(["s", "n"], N), RNG.integers(2020, 2023, N)
JOINED = np.char.add(SITE, YEAR.astype(str))
COLUMNS = {"site": SITE.tolist(), "year": YEAR.tolist()}
CONTAINERS = {
    "a list": ([SITE, YEAR], ("0", "1")),
    "a tuple of Series": ((pd.Series(SITE), pd.Series(YEAR)), ("0", "1")),
    "a list of Arrow arrays": ([pa.array(SITE), pa.array(YEAR)], ("0", "1")),
    "a mapping": (COLUMNS, ("site", "year")),
    "pandas": (pd.DataFrame(COLUMNS), ("site", "year")),
    "pandas, equal names": (pd.DataFrame(np.array([YEAR, YEAR]).T, columns=["g"] * 2), ("0", "1")),
    "pandas, categories": (pd.DataFrame(COLUMNS).astype("category"), ("site", "year")),
    "polars": ("polars", ("site", "year")),
    "Arrow": (pa.table(COLUMNS), ("site", "year")),
    "a matrix": (np.array([SITE == "s", YEAR]).T, ("0", "1")),
}


@pytest.mark.parametrize("container", CONTAINERS)
@pytest.mark.parametrize("level", [None, 0.9])
def test_every_container(container, level):
    groups, names = CONTAINERS[container]
    if container == "polars":  # has no wheel for every Python
        groups = pytest.importorskip("polars").DataFrame(COLUMNS)
    found = roc_auc_by_group(Y_TRUE, Y_SCORE, groups, confidence_level=level)
    joined = YEAR if "equal" in container else JOINED
    expected = roc_auc_by_group(Y_TRUE, Y_SCORE, joined, confidence_level=level)
    assert found.group.dtype.names == names
    for field in ("auc", "n_pos", "n_neg", "low", "high", "twice_u"):
        np.testing.assert_array_equal(getattr(found, field), getattr(expected, field))
    mean = grouped_roc_auc_score(Y_TRUE, Y_SCORE, groups)
    assert mean == grouped_roc_auc_score(Y_TRUE, Y_SCORE, joined)
    assert found.mean_ci() == expected.mean_ci()


def test_columns_are_apart_in_tables():
    found = roc_auc_by_group(Y_TRUE, Y_SCORE, COLUMNS)
    frame = found.to_pandas()
    assert list(frame.columns[:3]) == ["group_site", "group_year", "auc"]
    assert frame["group_year"].dtype == np.int64
    joined = frame["group_site"] + frame["group_year"].astype(str)
    assert joined.tolist() == np.unique(JOINED).tolist()
    assert str(found).splitlines()[0].split()[:3] == ["group_site", "group_year", "auc"]
    assert "<th>group_site</th><th>group_year</th>" in found._repr_html_()


def test_categories_are_in_their_own_order():
    ordered = pd.Categorical(SITE, categories=["s", "n", "unused"])
    found = roc_auc_by_group(Y_TRUE, Y_SCORE, [ordered, YEAR]).group.tolist()
    assert found == [(site, year) for site in "sn" for year in (2020, 2021, 2022)]


def test_one_column_is_no_combination():
    expected = roc_auc_by_group(Y_TRUE, Y_SCORE, SITE)
    for groups in (pd.DataFrame({"site": SITE}), {"site": SITE}, SITE[:, None], [SITE]):
        found = roc_auc_by_group(Y_TRUE, Y_SCORE, groups)
        assert found.group.tolist() == expected.group.tolist()
        assert found.auc.tolist() == expected.auc.tolist()


@pytest.mark.parametrize(
    ("groups", "message"),
    [
        ([SITE, YEAR[1:]], "y_true has 200, groups[1] has 199"),
        ({"site": SITE, "x": YEAR / 8}, "groups['x'][0] is "),
        (pd.DataFrame({"site": SITE, "x": [None] * N}), "Input groups['x'] contains NaN."),
        (np.array([SITE == "s", YEAR + 0.5]).T, "groups[:, 1][0] is "),
        ({}, "groups has no columns; expected at least one."),
        (np.empty((N, 0)), "groups has no columns; expected at least one."),
    ],
)
def test_errors_name_the_column(groups, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        roc_auc_by_group(Y_TRUE, Y_SCORE, groups)


def test_an_error_about_a_combination_names_it():
    with pytest.raises(ValueError, match=r"the first of them \('n', 2020\), with 1 positives"):
        grouped_roc_auc_score([1], [0.5], [np.array(["n"]), np.array([2020])], undefined="raise")
