"""Gains tables and Kolmogorov-Smirnov distances beside those of other packages.

``python bench/gains.py [ROWS]`` times what is installed, in turn in one process, and says of each
answer whether it is right, and whether it changes with the order of the rows. The right distance is
the largest over all thresholds. A table is asked for the positives in the first tenth of the rows;
where tied rows are cut by their position, their number is one of several.
"""

import argparse
import statistics
import time
import warnings

import data
import numpy as np

import fastauc

REPEATS = 5
# Distributions without ties, and with many.
NAMES = ("uniform", "rounded3", "leaves200")
CLOSE = 1e-9


def ours_table(y_true, y_score):
    return float(fastauc.metrics.gains_table(y_true, y_score, ties="split")["n_pos"][0])


def kds_table():
    from kds.metrics import decile_table

    def first(y_true, y_score):
        return float(decile_table(y_true, y_score, labels=False, round_decimal=9)["cnt_resp"][0])

    return first


def optbinning_ks():
    from optbinning.metrics import classification

    return lambda y_true, y_score: float(classification.ks(y_true, y_score)[0])


def scipy_ks():
    from scipy import stats

    def distance(y_true, y_score):
        positive = y_true == 1
        pair = y_score[positive], y_score[~positive]
        return float(stats.ks_2samp(*pair, method="asymp").statistic)

    return distance


def sklearn_ks():
    from sklearn import metrics

    def distance(y_true, y_score):
        fpr, tpr, _ = metrics.roc_curve(y_true, y_score)
        return float(np.abs(tpr - fpr).max())

    return distance


CONTESTS = {
    "area, for comparison": {"fastauc.roc_auc_score": lambda: fastauc.roc_auc_score},
    "positives in the first decile": {
        "fastauc.metrics.gains_table": lambda: ours_table,
        "kds.decile_table": kds_table,
    },
    "distance": {
        "fastauc.ks_score": lambda: fastauc.ks_score,
        "scipy ks_2samp": scipy_ks,
        "scikit-learn roc_curve": sklearn_ks,
        "optbinning ks": optbinning_ks,
    },
}


def available(makers):
    found = {}
    for name, make in makers.items():
        try:
            found[name] = make()
        except ImportError as error:
            print(f"  {name}: left out, {error}")
    return found


def milliseconds(functions, sample):
    """Return the median time of each function, called in turn."""
    times = {name: [] for name in functions}
    for _ in range(REPEATS):
        for name, function in functions.items():
            start = time.perf_counter()
            function(*sample)
            times[name].append(1e3 * (time.perf_counter() - start))
    return {name: statistics.median(values) for name, values in times.items()}


def judge(function, sample, right):
    """Say what is wrong with an answer."""
    y_true, y_score = sample
    answers = []
    for order in (np.argsort(y_true, kind="stable"), np.argsort(-y_true, kind="stable")):
        answers.append(function(y_true[order], y_score[order]))
    if abs(answers[0] - answers[1]) > CLOSE:
        return f"depends on the order of the rows: {answers[0]:.9g} or {answers[1]:.9g}"
    return "right" if abs(answers[0] - right) <= CLOSE else f"wrong: {answers[0]:.9g}"


def run(n):
    for name in NAMES:
        sample = data.make(name, n, 0.1, 1)
        print(f"{name}, {n} rows")
        for title, makers in CONTESTS.items():
            functions = available(makers)
            times = milliseconds(functions, sample)
            right = next(iter(functions.values()))(*sample)
            print(f"  {title}: {right:.9g}")
            for rival, function in functions.items():
                found = judge(function, sample, right)
                print(f"    {rival:<24} {times[rival]:9.2f} ms  {found}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("rows", nargs="?", type=int, default=1_000_000)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the rivals
        run(parser.parse_args().rows)
