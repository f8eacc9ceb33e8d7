"""The values of options: signatures show them to type checkers, and checks compare with them."""

from typing import Literal, get_args

Adjustment = Literal["holm"]
Alternative = Literal["two-sided", "less", "greater"]
AlternativeOfPower = Literal["two-sided", "less", "greater", "non-inferiority"]
AlternativeWithMargin = Literal["two-sided", "less", "greater", "non-inferiority", "equivalence"]
Average = Literal["micro", "macro", "weighted", "samples"]
AVERAGES = (*get_args(Average), None)
AverageOfInterval = Literal["macro", "weighted"]
BootstrapStatistic = Literal["roc_auc", "average_precision", "ks"]
ExchangeStatistic = Literal["roc_auc", "roc_curve"]
GivenRate = Literal["fpr", "tpr", "recall", "threshold"]
Interpolation = Literal["linear", "step"]
KsMethod = Literal["auto", "exact", "continuous", "asymp"]
LossKind = Literal["squared_hinge", "square", "hinge"]
MultiClass = Literal["raise", "ovr", "ovo"]
MULTI_CLASS = get_args(MultiClass)
NanPolicy = Literal["raise", "omit"]
PrecisionInterpolation = Literal["step", "davis-goadrich"]
ProportionMethod = Literal["wilson", "beta"]
Rate = Literal["sensitivity", "specificity", "accuracy", "precision", "npv"]
RateTest = Literal["exact", "mid-p", "asymptotic", "score"]
ResponseMethod = Literal["auto", "predict_proba", "decision_function"]
Scale = Literal["probability", "logit"]
StatisticOf = Literal["counts", "rows"]
Strategy = Literal["quantile", "uniform"]
ThresholdMethod = Literal[
    "youden",
    "balanced_accuracy",
    "closest_topleft",
    "accuracy",
    "f1",
    "equal_error_rate",
    "cost",
    "profit",
    "max_fpr",
    "min_precision",
    "min_recall",
]
Ties = Literal["group", "split"]
Undefined = Literal["skip", "half", "raise"]
Weighting = Literal["equal", "size", "positives", "pairs"]
