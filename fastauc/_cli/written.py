"""Files that commands write: tables as CSV, workbooks, JSON, Markdown and text."""

import contextlib
import csv
import functools
import io
import itertools
import os
import re
from argparse import Namespace
from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import IO, Any, NamedTuple

from fastauc._cli.output import all_rows_named, as_tables, plain, say, seen, title_of
from fastauc._counts.result_table import ResultTable, replacing, rows_of
from fastauc._rows import Part
from fastauc._tables import as_markdown, printable
from fastauc.files import DataError
from fastauc.files._opening import refusing

ROWS = (".csv", ".xlsx", ".json", ".md", ".txt")
# By name, the header and the rows of what CSV has in a file, and a workbook on a sheet.
Sheets = dict[str, Iterable[list[Any]]]
_LINES_AT_ONCE = 2**12
_MOST_ROWS = 2**20  # on a sheet, in Excel and in LibreOffice


class NamedTable(NamedTuple):
    """A table, the group and the column of scores that it is about, and a sentence about it."""

    of: dict[str, Any]
    note: str
    table: ResultTable

    @property
    def title(self) -> str:
        """The group and the column of scores."""
        return title_of(self.of)


def ending_of(path: str) -> str:
    """Return the extension of a file name, in lowercase."""
    return os.path.splitext(path)[1].lower()


def path_beside(path: str, name: str) -> str:
    """Return the CSV file for a second table: of "x.csv", "x-tests.csv"."""
    root, ending = os.path.splitext(path)
    return f"{root}-{name}{ending}"


@contextlib.contextmanager
def writing(path: str) -> Iterator[IO[bytes]]:
    """Open a file like ``replacing``; if it cannot be written, there is a DataError."""
    with refusing(f"{path}: cannot be written", OSError), replacing(path) as file:
        yield file


def write_rows(options: Namespace, tables: dict[str, list[dict[str, Any]]], lines: str) -> None:
    """Write tables by name, in the format given by the file extension; ``lines`` are JSON's.

    CSV and workbooks have all columns and all digits of a number; what is undefined is empty.
    """
    path, ending = options.output, ending_of(options.output)
    if ending in (".csv", ".xlsx"):
        _write_sheets(options, {name: _lines_of(rows) for name, rows in tables.items()})
        return
    if ending == ".json":
        text = f"{lines}\n"
    elif ending == ".txt":
        text = as_tables([*tables.values()]) + "\n"
    else:
        text = "\n".join(f"{as_markdown(*seen(rows))}\n" for rows in tables.values())
    with writing(path) as target:
        target.write(text.encode())


def write_tables(
    options: Namespace, tables: Iterable[NamedTable], name: str, whole: Part | None = None
) -> None:
    """Write tables with the same columns, in the format given by the file extension.

    ``whole`` are the rows of gains tables, which say what was dropped.
    """
    if ending_of(options.output) != ".md":
        _write_sheets(options, {name: lines_of_tables(tables)})
        return
    said = [] if whole is None or whole.dropped is None else [f"{whole.dropped.sentence()}.\n"]
    texts = (
        f"**{each.title}**: {each.note}\n\n{each.table.to_markdown().replace('nan', '-')}\n"
        for each in tables
    )
    with writing(options.output) as file:
        file.write("\n".join([*said, *texts]).encode())


# Spreadsheets -------------------------------------------------------------------------------------


def _lines_of(rows: list[dict[str, Any]]) -> Iterator[list[Any]]:
    """Yield the header of rows with the same columns, and their cells."""
    yield [*rows[0]]
    for row in rows:
        yield [*plain(all_rows_named(row)).values()]


def lines_of_tables(tables: Iterable[NamedTable]) -> Iterator[list[Any]]:
    """Yield one header for tables with the same columns, and their rows; each says what it is of.

    Rows are made one after the other: a curve may be as large as the files.
    """
    for number, (of, _, table) in enumerate(tables):
        if number == 0:
            yield [*of, *table]
        names = [*all_rows_named(of).values()]
        for row in rows_of(table):
            yield [*names, *row]


def _write_sheets(options: Namespace, sheets: Sheets) -> None:
    if ending_of(options.output) == ".xlsx":
        _write_workbook(options.output, sheets)
        return
    for number, (name, lines) in enumerate(sheets.items()):
        path = path_beside(options.output, name) if number else options.output
        with writing(path) as file:
            file.writelines(text.encode() for text in csv_text(options, lines, raw=options.raw))
        if number:
            say("note", f"the {name} are in {path}")


def csv_text(options: Namespace, lines: Iterable[list[Any]], *, raw: bool = False) -> Iterator[str]:
    """Yield lines of CSV (RFC 4180), in the dialect of the input unless the output has its own."""
    decimal = options.out_decimal or options.decimal
    usual = ";" if decimal == "," else ","
    text = io.StringIO()
    writer = csv.writer(text, delimiter=options.out_delimiter or options.delimiter or usual)
    left = iter(lines)
    while some := list(itertools.islice(left, _LINES_AT_ONCE)):
        writer.writerows([_csv_cell(value, decimal, raw) for value in line] for line in some)
        yield text.getvalue()
        text.seek(0)
        text.truncate()


def _csv_cell(value: Any, decimal: str, raw: bool) -> Any:
    if isinstance(value, float):
        if decimal == "." and value == value:
            return value  # the writer has all its digits
        return "" if value != value else repr(value).replace(".", decimal)
    return _harmless(value) if isinstance(value, str) and not raw else value


@functools.lru_cache(1024)  # of a curve, each line repeats the names
def _harmless(value: str) -> str:
    """Return a text that neither terminals nor spreadsheets run.

    A spreadsheet runs what begins with "=" or the like, also after spaces, and there are those that
    cut at semicolons.
    """
    return re.sub(r"(^|[;|])(?= *[=+\-@\uff1d\uff0b\uff0d\uff20])", r"\1'", printable(value))


def _write_workbook(path: str, sheets: Sheets) -> None:
    """Write a workbook in which text stays text; its rows are in temporary files until the end."""
    import xlsxwriter
    from xlsxwriter.exceptions import FileCreateError

    # In memory: an archive on a full disk would complain once more when it is deleted.
    archive = io.BytesIO()
    with writing(path) as file:
        try:
            with xlsxwriter.Workbook(archive, {"constant_memory": True}) as book:
                _fill(book, path, sheets)
        except FileCreateError as error:  # of the temporary files
            raise error.args[0] from error
        file.write(archive.getvalue())


def _fill(book: Any, path: str, sheets: Sheets) -> None:
    book.set_properties({"created": datetime(1980, 1, 1)})  # the same rows, the same bytes
    bold = book.add_format({"bold": True})
    for name, lines in sheets.items():
        sheet = book.add_worksheet(name)
        sheet.freeze_panes(1, 0)
        for number, line in enumerate(lines):
            if number == 0:
                sheet.set_column(0, len(line) - 1, 18)
            if number == _MOST_ROWS:
                raise DataError(
                    f"{path}: a sheet holds {_MOST_ROWS:,} rows, and there are more; write a .csv "
                    "file"
                )
            for column, value in enumerate(map(_sheet_cell, line)):
                # Text is never a formula, nor a link.
                write = sheet.write_string if isinstance(value, str) else sheet.write
                write(number, column, value, None if number else bold)


def _sheet_cell(value: Any) -> Any:
    is_number = isinstance(value, (int, float)) and -1e308 < value < 1e308
    return (
        value if is_number else None if value is None or value != value else printable(str(value))
    )
