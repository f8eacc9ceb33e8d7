# Areas of whole curves, after DeLong: tests/inference/test_intervals.py and test_comparison.py.
library(pROC)
data(aSAH)
options(digits = 15)

markers <- c("wfns", "ndka", "s100b")
curves <- lapply(markers, function(marker) {
    roc(aSAH$outcome, as.numeric(aSAH[[marker]]), levels = c("Good", "Poor"), direction = "<")
})
names(curves) <- markers

for (marker in markers) {
    cat(marker, var(curves[[marker]], method = "delong"), "\n")
    print(as.numeric(ci.auc(curves[[marker]], method = "delong")))
}
for (pair in list(c("wfns", "s100b"), c("wfns", "ndka"), c("ndka", "s100b"))) {
    first <- curves[[pair[1]]]
    second <- curves[[pair[2]]]
    paired <- roc.test(first, second, method = "delong", paired = TRUE)
    unpaired <- roc.test(first, second, method = "delong", paired = FALSE)
    cat(pair, cov(first, second, method = "delong"), "\n")
    cat("  paired", paired$statistic, paired$p.value, paired$conf.int, "\n")
    cat("  unpaired", unpaired$statistic, unpaired$p.value, unpaired$parameter, "\n")
}
for (alternative in c("greater", "less")) {
    for (paired in c(TRUE, FALSE)) {
        found <- roc.test(
            curves$wfns, curves$s100b,
            method = "delong", paired = paired, alternative = alternative
        )
        cat(alternative, paired, found$p.value, "\n")
    }
}
