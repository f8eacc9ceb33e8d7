"""What the package itself costs: the time to import it, and the size of its wheel.

Times are medians of processes that are started in turn, so that what slows the machine slows all;
less that of ``import numpy`` alone, which nobody is spared. The target, for the package itself, is
20 ms; the names come with their modules when they are first used. A wheel may have 1.5 MB.
"""

import argparse
import os
import subprocess
import sys
import zipfile
from pathlib import Path
from statistics import median

MOST_MILLISECONDS = 20
MOST_BYTES = 1_500_000

IMPORTS = {
    "numpy": "import numpy",
    "numpy, fastauc": "import numpy, fastauc",
    "roc_auc_score": "from fastauc import roc_auc_score",
    "all names": "from fastauc import *",
}
# Inside the process: the start of the interpreter is not what is measured.
TIMED = "import time; start = time.perf_counter()\n{}\nprint(time.perf_counter() - start)"


def seconds_to_import(statement):
    """Return how long a fresh process takes for an import, with bytecode and files cached."""
    completed = subprocess.run(
        # Nothing of the folder it is started in: a checkout may hold sources without kernels.
        [sys.executable, "-P", "-c", TIMED.format(statement)],
        capture_output=True,
        check=True,
        env=os.environ | {"PYTHONDONTWRITEBYTECODE": ""},
        text=True,
    )
    return float(completed.stdout)


def import_times(rounds):
    """Return the seconds of each import, round by round, after one that fills the caches."""
    times = {name: [] for name in IMPORTS}
    for k in range(rounds + 1):
        for name, statement in IMPORTS.items():
            seconds = seconds_to_import(statement)
            if k > 0:
                times[name].append(seconds)
    return times


def print_times(times):
    """Print a table, and whether the target is met."""
    print(f"{'import':<16} {'ms':>8} {'beyond numpy':>14}")
    for name, seconds in times.items():
        beyond = median(a - b for a, b in zip(seconds, times["numpy"], strict=True)) * 1e3
        print(f"{name:<16} {median(seconds) * 1e3:8.1f} {beyond:14.1f}")
        if name == "numpy, fastauc":
            verdict = "met" if beyond <= MOST_MILLISECONDS else "missed"
    print(f"target: fastauc within {MOST_MILLISECONDS} ms of numpy: {verdict}")


def print_wheel(path):
    """Print the size of a wheel, and of what it is made."""
    size = path.stat().st_size
    sizes = {}
    with zipfile.ZipFile(path) as wheel:
        for entry in wheel.infolist():
            suffix = Path(entry.filename).suffix or "other"
            sizes[suffix] = sizes.get(suffix, 0) + entry.compress_size
    print(f"{path.name}: {size / 1e6:.2f} MB")
    for suffix, compressed in sorted(sizes.items(), key=lambda pair: -pair[1]):
        print(f"    {suffix:<8} {compressed / 1e3:8.1f} kB compressed")
    print(f"target: {MOST_BYTES / 1e6} MB: {'met' if size <= MOST_BYTES else 'missed'}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=20, help="processes for each import")
    parser.add_argument("wheels", nargs="*", type=Path, help="wheels whose sizes to print")
    options = parser.parse_args()
    print_times(import_times(options.rounds))
    for path in options.wheels:
        print_wheel(path)


if __name__ == "__main__":
    main()
