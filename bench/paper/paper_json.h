// SPDX-License-Identifier: Apache-2.0
/*
 * paper_json: what `zkherd paper --json` prints, of one experiment or of all. Layer: bench/paper.
 *
 * Invariant: the keys are those of docs/schema/paper.schema.json.
 */
#ifndef BENCH_PAPER_PAPER_JSON_H
#define BENCH_PAPER_PAPER_JSON_H

#include "bench/paper/judgement.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

/* The result of an experiment. */
struct paper_json_experiment {
    const char *name;
    int verdict; /* an exit status: 0, 1 or 4 */
    const char *folder;
    json_t *records; /* of each topology (bench/output/record_json.h) */
    const struct judgements *judgements;
};

/* Appends a result to a list, and takes its records. */
void paper_json_add(json_t *list, const struct paper_json_experiment *experiment);

/* Appends an experiment that has no result. left_out: why it was not made; NULL: it ended before
 * its first trial did. */
void paper_json_add_without_result(json_t *list, const char *name, const char *left_out);

/* Whether an experiment of the list has a result: else there is nothing to write. */
bool paper_json_has_result(const json_t *list);

/* Writes one object, with the verdict of all; the list stays the caller's. ERROR_NO_MEMORY. */
MUST_CHECK enum error_kind paper_json_write(json_t *list, FILE *stream, struct error *error);

#endif
