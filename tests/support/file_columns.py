"""Columns that are written to files of every format, and read as ``stream_columns`` reads them."""

import json

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq

from fastauc.files import stream_columns
from fastauc.files._sources import located


def write_columns(path, columns, rows=100, *, nan_is_null=False):
    """Write columns in the format that the path ends in, in parts of so many rows."""
    if path.suffix == ".npz":
        np.savez(path, **columns)
        return path
    if path.suffix == ".npy":
        arrays = {name: np.asarray(values) for name, values in columns.items()}
        dtype = [(name, values.dtype) for name, values in arrays.items()]
        np.save(path, np.array(list(zip(*columns.values(), strict=True)), dtype))
        return path
    arrays = {name: pa.array(values, from_pandas=nan_is_null) for name, values in columns.items()}
    write_table(path, pa.table(arrays), rows)
    return path


def write_table(path, table, rows=100, **options):
    if path.suffix == ".csv":
        pyarrow.csv.write_csv(table, path)
    elif path.suffix == ".jsonl":
        path.write_text("".join(json.dumps(row) + "\n" for row in table.to_pylist()))
    elif path.suffix == ".parquet":
        pq.write_table(table, path, row_group_size=rows, **options)
    else:
        with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_file(sink, table.schema) as writer:
            writer.write_table(table.unify_dictionaries(), max_chunksize=rows)


def read_columns(paths, columns, **options):
    """Return columns, concatenated."""
    with located(paths) as files:
        chunks = list(stream_columns(files, columns, **options))
    return {name: np.concatenate([chunk.columns[name] for chunk in chunks]) for name in columns}
