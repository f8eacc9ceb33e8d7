"""What every public function answers to a few hundred inputs, the command line included, as JSON.

    python tests/support/recorded_answers.py             # what differs from tests/data/answers.json
    python tests/support/recorded_answers.py --update    # write it anew, to be read in the diff

For changes that must change nothing. What is counted and divided is compared to the last bit. What
goes through exp, log or a matrix product, whose last digits depend on the processor, is recorded
value by value and compared within the bounds that docs/limits.md states, which ``within`` holds.
"""

import contextlib
import functools
import hashlib
import inspect
import io
import itertools
import json
import math
import operator
import os
import re
import sys
import tempfile
import warnings
from pathlib import Path

import numpy as np

import fastauc
from fastauc import boosters, files
from fastauc._cli import main as cli
from fastauc.files import _memory

if not __package__:  # run as a command, which finds only what lies beside it
    sys.path.insert(0, str(Path(__file__).parents[1]))
from support import public
from support.public import PUBLIC

DATA = Path(__file__).parents[1] / "data"
_memory.LEAST_LIMIT = 1
RECORDED = DATA / "answers.json"
SHORT = 6  # arrays up to this length are recorded as they are
LONG = 100  # characters
# Where answers that may differ in their last digits stand: by field, or by function.
PVALUES = re.compile(r"/(adjusted_)?pvalue(/|$)")
LIMITS = re.compile(r"/(\w+_)?(low|high)(/|$)|^/(power|bayes_threshold|sigmoid_roc_auc)\(")


# Inputs -------------------------------------------------------------------------------------------


def binary_samples():
    """Yield (name, labels, scores, weights) of samples of all kinds."""
    rng = np.random.default_rng(20)
    for n, share in ((6, 0.5), (300, 0.5), (20_000, 0.2)):
        label = (rng.random(n) < share).astype(int)
        label[:2] = 0, 1
        score = np.round(rng.random(n) + 0.3 * label, 9)
        weight = rng.integers(1, 9, n) / 4
        yield f"continuous{n}", label, score, None
        yield f"weighted{n}", label, score, weight
        yield f"tied{n}", label, np.round(score, 1), None
        yield f"tied_weighted{n}", label, np.round(score, 1), weight
        yield f"single{n}", label, score.astype(np.float32), None
        yield f"sorted{n}", label, np.sort(score), None
        yield f"integers{n}", label, (100 * score).astype(np.int64), None
        yield f"clustered{n}", label, np.round(score * 5) + 1e-9 * rng.random(n), None
    yield "lists", [0, 1, 1, 0, 1], [0.1, 0.4, 0.4, 0.2, 0.9], None
    yield "bools", [False, True, True, False], [1, 2, 3, 2], [1, 2, 1, 0]
    yield "signs", [-1, 1, 1, -1, -1], [0.5, 0.25, 1, 0.5, -3], None
    yield "texts", ["no", "yes", "no", "yes"], [0.1, 0.4, 0.2, 0.9], None
    yield "perfect", [0, 0, 1, 1], [1, 2, 3, 4], None
    yield "constant", [0, 0, 1, 1, 0, 1], [1.0] * 6, None
    yield "one_class", [1, 1, 1], [0.1, 0.4, 0.2], None
    yield "negatives_only", [0, 0, 0], [0.1, 0.4, 0.2], None
    yield "nan", [0, 1, 0], [0.1, math.nan, 0.2], None
    yield "infinite", [0, 1, 0], [0.1, math.inf, 0.2], None
    yield "bad_weight", [0, 1, 0], [0.1, 0.3, 0.2], [1, -1, 1]
    yield "no_weight", [0, 1, 0], [0.1, 0.3, 0.2], [0, 0, 0]
    yield "lengths", [0, 1, 0], [0.1, 0.3], None
    yield "weights_lengths", [0, 1, 0], [0.1, 0.3, 0.5], [1, 2]
    yield "empty", [], [], None
    yield "three_classes", [0, 1, 2], [0.1, 0.3, 0.2], None
    yield "matrix", [0, 1, 0], [[0.1], [0.3], [0.2]], None
    yield "objects", [0, 1, 0], np.array([0.1, "x", 0.2], object), None


REFUSED = {"nan", "infinite", "bad_weight", "no_weight", "lengths", "weights_lengths", "empty"}
REFUSED |= {"three_classes", "matrix", "objects"}

# What the functions of labels and scores are called with. Those of ``fastauc.metrics`` that are not
# here are called with what they need.
OPTIONS = {
    "average_precision_score": [{}, {"pos_label": 0}, {"average": "other"}],
    "bootstrap_ci": [
        {"n_resamples": 60, "rng": 1},
        {"n_resamples": 60, "rng": 2, "statistic": "ks"},
        {"n_resamples": 60, "rng": 3, "statistic": "average_precision"},
    ],
    "concordance": [{}, {"n_jobs": 2}],
    "confusion_matrix_at_thresholds": [{}, {"pos_label": 0}],
    "curve_ci": [
        {"at": [0.1, 0.5]},
        {"at": [0.1, 0.5], "given": "tpr"},
        {"n_resamples": 60, "rng": 5, "at": [0.1, 0.5], "given": "tpr", "simultaneous": True},
        {"at": [0.1, 0.5], "given": "recall"},
        {"n_resamples": 60, "rng": 5, "at": [0.1, 0.5], "given": "recall", "simultaneous": True},
    ],
    "det_curve": [{}, {"drop_intermediate": True}],
    "fpr_at_tpr": [{"tpr": 0.75}, {"tpr": [0.1, 0.9], "interpolation": "step"}],
    "gain_at": [{"share": 0.2}, {"share": 0.5, "pos_label": 0}],
    "gain_score": [{}, {"pos_label": 0}],
    "gains_table": [{}, {"bins": 3, "ties": "split", "cost": 1, "revenue": 7}],
    "ks_score": [{}, {"pos_label": 0}],
    "ks_statistic": [{}, {"method": "continuous"}, {"method": "asymp"}],
    "lift_at": [{"share": 0.2}, {"share": 2}],
    "optimal_threshold": [
        *(
            {"method": method}
            for method in ("youden", "closest_topleft", "f1", "accuracy", "equal_error_rate")
        ),
        {"method": "cost", "cost_fp": 1, "cost_fn": 5},
        {"method": "profit", "cost": 1, "revenue": 7},
        {"method": "max_fpr", "limit": 0.2},
        {"method": "min_precision", "limit": 0.5},
        {"method": "cost"},
    ],
    "pairwise_loss": [{}, {"kind": "square"}, {"kind": "hinge", "return_gradient": False}],
    "partial_roc_auc_score": [
        {"fpr_range": (0, 0.3)},
        {"tpr_range": (0.5, 1), "standardized": False},
        {"fpr_range": (0.5, 0.2)},
    ],
    "placements": [{}],
    "pr_auc_score": [{}, {"interpolation": "davis-goadrich"}, {"prevalence": 0.2}],
    "pr_gain_auc_score": [{}, {"pos_label": 0}],
    "precision_at_k": [{"k": 3}],
    "precision_at_recall": [{"recall": 0.5}, {"recall": 0.7, "interpolation": "step"}],
    "precision_recall_curve": [{}, {"drop_intermediate": True}],
    "profit_curve": [{"cost": 1, "revenue": 7}],
    "recall_at_k": [{"k": 3}, {"k": 0}],
    "roc_auc_at_k": [{"k": 3}],
    "roc_auc_ci": [
        {},
        {"confidence_level": 0.5},
        {"fpr_range": (0, 0.3)},
        {"tpr_range": (0.5, 1)},
        {"confidence_level": 95},
    ],
    "roc_auc_score": [{}, {"max_fpr": 0.3}, {"max_fpr": 2}, {"n_jobs": 2}],
    "roc_curve": [{}, {"drop_intermediate": False}, {"pos_label": 0}],
    "tpr_at_fpr": [{"fpr": 0.1}, {"fpr": [0, 0.3, 1], "interpolation": "step"}],
}
SLOW = {"bootstrap_ci", "curve_ci", "pairwise_loss"}
PLAIN_WEIGHT = "sample_weight"


def options_of_functions():
    """Return {function: options of its calls}, in alphabetical order."""
    metrics = {name for name in fastauc.metrics.__all__ if inspect.isfunction(PUBLIC[name])}
    sampled = {name for name in metrics if "y_true" in inspect.signature(PUBLIC[name]).parameters}
    needed = {name: [public.OPTIONS.get(name, {})] for name in sampled}
    return dict(sorted((needed | OPTIONS).items()))


def binary_cases():
    """Yield (key, call) of the functions of labels and scores, for every sample."""
    options_of = options_of_functions()
    for name, label, score, weight in binary_samples():
        for function, all_options in options_of.items():
            public = PUBLIC[function]
            if weight is not None and PLAIN_WEIGHT not in inspect.signature(public).parameters:
                continue
            if function in SLOW and len(label) > 300:
                continue
            # What is refused is refused in the same way whatever the options.
            for options in all_options[:1] if name in REFUSED else all_options:
                told = told_by(options)
                given = options if weight is None else options | {PLAIN_WEIGHT: weight}
                call = functools.partial(public, label, score, **given)
                yield f"{function}({name}{told})", call


def several_scores():
    """Return labels, three columns of scores with gaps, weights and groups."""
    rng = np.random.default_rng(21)
    label = rng.integers(0, 2, 240)
    scores = np.round(rng.random((240, 3)) + label[:, None] * [0.1, 0.3, 0.5], 2)
    return label, scores, rng.integers(1, 5, 240) / 2, rng.integers(0, 30, 240)


def told_by(options):
    """Return what a key says of options."""
    return "".join(f" {key}={value}" for key, value in options.items())


def other_cases():
    """Yield (key, call) of functions of several scores, of groups, of counts, of plans."""
    for cases in (inference_cases, group_cases, plan_cases):
        for key, function, args, options in cases(*several_scores()):
            yield key, functools.partial(function, *args, **options)


def inference_cases(label, scores, weight, groups):
    """Yield (key, function, arguments, options)."""
    inference, first, second = fastauc.inference, scores[:, 0], scores[:, 1]
    test, both, drawn = inference.roc_auc_test, (label, first, second), {"n_resamples": 80}
    for options in ({}, {"sample_weight": weight}, {"groups": groups}):
        told = "+".join(options)
        yield f"roc_auc_test({told})", test, both, options
        yield f"compare({told})", inference.compare_roc_auc, (label, scores), options
        yield f"ci({told})", inference.roc_auc_ci, (label, first), options
    two, less = (label, first, label[:99], second[:99]), {"alternative": "less"}
    yield "roc_auc_test_ind()", inference.roc_auc_test_ind, two, less
    yield "roc_auc_test_1samp()", inference.roc_auc_test_1samp, (label, first, 0.6), less
    for rate in ("fpr_range", "tpr_range"):
        yield f"roc_auc_test({rate})", test, both, {rate: (0.1, 0.4), "alternative": "less"}
    for told, column in {"": first, "rounded": np.round(first)}.items():
        key = f"permutation_test_1samp({told})"
        yield key, inference.permutation_test_1samp, (label, column), less
    for statistic in ("roc_auc", "roc_curve"):
        rule = drawn | {"rng": 7, "statistic": statistic}
        yield f"permutation_test({statistic})", inference.permutation_test, both, rule
    bootstrap, counted = inference.bootstrap_test, {"statistic": fastauc.ConfusionCounts.gini}
    yield "bootstrap_test(function)", bootstrap, both, drawn | {"rng": 7} | counted
    for method, given in {"youden": {}, "f1": {}, "min_precision": {"limit": 0.7}}.items():
        rule = {"method": method, "n_resamples": 20, "rng": 5} | given
        validate = inference.optimal_threshold_validation
        yield f"threshold_validation({method})", validate, both[:2], rule
    for rate in ("sensitivity", "specificity", "accuracy", "precision"):
        rule = {"threshold_a": 0.5, "threshold_b": 0.7, "rate": rate}
        yield f"rate_test({rate})", inference.rate_test, both, rule
    for alternative in ("non-inferiority", "equivalence"):
        rule = {"alternative": alternative, "margin": 0.1}
        yield f"roc_auc_test({alternative})", test, both, rule
    for statistic in ("roc_auc", "ks"):
        rule = drawn | {"statistic": statistic, "rng": 6}
        yield f"bootstrap_test({statistic})", bootstrap, both, rule
    for given in ("recall", "fpr", "tpr"):
        rule = {"at": [0.01, 0.1, 0.5, 0.9, 1], "given": given}
        yield f"curve_ci(given={given})", inference.curve_ci, both[:2], rule


def group_cases(label, scores, weight, groups):
    """Yield (key, function, arguments, options) of groups, columns, classes and labels."""
    first, of_groups = scores[:, 0], fastauc.groups
    gaps = np.where(scores > 1.3, np.nan, scores)
    shares = scores / scores.sum(axis=1, keepdims=True)
    classes, matrix = np.arange(240) % 3, (scores > 0.7).astype(int)
    for options in ({}, {"sample_weight": weight}):
        told = "+".join(options)
        for function in (of_groups.roc_auc_by_column, of_groups.feature_quality):
            name = function.__name__
            yield f"{name}({told})", function, (label, scores), options
            yield f"{name}(omit {told})", function, (label, gaps), options | {"nan_policy": "omit"}
            yield f"{name}(gaps {told})", function, (label, gaps), options
        rows = label, first, groups
        by_group, level = of_groups.roc_auc_by_group, {"confidence_level": 0.9}
        yield f"by_group({told})", by_group, rows, options
        yield f"by_group(intervals {told})", by_group, rows, options | level
        weightings = ("equal", "size", "positives", "pairs", "other")
        for weighting, undefined in itertools.product(weightings, ("skip", "half")):
            rule = {"weighting": weighting, "undefined": undefined} | options
            key = f"grouped({weighting} {undefined} {told})"
            yield key, of_groups.grouped_roc_auc_score, rows, rule
        for average in ("macro", "weighted", "micro", "samples", None):
            rule = {"average": average} | options
            for kind in ("ovr", "ovo"):
                key, of_kind = f"multiclass({average} {kind} {told})", {"multi_class": kind}
                yield key, fastauc.roc_auc_score, (classes, shares), rule | of_kind
            for function in (fastauc.roc_auc_score, fastauc.average_precision_score):
                key = f"multilabel({function.__name__} {average} {told})"
                yield key, function, (matrix, scores), rule
    in_order = label, first, np.repeat([0, 1, 2], [100, 100, 40])
    yield "by_group(in order)", of_groups.roc_auc_by_group, in_order, {}


def plan_cases(label, scores, weight, groups):
    """Yield (key, function, arguments, options) of plans, and of all that is left."""
    metrics, learning, first, second = fastauc.metrics, fastauc.learning, scores[:, 0], scores[:, 1]
    shares = scores / scores.sum(axis=1, keepdims=True)
    yield "auc", fastauc.auc, ([0, 0.5, 1], [0, 1, 1]), {}
    yield "auc(turns)", fastauc.auc, ([0, 0.5, 0.2], [0, 1, 1]), {}
    yield "auc_from_counts", fastauc.streaming.auc_from_counts, ([1, 2, 3], [3, 2, 0]), {}
    yield "bayes_threshold(logit)", metrics.bayes_threshold, (1, 4), {"scale": "logit"}
    yield "rank_average", learning.rank_average, (list(scores.T),), {"weights": [1, 2, 3]}
    power, sizes = fastauc.inference.roc_auc_power, {"n_pos": 50, "n_neg": 70}
    plans = [{}, {"alternative": "greater"}, {"constant": 0.6}]
    for options in [*plans, {"auc_b": 0.7, "correlation": 0.4}]:
        told, goal = told_by(options), {"auc": 0.8} | options
        yield f"power({told})", power, (), goal | sizes
        yield f"power(power=0.9{told})", power, (), goal | {"power": 0.9}
    yield "power(width=0.1)", power, (), {"auc": 0.8, "width": 0.1}
    for told, other in {"two": second, "constant": 0.5}.items():
        pilot = {"pilot": (label, first, other)}
        yield f"power(pilot={told})", power, (), pilot | sizes
        yield f"power(pilot={told} power=0.9)", power, (), pilot | {"power": 0.9, "ratio": 2}
    thresholds, prevalence = {"thresholds": [0, 0.4, 0.25]}, {"prevalence": 0.1}
    for options in ({}, {"sample_weight": weight}, thresholds, prevalence):
        key = f"net_benefit_curve({'+'.join(options)})"
        yield key, metrics.net_benefit_curve, (label, shares[:, 2]), options
    counts = fastauc.confusion_matrix_at_thresholds(label, second > 0.7)
    yield "intervals(beta)", counts.intervals, (), {"method": "beta"}

    def sigmoid():
        found = learning.sigmoid_roc_auc(label, first, sample_weight=weight)
        return dict(zip(("value", "gradient"), found, strict=True))

    yield "sigmoid_roc_auc()", sigmoid, (), {}
    yield "feval", boosters.auc_exact, (label, first), {}


def counts_cases():
    """Yield (key, call) of every method of the counts and of histograms."""
    arguments = {
        "at": (0.5,),
        "tpr_at_fpr": (0.2,),
        "fpr_at_tpr": (0.7,),
        "precision_at_recall": (0.7,),
        "gain_at": (0.2,),
        "lift_at": (0.2,),
        "undecided": ([0.25, 1, 3, 7],),
    }
    options = {
        "partial_roc_auc": {"fpr_range": (0, 0.4)},
        "profit_curve": {"cost": 1, "revenue": 7},
    }
    kept = {"copy", "merge", "update", "from_bytes", "to_pandas"}
    # As of continuous300, whose order is theirs: long, as limits are recorded value by value.
    same_as_another = {("intervals", "single300"), ("intervals", "clustered300")}
    for name, label, score, weight in binary_samples():
        if len(label) not in (6, 300):
            continue
        counts = fastauc.confusion_matrix_at_thresholds(label, score, sample_weight=weight)
        for kind, whole in (
            ("counts", counts),
            ("histogram", histogram_of(label, score, weight)),
            ("cells", histogram_of(label, score, weight, bins=7, range=(-1, 8))),
        ):
            for method, member in inspect.getmembers(type(whole), inspect.isfunction):
                if (method, name) in same_as_another:
                    continue
                if not method.startswith("_") and method not in kept:
                    given = options.get(method, {})
                    call = functools.partial(member, whole, *arguments.get(method, ()), **given)
                    yield f"{kind}.{method}({name})", call
        yield f"refine({name})", functools.partial(refined, label, score, weight)


def histogram_of(label, score, weight, **options):
    histogram = fastauc.streaming.ScoreHistogram(weighted=weight is not None, **options)
    return histogram.update(label, score, sample_weight=weight) or histogram


def refined(label, score, weight):
    """Return the area by passes over three parts, with the state after each pass."""
    columns = [np.asarray(column) for column in (label, score, weight) if column is not None]
    parts = np.array_split(np.arange(len(label)), 3)
    chunks = [tuple(column[part] for column in columns) for part in parts]
    return fastauc.streaming.refine_roc_auc(
        histogram_of(label, score, weight, bins=5, range=(-1, 8)), lambda: iter(chunks), max_rows=40
    )


# The command line ---------------------------------------------------------------------------------


def command_cases(folder):
    """Yield (key, call) of command lines; what they print and write is the answer."""
    label, scores, weight, groups = several_scores()
    header = "y,a,b,w,g,text"
    rows = zip(label, scores[:, 0], scores[:, 1], weight, groups % 3, strict=True)
    lines = [header, *(",".join(map(str, row)) + ",x" for row in rows)]
    (folder / "table.csv").write_text("\n".join(lines) + "\n")
    (folder / "broken.csv").write_text("y,a\n0,1\n1,nan\n")
    real = (DATA / "breast_cancer.csv").as_posix()
    of_real = f"{real} --label y_true --score logistic --score forest"
    of_table = "table.csv --label y --score a --score b --weight w"
    commands = [
        *(f"score {of}{option}" for of in (of_real, of_table) for option in ("", " --json")),
        *(f"score {of_table} --memory-limit 1kB{option}" for option in ("", " --one-pass")),
        f"score {of_real} --tol 0.01 --memory-limit 1kB --json --state one.state",
        "merge one.state",
        f"score {of_table} --state two.state",
        "merge two.state one.state",
        *(f"gains {of}{option}" for of in (of_real, of_table) for option in ("", " --json")),
        f"gains {of_table} --bins 3 --ties split --cost 1 --revenue 5 -o money.csv",
        f"gains {of_table} --memory-limit 1kB",
        f"gains {of_table} -o gains.md",
        f"gains {of_table} -o gains.csv",
        f"threshold {of_real}",
        f"threshold {of_table} --method cost --cost-fp 1 --cost-fn 3 --json",
        f"threshold {of_table} --memory-limit 1kB",
        *(
            f"curve {kind} {real} --label y_true --score logistic"
            for kind in ("roc", "pr", "det", "gain", "lift", "ks")
        ),
        f"curve profit {of_table} --cost 1 --revenue 5 -o profit.csv",
        "score absent.csv --label y --score a",
        "score table.csv --label y --score absent",
        "score table.csv --label a --score y",
        "score table.csv --label y --score text",
        "score broken.csv --label y --score a",
        "score table.csv --label y",
        "score table.csv --label y --score a --tol x",
        "gains table.csv --label y --score a --bins 0",
        "curve profit table.csv --label y --score a",
        "plot roc table.csv --label y --score a -o picture.txt",
        "report table.csv --label y --score a -o page.txt",
        "other",
    ]
    for command in commands:
        key = f"fastauc {command.replace(DATA.as_posix(), 'DATA')}"
        yield key, functools.partial(run_command, command, folder)
    report = f"report {of_table} --by g --cost-fp 1 --cost-fn 2 -o page.html"
    yield f"fastauc {report}", lambda: text_of_page(run_command(report, folder))


def run_command(command, folder):
    """Return exit code, output, errors and the files written by a command line."""
    out, err = io.StringIO(), io.StringIO()
    before = {path.name: path.stat().st_mtime_ns for path in folder.iterdir()}
    with contextlib.chdir(folder), contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            code = cli.main([*command.split()])
        except SystemExit as exit_:
            code = exit_.code
    written = {
        path.name: path.read_text(encoding="utf-8", errors="replace")
        for path in sorted(folder.iterdir())
        if path.name not in before and path.suffix != ".state"
    }
    return [code, out.getvalue(), err.getvalue(), written]


def text_of_page(answer):
    """Return the words of a page, without its pictures, versions and times."""
    code, out, err, written = answer
    (page,) = written.values()
    page = re.sub(r"(?s)<svg.*?</svg>|<style.*?</style>|<figure.*?</figure>", "", page)
    # What differs from one day or machine to the next: the times of files, and versions.
    page = re.sub(r"<th scope=\"row\">(Files|Versions)</th><td>.*?</td>", "", page)
    return [code, out, err, re.sub(r"\s+", " ", re.sub(r"<[^>]*>", " ", page))]


def file_cases(folder):
    """Yield (key, call) of files as functions read them; after the commands have written some."""
    table = folder / "table.csv"
    columns = {"label": "y", "score": ["a", "b"], "weight": "w"}
    for limit in (None, 1000):
        call = functools.partial(files.score, [table], **columns, memory_limit=limit)
        yield f"files.score({limit})", lambda call=call: [column[:4] for column in call()]

    def columns_of_table():
        from support.file_columns import read_columns  # needs pyarrow, and all others do not

        return read_columns([table], ["y", "a", "w"])

    yield "files.stream_columns", columns_of_table


# Answers ------------------------------------------------------------------------------------------


def within(path):
    """Return how close to the recorded one a double must be, for ``math.isclose``.

    None if it must be the same. Limits that are shares are searched for on a scale from 0 to 1, and
    p-values may be tiny.
    """
    if PVALUES.search(path):
        return {"rel_tol": 1e-11}
    return {"rel_tol": 1e-12, "abs_tol": 1e-12} if LIMITS.search(path) else None


def is_same(path, recorded, found):
    """Tell whether what was found at a path is what was recorded there."""
    bound = within(path)
    if bound and isinstance(recorded, float) and isinstance(found, float):
        return math.isclose(recorded, found, **bound)
    return recorded == found


def without_last_digits(number, path):
    """Return a double as it is, or without digits that are far below the bound there."""
    if PVALUES.search(path):
        return float(f"{number:.13g}")
    return number if within(path) is None else round(number, 14)


def recordable(value, path):
    """Return a value in the types of JSON; long arrays that must be the same to the bit by sums."""
    if isinstance(value, np.ndarray):
        told = {"dtype": str(value.dtype), "shape": list(value.shape)}
        if value.size <= SHORT or value.dtype.kind in "OU" or within(path):
            return told | {"values": [recordable(item, path) for item in value.ravel().tolist()]}
        flat = value.ravel().astype(np.float64)
        flat = np.where(np.isfinite(flat), flat, -1)
        place = np.arange(1, len(flat) + 1)
        return told | {"sum": math.fsum(flat), "moment": math.fsum(flat * place)}
    if isinstance(value, np.generic):
        return recordable(value.item(), path)
    if isinstance(value, (bool, int, str, type(None))):
        return value
    if isinstance(value, float):
        return without_last_digits(value, path) if math.isfinite(value) else str(value)
    if isinstance(value, (bytes, memoryview)):
        return digest(bytes(value))
    if hasattr(value, "_asdict"):
        return {type(value).__name__: recordable(value._asdict(), path)}
    if isinstance(value, fastauc.metrics.ResultTable):
        return recordable(value.to_dict(), path)
    if hasattr(value, "to_bytes"):
        return digest(value.to_bytes())
    if isinstance(value, dict):
        return {str(key): recordable(item, f"{path}/{key}") for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [recordable(item, path) for item in value]
    return repr(value)


def digest(whole):
    return hashlib.sha256(whole).hexdigest()[:16]


def in_short(told, path):
    """Return a recordable value, with a digest in the place of long texts and lists.

    Not of what may differ in its last digits.
    """
    if isinstance(told, dict):
        return {key: in_short(item, f"{path}/{key}") for key, item in told.items()}
    if within(path):
        return told
    # Rows, not arrays.
    if isinstance(told, list) and all(isinstance(row, dict) and "dtype" not in row for row in told):
        return [in_short(row, path) for row in told]
    text = json.dumps(told)
    return told if len(text) <= LONG else f"{text[:30]}... {digest(text.encode())}"


def answer(call, path):
    """Return what a call answers, an error and warnings included."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            told = {"value": in_short(recordable(call(), path), path)}
        except Exception as error:
            told = {"error": in_short(f"{type(error).__name__}: {error}", "")}
    if caught:
        told["warnings"] = sorted({f"{w.category.__name__}: {w.message}" for w in caught})
    return told


def answers():
    """Return {key: answer} of all cases."""
    recorded = {}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name).resolve()
        cases = (binary_cases(), other_cases(), counts_cases(), command_cases(folder))
        for key, call in itertools.chain(*cases, file_cases(folder)):
            assert key not in recorded, key
            told = json.dumps(answer(call, f"/{key}"))
            recorded[key] = json.loads(told.replace(json.dumps(str(folder))[1:-1], "FOLDER"))
    return recorded


def differences(recorded, found, is_same=lambda path, *values: operator.eq(*values), path=""):
    """Yield a line for everything in which two nested values differ."""
    if isinstance(recorded, dict) and isinstance(found, dict):
        for key in sorted({*recorded, *found}):
            here = f"{path}/{key}"
            if key not in recorded:
                yield f"{here}: new"
            elif key not in found:
                yield f"{here}: gone"
            else:
                yield from differences(recorded[key], found[key], is_same, here)
    elif isinstance(recorded, list) and isinstance(found, list) and len(recorded) == len(found):
        for before, after in zip(recorded, found, strict=True):
            yield from differences(before, after, is_same, path)
    elif not is_same(path, recorded, found):
        yield f"{path}: {recorded!r} -> {found!r}"


if __name__ == "__main__":
    os.environ["COLUMNS"] = "100"
    found = answers()
    if "--update" in sys.argv:
        lines = [f" {json.dumps(key)}: {json.dumps(value)}" for key, value in found.items()]
        RECORDED.write_text("{\n" + ",\n".join(lines) + "\n}\n")
    else:
        lines = list(differences(json.loads(RECORDED.read_text()), found, is_same))
        print("\n".join(lines) or f"all {len(found)} answers are as recorded")
        sys.exit(bool(lines))
