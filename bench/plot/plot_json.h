// SPDX-License-Identifier: Apache-2.0
/*
 * plot_json: what `zkherd plot --json` prints. Layer: bench/plot.
 *
 * Invariant: the keys are those of docs/schema/plot.schema.json.
 */
#ifndef BENCH_PLOT_PLOT_JSON_H
#define BENCH_PLOT_PLOT_JSON_H

#include "base/error.h"

#include <jansson.h>
#include <stdio.h>

/* Appends a folder without pictures to the results, and returns its list of pictures, which is the
 * results' own. NULL without memory. */
json_t *plot_json_add_folder(json_t *results, const char *folder);

/* Appends a picture's file to that list: the callback of struct plots. */
void plot_json_add_picture(void *pictures, const char *file);

/* Writes one object; the results stay the caller's. ERROR_NO_MEMORY. */
MUST_CHECK enum error_kind plot_json_write(json_t *results, FILE *stream, struct error *error);

#endif
