"""One matrix of designs, from which cells are drawn at random: which methods are right where.

    python matrix.py --cells 60 --samples 200 --seed 1           # print
    python matrix.py --cells 60 --samples 200 --seed 1 --write   # and keep numbers and picture

A design says how samples come about: the scores, the numbers of rows (or of clusters), how rows
depend on each other, their weights, whether the class sizes are fixed, the area, and how alike two
models are. Every method of ``METHODS`` is tried in every design that it admits. A cell is a design
and a method. It holds unless more samples miss than chance allows if 6.5 % did: of 95 % intervals,
those that do not contain the true value; of tests at 5 % of a true hypothesis, rejections.
"""

import argparse
import os
import time
import warnings
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np
from scipy import special, stats

import fastauc
from fastauc import inference
from fastauc.groups import roc_auc_by_group

RESULTS = Path(__file__).with_name("matrix.txt")
PICTURE = Path(__file__).parents[1] / "images" / "matrix.svg"
MOST_WRONG, CHANCE = 0.065, 1e-4


class Design(NamedTuple):
    """How samples come about."""

    scores: str
    n_pos: int
    n_neg: int
    dependence: str
    weights: str
    prevalence: str
    area: float
    correlation: float


AXES = {
    "scores": ("continuous", "two levels", "three levels", "five levels", "a lump"),
    "sizes": ((5, 95), (10, 190), (20, 20), (50, 50), (30, 300), (100, 100), (200, 20)),
    # Twice: so many methods are for rows without weights only.
    "dependence": ("rows", "rows", "clusters of one label", "clusters of both", "unlike groups"),
    "weights": ("none", "none", "mild", "strong", "20:1 by score"),
    "prevalence": ("fixed", "drawn"),
    "area": (0.6, 0.75, 0.9, 0.95),
    "correlation": (0.0, 0.5, 0.9),
}
ROWS_OF_CLUSTER, ROWS_OF_GROUP = 4, 40
GOOD, BAD, SHARE_OF_BAD = 0.98, 0.6, 0.1


# What goes with what: the true values of the other combinations are not known.
_ALONE = {"scores": ("continuous",), "weights": ("none",), "prevalence": ("fixed",)}
_ONLY = {
    "clusters of one label": {"weights": ("none", "mild", "strong"), "prevalence": ("fixed",)},
    "clusters of both": _ALONE,
    "unlike groups": _ALONE,
    "20:1 by score": {"scores": ("continuous",), "prevalence": ("fixed",)},
}


def draw_design(rng):
    """Return a design at random."""

    def pick(axis, *only):
        values = AXES[axis]
        for each in only:
            values = [value for value in values if value in each.get(axis, values)]
        return values[rng.integers(len(values))]

    dependence = pick("dependence")
    first = _ONLY.get(dependence, {})
    weights = pick("weights", first)
    second = _ONLY.get(weights, {})
    return Design(
        pick("scores", first, second),
        *pick("sizes"),
        dependence,
        weights,
        pick("prevalence", first, second),
        pick("area"),
        pick("correlation"),
    )


def shift_of(area):
    """Return how much higher the normal numbers of positives are."""
    return special.ndtri(area) * np.sqrt(2)


def cut(numbers, scores, shift):
    """Return scores of normal numbers: as they are, in levels, or with a lump at the lower end."""
    middle = shift / 2
    if scores == "a lump":
        return np.maximum(numbers, middle)
    edges = {"two levels": [0], "three levels": [-0.5, 0.5], "five levels": [-0.9, -0.3, 0.3, 0.9]}
    if scores in edges:
        return np.searchsorted(np.array(edges[scores]) + middle, numbers).astype(float)
    return numbers


_QUANTILES = special.ndtri((np.arange(20_000) + 0.5) / 20_000)


def population(design):
    """Return labels and scores of 20,000 quantiles of each class, of the first model."""
    shift = shift_of(design.area)
    label = np.repeat([1, 0], len(_QUANTILES))
    numbers = np.concatenate([_QUANTILES + shift, _QUANTILES])
    return label, cut(numbers, design.scores, shift)


class Sample(NamedTuple):
    """A sample, and the true area of each model; of groups, also the mean over them."""

    label: np.ndarray
    first: np.ndarray
    second: np.ndarray
    weight: np.ndarray | None
    groups: np.ndarray | None
    area: float
    mean: float


def draw(design, true, rng):
    """Return a sample of a design, whose area is ``true``, but for clusters of both labels."""
    n_pos, n_neg = design.n_pos, design.n_neg
    if design.prevalence == "drawn":
        share = n_pos / (n_pos + n_neg)
        n_pos = 0
        while not 2 <= n_pos <= design.n_pos + design.n_neg - 2:
            n_pos = rng.binomial(design.n_pos + design.n_neg, share)
        n_neg = design.n_pos + design.n_neg - n_pos
    shift, mean, groups, weight = shift_of(design.area), np.nan, None, None
    if design.dependence == "unlike groups":
        return _draw_unlike(min(n_pos, 20), rng)
    label, shared = np.repeat([1, 0], [n_pos, n_neg]), 0.0
    if design.dependence != "rows":
        groups, shared = np.repeat(np.arange(len(label)), ROWS_OF_CLUSTER), 0.5
        label = np.repeat(label, ROWS_OF_CLUSTER)
    if design.dependence == "clusters of both":
        rng.shuffle(label)

    def numbers():
        found = rng.standard_normal(len(label))
        if groups is None:
            return found
        common = rng.standard_normal(groups[-1] + 1)[groups]
        return np.sqrt(shared) * common + np.sqrt(1 - shared) * found

    common = numbers()
    both = [
        np.sqrt(design.correlation) * common + np.sqrt(1 - design.correlation) * numbers()
        for _ in range(2)
    ]
    if design.dependence == "clusters of both":
        pos, neg = (np.bincount(groups[label == k], minlength=groups[-1] + 1) for k in (1, 0))
        within = special.ndtr(shift / np.sqrt(2 * (1 - shared)))
        true += (within - true) * (pos @ neg) / (pos.sum() * neg.sum())
    if design.weights == "mild":
        weight = 1.0 + rng.integers(0, 3, len(label))
    elif design.weights == "strong":
        weight = np.exp(rng.standard_normal(len(label)))
    elif design.weights == "20:1 by score":
        # Of the first model; scores below the middle are sampled twenty times less often.
        below = special.ndtr(np.where(label, -shift, shift) / 2)
        is_low = rng.random(len(label)) < below / (below + 20 * (1 - below))
        place = rng.random(len(label))
        both[0] = special.ndtri(np.where(is_low, place * below, below + place * (1 - below)))
        weight = np.where(is_low, 20.0, 1.0)
    first, second = (cut(each + shift * label, design.scores, shift) for each in both)
    return Sample(label, first, second, weight, groups, true, mean)


def _draw_unlike(n_groups, rng):
    """Return groups of which few have a lower area; scores are centered within each."""
    label = np.tile(np.arange(ROWS_OF_GROUP) % 2, n_groups)
    groups = np.repeat(np.arange(n_groups), ROWS_OF_GROUP)
    shifts = np.where(rng.random(n_groups) < SHARE_OF_BAD, shift_of(BAD), shift_of(GOOD))
    first, second = (
        rng.standard_normal(len(label)) + (label - 0.5) * shifts[groups] for _ in range(2)
    )
    shares, normal = np.array([1 - SHARE_OF_BAD, SHARE_OF_BAD]), special.ndtri([GOOD, BAD])
    pairs = special.ndtr(np.add.outer(normal, normal) / 2)
    area = shares @ pairs @ shares
    return Sample(label, first, second, None, groups, area, shares @ np.array([GOOD, BAD]))


# Methods ------------------------------------------------------------------------------------------


def _holds(interval, true):
    low, high = interval
    return low - 1e-4 <= true <= high + 1e-4  # the true values are those of quantiles


def _options(sample):
    given = {"sample_weight": sample.weight, "groups": sample.groups}
    return {name: values for name, values in given.items() if values is not None}


def area_interval(sample, design, known, method):
    found = inference.roc_auc_ci(sample.label, sample.first, method=method, **_options(sample))
    return _holds(found.confidence_interval, sample.area)


def mean_interval(sample, design, known):
    found = roc_auc_by_group(sample.label, sample.first, sample.groups).mean_ci()
    return _holds(found.confidence_interval, sample.mean)


def bootstrap_interval(sample, design, known, statistic):
    options = {"statistic": statistic, "n_resamples": 300, "rng": 1}
    found = inference.bootstrap_ci(sample.label, sample.first, **options)
    if np.isnan(found.confidence_interval.low):
        return None
    return _holds(found.confidence_interval, known[statistic])


def net_benefit_interval(sample, design, known):
    probability = special.expit(sample.first - shift_of(design.area) / 2)
    found = inference.curve_ci(sample.label, probability, 0.6, given="threshold")
    return _holds((found.low, found.high), known["net_benefit"])


def test_of_two(sample, design, known, method):
    scores = sample.first, sample.second
    return (
        inference.roc_auc_test(sample.label, *scores, method=method, **_options(sample)).pvalue
        >= 0.05
    )


METHODS = {
    "roc_auc_ci": (partial(area_interval, method="wilson"), lambda design: True),
    "mean_ci": (mean_interval, lambda design: design.dependence == "unlike groups"),
    "bootstrap_ci, average precision": (
        partial(bootstrap_interval, statistic="average_precision"),
        lambda design: is_cohort(design) and design.n_pos >= 10,
    ),
    "bootstrap_ci, K-S": (
        partial(bootstrap_interval, statistic="ks"),
        lambda design: design.dependence == "rows" and design.weights == "none",
    ),
    "curve_ci, net benefit": (net_benefit_interval, lambda design: is_cohort(design)),
    "roc_auc_test": (
        partial(test_of_two, method=None),
        lambda design: design.weights != "20:1 by score",
    ),
}


def is_cohort(design):
    """Return whether rows are drawn from one population, whose classes are chance as well."""
    return design[3:6] == ("rows", "none", "drawn")


def known_values(design):
    """Return the true values of a population."""
    label, scores = population(design)
    share = design.n_pos / (design.n_pos + design.n_neg)
    weight = np.where(label == 1, share, 1 - share)
    probability = special.expit(scores - shift_of(design.area) / 2)
    rule = {"sample_weight": weight}
    net_benefit = fastauc.metrics.net_benefit_curve(label, probability, thresholds=[0.6], **rule)[0]
    return {
        "area": fastauc.roc_auc_score(label, scores),
        "ks": fastauc.ks_score(label, scores),
        "average_precision": fastauc.average_precision_score(label, scores, **rule),
        "net_benefit": net_benefit[0],
    }


class Cell(NamedTuple):
    """How many samples were wrong; those without an interval, as a warning says, do not count."""

    design: Design
    method: str
    n_samples: int
    n_wrong: int

    @property
    def holds(self):
        """Whether chance may be all that is wrong."""
        expected = stats.binom(self.n_samples, MOST_WRONG)
        return bool(expected.sf(self.n_wrong - 1) >= CHANCE)

    def __str__(self):
        d = self.design
        right = 100 * (1 - self.n_wrong / max(self.n_samples, 1))
        place = f"{d.scores}; {d.n_pos} + {d.n_neg}; {d.dependence}; weights {d.weights}; "
        place += f"prevalence {d.prevalence}; AUC {d.area}; correlation {d.correlation}"
        told = "" if self.holds else "  FAILS"
        return f"{self.method}: {right:.1f} of 100 right ({self.n_samples}); {place}{told}"


def measure(design, n_samples, seed):
    """Return the cells of a design: each method that it admits."""
    rng, known = np.random.default_rng([seed, *map(ord, repr(design))]), known_values(design)
    admitted = {name: run for name, (run, admits) in METHODS.items() if admits(design)}
    right = {name: [] for name in admitted}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for _ in range(n_samples):
            sample = draw(design, known["area"], rng)
            for name, run in admitted.items():
                answer = run(sample, design, known)
                if answer is not None:
                    right[name].append(answer)
    return [Cell(design, name, len(each), len(each) - sum(each)) for name, each in right.items()]


def draw_cells(n_designs, n_samples, seed, run=map):
    """Return the cells of designs that are drawn at random."""
    rng = np.random.default_rng(seed)
    designs = [draw_design(rng) for _ in range(n_designs)]
    found = run(partial(measure, n_samples=n_samples, seed=seed), designs)
    return [cell for cells in found for cell in cells]


def plot(cells, path):
    """Draw a line of points for each method, and the level that cells must not be below."""
    from matplotlib.figure import Figure

    figure = Figure((7, 0.5 * len(METHODS) + 0.8), layout="constrained")
    ax = figure.subplots()
    for row, name in enumerate(METHODS):
        of_method = [cell for cell in cells if cell.method == name and cell.n_samples]
        shares = [100 * (1 - cell.n_wrong / cell.n_samples) for cell in of_method]
        places = row + 0.3 * (np.arange(len(shares)) / max(len(shares), 1) - 0.5)
        ax.plot(shares, places, "o", markersize=3, alpha=0.6)
    ax.axvline(95, color="0.5", linewidth=1)
    ax.axvline(93.5, color="0.5", linewidth=1, linestyle=":")
    ax.set_yticks(range(len(METHODS)), METHODS)
    ax.set_xlabel("of 100 samples, right at a level of 95 % (dotted: 93.5)")
    figure.savefig(path, metadata={"Title": "Designs", "Date": None, "Creator": None})
    about = "For each method and design, the share of samples in which the method is right."
    svg = path.read_text(encoding="utf-8")
    path.write_text(
        svg.replace("</title>", f"</title>\n <desc>{about}</desc>", 1), encoding="utf-8"
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cells", type=int, default=60, help="designs to draw")
    parser.add_argument("--samples", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--n-jobs", type=int, default=os.cpu_count())
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    start = time.perf_counter()
    with ProcessPoolExecutor(options.n_jobs) as pool:
        cells = draw_cells(options.cells, options.samples, options.seed, pool.map)
    lines = sorted(map(str, cells))
    held = sum(cell.holds for cell in cells)
    title = f"{options.cells} designs, {options.samples} samples each, seed {options.seed}: "
    text = title + f"{held} of {len(cells)} cells hold\n\n" + "\n".join(lines) + "\n"
    print(f"{text}\n{time.perf_counter() - start:.0f} s")
    if options.write:
        RESULTS.write_text(text, encoding="utf-8")
        plot(cells, PICTURE)


if __name__ == "__main__":
    main()
