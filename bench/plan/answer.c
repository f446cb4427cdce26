// SPDX-License-Identifier: Apache-2.0
#include "base/memory.h"
#include "base/text.h"
#include "bench/output/json_result.h"
#include "bench/output/row_grid.h"
#include "bench/plan/internal.h"
#include "bench/plan/trial_row.h"
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
    X(T, p50_us, REAL, "us", 1, NONE, "likewise")                                                  \
    X(T, handoffs_per_s, REAL, "1/s", 2, NONE, "likewise")                                         \
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

/* FRESH are those of the latest ballot of fresh trials, FIRST those that located the size. */
enum trials { FIRST, FRESH, ALL };

struct votes {
    uint32_t trials, cast;
    uint32_t agree;     /* of those cast */
    uint32_t disturbed; /* of those that count: the votes, or all trials if there are no votes */
};

/* The next row of these trials from *at on; NULL: none is left. */
static const struct table_value *next_trial(const struct plan_answer *answer, uint64_t size,
                                            enum trials trials, size_t *at)
{
    size_t fresh_from = search_fresh_from(answer->search, size);
    while (*at < answer->rows->rows) {
        const struct table_value *row = table_row(answer->rows, (*at)++);
        bool confirms = strcmp(row[plan_row_stage].text, search_stage_word(SEARCH_CONFIRM)) == 0,
             is_latest = confirms && row[plan_row_step].count > fresh_from;
        if (strcmp(row[plan_row_recipe].text, answer->recipe->name) == 0 &&
            row[plan_row_size].count == size &&
            (trials == ALL || (trials == FRESH ? is_latest : !confirms)))
            return row;
    }
    return NULL;
}

static struct votes count_votes(const struct plan_answer *answer, uint64_t size, enum trials trials,
                                enum judge_verdict agreeing)
{
    struct votes votes = {0};
    const struct table_value *row;
    uint32_t disturbed = 0;
    for (size_t at = 0; (row = next_trial(answer, size, trials, &at)) != NULL;) {
        bool is_vote = plan_row_is_vote(row), is_disturbed = row[plan_row_noise_disturbed].flag;
        votes.trials++;
        votes.cast += is_vote;
        votes.agree += plan_row_is(row, agreeing);
        votes.disturbed += is_vote && is_disturbed;
        disturbed += is_disturbed;
    }
    votes.disturbed = votes.cast > 0 ? votes.disturbed : disturbed;
    return votes;
}

/* The median of a column over the votes of a size, the fresh ones if there are any. Without a vote:
 * over all trials, or NaN. */
static double median_of(const struct plan_answer *answer, uint64_t size, size_t column,
                        bool without_votes)
{
    bool fresh = count_votes(answer, size, FRESH, JUDGE_PASS).cast > 0,
         votes = count_votes(answer, size, ALL, JUDGE_PASS).cast > 0 || !without_votes;
    enum trials trials = !votes ? ALL : fresh ? FRESH : FIRST;
    double *values = memory_new(answer->rows->rows + 1, sizeof *values);
    const struct table_value *row;
    size_t count = 0;
    for (size_t at = 0; (row = next_trial(answer, size, trials, &at)) != NULL;) {
        double value = table_number(&row[column]);
        if ((plan_row_is_vote(row) || !votes) && !isnan(value))
            values[count++] = value;
    }
    statistics_sort(values, count);
    double median = statistics_median(values, count);
    free(values);
    return median;
}

/* The first of the fresh trials that failed for what most of them failed for; NULL: not known. */
static const struct table_value *find_what_gave_out(const struct plan_answer *answer, uint64_t size)
{
    const struct table_value *row, *other, *foremost = NULL;
    size_t most = 0;
    for (size_t at = 0; (row = next_trial(answer, size, FRESH, &at)) != NULL;) {
        size_t alike = 0;
        for (size_t i = 0; (other = next_trial(answer, size, FRESH, &i)) != NULL;)
            alike += plan_row_is(other, JUDGE_FAIL) &&
                     table_equal(&row[plan_row_gave_out], &other[plan_row_gave_out]);
        if (plan_row_is(row, JUDGE_FAIL) && row[plan_row_gave_out].kind == TABLE_TEXT &&
            alike > most) {
            most = alike;
            foremost = row;
        }
    }
    return foremost;
}

/* Why the trial at the smallest size that failed was ended; NULL: it was not. */
static const char *find_brake(const struct plan_answer *answer)
{
    const struct table_value *row;
    for (size_t at = 0; (row = next_trial(answer, answer->found.failed, ALL, &at)) != NULL;) {
        if (plan_row_is(row, JUDGE_BRAKED))
            return row[plan_row_reason].text;
    }
    return NULL;
}

/* ------------------------------------------------------------------ the ends of the interval */

struct end {
    uint64_t size; /* 0: there is none */
    enum search_end state;
    const char *result; /* "passed" or "failed" */
    struct votes first, fresh;
    enum trials kind; /* those that say what is known of it */
};

static struct end end_of(const struct plan_answer *answer, enum judge_verdict verdict)
{
    const struct search_answer *found = &answer->found;
    bool passes = verdict == JUDGE_PASS;
    uint64_t size = passes ? found->passed : found->failed;
    enum search_end state = passes ? found->passed_end : found->failed_end;
    bool is_first = state == SEARCH_END_NOT_TRIED || state == SEARCH_END_UNDER_WAY;
    return (struct end){.size = size,
                        .state = state,
                        .result = passes ? "passed" : "failed",
                        .first = count_votes(answer, size, FIRST, verdict),
                        .fresh = count_votes(answer, size, FRESH, verdict),
                        .kind = is_first ? FIRST : FRESH};
}

/* Adds why the trials of the smallest undecided size are no votes. */
static void add_no_votes(const struct plan_answer *answer, struct growing_text *text)
{
    const struct objective *objective = &answer->question->objective;
    size_t trials = 0, not_valid = 0, undetermined = 0;
    uint64_t samples = 0, over = 0; /* of the undetermined trial that has most */
    const struct table_value *row;
    const char *reason = NULL;
    char most[32], needed[32];
    for (size_t at = 0; (row = next_trial(answer, answer->found.undecided, ALL, &at)) != NULL;) {
        trials++;
        if (plan_row_is(row, JUDGE_NOT_VALID)) {
            not_valid++;
            reason = row[plan_row_reason].text;
        } else if (plan_row_is(row, JUDGE_UNDETERMINED)) {
            bool has_most = row[plan_row_samples].count >= samples;
            undetermined++;
            samples = has_most ? row[plan_row_samples].count : samples;
            over = has_most ? row[plan_row_over].count : over;
        }
    }
    if (not_valid > 0)
        growing_text_add(text, "%zu of %zu trial%s %s not valid (%s)", not_valid, trials,
                         text_plural(trials), not_valid == 1 ? "was" : "were", reason);
    if (undetermined > 0)
        growing_text_add(text, "%s%zu of %zu trial%s came too near to the limit",
                         not_valid > 0 ? ", and " : "", undetermined, trials, text_plural(trials));
    if (samples > 0 && !objective_is_rate(objective))
        growing_text_add(
            text, " for so few samples (%s at most; %s with as many over the limit would pass)",
            text_format_count(samples, most, sizeof most),
            text_format_count(judge_samples_needed(objective, over), needed, sizeof needed));
}

/* Why an end is not decided; NULL: it is. */
static char *explain_end(const struct plan_answer *answer, const struct end *end)
{
    const struct votes *first = &end->first, *fresh = &end->fresh;
    struct growing_text text = {0};
    if (end->state == SEARCH_END_DECIDED)
        return NULL;
    if (end->state == SEARCH_END_NONE && answer->found.reason == SEARCH_UNDETERMINED) {
        add_no_votes(answer, &text);
    } else if (end->state == SEARCH_END_NONE) {
        growing_text_add(&text, "no size %s", end->result);
    } else {
        growing_text_add(&text, "%u of %u trial%s %s, ", first->agree, first->cast,
                         text_plural(first->cast), end->result);
        if (fresh->cast > 0)
            growing_text_add(&text, "%u of %u fresh trial%s %s, ", fresh->agree, fresh->cast,
                             text_plural(fresh->cast), end->result);
        growing_text_add(&text, "and %s", search_end_lack(end->state));
    }
    return text.text;
}

/* ------------------------------------------------------------------ the sentence */

/* The first size has its unit, and the objective. */
struct sentence {
    const struct plan_answer *answer;
    char objective[OBJECTIVE_TEXT_SIZE];
    size_t sizes; /* that it names so far */
    struct growing_text text;
};

#define ADD(...) growing_text_add(&sentence->text, __VA_ARGS__)

/* "20 waiters", and behind that the separator and "22". */
static void add_size(struct sentence *sentence, const char *separator, uint64_t size)
{
    char text[64];
    if (sentence->sizes++ == 0)
        ADD("%s", plan_question_format(sentence->answer->question, size, text, sizeof text));
    else
        ADD("%s%s", separator, text_format_count(size, text, sizeof text));
}

/* "20 waiters passed 5 of 5 fresh trials of handoff p90 < 1.4ms", and then ", 22 failed 3 of 3". */
static void add_votes(struct sentence *sentence, const char *separator, uint64_t size,
                      const char *result, const struct votes *votes, bool fresh)
{
    add_size(sentence, separator, size);
    ADD(" %s %u of %u", result, votes->agree, votes->cast);
    if (sentence->sizes == 1)
        ADD(" %strial%s of %s", fresh ? "fresh " : "", text_plural(votes->cast),
            sentence->objective);
}

static void add_end(struct sentence *sentence, const char *separator, const struct end *end)
{
    if (end->size > 0)
        add_votes(sentence, separator, end->size, end->result,
                  end->kind == FRESH ? &end->fresh : &end->first, end->kind == FRESH);
}

static void add_undecided(struct sentence *sentence)
{
    add_size(sentence, "; ", sentence->answer->found.undecided);
    ADD(": ");
    if (sentence->sizes == 1)
        ADD("%s is ", sentence->objective);
    ADD("undecided, ");
    add_no_votes(sentence->answer, &sentence->text);
}

/* Adds which sizes failed only later, what was not tried, and what ended the search early. */
static void add_rest(struct sentence *sentence)
{
    static const char *const ends[] = {[PLAN_CUT_NOT] = "out of trials",
                                       [PLAN_CUT_BY_TIME] = "ended by --max-time",
                                       [PLAN_CUT_BY_NOISE] = "ended by the load on this machine",
                                       [PLAN_CUT_SHORT] = "cut short"};
    const struct plan_answer *answer = sentence->answer;
    const struct plan_question *question = answer->question;
    const struct search_answer *found = &answer->found;
    size_t trials = answer->search->step_count;
    char least[32], most[32];
    if (found->lost > 0)
        ADD("; %s", text_format_count(found->lost, least, sizeof least));
    if (found->lost_most > found->lost)
        ADD(" to %s", text_format_count(found->lost_most, most, sizeof most));
    if (found->lost > 0)
        ADD(" passed at first and failed later");
    if (found->reason == SEARCH_NOTHING_MEETS && question->least > 1)
        ADD("; fewer were not tried");
    if (found->reason == SEARCH_EVERYTHING_MEETS)
        ADD("; more were not tried: %s",
            question->most_by != NULL ? question->most_by : "--at-most");
    if (found->reason == SEARCH_BUDGET)
        ADD("; %s after %zu trial%s", ends[answer->cut], trials, text_plural(trials));
}

static char *format_sentence(const struct plan_answer *answer, const struct end *passed,
                             const struct end *failed)
{
    const struct search_answer *found = &answer->found;
    const struct votes above = count_votes(answer, found->passed_above, FRESH, JUDGE_PASS);
    const char *brake = find_brake(answer);
    bool is_open = found->reason == SEARCH_UNDETERMINED;
    struct sentence made = {.answer = answer}, *sentence = &made;
    objective_format(&answer->question->objective, made.objective, sizeof made.objective);
    ADD("%s: ", answer->recipe->name);
    add_end(sentence, "", passed);
    if (is_open)
        add_undecided(sentence);
    if (brake == NULL) {
        add_end(sentence, is_open ? "; " : ", ", failed);
    } else {
        add_size(sentence, "; ", failed->size);
        ADD(": a trial was ended: %s", brake);
    }
    if (found->reason == SEARCH_NOT_MONOTONE)
        add_votes(sentence, ", but ", found->passed_above, "passed", &above, true);
    if (sentence->sizes == 0)
        ADD("no size is known to meet %s", sentence->objective);
    if (passed->kind == FIRST || failed->kind == FIRST)
        ADD("; not confirmed by fresh trials");
    else if (passed->state == SEARCH_END_OUTDATED || failed->state == SEARCH_END_OUTDATED)
        ADD("; not confirmed again by fresh trials");
    add_rest(sentence);
    return made.text.text;
}

/* ------------------------------------------------------------------ the row, and its findings */

static const char *reason_of(const struct plan_answer *answer)
{
    static const char *const words[] = {[PLAN_CUT_BY_TIME] = "out of time",
                                        [PLAN_CUT_BY_NOISE] = "disturbed",
                                        [PLAN_CUT_SHORT] = "cut short"};
    enum search_reason reason = answer->found.reason;
    return reason == SEARCH_BUDGET && answer->cut != PLAN_CUT_NOT ? words[answer->cut]
                                                                  : search_reason_word(reason);
}

/* A size of 0: there is none. */
static struct table_value size_value(uint64_t size)
{
    return table_count_if(size > 0, size);
}

/* Frees the text. */
static struct table_value text_value(char *text)
{
    struct table_value value = table_text(text);
    free(text);
    return value;
}

/* Fills the figures of the largest size that passed, decided or not, or of the least; and what gave
 * out first at the smallest that failed. */
static void fill_figures(const struct plan_answer *answer, const struct end *failed,
                         struct table_value *row)
{
    uint64_t passed = answer->found.passed, at = passed > 0 ? passed : answer->question->least;
    const struct table_value *gave_out = find_what_gave_out(answer, failed->size);
    row[answer_row_figures_at] = table_count(at);
    row[answer_row_measured_us] = table_real(median_of(answer, at, plan_row_measured_us, false));
    row[answer_row_p50_us] = table_real(median_of(answer, at, plan_row_p50_us, false));
    row[answer_row_handoffs_per_s] =
        table_real(median_of(answer, at, plan_row_handoffs_per_s, false));
    if (gave_out == NULL || failed->state != SEARCH_END_DECIDED)
        return;
    row[answer_row_gave_out] = table_text(gave_out[plan_row_gave_out].text);
    row[answer_row_gave_out_evidence] = table_text(gave_out[plan_row_evidence].text);
}

static void count_trials(const struct plan_answer *answer, struct table_value *row)
{
    size_t trials = 0, no_votes = 0;
    for (size_t i = 0; i < answer->rows->rows; i++) {
        const struct table_value *trial = table_row(answer->rows, i);
        bool is_its = strcmp(trial[plan_row_recipe].text, answer->recipe->name) == 0;
        trials += is_its;
        no_votes += is_its && !plan_row_is_vote(trial) && !plan_row_is(trial, JUDGE_BRAKED);
    }
    row[answer_row_trials] = table_count(trials);
    row[answer_row_no_votes] = table_count(no_votes);
}

static void fill_row(const struct plan_answer *answer, const struct end *passed,
                     const struct end *failed, const struct series_record *record,
                     struct table_value *row)
{
    const struct search_answer *found = &answer->found;
    plan_row_begin(record, answer->question, answer->recipe, row);
    row[answer_row_reason] = table_text(reason_of(answer));
    row[answer_row_passed] = table_count_if(passed->state == SEARCH_END_DECIDED, passed->size);
    row[answer_row_fresh_passed] = table_count(passed->fresh.agree);
    row[answer_row_fresh_votes] = table_count(passed->fresh.cast);
    row[answer_row_failed] = table_count_if(failed->state == SEARCH_END_DECIDED, failed->size);
    row[answer_row_failed_fresh_failed] = table_count(failed->fresh.agree);
    row[answer_row_failed_fresh_votes] = table_count(failed->fresh.cast);
    row[answer_row_braked] = table_flag(found->stopped);
    row[answer_row_undecided] = size_value(found->undecided);
    row[answer_row_passed_above] = size_value(found->passed_above);
    row[answer_row_passed_reason] = text_value(explain_end(answer, passed));
    row[answer_row_failed_reason] = text_value(explain_end(answer, failed));
    row[answer_row_lost] = size_value(found->lost);
    row[answer_row_lost_most] = size_value(found->lost_most);
    row[answer_row_sentence] = text_value(format_sentence(answer, passed, failed));
    fill_figures(answer, failed, row);
    count_trials(answer, row);
}

/* That nothing, or everything, meets the objective is an answer. */
static void add_findings(const struct plan_answer *answer, const struct table_value *row,
                         struct table *findings)
{
    enum search_reason reason = answer->found.reason;
    enum plan_unknown unknown = answer->question->unknown;
    bool is_open = reason == SEARCH_BUDGET || reason == SEARCH_UNDETERMINED;
    const char *recipe = answer->recipe->name;
    const struct finding capacity = {
        .slug = "capacity",
        .subject = recipe,
        .verdict = is_open ? VERDICT_UNDETERMINED : VERDICT_MEASURED,
        .figure = FINDING_FIGURE(table_number(&row[answer_row_passed])),
        .unit = unknown == PLAN_RATE ? "1/s" : plan_question_unknowns[unknown],
        .n = row[answer_row_trials].count};
    findings_add(findings, &capacity, "%s", row[answer_row_sentence].text);
    const struct finding gave_out = {.slug = "gave-out",
                                     .subject = recipe,
                                     .verdict = VERDICT_MEASURED,
                                     .figure = FINDING_NO_FIGURE,
                                     .n = row[answer_row_failed_fresh_failed].count};
    if (row[answer_row_gave_out].kind == TABLE_TEXT)
        findings_add(findings, &gave_out, "%s: gave out first: %s (%s)", recipe,
                     row[answer_row_gave_out].text, row[answer_row_gave_out_evidence].text);
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

/* ------------------------------------------------------------------ the table */

static const char *short_word(const char *words)
{
    enum utilisation_limit limit = 0;
    while (strcmp(words, utilisation_limit_words(limit)) != 0)
        limit++;
    return utilisation_limit_word(limit);
}

/* Adds a size, with how many of these trials agree with the result; ALL: are no vote. */
static void add_size_row(const struct plan_answer *answer, uint64_t size, enum judge_verdict result,
                         enum trials kind, struct table *sizes)
{
    static const char *const words[JUDGE_VERDICTS] = {[JUDGE_PASS] = "passed",
                                                      [JUDGE_FAIL] = "failed",
                                                      [JUDGE_UNDETERMINED] = "undecided",
                                                      [JUDGE_BRAKED] = "ended"};
    const struct table_value *gave_out = find_what_gave_out(answer, size);
    const struct votes votes = count_votes(answer, size, kind, result);
    char trials[64];
    if (size == 0)
        return;
    sizes->type = &size_row_table;
    struct table_value *row = table_add(sizes);
    if (kind == ALL)
        snprintf(trials, sizeof trials, "%u of %u no vote", votes.trials - votes.cast,
                 votes.trials);
    else
        snprintf(trials, sizeof trials, "%u of %u%s", votes.agree, votes.cast,
                 kind == FRESH ? " fresh" : "");
    row[size_row_recipe] = table_text(answer->recipe->name);
    row[size_row_size] = table_count(size);
    row[size_row_result] = table_text(words[result]);
    row[size_row_trials] = table_text(trials);
    row[size_row_p50_us] = table_real(median_of(answer, size, plan_row_p50_us, true));
    if (answer->question->objective.percentile_hundredths != 5000)
        row[size_row_measured_us] = table_real(median_of(answer, size, plan_row_measured_us, true));
    row[size_row_handoffs_per_s] =
        table_real(median_of(answer, size, plan_row_handoffs_per_s, true));
    if (gave_out != NULL)
        row[size_row_gave_out] = table_text(short_word(gave_out[plan_row_gave_out].text));
    row[size_row_disturbed] = table_flag(votes.disturbed > 0);
}

void plan_answer_add(const struct plan_answer *answer, const struct series_record *record,
                     struct plan_results *results, struct table *findings)
{
    const struct search_answer *found = &answer->found;
    const struct end passed = end_of(answer, JUDGE_PASS), failed = end_of(answer, JUDGE_FAIL);
    struct table *sizes = &results->sizes;
    results->answers.type = &answer_row_table;
    struct table_value *row = table_add(&results->answers);
    fill_row(answer, &passed, &failed, record, row);
    add_findings(answer, row, findings);
    add_size_row(answer, passed.size, JUDGE_PASS, passed.kind, sizes);
    if (found->reason == SEARCH_UNDETERMINED)
        add_size_row(answer, found->undecided, JUDGE_UNDETERMINED, ALL, sizes);
    add_size_row(answer, failed.size, found->stopped ? JUDGE_BRAKED : JUDGE_FAIL,
                 found->stopped ? ALL : failed.kind, sizes);
    add_size_row(answer, found->passed_above, JUDGE_PASS, FRESH, sizes);
    if (found->passed == 0 && found->failed == 0 && found->reason == SEARCH_BUDGET)
        add_size_row(answer, answer->search->ballot.probe.size, JUDGE_UNDETERMINED, ALL, sizes);
}

void plan_sizes_print(const struct plan_question *question, const struct table *sizes, size_t width,
                      FILE *stream)
{
    const struct objective *objective = &question->objective;
    const char *metric =
        objective_metric_word(objective_is_rate(objective) ? OBJECTIVE_HANDOFF : objective->metric);
    char percentile[32];
    snprintf(percentile, sizeof percentile, "p%g ms", objective_percent(objective));
    struct row_column columns[] = {
        {.column = size_row_recipe, .over = ""},
        {.column = size_row_size, .over = "", .title = plan_question_unknowns[question->unknown]},
        {.column = size_row_result, .over = ""},
        {.column = size_row_trials, .over = ""},
        {.column = size_row_p50_us, .over = metric, .title = "p50 ms", .spare = 3},
        {.column = size_row_measured_us, .over = metric, .title = percentile},
        {.column = size_row_handoffs_per_s, .over = "handoffs", .title = "a second", .spare = 2},
        {.column = size_row_gave_out, .over = "gave out", .title = "first", .spare = 1},
    };
    const struct row_grid grid = {
        .table = sizes, .columns = columns, .column_count = sizeof columns / sizeof columns[0]};
    for (size_t i = 0; i < grid.column_count; i++) {
        bool is_time =
            columns[i].column == size_row_p50_us || columns[i].column == size_row_measured_us;
        columns[i].factor = is_time ? 1e-3 : 1;
        columns[i].decimals = is_time ? 2 : 0;
        columns[i].mark = i > size_row_trials ? size_row_disturbed : 0;
        columns[i].where = ROW_COLUMN_KNOWN;
    }
    row_grid_write(&grid, width, stream);
}
