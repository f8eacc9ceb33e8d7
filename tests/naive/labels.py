"""Which rows are the positive ones."""

import functools
import inspect


def with_pos_label(function):
    """Return a definition whose labels are True and False as one that takes any, and ``pos_label``.

    The function is called with whether each label is that of the positives, 1 if left out.
    """
    signature = inspect.signature(function)
    keyword = inspect.Parameter("pos_label", inspect.Parameter.KEYWORD_ONLY, default=None)
    others = list(signature.parameters.values())
    place = next((k for k, each in enumerate(others) if each.name == "n_jobs"), len(others))
    others.insert(place, keyword)

    @functools.wraps(function)
    def of_labels(*args, pos_label=None, **kwargs):
        label = 1 if pos_label is None else pos_label
        given = signature.bind(*args, **kwargs)
        for name in ("y_true", "y_true_b"):
            if given.arguments.get(name) is not None:
                given.arguments[name] = [bool(own == label) for own in given.arguments[name]]
        return function(*given.args, **given.kwargs)

    of_labels.__signature__ = signature.replace(parameters=others)
    return of_labels
