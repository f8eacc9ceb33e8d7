"""The textbook definition of what is certain about precision, one positive after the other.

As in ``naive``: plain loops, exact fractions, no input checks.
"""

from fractions import Fraction


def precision_bounds(cells):
    """Return the least and the greatest average precision of all orders inside the cells.

    ``cells`` are (negatives, positives, whether there may be several scores), from the lowest.
    Where there may be, all positives tied and above the negatives are best; the negatives first,
    and then one positive after the other, is worst.
    """
    n_pos = sum(pos for _, pos, _ in cells)
    least = most = Fraction(0)
    fps = tps = 0
    for neg, pos, several in reversed(cells):
        if several:
            for k in range(1, pos + 1):
                least += Fraction(tps + k, tps + k + fps + neg)
                most += Fraction(tps + pos, tps + pos + fps)
        elif pos:
            tied = pos * Fraction(tps + pos, tps + pos + fps + neg)
            least, most = least + tied, most + tied
        fps, tps = fps + neg, tps + pos
    return least / n_pos, most / n_pos
