// SPDX-License-Identifier: Apache-2.0
#include "base/text.h"
#include "bench/cli/complain.h"
#include "bench/cli/grid.h"
#include "bench/cli/terminal.h"
#include "bench/output/json_result.h"
#include "bench/output/json_sentences.h"
#include "bench/plan/internal.h"
#include "bench/target/traffic.h"
#include "recipes/footprint.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ sums */

/* What is not known makes the result unknown; so does what passes 64 bits. */
static uint64_t sum(uint64_t a, uint64_t b)
{
    uint64_t result;
    return __builtin_add_overflow(a, b, &result) ? PLAN_DEMAND_UNKNOWN : result;
}

static uint64_t product(uint64_t a, uint64_t b)
{
    uint64_t result;
    if (a == PLAN_DEMAND_UNKNOWN || b == PLAN_DEMAND_UNKNOWN)
        return PLAN_DEMAND_UNKNOWN;
    return __builtin_mul_overflow(a, b, &result) ? PLAN_DEMAND_UNKNOWN : result;
}

static uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static uint64_t smaller(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* So many such trials, one after the other. */
static void add(struct plan_demand *total, const struct plan_demand *part, uint64_t times)
{
    if (times == 0)
        return;
    total->sessions = larger(total->sessions, part->sessions);
    total->watches = larger(total->watches, part->watches);
    total->trials = sum(total->trials, product(part->trials, times));
    total->rpcs = sum(total->rpcs, product(part->rpcs, times));
    total->bytes = sum(total->bytes, product(part->bytes, times));
    total->time_ns = sum(total->time_ns, product(part->time_ns, times));
}

static void raise_to(struct plan_demand *most, const struct plan_demand *one)
{
    most->sessions = larger(most->sessions, one->sessions);
    most->watches = larger(most->watches, one->watches);
    most->trials = larger(most->trials, one->trials);
    most->rpcs = larger(most->rpcs, one->rpcs);
    most->bytes = larger(most->bytes, one->bytes);
    most->time_ns = larger(most->time_ns, one->time_ns);
}

/* ------------------------------------------------------------------ one trial */

/* How many of a rate there are in a time: rounded up. */
static uint64_t in_time(uint64_t per_s, uint64_t time_ns)
{
    double count = ceil((double)per_s * ((double)time_ns / 1e9));
    return count < 1e18 ? (uint64_t)count : PLAN_DEMAND_UNKNOWN;
}

/* Of the locks. When the time decides, as many as the rate allows, of the size that they have in
 * one round. */
static struct traffic locks_of(const struct plan_demand_given *given,
                               const struct plan_demand_trial *trial)
{
    struct traffic traffic = traffic_of(&trial->plan, given->chroot_length);
    bool by_time = trial->plan.workload == WORKLOAD_STEADY && trial->plan.handoffs == 0;
    bool is_bounded = given->max_rate > 0 && trial->longest_ns > 0;
    uint64_t most = is_bounded ? in_time(given->max_rate, trial->longest_ns) : PLAN_DEMAND_UNKNOWN;
    uint64_t rpcs = by_time ? most : smaller(traffic.rpcs, most);
    if (rpcs == PLAN_DEMAND_UNKNOWN)
        return (struct traffic){rpcs, rpcs};
    double each = (double)traffic.bytes / (double)larger(traffic.rpcs, 1);
    return (struct traffic){rpcs, (uint64_t)ceil(each * (double)rpcs)};
}

static struct plan_demand demand_of(const struct plan_demand_given *given,
                                    const struct recipe *recipe, uint64_t size, bool longer)
{
    const struct search_probe probe = {.size = size, .longer = longer};
    const struct plan_demand_trial trial = given->trial(given->context, recipe, &probe);
    const struct traffic locks = locks_of(given, &trial);
    bool is_timed = trial.longest_ns > 0;
    uint64_t whole_ns = trial.longest_ns + trial.load_before_ns, watches = 0;
    uint64_t load = trial.load_per_s == 0 ? 0
                    : is_timed            ? in_time(trial.load_per_s, whole_ns)
                                          : PLAN_DEMAND_UNKNOWN;
    uint64_t rpcs = sum(locks.rpcs, load);
    for (uint32_t lock = 0; lock < trial.plan.locks; lock++)
        watches = sum(watches, footprint_all_watches(recipe, plan_clients_of(&trial.plan, lock)));
    if (given->max_rate > 0 && is_timed) /* of the locks and of the load beside them */
        rpcs = smaller(rpcs, in_time(given->max_rate, whole_ns));
    return (struct plan_demand){
        .sessions = trial.plan.fleet.sessions + trial.load_sessions + given->companions,
        .watches = watches,
        .trials = 1,
        .rpcs = rpcs,
        .bytes = sum(locks.bytes, product(load, trial.load_bytes)),
        .time_ns = is_timed ? trial.longest_ns : PLAN_DEMAND_UNKNOWN,
    };
}

/* ------------------------------------------------------------------ all trials */

/* The search ends, and with it the probe that runs then. */
static struct plan_demand heed_time(const struct plan_demand_given *given,
                                    struct plan_demand demand)
{
    if (given->max_time_ns == 0)
        return demand;
    demand.time_ns = smaller(demand.time_ns, given->max_time_ns);
    if (given->max_rate > 0)
        demand.rpcs = smaller(demand.rpcs, in_time(given->max_rate, given->max_time_ns));
    return demand;
}

/* What trials of a kind demand at most whose sizes lie between two, 0: none. It grows with the
 * size, or falls, or falls and then grows: so it is never more than the larger one of the ends. */
static struct plan_demand between(const struct plan_demand_given *given,
                                  const struct recipe *recipe, uint64_t a, uint64_t b, bool longer)
{
    struct plan_demand most = demand_of(given, recipe, a > 0 ? a : b, longer);
    if (a > 0 && b > 0 && a != b) {
        const struct plan_demand other = demand_of(given, recipe, b, longer);
        raise_to(&most, &other);
    }
    return most;
}

/* So many of either kind, after a search whose largest size lies between two. */
static void add_knee(const struct plan_demand_given *given, const struct recipe *recipe,
                     uint64_t from, uint64_t until, size_t count, struct plan_demand *total)
{
    if (count == 0)
        return;
    const struct plan_demand lone = demand_of(given, recipe, 1, false),
                             busy = between(given, recipe, from, until, true);
    add(total, &lone, count);
    add(total, &busy, until > 1 ? count : 0);
}

struct plan_demand plan_demand_most(const struct plan_demand_given *given,
                                    const struct recipe *recipe)
{
    const struct plan_demand one = demand_of(given, recipe, given->search->most, true);
    struct plan_demand demand = {0};
    add(&demand, &one, given->search->trials_most);
    add_knee(given, recipe, given->search->most, given->search->most, given->knee_trials_most,
             &demand);
    return heed_time(given, demand);
}

/*
 * Raises *most to a search that has `located` the largest size that passes and the smallest that
 * fails between two neighbours, 0: none, after trials of so large a size. It bisects the interval,
 * confirms either end by fresh, long trials, and looks above. Each ballot takes a majority, or, if
 * it is of fresh trials that pass, all votes.
 */
static void raise_to_search(const struct plan_demand_given *given, const struct recipe *recipe,
                            uint64_t passed, uint64_t failed, uint64_t largest,
                            struct plan_demand located, struct plan_demand *most)
{
    const struct search_plan *plan = given->search;
    uint64_t votes = plan->votes / 2 + 1, halvings = 0, above = largest;
    for (uint64_t width = passed > 0 && failed > 0 ? failed - passed : 0;
         width > 1 && (double)width * 100 > (double)passed * plan->resolution_percent;
         width -= width / 2)
        halvings++;
    if (halvings > 0) {
        const struct plan_demand one = between(given, recipe, passed, failed, false);
        add(&located, &one, votes * halvings);
    }
    if (failed > 0 && plan->look_above && failed < plan->most) {
        above = larger(largest, smaller(2 * failed, plan->most));
        const struct plan_demand one = between(given, recipe, failed, above, false);
        add(&located, &one, votes);
    }
    if (passed > 0) {
        const struct plan_demand one =
            between(given, recipe, passed, halvings > 0 ? failed : passed, true);
        add(&located, &one, plan->fresh);
    }
    if (failed > 0) {
        const struct plan_demand one =
            between(given, recipe, halvings > 0 ? passed : failed, failed, true);
        add(&located, &one, plan->fresh / 2 + 1);
    }
    add_knee(given, recipe, largest, above, given->knee_trials, &located);
    raise_to(most, &located);
}

/* Searches that go up, or down, from a size by doubling or halving. */
static void raise_to_all(const struct plan_demand_given *given, const struct recipe *recipe,
                         uint64_t first, bool up, struct plan_demand *most)
{
    const struct search_plan *plan = given->search;
    uint64_t last = up ? plan->most : plan->least, before = 0, size = first;
    struct plan_demand located = {0};
    for (bool ends = false; !ends;) {
        const struct plan_demand one = demand_of(given, recipe, size, false);
        uint64_t largest = larger(first, size);
        add(&located, &one, plan->votes / 2 + 1);
        raise_to_search(given, recipe, up ? before : size, up ? size : before, largest, located,
                        most);
        ends = size == last;
        if (ends)
            raise_to_search(given, recipe, up ? size : 0, up ? 0 : size, largest, located, most);
        before = size;
        size = up ? smaller(2 * size, last) : larger(size / 2, last);
    }
}

struct plan_demand plan_demand_expected(const struct plan_demand_given *given,
                                        const struct recipe *recipe, uint64_t proposal)
{
    const struct search_plan *plan = given->search;
    uint64_t first = smaller(larger(proposal, plan->least), plan->most);
    struct plan_demand most = {0};
    raise_to_all(given, recipe, first, true, &most);
    raise_to_all(given, recipe, first, false, &most);
    return heed_time(given, most);
}

size_t plan_demand_rows(const struct plan_demand_given *given, const struct recipe *const *recipes,
                        const struct plan_proposal *proposals, size_t count,
                        struct plan_demand_row *rows)
{
    struct plan_demand_row all = {0};
    for (size_t i = 0; i < count; i++) {
        rows[i] =
            (struct plan_demand_row){recipes[i], proposals[i].size,
                                     plan_demand_expected(given, recipes[i], proposals[i].size),
                                     plan_demand_most(given, recipes[i])};
        add(&all.expected, &rows[i].expected, 1);
        add(&all.most, &rows[i].most, 1);
    }
    if (count < 2)
        return count;
    all.expected = heed_time(given, all.expected);
    all.most = heed_time(given, all.most);
    rows[count] = all;
    return count + 1;
}

/* ------------------------------------------------------------------ the table */

static const struct grid_column columns[] = {
    {.title = "recipe"},
    {.title = "sessions", .right = true},
    {.title = "watches", .right = true},
    {.title = "trials", .right = true},
    {.title = "requests", .right = true},
    {.title = "bytes", .right = true},
    {.title = "time", .right = true},
};

static const char legend[] =
    "\n"
    "The first row of a recipe: if its size alone decides each trial. At most: with\n"
    "all trials of the budget, all of them long and at the largest size. Requests\n"
    "are estimates; times are without the opening of sessions.\n";

/* A large number in short, such as 26.6M. */
static void put_count(struct grid *grid, uint64_t count)
{
    static const char units[] = "kMGTPE";
    double value = (double)count / 1e3;
    size_t unit = 0;
    if (count == PLAN_DEMAND_UNKNOWN) {
        grid_put(grid, GRID_UNKNOWN);
        return;
    }
    if (count < 100000) {
        grid_put_whole(grid, (double)count);
        return;
    }
    for (; value >= 999.5; unit++)
        value /= 1e3;
    grid_put(grid, "%.*f%c", value < 99.95, value, units[unit]);
}

static void put_row(struct grid *grid, const char *name, const struct plan_demand *demand)
{
    char time[32];
    grid_put(grid, "%s", name);
    put_count(grid, demand->sessions);
    put_count(grid, demand->watches);
    put_count(grid, demand->trials);
    put_count(grid, demand->rpcs);
    put_count(grid, demand->bytes);
    grid_put(grid, "%s",
             demand->time_ns == PLAN_DEMAND_UNKNOWN
                 ? GRID_UNKNOWN
                 : text_format_duration(demand->time_ns, time, sizeof time));
}

void plan_demand_write(const struct plan_demand_given *given, const struct plan_demand_row *rows,
                       size_t count, size_t width, FILE *stream)
{
    struct grid grid;
    grid_init(&grid, columns, sizeof columns / sizeof columns[0], 2);
    for (size_t i = 0; i < count; i++) {
        put_row(&grid, rows[i].recipe != NULL ? rows[i].recipe->name : "all", &rows[i].expected);
        put_row(&grid, "  at most", &rows[i].most);
    }
    grid_write(&grid, width, stream);
    fputs(legend, stream);
    if (given->knee_trials > 0)
        fputs("Both rows have the trials for the knee for hot locks.\n", stream);
    grid_deinit(&grid);
}

/* ------------------------------------------------------------------ as JSON */

static json_t *count_or_null(uint64_t count, uint64_t none)
{
    return count == none ? json_null() : json_integer((json_int_t)count);
}

static json_t *describe(const struct plan_demand *demand)
{
    const uint64_t none = PLAN_DEMAND_UNKNOWN;
    return json_pack(
        "{s:o, s:o, s:o, s:o, s:o, s:o}", "sessions", count_or_null(demand->sessions, none),
        "watches", count_or_null(demand->watches, none), "trials",
        count_or_null(demand->trials, none), "rpcs", count_or_null(demand->rpcs, none), "bytes",
        count_or_null(demand->bytes, none), "time_s",
        json_result_real(demand->time_ns == none ? NAN : (double)demand->time_ns / 1e9));
}

static json_t *list_servers(const struct target_options *target)
{
    json_t *servers = json_array();
    if (target->connect)
        json_array_append_new(servers, json_integer((json_int_t)target->servers.count));
    const uint64_t *counts = target->server_counts; /* each once for each release */
    for (size_t i = 0; !target->connect && i < target->topology_count; i++) {
        if (i == 0 || counts[i] != counts[i - 1])
            json_array_append_new(servers, json_integer((json_int_t)counts[i]));
    }
    return servers;
}

static bool has_proposals(const struct plan_options *options)
{
    return options->target.costs != NULL && options->target.driver != DRIVER_SIMULATED;
}

static void write_proposals(const struct plan_options *options, FILE *stream)
{
    if (!has_proposals(options))
        return;
    plan_proposals_write(options, stream);
    wrap_sentence(stream, "Whether %s holds for the servers was not checked.",
                  options->target.costs);
}

/* The keys are those of docs/schema/plan-dry-run.schema.json. */
static enum error_kind write_json(const struct plan_options *options,
                                  const struct plan_demand_row *rows, size_t count,
                                  struct error *error)
{
    const struct plan_question *question = &options->question;
    char objective[OBJECTIVE_TEXT_SIZE];
    struct json_sentences sentences;
    json_t *cells = json_array();
    for (size_t i = 0; i < count; i++)
        json_array_append_new(cells, json_pack("{s:s?, s:o, s:o, s:o}", "recipe",
                                               rows[i].recipe != NULL ? rows[i].recipe->name : NULL,
                                               "proposed", count_or_null(rows[i].proposal, 0),
                                               "expected", describe(&rows[i].expected), "at_most",
                                               describe(&rows[i].most)));
    json_sentences_begin(&sentences);
    if (sentences.stream != NULL)
        write_proposals(options, sentences.stream);
    return json_result_write(
        json_pack("{s:s, s:s, s:o, s:o, s:o}", "objective",
                  objective_format(&question->objective, objective, sizeof objective), "unknown",
                  plan_question_unknowns[question->unknown], "servers",
                  list_servers(&options->target), "cells", cells, "sentences",
                  json_sentences_end(&sentences)),
        "plan", stdout, error);
}

/* ------------------------------------------------------------------ --dry-run */

static struct plan_demand_trial trial_of(void *context, const struct recipe *recipe,
                                         const struct search_probe *asked)
{
    const struct plan_options *options = context;
    const struct plan_probe probe = plan_probe_of(&options->question, asked);
    return (struct plan_demand_trial){
        .plan = plan_probe_trial(&probe, recipe, options->target.driver),
        .longest_ns = probe.longest_ns,
        .load_sessions = probe.load_per_s > 0 ? BACKGROUND_SESSIONS : 0,
        .load_per_s = probe.load_per_s,
        /* At most: the value goes one way. */
        .load_bytes = BACKGROUND_VALUE_BYTES + 2 * LOAD_PATH_SIZE,
        .load_before_ns = BACKGROUND_WARM_UP_NS,
    };
}

static enum error_kind propose(struct plan_options *options, struct error *error)
{
    struct progress progress;
    struct costs_file *costs;
    enum error_kind kind = plan_proposals_read(options, &costs, error);
    if (kind != ERROR_NONE || costs == NULL)
        return kind;
    progress_init(&progress, 0, options->output.quiet);
    kind = plan_proposals_make(costs, options, &progress, -1, error);
    free(costs);
    return kind;
}

static enum error_kind tell(struct plan_options *options, struct error *error)
{
    const struct search_plan search = plan_question_search(&options->question, 0);
    uint64_t bystanders = options->target.connect ? options->target.servers.count : 0;
    bool has_knee = plan_knee_has_trials(options);
    const struct plan_demand_given given = {
        .search = &search,
        .trial = trial_of,
        .context = options,
        .chroot_length = strlen(options->target.servers.chroot),
        .companions = 1 + bystanders, /* the set-up session */
        .max_rate = options->guard.max_rate,
        .max_time_ns = options->guard.max_time_ns,
        .knee_trials = has_knee ? PLAN_KNEE_TRIALS : 0,
        .knee_trials_most = has_knee ? PLAN_KNEE_TRIALS_MOST : 0,
    };
    struct plan_demand_row rows[OPTIONS_RECIPES_MAX + 1];
    size_t count =
        plan_demand_rows(&given, options->recipes, options->proposals, options->recipe_count, rows);
    if (options->output.json)
        return write_json(options, rows, count, error);
    plan_demand_write(&given, rows, count, TERMINAL_COLUMNS, stdout);
    if (options->target.topology_count > 1)
        printf("\nThe same for each of the %zu %s.\n", options->target.topology_count,
               options->target.home_count > 1 ? "ensembles" : "numbers of servers");
    if (has_proposals(options))
        printf("\n");
    write_proposals(options, stdout);
    printf("\nNothing was run.\n");
    return ERROR_NONE;
}

int plan_dry_run(struct plan_options *options)
{
    struct error error;
    enum error_kind kind = propose(options, &error);
    if (kind == ERROR_NONE)
        kind = tell(options, &error);
    return kind == ERROR_NONE ? 0 : complain_about("plan", &error);
}
