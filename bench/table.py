"""What a run prints: a line per measurement, then what the lines amount to.

Everything here is read off the report, so that a committed file can be printed again.
"""

import argparse
import json
from collections import defaultdict
from pathlib import Path

from summary import lines as product_lines
from targets import lines as target_lines

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


def main(argv=None):
    """Print committed reports as the runs that made them did."""
    parser = argparse.ArgumentParser(description="Print what bench/run.py wrote.")
    parser.add_argument("reports", nargs="+", type=Path, metavar="FILE.json")
    for path in parser.parse_args(argv).reports:
        report = json.loads(path.read_text())
        if "cells" in report:
            print(*product_lines(report), sep="\n")
            continue
        if "settings" in report:
            print(*target_lines(report), sep="\n")
            continue
        print(COLUMNS.format(*HEADINGS))
        for key in ("floor", "memory", "row"):
            for item in report[key]:
                show({key: item})
        print(LEGEND, *worst_lines(report["row"]), sep="\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
