// The clock of comparisons: a program that is loaded with it sees its processor time, that of all its threads, as the
// time that passes. The load of the machine then takes nothing from a limit of seconds. All comparisons and all
// repeated experiments with limits of seconds use this one file.
//
//     cc -O2 -shared -fPIC -o cpuclock.so comparisons/cpuclock.c
//     LD_PRELOAD=$PWD/cpuclock.so soloist reproduce baier-figure-6 --jobs 1 --scale 0.0025 --limit 100
//
// The kernel knows nothing of this: it compares the deadline of a wait with the clock of the machine. Waits until a
// time that the program took from its clock are therefore made here, for as long as that deadline is ahead by
// processor time. Otherwise a deadline would lie in the past at once, and a thread that waits for it would spin at
// the program's expense.
//
// What it holds for: Linux with glibc, 64 bits; clock_gettime (Rust, C++, Python), futexes by syscall (Rust, Abseil),
// conditions and semaphores of POSIX threads (C++, Python), sleeps. Waits in poll, select and epoll keep the
// machine's time. In a program that does nothing but wait the clock stands still; a single wait or sleep ends there
// by the machine's time. The clock of a child that is forked without a new program begins again where its parent's
// began.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdarg.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

typedef long long nanos;
typedef int wait_on(void *first, void *second, clockid_t clock, const struct timespec *until);

// Nanoseconds: a second, the least wait of a thread, how long a reading of the clock is used again.
enum { SECOND = 1000000000, LEAST_WAIT = 5000000, SAME_READING = 50000 };
// A program that uses less than this part of one processor while a thread waits does nothing.
enum { IDLE = 50 };
// Seconds: times of the day are above, times since the start of the machine below.
enum { DAY_TIME = 1000000000 };

static int (*real_gettime)(clockid_t, struct timespec *);
static long (*real_syscall)(long, ...);
static nanos monotonic_start, day_start;
static long processors = 1;

static nanos as_nanos(const struct timespec *time) { return (nanos)time->tv_sec * SECOND + time->tv_nsec; }

static struct timespec as_time(nanos time) { return (struct timespec){time / SECOND, time % SECOND}; }

static nanos machine(clockid_t clock) {
    struct timespec time;
    real_gettime(clock, &time);
    return as_nanos(&time);
}

// What a program sees before anything else of it runs; others may ask for the time before that.
__attribute__((constructor)) static void begin(void) {
    if (real_syscall) return;
    *(void **)&real_gettime = dlsym(RTLD_NEXT, "clock_gettime");
    monotonic_start = machine(CLOCK_MONOTONIC);
    day_start = machine(CLOCK_REALTIME);
    processors = sysconf(_SC_NPROCESSORS_ONLN);
    if (processors < 1) processors = 1;
    *(void **)&real_syscall = dlsym(RTLD_NEXT, "syscall");
}

static nanos processor(void) { return machine(CLOCK_PROCESS_CPUTIME_ID); }

// Reading processor time takes the kernel, so that a thread reads it again after 50 microseconds.
static nanos processor_about(void) {
    static __thread nanos read_at, reading;
    nanos now = machine(CLOCK_MONOTONIC);
    if (!reading || now - read_at >= SAME_READING) {
        reading = processor();
        read_at = now;
    }
    return reading;
}

static int is_day_time(clockid_t clock) { return clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE; }

static int is_shown(clockid_t clock) {
    return is_day_time(clock) || clock == CLOCK_MONOTONIC || clock == CLOCK_MONOTONIC_RAW ||
           clock == CLOCK_MONOTONIC_COARSE || clock == CLOCK_BOOTTIME;
}

int clock_gettime(clockid_t clock, struct timespec *time) {
    begin();
    if (!is_shown(clock)) return real_gettime(clock, time);
    *time = as_time((is_day_time(clock) ? day_start : monotonic_start) + processor_about());
    return 0;
}

// One wait of a thread until a time of the shown clock, as several of the machine's clock.
struct wait {
    clockid_t clock;
    nanos deadline;         // by processor time
    nanos from, spent;      // when the present part began, by the machine, and the processor time then
    struct timespec until;  // when the present part ends, by the machine
};

static struct wait wait_until(const struct timespec *shown, clockid_t clock) {
    nanos start = is_day_time(clock) ? day_start : monotonic_start;
    return (struct wait){.clock = clock, .deadline = as_nanos(shown) - start};
}

// The next part: threads on all processors could reach the deadline at its end, and not earlier.
static const struct timespec *part(struct wait *wait) {
    wait->spent = processor();
    wait->from = machine(wait->clock);
    nanos left = (wait->deadline - wait->spent) / processors;
    wait->until = as_time(wait->from + (left > LEAST_WAIT ? left : LEAST_WAIT));
    return &wait->until;
}

// Whether the wait is over at the end of a part. For a program that does nothing meanwhile the machine's time counts.
static int is_over(struct wait *wait) {
    nanos now = processor();
    if (now >= wait->deadline) return 1;
    nanos passed = machine(wait->clock) - wait->from;
    if ((now - wait->spent) * IDLE >= passed) return 0;
    wait->deadline -= passed;
    return now >= wait->deadline;
}

long syscall(long number, ...) {
    begin();
    va_list list;
    va_start(list, number);
    long a = va_arg(list, long), b = va_arg(list, long), c = va_arg(list, long);
    long d = va_arg(list, long), e = va_arg(list, long), f = va_arg(list, long);
    va_end(list);
    int command = (int)b & FUTEX_CMD_MASK;
    // FUTEX_WAIT has a length of time, which is the machine's, as that of poll is.
    if (number != SYS_futex || command != FUTEX_WAIT_BITSET || !d) return real_syscall(number, a, b, c, d, e, f);
    clockid_t clock = (int)b & FUTEX_CLOCK_REALTIME ? CLOCK_REALTIME : CLOCK_MONOTONIC;
    struct wait wait = wait_until((const struct timespec *)d, clock);
    // The word is compared with its expected value at the begin of each part, so that no wake-up is lost in between.
    for (;;) {
        long result = real_syscall(number, a, b, c, (long)part(&wait), e, f);
        if (result != -1 || errno != ETIMEDOUT || is_over(&wait)) return result;
    }
}

// A signal between two parts would be lost: each part of a wait for a condition ends as a wake-up without cause.
static int condition_wait(pthread_cond_t *condition, pthread_mutex_t *mutex, clockid_t clock,
                          const struct timespec *until) {
    static int (*next)(pthread_cond_t *, pthread_mutex_t *, clockid_t, const struct timespec *);
    if (!next) *(void **)&next = dlsym(RTLD_NEXT, "pthread_cond_clockwait");
    struct wait wait = wait_until(until, clock);
    int result = next(condition, mutex, clock, part(&wait));
    return result == ETIMEDOUT && !is_over(&wait) ? 0 : result;
}

int pthread_cond_clockwait(pthread_cond_t *condition, pthread_mutex_t *mutex, clockid_t clock,
                           const struct timespec *until) {
    begin();
    return condition_wait(condition, mutex, clock, until);
}

// The clock of a condition is not to be seen, but that of the deadline is.
int pthread_cond_timedwait(pthread_cond_t *condition, pthread_mutex_t *mutex, const struct timespec *until) {
    begin();
    return condition_wait(condition, mutex, until->tv_sec >= DAY_TIME ? CLOCK_REALTIME : CLOCK_MONOTONIC, until);
}

int sem_clockwait(sem_t *semaphore, clockid_t clock, const struct timespec *until) {
    static int (*next)(sem_t *, clockid_t, const struct timespec *);
    begin();
    if (!next) *(void **)&next = dlsym(RTLD_NEXT, "sem_clockwait");
    struct wait wait = wait_until(until, clock);
    for (;;) {
        int result = next(semaphore, clock, part(&wait));
        if (result != -1 || errno != ETIMEDOUT || is_over(&wait)) return result;
    }
}

int sem_timedwait(sem_t *semaphore, const struct timespec *until) {
    return sem_clockwait(semaphore, CLOCK_REALTIME, until);
}

int clock_nanosleep(clockid_t clock, int flags, const struct timespec *time, struct timespec *left) {
    static int (*next)(clockid_t, int, const struct timespec *, struct timespec *);
    begin();
    if (!next) *(void **)&next = dlsym(RTLD_NEXT, "clock_nanosleep");
    if (!is_shown(clock)) return next(clock, flags, time, left);
    clockid_t base = is_day_time(clock) ? CLOCK_REALTIME : CLOCK_MONOTONIC;
    struct wait wait = wait_until(time, base);
    if (!(flags & TIMER_ABSTIME)) wait.deadline = processor() + as_nanos(time);
    while (processor() < wait.deadline) {
        int result = next(base, TIMER_ABSTIME, part(&wait), NULL);
        if (result) {
            nanos rest = wait.deadline - processor();
            if (left && !(flags & TIMER_ABSTIME)) *left = as_time(rest > 0 ? rest : 0);
            return result;
        }
        if (is_over(&wait)) break;
    }
    return 0;
}

int nanosleep(const struct timespec *time, struct timespec *left) {
    int result = clock_nanosleep(CLOCK_MONOTONIC, 0, time, left);
    if (!result) return 0;
    errno = result;
    return -1;
}
