"""Columns of files as NumPy arrays, and AUCs of whole files.

CSV, JSON, Parquet and Arrow files are decoded by pyarrow, which is imported on first use; .npy and
.npz files need only NumPy. Nothing is unpickled.
"""

from fastauc._rows import Dropped
from fastauc.files._passes import Progress
from fastauc.files._reading import Chunk, read_columns, stream_columns
from fastauc.files._scoring import ColumnScore, ScoringInterrupted, merge_states, score
from fastauc.files._sources import DataError, Source, find, located

__all__ = [
    "Chunk",
    "ColumnScore",
    "DataError",
    "Dropped",
    "Progress",
    "ScoringInterrupted",
    "Source",
    "find",
    "located",
    "merge_states",
    "read_columns",
    "score",
    "stream_columns",
]


def __dir__() -> list[str]:
    return __all__
