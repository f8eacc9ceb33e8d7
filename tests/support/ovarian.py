"""The 43 patients of DeLong, DeLong and Clarke-Pearson (1988) whose three tests are all known.

Ovarian cancer with an obstruction; who benefits from surgery. As example 72.8 of PROC LOGISTIC in
the SAS/STAT 14.1 User's Guide lists them: albumin, total protein, the K-G score, and 1 for a
benefit, of which a low score speaks.
"""

_ROWS = """
    3.0 5.8 10 0   3.2 6.3 5 1   3.9 6.8 3 1   2.8 4.8 6 0   3.2 5.8 3 1   0.9 4.0 5 0   2.5 5.7 8 0
    1.6 5.6 5 1    3.8 5.7 5 1   3.7 6.7 6 1   3.2 5.4 4 1   3.8 6.6 6 1   4.1 6.6 5 1   3.6 5.7 5 1
    4.3 7.0 4 1    3.6 6.7 4 0   2.3 4.4 6 1   4.2 7.6 4 0   4.0 6.6 6 0   3.5 5.8 6 1   3.8 6.8 7 1
    3.0 4.7 8 0    4.5 7.4 5 1   3.7 7.4 5 1   3.1 6.6 6 1   4.1 8.2 6 1   4.3 7.0 5 1   4.3 6.5 4 1
    3.2 5.1 5 1    2.6 4.7 6 1   3.3 6.8 6 0   1.7 4.0 7 0   3.7 6.1 5 1   3.3 6.3 7 1   4.2 7.7 6 1
    3.5 6.2 5 1    2.9 5.7 9 0   2.1 4.8 7 1   2.8 6.2 8 0   4.0 7.0 7 1   3.3 5.7 6 1   3.7 6.9 5 1
    3.6 6.6 5 1
"""
_NUMBERS = [float(word) for word in _ROWS.split()]

ALBUMIN, PROTEIN = _NUMBERS[::4], _NUMBERS[1::4]
KG_SCORE = [10 - score for score in _NUMBERS[2::4]]
BENEFIT = [int(label) for label in _NUMBERS[3::4]]
