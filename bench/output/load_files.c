// SPDX-License-Identifier: Apache-2.0
/* The files of a load that grow trial by trial, besides load.csv. Errors stay in their streams,
 * where file_set_commit finds them. */
#include "bench/output/load_series.h"

#include "base/clock.h"
#include "base/memory.h"
#include "measure/hlog.h"
#include "servers/four_letter.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* A trial, on its way into the files. */
struct trial {
    struct load_files *files;
    const struct table_value *row; /* of load.csv */
    const struct load_result *result;
    double start_s; /* of its measured time, in the log: that ends when the trial is written */
};

/* The trial that a row is of. */
#define TRIAL_COLUMNS(X)                                                                           \
    X(run, table_write_value(&trial->row[load_row_run], 0, csv))                                   \
    X(mix, table_write_value(&trial->row[load_row_mix], 0, csv))                                   \
    X(sessions, table_write_value(&trial->row[load_row_sessions], 0, csv))                         \
    X(rate_per_s, table_write_value(&trial->row[load_row_rate_per_s], 0, csv))                     \
    X(trial, table_write_value(&trial->row[load_row_trial], 0, csv))

#define SERVER_COLUMN(X, B, name, keys, word, meaning)                                             \
    X(server_##name,                                                                               \
      csv_count_if(csv, servers->known && servers->name != FOUR_LETTER_UNREPORTED, servers->name))

/* marks is not the last: gnuplot reads an empty text at the end of a line as what a line before had
 * there. */
#define TIMELINE_COLUMNS(X)                                                                        \
    TRIAL_COLUMNS(X)                                                                               \
    X(second, csv_count(csv, second + 1))                                                          \
    X(operations, csv_count(csv, sum.answered))                                                    \
    X(errors, csv_count(csv, sum.errors))                                                          \
    X(response_p50_us, csv_real(csv, load_row_percentile_us(response, 0, 50), 1))                  \
    X(response_p99_us, csv_real(csv, load_row_percentile_us(response, 0, 99), 1))                  \
    X(response_max_us, csv_real(csv, histogram_percentile_us(response, 100), 1))                   \
    X(reads, csv_count_if(csv, ends_span, histogram_recorded(reads)))                              \
    X(read_p50_us, csv_real(csv, load_row_percentile_us(reads, 0, 50), 1))                         \
    X(read_p99_us, csv_real(csv, load_row_percentile_us(reads, 0, 99), 1))                         \
    X(writes, csv_count_if(csv, ends_span, histogram_recorded(writes)))                            \
    X(write_p50_us, csv_real(csv, load_row_percentile_us(writes, 0, 50), 1))                       \
    X(write_p99_us, csv_real(csv, load_row_percentile_us(writes, 0, 99), 1))                       \
    X(outstanding, csv_count_if(csv, !is_last, usage->outstanding))                                \
    X(lag_max_us, csv_real(csv, (double)sum.lag_ns / 1e3, 1))                                      \
    X(marks, csv_text(csv, load_marks_format(&result->marks, second, marks, sizeof marks)))        \
    X(client_cores, csv_real(csv, load_row_cores_of(result, usage->client_cpu_ns), 3))             \
    X(server_cores,                                                                                \
      csv_real(csv, usage->server_cpu_known ? (double)usage->server_cpu_ns / 1e9 : NAN, 3))        \
    FOUR_LETTER_OF_LOADS(SERVER_COLUMN, X, )                                                       \
    X(server_watches, csv_count_if(csv, servers->state_known, servers->watches))                   \
    X(server_connections, csv_count_if(csv, servers->state_known, servers->connections))           \
    X(server_outstanding, csv_count_if(csv, knows_outstanding, servers->outstanding))

#define OPERATION_COLUMNS(X)                                                                       \
    TRIAL_COLUMNS(X)                                                                               \
    X(operation, csv_text(csv, load_kind_word(kind)))                                              \
    X(status, csv_text(csv, client_status_word(status)))                                           \
    X(count, csv_count(csv, trial->result->measured->replies[kind][status]))

#define LATENCY_COLUMNS(X)                                                                         \
    TRIAL_COLUMNS(X)                                                                               \
    X(role, csv_text(csv, role))                                                                   \
    X(operation, csv_text(csv, operation))                                                         \
    X(from, csv_text(csv, from))                                                                   \
    X(count, csv_count(csv, histogram_recorded(histogram)))                                        \
    X(over_range, csv_count(csv, histogram->overflow))                                             \
    X(p50_us, csv_real(csv, load_row_percentile_us(histogram, unsent, 50), 3))                     \
    X(p90_us, csv_real(csv, load_row_percentile_us(histogram, unsent, 90), 3))                     \
    X(p99_us, csv_real(csv, load_row_percentile_us(histogram, unsent, 99), 3))                     \
    X(p999_us, csv_real(csv, load_row_percentile_us(histogram, unsent, 99.9), 3))                  \
    X(max_us, csv_real(csv, histogram_percentile_us(histogram, 100), 3))

#define HOST_COLUMNS(X)                                                                            \
    TRIAL_COLUMNS(X)                                                                               \
    X(host, csv_count(csv, rank))                                                                  \
    X(name, csv_text(csv, hosts->meeting->members[rank].name))                                     \
    X(host_sessions, csv_count(csv, host->sessions))                                               \
    X(operations, csv_count(csv, host->answered))                                                  \
    X(errors, csv_count(csv, host->errors))                                                        \
    X(unsent, csv_count(csv, host->unsent))                                                        \
    X(rpcs, csv_count(csv, host->rpcs))                                                            \
    X(response_p99_us,                                                                             \
      csv_real(csv, load_row_percentile_us(&host->response, host->unsent, 99), 1))                 \
    X(client_cores, csv_real(csv, (double)host->client_cpu_ns / 1e9 / seconds, 3))                 \
    X(cores_allowed, csv_real(csv, (double)host->millicores / 1e3, 3))                             \
    X(client_rss_kib, csv_count(csv, host->client_rss_kib))                                        \
    X(absent_us, csv_real(csv, (double)host->absent_ns / 1e3, 1))

enum error_kind load_files_open(struct load_files *files, bool has_hosts,
                                struct series_record *record, struct error *error)
{
    struct file_set *set = &record->files;
    files->record = record;
    error->kind = ERROR_NONE;
    file_set_add_csv(set, "timeline.csv", TIMELINE_COLUMNS(CSV_NAME), &files->timeline, error);
    file_set_add_csv(set, "operations.csv", OPERATION_COLUMNS(CSV_NAME), &files->operations, error);
    file_set_add_csv(set, "latency.csv", LATENCY_COLUMNS(CSV_NAME), &files->latency, error);
    if (has_hosts)
        file_set_add_csv(set, "hosts.csv", HOST_COLUMNS(CSV_NAME), &files->hosts, error);
    file_set_add_hlog(set, "latency.hlog", &files->hlog, error);
    return error->kind;
}

/* ------------------------------------------------------------------ a trial */

static void log_times(const struct trial *trial, const char *tag, double start_s, uint32_t span_s,
                      const struct histogram *times)
{
    if (histogram_recorded(times) > 0)
        hlog_write_interval(trial->files->hlog, tag, start_s, span_s, times);
}

static void write_operations(const struct trial *trial)
{
    struct csv *csv = &trial->files->operations;
    for (enum load_kind kind = 0; kind < LOAD_KINDS; kind++) {
        for (enum zk_status status = 0; status < LOAD_STATUSES; status++) {
            if (trial->result->measured->replies[kind][status] == 0)
                continue;
            OPERATION_COLUMNS(CSV_WRITE) csv_end_row(csv);
        }
    }
}

/* The response times of a second: all, and those of its reads and writes apart. At the end of the
 * last second the sessions stop sending, at once: what is outstanding when the coordinator looks is
 * no figure of the load. */
static void write_second(const struct trial *trial, uint32_t second)
{
    const struct load_result *result = trial->result;
    const struct load_plan *plan = result->load->plan;
    struct csv *csv = &trial->files->timeline;
    struct histogram *response = memory_new(3, sizeof *response), *reads = response + 1,
                     *writes = response + 2;
    const struct load_usage *usage = &result->usage[second];
    const struct load_server_second *servers = &result->server_seconds[second];
    const struct load_second_sum sum = load_shared_second_sum(result->load, second);
    char marks[LOAD_MARKS_TEXT_SIZE];
    uint32_t span_s = second % load_plan_span_s(plan) + 1;
    double start_s = trial->start_s + second + 1 - span_s;
    bool is_last = second + 1 == plan->seconds, ends_span = load_plan_ends_span(plan, second),
         knows_outstanding = servers->state_known && servers->outstanding != FOUR_LETTER_UNREPORTED;
    load_shared_add_times(result->load, second, reads, writes);
    histogram_add(response, reads);
    histogram_add(response, writes);
    TIMELINE_COLUMNS(CSV_WRITE) csv_end_row(csv);
    log_times(trial, "second", start_s, span_s, response);
    log_times(trial, "second.reads", start_s, span_s, reads);
    log_times(trial, "second.writes", start_s, span_s, writes);
    free(response);
}

/* One histogram, if it has any value. What was never sent has no kind yet: its times are among
 * those of all operations. */
static void write_latency(const struct trial *trial, const char *role, const char *operation,
                          const char *from, const struct histogram *histogram)
{
    const struct load_window *measured = trial->result->measured;
    uint64_t unsent = histogram == &measured->response[ROLES][LOAD_KINDS] ? measured->unsent : 0;
    struct csv *csv = &trial->files->latency;
    char tag[64];
    if (histogram_recorded(histogram) == 0)
        return;
    LATENCY_COLUMNS(CSV_WRITE) csv_end_row(csv);
    snprintf(tag, sizeof tag, "%s.%s.%s", operation, from, role);
    log_times(trial, tag, trial->start_s, trial->result->seconds, histogram);
}

/* All sessions together, then those of each role; all kinds together, then each. Those of
 * notifications are from the sending of a write. */
static void write_latencies(const struct trial *trial)
{
    const struct load_window *measured = trial->result->measured;
    const struct fan_out_counts *found = trial->result->fan_out;
    for (int place = 0; place <= ROLES; place++) {
        int role = place == 0 ? ROLES : place - 1;
        const char *of_role = place == 0 ? "all" : role_words[role];
        for (int of = 0; of <= LOAD_KINDS; of++) {
            int kind = of == 0 ? LOAD_KINDS : of - 1;
            const char *operation = of == 0 ? "all" : load_kind_word((enum load_kind)kind);
            write_latency(trial, of_role, operation, "sent", &measured->service[role][kind]);
            write_latency(trial, of_role, operation, "due", &measured->response[role][kind]);
        }
    }
    write_latency(trial, "all", "notification", "sent", &found->notification);
    write_latency(trial, "all", "first_notification", "sent", &found->first);
    write_latency(trial, "all", "last_notification", "sent", &found->last);
}

/* A row for each host, and its response times apart: "host.2". */
static void write_hosts(const struct trial *trial)
{
    const struct load_hosts *hosts = load_hosts_of(trial->result);
    struct csv *csv = &trial->files->hosts;
    double seconds = trial->result->seconds;
    for (uint32_t rank = 0; hosts != NULL && rank < hosts->meeting->plan.hosts; rank++) {
        const struct load_host *host = &hosts->list[rank];
        char tag[32];
        HOST_COLUMNS(CSV_WRITE) csv_end_row(csv);
        snprintf(tag, sizeof tag, "host.%u", rank);
        log_times(trial, tag, trial->start_s, trial->result->seconds, &host->response);
    }
}

/* Seconds that have ended: a trial that ended early has not had all that its plan has. */
enum error_kind load_files_add(struct load_files *files, const struct table_value *row,
                               const struct load_result *result, struct error *error)
{
    struct file_set *set = &files->record->files;
    double since_s = (double)(clock_now_ns() - set->started_ns) / 1e9;
    const struct trial trial = {files, row, result, since_s - result->seconds};
    table_write_row(&load_row_table, row, &files->record->csv);
    write_operations(&trial);
    for (uint32_t second = 0; second < result->seconds; second++)
        write_second(&trial, second);
    write_latencies(&trial);
    write_hosts(&trial);
    return file_set_commit(set, error);
}
