"""Whole columns of files, as the chunks of ``stream_columns`` hold them."""

import numpy as np

from fastauc.files import stream_columns
from fastauc.files._sources import located


def read_columns(paths, columns, **options):
    """Return columns, concatenated."""
    with located(paths) as files:
        chunks = list(stream_columns(files, columns, **options))
    return {name: np.concatenate([chunk.columns[name] for chunk in chunks]) for name in columns}
