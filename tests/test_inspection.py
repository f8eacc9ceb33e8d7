"""The passes over the input against their definitions, in one block of rows and in several."""

import math

import numpy as np
import pytest

from fastauc import _inspection, _labels, _parallel, _validation

# Around the sizes of the words, the lanes and the blocks that the loops work in.
SIZES = [1, 2, 3, 7, 8, 9, 17, 2039, 2040, 2041, 2048, 4080, 4093]
PAIRS = {
    "i1": [(0, 1), (-128, 127), (-1, 1), (-128, 0), (3, 6)],
    "u1": [(0, 1), (1, 2), (0, 128), (0, 255), (3, 6)],
    "i4": [(0, 1), (-1, 1), (-(2**31), 2**31 - 1), (-(2**31), 0), (3, 6)],
    "i8": [(0, 1), (-1, 1), (-(2**63), 2**63 - 1), (-(2**63), 0), (0, 2**40), (3, 6)],
    "f4": [(0, 1), (-1, 1), (-math.inf, 0), (1, math.inf), (0, 2), (0, 1e-45)],
    "f8": [(0, 1), (-1, 1), (-math.inf, 0), (1, math.inf), (0, 2), (0, 5e-324)],
}
CASES = [(dtype, *pair) for dtype, pairs in PAIRS.items() for pair in pairs]


def encode(labels):
    codes = np.full(len(labels), 9, np.uint8)
    return codes, *_inspection.encode_labels(labels, codes)


def drawn_labels(dtype, low, high, n, seed=0):
    choice = np.random.default_rng(seed).integers(0, 2, n)
    return np.array([low, high], dtype)[choice]


@pytest.mark.parametrize(("dtype", "low", "high"), CASES)
@pytest.mark.parametrize("n", SIZES)
def test_codes_of_two_labels(dtype, low, high, n):
    labels = drawn_labels(dtype, low, high, n)
    codes, found_low, found_high, n_high, third = encode(labels)
    assert (found_low, found_high, third) == (labels.min(), labels.max(), -1)
    np.testing.assert_array_equal(codes, labels == labels.max())
    assert n_high == codes.sum()


@pytest.mark.parametrize(("dtype", "low", "high"), CASES)
def test_codes_of_a_single_label(dtype, low, high):
    for n in SIZES:
        codes, found_low, found_high, n_high, third = encode(np.full(n, low, dtype))
        assert found_low == found_high == np.array(low, dtype)
        assert (n_high, third) == (n, -1)
        assert codes.tolist() == n * [1]


@pytest.mark.parametrize(("dtype", "low", "high"), CASES)
@pytest.mark.parametrize("position", [2, 5, 2039, 2040, 4000, 4092])
def test_first_of_other_labels(dtype, low, high, position):
    labels = drawn_labels(dtype, low, high, 4093)
    labels[:2] = low, high
    others = [2, 5, 127] if np.dtype(dtype).kind in "iu" else [math.nan, 0.5, math.inf, 3e-39]
    for other in np.array(others, dtype):
        if other not in np.array([low, high], dtype):
            labels[position:] = other
            assert encode(labels)[-1] == position


@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_what_is_nearly_zero_or_one_is_another_label(dtype):
    one, zero = np.ones(1, dtype)[0], np.zeros(1, dtype)[0]
    tiny = np.finfo(dtype)
    near = [np.nextafter(one, zero), np.nextafter(one, 2 * one), np.nextafter(zero, one)]
    near += [tiny.smallest_normal, -tiny.smallest_subnormal, -one, tiny.max, math.inf, -math.inf]
    for value in near:
        labels = np.array([0, 1, 1, 0, value, 1], dtype)
        assert encode(labels)[-1] == 4


@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_minus_zero_is_zero_among_labels(dtype):
    codes, *_, n_high, third = encode(np.array([1, -0.0, 0.0, 1, -0.0], dtype))
    assert codes.tolist() == [1, 0, 0, 1, 0]
    assert (n_high, third) == (2, -1)


def test_nan_is_a_third_label_even_alone():
    for labels in ([math.nan], [math.nan, math.nan], [math.nan, 1.0]):
        assert encode(np.array(labels))[-1] == 0
    assert encode(np.array([0.0, math.nan, 1.0]))[-1] == 1


@pytest.mark.parametrize("labels", [[0, 2, 1, 2], [2, 2, 2], [1, 2, 1], [0, 2, 0]], ids=str)
def test_every_byte_but_zero_is_true(labels):
    target = _labels.read_target(np.array(labels, np.uint8).view(np.bool_))
    truth = [label != 0 for label in labels]
    assert target.kind == "binary"
    assert target.classes == tuple(sorted(set(truth)))
    assert target.codes.tolist() == truth


@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("n", SIZES)
def test_first_nonfinite(dtype, n):
    largest = np.finfo(dtype).max
    assert _inspection.first_nonfinite(np.zeros(0, dtype)) == -1
    for filling in (1.5, largest, -largest):  # the sums of the latter overflow
        values = np.full(n, filling, dtype)
        assert _inspection.first_nonfinite(values) == -1
        for position in {0, n // 2, n - 1}:
            for odd in (math.nan, math.inf, -math.inf):
                wrong = values.copy()
                wrong[position:] = odd
                assert _inspection.first_nonfinite(wrong) == position


def extremes(label, weight):
    ends = []
    for c in (0, 1):
        of_class = weight[label == c]
        ends += [of_class.min(initial=math.inf), of_class.max(initial=0)]
    return tuple(ends)


@pytest.mark.parametrize("n", [0, *SIZES])
def test_weight_extremes(n):
    rng = np.random.default_rng(n)
    for label in (rng.integers(0, 2, n, np.uint8), np.ones(n, np.uint8), np.zeros(n, np.uint8)):
        weight = rng.lognormal(0, 100, n)
        total, *ends = _inspection.weight_extremes(label, weight)
        assert total == pytest.approx(weight.sum(), rel=1e-12)
        assert tuple(ends) == extremes(label, weight)
    if n:
        weight[n // 2] = math.nan
        assert math.isnan(_inspection.weight_extremes(label, weight)[0])


# What is read from arguments ----------------------------------------------------------------------


@pytest.fixture(params=["one block", "several blocks"])
def n_jobs(request, monkeypatch):
    """Let a thread read 10 rows where there are several blocks."""
    if request.param == "one block":
        return 1
    for module in (_labels, _parallel, _validation):
        monkeypatch.setattr(module, "ROWS_READ_PER_THREAD", 10)
    return 3


def read(labels, scores, weight, n_jobs):
    return _validation.read_binary_sample(labels, scores, weight, 1, "roc_curve", n_jobs)


def test_blocks_are_those_of_the_threads(n_jobs):
    blocks = _parallel.row_blocks(35, n_jobs)
    assert len(blocks) == n_jobs
    rows = np.arange(35)
    np.testing.assert_array_equal(np.concatenate([rows[block] for block in blocks]), rows)


@pytest.mark.parametrize("order", ["drawn", "increasing", "decreasing", "zeros", "ones"])
@pytest.mark.parametrize("dtype", ["?", "i1", "i8", "f8", "u8", ">i4"])
def test_labels_in_blocks(n_jobs, order, dtype):
    drawn = np.random.default_rng(1).integers(0, 2, 35)
    labels = {
        "drawn": drawn,
        "increasing": np.sort(drawn),
        "decreasing": np.sort(drawn)[::-1],
        "zeros": 0 * drawn,
        "ones": 0 * drawn + 1,
    }[order]
    sample = read(labels.astype(dtype), np.arange(35.0), None, n_jobs)
    np.testing.assert_array_equal(sample.label, labels)
    assert (sample.n_pos, sample.n_neg) == (labels.sum(), (1 - labels).sum())
    assert sample.n_labels == len(set(labels.tolist()))
    assert sample.weight_range is None


@pytest.mark.parametrize("position", [2, 12, 23, 34])
@pytest.mark.parametrize(
    ("argument", "odd"),
    [
        ("y_true", 0.5),
        ("y_true", math.nan),
        ("y_score", math.inf),
        ("sample_weight", math.nan),
        ("sample_weight", -1.0),
    ],
)
def test_first_position_in_blocks(n_jobs, position, argument, odd):
    arguments = {
        "y_true": np.arange(35) % 2.0,
        "y_score": np.arange(35.0),
        "sample_weight": np.arange(1, 36.0),
    }
    arguments[argument][position:] = odd
    with pytest.raises(ValueError, match=rf"{argument}\[{position}\] is {odd}"):
        read(*arguments.values(), n_jobs)


def test_weight_range_is_that_of_the_rows_that_count(n_jobs):
    rng = np.random.default_rng(2)
    labels, scores = rng.integers(0, 2, 35), rng.random(35)
    for weight in (
        rng.random(35) + 0.1,
        rng.integers(0, 4, 35),
        np.where(labels == 1, 5.0, 0.0),
        np.where(labels == 1, 5.0, 0.25),
    ):
        sample = read(labels, scores, weight, n_jobs)
        assert len(sample.weight) == np.count_nonzero(weight)
        assert sample.weight_range == extremes(sample.label, sample.weight)


def test_weights_that_overflow_in_blocks(n_jobs):
    labels, weight = np.arange(35) % 2, np.full(35, 1e307)
    with pytest.raises(ValueError, match="adds up to infinity"):
        read(labels, np.arange(35.0), weight, n_jobs)
