/* Loaded before the C library (LD_PRELOAD): one call on a file of a folder fails.

   FAIL_FOLDER, a path's beginning: only files that are opened for writing there are counted.
   FAIL_AT, k: the k-th write, fsync, rename or close of such a file, counted from 1.
   FAIL_HOW: the number of an error to fail with; "short" to write a part; "eintr" to be interrupted
   once and go on when tried again; "kill" to be killed before it, or when half is written; "killed"
   to be killed after it. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

static char watched[4096];
static int n_calls;
static int is_last;

static int is_ours(const char *path) {
    const char *folder = getenv("FAIL_FOLDER");
    return folder != NULL && path != NULL && strncmp(path, folder, strlen(folder)) == 0;
}

/* 0: go on; an errno; -1: a short write, and -2: the last one. */
static int fault(int is_write) {
    const char *at = getenv("FAIL_AT"), *how = getenv("FAIL_HOW");
    if (at == NULL || how == NULL || __sync_add_and_fetch(&n_calls, 1) != atoi(at))
        return 0;
    const char *note = getenv("FAIL_NOTE");  /* says that the moment was reached */
    int fd = note == NULL ? -1 : NEXT(open)(note, O_CREAT | O_WRONLY, 0600);
    if (fd >= 0)
        NEXT(close)(fd);
    if (strcmp(how, "short") == 0)
        return -1;
    if (strcmp(how, "kill") == 0 && !is_write)
        raise(SIGKILL);
    is_last = strncmp(how, "kill", 4) == 0;
    if (is_last)
        return strcmp(how, "kill") == 0 ? -2 : 0;
    return strcmp(how, "eintr") == 0 ? EINTR : atoi(how);
}

static long done(long result) {
    if (is_last)
        raise(SIGKILL);
    return result;
}

static int opened(const char *path, int flags, int fd) {
    if (fd >= 0 && fd < (int)sizeof watched)
        watched[fd] = (flags & O_ACCMODE) != O_RDONLY && is_ours(path);
    return fd;
}

#define OPEN(name)                                                                                 \
    int name(const char *path, int flags, ...) {                                                   \
        va_list rest;                                                                              \
        va_start(rest, flags);                                                                     \
        mode_t mode = va_arg(rest, mode_t);                                                        \
        va_end(rest);                                                                              \
        return opened(path, flags, NEXT(name)(path, flags, mode));                                 \
    }
OPEN(open)
OPEN(open64)

#define WATCHED(fd) ((fd) >= 0 && (fd) < (int)sizeof watched && watched[fd])

ssize_t write(int fd, const void *content, size_t size) {
    int error = WATCHED(fd) ? fault(1) : 0;
    if (error > 0) {
        errno = error;
        return -1;
    }
    return done(NEXT(write)(fd, content, error < 0 ? (size + 1) / 2 : size));
}

int fsync(int fd) {
    int error = WATCHED(fd) ? fault(0) : 0;
    if (error > 0) {
        errno = error;
        return -1;
    }
    return (int)done(NEXT(fsync)(fd));
}

int rename(const char *from, const char *to) {
    int error = is_ours(to) ? fault(0) : 0;
    if (error > 0 && error != EINTR) {
        errno = error;
        return -1;
    }
    return (int)done(NEXT(rename)(from, to));
}

int close(int fd) {
    int error = WATCHED(fd) ? fault(0) : 0;
    int result = (int)done(NEXT(close)(fd));
    if (fd >= 0 && fd < (int)sizeof watched)
        watched[fd] = 0;
    if (error > 0 && error != EINTR) {
        errno = error;
        return -1;
    }
    return result;
}
