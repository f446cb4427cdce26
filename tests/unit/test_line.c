// SPDX-License-Identifier: Apache-2.0
/* Places in a queue: their numbers, which comes before which, and who holds and who waits, from
 * names as the libraries give them. */
#include "recipes/line.h"
#include "recipes/queue.h"

#include "tests/support/test.h"

TEST(test_a_sequence_is_read_as_the_server_writes_it)
{
    static const int32_t numbers[] = {
        0, 1, 42, 2147483647, INT32_MIN, INT32_MIN + 1, -1, -999999999, -1000000000};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        char name[64];
        int32_t sequence = 7;
        snprintf(name, sizeof name, "/l/lock-%010d", numbers[i]);
        assert_true(queue_sequence(name, &sequence));
        assert_int_equal(sequence, numbers[i]);
    }
}

TEST(test_other_names_have_none)
{
    static const char *const names[] = {"",           "lock-",           "lock-123",
                                        "turn",       "lock-00000000x1", "000000001",
                                        "ready-flag", "lock-9999999999"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        int32_t sequence = 7;
        assert_false(queue_sequence(names[i], &sequence));
        assert_int_equal(sequence, 7);
    }
}

TEST(test_places_are_compared_by_distance)
{
    assert_true(queue_before(3, 4));
    assert_false(queue_before(4, 3));
    assert_false(queue_before(4, 4));
    assert_true(queue_before(-1, 0));
    assert_true(queue_before(INT32_MAX, INT32_MIN)); /* the counter has wrapped */
    assert_false(queue_before(INT32_MIN, INT32_MAX));
}

static struct contender contender_in(const char *const *names, size_t count, int32_t sequence,
                                     struct client_reply *reply)
{
    *reply = (struct client_reply){.names = names, .name_count = count};
    return (struct contender){.lock = "/l", .reply = reply, .sequence = sequence};
}

/* Writers in a line of both, before and behind; the first is before the wrap. */
TEST(test_those_of_a_prefix_alone_are_found)
{
    static const char *const names[] = {"write-2147483647", "write--2147483646", "read--2147483645",
                                        "write--2147483643", "read-2147483646"};
    struct client_reply reply;
    struct contender s = contender_in(names, 5, INT32_MIN + 4, &reply);
    assert_false(queue_none_before(&s, "write-", QUEUE_LAST));
    assert_string_equal(s.watched, "/l/write--2147483646");
    assert_int_equal(s.predecessor, INT32_MIN + 2);
    assert_false(queue_none_before(&s, "write-", QUEUE_FIRST));
    assert_string_equal(s.watched, "/l/write-2147483647");
    assert_false(queue_none_before(&s, "", QUEUE_FIRST));
    assert_string_equal(s.watched, "/l/read-2147483646");
    s = contender_in(names, 5, INT32_MAX, &reply);
    assert_true(queue_none_before(&s, "write-", QUEUE_FIRST));
    assert_false(queue_none_before(&s, "read-", QUEUE_LAST));
}

TEST(test_the_first_is_found_across_the_wrap)
{
    static const char *const names[] = {"lock--2147483647", "lock-2147483646", "lock--2147483648",
                                        "turn", "lock-2147483647"};
    struct client_reply reply;
    struct contender s = contender_in(names, 5, INT32_MIN + 1, &reply);
    assert_int_equal(queue_first(&s), 2147483646);
    s = contender_in(names, 5, 2147483646, &reply);
    assert_int_equal(queue_first(&s), 2147483646);
    s = contender_in(names, 0, 3, &reply);
    assert_int_equal(queue_first(&s), 3);
}

/* Down across the wrap, each place is named as the server names it. */
TEST(test_a_line_is_walked_down_across_the_wrap)
{
    static const char *const places[] = {"/l/lock--2147483647", "/l/lock--2147483648",
                                         "/l/lock-2147483647", "/l/lock-2147483646"};
    struct contender s = {.lock = "/l"};
    int32_t sequence = INT32_MIN + 1;
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        char path[RECIPE_PATH_MAX];
        queue_place(&s, QUEUE_PREFIX, sequence, path);
        assert_string_equal(path, places[i]);
        sequence = queue_previous(sequence);
    }
    assert_int_equal(queue_previous(0), -1);
}

/* ------------------------------------------------------------------ holders */

#define NAMES_MAX 8

static struct line_place places[NAMES_MAX];
static size_t place_count;

/* Reads the names in this order, and then turned about: the order of a list says nothing. Each
 * place in line, in order, as its name with H or w before it, and r or w behind where it tells. */
static void expect(const char *const *names, const char *const *line)
{
    const char *turned[NAMES_MAX];
    size_t count = 0;
    while (names[count] != NULL)
        count++;
    for (size_t i = 0; i < count; i++)
        turned[i] = names[count - 1 - i];
    for (int turn = 0; turn < 2; turn++) {
        place_count = line_read(turn == 0 ? names : turned, count, places);
        for (size_t i = 0; i < place_count; i++) {
            char text[128];
            snprintf(text, sizeof text, "%c %s%s", places[i].holds ? 'H' : 'w', places[i].name,
                     (const char *const[]){"", " r", " w", " l"}[places[i].role]);
            assert_non_null(line[i]);
            assert_string_equal(text, line[i]);
        }
        assert_null(line[place_count]);
    }
}

#define NAMES(...) ((const char *const[]){__VA_ARGS__, NULL})
#define LINE(...)  ((const char *const[]){__VA_ARGS__, NULL})
#define NOBODY     ((const char *const[]){NULL})

TEST(the_lowest_number_holds)
{
    expect(NAMES("lock-0000000010", "lock-0000000009", "lock-0000000100"),
           LINE("H lock-0000000009", "w lock-0000000010", "w lock-0000000100"));
    expect(NAMES("lock-0000000007"), LINE("H lock-0000000007"));
    expect(NOBODY, NOBODY);
}

/* What is before the number has no part in the order. */
TEST(the_libraries_names_are_known)
{
    expect(NAMES("_c_ffd8b0d6-3f6d-4d2c-8c8d-4f7d0e0f8a01-lock-0000000001",
                 "_c_00000000-3f6d-4d2c-8c8d-4f7d0e0f8a01-lock-0000000002"),
           LINE("H _c_ffd8b0d6-3f6d-4d2c-8c8d-4f7d0e0f8a01-lock-0000000001",
                "w _c_00000000-3f6d-4d2c-8c8d-4f7d0e0f8a01-lock-0000000002"));
    expect(NAMES("x-72057594037927937-0000000012", "x-72057594037927936-0000000013"),
           LINE("H x-72057594037927937-0000000012", "w x-72057594037927936-0000000013"));
    expect(NAMES("x-0100000000000abc-0000000012", "x-0100000000000000-0000000013"),
           LINE("H x-0100000000000abc-0000000012", "w x-0100000000000000-0000000013"));
    expect(NAMES("2c0e83e1dd5a4e7b9f6d7c8b9a0f1e2d__lock__0000000001",
                 "1c0e83e1dd5a4e7b9f6d7c8b9a0f1e20__lock__0000000002"),
           LINE("H 2c0e83e1dd5a4e7b9f6d7c8b9a0f1e2d__lock__0000000001",
                "w 1c0e83e1dd5a4e7b9f6d7c8b9a0f1e20__lock__0000000002"));
    expect(NAMES("t-0000000003", "n0000000002"), LINE("H n0000000002", "w t-0000000003"));
}

TEST(other_names_are_no_places)
{
    expect(NAMES("turn", "queue", "ready-flag", "lock-", "lock-000000001x", "f"), NOBODY);
    expect(NAMES("turn", "t-0000000004"), LINE("H t-0000000004"));
}

TEST(a_line_goes_on_across_the_wrap)
{
    expect(
        NAMES("lock--2147483647", "lock-2147483646", "lock--2147483648", "lock-2147483647"),
        LINE("H lock-2147483646", "w lock-2147483647", "w lock--2147483648", "w lock--2147483647"));
    expect(NAMES("a__lock__-2147483648", "b__lock__2147483647", "c__lock__-2147483647"),
           LINE("H b__lock__2147483647", "w a__lock__-2147483648", "w c__lock__-2147483647"));
    expect(NAMES("lock-0000000001", "lock--000000001", "lock-0000000000"),
           LINE("H lock--000000001", "w lock-0000000000", "w lock-0000000001"));
}

TEST(readers_hold_together)
{
    expect(NAMES("read-0000000001", "write-0000000003", "read-0000000002", "read-0000000004"),
           LINE("H read-0000000001 r", "H read-0000000002 r", "w write-0000000003 w",
                "w read-0000000004 r"));
    expect(NAMES("write-0000000001", "read-0000000002", "read-0000000003"),
           LINE("H write-0000000001 w", "w read-0000000002 r", "w read-0000000003 r"));
    expect(NAMES("read-0000000001", "read-0000000002"),
           LINE("H read-0000000001 r", "H read-0000000002 r"));
}

TEST(the_libraries_readers_are_known)
{
    expect(NAMES("_c_ffd8b0d6-3f6d-4d2c-8c8d-4f7d0e0f8a01-__READ__0000000001",
                 "_c_00d8b0d6-3f6d-4d2c-8c8d-4f7d0e0f8a01-__READ__0000000002",
                 "_c_11d8b0d6-3f6d-4d2c-8c8d-4f7d0e0f8a01-__WRIT__0000000003"),
           LINE("H _c_ffd8b0d6-3f6d-4d2c-8c8d-4f7d0e0f8a01-__READ__0000000001 r",
                "H _c_00d8b0d6-3f6d-4d2c-8c8d-4f7d0e0f8a01-__READ__0000000002 r",
                "w _c_11d8b0d6-3f6d-4d2c-8c8d-4f7d0e0f8a01-__WRIT__0000000003 w"));
    expect(NAMES("1c0e__rlock__0000000001", "2c0e__rlock__0000000002", "3c0e__lock__0000000003"),
           LINE("H 1c0e__rlock__0000000001 r", "H 2c0e__rlock__0000000002 r",
                "w 3c0e__lock__0000000003"));
    expect(NAMES("sh0000000001", "sh0000000002", "ex0000000003"),
           LINE("H sh0000000001 r", "H sh0000000002 r", "w ex0000000003 w"));
    expect(NAMES("_c_1-read-0000000001", "_c_2-read-0000000002"),
           LINE("H _c_1-read-0000000001 r", "H _c_2-read-0000000002 r"));
}

/* They share nothing, whatever they are called. */
TEST(a_word_within_a_word_tells_nothing)
{
    expect(NAMES("spread-0000000001", "spread-0000000002"),
           LINE("H spread-0000000001", "w spread-0000000002"));
    expect(NAMES("share-0000000001", "show-0000000002"),
           LINE("H share-0000000001", "w show-0000000002"));
    expect(NAMES("overwrite-0000000001"), LINE("H overwrite-0000000001"));
}

/* Each has what it asked for, as long as it is there. */
TEST(all_leases_are_held)
{
    expect(NAMES("_c_ffd8b0d6-3f6d-4d2c-8c8d-4f7d0e0f8a01-lease-0000000001",
                 "_c_00d8b0d6-3f6d-4d2c-8c8d-4f7d0e0f8a01-lease-0000000002"),
           LINE("H _c_ffd8b0d6-3f6d-4d2c-8c8d-4f7d0e0f8a01-lease-0000000001 l",
                "H _c_00d8b0d6-3f6d-4d2c-8c8d-4f7d0e0f8a01-lease-0000000002 l"));
    expect(NAMES("lease-0000000001", "read-0000000002", "lease-0000000003"),
           LINE("H lease-0000000001 l", "w read-0000000002 r", "w lease-0000000003 l"));
    expect(NAMES("release-0000000001", "release-0000000002"),
           LINE("H release-0000000001", "w release-0000000002"));
    assert_true(line_is_kazoo_lease("0123456789abcdef0123456789abcdef"));
    assert_false(line_is_kazoo_lease("0123456789abcdef0123456789abcde"));
    assert_false(line_is_kazoo_lease("0123456789abcdef0123456789abcdef0"));
    assert_false(line_is_kazoo_lease("0123456789abcdef0123456789abcdeg"));
    assert_false(line_is_kazoo_lease("0123456789abcdef0123456789abcdef__lock__0000000001"));
    assert_false(line_is_kazoo_lease(""));
}

TEST(names_tell_the_recipe)
{
#define CURATOR "_c_ffd8b0d6-3f6d-4d2c-8c8d-4f7d0e0f8a01-"
#define KAZOO   "2c0e83e1dd5a4e7b9f6d7c8b9a0f1e2d"
    static const struct {
        const char *names[3], *recipe;
    } list[] = {
        {{CURATOR "lock-0000000001"}, "Curator mutex"},
        {{"_c_0f9a2b3c000041118222012345678abc-lock-0000000001"}, "go-zookeeper lock"},
        {{CURATOR "latch-0000000001"}, "Curator latch"},
        {{CURATOR "lease-0000000001"}, "Curator leases"},
        {{CURATOR "__READ__0000000001"}, "Curator read/write"},
        {{CURATOR "__WRIT__0000000001"}, "Curator read/write"},
        {{KAZOO "__lock__0000000001"}, "kazoo lock"},
        {{KAZOO "__lock__0000000001", KAZOO "__rlock__0000000002"}, "kazoo read/write"},
        {{"x-72057594037927937-0000000012"}, "ZooKeeper recipe"},
        {{"x-0000000012"}, "queue"},
        {{"sh0000000001"}, "zk-ruby read/write"},
        {{"ex0000000001"}, "zk-ruby read/write"},
        {{"lock-0000000001", "read-0000000002"}, "read/write"},
        {{"lock-0000000001"}, "queue"},
        {{"deadbeef__lock__0000000001"}, "queue"},
    };
    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
        size_t count = list[i].names[1] != NULL ? 2 : 1;
        assert_int_equal(line_read(list[i].names, count, places), count);
        assert_string_equal(line_recipe(places, count), list[i].recipe);
        assert_true(strlen(list[i].recipe) <= 18);
    }
}
