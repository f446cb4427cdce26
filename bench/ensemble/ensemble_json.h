// SPDX-License-Identifier: Apache-2.0
/*
 * ensemble_json: what `zkherd ensemble --json` prints of servers that were started, are
 * asked for, or were stopped. Layer: bench/ensemble.
 *
 * Invariant: the keys are those of docs/schema/ensemble.schema.json.
 */
#ifndef BENCH_ENSEMBLE_ENSEMBLE_JSON_H
#define BENCH_ENSEMBLE_ENSEMBLE_JSON_H

#include "servers/background.h"

#include <stdbool.h>
#include <stdio.h>

/* Asks each server, 4 s at most, and writes one object. *serves, also on an error: whether the
 * ensemble serves requests. ERROR_NO_MEMORY. */
MUST_CHECK enum error_kind ensemble_json_write(const struct background_ensemble *background,
                                               FILE *stream, bool *serves, struct error *error);

#endif
