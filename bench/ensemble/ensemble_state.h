// SPDX-License-Identifier: Apache-2.0
/*
 * ensemble_state: the state of a server of a private ensemble, for the table and the JSON of
 * `zkherd ensemble status`. Layer: bench/ensemble.
 */
#ifndef BENCH_ENSEMBLE_ENSEMBLE_STATE_H
#define BENCH_ENSEMBLE_ENSEMBLE_STATE_H

#include "servers/background.h"

#include <stdbool.h>
#include <stdint.h>

struct ensemble_state {
    char address[ENDPOINT_TEXT_SIZE];
    char role[24]; /* or "ended", "no answer", "not serving" */
    pid_t pid;
    bool ended;          /* there is no such process: what follows is not known */
    uint64_t memory_mib; /* resident */
    char version[64];    /* "": not known */
    bool counted;        /* whether the connections are known */
    uint64_t connections;
    bool leads; /* the ensemble serves requests */
};

/* Asks a server, 4 s at most. Texts are printable. */
struct ensemble_state ensemble_state_ask(const struct background_ensemble *background,
                                         size_t index);

#endif
