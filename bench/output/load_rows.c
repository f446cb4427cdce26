// SPDX-License-Identifier: Apache-2.0
#include "bench/output/load_series.h"

#include "base/text.h"
#include "bench/output/trial_findings.h"

#include <math.h>
#include <stdio.h>

/* In a closed loop, and for sessions that wait for replies, only the driver's absence shows that it
 * did not run. */
#define ABSENT_MAX_NS (100 * NS_PER_MS)

/* If more of what was due was never sent, not even the median of the response times is known. */
#define UNSENT_SHARE_MAX 0.5

/* The share of the measured time by which hosts may begin apart: else they do not send together. */
#define SPREAD_SHARE_MAX 0.05

TABLE_DEFINE(load_row, "load.csv", LOAD_ROW_COLUMNS)

/* ------------------------------------------------------------------ whether the times stand */

/* Whether the driver was the limit: of several hosts, which are to begin together, one that is
 * overloaded is enough. */
static bool judge_driver(const struct load_result *result, double client_cores,
                         double cores_allowed, struct validity *validity)
{
    const struct load_hosts *hosts = load_hosts_of(result);
    if (hosts != NULL) {
        cores_allowed = (double)hosts->busiest->millicores / 1e3;
        client_cores = (double)hosts->busiest->client_cpu_ns / 1e9 / result->seconds;
        if ((double)hosts->spread_ns > SPREAD_SHARE_MAX * 1e9 * result->seconds)
            validity_lose(validity, "the hosts may have begun %.3f s apart",
                          (double)hosts->spread_ns / 1e9);
    }
    const struct validity_driver driver = {
        .plan = &result->load->plan->fleet,
        .cores_allowed = cores_allowed,
        .cores = client_cores,
        .late = &result->measured->lag,
        .what = "operations were sent",
        .absent_ns = result->absent_ns > ABSENT_MAX_NS ? result->absent_ns : 0};
    return validity_judge_driver(&driver, validity);
}

static void judge(const struct load_result *result, double client_cores, double cores_allowed,
                  struct table_value *row)
{
    const struct reconcile_result *counts = &result->reconcile;
    struct validity validity = {0};
    uint64_t unsent = result->measured->unsent, due = result->offered;
    bool complete = result->end == END_DONE, bound = false,
         miscounted = counts->reconciled == RECONCILED_NO;
    if (!complete)
        validity_lose(&validity, "%s", result->reason);
    if (result->not_valid[0] != '\0')
        validity_lose(&validity, "%s", result->not_valid);
    if (complete && result->load->plan->fleet.driver != DRIVER_SIMULATED)
        bound = judge_driver(result, client_cores, cores_allowed, &validity);
    if ((double)unsent > UNSENT_SHARE_MAX * (double)due)
        validity_lose(&validity,
                      "the offered rate was out of reach: %.1f %% of %llu operations were never "
                      "sent, so not even the median of the response times is known; what may help: "
                      "a lower --rate, more --depth",
                      100 * (double)unsent / (double)due, (unsigned long long)due);
    if (complete && histogram_recorded(&result->measured->service[ROLES][LOAD_KINDS]) == 0)
        validity_lose(&validity, "no operation that was due in the measured time was answered; "
                                 "what may help: a longer --duration");
    if (result->losses > 0)
        validity_lose(&validity, "%u lost connection%s", result->losses,
                      text_plural(result->losses));
    if (miscounted) {
        validity.reason[0] = '\0';
        validity_lose(&validity, "the servers counted %llu %s, the sessions %llu",
                      (unsigned long long)counts->servers, server_counters_words[counts->counter],
                      (unsigned long long)counts->sessions);
    }
    row[load_row_complete] = table_flag(complete);
    row[load_row_driver_bound] = table_flag(bound);
    row[load_row_miscounted] = table_flag(miscounted);
    row[load_row_valid] = table_flag(!validity.lost);
    row[load_row_reason] = table_text(validity.reason);
}

static void describe(const struct table_value *row, char *text, size_t size)
{
    const struct table_value *offered = &row[load_row_rate_per_s];
    char number[32], count[32], rate[64] = "";
    if (offered->kind == TABLE_COUNT)
        snprintf(rate, sizeof rate, " at %s/s",
                 text_format_count(offered->count, number, sizeof number));
    snprintf(text, size, "trial %llu with %s sessions%s",
             (unsigned long long)row[load_row_trial].count,
             text_format_count(row[load_row_sessions].count, count, sizeof count), rate);
}

const struct trial_kind load_row_trials = {.subject = load_row_mix,
                                           .valid = load_row_valid,
                                           .reason = load_row_reason,
                                           .reconciled = load_row_reconciled,
                                           .noise = load_row_attempt,
                                           .fails = load_row_miscounted,
                                           .describe = describe};

/* ------------------------------------------------------------------ the row */

double load_row_cores_of(const struct load_result *result, uint64_t cpu_ns)
{
    return result->load->plan->fleet.driver == DRIVER_SIMULATED ? NAN : (double)cpu_ns / 1e9;
}

double load_row_percentile_us(const struct histogram *histogram, uint64_t unsent, double percent)
{
    return histogram_has_percentile(histogram_recorded(histogram) + unsent, percent)
               ? histogram_percentile_of_more_us(histogram, unsent, percent)
               : NAN;
}

/* Five columns from the first on: p50, p90, p99, p99.9, and the largest that is known. NaN: too few
 * values; infinite: above the histogram's range, or among those that were never sent. */
static void fill_percentiles(struct table_value *row, const struct histogram *histogram,
                             uint64_t unsent)
{
    static const double percents[] = {50, 90, 99, 99.9};
    for (size_t i = 0; i < 4; i++)
        row[i] = table_real(load_row_percentile_us(histogram, unsent, percents[i]));
    row[4] = table_real(histogram_percentile_us(histogram, 100));
}

static void fill_p50_and_p99(struct table_value *row, const struct histogram *histogram)
{
    row[0] = table_real(load_row_percentile_us(histogram, 0, 50));
    row[1] = table_real(load_row_percentile_us(histogram, 0, 99));
}

static void fill_plan(const struct load_cell *cell, const struct load_options *options,
                      const struct series_record *record, struct table_value *row)
{
    char mix[128];
    row[load_row_run] = table_text(record->files.run);
    row[load_row_target] = table_text(record->target);
    row[load_row_servers] = table_count(record->servers);
    row[load_row_driver] = table_text(options_drivers[options->target.driver]);
    row[load_row_processes] = table_count(options->processes);
    row[load_row_mix] = table_text(mix_format(&cell->mix, mix, sizeof mix));
    row[load_row_reads_percent] = table_count(mix_reads(&cell->mix));
    row[load_row_sessions] = table_count(cell->sessions);
    row[load_row_depth] = table_count(options->depth);
    row[load_row_value_bytes] = table_count(options->value_bytes);
    row[load_row_rate_per_s] = table_count_if(cell->rate_per_s > 0, cell->rate_per_s);
    row[load_row_trial] = table_count(cell->trial);
    row[load_row_seed] = table_count(options->seed);
    row[load_row_seconds] = table_count(options->duration_ns / NS_PER_S);
    row[load_row_watch_percent] = table_count(options->watch_percent);
    row[load_row_topology] = table_count(cell->topology);
}

static void fill_operations(const struct load_window *measured, struct table_value *row)
{
    uint64_t answered[LOAD_KINDS] = {0}, errors[LOAD_STATUSES] = {0};
    for (int kind = 0; kind < LOAD_KINDS; kind++) {
        for (int status = 0; status < LOAD_STATUSES; status++) {
            bool foreseen = load_shared_is_foreseen((enum load_kind)kind, (enum zk_status)status);
            *(foreseen ? &answered[kind] : &errors[status]) += measured->replies[kind][status];
        }
    }
#define PUT(A, B, kind, name) row[load_row_##name] = table_count(answered[kind]);
    LOAD_KIND_COLUMNS(PUT, , )
#undef PUT
    row[load_row_errors] = table_count(measured->errors);
    row[load_row_errors_no_node] = table_count(errors[ZK_NO_NODE]);
    row[load_row_errors_node_exists] = table_count(errors[ZK_NODE_EXISTS]);
    row[load_row_errors_connection_loss] = table_count(errors[ZK_CONNECTION_LOSS]);
    row[load_row_errors_session_expired] = table_count(errors[ZK_SESSION_EXPIRED]);
    row[load_row_errors_other] = table_count(errors[ZK_BAD_VERSION] + errors[ZK_NOT_EMPTY] +
                                             errors[ZK_NO_AUTH] + errors[ZK_OTHER_ERROR]);
}

static void fill_times(const struct load_window *measured, struct table_value *row)
{
    const struct histogram *response = &measured->response[ROLES][LOAD_KINDS],
                           *service = &measured->service[ROLES][LOAD_KINDS];
    fill_percentiles(&row[load_row_response_p50_us], response, measured->unsent);
    row[load_row_over_range] = table_count(response->overflow);
    fill_percentiles(&row[load_row_service_p50_us], service, 0);
    row[load_row_service_mean_us] = table_real(histogram_mean_us(service));
    fill_p50_and_p99(&row[load_row_set_service_p50_us], &measured->service[ROLES][LOAD_SET]);
    fill_p50_and_p99(&row[load_row_lag_p50_us], &measured->lag);
    row[load_row_lag_max_us] = table_real(histogram_percentile_us(&measured->lag, 100));
}

/* Every notification of a measured write has a latency, in the range or above it. */
static void fill_notifications(const struct fan_out_counts *found, struct table_value *row)
{
    uint64_t timed = histogram_recorded(&found->notification);
    row[load_row_notifications_untimed] = table_count(found->untimed);
    row[load_row_writes_fired] = table_count(found->writes);
    row[load_row_fan_out_mean] =
        table_real(found->writes > 0 ? (double)timed / (double)found->writes : NAN);
    row[load_row_fan_out_max] = table_count_if(found->writes > 0, found->most);
    fill_p50_and_p99(&row[load_row_notification_p50_us], &found->notification);
    fill_p50_and_p99(&row[load_row_first_notification_p50_us], &found->first);
    fill_p50_and_p99(&row[load_row_last_notification_p50_us], &found->last);
}

void load_row_fill(const struct load_cell *cell, const struct load_result *result,
                   const struct load_options *options, const struct series_record *record,
                   double cores_allowed, struct table_value *row)
{
    /* What rates are over: unknown if the measured time was cut short. */
    double seconds = result->seconds == result->load->plan->seconds ? (double)result->seconds : NAN;
    double client_cores = load_row_cores_of(result, result->client_cpu_ns) / seconds;
    const struct server_counters_count *servers = &result->servers;
    fill_plan(cell, options, record, row);
    row[load_row_offered_per_s] =
        table_real(cell->rate_per_s > 0 ? (double)result->offered / seconds : NAN);
    row[load_row_achieved_per_s] = table_real((double)result->measured->answered / seconds);
    row[load_row_delayed] = table_count(result->measured->delayed);
    row[load_row_unsent] = table_count(result->measured->unsent);
    fill_operations(result->measured, row);
    fill_times(result->measured, row);
    row[load_row_notifications] = table_count(result->total.of[TALLY_NOTIFICATION]);
    fill_notifications(result->fan_out, row);
    row[load_row_client_cores] = table_real(client_cores);
    row[load_row_server_cores] =
        table_real(result->server_cpu_known ? (double)result->server_cpu_ns / 1e9 / seconds : NAN);
    row[load_row_client_rss_kib] = table_count(result->client_rss_kib);
    row[load_row_rpcs] = table_count(tally_rpcs(&result->total));
#define PUT(A, B, name, keys, word, meaning)                                                       \
    row[load_row_server_##name] = table_count_if(servers->known, servers->name);
    FOUR_LETTER_OF_LOADS(PUT, , )
#undef PUT
    row[load_row_reconciled] = table_text(reconcile_words[result->reconcile.reconciled]);
    row[load_row_reconnects] = table_count(result->reconnects);
    row[load_row_marks] = table_count(result->marks.count + result->marks.left_out);
    row[load_row_marks_left_out] = table_count(result->marks.left_out);
    judge(result, client_cores, cores_allowed, row);
}
