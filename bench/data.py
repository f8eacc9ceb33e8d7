"""Named distributions of scores, each with labels the scores say something about.

A distribution is a function (rng, n, prevalence) -> (y_true, y_score). The scores are drawn first,
so that their distribution is the named one at any prevalence; then the rows whose signal plus as
much noise is largest become the positives. Both classes are always present.
"""

import inspect
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


# Where a map made from a sample of the rows spreads them badly, or has too many ties to tell --


def cauchy(rng, n, prevalence):
    """Cauchy: most scores within a few units, some beyond a million."""
    score = rng.standard_cauchy(n)
    return labelled(rng, score, np.arctan(score), prevalence)


def clusters40(rng, n, prevalence):
    """Forty clusters, each 1e-9 wide, somewhere in [0, 1)."""
    score = rng.random(40)[rng.integers(40, size=n)] + 1e-9 * rng.random(n)
    return labelled(rng, score, score, prevalence)


def crowded_at_one(rng, n, prevalence):
    """1 - exp(-g), with g of a gamma distribution of shape 2: confident probabilities."""
    score = -np.expm1(-rng.gamma(2.0, size=n))
    return labelled(rng, score, score, prevalence)


def zeros90(rng, n, prevalence):
    """Zero in nine rows of ten, uniform in the others: amounts."""
    score = np.where(rng.random(n) < 0.9, 0.0, rng.random(n))
    return labelled(rng, score, score, prevalence)


def zipf(rng, n, prevalence):
    """Whole numbers of Zipf's law with exponent 1.3: counts with a heavy tail."""
    score = rng.zipf(1.3, n).astype(np.float64)
    return labelled(rng, score, np.log(score), prevalence)


def magnitudes(rng, n, prevalence):
    """As many scores in each power of ten from 1e-300 to 1e300."""
    exponent = rng.uniform(-300.0, 300.0, n)
    return labelled(rng, 10.0**exponent, exponent, prevalence)


def runs1000(rng, n, prevalence):
    """A thousand ascending runs of uniform scores: sorted files one behind the other."""
    score = rng.random(n)
    for run in np.array_split(score, min(1000, n)):
        run.sort()
    return labelled(rng, score, score, prevalence)


def bursts(rng, n, prevalence):
    """Integers in bursts: some three hundred within 100,000, then none for 1e11 or so."""
    n_bursts = max(2, n // 300)
    start = np.sort(rng.integers(0, 10**15, n_bursts))
    burst = rng.integers(n_bursts, size=n)
    return labelled(rng, start[burst] + rng.integers(0, 10**5, n), burst, prevalence)


def timestamps(rng, n, prevalence):
    """Nanoseconds since 1970 in a year of office hours, as integers."""
    day, second = rng.integers(0, 365, n), rng.normal(13.0, 2.0, n) * 3600
    score = 1_700_000_000 * 10**9 + day * 86_400 * 10**9 + (second * 1e9).astype(np.int64)
    return labelled(rng, score, day, prevalence)


def timestamps_as_floats(rng, n, prevalence):
    """The same as doubles, of which one stands for 256 nanoseconds."""
    y_true, score = timestamps(rng, n, prevalence)
    return y_true, score.astype(np.float64)


def counters6(rng, n, prevalence):
    """Log-normal over many magnitudes, printed with 6 significant digits."""
    log = rng.normal(10.0, 4.0, n)
    unit = 10.0 ** (np.floor(log / math.log(10.0)) - 5)
    return labelled(rng, np.rint(np.exp(log) / unit) * unit, log, prevalence)


def isotonic(rng, n, prevalence):
    """300 plateaus of very unequal mass, and every fifth row beside them: isotonic calibration."""
    plateau = rng.choice(np.sort(rng.random(300)), n, p=rng.dirichlet(np.full(300, 0.3)))
    score = np.where(rng.random(n) < 0.2, rng.random(n), plateau)
    return labelled(rng, score, score, prevalence)


def half_lattice(rng, n, prevalence):
    """Uniform; every second row is rounded to a multiple of 1/4096."""
    score = rng.random(n)
    score = np.where(rng.random(n) < 0.5, np.rint(4096 * score) / 4096, score)
    return labelled(rng, score, score, prevalence)


def normal_outlier(rng, n, prevalence):
    """Standard normal but for one score of 1e308."""
    score = rng.standard_normal(n)
    y_true, score = labelled(rng, score, score, prevalence)
    score[rng.integers(n)] = 1e308
    return y_true, score


def nested(rng, n, prevalence):
    """Clusters in clusters: level k has a seventh of the rows, in an interval 2**-k**2 wide."""
    level = rng.integers(1, 8, n)
    start = np.cumsum([0.0, *(2.0 ** -(k**2) for k in range(1, 7))])
    score = start[level - 1] + 2.0 ** -(level.astype(np.float64) ** 2) * rng.random(n)
    return labelled(rng, score, level, prevalence)


def saturated(rng, n, prevalence):
    """A sigmoid in single precision that mostly ends near 0 or at 1, widened to doubles."""
    logit = (12 * rng.standard_normal(n)).astype(np.float32)
    score = 1 / (1 + np.exp(-logit))
    return labelled(rng, score.astype(np.float64), logit, prevalence)


def rounded_logits(rng, n, prevalence):
    """Log-odds of probabilities with 4 decimals: 9,999 values, close in the middle."""
    chance = 1 / (1 + np.exp(-2 * rng.standard_normal(n)))
    chance = np.clip(np.round(chance, 4), 0.0001, 0.9999)
    logit = np.log(chance / (1 - chance))
    return labelled(rng, logit, logit, prevalence)


def two_far_clusters(rng, n, prevalence):
    """Row by row in turn: within 1,000 units in the last place of 1, and around 1e12."""
    close = 1 + 2.0**-52 * rng.integers(0, 1000, n)
    score = np.where(np.arange(n) % 2 == 0, close, 1e12 * (1 + rng.random(n)))
    return labelled(rng, score, rng.random(n) + (score > 2), prevalence)


def unsampled_clusters(rng, n, prevalence):
    """Eight clusters 1e-12 wide; uniform only where a sample at golden-ratio places looks."""
    score = rng.random(8)[rng.integers(8, size=n)] + 1e-12 * rng.random(n)
    looked_at = golden_places(n, 1 + n // 16)
    score[looked_at] = rng.random(len(looked_at))
    return labelled(rng, score, score, prevalence)


def golden_places(n, n_drawn):
    """Return the rows that a sample takes: fractions of multiples of the golden ratio, times n."""
    place = np.arange(n_drawn, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    return (((place >> np.uint64(32)) * np.uint64(n)) >> np.uint64(32)).astype(np.intp)


def bell_integers(rng, n, prevalence):
    """Integers around 0, most of them several times, the far ones once."""
    score = np.rint(1e5 * rng.standard_normal(n)).astype(np.int64)
    return labelled(rng, score, score, prevalence)


def ulp_neighbors(rng, n, prevalence):
    """0.75 in nine rows of ten, a double next to it in half the others, uniform in the rest."""
    beside = 0.75 + 2.0**-53 * rng.choice([-1, 1], n)
    score = np.select([rng.random(n) < 0.9, rng.random(n) < 0.5], [0.75, beside], rng.random(n))
    return labelled(rng, score, score, prevalence)


# Devised to break maps that are made from a sample of the rows ------------------------------------


def platt(rng, n, prevalence):
    """A steep calibration of margins that have 12 bits: half of the rows next to 0 or 1."""
    margin = np.rint(1024 * rng.standard_normal(n)) / 1024
    return labelled(rng, 1 / (1 + np.exp(-20 * margin)), margin, prevalence)


def dequantised(rng, n, prevalence):
    """A byte times a scale; in every tenth row the rest that rounding took away stays."""
    score = 6 * rng.standard_normal(n)
    level = np.clip(np.rint(10 * score), -128, 127) / 10
    return labelled(rng, np.where(rng.random(n) < 0.1, score, level), score, prevalence)


def ticks(rng, n, prevalence):
    """Seconds of a clock of 100 ns in a hundred busy minutes of ten years."""
    start = rng.integers(0, 315_360_000, 100)[rng.integers(100, size=n)]
    tick = (start + 60 * rng.random(n) ** 3) * 10**7
    return labelled(rng, np.rint(tick) / 10**7, start, prevalence)


def wrapped_counters(rng, n, prevalence):
    """Counters of 32 bits that start anew, most of them low, beside some of 64 bits."""
    low = rng.geometric(1e-4, n) % 2**32
    score = np.where(rng.random(n) < 0.02, rng.integers(0, 2**62, n), low)
    return labelled(rng, score, np.log1p(score), prevalence)


def money(rng, n, prevalence):
    """Log-normal amounts, of which two in three end in .99 and one in ten is 9.99."""
    log = rng.normal(3.0, 1.5, n)
    cents = np.rint(100 * np.exp(log))
    cents = np.where(rng.random(n) < 2 / 3, np.ceil(cents / 100) * 100 - 1, cents)
    return labelled(rng, np.where(rng.random(n) < 0.1, 999, cents) / 100, log, prevalence)


def hashes(rng, n, prevalence):
    """Hashes of 64 bits; the upper half of every second one is that of its shard, one of nine."""
    score = rng.integers(-(2**63), 2**63 - 1, n)
    shard = rng.integers(-(2**31), 2**31, 9)[rng.integers(9, size=n)] << 32
    score = np.where(rng.random(n) < 0.5, shard | (score & 0xFFFFFFFF), score)
    return labelled(rng, score, score.astype(np.float64), prevalence)


def ensemble(rng, n, prevalence):
    """Means of 500 votes, each with the rounding of a sum in another order."""
    share = rng.binomial(500, rng.beta(0.3, 2.0, n)) / 500
    score = share * (1 + 2.0**-52 * rng.integers(-8, 9, n))
    return labelled(rng, score, share, prevalence)


def cloglog(rng, n, prevalence):
    """1 - exp(-exp(x)), which is 1 for one row in five and close to 0 for one in three."""
    link = 4 * rng.standard_normal(n)
    return labelled(rng, 1 - np.exp(-np.exp(link)), link, prevalence)


def softmax(rng, n, prevalence):
    """The share of one of ten classes, mostly 1 but for its last digits, or tiny."""
    logit = 15 * rng.standard_normal((n, 10))
    share = np.exp(logit - logit.max(axis=1, keepdims=True))
    score = share[:, 0] / share.sum(axis=1)
    return labelled(rng, score, logit[:, 0], prevalence)


def beside_the_sample(rng, n, prevalence):
    """Uniform where a sample looks; all others within 1e-9 of two of those scores."""
    looked_at = golden_places(n, 1 + n // 16)
    score = rng.random(n)
    beside = score[looked_at[rng.integers(min(2, len(looked_at)), size=n)]] + 1e-9 * rng.random(n)
    beside[looked_at] = score[looked_at]
    return labelled(rng, beside, score, prevalence)


# Every function above that takes just these; two have names of Python's own.
NAMES = {"ascending": "sorted", "descending": "reversed"}
DISTRIBUTIONS = {
    NAMES.get(name, name): function
    for name, function in list(vars().items())
    if inspect.isfunction(function)
    and list(inspect.signature(function).parameters) == ["rng", "n", "prevalence"]
}
