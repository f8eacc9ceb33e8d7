"""The exact AUC of a clean sample, from concordant and tied pairs, and what is found like it.

The route depends on the rows. All routes give the same integers, so the choice only affects time.

=============================  ========  ========  =================
Rows                           AUC       weighted  average precision
=============================  ========  ========  =================
few rows                       few       few       sort
sorted, or a few sorted runs   runs      sort      search or sort
few distinct scores            values    values    sort
a rare class                   rare      buckets   buckets
tied or crowded scores         sort      sort      search or sort
all others                     buckets   buckets   buckets
=============================  ========  ========  =================

The first line that fits counts; the routes are those of ``unweighted``, ``weighted`` and
``_counts.precision_recall``.

- few: all rows are one bucket, up to 12,000 rows, and up to 65,536 where other routes are slower.
- runs: the runs, 16 at most, are merged and scanned.
- values: the rows of each score are counted, or weighed, in a hash table.
- rare: each row is looked up in a table of the class that has one row in 32 or fewer, or in 16
  where scores are tied or crowd.
- buckets: rows go into buckets by score, and only rows of one bucket are compared, by 32 bits.
- search: each row is searched for among the positives, if one row in 32 or fewer is positive.
- sort: all rows are sorted and scanned.

Average precision counts many rows of few distinct scores at each score before any route is taken.
Without weights, the rows of a score that seven in 16 rows have are left out and counted first,
unless the rows are few or sorted.
"""
