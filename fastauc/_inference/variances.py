"""The variance of the area of one score, unweighted and of independent rows.

With T as twice the number of concordant pairs plus the tied ones, and the places of ``placements``,
the variances are fractions of integers: nothing is subtracted after it was rounded.

References
----------
.. [1] E. R. DeLong, D. M. DeLong and D. L. Clarke-Pearson, "Comparing the areas under two or more
   correlated receiver operating characteristic curves", Biometrics 44 (1988) 837-845.
.. [2] D. Bamber, "The area above the ordinal dominance graph and the area below the receiver
   operating characteristic graph", J. Math. Psychol. 12 (1975) 387-415.
.. [3] J. A. Hanley and B. J. McNeil, "The meaning and use of the area under a receiver operating
   characteristic (ROC) curve", Radiology 143 (1982) 29-36.
.. [4] R. G. Newcombe, "Confidence intervals for an effect size measure based on the Mann-Whitney
   statistic. Part 2", Statist. Med. 25 (2006) 559-573.
"""

from fractions import Fraction
from typing import Any

from fastauc._inference.placements import PlacementSums


def variance_of_spreads(spread_pos: Any, spread_neg: Any, n_pos: Any, n_neg: Any) -> Any:
    """Return the variance of DeLong [1]_: that of the mean placement of each class, added up.

    The spread of m places is m times the sum of their squares, less the square of their sum: m^2
    (m - 1) times the variance of their mean. Places are 2 n times a share. Of fractions, or arrays.
    """
    return (spread_pos / (n_pos - 1) + spread_neg / (n_neg - 1)) / (2 * n_pos * n_neg) ** 2


def delong_variance(sums: PlacementSums) -> Fraction:
    """Return the variance of DeLong [1]_, exactly."""
    n_pos, n_neg, twice, _, squares_pos, squares_neg = sums
    spreads = Fraction(n_pos * squares_pos - twice**2), Fraction(n_neg * squares_neg - twice**2)
    variance: Fraction = variance_of_spreads(*spreads, n_pos, n_neg)
    return variance


def unbiased_variance(sums: PlacementSums) -> Fraction:
    """Return the estimate whose mean is the variance, after Bamber [2]_; it can be negative.

    It is the square of the area less the mean product of two pairs that share no row, which has the
    square of the true area as its mean.
    """
    n_pos, n_neg, twice, tied, squares_pos, squares_neg = sums
    # Four times the square of what a pair counts: 4 if concordant, 1 if tied.
    squares = 2 * twice - tied
    apart = twice**2 - squares_pos - squares_neg + squares
    return Fraction(twice**2, 4 * (n_pos * n_neg) ** 2) - Fraction(
        apart, 4 * n_pos * (n_pos - 1) * n_neg * (n_neg - 1)
    )


def hanley_mcneil_variance(area: Fraction, n_pos: int, n_neg: int) -> Fraction:
    """Return the variance of Hanley and McNeil [3]_, from the area and the class sizes alone."""
    two_positives = area / (2 - area)
    two_negatives = 2 * area**2 / (1 + area)
    return (
        area * (1 - area)
        + (n_pos - 1) * (two_positives - area**2)
        + (n_neg - 1) * (two_negatives - area**2)
    ) / (n_pos * n_neg)


def newcombe_variance(area: float, n_pos: float, n_neg: float) -> float:
    """Return the variance that Newcombe's methods 4 and 5 [4]_ have at a supposed area.

    That of Hanley and McNeil with the mean class size for both sizes within the brackets.
    """
    others = (n_pos + n_neg) / 2 - 1
    share = (1 - area) / (2 - area) + area / (1 + area)
    return area * (1 - area) * (1 + others * share) / (n_pos * n_neg)


def newcombe_bounds(area: float, n_pos: float, n_neg: float, z: float) -> tuple[float, float]:
    """Return the interval of Newcombe's method 5 [4]_.

    It holds the areas that are no more than z of their own standard deviations away.
    """

    def bound(end: float) -> float:
        inside, outside = area, end
        while True:
            middle = (inside + outside) / 2
            if middle in (inside, outside):
                return inside
            if (area - middle) ** 2 <= z * z * newcombe_variance(middle, n_pos, n_neg):
                inside = middle
            else:
                outside = middle

    return bound(0.0), bound(1.0)
