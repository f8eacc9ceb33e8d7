"""Memory layouts and the protocols by which arrays are handed over (R-26).

Whatever holds the numbers, the answer is the exact one, the input keeps its bytes, and nothing is
copied that need not be. Other libraries' arrays are in ``test_arrays_frames.py``, what is refused
is in ``test_arrays_refused.py``.
"""

import array
import ctypes
import hashlib
import itertools
import tracemalloc
from multiprocessing import shared_memory

import numpy as np
import pytest

import fastauc
from fastauc._validation.arrays import as_array, as_kernel_array
from support.contract import (
    FUNCTIONS,
    TAKES_WEIGHTS,
    assert_same_numbers,
    call_ours,
    draw_labels,
    draw_scores,
    exact_area,
)
from support.reliability import tried

DTYPES = ["f2", "f4", "f8", "g", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "?"]
N_CASES = 20

# Typecodes of the array module; it has none for half precision, long double and bool.
TYPECODES = {"f4": "f", "f8": "d", "i1": "b", "i2": "h", "i4": "i", "i8": "q"}
TYPECODES |= {"u1": "B", "u2": "H", "u4": "I", "u8": "Q"}


def digest(*owners):
    return hashlib.sha256(b"".join(np.asarray(owner).tobytes() for owner in owners)).digest()


# Layouts: from values to an array that holds them, and the memory behind it -----------------------


def lay_read_only(values, _):
    values = values.copy()
    values.flags.writeable = False
    return values, values


NUMBERS = itertools.count()


def lay_memmap(values, folder):
    path = folder / f"{next(NUMBERS)}.bin"
    values.tofile(path)
    mapped = np.memmap(path, values.dtype, mode="r")
    return mapped, mapped


def lay_reversed(values, _):
    owner = values[::-1].copy()
    return owner[::-1], owner


def lay_strided(values, _):
    owner = np.repeat(values[::-1], 3)
    owner[1::3] = values
    return owner[1::3], owner


def lay_backwards_strided(values, _):
    owner = np.repeat(values, 2)
    owner[::-2] = values
    return owner[::-2], owner


def lay_broadcast(values, _):
    return np.broadcast_to(values[:1], values.shape), values


def lay_fortran(values, _):
    owner = np.asfortranarray(np.stack([values[::-1], values], axis=1))
    return owner[:, 1:], owner


def lay_column(values, _):
    owner = np.stack([values[::-1], values, values[::-1]], axis=1)
    return owner[:, 1], owner


def lay_field(values, _):
    # Packed: a stride of 9 bytes for 8-byte numbers, and nothing is aligned.
    owner = np.zeros(len(values), dtype=[("tag", "u1"), ("score", values.dtype)])
    owner["score"] = values
    return owner["score"], owner


def lay_swapped(values, _):
    owner = values.astype(values.dtype.newbyteorder())
    return owner, owner


def lay_swapped_field(values, _):
    return lay_field(lay_swapped(values, _)[0], _)


class Subclass(np.ndarray):
    """An array that is not exactly an ndarray."""


def lay_subclass(values, _):
    return values.view(Subclass), values


def lay_misaligned(offset):
    def lay(values, _):
        owner = np.zeros(values.nbytes + 8, np.uint8)
        view = owner[offset : offset + values.nbytes].view(values.dtype)
        view[:] = values
        return view, owner

    return lay


LAYOUTS = {
    "read-only": lay_read_only,
    "memmap": lay_memmap,
    "reversed": lay_reversed,
    "strided": lay_strided,
    "backwards strided": lay_backwards_strided,
    "broadcast": lay_broadcast,
    "Fortran": lay_fortran,
    "column": lay_column,
    "field": lay_field,
    "other byte order": lay_swapped,
    "field in other byte order": lay_swapped_field,
    "subclass": lay_subclass,
    **{f"misaligned by {offset}": lay_misaligned(offset) for offset in range(1, 8)},
}


# Protocols: the same, for what is not a NumPy array -----------------------------------------------


def lay_array_array(values, _):
    owner = array.array(TYPECODES[values.dtype.str[1:]], values.tobytes())
    return owner, np.frombuffer(owner, values.dtype)


def lay_memoryview(values, _):
    return memoryview(values), values


def lay_strided_memoryview(values, _):
    view, owner = lay_strided(values, _)
    return memoryview(view), owner


def lay_ctypes(values, _):
    kind = np.ctypeslib.as_ctypes_type(values.dtype)
    owner = (kind * len(values)).from_buffer_copy(values.tobytes())
    return owner, np.frombuffer(owner, values.dtype)


class Exporter:
    """An array in main memory that is known by DLPack only."""

    def __init__(self, values):
        self.values = values

    def __dlpack__(self, **options):
        return self.values.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.values.__dlpack_device__()


def lay_dlpack(values, _):
    return Exporter(values), values


def lay_strided_dlpack(values, _):
    view, owner = lay_strided(values, _)
    return Exporter(view), owner


class PinnedExporter(Exporter):
    """An array in main memory that CUDA or ROCm has pinned."""

    def __init__(self, values, device):
        super().__init__(values)
        self.device = device

    def __dlpack__(self, **options):
        return put_on_device(super().__dlpack__(**options), self.device)

    def __dlpack_device__(self):
        return self.device, 0


def put_on_device(capsule, device):
    """Write another type of device into the tensor of a capsule, and return the capsule."""
    name = _name_of(capsule)
    # Where dlpack.h has it: after the address of the data; in newer versions, that comes after the
    # version, two addresses and the flags.
    place = 8 if name == b"dltensor" else 40
    stored = ctypes.c_int32.from_address(_pointer_of(capsule, name) + place)
    assert stored.value == 1
    stored.value = device
    return capsule


_name_of = ctypes.pythonapi.PyCapsule_GetName
_name_of.restype, _name_of.argtypes = ctypes.c_char_p, [ctypes.py_object]
_pointer_of = ctypes.pythonapi.PyCapsule_GetPointer
_pointer_of.restype, _pointer_of.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]


def lay_cuda_host(values, _):
    return PinnedExporter(values, 3), values


def lay_rocm_host(values, _):
    return PinnedExporter(values, 11), values


class Convertible:
    """What NumPy can convert, without a length."""

    def __init__(self, values):
        self.values = values

    def __array__(self, dtype=None, copy=None):
        return self.values if dtype is None else self.values.astype(dtype)


def lay_convertible(values, _):
    return Convertible(values), values


NO_LONG_DOUBLE = [dtype for dtype in DTYPES if dtype != "g"]
PROTOCOLS = {
    "array.array": (lay_array_array, list(TYPECODES)),
    "memoryview": (lay_memoryview, DTYPES),
    "strided memoryview": (lay_strided_memoryview, DTYPES),
    "ctypes": (lay_ctypes, [*TYPECODES, "?"]),
    "DLPack": (lay_dlpack, NO_LONG_DOUBLE),
    "strided DLPack": (lay_strided_dlpack, NO_LONG_DOUBLE),
    "pinned by CUDA": (lay_cuda_host, NO_LONG_DOUBLE),
    "pinned by ROCm": (lay_rocm_host, NO_LONG_DOUBLE),
    "__array__": (lay_convertible, DTYPES),
}


def check_layout(lay, dtype, seed, folder):
    """Compare a function's answers on laid-out arguments with its answers on plain copies."""
    rng = np.random.default_rng([26, *seed])
    for number in range(N_CASES):
        n = int(rng.integers(2, 60))
        labels, scores = draw_labels(rng, n), draw_scores(rng, dtype, n)
        laid_scores, owner = lay(scores, folder)
        laid_labels, laid_weights = labels.astype(dtype), rng.integers(1, 9, n).astype(dtype)
        owners = [owner, laid_labels, laid_weights]
        if lay is not lay_broadcast:  # whose labels would all be of one class
            laid_labels, owners[1] = lay(laid_labels, folder)
            laid_weights, owners[2] = lay(laid_weights, folder)
        before = digest(*owners)
        area = fastauc.roc_auc_score(laid_labels, laid_scores)
        plain = np.array(as_array(laid_scores, "y_score", "")).ravel()
        plain = plain.astype(plain.dtype.newbyteorder("="))
        assert area == exact_area(labels, plain)
        name = FUNCTIONS[number % len(FUNCTIONS)]
        assert_same_answer(name, (laid_labels, laid_scores), (labels, plain), {}, {})
        if name in TAKES_WEIGHTS:
            weights = np.array(as_array(laid_weights, "sample_weight", ""), dtype="f8").ravel()
            assert_same_answer(
                name,
                (laid_labels, laid_scores),
                (labels, plain),
                {"sample_weight": laid_weights},
                {"sample_weight": weights},
            )
        assert digest(*owners) == before
        tried()


def assert_same_answer(name, laid, plain, laid_options, plain_options):
    ours = call_ours(name, *laid, **laid_options)
    expected = call_ours(name, *plain, **plain_options)
    assert ours.error is None
    if name == "concordance":
        assert ours.value == expected.value
    else:
        assert_same_numbers(ours.value, expected.value)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("mapped")


@pytest.mark.check("memory layouts")
@pytest.mark.parametrize("layout", LAYOUTS)
def test_r26_layout(layout, folder):
    for dtype in DTYPES:
        seed = list(LAYOUTS).index(layout), DTYPES.index(dtype)
        check_layout(LAYOUTS[layout], dtype, seed, folder)


@pytest.mark.check("memory layouts")
@pytest.mark.parametrize(
    ("protocol", "dtype"), [(name, dtype) for name, row in PROTOCOLS.items() for dtype in row[1]]
)
def test_r26_protocol(protocol, dtype, folder):
    seed = 100 + list(PROTOCOLS).index(protocol), DTYPES.index(dtype)
    check_layout(PROTOCOLS[protocol][0], dtype, seed, folder)


@pytest.mark.check("memory layouts")
@pytest.mark.parametrize("dtype", DTYPES)
def test_r26_shared_memory(dtype, folder):
    memory = shared_memory.SharedMemory(create=True, size=64 * 16)

    def lay(values, _):
        # Labels and weights lie in memory of their own, as one segment holds one array.
        if lay.taken:
            return values, values
        lay.taken = True
        shared = np.ndarray(values.shape, values.dtype, buffer=memory.buf)
        shared[:] = values
        return shared, shared

    try:
        rng = np.random.default_rng([26, 200, DTYPES.index(dtype)])
        for _ in range(N_CASES):
            lay.taken = False
            n = int(rng.integers(2, 60))
            labels, scores = draw_labels(rng, n), draw_scores(rng, dtype, n)
            shared, owner = lay(scores, folder)
            before = digest(owner)
            assert fastauc.roc_auc_score(labels, shared) == exact_area(labels, scores)
            assert digest(owner) == before
            tried()
            del shared, owner
    finally:
        memory.close()
        memory.unlink()


# Copies -------------------------------------------------------------------------------------------

SHARED = ["read-only", "memmap", "reversed", "strided", "Fortran", "field", "other byte order"]


@pytest.mark.parametrize("layout", [*SHARED, "subclass", "misaligned by 3"])
def test_as_array_copies_no_array(layout, folder):
    laid, owner = LAYOUTS[layout](np.arange(100.0), folder)
    assert np.shares_memory(as_array(laid, "y_score", ""), owner)


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_as_array_copies_no_buffer(protocol, folder):
    laid, owner = PROTOCOLS[protocol][0](np.arange(100.0), folder)
    assert np.shares_memory(as_array(laid, "y_score", ""), owner)


def test_as_array_returns_an_array_itself():
    values = np.arange(3.0)
    assert as_array(values, "y_score", "") is values


@pytest.mark.parametrize("dtype", ["f4", "f8", "i4", "i8", "u8"])
@pytest.mark.parametrize("layout", ["read-only", "memmap", "misaligned by 7", "subclass"])
def test_as_kernel_array_copies_only_what_no_kernel_reads(layout, dtype, folder):
    laid, owner = LAYOUTS[layout](np.arange(100, dtype=dtype), folder)
    ready = as_kernel_array(laid, np.dtype(dtype))
    assert np.shares_memory(ready, owner) == (layout != "misaligned by 7")
    assert ready.tolist() == laid.tolist()


@pytest.mark.parametrize("layout", LAYOUTS)
def test_as_kernel_array_is_what_kernels_assume(layout, folder):
    for dtype in DTYPES:
        values = np.arange(100).astype(dtype)
        laid, _ = LAYOUTS[layout](values, folder)
        laid = laid.ravel() if laid.ndim == 2 else laid
        ready = as_kernel_array(laid, np.dtype(dtype))
        assert ready.flags.c_contiguous
        assert ready.flags.aligned
        assert ready.dtype == values.dtype
        assert ready.dtype.isnative
        assert ready.tolist() == laid.tolist()


@pytest.mark.parametrize("dtype", ["f4", "f8", "g", "i8", "u8", "O"])
@pytest.mark.parametrize("n", [2, 100])
def test_no_result_looks_at_the_input(dtype, n):
    labels, scores = np.arange(n) % 2, np.arange(n).astype(dtype)
    counts = fastauc.confusion_matrix_at_thresholds(labels, scores)
    curves = [fastauc.roc_curve, fastauc.precision_recall_curve, fastauc.det_curve]
    for result in [*counts, *(column for draw in curves for column in draw(labels, scores))]:
        assert not np.shares_memory(result, scores)
        assert not np.shares_memory(result, labels)
        assert result.flags.writeable


def peak_of(labels, scores):
    """Return how many bytes are allocated at most while the area is computed."""
    tracemalloc.start()
    try:
        fastauc.roc_auc_score(labels, scores)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("dtype", ["f4", "f8", "i8"])
def test_what_needs_no_copy_needs_no_memory(dtype, folder):
    rng = np.random.default_rng(26)
    n = 100_000
    labels, scores = rng.integers(0, 2, n), rng.permutation(n).astype(dtype)
    fastauc.roc_auc_score(labels, scores)  # what is made once is not counted
    plain = peak_of(labels, scores)
    assert plain <= 24 * n  # the bound on scratch memory, in bytes a row
    laid = [LAYOUTS[layout](scores, folder)[0] for layout in ("read-only", "memmap", "subclass")]
    laid += [memoryview(scores), Exporter(scores), Convertible(scores), scores[:, None]]
    laid.append(PinnedExporter(scores, 3))
    for container in laid:
        # What another thread of the tests allocates in the meantime is counted as well.
        assert min(peak_of(labels, container) for _ in range(3)) <= plain + 20_000


class Unplaced:
    """Scores that do not say where they are."""

    def __init__(self, scores, error):
        self.scores, self.error = scores, error

    def __array__(self, dtype=None, copy=None):
        if isinstance(self.error, MemoryError):
            raise self.error
        return np.array(self.scores)

    def __dlpack_device__(self):
        if not isinstance(self.error, MemoryError):
            raise self.error
        return 1, 0


@pytest.mark.parametrize("error", [TypeError("no"), ValueError("no"), RuntimeError("no")])
def test_what_knows_no_device_is_in_main_memory(error):
    assert fastauc.roc_auc_score([0, 1], Unplaced([0.25, 0.5], error)) == 1


class PinnedTensor(Convertible):
    """As torch has it: what NumPy can convert, with a device."""

    def __dlpack_device__(self):
        return 3, 0

    def __dlpack__(self, **options):
        raise AssertionError("exported")


def test_pinned_tensors_are_in_main_memory():
    labels, scores = np.array([0, 1, 0, 1]), np.float32([0.25, 0.5, 0.5, 0.75])
    assert fastauc.roc_auc_score(PinnedTensor(labels), PinnedTensor(scores)) == 7 / 8
    assert np.shares_memory(as_array(PinnedTensor(scores), "y_score", ""), scores)


def test_lack_of_memory_is_not_a_wrong_type():
    with pytest.raises(MemoryError, match="too large"):
        fastauc.roc_auc_score([0, 1], Unplaced([0.25, 0.5], MemoryError("too large")))
