"""Measure fastauc against its rivals on the same arrays; README.md beside this file explains how.

The command starts itself once per rival (and once per measurement of memory): what one library
leaves behind in a process, threads or allocated memory, cannot touch another's figures. A child
prints one JSON object per line.
"""

import argparse
import json
import math
import statistics
import sys
import tempfile
import time
import warnings
from pathlib import Path

import data
import numpy as np
import product
import rivals
import suites
import table
import targets
from answers import EXACT_UP_TO, as_number, difference, exact_answer, is_exact
from machine import DISABLED, machine, versions
from timing import (
    ENOUGH_ROUNDS,
    calls_for,
    child,
    measure,
    median_ratio,
    read,
    seconds_per_call,
)

# The suites that are measured in a way of their own, run alone, and the options only they have.
OPTIONS = {
    "product": ["max_n", "minutes", "slowest", "resume"],
    "targets": ["parts", "numpy", "large", "growth"],
}


def parse_arguments(argv):
    """Return the options; what depends on --quick is filled in here."""
    parser = argparse.ArgumentParser(description="Measure fastauc against its rivals.")
    parser.add_argument(
        "--suite",
        nargs="+",
        choices=[*suites.SUITES, "targets"],
        help="named slices; the axes below narrow them",
    )
    parser.add_argument("--quick", action="store_true", help="n = 100 and 1e4 only, a few seconds")
    parser.add_argument("--sizes", type=int, nargs="+", metavar="N")
    parser.add_argument("--rivals", nargs="+", choices=rivals.RIVALS)
    parser.add_argument("--distributions", nargs="+", choices=data.DISTRIBUTIONS)
    parser.add_argument("--prevalences", type=float, nargs="+", metavar="SHARE")
    parser.add_argument("--metrics", nargs="+", choices=suites.METRICS)
    parser.add_argument("--n-jobs", type=int, default=1, help="threads, for both sides")
    parser.add_argument("--rounds", type=int, help="measurements of each side per row of the table")
    parser.add_argument(
        "--seconds",
        type=float,
        default=2.0,
        help=f"per row of the table, after which {ENOUGH_ROUNDS} rounds are enough (default 2)",
    )
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--output", type=Path, help="write everything to this JSON file")
    only = parser.add_argument_group("--suite product")
    only.add_argument("--max-n", type=int, metavar="N", help="leave out what has more rows")
    only.add_argument("--minutes", type=float, help="what is not reached by then is listed")
    only.add_argument("--slowest", type=float, help="seconds a call may be expected to take (20)")
    only.add_argument("--resume", action="store_true", help="go on with the run in --output")
    only = parser.add_argument_group("--suite targets")
    parts = [part.__name__ for part in targets.PARTS]
    only.add_argument("--parts", nargs="+", choices=parts, help="leave out all others")
    only.add_argument("--numpy", nargs="+", choices=DISABLED, help="which instructions numpy has")
    only.add_argument("--large", action="store_true", help="1e7 rows against scikit-learn as well")
    only.add_argument("--growth", action="store_true", help="1e8 rows as well; 5 GB of memory")
    parser.add_argument("--child", nargs=3, help=argparse.SUPPRESS)
    arguments = parser.parse_args(argv)
    check_options(parser, arguments)
    if arguments.suite == ["product"]:
        check_product(parser, arguments)
    arguments.rounds = arguments.rounds or (3 if arguments.quick else 7)
    return arguments


def check_options(parser, arguments):
    """Refuse the options of a suite anywhere else, and suites beside one that runs alone."""
    for suite, names in OPTIONS.items():
        if arguments.suite == [suite]:
            continue
        if suite in (arguments.suite or []):
            parser.error(f"--suite {suite} runs alone")
        if any(getattr(arguments, name) for name in names):
            options = ", ".join("--" + name.replace("_", "-") for name in names)
            parser.error(f"{options} belong to --suite {suite}")
    axes = ("sizes", "rivals", "distributions", "prevalences", "metrics")
    if arguments.suite == ["targets"] and any(getattr(arguments, axis) for axis in axes):
        parser.error("--suite targets measures what its targets need")


def check_product(parser, arguments):
    """Refuse what the suite `product` cannot do, and fill in its limits."""
    if not set(arguments.metrics or []) <= {suites.AREA, suites.WEIGHTED}:
        parser.error("--suite product measures areas")
    if arguments.n_jobs != 1 or rivals.ONE_THREAD in (arguments.rivals or []):
        parser.error("--suite product measures fastauc on one thread and on two")
    if arguments.resume and not arguments.output:
        parser.error("--resume needs the file: --output FILE.json")
    if arguments.output and arguments.output.exists() and not arguments.resume:
        parser.error(f"{arguments.output} exists: --resume goes on with it")
    arguments.minutes = arguments.minutes or math.inf
    arguments.slowest = arguments.slowest or 20.0


def compare(own, rival, inputs, arguments, case, uniform=None):
    """Return one row: both answers compared, then both timed.

    With uniform inputs of the same size given, fastauc on these and the streaming read of them
    take their turns as well. The read follows fastauc, whose inputs it finds in the cache if they
    fit: the floor is as low as it can be.
    """
    n, metric = case["n"], case["metric"]
    tolerance = rivals.TOLERANCES.get(case["rival"], rivals.TOLERANCE)
    answer = own(*inputs)
    row = case | {"exact": None}
    if n <= EXACT_UP_TO:
        y_true, y_score, *weight = inputs
        exact = exact_answer(metric, y_true, y_score, weight[0] if weight else np.ones(n, np.int64))
        row["exact"] = is_exact(metric, as_number(metric, answer), exact)
    try:
        unlike = difference(answer, rival(*inputs))
    except Exception as error:  # a rival may refuse what fastauc takes, float16 for instance
        return row | {"refused": f"{type(error).__name__}: {error}".splitlines()[0][:200]}
    contestants = {"fastauc": (own, inputs), "rival": (rival, inputs)}
    if uniform is not None:
        first = "fastauc" if case["distribution"] == "uniform" else "uniform"
        contestants = {first: (own, uniform), "floor": (read, uniform)} | contestants
    timed = measure(list(contestants.values()), arguments.rounds, arguments.seconds)
    timed = dict(zip(contestants, timed, strict=True))
    ours, theirs = timed["fastauc"], timed["rival"]
    per_row = 1e9 / n
    row |= {
        "difference": unlike if math.isfinite(unlike) else None,  # JSON has no inf and no nan
        "tolerance": tolerance,
        "equal": unlike <= tolerance,
        "rounds": len(ours),
        "fastauc_median_ns": statistics.median(ours) * per_row,
        "fastauc_min_ns": min(ours) * per_row,
        "rival_median_ns": statistics.median(theirs) * per_row,
        "rival_min_ns": min(theirs) * per_row,
        "ratio": median_ratio(theirs, ours),
    }
    if "floor" in timed:
        row["over_floor"] = median_ratio(ours, timed["floor"])
    if "uniform" in timed:
        row["over_uniform"] = median_ratio(ours, timed["uniform"])
    return row


def run_rival(name, n_jobs, arguments):
    """In a child: print a row for every case the rival has a function for."""
    try:
        theirs = rivals.RIVALS[name][0](n_jobs)
    except ImportError as error:
        print(json.dumps({"skipped": name, "reason": str(error)}))
        return
    own = rivals.fastauc(n_jobs)
    cases = suites.cases(suites.plan(arguments), name, n_jobs)
    for (n, distribution, prevalence), metrics in cases.items():
        metrics = [metric for metric in metrics if metric in theirs]
        if not metrics:
            continue
        weight = data.weights(n, arguments.seed)
        inputs = [*data.make(distribution, n, prevalence, arguments.seed), weight]
        uniform = inputs
        if distribution != "uniform":
            uniform = [*data.make("uniform", n, prevalence, arguments.seed), weight]
        for metric in metrics:
            taken = 3 if metric == suites.WEIGHTED else 2
            case = {"metric": metric, "distribution": distribution, "prevalence": prevalence}
            case |= {"n": n, "rival": name, "n_jobs": n_jobs}
            beside = uniform[:taken] if metric in (suites.AREA, suites.WEIGHTED) else None
            row = compare(own[metric], theirs[metric], inputs[:taken], arguments, case, beside)
            print(json.dumps({"row": row}), flush=True)


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


def run_memory(folder, n_jobs, arguments):
    """In a child: print by how much one call at the most raises the resident memory.

    The kernel's count is the honest one: tracemalloc does not see what C code allocates by itself.
    On Linux it is VmHWM, the same figure as ru_maxrss; but ru_maxrss starts at the peak of the
    process that started this one. The inputs come from files: to make them here would leave free
    memory behind, which a call could use unseen.
    """
    case = json.loads(Path(folder, "case.json").read_text())
    names = ["y_true", "y_score", "sample_weight"][: 3 if case["metric"] == suites.WEIGHTED else 2]
    inputs = [np.load(Path(folder, f"{name}.npy")) for name in names]
    call = rivals.fastauc(n_jobs)[case["metric"]]
    call(*(array[::1000] for array in inputs))
    before, _ = resident_bytes()
    answer = call(*inputs)
    _, peak = resident_bytes()
    results = sum(array.nbytes for array in answer) if isinstance(answer, tuple) else 0
    n = case["n"]
    grown = {"bytes_per_row": (peak - before) / n, "results": results / n}
    print(json.dumps({"memory": case | grown}))


def run_floor(arguments):
    """In a child: print the time of one streaming read of float64 scores and labels."""
    for n in sorted({n for part in suites.plan(arguments) for n in part.sizes}):
        inputs = data.make("uniform", n, 0.5, arguments.seed)
        n_calls = calls_for(read, inputs)
        timed = [seconds_per_call(read, inputs, n_calls) for _ in range(4 * arguments.rounds)]
        nanoseconds = {"median_ns": statistics.median(timed), "min_ns": min(timed)}
        nanoseconds = {key: seconds * 1e9 / n for key, seconds in nanoseconds.items()}
        print(json.dumps({"floor": {"n": n} | nanoseconds}))


def children(argv, arguments):
    """Start every child in turn and yield the objects they print."""
    plan = suites.plan(arguments)
    yield from child(argv, "floor", "-", arguments.n_jobs)
    n = 100_000 if arguments.quick else 1_000_000
    for metric, distribution, prevalence, n_jobs in suites.memory_cases(plan):
        case = {"metric": metric, "distribution": distribution, "prevalence": prevalence, "n": n}
        y_true, y_score = data.make(distribution, n, prevalence, arguments.seed)
        arrays = {"y_true": y_true, "y_score": y_score}
        arrays["sample_weight"] = data.weights(n, arguments.seed)
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "case.json").write_text(json.dumps(case | {"n_jobs": n_jobs}))
            for name, array in arrays.items():
                np.save(Path(folder, f"{name}.npy"), array)
            yield from child(argv, "memory", folder, n_jobs)
    for name, n_jobs in suites.children(plan):
        yield from child(argv, "rival", name, n_jobs)


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
        kind, name, n_jobs = arguments.child
        if kind == "floor":
            run_floor(arguments)
        elif kind == "memory":
            run_memory(name, int(n_jobs), arguments)
        elif kind == "targets":
            targets.run_setting(arguments)
        else:
            run_rival(name, int(n_jobs), arguments)
        return 0
    if arguments.suite == ["product"]:
        return product.run(argv, arguments)
    if arguments.suite == ["targets"]:
        return targets.run(argv, arguments)
    start = time.perf_counter()
    names = [name for name, _ in suites.children(suites.plan(arguments))]
    report = {
        "command": ["bench/run.py", *argv],
        "machine": machine(),
        "versions": versions(names),
    }
    print(json.dumps(report, indent=1))
    print(table.COLUMNS.format(*table.HEADINGS))
    items = []
    for item in children(argv, arguments):
        items.append(item)
        table.show(item)
    for key in ("floor", "memory", "row"):
        report[key] = [item[key] for item in items if key in item]
    report["skipped"] = {item["skipped"]: item["reason"] for item in items if "skipped" in item}
    report["failures"] = failures(items)
    report["seconds"] = round(time.perf_counter() - start)
    print(table.LEGEND, *table.worst_lines(report["row"]), f"{report['seconds']} s", sep="\n")
    if arguments.output:
        arguments.output.write_text(json.dumps(report, indent=1) + "\n")
    for failure in report["failures"]:
        print("FAILED", json.dumps(failure), file=sys.stderr)
    return 1 if report["failures"] or not report["row"] else 0


if __name__ == "__main__":
    sys.exit(main())
