"""The format and compression of a file, by its extension and its first bytes."""

import os
import re

__all__ = ["COMPRESSED", "FORMATS", "TEXT", "compression_of", "format_of", "guess"]

FORMATS = {".csv": "csv", ".tsv": "tsv", ".jsonl": "jsonl", ".ndjson": "jsonl"}
FORMATS |= {".parquet": "parquet", ".arrow": "ipc", ".feather": "ipc", ".ipc": "ipc"}
FORMATS |= {".npy": "npy", ".npz": "npz"}
# These are read line by line, and may be compressed.
TEXT = ("csv", "tsv", "jsonl")
# The names are pyarrow's; lz4 is the framed kind.
COMPRESSED = {".gz": "gzip", ".bz2": "bz2", ".zst": "zstd", ".lz4": "lz4"}
_COMPRESSIONS = {
    "gzip": re.compile(rb"\x1f\x8b\x08"),
    "bz2": re.compile(rb"BZh[1-9](1AY&SY|\x17rE8P\x90)"),
    "zstd": re.compile(rb"\x28\xb5\x2f\xfd"),
    "lz4": re.compile(rb"\x04\x22\x4d\x18"),
}
_BEGINNINGS = {
    b"PAR1": "parquet",
    b"ARROW1": "ipc",
    b"\x93NUMPY": "npy",
    b"PK\x03\x04": "npz",
    b"{": "jsonl",
}


def format_of(name: str) -> str | None:
    """Return the format for the extension of a name; None if it is unknown."""
    stem, ending = os.path.splitext(name.lower())
    if ending in COMPRESSED:
        found = FORMATS.get(os.path.splitext(stem)[1])
        return found if found in TEXT else None
    return FORMATS.get(ending)


def compression_of(beginning: bytes) -> str | None:
    """Return the compression of a file with these first bytes; None if there is none."""
    for name, pattern in _COMPRESSIONS.items():
        if pattern.match(beginning):
            return name
    return None


def guess(beginning: bytes) -> str | None:
    """Return the format of a file with these first bytes; None if it may be any text."""
    for known, found in _BEGINNINGS.items():
        if beginning.startswith(known):
            return found
    return None
