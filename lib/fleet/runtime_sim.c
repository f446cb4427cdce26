// SPDX-License-Identifier: Apache-2.0
#include "fleet/runtime.h"
#include "sim/sim.h"

/* Events in a turn: the coordinator's own checks cost little beside so many. */
#define TURN_EVENTS 4096

static void ring(void *context)
{
    struct actor *actor = context;
    actor->ops->alarm(actor, 0); /* a simulation is never late */
}

static void set_alarm(void *sim, uint64_t due_ns, struct actor *actor)
{
    sim_at(sim, due_ns, ring, actor);
}

static enum error_kind set_up(struct worker *worker, struct actor_timer *timer, struct error *error)
{
    (void)error;
    *timer = (struct actor_timer){set_alarm, worker->sim};
    return ERROR_NONE;
}

static enum error_kind open_session(struct worker *worker, struct actor *actor, const char *hosts,
                                    struct error *error)
{
    const struct fleet_plan *plan = worker->shared->plan;
    (void)hosts;
    const struct endpoint *place = &plan->servers->endpoints[actor->session % plan->servers->count];
    return sim_open(worker->sim, place->port - 1U, plan->session_timeout_ms, fleet_plan_depth(plan),
                    worker->ops->listener, actor, &actor->client, error);
}

/* Whether the coordinator may take its next step. */
static bool is_at_rest(const struct shared *shared)
{
    return shared->in_steps && atomic_load(&shared->busy) == 0;
}

static enum error_kind live(struct worker *worker, uint64_t most_ns, struct error *error)
{
    struct sim *sim = worker->sim;
    uint64_t until_ns = sim_now_ns(sim) + most_ns;
    (void)error;
    worker_woken(worker);
    for (int i = 0; i < TURN_EVENTS && (i == 0 || !is_at_rest(worker->shared)); i++) {
        if (sim_next_ns(sim) > until_ns) {
            sim_advance(sim, until_ns);
            break;
        }
        sim_step(sim);
    }
    return ERROR_NONE;
}

static bool tear_down(struct worker *worker, uint64_t until_ns)
{
    (void)worker;
    (void)until_ns;
    return true; /* the sessions end with the simulation */
}

const struct runtime runtime_sim = {
    .set_up = set_up,
    .open = open_session,
    .tell = worker_carry_out,
    .wait = live,
    .tear_down = tear_down,
};
