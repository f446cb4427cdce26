// SPDX-License-Identifier: Apache-2.0
/* The files of a load that grow trial by trial, besides load.csv. */
#include "bench/output/load_series.h"

#include "base/clock.h"
#include "base/memory.h"
#include "bench/output/verdict.h"
#include "measure/hlog.h"
#include "servers/role.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* A trial, on its way into the files. */
struct trial {
    const struct table_value *row; /* of load.csv */
    const struct load_result *result;
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
      csv_count_if(csv, servers->known && servers->name != FOUR_LETTER_UNTOLD, servers->name))

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
    X(marks, csv_text(csv, load_marks_format(&trial->result->marks, second, marks, sizeof marks))) \
    X(client_cores, csv_real(csv, load_row_cores_of(trial->result, usage->client_cpu_ns), 3))      \
    X(server_cores,                                                                                \
      csv_real(csv, usage->server_cpu_known ? (double)usage->server_cpu_ns / 1e9 : NAN, 3))        \
    FOUR_LETTER_OF_LOADS(SERVER_COLUMN, X, )                                                       \
    X(server_watches, csv_count_if(csv, servers->state_known, servers->watches))                   \
    X(server_connections, csv_count_if(csv, servers->state_known, servers->connections))           \
    X(server_outstanding, csv_count_if(csv, tells_outstanding, servers->outstanding))

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
    X(count, csv_count(csv, count))                                                                \
    X(over_range, csv_count(csv, histogram->overflow))                                             \
    X(p50_us, csv_real(csv, load_row_percentile_us(histogram, unsent, 50), 3))                     \
    X(p90_us, csv_real(csv, load_row_percentile_us(histogram, unsent, 90), 3))                     \
    X(p99_us, csv_real(csv, load_row_percentile_us(histogram, unsent, 99), 3))                     \
    X(p999_us, csv_real(csv, load_row_percentile_us(histogram, unsent, 99.9), 3))                  \
    X(max_us, csv_real(csv, histogram_percentile_us(histogram, 100), 3))

/* ------------------------------------------------------------------ opening */

enum error_kind load_files_open(struct load_files *files, struct series_record *record,
                                struct error *error)
{
    struct file_set *set = &record->files;
    files->record = record;
    enum error_kind kind =
        file_set_add_csv(set, "timeline.csv", TIMELINE_COLUMNS(CSV_NAME), &files->timeline, error);
    if (kind == ERROR_NONE)
        kind = file_set_add_csv(set, "operations.csv", OPERATION_COLUMNS(CSV_NAME),
                                &files->operations, error);
    if (kind == ERROR_NONE)
        kind =
            file_set_add_csv(set, "latency.csv", LATENCY_COLUMNS(CSV_NAME), &files->latency, error);
    if (kind == ERROR_NONE)
        kind = file_set_add_hlog(set, "latency.hlog", &files->hlog, error);
    return kind;
}

/* ------------------------------------------------------------------ a trial */

/* In the log, the measured time of a trial ends when the trial is written. */
static double start_s(const struct load_files *files, const struct trial *trial)
{
    return (double)(clock_now_ns() - files->record->files.started_ns) / 1e9 -
           trial->result->seconds;
}

static void write_operations(struct load_files *files, const struct trial *trial)
{
    struct csv *csv = &files->operations;
    for (enum load_kind kind = 0; kind < LOAD_KINDS; kind++) {
        for (enum zk_status status = 0; status < LOAD_STATUSES; status++) {
            if (trial->result->measured->replies[kind][status] == 0)
                continue;
            OPERATION_COLUMNS(CSV_WRITE) csv_end_row(csv);
        }
    }
}

/* The response times of a second: all, and those of its reads and writes apart. */
enum { SECOND_ALL, SECOND_READS, SECOND_WRITES, SECOND_HISTOGRAMS };

static const char *const second_tags[SECOND_HISTOGRAMS] = {"second", "second.reads",
                                                           "second.writes"};

/* `times`: SECOND_HISTOGRAMS of them. */
static enum error_kind write_second(struct load_files *files, const struct trial *trial,
                                    uint32_t second, const struct histogram *times,
                                    struct error *error)
{
    struct csv *csv = &files->timeline;
    const struct histogram *response = &times[SECOND_ALL], *reads = &times[SECOND_READS],
                           *writes = &times[SECOND_WRITES];
    const struct load_usage *usage = &trial->result->usage[second];
    const struct load_server_second *servers = &trial->result->server_seconds[second];
    const struct load_second_sum sum = load_shared_second_sum(trial->result->load, second);
    char marks[LOAD_MARKS_TEXT_SIZE];
    enum error_kind kind = ERROR_NONE;
    /* At the end of the last second the sessions stop sending, at once: what is outstanding when
     * the coordinator looks is no figure of the load. */
    const struct load_plan *plan = trial->result->load->plan;
    uint32_t span_s = second % load_plan_span_s(plan) + 1;
    bool is_last = second + 1 == plan->seconds, ends_span = load_plan_ends_span(plan, second),
         tells_outstanding = servers->state_known && servers->outstanding != FOUR_LETTER_UNTOLD;
    TIMELINE_COLUMNS(CSV_WRITE) csv_end_row(csv);
    for (int i = 0; kind == ERROR_NONE && i < SECOND_HISTOGRAMS; i++) {
        if (histogram_recorded(&times[i]) > 0)
            kind = hlog_write_interval(files->hlog, second_tags[i],
                                       start_s(files, trial) + second + 1 - span_s, span_s,
                                       &times[i], error);
    }
    return kind;
}

/* The seconds that have ended: a trial that ended early has not had all that its plan has. */
static enum error_kind write_timeline(struct load_files *files, const struct trial *trial,
                                      struct error *error)
{
    enum error_kind kind = ERROR_NONE;
    for (uint32_t second = 0; kind == ERROR_NONE && second < trial->result->seconds; second++) {
        struct histogram *times = memory_new(SECOND_HISTOGRAMS, sizeof *times);
        load_shared_add_times(trial->result->load, second, &times[SECOND_READS],
                              &times[SECOND_WRITES]);
        histogram_add(&times[SECOND_ALL], &times[SECOND_READS]);
        histogram_add(&times[SECOND_ALL], &times[SECOND_WRITES]);
        kind = write_second(files, trial, second, times, error);
        free(times);
    }
    return kind;
}

/* One histogram, if it has any value. What was never sent has no kind yet: its times are among
 * those of all operations. */
static enum error_kind write_latency(struct load_files *files, const struct trial *trial,
                                     const char *role, const char *operation, const char *from,
                                     const struct histogram *histogram, struct error *error)
{
    const struct load_window *measured = trial->result->measured;
    uint64_t unsent = histogram == &measured->response[ROLES][LOAD_KINDS] ? measured->unsent : 0;
    struct csv *csv = &files->latency;
    char tag[64];
    uint64_t count = histogram_recorded(histogram);
    if (count == 0)
        return ERROR_NONE;
    LATENCY_COLUMNS(CSV_WRITE) csv_end_row(csv);
    snprintf(tag, sizeof tag, "%s.%s.%s", operation, from, role);
    return hlog_write_interval(files->hlog, tag, start_s(files, trial), trial->result->seconds,
                               histogram, error);
}

/* All sessions together, then those of each role; all kinds together, then each. Those of
 * notifications are from the sending of a write. */
static enum error_kind write_latencies(struct load_files *files, const struct trial *trial,
                                       struct error *error)
{
    const struct load_window *measured = trial->result->measured;
    const struct fan_out_counts *found = trial->result->fan_out;
    const struct {
        const char *word;
        const struct histogram *times;
    } notifications[] = {{"notification", &found->notification},
                         {"first_notification", &found->first},
                         {"last_notification", &found->last}};
    enum error_kind error_kind = ERROR_NONE;
    for (int place = 0; place <= ROLES; place++) {
        int role = place == 0 ? ROLES : place - 1;
        const char *of_role = place == 0 ? "all" : role_word((enum role)role);
        for (int of = 0; error_kind == ERROR_NONE && of <= LOAD_KINDS; of++) {
            int kind = of == 0 ? LOAD_KINDS : of - 1;
            const char *operation = of == 0 ? "all" : load_kind_word((enum load_kind)kind);
            error_kind = write_latency(files, trial, of_role, operation, "sent",
                                       &measured->service[role][kind], error);
            if (error_kind == ERROR_NONE)
                error_kind = write_latency(files, trial, of_role, operation, "due",
                                           &measured->response[role][kind], error);
        }
    }
    for (size_t i = 0; error_kind == ERROR_NONE && i < 3; i++)
        error_kind = write_latency(files, trial, "all", notifications[i].word, "sent",
                                   notifications[i].times, error);
    return error_kind;
}

enum error_kind load_files_add(struct load_files *files, const struct table_value *row,
                               const struct load_result *result, struct error *error)
{
    const struct trial trial = {row, result};
    table_write_row(&load_row_table, row, &files->record->csv);
    write_operations(files, &trial);
    enum error_kind kind = write_timeline(files, &trial, error);
    if (kind == ERROR_NONE)
        kind = write_latencies(files, &trial, error);
    return file_set_commit(&files->record->files, kind, error);
}
