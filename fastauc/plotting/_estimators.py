"""Scores of fitted classifiers, and of the folds of a cross-validation.

scikit-learn is not imported: any object with the right methods is a classifier.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from fastauc._validation.errors import invalid_parameter
from fastauc._validation.options import check_option


def predict(
    estimator: Any, X: Any, pos_label: Any, response_method: str, methods: Sequence[str], where: str
) -> tuple[Any, Any]:
    """Return the scores of a fitted classifier of two classes, and the positive label.

    The scores are those of ``response_method``; for "auto", of the first of ``methods`` it has.
    """
    check_option(response_method, "response_method", ("auto", *methods), where)
    methods = methods if response_method == "auto" else (response_method,)
    method = next((name for name in methods if hasattr(estimator, name)), None)
    if method is None:
        expected = f"a classifier with {' or '.join(methods)}"
        raise invalid_parameter(where, "estimator", expected, estimator)
    scores = np.asarray(getattr(estimator, method)(X))
    classes = np.asarray(getattr(estimator, "classes_", ())).tolist()
    if len(classes) != 2:
        raise invalid_parameter(where, "estimator", "a classifier of two classes", estimator)
    if pos_label is None:
        pos_label = classes[1]
    elif pos_label not in classes:
        raise invalid_parameter(where, "pos_label", f"a label among {classes}", pos_label)
    is_second = pos_label == classes[1]
    if scores.ndim == 2:
        scores = scores[:, int(is_second)]
    elif not is_second:  # a decision function scores the second class
        scores = -scores
    return scores, pos_label


def rows_of_folds(cv_results: Any, y: Any, function: str) -> list[tuple[Any, Any]]:
    """Return the estimator of each fold, and the rows that it was not fitted on."""
    if not (isinstance(cv_results, Mapping) and {"estimator", "indices"} <= cv_results.keys()):
        expected = "the result of cross_validate(..., return_estimator=True, return_indices=True)"
        raise invalid_parameter(function, "cv_results", expected, cv_results)
    tested = cv_results["indices"]["test"]
    n_rows, last = len(y), max(int(np.max(rows)) for rows in tested)
    if last >= n_rows:
        raise ValueError(f"y has {n_rows} rows; expected more than {last}, an index in cv_results.")
    return list(zip(cv_results["estimator"], tested, strict=True))


def take(values: Any, rows: Any) -> Any:
    """Return rows of an array, a sparse matrix, a table, a column or a list."""
    if values is None:
        return None
    if hasattr(values, "iloc"):
        return values.iloc[rows]
    return values[rows] if hasattr(values, "shape") else [values[row] for row in rows]
