"""Call public functions with ever less address space to take.

    python tests/reliability/limited_memory.py ROWS NAME...

It prints for each how many limits were tried, and how many calls were refused. Each must return
the right answer or raise MemoryError, and the next one, without a limit, return it.
"""

import resource
import sys
import warnings
from functools import partial
from pathlib import Path

if not __package__:  # run as a command, which finds only what lies beside it
    sys.path.insert(0, str(Path(__file__).parents[1]))
from support.public import PUBLIC, arguments_of, draw_rows, flat

N_LIMITS = 20


def taken():
    """Return how much address space is taken, in bytes."""
    return int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()


def main(n_rows, *names):
    warnings.simplefilter("ignore")
    rows = draw_rows(int(n_rows))
    for name in names:
        print(name, N_LIMITS, count_refused(name, rows))


def count_refused(name, rows):
    """Call a function with all limits; return how often it has refused."""
    call = partial(PUBLIC[name], **arguments_of(name, rows))
    expected = flat(call())
    assert flat(call()) == expected
    n_refused = 0
    unlimited = resource.getrlimit(resource.RLIMIT_AS)
    for step in range(N_LIMITS):
        # From room for ten columns down to none.
        room = 10 * rows.score.nbytes * (N_LIMITS - 1 - step) // (N_LIMITS - 1)
        answer = None
        resource.setrlimit(resource.RLIMIT_AS, (taken() + room, unlimited[1]))
        try:
            answer = call()
        except MemoryError:
            n_refused += 1
        finally:
            resource.setrlimit(resource.RLIMIT_AS, unlimited)
        assert answer is None or flat(answer) == expected, room
        assert flat(call()) == expected, room
    return n_refused


if __name__ == "__main__":
    main(*sys.argv[1:])
