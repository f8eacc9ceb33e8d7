"""Arrow's decimals as the doubles nearest to them."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

_DIGITS = 15  # decimals of so many digits stay distinct, and in order, as doubles
_EXACT_POWER = 22  # 10^22 is the highest power of ten that is a double


def are_doubles(found: Any) -> bool:
    """Tell whether an Arrow type is one of decimals that stay distinct as doubles."""
    import pyarrow as pa

    return bool(pa.types.is_decimal(found)) and found.precision <= _DIGITS


def as_doubles(column: Any) -> NDArray[np.float64]:
    """Return the nearest double to each decimal of a column of them without nulls."""
    import pyarrow as pa

    precision, scale = column.type.precision, column.type.scale
    if not 0 <= scale <= _EXACT_POWER:
        return np.array([float(value) for value in column.to_pylist()], np.float64)
    column = column.cast(pa.decimal128(precision, scale))
    # Arrow's own cast to double is not correctly rounded; one operation on exact doubles is.
    whole = pa.Array.from_buffers(
        pa.decimal128(precision, 0), len(column), column.buffers(), offset=column.offset
    )
    digits: NDArray[np.int64] = np.asarray(whole.cast(pa.int64()))
    doubles: NDArray[np.float64] = digits / 10.0**scale
    return doubles
