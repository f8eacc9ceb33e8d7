"""The display of the detection error tradeoff."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any, ClassVar

import numpy as np

from fastauc._drawing.axes import columns, draw_line, next_style
from fastauc._drawing.thinning import Doubles, thin
from fastauc._readings import Counts
from fastauc.plotting._curve_display import CurveDisplay

_NORMAL = NormalDist()
_TICKS = (1e-6, 1e-5, 1e-4, 0.001, 0.01, 0.05, 0.2, 0.5, 0.8, 0.95, 0.99, 0.999)
# The rates at the ends of the axes, unless the curve has a lower rate above 0.
_LOW, _HIGH, _LOWEST = 0.001, 0.999, 1e-6
# A normal deviate beyond all axes, for the rates 0 and 1, whose deviates are infinite.
_BEYOND = 40.0


@dataclass(kw_only=True, eq=False, repr=False)
class DetCurveDisplay(CurveDisplay):
    """The detection error tradeoff: false negative against false positive rate, in normal deviates.

    If the scores of both classes are normally distributed, the curve is a straight line.

    Parameters
    ----------
    fpr, fnr : float64 arrays of shape (n_points,)
        The curve, as ``det_curve`` returns it.
    name, counts, higher_is_positive, pos_label
        As for ``RocCurveDisplay``.

    Other Parameters
    ----------------
    drop_intermediate : bool
        Of the constructors: whether to leave points out of the arrays that do not change the
        picture.

    Attributes
    ----------
    line_, chance_level_ : matplotlib Artist or None
        The curve, and the chance level, if it is drawn.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from fastauc.plotting import DetCurveDisplay
    >>> ax = Figure().subplots()
    >>> display = DetCurveDisplay.from_predictions([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], ax=ax)
    >>> display.fpr, display.fnr
    (array([0.5, 0.5, 0. ]), array([0. , 0.5, 0.5]))
    """

    fpr: Doubles
    fnr: Doubles

    _FRAME: ClassVar = ("False positive rate", "False negative rate", "upper right")

    @classmethod
    def _values(
        cls, counts: Counts, higher_is_positive: bool, *, drop_intermediate: bool = False
    ) -> dict[str, Any]:
        fpr, fnr, _ = counts.det_curve(drop_intermediate=drop_intermediate)
        return {"fpr": fpr, "fnr": fnr}

    def _draw(self, curve_kwargs: Any) -> None:
        ax, style = self.ax_, next_style(self.ax_)
        start, stop = _deviate(_lowest_rate(self.fpr, self.fnr)), _deviate(_HIGH)
        if style.model > 0:
            start = min(start, ax.get_xlim()[0])
        kept = thin(self.fpr, self.fnr, _each(_NORMAL.cdf, columns(start, stop)))
        label = "DET curve" if self._name is None else self._name
        options = {"label": label} | self._line_options(curve_kwargs)
        x, y = (_each(_deviate, rates[kept]) for rates in (self.fpr, self.fnr))
        self.line_: Any = draw_line(ax, x, y, style, **options)
        ax.set(xlim=(start, stop), ylim=(start, stop), aspect="equal")
        ticks = [rate for rate in _TICKS if start <= _deviate(rate) <= stop]
        shown = [f"{100 * rate:g}%" for rate in ticks]
        ax.set_xticks(_each(_deviate, ticks), shown, rotation=45)
        ax.set_yticks(_each(_deviate, ticks), shown)

    def _chance_level(self) -> tuple[list[float], list[float], str]:
        return [-_BEYOND, _BEYOND], [_BEYOND, -_BEYOND], "Chance level"


def _deviate(rate: float) -> float:
    """Return the normal deviate of a rate; far outside the axes for 0 and 1, and NaN for NaN."""
    if 0 < rate < 1:
        return _NORMAL.inv_cdf(rate)
    return math.nan if math.isnan(rate) else math.copysign(_BEYOND, rate - 0.5)


def _each(function: Callable[[float], float], values: Any) -> Doubles:
    return np.array([function(value) for value in np.asarray(values).tolist()])


def _lowest_rate(*curves: Doubles) -> float:
    """Return the lowest rate above 0, within the range in which the axes may begin."""
    lowest = min(rates.min(initial=_LOW, where=rates > 0) for rates in curves)
    return max(float(lowest), _LOWEST)
