// SPDX-License-Identifier: Apache-2.0
#include "base/text.h"
#include "bench/cli/complain.h"
#include "bench/cli/grid.h"
#include "bench/cli/terminal.h"
#include "bench/output/json_result.h"
#include "bench/plan/internal.h"
#include "bench/target/resources.h"

#include <ctype.h>
#include <math.h>

/* What searches demand at most. Infinite: nobody knows, as the requests of a trial whose time
 * decides. */
struct demand {
    double trials;
    double sessions; /* at a time, zkherd's own included */
    double rpcs;
    double time_ns; /* of the trials from their gates on: without the opening of sessions */
};

/* The searches for a recipe; of several also all of them, one after the other. */
struct row {
    const struct recipe *recipe; /* NULL: all */
    struct demand most;
};

/* How many requests --max-rate allows in a time. */
static double allowed(const struct plan_options *options, double time_ns)
{
    uint64_t per_s = options->guard.max_rate;
    return per_s > 0 ? ceil((double)per_s * (time_ns / 1e9)) : (double)INFINITY;
}

/* The search ends at --max-time, and with it the probe that runs then. The requests of that time
 * are those at the pace of the whole budget, in which each sample takes what the objective allows.
 */
static struct demand heed_time(const struct plan_options *options, struct demand demand)
{
    double most_ns = (double)options->guard.max_time_ns;
    if (most_ns == 0)
        return demand;
    demand.rpcs = ceil(demand.rpcs * fmin(1, most_ns / demand.time_ns));
    demand.rpcs = fmin(demand.rpcs, allowed(options, most_ns));
    demand.time_ns = fmin(demand.time_ns, most_ns);
    return demand;
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
    double longest_ns = (double)probe.longest_ns, whole_ns = longest_ns + BACKGROUND_WARM_UP_NS;
    double rpcs = plan.handoffs > 0 ? (double)resources_traffic_of(&plan, 0).rpcs : INFINITY;
    double load = ceil((double)probe.load_per_s * (whole_ns / 1e9));
    uint64_t others = (probe.load_per_s > 0 ? BACKGROUND_SESSIONS : 0) +
                      (target->connect ? target->servers.count : 0) + 1; /* the set-up session */
    rpcs = fmin(fmin(rpcs, allowed(options, longest_ns)) + load, allowed(options, whole_ns));
    const struct demand most = {.trials = PLAN_TRIALS_MOST,
                                .sessions = (double)(plan.fleet.sessions + others),
                                .rpcs = PLAN_TRIALS_MOST * rpcs,
                                .time_ns = PLAN_TRIALS_MOST * longest_ns};
    return heed_time(options, most);
}

static size_t fill_rows(const struct plan_options *options, struct row *rows)
{
    size_t count = options->recipe_count;
    struct demand all = {0};
    for (size_t i = 0; i < count; i++) {
        const struct demand most = demand_of(options, options->recipes[i]);
        rows[i] = (struct row){options->recipes[i], most};
        all = (struct demand){all.trials + most.trials, fmax(all.sessions, most.sessions),
                              all.rpcs + most.rpcs, all.time_ns + most.time_ns};
    }
    rows[count] = (struct row){NULL, heed_time(options, all)};
    for (size_t i = 0; i < count; i++) /* one recipe's searches may take all of --max-time */
        rows[count].most.rpcs = fmax(rows[count].most.rpcs, rows[i].most.rpcs);
    return count < 2 ? count : count + 1;
}

static void write_table(const struct plan_options *options, const struct row *rows, size_t count)
{
    static const struct grid_column columns[] = {{.title = "recipe"},
                                                 {.title = "trials", .right = true},
                                                 {.title = "sessions", .right = true},
                                                 {.title = "requests", .right = true},
                                                 {.title = "time", .right = true}};
    struct grid grid;
    grid_init(&grid, columns, sizeof columns / sizeof columns[0], 2);
    for (size_t i = 0; i < count; i++) {
        const struct demand *most = &rows[i].most;
        char time[32];
        grid_put(&grid, "%s", rows[i].recipe != NULL ? rows[i].recipe->name : "all");
        grid_put_whole(&grid, most->trials);
        grid_put_whole(&grid, most->sessions);
        grid_put_whole(&grid, most->rpcs);
        grid_put(&grid, "%s", text_format_duration((uint64_t)most->time_ns, time, sizeof time));
    }
    grid_write(&grid, TERMINAL_COLUMNS, stdout);
    grid_deinit(&grid);
    fputs("\nAt most: all trials of the budget, all of them long and at the largest size.\n"
          "Requests are estimates; times are without the opening of sessions.\n",
          stdout);
    if (options->guard.max_time_ns != 0)
        fputs("Requests of --max-time are those at the pace that the objective allows.\n", stdout);
}

/* Lowers the largest size to what the servers of --connect take. *about: why, or why that is not
 * known, or "". ERROR_CONNECTION_LIMIT, as for the searches, if they do not even take the least. */
static enum error_kind ask_servers(struct plan_options *options, char *about, size_t size,
                                   struct error *error)
{
    struct plan_question *question = &options->question;
    uint64_t bystanders = options->target.servers.count,
             least = plan_question_sessions(question, question->least) + bystanders,
             most = plan_question_sessions(question, question->most) + bystanders;
    struct levels levels = {.list = &least, .count = 1};
    struct target target;
    about[0] = '\0';
    if (!options->target.connect)
        return ERROR_NONE;
    if (target_find(&options->target, most, &target, error) != ERROR_NONE) {
        snprintf(about, size, "How many sessions the servers allow is not known: %s: %s.",
                 error->subject, error_words(error->kind));
        return ERROR_NONE;
    }
    enum error_kind kind = target_limit_fit(&target.limit, UINT64_MAX, &levels, about, size, error);
    if (kind == ERROR_NONE)
        plan_fit_to_servers(question, &target, about, size);
    about[0] = (char)toupper((unsigned char)about[0]);
    return kind;
}

/* The keys are those of docs/schema/plan-dry-run.schema.json. */
static void write_json(const struct plan_options *options, const char *about,
                       const struct row *rows, size_t count)
{
    const struct plan_question *question = &options->question;
    const struct target_options *target = &options->target;
    char objective[OBJECTIVE_TEXT_SIZE];
    struct json_sentences sentences;
    json_t *cells = json_array(), *servers = json_array();
    for (size_t i = 0; i < count; i++) {
        const struct demand *most = &rows[i].most;
        json_array_append_new(
            cells,
            json_pack("{s:s?, s:{s:o, s:o, s:o, s:f}}", "recipe",
                      rows[i].recipe != NULL ? rows[i].recipe->name : NULL, "at_most", "sessions",
                      json_result_count(most->sessions), "trials", json_result_count(most->trials),
                      "rpcs", json_result_count(most->rpcs), "time_s", most->time_ns / 1e9));
    }
    const uint64_t *counts = target->server_counts; /* each once for each release */
    if (target->connect)
        json_array_append_new(servers, json_integer((json_int_t)target->servers.count));
    for (size_t i = 0; !target->connect && i < target->topology_count; i++) {
        if (i == 0 || counts[i] != counts[i - 1])
            json_array_append_new(servers, json_integer((json_int_t)counts[i]));
    }
    FILE *stream = json_sentences_begin(&sentences);
    if (about[0] != '\0')
        wrap_hanging(about, stream);
    json_result_write(json_pack("{s:s, s:s, s:o, s:o, s:o}", "objective",
                                objective_format(&question->objective, objective, sizeof objective),
                                "unknown", plan_question_unknowns[question->unknown], "servers",
                                servers, "cells", cells, "sentences",
                                json_sentences_end(&sentences)),
                      stdout);
}

int plan_dry_run(struct plan_options *options)
{
    struct error error = {0};
    struct row rows[OPTIONS_RECIPES_MAX + 1];
    char about[800];
    if (ask_servers(options, about, sizeof about, &error) != ERROR_NONE)
        return complain_about("plan", &error);
    size_t count = fill_rows(options, rows);
    if (options->output.json) {
        write_json(options, about, rows, count);
        return 0;
    }
    write_table(options, rows, count);
    if (options->target.topology_count > 1)
        printf("\nThe same for each of the %zu %s.\n", options->target.topology_count,
               options->target.home_count > 1 ? "ensembles" : "numbers of servers");
    if (about[0] != '\0') {
        printf("\n");
        wrap_hanging(about, stdout);
    }
    printf("\nNothing was run.\n");
    return 0;
}
