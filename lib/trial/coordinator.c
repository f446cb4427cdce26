// SPDX-License-Identifier: Apache-2.0
#include "trial/coordinator.h"

#include "base/clock.h"
#include "fleet/gate.h"
#include "trial/injection.h"
#include "trial/lockstep.h"

#define LAST_READINGS_NS (2 * NS_PER_S)
#define SETTLING_NS      (200 * NS_PER_MS)
/* The workers of the trial before have ended, and the system has closed their sockets: the servers
 * have yet to notice, of thousands at once and on a machine that may be busy. Only a stranger is
 * waited for so long. */
#define SETTLING_PRIVATE_NS (10 * NS_PER_S)
/* How often they are asked meanwhile. */
#define SETTLING_TURN_NS (10 * NS_PER_MS)
/* How often it is looked whether notifications have come. */
#define UNDER_WAY_NS NS_PER_MS

struct coordinator {
    struct watchdog watchdog;
    struct lockstep lockstep; /* under lockstep; else nothing */
    const struct setup_session *setup;
    struct coordinator_result *result;
};

/* ------------------------------------------------------------------ phases */

static enum trial_end await_sessions(struct watchdog *watchdog)
{
    struct lock_board *board = watchdog->board;
    enum trial_end end = END_DONE;
    while (end == END_DONE &&
           atomic_load(&board->shared->established) < board->plan->fleet.sessions)
        end = watchdog_wait(watchdog, WATCHDOG_TURN_NS);
    if (end != END_DEADLINE)
        return end;
    return trial_end_of(error_raise(watchdog->error, ERROR_NO_ANSWER, 0, "sessions",
                                    "%u of %u are established; the server may limit the "
                                    "connections of an address (maxClientCnxns)",
                                    atomic_load(&board->shared->established),
                                    board->plan->fleet.sessions));
}

/* What holds a worker up may be servers that have gone: then it is they who are to be named. */
static enum error_kind raise_unread(struct watchdog *watchdog)
{
    struct lock_board *board = watchdog->board;
    struct server_counters_reading reading;
    enum error_kind kind = server_counters_read(watchdog->counters, &reading, watchdog->error);
    if (kind != ERROR_NONE)
        return kind;
    return error_raise(watchdog->error, ERROR_WORKER_HANGS, 0, "worker",
                       "%u of %u took their last readings, and the servers answer",
                       atomic_load(&board->shared->workers_ready), board->plan->fleet.processes);
}

static enum error_kind take_last_readings(struct watchdog *watchdog)
{
    struct lock_board *board = watchdog->board;
    uint64_t until_ns = loop_now_ns(watchdog->loop) + LAST_READINGS_NS;
    shared_enter(board->shared, PHASE_MEASURED);
    while (atomic_load(&board->shared->workers_ready) < board->plan->fleet.processes) {
        if (loop_now_ns(watchdog->loop) >= until_ns)
            return raise_unread(watchdog);
        enum error_kind kind = watchdog_turn(watchdog, LAST_READINGS_NS);
        if (kind == ERROR_NONE)
            kind = workers_check(watchdog->workers, watchdog->error);
        if (kind != ERROR_NONE)
            return kind;
    }
    return ERROR_NONE;
}

/* ------------------------------------------------------------------ free pace */

/* Waits for notifications as long as any come. */
static enum error_kind await_notifications(const struct watchdog *watchdog, uint64_t sent)
{
    uint64_t received = lock_board_notifications(watchdog->board);
    uint64_t moved_ns = loop_now_ns(watchdog->loop);
    while (received < sent && loop_now_ns(watchdog->loop) - moved_ns < LAST_READINGS_NS) {
        uint64_t before = received;
        enum error_kind kind = watchdog_turn(watchdog, UNDER_WAY_NS);
        if (kind != ERROR_NONE)
            return kind;
        received = lock_board_notifications(watchdog->board);
        if (received != before)
            moved_ns = loop_now_ns(watchdog->loop);
    }
    return ERROR_NONE;
}

/*
 * All requests have been answered, and so all notifications sent, but the last of them may be under
 * way. How many there are to be the servers say, if they do, and if nobody else uses them. A
 * session that has died is told some that it does not hear.
 */
static enum trial_end receive_all(struct watchdog *watchdog,
                                  const struct server_counters_reading *at_gate)
{
    struct server_counters_reading reading;
    if (!injection_none_yet(watchdog->board) || !at_gate->known ||
        server_counters_is_shared(at_gate, watchdog->board->plan->fleet.sessions))
        return END_DONE;
    enum trial_end end = watchdog_catch_up(watchdog);
    if (end != END_DONE)
        return end;
    if (server_counters_read(watchdog->counters, &reading, watchdog->error) != ERROR_NONE)
        return END_ERROR;
    return trial_end_of(
        await_notifications(watchdog, reading.notifications - at_gate->notifications));
}

static enum trial_end lead_free(struct coordinator *coordinator)
{
    struct watchdog *watchdog = &coordinator->watchdog;
    struct lock_board *board = watchdog->board;
    enum trial_end end = END_DONE;
    while (end == END_DONE && atomic_load(&board->shared->finished) < board->plan->fleet.sessions) {
        watchdog_close_in_time(watchdog);
        end = watchdog_wait(watchdog, WATCHDOG_TURN_NS);
    }
    return end == END_DONE ? receive_all(watchdog, &coordinator->result->at_gate) : end;
}

/* ------------------------------------------------------------------ the whole */

/* A connection that was closed a moment ago, by an earlier trial or an earlier question, still
 * counts: servers that nobody else uses come to rest soon. Of private ones that is waited for,
 * since whoever is connected then is a stranger. */
static enum trial_end read_at_gate(struct coordinator *coordinator)
{
    struct watchdog *watchdog = &coordinator->watchdog;
    struct server_counters_reading *reading = &coordinator->result->at_gate;
    uint32_t clients = watchdog->board->plan->fleet.sessions;
    uint64_t settling_ns =
        server_counters_is_private(watchdog->counters) ? SETTLING_PRIVATE_NS : SETTLING_NS;
    uint64_t until_ns = loop_now_ns(watchdog->loop) + settling_ns;
    for (;;) {
        enum error_kind kind = server_counters_read(watchdog->counters, reading, watchdog->error);
        if (kind != ERROR_NONE || !reading->known || !server_counters_is_shared(reading, clients) ||
            loop_now_ns(watchdog->loop) >= until_ns)
            return trial_end_of(kind);
        watchdog->moved_ns =
            loop_now_ns(watchdog->loop); /* to wait as planned is not to be stuck */
        enum trial_end end = watchdog_wait(watchdog, SETTLING_TURN_NS);
        if (end != END_DONE)
            return end;
    }
}

static enum trial_end lead(struct coordinator *coordinator)
{
    struct lock_board *board = coordinator->watchdog.board;
    const struct trial_plan *plan = board->plan;
    enum trial_end end = await_sessions(&coordinator->watchdog);
    if (end == END_DONE)
        end = trial_end_of(gate_note_roles(board->shared, coordinator->watchdog.counters,
                                           coordinator->watchdog.error));
    if (end == END_DONE)
        end = read_at_gate(coordinator);
    if (end != END_DONE)
        return end;
    coordinator->watchdog.opened_ns = clock_now_ns();
    coordinator->result->gate_ns = loop_now_ns(coordinator->watchdog.loop);
    coordinator->result->setup_session_requests = setup_session_requests(coordinator->setup);
    coordinator->watchdog.moved_ns = coordinator->result->gate_ns;
    coordinator->watchdog.closes_ns = UINT64_MAX;
    if (plan->workload == WORKLOAD_STEADY && plan->handoffs == 0)
        coordinator->watchdog.closes_ns = coordinator->result->gate_ns + plan->duration_ns;
    if (plan->fleet.driver != DRIVER_SIMULATED)
        stall_begin(&coordinator->watchdog.stall, board, coordinator->result->gate_ns);
    shared_enter(board->shared, PHASE_RUN);
    end = plan->pace == PACE_LOCKSTEP ? lockstep_lead(&coordinator->lockstep)
                                      : lead_free(coordinator);
    return end == END_DONE && atomic_load(&board->overflowed) ? END_OVERFLOW : end;
}

static void woken(void *context)
{
    shared_woken(((struct shared *)context)->coordinator_descriptor);
}

static enum error_kind prepare(struct coordinator *coordinator, struct setup_session *setup)
{
    struct watchdog *watchdog = &coordinator->watchdog;
    struct lock_board *board = watchdog->board;
    enum error_kind kind = ERROR_NONE;
    if (board->plan->pace == PACE_LOCKSTEP)
        kind = lockstep_init(&coordinator->lockstep, watchdog, setup, &coordinator->result->at_gate,
                             &coordinator->result->law);
    /* In a simulation the lock sessions move in the coordinator's own turns. */
    if (kind == ERROR_NONE && board->shared->coordinator_descriptor >= 0)
        kind = event_loop_watch(watchdog->loop->event_loop, board->shared->coordinator_descriptor,
                                woken, board->shared, watchdog->error);
    return kind;
}

enum error_kind coordinator_lead(const struct workers *workers, struct setup_session *setup,
                                 struct server_counters *counters, const struct trial_watch *watch,
                                 struct coordinator_result *result, struct error *error)
{
    struct lock_board *board = workers->fleet.kind;
    const struct loop *loop = setup_session_loop(setup);
    *result = (struct coordinator_result){0};
    struct coordinator coordinator = {
        .watchdog = {.board = board,
                     .workers = workers,
                     .counters = counters,
                     .loop = loop,
                     .watch = watch,
                     .error = error,
                     .moved_ns = loop_now_ns(loop)},
        .setup = setup,
        .result = result,
    };
    enum trial_end end = trial_end_of(prepare(&coordinator, setup));
    if (end == END_DONE)
        end = lead(&coordinator);
    stall_end(&coordinator.watchdog.stall, loop_now_ns(loop), end == END_DEADLINE);
    result->stalls = coordinator.watchdog.stall.found;
    if (end != END_ERROR && take_last_readings(&coordinator.watchdog) != ERROR_NONE)
        end = END_ERROR;
    if (board->shared->coordinator_descriptor >= 0)
        event_loop_unwatch(loop->event_loop, board->shared->coordinator_descriptor);
    lockstep_deinit(&coordinator.lockstep);
    result->end = end;
    return end == END_ERROR ? error->kind : ERROR_NONE;
}
