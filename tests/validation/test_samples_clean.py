"""Clean samples are read, small ones counted in one step: as step by step, or not at all."""

import itertools
import math
from functools import partial

import numpy as np
import pytest

import fastauc
import naive
from fastauc._kernels.small_sample import compare_clean, weigh_clean
from fastauc._validation import rows, samples
from support.pairs import count_by_bisection
from support.public import flat

LABELS = ["?", "i8", "f8"]
SCORES = ["f4", "f8", "i8"]
SIZES = [2, 3, 4, 7, 8, 9, 63, 64, 65, 100, 256, 600, 1024]


def drawn(rng, n, label_dtype="i8", score_dtype="f8", n_values=50):
    labels = rng.integers(0, 2, n)
    labels[rng.permutation(n)[:2]] = 0, 1
    scores = rng.integers(-n_values, n_values, n)
    return labels.astype(label_dtype), scores.astype(score_dtype)


@pytest.fixture
def step_by_step(monkeypatch):
    """Return what calls a function without any step that takes clean samples alone."""

    def call(function, *args, **options):
        with monkeypatch.context() as patch:
            patch.setattr(rows.Rows, "in_one_step", lambda *_: None)
            for module in rows, samples:
                patch.setattr(module, "read_clean_sample", lambda *_: None)
            return function(*args, **options)

    return call


def compared(labels, scores):
    """Return ``not_above, tied, n_pos, n_neg`` of few clean rows; None for any others."""
    return in_one_step(compare_clean, labels, scores)


def weighed(labels, scores, weight):
    """Return the sums of few clean rows with weights; None for any others."""
    return in_one_step(weigh_clean, labels, scores, weight)


def in_one_step(kernel, *columns):
    try:
        given = rows.Rows("test", *columns)
    except (TypeError, ValueError):
        return None  # not even arrays
    return given.in_one_step(kernel)


def identical(function, *args, **options):
    """Return the bits of what a call returns, or the kind and the words of its error."""
    try:
        return flat(function(*args, **options))
    except Exception as error:
        return type(error), str(error)


@pytest.mark.parametrize("label_dtype", LABELS)
@pytest.mark.parametrize("score_dtype", SCORES)
def test_one_step_counts_what_the_definition_does(label_dtype, score_dtype):
    rng = np.random.default_rng(1)
    for n, n_values in itertools.product(SIZES, [1, 5, 10**6]):
        labels, scores = drawn(rng, n, label_dtype, score_dtype, n_values)
        not_above, tied = count_by_bisection(labels, scores)
        n_pos = int(labels.sum())
        counts = compared(labels, scores)
        assert counts == (not_above, tied, n_pos, n - n_pos)
        assert {type(count) for count in counts} == {int}
        assert fastauc.concordance(labels, scores) == (not_above - tied, tied, n_pos, n - n_pos)


@pytest.mark.parametrize("n_values", [1, 3, 10**6])
def test_few_rows_of_each_class_are_weighed(n_values):
    # Around the four rows that are weighed at a time; the greatest sums that quanta can have.
    rng = np.random.default_rng(3)
    for n_neg, n_pos in itertools.product([*range(1, 10), 126, 127, 128], repeat=2):
        if n_neg * n_pos > 1200:
            continue
        labels = rng.permutation(np.repeat([0, 1], [n_neg, n_pos]))
        scores = rng.integers(0, n_values, len(labels)) / n_values
        weights = 2.0**56 - 8 * rng.integers(1, 5, len(labels))
        weights[rng.random(len(labels)) < 0.2] = 1.0
        weights[np.unique(labels, return_index=True)[1]] = 2.0**56 - 8
        sums = weighed(labels, scores, weights)
        integers = [int(weight) for weight in weights]
        rows = list(zip(labels.tolist(), scores.tolist(), integers, strict=True))
        twice = sum(
            w * v * ((s > t) + (s >= t)) for y, s, w in rows if y for z, t, v in rows if not z
        )
        totals = (sum(w for y, _, w in rows if y == label) for label in (0, 1))
        assert sums == (twice, *totals, 0, 0)


def test_scores_too_close_for_one_step(step_by_step):
    # Equal in their leading bits: the step compares the scores of a few such pairs.
    labels, scores = np.array([0, 1, 0, 1]), np.array([1.0, 1 + 2.0**-52, -1e300, 1e300])
    assert compared(labels, scores) == (4, 0, 2, 2)
    scores[1] = 1
    assert compared(labels, scores) == (4, 1, 2, 2)
    # One pair is tied and one is not, with the same offset.
    labels, scores = np.append(labels, 1), np.append(scores, 1 + 2.0**-52)
    assert compared(labels, scores) == (6, 1, 3, 2)
    # Of many different ones it cannot tell, and leaves them.
    many = np.append(scores, 1 + 2.0**-52 * np.arange(100))
    labels_of_many = np.append(labels, np.arange(100) % 2)
    assert compared(labels_of_many, many) is None
    assert fastauc.concordance(labels_of_many, many) == naive.concordance(labels_of_many, many)
    weights = np.arange(1.0, 6)
    assert weighed(labels, scores, weights) is None
    expected = float(naive.roc_auc_score(labels, scores, sample_weight=weights))
    assert fastauc.roc_auc_score(labels, scores, sample_weight=weights) == expected
    scores[:2] = scores[4]
    assert weighed(labels, scores, weights) is not None
    expected = float(naive.roc_auc_score(labels, scores, sample_weight=weights))
    assert fastauc.roc_auc_score(labels, scores, sample_weight=weights) == expected


def unaligned(array):
    raw = np.zeros(array.nbytes + 1, np.uint8)
    view = raw[1:].view(array.dtype)
    view[:] = array
    return view


Y, S = np.arange(20) % 2, np.linspace(0, 1, 20) ** 2 % 0.37


def changed(array, position, value):
    array = array.copy()
    array[position] = value
    return array


CONVERTED = {
    "swapped labels": (Y.astype(">i8"), S),
    "swapped scores": (Y, S.astype(">f8")),
    "unaligned labels": (unaligned(Y), S),
    "unaligned scores": (Y, unaligned(S)),
    "labels of 32 bits": (Y.astype("i4"), S),
    "half precision": (Y, S.astype("f2")),
    "labels of 8 bits": (Y.astype("u1"), S),
    "integers of 32 bits": (Y, (100 * S).astype("u4")),
    "truth values": (Y, S > 0.1),
    "gaps between labels": (np.repeat(Y, 2)[::2], S),
    "gaps between scores": (Y, np.repeat(S, 2)[::2]),
    "from the end": (Y, S[::-1]),
    "a subclass": (Y.view(np.recarray), S),
    "minus zero as a label": (-0.0 * (1 - Y) + Y, S),
    "long labels": (Y.astype(np.longlong), S),
    "read-only": (np.broadcast_to(Y, 20), np.broadcast_to(S, 20)),
    "lists": (Y.tolist(), S.tolist()),
}
# What is refused of other shapes, lengths and types is in test_samples.py and test_labels.py.
UNCLEAN = {
    "1,025 rows": (np.arange(1025) % 2, np.arange(1025.0)),
    "a column of labels": (Y[:, None], S),
    "a column of scores": (Y, S[:, None]),
    "masked": (np.ma.masked_array(Y, Y == 0), S),
    "one class, 0": (0 * Y, S),
    "one class, 1": (0 * Y + 1, S),
    "one row": (Y[:1], S[:1]),
    "labels 1 and 2": (Y + 1, S),
    "labels -1 and 1": (2 * Y - 1, S),
    "three labels": (changed(Y, 7, 2), S),
    "first label NaN": (changed(Y.astype(float), 0, math.nan), S),
    "bytes that are True": ((2 * Y).astype(np.uint8).view(np.bool_), S),
    "long doubles": (Y, S.astype(np.longdouble)),
    "objects": (Y, S.astype(object)),
    **{
        f"score {value} at {position}": (Y, changed(S, position, value))
        for value in (math.nan, math.inf, -math.inf)
        for position in (0, 7, 19)
    },
    **{f"half {value}": (Y, changed(S, 7, value).astype("f2")) for value in (math.nan, math.inf)},
    # Kernels are chosen by the one dtype that NumPy has for all arrays.
    "a dtype that is only equal": (Y, S.astype(np.dtype("f4", metadata={"unit": "1"}))),
}


# Clean samples in all functions -----------------------------------------------------------------

FUNCTIONS = [
    fastauc.roc_auc_score,
    partial(fastauc.roc_auc_score, max_fpr=0.5),
    fastauc.gini_score,
    fastauc.average_precision_score,
    fastauc.ks_score,
    fastauc.roc_curve,
    fastauc.precision_recall_curve,
    fastauc.det_curve,
    fastauc.confusion_matrix_at_thresholds,
]
WEIGHTS = np.random.default_rng(7).lognormal(0, 1, 20)
UNCLEAN_WEIGHTS = {
    "a list": WEIGHTS.tolist(),
    "single": WEIGHTS.astype("f4"),
    "unaligned": unaligned(WEIGHTS),
    "gaps": np.repeat(WEIGHTS, 2)[::2],
    "a class of 0": Y * WEIGHTS,
    **{
        f"{value} at {position}": changed(WEIGHTS, position, value)
        for value in (0.0, -0.0, -1.0, -math.inf, math.nan, math.inf)
        for position in (0, 7, 19)
    },
}


def assert_as_step_by_step(step_by_step, functions, *args, **options):
    for function in functions:
        expected = step_by_step(identical, function, *args, **options)
        assert identical(function, *args, **options) == expected


@pytest.mark.parametrize("label_dtype", LABELS)
@pytest.mark.parametrize("score_dtype", SCORES)
def test_clean_samples_give_what_they_give_step_by_step(step_by_step, label_dtype, score_dtype):
    rng = np.random.default_rng(3)
    for n, n_values in itertools.product([2, 3, 50, 1024, 1025], [1, 40]):
        labels, scores = drawn(rng, n, label_dtype, score_dtype, n_values)
        for weight in None, rng.lognormal(0, 1, n), rng.lognormal(0, 99, n), np.full(n, 0.1):
            sample = labels, scores
            assert_as_step_by_step(step_by_step, FUNCTIONS, *sample, sample_weight=weight)


@pytest.mark.filterwarnings("ignore::fastauc.UndefinedMetricWarning")
@pytest.mark.filterwarnings("ignore:No positive class found")
@pytest.mark.parametrize("name", [*UNCLEAN, *UNCLEAN_WEIGHTS])
def test_unclean_samples_are_read_step_by_step(step_by_step, name):
    sample, weight = UNCLEAN.get(name, (Y, S)), UNCLEAN_WEIGHTS.get(name)
    if name in UNCLEAN and name != "a dtype that is only equal":
        assert compared(*sample) is None
        assert weighed(*sample, np.ones(20)) is None
    if name in UNCLEAN_WEIGHTS:
        assert weighed(*sample, weight) is None
    if name != "1,025 rows":
        assert samples.read_clean_sample(*sample, weight) is None
    assert_as_step_by_step(step_by_step, FUNCTIONS, *sample, sample_weight=weight)
    if weight is None:
        assert_as_step_by_step(step_by_step, [fastauc.concordance], *sample)


def test_clean_samples_are_read_in_one_step():
    for labels, scores in [(Y, S), (Y.astype(bool), S.astype("f4")), (Y * 1.0, np.arange(20))]:
        sample = samples.read_clean_sample(labels, scores, WEIGHTS)
        assert sample.score is scores
        assert sample.weight is WEIGHTS
        assert sample.label.tolist() == Y.tolist()
        assert (sample.n_pos, sample.n_neg, sample.n_labels) == (10, 10, 2)
        is_read = scores.dtype != int
        assert sample.score_range == ((scores.min(), scores.max()) if is_read else None)
        assert sample.weight_range == samples.read_weight(WEIGHTS, sample.label)[1]
        assert weighed(labels, scores, WEIGHTS) is not None


@pytest.mark.parametrize("pos_label", [None, 1, True, 1.0, 0, 2, "1", -1], ids=repr)
def test_clean_samples_of_any_positive_label(step_by_step, pos_label):
    assert_as_step_by_step(step_by_step, FUNCTIONS[3:], Y, S, pos_label=pos_label)


@pytest.mark.parametrize("name", CONVERTED)
def test_few_rows_of_other_dtypes_or_with_gaps_take_the_one_step(step_by_step, name):
    labels, scores = CONVERTED[name]
    assert compared(labels, scores) is not None
    assert weighed(labels, scores, 1 + 9 * S) is not None
    assert_as_step_by_step(step_by_step, FUNCTIONS, labels, scores)
    many = np.tile(labels, 52), np.tile(scores, 52)
    assert compared(*many) is None
    assert_as_step_by_step(step_by_step, [fastauc.concordance], *many)
