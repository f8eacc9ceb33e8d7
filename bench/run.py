"""Measure fastauc against its rivals on the same arrays; README.md beside this file explains how.

The command starts itself once per rival (and once per measurement of memory): what one library
leaves behind in a process, threads or allocated memory, cannot touch another's figures. A child
prints one JSON object per line.
"""

import argparse
import gc
import importlib.metadata
import json
import math
import os
import platform
import statistics
import subprocess
import sys
import time
import warnings
from collections import defaultdict
from fractions import Fraction
from itertools import pairwise, product
from pathlib import Path

import data
import numpy as np
import rivals

METRICS = [
    "roc_auc_score",
    "roc_auc_score_weighted",
    "roc_curve",
    "precision_recall_curve",
    "average_precision_score",
]
EXACT_UP_TO = 10_000  # rows; the exact answer is worked out in pure Python
THREAD_SETTINGS = [
    "FASTAUC_NUM_THREADS",
    "MKL_NUM_THREADS",
    "NUMBA_NUM_THREADS",
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "POLARS_MAX_THREADS",
    "RAYON_NUM_THREADS",
]
COLUMNS = "{:<24}{:<15}{:>10}{:>11}  {:<15}{:>10}{:>10}{:>8}"
HEADINGS = ["metric", "distribution", "prevalence", "n", "rival", "fastauc", "rival", "ratio"]


def parse_arguments(argv):
    """Return the options; what depends on --quick is filled in here."""
    parser = argparse.ArgumentParser(description="Measure fastauc against its rivals.")
    parser.add_argument("--quick", action="store_true", help="n = 100 and 1e4 only, a few seconds")
    parser.add_argument("--sizes", type=int, nargs="+", metavar="N")
    parser.add_argument("--rivals", nargs="+", default=list(rivals.RIVALS), choices=rivals.RIVALS)
    parser.add_argument(
        "--distributions", nargs="+", default=["uniform"], choices=data.DISTRIBUTIONS
    )
    parser.add_argument("--prevalences", type=float, nargs="+", default=[0.5], metavar="SHARE")
    parser.add_argument("--metrics", nargs="+", default=METRICS, choices=METRICS)
    parser.add_argument("--n-jobs", type=int, default=1, help="threads, for both sides")
    parser.add_argument("--rounds", type=int, help="pairs of measurements per row of the table")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--output", type=Path, help="write everything to this JSON file")
    parser.add_argument("--child", nargs=2, help=argparse.SUPPRESS)
    arguments = parser.parse_args(argv)
    quick = arguments.quick
    arguments.sizes = arguments.sizes or ([100, 10_000] if quick else [100, 10_000, 10**6, 10**7])
    arguments.rounds = arguments.rounds or (3 if quick else 7)
    return arguments


def exact_points(y_true, y_score, sample_weight):
    """Return the exact weights (negative, positive) at and above each distinct score, descending.

    Deliberately unlike the library: a dictionary, Python numbers and fractions.
    """
    sums = defaultdict(lambda: [Fraction(0), Fraction(0)])
    for label, score, weight in zip(
        y_true.tolist(), y_score.tolist(), sample_weight.tolist(), strict=True
    ):
        sums[score][label] += Fraction(weight)
    points = [(Fraction(0), Fraction(0))]
    for score in sorted(sums, reverse=True):
        points.append((points[-1][0] + sums[score][0], points[-1][1] + sums[score][1]))
    return points


def exact_answer(metric, y_true, y_score, sample_weight):
    """Return the area or the average precision, rounded once (the latter: term by term)."""
    points = exact_points(y_true, y_score, sample_weight)
    steps = list(pairwise(points))
    n_neg, n_pos = points[-1]
    if metric in ("precision_recall_curve", "average_precision_score"):
        return math.fsum((tp - tp0) / n_pos * tp / (fp + tp) for (_, tp0), (fp, tp) in steps)
    twice = sum((fp - fp0) * (tp0 + tp) for (fp0, tp0), (fp, tp) in steps)
    return float(twice / (2 * n_pos * n_neg))


def as_number(metric, answer):
    """Return an answer as one number: the area under a curve, any other answer as it is."""
    if metric == "roc_curve":
        return float(np.sum(np.diff(answer[0]) * (answer[1][1:] + answer[1][:-1])) / 2)
    if metric == "precision_recall_curve":
        return float(-np.sum(np.diff(answer[1]) * answer[0][:-1]))
    return float(answer)


def is_exact(metric, answer, exact):
    """Tell whether fastauc kept its promise about this metric."""
    if metric == "roc_auc_score":
        return answer == exact  # correctly rounded
    if metric == "roc_auc_score_weighted":
        return abs(answer - exact) <= 4 * math.ulp(exact)
    return math.isclose(answer, exact, rel_tol=1e-12)  # summed here, over up to 1e4 points


def difference(ours, theirs):
    """Return the largest relative difference; inf for curves of unequal length, nan for a nan."""
    pairs = zip(ours, theirs, strict=True) if isinstance(ours, tuple) else [(ours, theirs)]
    largest = 0.0
    for our, their in pairs:
        our, their = np.atleast_1d(our), np.atleast_1d(their)
        if our.shape != their.shape:
            return math.inf
        differs = our != their  # spares inf - inf, the first threshold
        our, their = our[differs].astype(np.float64), their[differs].astype(np.float64)
        largest = np.maximum(largest, np.max(np.abs((our - their) / our), initial=0.0))
    return float(largest)


def calls_for(call, inputs, least_seconds=1e-3):
    """Return how many calls make a measurement that a clock can resolve."""
    start = time.perf_counter()
    call(*inputs)
    return max(1, math.ceil(least_seconds / max(time.perf_counter() - start, 1e-9)))


def seconds_per_call(call, inputs, n_calls):
    """Return the mean time of n_calls calls in a row."""
    start = time.perf_counter()
    for _ in range(n_calls):
        call(*inputs)
    return (time.perf_counter() - start) / n_calls


def measure(own, rival, inputs, rounds, least_seconds=0.2):
    """Time both in turn, at least so many rounds and for so long; return the lists of seconds."""
    n_own, n_rival = calls_for(own, inputs), calls_for(rival, inputs)
    ours, theirs = [], []
    stop = time.perf_counter() + least_seconds
    gc.collect()
    gc.disable()
    while len(ours) < rounds or (time.perf_counter() < stop and len(ours) < 99):
        ours.append(seconds_per_call(own, inputs, n_own))
        theirs.append(seconds_per_call(rival, inputs, n_rival))
    gc.enable()
    return ours, theirs


def compare(metric, own, rival, inputs, rounds, tolerance):
    """Return one row: both answers compared, then both timed."""
    n = len(inputs[0])
    answer = own(*inputs)
    row = {"exact": None}
    if n <= EXACT_UP_TO:
        y_true, y_score, *weight = inputs
        exact = exact_answer(metric, y_true, y_score, weight[0] if weight else np.ones(n, np.int64))
        row["exact"] = is_exact(metric, as_number(metric, answer), exact)
    try:
        unlike = difference(answer, rival(*inputs))
    except Exception as error:  # a rival may refuse what fastauc takes, float16 for instance
        return row | {"refused": f"{type(error).__name__}: {error}".splitlines()[0][:200]}
    ours, theirs = measure(own, rival, inputs, rounds)
    per_row = 1e9 / n
    return row | {
        "difference": unlike if math.isfinite(unlike) else None,  # JSON has no inf and no nan
        "tolerance": tolerance,
        "equal": unlike <= tolerance,
        "rounds": len(ours),
        "fastauc_median_ns": statistics.median(ours) * per_row,
        "fastauc_min_ns": min(ours) * per_row,
        "rival_median_ns": statistics.median(theirs) * per_row,
        "rival_min_ns": min(theirs) * per_row,
        "ratio": statistics.median(b / a for a, b in zip(ours, theirs, strict=True)),
    }


def run_rival(name, arguments):
    """In a child: print a row for every case the rival has a function for."""
    try:
        theirs = rivals.RIVALS[name][0](arguments.n_jobs)
    except ImportError as error:
        print(json.dumps({"skipped": name, "reason": str(error)}))
        return
    own = rivals.fastauc(arguments.n_jobs)
    cases = product(arguments.sizes, arguments.distributions, arguments.prevalences)
    for n, distribution, prevalence in cases:
        y_true, y_score = data.make(distribution, n, prevalence, arguments.seed)
        sample_weight = data.weights(n, arguments.seed)
        for metric in filter(theirs.get, arguments.metrics):
            inputs = [y_true, y_score, sample_weight][: 3 if metric.endswith("weighted") else 2]
            case = {"metric": metric, "distribution": distribution, "prevalence": prevalence}
            case |= {"n": n, "rival": name, "n_jobs": arguments.n_jobs}
            tolerance = rivals.TOLERANCES.get(name, rivals.TOLERANCE)
            row = compare(metric, own[metric], theirs[metric], inputs, arguments.rounds, tolerance)
            print(json.dumps({"row": case | row}), flush=True)


def resident_bytes():
    """Return (resident memory now, its peak so far) of this process."""
    status = Path("/proc/self/status")
    if status.exists():
        fields = dict(line.split(":", 1) for line in status.read_text().splitlines())
        return tuple(1024 * int(fields[key].split()[0]) for key in ("VmRSS", "VmHWM"))
    import resource  # not on Windows

    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    peak *= 1 if sys.platform == "darwin" else 1024
    return peak, peak


def run_memory(metric, arguments):
    """In a child: print by how much one call at the most raises the resident memory.

    The kernel's count is the honest one: tracemalloc does not see what C code allocates by itself.
    On Linux it is VmHWM, the same figure as ru_maxrss; but ru_maxrss starts at the peak of the
    process that started this one. Labels are independent of the scores, which spares a rank-based
    method least, and are made without temporaries that would leave free memory behind.
    """
    n = 100_000 if arguments.quick else 1_000_000
    rng = np.random.default_rng(arguments.seed)
    inputs = [rng.integers(0, 2, n), rng.random(n), rng.random(n)]
    inputs = inputs[: 3 if metric.endswith("weighted") else 2]
    call = rivals.fastauc(arguments.n_jobs)[metric]
    call(*(array[:1000] for array in inputs))
    before, _ = resident_bytes()
    answer = call(*inputs)
    _, peak = resident_bytes()
    results = sum(array.nbytes for array in answer) if isinstance(answer, tuple) else 0
    grown = {"bytes_per_row": (peak - before) / n, "results": results / n}
    print(json.dumps({"memory": {"metric": metric, "n": n} | grown}))


def run_floor(arguments):
    """In a child: print the time of one streaming read of float64 scores and labels."""
    for n in arguments.sizes:
        inputs = data.make("uniform", n, 0.5, arguments.seed)

        def read(y_true, y_score):
            return np.add.reduce(y_true), np.add.reduce(y_score)

        n_calls = calls_for(read, inputs)
        timed = [seconds_per_call(read, inputs, n_calls) for _ in range(4 * arguments.rounds)]
        nanoseconds = {"median_ns": statistics.median(timed), "min_ns": min(timed)}
        nanoseconds = {key: seconds * 1e9 / n for key, seconds in nanoseconds.items()}
        print(json.dumps({"floor": {"n": n} | nanoseconds}))


def children(argv, arguments):
    """Start every child in turn and yield the objects they print."""
    threads = dict.fromkeys(THREAD_SETTINGS, str(arguments.n_jobs))
    wanted = [("floor", "-")]
    wanted += [("memory", metric) for metric in arguments.metrics]
    wanted += [("rival", name) for name in arguments.rivals]
    for child in wanted:
        command = [sys.executable, __file__, *argv, "--child", *child]
        with subprocess.Popen(
            command, stdout=subprocess.PIPE, text=True, env=os.environ | threads
        ) as process:
            yield from (json.loads(line) for line in process.stdout if line.startswith('{"'))
        if process.returncode:
            yield {"crashed": " ".join(child), "status": process.returncode}


def machine():
    """Return what a reader needs to know about where the figures come from."""
    cpuinfo = Path("/proc/cpuinfo")
    models = [
        line.split(":", 1)[1].strip()
        for line in (cpuinfo.read_text().splitlines() if cpuinfo.exists() else [])
        if line.startswith("model name")
    ]
    try:
        simd = np.show_config(mode="dicts")["SIMD Extensions"]
    except (TypeError, KeyError):  # numpy 1.25, or one built without dispatch
        simd = None
    return {
        "platform": platform.platform(),
        "cpu": models[0] if models else platform.processor(),
        "cores": os.cpu_count(),
        "load": os.getloadavg()[0] if hasattr(os, "getloadavg") else None,
        "python": platform.python_version(),
        "numpy": np.__version__,
        "numpy_simd": simd,
        "NPY_DISABLE_CPU_FEATURES": os.environ.get("NPY_DISABLE_CPU_FEATURES"),
    }


def versions(names):
    """Return the version of fastauc and of every distribution these rivals are made of."""
    import fastauc

    found = {"fastauc": fastauc.__version__}
    for distribution in {entry for name in names for entry in rivals.RIVALS[name][1]}:
        try:
            found[distribution] = importlib.metadata.version(distribution)
        except importlib.metadata.PackageNotFoundError:
            continue
    return dict(sorted(found.items()))


def line_of(row):
    """Return the line of the table for one row."""
    cells = [row[key] for key in ("metric", "distribution", "prevalence", "n", "rival")]
    if "refused" in row:
        return COLUMNS.format(*cells, "", "", "") + f"refused: {row['refused']}"
    times = [f"{row[key]:.2f}" for key in ("fastauc_median_ns", "rival_median_ns")]
    if row["equal"]:
        return COLUMNS.format(*cells, *times, f"{row['ratio']:.1f}")
    return (
        COLUMNS.format(*cells, *times, "-")
        + f"  answers differ by {row['difference'] or 'nan or inf'}"
    )


def show(item):
    """Print what a child reported."""
    if "row" in item:
        inexact = item["row"]["exact"] is False
        print(line_of(item["row"]) + ("  FASTAUC IS NOT EXACT" if inexact else ""), flush=True)
    elif "floor" in item:
        print("streaming read, n = {n}: {median_ns:.2f} ns per row".format(**item["floor"]))
    elif "memory" in item:
        text = (
            "memory, {metric}, n = {n}: {bytes_per_row:.1f} bytes per row ({results:.1f} results)"
        )
        print(text.format(**item["memory"]))
    else:
        print(*(f"{key}: {value}" for key, value in item.items()), sep="  ", flush=True)


def failures(items):
    """Return what must not happen: crashes, inexact answers, unexplained differences."""
    failed = [item for item in items if "crashed" in item]
    for row in (item["row"] for item in items if "row" in item):
        explained = (row["rival"], row["distribution"]) in rivals.KNOWN_DEVIATIONS
        if row["exact"] is False or not (row.get("equal", True) or explained):
            failed.append(row)
    return failed


def main(argv=None):
    """Run the bench, or the child it started; return the exit status."""
    argv = sys.argv[1:] if argv is None else argv
    arguments = parse_arguments(argv)
    if arguments.child:
        warnings.simplefilter("ignore")
        kind, name = arguments.child
        if kind == "floor":
            run_floor(arguments)
        elif kind == "memory":
            run_memory(name, arguments)
        else:
            run_rival(name, arguments)
        return 0
    report = {
        "command": ["bench/run.py", *argv],
        "machine": machine(),
        "versions": versions(arguments.rivals),
    }
    print(json.dumps(report, indent=1))
    print(COLUMNS.format(*HEADINGS), "(median ns per row; ratio = rival / fastauc)")
    items = []
    for item in children(argv, arguments):
        items.append(item)
        show(item)
    for key in ("floor", "memory", "row"):
        report[key] = [item[key] for item in items if key in item]
    report["skipped"] = {item["skipped"]: item["reason"] for item in items if "skipped" in item}
    report["failures"] = failures(items)
    if arguments.output:
        arguments.output.write_text(json.dumps(report, indent=1) + "\n")
    for failure in report["failures"]:
        print("FAILED", json.dumps(failure), file=sys.stderr)
    return 1 if report["failures"] or not report["row"] else 0


if __name__ == "__main__":
    sys.exit(main())
