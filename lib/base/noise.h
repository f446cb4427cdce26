// SPDX-License-Identifier: Apache-2.0
/*
 * noise: what else this machine did in a span of time: readings of the kernel's counters, and their
 * difference. Layer: base.
 *
 * Others' CPU time is known in two ways. What is left of the time of the cores of this process's
 * affinity, without idle and stolen time, when that of this process, of its descendants (reaped
 * ones included), of other processes that are named, and of kernel threads is taken away: it misses
 * nothing, but the kernel has idle time in units of 10 ms a core. And the sum over all other
 * processes that can be seen: it is exact to microseconds, but misses other containers, and what
 * ended without being waited for. The sum counts, unless it misses more than the units may be.
 *
 * Invariant: what cannot be read is NaN, never 0; a difference of CPU times is never below 0.
 */
#ifndef BASE_NOISE_H
#define BASE_NOISE_H

#include <sched.h>
#include <stddef.h>
#include <sys/types.h>

/* The resources of the kernel's pressure stall information (psi), in /proc/pressure. */
enum noise_resource { NOISE_CPU, NOISE_IO, NOISE_MEMORY, NOISE_RESOURCES };

/* Processes that belong to the measurement, with their descendants, beside this one. */
#define NOISE_ALLIES_MAX 16
struct noise_allies {
    pid_t pids[NOISE_ALLIES_MAX];
    size_t count;
};

/* A reading. Times in seconds; those that are not known are NaN. */
struct noise_reading {
    double at_s;                      /* of the monotonic clock */
    double ahead_s;                   /* of the clock of the day, before the monotonic clock */
    double cores;                     /* of the affinity */
    double idle_s;                    /* of these cores, waits for the disk included */
    double stolen_s;                  /* by the hypervisor */
    double allied_s;                  /* CPU time of this process, its descendants and the allies */
    double kernel_s;                  /* CPU time of kernel threads */
    double others_s;                  /* CPU time of all other processes that can be seen */
    double waited_s[NOISE_RESOURCES]; /* in which a task of the cgroup or the machine waited */
    double throttled_s;               /* of this process's cgroup, by its quota */
    double slowest_hz, fastest_hz;    /* of these cores, now */
};

/* What happened between two readings. */
struct noise {
    double cores;                             /* of the affinity */
    double others_cores;                      /* CPU time of others, divided by the span */
    double stolen_cores;                      /* CPU time stolen by the hypervisor, likewise */
    double pressure_percent[NOISE_RESOURCES]; /* share of the span in which a task waited */
    double throttled_percent; /* share of the span in which the cgroup was stopped by its quota */
    double clock_jump_us;     /* of the clock of the day against the monotonic clock */
    double frequency_percent; /* the slowest core of both readings, as a share of the fastest */
};

/* Takes some milliseconds, more with thousands of processes. allies: NULL for none. */
struct noise_reading noise_read(const struct noise_allies *allies);

struct noise noise_between(const struct noise_reading *before, const struct noise_reading *after);

/* ------------------------------------------------------------------ texts of /proc */

/* Sums the idle time, with waits for the disk, and the stolen time of these cores, from a text of
 * /proc/stat. */
void noise_parse_stat(const char *text, const cpu_set_t *cores, double *idle_s, double *stolen_s);

/* In seconds, NaN if the text lacks it: the total of the line "some" of /proc/pressure, and the
 * time for which a cgroup was throttled, in a cpu.stat of either version. */
double noise_parse_pressure(const char *text);
double noise_parse_throttled(const char *text);

#endif
