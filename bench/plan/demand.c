// SPDX-License-Identifier: Apache-2.0
#include "base/text.h"
#include "bench/cli/complain.h"
#include "bench/cli/grid.h"
#include "bench/cli/terminal.h"
#include "bench/output/json_result.h"
#include "bench/plan/internal.h"
#include "bench/target/resources.h"
#include "recipes/footprint.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

static const struct {
    const char *title, *key;
    bool adds_up; /* over trials one after the other; else the most at a time */
} figures[PLAN_DEMANDS] = {
    [PLAN_DEMAND_SESSIONS] = {"sessions", "sessions", false},
    [PLAN_DEMAND_WATCHES] = {"watches", "watches", false},
    [PLAN_DEMAND_TRIALS] = {"trials", "trials", true},
    [PLAN_DEMAND_RPCS] = {"requests", "rpcs", true},
    [PLAN_DEMAND_BYTES] = {"bytes", "bytes", true},
    [PLAN_DEMAND_TIME_NS] = {"time", "time_s", true},
};

/* ------------------------------------------------------------------ sums
 *
 * What is not known is infinite, and makes sums and products infinite as well. */

/* So many such trials, one after the other. */
static void add(struct plan_demand *total, const struct plan_demand *part, uint64_t times)
{
    for (size_t i = 0; times > 0 && i < PLAN_DEMANDS; i++)
        total->of[i] = figures[i].adds_up ? total->of[i] + part->of[i] * (double)times
                                          : fmax(total->of[i], part->of[i]);
}

static void raise_to(struct plan_demand *most, const struct plan_demand *one)
{
    for (size_t i = 0; i < PLAN_DEMANDS; i++)
        most->of[i] = fmax(most->of[i], one->of[i]);
}

/* How many of a rate there are in a time: rounded up. */
static double in_time(uint64_t per_s, double time_ns)
{
    return ceil((double)per_s * (time_ns / 1e9));
}

static uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static uint64_t smaller(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* ------------------------------------------------------------------ trials */

/* The searches for a recipe. */
struct searches {
    const struct plan_options *options;
    const struct recipe *recipe;
    struct search_plan search;
};

static struct searches searches_for(const struct plan_options *options, const struct recipe *recipe)
{
    return (struct searches){options, recipe, plan_question_search(&options->question)};
}

/* When the time decides, there are as many requests as the rate allows, of the size that they have
 * in one round. The rate bounds those of the locks and of the load beside them together. */
static struct plan_demand demand_of(const struct searches *of, uint64_t size, bool longer)
{
    const struct plan_options *options = of->options;
    const struct target_options *target = &options->target;
    const struct search_probe asked = {.size = size, .longer = longer};
    const struct plan_probe probe = plan_probe_of(&options->question, &asked);
    const struct trial_plan plan = plan_probe_trial(&probe, of->recipe, target->driver);
    const struct resources_traffic traffic =
        resources_traffic_of(&plan, strlen(target->servers.chroot));
    double longest_ns = (double)probe.longest_ns, whole_ns = longest_ns + BACKGROUND_WARM_UP_NS,
           load = in_time(probe.load_per_s, whole_ns), most = INFINITY, most_in_all = INFINITY,
           watches = 0;
    if (options->guard.max_rate > 0) {
        most = in_time(options->guard.max_rate, longest_ns);
        most_in_all = in_time(options->guard.max_rate, whole_ns);
    }
    double rpcs = plan.handoffs == 0 ? most : fmin((double)traffic.rpcs, most);
    double each = (double)traffic.bytes / (double)larger(traffic.rpcs, 1);
    uint64_t others = (probe.load_per_s > 0 ? BACKGROUND_SESSIONS : 0) +
                      (target->connect ? target->servers.count : 0) + 1; /* the set-up session */
    for (uint32_t lock = 0; lock < plan.locks; lock++)
        watches += (double)footprint_all_watches(of->recipe, plan_clients_of(&plan, lock));
    return (struct plan_demand){{
        [PLAN_DEMAND_SESSIONS] = (double)(plan.fleet.sessions + others),
        [PLAN_DEMAND_WATCHES] = watches,
        [PLAN_DEMAND_TRIALS] = 1,
        [PLAN_DEMAND_RPCS] = fmin(rpcs + load, most_in_all),
        /* At most the load's: the value goes one way. */
        [PLAN_DEMAND_BYTES] =
            ceil(each * rpcs) + load * (BACKGROUND_VALUE_BYTES + 2 * LOAD_PATH_SIZE),
        [PLAN_DEMAND_TIME_NS] = longest_ns,
    }};
}

/* Adds so many trials whose sizes lie between two, 0: none. What one demands grows with the size,
 * or falls, or falls and then grows: so it is never more than the larger one of the ends. */
static void add_between(const struct searches *of, uint64_t a, uint64_t b, bool longer,
                        uint64_t times, struct plan_demand *total)
{
    struct plan_demand most = demand_of(of, a > 0 ? a : b, longer);
    if (a > 0 && b > 0 && a != b) {
        const struct plan_demand other = demand_of(of, b, longer);
        raise_to(&most, &other);
    }
    add(total, &most, times);
}

/* So many of either kind, after a search whose largest size lies between two. */
static void add_knee(const struct searches *of, uint64_t from, uint64_t until, size_t count,
                     struct plan_demand *total)
{
    if (!plan_knee_has_trials(of->options))
        return;
    add_between(of, 1, 1, false, count, total);
    add_between(of, from, until, true, until > 1 ? count : 0, total);
}

/* ------------------------------------------------------------------ searches */

/* The search ends, and with it the probe that runs then. */
static struct plan_demand heed_time(const struct plan_options *options, struct plan_demand demand)
{
    const struct plan_guard_options *guard = &options->guard;
    double *time_ns = &demand.of[PLAN_DEMAND_TIME_NS], *rpcs = &demand.of[PLAN_DEMAND_RPCS];
    if (guard->max_time_ns == 0)
        return demand;
    *time_ns = fmin(*time_ns, (double)guard->max_time_ns);
    if (guard->max_rate > 0)
        *rpcs = fmin(*rpcs, in_time(guard->max_rate, (double)guard->max_time_ns));
    return demand;
}

struct plan_demand plan_demand_most(const struct plan_options *options, const struct recipe *recipe)
{
    const struct searches of = searches_for(options, recipe);
    struct plan_demand demand = {{0}};
    add_between(&of, of.search.most, 0, true, of.search.trials_most, &demand);
    add_knee(&of, of.search.most, of.search.most, PLAN_KNEE_TRIALS_MOST, &demand);
    return heed_time(options, demand);
}

/*
 * Raises *most to a search that has `located` the largest size that passes and the smallest that
 * fails between two neighbours, 0: none, after trials of so large a size. It bisects the interval,
 * confirms either end by fresh, long trials, and looks above. Each ballot takes a majority, or, if
 * it is of fresh trials that pass, all votes.
 */
static void raise_to_search(const struct searches *of, uint64_t passed, uint64_t failed,
                            uint64_t largest, struct plan_demand located, struct plan_demand *most)
{
    const struct search_plan *plan = &of->search;
    uint64_t votes = plan->votes / 2 + 1, halvings = 0, above = largest;
    for (uint64_t width = passed > 0 && failed > 0 ? failed - passed : 0;
         width > 1 && (double)width * 100 > (double)passed * plan->resolution_percent;
         width -= width / 2)
        halvings++;
    if (halvings > 0)
        add_between(of, passed, failed, false, votes * halvings, &located);
    if (failed > 0 && plan->look_above && failed < plan->most) {
        above = larger(largest, smaller(2 * failed, plan->most));
        add_between(of, failed, above, false, votes, &located);
    }
    if (passed > 0)
        add_between(of, passed, halvings > 0 ? failed : passed, true, plan->fresh, &located);
    if (failed > 0)
        add_between(of, halvings > 0 ? passed : failed, failed, true, plan->fresh / 2 + 1,
                    &located);
    add_knee(of, largest, above, PLAN_KNEE_TRIALS, &located);
    raise_to(most, &located);
}

/* Searches that go up from the least size by doubling. */
static void raise_to_all(const struct searches *of, struct plan_demand *most)
{
    const struct search_plan *plan = &of->search;
    uint64_t before = 0, size = plan->least;
    struct plan_demand located = {{0}};
    for (bool ends = false; !ends;) {
        add_between(of, size, 0, false, plan->votes / 2 + 1, &located);
        raise_to_search(of, before, size, size, located, most);
        ends = size == plan->most;
        if (ends)
            raise_to_search(of, size, 0, size, located, most);
        before = size;
        size = smaller(2 * size, plan->most);
    }
}

struct plan_demand plan_demand_expected(const struct plan_options *options,
                                        const struct recipe *recipe)
{
    const struct searches of = searches_for(options, recipe);
    struct plan_demand most = {{0}};
    raise_to_all(&of, &most);
    return heed_time(options, most);
}

/* ------------------------------------------------------------------ --dry-run
 *
 * The searches for each recipe, and, of several, all of them one after the other. */

struct row {
    const struct recipe *recipe; /* NULL: all */
    struct plan_demand expected, most;
};

static size_t fill_rows(const struct plan_options *options, struct row *rows)
{
    size_t count = options->recipe_count;
    struct row all = {.recipe = NULL};
    for (size_t i = 0; i < count; i++) {
        const struct recipe *recipe = options->recipes[i];
        rows[i] = (struct row){recipe, plan_demand_expected(options, recipe),
                               plan_demand_most(options, recipe)};
        add(&all.expected, &rows[i].expected, 1);
        add(&all.most, &rows[i].most, 1);
    }
    all.expected = heed_time(options, all.expected);
    all.most = heed_time(options, all.most);
    rows[count] = all;
    return count < 2 ? count : count + 1;
}

static const char legend[] =
    "\n"
    "The first row of a recipe: if its size alone decides each trial. At most: with\n"
    "all trials of the budget, all of them long and at the largest size. Requests\n"
    "are estimates; times are without the opening of sessions.\n";

/* A large number in short, such as 26.6M. */
static void put_count(struct grid *grid, double count)
{
    static const char units[] = "kMGTPE";
    size_t unit = 0;
    if (count < 100000 || isinf(count)) {
        grid_put_whole(grid, count);
        return;
    }
    for (count /= 1e3; count >= 999.5 && unit < sizeof units - 2; unit++)
        count /= 1e3;
    grid_put(grid, "%.*f%c", count < 99.95, count, units[unit]);
}

static void put_row(struct grid *grid, const char *name, const struct plan_demand *demand)
{
    char time[32];
    grid_put(grid, "%s", name);
    for (size_t i = 0; i < PLAN_DEMAND_TIME_NS; i++)
        put_count(grid, demand->of[i]);
    grid_put(grid, "%s",
             text_format_duration((uint64_t)demand->of[PLAN_DEMAND_TIME_NS], time, sizeof time));
}

static void write_table(const struct plan_options *options, const struct row *rows, size_t count)
{
    struct grid_column columns[1 + PLAN_DEMANDS] = {{.title = "recipe"}};
    struct grid grid;
    for (size_t i = 0; i < PLAN_DEMANDS; i++)
        columns[1 + i] = (struct grid_column){.title = figures[i].title, .right = true};
    grid_init(&grid, columns, 1 + PLAN_DEMANDS, 2);
    for (size_t i = 0; i < count; i++) {
        put_row(&grid, rows[i].recipe != NULL ? rows[i].recipe->name : "all", &rows[i].expected);
        put_row(&grid, "  at most", &rows[i].most);
    }
    grid_write(&grid, TERMINAL_COLUMNS, stdout);
    grid_deinit(&grid);
    fputs(legend, stdout);
    if (plan_knee_has_trials(options))
        fputs("Both rows have the trials for the knee for hot locks.\n", stdout);
}

static json_t *describe(const struct plan_demand *demand)
{
    json_t *object = json_object();
    for (size_t i = 0; i < PLAN_DEMAND_TIME_NS; i++)
        json_object_set_new(object, figures[i].key, json_result_count(demand->of[i]));
    json_result_set_real(object, figures[PLAN_DEMAND_TIME_NS].key,
                         demand->of[PLAN_DEMAND_TIME_NS] / 1e9);
    return object;
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
    for (size_t i = 0; i < count; i++)
        json_array_append_new(cells, json_pack("{s:s?, s:o, s:o}", "recipe",
                                               rows[i].recipe != NULL ? rows[i].recipe->name : NULL,
                                               "expected", describe(&rows[i].expected), "at_most",
                                               describe(&rows[i].most)));
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

static void tell(const struct plan_options *options, const char *about)
{
    struct row rows[OPTIONS_RECIPES_MAX + 1];
    size_t count = fill_rows(options, rows);
    if (options->output.json) {
        write_json(options, about, rows, count);
        return;
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
}

int plan_dry_run(struct plan_options *options)
{
    struct error error = {0};
    char about[800];
    if (ask_servers(options, about, sizeof about, &error) != ERROR_NONE)
        return complain_about("plan", &error);
    tell(options, about);
    return 0;
}
