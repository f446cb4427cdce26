// SPDX-License-Identifier: Apache-2.0
#include "bench/answer/plan_answer.h"

#include "base/text.h"
#include "measure/statistics.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static bool is_fresh(const struct plan_sample *sample, uint64_t size)
{
    return sample->probe.stage == SEARCH_CONFIRM && sample->probe.size == size;
}

/* ------------------------------------------------------------------ gathering */

static struct plan_votes count_votes(const struct plan_samples *samples,
                                     const struct recipe *recipe, uint64_t size)
{
    struct plan_votes votes = {0};
    for (size_t i = 0; i < samples->count; i++) {
        const struct plan_sample *sample = &samples->list[i];
        if (sample->recipe != recipe || !is_fresh(sample, size) || !plan_sample_is_vote(sample))
            continue;
        votes.cast++;
        votes.passed += sample->verdict == JUDGE_PASS;
    }
    return votes;
}

static double measured_us(const struct plan_sample *sample)
{
    return sample->latency_us[PLAN_AT];
}

static double p50_us(const struct plan_sample *sample)
{
    return sample->latency_us[PLAN_P50];
}

static double handoffs_per_s(const struct plan_sample *sample)
{
    return sample->handoffs_per_s;
}

/* The trials that tell about a size: its fresh ones, or, if it has none, all that were votes. */
struct telling {
    const struct plan_samples *samples;
    const struct recipe *recipe;
    uint64_t size;
    bool fresh;
    double *values; /* room for all samples */
};

static double median_of(const struct telling *telling,
                        double (*figure)(const struct plan_sample *sample))
{
    size_t count = 0;
    for (size_t i = 0; i < telling->samples->count; i++) {
        const struct plan_sample *sample = &telling->samples->list[i];
        if (sample->recipe == telling->recipe && sample->probe.size == telling->size &&
            plan_sample_is_vote(sample) && (!telling->fresh || is_fresh(sample, telling->size)) &&
            !isnan(figure(sample)))
            telling->values[count++] = figure(sample);
    }
    statistics_sort(telling->values, count);
    return statistics_median(telling->values, count);
}

/* Why trials had no vote. */
static void explain_no_votes(const struct plan_question *question,
                             const struct plan_samples *samples, struct plan_answer *answer)
{
    for (size_t i = 0; i < samples->count; i++) {
        const struct plan_sample *sample = &samples->list[i];
        if (sample->recipe != answer->recipe || sample->for_knee)
            continue;
        answer->trials++;
        answer->no_votes += !plan_sample_is_vote(sample) && sample->verdict != JUDGE_BRAKED;
        if (sample->verdict == JUDGE_NOT_VALID)
            answer->not_valid = sample->reason;
        if (sample->verdict == JUDGE_BRAKED && sample->probe.size == answer->found.failed)
            answer->brake = sample->reason;
        if (sample->verdict != JUDGE_UNDETERMINED || objective_is_rate(&question->objective) ||
            sample->count.samples < answer->samples_most)
            continue;
        answer->samples_most = sample->count.samples;
        answer->samples_needed = judge_samples_needed(&question->objective, sample->count.over);
    }
}

/* The trials that failed at the smallest size that failed: the fresh ones, if there are any. */
static bool tells_of_failure(const struct plan_sample *sample, const struct plan_answer *answer)
{
    return sample->recipe == answer->recipe && sample->probe.size == answer->found.failed &&
           plan_sample_is_vote(sample) && sample->verdict == JUDGE_FAIL && sample->is_explained &&
           (answer->fresh_failed.cast == 0 || is_fresh(sample, answer->found.failed));
}

static const struct utilisation_finding *find_what_gave_out(const struct plan_samples *samples,
                                                            const struct plan_answer *answer)
{
    const struct utilisation_finding *of[UTILISATION_LIMITS] = {0}, *foremost = NULL;
    size_t trials[UTILISATION_LIMITS] = {0}, most = 0;
    for (size_t i = 0; i < samples->count; i++) {
        const struct plan_sample *sample = &samples->list[i];
        if (!tells_of_failure(sample, answer))
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

/* Of handoffs, each vote with its median. */
static struct herd find_herd(const struct plan_question *question,
                             const struct plan_samples *samples, const struct recipe *recipe)
{
    struct herd_trial trials[HERD_TRIALS_MAX];
    size_t count = 0;
    if (!plan_answer_has_herd(question))
        return herd_fit(trials, 0);
    for (size_t i = 0; i < samples->count && count < HERD_TRIALS_MAX; i++) {
        const struct plan_sample *sample = &samples->list[i];
        if (sample->recipe == recipe && plan_sample_is_vote(sample) &&
            plan_sample_is_whole(question, sample))
            trials[count++] =
                (struct herd_trial){(double)sample->probe.size, sample->handoff_p50_us / 1e6};
    }
    return herd_fit(trials, count);
}

bool plan_answer_has_herd(const struct plan_question *question)
{
    return question->unknown == PLAN_WAITERS;
}

enum error_kind plan_answer_take(const struct plan_options *options, const struct search *search,
                                 const struct recipe *recipe, const struct plan_samples *samples,
                                 struct plan_answer *answer, struct error *error)
{
    const struct plan_question *question = &options->question;
    double *values = calloc(samples->count + 1, sizeof *values);
    if (values == NULL)
        return error_raise(error, ERROR_NO_MEMORY, 0, "results", "%s", "");
    struct plan_answer made = {
        .recipe = recipe, .proposed = search->plan.proposal, .found = search_answer(search)};
    made.fresh_passed = count_votes(samples, recipe, made.found.passed);
    made.fresh_failed = count_votes(samples, recipe, made.found.failed);
    made.best = made.found.passed > 0 ? made.found.passed : question->least;
    const struct telling telling = {samples, recipe, made.best,
                                    count_votes(samples, recipe, made.best).cast > 0, values};
    made.measured_us = median_of(&telling, measured_us);
    made.p50_us = median_of(&telling, p50_us);
    made.handoffs_per_s = median_of(&telling, handoffs_per_s);
    made.gave_out = find_what_gave_out(samples, &made);
    made.herd = find_herd(question, samples, recipe);
    made.knee = plan_knee_find(options, samples, recipe, made.best);
    explain_no_votes(question, samples, &made);
    free(values);
    *answer = made;
    return ERROR_NONE;
}

/* ------------------------------------------------------------------ the sentence */

/* A text that grows, cut to fit. */
struct sentence {
    char *text;
    size_t size;
    size_t length;
};

static void add(struct sentence *sentence, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void add(struct sentence *sentence, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int written = vsnprintf(sentence->text + sentence->length, sentence->size - sentence->length,
                            format, arguments);
    va_end(arguments);
    if (written > 0)
        sentence->length += (size_t)written;
    if (sentence->length >= sentence->size)
        sentence->length = sentence->size - 1;
}

static void add_measured(struct sentence *sentence, const struct plan_question *question,
                         const struct plan_answer *answer)
{
    const struct objective *objective = &question->objective;
    char duration[32];
    if (objective_is_rate(objective)) {
        if (!isnan(answer->handoffs_per_s))
            add(sentence, ", at %.0f handoffs a second", answer->handoffs_per_s);
        return;
    }
    if (isinf(answer->measured_us))
        add(sentence, ", with p%g above a minute", objective_percent(objective));
    else if (!isnan(answer->measured_us))
        add(sentence, ", with p%g = %s", objective_percent(objective),
            text_format_duration((uint64_t)(answer->measured_us * 1e3), duration, sizeof duration));
}

static void add_votes(struct sentence *sentence, const struct plan_votes *votes, bool passed)
{
    if (votes->cast > 0)
        add(sentence, " (%u of %u fresh trials %s)",
            passed ? votes->passed : votes->cast - votes->passed, votes->cast,
            passed ? "passed" : "failed");
}

/* "640 waiters meet handoff p99 < 50ms (5 of 5 fresh trials passed), with p99 = 41 ms". */
static void add_passed(struct sentence *sentence, const struct plan_question *question,
                       const struct plan_answer *answer)
{
    char size[64], objective[OBJECTIVE_TEXT_SIZE];
    add(sentence, "%s %s %s",
        plan_question_format(question, answer->found.passed, size, sizeof size),
        answer->found.passed == 1 ? "meets" : "meet",
        objective_format(&question->objective, objective, sizeof objective));
    add_votes(sentence, &answer->fresh_passed, true);
    add_measured(sentence, question, answer);
}

static void add_failed(struct sentence *sentence, const struct plan_answer *answer)
{
    char count[32];
    if (answer->found.failed == 0)
        return;
    text_format_count(answer->found.failed, count, sizeof count);
    if (answer->brake != NULL)
        add(sentence, "; at %s a trial was ended: %s", count, answer->brake);
    else
        add(sentence, "; %s %s not", count, answer->found.failed == 1 ? "does" : "do");
    add_votes(sentence, &answer->fresh_failed, false);
}

/* The least size may have failed, and a larger one passed. */
static void add_not_monotone(struct sentence *sentence, const struct plan_question *question,
                             const struct plan_answer *answer)
{
    char size[64], count[32], objective[OBJECTIVE_TEXT_SIZE];
    if (answer->found.passed > 0) {
        add_passed(sentence, question, answer);
        add_failed(sentence, answer);
    } else {
        add(sentence, "%s %s not meet %s",
            plan_question_format(question, answer->found.failed, size, sizeof size),
            answer->found.failed == 1 ? "does" : "do",
            objective_format(&question->objective, objective, sizeof objective));
        add_votes(sentence, &answer->fresh_failed, false);
    }
    add(sentence, ", but %s do: the answers are not monotone",
        text_format_count(answer->found.passed_above, count, sizeof count));
}

static void add_nothing(struct sentence *sentence, const struct plan_question *question,
                        const struct plan_answer *answer)
{
    char size[64], objective[OBJECTIVE_TEXT_SIZE];
    add(sentence, "nothing meets %s: the best is %s",
        objective_format(&question->objective, objective, sizeof objective),
        plan_question_format(question, answer->best, size, sizeof size));
    add_measured(sentence, question, answer);
    if (question->least > 1)
        add(sentence, "; no fewer were tried");
    if (answer->brake != NULL)
        add(sentence, "; a trial was ended: %s", answer->brake);
}

/* Why sizes stayed undecided. */
static void add_no_votes(struct sentence *sentence, const struct plan_question *question,
                         const struct plan_answer *answer)
{
    char count[32], needed[32], objective[OBJECTIVE_TEXT_SIZE];
    if (answer->not_valid != NULL)
        add(sentence, "; a trial was not valid: %s", answer->not_valid);
    else if (answer->samples_needed > answer->samples_most)
        add(sentence,
            "; too few samples: a trial had %s, and with as many over the limit %s would show %s",
            text_format_count(answer->samples_most, count, sizeof count),
            text_format_count(answer->samples_needed, needed, sizeof needed),
            objective_format(&question->objective, objective, sizeof objective));
}

static void add_undetermined(struct sentence *sentence, const struct plan_question *question,
                             const struct plan_answer *answer)
{
    char size[64];
    if (answer->found.passed > 0) {
        add_passed(sentence, question, answer);
        add(sentence, "; whether ");
    } else {
        add(sentence, "whether ");
    }
    add(sentence, "%s would is not decided: %zu of %zu trials were no vote",
        plan_question_format(question, answer->found.undecided, size, sizeof size),
        answer->no_votes, answer->trials);
    add_no_votes(sentence, question, answer);
}

static void add_budget(struct sentence *sentence, const struct plan_question *question,
                       const struct plan_answer *answer)
{
    static const char *const words[] = {[PLAN_CUT_NOT] = "it was out of trials",
                                        [PLAN_CUT_BY_TIME] = "its time was used up",
                                        [PLAN_CUT_SHORT] = "it was cut short"};
    if (answer->found.passed > 0)
        add_passed(sentence, question, answer);
    else
        add(sentence, "no size is known to meet the objective");
    add_failed(sentence, answer);
    add(sentence, "; the search ended early: %s after %zu trial%s", words[answer->cut],
        answer->trials, answer->trials == 1 ? "" : "s");
}

/* Why no larger size than the largest was tried. */
static void add_most(struct sentence *sentence, const struct plan_question *question)
{
    char count[32];
    bool is_rate = question->unknown == PLAN_RATE;
    add(sentence, "; no more were tried: ");
    switch (question->most_by) {
    case PLAN_MOST_BY_AT_MOST:
        add(sentence, "--at-most %s", text_format_count(question->most, count, sizeof count));
        break;
    case PLAN_MOST_BY_DEFAULT:
        add(sentence, "without --at-most a search has at most %s %s",
            text_format_count(is_rate ? PLAN_RATE_MOST : PLAN_SESSIONS_MOST, count, sizeof count),
            is_rate ? "requests a second" : "sessions");
        break;
    case PLAN_MOST_BY_MAX_CLIENTS:
        add(sentence, "--max-clients allows no more sessions");
        break;
    case PLAN_MOST_BY_MAX_RATE:
        add(sentence, "--max-rate allows no more requests");
        break;
    case PLAN_MOST_BY_SERVERS:
        add(sentence, "the servers accept no more connections from this host (maxClientCnxns)");
        break;
    }
}

void plan_answer_describe(const struct plan_question *question, const struct plan_answer *answer,
                          char *text, size_t size)
{
    struct sentence sentence = {text, size, 0};
    text[0] = '\0';
    add(&sentence, "%s: ", answer->recipe->name);
    switch (answer->found.reason) {
    case SEARCH_BUDGET:
        add_budget(&sentence, question, answer);
        break;
    case SEARCH_NOTHING_MEETS:
        add_nothing(&sentence, question, answer);
        break;
    case SEARCH_UNDETERMINED:
        add_undetermined(&sentence, question, answer);
        break;
    case SEARCH_EVERYTHING_MEETS:
        add_passed(&sentence, question, answer);
        add_most(&sentence, question);
        break;
    case SEARCH_NOT_MONOTONE:
        add_not_monotone(&sentence, question, answer);
        break;
    case SEARCH_FOUND:
        add_passed(&sentence, question, answer);
        add_failed(&sentence, answer);
        break;
    }
    add(&sentence, ".");
}

/* ------------------------------------------------------------------ the row */

const char *plan_answer_reason(const struct plan_answer *answer)
{
    static const char *const words[] = {
        [PLAN_CUT_BY_TIME] = "out of time", [PLAN_CUT_SHORT] = "cut short"};
    return answer->found.reason == SEARCH_BUDGET && answer->cut != PLAN_CUT_NOT
               ? words[answer->cut]
               : search_reason_word(answer->found.reason);
}

/* 0: there is no such size. */
static void write_size(struct csv *csv, uint64_t size)
{
    csv_count_if(csv, size > 0, size);
}

#define COLUMNS(X)                                                                                 \
    X(run, csv_text(csv, context->run))                                                            \
    X(target, csv_text(csv, context->target))                                                      \
    X(servers, csv_count(csv, context->servers))                                                   \
    X(recipe, csv_text(csv, answer->recipe->name))                                                 \
    X(objective, csv_text(csv, objective))                                                         \
    X(unknown, csv_text(csv, plan_question_unknowns[context->question->unknown]))                  \
    X(proposed, write_size(csv, answer->proposed))                                                 \
    X(reason, csv_text(csv, plan_answer_reason(answer)))                                           \
    X(passed, write_size(csv, answer->found.passed))                                               \
    X(fresh_passed, csv_count(csv, answer->fresh_passed.passed))                                   \
    X(fresh_votes, csv_count(csv, answer->fresh_passed.cast))                                      \
    X(failed, write_size(csv, answer->found.failed))                                               \
    X(failed_fresh_failed,                                                                         \
      csv_count(csv, answer->fresh_failed.cast - answer->fresh_failed.passed))                     \
    X(failed_fresh_votes, csv_count(csv, answer->fresh_failed.cast))                               \
    X(braked, csv_text(csv, answer->found.stopped ? "yes" : "no"))                                 \
    X(undecided, write_size(csv, answer->found.undecided))                                         \
    X(passed_above, write_size(csv, answer->found.passed_above))                                   \
    X(figures_at, csv_count(csv, answer->best))                                                    \
    X(measured_us, csv_real(csv, answer->measured_us, 1))                                          \
    X(p50_us, csv_real(csv, answer->p50_us, 1))                                                    \
    X(handoffs_per_s, csv_real(csv, answer->handoffs_per_s, 2))                                    \
    X(gave_out, csv_text(csv, gave_out))                                                           \
    X(herd_beta, csv_real(csv, answer->herd.beta.value, 6))                                        \
    X(herd_beta_low, csv_real(csv, answer->herd.beta.low, 6))                                      \
    X(herd_beta_high, csv_real(csv, answer->herd.beta.high, 6))                                    \
    X(knee_clients, csv_count_if(csv, knee_is_known, answer->knee.clients))                        \
    X(knee, csv_real(csv, knee->locks.value, 3))                                                   \
    X(knee_low, csv_real(csv, knee->locks.low, 3))                                                 \
    X(knee_high, csv_real(csv, knee->locks.high, 3))                                               \
    X(knee_per_s, csv_real(csv, knee->most_per_s.value, 2))                                        \
    X(knee_per_s_low, csv_real(csv, knee->most_per_s.low, 2))                                      \
    X(knee_per_s_high, csv_real(csv, knee->most_per_s.high, 2))                                    \
    X(knee_of, csv_text(csv, knee_is_known ? utilisation_limit_words(knee->of) : NULL))            \
    X(knee_demand_locks, csv_count_if(csv, knee_is_known, knee->demand_locks))                     \
    X(trials, csv_count(csv, answer->trials))                                                      \
    X(no_votes, csv_count(csv, answer->no_votes))

const char plan_answer_columns[] = COLUMNS(CSV_NAME);

void plan_answer_write(const struct plan_answer *answer, const struct plan_sample_context *context,
                       struct csv *csv)
{
    const char *gave_out =
        answer->gave_out != NULL ? utilisation_limit_words(answer->gave_out->limit) : NULL;
    const struct knee *knee = &answer->knee.found;
    bool knee_is_known = answer->knee.state == PLAN_KNEE_KNOWN;
    char objective[OBJECTIVE_TEXT_SIZE];
    objective_format(&context->question->objective, objective, sizeof objective);
    COLUMNS(CSV_WRITE) csv_end_row(csv);
}
