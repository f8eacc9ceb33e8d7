"""Statistical inference: standard errors, confidence intervals and tests."""
