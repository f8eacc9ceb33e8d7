"""``ResultTable``: columns of equal length, shown, converted, and written to files."""

from __future__ import annotations

import contextlib
import csv
import html
import io
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import IO, Any

from fastauc._validation.arrays import Array


@contextlib.contextmanager
def replacing(path: Any, fresh: str | None = None) -> Iterator[IO[bytes]]:
    """Open a file that takes the place of ``path`` when the block ends without an error.

    Whatever happens on the way, the path has the old content or the new one. A device or a pipe,
    such as /dev/stdout, is written to. ``fresh`` is what the file is called until then; if left
    out, a hidden name of this process.

    Raises
    ------
    OSError
        With the path that was asked for, if it cannot be written.
    """
    target = os.fspath(path)
    folder, name = os.path.split(target)
    is_device = os.path.exists(target) and not (os.path.isfile(target) or os.path.isdir(target))
    own = fresh or os.path.join(folder, f".{name}.{os.getpid()}.new")
    fresh = target if is_device else own
    try:
        with open(fresh, "wb") as file:
            yield file
        if not is_device:
            os.replace(fresh, target)
    except OSError as error:
        raise OSError(error.errno, error.strerror, target) from error
    finally:
        if not is_device:
            with contextlib.suppress(OSError):
                os.unlink(fresh)


_MOST_ROWS_SHOWN = 60
_ENDS_SHOWN = 20
_LINE_WIDTH = 100
_ROWS_AT_ONCE = 1 << 16


def padded(lines: Sequence[Sequence[str]], *, n_left: int = 0) -> list[list[str]]:
    """Return cells as wide as the widest of their column; ``n_left`` columns begin at the left."""
    sides = [str.ljust] * n_left + [str.rjust] * (len(lines[0]) - n_left)
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return [
        [fill(cell, width) for fill, cell, width in zip(sides, line, widths, strict=True)]
        for line in lines
    ]


def csv_blocks(
    table: ResultTable, score: str | None = None, *, has_header: bool = True
) -> Iterator[str]:
    """Yield a table as comma-separated values (RFC 4180), some thousand rows at a time.

    All digits of a number are kept; NaN is an empty field. The first column is the name of the
    column of scores, if it is given.
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\r\n")
    names, values = ([], []) if score is None else (["score"], [score])
    if has_header:
        writer.writerow([*names, *table])
    for start in range(0, max(len(table), 1), _ROWS_AT_ONCE):
        rows = slice(start, start + _ROWS_AT_ONCE)
        for row in zip(*(table[name][rows].tolist() for name in table), strict=True):
            writer.writerow([*values, *("" if value != value else value for value in row)])
        yield text.getvalue()
        text.seek(0)
        text.truncate()


class ResultTable:
    """Columns of equal length, by name and in order.

    ``table["lift"]`` is the array of a column, ``len(table)`` the number of rows, and ``for name in
    table`` goes through the names, so that ``dict(table)`` works. Two tables are equal if their
    names and columns are; NaN equals NaN.

    Parameters
    ----------
    columns : mapping of str to ndarray
        One-dimensional arrays of one length.

    Examples
    --------
    >>> from fastauc import gains_table
    >>> table = gains_table([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], bins=2)
    >>> table["lift"].tolist(), len(table)
    ([1.0, 1.0], 2)
    >>> print(table.to_csv().splitlines()[0][:27])
    bin,n,share,cum_share,min_s
    """

    __hash__ = None  # type: ignore[assignment]
    __slots__ = ("_columns",)

    def __init__(self, columns: Mapping[str, Array]) -> None:
        self._columns = dict(columns)

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns."""
        return tuple(self._columns)

    def keys(self) -> tuple[str, ...]:
        """Return the names of the columns."""
        return self.columns

    def __getitem__(self, name: str) -> Array:
        try:
            return self._columns[name]
        except KeyError:
            known = ", ".join(self._columns)
            raise KeyError(f"no column {name!r}; there are {known}") from None

    def __iter__(self) -> Iterator[str]:
        return iter(self._columns)

    def __len__(self) -> int:
        return len(next(iter(self._columns.values()), ()))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ResultTable):
            return NotImplemented
        return self.columns == other.columns and all(
            _are_equal(self[name].tolist(), other[name].tolist()) for name in self.columns
        )

    # Other forms ----------------------------------------------------------------------------------

    def to_dict(self) -> dict[str, list[Any]]:
        """Return a list of plain numbers for each column."""
        return {name: column.tolist() for name, column in self._columns.items()}

    def to_pandas(self) -> Any:
        """Return a ``pandas.DataFrame``.

        Raises
        ------
        ImportError
            If pandas is not installed.
        """
        try:
            import pandas
        except ImportError as error:
            raise ImportError("to_pandas needs pandas, which is not installed.") from error
        return pandas.DataFrame(self._columns)

    def to_polars(self) -> Any:
        """Return a ``polars.DataFrame``.

        Raises
        ------
        ImportError
            If polars is not installed.
        """
        try:
            import polars
        except ImportError as error:
            raise ImportError("to_polars needs polars, which is not installed.") from error
        return polars.DataFrame(self._columns)

    def to_csv(self, path: Any = None) -> str | None:
        """Return the table as comma-separated values (RFC 4180), or write it to a file.

        All digits of a number are kept, and NaN is an empty field.

        Parameters
        ----------
        path : str or path-like, optional
            Where to write. The file is replaced whole: it has the old content or the new one.

        Returns
        -------
        str or None
            The text, with CRLF at the end of each line; None if it was written to ``path``.

        Raises
        ------
        OSError
            If the file cannot be written; what was there before is still there.
        """
        text = "".join(csv_blocks(self))
        if path is None:
            return text
        with replacing(path) as file:
            file.write(text.encode())
        return None

    def to_markdown(self) -> str:
        """Return the table in Markdown, with six significant digits."""
        lines = [list(self.columns), ["---:"] * len(self.columns), *self._rows(short)]
        escaped = [[cell.replace("|", "\\|") for cell in line] for line in lines]
        return "\n".join(f"| {' | '.join(line)} |" for line in escaped)

    def _rows(self, show: Callable[[Any], str]) -> Iterator[list[str]]:
        for row in zip(*self.to_dict().values(), strict=True):
            yield [show(value) for value in row]

    def _shown_rows(self) -> list[list[str]]:
        rows = list(self._rows(short))
        if len(rows) <= _MOST_ROWS_SHOWN:
            return rows
        return [*rows[:_ENDS_SHOWN], ["..."] * len(self.columns), *rows[-_ENDS_SHOWN:]]

    def __repr__(self) -> str:
        lines = padded([list(self.columns), *self._shown_rows()])
        return "\n\n".join(
            "\n".join("  ".join(line[k] for k in block) for line in lines)
            for block in _blocks([len(name) for name in lines[0]])
        )

    def _repr_html_(self) -> str:
        head = "".join(f"<th>{html.escape(name)}</th>" for name in self.columns)
        body = "".join(
            f"<tr>{''.join(f'<td>{html.escape(cell)}</td>' for cell in row)}</tr>"
            for row in self._shown_rows()
        )
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


ResultTable.__module__ = "fastauc"


def _are_equal(mine: list[Any], others: list[Any]) -> bool:
    return len(mine) == len(others) and all(
        a == b or (a != a and b != b) for a, b in zip(mine, others, strict=True)
    )


def short(value: Any) -> str:
    """Return a number with six significant digits."""
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def _blocks(widths: list[int]) -> Iterator[list[int]]:
    """Yield columns that fit on a line, each time with the first one."""
    block = [0]
    for k in range(1, len(widths)):
        if len(block) > 1 and sum(widths[i] + 2 for i in (*block, k)) - 2 > _LINE_WIDTH:
            yield block
            block = [0]
        block.append(k)
    yield block
