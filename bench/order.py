"""Which cases the product has, and in which order they are visited."""

import random
from collections import Counter
from itertools import combinations

from data import positives


def distinct_cases(part):
    """Return the (n, distribution, prevalence) of a slice, and which of them would be repetitions.

    Few rows have one positive at several prevalences: the greatest of these stands for the others,
    whose rows would be the same. The second value is [n, prevalence, the one that stands for it].
    """
    cases, repeated = [], []
    for n in part.sizes:
        standing = {}
        for prevalence in sorted(set(part.prevalences), reverse=True):
            first = standing.setdefault(positives(n, prevalence), prevalence)
            if first == prevalence:
                cases += [(n, distribution, prevalence) for distribution in part.distributions]
            else:
                repeated.append([n, prevalence, first])
    return cases, repeated


def traits(case):
    """Return every value of the case with its axis, then every pair of these."""
    values = list(enumerate(case))
    return values, list(combinations(values, 2))


def spread(cases, seed=0):
    """Return the cases in an order of which every beginning is a fair sample.

    The next case is one whose values, and then whose pairs of values, have been visited least so
    far, as a share of how often they occur; chance decides between equals.
    """
    rest = list(cases)
    random.Random(seed).shuffle(rest)
    groups = {case: traits(case) for case in rest}
    total = Counter(trait for found in groups.values() for group in found for trait in group)
    seen = Counter()

    def visited(case):
        return [sum(seen[trait] / total[trait] for trait in group) for group in groups[case]]

    ordered = []
    while rest:
        chosen = min(rest, key=visited)
        rest.remove(chosen)
        ordered.append(chosen)
        seen.update(trait for group in groups[chosen] for trait in group)
    return ordered
