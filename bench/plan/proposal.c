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
    const struct plan_proposal_basis *basis;
    const struct recipe *recipe;
    struct connect_string servers;
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
    static const struct background_figures no_load;
    static const struct plan_machine no_machine;
    struct trial_result *result = NULL;
    rehearsal->probe = plan_probe_of(rehearsal->basis->question, asked);
    struct trial_plan plan =
        plan_probe_trial(&rehearsal->probe, rehearsal->recipe, DRIVER_SIMULATED);
    plan.root = "/plan";
    plan.fleet.servers = &rehearsal->servers;
    plan.fleet.processes = 1;
    plan.fleet.seed = rehearsal->search.step_count + 1;
    const struct trial_host host = {
        .servers = &rehearsal->servers,
        .simulation = &rehearsal->basis->simulation,
        .watch = {.context = rehearsal,
                  .interrupt_descriptor = rehearsal->basis->interrupts,
                  .has_enough = has_enough},
    };
    enum error_kind kind = trial_run(&plan, &host, &result, error);
    if (kind != ERROR_NONE)
        return kind;
    if (!is_late(rehearsal)) {
        const struct plan_sample sample = plan_sample_take(
            &rehearsal->probe, asked, rehearsal->recipe, result, &no_load, &no_machine);
        search_report(&rehearsal->search, sample.verdict);
    }
    trial_result_free(result);
    return ERROR_NONE;
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

enum error_kind plan_proposal_make(const struct plan_proposal_basis *basis,
                                   const struct recipe *recipe, struct plan_proposal *proposal,
                                   struct error *error)
{
    unsigned count = basis->simulation.servers;
    struct plan_question smaller = *basis->question;
    struct rehearsal rehearsal = {.basis = basis,
                                  .recipe = recipe,
                                  .ends_ns = clock_now_ns() + basis->time_ns,
                                  .servers = {.count = count}};
    if (plan_question_sessions(&smaller, smaller.least) > SESSIONS_MOST) {
        *proposal = (struct plan_proposal){0, "the least size has more than 20,000 sessions"};
        return ERROR_NONE;
    }
    for (unsigned i = 0; i < count; i++)
        rehearsal.servers.endpoints[i] =
            (struct endpoint){.host = "simulated", .port = (uint16_t)(i + 1)};
    plan_question_fit(&smaller, SESSIONS_MOST);
    struct search_plan plan = plan_question_search(&smaller, 0);
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
    const struct plan_proposal_basis basis = {
        .question = &options->question,
        .simulation = costs_file_simulation(costs, costs->holds_for.server_count),
        .time_ns = PROPOSAL_NS,
        .interrupts = interrupts,
    };
    enum error_kind kind = ERROR_NONE;
    for (size_t i = 0; kind == ERROR_NONE && i < options->recipe_count; i++) {
        char text[96];
        snprintf(text, sizeof text, "simulating the search for %s", options->recipes[i]->name);
        progress_say(progress, text);
        kind = plan_proposal_make(&basis, options->recipes[i], &options->proposals[i], error);
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
