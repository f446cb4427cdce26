// SPDX-License-Identifier: Apache-2.0
#include "base/memory.h"
#include "base/text.h"
#include "bench/cli/terminal.h"
#include "bench/plan/internal.h"

#include <stdlib.h>

#define ALL UINT64_MAX /* no size failed */

/* Sizes up to `met` meet the objective, and from `not_met` on they do not. */
struct ranked {
    const char *name;
    uint64_t met, not_met;
};

/* False: an end is undecided, or the answers are not monotone. */
static bool take(const struct plan_answer *answer, struct ranked *ranked)
{
    enum search_reason end = answer->found.reason;
    bool is_passed = plan_answer_is_passed(answer), is_failed = plan_answer_is_failed(answer);
    *ranked = (struct ranked){answer->recipe->name, is_passed ? answer->found.passed : 0,
                              is_failed ? answer->found.failed : ALL};
    return end != SEARCH_NOT_MONOTONE && (is_passed || end == SEARCH_NOTHING_MEETS) &&
           (is_failed || end == SEARCH_EVERYTHING_MEETS);
}

/* Those with the most come first. */
static int compare(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;
    return x->met != y->met ? (x->met < y->met) - (x->met > y->met)
                            : (x->not_met < y->not_met) - (x->not_met > y->not_met);
}

static void add(const struct plan_question *question, const struct ranked *ranked,
                struct growing_text *text)
{
    char met[64], size[64];
    growing_text_add(text, "%s (", ranked->name);
    if (ranked->not_met == ALL)
        growing_text_add(text, "at least %s)",
                         plan_question_format(question, ranked->met, size, sizeof size));
    else if (ranked->met == 0)
        growing_text_add(text, "not %s)",
                         plan_question_format(question, ranked->not_met, size, sizeof size));
    else
        growing_text_add(text, "%s to %s)", text_format_count(ranked->met, met, sizeof met),
                         plan_question_format(question, ranked->not_met, size, sizeof size));
}

void plan_ranking_write(const struct plan_question *question, const struct plan_search *searches,
                        size_t count, const char *where, FILE *stream)
{
    struct ranked *ranked = memory_new(count, sizeof *ranked);
    struct growing_text text = {0}, others = {0};
    size_t decided = 0;
    for (size_t i = 0; i < count; i++) {
        struct ranked one;
        if (take(&searches[i].answer, &one))
            ranked[decided++] = one;
        else
            growing_text_add(&others, "%s%s", others.text != NULL ? ", " : "", one.name);
    }
    qsort(ranked, decided, sizeof *ranked, compare);
    for (size_t i = 0; i < decided; i++) {
        bool is_less = i > 0 && ranked[i - 1].met >= ranked[i].not_met;
        growing_text_add(&text, "%s", i == 0 ? "" : is_less ? ", then " : ", not told apart from ");
        add(question, &ranked[i], &text);
    }
    if (count > 1 && decided > 1)
        wrap_sentence(stream, "%sranking: %s.%s%s%s", where, text.text,
                      others.text != NULL ? " Not ranked: " : "",
                      others.text != NULL ? others.text : "", others.text != NULL ? "." : "");
    else if (count > 1)
        wrap_sentence(stream, "%sno ranking: fewer than two recipes have a decided answer.", where);
    free(ranked);
    free(text.text);
    free(others.text);
}
