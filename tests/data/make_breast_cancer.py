"""Write breast_cancer.csv beside this file: out-of-fold scores of two models on 569 real cases.

Run it with scikit-learn installed: python tests/data/make_breast_cancer.py
"""

import os
import tempfile
from pathlib import Path

import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

N_TREES = 25
OUTPUT = Path(__file__).with_name("breast_cancer.csv")


def out_of_fold(model, features, malignant):
    """Return for each row the probability given by a model that has not seen this row."""
    folds = StratifiedKFold(n_splits=5, shuffle=True, random_state=0)
    return cross_val_predict(model, features, malignant, cv=folds, method="predict_proba")[:, 1]


def scored_rows():
    """Return the lines of the file, header first."""
    features, target = load_breast_cancer(return_X_y=True)
    malignant = (target == 0).astype(int)
    # The Newton solver leaves an error far below the six digits that are written, so that the
    # file does not depend on the order in which a BLAS build adds.
    logistic = out_of_fold(
        make_pipeline(StandardScaler(), LogisticRegression(solver="newton-cholesky", tol=1e-10)),
        features,
        malignant,
    )
    # Fully grown trees vote 0 or 1: the score is a number of votes out of N_TREES.
    forest = out_of_fold(
        RandomForestClassifier(n_estimators=N_TREES, random_state=0), features, malignant
    )
    votes = np.rint(forest * N_TREES)
    if not np.allclose(forest * N_TREES, votes, rtol=0, atol=1e-9):
        raise RuntimeError("a tree voted neither 0 nor 1; two decimals would lose information")
    rows = zip(malignant, logistic, votes / N_TREES, strict=True)
    return ["y_true,logistic,forest"] + [f"{y:d},{p:.6g},{v:.2f}" for y, p, v in rows]


def write_atomically(path, text):
    """Replace the file in one step: a reader sees the old bytes or the new ones."""
    handle, unfinished = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "w", encoding="ascii", newline="\n") as stream:
            stream.write(text)
        Path(unfinished).chmod(0o644)
        os.replace(unfinished, path)
    except BaseException:
        Path(unfinished).unlink(missing_ok=True)
        raise


if __name__ == "__main__":
    write_atomically(OUTPUT, "\n".join(scored_rows()) + "\n")
