"""How often intervals hold what they are of, on which side they miss, how wide they are; and tests.

Its tables stand in ``docs/which_to_take.md``. In this folder:

    python coverage_simulation.py                            # all: half an hour on two cores
    python coverage_simulation.py --parts groups bands       # two parts; the others stay
    python coverage_simulation.py --parts areas --scale 0.1  # fewer samples, only printed
    python coverage_simulation.py --parts                    # the page again, no simulation

Every part of ``coverage_parts.py`` is a list of cells: class sizes, a population, an area.
Each cell has chance of its own, by its name and the seed, so that neither the order nor the number
of processes matters. What is found goes into ``coverage.txt``, a line for each cell and method, and
from there into the tables of the page, between the marks of each.
"""

import argparse
import os
import re
import time
import warnings
import zlib
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np
from coverage_parts import PARTS, Line

RESULTS = Path(__file__).with_name("coverage.txt")
PAGE = Path(__file__).parents[1] / "which_to_take.md"


# Measuring ----------------------------------------------------------------------------------------


def measure(part, cell, n_samples, seed=1):
    """Return the lines of a cell of a part."""
    rng = np.random.default_rng([seed, zlib.crc32(repr((part, cell)).encode())])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of what is NaN, which is a miss
        return PARTS[part].measure(rng, n_samples, *cell)


def _measure_timed(part, n_samples, seed, cell):
    start = time.perf_counter()
    return measure(part, cell, n_samples, seed), time.perf_counter() - start


def simulate(part, n_samples, seed, run):
    """Return the lines of a part, and how many seconds of a processor they took."""
    found = list(run(partial(_measure_timed, part, n_samples, seed), PARTS[part].cells))
    return [line for lines, _ in found for line in lines], sum(seconds for _, seconds in found)


# The table of all lines ---------------------------------------------------------------------------


def as_text(part, lines, n_samples, seed):
    """Return a part of the text: a title, and a row for each line."""
    rows = [Line._fields, *(tuple(map(format, line, _FORMATS)) for line in lines)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    texts = ["  ".join(map(str.ljust, row, widths)).rstrip() for row in rows]
    return "\n".join([f"{part}: {n_samples} samples, seed {seed}", *texts]) + "\n"


_FORMATS = "", "", "", "", "", ".1f", ".1f", ".1f", ".3f"


class Recorded(NamedTuple):
    """A part of the recorded text, and the lines it holds."""

    text: str
    lines: list[Line]


def read_text(text):
    """Return the parts of a text by their names."""
    parts = {}
    for block in filter(None, text.split("\n\n")):
        title, _, *rows = block.strip("\n").split("\n")
        fields = [re.split("  +", row) for row in rows]
        lines = [Line(*row[:5], *map(float, row[5:])) for row in fields]
        parts[title.partition(":")[0]] = Recorded(block.strip("\n") + "\n", lines)
    return parts


# The tables of the page ---------------------------------------------------------------------------


class Table(NamedTuple):
    """A table of the page: of which lines of a part, and what its rows and columns are.

    A cell has a number for each area, and the worst of lines that differ in something else.
    """

    part: str
    rows: tuple[str, ...]
    columns: str = "method"
    sides_of: str | None = None  # the column whose sides and width are shown as well
    is_test: bool = False


TABLES = {
    "areas": Table("areas", ("rows", "scores"), sides_of="wilson"),
    "groups": Table("groups", ("what", "rows", "scores"), sides_of="wilson"),
    "parts": Table("partial", ("rows",), "what"),
    "bootstrap": Table("bootstrap", ("what", "rows", "scores")),
    "averages": Table("averages", ("what", "rows"), sides_of="default"),
    "rates": Table("rates", ("what", "rows")),
    "precision": Table("precision", ("what", "rows")),
    "bands": Table("bands", ("what", "rows", "scores")),
    "thresholds": Table("thresholds", ("what", "rows")),
    "tests": Table("tests", ("what", "rows", "scores"), is_test=True),
    "other tests": Table("other-tests", ("what", "scores"), "rows", is_test=True),
    "bootstrap tests": Table("bootstrap-tests", ("what", "rows"), is_test=True),
}


def as_table(table, lines):
    """Return a table of the page in Markdown."""
    columns = list(dict.fromkeys(getattr(line, table.columns) for line in lines))
    along = sorted({line.area for line in lines})
    head = [*table.rows, *(f"`{name}`" if table.columns == "method" else name for name in columns)]
    if table.sides_of:
        head += ["ends below", "begins above", "width"]
    rows = {}
    for line in lines:
        rows.setdefault(tuple(getattr(line, field) for field in table.rows), []).append(line)
    texts = [head, ["---"] * len(head)]
    for place, here in rows.items():
        cells = [
            _along(along, [line for line in here if getattr(line, table.columns) == column], *shown)
            for column, shown in [
                *((column, _REJECTED if table.is_test else _HOLDS) for column in columns),
                *((table.sides_of, shown) for shown in _SIDES if table.sides_of),
            ]
        ]
        texts.append([*place, *cells])
    return "\n".join(f"| {' | '.join(text)} |" for text in texts) + "\n"


# What a cell shows of lines, which of several is the worst, and its digits.
_HOLDS = (lambda line: line.holds), min, ".0f"
_REJECTED = (lambda line: 100 - line.holds), max, ".1f"
_SIDES = (
    ((lambda line: line.below), max, ".0f"),
    ((lambda line: line.above), max, ".0f"),
    ((lambda line: line.width), max, ".2f"),
)


def _along(along, lines, value_of, worst, form):
    """Return the values of lines at each area, a dash where there is none."""
    found = [[value_of(line) for line in lines if line.area == area] for area in along]
    if not any(found):
        return "-"
    return " / ".join(f"{worst(values):{form}}" if values else "-" for values in found)


def with_tables(page, parts):
    """Return the text of the page with the tables of recorded lines between their marks."""
    for name, table in TABLES.items():
        begin, end = f"<!-- table: {name} -->\n", f"\n<!-- end of {name} -->\n"
        before, mark, rest = page.partition(begin)
        _, end_mark, after = rest.partition(end)
        if not (mark and end_mark):
            raise ValueError(f"{PAGE.name} has no place for the table {name}.")
        text, lines = parts[table.part]
        n_samples = re.match(r".*: (\d+) samples", text).group(1)
        page = f"{before}{begin}\n{n_samples} samples each:\n\n{as_table(table, lines)}{end}{after}"
    return page


# The command --------------------------------------------------------------------------------------


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--parts", nargs="*", choices=PARTS, default=list(PARTS))
    parser.add_argument("--scale", type=float, default=1.0, help="times as many samples")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--n-jobs", type=int, default=os.cpu_count())
    options = parser.parse_args()
    recorded = read_text(RESULTS.read_text(encoding="utf-8")) if RESULTS.exists() else {}
    with ProcessPoolExecutor(options.n_jobs) as pool:
        run = map if options.n_jobs == 1 else pool.map
        for part in options.parts:
            start = time.perf_counter()
            n_samples = max(2, round(options.scale * PARTS[part].n_samples))
            lines, seconds = simulate(part, n_samples, options.seed, run)
            text = as_text(part, lines, n_samples, options.seed)
            passed = time.perf_counter() - start
            print(f"{text}\n{part}: {passed:.0f} s, {seconds:.0f} s of a processor\n", flush=True)
            if options.scale == 1:
                recorded |= read_text(text)
                texts = [recorded[part].text for part in PARTS if part in recorded]
                RESULTS.write_text("\n".join(texts), encoding="utf-8")
    if recorded.keys() >= PARTS.keys():
        PAGE.write_text(with_tables(PAGE.read_text(encoding="utf-8"), recorded), encoding="utf-8")


if __name__ == "__main__":
    main()
