// SPDX-License-Identifier: Apache-2.0
/* fleet: actors of one kind, in workers that share this memory. Layer: fleet, below workers and
 * crew. */
#ifndef FLEET_FLEET_H
#define FLEET_FLEET_H

#include "fleet/actor.h"
#include "fleet/shared.h"

struct crew_kind;

struct fleet {
    struct shared *shared;
    const struct actor_ops *ops;
    void *kind; /* passed to ops->init; at the same address in all processes */
    /* For a plan with a crew: what its hosts have to know, and the plan in a text for them. */
    const struct crew_kind *remote;
    const char *text;
    void *plan;       /* on a host: what `kind` is laid out for, freed with it */
    const char *root; /* of the trial */
};

#endif
