"""What the tests of the input contract share: the functions, one sample, and two judgments.

A call is judged by what scikit-learn does with the same arguments, live: either both refuse it, and
our text begins with their sentence, or both give the same numbers.
"""

import warnings
from typing import Any, NamedTuple

import numpy as np
import pytest
import sklearn.metrics
import sklearn.utils._param_validation

import fastauc
from support.public import PUBLIC
from support.reliability import tried

DROP_IN = (
    "average_precision_score",
    "confusion_matrix_at_thresholds",
    "det_curve",
    "precision_recall_curve",
    "roc_auc_score",
    "roc_curve",
)

# scikit-learn's function that takes the same input, for each of ours that it does not have.
RELATIVES = {"concordance": "roc_auc_score", "gini_score": "roc_auc_score", "ks_score": "roc_curve"}

FUNCTIONS = (*DROP_IN, *RELATIVES)
TAKES_WEIGHTS = tuple(name for name in FUNCTIONS if name != "concordance")
TAKES_POS_LABEL = tuple(
    name for name in FUNCTIONS if name not in ("concordance", "gini_score", "roc_auc_score")
)
DRAWS_CURVE = ("det_curve", "precision_recall_curve", "roc_curve")

LABELS = [0, 1, 0, 1, 1, 0]
SCORES = [0.1, 0.4, 0.35, 0.8, 0.2, 0.7]

# Ours is a type of its own; what is raised is an instance of both.
THEIR_TYPES = {fastauc.InvalidParameterError: sklearn.utils._param_validation.InvalidParameterError}

# The name of every floating dtype as scikit-learn's texts give it.
FLOATS = list(dict.fromkeys(np.dtype(code).name for code in ("f2", "f4", "f8", "g")))

# The project's promise for every number that scikit-learn gives too.
CLOSE = 1e-12


class Outcome(NamedTuple):
    """What a call did: it returned a value or raised an error, after some warnings."""

    value: Any
    error: Exception | None
    warnings: list[tuple[type[Warning], str]]


def call(function, *args, **options):
    value = error = None
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            value = function(*args, **options)
        except Exception as raised:
            error = raised
    return Outcome(value, error, [(warning.category, str(warning.message)) for warning in caught])


def call_ours(name, *args, **options):
    return call(PUBLIC[name], *args, **options)


def call_theirs(name, *args, **options):
    """Call scikit-learn, and leave out what NumPy warns of inside its checks."""
    outcome = call(getattr(sklearn.metrics, RELATIVES.get(name, name)), *args, **options)
    kept = [row for row in outcome.warnings if not issubclass(row[0], RuntimeWarning)]
    return outcome._replace(warnings=kept)


def put(values, position, value):
    """Return a list with one element replaced."""
    changed = list(values)
    changed[position] = value
    return changed


def first_line(error):
    return str(error).split("\n")[0]


def refuse(name, args, options, kind, sentence, mentions):
    """Assert that fastauc refuses the call, with this type and text, and return the error."""
    tried()
    outcome = call_ours(name, *args, **options)
    assert outcome.error is not None, f"{name} accepted it and returned {outcome.value}"
    assert isinstance(outcome.error, kind), repr(outcome.error)
    text = str(outcome.error)
    assert text.startswith(sentence), f"{text!r} does not begin with {sentence!r}"
    missing = [word for word in mentions if word not in text]
    assert not missing, f"{text!r} does not mention {missing}"
    assert not outcome.warnings, f"before the error: {outcome.warnings}"
    return outcome.error


def refuse_alike(name, args, options, kind, sentence, mentions):
    """Assert that fastauc refuses the call as scikit-learn does."""
    error = refuse(name, args, options, kind, sentence, mentions)
    theirs = call_theirs(name, *args, **options).error
    assert isinstance(theirs, THEIR_TYPES.get(kind, kind)), repr(theirs)
    said = first_line(theirs).replace(RELATIVES.get(name, name), name)
    assert str(error).startswith(said), f"{error!s} does not begin with {said!r}"


def assert_same_numbers(ours, theirs):
    """Assert equal types of containers, and equal numbers in them; NaN equals NaN."""
    __tracebackhide__ = True
    if isinstance(theirs, tuple):
        assert isinstance(ours, tuple)
        assert len(ours) == len(theirs)
        for own, other in zip(ours, theirs, strict=True):
            assert_same_numbers(own, other)
    elif isinstance(theirs, np.ndarray):
        assert isinstance(ours, np.ndarray)
        assert ours.shape == theirs.shape
        assert (ours.dtype == object) == (theirs.dtype == object), (ours, theirs)
        if theirs.dtype == object:
            assert ours.tolist() == theirs.tolist()
        else:
            np.testing.assert_allclose(ours, theirs, rtol=0, atol=CLOSE)
    else:
        # A Python float in every case; scikit-learn gives a NumPy one or an int in some.
        assert type(ours) is float
        assert ours == pytest.approx(float(theirs), rel=0, abs=CLOSE, nan_ok=True)


def answer_alike(name, args, options):
    """Assert the same numbers and warnings as scikit-learn's, or the same refusal."""
    tried()
    ours, theirs = call_ours(name, *args, **options), call_theirs(name, *args, **options)
    if theirs.error is not None:
        assert ours.error is not None, f"only scikit-learn refuses it: {theirs.error!r}"
        assert isinstance(
            ours.error, ValueError if isinstance(theirs.error, ValueError) else TypeError
        )
        assert str(ours.error).startswith(first_line(theirs.error)), (ours.error, theirs.error)
        return
    if ours.error is not None:
        raise AssertionError(f"only fastauc refuses it: {ours.error!r}") from ours.error
    assert_same_numbers(ours.value, theirs.value)
    if name == "precision_recall_curve":
        assert ours.value[2].dtype == theirs.value[2].dtype
    assert [text for _, text in ours.warnings] == [text for _, text in theirs.warnings]
    for (own, _), (other, _) in zip(ours.warnings, theirs.warnings, strict=True):
        assert issubclass(own, other)


# Random samples and their exact area --------------------------------------------------------------


def draw_scores(rng, dtype, n):
    """Return scores with ties, extremes, and neighbors that a narrower type would merge."""
    dtype = np.dtype(dtype)
    if dtype.kind == "b":
        return rng.random(n) < 0.5
    if dtype.kind in "iu":
        low, high = np.iinfo(dtype).min, np.iinfo(dtype).max
        edges = [low, low + 1, high - 1, high]
        edges += [high // k + step for k in (2, 1023) for step in (0, 1)]
        pool = np.concatenate([np.array(edges, dtype), rng.integers(0, 100, 8).astype(dtype)])
    else:
        info = np.finfo(dtype)
        one = dtype.type(1)
        edges = [0, -0.0, info.max, -info.max, one, one + info.eps]
        edges += [info.tiny, info.smallest_subnormal]
        pool = np.concatenate([np.array(edges, dtype), rng.normal(size=8).astype(dtype)])
    return rng.choice(pool, n)


def draw_labels(rng, n):
    labels = rng.integers(0, 2, n)
    labels[rng.permutation(n)[:2]] = [0, 1]
    return labels


def exact_area(labels, scores):
    """Return the area of a small sample from all its pairs, compared in their own dtype."""
    labels, scores = np.array(labels).ravel(), np.array(scores).ravel()
    positives, negatives = scores[labels == 1][:, None], scores[labels == 0]
    twice = 2 * np.count_nonzero(positives > negatives) + np.count_nonzero(positives == negatives)
    return twice / (2 * positives.size * negatives.size)


def typed(value: object) -> str:
    """Return an id that tells 0.5 from a NumPy scalar, whose repr was the same before NumPy 2."""
    return f"{type(value).__name__} {value!r}"
