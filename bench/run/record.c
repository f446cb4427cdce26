// SPDX-License-Identifier: Apache-2.0
#include "bench/run/internal.h"

#include "base/clock.h"
#include "base/cores.h"
#include "base/output.h"
#include "measure/hlog.h"

#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ------------------------------------------------------------------ the columns */

/* The trial that a row is of: `of` is its row of trials.csv. */
#define TRIAL_COLUMNS(X)                                                                           \
    X(run, csv_text(csv, record->base->files.run))                                                 \
    X(recipe, csv_text(csv, of[trial_row_recipe].text))                                            \
    X(clients, csv_count(csv, of[trial_row_clients].count))                                        \
    X(trial, csv_count(csv, of[trial_row_trial].count))

#define SESSION_COLUMNS(X)                                                                         \
    TRIAL_COLUMNS(X)                                                                               \
    X(session, csv_count(csv, i))                                                                  \
    X(server, csv_text(csv, session->server))                                                      \
    X(role, csv_text(csv, role_words[session->role]))                                              \
    X(acquisitions, csv_count(csv, memory->sessions[i].acquisitions))                              \
    X(id, csv_text(csv, session->id != 0 ? id : NULL))

#define LATENCY_COLUMNS(X)                                                                         \
    TRIAL_COLUMNS(X)                                                                               \
    X(role, csv_text(csv, role))                                                                   \
    X(kind, csv_text(csv, trial_memory_meter_word(kind)))                                          \
    X(count, csv_count(csv, count))                                                                \
    X(over_range, csv_count(csv, histogram->overflow))                                             \
    X(p50_us, csv_real(csv, trial_row_percentile_us(histogram, 50), 3))                            \
    X(p90_us, csv_real(csv, trial_row_percentile_us(histogram, 90), 3))                            \
    X(p99_us, csv_real(csv, trial_row_percentile_us(histogram, 99), 3))                            \
    X(p999_us, csv_real(csv, trial_row_percentile_us(histogram, 99.9), 3))                         \
    X(max_us, csv_real(csv, trial_row_percentile_us(histogram, 100), 3))

#define TRACE_ROW_COLUMNS(X, T)                                                                    \
    OF_TRIAL_COLUMNS(X, T)                                                                         \
    X(T, lock, COUNT, "", 0, NONE, "the row of `handoffs.csv`")                                    \
    X(T, handoff, COUNT, "", 0, NONE, "the row of `handoffs.csv`")                                 \
    X(T, waiters, COUNT, "", 0, NONE, "the row of `handoffs.csv`")                                 \
    X(T, time_us, REAL, "us", 3, NONE,                                                             \
      "when this happened, since the release began. In free pace a grant or a release that "       \
      "another release overtakes is counted to the other's handoff, before which it is: below 0")  \
    X(T, session, COUNT, "", 0, NONE,                                                              \
      "the one that sent, received, began the release, or was granted the lock")                   \
    X(T, event, TEXT, "", 0, NONE, "`release`, `request`, `reply`, `notification` or `grant`")     \
    X(T, operation, TEXT, "", 0, NONE,                                                             \
      "request, reply: `create`, `exists`, `get`, `get_children`, `set`, `delete`, `multi` or "    \
      "`sync`; notification: `created`, `deleted`, `changed` or `child`, of the znode")            \
    X(T, status, TEXT, "", 0, NONE,                                                                \
      "reply: `ok`, `no_node`, `node_exists`, `bad_version`, `not_empty` or `no_auth`; in a "      \
      "trial that failed also `connection_loss`, `session_expired` or `other`")                    \
    X(T, latency_us, REAL, "us", 3, NONE, "reply: the time since its request")                     \
    X(T, wakes, FLAG, "", 0, NONE, "notification: whether the session was waiting for it")
TABLE_DECLARE(trace_row, TRACE_ROW_COLUMNS);
TABLE_DEFINE(trace_row, "trace.csv", TRACE_ROW_COLUMNS)

/* ------------------------------------------------------------------ the files */

enum error_kind record_open(struct record *record, const struct options *options,
                            struct series_record *base, struct error *error)
{
    struct file_set *set = &base->files;
    const struct levels *clients = &options->plan.clients;
    *record = (struct record){.options = options,
                              .base = base,
                              .rows_per_trial = RECORD_HANDOFFS_MAX / base->planned + 1,
                              .thinning = 1};
    error->kind = ERROR_NONE;
    file_set_add_table(set, &handoff_row_table, &record->handoffs, error);
    file_set_add_csv(set, "sessions.csv", SESSION_COLUMNS(CSV_NAME), &record->sessions, error);
    file_set_add_csv(set, "latency.csv", LATENCY_COLUMNS(CSV_NAME), &record->latency, error);
    file_set_add_hlog(set, "latency.hlog", &record->hlog, error);
    if (options->plan.traced.count > 0)
        file_set_add_table(set, &trace_row_table, &record->trace, error);
    for (size_t i = 0; i < options->plan.recipe_count; i++)
        record->waiters[i] =
            waiters_new(options->plan.recipes[i], clients->list[clients->count - 1]);
    return error->kind;
}

void record_deinit(struct record *record)
{
    for (size_t i = 0; i < OPTIONS_RECIPES_MAX; i++)
        waiters_free(record->waiters[i]);
    outcome_free(record->outcome);
    *record = (struct record){0};
}

/* ------------------------------------------------------------------ a trial */

/* Fills what a row of a ledger says of a handoff. */
static void fill_handoff(struct table_value *row, const struct ledger_row *from)
{
    row[handoff_row_waiters] = table_count(from->waiters);
    row[handoff_row_holder] = table_count_if(from->holder != 0, from->holder - 1);
    row[handoff_row_granted] = table_count(from->granted);
    row[handoff_row_rpcs] = table_count(tally_rpcs(&from->tally));
    row[handoff_row_handoff_us] =
        table_real(from->handoff_ns > 0 ? (double)from->handoff_ns / 1e3 : NAN);
#define X(name, column) row[handoff_row_##column] = table_count(from->tally.of[TALLY_##name]);
    TALLY_LIST(X)
#undef X
}

static void write_handoffs(struct record *record, const struct table_value *of,
                           const struct trial_result *result)
{
    const struct trial_memory *memory = result->memory;
    uint64_t every = of[trial_row_handoffs].count / record->rows_per_trial + 1;
    struct table_value row[handoff_row_columns_count] = {
        [handoff_row_run] = of[trial_row_run],
        [handoff_row_recipe] = of[trial_row_recipe],
        [handoff_row_clients] = of[trial_row_clients],
        [handoff_row_trial] = of[trial_row_trial],
    };
    record->thinning = every > record->thinning ? every : record->thinning;
    for (uint32_t lock = 0; lock < memory->plan->locks; lock++) {
        size_t used = trial_memory_rows_used(memory, lock);
        for (size_t handoff = 0; handoff < used; handoff++) {
            bool died = result->had_death && lock == 0 && handoff == result->died_handoff;
            if (handoff % every != 0 && !died)
                continue;
            row[handoff_row_lock] = table_count(lock);
            row[handoff_row_handoff] = table_count(handoff);
            row[handoff_row_died] = table_count_if(died, result->died_session);
            fill_handoff(row, ledger_row(&memory->ledger, lock, handoff));
            table_write_row(&handoff_row_table, row, &record->handoffs);
        }
    }
}

static void write_sessions(struct record *record, const struct table_value *of,
                           const struct trial_memory *memory)
{
    struct csv *csv = &record->sessions;
    for (uint32_t i = 0; i < memory->plan->fleet.sessions; i++) {
        const struct shared_session *session = &memory->fleet->sessions[i];
        char id[32];
        snprintf(id, sizeof id, "0x%" PRIx64, (uint64_t)session->id);
        SESSION_COLUMNS(CSV_WRITE) csv_end_row(csv);
    }
}

/* All sessions together (role "all"), or those of a role: the kinds that have a value. From an
 * arrival to its grant others take their steps, and where all leave together from a release to its
 * end: with --max-rate these times are none. */
static void write_latencies(struct record *record, const struct table_value *of,
                            const struct trial_result *result, const char *role,
                            const struct histogram *latency)
{
    const struct trial_plan *plan = result->memory->plan;
    struct csv *csv = &record->latency;
    bool is_all = strcmp(role, "all") == 0;
    double elapsed_s = (double)result->elapsed_ns / 1e9;
    double now_s = (double)(clock_now_ns() - record->base->files.started_ns) / 1e9;
    for (enum meter_kind kind = 0; kind < METER_KINDS; kind++) {
        const struct histogram *histogram = &latency[kind];
        uint64_t count = histogram_recorded(histogram);
        bool spans_steps =
            kind == METER_ACQUIRE || (kind == METER_RELEASE && plan->recipe->barrier);
        char tag[96];
        if (count == 0 || (plan->max_rate != 0 && spans_steps))
            continue;
        LATENCY_COLUMNS(CSV_WRITE) csv_end_row(csv);
        snprintf(tag, sizeof tag, "%s.%llu.%s%s%s", of[trial_row_recipe].text,
                 (unsigned long long)of[trial_row_clients].count, trial_memory_meter_word(kind),
                 is_all ? "" : ".", is_all ? "" : role);
        hlog_write_interval(record->hlog, tag, now_s - elapsed_s, elapsed_s, histogram);
    }
}

/* A static text, which the row does not own. */
static struct table_value text_of(const char *text)
{
    struct table_value value = {.kind = TABLE_TEXT};
    memcpy(&value.text, &text, sizeof value.text);
    return value;
}

/* Fills the columns of an event: its request or reply, or the change of the watched znode. */
static void fill_event(struct table_value *row, const struct trace_event *event)
{
    bool replied = event->kind == TRACE_REPLY, notified = event->kind == TRACE_NOTIFICATION;
    const struct table_value unknown = {.kind = TABLE_UNKNOWN};
    const char *subject = trace_subject_word(event);
    row[trace_row_session] = table_count(event->session);
    row[trace_row_event] = text_of(trace_kind_word(event->kind));
    row[trace_row_operation] = subject != NULL ? text_of(subject) : unknown;
    row[trace_row_status] = replied ? text_of(client_status_word(event->status)) : unknown;
    row[trace_row_latency_us] = replied ? table_real((double)event->latency_ns / 1e3) : unknown;
    row[trace_row_wakes] = notified ? table_flag(event->wakes) : unknown;
}

static void write_trace(struct record *record, const struct table_value *of,
                        struct trial_memory *memory)
{
    struct trace *trace = &memory->trace;
    struct table_value row[trace_row_columns_count] = {
        [trace_row_run] = of[trial_row_run],
        [trace_row_recipe] = of[trial_row_recipe],
        [trace_row_clients] = of[trial_row_clients],
        [trace_row_trial] = of[trial_row_trial],
    };
    trace_sort(trace);
    for (size_t i = 0; i < trace_kept(trace); i++) {
        const struct trace_event *event = &trace->events[i];
        const struct ledger_row *from = ledger_row(&memory->ledger, event->lock, event->handoff);
        row[trace_row_lock] = table_count(event->lock);
        row[trace_row_handoff] = table_count(event->handoff);
        row[trace_row_waiters] = table_count(from->waiters);
        row[trace_row_time_us] =
            table_real((double)(int64_t)(event->at_ns - from->released_ns) / 1e3);
        fill_event(row, event);
        table_write_row(&trace_row_table, row, &record->trace);
    }
}

enum error_kind record_write(struct record *record, const struct table_value *row,
                             const struct trial_result *result, struct error *error)
{
    table_write_row(&trial_row_table, row, &record->base->csv);
    write_handoffs(record, row, result);
    write_sessions(record, row, result->memory);
    if (record->trace.stream != NULL)
        write_trace(record, row, result->memory);
    write_latencies(record, row, result, "all", result->latency);
    for (int role = 0; result->roles > 1 && role < ROLES; role++)
        write_latencies(record, row, result, role_words[role], result->latency_of[role]);
    return file_set_commit(&record->base->files, error);
}

enum error_kind record_add(struct record *record, struct series *series, const struct cell *cell,
                           const struct trial_result *result,
                           const struct background_figures *background, struct error *error)
{
    struct table_value *row = table_add(&record->base->rows);
    struct waiters *waiters =
        record->waiters[cell->place.alike % record->options->plan.recipe_count];
    struct waiters_trial times = {.beta = NAN};
    trial_row_fill(cell, result, background, record->options, record->base, cores_allowed(), row);
    const struct noise_attempt attempt = {.complete = result->end == END_DONE,
                                          .stalled = result->stalls.count > 0,
                                          .others_packets = result->reconcile.others_packets};
    noise_watch_end(&series->noise, &run_trials, row, &attempt);
    trial_row_judge(row, row[trial_row_complete].flag, row[trial_row_valid].flag);
    if (!series_keeps(series, record->base, result->memory->fleet, result->reconcile.why))
        return ERROR_NONE;
    if (row[trial_row_timed].flag && waiters_measure(waiters, result, &times, error))
        return error->kind;
    row[trial_row_beta] = table_real(times.beta);
    if (trace_lost(&result->memory->trace) > 0)
        series_warn(series, record->base,
                    "trace.csv: no room for %llu events of trial %u of %s with %u clients",
                    (unsigned long long)trace_lost(&result->memory->trace), cell->trial,
                    cell->recipe->name, cell->clients);
    if (record_write(record, row, result, error))
        return error->kind;
    if (row[trial_row_counted].flag)
        waiters_add(waiters, result, row[trial_row_timed].flag ? &times : NULL);
    return ERROR_NONE;
}

/* ------------------------------------------------------------------ after the last trial */

enum error_kind record_finish(struct record *record, bool whole, struct error *error)
{
    struct series_record *base = record->base;
    const char *folder = base->files.folder;
    const struct outcome *outcome = record->outcome =
        outcome_new(&base->rows, record->waiters, record->options, base->files.run);
    if (whole) {
        error->kind = ERROR_NONE;
        ERROR_FIRST(error, output_write(folder, "waiters.csv", waiters_write, outcome, error));
        ERROR_FIRST(error, output_write(folder, "fits.csv", fits_write, outcome, error));
        if (record->options->plan.background.given)
            ERROR_FIRST(error, output_write(folder, "background.csv", background_price_write,
                                            outcome, error));
        ERROR_FIRST(error, file_set_save_table(folder, &outcome->cells, NULL, error));
    }
    run_findings_add(outcome, &base->findings);
    json_object_set_new(base->manifest.json, "handoffs_csv_every",
                        json_integer((json_int_t)record->thinning));
    return whole ? error->kind : ERROR_NONE;
}
