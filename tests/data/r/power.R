# Power and its inversions: tests/inference/test_power.py.
library(pROC)
data(aSAH)
options(digits = 10)

s100b <- roc(aSAH$outcome, aSAH$s100b, levels = c("Good", "Poor"), direction = "<")
print(power.roc.test(s100b)$power)
print(power.roc.test(auc = 0.73, ncases = 41, ncontrols = 72, sig.level = 0.05)$power)
for (plan in list(c(0.95, 1.7), c(0.9, 72 / 41), c(0.9, 1))) {
    print(power.roc.test(auc = s100b$auc, sig.level = 0.05, power = plan[1], kappa = plan[2])$ncases)
}
print(power.roc.test(auc = 0.73, ncases = 41, ncontrols = 72, power = 0.95, sig.level = NULL)$sig.level)
print(power.roc.test(ncases = 41, ncontrols = 72, sig.level = 0.05, power = 0.95)$auc)

# Table 4 of Obuchowski, Lieber and Wians (2004): the negatives and positives of each ratio.
for (kappa in c(0.25, 0.5, 1, 2, 4)) {
    for (area in c(0.6, 0.7, 0.8, 0.9, 0.95)) {
        found <- power.roc.test(
            auc = area, sig.level = 0.05, power = 0.9, kappa = kappa, alternative = "one.sided"
        )
        cat(kappa, area, ceiling(found$ncontrols), ceiling(found$ncases), "\n")
    }
}

# Example 2 of Obuchowski and McClish (1997): parts to a false positive rate of 0.2.
parameters <- list(
    A1 = 2.6, B1 = 1, A2 = 1.9, B2 = 1, rn = 0.6, ra = 0.6,
    FPR11 = 0, FPR12 = 0.2, FPR21 = 0, FPR22 = 0.2, delta = 0.037
)
print(power.roc.test(parameters, sig.level = 0.05, power = 0.8, kappa = 1)$ncases)
print(power.roc.test(parameters, ncases = 107, sig.level = 0.05)$power)

# A pilot sample, with DeLong's variance.
ndka <- roc(aSAH$outcome, aSAH$ndka, levels = c("Good", "Poor"), direction = "<")
wfns <- roc(aSAH$outcome, as.numeric(aSAH$wfns), levels = c("Good", "Poor"), direction = "<")
print(power.roc.test(ndka, wfns)$power)
found <- power.roc.test(ndka, wfns, power = 0.9)
cat(found$ncases, found$ncontrols, "\n")
