# Areas of parts, and readings: tests/inference/test_partial.py.
library(pROC)
data(aSAH)
options(digits = 15)

for (marker in c("wfns", "ndka")) {
    curve <- roc(
        aSAH$outcome, as.numeric(aSAH[[marker]]),
        levels = c("Good", "Poor"), direction = "<"
    )
    for (focus in c("specificity", "sensitivity")) {
        for (part in list(c(1, 0.9), c(0.9, 0.8), c(0.5, 0), c(1, 0))) {
            area <- auc(curve, partial.auc = part, partial.auc.focus = focus)
            # Below the diagonal McClish's scale is NA there, with a warning.
            corrected <- suppressWarnings(
                auc(curve, partial.auc = part, partial.auc.focus = focus, partial.auc.correct = TRUE)
            )
            cat(marker, focus, part, as.numeric(area), as.numeric(corrected), "\n")
        }
    }
}

curve <- roc(aSAH$outcome, aSAH$s100b, levels = c("Good", "Poor"), direction = "<")
tenths <- seq(0, 1, 0.1)
print(coords(curve, tenths, input = "sensitivity", ret = "specificity", transpose = FALSE))
print(coords(curve, tenths, input = "specificity", ret = "sensitivity", transpose = FALSE))
