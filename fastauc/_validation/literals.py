"""The values of options: signatures show them to type checkers, and checks compare with them."""

from typing import Literal, get_args

Average = Literal["micro", "macro", "weighted", "samples"]
Interpolation = Literal["linear", "step"]
KsMethod = Literal["auto", "exact", "continuous", "asymp"]
LossKind = Literal["squared_hinge", "square", "hinge"]
MultiClass = Literal["raise", "ovr", "ovo"]
NanPolicy = Literal["raise", "omit"]
PrecisionInterpolation = Literal["step", "linear", "davis-goadrich"]
ResponseMethod = Literal["auto", "predict_proba", "decision_function"]
Scale = Literal["probability", "logit"]
Strategy = Literal["quantile", "uniform"]
ThresholdMethod = Literal[
    "youden",
    "balanced_accuracy",
    "closest_topleft",
    "accuracy",
    "f1",
    "cost",
    "profit",
    "max_fpr",
    "min_precision",
    "min_recall",
]
Ties = Literal["group", "split"]
Undefined = Literal["skip", "half", "raise"]
Weighting = Literal["equal", "size", "positives", "pairs"]

MULTI_CLASS = get_args(MultiClass)
SCALES = get_args(Scale)
