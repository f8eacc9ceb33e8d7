"""The public functions and classes by name, and a small call of each.

The names are those of ``__all__`` of the packages they stand in; the arrays of a call are laid out
as a test likes.
"""

import inspect
import warnings
from typing import NamedTuple

import numpy as np

import fastauc

# Without what needs other libraries.
PACKAGES = ("metrics", "learning", "inference", "streaming", "groups", "reports")
HOMES = [fastauc, *(getattr(fastauc, package) for package in PACKAGES)]
PUBLIC = {name: getattr(home, name) for home in HOMES for name in home.__all__}


class Rows(NamedTuple):
    """Columns of the same rows; weights and groups are used where a function takes them."""

    label: np.ndarray
    score: np.ndarray
    other: np.ndarray
    weight: np.ndarray
    group: np.ndarray


def draw_rows(n, dtype=np.float64, seed=0):
    """Return rows with ties; of two or more, both classes and both groups have some."""
    rng = np.random.default_rng([seed, n])
    label = (np.arange(n) % 3 == 1).astype(np.int64)
    scores = [rng.integers(0, 2 if dtype == np.bool_ else max(2, n // 2), n) for _ in range(2)]
    if np.dtype(dtype).kind == "f":
        scores = [score / 8 + label / 4 for score in scores]
    return Rows(
        label,
        *(score.astype(dtype) for score in scores),
        rng.integers(1, 9, n) / 4,
        np.arange(n) // 3 % 5,
    )


DRAWS = {"n_resamples": 9, "rng": 1}

# What else a function is called with. Those that are not named are called with rows alone.
OPTIONS = {
    "auc_from_counts": {"n_pos": [1, 2, 3], "n_neg": [3, 2, 0]},
    "bayes_threshold": {"cost_fp": 1, "cost_fn": 4},
    "bootstrap_ci": DRAWS,
    "bootstrap_test": DRAWS,
    "fpr_at_tpr": {"tpr": 0.7},
    "gain_at": {"share": 0.2},
    "lift_at": {"share": 0.2},
    "rate_test": {"threshold_a": 0.5, "threshold_b": 0.5},
    "optimal_threshold_validation": DRAWS,
    "partial_roc_auc_score": {"fpr_range": (0, 0.3)},
    "precision_at_k": {"k": 2},
    "precision_at_recall": {"recall": 0.5},
    "profit_curve": {"cost": 1, "revenue": 7},
    "recall_at_k": {"k": 2},
    "roc_auc_at_k": {"k": 2},
    "roc_auc_power": {"auc": 0.8, "n_pos": 40, "n_neg": 60},
    "curve_ci": {"at": [0.1, 0.5]},
    "sample_pairs": {"n_pairs": 9, "rng": 1},
    "tpr_at_fpr": {"fpr": 0.2},
    "permutation_test": DRAWS,
    "roc_auc_test_1samp": {"auc": 0.6},
}

# Without what takes no sample, and without the report, which calls many of the others for seconds.
FUNCTIONS = sorted(
    {name for name in PUBLIC if inspect.isfunction(PUBLIC[name])}
    - {"auc", "refine_roc_auc", "report", "show_runtime"}
)
PARAMETERS = {name: inspect.signature(PUBLIC[name]).parameters for name in FUNCTIONS}
GROUPED = {"grouped_roc_auc_score", "roc_auc_by_group"}


def arguments_of(name, rows):
    """Return what a public function is called with."""
    columns = {
        **dict.fromkeys(("y_true", "y_true_a", "y_true_b"), rows.label),
        **dict.fromkeys(("y_score", "score_a"), rows.score),
        "score_b": rows.other,
        "y_scores": [rows.score, rows.other],
        **dict.fromkeys(("scores", "X"), np.column_stack([rows.score, rows.other])),
        "sample_weight": rows.weight,
    }
    if name in GROUPED:
        columns["groups"] = rows.group
    if name == "roc_auc_test_ind":
        columns["sample_weight"] = rows.weight, rows.weight
    if name == "net_benefit_curve":  # takes probabilities only
        columns["y_score"] = rows.score / max(rows.score.max(), 1)
    return {key: columns[key] for key in PARAMETERS[name] if key in columns} | OPTIONS.get(name, {})


def call(name, rows, **options):
    """Call a public function; what it warns of belongs to the sample and not to the test."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return PUBLIC[name](**arguments_of(name, rows) | options)


def refuse(name):
    """Call a public function in a way that it refuses."""
    first = next(iter(inspect.signature(PUBLIC[name]).parameters))
    try:
        call(name, FEW, **{first: object()})
    except (TypeError, ValueError):
        return
    raise AssertionError(f"{name} took an object for {first}")


def update_states(rows):
    """Return bytes of histograms, what one says, an area refined from it, and an accumulator's."""
    histogram = fastauc.streaming.ScoreHistogram(bins=5, range=(-1, 20))
    histogram.update(rows.label, rows.score)
    weighted = fastauc.streaming.ScoreHistogram(weighted=True)
    weighted.update(rows.label, rows.score, sample_weight=rows.weight)
    told = [histogram.to_bytes(), weighted.merge(weighted.copy()).to_bytes()]
    read = fastauc.streaming.ScoreHistogram.from_bytes(told[0])
    refined = fastauc.streaming.refine_roc_auc(
        read, lambda: [(rows.label, rows.score)], max_rows=max(40, len(rows.label) // 6)
    )
    told.append(repr(refined.concordance))
    accumulator = fastauc.streaming.RocAucAccumulator()
    accumulator.update(rows.label, rows.score)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        intervals = read.roc_auc(), read.average_precision(), read.ks()
        return [*told, *intervals, accumulator.compute()]


def values(answer):
    """Return the numbers of an answer without their types."""
    if isinstance(answer, fastauc.metrics.ResultTable):
        return answer.to_dict()
    return list(map(values, answer)) if isinstance(answer, tuple) else np.asarray(answer).tolist()


def flat(answer):
    """Return an answer as bits that can be compared: NaN is equal to NaN."""
    if isinstance(answer, np.ndarray):
        return (answer.dtype.str, answer.shape, answer.tobytes())
    if hasattr(answer, "_asdict"):
        answer = tuple(answer._asdict().values())
    if isinstance(answer, tuple | list):
        return tuple(map(flat, answer))
    return repr(answer)


FEW = draw_rows(30)
