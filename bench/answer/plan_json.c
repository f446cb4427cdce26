// SPDX-License-Identifier: Apache-2.0
#include "bench/answer/plan_json.h"

#include "bench/output/json_result.h"
#include "bench/output/json_sentences.h"

static void set_count(json_t *object, const char *key, bool known, uint64_t count)
{
    json_object_set_new(object, key, known ? json_integer((json_int_t)count) : json_null());
}

/* 0: there is no such size. */
static void set_size(json_t *object, const char *key, uint64_t size)
{
    set_count(object, key, size > 0, size);
}

static void set_text(json_t *object, const char *key, const char *text)
{
    json_object_set_new(object, key, json_result_text(text));
}

/* ------------------------------------------------------------------ the search */

static void set_question(json_t *object, const struct plan_question *question)
{
    char objective[OBJECTIVE_TEXT_SIZE];
    set_text(object, "objective",
             objective_format(&question->objective, objective, sizeof objective));
    set_text(object, "unknown", plan_question_unknowns[question->unknown]);
}

static void set_found(json_t *object, const struct plan_answer *answer)
{
    const struct search_answer *found = &answer->found;
    const struct plan_votes *passed = &answer->fresh_passed, *failed = &answer->fresh_failed;
    set_size(object, "proposed", answer->proposed);
    set_text(object, "reason", plan_answer_reason(answer));
    set_size(object, "passed", found->passed);
    set_count(object, "fresh_passed", true, passed->passed);
    set_count(object, "fresh_votes", true, passed->cast);
    set_size(object, "failed", found->failed);
    set_count(object, "failed_fresh_failed", true, failed->cast - failed->passed);
    set_count(object, "failed_fresh_votes", true, failed->cast);
    json_object_set_new(object, "braked", json_boolean(found->stopped));
    set_size(object, "undecided", found->undecided);
    set_size(object, "passed_above", found->passed_above);
    set_count(object, "trials", true, answer->trials);
    set_count(object, "no_votes", true, answer->no_votes);
}

static void set_figures(json_t *object, const struct plan_answer *answer)
{
    const struct utilisation_finding *gave_out = answer->gave_out;
    set_count(object, "figures_at", true, answer->best);
    json_result_set_real(object, "measured_us", answer->measured_us);
    json_result_set_real(object, "p50_us", answer->p50_us);
    json_result_set_real(object, "handoffs_per_s", answer->handoffs_per_s);
    set_text(object, "gave_out",
             gave_out != NULL ? utilisation_limit_words(gave_out->limit) : NULL);
    set_text(object, "gave_out_evidence", gave_out != NULL ? gave_out->evidence : NULL);
}

/* ------------------------------------------------------------------ the bounds */

static const char *herd_state_word(enum herd_state state)
{
    static const char *const words[] = {[HERD_KNOWN] = "known",
                                        [HERD_ONE_SIZE] = "one size",
                                        [HERD_FEW_TRIALS] = "few trials",
                                        [HERD_BARE_NOT_KNOWN] = "bare not known"};
    return words[state];
}

static void set_herd(json_t *object, const struct plan_question *question, const struct herd *herd)
{
    bool told = plan_answer_has_herd(question);
    set_text(object, "herd_state", told ? herd_state_word(herd->state) : NULL);
    json_result_set_interval(object, "herd_beta", &herd->beta);
    json_result_set_interval(object, "herd_bare_s", &herd->bare_s);
    json_result_set_interval(object, "herd_slope_s", &herd->slope_s);
    json_object_set_new(object, "herd_bends", told ? json_boolean(herd->bends) : json_null());
}

static const char *knee_state_word(enum plan_knee_state state)
{
    static const char *const words[] = {[PLAN_KNEE_KNOWN] = "known",
                                        [PLAN_KNEE_NO_CPU_TIME] = "no server times",
                                        [PLAN_KNEE_NO_TRIAL] = "no trial",
                                        [PLAN_KNEE_NOT_VALID] = "not valid",
                                        [PLAN_KNEE_NOT_WHOLE] = "not whole"};
    return words[state];
}

static void set_knee(json_t *object, const struct plan_question *question,
                     const struct plan_knee *knee)
{
    bool known = knee->state == PLAN_KNEE_KNOWN;
    const struct knee *found = &knee->found;
    set_text(object, "knee_state",
             plan_knee_is_told(question) ? knee_state_word(knee->state) : NULL);
    set_count(object, "knee_clients", known, knee->clients);
    json_result_set_interval(object, "knee", &found->locks);
    json_result_set_interval(object, "knee_per_s", &found->most_per_s);
    set_text(object, "knee_of", known ? utilisation_limit_words(found->of) : NULL);
    set_count(object, "knee_demand_locks", known, found->demand_locks);
    json_object_set_new(object, "knee_is_lower_bound",
                        known ? json_boolean(found->at_least) : json_null());
}

json_t *plan_json_answer(const struct plan_question *question, const struct plan_told *told)
{
    const struct plan_answer *answer = &told->answer;
    struct json_sentences sentences;
    json_t *object = json_object();
    set_text(object, "recipe", answer->recipe->name);
    set_question(object, question);
    set_found(object, answer);
    set_figures(object, answer);
    set_herd(object, question, &answer->herd);
    set_knee(object, question, &answer->knee);
    json_sentences_begin(&sentences);
    if (sentences.stream != NULL)
        plan_table_write_sentences(question, told, false, sentences.stream);
    json_object_set_new(object, "sentences", json_sentences_end(&sentences));
    return object;
}
