// SPDX-License-Identifier: Apache-2.0
#include "base/memory.h"
#include "bench/output/json_result.h"
#include "bench/plan/internal.h"
#include "measure/statistics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ gathering */

/* The trials of one size that are told of. */
struct trials_of {
    const struct plan_samples *samples;
    uint64_t size;
    bool fresh;  /* those of its latest ballot of fresh ones; else those that located it */
    size_t from; /* the first of them */
};

static struct trials_of fresh_of(const struct search *search, const struct plan_samples *samples,
                                 uint64_t size)
{
    return (struct trials_of){samples, size, true, search_fresh_from(search, size)};
}

static struct trials_of first_of(const struct plan_samples *samples, uint64_t size)
{
    return (struct trials_of){samples, size, false, 0};
}

/* The sample is one of these. */
static bool has(const struct trials_of *of, size_t i)
{
    const struct plan_sample *sample = &of->samples->list[i];
    return sample->probe.size == of->size && i >= of->from &&
           of->fresh == (sample->probe.stage == SEARCH_CONFIRM);
}

static struct plan_votes count_votes(struct trials_of of)
{
    struct plan_votes votes = {0};
    for (size_t i = 0; i < of.samples->count; i++) {
        const struct plan_sample *sample = &of.samples->list[i];
        if (!has(&of, i) || !plan_sample_is_vote(sample))
            continue;
        votes.cast++;
        votes.passed += sample->verdict == JUDGE_PASS;
    }
    return votes;
}

/* The median of a figure over the fresh trials at a size; over the first ones if none is a vote. */
static double median_of(struct trials_of of, size_t figure)
{
    double *values = memory_new(of.samples->count + 1, sizeof *values);
    size_t count = 0;
    of.fresh = count_votes(of).cast > 0;
    of.from = of.fresh ? of.from : 0;
    for (size_t i = 0; i < of.samples->count; i++) {
        const struct plan_sample *sample = &of.samples->list[i];
        double value;
        memcpy(&value, (const char *)sample + figure, sizeof value);
        if (has(&of, i) && plan_sample_is_vote(sample) && !isnan(value))
            values[count++] = value;
    }
    statistics_sort(values, count);
    double median = statistics_median(values, count);
    free(values);
    return median;
}

/* Why the trials of the size that is not decided had no vote. */
static void explain_undecided(const struct objective *objective, const struct plan_sample *sample,
                              struct plan_undecided *undecided)
{
    undecided->trials++;
    undecided->not_valid += sample->verdict == JUDGE_NOT_VALID;
    if (sample->verdict == JUDGE_NOT_VALID)
        undecided->reason = sample->reason;
    if (sample->verdict != JUDGE_UNDETERMINED)
        return;
    undecided->undetermined++;
    if (objective_is_rate(objective) || sample->count.samples < undecided->samples_most)
        return;
    undecided->samples_most = sample->count.samples;
    undecided->samples_needed = judge_samples_needed(objective, sample->count.over);
}

static void explain_no_votes(const struct plan_question *question,
                             const struct plan_samples *samples, struct plan_answer *answer)
{
    for (size_t i = 0; i < samples->count; i++) {
        const struct plan_sample *sample = &samples->list[i];
        answer->trials++;
        answer->no_votes += !plan_sample_is_vote(sample) && sample->verdict != JUDGE_BRAKED;
        if (sample->probe.size == answer->found.undecided)
            explain_undecided(&question->objective, sample, &answer->undecided);
        if (sample->verdict == JUDGE_BRAKED && sample->probe.size == answer->found.failed)
            answer->brake = sample->reason;
    }
}

/* What most of the fresh trials say that failed at the smallest size that failed. */
static const struct utilisation_finding *find_what_gave_out(const struct search *search,
                                                            const struct plan_samples *samples,
                                                            const struct plan_answer *answer)
{
    const struct utilisation_finding *of[UTILISATION_LIMITS] = {0}, *foremost = NULL;
    size_t trials[UTILISATION_LIMITS] = {0}, most = 0;
    const struct trials_of fresh = fresh_of(search, samples, answer->found.failed);
    for (size_t i = 0; plan_answer_is_failed(answer) && i < samples->count; i++) {
        const struct plan_sample *sample = &samples->list[i];
        if (!has(&fresh, i) || sample->verdict != JUDGE_FAIL || !sample->is_explained)
            continue;
        of[sample->gave_out.limit] = &sample->gave_out;
        trials[sample->gave_out.limit]++;
    }
    for (int limit = 0; limit < UTILISATION_LIMITS; limit++) {
        if (trials[limit] > most) {
            most = trials[limit];
            foremost = of[limit];
        }
    }
    return foremost;
}

bool plan_answer_is_passed(const struct plan_answer *answer)
{
    return answer->found.passed_end == SEARCH_END_DECIDED;
}

bool plan_answer_is_failed(const struct plan_answer *answer)
{
    return answer->found.failed_end == SEARCH_END_DECIDED;
}

struct plan_answer plan_answer_take(const struct plan_question *question,
                                    const struct search *search, const struct recipe *recipe,
                                    const struct plan_samples *samples)
{
    const struct search_answer found = search_answer(search);
    struct plan_answer answer = {.recipe = recipe,
                                 .found = found,
                                 .best = found.passed > 0 ? found.passed : question->least};
    const struct trials_of best = fresh_of(search, samples, answer.best);
    answer.first_passed = count_votes(first_of(samples, found.passed));
    answer.first_failed = count_votes(first_of(samples, found.failed));
    answer.fresh_passed = count_votes(fresh_of(search, samples, found.passed));
    answer.fresh_failed = count_votes(fresh_of(search, samples, found.failed));
    answer.fresh_above = count_votes(fresh_of(search, samples, found.passed_above));
    answer.measured_us = median_of(best, offsetof(struct plan_sample, latency_us));
    answer.p50_us = median_of(best, offsetof(struct plan_sample, latency_us[PLAN_P50]));
    answer.handoffs_per_s = median_of(best, offsetof(struct plan_sample, handoffs_per_s));
    answer.gave_out = find_what_gave_out(search, samples, &answer);
    explain_no_votes(question, samples, &answer);
    return answer;
}

const char *plan_answer_reason(const struct plan_answer *answer)
{
    static const char *const words[] = {
        [PLAN_CUT_BY_TIME] = "out of time", [PLAN_CUT_SHORT] = "cut short"};
    enum search_reason end = answer->found.reason;
    return end == SEARCH_BUDGET && answer->cut != PLAN_CUT_NOT ? words[answer->cut]
                                                               : search_reason_word(end);
}

/* ------------------------------------------------------------------ as a row and as JSON */

/* What is PRIVATE is in the JSON alone. */
#define ANSWER_ROW_COLUMNS(X, T)                                                                   \
    PLAN_KEY_COLUMNS(X, T)                                                                         \
    X(T, reason, TEXT, "", 0, NONE, "how the search ended")                                        \
    X(T, passed, COUNT, "", 0, NONE, "the largest size that meets the objective by fresh trials")  \
    X(T, fresh_passed, COUNT, "", 0, NONE, "of its fresh trials, those that passed")               \
    X(T, fresh_votes, COUNT, "", 0, NONE, "of its fresh trials, those that were votes")            \
    X(T, failed, COUNT, "", 0, NONE, "the smallest that does not by fresh trials, or was braked")  \
    X(T, failed_fresh_failed, COUNT, "", 0, NONE, "of its fresh trials, those that failed")        \
    X(T, failed_fresh_votes, COUNT, "", 0, NONE, "of its fresh trials, those that were votes")     \
    X(T, braked, FLAG, "", 0, NONE, "whether a brake ended a trial at `failed`")                   \
    X(T, undecided, COUNT, "", 0, NONE, "the smallest size whose trials decided nothing")          \
    X(T, passed_above, COUNT, "", 0, NONE, "the largest that passed above one that failed")        \
    X(T, passed_reason, TEXT, "", 0, NONE, "why `passed` is empty")                                \
    X(T, failed_reason, TEXT, "", 0, NONE, "why `failed` is empty")                                \
    X(T, lost, COUNT, "", 0, NONE, "the smallest size that passed at first and failed later")      \
    X(T, lost_most, COUNT, "", 0, NONE, "the largest")                                             \
    X(T, figures_at, COUNT, "", 0, NONE,                                                           \
      "the size of the figures: the largest that passed, decided or not, or the least")            \
    X(T, measured_us, REAL, "us", 1, NONE, "median over the fresh trials there, or the first")     \
    X(T, p50_us, REAL, "us", 1, NONE, "likewise")                                                  \
    X(T, handoffs_per_s, REAL, "1/s", 2, NONE, "likewise")                                         \
    X(T, gave_out, TEXT, "", 0, NONE, "what gave out first in most trials that failed")            \
    X(T, gave_out_evidence, TEXT, "", 0, PRIVATE, "the figures that say so")                       \
    X(T, trials, COUNT, "", 0, NONE, "of the search")                                              \
    X(T, no_votes, COUNT, "", 0, NONE, "of these, those undetermined or not valid")                \
    X(T, sentence, TEXT, "", 0, NONE, "what was found, in words")
TABLE_DECLARE(answer_row, ANSWER_ROW_COLUMNS);
TABLE_DEFINE(answer_row, "answers.csv", ANSWER_ROW_COLUMNS)

/* A size of 0: there is none. */
static struct table_value size_of(uint64_t size)
{
    return table_count_if(size > 0, size);
}

/* Frees the text; "": an empty field. */
static struct table_value take_text(char *text)
{
    struct table_value value = table_text(text[0] != '\0' ? text : NULL);
    free(text);
    return value;
}

void answer_row_take(const struct plan_answer *answer, const struct series_record *record,
                     const struct plan_question *question, struct table_value *row)
{
    const struct search_answer *found = &answer->found;
    const struct plan_votes *passed = &answer->fresh_passed, *failed = &answer->fresh_failed;
    plan_row_begin(record, question, answer->recipe, row);
    row[answer_row_reason] = table_text(plan_answer_reason(answer));
    row[answer_row_passed] = table_count_if(plan_answer_is_passed(answer), found->passed);
    row[answer_row_fresh_passed] = table_count(passed->passed);
    row[answer_row_fresh_votes] = table_count(passed->cast);
    row[answer_row_failed] = table_count_if(plan_answer_is_failed(answer), found->failed);
    row[answer_row_failed_fresh_failed] = table_count(failed->cast - failed->passed);
    row[answer_row_failed_fresh_votes] = table_count(failed->cast);
    row[answer_row_braked] = table_flag(found->stopped);
    row[answer_row_undecided] = size_of(found->undecided);
    row[answer_row_passed_above] = size_of(found->passed_above);
    row[answer_row_passed_reason] = take_text(plan_sentence_end(question, answer, PLAN_PASSED));
    row[answer_row_failed_reason] = take_text(plan_sentence_end(question, answer, PLAN_FAILED));
    row[answer_row_lost] = size_of(found->lost);
    row[answer_row_lost_most] = size_of(found->lost_most);
    row[answer_row_sentence] = take_text(plan_sentence_found(question, answer));
    row[answer_row_figures_at] = table_count(answer->best);
    row[answer_row_measured_us] = table_real(answer->measured_us);
    row[answer_row_p50_us] = table_real(answer->p50_us);
    row[answer_row_handoffs_per_s] = table_real(answer->handoffs_per_s);
    if (answer->gave_out != NULL) {
        row[answer_row_gave_out] = table_text(utilisation_limit_words(answer->gave_out->limit));
        row[answer_row_gave_out_evidence] = table_text(answer->gave_out->evidence);
    }
    row[answer_row_trials] = table_count(answer->trials);
    row[answer_row_no_votes] = table_count(answer->no_votes);
}

json_t *plan_answer_json(const struct plan_answer *answer, const struct series_record *record,
                         const struct plan_question *question)
{
    struct table table = {.type = &answer_row_table};
    struct table_value *row = table_add(&table);
    struct json_sentences sentences;
    json_t *object = json_object();
    answer_row_take(answer, record, question, row);
    json_result_set_row(object, table.type, row, answer_row_recipe, answer_row_lost_most);
    json_result_set_row(object, table.type, row, answer_row_trials, answer_row_no_votes);
    json_result_set_row(object, table.type, row, answer_row_figures_at,
                        answer_row_gave_out_evidence);
    table_deinit(&table);
    plan_sentences_write(question, answer, false, json_sentences_begin(&sentences));
    json_object_set_new(object, "sentences", json_sentences_end(&sentences));
    return object;
}
