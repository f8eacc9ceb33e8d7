"""``fastauc.reports.report``: the page of ``fastauc report``, for labels and scores in memory."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from html import escape
from itertools import compress
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastauc._counts.result_table import replacing
from fastauc._rows import MOST_GROUPS, LabeledRows, Part
from fastauc._validation.arrays import (
    Array,
    as_array,
    as_python,
    opposite,
    read_column,
    read_table,
)
from fastauc._validation.columns import Directions, find_lower, read_columns, read_models
from fastauc._validation.groups import read_ids
from fastauc._validation.labels import Label, as_labels, match_labels
from fastauc._validation.literals import NanPolicy
from fastauc._validation.options import check_bins_of_rows, check_both_or_none
from fastauc._validation.samples import read_binary_labels
from fastauc._validation.threads import SERIAL, Workers
from fastauc.reports._content import Settings, make
from fastauc.reports._page import Names, as_page


class HtmlReport:
    """A report on scores, which notebooks display and ``save`` writes to a file.

    Parameters
    ----------
    html : str
        The whole page, self-contained and without scripts; also an attribute.

    Examples
    --------
    >>> from fastauc.reports import HtmlReport
    >>> page = HtmlReport("<!DOCTYPE html><title>Scores</title>")
    >>> page
    <HtmlReport of 36 characters: display it in a notebook, or save(path) and open it>
    """

    __slots__ = ("html",)

    def __init__(self, html: str) -> None:
        self.html: str = html

    def save(self, path: Any) -> None:
        """Write the page to a file, such as ``report.html``, atomically.

        If it cannot be written, there is an OSError, and an existing file is left unchanged.
        """
        with replacing(path) as file:
            file.write(self.html.encode())

    def __repr__(self) -> str:
        return (
            f"<HtmlReport of {len(self.html)} characters: display it in a notebook, or save(path) "
            "and open it>"
        )

    def _repr_html_(self) -> str:
        # A separate document: its style and ids cannot clash with the notebook's. The sandbox
        # lets nothing run.
        return (
            f'<iframe srcdoc="{escape(self.html)}" sandbox="" title="Report" '
            'style="width: 100%; height: 45rem; border: 0; resize: vertical; overflow: auto">'
            "</iframe>"
        )


HtmlReport.__module__ = "fastauc.reports"


def report(
    y_true: ArrayLike,
    y_score: Any,
    *,
    sample_weight: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    pos_label: Label | None = None,
    higher_is_positive: Directions = True,
    nan_policy: NanPolicy = "raise",
    bins: int = 10,
    cost: float | None = None,
    revenue: float | None = None,
    cost_fp: float | None = None,
    cost_fn: float | None = None,
    title: str | None = None,
    n_jobs: int | None = None,
) -> HtmlReport:
    """Return an HTML report on scores: AUC with interval, curves, tables, thresholds.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Labels of two classes; of more if ``pos_label`` is given.
    y_score : array-like of shape (n_samples,) or (n_samples, n_models), DataFrame, dict or list
        Finite scores of one or several models. A DataFrame or dict names the models; a list has one
        array for each.
    sample_weight, pos_label, n_jobs
        As for ``confusion_matrix_at_thresholds``; rows of weight 0 are left out of all values
        and counts, and groups without other rows are not shown.
    groups : array-like of shape (n_samples,), optional
        The group of each row, such as a segment: up to 100 groups, each with its own metrics, in
        the order of ``roc_auc_by_group``.
    higher_is_positive : bool, dict or sequence of bool
        False for scores that are lower for positives, like scorecard points for bad loans: rows
        scored at or below a threshold are then predicted positive. For several models, one value
        for all or for each, as for ``compare_roc_auc``.
    nan_policy : {"raise", "omit"}
        Whether a missing score (NaN or None) is an error, or rows that lack any score are left out
        and the page says how many. Row numbers in errors then refer to the remaining rows.
    bins, title : int, str
        Number of bins of the gains table and of the calibration curve; title of the page.
    cost, revenue : float, optional
        As for ``gains_table``, and for the threshold with the highest profit.
    cost_fp, cost_fn : float, optional
        The costs of a false positive and of a false negative, both or neither: for the threshold
        with the lowest cost.

    Returns
    -------
    HtmlReport
        Displayed by notebooks; ``.save(path)`` writes it as a self-contained page for browsers,
        e-mail or print. The same rows give the same page.

        For each model, the AUC with its interval, Gini, average precision, K-S, gain and lift; ROC,
        precision-recall, gain and K-S curves; the score distribution, and the calibration if the
        scores are in [0, 1]; the gains table; recommended thresholds, and the confusion matrix at
        the threshold with the lowest cost if costs are given, else the highest profit, else
        Youden's. For several models, the AUC differences with intervals and DeLong's tests.

    Raises
    ------
    ValueError
        For NaN or infinite scores; negative, infinite, NaN or all-zero weights; unequal lengths;
        no rows; labels that need ``pos_label``; more than 100 groups.
    InvalidParameterError
        For an option outside its domain, and for one amount of a pair without the other.
    ImportError
        Without matplotlib (``pip install 'fastauc[plot]'``).

    Notes
    -----
    O(n log n) time for each model and each pair of models, and about a second for the pictures. A
    tied pair counts one half. With one class only, there is an ``UndefinedMetricWarning`` and
    undefined values are marked as such; in a group, without a warning. The command ``fastauc
    report`` makes the same page from files. Each value follows the function of its name, such as
    ``roc_auc_ci`` or ``gains_table``.

    Examples
    --------
    >>> from fastauc.reports import report
    >>> y_true = [0, 0, 1, 0, 1, 1, 0, 1]
    >>> scores = {"old": [1, 2, 2, 3, 3, 4, 1, 4], "new": [1, 3, 2, 1, 4, 4, 2, 3]}
    >>> page = report(y_true, scores, bins=2)  # page.save("report.html")
    >>> "Are the models different?" in page.html
    True
    """
    given, function = dict(locals()), "report"
    check_bins_of_rows(bins, None, function)
    check_both_or_none({"cost": cost, "revenue": revenue}, function)
    check_both_or_none({"cost_fp": cost_fp, "cost_fn": cost_fn}, function)
    money = {} if cost is None else {"cost": cost, "revenue": revenue}
    costs = {} if cost_fp is None else {"cost_fp": cost_fp, "cost_fn": cost_fn}
    try:
        import matplotlib  # noqa: F401
    except ImportError as error:
        raise ImportError("report needs matplotlib: pip install 'fastauc[plot]'") from error
    columns = _columns_of(y_score, function)
    dropped = codes = None
    group_names: list[Any] = []
    if groups is not None:
        n_rows = len(next(iter(columns.values())))
        group_names, codes = _number_groups(groups, n_rows, function)
    scores = {f"y_score[{name!r}]" if name else "y_score": columns[name] for name in columns}
    with Workers(n_jobs, function) as workers:
        how = function, workers, pos_label, nan_policy
        models = read_models(how, y_true, scores, sample_weight)
    columns = {name or "score": score for name, score in columns.items()}
    if nan_policy == "omit":
        labels = match_labels(as_labels(y_true, "y_true", function), {}, function)
        label = read_binary_labels(labels, pos_label, SERIAL)[0]
        own = () if codes is None else (codes,)
        complete = LabeledRows(label.view(np.bool_), columns, None, own).complete()
        columns, dropped = complete.scores, complete.dropped()
        codes = None if codes is None else complete.groups[0]
    lower = set(compress(columns, find_lower(higher_is_positive, list(columns), function)))
    for name in lower:
        columns[name] = opposite(columns[name])
    rows = LabeledRows(models.label.view(np.bool_), columns, models.weight)
    of_weight = rows.of_weight()
    whole = Part(None, of_weight.n_rows, of_weight.n_pos, of_weight, {}, function, n_jobs)
    whole = whole._replace(dropped=dropped, lower_is_positive=frozenset(lower))
    names = Names(
        title or "How well scores rank the labels",
        made_by=_call(given),
        pos_label=None if pos_label is None else str(pos_label),
        by=() if groups is None else ("group",),
    )
    parts = [whole, *_groups_of(whole, rows, group_names, codes)]
    settings = Settings(int(bins), money, costs)
    return HtmlReport(as_page(make(parts, settings), names, settings))


def _call(given: dict[str, Any]) -> str:
    """Return the call of ``report``, with the options that are not left at their defaults."""
    parameters, shown = inspect.signature(report).parameters, []
    for name, value in given.items():
        if value is parameters[name].default or name == "n_jobs":
            continue
        written = name if name in ("sample_weight", "groups") else repr(value)
        shown.append(name if name.startswith("y_") else f"{name}={written}")
    return f"fastauc.reports.report({', '.join(shown)})"


def _columns_of(y_score: Any, function: str) -> dict[str, Array]:
    """Return the columns of scores by name; a single one has its own name, or an empty one."""
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
        raise ValueError(f"y_score has two columns {twice!r}; expected distinct names.")
    arrays = [read_column(values, place, function, exact=True) for place, values in columns.items()]
    return dict(zip(shown, arrays, strict=True))


def _number_groups(
    groups: object, n_rows: int, function: str
) -> tuple[list[Any], NDArray[np.intp]]:
    """Return the groups in their order, that of categories if they are some, and each row's."""
    values, codes, offsets, order = read_ids(groups, n_rows, "groups", function)
    if codes is None:
        assert offsets is not None
        codes = np.repeat(np.arange(len(values), dtype=np.uint32), np.diff(offsets))
    present = np.bincount(codes, minlength=len(values)) > 0
    if np.count_nonzero(present) > MOST_GROUPS:
        raise ValueError(
            f"groups holds {np.count_nonzero(present)} different values; expected at most "
            f"{MOST_GROUPS}."
        )
    order = np.arange(len(values)) if order is None else order
    order = order[present[order]]
    ranks = np.zeros(len(values), np.intp)
    ranks[order] = np.arange(len(order))
    return [as_python(value) for value in values[order]], ranks[codes]


def _groups_of(
    whole: Part, rows: LabeledRows, names: list[Any], codes: NDArray[np.intp] | None
) -> Iterator[Part]:
    """Yield the rows of each group that has rows of some weight."""
    if codes is None:
        return
    for number, name in enumerate(names):
        chosen = rows.select(codes == number).of_weight()
        if chosen.n_rows:
            yield whole._replace(group=name, rows=chosen, n_rows=chosen.n_rows, n_pos=chosen.n_pos)
