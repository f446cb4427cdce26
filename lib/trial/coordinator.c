// SPDX-License-Identifier: Apache-2.0
#include "trial/coordinator.h"

#include "base/clock.h"
#include "fleet/gate.h"
#include "trial/injection.h"
#include "trial/lockstep.h"

/* How often the coordinator looks whether notifications have come, and for how long after the last
 * that came. */
#define UNDER_WAY_NS      NS_PER_MS
#define UNDER_WAY_MOST_NS (2 * NS_PER_S)

struct coordinator {
    struct monitor monitor;
    struct lockstep lockstep; /* under lockstep; else nothing */
    const struct setup_session *setup;
    struct coordinator_result *result;
};

/* ------------------------------------------------------------------ free pace */

/* Waits for notifications as long as any come. */
static enum error_kind await_notifications(const struct monitor *monitor, uint64_t sent)
{
    const struct watchdog *watchdog = &monitor->watchdog;
    uint64_t received = lock_board_count(monitor->board, TALLY_NOTIFICATION);
    uint64_t moved_ns = loop_now_ns(watchdog->loop);
    while (received < sent && loop_now_ns(watchdog->loop) - moved_ns < UNDER_WAY_MOST_NS) {
        uint64_t before = received;
        enum error_kind kind =
            workers_turn(watchdog->workers, watchdog->loop, UNDER_WAY_NS, watchdog->error);
        if (kind != ERROR_NONE)
            return kind;
        received = lock_board_count(monitor->board, TALLY_NOTIFICATION);
        if (received != before)
            moved_ns = loop_now_ns(watchdog->loop);
    }
    return ERROR_NONE;
}

/*
 * All requests have been answered, so all notifications have been sent, but the last may not have
 * arrived. The servers' counters say how many must arrive, if they are known, if nobody else uses
 * the servers, and if no session has died: a dead one receives nothing.
 */
static enum fleet_end receive_all(struct monitor *monitor,
                                  const struct server_counters_reading *at_gate)
{
    const struct watchdog *watchdog = &monitor->watchdog;
    struct server_counters_reading reading;
    if (!injection_none_yet(monitor->board) || !at_gate->known ||
        server_counters_is_shared(at_gate, monitor->board->plan->fleet.sessions))
        return END_DONE;
    enum fleet_end end = monitor_catch_up(monitor);
    if (end != END_DONE)
        return end;
    if (server_counters_read(watchdog->counters, &reading, watchdog->error) != ERROR_NONE)
        return END_ERROR;
    return fleet_end_of(
        await_notifications(monitor, reading.notifications - at_gate->notifications));
}

static enum fleet_end lead_free(struct coordinator *coordinator)
{
    struct monitor *monitor = &coordinator->monitor;
    struct lock_board *board = monitor->board;
    enum fleet_end end = END_DONE;
    while (end == END_DONE && atomic_load(&board->shared->finished) < board->plan->fleet.sessions) {
        monitor_close_in_time(monitor);
        end = watchdog_wait(&monitor->watchdog, WATCHDOG_TURN_NS);
    }
    return end == END_DONE ? receive_all(monitor, &coordinator->result->at_gate) : end;
}

/* ------------------------------------------------------------------ the whole */

static enum fleet_end reach_gate(struct coordinator *coordinator)
{
    struct watchdog *watchdog = &coordinator->monitor.watchdog;
    enum fleet_end end = gate_await_sessions(watchdog);
    if (end == END_DONE)
        end = fleet_end_of(gate_note_roles(watchdog));
    if (end == END_DONE)
        end = gate_read_counters(watchdog, &coordinator->result->at_gate);
    return end;
}

static enum fleet_end lead(struct coordinator *coordinator)
{
    struct lock_board *board = coordinator->monitor.board;
    enum fleet_end end = reach_gate(coordinator);
    if (end != END_DONE)
        return end;
    coordinator->result->gate_ns = loop_now_ns(coordinator->monitor.watchdog.loop);
    coordinator->result->setup_session_requests = setup_session_requests(coordinator->setup);
    monitor_open(&coordinator->monitor, coordinator->result->gate_ns);
    const struct trial_watch *watch = coordinator->monitor.watch;
    if (watch->opened != NULL)
        watch->opened(watch->context);
    shared_enter(board->shared, PHASE_RUN);
    end = board->plan->pace == PACE_LOCKSTEP ? lockstep_lead(&coordinator->lockstep)
                                             : lead_free(coordinator);
    if (watch->ended != NULL)
        watch->ended(watch->context);
    return end == END_DONE && atomic_load(&board->overflowed) ? END_OVERFLOW : end;
}

static enum error_kind prepare(struct coordinator *coordinator, struct setup_session *setup)
{
    struct monitor *monitor = &coordinator->monitor;
    enum error_kind kind = ERROR_NONE;
    if (monitor->board->plan->pace == PACE_LOCKSTEP)
        kind = lockstep_init(&coordinator->lockstep, monitor, setup, &coordinator->result->at_gate,
                             &coordinator->result->law);
    return kind == ERROR_NONE ? watchdog_start(&monitor->watchdog) : kind;
}

enum error_kind coordinator_lead(const struct workers *workers, struct setup_session *setup,
                                 struct server_counters *counters, const struct trial_watch *watch,
                                 struct coordinator_result *result, struct error *error)
{
    const struct loop *loop = setup_session_loop(setup);
    *result = (struct coordinator_result){0};
    struct coordinator coordinator = {.setup = setup, .result = result};
    struct monitor *monitor = &coordinator.monitor;
    monitor_init(monitor, workers, counters, loop, watch, error);
    enum fleet_end end = fleet_end_of(prepare(&coordinator, setup));
    if (end == END_DONE)
        end = lead(&coordinator);
    stall_end(&monitor->stall, loop_now_ns(loop), end == END_DEADLINE);
    result->stalls = monitor->stall.found;
    if (end != END_ERROR && gate_close(&monitor->watchdog) != ERROR_NONE)
        end = END_ERROR;
    watchdog_stop(&monitor->watchdog);
    lockstep_deinit(&coordinator.lockstep);
    result->end = end;
    return end == END_ERROR ? error->kind : ERROR_NONE;
}
