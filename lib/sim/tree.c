// SPDX-License-Identifier: Apache-2.0
#include "sim/tree.h"

#include <assert.h>
#include <string.h>

/* ------------------------------------------------------------------ znodes */

struct node *tree_find(const struct tree *tree, const struct path *path)
{
    return path->id < tree->node_capacity ? tree->nodes[path->id] : NULL;
}

static struct tree_owned *owned_by(struct tree *tree, uint32_t owner)
{
    tree->owned = pool_grow(tree->paths->pool, tree->owned, &tree->owned_capacity, owner,
                            sizeof *tree->owned);
    return &tree->owned[owner];
}

const struct node *tree_owned_first(const struct tree *tree, uint32_t owner)
{
    return owner < tree->owned_capacity ? tree->owned[owner].first : NULL;
}

static void own(struct tree *tree, struct node *node)
{
    struct tree_owned *owned = owned_by(tree, node->owner);
    node->owned_before = owned->last;
    *(owned->last == NULL ? &owned->first : &owned->last->owned_after) = node;
    owned->last = node;
    tree->ephemerals++;
}

static void disown(struct tree *tree, struct node *node)
{
    struct tree_owned *owned = owned_by(tree, node->owner);
    struct node *after = node->owned_after, *before = node->owned_before;
    *(before == NULL ? &owned->first : &before->owned_after) = after;
    *(after == NULL ? &owned->last : &after->owned_before) = before;
    tree->ephemerals--;
}

/* The names that were listed are those of another moment. */
static void forget_names(struct node *node)
{
    names_release(node->names);
    node->names = NULL;
}

static size_t name_length(const struct node *node)
{
    return node->path->length - node->path->name_at;
}

/* The parent exists, except of the root. */
static struct node *add(struct tree *tree, struct path *path, struct value *value, uint32_t owner)
{
    struct node *node = pool_alloc(tree->paths->pool, sizeof *node);
    *node = (struct node){.path = path_hold(path), .value = value_hold(value), .owner = owner};
    TAILQ_INIT(&node->children);
    tree->nodes = pool_grow(tree->paths->pool, tree->nodes, &tree->node_capacity, path->id,
                            sizeof(struct node *));
    tree->nodes[path->id] = node;
    if (path->parent != NULL) {
        struct node *parent = tree_find(tree, path->parent);
        TAILQ_INSERT_TAIL(&parent->children, node, siblings);
        parent->child_count++;
        parent->name_bytes += name_length(node);
        forget_names(parent);
    }
    if (owner != TREE_NO_OWNER)
        own(tree, node);
    tree->count++;
    return node;
}

static void unlink_node(struct tree *tree, struct node *node)
{
    struct path *path = node->path;
    struct node *parent = tree_find(tree, path->parent);
    if (node->owner != TREE_NO_OWNER)
        disown(tree, node);
    TAILQ_REMOVE(&parent->children, node, siblings);
    parent->child_count--;
    parent->name_bytes -= name_length(node);
    forget_names(parent);
    forget_names(node);
    tree->nodes[path->id] = NULL;
    tree->count--;
    value_release(node->value);
    pool_give(node);
    paths_release(tree->paths, path);
}

static void add_system_node(struct tree *tree, const char *text)
{
    struct path *path = paths_intern(tree->paths, text, strlen(text));
    add(tree, path, NULL, TREE_NO_OWNER);
    paths_release(tree->paths, path);
}

void tree_init(struct tree *tree, struct paths *paths)
{
    *tree = (struct tree){.paths = paths};
    add_system_node(tree, "/");
    add_system_node(tree, "/zookeeper");
    add_system_node(tree, "/zookeeper/config");
    add_system_node(tree, "/zookeeper/quota");
}

/* ------------------------------------------------------------------ names */

void names_release(struct names *names)
{
    if (names != NULL && --names->references == 0)
        pool_give(names);
}

static struct names *make_names(const struct tree *tree, const struct node *node)
{
    size_t count = node->child_count, i = 0;
    struct names *names = pool_alloc(
        tree->paths->pool, sizeof *names + count * (sizeof(char *) + 1) + node->name_bytes);
    *names = (struct names){.references = 1, .count = count, .bytes = node->name_bytes};
    char *text = (char *)&names->texts[count];
    for (const struct node *child = TAILQ_FIRST(&node->children); child != NULL;
         child = TAILQ_NEXT(child, siblings)) {
        size_t size = name_length(child) + 1;
        names->texts[i++] = memcpy(text, child->path->text + child->path->name_at, size);
        text += size;
    }
    return names;
}

/* All replies that show the same children share their names. */
struct names *tree_list(const struct tree *tree, struct node *node)
{
    if (node->names == NULL)
        node->names = make_names(tree, node);
    node->names->references++;
    return node->names;
}

/* ------------------------------------------------------------------ one change */

/* Wraps. */
static int32_t next(int32_t number)
{
    return (int32_t)((uint32_t)number + 1);
}

static void resolve(struct tree *tree, struct change *change, const struct node *parent)
{
    struct path *prefix = change->path;
    change->path = paths_intern_sequential(tree->paths, prefix, parent->creates);
    change->sequential = false;
    paths_release(tree->paths, prefix);
}

static enum zk_status create(struct tree *tree, uint64_t zxid, struct change *change)
{
    if (change->path->parent == NULL)
        return ZK_NODE_EXISTS;
    struct node *parent = tree_find(tree, change->path->parent);
    if (parent == NULL)
        return ZK_NO_NODE;
    if (change->sequential)
        resolve(tree, change, parent);
    if (tree_find(tree, change->path) != NULL)
        return ZK_NODE_EXISTS;
    if (parent->owner != TREE_NO_OWNER)
        return ZK_OTHER_ERROR;
    struct node *node = add(tree, change->path, change->value, change->owner);
    node->modified_zxid = zxid;
    node->children_zxid = zxid;
    parent->creates = next(parent->creates);
    parent->children_zxid = zxid;
    return ZK_OK;
}

static enum zk_status check(const struct node *node, int32_t version)
{
    if (node == NULL)
        return ZK_NO_NODE;
    return version == REQUEST_ANY_VERSION || version == node->version ? ZK_OK : ZK_BAD_VERSION;
}

static enum zk_status set(struct tree *tree, uint64_t zxid, struct change *change)
{
    struct node *node = tree_find(tree, change->path);
    enum zk_status status = check(node, change->version);
    if (status != ZK_OK)
        return status;
    value_release(node->value);
    node->value = value_hold(change->value);
    node->version = next(node->version);
    node->modified_zxid = zxid;
    return ZK_OK;
}

static enum zk_status delete_node(struct tree *tree, uint64_t zxid, const struct change *change)
{
    if (change->path->parent == NULL)
        return ZK_OTHER_ERROR;
    struct node *node = tree_find(tree, change->path);
    enum zk_status status = check(node, change->version);
    if (status != ZK_OK)
        return status;
    if (node->child_count > 0)
        return ZK_NOT_EMPTY;
    tree_find(tree, change->path->parent)->children_zxid = zxid;
    unlink_node(tree, node);
    return ZK_OK;
}

static enum zk_status carry_out(struct tree *tree, uint64_t zxid, struct change *change)
{
    switch (change->operation) {
    case OP_CREATE:
        return create(tree, zxid, change);
    case OP_SET:
        return set(tree, zxid, change);
    case OP_DELETE:
        return delete_node(tree, zxid, change);
    default:
        assert(change->operation == OP_CHECK);
        return check(tree_find(tree, change->path), change->version);
    }
}

/* ------------------------------------------------------------------ all or none */

/* What undo restores: the znode's value is held. */
struct before {
    struct node node, parent;
};

static struct node *parent_of(const struct tree *tree, const struct change *change)
{
    return change->path->parent == NULL ? NULL : tree_find(tree, change->path->parent);
}

static struct before state_before(const struct tree *tree, const struct change *change)
{
    struct before before = {0};
    const struct node *node = tree_find(tree, change->path), *parent = parent_of(tree, change);
    if (node != NULL)
        before.node = *node;
    if (parent != NULL)
        before.parent = *parent;
    value_hold(before.node.value);
    return before;
}

static void undo(struct tree *tree, const struct change *change, const struct before *before)
{
    struct node *node = tree_find(tree, change->path), *parent = parent_of(tree, change);
    if (change->operation == OP_CREATE)
        unlink_node(tree, node);
    if (change->operation == OP_DELETE)
        node = add(tree, change->path, NULL, before->node.owner);
    if (change->operation == OP_SET || change->operation == OP_DELETE) {
        value_release(node->value);
        node->value = value_hold(before->node.value);
        node->version = before->node.version;
        node->creates = before->node.creates;
        node->modified_zxid = before->node.modified_zxid;
        node->children_zxid = before->node.children_zxid;
    }
    if (parent != NULL) {
        parent->creates = before->parent.creates;
        parent->children_zxid = before->parent.children_zxid;
    }
}

enum zk_status tree_carry_out(struct tree *tree, uint64_t zxid, struct change *changes,
                              size_t count)
{
    struct before *before = pool_alloc(tree->paths->pool, count * sizeof *before);
    enum zk_status status = ZK_OK;
    size_t done = 0;
    while (done < count && status == ZK_OK) {
        before[done] = state_before(tree, &changes[done]);
        status = carry_out(tree, zxid, &changes[done++]);
    }
    for (size_t i = done; i-- > 0;) { /* what fails is the last, and has changed nothing */
        if (status != ZK_OK && i + 1 < done)
            undo(tree, &changes[i], &before[i]);
        value_release(before[i].node.value);
    }
    pool_give(before);
    return status;
}
