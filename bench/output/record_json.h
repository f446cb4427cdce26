// SPDX-License-Identifier: Apache-2.0
/*
 * record_json: what --json prints of a subcommand whose results are records, one for each topology
 * of servers: the verdict, and for each record its folder, its warnings and its cells. Layer:
 * bench/output.
 *
 * Invariant: what a record and its manifest.json both say is the same.
 */
#ifndef BENCH_OUTPUT_RECORD_JSON_H
#define BENCH_OUTPUT_RECORD_JSON_H

#include "bench/output/manifest.h"

#include <jansson.h>
#include <stdio.h>

/* A new object of a record that is closed, and has a trial. Takes the cells, the subcommand's own
 * list. NULL without memory. */
json_t *record_json_new(const struct manifest *manifest, const char *folder, size_t servers,
                        json_t *cells);

/* The word of a verdict, which is an exit status: "holds" (0), "fails" (1), "not valid" (4). */
const char *record_json_verdict(int status);

/* Takes the list of the records, and writes the object; as json_result_write. */
MUST_CHECK enum error_kind record_json_write(int verdict, json_t *records, const char *subcommand,
                                             FILE *stream, struct error *error);

#endif
