"""The parts of ``coverage_simulation.py``: what is simulated, cell by cell.

Every interval and every test is that of the public function, or of what computes it for many
samples at once inside the package. A line says how many of 100 intervals of 95 % hold the true
value, end below it and begin above it, and their mean width; NaN is a miss. A test at 5 % is held
against its own interval, or its p-value: what does not hold is a rejection of what is true.
"""

from collections.abc import Callable
from itertools import product
from typing import Any, NamedTuple

import numpy as np
from populations import POPULATIONS
from scipy import special, stats

import fastauc
from fastauc._counts.confusion_matrix import rates_with_ends
from fastauc._validation.threads import SERIAL
from fastauc.groups._group_pairs import measure_groups, read_grouped_sample
from fastauc.inference import _delong as delong

Z = stats.norm.isf(0.025)
N_RESAMPLES = 400
MARGIN = 0.05
_ROWS_AT_ONCE = 1_000_000
# A true value that is an end but for rounding is held.
_ROUNDING = 1e-12


class Line(NamedTuple):
    """What a method gives in a cell: percentages of samples, and the mean width."""

    what: str
    rows: str
    scores: str
    area: str
    method: str
    holds: float
    below: float
    above: float
    width: float


class Part(NamedTuple):
    """A part of the simulation: ``measure(rng, n_samples, *cell)`` returns the lines of a cell."""

    measure: Callable[..., list[Line]]
    n_samples: int
    cells: list[tuple[Any, ...]]


def rates(true, low, high):
    """Return the percentages that hold the true values, end below, begin above; and the width."""
    low, high = np.asarray(low), np.asarray(high)
    below, above = high < true - _ROUNDING, low > true + _ROUNDING
    holds = ~below & ~above & ~np.isnan(low) & ~np.isnan(high)
    width = np.nanmean(high - low) if np.any(~np.isnan(high - low)) else np.nan
    return *(100 * np.mean(share) for share in (holds, below, above)), width


def rates_of_whole(true, low, high):
    """Return the same of bands, a row each, that have to hold all of the true values."""
    below, above = (high < true - _ROUNDING).any(axis=1), (low > true + _ROUNDING).any(axis=1)
    shares = [100 * np.mean(share) for share in (~below & ~above, below, above)]
    return *shares, np.mean(high - low)


def rates_of_pvalues(pvalues):
    """Return the percentage that does not reject; sides and width are not known."""
    return 100 * np.mean(np.asarray(pvalues) >= 0.05), np.nan, np.nan, np.nan


def label(n_pos, n_neg):
    """Return the labels of rows of which the positives come first."""
    return np.repeat(np.array([1, 0], np.uint8), [n_pos, n_neg])


def ends_of(found):
    """Return the two ends of each of many results."""
    return np.transpose([result.confidence_interval for result in found])


def ends_at_rates(found):
    """Return the ends of results at several rates, a row for each result."""
    return [np.stack([getattr(one, end) for one in found]) for end in ("low", "high")]


# The whole area -----------------------------------------------------------------------------------


def areas_of(scores, n_pos, n_neg):
    """Return the areas of samples, a row each, their DeLong variances, and default intervals.

    By what ``roc_auc_by_group`` makes of all groups at once: each sample is a group.
    """
    found = []
    for block in np.array_split(scores, max(1, scores.size // _ROWS_AT_ONCE)):
        labels = np.tile(label(n_pos, n_neg), len(block))
        rows = labels, block.ravel(), np.repeat(np.arange(len(block)), block.shape[1])
        groups = fastauc.groups.roc_auc_by_group(*rows, confidence_level=0.95)
        sample = read_grouped_sample(*rows, None, None, "roc_auc_by_group", SERIAL)
        spreads = measure_groups(sample, SERIAL, with_spreads=True).spreads
        variance = delong.variance_of_spreads(spreads[:, 1], spreads[:, 0], n_pos, n_neg)
        found.append((groups.auc, variance, groups.low, groups.high))
    return [np.concatenate(columns) for columns in zip(*found, strict=True)]


def intervals_of(scores, n_pos, n_neg):
    """Return the intervals of ``roc_auc_ci`` of samples, a row each, by its methods."""
    areas, variances, *wilson = areas_of(scores, n_pos, n_neg)
    return {"wilson": np.array(wilson), "delong": symmetric(areas, np.sqrt(variances), wilson)}


def symmetric(areas, errors, wilson):
    """Return the intervals of pROC; Wilson's where they would have no width."""
    low, high = np.maximum(areas - Z * errors, 0), np.minimum(areas + Z * errors, 1)
    return np.where(np.greater(errors, 0), [low, high], wilson)


def measure_areas(rng, n_samples, n_pos, n_neg, scores, area):
    sample = POPULATIONS[scores](area).draw(rng, n_samples, n_pos, n_neg)
    place = "area", f"{n_pos} + {n_neg}", scores, str(area)
    return [
        Line(*place, method, *rates(area, *ends))
        for method, ends in intervals_of(sample, n_pos, n_neg).items()
    ]


def measure_groups_of_rows(rng, n_samples, n_groups, n_rows, is_labeled, scores, area):
    """Rows in groups that have half the variance of the normal numbers behind them in common."""
    population = POPULATIONS[scores](area)
    groups = np.repeat(np.arange(n_groups), n_rows)
    rows = []
    for _ in range(n_samples):
        labels = groups % 2 if is_labeled else rng.integers(0, 2, len(groups))
        common = np.repeat(rng.standard_normal(n_groups), n_rows)
        numbers = (common + rng.standard_normal(len(groups))) / np.sqrt(2)
        y_score = np.where(labels == 1, population.positive(numbers), population.negative(numbers))
        true = area
        if not is_labeled:
            # Of normal scores. Those of one group have half the variance between them.
            n_pos, n_neg = (np.bincount(groups[labels == k], minlength=n_groups) for k in (1, 0))
            share = n_pos @ n_neg / (n_pos.sum() * n_neg.sum())
            true += (special.ndtr(special.ndtri(area) * np.sqrt(2)) - area) * share
        found = fastauc.inference.roc_auc_ci(labels, y_score, groups=groups)
        rows.append((found.statistic, found.standard_error, *found.confidence_interval, true))
    place = "a label each" if is_labeled else "both labels", f"{n_groups} groups of {n_rows}"
    areas, errors, *wilson, true = np.transpose(rows)
    ends = {"wilson": np.array(wilson), "delong": symmetric(areas, errors, wilson)}
    return [
        Line(*place, scores, str(area), method, *rates(0, *(pairs - true)))
        for method, pairs in ends.items()
    ]


# Parts of the curve, and other numbers ------------------------------------------------------------


def measure_partial(rng, n_samples, n_pos, n_neg, scores, area, rate, lower, upper):
    population, labels = POPULATIONS[scores](area), label(n_pos, n_neg)
    true = population.partial_area(rate, lower, upper)
    sample = population.draw(rng, n_samples, n_pos, n_neg)
    place = f"{rate.upper()} {lower}-{upper}", f"{n_pos} + {n_neg}", scores, str(area)
    options = {f"{rate}_range": (lower, upper), "standardized": False}
    found = [fastauc.inference.roc_auc_ci(labels, row, **options) for row in sample]
    return [Line(*place, "wilson", *rates(true, *(ends_of(found) / (upper - lower))))]


def measure_bootstrap(rng, n_samples, n_pos, n_neg, scores, area, statistic):
    population, labels = POPULATIONS[scores](area), label(n_pos, n_neg)
    true = {
        "roc_auc": lambda: area,
        "average_precision": lambda: population.average_precision(n_pos / (n_pos + n_neg)),
        "ks": population.ks,
    }[statistic]()
    sample = population.draw(rng, n_samples, n_pos, n_neg)
    place = f"`{statistic}`", f"{n_pos} + {n_neg}", scores, str(area)
    options = {"statistic": statistic, "n_resamples": N_RESAMPLES, "rng": rng}
    found = [fastauc.inference.bootstrap_ci(labels, row, **options) for row in sample]
    return [Line(*place, "wilson", *rates(true, *ends_of(found)))]


def measure_averages(rng, n_samples, kind, n_units, n_rows, area):
    """Means over groups whose areas differ; averages of three classes."""
    found = []
    for _ in range(n_samples):
        if kind == "groups":
            labels = np.tile(np.arange(n_rows) % 2, n_units)
            groups = np.repeat(np.arange(n_units), n_rows)
            # With the variance of the shifts, that of a positive less a negative is 3.
            shifts = special.ndtri(area) * np.sqrt(3) + rng.standard_normal(n_units)
            y_score = rng.standard_normal(len(labels)) + labels * shifts[groups]
            found.append(fastauc.groups.roc_auc_by_group(labels, y_score, groups).mean_ci())
        else:
            labels = np.tile(np.arange(n_rows), n_units)
            # Less their mean, numbers of three classes have 2/3 of their variance.
            shift = special.ndtri(area) * np.sqrt(4 / 3)
            numbers = rng.standard_normal((len(labels), n_rows)) + shift * np.eye(n_rows)[labels]
            shares = (1 + (numbers - numbers.mean(axis=1, keepdims=True)) / 100) / n_rows
            found.append(fastauc.inference.roc_auc_ci(labels, shares, multi_class=kind))
    name = f"`roc_auc_ci(multi_class='{kind}')`"
    units = f"{n_units} of each of {n_rows} classes"
    if kind == "groups":
        name, units = "`mean_ci`", f"{n_units} groups of {n_rows}"
    return [Line(name, units, "normal", str(area), "default", *rates(area, *ends_of(found)))]


# Rates and bands ----------------------------------------------------------------------------------


def measure_rates(rng, n_samples, n_pos, n_neg, scores, area):
    population, labels = POPULATIONS[scores](area), label(n_pos, n_neg)
    sample = population.draw(rng, n_samples, n_pos, n_neg)
    place, lines = (f"{n_pos} + {n_neg}", scores, str(area)), []
    curve_ci = fastauc.inference.curve_ci
    for given, name, at, true_at in (
        ("fpr", "TPR at FPR", (0.01, 0.1, 0.5, 0.8), population.tpr_at),
        ("tpr", "FPR at TPR", (0.5, 0.8, 0.95), population.fpr_at),
    ):
        low, high = ends_at_rates([curve_ci(labels, row, at, given=given) for row in sample])
        for k, rate in enumerate(at):
            numbers = rates(true_at(rate), low[:, k], high[:, k])
            lines.append(Line(f"{name} {rate}", *place, "binomial", *numbers))
    return lines


_HUNDREDTHS = np.arange(1, 100) / 100


def measure_precision(rng, n_samples, n_rows, share, scores, area):
    """Rows whose class is chance as well."""
    population, at = POPULATIONS[scores](area), (0.2, 0.5, 0.9)
    found = []
    for n_pos in rng.binomial(n_rows, share, n_samples):
        n_neg = n_rows - n_pos
        (sample,) = population.draw(rng, 1, n_pos, n_neg)
        found.append(fastauc.inference.curve_ci(label(n_pos, n_neg), sample, at, given="recall"))
    low, high = ends_at_rates(found)
    place = f"{n_rows}, {share:.0%} positive", scores, str(area)
    return [
        Line(
            f"precision at recall {recall}",
            *place,
            "binomial",
            *rates(population.precision_at(recall, share), low[:, k], high[:, k]),
        )
        for k, recall in enumerate(at)
    ]


def measure_bands(rng, n_samples, n_pos, n_neg, scores, area):
    """The whole of a curve from FPR 0.01 to 0.99."""
    population, labels = POPULATIONS[scores](area), label(n_pos, n_neg)
    sample = population.draw(rng, n_samples, n_pos, n_neg)
    options = {"simultaneous": True, "n_resamples": N_RESAMPLES, "rng": rng}
    curve_ci = fastauc.inference.curve_ci
    found = [curve_ci(labels, row, _HUNDREDTHS, **options) for row in sample]
    numbers = rates_of_whole(population.tpr_at(_HUNDREDTHS), *ends_at_rates(found))
    place = "all from FPR 0.01 on", f"{n_pos} + {n_neg}", scores, str(area)
    return [Line(*place, "sup-t-binomial", *numbers)]


def measure_thresholds(rng, n_samples, n_rows, share, sensitivity, specificity):
    """Rates at a threshold, of rows whose class is chance as well."""
    n_pos = rng.binomial(n_rows, share, n_samples)
    tp = rng.binomial(n_pos, sensitivity).astype(float)
    tn = rng.binomial(n_rows - n_pos, specificity).astype(float)
    fn, fp = n_pos - tp, n_rows - n_pos - tn
    cells = np.array([(1 - share) * specificity, (1 - share) * (1 - specificity)])
    cells = *cells, share * (1 - sensitivity), share * sensitivity
    true = {
        name: float(rate)
        for name, rate, _ in rates_with_ends(*map(np.array, cells), "wilson", 0.95)
    }
    place = f"{n_rows}, {share:.0%} positive", f"{sensitivity}, {specificity}", "-"
    lines = []
    for method in ("wilson", "beta"):
        for name, _, (low, high) in rates_with_ends(tn, fp, fn, tp, method, 0.95):
            # A rate of no rows has no interval, and no sample such a rate.
            is_defined = ~np.isnan(low) & ~np.isnan(high)
            numbers = rates(true[name], low[is_defined], high[is_defined])
            lines.append(Line(name.replace("_", " "), *place, method, *numbers))
    return lines


# Tests --------------------------------------------------------------------------------------------


def draw_two(rng, n_samples, n_pos, n_neg, scores, areas, correlation):
    """Return the scores of two models of these areas on the same rows, samples as rows."""
    common, own = rng.standard_normal((2, n_samples, n_pos + n_neg))
    numbers = common, correlation * common + np.sqrt(1 - correlation**2) * own
    return [
        POPULATIONS[scores](area).score(z, n_pos) for area, z in zip(areas, numbers, strict=True)
    ]


def measure_tests(rng, n_samples, kind, n_pos, n_neg, scores, area):
    labels = label(n_pos, n_neg)
    place = kind, f"{n_pos} + {n_neg}", scores, str(area)
    correlation = 0.0 if "two samples" in kind or kind.endswith("correlated 0") else 0.7
    gap = MARGIN if "margin" in kind else 0.0
    pairs = draw_two(rng, n_samples, n_pos, n_neg, scores, (area - gap, area), correlation)
    pairs = list(zip(*pairs, strict=True))
    if kind.startswith("against"):
        test = fastauc.inference.roc_auc_test_1samp
        found = [test(labels, first, area) for first, _ in pairs]
        return [Line(*place, "default", *rates(0, *ends_of(found)))]
    if kind.startswith("rates at thresholds"):
        middle = np.median(POPULATIONS[scores](area).draw(np.random.default_rng(0), 1, 9999, 9999))
        options = {"threshold_a": middle, "threshold_b": middle, "rate": "accuracy"}
        found = [fastauc.inference.rate_test(labels, *pair, **options) for pair in pairs]
        return [Line(*place, "default", *rates_of_pvalues([one.pvalue for one in found]))]

    def compare(first, second, **options):
        if "two samples" in kind:
            return fastauc.inference.roc_auc_test_ind(labels, first, labels, second, **options)
        return fastauc.inference.roc_auc_test(labels, first, second, **options)

    if kind.startswith("parts"):
        found = [compare(*pair, fpr_range=(0, 0.2)) for pair in pairs]
        return [Line(*place, "default", *rates(0, *ends_of(found)))]
    rule = {"alternative": "non-inferiority", "margin": gap} if gap else {}
    found = [compare(*pair, **rule) for pair in pairs]
    ends = {"score" if gap else "t": ends_of(found)}
    if not gap:
        ends["delong"] = ends_of_proc(found, labels, pairs if "two samples" in kind else None)
    return [Line(*place, method, *rates(-gap, *both)) for method, both in ends.items()]


def ends_of_proc(found, labels, pairs):
    """Return the intervals of pROC of the same differences: normal, or Student's of two samples."""
    df = np.inf
    if pairs is not None:  # Welch's, from the numbers of all rows
        interval = fastauc.inference.roc_auc_ci
        squares = np.square([[interval(labels, y).standard_error for y in pair] for pair in pairs])
        df = (len(labels) - 1) * squares.sum(axis=1) ** 2 / (squares**2).sum(axis=1)
    difference, error = np.transpose([(each.difference, each.standard_error) for each in found])
    reach = stats.t.isf(0.025, df) * error
    low, high = np.maximum(difference - reach, -1), np.minimum(difference + reach, 1)
    return np.where(error > 0, [low, high], ends_of(found))


def measure_bootstrap_tests(rng, n_samples, n_pos, n_neg, area, statistic):
    labels = label(n_pos, n_neg)
    pairs = draw_two(rng, n_samples, n_pos, n_neg, "normal", (area, area), 0.5)
    options = {"statistic": statistic, "n_resamples": N_RESAMPLES, "rng": rng}
    found = [
        fastauc.inference.bootstrap_test(labels, *pair, **options)
        for pair in zip(*pairs, strict=True)
    ]
    place = f"`{statistic}`", f"{n_pos} + {n_neg}", "normal", str(area), "t"
    return [Line(*place, *rates(0, *ends_of(found)))]


# All of them --------------------------------------------------------------------------------------

SIZES = (20, 20), (50, 50), (30, 300)
RARE = (20, 1000), (50, 950), (10, 190), (5, 95)
TWO = "normal", "exponential"
TIED = *TWO, "five ratings"
TESTS_OF_AREAS = (
    "two areas, correlated 0.7",
    "two areas, correlated 0",
    "two areas, margin 0.05",
    "two areas of two samples",
)
OTHER_TESTS = (
    "parts FPR 0-0.2",
    "parts FPR 0-0.2 of two samples",
    "rates at thresholds",
)


def cells(sizes, *axes):
    """Return the product of pairs of class sizes and of other axes."""
    return [(*size, *rest) for size, *rest in product(sizes, *axes)]


def list_tests(kinds, scores, areas):
    """Return the cells of tests, a kind after the other."""
    return [(kind, *cell) for kind in kinds for cell in cells(SIZES, scores, areas)]


PARTS = {
    "areas": Part(
        measure_areas, 6000, cells((*SIZES, *RARE), POPULATIONS, (0.6, 0.8, 0.9, 0.95, 0.99))
    ),
    "groups": Part(
        measure_groups_of_rows,
        1000,
        [
            *product((10, 20, 50), (6,), (False,), ("normal",), (0.6, 0.8, 0.9, 0.95)),
            *product((20,), (20,), (False,), ("normal",), (0.6, 0.8, 0.9, 0.95)),
            *product((20, 50), (6,), (True,), TWO, (0.6, 0.8, 0.9, 0.95)),
        ],
    ),
    "partial": Part(
        measure_partial,
        500,
        [
            (*cell, *part)
            for cell in cells((*SIZES, (300, 30), (20, 1000)), TIED, (0.6, 0.8, 0.95))
            for part in (("fpr", 0, 0.1), ("fpr", 0, 0.3), ("tpr", 0.8, 1))
        ],
    ),
    "bootstrap": Part(
        measure_bootstrap,
        150,
        cells(
            ((20, 20), (100, 100), (30, 300)),
            TWO,
            (0.6, 0.95),
            ("roc_auc", "average_precision", "ks"),
        ),
    ),
    "averages": Part(
        measure_averages,
        1000,
        [
            *product(("groups",), (10, 30, 100), (6,), (0.6, 0.8, 0.95)),
            *product(("ovr", "ovo"), (20, 50), (3,), (0.6, 0.8, 0.95)),
        ],
    ),
    "rates": Part(measure_rates, 1000, cells(SIZES, TWO, (0.8, 0.95))),
    "precision": Part(
        measure_precision,
        1000,
        cells(((40, 0.5), (100, 0.5), (330, 0.1), (1000, 0.05)), TWO, (0.8, 0.95)),
    ),
    "bands": Part(measure_bands, 200, cells(SIZES, TWO, (0.8, 0.95))),
    "thresholds": Part(
        measure_thresholds,
        10_000,
        cells(product((40, 100, 400), (0.5, 0.1)), (0.8,), (0.8, 0.95)),
    ),
    "tests": Part(measure_tests, 1000, list_tests(TESTS_OF_AREAS, TIED, (0.8, 0.9))),
    "other-tests": Part(
        measure_tests,
        500,
        [
            *list_tests(("against a constant",), TIED, (0.8, 0.9)),
            *list_tests(OTHER_TESTS, TWO, (0.8, 0.9)),
        ],
    ),
    "bootstrap-tests": Part(
        measure_bootstrap_tests,
        200,
        cells(SIZES, (0.8, 0.9), ("roc_auc", "average_precision", "ks")),
    ),
}
