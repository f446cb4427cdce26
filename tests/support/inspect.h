// SPDX-License-Identifier: Apache-2.0
/*
 * inspect: sessions that have locks, `zkherd inspect` of these, and what it shows.
 *
 * Each test has sessions of its own, and a folder /l, which is made anew.
 */
#ifndef TESTS_INSPECT_H
#define TESTS_INSPECT_H

#include "tests/support/outcome.h"
#include "tests/support/outside.h"
#include "tests/support/test.h"

#include <inttypes.h>

#define ACTORS 3

extern struct command command;

/* ------------------------------------------------------------------ sessions that have locks */

struct actor {
    struct client *client;
    bool established, replied;
    enum zk_status status;
    char path[256];        /* of what was created */
    char first_child[256]; /* of what was listed, the first that begins with "zkherd-", or "" */
    size_t children;
};

extern struct actor actors[ACTORS];

enum zk_status await_reply(struct actor *actor);

/* The name that the server gave to what this session has created. */
const char *create(unsigned actor, const char *path, enum create_mode mode);

void release(unsigned actor, const char *path);

bool is_there(const char *path);

size_t count_children(const char *path);

uint64_t session_of(unsigned actor);

int open_actors(void **state);

int close_actors(void **state);

#define INSPECT_TEST(test)      TEST_BETWEEN(test, open_actors, close_actors)
#define INSPECT_TEST_SOON(test) SOON_TEST(test, open_actors, close_actors)

/* ------------------------------------------------------------------ what is shown */

void inspect(const char *path, const char *option, const char *other);

const char *line_of(const char *text, size_t number);

void assert_line(const char *text, size_t number, const char *words);

/* Every line of it fits a terminal of 80 columns. */
void assert_narrow(const char *text);

/* The row of this place in the table that follows, what is below it included, as one line. */
const char *row_of(const char *text, size_t place);

/* A row: place, state, session, two ages, the znode, and where the session is. The table is the
 * first in the text. */
void assert_row(const char *text, size_t place, const char *state, const char *name,
                unsigned actor);

#endif
