// SPDX-License-Identifier: Apache-2.0
#include "trial/conductor.h"

#include "base/clock.h"
#include "trial/death.h"
#include "trial/lockstep.h"

#include <string.h>

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

struct conductor {
    struct vigil vigil;
    struct lockstep lockstep; /* under lockstep; else nothing */
    const struct steward *steward;
    struct conductor_result *result;
};

/* ------------------------------------------------------------------ phases */

static void enter(struct board *board, enum board_phase phase)
{
    atomic_store(&board->phase, phase);
    for (uint32_t i = 0; i < board->plan->processes; i++)
        board_wake(board->workers[i].wake_descriptor);
}

static enum fault_kind await_sessions(struct vigil *vigil, bool *goes_on)
{
    struct board *board = vigil->board;
    while (*goes_on && atomic_load(&board->established) < board->plan->clients) {
        enum fault_kind kind = vigil_wait(vigil, VIGIL_TURN_NS, goes_on);
        if (kind != FAULT_NONE)
            return kind;
    }
    if (!*goes_on && vigil->end == END_DEADLINE)
        return fault_raise(vigil->fault, FAULT_NO_ANSWER, 0, "sessions",
                           "%u of %u are established; the server may limit the connections of an "
                           "address (maxClientCnxns)",
                           atomic_load(&board->established), board->plan->clients);
    return FAULT_NONE;
}

/* What holds a worker up may be servers that have gone: then it is they who are to be named. */
static enum fault_kind raise_unread(struct vigil *vigil)
{
    struct board *board = vigil->board;
    struct oracle_reading reading;
    enum fault_kind kind = oracle_read(vigil->oracle, &reading, vigil->fault);
    if (kind != FAULT_NONE)
        return kind;
    return fault_raise(vigil->fault, FAULT_WORKER_HANGS, 0, "worker",
                       "%u of %u took their last readings, and the servers answer",
                       atomic_load(&board->workers_ready), board->plan->processes);
}

static enum fault_kind take_last_readings(struct vigil *vigil)
{
    struct board *board = vigil->board;
    uint64_t until_ns = stage_now_ns(vigil->stage) + LAST_READINGS_NS;
    enter(board, PHASE_MEASURED);
    while (atomic_load(&board->workers_ready) < board->plan->processes) {
        if (stage_now_ns(vigil->stage) >= until_ns)
            return raise_unread(vigil);
        enum fault_kind kind = vigil_turn(vigil, LAST_READINGS_NS);
        if (kind == FAULT_NONE)
            kind = crew_check(vigil->crew, vigil->fault);
        if (kind != FAULT_NONE)
            return kind;
    }
    return FAULT_NONE;
}

/* ------------------------------------------------------------------ free pace */

/* Waits for notifications as long as any come. */
static enum fault_kind await_notifications(const struct vigil *vigil, uint64_t sent)
{
    uint64_t received = board_notifications(vigil->board);
    uint64_t moved_ns = stage_now_ns(vigil->stage);
    while (received < sent && stage_now_ns(vigil->stage) - moved_ns < LAST_READINGS_NS) {
        uint64_t before = received;
        enum fault_kind kind = vigil_turn(vigil, UNDER_WAY_NS);
        if (kind != FAULT_NONE)
            return kind;
        received = board_notifications(vigil->board);
        if (received != before)
            moved_ns = stage_now_ns(vigil->stage);
    }
    return FAULT_NONE;
}

/*
 * All requests have been answered, and so all notifications sent, but the last of them may be under
 * way. How many there are to be the servers say, if they do, and if nobody else uses them. A
 * session that has died is told some that it does not hear.
 */
static enum fault_kind receive_all(struct vigil *vigil, const struct oracle_reading *at_gate,
                                   bool *goes_on)
{
    struct oracle_reading reading;
    if (!death_spares_all(vigil->board) || !at_gate->told ||
        oracle_is_shared(at_gate, vigil->board->plan->clients))
        return FAULT_NONE;
    enum fault_kind kind = vigil_catch_up(vigil, goes_on);
    if (kind != FAULT_NONE || !*goes_on)
        return kind;
    kind = oracle_read(vigil->oracle, &reading, vigil->fault);
    if (kind != FAULT_NONE)
        return kind;
    return await_notifications(vigil, reading.notifications - at_gate->notifications);
}

static enum fault_kind lead_free(struct conductor *conductor, bool *goes_on)
{
    struct vigil *vigil = &conductor->vigil;
    struct board *board = vigil->board;
    while (*goes_on && atomic_load(&board->finished) < board->plan->clients) {
        vigil_close_in_time(vigil);
        enum fault_kind kind = vigil_wait(vigil, VIGIL_TURN_NS, goes_on);
        if (kind != FAULT_NONE)
            return kind;
    }
    return *goes_on ? receive_all(vigil, &conductor->result->at_gate, goes_on) : FAULT_NONE;
}

/* ------------------------------------------------------------------ the whole */

/* A connection that was closed a moment ago, by an earlier trial or an earlier question, still
 * counts: servers that nobody else uses come to rest soon. Of private ones that is waited for,
 * since whoever is connected then is a stranger. */
static enum fault_kind read_at_gate(struct conductor *conductor, bool *goes_on)
{
    struct vigil *vigil = &conductor->vigil;
    struct oracle_reading *reading = &conductor->result->at_gate;
    uint32_t clients = vigil->board->plan->clients;
    uint64_t settling_ns = oracle_is_private(vigil->oracle) ? SETTLING_PRIVATE_NS : SETTLING_NS;
    uint64_t until_ns = stage_now_ns(vigil->stage) + settling_ns;
    for (;;) {
        enum fault_kind kind = oracle_read(vigil->oracle, reading, vigil->fault);
        if (kind != FAULT_NONE || !reading->told || !oracle_is_shared(reading, clients) ||
            stage_now_ns(vigil->stage) >= until_ns)
            return kind;
        vigil->moved_ns = stage_now_ns(vigil->stage); /* to wait as planned is not to be stuck */
        kind = vigil_wait(vigil, SETTLING_TURN_NS, goes_on);
        if (kind != FAULT_NONE || !*goes_on)
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
static enum fault_kind note_roles(struct vigil *vigil)
{
    struct board *board = vigil->board;
    for (size_t i = 0; i < board->plan->servers->count; i++) {
        enum fault_kind kind = oracle_ask_role(vigil->oracle, &board->plan->servers->endpoints[i],
                                               &board->roles[i], vigil->fault);
        if (kind != FAULT_NONE)
            return kind;
    }
    for (uint32_t i = 0; i < board->plan->clients; i++)
        board->sessions[i].role = role_of_server(board, board->sessions[i].server);
    return FAULT_NONE;
}

static enum fault_kind lead(struct conductor *conductor, bool *goes_on)
{
    struct board *board = conductor->vigil.board;
    const struct trial_plan *plan = board->plan;
    enum fault_kind kind = await_sessions(&conductor->vigil, goes_on);
    if (kind != FAULT_NONE || !*goes_on)
        return kind;
    kind = note_roles(&conductor->vigil);
    if (kind == FAULT_NONE)
        kind = read_at_gate(conductor, goes_on);
    if (kind != FAULT_NONE || !*goes_on)
        return kind;
    conductor->vigil.opened_ns = clock_now_ns();
    conductor->result->gate_ns = stage_now_ns(conductor->vigil.stage);
    conductor->result->steward_requests = steward_requests(conductor->steward);
    conductor->vigil.moved_ns = conductor->result->gate_ns;
    conductor->vigil.closes_ns = UINT64_MAX;
    if (plan->workload == WORKLOAD_STEADY && plan->handoffs == 0)
        conductor->vigil.closes_ns = conductor->result->gate_ns + plan->duration_ns;
    if (plan->driver != DRIVER_SIMULATED)
        stall_begin(&conductor->vigil.stall, board, conductor->result->gate_ns);
    enter(board, PHASE_RUN);
    return plan->pace == PACE_LOCKSTEP ? lockstep_lead(&conductor->lockstep, goes_on)
                                       : lead_free(conductor, goes_on);
}

static void woken(void *context)
{
    board_woken(((struct board *)context)->conductor_descriptor);
}

static enum fault_kind prepare(struct conductor *conductor, struct steward *steward)
{
    struct vigil *vigil = &conductor->vigil;
    struct board *board = vigil->board;
    enum fault_kind kind = FAULT_NONE;
    if (board->plan->pace == PACE_LOCKSTEP)
        kind = lockstep_init(&conductor->lockstep, vigil, steward, &conductor->result->at_gate,
                             &conductor->result->law);
    /* In a simulation the seats move in the conductor's own turns. */
    if (kind == FAULT_NONE && board->conductor_descriptor >= 0)
        kind = events_watch(vigil->stage->events, board->conductor_descriptor, woken, board,
                            vigil->fault);
    return kind;
}

enum fault_kind conductor_lead(const struct crew *crew, struct steward *steward,
                               struct oracle *oracle, const struct trial_watch *watch,
                               struct conductor_result *result, struct fault *fault)
{
    struct board *board = crew->board;
    const struct stage *stage = steward_stage(steward);
    *result = (struct conductor_result){.end = END_DONE};
    struct conductor conductor = {
        .vigil = {.board = board,
                  .crew = crew,
                  .oracle = oracle,
                  .stage = stage,
                  .watch = watch,
                  .fault = fault,
                  .end = END_DONE,
                  .moved_ns = stage_now_ns(stage)},
        .steward = steward,
        .result = result,
    };
    bool goes_on = true;
    enum fault_kind kind = prepare(&conductor, steward);
    if (kind == FAULT_NONE)
        kind = lead(&conductor, &goes_on);
    if (kind == FAULT_NONE && goes_on && atomic_load(&board->overflowed))
        conductor.vigil.end = END_OVERFLOW;
    stall_end(&conductor.vigil.stall, stage_now_ns(stage), conductor.vigil.end == END_DEADLINE);
    result->stalls = conductor.vigil.stall.found;
    if (kind == FAULT_NONE)
        kind = take_last_readings(&conductor.vigil);
    if (board->conductor_descriptor >= 0)
        events_unwatch(stage->events, board->conductor_descriptor);
    lockstep_deinit(&conductor.lockstep);
    result->end = conductor.vigil.end;
    return kind;
}
