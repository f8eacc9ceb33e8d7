"""The formats of files: what each is called and begins with, and what can be read of it."""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from fastauc.files import (
    _arrow_format as arrow_format,
    _numpy_format as numpy_format,
    _text_formats as text_formats,
)
from fastauc.files._columns import Piece, Request
from fastauc.files._opening import Source


def _unknown(*_: object) -> None:
    return None


class Format(NamedTuple):
    """A format of files with these endings.

    ``pieces`` yields the rows, from one on. ``count_rows`` returns the number that the file tells,
    and ``most_rows`` an upper bound for so many columns; each is None where that is not known, as
    is ``order``, the categories of a column in their order.
    ``beginnings`` are the first bytes. Text is read line by line, and may be compressed.
    """

    name: str
    endings: tuple[str, ...]
    pieces: Callable[[Source, Request, int], Iterator[Piece]]
    count_rows: Callable[[Source], int | None] = _unknown
    most_rows: Callable[[Source, int], int | None] = _unknown
    order: Callable[[Source, str], list[Any] | None] = _unknown
    beginnings: tuple[bytes, ...] = ()
    is_text: bool = False
    is_local: bool = False
    delimiter: str = ","


_CSV, _JSON = text_formats.csv_pieces, text_formats.json_pieces
_OF_TEXT: Any = {"most_rows": text_formats.most_rows, "is_text": True}
_FORMATS = (
    Format("csv", (".csv",), _CSV, **_OF_TEXT),
    Format("csv", (".tsv",), _CSV, **_OF_TEXT, delimiter="\t"),
    # Also after a byte order mark.
    Format("jsonl", (".jsonl", ".ndjson"), _JSON, **_OF_TEXT, beginnings=(b"{", b"\xef\xbb\xbf{")),
    Format("parquet", (".parquet",), arrow_format.parquet_pieces, arrow_format.count_parquet,
           order=arrow_format.parquet_order, beginnings=(b"PAR1",)),
    Format("npy", (".npy",), numpy_format.npy_pieces, numpy_format.count,
           beginnings=(b"\x93NUMPY",), is_local=True),
    Format("npz", (".npz",), numpy_format.npz_pieces, most_rows=numpy_format.most_rows,
           is_local=True),
    # A file, and a stream.
    Format("ipc", (".arrow", ".arrows", ".feather", ".ipc"), arrow_format.ipc_pieces,
           arrow_format.count_ipc, order=arrow_format.ipc_order,
           beginnings=(b"ARROW1", b"\xff\xff\xff\xff")),
)  # fmt: skip
FORMATS = {ending: each for each in _FORMATS for ending in each.endings}


def format_of(source: Source) -> Format:
    return next(each for each in _FORMATS if each.name == source.format)


def format_of_content(beginning: bytes) -> Format | None:
    """Return the format of a file with these first bytes; None if it is unknown."""
    return next((each for each in _FORMATS if beginning.startswith(each.beginnings)), None)
