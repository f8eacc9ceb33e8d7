"""Array-likes to NumPy arrays: the only file that knows other libraries' containers.

Whatever cannot be converted is rejected here, with the name of the argument. Nothing is copied
unless it has to be, and no conversion changes a number: integers beyond 2^53, long doubles,
decimals and fractions keep their exact order (``order_keys``).
"""

from __future__ import annotations

import itertools
import math
import numbers
import sys
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from fastauc._kernels import groups as _groups, inputs as _inputs
from fastauc._validation.errors import invalid_parameter

Array = NDArray[Any]
T = TypeVar("T")
BOOL = np.dtype(np.bool_)
FLOAT32, FLOAT64 = np.dtype(np.float32), np.dtype(np.float64)
INT8, INT32, INT64 = np.dtype(np.int8), np.dtype(np.int32), np.dtype(np.int64)
UINT8, UINT32, UINT64 = np.dtype(np.uint8), np.dtype(np.uint32), np.dtype(np.uint64)
# What NumPy makes of them; of int, 32 bits on Windows before NumPy 2.
_DTYPES_OF_NUMBERS = {number: np.dtype(number) for number in (bool, int, float)}
_LEAST_TABLE, _MOST_TABLE = 2**12, 2**32  # entries
_FIRST_WORDS = 100
# NumPy reads this memory through DLPack, but does not wait for the device that writes to it.
_CUDA_MANAGED = 13
_EXACT_IN_FLOAT64 = 2**53
# Fractions of decimals with more would take up any amount of memory and time; doubles have 1,074.
_MOST_PLACES = 2000
DIGITS = 15  # decimals of this many digits stay distinct, and in order, as doubles
_LARGEST_EXPONENT = 307  # of a number of which every such decimal has a double of full precision
_score_range = _inputs.score_range["double"]


def as_array(
    values: object, name: str, function: str, *, optional: bool = False, exact: bool = False
) -> Array:
    """Return a NumPy array for any array-like in main memory.

    An exact one has object dtype if NumPy would round integers next to floats.
    """
    array = array_of(values)
    if array is None:
        same_numbers = _copy_numbers(values)
        if same_numbers is not None:
            return same_numbers
        expected = "an array-like or None" if optional else "an array-like"
        array = _convert(values, name, function, expected)
        if exact:
            array = _as_exact_array(array, values)
    if array.dtype.kind == "c":
        raise ValueError(
            f"Complex data not supported\n{name} has dtype {array.dtype}; expected real numbers."
        )
    if array.dtype.kind == "V" and np.can_cast(array.dtype, FLOAT32):
        return array.astype(FLOAT32)  # bfloat16, or a type of 8 bits, of the package ml_dtypes
    return array


def array_of(values: Any) -> Array | None:
    """Return an array itself, or that of a pandas Series; None for anything else."""
    if type(values) is np.ndarray:
        return values
    if type(values) is getattr(sys.modules.get("pandas"), "Series", None):
        # Not a public attribute, but six times as fast as the public one, which returns the same
        # view.
        block = getattr(values, "_values", None)
        return block if type(block) is np.ndarray else None
    return None


def _copy_numbers(values: object) -> Array | None:
    """Return the array of a list or a tuple that contains a single Python number type."""
    if not (type(values) is list or type(values) is tuple) or not values:
        return None
    dtype = _DTYPES_OF_NUMBERS.get(type(values[0]))
    if dtype is None:
        return None
    array = np.empty(len(values), dtype)
    return array if _inputs.copy_numbers(values, array) else None


def _convert(values: Any, name: str, function: str, expected: str) -> Array:
    _refuse_special_arrays(values, name, function, expected)
    if hasattr(values, "unify_dictionaries") and getattr(values, "null_count", 0) > 0:
        # For missing values in a chunk, Arrow would write another value of the dictionary.
        values = values.combine_chunks()
    if isinstance(values, getattr(sys.modules.get("torch"), "Tensor", ())):
        values = _as_numpy_knows(values)
    if hasattr(values, "__array__"):
        return np.asarray(_call(np.asarray, values, name))
    if hasattr(values, "__dlpack__"):
        device, _ = _call(lambda exporter: exporter.__dlpack_device__(), values, name)
        if device == _CUDA_MANAGED:
            raise TypeError(
                f"{name} is in CUDA managed memory; expected an array in main memory: move it to "
                "the CPU first."
            )
        return np.asarray(_call(np.from_dlpack, values, name))
    is_sequence = hasattr(values, "__len__") and hasattr(values, "__getitem__")
    if not is_sequence or isinstance(values, (str, bytes, bytearray, dict)):
        raise invalid_parameter(function, name, expected, values)
    return _convert_sequence(values, name)


def _as_numpy_knows(tensor: Any) -> Any:
    """Return a tensor, converted to single precision if it is bfloat16 or an 8-bit float."""
    is_small = tensor.is_floating_point() and tensor.element_size() < 4
    return tensor.float() if is_small and str(tensor.dtype) != "torch.float16" else tensor


def _convert_sequence(values: Any, name: str) -> Array:
    array: Array = _call(np.asarray, values, name)
    if array.dtype.kind == "U":
        objects = np.asarray(values, dtype=object)
        if not all(isinstance(value, str) for value in objects.flat):
            return objects  # NumPy makes a text of every number, and "nan" of a missing value
    return array


def _refuse_special_arrays(values: object, name: str, function: str, expected: str) -> None:
    if hasattr(values, "toarray") and hasattr(values, "nnz"):
        hint = f"{name} is sparse: pass {name}.toarray()."
        raise invalid_parameter(function, name, expected, values, hint)
    if isinstance(values, np.matrix):
        raise TypeError(f"np.matrix is not supported: {name} is one; pass np.asarray({name}).")
    if isinstance(values, np.ma.MaskedArray) and np.ma.is_masked(values):
        place = locate(name, int(np.flatnonzero(np.ma.getmaskarray(values))[0]), values)
        raise ValueError(f"{place} is masked; expected no masked entries: select the rows first.")


def _call(converter: Callable[[Any], Any], values: object, name: str) -> Any:
    try:
        return converter(values)
    except Exception as error:  # whatever another library raises for what it cannot give
        if isinstance(error, MemoryError):
            raise
        kind = ValueError if isinstance(error, ValueError) else TypeError
        raise kind(f"{name} cannot be converted to an array: {error}") from error


def _as_exact_array(array: Array, values: object) -> Array:
    """Return the array of a sequence; object dtype if NumPy rounded integers next to floats."""
    # A memoryview or an array.array has a single type for all its numbers.
    may_mix = isinstance(values, Sequence) and not hasattr(values, "itemsize")
    if array.dtype != FLOAT64 or not may_mix:
        return array
    column = array.ravel()
    low, high, position = _score_range(column)
    if position < 0 and low > -_EXACT_IN_FLOAT64 and high < _EXACT_IN_FLOAT64:
        return array
    objects = np.asarray(values, dtype=object)
    pairs = zip(objects.flat, column.tolist(), strict=True)
    is_rounded = any(isinstance(v, numbers.Integral) and int(v) != w for v, w in pairs)
    return objects if is_rounded else array


# Several columns ----------------------------------------------------------------------------------


def read_table(table: Any) -> tuple[list[Any], list[Any]] | None:
    """Return the names and the columns of a table or a mapping; None for anything else."""
    if hasattr(table, "itercolumns"):  # of Arrow
        return list(table.column_names), list(table.itercolumns())
    if hasattr(table, "get_columns"):  # of Polars
        return list(table.columns), list(table.get_columns())
    if hasattr(table, "iloc") and hasattr(table, "columns"):  # of pandas; names may repeat
        return list(table.columns), [table.iloc[:, i] for i in range(len(table.columns))]
    if isinstance(table, Mapping):
        return list(table), list(table.values())
    return None


def read_vectors(
    values: Any, name: str, *, of_lists: bool = False
) -> tuple[list[Any] | None, list[str], list[Any]] | None:
    """Return the names of columns, if they have some, how errors call them, and the columns.

    Of a table, a mapping, or a list with an array in it, or also ``of_lists``; None for all else.
    """
    names, columns = read_table(values) or (None, values)
    if not isinstance(columns, (list, tuple)):
        return None
    if names is None and not (of_lists or any(map(_is_array, columns))):
        return None
    # Two columns with the same name are told apart by their positions.
    is_named = names is not None and len(set(names)) == len(names)
    keys = names if names is not None and is_named else range(len(columns))
    return names, [f"{name}[{key!r}]" for key in keys], list(columns)


def _is_array(value: object) -> bool:
    return hasattr(value, "__array__") and not isinstance(value, np.generic)


# Text and categories ------------------------------------------------------------------------------


class Dictionary(NamedTuple):
    """Rows as positions in a list of values, the way some containers store them.

    A code is below 0 where a value is missing. Some values may not occur in any row, and Arrow may
    repeat one. In an ``is_ordered`` dictionary, their order has a meaning.
    """

    codes: Array
    values: Array
    is_ordered: bool = False


def read_dictionary(values: Any, *, of_pandas: bool = False) -> Dictionary | None:
    """Return categories, or text that its library stores by number; None for anything else.

    Optionally also what pandas stores in another type of its own.
    """
    dtype = getattr(values, "dtype", None)
    if isinstance(dtype, np.dtype):
        return None
    if isinstance(values, getattr(sys.modules.get("polars"), "Series", ())):
        return _read_polars(values)
    if hasattr(dtype, "categories"):
        categorical = getattr(values, "cat", values)
        return Dictionary(np.asarray(categorical.codes), np.asarray(categorical.categories), True)
    kind = str(getattr(values, "type", ""))
    if hasattr(values, "dictionary_encode") and kind.startswith(
        ("string", "large_s", "dictionary")
    ):
        return _read_arrow(values)
    is_text = getattr(dtype, "type", None) is str and getattr(dtype, "storage", "") == "pyarrow"
    if is_text or (of_pandas and hasattr(values, "factorize")):
        codes, distinct = values.factorize()
        return Dictionary(np.asarray(codes), np.asarray(distinct))
    return None


def _read_polars(series: Any) -> Dictionary | None:
    polars, dtype = sys.modules["polars"], series.dtype
    if dtype not in (polars.String, polars.Categorical, polars.Enum) or series.null_count():
        return None
    words = dtype.categories if dtype == polars.Enum else series.unique()
    if dtype != polars.Enum:  # Categorical has the numbers of all its series
        series = series.cast(polars.Enum(words.cast(polars.String)))
    distinct = np.asarray(words) if dtype == polars.String else words.to_numpy()
    return Dictionary(series.to_physical().to_numpy(), distinct, dtype == polars.Enum)


def _read_arrow(array: Any) -> Dictionary:
    encoded = array.dictionary_encode()
    if hasattr(encoded, "combine_chunks"):
        encoded = encoded.unify_dictionaries().combine_chunks()
    codes = encoded.indices
    if codes.null_count:
        codes = codes.cast("int64").fill_null(-1)
    values = encoded.dictionary.to_numpy(zero_copy_only=False)
    is_ordered = encoded.type.ordered and len(set(values.tolist())) == len(values)
    return Dictionary(codes.to_numpy(zero_copy_only=False), values, is_ordered)


def number_integers(ids: NDArray[np.int64]) -> tuple[NDArray[np.uint32], NDArray[np.int64]]:
    """Return the code of each integer, and the distinct ones."""
    size = _LEAST_TABLE
    codes = np.empty(len(ids), UINT32)
    while size <= min(_MOST_TABLE, 8 * len(ids) + _LEAST_TABLE):
        distinct = np.empty(size // 2, INT64)
        n_distinct, n_done = _groups.number_ids(ids, np.zeros(size, UINT32), distinct, codes)
        if n_done == len(ids):
            return codes, distinct[:n_distinct].copy()
        if n_distinct < size // 2:
            break  # too many hash collisions, as adversarial ids may cause
        size *= 8
    distinct, ranks = np.unique(ids, return_inverse=True)
    return ranks.astype(UINT32), distinct


def number_words(column: Array) -> tuple[Array, list[Any]]:
    """Return an integer code for each text or object, and the distinct ones.

    Raises TypeError for an object that is not hashable.
    """
    if column.dtype.kind in "US" and column.dtype.itemsize > 0 and len(column) > 0:
        codes = _number_bytes(as_kernel_array(column, column.dtype.newbyteorder("=")))
        firsts = np.empty(int(codes.max()) + 1, np.intp)
        firsts[codes[::-1]] = np.arange(len(codes))[::-1]  # the last one written stays
        return codes, column[firsts].tolist()
    words = list(dict.fromkeys(column[:_FIRST_WORDS].tolist()))
    if column.dtype.kind == "O" and list(map(type, words)) == [str, str]:
        is_first, is_second = (column == word for word in words)
        if (is_first | is_second).all():
            return is_second.view(UINT8), words
    codes_of: defaultdict[Any, int] = defaultdict(itertools.count().__next__)
    codes = np.fromiter(map(codes_of.__getitem__, column.tolist()), UINT32, len(column))
    return codes, list(codes_of)


def _number_bytes(column: Array) -> NDArray[np.uint32]:
    """Return a code for each text, eight bytes at a time, which are a character each if they can.

    NumPy fills texts up with zeros, which it does not tell from those at their ends.
    """
    raw = column.view(UINT32 if column.dtype.kind == "U" else UINT8)
    n_bytes = len(raw) // len(column)
    if raw.dtype == UINT32 and int(raw.max()) > 255:
        raw, n_bytes = raw.view(UINT8), 4 * n_bytes
    padded = raw.astype(UINT8, copy=False).view(f"S{n_bytes}").astype(f"S{-(-n_bytes // 8) * 8}")
    words = padded.view(INT64).reshape(len(column), -1).T
    codes = number_integers(np.ascontiguousarray(words[0]))[0]
    for word in words[1:]:
        more = number_integers(np.ascontiguousarray(word))[0]
        codes = number_integers(codes.astype(INT64) << 32 | more)[0]
    return codes


def as_column(array: Array, name: str) -> Array:
    """Return the one-dimensional view of a vector or of a single column."""
    if array.ndim == 1:
        return array
    if array.ndim == 2 and array.shape[1] == 1:
        return array[:, 0]
    # Most often the probabilities of both classes, as predict_proba returns them.
    advice = f", such as {name}[:, 1]" if array.ndim == 2 and array.shape[1] == 2 else ""
    raise ValueError(
        f"y should be a 1d array, got an array of shape {array.shape} instead. "
        f"{name} must be one-dimensional or a single column{advice}."
    )


def read_column(
    values: object, name: str, function: str, *, optional: bool = False, exact: bool = False
) -> Array:
    """Return the one-dimensional array of a vector or of a single column."""
    return as_column(as_array(values, name, function, optional=optional, exact=exact), name)


def by_dtype(entries: dict[str, T]) -> dict[np.dtype[Any], T]:
    """Return a table with dtypes, of either byte order, in place of their names as keys."""
    native = {np.dtype(name): entry for name, entry in entries.items()}
    return native | {dtype.newbyteorder("S"): entry for dtype, entry in native.items()}


def as_kernel_array(array: Array, dtype: np.dtype[Any]) -> Array:
    """Return the array contiguous, aligned, and in native byte order; copy only if needed."""
    flags = array.flags
    if array.dtype is dtype and flags.c_contiguous and flags.aligned:
        return array  # np.require finds the same, in four times the time
    with np.errstate(invalid="ignore"):  # a signaling NaN is found and named later
        return np.require(array, dtype, ["C_CONTIGUOUS", "ALIGNED"])


class OrderKeys(NamedTuple):
    """Keys in a dtype that the kernels support, in exactly the same order as the scores.

    They are equal if and only if the scores are. ``dtype`` is that of the scores. If the keys are
    ranks, ``distinct`` has the distinct scores, in increasing order.
    """

    keys: Array
    dtype: np.dtype[Any]
    distinct: Array | None = None

    def restore(self, keys: Array) -> Array:
        """Return the scores for the given keys, in their own dtype."""
        if self.distinct is not None:
            return self.distinct[keys.astype(np.intp)]
        if self.dtype.kind == "u" and keys.dtype == np.int64 and self.dtype.itemsize == 8:
            return (keys.view(np.uint64) ^ np.uint64(1 << 63)).astype(self.dtype, copy=False)
        return keys.astype(self.dtype, copy=False)


def opposite_number(value: Any) -> Any:
    """Return a number subtracted from 0, so that it is not -0.0; exactly, whatever its type."""
    if isinstance(value, Decimal):  # whose difference would be rounded to the digits of the context
        return value.copy_negate() if value else Decimal(0)
    return 0 - value


def opposite(values: Array) -> Array:
    """Return numbers in reverse order, exactly: each subtracted from 0, so that none is -0.0."""
    if values.dtype.kind == "O":
        opposites = np.empty(values.shape, object)
        opposites.flat[:] = [opposite_number(value) for value in values.flat]
        return opposites
    if values.dtype.kind in "biu" and values.size:
        # 64-bit integers may have no counterpart in int64.
        is_wide = int(values.max()) >= 2**63 or int(values.min()) == -(2**63)
        values = values.astype(object if is_wide else np.int64)
    turned: Array = 0 - values
    return turned


# float16 and small integers are exact in float32; larger integers are not exact even in float64.
KEY_DTYPES = by_dtype(
    dict.fromkeys(("?", "i1", "u1", "i2", "u2", "f2", "f4"), FLOAT32)
    | dict.fromkeys(("i4", "u4", "i8"), INT64)
    | {"f8": FLOAT64}
)


def order_keys(scores: Array, name: str) -> OrderKeys:
    """Return keys for one-dimensional or two-dimensional scores.

    uint64 is mapped to int64 by flipping the top bit. Dtypes that no kernel dtype can represent
    exactly are replaced by their dense ranks.
    """
    dtype = scores.dtype
    key_dtype = KEY_DTYPES.get(dtype)
    if key_dtype is not None:
        return OrderKeys(as_kernel_array(scores, key_dtype), dtype)
    if dtype.kind == "u":
        flipped = as_kernel_array(scores, UINT64) ^ np.uint64(1 << 63)
        return OrderKeys(flipped.view(np.int64), dtype)
    if dtype.kind == "f":
        with np.errstate(over="ignore"):
            double = scores.astype(np.float64)
        if not np.isfinite(scores).all() or (double == scores).all():
            return OrderKeys(double, dtype)
        return _rank(scores, scores)
    if dtype.kind == "O":
        return _rank_numbers(scores, name)
    raise ValueError(
        f"{name} has dtype {dtype}; expected real numbers (float, integer or boolean)."
    )


def _rank(comparable: Array, scores: Array) -> OrderKeys:
    _, first, rank = np.unique(comparable, return_index=True, return_inverse=True)
    ranks = rank.reshape(scores.shape).astype(np.float64)  # fewer than 2^53 of them
    return OrderKeys(ranks, scores.dtype, scores.ravel()[first])


def _rank_numbers(scores: Array, name: str) -> OrderKeys:
    # Fraction is the only type to which integers, floats and decimals all convert exactly.
    exact = np.empty(scores.shape, dtype=object)
    for position, value in enumerate(scores.flat):
        if not is_number(value):
            found = "Input contains NaN. " if is_missing(value) else ""
            place = locate(name, position, scores)
            raise ValueError(f"{found}{place} is {value!r}; expected a number.")
        exact.flat[position] = exact_number(value, name, position, scores)
    return _rank(exact, scores)


def is_number(value: object) -> bool:
    # NumPy takes its durations for integers.
    return isinstance(value, (numbers.Real, Decimal, np.bool_)) and not isinstance(
        value, np.timedelta64
    )


def exact_number(value: Any, name: str, position: int, array: Array, label: str = "") -> Fraction:
    """Return a number of an array of objects; an error for NaN, infinity and huge exponents."""
    if not (value.is_finite() if isinstance(value, Decimal) else abs(value) < math.inf):
        raise nonfinite_error(name, position, array, label)
    if isinstance(value, Decimal) and value and not _has_few_places(value):
        raise ValueError(
            f"{locate(name, position, array)} is a decimal near 1E{value.adjusted():+}; expected "
            f"at most {_MOST_PLACES} digits on either side of the point."
        )
    return as_fraction(value) if value else Fraction(0)


def _has_few_places(value: Decimal) -> bool:
    exponent = value.as_tuple().exponent
    return value.adjusted() < _MOST_PLACES and int(exponent) >= -_MOST_PLACES


def is_short(value: Decimal) -> bool:
    """Tell whether a finite decimal has few enough digits, zeros at the end aside."""
    digits = "".join(map(str, value.as_tuple().digits)).rstrip("0")
    return not digits or (len(digits) <= DIGITS and abs(value.adjusted()) <= _LARGEST_EXPONENT)


def as_doubles(order: OrderKeys) -> tuple[Array, NDArray[np.uint8]]:
    """Return the scores behind keys in single or double precision, without reversing their order.

    Also return 1 for each score that its double does not represent exactly, unless it is a decimal
    of up to 15 digits; empty if all do.
    """
    if order.distinct is not None:
        exact = [as_fraction(value) for value in order.distinct.tolist()]
        doubles = np.array([_nearest_double(value) for value in exact])
        rounded = np.array([Fraction(d) != e for d, e in zip(doubles.tolist(), exact, strict=True)])
        for i in np.flatnonzero(rounded).tolist():
            value = order.distinct[i]
            rounded[i] = not (isinstance(value, Decimal) and is_short(value))
        ranks = order.keys.astype(np.intp)
        return doubles[ranks], rounded.view(UINT8)[ranks]
    none = np.empty(0, UINT8)
    if order.keys.dtype != INT64:
        return order.keys, none
    scores = order.restore(order.keys)
    doubles = scores.astype(FLOAT64)
    if scores.dtype.itemsize < 8:
        return doubles, none
    # As a double, the largest integer is rounded up: 2^63 or 2^64, which is out of range.
    is_beyond = doubles >= float(np.iinfo(scores.dtype).max)
    is_rounded = is_beyond | (np.where(is_beyond, 0, doubles).astype(scores.dtype) != scores)
    return doubles, is_rounded.view(UINT8) if is_rounded.any() else none


def _nearest_double(value: Fraction) -> float:
    try:
        return float(value)
    except OverflowError:
        greatest = float(np.finfo(FLOAT64).max)
        return greatest if value > 0 else -greatest


def as_python(value: Any) -> Any:
    """Return the Python number or text for a NumPy scalar, and anything else unchanged."""
    return value.item() if isinstance(value, np.generic) else value


def locate(name: str, position: int, array: Array) -> str:
    """Return the place of a flat position in Python notation: ``name[3]``, ``name[3, 1]``."""
    index = ", ".join(str(int(i)) for i in np.unravel_index(position, array.shape))
    return f"{name}[{index}]"


def is_missing(value: object) -> bool:
    """Return whether an object represents a missing value: None, pandas.NA, NaT, or NaN."""
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(value, (float, np.floating, Decimal)) and is_nan(value)


def is_nan(value: Any) -> bool:
    # A signaling NaN of decimals cannot be compared.
    return value.is_nan() if isinstance(value, Decimal) else bool(value != value)


def nonfinite_error(name: str, position: int, array: Array, label: str = "") -> ValueError:
    """Return the error for NaN or infinity; it starts with scikit-learn's sentence."""
    value = array.flat[position]
    # scikit-learn converts objects to float64 before it checks.
    dtype = FLOAT64 if array.dtype == object else array.dtype
    found = "NaN" if is_nan(value) else f"infinity or a value too large for {dtype!r}"
    return ValueError(
        f"Input {label}contains {found}. {locate(name, position, array)} is {value}; "
        "expected finite numbers."
    )


def as_fraction(value: Any) -> Fraction:
    """Return a number as a fraction, which represents all types of numbers exactly."""
    number = as_python(value)
    is_known = isinstance(number, (numbers.Rational, float, Decimal))
    return Fraction(number) if is_known else Fraction(*number.as_integer_ratio())
