# Decision curves: tests/metrics/test_thresholds_net_benefit.py.
library(dcurves)
options(digits = 16, pillar.sigfig = 16)

# How many have which value, for those with and without cancer.
print(table(df_binary$cancer, df_binary$famhistory))
print(dca(cancer ~ famhistory, df_binary, thresholds = c(0.05, 0.1, 0.15, 0.25, 0.5))$dca)

print(table(df_binary$cancer, df_binary$cancerpredmarker >= 0.25))
print(dca(cancer ~ cancerpredmarker, df_binary, thresholds = 0.25)$dca)

print(table(df_case_control$casecontrol, df_case_control$cancerpredmarker >= 0.25))
print(dca(casecontrol ~ cancerpredmarker, df_case_control, thresholds = 0.25, prevalence = 0.15)$dca)
