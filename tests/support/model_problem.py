"""The model problem of the sources: densities 2a of the positives and 2 - 2a of the negatives.

With the threshold t, TPR = 1 - t^2 and FPR = (1 - t)^2, whatever the prior p1. The grid has K cells
with the weight of each class in each cell, in integers, so that the curves meet the closed form at
every border i / K.
"""

import math
from fractions import Fraction as F

import numpy as np

import fastauc

PRIORS = {"1/100": F(1, 100), "1/10": F(1, 10), "1/3": F(1, 3), "1/2": F(1, 2), "2/3": F(2, 3)}


def grid(n_cells, prior=F(1, 2)):
    """Return labels, scores 0 ... n_cells - 1, and integer weights in proportion to the masses."""
    cells = np.arange(n_cells)
    positives = prior.numerator * (2 * cells + 1)
    negatives = (prior.denominator - prior.numerator) * (2 * (n_cells - cells) - 1)
    labels = np.repeat([1, 0], n_cells)
    return labels, np.tile(cells, 2), np.concatenate([positives, negatives])


def count_grid(n_cells, prior=F(1, 2)):
    labels, scores, weights = grid(n_cells, prior)
    return fastauc.confusion_matrix_at_thresholds(labels, scores, sample_weight=weights)


# S3, section 3: positive rate, TPR, FPR, difference, lift, precision.
TENTHS = {
    F(1, 2): [
        (0.1, 0.19, 0.01, 0.18, 1.9, 0.95),
        (0.2, 0.36, 0.04, 0.32, 1.8, 0.9),
        (0.3, 0.51, 0.09, 0.42, 1.7, 0.85),
        (0.4, 0.64, 0.16, 0.48, 1.6, 0.8),
        (0.5, 0.75, 0.25, 0.5, 1.5, 0.75),
        (0.6, 0.84, 0.36, 0.48, 1.4, 0.7),
        (0.7, 0.91, 0.49, 0.42, 1.3, 0.65),
        (0.8, 0.96, 0.64, 0.32, 1.2, 0.6),
        (0.9, 0.99, 0.81, 0.18, 1.1, 0.55),
        (1.0, 1.0, 1.0, 0.0, 1.0, 0.5),
    ],
    F(1, 10): [
        (0.1, 0.4375, 0.0625, 0.375, 4.375, 0.4375),
        (0.2, 0.6283734572, 0.1524029492, 0.4759705080, 3.1418672860, 0.3141867286),
        (0.3, 0.75, 0.25, 0.5, 2.5, 0.25),
        (0.4, 0.8344082443, 0.3517324173, 0.4826758270, 2.0860206108, 0.2086020611),
        (0.5, 0.8946286918, 0.4561523676, 0.4384763242, 1.7892573836, 0.1789257384),
        (0.6, 0.9375, 0.5625, 0.375, 1.5625, 0.15625),
        (0.7, 0.9671409349, 0.6703176739, 0.2968232610, 1.3816299070, 0.1381629907),
        (0.8, 0.9862599917, 0.7793044454, 0.2069555463, 1.2328249896, 0.1232824990),
        (0.9, 0.9967510534, 0.8892498830, 0.1075011704, 1.1075011704, 0.1107501170),
        (1.0, 1.0, 1.0, 0.0, 1.0, 0.1),
    ],
}


def border_of(positive_rate, prior):
    """Return the threshold above which a share of all rows lies."""
    if prior == F(1, 2):
        return 1 - positive_rate
    p1, p0 = float(prior), float(1 - prior)
    root = math.sqrt(p0**2 - (p0 - p1) * (1 - positive_rate))
    return max(0.0, (p0 - root) / (p0 - p1))


# S3-03, printed to 12 decimals.
AREAS_UNDER_PRECISION = {
    F(1, 100): 0.113158750834,
    F(1, 10): 0.444136032180,
    F(1, 3): 0.731162594596,
    F(1, 2): 5 / 6,
    F(2, 3): 0.904369738843,
    F(9, 10): 0.975787498759,
}
