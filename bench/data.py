"""Named distributions of scores, each with labels the scores say something about.

A distribution is a function (rng, n, prevalence) -> (y_true, y_score). The scores are drawn first,
so that their distribution is the named one at any prevalence; then the rows whose signal plus as
much noise is largest become the positives. Both classes are always present.
"""

import math

import numpy as np

SMALLEST = 5e-324  # the smallest positive float64: denormals are its multiples below 2**52


def make(name, n, prevalence, seed):
    """Return (y_true int64, y_score) of the named distribution."""
    return DISTRIBUTIONS[name](np.random.default_rng(seed), n, prevalence)


def weights(n, seed):
    """Return sample weights between 0.5 and 2 that have nothing to do with the scores."""
    return np.random.default_rng([seed, 1]).uniform(0.5, 2.0, n)


def positives(n, prevalence):
    """Return the number of positives: at least one, and at least one negative."""
    return min(max(1, round(prevalence * n)), n - 1)


def labelled(rng, y_score, signal, prevalence):
    """Return (y_true, y_score): the n_pos rows of the largest signal plus noise are positive."""
    n = len(y_score)
    n_pos = positives(n, prevalence)
    noisy = signal + (signal.std() or 1.0) * rng.standard_normal(n)
    y_true = np.zeros(n, dtype=np.int64)
    y_true[np.argpartition(noisy, n - n_pos)[n - n_pos :]] = 1
    return y_true, y_score


def uniform(rng, n, prevalence):
    """Uniform on [0, 1)."""
    score = rng.random(n)
    return labelled(rng, score, score, prevalence)


def sigmoid_normal(rng, n, prevalence):
    """Sigmoid of a standard normal: the probabilities of a logistic regression."""
    logit = rng.standard_normal(n)
    return labelled(rng, 1.0 / (1.0 + np.exp(-logit)), logit, prevalence)


def logits(rng, n, prevalence):
    """Normal with standard deviation 3: scores before the sigmoid."""
    score = 3.0 * rng.standard_normal(n)
    return labelled(rng, score, score, prevalence)


def beta(rng, n, prevalence):
    """Beta(0.5, 20): probabilities of a rare event, crowded near zero."""
    score = rng.beta(0.5, 20.0, n)
    return labelled(rng, score, score, prevalence)


def lognormal(rng, n, prevalence):
    """Log-normal around 0.02: click rates."""
    log = rng.normal(-4.0, 1.0, n)
    return labelled(rng, np.exp(log), log, prevalence)


def rounded3(rng, n, prevalence):
    """Uniform, rounded to 3 decimals."""
    score = np.round(rng.random(n), 3)
    return labelled(rng, score, score, prevalence)


def rounded6(rng, n, prevalence):
    """Uniform, rounded to 6 decimals: a million distinct values, as probabilities are printed."""
    score = np.round(rng.random(n), 6)
    return labelled(rng, score, score, prevalence)


def leaves200(rng, n, prevalence):
    """At most 200 distinct irregular values of unequal frequency: the leaves of a tree."""
    values = np.sort(rng.standard_normal(200))
    score = values[(200 * rng.random(n) ** 2).astype(np.intp)]
    return labelled(rng, score, score, prevalence)


def constant(rng, n, prevalence):
    """The same score in every row: the area is one half."""
    score = np.full(n, 0.5)
    return labelled(rng, score, np.zeros(n), prevalence)


def two_values(rng, n, prevalence):
    """Scores 0.25 and 0.75: a yes-or-no rule."""
    score = np.where(rng.random(n) < 0.3, 0.75, 0.25)
    return labelled(rng, score, score, prevalence)


def ascending(rng, n, prevalence):
    """Uniform scores in ascending order."""
    score = np.sort(rng.random(n))
    return labelled(rng, score, score, prevalence)


def descending(rng, n, prevalence):
    """Uniform scores in descending order."""
    score = np.sort(rng.random(n))[::-1].copy()
    return labelled(rng, score, score, prevalence)


def sawtooth(rng, n, prevalence):
    """About sqrt(n) ascending runs over the whole range, all scores distinct."""
    period = math.isqrt(n)
    tooth, step = np.divmod(np.arange(n), period)
    score = (step + tooth / n) / period
    return labelled(rng, score, score, prevalence)


def organ_pipe(rng, n, prevalence):
    """Ascending to the middle, then back down through the same values."""
    row = np.arange(n)
    score = np.minimum(row, n - 1 - row) / n
    return labelled(rng, score, score, prevalence)


def geometric(rng, n, prevalence):
    """2**-k with k uniform below 1000: one row in a thousand lies above 0.5."""
    k = rng.integers(0, 1000, n)
    return labelled(rng, np.ldexp(1.0, -k), -k, prevalence)


def outlier(rng, n, prevalence):
    """Uniform but for one score of 1e300."""
    score = rng.random(n)
    y_true, score = labelled(rng, score, score, prevalence)
    score[rng.integers(n)] = 1e300
    return y_true, score


def denormals(rng, n, prevalence):
    """Subnormal numbers only: linear maps overflow or flush them to zero."""
    multiple = rng.integers(1, 2**52, n)
    return labelled(rng, multiple * SMALLEST, multiple, prevalence)


def float32(rng, n, prevalence):
    """Uniform in single precision."""
    score = rng.random(n, dtype=np.float32)
    return labelled(rng, score, score, prevalence)


def float16(rng, n, prevalence):
    """Uniform in half precision: about 15,000 distinct values."""
    score = rng.random(n)
    return labelled(rng, score.astype(np.float16), score, prevalence)


def int64(rng, n, prevalence):
    """Integers far beyond 2**53, which no float64 holds exactly."""
    score = rng.integers(-(2**62), 2**62, n)
    return labelled(rng, score, score.astype(np.float64), prevalence)


DISTRIBUTIONS = {
    "uniform": uniform,
    "sigmoid_normal": sigmoid_normal,
    "logits": logits,
    "beta": beta,
    "lognormal": lognormal,
    "rounded3": rounded3,
    "rounded6": rounded6,
    "leaves200": leaves200,
    "constant": constant,
    "two_values": two_values,
    "sorted": ascending,
    "reversed": descending,
    "sawtooth": sawtooth,
    "organ_pipe": organ_pipe,
    "geometric": geometric,
    "outlier": outlier,
    "denormals": denormals,
    "float32": float32,
    "float16": float16,
    "int64": int64,
}
