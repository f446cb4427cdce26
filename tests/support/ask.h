// SPDX-License-Identifier: Apache-2.0
/* ask: submits a request that is an expression, with tag 0. */
#ifndef TESTS_ASK_H
#define TESTS_ASK_H

#include "client/client.h"

static inline void ask(struct client *client, struct request request)
{
    client_submit(client, &request, 0);
}

#endif
