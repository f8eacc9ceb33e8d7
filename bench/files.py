"""How long files larger than memory take, against only reading their columns with pyarrow.

The files are made on the spot: one folder of Parquet with a float64 score and a bool label. Each
measurement is a process of its own, in turn: its time without the imports, and its peak of memory.
"""

import argparse
import json
import multiprocessing
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

CHILD = """
import json, resource, sys, time
import pyarrow.compute, pyarrow.csv, pyarrow.dataset, pyarrow.fs, pyarrow.parquet
from fastauc.files import score, stream_columns
folder, what, limit, threads = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
options = {"label": "y", "score": "s", "memory_limit": limit, "n_jobs": threads}
start, cpu = time.perf_counter(), time.process_time()
passes, auc = 1, None
if what == "read":
    for batch in pyarrow.dataset.dataset(folder).to_batches(columns=["y", "s"],
                                                            use_threads=threads > 1):
        pass
elif what == "stream":
    for chunk in stream_columns([folder], ["y", "s"], numeric=["s"], use_threads=threads > 1):
        pass
else:
    (result,) = score([folder], one_pass=what == "one pass", **options)
    passes, auc = len(result.passes), result.roc_auc[1:3]
print(json.dumps({
    "seconds": time.perf_counter() - start,
    "cpu_seconds": time.process_time() - cpu,
    "passes": passes,
    "auc": auc,
    "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000
}))
"""
WHAT = ["read", "stream", "one pass", "exact"]


def make_files(folder, n_rows, n_files):
    """Write sigmoids of normal scores, 40 % positive."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    for i in range(n_files):
        rng = np.random.default_rng(i)
        n = n_rows * (i + 1) // n_files - n_rows * i // n_files
        y = rng.random(n) < 0.4
        s = 1 / (1 + np.exp(-rng.normal(size=n) - y))
        pq.write_table(pa.table({"y": y, "s": s}), Path(folder) / f"{i:03}.parquet")


def measure(folder, what, limit, threads):
    """Return what a fresh process has measured."""
    command = [sys.executable, "-c", CHILD, folder, what, str(limit), str(threads)]
    # Elsewhere than in a checkout, whose sources without kernels would be imported.
    process = subprocess.run(command, cwd=folder, check=True, stdout=subprocess.PIPE)
    return json.loads(process.stdout)


def summarize(runs, n_rows):
    """Return a line for each thing measured."""
    lines = [
        f"{'':10}{'seconds':>9}{'cpu':>8}{'ns/row':>8}{'x read':>8}{'passes':>8}{'peak MB':>9}"
    ]
    for what in WHAT:
        seconds, cpu, peak = (
            statistics.median(run[what][key] for run in runs)
            for key in ("seconds", "cpu_seconds", "peak_mb")
        )
        ratio = statistics.median(run[what]["seconds"] / run["read"]["seconds"] for run in runs)
        lines.append(
            f"{what:10}{seconds:9.2f}{cpu:8.2f}{seconds / n_rows * 1e9:8.1f}{ratio:8.2f}"
            f"{runs[0][what]['passes']:8d}{peak:9.0f}"
        )
    return lines


def main():
    """Make files, measure in turn, and print medians."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=100_000_000)
    parser.add_argument("--files", type=int, default=20)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--memory-limit", type=int, default=600_000_000, help="bytes")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        # In a process of its own: a child's peak begins with what its parent takes up.
        maker = multiprocessing.get_context("spawn").Process(
            target=make_files, args=(folder, options.rows, options.files)
        )
        maker.start()
        maker.join()
        runs = [
            {what: measure(folder, what, options.memory_limit, options.threads) for what in WHAT}
            for _ in range(options.rounds)
        ]
    lower, upper = runs[0]["exact"]["auc"]
    if lower != upper or any(run["exact"]["auc"] != [lower, upper] for run in runs):
        sys.exit("the exact areas differ")
    print(f"{options.rows} rows in {options.files} files, medians of {options.rounds}; "
          f"peaks include Python and pyarrow")  # fmt: skip
    print("\n".join(summarize(runs, options.rows)))
    low, high = runs[0]["one pass"]["auc"]
    print(f"after one pass the area is known up to {high - low:.1e}")


if __name__ == "__main__":
    main()
