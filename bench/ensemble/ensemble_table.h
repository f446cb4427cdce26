// SPDX-License-Identifier: Apache-2.0
/*
 * ensemble_table: how the servers of a private ensemble that stands do, a row each. Layer:
 * bench/ensemble.
 */
#ifndef BENCH_ENSEMBLE_ENSEMBLE_TABLE_H
#define BENCH_ENSEMBLE_ENSEMBLE_TABLE_H

#include "servers/background.h"

#include <stdbool.h>
#include <stdio.h>

/* Asks each server, 2 s at most, and writes the aligned table. Returns whether the ensemble serves:
 * whether there is a leader, or a standalone server. */
bool ensemble_table_write(const struct background_ensemble *background, FILE *stream);

#endif
