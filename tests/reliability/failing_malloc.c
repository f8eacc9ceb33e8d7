/* Loaded by LD_PRELOAD: lets one allocation of numpy, Python or fastauc fail.

   Others, such as those of the C library and of libraries in C++, are left alone: not all of them
   are made to go on without memory. The caller is known by the address that it returns to. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stddef.h>
#include <string.h>

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);

enum { MOST = 256 };
static struct { ElfW(Addr) begin, end; } ours[MOST];
static int n_ours;
static size_t least;
static long left; /* allocations up to the one that fails */
static __thread int is_watched;

static int add_segments(struct dl_phdr_info *info, size_t size, void *nothing)
{
    const char *name = info->dlpi_name;
    (void)size;
    (void)nothing;
    if (*name && !strstr(name, "numpy") && !strstr(name, "fastauc") && !strstr(name, "libpython"))
        return 0;
    for (int i = 0; i < info->dlpi_phnum && n_ours < MOST; i++) {
        const ElfW(Phdr) *header = &info->dlpi_phdr[i];
        if (header->p_type == PT_LOAD && (header->p_flags & PF_X)) {
            ours[n_ours].begin = info->dlpi_addr + header->p_vaddr;
            ours[n_ours].end = ours[n_ours].begin + header->p_memsz;
            n_ours++;
        }
    }
    return 0;
}

/* Let no further allocation fail. */
void fail_none(void)
{
    __atomic_store_n(&left, 0, __ATOMIC_SEQ_CST);
}

/* Let the k-th allocation of at least so many bytes fail; the first is 1.

   Only those of watched threads fail, of which the caller is one. */
void fail_at(long k, size_t bytes)
{
    fail_none();
    if (n_ours == 0)
        dl_iterate_phdr(add_segments, NULL);
    least = bytes;
    is_watched = 1;
    __atomic_store_n(&left, k, __ATOMIC_SEQ_CST);
}

/* Let allocations of this thread fail as well. */
void watch_thread(void)
{
    is_watched = 1;
}

/* Let them fail no longer. */
void unwatch_thread(void)
{
    is_watched = 0;
}

static int fails(void *caller, size_t size)
{
    ElfW(Addr) address = (ElfW(Addr))caller;
    if (!is_watched || __atomic_load_n(&left, __ATOMIC_SEQ_CST) <= 0 || size < least)
        return 0;
    for (int i = 0; i < n_ours; i++)
        if (ours[i].begin <= address && address < ours[i].end) {
            if (__atomic_sub_fetch(&left, 1, __ATOMIC_SEQ_CST) != 0)
                return 0;
            errno = ENOMEM;
            return 1;
        }
    return 0;
}

#define CALLER __builtin_return_address(0)

void *malloc(size_t size)
{
    return fails(CALLER, size) ? NULL : __libc_malloc(size);
}

void *calloc(size_t n, size_t size)
{
    return fails(CALLER, n * size) ? NULL : __libc_calloc(n, size);
}

void *realloc(void *block, size_t size)
{
    return fails(CALLER, size) ? NULL : __libc_realloc(block, size);
}

void *aligned_alloc(size_t alignment, size_t size)
{
    return fails(CALLER, size) ? NULL : __libc_memalign(alignment, size);
}

int posix_memalign(void **block, size_t alignment, size_t size)
{
    if (fails(CALLER, size))
        return ENOMEM;
    *block = __libc_memalign(alignment, size);
    return *block ? 0 : ENOMEM;
}
