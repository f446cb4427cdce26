// SPDX-License-Identifier: Apache-2.0
#include "bench/plan/plan_searches.h"

#include "base/clock.h"
#include "base/cores.h"
#include "base/text.h"
#include "bench/cli/complain.h"
#include "bench/output/series.h"
#include "bench/plan/plan_beside.h"
#include "bench/plan/plan_knee.h"
#include "bench/plan/plan_proposals.h"
#include "bench/plan/plan_record.h"
#include "bench/plan/plan_table.h"
#include "bench/target/resources.h"

#include <stdio.h>
#include <stdlib.h>

/* The root znode and a trial's name below it. */
#define TRIAL_ROOT_MAX 96

/* How long the finished trials of one length took, from the first znode to the last. */
struct experience {
    uint64_t took_ns;
    size_t trials;
};

struct plan_searches {
    struct plan_options *options;
    struct costs_file *costs; /* of the simulation that proposes first sizes; NULL: none does */
    struct series series;
    uint64_t sessions[2]; /* of the least and of the largest size, and the bystander's */
    struct client_counts clients;
    struct plan_record records[OPTIONS_TOPOLOGIES_MAX];
    struct search *list; /* of each topology, those of all recipes */
    size_t count;
    size_t trials; /* begun, warm-ups included: no two have the same root */
    struct plan_guard guard;
    char guard_root[TRIAL_ROOT_MAX]; /* of its bystander */
    enum plan_cut cut;
    struct experience experience[2]; /* of short trials, of long ones */
};

/* ------------------------------------------------------------------ the searches */

static size_t topology_of(const struct plan_searches *searches, size_t index)
{
    return index / searches->options->recipe_count;
}

static const struct recipe *recipe_of(const struct plan_searches *searches, size_t index)
{
    return searches->options->recipes[index % searches->options->recipe_count];
}

/* Among them are those of other recipes. */
static const struct plan_samples *samples_of(const struct plan_searches *searches, size_t index)
{
    return &searches->records[topology_of(searches, index)].samples;
}

static struct search_answer answer_of(const struct plan_searches *searches, size_t index)
{
    return search_answer(&searches->list[index]);
}

static enum error_kind begin_searches(struct plan_searches *searches, struct error *error)
{
    const struct plan_options *options = searches->options;
    size_t count = options->target.topology_count * options->recipe_count;
    searches->list = calloc(count, sizeof *searches->list);
    while (searches->list != NULL && searches->count < count) {
        size_t recipe = searches->count % options->recipe_count;
        const struct search_plan plan =
            plan_question_search(&options->question, options->proposals[recipe].size);
        if (!search_init(&searches->list[searches->count], &plan))
            break;
        searches->count++;
    }
    return searches->count == count ? ERROR_NONE
                                    : error_raise(error, ERROR_NO_MEMORY, 0, "searches", "%s", "");
}

/* ------------------------------------------------------------------ what remains */

/* How long a trial takes that is long or short; 0: unknown. */
static uint64_t expected_ns(const struct plan_searches *searches, bool longer)
{
    const struct experience *same = &searches->experience[longer],
                            *other = &searches->experience[!longer];
    if (same->trials > 0)
        return same->took_ns / same->trials;
    if (other->trials == 0)
        return 0;
    uint64_t took_ns = other->took_ns / other->trials;
    return longer ? took_ns * PLAN_LONG : took_ns / PLAN_LONG;
}

/* The trials that a search has kept. */
static size_t count_kept(const struct plan_searches *searches, size_t index)
{
    const struct plan_samples *samples = samples_of(searches, index);
    size_t count = 0;
    for (size_t i = 0; i < samples->count; i++)
        count += samples->list[i].recipe == recipe_of(searches, index);
    return count;
}

/* What a search has still to do, the trials for its knee included; without memory nothing is known.
 */
static struct search_forecast foresee(const struct plan_searches *searches, size_t index)
{
    struct search_forecast left, knee = {0};
    if (!search_foresee(&searches->list[index], &left))
        return (struct search_forecast){0};
    if (plan_knee_has_trials(searches->options))
        knee = plan_knee_missing(&searches->options->question, samples_of(searches, index),
                                 recipe_of(searches, index));
    left.short_trials += knee.short_trials;
    left.long_trials += knee.long_trials;
    return left;
}

/* The number of trials is an estimate, as is the time. */
static void begin_progress(struct plan_searches *searches)
{
    struct search_forecast left = {0};
    size_t kept = 0;
    for (size_t i = 0; i < searches->count; i++) {
        const struct search_forecast one = foresee(searches, i);
        left.short_trials += one.short_trials;
        left.long_trials += one.long_trials;
        kept += count_kept(searches, i);
    }
    searches->series.planned = kept + left.short_trials + left.long_trials;
    searches->series.progress.count = searches->series.planned;
    progress_begin(&searches->series.progress, kept,
                   left.short_trials * expected_ns(searches, false) +
                       left.long_trials * expected_ns(searches, true));
}

/* ------------------------------------------------------------------ one trial */

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

static void show(const struct turn *turn, const struct trial_progress *progress)
{
    const struct plan_searches *searches = turn->searches;
    const struct plan_question *question = turn->probe.question;
    char size[64], what[128];
    snprintf(what, sizeof what, "%s, %s", recipe_of(searches, turn->index)->name,
             plan_question_format(question, turn->probe.size, size, sizeof size));
    const struct targets *targets = &searches->series.targets;
    const struct progress_name name = {
        targets->count > 1 ? targets->list[topology_of(searches, turn->index)].name : "", what, 0,
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
    const struct target *target =
        &searches->series.targets.list[topology_of(searches, turn->index)];
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
                                 struct trial_plan *plan, char root[TRIAL_ROOT_MAX],
                                 struct error *error)
{
    struct plan_searches *searches = turn->searches;
    const struct target *target =
        &searches->series.targets.list[topology_of(searches, turn->index)];
    snprintf(root, TRIAL_ROOT_MAX, "%s/t%04zu", target->root, searches->trials);
    *plan = plan_probe_trial(&turn->probe, recipe_of(searches, turn->index),
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
        plan_sample_miss(&turn->probe, &turn->asked, recipe_of(searches, turn->index),
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
    sample.step = count_kept(searches, turn->index) + 1;
    sample.proposed = searches->list[turn->index].plan.proposal;
    kind = plan_record_add(&searches->records[topology_of(searches, turn->index)], &sample, result,
                           error);
    if (kind == ERROR_NONE && !turn->for_knee)
        search_report(&searches->list[turn->index], sample.verdict);
    return kind;
}

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
                     plan_knee_next(question, samples_of(searches, index),
                                    recipe_of(searches, index), &turn->asked);
    if (turn->for_knee)
        turn->probe = plan_knee_probe(question, &turn->asked);
    return turn->for_knee;
}

static enum error_kind run_trial(struct turn *turn, struct error *error)
{
    struct plan_searches *searches = turn->searches;
    struct experience *experience = &searches->experience[turn->asked.longer];
    struct trial_result *result = NULL;
    struct trial_plan plan;
    char root[TRIAL_ROOT_MAX];
    uint64_t began_ns = clock_now_ns();
    begin_progress(searches);
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

/* A discarded trial of the least size: a JVM's first requests are slow. */
static enum error_kind warm_up(struct plan_searches *searches, size_t index, struct error *error)
{
    const struct plan_question *question = &searches->options->question;
    const struct search_probe least = {.size = question->least};
    struct turn turn = {
        .searches = searches, .index = index, .probe = plan_probe_of(question, &least)};
    struct trial_result *result = NULL;
    struct trial_plan plan;
    char root[TRIAL_ROOT_MAX];
    enum error_kind kind = run_probe(&turn, &result, &plan, root, error);
    trial_result_free(result);
    return kind;
}

/* ------------------------------------------------------------------ what the series asks for */

/* The bystander's session on each server takes one of the connections that are allowed. */
static uint64_t sessions_allowed(const struct target *target)
{
    uint64_t sessions = target->capacity.sessions, taken = target->servers.count;
    return sessions == UINT64_MAX ? sessions : sessions > taken ? sessions - taken : 0;
}

/* "" without --background. */
static void describe_background(const struct plan_question *question, char *text, size_t size)
{
    char rate[32];
    uint64_t per_s = plan_question_rate(question, question->most);
    text[0] = '\0';
    if (per_s > 0)
        snprintf(text, size,
                 ", and beside them the load of --background: %d sessions, %s%s a second",
                 BACKGROUND_SESSIONS, question->unknown == PLAN_RATE ? "at most " : "",
                 text_format_count(per_s, rate, sizeof rate));
}

/* On servers that are somebody's. */
static void tell_demand(const struct plan_searches *searches)
{
    const struct plan_question *question = &searches->options->question;
    char where[CONNECT_TEXT_SIZE], sessions[32], beside[128];
    describe_background(question, beside, sizeof beside);
    if (series_tells_demand(&searches->series))
        complain_mildly(
            "on %s: at most %s sessions at a time, each of which sends its next request as soon as "
            "it may%s; others who use these servers will notice; --dry-run says more",
            connect_typed(&searches->series.targets.list[0].placement, where, sizeof where),
            text_format_count(plan_question_sessions(question, question->most), sessions,
                              sizeof sessions),
            beside);
}

/* Lowers the largest size to what the servers allow. What the series says of the numbers of clients
 * that it has left out is no help here: they are only the two ends of the range. */
static void fit_question(struct plan_searches *searches)
{
    struct series *series = &searches->series;
    struct plan_question *question = &searches->options->question;
    const struct target *target = &series->targets.list[0];
    uint64_t asked = question->most;
    char most[64];
    series->left_out[0] = '\0';
    plan_question_fit(question, sessions_allowed(target));
    if (question->most < asked)
        snprintf(
            series->left_out, sizeof series->left_out,
            "no more than %s are tried: %.200s takes %llu connections from this host at a time "
            "(maxClientCnxns), %llu of them for zkherd's own use; set maxClientCnxns=0 in the "
            "server's zoo.cfg, or use more servers of its ensemble",
            plan_question_format(question, question->most, most, sizeof most),
            target->capacity.server, (unsigned long long)target->capacity.room,
            (unsigned long long)target->capacity.reserved + 1);
}

static enum error_kind propose(struct plan_searches *searches, struct error *error)
{
    const struct targets *targets = &searches->series.targets;
    if (searches->costs == NULL)
        return ERROR_NONE;
    enum error_kind kind =
        plan_proposals_check(searches->costs, searches->options, &targets->list[0], error);
    return kind == ERROR_NONE
               ? plan_proposals_make(searches->costs, searches->options, &searches->series.progress,
                                     targets->signals, error)
               : kind;
}

static enum error_kind lay_out(void *context, struct error *error)
{
    struct plan_searches *searches = context;
    fit_question(searches);
    tell_demand(searches);
    enum error_kind kind = propose(searches, error);
    return kind == ERROR_NONE ? begin_searches(searches, error) : kind;
}

static enum error_kind open_record(void *context, size_t topology, const char *out,
                                   struct error *error)
{
    struct plan_searches *searches = context;
    const struct series *series = &searches->series;
    const struct target *target = &series->targets.list[topology];
    struct plan_record *record = &searches->records[topology];
    enum error_kind kind =
        plan_record_open(record, searches->options, target, out, series->argc, series->argv, error);
    if (kind != ERROR_NONE)
        return kind;
    const char *warning = resources_warning(&searches->options->target, target->servers.count);
    if (series->left_out[0] != '\0')
        plan_record_warn(record, series->left_out);
    if (warning != NULL)
        plan_record_warn(record, warning);
    return ERROR_NONE;
}

static bool is_out_of_time(struct plan_searches *searches)
{
    if (plan_guard_is_out_of_time(&searches->guard))
        searches->cut = PLAN_CUT_BY_TIME;
    return searches->cut == PLAN_CUT_BY_TIME;
}

/* A turn of each search that goes on; *ran: one did. */
static enum error_kind run_round(struct plan_searches *searches, bool *ran, struct error *error)
{
    enum error_kind kind = ERROR_NONE;
    *ran = false;
    for (size_t i = 0; kind == ERROR_NONE && i < searches->count; i++) {
        struct turn turn;
        if (!take_turn(searches, i, &turn) || is_out_of_time(searches))
            continue;
        *ran = true;
        kind = run_trial(&turn, error);
    }
    return kind;
}

/* Without any trial there is nothing to tell, not even an answer that is cut short. */
static enum error_kind check_time(const struct plan_searches *searches, struct error *error)
{
    size_t kept = 0;
    char most[32];
    for (size_t i = 0; i < searches->count; i++)
        kept += searches->list[i].step_count;
    if (kept > 0 || searches->cut != PLAN_CUT_BY_TIME)
        return ERROR_NONE;
    text_format_duration(searches->options->guard.max_time_ns, most, sizeof most);
    return error_raise(error, ERROR_NOT_VALID, 0, "--max-time",
                       "the %s were up before the first trial had ended: give more", most);
}

static enum error_kind run_all(struct plan_searches *searches, struct error *error)
{
    enum error_kind kind = ERROR_NONE;
    bool ran = true;
    progress_say(&searches->series.progress, "warming up");
    for (size_t i = 0; kind == ERROR_NONE && i < searches->count; i++)
        kind = warm_up(searches, i, error);
    progress_clear(&searches->series.progress);
    while (kind == ERROR_NONE && ran)
        kind = run_round(searches, &ran, error);
    return kind == ERROR_NONE ? check_time(searches, error) : kind;
}

/* Private servers have no other users, so there is no bystander beside them. */
static enum error_kind begin_guard(struct plan_searches *searches, struct error *error)
{
    const struct plan_options *options = searches->options;
    const struct target *target = &searches->series.targets.list[0];
    const struct load_host host = {
        .setup = target->setup,
        .servers = &target->servers,
        .ensemble = target->ensemble,
        .watch = {.interrupt_descriptor = searches->series.targets.signals}};
    enum driver driver = options->target.connect ? options->target.driver : DRIVER_SIMULATED;
    snprintf(searches->guard_root, sizeof searches->guard_root, "%s/bystander", target->root);
    if (options->target.connect)
        progress_say(&searches->series.progress, "reading from the servers before the first trial");
    enum error_kind kind = plan_guard_begin(&searches->guard, &options->guard, driver, &host,
                                            searches->guard_root, error);
    progress_clear(&searches->series.progress);
    return kind;
}

static enum error_kind run(void *context, struct error *error)
{
    struct plan_searches *searches = context;
    enum error_kind kind = begin_guard(searches, error);
    if (kind != ERROR_NONE)
        return kind;
    kind = run_all(searches, error);
    struct error why;
    enum error_kind ended = plan_guard_end(&searches->guard, kind == ERROR_NONE ? error : &why);
    return kind == ERROR_NONE ? ended : kind;
}

/* The answers of a topology's searches, an entry for each recipe. */
static enum error_kind take_answers(const struct plan_searches *searches, size_t topology,
                                    struct plan_answer *answers, struct error *error)
{
    enum error_kind kind = ERROR_NONE;
    size_t count = searches->options->recipe_count;
    for (size_t i = 0; kind == ERROR_NONE && i < count; i++) {
        kind = plan_answer_take(&searches->options->question, &searches->list[topology * count + i],
                                searches->options->recipes[i], &searches->records[topology].samples,
                                &answers[i], error);
        answers[i].cut = searches->cut;
    }
    return kind;
}

static size_t trials_planned(const struct plan_searches *searches, size_t topology,
                             const struct error *cut_short)
{
    size_t finished = searches->records[topology].samples.count;
    if (cut_short == NULL)
        return finished;
    for (size_t i = 0; i < searches->count; i++) {
        const struct search_forecast left = foresee(searches, i);
        if (topology_of(searches, i) == topology)
            finished += left.short_trials + left.long_trials;
    }
    return finished;
}

static enum error_kind close_record(void *context, size_t topology, const struct error *cut_short,
                                    struct error *error)
{
    struct plan_searches *searches = context;
    size_t count = searches->options->recipe_count;
    struct plan_answer *answers = calloc(count, sizeof *answers);
    if (answers == NULL)
        return error_raise(error, ERROR_NO_MEMORY, 0, "results", "%s", "");
    if (cut_short != NULL)
        searches->cut = PLAN_CUT_SHORT;
    enum error_kind kind = take_answers(searches, topology, answers, error);
    const struct plan_record_end end = {answers, count,
                                        trials_planned(searches, topology, cut_short), cut_short,
                                        searches->series.targets.signals};
    struct error why;
    enum error_kind closed =
        plan_record_close(&searches->records[topology], &end, kind == ERROR_NONE ? error : &why);
    free(answers);
    return kind == ERROR_NONE ? closed : kind;
}

static size_t kept(const void *context, size_t topology)
{
    return ((const struct plan_searches *)context)->records[topology].samples.count;
}

/* ------------------------------------------------------------------ the answers */

static enum error_kind gather(const struct plan_searches *searches, struct plan_answer *answers,
                              struct plan_told *told, struct error *error)
{
    enum error_kind kind = ERROR_NONE;
    for (size_t i = 0; kind == ERROR_NONE && i < searches->series.record_count; i++)
        kind = take_answers(searches, i, &answers[i * searches->options->recipe_count], error);
    for (size_t i = 0; kind == ERROR_NONE && i < searches->count; i++)
        told[i] =
            (struct plan_told){searches->records[topology_of(searches, i)].target, answers[i]};
    return kind;
}

static enum error_kind write_answers(const struct plan_searches *searches, struct error *error)
{
    struct plan_answer *answers = calloc(searches->count + 1, sizeof *answers);
    struct plan_told *told = calloc(searches->count + 1, sizeof *told);
    enum error_kind kind = answers != NULL && told != NULL
                               ? gather(searches, answers, told, error)
                               : error_raise(error, ERROR_NO_MEMORY, 0, "results", "%s", "");
    if (kind == ERROR_NONE)
        kind = plan_table_write(&searches->options->question, told, searches->count,
                                searches->series.record_count > 1, stdout, error);
    if (kind == ERROR_NONE)
        plan_proposals_write(searches->options, stdout);
    for (size_t i = 0; kind == ERROR_NONE && i < searches->series.record_count; i++)
        printf("%sresults in %s\n", i == 0 ? "\n" : "", searches->records[i].set.folder);
    free(answers);
    free(told);
    return kind;
}

static bool is_answered(const struct search_answer *answer)
{
    return answer->reason != SEARCH_BUDGET && answer->reason != SEARCH_UNDETERMINED;
}

static int tell(void *context, int *verdict)
{
    const struct plan_searches *searches = context;
    struct error error;
    int status = 0;
    for (size_t i = 0; i < searches->count; i++) {
        const struct search_answer answer = answer_of(searches, i);
        if (!is_answered(&answer))
            *verdict = 4;
    }
    if (!searches->options->output.quiet && write_answers(searches, &error) != ERROR_NONE)
        status = complain(&error);
    for (size_t i = 0; i < searches->series.record_count; i++) {
        if (plan_record_complain(&searches->records[i]))
            *verdict = 1;
    }
    return status;
}

/* ------------------------------------------------------------------ the whole */

static void release(struct plan_searches *searches)
{
    for (size_t i = 0; i < OPTIONS_TOPOLOGIES_MAX; i++)
        plan_record_free(&searches->records[i]);
    for (size_t i = 0; i < searches->count; i++)
        search_deinit(&searches->list[i]);
    free(searches->list);
    free(searches->costs);
    series_deinit(&searches->series);
}

static int lead(struct plan_searches *searches, int argc, char **argv)
{
    static const struct series_user user = {.lay_out = lay_out,
                                            .open_record = open_record,
                                            .run = run,
                                            .close_record = close_record,
                                            .kept = kept,
                                            .tell = tell};
    const struct plan_options *options = searches->options;
    const struct plan_question *question = &options->question;
    uint64_t bystanders = options->target.connect ? options->target.servers.count : 0;
    searches->sessions[0] = plan_question_sessions(question, question->least) + bystanders;
    searches->sessions[1] = plan_question_sessions(question, question->most) + bystanders;
    searches->clients.list = searches->sessions;
    searches->clients.count = 2;
    const struct series_options of_series = {
        "plan", &options->target, &options->output, &searches->clients, question->processes, NULL};
    series_init(&searches->series, &of_series, &user, searches);
    int status = series_lead(&searches->series, argc, argv);
    release(searches);
    return status;
}

int plan_searches_lead(struct plan_options *options, int argc, char **argv)
{
    struct error error;
    struct plan_searches *searches = calloc(1, sizeof *searches);
    if (searches == NULL)
        return complain(&(struct error){.kind = ERROR_NO_MEMORY, .subject = "plan"});
    searches->options = options;
    int status = plan_proposals_read(options, &searches->costs, &error) == ERROR_NONE
                     ? lead(searches, argc, argv)
                     : complain_about("plan", &error);
    free(searches);
    return status;
}
