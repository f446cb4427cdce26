// SPDX-License-Identifier: Apache-2.0
#include "bench/plan/plan_answers.h"

#include "bench/answer/plan_table.h"
#include "bench/cli/complain.h"
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

static bool is_answered(const struct search *search)
{
    const struct search_answer answer = search_answer(search);
    return answer.reason != SEARCH_BUDGET && answer.reason != SEARCH_UNDETERMINED;
}

int plan_answers_tell(const struct plan_searches *searches, int *verdict)
{
    struct error error;
    int status = 0;
    for (size_t i = 0; i < searches->count; i++) {
        if (!is_answered(&searches->list[i]))
            *verdict = 4;
    }
    if (!searches->options->output.quiet && write_answers(searches, &error) != ERROR_NONE)
        status = complain(&error);
    for (size_t i = 0; i < searches->series.record_count; i++) {
        const struct plan_record *record = &searches->records[i];
        if (plan_record_complain(record))
            *verdict = 1;
        if (record->set.trials > 0 && !record->set.broken)
            page_add(record->set.folder, searches->options->output.quiet);
    }
    return status;
}
