"""Write loans.csv, a made-up loan book: what became of each loan, and what two models said of it.

    python tests/data/make_loans.py

No real loans: risks, scores and outcomes are drawn from the seed below.
"""

import csv
from pathlib import Path

import numpy as np

PATH = Path(__file__).with_name("loans.csv")
N_LOANS = 1200
SEGMENTS = {"retail": 0.5, "online": 0.3, "broker": 0.2}
# By how much the odds of each segment are worse, as logarithms.
SHIFTS = {"retail": 0.0, "online": 0.3, "broker": 0.8}


def probability(log_odds):
    return 1 / (1 + np.exp(-log_odds))


def make_columns():
    """Return the columns of the file."""
    rng = np.random.default_rng(20261123)
    segment = rng.choice(list(SEGMENTS), N_LOANS, p=list(SEGMENTS.values()))
    shift = np.array([SHIFTS[name] for name in segment])
    risk = -2.6 + shift + 1.3 * rng.normal(size=N_LOANS)
    is_bad = rng.random(N_LOANS) < probability(risk)
    # Both know the risk with an error, and the old one does not know the segment.
    old = probability(risk - shift + 0.3 + 1.4 * rng.normal(size=N_LOANS))
    new = probability(risk + 0.9 * rng.normal(size=N_LOANS))
    return {
        "loan": np.arange(1001, 1001 + N_LOANS),
        "segment": segment,
        "outcome": np.where(is_bad, "bad", "good"),
        "old": [f"{score:.4f}" for score in old],
        "new": [f"{score:.4f}" for score in new],
        "points": np.round(600 - 20 / np.log(2) * np.log(new / (1 - new))).astype(int),
    }


if __name__ == "__main__":
    columns = make_columns()
    with open(PATH, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows(zip(*columns.values(), strict=True))
