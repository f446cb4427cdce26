// SPDX-License-Identifier: Apache-2.0
#include "trial/seating.h"
#include "zk/simulated.h"

/* Events in a turn: so many that the conductor's looking around costs little beside them. */
#define TURN_EVENTS 4096

static void ring(void *seat)
{
    seat_alarm_rang(seat, 0); /* a simulation is never late */
}

static void set_alarm(void *simulated, uint64_t due_ns, struct seat *seat)
{
    simulated_at(simulated, due_ns, ring, seat);
}

static enum fault_kind set_up(struct worker *worker, struct seat_timer *timer, struct fault *fault)
{
    (void)fault;
    *timer = (struct seat_timer){set_alarm, worker->simulated};
    return FAULT_NONE;
}

static enum fault_kind open_session(struct worker *worker, struct seat *seat, const char *hosts,
                                    struct fault *fault)
{
    const struct trial_plan *plan = worker->board->plan;
    (void)hosts;
    const struct endpoint *place = &plan->servers->endpoints[seat->session % plan->servers->count];
    return simulated_open(worker->simulated, place->port - 1U, plan->session_timeout_ms,
                          &seat_listener, seat, &seat->contender.client, fault);
}

/* Whether the conductor may take its next step: until then nothing waits for it. */
static bool is_at_rest(const struct board *board)
{
    return board->plan->pace == PACE_LOCKSTEP && atomic_load(&board->busy) == 0;
}

static enum fault_kind live(struct worker *worker, uint64_t most_ns, struct fault *fault)
{
    struct simulated *simulated = worker->simulated;
    uint64_t until_ns = simulated_now_ns(simulated) + most_ns;
    (void)fault;
    worker_woken(worker);
    for (int i = 0; i < TURN_EVENTS && (i == 0 || !is_at_rest(worker->board)); i++) {
        if (simulated_next_ns(simulated) > until_ns) {
            simulated_advance(simulated, until_ns);
            break;
        }
        simulated_step(simulated);
    }
    return FAULT_NONE;
}

static bool tear_down(struct worker *worker, uint64_t until_ns)
{
    (void)worker;
    (void)until_ns;
    return true; /* the sessions end with the simulation */
}

const struct seating seating_in_simulation = {
    .set_up = set_up,
    .open = open_session,
    .tell = worker_carry_out,
    .wait = live,
    .tear_down = tear_down,
};
