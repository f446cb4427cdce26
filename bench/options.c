// SPDX-License-Identifier: Apache-2.0
#include "bench/options.h"

#include <stdlib.h>

/* Steady, when neither --handoffs nor --duration is given: each client is granted this often. */
#define ROUNDS_DEFAULT 10

void options_deinit(struct options *options)
{
    free(options->clients);
    free(options->server_counts);
    options->clients = options->server_counts = NULL;
}

const char *options_driver_word(enum driver driver)
{
    static const char *const words[] = {
        [DRIVER_EVENTS] = "events",
        [DRIVER_THREADS] = "threads",
        [DRIVER_SIMULATED] = "simulated",
    };
    return words[driver];
}

const char *options_placement_word(enum placement placement)
{
    static const char *const words[] = {
        [PLACEMENT_SPREAD] = "spread",
        [PLACEMENT_LEADER] = "leader",
        [PLACEMENT_FOLLOWERS] = "followers",
    };
    return words[placement];
}

uint64_t options_handoffs(const struct options *options, uint64_t clients)
{
    if (options->handoffs != 0 || options->duration_ns != 0)
        return options->handoffs;
    return clients * ROUNDS_DEFAULT;
}
