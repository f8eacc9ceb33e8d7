"""``ResultTable``: columns of equal length that can be displayed, converted and saved."""

from __future__ import annotations

import contextlib
import io
import os
from collections.abc import Iterator, Mapping
from typing import IO, Any, ClassVar

from fastauc._tables import as_html, as_markdown, as_text, short, to_pandas
from fastauc._validation.arrays import Array


@contextlib.contextmanager
def replacing(path: Any) -> Iterator[IO[bytes]]:
    """Open a file that replaces ``path`` when the block ends without an error.

    Whatever happens in between, the path has either the old or the new content, even if the power
    fails. A file that exists keeps its mode and its owner, and a link stays one: the file that it
    names is replaced. A device or a pipe, such as /dev/stdout, is written to directly. An OSError
    is that of the original path.
    """
    target = os.fspath(path)
    try:
        if is_device(target):
            with open(target, "wb") as file:
                yield file
            return
        real = os.path.realpath(target)
        with created_beside(real) as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
            file.close()
            _keep_mode(file.name, real)
            os.replace(file.name, real)
    except OSError as error:
        raise OSError(error.errno, error.strerror, target) from error


def is_device(path: str) -> bool:
    """Tell whether a path is a device or a pipe, such as /dev/stdout."""
    return os.path.exists(path) and not (os.path.isfile(path) or os.path.isdir(path))


@contextlib.contextmanager
def created_beside(path: str) -> Iterator[IO[bytes]]:
    """Open a new file in the folder of another; it is removed at the end, unless it was renamed."""
    fresh = os.path.join(os.path.dirname(path), f".fastauc-{os.urandom(8).hex()}.new")
    # Exclusive: a file or a link that is already there is an error, and stays as it is.
    file = open(fresh, "xb")  # noqa: SIM115 - closed below
    try:
        yield file
    finally:
        with contextlib.suppress(OSError):  # of what a full disk has not taken
            file.close()
        with contextlib.suppress(OSError):
            os.unlink(fresh)


def _keep_mode(fresh: str, replaced: str) -> None:
    with contextlib.suppress(FileNotFoundError):
        status = os.stat(replaced)
        with contextlib.suppress(AttributeError, PermissionError):  # of Windows, of other users
            os.chown(fresh, status.st_uid, status.st_gid)
        os.chmod(fresh, status.st_mode & 0o777)


_ROWS_AT_ONCE = 1 << 16


def rows_of(table: ResultTable) -> Iterator[tuple[Any, ...]]:
    """Yield the rows of a table as Python numbers; few of them are in memory at once."""
    for start in range(0, len(table), _ROWS_AT_ONCE):
        rows = slice(start, start + _ROWS_AT_ONCE)
        yield from zip(*(table[name][rows].tolist() for name in table), strict=True)


class ResultTable:
    """Columns of equal length, by name and in order.

    ``table["lift"]`` is the array of a column, ``len(table)`` the number of rows, and ``for name in
    table`` iterates over the names, so that ``dict(table)`` works. Two tables are equal if their
    names and columns are; NaN equals NaN.

    Parameters
    ----------
    columns : mapping of str to ndarray
        One-dimensional arrays of equal length.

    Examples
    --------
    >>> from fastauc.metrics import gains_table
    >>> table = gains_table([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], bins=2)
    >>> table["lift"].tolist(), len(table)
    ([1.0, 1.0], 2)
    >>> print(table.to_csv().splitlines()[0][:27])
    bin,n,share,cum_share,min_s
    """

    __hash__: ClassVar[None]  # type: ignore[assignment]
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
        """Return a dict with a list of Python numbers for each column."""
        return {name: column.tolist() for name, column in self._columns.items()}

    def to_pandas(self) -> Any:
        """Return a ``pandas.DataFrame``; an ImportError if pandas is not installed."""
        return to_pandas(self._columns)

    def to_polars(self) -> Any:
        """Return a ``polars.DataFrame``; an ImportError if polars is not installed."""
        try:
            import polars
        except ImportError as error:
            raise ImportError("to_polars needs polars, which is not installed.") from error
        return polars.DataFrame(self._columns)

    def to_csv(self, path: Any = None) -> str | None:
        """Return the table as comma-separated values (RFC 4180), or write it to a file.

        Numbers keep all their digits, NaN is an empty field, and lines end in CRLF. A file at
        ``path`` is replaced atomically: if it cannot be written, there is an OSError, and its
        previous content is unchanged.
        """
        import csv

        text = io.StringIO()
        writer = csv.writer(text)
        writer.writerow(self)
        for row in rows_of(self):
            writer.writerow("" if value != value else value for value in row)
        if path is None:
            return text.getvalue()
        with replacing(path) as file:
            file.write(text.getvalue().encode())
        return None

    def to_markdown(self) -> str:
        """Return the table in Markdown, with six significant digits."""
        rows = zip(*self.to_dict().values(), strict=True)
        return as_markdown(self.columns, [[short(value) for value in row] for row in rows])

    def __repr__(self) -> str:
        return as_text(self._columns)

    def _repr_html_(self) -> str:
        return as_html(self._columns)


ResultTable.__module__ = "fastauc.metrics"


def _are_equal(mine: list[Any], others: list[Any]) -> bool:
    return len(mine) == len(others) and all(
        a == b or (a != a and b != b) for a, b in zip(mine, others, strict=True)
    )
