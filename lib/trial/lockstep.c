// SPDX-License-Identifier: Apache-2.0
/*
 * Runs a trial one step at a time, and compares each step with the law. A step moves one session,
 * or all sessions that wait at a turn. It is complete when no session is busy and all notifications
 * that the law predicts for it have been received. Then the row of the ledger must equal the law's.
 * On several servers an arrival waits until each of them has carried out what any of them has, so
 * that a session that reads before it writes reads the latest state. After a death or the loss of a
 * connection the law predicts nothing: a step is complete when nothing has moved for a while, and
 * no count is compared any more. With a max_rate the lockstep waits before each step and at the
 * end, never within a step.
 */
#include "trial/lock_session.h"

#include "base/memory.h"
#include "recipes/law.h"
#include "recipes/queue.h"

#include <stdlib.h>

#define REST_NS (20 * NS_PER_MS) /* for which nothing moves at rest, without a law */

struct lockstep_lock {
    uint32_t number;
    struct law_lock law;
    struct tally expected; /* what the law predicts for the present row */
    struct tally alone;    /* of these: what the holder sends to release; of an arrival: nothing */
    uint32_t releasing;    /* the holder */
    uint64_t before;       /* notifications that the law predicted for the row before */
};

struct lockstep {
    struct trial *trial;
    struct experiment *experiment; /* the trial's */
    struct trial_memory *memory;
    struct lockstep_lock *locks;
    struct tally *law;    /* what the law predicts for all steps so far */
    uint64_t messages;    /* requests, notifications and steps, when last read */
    uint64_t messages_ns; /* when that number last changed */
};

static bool goes_on(const struct lockstep *lockstep)
{
    return experiment_goes_on(lockstep->experiment);
}

/* ------------------------------------------------------------------ at rest */

/* Whether the law applies: no session has died, and none has lost its connection. Read after the
 * counts: what a session receives after a loss is counted after the loss. */
static bool is_lawful(const struct trial_memory *memory)
{
    return injection_none_yet(memory) && atomic_load(&memory->fleet->losses) == 0;
}

static bool is_any_busy(const struct trial_memory *memory)
{
    return atomic_load(&memory->fleet->busy) != 0;
}

static bool are_holders_right(const struct lockstep *lockstep, const struct lockstep_lock *lock)
{
    return checker_holders(lockstep->memory, lock->number) == lock->law.view.holders;
}

/* Notifications in a row, and those that the law predicts for the present one. */
static uint64_t received_in(const struct lockstep *lockstep, const struct lockstep_lock *lock,
                            uint64_t handoff)
{
    return tally_read_shared(&ledger_row(&lockstep->memory->ledger, lock->number, handoff)->tally,
                             TALLY_NOTIFICATION);
}

static uint64_t expected_in(const struct lockstep_lock *lock)
{
    return lock->expected.of[TALLY_NOTIFICATION];
}

/* With a law the notifications are read first: a session that one of them wakes was busy before it
 * was counted. Without a law the step is taken to be complete when no session has been busy and no
 * message was counted for a while, and the lock is held as it should be: after a death by a living
 * session, if any session waits; else by as many as the recipe allows. A later notification arrives
 * in the next step; no verdict depends on that. */
static bool is_at_rest(struct lockstep *lockstep, const struct lockstep_lock *lock)
{
    struct trial_memory *memory = lockstep->memory;
    if (is_lawful(memory)) {
        uint64_t received = received_in(lockstep, lock, handoff_number(memory, lock->number));
        return received >= expected_in(lock) && !is_any_busy(memory);
    }
    const struct tally total = trial_memory_total(memory);
    uint64_t messages =
        tally_rpcs(&total) + shared_steps(memory->fleet) + total.of[TALLY_NOTIFICATION];
    uint64_t now_ns = experiment_now_ns(lockstep->experiment);
    if (messages != lockstep->messages || is_any_busy(memory)) {
        lockstep->messages = messages;
        lockstep->messages_ns = now_ns;
    }
    bool is_held = injection_none_yet(memory) ? are_holders_right(lockstep, lock)
                                              : handoff_holder(memory, lock->number) != 0 ||
                                                    handoff_waiting(memory, lock->number) == 0;
    return is_held && now_ns - lockstep->messages_ns >= REST_NS;
}

/* ------------------------------------------------------------------ what differs from the law */

static struct violation differs(enum violation_kind kind, enum tally_kind tally, uint64_t expected,
                                uint64_t found)
{
    return (struct violation){
        .kind = kind, .tally = tally, .expected = (int64_t)expected, .found = (int64_t)found};
}

static void fail(struct lockstep *lockstep, const struct lockstep_lock *lock, uint64_t handoff,
                 struct violation violation)
{
    trial_memory_violate(lockstep->memory, lock->number, handoff, violation);
    lockstep->experiment->end = END_VIOLATION;
}

/* More notifications than the law predicts: the step cannot become right. While a session is busy,
 * though, it may be about to be granted beside a holder, and that violation is to be reported. */
static void check_notifications(struct lockstep *lockstep, const struct lockstep_lock *lock,
                                uint64_t handoff, uint64_t expected)
{
    uint64_t found = received_in(lockstep, lock, handoff);
    if (found <= expected || is_any_busy(lockstep->memory) || !is_lawful(lockstep->memory) ||
        !goes_on(lockstep))
        return;
    fail(lockstep, lock, handoff, differs(VIOLATION_LAW, TALLY_NOTIFICATION, expected, found));
}

/* In the row of the step under way, or late in the row before. The law knows the row's number:
 * until the release has been sent, the ledger's present row is the one before. */
static void check_excess(struct lockstep *lockstep, const struct lockstep_lock *lock)
{
    uint64_t handoff = lock->law.view.releases;
    check_notifications(lockstep, lock, handoff, expected_in(lock));
    if (handoff > 0)
        check_notifications(lockstep, lock, handoff - 1, lock->before);
}

/* The step is complete: the row and the number of holders must be the law's. */
static void check_step(struct lockstep *lockstep, const struct lockstep_lock *lock)
{
    struct trial_memory *memory = lockstep->memory;
    const struct tally *found = &handoff_row(memory, lock->number)->tally;
    if (atomic_load(&memory->violation_count) > 0)
        lockstep->experiment->end = END_VIOLATION;
    enum tally_kind kind = ledger_difference(found, &lock->expected);
    bool are_right = are_holders_right(lockstep, lock);
    if (!is_lawful(memory))
        return;
    check_excess(lockstep, lock);
    if (!goes_on(lockstep))
        return;
    if (kind == TALLY_KINDS && are_right)
        return;
    fail(lockstep, lock, handoff_number(memory, lock->number),
         kind == TALLY_KINDS
             ? differs(VIOLATION_HOLDERS, 0, lock->law.view.holders,
                       checker_holders(memory, lock->number))
             : differs(VIOLATION_LAW, kind, lock->expected.of[kind], found->of[kind]));
}

/* A release that sends too little wakes no session: the holder's doing, not the waiters'. */
static bool has_unsent(struct lockstep *lockstep, const struct lockstep_lock *lock)
{
    const struct tally *found = &handoff_row(lockstep->memory, lock->number)->tally;
    const struct trial_session_report *report = &lockstep->memory->sessions[lock->releasing];
    enum tally_kind kind = 0;
    while (kind < TALLY_NOTIFICATION && found->of[kind] >= lock->alone.of[kind])
        kind++;
    if (kind == TALLY_NOTIFICATION)
        return false;
    struct violation violation =
        differs(VIOLATION_UNSENT, kind, lock->alone.of[kind], found->of[kind]);
    violation.session = lock->releasing + 1;
    violation.file = report->released_file;
    violation.line = report->released_line;
    trial_memory_violate(lockstep->memory, lock->number,
                         handoff_number(lockstep->memory, lock->number), violation);
    return true;
}

/* At the deadline no session is busy, and notifications may be missing that the law predicts: a
 * server that owes a reply has a busy session. If the lock is held as it should be, the law is
 * wrong. Else a wake-up was lost, and the end stays the deadline: its reason names who waits. */
static void check_deadline(struct lockstep *lockstep, const struct lockstep_lock *lock)
{
    struct trial_memory *memory = lockstep->memory;
    uint64_t handoff = handoff_number(memory, lock->number), expected = expected_in(lock),
             found = received_in(lockstep, lock, handoff);
    if (found >= expected || is_any_busy(memory) || !is_lawful(memory) ||
        has_unsent(lockstep, lock))
        return;
    bool are_right = are_holders_right(lockstep, lock);
    trial_memory_violate(memory, lock->number, handoff,
                         differs(are_right ? VIOLATION_LAW : VIOLATION_LOST_WAKEUP,
                                 TALLY_NOTIFICATION, expected, found));
    if (are_right)
        lockstep->experiment->end = END_VIOLATION;
}

static void await_rest(struct lockstep *lockstep, const struct lockstep_lock *lock)
{
    struct experiment *experiment = lockstep->experiment;
    while (goes_on(lockstep) && !is_at_rest(lockstep, lock)) {
        experiment_wait(experiment, is_lawful(lockstep->memory) ? EXPERIMENT_TURN_NS : REST_NS);
        check_excess(lockstep, lock);
    }
    if (goes_on(lockstep))
        check_step(lockstep, lock);
    else if (experiment->end == END_DEADLINE)
        check_deadline(lockstep, lock);
}

/* ------------------------------------------------------------------ steps */

/* Waits until the plan's rate allows what has been sent since the gate. */
static void keep_rate(const struct lockstep *lockstep)
{
    struct trial *trial = lockstep->trial;
    uint64_t rate = lockstep->memory->plan->max_rate, now_ns;
    if (rate == 0)
        return;
    double due_ns =
        (double)trial_memory_requests(lockstep->memory) / (double)rate * (double)NS_PER_S;
    uint64_t until_ns = trial->experiment.started_ns + (uint64_t)due_ns;
    while (goes_on(lockstep) && (now_ns = experiment_now_ns(&trial->experiment)) < until_ns) {
        uint64_t left_ns = until_ns - now_ns;
        monitor_rest(trial);
        experiment_wait(lockstep->experiment,
                        left_ns < EXPERIMENT_TURN_NS ? left_ns : EXPERIMENT_TURN_NS);
        monitor_rest(trial);
    }
}

/* Adds what the law predicts for the present row besides. */
static void expect(struct lockstep *lockstep, struct lockstep_lock *lock, const struct tally *cost)
{
    tally_sum(&lock->expected, cost);
    tally_sum(lockstep->law, cost);
}

/* Orders a session to move, and waits until the step is complete. */
static void step(struct lockstep *lockstep, const struct lockstep_lock *lock, uint32_t session,
                 enum lock_session_order order)
{
    struct shared *fleet = lockstep->memory->fleet;
    keep_rate(lockstep);
    if (!goes_on(lockstep))
        return;
    atomic_fetch_add(&fleet->busy, 1);
    shared_order(fleet, session, (int)order);
    await_rest(lockstep, lock);
}

/* Lets those who rest at a turn of the lock go on, if it is time; part of the step before. */
static void step_turn(struct lockstep *lockstep, struct lockstep_lock *lock)
{
    struct shared *fleet = lockstep->memory->fleet;
    struct tally cost = {0};
    uint64_t resting = goes_on(lockstep) ? law_lock_turn(&lock->law, &cost) : 0;
    if (resting == 0)
        return;
    expect(lockstep, lock, &cost);
    atomic_fetch_add(&fleet->busy, (int64_t)resting);
    shared_order_all(fleet, LOCK_ORDER_GO_ON + (int)lock->number);
    await_rest(lockstep, lock);
}

/* A session that arrives may read before it writes, and its server may be behind. */
static void step_arrive(struct lockstep *lockstep, uint32_t session)
{
    struct trial_memory *memory = lockstep->memory;
    uint64_t acquisitions = memory->sessions[session].acquisitions;
    struct lockstep_lock *lock =
        &lockstep->locks[plan_lock_of(memory->plan, session, acquisitions)];
    struct tally cost = {0};
    if (is_lawful(memory))
        experiment_catch_up(lockstep->experiment);
    if (!goes_on(lockstep))
        return;
    if (injection_none_yet(memory))
        law_lock_arrival(&lock->law, &cost);
    lock->alone = (struct tally){0};
    expect(lockstep, lock, &cost);
    step(lockstep, lock, session, LOCK_ORDER_ARRIVE);
}

static void step_release(struct lockstep *lockstep, struct lockstep_lock *lock, uint32_t session)
{
    struct tally cost = {0};
    lock->alone = (struct tally){0};
    lock->releasing = session;
    if (injection_none_yet(lockstep->memory)) {
        law_lock_release_alone(&lock->law, &lock->alone);
        law_lock_release(&lock->law, &cost);
    }
    lock->before = expected_in(lock);
    lock->expected = (struct tally){0};
    expect(lockstep, lock, &cost);
    step(lockstep, lock, session, LOCK_ORDER_RELEASE);
    step_turn(lockstep, lock);
}

/* Orders the session to die that is due to, if there is one. A session that closes has ended when
 * its znode does not exist any more; the notifications of that have been sent then. Only a
 * sequential znode belongs to one session for certain. */
static void step_death(struct lockstep *lockstep)
{
    struct trial_memory *memory = lockstep->memory;
    struct experiment *experiment = lockstep->experiment;
    uint32_t session;
    int32_t sequence;
    if (!injection_due(memory, &session))
        return;
    step(lockstep, &lockstep->locks[0], session, LOCK_ORDER_DIE);
    const char *node = memory->sessions[session].node;
    bool exists = plan_death(memory->plan)->how == DEATH_EXIT && queue_sequence(node, &sequence);
    while (exists && goes_on(lockstep)) {
        experiment_check(
            experiment, setup_session_exists(experiment->setup, node, &exists, &experiment->error));
        if (exists)
            experiment_wait(experiment, REST_NS);
        else
            await_rest(lockstep, &lockstep->locks[0]);
    }
}

/* ------------------------------------------------------------------ the whole */

/* The session that is to release. Where sessions share the lock this is the first of them in line:
 * the law knows the line. Where all who wait take a turn together it is the winner of the turn. */
static uint32_t next_to_release(const struct lockstep *lockstep, const struct lockstep_lock *lock)
{
    struct trial_memory *memory = lockstep->memory;
    uint32_t alone = handoff_holder(memory, lock->number);
    if (alone != 0)
        return alone - 1;
    if (memory->plan->recipe->turn_law != NULL)
        return handoff_row(memory, lock->number)->holder - 1;
    return law_lock_first(&lock->law) * memory->plan->locks + lock->number;
}

/* One handoff of one lock: a holder releases, and queues again if more are to come. */
static void hand_on(struct lockstep *lockstep, struct lockstep_lock *lock)
{
    struct trial_memory *memory = lockstep->memory;
    uint32_t session = next_to_release(lockstep, lock);
    step_release(lockstep, lock, session);
    monitor_close_in_time(lockstep->trial);
    if (!goes_on(lockstep) || atomic_load(&memory->fleet->sessions[session].dead) ||
        !handoff_admits(memory, lock->number, session))
        return;
    step_arrive(lockstep, session);
    step_turn(lockstep, lock);
}

/* All arrive; then the locks are handed on in turn until none is held by a living session. */
static void run_steps(struct lockstep *lockstep)
{
    struct trial_memory *memory = lockstep->memory;
    const struct trial_plan *plan = memory->plan;
    for (uint32_t i = 0; i < plan->fleet.sessions; i++)
        step_arrive(lockstep, i);
    for (uint32_t i = 0; i < plan->locks; i++)
        step_turn(lockstep, &lockstep->locks[i]);
    for (bool any_held = true; any_held;) {
        any_held = false;
        for (uint32_t i = 0; goes_on(lockstep) && i < plan->locks; i++) {
            if (i == 0)
                step_death(lockstep);
            bool is_held =
                handoff_holder(memory, i) != 0 || atomic_load(&memory->locks[i].sharers) != 0;
            if (!goes_on(lockstep) || !is_held)
                continue;
            any_held = true;
            hand_on(lockstep, &lockstep->locks[i]);
        }
    }
    keep_rate(lockstep);
}

void lockstep_run(struct trial *trial, struct tally *law)
{
    const struct trial_plan *plan = trial->memory->plan;
    struct lockstep lockstep = {
        .trial = trial,
        .experiment = &trial->experiment,
        .memory = trial->memory,
        .locks = memory_new(plan->locks, sizeof *lockstep.locks),
        .law = law,
    };
    for (uint32_t i = 0; i < plan->locks; i++) {
        lockstep.locks[i].number = i;
        law_lock_init(&lockstep.locks[i].law, plan->recipe, plan_clients_of(plan, i));
    }
    run_steps(&lockstep);
    free(lockstep.locks);
}
