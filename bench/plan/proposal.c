// SPDX-License-Identifier: Apache-2.0
#include "base/memory.h"
#include "bench/cli/terminal.h"
#include "bench/plan/internal.h"

#include <stdlib.h>
#include <string.h>

#define SESSIONS_MOST 20000           /* of a size that is simulated */
#define PROPOSAL_NS   (10 * NS_PER_S) /* of real time, for one search */

/* One simulated search. */
struct rehearsal {
    struct plan_question question; /* of sizes that can be simulated */
    const struct recipe *recipe;
    struct sim_options simulation; /* the servers, with their costs */
    struct connect_string servers;
    int interrupts;
    struct search search;
    struct plan_probe probe; /* of the trial that goes on */
    uint64_t ends_ns;        /* of the real clock */
};

static bool is_late(const struct rehearsal *rehearsal)
{
    return clock_now_ns() >= rehearsal->ends_ns;
}

static bool has_enough(void *context, const struct trial_memory *memory, uint64_t elapsed_ns)
{
    static const struct plan_count none; /* a simulation runs the lock alone */
    const struct rehearsal *rehearsal = context;
    return is_late(rehearsal) ||
           plan_probe_has_enough(&rehearsal->probe, memory, &none, elapsed_ns);
}

/* The seeds are always the same. A trial that the time has ended was of too few samples. */
static enum error_kind run_trial(struct rehearsal *rehearsal, const struct search_probe *asked,
                                 struct error *error)
{
    struct trial_result *result = NULL;
    rehearsal->probe = plan_probe_of(&rehearsal->question, asked);
    struct trial_plan plan =
        plan_probe_trial(&rehearsal->probe, rehearsal->recipe, DRIVER_SIMULATED);
    plan.root = "/plan";
    plan.fleet.servers = &rehearsal->servers;
    plan.fleet.processes = 1;
    plan.fleet.seed = rehearsal->search.step_count + 1;
    const struct trial_host host = {
        .servers = &rehearsal->servers,
        .simulation = &rehearsal->simulation,
        .watch = {.context = rehearsal,
                  .interrupt_descriptor = rehearsal->interrupts,
                  .has_enough = has_enough},
    };
    enum error_kind kind = trial_run(&plan, &host, &result, error);
    if (kind == ERROR_NONE && !is_late(rehearsal)) {
        const struct plan_trial trial = {
            .probe = &rehearsal->probe, .recipe = rehearsal->recipe, .result = result};
        search_report(&rehearsal->search, plan_sample_take(&trial).verdict);
    }
    trial_result_free(result);
    return kind;
}

static struct plan_proposal conclude(const struct rehearsal *rehearsal)
{
    const struct search_answer answer = search_answer(&rehearsal->search);
    if (answer.passed > 0)
        return (struct plan_proposal){answer.passed, NULL};
    if (answer.failed == rehearsal->search.plan.least)
        return (struct plan_proposal){answer.failed, NULL};
    return (struct plan_proposal){0, is_late(rehearsal) ? "the simulation takes too long"
                                                        : "its trials decide nothing"};
}

static enum error_kind propose(const struct costs_file *costs, const struct plan_options *options,
                               size_t recipe, int interrupts, struct plan_proposal *proposal,
                               struct error *error)
{
    unsigned count = costs->holds_for.server_count;
    struct rehearsal rehearsal = {.question = options->question,
                                  .recipe = options->recipes[recipe],
                                  .simulation = costs_file_simulation(costs, count),
                                  .servers = {.count = count},
                                  .interrupts = interrupts,
                                  .ends_ns = clock_now_ns() + PROPOSAL_NS};
    struct plan_question *question = &rehearsal.question;
    if (plan_question_sessions(question, question->least) > SESSIONS_MOST) {
        *proposal = (struct plan_proposal){0, "the least size has more than 20,000 sessions"};
        return ERROR_NONE;
    }
    for (unsigned i = 0; i < count; i++)
        rehearsal.servers.endpoints[i] =
            (struct endpoint){.host = "simulated", .port = (uint16_t)(i + 1)};
    plan_question_fit(question, SESSIONS_MOST);
    struct search_plan plan = plan_question_search(question, 0);
    plan.votes = plan.fresh = 1;
    plan.look_above = false;
    search_init(&rehearsal.search, &plan);
    /* Fresh trials would take longer than all others together, and decide nothing here. */
    enum error_kind kind = ERROR_NONE;
    struct search_probe asked;
    while (kind == ERROR_NONE && !is_late(&rehearsal) && search_next(&rehearsal.search, &asked) &&
           asked.stage == SEARCH_LOCATE)
        kind = run_trial(&rehearsal, &asked, error);
    if (kind == ERROR_NONE)
        *proposal = conclude(&rehearsal);
    search_deinit(&rehearsal.search);
    return kind;
}

/* ------------------------------------------------------------------ for all recipes */

bool plan_proposals_are_wanted(const struct plan_options *options)
{
    return options->target.costs != NULL && options->target.driver != DRIVER_SIMULATED;
}

enum error_kind plan_proposals_read(struct plan_options *options, struct costs_file **costs,
                                    struct error *error)
{
    struct target_options *target = &options->target;
    *costs = NULL;
    if (!plan_proposals_are_wanted(options))
        return ERROR_NONE;
    struct costs_file *made = memory_new(1, sizeof *made);
    enum error_kind kind = costs_file_read(target->costs, made, error);
    if (kind != ERROR_NONE) {
        free(made);
        return kind;
    }
    if (!target->servers_given && !target->connect &&
        strcmp(made->holds_for.servers, "private") == 0)
        target->server_counts[0] = made->holds_for.server_count;
    *costs = made;
    return ERROR_NONE;
}

enum error_kind plan_proposals_make(const struct costs_file *costs, struct plan_options *options,
                                    const struct progress *progress, int interrupts,
                                    struct error *error)
{
    enum error_kind kind = ERROR_NONE;
    for (size_t i = 0; kind == ERROR_NONE && i < options->recipe_count; i++) {
        char text[96];
        snprintf(text, sizeof text, "simulating the search for %s", options->recipes[i]->name);
        progress_say(progress, text);
        kind = propose(costs, options, i, interrupts, &options->proposals[i], error);
    }
    progress_clear(progress);
    return kind;
}

void plan_proposals_write(const struct plan_options *options, FILE *stream)
{
    for (size_t i = 0; i < options->recipe_count; i++) {
        const struct plan_proposal *proposal = &options->proposals[i];
        const char *name = options->recipes[i]->name;
        uint64_t first = proposal->size > 0 ? proposal->size : options->question.least;
        char size[64];
        plan_question_format(&options->question, first, size, sizeof size);
        if (proposal->size > 0)
            wrap_sentence(stream, "%s: first trial with %s, proposed by the simulation.", name,
                          size);
        else if (proposal->why != NULL)
            wrap_sentence(stream, "%s: first trial with %s; the simulation proposes none: %s.",
                          name, size, proposal->why);
    }
}
