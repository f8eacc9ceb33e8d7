"""AUCs of whole files, and their columns in chunks of NumPy arrays.

CSV, JSON, Parquet and Arrow files are decoded by pyarrow, which is imported on first use; .npy and
.npz files need only NumPy. Nothing is unpickled.
"""

from fastauc._rows import Dropped
from fastauc._validation.errors import DataError
from fastauc.files._opening import Source
from fastauc.files._passes import Progress
from fastauc.files._reading import Chunk, stream_columns
from fastauc.files._scoring import ColumnScore, ScoringInterrupted, merge_states, score
from fastauc.files._sources import find

__all__ = [
    "Chunk",
    "ColumnScore",
    "DataError",
    "Dropped",
    "Progress",
    "ScoringInterrupted",
    "Source",
    "find",
    "merge_states",
    "score",
    "stream_columns",
]


def __dir__() -> list[str]:
    return __all__
