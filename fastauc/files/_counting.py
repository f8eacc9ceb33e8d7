"""Score columns of files, counted: at every threshold if they fit into memory, else in bins.

Plots, tables and threshold choices accept either kind of counts; see ``GainMethods``.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import compress
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastauc._rows import MOST_GROUPS, LabeledRows, Part, column_and_period
from fastauc._validation.columns import Directions, find_lower
from fastauc._validation.errors import DataError
from fastauc._validation.labels_in_parts import PosLabel
from fastauc._validation.literals import NanPolicy
from fastauc.files._formats import format_of
from fastauc.files._memory import check_limit
from fastauc.files._passes import Job, Progress, Spec
from fastauc.files._sources import Paths, located


def count_files(
    paths: Paths,
    *,
    label: str,
    score: Sequence[str],
    weight: str | None = None,
    pos_label: PosLabel = None,
    higher_is_positive: Directions = True,
    nan_policy: NanPolicy = "raise",
    by: Sequence[str] = (),
    date_format: str | None = None,
    memory_limit: int | None = None,
    n_jobs: int | None = None,
    progress: Callable[[Progress], object] | None = None,
) -> list[Part]:
    """Return the rows of files: all of them, and then each group; as counts if they do not fit.

    ``by`` are columns of groups: text, numbers or booleans; or "opened:month" for the months of a
    column of dates, in ISO 8601 or ``date_format``; or year, quarter, week, day. There may be up to
    100 groups, which of several columns are the combinations that occur; they are sorted, and
    categories of Parquet and Arrow files come in their own order. Other arguments are those of
    ``fastauc.files.score``. Counted in one pass, each column of scores takes up to 14 MB for all
    rows, and as much for each group; 46 MB if weighted.
    """
    limit = check_limit(memory_limit)
    scores = tuple(dict.fromkeys(score))
    lower = tuple(compress(scores, find_lower(higher_is_positive, scores, "count_files")))
    spec = Spec(label, scores, weight, pos_label, 1.0, limit, nan_policy, lower)
    with located(paths) as files:
        grouping: Any = {"by": by, "date_format": date_format}
        job = _GroupedJob(files, spec, **grouping, n_jobs=n_jobs, progress=progress)
        with job.loading() as rows:
            if rows is None:
                job.run()
            return job.parts(rows)


class _GroupedJob(Job):
    """A job of one pass that counts the rows of each group in addition to all rows."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._numbers: dict[Any, int] = {}  # of the groups, as they are met
        self._groups: dict[Any, Part] = {}

    def count(self, rows: LabeledRows, where: str) -> None:
        super().count(rows, where)
        for group, chosen in self._split(rows):
            part = self._groups.get(group)
            if part is None:
                part = self.part(group, columns=self.empty_columns())
            self.update(part.histograms, chosen, where)
            self._groups[group] = part._replace(
                n_rows=part.n_rows + chosen.n_rows,
                n_pos=part.n_pos + chosen.n_pos,
                dropped=part.dropped and part.dropped.plus(chosen.dropped()),
            )

    def _split(self, rows: LabeledRows) -> Iterator[tuple[Any, LabeledRows]]:
        """Yield each group with its rows, if there are groups."""
        if not self.by:
            return
        codes, left_out = self._codes_of(rows), rows.left_out
        others = codes if left_out is None else self._codes_of(left_out)
        for code, group in enumerate(self._numbers):
            chosen = codes == code
            if chosen.any():
                part = rows.select(chosen)
                if left_out is not None:
                    part = part._replace(left_out=left_out.select(others == code))
                yield group, part

    def _codes_of(self, rows: LabeledRows) -> NDArray[np.int64]:
        numbers, values = self._numbers, [group.tolist() for group in rows.groups]
        groups = values[0] if len(values) == 1 else zip(*values, strict=True)
        codes = (numbers.setdefault(group, len(numbers)) for group in groups)
        found = np.fromiter(codes, np.int64, rows.n_rows)
        if len(numbers) > MOST_GROUPS:
            columns = " and ".join(map(repr, self.by))
            named = f"column {columns} has" if len(values) == 1 else f"columns {columns} have"
            raise DataError(
                f"{self.where}: {named} {len(numbers)} values or more; expected at most "
                f"{MOST_GROUPS} groups"
            )
        return found

    def parts(self, rows: LabeledRows | None) -> list[Part]:
        """Return all rows, and then each group, as rows in memory or as counts."""
        if rows is not None:
            self._groups = {group: self.part(group, part) for group, part in self._split(rows)}
        for group, part in self._groups.items():
            columns = {name: each.counted() for name, each in part.columns.items()}
            self._groups[group] = part._replace(columns=columns)
        ranks = [self._ranks(each) for each in self.by]

        def place(group: Any) -> list[tuple[int, Any]]:
            values = group if len(self.by) > 1 else (group,)
            return [(rank.get(v, len(rank)), v) for rank, v in zip(ranks, values, strict=True)]

        return [self.whole(rows), *(self._groups[each] for each in sorted(self._groups, key=place))]

    def _ranks(self, by: str) -> dict[Any, int]:
        """Return the places of categories in the order of the files; of other values, none."""
        column, period = column_and_period(by)
        ranks: dict[Any, int] = {}
        for source in self.files:
            is_in_file = period is None and column not in dict(source.partitions)
            order = format_of(source).order(source, column) if is_in_file else None
            if order is None:  # then it has none in the other files, or another one
                break
            for value in order:
                ranks.setdefault(value, len(ranks))
        return ranks
