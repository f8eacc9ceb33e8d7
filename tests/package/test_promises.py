"""What holds for every public function: one test for each promise, over the list of them.

Those on many rows, their order, threads and containers, are in ``reliability/test_promises.py``.
"""

import functools
import inspect
import itertools
import math
import re
import warnings

import numpy as np
import pytest

import fastauc
from support.public import (
    FUNCTIONS,
    OPTIONS,
    PARAMETERS,
    PUBLIC,
    Rows,
    arguments_of,
    call,
    draw_rows,
    flat,
    values,
)
from support.reliability import tried

OF_ROWS = [name for name in FUNCTIONS if "y_true" in PARAMETERS[name]]
OF_SCORES = [name for name in OF_ROWS if {"y_score", "score_a"} & PARAMETERS[name].keys()]
# What they answer belongs to each row.
OF_EACH_ROW = {"pairwise_loss", "placements", "sample_pairs", "sigmoid_roc_auc"}
# No more bins than rows.
NEEDED = {"gains_table": {"bins": 2}}

sizes = pytest.mark.parametrize("n", [2, 3, 9, 30])


def answer(name, rows, **options):
    return call(name, rows, **NEEDED.get(name, {}) | options)


def test_no_function_is_passed_over():
    others = {"auc_from_counts", "bayes_threshold", "rank_average"}
    others |= {"roc_auc_power", "roc_auc_test_ind"}  # inference/test_laws.py has the second
    assert {*FUNCTIONS} - {*OF_ROWS} == others
    assert len(OF_SCORES) > 40


@pytest.mark.check("properties")
@sizes
def test_the_order_of_the_rows_changes_no_bit(n):
    rng = np.random.default_rng([1, n])
    for seed in range(3):
        rows, order = draw_rows(n, seed=seed), rng.permutation(n)
        shuffled = Rows(*(column[order] for column in rows))
        for name in set(OF_ROWS) - OF_EACH_ROW:
            assert flat(answer(name, shuffled)) == flat(answer(name, rows)), name
            tried()


# A loss is one of the scores themselves; other answers have thresholds in them.
OF_THE_SCORES = {"net_benefit_curve", "pairwise_loss", "rate_test", "sigmoid_roc_auc"}
CURVES = {"det_curve", "gain_curve", "ks_curve", "lift_curve", "precision_recall_curve"}
CURVES |= {"profit_curve", "roc_curve"}
WITH_THRESHOLDS = {"confusion_matrix_at_thresholds", "gains_table", "ks_statistic"}
WITH_THRESHOLDS |= {"optimal_threshold", "optimal_threshold_validation", "roc_convex_hull"}


@pytest.mark.check("properties")
@sizes
def test_only_the_order_of_the_scores_matters(n):
    rows = draw_rows(n)
    mapped = rows._replace(score=rows.score**3 - 7, other=rows.other**3 - 7)  # without a rounding
    for name in set(OF_ROWS) - OF_THE_SCORES - WITH_THRESHOLDS:
        found, expected = answer(name, mapped), answer(name, rows)
        if name in CURVES:
            found, expected = found[:-1], expected[:-1]
        assert flat(found) == flat(expected), name
        tried()
    counts, mapped_counts = (answer("confusion_matrix_at_thresholds", r) for r in (rows, mapped))
    assert flat(mapped_counts[:4]) == flat(counts[:4])
    np.testing.assert_array_equal(mapped_counts.thresholds, counts.thresholds**3 - 7)


@pytest.mark.check("properties")
@sizes
def test_whole_weights_are_numbers_of_copies(n):
    # A lift of weights is rounded three times instead of once, and they have no p-value.
    names = {*fastauc.metrics.__all__} & {*OF_ROWS} - {"lift_curve", "ks_statistic"}
    for seed in range(3):
        rows = draw_rows(n, seed=seed)
        weights = np.random.default_rng([2, n, seed]).integers(0, 4, n)
        weights[:2] = 1, 2  # of both classes
        copies = Rows(*(np.repeat(column, weights) for column in rows))
        for name in sorted(names):
            if "sample_weight" in PARAMETERS[name]:
                weighted = answer(name, rows, sample_weight=weights)
                repeated = answer(name, copies, sample_weight=None)
                np.testing.assert_equal(values(weighted), values(repeated), err_msg=name)
                tried()


N_MANY = 2**45  # rows, which no memory would hold
COLUMNS = {"y_true", "y_true_a", "y_true_b", "y_score", "score_a", "score_b", "sample_weight"}
COLUMNS |= {"groups", "folds", "scores", "X", "y_scores", "x", "y", "n_pos", "n_neg"}
# As a broadcast array may have them.
MANY = {
    "integers": np.broadcast_to(np.int64(1), N_MANY),
    "a column": np.broadcast_to(np.int8(1), (N_MANY, 1)),
    "two columns": np.broadcast_to(np.array([0, 1]), (N_MANY, 2)),
    "objects": np.broadcast_to(np.array(True, object), N_MANY),
    "text": np.broadcast_to(np.array("1"), N_MANY),
}


def functions_of_columns():
    """Return functions with arguments of which some have an entry for each row."""
    rows, streaming = draw_rows(6), fastauc.streaming
    of_two = {"y_true": np.eye(6, 2, dtype=int), "y_score": np.eye(6, 2)}
    update = {"y_true": rows.label, "y_score": rows.score}
    counts = {"n_pos": rows.label, "n_neg": rows.label}
    found = [
        (fastauc.auc, {"x": rows.score, "y": rows.score}),
        (streaming.auc_from_counts, counts),
        (streaming.ScoreHistogram.from_counts, {"edges": range(5), **counts}),
        (streaming.RocAucAccumulator().update, update),
        (streaming.ScoreHistogram().update, update),
        (streaming.ScoreHistogram(weighted=True).update, update | {"sample_weight": rows.weight}),
        (fastauc.roc_auc_score, of_two | {"sample_weight": rows.weight}),
        (fastauc.average_precision_score, of_two),
        (fastauc.reports.report, update | {"sample_weight": rows.weight, "groups": rows.group}),
    ]
    for name in {*FUNCTIONS} - {"auc_from_counts", "roc_auc_power"}:
        given = arguments_of(name, rows) | NEEDED.get(name, {})
        given |= {key: [*given[key].T] for key in {"scores"} & given.keys()}
        group = (rows.group, rows.group) if name.endswith("_ind") else rows.group
        given |= dict.fromkeys({"groups", "folds"} & PARAMETERS[name].keys(), group)
        if len(COLUMNS & given.keys()) > 1:
            found.append((PUBLIC[name], {key: given[key] for key in given if key != "folds"}))
        if "folds" in given:
            found.append((PUBLIC[name], {key: given[key] for key in given if key != "groups"}))
    return found


@pytest.mark.check("malformed arguments")
@pytest.mark.parametrize("kind", MANY)
def test_lengths_are_compared_before_memory_is_taken(kind):
    message = r"inconsistent numbers|expected equal lengths|expected 6, like|y should be a 1d array"
    for function, given in functions_of_columns():
        known = {*inspect.signature(function).parameters}
        for key in COLUMNS & given.keys():
            values = MANY[kind]
            if isinstance(given[key], list | tuple):
                values = given[key][0], values
            for options in {}, {"nan_policy": "omit"}, {"higher_is_positive": False}:
                if options.keys() <= known:
                    with pytest.raises(ValueError, match=message):
                        function(**given | {key: values} | options)
                    tried()


@pytest.mark.check("malformed arguments")
def test_lengths_of_several_columns_of_labels_are_compared_before_memory_is_taken():
    many, few = MANY["two columns"], [[0.1, 0.2], [0.3, 0.4]]
    for score in fastauc.roc_auc_score, fastauc.average_precision_score:
        for columns in (many, few), (many, [0.1, 0.2]), ([[0, 1], [1, 0]], many):
            for weight in None, [1, 2]:
                with pytest.raises(ValueError, match="inconsistent numbers of samples"):
                    score(*columns, sample_weight=weight)
                tried()


# What is defined of negatives alone, and of positives alone in addition.
DEFINED = {"average_precision_score", "concordance", "confusion_matrix_at_thresholds"}
DEFINED |= {"net_benefit_curve", "precision_at_k", "precision_recall_curve", "profit_curve"}
OF_POSITIVES = {"gain_at", "gain_curve", "lift_at", "lift_curve", "pr_auc_score"}
OF_POSITIVES |= {"precision_at_recall", "recall_at_k"}
# An error as in scikit-learn, a column that says so, and no rows.
SAID_OTHERWISE = {"det_curve", "roc_auc_by_group", "sample_pairs"}


@pytest.mark.check("undefined metrics")
@pytest.mark.parametrize("label", [0, 1])
def test_one_class_gives_nan_and_a_warning_where_it_is_called(label):
    rows, undefined = draw_rows(30)._replace(label=np.full(30, label)), set()
    for name in set(OF_ROWS) - SAID_OTHERWISE:
        given = arguments_of(name, rows) | NEEDED.get(name, {})
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            found = PUBLIC[name](**given)
        assert {warning.filename for warning in caught} <= {__file__}, name
        is_warned = any(issubclass(w.category, fastauc.UndefinedMetricWarning) for w in caught)
        assert is_warned == ("nan" in repr(found)), name
        undefined |= {name} if is_warned else set()
        tried()
    assert undefined == set(OF_ROWS) - SAID_OTHERWISE - DEFINED - (OF_POSITIVES if label else set())


BAD_ROWS = {
    "NaN": ([0, 1], [math.nan, 1.0], None, "Input contains NaN."),
    "infinite": ([0, 1], [0.5, math.inf], None, "Input contains infinity"),
    "lengths": ([0, 1, 1], [0.5, 0.2], None, "inconsistent numbers of samples"),
    "no rows": ([], [], None, "0 sample"),
    "labels": ([2, 3], [0.5, 0.2], None, "pos_label"),
    "negative weight": ([0, 1], [0.5, 0.2], [1, -1], r"sample_weight\[1\] is -1"),
    "no weight": ([0, 1], [0.5, 0.2], [0, 0], "at least one non-zero number"),
}


@pytest.mark.check("malformed arguments")
@pytest.mark.parametrize("kind", BAD_ROWS)
def test_bad_rows_are_refused_by_every_function(kind):
    labels, scores, weights, text = BAD_ROWS[kind]
    for name in OF_SCORES:
        if (weights and "sample_weight" not in PARAMETERS[name]) or (
            (kind, name) == ("labels", "roc_auc_score")  # of which the greater one is positive
        ):
            continue
        given = {"y_true": labels, "sample_weight": weights, "groups": labels}
        given |= dict.fromkeys(("y_score", "score_a", "score_b"), scores)
        given = {key: value for key, value in given.items() if key in PARAMETERS[name]}
        if "groups" in given and name not in ("roc_auc_by_group", "grouped_roc_auc_score"):
            del given["groups"]
        with pytest.raises(ValueError, match=text):
            answer(name, draw_rows(2), **given)
        tried()


ARGUMENTS = ["y_true", "y_score", "score_a", "score_b", "sample_weight", "groups"]


@pytest.mark.check("malformed arguments")
@pytest.mark.parametrize("argument", ARGUMENTS)
def test_every_function_names_itself(argument):
    names = [name for name in OF_ROWS if argument in PARAMETERS[name]]
    for name in names:
        text = f"^The '{argument}' parameter of {name} must be "
        with pytest.raises(fastauc.InvalidParameterError, match=text):
            answer(name, draw_rows(30), **{argument: 1j})
        tried()
    assert len(names) >= 4


NAN, INF = math.nan, math.inf
BAD_VALUES = {
    "n_jobs": [0, 1.0, "2", True, NAN, [1]],
    "nan_policy": ["propagate", None, [1]],
    "pos_label": [[1], b"a", (0, 1), 1j],
    "adjust": ["x", 1],
    "alternative": ["both", "one-sided", 1],
    "average": ["other", 1],
    "bins": [0, 2.0, True],
    "confidence_level": [0, 1, 95, "0.9", NAN, True],
    "cost": [-1, NAN, INF, "1"],
    "drop_intermediate": [1, None],
    "given": ["x", None],
    "higher_is_positive": [None, 1, "score"],
    "interpolation": ["nearest", None],
    "k": [0, -1, 1.5, True, None, "3"],
    "kind": ["x", None],
    "margin": [-1, INF, NAN, "1", True, None],
    "max_fpr": [0, 2, NAN, "0.1"],
    "method": ["best", "Bootstrap", 1, ["exact"]],
    "multi_class": ["auto"],
    "n_pairs": [0, -1, 1.5, True, None],
    "n_resamples": [0, 1.5, True, "9"],
    "normalize": [1, None],
    "prevalence": [0, 1, -0.5, 1.5, NAN, "half", True, [0.5]],
    "rate": ["x", None],
    "return_gradient": [1, None],
    "revenue": [-1, INF],
    "rng": [-1, "x", 0.5, True],
    "scale": [0, -1.0, NAN, INF, "odds", True],
    "share": [-0.1, 1.5, NAN, "0.1", None, True, [0.1]],
    "simultaneous": [1],
    "standardized": [1, None],
    "statistic": ["auc", 1, None],
    "statistic_of": ["columns"],
    "stratified": [1, "yes"],
    "threshold_a": [NAN, "1"],
    "threshold_b": [NAN, "1"],
    "ties": ["row", None],
    "undefined": ["x", None],
    "use_continuity": [1],
    "weighting": ["x", None],
}
# They have a say in the options, or another option is asked for first.
MONEY = {"optimal_threshold", "optimal_threshold_validation"}
ELSEWHERE = {
    "cost": MONEY,
    "margin": {"roc_auc_power"},
    "multi_class": {"roc_auc_score"},
    "prevalence": MONEY,
    "revenue": MONEY | {"gains_table"},
    "pos_label": {"roc_auc_power"},
}
# Another option without which this one has no meaning.
MEANT = {
    ("curve_ci", "n_resamples"): {"simultaneous": True, "sample_weight": None},
    ("curve_ci", "rng"): {"simultaneous": True, "sample_weight": None},
    ("roc_auc_test", "margin"): {"alternative": "equivalence"},
    ("roc_auc_test_ind", "margin"): {"alternative": "equivalence"},
}
# Columns of rows, points of curves, and parts of plans, which have tests of their own.
OTHERS = {"cost_fp", "cost_fn", "limit", "labels", "fpr_range", "tpr_range", "at", "scores"}
OTHERS |= {"auc", "folds"}


def calls_with(option):
    """Yield what has an option, functions and methods of the counts: their names and calls."""
    rows = draw_rows(30)
    counts = fastauc.confusion_matrix_at_thresholds(rows.label, rows.score)
    skipped = ELSEWHERE.get(option, ())
    for name in {*FUNCTIONS}.difference(skipped):
        if option in PARAMETERS[name]:
            yield name, functools.partial(answer, name, rows, **MEANT.get((name, option), {}))
    for name, method in inspect.getmembers(type(counts), inspect.isfunction):
        if option in inspect.signature(method).parameters and name not in skipped:
            needed = OPTIONS.get(name) or OPTIONS.get(f"{name}_score", {})
            yield name, functools.partial(method, counts, **NEEDED.get(name, {}) | needed)


@pytest.mark.check("malformed arguments")
@pytest.mark.parametrize("option", BAD_VALUES)
def test_options_outside_their_domain_are_named(option):
    calls = list(calls_with(option))
    assert calls
    for value, (name, function) in itertools.product(BAD_VALUES[option], calls):
        text = rf"(?s)^The '{option}' parameter of {name} must be .*Got {re.escape(repr(value))}"
        with pytest.raises(fastauc.InvalidParameterError, match=text):
            function(**{option: value})
        tried()


def test_no_option_of_inference_is_passed_over():
    functions = {*fastauc.inference.__all__} & {*OF_ROWS}
    options = {option for name in functions for option in PARAMETERS[name]}
    assert options - {*ARGUMENTS} - OTHERS <= BAD_VALUES.keys()
