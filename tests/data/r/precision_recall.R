# Areas under other curves: tests/metrics/test_precision_recall_area.py and
# test_precision_recall_gain.py.
library(PRROC)
options(digits = 13)

# "value for random data" of PRROC's own tests: the continuous interpolation of Davis and Goadrich.
set.seed(101)
foreground <- runif(100, 0.3, 1)
background <- runif(100, 0, 0.6)
print(pr.curve(scores.class0 = foreground, scores.class1 = background)$auc.integral)

# Its numbers are those of this generator: 0.9148060, 0.9370754, 0.2861395.
set.seed(42)
print(runif(3))

library(prg)
labels <- c(1, 1, 0, 0, 1, 0)
scores <- c(0.8, 0.8, 0.6, 0.4, 0.4, 0.2)
print(calc_auprg(create_prg_curve(labels, scores)))
labels <- as.integer(strsplit("1110111111011101001000101", "")[[1]])
print(calc_auprg(create_prg_curve(labels, -seq_along(labels))))
