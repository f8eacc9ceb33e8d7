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

from fastauc._pairs.unweighted import compare_clean, count_pairs
from fastauc._pairs.weighted import ratio_of, weigh_clean, weighted_ratio
from fastauc._tables import result
from fastauc._validation.errors import warn_if_undefined, warn_undefined
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
        return _area_of_pairs(self.concordant, self.tied, self.n_pos * self.n_neg)


def _area_of_pairs(concordant: int, tied: int, pairs: int) -> float:
    if pairs == 0:
        warn_undefined(_ONE_CLASS)
        return math.nan
    # Python divides integers of any size with a single rounding.
    return (2 * concordant + tied) / (2 * pairs)


def check_number_of_pairs(n_pos: int, n_neg: int) -> None:
    """Reject more pairs than a counter can hold."""
    if n_pos * n_neg >= 2**64:
        raise OverflowError(
            f"{n_pos} positives and {n_neg} negatives make 2^64 pairs or more; expected fewer: "
            "count the parts with confusion_matrix_at_thresholds."
        )


def count_concordance(sample: BinarySample, workers: Workers) -> Concordance:
    """Count the concordant and tied pairs of a sample with both classes, ignoring weights."""
    check_number_of_pairs(sample.n_pos, sample.n_neg)
    not_above, tied = count_pairs(sample, workers)
    return Concordance(not_above - tied, tied, sample.n_pos, sample.n_neg)


def count_clean(y_true: object, y_score: object) -> Concordance | None:
    """Count the pairs of a small sample that needs no conversion; None for any other."""
    counts = compare_clean(y_true, y_score)
    if counts is None:
        return None
    not_above, tied, n_pos, n_neg = counts
    return Concordance(not_above - tied, tied, n_pos, n_neg)


def area_of_sample(sample: BinarySample, workers: Workers = SERIAL) -> float:
    """Return the AUC, rounded once; NaN if a class is missing."""
    if sample.n_pos == 0 or sample.n_neg == 0:
        return math.nan
    if sample.weight is None or sample.has_one_weight_per_class:
        return count_concordance(sample, workers).auc
    numerator, denominator = weighted_ratio(sample, workers)
    return numerator / denominator


def exact_area(sample: BinarySample, workers: Workers = SERIAL) -> Fraction:
    """Return the AUC of a sample with both classes, exactly, or from ``weighted_ratio``."""
    if sample.has_one_weight_per_class:
        return count_concordance(sample, workers).fraction
    return Fraction(*weighted_ratio(sample, workers))


def area_of_clean(y_true: object, y_score: object, sample_weight: object) -> float | None:
    """Return the AUC of a small sample that needs no conversion; None for any other."""
    if sample_weight is None:
        counts = compare_clean(y_true, y_score)
        if counts is None:
            return None
        not_above, tied, n_pos, n_neg = counts
        return _area_of_pairs(not_above - tied, tied, n_pos * n_neg)
    sums = weigh_clean(y_true, y_score, sample_weight)
    ratio = None if sums is None else ratio_of(*sums)
    return None if ratio is None else ratio[0] / ratio[1]


def warn_one_class(sample: BinarySample) -> None:
    """Warn that the AUC is undefined, if a class has no rows."""
    if sample.n_labels == 1:
        warn_undefined(_ONE_CLASS)
    else:
        warn_if_undefined(sample.n_pos, sample.n_neg)
