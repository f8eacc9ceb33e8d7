# Ten replicates each: tests/inference/test_bootstrap_recorded.py.
library(pROC)
data(aSAH)
options(digits = 10)
set.seed(42)

curve <- roc(aSAH$outcome, aSAH$s100b, levels = c("Good", "Poor"), direction = "<")
other <- roc(aSAH$outcome, aSAH$ndka, levels = c("Good", "Poor"), direction = "<")
for (stratified in c(TRUE, FALSE)) {
    drawn <- list(boot.n = 10, boot.stratified = stratified, progress = "none")
    found <- do.call(roc.test, c(list(curve, other, method = "bootstrap", paired = TRUE), drawn))
    cat(stratified, found$statistic, found$p.value, "\n")
}
