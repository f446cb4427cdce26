// SPDX-License-Identifier: Apache-2.0
#include "bench/output/noise_watch.h"

#include "base/clock.h"
#include "base/text.h"
#include "bench/output/json_result.h"
#include "servers/tcp.h"

#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define QUIET_NS   (500 * NS_PER_MS) /* the span that must have been quiet */
#define LOOK_NS    NS_PER_S
#define FLUSH_SIZE 512

TABLE_DEFINE(noise_row, "", NOISE_COLUMNS)

bool trial_kind_fails(const struct trial_kind *kind, const struct table_value *row)
{
    return table_number(&row[kind->fails]) > 0;
}

/* ------------------------------------------------------------------ the beginning */

/* Processes of servers that do not descend from this program: those of `zkherd ensemble start`, and
 * those of --connect on this host. Those in a container beside this one are not found. */
static void find_allies(struct noise_watch *watch, const struct target *target)
{
    watch->knows_others = true;
    if (target->ensemble != NULL)
        return;
    for (size_t i = 0; i < target->servers.count && i < NOISE_ALLIES_MAX; i++) {
        pid_t pid;
        enum listener_place place = listener_find(&target->servers.endpoints[i], &pid);
        if (place == LISTENER_HERE)
            watch->allies.pids[watch->allies.count++] = pid;
        watch->knows_others = watch->knows_others && place != LISTENER_UNKNOWN;
    }
}

void noise_watch_init(struct noise_watch *watch, const struct target_options *options,
                      const struct targets *targets)
{
    *watch = (struct noise_watch){.targets = targets};
    if (options->driver == DRIVER_SIMULATED)
        return;
    watch->options = &options->noise;
    watch->measures = options->noise.mode != NOISE_OFF;
}

/* Measures a span; false if a signal has ended it. */
static bool measure_noise(const struct noise_watch *watch, uint64_t span_ns, struct noise *noise)
{
    const struct noise_reading before = noise_read(&watch->allies);
    bool ended = targets_rest(watch->targets, (int)(span_ns / NS_PER_MS));
    const struct noise_reading after = noise_read(&watch->allies);
    *noise = noise_between(&before, &after);
    return !ended;
}

void noise_watch_measure_first(struct noise_watch *watch, size_t planned)
{
    if (watch->options == NULL)
        return;
    watch->retries = watch->options->retries_given ? watch->options->retries : planned;
    if (!watch->measures)
        return;
    find_allies(watch, &watch->targets->list[0]);
    (void)measure_noise(watch, LOOK_NS, &watch->at_first);
}

/* ------------------------------------------------------------------ what disturbs */

/* Writes what disturbs, as a clause; "" if nothing does. NaN compares as quiet. */
static const char *name_disturbance(const struct noise_watch *watch, const struct noise *noise,
                                    char *text, size_t size)
{
    double lost = (watch->knows_others ? noise->others_cores : 0) + noise->stolen_cores;
    text[0] = '\0';
    if (lost > NOISE_SHARE_MAX * noise->cores)
        text_append_clause(text, size, "others used %.1f of %.0f cores", lost, noise->cores);
    if (noise->throttled_percent > NOISE_THROTTLE_MAX)
        text_append_clause(text, size, "the quota of the cgroup stopped zkherd for %.0f %% of it",
                           noise->throttled_percent);
    if (fabs(noise->clock_jump_us) > NOISE_JUMP_MAX_US)
        text_append_clause(text, size, "the clock of the day jumped by %.1f s",
                           noise->clock_jump_us / 1e6);
    return text;
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

void noise_watch_begin(struct noise_watch *watch, const struct target *target)
{
    char what[256];
    struct noise noise;
    watch->attempt = watch->again ? watch->attempt + 1 : 1;
    watch->again = watch->disturbed = false;
    if (!watch->measures)
        return;
    uint64_t until_ns = clock_now_ns() + watch->options->quiet_ns;
    bool waits = true;
    /* Until a span was quiet, or the time is over. */
    while (waits && clock_now_ns() < until_ns)
        waits = measure_noise(watch, QUIET_NS, &noise) &&
                name_disturbance(watch, &noise, what, sizeof what)[0] != '\0';
    watch->flush_us = flush_us(target);
    watch->before = noise_read(&watch->allies);
}

/* Whether any attempt so far was quiet. */
static bool was_quiet(const struct noise_watch *watch)
{
    return watch->attempts_disturbed < watch->attempts;
}

bool noise_watch_lasts(const struct noise_watch *watch)
{
    return watch->disturbed && watch->options->mode == NOISE_RETRY &&
           watch->in_a_row >= (was_quiet(watch) ? NOISE_IN_A_ROW : NOISE_AT_FIRST);
}

/* Whether the attempt is to be made again. */
static void decide(struct noise_watch *watch, bool fails, const struct noise_attempt *attempt)
{
    bool disturbed = watch->disturbed && watch->options->mode == NOISE_RETRY;
    watch->again = attempt->complete && !fails && (disturbed || attempt->stalled) &&
                   !(disturbed && watch->votes && !was_quiet(watch)) &&
                   watch->attempt < NOISE_ATTEMPTS && watch->in_a_row < NOISE_IN_A_ROW &&
                   watch->made_again < watch->retries;
    watch->made_again += watch->again;
}

bool noise_watch_judge(struct noise_watch *watch, const struct noise *noise,
                       const struct trial_kind *kind, struct table_value *row,
                       const struct noise_attempt *attempt)
{
    struct table_value *columns = &row[kind->noise], *reason = &row[kind->reason];
    char what[256], reasons[TRIAL_REASON_SIZE];
    watch->disturbed = name_disturbance(watch, noise, what, sizeof what)[0] != '\0';
    watch->attempts++;
    watch->attempts_disturbed += watch->disturbed;
    watch->in_a_row = watch->disturbed ? watch->in_a_row + 1 : 0;
    columns[noise_row_noise_others_cores] =
        table_real(watch->knows_others ? noise->others_cores : NAN);
    columns[noise_row_noise_stolen_cores] = table_real(noise->stolen_cores);
    for (int i = 0; i < NOISE_RESOURCES; i++)
        columns[noise_row_noise_cpu_pressure_percent + i] = table_real(noise->pressure_percent[i]);
    columns[noise_row_noise_throttled_percent] = table_real(noise->throttled_percent);
    columns[noise_row_noise_clock_jump_us] = table_real(noise->clock_jump_us);
    columns[noise_row_noise_frequency_percent] = table_real(noise->frequency_percent);
    columns[noise_row_noise_flush_us] = table_real(watch->flush_us);
    columns[noise_row_noise_others_packets] =
        table_count_if(attempt->others_packets >= 0, (uint64_t)attempt->others_packets);
    columns[noise_row_noise_disturbed] = table_flag(watch->disturbed);
    bool counts = !watch->disturbed || (watch->votes && watch->options->mode != NOISE_RETRY);
    if (!counts) {
        snprintf(reasons, sizeof reasons, "%s", reason->text);
        text_append_clause(reasons, sizeof reasons, "disturbed: %s", what);
        free(reason->text);
        *reason = table_text(reasons);
        if (kind->valid != 0)
            row[kind->valid] = table_flag(false);
    }
    decide(watch, trial_kind_fails(kind, row), attempt);
    return counts;
}

bool noise_watch_end(struct noise_watch *watch, const struct trial_kind *kind,
                     struct table_value *row, const struct noise_attempt *attempt)
{
    row[kind->noise + noise_row_attempt] = table_count(watch->attempt);
    if (watch->options == NULL)
        return true;
    if (watch->measures) {
        const struct noise_reading after = noise_read(&watch->allies);
        const struct noise noise = noise_between(&watch->before, &after);
        return noise_watch_judge(watch, &noise, kind, row, attempt);
    }
    decide(watch, trial_kind_fails(kind, row), attempt);
    return true;
}

json_t *noise_watch_describe(const struct noise_watch *watch)
{
    if (!watch->measures)
        return json_null();
    return json_pack("{s:s, s:f, s:o, s:o, s:I, s:I}", "mode",
                     options_noise_modes[watch->options->mode], "share_max", NOISE_SHARE_MAX,
                     "others_cores",
                     json_result_real(watch->knows_others ? watch->at_first.others_cores : NAN),
                     "stolen_cores", json_result_real(watch->at_first.stolen_cores),
                     "attempts_disturbed", (json_int_t)watch->attempts_disturbed,
                     "attempts_made_again", (json_int_t)watch->made_again);
}
