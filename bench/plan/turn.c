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
    struct background background;     /* the load beside it, if there is one */
    struct background_figures beside; /* after the trial; of all zero bytes without a load */
    struct trial_result *result;      /* NULL: the load beside it has ended before */
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
    if (!turn->is_kept)
        return;
    snprintf(what, sizeof what, "%s, %s", turn->search->recipe->name,
             plan_question_format(question, turn->probe.asked.size, size, sizeof size));
    const struct progress_name name = {
        turn->searches->series.targets.count > 1 ? turn->target->name : "", what, 0,
        (uint32_t)plan_question_sessions(question, turn->probe.asked.size)};
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

/* Runs the trial below the guard; its result is the caller's. */
static enum error_kind run_probe(struct turn *turn, struct error *error)
{
    struct plan_searches *searches = turn->searches;
    const struct target *target = turn->target;
    const struct background_plan load = plan_probe_background(&turn->probe);
    struct trial_host host = target_trial_host(target, searches->series.targets.signals);
    host.companions = plan_guard_sessions(&searches->guard);
    host.watch.progress = note;
    host.watch.context = turn;
    host.watch.has_company = is_allowed;
    host.watch.has_enough = has_enough;
    snprintf(turn->root, sizeof turn->root, "%s/t%04zu", target->root, searches->trials);
    turn->plan =
        plan_probe_trial(&turn->probe, turn->search->recipe, searches->options->target.driver);
    turn->plan.root = turn->root;
    turn->plan.tolerates_brief_stalls = searches->options->target.noise.mode == NOISE_OFF;
    turn->plan.fleet.servers = &target->placement;
    turn->plan.fleet.seed = searches->options->question.seed + searches->trials;
    searches->trials++;
    enum error_kind kind = plan_guard_open(&searches->guard, error);
    if (kind == ERROR_NONE)
        kind = load.rate_per_s > 0 ? background_run(&turn->background, &load, &turn->plan, &host,
                                                    &turn->beside, &turn->result, error)
                                   : trial_run(&turn->plan, &host, &turn->result, error);
    if (kind != ERROR_NONE)
        return kind;
    if (turn->result != NULL) {
        turn->rpcs = trial_memory_requests(turn->result->memory);
        turn->losses = turn->result->losses;
    }
    if (turn->plan.fleet.driver != DRIVER_SIMULATED) /* a simulation sends nothing */
        tell_guard(turn);
    turn->ended_for = plan_guard_close(&searches->guard,
                                       turn->losses + background_counts(&turn->background).losses);
    return ERROR_NONE;
}

static enum error_kind keep(struct turn *turn, struct error *error)
{
    struct plan_search *search = turn->search;
    struct series *series = &turn->searches->series;
    struct series_record *record = &series->records[search->topology];
    const struct plan_trial trial = {.probe = &turn->probe,
                                     .recipe = search->recipe,
                                     .result = turn->result,
                                     .beside = turn->beside,
                                     .cores = cores_allowed(),
                                     .server_percent = turn->searches->options->target.cpu_percent};
    struct plan_sample sample = plan_sample_take(&trial);
    if (turn->ended_for != PLAN_GUARD_NONE) {
        sample.verdict = JUDGE_BRAKED;
        snprintf(sample.reason, sizeof sample.reason, "%s", turn->searches->guard.why);
    }
    struct table_value *row = table_add(&record->rows);
    plan_row_begin(record, turn->probe.question, search->recipe, row);
    plan_row_take(&trial, &sample, search->samples.count + 1, row);
    plan_row_judge(&trial, &series->noise, &sample, row);
    if (series->noise.again) {
        series_settle(series, record);
        return ERROR_NONE;
    }
    plan_samples_add(&search->samples, &sample);
    table_write_row(&plan_row_table, row, &record->csv);
    if (turn->result != NULL)
        series_keep(series, record, turn->result->memory->fleet, turn->result->not_reconciled);
    series_settle(series, record);
    enum error_kind kind = file_set_commit(&record->files, ERROR_NONE, error);
    if (kind == ERROR_NONE)
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

struct search_forecast plan_searches_foresee(const struct plan_searches *searches)
{
    struct search_forecast left = {0};
    for (size_t i = 0; i < searches->count; i++) {
        const struct search_forecast one = search_foresee(&searches->list[i].search);
        left.short_trials += one.short_trials;
        left.long_trials += one.long_trials;
    }
    return left;
}

/* Before a trial: how many there will be, and how long they take, both estimates. */
static void show_progress(struct plan_searches *searches)
{
    const struct search_forecast left = plan_searches_foresee(searches);
    size_t kept = 0;
    for (size_t i = 0; i < searches->count; i++)
        kept += searches->list[i].samples.count;
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

static enum error_kind run_and_keep(struct turn *turn, struct error *error)
{
    struct plan_searches *searches = turn->searches;
    struct plan_experience *experience = &searches->experience[turn->probe.asked.longer];
    uint64_t began_ns = clock_now_ns();
    show_progress(searches);
    noise_watch_begin(&searches->series.noise, turn->target);
    enum error_kind kind = run_probe(turn, error);
    progress_clear(&searches->series.progress);
    if (kind != ERROR_NONE)
        return kind;
    experience->took_ns += clock_now_ns() - began_ns;
    experience->trials++;
    if (turn->ended_for == PLAN_GUARD_TIME)
        searches->cut = PLAN_CUT_BY_TIME;
    else
        kind = keep(turn, error);
    trial_result_free(turn->result);
    return kind;
}

enum error_kind plan_turn_run(struct plan_searches *searches, struct plan_search *search, bool *ran,
                              struct error *error)
{
    const struct plan_question *question = &searches->options->question;
    struct turn turn = begin(searches, search);
    struct search_probe asked;
    turn.is_kept = true;
    if (!search_next(&search->search, &asked))
        return ERROR_NONE;
    turn.probe = plan_probe_of(question, &asked);
    enum error_kind kind = ERROR_NONE;
    do {
        struct turn attempt = turn;
        if (plan_guard_is_out_of_time(&searches->guard))
            searches->cut = PLAN_CUT_BY_TIME;
        if (searches->cut == PLAN_CUT_BY_TIME)
            return ERROR_NONE;
        *ran = true;
        kind = run_and_keep(&attempt, error);
    } while (kind == ERROR_NONE && searches->series.noise.again);
    return kind;
}

enum error_kind plan_turn_warm_up(struct plan_searches *searches, struct plan_search *search,
                                  struct error *error)
{
    const struct plan_question *question = &searches->options->question;
    struct turn turn = begin(searches, search);
    turn.probe = plan_probe_of(question, &(struct search_probe){.size = question->least});
    enum error_kind kind = run_probe(&turn, error);
    trial_result_free(turn.result);
    return kind;
}
