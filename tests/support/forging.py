"""What is well formed and untrue: saved histograms, and the metadata of Parquet files.

Saved histograms are written number by number, from the description of the format alone: bins, sums
and bytes follow from Python's own numbers; the package is only read with, in the end. Thrift is
read number by number, too: of its compact protocol only what Parquet uses, with field numbers as in
parquet.thrift.
"""

import math
import struct
import tracemalloc
import zlib
from bisect import bisect_right
from dataclasses import dataclass, field
from fractions import Fraction
from typing import NamedTuple

from fastauc import CorruptStateError
from fastauc.streaming import ScoreHistogram

BY_BITS, BY_LINE, BY_EDGES = range(3)
NO_SCORE = 0x7FF8 << 48
MIXED = 1
N_BINS_BY_BITS = 802_783
_WORD = 2**64 - 1


def numbers(values):
    return struct.pack(f"<{len(values)}Q", *values)


def doubles(values):
    return struct.pack(f"<{len(values)}d", *values)


def bits_of(score):
    return struct.unpack("<Q", struct.pack("<d", score))[0]


def seal(payload, *, magic=b"FAUC", version=1, kind=1, length=None):
    length = len(payload) if length is None else length
    state = struct.pack("<4sHHQ", magic, version, kind, length) + payload
    return state + struct.pack("<I", zlib.crc32(state))


@dataclass
class Parts:
    """The fields of a state; sums are of negatives and positives, in quanta of 2^-128 if weighted.

    What is left out follows from the rest.
    """

    form: int
    n_bins: int
    shape: list  # the range, or the edges
    weighted: int
    rows: list = field(default_factory=lambda: [0, 0])
    totals: list | None = None
    n_held: int | None = None
    sums: list = field(default_factory=list)
    words: list = field(default_factory=list)
    numbers: list = field(default_factory=list)
    padding: bytes | None = None

    def payload(self):
        def in_words(pairs):
            if not self.weighted:
                return numbers([count for pair in pairs for count in pair])
            return numbers([q >> 64 * i & _WORD for pair in pairs for q in pair for i in range(3)])

        totals = [sum(c) for c in zip((0, 0), *self.sums, strict=True)]
        padding = bytes(-4 * len(self.numbers) % 8) if self.padding is None else self.padding
        return b"".join(
            [
                numbers([self.form, self.n_bins]),
                doubles(self.shape),
                numbers([self.weighted]),
                numbers(self.rows) if self.weighted else b"",
                in_words([totals if self.totals is None else self.totals]),
                numbers([len(self.numbers) if self.n_held is None else self.n_held]),
                in_words(self.sums),
                numbers(self.words),
                struct.pack(f"<{len(self.numbers)}I", *self.numbers) + padding,
            ]
        )

    def state(self):
        return seal(self.payload())


def _steps(score):
    magnitude = abs(score)
    fine = min(max(magnitude, 2.0**-32), 2.0**32)
    return (bits_of(magnitude) >> 48) + (bits_of(fine) >> 40) - (991 << 12)


def bin_by_bits(score):
    steps = -_steps(score) if score < 0 else _steps(score)
    left = max(1 - min(max(score, 0.5), 1.0), 2.0**-53)
    return steps - (bits_of(left) >> 40) + (1022 << 12) + 0x7FEF + (64 << 12)


def bin_by_line(score, n_bins, low, high):
    return int(min(max((score - low) * (n_bins / (high - low)), 0.0), float(n_bins)))


def empty_parts(arguments, weighted):
    """Return the parts of a new histogram, and the function from scores to numbers."""
    if "edges" in arguments:
        edges = arguments["edges"]
        parts = Parts(BY_EDGES, len(edges) + 1, edges, int(weighted))
        return parts, lambda score: bisect_right(edges, score)
    if "bins" in arguments:
        n_bins, span = arguments["bins"], arguments["range"]
        parts = Parts(BY_LINE, n_bins + 1, list(span), int(weighted))
        return parts, lambda score: bin_by_line(score, n_bins, *span)
    return Parts(BY_BITS, N_BINS_BY_BITS, [], int(weighted)), bin_by_bits


def parts_of(arguments, weighted, rows):
    """Return the parts of a histogram of rows (label, score, weight)."""
    parts, bin_of = empty_parts(arguments, weighted)
    held = {}
    for label, score, weight in rows:
        if weighted and weight == 0:
            continue
        sums, scores = held.setdefault(bin_of(score), ([0, 0], set()))
        scores.add(score + 0.0)
        if weighted:
            fixed_weights = Fraction(weight) * 2**128
            sums[label] += math.floor(fixed_weights + Fraction(1, 2))
            parts.rows[0] += 1
            parts.rows[1] += fixed_weights.denominator != 1
        else:
            sums[label] += 1
    parts.numbers = sorted(held)
    for number in parts.numbers:
        sums, scores = held[number]
        parts.sums.append(sums)
        parts.words.append(bits_of(scores.pop()) ^ NO_SCORE if len(scores) == 1 else MIXED)
    return parts


def histogram_of_bins(bins, *, weighted=False, n_rounded=0):
    """Return the histogram of (negatives, positives, whether of several scores), the lowest first.

    In units of 2^-128 if weighted, of which so many rows were rounded.
    """
    edges = [float(k) for k in range(1, len(bins) + 1)]
    held = [(k, *each) for k, each in enumerate(bins) if each[0] or each[1]]
    parts = Parts(BY_EDGES, len(bins) + 1, edges, int(weighted), rows=[2 * len(bins), n_rounded])
    parts.numbers = [k for k, *_ in held]
    parts.sums = [(neg, pos) for _, neg, pos, _ in held]
    parts.words = [MIXED if several else bits_of(float(k)) ^ NO_SCORE for k, *_, several in held]
    return ScoreHistogram.from_bytes(parts.state())


# Rows and histograms ----------------------------------------------------------------------------

GRIDS = {
    "default": {},
    "line": {"bins": 8, "range": (0.0, 1.0)},
    "edges": {"edges": [-1.0, 0.0, 0.25, 0.5]},
}
KINDS = [(name, weighted) for name in GRIDS for weighted in (False, True)]


def golden_rows():
    """Return 300 rows from integers alone: all magnitudes, both signs, ties, close to 0 and 1."""
    scores = [0.0, -0.0, 5e-324, -5e-324, 2.0**-32, 2.0**32, 1.0, -1.0, 1 - 2.0**-53, 1e308, -1e308]
    scores += [k / 64 for k in range(64)]
    scores += [math.ldexp((k * 40503 % 65536) / 65536 - 0.5, k - 50) for k in range(100)]
    scores += [1 - math.ldexp(1 + k / 8, -k) for k in range(1, 26)]
    scores += [0.7 + k * 2.0**-20 for k in range(100)]
    weights = [0.0, 1.0, 0.1, 2.0**-128, 2.0**-129, 2.0**-150, 2.0**40 + 2.0**-12]
    return [(k * k % 7 % 2, s, weights[k % len(weights)]) for k, s in enumerate(scores)]


def histogram_of(arguments, weighted, rows):
    labels, scores, weights = zip(*rows, strict=True) if rows else ([], [], [])
    histogram = ScoreHistogram(**arguments, weighted=weighted)
    return histogram.update(labels, scores, weights if weighted else None)


def damages(content):
    """Yield bytes with each of their bits turned, and cut off at each of them."""
    damaged = bytearray(content)
    for place in range(len(content)):
        for bit in range(8):
            damaged[place] ^= 1 << bit
            yield bytes(damaged)
            damaged[place] ^= 1 << bit
    for size in range(len(content)):
        yield content[:size]


# What reading may take up beside twice the bytes of the state: Python's objects for some numbers.
SMALL = 16 * 1024


def peak_of_reading(state):
    """Return the memory that reading a state takes up at most, and what came of it."""
    tracemalloc.reset_peak()
    before = tracemalloc.get_traced_memory()[0]
    try:
        found = ScoreHistogram.from_bytes(state)
    except CorruptStateError as error:
        found = error.with_traceback(None)
    return tracemalloc.get_traced_memory()[1] - before, found


# Fields of the footer that no value of a column follows from.
ROWS, ROWS_OF_GROUP, VALUES_OF_CHUNK = (3,), (4, 3), (4, 1, 3, 5)
BYTES_OF_GROUP, STATISTICS = (4, 2), (4, 1, 3, 12)
_PAGE_BYTES = (3,)


class Place(NamedTuple):
    """A number, a text or a length: the numbers of its fields from the outermost on, its bytes."""

    path: tuple[int, ...]
    kind: str
    start: int
    stop: int

    def is_in(self, path):
        return self.path[: len(path)] == path


def varint(number, size=1):
    """Return a number in as few bytes as there are, but ``size`` at least."""
    content = bytearray()
    while number > 0x7F or len(content) + 1 < size:
        content.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*content, number])


def zigzag(number, size=1):
    return varint((number << 1 ^ number >> 63) & (2**64 - 1), size)


def number_at(content, place):
    value, _ = _number(content, place)
    return value >> 1 ^ -(value & 1)


def _number(content, place):
    value = shift = 0
    while True:
        value |= (content[place] & 0x7F) << shift
        shift += 7
        place += 1
        if content[place - 1] < 0x80:
            return value, place


def places_of(content, start):
    """Return the places of a structure, and where it ends."""
    found = []
    return found, _struct(content, start, (), found)


def _struct(content, place, path, found):
    field = 0
    while content[place]:
        header, place = content[place], place + 1
        if header >> 4:
            field += header >> 4
        else:
            field, place = number_at(content, place), _number(content, place)[1]
        place = _value(content, place, header & 15, (*path, field), found)
    return place + 1


def _value(content, place, kind, path, found):
    start = place
    if kind in (1, 2):  # the value is the kind
        return place
    if kind in (4, 5, 6):
        _, place = _number(content, place)
        found.append(Place(path, "number", start, place))
    elif kind == 8:
        length, place = _number(content, place)
        place += length
        found.append(Place(path, "text", start, place))
    elif kind in (9, 10):
        size, of = content[place] >> 4, content[place] & 15
        place += 1
        if size == 15:
            size, place = _number(content, place)
        found.append(Place(path, "length", start, place))
        for _ in range(size):
            # A list of truth values has a byte for each.
            place = place + 1 if of in (1, 2) else _value(content, place, of, path, found)
    elif kind == 12:
        place = _struct(content, place, path, found)
    else:
        place += {3: 1, 7: 8}[kind]
    return place


def footer_of(content):
    """Return where the footer starts."""
    return len(content) - 8 - int.from_bytes(content[-8:-4], "little")


def with_footer(content, footer):
    return content[: footer_of(content)] + footer + len(footer).to_bytes(4, "little") + b"PAR1"


def footer_places(content):
    return places_of(content, footer_of(content))[0]


def page_places(content):
    """Return the places of the headers of all pages, which lie one after the other."""
    found, start = [], 4
    while start < footer_of(content):
        header, start = places_of(content, start)
        found += header
        start += next(number_at(content, p.start) for p in header if p.path == _PAGE_BYTES)
    return found


def lie(content, place, number):
    """Return a file that says another number at a place of the footer; of a text, its length."""
    start = footer_of(content)
    footer = content[start:-8]
    before, after = footer[: place.start - start], footer[place.stop - start :]
    if place.kind == "number":
        said = zigzag(number)
    elif place.kind == "text":
        _, begin = _number(content, place.start)
        said = varint(abs(number)) + content[begin : place.stop]
    else:
        said = bytes([0xF0 | content[place.start] & 15]) + varint(abs(number))
    return with_footer(content, before + said + after)


def rewrite(content, place, text):
    """Return a file with another text at a place of the footer."""
    start = footer_of(content)
    footer = content[start:-8]
    before, after = footer[: place.start - start], footer[place.stop - start :]
    return with_footer(content, before + varint(len(text)) + text + after)
