// SPDX-License-Identifier: Apache-2.0
/*
 * line: the clients in the queue of a lock, read from the names of the znodes in its folder.
 * Layer: recipes.
 *
 * The order is that of the sequence numbers, and the holders follow from the order. The names are
 * those of zkherd's recipes, of the paper, and of libraries: lock-NUMBER, _c_GUID-lock-NUMBER
 * (Curator, and without dashes go-zookeeper), x-SESSION-NUMBER (ZooKeeper's own, Java and C),
 * GUID__lock__NUMBER (kazoo), and any other name that ends in a sequence number. Read/write locks:
 * read-NUMBER and write-NUMBER, __READ__ and __WRIT__ (Curator), __rlock__ (kazoo), sh and ex
 * (zk-ruby). Semaphores: _c_GUID-lease-NUMBER (Curator), and 32 hexadecimal digits (kazoo).
 *
 * Invariant: places and roles alone decide which clients hold. A Curator reader behind its own
 * writer counts as waiting here, although Curator grants it.
 */
#ifndef RECIPES_LINE_H
#define RECIPES_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The purpose of a place, by its name. */
enum line_role { LINE_ALONE, LINE_READS, LINE_WRITES, LINE_LEASES };

struct line_place {
    const char *name; /* owned by the caller */
    int32_t sequence;
    enum line_role role;
    bool holds;
};

/* Writes the places among the names to `places` (name_count elements) in queue order, with `holds`
 * set. Returns their number; names without a sequence number are left out. The order is arbitrary
 * if sequence numbers are 2^31 or more apart (queue.h). */
size_t line_read(const char *const *names, size_t name_count, struct line_place *places);

/* Sets `holds` of places in queue order; and whether a place of this rank holds, if all before it
 * do: the first, all readers up to the next place that does not read, all leases. */
void line_grant(struct line_place *places, size_t count);
bool line_joins(const struct line_place *place, size_t rank, const struct line_place *first);

/* Whether the name is a lease of kazoo's Semaphore, which has no sequence number. */
bool line_is_kazoo_lease(const char *name);

/* Whether a numbered znode of no session is a place, too: it has the name of a library's lock, or
 * one alike that of a session's place beside it; NULL: there is none. */
bool line_is_place(const char *name, const char *beside);

/* The recipe that creates such names, in at most 18 characters: "Curator mutex", "kazoo
 * read/write", or "queue" if many recipes do. count: at least 1. A static text. */
const char *line_recipe(const struct line_place *places, size_t count);

#endif
