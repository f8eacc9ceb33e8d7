"""Which methods are right where: cells of one matrix, drawn at random.

    python matrix.py --designs 40 --samples 400 --seed 1           # print
    python matrix.py --designs 40 --samples 400 --seed 1 --write   # and keep numbers and picture

A cell is a design of ``designs.py`` and a method: every method of ``METHODS`` and ``TESTS`` is
tried in every design that it admits. Every fourth design is a cohort of rows without weights, which
most methods admit. A cell holds if at most 6.5 % of samples are wrong: of 95 % intervals, those
that do not contain the true value, or have no width; of tests at 5 % of a true hypothesis,
rejections; and if a test at 0.1 % rejects in at most 0.3 %. A cell with so many that only one in
four cells at a limit would have them (7.5 % of 400 samples, 9 of 100; 3 and 2 at 0.1 %) is drawn
again, with five times as many new samples, ten times if replicates are drawn, and holds unless
these have so many that only one in a hundred would: 7.8 % of 2,000 samples, 8.4 of 1,000; 0.6 and
0.8 % at 0.1 %.

A sample for which the method is refused, or undefined with a warning, does not count; a cell
without any other is refused. Methods that draw replicates have a quarter of the samples.
"""

import argparse
import os
import time
import warnings
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from operator import itemgetter
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from designs import (
    FROM_TPR,
    HIGH,
    LOW,
    MARGIN,
    RATES,
    TO_FPR,
    Design,
    as_probability,
    best_accuracy,
    better_of,
    draw,
    draw_classes,
    draw_design,
    has_better,
    known_values,
    threshold_of,
)
from scipy import stats

import fastauc
from fastauc import inference
from fastauc.groups import roc_auc_by_group

RESULTS = Path(__file__).with_name("matrix.txt")
PICTURE = Path(__file__).parents[1] / "images" / "matrix.svg"
MOST_WRONG, MOST_FAR, DOUBT, CHANCE = 0.065, 0.003, 0.25, 0.01
AGAIN, AGAIN_OF_DRAWS = 5, 10  # times as many samples of a cell that is drawn again
FEW_SAMPLES = 20  # of cells of which most samples are refused, a share says little
N_RESAMPLES = 300  # of a bootstrap
PLAIN_COHORT = {"dependence": ["rows"], "weights": ["none"], "prevalence": ["drawn"]}
_ROUNDING = 1e-4  # true values are those of quantiles


class Trial(NamedTuple):
    """A sample of a design, and all that a method may need."""

    sample: Any
    other: Any
    """An independent sample of the same design."""
    design: Design
    known: dict[str, Any]
    rng: np.random.Generator

    @property
    def rows(self):
        """The labels and the scores of the first model."""
        return self.sample.label, self.sample.first

    @property
    def pair(self):
        """The labels and the scores of both models."""
        return *self.rows, self.sample.second

    @property
    def two(self):
        """The labels and the scores of two samples."""
        return *self.rows, self.other.label, self.other.second


# Intervals: is the true value in it? None if there is none --------------------------------------


def holds(low, high, true):
    if np.isnan(low).any() or np.isnan(high).any():
        return None
    is_in = (low - _ROUNDING <= true) & (true <= high + _ROUNDING)
    return bool(np.all(is_in & (low < high)))


def area_interval(trial, **options):
    found = inference.roc_auc_ci(*trial.rows, **trial.sample.design, **options)
    return holds(*found.confidence_interval, trial.sample.area)


def part_interval(trial, **options):
    found = inference.roc_auc_ci(*trial.rows, **trial.sample.design, **options)
    return holds(*found.confidence_interval, trial.known[next(iter(options))])


def fold_interval(trial):
    """One model, so that the mean over folds is its area; folds as alike as may be."""
    label, folds = trial.sample.label, np.empty(len(trial.sample.label), int)
    for own in (0, 1):
        rows = trial.rng.permutation(np.flatnonzero(label == own))
        folds[rows] = np.arange(len(rows)) % 5
    return area_interval(trial, folds=folds)


def classes_interval(trial, **options):
    rows = draw_classes(trial.design, trial.rng)
    return holds(*inference.roc_auc_ci(*rows, **options).confidence_interval, trial.design.area)


def mean_interval(trial, **options):
    found = roc_auc_by_group(*trial.rows, trial.sample.groups).mean_ci(**options)
    return holds(*found.confidence_interval, trial.sample.mean)


def bootstrap_interval(trial, statistic, true=None, **options):
    options |= {"statistic": statistic, "n_resamples": N_RESAMPLES, "rng": 1}
    found = inference.bootstrap_ci(*trial.rows, **options, **trial.sample.design)
    true = trial.known[statistic] if true is None else true
    return holds(*found.confidence_interval, true)


def function_interval(trial, statistic, true):
    """Of a function, which does not say whether the share of positives matters."""
    are_chosen = trial.design.prevalence == "fixed" and trial.sample.groups is None
    return bootstrap_interval(trial, statistic, true, stratified=are_chosen)


def area_function_interval(trial):
    return function_interval(trial, lambda counts: counts.roc_auc(), trial.known["roc_auc"])


def best_accuracy_interval(trial):
    true = trial.known["best accuracy"]
    return function_interval(trial, best_accuracy, true)


def rate_function(design, name):
    edge = threshold_of(design)
    return lambda counts: getattr(counts.at(edge), name)


def rate_function_interval(trial, name):
    true = getattr(trial.known["at"], name)
    return function_interval(trial, rate_function(trial.design, name), true)


def rate_interval(trial, name, method):
    at = fastauc.confusion_matrix_at_thresholds(*trial.rows).at(threshold_of(trial.design))
    ends = getattr(at.intervals(method=method), name)
    return holds(*ends, getattr(trial.known["at"], name))


def points_interval(trial, given, rate):
    found = inference.curve_ci(*trial.rows, rate, given=given, **trial.sample.design)
    return holds(found.low, found.high, trial.known[given][int(np.searchsorted(RATES, rate))])


def net_benefit_interval(trial, threshold):
    rows = trial.sample.label, as_probability(trial.design, trial.sample.first)
    found = inference.curve_ci(*rows, threshold, given="threshold", **trial.sample.design)
    return holds(found.low, found.high, trial.known["net_benefit"][threshold])


def band(trial, given):
    draws = {} if trial.sample.design else {"n_resamples": N_RESAMPLES, "rng": 1}
    options = {"given": given, "simultaneous": True, **draws, **trial.sample.design}
    found = inference.curve_ci(*trial.rows, RATES, **options)
    return holds(found.low, found.high, trial.known[given])


def drawn_difference(trial, statistic, read):
    """Of a better model and another; ``read`` gives the true statistic of the known values."""
    label, first = trial.rows
    options = {"statistic": statistic, "n_resamples": N_RESAMPLES, "rng": 1}
    rows = label, trial.sample.better, first
    found = inference.bootstrap_test(*rows, **options, **trial.sample.design)
    return holds(*found.confidence_interval, read(trial.known["better"]) - read(trial.known))


def drawn_rate_difference(trial, name):
    statistic = rate_function(trial.design, name)
    return drawn_difference(trial, statistic, lambda known: statistic(known["counts"]))


def rate_difference(trial, rate):
    """At a threshold of either model's own."""
    edges = (threshold_of(each) for each in (better_of(trial.design), trial.design))
    label, first = trial.rows
    options = dict(zip(("threshold_a", "threshold_b"), edges, strict=True)) | {"rate": rate}
    found = inference.rate_test(label, trial.sample.better, first, **options)
    better, own = (getattr(known["at"], rate) for known in (trial.known["better"], trial.known))
    return holds(*found.confidence_interval, better - own)


# Tests: the p-value of what is true; NaN if there is none ---------------------------------------


def pair_test(trial, **options):
    return inference.roc_auc_test(*trial.pair, **trial.sample.design, **options).pvalue


def of_both(trial):
    """Return the weights, and the groups, of both samples."""
    other = trial.other.design
    return {name: (column, other[name]) for name, column in trial.sample.design.items()}


def two_test(trial, **options):
    return inference.roc_auc_test_ind(*trial.two, **of_both(trial), **options).pvalue


def constant_test(trial, **part):
    true = trial.known[next(iter(part))] if part else trial.sample.area
    rows = *trial.rows, true
    return inference.roc_auc_test_1samp(*rows, **trial.sample.design, **part).pvalue


def margin_test(trial, alternative):
    rows = *trial.rows, trial.sample.better
    options = {"alternative": alternative, "margin": MARGIN}
    return inference.roc_auc_test(*rows, **options, **trial.sample.design).pvalue


def margin_test_of_two(trial):
    rows = *trial.rows, trial.other.label, trial.other.better
    options = {"alternative": "non-inferiority", "margin": MARGIN, **of_both(trial)}
    return inference.roc_auc_test_ind(*rows, **options).pvalue


def several_test(trial):
    """The least adjusted p-value of the pairs of four models."""
    label, first, second = trial.pair
    models = [first, second, *trial.sample.more]
    pairs = inference.compare_roc_auc(label, models, **trial.sample.design).pairwise()
    return pairs.adjusted_pvalue.min()


def margin_interval(trial):
    """The interval of one of three differences, of a better model and another."""
    label, first, second = trial.pair
    models = [trial.sample.better, second, first]
    pairs = inference.compare_roc_auc(label, models, **trial.sample.design).pairwise()
    return holds(pairs.low[0], pairs.high[0], MARGIN)


def exchange_test(trial, statistic):
    return inference.permutation_test(*trial.pair, statistic=statistic, rng=trial.rng).pvalue


def label_test(trial):
    rows = trial.sample.label, trial.sample.blind
    return inference.permutation_test_1samp(*rows, rng=trial.rng).pvalue


def drawn_test(trial, statistic):
    options = {"statistic": statistic, "n_resamples": N_RESAMPLES, "rng": 1}
    return inference.bootstrap_test(*trial.pair, **options, **trial.sample.design).pvalue


def drawn_rate_test(trial, name):
    return drawn_test(trial, rate_function(trial.design, name))


def rate_test(trial, **options):
    edge = threshold_of(trial.design)
    return inference.rate_test(*trial.pair, threshold_a=edge, threshold_b=edge, **options).pvalue


# What pROC does -----------------------------------------------------------------------------------


def symmetric_interval(trial):
    found = inference.roc_auc_ci(*trial.rows)
    reach = stats.norm.isf(0.025) * found.standard_error
    low, high = max(found.statistic - reach, 0.0), min(found.statistic + reach, 1.0)
    return holds(low, high, trial.sample.area)


def normal_test(trial):
    found = inference.roc_auc_test(*trial.pair)
    if found.standard_error == 0:
        return np.nan
    return 2 * stats.norm.sf(abs(found.difference) / found.standard_error)


# All of them --------------------------------------------------------------------------------------


class Method(NamedTuple):
    """What is tried of a sample, and in which designs."""

    run: Callable[[Trial], Any]
    admits: Callable[[Design], bool] = lambda design: True
    draws: bool = False
    """Whether replicates are drawn."""


def is_plain(design):
    """Return whether rows are independent and have no weights."""
    return design.dependence == "rows" and design.weights == "none"


def is_like(design):
    """Return whether the rows are of one population."""
    return design.dependence != "unlike groups"


def is_cohort(design):
    """Return whether the classes of rows or clusters are chance as well."""
    return is_like(design) and design.prevalence == "drawn"


def is_plain_cohort(design):
    return is_plain(design) and is_cohort(design)


def has_two(design):
    """Return whether the second model has the weights of the first."""
    return design.weights != "20:1 by score"


def has_two_alike(design):
    """Return whether two samples have the same area."""
    return has_two(design) and design.dependence != "clusters of both"


def has_margin(design):
    """Return whether one model is better than another by the margin."""
    return has_gain(design) and design.scores == "continuous"


def has_gain(design):
    """Return whether another model is better, and by how much is known."""
    return is_like(design) and has_two(design) and has_better(design)


DRAWN_NAMES = {"roc_auc": "AUC", "average_precision": "average precision", "ks": "K-S"}
RATES_OF_PAIRS = ("sensitivity", "specificity", "accuracy", "precision", "npv")
METHODS = {
    "roc_auc_ci": Method(area_interval),
    "roc_auc_ci(fpr_range)": Method(partial(part_interval, fpr_range=TO_FPR), is_like),
    "roc_auc_ci(tpr_range)": Method(partial(part_interval, tpr_range=FROM_TPR), is_like),
    "roc_auc_ci(folds)": Method(
        fold_interval, lambda d: d.dependence == "rows" and min(d.n_pos, d.n_neg) >= 20
    ),
    **{
        f"roc_auc_ci({multi_class}, {average})": Method(
            partial(classes_interval, multi_class=multi_class, average=average), is_plain
        )
        for multi_class in ("ovr", "ovo")
        for average in ("macro", "weighted")
    },
    **{
        f"mean_ci({weighting})": Method(
            partial(mean_interval, weighting=weighting), lambda d: not is_like(d)
        )
        for weighting in ("equal", "pairs")
    },
    "bootstrap_ci, AUC": Method(partial(bootstrap_interval, statistic="roc_auc"), is_like, True),
    "bootstrap_ci, average precision": Method(
        partial(bootstrap_interval, statistic="average_precision"), is_cohort, True
    ),
    "bootstrap_ci, K-S": Method(partial(bootstrap_interval, statistic="ks"), is_like, True),
    "bootstrap_ci, function: AUC": Method(area_function_interval, is_like, True),
    "bootstrap_ci, function: best accuracy": Method(best_accuracy_interval, is_like, True),
    **{
        f"bootstrap_ci, function: {name}": Method(
            partial(rate_function_interval, name=name), is_like, True
        )
        for name in ("accuracy", "f1", "precision", "recall")
    },
    **{
        f"intervals({method}), {name}": Method(
            partial(rate_interval, name=name, method=method), is_plain_cohort
        )
        for method in ("wilson", "beta")
        for name in ("sensitivity", "specificity", "precision", "npv", "accuracy", "f1")
    },
    **{
        f"intervals, {name} likelihood ratio": Method(
            partial(rate_interval, name=f"{name}_likelihood_ratio", method="wilson"), is_plain
        )
        for name in ("positive", "negative")
    },
    **{
        f"curve_ci, TPR at {rate}": Method(
            partial(points_interval, given="fpr", rate=rate), is_like
        )
        for rate in (0.1, 0.5)
    },
    "compare_roc_auc, a difference": Method(margin_interval, has_margin),
    "curve_ci, FPR at 0.8": Method(partial(points_interval, given="tpr", rate=0.8), is_like),
    "curve_ci, precision at 0.5": Method(
        partial(points_interval, given="recall", rate=0.5), is_plain_cohort
    ),
    **{
        f"curve_ci, net benefit at {threshold}": Method(
            partial(net_benefit_interval, threshold=threshold), is_cohort
        )
        for threshold in (LOW, HIGH)
    },
    **{
        f"curve_ci, band of {name}": Method(partial(band, given=given), admits, True)
        for name, given, admits in (
            ("TPR", "fpr", is_like),
            ("FPR", "tpr", is_like),
            ("precision", "recall", is_plain_cohort),
        )
    },
}
METHODS |= {
    **{
        f"bootstrap_test, a difference of {told}": Method(
            partial(drawn_difference, statistic=name, read=itemgetter(name)), has_gain, True
        )
        for name, told in DRAWN_NAMES.items()
    },
    "bootstrap_test, a difference of a function: f1": Method(
        partial(drawn_rate_difference, name="f1"), has_gain, True
    ),
    **{
        f"rate_test, a difference of {rate}": Method(
            partial(rate_difference, rate=rate), lambda d: is_plain(d) and has_gain(d)
        )
        for rate in RATES_OF_PAIRS
    },
}
TESTS = {
    "roc_auc_test": Method(pair_test, has_two),
    **{
        f"roc_auc_test({name})": Method(partial(margin_test, alternative=name), has_margin)
        for name in ("non-inferiority", "equivalence")
    },
    "roc_auc_test(fpr_range)": Method(partial(pair_test, fpr_range=TO_FPR), has_two),
    "roc_auc_test(tpr_range)": Method(partial(pair_test, tpr_range=FROM_TPR), has_two),
    "roc_auc_test_ind": Method(two_test, has_two_alike),
    "roc_auc_test_ind(non-inferiority)": Method(
        margin_test_of_two, lambda d: has_margin(d) and has_two_alike(d)
    ),
    "roc_auc_test_ind(fpr_range)": Method(partial(two_test, fpr_range=TO_FPR), has_two_alike),
    "roc_auc_test_1samp": Method(constant_test),
    "roc_auc_test_1samp(fpr_range)": Method(partial(constant_test, fpr_range=TO_FPR), is_like),
    "compare_roc_auc, 4 models": Method(several_test, has_two),
    "permutation_test": Method(partial(exchange_test, statistic="roc_auc"), is_plain),
    "permutation_test(roc_curve)": Method(
        partial(exchange_test, statistic="roc_curve"), is_plain, True
    ),
    "permutation_test_1samp": Method(label_test, is_plain),
    **{
        f"bootstrap_test, {told}": Method(partial(drawn_test, statistic=name), has_two, True)
        for name, told in DRAWN_NAMES.items()
    },
    "bootstrap_test, function: f1": Method(partial(drawn_rate_test, name="f1"), has_two, True),
    **{
        f"rate_test, {rate}": Method(partial(rate_test, rate=rate), is_plain)
        for rate in RATES_OF_PAIRS
    },
    **{
        f"rate_test({method}), {rate}": Method(
            partial(rate_test, rate=rate, method=method, **options), is_plain
        )
        for method, options in (("mid-p", {}), ("asymptotic", {"use_continuity": False}))
        for rate in ("sensitivity", "specificity", "accuracy")
    },
}
# What pROC does, for comparison: 1.96 standard errors, and the normal distribution.
PUBLISHED = {
    "DeLong's symmetric interval": Method(symmetric_interval, is_plain),
    "DeLong's normal test": Method(normal_test, is_plain),
}
ALL = METHODS | TESTS | PUBLISHED


class Cell(NamedTuple):
    """How many samples were wrong, and how many of a test at 0.1 %."""

    design: Design
    method: str
    n_samples: int
    n_wrong: int
    n_far: int = 0

    def is_chance(self, share):
        """Return whether that many are wrong in more than this share of cells at the limits."""
        found = (self.n_wrong, MOST_WRONG), (self.n_far, MOST_FAR)
        return all(stats.binom(self.n_samples, most).sf(n - 1) >= share for n, most in found)

    @property
    def is_beyond(self):
        """Whether more samples have to tell."""
        return not self.is_chance(DOUBT)

    @property
    def holds(self):
        """Whether chance may be all that is wrong."""
        return self.is_chance(CHANCE)

    @property
    def right(self):
        """Of 100 samples, those that were right."""
        return 100 * (1 - self.n_wrong / max(self.n_samples, 1))

    def __str__(self):
        far = f", {self.n_far} at 0.1 %" if self.n_far else ""
        told = "" if self.holds else "  FAILS"
        return f"{self.method}: {self.right:.1f} of 100 ({self.n_samples}{far}){told}"


def measure(design, n_samples, seed, methods=None):
    """Return the cells of a design: each method that it admits."""
    chosen = ALL if methods is None else methods
    rule = design, known_values(design), n_samples, seed
    return [_cell(*rule, name, each) for name, each in chosen.items() if each.admits(design)]


def _cell(design, known, n_samples, seed, name, method):
    """Return the cell of a method, from new samples if it is beyond a limit."""
    n = n_samples // 4 if method.draws else n_samples
    cell = _count(design, name, _run(design, known, n, [seed], name, method))
    if cell.is_beyond and name not in PUBLISHED:
        n *= AGAIN_OF_DRAWS if method.draws else AGAIN
        cell = _count(design, name, _run(design, known, n, [seed, 1], name, method))
    return cell


def _run(design, known, n_samples, seed, name, method):
    """Return what a method finds in so many samples of its own."""
    rng, found = np.random.default_rng([*seed, *map(ord, f"{design}{name}")]), []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for _ in range(n_samples):
            both = (draw(design, known["roc_auc"], rng) for _ in range(2))
            found.append(method.run(Trial(*both, design, known, rng)))
    return found


def _is_test(name):
    return name in TESTS or name.endswith("test")


def _count(design, name, found):
    """Return the cell of p-values, or of whether intervals hold."""
    known = [each for each in found if each is not None and not np.isnan(each)]
    if _is_test(name):
        wrong = sum(each < 0.05 for each in known), sum(each < 0.001 for each in known)
    else:
        wrong = sum(not each for each in known), 0
    return Cell(design, name, len(known), *map(int, wrong))


def draw_designs(n_designs, seed):
    """Return designs at random."""
    rng = np.random.default_rng(seed)
    return [draw_design(rng, PLAIN_COHORT if k % 4 == 3 else None) for k in range(n_designs)]


def draw_cells(n_designs, n_samples, seed, run=map):
    """Return the cells of designs that are drawn at random."""
    designs = draw_designs(n_designs, seed)
    found = run(partial(measure, n_samples=n_samples, seed=seed), designs)
    return [cell for cells in found for cell in cells]


# What is kept -------------------------------------------------------------------------------------


def as_text(title, cells):
    """Return a table of methods, and the cells of each design."""
    lines = [title, "", "cells  hold  refused  least  at 0.1 %  method"]
    for name in ALL:
        of_method = [cell for cell in cells if cell.method == name]
        own = [cell for cell in of_method if cell.n_samples]
        if own:
            least = min((cell.right for cell in own if cell.n_samples >= FEW_SAMPLES), default=100)
            n_far, n = sum(cell.n_far for cell in own), sum(cell.n_samples for cell in own)
            far = f"{100 * n_far / n:8.2f}" if _is_test(name) else " " * 8
            held, refused = sum(cell.holds for cell in own), len(of_method) - len(own)
            lines.append(f"{len(of_method):5}  {held:4}  {refused:7}  {least:5.1f}  {far}  {name}")
    last = None
    for cell in cells:
        if cell.design != last:
            d = last = cell.design
            lines += [
                "",
                f"{d.scores}; {d.n_pos} + {d.n_neg}; {d.dependence}; weights {d.weights}; "
                f"prevalence {d.prevalence}; AUC {d.area}; correlation {d.correlation}",
            ]
        lines.append(f"  {cell}")
    return "\n".join(lines) + "\n"


def plot(cells, path):
    """Draw a line of points for each method, and the level that cells must not be below."""
    from matplotlib.figure import Figure

    figure = Figure((7, 0.22 * len(ALL) + 0.8), layout="constrained")
    ax = figure.subplots()
    for row, name in enumerate(reversed(ALL)):
        own = [cell for cell in cells if cell.method == name]
        shares = [cell.right for cell in own if cell.n_samples >= FEW_SAMPLES]
        places = row + 0.5 * (np.arange(len(shares)) / max(len(shares), 1) - 0.5)
        color = "0.6" if name in PUBLISHED else "C0"
        ax.plot(shares, places, "o", markersize=2.5, alpha=0.6, color=color)
    ax.axvline(95, color="0.5", linewidth=1)
    ax.axvline(93.5, color="0.5", linewidth=1, linestyle=":")
    ax.set_yticks(range(len(ALL)), reversed(ALL), fontsize=7)
    ax.set_ylim(-0.7, len(ALL) - 0.3)
    ax.set_xlabel("of 100 samples, right at a level of 95 % (dotted: 93.5)")
    figure.savefig(path, metadata={"Title": "Designs", "Date": None, "Creator": None})
    about = "For each method and design, the share of samples in which the method is right."
    svg = path.read_text(encoding="utf-8")
    path.write_text(
        svg.replace("</title>", f"</title>\n <desc>{about}</desc>", 1), encoding="utf-8"
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--designs", type=int, default=60, help="designs to draw")
    parser.add_argument("--samples", type=int, default=400)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--n-jobs", type=int, default=os.cpu_count())
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    start = time.perf_counter()
    with ProcessPoolExecutor(options.n_jobs) as pool:
        cells = draw_cells(options.designs, options.samples, options.seed, pool.map)
    offered = [cell for cell in cells if cell.method not in PUBLISHED and cell.n_samples]
    held = sum(cell.holds for cell in offered)
    title = f"{options.designs} designs, {options.samples} samples each, seed {options.seed}: "
    title += f"{held} of {len(offered)} cells hold, without those for comparison"
    text = as_text(title, cells)
    print(f"{text}\n{time.perf_counter() - start:.0f} s")
    if options.write:
        RESULTS.write_text(text, encoding="utf-8")
        plot(cells, PICTURE)


if __name__ == "__main__":
    main()
