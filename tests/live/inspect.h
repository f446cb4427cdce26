// SPDX-License-Identifier: Apache-2.0
/*
 * inspect: sessions that have locks, `zkherd inspect` of these, and what it shows.
 *
 * Each test has sessions of its own, and a folder /l, which is made anew.
 */
#ifndef TESTS_INSPECT_H
#define TESTS_INSPECT_H

#include "tests/live/outcome.h"
#include "tests/live/outside.h"

#include "zk/events.h"

#include <inttypes.h>
#include <stdlib.h>

#define ACTORS 3
/* They say nothing while commands run: a busy machine takes its time for a dozen of those. */
#define TIMEOUT_MS 600000

static struct command command;

/* ------------------------------------------------------------------ sessions that have locks */

static struct events *events;
static struct actor {
    struct client *client;
    bool established, replied;
    enum zk_status status;
    char path[256];        /* of what was created */
    char first_child[256]; /* of what was listed, the first that begins with "zkherd-", or "" */
    size_t children;
} actors[ACTORS];

static inline void state_changed(void *owner, enum client_state state)
{
    ((struct actor *)owner)->established = state == CLIENT_ESTABLISHED;
}

static inline void sent(void *owner, enum client_operation operation)
{
    (void)owner, (void)operation;
}

static inline void replied(void *owner, const struct client_reply *reply)
{
    struct actor *actor = owner;
    actor->replied = true;
    actor->status = reply->status;
    snprintf(actor->path, sizeof actor->path, "%s", reply->path == NULL ? "" : reply->path);
    actor->children = reply->name_count;
    actor->first_child[0] = '\0';
    for (size_t i = 0; i < reply->name_count; i++) {
        if (strncmp(reply->names[i], "zkherd-", 7) == 0)
            snprintf(actor->first_child, sizeof actor->first_child, "%s", reply->names[i]);
    }
}

static inline void notified(void *owner, enum client_event event, const char *path)
{
    (void)owner, (void)event, (void)path;
}

static inline void turn_until(const bool *holds)
{
    uint64_t until_ns = clock_now_ns() + PATIENCE_NS;
    struct fault fault;
    while (!*holds && clock_now_ns() < until_ns)
        assert_int_equal(events_poll(events, until_ns, &fault), FAULT_NONE);
    assert_true(*holds);
}

static inline enum zk_status await(struct actor *actor)
{
    turn_until(&actor->replied);
    actor->replied = false;
    return actor->status;
}

/* The name that the server gave to what this session has created. */
static inline const char *create(unsigned actor, const char *path, enum create_mode mode)
{
    client_create(actors[actor].client, path, NULL, 0, mode);
    assert_int_equal(await(&actors[actor]), ZK_OK);
    return strrchr(actors[actor].path, '/') + 1;
}

static inline void release(unsigned actor, const char *path)
{
    client_delete(actors[actor].client, path);
    assert_int_equal(await(&actors[actor]), ZK_OK);
}

static inline bool is_there(const char *path)
{
    client_exists(actors[0].client, path, NO_WATCH);
    return await(&actors[0]) == ZK_OK;
}

static inline size_t count_children(const char *path)
{
    client_get_children(actors[0].client, path, NO_WATCH);
    return await(&actors[0]) == ZK_OK ? actors[0].children : 0;
}

static inline uint64_t session_of(unsigned actor)
{
    return (uint64_t)client_session_id(actors[actor].client);
}

static inline int open_actors(void **state)
{
    static const struct client_listener listener = {state_changed, sent, replied, notified};
    struct fault fault;
    if (nest_make(state) != 0)
        return -1;
    command = (struct command){.settings = NULL};
    memset(actors, 0, sizeof actors);
    assert_int_equal(events_new(ACTORS, &events, &fault), FAULT_NONE);
    for (unsigned i = 0; i < ACTORS; i++)
        assert_int_equal(events_open(events, outside, TIMEOUT_MS, &listener, &actors[i],
                                     &actors[i].client, &fault),
                         FAULT_NONE);
    for (unsigned i = 0; i < ACTORS; i++)
        turn_until(&actors[i].established);
    create(0, "/l", PERSISTENT);
    return 0;
}

static inline int close_actors(void **state)
{
    struct steward *steward = NULL;
    struct fault fault;
    events_close(events, clock_now_ns() + NS_PER_S);
    events_free(events);
    assert_int_equal(
        steward_new(ensemble_connect(outside_server), NULL, PATIENCE_NS, &steward, &fault),
        FAULT_NONE);
    assert_int_equal(steward_delete_tree(steward, "/l", &fault), FAULT_NONE);
    steward_free(steward);
    return nest_remove(state);
}

#define INSPECT_TEST(test)      cmocka_unit_test_setup_teardown(test, open_actors, close_actors)
#define INSPECT_TEST_SOON(test) SOON_TEST(test, open_actors, close_actors)

/* ------------------------------------------------------------------ what is shown */

static inline void inspect(const char *path, const char *option, const char *other)
{
    command_run(&command, COMMAND("inspect", path, "--connect", outside, option, other));
}

static inline const char *line_of(const char *text, size_t number)
{
    for (; number > 0; number--) {
        text = strchr(text, '\n');
        assert_non_null(text);
        text++;
    }
    return text;
}

static inline void assert_line(const char *text, size_t number, const char *words)
{
    const char *line = line_of(text, number);
    size_t length = strcspn(line, "\n");
    if (length != strlen(words) || strncmp(line, words, length) != 0)
        fail_msg("'%.*s' instead of '%s' in\n%s", (int)length, line, words, text);
}

/* A row of the table whose first line is that of the sum: place, state, znode, session, with all
 * columns in their places, and an end that says where the session is. */
static inline void assert_row(const char *text, size_t place, const char *state, const char *name,
                              unsigned actor)
{
    char beginning[200], place_text[16];
    const char *head = line_of(text, 1), *row = line_of(text, 1 + place);
    size_t length = strcspn(row, "\n");
    int width = (int)(strstr(head, "  session") - strstr(head, "znode"));
    snprintf(place_text, sizeof place_text, "%zu", place);
    int at =
        snprintf(beginning, sizeof beginning, "%5s  %-13s  %-*s  ", place_text, state, width, name);
    snprintf(beginning + at, sizeof beginning - (size_t)at, "%-18s  ", "");
    at += snprintf(beginning + at, sizeof beginning - (size_t)at, "0x%" PRIx64, session_of(actor));
    if (strncmp(row, beginning, (size_t)at) != 0)
        fail_msg("'%.*s' instead of '%s' in\n%s", (int)length, row, beginning, text);
    const char *client = row + (strstr(head, "client") - head);
    if (client - row > (ptrdiff_t)length || strncmp(client, "127.0.0.1:", 10) != 0)
        fail_msg("no client in '%.*s' of\n%s", (int)length, row, text);
    const char *server = row + (strstr(head, "server") - head);
    if (strncmp(server, outside, strlen(outside)) != 0 || server[strlen(outside)] != '\n')
        fail_msg("not '%s' in '%.*s' of\n%s", outside, (int)length, row, text);
}

/* Waits until the command has written so many of these words to one of its outputs. */
static inline void await_words(int descriptor, const char *words, size_t times)
{
    static char text[COMMAND_TEXT_SIZE];
    uint64_t until_ns = clock_now_ns() + PATIENCE_NS;
    for (;;) {
        ssize_t length = pread(descriptor, text, sizeof text - 1, 0);
        text[length > 0 ? length : 0] = '\0';
        if (count_words(text, words) >= times)
            return;
        if (!command_runs(&command) || clock_now_ns() > until_ns) {
            command_finish(&command, 0);
            fail_msg("'%s' is not there %zu times:\n%s%s", words, times, command.out, command.err);
        }
        pause_ms(2);
    }
}

#endif
