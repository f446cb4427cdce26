// SPDX-License-Identifier: Apache-2.0
#include "base/memory.h"
#include "base/text.h"
#include "bench/cli/grid.h"
#include "bench/cli/terminal.h"
#include "bench/plan/internal.h"

#include <math.h>
#include <stdlib.h>

/* ------------------------------------------------------------------ what was found */

/* What is told of, and the text so far. */
struct sentence {
    const struct plan_question *question;
    const struct plan_answer *answer;
    char objective[OBJECTIVE_TEXT_SIZE];
    struct growing_text text;
};

#define ADD(...) growing_text_add(&sentence->text, __VA_ARGS__)

/* A size as "12 waiters". */
static void add_size(struct sentence *sentence, uint64_t size)
{
    char text[64];
    ADD("%s", plan_question_format(sentence->question, size, text, sizeof text));
}

static void add_measured(struct sentence *sentence)
{
    const struct objective *objective = &sentence->question->objective;
    double measured_us = sentence->answer->measured_us, per_s = sentence->answer->handoffs_per_s;
    char duration[32];
    if (objective_is_rate(objective)) {
        if (!isnan(per_s))
            ADD(", at %.0f handoffs a second", per_s);
    } else if (isinf(measured_us))
        ADD(", with p%g above a minute", objective_percent(objective));
    else if (!isnan(measured_us))
        ADD(", with p%g = %s", objective_percent(objective),
            text_format_duration((uint64_t)(measured_us * 1e3), duration, sizeof duration));
}

/* "5 of 5 fresh trials passed". */
static void add_votes(struct sentence *sentence, const struct plan_votes *votes, const char *kind,
                      enum plan_end end)
{
    bool passed = end == PLAN_PASSED;
    ADD("%u of %u %strial%s %s", passed ? votes->passed : votes->cast - votes->passed, votes->cast,
        kind, votes->cast == 1 ? "" : "s", passed ? "passed" : "failed");
}

/* The votes of a size that is decided, unless the brake has decided it. */
static void add_fresh(struct sentence *sentence, const struct plan_votes *votes, enum plan_end end)
{
    if (votes->cast == 0)
        return;
    ADD(" (");
    add_votes(sentence, votes, "fresh ", end);
    ADD(")");
}

/* ------------------------------------------------------------------ why a size is undecided */

static void add_number_of(struct sentence *sentence, size_t number, size_t of)
{
    ADD("%zu of %zu trial%s", number, of, of == 1 ? "" : "s");
}

/* Why the smallest undecided size has no votes. */
static void add_no_votes(struct sentence *sentence)
{
    const struct plan_undecided *undecided = &sentence->answer->undecided;
    char most[32], needed[32];
    if (undecided->not_valid > 0) {
        add_number_of(sentence, undecided->not_valid, undecided->trials);
        ADD(" %s not valid (%s)", undecided->not_valid == 1 ? "was" : "were", undecided->reason);
    }
    if (undecided->not_valid > 0 && undecided->undetermined > 0)
        ADD(", and ");
    if (undecided->undetermined > 0) {
        add_number_of(sentence, undecided->undetermined, undecided->trials);
        ADD(" came too near to the limit");
    }
    if (undecided->samples_most > 0)
        ADD(" for so few samples (%s at most; %s with as many over the limit would pass)",
            text_format_count(undecided->samples_most, most, sizeof most),
            text_format_count(undecided->samples_needed, needed, sizeof needed));
}

/* Why an end of the interval is undecided: a clause; nothing if it is decided. */
static void add_reason(struct sentence *sentence, enum plan_end end)
{
    const struct plan_answer *answer = sentence->answer;
    const struct search_answer *found = &answer->found;
    bool passed = end == PLAN_PASSED;
    enum search_end state = passed ? found->passed_end : found->failed_end;
    const struct plan_votes *fresh = passed ? &answer->fresh_passed : &answer->fresh_failed;
    if (passed ? plan_answer_is_passed(answer) : plan_answer_is_failed(answer))
        return;
    if (state == SEARCH_END_NONE && found->reason == SEARCH_UNDETERMINED) {
        add_no_votes(sentence);
    } else if (state == SEARCH_END_NONE) {
        ADD("no size %s", passed ? "passed" : "failed");
    } else {
        add_votes(sentence, passed ? &answer->first_passed : &answer->first_failed, "", end);
        if (fresh->cast > 0)
            ADD(", ");
        if (fresh->cast > 0)
            add_votes(sentence, fresh, "fresh ", end);
        ADD(", and %s", search_end_lack(state));
    }
}

char *plan_sentence_end(const struct plan_question *question, const struct plan_answer *answer,
                        enum plan_end end)
{
    struct sentence made = {.question = question, .answer = answer}, *sentence = &made;
    ADD("%s", "");
    add_reason(sentence, end);
    return made.text.text;
}

/* ------------------------------------------------------------------ the parts of the sentence */

static void add_count(struct sentence *sentence, uint64_t size)
{
    char count[32];
    ADD("%s", text_format_count(size, count, sizeof count));
}

/* "640 waiters meet handoff p99 < 50ms"; not in full: "640 do". */
static void add_claim(struct sentence *sentence, uint64_t size, bool in_full)
{
    if (in_full) {
        add_size(sentence, size);
        ADD(" %s %s", size == 1 ? "meets" : "meet", sentence->objective);
    } else {
        add_count(sentence, size);
        ADD(" %s", size == 1 ? "does" : "do");
    }
}

/* The same as "whether 640 do is undecided: …". */
static void add_question(struct sentence *sentence, uint64_t size, bool in_full)
{
    ADD("whether ");
    add_claim(sentence, size, in_full);
    ADD(" is undecided");
}

/* "640 waiters meet handoff p99 < 50ms (5 of 5 fresh trials passed), with p99 = 41 ms". */
static void add_passed(struct sentence *sentence)
{
    const struct plan_answer *answer = sentence->answer;
    if (answer->found.passed == 0) {
        ADD("no size is known to meet %s", sentence->objective);
    } else if (plan_answer_is_passed(answer)) {
        add_claim(sentence, answer->found.passed, true);
        add_fresh(sentence, &answer->fresh_passed, PLAN_PASSED);
        add_measured(sentence);
    } else {
        add_question(sentence, answer->found.passed, true);
        add_measured(sentence);
        ADD(": ");
        add_reason(sentence, PLAN_PASSED);
    }
}

/* Behind it. */
static void add_failed(struct sentence *sentence)
{
    const struct plan_answer *answer = sentence->answer;
    if (answer->found.failed == 0)
        return;
    ADD("; ");
    if (answer->brake != NULL) {
        ADD("at ");
        add_count(sentence, answer->found.failed);
        ADD(" a trial was ended: %s", answer->brake);
    } else if (plan_answer_is_failed(answer)) {
        add_claim(sentence, answer->found.failed, false);
        ADD(" not");
        add_fresh(sentence, &answer->fresh_failed, PLAN_FAILED);
    } else {
        add_question(sentence, answer->found.failed, false);
        ADD(": ");
        add_reason(sentence, PLAN_FAILED);
    }
}

static void add_nothing(struct sentence *sentence)
{
    ADD("nothing meets %s: the best is ", sentence->objective);
    add_size(sentence, sentence->answer->best);
    add_measured(sentence);
    if (sentence->question->least > 1)
        ADD("; no fewer were tried");
    if (sentence->answer->brake != NULL)
        ADD("; a trial was ended: %s", sentence->answer->brake);
}

/* The least size may have failed, and a larger one passed. */
static void add_not_monotone(struct sentence *sentence)
{
    const struct plan_answer *answer = sentence->answer;
    if (answer->found.passed > 0) {
        add_passed(sentence);
        add_failed(sentence);
    } else {
        add_size(sentence, answer->found.failed);
        ADD(" %s not meet %s", answer->found.failed == 1 ? "does" : "do", sentence->objective);
        add_fresh(sentence, &answer->fresh_failed, PLAN_FAILED);
    }
    ADD(", but ");
    add_count(sentence, answer->found.passed_above);
    ADD(" do");
    add_fresh(sentence, &answer->fresh_above, PLAN_PASSED);
    ADD(": the answers are not monotone");
}

/* The next size above the largest that passed is undecided, or a failure that decides nothing. */
static void add_undetermined(struct sentence *sentence)
{
    const struct search_answer *found = &sentence->answer->found;
    bool is_next = found->reason == SEARCH_UNDETERMINED, is_first = found->passed == 0;
    if (!is_first) {
        add_passed(sentence);
        ADD("; ");
    }
    add_question(sentence, is_next ? found->undecided : found->failed, is_first);
    ADD(": ");
    add_reason(sentence, is_next && is_first ? PLAN_PASSED : PLAN_FAILED);
    if (is_next)
        add_failed(sentence);
}

static void add_most(struct sentence *sentence)
{
    const struct plan_question *question = sentence->question;
    ADD("; no more were tried: ");
    if (question->most_by != NULL) {
        ADD("%s", question->most_by);
    } else {
        ADD("--at-most ");
        add_count(sentence, question->most);
    }
}

/* What changed while the search went on, and why it ended early. */
static void add_end(struct sentence *sentence)
{
    static const char *const words[] = {[PLAN_CUT_NOT] = "it was out of trials",
                                        [PLAN_CUT_BY_TIME] = "its time was used up",
                                        [PLAN_CUT_SHORT] = "it was cut short"};
    const struct plan_answer *answer = sentence->answer;
    const struct search_answer *found = &answer->found;
    if (found->lost > 0) {
        ADD("; ");
        add_count(sentence, found->lost);
    }
    if (found->lost_most > found->lost) {
        ADD(" to ");
        add_count(sentence, found->lost_most);
    }
    if (found->lost > 0)
        ADD(" passed at first and failed later");
    if (found->lost_most > found->lost)
        ADD(", as on servers or a machine that became slower");
    if (found->reason == SEARCH_BUDGET)
        ADD("; the search ended early: %s after %zu trial%s", words[answer->cut], answer->trials,
            answer->trials == 1 ? "" : "s");
}

char *plan_sentence_found(const struct plan_question *question, const struct plan_answer *answer)
{
    struct sentence made = {.question = question, .answer = answer}, *sentence = &made;
    objective_format(&question->objective, made.objective, sizeof made.objective);
    ADD("%s: ", answer->recipe->name);
    switch (answer->found.reason) {
    case SEARCH_NOTHING_MEETS:
        add_nothing(sentence);
        break;
    case SEARCH_UNDETERMINED:
        add_undetermined(sentence);
        break;
    case SEARCH_EVERYTHING_MEETS:
        add_passed(sentence);
        add_most(sentence);
        break;
    case SEARCH_NOT_MONOTONE:
        add_not_monotone(sentence);
        break;
    case SEARCH_BUDGET:
    case SEARCH_FOUND:
        add_passed(sentence);
        add_failed(sentence);
        break;
    }
    add_end(sentence);
    ADD(".");
    return made.text.text;
}

/* ------------------------------------------------------------------ all sentences */

void plan_sentences_write(const struct plan_question *question, const struct plan_answer *answer,
                          bool several, FILE *stream)
{
    char name[200], size[64];
    const char *target = several ? answer->target : "", *comma = several ? ", " : "";
    char *found = plan_sentence_found(question, answer);
    wrap_sentence(stream, "%s%s%s", target, comma, found);
    free(found);
    snprintf(name, sizeof name, "%s%s%s", target, comma, answer->recipe->name);
    if (answer->gave_out != NULL)
        wrap_sentence(stream, "%s, %s: what gave out first: %s (%s).", name,
                      plan_question_format(question, answer->found.failed, size, sizeof size),
                      utilisation_limit_words(answer->gave_out->limit), answer->gave_out->evidence);
}

/* ------------------------------------------------------------------ the table */

static void put_duration(struct grid *grid, double duration_us)
{
    char text[32];
    if (isnan(duration_us))
        grid_put(grid, GRID_UNKNOWN);
    else if (isinf(duration_us))
        grid_put(grid, "> 1 min");
    else
        grid_put(grid, "%s",
                 text_format_duration((uint64_t)(duration_us * 1e3), text, sizeof text));
}

/* An end of the interval; `none`: the search has found that there is no such size. What is
 * undecided is a dash, and the sentences say why. */
static void put_end(struct grid *grid, bool is_decided, uint64_t size, bool none, const char *dash)
{
    if (is_decided || none)
        grid_put_whole(grid, is_decided ? (double)size : NAN);
    else
        grid_put(grid, "%s", dash);
}

static void put_row(struct grid *grid, const struct plan_answer *answer, const char *dash)
{
    const struct plan_votes *votes = &answer->fresh_passed;
    enum search_reason end = answer->found.reason;
    bool is_passed = plan_answer_is_passed(answer);
    bool none_passes =
        end == SEARCH_NOTHING_MEETS || (end == SEARCH_NOT_MONOTONE && answer->found.passed == 0);
    grid_put(grid, "%s", answer->target);
    grid_put(grid, "%s", answer->recipe->name);
    put_end(grid, is_passed, answer->found.passed, none_passes, dash);
    if (is_passed)
        grid_put(grid, "%u of %u", votes->passed, votes->cast);
    else
        grid_put(grid, GRID_UNKNOWN);
    put_end(grid, plan_answer_is_failed(answer), answer->found.failed,
            end == SEARCH_EVERYTHING_MEETS, dash);
    put_duration(grid, answer->p50_us);
    put_duration(grid, answer->measured_us);
    grid_put_whole(grid, answer->handoffs_per_s);
    grid_put(grid, "%s",
             answer->gave_out != NULL ? utilisation_limit_word(answer->gave_out->limit)
                                      : GRID_UNKNOWN);
}

void plan_table_write(const struct plan_question *question, const struct plan_search *searches,
                      size_t count, bool several, FILE *stream)
{
    char percentile[16];
    const struct objective *objective = &question->objective;
    const char *metric =
        objective_metric_word(objective_is_rate(objective) ? OBJECTIVE_HANDOFF : objective->metric);
    snprintf(percentile, sizeof percentile, "p%g", objective_percent(objective));
    const struct grid_column columns[] = {
        {.over = "", .title = "servers"},
        {.over = "", .title = "recipe"},
        {.over = "largest", .title = "passed", .right = true},
        {.over = "fresh", .title = "trials", .right = true, .spare = 1},
        {.over = "smallest", .title = "failed", .right = true},
        {.over = metric, .title = "p50", .right = true, .spare = 3},
        {.over = metric, .title = percentile, .right = true},
        {.over = "handoffs", .title = "a second", .right = true, .spare = 2},
        {.over = "gave out", .title = "first"},
    };
    struct grid grid;
    char *dash = terminal_spell("–", stream);
    grid_init(&grid, columns, sizeof columns / sizeof columns[0], 2);
    for (size_t i = 0; i < count; i++)
        put_row(&grid, &searches[i].answer, dash);
    free(dash);
    grid.hidden[0] = !several;
    grid.hidden[6] = objective_is_rate(objective) || objective->percentile_hundredths == 5000;
    grid_fit(&grid, TERMINAL_COLUMNS, 1);
    grid_write(&grid, TERMINAL_COLUMNS, stream);
    grid_deinit(&grid);
}
