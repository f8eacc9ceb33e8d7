"""The functions of the C-level API, called through their capsules as C does."""

import ctypes

import numpy as np

from fastauc import _capi

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
