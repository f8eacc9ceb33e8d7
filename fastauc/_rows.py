"""Rows with their classes: in memory or counted, whole or by group, and those that were left out.

What ``files`` reads and ``reports`` takes.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping, Sequence
from datetime import date, datetime
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastauc._counts.confusion_counts import threshold_counts
from fastauc._counts.gains import in_own_scale
from fastauc._counts.result_table import ResultTable
from fastauc._counts.sample_curves import measure_rows
from fastauc._counts.thresholds import Choice, threshold_facts
from fastauc._readings import (
    Column,
    Counts,
    Measures,
    as_interval,
    histograms_of,
    measures_of,
)
from fastauc._tables import printable
from fastauc._validation.arrays import Array, opposite_number
from fastauc._validation.errors import DataError, UndefinedMetricWarning
from fastauc._validation.rows import Rows, find_missing
from fastauc.metrics import confusion_matrix_at_thresholds, gini_score, roc_auc_score
from fastauc.streaming import ScoreHistogram, ScoreInterval

if TYPE_CHECKING:
    from fastauc.inference import Estimate, PairwiseTests

# Each group has its own tables while files are streamed, and its own line in a report.
MOST_GROUPS = 100

# For the interval of K-S, which takes 0.3 s for 300,000 rows. Of more than a million, it would take
# far longer than all else, to show a few thousandths.
_RESAMPLES, _MOST_ROWS_RESAMPLED = 1000, 10**6


PERIODS = ("year", "quarter", "month", "week", "day")


def column_and_period(by: str) -> tuple[str, str | None]:
    """Return the column of groups and, if it holds dates, the period: of "opened:month", both."""
    column, _, period = by.rpartition(":")
    return (column, period) if column and period in PERIODS else (by, None)


def period_of(value: object, period: str, date_format: str | None = None) -> str:
    """Return the period of a date: "2024", "2024-Q1", "2024-03", "2024-W10" or "2024-03-05".

    A date is text or a number, as ``strftime`` writes it by a format, or as ISO 8601 does, with or
    without a time of day; weeks are those of ISO 8601.
    """
    text = str(value)
    day = datetime.strptime(text, date_format) if date_format else date.fromisoformat(text[:10])
    if period == "quarter":
        return f"{day.year}-Q{(day.month + 2) // 3}"
    if period == "week":
        return "{}-W{:02}".format(*day.isocalendar())
    return day.isoformat()[: {"year": 4, "month": 7, "day": 10}[period]]


def tells_period(date_format: str, period: str) -> bool:
    """Tell whether a format of dates has all that their period depends on."""
    day = date(1999, 11, 30)
    try:
        return period_of(day.strftime(date_format), period, date_format) == period_of(day, period)
    except ValueError:
        return False


class Dropped(NamedTuple):
    """Counts of the rows left out because one of their scores is missing.

    Attributes
    ----------
    negatives, positives : int
        Rows of each class that are left out.
    by_score : dict of str to tuple of int
        The rows of each class that lack this score. A row may lack several scores.
    """

    negatives: int
    positives: int
    by_score: Mapping[str, tuple[int, int]]

    def plus(self, other: Dropped) -> Dropped:
        """Return the sum of these counts and others."""
        by_score = dict(self.by_score)
        for name, (negatives, positives) in other.by_score.items():
            mine = by_score.get(name, (0, 0))
            by_score[name] = mine[0] + negatives, mine[1] + positives
        return Dropped(self.negatives + other.negatives, self.positives + other.positives, by_score)

    def columns(self, score: str) -> dict[str, int]:
        """Return the fields that a line about a column of scores shows."""
        negatives, positives = self.by_score.get(score, (0, 0))
        return {
            "dropped_negatives": self.negatives,
            "dropped_positives": self.positives,
            "missing_negatives": negatives,
            "missing_positives": positives,
        }

    def sentence(self) -> str:
        """Return the counts as a sentence."""
        missing = ", ".join(
            f"{name} is missing in {negatives + positives} ({of_positives(positives)})"
            for name, (negatives, positives) in self.by_score.items()
            if negatives + positives
        )
        total = self.negatives + self.positives
        rows = "1 row" if total == 1 else f"{total} rows"
        dropped = f"{rows} dropped ({of_positives(self.positives)})"
        return dropped + (missing and f": {missing}")


def of_positives(number: int) -> str:
    return "1 positive" if number == 1 else f"{number} positives"


Dropped.__module__ = "fastauc.files"

NOTHING = Dropped(0, 0, {})


class LabeledRows(NamedTuple):
    """Columns of a chunk, of all rows or of a group, with classes in place of labels.

    ``left_out`` holds the rows that lack a score, if these are dropped.
    """

    positive: NDArray[np.bool_]
    scores: dict[str, Array]
    weight: Array | None
    groups: tuple[Array, ...] = ()
    left_out: LabeledRows | None = None

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return len(self.positive)

    @property
    def n_pos(self) -> int:
        """Number of positives."""
        return int(np.count_nonzero(self.positive))

    def arguments(self, name: str) -> dict[str, Any]:
        """Return the labels, a column of scores and the weights by the names of functions."""
        return {"y_true": self.positive, "y_score": self.scores[name], "sample_weight": self.weight}

    def select(self, chosen: NDArray[np.bool_]) -> LabeledRows:
        """Return some of the rows."""
        return LabeledRows(
            self.positive[chosen],
            {name: score[chosen] for name, score in self.scores.items()},
            None if self.weight is None else self.weight[chosen],
            tuple(group[chosen] for group in self.groups),
        )

    def of_weight(self) -> LabeledRows:
        """Return the rows without those of weight 0, which are in no value and in no count."""
        if self.weight is None or self.weight.all():
            return self
        return self.select(self.weight != 0)

    def complete(self) -> LabeledRows:
        """Return the rows that have all scores, with the others as ``left_out``."""
        lacking = np.zeros(self.n_rows, np.bool_)
        for score in self.scores.values():
            lacking |= find_missing(score)
        if not lacking.any():
            return self
        return self.select(~lacking)._replace(left_out=self.select(lacking))

    def dropped(self) -> Dropped:
        """Count the rows that were left out, and their missing scores."""
        if self.left_out is None:
            return NOTHING
        is_positive = self.left_out.positive
        missing = {name: find_missing(score) for name, score in self.left_out.scores.items()}
        by_score = {name: by_class(is_positive[each]) for name, each in missing.items()}
        return Dropped(*by_class(is_positive), by_score)


def by_class(is_positive: NDArray[np.bool_]) -> tuple[int, int]:
    """Count negatives and positives."""
    n_pos = int(np.count_nonzero(is_positive))
    return len(is_positive) - n_pos, n_pos


class Part(NamedTuple):
    """All rows of some weight, whose ``group`` is None, or those of one group.

    ``where`` names them in messages.

    The group is a value, or a tuple of them for the values of several columns.

    If ``rows`` do not fit into memory, there are columns of counted scores in their place.
    ``dropped`` counts what was left out, if rows that lack a score are. The scores in
    ``lower_is_positive``, and their thresholds, have the opposite sign of those given.
    """

    group: Any
    n_rows: int
    n_pos: int
    rows: LabeledRows | None
    columns: Mapping[str, Column]
    where: str
    n_jobs: int | None
    dropped: Dropped | None = None
    lower_is_positive: frozenset[str] = frozenset()

    @property
    def scores(self) -> list[str]:
        """The names of the columns of scores."""
        return list(self.columns if self.rows is None else self.rows.scores)

    @property
    def histograms(self) -> dict[str, ScoreHistogram]:
        """The columns of scores that were counted."""
        return histograms_of(self.columns)

    def _place(self, score: str) -> str:
        within = "" if self.group is None else f", in group {group_in_words(self.group)}"
        return f"{self.where}: column {score!r}{within}"

    @property
    def has_both(self) -> bool:
        """Whether there are rows of both classes."""
        return 0 < self.n_pos < self.n_rows

    def counts(self, score: str) -> Counts:
        """Return the counts of a column of scores; rows in memory are sorted now."""
        if self.rows is None:
            return self.columns[score].histogram
        try:
            return confusion_matrix_at_thresholds(**self.rows.arguments(score), n_jobs=self.n_jobs)
        except (TypeError, ValueError) as error:
            raise DataError(f"{self._place(score)}: {error}") from error

    def measures(self, score: str) -> Measures:
        """Return the measures of a column of scores; their bounds if the rows were counted."""
        if self.rows is None:
            return self.columns[score].measures()
        try:
            return _measure(self.rows, score, self.n_jobs)
        except (TypeError, ValueError) as error:
            raise DataError(f"{self._place(score)}: {error}") from error

    def roc_auc_ci(self, score: str, confidence_level: float) -> Estimate | None:
        """Return the AUC with its interval; None without rows of both classes in memory."""
        if self.rows is None or not self.has_both:
            return None
        # Imported here so that commands that need no interval start faster.
        from fastauc.inference import roc_auc_ci

        rows = self.rows.arguments(score)
        return roc_auc_ci(**rows, confidence_level=confidence_level, n_jobs=self.n_jobs)

    def ks_ci(self, score: str, confidence_level: float) -> Estimate | None:
        """Return the K-S distance with its bootstrap interval, drawn from a fixed seed.

        None without rows of both classes in memory, and for more than a million of them; an
        interval that is undefined is NaN.
        """
        if self.rows is None or not self.has_both or self.n_rows > _MOST_ROWS_RESAMPLED:
            return None
        from fastauc.inference import bootstrap_ci

        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UndefinedMetricWarning)
            options: Any = {"n_resamples": _RESAMPLES, "confidence_level": confidence_level}
            options |= self.rows.arguments(score) | {"n_jobs": self.n_jobs}
            return bootstrap_ci(statistic="ks", rng=0, **options)

    def compare(self) -> PairwiseTests | None:
        """Return DeLong's test of every two columns of scores; None for fewer, or without rows."""
        if self.rows is None or len(self.rows.scores) < 2 or not self.has_both:
            return None
        from fastauc.inference import compare_roc_auc

        options: Any = {"sample_weight": self.rows.weight, "n_jobs": self.n_jobs}
        return compare_roc_auc(self.rows.positive, self.rows.scores, **options).pairwise()

    def gains_table(self, score: str, counts: Counts, **options: Any) -> ResultTable:
        """Return the gains table of a column of scores, in the scale given."""
        try:
            table = counts.gains_table(**options)
        except ValueError as error:  # the histogram's bins are too coarse
            raise DataError(
                f"{self._place(score)}: splitting ties would divide the bins in which "
                "the scores were counted; expected rows that fit within the memory limit"
            ) from error
        return in_own_scale(table) if score in self.lower_is_positive else table

    def thresholds(
        self, score: str, counts: Counts, choices: Sequence[Choice]
    ) -> list[dict[str, Any]]:
        """Return what ``threshold_facts`` does, in the scale given and in words."""
        found = threshold_facts(threshold_counts(counts), choices)
        is_lower = score in self.lower_is_positive
        told = []
        for facts in found:
            method, threshold = facts["method"], facts["threshold"]
            threshold = opposite_number(threshold) if is_lower else threshold
            words = {"predicted_positive": cut_off(threshold, is_lower), "unit": _UNITS[method]}
            told.append({"method": method} | words | facts | {"threshold": threshold})
        return told


def _measure(rows: LabeledRows, score: str, n_jobs: int | None) -> Measures:
    given = rows.arguments(score) | {"n_jobs": n_jobs}
    if rows.weight is None:
        pairs, precision, distance = measure_rows(Rows("score", **given))
        auc, n_pairs = pairs.auc, pairs.n_pos * pairs.n_neg
        gini = float(2 * pairs.fraction - 1) if n_pairs else math.nan
        tie_share = pairs.tied / n_pairs if n_pairs else math.nan
        known = {"roc_auc": auc, "gini": gini, "average_precision": precision, "ks": distance}
        return measures_of(None, tie_share, **known)
    counts = confusion_matrix_at_thresholds(**given)
    # Weighted counts are rounded sums, from which the areas would be less accurate.
    areas = {"roc_auc": roc_auc_score(**given), "gini": gini_score(**given)}
    return measures_of(counts, counts.tie_share(), **areas)


# Sentences ----------------------------------------------------------------------------------------

_ALL_ROWS = "all rows"


def group_in_words(group: Any) -> str:
    """Return the name of a group, or of all rows; a group of that name is in quotes."""
    if group is None:
        return _ALL_ROWS
    text = printable(", ".join(map(str, group)) if isinstance(group, tuple) else str(group))
    return repr(text) if text == _ALL_ROWS else text


# What the value of a criterion is.
_UNITS = {"youden": "TPR - FPR", "balanced_accuracy": "balanced accuracy", "accuracy": "accuracy",
          "closest_topleft": "distance to (0, 1)", "f1": "F1", "cost": "mean cost per row",
          "profit": "total profit", "max_fpr": "recall", "min_recall": "FPR",
          "min_precision": "recall", "equal_error_rate": "equal error rate"}  # fmt: skip


def cut_off(threshold: float, is_lower: bool) -> str:
    """Return which scores are predicted positive; all digits: a rounded one selects other rows."""
    if math.isnan(threshold):
        return "undefined"
    side = "below" if is_lower else "above"
    return "no row" if math.isinf(threshold) else f"at or {side} {threshold!r}".removesuffix(".0")


def note_of(part: Part, counts: Counts) -> str:
    """Return the sentence on the rows, and on whether the counts are exact."""
    rows = f"{part.n_rows} rows, {of_positives(part.n_pos)}"
    if threshold_counts(counts).exact:
        return f"{rows}; exact"
    how = (
        f"{rows}; bounded, not exact: counted in one pass, in score bins, at whose edges the counts"
    )
    area, distance = as_interval(counts.roc_auc()), as_interval(counts.ks())
    if math.isnan(area.estimate):
        return f"{how} are exact"
    return f"{how} are exact; AUC from {_between(area)}, K-S from {_between(distance)}"


def note_of_reversal(area: ScoreInterval, higher_is_positive: bool) -> str | None:
    """Return the sentence on an AUC that is below one half in its digits; None for any other."""
    shown = f"{area.estimate:.4f}"
    if not area.upper < 0.5 or shown == "0.5000":
        return None
    found = "lower" if higher_is_positive else "higher"
    return f"the AUC is {shown}, below one half: the positives tend to have the {found} scores"


def _between(interval: Any) -> str:
    # All digits: rounded numbers might not be bounds.
    return f"{interval.lower!r} to {interval.upper!r}"
