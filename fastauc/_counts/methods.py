"""Methods shared by ``ConfusionCounts`` and ``ScoreHistogram``: gains, K-S and thresholds."""

from __future__ import annotations

from typing import Any

from numpy import float64
from numpy.typing import NDArray

from fastauc._counts import gains
from fastauc._counts.gains import Points, TableOptions, tabulate
from fastauc._counts.ks import PVALUES, KsStatistic, find_statistic
from fastauc._counts.result_table import ResultTable
from fastauc._counts.threshold_counts import ThresholdCounts
from fastauc._counts.thresholds import Choice, OptimalThreshold, check_choice, find_threshold
from fastauc._validation.literals import KsMethod, ThresholdMethod, Ties
from fastauc._validation.options import check_both_or_none, check_option, check_share


def threshold_counts(counts: GainMethods) -> ThresholdCounts:
    """Return the rows of each score, or of each bin of a histogram, from the highest."""
    return counts._threshold_counts()


class GainMethods:
    """Methods for steps of rows in decreasing order of their scores.

    For a histogram, too, curves and thresholds are exact at the lower edges of its bins; nothing is
    known about thresholds inside a bin.
    """

    __slots__ = ()

    def _threshold_counts(self) -> ThresholdCounts:
        raise NotImplementedError

    def gain_curve(self) -> Points:
        """Return ``share, tpr, thresholds``, like the function ``gain_curve``."""
        return gains.gain_points(self._threshold_counts())

    def lift_curve(self) -> Points:
        """Return ``share, lift, thresholds``, like the function ``lift_curve``."""
        return gains.lift_points(self._threshold_counts())

    def ks_curve(self) -> tuple[NDArray[float64], *Points]:
        """Return ``share, tpr, fpr, thresholds``, like the function ``ks_curve``."""
        return gains.ks_points(self._threshold_counts())

    def profit_curve(self, *, cost: float, revenue: float) -> Points:
        """Return ``share, profit, thresholds``, like the function ``profit_curve``."""
        check_both_or_none({"cost": cost, "revenue": revenue}, "profit_curve")
        return gains.profit_points(self._threshold_counts(), cost, revenue)

    def ks_statistic(self, *, method: KsMethod = "auto") -> KsStatistic:
        """Return the K-S statistic with its threshold, like the function ``ks_statistic``.

        For a histogram, the maximum over the edges of its bins: ``ks`` also bounds it inside them.
        """
        check_option(method, "method", PVALUES, "ks_statistic")
        return find_statistic(self._threshold_counts(), method)

    def gains_table(
        self,
        *,
        bins: int = 10,
        ties: Ties = "group",
        cost: float | None = None,
        revenue: float | None = None,
    ) -> ResultTable:
        """Return the gains table, in bins from the highest scores down, like ``gains_table``.

        The bins of a histogram are not split, and ``min_score`` and ``max_score`` are bounds on the
        scores in a bin of the table: edges of bins of the histogram.
        """
        counts = self._threshold_counts()
        n_rows = None if counts.is_weighted else int(counts.total)
        return tabulate(counts, TableOptions(bins, ties, cost, revenue), n_rows, "gains_table")

    def optimal_threshold(
        self,
        *,
        method: ThresholdMethod = "youden",
        cost_fp: float | None = None,
        cost_fn: float | None = None,
        prevalence: float | None = None,
        cost: float | None = None,
        revenue: float | None = None,
        limit: float | None = None,
    ) -> OptimalThreshold:
        """Return the optimal threshold, like the function ``optimal_threshold``.

        For a histogram, the optimum over the edges of its bins.
        """
        choice = Choice(method, cost_fp, cost_fn, prevalence, cost, revenue, limit)
        check_choice(choice, "optimal_threshold")
        return find_threshold(self._threshold_counts(), choice)

    # For a histogram, these are bounds.

    def gain_score(self) -> Any:
        """Return the area under the gain curve."""
        return gains.gain_area(self._threshold_counts())

    def gain_at(self, share: float) -> Any:
        """Return the share of the positives in the top share of the rows."""
        check_share(share, "gain_at")
        return gains.gain_of_share(self._threshold_counts(), share)

    def lift_at(self, share: float) -> Any:
        """Return the gain at a share of the rows divided by the share; at 0, the limit."""
        check_share(share, "lift_at")
        return gains.lift_of_share(self._threshold_counts(), share)
