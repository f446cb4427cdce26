// SPDX-License-Identifier: Apache-2.0
/* `zkherd inspect`: who holds and who waits, followed and broken, on locks of these sessions. */
#include "tests/live/front.h"
#include "tests/live/outcome.h"
#include "tests/live/outside.h"

#include "zk/events.h"

#include <inttypes.h>
#include <stdlib.h>

#define ACTORS     3
#define TIMEOUT_MS 30000
/* For what has to happen soon; Ctrl-C, within two seconds. */
#define PATIENCE_NS (20 * NS_PER_S)
#define SOON_NS     (2 * NS_PER_S)

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

static void state_changed(void *owner, enum client_state state)
{
    ((struct actor *)owner)->established = state == CLIENT_ESTABLISHED;
}

static void sent(void *owner, enum client_operation operation)
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
    struct fault fault;
    while (!*holds && clock_now_ns() < until_ns)
        assert_int_equal(events_poll(events, until_ns, &fault), FAULT_NONE);
    assert_true(*holds);
}

static enum zk_status await(struct actor *actor)
{
    turn_until(&actor->replied);
    actor->replied = false;
    return actor->status;
}

/* The name that the server gave to what this session has created. */
static const char *create(unsigned actor, const char *path, enum create_mode mode)
{
    client_create(actors[actor].client, path, NULL, 0, mode);
    assert_int_equal(await(&actors[actor]), ZK_OK);
    return strrchr(actors[actor].path, '/') + 1;
}

static void release(unsigned actor, const char *path)
{
    client_delete(actors[actor].client, path);
    assert_int_equal(await(&actors[actor]), ZK_OK);
}

static bool is_there(const char *path)
{
    client_exists(actors[0].client, path, NO_WATCH);
    return await(&actors[0]) == ZK_OK;
}

static size_t count_children(const char *path)
{
    client_get_children(actors[0].client, path, NO_WATCH);
    return await(&actors[0]) == ZK_OK ? actors[0].children : 0;
}

static uint64_t session_of(unsigned actor)
{
    return (uint64_t)client_session_id(actors[actor].client);
}

/* Each test has sessions of its own, and a folder /l, which is made anew. */
static int open_actors(void **state)
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

static int close_actors(void **state)
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

#define INSPECT_TEST(test) cmocka_unit_test_setup_teardown(test, open_actors, close_actors)

/* ------------------------------------------------------------------ what is shown */

static void inspect(const char *path, const char *option, const char *other)
{
    command_run(&command, COMMAND("inspect", path, "--connect", outside, option, other));
}

static const char *line_of(const char *text, size_t number)
{
    for (; number > 0; number--) {
        text = strchr(text, '\n');
        assert_non_null(text);
        text++;
    }
    return text;
}

static void assert_line(const char *text, size_t number, const char *words)
{
    const char *line = line_of(text, number);
    size_t length = strcspn(line, "\n");
    if (length != strlen(words) || strncmp(line, words, length) != 0)
        fail_msg("'%.*s' instead of '%s' in\n%s", (int)length, line, words, text);
}

/* A row of the table whose first line is that of the sum: place, state, znode, session, with all
 * columns in their places, and an end that says where the session is. */
static void assert_row(const char *text, size_t place, const char *state, const char *name,
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

static void a_queue_is_told_in_order(void **state)
{
    (void)state;
    char names[ACTORS][128];
    /* As Curator names them: what stands before the number says nothing. */
    static const char *const prefixes[ACTORS] = {
        "/l/_c_ffd8b0d6-3f6d-4d2c-8c8d-4f7d0e0f8a01-lock-",
        "/l/_c_77d8b0d6-3f6d-4d2c-8c8d-4f7d0e0f8a01-lock-",
        "/l/lock-",
    };
    create(0, "/l/beside", PERSISTENT);
    for (unsigned i = 0; i < ACTORS; i++)
        snprintf(names[i], sizeof names[i], "%s",
                 create(ACTORS - 1 - i, prefixes[i], EPHEMERAL_SEQUENTIAL));
    inspect("/l", NULL, NULL);
    assert_status(&command, 0);
    assert_string_equal(command.err, "");
    assert_line(command.out, 0, "/l: 1 holds, 2 wait");
    assert_row(command.out, 1, "holds", names[0], 2);
    assert_row(command.out, 2, "waits", names[1], 1);
    assert_row(command.out, 3, "waits", names[2], 0);
    assert_int_equal(count_words(command.out, "\n"), 5);
    assert_non_null(strstr(command.out, " ms  127.0.0.1:"));
    assert_true(is_there("/l/beside"));
    assert_int_equal(count_children("/l"), 4);
    assert_left(0);
}

static void readers_hold_together(void **state)
{
    (void)state;
    create(2, "/l/read-", EPHEMERAL_SEQUENTIAL);
    create(0, "/l/read-", EPHEMERAL_SEQUENTIAL);
    create(1, "/l/write-", EPHEMERAL_SEQUENTIAL);
    inspect("/l", NULL, NULL);
    assert_status(&command, 0);
    assert_line(command.out, 0, "/l: 2 hold, 1 waits");
    assert_row(command.out, 1, "holds, reads", "read-0000000000", 2);
    assert_row(command.out, 2, "holds, reads", "read-0000000001", 0);
    assert_row(command.out, 3, "waits, writes", "write-0000000002", 1);
    assert_left(0);
}

static void a_lock_of_one_znode_has_a_holder(void **state)
{
    (void)state;
    create(1, "/l/f", EPHEMERAL);
    inspect("/l/f", NULL, NULL);
    assert_status(&command, 0);
    assert_line(command.out, 0, "/l/f: 1 holds, who waits is not known");
    assert_row(command.out, 1, "holds", "f", 1);
    assert_has(command.out, "\nwho waits leaves a watch on the znode, and no znode of its own\n");
    assert_left(0);
}

/* Nothing tells a queue that is free from any other znode, not even data: a soft lock has some. */
static void nobody_may_hold(void **state)
{
    (void)state;
    inspect("/l", NULL, NULL);
    assert_status(&command, 0);
    assert_string_equal(command.out, "/l: no children: a queue that is free, or no lock\n");
    inspect("/l", "--break", "--yes");
    assert_status(&command, 0);
    assert_string_equal(command.out, "/l: no children: a queue that is free, or no lock\n");
    assert_string_equal(command.err, "");
    client_create(actors[0].client, "/l/data", "hello", 5, PERSISTENT);
    assert_int_equal(await(&actors[0]), ZK_OK);
    inspect("/l/data", NULL, NULL);
    assert_status(&command, 0);
    assert_string_equal(command.out, "/l/data: no children: a queue that is free, or no lock\n");
    assert_left(0);
}

/* A znode that no session owns bars the way all the same, for good: that is seen, and removed. */
static void a_place_of_nobody_is_told(void **state)
{
    (void)state;
    create(0, "/l/lock-", EPHEMERAL_SEQUENTIAL);
    create(0, "/l/lock--000000001", PERSISTENT);
    inspect("/l", NULL, NULL);
    assert_status(&command, 0);
    assert_has(command.out, "\n    1  holds          lock--000000001  none  ");
    assert_row(command.out, 2, "waits", "lock-0000000000", 0);
    assert_int_equal(count_words(command.out, "\n"), 4);
    inspect("/l", "--break", "--yes");
    assert_status(&command, 0);
    assert_has(command.out, "\ndeleted lock--000000001\n/l: 1 holds, nobody waits\n");
    assert_left(0);
}

/* Who loses it goes on as if it held it, and the run finds two holders: at once, so it stands still
 * until the lock has been looked at again. Under lockstep the first holds before others come. */
static void locks_of_runs_are_told_and_broken(void **state)
{
    (void)state;
    static struct command run;
    char path[300] = "/none", sum[400];
    uint64_t until_ns = clock_now_ns() + COMMAND_LIMIT_NS;
    run.settings = (const char *const[]){NO_PROGRAMS, NULL};
    command_start(&run, COMMAND("run", "--connect", outside, "-r", "scalable", "-n", "3", "-t", "1",
                                "--hold", "9m", "--timeout", "10m", "--session-timeout", "10m",
                                "-o", "out"));
    while (count_children(path) < 3 && clock_now_ns() < until_ns) {
        count_children("/");
        snprintf(path, sizeof path, "/%s/t0000/l0", actors[0].first_child);
        pause_ms(5);
    }
    kill(-run.pid, SIGSTOP);
    inspect(path, "--break", "--yes");
    kill(-run.pid, SIGCONT);
    command_finish(&run, COMMAND_LIMIT_NS);
    assert_status(&run, 1);
    assert_has(run.err, "two holders: ");
    assert_status(&command, 0);
    snprintf(sum, sizeof sum, "%s: 1 holds, 2 wait", path);
    assert_line(command.out, 0, sum);
    assert_has(command.out, "\n    1  holds          lock-0000000000  0x");
    assert_has(command.out, "\n    3  waits          lock-0000000002  0x");
    assert_has(command.out, "/t0000/l0: 1 holds, 1 waits\n");
    assert_left(1);
}

/* ------------------------------------------------------------------ servers */

static void a_server_that_refuses_leaves_dashes(void **state)
{
    (void)state;
    char words[256];
    struct front front =
        front_start(&ensemble_connect(outside_server)->endpoints[0], REFUSES_CONNECTIONS);
    create(0, "/l/lock-", EPHEMERAL_SEQUENTIAL);
    create(1, "/l/lock-", EPHEMERAL_SEQUENTIAL);
    command_run(&command, COMMAND("inspect", "/l", "--connect", front.address));
    front_stop(&front);
    assert_status(&command, 0);
    assert_line(command.out, 0, "/l: 1 holds, 1 waits");
    assert_int_equal(count_words(command.out, "  -       -\n"), 2);
    snprintf(words, sizeof words,
             "\n-: who is connected to %s is not known: the server refuses the four-letter word: "
             "cons; add it to 4lw.commands.whitelist\n",
             front.address);
    assert_has(command.out, words);
    assert_int_equal(count_words(command.out, "\n-: "), 1);
    assert_string_equal(command.err, "");
    assert_left(0);
}

static void a_server_that_is_down_hides_nothing(void **state)
{
    (void)state;
    char servers[96];
    create(0, "/l/lock-", EPHEMERAL_SEQUENTIAL);
    snprintf(servers, sizeof servers, "127.0.0.1:1,%s", outside);
    command_run(&command, COMMAND("inspect", "/l", "--connect", servers));
    assert_status(&command, 0);
    assert_row(command.out, 1, "holds", "lock-0000000000", 0);
    assert_null(strstr(command.out, "\n-: "));
    command_run(&command, COMMAND("inspect", "/l", "--connect", "127.0.0.1:1"));
    assert_refused(&command, 3, "zkherd: 127.0.0.1:1: the connection was refused");
    assert_null(strstr(command.err, "leave --connect out"));
    assert_left(0);
}

static void paths_are_within_the_chroot(void **state)
{
    (void)state;
    char servers[96];
    create(0, "/l/q", PERSISTENT);
    create(1, "/l/q/lock-", EPHEMERAL_SEQUENTIAL);
    snprintf(servers, sizeof servers, "%s/l", outside);
    command_run(&command, COMMAND("inspect", "/q", "--connect", servers));
    assert_status(&command, 0);
    assert_line(command.out, 0, "/q: 1 holds, nobody waits");
    assert_row(command.out, 1, "holds", "lock-0000000000", 1);
    command_run(&command, COMMAND("inspect", "/q", "--connect", servers, "--break", "--yes"));
    assert_status(&command, 0);
    assert_false(is_there("/l/q/lock-0000000000"));
    snprintf(servers, sizeof servers, "%s/l/none", outside);
    command_run(&command, COMMAND("inspect", "/q", "--connect", servers));
    assert_refused(&command, 3, "zkherd: /l/none: the chroot does not exist; create it first");
    assert_left(0);
}

/* ------------------------------------------------------------------ what is no lock, or wrong */

static void what_is_no_lock_is_refused(void **state)
{
    (void)state;
    static const struct {
        const char *path, *words;
    } list[] = {
        {"/none", "zkherd: /none: it is no lock: there is no such znode; name the folder of"},
        {"/l/none/of/these", "it is no lock: there is no such znode"},
        {"/l/plain", "it is no lock: its children, as 'child', have no sequence numbers"},
        {"/l/tasks", "it is no lock: its children, as 'task-0000000003', are no session's"},
        {"/l/ticket",
         "its children have no sequence numbers, but /l/ticket/queue may be one; name the folder"},
        {"/l/nonscalable", "its children have no sequence numbers, but /l/nonscalable/f may be"},
        {"/l/tasks/task-0000000003", "it is no lock: it is one place in a line"},
        {"/l/lock-0000000004", "it is no lock: it is one place in a line: the lock is its folder"},
        {"/", "it is no lock: its children, as '"},
    };
    create(0, "/l/plain", PERSISTENT);
    create(0, "/l/plain/child", EPHEMERAL);
    create(0, "/l/tasks", PERSISTENT);
    create(0, "/l/tasks/task-0000000003", PERSISTENT);
    create(0, "/l/ticket", PERSISTENT);
    create(0, "/l/ticket/turn", PERSISTENT);
    create(0, "/l/ticket/queue", PERSISTENT);
    create(0, "/l/nonscalable", PERSISTENT);
    create(0, "/l/nonscalable/f", EPHEMERAL);
    assert_string_equal(create(0, "/l/lock-", EPHEMERAL_SEQUENTIAL), "lock-0000000004");
    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
        inspect(list[i].path, NULL, NULL);
        assert_refused(&command, 2, list[i].words);
        inspect(list[i].path, "--break", "--yes");
        assert_refused(&command, 2, list[i].words);
    }
    assert_true(is_there("/l/plain/child"));
    assert_true(is_there("/l/tasks/task-0000000003"));
    assert_true(is_there("/l/lock-0000000004"));
    assert_left(0);
}

static void wrong_command_lines_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *arguments[6], *words;
    } list[] = {
        {{"--connect", "host"}, "zkherd: path: expected the path of a lock; see zkherd inspect"},
        {{"/l"}, "zkherd: --connect: expected the servers"},
        {{"/l", "/m", "--connect", "host"}, "zkherd: /m: expected one path alone"},
        {{"l", "--connect", "host"}, "zkherd: l: the path does not begin with a '/'"},
        {{"", "--connect", "host"}, "zkherd: '': the path does not begin with a '/'"},
        {{"/l/", "--connect", "host"}, "zkherd: /l/: the path ends with a '/'"},
        {{"/l//m", "--connect", "host"}, "the path has an empty name, '//'"},
        {{"/l/../m", "--connect", "host"}, "the path has a relative name"},
        {{"/l\n", "--connect", "host"}, "the path has a control character"},
        {{"/l", "--connect", "host:0"}, "zkherd: --connect host:0: a port is a number"},
        {{"/l", "--connect", ""}, "zkherd: --connect '': there is no host in it"},
        {{"/l", "--connect"}, "zkherd: --connect: it takes a value"},
        {{"/l", "--watch=no", "--connect", "host"}, "zkherd: --watch=no: it takes no value"},
        {{"/l", "--frob", "--connect", "host"}, "zkherd: --frob: no such option"},
        {{"/l", "-x", "--connect", "host"}, "zkherd: -x: no such option"},
        {{"/l", "--yes", "--connect", "host"}, "zkherd: --yes: it is for --break alone"},
        {{"/l", "--watch", "--break", "--connect", "host"}, "zkherd: --break: with --watch"},
        {{"/l", "--break", "--connect", "host"}, "zkherd: --break: there is no terminal to ask"},
    };
    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
        const char *arguments[10] = {"zkherd", "inspect"};
        for (size_t j = 0; j < 6 && list[i].arguments[j] != NULL; j++)
            arguments[j + 2] = list[i].arguments[j];
        command_run(&command, arguments);
        assert_status(&command, 2);
        assert_has(command.err, list[i].words);
        assert_has(command.err, "; see zkherd inspect --help\n");
        assert_string_equal(command.out, "");
    }
    assert_left(0);
}

/* ------------------------------------------------------------------ breaking */

static void a_broken_lock_goes_to_the_next(void **state)
{
    (void)state;
    char deleted[128];
    for (unsigned i = 0; i < ACTORS; i++)
        create(i, "/l/lock-", EPHEMERAL_SEQUENTIAL);
    inspect("/l", "--break", "--yes");
    assert_status(&command, 0);
    assert_string_equal(command.err, "");
    assert_line(command.out, 0, "/l: 1 holds, 2 wait");
    snprintf(deleted, sizeof deleted, "deleted lock-0000000000 of session 0x%" PRIx64,
             session_of(0));
    assert_line(command.out, 5, deleted);
    assert_line(command.out, 6, "/l: 1 holds, 1 waits");
    assert_row(line_of(command.out, 6), 1, "holds", "lock-0000000001", 1);
    assert_row(line_of(command.out, 6), 2, "waits", "lock-0000000002", 2);
    assert_false(is_there("/l/lock-0000000000"));
    assert_int_equal(count_children("/l"), 2);
    assert_left(0);
}

static void all_who_read_lose_it(void **state)
{
    (void)state;
    create(0, "/l/read-", EPHEMERAL_SEQUENTIAL);
    create(1, "/l/read-", EPHEMERAL_SEQUENTIAL);
    create(2, "/l/write-", EPHEMERAL_SEQUENTIAL);
    inspect("/l", "--break", "--yes");
    assert_status(&command, 0);
    assert_int_equal(count_words(command.out, "\ndeleted read-"), 2);
    assert_has(command.out, "\n/l: 1 holds, nobody waits\n");
    assert_int_equal(count_children("/l"), 1);
    assert_true(is_there("/l/write-0000000002"));
    assert_left(0);
}

/* Of a terminal that the command has for its standard input. */
static int master;
static char terminal[64];

static void take_terminal(void)
{
    dup2(open(terminal, O_RDWR | O_NOCTTY | O_CLOEXEC), 0);
}

/* Waits until it has written so many of these words to one of its outputs. */
static void await_words(int descriptor, const char *words, size_t times)
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

/* Goes on to where the command asks. */
static void start_to_break(const char *path)
{
    master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    assert_true(master >= 0 && grantpt(master) == 0 && unlockpt(master) == 0);
    assert_int_equal(ptsname_r(master, terminal, sizeof terminal), 0);
    command.prepare = take_terminal;
    command_start(&command, COMMAND("inspect", path, "--connect", outside, "--break"));
    await_words(command.err_descriptor, "? [y/N] ", 1);
}

static void answer(const char *text)
{
    assert_int_equal(write(master, text, strlen(text)), strlen(text));
    command_finish(&command, PATIENCE_NS);
    close(master);
}

static void it_is_asked_before_it_is_broken(void **state)
{
    (void)state;
    static const char *const no[] = {"n\n", "\n", "yesterday\n", "\004"};
    char question[128];
    create(0, "/l/lock-", EPHEMERAL_SEQUENTIAL);
    snprintf(question, sizeof question,
             "break the lock held by lock-0000000000 of session 0x%" PRIx64 "? [y/N] ",
             session_of(0));
    for (size_t i = 0; i < sizeof no / sizeof no[0]; i++) {
        start_to_break("/l");
        answer(no[i]);
        assert_status(&command, 0);
        assert_has(command.err,
                   "zkherd: who holds is not told, and may go on as if it still did\n");
        assert_has(command.err, question);
        assert_null(strstr(command.out, "deleted"));
        assert_true(is_there("/l/lock-0000000000"));
    }
    start_to_break("/l");
    answer("y\n");
    assert_status(&command, 0);
    assert_has(command.out, "\ndeleted lock-0000000000 of session 0x");
    assert_has(command.out, "\n/l: nobody holds, nobody waits\n");
    assert_int_equal(count_children("/l"), 0);
    assert_left(0);
}

/* It was asked whether that one is to lose it, and nobody else. */
static void another_holder_is_left_alone(void **state)
{
    (void)state;
    create(0, "/l/lock-", EPHEMERAL_SEQUENTIAL);
    create(1, "/l/lock-", EPHEMERAL_SEQUENTIAL);
    start_to_break("/l");
    release(0, "/l/lock-0000000000");
    answer("yes\n");
    assert_status(&command, 1);
    assert_has(command.err, "zkherd: /l: not broken: lock-0000000000 has gone since it was shown, "
                            "or is another; look again\n");
    assert_null(strstr(command.out, "deleted"));
    assert_has(command.out, "\n/l: 1 holds, nobody waits\n");
    assert_true(is_there("/l/lock-0000000001"));

    /* Under the same name, with the same version. */
    create(0, "/l/f", EPHEMERAL);
    start_to_break("/l/f");
    release(0, "/l/f");
    create(1, "/l/f", EPHEMERAL);
    answer("y\n");
    assert_status(&command, 1);
    assert_has(command.err, "not broken: f has gone since it was shown, or is another");
    assert_true(is_there("/l/f"));

    /* One of several who read. */
    create(0, "/l/r", PERSISTENT);
    create(0, "/l/r/read-", EPHEMERAL_SEQUENTIAL);
    create(1, "/l/r/read-", EPHEMERAL_SEQUENTIAL);
    start_to_break("/l/r");
    release(1, "/l/r/read-0000000001");
    answer("y\n");
    assert_status(&command, 1);
    assert_has(command.err, "not broken: read-0000000001 has gone");
    assert_true(is_there("/l/r/read-0000000000"));
    assert_left(0);
}

/* ------------------------------------------------------------------ following */

static void start_watch(const char *path, const char *servers)
{
    command_start(&command, COMMAND("inspect", path, "--connect", servers, "--watch"));
}

static void await_sum(const char *sum, size_t times)
{
    await_words(command.out_descriptor, sum, times);
}

/* It has looked again, and waits for the next change: for one of the znode, and of its children. */
static void await_watches(void)
{
    struct admin_counters counters = {0};
    struct fault fault;
    uint64_t until_ns = clock_now_ns() + PATIENCE_NS;
    while (counters.watch_count != 2 && clock_now_ns() < until_ns)
        assert_int_equal(admin_counters(&ensemble_connect(outside_server)->endpoints[0],
                                        PATIENCE_NS, &counters, &fault),
                         FAULT_NONE);
    assert_int_equal(counters.watch_count, 2);
}

static void interrupt_watch(void)
{
    kill(command.pid, SIGINT);
    command_finish(&command, SOON_NS);
    assert_status(&command, 4);
    assert_null(strstr(command.err, "interrupted"));
}

static void changes_are_followed(void **state)
{
    (void)state;
    start_watch("/l", outside);
    await_sum("/l: no children: a queue that is free, or no lock\n", 1);
    create(0, "/l/lock-", EPHEMERAL_SEQUENTIAL);
    await_sum("/l: 1 holds, nobody waits\n", 1);
    create(1, "/l/lock-", EPHEMERAL_SEQUENTIAL);
    await_sum("/l: 1 holds, 1 waits\n", 1);
    create(2, "/l/lock-", EPHEMERAL_SEQUENTIAL);
    await_sum("/l: 1 holds, 2 wait\n", 1);
    create(2, "/l/beside", EPHEMERAL); /* changes nothing that is shown */
    await_watches();
    release(0, "/l/lock-0000000000");
    await_sum("/l: 1 holds, 1 waits\n", 2);
    release(1, "/l/lock-0000000001");
    await_sum("/l: 1 holds, nobody waits\n", 2);
    release(2, "/l/lock-0000000002");
    await_sum("/l: nobody holds, nobody waits\n", 1);
    interrupt_watch();
    assert_string_equal(command.err, "");
    /* A line with the time, and a blank line between two. */
    assert_int_equal(count_words(command.out, "Z\n/l: "), 7);
    assert_int_equal(count_words(command.out, "\n\n20"), 6);
    const char *last = strstr(command.out, "2 wait\n");
    last = strstr(last, "/l: 1 holds, 1 waits\n");
    assert_row(last, 1, "holds", "lock-0000000001", 1);
    assert_row(last, 2, "waits", "lock-0000000002", 2);
    assert_left(0);
}

/* The lock is free when its znode is gone; a folder may go too, and come back. */
static void a_znode_that_goes_is_followed(void **state)
{
    (void)state;
    create(0, "/l/f", EPHEMERAL);
    start_watch("/l/f", outside);
    await_sum("/l/f: 1 holds, who waits is not known\n", 1);
    release(0, "/l/f");
    await_sum("/l/f: nobody holds, who waits is not known\n", 1);
    create(1, "/l/f", EPHEMERAL);
    await_sum("/l/f: 1 holds, who waits is not known\n", 2);
    release(1, "/l/f");
    await_sum("/l/f: nobody holds, who waits is not known\n", 2);
    create(0, "/l/f", PERSISTENT);
    await_sum("/l/f: nobody holds, nobody waits\n", 1);
    create(0, "/l/f/lock-", EPHEMERAL_SEQUENTIAL);
    await_sum("/l/f: 1 holds, nobody waits\n", 1);
    release(0, "/l/f/lock-0000000000");
    release(0, "/l/f");
    await_sum("/l/f: there is no such znode now; it may be made anew\n", 1);
    create(0, "/l/f", PERSISTENT);
    await_sum("/l/f: nobody holds, nobody waits\n", 2);
    interrupt_watch();
    assert_left(0);
}

/* What it has seen before it need not ask for again; but it must be the same. */
static void what_takes_anothers_place_is_looked_at(void **state)
{
    (void)state;
    create(0, "/l/q", PERSISTENT);
    create(0, "/l/q/lock-", EPHEMERAL_SEQUENTIAL);
    start_watch("/l/q", outside);
    await_sum("/l/q: 1 holds, nobody waits\n", 1);
    kill(command.pid, SIGSTOP);
    release(0, "/l/q/lock-0000000000");
    release(0, "/l/q");
    create(0, "/l/q", PERSISTENT);
    create(1, "/l/q/lock-", EPHEMERAL_SEQUENTIAL);
    kill(command.pid, SIGCONT);
    await_sum("/l/q: 1 holds, nobody waits\n", 2);
    await_watches();
    kill(command.pid, SIGSTOP);
    release(1, "/l/q/lock-0000000000");
    create(2, "/l/q/x-0000000000", EPHEMERAL);
    kill(command.pid, SIGCONT);
    await_sum("/l/q: 1 holds, nobody waits\n", 3);
    interrupt_watch();
    const char *second = strstr(strstr(command.out, "/l/q: ") + 1, "/l/q: ");
    assert_row(second, 1, "holds", "lock-0000000000", 1);
    assert_row(strstr(second + 1, "/l/q: "), 1, "holds", "x-0000000000", 2);
    assert_left(0);
}

static void a_lost_connection_is_told_and_made_anew(void **state)
{
    (void)state;
    char servers[160];
    const struct endpoint *server = &ensemble_connect(outside_server)->endpoints[0];
    struct front fronts[] = {front_start(server, REFUSES_COUNTERS),
                             front_start(server, REFUSES_COUNTERS)};
    create(0, "/l/lock-", EPHEMERAL_SEQUENTIAL);
    snprintf(servers, sizeof servers, "%s,%s", fronts[0].address, fronts[1].address);
    start_watch("/l", servers);
    await_sum("/l: 1 holds, nobody waits\n", 1);
    front_stop(&fronts[0]);
    await_words(command.err_descriptor, "/l: the connection is lost; it may have changed", 1);
    await_sum("/l: 1 holds, nobody waits\n", 2);
    create(1, "/l/lock-", EPHEMERAL_SEQUENTIAL);
    await_sum("/l: 1 holds, 1 waits\n", 1);
    /* And while there is no server. */
    front_stop(&fronts[1]);
    await_words(command.err_descriptor, "/l: the connection is lost; it may have changed", 2);
    interrupt_watch();
    assert_left(0);
}

static void what_cannot_be_printed_ends_it(void **state)
{
    (void)state;
    command.prepare = print_to_a_closed_pipe;
    start_watch("/l", outside);
    command_finish(&command, PATIENCE_NS);
    assert_status(&command, 3);
    assert_string_equal(command.err, "");
    command.prepare = print_to_a_full_device;
    start_watch("/l", outside);
    command_finish(&command, PATIENCE_NS);
    assert_refused(&command, 3, "zkherd: standard output: no space left");
    assert_left(0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        INSPECT_TEST(a_queue_is_told_in_order),
        INSPECT_TEST(readers_hold_together),
        INSPECT_TEST(a_lock_of_one_znode_has_a_holder),
        INSPECT_TEST(nobody_may_hold),
        INSPECT_TEST(a_place_of_nobody_is_told),
        INSPECT_TEST(locks_of_runs_are_told_and_broken),
        INSPECT_TEST(a_server_that_refuses_leaves_dashes),
        INSPECT_TEST(a_server_that_is_down_hides_nothing),
        INSPECT_TEST(paths_are_within_the_chroot),
        INSPECT_TEST(what_is_no_lock_is_refused),
        INSPECT_TEST(wrong_command_lines_are_refused),
        INSPECT_TEST(a_broken_lock_goes_to_the_next),
        INSPECT_TEST(all_who_read_lose_it),
        INSPECT_TEST(it_is_asked_before_it_is_broken),
        INSPECT_TEST(another_holder_is_left_alone),
        INSPECT_TEST(changes_are_followed),
        INSPECT_TEST(a_znode_that_goes_is_followed),
        INSPECT_TEST(what_takes_anothers_place_is_looked_at),
        INSPECT_TEST(a_lost_connection_is_told_and_made_anew),
        INSPECT_TEST(what_cannot_be_printed_ends_it),
    };
    return cmocka_run_group_tests(tests, outside_start, outside_stop);
}
