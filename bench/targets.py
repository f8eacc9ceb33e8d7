"""The suite `targets`: whether each target is met, and what every distribution costs.

All that is divided by each other is measured in turn, in one process; its answers are compared
first. numpy's own sort depends on the vector instructions it may use, so a run can be repeated
without some of them: a process for each such setting, whose figures are printed side by side.
"""

import importlib
import itertools
import json
import statistics
import sys
import time
import tracemalloc
from collections import defaultdict
from pathlib import Path

import data
import numpy as np
import rivals
from answers import difference
from machine import disabled, machine, versions
from timing import child, measure, median_ratio, read

import fastauc
from fastauc import roc_auc_score
from fastauc.inference import roc_auc_ci, roc_auc_test

PREVALENCES = [0.001, 0.01, 0.1, 0.5]
CURVES = ["roc_curve", "precision_recall_curve", "det_curve"]
# Name, what else belongs to the case, and how many times as fast as scikit-learn.
AGAINST_REFERENCE = [
    ("roc_auc_score", {}, 60),
    ("roc_auc_score", {"n_jobs": 2}, 100),
    ("roc_auc_score", {"prevalence": 0.01}, 100),
    ("roc_auc_score", {"distribution": "rounded3"}, 100),
    ("roc_auc_score", {"distribution": "leaves200"}, 100),
    ("roc_auc_score", {"distribution": "float32"}, 70),
    ("roc_auc_score", {"is_weighted": True}, 25),
    ("roc_curve", {"is_weighted": True}, 8),
    *((name, {}, 12) for name in CURVES),
    ("average_precision_score", {}, 30),
]


class WrongAnswerError(Exception):
    """Two ways to the same number have not given it."""


def agree(what, ours, theirs, tolerance=0.0):
    """Refuse answers that differ by more than a relative tolerance."""
    unlike = difference(ours, theirs)
    if not unlike <= tolerance:
        raise WrongAnswerError(f"{what}: the answers differ by {unlike}")


def target(text, value, bound=None, at_least=True, **where):
    """Return what a run says of one target; without a bound it is a figure to know."""
    return {"target": {"text": text, "value": value, "bound": bound, "at_least": at_least} | where}


def at_most(text, value, bound, **where):
    return target(text, value, bound, at_least=False, **where)


def greatest(values):
    """Return the greatest value of a dictionary, and where it is."""
    name = max(values, key=values.get)
    return values[name], name


def in_turn(arguments, *contestants):
    """Return the seconds of every (function, inputs), measured in turn."""
    least = 0.0 if arguments.quick else 0.2
    return measure(contestants, arguments.rounds, arguments.seconds, least)


def scaled(n, arguments):
    """Return a number of rows, a hundredth of it in a quick run."""
    return n // 100 if arguments.quick else n


def traced_bytes(call, inputs):
    """Return the peak of what a call allocates beside its results.

    NumPy's arrays are traced, and kernels allocate nothing.
    """
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        answer = call(*inputs)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    results = sum(array.nbytes for array in answer) if isinstance(answer, tuple) else 0
    return peak - before - results


# What every distribution costs --------------------------------------------------------------------


def areas(arguments):
    """Measure the area of every distribution beside uniform scores, and its memory."""
    n, by_bisection = scaled(10**6, arguments), rivals.numpy(1)["roc_auc_score"]
    worst, memory = {prevalence: {} for prevalence in PREVALENCES}, defaultdict(float)
    for prevalence in PREVALENCES:
        uniform = data.make("uniform", n, prevalence, arguments.seed)
        for name in data.DISTRIBUTIONS:
            inputs = data.make(name, n, prevalence, arguments.seed)
            agree(name, roc_auc_score(*inputs), by_bisection(*inputs))
            timed, usual = in_turn(arguments, (roc_auc_score, inputs), (roc_auc_score, uniform))
            bytes_per_row = traced_bytes(roc_auc_score, inputs) / n
            row = {"distribution": name, "prevalence": prevalence, "bytes_per_row": bytes_per_row}
            row["ns"] = statistics.median(timed) * 1e9 / n
            row["over_uniform"] = median_ratio(timed, usual)
            yield {"area": row}
            worst[prevalence][name] = row["over_uniform"]
            memory[name] = max(memory[name], bytes_per_row)
    for prevalence, ratios in worst.items():
        text = f"worst distribution, {prevalence:.1%} positives: times uniform"
        value, name = greatest(ratios)
        yield at_most(text, value, 1.6, distribution=name)
    value, name = greatest(memory)
    yield at_most("area: scratch, bytes per row", value, 10, distribution=name)


def orders(arguments):
    """Measure how long rows of 64 bits take to be put in order, beside np.sort of their keys."""
    from fastauc._pairs.sorted_rows import flip_of_low, sort_rows
    from fastauc._validation.samples import read_binary_sample

    n, ratios = scaled(10**6, arguments), {}
    for name in data.DISTRIBUTIONS:
        y_true, y_score = data.make(name, n, 0.5, arguments.seed)
        if y_score.dtype.itemsize < 8:
            continue
        sample = read_binary_sample(y_true, y_score, None, 1, "roc_curve")
        packed, n_low = sort_rows(sample)
        bits = packed >> 1
        bits[:n_low] ^= flip_of_low(y_score.dtype)
        for label in (0, 1):
            found = bits.view(y_score.dtype)[packed & 1 == label]
            expected = np.sort(y_score[y_true == label])
            agree(f"order, {name}", np.array_equal(found, expected), True)
        sort, by_numpy = in_turn(arguments, (sort_rows, [sample]), (np.sort, [keys_of(y_score)]))
        row = {"distribution": name, "ratio": median_ratio(sort, by_numpy)}
        row |= {"ns": statistics.median(sort) * 1e9 / n}
        row |= {"numpy_ns": statistics.median(by_numpy) * 1e9 / n}
        yield {"order": row}
        ratios[name] = row["ratio"]
    value, name = greatest(ratios)
    yield target("order of rows, worst distribution: times np.sort", value, distribution=name)


def keys_of(score):
    """Return scores of 64 bits as unsigned integers in the same order."""
    sign, bits = np.uint64(1 << 63), score.view(np.uint64)
    return np.where((bits & sign != 0) & (score.dtype.kind == "f"), ~bits, bits ^ sign)


# Against scikit-learn -----------------------------------------------------------------------------


def against_reference(arguments):
    """Measure areas and curves beside scikit-learn's."""
    sizes = {"1e6": 10**6} | ({"1e7": 10**7} if arguments.large else {})
    for (size, n), (name, case, times) in itertools.product(sizes.items(), AGAINST_REFERENCE):
        yield from compare(arguments, name, size, scaled(n, arguments), times, **case)


def compare(
    arguments,
    name,
    size,
    n,
    times,
    distribution="uniform",
    prevalence=0.5,
    is_weighted=False,
    n_jobs=1,
):
    text = f"{name}, {distribution}, {prevalence:.0%}, {size}"
    text += ", weights" * is_weighted + ", two threads" * (n_jobs == 2)
    inputs = data.make(distribution, n, prevalence, arguments.seed)
    if is_weighted:
        inputs = *inputs, data.weights(n, arguments.seed)
    ours = rivals.on_threads(calls_of("fastauc", name), n_jobs)
    theirs = calls_of("sklearn.metrics", name)
    agree(text, ours(*inputs), theirs(*inputs), rivals.TOLERANCE)
    contestants = [(ours, inputs), (theirs, inputs)]
    if prevalence == 0.01:  # it should come close to reading the rows
        contestants.insert(1, (read, inputs))
    own, *floor, other = in_turn(arguments, *contestants)
    yield target(f"{text}: times scikit-learn", median_ratio(other, own), times)
    if floor:
        yield at_most(f"{text}: times the streaming read", median_ratio(own, floor[0]), 5)


def calls_of(library, name):
    """Return a function of a library, with the weights as its third argument."""
    function = getattr(importlib.import_module(library), name)

    def call(y_true, y_score, weight=None):
        return function(y_true, y_score, sample_weight=weight)

    return call


def hundred_rows(arguments):
    """Measure a call of 100 rows as arrays, Series and lists, beside scikit-learn's."""
    from sklearn.metrics import roc_auc_score as reference

    arrays = data.make("uniform", 100, 0.5, arguments.seed)
    forms = [("arrays", np.asarray, 3, 150)]
    forms += [("Series", series, 8, 60), ("lists", np.ndarray.tolist, 8, 60)]
    for name, make, microseconds, times in forms:
        text = f"100 rows, {name}"
        try:
            inputs = [make(array) for array in arrays]
        except ImportError as error:
            yield missing(text, error)
            continue
        agree(text, roc_auc_score(*inputs), roc_auc_score(*arrays))
        agree(text, roc_auc_score(*inputs), reference(*inputs), rivals.TOLERANCE)
        own, other = in_turn(arguments, (roc_auc_score, inputs), (reference, inputs))
        yield at_most(f"{text}: microseconds", statistics.median(own) * 1e6, microseconds)
        yield target(f"{text}: times scikit-learn", median_ratio(other, own), times)


def missing(text, error):
    """Return what a run says of a target for which a library is not installed."""
    return {"target": {"text": text, "missing": f"{error.name} is not installed"}}


def series(array):
    import pandas as pd

    return pd.Series(array)


# Against fastauc itself ---------------------------------------------------------------------------


def inference(arguments):
    """Measure DeLong's interval and test beside the area alone."""
    n = scaled(10**6, arguments)
    y_true, y_score = data.make("uniform", n, 0.5, arguments.seed)
    other = y_score + y_score.std() * np.random.default_rng(1).standard_normal(n)
    one, two = (y_true, y_score), (y_true, y_score, other)
    found = roc_auc_score(*one), roc_auc_score(y_true, other)
    agree("roc_auc_ci", roc_auc_ci(*one).statistic, found[0])
    # Each area is half an ulp of 1 off at most, and so is their difference.
    shift = roc_auc_test(*two).difference
    agree("roc_auc_test", 1 + abs(shift), 1 + abs(found[0] - found[1]), 2.0**-51)
    area, interval, test = in_turn(
        arguments, (roc_auc_score, one), (roc_auc_ci, one), (roc_auc_test, two)
    )
    yield at_most("roc_auc_ci, DeLong, 1e6: times the area", median_ratio(interval, area), 2.5)
    yield at_most("roc_auc_test, same rows, 1e6: times the area", median_ratio(test, area), 6)


def threads(arguments):
    """Measure two threads beside one."""
    inputs = data.make("uniform", scaled(10**7, arguments), 0.5, arguments.seed)
    for name in ("roc_auc_score", *CURVES):
        alone, both = (rivals.on_threads(calls_of("fastauc", name), k) for k in (1, 2))
        agree(name, alone(*inputs), both(*inputs))
        one, two = in_turn(arguments, (alone, inputs), (both, inputs))
        yield target(f"{name}, 1e7, two threads: times one", median_ratio(one, two), 1.7)


def labels(arguments):
    """Measure labels that are categories or text beside labels of int8."""
    y_true, y_score = data.make("uniform", scaled(10**6, arguments), 0.5, arguments.seed)
    usual = y_true.astype(np.int8), y_score
    text = np.array(["no", "yes"])[y_true]
    area = roc_auc_score(*usual)
    for name, make in (CATEGORIES | TEXTS).items():
        try:
            inputs = make(text), y_score
        except ImportError as error:
            yield missing(f"labels, {name}, 1e6", error)
            continue
        agree(name, roc_auc_score(*inputs), area)
        own, plain = in_turn(arguments, (roc_auc_score, inputs), (roc_auc_score, usual))
        yield at_most(
            f"labels, {name}, 1e6: times int8",
            median_ratio(own, plain),
            2 if name in CATEGORIES else 10,
        )


def pandas_category(text):
    import pandas as pd

    return pd.Series(pd.Categorical(text))


def arrow_dictionary(text):
    import pyarrow as pa

    return pa.array(text.tolist()).dictionary_encode()


def polars_enum(text):
    import polars as pl

    return pl.Series(text.tolist(), dtype=pl.Enum(["no", "yes"]))


def arrow_text(text):
    import pyarrow as pa

    return pa.array(text.tolist())


def polars_text(text):
    import polars as pl

    return pl.Series(text.tolist())


CATEGORIES = {
    "pandas category": pandas_category,
    "pyarrow dictionary": arrow_dictionary,
    "polars Enum": polars_enum,
}
TEXTS = {
    "text in numpy": np.asarray,
    "text in pandas": lambda text: series(text.tolist()),
    "text in pyarrow": arrow_text,
    "text in polars": polars_text,
}


def scratch(arguments):
    """Trace the memory of curves."""
    n = scaled(10**6, arguments)
    for name in CURVES:
        call = calls_of("fastauc", name)
        found = {
            distribution: traced_bytes(call, data.make(distribution, n, 0.5, arguments.seed)) / n
            for distribution in ("uniform", "rounded3", "clusters40")
        }
        value, worst = greatest(found)
        yield at_most(f"{name}: scratch, bytes per row", value, 20, distribution=worst)


def growth(arguments):
    """Measure the processor time of a row of 1e8 beside that of one of 1e7."""
    if not arguments.growth:
        return
    sizes = [scaled(n, arguments) for n in (10**7, 10**8)]
    for name in ("uniform", "logits"):
        rows = [data.make(name, n, 0.5, arguments.seed) for n in sizes]
        spent = [[], []]
        for _ in range(3):
            for inputs, seconds in zip(rows, spent, strict=True):
                start = time.process_time()
                roc_auc_score(*inputs)
                seconds.append((time.process_time() - start) / len(inputs[0]))
        yield at_most(f"area, {name}, a row of 1e8: times 1e7", median_ratio(*spent[::-1]), 1.3)


PARTS = [
    areas,
    orders,
    against_reference,
    hundred_rows,
    inference,
    threads,
    labels,
    scratch,
    growth,
]


def run_setting(arguments):
    """In a child: print what is found, an object a line."""
    simd = machine()["numpy_simd"]
    print(json.dumps({"simd": simd and simd.get("found", [])}), flush=True)
    for part in PARTS:
        if part.__name__ not in (arguments.parts or [part.__name__]):
            continue
        for item in part(arguments):
            print(json.dumps(item), flush=True)


# The parent ---------------------------------------------------------------------------------------


def run(argv, arguments):
    """Measure in every setting, print the tables, and return the exit status."""
    report = {
        "command": ["bench/run.py", *argv],
        "machine": machine(),
        "versions": versions(["scikit-learn"]),
        "settings": {},
    }
    print(json.dumps(report, indent=1))
    print("measuring", Path(fastauc.__file__).parent, flush=True)  # of several, which one is it?
    for name in arguments.numpy or ["as-is"]:
        start = time.perf_counter()
        setting = {"area": [], "order": [], "target": []}
        without = disabled(name)
        changed = {"NPY_DISABLE_CPU_FEATURES": without} if without else {}
        for item in child(argv, "targets", name, 1, **changed):
            for key, value in item.items():
                if key in ("area", "order", "target"):
                    setting[key].append(value)
                else:
                    setting[key] = value
        setting |= {"seconds": round(time.perf_counter() - start), "load": machine()["load"]}
        report["settings"][name] = setting
    print(*lines(report), sep="\n")
    if arguments.output:
        arguments.output.write_text(json.dumps(report, indent=1) + "\n")
    failed = [name for name, setting in report["settings"].items() if "crashed" in setting]
    for name in failed:
        print("FAILED", name, file=sys.stderr)
    return 1 if failed else 0


def lines(report):
    """Return a table of distributions for each setting, and one of targets for all of them."""
    settings = report["settings"]
    found = [line for name in settings for line in distribution_lines(name, settings[name])]
    outcomes = defaultdict(dict)
    for name, setting in settings.items():
        for item in setting["target"]:
            outcomes[item["text"]][name] = item
    found.append(f"{'target':<74}" + "".join(f"{name:<38}" for name in settings))
    for text, items in outcomes.items():
        cells = [f"{cell(items[name]) if name in items else '':<38}" for name in settings]
        found.append(f"{text:<65}{wanted(items):<9}{''.join(cells)}".rstrip())
    if "--quick" in report["command"]:
        found.append("A quick run has a hundredth of these rows: its figures say nothing.")
    return found


def wanted(items):
    """Return the bound of a target, which is the same in every setting."""
    item = next(iter(items.values()))
    if item.get("bound") is None:
        return ""
    return f"{'>=' if item['at_least'] else '<='} {item['bound']:g}"


def cell(item):
    """Return the figure of a target, and whether it is met."""
    if "missing" in item:
        return item["missing"]
    value, bound, found = item["value"], item["bound"], [f"{item['value']:.2f}"]
    if bound is not None:
        is_met = value >= bound if item["at_least"] else value <= bound
        found.append("met" if is_met else "missed")
    if "distribution" in item:
        found.append(f"({item['distribution']})")
    return " ".join(found)


def distribution_lines(name, setting):
    """Return the time of each distribution in ns per row, and how many times that of another."""
    areas, orders = defaultdict(dict), {row["distribution"]: row for row in setting["order"]}
    for row in setting["area"]:
        areas[row["distribution"]][row["prevalence"]] = row
    instructions = " ".join(setting.get("simd") or ["its baseline"])
    shares = "".join(f"{share:>9.1%}{'x uniform':>11}" for share in PREVALENCES)
    found = [
        f"numpy {name}: {instructions}; {setting['seconds']} s, load {setting['load']}",
        f"{'area, ns per row':<23}{shares}{'order':>9}{'x np.sort':>11}",
    ]
    for distribution, cases in areas.items():
        line = "".join(f"{row['ns']:>9.2f}{row['over_uniform']:>11.2f}" for row in cases.values())
        if distribution in orders:
            line += "{ns:>9.2f}{ratio:>11.2f}".format(**orders[distribution])
        found.append(f"{distribution:<23}{line}")
    return found
