// SPDX-License-Identifier: Apache-2.0
#include "bench/paper/paper_json.h"

#include "bench/output/json_result.h"

#include <string.h>

/* ------------------------------------------------------------------ an experiment */

/* The keys are columns of shape.csv. */
static json_t *describe(const struct judgements *judgements, const struct judgement *judgement)
{
    return json_pack(
        "{s:s, s:I, s:o, s:s, s:o, s:o, s:o, s:o, s:s, s:o}", "claim", judgement->claim, "servers",
        (json_int_t)judgement->servers, "against_servers",
        judgement->against > 0 ? json_integer((json_int_t)judgement->against) : json_null(),
        "quantity", judgements->quantity, "ratio", json_result_real(judgement->ours.value),
        "ratio_low", json_result_real(judgement->ours.low), "ratio_high",
        json_result_real(judgement->ours.high), "paper_ratio", json_result_real(judgement->paper),
        "verdict", verdict_word(judgement->verdict), "reason", json_result_text(judgement->reason));
}

void paper_json_add(json_t *list, const struct paper_json_experiment *experiment)
{
    json_t *judgements = json_array();
    for (size_t i = 0; i < experiment->judgements->count; i++)
        json_array_append_new(judgements,
                              describe(experiment->judgements, &experiment->judgements->list[i]));
    json_array_append_new(list, json_pack("{s:s, s:n, s:s, s:o, s:o, s:o}", "experiment",
                                          experiment->name, "left_out", "verdict",
                                          verdict_word(verdict_of_status(experiment->verdict)),
                                          "folder", json_text(experiment->folder), "results",
                                          experiment->records, "judgements", judgements));
}

void paper_json_add_without_result(json_t *list, const char *name, const char *left_out)
{
    json_array_append_new(list, json_pack("{s:s, s:s?, s:n, s:n, s:[], s:[]}", "experiment", name,
                                          "left_out", left_out, "verdict", "folder", "results",
                                          "judgements"));
}

/* ------------------------------------------------------------------ all of them */

static bool is_null(const json_t *experiment, const char *key)
{
    return json_is_null(json_object_get(experiment, key));
}

bool paper_json_has_result(const json_t *list)
{
    for (size_t i = 0; i < json_array_size(list); i++) {
        if (!is_null(json_array_get(list, i), "verdict"))
            return true;
    }
    return false;
}

/* One that fails outweighs one that is undetermined, as is one that has no result although it was
 * not left out. */
static const char *weigh(const json_t *list)
{
    const char *fails = verdict_word(VERDICT_FAILS), *holds = verdict_word(VERDICT_HOLDS);
    bool all_hold = true;
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *experiment = json_array_get(list, i);
        const char *verdict = json_string_value(json_object_get(experiment, "verdict"));
        if (verdict != NULL && strcmp(verdict, fails) == 0)
            return fails;
        if (is_null(experiment, "left_out"))
            all_hold = all_hold && verdict != NULL && strcmp(verdict, holds) == 0;
    }
    return all_hold ? holds : verdict_word(VERDICT_UNDETERMINED);
}

enum error_kind paper_json_write(json_t *list, FILE *stream, struct error *error)
{
    return json_result_write(json_pack("{s:s, s:O}", "verdict", weigh(list), "experiments", list),
                             "paper", stream, error);
}
