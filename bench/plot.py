"""Draw nanoseconds per row against the number of rows from what bench/run.py wrote.

    python bench/plot.py bench/results/FILE.json -o bench/results/NAME.svg

The same report gives the same bytes with the same matplotlib. Lines are told apart by marker and
dashes as well as by color, and named where they end.
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

FLOOR = "one streaming read"
OWN = "fastauc"
LABELS = {
    "daal4py": "scikit-learn-intelex",
    "numba-argsort": "numba: argsort, scan",
    "numba-merge": "numba: np.sort per class, merge",
    "numpy": "np.sort per class, searchsorted",
    "scipy": "scipy mannwhitneyu",
    "fastauc-1-thread": "fastauc, 1 thread",
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


def median_lines(report, **case):
    """Return {name: {n: median ns per row}} of one case; fastauc's is the median over rivals."""
    own, found = defaultdict(list), defaultdict(dict)
    for row in report["row"]:
        if row.get("equal") and all(row[key] == value for key, value in case.items()):
            own[row["n"]].append(row["fastauc_median_ns"])
            found[row["rival"]][row["n"]] = row["rival_median_ns"]
    if not found:
        raise SystemExit(f"The report has no row of {case}.")
    found[OWN] = {n: statistics.median(times) for n, times in own.items()}
    found[FLOOR] = {item["n"]: item["median_ns"] for item in report["floor"] if item["n"] in own}
    return {name: dict(sorted(line.items())) for name, line in found.items() if line}


def spread(heights, gap):
    """Return heights at least a gap apart, in the same order, each near where it was.

    Neighbors that are too close become a block around the mean of what its members asked for.
    """
    order = sorted(range(len(heights)), key=heights.__getitem__)
    blocks = []  # (mean of the lowest position each member asks for, members)
    for index in order:
        block = (heights[index], [index])
        while blocks and blocks[-1][0] + gap * len(blocks[-1][1]) > block[0]:
            below, members = blocks.pop()
            n_below, n_above = len(members), len(block[1])
            above = block[0] - gap * n_below
            block = ((below * n_below + above * n_above) / (n_below + n_above), members + block[1])
        blocks.append(block)
    placed = [0.0] * len(heights)
    for lowest, members in blocks:
        for step, index in enumerate(members):
            placed[index] = lowest + gap * step
    return placed


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


def name_lines(axes, lines, look):
    """Write the name of every line beside its last point, joined to it where it had to move."""
    height = axes.get_window_extent().height
    to_display, to_data = axes.transData, axes.transData.inverted()
    ends = {name: max(line.items()) for name, line in lines.items()}
    heights = [to_display.transform(end)[1] for end in ends.values()]
    gap = 13 * axes.figure.dpi / 72 * 0.86
    placed = spread(heights, min(gap, height / len(heights)))
    right = max(n for n, _ in ends.values())
    for (name, end), at in zip(ends.items(), placed, strict=True):
        label = to_data.transform((0, at))[1]
        color = look[name]["color"]
        joint = [end[0] * 1.12, right * 1.5], [end[1], label]
        axes.plot(*joint, color=color, linewidth=0.5, clip_on=False)
        shape = {key: look[name][key] for key in ("marker", "markersize") if key in look[name]}
        axes.plot(right * 1.7, label, color=color, clip_on=False, **shape)
        axes.text(
            right * 2.0,
            label,
            LABELS.get(name, name),
            color=color,
            va="center",
            fontweight="bold" if name == OWN else "normal",
        )


def draw(report, **case):
    """Return the figure of one case."""
    lines = median_lines(report, **case)
    look = styles(lines)
    figure, axes = plt.subplots(figsize=(8, 4.8))
    figure.subplots_adjust(left=0.075, right=0.68, bottom=0.1, top=0.88)
    for name, line in lines.items():
        axes.plot(list(line), list(line.values()), clip_on=False, **look[name])
    axes.set(xscale="log", yscale="log", xlabel="rows")
    sizes = sorted({n for line in lines.values() for n in line})
    axes.set_xlim(sizes[0], sizes[-1])
    axes.grid(axis="y", color="#DDDDDD", linewidth=0.6)
    axes.set_axisbelow(True)
    axes.minorticks_off()
    axes.yaxis.set_major_formatter(lambda value, _: f"{value:,.10g}")
    axes.xaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
    axes.tick_params(length=3)
    axes.autoscale_view()
    name_lines(axes, lines, look)
    share = f"{100 * case['prevalence']:g} % positives"
    threads = "1 thread" if case["n_jobs"] == 1 else f"{case['n_jobs']} threads"
    title = f"{case['metric']}: nanoseconds per row"
    axes.text(0, 1.105, title, transform=axes.transAxes, fontweight="bold", fontsize=10)
    where = f"{report['machine']['cpu']}, {threads}, numpy {report['machine']['numpy']}"
    subtitle = f"{case['distribution']} scores, {share}; {where}; medians; both axes logarithmic"
    axes.text(0, 1.05, subtitle, transform=axes.transAxes, color="#444444")
    return figure


def main(argv=None):
    """Draw one case of one report."""
    parser = argparse.ArgumentParser(description="Draw what bench/run.py wrote.")
    parser.add_argument("report", type=Path, metavar="FILE.json")
    parser.add_argument("-o", "--output", type=Path, required=True, help="an .svg or .png file")
    parser.add_argument("--metric", default="roc_auc_score")
    parser.add_argument("--distribution", default="uniform")
    parser.add_argument("--prevalence", type=float, default=0.5)
    parser.add_argument("--n-jobs", type=int, default=1)
    arguments = vars(parser.parse_args(argv))
    report = json.loads(arguments.pop("report").read_text())
    output = arguments.pop("output")
    with plt.rc_context(STYLE):
        figure = draw(report, **arguments)
        undated = {"Date": None, "Creator": None} if output.suffix == ".svg" else {}
        figure.savefig(output, metadata=undated, dpi=150)
        plt.close(figure)
    return 0


if __name__ == "__main__":
    sys.exit(main())
