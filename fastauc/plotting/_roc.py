"""The display of the ROC curve."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from fastauc._drawing.axes import columns, draw_mark, limits, style_of
from fastauc._drawing.thinning import MOST_PAIRS, Doubles, thin
from fastauc._drawing.words import in_words
from fastauc._readings import Counts
from fastauc._validation.arrays import opposite
from fastauc._validation.options import check_max_fpr
from fastauc.inference import CurveInterval
from fastauc.metrics import ConfusionCounts
from fastauc.plotting._curve_display import FoldedCurveDisplay
from fastauc.plotting._display import has_unknown_order
from fastauc.plotting._operating_points import OperatingPoint
from fastauc.streaming import ScoreInterval

_MOST_SCORES = 12  # along an axis
TIED = "0.6"  # a gray that is visible on white and on black
_COLUMNS_OF_AREA = 384


@dataclass(kw_only=True, eq=False, repr=False)
class RocCurveDisplay(FoldedCurveDisplay):
    """The ROC curve: the true positive rate against the false positive rate.

    Parameters
    ----------
    fpr, tpr : float64 arrays of shape (n_points,)
        The curve, as ``roc_curve`` returns it; or lists with the curves of several folds.
    roc_auc : float or ScoreInterval, optional
        The AUC, for the legend; or a list with the AUCs of the folds.
    name : str, optional
        The name of the model in the legend.
    counts : ConfusionCounts or ScoreHistogram, optional
        The counts behind the curve; ``add_hull``, ``add_pairs`` and ``add_operating_points``
        need it.
    higher_is_positive : bool
        Whether scores at or above a threshold are predicted positive; if not, those at or below.
    pos_label : int, float, bool or str, optional
        The label of the positives, to show beside the axes.

    Other Parameters
    ----------------
    drop_intermediate : bool
        Of the constructors: whether to leave points out of the arrays that do not change the
        picture.

    Attributes
    ----------
    line_ : matplotlib Artist
        The curve; a list for several folds.
    chance_level_ : matplotlib Artist or None
        The diagonal, if it is drawn.
    hull_, band_, area_, pairs_ : matplotlib Artist or None
        The artists that ``add_hull``, ``add_band``, ``add_area`` and ``add_pairs`` have drawn.
    operating_points, points_ : lists of OperatingPoint and of matplotlib Artist
        The points that ``add_operating_points`` has marked, and the marks.
    ax_, figure_ : matplotlib Axes and Figure
        Where the display is drawn.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from fastauc.plotting import RocCurveDisplay
    >>> ax = Figure().subplots()
    >>> display = RocCurveDisplay.from_predictions(
    ...     [0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], name="forest", ax=ax
    ... ).add_operating_points("youden")
    >>> display.line_.get_label()
    'forest (AUC = 0.750)'
    """

    fpr: Doubles | list[Doubles]
    tpr: Doubles | list[Doubles]
    roc_auc: float | ScoreInterval | list[float] | None = None

    _FRAME: ClassVar = ("False positive rate", "True positive rate", "lower right")

    @classmethod
    def _values(
        cls, counts: Counts, higher_is_positive: bool, *, drop_intermediate: bool = True
    ) -> dict[str, Any]:
        fpr, tpr, _ = counts.roc_curve(drop_intermediate=drop_intermediate)
        return {"fpr": fpr, "tpr": tpr, "roc_auc": counts.roc_auc()}

    def _draw(self, curve_kwargs: Any) -> None:
        self.line_: Any = self._draw_curves(
            self.fpr, self.tpr, self.roc_auc, curve_kwargs, ("AUC", "ROC curve")
        )
        self.operating_points: list[OperatingPoint] = []
        self.points_: list[Any] = []
        self.hull_: Any = None
        self.band_: Any = None
        self.area_: Any = None
        self.pairs_: Any = None
        self.ax_.set(xlim=limits(0, 1), ylim=limits(0, 1), aspect="equal")

    def _chance_level(self) -> tuple[list[float], list[float], str]:
        return [0, 1], [0, 1], "Chance level (AUC = 0.5)"

    @property
    def _color(self) -> Any:
        return self._lines[0].get_color()

    def zoom(self, max_fpr: float | None) -> Self:
        """Show the part of few false positives, up to ``max_fpr``; for None, all of the curve."""
        check_max_fpr(max_fpr, self._method("zoom"))
        end = 1.0 if max_fpr is None else float(max_fpr)
        curves: Any = (
            (self.fpr, self.tpr) if isinstance(self.fpr, list) else ([self.fpr], [self.tpr])
        )
        for line, fpr, tpr in zip(self._lines, *curves, strict=True):
            kept = thin(fpr, tpr, columns(0.0, end))
            line.set_data(fpr[kept], tpr[kept])
        self.ax_.set(xlim=limits(0, end), aspect="equal" if end == 1 else "auto")
        return self

    def add_band(self, band: CurveInterval) -> Self:
        """Shade a confidence band, as ``curve_ci`` returns it for a given false positive rate."""
        self.band_ = self._shade_band(band, "fpr", self._lines[0])
        return self._added()

    def add_area(self) -> Self:
        """Shade the area under the curve."""
        x, y = self._lines[0].get_data()
        # matplotlib thins a line to the pixels of the picture, but no area: its edge is hidden
        # below the line.
        kept = thin(x, y, columns(0.0, 1.0, _COLUMNS_OF_AREA))
        corners = np.append(x[kept], 1.0), np.append(y[kept], 0.0)
        (self.area_,) = self.ax_.fill(*corners, color=self._color, alpha=0.15, linewidth=0)
        return self._added()

    def add_hull(self) -> Self:
        """Draw the convex hull.

        It is the best that thresholds, and random choices between two of them, can reach.
        """
        hull = _at_edges(self._counted("add_hull")).roc_convex_hull()
        # Between the points that a histogram knows, the curve may rise above the hull.
        bounded = isinstance(self.roc_auc, ScoreInterval) and not self.roc_auc.exact
        area = f"AUC {'≥' if bounded else '='} {in_words(hull.auc)}"
        look = {"color": self._color, "linestyle": (0, (1, 1.5)), "linewidth": 1.2}
        (self.hull_,) = self.ax_.plot(hull.fpr, hull.tpr, **look, label=f"Convex hull ({area})")
        return self._added()

    def add_operating_points(self, *operating_points: Any) -> Self:
        """Mark thresholds.

        Parameters
        ----------
        *operating_points : float, str or OptimalThreshold
            Thresholds to mark: scores, names of criteria such as "youden" or "f1", or results of
            ``optimal_threshold``. For a histogram, the next threshold at a bin edge is used.
        """
        found = self._points_of(operating_points)
        for k, point in enumerate(found, start=self._lines[0].fastauc_model + len(self.points_)):
            marker, label = style_of(k).marker, point.in_words()
            mark = draw_mark(self.ax_, point.fpr, point.tpr, marker, self._color, label=label)
            self.points_.append(mark)
        self.operating_points += found
        return self._added()

    def add_pairs(self) -> Self:
        """Paint the grid of positive-negative pairs, for up to 10,000 pairs of unweighted rows.

        Concordant pairs lie below the curve, discordant pairs above it, and tied pairs are cut in
        half by it. Columns are negatives and rows positives, the highest scores first, with their
        scores at the top and on the right. The legend, below the axes, shows how many pairs there
        are of each kind.
        """
        counts = self._counted("add_pairs")
        pairs = _order_of_pairs(counts, self._method("add_pairs"))
        if pairs.size > 0:
            self.pairs_ = _draw_pairs(self.ax_, pairs, self._color)
            self._show_scores(_at_edges(counts))
            self._corner = "below"  # any corner has a cell
        return self._added()

    def _show_scores(self, known: ConfusionCounts) -> None:
        """Show the scores of the pairs at their columns and rows, or at some of them."""
        thresholds = known.thresholds if self.higher_is_positive else opposite(known.thresholds)
        for axis, counts, kind in (
            (self.ax_.secondary_xaxis("top"), known.fps, "negatives"),
            (self.ax_.secondary_yaxis("right"), known.tps, "positives"),
        ):
            scores = np.repeat(thresholds, np.diff(counts, prepend=0))
            shown = np.arange(0, len(scores), -(-len(scores) // _MOST_SCORES))
            labels = [f"{score:.4g}" for score in scores[shown].tolist()]
            axis.set_ticks((shown + 0.5) / len(scores), labels, fontsize="small")
            axis.tick_params(length=0)
            (axis.set_xlabel if kind == "negatives" else axis.set_ylabel)(f"Scores of the {kind}")


def _at_edges(counts: Counts) -> ConfusionCounts:
    return counts if isinstance(counts, ConfusionCounts) else counts.confusion_counts()


def _order_of_pairs(counts: Counts, function: str) -> NDArray[np.int8]:
    """Return 1 where the positive has the higher score, 0 for a tie, else -1."""
    known = _at_edges(counts)
    n_pairs = int(known.fps[-1]) * int(known.tps[-1])
    if known.tps.dtype.kind == "f" or has_unknown_order(counts) or n_pairs > MOST_PAIRS:
        raise ValueError(
            f"{function} paints {MOST_PAIRS:,} pairs at most, of unweighted rows with known "
            f"scores; got {n_pairs:,} pairs in {type(counts).__name__}."
        )
    numbers = np.arange(len(known.fps))
    neg, pos = (np.repeat(numbers, np.diff(each, prepend=0)) for each in (known.fps, known.tps))
    order: NDArray[np.int8] = np.sign(neg - pos[:, np.newaxis]).astype(np.int8)
    return order


def _draw_pairs(ax: Any, pairs: NDArray[np.int8], color: Any) -> Any:
    """Draw the grid of pairs, and show in the legend how many there are of each kind."""
    from matplotlib.colors import ListedColormap
    from matplotlib.patches import Rectangle

    paint = ["none", (TIED, 0.5), (color, 0.35)]
    n_pos, n_neg = pairs.shape
    x, y = (np.arange(n + 1) / n for n in (n_neg, n_pos))
    look = {"cmap": ListedColormap(paint), "vmin": -1, "vmax": 1}
    mesh = ax.pcolormesh(x, y, pairs, **look, edgecolors=TIED, linewidth=0.5)
    for kind, words in ((1, "in order"), (0, "tied"), (-1, "in the wrong order")):
        n_pairs = int((pairs == kind).sum())
        label = f"{n_pairs} {'pair' if n_pairs == 1 else 'pairs'} {words}"
        shown: Any = {"facecolor": paint[kind + 1], "edgecolor": TIED, "linewidth": 0.5}
        ax.add_patch(Rectangle((0, 0), 0, 0, label=label, **shown))  # for the legend
    return mesh
