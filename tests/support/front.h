// SPDX-License-Identifier: Apache-2.0
/*
 * front: a process in front of a real server that passes everything on, but answers four-letter
 * words in its own way.
 */
#ifndef TESTS_FRONT_H
#define TESTS_FRONT_H

#include "servers/tcp.h"
#include "tests/support/test.h"

#include <unistd.h>

/* How it answers them. */
enum manner {
    REFUSES_WORDS,
    REFUSES_COUNTERS,
    REFUSES_CONNECTIONS,
    ANOTHER_VERSION,
    FALTERS,
    HOSTILE,   /* its answers contain bytes that a terminal would obey */
    MISCOUNTS, /* the n-th time it is asked, it tells n writes too few */
};

struct front {
    pid_t pid;
    char address[64];
};

/* As long as what it replaces. */
#define FRONT_HOSTILE "\x1b[31m\x07\xe2\x80\xae"

struct front front_start(const struct endpoint *server, enum manner manner);

void front_stop(const struct front *front);

#endif
