// Waits in each way that the clock of comparisons turns, until a time by that clock, while another thread works. A
// wait that comes back at once spins. Exits with 1 and a line for each way that does.
#define _GNU_SOURCE
#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { LENGTH = 30000000, WAYS = 10 };

static volatile int working = 1;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t by_day = PTHREAD_COND_INITIALIZER, by_start;
static sem_t semaphore;
static uint32_t word;

static void *work(void *none) {
    while (working) continue;
    return none;
}

static long shown(clockid_t clock) {
    struct timespec time;
    clock_gettime(clock, &time);
    return time.tv_sec * 1000000000 + time.tv_nsec;
}

// The clock of the machine, by a way that the shown clock does not change.
static long machine(void) {
    struct timespec time;
    syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000000000 + time.tv_nsec;
}

static int futex(int flags, const struct timespec *until) {
    return (int)syscall(SYS_futex, &word, FUTEX_WAIT_BITSET | FUTEX_PRIVATE_FLAG | flags, 0, until, NULL, ~0u);
}

static void once(int way, const struct timespec *until, const struct timespec *left) {
    pthread_mutex_lock(&mutex);
    if (way == 0) futex(0, until);
    if (way == 1) futex(FUTEX_CLOCK_REALTIME, until);
    if (way == 2) pthread_cond_timedwait(&by_day, &mutex, until);
    if (way == 3) pthread_cond_timedwait(&by_start, &mutex, until);
    if (way == 4) pthread_cond_clockwait(&by_start, &mutex, CLOCK_MONOTONIC, until);
    if (way == 5) sem_timedwait(&semaphore, until);
    if (way == 6) sem_clockwait(&semaphore, CLOCK_MONOTONIC, until);
    if (way == 7) clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, until, NULL);
    if (way == 8) clock_nanosleep(CLOCK_MONOTONIC, 0, left, NULL);
    if (way == 9) nanosleep(left, NULL);
    pthread_mutex_unlock(&mutex);
}

int main(void) {
    alarm(60);
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&by_start, &attributes);
    sem_init(&semaphore, 0, 0);
    // In a program that does nothing a wait ends by the time of the machine.
    struct timespec length = {0, LENGTH};
    nanosleep(&length, NULL);
    pthread_t worker;
    pthread_create(&worker, NULL, work, NULL);
    int failed = 0;
    for (int way = 0; way < WAYS; way++) {
        clockid_t clock = way == 1 || way == 2 || way == 5 ? CLOCK_REALTIME : CLOCK_MONOTONIC;
        long end = shown(clock) + LENGTH, returns = 0, early = 0;
        for (long left = LENGTH; left > 0; left = end - shown(clock)) {
            struct timespec until = {end / 1000000000, end % 1000000000}, rest = {0, left};
            long begin = machine();
            once(way, &until, &rest);
            returns++;
            early += machine() - begin < 1000000;
        }
        // A wake-up without cause is allowed, and the last one may be short by what the clock is behind.
        if (early > 3) {
            failed = 1;
            printf("way %d: %ld returns, %ld of them at once\n", way, returns, early);
        }
    }
    working = 0;
    pthread_join(worker, NULL);
    return failed;
}
