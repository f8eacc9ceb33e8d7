"""Tasks of distributed engines: how partitions are counted, and how undecided rows are shuffled.

In the first reading a task counts a partition, and histograms are merged as bytes. In the second, a
task returns the undecided rows of its partition, each with its bucket; the engine brings the rows
of a bucket together, and it is counted by itself. A task is a pure function of its input, so if it
is retried or run twice, its result is the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from fastauc._state_format import COUNT
from fastauc._validation.options import check_amount
from fastauc.streaming._bucket_pairs import count_bucket, tally_sorted
from fastauc.streaming._bucket_rows import Keys, Store
from fastauc.streaming._histogram import ScoreHistogram
from fastauc.streaming._refinement import RefinedAuc, SecondReading, refine_by
from fastauc.streaming._undecided import Buckets, Undecided, cut_buckets

__all__: list[str] = []

# What update raises for invalid values; the partition is added to these messages.
DATA_ERRORS = (ValueError, TypeError, OverflowError)
# Undecided rows that a task counts: 8 bytes each, or 16 with weights.
_ROWS_OF_TASK = 2**22
_NO_LIMIT = 2**62


class Piece(NamedTuple):
    """Undecided rows of a bucket, in words of 8 bytes.

    These are the number of negatives, which come first, the keys, and the weights, if there are.
    """

    bucket: int
    content: bytes


class BucketCount(NamedTuple):
    """The counts of a bucket."""

    bucket: int
    n_rows: int
    concordant: int
    tied: int


class Gatherer(SecondReading):
    """The undecided rows of a partition."""

    def __init__(self, buckets: Buckets) -> None:
        super().__init__(buckets.undecided, buckets, Store(None, None), _NO_LIMIT)

    def pieces(self) -> Iterator[Piece]:
        for run in self.rows.runs:
            assert run.rows is not None
            for bucket in range(self.rows.n_buckets):
                start, middle, stop = run.ends[2 * bucket : 2 * bucket + 3].tolist()
                if start < stop:
                    words = np.append(np.uint64(middle - start), run.rows[:, start:stop])
                    yield Piece(bucket, words.astype(COUNT).tobytes())


def number_of_tasks(buckets: Buckets) -> int:
    """Return among how many tasks the buckets are to be divided."""
    return min(-(-buckets.undecided.n_rows // _ROWS_OF_TASK), buckets.n_buckets)


def count_pieces(buckets: Buckets, *parts: Iterable[Piece]) -> list[BucketCount]:
    """Return the counts of all buckets that have rows; all rows of a bucket must be there."""
    by_bucket: dict[int, list[tuple[Keys, Keys]]] = {}
    for bucket, content in chain.from_iterable(parts):
        words = np.frombuffer(content, COUNT).astype(np.uint64, copy=False)
        keys = words[1:].reshape(1 + buckets.undecided.weighted, -1)
        classes = keys[:, : int(words[0])], keys[:, int(words[0]) :]
        by_bucket.setdefault(bucket, []).append(classes)
    counts = []
    for bucket, found in by_bucket.items():
        rows = [np.concatenate(parts, axis=1) for parts in zip(*found, strict=True)]
        pairs = count_bucket(buckets, bucket, partial(tally_sorted, rows))
        counts.append(BucketCount(bucket, sum(part.shape[1] for part in rows), *pairs))
    return counts


class ClusterRows(NamedTuple):
    """All rows of a cluster, and the public ``function`` that counts them.

    ``count_rows`` adds them to an empty histogram; ``count_buckets`` counts those in buckets.
    """

    count_rows: Callable[[ScoreHistogram], ScoreHistogram]
    count_buckets: Callable[[Buckets], Iterable[BucketCount]]
    weighted: bool
    function: str

    def histogram(self, bins: Any = None, range: Any = None, edges: Any = None) -> ScoreHistogram:
        empty = ScoreHistogram(bins, range=range, edges=edges, weighted=self.weighted)
        return self.count_rows(empty)

    def refine(self, tol: float, *bins: Any) -> RefinedAuc:
        """Return the AUC after one or two readings of the rows."""
        check_amount(tol, "tol", self.function)
        return refine_by(self.histogram(*bins), tol, self._resolve)

    def _resolve(self, undecided: Undecided) -> tuple[Undecided, int]:
        buckets = cut_buckets(undecided, _NO_LIMIT)
        counts = list(self.count_buckets(buckets))
        n_found = len({count.bucket for count in counts})
        if n_found != buckets.n_buckets or n_found != len(counts):
            raise ValueError(
                f"Undecided rows were found in {n_found} of {buckets.n_buckets} ranges of scores; "
                "expected the same data in each reading."
            )
        concordant = sum(count.concordant for count in counts)
        tied = sum(count.tied for count in counts)
        known = undecided.after(len(undecided.numbers), concordant, tied)
        return known, sum(count.n_rows for count in counts)


def check_columns(columns: Mapping[str, Any], present: Sequence[str]) -> None:
    for argument, name in columns.items():
        if not isinstance(name, (str, int)) or name not in present:
            shown = repr(name) if isinstance(name, (str, int)) else f"of type {type(name).__name__}"
            listed = ", ".join(map(repr, present))
            raise ValueError(f"{argument} is {shown}; expected the name of a column: {listed}.")


def describe_columns(columns: Mapping[str, Any]) -> str:
    """Return the end of a location: the column of each argument."""
    return "".join(f", {argument}={name!r}" for argument, name in columns.items())


def at_place(error: Exception, place: str) -> Exception:
    """Return an error of the same kind that says where its rows are."""
    kind = next(kind for kind in DATA_ERRORS if isinstance(error, kind))
    return kind(f"{place}: {error}")
