"""Saved histograms written number by number, from the description of the format alone.

Nothing here is taken from the package: cells, sums and bytes follow from Python's own numbers.
"""

import math
import struct
import zlib
from bisect import bisect_right
from dataclasses import dataclass, field
from fractions import Fraction

BY_BITS, BY_LINE, BY_EDGES = range(3)
NO_SCORE = 0x7FF8 << 48
SEVERAL = 1
N_CELLS_BY_BITS = 802_783
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
    n_cells: int
    shape: list  # the range, or the edges
    weighted: int
    rows: list = field(default_factory=lambda: [0, 0])
    totals: list | None = None
    n_held: int | None = None
    sums: list = field(default_factory=list)
    words: list = field(default_factory=list)
    cells: list = field(default_factory=list)
    padding: bytes | None = None

    def payload(self):
        def in_words(pairs):
            if not self.weighted:
                return numbers([count for pair in pairs for count in pair])
            return numbers([q >> 64 * i & _WORD for pair in pairs for q in pair for i in range(3)])

        totals = [sum(c) for c in zip((0, 0), *self.sums, strict=True)]
        padding = bytes(-4 * len(self.cells) % 8) if self.padding is None else self.padding
        return b"".join(
            [
                numbers([self.form, self.n_cells]),
                doubles(self.shape),
                numbers([self.weighted]),
                numbers(self.rows) if self.weighted else b"",
                in_words([totals if self.totals is None else self.totals]),
                numbers([len(self.cells) if self.n_held is None else self.n_held]),
                in_words(self.sums),
                numbers(self.words),
                struct.pack(f"<{len(self.cells)}I", *self.cells) + padding,
            ]
        )

    def state(self):
        return seal(self.payload())


def _steps(score):
    magnitude = abs(score)
    fine = min(max(magnitude, 2.0**-32), 2.0**32)
    return (bits_of(magnitude) >> 48) + (bits_of(fine) >> 40) - (991 << 12)


def cell_by_bits(score):
    steps = -_steps(score) if score < 0 else _steps(score)
    left = max(1 - min(max(score, 0.5), 1.0), 2.0**-53)
    return steps - (bits_of(left) >> 40) + (1022 << 12) + 0x7FEF + (64 << 12)


def cell_by_line(score, n_bins, low, high):
    return int(min(max((score - low) * (n_bins / (high - low)), 0.0), float(n_bins)))


def empty_parts(arguments, weighted):
    """Return the parts of a new histogram, and the function from scores to cells."""
    if "edges" in arguments:
        edges = arguments["edges"]
        parts = Parts(BY_EDGES, len(edges) + 1, edges, int(weighted))
        return parts, lambda score: bisect_right(edges, score)
    if "bins" in arguments:
        n_bins, span = arguments["bins"], arguments["range"]
        parts = Parts(BY_LINE, n_bins + 1, list(span), int(weighted))
        return parts, lambda score: cell_by_line(score, n_bins, *span)
    return Parts(BY_BITS, N_CELLS_BY_BITS, [], int(weighted)), cell_by_bits


def parts_of(arguments, weighted, rows):
    """Return the parts of a histogram of rows (label, score, weight)."""
    parts, cell_of = empty_parts(arguments, weighted)
    held = {}
    for label, score, weight in rows:
        if weighted and weight == 0:
            continue
        sums, scores = held.setdefault(cell_of(score), ([0, 0], set()))
        scores.add(score + 0.0)
        if weighted:
            quanta = Fraction(weight) * 2**128
            sums[label] += math.floor(quanta + Fraction(1, 2))
            parts.rows[0] += 1
            parts.rows[1] += quanta.denominator != 1
        else:
            sums[label] += 1
    parts.cells = sorted(held)
    for cell in parts.cells:
        sums, scores = held[cell]
        parts.sums.append(sums)
        parts.words.append(bits_of(scores.pop()) ^ NO_SCORE if len(scores) == 1 else SEVERAL)
    return parts
