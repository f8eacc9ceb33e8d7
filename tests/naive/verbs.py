"""The functions of inference, by the definition that each of their cases has elsewhere."""

import math
from fractions import Fraction
from itertools import combinations

import scipy.stats

from naive.averages import multiclass_roc_auc_ci
from naive.bands import precision_recall_band, specificity_band
from naive.bootstrap import roc_curve_band
from naive.exchanges import bandos_test
from naive.inference import (
    _linearized,
    _score_test,
    inverse_size as _inverse_size,
    mcnemar_test,
    roc_auc_permutation_test,
    venkatraman_test,
    whole_roc_auc_ci,
    whole_roc_auc_test,
    wilson_bounds,
)
from naive.parts import partial_roc_auc_ci, partial_roc_auc_test


def _positive(labels, pos_label):
    label = 1 if pos_label is None else pos_label
    return [bool(own == label) for own in labels]


def roc_auc_ci(
    y_true,
    y_score,
    *,
    method="wilson",
    confidence_level=0.95,
    fpr_range=None,
    tpr_range=None,
    standardized=True,
    multi_class="raise",
    average="macro",
    labels=None,
    sample_weight=None,
    groups=None,
    pos_label=None,
    n_jobs=None,
):
    """Of a part, the statistic and its squared standard error, and Wilson's interval."""
    if multi_class != "raise":
        rule = {"multi_class": multi_class, "average": average, "labels": labels}
        return multiclass_roc_auc_ci(y_true, y_score, confidence_level=confidence_level, **rule)
    if fpr_range is None and tpr_range is None:
        design = {"sample_weight": sample_weight, "groups": groups, "pos_label": pos_label}
        rule = {"method": method, "confidence_level": confidence_level}
        return whole_roc_auc_ci(y_true, y_score, **rule, **design)
    of_rows = {"fpr_range": fpr_range, "tpr_range": tpr_range, "sample_weight": sample_weight}
    of_rows["pos_label"] = pos_label
    return partial_roc_auc_ci(y_true, y_score, standardized=standardized, **of_rows)


def share_interval(share, variance, sizes, n_rows, level):
    """Return Wilson's interval of a partial area as a share of its maximum.

    ``sizes`` are those expected in the part, and ``n_rows`` is the number of the rarer class.
    """
    t = scipy.stats.t.isf((1 - level) / 2, max(1, n_rows - 1))
    return wilson_bounds(Fraction(share), _inverse_size(share, variance, *sizes), t)


def roc_auc_test(
    y_true,
    score_a,
    score_b,
    *,
    alternative="two-sided",
    margin=None,
    method=None,
    confidence_level=None,
    fpr_range=None,
    tpr_range=None,
    sample_weight=None,
    groups=None,
    y_true_b=None,
    sample_weight_b=None,
    groups_b=None,
    n_resamples=None,
    rng=None,
    pos_label=None,
    n_jobs=None,
):
    """Of permutations, the difference and the p-value; of a part, its squared standard error."""
    labels = {"y_true_b": y_true_b, "pos_label": pos_label}
    if method is not None and method.startswith("permutation"):
        if score_b == 0.5:
            rule = {"alternative": alternative, "pos_label": pos_label}
            return roc_auc_permutation_test(y_true, score_a, **rule)
        return bandos_test(y_true, score_a, score_b, alternative=alternative, **labels)
    if fpr_range is not None or tpr_range is not None:
        part = {"fpr_range": fpr_range, "tpr_range": tpr_range}
        return partial_roc_auc_test(y_true, score_a, score_b, **part, **labels)
    return whole_roc_auc_test(
        *(y_true, score_a, score_b),
        alternative=alternative,
        margin=margin,
        method=method,
        confidence_level=0.95 if confidence_level is None else confidence_level,
        sample_weight=sample_weight,
        groups=groups,
        sample_weight_b=sample_weight_b,
        groups_b=groups_b,
        **labels,
    )


def compare_roc_auc(
    y_true,
    scores,
    *,
    adjust="holm",
    higher_is_positive=True,
    sample_weight=None,
    groups=None,
    pos_label=None,
    n_jobs=None,
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


def curve_ci(
    y_true,
    y_score,
    at=None,
    *,
    given="fpr",
    simultaneous=False,
    method=None,
    confidence_level=0.95,
    n_resamples=None,
    stratified=None,
    bayesian=False,
    groups=None,
    sample_weight=None,
    pos_label=None,
    rng=None,
    n_jobs=None,
):
    """Return the values at the given rates, and both ends there."""
    n_resamples = 2000 if n_resamples is None else n_resamples
    rule = {"confidence_level": confidence_level, "n_resamples": n_resamples, "rng": rng}
    is_plain = groups is None and sample_weight is None and not bayesian
    if method is None and simultaneous:
        method = "sup-t-binomial" if is_plain else "sup-t"
    if given == "recall":
        rule |= {"method": method or "binomial", "pos_label": pos_label}
        return precision_recall_band(y_true, y_score, recall=at, **rule)
    rule |= {"stratified": stratified, "bayesian": bayesian, "groups": groups, "method": method}
    rule |= {"sample_weight": sample_weight, "pos_label": pos_label}
    if given == "fpr":
        return roc_curve_band(y_true, y_score, fpr=at, **rule)
    values, ends = specificity_band(y_true, y_score, tpr=at, **rule)
    return [1 - value for value in values], [(1 - high, 1 - low) for low, high in ends]


def roc_curve_test(
    y_true,
    score_a,
    score_b,
    *,
    y_true_b=None,
    n_resamples=2000,
    rng=None,
    pos_label=None,
    n_jobs=None,
):
    return venkatraman_test(y_true, score_a, score_b, y_true_b=y_true_b, pos_label=pos_label)


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
    n_jobs=None,
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


def estimate_result(
    statistic, standard_error, confidence_interval, confidence_level, method, bootstrap_distribution
):
    return {}


def difference_test_result(
    statistic,
    pvalue,
    difference,
    standard_error,
    df,
    confidence_interval,
    method,
    bootstrap_distribution,
):
    return {}


def comparison_result(names, areas, covariance, tests, adjust, method):
    """The tests of the pairs are those of ``compare_roc_auc``."""
    return {"pairwise": tests}


def pairwise_tests(
    first,
    second,
    difference,
    standard_error,
    low,
    high,
    statistic,
    pvalue,
    adjusted_pvalue,
    method,
):
    return {}


def curve_interval(at, statistic, low, high, given, simultaneous, confidence_level, method):
    return {}


def roc_curve_test_result(statistic, pvalue, method):
    return {}


def rate_test_result(
    statistic, pvalue, difference, confidence_interval, only_first, only_second, method
):
    return {}
