"""How many rows fit into memory, and returning free memory to the system."""

import contextlib
import ctypes
import os
import re
import sys
from collections.abc import Sequence
from typing import Any

from fastauc.files._formats import format_of
from fastauc.files._opening import Source

_UNITS = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12}
_UNITS |= {"ki": 2**10, "mi": 2**20, "gi": 2**30, "ti": 2**40}
_SIZE = re.compile(r"([0-9]+(?:\.[0-9]+)?) ?([kmgt]i?|)b?", re.ASCII | re.IGNORECASE)
# For systems that do not report how much memory they have.
_UNKNOWN_MEMORY = 4 * 10**9
# Address space that threads and the allocators of pyarrow and C reserve, and never use.
_RESERVED = 1_200_000_000
_NO_LIMIT = 2**60  # a limit of this or more is how some systems write that there is none
# What a process takes up without a row: Python, numpy and pyarrow; and the tables of a histogram
# for each column of scores, three times that if weighted.
_BYTES_OF_PROCESS, _BYTES_OF_TABLES = 170 * 10**6, 15 * 10**6
LEAST_LIMIT = 190 * 10**6
# Bytes a row while its columns are in memory and one of the scores is measured: found by measuring
# what processes take up, and a little more.
_BYTES_OF_LABEL = 24
_BYTES_OF_COLUMN = 16
_BYTES_OF_MEASURE = 72
# For each bin in use, after the first reading: what a histogram keeps, and the edges of the bin.
_BYTES_OF_BIN = 100
# An undecided row: its key, or its key and its weight. Chunks, and what is on its way into buckets,
# take up the rest of the memory.
_BYTES_OF_KEY, _BYTES_OF_WEIGHTED_KEY = 8, 16
_LEAST_KEPT, _MOST_KEPT = 2**16, 2**32
_LEAST_BATCH, _MOST_BATCH = 2**12, 2**19


def parse_size(text: str) -> int:
    """Parse a size such as "2GB" (powers of 1000) or "512 MiB" (of 1024) into bytes."""
    match = _SIZE.fullmatch(text.strip())
    size = int(float(match[1]) * _UNITS[match[2].lower()]) if match else 0
    if size < 1:
        raise ValueError(f"{text!r} is not a size; expected one such as 2GB or 512MiB")
    return size


def check_limit(limit: Any) -> int:
    """Return a limit in bytes, half of what there is if it is None; refuse one that is too low."""
    if limit is None:
        return process_memory() // 2
    if isinstance(limit, str):
        raise ValueError(f"memory_limit is {limit!r}; expected a number of bytes.")
    if limit < LEAST_LIMIT:
        raise ValueError(
            f"memory_limit is {limit} bytes; expected {LEAST_LIMIT} or more, which Python, pyarrow "
            "and the counts of a column take up."
        )
    return int(limit)


def process_memory() -> int:
    """Return the lowest limit of this process: of the machine, a control group or ``ulimit -v``."""
    limits = _group_limits()
    with contextlib.suppress(AttributeError, OSError, ValueError):  # of systems without the name
        limits.append(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    with contextlib.suppress(ImportError):
        import resource

        space, _ = resource.getrlimit(resource.RLIMIT_AS)
        limits.append(max(space - _RESERVED, space // 4))
    return min((limit for limit in limits if 0 < limit < _NO_LIMIT), default=_UNKNOWN_MEMORY)


def _group_limits(root: str = "/sys/fs/cgroup", own: str = "/proc/self/cgroup") -> list[int]:
    """Return the limits of the control groups of this process on Linux, of either version."""
    names = {"memory.max": "", "memory.limit_in_bytes": "memory"}
    limits = []
    for line in _lines(own):
        _, controllers, group = line.split(":", 2)
        if controllers and "memory" not in controllers.split(","):
            continue
        parts = [part for part in group.split("/") if part]
        for depth in range(len(parts) + 1):
            for name, folder in names.items():
                path = os.path.join(root, folder, *parts[:depth], name)
                limits += [int(text) for text in _lines(path) if text.isdecimal()]
    return limits


def _lines(path: str) -> list[str]:
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read().splitlines()
    except OSError:
        return []


def most_rows(limit: int, n_columns: int, n_at_once: int) -> int:
    """Return how many rows of so many columns besides the label fit into memory."""
    of_row = _BYTES_OF_LABEL + _BYTES_OF_COLUMN * n_columns + _BYTES_OF_MEASURE * n_at_once
    return _room(limit, _BYTES_OF_PROCESS) // of_row


def _room(limit: int, taken: int) -> int:
    # A limit too small for the process itself is exceeded, but by as few rows as possible.
    return max(limit - taken, limit // 16)


def rows_at_most(files: Sequence[Source], n_columns: int, most: int) -> tuple[int, bool]:
    """Return an upper bound of the number of rows, and whether it is exact."""
    total, is_known = 0, True
    for source in files:
        format = format_of(source)
        n_rows = format.count_rows(source)
        if n_rows is None:
            is_known, n_rows = False, format.most_rows(source, n_columns)
        if n_rows is None:
            return most + 1, False
        total += n_rows
    return total, is_known


def rows_of_chunk(
    limit: int, n_scores: int, weighted: bool, n_chunks: int, *, is_first: bool
) -> int:
    """Return how many rows are read at a time, if there are so many chunks of them.

    They take up half of the memory in the first reading, and a fifth in the second.
    """
    room = _room(limit, _BYTES_OF_PROCESS + n_scores * _BYTES_OF_TABLES * (1 + 2 * weighted))
    of_chunks = 2 * n_chunks * 8 * (n_scores + weighted + 1)
    share = 2 if is_first else 5
    return min(max(room // share // of_chunks, _LEAST_BATCH), _MOST_BATCH)


def rows_to_keep(limit: int, n_scores: int, n_bins: int, weighted: bool) -> int:
    """Return how many undecided rows are kept in memory, besides ``n_bins`` of all columns."""
    room = _room(limit, _BYTES_OF_PROCESS + n_bins * _BYTES_OF_BIN * (1 + weighted))
    of_row = _BYTES_OF_WEIGHTED_KEY if weighted else _BYTES_OF_KEY
    return min(max(3 * room // (8 * of_row), _LEAST_KEPT), _MOST_KEPT)


def release_memory() -> None:
    """Return free memory to the system.

    A pass frees arrays of many sizes in several threads, and glibc keeps the gaps between others.
    """
    if "pyarrow" in sys.modules:
        sys.modules["pyarrow"].default_memory_pool().release_unused()
    library = ctypes.CDLL(None) if os.name == "posix" else None
    call = getattr(library, "malloc_trim", None)
    if call is not None:
        call(0)
