// Loaded behind the clock: counts the waits that the kernel gets with a deadline, those whose deadline lies in the
// past, and the processor time of the threads that wait. Writes these and the processor time of the process at its
// end.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <linux/futex.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <time.h>

static long waits, past, waiters;
static __thread long counted;

static long now(clockid_t clock) {
    static int (*gettime)(clockid_t, struct timespec *);
    if (!gettime) *(void **)&gettime = dlsym(RTLD_NEXT, "clock_gettime");
    struct timespec time;
    gettime(clock, &time);
    return time.tv_sec * 1000000000 + time.tv_nsec;
}

long syscall(long number, ...) {
    static long (*next)(long, ...);
    if (!next) *(void **)&next = dlsym(RTLD_NEXT, "syscall");
    va_list list;
    va_start(list, number);
    long a = va_arg(list, long), b = va_arg(list, long), c = va_arg(list, long);
    long d = va_arg(list, long), e = va_arg(list, long), f = va_arg(list, long);
    va_end(list);
    if (number == SYS_futex && ((int)b & FUTEX_CMD_MASK) == FUTEX_WAIT_BITSET && d) {
        const struct timespec *until = (const struct timespec *)d;
        long used = now(CLOCK_THREAD_CPUTIME_ID);
        __atomic_add_fetch(&waits, 1, __ATOMIC_RELAXED);
        __atomic_add_fetch(&waiters, used - counted, __ATOMIC_RELAXED);
        counted = used;
        long deadline = until->tv_sec * 1000000000 + until->tv_nsec;
        if (deadline <= now(CLOCK_MONOTONIC)) __atomic_add_fetch(&past, 1, __ATOMIC_RELAXED);
    }
    return next(number, a, b, c, d, e, f);
}

__attribute__((destructor)) static void end(void) {
    fprintf(stderr, "%ld %ld %ld %ld\n", waits, past, waiters, now(CLOCK_PROCESS_CPUTIME_ID));
}
