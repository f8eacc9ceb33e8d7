# Exact p-values with ties, R 4.2 or newer: tests/metrics/test_ks.py.
options(digits = 17)

print(ks.test(c(1, 2, 2, 3, 3), c(1, 2, 3, 3, 4, 5, 6), exact = TRUE)$p.value)

# Switzer (1976), as in ?qqplot.
first <- c(
    -31, -30, -25, -25, -23, -23, -22, -20, -20, -18, -18, -18, -16, -15, -15, -14, -13, -11, -10,
    -9, -8, -7, -7, -7, -6, -6, -4, -4, -3, -2, -2, -1, 1, 1, 4, 5, 11, 12, 16, 34
)
second <- c(
    -31, -20, -18, -16, -16, -16, -15, -14, -14, -14, -14, -13, -13, -11, -11, -10, -9, -9, -8, -7,
    -7, -6, -6, -5, -5, -5, -4, -2, -2, -2, 0, 0, 1, 1, 2, 4, 5, 5, 6, 17
)
print(ks.test(first, second, exact = TRUE)$p.value)

ozone <- subset(airquality, Month %in% c(5, 8))
print(ks.test(Ozone ~ Month, data = ozone, exact = TRUE)$p.value)

# testRepeatedValues of SciPy.
print(ks.test(rep(c(2, 3, 5, 6), c(3, 4, 5, 4)), rep(c(3, 4, 6, 7), c(3, 4, 5, 4)), exact = TRUE)$p.value)
print(ks.test(rep(c(2, 3, 5, 6), c(3, 4, 10, 4)), rep(c(3, 4, 6, 7), c(10, 2, 10, 4)), exact = TRUE)$p.value)
