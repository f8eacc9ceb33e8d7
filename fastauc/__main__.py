"""``fastauc`` and ``python -m fastauc``: the entry point of the command line."""

import signal
import sys
from collections.abc import Callable
from types import FrameType

from fastauc._starting import signals_to_handle

_WITH_LOCKS = ("threading", "concurrent", "queue", "_frozen_importlib", "importlib", "tqdm")
_RETRY = getattr(signal, "SIGALRM", None)  # of systems with timers that send it
_PAUSE = 0.02  # seconds until a signal that came at a bad moment comes again


def main() -> int:
    """Run the command line on the arguments of the process, and return its exit code.

    SIGTERM ends a command as Ctrl-C does, with a checkpoint if there is one, but with 143 in place
    of 130. During imports both end the process at once.
    """
    received: list[int] = []

    def interrupt(number: int, frame: FrameType | None) -> None:
        if number != _RETRY:
            received.append(number)
        # The second signal does not wait.
        if len(received) == 1 and _RETRY is not None and _may_hold_locks(frame):
            signal.signal(_RETRY, interrupt)
            signal.setitimer(signal.ITIMER_REAL, _PAUSE)
            return
        raise KeyboardInterrupt

    handled = signals_to_handle()
    from fastauc._cli import main as cli

    _handle(handled, interrupt)
    try:
        status = cli.main()
    except KeyboardInterrupt:  # before a command has begun
        status = 130
    # Everything is done and written.
    _handle([*handled, _RETRY] if received and _RETRY else handled, signal.SIG_IGN)
    return 128 + received[0] if status == 130 and received else status


def _may_hold_locks(frame: FrameType | None) -> bool:
    """Tell whether code runs that would keep a lock, or lose the exception, if it were raised now.

    A thread of the pool would wait for the lock, and the process for the thread.
    """
    while frame is not None:
        if str(frame.f_globals.get("__name__")).partition(".")[0] in _WITH_LOCKS:
            return True
        frame = frame.f_back
    return False


def _handle(
    numbers: list[signal.Signals],
    handler: Callable[[int, FrameType | None], None] | signal.Handlers,
) -> None:
    for number in numbers:
        signal.signal(number, handler)


if __name__ == "__main__":
    sys.exit(main())
