// SPDX-License-Identifier: Apache-2.0
#include "base/memory.h"
#include "base/text.h"
#include "bench/cli/complain.h"
#include "bench/cli/rows.h"
#include "bench/output/json_result.h"
#include "bench/output/manifest.h"
#include "bench/output/verdict.h"
#include "bench/page/page.h"
#include "bench/plan/internal.h"

#include <stdlib.h>

/* ------------------------------------------------------------------ the manifest's plan */

static json_t *number_or_null(uint64_t number, uint64_t none)
{
    return number == none ? json_null() : json_integer((json_int_t)number);
}

/* The object "plan" of the manifest. */
static json_t *describe_plan(const void *context)
{
    const struct plan_options *options = ((const struct plan_searches *)context)->options;
    const struct plan_question *question = &options->question;
    char objective[OBJECTIVE_TEXT_SIZE], background[ROWS_BACKGROUND_TEXT_SIZE];
    json_t *recipes = json_array();
    for (size_t i = 0; i < options->recipe_count; i++)
        json_array_append_new(recipes, json_string(options->recipes[i]->name));
    rows_background_format(&question->background, background, sizeof background);
    return json_pack(
        "{s:s, s:s, s:o, s:I, s:I, s:I, s:o, s:o, s:I, s:I, s:o, s:o, s:I, s:b, s:I, s:o, s:o, "
        "s:o, s:o, s:o, s:s, s:I, s:I, s:s, s:o}",
        "objective", objective_format(&question->objective, objective, sizeof objective), "unknown",
        plan_question_unknowns[question->unknown], "recipes", recipes, "at_least",
        (json_int_t)question->least, "at_most", (json_int_t)question->most, "resolution_percent",
        (json_int_t)question->resolution_percent, "clients", number_or_null(question->clients, 0),
        "locks", number_or_null(question->unknown == PLAN_LOCKS ? 0 : question->locks, 0), "votes",
        (json_int_t)PLAN_VOTES, "fresh", (json_int_t)PLAN_FRESH, "trial_samples",
        number_or_null(question->trial_samples, 0), "trial_ns",
        number_or_null(question->trial_ns, 0), "hold_ns", (json_int_t)question->hold.mean_ns,
        "hold_exponential", question->hold.exponential, "processes",
        (json_int_t)question->processes, "max_clients",
        number_or_null(options->target.max_clients, UINT64_MAX), "max_rate",
        number_or_null(options->guard.max_rate, 0), "max_time_ns",
        number_or_null(options->guard.max_time_ns, 0), "brake_ns",
        number_or_null(options->guard.brake_ns, 0), "server_cpu_percent",
        number_or_null(options->target.cpu_percent, 0), "placement",
        options_placements[options->target.placement], "session_timeout_ms",
        (json_int_t)(question->session_timeout_ns / NS_PER_MS), "timeout_ms",
        (json_int_t)(question->timeout_ns / NS_PER_MS), "background", background, "trial_least_ns",
        number_or_null(question->trial_least_ns, 0));
}

/* ------------------------------------------------------------------ before the first trial */

/* On servers that are somebody's. */
static void tell_demand(const struct plan_searches *searches)
{
    const struct plan_question *question = &searches->options->question;
    char where[CONNECT_TEXT_SIZE], sessions[32], rate[32], beside[128] = "";
    uint64_t per_s = plan_question_rate(question, question->most);
    if (!series_tells_demand(&searches->series))
        return;
    if (per_s > 0)
        snprintf(beside, sizeof beside,
                 ", and beside them the load of --background: %d sessions, %s%s a second",
                 BACKGROUND_SESSIONS, question->unknown == PLAN_RATE ? "at most " : "",
                 text_format_count(per_s, rate, sizeof rate));
    complain_mildly(
        "on %s: at most %s sessions at a time, each of which sends its next request as soon as "
        "it may%s; others who use these servers will notice; --dry-run says more",
        connect_typed(&searches->series.targets.list[0].placement, where, sizeof where),
        text_format_count(plan_question_sessions(question, question->most), sessions,
                          sizeof sessions),
        beside);
}

void plan_fit_to_servers(struct plan_question *question, const struct target *target, char *text,
                         size_t size)
{
    uint64_t asked = question->most, sessions = target->limit.sessions,
             taken = target->servers.count;
    char most[64];
    text[0] = '\0';
    if (sessions != UINT64_MAX)
        sessions = sessions > taken ? sessions - taken : 0;
    plan_question_fit(question, sessions);
    if (question->most < asked)
        snprintf(
            text, size,
            "no more than %s are tried: %.200s takes %llu connections from this host at a time "
            "(maxClientCnxns), %llu of them for zkherd's own use; set maxClientCnxns=0 in the "
            "server's zoo.cfg, or use more servers of its ensemble",
            plan_question_format(question, question->most, most, sizeof most), target->limit.server,
            (unsigned long long)target->limit.room, (unsigned long long)target->limit.reserved + 1);
}

static enum error_kind lay_out(void *context, struct error *error)
{
    (void)error;
    struct plan_searches *searches = context;
    const struct plan_options *options = searches->options;
    size_t recipes = options->recipe_count, count = options->target.topology_count * recipes;
    struct series *series = &searches->series;
    /* The series knows only the two ends of the range, of which it has left out one. */
    plan_fit_to_servers(&searches->options->question, &series->targets.list[0], series->left_out,
                        sizeof series->left_out);
    tell_demand(searches);
    searches->list = memory_new(count, sizeof *searches->list);
    for (; searches->count < count; searches->count++) {
        struct plan_search *search = &searches->list[searches->count];
        const struct search_plan plan = plan_question_search(&options->question);
        search->recipe = options->recipes[searches->count % recipes];
        search->topology = searches->count / recipes;
        search_init(&search->search, &plan);
    }
    return ERROR_NONE;
}

/* ------------------------------------------------------------------ the trials */

/* Without any trial there is nothing to tell, not even an answer that is cut short. */
static enum error_kind check_time(const struct plan_searches *searches, struct error *error)
{
    char most[32];
    if (searches->cut != PLAN_CUT_BY_TIME)
        return ERROR_NONE;
    for (size_t i = 0; i < searches->count; i++) {
        if (searches->list[i].search.step_count > 0)
            return ERROR_NONE;
    }
    text_format_duration(searches->options->guard.max_time_ns, most, sizeof most);
    return error_raise(error, ERROR_NOT_VALID, 0, "--max-time",
                       "the %s were up before the first trial had ended: give more", most);
}

/* The turns of all searches, round by round. */
static enum error_kind run_all(struct plan_searches *searches, struct error *error)
{
    enum error_kind kind = ERROR_NONE;
    bool ran = true;
    progress_say(&searches->series.progress, "warming up");
    for (size_t i = 0; kind == ERROR_NONE && i < searches->count; i++)
        kind = plan_turn_warm_up(searches, &searches->list[i], error);
    progress_clear(&searches->series.progress);
    while (kind == ERROR_NONE && ran) {
        ran = false;
        for (size_t i = 0; kind == ERROR_NONE && i < searches->count; i++)
            kind = plan_turn_run(searches, &searches->list[i], &ran, error);
    }
    return kind == ERROR_NONE ? check_time(searches, error) : kind;
}

/* Private servers have no other users, so there is no bystander beside them. */
static enum error_kind run(void *context, struct error *error)
{
    struct plan_searches *searches = context;
    const struct plan_options *options = searches->options;
    const struct target *target = &searches->series.targets.list[0];
    const struct load_host host = target_load_host(target, searches->series.targets.signals);
    const struct search_forecast left = plan_searches_foresee(searches);
    char root[PATH_MAX];
    snprintf(root, sizeof root, "%s/bystander", target->root);
    searches->series.planned = left.short_trials + left.long_trials;
    series_look(&searches->series);
    if (options->target.connect)
        progress_say(&searches->series.progress, "reading from the servers before the first trial");
    enum error_kind kind = plan_guard_begin(&searches->guard, &options->guard,
                                            options->target.connect ? &host : NULL, root, error);
    progress_clear(&searches->series.progress);
    if (kind != ERROR_NONE)
        return kind;
    kind = run_all(searches, error);
    struct error why;
    enum error_kind ended = plan_guard_end(&searches->guard, kind == ERROR_NONE ? error : &why);
    return kind == ERROR_NONE ? ended : kind;
}

/* ------------------------------------------------------------------ after the last trial */

/* The searches of one topology. */
struct answered {
    const struct plan_searches *searches;
    const struct series_record *record;
};

static const struct plan_search *searches_of(const struct plan_searches *searches, size_t topology)
{
    return &searches->list[topology * searches->options->recipe_count];
}

static void write_answers_csv(FILE *stream, const void *context)
{
    const struct answered *of = context;
    const struct plan_options *options = of->searches->options;
    const struct plan_search *list = searches_of(of->searches, of->record->topology);
    struct csv csv = {.stream = stream};
    struct table table = {.type = &answer_row_table};
    table_write_header(&answer_row_table, &csv);
    for (size_t i = 0; i < options->recipe_count; i++) {
        struct table_value *row = table_add(&table);
        answer_row_take(&list[i].answer, of->record, &options->question, row);
        table_write_row(&answer_row_table, row, &csv);
    }
    table_deinit(&table);
}

/* Finds the answers. */
static enum error_kind finish(void *context, struct series_record *record, bool whole,
                              struct error *error)
{
    struct plan_searches *searches = context;
    const struct plan_options *options = searches->options;
    bool cut = searches->series.cut_short != NULL;
    record->planned = record->rows.rows;
    if (cut)
        searches->cut = PLAN_CUT_SHORT;
    for (size_t i = 0; i < searches->count; i++) {
        struct plan_search *search = &searches->list[i];
        if (search->topology != record->topology)
            continue;
        const struct search_forecast left = search_foresee(&search->search);
        record->planned += cut ? left.short_trials + left.long_trials : 0;
        search->answer =
            plan_answer_take(&options->question, &search->search, search->recipe, &search->samples);
        search->answer.target = record->target;
        search->answer.cut = searches->cut;
    }
    const struct answered of = {searches, record};
    return whole ? output_write(record->files.folder, "answers.csv", write_answers_csv, &of, error)
                 : ERROR_NONE;
}

static const char *name_plots(const void *context, struct plots *plots)
{
    const struct plan_options *options = ((const struct plan_searches *)context)->options;
    plots->kind = PLOTS_OF_PLAN;
    for (size_t i = 0; i < options->recipe_count; i++)
        plots_add_recipe(plots, options->recipes[i]->name);
    return NULL;
}

static void write_text(const struct plan_searches *searches)
{
    const struct plan_question *question = &searches->options->question;
    bool several = searches->series.record_count > 1;
    plan_table_write(question, searches->list, searches->count, several, stdout);
    putchar('\n');
    for (size_t i = 0; i < searches->count; i++)
        plan_sentences_write(question, &searches->list[i].answer, several, stdout);
    for (size_t i = 0; i < searches->series.record_count; i++)
        printf("%sresults in %s\n", i == 0 ? "\n" : "", searches->series.records[i].files.folder);
}

/* No trial that is not valid makes the verdict: the search goes on without it. */
static void write_json(const struct plan_searches *searches, int verdict)
{
    const struct plan_options *options = searches->options;
    json_t *records = json_array();
    for (size_t i = 0; i < searches->series.record_count; i++) {
        const struct series_record *record = &searches->series.records[i];
        const struct plan_search *list = searches_of(searches, i);
        if (record->rows.rows == 0)
            continue;
        json_t *answers = json_array();
        for (size_t k = 0; k < options->recipe_count; k++)
            json_array_append_new(answers,
                                  plan_answer_json(&list[k].answer, record, &options->question));
        json_array_append_new(records, manifest_result(&record->manifest, record->files.folder,
                                                       record->servers, answers));
    }
    json_result_write(json_pack("{s:s, s:o}", "verdict", verdict_word(verdict_of_status(verdict)),
                                "results", records),
                      stdout);
}

/* The verdict becomes 4 if a search has no answer, and 1 if a verdict failed. */
static int tell(void *context, int *verdict)
{
    const struct plan_searches *searches = context;
    const struct output_options *output = &searches->options->output;
    for (size_t i = 0; i < searches->count; i++) {
        enum search_reason end = searches->list[i].answer.found.reason;
        if (end == SEARCH_BUDGET || end == SEARCH_UNDETERMINED)
            *verdict = 4;
    }
    if (!output->json && !output->quiet)
        write_text(searches);
    for (size_t i = 0; i < searches->series.record_count; i++) {
        struct series_record *record = &searches->series.records[i];
        if (plan_rows_complain(&record->rows, &searches->options->question))
            *verdict = 1;
        if (record->rows.rows > 0 && !record->files.broken)
            page_add(record->files.folder, &record->manifest, output->quiet);
    }
    if (searches->series.targets.made_out)
        page_add_common(output->out, output->quiet);
    if (output->json)
        write_json(searches, *verdict);
    return 0;
}

/* ------------------------------------------------------------------ the whole */

static int lead(struct plan_searches *searches, int argc, char **argv)
{
    static const struct series_user user = {.lay_out = lay_out,
                                            .rows = &plan_row_table,
                                            .describe_plan = describe_plan,
                                            .run = run,
                                            .finish = finish,
                                            .name_plots = name_plots,
                                            .tell = tell};
    const struct plan_options *options = searches->options;
    const struct plan_question *question = &options->question;
    uint64_t bystanders = options->target.connect ? options->target.servers.count : 0;
    uint64_t sessions[] = {plan_question_sessions(question, question->least) + bystanders,
                           plan_question_sessions(question, question->most) + bystanders};
    struct levels clients = {.list = sessions, .count = 2};
    const struct series_options of_series = {.subcommand = "plan",
                                             .target = &options->target,
                                             .output = &options->output,
                                             .clients = &clients,
                                             .processes = question->processes,
                                             .seed = question->seed,
                                             .verdict_of_nothing =
                                                 verdict_word(VERDICT_UNDETERMINED)};
    series_init(&searches->series, &of_series, &user, searches);
    int status = series_lead(&searches->series, argc, argv);
    for (size_t i = 0; i < searches->count; i++) {
        search_deinit(&searches->list[i].search);
        free(searches->list[i].samples.list);
    }
    free(searches->list);
    series_deinit(&searches->series);
    return status;
}

int plan_searches_lead(struct plan_options *options, int argc, char **argv)
{
    struct plan_searches *searches = memory_new(1, sizeof *searches);
    searches->options = options;
    int status = lead(searches, argc, argv);
    free(searches);
    return status;
}
