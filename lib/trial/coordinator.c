// SPDX-License-Identifier: Apache-2.0
#include "trial/coordinator.h"

#include "fleet/gate.h"
#include "fleet/under_way.h"
#include "trial/injection.h"
#include "trial/lockstep.h"

struct coordinator {
    struct monitor monitor;
    struct lockstep lockstep; /* under lockstep; else nothing */
    const struct setup_session *setup;
    struct coordinator_result *result;
};

/* ------------------------------------------------------------------ free pace */

static enum fleet_end lead_free(struct coordinator *coordinator)
{
    struct monitor *monitor = &coordinator->monitor;
    struct trial_memory *memory = monitor->memory;
    enum fleet_end end = END_DONE;
    while (end == END_DONE &&
           atomic_load(&memory->fleet->finished) < memory->plan->fleet.sessions) {
        monitor_close_in_time(monitor);
        end = watchdog_wait(&monitor->watchdog, WATCHDOG_TURN_NS);
    }
    return end;
}

/* A session that has died does not receive the notifications that the servers send it. */
static enum fleet_end receive_all(struct coordinator *coordinator)
{
    struct monitor *monitor = &coordinator->monitor;
    return injection_none_yet(monitor->memory)
               ? under_way_receive(&monitor->watchdog, &coordinator->result->at_gate)
               : END_DONE;
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

/* From the opening of the gate until the last session has finished: what comes behind that, such as
 * questions to the servers, is no contention. */
static enum fleet_end contend(struct coordinator *coordinator)
{
    const struct trial_memory *memory = coordinator->monitor.memory;
    const struct trial_watch *watch = coordinator->monitor.watch;
    if (watch->opened != NULL)
        watch->opened(watch->context);
    shared_enter(memory->fleet, PHASE_RUN);
    enum fleet_end end = memory->plan->pace == PACE_LOCKSTEP ? lockstep_lead(&coordinator->lockstep)
                                                             : lead_free(coordinator);
    if (watch->ended != NULL)
        watch->ended(watch->context);
    return end;
}

static enum fleet_end lead(struct coordinator *coordinator)
{
    struct trial_memory *memory = coordinator->monitor.memory;
    enum fleet_end end = reach_gate(coordinator);
    if (end != END_DONE)
        return end;
    coordinator->result->gate_ns = loop_now_ns(coordinator->monitor.watchdog.loop);
    coordinator->result->setup_session_requests = setup_session_requests(coordinator->setup);
    monitor_open(&coordinator->monitor, coordinator->result->gate_ns);
    end = contend(coordinator);
    if (end == END_DONE && memory->plan->pace == PACE_FREE)
        end = receive_all(coordinator);
    return end == END_DONE && atomic_load(&memory->overflowed) ? END_OVERFLOW : end;
}

static enum error_kind prepare(struct coordinator *coordinator, struct setup_session *setup)
{
    struct monitor *monitor = &coordinator->monitor;
    enum error_kind kind = ERROR_NONE;
    if (monitor->memory->plan->pace == PACE_LOCKSTEP)
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
