// SPDX-License-Identifier: Apache-2.0
#include "base/cores.h"
#include "bench/plan/internal.h"

/* A trial, which its callbacks are given. */
struct turn {
    struct plan_searches *searches;
    struct plan_search *search;
    const struct target *target;
    bool is_kept; /* else it is to warm up, and its progress is not shown */
    struct plan_probe probe;
    char root[96];
    struct trial_plan plan;
    struct background background; /* the load beside it, if there is one */
    struct plan_trial trial;
    uint64_t rpcs, losses; /* of the trial, so far */
};

/* ------------------------------------------------------------------ the callbacks */

static void show_trial(void *context, const struct trial_progress *progress)
{
    struct turn *turn = context;
    const struct plan_question *question = turn->probe.question;
    char size[64], what[128];
    turn->rpcs = progress->rpcs;
    turn->losses = progress->losses;
    if (!turn->is_kept)
        return;
    snprintf(what, sizeof what, "%s, %s", turn->search->recipe->name,
             plan_question_format(question, turn->probe.asked.size, size, sizeof size));
    const struct progress_name name = {turn->searches->series.targets.count > 1 ? turn->target->name
                                                                                : "",
                                       what, 0, turn->plan.fleet.sessions};
    progress_show(&turn->searches->series.progress, &name, progress);
}

/* The guard counts the trial's requests, and those of the load beside it. */
static void note_requests(const struct turn *turn)
{
    const struct background_counts beside = background_counts(&turn->background);
    plan_guard_note(&turn->searches->guard, turn->rpcs + beside.sent, turn->losses + beside.losses);
}

static bool is_allowed(void *context)
{
    const struct turn *turn = context;
    note_requests(turn);
    return plan_guard_allows(&turn->searches->guard);
}

/* Requests beside the trial count from its steady state on, until it has enough; then the load
 * sends nothing more, while the trial comes to its end. */
static bool has_enough(void *context, const struct trial_memory *memory, uint64_t elapsed_ns)
{
    struct turn *turn = context;
    bool has_load = turn->probe.question->background.rate_per_s > 0;
    if (has_load && plan_probe_is_steady(memory, elapsed_ns))
        load_background_begin_contention(turn->background.load);
    const struct background_counts beside = background_counts(&turn->background);
    const struct plan_count count = {beside.replied, beside.over};
    bool enough = plan_probe_has_enough(&turn->probe, memory, &count, elapsed_ns);
    if (has_load && enough)
        load_background_end_contention(turn->background.load);
    return enough;
}

/* ------------------------------------------------------------------ the trial */

/* Plans a trial in a root of its own. */
static void plan_turn(struct turn *turn, const struct search_probe *asked)
{
    struct plan_searches *searches = turn->searches;
    const struct target_options *options = &searches->options->target;
    turn->target = &searches->series.targets.list[turn->search->topology];
    turn->probe = plan_probe_of(&searches->options->question, asked);
    snprintf(turn->root, sizeof turn->root, "%s/t%04zu", turn->target->root, searches->trials);
    turn->plan = plan_probe_trial(&turn->probe, turn->search->recipe, options->driver);
    turn->plan.root = turn->root;
    turn->plan.tolerates_brief_stalls = options->noise.mode == NOISE_OFF;
    turn->plan.fleet.servers = &turn->target->placement;
    turn->plan.fleet.seed = searches->options->question.seed + searches->trials;
    turn->trial = (struct plan_trial){.probe = &turn->probe,
                                      .recipe = turn->search->recipe,
                                      .step = turn->search->search.step_count + 1,
                                      .cores = cores_allowed(),
                                      .server_percent = options->cpu_percent};
    searches->trials++;
}

/* Runs the planned trial below the guard; its result is the caller's. *ended_for: why the guard has
 * ended it. */
static enum error_kind run_probe(struct turn *turn, enum plan_guard_reason *ended_for,
                                 struct error *error)
{
    struct plan_guard *guard = &turn->searches->guard;
    struct plan_trial *trial = &turn->trial;
    const struct background_plan load = plan_probe_background(&turn->probe);
    struct fleet_host host = target_host(turn->target, turn->searches->series.targets.signals);
    const struct trial_watch watch = {
        .progress = show_trial, .has_enough = has_enough, .context = turn};
    host.companions = plan_guard_sessions(guard);
    host.has_company = is_allowed;
    host.company = turn;
    enum error_kind kind = plan_guard_open(guard, error);
    if (kind == ERROR_NONE)
        kind = load.rate_per_s > 0 ? background_run(&turn->background, &load, &turn->plan, &host,
                                                    &watch, &trial->beside, &trial->result, error)
                                   : trial_run(&turn->plan, &host, &watch, &trial->result, error);
    if (kind != ERROR_NONE)
        return kind;
    if (trial->result != NULL) {
        turn->rpcs = trial_memory_requests(trial->result->memory);
        turn->losses = trial->result->losses;
    }
    if (turn->plan.fleet.driver != DRIVER_SIMULATED) /* a simulation sends nothing */
        note_requests(turn);
    *ended_for =
        plan_guard_close(guard, turn->losses + background_counts(&turn->background).losses);
    trial->braked = *ended_for != PLAN_GUARD_NONE ? guard->why : NULL;
    return ERROR_NONE;
}

/* Keeps the trial, unless it is to be made again, and reports it to its search. */
static enum error_kind keep(struct turn *turn, struct error *error)
{
    struct series *series = &turn->searches->series;
    struct series_record *record = &series->records[turn->search->topology];
    const struct trial_result *result = turn->trial.result;
    struct table_value *row = table_add(&record->rows);
    enum judge_verdict verdict = plan_row_fill(record, &series->noise, &turn->trial, row);
    if (noise_watch_lasts(&series->noise))
        turn->searches->cut = PLAN_CUT_BY_NOISE;
    if (!series_keeps(series, record, result != NULL ? result->memory->fleet : NULL,
                      result != NULL ? result->reconcile.why : ""))
        return ERROR_NONE;
    table_write_row(&plan_row_table, row, &record->csv);
    enum error_kind kind = file_set_commit(&record->files, error);
    if (kind == ERROR_NONE)
        search_report(&turn->search->search, verdict);
    return kind;
}

/* ------------------------------------------------------------------ the turn */

void plan_turn_learn(struct plan_searches *searches, bool longer, uint64_t took_ns)
{
    searches->took_ns += took_ns;
    searches->took_short += longer ? PLAN_LONG : 1;
}

size_t plan_turn_foresee(const struct plan_searches *searches, uint64_t *left_ns)
{
    size_t trials = 0, as_short = 0;
    for (size_t i = 0; i < searches->count; i++) {
        const struct search_forecast left = search_foresee(&searches->list[i].search);
        trials += left.short_trials + left.long_trials;
        as_short += left.short_trials + PLAN_LONG * left.long_trials;
    }
    *left_ns = searches->took_short > 0 ? searches->took_ns / searches->took_short * as_short : 0;
    return trials;
}

/* Before a trial: how many there will be, and how long they take. */
static void show_forecast(struct plan_searches *searches)
{
    struct series *series = &searches->series;
    uint64_t left_ns;
    size_t kept = 0, left = plan_turn_foresee(searches, &left_ns);
    for (size_t i = 0; i < searches->count; i++)
        kept += searches->list[i].search.step_count;
    series->planned = series->progress.count = kept + left;
    progress_begin(&series->progress, kept, left_ns);
}

/* Runs an attempt at a trial. One that --max-time has ended is not kept. */
static enum error_kind run_attempt(struct turn *turn, const struct search_probe *asked,
                                   struct error *error)
{
    struct plan_searches *searches = turn->searches;
    enum plan_guard_reason ended_for = PLAN_GUARD_NONE;
    uint64_t began_ns = clock_now_ns();
    plan_turn(turn, asked);
    show_forecast(searches);
    noise_watch_begin(&searches->series.noise, turn->target);
    enum error_kind kind = run_probe(turn, &ended_for, error);
    progress_clear(&searches->series.progress);
    if (kind != ERROR_NONE)
        return kind;
    uint64_t took_ns = clock_now_ns() - began_ns;
    plan_turn_learn(searches, asked->longer, took_ns);
    turn->search->took_ns = asked->longer ? took_ns / PLAN_LONG : took_ns;
    if (ended_for == PLAN_GUARD_TIME)
        searches->cut = PLAN_CUT_BY_TIME;
    else
        kind = keep(turn, error);
    trial_result_free(turn->trial.result);
    return kind;
}

/* The time that fresh trials of all searches take at both ends, if they are as long as the last
 * ones. */
static uint64_t foresee_fresh_ns(const struct plan_searches *searches)
{
    uint64_t sum_ns = 0;
    struct search_probe probe;
    for (size_t i = 0; i < searches->count; i++) {
        const struct plan_search *one = &searches->list[i];
        uint32_t votes = one->search.plan.fresh;
        if (search_next(&one->search, &probe))
            sum_ns += one->took_ns * (votes + votes / 2 + 1);
    }
    return sum_ns;
}

enum error_kind plan_turn_run(struct plan_searches *searches, struct plan_search *search, bool *ran,
                              struct error *error)
{
    struct search_probe asked;
    enum error_kind kind = ERROR_NONE;
    if (plan_guard_is_late(&searches->guard, foresee_fresh_ns(searches)))
        search_settle(&search->search);
    if (!search_next(&search->search, &asked))
        return ERROR_NONE;
    do {
        struct turn turn = {.searches = searches, .search = search, .is_kept = true};
        if (searches->cut == PLAN_CUT_NOT && plan_guard_is_out_of_time(&searches->guard))
            searches->cut = PLAN_CUT_BY_TIME;
        if (searches->cut != PLAN_CUT_NOT)
            return ERROR_NONE;
        *ran = true;
        kind = run_attempt(&turn, &asked, error);
    } while (kind == ERROR_NONE && searches->series.noise.again);
    return kind;
}

enum error_kind plan_turn_warm_up(struct plan_searches *searches, struct plan_search *search,
                                  struct error *error)
{
    const struct search_probe asked = {.size = searches->options->question.least};
    struct turn turn = {.searches = searches, .search = search};
    enum plan_guard_reason ended_for = PLAN_GUARD_NONE;
    plan_turn(&turn, &asked);
    enum error_kind kind = run_probe(&turn, &ended_for, error);
    trial_result_free(turn.trial.result);
    return kind;
}
