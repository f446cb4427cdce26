// SPDX-License-Identifier: Apache-2.0
/*
 * line: who stands in line for a lock, read from the names of the znodes in its folder.
 * Layer: recipes.
 *
 * What somebody sees who is not in line: the znodes' order is that of their sequence numbers, and
 * who holds follows from the order. The names are those of zkherd's recipes, of the paper's, and of
 * libraries: lock-NUMBER, _c_GUID-lock-NUMBER (Curator), x-SESSION-NUMBER (ZooKeeper's own, Java
 * and C), GUID__lock__NUMBER (kazoo), and any other that ends in a sequence number. Of read/write
 * locks: read-NUMBER and write-NUMBER, __READ__ and __WRIT__ (Curator), __rlock__ (kazoo), sh and
 * ex (zk-ruby). Of semaphores: _c_GUID-lease-NUMBER (Curator), and 32 hexadecimal digits (kazoo).
 *
 * Invariant: places and roles alone decide who holds. Curator lets in a reader behind its own
 * writer: here that one waits.
 */
#ifndef RECIPES_LINE_H
#define RECIPES_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What the name says that a place is for. */
enum line_role { LINE_ALONE, LINE_READS, LINE_WRITES, LINE_LEASES };

struct line_place {
    const char *name; /* the caller's */
    int32_t sequence;
    enum line_role role;
    bool holds;
};

/*
 * Puts those of the names that are places in line into `places` (as many as there are names), in
 * order, and says which of them hold. Returns how many they are: names without a sequence number
 * are none. As in queue.h, fewer than 2^31 numbers must lie between the first and the last;
 * otherwise the order is some order.
 */
size_t line_read(const char *const *names, size_t name_count, struct line_place *places);

/* Says anew which hold of the places that are left, in their order, and returns how many: the
 * first, and if that reads, all that read up to the next one that does not; all leases. */
size_t line_grant(struct line_place *places, size_t count);

/* Whether a name is that of a lease of kazoo's Semaphore, which has no sequence number. */
bool line_is_kazoo_lease(const char *name);

/* Whose recipe gives such names, in at most 18 characters: "Curator mutex", "kazoo read/write", or
 * "queue" for what any may have made. At least one place. A static text. */
const char *line_recipe(const struct line_place *places, size_t count);

/* The names of semaphores' parts. Curator: leases and line are children of the semaphore's znode.
 * kazoo: the leases are the znode's children, and the line is a znode beside it. */
#define LINE_CURATOR_LEASES "leases"
#define LINE_CURATOR_LINE   "locks"
#define LINE_KAZOO_LINE     "-__lock__"

#endif
