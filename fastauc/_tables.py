"""How results are shown: tables as text and as HTML, and pandas DataFrames."""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

import numpy as np

from fastauc._validation.arrays import Array

T = TypeVar("T")
Columns = Mapping[str, Array]

_MOST_ROWS_SHOWN = 60
_ENDS_SHOWN = 20
_LINE_WIDTH = 100
_DIGITS = 6  # significant digits of the largest number in a column


def result(
    package: str, columns: Callable[[Any], Columns] | None = None
) -> Callable[[type[T]], type[T]]:
    """Return a decorator: a class of results of that package, which ``print`` shows as a table.

    A class with a method ``to_pandas`` is shown as the rows of that DataFrame, by ``repr`` as well;
    other classes, as one line per field. ``columns`` becomes its method that returns the columns.
    """

    def decorate(kind: type[T]) -> type[T]:
        kind.__module__ = package
        shown: dict[str, Any] = {"__str__": _fields_as_text, "_repr_html_": _fields_as_html}
        if hasattr(kind, "to_pandas"):
            shown = {"__str__": _rows_as_text, "_repr_html_": _rows_as_html}
            shown["__repr__"] = _rows_as_text
        if columns is not None:
            shown["_columns"] = columns
        for name, method in shown.items():
            setattr(kind, name, method)
        return kind

    return decorate


def to_pandas(found: Any) -> Any:
    """Return the columns of a result, or of a mapping, as a ``pandas.DataFrame``."""
    try:
        import pandas
    except ImportError as error:
        raise ImportError("to_pandas needs pandas, which is not installed.") from error
    return pandas.DataFrame(dict(_columns_of(found))).infer_objects()


def _columns_of(found: Any) -> Columns:
    """Return the columns that a result declares, or those of its fields that are arrays."""
    if isinstance(found, Mapping):
        return found
    if hasattr(found, "_columns"):
        columns: Columns = found._columns()
        return columns
    fields = found._asdict().items()
    return {name: value for name, value in fields if isinstance(value, np.ndarray)}


# Tables -------------------------------------------------------------------------------------------


def as_text(columns: Columns, notes: Sequence[str] = (), *, width: int = _LINE_WIDTH) -> str:
    """Return columns as lines of so many characters at most, and notes below them."""
    table = in_blocks(padded(_lines(columns)), width)
    return "\n\n".join([table, *_below(columns, notes)])


def in_blocks(lines: Sequence[Sequence[str]], width: int, n_first: int = 1) -> str:
    """Return padded cells as blocks of columns that fit on a line, one below the other.

    Each block starts with the first columns.
    """
    blocks = [list(range(n_first))]
    room = width - sum(len(cell) + 2 for cell in lines[0][:n_first]) + 2
    left = room
    for k, cell in enumerate(lines[0][n_first:], n_first):
        left -= len(cell) + 2
        if left < 0 and len(blocks[-1]) > n_first:
            blocks.append(list(range(n_first)))
            left = room - len(cell) - 2
        blocks[-1].append(k)
    return "\n\n".join(
        "\n".join("  ".join(line[k] for k in block).rstrip() for line in lines) for block in blocks
    )


def printable(text: str) -> str:
    """Return a text in one line, in which escape sequences and other controls are spelled out."""
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)


def escaped(text: object) -> str:
    """Return a text for an element or an attribute of HTML, in one line without controls."""
    from html import escape

    return escape(printable(str(text)))


def as_html(columns: Columns, notes: Sequence[str] = ()) -> str:
    """Return columns as an HTML table, and notes below it."""
    names, *rows = _lines(columns)
    head = "".join(f"<th>{escaped(name)}</th>" for name in names)
    body = "".join(
        f"<tr>{''.join(f'<td>{escaped(cell)}</td>' for cell in row)}</tr>" for row in rows
    )
    table = f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
    return "".join([table, *(f"<p>{escaped(note)}</p>" for note in _below(columns, notes))])


def _n_rows(columns: Columns) -> int:
    return len(next(iter(columns.values())))


def _below(columns: Columns, notes: Sequence[str]) -> list[str]:
    """Return a line with notes, and the number of rows if some are hidden; or no line."""
    n_rows = _n_rows(columns)
    notes = [f"{n_rows} rows", *notes] if n_rows > _MOST_ROWS_SHOWN else notes
    return [", ".join(notes)] if notes else []


def padded(lines: Sequence[Sequence[str]], *, n_left: int = 0) -> list[list[str]]:
    """Return cells padded to the width of their column; ``n_left`` columns are left-aligned."""
    sides = [str.ljust] * n_left + [str.rjust] * (len(lines[0]) - n_left)
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return [
        [fill(cell, width) for fill, cell, width in zip(sides, line, widths, strict=True)]
        for line in lines
    ]


def as_markdown(names: Sequence[str], rows: Sequence[Sequence[str]], n_left: int = 0) -> str:
    """Return a table in Markdown; ``n_left`` columns are left-aligned."""
    lines = [names, [":---"] * n_left + ["---:"] * (len(names) - n_left), *rows]
    escaped = [[cell.replace("|", "\\|") for cell in line] for line in lines]
    return "\n".join(f"| {' | '.join(line)} |" for line in escaped)


def short(value: Any) -> str:
    """Return a number with six significant digits."""
    return f"{value:.{_DIGITS}g}" if isinstance(value, float) else str(value)


def _lines(columns: Columns) -> list[list[str]]:
    """Return the header and the cells of the rows; of a long table, those at both ends."""
    shown = list(columns.values())
    is_long = _n_rows(columns) > _MOST_ROWS_SHOWN
    if is_long:
        shown = [np.concatenate((column[:_ENDS_SHOWN], column[-_ENDS_SHOWN:])) for column in shown]
    rows = [list(row) for row in zip(*map(_cells, shown), strict=True)]
    if is_long:
        rows.insert(_ENDS_SHOWN, ["..."] * len(columns))
    return [list(columns), *rows]


def _cells(column: Array) -> list[str]:
    """Return values as text; numbers with the same decimals, as many as the largest needs.

    A number for which these decimals would be all zeros is shown with an exponent.
    """
    if column.dtype.kind != "f":
        return [str(value) for value in column]
    values = [float(value) for value in column]
    greatest = max((abs(value) for value in values if math.isfinite(value)), default=0)
    n_before = math.ceil(math.log10(greatest)) if greatest else 0
    if abs(n_before) > 2 * _DIGITS:
        return [f"{value:.{_DIGITS - 1}e}" for value in values]
    wide = [f"{value:.{max(_DIGITS - n_before, 0)}f}" for value in values]
    decimals = max((len(cell.partition(".")[2].rstrip("0")) for cell in wide), default=0)
    cells = [f"{value:.{decimals}f}" for value in values]
    return [
        f"{value:.3g}" if float(cell) == 0 != value else cell
        for cell, value in zip(cells, values, strict=True)
    ]


# Methods of results -------------------------------------------------------------------------------


def _rows_as_text(found: Any) -> str:
    return as_text(*_with_notes(found))


def _rows_as_html(found: Any) -> str:
    return as_html(*_with_notes(found))


def _with_notes(found: Any) -> tuple[Columns, list[str]]:
    """Return the columns, and the fields that are numbers or words: facts about all rows."""
    columns = _columns_of(found)
    fields: dict[str, Any] = found._asdict() if hasattr(found, "_asdict") else {}
    return columns, [
        f"{name} {short(value)}"
        for name, value in fields.items()
        if name not in columns and isinstance(value, (int, float, str))
    ]


def _fields_as_text(found: Any) -> str:
    lines = padded([(name, _cell(value)) for name, value in found._asdict().items()], n_left=2)
    return "\n".join("  ".join(line).rstrip() for line in lines)


def _fields_as_html(found: Any) -> str:
    rows = "".join(
        f"<tr><th>{escaped(name)}</th><td>{escaped(_cell(value))}</td></tr>"
        for name, value in found._asdict().items()
    )
    return f"<table><tbody>{rows}</tbody></table>"


def _cell(value: Any) -> str:
    """Return a field on one line; a nested result is shown with its own fields."""
    if isinstance(value, np.ndarray):
        return f"{len(value)} values"
    if hasattr(value, "_asdict"):
        return ", ".join(f"{name} {_cell(part)}" for name, part in value._asdict().items())
    if isinstance(value, tuple):
        return "; ".join(map(_cell, value))
    return short(value)
