// SPDX-License-Identifier: Apache-2.0
#include "bench/run/internal.h"

#include "base/clock.h"
#include "base/memory.h"
#include "base/text.h"
#include "bench/target/resources.h"

#include <stdlib.h>

/* The discarded cell: a JVM that has just started is slow, and the first trials would pay for it.
 */
#define WARM_UP_CLIENTS 64

struct trial_plan cell_plan(const struct options *options, const struct recipe *recipe,
                            uint64_t clients)
{
    const struct run_plan *plan = &options->plan;
    return (struct trial_plan){
        .recipe = recipe,
        .workload = plan->workload,
        .pace = plan->pace,
        .hold = plan->hold,
        .locks = plan->locks,
        .handoffs = options_handoffs(options, clients),
        .duration_ns = plan->duration_ns,
        .max_rate = plan->max_rate,
        .traced = plan->traced.list,
        .traced_count = plan->traced.count,
        .tolerates_brief_stalls = options->target.noise.mode == NOISE_OFF,
        .fleet = {.driver = options->target.driver,
                  .sessions = (uint32_t)clients,
                  .processes = plan->processes,
                  .timeout_ns = plan->timeout_ns,
                  .session_timeout_ms = (uint32_t)(plan->session_timeout_ns / NS_PER_MS)},
    };
}

/* A session is opened and closed, and arrives and releases in steps, in the time of so many
 * requests. */
#define REQUESTS_OF_SESSION 40

static struct cell cell_of(const struct options *options, size_t recipe, uint64_t clients,
                           size_t topology, const struct trial_plan *plan)
{
    double requests = (double)resources_traffic_of(plan).rpcs,
           of_session = plan->fleet.driver == DRIVER_SIMULATED ? 0 : REQUESTS_OF_SESSION;
    return (struct cell){.recipe = options->plan.recipes[recipe],
                         .clients = (uint32_t)clients,
                         .place = {.topology = topology,
                                   .cost = requests + of_session * (double)clients,
                                   .requests = requests,
                                   .alike = topology * options->plan.recipe_count + recipe}};
}

struct cell cells_warm_up(const struct options *options, size_t recipe, size_t topology,
                          struct trial_plan *plan)
{
    const struct levels *levels = &options->plan.clients;
    uint64_t clients = levels->list[levels->count - 1], most = options->plan.most_clients[recipe];
    clients = clients > most ? most : clients;
    clients = clients > WARM_UP_CLIENTS ? WARM_UP_CLIENTS : clients;
    *plan = cell_plan(options, options->plan.recipes[recipe], clients);
    plan->workload = WORKLOAD_DRAIN;
    plan->hold.mean_ns = 0;
    plan->locks = plan->fleet.processes = 1;
    plan->traced_count = 0;
    return cell_of(options, recipe, clients, topology, plan);
}

struct cell *cells_new(const struct options *options, struct rounds *rounds)
{
    const struct run_plan *plan = &options->plan;
    size_t recipes = plan->recipe_count, levels = plan->clients.count, count = 0;
    uint64_t alone_ns = BACKGROUND_WARM_UP_NS + BACKGROUND_ALONE_S * NS_PER_S;
    rounds_init(rounds, options->target.topology_count * recipes * levels);
    struct cell *cells = memory_new(rounds->cell_count, sizeof *cells);
    for (size_t i = 0; i < rounds->cell_count; i++) {
        size_t recipe = i / levels % recipes, topology = i / levels / recipes;
        uint64_t clients = plan->clients.list[i % levels];
        if (clients > plan->most_clients[recipe])
            continue;
        const struct trial_plan trial = cell_plan(options, plan->recipes[recipe], clients);
        cells[count] = cell_of(options, recipe, clients, topology, &trial);
        rounds->cells[count] = cells[count].place;
        count++;
    }
    rounds->cell_count = count;
    if (plan->duration_ns != 0)
        rounds->trial_ns = plan->duration_ns + (plan->background.given ? alone_ns : 0);
    rounds_lay_out(rounds, plan->trials, plan->seed);
    return cells;
}

/* ------------------------------------------------------------------ what is said of them */

/* The requests are exact under lockstep, a guess in free pace, and unknown with --duration.
 * --max-rate does not limit those of --background. */
char *cells_describe_demand(const struct options *options, const struct rounds *rounds)
{
    const struct run_plan *plan = &options->plan;
    uint64_t rpcs = 0;
    struct growing_text what = {0};
    for (size_t i = 0; i < rounds->trial_count; i++)
        rpcs += (uint64_t)rounds->cells[rounds->trials[i].cell].requests;
    for (size_t i = 0; i < plan->recipe_count; i++) {
        struct trial_plan drain;
        rpcs += (uint64_t)cells_warm_up(options, i, 0, &drain).place.requests;
    }
    growing_text_add(&what, "warm-ups %zu, trials %zu", plan->recipe_count, rounds->trial_count);
    if (plan->duration_ns != 0)
        growing_text_add(&what, ", seconds of each %.1f", (double)plan->duration_ns / 1e9);
    else
        growing_text_add(&what, ", requests %s%s", plan->pace == PACE_FREE ? "about " : "",
                         RUN_COUNT(rpcs));
    if (plan->max_rate != 0)
        growing_text_add(&what, ", requests a second %s", RUN_COUNT(plan->max_rate));
    if (plan->background.given)
        growing_text_add(&what, "; of --background: sessions %d, requests a second %s",
                         BACKGROUND_SESSIONS, RUN_COUNT(plan->background.rate_per_s));
    return what.text;
}
