// SPDX-License-Identifier: Apache-2.0
/*
 * ensemble_table: the state of the servers of a private ensemble, a row each. Layer:
 * bench/ensemble.
 */
#ifndef BENCH_ENSEMBLE_ENSEMBLE_TABLE_H
#define BENCH_ENSEMBLE_ENSEMBLE_TABLE_H

#include "servers/background.h"

#include <stdbool.h>
#include <stdio.h>

/* Asks each server, 2 s at most, and writes the aligned table. Returns whether the ensemble serves
 * requests: it has a leader, or is a standalone server. */
bool ensemble_table_write(const struct background_ensemble *background, FILE *stream);

#endif
