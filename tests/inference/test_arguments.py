"""What every function of inference owes: no argument in vain, and no interval without a width."""

import itertools
import math
import warnings

import numpy as np
import pytest
from hypothesis import example, given, settings, strategies as st

import fastauc
from fastauc import inference

Y = [0, 0, 0, 0, 1, 1, 1, 1, 0, 1]
A, B = [1, 2, 3, 6, 4, 5, 7, 8, 2, 6], [1, 5, 2, 4, 3, 6, 4, 2, 2, 9]
SHARES = np.column_stack([np.linspace(0.1, 0.8, 10), 1 - np.linspace(0.1, 0.8, 10)])
DESIGN = {"sample_weight": [1, 2] * 5, "groups": list(range(10))}
RANGES = {"fpr_range": (0, 0.5), "tpr_range": (0.5, 1)}
SECOND = {"y_true_b": Y, "sample_weight_b": [1, 2] * 5, "groups_b": list(range(10))}
DRAWS = {"n_resamples": 19, "rng": 1}
POINTS = {"stratified": False, "bayesian": True}

# A call by a method, and the arguments that it uses of those of the function.
CI = {
    **{
        (method, ""): (((Y, A), {"method": method}), {*DESIGN, *RANGES, "pos_label"})
        for method in ("wilson", "delong", "delong-logit")
    },
    **{
        (method, ""): (((Y, A), {"method": method}), {"pos_label"})
        for method in ("newcombe", "hanley-mcneil")
    },
    ("wilson", "part"): (
        ((Y, A), {"fpr_range": (0, 0.5)}),
        {*DESIGN, "standardized", "pos_label"},
    ),
    ("wilson", "classes"): (((Y, SHARES), {"multi_class": "ovr"}), {"average", "labels"}),
}
TEST = {
    **{
        (method, "pair"): (((Y, A, B), {"method": method}), {*DESIGN, *RANGES, *SECOND, "level"})
        for method in ("t", "delong", "score")
    },
    **{
        (method, "constant"): (((Y, A, 0.5), {"method": method}), {*DESIGN, *RANGES, "level"})
        for method in ("t", "delong", "score")
    },
    ("permutation", "pair"): (((Y, A, B), {"method": "permutation"}), {*DRAWS, "y_true_b"}),
    ("permutation", "constant"): (((Y, A, 0.5), {"method": "permutation"}), set()),
    ("permutation-random", "constant"): (
        ((Y, A, 0.5), {"method": "permutation-random"}),
        {*DRAWS},
    ),
    ("permutation-normal", "pair"): (((Y, A, B), {"method": "permutation-normal"}), set()),
}
CURVE = {
    ("binomial", "fpr"): (((Y, A), {"method": "binomial"}), set()),
    ("hilgers", "tpr"): (((Y, A), {"method": "hilgers", "given": "tpr"}), set()),
    ("bootstrap", "fpr"): (((Y, A), {"method": "bootstrap"}), {*DRAWS, *DESIGN, *POINTS}),
    ("dkw", "fpr"): (((Y, A), {"method": "dkw", "simultaneous": True}), set()),
    ("sup-t", "fpr"): (
        ((Y, A), {"method": "sup-t", "simultaneous": True}),
        {*DRAWS, *DESIGN, *POINTS},
    ),
    ("sup-t-binomial", "fpr"): (
        ((Y, A), {"method": "sup-t-binomial", "simultaneous": True}),
        {*DRAWS, *POINTS},
    ),
    ("binomial", "recall"): (((Y, A), {"given": "recall"}), set()),
    ("sup-t-binomial", "recall"): (
        ((Y, A), {"given": "recall", "simultaneous": True}),
        {*DRAWS},
    ),
}
VALUES = {
    "roc_auc_ci": (
        CI,
        DESIGN
        | RANGES
        | {"standardized": False, "average": "weighted", "labels": [0, 1], "pos_label": 1},
    ),
    "roc_auc_test": (TEST, DESIGN | RANGES | SECOND | DRAWS | {"margin": 0.1, "level": 0.9}),
    "curve_ci": (CURVE, DRAWS | DESIGN | POINTS),
}
CASES = [(function, *case) for function, (calls, _) in VALUES.items() for case in calls]


@pytest.mark.filterwarnings("ignore::fastauc.UndefinedMetricWarning")
@pytest.mark.parametrize(("function", "method", "of"), CASES)
def test_what_a_method_does_not_use_is_refused_by_name(function, method, of):
    calls, values = VALUES[function]
    (rows, options), used = calls[method, of]
    call = getattr(inference, function)
    for name, value in values.items():
        given_ = {{"level": "confidence_level"}.get(name, name): value}
        if name in ("sample_weight_b", "groups_b"):
            given_["y_true_b"] = Y
        if name in used:
            call(*rows, **options, **given_)
        elif not given_.keys() & options.keys():
            with pytest.raises(ValueError, match=rf"\b({'|'.join(given_)})\b"):
                call(*rows, **options, **given_)


# Missing scores and directions --------------------------------------------------------------------

FEW = {"n_resamples": 19, "rng": 0}
THRESHOLDS = {"threshold_a": 2, "threshold_b": 2}
PAIRED = {
    "roc_auc_test": {},
    "bootstrap_test": FEW,
    "roc_curve_test": FEW,
    "rate_test": {"threshold_a": 5, "threshold_b": 4},
}
LACKING = [1.0, math.nan, *A[2:]], [None, *B[1:8], math.nan, B[9]]
COMPLETE = [k for k in range(10) if k not in (0, 1, 8)]


def compare(y, a, b, **options):
    return fastauc.inference.compare_roc_auc(y, {"score_a": a, "score_b": b}, **options)


def paired(name):
    return compare if name == "compare_roc_auc" else getattr(inference, name)


@pytest.mark.parametrize("name", [*PAIRED, "compare_roc_auc"])
def test_rows_that_lack_either_score_are_left_out(name):
    call, options = paired(name), PAIRED.get(name, {})
    left = [[column[k] for k in COMPLETE] for column in (Y, A, B)]
    found = call(Y, *LACKING, nan_policy="omit", **options)
    assert repr(found) == repr(call(*left, nan_policy="omit", **options))
    assert repr(found) == repr(call(*left, **options))
    with pytest.raises(ValueError, match=r"contains NaN.*score_a.*\[1\] is nan"):
        call(Y, *LACKING, **options)
    with pytest.raises(fastauc.InvalidParameterError, match=r"nan_policy.*'drop'"):
        call(Y, *LACKING, nan_policy="drop", **options)


@pytest.mark.parametrize("name", ["roc_auc_test", "bootstrap_test", "roc_curve_test"])
def test_each_sample_leaves_its_own_rows_out(name):
    first, second = LACKING
    found = getattr(inference, name)(
        Y, first, second, y_true_b=Y, nan_policy="omit", **PAIRED[name]
    )
    kept = [(Y[0], *Y[2:]), (A[0], *A[2:]), B[1:8] + B[9:]]
    expected = getattr(inference, name)(*kept, y_true_b=Y[1:8] + Y[9:], **PAIRED[name])
    assert repr(found) == repr(expected)


def test_weights_and_groups_leave_with_their_rows():
    options = {"nan_policy": "omit", **DESIGN}
    left = {name: [column[k] for k in COMPLETE] for name, column in DESIGN.items()}
    rows = [[column[k] for k in COMPLETE] for column in (Y, A, B)]
    assert repr(inference.roc_auc_test(Y, *LACKING, **options)) == repr(
        inference.roc_auc_test(*rows, **left)
    )
    shares = np.column_stack([SHARES / 2, np.full(10, 0.5)])
    shares[4, 2] = math.nan
    rest = np.delete(np.arange(10), 4)
    labels = np.array([0, 1, 2, 0, 1, 2, 0, 1, 2, 0])
    found = inference.roc_auc_ci(labels, shares, multi_class="ovr", nan_policy="omit")
    assert repr(found) == repr(inference.roc_auc_ci(labels[rest], shares[rest], multi_class="ovr"))


@pytest.mark.parametrize("name", [*PAIRED, "compare_roc_auc"])
def test_scores_that_are_lower_for_positives(name):
    call, options = paired(name), PAIRED.get(name, {})
    expected = repr(call(Y, A, B, **options))
    for directions, (a, b) in (
        (False, (-1, -1)),
        ({"score_a": False}, (-1, 1)),
        ([True, False], (1, -1)),
        (np.array([True, False]), (1, -1)),
        ({"score_b": True}, (1, 1)),
    ):
        given_ = [a * score for score in A], [b * score for score in B]
        if name == "rate_test":
            options = {"threshold_a": 5 * a, "threshold_b": 4 * b}
        assert repr(call(Y, *given_, higher_is_positive=directions, **options)) == expected
    with pytest.raises(ValueError, match=r"higher_is_positive names 'c'.*'score_a', 'score_b'"):
        call(Y, A, B, higher_is_positive={"c": True}, **options)


def test_a_constant_and_a_second_sample_have_directions_too():
    points = [-score for score in A]
    found = inference.roc_auc_test(Y, points, 0.6, higher_is_positive={"score_a": False})
    assert repr(found) == repr(inference.roc_auc_test(Y, A, 0.6))
    options = {"y_true_b": Y, "higher_is_positive": (True, False)}
    found = inference.roc_auc_test(Y, B, points, **options)
    assert repr(found) == repr(inference.roc_auc_test(Y, B, A, y_true_b=Y))


# Widths -------------------------------------------------------------------------------------------

ROWS = st.lists(
    st.tuples(st.integers(0, 1), st.integers(0, 3), st.integers(0, 3)), min_size=4, max_size=14
).filter(lambda rows: len({label for label, *_ in rows}) == 2)


def intervals(rows):
    """Yield (name, low, high) of everything that has an interval, for rows of two scores."""
    y, a, b = map(list, zip(*rows, strict=True))
    group = [k // 2 for k in range(len(y))]
    designs = {"": {}, "weights": {"sample_weight": [1 + k % 3 for k in range(len(y))]}}
    designs |= {"groups": {"groups": group}}
    parts = {"": {}} | {name: {name: value} for name, value in RANGES.items()}
    for (design, given_), (part, of_part) in itertools.product(designs.items(), parts.items()):
        place, options = f"{design} {part}", given_ | of_part
        for method in ("wilson", "delong", "delong-logit"):
            found = inference.roc_auc_ci(y, a, method=method, **options)
            yield f"ci {method} {place}", *found.confidence_interval
        for method, second in itertools.product(("t", "delong", "score", None), (b, a, 0.6)):
            found = inference.roc_auc_test(y, a, second, method=method, **options)
            yield f"test {method} {place}", *found.confidence_interval
    for method in ("newcombe", "hanley-mcneil"):
        found = inference.roc_auc_ci(y, a, method=method)
        yield method, *found.confidence_interval
    shares = np.column_stack([(4 - np.array(a)) / 8, (4 + np.array(a)) / 8])
    found = inference.roc_auc_ci(y, shares, multi_class="ovo")
    yield "classes", *found.confidence_interval
    pairs = inference.compare_roc_auc(y, [a, b]).pairwise()
    yield "pairwise", pairs.low[0], pairs.high[0]
    for rate in ("sensitivity", "specificity", "accuracy", "precision", "npv"):
        found = inference.rate_test(y, a, b, **THRESHOLDS, rate=rate)
        yield f"rate_test {rate}", *found.confidence_interval
    for statistic in ("roc_auc", "average_precision", "ks"):
        for method in ("percentile", "basic", "bca", "logit"):
            found = inference.bootstrap_ci(y, a, statistic=statistic, method=method, **FEW)
            yield f"bootstrap {statistic} {method}", *found.confidence_interval
        for method, second in itertools.product(("t", "normal", "percentile", "basic"), (b, a)):
            found = inference.bootstrap_test(
                y, a, second, statistic=statistic, method=method, **FEW
            )
            yield f"bootstrap_test {statistic} {method}", *found.confidence_interval
    mean = fastauc.groups.roc_auc_by_group(y, a, group).mean_ci()
    yield "mean_ci", *mean.confidence_interval
    for given_, methods in (
        ("fpr", (*POINTWISE, *BANDS)),
        ("tpr", (*POINTWISE, *BANDS)),
        ("recall", ("binomial", "sup-t-binomial", "dkw")),
    ):
        for method in methods:
            at = [0.3, 0.7] if given_ == "recall" else [0, 0.3, 0.7]
            # A TPR of 0 has an FPR of 0 by definition, and an FPR of 1 a TPR of 1.
            at = at[1:] if given_ == "tpr" else at
            draws = FEW if method in ("bootstrap", "sup-t", "sup-t-binomial") else {}
            rule = {"given": given_, "method": method, "simultaneous": method in BANDS}
            found = inference.curve_ci(y, a, at, **rule, **draws)
            for rate, low, high in zip(at, found.low, found.high, strict=True):
                yield f"curve {given_} {method} {rate}", low, high


POINTWISE, BANDS = ("binomial", "hilgers", "bootstrap"), ("sup-t-binomial", "sup-t", "dkw")


# Perfect scores are no proof either.
PERFECT = [(label, 3 * label, 2 * label) for label in (0, 1) for _ in range(6)]


@settings(max_examples=10, deadline=None)
@given(ROWS)
@example(PERFECT)
def test_no_interval_of_a_sample_is_a_point(rows):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", fastauc.UndefinedMetricWarning)
        for name, low, high in intervals(rows):
            assert math.isnan(low) or low < high, name
