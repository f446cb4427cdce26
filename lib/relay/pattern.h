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

/* Room for the pattern of any path that is told apart; of a longer one the end is cut. */
#define PATTERN_SIZE 256

/* Writes the pattern of a path of so many bytes, any but NUL; returns its length. */
size_t pattern_fold(const char *path, size_t length, char pattern[PATTERN_SIZE]);

#endif
