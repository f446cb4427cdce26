// SPDX-License-Identifier: Apache-2.0
#include "bench/plan/plan_turn.h"

#include "base/clock.h"
#include "base/cores.h"
#include "bench/answer/plan_knee.h"
#include "bench/probe/plan_beside.h"

#include <stdio.h>

/* A trial under way: what its callbacks are given. */
struct turn {
    struct plan_searches *searches;
    size_t index; /* of the search */
    struct search_probe asked;
    bool for_knee; /* not by the search, which has ended */
    struct plan_probe probe;
    struct plan_beside beside;
    bool is_shown;                    /* its progress */
    uint64_t rpcs, losses;            /* of the trial, so far */
    enum plan_guard_reason ended_for; /* by the guard; PLAN_GUARD_NONE: by itself */
};

/* The servers of the search. */
static const struct target *target_of(const struct turn *turn)
{
    const struct plan_searches *searches = turn->searches;
    return &searches->series.targets.list[plan_searches_topology(searches, turn->index)];
}

/* ------------------------------------------------------------------ the callbacks */

static void show(const struct turn *turn, const struct trial_progress *progress)
{
    const struct plan_searches *searches = turn->searches;
    const struct plan_question *question = turn->probe.question;
    char size[64], what[128];
    snprintf(what, sizeof what, "%s, %s", plan_searches_recipe(searches, turn->index)->name,
             plan_question_format(question, turn->probe.size, size, sizeof size));
    const struct progress_name name = {
        searches->series.targets.count > 1 ? target_of(turn)->name : "", what, 0,
        (uint32_t)plan_question_sessions(question, turn->probe.size)};
    progress_show(&searches->series.progress, &name, progress);
}

static void note(void *context, const struct trial_progress *progress)
{
    struct turn *turn = context;
    turn->rpcs = progress->rpcs;
    turn->losses = progress->losses;
    if (turn->is_shown)
        show(turn, progress);
}

/* The guard is told of the trial's requests, and those of the load beside it. */
static void tell_guard(const struct turn *turn)
{
    plan_guard_note(&turn->searches->guard, turn->rpcs + plan_beside_sent(&turn->beside),
                    turn->losses + plan_beside_losses(&turn->beside));
}

static bool is_allowed(void *context)
{
    const struct turn *turn = context;
    tell_guard(turn);
    return plan_guard_allows(&turn->searches->guard);
}

static bool has_enough(void *context, const struct trial_memory *memory, uint64_t elapsed_ns)
{
    struct turn *turn = context;
    return plan_beside_has_enough(&turn->beside, &turn->probe, memory, elapsed_ns);
}

/* ------------------------------------------------------------------ the trial */

/* What a trial has sent and lost in all; a simulation sends nothing. result: NULL if the trial did
 * not begin. */
static void note_whole(struct turn *turn, const struct trial_plan *plan,
                       const struct trial_result *result)
{
    if (result != NULL) {
        turn->rpcs = trial_memory_requests(result->memory);
        turn->losses = result->losses;
    }
    if (plan->fleet.driver != DRIVER_SIMULATED)
        tell_guard(turn);
}

/* A trial of the turn, below the guard. *result: NULL if the load beside it has ended before. */
static enum error_kind run_guarded(struct turn *turn, const struct trial_plan *plan,
                                   struct trial_result **result, struct error *error)
{
    struct plan_searches *searches = turn->searches;
    const struct target *target = target_of(turn);
    const struct trial_host host = {
        .setup = target->setup,
        .servers = &target->servers,
        .ensemble = target->ensemble,
        .simulation = &target->simulation,
        .companions = plan_guard_sessions(&searches->guard),
        .watch = {.progress = note,
                  .context = turn,
                  .interrupt_descriptor = searches->series.targets.signals,
                  .has_company = is_allowed,
                  .has_enough = has_enough},
    };
    enum error_kind kind = plan_guard_open(&searches->guard, error);
    if (kind == ERROR_NONE)
        kind = plan_beside_run(&turn->beside, &turn->probe, plan, &host, result, error);
    if (kind != ERROR_NONE)
        return kind;
    note_whole(turn, plan, *result);
    turn->ended_for =
        plan_guard_close(&searches->guard, turn->losses + plan_beside_losses(&turn->beside));
    return ERROR_NONE;
}

static enum error_kind run_probe(struct turn *turn, struct trial_result **result,
                                 struct trial_plan *plan, char root[PLAN_SEARCHES_ROOT_MAX],
                                 struct error *error)
{
    struct plan_searches *searches = turn->searches;
    const struct target *target = target_of(turn);
    snprintf(root, PLAN_SEARCHES_ROOT_MAX, "%s/t%04zu", target->root, searches->trials);
    *plan = plan_probe_trial(&turn->probe, plan_searches_recipe(searches, turn->index),
                             searches->options->target.driver);
    plan->root = root;
    plan->fleet.servers = &target->placement;
    plan->fleet.seed = searches->options->question.seed + searches->trials;
    searches->trials++;
    return run_guarded(turn, plan, result, error);
}

static enum error_kind keep(struct turn *turn, const struct trial_result *result,
                            struct error *error)
{
    struct plan_searches *searches = turn->searches;
    struct plan_sample sample;
    const struct plan_machine machine = {cores_allowed(), searches->options->target.cpu_percent};
    enum error_kind kind = ERROR_NONE;
    if (result == NULL)
        plan_sample_miss(&turn->probe, &turn->asked, plan_searches_recipe(searches, turn->index),
                         &turn->beside.figures, &sample);
    else
        kind = plan_sample_take(&turn->probe, &turn->asked, result, &turn->beside.figures, &machine,
                                &sample, error);
    if (kind != ERROR_NONE)
        return kind;
    char why[256];
    if (plan_guard_is_harm(turn->ended_for))
        plan_sample_brake(&sample, plan_guard_describe(&searches->guard, why, sizeof why));
    sample.for_knee = turn->for_knee;
    sample.step = plan_searches_kept(searches, turn->index) + 1;
    sample.proposed = searches->list[turn->index].plan.proposal;
    kind = plan_record_add(&searches->records[plan_searches_topology(searches, turn->index)],
                           &sample, result, error);
    if (kind == ERROR_NONE && !turn->for_knee)
        search_report(&searches->list[turn->index], sample.verdict);
    return kind;
}

/* ------------------------------------------------------------------ the turn */

/* The trial that a search asks for, or, when the search has ended, its knee; false: none. */
static bool take_turn(struct plan_searches *searches, size_t index, struct turn *turn)
{
    const struct plan_question *question = &searches->options->question;
    *turn = (struct turn){.searches = searches, .index = index, .is_shown = true};
    if (search_next(&searches->list[index], &turn->asked)) {
        turn->probe = plan_probe_of(question, &turn->asked);
        return true;
    }
    turn->for_knee = plan_knee_has_trials(searches->options) &&
                     plan_knee_next(question, plan_searches_samples(searches, index),
                                    plan_searches_recipe(searches, index), &turn->asked);
    if (turn->for_knee)
        turn->probe = plan_knee_probe(question, &turn->asked);
    return turn->for_knee;
}

static enum error_kind run_trial(struct turn *turn, struct error *error)
{
    struct plan_searches *searches = turn->searches;
    struct plan_experience *experience = &searches->experience[turn->asked.longer];
    struct trial_result *result = NULL;
    struct trial_plan plan;
    char root[PLAN_SEARCHES_ROOT_MAX];
    uint64_t began_ns = clock_now_ns();
    plan_searches_progress(searches);
    enum error_kind kind = run_probe(turn, &result, &plan, root, error);
    progress_clear(&searches->series.progress);
    if (kind != ERROR_NONE)
        return kind;
    experience->took_ns += clock_now_ns() - began_ns;
    experience->trials++;
    if (turn->ended_for == PLAN_GUARD_TIME)
        searches->cut = PLAN_CUT_BY_TIME;
    else
        kind = keep(turn, result, error);
    trial_result_free(result);
    return kind;
}

static bool is_out_of_time(struct plan_searches *searches)
{
    if (plan_guard_is_out_of_time(&searches->guard))
        searches->cut = PLAN_CUT_BY_TIME;
    return searches->cut == PLAN_CUT_BY_TIME;
}

enum error_kind plan_turn_run(struct plan_searches *searches, size_t index, bool *ran,
                              struct error *error)
{
    struct turn turn;
    if (!take_turn(searches, index, &turn) || is_out_of_time(searches))
        return ERROR_NONE;
    *ran = true;
    return run_trial(&turn, error);
}

enum error_kind plan_turn_warm_up(struct plan_searches *searches, size_t index, struct error *error)
{
    const struct plan_question *question = &searches->options->question;
    const struct search_probe least = {.size = question->least};
    struct turn turn = {
        .searches = searches, .index = index, .probe = plan_probe_of(question, &least)};
    struct trial_result *result = NULL;
    struct trial_plan plan;
    char root[PLAN_SEARCHES_ROOT_MAX];
    enum error_kind kind = run_probe(&turn, &result, &plan, root, error);
    trial_result_free(result);
    return kind;
}
