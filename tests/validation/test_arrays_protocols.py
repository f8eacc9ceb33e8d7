"""Whatever holds the numbers: memory layouts, protocols, and other libraries' containers.

The answer is the exact one, the input keeps its bytes, and nothing is copied that need not be. What
is peculiar to a library is in ``test_arrays_frames.py``, what is refused in
``test_arrays_refused.py``. Without polars or torch, their containers are skipped.
"""

import array
import ctypes
import hashlib
import itertools
from collections import deque

import numpy as np
import pandas as pd
import pyarrow as pa
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

FLOATS, INTEGERS = ["f4", "f8"], ["i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8"]
OF_LIBRARIES = [*FLOATS, *INTEGERS, "?"]
DTYPES = ["f2", *OF_LIBRARIES, "g"]
NO_LONG_DOUBLE = DTYPES[:-1]
OF_TORCH = ["f4", "f8", "i1", "i2", "i4", "i8", "u1", "?"]
# Of Python's numbers and of the array module.
OF_PYTHON = ["f8", "i8", "?"]
TYPECODES = dict(zip([*FLOATS, *INTEGERS], "fdbhiqBHIQ", strict=True))

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


def lay_broadcast(values, _):
    return np.broadcast_to(values[:1], values.shape), values


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


class Subclass(np.ndarray):
    """An array that is not exactly an ndarray."""


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
    "column": lay_column,
    "field": lay_field,
    "other byte order": lay_swapped,
    "field in other byte order": lambda values, _: lay_field(lay_swapped(values, _)[0], _),
    "subclass": lambda values, _: (values.view(Subclass), values),
    **{f"misaligned by {offset}": lay_misaligned(offset) for offset in range(1, 8)},
}


# Protocols: the same, for what is not a NumPy array -----------------------------------------------


def lay_array_array(values, _):
    owner = array.array(TYPECODES[values.dtype.str[1:]], values.tobytes())
    return owner, np.frombuffer(owner, values.dtype)


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


class Convertible:
    """What NumPy can convert, without a length."""

    def __init__(self, values):
        self.values = values

    def __array__(self, dtype=None, copy=None):
        return self.values if dtype is None else self.values.astype(dtype)


PROTOCOLS = {
    "array.array": (lay_array_array, list(TYPECODES)),
    "memoryview": (lambda values, _: (memoryview(values), values), DTYPES),
    "strided memoryview": (lay_strided_memoryview, DTYPES),
    "ctypes": (lay_ctypes, [*TYPECODES, "?"]),
    "DLPack": (lambda values, _: (Exporter(values), values), NO_LONG_DOUBLE),
    "strided DLPack": (lay_strided_dlpack, NO_LONG_DOUBLE),
    "pinned by CUDA": (lambda values, _: (PinnedExporter(values, 3), values), NO_LONG_DOUBLE),
    "pinned by ROCm": (lambda values, _: (PinnedExporter(values, 11), values), NO_LONG_DOUBLE),
    "__array__": (lambda values, _: (Convertible(values), values), DTYPES),
}


# Containers: what holds its numbers itself --------------------------------------------------------


def held_by(make):
    """Return a layout of what is made from values alone."""

    def lay(values, _):
        made = make(values)
        return made, made

    return lay


def held_by_library(name, make):
    """Return a layout of what is made from a library that may be missing, and values."""
    return held_by(lambda values: make(pytest.importorskip(name), values))


def lay_indexed(values):
    # Another one in each call: what were aligned by them would be mixed up.
    index = np.random.default_rng(next(NUMBERS)).integers(0, 3, len(values))
    return pd.Series(values, index=index)


def as_nullable(values):
    name = values.dtype.name
    return pd.array(values, "boolean" if name == "bool" else name.capitalize().replace("Ui", "UI"))


def lay_of_arrow(values):
    return pd.Series(values, dtype=pd.ArrowDtype(pa.from_numpy_dtype(values.dtype)))


def lay_part(pl, values):
    return pl.Series(np.tile(values, 3))[len(values) : 2 * len(values)]


def lay_frame(pl, values):
    return pl.DataFrame({"x": values})


def lay_two_chunks(pl, values):
    return pl.concat([pl.Series(values[:1]), pl.Series(values[1:])], rechunk=False)


CONTAINERS = {
    "list": (held_by(np.ndarray.tolist), OF_PYTHON),
    "tuple": (held_by(lambda v: tuple(v.tolist())), OF_PYTHON),
    "deque": (held_by(deque), OF_PYTHON),
    "list of NumPy scalars": (held_by(list), NO_LONG_DOUBLE),
    "list of one-element lists": (held_by(lambda v: v[:, None].tolist()), OF_PYTHON),
    "masked array without masked entries": (held_by(np.ma.array), DTYPES),
    "pandas.Series": (held_by(pd.Series), OF_LIBRARIES),
    "pandas.Series, any index": (held_by(lay_indexed), ["f8", "i8"]),
    "pandas.Index": (held_by(pd.Index), OF_LIBRARIES),
    "pandas.DataFrame": (held_by(lambda v: pd.DataFrame({"x": v})), OF_LIBRARIES),
    "pandas, nullable": (held_by(lambda v: pd.Series(as_nullable(v))), OF_LIBRARIES),
    "pandas.array, nullable": (held_by(as_nullable), OF_LIBRARIES),
    "pandas, backed by Arrow": (held_by(lay_of_arrow), OF_LIBRARIES),
    "polars.Series": (held_by_library("polars", lambda pl, v: pl.Series(v)), OF_LIBRARIES),
    "polars.DataFrame": (held_by_library("polars", lay_frame), OF_LIBRARIES),
    "polars.Series, a part": (held_by_library("polars", lay_part), OF_LIBRARIES),
    "polars.Series of two chunks": (held_by_library("polars", lay_two_chunks), OF_LIBRARIES),
    "Arrow": (held_by(pa.array), NO_LONG_DOUBLE),
    # An offset of 1 leaves the bits of a bool within a byte.
    "Arrow, a part": (held_by(lambda v: pa.array(np.append(v[:1], v))[1:]), OF_LIBRARIES),
    "Arrow, chunks": (held_by(lambda v: pa.chunked_array([v[:1], v[1:], v[:0]])), OF_LIBRARIES),
    "torch": (held_by_library("torch", lambda torch, v: torch.from_numpy(v)), OF_TORCH),
}

EVERYTHING = {name: (lay, DTYPES) for name, lay in LAYOUTS.items()} | PROTOCOLS | CONTAINERS


def digest(*owners):
    return hashlib.sha256(b"".join(np.asarray(owner).tobytes() for owner in owners)).digest()


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("mapped")


@pytest.mark.check("memory layouts")
@pytest.mark.parametrize("kind", EVERYTHING)
def test_what_holds_the_numbers_does_not_matter(kind, folder):
    lay, dtypes = EVERYTHING[kind]
    for dtype in dtypes:
        rng = np.random.default_rng([26, list(EVERYTHING).index(kind), DTYPES.index(dtype)])
        for name in FUNCTIONS:
            n = int(rng.integers(2, 60))
            labels, scores = draw_labels(rng, n), draw_scores(rng, dtype, n)
            weights = rng.integers(1, 9, n).astype(dtype)
            columns = labels.astype(dtype), scores, weights
            laid, owners = zip(*(lay(column, folder) for column in columns), strict=True)
            before = digest(*owners)
            assert fastauc.roc_auc_score(*laid[:2]) == exact_area(labels, scores)
            assert_same_answer(name, laid[:2], (labels, scores), {}, {})
            if name in TAKES_WEIGHTS:
                options = {"sample_weight": laid[2]}
                plain_options = {"sample_weight": weights.astype("f8")}
                assert_same_answer(name, laid[:2], (labels, scores), options, plain_options)
            assert digest(*owners) == before
            tried()


def assert_same_answer(name, laid, plain, laid_options, plain_options):
    ours = call_ours(name, *laid, **laid_options)
    expected = call_ours(name, *plain, **plain_options)
    assert ours.error is None, ours.error
    if name == "concordance":
        assert ours.value == expected.value
    else:
        assert_same_numbers(ours.value, expected.value)


# Copies -------------------------------------------------------------------------------------------

WITHOUT_COPY = [
    *(kind for kind in EVERYTHING if kind not in CONTAINERS),
    *("pandas.Series", "pandas.DataFrame", "polars.Series", "Arrow", "Arrow, a part", "torch"),
]


@pytest.mark.parametrize("kind", WITHOUT_COPY)
def test_as_array_copies_nothing(kind, folder):
    values = np.arange(100.0)
    laid, owner = EVERYTHING[kind][0](values, folder)
    found = [as_array(laid, "y_score", "") for _ in range(2)]
    assert np.shares_memory(*found)
    assert found[0].ravel().tolist() == values.tolist()
    assert kind in CONTAINERS or np.shares_memory(found[0], owner)


def test_as_array_returns_an_array_itself():
    values = np.arange(3.0)
    assert as_array(values, "y_score", "") is values


@pytest.mark.parametrize("layout", [*LAYOUTS, "broadcast"])
def test_as_kernel_array_is_what_kernels_assume(layout, folder):
    for dtype in DTYPES:
        laid, owner = (LAYOUTS | {"broadcast": lay_broadcast})[layout](np.ones(9, dtype), folder)
        laid = laid.ravel() if laid.ndim == 2 else laid
        ready = as_kernel_array(laid, np.dtype(dtype))
        assert ready.flags.c_contiguous
        assert ready.flags.aligned
        assert ready.dtype == np.dtype(dtype)
        assert ready.dtype.isnative
        assert ready.tolist() == laid.tolist()
        if layout in ("read-only", "memmap", "subclass"):
            assert np.shares_memory(ready, owner)


@pytest.mark.parametrize("dtype", ["f4", "f8", "g", "i8", "u8", "O"])
@pytest.mark.parametrize("n", [2, 100])
@pytest.mark.parametrize("weight", [None, 0.5])
def test_no_result_looks_at_the_input(dtype, n, weight):
    labels, scores = np.arange(n) % 2, np.arange(n).astype(dtype)
    options = {"sample_weight": weight and np.full(n, weight)}
    draws = [fastauc.roc_curve, fastauc.precision_recall_curve, fastauc.det_curve]
    draws.append(fastauc.confusion_matrix_at_thresholds)
    for result in (column for draw in draws for column in draw(labels, scores, **options)):
        assert not np.shares_memory(result, scores)
        assert not np.shares_memory(result, labels)
        assert result.flags.writeable
        assert result.flags.c_contiguous  # torch.from_numpy takes no array that is read backwards


@pytest.mark.parametrize("device", [2, 8, 10])
def test_memory_of_a_device_is_refused(device):
    scores = PinnedExporter(np.array([0.25, 0.5]), device)
    with pytest.raises(TypeError, match=r"^y_score cannot be converted to an array: "):
        fastauc.roc_auc_score([0, 1], scores)


def test_memory_that_a_device_may_still_write_to_is_refused():
    scores = PinnedExporter(np.array([0.25, 0.5]), 13)
    with pytest.raises(TypeError, match=r"^y_score is in CUDA managed memory; expected an array"):
        fastauc.roc_auc_score([0, 1], scores)


class TooLarge:
    def __array__(self, dtype=None, copy=None):
        raise MemoryError("too large")


def test_lack_of_memory_is_not_a_wrong_type():
    with pytest.raises(MemoryError, match="too large"):
        fastauc.roc_auc_score([0, 1], TooLarge())
