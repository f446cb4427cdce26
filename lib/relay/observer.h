// SPDX-License-Identifier: Apache-2.0
/*
 * observer: everything that is made of the messages that pass: traffic, clients,
 * watches. Layer: relay.
 */
#ifndef RELAY_OBSERVER_H
#define RELAY_OBSERVER_H

#include "relay/clients.h"
#include "relay/traffic.h"
#include "relay/watches.h"

struct observer {
    struct traffic traffic;
    struct clients clients;
    struct watches watches;
};

/* Its context is the struct observer. */
extern const struct conversation_listener observer_listener;

/* A conversation has ended; context: the same. */
void observer_ended(void *context, const struct conversation *conversation);

#endif
