"""Validates groups of rows, given as ids of any kind.

With several columns of ids, the groups are their combinations.
"""

from __future__ import annotations

import numbers
from collections.abc import Sequence
from datetime import date, datetime, tzinfo
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastauc._validation import arrays
from fastauc._validation.arrays import Array
from fastauc._validation.errors import check_lengths

_EXPECTED = "expected integers, booleans, dates or strings"
_WORDS = "OUST"  # kinds of dtypes
_SMALL_RANGE = 1024
_ROWS_PER_RUN = 2
_NO_OFFSETS = np.empty(0, arrays.INT64)


class Grouping(NamedTuple):
    """The groups of rows: their ids, of which some may have no rows, and the group of each row.

    If the rows of each group are contiguous, there are ``offsets``, and no ``codes``. ``order`` has
    the groups in the order of the results, if that is another one.
    """

    values: Array
    codes: NDArray[np.uint32] | None
    offsets: NDArray[np.int64] = _NO_OFFSETS
    order: NDArray[np.intp] | None = None

    def groups_in_order(self) -> NDArray[np.intp]:
        """Return the numbers of the groups in the order of the results."""
        return np.arange(len(self.values)) if self.order is None else self.order

    def ranks(self) -> NDArray[np.int64]:
        """Return the place of each group in the order of the results."""
        ranks = np.empty(len(self.values), arrays.INT64)
        ranks[self.groups_in_order()] = np.arange(len(ranks))
        return ranks

    def of_rows(self, kept: NDArray[np.bool_]) -> Grouping:
        """Return the groups of some of the rows."""
        if self.codes is not None:
            return self._replace(codes=self.codes[kept])
        return self._replace(offsets=np.append(0, np.cumsum(kept))[self.offsets])


def read_groups(groups: object, n_rows: int, function: str) -> Grouping:
    """Return the groups of ``n_rows`` rows from their ids."""
    columns = _columns_of(groups)
    if not columns:
        raise ValueError("groups has no columns; expected at least one.")
    read = [read_ids(each, n_rows, place, function) for _, place, each in columns]
    return read[0] if len(read) == 1 else combined(read, [name for name, _, _ in columns])


def _columns_of(groups: Any) -> list[tuple[str, str, Any]]:
    """Return each column with its name, and with its place as errors say it."""
    vectors = arrays.read_vectors(groups, "groups")
    if vectors is not None:
        names, places, columns = vectors
        shown = list(map(str, names or []))
        if len(set(shown)) < len(columns) or "" in shown:
            shown = list(map(str, range(len(columns))))
        return list(zip(shown, places, columns, strict=True))
    if getattr(groups, "ndim", 1) == 2 and groups.shape[1] != 1:
        return [(str(k), f"groups[:, {k}]", groups[:, k]) for k in range(groups.shape[1])]
    return [("", "groups", groups)]


def read_ids(groups: object, n_rows: int, name: str, function: str) -> Grouping:
    """Return the groups of ``n_rows`` rows from their ids, which errors call by this name."""
    numbered = arrays.read_dictionary(groups, of_pandas=True)
    if numbered is not None:
        check_lengths({"y_true": n_rows, name: len(numbered.codes)})
        return _group_numbered(*numbered, name)
    ids = arrays.read_column(groups, name, function)
    check_lengths({"y_true": n_rows, name: len(ids)})
    if ids.dtype.kind in _WORDS:
        return _group_words(ids, name)
    return _group_numbers(ids, name)


def combined(groupings: Sequence[Grouping], names: Sequence[str]) -> Grouping:
    """Return the combinations of groups that occur, as records of their ids in each column."""
    grouping = groupings[0]
    values = [grouping.values]
    for other in groupings[1:]:
        ids, more = _ranks_of_rows(grouping), _ranks_of_rows(other)
        n_more = len(other.values)
        places, more_places = grouping.groups_in_order(), other.groups_in_order()
        # Below 2^64, as each column has fewer than 2^32 groups.
        grouping = _group_integers(ids * n_more + more)
        first, second = np.divmod(grouping.values, n_more)
        values = [each[places[first]] for each in values]
        values.append(other.values[more_places[second]])
    kinds = [object if each.dtype.kind == "T" else each.dtype for each in values]
    records = np.empty(len(values[0]), list(zip(names, kinds, strict=True)))
    for name, each in zip(names, values, strict=True):
        records[name] = each
    return grouping._replace(values=records)


def _ranks_of_rows(grouping: Grouping) -> NDArray[np.int64]:
    """Return the rank of the group of each row."""
    ranks = grouping.ranks()
    if grouping.codes is not None:
        return ranks[grouping.codes]
    return np.repeat(ranks, np.diff(grouping.offsets))


# Numbers ------------------------------------------------------------------------------------------


def _group_numbers(ids: Array, name: str) -> Grouping:
    """Group integers and dtypes that can be treated as integers: booleans, dates, whole floats."""
    dtype = ids.dtype.newbyteorder("=")
    ids = arrays.as_kernel_array(ids, dtype)
    if dtype.kind in "mM":
        missing = np.flatnonzero(np.isnat(ids))
        if len(missing):
            raise _missing(name, int(missing[0]), repr(arrays.as_python(ids[missing[0]])))
        whole = ids.view(arrays.INT64)
    elif dtype.kind == "f":
        whole = _whole_numbers(ids, name)
    elif dtype.kind in "biu":
        whole = ids.view(np.uint8) if dtype.kind == "b" else ids
    else:
        raise ValueError(f"{name} has dtype {dtype}; {_EXPECTED}.")
    if whole.dtype == np.uint64:
        # Flipping the top bit preserves the order.
        grouping = _group_integers((whole ^ np.uint64(1 << 63)).view(arrays.INT64))
        values = grouping.values.view(np.uint64) ^ np.uint64(1 << 63)
    else:
        grouping = _group_integers(whole)
        values = grouping.values
    return grouping._replace(
        values=values.view(dtype) if dtype.kind in "mM" else values.astype(dtype)
    )


def _whole_numbers(ids: Array, name: str) -> NDArray[np.int64]:
    with np.errstate(invalid="ignore"):
        is_whole = (np.trunc(ids) == ids) & (ids >= -(2.0**63)) & (ids < 2.0**63)
    if not is_whole.all():
        position = int(np.argmin(is_whole))
        if ids[position] != ids[position]:
            raise _missing(name, position, repr(arrays.as_python(ids[position])))
        raise ValueError(
            f"{name}[{position}] is {ids[position]}; {_EXPECTED}, or whole numbers from -2**63 to "
            "2**63 - 1."
        )
    whole: NDArray[np.int64] = ids.astype(arrays.INT64)
    return whole


def _missing(name: str, position: int, shown: str) -> ValueError:
    return ValueError(
        f"Input {name} contains NaN. {name}[{position}] is {shown}; expected an id for every row."
    )


def _group_integers(ids: Array) -> Grouping:
    """Group integers, by their distance from the minimum if they are dense."""
    low, high = int(ids.min()), int(ids.max())
    if high - low < len(ids) + _SMALL_RANGE and high - low < 2**31:
        # Distances modulo the size of the integers, as none of their types can hold them all.
        unsigned = np.dtype(f"u{ids.itemsize}")
        codes = ids.view(unsigned) - np.array(low, ids.dtype).view(unsigned)
        values = np.arange(low, high + 1, dtype=arrays.INT64)
        return _number_rows(values, np.ascontiguousarray(codes, np.uint32))
    wide = np.ascontiguousarray(ids, arrays.INT64)
    starts = _starts_of_runs(wide, len(wide) // _ROWS_PER_RUN)
    if starts is not None:
        codes, values = arrays.number_integers(wide[starts])
        lengths = np.diff(starts, append=len(wide))
        order = np.argsort(values)
        if len(values) == len(starts):
            return Grouping(values, None, np.append(starts, len(wide)), order)
        return Grouping(values, np.repeat(codes, lengths), order=order)
    codes, values = arrays.number_integers(wide)
    return Grouping(values, codes, order=np.argsort(values))


def _starts_of_runs(ids: Array, most: int) -> NDArray[np.int64] | None:
    """Return where runs of equal ids start, or None if there are more than ``most``."""
    head = ids[: 2 * most]
    if np.count_nonzero(head[1:] != head[:-1]) >= most:
        return None  # scattered ids are detected from the first rows
    starts = np.append(0, 1 + np.flatnonzero(ids[1:] != ids[:-1])).astype(arrays.INT64)
    return starts if len(starts) <= most else None


def _number_rows(
    values: Array, codes: NDArray[np.uint32], order: NDArray[np.intp] | None = None
) -> Grouping:
    """Return the groups of rows by number; by offsets if the rows of every group are contiguous."""
    grouping = Grouping(values, codes, order=order)
    n_groups = len(grouping.values)
    starts = _starts_of_runs(codes, n_groups)
    if starts is None:
        return grouping
    present = codes[starts]
    seen = np.zeros(n_groups, np.bool_)
    seen[present] = True
    if np.count_nonzero(seen) < len(present):
        return grouping
    order = np.argsort(grouping.ranks()[present])
    return Grouping(grouping.values[present], None, np.append(starts, len(codes)), order)


# Words --------------------------------------------------------------------------------------------


def _group_numbered(codes: Array, values: Array, is_ordered: bool, name: str) -> Grouping:
    """Group rows by codes of values; codes below 0 are missing."""
    if codes.min() < 0:
        raise _missing(name, int(np.argmax(codes < 0)), "missing")
    codes = np.ascontiguousarray(codes, np.uint32)
    if is_ordered:
        return _number_rows(values, codes)
    read = _group_words if values.dtype.kind in _WORDS else _group_numbers
    named = read(values, name)
    group_of_value = named.codes
    if group_of_value is None:  # a value each, or several if an Arrow dictionary repeats one
        runs = np.diff(named.offsets)
        group_of_value = np.repeat(np.arange(len(runs), dtype=np.uint32), runs)
    codes = group_of_value[codes]
    return _number_rows(named.values, codes, named.order)


def _group_words(ids: Array, name: str) -> Grouping:
    """Group strings, bytes, or objects that are all of one of these types, or integers."""
    try:
        codes, distinct = arrays.number_words(ids)
    except TypeError:  # not hashable
        words = ids.tolist()
        position = next(i for i, word in enumerate(words) if _kind(word) is None)
        raise _odd(position, words[position], name) from None
    for code, word in enumerate(distinct):
        if _kind(word) is None or _kind(word) is not _kind(distinct[0]):
            raise _odd(int(np.argmax(codes == code)), word, name)
    order = np.array(sorted(range(len(distinct)), key=distinct.__getitem__), np.intp)
    values = np.empty(len(distinct), object)
    values[:] = distinct
    if ids.dtype.kind in "UST":
        values = values.astype(ids.dtype)
    elif _kind(distinct[0]) is numbers.Integral and all(-(2**63) <= v < 2**63 for v in distinct):
        values = values.astype(arrays.INT64)
    return _number_rows(values, codes.astype(np.uint32, copy=False), order)


def _kind(word: object) -> type | None:
    """Return the type of ids that a value belongs to, or None."""
    if isinstance(word, datetime) and word.tzinfo is not None:
        return tzinfo  # as they are not in order with those of no time zone
    kinds = () if arrays.is_missing(word) else (str, bytes, numbers.Integral, datetime, date)
    return next((kind for kind in kinds if isinstance(word, kind)), None)


def _odd(position: int, word: object, name: str) -> ValueError:
    found = f"Input {name} contains NaN. " if arrays.is_missing(word) else ""
    return ValueError(f"{found}{name}[{position}] is {word!r}; {_EXPECTED}, all of one kind.")


def number_groups(column: Array, name: str, function: str) -> NDArray[np.intp]:
    """Return the group number of each row, in the order of the groups' names; each has rows."""
    ranks = _ranks_of_rows(read_ids(column, len(column), name, function))
    occurs = np.bincount(ranks) > 0
    return (np.cumsum(occurs, dtype=np.intp) - 1)[ranks]
