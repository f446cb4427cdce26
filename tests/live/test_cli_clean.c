// SPDX-License-Identifier: Apache-2.0
/* `zkherd clean`: removes the roots of dead runs, and nothing else. */
#include "tests/support/asked.h"
#include "tests/support/inspect.h"
#include "tests/support/schema.h"
#include "tests/support/test.h"

/* A session of 15 s that is gone, and the servers' own count of it. */
#define EXPIRY_PATIENCE_NS (60 * NS_PER_S)

#define DEAD   "/zkherd-20200101T000000Z-0000001"
#define DEAD_2 "/zkherd-20200101T000001Z-0000002"
#define RECORD "zkherd run, process 1 on nowhere"

static void create_holding(const char *path, const char *data)
{
    client_create(actors[0].client, path, data, strlen(data), PERSISTENT);
    assert_int_equal(await_reply(&actors[0]), ZK_OK);
}

static void remove_tree(const char *path)
{
    struct setup_session *setup = NULL;
    struct error error;
    assert_int_equal(
        setup_session_new(&outside_server->connect, NULL, PATIENCE_NS, -1, &setup, &error),
        ERROR_NONE);
    assert_int_equal(setup_session_delete_tree(setup, path, &error), ERROR_NONE);
    setup_session_free(setup);
}

/* The root of a run that left so much of a trial. */
static void create_dead(const char *root)
{
    char path[128];
    create_holding(root, RECORD);
    snprintf(path, sizeof path, "%s/t0000", root);
    create_holding(path, "");
    snprintf(path, sizeof path, "%s/t0000/l0", root);
    create_holding(path, "");
}

static void clean(const char *servers, const char *option)
{
    command_run(&command, COMMAND("clean", "--connect", servers, option));
}

static json_t *clean_with_json(void)
{
    command_run(&command, COMMAND("clean", "--connect", outside, "--yes", "--json"));
    assert_status(&command, 0);
    return schema_read_result(&command, "clean");
}

static void assert_counts(const json_t *json, json_int_t found, json_int_t removed)
{
    assert_int_equal(json_array_size(json_object_get(json, "roots")), found);
    assert_int_equal(json_integer_value(json_object_get(json, "found")), found);
    assert_int_equal(json_integer_value(json_object_get(json, "removed")), removed);
    assert_int_equal(json_integer_value(json_object_get(json, "kept")), found - removed);
    assert_true(json_is_null(json_object_get(json, "cut_short")));
}

/* A root in what was printed: its state, and a text of it. */
static const json_t *assert_root(const json_t *json, size_t index, const char *state,
                                 const char *key, const char *text)
{
    const json_t *root = json_array_get(json_object_get(json, "roots"), index);
    assert_string_equal(json_string_value(json_object_get(root, "state")), state);
    assert_string_equal(json_string_value(json_object_get(root, key)), text);
    return root;
}

/* A root's line of the table. */
static void assert_state(const char *root, const char *state, const char *about)
{
    char line[800];
    snprintf(line, sizeof line, "%-32s  %-7s  %s", root, state, about);
    assert_has(command.out, line);
}

INSPECT_TEST(there_may_be_nothing)
{
    clean(outside, "--yes");
    assert_status(&command, 0);
    assert_string_equal(command.out, "no run has left znodes here\n");
    assert_string_equal(command.err, "");
    json_t *json = clean_with_json();
    assert_counts(json, 0, 0);
    json_decref(json);
}

INSPECT_TEST(a_dead_run_is_removed)
{
    create_dead(DEAD);
    create_dead(DEAD_2);
    clean(outside, "--yes");
    assert_status(&command, 0);
    assert_state(DEAD, "dead", "3 znodes, process 1 on nowhere\n");
    assert_has(command.out, "\nremoved " DEAD "\nremoved " DEAD_2 "\n");
    assert_false(is_there(DEAD));
    assert_false(is_there(DEAD_2));
}

INSPECT_TEST(a_dead_run_is_told_as_json)
{
    create_dead(DEAD);
    create_holding(DEAD_2, "somebody's data");
    json_t *json = clean_with_json();
    assert_counts(json, 2, 1);
    const json_t *root = assert_root(json, 0, "dead", "run", "process 1 on nowhere");
    assert_string_equal(json_string_value(json_object_get(root, "path")), DEAD);
    assert_int_equal(json_integer_value(json_object_get(root, "znodes")), 3);
    assert_true(json_is_string(json_object_get(root, "last_used")));
    assert_true(json_is_true(json_object_get(root, "removed")));
    root = assert_root(json, 1, "foreign", "path", DEAD_2);
    assert_true(json_is_null(json_object_get(root, "run")));
    assert_true(json_is_null(json_object_get(root, "znodes")));
    assert_true(json_is_false(json_object_get(root, "removed")));
    json_decref(json);
    assert_false(is_there(DEAD));
    assert_true(is_there(DEAD_2));
    remove_tree(DEAD_2);
}

INSPECT_TEST(what_is_no_dead_runs_is_kept)
{
    static const char *const strange[] = {
        "/zkherd-foo",                       /* another name */
        "/zkherd-20200101T000000Z-000000",   /* too short */
        "/zkherd-20200101T000000Z-00000001", /* too long */
        "/xzkherd-20200101T000000Z-0000001",
    };
    (void)state;
    for (size_t i = 0; i < sizeof strange / sizeof strange[0]; i++)
        create_holding(strange[i], RECORD);
    create_holding(DEAD, "somebody's data");
    create_holding(DEAD_2, RECORD);
    create_holding(DEAD_2 "/mine", "");
    create_holding("/zkherd-20200101T000003Z-0000003", RECORD);
    create(1, "/zkherd-20200101T000003Z-0000003/alive", EPHEMERAL);
    create_dead("/zkherd-20200101T000004Z-0000004");
    create(1, "/zkherd-20200101T000004Z-0000004/t0000/l0/lock-", EPHEMERAL_SEQUENTIAL);
    create_holding("/zkherd-20200101T000005Z-0000005", "");
    create_holding("/zkherd-20200101T000005Z-0000005/t0000", "");
    clean(outside, "--yes");
    assert_status(&command, 0);
    assert_null(strstr(command.out, "removed"));
    assert_null(strstr(command.out, "foo"));
    assert_state(DEAD, "foreign", "no run makes such a znode\n");
    assert_state(DEAD_2, "foreign", "no run makes mine\n");
    assert_state("/zkherd-20200101T000003Z-0000003", "running", "process 1 on nowhere\n");
    assert_state("/zkherd-20200101T000004Z-0000004", "in use", "a session owns t0000/l0/lock-00");
    assert_state("/zkherd-20200101T000005Z-0000005", "unknown", "no record, last used ");
    for (const char *line = command.out; *line != '\0'; line += strcspn(line, "\n") + 1)
        assert_true(strcspn(line, "\n") <= 80);
    json_t *json = clean_with_json();
    assert_counts(json, 5, 0);
    assert_root(json, 1, "foreign", "znode", "mine");
    assert_root(json, 2, "running", "run", "process 1 on nowhere");
    assert_root(json, 3, "in use", "znode",
                "/zkherd-20200101T000004Z-0000004/t0000/l0/lock-0000000000");
    json_decref(json);
    for (size_t i = 0; i < sizeof strange / sizeof strange[0]; i++) {
        assert_true(is_there(strange[i]));
        remove_tree(strange[i]);
    }
    static const char *const kept[] = {
        DEAD,
        DEAD_2 "/mine",
        "/zkherd-20200101T000003Z-0000003/alive",
        "/zkherd-20200101T000004Z-0000004/t0000/l0/lock-0000000000",
        "/zkherd-20200101T000005Z-0000005/t0000",
    };
    for (size_t i = 0; i < sizeof kept / sizeof kept[0]; i++) {
        char root[sizeof DEAD];
        snprintf(root, sizeof root, "%s", kept[i]);
        assert_true(is_there(kept[i]));
        remove_tree(root);
    }
}

INSPECT_TEST(no_keeps_and_yes_removes)
{
    static const char *const no[] = {"n\n", "\n", "yesterday\n", "\004"};
    create_dead(DEAD);
    for (size_t i = 0; i < sizeof no / sizeof no[0]; i++) {
        asked_start(&command, COMMAND("clean", "--connect", outside));
        asked_answer(&command, no[i]);
        assert_status(&command, 0);
        assert_has(command.err, "remove the znodes of 1 dead run? [y/N] ");
        assert_true(is_there(DEAD "/t0000/l0"));
    }
    asked_start(&command, COMMAND("clean", "--connect", outside));
    asked_answer(&command, "y\n");
    assert_status(&command, 0);
    assert_has(command.out, "removed " DEAD "\n");
    assert_false(is_there(DEAD));
}

/* Between the question and the answer the run has reached its servers again; another has gone. */
INSPECT_TEST(what_has_changed_since_the_question_is_kept)
{
    create_dead(DEAD);
    create_dead(DEAD_2);
    asked_start(&command, COMMAND("clean", "--connect", outside));
    create(1, DEAD "/alive", EPHEMERAL);
    remove_tree(DEAD_2);
    asked_answer(&command, "yes\n");
    assert_status(&command, 0);
    assert_has(command.err, "zkherd: " DEAD ": kept: its state is now: running\n");
    assert_null(strstr(command.out, "removed"));
    assert_true(is_there(DEAD "/t0000/l0"));
    remove_tree(DEAD);
}

/* Nor is one in which somebody else's session has a znode by then. */
INSPECT_TEST(what_is_in_use_since_the_question_is_kept)
{
    create_dead(DEAD);
    asked_start(&command, COMMAND("clean", "--connect", outside));
    create(1, DEAD "/t0000/l0/x", EPHEMERAL);
    asked_answer(&command, "yes\n");
    assert_status(&command, 0);
    assert_has(command.err, "zkherd: " DEAD ": kept: its state is now: in use\n");
    assert_true(is_there(DEAD "/t0000/l0/x"));
    remove_tree(DEAD);
}

INSPECT_TEST(only_the_chroot_is_cleaned)
{
    char servers[96];
    snprintf(servers, sizeof servers, "%s/l", outside);
    create_dead(DEAD);
    create_dead("/l" DEAD);
    clean(servers, "--yes");
    assert_status(&command, 0);
    assert_has(command.out, "removed " DEAD "\n");
    assert_false(is_there("/l" DEAD));
    assert_true(is_there(DEAD));
    snprintf(servers, sizeof servers, "%s/nowhere", outside);
    clean(servers, "--yes");
    assert_refused(&command, 3, "zkherd: /nowhere: the chroot does not exist");
    remove_tree(DEAD);
}

INSPECT_TEST(foreign_text_is_made_printable)
{
    create_holding(DEAD, "zkherd run, \x1b]0;owned\x07\xe2\x80\xae");
    clean(outside, "--yes");
    assert_status(&command, 0);
    assert_state(DEAD, "dead", "1 znode, \\x1b]0;owned\\x07\\u202e\n");
    assert_null(strchr(command.out, '\x1b'));
}

static void start_run(struct command *run)
{
    run->settings = (const char *const[]){NO_PROGRAMS, NULL};
    command_start(run, COMMAND("run", "--connect", outside, "-r", "scalable", "-n", "3", "-t", "1",
                               "--hold", "9m", "--timeout", "10m", "--session-timeout", "4s", "-o",
                               "out"));
}

/* Waits for the root of a run other than this one, with a trial in it. */
static void await_root(const char *other, char *root, size_t size)
{
    char path[300];
    uint64_t until_ns = clock_now_ns() + COMMAND_LIMIT_NS;
    do {
        assert_true(clock_now_ns() < until_ns);
        pause_ms(5);
        count_children("/");
        snprintf(root, size, "/%s", actors[0].first_child);
        snprintf(path, sizeof path, "%s/t0000/l0", root);
    } while (actors[0].first_child[0] == '\0' || strcmp(root, other) == 0 ||
             count_children(path) < 3);
}

INSPECT_TEST(a_killed_run_is_dead_when_its_session_is)
{
    static struct command run;
    char root[300], line[400];
    uint64_t until_ns = clock_now_ns() + EXPIRY_PATIENCE_NS;
    start_run(&run);
    await_root("", root, sizeof root);
    clean(outside, "--yes");
    snprintf(line, sizeof line, "process %d on ", (int)run.pid);
    assert_state(root, "running", line);
    kill(run.pid, SIGKILL);
    command_finish(&run, COMMAND_END_NS);
    clean(outside, "--yes");
    assert_state(root, "running", line);
    assert_true(is_there(root));
    do {
        assert_true(clock_now_ns() < until_ns);
        pause_ms(200);
        clean(outside, "--yes");
        assert_status(&command, 0);
    } while (strstr(command.out, "removed ") == NULL);
    assert_has(command.out, root);
    assert_false(is_there(root));
    assert_nothing_runs();
}

INSPECT_TEST_SOON(a_run_that_ends_leaves_nothing_to_clean)
{
    static struct command run;
    char root[300];
    start_run(&run);
    await_root("", root, sizeof root);
    clean(outside, "--yes");
    assert_status(&command, 0);
    assert_true(is_there(root));
    command_end(&run, run.pid, SIGINT);
    assert_false(is_there(root));
    clean(outside, "--yes");
    assert_string_equal(command.out, "no run has left znodes here\n");
    assert_left(0);
}

INSPECT_TEST(a_server_that_is_not_there_is_told)
{
    clean("127.0.0.1:1", "--yes");
    assert_refused(&command, 3, "zkherd: 127.0.0.1:1: the connection was refused");
}

TEST_GROUP(outside_start, outside_stop)
