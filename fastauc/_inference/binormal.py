"""The binormal model: the scores of both classes are normal, up to an increasing map."""

from __future__ import annotations

import math
from statistics import NormalDist
from typing import Any

import numpy as np

from fastauc._inference.distributions import normal_tail
from fastauc._validation.options import check_number, read_rates

_STANDARD = NormalDist()


def _check_model(a: Any, b: Any, function: str) -> None:
    check_number(a, "a", "a finite number", math.isfinite, function)
    check_number(b, "b", "a finite number above 0", lambda b: 0 < b < math.inf, function)


def binormal_roc_auc(a: float, b: float = 1.0) -> float:
    """Return the AUC of the binormal model.

    Up to an increasing transformation of the scores, the negatives are normal with mean 0 and
    standard deviation b, and the positives with mean a and standard deviation 1.

    Parameters
    ----------
    a : float
        The difference of the means, divided by the standard deviation of the positives. With
        ``b=1``, it is d', the sensitivity index of signal detection theory.
    b : float
        The ratio of the standard deviation of the negatives to that of the positives; above 0.

    Returns
    -------
    float
        Phi(a / sqrt(1 + b^2)).

    Raises
    ------
    InvalidParameterError
        For an ``a`` that is not finite, or a ``b`` that is not a finite number above 0.

    See Also
    --------
    binormal_roc_curve : The curve.

    Notes
    -----
    O(1) time. There are no rows, so ties and missing classes do not arise. Source: J. A. Hanley,
    "Receiver operating characteristic (ROC) methodology: the state of the art", Crit. Rev. Diagn.
    Imaging 29 (1989) 307-335.

    Examples
    --------
    >>> from fastauc import binormal_roc_auc
    >>> binormal_roc_auc(1.0)
    0.7602499389065233
    """
    _check_model(a, b, "binormal_roc_auc")
    return normal_tail(-float(a) / math.hypot(1, float(b)))


def binormal_roc_curve(fpr: Any, a: float, b: float = 1.0) -> Any:
    """Return the true positive rate of the binormal model at given false positive rates.

    Parameters
    ----------
    fpr : float, or array-like of shape (n_rates,)
        Rates in [0, 1]; any other shape is accepted as well.
    a, b : float
        The parameters of the model, as in ``binormal_roc_auc``.

    Returns
    -------
    float, or float64 array of shape (n_rates,)
        Phi(a + b Phi^-1(fpr)); 0 at 0 and 1 at 1.

    Raises
    ------
    ValueError
        For a rate outside [0, 1].
    InvalidParameterError
        For an ``a`` that is not finite, or a ``b`` that is not a finite number above 0.

    See Also
    --------
    binormal_roc_auc : The AUC.

    Notes
    -----
    O(1) time for each rate. There are no rows, so ties and missing classes do not arise. Unless b
    is 1, the curve is below the diagonal near one of its ends. Source: same as for
    ``binormal_roc_auc``.

    Examples
    --------
    >>> from fastauc import binormal_roc_curve
    >>> binormal_roc_curve([0, 0.1, 0.5, 1], 1.0).round(3)
    array([0.   , 0.389, 0.841, 1.   ])
    """
    function = "binormal_roc_curve"
    _check_model(a, b, function)
    rates = read_rates(fpr, "fpr", "linear", function)
    heights = [_height(float(rate), float(a), float(b)) for rate in rates.values]
    return heights[0] if rates.shape is None else np.array(heights).reshape(rates.shape)


def _height(fpr: float, a: float, b: float) -> float:
    if fpr in (0, 1):
        return fpr
    return normal_tail(-a - b * _STANDARD.inv_cdf(fpr))
