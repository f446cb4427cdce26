// SPDX-License-Identifier: Apache-2.0
/* What a simulated server is made of: lists of children, watches, znodes. */

#include "base/random.h"
#include "sim/sim.h"
#include "sim/tree.h"
#include "sim/watches.h"

#include "tests/support/test.h"

static struct pool pool;
static struct paths paths;
static struct watches watches;
static struct tree tree;
static uint64_t zxid;
static char heard[512];

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

FIXTURE(begin)
{
    paths_init(&paths, &pool);
    watches_init(&watches, &paths);
    watches.fired = fired;
    heard[0] = '\0';
    zxid = 0;
    return 0;
}

FIXTURE(end)
{
    pool_deinit(&pool);
    return 0;
}

static struct path *path(const char *text)
{
    return paths_intern(&paths, text, strlen(text));
}

/* ------------------------------------------------------------------ watches */

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

/* The server counts the second watch of who has two, but tells of the deletion once. */
TEST_BETWEEN(test_a_deletion_is_told_once, begin, end)
{
    watch(1, "/p/a", WATCH_CHILD);
    watch(2, "/p/a", WATCH_CHILD);
    watch(2, "/p/a", WATCH_DATA);
    watch(2, "/p", WATCH_CHILD);
    expect(4, watches_fire(&watches, OP_DELETE, path("/p/a")),
           "2 deleted /p/a; 1 deleted /p/a; 2 child /p; ");
    assert_int_equal(watches.table.count, 0);
}

/* ------------------------------------------------------------------ znodes */

#define ANY REQUEST_ANY_VERSION

FIXTURE(plant)
{
    begin(state);
    tree_init(&tree, &paths);
    return 0;
}

static struct change create(const char *text, uint32_t owner)
{
    return (struct change){.operation = OP_CREATE, .path = path(text), .owner = owner};
}

static struct change queue(const char *text)
{
    return (struct change){
        .operation = OP_CREATE, .path = path(text), .owner = 1, .sequential = true};
}

static struct change set(const char *text, const char *value, int32_t version)
{
    return (struct change){.operation = OP_SET,
                           .path = path(text),
                           .version = version,
                           .value = value_new(&pool, value, strlen(value))};
}

static struct change take_away(const char *text, int32_t version)
{
    return (struct change){.operation = OP_DELETE, .path = path(text), .version = version};
}

static struct change check(const char *text, int32_t version)
{
    return (struct change){.operation = OP_CHECK, .path = path(text), .version = version};
}

static enum zk_status one(struct change change)
{
    return tree_carry_out(&tree, ++zxid, &change, 1);
}

static const struct node *node(const char *text)
{
    return tree_find(&tree, path(text));
}

static void expect_data(const char *text, const char *value)
{
    const struct node *found = node(text);
    assert_non_null(found);
    assert_int_equal(found->value == NULL ? 0 : found->value->length, strlen(value));
    if (found->value != NULL)
        assert_memory_equal(found->value->bytes, value, strlen(value));
}

TEST_BETWEEN(test_versions_count_sets, plant, end)
{
    assert_int_equal(one(set("/a", "x", ANY)), ZK_NO_NODE);
    assert_int_equal(one(create("/a", TREE_NO_OWNER)), ZK_OK);
    assert_int_equal(node("/a")->version, 0);
    assert_int_equal(one(set("/a", "one", ANY)), ZK_OK);
    assert_int_equal(one(set("/a", "two", 1)), ZK_OK);
    assert_int_equal(one(set("/a", "three", 1)), ZK_BAD_VERSION);
    assert_int_equal(node("/a")->version, 2);
    expect_data("/a", "two");
    assert_int_equal(node("/a")->modified_zxid, 4);
}

static void expect_queued(const char *prefix, const char *name)
{
    struct change change = queue(prefix);
    assert_int_equal(tree_carry_out(&tree, ++zxid, &change, 1), ZK_OK);
    assert_string_equal(change.path->text, name);
    assert_non_null(node(name));
}

TEST_BETWEEN(test_numbers_leave_none_out, plant, end)
{
    char name[32];
    one(create("/q", TREE_NO_OWNER));
    for (int i = 0; i < 1000; i++) {
        snprintf(name, sizeof name, "/q/lock-%010d", i);
        expect_queued("/q/lock-", name);
    }
}

TEST_BETWEEN(test_numbers_become_negative, plant, end)
{
    one(create("/q", TREE_NO_OWNER));
    /* Not by as many creates. */
    tree_find(&tree, path("/q"))->creates = 2147483646;
    expect_queued("/q/lock-", "/q/lock-2147483646");
    expect_queued("/q/lock-", "/q/lock-2147483647");
    expect_queued("/q/lock-", "/q/lock--2147483648");
    expect_queued("/q/lock-", "/q/lock--2147483647");
    tree_find(&tree, path("/q"))->creates = -2;
    expect_queued("/q/lock-", "/q/lock--000000002");
    expect_queued("/q/lock-", "/q/lock--000000001");
    expect_queued("/q/lock-", "/q/lock-0000000000");
}

TEST_BETWEEN(test_of_several_none_is_carried_out_when_one_fails, plant, end)
{
    one(create("/q", TREE_NO_OWNER));
    one(create("/q/old", 7));
    one(set("/q/old", "value", ANY));
    one(create("/q/old-", TREE_NO_OWNER));
    uint64_t before = node("/q")->children_zxid;
    /* The last one fails. The prefix is a znode itself, which must not be taken for what was made.
     */
    struct change parts[] = {queue("/q/old-"), set("/q/old", "never", 1), take_away("/q/old", 2),
                             check("/q", 5)};
    assert_int_equal(tree_carry_out(&tree, ++zxid, parts, 4), ZK_BAD_VERSION);
    expect_data("/q/old", "value");
    assert_int_equal(node("/q/old")->version, 1);
    assert_int_equal(node("/q/old")->owner, 7);
    assert_ptr_equal(tree_owned_first(&tree, 7), node("/q/old"));
    assert_null(tree_owned_first(&tree, 1));
    assert_int_equal(tree.ephemerals, 1);
    assert_int_equal(node("/q")->child_count, 2);
    assert_int_equal(node("/q")->creates, 2);
    assert_int_equal(node("/q")->children_zxid, before);
    assert_non_null(node("/q/old-"));
}

/* ------------------------------------------------------------------ lists */

#define MODEL_MAX 600
#define LISTS     8

/* The znodes that are there, and a list of them with what it has to show as long as it is held. */
static char present[MODEL_MAX][32];
static size_t count;
static struct list {
    struct names *names;
    char expected[MODEL_MAX][32];
    size_t count;
} lists[LISTS];

static void take_znode(size_t at)
{
    char text[40];
    snprintf(text, sizeof text, "/p/%s", present[at]);
    assert_int_equal(one(take_away(text, ANY)), ZK_OK);
    memmove(present[at], present[at + 1], (--count - at) * sizeof present[0]);
}

static void add_znode(unsigned number)
{
    char text[40];
    /* Long and short ones. */
    snprintf(present[count], sizeof present[0], "%.*s%05u", (int)(number % 8), "child--", number);
    snprintf(text, sizeof text, "/p/%s", present[count++]);
    assert_int_equal(one(create(text, TREE_NO_OWNER)), ZK_OK);
}

static void list(struct list *list)
{
    names_release(list->names);
    list->names = tree_list(&tree, tree_find(&tree, path("/p")));
    memcpy(list->expected, present, sizeof present);
    list->count = count;
}

static void expect_names(const struct list *list)
{
    uint64_t bytes = 0;
    if (list->names == NULL)
        return;
    assert_int_equal(list->names->count, list->count);
    for (size_t i = 0; i < list->count; i++) {
        assert_string_equal(list->names->texts[i], list->expected[i]);
        bytes += strlen(list->expected[i]);
    }
    assert_int_equal(list->names->bytes, bytes);
}

/* Mostly a queue, at times one goes from its middle; several lists are held on the way. */
TEST_BETWEEN(test_a_list_stays_as_it_was, plant, end)
{
    struct random random;
    random_init(&random, 1);
    one(create("/p", TREE_NO_OWNER));
    for (unsigned i = 0; i < 20000; i++) {
        uint64_t what = random_below(&random, 100);
        if (count < 2 || (what < 48 && count < MODEL_MAX))
            add_znode(i);
        else if (what < 90)
            take_znode(0);
        else if (what < 95)
            take_znode(random_below(&random, count));
        else
            list(&lists[random_below(&random, LISTS)]);
        for (size_t v = 0; i % 64 == 0 && v < LISTS; v++)
            expect_names(&lists[v]);
    }
}
