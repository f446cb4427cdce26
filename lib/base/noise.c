// SPDX-License-Identifier: Apache-2.0
#include "base/noise.h"

#include "base/clock.h"
#include "base/cores.h"
#include "base/memory.h"
#include "base/process.h"
#include "base/text.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define TEXT_SIZE 65536

/* ------------------------------------------------------------------ texts of /proc */

/* "cpu0 user nice system idle iowait irq softirq steal": the line "cpu" is the sum of all. */
void noise_parse_stat(const char *text, const cpu_set_t *cores, double *idle_s, double *stolen_s)
{
    const double ticks_per_s = (double)sysconf(_SC_CLK_TCK);
    *idle_s = *stolen_s = 0;
    for (const char *line = text; line != NULL; line = strchr(line, '\n')) {
        unsigned core;
        unsigned long long idle, waits, stolen;
        line += *line == '\n';
        if (sscanf(line, "cpu%u %*u %*u %*u %llu %llu %*u %*u %llu", &core, &idle, &waits,
                   &stolen) == 4 &&
            core < CPU_SETSIZE && CPU_ISSET(core, cores)) {
            *idle_s += (double)(idle + waits) / ticks_per_s;
            *stolen_s += (double)stolen / ticks_per_s;
        }
    }
}

double noise_parse_pressure(const char *text)
{
    double total_us;
    return sscanf(text, "some avg10=%*f avg60=%*f avg300=%*f total=%lf", &total_us) == 1
               ? total_us / 1e6
               : NAN;
}

/* Version 2 has throttled_usec, version 1 throttled_time in nanoseconds. */
double noise_parse_throttled(const char *text)
{
    const char *of_2 = strstr(text, "throttled_usec "), *of_1 = strstr(text, "throttled_time ");
    if (of_2 != NULL)
        return strtod(of_2 + strlen("throttled_usec "), NULL) / 1e6;
    return of_1 != NULL ? strtod(of_1 + strlen("throttled_time "), NULL) / 1e9 : NAN;
}

/* ------------------------------------------------------------------ the machine */

static void read_cores(struct noise_reading *reading)
{
    char *text = memory_new(1, TEXT_SIZE), hertz[32];
    cpu_set_t mine;
    if (sched_getaffinity(0, sizeof mine, &mine) != 0)
        CPU_ZERO(&mine);
    reading->cores = CPU_COUNT(&mine);
    text_read(text, TEXT_SIZE, "/proc/stat");
    noise_parse_stat(text, &mine, &reading->idle_s, &reading->stolen_s);
    reading->slowest_hz = reading->fastest_hz = NAN;
    for (unsigned core = 0; core < CPU_SETSIZE; core++) {
        if (!CPU_ISSET(core, &mine))
            continue;
        text_read(hertz, sizeof hertz, "/sys/devices/system/cpu/cpu%u/cpufreq/scaling_cur_freq",
                  core);
        double hz = strtod(hertz, NULL) * 1e3;
        if (hz > 0) { /* the minimum and the maximum of a number and NaN are the number */
            reading->slowest_hz = fmin(reading->slowest_hz, hz);
            reading->fastest_hz = fmax(reading->fastest_hz, hz);
        }
    }
    free(text);
}

static void read_cgroups(struct noise_reading *reading)
{
    static const char *const names[] = {
        [NOISE_CPU] = "cpu", [NOISE_IO] = "io", [NOISE_MEMORY] = "memory"};
    struct cgroup cgroups[CGROUPS_MAX];
    size_t count = cgroups_find("/proc/self", cgroups);
    char path[PATH_MAX + 32], text[1024];
    const char *version_2 = "";
    reading->throttled_s = NAN;
    for (size_t i = 0; i < count; i++) {
        text_read(text, sizeof text, "%s/cpu.stat", cgroups[i].folder);
        reading->throttled_s = fmax(reading->throttled_s, noise_parse_throttled(text));
        snprintf(path, sizeof path, "%s/cgroup.controllers", cgroups[i].folder);
        if (access(path, R_OK) == 0)
            version_2 = cgroups[i].folder;
    }
    /* The pressure in the cgroup's own file is of its processes alone; the root has none. */
    for (int i = 0; i < NOISE_RESOURCES; i++) {
        if (version_2[0] == '\0' ||
            !text_read(text, sizeof text, "%s/%s.pressure", version_2, names[i]))
            text_read(text, sizeof text, "/proc/pressure/%s", names[i]);
        reading->waited_s[i] = noise_parse_pressure(text);
    }
}

/* ------------------------------------------------------------------ processes */

/* Whether it is this process or an ally, or descends from one. */
static bool is_allied(const struct process *list, size_t count, const struct process *process,
                      const struct noise_allies *allies)
{
    while (process != NULL && process->pid != getpid()) {
        const struct process *parent = NULL;
        for (size_t i = 0; allies != NULL && i < allies->count; i++) {
            if (allies->pids[i] == process->pid)
                return true;
        }
        for (size_t i = 0; i < count && parent == NULL; i++)
            parent = list[i].pid == process->parent ? &list[i] : NULL;
        process = parent;
    }
    return process != NULL;
}

/* The children that this process has reaped are known more exactly than stat has them. */
static void read_processes(const struct noise_allies *allies, struct noise_reading *reading)
{
    struct process *list;
    size_t count = process_list(&list);
    struct rusage reaped;
    getrusage(RUSAGE_CHILDREN, &reaped);
    reading->allied_s = (double)(reaped.ru_utime.tv_sec + reaped.ru_stime.tv_sec) +
                        (double)(reaped.ru_utime.tv_usec + reaped.ru_stime.tv_usec) / 1e6;
    reading->kernel_s = reading->others_s = 0;
    for (size_t i = 0; i < count; i++) {
        uint64_t reaped_ns = list[i].pid == getpid() ? 0 : list[i].reaped_cpu_ns;
        if (list[i].is_kernel)
            reading->kernel_s += (double)list[i].cpu_ns / 1e9;
        else if (is_allied(list, count, &list[i], allies))
            reading->allied_s += (double)(list[i].cpu_ns + reaped_ns) / 1e9;
        else
            reading->others_s += (double)(list[i].cpu_ns + reaped_ns) / 1e9;
    }
    free(list);
}

/* ------------------------------------------------------------------ readings */

struct noise_reading noise_read(const struct noise_allies *allies)
{
    struct noise_reading reading;
    read_cgroups(&reading);
    read_processes(allies, &reading);
    uint64_t now_ns = clock_now_ns();
    reading.at_s = (double)now_ns / 1e9;
    reading.ahead_s = (double)(int64_t)(clock_utc_ns() - now_ns) / 1e9;
    read_cores(&reading);
    return reading;
}

static double others_cores(const struct noise_reading *before, const struct noise_reading *after)
{
    double span_s = after->at_s - before->at_s, idle_s = after->idle_s - before->idle_s,
           known_s = after->stolen_s - before->stolen_s + after->allied_s - before->allied_s +
                     /* a thread of the kernel that ends takes its time along */
                     fmax(0, after->kernel_s - before->kernel_s),
           most_s = after->cores * span_s - known_s, left_s = most_s - idle_s,
           seen_s = fmax(0, after->others_s - before->others_s),
           /* the units of idle time, of each core at both readings */
        rounding_s = 2 * after->cores / (double)sysconf(_SC_CLK_TCK);
    /* A process that was in no list, because it had ended, leaves all its time to whoever reaps it:
     * more than there was to use. */
    bool misses_some = left_s > seen_s + rounding_s, is_impossible = seen_s > most_s + rounding_s;
    return fmax(0, misses_some || is_impossible ? left_s : seen_s) / span_s;
}

struct noise noise_between(const struct noise_reading *before, const struct noise_reading *after)
{
    double span_s = after->at_s - before->at_s;
    struct noise noise = {
        .cores = after->cores,
        .others_cores = others_cores(before, after),
        .stolen_cores = (after->stolen_s - before->stolen_s) / span_s,
        .throttled_percent = 100 * (after->throttled_s - before->throttled_s) / span_s,
        .clock_jump_us = (after->ahead_s - before->ahead_s) * 1e6,
        .frequency_percent = 100 * fmin(before->slowest_hz, after->slowest_hz) /
                             fmax(before->fastest_hz, after->fastest_hz),
    };
    for (int i = 0; i < NOISE_RESOURCES; i++)
        noise.pressure_percent[i] = 100 * (after->waited_s[i] - before->waited_s[i]) / span_s;
    return noise;
}
