"""Call every public function a few times with few rows, and print how many calls were made."""

import sys
from pathlib import Path

import numpy as np

if not __package__:  # run as a command, which finds only what lies beside it
    sys.path.insert(0, str(Path(__file__).parents[1]))
from support.public import FUNCTIONS, call, draw_rows, refuse, update_states

SAMPLES = (
    (1, np.float64),
    (2, np.int8),
    (9, np.float32),
    (17, np.int64),
    (40, np.float16),
    (300, np.float64),
)


def main():
    n_calls = 0
    for n, dtype in SAMPLES:
        rows = draw_rows(n, dtype)
        for name in FUNCTIONS:
            try:
                call(name, rows)
            except ValueError:  # too few rows of a class
                assert n < 10, name
            n_calls += 1
        update_states(rows)
        n_calls += 1
    for name in FUNCTIONS:
        refuse(name)
        n_calls += 1
    # Rows enough for the buckets, and for the sorts that are split.
    for dtype in (np.float64, np.float32, np.int64):
        rows = draw_rows(20_000, dtype)
        for name in ("roc_auc_score", "concordance", "roc_curve", "ks_score", "placements"):
            call(name, rows)
            n_calls += 1
    print(n_calls)


if __name__ == "__main__":
    main()
