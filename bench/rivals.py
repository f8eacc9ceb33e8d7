"""One adapter per implementation, all of one shape.

An adapter takes the number of threads and returns {metric: function}; it imports its library
itself, so an ImportError means "not installed". The functions take (y_true, y_score), those of a
weighted metric also sample_weight, as numpy arrays. Whatever a rival needs to convert them belongs
to its time: that is what its user pays.
"""

import os

import numpy as np

# Relative. Adding n rounded terms in float64 errs by up to n * 2**-53: 1e-9 at n = 1e7.
TOLERANCE = 1e-9
TOLERANCES = {
    "catboost": 1e-6,  # keeps the weights in float32
    "torchmetrics": 1e-5,  # divides in float32
}
# (rival, distribution): why its answer is wrong. Such rows are reported but are no failure.
KNOWN_DEVIATIONS = {
    ("scipy", "float32"): "ranks are summed in float32",
    ("scipy", "float16"): "ranks are summed in float16, which ends at 65,504",
}


def read(y_true, y_score, sample_weight=None):
    """Read scores and labels once: no call can take less time."""
    np.add.reduce(y_true)
    np.add.reduce(y_score)


def drop_in(library):
    """Return the five metrics of a library that has scikit-learn's names."""

    def weighted(y_true, y_score, sample_weight):
        return library.roc_auc_score(y_true, y_score, sample_weight=sample_weight)

    return {
        "roc_auc_score": library.roc_auc_score,
        "roc_auc_score_weighted": weighted,
        "roc_curve": library.roc_curve,
        "precision_recall_curve": library.precision_recall_curve,
        "average_precision_score": library.average_precision_score,
    }


def fastauc(n_jobs):
    """Not a rival: what all others are compared with (threads: FASTAUC_NUM_THREADS)."""
    import fastauc as library

    return drop_in(library)


def on_threads(metric, n_jobs):
    """Return a function of fastauc that uses so many threads, whatever the setting is."""

    def score(*inputs):
        setting = os.environ["FASTAUC_NUM_THREADS"]
        os.environ["FASTAUC_NUM_THREADS"] = str(n_jobs)
        try:
            return metric(*inputs)
        finally:
            os.environ["FASTAUC_NUM_THREADS"] = setting

    return score


def scikit_learn(n_jobs):
    """Sort an index array, gather, accumulate; always one thread."""
    from sklearn import metrics

    return drop_in(metrics)


def daal4py(n_jobs):
    """Sort pairs in parallel, then mid-ranks row by row (weights: falls back to scikit-learn)."""
    from daal4py import daalinit
    from daal4py.sklearn.metrics import roc_auc_score

    daalinit(n_jobs)
    return {"roc_auc_score": roc_auc_score}


def by_class(y_true, y_score):
    """Return the scores of the negatives and those of the positives."""
    positive = y_true == 1
    return y_score[~positive], y_score[positive]


def numba_argsort(n_jobs):
    """Scan the rows in the order of np.argsort, in numba."""
    import numba

    @numba.njit(nogil=True)
    def twice_concordant(order, y_true, y_score):
        total = negatives_below = 0
        i, n = 0, len(order)
        while i < n:
            score = y_score[order[i]]
            pos = neg = 0
            while i < n and y_score[order[i]] == score:
                pos += y_true[order[i]]
                neg += 1 - y_true[order[i]]
                i += 1
            total += pos * (2 * negatives_below + neg)
            negatives_below += neg
        return total

    def roc_auc_score(y_true, y_score):
        n_pos = np.count_nonzero(y_true)
        total = twice_concordant(np.argsort(y_score), y_true, y_score)
        return total / (2 * n_pos * (len(y_true) - n_pos))

    return {"roc_auc_score": roc_auc_score}


def numba_merge(n_jobs):
    """Sort each class with np.sort, then merge linearly in numba: what an own sort has to beat."""
    import numba

    @numba.njit(nogil=True)
    def twice_concordant(negatives, positives):
        total = below = up_to = 0
        for score in positives:
            while below < len(negatives) and negatives[below] < score:
                below += 1
            up_to = max(up_to, below)
            while up_to < len(negatives) and negatives[up_to] == score:
                up_to += 1
            total += below + up_to
        return total

    def roc_auc_score(y_true, y_score):
        negatives, positives = (np.sort(scores) for scores in by_class(y_true, y_score))
        total = twice_concordant(negatives, positives)
        return total / (2 * len(positives) * len(negatives))

    return {"roc_auc_score": roc_auc_score}


def numpy(n_jobs):
    """Sort each class with np.sort, then np.searchsorted of the positives in the negatives."""

    def roc_auc_score(y_true, y_score):
        negatives, positives = (np.sort(scores) for scores in by_class(y_true, y_score))
        below = np.searchsorted(negatives, positives, "left").sum()
        up_to = np.searchsorted(negatives, positives, "right").sum()
        return int(below + up_to) / (2 * len(positives) * len(negatives))

    return {"roc_auc_score": roc_auc_score}


def catboost(n_jobs):
    """Sort the smaller class, look every other row up in it."""
    from catboost.utils import eval_metric

    def roc_auc_score(y_true, y_score, sample_weight=None):
        return eval_metric(y_true, y_score, "AUC", weight=sample_weight, thread_count=n_jobs)[0]

    return {"roc_auc_score": roc_auc_score, "roc_auc_score_weighted": roc_auc_score}


def polars_ds(n_jobs):
    """Group by score in Polars, sort the distinct scores, accumulate."""
    import polars as pl
    import polars_ds as pds

    def told_by(query):
        def tell(y_true, y_score):
            frame = pl.DataFrame({"label": y_true, "score": y_score})
            return frame.select(query("label", "score")).item()

        return tell

    all_metrics = told_by(pds.query_binary_metrics)
    return {
        "roc_auc_score": told_by(pds.query_roc_auc),
        "average_precision_score": lambda *rows: all_metrics(*rows)["avg_precision"],
    }


def torchmetrics(n_jobs):
    """Sort in torch on the CPU, accumulate, divide in float32."""
    import torch
    from torchmetrics.functional import classification

    torch.set_num_threads(n_jobs)

    def adapted(metric):
        def score(y_true, y_score):
            return metric(torch.from_numpy(y_score), torch.from_numpy(y_true)).item()

        return score

    return {
        "roc_auc_score": adapted(classification.binary_auroc),
        "average_precision_score": adapted(classification.binary_average_precision),
    }


def scors(n_jobs):
    """Argsort and scan in Rust."""
    import scors as library

    def weighted(y_true, y_score, sample_weight):
        return library.roc_auc(y_true, y_score, weights=sample_weight)

    return {
        "roc_auc_score": library.roc_auc,
        "roc_auc_score_weighted": weighted,
        "average_precision_score": library.average_precision,
    }


def scipy(n_jobs):
    """Rank all rows; the Mann-Whitney statistic over the number of pairs (with its p-value)."""
    from scipy.stats import mannwhitneyu

    def roc_auc_score(y_true, y_score):
        negatives, positives = by_class(y_true, y_score)
        test = mannwhitneyu(positives, negatives, method="asymptotic")
        return test.statistic / (len(positives) * len(negatives))

    return {"roc_auc_score": roc_auc_score}


def rapidstats(n_jobs):
    """Sort a Polars frame, fold over it in Rust."""
    from rapidstats import metrics

    return {
        "roc_auc_score": metrics.roc_auc,
        "roc_auc_score_weighted": metrics.roc_auc,
        "average_precision_score": metrics.average_precision,
    }


# name: (adapter, distributions whose versions are recorded)
RIVALS = {
    "scikit-learn": (scikit_learn, ["scikit-learn"]),
    "daal4py": (daal4py, ["scikit-learn-intelex", "daal4py", "daal"]),
    "numba-argsort": (numba_argsort, ["numba"]),
    "numba-merge": (numba_merge, ["numba"]),
    "numpy": (numpy, ["numpy"]),
    "catboost": (catboost, ["catboost"]),
    "polars-ds": (polars_ds, ["polars", "polars_ds"]),
    "torchmetrics": (torchmetrics, ["torch", "torchmetrics"]),
    "scors": (scors, ["scors"]),
    "scipy": (scipy, ["scipy"]),
    "rapidstats": (rapidstats, ["rapidstats", "polars"]),
}
