"""What every function of inference owes, whatever its method: held against all calls of it."""

import inspect
import itertools
import math

import numpy as np
import pytest
from hypothesis import example, given, settings, strategies as st

import fastauc
from fastauc import inference
from fastauc._validation import threads
from support.laws import rows_of_both_classes
from support.public import PARAMETERS, PUBLIC, Rows, arguments_of, draw_rows, flat

pytestmark = pytest.mark.filterwarnings("ignore::fastauc.UndefinedMetricWarning")
ROWS = draw_rows(60)
FUNCTIONS = [name for name in inference.__all__ if inspect.isfunction(PUBLIC[name])]
SAMPLED = [name for name in FUNCTIONS if name not in ("placements", "roc_auc_power")]

# Calls --------------------------------------------------------------------------------------------

WEIGHTS, GROUPS = {"sample_weight": "weight:"}, {"groups": "group:"}
DESIGNS = {}, WEIGHTS, GROUPS, WEIGHTS | GROUPS
PARTS = {}, {"fpr_range": (0, 0.5)}, {"tpr_range": (0.5, 1)}
BOTH = {"sample_weight": ("weight:", None)}, {"groups": (None, "group:")}
SECOND_DESIGNS = {}, *BOTH, {"sample_weight": ("weight:",) * 2, "groups": ("group:",) * 2}
CURVES = {}, {"alternative": "greater"}, {"statistic": "roc_curve"}
SCHEMES = *DESIGNS, {"stratified": False}
NAMED = "roc_auc", "average_precision", "ks"


def of_counts(counts):
    return counts.ks()


def of_rows(y_true, y_score, sample_weight=None):
    return np.average((y_true - np.sqrt(y_score)) ** 2, weights=sample_weight)


CUSTOM = {"statistic": of_counts}, {"statistic": of_rows, "statistic_of": "rows"}
STATISTICS = [{"statistic": name} for name in NAMED]


def product(*choices):
    """Return the unions of one choice of each."""
    return [
        {k: v for part in parts for k, v in part.items()} for parts in itertools.product(*choices)
    ]


def methods(*names):
    return [{"method": name} for name in names]


BAND = {"simultaneous": True}
DRAWS = {"n_resamples": 9, "rng": 1}
RATES = {"given": "fpr"}, {"given": "tpr"}
RECALL = {"given": "recall"}
NET_BENEFIT = {"given": "threshold", "y_score": "share:"}

# The options of all calls; the values that are texts with a colon are columns.
CALLS = {
    "roc_auc_ci": product(DESIGNS, PARTS),
    "roc_auc_test": [
        *product(DESIGNS, PARTS),
        *product(PARTS, [{"alternative": "non-inferiority", "margin": 0.1}]),
    ],
    "roc_auc_test_1samp": product(DESIGNS, PARTS),
    "roc_auc_test_ind": [
        *product(SECOND_DESIGNS, PARTS),
        *product(PARTS, [{"alternative": "non-inferiority", "margin": 0.1}]),
    ],
    "permutation_test": CURVES,
    "permutation_test_1samp": [{}, {"alternative": "less"}],
    "compare_roc_auc": DESIGNS,
    "bootstrap_ci": [
        *product(STATISTICS, SCHEMES),
        *product(CUSTOM, [{}, GROUPS]),
    ],
    "bootstrap_test": product([*STATISTICS, *CUSTOM], DESIGNS),
    "curve_ci": [
        *product(RATES, DESIGNS),
        *product(RATES, [BAND], DESIGNS[1:]),
        *product([*RATES, RECALL], [BAND | DRAWS]),
        RECALL,
        *product([NET_BENEFIT], DESIGNS),
    ],
    "rate_test": [{"rate": rate} for rate in ("sensitivity", "accuracy", "precision", "npv")],
    "optimal_threshold_validation": product(
        methods("youden", "f1"), [{}, WEIGHTS], [{"stratified": False}, {}]
    ),
}


def ask(name, rows, options, **others):
    """Return what a function answers for rows; without weights unless the options have some."""
    columns = {f"{key}:": column for key, column in rows._asdict().items()}
    columns["share:"] = rows.score / 4
    columns["shares:"] = np.column_stack([columns["share:"], 1 - columns["share:"]])
    chosen = dict.fromkeys({"sample_weight"} & PARAMETERS[name].keys()) | options | others

    def told(value):
        if isinstance(value, tuple):
            return tuple(map(told, value))
        return columns.get(value, value) if isinstance(value, str) else value

    found = {key: told(value) for key, value in chosen.items()}
    return PUBLIC[name](**arguments_of(name, rows) | found)


def test_every_function_of_samples_is_called():
    assert CALLS.keys() == {*SAMPLED}


@pytest.mark.parametrize("name", CALLS)
def test_neither_the_order_of_the_rows_nor_the_threads_matter(name, monkeypatch):
    monkeypatch.setattr(threads, "ROWS_PER_THREAD", 20)
    order = np.random.default_rng(0).permutation(60)
    moved = Rows(*(column[order] for column in ROWS))
    for options in CALLS[name]:
        found = flat(ask(name, ROWS, options))
        assert flat(ask(name, moved, options)) == found, options
        for n_jobs in (2, 3):
            assert flat(ask(name, moved, options, n_jobs=n_jobs)) == found, options


@pytest.mark.parametrize("weights", [{}, WEIGHTS])
def test_threads_do_not_matter_where_each_makes_replicates(weights):
    many = Rows(*(np.tile(column, 850) for column in ROWS))
    for name, options in {
        "bootstrap_ci": STATISTICS[0],
        "bootstrap_test": CUSTOM[1],
        "optimal_threshold_validation": {"method": "f1"},
    }.items():
        options = options | weights | {"n_resamples": 17}
        found = [flat(ask(name, many, options, n_jobs=n_jobs)) for n_jobs in (1, 2, 3)]
        assert found[0] == found[1] == found[2], name


@pytest.mark.parametrize("name", CALLS)
def test_the_scale_of_the_scores_does_not_matter(name):
    if name in ("rate_test", "optimal_threshold_validation"):  # of thresholds
        return
    scaled = ROWS._replace(score=np.exp(ROWS.score), other=5 - 2 / (1 + ROWS.other))
    for options in CALLS[name]:
        if options.get("statistic") is not of_rows and "y_score" not in options:
            assert flat(ask(name, scaled, options)) == flat(ask(name, ROWS, options)), options


@pytest.mark.parametrize("name", CALLS)
def test_rows_of_weight_0_are_not_there(name):
    rows = ROWS._replace(weight=np.where(np.arange(60) % 7 == 3, 0, ROWS.weight))
    kept = Rows(*(column[rows.weight > 0] for column in rows))
    for options in CALLS[name]:
        if "sample_weight" in options and name != "roc_auc_test_ind":
            assert flat(ask(name, rows, options)) == flat(ask(name, kept, options)), options


EQUAL = "roc_auc_test", "roc_auc_test_ind", "bootstrap_test", "rate_test"
UNDEFINED = "pvalue", "standard_error", "confidence_interval", "low", "high", "auc", "covariance"


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("label", [0, 1])
def test_one_class_is_undefined(name, label):
    rows = ROWS._replace(label=np.full(60, label))
    for options in CALLS[name]:
        with pytest.warns(fastauc.UndefinedMetricWarning, match="Only one class is present"):
            found = ask(name, rows, options)
        numbers = [getattr(found, field, math.nan) for field in UNDEFINED]
        assert all(np.isnan(number).all() for number in numbers), options


# Widths -------------------------------------------------------------------------------------------

LABELED = rows_of_both_classes(st.integers(0, 3), st.integers(0, 3))
# Perfect scores are no proof either.
PERFECT = [(label, 3 * label, 2 * label) for label in (0, 1) for _ in range(6)]


def intervals(rows, names):
    """Yield (call, low, high) of everything that has an interval."""
    calls = [(name, options) for name in names for options in CALLS[name]]
    for name, options in calls:
        found = ask(name, rows, options)
        ends = found if name == "curve_ci" else getattr(found, "confidence_interval", None)
        if ends is not None:
            for low, high in zip(np.atleast_1d(ends.low), np.atleast_1d(ends.high), strict=True):
                yield f"{name} {options}", low, high
    shares = np.column_stack([(4 - rows.score) / 8, (4 + rows.score) / 8])
    found = inference.roc_auc_ci(rows.label, shares, multi_class="ovo")
    yield "classes", *found.confidence_interval
    pairs = inference.compare_roc_auc(rows.label, [rows.score, rows.other]).pairwise()
    yield "pairwise", pairs.low[0], pairs.high[0]
    mean = fastauc.groups.roc_auc_by_group(*rows[:2], rows.group).mean_ci()
    yield "mean_ci", *mean.confidence_interval


@settings(max_examples=5, deadline=None)
@given(LABELED)
@example(PERFECT)
def test_no_interval_of_a_sample_is_a_point(rows):
    label, a, b = map(np.array, zip(*rows, strict=True))
    place = np.arange(len(label))
    for other, names in (b, CALLS), (a, EQUAL):
        rows = Rows(label, a.astype(float), other.astype(float), 1 + place % 3, place // 2)
        for call_, low, high in intervals(rows, names):
            assert math.isnan(low) or low < high, call_


# Refused ------------------------------------------------------------------------------------------


# The arguments of a function that some methods use, and calls with those that each uses.
RANGES = {"fpr_range": (0, 0.5), "tpr_range": (0.5, 1)}
DESIGN = WEIGHTS | GROUPS
CLASSES = {"average": "weighted", "labels": [0, 1]}
OPTIONAL = {
    "roc_auc_ci": DESIGN | RANGES | CLASSES | {"standardized": False, "pos_label": 1},
    "curve_ci": DRAWS | DESIGN,
}
POS_LABEL = {"pos_label"}
USED = [
    ("roc_auc_ci", {}, {*DESIGN, *RANGES} | POS_LABEL),
    ("roc_auc_ci", PARTS[1], {*DESIGN, "standardized"} | POS_LABEL),
    ("roc_auc_ci", {"multi_class": "ovr", "y_score": "shares:"}, {*CLASSES}),
    ("curve_ci", {}, {*DESIGN}),
    ("curve_ci", BAND, {*DRAWS, *DESIGN}),
    ("curve_ci", BAND | GROUPS, {*DESIGN}),
    ("curve_ci", NET_BENEFIT, {*DESIGN}),
    ("curve_ci", RECALL, set()),
    ("curve_ci", RECALL | BAND, {*DRAWS}),
]


@pytest.mark.parametrize(("name", "options", "used"), USED)
def test_what_a_method_does_not_use_is_refused_by_name(name, options, used):
    for argument, value in OPTIONAL[name].items():
        given_ = options | {argument: value}
        if argument in used:
            ask(name, ROWS, given_)
        elif argument not in options:
            with pytest.raises(ValueError, match=rf"\b{argument}\b"):
                ask(name, ROWS, given_)


BAD_COLUMNS = [
    ("groups", [None, *range(59)], r"groups\[0\] is None; expected"),
    ("groups", [0, 1], r"groups has 2"),
    ("groups", np.array([1, "a"] * 30, object), r"groups\[1\] is 'a'; expected integers"),
    ("sample_weight", [1] * 59, "sample_weight has 59"),
    ("score_a", [math.nan] * 60, r"score_a\[0\] is nan"),
    ("score_b", [*range(59), math.nan], r"score_b\[59\] is nan"),
    ("score_b", [1, 2], "score_b has 2"),
    ("scores", [[1, 2]], r"scores\[0\] has 2"),
]
BAD_PAIRS = [
    ("groups", (None, [None] * 60), r"groups_b\[0\] is None"),
    ("sample_weight", ([-1] * 60, None), r"sample_weight_a\[0\] is -1"),
]


@pytest.mark.parametrize("name", SAMPLED)
def test_wrong_columns_are_named(name):
    bad = BAD_COLUMNS
    if name == "roc_auc_test_ind":
        bad = [*(each for each in bad if each[0] not in DESIGN), *BAD_PAIRS]
    for column, value, message in bad:
        if column in PARAMETERS[name]:
            with pytest.raises(ValueError, match=message):
                ask(name, ROWS, {}, **{column: value})
