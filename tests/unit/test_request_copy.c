// SPDX-License-Identifier: Apache-2.0
/* A note keeps what a request said, whatever becomes of the caller's memory, and knows its limits.
 */

#include "client/calls.h"

#include "tests/support/test.h"

static char values[REQUEST_COPY_VALUES_MAX];
static struct request_copy copy = {.values = values};

TEST(test_keeps_a_request)
{
    char path[] = "/lock/f", value[] = {'a', '\0', 'b'};
    struct request request = request_set(path, value, sizeof value, 7);
    request.watch = WATCH;
    assert_true(request_copy_take(&copy, &request));
    memset(path, 'x', sizeof path);
    memset(value, 'x', sizeof value);
    memset(&request, 0, sizeof request);
    assert_int_equal(copy.request.operation, OP_SET);
    assert_int_equal(copy.request.version, 7);
    assert_int_equal(copy.request.watch, WATCH);
    assert_string_equal(copy.request.path, "/lock/f");
    assert_int_equal(copy.request.value_length, 3);
    assert_memory_equal(copy.request.value, "a\0b", 3);
}

TEST(test_keeps_the_parts)
{
    char value[] = "one";
    struct request parts[] = {request_set("/a", value, 3, 1),
                              request_create("/b", "twelve", 6, EPHEMERAL), request_delete("/c"),
                              request_check("/d", 4)};
    const struct request request = {.operation = OP_MULTI, .parts = parts, .part_count = 4};
    assert_true(request_copy_take(&copy, &request));
    memset(value, 'x', sizeof value);
    memset(parts, 0, sizeof parts);
    const struct request *kept = copy.request.parts;
    assert_int_equal(copy.request.operation, OP_MULTI);
    assert_int_equal(copy.request.part_count, 4);
    assert_int_equal(kept[0].operation, OP_SET);
    assert_string_equal(kept[0].path, "/a");
    assert_memory_equal(kept[0].value, "one", 3);
    assert_int_equal(kept[1].mode, EPHEMERAL);
    assert_string_equal(kept[1].path, "/b");
    assert_int_equal(kept[1].value_length, 6);
    assert_memory_equal(kept[1].value, "twelve", 6);
    assert_string_equal(kept[2].path, "/c");
    assert_int_equal(kept[2].version, REQUEST_ANY_VERSION);
    assert_int_equal(kept[3].operation, OP_CHECK);
    assert_string_equal(kept[3].path, "/d");
    assert_int_equal(kept[3].version, 4);
}

TEST(test_refuses_what_has_no_room)
{
    char path[REQUEST_COPY_PATH_MAX + 1], value[REQUEST_COPY_VALUES_MAX + 1] = {0};
    memset(path, 'p', sizeof path);
    path[REQUEST_COPY_PATH_MAX] = '\0';
    struct request request = request_delete(path);
    assert_false(request_copy_take(&copy, &request));
    path[REQUEST_COPY_PATH_MAX - 1] = '\0';
    assert_true(request_copy_take(&copy, &request));
    assert_string_equal(copy.request.path, path);

    request = request_set("/a", value, sizeof value, 0);
    assert_false(request_copy_take(&copy, &request));
    request.value_length = REQUEST_COPY_VALUES_MAX;
    assert_true(request_copy_take(&copy, &request));

    struct request parts[] = {request_set("/a", value, REQUEST_COPY_VALUES_MAX - 1, 0),
                              request_set("/a", value, 2, 0)};
    request = (struct request){.operation = OP_MULTI, .parts = parts, .part_count = 2};
    assert_false(request_copy_take(&copy, &request));
    parts[1].value_length = 1;
    assert_true(request_copy_take(&copy, &request));
}
