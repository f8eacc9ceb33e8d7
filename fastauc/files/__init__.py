"""Columns of files as NumPy arrays, and files scored as a whole.

CSV, JSON, Parquet and Arrow files are decoded by pyarrow, imported with the first of them; .npy and
.npz files need NumPy alone. Nothing is unpickled.
"""

from fastauc.files.dropped import Dropped
from fastauc.files.passes import Progress
from fastauc.files.reading import Chunk, count_rows, read_columns, stream_columns
from fastauc.files.scoring import ColumnScore, ScoringInterrupted, merge_states, score
from fastauc.files.sources import (
    DataError,
    Fingerprint,
    Source,
    describe,
    find,
    fingerprint,
    located,
)

__all__ = [
    "Chunk",
    "ColumnScore",
    "DataError",
    "Dropped",
    "Fingerprint",
    "Progress",
    "ScoringInterrupted",
    "Source",
    "count_rows",
    "describe",
    "find",
    "fingerprint",
    "located",
    "merge_states",
    "read_columns",
    "score",
    "stream_columns",
]
