/* Loaded before the C library (LD_PRELOAD): threads that are not Python's are late.

   Each rests for up to 50 ms whenever it unlocks a mutex. If it then asks for the GIL, it gets it
   only when the interpreter is ending, and says so: "a late thread asks for the GIL". Python ends a
   thread that asks by then, and C++ ends the process whose thread is ended within a destructor. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

static __thread unsigned state;

static int is_late(void) {
    void *(*python_state)(void) = dlsym(RTLD_DEFAULT, "PyGILState_GetThisThreadState");
    return syscall(SYS_gettid) != getpid() && (python_state == NULL || python_state() == NULL);
}

int pthread_mutex_unlock(pthread_mutex_t *mutex) {
    int status = NEXT(pthread_mutex_unlock)(mutex);
    if (is_late()) {
        if (state == 0)
            state = syscall(SYS_gettid);
        usleep(rand_r(&state) % 50000);
    }
    return status;
}

int PyGILState_Ensure(void);

int PyGILState_Ensure(void) {
    static const char said[] = "a late thread asks for the GIL\n";
    int (*is_ending)(void) = dlsym(RTLD_DEFAULT, "_Py_IsFinalizing");
    if (is_ending == NULL)
        is_ending = dlsym(RTLD_DEFAULT, "Py_IsFinalizing");
    if (is_late()) {
        (void)!write(2, said, sizeof said - 1);
        while (is_ending != NULL && !is_ending())
            usleep(100);
    }
    return NEXT(PyGILState_Ensure)();
}
