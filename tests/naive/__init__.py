"""The textbook definition of every public function: what the tests compare fastauc with.

Pairs are compared pair by pair, rows are counted row by row at every threshold, and every result is
an exact ``Fraction``. No sorting tricks, no rounding, no input checks: slow, and easy to believe.

The names and arguments are those of ``fastauc``. A class is a function here, from the fields of the
class to a dict with the value of each of its properties or methods. What is undefined is NaN.
"""

from naive.averages import grouped_roc_auc_ci
from naive.backend import mean_query_area, roc_auc_accumulator
from naive.bootstrap import bootstrap_ci
from naive.bounds import precision_bounds
from naive.curves import (
    auc,
    auc_from_counts,
    average_precision_score,
    concordance,
    concordance_counts,
    confusion_counts,
    confusion_intervals,
    confusion_matrix,
    confusion_matrix_at_thresholds,
    det_curve,
    gini_score,
    ks_score,
    pass_record,
    precision_recall_curve,
    refine,
    refine_roc_auc,
    refined_auc,
    roc_auc_score,
    roc_curve,
    score_histogram,
    score_interval,
)
from naive.differences import bootstrap_test
from naive.gains import (
    bayes_threshold,
    break_even_response_rate,
    gain_at,
    gain_curve,
    gain_score,
    gains_table,
    ks_curve,
    ks_fields,
    ks_statistic,
    lift_at,
    lift_curve,
    optimal_fields,
    optimal_threshold,
    profit_curve,
)
from naive.groups import (
    auc_by_column,
    auc_by_group,
    feature_quality,
    grouped_roc_auc_score,
    quality_of_features,
    roc_auc_by_column,
    roc_auc_by_group,
)
from naive.inference import (
    confidence_interval,
    placements,
    roc_auc_detectable,
    roc_auc_pilot_power,
    roc_auc_pilot_sample_size,
    roc_auc_power,
    roc_auc_sample_size,
    roc_auc_significance_level,
    sample_size,
)
from naive.pairs import (
    sample_pairs,
    sigmoid_roc_auc,
)
from naive.parts import (
    convex_hull,
    fpr_at_tpr,
    pairwise_loss,
    partial_roc_auc_score,
    pr_auc_score,
    pr_gain_auc_score,
    precision_at_k,
    precision_at_recall,
    rank_average,
    recall_at_k,
    roc_auc_at_k,
    roc_convex_hull,
    tpr_at_fpr,
)
from naive.threshold_validation import (
    optimal_threshold_validation,
    optimism_estimate,
    threshold_validation,
)
from naive.verbs import (
    compare_roc_auc,
    comparison_result,
    curve_ci,
    curve_interval,
    difference_test_result,
    estimate_result,
    pairwise_tests,
    rate_test,
    rate_test_result,
    roc_auc_ci,
    roc_auc_test,
    roc_curve_test,
    roc_curve_test_result,
)
