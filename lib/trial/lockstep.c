// SPDX-License-Identifier: Apache-2.0
#include "trial/lockstep.h"

#include "base/clock.h"
#include "recipes/queue.h"
#include "trial/checker.h"
#include "trial/death.h"

#include <stdlib.h>

/* After a death: how long nothing has moved when all is taken to be at rest. */
#define REST_NS (20 * NS_PER_MS)

enum fault_kind lockstep_init(struct lockstep *lockstep, struct vigil *vigil,
                              struct steward *steward, struct tally *law)
{
    struct board *board = vigil->board;
    uint32_t locks = board->plan->locks;
    *lockstep = (struct lockstep){
        .board = board,
        .vigil = vigil,
        .steward = steward,
        .law = law,
        .laws = calloc(locks, sizeof *lockstep->laws),
        .expected = calloc(locks, sizeof *lockstep->expected),
    };
    if (lockstep->laws == NULL || lockstep->expected == NULL)
        return fault_raise(vigil->fault, FAULT_NO_MEMORY, 0, "trial", "%s", "");
    for (uint32_t lock = 0; lock < locks; lock++)
        law_lock_init(&lockstep->laws[lock], board->plan->recipe,
                      plan_clients_of(board->plan, lock));
    return FAULT_NONE;
}

void lockstep_deinit(struct lockstep *lockstep)
{
    free(lockstep->laws);
    free(lockstep->expected);
}

/* ------------------------------------------------------------------ at rest */

static uint64_t present_handoff(const struct board *board, uint32_t lock)
{
    return atomic_load(&board->locks[lock].releases);
}

static const struct tally *present_tally(const struct board *board, uint32_t lock)
{
    return &ledger_row(&board->ledger, lock, present_handoff(board, lock))->tally;
}

/*
 * After a death no law foretells what comes. All is taken to be at rest when nobody is busy, nobody
 * has sent or received anything for a while, and somebody who lives holds the lock if anybody waits
 * for it. A notification that comes later than that finds the next step under way: then the step is
 * not taken in full quiet, but no verdict depends on that any more.
 */
static bool has_settled(struct lockstep *lockstep, uint32_t lock)
{
    struct board *board = lockstep->board;
    uint64_t messages = atomic_load(&board->rpcs) + atomic_load(&board->steps) +
                        tally_read_shared(present_tally(board, lock), TALLY_NOTIFICATION);
    uint64_t now_ns = stage_now_ns(lockstep->vigil->stage);
    if (messages != lockstep->messages || atomic_load(&board->busy) != 0) {
        lockstep->messages = messages;
        lockstep->messages_ns = now_ns;
    }
    return now_ns - lockstep->messages_ns >= REST_NS &&
           (death_holder(board, lock) != 0 || death_waiting(board, lock) == 0);
}

/* The notifications are read first: whoever one of them wakes was busy before it was counted. */
static bool is_at_rest(struct lockstep *lockstep, uint32_t lock)
{
    struct board *board = lockstep->board;
    if (!death_spares_all(board))
        return has_settled(lockstep, lock);
    uint64_t received = tally_read_shared(present_tally(board, lock), TALLY_NOTIFICATION);
    return received >= lockstep->expected[lock].of[TALLY_NOTIFICATION] &&
           atomic_load(&board->busy) == 0;
}

static void violate(struct lockstep *lockstep, uint32_t lock, enum violation_kind kind,
                    enum tally_kind tally, uint64_t expected, uint64_t found)
{
    board_violate(lockstep->board,
                  &(struct violation){.kind = kind,
                                      .lock = lock,
                                      .handoff = present_handoff(lockstep->board, lock),
                                      .tally = tally,
                                      .expected = (int64_t)expected,
                                      .found = (int64_t)found});
}

/* Everything is at rest: the row must be what the law says, and as many hold as it says. */
static bool check_step(struct lockstep *lockstep, uint32_t lock)
{
    struct board *board = lockstep->board;
    const struct tally *found = present_tally(board, lock);
    const struct tally *expected = &lockstep->expected[lock];
    if (board_violation_count(board) > 0) {
        lockstep->vigil->end = END_VIOLATION;
        return false;
    }
    if (!death_spares_all(board))
        return true;
    enum tally_kind kind = ledger_difference(found, expected);
    const struct law_view *view = &lockstep->laws[lock].view;
    if (kind != TALLY_KINDS)
        violate(lockstep, lock, VIOLATION_LAW, kind, expected->of[kind], found->of[kind]);
    else if (checker_holders(board, lock) != view->holders)
        violate(lockstep, lock, VIOLATION_HOLDERS, 0, view->holders, checker_holders(board, lock));
    else
        return true;
    lockstep->vigil->end = END_VIOLATION;
    return false;
}

/* The deadline came while notifications that the law foretells were missing. */
static void check_missing(struct lockstep *lockstep, uint32_t lock)
{
    uint64_t found = tally_read_shared(present_tally(lockstep->board, lock), TALLY_NOTIFICATION);
    uint64_t expected = lockstep->expected[lock].of[TALLY_NOTIFICATION];
    /* While somebody is busy, the server owes an answer, and nothing can be said of notifications.
     */
    if (lockstep->vigil->end == END_DEADLINE && death_spares_all(lockstep->board) &&
        found < expected && atomic_load(&lockstep->board->busy) == 0)
        violate(lockstep, lock, VIOLATION_LOST_WAKEUP, TALLY_NOTIFICATION, expected, found);
}

static enum fault_kind wait_once(struct lockstep *lockstep, bool *goes_on)
{
    uint64_t turn_ns = death_spares_all(lockstep->board) ? VIGIL_TURN_NS : REST_NS;
    return vigil_wait(lockstep->vigil, turn_ns, goes_on);
}

static enum fault_kind await_rest(struct lockstep *lockstep, uint32_t lock, bool *goes_on)
{
    while (*goes_on && !is_at_rest(lockstep, lock)) {
        enum fault_kind kind = wait_once(lockstep, goes_on);
        if (kind != FAULT_NONE)
            return kind;
    }
    if (*goes_on)
        *goes_on = check_step(lockstep, lock);
    else
        check_missing(lockstep, lock);
    return FAULT_NONE;
}

/* ------------------------------------------------------------------ steps */

static void tell(struct board_worker *worker, enum board_command command, uint32_t subject)
{
    atomic_store(&worker->command, (uint64_t)command << 32 | subject);
    board_wake(worker->wake_descriptor);
}

/* Tells a session to move, and waits until everything is at rest again. */
static enum fault_kind step(struct lockstep *lockstep, uint32_t lock, uint32_t session,
                            enum board_command command, bool *goes_on)
{
    struct board *board = lockstep->board;
    atomic_fetch_add(&board->busy, 1);
    tell(&board->workers[session % board->plan->processes], command, session);
    return await_rest(lockstep, lock, goes_on);
}

static enum fault_kind step_arrive(struct lockstep *lockstep, uint32_t session, bool *goes_on)
{
    struct board *board = lockstep->board;
    uint32_t lock = plan_lock_of(board->plan, session, board->sessions[session].acquisitions);
    struct tally cost = {0};
    enum fault_kind kind = FAULT_NONE;
    /* Who arrives may read before it writes, and its server may be behind. After a death no law
     * depends on it. */
    if (death_spares_all(board))
        kind = vigil_catch_up(lockstep->vigil, goes_on);
    if (kind != FAULT_NONE || !*goes_on)
        return kind;
    if (death_spares_all(board))
        law_lock_arrival(&lockstep->laws[lock], &cost);
    tally_sum(&lockstep->expected[lock], &cost);
    tally_sum(lockstep->law, &cost);
    return step(lockstep, lock, session, COMMAND_ARRIVE, goes_on);
}

static enum fault_kind step_release(struct lockstep *lockstep, uint32_t lock, uint32_t session,
                                    bool *goes_on)
{
    struct tally cost = {0};
    if (death_spares_all(lockstep->board))
        law_lock_release(&lockstep->laws[lock], &cost);
    lockstep->expected[lock] = cost;
    tally_sum(lockstep->law, &cost);
    return step(lockstep, lock, session, COMMAND_RELEASE, goes_on);
}

/* If it is time for those who rest at a turn of the lock to go on, lets them; part of the step
 * before. */
static enum fault_kind step_turn(struct lockstep *lockstep, uint32_t lock, bool *goes_on)
{
    struct board *board = lockstep->board;
    struct tally cost = {0};
    uint64_t resting = law_lock_turn(&lockstep->laws[lock], &cost);
    if (resting == 0)
        return FAULT_NONE;
    tally_sum(&lockstep->expected[lock], &cost);
    tally_sum(lockstep->law, &cost);
    atomic_fetch_add(&board->busy, (int64_t)resting);
    for (uint32_t i = 0; i < board->plan->processes; i++)
        tell(&board->workers[i], COMMAND_TURN, lock);
    return await_rest(lockstep, lock, goes_on);
}

/* Whether somebody who lives is there to release. */
static bool is_held(const struct board *board, uint32_t lock)
{
    return death_holder(board, lock) != 0 || atomic_load(&board->locks[lock].sharers) != 0;
}

/* Who is to release: who holds alone; of those who share the first in line, whose line the law
 * knows; or who has just won a turn. */
static uint32_t next_to_release(const struct lockstep *lockstep, uint32_t lock)
{
    struct board *board = lockstep->board;
    uint32_t alone = death_holder(board, lock);
    if (alone != 0)
        return alone - 1;
    if (board->plan->recipe->turn_law != NULL)
        return ledger_row(&board->ledger, lock, present_handoff(board, lock))->holder - 1;
    return law_lock_first(&lockstep->laws[lock]) * board->plan->locks + lock;
}

static bool lets_in(const struct lockstep *lockstep, uint32_t lock, uint32_t session)
{
    struct board *board = lockstep->board;
    if (atomic_load(&board->sessions[session].dead))
        return false;
    if (plan_tours(board->plan))
        return board->sessions[session].acquisitions < plan_acquisitions(board->plan);
    vigil_close_in_time(lockstep->vigil);
    return !atomic_load(&board->closed) &&
           atomic_load(&board->locks[lock].admissions) < plan_handoffs_of(board->plan, lock);
}

/* One handoff of one lock: a holder releases, and queues again if more are to come. */
static enum fault_kind hand_on(struct lockstep *lockstep, uint32_t lock, bool *goes_on)
{
    uint32_t session = next_to_release(lockstep, lock);
    enum fault_kind kind = step_release(lockstep, lock, session, goes_on);
    if (kind == FAULT_NONE && *goes_on)
        kind = step_turn(lockstep, lock, goes_on);
    if (kind == FAULT_NONE && *goes_on && lets_in(lockstep, lock, session)) {
        atomic_fetch_add(&lockstep->board->locks[lock].admissions, 1);
        kind = step_arrive(lockstep, session, goes_on);
        if (kind == FAULT_NONE && *goes_on)
            kind = step_turn(lockstep, lock, goes_on);
    }
    return kind;
}

/* ------------------------------------------------------------------ deaths */

/* A session that is closed in order has ended when its znode has gone: whoever is to be told of
 * that has been told then, or is about to be. Only a sequential znode is nobody else's. */
static enum fault_kind await_exit(struct lockstep *lockstep, uint32_t session, bool *goes_on)
{
    const char *node = lockstep->board->sessions[session].node;
    int32_t sequence;
    bool exists = queue_sequence(node, &sequence);
    while (exists && *goes_on) {
        enum fault_kind kind =
            steward_exists(lockstep->steward, node, &exists, lockstep->vigil->fault);
        if (kind == FAULT_NONE && !exists)
            return await_rest(lockstep, 0, goes_on);
        if (kind == FAULT_NONE)
            kind = wait_once(lockstep, goes_on);
        if (kind != FAULT_NONE)
            return kind;
    }
    return FAULT_NONE;
}

/* Has the session die whose time has come, if there is one. */
static enum fault_kind let_die(struct lockstep *lockstep, bool *goes_on)
{
    uint32_t session;
    if (!death_takes(lockstep->board, &session))
        return FAULT_NONE;
    enum fault_kind kind = step(lockstep, 0, session, COMMAND_DIE, goes_on);
    if (kind == FAULT_NONE && death_planned(lockstep->board)->how == DEATH_EXIT)
        kind = await_exit(lockstep, session, goes_on);
    return kind;
}

/* ------------------------------------------------------------------ the whole */

enum fault_kind lockstep_lead(struct lockstep *lockstep, bool *goes_on)
{
    const struct trial_plan *plan = lockstep->board->plan;
    enum fault_kind kind = FAULT_NONE;
    for (uint32_t i = 0; kind == FAULT_NONE && *goes_on && i < plan->clients; i++)
        kind = step_arrive(lockstep, i, goes_on);
    for (uint32_t lock = 0; kind == FAULT_NONE && *goes_on && lock < plan->locks; lock++)
        kind = step_turn(lockstep, lock, goes_on);
    for (uint32_t held = plan->locks; kind == FAULT_NONE && *goes_on && held > 0;) {
        held = 0;
        for (uint32_t lock = 0; kind == FAULT_NONE && *goes_on && lock < plan->locks; lock++) {
            if (lock == 0)
                kind = let_die(lockstep, goes_on);
            if (kind != FAULT_NONE || !*goes_on || !is_held(lockstep->board, lock))
                continue;
            held++;
            kind = hand_on(lockstep, lock, goes_on);
        }
    }
    return kind;
}
