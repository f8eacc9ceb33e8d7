"""Scores of fitted classifiers, for the class methods shared with scikit-learn's displays.

scikit-learn is not imported: any object with the right methods is a classifier.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from fastauc._validation.errors import invalid_parameter
from fastauc._validation.labels import Label
from fastauc._validation.options import check_option

_METHODS = ("predict_proba", "decision_function")


class Sample(NamedTuple):
    """The labels of some rows, their weights, and the scores that a classifier gives them."""

    y_true: Any
    y_score: Any
    sample_weight: Any
    pos_label: Label


def predict(
    estimator: Any,
    X: Any,
    y: Any,
    sample_weight: Any,
    *,
    response_method: str,
    pos_label: Label | None,
    function: str,
) -> Sample:
    """Return rows with the scores of a fitted classifier of two classes."""
    check_option(response_method, "response_method", ("auto", *_METHODS), function)
    methods = _METHODS if response_method == "auto" else (response_method,)
    method = next((name for name in methods if hasattr(estimator, name)), None)
    if method is None:
        raise invalid_parameter(
            function, "estimator", f"a classifier with {' or '.join(methods)}", estimator
        )
    scores = np.asarray(getattr(estimator, method)(X))
    classes = np.asarray(getattr(estimator, "classes_", ())).tolist()
    if len(classes) != 2:
        raise invalid_parameter(function, "estimator", "a classifier of two classes", estimator)
    if pos_label is None:
        pos_label = classes[1]
    elif pos_label not in classes:
        raise invalid_parameter(function, "pos_label", f"a label among {classes}", pos_label)
    is_second = pos_label == classes[1]
    if scores.ndim == 2:
        scores = scores[:, int(is_second)]
    elif not is_second:  # a decision function scores the second class
        scores = -scores
    return Sample(y, scores, sample_weight, pos_label)


def predict_folds(
    cv_results: Any,
    X: Any,
    y: Any,
    sample_weight: Any,
    *,
    response_method: str,
    pos_label: Label | None,
    function: str,
) -> list[Sample]:
    """Return the test rows of each fold, with the scores of the estimator fitted on the others."""
    if not (isinstance(cv_results, Mapping) and {"estimator", "indices"} <= cv_results.keys()):
        expected = "what cross_validate(..., return_estimator=True, return_indices=True) returns"
        raise invalid_parameter(function, "cv_results", expected, cv_results)
    tested = cv_results["indices"]["test"]
    n_rows, last = len(y), max(int(np.max(rows)) for rows in tested)
    if last >= n_rows:
        raise ValueError(f"y has {n_rows} rows; expected more than {last}, an index in cv_results.")
    return [
        predict(
            estimator,
            _take(X, rows),
            _take(y, rows),
            None if sample_weight is None else _take(sample_weight, rows),
            response_method=response_method,
            pos_label=pos_label,
            function=function,
        )
        for estimator, rows in zip(cv_results["estimator"], tested, strict=True)
    ]


def _take(values: Any, rows: Any) -> Any:
    """Return rows of an array, a sparse matrix, a table, a column or a list."""
    if hasattr(values, "iloc"):
        return values.iloc[rows]
    return values[rows] if hasattr(values, "shape") else [values[row] for row in rows]
