"""Ctrl-C and SIGTERM while the process of a command loads its modules: they end it at once.

As an exception they would print a traceback or be lost, as Cython modules drop exceptions that are
raised while they are loaded. In any other process, importing the package leaves signals alone.
"""

import os
import signal
import sys
from types import FrameType


def end(number: int, frame: FrameType | None) -> None:
    """Handle a signal: end the process, with nothing written."""
    os._exit(128 + number)


def signals_to_handle() -> list[signal.Signals]:
    """Return which of the two signals are not ignored, as under nohup, or handled by others."""
    defaults = {signal.SIGINT: signal.default_int_handler, signal.SIGTERM: signal.SIG_DFL}
    return [one for one, usual in defaults.items() if signal.getsignal(one) in (usual, end)]


def _is_command() -> bool:
    name = os.path.basename(sys.argv[0]) if sys.argv else ""
    return name in ("fastauc", "fastauc.exe") or (name == "-m" and "fastauc" in sys.orig_argv)


if _is_command():
    for one in signals_to_handle():
        signal.signal(one, end)
