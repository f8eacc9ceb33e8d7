"""The display of the precision-recall curve."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Self

import numpy as np

from fastauc._drawing.axes import limits
from fastauc._drawing.thinning import Doubles
from fastauc._drawing.words import in_words
from fastauc._readings import Counts
from fastauc.inference import CurveInterval
from fastauc.plotting._curve_display import FoldedCurveDisplay
from fastauc.plotting._display import prevalence_of
from fastauc.streaming import ScoreInterval


@dataclass(kw_only=True, eq=False, repr=False)
class PrecisionRecallDisplay(FoldedCurveDisplay):
    """The precision-recall curve, in the steps that average precision sums.

    Parameters
    ----------
    precision, recall : float64 arrays of shape (n_points,)
        The curve, as ``precision_recall_curve`` returns it; or lists with the curves of several
        folds.
    average_precision : float or ScoreInterval, optional
        The average precision, for the legend; or a list with the values of the folds.
    prevalence_pos_label : float, optional
        The share of positives among the rows: the precision of a random ranking.
    name, counts, higher_is_positive, pos_label
        As for ``RocCurveDisplay``.

    Other Parameters
    ----------------
    drop_intermediate : bool
        Of the constructors: whether to leave points out of the arrays that do not change the
        picture.

    Attributes
    ----------
    line_ : matplotlib Artist
        The curve; a list for several folds.
    chance_level_, band_ : matplotlib Artist or None
        The precision of a random ranking, and the band that ``add_band`` has drawn.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from fastauc.plotting import PrecisionRecallDisplay
    >>> y_true, y_score = [0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]
    >>> ax = Figure().subplots()
    >>> display = PrecisionRecallDisplay.from_predictions(y_true, y_score, ax=ax)
    >>> display.line_.get_label()
    'AP = 0.833'
    """

    precision: Doubles | list[Doubles] = field(kw_only=False)
    recall: Doubles | list[Doubles] = field(kw_only=False)
    average_precision: float | ScoreInterval | list[float] | None = None
    prevalence_pos_label: float | None = None

    _FRAME: ClassVar = ("Recall", "Precision", "best")

    @classmethod
    def _values(
        cls, counts: Counts, higher_is_positive: bool, *, drop_intermediate: bool = False
    ) -> dict[str, Any]:
        precision, recall, _ = counts.precision_recall_curve(drop_intermediate=drop_intermediate)
        return {
            "precision": precision,
            "recall": recall,
            "average_precision": counts.average_precision(),
            "prevalence_pos_label": prevalence_of(counts),
        }

    @classmethod
    def _values_of_folds(cls, folds: Sequence[Counts], drop_intermediate: Any) -> dict[str, Any]:
        found = super()._values_of_folds(folds, drop_intermediate)
        return found | {"prevalence_pos_label": prevalence_of(*folds)}

    def _draw(self, curve_kwargs: Any) -> None:
        words = "AP", "Precision-recall curve"
        recall, precision = self.recall, self.precision
        if isinstance(recall, list):
            drawn = [_from_first_positive(*each) for each in zip(recall, precision, strict=True)]
            recall, precision = (list(curves) for curves in zip(*drawn, strict=True))
        else:
            recall, precision = _from_first_positive(recall, precision)
        values = recall, precision, self.average_precision
        self.line_: Any = self._draw_curves(*values, curve_kwargs, words, drawstyle="steps-post")
        self.band_: Any = None
        self.ax_.set(xlim=limits(0, 1), ylim=limits(0, 1), aspect="equal")

    def _chance_level(self) -> tuple[list[float], list[float], str] | None:
        share = self.prevalence_pos_label
        if share is None:
            return None
        return [0, 1], [share] * 2, f"Chance level (AP = {in_words(share)})"

    def add_band(self, band: CurveInterval) -> Self:
        """Shade a confidence band, as ``curve_ci`` returns it for a given recall."""
        self.band_ = self._shade_band(band, "recall", self._lines[0])
        return self._added()


def _from_first_positive(recall: Any, precision: Any) -> tuple[Doubles, Doubles]:
    """Return the curve with the precision at its first positive in place of those at recall 0.

    Rows before it have no positives, and no area, but would draw a line from 0 to 1.
    """
    found = recall > 0
    if not found.any():
        return recall, precision
    first = precision[found][-1]
    return np.append(recall[found], 0.0), np.append(precision[found], first)
