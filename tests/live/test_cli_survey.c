// SPDX-License-Identifier: Apache-2.0
/* `zkherd inspect` of what is more than one queue: folders of locks; as JSON; what the znodes hold.
 */
#include "tests/support/front.h"
#include "tests/support/inspect.h"
#include "tests/support/schema.h"
#include "tests/support/test.h"

#include <jansson.h>

#define GUID(digit) digit "2d1aa8a0c5b4a8b9d2f6d3a9b8c7e1f"
#define CURATOR     "_c_ffd8b0d6-3f6d-4d2c-8c8d-4f7d0e0f8a01-"

static const char *create_holding(unsigned actor, const char *path, const char *data,
                                  enum create_mode mode)
{
    client_create(actors[actor].client, path, data, strlen(data), mode);
    assert_int_equal(await_reply(&actors[actor]), ZK_OK);
    return strrchr(actors[actor].path, '/') + 1;
}

/* The JSON that was printed, for the caller to json_decref. */
static json_t *json_of(const char *path)
{
    json_error_t error;
    inspect(path, "--json", NULL);
    assert_status(&command, 0);
    json_t *root = json_loads(command.out, JSON_ALLOW_NUL, &error);
    if (root == NULL)
        fail_msg("%s in\n%s", error.text, command.out);
    assert_schema(root, json_object_get(root, "locks") != NULL ? "inspect-folder" : "inspect-lock",
                  path);
    return root;
}

static const char *text_of(const json_t *object, const char *key)
{
    return json_string_value(json_object_get(object, key));
}

static long long number_of(const json_t *object, const char *key)
{
    const json_t *number = json_object_get(object, key);
    if (!json_is_integer(number))
        fail_msg("%s is no number in\n%s", key, command.out);
    return json_integer_value(number);
}

static bool is_null(const json_t *object, const char *key)
{
    return json_is_null(json_object_get(object, key));
}

/* ------------------------------------------------------------------ data */

INSPECT_TEST(data_tell_who_it_is)
{
    create_holding(0, "/l/lock-", "worker-7@host", EPHEMERAL_SEQUENTIAL);
    create_holding(1, "/l/lock-", "", EPHEMERAL_SEQUENTIAL);
    create_holding(2, "/l/lock-", "\x1b]0;owned\x07\xe2\x80\xae\xff", EPHEMERAL_SEQUENTIAL);
    inspect("/l", NULL, NULL);
    assert_status(&command, 0);
    assert_has(row_of(command.out, 1), ", data worker-7@host");
    assert_null(strstr(row_of(command.out, 2), "data"));
    assert_has(row_of(command.out, 3), ", data \\x1b]0;owned\\x07\\u202e\\xff");
    assert_null(strchr(command.out, '\x1b'));
    assert_narrow(command.out);
    assert_left(0);
}

INSPECT_TEST(long_data_are_cut)
{
    char data[2000];
    memset(data, 'x', sizeof data - 1);
    data[sizeof data - 1] = '\0';
    create_holding(0, "/l/lock-", data, EPHEMERAL_SEQUENTIAL);
    inspect("/l", NULL, NULL);
    assert_has(command.out, "xxx...\n");
    assert_narrow(command.out);
    assert_left(0);
}

/* ------------------------------------------------------------------ folders */

static void create_locks(void)
{
    create(0, "/l/orders", PERSISTENT);
    create(0, "/l/orders/" CURATOR "lock-", EPHEMERAL_SEQUENTIAL);
    create(0, "/l/deep", PERSISTENT);
    create(0, "/l/deep/er", PERSISTENT);
    create_holding(0, "/l/deep/er/" GUID("a") "__lock__", "me", EPHEMERAL_SEQUENTIAL);
    create(1, "/l/deep/er/" GUID("b") "__lock__", EPHEMERAL_SEQUENTIAL);
    create(2, "/l/deep/er/" GUID("c") "__lock__", EPHEMERAL_SEQUENTIAL);
    create(0, "/l/sem", PERSISTENT);
    create(0, "/l/sem/leases", PERSISTENT);
    create(0, "/l/sem/locks", PERSISTENT);
    create(0, "/l/sem/leases/" CURATOR "lease-", EPHEMERAL_SEQUENTIAL);
    create(1, "/l/sem/leases/" CURATOR "lease-", EPHEMERAL_SEQUENTIAL);
    create(0, "/l/sem/locks/" CURATOR "lock-", EPHEMERAL_SEQUENTIAL);
    create(1, "/l/sem/locks/" CURATOR "lock-", EPHEMERAL_SEQUENTIAL);
    create(0, "/l/tasks", PERSISTENT);
    create(0, "/l/tasks/task-0000000003", PERSISTENT);
    create(0, "/l/registered", EPHEMERAL);
}

INSPECT_TEST(locks_below_are_shown_and_what_is_left_out_is_counted)
{
    create_locks();
    inspect("/l", NULL, NULL);
    assert_status(&command, 0);
    assert_string_equal(command.err, "");
    assert_line(command.out, 0, "/l: 5 locks, 3 waiters");
    assert_has(line_of(command.out, 3), "kazoo lock ");
    assert_has(command.out, "/l/registered");
    assert_has(command.out,
               "\none znode: a lock whose waiters have no znodes, or a registration\n");
    assert_has(command.out, "\nleft out: 1 folder of numbered znodes of no session");
    assert_narrow(command.out);
    assert_left(0);
}

/* kazoo's acquire(ephemeral=False): its holder bars the way for good. Leases have no numbers. */
INSPECT_TEST(locks_with_a_holder_of_no_session_and_leases_are_found)
{
    create(0, "/l/stays", PERSISTENT);
    create(0, "/l/stays/" GUID("a") "__lock__0000000000", PERSISTENT);
    create(1, "/l/stays/" GUID("b") "__lock__", EPHEMERAL_SEQUENTIAL);
    create(0, "/l/leases", PERSISTENT);
    create(0, "/l/leases/" GUID("c"), EPHEMERAL);
    create(1, "/l/leases/" GUID("d"), EPHEMERAL);
    json_t *root = json_of("/l");
    const json_t *stays = json_array_get(json_object_get(root, "locks"), 0),
                 *leases = json_array_get(json_object_get(root, "locks"), 1);
    assert_int_equal(json_array_size(json_object_get(root, "locks")), 2);
    assert_string_equal(text_of(stays, "path"), "/l/stays");
    assert_true(is_null(stays, "session"));
    assert_int_equal(number_of(stays, "waiters"), 1);
    assert_string_equal(text_of(leases, "recipe"), "kazoo leases");
    assert_int_equal(number_of(leases, "holders"), 2);
    assert_true(is_null(leases, "waiters"));
    json_decref(root);
    inspect("/l/stays", NULL, NULL);
    assert_has(command.out, "next: its znode outlives its session");
    assert_left(0);
}

INSPECT_TEST(locks_below_are_told_as_json)
{
    char session[32];
    create_locks();
    create(2, "/l/orders/" CURATOR "lock-", EPHEMERAL_SEQUENTIAL);
    json_t *root = json_of("/l");
    const json_t *locks = json_object_get(root, "locks");
    assert_string_equal(text_of(root, "path"), "/l");
    assert_string_equal(text_of(root, "kind"), "folder");
    assert_true(json_is_true(json_object_get(root, "complete")));
    assert_int_equal(json_array_size(locks), 5);
    const json_t *first = json_array_get(locks, 0), *last = json_array_get(locks, 3);
    assert_string_equal(text_of(first, "path"), "/l/deep/er");
    assert_string_equal(text_of(first, "recipe"), "kazoo lock");
    assert_string_equal(text_of(first, "data"), "me");
    snprintf(session, sizeof session, "0x%" PRIx64, session_of(0));
    assert_string_equal(text_of(first, "session"), session);
    assert_int_equal(number_of(first, "holders"), 1);
    assert_int_equal(number_of(first, "waiters"), 2);
    assert_true(number_of(first, "longest_wait_ms") >= 0);
    /* Of as many waiters, the lock whose waiter has waited longer. */
    assert_string_equal(text_of(json_array_get(locks, 1), "path"), "/l/sem/locks");
    assert_string_equal(text_of(json_array_get(locks, 2), "path"), "/l/orders");
    assert_string_equal(text_of(last, "path"), "/l/sem/leases");
    assert_string_equal(text_of(last, "recipe"), "Curator leases");
    assert_int_equal(number_of(last, "holders"), 2);
    assert_true(is_null(last, "longest_wait_ms"));
    last = json_array_get(locks, 4);
    assert_string_equal(text_of(last, "path"), "/l/registered");
    assert_true(is_null(last, "waiters"));
    assert_int_equal(number_of(root, "tasks"), 1);
    json_decref(root);
    assert_left(0);
}

/* Whoever asks for the locks of an application at a quiet moment gets an answer, and no error. */
INSPECT_TEST(free_locks_are_a_finding)
{
    create(0, "/l/ticket", PERSISTENT);
    create(0, "/l/ticket/turn", PERSISTENT);
    create(0, "/l/ticket/queue", PERSISTENT);
    inspect("/l", NULL, NULL);
    assert_status(&command, 0);
    assert_string_equal(command.err, "");
    assert_string_equal(command.out, "/l: no lock is held or waited for\n"
                                     "2 znodes without children: free queues, or not locks: "
                                     "/l/ticket/queue,\n    /l/ticket/turn\n");
    create(0, "/l/ticket/queue/ticket-", EPHEMERAL_SEQUENTIAL);
    create(1, "/l/registered", EPHEMERAL);
    create(0, "/l/tasks", PERSISTENT);
    create(0, "/l/tasks/task-0000000003", PERSISTENT);
    inspect("/l", NULL, NULL);
    assert_line(command.out, 0, "/l: 2 locks, 0 waiters");
    assert_has(command.out,
               "\n1 znode without children: a free queue, or not a lock: /l/ticket/turn\n");
    json_t *root = json_of("/l");
    const json_t *childless = json_object_get(root, "childless");
    assert_int_equal(json_array_size(childless), 1);
    assert_string_equal(json_string_value(json_array_get(childless, 0)), "/l/ticket/turn");
    json_decref(root);
    inspect("/", NULL, NULL); /* /zookeeper has childless znodes, too, and no locks */
    assert_line(command.out, 0, "/: 2 locks, 0 waiters");
    assert_null(strstr(command.out, "/zookeeper"));
    assert_left(0);
}

/* What lies too deep is not found, and that is said. */
INSPECT_TEST(a_search_that_is_cut_is_told)
{
    char path[64] = "/l", deep[80];
    create(0, "/l/q", PERSISTENT);
    create(0, "/l/q/lock-", EPHEMERAL_SEQUENTIAL);
    for (int depth = 1; depth <= 10; depth++) {
        strcat(path, "/d");
        create(0, path, PERSISTENT);
    }
    snprintf(deep, sizeof deep, "%s/lock-", path);
    create(1, deep, EPHEMERAL_SEQUENTIAL);
    inspect("/l", NULL, NULL);
    assert_line(command.out, 0, "/l: 2 locks, 0 waiters");
    assert_null(strstr(command.out, "incomplete"));
    snprintf(deep, sizeof deep, "%s/d", path);
    create(0, deep, PERSISTENT);
    inspect("/l", NULL, NULL);
    assert_has(command.out, "\nthe search is incomplete: limit 10 levels, 10000 znodes\n");
    json_t *root = json_of("/l");
    assert_true(json_is_false(json_object_get(root, "complete")));
    json_decref(root);
    assert_left(0);
}

INSPECT_TEST(a_lock_is_told_as_json)
{
    char session[32];
    create_holding(0, "/l/read-", "\x1b[31m", EPHEMERAL_SEQUENTIAL);
    create(1, "/l/write-", EPHEMERAL_SEQUENTIAL);
    json_t *root = json_of("/l");
    assert_string_equal(text_of(root, "path"), "/l");
    assert_string_equal(text_of(root, "kind"), "queue");
    assert_string_equal(text_of(root, "recipe"), "read/write");
    const json_t *place = json_array_get(json_object_get(root, "places"), 0);
    const json_t *next = json_array_get(json_object_get(root, "places"), 1);
    assert_int_equal(number_of(place, "place"), 1);
    assert_string_equal(text_of(place, "state"), "holds");
    assert_string_equal(text_of(place, "role"), "reads");
    assert_string_equal(text_of(next, "role"), "writes");
    assert_string_equal(text_of(place, "znode"), "/l/read-0000000000");
    snprintf(session, sizeof session, "0x%" PRIx64, session_of(0));
    assert_string_equal(text_of(place, "session"), session);
    assert_true(number_of(place, "queued_ms") >= 0 && is_null(place, "held_ms"));
    assert_string_equal(text_of(place, "server"), outside);
    assert_true(strncmp(text_of(place, "client"), "127.0.0.1:", 10) == 0);
    assert_string_equal(text_of(place, "data"), "\x1b[31m"); /* data stay what they are … */
    assert_null(strchr(command.out, '\x1b'));                /* … and JSON has escapes */
    json_decref(root);

    create(2, "/l/f", EPHEMERAL);
    root = json_of("/l/f");
    place = json_array_get(json_object_get(root, "places"), 0);
    assert_string_equal(text_of(root, "kind"), "znode");
    assert_true(is_null(root, "waiters"));
    assert_true(number_of(place, "held_ms") == number_of(place, "queued_ms"));
    json_decref(root);
    assert_left(0);
}

/* ------------------------------------------------------------------ hostile text */

INSPECT_TEST(what_servers_say_does_not_reach_the_terminal)
{
    struct front front = front_start(&outside_server->connect.endpoints[0], HOSTILE);
    create(0, "/l/lock-", EPHEMERAL_SEQUENTIAL);
    command_run(&command, COMMAND("inspect", "/l", "--connect", front.address));
    assert_status(&command, 0);
    assert_null(strchr(command.out, '\x1b'));
    assert_null(strstr(command.out, "\xe2\x80\xae"));
    assert_has(command.out, "\\x1b[31m\\x07\\u202e");
    front_stop(&front);
    assert_left(0);
}

/* The end of it all is told, and no byte of it as it is. */
INSPECT_TEST(data_in_json_do_not_reach_the_terminal)
{
    static const char data[] = "\xe2\x80\xae\xc2\x9b\x7f\x9b\0end\xf0\x9f\x94\x92";
    static const char text[] = "\xe2\x80\xae\xc2\x9b\x7f\\x9b\0end\xf0\x9f\x94\x92";
    create(0, "/l/q", PERSISTENT);
    client_create(actors[0].client, "/l/q/\xe2\x80\xaelock-", data, sizeof data - 1,
                  EPHEMERAL_SEQUENTIAL);
    assert_int_equal(await_reply(&actors[0]), ZK_OK);
    for (int folder = 0; folder < 2; folder++) {
        json_t *root = json_of(folder ? "/l" : "/l/q");
        const json_t *one = json_array_get(json_object_get(root, folder ? "locks" : "places"), 0);
        const json_t *found = json_object_get(one, "data");
        assert_int_equal(json_string_length(found), sizeof text - 1);
        assert_memory_equal(json_string_value(found), text, sizeof text);
        for (const char *at = command.out; *at != '\0'; at++) {
            if (*at != '\n' && (*at < ' ' || *at > '~'))
                fail_msg("there is a byte %02x in\n%s", (unsigned char)*at, command.out);
        }
        json_decref(root);
    }
    assert_has(command.out, "\"\\u202E\\u009B\\u007F\\\\x9b\\u0000end");
    assert_left(0);
}

/* Nobody's address is asked for, but whether a server would tell is. */
INSPECT_TEST(refusals_of_a_free_queue_are_told_as_json)
{
    struct front front = front_start(&outside_server->connect.endpoints[0], REFUSES_CONNECTIONS);
    command_run(&command, COMMAND("inspect", "/l", "--json", "--connect", front.address));
    front_stop(&front);
    assert_status(&command, 0);
    assert_has(command.out, "\"places\": []");
    assert_has(command.out, "\"refusal\": \"the server refuses the four-letter word\"");
    json_t *root = json_of("/l");
    assert_true(is_null(json_array_get(json_object_get(root, "servers"), 0), "refusal"));
    json_decref(root);
    assert_left(0);
}

INSPECT_TEST(names_of_znodes_do_not_reach_the_terminal)
{
    create(0, "/l/\xe2\x80\xaelock-", EPHEMERAL_SEQUENTIAL);
    inspect("/l", NULL, NULL);
    assert_status(&command, 0);
    assert_has(command.out, "znode \\u202elock-0000000000");
    assert_null(strstr(command.out, "\xe2\x80\xae"));
    create(0, "/l/strange", PERSISTENT);
    create(0, "/l/strange/\xe2\x80\xae", EPHEMERAL);
    inspect("/l/strange", NULL, NULL);
    assert_status(&command, 0);
    assert_has(command.out, "\\u202e");
    assert_left(0);
}

TEST_GROUP(outside_start, outside_stop)
