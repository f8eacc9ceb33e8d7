"""Tables whose folders keep removed rows beside live ones: Delta Lake, Iceberg, Hudi and others.

Which files, and which of their rows, are in the table is written in a log that only its own library
reads. The files alone would give a number about other rows.
"""

import contextlib
import fnmatch
import glob
import os
import pathlib
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from fastauc._validation.errors import DataError

_NUMBER = "[0-9]" * 7
_SPARK = "spark.read.format({0!r}).load({{!r}}).toArrow()"


class _Kind(NamedTuple):
    """A format: what the folder of a table holds, and how its rows are read."""

    name: str
    marks: tuple[str, ...]
    reading: str


_KINDS = (
    _Kind("a Delta Lake table", ("_delta_log",), "deltalake.DeltaTable({!r}).to_pyarrow_table()"),
    _Kind(
        "an Iceberg table",
        ("metadata/*.metadata.json",),
        "pyiceberg.catalog.load_catalog().load_table('NAME').scan().to_arrow()",
    ),
    _Kind("a Hudi table", (".hoodie",), _SPARK.format("hudi")),
    _Kind("a Paimon table", ("manifest/manifest-*",), _SPARK.format("paimon")),
    _Kind("a sink of Spark streaming", ("_spark_metadata",), _SPARK.format("parquet")),
    _Kind(
        "a transactional Hive table",
        (f"base_{_NUMBER}*", f"delta_{_NUMBER}_*", f"delete_delta_{_NUMBER}_*"),
        "spark.table('NAME').toArrow()",
    ),
    _Kind("a DuckLake table", ("ducklake-*-*.parquet",), "duckdb.sql('FROM NAME').arrow()"),
)
_NAMES = {mark.partition("/")[0] for kind in _KINDS for mark in kind.marks}
Holds = Callable[[str, str], bool]


def _on_disk(folder: str, mark: str) -> bool:
    """Tell whether a local folder holds a name that a pattern stands for."""
    return bool(glob.glob(os.path.join(glob.escape(folder), mark)))


def in_store(fs: Any, filesystem: Any, folder: str, paths: Iterable[str]) -> Holds:
    """Return the same for an object store, where what is in the folder has been listed."""
    names: dict[str, set[str]] = {}
    above = {f"{each}/{name}" for each in pathlib.PurePosixPath(folder).parents for name in _NAMES}
    with contextlib.suppress(OSError):  # these may be closed to the user
        infos = filesystem.get_file_info(sorted(path for path in above if "*" not in path))
        for info in [info for info in infos if info.type == fs.FileType.Directory]:
            within = filesystem.get_file_info(fs.FileSelector(info.path))
            paths = [*paths, info.path, *(each.path for each in within)]
    for path in paths:
        for each in (path, *map(str, pathlib.PurePosixPath(path).parents)):
            parent, _, name = each.rpartition("/")
            names.setdefault(parent, set()).add(name)

    def holds(folder: str, mark: str) -> bool:
        first, _, rest = mark.rpartition("/")
        return bool(fnmatch.filter(names.get(f"{folder}/{first}" if first else folder, ()), rest))

    return holds


def table_of(
    paths: Iterable[str], holds: Holds = _on_disk, store: str = ""
) -> tuple[str, tuple[str, str]] | None:
    """Return what is said of the first table that files are of, and advice; None if there is none.

    ``store`` is what URLs begin with; the advice is for Python and for the command line.
    """
    above = [pathlib.PurePath(folder) for folder in {os.path.dirname(path) for path in paths}]
    for folder in sorted({str(folder) for each in above for folder in (each, *each.parents)}):
        for name, marks, reading in _KINDS:
            if any(holds(folder, mark) for mark in marks):
                rows = (
                    f"read its rows by its own library: rows = {reading.format(store + folder)}; "
                )
                found = f"{store}{folder} is {name}, whose files also hold rows that it has removed"
                in_python = f"{rows}fastauc.roc_auc_score(rows['LABEL'], rows['SCORE'])"
                return found, (in_python, f"{rows}pyarrow.parquet.write_table(rows, 'FILE')")
    return None


def refuse_table(
    shown: str, paths: Iterable[str], holds: Holds = _on_disk, store: str = ""
) -> None:
    """Refuse what stands for files of such a table."""
    if found := table_of(paths, holds, store):
        raise DataError(f"{shown}: {found[0]}", found[1])
