"""The passes over the input against their definitions, in one block of rows and in several."""

import itertools
import math

import numpy as np
import pytest

from fastauc._kernels import inputs as _inputs
from fastauc._validation import labels as _labels, samples, threads
from fastauc._validation.rows import Rows

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


def encode(labels):
    codes = np.full(len(labels), 9, np.uint8)
    return codes, *_inputs.encode_labels(labels, codes)


def drawn_labels(dtype, low, high, n, seed=0):
    choice = np.random.default_rng(seed).integers(0, 2, n)
    return np.array([low, high], dtype)[choice]


@pytest.mark.parametrize("dtype", PAIRS)
def test_codes_of_labels(dtype):
    others = [2, 5, 127] if dtype[0] in "iu" else [math.nan, 0.5, math.inf, 3e-39]
    for (low, high), n in itertools.product(PAIRS[dtype], SIZES):
        labels = drawn_labels(dtype, low, high, n)
        codes, found_low, found_high, n_high, third = encode(labels)
        assert (found_low, found_high, third) == (labels.min(), labels.max(), -1)
        np.testing.assert_array_equal(codes, labels == labels.max())
        assert n_high == codes.sum()
        # A single label is the higher one.
        codes, found_low, found_high, n_high, third = encode(np.full(n, low, dtype))
        assert found_low == found_high == np.array(low, dtype)
        assert (codes.tolist(), n_high, third) == (n * [1], n, -1)
        # The first of other labels is named.
        if n > 2:
            labels[:2] = low, high
        for position in {2, 5, n // 2, n - 1} & {*range(2, n)}:
            for other in np.setdiff1d(np.array(others, dtype), [labels[0], labels[1]]):
                wrong = labels.copy()
                wrong[position:] = other
                assert encode(wrong)[-1] == position


@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_what_is_nearly_zero_or_one_is_another_label(dtype):
    zero, one, two = np.arange(3, dtype=dtype)
    tiny = np.finfo(dtype)
    near = [np.nextafter(one, zero), np.nextafter(one, two), np.nextafter(zero, one)]
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


def extremes(label, weight):
    ends = []
    for c in (0, 1):
        of_class = weight[label == c]
        ends += [of_class.min(initial=math.inf), of_class.max(initial=0)]
    return tuple(ends)


# Most blocks of weights are left without a look at their labels, if they can be.
WEIGHTS_OF_BLOCKS = {
    "of all magnitudes": lambda rng, label: rng.lognormal(0, 100, len(label)),
    "drawn": lambda rng, label: rng.uniform(0.5, 2, len(label)),
    "by class": lambda rng, label: np.where(label == 1, 3.0, 0.25),
    "far apart": lambda rng, label: rng.uniform(0.5, 2, len(label)) + 10 * label,
    "rising": lambda rng, label: np.sort(rng.uniform(0.5, 2, len(label))),
    "falling": lambda rng, label: np.sort(rng.uniform(0.5, 2, len(label)))[::-1].copy(),
    "one value": lambda rng, label: np.ones(len(label)),
}


@pytest.mark.parametrize("draw", WEIGHTS_OF_BLOCKS.values(), ids=WEIGHTS_OF_BLOCKS)
def test_weight_extremes(draw):
    rng = np.random.default_rng(7)
    sizes = [0, *SIZES, 512 * 40, 512 * 40 + 5]
    for n, share in itertools.product(sizes, (0.5, 0.001, 0, 1)):
        label = (rng.random(n) < share).astype(np.uint8)
        weight = draw(rng, label)
        for row in (-1, *rng.integers(n // 2, n, 9)) if n else ():
            total, *ends = _inputs.weight_extremes(label, weight)
            assert total == pytest.approx(weight.sum(), rel=1e-12)
            assert tuple(ends) == extremes(label, weight)
            # One more extreme of a class, lower or higher than all others of it or of both.
            c = label[row]
            weight[row] = rng.choice([0.99 * ends[2 * c], 1.01 * ends[2 * c + 1], 0, -1, 99])
        weight[n // 2 :] = math.nan
        total, *ends = _inputs.weight_extremes(label, weight)
        assert math.isnan(total) if n else (total, *ends) == (0, *extremes(label, weight))


# What is read from arguments ----------------------------------------------------------------------


@pytest.fixture(params=["one block", "several blocks"])
def n_jobs(request, monkeypatch):
    """Let a thread read 10 rows where there are several blocks."""
    if request.param == "one block":
        return 1
    for module in (_labels, threads, samples):
        monkeypatch.setattr(module, "ROWS_READ_PER_THREAD", 10)
    return 3


def read(labels, scores, weight, n_jobs):
    with threads.Workers(n_jobs) as workers:
        return Rows("roc_curve", labels, scores, weight, 1).sample(workers)


@pytest.mark.parametrize("position", [2, 12, 23, 34])
def test_first_position_in_blocks(n_jobs, position):
    odd_ones = [("y_true", 0.5), ("y_true", math.nan), ("y_score", math.inf)]
    odd_ones += [("sample_weight", math.nan), ("sample_weight", -1.0)]
    for argument, odd in odd_ones:
        arguments = {
            "y_true": np.arange(35) % 2.0,
            "y_score": np.arange(35.0),
            "sample_weight": np.arange(1, 36.0),
        }
        arguments[argument][position:] = odd
        with pytest.raises(ValueError, match=rf"{argument}\[{position}\] is {odd}"):
            read(*arguments.values(), n_jobs)


# Around the 64 rows that are read in one step, and the blocks of 4096.
SCORE_SIZES = [*range(1, 70), 127, 128, 129, 255, 256, 257, 4095, 4096, 4097, 4160, 8195]


def finite_values(dtype, n, rng):
    kind = np.dtype(dtype)
    if kind.kind == "i":
        return rng.integers(-(2**63), 2**63 - 1, n, dtype)
    values = rng.standard_normal(n) * 10.0 ** rng.integers(-30, 30, n)
    return values.astype(dtype)


@pytest.mark.parametrize(
    ("dtype", "kernel"), [("f4", "float"), ("f8", "double"), ("i8", "int64_t")]
)
def test_score_range(dtype, kernel):
    rng = np.random.default_rng(3)
    limits = np.iinfo(dtype) if dtype == "i8" else np.finfo(dtype)
    for n in SCORE_SIZES:
        values = finite_values(dtype, n, rng)
        for turned in values, values[::-1].copy(), np.sort(values), -np.abs(values):
            expected = turned.min(), turned.max(), -1
            assert _inputs.score_range(turned) == expected
            assert _inputs.score_range[kernel](turned) == expected
        for position in {*range(min(n, 130)), n - 1, n // 2, max(0, n - 64)}:
            for value in limits.min, limits.max:
                values = np.full(n, 3, dtype)
                values[position] = value
                assert _inputs.score_range(values) == (values.min(), values.max(), -1)
        if dtype != "i8":
            zeros = np.where(np.arange(n) % 2, 0.0, -0.0).astype(dtype)
            assert _inputs.score_range(zeros) == (0, 0, -1)
    assert _inputs.score_range(np.zeros(0, dtype)) == (0, 0, -1)


@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_first_nonfinite_score(dtype):
    largest = np.finfo(dtype).max
    for n in 1, 15, 64, 65, 130, 4096, 4096 + 65, 8200:
        positions = {*range(min(n, 130)), *range(max(0, n - 70), n), n // 2}
        for filling in (1.5, largest, -largest):  # the sums of the latter overflow
            values = np.full(n, filling, dtype)
            assert _inputs.score_range(values) == (filling, filling, -1)
            for position, odd in itertools.product(positions, (math.nan, math.inf, -math.inf)):
                wrong = values.copy()
                wrong[-1] = -odd  # opposite infinities have no sum
                wrong[position] = odd
                assert _inputs.score_range(wrong)[2] == position
                wrong[position:] = odd
                assert _inputs.score_range(wrong)[2] == position
