// SPDX-License-Identifier: Apache-2.0
/*
 * ordeal: clients that run a recipe on a simulated ensemble in free pace, while errors are
 * injected: the clients, the servers and their znodes, and the first error that was found.
 * Everything random follows from a seed, so the same seed repeats the same ordeal.
 */
#ifndef TESTS_ORDEAL_H
#define TESTS_ORDEAL_H

#include "base/clock.h"
#include "base/random.h"
#include "recipes/registry.h"
#include "sim/sim.h"
#include "tests/support/test.h"

#define CLIENTS_MAX 7
/* A client whose session expired comes back as another actor. */
#define ACTORS_MAX (2 * CLIENTS_MAX)
#define TIMEOUT_MS 20000
#define LOCK       "/l"

enum mishap { NOTHING, CRASH, EXIT, EXPIRY, MISHAPS };

/* Before a step, right after it (its request is sent, or it waits), or some time later. */
enum moment { BEFORE, AFTER, LATER, MOMENTS };

enum doing { CONNECTING, ACQUIRING, WORKING, HOLDING, RELEASING, DONE, GONE, DOINGS };

struct ordeal;

struct actor {
    struct ordeal *ordeal;
    struct contender contender;
    enum doing doing;
    bool parked;
    bool leaving; /* exits as soon as it has its reply */
    bool expired; /* by the servers; the client may not know yet */
    unsigned steps, rounds, nested;
    enum mishap mishap;
    enum moment moment;
    unsigned at_step;
    uint64_t delay_ns;
    uint32_t cut_steps;      /* a bit for each step whose reply is lost */
    uint64_t holds_until_ns; /* of a client that crashed while it held */
    enum operation asked;
    unsigned unanswerable; /* watches of znodes that do not exist */
};

/* How often each mishap struck the clients of a recipe, by what they were doing; the lost replies
 * by operation. */
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
    int32_t last, last_alone; /* the last place granted: to any client, and to hold alone */
    bool any_granted, any_alone;
    unsigned grants;
    unsigned sets, uncertain_sets; /* answered; whose reply was lost */
    bool torn;                     /* work was broken off, and no client has worked since */
    struct client *setup;
    bool answered;
    enum zk_status status; /* of the set-up session's last request */
    char text[32];         /* the data that this request has read */
    uint64_t events;
    char verdict[600]; /* "" while nothing is wrong */
};

/* Records what is wrong; the first record stands. */
void ordeal_condemn(struct ordeal *ordeal, const struct actor *actor, const char *what);

/* ------------------------------------------------------------------ who makes and reads znodes */

/* The data of a znode, until the next call; "missing" if it is not there. */
const char *ordeal_read(struct ordeal *ordeal, const char *path);

/* ------------------------------------------------------------------ its beginning and its end */

/* Creates the ensemble and the recipe's znodes, and draws the number of clients. */
void ordeal_init(struct ordeal *ordeal, const struct recipe *recipe, uint64_t seed,
                 struct toll *toll);

/* Runs until nothing more happens, or something is wrong. */
void ordeal_run_dry(struct ordeal *ordeal);

void ordeal_deinit(struct ordeal *ordeal);

#endif
