"""The suites behind the targets of the project: see the table that a run prints at its end.

Times that are divided by each other are measured in turn, in one process.
"""

import importlib
import multiprocessing
import time
import tracemalloc
import warnings
from itertools import product

import data
import numpy as np
import rivals
from case import Case, Figure, Target, Timed, agree, missing

from fastauc import roc_auc_score
from fastauc.inference import roc_auc_ci, roc_auc_test

SHARES = {0.5: 1.8, 0.1: 2, 0.01: 2, 0.001: 2}  # of positives: times uniform scores
CURVES = ["roc_curve", "precision_recall_curve", "det_curve"]
# Name, what else belongs to the case, and how many times as fast as scikit-learn.
AGAINST_REFERENCE = [
    ("roc_auc_score", {}, 40),
    ("roc_auc_score", {"prevalence": 0.01}, 50),
    ("roc_auc_score", {"distribution": "rounded3"}, 100),
    ("roc_auc_score", {"distribution": "float32"}, 45),
    ("roc_auc_score", {"is_weighted": True}, 27),
    ("roc_curve", {"is_weighted": True}, 12),
    ("roc_curve", {}, 14),
    ("precision_recall_curve", {}, 14),
    ("det_curve", {}, 15),
    ("average_precision_score", {}, 26),
]
AREA_OF_TEN_MILLION = 45
MICROSECONDS = {"arrays": 2.1, "Series": 5, "lists": 5}  # of 100 rows
# Two threads at 1e7 rows without --large.
CROWDED = ["uniform", "isotonic", "crowded_at_one", "clusters40"]


def scaled(n, options):
    """Return a number of rows, and no more than --max-rows."""
    return min(n, options.max_rows or n)


def calls_of(library, name):
    """Return a function of a library, with the weights as its third argument."""
    function = getattr(importlib.import_module(library), name)

    def call(y_true, y_score, weight=None):
        return function(y_true, y_score, sample_weight=weight)

    return call


# Distributions, sizes, memory ---------------------------------------------------------------------


def areas(options):
    """The area of every distribution beside that of uniform scores."""
    n, by_bisection = scaled(10**6, options), rivals.numpy(1)["roc_auc_score"]
    for share, bound in SHARES.items():
        uniform = data.make("uniform", n, share, options.seed)
        target = Target(f"worst distribution, {share:.1%} positives: times uniform", "<=", bound)
        for name in data.DISTRIBUTIONS:
            rows = data.make(name, n, share, options.seed)
            agree(name, roc_auc_score(*rows), by_bisection(*rows))
            other = name if name != "uniform" else "uniform again"  # which shows the noise
            yield Case(
                f"area, {name}, {share:.1%}, {n}",
                {"uniform": (roc_auc_score, *uniform), other: (roc_auc_score, *rows)},
                rows=n,
                tolerance=None,
                targets={other: target},
            )


def sizes(options):
    """A row of some more than 10,000 rows beside one of 10,000."""
    base = scaled(10_000, options)
    metrics = [("roc_auc_score", False), ("roc_auc_score", True)]
    metrics += [("roc_curve", False), ("average_precision_score", False)]
    for (name, is_weighted), distribution in product(metrics, data.DISTRIBUTIONS):
        call, calls, rows = calls_of("fastauc", name), {}, {}
        text = name + ", weights" * is_weighted
        for n in dict.fromkeys(scaled(n, options) for n in (base, 12_001, 20_000, 50_000)):
            inputs = data.make(distribution, n, 0.5, options.seed)
            if is_weighted:
                inputs = *inputs, data.weights(n, options.seed)
            calls[f"{n}"], rows[f"{n}"] = (call, *inputs), n
        targets = {
            size: Target(f"{text}, a row of {size}, worst: times {base}", "<=", 1.3)
            for size in [*calls][1:]
            if text == "roc_auc_score"  # of the others, these are figures to know
        }
        case = f"{text}, {distribution}, 50 %, by rows"
        yield Case(case, calls, rows=rows, tolerance=None, targets=targets)


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
    return peak - before - bytes_of(answer)


def bytes_of(answer):
    """Return the size of the arrays of a result, which may be within tuples and lists."""
    if isinstance(answer, tuple | list):
        return sum(map(bytes_of, answer))
    return getattr(answer, "nbytes", 0)


def scratch(options):
    """What areas and curves allocate beside their results."""
    n = scaled(10**6, options)
    for distribution, share in product(data.DISTRIBUTIONS, SHARES):
        inputs = data.make(distribution, n, share, options.seed)
        for name in ("roc_auc_score", *CURVES) if share == 0.5 else ("roc_auc_score",):
            yield Figure(
                f"{name}, {distribution}, {share:.1%}: scratch, bytes per row",
                traced_bytes(calls_of("fastauc", name), inputs) / n,
                Target(f"{name}: scratch, bytes per row", "<=", 20 if name in CURVES else 10),
            )


def growth(options):
    """The processor time of a row of 5e7 beside that of one of 5e6."""
    sizes = [scaled(n, options) for n in (5 * 10**6, 5 * 10**7)]
    for name in ("uniform", "logits"):
        calls = {}
        for label, n in zip(("5e6", "5e7"), sizes, strict=True):
            calls[label] = (processor_time, *data.make(name, n, 0.5, options.seed))
        target = Target(f"area, {name}, a row of 5e7: times 5e6", "<=", 1.3)
        yield Case(
            f"area, {name}, 50 %, growth",
            calls,
            rows=dict(zip(calls, sizes, strict=True)),
            tolerance=None,
            targets={"5e7": target},
        )


def processor_time(*inputs):
    start = time.process_time()
    area = roc_auc_score(*inputs)
    return Timed(time.process_time() - start, area)


# Against scikit-learn -----------------------------------------------------------------------------


def reference(options):
    """Areas and curves beside scikit-learn's."""
    for size in ("1e6", "1e7") if options.large else ("1e6",):
        for name, how, times in AGAINST_REFERENCE:
            if size == "1e7" and (name, how) == ("roc_auc_score", {}):
                times = AREA_OF_TEN_MILLION
            yield beside_reference(options, name, size, times, **how)


def beside_reference(
    options, name, size, times, distribution="uniform", prevalence=0.5, is_weighted=False
):
    n = scaled(int(float(size)), options)
    text = f"{name}, {distribution}, {prevalence:.0%}, {size}" + ", weights" * is_weighted
    inputs = data.make(distribution, n, prevalence, options.seed)
    if is_weighted:
        inputs = *inputs, data.weights(n, options.seed)
    return Case(
        text,
        {
            "fastauc": (calls_of("fastauc", name), *inputs),
            "scikit-learn": (calls_of("sklearn.metrics", name), *inputs),
        },
        rows=n,
        tolerance=rivals.TOLERANCE,
        targets={"scikit-learn": Target(f"{text}: times scikit-learn", ">=", times)},
    )


def small(options):
    """A call of 100 rows as arrays, Series and lists, beside scikit-learn's."""
    from sklearn import metrics

    arrays = data.make("uniform", scaled(100, options), 0.5, options.seed)
    forms = {"arrays": np.asarray, "lists": np.ndarray.tolist}
    forms["Series"] = lambda array: importlib.import_module("pandas").Series(array)
    for name, make in forms.items():
        text = f"100 rows, {name}"
        try:
            inputs = [make(array) for array in arrays]
        except ImportError as error:
            yield missing(text, error)
            continue
        agree(text, roc_auc_score(*inputs), roc_auc_score(*arrays))
        yield Case(
            text,
            {
                "fastauc": (roc_auc_score, *inputs),
                "scikit-learn": (metrics.roc_auc_score, *inputs),
            },
            unit="us",
            tolerance=rivals.TOLERANCE,
            targets={"fastauc": Target(f"{text}: microseconds", "<=", MICROSECONDS[name])},
        )


# Against fastauc itself ---------------------------------------------------------------------------


def delong(options):
    """DeLong's interval and test beside the area alone."""
    n = scaled(10**6, options)
    y_true, y_score = data.make("uniform", n, 0.5, options.seed)
    other = y_score + y_score.std() * np.random.default_rng(1).standard_normal(n)
    found = roc_auc_score(y_true, y_score), roc_auc_score(y_true, other)
    agree("roc_auc_ci", roc_auc_ci(y_true, y_score).statistic, found[0])
    # Each area is half an ulp of 1 off at most, and so is their difference.
    shift = roc_auc_test(y_true, y_score, other).difference
    agree("roc_auc_test", 1 + abs(shift), 1 + abs(found[0] - found[1]), 2.0**-51)
    yield Case(
        f"area, DeLong's interval and paired test, {n}",
        {
            "area": (roc_auc_score, y_true, y_score),
            "interval": (roc_auc_ci, y_true, y_score),
            "test": (roc_auc_test, y_true, y_score, other),
        },
        rows=n,
        tolerance=None,
        targets={
            "interval": Target("roc_auc_ci, DeLong, 1e6: times the area", "<=", 1.7),
            "test": Target("roc_auc_test, same rows, 1e6: times the area", "<=", 6),
        },
    )


def labels(options):
    """Labels that are categories or text beside labels of int8."""
    y_true, y_score = data.make("uniform", scaled(10**6, options), 0.5, options.seed)
    plain, text = y_true.astype(np.int8), np.array(["no", "yes"])[y_true].tolist()
    makers = {
        "pandas": lambda pd: (pd.Series(pd.Categorical(text)), pd.Series(text)),
        "pyarrow": lambda pa: (pa.array(text).dictionary_encode(), pa.array(text)),
        "polars": lambda pl: (pl.Series(text, dtype=pl.Enum(["no", "yes"])), pl.Series(text)),
    }
    for library, make in makers.items():
        try:
            made = make(importlib.import_module(library))
        except ImportError as error:
            yield missing(f"labels of {library}", error)
            continue
        calls, targets = {"int8": (roc_auc_score, plain, y_score)}, {}
        for kind, found, bound in zip(("categories", "text"), made, (2, 10), strict=True):
            calls[kind] = roc_auc_score, found, y_score
            targets[kind] = Target(f"labels, {kind} of {library}, 1e6: times int8", "<=", bound)
        yield Case(f"labels of {library}", calls, rows=len(y_true), targets=targets)


# Two threads --------------------------------------------------------------------------------------


def threads(options):
    """Two threads beside one, and beside two processes that have half of the rows each."""
    n = scaled(10**7, options)
    cases = [("roc_auc_score", name) for name in (data.DISTRIBUTIONS if options.large else CROWDED)]
    with Processes() as processes:
        for name, distribution in [*cases, *((curve, "uniform") for curve in CURVES)]:
            inputs = data.make(distribution, n, 0.5, options.seed)
            processes.hold(name, inputs)
            call, text = calls_of("fastauc", name), f"{name}, 1e7, two threads"
            text += ", worst" * (name == "roc_auc_score")
            yield Case(
                f"{name}, {distribution}, 50 %, {n}",
                {
                    "two threads": (rivals.on_threads(call, 2), *inputs),
                    "one thread": (rivals.on_threads(call, 1), *inputs),
                    "two processes": (processes.call,),
                },
                rows=n,
                tolerance={"one thread": 0.0, "two processes": None},
                targets={
                    "one thread": Target(f"{text}: times one", ">=", 1.5),
                    "two processes": Target(f"{text}: times two processes", ">=", 0.92),
                },
            )


class Processes:
    """Two processes of one thread, which hold half of the rows each and call at the same time.

    What they reach together is what the machine has for two threads that never wait for each other.
    """

    def __enter__(self):
        context = multiprocessing.get_context("spawn")
        self.pipes, self.processes = [], []
        for _ in range(2):
            pipe, end = context.Pipe()
            self.processes.append(context.Process(target=serve, args=(end,), daemon=True))
            self.processes[-1].start()
            self.pipes.append(pipe)
        return self

    def __exit__(self, *error):
        for pipe in self.pipes:
            pipe.send(None)
        for process in self.processes:
            process.join()

    def hold(self, name, inputs):
        """Give each process its half of the rows, and wait for a first call of it."""
        middle = len(inputs[0]) // 2
        for pipe, half in zip(self.pipes, (slice(middle), slice(middle, None)), strict=True):
            pipe.send((name, [array[half] for array in inputs]))
        self.wait()

    def call(self):
        """Have both call, and wait for them."""
        for pipe in self.pipes:
            pipe.send(())
        self.wait()

    def wait(self):
        for pipe in self.pipes:
            pipe.recv()


def serve(pipe):
    """In a process: call with the rows that came last, until there are no more requests."""
    warnings.simplefilter("ignore")
    while (request := pipe.recv()) is not None:
        if request:
            call, inputs = rivals.on_threads(calls_of("fastauc", request[0]), 1), request[1]
        call(*inputs)
        pipe.send(None)
