"""Wrong numbers that other libraries have given: each by what set it off, with its issue.

The sizes and values are those of the reports, or the smallest that still show the defect. Of small
samples the definition says the answer; of others it is worked out here.

More defects are held by the tests of the promise that they break:

- ``package/test_limits.py``: sums in float16 and float32 (scikit-learn#6842, #34975,
  cmu-thesis#7), areas above 1 (confidenceinterval#15, xgboost#7492, #10183, #6561 and #4216).
- ``streaming/test_histogram_parts.py``: counters of 32 bits (brian2#1136, pyndl#161,
  scikit-image#336, cython#1401), areas of parts that are averaged (xgboost#1150, #716, #4645,
  #4798, #6428 and #3959), a sigmoid for some batches (torchmetrics#1989, anomalib#2003).
- ``streaming/test_histogram.py``: crowded bins without bounds (h2o-3#3413, tensorflow#14834,
  river#84, pycaleva#2).
- ``reliability/test_determinism.py``: sums in the order in which threads end (xgboost#7313).
- ``package/test_promises.py``: one class (scikit-learn#30079, burn#2466, torchmetrics#1891).
- ``inference``: turned scores and one-sided p-values (pROC#25, #35 and #64), ties alone
  (scipy#4017 and #2118, hypors#6).
"""

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


def test_squares_of_counts_do_not_overflow():
    """riskRegression#13 and ROCR#4; xrobin/pROC#19: an area of 15.97 and the interval "1-1"."""
    labels, scores, area = alternating(200_000)
    half = 100_000
    estimate = fastauc.inference.roc_auc_ci(labels, scores)
    assert estimate.statistic == area
    # The shares 1 / half, 2 / half ... 1 of the rows of each class: of h numbers 1 ... h, the
    # variance is h (h + 1) / 12.
    error = math.sqrt((half + 1) / (6 * half**2))
    assert estimate.standard_error == pytest.approx(error, rel=1e-12)
    assert 0.49 < estimate.confidence_interval.low < area < estimate.confidence_interval.high < 0.51
    matrix = fastauc.confusion_matrix_at_thresholds(labels, scores).at(half)
    assert (matrix.tp, matrix.fp, matrix.fn, matrix.tn) == (half // 2,) * 4
    assert matrix.positive_likelihood_ratio == matrix.negative_likelihood_ratio == 1


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


# Small samples ------------------------------------------------------------------------------------


def packed(values):
    """Return a field of a structure whose numbers lie at odd addresses, in reverse."""
    rows = np.zeros(len(values), [("tag", "u1"), ("score", np.float64)])
    rows["score"] = values
    return rows["score"][::-1]


FEW = [0, 1, 1, 0, 1, 0], [0.2, 0.2, 0.2, 0.7, 0.7, 0.1]
ZEROS = {"sample_weight": [1, 2, 0, 3, 0, 1]}
LOGITS = [98.0950, 98.4612, 98.1145, 98.1506, 97.6037, 98.9425, 99.2644, 99.5014]
CLASSES = [0, 1, 2, 3] * 2, (np.eye(4)[[0, 1, 2, 3] * 2] * 0.6 + 0.1).tolist()
NEIGHBORS = [0, 1] * 10, (0.9 + np.arange(20) // 2 * 2.0**-53).tolist()
EVERY_POINT = {"drop_intermediate": False}
# Of each defect a function, labels, scores and options.
SAMPLES = {
    "exploratory_func#1588, MatlabAUC#1, ModelMetrics#10, ftrl_proximal_lr#11, tnt#54: ties": (
        *("roc_auc_score", *FEW, {}),
    ),
    "scikit-learn#6711: ties in average precision": ("average_precision_score", *FEW, {}),
    "scikit-learn#3864, #6688, #4864, MLJBase#319: scores closer than 1e-6 taken for equal": (
        *("roc_auc_score", [0, 0, 1, 1], [1e-12, 2e-12, 3e-12, 4e-12], {}),
    ),
    "torchmetrics#2819: logits near 98, which a sigmoid makes 1": (
        *("roc_auc_score", [0] + [1] * 7, LOGITS, {}),
    ),
    "spark#19038, scikit-learn#5073, #4223, #6265: a first point that no threshold gives": (
        *("precision_recall_curve", [1, 0, 0, 0, 1, 0], [0.9, 0.9, 0.9, 0.9, 0.5, 0.1], {}),
    ),
    "spark#24470: thinning keeps the first score of a chunk": ("roc_curve", *FEW, {}),
    "scikit-learn#26193, #26194, #9786, catboost#750, pROC#77: thresholds that are no scores": (
        *("roc_curve", *NEIGHBORS, EVERY_POINT),
    ),
    "catboost#1264: the last class against the rest is always 0.5": (
        *("roc_auc_score", *CLASSES, {"multi_class": "ovr", "average": None}),
    ),
    "xgboost#7300: weights of one of two classes are lost": (
        *("roc_auc_score", *CLASSES),
        {"multi_class": "ovr", "average": None, "sample_weight": [1, 3, 2, 1, 1, 1, 2, 3]},
    ),
    "scikit-learn#14701: a weight of 0 counts": ("roc_auc_score", *FEW, ZEROS),
    "scikit-learn#18328: a weight of 0 counts in curves": ("precision_recall_curve", *FEW, ZEROS),
    "bottleneck#104, silx#1146, cython#6160, pixell#233: 4.6e-40 of a big-endian array": (
        *("roc_auc_score", [0, 0, 1, 1], np.array([1, 4, 3, 800], ">f8"), {}),
    ),
    "numpy#16660, #26775, #21116, #25136, xsimd#1038: misaligned loads": (
        *("roc_auc_score", [0, 0, 1, 1], packed([1, 4, 3, 800]), {}),
    ),
}


def as_floats(answer):
    if isinstance(answer, tuple | list | np.ndarray):
        return [as_floats(each) for each in answer]
    return float(answer)


@pytest.mark.parametrize(("name", "labels", "scores", "options"), SAMPLES.values(), ids=SAMPLES)
def test_small_samples_have_the_answer_of_the_definition(name, labels, scores, options):
    expected = getattr(naive, name)(labels, scores, **options)
    assert as_floats(PUBLIC[name](labels, scores, **options)) == as_floats(expected)


def test_intervals_count_ties_one_half():
    """ledell/cvAUC#6: the interval ignores that ties count one half."""
    labels, scores = [0, 0, 1, 1, 0, 1, 1], [1, 2, 2, 2, 3, 3, 1]
    estimate = fastauc.inference.roc_auc_ci(labels, scores)
    expected = naive.roc_auc_ci(labels, scores)
    assert estimate[:2] == pytest.approx(expected[:2], rel=1e-13)


# Arguments ----------------------------------------------------------------------------------------

NAN = [0.1, math.nan, math.nan, 0.8]
REFUSED = {
    "scikit-learn#5735, ClickHouse#104763: the area follows the order of rows with NaN": (
        *("roc_auc_score", NAN, {}, r"NaN[\s\S]*y_score\[1\]"),
    ),
    "translations of DeLong: NaN is not equal to itself, and the loop over ties never ends": (
        *("placements", NAN, {}, "NaN"),
    ),
    "scikit-learn 1.9.1, seen here: 0.0 of these rows": (
        *("roc_auc_score", [0.1, 0.4, 0.35, 0.8], {"sample_weight": [1, 1, 2, -1]}),
        r"Negative values[\s\S]*sample_weight\[3\]",
    ),
}


@pytest.mark.parametrize(("name", "scores", "options", "told"), REFUSED.values(), ids=REFUSED)
def test_what_has_no_answer_is_refused(name, scores, options, told):
    with pytest.raises(ValueError, match=told):
        PUBLIC[name]([0, 0, 1, 1], scores, **options)


def test_read_only_and_mapped_arrays_are_read(tmp_path):
    """cython#1605, scikit-learn#25172 and #16331: buffer source array is read-only."""
    path = tmp_path / "scores.npy"
    np.save(path, np.array([0.1, 0.4, 0.35, 0.8]))
    mapped = np.load(path, mmap_mode="r")
    assert fastauc.roc_auc_score([0, 0, 1, 1], mapped) == 3 / 4
    assert fastauc.streaming.ScoreHistogram().update([0, 0, 1, 1], mapped).n_rows == 4
