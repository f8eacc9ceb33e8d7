"""What a run prints: a line per measurement, then what the lines amount to.

Everything here is read off the report, so that a committed file can be printed again.
"""

import argparse
import json
from collections import defaultdict
from pathlib import Path

from suites import AREA, WEIGHTED
from summary import lines as product_lines

MILLION = 10**6
COLUMNS = "{:<24}{:<15}{:>10}{:>10}{:>8}  {:<17}{:>10}{:>10}{:>8}{:>9}{:>11}"
HEADINGS = ["metric", "distribution", "prevalence", "n", "threads", "rival"]
HEADINGS += ["fastauc", "rival", "ratio", "x floor", "x uniform"]
LEGEND = """\
median ns per row; ratio: rival / fastauc; x floor: fastauc / one streaming read of float64 scores
and int64 labels; x uniform: fastauc / fastauc on as many uniform scores of the same prevalence"""


def line_of(row):
    """Return the line of the table for one row."""
    cells = [row[key] for key in ("metric", "distribution", "prevalence", "n", "n_jobs", "rival")]
    if "refused" in row:
        line = COLUMNS.format(*cells, *[""] * 5) + f"  refused: {row['refused']}"
    else:
        cells += [f"{row[key]:.2f}" for key in ("fastauc_median_ns", "rival_median_ns")]
        cells += [f"{row['ratio']:.1f}" if row["equal"] else "-"]
        cells += [f"{row[key]:.1f}" if key in row else "" for key in ("over_floor", "over_uniform")]
        line = COLUMNS.format(*cells).rstrip()
        if not row["equal"]:
            line += f"  answers differ by {row['difference'] or 'nan or inf'}"
    return line + ("  FASTAUC IS NOT EXACT" if row["exact"] is False else "")


def memory_line(item):
    """Return the line for one measurement of memory."""
    case = "{metric}, {distribution}, {prevalence}, n = {n}, threads = {n_jobs}".format(**item)
    return "memory, {}: {bytes_per_row:.1f} bytes per row ({results:.1f} results)".format(
        case, **item
    )


def show(item):
    """Print what a child reported."""
    if "row" in item:
        print(line_of(item["row"]), flush=True)
    elif "floor" in item:
        print("streaming read, n = {n}: {median_ns:.2f} ns per row".format(**item["floor"]))
    elif "memory" in item:
        print(memory_line(item["memory"]), flush=True)
    else:
        print(*(f"{key}: {value}" for key, value in item.items()), sep="  ", flush=True)


def worst_lines(rows):
    """Return a line for every group of rows that differ in their distribution only."""
    groups = defaultdict(dict)
    for row in rows:
        if "over_uniform" in row:
            key = row["metric"], row["prevalence"], row["n"], row["n_jobs"]
            group = groups[key]
            group[row["distribution"]] = max(row["over_uniform"], group.get(row["distribution"], 0))
    return [
        "worst / uniform, {}, {}, n = {}, threads = {}: {:.2f} ({}, of {} others)".format(
            *key, max(group.values()), max(group, key=group.get), len(group)
        )
        for key, group in groups.items()
        if len(group) > 1
    ]


def is_case(row, case):
    """Tell whether a row has every value of the case."""
    return all(row[key] == value for key, value in case.items())


def ratio(row):
    """Return by how much fastauc is faster, if the answers can be compared."""
    return row["ratio"] if row.get("equal") else None


def target(text, value, bound, *, at_least, **case):
    """Return a target: of the rows of this case, value(row) must be on the right side."""
    case = {"metric": AREA, "distribution": "uniform", "prevalence": 0.5, "n_jobs": 1} | case
    return {"text": text, "value": value, "bound": bound, "at_least": at_least, "case": case}


def speed(text, bound, **case):
    """Return the target of being so many times faster than scikit-learn."""
    case = {"rival": "scikit-learn"} | case
    return target(f"{text}: times {case['rival']}", ratio, bound, at_least=True, **case)


def targets():
    """Return the targets of the kernels."""
    over_merge = {"rival": "numba-merge"}
    found = []
    for n, text in ((MILLION, "1e6"), (10 * MILLION, "1e7")):
        found += [
            speed(f"continuous, {text}", 60, n=n),
            speed(f"continuous, {text}, 2 threads", 100, n=n, n_jobs=2),
            speed(f"continuous, {text}", 1.3, n=n, **over_merge),
        ]
    rare = {"n": MILLION, "prevalence": 0.01, "rival": "scikit-learn"}
    small = {"n": 100, "rival": "scikit-learn"}
    return [
        *found,
        speed("1 % positives", 100, **rare),
        target(
            "1 % positives: times the floor",
            lambda row: row.get("over_floor"),
            5,
            at_least=False,
            **rare,
        ),
        speed("3 decimals", 100, n=MILLION, distribution="rounded3"),
        speed("200 leaves", 100, n=MILLION, distribution="leaves200"),
        speed("float32", 70, n=MILLION, distribution="float32"),
        speed("weighted", 25, n=MILLION, metric=WEIGHTED),
        target(
            "n = 100: microseconds a call",
            lambda row: row["fastauc_median_ns"] * row["n"] / 1000,
            4,
            at_least=False,
            **small,
        ),
        speed("n = 100", 150, n=100),
        speed("roc_curve", 12, n=MILLION, metric="roc_curve"),
        speed("precision_recall_curve", 12, n=MILLION, metric="precision_recall_curve"),
        speed("average_precision_score", 30, n=MILLION, metric="average_precision_score"),
    ]


def outcomes(report):
    """Return (text, value, bound, whether it must be at least that) of every target measured."""
    rows = [row for row in report["row"] if "refused" not in row]
    found = []
    for wanted in targets():
        values = [wanted["value"](row) for row in rows if is_case(row, wanted["case"])]
        values = [value for value in values if value is not None]
        if values:
            found.append((wanted["text"], values[0], wanted["bound"], wanted["at_least"]))
    over_uniform = [
        row["over_uniform"]
        for row in rows
        if "over_uniform" in row
        and is_case(row, {"metric": AREA, "n": MILLION, "n_jobs": 1, "prevalence": 0.5})
    ]
    if over_uniform:
        found.append(("worst distribution: times uniform", max(over_uniform), 3, False))
    scratch = [
        item["bytes_per_row"]
        for item in report["memory"]
        if item["metric"] == AREA and item["n"] == MILLION
    ]
    if scratch:
        found.append(("scratch memory: bytes per row", max(scratch), 10, False))
    return found


def summary(report):
    """Return the lines that end a run."""
    lines = worst_lines(report["row"])
    for text, value, bound, at_least in outcomes(report):
        verdict = "met" if (value >= bound if at_least else value <= bound) else "MISSED"
        sign = ">=" if at_least else "<="
        lines.append(f"target  {text:<48}{value:>8.2f}  {sign} {bound:<5} {verdict}")
    return lines


def main(argv=None):
    """Print committed reports as the runs that made them did."""
    parser = argparse.ArgumentParser(description="Print what bench/run.py wrote.")
    parser.add_argument("reports", nargs="+", type=Path, metavar="FILE.json")
    for path in parser.parse_args(argv).reports:
        report = json.loads(path.read_text())
        if "cells" in report:
            print(*product_lines(report), sep="\n")
            continue
        print(COLUMNS.format(*HEADINGS))
        for key in ("floor", "memory", "row"):
            for item in report[key]:
                show({key: item})
        print(LEGEND, *summary(report), sep="\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
