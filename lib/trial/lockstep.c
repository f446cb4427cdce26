// SPDX-License-Identifier: Apache-2.0
/*
 * Leads a trial one step at a time, and compares each step with the law. A step moves one session,
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

/* Without a law: how long nothing has moved when all is taken to be at rest. */
#define REST_NS (20 * NS_PER_MS)
/* How long nothing has moved when the servers are asked whether more is to come. */
#define QUIET_NS (2 * WATCHDOG_TURN_NS)

struct lockstep_lock {
    struct law_lock law;
    struct tally expected; /* what the law predicts for the present row */
    struct tally alone;    /* of these: what the holder sends to release; of an arrival: nothing */
    uint32_t releasing;    /* the holder */
    uint64_t before;       /* notifications that the law predicted for the row before */
};

struct lockstep {
    struct monitor *monitor;
    struct trial_memory *memory;
    struct lockstep_lock *locks;
    struct tally *law;    /* what the law predicts for all steps so far */
    uint64_t messages;    /* requests, notifications and steps, when last read */
    uint64_t messages_ns; /* when that number last changed */
};

static struct watchdog *watchdog_of(const struct lockstep *lockstep)
{
    return &lockstep->monitor->experiment->watchdog;
}

/* ------------------------------------------------------------------ at rest */

/* Whether the law applies: no session has died, and none has lost its connection. To be called
 * after the counts are read, because what a session receives after a loss is counted after the
 * loss. */
static bool is_lawful(const struct trial_memory *memory)
{
    return injection_none_yet(memory) && atomic_load(&memory->fleet->losses) == 0;
}

static bool is_anyone_busy(const struct trial_memory *memory)
{
    return atomic_load(&memory->fleet->busy) != 0;
}

/* Whether no session has been busy, and no message was counted, for this long. */
static bool is_quiet(struct lockstep *lockstep, uint64_t while_ns)
{
    struct trial_memory *memory = lockstep->memory;
    uint64_t messages = trial_memory_requests(memory) + shared_steps(memory->fleet) +
                        trial_memory_count(memory, TALLY_NOTIFICATION);
    uint64_t now_ns = monitor_now_ns(lockstep->monitor);
    if (messages != lockstep->messages || is_anyone_busy(memory)) {
        lockstep->messages = messages;
        lockstep->messages_ns = now_ns;
    }
    return now_ns - lockstep->messages_ns >= while_ns;
}

static bool are_holders_right(const struct lockstep *lockstep, uint32_t lock)
{
    return checker_holders(lockstep->memory, lock) == lockstep->locks[lock].law.view.holders;
}

/* Notifications in a row, and those that the law predicts for the present one. */
static uint64_t received_in(const struct lockstep *lockstep, uint32_t lock, uint64_t handoff)
{
    return tally_read_shared(&ledger_row(&lockstep->memory->ledger, lock, handoff)->tally,
                             TALLY_NOTIFICATION);
}

static uint64_t expected_of(const struct lockstep *lockstep, uint32_t lock)
{
    return lockstep->locks[lock].expected.of[TALLY_NOTIFICATION];
}

/*
 * Without a law the step is taken to be complete when it has been quiet for a while and the lock is
 * held as it should be: after a death by a living session, if any session waits; else by as many as
 * the recipe allows. A later notification arrives in the next step; no verdict depends on that.
 *
 * With a law the notifications are read first: a session that one of them wakes was busy before it
 * was counted.
 */
static bool is_at_rest(struct lockstep *lockstep, uint32_t lock)
{
    struct trial_memory *memory = lockstep->memory;
    if (!is_lawful(memory)) {
        bool is_held = injection_none_yet(memory) ? are_holders_right(lockstep, lock)
                                                  : handoff_holder(memory, lock) != 0 ||
                                                        handoff_waiting(memory, lock) == 0;
        return is_quiet(lockstep, REST_NS) && is_held;
    }
    uint64_t received = received_in(lockstep, lock, handoff_number(memory, lock));
    return received >= expected_of(lockstep, lock) && !is_anyone_busy(memory);
}

/* ------------------------------------------------------------------ what differs from the law */

static void violate(struct lockstep *lockstep, uint32_t lock, uint64_t handoff,
                    struct violation violation)
{
    violation.lock = lock;
    violation.handoff = handoff;
    trial_memory_violate(lockstep->memory, &violation);
}

static struct violation of_law(enum tally_kind kind, uint64_t expected, uint64_t found)
{
    return (struct violation){.kind = VIOLATION_LAW,
                              .tally = kind,
                              .expected = (int64_t)expected,
                              .found = (int64_t)found};
}

/* More notifications than the law predicts: the step cannot become right. While a session is busy,
 * though, it may be about to be granted beside a holder, and that violation is to be reported. */
static bool exceeds(struct lockstep *lockstep, uint32_t lock, uint64_t handoff, uint64_t expected)
{
    uint64_t found = received_in(lockstep, lock, handoff);
    if (found <= expected || is_anyone_busy(lockstep->memory) || !is_lawful(lockstep->memory))
        return false;
    violate(lockstep, lock, handoff, of_law(TALLY_NOTIFICATION, expected, found));
    return true;
}

/* In the row of the step under way, or late in the row before. The law knows the row's number:
 * until the release has been sent, the ledger's present row is the one before. */
static bool has_excess(struct lockstep *lockstep, uint32_t lock)
{
    uint64_t handoff = lockstep->locks[lock].law.view.releases;
    return exceeds(lockstep, lock, handoff, expected_of(lockstep, lock)) ||
           (handoff > 0 && exceeds(lockstep, lock, handoff - 1, lockstep->locks[lock].before));
}

/* The step is complete: the row and the number of holders must be the law's. */
static enum fleet_end check_step(struct lockstep *lockstep, uint32_t lock)
{
    struct trial_memory *memory = lockstep->memory;
    const struct tally *found = &handoff_row(memory, lock)->tally;
    const struct tally *expected = &lockstep->locks[lock].expected;
    if (atomic_load(&memory->violation_count) > 0)
        return END_VIOLATION;
    enum tally_kind kind = ledger_difference(found, expected);
    bool are_right = are_holders_right(lockstep, lock);
    if (!is_lawful(memory))
        return END_DONE;
    if (has_excess(lockstep, lock))
        return END_VIOLATION;
    if (kind == TALLY_KINDS && are_right)
        return END_DONE;
    violate(lockstep, lock, handoff_number(memory, lock),
            kind != TALLY_KINDS
                ? of_law(kind, expected->of[kind], found->of[kind])
                : (struct violation){.kind = VIOLATION_HOLDERS,
                                     .expected = (int64_t)lockstep->locks[lock].law.view.holders,
                                     .found = checker_holders(memory, lock)});
    return END_VIOLATION;
}

/* Too few notifications, and no session is busy: while one is, a server owes a reply, and more
 * notifications may come. */
static bool is_short(const struct lockstep *lockstep, uint32_t lock)
{
    const struct trial_memory *memory = lockstep->memory;
    return received_in(lockstep, lock, handoff_number(memory, lock)) <
               expected_of(lockstep, lock) &&
           !is_anyone_busy(memory) && is_lawful(memory);
}

/* Whether each server has carried out what any of them has, and all notifications that were sent
 * have been received. False if the servers' counters are unknown, a server does not answer, or
 * others use the servers. A server that stalls may owe a notification. */
static enum error_kind has_all_come(const struct lockstep *lockstep, bool *have_come)
{
    struct watchdog *watchdog = watchdog_of(lockstep);
    const struct server_counters_reading *at_gate = &lockstep->monitor->experiment->at_start;
    struct server_counters_reading reading = {.known = false};
    uint64_t mark = 0;
    bool reached = false;
    *have_come = false;
    if (!at_gate->known ||
        server_counters_is_shared(at_gate, lockstep->memory->plan->fleet.sessions))
        return ERROR_NONE;
    enum error_kind kind = under_way_follow(watchdog, &mark, &reached);
    if (kind == ERROR_NONE && reached)
        kind = server_counters_read(watchdog->counters, &reading, watchdog->error);
    *have_come = kind == ERROR_NONE && reading.known &&
                 reading.notifications - at_gate->notifications <=
                     trial_memory_count(lockstep->memory, TALLY_NOTIFICATION);
    return kind == ERROR_SERVER_DIED ? kind : ERROR_NONE;
}

static void violate_shortage(struct lockstep *lockstep, uint32_t lock, enum violation_kind kind)
{
    uint64_t handoff = handoff_number(lockstep->memory, lock);
    struct violation violation = of_law(TALLY_NOTIFICATION, expected_of(lockstep, lock),
                                        received_in(lockstep, lock, handoff));
    violation.kind = kind;
    violate(lockstep, lock, handoff, violation);
}

/* The lock is held as it should be, and all notifications have been received: the law predicts too
 * many. If nobody holds the lock, a wake-up was lost, which the deadline detects. */
static enum fleet_end check_shortage(struct lockstep *lockstep, uint32_t lock)
{
    bool have_come;
    if (!is_quiet(lockstep, QUIET_NS) || !are_holders_right(lockstep, lock))
        return END_DONE;
    enum error_kind kind = has_all_come(lockstep, &have_come);
    lockstep->messages_ns = monitor_now_ns(lockstep->monitor); /* when they are asked again */
    if (kind != ERROR_NONE || !have_come || !is_short(lockstep, lock))
        return fleet_end_of(kind);
    violate_shortage(lockstep, lock, VIOLATION_LAW);
    return END_VIOLATION;
}

/* A release that does not send what gives the lock up wakes nobody: that is the holder's doing, and
 * not that of those who wait. */
static bool has_unsent(struct lockstep *lockstep, uint32_t lock)
{
    const struct lockstep_lock *state = &lockstep->locks[lock];
    const struct tally *found = &handoff_row(lockstep->memory, lock)->tally;
    const struct trial_session_report *report = &lockstep->memory->sessions[state->releasing];
    enum tally_kind kind = 0;
    while (kind < TALLY_NOTIFICATION && found->of[kind] >= state->alone.of[kind])
        kind++;
    if (kind == TALLY_NOTIFICATION)
        return false;
    violate(lockstep, lock, handoff_number(lockstep->memory, lock),
            (struct violation){.kind = VIOLATION_UNSENT,
                               .tally = kind,
                               .session = state->releasing + 1,
                               .file = report->released_file,
                               .line = report->released_line,
                               .expected = (int64_t)state->alone.of[kind],
                               .found = (int64_t)found->of[kind]});
    return true;
}

/* At the deadline notifications that the law predicts may be missing. The end stays END_DEADLINE:
 * its reason names who waits for what. */
static void check_missing(struct lockstep *lockstep, uint32_t lock)
{
    if (is_short(lockstep, lock) && !has_unsent(lockstep, lock))
        violate_shortage(lockstep, lock,
                         are_holders_right(lockstep, lock) ? VIOLATION_LAW : VIOLATION_LOST_WAKEUP);
}

static enum fleet_end wait_once(const struct lockstep *lockstep)
{
    return watchdog_wait(watchdog_of(lockstep),
                         is_lawful(lockstep->memory) ? WATCHDOG_TURN_NS : REST_NS);
}

static enum fleet_end await_rest(struct lockstep *lockstep, uint32_t lock)
{
    enum fleet_end end = END_DONE;
    while (end == END_DONE && !is_at_rest(lockstep, lock)) {
        end = wait_once(lockstep);
        if (end == END_DONE && has_excess(lockstep, lock))
            end = END_VIOLATION;
        if (end == END_DONE && is_lawful(lockstep->memory))
            end = check_shortage(lockstep, lock);
    }
    if (end == END_DEADLINE)
        check_missing(lockstep, lock);
    return end == END_DONE ? check_step(lockstep, lock) : end;
}

/* ------------------------------------------------------------------ steps */

/* Waits until the plan's rate allows what has been sent since the gate. */
static enum fleet_end keep_rate(const struct lockstep *lockstep)
{
    struct monitor *monitor = lockstep->monitor;
    uint64_t rate = lockstep->memory->plan->max_rate, now_ns;
    enum fleet_end end = END_DONE;
    if (rate == 0)
        return end;
    double due_ns =
        (double)trial_memory_requests(lockstep->memory) / (double)rate * (double)NS_PER_S;
    uint64_t until_ns = monitor->experiment->started_ns + (uint64_t)due_ns;
    while (end == END_DONE && (now_ns = monitor_now_ns(monitor)) < until_ns) {
        uint64_t left_ns = until_ns - now_ns;
        monitor_rest(monitor);
        end = watchdog_wait(watchdog_of(lockstep),
                            left_ns < WATCHDOG_TURN_NS ? left_ns : WATCHDOG_TURN_NS);
        monitor_rest(monitor);
    }
    return end;
}

/* What the law predicts for the present row besides. */
static void expect(struct lockstep *lockstep, uint32_t lock, const struct tally *cost)
{
    tally_sum(&lockstep->locks[lock].expected, cost);
    tally_sum(lockstep->law, cost);
}

/* Orders a session to move, and waits until the step is complete. */
static enum fleet_end step(struct lockstep *lockstep, uint32_t lock, uint32_t session,
                           enum lock_session_order order)
{
    struct trial_memory *memory = lockstep->memory;
    enum fleet_end end = keep_rate(lockstep);
    if (end != END_DONE)
        return end;
    atomic_fetch_add(&memory->fleet->busy, 1);
    shared_tell(memory->fleet, session, (int)order);
    return await_rest(lockstep, lock);
}

static enum fleet_end step_arrive(struct lockstep *lockstep, uint32_t session)
{
    struct trial_memory *memory = lockstep->memory;
    uint32_t lock = plan_lock_of(memory->plan, session, memory->sessions[session].acquisitions);
    struct tally cost = {0};
    enum fleet_end end = END_DONE;
    /* A session that arrives may read before it writes, and its server may be behind. Without a law
     * nothing depends on that. */
    if (is_lawful(memory))
        end = under_way_catch_up(watchdog_of(lockstep));
    if (end != END_DONE)
        return end;
    if (injection_none_yet(memory))
        law_lock_arrival(&lockstep->locks[lock].law, &cost);
    lockstep->locks[lock].alone = (struct tally){0};
    expect(lockstep, lock, &cost);
    return step(lockstep, lock, session, LOCK_ORDER_ARRIVE);
}

/* If it is time for those who rest at a turn of the lock to go on, lets them; part of the step
 * before. */
static enum fleet_end step_turn(struct lockstep *lockstep, uint32_t lock)
{
    struct shared *fleet = lockstep->memory->fleet;
    struct tally cost = {0};
    uint64_t resting = law_lock_turn(&lockstep->locks[lock].law, &cost);
    if (resting == 0)
        return END_DONE;
    expect(lockstep, lock, &cost);
    atomic_fetch_add(&fleet->busy, (int64_t)resting);
    shared_tell_all(fleet, LOCK_ORDER_GO_ON + (int)lock);
    return await_rest(lockstep, lock);
}

/* Whether a living session holds the lock. */
static bool is_held(const struct trial_memory *memory, uint32_t lock)
{
    return handoff_holder(memory, lock) != 0 || atomic_load(&memory->locks[lock].sharers) != 0;
}

/* The session that is to release. Where sessions share the lock this is the first of them in line:
 * the law knows the line. Where all who wait take a turn together it is the winner of the turn. */
static uint32_t next_to_release(const struct lockstep *lockstep, uint32_t lock)
{
    struct trial_memory *memory = lockstep->memory;
    uint32_t alone = handoff_holder(memory, lock);
    if (alone != 0)
        return alone - 1;
    if (memory->plan->recipe->turn_law != NULL)
        return handoff_row(memory, lock)->holder - 1;
    return law_lock_first(&lockstep->locks[lock].law) * memory->plan->locks + lock;
}

/* The session releases: a new row. */
static enum fleet_end step_release(struct lockstep *lockstep, uint32_t lock, uint32_t session)
{
    struct lockstep_lock *state = &lockstep->locks[lock];
    struct tally cost = {0};
    state->alone = (struct tally){0};
    state->releasing = session;
    if (injection_none_yet(lockstep->memory)) {
        law_lock_release_alone(&state->law, &state->alone);
        law_lock_release(&state->law, &cost);
    }
    state->before = expected_of(lockstep, lock);
    state->expected = (struct tally){0};
    expect(lockstep, lock, &cost);
    enum fleet_end end = step(lockstep, lock, session, LOCK_ORDER_RELEASE);
    return end == END_DONE ? step_turn(lockstep, lock) : end;
}

/* One handoff of one lock: a holder releases, and queues again if more are to come. */
static enum fleet_end hand_on(struct lockstep *lockstep, uint32_t lock)
{
    struct trial_memory *memory = lockstep->memory;
    uint32_t session = next_to_release(lockstep, lock);
    enum fleet_end end = step_release(lockstep, lock, session);
    monitor_close_in_time(lockstep->monitor);
    if (end != END_DONE || atomic_load(&memory->fleet->sessions[session].dead) ||
        !handoff_admits(memory, lock, session))
        return end;
    end = step_arrive(lockstep, session);
    return end == END_DONE ? step_turn(lockstep, lock) : end;
}

/* ------------------------------------------------------------------ deaths */

/* A session that closes has ended when its znode does not exist any more; the notifications of that
 * have been sent then. Only a sequential znode belongs to one session for certain. */
static enum fleet_end await_exit(struct lockstep *lockstep, uint32_t session)
{
    struct experiment *experiment = lockstep->monitor->experiment;
    const char *node = lockstep->memory->sessions[session].node;
    int32_t sequence;
    bool exists = queue_sequence(node, &sequence);
    enum fleet_end end = END_DONE;
    while (exists && end == END_DONE) {
        end = fleet_end_of(
            setup_session_exists(experiment->setup, node, &exists, &experiment->error));
        if (end == END_DONE)
            end = exists ? wait_once(lockstep) : await_rest(lockstep, 0);
    }
    return end;
}

/* Orders the session to die that is due to, if there is one. */
static enum fleet_end let_die(struct lockstep *lockstep)
{
    uint32_t session;
    if (!injection_due(lockstep->memory, &session))
        return END_DONE;
    enum fleet_end end = step(lockstep, 0, session, LOCK_ORDER_DIE);
    if (end == END_DONE && plan_death(lockstep->memory->plan)->how == DEATH_EXIT)
        end = await_exit(lockstep, session);
    return end;
}

/* ------------------------------------------------------------------ the whole */

/* All arrive; then the locks are handed on in turn until nobody holds any. */
static enum fleet_end lead(struct lockstep *lockstep)
{
    const struct trial_plan *plan = lockstep->memory->plan;
    enum fleet_end end = END_DONE;
    for (uint32_t i = 0; end == END_DONE && i < plan->fleet.sessions; i++)
        end = step_arrive(lockstep, i);
    for (uint32_t lock = 0; end == END_DONE && lock < plan->locks; lock++)
        end = step_turn(lockstep, lock);
    for (bool any_held = true; end == END_DONE && any_held;) {
        any_held = false;
        for (uint32_t lock = 0; end == END_DONE && lock < plan->locks; lock++) {
            if (lock == 0)
                end = let_die(lockstep);
            if (end != END_DONE || !is_held(lockstep->memory, lock))
                continue;
            any_held = true;
            end = hand_on(lockstep, lock);
        }
    }
    return end == END_DONE ? keep_rate(lockstep) : end;
}

enum fleet_end lockstep_lead(struct monitor *monitor, struct tally *law)
{
    const struct trial_plan *plan = monitor->memory->plan;
    struct lockstep lockstep = {
        .monitor = monitor,
        .memory = monitor->memory,
        .locks = memory_new(plan->locks, sizeof *lockstep.locks),
        .law = law,
    };
    for (uint32_t lock = 0; lock < plan->locks; lock++)
        law_lock_init(&lockstep.locks[lock].law, plan->recipe, plan_clients_of(plan, lock));
    enum fleet_end end = lead(&lockstep);
    free(lockstep.locks);
    return end;
}
