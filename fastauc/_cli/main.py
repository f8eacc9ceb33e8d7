"""The command line: ``fastauc score FILE… --label COL --score COL``, and the other commands.

Results go to standard output, everything else to standard error. The exit code is 0 on success, 1
if files are missing, unreadable or hold invalid values, 2 for wrong usage, and 130 after Ctrl-C.
After SIGTERM it is 143: see ``__main__``.
"""

import os
import shlex
import sys
from collections.abc import Sequence

from fastauc import __version__
from fastauc._cli.arguments import UsageError
from fastauc._cli.curves import add_curve, add_gains, add_threshold
from fastauc._cli.output import discard_output, say, say_interrupted, without_given
from fastauc._cli.parser import Parser
from fastauc._cli.plot import add_plot
from fastauc._cli.report import add_report
from fastauc._cli.score import add_merge, add_score
from fastauc._tables import printable
from fastauc._validation.threads import count_threads
from fastauc.files import DataError, ScoringInterrupted
from fastauc.files._sources import without_secrets


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line on ``sys.argv[1:]`` or other arguments, and return its exit code.

    Wrong usage ends in ``SystemExit(2)``.
    """
    given = sys.argv[1:] if argv is None else argv
    options = _make_parser().parse_args(given)
    # For the page that says how it was made.
    options.command = shlex.join(["fastauc", *map(without_secrets, given)])
    if options.threads is None and "FASTAUC_NUM_THREADS" not in os.environ:
        options.threads = -1
    try:
        options.threads = count_threads(options.threads)
    except ValueError as error:
        options.parser.error(str(error))
    try:
        text = options.run(options)
        if text is not None:
            print("\n".join(map(printable, text.split("\n"))))
        sys.stdout.flush()
    except BrokenPipeError:
        discard_output()  # the reader has closed the pipe
    except UsageError as error:
        options.parser.error(str(error))
    except (DataError, MemoryError, OSError, UnicodeEncodeError) as error:
        if isinstance(error, OSError):
            discard_output()
        text = getattr(error, "on_command_line", str(error))
        text = "not enough memory" if isinstance(error, MemoryError) else text
        say("error", without_given(text, given))
        return 1
    except ScoringInterrupted as interrupted:
        say_interrupted(interrupted, options.scores)
        return 130
    except KeyboardInterrupt:
        return 130
    return 0


def _make_parser() -> Parser:
    parser = Parser(
        prog="fastauc",
        description="Exact, tie-aware ROC AUC of scores in files; curves, thresholds and reports.",
    )
    parser.add_argument("--version", action="version", version=f"fastauc {__version__}")
    commands = parser.add_subparsers(metavar="COMMAND", required=True)
    for add in (add_score, add_merge, add_gains, add_threshold, add_curve, add_plot, add_report):
        add(commands)
    return parser
