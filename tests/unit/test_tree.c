// SPDX-License-Identifier: Apache-2.0

#include "sim/tree.h"

#include "tests/support/test.h"

#define ANY REQUEST_ANY_VERSION

static struct slab slab;
static struct paths paths;
static struct tree tree;
static uint64_t zxid;

FIXTURE(begin)
{
    slab_init(&slab);
    paths_init(&paths, &slab);
    tree_init(&tree, &slab, &paths);
    zxid = 0;
    return 0;
}

FIXTURE(end)
{
    slab_deinit(&slab);
    return 0;
}

static struct path *path(const char *text)
{
    return paths_take(&paths, text, strlen(text));
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
                           .value = value_take(&slab, value, strlen(value))};
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

TEST_BETWEEN(test_a_fresh_tree_is_as_the_servers_is, begin, end)
{
    assert_int_equal(tree.count, 4);
    assert_non_null(node("/"));
    assert_non_null(node("/zookeeper/quota"));
    assert_int_equal(children_count(&node("/")->children), 1);
}

TEST_BETWEEN(test_creates_are_refused_as_the_server_does, begin, end)
{
    assert_int_equal(one(create("/a", TREE_NOBODY)), ZK_OK);
    assert_int_equal(one(create("/a", TREE_NOBODY)), ZK_NODE_EXISTS);
    assert_int_equal(one(create("/", TREE_NOBODY)), ZK_NODE_EXISTS);
    assert_int_equal(one(create("/b/c", TREE_NOBODY)), ZK_NO_NODE);
    assert_int_equal(one(create("/a/e", 5)), ZK_OK);
    assert_int_equal(one(create("/a/e/x", TREE_NOBODY)), ZK_OTHER_ERROR);
    assert_int_equal(tree.count, 6);
    assert_int_equal(tree.ephemerals, 1);
    assert_int_equal(node("/a")->children_zxid, 5);
}

TEST_BETWEEN(test_versions_count_sets, begin, end)
{
    assert_int_equal(one(set("/a", "x", ANY)), ZK_NO_NODE);
    assert_int_equal(one(create("/a", TREE_NOBODY)), ZK_OK);
    assert_int_equal(node("/a")->version, 0);
    assert_int_equal(one(set("/a", "one", ANY)), ZK_OK);
    assert_int_equal(one(set("/a", "two", 1)), ZK_OK);
    assert_int_equal(one(set("/a", "three", 1)), ZK_BAD_VERSION);
    assert_int_equal(node("/a")->version, 2);
    expect_data("/a", "two");
    assert_int_equal(node("/a")->modified_zxid, 4);
}

TEST_BETWEEN(test_deletes_are_refused_as_the_server_does, begin, end)
{
    assert_int_equal(one(take_away("/a", ANY)), ZK_NO_NODE);
    assert_int_equal(one(take_away("/", ANY)), ZK_OTHER_ERROR);
    one(create("/a", TREE_NOBODY));
    one(create("/a/b", 3));
    /* The version is looked at before the children. */
    assert_int_equal(one(take_away("/a", 9)), ZK_BAD_VERSION);
    assert_int_equal(one(take_away("/a", ANY)), ZK_NOT_EMPTY);
    assert_int_equal(one(take_away("/a/b", 0)), ZK_OK);
    assert_int_equal(node("/a")->children_zxid, zxid);
    assert_int_equal(one(take_away("/a", ANY)), ZK_OK);
    assert_null(node("/a"));
    assert_int_equal(tree.count, 4);
    assert_int_equal(tree.ephemerals, 0);
}

static void expect_queued(const char *prefix, const char *name)
{
    struct change change = queue(prefix);
    assert_int_equal(tree_carry_out(&tree, ++zxid, &change, 1), ZK_OK);
    assert_string_equal(change.path->text, name);
    assert_non_null(node(name));
}

TEST_BETWEEN(test_numbers_count_the_creates_below_a_parent, begin, end)
{
    one(create("/q", TREE_NOBODY));
    expect_queued("/q/lock-", "/q/lock-0000000000");
    one(create("/q/other", TREE_NOBODY));
    expect_queued("/q/lock-", "/q/lock-0000000002");
    /* Neither a delete nor a failed create is counted. */
    one(take_away("/q/lock-0000000002", ANY));
    one(create("/q/other", TREE_NOBODY));
    expect_queued("/q/", "/q/0000000003");
}

TEST_BETWEEN(test_numbers_leave_none_out, begin, end)
{
    char name[32];
    one(create("/q", TREE_NOBODY));
    for (int i = 0; i < 1000; i++) {
        snprintf(name, sizeof name, "/q/lock-%010d", i);
        expect_queued("/q/lock-", name);
    }
}

TEST_BETWEEN(test_numbers_become_negative, begin, end)
{
    one(create("/q", TREE_NOBODY));
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

TEST_BETWEEN(test_several_are_all_carried_out, begin, end)
{
    one(create("/q", TREE_NOBODY));
    struct change parts[] = {create("/q/a", 2), set("/q/a", "value", 0), check("/q/a", 1),
                             queue("/q/n-")};
    assert_int_equal(tree_carry_out(&tree, ++zxid, parts, 4), ZK_OK);
    expect_data("/q/a", "value");
    assert_string_equal(parts[3].path->text, "/q/n-0000000001");
    assert_int_equal(node("/q/n-0000000001")->modified_zxid, zxid);
}

TEST_BETWEEN(test_of_several_none_is_carried_out_when_one_fails, begin, end)
{
    one(create("/q", TREE_NOBODY));
    one(create("/q/old", 7));
    one(set("/q/old", "value", ANY));
    one(create("/q/old-", TREE_NOBODY));
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
    assert_int_equal(children_count(&node("/q")->children), 2);
    assert_int_equal(node("/q")->creates, 2);
    assert_int_equal(node("/q")->children_zxid, before);
    assert_non_null(node("/q/old-"));
}

TEST_BETWEEN(test_a_session_knows_its_ephemerals, begin, end)
{
    static const char *const names[] = {"/a", "/b", "/c", "/d"};
    for (size_t i = 0; i < 4; i++)
        one(create(names[i], 9));
    one(create("/e", 8));
    one(take_away("/b", ANY));
    const struct node *owned = tree_owned_first(&tree, 9);
    assert_string_equal(owned->path->text, "/a");
    assert_string_equal(owned->owned_next->path->text, "/c");
    assert_string_equal(owned->owned_next->owned_next->path->text, "/d");
    assert_null(owned->owned_next->owned_next->owned_next);
    one(take_away("/c", ANY));
    one(take_away("/d", ANY));
    owned = tree_owned_first(&tree, 9);
    assert_string_equal(owned->path->text, "/a");
    assert_null(owned->owned_next);
    one(create("/f", 9));
    assert_string_equal(owned->owned_next->path->text, "/f");
    assert_null(tree_owned_first(&tree, 12345));
}
