// SPDX-License-Identifier: Apache-2.0
/*
 * json_result: the object that a subcommand prints with --json, and texts in JSON. Layer:
 * bench/output.
 *
 * Invariant: what is printed is one JSON object of visible ASCII, blanks and line feeds, of which a
 * terminal obeys nothing. Its keys are in docs/schema; keys may be added, never renamed.
 */
#ifndef BENCH_OUTPUT_JSON_RESULT_H
#define BENCH_OUTPUT_JSON_RESULT_H

#include "measure/statistics.h"
#include "measure/table.h"

#include <jansson.h>
#include <stddef.h>
#include <stdio.h>

/* From here on, without memory JSON ends the program, too (base/memory.h). */
void json_result_start(void);

/* Any bytes as a new JSON string, which is Unicode: arguments, paths, answers of a server. A byte
 * that is not UTF-8 becomes the text \xff, as shells read it between $''. */
json_t *json_text(const char *bytes);
json_t *json_text_bytes(const char *bytes, size_t length);

/* A number, also without a fraction; null of what is not finite. A text; null of NULL and of "". */
json_t *json_result_real(double value);
json_t *json_result_count(double value);
json_t *json_result_text(const char *text);

/* Sets the columns of a row, from one to another, as keys of their names. */
void json_result_set_row(json_t *object, const struct table_type *type,
                         const struct table_value *row, size_t first, size_t last);

/* A new list of rows, each an object with the columns that are not private. */
json_t *json_result_rows(const struct table *table);

/* Takes the object, and writes it with the end of its last line. Whether the stream has taken it is
 * the caller's to find out (bench/cli/machine.h). */
void json_result_write(json_t *object, FILE *stream);

#endif
