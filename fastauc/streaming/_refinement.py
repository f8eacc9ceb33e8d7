"""Further passes over the same rows, which narrow the bounds of a histogram or make them exact."""

from __future__ import annotations

import math
import numbers
import threading
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike

from fastauc._pairs.concordance import Concordance
from fastauc._tables import result
from fastauc._validation.chunks import Chunk, read_chunk
from fastauc._validation.errors import invalid_parameter
from fastauc._validation.labels import Label
from fastauc._validation.options import check_n_jobs
from fastauc._validation.threads import Workers
from fastauc.streaming._bounds import ScoreInterval
from fastauc.streaming._cells import WEIGHT_UNIT
from fastauc.streaming._histogram import ScoreHistogram
from fastauc.streaming._passes import (
    CollectedRows,
    FinerCounts,
    GatheredRows,
    gathered_from_bytes,
)
from fastauc.streaming._plan import Plan, RefinementState, plan_pass, state_of_histogram
from fastauc.streaming._refinement_state import step_from_bytes, step_state
from fastauc.streaming._state_format import Field

MAX_ROWS = 2**24
# Twice the pairs of so many rows fit into 64 bits.
_MOST_ROWS = 2**32


class Refinement:
    """A further pass over the rows of a histogram, which looks only at the unresolved ones.

    Made by ``refine``, initially without rows. Rows are added in parts, to copies on any number of
    machines, and the copies are merged. Add exactly the rows of the previous pass, with the same
    scores, labels and weights, in any order.

    Notes
    -----
    Unresolved rows are those in bins that hold both classes and several scores. Either their bins
    are split into 2^20 parts or a few more, of 16 bytes each, 64 if weighted; or the rows of some
    or all of these bins are collected, in about 6 bytes each, 16 if weighted (40 in total while
    they are sorted). ``kind`` tells which.

    Threads may share a step as they may share a ``ScoreHistogram``.

    Examples
    --------
    >>> from fastauc.streaming import ScoreHistogram, refine
    >>> histogram = ScoreHistogram(bins=2, range=(0, 1))
    >>> histogram.update([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]).roc_auc()
    ScoreInterval(estimate=0.75, lower=0.5, upper=1.0, exact=False)
    >>> step = refine(histogram)
    >>> step.update([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]).roc_auc()
    ScoreInterval(estimate=0.75, lower=0.75, upper=0.75, exact=True)
    """

    __hash__ = None  # type: ignore[assignment]
    __slots__ = ("_content", "_finished", "_lock", "_plan")

    def __init__(self, plan: Plan, content: FinerCounts | CollectedRows | None = None) -> None:
        self._plan = plan
        self._finished: RefinementState | None = None
        empty = FinerCounts if plan.kind == "grid" else CollectedRows
        self._content: Any = empty(plan) if content is None else content
        self._lock = threading.Lock()  # of what is added

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
        """Add rows, as ``ScoreHistogram.update`` does, and return the step.

        Raises
        ------
        ValueError
            As ``ScoreHistogram.update``; for an unresolved score that float64 does not hold
            exactly, such as most integers beyond 2^53: nothing has been added then. And for more
            rows than in the previous pass: then, and after any other error, such as a lack of
            memory, begin the step anew, since some of the rows may have been added. No AUC is
            computed from a part of the rows.
        """
        with Workers(n_jobs, "update") as workers:
            chunk = self._read_chunk(y_true, y_score, sample_weight, pos_label, workers)
            if len(chunk.label) == 0:
                return self
            with self._lock:
                self._finished = None
                self._content.add(chunk, workers)
        self._check_not_more()
        return self

    def _read_chunk(
        self, y_true: Any, y_score: Any, sample_weight: Any, pos_label: Any, workers: Workers
    ) -> Chunk:
        weighted = self._plan.known.weighted
        if sample_weight is not None and not weighted:
            raise ValueError(
                "sample_weight is given, but this pass counts rows; expected None, or a "
                "ScoreHistogram(weighted=True) to begin with."
            )
        chunk = read_chunk(y_true, y_score, sample_weight, pos_label, "update", workers)
        if weighted and chunk.weight is None:
            chunk = chunk._replace(weight=np.ones(len(chunk.label)))
        self._check_scores(chunk)
        return chunk

    def _add_gathered(self, rows: bytes) -> None:
        """Add the rows of a ``Gatherer``."""
        with self._lock:
            self._finished = None
            self._content.append([gathered_from_bytes(rows, weighted=self.weighted)])
        self._check_not_more()

    def _check_scores(self, chunk: Chunk) -> None:
        """Refuse unresolved scores that were rounded."""
        rounded = np.flatnonzero(chunk.rounded)
        if len(rounded) == 0:
            return
        cells = self._plan.known.grid.find_cells(chunk.score[rounded])
        # Indices of another type than intp crash numpy where an allocation fails.
        slots = self._plan.search.slots[cells.astype(np.intp)]
        if slots.any():
            i = int(rounded[np.argmax(slots != 0)])
            raise ValueError(
                f"y_score[{i}] is close to {chunk.score[i]!s}, but not equal to it. Unresolved "
                "scores are compared as float64; expected scores that float64 holds exactly."
            )

    def _check_not_more(self) -> None:
        if any(map(int.__gt__, self._content.totals, self._plan.totals)):
            raise self._other_rows()

    def _other_rows(self) -> ValueError:
        found, expected = (
            [float(total * WEIGHT_UNIT) if self._plan.known.weighted else total for total in totals]
            for totals in (self._content.totals, self._plan.totals)
        )
        unit = "weight" if self._plan.known.weighted else "rows"
        return ValueError(
            f"This pass has found {found[0]} negatives and {found[1]} positives ({unit}) to "
            f"resolve, the previous one {expected[0]} and {expected[1]}; expected the same data, "
            "and all of it, in each pass."
        )

    def merge(self, other: Refinement) -> Self:
        """Add the rows of another copy of the same step, and return this one.

        Raises
        ------
        ValueError
            For a step that does not come from the same counts, or for more rows than in the
            previous pass. Both are unchanged.
        """
        if not isinstance(other, Refinement):
            raise invalid_parameter("merge", "other", "an instance of 'Refinement'", other)
        if not self._plan.is_equal(other._plan):
            raise ValueError(
                "The steps differ; expected copies of one step, or steps made by refine from equal "
                "states with the same tol and max_rows."
            )
        with self._lock:
            sums = zip(self._content.totals, other._content.totals, self._plan.totals, strict=True)
            if any(mine + more > most for mine, more, most in sums):
                raise self._other_rows()
            self._finished = None
            self._content.merge(other._content)
        return self

    def to_bytes(self) -> bytes:
        """Return the step as bytes, which are the same on any machine.

        Equal steps have equal bytes: about 50 for each unresolved interval, 80 if weighted; and 28
        for each part that holds rows, 68 if weighted, or 8 for each row, 16 if weighted. ``pickle``
        saves the same bytes.
        """
        return b"".join(self._state().parts)

    def _state(self) -> Field:
        return step_state(self._plan, self._content)

    @classmethod
    def from_bytes(cls, state: bytes | memoryview) -> Self:
        """Return the step saved by ``to_bytes``.

        Safe for bytes from untrusted sources: nothing in them is executed, everything is checked,
        and memory stays below twice their size. Only ``update`` and ``merge`` allocate the tables
        of the pass.

        Raises
        ------
        CorruptStateError
            For bytes that are damaged, truncated, or not from ``to_bytes``.
        """
        return cls(*step_from_bytes(state, "from_bytes"))

    def __reduce__(self) -> tuple[Callable[[bytes], Self], tuple[bytes]]:
        return type(self).from_bytes, (self.to_bytes(),)

    def copy(self) -> Refinement:
        """Return a copy of the step that shares no counts with this one."""
        twin = type(self)(self._plan)
        twin._content.merge(self._content)
        return twin

    def __add__(self, other: object) -> Refinement:
        if not isinstance(other, Refinement):
            return NotImplemented
        return self.copy().merge(other)

    def __radd__(self, other: object) -> Refinement:
        # The sum of a list starts with 0.
        return self.copy() if isinstance(other, int) and other == 0 else NotImplemented

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Refinement):
            return NotImplemented
        return self._plan.is_equal(other._plan) and self._content.is_equal(other._content)

    def __repr__(self) -> str:
        return f"<Refinement kind={self.kind!r}: {self.n_rows} of {self.expected_rows} rows>"

    # What it holds --------------------------------------------------------------------------------

    @property
    def kind(self) -> str:
        """Whether bins are split (``"grid"``), or their rows are collected (``"rows"``)."""
        return self._plan.kind

    @property
    def weighted(self) -> bool:
        """Whether rows have weights."""
        return self._plan.known.weighted

    @property
    def n_rows(self) -> int:
        """The number of unresolved rows added; rows of weight 0 do not count."""
        return int(self._content.n_rows)

    @property
    def expected_rows(self) -> int:
        """The number of unresolved rows; after a weighted histogram, an upper bound."""
        return min(self._plan.known.most_rows, int(self._plan.unresolved.rows.sum()))

    @property
    def complete(self) -> bool:
        """Whether all rows have been added."""
        return bool(self._content.totals == self._plan.totals)

    def roc_auc(self) -> ScoreInterval:
        """Return the ROC AUC; until all rows are added, that of the previous pass.

        Raises
        ------
        ValueError
            For rows that differ from those of the previous pass.
        """
        self._check_not_more()
        return self._finish().interval() if self.complete else self._plan.interval

    def concordance(self) -> Concordance:
        """Return the concordant and tied pairs, once the AUC is exact.

        Raises
        ------
        ValueError
            If it is not exact, for weighted rows, and for rows that differ from those of the
            previous pass.
        """
        return _concordance_of(self._finish())

    def _finish(self) -> RefinementState:
        if not self.complete:
            raise self._other_rows()
        if self._finished is None:
            self._finished = self._content.finish()
        return self._finished


Refinement.__module__ = "fastauc.streaming"


class Gatherer:
    """The rows of a partition, for a step elsewhere that collects rows.

    They are sent as found: unlike a saved step, neither sorted nor with the plan.
    """

    def __init__(self, step: Refinement) -> None:
        self._step, self._rows = step, GatheredRows(step._plan)

    def update(
        self, y_true: Any, y_score: Any, sample_weight: Any = None, *, pos_label: Any = None
    ) -> None:
        """Add rows, as ``Refinement.update`` does."""
        with Workers(None, "update") as workers:
            chunk = self._step._read_chunk(y_true, y_score, sample_weight, pos_label, workers)
        self._rows.add(chunk)

    def to_bytes(self) -> bytes:
        """Return the rows as bytes."""
        return self._rows.to_bytes()


def _concordance_of(known: RefinementState) -> Concordance:
    if known.weighted or len(known.unresolved.cells):
        found = "rows with weights" if known.weighted else f"the bounds {known.interval()[1:3]}"
        raise ValueError(f"Pairs are counted for exact, unweighted AUCs, not for {found}.")
    return Concordance(known.concordant, known.tied, known.n_pos, known.n_neg)


def _state_of(state: object, function: str) -> RefinementState:
    if isinstance(state, Refinement):
        return state._finish()
    if isinstance(state, ScoreHistogram):
        return state_of_histogram(state)
    raise invalid_parameter(
        function, "state", "an instance of 'ScoreHistogram' or of 'Refinement'", state
    )


def check_limits(tol: Any, max_rows: Any, function: str) -> None:
    """Refuse limits outside their domains."""
    is_number = isinstance(tol, numbers.Real) and not isinstance(tol, bool)
    if not (is_number and 0 <= tol < math.inf):
        raise invalid_parameter(function, "tol", "a finite float of 0 or more", tol)
    is_integer = isinstance(max_rows, numbers.Integral) and not isinstance(max_rows, bool)
    if not (is_integer and 1 <= max_rows <= _MOST_ROWS):
        raise invalid_parameter(function, "max_rows", "an int from 1 to 2**32", max_rows)


def refine(
    state: ScoreHistogram | Refinement, *, tol: float = 0.0, max_rows: int = MAX_ROWS
) -> Refinement | None:
    """Return the next pass, which narrows the bounds of the AUC, or None if no pass is needed.

    Parameters
    ----------
    state : ScoreHistogram or Refinement
        The merged result of all rows in the previous pass.
    tol : float
        The maximum width of the interval; 0 for the exact AUC.
    max_rows : int
        The maximum number of rows to collect at a time, from 1 to 2^32.

    Returns
    -------
    Refinement or None
        A step without rows; the same for equal states. None if the interval is at most ``tol``
        wide, or if only the rounding of weights is left.

    Raises
    ------
    ValueError
        For a step that has not seen exactly the rows of the previous pass.

    Notes
    -----
    If ``max_rows`` rows are enough, they are collected in one pass. If not, bins are split if some
    have more than ``max_rows`` rows; if ``tol`` is above 0; or if collecting the rows would take
    more than four passes and distinct scores seem to be few: there are at most 2^20 rows, many bins
    with a single score of both classes, or many tied pairs among collected rows. Otherwise, rows
    are collected in several passes, as many as the unresolved rows divided by ``max_rows``. This
    terminates for any data: splitting takes at most 64 passes over bins of more than ``max_rows``
    rows, and as many over others.

    O(bins) time; no rows are read. Sources: none. The method uses only that rows of different bins
    are in the order of their bins.

    Examples
    --------
    >>> from fastauc.streaming import ScoreHistogram, refine
    >>> histogram = ScoreHistogram().update([0, 1], [0.25, 0.75])
    >>> refine(histogram) is None  # exact
    True
    """
    check_limits(tol, max_rows, "refine")
    plan = plan_pass(_state_of(state, "refine"), float(tol), int(max_rows))
    return None if plan is None else Refinement(plan)


class PassRecord(NamedTuple):
    """The result of one pass over the data.

    Attributes
    ----------
    kind : str
        ``"histogram"``; ``"grid"`` if bins were split; or ``"rows"`` if rows were collected.
    rows : int
        Rows that were counted or collected, without those of weight 0.
    lower, upper : float
        Bounds of the AUC after the pass.

    Examples
    --------
    >>> from fastauc.streaming import PassRecord
    >>> PassRecord("histogram", 4, 0.5, 1.0).rows
    4
    """

    kind: str
    rows: int
    lower: float
    upper: float


PassRecord.__module__ = "fastauc.streaming"


@result("fastauc.streaming")
class RefinedAuc(NamedTuple):
    """A ROC AUC, exact or with bounds, and the passes that found it.

    Attributes
    ----------
    estimate, lower, upper, exact
        As in ``ScoreInterval``.
    passes : tuple of PassRecord
        The passes over the data, including the first.
    concordance : Concordance or None
        The pair counts, if the AUC is exact and the rows are unweighted.

    Examples
    --------
    >>> from fastauc.streaming import refine_roc_auc
    >>> refine_roc_auc(None, lambda: [([0, 1, 1], [0.25, 0.5, 0.25])]).concordance
    Concordance(concordant=1, tied=1, n_pos=2, n_neg=1)
    """

    estimate: float
    lower: float
    upper: float
    exact: bool
    passes: tuple[PassRecord, ...]
    concordance: Concordance | None


State = ScoreHistogram | Refinement


def refine_by(
    histogram: ScoreHistogram,
    count: Callable[[Refinement], Refinement],
    tol: float,
    max_rows: int,
) -> RefinedAuc:
    """Refine a histogram by passes of ``count``, which adds all rows to an empty step."""
    state: State = histogram
    interval = histogram.roc_auc()
    passes = [PassRecord("histogram", histogram.n_rows, interval.lower, interval.upper)]
    while (step := refine(state, tol=tol, max_rows=max_rows)) is not None:
        state = step = count(step)
        step._finish()
        interval = step.roc_auc()
        passes.append(PassRecord(step.kind, step.n_rows, interval.lower, interval.upper))
    is_counted = interval.exact and not histogram.weighted
    pairs = _concordance_of(_state_of(state, "refine")) if is_counted else None
    return RefinedAuc(*interval, tuple(passes), pairs)


def refine_roc_auc(
    histogram: ScoreHistogram | None,
    chunks: Callable[[], Iterable[tuple[ArrayLike, ...]]],
    *,
    tol: float = 0.0,
    max_rows: int = MAX_ROWS,
    pos_label: Label | None = None,
    n_jobs: int | None = None,
) -> RefinedAuc:
    """Return the ROC AUC of rows that do not fit into memory.

    Parameters
    ----------
    histogram : ScoreHistogram or None
        The first pass; None to make it here, with the default bins.
    chunks : callable
        Called for each pass; returns an iterable of parts ``(y_true, y_score)`` or ``(y_true,
        y_score, sample_weight)``. The same rows each time, in any order and in any parts.
    tol : float
        The maximum width of the interval; 0 for the exact AUC.
    max_rows : int
        The maximum number of rows to collect at a time, of 6 bytes each, 16 if weighted; see
        ``Refinement``.
    pos_label : int, float, bool or str, optional
        The label of the positives; 1 if left out, for labels in {0, 1} or {-1, 1}.
    n_jobs : int or None
        Threads; None means the environment's FASTAUC_NUM_THREADS or 1, -1 all cores.

    Returns
    -------
    RefinedAuc
        Exact if ``tol`` is 0: the pair counts are those of ``concordance`` on all rows; with
        weights, the exact AUC rounded once, if no weight is below 2^-76. The same for any parts and
        order. NaN, with an ``UndefinedMetricWarning``, if one class has no rows.

    Raises
    ------
    ValueError
        For rows that differ between passes, and as ``Refinement.update``.

    Notes
    -----
    Each pass takes O(rows) time, plus O(n log n) for the rows that are collected.

    Ties are exact in every pass: a bin with a single distinct score adds nothing to the width. See
    ``refine`` for the number of passes and the sources.

    Examples
    --------
    >>> from fastauc.streaming import refine_roc_auc
    >>> parts = [([0, 0], [0.1, 0.4]), ([1, 1], [0.35, 0.8])]
    >>> refine_roc_auc(None, lambda: iter(parts)).estimate
    0.75
    """
    function = "refine_roc_auc"
    check_limits(tol, max_rows, function)
    check_n_jobs(n_jobs, function)
    if not callable(chunks):
        raise invalid_parameter(function, "chunks", "a callable that returns an iterable", chunks)

    def add_all(state: Any) -> Any:
        for part in chunks():
            if not 2 <= len(part) <= 3:
                raise ValueError(
                    f"A part of chunks has {len(part)} entries; expected y_true, y_score and, "
                    "optionally, sample_weight."
                )
            state = _started(part) if state is None else state
            state.update(*part, pos_label=pos_label, n_jobs=n_jobs)
        return state

    if histogram is None:
        histogram = add_all(None) or ScoreHistogram()
    return refine_by(histogram, add_all, tol, max_rows)


def _started(part: tuple[ArrayLike, ...]) -> ScoreHistogram:
    return ScoreHistogram(weighted=len(part) == 3 and part[2] is not None)
