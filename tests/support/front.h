// SPDX-License-Identifier: Apache-2.0
/*
 * front: a process in front of a real server, which passes everything on, but for what it makes of
 * four-letter words.
 */
#ifndef TESTS_FRONT_H
#define TESTS_FRONT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "servers/tcp.h"

#include <unistd.h>

/* What it makes of them. */
enum manner {
    REFUSES_WORDS,
    REFUSES_COUNTERS,
    REFUSES_CONNECTIONS,
    ANOTHER_VERSION,
    FALTERS,
    HOSTILE, /* what its four-letter words answer has what a terminal would obey */
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
