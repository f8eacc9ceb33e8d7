"""The rows that are left where those without a score are left out."""


def kept_rows(y_true, y_score, sample_weight, nan_policy):
    if nan_policy == "raise":
        return y_true, y_score, sample_weight
    kept = [k for k, score in enumerate(y_score) if score is not None and score == score]
    columns = [y_true, y_score, sample_weight]
    return tuple(None if each is None else [each[k] for k in kept] for each in columns)
