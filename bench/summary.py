"""What the suite `product` amounts to, read off its report.

fastauc on one thread is compared with rivals on one thread, fastauc on two with all of them.
"""

import math
from collections import defaultdict

REFERENCE = "scikit-learn"
THREADS = {"1 thread": "fastauc", "2 threads": "fastauc, 2 threads"}
COLUMNS = "{:<24}{:>10}{:>12}{:>11}{:>6}  {:<24}{:<40}{}"
HEADINGS = ["metric", "n", "prevalence", "threads", "cells"]
HEADINGS += ["times scikit-learn", "times the best rival", "worst / uniform"]
LEGEND = """\
times: rival / fastauc in ns per row, geometric mean over the distributions, then the smallest
fastauc on one thread is compared with rivals on one, fastauc on two with each rival at its best"""


def rivals_of(threads, contestants):
    """Return the places of those that fastauc on so many threads is compared with."""
    return [
        place
        for place, label in enumerate(contestants)
        if not label.startswith("fastauc")
        and (threads == "2 threads" or not label.endswith("threads"))
    ]


def compared(row, contestants, threads):
    """Return fastauc's time, scikit-learn's (or None), and (the best rival's, its name) or None."""
    times = [entry if isinstance(entry, (int, float)) else None for entry in row["ns"]]
    own = times[contestants.index(THREADS[threads])]
    reference = times[contestants.index(REFERENCE)] if REFERENCE in contestants else None
    known = [(times[place], contestants[place]) for place in rivals_of(threads, contestants)]
    best = min(((time, name) for time, name in known if time is not None), default=None)
    return own, reference, best


def cell_line(row, contestants):
    """Return the line of a cell: fastauc on one thread and two, and the best rival of each.

    Refusals are left to the end of the run.
    """
    text = "{metric:<24}{distribution:<15}{prevalence:>10}{n:>10}".format(**row)
    for threads in THREADS:
        own, _, best = compared(row, contestants, threads)
        text += f"  {'-' if own is None else f'{own:.3g}':>8}"
        if own is not None and best is not None:
            text += f" (x{best[0] / own:.3g} {best[1]})"
    notes = [
        f"{label} {entry}"
        for label, entry in zip(contestants, row["ns"], strict=True)
        if isinstance(entry, str) and not entry.startswith("refused")
    ]
    return "; ".join([text, *notes])


def geometric_mean(values):
    """Return the geometric mean."""
    return math.exp(math.fsum(map(math.log, values)) / len(values))


def mean_and_worst(ratios):
    """Return a text for [(ratio, where)]: the mean, the smallest and where that is."""
    if not ratios:
        return "-"
    smallest, where = min(ratios)
    return f"{geometric_mean([ratio for ratio, _ in ratios]):.3g}, {smallest:.3g} ({where})"


def group_line(key, rows, contestants, threads):
    """Return the line of the cells that differ in their distribution only."""
    over_reference, over_best, over_uniform = [], [], []
    for row in rows:
        own, reference, best = compared(row, contestants, threads)
        if own is None:
            continue
        if reference is not None:
            over_reference.append((reference / own, row["distribution"]))
        if best is not None:
            over_best.append((best[0] / own, f"{row['distribution']}, {best[1]}"))
        if "uniform_ns" in row:
            over_uniform.append((own / row["uniform_ns"], row["distribution"]))
    worst = ""
    if over_uniform and threads == "1 thread":  # uniform scores are measured on one thread only
        worst = "{:.2f} ({})".format(*max(over_uniform))
    metric, n, prevalence = key
    cells = [metric, n, prevalence, threads[0], len(rows)]
    cells += [mean_and_worst(over_reference), mean_and_worst(over_best), worst]
    return COLUMNS.format(*cells).rstrip()


def slower_lines(report, threads):
    """Return a line for each cell in which a rival is faster, the worst first."""
    found = []
    for row in report["cells"]:
        own, _, best = compared(row, report["contestants"], threads)
        if own is not None and best is not None and best[0] < own:
            found.append((own / best[0], own, *best, row))
    found.sort(key=lambda entry: entry[0], reverse=True)
    lines = [f"a rival is faster than fastauc on {threads}: {len(found)} cells"]
    for ratio, own, time, name, row in found:
        where = "{metric}, {distribution}, {prevalence}, n = {n}".format(**row)
        lines.append(f"  {ratio:.2f} times: {where}: {name} {time:.3g}, fastauc {own:.3g}")
    return lines


def note_lines(report):
    """Return a line for each contestant, distribution and kind of entry that is not a time."""
    notes = defaultdict(list)
    for row in report["cells"]:
        for label, entry in zip(report["contestants"], row["ns"], strict=True):
            if isinstance(entry, str):
                kind = " ".join(entry.split()[:2])
                notes[label, row["distribution"], kind].append(entry)
    return [
        f"  {label}, {distribution}: {entries[0]}"
        + (f" (or the like, {len(entries)} cells)" if len(entries) > 1 else "")
        for (label, distribution, _), entries in sorted(notes.items())
    ]


def left_line(report):
    """Return how many cells are left and, if known, how long they would take."""
    spent = defaultdict(list)
    for row in report["cells"]:
        spent[row["n"]].append(row["seconds"])
    text = f"not reached: {len(report['not_reached'])} of the cells"
    sizes = [n for _, n, _, _ in report["not_reached"]]
    if sizes and set(sizes) <= set(spent):
        seconds = sum(sum(spent[n]) / len(spent[n]) for n in sizes)
        text += f", some {seconds / 60:.0f} minutes"
    return text


def lines(report):
    """Return the lines that end a run, or that print its report again."""
    contestants = report["contestants"]
    groups = defaultdict(list)
    for row in report["cells"]:
        groups[row["metric"], row["n"], row["prevalence"]].append(row)
    found = [COLUMNS.format(*HEADINGS)]
    for key in sorted(groups, key=lambda key: (key[0], key[1], -key[2])):
        found += [group_line(key, groups[key], contestants, threads) for threads in THREADS]
    found.append(LEGEND)
    for threads in THREADS:
        found += slower_lines(report, threads)
    found += ["without a time:", *note_lines(report)]
    found += [f"skipped: {label}: {reason}" for label, reason in report["skipped"].items()]
    for n, prevalence, standing in report["repeated"]:
        found.append(f"same rows: n = {n}, {prevalence} as {standing}: one positive")
    found.append(left_line(report))
    found += ["  {}, n = {}, {}, {}".format(*cell) for cell in report["not_reached"]]
    found += [f"FAILED {text}" for text in report["failures"]]
    seconds = sum(run["seconds"] for run in report["runs"])
    found.append(f"{len(report['cells'])} cells in {seconds} s")
    return found
