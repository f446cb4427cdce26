// SPDX-License-Identifier: Apache-2.0
/*
 * json_result: the object that a subcommand prints with --json. Layer: bench/output.
 *
 * Invariant: what is printed is one JSON object of visible ASCII, blanks and line feeds, of which a
 * terminal obeys nothing. Its keys are in docs/schema; keys may be added, never renamed.
 */
#ifndef BENCH_OUTPUT_JSON_RESULT_H
#define BENCH_OUTPUT_JSON_RESULT_H

#include "base/error.h"
#include "bench/output/json_text.h"
#include "measure/statistics.h"
#include "measure/table.h"

#include <jansson.h>
#include <stdio.h>

/* A number; null of what is not finite. */
json_t *json_result_real(double value);

/* A number without a fraction; null of what is not finite. */
json_t *json_result_count(double value);

/* A text; null of NULL and of "". */
json_t *json_result_text(const char *text);

/* Sets a key to such a number; and KEY, KEY_low and KEY_high to an interval. */
void json_result_set_real(json_t *object, const char *key, double value);
void json_result_set_interval(json_t *object, const char *key, const struct interval *interval);

/* Sets the columns of a row, from one to another, as keys of their names. */
void json_result_set_row(json_t *object, const struct table_type *type,
                         const struct table_value *row, size_t first, size_t last);

/*
 * Takes the object, NULL if there was no memory for it; writes it, and the end of its last line.
 * ERROR_NO_MEMORY, about `subject`. Whether the stream has taken it is the caller's to find out
 * (bench/cli/machine.h).
 */
MUST_CHECK enum error_kind json_result_write(json_t *object, const char *subject, FILE *stream,
                                             struct error *error);

/* The same for what a file holds: each number has all its digits, so that the object is equal to
 * the file. */
MUST_CHECK enum error_kind json_result_write_exactly(json_t *object, const char *subject,
                                                     FILE *stream, struct error *error);

#endif
