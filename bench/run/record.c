// SPDX-License-Identifier: Apache-2.0
#include "bench/run/internal.h"

#include "base/clock.h"
#include "base/cores.h"
#include "base/output.h"
#include "bench/cli/complain.h"
#include "bench/cli/terminal.h"
#include "bench/output/json_result.h"
#include "bench/output/manifest.h"
#include "bench/output/record_end.h"
#include "bench/output/validity.h"
#include "bench/page/page.h"
#include "measure/hlog.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum error_kind record_open(struct record *record, const struct options *options,
                            const struct target *target, const char *out, size_t trials,
                            struct error *error)
{
    uint64_t most = options->plan.clients.list[options->plan.clients.count - 1];
    *record = (struct record){.options = options, .rows.type = &trial_row_table};
    enum error_kind kind = ERROR_NONE;
    for (size_t i = 0; kind == ERROR_NONE && i < options->plan.recipe_count; i++)
        kind = waiters_new(options->plan.recipes[i], most, &record->waiters[i], error);
    if (kind == ERROR_NONE)
        kind = results_open(&record->results, out, target->name, trials,
                            options->plan.traced.count > 0, error);
    if (kind != ERROR_NONE)
        return kind;
    record->trials_planned = trials;
    snprintf(record->target, sizeof record->target, "%s", target->name);
    record->context = (struct trial_row_context){record->results.set.run, record->target,
                                                 target->servers.count, options};
    return ERROR_NONE;
}

void record_free(struct record *record)
{
    manifest_deinit(&record->manifest);
    for (size_t i = 0; i < OPTIONS_RECIPES_MAX; i++)
        waiters_free(record->waiters[i]);
    outcome_free(record->outcome);
    table_deinit(&record->rows);
    *record = (struct record){0};
}

void record_warn(struct record *record, const char *format, ...)
{
    char warning[800];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(warning, sizeof warning, format, arguments);
    va_end(arguments);
    if (!record->options->output.quiet)
        complain_mildly("%s", warning);
    manifest_warn(&record->manifest, warning);
}

/* Warns once a run. */
static void say_once(struct record *record, const char *why)
{
    bool several = record->options->target.topology_count > 1;
    if (!record->warned)
        record_warn(record, "%s%scannot cross-check against the servers' counters: %s",
                    several ? record->target : "", several ? ": " : "", why);
    record->warned = true;
}

static struct waiters *waiters_of(struct record *record, const struct recipe *recipe)
{
    size_t i = 0;
    while (record->options->plan.recipes[i] != recipe)
        i++;
    return record->waiters[i];
}

enum error_kind record_add(struct record *record, const struct cell *cell,
                           const struct trial_result *result,
                           const struct background_figures *background, struct error *error)
{
    struct table_value *row = table_add(&record->rows);
    enum error_kind kind = ERROR_NONE;
    double beta = NAN;
    trial_row_take(cell, result, background, &record->context, cores_allowed(), row);
    if (row[trial_row_counted].flag)
        kind = waiters_add(waiters_of(record, cell->recipe), result, row[trial_row_valid].flag,
                           &beta, error);
    row[trial_row_beta] = table_real(beta);
    if (kind != ERROR_NONE)
        return kind;
    manifest_sessions(&record->manifest, result->memory->fleet);
    if (result->not_reconciled[0] != '\0')
        say_once(record, result->not_reconciled);
    if (trace_lost(&result->memory->trace) > 0)
        record_warn(record, "trace.csv: no room for %llu events of trial %u of %s with %u clients",
                    (unsigned long long)trace_lost(&result->memory->trace), cell->trial,
                    cell->recipe->name, cell->clients);
    return results_add(&record->results, row, result, error);
}

/* ------------------------------------------------------------------ after the last trial */

/* Writes a CSV file whose rows come from one of the writers below. */
static enum error_kind write_csv(const struct record *record, const char *name, const char *columns,
                                 void (*write_rows)(const struct record *record, struct csv *csv),
                                 struct error *error)
{
    struct output file = {0};
    enum error_kind kind = output_open(&file, record->results.set.folder, name, error);
    if (kind != ERROR_NONE)
        return kind;
    struct csv csv = {.stream = file.stream};
    csv_header(&csv, columns);
    write_rows(record, &csv);
    kind = output_finish(&file, error);
    if (kind != ERROR_NONE)
        output_abandon(&file);
    return kind;
}

static enum error_kind draw(const struct record *record, const struct record_end *end,
                            struct error *error)
{
    char recipes[PLOTS_RECIPES_SIZE] = "";
    for (size_t i = 0; i < record->options->plan.recipe_count; i++)
        (void)plots_add_recipe(recipes, record->options->plan.recipes[i]->name);
    return record_end_draw(end, PLOTS_OF_RUN, recipes, "there is nothing to draw", error);
}

void record_complain(const struct record *record)
{
    char where[100] = "";
    if (record->options->target.topology_count > 1)
        snprintf(where, sizeof where, "%s: ", record->target);
    conclusion_complain(&record->rows, record->options, where);
}

void record_tell(const struct record *record)
{
    record_complain(record);
    if (record->options->output.quiet)
        return;
    if (record->options->target.topology_count > 1)
        printf("\n%s: %zu server%s\n\n", record->target, record->context.servers,
               record->context.servers == 1 ? "" : "s");
    const struct terminal_look look = terminal_look(STDOUT_FILENO);
    size_t width = terminal_columns(STDOUT_FILENO);
    table_write(record->outcome, width, stdout);
    handoff_bars_write(record->outcome, width, look.blocks, stdout);
    conclusion_sentences(record->outcome, stdout);
    conclusion_write(record->outcome, record->trials_planned, look.colours, stdout);
    printf("\nresults in %s\n", record->results.set.folder);
}

json_t *record_describe(const struct record *record)
{
    return manifest_result(&record->manifest, record->results.set.folder, record->context.servers,
                           table_json(record->outcome));
}

/* Closes the files, and adds those that need all trials. The first error is the one that counts. */
enum error_kind record_close(struct record *record, const struct error *cut_short, int interrupts,
                             struct error *error)
{
    const struct results *results = &record->results;
    const struct record_end end = {
        &record->manifest, &results->set, &record->options->output, "run", record->trials_planned,
        cut_short,         interrupts};
    enum error_kind kind = file_set_close(&record->results.set, error);
    record->outcome = outcome_new(&record->rows, record->options);
    if (results->set.trials == 0)
        return kind;
    if (kind == ERROR_NONE)
        kind = write_csv(record, "waiters.csv", waiters_columns, waiters_write, error);
    if (kind == ERROR_NONE)
        kind = write_csv(record, "fits.csv", fits_columns, fits_write, error);
    if (kind == ERROR_NONE && record->options->plan.background.given)
        kind = write_csv(record, "background.csv", background_price_columns, background_price_write,
                         error);
    if (kind == ERROR_NONE && !results->set.broken)
        kind = draw(record, &end, error);
    manifest_set(&record->manifest, "stalls", table_json_stalls(&record->rows));
    manifest_set(&record->manifest, "handoffs_csv_every",
                 json_integer((json_int_t)results->thinning));
    kind = record_end_describe(&end, kind, error);
    if (kind == ERROR_NONE && !results->set.broken)
        page_add(results->set.folder, &record->manifest, record->options->output.quiet);
    return kind;
}

/* ------------------------------------------------------------------ the columns */

/* The trial that a row is of: `of` is its row of trials.csv. */
#define TRIAL_COLUMNS(X)                                                                           \
    X(run, csv_text(csv, results->set.run))                                                        \
    X(recipe, csv_text(csv, of[trial_row_recipe].text))                                            \
    X(clients, csv_count(csv, of[trial_row_clients].count))                                        \
    X(trial, csv_count(csv, of[trial_row_trial].count))

#define HANDOFF_COLUMNS(X)                                                                         \
    TRIAL_COLUMNS(X)                                                                               \
    X(lock, csv_count(csv, lock))                                                                  \
    X(handoff, csv_count(csv, handoff))                                                            \
    X(waiters, csv_count(csv, row->waiters))                                                       \
    X(holder, csv_count_if(csv, row->holder != 0, row->holder - 1))                                \
    X(granted, csv_count(csv, row->granted))                                                       \
    X(creates, csv_count(csv, row->tally.of[TALLY_CREATE]))                                        \
    X(exists, csv_count(csv, row->tally.of[TALLY_EXISTS]))                                         \
    X(gets, csv_count(csv, row->tally.of[TALLY_GET]))                                              \
    X(get_children, csv_count(csv, row->tally.of[TALLY_GET_CHILDREN]))                             \
    X(sets, csv_count(csv, row->tally.of[TALLY_SET]))                                              \
    X(deletes, csv_count(csv, row->tally.of[TALLY_DELETE]))                                        \
    X(multis, csv_count(csv, row->tally.of[TALLY_MULTI]))                                          \
    X(rpcs, csv_count(csv, tally_rpcs(&row->tally)))                                               \
    X(notifications, csv_count(csv, row->tally.of[TALLY_NOTIFICATION]))                            \
    X(names_listed, csv_count(csv, row->tally.of[TALLY_NAMES_LISTED]))                             \
    X(bytes_sent, csv_count(csv, row->tally.of[TALLY_BYTES_SENT]))                                 \
    X(bytes_received, csv_count(csv, row->tally.of[TALLY_BYTES_RECEIVED]))                         \
    X(handoff_us, csv_real(csv, row->handoff_ns > 0 ? (double)row->handoff_ns / 1e3 : NAN, 1))     \
    X(creates_failed, csv_count(csv, row->tally.of[TALLY_CREATE_FAILED]))                          \
    X(deletes_failed, csv_count(csv, row->tally.of[TALLY_DELETE_FAILED]))                          \
    X(notifications_spurious, csv_count(csv, row->tally.of[TALLY_NOTIFICATION_SPURIOUS]))

#define SESSION_COLUMNS(X)                                                                         \
    TRIAL_COLUMNS(X)                                                                               \
    X(session, csv_count(csv, i))                                                                  \
    X(server, csv_text(csv, session->server))                                                      \
    X(role, csv_text(csv, role_word(session->role)))                                               \
    X(acquisitions, csv_count(csv, memory->sessions[i].acquisitions))

#define LATENCY_COLUMNS(X)                                                                         \
    TRIAL_COLUMNS(X)                                                                               \
    X(role, csv_text(csv, role))                                                                   \
    X(kind, csv_text(csv, trial_memory_meter_word(kind)))                                          \
    X(count, csv_count(csv, count))                                                                \
    X(over_range, csv_count(csv, histogram->overflow))                                             \
    X(p50_us, csv_real(csv, trial_row_percentile_us(histogram, 50), 3))                            \
    X(p90_us, csv_real(csv, trial_row_percentile_us(histogram, 90), 3))                            \
    X(p99_us, csv_real(csv, trial_row_percentile_us(histogram, 99), 3))                            \
    X(p999_us,                                                                                     \
      csv_real(csv, count >= VALIDITY_P999_LEAST ? trial_row_percentile_us(histogram, 99.9) : NAN, \
               3))                                                                                 \
    X(max_us, csv_real(csv, trial_row_percentile_us(histogram, 100), 3))

#define TRACE_COLUMNS(X)                                                                           \
    TRIAL_COLUMNS(X)                                                                               \
    X(lock, csv_count(csv, event->lock))                                                           \
    X(handoff, csv_count(csv, event->handoff))                                                     \
    X(waiters, csv_count(csv, row->waiters))                                                       \
    X(time_us, csv_real(csv, (double)(int64_t)(event->at_ns - row->released_ns) / 1e3, 3))         \
    X(session, csv_count(csv, event->session))                                                     \
    X(event, csv_text(csv, trace_kind_word(event->kind)))                                          \
    X(operation, csv_text(csv, operation_of(event)))                                               \
    X(status, csv_text(csv, event->kind == TRACE_REPLY ? client_status_word(event->status) : ""))  \
    X(latency_us,                                                                                  \
      csv_real(csv, event->kind == TRACE_REPLY ? (double)event->latency_ns / 1e3 : NAN, 3))        \
    X(wakes, csv_text(csv, event->kind != TRACE_NOTIFICATION ? "" : event->wakes ? "yes" : "no"))

/* ------------------------------------------------------------------ the files */

enum error_kind results_open(struct results *results, const char *out, const char *target,
                             size_t trials, bool has_trace, struct error *error)
{
    struct error closing;
    struct file_set *set = &results->set;
    results->rows_per_trial = RESULTS_HANDOFFS_MAX / trials + 1;
    results->thinning = 1;
    enum error_kind kind = file_set_open(set, out, target, error);
    if (kind == ERROR_NONE)
        kind = file_set_add_table(set, &trial_row_table, &results->trials, error);
    if (kind == ERROR_NONE)
        kind = file_set_add_csv(set, "handoffs.csv", HANDOFF_COLUMNS(CSV_NAME), &results->handoffs,
                                error);
    if (kind == ERROR_NONE)
        kind = file_set_add_csv(set, "sessions.csv", SESSION_COLUMNS(CSV_NAME), &results->sessions,
                                error);
    if (kind == ERROR_NONE)
        kind = file_set_add_csv(set, "latency.csv", LATENCY_COLUMNS(CSV_NAME), &results->latency,
                                error);
    if (kind == ERROR_NONE)
        kind = file_set_add_hlog(set, "latency.hlog", &results->hlog, error);
    if (kind == ERROR_NONE && has_trace)
        kind = file_set_add_csv(set, "trace.csv", TRACE_COLUMNS(CSV_NAME), &results->trace, error);
    if (kind != ERROR_NONE)
        (void)!file_set_close(set, &closing);
    return kind;
}

/* ------------------------------------------------------------------ a trial */

static void write_handoff(struct results *results, const struct table_value *of, uint32_t lock,
                          size_t handoff, const struct ledger_row *row)
{
    struct csv *csv = &results->handoffs;
    HANDOFF_COLUMNS(CSV_WRITE) csv_end_row(csv);
}

static void write_handoffs(struct results *results, const struct table_value *of,
                           const struct trial_memory *memory)
{
    uint64_t every = of[trial_row_handoffs].count / results->rows_per_trial + 1;
    if (every > results->thinning)
        results->thinning = every;
    for (uint32_t lock = 0; lock < memory->plan->locks; lock++) {
        size_t used = trial_memory_rows_used(memory, lock);
        for (size_t handoff = 0; handoff < used; handoff += every)
            write_handoff(results, of, lock, handoff, ledger_row(&memory->ledger, lock, handoff));
    }
}

static void write_sessions(struct results *results, const struct table_value *of,
                           const struct trial_memory *memory)
{
    struct csv *csv = &results->sessions;
    for (uint32_t i = 0; i < memory->plan->fleet.sessions; i++) {
        const struct shared_session *session = &memory->fleet->sessions[i];
        SESSION_COLUMNS(CSV_WRITE) csv_end_row(csv);
    }
}

static void write_latency(struct results *results, const struct table_value *of, const char *role,
                          enum meter_kind kind, const struct histogram *histogram)
{
    struct csv *csv = &results->latency;
    uint64_t count = histogram_recorded(histogram);
    LATENCY_COLUMNS(CSV_WRITE) csv_end_row(csv);
}

/* From an arrival to its grant others take their steps, and where all leave together from a release
 * to its end. */
static bool spans_steps(const struct trial_result *result, enum meter_kind kind)
{
    return kind == METER_ACQUIRE ||
           (kind == METER_RELEASE && result->memory->plan->recipe->barrier);
}

/* All sessions together (role NULL), or those of a role: the kinds that have a value. */
static enum error_kind write_latencies(struct results *results, const struct table_value *of,
                                       const struct trial_result *result, const char *role,
                                       const struct histogram *latency, struct error *error)
{
    double elapsed_s = (double)result->elapsed_ns / 1e9;
    double now_s = (double)(clock_now_ns() - results->set.started_ns) / 1e9;
    for (int kind = 0; kind < METER_KINDS; kind++) {
        const struct histogram *histogram = &latency[kind];
        char tag[96];
        if (histogram_recorded(histogram) == 0 ||
            (result->memory->plan->max_rate != 0 && spans_steps(result, (enum meter_kind)kind)))
            continue;
        write_latency(results, of, role == NULL ? "all" : role, (enum meter_kind)kind, histogram);
        snprintf(tag, sizeof tag, "%s.%llu.%s%s%s", of[trial_row_recipe].text,
                 (unsigned long long)of[trial_row_clients].count,
                 trial_memory_meter_word((enum meter_kind)kind), role == NULL ? "" : ".",
                 role == NULL ? "" : role);
        enum error_kind error_kind =
            hlog_write_interval(results->hlog, tag, now_s - elapsed_s, elapsed_s, histogram, error);
        if (error_kind != ERROR_NONE)
            return error_kind;
    }
    return ERROR_NONE;
}

static enum error_kind write_roles(struct results *results, const struct table_value *of,
                                   const struct trial_result *result, struct error *error)
{
    enum error_kind kind = ERROR_NONE;
    for (int role = 0; result->roles > 1 && kind == ERROR_NONE && role < ROLES; role++)
        kind = write_latencies(results, of, result, role_word((enum role)role),
                               result->latency_of[role], error);
    return kind;
}

/* What was asked for, or what has happened to the znode that was watched. */
static const char *operation_of(const struct trace_event *event)
{
    if (event->kind == TRACE_NOTIFICATION)
        return trace_event_word(event->event);
    return event->kind == TRACE_REQUEST || event->kind == TRACE_REPLY
               ? trace_operation_word(event->operation)
               : "";
}

static void write_trace(struct results *results, const struct table_value *of,
                        struct trial_memory *memory)
{
    struct csv *csv = &results->trace;
    struct trace *trace = &memory->trace;
    trace_sort(trace);
    for (size_t i = 0; i < trace_kept(trace); i++) {
        const struct trace_event *event = &trace->events[i];
        const struct ledger_row *row = ledger_row(&memory->ledger, event->lock, event->handoff);
        TRACE_COLUMNS(CSV_WRITE) csv_end_row(csv);
    }
}

enum error_kind results_add(struct results *results, const struct table_value *row,
                            const struct trial_result *result, struct error *error)
{
    table_write_row(&trial_row_table, row, &results->trials);
    write_handoffs(results, row, result->memory);
    write_sessions(results, row, result->memory);
    if (results->trace.stream != NULL)
        write_trace(results, row, result->memory);
    enum error_kind kind = write_latencies(results, row, result, NULL, result->latency, error);
    if (kind == ERROR_NONE)
        kind = write_roles(results, row, result, error);
    return file_set_commit(&results->set, kind, error);
}
