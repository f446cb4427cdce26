// SPDX-License-Identifier: Apache-2.0
/*
 * proxy: a process between sessions and a server that cuts a connection when a test asks for it.
 */
#ifndef TESTS_PROXY_H
#define TESTS_PROXY_H

#include "client/connect.h"
#include "tests/support/test.h"

#include <unistd.h>

struct proxy {
    pid_t pid;
    int control; /* a byte written here cuts one connection */
    struct connect_string servers;
};

/* In front of this server, on 127.0.0.1. */
struct proxy proxy_start(const struct endpoint *server);

/* Cuts a connection that is idle, or one on which a request is out. */
void proxy_cut(const struct proxy *proxy, bool idle);

void proxy_stop(struct proxy *proxy);

#endif
