"""The C-level API: the integers of ``concordance``, the bits of ``roc_auc_score``, and its ABI."""

import ctypes
import json
import math
import re
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import fastauc
import naive
from fastauc import _capi

# The functions of the C-level API, called through their capsules as C does.
STATUS = {
    0: "ok",
    1: "one class",
    -1: "no rows",
    -2: "too many rows",
    -3: "bad scratch",
    -4: "bad label",
    -5: "bad score",
    -6: "bad weight",
}
ARRAYS, SCRATCH = [ctypes.c_void_p] * 2, [ctypes.c_void_p, ctypes.c_size_t]
TYPES = {
    "api_version": (ctypes.c_int, []),
    "scratch_size": (ctypes.c_size_t, [ctypes.c_int64, ctypes.c_size_t, ctypes.c_int]),
    "concordance": (ctypes.c_int, [*ARRAYS, ctypes.c_int64, *SCRATCH, ctypes.c_void_p]),
    "roc_auc": (ctypes.c_int, [*ARRAYS, ctypes.c_int64, *SCRATCH, ctypes.c_void_p]),
    "weighted_roc_auc": (
        ctypes.c_int,
        [*ARRAYS, ctypes.c_void_p, ctypes.c_int64, *SCRATCH, ctypes.c_void_p],
    ),
}

_name_of = ctypes.pythonapi.PyCapsule_GetName
_name_of.restype, _name_of.argtypes = ctypes.c_char_p, [ctypes.py_object]
_pointer_of = ctypes.pythonapi.PyCapsule_GetPointer
_pointer_of.restype, _pointer_of.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]


def signature(name):
    """Return the signature of a function, which is the name of its capsule."""
    return _name_of(_capi.__pyx_capi__[name]).decode("ascii")


def function(name):
    """Return a function as one of ctypes, which releases the GIL."""
    capsule = _capi.__pyx_capi__[name]
    result, arguments = TYPES[name.removesuffix("_float32").removesuffix("_float64")]
    return ctypes.CFUNCTYPE(result, *arguments)(_pointer_of(capsule, _name_of(capsule)))


FUNCTIONS = {name: function(name) for name in _capi.__pyx_capi__}


def scratch_for(scores, weighted=False):
    n_bytes = FUNCTIONS["scratch_size"](len(scores), scores.itemsize, weighted)
    # As full of ones as it gets: nothing may rely on zeros. Of 8-byte integers, hence aligned.
    return np.full(-(-n_bytes // 8), -1, np.int64), n_bytes


def call(name, arrays, results, scratch, n_bytes):
    """Call a function for arrays of one length; return what its code stands for."""
    assert all(array.flags.c_contiguous for array in arrays)
    pointers = [array.ctypes.data for array in arrays]
    code = FUNCTIONS[f"{name}_{arrays[1].dtype}"](
        *pointers, len(arrays[0]), scratch.ctypes.data, n_bytes, results.ctypes.data
    )
    return STATUS[code]


def concordance(labels, scores):
    """Return the code and the numbers of pairs and of rows."""
    counts = np.full(4, 2**64 - 1, np.uint64)
    status = call("concordance", [labels, scores], counts, *scratch_for(scores))
    return status, tuple(counts.tolist())


def roc_auc(labels, scores, weight=None):
    """Return the code and the area."""
    area = np.full(1, -1.0)
    if weight is None:
        status = call("roc_auc", [labels, scores], area, *scratch_for(scores))
    else:
        arrays = [labels, scores, weight]
        status = call("weighted_roc_auc", arrays, area, *scratch_for(scores, weighted=True))
    return status, float(area[0])


PACKAGE = Path(fastauc.__file__).parent
ABI = json.loads((Path(__file__).parents[1] / "abi.json").read_text(encoding="utf-8"))

# Around the sizes at which the kernel changes its way: the last is that of several buckets.
SIZES = [2, 3, 9, 200, 12_000, 12_001, 40_000]
SCORES = {
    "uniform": lambda rng, n: rng.random(n),
    "normal": lambda rng, n: rng.standard_normal(n),
    "log-normal": lambda rng, n: np.exp(6 * rng.standard_normal(n)),
    "decimals": lambda rng, n: np.round(rng.random(n), 3),
    "ascending": lambda rng, n: np.sort(rng.random(n)),
    "few": lambda rng, n: rng.integers(-2, 3, n) / 2,
    "constant": lambda rng, n: np.full(n, -0.25),
    "zeros": lambda rng, n: rng.choice([-0.0, 0.0], n),
    "one far": lambda rng, n: np.where(np.arange(n) == 1, 3e38, rng.random(n)),
    # 1 ulp apart, in either precision: no line tells these apart.
    "close": lambda rng, n: 1 + rng.integers(0, n, n) * 2.0**-23,
    "widest": lambda rng, n: rng.choice([-1.0, 1.0], n) * np.finfo(np.float32).max,
}
WEIGHTS = {
    "uniform": lambda rng, n: rng.random(n),
    "integers": lambda rng, n: rng.integers(1, 4, n) * 1.0,
    "some zero": lambda rng, n: rng.integers(0, 2, n) * 0.3,
    "one": lambda rng, n: np.full(n, 0.7),
    "tiny": lambda rng, n: np.full(n, 3e-310),
    # Too wide a range for quanta: sums of double-doubles.
    "wide": lambda rng, n: np.exp(80 * rng.standard_normal(n)),
}


def labels_of(rng, n, share):
    labels = (rng.random(n) < share).astype(np.uint8)
    labels[:2] = 1, 0
    return labels


@pytest.mark.parametrize("kind", SCORES)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_pairs_and_area_are_those_of_the_public_functions(kind, dtype):
    rng = np.random.default_rng(31)
    for n in SIZES:
        scores = SCORES[kind](rng, n).astype(dtype)
        labels = labels_of(rng, n, rng.choice([0.5, 0.02]))
        expected = fastauc.concordance(labels, scores)
        assert concordance(labels, scores) == ("ok", tuple(expected))
        assert roc_auc(labels, scores) == ("ok", expected.auc)


@pytest.mark.parametrize("kind", WEIGHTS)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_weighted_area_is_that_of_the_public_function(kind, dtype):
    rng = np.random.default_rng(32)
    for n in SIZES:
        labels, weight = labels_of(rng, n, 0.4), WEIGHTS[kind](rng, n)
        weight[:2] = weight.max() or 1.0  # of each class, one weight is above 0
        for scores in SCORES["normal"], SCORES["few"], SCORES["close"]:
            values = scores(rng, n).astype(dtype)
            expected = fastauc.roc_auc_score(labels, values, sample_weight=weight)
            assert roc_auc(labels, values, weight) == ("ok", expected)


EXPONENTS = st.integers(-1074, 1000).map(lambda exponent: math.ldexp(1.0, exponent))
ROWS = st.lists(
    st.tuples(st.integers(0, 1), st.sampled_from([-1.5, -0.0, 0.0, 5e-324, 1.0]), EXPONENTS),
    min_size=1,
    max_size=8,
)


@settings(max_examples=150, deadline=None)
@given(ROWS)
def test_pairs_and_weighted_area_by_definition(rows):
    labels, scores, weight = (np.array(column) for column in zip(*rows, strict=True))
    labels = labels.astype(np.uint8)
    assert concordance(labels, scores)[1] == naive.concordance(labels, scores)
    status, area = roc_auc(labels, scores, weight)
    if labels.min() == labels.max():
        assert status == "one class"
        assert math.isnan(area)
    else:
        exact = naive.roc_auc_score(labels, scores, sample_weight=weight)
        assert status == "ok"
        # A power of two is a whole number of quanta, or double-doubles hold some 100 of its bits:
        # the result is the double nearest to the exact area or, with those, one beside it.
        assert abs(area - exact) <= math.ulp(float(exact))


@pytest.mark.parametrize("labels", [[0, 0, 0], [1, 1, 1], [0], [1]])
def test_one_class(labels):
    labels = np.array(labels, np.uint8)
    scores, weight = np.arange(len(labels)) / 2, np.ones(len(labels))
    n_pos = int(labels.sum())
    counts = (0, 0, n_pos, len(labels) - n_pos)
    assert concordance(labels, scores) == ("one class", counts)
    for weights in None, weight:
        assert_no_area("one class", labels, scores, weights)


def test_class_of_weight_zero():
    labels, scores = np.array([0, 1, 1], np.uint8), np.array([0.5, 0.25, 1.0])
    for weight in [0.0, 1.0, 2.0], [3.0, 0.0, 0.0]:
        assert_no_area("one class", labels, scores, np.array(weight))


def assert_no_area(status, labels, scores, weight):
    found, area = roc_auc(labels, scores, weight)
    assert found == status
    assert math.isnan(area)


# Errors -------------------------------------------------------------------------------------------

N = 40


def sample(dtype=np.float64):
    return np.arange(N, dtype=np.uint8) % 2, np.linspace(-1, 1, N, dtype=dtype), np.ones(N)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("position", [0, 7, N - 1])
def test_values_that_are_none(dtype, position):
    odd_ones = [(1, value, "bad score") for value in (math.nan, math.inf, -math.inf)]
    odd_ones += [(0, label, "bad label") for label in (2, 255)]
    for column, value, status in odd_ones:
        columns = sample(dtype)
        columns[column][position] = value
        labels, scores, weight = columns
        assert concordance(labels, scores) == (status, (0, 0, 0, 0))
        for weights in None, weight:
            assert_no_area(status, labels, scores, weights)
    for value in -1.0, -5e-324, math.nan, math.inf, -math.inf:
        labels, scores, weight = sample(dtype)
        weight[position] = value
        assert_no_area("bad weight", labels, scores, weight)


def test_weights_that_add_up_to_nothing_or_to_infinity():
    labels, scores, _ = sample()
    assert roc_auc(labels, scores, np.zeros(N))[0] == "bad weight"
    assert roc_auc(labels, scores, np.full(N, 1e308))[0] == "bad weight"


def test_numbers_of_rows():
    labels, scores, weight = sample()
    area, scratch = np.zeros(1), np.zeros(1, np.int64)
    unweighted = [labels.ctypes.data, scores.ctypes.data]
    weighted = [*unweighted, weight.ctypes.data]
    for n, status in (0, "no rows"), (-1, "no rows"), (2**31, "too many rows"), (2**63 - 1, None):
        rest = n, scratch.ctypes.data, 2**62, area.ctypes.data
        for name, arrays in ("roc_auc", unweighted), ("weighted_roc_auc", weighted):
            code = FUNCTIONS[f"{name}_float64"](*arrays, *rest)
            assert STATUS[code] == (status or "too many rows")
        assert FUNCTIONS["scratch_size"](n, 8, 0) == 0
    assert FUNCTIONS["scratch_size"](N, 2, 0) == 0


def test_scratch_that_is_none():
    labels, scores, weight = sample()
    area = np.zeros(1)
    weighted = [labels, scores, weight]
    for name, arrays in ("roc_auc", weighted[:2]), ("weighted_roc_auc", weighted):
        scratch, n_bytes = scratch_for(scores, weighted=len(arrays) == 3)
        assert call(name, arrays, area, scratch, n_bytes) == "ok"
        assert call(name, arrays, area, scratch, n_bytes - 1) == "bad scratch"
        unaligned = np.zeros(n_bytes + 16, np.uint8)[1:]
        assert call(name, arrays, area, unaligned, n_bytes) == "bad scratch"
        assert math.isnan(area[0])
    arrays = [array.ctypes.data for array in (labels, scores)]
    code = FUNCTIONS["roc_auc_float64"](*arrays, N, None, 2**20, area.ctypes.data)
    assert STATUS[code] == "bad scratch"


# Memory, threads, processors ----------------------------------------------------------------------


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("n", [2, 13, 3000, 12_001, 20_011])
def test_only_scratch_is_written_and_not_beyond_its_end(dtype, n):
    rng = np.random.default_rng(34)
    labels, weight = labels_of(rng, n, 0.5), WEIGHTS["wide"](rng, n)
    for scores in rng.standard_normal(n).astype(dtype), np.zeros(n, dtype):
        arrays = [labels, scores, weight]
        before = [array.copy() for array in arrays]
        for name, given_arrays in ("roc_auc", arrays[:2]), ("weighted_roc_auc", arrays):
            n_bytes = FUNCTIONS["scratch_size"](n, scores.itemsize, len(given_arrays) == 3)
            assert n_bytes <= (32 if len(given_arrays) == 3 else 16) * n + 64
            room = np.full(n_bytes + 128, 0xA5, np.uint8)
            start = 64 - room.ctypes.data % 8
            area = np.zeros(1)
            status = call(name, given_arrays, area, room[start:], n_bytes)
            assert status == "ok"
            assert (room[:start] == 0xA5).all()
            assert (room[start + n_bytes :] == 0xA5).all()
        for array, copy in zip(arrays, before, strict=True):
            np.testing.assert_array_equal(array, copy)


def test_threads_with_a_scratch_each():
    rng = np.random.default_rng(35)
    labels, scores, weight = labels_of(rng, 20_000, 0.5), rng.random(20_000), rng.random(20_000)
    expected = [roc_auc(labels, scores), roc_auc(labels, scores, weight)]
    with ThreadPoolExecutor(4) as pool:
        answers = list(
            pool.map(lambda k: roc_auc(labels, scores, weight if k % 2 else None), range(8))
        )
    assert answers == expected * 4


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("n", [9_000, 50_000])
def test_rows_that_another_thread_changes_meanwhile(n, dtype, weighted):
    rng = np.random.default_rng(37)
    y_true, y_score = labels_of(rng, n, 0.5), rng.random(n).astype(dtype)
    contents = [(y_true, y_score), (1 - y_true, -y_score), (y_true | 254, y_score * 0)]
    labels, scores, weight = y_true.copy(), y_score.copy(), rng.random(n)
    arrays = [labels, scores, weight] if weighted else [labels, scores]
    n_bytes = FUNCTIONS["scratch_size"](n, scores.itemsize, weighted)
    room = np.full(n_bytes + 4096, 0xA5, np.uint8)
    scratch = room[-room.ctypes.data % 8 :]
    n_calls, seen = 0, set()

    def write():
        while not done.is_set():
            for content in contents:
                labels[:], scores[:] = content

    done = threading.Event()
    with ThreadPoolExecutor(1) as pool:
        writing = pool.submit(write)
        # Both are seen in a few calls, unless one of the threads has to wait for a processor.
        while n_calls < 3000 or (len(seen) < 2 and n_calls < 100_000):
            name = "weighted_roc_auc" if weighted else "roc_auc"
            seen.add(call(name, arrays, np.zeros(1), scratch, n_bytes))
            n_calls += 1
        done.set()
        writing.result()
    assert seen == {"ok", "bad label"}
    assert (scratch[n_bytes:] == 0xA5).all()


# The binary interface -----------------------------------------------------------------------------


def constants(text):
    return {name: int(value) for name, value in re.findall(r"(FASTAUC_\w+) = (-?\d+)", text)}


def test_signatures_are_those_that_are_promised():
    assert {name: signature(name) for name in FUNCTIONS} == ABI["functions"]
    assert FUNCTIONS["api_version"]() == ABI["constants"]["FASTAUC_API_VERSION"]


def test_declarations_of_the_package_agree():
    texts = {
        name: (PACKAGE / name).read_text(encoding="utf-8")
        for name in ("_capi.pxd", "__init__.pxd", "fastauc.h")
    }
    assert constants(texts["_capi.pxd"]) == constants(texts["fastauc.h"]) == ABI["constants"]
    exported = set(re.findall(r"^    (\w+),$", texts["__init__.pxd"], re.MULTILINE))
    assert exported == ABI["functions"].keys() | ABI["constants"].keys()
    entries = re.findall(r"FASTAUC_FUNCTION_\(\s*(\w+),\s*\"", texts["fastauc.h"])
    assert sorted(entries) == sorted(ABI["functions"])
