"""Tasks of distributed engines: how partitions are counted, and how undecided rows are shuffled.

In the first reading a task counts a partition, and histograms are merged as bytes. In the second, a
task returns the undecided rows of its partition, each with its bucket. The engine brings the rows
of a bucket together by its own shuffle, or to the client where they are few, and a bucket is
counted by itself. A task is a pure function of its input, so if it is retried or run twice, its
result is the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastauc.streaming._bins import doubles_of
from fastauc.streaming._bucket_pairs import count_bucket
from fastauc.streaming._bucket_rows import BucketRows, Store, weights_of
from fastauc.streaming._histogram import ScoreHistogram
from fastauc.streaming._refinement import RefinedAuc, SecondReading, refine_by
from fastauc.streaming._undecided import Buckets, Undecided, check_tol, cut_buckets

__all__: list[str] = []

# What update raises for invalid values; the partition is added to these messages.
DATA_ERRORS = (ValueError, TypeError, OverflowError)
# Up to so many undecided rows are brought to the client: 11 bytes each, or 19 with weights.
FEW_ROWS = 2**22
_NO_LIMIT = 2**62


class BucketColumns(NamedTuple):
    """Undecided rows with their buckets; ``key`` has the bits of the scores, in their order.

    ``weight`` is empty if rows have none.
    """

    bucket: NDArray[np.int32]
    label: NDArray[np.uint8]
    key: NDArray[np.int64]
    weight: NDArray[np.float64]

    def weight_or_one(self) -> NDArray[np.float64]:
        """Return the weights, which are 1 if rows have none."""
        return self.weight if len(self.weight) else np.ones(len(self.key))


class BucketCount(NamedTuple):
    """The counts of a bucket; the pairs in decimal, as weighted ones are of any size."""

    bucket: int
    n_rows: int
    concordant: str
    tied: str


class Gatherer(SecondReading):
    """The undecided rows of a partition."""

    def __init__(self, buckets: Buckets) -> None:
        super().__init__(buckets.undecided, buckets, Store(None, None), _NO_LIMIT)

    def columns(self) -> BucketColumns:
        """Return the rows."""
        parts = []
        for run in self.rows.runs:
            groups = np.repeat(np.arange(len(run.ends) - 1), np.diff(run.ends))
            bucket, label = (groups >> 1).astype(np.int32), (groups & 1).astype(np.uint8)
            assert run.rows is not None
            parts.append(
                BucketColumns(bucket, label, run.rows[0].view(np.int64), weights_of(run.rows))
            )
        return joined(parts)


def joined(parts: Sequence[BucketColumns]) -> BucketColumns:
    """Return the rows of all parts."""
    none = np.empty(0, np.int32), np.empty(0, np.uint8), np.empty(0, np.int64), np.empty(0)
    return BucketColumns(*map(np.concatenate, zip(none, *parts, strict=True)))


def count_columns(buckets: Buckets, rows: BucketColumns) -> list[BucketCount]:
    """Return the counts of all buckets that have rows; these must be all rows of a bucket.

    A ValueError for rows that are not those of the first reading.
    """
    n = buckets.n_buckets
    numbers = np.arange(1, n + 1, dtype=np.uint16)
    weighted = buckets.undecided.weighted
    kept = BucketRows(Store(None, None), numbers, n, weighted=weighted)
    places = rows.bucket.astype(np.uint32)
    kept.add(rows.label, doubles_of(rows.key.view(np.uint64)), places, rows.weight)
    counts = []
    for bucket in range(n):
        n_rows = kept.size(bucket, 0) + kept.size(bucket, 1)
        if n_rows:
            concordant, tied = count_bucket(buckets, bucket, kept, _NO_LIMIT)
            counts.append(BucketCount(bucket, n_rows, str(concordant), str(tied)))
    return counts


class ClusterRows(NamedTuple):
    """All rows of a cluster.

    ``count_rows`` returns the histogram of all rows, given an empty one; ``count_buckets`` the
    counts of all buckets that have rows. ``function`` is the public one, for errors.
    """

    count_rows: Callable[[ScoreHistogram], ScoreHistogram]
    count_buckets: Callable[[Buckets], Iterable[BucketCount]]
    weighted: bool
    function: str

    def histogram(self, bins: Any = None, range: Any = None, edges: Any = None) -> ScoreHistogram:
        """Return the histogram of the rows."""
        empty = ScoreHistogram(bins, range=range, edges=edges, weighted=self.weighted)
        return self.count_rows(empty)

    def refine(self, tol: float, *bins: Any) -> RefinedAuc:
        """Return the AUC after one or two readings of the rows."""
        tol = check_tol(tol, self.function)
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
        concordant = sum(int(count.concordant) for count in counts)
        known = undecided.with_pairs(concordant, sum(int(count.tied) for count in counts))
        return known.from_bin(len(undecided.numbers)), sum(count.n_rows for count in counts)


def check_columns(columns: Mapping[str, Any], present: Sequence[str]) -> None:
    """Refuse arguments that are not names of existing columns."""
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
