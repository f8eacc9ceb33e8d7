"""Several classes and several labels at once: scikit-learn and the definition on random samples."""

import numpy as np
import pytest

import fastauc
import naive
from support.contract import answer_alike, call_ours, call_theirs, refuse, refuse_alike

AVERAGES = ["micro", "macro", "weighted", "samples", None]
OF_CLASSES = ["micro", "macro", "weighted", None]
STRATEGIES = [*(("ovr", average) for average in OF_CLASSES), ("ovo", "macro"), ("ovo", "weighted")]
NAMES = ["roc_auc_score", "average_precision_score"]

LABELS = [0, 1, 2, 2, 1, 0]
SCORES = np.array([[2, 1, 1], [1, 2, 1], [0, 1, 3], [2, 0, 2], [1, 1, 2], [4, 0, 0]]) / 4


def draw_classes(rng, n_rows, n_classes):
    """Return class numbers in which every class occurs."""
    classes = rng.integers(0, n_classes, n_rows)
    classes[:n_classes] = np.arange(n_classes)
    return rng.permutation(classes)


def draw_probabilities(rng, n_rows, n_classes):
    """Return rows that add up to exactly 1, with many ties."""
    return rng.multinomial(16, np.ones(n_classes) / n_classes, n_rows) / 16


def draw_names(rng, n_classes):
    """Return sorted labels of some kind, one for each class."""
    kinds = [
        np.arange(n_classes),
        np.arange(n_classes) * 3 - 4,
        np.arange(n_classes) + 2.0,
        np.array(["a", "bc", "d", "é", "z"])[:n_classes],
        np.array(["a", "bc", "d", "é", "z"], dtype=object)[:n_classes],
        np.arange(n_classes).astype("u1"),
    ]
    return kinds[rng.integers(len(kinds))]


def draw_weights(rng, n_rows):
    """Return weights of which every sum is exact; some rows weigh nothing."""
    weights = rng.integers(0, 5, n_rows) / 4
    weights[0] = 1
    return weights


def multiclass_samples(seed, n_samples):
    rng = np.random.default_rng([5, seed])
    for number in range(n_samples):
        n_classes = int(rng.integers(3, 6))
        n_rows = int(rng.integers(n_classes + 2, 30))
        names = draw_names(rng, n_classes)
        labels = names[draw_classes(rng, n_rows, n_classes)]
        weights = None if number % 2 else draw_weights(rng, n_rows)
        yield rng, names, labels, draw_probabilities(rng, n_rows, n_classes), weights


def answer_as_defined(name, args, options):
    """Assert scikit-learn's numbers and warnings, and the numbers of the definition."""
    answer_alike(name, args, options)
    exact = np.array(getattr(naive, name)(*args, **options), float)
    # A mean of up to ten numbers in [0, 1], each off by at most 4 ulp: 4 * 2^-53 for the numbers,
    # and 22 roundings of products, sums and quotient.
    found = call_ours(name, *args, **options).value
    np.testing.assert_allclose(found, exact, rtol=0, atol=32 * 2**-53)


# Multiclass ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(("multi_class", "average"), STRATEGIES)
def test_several_classes(multi_class, average):
    for rng, names, labels, scores, weights in multiclass_samples(1, 20):
        weights = weights if multi_class == "ovr" else None
        options = {"average": average, "multi_class": multi_class, "sample_weight": weights}
        answer_as_defined("roc_auc_score", (labels, scores), options)
        answer_as_defined("roc_auc_score", (labels, scores), options | {"labels": names})
        answer_alike("roc_auc_score", (list(labels), scores.tolist()), options)
        # Without the rows of one class, which the labels name all the same.
        kept = labels != names[rng.integers(len(names))]
        options |= {"labels": names, "sample_weight": None if weights is None else weights[kept]}
        if weights is None or weights[kept].any():
            answer_as_defined("roc_auc_score", (labels[kept], scores[kept]), options)


@pytest.mark.parametrize("average", AVERAGES)
def test_average_precision_of_classes(average):
    for rng, _, labels, scores, weights in multiclass_samples(3, 25):
        options = {"average": average, "sample_weight": weights}
        answer_as_defined("average_precision_score", (labels, scores), options)
        # The rows need not add up to 1.
        wild = rng.integers(-9, 9, scores.shape) / 4
        answer_alike("average_precision_score", (labels, wild), options)


def test_labels_and_scores_of_two_classes_need_no_labels():
    # Two labels and three columns: the labels say which column is whose.
    answer_alike("roc_auc_score", ([0, 1, 0], SCORES[:3]), {"multi_class": "ovr"})
    options = {"multi_class": "ovo", "labels": [0, 1, 2]}
    answer_alike("roc_auc_score", ([0, 1, 0, 1], SCORES[:4]), options)
    # Binary labels, one column: labels is ignored.
    answer_alike("roc_auc_score", ([0, 1, 0, 1], SCORES[:4, 0]), {"labels": [5, 4]})


@pytest.mark.parametrize("average", ["macro", "weighted"])
def test_one_class_only_leaves_no_pair(average):
    # scikit-learn gives NaN with NumPy's RuntimeWarnings, and a ZeroDivisionError if weighted.
    options = {"multi_class": "ovo", "average": average, "labels": [0, 1, 2]}
    ours = call_ours("roc_auc_score", [1] * 6, SCORES, **options)
    assert np.isnan(ours.value)
    assert [issubclass(kind, fastauc.UndefinedMetricWarning) for kind, _ in ours.warnings] == [True]


@pytest.mark.parametrize(
    "labels", [["0", "1", "2"], [0.0, 1.0, 2.0], np.arange(3, dtype="i1"), (0, 1, 2)]
)
def test_labels_of_another_type(labels):
    answer_alike("roc_auc_score", (LABELS, SCORES), {"multi_class": "ovr", "labels": labels})


# Multilabel ---------------------------------------------------------------------------------------


def multilabel_samples(seed, n_samples, *, both=True):
    """Yield (labels, scores, weights); ``both`` labels occur in every column and every row."""
    rng = np.random.default_rng([6, seed])
    for number in range(n_samples):
        shape = int(rng.integers(4, 20)), int(rng.integers(2, 5))
        labels = rng.integers(0, 2, shape)
        if both:
            labels[:2] = [[0] * shape[1], [1] * shape[1]]
            labels[:, :2] = np.where(labels[:, :1] == 1, [[1, 0]], [[0, 1]])
        scores = rng.integers(0, rng.choice([3, 100]), shape) / 8
        weights = None if number % 2 else draw_weights(rng, shape[0])
        if weights is not None and both:
            weights += 0.25
        yield labels, scores, weights


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("average", AVERAGES)
def test_multilabel(name, average):
    for labels, scores, weights in multilabel_samples(1, 10):
        options = {"average": average, "sample_weight": weights}
        answer_as_defined(name, (labels, scores), options)
        answer_alike(name, (labels.astype(bool), scores.astype("f4")), options)
        answer_alike(name, (np.asfortranarray(labels).astype(">f8"), scores.astype("g")), options)
        answer_alike(name, (2 * labels - 1, scores), options)
        if name == "roc_auc_score":
            for max_fpr in (0.05, 0.3, 0.99, 1.0):
                answer_as_defined(name, (labels, scores), options | {"max_fpr": max_fpr})
    for labels, scores, weights in multilabel_samples(2, 10, both=False):
        options = {"average": average, "sample_weight": weights}
        answer_as_defined(name, (labels, scores), options)
        answer_as_defined(name, (0 * labels, scores), options)


@pytest.mark.parametrize("dtype", ["i8", "u8", "f2", "O"])
def test_multilabel_scores_of_other_dtypes(dtype):
    for labels, scores, weights in multilabel_samples(5, 20):
        scores = (scores * 8).astype("i8")
        if dtype in ("i8", "u8"):
            scores += 2**60
        options = {"average": None, "sample_weight": weights}
        for name in NAMES:
            answer_alike(name, (labels, scores.astype(dtype)), options)


# Threads ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("setting", ["0", "-1", "2.0", "two", ""])
def test_the_number_of_threads_in_the_environment_is_positive(monkeypatch, setting):
    monkeypatch.setenv("FASTAUC_NUM_THREADS", setting)
    mentions = ["FASTAUC_NUM_THREADS", repr(setting)]
    refuse("roc_auc_score", (np.eye(2), np.eye(2)), {}, ValueError, "", mentions)


# Refused ------------------------------------------------------------------------------------------

UNEVEN = np.array(SCORES)
UNEVEN[3, 0] += 0.25
WITH_NAN = np.where(SCORES == 0.75, np.nan, SCORES)
OVR, OVO = {"multi_class": "ovr"}, {"multi_class": "ovo"}
# Labels, scores, options, the beginning of scikit-learn's sentence, and what we add to it.
NO_MATRIX = "`y_score` needs to be of shape `(n_samples, n_classes)`, since `y_true` contains mult"
REFUSED = {
    "no multi_class": (LABELS, SCORES, {}, "multi_class must be in ('ovo', 'ovr')", ["3"]),
    "one column": (LABELS, SCORES[:, 0], OVR, NO_MATRIX, []),
    "sums": (LABELS, UNEVEN, OVR, "Target scores need to be prob", ["y_score[3]", "1.25"]),
    "columns": ([0, 1, 2, 3, 3, 2], SCORES, OVR, "Number of classes in y_true not equal to", []),
    "binary": ([0, 1, 0, 1, 1, 0], SCORES, OVR, "Number of classes in y_true not equal to", []),
    "nan": (LABELS, WITH_NAN, OVR, "Input contains NaN.", ["y_score[2, 2]"]),
    "lengths": (LABELS, SCORES[:5], OVR, "Found input variables with inconsistent", ["[6, 5]"]),
}
ONE_OF = "average must be one of ('macro', 'weighted', None) for multiclass problems"
ONE_OF_ALL = "average must be one of ('micro', 'macro', 'weighted', None)"
NO_WEIGHTS = "sample_weight is not supported for multiclass one-vs-one"
OPTIONS_REFUSED = [
    (OVR, {"average": "samples"}, ONE_OF_ALL, []),
    (OVO, {"average": "samples"}, ONE_OF, []),
    (OVO, {"average": "micro"}, ONE_OF, []),
    (OVO, {"sample_weight": [1] * 6}, NO_WEIGHTS, []),
    (OVR, {"sample_weight": [1] * 5}, "Found input variables with inconsistent", ["[6, 6, 5]"]),
    (OVR, {"max_fpr": 0.5}, "Partial AUC computation not available in multiclass setting", []),
    (OVR, {"labels": [0, 1, 1]}, "Parameter 'labels' must be unique", []),
    (OVR, {"labels": [1, 0, 2]}, "Parameter 'labels' must be ordered", []),
    (OVR, {"labels": [0, 1]}, "Number of given labels, 2, not equal to the number of columns", []),
    (OVR, {"labels": [0, 1, 3]}, "'y_true' contains labels not in parameter 'labels'", ["2"]),
]
REFUSED |= {
    f"{first['multi_class']}, {second}": (LABELS, SCORES, first | second, *texts)
    for first, second, *texts in OPTIONS_REFUSED
}


@pytest.mark.parametrize("kind", REFUSED)
def test_refused_options_of_classes(kind):
    labels, scores, options, sentence, mentions = REFUSED[kind]
    refuse_alike("roc_auc_score", (labels, scores), options, ValueError, sentence, mentions)


def test_the_number_of_classes_is_that_of_the_labels():
    # One column of 6 scores is not 6 classes.
    column = LABELS, SCORES[:, 0]
    error = refuse("roc_auc_score", column, {}, ValueError, "multi_class must be", [])
    assert "6 classes" not in str(error)


def test_pairs_of_classes_have_an_average():
    error = call_ours("roc_auc_score", LABELS, SCORES, multi_class="ovo", average=None).error
    theirs = call_theirs("roc_auc_score", LABELS, SCORES, multi_class="ovo", average=None).error
    assert isinstance(error, NotImplementedError)
    assert str(error).startswith(str(theirs))


EYE = np.eye(3, dtype=int)
FIXED = "Parameter pos_label is fixed to 1 for {} y_true. Do not set pos_label or set pos_label to"
PRECISION_REFUSED = {
    "pos_label of classes": (LABELS, SCORES, {"pos_label": 2}, FIXED.format("multiclass")),
    "pos_label of a matrix": (
        EYE,
        SCORES[:3],
        {"pos_label": 0},
        FIXED.format("multilabel-indicator"),
    ),
    "one column": (LABELS, SCORES[:, 0], {}, NO_MATRIX),
    "columns": (LABELS, SCORES[:, :2], {}, NO_MATRIX),
}


@pytest.mark.parametrize("kind", PRECISION_REFUSED)
def test_refused_options_of_average_precision(kind):
    labels, scores, options, sentence = PRECISION_REFUSED[kind]
    refuse_alike("average_precision_score", (labels, scores), options, ValueError, sentence, [])
