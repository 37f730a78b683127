// A clock for experiments whose budgets are seconds, so that the load of the machine does not count: threads that search
// see the processor time of the process. The first thread and the watchers of limits keep the machine's clock.
//
//     cc -O2 -shared -fPIC -o cpuclock.so docs/results/reproduce/cpuclock.c
//     LD_PRELOAD=$PWD/cpuclock.so soloist reproduce baier-figure-6 --jobs 1 --scale 0.0025 --limit 100
#define _GNU_SOURCE
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum kind { UNKNOWN, WATCHES, SEARCHES };
static __thread enum kind kind;

int clock_gettime(clockid_t id, struct timespec *time) {
    if (id == CLOCK_MONOTONIC && kind == UNKNOWN) {
        char name[17] = {0};
        prctl(PR_GET_NAME, name);
        kind = syscall(SYS_gettid) == getpid() || !strcmp(name, "limits") ? WATCHES : SEARCHES;
    }
    if (id != CLOCK_MONOTONIC || kind != SEARCHES) return (int)syscall(SYS_clock_gettime, id, time);
    int failed = (int)syscall(SYS_clock_gettime, CLOCK_PROCESS_CPUTIME_ID, time);
    time->tv_sec += 10000000;  // not before what the first thread saw
    return failed;
}
