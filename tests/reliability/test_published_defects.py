"""Wrong numbers that other libraries have given: each by what set it off, with its issue.

The sizes and values are those of the reports, or the smallest that still show the defect. Every
expected value is worked out here, by Python's integers or by the definition.
"""

import itertools
import math
import time
from fractions import Fraction

import numpy as np
import pytest

import fastauc
import naive
from support.public import PUBLIC

pytestmark = pytest.mark.check("published defects")


def alternating(n_rows):
    """Return labels 0, 1, 0, 1 ... and increasing scores, and the exact area."""
    half = n_rows // 2
    labels = np.tile(np.array([0, 1], np.int8), half)
    return labels, np.arange(2 * half, dtype=np.float64), (half + 1) / (2 * half)


# Sizes: products and sums of counts ---------------------------------------------------------------


@pytest.mark.parametrize(
    "n_rows",
    [
        pytest.param(100_000, id="haifengl/smile#157: -1.89, a product in int32"),
        pytest.param(100_000, id="yanyachen/MLmetrics#12: NA"),
        pytest.param(250_000, id="mlr-org/mlr3measures#8: NA, also in n_pos * (n_pos + 1)"),
        pytest.param(92_682, id="benhamner/Metrics#35: NA past 46,341 rows of a class"),
        pytest.param(100_002, id="kboyd/Roc#15 and aksnzhy/xlearn#49: negative areas"),
        *(
            pytest.param(n_rows, id=f"torchmetrics#1727: 0.0 from 2^17 rows on: {n_rows}")
            for n_rows in (2**17 - 2, 2**17, 2**17 + 2)
        ),
    ],
)
def test_numbers_of_pairs_do_not_overflow(n_rows):
    labels, scores, area = alternating(n_rows)
    for dtype in (np.float32, np.float64):
        assert fastauc.roc_auc_score(labels, scores.astype(dtype)) == area
    assert fastauc.roc_auc_score(labels, labels) == 1
    assert fastauc.confusion_matrix_at_thresholds(labels, scores).roc_auc() == area


@pytest.mark.parametrize("multi_class", ["ovo", "ovr"])
def test_products_of_class_sizes_do_not_overflow(multi_class):
    """LightGBM#3201: auc_mu is wrong on large training sets."""
    rng = np.random.default_rng(3201)
    classes = np.repeat([0, 1, 2], 66_000)
    scores = rng.dirichlet([1, 1, 1], len(classes))
    area = fastauc.roc_auc_score(classes, scores, multi_class=multi_class)

    def exact(column, positive, negative):
        below = np.searchsorted(np.sort(scores[negative, column]), scores[positive, column])
        return Fraction(int(below.sum()), int(positive.sum()) * int(negative.sum()))

    areas = []
    for column in range(3):
        others = [k for k in range(3) if k != column] if multi_class == "ovo" else [None]
        for k in others:
            negative = classes != column if k is None else classes == k
            areas.append(exact(column, classes == column, negative))
    # Areas that are rounded once each, and a mean of up to six of them.
    assert area == pytest.approx(float(sum(areas) / len(areas)), rel=1e-15, abs=0)


def test_delong_of_many_rows_has_the_area_and_an_interval_around_it():
    """xrobin/pROC#19: theta is 15.97 and the interval "1-1" for 144,720 rows."""
    labels, scores, area = alternating(144_720)
    estimate = fastauc.inference.roc_auc_ci(labels, scores, method="delong")
    assert estimate.statistic == area
    low, high = estimate.confidence_interval
    assert 0.49 < low < area < high < 0.51


def test_squares_of_counts_do_not_overflow():
    """riskRegression#13 and ROCR#4: n * n in a variance, and products of counts at a threshold."""
    labels, scores, _ = alternating(200_000)
    half = 100_000
    estimate = fastauc.inference.roc_auc_ci(labels, scores, method="delong")
    # The shares 1 / half, 2 / half ... 1 of the rows of each class: of h numbers 1 ... h, the
    # variance is h (h + 1) / 12.
    assert estimate.standard_error == pytest.approx(
        math.sqrt((half + 1) / (6 * half**2)), rel=1e-12
    )
    matrix = fastauc.confusion_matrix_at_thresholds(labels, scores).at(half)
    assert (matrix.tp, matrix.fp, matrix.fn, matrix.tn) == (half // 2,) * 4
    assert matrix.positive_likelihood_ratio == matrix.negative_likelihood_ratio == 1
    assert matrix.f1 == 1 / 2


def test_float32_weights_are_not_added_in_float32():
    """scikit-learn#6842: 0.58 instead of 0.52, or NaN, of float32 weights."""
    rng = np.random.default_rng(6842)
    n_rows = 300_000
    labels = (rng.random(n_rows) < 0.5).astype(np.int8)
    scores = rng.integers(0, 50, n_rows).astype(np.float32)
    eighths = rng.integers(1, 10_000, n_rows)
    above = tied = below = 0
    for score in range(50):
        positives = int(eighths[(scores == score) & (labels == 1)].sum())
        negatives = int(eighths[(scores == score) & (labels == 0)].sum())
        above, tied = above + positives * below, tied + positives * negatives
        below += negatives
    pairs = below * int(eighths[labels == 1].sum())
    weights = (eighths / 8).astype(np.float32)
    assert fastauc.roc_auc_score(labels, scores, sample_weight=weights) == (2 * above + tied) / (
        2 * pairs
    )


@pytest.mark.slow
def test_float32_weights_of_forty_million_rows():
    """scikit-learn#6842, by the number of rows of the report."""
    n_rows = 40_000_000
    labels = np.tile(np.array([0, 1, 1, 0], np.int8), n_rows // 4)
    scores = np.tile(np.array([1, 2, 1, 2], np.float32), n_rows // 4)
    weights = np.tile(np.array([1.5, 3.25, 0.125, 2], np.float32), n_rows // 4)
    exact = naive.roc_auc_score([0, 1, 1, 0], [1, 2, 1, 2], sample_weight=[1.5, 3.25, 0.125, 2])
    assert fastauc.roc_auc_score(labels, scores, sample_weight=weights) == float(exact)


def test_counts_are_not_kept_in_the_dtype_of_the_scores():
    """scikit-learn#34975: float32 scores lose the counts past 2^24."""
    n_rows = 2**24 + 2
    labels = np.zeros(n_rows, np.int8)
    labels[::2] = 1
    scores = np.full(n_rows, 0.5, np.float32)
    scores[0] = 1
    counts = fastauc.confusion_matrix_at_thresholds(labels, scores)
    assert counts.tps.tolist() == [1, n_rows // 2]
    assert counts.fps.tolist() == [0, n_rows // 2]
    assert counts.tns.dtype.itemsize == 8


def test_half_precision_counts_more_than_2048_rows():
    """cmu-thesis#7: sums in float16 stay at 2048."""
    labels, scores, _ = alternating(20_000)
    halves = (scores // 20).astype(np.float16)
    # A thousand scores, of ten rows of each class.
    exact = (2 * 100 * (1000 * 999 // 2) + 1000 * 100) / (2 * 10_000**2)
    assert fastauc.roc_auc_score(labels, halves) == exact
    ones = np.ones(len(labels), np.float16)
    assert fastauc.roc_auc_score(labels, halves, sample_weight=ones) == exact


def test_counts_are_wider_than_32_bits():
    """brian2#1136, pyndl#161, scikit-image#336, cython#1401: a C int past 2^31, zeros past 2^32.

    Rows are not needed: a state that is merged with itself counts each of them twice.
    """
    sample = [0, 1, 1, 0, 1], [0.1, 0.1, 0.4, 0.4, 0.9]
    histogram = fastauc.streaming.ScoreHistogram(bins=16, range=(0, 1)).update(*sample)
    exact = naive.roc_auc_score(*sample)
    for doublings in range(1, 50):
        histogram.merge(histogram.copy())
        assert (histogram.n_neg, histogram.n_pos) == (2 * 2**doublings, 3 * 2**doublings)
        # No two distinct scores share a bin; rows of one bin are taken for ties.
        assert histogram.roc_auc().estimate == float(exact)


# Scores -------------------------------------------------------------------------------------------


def test_a_score_outside_0_and_1_does_not_change_its_batch():
    """torchmetrics#1989 and anomalib#2003: a sigmoid for the batches that leave [0, 1] only."""
    labels = np.array([0, 1, 0, 1, 0, 1, 0, 1])
    scores = np.array([0.1, 0.2, 0.9, 0.6, 0.7, 5.0, -3.0, 0.4])
    exact = float(naive.roc_auc_score(labels, scores))
    for cut in range(1, 8):
        accumulator = fastauc.streaming.RocAucAccumulator()
        histogram = fastauc.streaming.ScoreHistogram(bins=4096, range=(-4, 6))
        for part in (slice(cut), slice(cut, None)):
            accumulator.update(labels[part], scores[part])
            histogram.update(labels[part], scores[part])
        assert accumulator.compute() == histogram.roc_auc().estimate == exact


def test_large_scores_are_not_squashed():
    """torchmetrics#2819: 0.5 instead of 13/14 of logits near 98, which a sigmoid makes 1."""
    scores = [98.0950, 98.4612, 98.1145, 98.1506, 97.6037, 98.9425, 99.2644, 99.5014]
    scores += [99.7280, 99.6595, 99.6931, 99.4667, 99.9623, 99.8949, 99.8768]
    for dtype in (np.float32, np.float64):
        assert fastauc.roc_auc_score([0] + [1] * 14, np.array(scores, dtype)) == 13 / 14


@pytest.mark.parametrize("scale", [1, 1e-7, 1e-12, 1e-300, 5e-324])
def test_close_scores_are_not_tied(scale):
    """scikit-learn#3864, #6688, #4864, MLJBase#319: scores closer than 1e-6 taken for equal."""
    labels, scores = [0, 0, 1, 1], np.array([1, 2, 3, 4]) * scale
    assert fastauc.roc_auc_score(labels, scores) == 1
    assert len(fastauc.roc_curve(labels, scores, drop_intermediate=False)[2]) == 5
    assert fastauc.average_precision_score(labels, scores) == 1
    assert fastauc.inference.roc_auc_ci(labels, scores, method="delong").statistic == 1


def test_tied_rows_count_one_half_in_any_order():
    """Ties walked row by row: every order of the rows gives another area.

    exploratory_func#1588, MatlabAUC#1, ModelMetrics#10, ftrl_proximal_lr#11, meta-pytorch/tnt#54
    and scikit-learn#6711.
    """
    rows = [(0, 0.2), (1, 0.2), (1, 0.2), (0, 0.7), (1, 0.7), (0, 0.1)]
    exact = float(naive.roc_auc_score(*zip(*rows, strict=True)))
    precision = float(naive.average_precision_score(*zip(*rows, strict=True)))
    for order in itertools.permutations(rows):
        labels, scores = zip(*order, strict=True)
        assert fastauc.roc_auc_score(labels, scores) == exact
        assert fastauc.roc_auc_score(labels, scores, sample_weight=np.ones(6)) == exact
        assert fastauc.average_precision_score(labels, scores) == precision
    for labels in itertools.product([0, 1], repeat=6):
        if 0 < sum(labels) < 6:
            assert fastauc.roc_auc_score(labels, [0.5] * 6) == 1 / 2


def test_intervals_count_ties_one_half():
    """ledell/cvAUC#6: the interval ignores that ties count one half."""
    labels, scores = [0, 0, 1, 1, 0, 1, 1], [1, 2, 2, 2, 3, 3, 1]
    estimate = fastauc.inference.roc_auc_ci(labels, scores, method="delong")
    expected = naive.roc_auc_ci(labels, scores, method="delong")
    assert estimate.statistic == float(naive.roc_auc_score(labels, scores))
    assert estimate.standard_error == pytest.approx(float(expected[1]), rel=1e-13)


def test_nan_is_not_sorted():
    """scikit-learn#5735, ClickHouse#104763: the area follows the order of the rows."""
    for name in ("roc_auc_score", "roc_curve", "average_precision_score"):
        for scores in itertools.permutations([0.1, math.nan, 0.4, 0.8]):
            place = scores.index(math.nan)
            with pytest.raises(ValueError, match=rf"NaN[\s\S]*y_score\[{place}\]"):
                PUBLIC[name]([0, 1, 0, 1], np.array(scores))
        with pytest.raises(ValueError, match="NaN"):
            PUBLIC[name]([0, 1, 0, 1], np.full(4, np.nan))


def test_ranks_of_nan_end():
    """Mid-ranks in several translations of DeLong: NaN is not equal to itself.

    The loop over tied rows never ends.
    """
    for name in ("roc_auc_ci", "roc_auc_test", "placements"):
        further = [[1, 2, 3, 4]] if name == "roc_auc_test" else []
        with pytest.raises(ValueError, match="NaN"):
            PUBLIC[name]([0, 1, 0, 1], np.array([0.1, np.nan, np.nan, 0.8]), *further)


# Inference ----------------------------------------------------------------------------------------


def test_delong_of_turned_scores_is_that_of_the_scores():
    """pROC#25 and #35: another theta if lower scores are of the positives, and for near ties."""
    near = [math.nextafter(0.65, 0), 0.65, math.nextafter(0.65, 1)]
    scores = [0.02, 0.08, 0.14, 0.43, *near, 0.66, 0.78, 0.8, 0.805, 0.81, 0.93, 0.93, 0.93]
    scores = np.array([*scores, 0.95, 0.96, 0.98])
    labels = np.array([0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 0, 1, 1, 1, 1, 1, 0])
    estimate = fastauc.inference.roc_auc_ci(labels, scores, method="delong")
    turned = fastauc.inference.roc_auc_ci(1 - labels, -scores, method="delong")
    assert estimate.statistic == turned.statistic == 60 / 77
    assert estimate.confidence_interval == pytest.approx(turned.confidence_interval, rel=1e-14)
    percent = fastauc.inference.roc_auc_ci(labels, 100 * scores, method="delong")
    assert percent == estimate


def test_a_one_sided_pvalue_is_small_on_its_side():
    """pROC#64: the one-sided p-values of a bootstrap test are swapped."""
    rng = np.random.default_rng(64)
    labels = np.arange(300) % 2
    good, poor = labels + rng.normal(size=300), 0.1 * labels + rng.normal(size=300)
    for test in (fastauc.inference.roc_auc_test, fastauc.inference.bootstrap_test):
        options = (
            {"rng": 64, "n_resamples": 500} if test is fastauc.inference.bootstrap_test else {}
        )
        greater = test(labels, good, poor, alternative="greater", **options)
        less = test(labels, good, poor, alternative="less", **options)
        assert greater.difference > 0.1
        assert greater.pvalue < 0.001
        assert less.pvalue > 0.999


def test_no_area_is_above_1():
    """confidenceinterval#15: 1.0000001; xgboost#7492, #10183: 1.0004; #6561, #4216: PR of 1.078."""
    rng = np.random.default_rng(15)
    for n_rows in (4, 1000):
        labels = np.arange(n_rows) % 2
        labels = np.sort(labels)
        for weights in (
            None,
            rng.random(n_rows).astype(np.float32),
            10 ** rng.uniform(-9, 9, n_rows),
        ):
            options = {"sample_weight": weights}
            assert fastauc.roc_auc_score(labels, np.arange(n_rows), **options) == 1
            assert fastauc.average_precision_score(labels, np.arange(n_rows), **options) == 1
            for interpolation in ("step", "linear"):
                options["interpolation"] = interpolation
                assert (
                    fastauc.metrics.pr_auc_score(labels, rng.random(n_rows) + 2 * labels, **options)
                    == 1
                )
        estimate = fastauc.inference.roc_auc_ci(labels, np.arange(n_rows), method="delong")
        assert estimate.statistic == estimate.confidence_interval.high == 1


@pytest.mark.parametrize("labels", [[1, 1, 1], [0, 0, 0]], ids=["positives", "negatives"])
def test_one_class_has_no_area(labels):
    """scikit-learn#30079 and burn#2466: 0.0, not an error; torchmetrics#1891: IndexError."""
    with pytest.warns(fastauc.UndefinedMetricWarning):
        assert math.isnan(fastauc.roc_auc_score(labels, [0.1, 0.4, 0.3], labels=[0, 1]))
    with pytest.warns(fastauc.UndefinedMetricWarning):
        fpr, tpr, _ = fastauc.roc_curve(labels, [0.1, 0.4, 0.3], pos_label=1)
    assert math.isnan((fpr if labels[0] else tpr)[-1])


def test_an_area_of_ties_only_has_a_test():
    """scipy#4017 and #2118, hypors#6: negative corrections for ties, and a division by 0."""
    for n_pos, n_neg in [(1, 1), (3, 2), (500, 700)]:
        labels = np.repeat([0, 1], [n_neg, n_pos])
        pairs = fastauc.concordance(labels, np.full(len(labels), 7.0))
        assert pairs == (0, n_pos * n_neg, n_pos, n_neg)
        test = fastauc.inference.roc_auc_test(
            labels, np.full(len(labels), 7.0), 0.5, method="permutation"
        )
        assert (test.difference, test.pvalue) == (0, 1)
    labels, scores = np.repeat([0, 1, 0, 1], [30, 5, 5, 30]), np.repeat([0, 1], 35)
    twice_u = 2 * fastauc.concordance(labels, scores).concordant + 30 * 5 * 2
    assert twice_u == 2 * 30 * 30 + 30 * 5 + 5 * 30
    test = fastauc.inference.roc_auc_test(labels, scores, 0.5, method="permutation-normal")
    assert 0 < test.pvalue < 1e-6


# Parts --------------------------------------------------------------------------------------------


def test_parts_are_not_averaged():
    """xgboost#1150, #716, #4645, #4798, #6428, #3959: the mean of the workers' areas."""
    rng = np.random.default_rng(1150)
    labels = (np.arange(600) % 100 < np.repeat([0, 5, 50, 95, 100, 30], 100)).astype(int)
    scores = np.round(labels * 0.3 + rng.random(600) + np.repeat([0, 1, 0, 2, 1, 0], 100), 2)
    whole = fastauc.roc_auc_score(labels, scores)
    total, histogram = (
        fastauc.streaming.RocAucAccumulator(),
        fastauc.streaming.ScoreHistogram(bins=512, range=(0, 4)),
    )
    for part in np.split(np.arange(600), 6):  # the first has negatives only, the fifth positives
        total.merge(fastauc.streaming.RocAucAccumulator().update(labels[part], scores[part]))
        histogram.merge(
            fastauc.streaming.ScoreHistogram(bins=512, range=(0, 4)).update(
                labels[part], scores[part]
            )
        )
    assert total.compute() == whole
    area = histogram.roc_auc()
    assert area.lower <= whole <= area.upper
    areas = [fastauc.roc_auc_score(labels[k : k + 100], scores[k : k + 100]) for k in (100, 200)]
    assert abs(whole - np.mean(areas)) > 0.01


def test_crowded_bins_are_certified():
    """h2o-3#3413, tensorflow#14834, river#84, pycaleva#2: 0.966 instead of 0.941."""
    rng = np.random.default_rng(3413)
    labels = rng.integers(0, 2, 4000)
    scores = 1e-3 * rng.random(4000) ** (1 + labels)
    whole = fastauc.roc_auc_score(labels, scores)
    histogram = fastauc.streaming.ScoreHistogram(bins=200, range=(0, 1)).update(labels, scores)
    area = histogram.roc_auc()
    assert not area.exact
    assert area.lower <= whole <= area.upper
    refined = fastauc.streaming.refine_roc_auc(histogram, lambda: [(labels, scores)])
    assert refined.exact
    assert refined.estimate == whole


def test_one_result_for_any_number_of_threads():
    """xgboost#7313: sums in the order in which threads end."""
    rng = np.random.default_rng(7313)
    labels, scores = rng.integers(0, 2, 60_000), rng.random(60_000).round(4)
    weights = 10 ** rng.uniform(-5, 5, 60_000)
    for options in ({}, {"sample_weight": weights}):
        areas = {fastauc.roc_auc_score(labels, scores, n_jobs=n, **options) for n in range(1, 9)}
        assert len(areas) == 1


# Curves -------------------------------------------------------------------------------------------


def test_dropped_points_keep_the_curve():
    """spark#24470: thinning keeps the first score of a chunk, and the area changes."""
    rng = np.random.default_rng(24470)
    labels = rng.integers(0, 2, 5000)
    scores = np.round(labels + rng.normal(size=5000), 1)
    whole = fastauc.roc_curve(labels, scores, drop_intermediate=False)
    thinned = fastauc.roc_curve(labels, scores)
    points = set(zip(*(column.tolist() for column in whole), strict=True))
    assert set(zip(*(column.tolist() for column in thinned), strict=True)) < points
    area = fastauc.roc_auc_score(labels, scores)
    for fpr, tpr, _ in whole, thinned:
        assert fastauc.auc(fpr, tpr) == pytest.approx(area, rel=1e-13)


def test_a_tie_at_the_top_has_its_own_precision():
    """spark#19038, scikit-learn#5073, #4223, #6265: a first point that no threshold gives."""
    labels, scores = [1, 0, 0, 0, 1, 0], [0.9, 0.9, 0.9, 0.9, 0.5, 0.1]
    precision, recall, thresholds = fastauc.precision_recall_curve(labels, scores)
    # The last point is scikit-learn's end of the curve; it belongs to no threshold.
    assert precision.tolist() == [2 / 6, 2 / 5, 1 / 4, 1]
    assert recall.tolist() == [1, 1, 1 / 2, 0]
    assert thresholds.tolist() == [0.1, 0.5, 0.9]
    assert fastauc.average_precision_score(labels, scores) == 1 / 2 * 1 / 4 + 1 / 2 * 2 / 5


def test_thresholds_are_scores_and_give_their_counts():
    """scikit-learn#26193, #26194, #9786, catboost#750, pROC#77.

    Thresholds of 1 + the highest score, twice the same, or between scores where no double is; and
    rates that fall by 1e-12.
    """
    rng = np.random.default_rng(26193)
    scores = 0.9 + np.arange(40) // 2 * 2.0**-53  # neighbors, each twice
    labels = np.arange(40) % 2
    weights = rng.random(40)
    for options in ({}, {"sample_weight": weights}):
        fpr, tpr, thresholds = fastauc.roc_curve(labels, scores, drop_intermediate=False, **options)
        assert thresholds[0] == math.inf
        assert set(thresholds[1:]) == set(scores)
        assert (np.diff(thresholds) < 0).all()
        assert (np.diff(fpr) >= 0).all()
        assert (np.diff(tpr) >= 0).all()
        assert (fpr[-1], tpr[-1]) == (1, 1)
    counts = fastauc.confusion_matrix_at_thresholds(labels, scores)
    for threshold, fp, tp in zip(counts.thresholds, counts.fps, counts.tps, strict=True):
        assert (fp, tp) == tuple(np.bincount(labels[scores >= threshold], minlength=2))


def test_every_class_has_its_area():
    """catboost#1264: the last class against the rest is always 0.5."""
    classes = np.array([0, 1, 2, 3] * 5)
    scores = np.full((20, 4), 0.1)
    scores[np.arange(20), classes] = 0.7
    areas = fastauc.roc_auc_score(classes, scores, multi_class="ovr", average=None)
    assert areas.tolist() == [1, 1, 1, 1]


def test_rows_of_weight_0_are_no_rows():
    """scikit-learn#14701 and #18328: weights that are lost, or of 0 that count."""
    labels, scores = np.array([0, 1, 0, 1, 1, 0]), np.array([1, 2, 3, 4, 5, 6])
    weights = np.array([1, 2, 0, 3, 0, 1])
    kept, copies = weights > 0, np.repeat(np.arange(6), weights)
    for name in ["roc_auc_score", "average_precision_score"]:
        function = PUBLIC[name]
        area = function(labels, scores, sample_weight=weights)
        assert area == function(labels[kept], scores[kept], sample_weight=weights[kept])
        assert area == function(labels[copies], scores[copies])
    for name in ["roc_curve", "precision_recall_curve", "det_curve"]:
        function = PUBLIC[name]
        columns = function(labels, scores, sample_weight=weights)
        dropped = function(labels[kept], scores[kept], sample_weight=weights[kept])
        for column, *others in zip(
            columns, dropped, function(labels[copies], scores[copies]), strict=True
        ):
            assert column.tolist() == others[0].tolist() == others[1].tolist()
    assert fastauc.roc_auc_score(labels, scores, sample_weight=weights) == 5 / 10


def test_classes_are_weighed_in_every_pair():
    """xgboost#7300: weights of one of two classes are lost in one-against-rest."""
    rng = np.random.default_rng(7300)
    classes, weights = np.arange(60) % 3, rng.integers(1, 4, 60)
    scores = rng.dirichlet([1, 1, 1], 60)
    options = {"multi_class": "ovr", "average": None}
    rows = np.repeat(np.arange(60), weights)
    repeated = fastauc.roc_auc_score(classes[rows], scores[rows], **options)
    weighted = fastauc.roc_auc_score(classes, scores, sample_weight=weights, **options)
    assert weighted.tolist() == repeated.tolist()


# Arguments ----------------------------------------------------------------------------------------


def test_negative_weights_are_refused():
    """scikit-learn 1.9.1, seen here: 0.0 of these rows, of others NaN or a strange error."""
    with pytest.raises(ValueError, match=r"Negative values[\s\S]*sample_weight\[3\]"):
        fastauc.roc_auc_score([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], sample_weight=[1, 1, 2, -1])


@pytest.mark.parametrize("dtype", [">f8", ">f4", ">i8", ">u2"])
def test_the_order_of_bytes_is_read(dtype):
    """bottleneck#104: 4.6e-40 of a big-endian array; silx#1146, cython#6160, pixell#233."""
    labels, scores = [0, 0, 1, 1], [1, 4, 3, 800]
    for order in ("<", ">"):
        array = np.array(scores, order + dtype[1:])
        assert fastauc.roc_auc_score(labels, array) == 3 / 4
        assert fastauc.roc_auc_score(np.array(labels, ">i4"), array, sample_weight=array) > 0


def test_read_only_and_mapped_arrays_are_read(tmp_path):
    """cython#1605, scikit-learn#25172 and #16331: buffer source array is read-only."""
    path = tmp_path / "scores.npy"
    np.save(path, np.array([0.1, 0.4, 0.35, 0.8]))
    mapped = np.load(path, mmap_mode="r")
    labels = np.array([0, 0, 1, 1])
    labels.flags.writeable = False
    assert fastauc.roc_auc_score(labels, mapped) == 3 / 4
    assert fastauc.roc_auc_score(labels, mapped, sample_weight=mapped) > 0
    assert fastauc.streaming.ScoreHistogram().update(labels, mapped).n_rows == 4


def test_fields_of_packed_structures_are_read():
    """numpy#16660 (a stride of 9 bytes), #26775, #21116, #25136, xsimd#1038: misaligned loads."""
    labels, scores, area = alternating(1000)
    for dtype in (np.float64, np.float32, np.int64, np.uint16):
        rows = np.zeros(1000, [("tag", "u1"), ("score", dtype)])
        rows["score"] = scores
        assert not rows["score"].flags.aligned
        for step in (1, -1):
            assert fastauc.roc_auc_score(labels[::step], rows["score"][::step]) == area
            counts = fastauc.confusion_matrix_at_thresholds(labels[::step], rows["score"][::step])
            assert counts.roc_auc() == area


@pytest.mark.parametrize("n_values", [1, 2, 50])
def test_ties_take_no_quadratic_time(n_values):
    """scikit-learn#33222, numpy#7863, dlang/phobos#1735: sorts quadratic in equal rows."""
    rng = np.random.default_rng(33222)
    labels, scores = rng.integers(0, 2, 300_000), rng.integers(0, n_values, 300_000) / 2
    begin = time.process_time()
    fastauc.roc_auc_score(labels, scores)
    fastauc.roc_auc_score(labels, scores, sample_weight=np.ones(300_000))
    fastauc.roc_curve(labels, scores)
    fastauc.average_precision_score(labels, scores)
    fastauc.inference.placements(labels, scores)
    # Comparing every row with its equals would take a minute; this takes a tenth of a second.
    assert time.process_time() - begin < 5
