// SPDX-License-Identifier: Apache-2.0
/*
 * inspect_json: what `zkherd inspect --json` prints. Layer: bench/inspect.
 *
 * The keys are in zkherd-inspect(1); keys may be added, never renamed. Text of others stands as it
 * came (bench/output/json_text.h), by JSON's own escapes (bench/output/json_result.h).
 */
#ifndef BENCH_INSPECT_INSPECT_JSON_H
#define BENCH_INSPECT_INSPECT_JSON_H

#include "base/error.h"
#include "bench/inspect/lock_view.h"
#include "bench/inspect/survey.h"
#include "servers/connections.h"

#include <stdio.h>

/* Write one JSON object, and the end of its last line. ERROR_NO_MEMORY. */
MUST_CHECK enum error_kind inspect_json_write_lock(const char *path, const struct lock_view *view,
                                                   const struct connections *connections,
                                                   FILE *stream, struct error *error);
MUST_CHECK enum error_kind inspect_json_write_folder(const char *path, const struct survey *survey,
                                                     FILE *stream, struct error *error);

#endif
