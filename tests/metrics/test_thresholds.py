"""The best threshold by each criterion, and that of the costs alone."""

import math
import warnings
from fractions import Fraction as F

import numpy as np
import pytest
from hypothesis import given, strategies as st

import fastauc
import naive
from support.laws import eighths, law, quarters, samples
from support.public import PUBLIC
from support.studies import THRESHOLD_CHOICES

SEVEN = [0, 0, 0, 1, 1, 1, 0], [0.5, 0.1, 0.2, 0.6, 0.2, 0.3, 0.0]
TEN = [1, 1, 1, 1, 0, 0, 0, 0, 0, 0], [0.7, 0.7, 0.2, 0.4, 0.2, 0.3, 0.1, 0.5, 0.2, 0.1]

IDS = ["-".join(map(str, choice.values())) for choice in THRESHOLD_CHOICES]


@pytest.mark.parametrize("choice", THRESHOLD_CHOICES, ids=IDS)
@law
@given(samples(eighths, scores=quarters, max_size=20), st.booleans(), st.booleans())
def test_thresholds_are_those_of_the_definition(choice, sample, weighted, higher):
    labels, scores, weights = sample
    weights = weights if weighted else None
    options = choice | {"sample_weight": weights, "higher_is_positive": higher}
    threshold, value, matrix = naive.optimal_threshold(labels, scores, **options)
    unreached = choice["method"] in ("max_fpr", "min_precision") and math.isinf(threshold)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found = fastauc.metrics.optimal_threshold(labels, scores, **options)
    assert [warning.category for warning in caught] == [UserWarning] * unreached
    assert found.threshold == threshold
    if choice["method"] == "closest_topleft":
        # The square root of a rounded fraction: half an ulp of each.
        assert found.value == pytest.approx(math.sqrt(value), rel=2**-52, abs=0)
    else:
        assert found.value == float(value)
    assert found.matrix == tuple(map(float, matrix))
    if higher and not unreached:
        counts = fastauc.confusion_matrix_at_thresholds(labels, scores, sample_weight=weights)
        assert counts.optimal_threshold(**choice) == found
        assert counts.at(found.threshold) == found.matrix


@pytest.mark.parametrize(
    "scores",
    [
        np.array([3, 0, 7, 9], np.uint8),
        np.array([3, 0, 7, 2**64 - 1], np.uint64),
        np.array([-(2**63), -(2**63) + 1, -5, 9]),
        np.array([-0.0, 1e-310, 0.5, 2], np.float32),
        [F(1, 3), F(1, 7), F(1, 2), F(2)],
        [False, False, True, True],
    ],
    ids=lambda scores: str(np.asarray(scores).dtype),
)
def test_scores_of_any_kind_that_are_lower_for_the_positives(scores):
    best = fastauc.metrics.optimal_threshold([1, 1, 0, 0], scores, higher_is_positive=False)
    assert best.threshold == max(scores[:2])
    assert best.matrix == (2, 0, 0, 2)
    assert "-0" not in repr(best.threshold)
    none = fastauc.metrics.optimal_threshold(
        [1, 1, 0, 0], scores, method="profit", cost=1, revenue=0, higher_is_positive=False
    )
    assert none.threshold == -math.inf
    table = fastauc.metrics.gains_table([1, 1, 0, 0], scores, bins=2, higher_is_positive=False)
    assert table["cum_pos_share"].tolist()[0] == 1
    assert table["max_score"].tolist() == [max(scores[:2]), max(scores)]
    assert table["min_score"].tolist() == [min(scores), min(scores[2:])]


def test_what_is_not_finite_is_named_as_it_was_given():
    for name in ("optimal_threshold", "gains_table"):
        with pytest.raises(ValueError, match=r"y_score\[1\] is inf;"):
            PUBLIC[name]([0, 1], [1.0, math.inf], higher_is_positive=False)


# What the documents print -----------------------------------------------------------------------


def best(sample, method, **options):
    return fastauc.metrics.optimal_threshold(*sample, method=method, **options)


@pytest.mark.check("published examples")
def test_printed_numbers_of_seven_rows():
    # Accuracy at inf, .6, .5, .3, .2, .1, 0: 4/7 5/7 4/7 5/7 5/7 4/7 3/7.
    found = best(SEVEN, "accuracy")
    assert (found.threshold, found.value) == (0.6, float(F(5, 7)))
    assert found.matrix == (4, 0, 2, 1)
    assert best(SEVEN, "youden")[:2] == (0.2, 0.5)
    assert best(SEVEN, "balanced_accuracy")[:2] == (0.2, 0.75)
    assert best(TEN, "youden")[:2] == (0.4, float(F(7, 12)))
    # All positives are found from 0.2 on, where half of the negatives are left.
    found = best(SEVEN, "min_recall", limit=1)
    assert (found.threshold, found.value, found.matrix.tn) == (0.2, 0.5, 2)


@pytest.mark.check("published examples")
def test_equal_error_rates():
    four = [0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]
    assert best(four, "equal_error_rate")[:2] == (0.4, 0.5)
    # fpr and fnr at .7 .5 .4 .3 .2: (0, 2) (1, 3) of 6 and 4: 0 1/2, 1/6 1/2, 1/6 1/4, 1/3 1/4.
    found = best(TEN, "equal_error_rate")
    # Between (1/6, 3/4) and (1/3, 3/4), the sum of the rates is 1 halfway.
    assert (found.threshold, found.value) == (0.4, 0.25)
    assert (found.matrix.fpr, found.matrix.fnr) == (1 / 6, 0.25)
    # On a diagonal of ties the curve crosses where no threshold is.
    tied = best(([0, 1] * 3, [2] * 6), "equal_error_rate")
    assert (tied.threshold, tied.value) == (math.inf, 0.5)
    # Nine tenths of the way from fpr 0 and fnr 3/4 to 1/3 and 1/4.
    uneven = best(([1, 1, 1, 0, 1, 0, 0], [3, 2, 2, 2, 1, 1, 0]), "equal_error_rate")
    assert (uneven.threshold, uneven.value) == (2, 0.3)


ROWS = [1, 0, 1, 0] * 5, [0.1, 0.9, 0.5, 0.4] * 5


@pytest.mark.parametrize("choice", [("min_precision", 0.9), ("max_fpr", 0.1)])
def test_a_limit_that_nothing_reaches_is_warned_of_once(choice):
    """Wherever a threshold is chosen: of rows, of counts, of bins, on the command line, for new."""
    choice = dict(zip(("method", "limit"), choice, strict=True))
    counts = fastauc.confusion_matrix_at_thresholds(*ROWS)
    made = fastauc.streaming.ScoreHistogram(bins=4, range=(0, 1)).update(*ROWS)
    for function, infinity in {
        lambda: fastauc.metrics.optimal_threshold(*ROWS, **choice): math.inf,
        lambda: fastauc.metrics.optimal_threshold(
            ROWS[0], [-score for score in ROWS[1]], higher_is_positive=False, **choice
        ): -math.inf,
        lambda: counts.optimal_threshold(**choice): math.inf,
        lambda: made.optimal_threshold(**choice): math.inf,
        lambda: fastauc.inference.optimal_threshold_validation(
            *ROWS, n_resamples=9, rng=0, **choice
        ): math.inf,
    }.items():
        named = f"{choice['method']}={choice['limit']} finds a positive: no row is predicted"
        with pytest.warns(UserWarning, match=named) as caught:
            assert function().threshold == infinity
        assert [warning.filename for warning in caught] == [__file__]


def test_limits_that_are_reached_are_not_warned_of():
    for choice in ({"method": "min_precision", "limit": 0.5}, {"method": "max_fpr", "limit": 0.5}):
        assert math.isfinite(fastauc.metrics.optimal_threshold(*ROWS, **choice).threshold)
    assert best(ROWS, "min_recall", limit=0).threshold == math.inf


@pytest.mark.parametrize(
    ("costs", "logit", "probability"),
    [
        ((1, 1), 0.0, 0.5),
        ((2, 1), 0.6931471805599453, 2 / 3),
        ((1, 4), -1.3862943611198906, 0.2),
        ((5, 1), 1.6094379124341003, 5 / 6),
    ],
)
def test_s1_03_the_threshold_of_the_costs(costs, logit, probability):
    assert fastauc.metrics.bayes_threshold(*costs, scale="logit") == logit
    assert fastauc.metrics.bayes_threshold(*costs) == probability
    assert fastauc.metrics.bayes_threshold(*costs) == float(naive.bayes_threshold(*costs))
    assert naive.bayes_threshold(*costs, scale="logit") == logit


def test_costs_of_any_size():
    assert fastauc.metrics.bayes_threshold(1e308, 1e308) == 0.5
    logit = fastauc.metrics.bayes_threshold(1e-308, 1e308, scale="logit")
    assert logit == pytest.approx(-2 * 308 * math.log(10), rel=1e-15)


# Ties between thresholds, bad input -------------------------------------------------------------


@pytest.mark.parametrize("labels", [[0, 0], [1, 1]])
def test_one_class_is_undefined(labels):
    for choice in THRESHOLD_CHOICES:
        with pytest.warns(fastauc.UndefinedMetricWarning):
            found = fastauc.metrics.optimal_threshold(labels, [0.1, 0.2], **choice)
        assert np.isnan([*found[:2], *found.matrix]).all()


BAD_CHOICES = [
    ({"method": "best"}, "'youden', 'balanced_accuracy', 'closest_topleft', 'accuracy', 'f1'"),
    ({"method": None}, "'method' parameter"),
    ({"method": "cost"}, "method='cost' of optimal_threshold requires cost_fp, which is None"),
    ({"method": "cost", "cost_fp": 1}, "requires cost_fn"),
    ({"method": "cost", "cost_fp": -1, "cost_fn": 1}, "'cost_fp' parameter"),
    ({"method": "cost", "cost_fp": 1, "cost_fn": math.inf}, "'cost_fn' parameter"),
    ({"method": "profit", "cost": math.nan, "revenue": 1}, "'cost' parameter"),
    ({"method": "youden", "cost_fp": 1}, "does not use cost_fp, which is 1; expected None"),
    ({"method": "youden", "prevalence": 0.5}, "does not use prevalence"),
    ({"method": "accuracy", "prevalence": 0}, r"'prevalence' .* float in the range \(0.0, 1.0\)"),
    ({"method": "accuracy", "prevalence": "half"}, "'prevalence' parameter"),
    ({"method": "max_fpr"}, "requires limit"),
    ({"method": "max_fpr", "limit": 1.1}, r"'limit' parameter .* a number in \[0, 1\]"),
    ({"method": "min_recall", "limit": True}, "'limit' parameter"),
]


@pytest.mark.parametrize(("choice", "text"), BAD_CHOICES, ids=[str(c) for c, _ in BAD_CHOICES])
def test_options_are_judged(choice, text):
    with pytest.raises(ValueError, match=text):
        fastauc.metrics.optimal_threshold(*SEVEN, **choice)
    counts = fastauc.confusion_matrix_at_thresholds(*SEVEN)
    with pytest.raises(ValueError, match=text):
        counts.optimal_threshold(**choice)


@pytest.mark.parametrize(
    ("costs", "scale", "name"),
    [((0, 1), "logit", "cost_fp"), ((1, -1), "logit", "cost_fn"), ((1, 1), "odds", "scale")],
)
def test_costs_are_judged(costs, scale, name):
    with pytest.raises(fastauc.InvalidParameterError, match=f"'{name}' parameter of bayes_thresh"):
        fastauc.metrics.bayes_threshold(*costs, scale=scale)
