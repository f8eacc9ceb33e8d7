"""Groups of rows by one column of ids, or by several: then the groups are the combinations."""

from typing import Any

import numpy as np

from fastauc._validation.columns import read_table
from fastauc._validation.groups import Grouping, combined, read_ids, read_offsets


def read_groups(groups: object, offsets: object, n_rows: int, function: str) -> Grouping:
    """Return the groups of ``n_rows`` rows, from their ids or from their offsets."""
    if (groups is None) == (offsets is None):
        given = "both are" if groups is not None else "neither is"
        raise ValueError(f"{function} needs either groups or offsets; {given} given.")
    if offsets is not None:
        return read_offsets(offsets, n_rows, function)
    columns = _columns_of(groups)
    if not columns:
        raise ValueError("groups has no columns; expected at least one.")
    read = [read_ids(each, n_rows, place, function) for _, place, each in columns]
    return read[0] if len(read) == 1 else combined(read, [name for name, _, _ in columns])


def _columns_of(groups: Any) -> list[tuple[str, str, Any]]:
    """Return each column with its name, and with its place as errors say it."""
    table = read_table(groups)
    if table is not None:
        names = list(map(str, table[0]))
        places = [f"groups[{name!r}]" for name in table[0]]
        if len(set(names)) < len(names) or "" in names:  # they are told apart by their positions
            names = [str(k) for k in range(len(names))]
        return list(zip(names, places, table[1], strict=True))
    if getattr(groups, "ndim", 1) == 2 and groups.shape[1] != 1:
        return [(str(k), f"groups[:, {k}]", groups[:, k]) for k in range(groups.shape[1])]
    if isinstance(groups, (list, tuple)) and groups and all(map(_is_array, groups)):
        return [(str(k), f"groups[{k}]", each) for k, each in enumerate(groups)]
    return [("", "groups", groups)]


def _is_array(value: Any) -> bool:
    return hasattr(value, "__array__") and not isinstance(value, np.generic)
