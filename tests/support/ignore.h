// SPDX-License-Identifier: Apache-2.0
/* ignore: members of a client_listener for what a test does not listen to. */
#ifndef TESTS_IGNORE_H
#define TESTS_IGNORE_H

#include "client/client.h"

static inline void ignore_state(void *owner, enum client_state state)
{
    (void)owner, (void)state;
}

static inline void ignore_sent(void *owner, enum operation operation)
{
    (void)owner, (void)operation;
}

static inline void ignore_event(void *owner, enum client_event event, const char *path)
{
    (void)owner, (void)event, (void)path;
}

#endif
