"""Tables of results in files: CSV, Parquet, Markdown, HTML; with the name of what they are of."""

import csv
import io
import math
import os
from collections.abc import Iterable, Iterator
from typing import IO, Any, NamedTuple

from fastauc._counts.result_table import ResultTable
from fastauc._counts.writing import replacing
from fastauc._report.html import page, paragraph, section, table_of
from fastauc.files.arrow_format import import_pyarrow
from fastauc.files.sources import DataError, Source

__all__ = ["NamedTable", "as_cell", "csv_lines", "ending_of", "write_page", "write_tables"]

_ROWS_AT_ONCE = 1 << 16


class NamedTable(NamedTuple):
    """A table, the column of scores that it is of, and a sentence about it."""

    score: str
    note: str
    table: ResultTable


def write_tables(path: str, tables: Iterable[NamedTable], title: str) -> None:
    """Write tables of the same columns, in the format that the ending of the name stands for.

    Raises
    ------
    DataError
        If the file cannot be written; what was there before is still there.
    """
    ending = ending_of(path)
    try:
        with replacing(path) as file:
            if ending == ".csv":
                file.writelines(lines.encode() for lines in csv_lines(tables))
            elif ending == ".parquet":
                _write_parquet(path, file, tables)
            elif ending == ".md":
                file.write(_as_markdown(tables).encode())
            else:
                file.write(_as_page(tables, title).encode())
    except OSError as error:
        raise DataError(f"{path}: cannot be written: {error.strerror}") from error


def ending_of(path: str) -> str:
    """Return the ending of the name of a file, in small letters."""
    return os.path.splitext(path)[1].lower()


def write_page(path: str, content: str) -> None:
    """Write a page, as ``write_tables`` does."""
    try:
        with replacing(path) as file:
            file.write(content.encode())
    except OSError as error:
        raise DataError(f"{path}: cannot be written: {error.strerror}") from error


def csv_lines(tables: Iterable[NamedTable]) -> Iterator[str]:
    """Yield tables as comma-separated values (RFC 4180), some thousand rows at a time.

    The first column is the name of the column of scores. All digits of a number are kept; NaN is an
    empty field.
    """
    for number, (score, _, table) in enumerate(tables):
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\r\n")
        if number == 0:
            writer.writerow(["score", *table.columns])
        for start in range(0, len(table), _ROWS_AT_ONCE):
            rows = slice(start, start + _ROWS_AT_ONCE)
            columns = [table[name][rows].tolist() for name in table.columns]
            for row in zip(*columns, strict=True):
                writer.writerow([score, *("" if value != value else value for value in row)])
            yield text.getvalue()
            text.seek(0)
            text.truncate()


def _write_parquet(path: str, file: IO[bytes], tables: Iterable[NamedTable]) -> None:
    pa = import_pyarrow(Source(path, path, "parquet"))
    import pyarrow.parquet as pq

    writer = None
    for score, _, table in tables:
        names = pa.array([score] * len(table), pa.string()).dictionary_encode()
        columns = {"score": names} | {name: pa.array(table[name]) for name in table.columns}
        part = pa.table(columns)
        writer = writer or pq.ParquetWriter(file, part.schema)
        writer.write_table(part)
    if writer is not None:
        writer.close()


def _as_markdown(tables: Iterable[NamedTable]) -> str:
    parts = [f"**{score}**: {note}\n\n{table.to_markdown()}\n" for score, note, table in tables]
    return "\n".join(parts)


def _as_page(tables: Iterable[NamedTable], title: str) -> str:
    parts = [
        section(score, paragraph(note) + table_of(table.columns, _cells(table)))
        for score, note, table in tables
    ]
    return page(title, "".join(parts))


def _cells(table: ResultTable) -> list[list[str]]:
    rows: Any = zip(*table.to_dict().values(), strict=True)
    return [[as_cell(value) for value in row] for row in rows]


def as_cell(value: Any) -> str:
    """Return a number with six significant digits; a dash for NaN."""
    if isinstance(value, float):
        return "-" if math.isnan(value) else f"{value:.6g}"
    return str(value)
