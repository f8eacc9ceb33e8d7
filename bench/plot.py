"""Draw what the suite `headline` or the suite `functions` wrote.

    python bench/plot.py bench/results/FILE.json -o bench/results/NAME.svg

The first is nanoseconds per row against the number of rows, the second the time of every function
in multiples of that of the area. The same report gives the same bytes with the same matplotlib.
Lines are told apart by marker and dashes as well as by color, and named in the order in which they
end.
"""

import argparse
import json
import statistics
import sys
from collections import defaultdict
from pathlib import Path

import matplotlib

matplotlib.use("Agg")  # nothing is shown

import matplotlib.pyplot as plt

FLOOR = "read"
OWN = "fastauc"
CASE = {"metric": "roc_auc_score", "distribution": "uniform", "prevalence": 0.5, "n_jobs": 1}
LABELS = {
    FLOOR: "one streaming read",
    "daal4py": "scikit-learn-intelex",
    "numba-argsort": "numba: argsort, scan",
    "numba-merge": "numba: np.sort per class, merge",
    "numpy": "np.sort per class, searchsorted",
    "scipy": "scipy mannwhitneyu",
}
# Okabe and Ito's colors, which color-blind readers can tell apart, darkened where they are pale.
COLORS = ["#0072B2", "#B35900", "#007A5C", "#A0527F", "#2E86B8", "#8A7A00", "#555555"]
MARKERS = ["s", "^", "D", "v", "P", "X", "<", ">", "p", "h", "*", "d"]
DASHES = [(None, None), (5, 2), (1.5, 1.5), (6, 2, 1.5, 2), (9, 3)]
STYLE = {
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans", "Verdana"],  # the first comes with matplotlib
    "font.size": 8.5,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "svg.fonttype": "none",  # text stays text: half the size, and can be searched
    "svg.hashsalt": "fastauc",
}


def median_lines(report):
    """Return {name: {n: median ns per row}}; of several figures, their median."""
    found = defaultdict(lambda: defaultdict(list))
    for row in (row for rows in report["settings"].values() for row in rows):
        if CASE.items() <= row.items():
            for name, median in row["median"].items():
                found[name][row["n"]].append(median)
    return {
        name: {n: statistics.median(line[n]) for n in sorted(line)} for name, line in found.items()
    }


def styles(names):
    """Return how to draw each line: rivals in their order, fastauc and the floor apart."""
    found = {
        OWN: {"color": "black", "linewidth": 2.6, "marker": "o", "markersize": 5, "zorder": 5},
        FLOOR: {"color": "#777777", "linewidth": 1.2, "dashes": (1, 2)},
    }
    for i, name in enumerate(name for name in names if name not in found):
        found[name] = {
            "color": COLORS[i % len(COLORS)],
            "marker": MARKERS[i % len(MARKERS)],
            "dashes": DASHES[i % len(DASHES)],
            "markersize": 3.8,
            "linewidth": 1.1,
        }
    return found


def draw(report):
    """Return the figure of all rivals."""
    lines = median_lines(report)
    look = styles(lines)
    figure, axes = plt.subplots(figsize=(8, 4.8))
    figure.subplots_adjust(left=0.075, right=0.68, bottom=0.1, top=0.88)
    for name, line in lines.items():
        axes.plot(list(line), list(line.values()), label=name, clip_on=False, **look[name])
    axes.set(xscale="log", yscale="log", xlabel="rows")
    sizes = sorted({n for line in lines.values() for n in line})
    axes.set_xlim(sizes[0], sizes[-1])
    axes.grid(axis="y", color="#DDDDDD", linewidth=0.6)
    axes.set_axisbelow(True)
    axes.minorticks_off()
    axes.yaxis.set_major_formatter(lambda value, _: f"{value:,.10g}")
    axes.xaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
    axes.tick_params(length=3)
    by_height = sorted(axes.get_lines(), key=lambda line: -line.get_ydata()[-1])
    names = [LABELS.get(line.get_label(), line.get_label()) for line in by_height]
    axes.legend(by_height, names, loc="center left", bbox_to_anchor=(1.02, 0.5), frameon=False)
    title = "roc_auc_score: nanoseconds per row"
    axes.text(0, 1.105, title, transform=axes.transAxes, fontweight="bold", fontsize=10)
    subtitle = f"uniform scores, half positive; {where(report)}; medians; both axes logarithmic"
    axes.text(0, 1.05, subtitle, transform=axes.transAxes, color="#444444")
    return figure


def where(report):
    return f"{report['machine']['cpu']}, 1 thread, numpy {report['machine']['numpy']}"


def draw_functions(rows, report):
    """Return the figure of all functions, at the greatest number of rows, the cheapest on top."""
    n = max(row["n"] for row in rows)
    found = [(row["function"], row["ratio"]) for row in rows if row["n"] == n]
    found.sort(key=lambda pair: (pair[1]["unweighted"], pair[0]))
    height = 1 + 0.17 * len(found)
    figure, axes = plt.subplots(figsize=(8, height))
    figure.subplots_adjust(left=0.36, right=0.98, bottom=0.3 / height, top=1 - 0.55 / height)
    for name, marker, color in (("unweighted", "o", "black"), ("weighted", "s", COLORS[1])):
        points = [(ratio[name], i) for i, (_, ratio) in enumerate(found) if name in ratio]
        axes.plot(*zip(*points, strict=True), marker, color=color, markersize=4, label=name)
    for ratio, style in ((1, "-"), (8, "--")):
        axes.axvline(ratio, color="#777777", linewidth=1, linestyle=style, zorder=0)
    axes.set(xscale="log", ylim=(len(found) - 0.3, -0.7))
    axes.set_yticks(range(len(found)), [name for name, _ in found], fontsize=7)
    axes.grid(axis="y", color="#EEEEEE", linewidth=0.6)
    axes.set_axisbelow(True)
    axes.xaxis.set_major_formatter(lambda value, _: f"{value:,.10g}")
    axes.legend(loc="upper right", frameon=True)
    figure.text(
        0.02, 1 - 0.2 / height, "Time in multiples of the AUC", fontweight="bold", fontsize=10
    )
    subtitle = f"{n:,} rows, 30% positive; resampling: one replicate; {where(report)}; medians"
    figure.text(0.02, 1 - 0.4 / height, subtitle, color="#444444")
    return figure


def main(argv=None):
    """Draw a report."""
    parser = argparse.ArgumentParser(description="Draw what bench/run.py wrote.")
    parser.add_argument("report", type=Path, metavar="FILE.json")
    parser.add_argument("-o", "--output", type=Path, required=True, help="an .svg or .png file")
    options = parser.parse_args(argv)
    report = json.loads(options.report.read_text())
    of_functions = [
        row for rows in report["settings"].values() for row in rows if "function" in row
    ]
    with plt.rc_context(STYLE):
        figure = draw_functions(of_functions, report) if of_functions else draw(report)
        undated = {"Date": None, "Creator": None} if options.output.suffix == ".svg" else {}
        figure.savefig(options.output, metadata=undated, dpi=150)
        plt.close(figure)
    return 0


if __name__ == "__main__":
    sys.exit(main())
