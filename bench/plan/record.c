// SPDX-License-Identifier: Apache-2.0
#include "bench/cli/complain.h"
#include "bench/cli/rows.h"
#include "bench/output/json_text.h"
#include "bench/output/record_end.h"
#include "bench/plan/internal.h"

/* ------------------------------------------------------------------ the manifest's plan */

static json_t *number_or_null(uint64_t number, uint64_t none)
{
    return number == none ? json_null() : json_integer((json_int_t)number);
}

/* The object "plan" of the manifest. */
static json_t *describe_plan(const struct plan_options *options)
{
    const struct plan_question *question = &options->question;
    char objective[OBJECTIVE_TEXT_SIZE], background[ROWS_BACKGROUND_TEXT_SIZE];
    json_t *recipes = json_array(), *proposals = json_array(); /* null: none is proposed */
    for (size_t i = 0; i < options->recipe_count; i++) {
        json_array_append_new(recipes, json_string(options->recipes[i]->name));
        json_array_append_new(proposals, number_or_null(options->proposals[i].size, 0));
    }
    rows_background_format(&question->background, background, sizeof background);
    return json_pack(
        "{s:s, s:s, s:o, s:I, s:I, s:I, s:o, s:o, s:I, s:I, s:o, s:o, s:I, s:b, s:I, s:o, s:o, "
        "s:o, s:o, s:o, s:s, s:I, s:I, s:o, s:o, s:o, s:s, s:o}",
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
        (json_int_t)(question->timeout_ns / NS_PER_MS), "costs",
        options->target.costs != NULL ? json_text(options->target.costs) : json_null(), "proposed",
        proposals, "knee_trials",
        number_or_null(plan_knee_has_trials(options) ? PLAN_KNEE_TRIALS : 0, 0), "background",
        background, "trial_least_ns", number_or_null(question->trial_least_ns, 0));
}

/* ------------------------------------------------------------------ the record */

enum error_kind plan_record_open(struct plan_record *record, const struct plan_options *options,
                                 const struct target *target, const char *out, int argc,
                                 char **argv, struct error *error)
{
    *record = (struct plan_record){.options = options};
    enum error_kind kind = file_set_open(&record->set, out, target->name, error);
    if (kind == ERROR_NONE)
        kind = file_set_add_csv(&record->set, "plan.csv", plan_sample_columns, &record->csv, error);
    if (kind != ERROR_NONE) {
        struct error second;
        (void)!file_set_close(&record->set, &second);
        return kind;
    }
    snprintf(record->target, sizeof record->target, "%s", target->name);
    record->context = (struct plan_sample_context){record->set.run, record->target,
                                                   target->servers.count, &options->question};
    manifest_begin(&record->manifest,
                   &(struct manifest_start){argc, argv, options->question.seed,
                                            describe_plan(options), &options->target, target});
    return ERROR_NONE;
}

void plan_record_free(struct plan_record *record)
{
    manifest_deinit(&record->manifest);
    *record = (struct plan_record){0};
}

void plan_record_warn(struct plan_record *record, const char *warning)
{
    if (!record->options->output.quiet)
        complain_mildly("%s", warning);
    manifest_warn(&record->manifest, warning);
}

static void warn_once(struct plan_record *record, const char *why)
{
    bool several = record->options->target.topology_count > 1;
    char warning[384];
    snprintf(warning, sizeof warning, "%s%scannot cross-check against the servers' counters: %s",
             several ? record->target : "", several ? ": " : "", why);
    if (!record->warned)
        plan_record_warn(record, warning);
    record->warned = true;
}

enum error_kind plan_record_add(struct plan_record *record, const struct plan_sample *sample,
                                const struct trial_result *result, struct error *error)
{
    if (result != NULL)
        manifest_sessions(&record->manifest, result->memory->fleet);
    if (result != NULL && result->not_reconciled[0] != '\0')
        warn_once(record, result->not_reconciled);
    plan_sample_write(sample, &record->context, &record->csv);
    return file_set_commit(&record->set, ERROR_NONE, error);
}

/* ------------------------------------------------------------------ after the last trial */

/* What answers.csv is written from. */
struct answers {
    const struct plan_record *record;
    const struct plan_search *searches;
};

static void write_answers(FILE *stream, const void *context)
{
    const struct answers *answers = context;
    struct csv csv = {.stream = stream};
    csv_header(&csv, plan_answer_columns);
    for (size_t i = 0; i < answers->record->options->recipe_count; i++)
        plan_answer_write(&answers->searches[i].answer, &answers->record->context, &csv);
}

enum error_kind plan_record_close(struct plan_record *record, const struct plan_record_end *end,
                                  struct error *error)
{
    const struct plan_options *options = record->options;
    const struct record_end base = {&record->manifest, &record->set,   &options->output, "plan",
                                    end->planned,      end->cut_short, end->interrupts};
    const struct answers answers = {record, end->searches};
    char recipes[PLOTS_RECIPES_SIZE] = "";
    enum error_kind kind = file_set_close(&record->set, error);
    if (record->set.trials == 0)
        return kind;
    if (kind == ERROR_NONE)
        kind = output_write(record->set.folder, "answers.csv", write_answers, &answers, error);
    for (size_t i = 0; i < options->recipe_count; i++)
        (void)!plots_add_recipe(recipes, options->recipes[i]->name);
    if (kind == ERROR_NONE && !record->set.broken)
        kind = record_end_draw(&base, PLOTS_OF_PLAN, recipes, NULL, error);
    return record_end_describe(&base, kind, error);
}
