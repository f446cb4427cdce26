// SPDX-License-Identifier: Apache-2.0
#include "bench/claims/claims_json.h"

#include "bench/output/json_result.h"

/* Of a claim that could not be tried some parts are empty. */
json_t *claims_json_claim(const struct claim *claim, const struct finding *finding)
{
    return json_pack(
        "{s:s, s:s, s:s, s:o, s:o, s:o, s:s}", "claim", claim->id, "source", claim->source,
        "statement", claim->statement, "experiment", json_result_text(finding->experiment),
        "expected", json_result_text(finding->expected), "measured",
        json_result_text(finding->measured), "verdict", verdict_word(finding_verdict(finding)));
}

enum error_kind claims_json_write(json_t *claims, const struct claims_json_end *end, FILE *stream,
                                  struct error *error)
{
    return json_result_write(
        json_pack("{s:O, s:I, s:I, s:I, s:I, s:I, s:o, s:o}", "claims", claims, "claims_planned",
                  (json_int_t)end->planned, "claims_finished", (json_int_t)end->finished, "holds",
                  (json_int_t)end->verdicts[VERDICT_HOLDS], "fails",
                  (json_int_t)end->verdicts[VERDICT_FAILS], "undetermined",
                  (json_int_t)end->verdicts[VERDICT_UNDETERMINED], "cut_short",
                  end->cut_short != ERROR_NONE ? json_string(error_words(end->cut_short))
                                               : json_null(),
                  "folder", json_text(end->folder)),
        "claims", stream, error);
}
