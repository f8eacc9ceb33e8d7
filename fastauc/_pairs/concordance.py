"""The AUC of a sample, from its concordant and tied pairs.

The AUC is the share of positive-negative pairs in which the positive has the higher score, where a
tied pair counts one half [1]_. Pairs are counted in integers and divided once, so the unweighted
AUC is the double nearest to the true rational number for any order of the rows.

References
----------
.. [1] D. Bamber, "The area above the ordinal dominance graph and the area below the receiver
   operating characteristic graph", J. Math. Psychol. 12 (1975) 387-415, eq. 6.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import NamedTuple

from fastauc._kernels.small_sample import compare_clean, weigh_clean
from fastauc._pairs.unweighted import count_pairs
from fastauc._pairs.weighted import ratio_of, weighted_ratio
from fastauc._tables import result
from fastauc._validation.errors import warn_if_undefined, warn_undefined
from fastauc._validation.rows import Rows
from fastauc._validation.samples import BinarySample
from fastauc._validation.threads import SERIAL, Workers

_ONE_CLASS = "Only one class is present in y_true. ROC AUC score is not defined in that case."


@result("fastauc.metrics")
class Concordance(NamedTuple):
    """The number of concordant and tied pairs: the AUC as an exact fraction.

    Attributes
    ----------
    concordant : int
        The number of pairs in which the positive has the higher score.
    tied : int
        The number of pairs with equal scores.
    n_pos, n_neg : int
        The number of rows in each class.

    Examples
    --------
    >>> from fastauc import Concordance
    >>> folds = [Concordance(3, 1, 2, 2), Concordance(2, 0, 1, 3)]
    >>> sum(fold.fraction for fold in folds) / 2
    Fraction(37, 48)
    """

    concordant: int
    tied: int
    n_pos: int
    n_neg: int

    @property
    def discordant(self) -> int:
        """The number of pairs in which the negative has the higher score."""
        return self.n_pos * self.n_neg - self.concordant - self.tied

    @property
    def fraction(self) -> Fraction:
        """The exact AUC; ZeroDivisionError if only one class is present."""
        return Fraction(2 * self.concordant + self.tied, 2 * self.n_pos * self.n_neg)

    @property
    def auc(self) -> float:
        """The double nearest to the AUC; NaN, with a warning, if only one class is present."""
        pairs = self.n_pos * self.n_neg
        if pairs == 0:
            warn_undefined(_ONE_CLASS)
            return math.nan
        # Python divides integers of any size with a single rounding.
        return (2 * self.concordant + self.tied) / (2 * pairs)


def check_number_of_pairs(n_pos: int, n_neg: int) -> None:
    """Reject more pairs than a counter can hold."""
    if n_pos * n_neg >= 2**64:
        raise OverflowError(
            f"{n_pos} positives and {n_neg} negatives make 2^64 pairs or more; expected fewer: "
            "count the parts with confusion_matrix_at_thresholds."
        )


def count_concordance(sample: BinarySample, workers: Workers) -> Concordance:
    """Count the concordant and tied pairs of a sample, ignoring weights."""
    n_pos, n_neg = sample.n_pos, sample.n_neg
    if n_pos == 0 or n_neg == 0:
        return Concordance(0, 0, n_pos, n_neg)
    check_number_of_pairs(n_pos, n_neg)
    not_above, tied = count_pairs(sample, workers)
    return Concordance(not_above - tied, tied, n_pos, n_neg)


def ratio_of_sample(sample: BinarySample, workers: Workers = SERIAL) -> tuple[int, int]:
    """Return the AUC as a ratio that is not in lowest terms; 0 and 0 if a class is missing."""
    if sample.n_pos and sample.n_neg and not sample.has_one_weight_per_class:
        return weighted_ratio(sample, workers)
    found = count_concordance(sample, workers)
    return 2 * found.concordant + found.tied, 2 * found.n_pos * found.n_neg


def area_of_sample(sample: BinarySample, workers: Workers = SERIAL) -> float:
    """Return the AUC, rounded once; NaN if a class is missing."""
    numerator, denominator = ratio_of_sample(sample, workers)
    return numerator / denominator if denominator else math.nan


def exact_area(sample: BinarySample, workers: Workers = SERIAL) -> Fraction:
    """Return the AUC of a sample with both classes: exact, or that of ``weighted_ratio``."""
    return Fraction(*ratio_of_sample(sample, workers))


# Rows as they are given -------------------------------------------------------------------------


def count_rows(rows: Rows) -> Concordance:
    """Count the concordant and tied pairs of rows, ignoring weights."""
    counts = rows.in_one_step(compare_clean)
    if counts is not None:
        not_above, tied, n_pos, n_neg = counts
        return Concordance(not_above - tied, tied, n_pos, n_neg)
    with Workers(rows.n_jobs) as workers:
        return count_concordance(rows.sample(workers), workers)


def ratio_of_rows(rows: Rows) -> tuple[int, int]:
    """Return the AUC like ``ratio_of_sample``, with a warning if a class is missing."""
    ratio = ratio_of_few(rows)
    if ratio is not None:
        return ratio
    with Workers(rows.n_jobs) as workers:
        sample = rows.sample(workers)
        warn_one_class(sample)
        return ratio_of_sample(sample, workers)


def ratio_of_few(rows: Rows) -> tuple[int, int] | None:
    """Return the AUC of few clean rows in one step, like ``ratio_of_sample``; or None."""
    if rows.sample_weight is None:
        counts = rows.in_one_step(compare_clean)
        if counts is None:
            return None
        not_above, tied, n_pos, n_neg = counts
        return 2 * not_above - tied, 2 * n_pos * n_neg
    sums = rows.in_one_step(weigh_clean)
    return None if sums is None else ratio_of(*sums)


def warn_one_class(sample: BinarySample) -> None:
    """Warn that the AUC is undefined, if a class has no rows."""
    if sample.n_labels == 1:
        warn_undefined(_ONE_CLASS)
    else:
        warn_if_undefined(sample.n_pos, sample.n_neg)
