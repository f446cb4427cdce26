// SPDX-License-Identifier: Apache-2.0
#include "base/memory.h"
#include "base/text.h"
#include "bench/cli/arguments.h"
#include "bench/cli/rows.h"
#include "bench/cli/subcommands.h"
#include "bench/cli/terminal.h"
#include "bench/page/page.h"
#include "bench/plan/internal.h"

#include <stdlib.h>
#include <unistd.h>

/* ------------------------------------------------------------------ the manifest's plan */

static json_t *number_or_null(uint64_t number, uint64_t none)
{
    return number == none ? json_null() : json_integer((json_int_t)number);
}

/* The object "plan" of the manifest. */
static json_t *describe_plan(const struct plan_options *options)
{
    const struct plan_question *question = &options->question;
    const struct search_plan search = plan_question_search(question);
    char objective[OBJECTIVE_TEXT_SIZE], background[ROWS_BACKGROUND_TEXT_SIZE];
    json_t *recipes = json_array();
    for (size_t i = 0; i < options->recipe_count; i++)
        json_array_append_new(recipes, json_string(options->recipes[i]->name));
    rows_background_format(&question->background, background, sizeof background);
    return json_pack(
        "{s:s, s:s, s:o, s:I, s:I, s:I, s:o, s:I, s:I, s:o, s:o, s:I, s:b, s:I, s:o, s:o, "
        "s:o, s:o, s:o, s:s, s:I, s:I, s:s, s:o}",
        "objective", objective_format(&question->objective, objective, sizeof objective), "unknown",
        plan_question_unknowns[question->unknown], "recipes", recipes, "at_least",
        (json_int_t)question->least, "at_most", (json_int_t)question->most, "resolution_percent",
        (json_int_t)question->resolution_percent, "clients", number_or_null(question->clients, 0),
        "votes", (json_int_t)search.votes, "fresh", (json_int_t)search.fresh, "trial_samples",
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

static enum error_kind lay_out(void *context, struct error *error)
{
    (void)error;
    struct plan_searches *searches = context;
    struct plan_options *options = searches->options;
    struct series *series = &searches->series;
    const struct target *target = &series->targets.list[0];
    size_t recipes = options->recipe_count, count = options->target.topology_count * recipes;
    /* The series knows only the two ends of the range, of which it has left out one. */
    plan_question_fit(&options->question, target, series->left_out, sizeof series->left_out);
    series->plan = describe_plan(options);
    if (series_announces_demand(series))
        plan_demand_print(options, &target->placement);
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

/* Without any trial there is nothing to say, not even an answer that is cut short. */
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
static enum error_kind run_turns(struct plan_searches *searches, struct error *error)
{
    enum error_kind kind = ERROR_NONE;
    bool ran = true;
    progress_show_step(&searches->series.progress, "warming up");
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
    struct series *series = &searches->series;
    const struct plan_options *options = searches->options;
    const struct target *target = &series->targets.list[0];
    const struct fleet_host host = target_host(target, series->targets.signals);
    char root[PATH_MAX];
    uint64_t left_ns;
    snprintf(root, sizeof root, "%s/bystander", target->root);
    series->planned = plan_turn_foresee(searches, &left_ns);
    series_measure_noise(series);
    if (options->target.connect)
        progress_show_step(&series->progress, "reading from the servers before the first trial");
    enum error_kind kind = plan_guard_begin(&searches->guard, &options->guard,
                                            options->target.connect ? &host : NULL, root, error);
    progress_clear(&series->progress);
    if (kind != ERROR_NONE)
        return kind;
    kind = run_turns(searches, error);
    struct error why;
    enum error_kind ended = plan_guard_end(&searches->guard, kind == ERROR_NONE ? error : &why);
    return kind == ERROR_NONE ? ended : kind;
}

/* ------------------------------------------------------------------ after the last trial */

static enum error_kind finish(void *context, struct series_record *record, bool whole,
                              struct error *error)
{
    struct plan_searches *searches = context;
    struct plan_results *results = &searches->results[record->topology];
    bool cut = searches->series.cut_short != NULL;
    if (cut)
        searches->cut = PLAN_CUT_SHORT;
    record->planned = record->rows.rows;
    for (size_t i = 0; i < searches->count; i++) {
        const struct plan_search *search = &searches->list[i];
        const struct search_forecast left = search_foresee(&search->search);
        const struct plan_answer answer = {.question = &searches->options->question,
                                           .recipe = search->recipe,
                                           .search = &search->search,
                                           .rows = &record->rows,
                                           .cut = searches->cut,
                                           .found = search_answer(&search->search)};
        if (search->topology != record->topology)
            continue;
        record->planned += cut ? left.short_trials + left.long_trials : 0;
        plan_answer_add(&answer, record, results, &record->findings);
    }
    trial_findings_add_faults(&plan_row_trials, &record->rows, "", &record->findings);
    trial_findings_add_noise(&plan_row_trials, &record->rows, &searches->series.noise,
                             record->made_again.rows, &record->findings);
    return whole ? file_set_save_table(record->files.folder, &results->answers, NULL, error)
                 : ERROR_NONE;
}

static void print_sizes(const void *context, const struct series_record *record)
{
    const struct plan_searches *searches = context;
    const struct table *sizes = &searches->results[record->topology].sizes;
    if (sizes->rows > 0)
        plan_sizes_print(&searches->options->question, sizes, terminal_columns(STDOUT_FILENO),
                         stdout);
}

static json_t *describe_answers(const void *context, const struct series_record *record)
{
    const struct table *answers =
        &((const struct plan_searches *)context)->results[record->topology].answers;
    json_t *list = json_array();
    for (size_t i = 0; i < answers->rows; i++)
        json_array_append_new(list, plan_answer_json(table_row(answers, i), &record->findings));
    return list;
}

static int print_results(void *context)
{
    static const struct series_view view = {.write = print_sizes, .cells = describe_answers};
    const struct plan_searches *searches = context;
    page_add_series(&searches->series);
    return series_print_results(&searches->series, &view);
}

/* ------------------------------------------------------------------ the whole */

static int run_searches(struct plan_searches *searches, int argc, char **argv)
{
    static const struct series_user user = {.lay_out = lay_out,
                                            .rows = &plan_row_table,
                                            .run = run,
                                            .finish = finish,
                                            .has_plots = true,
                                            .print_results = print_results};
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
                                             .votes = true,
                                             .verdict_of_nothing =
                                                 verdict_word(VERDICT_UNDETERMINED)};
    int status = series_run(&searches->series, &of_series, &user, searches, argc, argv);
    for (size_t i = 0; i < searches->count; i++)
        search_deinit(&searches->list[i].search);
    for (size_t i = 0; i < OPTIONS_TOPOLOGIES_MAX; i++) {
        table_deinit(&searches->results[i].answers);
        table_deinit(&searches->results[i].sizes);
    }
    free(searches->list);
    series_deinit(&searches->series);
    return status;
}

int plan_main(int argc, char **argv)
{
    struct plan_options options;
    struct plan_searches *searches = memory_new(1, sizeof *searches);
    searches->options = &options;
    int status = plan_command_line_parse(argc, argv, &options);
    if (status == ARGUMENTS_GO) {
        if (options.dry_run)
            plan_dry_run(&options);
        status = options.dry_run ? 0 : run_searches(searches, argc, argv);
        target_options_deinit(&options.target);
    }
    free(searches);
    return status;
}
