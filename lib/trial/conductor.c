// SPDX-License-Identifier: Apache-2.0
#include "trial/conductor.h"

#include "base/clock.h"
#include "recipes/queue.h"
#include "trial/checker.h"
#include "trial/death.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>

#define TURN_NS          (100 * NS_PER_MS)
#define LAST_READINGS_NS (2 * NS_PER_S)
#define SETTLING_NS      (200 * NS_PER_MS)
/* After a death: how long nothing has moved when all is taken to be at rest. */
#define REST_NS (20 * NS_PER_MS)

struct conductor {
    struct board *board;
    const struct crew *crew;
    const struct oracle *oracle;
    const struct stage *stage;
    struct steward *steward;
    const struct trial_watch *watch;
    struct conductor_result *result;
    struct fault *fault;
    uint64_t steps;         /* on the board, when it was last looked at … */
    uint64_t moved_ns;      /* … and when they last moved on */
    uint64_t messages;      /* after a death: sent and received, when last looked at … */
    uint64_t messages_ns;   /* … and when one was last seen */
    uint64_t opened_ns;     /* the gate, on the host's clock, as the next two */
    uint64_t shown_ns;      /* progress */
    uint64_t checked_ns;    /* the server */
    uint64_t closes_ns;     /* steady by time: when no more arrivals are let in */
    struct law_lock *laws;  /* a lock each; lockstep */
    struct tally *expected; /* of the lock's present row */
};

/* ------------------------------------------------------------------ waiting */

static void show_progress(struct conductor *conductor)
{
    const struct trial_watch *watch = conductor->watch;
    uint64_t now_ns = clock_now_ns();
    if (watch->progress == NULL || now_ns - conductor->shown_ns < TURN_NS)
        return;
    conductor->shown_ns = now_ns;
    struct board *board = conductor->board;
    struct trial_progress progress = {
        .rpcs = atomic_load(&board->rpcs),
        .established = atomic_load(&board->established),
        .elapsed_ns = conductor->opened_ns == 0 ? 0 : now_ns - conductor->opened_ns,
    };
    for (uint32_t lock = 0; lock < board->plan->locks; lock++) {
        uint64_t due = plan_handoffs_of(board->plan, lock);
        progress.handoffs += atomic_load(&board->locks[lock].grants);
        progress.handoffs_due = due == UINT64_MAX ? due : progress.handoffs_due + due;
    }
    watch->progress(watch->context, &progress);
}

static bool is_interrupted(const struct trial_watch *watch)
{
    struct pollfd descriptor = {.fd = watch->interrupt_descriptor, .events = POLLIN};
    return watch->interrupt_descriptor >= 0 && poll(&descriptor, 1, 0) > 0;
}

static bool is_stuck(struct conductor *conductor)
{
    struct board *board = conductor->board;
    uint64_t steps = atomic_load(&board->steps);
    /* A step of lockstep sets off all the messages of a herd; in free pace messages alone are no
     * progress. */
    if (board->plan->pace == PACE_LOCKSTEP)
        steps += atomic_load(&board->rpcs);
    uint64_t now_ns = stage_now_ns(conductor->stage);
    if (steps != conductor->steps) {
        conductor->steps = steps;
        conductor->moved_ns = now_ns;
    }
    /* What a session that died has left behind may be waited for until the servers have ended it.
     */
    uint64_t expires_ns = atomic_load(&board->expires_ns);
    uint64_t since_ns = expires_ns > conductor->moved_ns ? expires_ns : conductor->moved_ns;
    return now_ns > since_ns && now_ns - since_ns > board->plan->timeout_ns;
}

/* A private server that ends while sessions connect, or a lock is held, shows in nothing else. */
static enum fault_kind check_server(struct conductor *conductor)
{
    uint64_t now_ns = clock_now_ns();
    if (now_ns - conductor->checked_ns < TURN_NS)
        return FAULT_NONE;
    conductor->checked_ns = now_ns;
    return oracle_check(conductor->oracle, conductor->fault);
}

static enum fault_kind let_time_pass(struct conductor *conductor, uint64_t most_ns)
{
    return crew_turn(conductor->crew, conductor->stage, most_ns, conductor->fault);
}

/* Waits once for something to happen. *goes_on turns false when the trial has come to its end too
 * early, with the reason in the result. */
static enum fault_kind wait_once(struct conductor *conductor, bool *goes_on)
{
    struct board *board = conductor->board;
    enum fault_kind kind = let_time_pass(conductor, death_spares_all(board) ? TURN_NS : REST_NS);
    if (kind == FAULT_NONE)
        kind = crew_check(conductor->crew, conductor->fault);
    if (kind == FAULT_NONE)
        kind = check_server(conductor);
    if (kind != FAULT_NONE)
        return kind;
    if (is_interrupted(conductor->watch))
        return fault_raise(conductor->fault, FAULT_INTERRUPTED, 0, "run", "%s", "");
    show_progress(conductor);
    *goes_on = false;
    if (board_violation_count(board) > 0)
        conductor->result->end = END_VIOLATION;
    else if (atomic_load(&board->lost) > 0)
        conductor->result->end = END_LOST;
    else if (is_stuck(conductor))
        conductor->result->end = END_DEADLINE;
    else
        *goes_on = true;
    return FAULT_NONE;
}

static void woken(void *context)
{
    board_woken(((struct board *)context)->conductor_descriptor);
}

/* ------------------------------------------------------------------ phases */

static void enter(struct board *board, enum board_phase phase)
{
    atomic_store(&board->phase, phase);
    for (uint32_t i = 0; i < board->plan->processes; i++)
        board_wake(board->workers[i].wake_descriptor);
}

static enum fault_kind await_sessions(struct conductor *conductor, bool *goes_on)
{
    struct board *board = conductor->board;
    while (*goes_on && atomic_load(&board->established) < board->plan->clients) {
        enum fault_kind kind = wait_once(conductor, goes_on);
        if (kind != FAULT_NONE)
            return kind;
    }
    if (!*goes_on && conductor->result->end == END_DEADLINE)
        return fault_raise(conductor->fault, FAULT_NO_ANSWER, 0, "sessions",
                           "%u of %u are established; the server may limit the connections of an "
                           "address (maxClientCnxns)",
                           atomic_load(&board->established), board->plan->clients);
    return FAULT_NONE;
}

/* What holds a worker up may be servers that have gone: then it is they who are to be named. */
static enum fault_kind raise_unread(struct conductor *conductor)
{
    struct board *board = conductor->board;
    struct oracle_reading reading;
    enum fault_kind kind = oracle_read(conductor->oracle, &reading, conductor->fault);
    if (kind != FAULT_NONE)
        return kind;
    return fault_raise(conductor->fault, FAULT_WORKER_HANGS, 0, "worker",
                       "%u of %u took their last readings, and the servers answer",
                       atomic_load(&board->workers_ready), board->plan->processes);
}

static enum fault_kind take_last_readings(struct conductor *conductor)
{
    struct board *board = conductor->board;
    uint64_t until_ns = stage_now_ns(conductor->stage) + LAST_READINGS_NS;
    enter(board, PHASE_MEASURED);
    while (atomic_load(&board->workers_ready) < board->plan->processes) {
        if (stage_now_ns(conductor->stage) >= until_ns)
            return raise_unread(conductor);
        enum fault_kind kind = let_time_pass(conductor, LAST_READINGS_NS);
        if (kind == FAULT_NONE)
            kind = crew_check(conductor->crew, conductor->fault);
        if (kind != FAULT_NONE)
            return kind;
    }
    return FAULT_NONE;
}

/* ------------------------------------------------------------------ lockstep */

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
static bool has_settled(struct conductor *conductor, uint32_t lock)
{
    struct board *board = conductor->board;
    uint64_t messages = atomic_load(&board->rpcs) + atomic_load(&board->steps) +
                        tally_read_shared(present_tally(board, lock), TALLY_NOTIFICATION);
    uint64_t now_ns = stage_now_ns(conductor->stage);
    if (messages != conductor->messages || atomic_load(&board->busy) != 0) {
        conductor->messages = messages;
        conductor->messages_ns = now_ns;
    }
    return now_ns - conductor->messages_ns >= REST_NS &&
           (death_holder(board, lock) != 0 || death_waiting(board, lock) == 0);
}

/* The notifications are read first: whoever one of them wakes was busy before it was counted. */
static bool is_at_rest(struct conductor *conductor, uint32_t lock)
{
    struct board *board = conductor->board;
    if (!death_spares_all(board))
        return has_settled(conductor, lock);
    uint64_t received = tally_read_shared(present_tally(board, lock), TALLY_NOTIFICATION);
    return received >= conductor->expected[lock].of[TALLY_NOTIFICATION] &&
           atomic_load(&board->busy) == 0;
}

static void violate(struct conductor *conductor, uint32_t lock, enum violation_kind kind,
                    enum tally_kind tally, uint64_t expected, uint64_t found)
{
    board_violate(conductor->board,
                  &(struct violation){.kind = kind,
                                      .lock = lock,
                                      .handoff = present_handoff(conductor->board, lock),
                                      .tally = tally,
                                      .expected = (int64_t)expected,
                                      .found = (int64_t)found});
}

/* Everything is at rest: the row must be what the law says, and as many hold as it says. */
static bool check_step(struct conductor *conductor, uint32_t lock)
{
    struct board *board = conductor->board;
    const struct tally *found = present_tally(board, lock);
    const struct tally *expected = &conductor->expected[lock];
    if (board_violation_count(board) > 0) {
        conductor->result->end = END_VIOLATION;
        return false;
    }
    if (!death_spares_all(board))
        return true;
    enum tally_kind kind = ledger_difference(found, expected);
    const struct law_view *view = &conductor->laws[lock].view;
    if (kind != TALLY_KINDS)
        violate(conductor, lock, VIOLATION_LAW, kind, expected->of[kind], found->of[kind]);
    else if (checker_holders(board, lock) != view->holders)
        violate(conductor, lock, VIOLATION_HOLDERS, 0, view->holders, checker_holders(board, lock));
    else
        return true;
    conductor->result->end = END_VIOLATION;
    return false;
}

/* The deadline came while notifications that the law foretells were missing. */
static void check_missing(struct conductor *conductor, uint32_t lock)
{
    uint64_t found = tally_read_shared(present_tally(conductor->board, lock), TALLY_NOTIFICATION);
    uint64_t expected = conductor->expected[lock].of[TALLY_NOTIFICATION];
    /* While somebody is busy, the server owes an answer, and nothing can be said of notifications.
     */
    if (conductor->result->end == END_DEADLINE && death_spares_all(conductor->board) &&
        found < expected && atomic_load(&conductor->board->busy) == 0)
        violate(conductor, lock, VIOLATION_LOST_WAKEUP, TALLY_NOTIFICATION, expected, found);
}

static enum fault_kind await_rest(struct conductor *conductor, uint32_t lock, bool *goes_on)
{
    while (*goes_on && !is_at_rest(conductor, lock)) {
        enum fault_kind kind = wait_once(conductor, goes_on);
        if (kind != FAULT_NONE)
            return kind;
    }
    if (*goes_on)
        *goes_on = check_step(conductor, lock);
    else
        check_missing(conductor, lock);
    return FAULT_NONE;
}

static void tell(struct board_worker *worker, enum board_command command, uint32_t subject)
{
    atomic_store(&worker->command, (uint64_t)command << 32 | subject);
    board_wake(worker->wake_descriptor);
}

/* Tells a session to move, and waits until everything is at rest again. */
static enum fault_kind step(struct conductor *conductor, uint32_t lock, uint32_t session,
                            enum board_command command, bool *goes_on)
{
    struct board *board = conductor->board;
    atomic_fetch_add(&board->busy, 1);
    tell(&board->workers[session % board->plan->processes], command, session);
    return await_rest(conductor, lock, goes_on);
}

static enum fault_kind step_arrive(struct conductor *conductor, uint32_t session, bool *goes_on)
{
    struct board *board = conductor->board;
    uint32_t lock = plan_lock_of(board->plan, session, board->sessions[session].acquisitions);
    struct tally cost = {0};
    if (death_spares_all(board))
        law_lock_arrival(&conductor->laws[lock], &cost);
    tally_sum(&conductor->expected[lock], &cost);
    tally_sum(&conductor->result->law, &cost);
    return step(conductor, lock, session, COMMAND_ARRIVE, goes_on);
}

static enum fault_kind step_release(struct conductor *conductor, uint32_t lock, uint32_t session,
                                    bool *goes_on)
{
    struct tally cost = {0};
    if (death_spares_all(conductor->board))
        law_lock_release(&conductor->laws[lock], &cost);
    conductor->expected[lock] = cost;
    tally_sum(&conductor->result->law, &cost);
    return step(conductor, lock, session, COMMAND_RELEASE, goes_on);
}

/* If it is time for those who rest at a turn of the lock to go on, lets them; part of the step
 * before. */
static enum fault_kind step_turn(struct conductor *conductor, uint32_t lock, bool *goes_on)
{
    struct board *board = conductor->board;
    struct tally cost = {0};
    uint64_t resting = law_lock_turn(&conductor->laws[lock], &cost);
    if (resting == 0)
        return FAULT_NONE;
    tally_sum(&conductor->expected[lock], &cost);
    tally_sum(&conductor->result->law, &cost);
    atomic_fetch_add(&board->busy, (int64_t)resting);
    for (uint32_t i = 0; i < board->plan->processes; i++)
        tell(&board->workers[i], COMMAND_TURN, lock);
    return await_rest(conductor, lock, goes_on);
}

/* Whether somebody who lives is there to release. */
static bool is_held(const struct board *board, uint32_t lock)
{
    return death_holder(board, lock) != 0 || atomic_load(&board->locks[lock].sharers) != 0;
}

/* Who is to release: who holds alone; of those who share the first in line, whose line the law
 * knows; or who has just won a turn. */
static uint32_t next_to_release(const struct conductor *conductor, uint32_t lock)
{
    struct board *board = conductor->board;
    uint32_t alone = death_holder(board, lock);
    if (alone != 0)
        return alone - 1;
    if (board->plan->recipe->turn_law != NULL)
        return ledger_row(&board->ledger, lock, present_handoff(board, lock))->holder - 1;
    return law_lock_first(&conductor->laws[lock]) * board->plan->locks + lock;
}

static bool lets_in(const struct conductor *conductor, uint32_t lock, uint32_t session)
{
    struct board *board = conductor->board;
    if (atomic_load(&board->sessions[session].dead))
        return false;
    if (plan_tours(board->plan))
        return board->sessions[session].acquisitions < plan_acquisitions(board->plan);
    if (stage_now_ns(conductor->stage) >= conductor->closes_ns)
        atomic_store(&board->closed, true);
    return !atomic_load(&board->closed) &&
           atomic_load(&board->locks[lock].admissions) < plan_handoffs_of(board->plan, lock);
}

/* One handoff of one lock: a holder releases, and queues again if more are to come. */
static enum fault_kind hand_on(struct conductor *conductor, uint32_t lock, bool *goes_on)
{
    uint32_t session = next_to_release(conductor, lock);
    enum fault_kind kind = step_release(conductor, lock, session, goes_on);
    if (kind == FAULT_NONE && *goes_on)
        kind = step_turn(conductor, lock, goes_on);
    if (kind == FAULT_NONE && *goes_on && lets_in(conductor, lock, session)) {
        atomic_fetch_add(&conductor->board->locks[lock].admissions, 1);
        kind = step_arrive(conductor, session, goes_on);
        if (kind == FAULT_NONE && *goes_on)
            kind = step_turn(conductor, lock, goes_on);
    }
    return kind;
}

/* A session that is closed in order has ended when its znode has gone: whoever is to be told of
 * that has been told then, or is about to be. Only a sequential znode is nobody else's. */
static enum fault_kind await_exit(struct conductor *conductor, uint32_t session, bool *goes_on)
{
    const char *node = conductor->board->sessions[session].node;
    int32_t sequence;
    bool exists = queue_sequence(node, &sequence);
    while (exists && *goes_on) {
        enum fault_kind kind = steward_exists(conductor->steward, node, &exists, conductor->fault);
        if (kind == FAULT_NONE && !exists)
            return await_rest(conductor, 0, goes_on);
        if (kind == FAULT_NONE)
            kind = wait_once(conductor, goes_on);
        if (kind != FAULT_NONE)
            return kind;
    }
    return FAULT_NONE;
}

/* Has the session die whose time has come, if there is one. */
static enum fault_kind let_die(struct conductor *conductor, bool *goes_on)
{
    uint32_t session;
    if (!death_takes(conductor->board, &session))
        return FAULT_NONE;
    enum fault_kind kind = step(conductor, 0, session, COMMAND_DIE, goes_on);
    if (kind == FAULT_NONE && death_planned(conductor->board)->how == DEATH_EXIT)
        kind = await_exit(conductor, session, goes_on);
    return kind;
}

static enum fault_kind lead_lockstep(struct conductor *conductor, bool *goes_on)
{
    const struct trial_plan *plan = conductor->board->plan;
    enum fault_kind kind = FAULT_NONE;
    for (uint32_t i = 0; kind == FAULT_NONE && *goes_on && i < plan->clients; i++)
        kind = step_arrive(conductor, i, goes_on);
    for (uint32_t lock = 0; kind == FAULT_NONE && *goes_on && lock < plan->locks; lock++)
        kind = step_turn(conductor, lock, goes_on);
    for (uint32_t held = plan->locks; kind == FAULT_NONE && *goes_on && held > 0;) {
        held = 0;
        for (uint32_t lock = 0; kind == FAULT_NONE && *goes_on && lock < plan->locks; lock++) {
            if (lock == 0)
                kind = let_die(conductor, goes_on);
            if (kind != FAULT_NONE || !*goes_on || !is_held(conductor->board, lock))
                continue;
            held++;
            kind = hand_on(conductor, lock, goes_on);
        }
    }
    return kind;
}

/* ------------------------------------------------------------------ free pace */

static enum fault_kind lead_free(struct conductor *conductor, bool *goes_on)
{
    struct board *board = conductor->board;
    while (*goes_on && atomic_load(&board->finished) < board->plan->clients) {
        if (stage_now_ns(conductor->stage) >= conductor->closes_ns)
            atomic_store(&board->closed, true);
        enum fault_kind kind = wait_once(conductor, goes_on);
        if (kind != FAULT_NONE)
            return kind;
    }
    return FAULT_NONE;
}

/* ------------------------------------------------------------------ the whole */

/* A connection that was closed a moment ago, by an earlier trial or an earlier question, still
 * counts: servers that nobody else uses come to rest soon. */
static enum fault_kind read_at_gate(struct conductor *conductor)
{
    struct oracle_reading *reading = &conductor->result->at_gate;
    uint64_t sessions = conductor->board->plan->clients + UINT64_C(1); /* the steward's */
    uint64_t until_ns = stage_now_ns(conductor->stage) + SETTLING_NS;
    for (;;) {
        enum fault_kind kind = oracle_read(conductor->oracle, reading, conductor->fault);
        if (kind != FAULT_NONE || !reading->told || reading->connections <= sessions ||
            stage_now_ns(conductor->stage) >= until_ns)
            return kind;
        kind = let_time_pass(conductor, SETTLING_NS / 20);
        if (kind != FAULT_NONE)
            return kind;
    }
}

static enum role role_of_server(const struct board *board, const char *server)
{
    const struct connect_string *servers = board->plan->servers;
    for (size_t i = 0; i < servers->count; i++) {
        char text[ENDPOINT_TEXT_SIZE];
        if (strcmp(endpoint_address(&servers->endpoints[i], text, sizeof text), server) == 0)
            return board->roles[i];
    }
    return ROLE_UNKNOWN;
}

/* Every session stands, and nothing moves: who is what now stays so while the connections do. */
static enum fault_kind note_roles(struct conductor *conductor)
{
    struct board *board = conductor->board;
    for (size_t i = 0; i < board->plan->servers->count; i++) {
        enum fault_kind kind =
            oracle_ask_role(conductor->oracle, &board->plan->servers->endpoints[i],
                            &board->roles[i], conductor->fault);
        if (kind != FAULT_NONE)
            return kind;
    }
    for (uint32_t i = 0; i < board->plan->clients; i++)
        board->sessions[i].role = role_of_server(board, board->sessions[i].server);
    return FAULT_NONE;
}

static enum fault_kind lead(struct conductor *conductor, bool *goes_on)
{
    struct board *board = conductor->board;
    const struct trial_plan *plan = board->plan;
    enum fault_kind kind = await_sessions(conductor, goes_on);
    if (kind != FAULT_NONE || !*goes_on)
        return kind;
    kind = note_roles(conductor);
    if (kind == FAULT_NONE)
        kind = read_at_gate(conductor);
    if (kind != FAULT_NONE)
        return kind;
    conductor->opened_ns = clock_now_ns();
    conductor->result->gate_ns = stage_now_ns(conductor->stage);
    conductor->moved_ns = conductor->result->gate_ns;
    conductor->closes_ns = UINT64_MAX;
    if (plan->workload == WORKLOAD_STEADY && plan->handoffs == 0)
        conductor->closes_ns = conductor->result->gate_ns + plan->duration_ns;
    enter(board, PHASE_RUN);
    return plan->pace == PACE_LOCKSTEP ? lead_lockstep(conductor, goes_on)
                                       : lead_free(conductor, goes_on);
}

static enum fault_kind prepare(struct conductor *conductor)
{
    struct board *board = conductor->board;
    uint32_t locks = board->plan->locks;
    conductor->laws = calloc(locks, sizeof *conductor->laws);
    conductor->expected = calloc(locks, sizeof *conductor->expected);
    if (conductor->laws == NULL || conductor->expected == NULL)
        return fault_raise(conductor->fault, FAULT_NO_MEMORY, 0, "trial", "%s", "");
    for (uint32_t lock = 0; board->plan->pace == PACE_LOCKSTEP && lock < locks; lock++)
        law_lock_init(&conductor->laws[lock], board->plan->recipe,
                      plan_clients_of(board->plan, lock));
    if (board->conductor_descriptor < 0)
        return FAULT_NONE; /* a simulation: the seats move in the conductor's own turns */
    return events_watch(conductor->stage->events, board->conductor_descriptor, woken, board,
                        conductor->fault);
}

enum fault_kind conductor_lead(const struct crew *crew, struct steward *steward,
                               const struct oracle *oracle, const struct trial_watch *watch,
                               struct conductor_result *result, struct fault *fault)
{
    struct board *board = crew->board;
    *result = (struct conductor_result){.end = END_DONE};
    struct conductor conductor = {
        .board = board,
        .crew = crew,
        .oracle = oracle,
        .stage = steward_stage(steward),
        .steward = steward,
        .watch = watch,
        .result = result,
        .fault = fault,
        .moved_ns = stage_now_ns(steward_stage(steward)),
    };
    bool goes_on = true;
    enum fault_kind kind = prepare(&conductor);
    if (kind == FAULT_NONE)
        kind = lead(&conductor, &goes_on);
    if (kind == FAULT_NONE && goes_on && atomic_load(&board->overflowed))
        result->end = END_OVERFLOW;
    if (kind == FAULT_NONE)
        kind = take_last_readings(&conductor);
    if (board->conductor_descriptor >= 0)
        events_unwatch(conductor.stage->events, board->conductor_descriptor);
    free(conductor.laws);
    free(conductor.expected);
    return kind;
}
