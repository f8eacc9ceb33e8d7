from typing import Any

import numpy as np
from numpy.typing import NDArray

def number_ids(
    ids: NDArray[np.int64],
    table: NDArray[np.uint32],
    distinct: NDArray[np.int64],
    codes: NDArray[np.uint32],
) -> tuple[int, int]: ...
def count_parts(codes: NDArray[np.uint32], shift: int, counts: NDArray[np.int64]) -> None: ...
def place_rows(
    codes: NDArray[np.uint32],
    label: NDArray[np.uint8],
    score: NDArray[Any],
    weight: NDArray[np.float64],
    shift: int,
    starts: NDArray[np.int64],
    keys: NDArray[np.uint64],
    places: NDArray[np.uint16],
    placed_weight: NDArray[np.float64],
) -> None: ...
def arrange_part(
    source: NDArray[Any],
    places: NDArray[np.uint16],
    weight: NDArray[np.float64],
    ends: NDArray[np.uint32],
    arranged: NDArray[np.uint64],
    arranged_weight: NDArray[np.float64],
) -> None: ...
def arrange_runs(
    label: NDArray[np.uint8],
    score: NDArray[Any],
    weight: NDArray[np.float64],
    offsets: NDArray[np.int64],
    ends: NDArray[np.uint32],
    arranged: NDArray[np.uint64],
    arranged_weight: NDArray[np.float64],
) -> None: ...
def compare_groups(
    keys: NDArray[np.uint64],
    ends: NDArray[np.uint32],
    least_large: int,
    spare: NDArray[np.uint64],
    twice_u: NDArray[np.uint64],
    spreads: NDArray[np.float64],
) -> None: ...
def add_quotients(
    twice_u: NDArray[np.uint64], pairs: NDArray[np.uint64], weight: NDArray[np.uint64]
) -> tuple[int, int]: ...
def weigh_groups(
    keys: NDArray[np.uint64],
    weight: NDArray[np.float64],
    ends: NDArray[np.uint32],
    spare: NDArray[np.uint64],
    area: NDArray[np.float64],
    totals: NDArray[np.float64],
    unsure: NDArray[np.uint8],
) -> None: ...
