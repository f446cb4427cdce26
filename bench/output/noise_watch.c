// SPDX-License-Identifier: Apache-2.0
#include "bench/output/noise_watch.h"

#include "base/memory.h"
#include "bench/output/verdict.h"
#include "servers/listener.h"

#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define QUIET_NS   (500 * NS_PER_MS) /* the span that must have been quiet */
#define IDLE_NS    NS_PER_MS         /* between two round trips of an idle session */
#define FLUSH_SIZE 512

TABLE_DEFINE(noise_row, "", NOISE_COLUMNS)

/* ------------------------------------------------------------------ the beginning and the end */

/* Processes of servers that do not descend from this program: those of `zkherd ensemble start`, and
 * those of --connect on this host. What runs in a container beside this one cannot be told. */
static void find_allies(struct noise_watch *watch, const struct target *target)
{
    watch->tells_others = true;
    if (target->ensemble != NULL)
        return;
    for (size_t i = 0; i < target->servers.count && i < NOISE_ALLIES_MAX; i++) {
        pid_t pid;
        enum listener_place place = listener_find(&target->servers.endpoints[i], &pid);
        if (place == LISTENER_HERE)
            watch->allies.pids[watch->allies.count++] = pid;
        watch->tells_others = watch->tells_others && place != LISTENER_UNKNOWN;
    }
}

enum error_kind noise_watch_open(struct noise_watch *watch, const struct target_options *options,
                                 const struct targets *targets, struct error *error)
{
    *watch = (struct noise_watch){.targets = targets};
    if (options->driver == DRIVER_SIMULATED)
        return ERROR_NONE;
    watch->options = &options->noise;
    if (options->noise.mode == NOISE_OFF)
        return ERROR_NONE;
    watch->floor = memory_new(1, sizeof *watch->floor);
    watch->idle = memory_new(1, sizeof *watch->idle);
    return core_probe_new(&watch->probe, error);
}

void noise_watch_close(struct noise_watch *watch)
{
    core_probe_free(watch->probe);
    free(watch->floor);
    free(watch->idle);
    *watch = (struct noise_watch){0};
}

/* ------------------------------------------------------------------ the floor */

/* The session waits between two requests, as an idle session does. */
static enum error_kind go_and_return(struct noise_watch *watch, const struct target *target,
                                     struct error *error)
{
    bool exists;
    poll(NULL, 0, (int)(IDLE_NS / NS_PER_MS));
    uint64_t began_ns = clock_now_ns();
    enum error_kind kind = setup_session_exists(target->setup, target->root, &exists, error);
    if (kind == ERROR_NONE)
        histogram_record(watch->idle, clock_now_ns() - began_ns);
    return kind;
}

static void add_to_floor(struct noise_watch *watch)
{
    histogram_add(&watch->floor->idle, watch->idle);
}

/* The first half of the time warms the servers up. */
enum error_kind noise_watch_look(struct noise_watch *watch, size_t planned, struct error *error)
{
    enum error_kind kind = ERROR_NONE;
    bool warm = false;
    uint64_t began_ns = clock_now_ns();
    if (watch->options == NULL)
        return ERROR_NONE;
    watch->retries = watch->options->retries_given ? watch->options->retries : planned;
    if (watch->floor == NULL)
        return ERROR_NONE;
    find_allies(watch, &watch->targets->list[0]);
    while (kind == ERROR_NONE && clock_now_ns() - began_ns < NOISE_LOOK_NS) {
        if (!warm && clock_now_ns() - began_ns >= NOISE_LOOK_NS / 2) {
            warm = true;
            *watch->idle = (struct histogram){0};
            (void)core_probe_take(watch->probe);
            watch->before = noise_read(&watch->allies);
        }
        for (size_t i = 0; kind == ERROR_NONE && i < watch->targets->count; i++)
            kind = go_and_return(watch, &watch->targets->list[i], error);
    }
    if (kind != ERROR_NONE)
        return kind;
    const struct noise_reading after = noise_read(&watch->allies);
    watch->floor->others = noise_between(&watch->before, &after);
    watch->floor->loop = core_probe_take(watch->probe);
    watch->floor->known = true;
    add_to_floor(watch);
    return ERROR_NONE;
}

uint64_t noise_watch_floor_ns(const struct noise_watch *watch, double percent)
{
    return watch->floor != NULL && watch->floor->known
               ? histogram_percentile_ns(&watch->floor->idle, percent)
               : 0;
}

/* ------------------------------------------------------------------ what disturbs */

/* The share of the cores that zkherd and its servers could not use; NaN compares as quiet. */
static double share_lost(const struct noise_watch *watch, const struct noise *noise)
{
    double others = watch->tells_others ? noise->others_cores : 0;
    return (others + noise->stolen_cores) / noise->cores;
}

/* Writes what disturbs, as a clause; "" if nothing does. */
static const char *name_disturbance(const struct noise_watch *watch, const struct noise *noise,
                                    char *text, size_t size)
{
    text[0] = '\0';
    if (share_lost(watch, noise) > NOISE_SHARE_MAX)
        text_append_clause(text, size, "others used %.1f of %.0f cores",
                           share_lost(watch, noise) * noise->cores, noise->cores);
    if (noise->throttled_percent > NOISE_THROTTLE_MAX)
        text_append_clause(text, size, "the quota of the cgroup stopped zkherd for %.0f %% of it",
                           noise->throttled_percent);
    if (fabs(noise->clock_jump_us) > NOISE_JUMP_MAX_US)
        text_append_clause(text, size, "the clock of the day jumped by %.1f s",
                           noise->clock_jump_us / 1e6);
    return text;
}

const char *noise_watch_caution(const struct noise_watch *watch, char *text, size_t size)
{
    char what[256];
    text[0] = '\0';
    if (watch->floor != NULL &&
        name_disturbance(watch, &watch->floor->others, what, sizeof what)[0] != '\0')
        snprintf(text, size,
                 "the machine is busy (before the first trial %s): times are those of this "
                 "machine as much as ZooKeeper's; counts are exact",
                 what);
    return text;
}

/* Waits until a span was quiet, or the time is over. */
static void wait_for_quiet(struct noise_watch *watch)
{
    char what[256];
    uint64_t until_ns = clock_now_ns() + watch->options->quiet_ns;
    bool quiet = watch->options->quiet_ns == 0;
    while (!quiet && clock_now_ns() < until_ns) {
        const struct noise_reading before = noise_read(&watch->allies);
        if (targets_rest(watch->targets, (int)(QUIET_NS / NS_PER_MS)))
            return;
        const struct noise_reading after = noise_read(&watch->allies);
        const struct noise noise = noise_between(&before, &after);
        quiet = name_disturbance(watch, &noise, what, sizeof what)[0] == '\0';
    }
}

/* ------------------------------------------------------------------ a trial */

/* The time of a flush in the folder of private servers that wait for the disk; else NaN. */
static double flush_us(const struct target *target)
{
    static const char block[FLUSH_SIZE];
    if (target->ensemble == NULL || !target->ensemble->options.fsync)
        return NAN;
    int file = open(target->ensemble->folder, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
    uint64_t began_ns = clock_now_ns();
    bool flushed = file >= 0 && write(file, block, sizeof block) == (ssize_t)sizeof block &&
                   fdatasync(file) == 0;
    uint64_t took_ns = clock_now_ns() - began_ns;
    if (file >= 0)
        close(file);
    return flushed ? (double)took_ns / 1e3 : NAN;
}

enum error_kind noise_watch_begin(struct noise_watch *watch, const struct target *target,
                                  struct error *error)
{
    enum error_kind kind = ERROR_NONE;
    watch->attempt = watch->again ? watch->attempt + 1 : 1;
    watch->again = watch->disturbed = false;
    if (watch->floor == NULL)
        return ERROR_NONE;
    wait_for_quiet(watch);
    *watch->idle = (struct histogram){0};
    for (int i = 0; kind == ERROR_NONE && i < NOISE_ROUND_TRIPS; i++)
        kind = go_and_return(watch, target, error);
    add_to_floor(watch);
    watch->flush_us = flush_us(target);
    (void)core_probe_take(watch->probe);
    watch->before = noise_read(&watch->allies);
    return kind;
}

static void put(const struct noise_watch *watch, const struct noise *noise,
                const struct core_probe_times *loop, struct table_value *columns)
{
    columns[noise_row_noise_others_cores] =
        table_real(watch->tells_others ? noise->others_cores : NAN);
    columns[noise_row_noise_stolen_cores] = table_real(noise->stolen_cores);
    for (int i = 0; i < NOISE_RESOURCES; i++)
        columns[noise_row_noise_cpu_pressure_percent + i] = table_real(noise->pressure_percent[i]);
    columns[noise_row_noise_throttled_percent] = table_real(noise->throttled_percent);
    columns[noise_row_noise_clock_jump_us] = table_real(noise->clock_jump_us);
    columns[noise_row_noise_frequency_percent] = table_real(noise->frequency_percent);
    columns[noise_row_noise_flush_us] = table_real(watch->flush_us);
    columns[noise_row_noise_idle_p50_us] = table_real(histogram_percentile_us(watch->idle, 50));
    columns[noise_row_noise_idle_p99_us] = table_real(histogram_percentile_us(watch->idle, 99));
    columns[noise_row_noise_idle_max_us] = table_real(histogram_percentile_us(watch->idle, 100));
    if (loop->turns == 0)
        return;
    columns[noise_row_noise_loop_p50_us] = table_real((double)loop->p50_ns / 1e3);
    columns[noise_row_noise_loop_p99_us] = table_real((double)loop->p99_ns / 1e3);
    columns[noise_row_noise_loop_max_us] = table_real((double)loop->max_ns / 1e3);
}

/* A row is not valid, for one more reason. */
static void lose(const struct noise_row *row, const char *before, const char *why)
{
    char reasons[sizeof((struct validity *)NULL)->reason];
    snprintf(reasons, sizeof reasons, "%s", row->reason->text);
    text_append_clause(reasons, sizeof reasons, "%s%s", before, why);
    free(row->reason->text);
    *row->reason = table_text(reasons);
    *row->valid = table_flag(false);
}

/* Whether the attempt is to be made again. */
static void decide(struct noise_watch *watch, const struct noise_row *row)
{
    bool disturbed = watch->disturbed && watch->options->mode == NOISE_RETRY;
    watch->again = row->complete && !row->fails && (disturbed || row->stalled) &&
                   watch->attempt < NOISE_ATTEMPTS && watch->made_again < watch->retries;
    watch->made_again += watch->again;
}

void noise_watch_judge(struct noise_watch *watch, const struct noise *noise,
                       const struct core_probe_times *loop, const struct noise_row *row)
{
    char what[256];
    watch->disturbed = name_disturbance(watch, noise, what, sizeof what)[0] != '\0';
    watch->attempts_disturbed += watch->disturbed;
    put(watch, noise, loop, row->columns);
    row->columns[noise_row_noise_others_packets] =
        table_count_if(row->others_packets >= 0, (uint64_t)row->others_packets);
    row->columns[noise_row_noise_disturbed] = table_flag(watch->disturbed);
    if (watch->disturbed && watch->options->mode == NOISE_RETRY)
        lose(row, "disturbed: ", what);
    decide(watch, row);
}

void noise_watch_end(struct noise_watch *watch, const struct noise_row *row)
{
    row->columns[noise_row_attempt] = table_count(watch->attempt);
    watch->lost = row->valid->flag || row->fails ? NULL : row->reason->text;
    if (watch->options == NULL)
        return;
    if (watch->floor == NULL) {
        decide(watch, row);
        return;
    }
    const struct noise_reading after = noise_read(&watch->allies);
    const struct core_probe_times loop = core_probe_take(watch->probe);
    const struct noise noise = noise_between(&watch->before, &after);
    noise_watch_judge(watch, &noise, &loop, row);
    if (watch->disturbed)
        watch->lost = NULL;
}

void noise_watch_repeat(struct noise_watch *watch, const struct noise_row *row, const char *why)
{
    row->columns[noise_row_attempt] = table_count(watch->attempt);
    lose(row, "", why);
    watch->disturbed = false;
    watch->again = true;
}

/* ------------------------------------------------------------------ told */

static json_t *figure(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

json_t *noise_watch_describe(const struct noise_watch *watch)
{
    if (watch->floor == NULL)
        return json_null();
    const struct noise_floor *floor = watch->floor;
    return json_pack("{s:s, s:f, s:o, s:o, s:I, s:o, s:o, s:o, s:o, s:o, s:o, s:I, s:I}", "mode",
                     options_noise_modes[watch->options->mode], "share_max", NOISE_SHARE_MAX,
                     "others_cores", figure(watch->tells_others ? floor->others.others_cores : NAN),
                     "stolen_cores", figure(floor->others.stolen_cores), "round_trips",
                     (json_int_t)histogram_recorded(&floor->idle), "idle_p50_us",
                     figure(histogram_percentile_us(&floor->idle, 50)), "idle_p99_us",
                     figure(histogram_percentile_us(&floor->idle, 99)), "idle_max_us",
                     figure(histogram_percentile_us(&floor->idle, 100)), "loop_p50_us",
                     figure((double)floor->loop.p50_ns / 1e3), "loop_p99_us",
                     figure((double)floor->loop.p99_ns / 1e3), "loop_max_us",
                     figure((double)floor->loop.max_ns / 1e3), "attempts_disturbed",
                     (json_int_t)watch->attempts_disturbed, "attempts_made_again",
                     (json_int_t)watch->made_again);
}
