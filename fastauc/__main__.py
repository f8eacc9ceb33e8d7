"""``python -m fastauc``: the same command line as ``fastauc``."""

import sys

from fastauc.cli import main

if __name__ == "__main__":
    sys.exit(main())
