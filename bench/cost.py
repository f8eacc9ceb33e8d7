"""Count the instructions of four calls: a slow-down is seen without a clock.

    python bench/cost.py             # compare with the committed figures, 10 % room
    python bench/cost.py --update    # write them anew

One process runs under callgrind. Between two calls it asks for its parent's process id, which
nothing else here does and at which callgrind writes down what it has counted: a part of the
profile is one call, without the start of Python. The counts belong to what they were made with: the
machine's architecture, numpy (whose sort is part of the cost) and the vector instructions that
numpy finds under valgrind, which knows none beyond AVX2. Elsewhere there is nothing to compare.
"""

import argparse
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

FIGURES = Path(__file__).parent / "results" / "instructions.json"
ROOM = 0.10
ROWS = 200_000
CASES = {
    "area, continuous, 50 %": ("uniform", 0.5, False),
    "area, 3 decimals, 50 %": ("rounded3", 0.5, False),
    "area, continuous, 1 %": ("uniform", 0.01, False),
    "weighted area, continuous, 50 %": ("uniform", 0.5, True),
}
COMPARABLE = ["architecture", "numpy", "numpy_simd", "rows"]


def run_calls(rows):
    """Under callgrind: make every call between two marks, after one that does not count."""
    import data
    from machine import machine

    import fastauc

    for distribution, prevalence, weighted in CASES.values():
        y_true, y_score = data.make(distribution, rows, prevalence, 0)
        weight = data.weights(rows, 0) if weighted else None
        fastauc.roc_auc_score(y_true, y_score, sample_weight=weight)
        os.getppid()
        fastauc.roc_auc_score(y_true, y_score, sample_weight=weight)
        os.getppid()
    print(json.dumps(circumstances(rows, machine(), fastauc)))


def circumstances(rows, machine, fastauc):
    """Return what the figures depend on."""
    simd = machine["numpy_simd"] or {}
    kernel = next(Path(fastauc.__file__).parent.glob("_kernels/rank_sum*.so")).read_bytes()
    compiler = re.search(rb"(GCC: \([^)]*\) [\d.]+|clang version [\d.]+)", kernel)
    return {
        "architecture": platform.machine(),
        "numpy": machine["numpy"],
        "numpy_simd": [*simd.get("baseline", []), *simd.get("found", [])],
        "rows": rows,
        "python": machine["python"],
        "compiler": compiler.group(1).decode() if compiler else None,
    }


def counted(folder):
    """Return the instructions of every call, from the parts that callgrind wrote."""
    parts = sorted(Path(folder).glob("profile.*"), key=lambda part: int(part.suffix[1:]))
    totals = [int(re.search(r"^totals: (\d+)", part.read_text(), re.M)[1]) for part in parts]
    return totals[1::2]  # before the first mark, first call, between, second call, ...


def measure(rows=ROWS):
    """Return the instructions per row of every case, and what they depend on."""
    environment = os.environ | {"PYTHONHASHSEED": "0", "FASTAUC_NUM_THREADS": "1"}
    with tempfile.TemporaryDirectory() as folder:
        command = [
            "valgrind",
            "--tool=callgrind",
            "--dump-before=getppid",
            f"--callgrind-out-file={folder}/profile",
            *[sys.executable, __file__, "--child", str(rows)],
        ]
        process = subprocess.run(command, capture_output=True, text=True, env=environment)
        if process.returncode:
            raise RuntimeError(f"valgrind failed:\n{process.stdout}{process.stderr}")
        instructions = counted(folder)
    report = json.loads(process.stdout)
    per_row = [round(count / rows, 2) for count in instructions]
    return report | {"instructions_per_row": dict(zip(CASES, per_row, strict=True))}


def verdict(count, committed):
    """Say how a number of instructions compares with the committed one."""
    if count > committed * (1 + ROOM):
        return "TOO MANY"
    return "as before" if count >= committed * (1 - ROOM) else "fewer: commit the new figures"


def main(argv=None):
    """Compare with the committed figures, or write them; return the exit status."""
    parser = argparse.ArgumentParser(description="Count the instructions of four calls.")
    parser.add_argument("--update", action="store_true", help=f"write {FIGURES.name}")
    parser.add_argument("--strict", action="store_true", help="nothing to compare is a failure")
    parser.add_argument("--child", type=int, help=argparse.SUPPRESS)
    arguments = parser.parse_args(argv)
    if arguments.child:
        run_calls(arguments.child)
        return 0
    if shutil.which("valgrind") is None:
        print("skipped: valgrind is not installed")
        return int(arguments.strict or arguments.update)
    found = measure()
    if arguments.update:
        FIGURES.write_text(json.dumps(found, indent=1) + "\n")
        print(json.dumps(found, indent=1))
        return 0
    figures = json.loads(FIGURES.read_text())
    if differing := [key for key in COMPARABLE if found[key] != figures[key]]:
        print("skipped:", *(f"{key} is {found[key]}, not {figures[key]}" for key in differing))
        return int(arguments.strict)
    verdicts = []
    for name, committed in figures["instructions_per_row"].items():
        count = found["instructions_per_row"][name]
        verdicts.append(verdict(count, committed))
        text = f"{count:>9.2f} instructions per row, {count / committed:.2f} of before"
        print(f"{name:<34}{text}: {verdicts[-1]}")
    if found["compiler"] != figures["compiler"]:
        print(f"compiler: {found['compiler']}; the figures are those of {figures['compiler']}")
    return int("TOO MANY" in verdicts)


if __name__ == "__main__":
    sys.exit(main())
