"""Columns that are written to files of every format, and read as ``stream_columns`` reads them."""

import io
import json
import threading

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest

from fastauc.files import DataError, stream_columns
from fastauc.files._sources import located


def ordered_words(library, words, categories):
    """Return words in a container that knows their order."""
    if library == "polars":
        polars = pytest.importorskip("polars")
        return polars.Series(words, dtype=polars.Enum(categories))
    if library == "pyarrow":
        codes = pa.array([categories.index(word) for word in words])
        return pa.DictionaryArray.from_arrays(codes, categories, ordered=True)
    pandas = pytest.importorskip("pandas")
    ordered = pandas.Categorical(words, categories)
    return ordered if library == "pandas array" else pandas.Series(ordered)


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
        new = pa.ipc.new_stream if path.suffix == ".arrows" else pa.ipc.new_file
        with pa.OSFile(str(path), "wb") as sink, new(sink, table.schema) as writer:
            writer.write_table(table.unify_dictionaries(), max_chunksize=rows)


def read_columns(paths, columns, **options):
    """Return columns, concatenated."""
    with located(paths) as files:
        chunks = list(stream_columns(files, columns, **options))
    return {name: np.concatenate([chunk.columns[name] for chunk in chunks]) for name in columns}


def refusal(call, *args, **options):
    """Return the sentence that refuses files."""
    with pytest.raises(DataError) as caught:
        call(*args, **options)
    return str(caught.value)


class Interrupt:
    """Interrupts a job when its progress has been told so many times."""

    def __init__(self, times):
        self.left = times

    def __call__(self, progress):
        self.left -= 1
        if self.left == 0:
            raise KeyboardInterrupt


def parquet_bytes(table, rows=None, **options):
    sink = io.BytesIO()
    pq.write_table(table, sink, row_group_size=rows, **options)
    return sink.getvalue()


def arrow_bytes(table, rows, compression=None, new=pa.ipc.new_file):
    sink = io.BytesIO()
    options = pa.ipc.IpcWriteOptions(compression=compression)
    with new(sink, table.schema, options=options) as writer:
        writer.write_table(table, max_chunksize=rows)
    return sink.getvalue()


def files_of(table, rows):
    """Return the bytes of files of a table, in parts of so many rows, by their names."""
    plain = {"compression": "none", "use_dictionary": False, "store_schema": False}
    pages = {"compression": "zstd", "data_page_version": "2.0"}
    return {
        "snappy.parquet": parquet_bytes(table, rows),
        "zstd.parquet": parquet_bytes(table, rows, **pages),
        "plain.parquet": parquet_bytes(table, rows, **plain),
        "plain.arrow": arrow_bytes(table, rows),
        "lz4.arrow": arrow_bytes(table, rows, "lz4"),
        "zstd.feather": arrow_bytes(table, rows, "zstd"),
        "plain.arrows": arrow_bytes(table, rows, new=pa.ipc.new_stream),
    }


def reading_threads():
    return [thread for thread in threading.enumerate() if "fastauc" in thread.name]
