# The whole curves of two markers. tests/inference/test_permutation.py has the formula of the
# statistic of two samples in its own words; p-values depend on what is drawn.
library(pROC)
data(aSAH)
set.seed(1)

s100b <- roc(aSAH$outcome, aSAH$s100b, levels = c("Good", "Poor"), direction = "<")
wfns <- roc(aSAH$outcome, as.numeric(aSAH$wfns), levels = c("Good", "Poor"), direction = "<")
for (paired in c(TRUE, FALSE)) {
    print(roc.test(
        s100b, wfns,
        method = "venkatraman", paired = paired, boot.n = 2000, progress = "none"
    ))
}
