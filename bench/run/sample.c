// SPDX-License-Identifier: Apache-2.0
#include "bench/run/sample.h"

#include "base/text.h"
#include "bench/output/trial_times.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

double sample_percentile_us(const struct histogram *histogram, double percent)
{
    if (histogram_recorded(histogram) == 0)
        return NAN;
    return (double)histogram_percentile_ns(histogram, percent) / 1e3;
}

static void take_percentiles(const struct trial_result *result, struct sample *sample)
{
    static const double handoff[] = {50, 90, 99, 100}, acquire[] = {50, 99, 100};
    for (size_t i = 0; i < 4; i++)
        sample->handoff_us[i] = sample_percentile_us(&result->latency[METER_HANDOFF], handoff[i]);
    for (size_t i = 0; i < 3; i++)
        sample->acquire_us[i] =
            sample->paced ? NAN : sample_percentile_us(&result->latency[METER_ACQUIRE], acquire[i]);
    for (int role = 0; role < ROLES; role++)
        sample->handoff_of_us[role] =
            sample_percentile_us(&result->latency_of[role][METER_HANDOFF], 50);
}

/* Its counts stand; its times do not, for this reason among others. */
static void invalidate(struct sample *sample, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void invalidate(struct sample *sample, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    text_append_clause(sample->reason, sizeof sample->reason, format, arguments);
    va_end(arguments);
    sample->valid = false;
}

/* ------------------------------------------------------------------ whether the times stand */

/* A trial that was led to its end, on servers. */
static void judge_times(const struct trial_result *result, double cores_allowed,
                        struct sample *sample)
{
    if (!trial_times_stand(result, cores_allowed, sample->reason, sizeof sample->reason))
        sample->valid = false;
    if (!background_stands(&sample->background, sample->reason, sizeof sample->reason))
        sample->valid = false;
}

static bool is_lockstep(const struct trial_result *result)
{
    return result->memory->plan->pace == PACE_LOCKSTEP;
}

static void judge(const struct trial_result *result, double cores_allowed, struct sample *sample)
{
    sample->valid = true;
    /* Under lockstep the counts are the law's; a lost connection adds requests or loses some. */
    sample->complete = result->end == END_DONE && (result->losses == 0 || !is_lockstep(result));
    if (result->end != END_DONE && result->end != END_VIOLATION && result->end != END_ALONE)
        invalidate(sample, "%s", result->reason);
    if (sample->background.ended[0] != '\0')
        invalidate(sample, "the load in the background ended too early: %s",
                   sample->background.ended);
    if (result->not_valid[0] != '\0')
        invalidate(sample, "%s", result->not_valid);
    if (result->end == END_DONE && result->memory->plan->fleet.driver != DRIVER_SIMULATED)
        judge_times(result, cores_allowed, sample);
    if (result->violation_count > 0) {
        char text[256];
        violation_describe(&result->memory->violations[0], text, sizeof text);
        snprintf(sample->reason, sizeof sample->reason, "%s%s%s", text,
                 result->reason[0] != '\0' ? "; " : "", result->reason);
    }
}

void sample_take(const struct cell *cell, const struct trial_result *result,
                 const struct background_figures *background, double cores_allowed,
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
        .paced = result->memory->plan->max_rate != 0,
        .client_cpu_s = (double)result->client_cpu_ns / 1e9,
        .client_rss_kib = result->client_rss_kib,
        .reconnects = result->reconnects,
        .stalls = result->stalls,
        .recovery_s = result->recovery_ns > 0 && result->memory->plan->max_rate == 0
                          ? (double)result->recovery_ns / 1e9
                          : NAN,
        .repairs = result->repairs,
        .servers = result->servers,
        .reconciled = result->reconciled,
        .violations = result->violation_count,
        .inversions = result->inversions,
        .fairness_jain = result->fairness_jain,
        .background = *background,
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

/* A drain's arrivals are no handoffs, and under lockstep they take most of its time. */
static double handoffs_per_s(const struct sample *sample, enum workload workload)
{
    return (double)sample->handoffs /
           (workload == WORKLOAD_DRAIN ? sample_drain_s(sample) : sample_elapsed_s(sample));
}

static void write_leak(struct csv *csv, bool known, int64_t leaked)
{
    if (known)
        csv_signed(csv, leaked);
    else
        csv_empty(csv);
}

/* A figure of the load beside the trial; NaN without one. */
static double of_background(const struct background_figures *background, double figure)
{
    return background->measured ? figure : NAN;
}

#define COLUMNS(X)                                                                                 \
    X(run, csv_text(csv, context->run))                                                            \
    X(target, csv_text(csv, context->target))                                                      \
    X(servers, csv_count(csv, context->servers))                                                   \
    X(recipe, csv_text(csv, sample->cell.recipe->name))                                            \
    X(workload, csv_text(csv, options_workloads[plan->workload]))                                  \
    X(pace, csv_text(csv, options_paces[plan->pace]))                                              \
    X(driver, csv_text(csv, options_drivers[context->options->target.driver]))                     \
    X(processes, csv_count(csv, plan->processes))                                                  \
    X(clients, csv_count(csv, sample->cell.clients))                                               \
    X(locks, csv_count(csv, plan->locks))                                                          \
    X(trial, csv_count(csv, sample->cell.trial))                                                   \
    X(seed, csv_count(csv, plan->seed))                                                            \
    X(handoffs, csv_count(csv, sample->handoffs))                                                  \
    X(creates, csv_count(csv, of[TALLY_CREATE]))                                                   \
    X(creates_failed, csv_count(csv, of[TALLY_CREATE_FAILED]))                                     \
    X(exists, csv_count(csv, of[TALLY_EXISTS]))                                                    \
    X(gets, csv_count(csv, of[TALLY_GET]))                                                         \
    X(get_children, csv_count(csv, of[TALLY_GET_CHILDREN]))                                        \
    X(sets, csv_count(csv, of[TALLY_SET]))                                                         \
    X(deletes, csv_count(csv, of[TALLY_DELETE]))                                                   \
    X(deletes_failed, csv_count(csv, of[TALLY_DELETE_FAILED]))                                     \
    X(multis, csv_count(csv, of[TALLY_MULTI]))                                                     \
    X(rpcs, csv_count(csv, tally_rpcs(&sample->total)))                                            \
    X(notifications, csv_count(csv, of[TALLY_NOTIFICATION]))                                       \
    X(notifications_spurious, csv_count(csv, of[TALLY_NOTIFICATION_SPURIOUS]))                     \
    X(names_listed, csv_count(csv, of[TALLY_NAMES_LISTED]))                                        \
    X(bytes_sent, csv_count(csv, of[TALLY_BYTES_SENT]))                                            \
    X(bytes_received, csv_count(csv, of[TALLY_BYTES_RECEIVED]))                                    \
    X(law_rpcs, csv_count_if(csv, sample->has_law, tally_rpcs(&sample->law)))                      \
    X(law_notifications, csv_count_if(csv, sample->has_law, sample->law.of[TALLY_NOTIFICATION]))   \
    X(elapsed_s, csv_real(csv, sample_elapsed_s(sample), 6))                                       \
    X(drain_s, csv_real(csv, sample_drain_s(sample), 6))                                           \
    X(handoffs_per_s, csv_real(csv, handoffs_per_s(sample, plan->workload), 2))                    \
    X(handoff_p50_us, csv_real(csv, sample->handoff_us[0], 1))                                     \
    X(handoff_p90_us, csv_real(csv, sample->handoff_us[1], 1))                                     \
    X(handoff_p99_us, csv_real(csv, sample->handoff_us[2], 1))                                     \
    X(handoff_max_us, csv_real(csv, sample->handoff_us[3], 1))                                     \
    X(acquire_p50_us, csv_real(csv, sample->acquire_us[0], 1))                                     \
    X(acquire_p99_us, csv_real(csv, sample->acquire_us[1], 1))                                     \
    X(acquire_max_us, csv_real(csv, sample->acquire_us[2], 1))                                     \
    X(client_cpu_s, csv_real(csv, sample->client_cpu_s, 6))                                        \
    X(server_cpu_s, csv_real(csv, servers->cpu_known ? (double)servers->cpu_ns / 1e9 : NAN, 6))    \
    X(client_rss_kib, csv_count(csv, sample->client_rss_kib))                                      \
    X(server_writes, csv_count_if(csv, servers->known, servers->writes))                           \
    X(server_notifications, csv_count_if(csv, servers->known, servers->notifications))             \
    X(server_packets_received, csv_count_if(csv, servers->known, servers->packets_received))       \
    X(watches_leaked, write_leak(csv, servers->known, servers->watches_leaked))                    \
    X(ephemerals_leaked, write_leak(csv, servers->known, servers->ephemerals_leaked))              \
    X(reconciled, csv_text(csv, reconcile_word(sample->reconciled)))                               \
    X(violations, csv_count(csv, sample->violations))                                              \
    X(order_inversions, csv_count(csv, sample->inversions))                                        \
    X(fairness_jain, csv_real(csv, sample->fairness_jain, 4))                                      \
    X(reconnects, csv_count(csv, sample->reconnects))                                              \
    X(recovery_s, csv_real(csv, sample->recovery_s, 6))                                            \
    X(repairs, csv_count(csv, sample->repairs))                                                    \
    X(valid, csv_text(csv, sample->valid ? "yes" : "no"))                                          \
    X(reason, csv_text(csv, sample->reason))                                                       \
    X(stalls, csv_count(csv, sample->stalls.count))                                                \
    X(stalled_s, csv_real(csv, (double)sample->stalls.total_ns / 1e9, 6))                          \
    X(background_alone_p50_us, csv_real(csv, of_background(beside, beside->alone_p50_us), 1))      \
    X(background_alone_p99_us, csv_real(csv, of_background(beside, beside->alone_p99_us), 1))      \
    X(background_p50_us, csv_real(csv, of_background(beside, beside->contended_p50_us), 1))        \
    X(background_p99_us, csv_real(csv, of_background(beside, beside->contended_p99_us), 1))        \
    X(background_max_us, csv_real(csv, of_background(beside, beside->contended_max_us), 1))        \
    X(background_requests, csv_count_if(csv, beside->measured, beside->requests))                  \
    X(background_per_s, csv_real(csv, of_background(beside, beside->contended_per_s), 2))          \
    X(background_errors, csv_count_if(csv, beside->measured, beside->errors))                      \
    X(background_unsent, csv_count_if(csv, beside->measured, beside->unsent))

const char sample_columns[] = COLUMNS(CSV_NAME);

void sample_write(const struct sample *sample, const struct sample_context *context,
                  struct csv *csv)
{
    const struct run_plan *plan = &context->options->plan;
    const struct server_counters_count *servers = &sample->servers;
    const struct background_figures *beside = &sample->background;
    const uint64_t *of = sample->total.of;
    COLUMNS(CSV_WRITE) csv_end_row(csv);
}
