// SPDX-License-Identifier: Apache-2.0
#include "bench/report/report_json.h"

#include "bench/output/json_result.h"

enum error_kind report_json_write(const char *file, const char *const folders[], size_t count,
                                  FILE *stream, struct error *error)
{
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++)
        json_array_append_new(list, json_text(folders[i]));
    return json_result_write(json_pack("{s:o, s:o}", "file", json_text(file), "folders", list),
                             "report", stream, error);
}
