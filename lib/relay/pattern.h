// SPDX-License-Identifier: Apache-2.0
/*
 * pattern: what the paths of many znodes have in common. Layer: relay.
 *
 * In each name of a path what differs from znode to znode, or from session to session, is replaced:
 *
 *   <n>        the number of a sequential znode: 10 digits or more, such as 0000000017
 *   <guid>     8-4-4-4-12 hexadecimal digits, or 32 of them (Curator, kazoo)
 *   <session>  a session's number before another part of the name: 16 hexadecimal digits with a
 *              letter among them or a 0 first (zoo_lock), or 16 to 19 decimal ones (WriteLock)
 *
 * Invariant: a path without such parts is its own pattern, and a pattern's pattern is itself.
 */
#ifndef RELAY_PATTERN_H
#define RELAY_PATTERN_H

#include <stddef.h>
#include <stdint.h>

#define PATTERN_SIZE 256 /* room for a pattern; of a longer one the end is cut */

/* Writes the pattern of `length` bytes, any but NUL; returns its length. */
size_t pattern_fold(const char *path, size_t length, char pattern[PATTERN_SIZE]);

#define PATTERNS_MOST  512
#define PATTERNS_OTHER "other paths"

/* The pattern of paths, with a number of the caller's. */
struct pattern {
    unsigned number;
    char text[PATTERN_SIZE];
};

/* Elements that each begin with a different pattern. All zero bytes: none. */
struct patterns {
    struct pattern **list; /* in the order in which they came */
    size_t count;
    void *tree; /* of tsearch */
};

/* The element for a path, of `size` bytes, which is added, with zero bytes behind its pattern. The
 * paths of those behind the first PATTERNS_MOST are PATTERNS_OTHER. */
void *patterns_find_or_add(struct patterns *patterns, unsigned number, const char *path,
                           size_t length, size_t size);
void patterns_deinit(struct patterns *patterns);

#endif
