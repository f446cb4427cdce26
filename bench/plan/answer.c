// SPDX-License-Identifier: Apache-2.0
#include "base/memory.h"
#include "bench/output/json_result.h"
#include "bench/output/json_sentences.h"
#include "bench/plan/internal.h"
#include "measure/statistics.h"

#include <math.h>
#include <stdlib.h>

/* ------------------------------------------------------------------ gathering */

static bool is_fresh(const struct plan_sample *sample, uint64_t size)
{
    return sample->probe.stage == SEARCH_CONFIRM && sample->probe.size == size;
}

static struct plan_votes count_votes(const struct plan_samples *samples, uint64_t size)
{
    struct plan_votes votes = {0};
    for (size_t i = 0; i < samples->count; i++) {
        const struct plan_sample *sample = &samples->list[i];
        if (!is_fresh(sample, size) || !plan_sample_is_vote(sample))
            continue;
        votes.cast++;
        votes.passed += sample->verdict == JUDGE_PASS;
    }
    return votes;
}

static double median(double *values, size_t count)
{
    statistics_sort(values, count);
    return statistics_median(values, count);
}

/* Of the fresh trials at the best size, or, if it has none, of all that were votes. */
static void take_medians(const struct plan_samples *samples, struct plan_answer *answer)
{
    bool has_fresh = count_votes(samples, answer->best).cast > 0;
    double *values = memory_new(3 * samples->count + 1, sizeof *values);
    double *measured = values, *p50 = values + samples->count, *per_s = p50 + samples->count;
    size_t counts[3] = {0};
    for (size_t i = 0; i < samples->count; i++) {
        const struct plan_sample *sample = &samples->list[i];
        if (sample->probe.size != answer->best || !plan_sample_is_vote(sample) ||
            (has_fresh && !is_fresh(sample, answer->best)))
            continue;
        if (!isnan(sample->latency_us[PLAN_AT]))
            measured[counts[0]++] = sample->latency_us[PLAN_AT];
        if (!isnan(sample->latency_us[PLAN_P50]))
            p50[counts[1]++] = sample->latency_us[PLAN_P50];
        if (!isnan(sample->handoffs_per_s))
            per_s[counts[2]++] = sample->handoffs_per_s;
    }
    answer->measured_us = median(measured, counts[0]);
    answer->p50_us = median(p50, counts[1]);
    answer->handoffs_per_s = median(per_s, counts[2]);
    free(values);
}

/* Why trials had no vote. */
static void explain_no_votes(const struct plan_question *question,
                             const struct plan_samples *samples, struct plan_answer *answer)
{
    for (size_t i = 0; i < samples->count; i++) {
        const struct plan_sample *sample = &samples->list[i];
        if (sample->for_knee)
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

/* Of the trials that failed at the smallest size that failed: the fresh ones, if there are any. */
static const struct utilisation_finding *find_what_gave_out(const struct plan_samples *samples,
                                                            const struct plan_answer *answer)
{
    const struct utilisation_finding *of[UTILISATION_LIMITS] = {0}, *foremost = NULL;
    size_t trials[UTILISATION_LIMITS] = {0}, most = 0;
    uint64_t failed = answer->found.failed;
    for (size_t i = 0; i < samples->count; i++) {
        const struct plan_sample *sample = &samples->list[i];
        if (sample->probe.size != failed || sample->for_knee || sample->verdict != JUDGE_FAIL ||
            !sample->is_explained || (answer->fresh_failed.cast > 0 && !is_fresh(sample, failed)))
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
                             const struct plan_samples *samples)
{
    struct herd_trial trials[HERD_TRIALS_MAX];
    size_t count = 0, all = plan_answer_has_herd(question) ? samples->count : 0;
    for (size_t i = 0; i < all && count < HERD_TRIALS_MAX; i++) {
        const struct plan_sample *sample = &samples->list[i];
        if (plan_sample_is_vote(sample) && plan_sample_is_whole(question, sample))
            trials[count++] =
                (struct herd_trial){(double)sample->probe.size, sample->handoff_p50_us / 1e6};
    }
    return herd_fit(trials, count);
}

bool plan_answer_has_herd(const struct plan_question *question)
{
    return question->unknown == PLAN_WAITERS;
}

struct plan_answer plan_answer_take(const struct plan_options *options, const struct search *search,
                                    const struct recipe *recipe, const struct plan_samples *samples)
{
    const struct plan_question *question = &options->question;
    struct plan_answer answer = {
        .recipe = recipe, .proposed = search->plan.proposal, .found = search_answer(search)};
    answer.fresh_passed = count_votes(samples, answer.found.passed);
    answer.fresh_failed = count_votes(samples, answer.found.failed);
    answer.best = answer.found.passed > 0 ? answer.found.passed : question->least;
    take_medians(samples, &answer);
    answer.gave_out = find_what_gave_out(samples, &answer);
    answer.herd = find_herd(question, samples);
    answer.knee = plan_knee_find(options, samples, answer.best);
    explain_no_votes(question, samples, &answer);
    return answer;
}

const char *plan_answer_reason(const struct plan_answer *answer)
{
    static const char *const words[] = {
        [PLAN_CUT_BY_TIME] = "out of time", [PLAN_CUT_SHORT] = "cut short"};
    return answer->found.reason == SEARCH_BUDGET && answer->cut != PLAN_CUT_NOT
               ? words[answer->cut]
               : search_reason_word(answer->found.reason);
}

/* ------------------------------------------------------------------ as a row and as JSON */

/* What both have. X(kind, name, value); SIZE: 0 is none. */
#define SEARCH(X)                                                                                  \
    X(SIZE, proposed, answer->proposed)                                                            \
    X(TEXT, reason, plan_answer_reason(answer))                                                    \
    X(SIZE, passed, answer->found.passed)                                                          \
    X(COUNT, fresh_passed, answer->fresh_passed.passed)                                            \
    X(COUNT, fresh_votes, answer->fresh_passed.cast)                                               \
    X(SIZE, failed, answer->found.failed)                                                          \
    X(COUNT, failed_fresh_failed, answer->fresh_failed.cast - answer->fresh_failed.passed)         \
    X(COUNT, failed_fresh_votes, answer->fresh_failed.cast)                                        \
    X(TRUTH, braked, answer->found.stopped)                                                        \
    X(SIZE, undecided, answer->found.undecided)                                                    \
    X(SIZE, passed_above, answer->found.passed_above)

#define FIGURES(X)                                                                                 \
    X(COUNT, figures_at, answer->best)                                                             \
    X(MICROSECONDS, measured_us, answer->measured_us)                                              \
    X(MICROSECONDS, p50_us, answer->p50_us)                                                        \
    X(PER_S, handoffs_per_s, answer->handoffs_per_s)                                               \
    X(TEXT, gave_out, gave_out)

#define TRIALS(X)                                                                                  \
    X(COUNT, trials, answer->trials)                                                               \
    X(COUNT, no_votes, answer->no_votes)

#define INTERVAL(X, kind, name, interval)                                                          \
    X(kind, name, (interval).value)                                                                \
    X(kind, name##_low, (interval).low)                                                            \
    X(kind, name##_high, (interval).high)

#define COLUMNS(X)                                                                                 \
    X(TEXT, run, context->run)                                                                     \
    X(TEXT, target, context->target)                                                               \
    X(COUNT, servers, context->servers)                                                            \
    X(TEXT, recipe, answer->recipe->name)                                                          \
    X(TEXT, objective, objective)                                                                  \
    X(TEXT, unknown, plan_question_unknowns[context->question->unknown])                           \
    SEARCH(X)                                                                                      \
    FIGURES(X)                                                                                     \
    INTERVAL(X, COEFFICIENT, herd_beta, answer->herd.beta)                                         \
    X(SIZE, knee_clients, knee_is_known ? answer->knee.clients : 0)                                \
    INTERVAL(X, LOCKS, knee, knee->locks)                                                          \
    INTERVAL(X, PER_S, knee_per_s, knee->most_per_s)                                               \
    X(TEXT, knee_of, knee_is_known ? utilisation_limit_words(knee->of) : NULL)                     \
    X(SIZE, knee_demand_locks, knee_is_known ? knee->demand_locks : 0)                             \
    TRIALS(X)

#define CSV_OF_SIZE(name, value)         csv_count_if(csv, (value) > 0, value),
#define CSV_OF_COUNT(name, value)        csv_count(csv, value),
#define CSV_OF_TEXT(name, value)         csv_text(csv, value),
#define CSV_OF_TRUTH(name, value)        csv_text(csv, (value) ? "yes" : "no"),
#define CSV_OF_MICROSECONDS(name, value) csv_real(csv, value, 1),
#define CSV_OF_PER_S(name, value)        csv_real(csv, value, 2),
#define CSV_OF_LOCKS(name, value)        csv_real(csv, value, 3),
#define CSV_OF_COEFFICIENT(name, value)  csv_real(csv, value, 6),
#define CSV_OF(kind, name, value)        CSV_OF_##kind(name, value)
#define NAME_OF(kind, name, value)       #name ","

const char plan_answer_columns[] = COLUMNS(NAME_OF);

static const char *what_gave_out(const struct plan_answer *answer)
{
    return answer->gave_out != NULL ? utilisation_limit_words(answer->gave_out->limit) : NULL;
}

void plan_answer_write(const struct plan_answer *answer, const struct plan_sample_context *context,
                       struct csv *csv)
{
    const char *gave_out = what_gave_out(answer);
    const struct knee *knee = &answer->knee.found;
    bool knee_is_known = answer->knee.state == PLAN_KNEE_KNOWN;
    char objective[OBJECTIVE_TEXT_SIZE];
    objective_format(&context->question->objective, objective, sizeof objective);
    COLUMNS(CSV_OF) csv_end_row(csv);
}

static void set_count(json_t *object, const char *key, bool known, uint64_t count)
{
    json_object_set_new(object, key, known ? json_integer((json_int_t)count) : json_null());
}

static void set_text(json_t *object, const char *key, const char *text)
{
    json_object_set_new(object, key, json_result_text(text));
}

static void set_herd(json_t *object, const struct plan_question *question, const struct herd *herd)
{
    static const char *const words[] = {[HERD_KNOWN] = "known",
                                        [HERD_ONE_SIZE] = "one size",
                                        [HERD_FEW_TRIALS] = "few trials",
                                        [HERD_BARE_NOT_KNOWN] = "bare not known"};
    bool told = plan_answer_has_herd(question);
    set_text(object, "herd_state", told ? words[herd->state] : NULL);
    json_result_set_interval(object, "herd_beta", &herd->beta);
    json_result_set_interval(object, "herd_bare_s", &herd->bare_s);
    json_result_set_interval(object, "herd_slope_s", &herd->slope_s);
    json_object_set_new(object, "herd_bends", told ? json_boolean(herd->bends) : json_null());
}

static void set_knee(json_t *object, const struct plan_question *question,
                     const struct plan_knee *knee)
{
    static const char *const words[] = {[PLAN_KNEE_KNOWN] = "known",
                                        [PLAN_KNEE_NO_CPU_TIME] = "no server times",
                                        [PLAN_KNEE_NO_TRIAL] = "no trial",
                                        [PLAN_KNEE_NOT_VALID] = "not valid",
                                        [PLAN_KNEE_NOT_WHOLE] = "not whole"};
    bool known = knee->state == PLAN_KNEE_KNOWN;
    const struct knee *found = &knee->found;
    set_text(object, "knee_state", plan_knee_is_told(question) ? words[knee->state] : NULL);
    set_count(object, "knee_clients", known, knee->clients);
    json_result_set_interval(object, "knee", &found->locks);
    json_result_set_interval(object, "knee_per_s", &found->most_per_s);
    set_text(object, "knee_of", known ? utilisation_limit_words(found->of) : NULL);
    set_count(object, "knee_demand_locks", known, found->demand_locks);
    json_object_set_new(object, "knee_is_lower_bound",
                        known ? json_boolean(found->at_least) : json_null());
}

#define JSON_OF_SIZE(name, value)         set_count(object, #name, (value) > 0, value);
#define JSON_OF_COUNT(name, value)        set_count(object, #name, true, value);
#define JSON_OF_TEXT(name, value)         set_text(object, #name, value);
#define JSON_OF_TRUTH(name, value)        json_object_set_new(object, #name, json_boolean(value));
#define JSON_OF_MICROSECONDS(name, value) json_result_set_real(object, #name, value);
#define JSON_OF_PER_S(name, value)        json_result_set_real(object, #name, value);
#define JSON_OF(kind, name, value)        JSON_OF_##kind(name, value)

json_t *plan_answer_json(const struct plan_question *question, const struct plan_answer *answer)
{
    const char *gave_out = what_gave_out(answer);
    char objective[OBJECTIVE_TEXT_SIZE];
    struct json_sentences sentences;
    json_t *object = json_object();
    set_text(object, "recipe", answer->recipe->name);
    set_text(object, "objective",
             objective_format(&question->objective, objective, sizeof objective));
    set_text(object, "unknown", plan_question_unknowns[question->unknown]);
    SEARCH(JSON_OF)
    TRIALS(JSON_OF)
    FIGURES(JSON_OF)
    set_text(object, "gave_out_evidence",
             answer->gave_out != NULL ? answer->gave_out->evidence : NULL);
    set_herd(object, question, &answer->herd);
    set_knee(object, question, &answer->knee);
    json_sentences_begin(&sentences);
    if (sentences.stream != NULL)
        plan_sentences_write(question, answer, false, sentences.stream);
    json_object_set_new(object, "sentences", json_sentences_end(&sentences));
    return object;
}
