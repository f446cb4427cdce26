// SPDX-License-Identifier: Apache-2.0
/*
 * mix: which requests a load consists of, and in which shares. Layer: load.
 *
 * Invariant: the shares of a mix that mix_parse or mix_of_reads has made are whole percents, and
 * their sum is 100.
 */
#ifndef LOAD_MIX_H
#define LOAD_MIX_H

#include "base/random.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The kinds of operation of a load. X(name, the word for it in a mix and in files) */
#define LOAD_KIND_LIST(X)                                                                          \
    X(GET, "get")           /* reads a data znode */                                               \
    X(EXISTS, "exists")     /* asks for the Stat of a data znode */                                \
    X(CHILDREN, "children") /* lists the znodes that the session has created */                    \
    X(SET, "set")           /* writes a data znode */                                              \
    X(CREATE, "create")     /* creates a znode of the session's own */                             \
    X(DELETE, "delete")     /* deletes the oldest of those */                                      \
    X(MULTI, "multi")       /* checks and writes a data znode, in one transaction */               \
    X(TRYLOCK, "trylock")   /* creates the one ephemeral znode that is the lock, or goes away */   \
    X(CREATE_DELETE, "create-delete") /* creates a znode of the session's own that is deleted */   \
    X(UNLOCK, "unlock") /* deletes the lock's znode: follows each TRYLOCK that succeeded */        \
    X(ASYNC_DELETE, "async-delete") /* deletes the znode of a CREATE_DELETE that succeeded */

enum load_kind {
#define X(name, word) LOAD_##name,
    LOAD_KIND_LIST(X)
#undef X
        LOAD_KINDS
};

/* The kinds that a mix may name: all before UNLOCK. Those from UNLOCK on follow from others. */
#define MIX_KINDS LOAD_UNLOCK

struct mix {
    uint32_t percent[MIX_KINDS];
};

/*
 * Parses a list such as "get=70,set=20,create=5,delete=5". False, with a sentence in why (size
 * bytes) and *mix unchanged, if a kind is unknown or named twice, a share is not a whole number
 * from 1 to 100, the shares do not sum to 100, or the mix deletes more than it creates.
 */
bool mix_parse(const char *text, struct mix *mix, char *why, size_t size);

/* The mix of so many percent get, and of set for the rest. percent: 0 to 100. */
struct mix mix_of_reads(uint32_t percent);

/* Formats a mix as mix_parse reads it; returns text. size: 128 bytes are always enough. */
const char *mix_format(const struct mix *mix, char *text, size_t size);

/* The share of the operations that only read, in percent. */
uint32_t mix_reads(const struct mix *mix);

/* The most requests that a session may have outstanding whose operations outstanding are at most
 * `depth`. They are more if the mix names CREATE_DELETE: the ASYNC_DELETE that follows one is sent
 * at once, on top of the depth, and at most `depth` of these are outstanding. */
uint32_t mix_requests(const struct mix *mix, uint32_t depth);

/* Whether the mix names one of the kinds that use the znodes below a session's own folder. */
bool mix_needs_folders(const struct mix *mix);

/* Draws a kind: each with the probability of its share. */
enum load_kind mix_draw(const struct mix *mix, struct random *random);

/* Whether the operation only reads. */
bool load_kind_reads(enum load_kind kind);

/* The word for a kind: a static string. */
const char *load_kind_word(enum load_kind kind);

#endif
