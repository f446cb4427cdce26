// SPDX-License-Identifier: Apache-2.0
#include "bench/output/load_record.h"

#include "base/clock.h"
#include "base/cores.h"
#include "base/output.h"
#include "base/text.h"
#include "bench/cli/complain.h"
#include "bench/output/plots.h"
#include "bench/output/record_end.h"
#include "bench/output/validity.h"
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
    X(response_p50_us, csv_real(csv, histogram_percentile_us(response, 50), 1))                    \
    X(response_p99_us, csv_real(csv, histogram_percentile_us(response, 99), 1))                    \
    X(response_max_us, csv_real(csv, histogram_percentile_us(response, 100), 1))                   \
    X(reads, csv_count(csv, histogram_recorded(reads)))                                            \
    X(read_p50_us, csv_real(csv, histogram_percentile_us(reads, 50), 1))                           \
    X(read_p99_us, csv_real(csv, histogram_percentile_us(reads, 99), 1))                           \
    X(writes, csv_count(csv, histogram_recorded(writes)))                                          \
    X(write_p50_us, csv_real(csv, histogram_percentile_us(writes, 50), 1))                         \
    X(write_p99_us, csv_real(csv, histogram_percentile_us(writes, 99), 1))                         \
    X(outstanding, csv_count_if(csv, !is_last(trial->result, second), usage->outstanding))         \
    X(lag_max_us, csv_real(csv, (double)sum.lag_ns / 1e3, 1))                                      \
    X(marks, csv_text(csv, load_marks_format(&trial->result->marks, second, marks, sizeof marks))) \
    X(client_cores, csv_real(csv, load_row_cores_of(trial->result, usage->client_cpu_ns), 3))      \
    X(server_cores,                                                                                \
      csv_real(csv, usage->server_cpu_known ? (double)usage->server_cpu_ns / 1e9 : NAN, 3))        \
    FOUR_LETTER_OF_LOADS(SERVER_COLUMN, X, )                                                       \
    X(server_watches, csv_count_if(csv, servers->state_known, servers->watches))                   \
    X(server_connections, csv_count_if(csv, servers->state_known, servers->connections))           \
    X(server_outstanding, csv_count_if(csv, tells_outstanding(servers), servers->outstanding))

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
    X(p50_us, csv_real(csv, histogram_percentile_us(histogram, 50), 3))                            \
    X(p90_us, csv_real(csv, histogram_percentile_us(histogram, 90), 3))                            \
    X(p99_us, csv_real(csv, histogram_percentile_us(histogram, 99), 3))                            \
    X(p999_us,                                                                                     \
      csv_real(csv, count >= VALIDITY_P999_LEAST ? histogram_percentile_us(histogram, 99.9) : NAN, \
               3))                                                                                 \
    X(max_us, csv_real(csv, histogram_percentile_us(histogram, 100), 3))

/* At the end of the last second the sessions stop sending, at once: what is outstanding when the
 * coordinator looks is no figure of the load. */
static bool is_last(const struct load_result *result, uint32_t second)
{
    return second + 1 == result->load->plan->seconds;
}

static bool tells_outstanding(const struct load_server_second *servers)
{
    return servers->state_known && servers->outstanding != FOUR_LETTER_UNTOLD;
}

/* ------------------------------------------------------------------ opening */

static enum error_kind files_open(struct load_files *files, const char *out, const char *target,
                                  struct error *error)
{
    struct error closing;
    struct file_set *set = &files->set;
    enum error_kind kind = file_set_open(set, out, target, error);
    if (kind == ERROR_NONE)
        kind = file_set_add_table(set, &load_row_table, &files->load, error);
    if (kind == ERROR_NONE)
        kind = file_set_add_csv(set, "timeline.csv", TIMELINE_COLUMNS(CSV_NAME), &files->timeline,
                                error);
    if (kind == ERROR_NONE)
        kind = file_set_add_csv(set, "operations.csv", OPERATION_COLUMNS(CSV_NAME),
                                &files->operations, error);
    if (kind == ERROR_NONE)
        kind =
            file_set_add_csv(set, "latency.csv", LATENCY_COLUMNS(CSV_NAME), &files->latency, error);
    if (kind == ERROR_NONE)
        kind = file_set_add_hlog(set, "latency.hlog", &files->hlog, error);
    if (kind != ERROR_NONE)
        (void)!file_set_close(set, &closing);
    return kind;
}

/* ------------------------------------------------------------------ a trial */

/* In the log, the measured time of a trial ends when the trial is written. */
static double start_s(const struct load_files *files, const struct trial *trial)
{
    return (double)(clock_now_ns() - files->set.started_ns) / 1e9 - trial->result->seconds;
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
    TIMELINE_COLUMNS(CSV_WRITE) csv_end_row(csv);
    for (int i = 0; kind == ERROR_NONE && i < SECOND_HISTOGRAMS; i++) {
        if (histogram_recorded(&times[i]) > 0)
            kind = hlog_write_interval(files->hlog, second_tags[i], start_s(files, trial) + second,
                                       1, &times[i], error);
    }
    return kind;
}

/* The seconds that have ended: a trial that ended early has not had all that its plan has. */
static enum error_kind write_timeline(struct load_files *files, const struct trial *trial,
                                      struct error *error)
{
    enum error_kind kind = ERROR_NONE;
    for (uint32_t second = 0; kind == ERROR_NONE && second < trial->result->seconds; second++) {
        struct histogram *times = calloc(SECOND_HISTOGRAMS, sizeof *times);
        if (times == NULL)
            return error_raise(error, ERROR_NO_MEMORY, 0, "timeline.csv", "%s", "");
        load_shared_add_times(trial->result->load, second, &times[SECOND_READS],
                              &times[SECOND_WRITES]);
        histogram_add(&times[SECOND_ALL], &times[SECOND_READS]);
        histogram_add(&times[SECOND_ALL], &times[SECOND_WRITES]);
        kind = write_second(files, trial, second, times, error);
        free(times);
    }
    return kind;
}

/* One histogram, if it has any value. */
static enum error_kind write_latency(struct load_files *files, const struct trial *trial,
                                     const char *role, const char *operation, const char *from,
                                     const struct histogram *histogram, struct error *error)
{
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

/* All kinds together, then each: LOAD_KINDS + 1 of both. */
static enum error_kind write_kinds(struct load_files *files, const struct trial *trial,
                                   const char *role, const struct histogram *service,
                                   const struct histogram *response, struct error *error)
{
    enum error_kind kind = ERROR_NONE;
    for (int place = 0; kind == ERROR_NONE && place <= LOAD_KINDS; place++) {
        int i = place == 0 ? LOAD_KINDS : place - 1;
        const char *operation = place == 0 ? "all" : load_kind_word((enum load_kind)i);
        kind = write_latency(files, trial, role, operation, "sent", &service[i], error);
        if (kind == ERROR_NONE)
            kind = write_latency(files, trial, role, operation, "due", &response[i], error);
    }
    return kind;
}

/* From the sending of a write. */
static enum error_kind write_notifications(struct load_files *files, const struct trial *trial,
                                           struct error *error)
{
    const struct fan_out_counts *found = trial->result->fan_out;
    enum error_kind kind =
        write_latency(files, trial, "all", "notification", "sent", &found->notification, error);
    if (kind == ERROR_NONE)
        kind =
            write_latency(files, trial, "all", "first_notification", "sent", &found->first, error);
    if (kind == ERROR_NONE)
        kind = write_latency(files, trial, "all", "last_notification", "sent", &found->last, error);
    return kind;
}

/* All sessions together, then those of each role. */
static enum error_kind write_latencies(struct load_files *files, const struct trial *trial,
                                       struct error *error)
{
    const struct load_window *measured = trial->result->measured;
    enum error_kind kind = ERROR_NONE;
    for (int place = 0; kind == ERROR_NONE && place <= ROLES; place++) {
        int role = place == 0 ? ROLES : place - 1;
        kind = write_kinds(files, trial, place == 0 ? "all" : role_word((enum role)role),
                           measured->service[role], measured->response[role], error);
    }
    return kind;
}

static enum error_kind files_add(struct load_files *files, const struct table_value *row,
                                 const struct load_result *result, struct error *error)
{
    const struct trial trial = {row, result};
    table_write_row(&load_row_table, row, &files->load);
    write_operations(files, &trial);
    enum error_kind kind = write_timeline(files, &trial, error);
    if (kind == ERROR_NONE)
        kind = write_latencies(files, &trial, error);
    if (kind == ERROR_NONE)
        kind = write_notifications(files, &trial, error);
    return file_set_commit(&files->set, kind, error);
}

/* ------------------------------------------------------------------ the record of a target */

enum error_kind load_record_open(struct load_record *record, const struct load_options *options,
                                 const struct target *target, const char *out, size_t trials,
                                 int argc, char **argv, struct error *error)
{
    *record = (struct load_record){
        .options = options, .trials_planned = trials, .rows.type = &load_row_table};
    enum error_kind kind = files_open(&record->files, out, target->name, error);
    if (kind != ERROR_NONE)
        return kind;
    snprintf(record->target, sizeof record->target, "%s", target->name);
    record->context = (struct load_context){record->files.set.run, record->target,
                                            target->servers.count, options};
    manifest_begin(&record->manifest,
                   &(struct manifest_start){argc, argv, options->seed, load_options_plan(options),
                                            &options->target, target});
    return ERROR_NONE;
}

void load_record_free(struct load_record *record)
{
    manifest_deinit(&record->manifest);
    table_deinit(&record->rows);
    *record = (struct load_record){0};
}

void load_record_warn(struct load_record *record, const char *warning)
{
    if (!record->options->output.quiet)
        complain_mildly("%s", warning);
    manifest_warn(&record->manifest, warning);
}

/* Warns once a load. */
static void warn_once(struct load_record *record, const char *why)
{
    bool several = record->options->target.topology_count > 1;
    char warning[384];
    snprintf(warning, sizeof warning, "%s%scannot cross-check against the servers' counters: %s",
             several ? record->target : "", several ? ": " : "", why);
    if (!record->warned)
        load_record_warn(record, warning);
    record->warned = true;
}

enum error_kind load_record_add(struct load_record *record, const struct load_cell *cell,
                                const struct load_result *result, struct error *error)
{
    struct table_value *row = table_add(&record->rows);
    load_row_take(cell, result, &record->context, cores_allowed(), row);
    manifest_sessions(&record->manifest, result->load->shared);
    if (result->reconcile.why[0] != '\0')
        warn_once(record, result->reconcile.why);
    return files_add(&record->files, row, result, error);
}

/* ------------------------------------------------------------------ after the last trial */

static void write_cells(FILE *stream, const void *context)
{
    struct csv csv = {.stream = stream};
    load_cells_write_header(&csv);
    load_cells_write(context, &csv);
}

enum error_kind load_record_close(struct load_record *record, const struct error *cut_short,
                                  int interrupts, struct error *error)
{
    const struct file_set *set = &record->files.set;
    const struct record_end end = {
        &record->manifest, set,       &record->options->output, "load", record->trials_planned,
        cut_short,         interrupts};
    enum error_kind kind = file_set_close(&record->files.set, error);
    if (set->trials == 0)
        return kind;
    if (kind == ERROR_NONE)
        kind = output_write(set->folder, "cells.csv", write_cells, &record->rows, error);
    if (kind == ERROR_NONE && !set->broken)
        kind = record_end_draw(&end, PLOTS_OF_LOAD, "",
                               "they need two seconds at least, or two shares of reads, offered "
                               "rates, or numbers of sessions that leave watches",
                               error);
    return record_end_describe(&end, kind, error);
}

void load_record_complain(const struct load_record *record)
{
    char where[100] = "";
    if (record->options->target.topology_count > 1)
        snprintf(where, sizeof where, "%s: ", record->target);
    for (size_t i = 0; i < record->rows.rows; i++) {
        const struct table_value *row = table_row(&record->rows, i);
        const struct table_value *offered = &row[load_row_rate_per_s];
        uint64_t sessions = row[load_row_sessions].count;
        char number[32], count[32], rate[64] = "";
        if (row[load_row_valid].flag)
            continue;
        if (offered->kind == TABLE_COUNT)
            snprintf(rate, sizeof rate, " at %s/s",
                     text_format_count(offered->count, number, sizeof number));
        complain_plainly("%s%s, %s session%s%s, trial %llu: %s: %s", where, row[load_row_mix].text,
                         text_format_count(sessions, count, sizeof count), sessions == 1 ? "" : "s",
                         rate, (unsigned long long)row[load_row_trial].count,
                         row[load_row_miscounted].flag ? "the verdict fails" : "not valid",
                         row[load_row_reason].text);
    }
}

int load_record_verdict(const struct load_record *record)
{
    int verdict = 0;
    for (size_t i = 0; i < record->rows.rows; i++) {
        int of_row = load_row_verdict(table_row(&record->rows, i));
        verdict = verdict == 1 || of_row == 1 ? 1 : verdict > of_row ? verdict : of_row;
    }
    return verdict;
}

/* ------------------------------------------------------------------ all records together */

static bool are_several(const struct load_record *records, size_t count)
{
    size_t with_trials = 0;
    for (size_t i = 0; i < count; i++)
        with_trials += records[i].rows.rows > 0;
    return with_trials > 1;
}

struct joined {
    const struct load_record *records;
    size_t count;
};

static void write_joined(FILE *stream, const void *context)
{
    const struct joined *joined = context;
    struct csv csv = {.stream = stream};
    load_cells_write_header(&csv);
    for (size_t i = 0; i < joined->count; i++)
        load_cells_write(&joined->records[i].rows, &csv);
}

enum error_kind load_joined_write(const struct load_record *records, size_t count,
                                  const char *folder, bool *written, struct error *error)
{
    const struct joined joined = {records, count};
    *written = are_several(records, count);
    if (!*written)
        return ERROR_NONE;
    enum error_kind kind = output_write(folder, "cells.csv", write_joined, &joined, error);
    *written = kind == ERROR_NONE;
    return kind;
}

enum error_kind load_joined_draw(const struct load_options *options, int interrupts,
                                 struct error *error)
{
    char why[640];
    const struct plots plots = {.kind = PLOTS_OF_LOAD,
                                .folder = options->output.out,
                                .recipes = "",
                                .formats = options->output.plots,
                                .interrupts = interrupts};
    enum plots_end end = plots_draw(&plots, why, sizeof why);
    if (end == PLOTS_INTERRUPTED)
        return error_raise(error, ERROR_INTERRUPTED, 0, "load", "the plots are not drawn");
    if (end == PLOTS_SKIPPED && !options->output.quiet)
        complain_mildly("the plots of %s are skipped: %s", options->output.out, why);
    return ERROR_NONE;
}
