// SPDX-License-Identifier: Apache-2.0
#include "bench/plan/plan_answers.h"

#include "bench/answer/plan_json.h"
#include "bench/cli/complain.h"
#include "bench/output/json_result.h"
#include "bench/output/record_json.h"
#include "bench/output/verdict.h"
#include "bench/page/page.h"
#include "bench/plan/plan_proposals.h"

#include <stdio.h>
#include <stdlib.h>

enum error_kind plan_answers_take(const struct plan_searches *searches, size_t topology,
                                  struct plan_answer *answers, struct error *error)
{
    enum error_kind kind = ERROR_NONE;
    size_t count = searches->options->recipe_count;
    for (size_t i = 0; kind == ERROR_NONE && i < count; i++) {
        kind = plan_answer_take(searches->options, &searches->list[topology * count + i],
                                searches->options->recipes[i], &searches->records[topology].samples,
                                &answers[i], error);
        answers[i].cut = searches->cut;
    }
    return kind;
}

static enum error_kind gather(const struct plan_searches *searches, struct plan_answer *answers,
                              struct plan_told *told, struct error *error)
{
    enum error_kind kind = ERROR_NONE;
    for (size_t i = 0; kind == ERROR_NONE && i < searches->series.record_count; i++)
        kind = plan_answers_take(searches, i, &answers[i * searches->options->recipe_count], error);
    for (size_t i = 0; kind == ERROR_NONE && i < searches->count; i++)
        told[i] = (struct plan_told){searches->records[plan_searches_topology(searches, i)].target,
                                     answers[i]};
    return kind;
}

static enum error_kind write_text(const struct plan_searches *searches,
                                  const struct plan_told *told, struct error *error)
{
    enum error_kind kind = plan_table_write(&searches->options->question, told, searches->count,
                                            searches->series.record_count > 1, stdout, error);
    if (kind == ERROR_NONE)
        plan_proposals_write(searches->options, stdout);
    for (size_t i = 0; kind == ERROR_NONE && i < searches->series.record_count; i++)
        printf("%sresults in %s\n", i == 0 ? "\n" : "", searches->records[i].set.folder);
    return kind;
}

static json_t *describe_record(const struct plan_searches *searches, size_t topology,
                               const struct plan_told *told)
{
    const struct plan_record *record = &searches->records[topology];
    size_t count = searches->options->recipe_count;
    json_t *answers = json_array();
    for (size_t i = topology * count; i < (topology + 1) * count; i++)
        json_array_append_new(answers, plan_json_answer(&searches->options->question, &told[i]));
    return record_json_new(&record->manifest, record->set.folder, record->context.servers, answers);
}

/* No trial that is not valid makes the verdict: the search goes on without it. */
static enum error_kind write_json(const struct plan_searches *searches,
                                  const struct plan_told *told, int verdict, struct error *error)
{
    json_t *records = json_array();
    for (size_t i = 0; i < searches->series.record_count; i++) {
        if (searches->records[i].set.trials > 0)
            json_array_append_new(records, describe_record(searches, i, told));
    }
    return json_result_write(json_pack("{s:s, s:o}", "verdict",
                                       verdict_word(verdict_of_status(verdict)), "results",
                                       records),
                             "plan", stdout, error);
}

static enum error_kind write_answers(const struct plan_searches *searches, int verdict,
                                     struct error *error)
{
    struct plan_answer *answers = calloc(searches->count + 1, sizeof *answers);
    struct plan_told *told = calloc(searches->count + 1, sizeof *told);
    enum error_kind kind = answers != NULL && told != NULL
                               ? gather(searches, answers, told, error)
                               : error_raise(error, ERROR_NO_MEMORY, 0, "results", "%s", "");
    if (kind == ERROR_NONE)
        kind = searches->options->output.json ? write_json(searches, told, verdict, error)
                                              : write_text(searches, told, error);
    free(answers);
    free(told);
    return kind;
}

static int tell(const struct plan_searches *searches, int verdict)
{
    struct error error;
    return write_answers(searches, verdict, &error) == ERROR_NONE ? 0 : complain(&error);
}

static bool is_answered(const struct search *search)
{
    const struct search_answer answer = search_answer(search);
    return answer.reason != SEARCH_BUDGET && answer.reason != SEARCH_UNDETERMINED;
}

int plan_answers_tell(const struct plan_searches *searches, int *verdict)
{
    const struct output_options *output = &searches->options->output;
    int status = 0;
    for (size_t i = 0; i < searches->count; i++) {
        if (!is_answered(&searches->list[i]))
            *verdict = 4;
    }
    if (!output->json && !output->quiet)
        status = tell(searches, *verdict);
    for (size_t i = 0; i < searches->series.record_count; i++) {
        const struct plan_record *record = &searches->records[i];
        if (plan_record_complain(record))
            *verdict = 1;
        if (record->set.trials > 0 && !record->set.broken)
            page_add(record->set.folder, &record->manifest, output->quiet);
    }
    if (searches->series.targets.made_out)
        page_add_common(output->out, output->quiet);
    return output->json ? tell(searches, *verdict) : status;
}
