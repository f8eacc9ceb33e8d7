"""``ScoreHistogram``: counts of both classes in score bins, made in parts and merged."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable
from fractions import Fraction
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastauc._counts.confusion_counts import ConfusionCounts, Curve, GainMethods
from fastauc._counts.threshold_counts import (
    UNIT,
    ThresholdCounts,
    as_integers,
    in_bins,
    nearest_doubles,
)
from fastauc._state_format import Parts
from fastauc._validation.arrays import as_doubles, as_fraction, read_column
from fastauc._validation.chunks import check_bins, read_chunk, read_edges
from fastauc._validation.errors import invalid_parameter
from fastauc._validation.labels import Label
from fastauc._validation.options import check_amount, check_flag, check_n_jobs, check_share
from fastauc._validation.samples import read_scores
from fastauc._validation.threads import SERIAL, Workers
from fastauc.streaming import _bounds
from fastauc.streaming._bins import (
    MIXED,
    ONLY_SCORE,
    Bins,
    NonEmptyBins,
    Tables,
    check_counter,
)
from fastauc.streaming._bounds import ScoreInterval
from fastauc.streaming._class_counts import bins_of_counts
from fastauc.streaming._histogram_state import histogram_from_bytes, histogram_state
from fastauc.streaming._undecided import Undecided, bins_in_doubt, undecided_of

_MOST_WEIGHT, _MOST_UNITS = 2.0**63, 1 << 63 + 128


class ScoreHistogram(GainMethods):
    """Counts of both classes in score bins, which give the AUC with certified bounds.

    Rows are added in parts, on any number of machines, and the histograms of the parts are merged.
    The result is the same, to the last bit, for any order and any partitioning of the rows.

    Parameters
    ----------
    bins : int, optional
        Number of bins of equal width, from 1 to 2^24, if ``range`` is given. The bin of a score is
        ``int((score - low) * (bins / (high - low)))``. Scores below the range are counted in the
        first bin, and scores of ``high`` or above in one additional bin.
    range : tuple of two floats, optional
        The range of the bins. Scores may lie outside it: the bins at the ends count them, and
        bounds stay valid.
    edges : array-like of shape (n_edges,), optional
        Increasing bin edges instead of ``bins`` and ``range``. A bin holds the scores from one edge
        up to but excluding the next; one more bin lies below the first edge.
    weighted : bool
        Whether rows have weights.

    Notes
    -----
    Without ``bins`` and ``edges``, the default bins suit any scores. For both signs, each interval
    from a power of two to the next, between 2^-32 and 2^32, has 4,096 bins. So has each interval
    between distances from 1 that are powers of two, from 2^-53 to 1/2: probabilities near 1 are
    resolved as finely as those near 0. Outside these ranges, each power of two has 16 bins.
    Integers below 8,192 and probabilities with three decimals each have their own bin. Only bins in
    use take up memory: 18 bytes each (26 from 2^32 rows of a class on), 64 if weighted, and at most
    15 MB in total, 52 MB if weighted.

    A bin that has seen a single distinct score stores it, and adds nothing to the width of an
    interval: rounded scores, constant scores and the few leaf values of a tree give exact results.
    Scores are compared as float64: integers beyond 2^53 and longer numbers are rounded to the
    nearest one, and a bin that holds such a score counts as one with several scores.

    Counts are exact up to 2^63 - 1 rows of a class. Weights are added as multiples of 2^-128, which
    is exact for weights from 2^-76 to 2^63; smaller ones are rounded, and the intervals are widened
    accordingly. The total weight of a class must stay below 2^63.

    A merge takes O(bins) time and memory; an update takes O(rows) time and no additional memory.
    Threads may share a histogram to ``update`` it and to ``merge`` others into it, but wait for one
    another; to count in parallel, use one histogram per thread and merge them. Meanwhile it can be
    read, copied and saved: each call sees the rows that have been added completely.

    Examples
    --------
    >>> from fastauc.streaming import ScoreHistogram
    >>> first = ScoreHistogram().update([0, 1], [0.1, 0.35])
    >>> second = ScoreHistogram().update([0, 1], [0.4, 0.8])
    >>> (first + second).roc_auc()
    ScoreInterval(estimate=0.75, lower=0.75, upper=0.75, exact=True)
    """

    __module__ = "fastauc.streaming"
    __hash__: ClassVar[None]  # type: ignore[assignment]
    __slots__ = ("_bins", "_lock", "_tables", "_weighted")

    def __init__(
        self,
        bins: int | None = None,
        *,
        range: tuple[float, float] | None = None,
        edges: ArrayLike | None = None,
        weighted: bool = False,
    ) -> None:
        function = "ScoreHistogram"
        check_flag(weighted, "weighted", function)
        if edges is not None:
            if bins is not None or range is not None:
                name, value = ("bins", bins) if bins is not None else ("range", range)
                raise invalid_parameter(function, name, "None if edges is given", value)
            made = Bins.by_edges(read_edges(edges, function))
        elif bins is not None or range is not None:
            made = Bins.by_line(*check_bins(bins, range, function))
        else:
            made = Bins.by_bits()
        self._set(made, NonEmptyBins.none(bool(weighted)))  # room is made for the first rows

    @classmethod
    def from_counts(cls, edges: ArrayLike, n_pos: ArrayLike, n_neg: ArrayLike) -> Self:
        """Return the histogram of rows that another system has counted in bins, as a database.

        Nothing is known about the scores within a bin, so its bounds hold for any.

        Parameters
        ----------
        edges : array-like of shape (n_edges,)
            Increasing bin edges, as for ``ScoreHistogram(edges=edges)``.
        n_pos, n_neg : array-likes of shape (n_edges + 1,)
            Positives and negatives in each bin: below the first edge, and from each edge up to but
            excluding the next. Whole numbers.

        Returns
        -------
        ScoreHistogram
            It can be refined by, updated with and merged with the rows themselves.

        Raises
        ------
        ValueError
            For edges that do not increase, counts that are negative or not whole, and other
            lengths.
        OverflowError
            For more than 2^63 - 1 rows of a class.

        Examples
        --------
        >>> from fastauc.streaming import ScoreHistogram
        >>> histogram = ScoreHistogram.from_counts([0.25, 0.5], n_pos=[0, 2, 3], n_neg=[5, 2, 0])
        >>> histogram.roc_auc()
        ScoreInterval(estimate=0.9428571428571428, lower=0.8857142857142857, upper=1.0, exact=False)
        """
        histogram = object.__new__(cls)
        histogram._set(*bins_of_counts(edges, n_pos, n_neg))
        return histogram

    def _set(self, bins: Bins, tables: Tables | NonEmptyBins) -> None:
        self._bins, self._tables = bins, tables
        self._weighted = tables.sums.ndim == 3
        self._lock = threading.Lock()  # of what is added, and of what is read meanwhile

    # Rows -----------------------------------------------------------------------------------------

    def update(
        self,
        y_true: ArrayLike,
        y_score: ArrayLike,
        sample_weight: ArrayLike | None = None,
        *,
        pos_label: Label | None = None,
        n_jobs: int | None = None,
    ) -> Self:
        """Add rows, and return the histogram.

        Parameters
        ----------
        y_true : array-like of shape (n_samples,)
            Labels of two classes; of more if ``pos_label`` is given. A part may have one class
            only, or no rows.
        y_score : array-like of shape (n_samples,)
            Finite scores in any numeric dtype; higher means more likely positive.
        sample_weight : array-like of shape (n_samples,), optional
            Non-negative weights of the rows, for weighted histograms; 1 if left out.
        pos_label : int, float, bool or str, optional
            The label of the positives; 1 if left out, for labels in {0, 1} or {-1, 1}.
        n_jobs : int or None
            Threads that check millions of rows, which one thread counts; None means the
            environment's FASTAUC_NUM_THREADS or 1, -1 all cores.

        Raises
        ------
        ValueError
            For NaN or infinite scores; negative, infinite or NaN weights; weights for an unweighted
            histogram; unequal lengths; labels that need ``pos_label``.
        OverflowError
            For more than 2^63 - 1 rows of a class, or a weight of 2^63 or more. After this or any
            other error, nothing has been added.
        """
        check_n_jobs(n_jobs, "update")
        if sample_weight is not None and not self._weighted:
            raise ValueError(
                "sample_weight is given, but this histogram counts rows; expected None, or a "
                "ScoreHistogram(weighted=True)."
            )
        with Workers(n_jobs) as workers:
            chunk = read_chunk(y_true, y_score, sample_weight, pos_label, "update", workers)
            n = len(chunk.label)
            if self._weighted and chunk.weight is None:
                chunk = chunk._replace(weight=np.ones(n), total=float(n))
            if n:
                added: list[Any] = [n - chunk.n_pos, chunk.n_pos]
                if self._weighted:
                    # Of a double that is not below 2^-76, this is exact.
                    added = [math.ceil(math.ldexp(min(chunk.total, _MOST_WEIGHT), 128))] * 2
                with self._lock:
                    self._make_room(added, n).add(chunk, self._bins)
        return self

    def _non_empty(self) -> NonEmptyBins:
        """Return the bins that hold rows, as they are now: what is added does not change them."""
        with self._lock:
            tables = self._tables
            return tables if isinstance(tables, NonEmptyBins) else tables.non_empty()

    def _make_room(self, added: list[Any], n_rows: int = 0) -> Tables:
        """Return tables of all bins with room for more rows of both classes, or weights in units.

        They are allocated now if the histogram was read from bytes. An OverflowError for more than
        a counter holds.
        """
        tables, totals = self._tables, as_integers(self._tables.totals)
        most = max(totals[0] + added[0], totals[1] + added[1])
        if self._weighted:
            check_counter(self.n_rows + n_rows, "rows")
            if most >= _MOST_UNITS:
                raise OverflowError(
                    f"The weight of a class is {float(most * UNIT)}; expected less than 2^63."
                )
            most = 0
        else:
            check_counter(most, "rows of a class")
        if isinstance(tables, NonEmptyBins):
            non_empty, tables = tables, Tables.empty(self._bins, self._weighted, most)
            tables.merge(non_empty)
        self._tables = tables = tables.with_room(most)
        return tables

    def merge(self, other: ScoreHistogram) -> Self:
        """Add the rows of another histogram with the same bins, and return this one.

        Raises
        ------
        ValueError
            For a histogram with other bins, or if only one of the two is weighted.
        OverflowError
            As for ``update``. After either error, both histograms are unchanged.
        """
        if not isinstance(other, ScoreHistogram):
            raise invalid_parameter("merge", "other", "an instance of 'ScoreHistogram'", other)
        if self._weighted != other._weighted:
            raise ValueError(
                f"weighted differs: {self._weighted} and {other._weighted}; expected histograms "
                "that are both weighted or both unweighted."
            )
        if not self._bins.is_equal(other._bins):
            raise ValueError(
                f"The bins differ: {self._describe_bins()} and {other._describe_bins()}; expected "
                "histograms made with the same bins and range, or the same edges."
            )
        others = other._non_empty()  # no thread needs the locks of two histograms
        n_rows = int(others.rows[0])
        with self._lock:
            self._make_room(as_integers(others.totals), n_rows).merge(others)
        return self

    # States ---------------------------------------------------------------------------------------

    def to_bytes(self) -> bytes:
        """Return the histogram as bytes, which are the same on any machine.

        Equal histograms have equal bytes: 28 for each non-empty bin, 60 if weighted, 8 for each
        edge, plus about 100. ``pickle`` saves the same bytes.
        """
        return b"".join(state_of(self))

    @classmethod
    def from_bytes(cls, state: bytes | memoryview) -> Self:
        """Return the histogram saved by ``to_bytes``, in this or an earlier version.

        Safe for bytes from untrusted sources: nothing in them is executed, everything is checked,
        and memory stays below twice their size. Only ``update`` and ``merge`` allocate the tables
        of all bins. A CorruptStateError for bytes that are damaged, truncated, or not from
        ``to_bytes``.
        """
        histogram = object.__new__(cls)
        histogram._set(*histogram_from_bytes(state, "from_bytes"))
        return histogram

    def __reduce__(self) -> tuple[Callable[[bytes], Self], tuple[bytes]]:
        return type(self).from_bytes, (self.to_bytes(),)

    def copy(self) -> ScoreHistogram:
        """Return an independent copy of the histogram."""
        twin = object.__new__(type(self))
        twin._set(self._bins, self._non_empty())
        return twin

    def __add__(self, other: object) -> ScoreHistogram:
        if not isinstance(other, ScoreHistogram):
            return NotImplemented
        return self.copy().merge(other)

    def __radd__(self, other: object) -> ScoreHistogram:
        # The sum of a list starts with 0.
        return self.copy() if isinstance(other, int) and other == 0 else NotImplemented

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ScoreHistogram):
            return NotImplemented
        if self._weighted != other._weighted or not self._bins.is_equal(other._bins):
            return False
        return all(map(np.array_equal, self._non_empty(), other._non_empty()))

    # What it holds --------------------------------------------------------------------------------

    @property
    def weighted(self) -> bool:
        """Whether rows have weights."""
        return self._weighted

    @property
    def n_bins(self) -> int:
        """The number of bins."""
        return self._bins.n_bins

    @property
    def n_rows(self) -> int:
        """The number of rows added; rows of weight 0 do not count."""
        if self._weighted:
            return int(self._tables.rows[0])
        return sum(self._tables.totals.tolist())

    @property
    def n_pos(self) -> float:
        """The number of positives added, or the sum of their weights."""
        return self._total(1)

    @property
    def n_neg(self) -> float:
        """The number of negatives added, or the sum of their weights."""
        return self._total(0)

    def _total(self, label: int) -> float:
        with self._lock:
            total = as_integers(self._tables.totals)[label]
        return float(total * UNIT) if self._weighted else total

    def _describe_bins(self, default: str = "the default bins") -> str:
        shown = []
        for name, value in self._bins.describe().items():
            if name == "edges":
                shown.append(f"edges=<{len(value)} from {value[0]!s} to {value[-1]!s}>")
            else:
                shown.append(f"{name}={value!r}")
        return ", ".join(shown) or default

    def __repr__(self) -> str:
        shown = self._describe_bins(f"n_bins={self.n_bins}")
        weighted = ", weighted=True" if self._weighted else ""
        return f"<ScoreHistogram {shown}{weighted}: n_pos={self.n_pos}, n_neg={self.n_neg}>"

    # Numbers --------------------------------------------------------------------------------------

    def roc_auc(self) -> ScoreInterval:
        """Return the ROC AUC; its estimate counts pairs within a bin of several scores one half.

        NaN, with an ``UndefinedMetricWarning``, if one class has no rows.
        """
        return _bounds.roc_auc(self._bin_counts()[1])

    def gini(self) -> ScoreInterval:
        """Return the Gini coefficient, 2 AUC - 1; one class only as in ``roc_auc``."""
        return _bounds.gini(self._bin_counts()[1])

    def average_precision(self) -> ScoreInterval:
        """Return the average precision; NaN, with a warning, without positives."""
        return _bounds.average_precision(self._bin_counts()[1])

    def ks(self) -> ScoreInterval:
        """Return the Kolmogorov-Smirnov distance: the largest ``|tpr - fpr|``; as ``roc_auc``."""
        return _bounds.ks(self._bin_counts()[1])

    def gain_score(self) -> ScoreInterval:
        """Return the area under the gain curve; one class only as in ``roc_auc``."""
        return _bounds.gain_score(self._bin_counts()[1])

    def gain_at(self, share: float) -> ScoreInterval:
        """Return the share of positives found among this share of rows with the highest scores.

        NaN, with an ``UndefinedMetricWarning``, without positives.
        """
        check_share(share, "gain_at")
        return _bounds.gain(self._bin_counts()[1], as_fraction(share))

    def lift_at(self, share: float) -> ScoreInterval:
        """Return ``gain_at`` a share of rows above 0, divided by that share."""
        check_share(share, "lift_at", zero=False)
        return _bounds.gain(self._bin_counts()[1], as_fraction(share), by_share=True)

    def _bin_counts(self) -> tuple[NonEmptyBins, ThresholdCounts]:
        """Return the bins that hold rows, and their counts from the highest bin down."""
        non_empty = self._non_empty()
        error = Fraction(int(non_empty.rows[1]), 2) * UNIT
        return non_empty, in_bins(non_empty.sums, non_empty.score_tags == MIXED, error)

    def undecided(self, y_score: ArrayLike, *, tol: float = 0.0) -> NDArray[np.bool_]:
        """Return which rows a second reading has to look at.

        For systems that read the rows themselves: all others may be left out when the rows are
        passed to ``refine_roc_auc`` with this histogram. Add all rows to the histogram first.

        Parameters
        ----------
        y_score : array-like of shape (n_samples,)
            Finite scores of some of the rows.
        tol : float
            As for ``refine_roc_auc``.

        Returns
        -------
        bool array of shape (n_samples,)
            Whether the bin of a score holds both classes and several scores, and has to be resolved
            for an interval as narrow as this.

        Examples
        --------
        >>> from fastauc.streaming import ScoreHistogram
        >>> histogram = ScoreHistogram(bins=2, range=(0, 1))
        >>> _ = histogram.update([0, 0, 1, 1], [0.1, 0.2, 0.1, 0.8])
        >>> histogram.undecided([0.1, 0.2, 0.1, 0.8])
        array([ True,  True,  True, False])
        """
        check_amount(tol, "tol", "undecided")
        column = read_column(y_score, "y_score", "undecided")
        score, _ = as_doubles(read_scores(column, SERIAL))
        is_looked_at = np.zeros(self._bins.n_bins, np.bool_)
        if tol > 0:
            is_looked_at[undecided_bins(self, tol).numbers] = True
        else:
            non_empty = self._non_empty()
            is_looked_at[non_empty.numbers[bins_in_doubt(non_empty)]] = True
        return is_looked_at[self._bins.find_bins(score).astype(np.intp)]

    def confusion_counts(self) -> ConfusionCounts:
        """Return the counts at the lower edge of every non-empty bin, from the highest bin down.

        The threshold of a bin with a single distinct score is that score. The very first bin has no
        lower edge: its threshold is minus infinity. A ValueError for a histogram without rows.
        """
        non_empty, counts = self._bin_counts()
        if len(counts.fps) == 0:
            raise ValueError("The histogram holds no rows; expected at least one.")
        fps, tps = nearest_doubles(counts.fps), nearest_doubles(counts.tps)
        lows = only_scores(non_empty, self._bins.lower_edges(non_empty.numbers))[::-1].copy()
        return ConfusionCounts(fps[-1] - fps, fps, tps[-1] - tps, tps, lows)

    def _threshold_counts(self) -> ThresholdCounts:
        """Return the bins that hold rows, from the highest, with weights in doubles."""
        still = self.copy()  # the same rows for both
        _, fps, _, tps, lows = still.confusion_counts()
        non_empty, counts = still._bin_counts()
        highs = lows
        if counts.is_mixed is not None:
            highs = only_scores(non_empty, self._bins.upper_edges(non_empty.numbers))[::-1]
        return counts._replace(fps=fps, tps=tps, lows=lows, highs=highs)

    def roc_curve(self, *, drop_intermediate: bool = True) -> Curve:
        """Return ``fpr, tpr, thresholds`` from the counts, as the function ``roc_curve`` does."""
        return self.confusion_counts().roc_curve(drop_intermediate=drop_intermediate)

    def precision_recall_curve(self, *, drop_intermediate: bool = False) -> Curve:
        """Return ``precision, recall, thresholds`` from the counts, as the function does."""
        return self.confusion_counts().precision_recall_curve(drop_intermediate=drop_intermediate)

    def det_curve(self, *, drop_intermediate: bool = False) -> Curve:
        """Return ``fpr, fnr, thresholds`` from the counts, as the function ``det_curve`` does."""
        return self.confusion_counts().det_curve(drop_intermediate=drop_intermediate)


def only_scores(non_empty: NonEmptyBins, other: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the only score of each bin, and another number for a bin of several."""
    only = (non_empty.score_tags ^ ONLY_SCORE).view(np.float64)
    return np.where(non_empty.score_tags == MIXED, other, only)


def roc_auc_so_far(histogram: ScoreHistogram) -> ScoreInterval:
    """Return the AUC; NaN, without a warning, while one class has no rows."""
    counts = histogram._bin_counts()[1]
    return _bounds.roc_auc(counts) if all(_bounds.are_present(counts)) else _bounds.UNDEFINED


def number_of_bins(histogram: ScoreHistogram) -> int:
    """Return the number of bins that hold rows."""
    return len(histogram._non_empty().numbers)


def state_of(histogram: ScoreHistogram) -> Parts:
    return histogram_state(histogram._bins, histogram._non_empty())


def undecided_bins(histogram: ScoreHistogram, tol: float) -> Undecided:
    """Return the bins to look at for an interval that is at most ``tol`` wide."""
    still = histogram.copy()
    return undecided_of(still._bins, *still._bin_counts(), still.n_rows, float(tol))
