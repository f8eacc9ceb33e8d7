"""Functions of the internal modules, called with a number of threads as the public ones are."""

import functools

from fastauc._validation.threads import Workers


def on_threads(function):
    """Return the function with ``n_jobs`` in place of its second argument, the workers."""

    @functools.wraps(function)
    def call(first, n_jobs=1, *args, **options):
        with Workers(n_jobs) as workers:
            return function(first, workers, *args, **options)

    return call
