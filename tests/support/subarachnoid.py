"""How 113 patients with a subarachnoid hemorrhage rank by three markers, and who fared badly.

Turck et al., Intensive Care Med. 36 (2010) 107-115, as the documentation of pROC uses them: Robin
et al., BMC Bioinformatics 12 (2011) 77. Only the order of the values is here, which is all that an
area depends on: 1 is the lowest value of a marker, and equal numbers are tied.
"""


def _numbers(text):
    return [int(word) for word in text.split()]


POOR_OUTCOME = _numbers(
    """
    0 0 0 0 1 1 0 1 0 0 1 0 1 1 0 0 1 0 1 1 1 0 1 0 0 0 0 0 0 0 0 0 1 0 0 1 1 0 1 1 0 0 0 0 0 0 0 0
    0 1 1 0 0 0 1 0 0 0 1 0 1 0 0 1 1 1 0 1 1 0 1 1 1 1 0 0 0 1 1 0 1 0 0 0 0 0 0 1 0 0 0 0 0 0 0 0
    0 0 0 0 1 1 1 1 1 1 0 0 0 1 0 0 0
    """
)

WFNS = _numbers(
    """
    1 1 1 1 3 2 5 4 1 2 5 2 5 5 1 2 5 2 2 5 2 1 1 1 1 2 1 2 1 1 3 4 2 1 4 5 4 1 4 2 5 5 1 1 2 4 1 1
    2 5 5 2 1 2 5 1 2 2 2 1 5 1 1 2 5 2 1 4 5 2 4 4 1 4 1 2 1 4 2 1 2 3 2 4 2 1 4 5 1 1 5 4 2 2 1 1
    1 3 1 2 5 2 2 5 5 5 2 4 4 5 1 1 1
    """
)

S100B = _numbers(
    """
    11 12 8 2 11 8 36 14 16 8 10 8 33 44 2 6 38 2 5 27 7 7 5 9 5 15 5 9 11 17 3 14 31 12 28 29 37 7
    49 21 39 35 14 5 32 34 9 6 7 48 40 6 4 11 50 8 12 13 5 4 46 3 7 25 1 7 2 19 43 7 23 44 6 22 6 14
    7 11 8 6 9 27 9 24 5 8 26 18 5 3 20 30 8 13 6 12 8 5 2 17 41 12 42 26 47 45 13 36 15 33 13 39 37
    """
)

NDKA = _numbers(
    """
    1 27 23 42 82 61 8 66 76 9 78 83 5 28 67 86 49 79 97 105 98 104 100 31 10 56 13 11 108 62 35 36
    38 84 4 72 90 22 17 25 14 33 65 21 74 101 18 16 58 69 2 30 19 64 109 95 91 39 87 53 41 106 12 48
    55 70 80 93 63 34 89 24 107 76 43 45 75 6 33 3 88 81 60 30 47 85 46 7 54 20 37 44 96 26 57 63
    102 51 59 29 32 99 52 73 103 50 94 40 71 77 92 15 68
    """
)
