// SPDX-License-Identifier: Apache-2.0
#include "trial/znodes.h"

#include "base/clock.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* How often it is looked whether the znodes of a dead session have gone. */
#define EXPIRY_STEP_NS (20 * NS_PER_MS)

/* The first of a recipe's znodes in the folder of a lock. */
static const struct recipe_znode *laid_out(const struct board *board)
{
    static const struct recipe_znode none = {NULL, NULL};
    return board->plan->recipe->laid_out == NULL ? &none : board->plan->recipe->laid_out;
}

static enum fault_kind lay_out_lock(const struct board *board, struct steward *steward,
                                    uint32_t lock, struct fault *fault)
{
    char path[RECIPE_PATH_MAX];
    snprintf(path, sizeof path, "%s/l%u", board->plan->root, lock);
    enum fault_kind kind = steward_create(steward, path, fault);
    for (const struct recipe_znode *znode = laid_out(board);
         kind == FAULT_NONE && znode->name != NULL; znode++) {
        snprintf(path, sizeof path, "%s/l%u/%s", board->plan->root, lock, znode->name);
        if (znode->value != NULL)
            kind = steward_create_holding(steward, path, znode->value, fault);
    }
    return kind;
}

/* A simulation is new with every trial, and empty. */
static enum fault_kind make_parent(const struct trial_plan *plan, struct steward *steward,
                                   struct fault *fault)
{
    char parent[RECIPE_PATH_MAX];
    int length = (int)(strrchr(plan->root, '/') - plan->root);
    if (plan->driver != DRIVER_SIMULATED || length == 0)
        return FAULT_NONE;
    snprintf(parent, sizeof parent, "%.*s", length, plan->root);
    return steward_create(steward, parent, fault);
}

enum fault_kind znodes_lay_out(const struct board *board, struct steward *steward,
                               struct fault *fault)
{
    enum fault_kind kind = make_parent(board->plan, steward, fault);
    if (kind == FAULT_NONE)
        kind = steward_create(steward, board->plan->root, fault);
    for (uint32_t lock = 0; kind == FAULT_NONE && lock < board->plan->locks; lock++)
        kind = lay_out_lock(board, steward, lock, fault);
    return kind;
}

/* How many znodes are in the folder of a lock, and in those that were laid out in it, beside these.
 */
static enum fault_kind count_leftovers(const struct board *board, struct steward *steward,
                                       uint32_t lock, size_t *count, struct fault *fault)
{
    char path[RECIPE_PATH_MAX];
    snprintf(path, sizeof path, "%s/l%u", board->plan->root, lock);
    enum fault_kind kind = steward_count_children(steward, path, count, fault);
    for (const struct recipe_znode *znode = laid_out(board);
         kind == FAULT_NONE && znode->name != NULL; znode++) {
        size_t below = 0;
        snprintf(path, sizeof path, "%s/l%u/%s", board->plan->root, lock, znode->name);
        /* It may be missing after a crash (a flag, say), or before anybody has come. */
        bool there = false;
        kind = steward_exists(steward, path, &there, fault);
        if (kind == FAULT_NONE && there)
            kind = steward_count_children(steward, path, &below, fault);
        *count += below;
        *count -= there;
    }
    return kind;
}

static enum fault_kind let_time_pass(const struct stage *stage, uint64_t time_ns,
                                     struct fault *fault)
{
    uint64_t until_ns = stage_now_ns(stage) + time_ns;
    enum fault_kind kind = FAULT_NONE;
    while (kind == FAULT_NONE && stage_now_ns(stage) < until_ns)
        kind = stage_turn(stage, until_ns, fault);
    return kind;
}

/* The znodes of sessions that died go when the servers end these. */
static enum fault_kind count_lasting(const struct board *board, struct steward *steward,
                                     uint32_t lock, size_t *count, struct fault *fault)
{
    const struct stage *stage = steward_stage(steward);
    for (;;) {
        uint64_t now_ns = stage_now_ns(stage);
        enum fault_kind kind = count_leftovers(board, steward, lock, count, fault);
        if (kind != FAULT_NONE || *count == 0 || now_ns >= atomic_load(&board->expires_ns))
            return kind;
        kind = let_time_pass(stage, EXPIRY_STEP_NS, fault);
        if (kind != FAULT_NONE)
            return kind;
    }
}

enum fault_kind znodes_check_leftovers(struct board *board, struct steward *steward,
                                       struct fault *fault)
{
    for (uint32_t lock = 0; lock < board->plan->locks; lock++) {
        size_t count = 0;
        enum fault_kind kind = count_lasting(board, steward, lock, &count, fault);
        if (kind != FAULT_NONE)
            return kind;
        if (count > 0)
            board_violate(board,
                          &(struct violation){.kind = VIOLATION_LEFTOVER,
                                              .lock = lock,
                                              .handoff = atomic_load(&board->locks[lock].releases),
                                              .found = (int64_t)count});
    }
    return FAULT_NONE;
}

enum fault_kind znodes_check_counters(struct board *board, struct steward *steward,
                                      struct fault *fault)
{
    const char *name = board->plan->recipe->counts;
    enum fault_kind kind = FAULT_NONE;
    for (uint32_t lock = 0; kind == FAULT_NONE && name != NULL && lock < board->plan->locks;
         lock++) {
        char path[RECIPE_PATH_MAX], text[32] = "";
        int64_t grants = (int64_t)atomic_load(&board->locks[lock].grants);
        snprintf(path, sizeof path, "%s/l%u/%s", board->plan->root, lock, name);
        kind = steward_read(steward, path, text, sizeof text, fault);
        int64_t found = strtoll(text, NULL, 10);
        if (kind == FAULT_NONE && found != grants)
            board_violate(board, &(struct violation){.kind = VIOLATION_COUNTER,
                                                     .lock = lock,
                                                     .handoff = (uint64_t)grants,
                                                     .expected = grants,
                                                     .found = found});
    }
    return kind;
}

enum fault_kind znodes_check_wakeups(struct board *board, struct steward *steward,
                                     struct fault *fault)
{
    for (uint32_t i = 0; i < board->plan->clients; i++) {
        const struct board_session *session = &board->sessions[i];
        bool awaits_creation = session->awaited == EVENT_CREATED, exists = !awaits_creation;
        if (!session->parked || session->missed)
            continue;
        enum fault_kind kind = steward_exists(steward, session->waits_for, &exists, fault);
        if (kind != FAULT_NONE)
            return kind;
        if (exists != awaits_creation)
            continue;
        uint32_t lock = session->lock;
        board_violate(board,
                      &(struct violation){.kind = VIOLATION_LOST_WAKEUP,
                                          .lock = lock,
                                          .handoff = atomic_load(&board->locks[lock].releases),
                                          .session = i + 1});
    }
    return FAULT_NONE;
}
