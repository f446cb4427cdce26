// SPDX-License-Identifier: Apache-2.0
/*
 * internal: limits of a lock's clients that are not about time, each with its formula. Layer:
 * bench/limits.
 *
 * Invariant: a limit is computed by the functions of wire/maxbuffer.h and recipes/footprint.h, or
 * is a product of settings; docs/limits.md says where each comes from.
 */
#ifndef BENCH_LIMITS_INTERNAL_H
#define BENCH_LIMITS_INTERNAL_H

#include "recipes/recipe.h"
#include "servers/server_limits.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* In place of a number: the setting is 0 or none; the servers do not tell it. */
#define PLAN_NO_LIMIT UINT64_MAX
#define PLAN_UNTOLD   (UINT64_MAX - 1)

/* What a server keeps of a watch besides its path, in bytes: measured, of sessions with a watch
 * each (docs/limits.md). */
#define PLAN_WATCH_BYTES 450

/* In the order of the table. */
enum plan_limit_kind {
    PLAN_NAMES,              /* in a list that a Java client reads */
    PLAN_WATCHES_AGAIN,      /* of a session of the C client, after it has lost its connection */
    PLAN_PATH,               /* of a znode that is created without a value */
    PLAN_VALUE_CREATED,      /* of the lock's znode */
    PLAN_VALUE_SET,          /* of the lock's znode */
    PLAN_VALUE_READ,         /* by a Java client */
    PLAN_CONNECTIONS,        /* from one host, to all servers */
    PLAN_SERVER_DESCRIPTORS, /* of all servers */
    PLAN_DESCRIPTORS,        /* of one process on this host */
    PLAN_PORTS,              /* of this host, to all servers */
    PLAN_WATCHES,            /* in the heaps of all servers */
    PLAN_LIMIT_KINDS
};

/* What the limits are computed from. */
struct plan_given {
    uint64_t jute_maxbuffer_bytes;
    size_t lock_length; /* of the path of the lock's znode, chroot included, in bytes */
    uint64_t servers;
    struct server_limits lowest; /* of all servers */
    uint64_t descriptors;        /* sessions of one process; UINT64_MAX: no limit */
    uint64_t local_ports;        /* to one server */
    uint64_t clients;            /* of one lock; 0: not asked about */
};

struct plan_limit {
    enum plan_limit_kind kind;
    const struct recipe *recipe; /* NULL: the same for all */
    char formula[40];
    uint64_t most;         /* names, watches, bytes, sessions; PLAN_NO_LIMIT; PLAN_UNTOLD */
    bool is_needed;        /* the clients need something of this limit: */
    uint64_t need;         /* in the unit of `most` */
    uint64_t most_clients; /* of one lock; PLAN_NO_LIMIT: however many */
};

/* What is said of a kind of limit. */
struct plan_limit_words {
    const char *name;    /* what is limited */
    const char *setting; /* that limits it */
    const char *unit;    /* of `most` and `need` */
    bool varies;         /* with the recipe */
};

const struct plan_limit_words *plan_limits_words(enum plan_limit_kind kind);

/* Whether a limit is a number: not PLAN_NO_LIMIT, nor PLAN_UNTOLD. */
bool plan_limits_is_number(uint64_t most);

/* Computes a limit; recipe: NULL unless the limit depends on it. False, with *limit unchanged, if
 * the recipe has nothing of the kind. */
bool plan_limits_compute(enum plan_limit_kind kind, const struct recipe *recipe,
                         const struct plan_given *given, struct plan_limit *limit);

/* Whether the given clients need more than the limit allows. */
bool plan_limits_passed(const struct plan_limit *limit);

/* The limit that is met first as clients of this recipe are added to one lock; false if none is
 * told. */
bool plan_limits_first(const struct recipe *recipe, const struct plan_given *given,
                       struct plan_limit *first);

#endif
