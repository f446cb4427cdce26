// SPDX-License-Identifier: Apache-2.0
#include "bench/output/load_sample.h"

#include "base/text.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Above these the driver, and not the server, may have been the limit. */
#define CPU_SHARE_MAX 0.8
#define LAG_MAX_NS    NS_PER_MS
#define LAG_LEAST     100
#define ABSENT_MAX_NS (100 * NS_PER_MS)

/* A percentile this far out needs so many values to mean anything. */
#define P999_LEAST 10000

#define ADVICE "what may help: more --processes, a quieter machine, a second machine for the driver"

/* ------------------------------------------------------------------ figures */

static void take_percentiles(const struct histogram *histogram, double us[5])
{
    static const double percents[] = {50, 90, 99, 99.9, 100};
    uint64_t count = histogram_recorded(histogram);
    for (size_t i = 0; i < 5; i++) {
        bool known = count >= (percents[i] == 99.9 ? P999_LEAST : 1);
        us[i] = known ? histogram_percentile_us(histogram, percents[i]) : NAN;
    }
}

static void take_operations(const struct load_result *result, struct load_sample *sample)
{
    for (int kind = 0; kind < LOAD_KINDS; kind++) {
        for (int status = 0; status < LOAD_STATUSES; status++) {
            uint64_t count = result->replies[kind][status];
            if (load_shared_is_foreseen((enum load_kind)kind, (enum zk_status)status))
                sample->operations[kind] += count;
            else
                sample->errors_of[status] += count;
        }
    }
}

static void take_lag(const struct load_result *result, struct load_sample *sample)
{
    double all[5];
    take_percentiles(result->lag, all);
    sample->lag_us[0] = all[0];
    sample->lag_us[1] = all[2];
    sample->lag_us[2] = all[4];
}

/* Every notification of a measured write has a latency, in the range or above it. */
static void take_fan_out(const struct load_result *result, struct load_sample *sample)
{
    const struct histogram *notification = result->notification;
    uint64_t notifications = histogram_recorded(notification);
    sample->untimed = result->untimed;
    sample->fired = result->fired;
    sample->fan_out_max = result->fan_out_max;
    sample->fan_out_mean = result->fired > 0 ? (double)notifications / (double)result->fired : NAN;
    take_percentiles(notification, sample->notification_us);
    take_percentiles(result->first_notification, sample->first_notification_us);
    take_percentiles(result->last_notification, sample->last_notification_us);
    take_percentiles(&result->service[LOAD_SET], sample->set_service_us);
}

/* ------------------------------------------------------------------ whether the times stand */

/* Its counts stand; its times do not, for this reason among others. */
static void invalidate(struct load_sample *sample, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void invalidate(struct load_sample *sample, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    text_append_clause(sample->reason, sizeof sample->reason, format, arguments);
    va_end(arguments);
    sample->valid = false;
}

static void judge_cpu(const struct load_plan *plan, double cores_allowed,
                      struct load_sample *sample)
{
    double cores = fleet_plan_cores(&plan->fleet, cores_allowed);
    if (sample->client_cores <= CPU_SHARE_MAX * cores)
        return;
    sample->driver_bound = true;
    invalidate(sample, "the driver, not the server, was the limit: it used %.0f %% of %s; " ADVICE,
               100 * sample->client_cores / cores,
               cores < cores_allowed ? "a core a process" : "the cores that it may use");
}

/* One operation in a hundred may be late. */
static void judge_lag(const struct load_result *result, struct load_sample *sample)
{
    const struct histogram *lag = result->lag;
    uint64_t sent = histogram_recorded(lag), late = histogram_above(lag, LAG_MAX_NS);
    if (sent < LAG_LEAST || late * 100 <= sent)
        return;
    sample->driver_bound = true;
    invalidate(sample,
               "the driver, not the server, was late: %.1f %% of %llu operations were sent more "
               "than 1 ms behind their time (p99: %.1f ms); " ADVICE,
               100 * (double)late / (double)sent, (unsigned long long)sent,
               (double)histogram_percentile_ns(lag, 99) / 1e6);
}

/* In a closed loop, and for sessions that wait for replies, nothing else tells it. */
static void judge_absence(const struct load_result *result, struct load_sample *sample)
{
    if (result->absent_ns <= ABSENT_MAX_NS)
        return;
    sample->driver_bound = true;
    invalidate(
        sample,
        "the driver, not the server, stood still: the driver did not run for %.1f s; " ADVICE,
        (double)result->absent_ns / 1e9);
}

static void judge_connections(struct load_sample *sample)
{
    if (sample->losses == 1)
        invalidate(sample, "a session lost its connection");
    else if (sample->losses > 1)
        invalidate(sample, "sessions lost their connections %u times", sample->losses);
}

static void judge_counts(const struct load_result *result, struct load_sample *sample)
{
    if (result->reconciled != RECONCILED_NO)
        return;
    snprintf(sample->reason, sizeof sample->reason,
             "the servers counted %llu %s, the sessions %llu",
             (unsigned long long)result->difference.servers,
             server_counters_counter_word(result->difference.counter),
             (unsigned long long)result->difference.sessions);
    sample->valid = false;
}

static void judge(const struct load_result *result, double cores_allowed,
                  struct load_sample *sample)
{
    const struct load_plan *plan = result->load->plan;
    sample->valid = true;
    sample->complete = result->end == END_DONE;
    if (!sample->complete)
        invalidate(sample, "%s", result->reason);
    if (result->not_valid[0] != '\0')
        invalidate(sample, "%s", result->not_valid);
    if (sample->complete && plan->fleet.driver != DRIVER_SIMULATED) {
        judge_cpu(plan, cores_allowed, sample);
        judge_lag(result, sample);
        judge_absence(result, sample);
    }
    /* Sessions whose server is killed on purpose lose their connections. */
    if (plan->fault_count == 0)
        judge_connections(sample);
    judge_counts(result, sample);
}

double load_sample_client_cores(const struct load_result *result, uint64_t cpu_ns)
{
    return result->load->plan->fleet.driver == DRIVER_SIMULATED ? NAN : (double)cpu_ns / 1e9;
}

/* What rates are over: NaN if the measured time was cut short. */
static double measured_s(const struct load_result *result)
{
    return result->seconds == result->load->plan->seconds ? (double)result->seconds : NAN;
}

void load_sample_take(const struct load_cell *cell, const struct load_result *result,
                      double cores_allowed, struct load_sample *sample)
{
    double seconds = measured_s(result);
    *sample = (struct load_sample){
        .cell = *cell,
        .offered_per_s = cell->rate_per_s > 0 ? (double)result->offered / seconds : NAN,
        .achieved_per_s = (double)result->answered / seconds,
        .errors = result->errors,
        .delayed = result->delayed,
        .unsent = result->unsent,
        .client_cores = load_sample_client_cores(result, result->client_cpu_ns) / seconds,
        .server_cores =
            result->server_cpu_known ? (double)result->server_cpu_ns / 1e9 / seconds : NAN,
        .client_rss_kib = result->client_rss_kib,
        .reconnects = result->reconnects,
        .marks = result->marks.count + result->marks.left_out,
        .marks_left_out = result->marks.left_out,
        .losses = result->losses,
        .total = result->total,
        .servers = result->servers,
        .reconciled = result->reconciled,
    };
    take_operations(result, sample);
    take_percentiles(&result->response[LOAD_KINDS], sample->response_us);
    sample->over_range = result->response[LOAD_KINDS].overflow;
    take_percentiles(&result->service[LOAD_KINDS], sample->service_us);
    sample->service_mean_us = histogram_mean_us(&result->service[LOAD_KINDS]);
    take_lag(result, sample);
    take_fan_out(result, sample);
    judge(result, cores_allowed, sample);
}

/* ------------------------------------------------------------------ the list */

enum error_kind load_samples_add(struct load_samples *samples, const struct load_sample *sample,
                                 struct error *error)
{
    struct load_sample *list = realloc(samples->list, (samples->count + 1) * sizeof *list);
    if (list == NULL)
        return error_raise(error, ERROR_NO_MEMORY, 0, "results", "%s", "");
    samples->list = list;
    samples->list[samples->count++] = *sample;
    return ERROR_NONE;
}

void load_samples_deinit(struct load_samples *samples)
{
    free(samples->list);
    *samples = (struct load_samples){0};
}

/* ------------------------------------------------------------------ the row */

static uint64_t other_errors(const struct load_sample *sample)
{
    return sample->errors_of[ZK_BAD_VERSION] + sample->errors_of[ZK_NOT_EMPTY] +
           sample->errors_of[ZK_NO_AUTH] + sample->errors_of[ZK_OTHER_ERROR];
}

#define COLUMNS(X)                                                                                 \
    X(run, csv_text(csv, context->run))                                                            \
    X(target, csv_text(csv, context->target))                                                      \
    X(servers, csv_count(csv, context->servers))                                                   \
    X(driver, csv_text(csv, options_drivers[options->target.driver]))                              \
    X(processes, csv_count(csv, options->processes))                                               \
    X(mix, csv_text(csv, mix))                                                                     \
    X(reads_percent, csv_count(csv, mix_reads(&sample->cell.mix)))                                 \
    X(sessions, csv_count(csv, sample->cell.sessions))                                             \
    X(depth, csv_count(csv, options->depth))                                                       \
    X(value_bytes, csv_count(csv, options->value_bytes))                                           \
    X(rate_per_s, csv_count_if(csv, sample->cell.rate_per_s > 0, sample->cell.rate_per_s))         \
    X(trial, csv_count(csv, sample->cell.trial))                                                   \
    X(seed, csv_count(csv, options->seed))                                                         \
    X(seconds, csv_count(csv, options->duration_ns / NS_PER_S))                                    \
    X(offered_per_s, csv_real(csv, sample->offered_per_s, 2))                                      \
    X(achieved_per_s, csv_real(csv, sample->achieved_per_s, 2))                                    \
    X(delayed, csv_count(csv, sample->delayed))                                                    \
    X(unsent, csv_count(csv, sample->unsent))                                                      \
    X(gets, csv_count(csv, sample->operations[LOAD_GET]))                                          \
    X(exists, csv_count(csv, sample->operations[LOAD_EXISTS]))                                     \
    X(get_children, csv_count(csv, sample->operations[LOAD_CHILDREN]))                             \
    X(sets, csv_count(csv, sample->operations[LOAD_SET]))                                          \
    X(creates, csv_count(csv, sample->operations[LOAD_CREATE]))                                    \
    X(deletes, csv_count(csv, sample->operations[LOAD_DELETE]))                                    \
    X(multis, csv_count(csv, sample->operations[LOAD_MULTI]))                                      \
    X(trylocks, csv_count(csv, sample->operations[LOAD_TRYLOCK]))                                  \
    X(unlocks, csv_count(csv, sample->operations[LOAD_UNLOCK]))                                    \
    X(create_deletes, csv_count(csv, sample->operations[LOAD_CREATE_DELETE]))                      \
    X(async_deletes, csv_count(csv, sample->operations[LOAD_ASYNC_DELETE]))                        \
    X(errors, csv_count(csv, sample->errors))                                                      \
    X(errors_no_node, csv_count(csv, sample->errors_of[ZK_NO_NODE]))                               \
    X(errors_node_exists, csv_count(csv, sample->errors_of[ZK_NODE_EXISTS]))                       \
    X(errors_connection_loss, csv_count(csv, sample->errors_of[ZK_CONNECTION_LOSS]))               \
    X(errors_session_expired, csv_count(csv, sample->errors_of[ZK_SESSION_EXPIRED]))               \
    X(errors_other, csv_count(csv, other_errors(sample)))                                          \
    X(response_p50_us, csv_real(csv, sample->response_us[0], 1))                                   \
    X(response_p90_us, csv_real(csv, sample->response_us[1], 1))                                   \
    X(response_p99_us, csv_real(csv, sample->response_us[2], 1))                                   \
    X(response_p999_us, csv_real(csv, sample->response_us[3], 1))                                  \
    X(response_max_us, csv_real(csv, sample->response_us[4], 1))                                   \
    X(over_range, csv_count(csv, sample->over_range))                                              \
    X(service_p50_us, csv_real(csv, sample->service_us[0], 1))                                     \
    X(service_p90_us, csv_real(csv, sample->service_us[1], 1))                                     \
    X(service_p99_us, csv_real(csv, sample->service_us[2], 1))                                     \
    X(service_p999_us, csv_real(csv, sample->service_us[3], 1))                                    \
    X(service_max_us, csv_real(csv, sample->service_us[4], 1))                                     \
    X(service_mean_us, csv_real(csv, sample->service_mean_us, 1))                                  \
    X(lag_p50_us, csv_real(csv, sample->lag_us[0], 1))                                             \
    X(lag_p99_us, csv_real(csv, sample->lag_us[1], 1))                                             \
    X(lag_max_us, csv_real(csv, sample->lag_us[2], 1))                                             \
    X(watch_percent, csv_count(csv, options->watch_percent))                                       \
    X(notifications, csv_count(csv, sample->total.of[TALLY_NOTIFICATION]))                         \
    X(notifications_untimed, csv_count(csv, sample->untimed))                                      \
    X(writes_fired, csv_count(csv, sample->fired))                                                 \
    X(fan_out_mean, csv_real(csv, sample->fan_out_mean, 3))                                        \
    X(fan_out_max, csv_count_if(csv, sample->fired > 0, sample->fan_out_max))                      \
    X(notification_p50_us, csv_real(csv, sample->notification_us[0], 1))                           \
    X(notification_p99_us, csv_real(csv, sample->notification_us[2], 1))                           \
    X(first_notification_p50_us, csv_real(csv, sample->first_notification_us[0], 1))               \
    X(first_notification_p99_us, csv_real(csv, sample->first_notification_us[2], 1))               \
    X(last_notification_p50_us, csv_real(csv, sample->last_notification_us[0], 1))                 \
    X(last_notification_p99_us, csv_real(csv, sample->last_notification_us[2], 1))                 \
    X(set_service_p50_us, csv_real(csv, sample->set_service_us[0], 1))                             \
    X(set_service_p99_us, csv_real(csv, sample->set_service_us[2], 1))                             \
    X(client_cores, csv_real(csv, sample->client_cores, 3))                                        \
    X(server_cores, csv_real(csv, sample->server_cores, 3))                                        \
    X(client_rss_kib, csv_count(csv, sample->client_rss_kib))                                      \
    X(rpcs, csv_count(csv, tally_rpcs(&sample->total)))                                            \
    X(server_writes, csv_count_if(csv, servers->known, servers->writes))                           \
    X(server_reads, csv_count_if(csv, servers->known, servers->reads))                             \
    X(server_notifications, csv_count_if(csv, servers->known, servers->notifications))             \
    X(server_packets_received, csv_count_if(csv, servers->known, servers->packets_received))       \
    X(reconciled, csv_text(csv, reconcile_word(sample->reconciled)))                               \
    X(reconnects, csv_count(csv, sample->reconnects))                                              \
    X(marks, csv_count(csv, sample->marks))                                                        \
    X(marks_left_out, csv_count(csv, sample->marks_left_out))                                      \
    X(valid, csv_text(csv, sample->valid ? "yes" : "no"))                                          \
    X(reason, csv_text(csv, sample->reason))

const char load_sample_columns[] = COLUMNS(CSV_NAME);

void load_sample_write(const struct load_sample *sample, const struct load_context *context,
                       struct csv *csv)
{
    const struct load_options *options = context->options;
    const struct server_counters_count *servers = &sample->servers;
    char mix[128];
    mix_format(&sample->cell.mix, mix, sizeof mix);
    COLUMNS(CSV_WRITE) csv_end_row(csv);
}
