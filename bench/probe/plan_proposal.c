// SPDX-License-Identifier: Apache-2.0
#include "bench/probe/plan_proposal.h"

#include "bench/probe/plan_sample.h"

/* One simulated search. */
struct rehearsal {
    const struct plan_proposal_basis *basis;
    const struct recipe *recipe;
    struct connect_string servers;
    struct search search;
    struct plan_probe probe; /* of the trial that goes on */
    uint64_t ends_ns;        /* of the real clock */
};

/* ------------------------------------------------------------------ one trial */

/* A simulation runs the lock alone. */
static const struct plan_count no_samples;
static const struct background_figures no_load;

static bool is_late(const struct rehearsal *rehearsal)
{
    return clock_now_ns() >= rehearsal->ends_ns;
}

static bool has_enough(void *context, const struct trial_memory *memory, uint64_t elapsed_ns)
{
    const struct rehearsal *rehearsal = context;
    return is_late(rehearsal) ||
           plan_probe_has_enough(&rehearsal->probe, memory, &no_samples, elapsed_ns);
}

/* The seeds are always the same. */
static struct trial_plan trial_of(const struct rehearsal *rehearsal)
{
    struct trial_plan plan =
        plan_probe_trial(&rehearsal->probe, rehearsal->recipe, DRIVER_SIMULATED);
    plan.root = "/plan";
    plan.fleet.servers = &rehearsal->servers;
    plan.fleet.processes = 1;
    plan.fleet.seed = rehearsal->search.step_count + 1;
    return plan;
}

/* A trial that the time has ended was of too few samples. */
static enum error_kind report(struct rehearsal *rehearsal, const struct search_probe *asked,
                              const struct trial_result *result, struct error *error)
{
    const struct plan_machine machine = {0}; /* a simulation uses none */
    struct plan_sample sample;
    if (is_late(rehearsal))
        return ERROR_NONE;
    enum error_kind kind =
        plan_sample_take(&rehearsal->probe, asked, result, &no_load, &machine, &sample, error);
    if (kind == ERROR_NONE)
        search_report(&rehearsal->search, sample.verdict);
    return kind;
}

static enum error_kind run_trial(struct rehearsal *rehearsal, const struct search_probe *asked,
                                 struct error *error)
{
    struct trial_result *result = NULL;
    rehearsal->probe = plan_probe_of(rehearsal->basis->question, asked);
    const struct trial_plan plan = trial_of(rehearsal);
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
    kind = report(rehearsal, asked, result, error);
    trial_result_free(result);
    return kind;
}

/* ------------------------------------------------------------------ the search */

/* Fresh trials would take longer than all others together, and decide nothing here. */
static enum error_kind rehearse(struct rehearsal *rehearsal, struct error *error)
{
    enum error_kind kind = ERROR_NONE;
    struct search_probe asked;
    while (kind == ERROR_NONE && !is_late(rehearsal) && search_next(&rehearsal->search, &asked) &&
           asked.stage == SEARCH_LOCATE)
        kind = run_trial(rehearsal, &asked, error);
    return kind;
}

static struct plan_proposal propose(const struct rehearsal *rehearsal)
{
    const struct search_answer answer = search_answer(&rehearsal->search);
    if (answer.passed > 0)
        return (struct plan_proposal){answer.passed, NULL};
    if (answer.failed == rehearsal->search.plan.least)
        return (struct plan_proposal){answer.failed, NULL};
    return (struct plan_proposal){0, is_late(rehearsal) ? "the simulation takes too long"
                                                        : "its trials decide nothing"};
}

static struct search_plan plan_of(const struct plan_question *question)
{
    struct plan_question smaller = *question;
    plan_question_fit(&smaller, PLAN_PROPOSAL_SESSIONS_MOST);
    struct search_plan plan = plan_question_search(&smaller, 0);
    plan.votes = plan.fresh = 1;
    plan.look_above = false;
    return plan;
}

static void name_servers(unsigned count, struct connect_string *servers)
{
    *servers = (struct connect_string){.count = count};
    for (unsigned i = 0; i < count; i++)
        servers->endpoints[i] = (struct endpoint){.host = "simulated", .port = (uint16_t)(i + 1)};
}

/* Why the simulation has no trials for the question; NULL: it has. */
static const char *why_not(const struct plan_question *question)
{
    return plan_question_sessions(question, question->least) > PLAN_PROPOSAL_SESSIONS_MOST
               ? "the least size has more than 20,000 sessions"
               : NULL;
}

enum error_kind plan_proposal_make(const struct plan_proposal_basis *basis,
                                   const struct recipe *recipe, struct plan_proposal *proposal,
                                   struct error *error)
{
    struct rehearsal rehearsal = {
        .basis = basis, .recipe = recipe, .ends_ns = clock_now_ns() + basis->time_ns};
    const struct search_plan plan = plan_of(basis->question);
    const char *why = why_not(basis->question);
    if (why != NULL) {
        *proposal = (struct plan_proposal){0, why};
        return ERROR_NONE;
    }
    if (!search_init(&rehearsal.search, &plan))
        return error_raise(error, ERROR_NO_MEMORY, 0, "searches", "%s", "");
    name_servers(basis->simulation.servers, &rehearsal.servers);
    enum error_kind kind = rehearse(&rehearsal, error);
    if (kind == ERROR_NONE)
        *proposal = propose(&rehearsal);
    search_deinit(&rehearsal.search);
    return kind;
}
