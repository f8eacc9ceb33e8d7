"""How often intervals of the area hold it: on which side they miss, and how wide they are.

    python bench/interval_coverage.py [--quick] [--n-samples 6000] [--seed 1]

Prints a line for each method, class sizes, distribution and area: the percentage of samples whose
interval of 95 % holds the area, that of samples where it ends below the area and where it begins
above, and the mean width. Then a summary of each method. Areas and DeLong variances of all samples
are computed at once, intervals by the formulas of the package; the first sample of every cell goes
through ``roc_auc_ci`` as well, which must say the same, else the status is 1. Rows in groups go
through it one sample after another. Some minutes on one core; seconds with --quick.
"""

import argparse
import sys

import numpy as np
from scipy import optimize, stats

import fastauc
from fastauc._counts import proportions
from fastauc._inference import delong

Z = stats.norm.isf(0.025)
AREAS = 0.6, 0.8, 0.9, 0.95, 0.99
SIZES = (20, 20), (50, 50), (30, 300), (20, 1000), (50, 950), (10, 190), (5, 95)
RATINGS = np.array([-0.9, -0.3, 0.3, 0.9])  # where normal scores are cut into five


# Samples ------------------------------------------------------------------------------------------


def shifted_normal(area, sd_pos, sd_neg):
    """Return how scores of each class are drawn, normal with these deviations."""
    shift = stats.norm.ppf(area) * np.hypot(sd_pos, sd_neg)
    return lambda rng, shape: shift + sd_pos * rng.standard_normal(shape), (
        lambda rng, shape: sd_neg * rng.standard_normal(shape)
    )


def exponential(area):
    """Return how scores of each class are drawn, of which those of positives vary more."""
    odds = area / (1 - area)
    return lambda rng, shape: odds * rng.exponential(size=shape), (
        lambda rng, shape: rng.exponential(size=shape)
    )


def mirrored(draws):
    """Return the same with the classes exchanged and the scores turned around."""
    positive, negative = draws
    return lambda rng, shape: -negative(rng, shape), lambda rng, shape: -positive(rng, shape)


def ratings(area):
    """Return how ratings from 0 to 4 are drawn: normal scores, cut."""

    def probabilities(shift):
        return np.diff(stats.norm.cdf([-np.inf, *(RATINGS - shift), np.inf]))

    def excess(shift):
        neg = probabilities(-shift / 2)
        return probabilities(shift / 2) @ (np.cumsum(neg) - neg / 2) - area

    shift = optimize.brentq(excess, 0, 12)
    return lambda rng, shape: np.searchsorted(RATINGS - shift / 2, rng.standard_normal(shape)), (
        lambda rng, shape: np.searchsorted(RATINGS + shift / 2, rng.standard_normal(shape))
    )


DISTRIBUTIONS = {
    "normal": lambda area: shifted_normal(area, 1, 1),
    "positives spread 2:1": lambda area: shifted_normal(area, 2, 1),
    "negatives spread 2:1": lambda area: shifted_normal(area, 1, 2),
    "exponential": exponential,
    "exponential, mirrored": lambda area: mirrored(exponential(area)),
    "five ratings": ratings,
}


def spreads(pos, neg):
    """Return the areas and DeLong variances of samples, a row each."""
    n_pos, n_neg = pos.shape[1], neg.shape[1]
    scores = np.concatenate([neg, pos], axis=1)
    order = np.argsort(scores, axis=1)
    is_pos = order >= n_neg
    ordered = np.take_along_axis(scores, order, axis=1)
    found = []
    for own in (is_pos, ~is_pos):
        others = np.cumsum(~own, axis=1, dtype=np.int32)
        # Midranks: the mean of the others up to the first and to the last of the tied.
        last = np.ones_like(own)
        last[:, :-1] = ordered[:, 1:] != ordered[:, :-1]
        first = np.roll(last, 1, axis=1)
        before = np.where(first, others - ~own, 0)
        upto = np.where(last, others, len(scores[0]))[:, ::-1]
        midranks = (
            np.maximum.accumulate(before, axis=1) + (np.minimum.accumulate(upto, axis=1)[:, ::-1])
        )
        found.append(midranks[own].reshape(len(own), -1) / (2 * np.count_nonzero(~own[0])))
    variance = found[0].var(axis=1, ddof=1) / n_pos + found[1].var(axis=1, ddof=1) / n_neg
    return found[0].mean(axis=1), variance


# Intervals ----------------------------------------------------------------------------------------


def wilson(area, variance, n_pos, n_neg):
    return proportions.wilson_bounds(area, delong.inverse_size(area, variance, n_pos, n_neg), Z)


def newcombe(area, _, n_pos, n_neg):
    """Return the bounds of ``newcombe_bounds`` for an array of areas, by bisection."""
    bounds = []
    for end in (0.0, 1.0):
        inside, outside = area, np.full_like(area, end)
        for _ in range(50):
            middle = (inside + outside) / 2
            variance = delong.newcombe_variance(middle, n_pos, n_neg)
            is_inside = (area - middle) ** 2 <= Z * Z * variance
            inside, outside = np.where(is_inside, [middle, outside], [inside, middle])
        bounds.append(inside)
    return bounds


def symmetric_logit(area, variance, n_pos, n_neg):
    """Return the bounds of the log odds with a variance, and Newcombe's where it is 0."""
    with np.errstate(divide="ignore", invalid="ignore"):
        center, width = np.log(area / (1 - area)), Z * np.sqrt(variance) / (area * (1 - area))
        bounds = 1 / (1 + np.exp(width - center)), 1 / (1 + np.exp(-width - center))
    return np.where(variance > 0, bounds, newcombe(area, None, n_pos, n_neg))


def hanley_mcneil(area, _, n_pos, n_neg):
    variance = delong.hanley_mcneil_variance(area, n_pos, n_neg)
    return symmetric_logit(area, variance, n_pos, n_neg)


METHODS = {
    "wilson": wilson,
    "delong": symmetric_logit,
    "newcombe": newcombe,
    "hanley-mcneil": hanley_mcneil,
}


# Cells --------------------------------------------------------------------------------------------


def rates(area, low, high):
    """Return the percentages that hold the area, end below and begin above, and the mean width."""
    low, high = np.asarray(low), np.asarray(high)
    # An area that is an end but for rounding is held.
    below, above = np.mean(high < area - 1e-12), np.mean(low > area + 1e-12)
    return 100 * (1 - below - above), 100 * below, 100 * above, np.mean(high - low)


def measure(rng, area, distribution, n_pos, n_neg, n_samples):
    """Return the rates of every method, and whether the package says the same of one sample."""
    positive, negative = DISTRIBUTIONS[distribution](area)
    pos, neg = positive(rng, (n_samples, n_pos)), negative(rng, (n_samples, n_neg))
    found, agrees = {}, True
    spread = spreads(pos, neg)
    for name, bounds_of in METHODS.items():
        low, high = bounds_of(*spread, n_pos, n_neg)
        found[name] = rates(area, low, high)
        labels = np.repeat([1, 0], [n_pos, n_neg])
        estimate = fastauc.roc_auc_ci(labels, np.concatenate([pos[0], neg[0]]), method=name)
        agrees &= np.allclose(estimate.confidence_interval, (low[0], high[0]), rtol=0, atol=1e-9)
    return found, agrees


def measure_groups(rng, area, n_groups, n_rows, is_labeled, n_samples):
    """Return the rates for groups of so many rows, whose scores have half their variance in common.

    Groups have one label, ``is_labeled``, or rows of both.
    """
    ends = {name: [] for name in ("wilson", "delong")}
    groups = np.repeat(np.arange(n_groups), n_rows)
    shift = stats.norm.ppf(area) * 2
    for _ in range(n_samples):
        label = groups % 2 if is_labeled else rng.integers(0, 2, len(groups))
        common = np.repeat(rng.standard_normal(n_groups), n_rows)
        score = common + rng.standard_normal(len(groups)) + shift * label
        n_pos, n_neg = (np.bincount(groups[label == k], minlength=n_groups) for k in (1, 0))
        # Rows of one group have half the variance between them.
        within = n_pos @ n_neg / (n_pos.sum() * n_neg.sum())
        true = area + (stats.norm.cdf(shift / np.sqrt(2)) - area) * within
        for name, pairs in ends.items():
            estimate = fastauc.roc_auc_ci(label, score, groups=groups, method=name)
            pairs.append(np.array(estimate.confidence_interval) - true)
    return {name: rates(0, *np.transpose(pairs)) for name, pairs in ends.items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--n-samples", type=int, default=6000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    sizes, n_samples = SIZES, options.n_samples
    n_grouped = n_samples // 6
    if options.quick:
        sizes, n_samples, n_grouped = SIZES[:3], 500, 50
    lines, all_agree = {}, True
    print(f"{n_samples} samples a line; {n_grouped} of groups; seed {options.seed}")
    print(f"{'n':>14} {'scores':22} {'area':>5} {'method':13} holds below above width")

    def show(where, distribution, area, found):
        for name, row in found.items():
            lines.setdefault(name, []).append(row)
            numbers = "{:5.1f} {:5.1f} {:5.1f} {:.3f}".format(*row)
            print(f"{where:>14} {distribution:22} {area:5} {name:13} {numbers}", flush=True)

    for k, (n_pos, n_neg) in enumerate(sizes):
        for j, distribution in enumerate(DISTRIBUTIONS):
            for i, area in enumerate(AREAS):
                rng = np.random.default_rng([options.seed, k, j, i])
                found, agrees = measure(rng, area, distribution, n_pos, n_neg, n_samples)
                show(f"{n_pos}+{n_neg}", distribution, area, found)
                all_agree &= agrees
    summary = {name: np.array(rows) for name, rows in lines.items()}
    for n_groups, n_rows, is_labeled in (
        (10, 6, False),
        (20, 6, False),
        (20, 20, False),
        (20, 6, True),
        (50, 6, True),
    ):
        for area in AREAS[:4]:
            rng = np.random.default_rng([options.seed, n_groups, n_rows])
            found = measure_groups(rng, area, n_groups, n_rows, is_labeled, n_grouped)
            labels = "a label each" if is_labeled else "both labels in each"
            show(f"{n_groups} x {n_rows}", labels, area, found)
    print()
    print(
        "of the lines without groups     least  5 %  half  most  below 93  93.5 to 97  above  width"
    )
    for name, rows in summary.items():
        holds = rows[:, 0]
        shown = " ".join(f"{np.quantile(holds, share):5.1f}" for share in (0, 0.05, 0.5, 1))
        counts = np.sum(holds < 93), np.sum((holds >= 93.5) & (holds <= 97)), np.sum(holds > 97)
        width = np.exp(np.mean(np.log(rows[:, 3] / summary["delong"][:, 3])))
        print(f"{name:31} {shown} {counts[0]:9} {counts[1]:11} {counts[2]:6} {width:6.2f}")
    if not all_agree:
        print("roc_auc_ci has another interval of a sample", file=sys.stderr)
    return 0 if all_agree else 1


if __name__ == "__main__":
    sys.exit(main())
