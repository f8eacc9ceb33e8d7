"""The display of the AUCs of groups, or of periods."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from fastauc._drawing.axes import draw_line, next_style
from fastauc._drawing.words import legend_name
from fastauc._validation.arrays import Array
from fastauc._validation.errors import invalid_parameter
from fastauc.groups import AucByGroup
from fastauc.plotting._display import ArtistOptions, Display, check_axes, check_name

_PERIOD = re.compile(r"\d{4}(-(\d\d(-\d\d)?|Q[1-4]|W\d\d))?")
_MOST_TICKS = 12
# How much of the room of a group the points of all models take.
_SPREAD = 0.6


@dataclass(kw_only=True, eq=False, repr=False)
class AucByGroupDisplay(Display):
    """The AUC of each group with its interval; if groups are periods, along time.

    Periods are dates of numpy, or texts such as "2024", "2024-03", "2024-Q1", "2024-W05" and
    "2024-03-31". Other groups are listed one below another.

    Parameters
    ----------
    aucs : AucByGroup
        What ``roc_auc_by_group`` returns; with ``confidence_level``, it has intervals.
    name : str, optional
        The name of the model in the legend.

    Attributes
    ----------
    line_ : matplotlib Artist
        The AUCs: points, which a line joins along time.
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
            As for ``RocCurveDisplay``. Several models in the same axes must have the same groups.
        """
        check_axes(ax, cls.__name__)
        check_name(name, cls.__name__)
        if not isinstance(aucs, AucByGroup):
            raise invalid_parameter(
                cls.__name__, "aucs", "an instance of 'AucByGroup', which has groups", aucs
            )
        return cls(aucs=aucs, name=name).plot(ax, curve_kwargs=curve_kwargs)

    @property
    def is_along_time(self) -> bool:
        """Whether all groups are periods."""
        group = np.asarray(self.aucs.group)
        names = map(str, group)  # a month of numpy as that, not as its first day
        return group.dtype.kind == "M" or (
            group.dtype.kind in "OUT" and all(_PERIOD.fullmatch(name) for name in names)
        )

    def _draw(self, curve_kwargs: Any) -> None:
        ax, style, aucs = self.ax_, next_style(self.ax_), self.aucs
        along_time, names = self.is_along_time, _names_of(aucs.group)
        defaults: dict[str, Any] = {"marker": style.marker, "markersize": 5, "linewidth": 1.0}
        defaults["label"] = "_AUC" if self._name is None else self._name
        defaults["linestyle"] = style.linestyle if along_time else "none"
        options = defaults | self._line_options(curve_kwargs)
        at = np.arange(len(names), dtype=np.float64)
        x, y = (at, aucs.auc) if along_time else (aucs.auc, at)
        self.line_: Any = draw_line(ax, x, y, style, **options)
        self.intervals_: Any = None
        if aucs.low is not None and aucs.high is not None:
            lines = ax.vlines if along_time else ax.hlines
            color = self.line_.get_color()
            self.intervals_ = lines(at, aucs.low, aucs.high, color=color, linewidth=1.8)
        self.line_.fastauc_aucs = self
        drawn = [line.fastauc_aucs for line in ax.lines if hasattr(line, "fastauc_aucs")]
        for k, display in enumerate(drawn):
            _move(display, _SPREAD * ((k + 0.5) / len(drawn) - 0.5))
        if along_time:
            step = -(-len(names) // _MOST_TICKS)
            shown = names[::step]
            ax.set_xticks(at[::step], shown, rotation=0 if sum(map(len, shown)) < 50 else 45)
            ax.set_xlim(-0.5, len(names) - 0.5)
            self._finish("", "AUC", "best")
        else:
            ax.locator_params(axis="x", nbins=5)
            ax.set_yticks(range(len(names)), names)
            ax.set_ylim(len(names) - 0.5, -0.5)
            self._finish("AUC", "", "below")


def _names_of(group: Array) -> list[str]:
    return [legend_name(str(name)) for name in np.asarray(group)]


def _move(display: AucByGroupDisplay, offset: float) -> None:
    """Put the points of one of several models beside those of the others."""
    aucs, line, along_time = display.aucs, display.line_, display.is_along_time
    at = np.arange(len(aucs.auc)) + offset
    (line.set_xdata if along_time else line.set_ydata)(at)
    if display.intervals_ is not None:
        along = [np.array([aucs.low, aucs.high]).T, np.array([at, at]).T]
        display.intervals_.set_segments(np.stack(along[:: -1 if along_time else 1], axis=-1))
