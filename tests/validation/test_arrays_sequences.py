"""Lists and tuples of Python's numbers are read as NumPy reads them, or left to it."""

import math
import sys
from decimal import Decimal
from fractions import Fraction
from functools import partial

import numpy as np
import pytest
from hypothesis import example, given, strategies as st

from fastauc._kernels import inputs as _inputs
from fastauc._validation.arrays import as_array


class Whole(int):
    """An int that is not exactly one."""


class Real(float):
    """A float whose value is not that which it holds."""

    def __float__(self):
        return 0.25


INTEGERS = st.one_of(
    st.integers(0, 1),
    st.integers(-(2**63), 2**63 - 1),
    st.sampled_from([2**53 + 1, 2**63 - 1, 2**63, -(2**63), -(2**63) - 1, 2**64, 10**400]),
)
FLOATS = st.floats(width=64)
KINDS = {
    "bool": st.booleans(),
    "int": INTEGERS,
    "float": FLOATS,
    "text": st.sampled_from(["0", "a", "nan", b"1"]),
    "missing": st.sampled_from([None, math.nan, np.nan]),
    "exact": st.sampled_from([Decimal("0.1"), Decimal("NaN"), Fraction(1, 3)]),
    "scalar": st.sampled_from(
        [np.float64(0.1), np.float32(0.1), np.int64(1), np.uint64(2**63), np.True_, np.str_("1")]
    ),
    "subclass": st.sampled_from([Whole(1), Real(0.5), np.float64(math.inf)]),
    "complex": st.just(1j),
    "list": st.lists(st.integers(0, 1) | FLOATS, max_size=2),
}
ELEMENTS = [*KINDS.values(), KINDS["int"] | KINDS["float"], KINDS["bool"] | KINDS["int"]]
ELEMENTS += [st.one_of(*KINDS.values()), KINDS["float"] | st.one_of(*KINDS.values())]
SEQUENCES = st.one_of(*(st.lists(kind, max_size=12) for kind in ELEMENTS))
SEQUENCES |= SEQUENCES.map(tuple)


class List(list):
    """A list that is left to NumPy, as it is not exactly one."""


class Tuple(tuple):
    """The same of a tuple."""


def described(found):
    array = np.asarray(found)
    if array.dtype == object:
        return [(type(value), repr(value)) for value in array.flat]
    return array.dtype, array.shape, array.tobytes()


def outcome(function):
    """Return the bits of what a call returns, or the kind and the words of its error."""
    try:
        return described(function())
    except Exception as error:
        return type(error), str(error)


@given(values=SEQUENCES, exact=st.booleans())
@example(values=[1.5, 2**53 + 1], exact=True)
@example(values=[2**53 + 1, 1.5], exact=True)
@example(values=[1, True], exact=False)
@example(values=[True, 1], exact=False)
@example(values=[0] * 9 + [2**63], exact=False)
def test_a_sequence_is_read_as_by_numpy(values, exact):
    read = partial(as_array, name="y_score", function="roc_auc_score", exact=exact)
    left_to_numpy = (List if isinstance(values, list) else Tuple)(values)
    assert outcome(partial(read, values)) == outcome(partial(read, left_to_numpy))


@pytest.mark.parametrize("make", [list, tuple])
def test_only_numbers_of_one_type_are_copied(make):
    for dtype in np.bool_, np.int64, np.float64:
        values = np.arange(100).astype(dtype).tolist()
        array = np.empty(100, dtype)
        assert _inputs.copy_numbers(make(values), array)
        assert array.tolist() == values
    # Others are left to NumPy.
    for dtype, others in {
        np.bool_: [[False, 1]],
        np.int64: [[1, 0.5], [1, True], [1, Whole(1)], [2**63], [1, -(2**63) - 1]],
        np.float64: [[0.5, 1], [0.5, None], [0.5, np.float64(0.5)]],
    }.items():
        for values in map(make, others):
            assert not _inputs.copy_numbers(values, np.empty(len(values), dtype))


@pytest.mark.parametrize("make", [list, tuple])
def test_numbers_are_copied_where_they_can_be(make, monkeypatch):
    copied, copy = [], _inputs.copy_numbers

    def watched(values, array):
        copied.append(copy(values, array))
        return copied[-1]

    monkeypatch.setattr(_inputs, "copy_numbers", watched)
    for number in bool, int, float:
        values = make(map(number, range(100)))
        array = as_array(values, "y_score", "roc_auc_score")
        # int on Windows before NumPy 2 has another size, and is left to NumPy.
        assert copied.pop() or array.itemsize == 4


@pytest.mark.parametrize("n_rows", [0, 2, 4])
def test_a_list_of_another_length_is_not_copied(n_rows):
    # As one whose length changes meanwhile; what is behind the array is not written to.
    array = np.full(n_rows + 1, 7.0)
    assert not _inputs.copy_numbers([0.5] * 3, array[:n_rows])
    assert array[n_rows] == 7


def test_numbers_lose_no_reference():
    values = [0.5, 2.5, 2**40]
    counts = list(map(sys.getrefcount, values))
    for _ in range(50):
        for rows in slice(None), slice(2), slice(2, None):
            as_array(values[rows], "y_score", "roc_auc_score")
    assert list(map(sys.getrefcount, values)) == counts
