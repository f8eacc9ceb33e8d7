"""Net benefit: its definition, the answers of other programs, and what is no probability."""

import math
from decimal import Decimal
from fractions import Fraction as F

import numpy as np
import pytest
from hypothesis import given, strategies as st

import fastauc
import naive
from fastauc.metrics import net_benefit_curve
from support.laws import eighths, law, samples

SIX = [0, 0, 1, 0, 1, 1], [0.1, 0.2, 0.3, 0.3, 0.4, 0.5]

# Both classes, many ties, scores of 0 and 1, and weights whose sums are exact.
tied_samples = samples(eighths, scores=st.integers(0, 8).map(lambda k: k / 8), max_size=20)
probabilities = st.floats(0, 1, exclude_max=True, allow_subnormal=False)
some_thresholds = st.lists(st.one_of(st.integers(0, 7).map(lambda k: k / 8), probabilities))
prevalences = st.floats(2.0**-40, 1, exclude_max=True)


def larger_terms(labels, scores, weights, pos_label, prevalence, exact):
    """Return the larger of what is gained and what is lost at each threshold."""
    net_benefit, _, thresholds = exact
    weights = weights or [1] * len(labels)
    of_class = [[], []]
    for label, score, weight in zip(labels, scores, weights, strict=True):
        of_class[label == pos_label].append((score, F(weight)))
    totals = [sum(weight for _, weight in part) for part in of_class]
    share = prevalence or totals[1] / sum(totals)
    lost = [
        sum(weight for score, weight in of_class[0] if score >= p)
        * ((1 - F(share)) / totals[0] * F(p) / (1 - F(p)))
        for p in thresholds
    ]
    return [max(loss, value + loss) for loss, value in zip(lost, net_benefit, strict=True)]


@law
@given(
    tied_samples,
    st.booleans(),
    st.sampled_from([0, 1]),
    st.none() | some_thresholds,
    st.none() | prevalences,
)
def test_curves_are_those_of_the_definition(sample, weighted, pos_label, thresholds, prevalence):
    labels, scores, weights = (column.tolist() for column in sample)
    weights = weights if weighted else None
    options = {"thresholds": thresholds, "prevalence": prevalence}
    given_rows = {"sample_weight": weights, "pos_label": pos_label}
    found = net_benefit_curve(labels, scores, **options, **given_rows)
    counts = fastauc.confusion_matrix_at_thresholds(labels, scores, **given_rows)
    for own, again in zip(found, counts.net_benefit_curve(**options), strict=True):
        assert own.dtype == np.float64
        np.testing.assert_array_equal(own, again)
    exact = naive.net_benefit_curve(labels, scores, **options, **given_rows)
    assert found[2].tolist() == exact[2]
    larger = larger_terms(labels, scores, weights, pos_label, prevalence, exact)
    for k, threshold in enumerate(exact[2]):
        # Ten roundings at most, each of a number no larger than this; see net_benefit_points.
        assert abs(F(found[0][k]) - exact[0][k]) <= larger[k] * F(1, 2**49)
        odds = F(threshold) / (1 - F(threshold))
        assert abs(F(found[1][k]) - exact[1][k]) <= max(1, odds) * F(1, 2**49)


# Other programs -----------------------------------------------------------------------------------


def treated(labels_and_counts, cut):
    """Return labels, scores and weights of so many rows at a cut, and of the others below it."""
    labels, scores, weights = [], [], []
    for label, (at_cut, total) in labels_and_counts.items():
        labels += [label, label]
        scores += [cut, 0]
        weights += [at_cut, total - at_cut]
    return labels, scores, weights


@pytest.mark.check("published examples")
def test_family_history_as_r_has_it():
    # dca(cancer ~ famhistory, df_binary) of dcurves, as r_dca_famhistory.csv in the tests of the
    # package for Python has it from R: 24 of 105 patients with cancer have a family history, and 91
    # of the 645 others.
    expected = {
        0.05: (0.025614035087719297, 0.09473684210526317),
        0.15: (0.010588235294117645, -0.011764705882352927),
        0.5: (-0.08933333333333335, -0.72),
    }
    labels, scores, weights = treated({1: (24, 105), 0: (91, 645)}, 1)
    found = net_benefit_curve(labels, scores, sample_weight=weights, thresholds=[*expected])
    # Six roundings by each program of numbers below 1, which are of 2^-54.
    np.testing.assert_allclose(np.transpose(found[:2]), [*expected.values()], rtol=0, atol=2**-50)


@pytest.mark.check("published examples")
def test_cases_and_controls_as_r_has_them():
    # df_case_control in test-dca.R of dcurves, with eight digits: so many of all reach 0.25.
    labels, scores, weights = treated({1: (114, 420), 0: (30, 330)}, 0.25)
    options = {"sample_weight": weights, "thresholds": [0.25], "prevalence": 0.15}
    of_model, of_all, _ = net_benefit_curve(labels, scores, **options)
    assert of_model == pytest.approx(0.01495671, rel=0, abs=5e-9)
    assert of_all == pytest.approx(-0.13333333, rel=0, abs=5e-9)


# Ends of the curve, one class, kinds of scores ----------------------------------------------------


def test_scores_of_1_have_no_threshold_of_their_own():
    net_benefit, of_all, thresholds = net_benefit_curve([0, 1, 1, 0], [0, 1, 0.5, 1])
    assert thresholds.tolist() == [0.5, 0]
    assert net_benefit.tolist() == [0.25, 0.5]
    assert of_all.tolist() == [0, 0.5]
    assert [column.tolist() for column in net_benefit_curve([0, 1], [1, 1])] == [[], [], []]


def test_thresholds_are_not_those_of_the_caller():
    thresholds = np.array([0.25, 0.5])
    found = net_benefit_curve(*SIX, thresholds=thresholds)
    assert not np.shares_memory(found[2], thresholds)
    assert [column.tolist() for column in net_benefit_curve(*SIX, thresholds=[])] == [[], [], []]


@pytest.mark.parametrize(
    "scores",
    [
        np.array([0.25, 0.5, 0.75, 0.5], np.float16),
        np.array([0.25, 0.5, 0.75, 0.5], np.float32),
        np.array([0.25, 0.5, 0.75, 0.5], np.longdouble),
        [F(1, 4), F(1, 2), F(3, 4), F(1, 2)],
        [Decimal("0.25"), Decimal("0.5"), Decimal("0.75"), Decimal("0.5")],
        np.array([[0.25], [0.5], [0.75], [0.5]]),
    ],
    ids=["half", "single", "long", "fractions", "decimals", "column"],
)
def test_probabilities_of_any_kind(scores):
    for thresholds in (None, [0.1, 0.5, 0.6]):
        expected = naive.net_benefit_curve(
            [0, 1, 1, 0], [0.25, 0.5, 0.75, 0.5], thresholds=thresholds
        )
        found = net_benefit_curve([0, 1, 1, 0], scores, thresholds=thresholds)
        # Of numbers up to 1.
        np.testing.assert_allclose(found, np.array(expected, float), rtol=0, atol=2**-49)


# Bad input ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("scores", "text"),
    [
        ([0.5, 0.2, 1.25], r"^y_score\[2\] is 1.25; expected a probability, a number in \[0, 1\]"),
        ([0.5, -0.25, 7], r"^y_score\[1\] is -0.25; expected a probability"),
        (np.array([0, 1, 2]), r"^y_score\[2\] is 2; expected a probability"),
        ([F(1, 2), F(4, 3), 1], r"^y_score\[1\] is 4/3; expected a probability"),
        ([0.5, math.nan, 2], r"^Input contains NaN. y_score\[1\] is nan"),
        ([[0.5, 0.5], [0.1, 0.9], [1, 0]], r"such as y_score\[:, 1\]"),
    ],
    ids=str,
)
def test_scores_are_judged(scores, text):
    for weights in None, [1, 2, 0]:
        with pytest.raises(ValueError, match=text):
            net_benefit_curve([0, 1, 1], scores, sample_weight=weights)


def test_scores_that_were_counted_are_judged():
    counts = fastauc.confusion_matrix_at_thresholds([0, 1, 1], [0.5, 2.5, -1])
    text = r"^ConfusionCounts.thresholds\[0\] is 2.5; expected a probability"
    with pytest.raises(ValueError, match=text):
        counts.net_benefit_curve()
    with pytest.raises(ValueError, match=r"^ConfusionCounts.thresholds\[2\] is -1.0;"):
        fastauc.confusion_matrix_at_thresholds([0, 1, 1], [0.5, 0.75, -1]).net_benefit_curve()


@pytest.mark.parametrize(
    ("thresholds", "text"),
    [
        ([0.5, 1], r"^thresholds\[1\] is 1.0; expected a probability, a number in \[0, 1\)"),
        ([0.5, -0.5, 2], r"^thresholds\[1\] is -0.5; expected"),
        ([math.nan], r"^thresholds\[0\] is nan; expected"),
        ([0.5, "x"], r"thresholds\[1\] is 'x'; expected a number"),
        ([[0.1, 0.2]], "thresholds must be one-dimensional"),
        (0.5, "'thresholds' parameter of net_benefit_curve must be an array-like or None"),
    ],
    ids=str,
)
def test_thresholds_are_judged(thresholds, text):
    counts = fastauc.confusion_matrix_at_thresholds(*SIX)
    for call in (lambda **given: net_benefit_curve(*SIX, **given)), counts.net_benefit_curve:
        with pytest.raises(ValueError, match=text):
            call(thresholds=thresholds)
