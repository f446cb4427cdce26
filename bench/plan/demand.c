// SPDX-License-Identifier: Apache-2.0
#include "base/text.h"
#include "bench/cli/complain.h"
#include "bench/cli/terminal.h"
#include "bench/output/json_result.h"
#include "bench/output/row_grid.h"
#include "bench/plan/internal.h"
#include "bench/target/resources.h"

#include <math.h>
#include <string.h>

/* A row of the dry run: the searches for a recipe, or all of them. The sessions are those at a
 * time, zkherd's own included; the time is that of the trials from their gates on; each server logs
 * the transactions. */
#define DEMAND_COLUMNS(X, T)                                                                       \
    X(T, recipe, TEXT, "", 0, KEY, "")                                                             \
    X(T, sessions, COUNT, "", 0, NONE, "")                                                         \
    X(T, trials, COUNT, "", 0, NONE, "")                                                           \
    X(T, rpcs, COUNT, "", 0, NONE, "")                                                             \
    X(T, time_s, REAL, "s", 1, NONE, "")                                                           \
    X(T, transactions, COUNT, "", 0, NONE, "")                                                     \
    X(T, log_bytes, COUNT, "bytes", 0, NONE, "")
TABLE_DECLARE(demand_row, DEMAND_COLUMNS);
TABLE_DEFINE(demand_row, "--json", DEMAND_COLUMNS)

#define ALL "all" /* in place of a recipe */

/* The figures of a row, in the order of their columns. Infinite: not known, as the requests of a
 * trial that ends by time. */
enum { SESSIONS, TRIALS, RPCS, TIME_S, TRANSACTIONS, LOG_BYTES, FIGURES };
struct demand {
    double of[FIGURES];
};

/* ------------------------------------------------------------------ the demand */

/* Upper bounds of the bytes of a transaction in a server's log: without its path
 * (journal/journal.h), and of the path below the chroot: a run's root, what stands between it and a
 * name ("/t0000/l65535/"), and the longest name that a recipe gives, with its GUID. */
#define BYTES_PER_TRANSACTION 100
#define PATH_BYTES            (TARGET_ROOT_PATH_SIZE + 16 + 64)

/* How many requests --max-rate allows in a time. */
static double allowed(const struct plan_options *options, double time_s)
{
    uint64_t per_s = options->guard.max_rate;
    return per_s > 0 ? ceil((double)per_s * time_s) : (double)INFINITY;
}

/* Transactions of `requests` requests of a load: the writes, and the deletions that follow some. */
static double writes_of(const struct mix *mix, double requests)
{
    uint32_t percent =
        100 - mix_reads(mix) + mix->percent[LOAD_CREATE_DELETE] + mix->percent[LOAD_TRYLOCK];
    return ceil(requests * percent / 100);
}

/* All trials of the budget, all of them long and at the largest size. The requests of the lock are
 * those of the recipe's law (bench/target/resources.h), which in free pace is an estimate. */
static struct demand demand_of(const struct plan_options *options, const struct recipe *recipe)
{
    const struct plan_question *question = &options->question;
    const struct target_options *target = &options->target;
    const struct search_probe asked = {.size = question->most, .longer = true};
    const struct plan_probe probe = plan_probe_of(question, &asked);
    const struct trial_plan plan = plan_probe_trial(&probe, recipe, target->driver);
    const struct resources_traffic lock = resources_traffic_of(&plan);
    double longest_s = (double)probe.longest_ns / 1e9,
           whole_s = longest_s + (double)BACKGROUND_WARM_UP_NS / 1e9;
    bool is_counted = plan.handoffs > 0;
    double load = ceil((double)question->background.rate_per_s * whole_s),
           rpcs = fmin(is_counted ? (double)lock.rpcs : INFINITY, allowed(options, longest_s)),
           all = fmin(rpcs + load, allowed(options, whole_s)),
           writes = fmin(is_counted ? (double)lock.transactions : INFINITY, all - load),
           load_writes = writes_of(&question->background.mix, load),
           bytes = BYTES_PER_TRANSACTION + (double)strlen(target->servers.chroot) + PATH_BYTES;
    uint64_t others = (question->background.given ? BACKGROUND_SESSIONS : 0) +
                      (target->connect ? target->servers.count : 0) + 1; /* the set-up session */
    struct demand demand = {{
        [TRIALS] = 1,
        [RPCS] = all,
        [TIME_S] = longest_s,
        [TRANSACTIONS] = writes + load_writes,
        [LOG_BYTES] = writes * bytes + load_writes * (bytes + BACKGROUND_VALUE_BYTES),
    }};
    for (int i = 0; i < FIGURES; i++)
        demand.of[i] *= PLAN_TRIALS_MOST;
    demand.of[SESSIONS] = (double)(plan.fleet.sessions + others);
    return demand;
}

/* The search ends at --max-time, and with it the probe that runs then. The trials and requests of
 * that time are those at the pace of the whole budget, in which each sample takes what the
 * objective allows. */
static struct demand within_time(const struct plan_options *options, const struct demand *whole)
{
    struct demand demand = *whole;
    double most_s = (double)options->guard.max_time_ns / 1e9;
    if (most_s == 0 || most_s >= whole->of[TIME_S])
        return demand;
    for (int i = TRIALS; i < FIGURES; i++)
        demand.of[i] = ceil(whole->of[i] * (most_s / whole->of[TIME_S]));
    demand.of[RPCS] = fmin(demand.of[RPCS], allowed(options, most_s));
    demand.of[TIME_S] = most_s;
    return demand;
}

static void add_row(const char *recipe, const struct demand *most, struct table *rows)
{
    struct table_value *row = table_add(rows);
    for (int i = 0; i < FIGURES; i++) {
        bool known = isfinite(most->of[i]);
        row[demand_row_sessions + i] = table_count_if(known, known ? (uint64_t)most->of[i] : 0);
    }
    row[demand_row_recipe] = table_text(recipe);
    row[demand_row_time_s] = table_real(most->of[TIME_S]);
}

/* A row for each recipe, and of several one for ALL, of which one may take all of --max-time. */
static struct table find_rows(const struct plan_options *options)
{
    struct table rows = {.type = &demand_row_table};
    struct demand sum = {{0}}, largest = {{0}};
    for (size_t i = 0; i < options->recipe_count; i++) {
        const struct demand whole = demand_of(options, options->recipes[i]),
                            most = within_time(options, &whole);
        add_row(options->recipes[i]->name, &most, &rows);
        for (int j = 0; j < FIGURES; j++) {
            sum.of[j] = j == SESSIONS ? 0 : sum.of[j] + most.of[j];
            largest.of[j] = fmax(largest.of[j], most.of[j]);
        }
    }
    struct demand all = within_time(options, &sum);
    for (int j = 0; j < FIGURES; j++)
        all.of[j] = fmax(all.of[j], largest.of[j]);
    if (options->recipe_count > 1)
        add_row(ALL, &all, &rows);
    return rows;
}

void plan_demand_print(const struct plan_options *options, const struct connect_string *servers)
{
    struct table rows = find_rows(options);
    const struct table_value *all = table_row(&rows, rows.rows - 1);
    char where[CONNECT_TEXT_SIZE], sessions[32], load[32], writes[32] = "not known";
    if (all[demand_row_transactions].kind == TABLE_COUNT)
        text_format_count(all[demand_row_transactions].count, writes, sizeof writes);
    complain_mildly(
        "on %s: at most %s sessions at a time; transactions at the objective's pace %s; "
        "requests a second of --background %s; --dry-run says more",
        connect_typed(servers, where, sizeof where),
        text_format_count(all[demand_row_sessions].count, sessions, sizeof sessions), writes,
        text_format_count(options->question.background.rate_per_s, load, sizeof load));
    table_deinit(&rows);
}

/* ------------------------------------------------------------------ the dry run */

static void print_rows(const struct plan_options *options, const struct table *rows)
{
    static const struct row_column columns[] = {
        {.column = demand_row_recipe},
        {.column = demand_row_trials},
        {.column = demand_row_sessions},
        {.column = demand_row_rpcs, .title = "requests"},
        {.column = demand_row_transactions},
        {.column = demand_row_log_bytes, .title = "log MB", .factor = 1e-6},
        {.column = demand_row_time_s, .title = "minutes", .factor = 1.0 / 60, .decimals = 1},
    };
    const struct row_grid grid = {
        .table = rows, .columns = columns, .column_count = sizeof columns / sizeof columns[0]};
    row_grid_write(&grid, TERMINAL_COLUMNS, stdout);
    fputs("\nAt most: all trials of the budget, all of them long and at the largest size.\n"
          "Requests and transactions are estimates; times are without the opening of\n"
          "sessions; the log is that of each server.\n",
          stdout);
    if (options->guard.max_time_ns != 0)
        fputs("Within --max-time: at the pace that the objective allows.\n", stdout);
    if (options->target.topology_count > 1)
        printf("\nThe same for each of the %zu numbers of servers.\n",
               options->target.topology_count);
    printf("\nNothing was run.\n");
}

/* The keys are those of docs/schema/plan-dry-run.schema.json. */
static void print_json(const struct plan_options *options, const struct table *rows)
{
    const struct target_options *target = &options->target;
    char objective[OBJECTIVE_TEXT_SIZE];
    json_t *cells = json_array(), *servers = json_array();
    for (size_t i = 0; i < rows->rows; i++) {
        const struct table_value *row = table_row(rows, i);
        json_t *most = json_object();
        json_result_set_row(most, rows->type, row, demand_row_sessions, demand_row_log_bytes);
        json_array_append_new(cells, json_pack("{s:o, s:o}", "recipe",
                                               json_result_text(i < options->recipe_count
                                                                    ? row[demand_row_recipe].text
                                                                    : NULL),
                                               "at_most", most));
    }
    if (target->connect)
        json_array_append_new(servers, json_integer((json_int_t)target->servers.count));
    for (size_t i = 0; !target->connect && i < target->topology_count; i++)
        json_array_append_new(servers, json_integer((json_int_t)target->server_counts[i]));
    objective_format(&options->question.objective, objective, sizeof objective);
    json_result_write(json_pack("{s:s, s:s, s:o, s:o}", "objective", objective, "unknown",
                                plan_question_unknowns[options->question.unknown], "servers",
                                servers, "cells", cells),
                      stdout);
}

void plan_dry_run(const struct plan_options *options)
{
    struct table rows = find_rows(options);
    if (options->output.json)
        print_json(options, &rows);
    else
        print_rows(options, &rows);
    table_deinit(&rows);
}
