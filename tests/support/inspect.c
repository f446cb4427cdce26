// SPDX-License-Identifier: Apache-2.0
#include "tests/support/inspect.h"

/* They say nothing while commands run: a busy machine takes its time for a dozen of those. */
#define TIMEOUT_MS 600000

struct command command;

/* ------------------------------------------------------------------ sessions that have locks */

static struct event_loop *events;
struct actor actors[ACTORS];

static void state_changed(void *owner, enum client_state state)
{
    ((struct actor *)owner)->established = state == CLIENT_ESTABLISHED;
}

static void sent(void *owner, enum operation operation)
{
    (void)owner, (void)operation;
}

static void replied(void *owner, const struct client_reply *reply)
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

static void notified(void *owner, enum client_event event, const char *path)
{
    (void)owner, (void)event, (void)path;
}

static void turn_until(const bool *holds)
{
    uint64_t until_ns = clock_now_ns() + PATIENCE_NS;
    struct error error;
    while (!*holds && clock_now_ns() < until_ns)
        assert_int_equal(event_loop_poll(events, until_ns, &error), ERROR_NONE);
    assert_true(*holds);
}

enum zk_status await_reply(struct actor *actor)
{
    turn_until(&actor->replied);
    actor->replied = false;
    return actor->status;
}

const char *create(unsigned actor, const char *path, enum create_mode mode)
{
    client_create(actors[actor].client, path, NULL, 0, mode);
    assert_int_equal(await_reply(&actors[actor]), ZK_OK);
    return strrchr(actors[actor].path, '/') + 1;
}

void release(unsigned actor, const char *path)
{
    client_delete(actors[actor].client, path);
    assert_int_equal(await_reply(&actors[actor]), ZK_OK);
}

bool is_there(const char *path)
{
    client_exists(actors[0].client, path, NO_WATCH);
    return await_reply(&actors[0]) == ZK_OK;
}

size_t count_children(const char *path)
{
    client_get_children(actors[0].client, path, NO_WATCH);
    return await_reply(&actors[0]) == ZK_OK ? actors[0].children : 0;
}

uint64_t session_of(unsigned actor)
{
    return (uint64_t)client_session_id(actors[actor].client);
}

int open_actors(void **state)
{
    static const struct client_listener listener = {state_changed, sent, replied, notified};
    struct error error;
    if (work_make(state) != 0)
        return -1;
    command = (struct command){.settings = NULL};
    memset(actors, 0, sizeof actors);
    assert_int_equal(event_loop_new(ACTORS, NULL, &events, &error), ERROR_NONE);
    for (unsigned i = 0; i < ACTORS; i++)
        assert_int_equal(event_loop_open(events, outside, TIMEOUT_MS, 1, &listener, &actors[i],
                                         &actors[i].client, &error),
                         ERROR_NONE);
    for (unsigned i = 0; i < ACTORS; i++)
        turn_until(&actors[i].established);
    create(0, "/l", PERSISTENT);
    return 0;
}

int close_actors(void **state)
{
    struct setup_session *setup = NULL;
    struct error error;
    event_loop_close(events, clock_now_ns() + NS_PER_S);
    event_loop_free(events);
    assert_int_equal(
        setup_session_new(&outside_server->connect, NULL, PATIENCE_NS, -1, &setup, &error),
        ERROR_NONE);
    assert_int_equal(setup_session_delete_tree(setup, "/l", &error), ERROR_NONE);
    setup_session_free(setup);
    return work_remove(state);
}

/* ------------------------------------------------------------------ what is shown */

void inspect(const char *path, const char *option, const char *other)
{
    command_run(&command, COMMAND("inspect", path, "--connect", outside, option, other));
}

const char *line_of(const char *text, size_t number)
{
    for (; number > 0; number--) {
        text = strchr(text, '\n');
        assert_non_null(text);
        text++;
    }
    return text;
}

void assert_line(const char *text, size_t number, const char *words)
{
    const char *line = line_of(text, number);
    size_t length = strcspn(line, "\n");
    if (length != strlen(words) || strncmp(line, words, length) != 0)
        fail_msg("'%.*s' instead of '%s' in\n%s", (int)length, line, words, text);
}

void assert_narrow(const char *text)
{
    for (const char *line = text; *line != '\0'; line += strcspn(line, "\n") + 1) {
        if (strcspn(line, "\n") > 80)
            fail_msg("'%.*s' is too wide", (int)strcspn(line, "\n"), line);
    }
}

const char *row_of(const char *text, size_t place)
{
    static char row[2000];
    char beginning[16];
    size_t length = 0;
    snprintf(beginning, sizeof beginning, "\n%5zu  ", place);
    const char *line = strstr(text, beginning);
    if (line == NULL)
        fail_msg("there is no place %zu in\n%s", place, text);
    for (line++; length == 0 || strncmp(line, "       ", 7) == 0; line += strcspn(line, "\n") + 1) {
        int skipped = length == 0 ? 0 : 6;
        length += (size_t)snprintf(row + length, sizeof row - length, "%.*s",
                                   (int)strcspn(line + skipped, "\n"), line + skipped);
    }
    return row;
}

void assert_row(const char *text, size_t place, const char *state, const char *name, unsigned actor)
{
    char beginning[300], end[400], session[32];
    const char *row = row_of(text, place);
    size_t width = strlen(state);
    snprintf(session, sizeof session, "0x%" PRIx64, session_of(actor));
    snprintf(beginning, sizeof beginning, "%5zu  %s ", place, state);
    if (strncmp(row, beginning, strlen(beginning)) != 0 || strstr(row + width, session) == NULL)
        fail_msg("'%s' instead of '%s' of %s in\n%s", row, beginning, session, text);
    snprintf(end, sizeof end, "%s, client 127.0.0.1:", name);
    assert_has(row, end);
    snprintf(end, sizeof end, ", server %s", outside);
    assert_has(row, end);
}
