from typing import Any

from numpy.typing import NDArray

def take_columns(matrix: NDArray[Any], columns: NDArray[Any]) -> None: ...
