// SPDX-License-Identifier: Apache-2.0
/* `zkherd clean`: lists the roots of runs, removes those that are named or old, and nothing else.
 */
#include "tests/support/inspect.h"
#include "tests/support/schema.h"
#include "tests/support/test.h"

/* A session of 15 s that is gone, and the servers' own count of it. */
#define EXPIRY_PATIENCE_NS (60 * NS_PER_S)

#define DEAD    "/zkherd-20200101T000000Z-0000001"
#define DEAD_2  "/zkherd-20200101T000001Z-0000002"
#define RUNNING "/zkherd-20200101T000003Z-0000003"
#define RECORD  "zkherd run, process 1 on nowhere"

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

static void clean(const char *servers, const char *option, const char *value)
{
    command_run(&command, COMMAND("clean", "--connect", servers, option, value));
    assert_status(&command, 0);
}

static void clean_all(void)
{
    clean(outside, "--older", "0s");
}

static json_t *clean_with_json(const char *option, const char *value)
{
    command_run(&command, COMMAND("clean", "--connect", outside, "--json", option, value));
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

/* A root's line of the table: its state and, behind its age, its process. */
static void assert_state(const char *root, const char *state, const char *about)
{
    char line[800];
    snprintf(line, sizeof line, "%-32s  %-7s  ", root, state);
    assert_has(command.out, line);
    assert_has(strstr(command.out, line), about);
    assert_true(strcspn(strstr(command.out, line), "\n") <= 80);
}

INSPECT_TEST(there_may_be_nothing)
{
    clean_all();
    assert_string_equal(command.out, "no run has left znodes here\n");
    assert_string_equal(command.err, "");
    json_t *json = clean_with_json(NULL, NULL);
    assert_counts(json, 0, 0);
    json_decref(json);
}

INSPECT_TEST(a_list_removes_nothing)
{
    create_dead(DEAD);
    clean(outside, NULL, NULL);
    assert_state(DEAD, "dead", " ago, process 1 on nowhere\n");
    assert_null(strstr(command.out, "removed"));
    assert_true(is_there(DEAD "/t0000/l0"));
    json_t *json = clean_with_json(NULL, NULL);
    assert_counts(json, 1, 0);
    json_decref(json);
    remove_tree(DEAD);
}

INSPECT_TEST(what_is_named_is_removed)
{
    create_dead(DEAD);
    create_dead(DEAD_2);
    clean(outside, DEAD_2, NULL);
    assert_state(DEAD, "dead", "process 1 on nowhere\n");
    assert_has(command.out, "\nremoved " DEAD_2 "\n");
    assert_null(strstr(command.out, "removed " DEAD "\n"));
    assert_true(is_there(DEAD "/t0000/l0"));
    assert_false(is_there(DEAD_2));
    clean(outside, DEAD, DEAD_2);
    assert_has(command.out, "removed " DEAD "\n");
    assert_has(command.err, "zkherd: " DEAD_2 ": no run has left it here\n");
    assert_false(is_there(DEAD));
}

INSPECT_TEST(what_is_older_is_removed)
{
    create_dead(DEAD);
    clean(outside, "--older", "1h");
    assert_true(is_there(DEAD "/t0000/l0"));
    pause_ms(10);
    clean(outside, "--older", "1ms");
    assert_has(command.out, "removed " DEAD "\n");
    assert_false(is_there(DEAD));
}

/* By the newest znode of the root. */
INSPECT_TEST(a_root_is_as_old_as_its_last_use)
{
    create_holding(DEAD, RECORD);
    pause_ms(3000);
    create_holding(DEAD "/t0000", "");
    clean(outside, "--older", "2s");
    assert_true(is_there(DEAD "/t0000"));
    remove_tree(DEAD);
}

INSPECT_TEST(a_dead_run_is_told_as_json)
{
    create_dead(DEAD);
    create_holding(DEAD_2, "somebody's data");
    json_t *json = clean_with_json("--older", "0s");
    assert_counts(json, 1, 1);
    const json_t *root = json_array_get(json_object_get(json, "roots"), 0);
    assert_string_equal(json_string_value(json_object_get(root, "path")), DEAD);
    assert_string_equal(json_string_value(json_object_get(root, "state")), "dead");
    assert_string_equal(json_string_value(json_object_get(root, "run")), "process 1 on nowhere");
    assert_true(json_is_true(json_object_get(root, "removed")));
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
        DEAD, /* other data */
        DEAD_2,
    };
    for (size_t i = 0; i < sizeof strange / sizeof strange[0] - 2; i++)
        create_holding(strange[i], RECORD);
    create_holding(DEAD, "somebody's data");
    create_holding(DEAD_2, "");
    create_holding(RUNNING, RECORD);
    create(1, RUNNING "/alive", EPHEMERAL);
    pause_ms(10);
    clean_all();
    assert_null(strstr(command.out, "removed"));
    assert_state(RUNNING, "running", "process 1 on nowhere\nrunning: ");
    for (size_t i = 0; i < sizeof strange / sizeof strange[0]; i++)
        assert_null(strstr(command.out, strange[i]));
    clean(outside, RUNNING, DEAD);
    assert_has(command.err, "zkherd: " RUNNING ": kept: its run still runs\n");
    assert_has(command.err, "zkherd: " DEAD ": no run has left it here\n");
    json_t *json = clean_with_json("--older", "0s");
    assert_counts(json, 1, 0);
    assert_has(command.out, "\"running\"");
    json_decref(json);
    for (size_t i = 0; i < sizeof strange / sizeof strange[0]; i++) {
        assert_true(is_there(strange[i]));
        remove_tree(strange[i]);
    }
    assert_true(is_there(RUNNING "/alive"));
    remove_tree(RUNNING);
}

INSPECT_TEST(only_the_chroot_is_cleaned)
{
    char servers[96];
    snprintf(servers, sizeof servers, "%s/l", outside);
    create_dead(DEAD);
    create_dead("/l" DEAD);
    pause_ms(10);
    clean(servers, "--older", "0s");
    assert_has(command.out, "removed " DEAD "\n");
    assert_false(is_there("/l" DEAD));
    assert_true(is_there(DEAD));
    snprintf(servers, sizeof servers, "%s/nowhere", outside);
    command_run(&command, COMMAND("clean", "--connect", servers));
    assert_refused(&command, 3, "zkherd: /nowhere: the chroot does not exist");
    remove_tree(DEAD);
}

INSPECT_TEST(foreign_text_is_made_printable)
{
    create_holding(DEAD, "zkherd run, \x1b]0;owned\x07\xe2\x80\xae");
    clean(outside, NULL, NULL);
    assert_state(DEAD, "dead", "\\x1b]0;owned\\x07\\u202e\n");
    assert_null(strchr(command.out, '\x1b'));
    remove_tree(DEAD);
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
    clean_all();
    snprintf(line, sizeof line, "process %d on ", (int)run.pid);
    assert_state(root, "running", line);
    kill(run.pid, SIGKILL);
    command_finish(&run, COMMAND_END_NS);
    clean_all();
    assert_state(root, "running", line);
    assert_true(is_there(root));
    do {
        assert_true(clock_now_ns() < until_ns);
        pause_ms(200);
        clean_all();
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
    clean_all();
    assert_true(is_there(root));
    command_end(&run, run.pid, SIGINT);
    assert_false(is_there(root));
    clean_all();
    assert_string_equal(command.out, "no run has left znodes here\n");
    assert_left(0);
}

TEST_GROUP(outside_start, outside_stop)
