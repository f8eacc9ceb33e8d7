"""``fastauc.report``: the page of the command of that name, from labels and scores in memory."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastauc import __version__
from fastauc._counts.result_table import replacing
from fastauc._report.content import Settings, make
from fastauc._report.html import escaped
from fastauc._report.page import Names, as_page
from fastauc._validation.arrays import Array, as_array, opposite
from fastauc._validation.columns import read_column, read_columns, read_models, read_table
from fastauc._validation.labels import Label, as_labels
from fastauc._validation.missing import NAN_POLICIES, find_missing
from fastauc._validation.options import (
    check_bins_of_rows,
    check_both_or_none,
    check_flag,
    check_money,
    check_option,
)
from fastauc._validation.samples import read_binary_labels
from fastauc._validation.threads import SERIAL, Workers
from fastauc.files.counting import MOST_GROUPS, Part
from fastauc.files.dropped import NOTHING, Dropped
from fastauc.files.passes import LabeledRows


class HtmlReport:
    """A report on scores: shown by notebooks, and saved as a page of its own.

    Parameters
    ----------
    html : str
        The whole page, which needs nothing else to be shown, and has no scripts.

    Attributes
    ----------
    html : str
        The same.

    Examples
    --------
    >>> from fastauc import HtmlReport
    >>> page = HtmlReport("<!DOCTYPE html><title>Scores</title>")
    >>> page
    <HtmlReport of 36 characters: shown by a notebook, or by save(path) and a browser>
    """

    __slots__ = ("html",)

    def __init__(self, html: str) -> None:
        self.html = html

    def save(self, path: Any) -> None:
        """Write the page to a file, which has the old content or the new one, whatever happens.

        Parameters
        ----------
        path : str or path-like
            Where to write, as ``report.html``.

        Raises
        ------
        OSError
            If the file cannot be written; what was there before is still there.
        """
        with replacing(path) as file:
            file.write(self.html.encode())

    def __repr__(self) -> str:
        return (
            f"<HtmlReport of {len(self.html)} characters: shown by a notebook, or by save(path) "
            "and a browser>"
        )

    def _repr_html_(self) -> str:
        # A document of its own: its style and its ids do not meet those of the notebook. The
        # sandbox lets nothing run.
        return (
            f'<iframe srcdoc="{escaped(self.html)}" sandbox="" title="Report" '
            'style="width: 100%; height: 45rem; border: 0; resize: vertical; overflow: auto">'
            "</iframe>"
        )


HtmlReport.__module__ = "fastauc"


def report(
    y_true: ArrayLike,
    y_score: Any,
    *,
    sample_weight: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    pos_label: Label | None = None,
    higher_is_positive: bool = True,
    nan_policy: str = "raise",
    bins: int = 10,
    cost: float | None = None,
    revenue: float | None = None,
    cost_fp: float | None = None,
    cost_fn: float | None = None,
    title: str | None = None,
    n_jobs: int | None = None,
) -> HtmlReport:
    """Return a page with all that scores tell: AUC and its interval, curves, tables, thresholds.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Labels of two classes; of more if ``pos_label`` is given.
    y_score : array-like of shape (n_samples,) or (n_samples, n_models), DataFrame, dict or list
        Finite scores of one or of several models; higher means more likely positive, unless told
        otherwise. A DataFrame or a dict has their names; a list has an array for each.
    sample_weight : array-like of shape (n_samples,), optional
        Weights of the rows, not negative; rows of weight 0 are left out of all values.
    groups : array-like of shape (n_samples,), optional
        What each row belongs to, as a segment: up to 100 values, each with values of its own.
    pos_label : int, float, bool or str, optional
        The label of the positives; 1 if left out, for labels in {0, 1} or {-1, 1}.
    higher_is_positive : bool
        False for scores that are lower for the positives, as points of a scorecard are for bad
        loans: rows scored at or below a threshold are predicted positive then.
    nan_policy : {"raise", "omit"}
        Whether a score that is missing, as NaN or None, is an error, or rows that lack any of the
        scores are left out, and the page says how many. Rows in errors are then counted among
        those that are left.
    bins : int
        Number of bins of the gains table and of the calibration.
    cost, revenue : float, optional
        What each row costs that is chosen, and what each positive among them brings, both or none:
        for the profit in the gains table, and the threshold of the largest profit.
    cost_fp, cost_fn : float, optional
        What a false positive and a false negative cost, both or none: for the threshold of the
        least cost.
    title : str, optional
        Title of the page.
    n_jobs : int or None
        Threads; None means the environment's FASTAUC_NUM_THREADS or 1, -1 all cores. The result
        does not depend on it.

    Returns
    -------
    HtmlReport
        What a notebook shows; ``.save(path)`` writes it as a page for the browser, the mail or the
        printer, without scripts and without anything to load. The same rows make the same page.

        For each model the AUC with its interval, Gini, average precision, K-S, gain and lift; ROC,
        precision-recall, gain and K-S curves; the distribution of the scores, their calibration if
        they are in [0, 1]; the gains table; recommended thresholds, and the confusion matrix at the
        one of least cost, else of the largest profit, else Youden's. Of several models, the
        differences of their AUC with intervals and DeLong's tests.

    Raises
    ------
    ValueError
        For NaN or infinite scores; negative, infinite, NaN or all-zero weights; unequal lengths;
        no rows; labels that need ``pos_label``; more than 100 groups.
    InvalidParameterError
        For an option outside its domain, and for one of two amounts without the other.
    ImportError
        Without matplotlib (``pip install 'fastauc[plot]'``).

    Notes
    -----
    O(n log n) time for each model and for each two of them, and about a second for the pictures. A
    tied pair counts one half. One class only: an ``UndefinedMetricWarning``, and what is undefined
    is called so; in a group, without a warning. The page is that of ``fastauc report``, which reads
    files; each number follows the function of its name, as ``roc_auc_ci`` and ``gains_table``.

    Examples
    --------
    >>> from fastauc import report
    >>> y_true = [0, 0, 1, 0, 1, 1, 0, 1]
    >>> scores = {"old": [1, 2, 2, 3, 3, 4, 1, 4], "new": [1, 3, 2, 1, 4, 4, 2, 3]}
    >>> page = report(y_true, scores, bins=2)  # page.save("report.html")
    >>> "old - new" in page.html
    True
    """
    function = "report"
    check_flag(higher_is_positive, "higher_is_positive", function)
    check_bins_of_rows(bins, None, function)
    check_money(cost, revenue, function)
    check_both_or_none({"cost_fp": cost_fp, "cost_fn": cost_fn}, function)
    money = {} if cost is None else {"cost": cost, "revenue": revenue}
    costs = {} if cost_fp is None else {"cost_fp": cost_fp, "cost_fn": cost_fn}
    try:
        import matplotlib  # noqa: F401
    except ImportError as error:
        raise ImportError("report needs matplotlib: pip install 'fastauc[plot]'") from error
    check_option(nan_policy, "nan_policy", NAN_POLICIES, function)
    columns = _columns_of(y_score, function)
    dropped = None
    if nan_policy == "omit":
        given = y_true, sample_weight, groups
        columns, given, dropped = _omit_missing(columns, given, pos_label)
        y_true, sample_weight, groups = given
    places = [f"y_score[{name!r}]" if name else "y_score" for name in columns]
    scores = dict(zip(places, columns.values(), strict=True))
    with Workers(n_jobs, function) as workers:
        models = read_models(y_true, scores, sample_weight, groups, function, workers, pos_label)
    rows = LabeledRows(
        models.label.view(np.bool_),
        {
            name or "score": score if higher_is_positive else opposite(score)
            for name, score in columns.items()
        },
        models.weight,
        None,
    )
    how = "report", n_jobs, dropped, higher_is_positive
    whole = Part(None, rows.n_rows, rows.n_pos, rows, {}, *how)
    parts = [whole, *_groups_of(whole, groups, models.units, function)]
    content = make(parts, list(rows.scores), Settings(int(bins), money, costs))
    names = Names(
        title or "How well scores rank the labels",
        None,
        None,
        None if pos_label is None else str(pos_label),
        None,
        None if groups is None else "group",
        __version__,
    )
    return HtmlReport(as_page(content, names))


def _columns_of(y_score: Any, function: str) -> dict[str, Array]:
    """Return the columns of scores by their names; one alone has its own name, or an empty one."""
    is_several = isinstance(y_score, (list, tuple)) and y_score and hasattr(y_score[0], "__len__")
    if not is_several and read_table(y_score) is None:
        column = as_array(y_score, "y_score", function, exact=True)
        if column.ndim == 1:
            name = getattr(y_score, "name", None)
            return {name if isinstance(name, str) else "": column}
    names, columns = read_columns(y_score, function, "y_score")
    shown = [str(name) for name in names]
    if len(set(shown)) < len(shown):
        twice = next(name for name in shown if shown.count(name) > 1)
        raise ValueError(f"y_score has two columns {twice!r}; expected names that differ.")
    arrays = [read_column(values, place, function) for place, values in columns.items()]
    return dict(zip(shown, arrays, strict=True))


def _omit_missing(
    columns: dict[str, Array], given: tuple[Any, Any, Any], pos_label: Label | None
) -> tuple[dict[str, Array], tuple[Any, Any, Any], Dropped]:
    """Return the rows that have all scores, and how many others there are.

    Arguments that do not fit together are returned as they are: others say what is wrong.
    """
    arrays = [None if each is None else np.asarray(each) for each in given]
    sizes = {array.shape for array in (*columns.values(), *arrays) if array is not None}
    lacking = {name: find_missing(column) for name, column in columns.items()}
    found = [missing for missing in lacking.values() if missing is not None]
    if not found or len(sizes) > 1:
        return columns, given, NOTHING
    left_out = np.logical_or.reduce(found)
    positive = read_binary_labels(as_labels(given[0], "y_true", "report"), pos_label, SERIAL)[0]

    def count(chosen: NDArray[np.bool_] | None) -> tuple[int, int]:
        n_neg, n_pos = np.bincount(positive[chosen], minlength=2) if chosen is not None else (0, 0)
        return int(n_neg), int(n_pos)

    by_score = {name or "score": count(missing) for name, missing in lacking.items()}
    y_true, sample_weight, groups = (
        None if array is None else array[~left_out] for array in arrays
    )
    kept = {name: column[~left_out] for name, column in columns.items()}
    return kept, (y_true, sample_weight, groups), Dropped(*count(left_out), by_score)


def _groups_of(
    whole: Part, groups: object, units: NDArray[np.intp] | None, function: str
) -> list[Part]:
    """Return the rows of each group."""
    if units is None or whole.rows is None:
        return []
    names = np.unique(read_column(groups, "groups", function))
    if len(names) > MOST_GROUPS:
        raise ValueError(
            f"groups holds {len(names)} different values; expected at most {MOST_GROUPS}."
        )
    parts = []
    for number, name in enumerate(names.tolist()):
        rows = whole.rows.select(units == number)
        parts.append(whole._replace(group=name, rows=rows, n_rows=rows.n_rows, n_pos=rows.n_pos))
    return parts
