"""Measure fastauc, beside its rivals and against its targets; README.md beside this file explains.

The command starts itself once per suite (and once per rival): what one library leaves behind in a
process, threads or allocated memory, cannot touch another's figures. A child prints one JSON object
per line.
"""

import argparse
import json
import os
import subprocess
import sys
import time
import warnings
from collections import defaultdict
from pathlib import Path

import case
import data
import rivals
import suites
from machine import DISABLED, disabled, machine, versions

import fastauc

THREAD_SETTINGS = [
    "FASTAUC_NUM_THREADS",
    "MKL_NUM_THREADS",
    "NUMBA_NUM_THREADS",
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "POLARS_MAX_THREADS",
    "RAYON_NUM_THREADS",
]


def parse_arguments(argv):
    """Return the options."""
    parser = argparse.ArgumentParser(description="Measure fastauc.")
    parser.add_argument(
        "--suite",
        nargs="+",
        default=["headline"],
        choices=[*suites.SUITES, "targets"],
        metavar="SUITE",
        help=f"some of: {', '.join(suites.SUITES)}; or all that have targets (default: headline)",
    )
    parser.add_argument("--max-rows", type=int, metavar="N", help="of any case")
    grid = parser.add_argument_group(f"{', '.join(suites.GRIDS)}: an axis replaces the suite's own")
    grid.add_argument("--sizes", type=int, nargs="+", metavar="N")
    grid.add_argument("--rivals", nargs="+", choices=rivals.RIVALS)
    grid.add_argument("--distributions", nargs="+", choices=data.DISTRIBUTIONS)
    grid.add_argument("--prevalences", type=float, nargs="+", metavar="SHARE")
    grid.add_argument("--metrics", nargs="+", choices=suites.METRICS)
    grid.add_argument("--n-jobs", type=int, default=1, help="threads, for both sides")
    parser.add_argument("--rounds", type=int, default=7, help="measurements of each contestant")
    parser.add_argument(
        "--seconds",
        type=float,
        default=2.0,
        help=f"of a case, after which {case.ENOUGH_ROUNDS} rounds are enough (default 2)",
    )
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--numpy", nargs="+", choices=DISABLED, default=["as-is"])
    parser.add_argument("--large", action="store_true", help="targets: 1e7 rows, and files of 1e8")
    parser.add_argument("--growth", action="store_true", help="targets: 5e7 rows; 4 GB of memory")
    parser.add_argument("--output", type=Path, help="write everything to this JSON file")
    parser.add_argument("--child", nargs=2, help=argparse.SUPPRESS)
    return parser.parse_args(argv)


def run_child(suite, rival, options):
    """In a child: print what each case of a suite gives."""
    for found in suites.cases(suite, rival, options):
        if isinstance(found, dict):
            row = found
        elif isinstance(found, case.Figure):
            row = case.run_figure(found)
        else:
            row = case.run(found, options.rounds, options.seconds)
        print(json.dumps({"suite": suite} | row), flush=True)


def child(argv, suite, rival, n_jobs, without):
    """Start this file as a child; yield the objects it prints."""
    settings = dict.fromkeys(THREAD_SETTINGS, str(n_jobs))
    if without:
        settings["NPY_DISABLE_CPU_FEATURES"] = without
    with subprocess.Popen(
        [sys.executable, __file__, *argv, "--child", suite, rival],
        stdout=subprocess.PIPE,
        text=True,
        env=os.environ | settings,
    ) as process:
        yield from (json.loads(line) for line in process.stdout if line.startswith('{"suite"'))
    if process.returncode:
        crashed = f"{suite} {rival}: crashed with status {process.returncode}"
        yield {"suite": suite, "name": crashed, "targets": [], "failures": [crashed]}


def line_of(row):
    """Return the line of a case: times, and how many times that of the first."""
    if "figure" in row:
        return f"{row['name']:<60} {row['figure']:.4g}"
    cells = []
    for name, value in row.get("median", {}).items():
        ratio = f" (x{row['ratio'][name]:.3g})" if name in row["ratio"] else ""
        cells.append(f"{name} {value:.3g} {row['unit']}{ratio}")
    cells += [f"{name} {note}" for name, note in row.get("notes", {}).items()]
    return f"{row['name']:<60} {'; '.join(cells)}"


def target_lines(settings):
    """Return a line for each target: the worst of its values in every setting."""
    worst, signs = defaultdict(dict), {}
    for setting, rows in settings.items():
        for reached in (reached for row in rows for reached in row["targets"]):
            text, at_least = reached["text"], reached["sign"] == ">="
            signs[text] = f"{reached['sign']} {reached['bound']:g}"
            other = worst[text].get(setting)
            if other is None or (reached["value"] < other["value"]) == at_least:
                n_cases = 1 + (other["n_cases"] if other else 0)
                worst[text][setting] = reached | {"n_cases": n_cases}
            else:
                other["n_cases"] += 1
    if not worst:
        return []
    lines = [f"{'target':<66}{'':<9}" + "".join(f"{setting:<40}" for setting in settings)]
    for text, found in worst.items():
        cells = "".join(f"{verdict(found[name]) if name in found else '':<40}" for name in settings)
        lines.append(f"{text:<66}{signs[text]:<9}{cells}".rstrip())
    return lines


def verdict(reached):
    """Return the value of a target, whether it is met, and where the worst of several was."""
    value, bound = reached["value"], reached["bound"]
    is_met = value >= bound if reached["sign"] == ">=" else value <= bound
    where = f" ({reached['where']})" if reached["n_cases"] > 1 else ""
    return f"{value:.2f} {'met' if is_met else 'missed'}{where} "


def main(argv=None):
    """Run the suites, or the child that this command started; return the exit status."""
    argv = sys.argv[1:] if argv is None else argv
    options = parse_arguments(argv)
    if options.child:
        warnings.simplefilter("ignore")
        run_child(*options.child, options)
        return 0
    start = time.perf_counter()
    report = {"command": ["bench/run.py", *argv], "machine": machine(), "versions": versions()}
    print(json.dumps(report, indent=1))
    print("measuring", Path(fastauc.__file__).parent, flush=True)  # of several, which one is it?
    report["settings"] = {}
    for setting in options.numpy:
        print(f"numpy {setting}; times in brackets are those of the first contestant", flush=True)
        rows = report["settings"][setting] = []
        for suite, rival in suites.children(options):
            for row in child(argv, suite, rival, options.n_jobs, disabled(setting)):
                rows.append(row)
                print(line_of(row), flush=True)
    print(*target_lines(report["settings"]), sep="\n")
    if options.max_rows:
        print(f"No case had more than {options.max_rows} rows: these are no figures of targets.")
    report |= {"seconds": round(time.perf_counter() - start), "load": machine()["load"]}
    print(f"{report['machine']['cpu']}, {report['seconds']} s, load {report['load']}")
    if options.output:
        options.output.write_text(json.dumps(report, indent=1) + "\n")
    rows = [row for rows in report["settings"].values() for row in rows]
    failures = [failure for row in rows for failure in row["failures"]]
    for failure in failures:
        print("FAILED", failure, file=sys.stderr)
    return 1 if failures or not rows else 0


if __name__ == "__main__":
    sys.exit(main())
