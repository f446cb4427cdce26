// SPDX-License-Identifier: Apache-2.0

#include "sim/watches.h"

#include "tests/support/test.h"

static struct slab slab;
static struct paths paths;
static struct watches watches;
static char heard[512];

FIXTURE(begin)
{
    slab_init(&slab);
    paths_init(&paths, &slab);
    watches_init(&watches, &slab, &paths);
    heard[0] = '\0';
    return 0;
}

FIXTURE(end)
{
    slab_deinit(&slab);
    return 0;
}

static void fired(void *context, uint32_t watcher, enum client_event event, struct path *path)
{
    static const char *const names[] = {[EVENT_CREATED] = "created",
                                        [EVENT_DELETED] = "deleted",
                                        [EVENT_CHANGED] = "changed",
                                        [EVENT_CHILD] = "child"};
    size_t length = strlen(heard);
    (void)context;
    snprintf(heard + length, sizeof heard - length, "%u %s %s; ", watcher, names[event],
             path->text);
}

static const struct watches_ear ear = {fired, NULL};

static struct path *path(const char *text)
{
    return paths_take(&paths, text, strlen(text));
}

static void watch(uint32_t watcher, const char *text, enum watch_kind kind)
{
    watches_add(&watches, watcher, path(text), kind);
}

static void expect(size_t count, size_t fired_count, const char *words)
{
    assert_int_equal(fired_count, count);
    assert_string_equal(heard, words);
    heard[0] = '\0';
}

TEST_BETWEEN(test_a_creation_is_heard_of_below_and_above, begin, end)
{
    watch(1, "/p", WATCH_CHILD);
    watch(2, "/p/a", WATCH_DATA);
    watch(3, "/p", WATCH_DATA);
    watch(4, "/p/b", WATCH_DATA);
    expect(2, watches_fire(&watches, OP_CREATE, path("/p/a"), ear), "2 created /p/a; 1 child /p; ");
    expect(0, watches_fire(&watches, OP_CREATE, path("/p/a"), ear), "");
    assert_int_equal(watches.count, 2);
}

TEST_BETWEEN(test_a_set_is_heard_of_by_those_who_watch_the_data, begin, end)
{
    watch(1, "/p", WATCH_CHILD);
    watch(3, "/p", WATCH_DATA);
    watch(2, "/p", WATCH_DATA);
    watch(3, "/p", WATCH_DATA);
    assert_int_equal(watches.count, 3);
    expect(2, watches_fire(&watches, OP_SET, path("/p"), ear), "3 changed /p; 2 changed /p; ");
    expect(0, watches_fire(&watches, OP_SET, path("/p"), ear), "");
}

/* The server counts the second watch of who has two, but tells of the deletion once. */
TEST_BETWEEN(test_a_deletion_is_told_once, begin, end)
{
    watch(1, "/p/a", WATCH_CHILD);
    watch(2, "/p/a", WATCH_CHILD);
    watch(2, "/p/a", WATCH_DATA);
    watch(2, "/p", WATCH_CHILD);
    expect(4, watches_fire(&watches, OP_DELETE, path("/p/a"), ear),
           "2 deleted /p/a; 1 deleted /p/a; 2 child /p; ");
    assert_int_equal(watches.count, 0);
}

TEST_BETWEEN(test_a_watcher_that_goes_takes_its_watches_along, begin, end)
{
    watch(1, "/a", WATCH_DATA);
    watch(2, "/a", WATCH_DATA);
    watch(1, "/b", WATCH_CHILD);
    assert_string_equal(watches_of(&watches, 1)->path->text, "/a");
    assert_string_equal(watches_of(&watches, 1)->next_own->path->text, "/b");
    watches_drop(&watches, 1);
    assert_null(watches_of(&watches, 1));
    assert_null(watches_of(&watches, 77));
    watches_drop(&watches, 77);
    assert_int_equal(watches.count, 1);
    expect(1, watches_fire(&watches, OP_DELETE, path("/a"), ear), "2 deleted /a; ");
}

TEST_BETWEEN(test_one_watch_is_removed, begin, end)
{
    watch(1, "/a", WATCH_DATA);
    watch(1, "/a", WATCH_ABSENT);
    assert_false(watches_remove(&watches, 1, path("/a"), WATCH_CHILD));
    assert_true(watches_remove(&watches, 1, path("/a"), WATCH_DATA));
    assert_false(watches_remove(&watches, 1, path("/a"), WATCH_DATA));
    assert_int_equal(watches.count, 1);
}

/* Far more than there were buckets at first; the paths live as long as they are watched. */
TEST_BETWEEN(test_many_watches_are_found, begin, end)
{
    char text[32];
    for (uint32_t i = 1; i <= 5000; i++) {
        struct path *one =
            paths_take(&paths, text, (size_t)snprintf(text, sizeof text, "/many/%u", i % 7));
        watches_add(&watches, i, one, WATCH_DATA);
        paths_release(&paths, one);
    }
    assert_int_equal(watches.count, 5000);
    for (uint32_t i = 1; i <= 5000; i++)
        assert_int_equal(watches_of(&watches, i)->path->text[6], '0' + i % 7);
    for (uint32_t i = 1; i <= 5000; i++)
        watches_drop(&watches, i);
    assert_int_equal(watches.count, 0);
    assert_int_equal(paths.count, 0);
}
