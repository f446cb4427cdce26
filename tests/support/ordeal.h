// SPDX-License-Identifier: Apache-2.0
/*
 * ordeal: clients that run a recipe on a simulated ensemble in free pace, and come to grief. Who is
 * in it, the servers and their znodes, and what is found wrong first. All that is left to chance is
 * drawn from a seed, and the same seed is the same ordeal.
 */
#ifndef TESTS_ORDEAL_H
#define TESTS_ORDEAL_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/random.h"
#include "recipes/registry.h"
#include "sim/sim.h"

#include <stdio.h>
#include <string.h>

#define CLIENTS_MAX 7
/* Who is expired comes back as another actor. */
#define ACTORS_MAX (2 * CLIENTS_MAX)
#define TIMEOUT_MS 20000
#define LOCK       "/l"

enum mishap { NOTHING, CRASH, EXIT, EXPIRY, MISHAPS };

/* Before a step, right after it (its request is out, or it rests), or some time later. */
enum moment { BEFORE, AFTER, LATER, MOMENTS };

enum doing { CONNECTING, ACQUIRING, WORKING, HOLDING, RELEASING, DONE, GONE, DOINGS };

struct ordeal;

struct actor {
    struct ordeal *ordeal;
    struct contender contender;
    enum doing doing;
    bool parked;
    bool leaving; /* exits as soon as it has its reply */
    bool expired; /* by the servers; it may not know yet */
    unsigned steps, rounds, nested;
    enum mishap mishap;
    enum moment moment;
    unsigned at_step;
    uint64_t delay_ns;
    uint32_t cut_steps;      /* a bit for each step whose reply is lost */
    uint64_t holds_until_ns; /* of who crashed while it held */
    enum operation asked;
    unsigned unanswerable; /* watches for what is not there */
};

/* What befell all clients of a recipe, and in the middle of what; the lost replies by operation. */
struct toll {
    unsigned struck[MISHAPS][DOINGS];
    unsigned cut[OP_MULTI + 1];
};

struct ordeal {
    const struct recipe *recipe;
    struct toll *toll;
    struct sim *world;
    struct random random;
    unsigned servers;
    uint32_t clients, actor_count;
    struct actor actors[ACTORS_MAX];
    uint32_t begun;           /* a bit for each client that has tried */
    int32_t last, last_alone; /* places granted: of all, and of those who hold alone */
    bool any_granted, any_alone;
    unsigned grants;
    unsigned sets, uncertain_sets; /* known to be made; nobody knows */
    bool torn;                     /* work was broken off, and nobody has worked since */
    struct client *setup;
    bool answered;
    enum zk_status status; /* of the set-up session's last request … */
    char text[32];         /* … and the data that it read */
    uint64_t events;
    char verdict[600]; /* "" while nothing is wrong */
};

/* The first verdict stands. */
void ordeal_condemn(struct ordeal *ordeal, const struct actor *actor, const char *what);

/* ------------------------------------------------------------------ who makes and reads znodes */

/* The data of a znode, until the next call; "missing" if it is not there. */
const char *ordeal_read(struct ordeal *ordeal, const char *path);

/* ------------------------------------------------------------------ its beginning and its end */

/* A world with the recipe's znodes, and no clients yet: so many are to come. */
void ordeal_init(struct ordeal *ordeal, const struct recipe *recipe, uint64_t seed,
                 struct toll *toll);

/* Until nothing more happens, or something is wrong. */
void ordeal_run_dry(struct ordeal *ordeal);

void ordeal_deinit(struct ordeal *ordeal);

#endif
