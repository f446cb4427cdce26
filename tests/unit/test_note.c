// SPDX-License-Identifier: Apache-2.0
/* A note keeps what a request said, whatever becomes of the caller's memory, and knows its limits.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "zk/note.h"

#include <string.h>

static struct note note;

static void test_keeps_a_request(void **state)
{
    (void)state;
    char path[] = "/lock/f", value[] = {'a', '\0', 'b'};
    struct client_request request = op_set(path, value, sizeof value, 7);
    request.watch = WATCH;
    assert_true(note_take(&note, &request));
    memset(path, 'x', sizeof path);
    memset(value, 'x', sizeof value);
    memset(&request, 0, sizeof request);
    assert_int_equal(note.request.operation, CLIENT_SET);
    assert_int_equal(note.request.version, 7);
    assert_int_equal(note.request.watch, WATCH);
    assert_string_equal(note.request.path, "/lock/f");
    assert_int_equal(note.request.value_length, 3);
    assert_memory_equal(note.request.value, "a\0b", 3);
}

static void test_keeps_the_parts(void **state)
{
    (void)state;
    char value[] = "one";
    struct client_request parts[] = {op_set("/a", value, 3, 1),
                                     op_create("/b", "twelve", 6, EPHEMERAL), op_delete("/c"),
                                     op_check("/d", 4)};
    const struct client_request request = {
        .operation = CLIENT_MULTI, .parts = parts, .part_count = 4};
    assert_true(note_take(&note, &request));
    memset(value, 'x', sizeof value);
    memset(parts, 0, sizeof parts);
    const struct client_request *kept = note.request.parts;
    assert_int_equal(note.request.operation, CLIENT_MULTI);
    assert_int_equal(note.request.part_count, 4);
    assert_int_equal(kept[0].operation, CLIENT_SET);
    assert_string_equal(kept[0].path, "/a");
    assert_memory_equal(kept[0].value, "one", 3);
    assert_int_equal(kept[1].mode, EPHEMERAL);
    assert_string_equal(kept[1].path, "/b");
    assert_int_equal(kept[1].value_length, 6);
    assert_memory_equal(kept[1].value, "twelve", 6);
    assert_string_equal(kept[2].path, "/c");
    assert_int_equal(kept[2].version, CLIENT_ANY_VERSION);
    assert_int_equal(kept[3].operation, CLIENT_CHECK);
    assert_string_equal(kept[3].path, "/d");
    assert_int_equal(kept[3].version, 4);
}

static void test_refuses_what_has_no_room(void **state)
{
    (void)state;
    char path[NOTE_PATH_MAX + 1], value[NOTE_VALUES_MAX + 1] = {0};
    memset(path, 'p', sizeof path);
    path[NOTE_PATH_MAX] = '\0';
    struct client_request request = op_delete(path);
    assert_false(note_take(&note, &request));
    assert_int_equal(note.request.operation, CLIENT_DELETE);
    path[NOTE_PATH_MAX - 1] = '\0';
    assert_true(note_take(&note, &request));
    assert_string_equal(note.request.path, path);

    request = op_set("/a", value, sizeof value, 0);
    assert_false(note_take(&note, &request));
    request.value_length = NOTE_VALUES_MAX;
    assert_true(note_take(&note, &request));

    struct client_request parts[] = {op_set("/a", value, NOTE_VALUES_MAX - 1, 0),
                                     op_set("/a", value, 2, 0)};
    request = (struct client_request){.operation = CLIENT_MULTI, .parts = parts, .part_count = 2};
    assert_false(note_take(&note, &request));
    assert_int_equal(note.request.operation, CLIENT_MULTI);
    parts[1].value_length = 1;
    assert_true(note_take(&note, &request));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_keeps_a_request),
        cmocka_unit_test(test_keeps_the_parts),
        cmocka_unit_test(test_refuses_what_has_no_room),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
