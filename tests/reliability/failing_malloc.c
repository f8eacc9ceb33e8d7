/* Loaded by LD_PRELOAD: lets one allocation fail that compiled code of one folder asks for.

   Who asks is found by going outward from the allocation, past this library, the C library and the
   interpreter: the first frame that lies elsewhere. What others ask for is left alone: not all of
   them are made to go on without memory. The interpreter is asked by its own allocators, which may
   have blocks to give without asking the C library; the C library by whoever calls malloc. */

#define _GNU_SOURCE
#include <errno.h>
#include <link.h>
#include <stddef.h>
#include <string.h>
#include <unwind.h>

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);

/* PyMemAllocatorEx. Weak, for the library is loaded into programs without Python as well. */
struct allocator {
    void *context;
    void *(*malloc)(void *, size_t);
    void *(*calloc)(void *, size_t, size_t);
    void *(*realloc)(void *, void *, size_t);
    void (*free)(void *, void *);
};
extern void PyMem_GetAllocator(int, struct allocator *) __attribute__((weak));
extern void PyMem_SetAllocator(int, struct allocator *) __attribute__((weak));

enum { MOST = 256, DOMAINS = 3 };
static struct { ElfW(Addr) begin, end; int is_passed; } segments[MOST];
static int n_segments;
static struct allocator own[DOMAINS];
static size_t least;
static long left; /* allocations up to the one that fails */
static __thread int depth; /* above 0: in an allocation that has been looked at */

static _Unwind_Reason_Code look(struct _Unwind_Context *frame, void *is_theirs)
{
    ElfW(Addr) address = _Unwind_GetIP(frame);
    for (int i = 0; i < n_segments; i++)
        if (segments[i].begin <= address && address < segments[i].end) {
            if (segments[i].is_passed)
                return _URC_NO_REASON;
            *(int *)is_theirs = 1;
        }
    return _URC_END_OF_STACK;
}

static int fails(size_t size)
{
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

static void *own_malloc(void *context, size_t size)
{
    struct allocator *next = context;
    if (fails(size))
        return NULL;
    depth++;
    void *block = next->malloc(next->context, size);
    depth--;
    return block;
}

static void *own_calloc(void *context, size_t n, size_t size)
{
    struct allocator *next = context;
    if (fails(n * size))
        return NULL;
    depth++;
    void *block = next->calloc(next->context, n, size);
    depth--;
    return block;
}

static void *own_realloc(void *context, void *old, size_t size)
{
    struct allocator *next = context;
    if (fails(size))
        return NULL;
    depth++;
    void *block = next->realloc(next->context, old, size);
    depth--;
    return block;
}

static void own_free(void *context, void *block)
{
    struct allocator *next = context;
    next->free(next->context, block);
}

static int add_segments(struct dl_phdr_info *info, size_t size, void *folder)
{
    ElfW(Addr) passed[] = {
        (ElfW(Addr))add_segments, (ElfW(Addr))__libc_malloc, (ElfW(Addr))PyMem_GetAllocator
    };
    int is_theirs = strncmp(info->dlpi_name, folder, strlen(folder)) == 0;
    (void)size;
    for (int i = 0; i < info->dlpi_phnum && n_segments < MOST; i++) {
        const ElfW(Phdr) *header = &info->dlpi_phdr[i];
        ElfW(Addr) begin = info->dlpi_addr + header->p_vaddr, end = begin + header->p_memsz;
        int is_passed = 0;
        if (header->p_type != PT_LOAD || !(header->p_flags & PF_X))
            continue;
        for (int j = 0; j < 3; j++)
            is_passed |= begin <= passed[j] && passed[j] < end;
        segments[n_segments].begin = begin;
        segments[n_segments].end = end;
        segments[n_segments].is_passed = is_passed;
        n_segments += is_theirs || is_passed;
    }
    return 0;
}

/* Let no further allocation fail; tell whether one has failed. */
int fail_none(void)
{
    return __atomic_exchange_n(&left, 0, __ATOMIC_SEQ_CST) <= 0;
}

/* Let the k-th allocation of at least so many bytes fail, counted from 1, that a module asks for
   whose path begins with the folder. */
void fail_at(long k, size_t bytes, char *folder)
{
    for (int i = 0; i < DOMAINS && own[i].malloc == NULL; i++) {
        struct allocator ours = {&own[i], own_malloc, own_calloc, own_realloc, own_free};
        PyMem_GetAllocator(i, &own[i]);
        PyMem_SetAllocator(i, &ours);
    }
    n_segments = 0;
    dl_iterate_phdr(add_segments, folder);
    least = bytes;
    __atomic_store_n(&left, k, __ATOMIC_SEQ_CST);
}

void *malloc(size_t size)
{
    return fails(size) ? NULL : __libc_malloc(size);
}

void *calloc(size_t n, size_t size)
{
    return fails(n * size) ? NULL : __libc_calloc(n, size);
}

void *realloc(void *block, size_t size)
{
    return fails(size) ? NULL : __libc_realloc(block, size);
}

void *aligned_alloc(size_t alignment, size_t size)
{
    return fails(size) ? NULL : __libc_memalign(alignment, size);
}

int posix_memalign(void **block, size_t alignment, size_t size)
{
    if (fails(size))
        return ENOMEM;
    *block = __libc_memalign(alignment, size);
    return *block ? 0 : ENOMEM;
}
