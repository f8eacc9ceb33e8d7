# How the rows of a bucket are weighed, for those of a small sample too; and how few of them: each
# negative against each positive, four positives at a time.

from libc.stdint cimport int32_t, uint32_t, uint64_t

# Their C code is used in that below.
from fastauc._kernels.buckets cimport part_t, row_t
from fastauc._kernels.compiler cimport FASTAUC_KEEP  # no-cython-lint
from fastauc._kernels.wide_integers cimport total_t, wide_t

cdef enum:
    # Twice 2^56 units of so many rows fit into 64 bits.
    MOST_OF_A_CLASS = 127
    # Pairs that are compared one by one: more of them, and it is quicker to split the rows.
    FEW_PAIRS = 1024
    # Rows of both classes that are no more than that, whatever their labels are.
    FEW_ROWS = 64

cdef extern from *:
    """
    #include <string.h>

    typedef struct {
        fastauc_wide_t twice_u;  /* of the concordant pairs, plus that of the tied ones */
        uint64_t negatives, positives;
        int any_equal;
    } fastauc_few_t;

    #if defined(__GNUC__)
    typedef uint64_t fastauc_fixed_weights_t __attribute__((vector_size(16)));

    /* Where with_ties is 0, what is equal is not added, and any_equal may be set by chance. */
    static inline fastauc_few_t fastauc_weigh_lanes(
        const int32_t *rows, const uint64_t *units, uint32_t n_neg, uint32_t n_pos,
        uint64_t before, int with_ties)
    {
        fastauc_few_t few = {{0, 0}, 0, 0, 0};
        const int32_t *pos = rows + n_neg;
        const uint64_t *pos_units = units + n_neg;
        fastauc_fixed_weights_t any_equal = {0, 0}, negatives;
        uint64_t below[4], equal[4], any[2], sums[2];
        uint32_t j = 0;
        do {
            /* Four positives, each twice_u: a comparison of 32 bits is a mask of 64. */
            uint32_t n_lanes = n_pos - j < 4 ? n_pos - j : 4;
            fastauc_lanes_t lanes = *(const fastauc_loose_t *) (pos + j);
            fastauc_lanes_t first = {pos[j], pos[j], pos[j + 1], pos[j + 1]};
            fastauc_lanes_t second = {pos[j + 2], pos[j + 2], pos[j + 3], pos[j + 3]};
            fastauc_fixed_weights_t first_below = {before, before}, second_below = first_below;
            fastauc_fixed_weights_t first_equal = {0, 0}, second_equal = {0, 0};
            negatives = first_equal;
            for (uint32_t i = 0; i < n_neg; i++) {
                fastauc_lanes_t row = {rows[i], rows[i], rows[i], rows[i]};
                fastauc_fixed_weights_t q = {units[i], units[i]};
                negatives += q;
                first_below += (fastauc_fixed_weights_t) (row < first) & q;
                second_below += (fastauc_fixed_weights_t) (row < second) & q;
                if (with_ties) {
                    first_equal += (fastauc_fixed_weights_t) (row == first) & q;
                    second_equal += (fastauc_fixed_weights_t) (row == second) & q;
                } else
                    any_equal |= (fastauc_fixed_weights_t) (row == lanes);
            }
            first_below += first_below + first_equal;
            second_below += second_below + second_equal;
            memcpy(below, &first_below, sizeof(first_below));
            memcpy(below + 2, &second_below, sizeof(second_below));
            memcpy(equal, &first_equal, sizeof(first_equal));
            memcpy(equal + 2, &second_equal, sizeof(second_equal));
            for (uint32_t k = 0; k < n_lanes; k++) {
                uint64_t q = pos_units[j + k];
                few.positives += q;
                few.twice_u = fastauc_sum(few.twice_u, fastauc_multiply(below[k], q));
                few.any_equal |= equal[k] != 0;
            }
            j += 4;
        } while (j < n_pos);
        memcpy(sums, &negatives, sizeof(sums));
        memcpy(any, &any_equal, sizeof(any));
        few.negatives = sums[0];
        few.any_equal |= (any[0] | any[1]) != 0;
        return few;
    }

    /* Rarely called, and not to be copied into what calls it; nor is it called by every file. */
    __attribute__((noinline, unused)) static fastauc_few_t fastauc_weigh_ties(
        const int32_t *rows, const uint64_t *units, uint32_t n_neg, uint32_t n_pos,
        uint64_t before)
    {
        return fastauc_weigh_lanes(rows, units, n_neg, n_pos, before, 1);
    }
    #endif

    /* Compare every negative with every positive, and add ``before`` to what is below each.

       Assumes at most 127 rows of each class, of at most 2^56 units, and at most 127 times as many
       in all negatives and before: then each sum fits. Up to 3 rows behind the last one are read:
       what is there changes no answer, but it has to be defined. */
    static inline fastauc_few_t fastauc_weigh(
        const int32_t *rows, const uint64_t *units, uint32_t n_neg, uint32_t n_pos,
        uint64_t before)
    {
    #if defined(__GNUC__)
        fastauc_few_t few = fastauc_weigh_lanes(rows, units, n_neg, n_pos, before, 0);
        return few.any_equal ? fastauc_weigh_ties(rows, units, n_neg, n_pos, before) : few;
    #else
        fastauc_few_t few = {{0, 0}, 0, 0, 0};
        for (uint32_t i = 0; i < n_neg; i++)
            few.negatives += units[i];
        for (uint32_t j = n_neg; j < n_neg + n_pos; j++) {
            uint64_t below = 2 * before;
            for (uint32_t i = 0; i < n_neg; i++) {
                below += units[i] & (0 - (uint64_t) (rows[i] < rows[j]));
                below += units[i] & (0 - (uint64_t) (rows[i] <= rows[j]));
                few.any_equal |= rows[i] == rows[j];
            }
            few.positives += units[j];
            few.twice_u = fastauc_sum(few.twice_u, fastauc_multiply(below, units[j]));
        }
        return few;
    #endif
    }
    """
    ctypedef struct few_t "fastauc_few_t":
        wide_t twice_u
        uint64_t negatives
        uint64_t positives
        int any_equal

    few_t weigh_few "fastauc_weigh"(
        const int32_t *rows,
        const uint64_t *fixed_weights,
        uint32_t n_neg,
        uint32_t n_pos,
        uint64_t before,
    ) noexcept nogil


cdef struct sums_t:
    total_t not_discordant  # twice the weight of the concordant pairs, plus that of the tied ones
    wide_t negatives  # passed so far
    wide_t positives
    bint any_equal  # positive and negative


cpdef double unit_of(double greatest, int exponent) noexcept nogil
cdef bint weigh_placed(
    const part_t *part, row_t *spare, uint64_t *spare_weights, sums_t *sums
) noexcept nogil
cdef as_integers(const sums_t *sums)
