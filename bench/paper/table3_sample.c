// SPDX-License-Identifier: Apache-2.0
#include "bench/paper/table3_sample.h"

#include "base/text.h"
#include "bench/output/trial_times.h"
#include "recipes/law.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>

uint64_t table3_sample_reads(const struct table3_sample *sample)
{
    return tally_rpcs(&sample->total) - table3_sample_writes(sample);
}

/* A write that fails is one, too: the servers order it. */
uint64_t table3_sample_writes(const struct table3_sample *sample)
{
    return sample->total.of[TALLY_CREATE] + sample->total.of[TALLY_DELETE];
}

/* ------------------------------------------------------------------ whether it is right */

static void invalidate(struct table3_sample *sample, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void invalidate(struct table3_sample *sample, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    text_append_clause(sample->reason, sizeof sample->reason, format, arguments);
    va_end(arguments);
    sample->valid = false;
}

static void judge_violations(const struct trial_result *result, struct table3_sample *sample)
{
    char text[256];
    if (result->violation_count == 0)
        return;
    sample->fails = true;
    invalidate(sample, "%s", violation_describe(&result->memory->violations[0], text, sizeof text));
}

/* A lost connection adds requests. */
static void judge_counts(const struct trial_result *result, struct table3_sample *sample)
{
    char why[100];
    const struct table3_trial *trial = &sample->trial;
    if (!sample->complete || result->losses > 0 ||
        law_barriers_agree(&result->total, trial->clients, trial->barriers, why, sizeof why))
        return;
    sample->fails = true;
    invalidate(sample, "%s", why);
}

static void judge(const struct trial_result *result, double cores_allowed,
                  struct table3_sample *sample)
{
    sample->valid = true;
    sample->complete = result->end == END_DONE;
    judge_violations(result, sample);
    if (result->end != END_DONE && result->end != END_VIOLATION)
        invalidate(sample, "%s", result->reason);
    if (result->not_valid[0] != '\0')
        invalidate(sample, "%s", result->not_valid);
    judge_counts(result, sample);
    if (sample->complete && result->memory->plan->fleet.driver != DRIVER_SIMULATED &&
        !trial_times_stand(result, cores_allowed, sample->reason, sizeof sample->reason))
        sample->valid = false;
}

void table3_sample_take(const struct table3_trial *trial, const struct trial_result *result,
                        double cores_allowed, struct table3_sample *sample)
{
    *sample = (struct table3_sample){
        .trial = *trial,
        .client_s = (double)result->client_ns / 1e9,
        .elapsed_s = (double)result->elapsed_ns / 1e9,
        .total = result->total,
        .client_cpu_s = (double)result->client_cpu_ns / 1e9,
        .reconnects = result->reconnects,
        .servers = result->servers,
        .reconciled = result->reconciled,
        .violations = result->violation_count,
    };
    judge(result, cores_allowed, sample);
}

/* ------------------------------------------------------------------ the list */

enum error_kind table3_samples_add(struct table3_samples *samples,
                                   const struct table3_sample *sample, struct error *error)
{
    struct table3_sample *list = realloc(samples->list, (samples->count + 1) * sizeof *list);
    if (list == NULL)
        return error_raise(error, ERROR_NO_MEMORY, 0, "results", "%zu trials", samples->count + 1);
    samples->list = list;
    samples->list[samples->count++] = *sample;
    return ERROR_NONE;
}

void table3_samples_deinit(struct table3_samples *samples)
{
    free(samples->list);
    *samples = (struct table3_samples){0};
}

/* ------------------------------------------------------------------ the row */

static void write_leak(struct csv *csv, const struct server_counters_count *servers)
{
    if (servers->known)
        csv_signed(csv, servers->watches_leaked);
    else
        csv_empty(csv);
}

#define COLUMNS(X)                                                                                 \
    X(run, csv_text(csv, context->run))                                                            \
    X(target, csv_text(csv, context->target))                                                      \
    X(servers, csv_count(csv, context->servers))                                                   \
    X(clients, csv_count(csv, sample->trial.clients))                                              \
    X(barriers, csv_count(csv, sample->trial.barriers))                                            \
    X(trial, csv_count(csv, sample->trial.number))                                                 \
    X(seed, csv_count(csv, context->seed))                                                         \
    X(client_s, csv_real(csv, sample->client_s, 6))                                                \
    X(elapsed_s, csv_real(csv, sample->elapsed_s, 6))                                              \
    X(creates, csv_count(csv, of[TALLY_CREATE]))                                                   \
    X(creates_failed, csv_count(csv, of[TALLY_CREATE_FAILED]))                                     \
    X(exists, csv_count(csv, of[TALLY_EXISTS]))                                                    \
    X(get_children, csv_count(csv, of[TALLY_GET_CHILDREN]))                                        \
    X(deletes, csv_count(csv, of[TALLY_DELETE]))                                                   \
    X(rpcs, csv_count(csv, tally_rpcs(&sample->total)))                                            \
    X(notifications, csv_count(csv, of[TALLY_NOTIFICATION]))                                       \
    X(names_listed, csv_count(csv, of[TALLY_NAMES_LISTED]))                                        \
    X(bytes_sent, csv_count(csv, of[TALLY_BYTES_SENT]))                                            \
    X(bytes_received, csv_count(csv, of[TALLY_BYTES_RECEIVED]))                                    \
    X(client_cpu_s, csv_real(csv, sample->client_cpu_s, 6))                                        \
    X(server_cpu_s, csv_real(csv, servers->cpu_known ? (double)servers->cpu_ns / 1e9 : NAN, 6))    \
    X(server_writes, csv_count_if(csv, servers->known, servers->writes))                           \
    X(server_notifications, csv_count_if(csv, servers->known, servers->notifications))             \
    X(server_packets_received, csv_count_if(csv, servers->known, servers->packets_received))       \
    X(watches_leaked, write_leak(csv, servers))                                                    \
    X(reconciled, csv_text(csv, reconcile_word(sample->reconciled)))                               \
    X(violations, csv_count(csv, sample->violations))                                              \
    X(reconnects, csv_count(csv, sample->reconnects))                                              \
    X(valid, csv_text(csv, sample->valid ? "yes" : "no"))                                          \
    X(reason, csv_text(csv, sample->reason))

const char table3_sample_columns[] = COLUMNS(CSV_NAME);

void table3_sample_write(const struct table3_sample *sample, const struct table3_context *context,
                         struct csv *csv)
{
    const struct server_counters_count *servers = &sample->servers;
    const uint64_t *of = sample->total.of;
    COLUMNS(CSV_WRITE) csv_end_row(csv);
}
