"""scikit-learn with fastauc's functions in place of its own: scorers, displays, searches.

    python -m fastauc.sklearn script.py arguments     also: -m module, -c code

runs a program that way, unchanged. In code, ``patch_sklearn`` patches the whole process, and
``patched_sklearn`` a block. Functions that a program has already imported by name from scikit-learn
are not replaced, and cannot be pickled while scikit-learn is patched, so patch first. Objects
pickled while scikit-learn is patched, such as a search with its scorer, need fastauc where they are
loaded.

Input that fastauc refuses (negative weights, masked arrays, deprecated arguments) is passed on to
scikit-learn, so programs behave as before. If both refuse it, the error is scikit-learn's, and the
traceback shows fastauc's above it. While scikit-learn's ``array_api_dispatch`` is on, its own
functions are used.

Worker processes receive the functions with the scorers sent to them, which are pickled as functions
of this module. If the environment variable FASTAUC_PATCH_SKLEARN is 1, importing this module
patches scikit-learn. ``python -m fastauc.sklearn`` sets it for the processes that the program
starts: a worker is patched once it has been sent one of these functions.

With ``--verbose`` before the program, or if FASTAUC_VERBOSE is 1, every process that is patched
ends with a line on standard error: which functions were called how often, and which calls
scikit-learn took over, with the reason for the first of them.
"""

from __future__ import annotations

import atexit
import contextlib
import importlib
import inspect
import os
import runpy
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any

import numpy as np

from fastauc import metrics
from fastauc._validation.options import check_option

__all__ = ["get_scorer", "patch_sklearn", "patched_sklearn", "unpatch_sklearn"]


def __dir__() -> list[str]:
    return __all__


_VARIABLE, _VERBOSE = "FASTAUC_PATCH_SKLEARN", "FASTAUC_VERBOSE"
_USAGE = (
    "usage: python -m fastauc.sklearn [--verbose] {script.py | -m module | -c code} [argument ...]"
)

# What fastauc's functions raise for input that they do not accept.
_REFUSALS = (ValueError, TypeError, OverflowError, NotImplementedError)

_lock = threading.RLock()
_originals: dict[str, Callable[..., Any]] = {}


def _load_originals() -> dict[str, Callable[..., Any]]:
    """Return scikit-learn's original functions, as of the first call."""
    try:
        import sklearn.metrics as theirs
    except ImportError as error:
        raise ImportError(
            "fastauc.sklearn needs scikit-learn; install it with pip install 'fastauc[sklearn]'."
        ) from error
    with _lock:  # no other thread patches meanwhile
        if not _originals:
            # Only those that this version of scikit-learn has.
            present = (name for name in _REPLACEMENTS if hasattr(theirs, name))
            _originals.update({name: getattr(theirs, name) for name in present})
        return _originals


# What takes the place of the functions ------------------------------------------------------------


class _Replacement:
    """A function that scikit-learn can use in place of its own of the same name.

    It carries scikit-learn's module name, by which scikit-learn detects a metric that was passed
    where a scorer is expected. A plain function with that module name would be pickled as
    scikit-learn's; this object is pickled as fastauc's.
    """

    def __init__(self, ours: Callable[..., Any]) -> None:
        self._ours = ours
        # Scorers read the signature to see which metadata can be routed to a function.
        self.__name__: str = ours.__name__
        self.__qualname__ = ours.__name__
        self.__module__ = "sklearn.metrics._ranking"
        self.__doc__ = ours.__doc__
        signature = inspect.signature(ours)
        parameters = [each for each in signature.parameters.values() if each.name != "n_jobs"]
        self.__signature__: inspect.Signature = signature.replace(parameters=parameters)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        original = _load_originals()[self.__name__]
        if sys.modules["sklearn"].get_config()["array_api_dispatch"]:
            _count(self.__name__, "array_api_dispatch is on")
            return original(*args, **kwargs)
        try:
            value = _as_theirs(self._ours(*args, **kwargs))
        except _REFUSALS as error:
            _count(self.__name__, str(error))
            return original(*args, **kwargs)
        _count(self.__name__, None)
        return value

    def __repr__(self) -> str:
        return f"<function fastauc.sklearn.{self.__name__}>"

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[str]]:
        return _replacement_of, (self.__name__,)


def _replacement_of(name: str) -> _Replacement:
    return _REPLACEMENTS[name]


def _as_theirs(value: Any) -> Any:
    """Return counts as floats, as scikit-learn does, and anything else unchanged."""
    if isinstance(value, metrics.ConfusionCounts):
        counts = (count.astype(np.float64, copy=False) for count in value[:4])
        return (*counts, value.thresholds)
    return value


auc: _Replacement = _Replacement(metrics.auc)
average_precision_score: _Replacement = _Replacement(metrics.average_precision_score)
confusion_matrix_at_thresholds: _Replacement = _Replacement(metrics.confusion_matrix_at_thresholds)
det_curve: _Replacement = _Replacement(metrics.det_curve)
precision_recall_curve: _Replacement = _Replacement(metrics.precision_recall_curve)
roc_auc_score: _Replacement = _Replacement(metrics.roc_auc_score)
roc_curve: _Replacement = _Replacement(metrics.roc_curve)

_REPLACEMENTS: dict[str, _Replacement] = {
    name: value for name, value in globals().items() if isinstance(value, _Replacement)
}

# What was called ----------------------------------------------------------------------------------


# The calls of each function: those served, those passed on, and why the first of these was.
_served: Counter[str] = Counter()
_passed_on: Counter[str] = Counter()
_reasons: dict[str, str] = {}


def _count(name: str, refusal: str | None) -> None:
    with _lock:
        if refusal is None:
            _served[name] += 1
        else:
            _passed_on[name] += 1
            _reasons.setdefault(name, refusal.partition("\n")[0])


def _say_calls() -> None:
    served = [f"{n} of {name}" for name, n in _served.items()]
    passed_on = [f"{n} of {name} ({_reasons[name]})" for name, n in _passed_on.items()]
    line = "fastauc: calls served: " + (", ".join(served) or "none")
    if passed_on:
        line += "; left to scikit-learn: " + ", ".join(passed_on)
    print(line, file=sys.stderr)


# Patching -----------------------------------------------------------------------------------------

_is_asked = False
_n_contexts = 0


def _exchange(new_for: dict[int, Callable[..., Any]]) -> None:
    """Replace functions, given by their ids, wherever scikit-learn holds them.

    It holds them as members of modules, some of which other modules have imported by name; as
    functions of scorers; and scorers, in turn, in a dict. A fixed list of these places would fail
    for another version, or once more modules are imported; searching by identity finds them all.
    """
    from sklearn.metrics._scorer import _BaseScorer

    for name, module in list(sys.modules.items()):
        if name.partition(".")[0] != "sklearn" or not isinstance(module, ModuleType):
            continue
        members = vars(module)
        for holder in (members, *(each for each in list(members.values()) if type(each) is dict)):
            for key, value in list(holder.items()):
                if id(value) in new_for:
                    holder[key] = new_for[id(value)]
                elif isinstance(value, _BaseScorer) and id(value._score_func) in new_for:
                    value._score_func = new_for[id(value._score_func)]


def _settle(is_asked: bool, n_contexts: int) -> None:
    """Bring scikit-learn into the requested state; the caller holds the lock."""
    global _is_asked, _n_contexts
    originals = _load_originals()
    _is_asked, _n_contexts = is_asked, n_contexts
    if is_asked or n_contexts > 0:
        for name, original in originals.items():
            # Where scikit-learn's tools look up the parameters of a function.
            constraints = getattr(original, "_skl_parameter_constraints", {})
            vars(_REPLACEMENTS[name])["_skl_parameter_constraints"] = constraints
        _exchange({id(original): _REPLACEMENTS[name] for name, original in originals.items()})
    else:
        _exchange({id(_REPLACEMENTS[name]): original for name, original in originals.items()})


def patch_sklearn() -> None:
    """Make scikit-learn compute AUCs and curves with fastauc, in the whole process.

    ``roc_auc_score``, ``average_precision_score``, ``roc_curve``, ``precision_recall_curve``,
    ``det_curve``, ``confusion_matrix_at_thresholds`` and ``auc`` are replaced wherever scikit-learn
    looks them up: in its modules, its scorers and its displays. Later imports from these modules
    get the replacements as well. Patching twice has no further effect. Any thread may patch at any
    time.

    Returns
    -------
    None

    Raises
    ------
    ImportError
        Without scikit-learn.

    Notes
    -----
    O(loaded modules) time, for undoing as well; no data is touched. Ties and one class only are
    handled as in the functions of fastauc, which follow scikit-learn 1.9.

    Examples
    --------
    >>> from fastauc.sklearn import patch_sklearn, unpatch_sklearn
    >>> patch_sklearn()
    >>> from sklearn.metrics import roc_auc_score
    >>> roc_auc_score
    <function fastauc.sklearn.roc_auc_score>
    >>> unpatch_sklearn()
    """
    with _lock:
        _settle(True, _n_contexts)
        if _is_set(_VERBOSE):
            atexit.unregister(_say_calls)  # once, however often it is patched
            atexit.register(_say_calls)


def unpatch_sklearn() -> None:
    """Restore scikit-learn's own functions, as if ``patch_sklearn`` had never been called.

    Scorers obtained from scikit-learn while it was patched keep fastauc's functions. Running blocks
    of ``patched_sklearn`` are not affected. Functions that a program imported by name while
    scikit-learn was patched remain fastauc's.

    Returns
    -------
    None

    Raises
    ------
    ImportError
        Without scikit-learn.

    Notes
    -----
    Takes the time of ``patch_sklearn``.

    Examples
    --------
    >>> from fastauc.sklearn import unpatch_sklearn
    >>> unpatch_sklearn()
    >>> from sklearn.metrics import roc_auc_score
    >>> roc_auc_score.__module__
    'sklearn.metrics._ranking'
    """
    with _lock:
        _settle(False, _n_contexts)


@contextlib.contextmanager
def patched_sklearn() -> Iterator[None]:
    """Patch scikit-learn for a block of code, in all threads of the process.

    Blocks may overlap: scikit-learn's own functions are restored at the end of the last one, unless
    ``patch_sklearn`` has been called.

    Returns
    -------
    context manager
        ``as`` binds None.

    Raises
    ------
    ImportError
        Without scikit-learn.

    Notes
    -----
    Takes the time of ``patch_sklearn``.

    Examples
    --------
    >>> from fastauc.sklearn import patched_sklearn
    >>> from sklearn import metrics
    >>> with patched_sklearn():
    ...     metrics.roc_auc_score([1, 1, 1, 0], [0.75, 0.5, 0.25, 0.5])
    0.5
    """
    with _lock:
        _settle(_is_asked, _n_contexts + 1)
    try:
        yield
    finally:
        with _lock:
            _settle(_is_asked, _n_contexts - 1)


# Scorers ------------------------------------------------------------------------------------------

_BINARY = ("decision_function", "predict_proba")
_SCORERS: dict[str, tuple[Callable[..., Any], dict[str, Any]]] = {
    "average_precision": (average_precision_score, {"response_method": _BINARY}),
    "roc_auc": (roc_auc_score, {"response_method": _BINARY}),
} | {
    f"roc_auc_{multi_class}{suffix}": (
        roc_auc_score,
        {"response_method": "predict_proba", "multi_class": multi_class, **average},
    )
    for multi_class in ("ovr", "ovo")
    for suffix, average in {"": {}, "_weighted": {"average": "weighted"}}.items()
}


def get_scorer(name: str) -> Any:
    """Return scikit-learn's scorer of this name, computing with fastauc.

    It works whether or not scikit-learn is patched: for ``cross_val_score``, ``GridSearchCV`` with
    any ``n_jobs``, ``permutation_importance``. It can be pickled and cloned, and supports
    ``set_score_request(sample_weight=True)``.

    Parameters
    ----------
    name : {"average_precision", "roc_auc", "roc_auc_ovr", "roc_auc_ovr_weighted", \
"roc_auc_ovo", "roc_auc_ovo_weighted"}
        As for ``scoring=`` in scikit-learn.

    Returns
    -------
    scorer
        As of ``sklearn.metrics.make_scorer``; it passes ``sample_weight`` on.

    Raises
    ------
    InvalidParameterError
        For another name.

    Notes
    -----
    A call of the scorer takes the time of the estimator and of the function, which handles ties and
    one class only as scikit-learn 1.9.

    Examples
    --------
    >>> from fastauc.sklearn import get_scorer
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.model_selection import cross_val_score
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = DecisionTreeClassifier(max_depth=3, random_state=0)
    >>> aucs = cross_val_score(model, X, y, scoring=get_scorer("roc_auc"), cv=3)
    >>> bool((aucs > 0.8).all())
    True
    """
    check_option(name, "name", tuple(_SCORERS), "get_scorer")
    _load_originals()
    from sklearn.metrics import make_scorer

    function, options = _SCORERS[name]
    return make_scorer(function, **options)


# Programs -----------------------------------------------------------------------------------------


def _is_set(variable: str) -> bool:
    setting = os.environ.get(variable, "")
    if setting not in ("", "0", "1"):
        raise ValueError(f"{variable} is {setting!r}; expected 0 or 1.")
    return setting == "1"


def _run(arguments: list[str]) -> None:
    """Run a program the way Python would with these arguments, with scikit-learn patched."""
    if arguments[:1] == ["--verbose"]:
        os.environ[_VERBOSE] = "1"
        arguments = arguments[1:]
    kind = arguments[0] if arguments else ""
    if kind in ("-h", "--help"):
        print(_USAGE)
        return
    if not arguments or (kind in ("-m", "-c") and len(arguments) == 1):
        print(_USAGE, file=sys.stderr)
        sys.exit(2)
    os.environ[_VARIABLE] = "1"
    patch_sklearn()
    if kind == "-c":
        sys.argv = ["-c", *arguments[2:]]
        program = sys.modules["__main__"] = ModuleType("__main__")
        exec(compile(arguments[1], "<string>", "exec"), vars(program))
    elif kind == "-m":
        sys.argv = arguments[1:]
        runpy.run_module(arguments[1], run_name="__main__", alter_sys=True)
    else:
        sys.argv = arguments
        if not sys.flags.safe_path:
            sys.path[0] = os.path.dirname(os.path.realpath(kind))
        runpy.run_path(kind, run_name="__main__")


if __name__ == "__main__":
    # Under its own name, by which the functions are pickled.
    importlib.import_module("fastauc.sklearn")._run(sys.argv[1:])
elif _is_set(_VARIABLE):
    patch_sklearn()
