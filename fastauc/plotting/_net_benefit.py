"""The display of the net benefit: the decision curve."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from fastauc._counts.confusion_counts import threshold_counts
from fastauc._counts.thresholds import net_benefit_points
from fastauc._drawing.axes import limits
from fastauc._drawing.thinning import Doubles
from fastauc._readings import Counts
from fastauc._validation.errors import invalid_parameter
from fastauc._validation.samples import check_probabilities
from fastauc.inference import CurveInterval
from fastauc.plotting._display import CountsDisplay

_N_THRESHOLDS = 500


@dataclass(kw_only=True, eq=False, repr=False)
class NetBenefitCurveDisplay(CountsDisplay):
    """The decision curve: the net benefit against the threshold probability.

    Beside the model, it shows what treating all rows and treating none would bring.

    Parameters
    ----------
    thresholds, net_benefit, net_benefit_all : float64 arrays of shape (n_thresholds,)
        The result of ``net_benefit_curve``, in the order of increasing thresholds. Displays made of
        counts have 500 of them, from 0 to just above the highest score, or below 1.
    name, counts, pos_label
        As for ``RocCurveDisplay``. The scores must be probabilities; a histogram is counted at its
        bin edges.
    higher_is_positive : bool
        True: the net benefit is that of probabilities of the positive class.

    Attributes
    ----------
    line_ : matplotlib Artist
        The curve.
    all_, none_ : matplotlib Artist
        The net benefit of treating all rows, and that of treating none, which is 0.
    band_ : matplotlib Artist or None
        The band that ``add_band`` has drawn.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from fastauc.plotting import NetBenefitCurveDisplay
    >>> y_true, y_score = [0, 0, 1, 0, 1, 1], [0.1, 0.2, 0.3, 0.3, 0.4, 0.5]
    >>> ax = Figure().subplots()
    >>> display = NetBenefitCurveDisplay.from_predictions(y_true, y_score, name="m", ax=ax)
    >>> float(display.net_benefit[0]), [line.get_label() for line in ax.lines]
    (0.5, ['m', 'Treat all', 'Treat none'])
    """

    thresholds: Doubles
    net_benefit: Doubles
    net_benefit_all: Doubles

    _RESPONSES: ClassVar = ("predict_proba",)

    @classmethod
    def _values(cls, counts: Counts, higher_is_positive: bool) -> dict[str, Any]:
        if not higher_is_positive:
            expected = "True, for probabilities of the positive class"
            raise invalid_parameter(cls.__name__, "higher_is_positive", expected, False)
        steps = threshold_counts(counts)
        known = steps.lows[steps.lows > -np.inf].astype(np.float64)
        check_probabilities(known, f"{cls.__name__}: y_score, from the highest")
        highest = min(float(known.max(initial=0.0)) * 1.02, 0.99)
        wanted = highest * np.arange(_N_THRESHOLDS) / (_N_THRESHOLDS - 1)
        if steps.is_mixed is not None:  # nothing is known about thresholds inside a bin
            wanted = known[::-1][known[::-1] < 1]
        net_benefit, of_all, thresholds = net_benefit_points(steps, wanted, None)
        return {"thresholds": thresholds, "net_benefit": net_benefit, "net_benefit_all": of_all}

    def _draw(self, curve_kwargs: Any) -> None:
        label = "Model" if self._name is None else self._name
        at = self.thresholds
        ends = (float(at[0]), float(at[-1])) if len(at) else (0.0, 1.0)
        self.line_: Any = self._curve(at, self.net_benefit, curve_kwargs, ends=ends, label=label)
        self.all_: Any = self._reference(at, self.net_benefit_all, "Treat all")
        self.none_: Any = self._reference([0, 1], [0, 0], "Treat none", {"linestyle": ":"})
        # Treating all does ever more harm: what matters is above 0.
        extremes = (float(end(initial=0.0)) for end in (self.net_benefit.max, self.net_benefit.min))
        self.line_.fastauc_ends = (ends[1], *extremes)
        models = [line.fastauc_ends for line in self.ax_.lines if hasattr(line, "fastauc_ends")]
        (right, top, _), (*_, lowest) = np.max(models, axis=0), np.min(models, axis=0)
        room = top / 10 or 0.01
        self.ax_.set(xlim=limits(0, right), ylim=(min(max(lowest, -top), -room) - room, top + room))
        self.band_: Any = None
        self._finish("Threshold probability", "Net benefit, in true positives per row", "best")

    def add_band(self, band: CurveInterval) -> Self:
        """Shade intervals, as ``curve_ci`` returns them for given thresholds."""
        self.band_ = self._shade_band(band, "threshold", self.line_)
        return self._added()
