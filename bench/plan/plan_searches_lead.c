// SPDX-License-Identifier: Apache-2.0
#include "bench/plan/plan_searches_lead.h"

#include "base/text.h"
#include "bench/cli/complain.h"
#include "bench/plan/plan_answers.h"
#include "bench/plan/plan_proposals.h"
#include "bench/plan/plan_turn.h"
#include "bench/target/resources.h"

#include <stdio.h>
#include <stdlib.h>

struct lead {
    struct plan_searches searches;
    struct costs_file *costs; /* of the simulation that proposes first sizes; NULL: none does */
    uint64_t sessions[2];     /* of the least and of the largest size, and the bystander's */
    struct levels clients;
    char guard_root[PLAN_SEARCHES_ROOT_MAX]; /* of the guard's bystander */
};

/* ------------------------------------------------------------------ before the first trial */

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

static enum error_kind propose(const struct lead *lead, struct error *error)
{
    const struct plan_searches *searches = &lead->searches;
    const struct targets *targets = &searches->series.targets;
    if (lead->costs == NULL)
        return ERROR_NONE;
    enum error_kind kind =
        plan_proposals_check(lead->costs, searches->options, &targets->list[0], error);
    return kind == ERROR_NONE
               ? plan_proposals_make(lead->costs, searches->options, &searches->series.progress,
                                     targets->signals, error)
               : kind;
}

static enum error_kind lay_out(void *context, struct error *error)
{
    struct lead *lead = context;
    fit_question(&lead->searches);
    tell_demand(&lead->searches);
    enum error_kind kind = propose(lead, error);
    return kind == ERROR_NONE ? plan_searches_begin(&lead->searches, error) : kind;
}

static enum error_kind open_record(void *context, size_t topology, const char *out,
                                   struct error *error)
{
    struct plan_searches *searches = &((struct lead *)context)->searches;
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

/* ------------------------------------------------------------------ the trials */

/* A turn of each search that goes on; *ran: one did. */
static enum error_kind run_round(struct plan_searches *searches, bool *ran, struct error *error)
{
    enum error_kind kind = ERROR_NONE;
    *ran = false;
    for (size_t i = 0; kind == ERROR_NONE && i < searches->count; i++)
        kind = plan_turn_run(searches, i, ran, error);
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
        kind = plan_turn_warm_up(searches, i, error);
    progress_clear(&searches->series.progress);
    while (kind == ERROR_NONE && ran)
        kind = run_round(searches, &ran, error);
    return kind == ERROR_NONE ? check_time(searches, error) : kind;
}

/* Private servers have no other users, so there is no bystander beside them. */
static enum error_kind begin_guard(struct lead *lead, struct error *error)
{
    struct plan_searches *searches = &lead->searches;
    const struct plan_options *options = searches->options;
    const struct target *target = &searches->series.targets.list[0];
    const struct load_host host = {
        .setup = target->setup,
        .servers = &target->servers,
        .ensemble = target->ensemble,
        .watch = {.interrupt_descriptor = searches->series.targets.signals}};
    enum driver driver = options->target.connect ? options->target.driver : DRIVER_SIMULATED;
    snprintf(lead->guard_root, sizeof lead->guard_root, "%s/bystander", target->root);
    if (options->target.connect)
        progress_say(&searches->series.progress, "reading from the servers before the first trial");
    enum error_kind kind =
        plan_guard_begin(&searches->guard, &options->guard, driver, &host, lead->guard_root, error);
    progress_clear(&searches->series.progress);
    return kind;
}

static enum error_kind run(void *context, struct error *error)
{
    struct plan_searches *searches = &((struct lead *)context)->searches;
    enum error_kind kind = begin_guard(context, error);
    if (kind != ERROR_NONE)
        return kind;
    kind = run_all(searches, error);
    struct error why;
    enum error_kind ended = plan_guard_end(&searches->guard, kind == ERROR_NONE ? error : &why);
    return kind == ERROR_NONE ? ended : kind;
}

/* ------------------------------------------------------------------ after the last trial */

static size_t trials_planned(const struct plan_searches *searches, size_t topology,
                             const struct error *cut_short)
{
    size_t finished = searches->records[topology].samples.count;
    if (cut_short == NULL)
        return finished;
    for (size_t i = 0; i < searches->count; i++) {
        const struct search_forecast left = plan_searches_foresee(searches, i);
        if (plan_searches_topology(searches, i) == topology)
            finished += left.short_trials + left.long_trials;
    }
    return finished;
}

static enum error_kind close_record(void *context, size_t topology, const struct error *cut_short,
                                    struct error *error)
{
    struct plan_searches *searches = &((struct lead *)context)->searches;
    size_t count = searches->options->recipe_count;
    struct plan_answer *answers = calloc(count, sizeof *answers);
    if (answers == NULL)
        return error_raise(error, ERROR_NO_MEMORY, 0, "results", "%s", "");
    if (cut_short != NULL)
        searches->cut = PLAN_CUT_SHORT;
    enum error_kind kind = plan_answers_take(searches, topology, answers, error);
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
    return ((const struct lead *)context)->searches.records[topology].samples.count;
}

static int tell(void *context, int *verdict)
{
    return plan_answers_tell(&((const struct lead *)context)->searches, verdict);
}

/* ------------------------------------------------------------------ the whole */

static void release(struct lead *lead)
{
    plan_searches_deinit(&lead->searches);
    free(lead->costs);
}

static int lead_series(struct lead *lead, int argc, char **argv)
{
    static const struct series_user user = {.lay_out = lay_out,
                                            .open_record = open_record,
                                            .run = run,
                                            .close_record = close_record,
                                            .kept = kept,
                                            .tell = tell};
    const struct plan_options *options = lead->searches.options;
    const struct plan_question *question = &options->question;
    uint64_t bystanders = options->target.connect ? options->target.servers.count : 0;
    lead->sessions[0] = plan_question_sessions(question, question->least) + bystanders;
    lead->sessions[1] = plan_question_sessions(question, question->most) + bystanders;
    lead->clients.list = lead->sessions;
    lead->clients.count = 2;
    const struct series_options of_series = {"plan",         &options->target,    &options->output,
                                             &lead->clients, question->processes, NULL};
    series_init(&lead->searches.series, &of_series, &user, lead);
    int status = series_lead(&lead->searches.series, argc, argv);
    release(lead);
    return status;
}

int plan_searches_lead(struct plan_options *options, int argc, char **argv)
{
    struct error error;
    struct lead *lead = calloc(1, sizeof *lead);
    if (lead == NULL)
        return complain(&(struct error){.kind = ERROR_NO_MEMORY, .subject = "plan"});
    lead->searches.options = options;
    int status = plan_proposals_read(options, &lead->costs, &error) == ERROR_NONE
                     ? lead_series(lead, argc, argv)
                     : complain_about("plan", &error);
    free(lead);
    return status;
}
