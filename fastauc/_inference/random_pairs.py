"""Random positive-negative pairs: the AUC is the share of them in the right order."""

from __future__ import annotations

import math
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastauc._counts.proportions import ConfidenceInterval, wilson_bounds
from fastauc._inference.results import NAN_INTERVAL, Estimate
from fastauc._pairs.concordance import warn_one_class
from fastauc._validation.errors import warn_if_undefined
from fastauc._validation.labels import Label, as_labels
from fastauc._validation.options import (
    check_confidence_level,
    check_integer,
    check_pos_label,
    read_rng,
)
from fastauc._validation.samples import read_binary_labels, read_binary_sample
from fastauc._validation.threads import SERIAL

# Pairs that are drawn and compared at once, few enough to stay in cache.
_PAIRS_AT_ONCE = 1 << 16


def sample_pairs(
    y_true: ArrayLike,
    n_pairs: int,
    *,
    pos_label: Label | None = None,
    rng: Any = None,
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the row numbers of random positive-negative pairs.

    Pairs are drawn uniformly and independently, with replacement: for training on pairs, and for
    estimates.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Labels of two classes, or of more if ``pos_label`` is given.
    n_pairs : int
        The number of pairs, 1 or more.
    pos_label : int, float, bool or str, optional
        The label of the positive class; defaults to 1 if the labels are in {0, 1} or {-1, 1}.
    rng : None, int, Generator, BitGenerator or SeedSequence
        Seed or generator for the pairs. The same seed gives the same pairs.

    Returns
    -------
    positives, negatives : intp arrays of shape (n_pairs,)
        The row numbers of pair k are ``positives[k]`` and ``negatives[k]``. Empty, with an
        ``UndefinedMetricWarning``, if only one class is present.

    Raises
    ------
    ValueError
        If there are no rows, or for labels that need ``pos_label``.
    InvalidParameterError
        For an invalid option.

    See Also
    --------
    pairwise_loss : A loss over all pairs, in O(n log n) time.

    Notes
    -----
    O(n + n_pairs) time. Scores are not used, so ties do not matter. Source: D. Bamber, J. Math.
    Psychol. 12 (1975) 387-415, who shows that the AUC is the share of these pairs in the right
    order.

    Examples
    --------
    >>> from fastauc import sample_pairs
    >>> positives, negatives = sample_pairs([0, 1, 0, 0, 1], 3, rng=2)
    >>> positives, negatives
    (array([4, 1, 1]), array([0, 2, 3]))
    """
    function = "sample_pairs"
    check_integer(n_pairs, "n_pairs", 1, function)
    generator = read_rng(rng, function)
    check_pos_label(pos_label, function, optional=True)
    label = read_binary_labels(as_labels(y_true, "y_true", function), pos_label, SERIAL)[0]
    rows_of_pos, rows_of_neg = np.flatnonzero(label), np.flatnonzero(label == 0)
    warn_if_undefined(len(rows_of_pos), len(rows_of_neg))
    if len(rows_of_pos) == 0 or len(rows_of_neg) == 0:
        return rows_of_pos[:0], rows_of_neg[:0]
    drawn = [generator.integers(0, len(rows), n_pairs) for rows in (rows_of_pos, rows_of_neg)]
    return rows_of_pos[drawn[0]], rows_of_neg[drawn[1]]


def roc_auc_monte_carlo(
    y_true: ArrayLike,
    y_score: ArrayLike,
    n_pairs: int = 1_000_000,
    *,
    confidence_level: float = 0.95,
    pos_label: Label | None = None,
    rng: Any = None,
) -> Estimate:
    """Estimate the AUC of a sample from random positive-negative pairs.

    It illustrates what the AUC means: the probability that a random positive scores above a random
    negative, where equal scores count one half. ``roc_auc_score`` is exact, and faster.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Labels of two classes, or of more if ``pos_label`` is given.
    y_score : array-like of shape (n_samples,)
        Finite scores of any numeric dtype. A tied pair counts one half.
    n_pairs : int
        The number of pairs, drawn independently; 1 or more.
    confidence_level : float in (0, 1)
        The share of seeds for which the interval covers the AUC of the sample.
    pos_label : int, float, bool or str, optional
        The label of the positive class; defaults to 1 if the labels are in {0, 1} or {-1, 1}.
    rng : None, int, Generator, BitGenerator or SeedSequence
        Seed or generator for the pairs. The same seed gives the same result.

    Returns
    -------
    Estimate
        ``statistic`` is the share of the pairs in the right order, and ``standard_error`` its
        standard deviation over seeds. The interval is Wilson's, with the number of untied pairs
        that would have the same variance. NaN, with an ``UndefinedMetricWarning``, if only one
        class is present.

    Raises
    ------
    ValueError
        For NaN or infinite scores; unequal lengths; no rows; labels that need ``pos_label``.
    InvalidParameterError
        For an invalid option.

    See Also
    --------
    roc_auc_score : The AUC of the sample, exactly.
    roc_auc_ci : A confidence interval for the AUC of the population.

    Notes
    -----
    O(n + n_pairs) time. The error is that of the sampling of pairs alone: four times as many pairs
    halve it. Source: D. Bamber, "The area above the ordinal dominance graph and the area below the
    receiver operating characteristic graph", J. Math. Psychol. 12 (1975) 387-415.

    Examples
    --------
    >>> from fastauc import roc_auc_monte_carlo
    >>> found = roc_auc_monte_carlo([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], 10_000, rng=0)
    >>> round(found.statistic, 2), round(found.standard_error, 4)
    (0.75, 0.0043)
    """
    function = "roc_auc_monte_carlo"
    check_integer(n_pairs, "n_pairs", 1, function)
    check_confidence_level(confidence_level, function)
    generator = read_rng(rng, function)
    sample = read_binary_sample(y_true, y_score, None, pos_label, function)
    if sample.n_pos == 0 or sample.n_neg == 0:
        warn_one_class(sample)
        return Estimate(math.nan, math.nan, NAN_INTERVAL, float(confidence_level), "pairs")
    is_positive = sample.label.view(np.bool_)
    pos, neg = sample.score[is_positive], sample.score[~is_positive]
    higher = tied = 0
    for start in range(0, n_pairs, _PAIRS_AT_ONCE):
        n_drawn = min(_PAIRS_AT_ONCE, n_pairs - start)
        first, second = (
            scores[generator.integers(0, len(scores), n_drawn)] for scores in (pos, neg)
        )
        higher += int(np.count_nonzero(first > second))
        tied += int(np.count_nonzero(first == second))
    mean = (2 * higher + tied) / (2 * n_pairs)
    variance = (4 * higher + tied) / (4 * n_pairs) - mean * mean
    spread = mean * (1 - mean)
    z = NormalDist().inv_cdf((1 + confidence_level) / 2)
    # If all sampled pairs agree, they do not show how much pairs vary.
    inverse_size = (variance / spread if variance > 0 else 1) / n_pairs
    low, high = wilson_bounds(mean, inverse_size, z)
    interval = ConfidenceInterval(float(low), float(high))
    return Estimate(
        mean, math.sqrt(max(variance, 0) / n_pairs), interval, float(confidence_level), "pairs"
    )
