"""Columns of scores in files, counted: at every threshold if they fit into memory, else in cells.

What draws, tabulates or decides takes the counts of either kind; see ``GainMethods``.
"""

import time
from collections.abc import Callable, Generator, Hashable, Iterable, Sequence
from contextlib import closing
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastauc._metrics.roc_curve import confusion_matrix_at_thresholds
from fastauc._streaming.histogram import Counts, ScoreHistogram, is_certain
from fastauc._validation.options import check_n_jobs
from fastauc._validation.threads import Workers, count_threads
from fastauc.files.columns import Array
from fastauc.files.memory import default_limit, rows_at_most
from fastauc.files.passes import (
    Progress,
    Spec,
    area_of,
    check_weight,
    find_positives,
    joined,
    keep,
    most_rows_of,
    read_whole,
    replayed,
)
from fastauc.files.positives import Classes, PosLabel
from fastauc.files.reading import Chunk, stream_columns
from fastauc.files.sources import DataError, Path, Source, describe, located

# Each has tables of its own while files are streamed, and a line of its own in a report.
MOST_GROUPS = 100


_PAUSE = 0.4  # seconds between two calls of ``progress``


class RowsOfPart(NamedTuple):
    """Rows in memory."""

    positive: NDArray[np.bool_]
    scores: dict[str, Array]
    weight: Array | None


class Part(NamedTuple):
    """All rows of the files, or those of one group.

    Attributes
    ----------
    group : str, number, bool or None
        What the rows have in common in the column of groups; None for all rows.
    n_rows, n_pos : int
        Rows, and those of the positive label.
    rows : RowsOfPart or None
        The rows; None if they do not fit into memory.
    histograms : dict of str to ScoreHistogram
        Of each column of scores then.
    where : str
        How a sentence names the files.
    n_jobs : int or None
    """

    group: Any
    n_rows: int
    n_pos: int
    rows: RowsOfPart | None
    histograms: dict[str, ScoreHistogram]
    where: str
    n_jobs: int | None

    def counts(self, score: str) -> Counts:
        """Return the counts of a column of scores; of rows in memory, they are sorted now."""
        if self.rows is None:
            return self.histograms[score]
        positive, scores, weight = self.rows
        try:
            return confusion_matrix_at_thresholds(
                positive, scores[score], sample_weight=weight, n_jobs=self.n_jobs
            )
        except (TypeError, ValueError) as error:
            raise DataError(f"{self.where}: column {score!r}: {error}") from error


def note_of(part: Part, counts: Counts) -> str:
    """Return the sentence on how sure the counts are."""
    rows = f"{part.n_rows} rows, {part.n_pos} positives"
    if is_certain(counts):
        return f"{rows}; exact"
    area, distance = counts.roc_auc(), counts.ks()
    return (
        f"{rows}; bounded, not exact: counted in one pass, in cells of the score, at whose edges "
        f"the counts are exact; AUC from {_between(area)}, K-S from {_between(distance)}"
    )


def _between(interval: Any) -> str:
    # All digits: rounded, they might be no bounds.
    return f"{interval.lower!r} to {interval.upper!r}"


def count_files(
    paths: Sequence[Path | Source],
    *,
    label: str,
    score: Sequence[str],
    weight: str | None = None,
    pos_label: PosLabel = None,
    by: str | None = None,
    memory_limit: int | None = None,
    n_jobs: int | None = None,
    progress: Callable[[Progress], object] | None = None,
) -> list[Part]:
    """Return the rows of files: all of them, and then each group.

    Parameters
    ----------
    paths, label, score, weight, pos_label, memory_limit, n_jobs, progress
        As for ``fastauc.files.score``. In one pass, each column of scores takes up to 14 MB for all
        rows and for each group, 46 MB if weighted.
    by : str, optional
        A column of groups: text, numbers or booleans, of up to 100 values.

    Raises
    ------
    DataError
        For files that do not hold what was asked of them, and for too many groups.

    Notes
    -----
    Rows that fit into the limit are read into memory. Others are read once.
    """
    check_n_jobs(n_jobs, "count_files")
    limit = default_limit() if memory_limit is None else int(memory_limit)
    spec = Spec(label, tuple(dict.fromkeys(score)), weight, pos_label, 0.0, True, limit, False)
    others = () if by is None else (by,)
    with located(paths) as files:
        rows, is_known = rows_at_most(files, list({label, *spec.scores, *others}))
        most = most_rows_of(spec, n_jobs, n_others=2 * len(others))
        if rows <= most:
            columns = read_whole(files, spec, n_jobs, progress, others)
            return _parts_in_memory(columns, files, spec, by, n_jobs)
        counter = _Counter(files, spec, by, n_jobs)
        with closing(counter.stream()) as chunks:
            first: Iterable[Chunk] = chunks
            if not is_known:
                kept, is_all = keep(chunks, most)
                if is_all:
                    return _parts_in_memory(joined(kept), files, spec, by, n_jobs)
                first = replayed(kept, chunks)
            for chunk in first:
                counter.add(chunk)
                if progress is not None:
                    counter.show(progress, rows if is_known else None)
        return counter.parts()


# In memory ----------------------------------------------------------------------------------------


def _parts_in_memory(
    columns: dict[str, Array], files: list[Source], spec: Spec, by: str | None, n_jobs: int | None
) -> list[Part]:
    where = describe(files)
    positive, _ = find_positives(columns[spec.label], files, spec)
    weight = None if spec.weight is None else columns[spec.weight]
    check_weight(weight is None or bool(weight.any()), where, spec)
    whole = RowsOfPart(positive, {name: columns[name] for name in spec.scores}, weight)
    parts = [_part_of(None, whole, where, n_jobs)]
    if by is not None:
        groups = _Groups(f"{where}: column {by!r}")
        codes = groups.number(columns[by])
        parts += [
            _part_of(group, _chosen(whole, codes == code), where, n_jobs)
            for group, code in groups.ordered()
        ]
    return parts


def _chosen(rows: RowsOfPart, chosen: NDArray[np.bool_]) -> RowsOfPart:
    positive, scores, weight = rows
    return RowsOfPart(
        positive[chosen],
        {name: score[chosen] for name, score in scores.items()},
        None if weight is None else weight[chosen],
    )


def _part_of(group: Any, rows: RowsOfPart, where: str, n_jobs: int | None) -> Part:
    n_pos = int(np.count_nonzero(rows.positive))
    return Part(group, len(rows.positive), n_pos, rows, {}, where, n_jobs)


class _Groups:
    """The values of a column of groups, numbered as they are met."""

    def __init__(self, where: str) -> None:
        self._where = where
        self._numbers: dict[Hashable, int] = {}

    def number(self, values: Array) -> NDArray[np.int64]:
        """Return the number of the group of each row."""
        numbers = self._numbers
        codes = np.fromiter(
            (numbers.setdefault(value, len(numbers)) for value in values.tolist()),
            dtype=np.int64,
            count=len(values),
        )
        if len(numbers) > MOST_GROUPS:
            raise DataError(
                f"{self._where} has {len(numbers)} values or more; expected at most {MOST_GROUPS} "
                "groups"
            )
        return codes

    def ordered(self) -> list[tuple[Any, int]]:
        """Return the groups and their numbers, in the order of the groups."""
        return sorted(self._numbers.items())


# In one pass --------------------------------------------------------------------------------------


class _Cells:
    """The histograms of the rows of a group, or of all."""

    def __init__(self, spec: Spec) -> None:
        self.n_rows = self.n_pos = 0
        self.histograms = {
            name: ScoreHistogram(weighted=spec.weight is not None) for name in spec.scores
        }

    def part(self, group: Any, where: str, n_jobs: int | None) -> Part:
        return Part(group, self.n_rows, self.n_pos, None, self.histograms, where, n_jobs)


class _Counter:
    """Counts the rows of files, all together and by group."""

    def __init__(self, files: list[Source], spec: Spec, by: str | None, n_jobs: int | None) -> None:
        self._files, self._spec, self._by, self._n_jobs = files, spec, by, n_jobs
        self._where = describe(files)
        self._classes = Classes(spec.pos_label, f"{self._where}: column {spec.label!r}")
        self._groups = _Groups(f"{self._where}: column {by!r}")
        self._whole = _Cells(spec)
        self._by_group: dict[int, _Cells] = {}
        self._shown = 0.0

    def stream(self) -> Generator[Chunk, None, None]:
        """Return the rows of the files."""
        spec = self._spec
        weights = [] if spec.weight is None else [spec.weight]
        numeric = [*spec.scores, *weights]
        others = [] if self._by is None else [self._by]
        return stream_columns(
            self._files,
            [spec.label, *numeric, *others],
            numeric=numeric,
            nonnegative=weights,
            batch_rows=spec.plan_rows()[0],
            use_threads=count_threads(self._n_jobs) > 1,
        )

    def add(self, chunk: Chunk) -> None:
        """Count the rows of a chunk."""
        spec, columns = self._spec, chunk.columns
        positive = self._classes.find_positives(columns[spec.label], chunk.place_of)
        weight = None if spec.weight is None else columns[spec.weight]
        scores = {name: columns[name] for name in spec.scores}
        rows = RowsOfPart(positive, scores, weight)
        self._update(self._whole, rows, chunk)
        if self._by is None:
            return
        codes = self._groups.number(columns[self._by])
        for code in np.unique(codes).tolist():
            cells = self._by_group.setdefault(code, _Cells(spec))
            self._update(cells, _chosen(rows, codes == code), chunk)

    def _update(self, cells: _Cells, rows: RowsOfPart, chunk: Chunk) -> None:
        n_threads = count_threads(self._n_jobs)
        n_jobs = max(1, n_threads // len(rows.scores))

        def update(name: str) -> None:
            histogram = cells.histograms[name]
            try:
                histogram.update(rows.positive, rows.scores[name], rows.weight, n_jobs=n_jobs)
            except (OverflowError, ValueError) as error:
                raise DataError(f"{chunk.source.shown}: column {name!r}: {error}") from error

        with Workers(n_threads) as workers:
            workers.run_all([partial(update, name) for name in rows.scores])
        cells.n_rows += len(rows.positive)
        cells.n_pos += int(np.count_nonzero(rows.positive))

    def show(self, progress: Callable[[Progress], object], total: int | None) -> None:
        """Tell how far the pass is, a few times a second."""
        if time.monotonic() < self._shown + _PAUSE:
            return
        intervals = tuple(area_of(each) for each in self._whole.histograms.values())
        known = () if any(each.estimate != each.estimate for each in intervals) else intervals
        progress(Progress(1, self._whole.n_rows, total, known))
        self._shown = time.monotonic()

    def parts(self) -> list[Part]:
        """Return all rows, and then each group."""
        self._classes.finish()
        histogram = next(iter(self._whole.histograms.values()))
        check_weight(histogram.n_rows > 0, self._where, self._spec)
        parts = [self._whole.part(None, self._where, self._n_jobs)]
        for group, code in self._groups.ordered():
            parts.append(self._by_group[code].part(group, self._where, self._n_jobs))
        return parts
