// SPDX-License-Identifier: Apache-2.0
#include "bench/plot/plot_json.h"

#include "bench/output/json_result.h"

json_t *plot_json_add_folder(json_t *results, const char *folder)
{
    json_t *result = json_pack("{s:o, s:[]}", "folder", json_text(folder), "plots");
    json_array_append_new(results, result);
    return json_object_get(result, "plots");
}

void plot_json_add_picture(void *pictures, const char *file)
{
    json_array_append_new(pictures, json_text(file));
}

enum error_kind plot_json_write(json_t *results, FILE *stream, struct error *error)
{
    return json_result_write(json_pack("{s:O}", "results", results), "plot", stream, error);
}
