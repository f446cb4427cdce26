// SPDX-License-Identifier: Apache-2.0
#include "bench/run/sample.h"

#include "base/clock.h"
#include "trial/injection.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Above these the driver itself may have been the bottleneck, and times mean little (not the
 * counts). */
#define LOAD_MAX      0.8
#define LOAD_LEAST_NS (200 * NS_PER_MS)
#define LATE_MAX_NS   NS_PER_MS
#define LATE_LEAST    100

#define ADVICE          "what may help: fewer clients, more --processes, a quieter machine"
#define ADVICE_ON_CORES "what may help: fewer clients, more cores, a quieter machine"

const char sample_columns[] =
    "run,target,servers,recipe,workload,pace,driver,processes,clients,locks,trial,seed,handoffs,"
    "creates,creates_failed,exists,gets,get_children,sets,deletes,deletes_failed,multis,rpcs,"
    "notifications,notifications_spurious,names_listed,bytes_sent,bytes_received,law_rpcs,"
    "law_notifications,elapsed_s,drain_s,handoffs_per_s,handoff_p50_us,handoff_p90_us,"
    "handoff_p99_us,handoff_max_us,acquire_p50_us,acquire_p99_us,acquire_max_us,client_cpu_s,"
    "server_cpu_s,client_rss_kib,server_writes,server_notifications,server_packets_received,"
    "watches_leaked,ephemerals_leaked,reconciled,violations,order_inversions,fairness_jain,"
    "reconnects,recovery_s,repairs,valid,reason,stalls,stalled_s";

static double percentile_us(const struct histogram *histogram, double percent)
{
    if (histogram_count(histogram) + histogram_overflow(histogram) == 0)
        return NAN;
    return (double)histogram_percentile_ns(histogram, percent) / 1e3;
}

static void take_percentiles(const struct trial_result *result, struct sample *sample)
{
    static const double handoff[] = {50, 90, 99, 100}, acquire[] = {50, 99, 100};
    for (size_t i = 0; i < 4; i++)
        sample->handoff_us[i] = percentile_us(&result->latency[METER_HANDOFF], handoff[i]);
    for (size_t i = 0; i < 3; i++)
        sample->acquire_us[i] =
            sample->paced ? NAN : percentile_us(&result->latency[METER_ACQUIRE], acquire[i]);
    for (int role = 0; role < ROLES; role++)
        sample->handoff_of_us[role] = percentile_us(&result->latency_of[role][METER_HANDOFF], 50);
}

/* Its counts stand; its times do not, for this reason among others. */
static void invalidate(struct sample *sample, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void invalidate(struct sample *sample, const char *format, ...)
{
    size_t length = strlen(sample->reason);
    va_list arguments;
    if (length > 0)
        length += (size_t)snprintf(sample->reason + length, sizeof sample->reason - length, "; ");
    va_start(arguments, format);
    if (length < sizeof sample->reason)
        vsnprintf(sample->reason + length, sizeof sample->reason - length, format, arguments);
    va_end(arguments);
    sample->valid = false;
}

/* ------------------------------------------------------------------ whether the times stand */

static void judge_stalls(const struct stalls *stalls, struct sample *sample)
{
    const char *server = stalls->server[0] != '\0' ? stalls->server : "a server";
    if (stalls->count == 1)
        invalidate(sample, "stalled: %s owed an answer, and nothing was received for %.1f s",
                   server, (double)stalls->total_ns / 1e9);
    else if (stalls->count > 1)
        invalidate(sample,
                   "stalled: %u times nothing was received although an answer was owed, %.1f s in "
                   "all; the longest was %.1f s, at %s",
                   stalls->count, (double)stalls->total_ns / 1e9, (double)stalls->longest_ns / 1e9,
                   server);
}

/* A session whose reply the trial takes away is meant to connect again, once. */
static void judge_reconnects(const struct trial_result *result, struct sample *sample)
{
    uint64_t planned = result->had_death && death_planned(result->board)->how == DEATH_LOST_REPLY;
    uint64_t unplanned = result->reconnects > planned ? result->reconnects - planned : 0;
    if (unplanned > 0)
        invalidate(sample,
                   "reconnected: %llu connection%s lost and made again, which is in the times",
                   (unsigned long long)unplanned, unplanned == 1 ? " was" : "s were");
}

static void judge_holds(const struct trial_result *result, struct sample *sample)
{
    const struct histogram *late = result->late;
    uint64_t p99_ns = histogram_percentile_ns(late, 99),
             holds = histogram_count(late) + histogram_overflow(late);
    if (holds < LATE_LEAST || p99_ns <= LATE_MAX_NS)
        return;
    double share = (double)histogram_above(late, LATE_MAX_NS) / (double)holds;
    invalidate(sample,
               "overloaded: %.1f %% of %llu holds ended more than 1 ms late (p99: %.1f ms "
               "late); " ADVICE ", or longer holds",
               100 * share, (unsigned long long)holds, (double)p99_ns / 1e6);
}

/* What the driver may use: with one event loop in each process, at most one core for each. */
static void judge_load(const struct trial_result *result, double cores_allowed,
                       struct sample *sample)
{
    const struct trial_plan *plan = result->board->plan;
    bool per_process = plan->driver != DRIVER_THREADS && plan->processes < cores_allowed;
    double cores = per_process ? plan->processes : cores_allowed;
    double load = (double)result->client_cpu_ns / (double)result->elapsed_ns / cores;
    if (result->elapsed_ns >= LOAD_LEAST_NS && load > LOAD_MAX)
        invalidate(sample, "overloaded: the driver used more than 80 %% of %s",
                   per_process ? "a core a process; " ADVICE
                               : "the cores that it may use; " ADVICE_ON_CORES);
    if (result->stalls.absent_ns > 0)
        invalidate(sample, "overloaded: zkherd itself did not run for %.1f s",
                   (double)result->stalls.absent_ns / 1e9);
}

/* A trial that was led to its end, on servers. */
static void judge_times(const struct trial_result *result, double cores_allowed,
                        struct sample *sample)
{
    judge_stalls(&result->stalls, sample);
    judge_reconnects(result, sample);
    judge_load(result, cores_allowed, sample);
    judge_holds(result, sample);
}

static bool is_lockstep(const struct trial_result *result)
{
    return result->board->plan->pace == PACE_LOCKSTEP;
}

static void judge(const struct trial_result *result, double cores_allowed, struct sample *sample)
{
    sample->valid = true;
    /* Under lockstep counts are told as the law's; a connection that is lost costs more or less. */
    sample->complete = result->end == END_DONE && (result->losses == 0 || !is_lockstep(result));
    if (result->end != END_DONE && result->end != END_VIOLATION)
        invalidate(sample, "%s", result->reason);
    if (result->not_valid[0] != '\0')
        invalidate(sample, "%s", result->not_valid);
    if (result->end == END_DONE && result->board->plan->driver != DRIVER_SIMULATED)
        judge_times(result, cores_allowed, sample);
    if (result->violation_count > 0) {
        char text[256];
        violation_describe(&result->board->violations[0], text, sizeof text);
        snprintf(sample->reason, sizeof sample->reason, "%s%s%s", text,
                 result->reason[0] != '\0' ? "; " : "", result->reason);
    }
}

void sample_take(const struct cell *cell, const struct trial_result *result, double cores_allowed,
                 struct sample *sample)
{
    *sample = (struct sample){
        .cell = *cell,
        .total = result->total,
        .law = result->law,
        .has_law = result->has_law,
        .handoffs = result->handoffs,
        .elapsed_s = (double)result->elapsed_ns / 1e9,
        .drain_s = (double)result->drain_ns / 1e9,
        .paced = result->board->plan->max_rate != 0,
        .client_cpu_s = (double)result->client_cpu_ns / 1e9,
        .client_rss_kib = result->client_rss_kib,
        .reconnects = result->reconnects,
        .stalls = result->stalls,
        .recovery_s = result->recovery_ns > 0 && result->board->plan->max_rate == 0
                          ? (double)result->recovery_ns / 1e9
                          : NAN,
        .repairs = result->repairs,
        .servers = result->servers,
        .reconciled = result->reconciled,
        .violations = result->violation_count,
        .inversions = result->inversions,
        .fairness_jain = result->fairness_jain,
        .beta = NAN,
    };
    take_percentiles(result, sample);
    judge(result, cores_allowed, sample);
}

/* ------------------------------------------------------------------ figures */

double sample_rpcs(const struct sample *sample)
{
    return (double)tally_rpcs(&sample->total);
}

double sample_creates(const struct sample *sample)
{
    return (double)sample->total.of[TALLY_CREATE];
}

double sample_notifications(const struct sample *sample)
{
    return (double)sample->total.of[TALLY_NOTIFICATION];
}

double sample_names_listed(const struct sample *sample)
{
    return (double)sample->total.of[TALLY_NAMES_LISTED];
}

double sample_bytes(const struct sample *sample)
{
    return (double)(sample->total.of[TALLY_BYTES_SENT] + sample->total.of[TALLY_BYTES_RECEIVED]);
}

double sample_elapsed_s(const struct sample *sample)
{
    return sample->paced ? NAN : sample->elapsed_s;
}

double sample_drain_s(const struct sample *sample)
{
    return sample->paced ? NAN : sample->drain_s;
}

/* ------------------------------------------------------------------ the list */

enum error_kind samples_add(struct samples *samples, const struct sample *sample,
                            struct error *error)
{
    struct sample *list = realloc(samples->list, (samples->count + 1) * sizeof *list);
    if (list == NULL)
        return error_raise(error, ERROR_NO_MEMORY, 0, "results", "%s", "");
    samples->list = list;
    samples->list[samples->count++] = *sample;
    return ERROR_NONE;
}

void samples_deinit(struct samples *samples)
{
    free(samples->list);
    *samples = (struct samples){0};
}

/* ------------------------------------------------------------------ the row */

static void write_plan(const struct sample *sample, const struct sample_context *context,
                       struct csv *csv)
{
    const struct options *options = context->options;
    csv_text(csv, context->run);
    csv_text(csv, context->target);
    csv_count(csv, context->servers);
    csv_text(csv, sample->cell.recipe->name);
    csv_text(csv, options_workloads[options->plan.workload]);
    csv_text(csv, options_paces[options->plan.pace]);
    csv_text(csv, options_drivers[options->target.driver]);
    csv_count(csv, options->plan.processes);
    csv_count(csv, sample->cell.clients);
    csv_count(csv, options->plan.locks);
    csv_count(csv, sample->cell.trial);
    csv_count(csv, options->plan.seed);
    csv_count(csv, sample->handoffs);
}

static void write_counts(const struct sample *sample, struct csv *csv)
{
    const uint64_t *of = sample->total.of;
    for (int kind = TALLY_CREATE; kind <= TALLY_MULTI; kind++)
        csv_count(csv, of[kind]);
    csv_count(csv, tally_rpcs(&sample->total));
    for (int kind = TALLY_NOTIFICATION; kind <= TALLY_BYTES_RECEIVED; kind++)
        csv_count(csv, of[kind]);
    if (sample->has_law) {
        csv_count(csv, tally_rpcs(&sample->law));
        csv_count(csv, sample->law.of[TALLY_NOTIFICATION]);
    } else {
        csv_empty(csv);
        csv_empty(csv);
    }
}

static void write_times(const struct sample *sample, bool drain, struct csv *csv)
{
    double elapsed_s = sample_elapsed_s(sample), drain_s = sample_drain_s(sample);
    csv_real(csv, elapsed_s, 6);
    csv_real(csv, drain_s, 6);
    /* A drain's arrivals are no handoffs, and under lockstep they take most of its time. */
    csv_real(csv, (double)sample->handoffs / (drain ? drain_s : elapsed_s), 2);
    for (size_t i = 0; i < 4; i++)
        csv_real(csv, sample->handoff_us[i], 1);
    for (size_t i = 0; i < 3; i++)
        csv_real(csv, sample->acquire_us[i], 1);
    csv_real(csv, sample->client_cpu_s, 6);
    csv_real(csv, sample->servers.cpu_known ? (double)sample->servers.cpu_ns / 1e9 : NAN, 6);
    csv_count(csv, sample->client_rss_kib);
}

static void write_servers(const struct sample *sample, struct csv *csv)
{
    static const char *const words[] = {
        [RECONCILED_NA] = "na", [RECONCILED_YES] = "yes", [RECONCILED_NO] = "no"};
    const struct server_counters_count *servers = &sample->servers;
    if (servers->told) {
        csv_count(csv, servers->writes);
        csv_count(csv, servers->notifications);
        csv_count(csv, servers->packets_received);
        csv_signed(csv, servers->watches_leaked);
        csv_signed(csv, servers->ephemerals_leaked);
    } else {
        for (int i = 0; i < 5; i++)
            csv_empty(csv);
    }
    csv_text(csv, words[sample->reconciled]);
}

void sample_write(const struct sample *sample, const struct sample_context *context,
                  struct csv *csv)
{
    write_plan(sample, context, csv);
    write_counts(sample, csv);
    write_times(sample, context->options->plan.workload == WORKLOAD_DRAIN, csv);
    write_servers(sample, csv);
    csv_count(csv, sample->violations);
    csv_count(csv, sample->inversions);
    csv_real(csv, sample->fairness_jain, 4);
    csv_count(csv, sample->reconnects);
    csv_real(csv, sample->recovery_s, 6);
    csv_count(csv, sample->repairs);
    csv_text(csv, sample->valid ? "yes" : "no");
    csv_text(csv, sample->reason);
    csv_count(csv, sample->stalls.count);
    csv_real(csv, (double)sample->stalls.total_ns / 1e9, 6);
    csv_end_row(csv);
}
