"""Curves against the share of rows selected: gain, lift, Kolmogorov-Smirnov and profit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from fastauc._drawing.axes import draw_mark, limits, next_style, show_shares, style_of
from fastauc._drawing.thinning import Doubles
from fastauc._drawing.words import amount_in_words, in_legend, in_words, percent, with_value
from fastauc._readings import Counts
from fastauc._validation.arrays import opposite_number
from fastauc._validation.options import check_amount, check_share
from fastauc.metrics import KsStatistic, OptimalThreshold
from fastauc.plotting._display import (
    ArtistOptions,
    CountsDisplay,
    has_unknown_order,
    prevalence_of,
)
from fastauc.streaming import ScoreHistogram, ScoreInterval

_LEAST_SHARE = 0.005  # of the rows, from which on a lift curve has to be in the picture
_SELECTED = "Share of population selected"


@dataclass(kw_only=True, eq=False, repr=False)
class GainCurveDisplay(CountsDisplay):
    """The gain curve: the share of positives found against the share of rows selected.

    Also called the cumulative accuracy profile (CAP), or the Lorenz curve of the positives.

    Parameters
    ----------
    share, tpr : float64 arrays of shape (n_points,)
        The curve, as ``gain_curve`` returns it.
    gain_score : float or ScoreInterval, optional
        The area under the gain curve, for the legend.
    prevalence : float, optional
        The share of positives among the rows, for the curve of the perfect model.
    name, counts, higher_is_positive, pos_label
        As for ``RocCurveDisplay``.

    Attributes
    ----------
    line_, chance_level_ : matplotlib Artist
        The curve, and the diagonal.
    perfect_ : matplotlib Artist or None
        The curve of a model that scores all positives above all negatives, if there are both.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from fastauc.plotting import GainCurveDisplay
    >>> ax = Figure().subplots()
    >>> display = GainCurveDisplay.from_predictions([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], ax=ax)
    >>> display.line_.get_label(), display.prevalence
    ('area = 0.625', 0.5)
    """

    share: Doubles
    tpr: Doubles
    gain_score: float | ScoreInterval | None = None
    prevalence: float | None = None

    @classmethod
    def _values(cls, counts: Counts, higher_is_positive: bool) -> dict[str, Any]:
        share, tpr, _ = counts.gain_curve()
        return {
            "share": share,
            "tpr": tpr,
            "gain_score": counts.gain_score(),
            "prevalence": prevalence_of(counts),
        }

    def _draw(self, curve_kwargs: Any) -> None:
        label = in_legend(self._name, "Gain curve", with_value("area", self.gain_score))
        self.line_: Any = self._curve(self.share, self.tpr, curve_kwargs, label=label)
        self.chance_level_: Any = self._reference([0, 1], [0, 1], "Chance level (area = 0.5)")
        self.perfect_: Any = None
        if self.prevalence is not None:
            label = f"Perfect model (area = {in_words(1 - self.prevalence / 2)})"
            self.perfect_ = self._reference(
                [0, self.prevalence, 1], [0, 1, 1], label, {"linestyle": ":"}
            )
        self.ax_.set(ylim=limits(0, 1), aspect="equal")
        show_shares(self.ax_, self.ax_.yaxis)
        self._finish(_SELECTED, "Share of positives found", "lower right")


@dataclass(kw_only=True, eq=False, repr=False)
class LiftCurveDisplay(CountsDisplay):
    """The lift curve: how many times more positives are found than by random selection.

    Parameters
    ----------
    share, lift : float64 arrays of shape (n_points,)
        The curve, as ``lift_curve`` returns it.
    lift_at, marked_share : float or ScoreInterval, and float, optional
        The lift at that share of the rows, for the legend; at 0.1 for displays made of counts.
    name, counts, higher_is_positive, pos_label
        As for ``RocCurveDisplay``.

    Attributes
    ----------
    line_, chance_level_ : matplotlib Artist
        The curve, and the lift of random selection, which is 1.
    points_ : list of matplotlib Artist
        The marks of ``add_share``.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from fastauc.plotting import LiftCurveDisplay
    >>> ax = Figure().subplots()
    >>> display = LiftCurveDisplay.from_predictions([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], ax=ax)
    >>> display.add_share(0.75).points_[0].get_label()
    'lift at 75% = 1.333'
    """

    share: Doubles
    lift: Doubles
    lift_at: float | ScoreInterval | None = None
    marked_share: float = 0.1

    @classmethod
    def _values(cls, counts: Counts, higher_is_positive: bool) -> dict[str, Any]:
        share, lift, _ = counts.lift_curve()
        return {"share": share, "lift": lift, "lift_at": counts.lift_at(cls.marked_share)}

    def _draw(self, curve_kwargs: Any) -> None:
        label = in_legend(self._name, "Lift curve", _lift_in_words(self.marked_share, self.lift_at))
        # Of the first rows, those before a positive would draw a line up from 0.
        found = self.lift.cumsum() > 0
        drawn = self.share[found], self.lift[found]
        self.line_: Any = self._curve(*drawn, curve_kwargs, label=label)
        self.points_: list[Any] = []
        self.chance_level_: Any = self._reference([0, 1], [1, 1], "Chance level (lift = 1)")
        show_shares(self.ax_)
        # The lift of the very first rows may be several times that of any share worth selecting.
        lift = self.lift[self.share >= _LEAST_SHARE]
        self.line_.fastauc_top = np.fmax.reduce(lift, initial=1.0)  # NaN without positives
        tops = [line.fastauc_top for line in self.ax_.lines if hasattr(line, "fastauc_top")]
        self.ax_.set_ylim(0, 1.1 * max(tops))
        self._finish(_SELECTED, "Lift", "upper right")

    def add_share(self, share: float) -> Self:
        """Mark the lift at another share of the rows, in (0, 1], with its value in the legend."""
        check_share(share, self._method("add_share"), zero=False)
        lift = self._counted("add_share").lift_at(share)
        height = lift.estimate if isinstance(lift, ScoreInterval) else lift
        marker = style_of(self.line_.fastauc_model + len(self.points_)).marker
        label, color = self._before + _lift_in_words(share, lift), self.line_.get_color()
        self.points_.append(draw_mark(self.ax_, share, height, marker, color, label=label))
        return self._added()


def _lift_in_words(share: float, lift: float | ScoreInterval | None) -> str:
    return with_value(f"lift at {percent(share)}", lift)


@dataclass(kw_only=True, eq=False, repr=False)
class KsDisplay(CountsDisplay):
    """The Kolmogorov-Smirnov chart: both rates against the share of rows selected.

    Parameters
    ----------
    share, tpr, fpr : float64 arrays of shape (n_points,)
        The curves, as ``ks_curve`` returns them.
    ks_statistic : KsStatistic, optional
        The position and size of the largest distance.
    ks : float or ScoreInterval, optional
        The distance for the legend; that of ``ks_statistic`` if left out.
    name, counts, higher_is_positive, pos_label
        As for ``RocCurveDisplay``.

    Attributes
    ----------
    line_ : list of two matplotlib Artists
        The true and the false positive rate.
    difference_, distance_ : matplotlib Artist or None
        The curve that ``add_difference`` has drawn; the line between both where they are farthest
        apart, which has their distance in the legend.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from fastauc.plotting import KsDisplay
    >>> ax = Figure().subplots()
    >>> display = KsDisplay.from_predictions([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], ax=ax)
    >>> display.distance_.get_label()
    'K-S = 0.500 at 25%, threshold 0.8'
    """

    share: Doubles
    tpr: Doubles
    fpr: Doubles
    ks_statistic: KsStatistic | None = None
    ks: float | ScoreInterval | None = None

    @classmethod
    def _values(cls, counts: Counts, higher_is_positive: bool) -> dict[str, Any]:
        share, tpr, fpr, _ = counts.ks_curve()
        found = counts.ks_statistic()
        if not higher_is_positive:
            found = found._replace(threshold=opposite_number(found.threshold))
        return {
            "share": share,
            "tpr": tpr,
            "fpr": fpr,
            "ks_statistic": found,
            "ks": counts.ks() if isinstance(counts, ScoreHistogram) else found.statistic,
        }

    def _draw(self, curve_kwargs: Any) -> None:
        marker, at = next_style(self.ax_).marker, self.ks_statistic
        ks = at.statistic if self.ks is None and at is not None else self.ks
        figure = with_value("K-S", ks)
        if figure and at is not None and at.statistic == at.statistic:
            figure += f" at {percent(at.share)}, threshold {at.threshold:.4g}"
        given = self._line_options(curve_kwargs)
        before = f"{given.pop('label')}: " if "label" in given else self._before
        self.line_: Any = [
            self._curve(self.share, rates, {"linestyle": dashes} | given, label=f"{before}{rate}")
            for rate, rates, dashes in (("TPR", self.tpr, "-"), ("FPR", self.fpr, "--"))
        ]
        self.difference_: Any = None
        self.distance_: Any = None
        if at is not None:
            look = {"color": self.ax_.xaxis.label.get_color(), "linewidth": 1.2, "zorder": 3}
            look |= {"marker": marker, "markersize": 5}
            look |= {"markerfacecolor": self.line_[0].get_color()}
            look["label"] = f"{before}{figure}" if figure else "_distance"
            ends = [at.share] * 2, [at.fpr, at.tpr]
            (self.distance_,) = self.ax_.plot(*ends, **look)
        self.ax_.set(ylim=limits(0, 1))
        show_shares(self.ax_, self.ax_.yaxis)
        self._finish(_SELECTED, "Rate", "best")

    def add_difference(self, curve_kwargs: ArtistOptions = None) -> Self:
        """Draw the curve of TPR - FPR, which peaks at the K-S distance; options as for ``plot``."""
        difference, label = self.tpr - self.fpr, f"{self._before}TPR \N{MINUS SIGN} FPR"
        self.difference_ = self._curve(
            self.share, difference, curve_kwargs, linestyle=":", label=label
        )
        lowest = float(np.nanmin(difference, initial=0.0))
        self.ax_.set(ylim=limits(lowest, 1))
        return self._added()


@dataclass(kw_only=True, eq=False, repr=False)
class ProfitCurveDisplay(CountsDisplay):
    """The profit against the share of rows selected, and its maximum.

    Parameters
    ----------
    share, profit : float64 arrays of shape (n_points,)
        The curve, as ``profit_curve`` returns it.
    best : OptimalThreshold, optional
        The cutoff with the highest profit.
    is_bound : bool
        Whether a higher profit is possible between the known points, those at the bin edges of a
        histogram; the legend says so.
    name, counts, higher_is_positive, pos_label
        As for ``RocCurveDisplay``.

    Other Parameters
    ----------------
    cost, revenue : float
        Of the constructors: the cost of each selected row, and the revenue of each selected
        positive. Required.

    Attributes
    ----------
    line_, break_even_ : matplotlib Artist
        The curve, and the line at zero profit.
    best_ : matplotlib Artist or None
        The mark at the highest profit.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from fastauc.plotting import ProfitCurveDisplay
    >>> y_true, y_score = [0, 0, 1, 0, 1, 1], [0.1, 0.2, 0.3, 0.3, 0.4, 0.5]
    >>> ax = Figure().subplots()
    >>> display = ProfitCurveDisplay.from_predictions(y_true, y_score, cost=1, revenue=3, ax=ax)
    >>> display.line_.get_label()
    'profit 5 at 66.7%, threshold 0.3'
    """

    share: Doubles
    profit: Doubles
    best: OptimalThreshold | None = None
    is_bound: bool = False

    @classmethod
    def _values(
        cls, counts: Counts, higher_is_positive: bool, *, cost: Any = None, revenue: Any = None
    ) -> dict[str, Any]:
        check_amount(cost, "cost", cls.__name__)
        check_amount(revenue, "revenue", cls.__name__)
        share, profit, _ = counts.profit_curve(cost=cost, revenue=revenue)
        best = counts.optimal_threshold(method="profit", cost=cost, revenue=revenue)
        if not higher_is_positive:
            best = best._replace(threshold=opposite_number(best.threshold))
        is_bound = has_unknown_order(counts)
        return {"share": share, "profit": profit, "best": best, "is_bound": is_bound}

    def _draw(self, curve_kwargs: Any) -> None:
        style, best, figure, share = next_style(self.ax_), self.best, "", None
        if best is not None and best.value == best.value:
            tn, fp, fn, tp = best.matrix
            share = (tp + fp) / (tn + fp + fn + tp)
            figure = f"profit {'≥ ' if self.is_bound else ''}{amount_in_words(best.value)}"
            figure += f" at {percent(share)}, threshold {best.threshold:.4g}"
        label = in_legend(self._name, "Profit curve", figure)
        self.line_: Any = self._curve(
            self.share, self.profit, curve_kwargs, style=style, label=label
        )
        self.best_: Any = None
        if best is not None and share is not None:
            color = self.line_.get_color()
            self.best_ = draw_mark(self.ax_, share, best.value, style.marker, color)
        self.break_even_: Any = self._reference([0, 1], [0, 0], "Break-even")
        show_shares(self.ax_)
        self.ax_.yaxis.set_major_formatter(lambda amount, _: amount_in_words(amount))
        self._finish(_SELECTED, "Profit", "best")
