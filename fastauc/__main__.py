"""``fastauc`` and ``python -m fastauc``: the entry point of the command line."""

import os
import signal
import sys
from collections.abc import Callable
from types import FrameType


def main() -> int:
    """Run the command line on the arguments of the process, and return its exit code.

    SIGTERM ends a command as Ctrl-C does, with a checkpoint if there is one, but with 143 in place
    of 130. During imports both end the process at once: as an exception they would print a
    traceback or be lost, as Cython modules drop exceptions that are raised while they are loaded.
    """
    received: list[int] = []

    def interrupt(number: int, frame: FrameType | None) -> None:
        received.append(number)
        raise KeyboardInterrupt

    defaults = {signal.SIGINT: signal.default_int_handler, signal.SIGTERM: signal.SIG_DFL}
    # The others are ignored, as under nohup.
    handled = [one for one, default in defaults.items() if signal.getsignal(one) == default]
    _handle(handled, _end)
    from fastauc._cli import main as cli

    _handle(handled, interrupt)
    try:
        status = cli.main()
    except KeyboardInterrupt:  # before a command has begun
        status = 130
    _handle(handled, signal.SIG_IGN)  # everything is done and written
    return 128 + received[0] if status == 130 and received else status


def _handle(
    numbers: list[signal.Signals],
    handler: Callable[[int, FrameType | None], None] | signal.Handlers,
) -> None:
    for number in numbers:
        signal.signal(number, handler)


def _end(number: int, frame: FrameType | None) -> None:
    os._exit(128 + number)


if __name__ == "__main__":
    sys.exit(main())
