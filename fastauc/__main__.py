"""``fastauc`` and ``python -m fastauc``: the entry point of the command line."""

import signal
import sys
from collections.abc import Callable
from types import FrameType

from fastauc._starting import signals_to_handle


def main() -> int:
    """Run the command line on the arguments of the process, and return its exit code.

    SIGTERM ends a command as Ctrl-C does, with a checkpoint if there is one, but with 143 in place
    of 130. During imports both end the process at once.
    """
    received: list[int] = []

    def interrupt(number: int, frame: FrameType | None) -> None:
        received.append(number)
        raise KeyboardInterrupt

    handled = signals_to_handle()
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


if __name__ == "__main__":
    sys.exit(main())
