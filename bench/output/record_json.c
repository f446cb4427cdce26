// SPDX-License-Identifier: Apache-2.0
#include "bench/output/record_json.h"

#include "bench/output/json_result.h"

static void copy(json_t *into, const struct manifest *manifest, const char *key)
{
    json_t *value = json_object_get(manifest->json, key);
    json_object_set_new(into, key, value != NULL ? json_incref(value) : json_null());
}

json_t *record_json_new(const struct manifest *manifest, const char *folder, size_t servers,
                        json_t *cells)
{
    static const char *const keys[] = {"target", "trials_planned", "trials_finished", "cut_short",
                                       "warnings"};
    json_t *record =
        json_pack("{s:o, s:I}", "folder", json_text(folder), "servers", (json_int_t)servers);
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
        copy(record, manifest, keys[i]);
    json_object_set_new(record, "cells", cells);
    return record;
}

const char *record_json_verdict(int status)
{
    return status == 0 ? "holds" : status == 1 ? "fails" : "not valid";
}

enum error_kind record_json_write(int verdict, json_t *records, const char *subcommand,
                                  FILE *stream, struct error *error)
{
    return json_result_write(
        json_pack("{s:s, s:o}", "verdict", record_json_verdict(verdict), "results", records),
        subcommand, stream, error);
}
