"""The functions of inference, by the definition that each of their cases has elsewhere."""

import math
from fractions import Fraction
from itertools import combinations

from naive.averages import multiclass_roc_auc_ci
from naive.bands import precision_recall_band, specificity_band
from naive.bootstrap import roc_curve_band
from naive.exchanges import bandos_test
from naive.inference import (
    _linearized,
    _score_test,
    mcnemar_test,
    roc_auc_permutation_test,
    venkatraman_test,
    whole_roc_auc_ci,
    whole_roc_auc_test,
)
from naive.parts import partial_roc_auc_ci, partial_roc_auc_test


def _positive(labels, pos_label):
    label = 1 if pos_label is None else pos_label
    return [bool(own == label) for own in labels]


def of_cases(*cases, without=()):
    """Let a definition take what those take to which it hands its arguments on."""

    def decorate(definition):
        definition.cases, definition.without = cases, without
        return definition

    return decorate


@of_cases(multiclass_roc_auc_ci, partial_roc_auc_ci, whole_roc_auc_ci)
def roc_auc_ci(y_true, y_score, *, multi_class="raise", fpr_range=None, tpr_range=None, **options):
    """Of a part, the statistic and its squared standard error, and Wilson's interval."""
    if multi_class != "raise":
        return multiclass_roc_auc_ci(y_true, y_score, multi_class=multi_class, **options)
    if fpr_range is None and tpr_range is None:
        return whole_roc_auc_ci(y_true, y_score, **options)
    return partial_roc_auc_ci(y_true, y_score, fpr_range=fpr_range, tpr_range=tpr_range, **options)


@of_cases(whole_roc_auc_test)
def roc_auc_test(
    y_true,
    score_a,
    score_b,
    *,
    method=None,
    confidence_level=None,
    fpr_range=None,
    tpr_range=None,
    n_resamples=None,
    rng=None,
    **options,
):
    """Of permutations, the difference and the p-value; of a part, its squared standard error."""
    samples = y_true, score_a, score_b
    if method is not None and method.startswith("permutation"):
        if score_b == 0.5:
            return roc_auc_permutation_test(y_true, score_a, **options)
        return bandos_test(*samples, **options)
    if fpr_range is not None or tpr_range is not None:
        return partial_roc_auc_test(*samples, fpr_range=fpr_range, tpr_range=tpr_range, **options)
    level = 0.95 if confidence_level is None else confidence_level
    return whole_roc_auc_test(*samples, method=method, confidence_level=level, **options)


def compare_roc_auc(
    y_true,
    scores,
    *,
    adjust="holm",
    higher_is_positive=True,
    sample_weight=None,
    groups=None,
    pos_label=None,
):
    """Return the names, the areas, their covariance, and the rows of all pairs."""
    columns = list(scores.values()) if isinstance(scores, dict) else scores
    names = tuple(scores) if isinstance(scores, dict) else tuple(range(len(scores)))
    if higher_is_positive is not True:  # a dict
        signs = [1 if higher_is_positive.get(name, True) else -1 for name in names]
        columns = [[sign * s for s in c] for sign, c in zip(signs, columns, strict=True)]
    positive = _positive(y_true, pos_label)
    areas, covariance, _ = _linearized(positive, columns, sample_weight, groups)
    undefined = [[math.nan] * len(columns)] * len(columns)
    areas = [math.nan] * len(columns) if areas is None else areas
    design = {"sample_weight": sample_weight, "groups": groups}
    tests = [
        (names[r], names[s], whole_roc_auc_test(positive, columns[r], columns[s], **design))
        for r, s in combinations(range(len(columns)), 2)
    ]
    pvalues = sorted(test[1] for _, _, test in tests if not math.isnan(test[1]))
    times = {"holm": lambda k: len(pvalues) - k, "bonferroni": lambda _: len(pvalues)}
    times |= {None: lambda _: 1}
    # Holm: the k-th smallest of m counts m - k times, and no p-value is less than one before it.
    steps = [min(1.0, times[adjust](k) * p) for k, p in enumerate(pvalues)]

    def adjusted(pvalue):
        if math.isnan(pvalue):
            return math.nan
        return max(step for step, p in zip(steps, pvalues, strict=True) if p <= pvalue)

    pairs = [
        (first, second, test[2], test[3], test[0], test[1], adjusted(test[1]))
        for first, second, test in tests
    ]
    return names, areas, undefined if covariance is None else covariance, pairs


@of_cases(roc_curve_band, without=["fpr"])
def curve_ci(
    y_true,
    y_score,
    at=None,
    *,
    given="fpr",
    simultaneous=False,
    method=None,
    n_resamples=None,
    **options,
):
    """Return the values at the given rates, and both ends there."""
    options["n_resamples"] = 2000 if n_resamples is None else n_resamples
    if method is None and simultaneous:
        is_plain = not {"groups", "sample_weight", "bayesian"} & options.keys()
        method = "sup-t-binomial" if is_plain else "sup-t"
    if given == "recall":
        method = method or "binomial"
        return precision_recall_band(y_true, y_score, recall=at, method=method, **options)
    if given == "fpr":
        return roc_curve_band(y_true, y_score, fpr=at, method=method, **options)
    values, ends = specificity_band(y_true, y_score, tpr=at, method=method, **options)
    return [1 - value for value in values], [(1 - high, 1 - low) for low, high in ends]


@of_cases(venkatraman_test)
def roc_curve_test(y_true, score_a, score_b, *, n_resamples=2000, rng=None, **options):
    return venkatraman_test(y_true, score_a, score_b, **options)


def rate_test(
    y_true,
    score_a,
    score_b,
    *,
    threshold_a,
    threshold_b,
    rate="sensitivity",
    method=None,
    use_continuity=True,
    confidence_level=0.95,
    pos_label=None,
):
    """Return the statistic, the p-value, the difference, and the rows right in one of them."""
    positive = _positive(y_true, pos_label)
    if rate not in ("precision", "npv"):
        rule = {"threshold_a": threshold_a, "threshold_b": threshold_b, "rate": rate}
        rule |= {"method": method or "exact", "use_continuity": use_continuity}
        return mcnemar_test(positive, score_a, score_b, pos_label=True, **rule)
    called = [
        [(score >= threshold) == (rate == "precision") for score in scores]
        for scores, threshold in ((score_a, threshold_a), (score_b, threshold_b))
    ]
    right = [own == (rate == "precision") for own in positive]
    sizes = [sum(each) for each in called]
    shares = [
        Fraction(sum(r for r, c in zip(right, each, strict=True) if c), n)
        for each, n in zip(called, sizes, strict=True)
    ]
    variance = sum(
        (a * (r - shares[0]) / sizes[0] - b * (r - shares[1]) / sizes[1]) ** 2
        for a, b, r in zip(*called, right, strict=True)
    )
    rule = (math.inf, "two-sided", confidence_level, None)
    statistic, pvalue, difference, _, _, ends = _score_test(shares, variance, sizes, *rule)
    only = [sum(x and not y for x, y in zip(*both, strict=True)) for both in (called, called[::-1])]
    return statistic, pvalue, difference, *only, ends


# Results ------------------------------------------------------------------------------------------


def comparison_result(names, areas, covariance, tests, adjust, method):
    """The tests of the pairs are those of ``compare_roc_auc``."""
    return {"pairwise": tests}
