"""``fastauc`` and ``python -m fastauc``: the command line, from the first module it loads on."""

import os
import signal
import sys
from types import FrameType


def main() -> int:
    """Run the command line on the arguments of the process, and return its exit code.

    Ctrl-C while modules are loaded ends the process at once, with 130. As an exception it would
    be a traceback, or be lost: modules of Cython drop what is raised while they are loaded.
    """
    was_default = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if was_default:  # else Ctrl-C is ignored, as under nohup
        signal.signal(signal.SIGINT, _end)
    from fastauc._cli import main as cli

    if was_default:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    return cli.main()


def _end(number: int, frame: FrameType | None) -> None:
    os._exit(130)


if __name__ == "__main__":
    sys.exit(main())
