"""Public functions on arrays that end at, or begin after, a page that may not be touched.

    python tests/reliability/guard_pages.py NOTE SIDE SHARE FIRST LAST [STEP]

A byte too far ends the process, so it is one of its own. It notes in the file NOTE which case it is
at, and prints how many calls it has made, with FIRST to LAST rows of every type, at the side that
is guarded, "begin" or "end". Each sample is given to a SHARE of the functions, in turn.
"""

import contextlib
import ctypes
import itertools
import mmap
import sys
from pathlib import Path

import numpy as np

if not __package__:  # run as a command, which finds only what lies beside it
    sys.path.insert(0, str(Path(__file__).parents[1]))
from support.public import FUNCTIONS, Rows, call, draw_rows, update_states

DTYPES = ("bool", "int8", "uint8", "int32", "int64", "uint64", "float16", "float32", "float64")
LABEL_DTYPES = ("bool", "int8", "int32", "int64", "uint8", "float64", "float32")
WEIGHT_DTYPES = ("float64", "float32")
GROUP_DTYPES = ("int64", "int32", "float64")
PAGE = mmap.PAGESIZE
PROT_NONE = 0

_libc = ctypes.CDLL(None, use_errno=True)


class Fence:
    """Memory between two pages that may not be touched."""

    def __init__(self, n_bytes):
        self.n_bytes = -(-max(n_bytes, 1) // PAGE) * PAGE
        self._map = mmap.mmap(-1, self.n_bytes + 2 * PAGE)
        # From a buffer that is held, so that the map is never closed under the arrays.
        self._bytes = np.frombuffer(self._map, np.uint8)
        begin = self._bytes.ctypes.data
        for page in (begin, begin + PAGE + self.n_bytes):
            if _libc.mprotect(ctypes.c_void_p(page), ctypes.c_size_t(PAGE), PROT_NONE) != 0:
                raise OSError(ctypes.get_errno(), "mprotect")

    def lay(self, array, side):
        """Return a copy of an array that ends, or begins, where the memory does."""
        at = PAGE if side == "begin" else PAGE + self.n_bytes - array.nbytes
        copy = self._bytes[at : at + array.nbytes].view(array.dtype)
        copy[:] = array
        return copy


def lay_out(rows, fences, place, side):
    """Return rows in fences; labels, weights and groups are of several types in turn."""
    columns = (
        rows.label.astype(LABEL_DTYPES[place % len(LABEL_DTYPES)]),
        rows.score,
        rows.other,
        rows.weight.astype(WEIGHT_DTYPES[place % len(WEIGHT_DTYPES)]),
        rows.group.astype(GROUP_DTYPES[place % len(GROUP_DTYPES)]),
    )
    return Rows(*(fence.lay(column, side) for fence, column in zip(fences, columns, strict=True)))


def call_all(sizes, side, share, note):
    """Call functions with rows of all sizes and types; return how many calls were made."""
    fences = [Fence(8 * max(sizes)) for _ in Rows._fields]
    turns = itertools.cycle(FUNCTIONS)
    n_calls = 0
    for place, (n, dtype) in enumerate(itertools.product(sizes, DTYPES)):
        rows = lay_out(draw_rows(n, np.dtype(dtype)), fences, place, side)
        for name in itertools.islice(turns, share):
            note(f"{name}: {n} rows of {dtype} at the {side}")
            with contextlib.suppress(ValueError):  # too few rows of a class
                call(name, rows)
            n_calls += 1
        if place % 4 == n % 4:
            note(f"states: {n} rows of {dtype} at the {side}")
            update_states(rows)
            n_calls += 1
    return n_calls


def main(path, side, share, *bounds):
    with open(path, "wb", buffering=0) as file:

        def note(case):
            file.seek(0)
            file.write(case.ljust(100).encode())

        first, last, *step = map(int, bounds)
        print(call_all(range(first, last + 1, *step), side, int(share), note))


if __name__ == "__main__":
    main(*sys.argv[1:])
