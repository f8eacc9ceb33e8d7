"""Columns of scores in one reading of their rows or two: what is known after each.

What ``files`` counts by. All columns are read at the same time, and share memory and a file.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from fastauc._state_format import broken
from fastauc._validation.threads import Workers
from fastauc.metrics import ConfusionCounts
from fastauc.streaming import PassRecord, ScoreHistogram, ScoreInterval
from fastauc.streaming._bounds import UNDEFINED, interval_of
from fastauc.streaming._histogram import number_of_bins, roc_auc_so_far, undecided_bins
from fastauc.streaming._refinement import SecondReading, second_readings
from fastauc.streaming._undecided import Undecided

Counts = ConfusionCounts | ScoreHistogram
State = ScoreHistogram | SecondReading  # what the rows of a column are added to


# The table of measures, with their headings in a report. Counts have a method of the same name, but
# rows or pairs may tell some more precisely or sooner. Commands and files show what ``Measures``
# holds.
HEADINGS = {"roc_auc": "AUC", "gini": "Gini", "ks": "K-S", "average_precision": "Average precision"}


class Measures(NamedTuple):
    """The measures of a column of scores, and the share of ties if it is known."""

    roc_auc: ScoreInterval
    gini: ScoreInterval
    average_precision: ScoreInterval
    ks: ScoreInterval
    tie_share: float | None


def as_interval(value: float | ScoreInterval) -> ScoreInterval:
    """Return a value as an interval; it is exact unless it is NaN."""
    if isinstance(value, ScoreInterval):
        return value
    return ScoreInterval(value, value, value, not math.isnan(value))


def measures_of(counts: Counts | None, tie_share: float | None, **known: Any) -> Measures:
    """Return the measures that are known, and others of the counts."""
    values = known | {name: getattr(counts, name)() for name in HEADINGS.keys() - known.keys()}
    intervals = {name: as_interval(value) for name, value in values.items()}
    return Measures(**intervals, tie_share=tie_share)


class Column(NamedTuple):
    """What is known about a column of scores, and the finished readings.

    ``known`` has its pairs, and the bins to look at next; it is None before the first reading ends.
    """

    histogram: ScoreHistogram
    known: Undecided | None = None
    passes: tuple[PassRecord, ...] = ()

    @property
    def done(self) -> bool:
        """Whether no further reading is needed."""
        return self.known is not None and len(self.known.numbers) == 0

    @property
    def pairs(self) -> tuple[int, int] | None:
        """The concordant and the tied pairs as far as they are known, after the first reading."""
        return None if self.known is None else self.known.pairs[:2]

    @property
    def n_bins(self) -> int:
        """The number of bins that hold rows."""
        return number_of_bins(self.histogram)

    def interval(self) -> ScoreInterval:
        """Return the AUC; NaN, without a warning, while one class has no rows."""
        if self.known is None:
            return roc_auc_so_far(self.histogram)
        return self.known.interval() if self.known.is_defined else UNDEFINED

    def measures(self) -> Measures:
        """Return the measures; NaN and a warning for one class."""
        histogram, known = self.histogram, self.known
        area = gini = UNDEFINED
        ties: float | None = math.nan
        if known is not None and known.is_defined:
            bounds, pairs = known.bounds(), known.concordance()
            area, gini = interval_of(*bounds), interval_of(*(2 * bound - 1 for bound in bounds))
            ties = None if pairs is None else pairs.tied / (pairs.n_pos * pairs.n_neg)
        return measures_of(histogram, ties, roc_auc=area, gini=gini)

    def counted(self, tol: float = 1.0) -> Column:
        """Return the same after the first reading, with the bins to look at for this width."""
        # Without the tables of empty bins, which only rows would need.
        histogram = self.histogram.copy()
        known = undecided_bins(histogram, tol)
        interval = self.interval()
        record = PassRecord("histogram", histogram.n_rows, interval.lower, interval.upper)
        return Column(histogram, known, (record,))

    def read_again(self, reading: SecondReading, workers: Workers) -> Column:
        """Return the same after a reading of undecided rows."""
        column = self._replace(known=reading.finish(workers))
        interval = column.interval()
        record = PassRecord("rows", reading.n_rows, interval.lower, interval.upper)
        return column._replace(passes=(*self.passes, record))

    def as_resolved(self, pairs: Sequence[int], passes: tuple[PassRecord, ...]) -> Column:
        """Return the same after passes that counted all pairs; refuse what they cannot be."""
        known = self.known and self.known.as_resolved(*pairs)
        column = self._replace(known=known, passes=passes)
        bounds = column.interval()[1:3]
        ends = [str(passes[:1]), str(passes[-1][2:])] if passes else []
        if ends != [str(self.passes), str(bounds)]:  # as text, in which NaN is NaN
            raise broken("its passes do not match its rows")
        return column


def histograms_of(columns: Mapping[str, Column]) -> dict[str, ScoreHistogram]:
    return {name: column.histogram for name, column in columns.items()}


@contextlib.contextmanager
def readings_of(
    columns: Mapping[str, Column], max_rows: int, n_jobs: int | None
) -> Iterator[dict[str, SecondReading]]:
    """Give a reading of undecided rows for each column that needs one; see ``second_readings``."""
    left = {name: each.known for name, each in columns.items() if not each.done}
    undecided = [known for known in left.values() if known is not None]
    with second_readings(undecided, max_rows, n_jobs) as found:
        yield dict(zip(left, found, strict=True))
