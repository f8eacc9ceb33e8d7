"""The package's errors and warning; those with a scikit-learn equivalent can be caught as either.

Code written for scikit-learn catches scikit-learn's classes. If scikit-learn is loaded, errors and
warnings are instances of both its class and ours, so that either name works in an ``except`` clause
or a warnings filter; if it is not loaded, it is never imported for this purpose.
"""

from __future__ import annotations

import functools
import sys
import warnings

_MOST_SHOWN = 100  # characters of a value


class UndefinedMetricWarning(UserWarning):
    """Warning that a metric is undefined for the given input; the result is NaN.

    Examples
    --------
    >>> import warnings
    >>> from fastauc import UndefinedMetricWarning, roc_auc_score
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore", UndefinedMetricWarning)
    ...     roc_auc_score([1, 1], [0.2, 0.8])
    nan
    """


UndefinedMetricWarning.__module__ = "fastauc"


class InvalidParameterError(ValueError, TypeError):
    """An argument has an unsupported type or value.

    Examples
    --------
    >>> from fastauc import InvalidParameterError, roc_auc_score
    >>> try:
    ...     roc_auc_score([0, 1], [0.2, 0.8], max_fpr=2)
    ... except InvalidParameterError as error:
    ...     print(error)
    The 'max_fpr' parameter of roc_auc_score must be a float in the range (0.0, 1.0] or None. Got 2 instead.
    """  # noqa: E501


InvalidParameterError.__module__ = "fastauc"


class DataError(ValueError):
    """A file is missing, unreadable or holds invalid values; the message is one sentence.

    ``advice`` ends it: the remedy in Python, and on the command line.
    """

    def __init__(self, message: str, advice: tuple[str, str] | None = None) -> None:
        in_python, on_command_line = ("", "") if advice is None else (f"; {a}" for a in advice)
        super().__init__(message + in_python)
        self.on_command_line: str = message + on_command_line


DataError.__module__ = "fastauc.files"


class CorruptStateError(ValueError):
    """A saved state is damaged, truncated, forged, or not a state at all.

    Examples
    --------
    >>> from fastauc import CorruptStateError
    >>> from fastauc.streaming import ScoreHistogram
    >>> state = ScoreHistogram().update([0, 1], [0.2, 0.8]).to_bytes()
    >>> try:
    ...     ScoreHistogram.from_bytes(state[:-1])
    ... except CorruptStateError as error:
    ...     print(error)
    The state has 123 bytes; expected 124, as its header says.
    """


CorruptStateError.__module__ = "fastauc"


@functools.cache
def _joined(own: type[Exception], theirs: type[Exception]) -> type[Exception]:
    # Made here, the class has no importable name: pickling (joblib sends exceptions between
    # processes) goes through our own.
    members = {"__module__": own.__module__, "__reduce__": lambda self: (own, self.args)}
    return type(own.__name__, (own, theirs), members)


def _with_sklearn(own: type[Exception], module: str) -> type[Exception]:
    theirs = getattr(sys.modules.get(module), own.__name__, None)
    return own if theirs is None else _joined(own, theirs)  # type: ignore[arg-type]


def warn_undefined(message: str) -> None:
    """Warn, on behalf of the caller of the public function, that the metric is undefined."""
    category = _with_sklearn(UndefinedMetricWarning, "sklearn.exceptions")
    warnings.warn(message, category, stacklevel=_depth_of_caller())  # type: ignore[arg-type]


def warn_if_undefined(n_pos: float, n_neg: float) -> bool:
    """Warn as scikit-learn's ``roc_curve`` does if a class has no rows or no weight.

    Return whether that is so.
    """
    if n_neg == 0:
        warn_undefined("No negative samples in y_true, false positive value should be meaningless")
    if n_pos == 0:
        warn_undefined("No positive samples in y_true, true positive value should be meaningless")
    return n_pos == 0 or n_neg == 0


def warn_user(message: str) -> None:
    """Issue a UserWarning on behalf of the caller of the public function."""
    warnings.warn(message, UserWarning, stacklevel=_depth_of_caller())


def _depth_of_caller() -> int:
    # The first frame outside the package, counted from the function that calls warnings.warn.
    depth = 1
    while True:
        try:
            module = sys._getframe(depth).f_globals.get("__name__", "")
        except ValueError:
            return depth
        if module.partition(".")[0] != "fastauc":
            return depth
        depth += 1


def invalid_parameter(
    function: str, name: str, expected: str, value: object, hint: str = ""
) -> Exception:
    """Return the error for an invalid argument, in scikit-learn's wording."""
    category = _with_sklearn(InvalidParameterError, "sklearn.utils._param_validation")
    message = f"The {name!r} parameter of {function} must be {expected}. Got {value!r} instead."
    return category(f"{message} {hint}".rstrip())


def shortened(found: str) -> str:
    """Return a value as shown in errors, truncated: it may be as long as the file."""
    if len(found) <= _MOST_SHOWN:
        return found
    return f"{found[:_MOST_SHOWN]}... ({len(found)} characters)"


def changed_meanwhile() -> RuntimeError:
    """Return the error for arguments that were modified after their rows were counted."""
    return RuntimeError(
        "The arguments were changed while they were read; expected arrays that are not "
        "modified during the call."
    )


def check_lengths(lengths: dict[str, int]) -> None:
    """Reject arguments of different lengths, in scikit-learn's wording and ours."""
    if len(set(lengths.values())) <= 1:
        return
    shown = ", ".join(f"{name} has {length}" for name, length in lengths.items())
    raise ValueError(
        "Found input variables with inconsistent numbers of samples: "
        f"{list(lengths.values())}. {shown}; expected equal lengths."
    )
