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
    tree->owned =
        slab_grow(tree->slab, tree->owned, &tree->owned_capacity, owner, sizeof *tree->owned);
    return &tree->owned[owner];
}

const struct node *tree_owned_first(const struct tree *tree, uint32_t owner)
{
    return owner < tree->owned_capacity ? tree->owned[owner].first : NULL;
}

static void own(struct tree *tree, struct node *node)
{
    if (node->owner == TREE_NOBODY)
        return;
    struct tree_owned *owned = owned_by(tree, node->owner);
    node->owned_previous = owned->last;
    *(owned->last == NULL ? &owned->first : &owned->last->owned_next) = node;
    owned->last = node;
    tree->ephemerals++;
}

static void disown(struct tree *tree, struct node *node)
{
    if (node->owner == TREE_NOBODY)
        return;
    struct tree_owned *owned = owned_by(tree, node->owner);
    struct node *next = node->owned_next, *previous = node->owned_previous;
    *(previous == NULL ? &owned->first : &previous->owned_next) = next;
    *(next == NULL ? &owned->last : &next->owned_previous) = previous;
    tree->ephemerals--;
}

/* The parent exists, except of the root. */
static struct node *add(struct tree *tree, struct path *path, struct value *value, uint32_t owner)
{
    struct node *node = slab_take(tree->slab, sizeof *node);
    *node = (struct node){.path = path_hold(path), .value = value_hold(value), .owner = owner};
    tree->nodes =
        slab_grow(tree->slab, tree->nodes, &tree->node_capacity, path->id, sizeof(struct node *));
    tree->nodes[path->id] = node;
    if (path->parent != NULL)
        node->mark = children_add(&tree_find(tree, path->parent)->children, tree->slab, path);
    own(tree, node);
    tree->count++;
    return node;
}

static void take_out(struct tree *tree, struct node *node)
{
    struct path *path = node->path;
    disown(tree, node);
    children_remove(&tree_find(tree, path->parent)->children, tree->slab, path, node->mark);
    children_clear(&node->children, tree->slab);
    tree->nodes[path->id] = NULL;
    tree->count--;
    value_release(tree->slab, node->value);
    slab_give(tree->slab, node, sizeof *node);
    paths_release(tree->paths, path);
}

static void add_system_node(struct tree *tree, const char *text)
{
    struct path *path = paths_take(tree->paths, text, strlen(text));
    add(tree, path, NULL, TREE_NOBODY);
    paths_release(tree->paths, path);
}

void tree_init(struct tree *tree, struct slab *slab, struct paths *paths)
{
    *tree = (struct tree){.slab = slab, .paths = paths};
    add_system_node(tree, "/");
    add_system_node(tree, "/zookeeper");
    add_system_node(tree, "/zookeeper/config");
    add_system_node(tree, "/zookeeper/quota");
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
    change->path = paths_take_sequential(tree->paths, prefix, parent->creates);
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
    if (parent->owner != TREE_NOBODY)
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
    value_release(tree->slab, node->value);
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
    if (children_count(&node->children) > 0)
        return ZK_NOT_EMPTY;
    tree_find(tree, change->path->parent)->children_zxid = zxid;
    take_out(tree, node);
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

/* What undo restores. */
struct before {
    struct node node; /* set, delete: its value is held */
    int32_t parent_creates;
    uint64_t parent_zxid;
};

static struct node *parent_of(const struct tree *tree, const struct change *change)
{
    return change->path->parent == NULL ? NULL : tree_find(tree, change->path->parent);
}

static struct before look(const struct tree *tree, const struct change *change)
{
    struct before before = {0};
    const struct node *node = tree_find(tree, change->path), *parent = parent_of(tree, change);
    if (node != NULL && (change->operation == OP_SET || change->operation == OP_DELETE)) {
        before.node = *node;
        value_hold(node->value);
    }
    if (parent != NULL) {
        before.parent_creates = parent->creates;
        before.parent_zxid = parent->children_zxid;
    }
    return before;
}

static void restore(struct tree *tree, const struct before *before, struct node *node)
{
    value_release(tree->slab, node->value);
    node->value = value_hold(before->node.value);
    node->version = before->node.version;
    node->creates = before->node.creates;
    node->modified_zxid = before->node.modified_zxid;
    node->children_zxid = before->node.children_zxid;
}

static void undo(struct tree *tree, const struct change *change, const struct before *before)
{
    if (change->operation == OP_CREATE)
        take_out(tree, tree_find(tree, change->path));
    else if (change->operation == OP_SET)
        restore(tree, before, tree_find(tree, change->path));
    else if (change->operation == OP_DELETE)
        restore(tree, before, add(tree, change->path, NULL, before->node.owner));
    struct node *parent = parent_of(tree, change);
    if (parent != NULL) {
        parent->creates = before->parent_creates;
        parent->children_zxid = before->parent_zxid;
    }
}

static enum zk_status carry_out_all(struct tree *tree, uint64_t zxid, struct change *changes,
                                    size_t count)
{
    struct before before[REQUEST_PARTS_MAX];
    enum zk_status status = ZK_OK;
    size_t done = 0;
    for (; done < count; done++) {
        before[done] = look(tree, &changes[done]);
        status = carry_out(tree, zxid, &changes[done]);
        if (status != ZK_OK) {
            value_release(tree->slab, before[done].node.value);
            break;
        }
    }
    while (done-- > 0) {
        if (status != ZK_OK)
            undo(tree, &changes[done], &before[done]);
        value_release(tree->slab, before[done].node.value);
    }
    return status;
}

enum zk_status tree_carry_out(struct tree *tree, uint64_t zxid, struct change *changes,
                              size_t count)
{
    if (count == 1)
        return carry_out(tree, zxid, changes);
    if (count <= REQUEST_PARTS_MAX)
        return carry_out_all(tree, zxid, changes, count);
    for (size_t i = 0; i < count; i++) {
        enum zk_status status = carry_out(tree, zxid, &changes[i]);
        assert(status == ZK_OK);
    }
    return ZK_OK;
}
