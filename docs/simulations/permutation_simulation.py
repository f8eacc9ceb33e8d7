"""How often permutation tests reject what is true, at 5 % and at 0.1 %.

The table stands in ``docs/simulations.md``. In this folder:

    python permutation_simulation.py               # all: ten minutes on two cores
    python permutation_simulation.py --scale 0.1   # fewer samples, only printed
    python permutation_simulation.py --write-only  # the page again, no simulation

A cell is a test, class sizes, a kind of scores, and the correlation of two models on the same rows.
Scores are normal, with an area of 0.76 (of one score, 0.5), and cut into levels: the curves of both
models are the same. Each cell has chance of its own, by its name and the seed.
"""

import argparse
import itertools
import os
import re
import zlib
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np

from fastauc.inference import permutation_test, permutation_test_1samp

RESULTS = Path(__file__).with_name("permutation_tests.txt")
PAGE = Path(__file__).parents[1] / "simulations.md"
N_RESAMPLES = 999  # the least p-value is 0.001

# Where normal scores are cut; positives are higher by 1.
CUTS = {
    "continuous": None,
    "2 levels": [0.5],
    "a flag of 1 %": [2.3],
    "3 levels": [0.0, 1.0],
    "3 levels, two of them rare": [1.5, 2.5],
    "5 levels": [-0.5, 0.2, 0.9, 1.8],
}
LUMP = "a lump of ties, and a rest without"
SCORES = *CUTS, LUMP
SIZES = (5, 95), (20, 20), (20, 200), (200, 200)


def cut(scores, kind):
    """Return scores of a kind."""
    if kind == LUMP:
        return np.maximum(scores, 0.3)
    return scores if CUTS[kind] is None else np.searchsorted(CUTS[kind], scores)


def draw(rng, sizes, kind, correlation=0.0, shift=1.0):
    """Return labels, and scores of two models."""
    labels = np.repeat([1, 0], sizes)
    common, *own = rng.standard_normal((3, len(labels)))
    parts = np.sqrt(correlation), np.sqrt(1 - correlation)
    return labels, *(cut(parts[0] * common + parts[1] * z + shift * labels, kind) for z in own)


def of_same_rows(rng, sizes, kind, correlation, **options):
    return permutation_test(*draw(rng, sizes, kind, correlation), rng=rng, **options)


def of_one_score(rng, sizes, kind, **options):
    return permutation_test_1samp(*draw(rng, sizes, kind, shift=0.0)[:2], rng=rng, **options)


class Part(NamedTuple):
    """A test, how many samples, and the cells: what is passed to ``run``."""

    run: object
    n_samples: int
    cells: list


_SAME_ROWS = list(itertools.product(SIZES, SCORES, (0.5, 0.95)))
_FEW_ROWS = [cell for cell in _SAME_ROWS if sum(cell[0]) <= 100]
PARTS = {
    "one AUC": Part(of_one_score, 1000, list(itertools.product(SIZES, SCORES))),
    "AUCs, same rows": Part(of_same_rows, 1000, _SAME_ROWS),
    "curves, same rows": Part(partial(of_same_rows, statistic="roc_curve"), 200, _FEW_ROWS),
}


class Line(NamedTuple):
    """Percentages of rejections in a cell."""

    test: str
    rows: str
    scores: str
    correlation: str
    n_samples: int
    at_5: float
    at_01: float


def measure(part, cell, n_samples, seed=1):
    """Return the line of a cell."""
    rng = np.random.default_rng([seed, zlib.crc32(repr((part, cell)).encode())])
    run = PARTS[part].run
    pvalues = [run(rng, *cell, n_resamples=N_RESAMPLES).pvalue for _ in range(n_samples)]
    # A p-value of 0.05 may be one but for rounding.
    rates = (100 * np.mean(np.array(pvalues) <= level * (1 + 1e-12)) for level in (0.05, 0.001))
    return Line(*name_of(part, cell), n_samples, *map(float, rates))


def name_of(part, cell):
    """Return the first four fields of the line of a cell."""
    sizes, kind, *correlation = cell
    return part, " + ".join(map(str, sizes)), kind, str(*correlation) or "-"


def as_text(lines):
    """Return a row for each line."""
    numbers = ((str(line[4]), f"{line[5]:.2f}", f"{line[6]:.3f}") for line in lines)
    rows = [Line._fields, *((*line[:4], *own) for line, own in zip(lines, numbers, strict=True))]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "".join("  ".join(map(str.ljust, row, widths)).rstrip() + "\n" for row in rows)


def read_text(text):
    """Return the lines of a text."""
    fields = [re.split("  +", row) for row in text.splitlines()[1:]]
    return [Line(*row[:4], int(row[4]), *map(float, row[5:])) for row in fields]


def as_table(lines):
    """Return the table of the page: the greatest rate of all correlations and kinds of a row."""
    texts = ["| test | rows | " + " | ".join(SCORES) + " |", "| --- " * (2 + len(SCORES)) + "|"]
    for test, rows in dict.fromkeys((line.test, line.rows) for line in lines):
        cells = []
        for kind in SCORES:
            here = [line for line in lines if (test, rows, kind) == line[:3]]
            worst = [max(getattr(line, at) for line in here) for at in ("at_5", "at_01")]
            cells.append(f"{worst[0]:.1f} / {worst[1]:.2f}")
        texts.append(f"| {test} | {rows} | {' | '.join(cells)} |")
    return "\n".join(texts) + "\n"


def with_table(page, lines):
    """Return the text of the page with the table between its marks."""
    begin, end = "<!-- table: permutation tests -->\n\n", "\n<!-- end of permutation tests -->\n"
    before, mark, rest = page.partition(begin)
    _, end_mark, after = rest.partition(end)
    if not (mark and end_mark):
        raise ValueError(f"{PAGE.name} has no place for the table.")
    return f"{before}{begin}{as_table(lines)}{end}{after}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--scale", type=float, default=1.0, help="times as many samples")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--n-jobs", type=int, default=os.cpu_count())
    parser.add_argument("--write-only", action="store_true")
    options = parser.parse_args()
    if not options.write_only:
        lines = []
        with ProcessPoolExecutor(options.n_jobs) as pool:
            for name, part in PARTS.items():
                n_samples = max(2, round(options.scale * part.n_samples))
                run = partial(measure, name, n_samples=n_samples, seed=options.seed)
                lines += pool.map(run, part.cells)
                print(as_text(lines), flush=True)
        if options.scale != 1:
            return
        RESULTS.write_text(as_text(lines), encoding="utf-8")
    page = PAGE.read_text(encoding="utf-8")
    PAGE.write_text(with_table(page, read_text(RESULTS.read_text(encoding="utf-8"))), "utf-8")


if __name__ == "__main__":
    main()
