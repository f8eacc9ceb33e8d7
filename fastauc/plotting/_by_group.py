"""The display of the AUCs of groups, or of periods."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from datetime import date
from itertools import pairwise
from typing import Any, Self

import numpy as np

from fastauc._drawing.axes import draw_line, next_style
from fastauc._drawing.thinning import Doubles
from fastauc._drawing.words import legend_name
from fastauc._rows import group_in_words
from fastauc._validation.arrays import Array
from fastauc._validation.errors import invalid_parameter
from fastauc.groups import AucByGroup
from fastauc.plotting._display import ArtistOptions, Display

_PERIOD = re.compile(r"\d{4}(-(\d\d(-\d\d)?|Q[1-4]|W\d\d))?")
_MOST_TICKS = 12
# How much of the room of a group the points of all models take, and the room beside all groups.
_SPREAD, _MARGIN = 0.6, 0.03
_MICROSECONDS = 86_400_000_000  # of a day


@dataclass(kw_only=True, eq=False, repr=False)
class AucByGroupDisplay(Display):
    """The AUC of each group with its interval; if groups are periods, along time.

    Periods are dates of numpy, or texts such as "2024", "2024-03", "2024-Q1", "2024-W05" and
    "2024-03-31". Each is drawn at its first day. Other groups are listed one below another.

    Parameters
    ----------
    aucs : AucByGroup
        The result of ``roc_auc_by_group``; with ``confidence_level``, it has intervals.
    name : str, optional
        The name of the model in the legend.

    Attributes
    ----------
    line_ : matplotlib Artist
        The AUCs: points, which a line joins along time; in days since 1970, beside the points of
        other models.
    intervals_ : matplotlib Artist or None
        The intervals.
    is_along_time : bool
        Whether the groups are periods.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from fastauc.groups import roc_auc_by_group
    >>> from fastauc.plotting import AucByGroupDisplay
    >>> y_true, y_score = [0, 1, 0, 1, 0, 1, 0, 1], [0.1, 0.4, 0.3, 0.2, 0.5, 0.6, 0.2, 0.7]
    >>> months = ["2024-01"] * 4 + ["2024-02"] * 4
    >>> aucs = roc_auc_by_group(y_true, y_score, months, confidence_level=0.95)
    >>> display = AucByGroupDisplay.from_result(aucs, ax=Figure().subplots())
    >>> display.line_.get_ydata()
    array([0.75, 1.  ])
    """

    aucs: AucByGroup

    @classmethod
    def from_result(
        cls,
        aucs: AucByGroup,
        *,
        name: str | None = None,
        ax: Any = None,
        curve_kwargs: ArtistOptions = None,
    ) -> Self:
        """Draw the AUCs of groups.

        Parameters
        ----------
        aucs
            As for the display.
        name, ax, curve_kwargs
            As for ``RocCurveDisplay``. Several models in the same axes may have different groups,
            but all or none must have periods.
        """
        if not isinstance(aucs, AucByGroup):
            raise invalid_parameter(
                cls.__name__, "aucs", "an instance of 'AucByGroup', which has groups", aucs
            )
        return cls(aucs=aucs, name=name).plot(ax, curve_kwargs=curve_kwargs)

    @property
    def is_along_time(self) -> bool:
        """Whether all groups are periods."""
        return _days_of(self.aucs.group) is not None

    def _draw(self, curve_kwargs: Any) -> None:
        ax, style, aucs = self.ax_, next_style(self.ax_), self.aucs
        along_time, others = self.is_along_time, _drawn_in(ax)
        if others and others[0].is_along_time != along_time:
            expected = "of groups that are no periods" if along_time else "of periods"
            expected += ", as the others in these axes"
            raise invalid_parameter(type(self).__name__, "aucs", expected, aucs)
        defaults: dict[str, Any] = {"marker": style.marker, "markersize": 5, "linewidth": 1.0}
        defaults["label"] = "_AUC" if self._name is None else self._name
        defaults["linestyle"] = style.linestyle if along_time else "none"
        options = defaults | self._line_options(curve_kwargs)
        numbers = {name: place for each in others for place, name in each._places}
        at, names = _days_of(aucs.group), _names_of(aucs.group)
        if at is None:
            at = np.array([numbers.setdefault(name, len(numbers)) for name in names], np.float64)
        self._places: list[tuple[float, str]] = list(zip(at.tolist(), names, strict=True))
        x, y = (at, aucs.auc) if along_time else (aucs.auc, at)
        self.line_: Any = draw_line(ax, x, y, style, **options)
        self.intervals_: Any = None
        if aucs.low is not None and aucs.high is not None:
            lines = ax.vlines if along_time else ax.hlines
            color = self.line_.get_color()
            self.intervals_ = lines(at, aucs.low, aucs.high, color=color, linewidth=1.8)
        self.line_.fastauc_aucs = self
        drawn = [*others, self]
        known = dict(pair for each in drawn for pair in each._places)
        low, high = min(known), max(known)
        room = min((after - before for before, after in pairwise(sorted(known))), default=1.0)
        for k, display in enumerate(drawn):
            aside = room * _SPREAD * ((k + 0.5) / len(drawn) - 0.5)
            _move(display, np.array([place for place, _ in display._places]) + aside)
        if along_time:
            self._name_some(known)
            margin = max(room / 2, _MARGIN * (high - low))
            ax.set_xlim(low - margin, high + margin)
            self._finish("", "AUC", "best")
        else:
            ax.locator_params(axis="x", nbins=5)
            ax.set_yticks([*known], [*known.values()])
            ax.set_ylim(high + 0.5, -0.5)
            self._finish("AUC", "", "below")

    def _name_some(self, known: dict[float, str]) -> None:
        """Name the periods that are far enough from the one named before."""
        span, shown = max(known) - min(known), list[float]()
        for day in sorted(known):
            if not shown or day - shown[-1] >= span / _MOST_TICKS:
                shown.append(day)
        closest = min((after - before for before, after in pairwise(shown)), default=math.inf)
        texts = [known[day] for day in shown]
        letters = max(map(len, texts)) * (1 + span / closest)  # at equal distances
        self.ax_.set_xticks(shown, texts, rotation=0 if letters < 50 else 45)


def _drawn_in(ax: Any) -> list[AucByGroupDisplay]:
    return [line.fastauc_aucs for line in ax.lines if hasattr(line, "fastauc_aucs")]


def _names_of(group: Array) -> list[str]:
    group = np.asarray(group)
    values = group if group.dtype.names is None else group.tolist()
    return [legend_name(group_in_words(value)) for value in values]


def _days_of(group: Array) -> Doubles | None:
    """Return the days from 1970 to the first of each period; None if there are other groups."""
    group = np.asarray(group)
    if group.dtype.kind == "M":
        return group.astype("M8[us]").astype(np.int64) / _MICROSECONDS
    if group.dtype.kind not in "OUT":
        return None
    try:
        return np.array([_day_of(str(name)) for name in group], np.float64)
    except ValueError:
        return None


def _day_of(period: str) -> int:
    if not _PERIOD.fullmatch(period):
        raise ValueError(period)
    year, part = int(period[:4]), period[5:]
    if part.startswith("W"):
        day = date.fromisocalendar(year, int(part[1:]), 1)
    elif part.startswith("Q"):
        day = date(year, 3 * int(part[1:]) - 2, 1)
    else:
        day = date.fromisoformat(f"{period}-01-01"[:10])
    return day.toordinal() - date(1970, 1, 1).toordinal()


def _move(display: AucByGroupDisplay, at: Doubles) -> None:
    """Put the points of a model where its groups are, beside those of other models."""
    aucs, line, along_time = display.aucs, display.line_, display.is_along_time
    (line.set_xdata if along_time else line.set_ydata)(at)
    if display.intervals_ is not None:
        along = [np.array([aucs.low, aucs.high]).T, np.array([at, at]).T]
        display.intervals_.set_segments(np.stack(along[:: -1 if along_time else 1], axis=-1))
