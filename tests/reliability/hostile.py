"""Orders and values of scores that were made to slow down sorts, each from a number of rows.

As a program, under callgrind: the instructions of calls with them, see ``test_hostile_orders``.
"""

import os
import sys
from pathlib import Path

import numpy as np

if not __package__:  # run as a program, which finds only what lies beside it
    sys.path.insert(0, str(Path(__file__).parents[1]))
from support.distributions import DISTRIBUTIONS, golden_places


def median_of_three_killer(n):
    """Return the permutation of Musser (1997) for which medians of three split off two numbers."""
    half = n // 2
    steps = np.arange(half)
    order = np.empty(n)
    order[:half] = np.where(steps % 2 == 0, steps + 1, half + steps + half % 2)
    order[half : 2 * half] = 2 * (steps + 1)
    order[2 * half :] = n
    return order


def against_the_sample(n):
    """Return what McIlroy's adversary (1999) does to a map made from a sample of the rows.

    The rows that the sample takes say that scores are spread evenly, down to the last of them. All
    other rows lie between two that are taken, and half of these again between two of them.
    """
    scores, taken = np.empty(n), np.unique(golden_places(n, 2048))
    scores[:] = 0.5 + 2.0**-30 * np.arange(n) / n
    scores[1::2] = 0.5 + 2.0**-51 * (np.arange(n // 2) % 1000)
    scores[taken] = np.arange(len(taken)) / len(taken)
    return scores


SHAPES = {
    "random": lambda n: np.random.default_rng(0).random(n),
    "sorted": lambda n: np.arange(n, dtype=float),
    "reversed": lambda n: np.arange(n, 0.0, -1.0),
    "constant": lambda n: np.full(n, 0.25),
    "two values": lambda n: np.random.default_rng(0).integers(0, 2, n).astype(float),
    "organ pipe": lambda n: np.minimum(np.arange(n), np.arange(n, 0, -1)).astype(float),
    "sawtooth": lambda n: np.arange(n) % 1000 + np.arange(n) / (2.0 * n),
    "push front": lambda n: np.append(np.arange(1.0, n), 0.0),
    "median of three": median_of_three_killer,
    "against the sample": against_the_sample,
    "equal leading bits": lambda n: DISTRIBUTIONS["nested"](np.random.default_rng(0), n),
    "each power of two": lambda n: 2.0 ** -(np.arange(n) % 1000),
    "subnormal": lambda n: DISTRIBUTIONS["subnormal"](np.random.default_rng(0), n),
    "signed zeros": lambda n: np.where(np.arange(n) % 2, 0.0, -0.0),
}


def calls_of(n):
    """Return calls of labels and scores that take the routes of kernels."""
    import fastauc

    weight = 0.5 + np.random.default_rng(2).random(n)
    return {
        "roc_auc_score": fastauc.roc_auc_score,
        "weighted": lambda y, s: fastauc.roc_auc_score(y, s, sample_weight=weight),
        "roc_curve": fastauc.roc_curve,
        "average_precision_score": fastauc.average_precision_score,
        "roc_auc_ci": fastauc.inference.roc_auc_ci,
    }


def draw_labels(n, share):
    """Return labels, a share of them positive."""
    return (np.random.default_rng(1).random(n) < share).astype(np.int64)


def main(n, share):
    """Make every call with every shape, between two marks that callgrind sees."""
    labels, calls = draw_labels(n, share), calls_of(n)
    for make in SHAPES.values():
        scores = make(n)
        for call in calls.values():
            call(labels, scores)
            os.getppid()
            call(labels, scores)
            os.getppid()


if __name__ == "__main__":
    main(int(sys.argv[1]), float(sys.argv[2]))
