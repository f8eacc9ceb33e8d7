/* Loaded by LD_PRELOAD: lets one allocation fail that compiled code of one folder asks for.

   Who asks is found by going outward from the allocation, past this library, the C library and the
   interpreter: the first frame that lies elsewhere. What others ask for is left alone: not all of
   them are made to go on without memory. The allocators of the interpreter are asked first, for
   they may have a block to give without a call of malloc. */

#define _GNU_SOURCE
#include <errno.h>
#include <link.h>
#include <stddef.h>
#include <string.h>
#include <unwind.h>

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);

struct allocator { /* PyMemAllocatorEx */
    void *context;
    void *(*malloc)(void *, size_t);
    void *(*calloc)(void *, size_t, size_t);
    void *(*realloc)(void *, void *, size_t);
    void (*free)(void *, void *);
};
/* Weak, for this library is loaded into programs without Python as well. */
extern void PyMem_GetAllocator(int, struct allocator *) __attribute__((weak));
extern void PyMem_SetAllocator(int, struct allocator *) __attribute__((weak));

enum { MOST = 256, DOMAINS = 3 };
static struct { ElfW(Addr) begin, end; int is_passed; } segments[MOST];
static int n_segments;
static struct allocator known[DOMAINS];
static size_t least;
static long left; /* allocations up to the one that fails */
static __thread int depth; /* above 0 in an allocation that has been looked at */

static _Unwind_Reason_Code look(struct _Unwind_Context *frame, void *is_theirs) {
    ElfW(Addr) address = _Unwind_GetIP(frame);
    for (int i = 0; i < n_segments; i++)
        if (segments[i].begin <= address && address < segments[i].end) {
            if (segments[i].is_passed)
                return _URC_NO_REASON;
            *(int *)is_theirs = 1;
        }
    return _URC_END_OF_STACK;
}

static int fails(size_t size) {
    int is_theirs = 0;
    if (depth || size < least || __atomic_load_n(&left, __ATOMIC_SEQ_CST) <= 0)
        return 0;
    depth++;
    _Unwind_Backtrace(look, &is_theirs);
    depth--;
    if (!is_theirs || __atomic_sub_fetch(&left, 1, __ATOMIC_SEQ_CST) != 0)
        return 0;
    errno = ENOMEM;
    return 1;
}

void *malloc(size_t size) {
    return fails(size) ? NULL : __libc_malloc(size);
}

void *calloc(size_t n, size_t size) {
    return fails(n * size) ? NULL : __libc_calloc(n, size);
}

void *realloc(void *old, size_t size) {
    return fails(size) ? NULL : __libc_realloc(old, size);
}

#define UNLESS_FAILS(size, call)                                                                   \
    if (fails(size))                                                                               \
        return NULL;                                                                               \
    depth++;                                                                                       \
    void *block = call;                                                                            \
    depth--;                                                                                       \
    return block

static void *own_malloc(void *next, size_t size) {
    struct allocator *a = next;
    UNLESS_FAILS(size, a->malloc(a->context, size));
}

static void *own_calloc(void *next, size_t n, size_t size) {
    struct allocator *a = next;
    UNLESS_FAILS(n * size, a->calloc(a->context, n, size));
}

static void *own_realloc(void *next, void *old, size_t size) {
    struct allocator *a = next;
    UNLESS_FAILS(size, a->realloc(a->context, old, size));
}

static void own_free(void *next, void *block) {
    struct allocator *a = next;
    a->free(a->context, block);
}

static int add_segments(struct dl_phdr_info *info, size_t size, void *folder) {
    void *passed[] = {add_segments, __libc_malloc, PyMem_GetAllocator};
    int is_theirs = strncmp(info->dlpi_name, folder, strlen(folder)) == 0;
    (void)size;
    for (int i = 0; i < info->dlpi_phnum && n_segments < MOST; i++) {
        const ElfW(Phdr) *header = &info->dlpi_phdr[i];
        ElfW(Addr) begin = info->dlpi_addr + header->p_vaddr, end = begin + header->p_memsz;
        int is_passed = 0;
        for (int j = 0; j < 3; j++)
            is_passed |= begin <= (ElfW(Addr))passed[j] && (ElfW(Addr))passed[j] < end;
        segments[n_segments] = (typeof(*segments)){begin, end, is_passed};
        n_segments += header->p_type == PT_LOAD && (is_theirs || is_passed);
    }
    return 0;
}

/* Let no further allocation fail; tell whether one has failed. */
int fail_none(void) {
    return __atomic_exchange_n(&left, 0, __ATOMIC_SEQ_CST) <= 0;
}

/* Let the k-th allocation of at least so many bytes fail, counted from 1, that a module asks for
   whose path begins with the folder. */
void fail_at(long k, size_t bytes, char *folder) {
    for (int i = 0; i < DOMAINS && known[i].malloc == NULL; i++) {
        struct allocator own = {&known[i], own_malloc, own_calloc, own_realloc, own_free};
        PyMem_GetAllocator(i, &known[i]);
        PyMem_SetAllocator(i, &own);
    }
    n_segments = 0;
    dl_iterate_phdr(add_segments, folder);
    least = bytes;
    __atomic_store_n(&left, k, __ATOMIC_SEQ_CST);
}
