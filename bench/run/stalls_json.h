// SPDX-License-Identifier: Apache-2.0
/*
 * stalls_json: the stalls of servers during a run, as the manifest lists them. Layer: bench/run.
 */
#ifndef BENCH_RUN_STALLS_JSON_H
#define BENCH_RUN_STALLS_JSON_H

#include "bench/run/sample.h"

#include <jansson.h>

/* The object "stalls" of manifest.json, for these trials: the caller's to json_decref. */
json_t *stalls_json(const struct samples *samples);

#endif
