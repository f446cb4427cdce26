// SPDX-License-Identifier: Apache-2.0
#include "bench/run/results.h"

#include "base/clock.h"
#include "bench/cli/version.h"
#include "bench/output/folder.h"
#include "measure/hlog.h"

#include <math.h>
#include <stdio.h>
#include <unistd.h>

/* ------------------------------------------------------------------ the columns */

/* Of which trial a row is. */
#define TRIAL_COLUMNS(X)                                                                           \
    X(run, csv_text(csv, results->run))                                                            \
    X(recipe, csv_text(csv, sample->cell.recipe->name))                                            \
    X(clients, csv_count(csv, sample->cell.clients))                                               \
    X(trial, csv_count(csv, sample->cell.trial))

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
    X(acquisitions, csv_count(csv, board->sessions[i].acquisitions))

#define LATENCY_COLUMNS(X)                                                                         \
    TRIAL_COLUMNS(X)                                                                               \
    X(role, csv_text(csv, role))                                                                   \
    X(kind, csv_text(csv, lock_board_meter_word(kind)))                                            \
    X(count, csv_count(csv, count))                                                                \
    X(over_range, csv_count(csv, histogram->overflow))                                             \
    X(p50_us, csv_real(csv, us(histogram, 50), 3))                                                 \
    X(p90_us, csv_real(csv, us(histogram, 90), 3))                                                 \
    X(p99_us, csv_real(csv, us(histogram, 99), 3))                                                 \
    X(p999_us, csv_real(csv, count >= P999_LEAST ? us(histogram, 99.9) : NAN, 3))                  \
    X(max_us, csv_real(csv, us(histogram, 100), 3))

/* A percentile this far out needs so many values to mean anything. */
#define P999_LEAST 10000

/* ------------------------------------------------------------------ the files */

static enum error_kind begin_hlog(struct results *results, struct error *error)
{
    char comment[160];
    snprintf(comment, sizeof comment, "[zkherd %s, values in nanoseconds]", version_text);
    return hlog_write_header(results->files[RESULTS_HLOG].stream, results->started_utc_ns, comment,
                             error);
}

static enum error_kind open_file(struct results *results, enum results_file at, struct error *error)
{
    static const struct {
        const char *name, *columns;
    } files[RESULTS_FILES] = {
        [RESULTS_TRIALS] = {"trials.csv", NULL},
        [RESULTS_HANDOFFS] = {"handoffs.csv", HANDOFF_COLUMNS(CSV_NAME)},
        [RESULTS_SESSIONS] = {"sessions.csv", SESSION_COLUMNS(CSV_NAME)},
        [RESULTS_LATENCY] = {"latency.csv", LATENCY_COLUMNS(CSV_NAME)},
        [RESULTS_HLOG] = {"latency.hlog", NULL},
    };
    struct output *file = &results->files[at];
    enum error_kind kind = output_open(file, results->folder, files[at].name, error);
    if (kind != ERROR_NONE)
        return kind;
    results->csv[at].stream = file->stream;
    if (at == RESULTS_HLOG)
        kind = begin_hlog(results, error);
    else
        csv_header(&results->csv[at], at == RESULTS_TRIALS ? sample_columns : files[at].columns);
    return kind == ERROR_NONE ? output_commit(file, error) : kind;
}

enum error_kind results_open(struct results *results, const char *out, const char *target,
                             size_t trials, struct error *error)
{
    struct error closing;
    *results = (struct results){
        .started_utc_ns = clock_utc_ns(),
        .started_ns = clock_now_ns(),
        .rows_per_trial = RESULTS_HANDOFFS_MAX / trials + 1,
        .thinning = 1,
    };
    enum error_kind kind =
        folder_make(out, results->started_utc_ns, target, results->folder, error);
    if (kind != ERROR_NONE)
        return kind;
    snprintf(results->run, sizeof results->run, "%.*s", NAME_MAX, folder_name(results->folder));
    for (int file = 0; kind == ERROR_NONE && file < RESULTS_FILES; file++)
        kind = open_file(results, (enum results_file)file, error);
    if (kind != ERROR_NONE)
        (void)!results_close(results, &closing);
    return kind;
}

/* ------------------------------------------------------------------ a trial */

static void write_handoff(struct results *results, const struct sample *sample, uint32_t lock,
                          size_t handoff, const struct ledger_row *row)
{
    struct csv *csv = &results->csv[RESULTS_HANDOFFS];
    HANDOFF_COLUMNS(CSV_WRITE) csv_end_row(csv);
}

static void write_handoffs(struct results *results, const struct sample *sample,
                           const struct lock_board *board)
{
    uint64_t every = sample->handoffs / results->rows_per_trial + 1;
    if (every > results->thinning)
        results->thinning = every;
    for (uint32_t lock = 0; lock < board->plan->locks; lock++) {
        size_t used = lock_board_rows_used(board, lock);
        for (size_t handoff = 0; handoff < used; handoff += every)
            write_handoff(results, sample, lock, handoff,
                          ledger_row(&board->ledger, lock, handoff));
    }
}

static void write_sessions(struct results *results, const struct sample *sample,
                           const struct lock_board *board)
{
    struct csv *csv = &results->csv[RESULTS_SESSIONS];
    for (uint32_t i = 0; i < board->plan->fleet.sessions; i++) {
        const struct shared_session *session = &board->shared->sessions[i];
        SESSION_COLUMNS(CSV_WRITE) csv_end_row(csv);
    }
}

static double us(const struct histogram *histogram, double percent)
{
    return (double)histogram_percentile_ns(histogram, percent) / 1e3;
}

static void write_latency(struct results *results, const struct sample *sample, const char *role,
                          enum meter_kind kind, const struct histogram *histogram)
{
    struct csv *csv = &results->csv[RESULTS_LATENCY];
    uint64_t count = histogram_count(histogram) + histogram->overflow;
    LATENCY_COLUMNS(CSV_WRITE) csv_end_row(csv);
}

/* From an arrival to its grant others take their steps, and where all leave together from a release
 * to its end. */
static bool spans_steps(const struct sample *sample, enum meter_kind kind)
{
    return kind == METER_ACQUIRE || (kind == METER_RELEASE && sample->cell.recipe->barrier);
}

/* All sessions together (role NULL), or those of a role: the kinds that have a value. */
static enum error_kind write_latencies(struct results *results, const struct sample *sample,
                                       const char *role, const struct histogram *latency,
                                       struct error *error)
{
    double now_s = (double)(clock_now_ns() - results->started_ns) / 1e9;
    for (int kind = 0; kind < METER_KINDS; kind++) {
        const struct histogram *histogram = &latency[kind];
        char tag[96];
        if (histogram_count(histogram) + histogram->overflow == 0 ||
            (sample->paced && spans_steps(sample, (enum meter_kind)kind)))
            continue;
        write_latency(results, sample, role == NULL ? "all" : role, (enum meter_kind)kind,
                      histogram);
        snprintf(tag, sizeof tag, "%s.%u.%s%s%s", sample->cell.recipe->name, sample->cell.clients,
                 lock_board_meter_word((enum meter_kind)kind), role == NULL ? "" : ".",
                 role == NULL ? "" : role);
        enum error_kind error_kind =
            hlog_write_interval(results->files[RESULTS_HLOG].stream, tag, now_s - sample->elapsed_s,
                                sample->elapsed_s, histogram, error);
        if (error_kind != ERROR_NONE)
            return error_kind;
    }
    return ERROR_NONE;
}

static enum error_kind write_roles(struct results *results, const struct sample *sample,
                                   const struct trial_result *result, struct error *error)
{
    enum error_kind kind = ERROR_NONE;
    for (int role = 0; result->roles > 1 && kind == ERROR_NONE && role < ROLES; role++)
        kind = write_latencies(results, sample, role_word((enum role)role),
                               result->latency_of[role], error);
    return kind;
}

enum error_kind results_add(struct results *results, const struct sample_context *context,
                            const struct sample *sample, const struct trial_result *result,
                            struct error *error)
{
    uint64_t before_bytes[RESULTS_FILES];
    for (size_t i = 0; i < RESULTS_FILES; i++)
        before_bytes[i] = results->files[i].committed_bytes;
    sample_write(sample, context, &results->csv[RESULTS_TRIALS]);
    write_handoffs(results, sample, result->board);
    write_sessions(results, sample, result->board);
    enum error_kind kind = write_latencies(results, sample, NULL, result->latency, error);
    if (kind == ERROR_NONE)
        kind = write_roles(results, sample, result, error);
    for (size_t i = 1; kind == ERROR_NONE && i <= RESULTS_FILES; i++) /* trials.csv last */
        kind = output_commit(&results->files[i % RESULTS_FILES], error);
    /* A trial that one file has no room for is to be in none of them. */
    for (size_t i = 0; kind != ERROR_NONE && i < RESULTS_FILES; i++)
        results->files[i].committed_bytes = before_bytes[i];
    results->broken = kind != ERROR_NONE;
    results->trials += kind == ERROR_NONE;
    return kind;
}

enum error_kind results_close(struct results *results, struct error *error)
{
    enum error_kind worst = ERROR_NONE;
    for (size_t i = 0; i < RESULTS_FILES; i++) {
        struct output *file = &results->files[i];
        struct error failure;
        if (results->trials == 0) {
            output_abandon(file);
            continue;
        }
        if (!results->broken) {
            if (output_finish(file, &failure) == ERROR_NONE)
                continue;
            worst = failure.kind;
            *error = failure;
        }
        (void)!output_keep(file, &failure);
    }
    if (results->trials == 0)
        rmdir(results->folder);
    return worst;
}
