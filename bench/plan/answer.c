// SPDX-License-Identifier: Apache-2.0
#include "base/memory.h"
#include "base/text.h"
#include "bench/output/json_result.h"
#include "bench/output/row_grid.h"
#include "bench/plan/internal.h"
#include "measure/statistics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* PRIVATE: in the JSON alone. */
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
    X(T, p50_us, REAL, "us", 1, NONE, "median of the same trials")                                 \
    X(T, handoffs_per_s, REAL, "1/s", 2, NONE, "median of the same trials")                        \
    X(T, gave_out, TEXT, "", 0, NONE, "what gave out first in most trials that failed")            \
    X(T, gave_out_evidence, TEXT, "", 0, PRIVATE, "the figures that say so")                       \
    X(T, trials, COUNT, "", 0, NONE, "of the search")                                              \
    X(T, no_votes, COUNT, "", 0, NONE, "of these, those undetermined or not valid")                \
    X(T, sentence, TEXT, "", 0, NONE, "what was found, in words")
TABLE_DECLARE(answer_row, ANSWER_ROW_COLUMNS);
TABLE_DEFINE(answer_row, "answers.csv", ANSWER_ROW_COLUMNS)

/* A row of the table on the terminal: a size that the answer is about. */
#define SIZE_ROW_COLUMNS(X, T)                                                                     \
    X(T, recipe, TEXT, "", 0, KEY, "")                                                             \
    X(T, size, COUNT, "", 0, KEY, "")                                                              \
    X(T, result, TEXT, "", 0, NONE, "")                                                            \
    X(T, trials, TEXT, "", 0, NONE, "")                                                            \
    X(T, p50_us, REAL, "us", 1, NONE, "")                                                          \
    X(T, measured_us, REAL, "us", 1, NONE, "")                                                     \
    X(T, handoffs_per_s, REAL, "1/s", 2, NONE, "")                                                 \
    X(T, gave_out, TEXT, "", 0, NONE, "")                                                          \
    X(T, disturbed, FLAG, "", 0, NONE, "")
TABLE_DECLARE(size_row, SIZE_ROW_COLUMNS);
TABLE_DEFINE(size_row, "plan.csv", SIZE_ROW_COLUMNS)

/* ------------------------------------------------------------------ the trials of a size */

/* FIRST located the size, FRESH are those of its latest ballot of fresh ones. */
enum trials { FIRST, FRESH, OUTDATED, ALL, OTHERS };

struct size {
    uint64_t size; /* 0: there is none */
    uint32_t of[OTHERS][JUDGE_VERDICTS];
    /* The trial that the brake has ended, the last that is not valid, the undetermined one with
     * most samples, and the first fresh one that failed for what most failed for, undisturbed. */
    const struct table_value *braked, *not_valid, *undetermined, *gave_out;
    /* Medians over the votes, the fresh ones if there are any; without a vote, over all trials. */
    double measured_us, p50_us, handoffs_per_s;
    bool disturbed; /* one of these */
};

static enum trials kind_of(const struct plan_answer *answer, uint64_t size,
                           const struct table_value *row)
{
    if (strcmp(row[plan_row_recipe].text, answer->recipe->name) != 0 ||
        row[plan_row_size].count != size)
        return OTHERS;
    if (strcmp(row[plan_row_stage].text, search_stage_words[SEARCH_CONFIRM]) != 0)
        return FIRST;
    return row[plan_row_step].count > search_fresh_from(answer->search, size) ? FRESH : OUTDATED;
}

static bool is_vote(const struct table_value *row)
{
    enum judge_verdict verdict = plan_row_judged(row);
    return verdict == JUDGE_PASS || verdict == JUDGE_FAIL;
}

static uint32_t votes(const struct size *size, enum trials trials)
{
    return size->of[trials][JUDGE_PASS] + size->of[trials][JUDGE_FAIL];
}

static uint32_t no_votes(const struct size *size)
{
    const uint32_t *of = size->of[ALL];
    return of[JUDGE_UNDETERMINED] + of[JUDGE_NOT_VALID] + of[JUDGE_BRAKED];
}

static void count_trial(struct size *size, enum trials kind, const struct table_value *row)
{
    enum judge_verdict verdict = plan_row_judged(row);
    size->of[kind][verdict]++;
    size->of[ALL][verdict]++;
    if (verdict == JUDGE_BRAKED)
        size->braked = row;
    if (verdict == JUDGE_NOT_VALID)
        size->not_valid = row;
    if (verdict == JUDGE_UNDETERMINED &&
        (size->undetermined == NULL ||
         row[plan_row_samples].count >= size->undetermined[plan_row_samples].count))
        size->undetermined = row;
}

/* An infinite value counts: it is above the range of a histogram. */
static double median_of(const struct table_cell *trials, size_t column)
{
    double *values = memory_new(trials->count + 1, sizeof *values);
    size_t count = table_cell_values(trials, column, TABLE_ALL, values);
    statistics_sort(values, count);
    double median = statistics_median(values, count);
    free(values);
    return median;
}

static const struct table_value *find_what_gave_out(const struct table_cell *votes)
{
    const struct table_value *foremost = NULL;
    size_t most = 0;
    for (size_t i = 0; i < votes->count; i++) {
        const struct table_value *row = table_row(votes->table, votes->rows[i]);
        size_t alike = 0;
        for (size_t j = 0; j < votes->count; j++) {
            const struct table_value *other = table_row(votes->table, votes->rows[j]);
            alike += plan_row_judged(other) == JUDGE_FAIL &&
                     table_equal(&row[plan_row_gave_out], &other[plan_row_gave_out]);
        }
        if (plan_row_judged(row) == JUDGE_FAIL && row[plan_row_gave_out].kind == TABLE_TEXT &&
            alike > most) {
            most = alike;
            foremost = row;
        }
    }
    return foremost;
}

static struct size size_of(const struct plan_answer *answer, uint64_t of_size)
{
    const struct table *rows = answer->rows;
    struct size size = {.size = of_size};
    struct table_cell figures = {.table = rows, .rows = memory_new(rows->rows + 1, sizeof(size_t))};
    for (size_t i = 0; i < rows->rows; i++) {
        enum trials kind = kind_of(answer, of_size, table_row(rows, i));
        if (kind != OTHERS)
            count_trial(&size, kind, table_row(rows, i));
    }
    enum trials chosen = votes(&size, FRESH) > 0 ? FRESH : FIRST;
    for (size_t i = 0; i < rows->rows; i++) {
        const struct table_value *row = table_row(rows, i);
        enum trials kind = kind_of(answer, of_size, row);
        if (votes(&size, chosen) > 0 ? kind == chosen && is_vote(row) : kind != OTHERS)
            figures.rows[figures.count++] = i;
    }
    size.measured_us = median_of(&figures, plan_row_measured_us);
    size.p50_us = median_of(&figures, plan_row_p50_us);
    size.handoffs_per_s = median_of(&figures, plan_row_handoffs_per_s);
    size.disturbed = table_cell_flags(&figures, plan_row_noise_disturbed) > 0;
    size.gave_out = chosen == FRESH && !size.disturbed ? find_what_gave_out(&figures) : NULL;
    free(figures.rows);
    return size;
}

/* ------------------------------------------------------------------ the table of the sizes */

/* The sizes that an answer is about. */
struct sizes {
    struct size passed, undecided, failed, above;
    struct size tried; /* the last one, if nothing else is known */
    struct size least;
};

static void find_sizes(const struct plan_answer *answer, struct sizes *sizes)
{
    const struct search_answer *found = &answer->found;
    bool is_open = found->passed == 0 && found->failed == 0 && found->reason == SEARCH_BUDGET;
    sizes->passed = size_of(answer, found->passed);
    sizes->undecided = size_of(answer, found->reason == SEARCH_UNDETERMINED ? found->undecided : 0);
    sizes->failed = size_of(answer, found->failed);
    sizes->above = size_of(answer, found->passed_above);
    sizes->tried = size_of(answer, is_open ? answer->search->ballot.probe.size : 0);
    sizes->least = size_of(answer, answer->question->least);
}

/* What gave out, in one word. */
static const char *short_word(const char *words)
{
    enum utilisation_limit limit = 0;
    while (strcmp(words, utilisation_limit[limit].words) != 0)
        limit++;
    return utilisation_limit[limit].word;
}

/* Adds a size, with how many of its trials agree with the result, or are no vote. end: of the
 * interval, whose fresh trials need not have been made. */
static void add_size(const struct plan_answer *answer, const struct size *size,
                     enum judge_verdict result, enum search_end end, struct table *table)
{
    static const char *const words[JUDGE_VERDICTS] = {[JUDGE_PASS] = "passed",
                                                      [JUDGE_FAIL] = "failed",
                                                      [JUDGE_UNDETERMINED] = "undecided",
                                                      [JUDGE_BRAKED] = "ended"};
    bool is_first = end == SEARCH_END_NOT_TRIED || end == SEARCH_END_UNDER_WAY;
    enum trials kind = is_first ? FIRST : FRESH;
    char trials[64];
    if (size->size == 0)
        return;
    if (result == JUDGE_PASS || result == JUDGE_FAIL)
        snprintf(trials, sizeof trials, "%u of %u%s", size->of[kind][result], votes(size, kind),
                 is_first ? "" : " fresh");
    else if (no_votes(size) + votes(size, ALL) > 0)
        snprintf(trials, sizeof trials, "%u of %u no vote", no_votes(size),
                 no_votes(size) + votes(size, ALL));
    else
        snprintf(trials, sizeof trials, "by no trial");
    table->type = &size_row_table;
    struct table_value *row = table_add(table);
    row[size_row_recipe] = table_text(answer->recipe->name);
    row[size_row_size] = table_count(size->size);
    row[size_row_result] = table_text(words[result]);
    row[size_row_trials] = table_text(trials);
    row[size_row_p50_us] = table_real(size->p50_us);
    if (answer->question->objective.percentile_hundredths != 5000)
        row[size_row_measured_us] = table_real(size->measured_us);
    row[size_row_handoffs_per_s] = table_real(size->handoffs_per_s);
    if (size->gave_out != NULL)
        row[size_row_gave_out] = table_text(short_word(size->gave_out[plan_row_gave_out].text));
    row[size_row_disturbed] = table_flag(size->disturbed);
}

void plan_sizes_print(const struct plan_question *question, const struct table *sizes, size_t width,
                      FILE *stream)
{
    const struct objective *objective = &question->objective;
    const char *metric = objective_metric_words[objective->metric];
    char percentile[32];
    snprintf(percentile, sizeof percentile, "p%g ms", objective_percent(objective));
#define TIME .factor = 1e-3, .decimals = 2, .mark = size_row_disturbed, .where = ROW_COLUMN_KNOWN
    const struct row_column columns[] = {
        {.column = size_row_recipe, .over = ""},
        {.column = size_row_size, .over = "", .title = plan_question_unknowns[question->unknown]},
        {.column = size_row_result, .over = ""},
        {.column = size_row_trials, .over = ""},
        {.column = size_row_p50_us, .over = metric, .title = "p50 ms", .spare = 3, TIME},
        {.column = size_row_measured_us, .over = metric, .title = percentile, TIME},
        {.column = size_row_handoffs_per_s,
         .over = "handoffs",
         .title = "a second",
         .spare = 2,
         .mark = size_row_disturbed,
         .where = ROW_COLUMN_KNOWN},
        {.column = size_row_gave_out,
         .over = "gave out",
         .title = "first",
         .spare = 1,
         .where = ROW_COLUMN_KNOWN},
    };
    const struct row_grid grid = {
        .table = sizes, .columns = columns, .column_count = sizeof columns / sizeof columns[0]};
    row_grid_write(&grid, width, stream);
}

/* ------------------------------------------------------------------ why, in words */

static const char *reason_of(const struct plan_answer *answer)
{
    static const char *const words[] = {[PLAN_CUT_BY_TIME] = "out of time",
                                        [PLAN_CUT_BY_NOISE] = "disturbed",
                                        [PLAN_CUT_SHORT] = "cut short"};
    enum search_reason reason = answer->found.reason;
    enum plan_cut cut =
        answer->cut == PLAN_CUT_NOT && answer->search->settles ? PLAN_CUT_BY_TIME : answer->cut;
    return reason == SEARCH_BUDGET && cut != PLAN_CUT_NOT ? words[cut]
                                                          : search_reason_words[reason];
}

#define WHY_SIZE 1000

/* Writes why the trials of an undecided size are no votes. */
static void format_no_votes(const struct objective *objective, const struct size *size,
                            char text[WHY_SIZE])
{
    const struct table_value *few = size->undetermined;
    char most[32], needed[32];
    text[0] = '\0';
    if (size->not_valid != NULL)
        text_append_clause(text, WHY_SIZE, "%u not valid (%s)", size->of[ALL][JUDGE_NOT_VALID],
                           size->not_valid[plan_row_reason].text);
    if (few != NULL)
        text_append_clause(
            text, WHY_SIZE, "%u too near to the limit; %s samples at most, %s would do",
            size->of[ALL][JUDGE_UNDETERMINED],
            text_format_count(few[plan_row_samples].count, most, sizeof most),
            text_format_count(judge_samples_needed(objective, few[plan_row_over].count), needed,
                              sizeof needed));
}

/* Why an end of the interval is not decided; unknown: it is. */
static struct table_value explain_end(const struct plan_answer *answer, const struct sizes *sizes,
                                      enum search_end end, const char *none)
{
    char text[WHY_SIZE];
    if (end != SEARCH_END_NONE)
        return table_text(end == SEARCH_END_DECIDED ? NULL : search_end_lacks[end]);
    format_no_votes(&answer->question->objective, &sizes->undecided, text);
    return table_text(text[0] != '\0' ? text : none);
}

/* The answer's sizes, the rows of their table from `first` on, and what they lack: to be freed. */
static char *format_sentence(const struct plan_answer *answer, const struct sizes *sizes,
                             const struct table *table, size_t first)
{
    const struct plan_question *question = answer->question;
    const struct search_answer *found = &answer->found;
    const struct table_value *braked = sizes->failed.braked;
    struct growing_text text = {0};
    char objective[OBJECTIVE_TEXT_SIZE], size[64], why[WHY_SIZE];
    growing_text_add(&text, "%s: %s", answer->recipe->name,
                     objective_format(&question->objective, objective, sizeof objective));
    for (size_t i = first; i < table->rows; i++) {
        const struct table_value *row = table_row(table, i);
        uint64_t count = row[size_row_size].count;
        growing_text_add(&text, "%s %s %s (%s%s)", i == first ? ":" : ",",
                         i == first ? plan_question_format(question, count, size, sizeof size)
                                    : text_format_count(count, size, sizeof size),
                         row[size_row_result].text, row[size_row_trials].text,
                         row[size_row_disturbed].flag ? ", disturbed" : "");
    }
    format_no_votes(&question->objective, &sizes->undecided, why);
    if (why[0] != '\0')
        growing_text_add(&text, "; %s", why);
    if (braked != NULL)
        growing_text_add(&text, "; a trial was ended: %s", braked[plan_row_reason].text);
    if (found->lost > 0)
        growing_text_add(&text, "; %llu%s passed at first and failed later",
                         (unsigned long long)found->lost,
                         found->lost_most > found->lost ? " and others" : "");
    if (found->reason == SEARCH_EVERYTHING_MEETS)
        growing_text_add(&text, "; more were not tried: %s",
                         question->most_by != NULL ? question->most_by : "--at-most");
    if (found->reason == SEARCH_BUDGET)
        growing_text_add(&text, "; %s%s", reason_of(answer),
                         answer->cut == PLAN_CUT_BY_NOISE ? ": --noise report counts such trials"
                                                          : "");
    return text.text;
}

/* ------------------------------------------------------------------ the row, and its findings */

/* A size of 0: there is none. */
static struct table_value size_value(uint64_t size)
{
    return table_count_if(size > 0, size);
}

static void fill_ends(const struct plan_answer *answer, const struct sizes *sizes,
                      struct table_value *row)
{
    const struct search_answer *found = &answer->found;
    const struct size *passed = &sizes->passed, *failed = &sizes->failed;
    bool is_decided = found->failed_end == SEARCH_END_DECIDED;
    row[answer_row_reason] = table_text(reason_of(answer));
    row[answer_row_passed] = table_count_if(found->passed_end == SEARCH_END_DECIDED, found->passed);
    row[answer_row_fresh_passed] = table_count(passed->of[FRESH][JUDGE_PASS]);
    row[answer_row_fresh_votes] = table_count(votes(passed, FRESH));
    row[answer_row_failed] = table_count_if(is_decided, found->failed);
    row[answer_row_failed_fresh_failed] = table_count(failed->of[FRESH][JUDGE_FAIL]);
    row[answer_row_failed_fresh_votes] = table_count(votes(failed, FRESH));
    row[answer_row_braked] = table_flag(found->stopped);
    row[answer_row_undecided] = size_value(found->undecided);
    row[answer_row_passed_above] = size_value(found->passed_above);
    row[answer_row_passed_reason] = explain_end(answer, sizes, found->passed_end, "no size passed");
    row[answer_row_failed_reason] = explain_end(answer, sizes, found->failed_end, "no size failed");
    row[answer_row_lost] = size_value(found->lost);
    row[answer_row_lost_most] = size_value(found->lost_most);
    if (is_decided && failed->gave_out != NULL) {
        row[answer_row_gave_out] = table_text(failed->gave_out[plan_row_gave_out].text);
        row[answer_row_gave_out_evidence] = table_text(failed->gave_out[plan_row_evidence].text);
    }
}

/* Fills the figures of the size that figures_at names, and counts the trials of all sizes. */
static void fill_figures(const struct plan_answer *answer, const struct sizes *sizes,
                         struct table_value *row)
{
    const struct size *at = answer->found.passed > 0 ? &sizes->passed : &sizes->least;
    bool has_votes = votes(at, ALL) > 0;
    size_t lost = 0;
    for (size_t i = 0; i < answer->rows->rows; i++) {
        const struct table_value *trial = table_row(answer->rows, i);
        lost += strcmp(trial[plan_row_recipe].text, answer->recipe->name) == 0 && !is_vote(trial) &&
                plan_row_judged(trial) != JUDGE_BRAKED;
    }
    row[answer_row_figures_at] = table_count(at->size);
    row[answer_row_measured_us] = table_real(has_votes ? at->measured_us : NAN);
    row[answer_row_p50_us] = table_real(has_votes ? at->p50_us : NAN);
    row[answer_row_handoffs_per_s] = table_real(has_votes ? at->handoffs_per_s : NAN);
    row[answer_row_trials] = table_count(answer->search->step_count);
    row[answer_row_no_votes] = table_count(lost);
}

/* That nothing, or everything, meets the objective is an answer. */
static void add_findings(const struct plan_answer *answer, const struct table_value *row,
                         struct table *findings)
{
    enum search_reason reason = answer->found.reason;
    bool is_open = reason == SEARCH_BUDGET || reason == SEARCH_UNDETERMINED;
    const char *recipe = answer->recipe->name;
    const struct finding capacity = {.slug = "capacity",
                                     .subject = recipe,
                                     .verdict = is_open ? VERDICT_UNDETERMINED : VERDICT_MEASURED,
                                     .figure =
                                         FINDING_FIGURE(table_number(&row[answer_row_passed])),
                                     .unit = plan_question_unknowns[answer->question->unknown],
                                     .n = row[answer_row_trials].count};
    const struct finding gave_out = {.slug = "gave-out",
                                     .subject = recipe,
                                     .verdict = VERDICT_MEASURED,
                                     .figure = FINDING_NO_FIGURE,
                                     .n = row[answer_row_failed_fresh_failed].count};
    findings_add(findings, &capacity, "%s", row[answer_row_sentence].text);
    if (row[answer_row_gave_out].kind == TABLE_TEXT)
        findings_add(findings, &gave_out, "%s: gave out first: %s (%s)", recipe,
                     row[answer_row_gave_out].text, row[answer_row_gave_out_evidence].text);
}

void plan_answer_add(const struct plan_answer *answer, const struct series_record *record,
                     struct plan_results *results, struct table *findings)
{
    const struct search_answer *found = &answer->found;
    struct table *table = &results->sizes;
    size_t first = table->rows;
    struct sizes sizes;
    find_sizes(answer, &sizes);
    add_size(answer, &sizes.passed, JUDGE_PASS, found->passed_end, table);
    add_size(answer, &sizes.undecided, JUDGE_UNDETERMINED, SEARCH_END_NONE, table);
    add_size(answer, &sizes.failed, found->stopped ? JUDGE_BRAKED : JUDGE_FAIL, found->failed_end,
             table);
    add_size(answer, &sizes.above, JUDGE_PASS, SEARCH_END_DECIDED, table);
    add_size(answer, &sizes.tried, JUDGE_UNDETERMINED, SEARCH_END_NONE, table);
    char *sentence = format_sentence(answer, &sizes, table, first);
    results->answers.type = &answer_row_table;
    struct table_value *row = table_add(&results->answers);
    plan_row_begin(record, answer->question, answer->recipe, row);
    row[answer_row_sentence] = table_text(sentence);
    fill_ends(answer, &sizes, row);
    fill_figures(answer, &sizes, row);
    add_findings(answer, row, findings);
    free(sentence);
}

json_t *plan_answer_json(const struct table_value *row, const struct table *findings)
{
    const struct table_type *type = &answer_row_table;
    json_t *object = json_object(), *sentences = json_array();
    json_result_set_row(object, type, row, answer_row_recipe, answer_row_lost_most);
    json_result_set_row(object, type, row, answer_row_trials, answer_row_no_votes);
    json_result_set_row(object, type, row, answer_row_figures_at, answer_row_gave_out_evidence);
    for (size_t i = 0; i < findings->rows; i++) {
        const struct table_value *finding = table_row(findings, i);
        if (strcmp(finding[finding_subject].text, row[answer_row_recipe].text) == 0)
            json_array_append_new(sentences, json_text(finding[finding_sentence].text));
    }
    json_object_set_new(object, "sentences", sentences);
    return object;
}
