// SPDX-License-Identifier: Apache-2.0
#include "base/cores.h"
#include "bench/plan/internal.h"

/* size of the path of a trial's root znode. */
#define ROOT_MAX 96

/* A trial under way: what its callbacks are given. */
struct turn {
    struct plan_searches *searches;
    struct plan_search *search;
    const struct target *target;
    struct search_probe asked;
    bool for_knee; /* not by the search, which has ended */
    struct plan_probe probe;
    struct background background;     /* the load beside it, if there is one */
    struct background_figures beside; /* after the trial; of all zero bytes without a load */
    bool is_shown;                    /* its progress */
    uint64_t rpcs, losses;            /* of the trial, so far */
    enum plan_guard_reason ended_for; /* by the guard; PLAN_GUARD_NONE: by itself */
};

/* ------------------------------------------------------------------ the callbacks */

static void note(void *context, const struct trial_progress *progress)
{
    struct turn *turn = context;
    const struct plan_question *question = turn->probe.question;
    char size[64], what[128];
    turn->rpcs = progress->rpcs;
    turn->losses = progress->losses;
    if (!turn->is_shown)
        return;
    snprintf(what, sizeof what, "%s, %s", turn->search->recipe->name,
             plan_question_format(question, turn->probe.size, size, sizeof size));
    const struct progress_name name = {
        turn->searches->series.targets.count > 1 ? turn->target->name : "", what, 0,
        (uint32_t)plan_question_sessions(question, turn->probe.size)};
    progress_show(&turn->searches->series.progress, &name, progress);
}

/* The guard is told of the trial's requests, and those of the load beside it. */
static void tell_guard(const struct turn *turn)
{
    const struct background_counts beside = background_counts(&turn->background);
    plan_guard_note(&turn->searches->guard, turn->rpcs + beside.sent, turn->losses + beside.losses);
}

static bool is_allowed(void *context)
{
    const struct turn *turn = context;
    tell_guard(turn);
    return plan_guard_allows(&turn->searches->guard);
}

/* Requests beside the trial count from its steady state on, until it has enough; then the load
 * sends nothing more, while the trial comes to its end. */
static bool has_enough(void *context, const struct trial_memory *memory, uint64_t elapsed_ns)
{
    struct turn *turn = context;
    bool has_load = turn->probe.load_per_s > 0;
    if (has_load && plan_probe_is_steady(memory, elapsed_ns))
        background_contend(&turn->background);
    const struct background_counts beside = background_counts(&turn->background);
    const struct plan_count count = {beside.replied, beside.over};
    bool enough = plan_probe_has_enough(&turn->probe, memory, &count, elapsed_ns);
    if (has_load && enough)
        background_settle(&turn->background);
    return enough;
}

/* ------------------------------------------------------------------ the trial */

/* Runs the trial below the guard. *result: NULL if the load beside it has ended before. */
static enum error_kind run_probe(struct turn *turn, struct trial_result **result,
                                 struct trial_plan *plan, char root[ROOT_MAX], struct error *error)
{
    struct plan_searches *searches = turn->searches;
    const struct target *target = turn->target;
    const struct background_plan load = plan_probe_background(&turn->probe);
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
    snprintf(root, ROOT_MAX, "%s/t%04zu", target->root, searches->trials);
    *plan = plan_probe_trial(&turn->probe, turn->search->recipe, searches->options->target.driver);
    plan->root = root;
    plan->fleet.servers = &target->placement;
    plan->fleet.seed = searches->options->question.seed + searches->trials;
    searches->trials++;
    enum error_kind kind = plan_guard_open(&searches->guard, error);
    if (kind == ERROR_NONE)
        kind = load.rate_per_s > 0 ? background_run(&turn->background, &load, plan, &host,
                                                    &turn->beside, result, error)
                                   : trial_run(plan, &host, result, error);
    if (kind != ERROR_NONE)
        return kind;
    if (*result != NULL) {
        turn->rpcs = trial_memory_requests((*result)->memory);
        turn->losses = (*result)->losses;
    }
    if (plan->fleet.driver != DRIVER_SIMULATED) /* a simulation sends nothing */
        tell_guard(turn);
    turn->ended_for = plan_guard_close(&searches->guard,
                                       turn->losses + background_counts(&turn->background).losses);
    return ERROR_NONE;
}

static enum error_kind keep(struct turn *turn, const struct trial_result *result,
                            struct error *error)
{
    struct plan_search *search = turn->search;
    const struct plan_machine machine = {cores_allowed(),
                                         turn->searches->options->target.cpu_percent};
    struct plan_sample sample = plan_sample_take(&turn->probe, &turn->asked, search->recipe, result,
                                                 &turn->beside, &machine);
    char why[256];
    if (plan_guard_is_harm(turn->ended_for))
        plan_sample_brake(&sample, plan_guard_describe(&turn->searches->guard, why, sizeof why));
    sample.for_knee = turn->for_knee;
    sample.step = search->samples.count + 1;
    sample.proposed = search->search.plan.proposal;
    plan_samples_add(&search->samples, &sample);
    const struct plan_context context = plan_context_of(turn->searches, search->topology);
    struct series *series = &turn->searches->series;
    struct series_record *record = &series->records[search->topology];
    struct table_value *row = table_add(&record->rows);
    plan_row_take(&sample, &context, row);
    table_write_row(&plan_row_table, row, &record->csv);
    if (result != NULL)
        series_keep(series, record, result->memory->fleet, result->not_reconciled);
    enum error_kind kind = file_set_commit(&record->files, ERROR_NONE, error);
    if (kind == ERROR_NONE && !turn->for_knee)
        search_report(&search->search, sample.verdict);
    return kind;
}

/* ------------------------------------------------------------------ the turn */

/* How long a trial takes that is long or short; 0: unknown. */
static uint64_t expected_ns(const struct plan_searches *searches, bool longer)
{
    const struct plan_experience *same = &searches->experience[longer],
                                 *other = &searches->experience[!longer];
    if (same->trials > 0)
        return same->took_ns / same->trials;
    if (other->trials == 0)
        return 0;
    uint64_t took_ns = other->took_ns / other->trials;
    return longer ? took_ns * PLAN_LONG : took_ns / PLAN_LONG;
}

/* Before a trial: how many there will be, and how long they take, both estimates. */
static void show_progress(struct plan_searches *searches)
{
    struct search_forecast left = {0};
    size_t kept = 0;
    for (size_t i = 0; i < searches->count; i++) {
        const struct search_forecast one = plan_search_foresee(searches, &searches->list[i]);
        left.short_trials += one.short_trials;
        left.long_trials += one.long_trials;
        kept += searches->list[i].samples.count;
    }
    searches->series.planned = kept + left.short_trials + left.long_trials;
    searches->series.progress.count = searches->series.planned;
    progress_begin(&searches->series.progress, kept,
                   left.short_trials * expected_ns(searches, false) +
                       left.long_trials * expected_ns(searches, true));
}

static struct turn begin(struct plan_searches *searches, struct plan_search *search)
{
    return (struct turn){.searches = searches,
                         .search = search,
                         .target = &searches->series.targets.list[search->topology]};
}

static enum error_kind run_trial(struct turn *turn, struct error *error)
{
    struct plan_searches *searches = turn->searches;
    struct plan_experience *experience = &searches->experience[turn->asked.longer];
    struct trial_result *result = NULL;
    struct trial_plan plan;
    char root[ROOT_MAX];
    uint64_t began_ns = clock_now_ns();
    show_progress(searches);
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

enum error_kind plan_turn_run(struct plan_searches *searches, struct plan_search *search, bool *ran,
                              struct error *error)
{
    const struct plan_question *question = &searches->options->question;
    struct turn turn = begin(searches, search);
    turn.is_shown = true;
    if (search_next(&search->search, &turn.asked)) {
        turn.probe = plan_probe_of(question, &turn.asked);
    } else {
        if (!plan_knee_has_trials(searches->options) ||
            !plan_knee_next(question, &search->samples, &turn.asked))
            return ERROR_NONE;
        turn.for_knee = true;
        turn.probe = plan_knee_probe(question, &turn.asked);
    }
    if (plan_guard_is_out_of_time(&searches->guard))
        searches->cut = PLAN_CUT_BY_TIME;
    if (searches->cut == PLAN_CUT_BY_TIME)
        return ERROR_NONE;
    *ran = true;
    return run_trial(&turn, error);
}

enum error_kind plan_turn_warm_up(struct plan_searches *searches, struct plan_search *search,
                                  struct error *error)
{
    const struct plan_question *question = &searches->options->question;
    const struct search_probe least = {.size = question->least};
    struct turn turn = begin(searches, search);
    struct trial_result *result = NULL;
    struct trial_plan plan;
    char root[ROOT_MAX];
    turn.probe = plan_probe_of(question, &least);
    enum error_kind kind = run_probe(&turn, &result, &plan, root, error);
    trial_result_free(result);
    return kind;
}
