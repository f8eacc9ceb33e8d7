"""Files in object stores, found by URL with pyarrow's own file systems."""

import re
from collections.abc import Callable
from fnmatch import fnmatchcase
from typing import Any, NamedTuple

__all__ = ["SCHEMES", "Stored", "is_url", "list_stored", "without_secrets"]

SCHEMES = ("s3", "gs", "hdfs")


class Stored(NamedTuple):
    """A file of an object store: pyarrow's file system, and the name of the file there."""

    filesystem: Any
    path: str

    def open(self) -> Any:
        """Open the file for random access."""
        return self.filesystem.open_input_file(self.path)

    def mtime_ns(self) -> int:
        """Return its modification time in nanoseconds; 0 if the store does not provide it."""
        return int(self.filesystem.get_file_info(self.path).mtime_ns or 0)


def is_url(name: str) -> bool:
    """Tell whether a name is a URL, of any scheme."""
    return re.match(r"[A-Za-z][A-Za-z0-9+.-]*://", name) is not None


def without_secrets(url: str) -> str:
    """Return a URL without user, password and options, which is safe to show and to save."""
    scheme, _, rest = url.partition("://")
    place, slash, path = rest.partition("?")[0].partition("/")
    return f"{scheme}://{place.rpartition('@')[2]}{slash}{path}"


def list_stored(fs: Any, url: str, is_wanted: Callable[[str], bool]) -> dict[str, Stored]:
    """Return the files that a URL stands for by their own URLs, sorted by name.

    A name with a file extension is that file; ``*`` matches any characters except "/"; a folder
    stands for all wanted files below it. ``fs`` is ``pyarrow.fs``.

    Raises
    ------
    OSError, ValueError, NotImplementedError
        As pyarrow does.
    """
    filesystem, path = fs.FileSystem.from_uri(url)
    # A bucket is part of the path; a host is not.
    scheme, host = without_secrets(url).split("/")[::2][:2]
    beginning = f"{scheme}//{host if path.startswith('/') else ''}"
    if "*" in path:
        n_fixed = path[: path.index("*")].count("/")
        folder = "/".join(path.split("/")[:n_fixed])
        wanted = path.split("/")
    else:
        info = filesystem.get_file_info(path)
        if info.type == fs.FileType.NotFound:
            raise FileNotFoundError("there is no such file or folder")
        if info.type == fs.FileType.File:
            return {beginning + path: Stored(filesystem, path)}
        folder, wanted = path.rstrip("/"), []
    names = []
    for info in filesystem.get_file_info(fs.FileSelector(folder, recursive=True)):
        below = info.path[len(folder) :].strip("/").split("/")
        is_hidden = any(part.startswith((".", "_")) for part in below)
        if info.type != fs.FileType.File or is_hidden or not is_wanted(info.path):
            continue
        # A pattern may match a folder, which stands for the files below it.
        parts = info.path.split("/")
        if len(parts) >= len(wanted) and all(map(fnmatchcase, parts, wanted)):
            names.append(info.path)
    return {beginning + name: Stored(filesystem, name) for name in sorted(names)}
