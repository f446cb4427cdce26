// SPDX-License-Identifier: Apache-2.0
/* The locks of the clients, with the columns of a run's trials and handoffs. */
#include "base/memory.h"
#include "bench/cli/grid.h"
#include "bench/cli/options.h"
#include "bench/output/handoff_rows.h"
#include "bench/output/trace_rows.h"
#include "bench/output/trial_columns.h"
#include "bench/tap/internal.h"
#include "client/client.h"
#include "trial/trace.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define GAP    2
#define DRIVER "relay"

/* ------------------------------------------------------------------ which locks */

static bool counts(const struct locks_lock *lock)
{
    return lock->contended && lock->row.handoff > 0;
}

/* As a name in a column: "kazoo-read-write". The caller's to free. */
static char *recipe_of(const struct locks_lock *lock)
{
    char *name = memory_text(lock->recipe);
    for (char *at = name; *at != '\0'; at++)
        if (*at == ' ' || *at == '/')
            *at = '-';
    return name;
}

/* Whether no lock before this one is of the same recipe. */
static bool is_first(const struct locks *locks, const struct locks_lock *lock)
{
    for (size_t i = 0; i < lock->index; i++) {
        const struct locks_lock *before = locks_at(locks, i);
        if (counts(before) && strcmp(before->recipe, lock->recipe) == 0)
            return false;
    }
    return true;
}

static uint64_t clients_of(const struct tap_period *period)
{
    return period->clients > 0 ? period->clients : locks_sessions(period->handoffs.locks);
}

/* ------------------------------------------------------------------ trials */

/* What the rows of the locks of a recipe add up to. */
struct sums {
    struct tally tally;
    uint64_t locks, handoffs;
    uint64_t from_ns, released_ns, until_ns; /* the first arrival and release, the last message */
    struct histogram handoff, acquire;
};

static void add_row(struct sums *sums, const struct locks_row *row)
{
    tally_sum(&sums->tally, &row->tally);
    sums->handoffs += row->granted;
    if (row->heard_ns > sums->until_ns)
        sums->until_ns = row->heard_ns;
    if (row->handoff == 0 && (sums->from_ns == 0 || row->released_ns < sums->from_ns))
        sums->from_ns = row->released_ns;
    if (row->handoff == 1 && (sums->released_ns == 0 || row->released_ns < sums->released_ns))
        sums->released_ns = row->released_ns;
    if (row->granted == 0)
        return;
    histogram_record(&sums->acquire, row->granted_ns - row->arrived_ns);
    if (row->handoff > 0)
        histogram_record(&sums->handoff, row->granted_ns - row->released_ns);
}

static struct sums *add_up(const struct tap_period *period, const char *recipe)
{
    const struct handoffs *handoffs = &period->handoffs;
    struct sums *sums = memory_new(1, sizeof *sums);
    for (size_t i = 0; i < handoffs->row_count; i++) {
        const struct locks_lock *lock = locks_at(handoffs->locks, handoffs->rows[i].lock);
        if (counts(lock) && strcmp(lock->recipe, recipe) == 0)
            add_row(sums, &handoffs->rows[i].row);
    }
    const struct locks_lock *lock;
    for (size_t i = 0; (lock = locks_at(handoffs->locks, i)) != NULL; i++)
        sums->locks += counts(lock) && strcmp(lock->recipe, recipe) == 0;
    return sums;
}

static void put_plan(const struct tap_result *result, const struct tap_period *period,
                     const struct locks_lock *lock, const char *run, struct table_value *row)
{
    bool drain = result->options->drain;
    char *recipe = recipe_of(lock);
    row[trial_row_run] = table_text(run);
    row[trial_row_target] = table_text(result->target->name);
    row[trial_row_servers] = table_count(result->target->servers.count);
    row[trial_row_recipe] = table_text(recipe);
    row[trial_row_workload] =
        table_text(options_workloads[drain ? WORKLOAD_DRAIN : WORKLOAD_STEADY]);
    row[trial_row_pace] = table_text(options_paces[PACE_FREE]);
    row[trial_row_driver] = table_text(DRIVER);
    row[trial_row_processes] = table_count(1);
    row[trial_row_clients] = table_count(clients_of(period));
    row[trial_row_trial] = table_count(period->trial);
    row[trial_row_seed] = table_count(result->options->seed);
    free(recipe);
}

static void put_sums(const struct sums *sums, bool drain, struct table_value *row)
{
    double elapsed_s = (double)(sums->until_ns - sums->from_ns) / 1e9,
           drain_s = (double)(sums->until_ns - sums->released_ns) / 1e9;
#define X(name, column) row[trial_row_##column] = table_count(sums->tally.of[TALLY_##name]);
    TALLY_LIST(X)
#undef X
    row[trial_row_rpcs] = table_count(tally_rpcs(&sums->tally));
    row[trial_row_locks] = table_count(sums->locks);
    row[trial_row_handoffs] = table_count(sums->handoffs);
    row[trial_row_elapsed_s] = table_real(elapsed_s);
    row[trial_row_drain_s] = table_real(drain_s);
    row[trial_row_handoffs_per_s] =
        table_real((double)sums->handoffs / (drain ? drain_s : elapsed_s));
    row[trial_row_handoff_p50_us] = table_real(histogram_percentile_us(&sums->handoff, 50));
    row[trial_row_handoff_p90_us] = table_real(histogram_percentile_us(&sums->handoff, 90));
    row[trial_row_handoff_p99_us] = table_real(histogram_percentile_us(&sums->handoff, 99));
    row[trial_row_handoff_max_us] = table_real(histogram_percentile_us(&sums->handoff, 100));
    row[trial_row_acquire_p50_us] = table_real(histogram_percentile_us(&sums->acquire, 50));
    row[trial_row_acquire_p99_us] = table_real(histogram_percentile_us(&sums->acquire, 99));
    row[trial_row_acquire_max_us] = table_real(histogram_percentile_us(&sums->acquire, 100));
}

/* The usage of the whole command: which of its sessions wanted one of these locks is not asked. */
static void put_usage(const struct tap_command *command, struct table_value *row)
{
    row[trial_row_client_cpu_s] = table_real((double)command->cpu_ns / 1e9);
    row[trial_row_client_rss_kib] = table_count(command->rss_kib);
}

static void put_verdict(const struct tap_result *result, const struct tap_period *period,
                        struct table_value *row)
{
    bool valid = result->traffic->unreadable == 0 && period->handoffs.lost == 0;
    row[trial_row_reconciled] = table_text(reconcile_word(result->comparison.reconciled));
    row[trial_row_violations] = table_count(0);
    row[trial_row_valid] = table_flag(valid);
    row[trial_row_reason] = table_text(period->handoffs.lost > 0 ? "more handoffs than are kept"
                                       : valid                   ? ""
                                                                 : "a message could not be read");
    row[trial_row_attempt] = table_count(1);
}

struct table tap_trials(const struct tap_result *result, const char *run)
{
    struct table table = {.type = &trial_row_table};
    for (size_t i = 0; i < result->period_count; i++) {
        const struct tap_period *period = result->periods[i];
        const struct locks *locks = period->handoffs.locks;
        const struct locks_lock *lock;
        for (size_t j = 0; (lock = locks_at(locks, j)) != NULL; j++) {
            if (!counts(lock) || !is_first(locks, lock))
                continue;
            struct sums *sums = add_up(period, lock->recipe);
            struct table_value *row = table_add(&table);
            put_plan(result, period, lock, run, row);
            put_sums(sums, result->options->drain, row);
            if (result->options->command != NULL)
                put_usage(&period->command, row);
            put_verdict(result, period, row);
            free(sums);
        }
    }
    return table;
}

/* ------------------------------------------------------------------ handoffs */

/* The keys of a row of handoffs.csv and trace.csv: the texts are the caller's to free. */
static void put_keys(const struct tap_period *period, const struct locks_lock *lock,
                     const char *run, struct table_value keys[4])
{
    char *recipe = recipe_of(lock);
    keys[0] = table_text(run);
    keys[1] = table_text(recipe);
    keys[2] = table_count(clients_of(period));
    keys[3] = table_count(period->trial);
    free(recipe);
}

static void write_handoffs(const struct tap_period *period, const char *run, struct csv *csv)
{
    const struct handoffs *handoffs = &period->handoffs;
    for (size_t i = 0; i < handoffs->row_count; i++) {
        const struct locks_row *from = &handoffs->rows[i].row;
        const struct locks_lock *lock = locks_at(handoffs->locks, handoffs->rows[i].lock);
        struct table_value row[handoff_row_columns_count];
        bool handed = from->handoff > 0 && from->granted > 0;
        const struct handoff_facts facts = {.lock = lock->index,
                                            .handoff = from->handoff,
                                            .waiters = from->waiters,
                                            .granted = from->granted,
                                            .holder = from->holder,
                                            .handoff_ns =
                                                handed ? from->granted_ns - from->released_ns : 0,
                                            .tally = &from->tally};
        if (!counts(lock))
            continue;
        put_keys(period, lock, run, row);
        handoff_row_fill(row, &facts);
        table_write_row(&handoff_row_table, row, csv);
        free(row[handoff_row_run].text);
        free(row[handoff_row_recipe].text);
    }
}

void tap_write_handoffs(const struct tap_result *result, const char *run, struct csv *csv)
{
    for (size_t i = 0; i < result->period_count; i++)
        write_handoffs(result->periods[i], run, csv);
}

/* ------------------------------------------------------------------ traces */

static const enum trace_kind kind_of_event[] = {[HANDOFFS_RELEASE] = TRACE_RELEASE,
                                                [HANDOFFS_REQUEST] = TRACE_REQUEST,
                                                [HANDOFFS_REPLY] = TRACE_REPLY,
                                                [HANDOFFS_NOTIFICATION] = TRACE_NOTIFICATION,
                                                [HANDOFFS_GRANT] = TRACE_GRANT};

/* What has no word there is another's: created to children are events of both. */
static enum client_event event_of(int32_t code)
{
    return code >= EVENT_CREATED && code < EVENT_OTHER ? (enum client_event)code : EVENT_OTHER;
}

static void put_event(struct table_value *row, const struct handoffs_event *event)
{
    bool replied = event->kind == HANDOFFS_REPLY;
    row[trace_row_session] = table_count(event->session);
    row[trace_row_event] = table_text(trace_kind_word(kind_of_event[event->kind]));
    if (event->kind == HANDOFFS_NOTIFICATION) {
        row[trace_row_operation] = table_text(trace_event_word(event_of(event->code)));
        row[trace_row_wakes] = table_flag(event->wakes);
    }
    if (replied || event->kind == HANDOFFS_REQUEST)
        row[trace_row_operation] = table_text(tap_trace_word(event->request));
    if (replied) {
        row[trace_row_status] = table_text(client_status_word(client_status_of(event->code)));
        row[trace_row_latency_us] = table_real((double)event->latency_ns / 1e3);
    }
}

static void write_trace(const struct tap_period *period, const char *run, struct csv *csv)
{
    const struct handoffs *handoffs = &period->handoffs;
    struct table rows = {.type = &trace_row_table};
    for (size_t i = 0; i < handoffs->event_count; i++) {
        const struct handoffs_event *event = &handoffs->events[i];
        const struct locks_lock *lock = locks_at(handoffs->locks, event->lock);
        if (!counts(lock))
            continue;
        struct table_value *row = table_add(&rows);
        put_keys(period, lock, run, row);
        row[trace_row_lock] = table_count(event->lock);
        row[trace_row_handoff] = table_count(event->handoff);
        row[trace_row_waiters] = table_count(event->waiters);
        row[trace_row_time_us] =
            table_real((double)(int64_t)(event->at_ns - event->released_ns) / 1e3);
        put_event(row, event);
    }
    for (size_t i = 0; i < rows.rows; i++)
        table_write_row(rows.type, table_row(&rows, i), csv);
    table_deinit(&rows);
}

void tap_write_trace(const struct tap_result *result, const char *run, struct csv *csv)
{
    for (size_t i = 0; i < result->period_count; i++)
        write_trace(result->periods[i], run, csv);
}

/* ------------------------------------------------------------------ the terminal */

enum {
    COLUMN_RECIPE,
    COLUMN_CLIENTS,
    COLUMN_LOCKS,
    COLUMN_HANDOFFS,
    COLUMN_REQUESTS,
    COLUMN_NOTIFICATIONS,
    COLUMN_NAMES,
    COLUMN_P50,
    COLUMN_P99,
    COLUMNS
};

static const struct grid_column columns[COLUMNS] = {
    [COLUMN_RECIPE] = {.title = "locks"},
    [COLUMN_CLIENTS] = {.title = "clients", .right = true},
    [COLUMN_LOCKS] = {.title = "locks", .right = true, .spare = 2},
    [COLUMN_HANDOFFS] = {.title = "handoffs", .right = true},
    [COLUMN_REQUESTS] = {.over = "of a handoff", .title = "requests", .right = true},
    [COLUMN_NOTIFICATIONS] = {.over = "of a handoff", .title = "notified", .right = true},
    [COLUMN_NAMES] = {.over = "of a handoff", .title = "names", .right = true, .spare = 1},
    [COLUMN_P50] = {.over = "handoff", .title = "p50 ms", .right = true},
    [COLUMN_P99] = {.over = "handoff", .title = "p99 ms", .right = true},
};

/* The medians of the trials of a recipe with as many clients. */
void tap_locks_write(const struct tap_result *result, unsigned width, FILE *stream)
{
    static const size_t keys[] = {trial_row_recipe, trial_row_clients};
    struct table rows = tap_trials(result, "");
    struct table_cells cells = table_group(&rows, keys, 2);
    struct grid grid;
    grid_init(&grid, columns, COLUMNS, GAP);
    for (size_t i = 0; i < cells.count; i++) {
        const struct table_cell *cell = &cells.list[i];
        double handoffs = table_cell_median(cell, trial_row_handoffs, TABLE_ALL);
        grid_put(&grid, "%s", table_cell_value(cell, trial_row_recipe)->text);
        grid_put_whole(&grid, table_number(table_cell_value(cell, trial_row_clients)));
        grid_put_whole(&grid, table_cell_median(cell, trial_row_locks, TABLE_ALL));
        grid_put_whole(&grid, handoffs);
        static const size_t counted[] = {trial_row_rpcs, trial_row_notifications,
                                         trial_row_names_listed};
        for (size_t j = 0; j < sizeof counted / sizeof counted[0]; j++)
            grid_put_real(&grid, table_cell_median(cell, counted[j], TABLE_ALL) / handoffs, 2);
        grid_put_real(&grid, table_cell_median(cell, trial_row_handoff_p50_us, TABLE_ALL) / 1e3, 2);
        grid_put_real(&grid, table_cell_median(cell, trial_row_handoff_p99_us, TABLE_ALL) / 1e3, 2);
    }
    if (cells.count > 0)
        fputs("\n", stream);
    tap_write_grid(&grid, width, stream);
    table_cells_deinit(&cells);
    table_deinit(&rows);
}
