"""Scores that are hard to put in order by a map made from a sample of them, and usual ones beside.

From a generator and a number of rows; ``make`` gives those of the benchmark, with labels.
"""

import functools
import importlib.util
from pathlib import Path

import numpy as np

from support.flushing import SUBNORMAL

_LARGEST, _SMALLEST = float(np.finfo(float).max), 5e-324
_BENCH = Path(__file__).resolve().parents[2] / "bench"


@functools.cache
def _benchmark():
    spec = importlib.util.spec_from_file_location("data", _BENCH / "data.py")
    data = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(data)
    return data


def make(name, n, prevalence, seed=1):
    """Return labels and scores of a distribution of ``bench/data.py``."""
    return _benchmark().make(name, n, prevalence, seed)


def golden_places(n, n_drawn):
    """Return the rows that a sample takes: fractions of multiples of the golden ratio, times n."""
    place = np.arange(n_drawn, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    return (((place >> np.uint64(32)) * np.uint64(n)) >> np.uint64(32)).astype(np.intp)


def sigmoid(logit):
    return 1 / (1 + np.exp(-logit))


def sorted_runs(rng, n):
    return np.concatenate([np.sort(run) for run in np.array_split(rng.random(n), min(1000, n))])


def clusters(rng, n, n_clusters, width):
    return rng.random(n_clusters)[rng.integers(n_clusters, size=n)] + width * rng.random(n)


def bursts(rng, n):
    start = rng.integers(0, 10**15, max(2, n // 300))
    return rng.choice(start, n) + rng.integers(0, 10**5, n)


def timestamps(rng, n):
    day, second = rng.integers(0, 365, n), rng.normal(13.0, 2.0, n) * 3600
    return (1_700_000_000 + day * 86_400) * 10**9 + (second * 1e9).astype(np.int64)


def six_digits(rng, n):
    counter = np.exp(rng.normal(10, 4, n))
    unit = 10.0 ** (np.floor(np.log10(counter)) - 5)
    return np.rint(counter / unit) * unit


def isotonic(rng, n):
    plateau = rng.choice(rng.random(300), n, p=rng.dirichlet(np.full(300, 0.3)))
    return np.where(rng.random(n) < 0.2, rng.random(n), plateau)


def nested(rng, n):
    level = rng.integers(1, 8, n)
    start = np.cumsum([0.0, *(2.0 ** -(k**2) for k in range(1, 7))])
    return start[level - 1] + 2.0 ** -(level.astype(float) ** 2) * rng.random(n)


def unsampled_clusters(rng, n):
    """Return clusters, but uniform scores wherever a sample of one row in sixteen looks."""
    score, looked_at = clusters(rng, n, 8, 1e-12), golden_places(n, 1 + n // 16)
    score[looked_at] = rng.random(len(looked_at))
    return score


DISTRIBUTIONS = {
    "uniform": lambda rng, n: rng.random(n),
    "sigmoid of normal": lambda rng, n: sigmoid(rng.standard_normal(n)),
    "three decimals": lambda rng, n: np.round(rng.random(n), 3),
    "cauchy": lambda rng, n: rng.standard_cauchy(n),
    "40 clusters": lambda rng, n: clusters(rng, n, 40, 1e-9),
    "crowded at one": lambda rng, n: -np.expm1(-rng.gamma(2.0, size=n)),
    "90 % zeros": lambda rng, n: np.where(rng.random(n) < 0.9, 0.0, rng.random(n)),
    "zipf": lambda rng, n: rng.zipf(1.3, n).astype(float),
    "magnitudes": lambda rng, n: 10.0 ** rng.uniform(-300, 300, n),
    "sorted runs": sorted_runs,
    "bursts": bursts,
    "timestamps": timestamps,
    "six digits": six_digits,
    "isotonic": isotonic,
    "half a lattice": lambda rng, n: np.where(
        rng.random(n) < 0.5, rng.integers(0, 4097, n) / 4096, rng.random(n)
    ),
    "one far above": lambda rng, n: np.append(1e308, rng.standard_normal(n - 1)),
    "nested": nested,
    "saturated": lambda rng, n: sigmoid((12 * rng.standard_normal(n)).astype("f4")).astype(float),
    "rounded logits": lambda rng, n: np.log(
        (chance := np.clip(np.round(sigmoid(2 * rng.standard_normal(n)), 4), 0.0001, 0.9999))
        / (1 - chance)
    ),
    "subnormal": lambda rng, n: rng.integers(1, 2**52, n) * 5e-324,
    "two far clusters": lambda rng, n: np.where(
        np.arange(n) % 2, 1e12 * (1 + rng.random(n)), 1 + 2.0**-52 * rng.integers(0, 1000, n)
    ),
    "unsampled clusters": unsampled_clusters,
    "bell of integers": lambda rng, n: np.rint(1e5 * rng.standard_normal(n)).astype(np.int64),
    "neighbors of one value": lambda rng, n: np.select(
        [rng.random(n) < 0.9, rng.random(n) < 0.5],
        [0.75, 0.75 + 2.0**-53 * rng.choice([-1, 1], n)],
        rng.random(n),
    ),
}

# Scores of which few, or a sample of others, say nothing about where the rest is.
MISLEADING = {
    "one bucket": lambda rng, n: np.append(rng.random(n - 1), 1e4),
    "one offset": lambda rng, n: np.append(rng.random(n - 1), 1e300),
    "tiny beside large": lambda rng, n: np.append(1e-300 * rng.random(n - 1), 1e10),
    "neighbors": lambda rng, n: np.append(1 + rng.permutation(n - 1) * 2.0**-52, 1e6),
    "tied neighbors": lambda rng, n: np.append(1 + rng.integers(0, 9, n - 1) * 2.0**-52, 1e6),
    "huge tie": lambda rng, n: np.append(np.maximum(0.5, rng.random(n - 1)), 1e5),
    "powers": lambda rng, n: np.ldexp(1 + rng.random(n), -rng.integers(0, 30, n)),
    "both ends": lambda rng, n: (
        rng.choice([-_LARGEST, _LARGEST], n) * (1 - 2.0**-53 * rng.integers(0, 50, n))
    ),
    "close subnormal": lambda rng, n: rng.integers(0, 70, n) * _SMALLEST,
    "zeros": lambda rng, n: rng.choice([-0.0, 0.0], n),
    "two values": lambda rng, n: rng.choice([-1e300, 1e-300], n),
    "singles": lambda rng, n: np.append(rng.random(n - 1), 1e30).astype(np.float32),
    "tied singles": lambda rng, n: np.append(rng.integers(0, 9, n - 1), 1e30).astype(np.float32),
    "integers": lambda rng, n: np.append(rng.integers(0, 2 * n, n - 1), 2**62),
    "integers of one double": lambda rng, n: 2**62 + rng.integers(-100, 100, n),
    "ends of integers": lambda rng, n: (
        rng.choice([-(2**63), 2**63 - 10], n) + rng.integers(0, 9, n)
    ),
    "both zeros and their neighbors": lambda rng, n: rng.choice(
        [-0.0, 0.0, -_SMALLEST, _SMALLEST], n
    ),
    "single zeros": lambda rng, n: rng.choice([-0.0, 0.0, 1.0], n).astype(np.float32),
    "pairs of neighbors": lambda rng, n: (
        rng.permutation(n) // 2 + 2.0**-40 * rng.integers(0, 2, n) + 1000
    ),
}

# Scores of one sign and of both, with ties and without.
SIGNED = {
    "both signs": lambda rng, n: rng.standard_normal(n),
    "all negative": lambda rng, n: -1 - rng.random(n),
    "none negative": lambda rng, n: rng.random(n),
    "negative but one": lambda rng, n: np.append(-rng.random(n - 1), 3.0),
    "one negative": lambda rng, n: np.append(rng.random(n - 1), -3.0),
    "from 0 up": lambda rng, n: np.rint(4096 * rng.random(n)) / 4096,
    "tied": lambda rng, n: rng.integers(-20, 20, n) / 4,
    "zeros of both signs": lambda rng, n: rng.choice([-1.0, -0.0, 0.0, 1.0], n),
    "negative or 0": lambda rng, n: rng.choice([-1.0, -0.0], n),
    "magnitudes": lambda rng, n: rng.choice([-1, 1], n) * 10.0 ** rng.uniform(-37, 18, n),
    "constant": lambda rng, n: np.full(n, -3.0),
    "sorted": lambda rng, n: np.sort(rng.standard_normal(n)),
    "reversed": lambda rng, n: np.sort(rng.standard_normal(n))[::-1].copy(),
} | SUBNORMAL
