// SPDX-License-Identifier: Apache-2.0
#include "bench/run/internal.h"

#include "base/clock.h"
#include "base/random.h"
#include "bench/background/background.h"
#include "bench/target/resources.h"
#include "recipes/law.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* The discarded cell: a JVM that has just started is slow, and the first trials would pay for it.
 */
#define WARM_UP_CLIENTS 64

/* What a cell's trial costs. */
static void weigh(const struct options *options, struct cell *cell)
{
    const struct recipe *recipe = cell->recipe;
    uint64_t clients = cell->clients;
    struct trial_plan plan = {
        .recipe = recipe,
        .workload = options->plan.workload,
        .fleet.sessions = (uint32_t)clients,
        .locks = options->plan.locks,
        .handoffs = options_handoffs(options, clients),
    };
    const struct resources_traffic traffic =
        resources_traffic_of(&plan, strlen(options->target.servers.chroot));
    cell->rpcs = traffic.rpcs;
    cell->bytes = traffic.bytes;
}

static size_t add_round(struct cell *list, const struct options *options, uint32_t trial)
{
    size_t count = 0;
    for (size_t topology = 0; topology < options->target.topology_count; topology++) {
        for (size_t r = 0; r < options->plan.recipe_count; r++) {
            for (size_t i = 0; i < options->plan.clients.count; i++) {
                const struct recipe *recipe = options->plan.recipes[r];
                uint64_t clients = options->plan.clients.list[i];
                if (clients > options->plan.most_clients[r])
                    continue;
                list[count] = (struct cell){.recipe = recipe,
                                            .clients = (uint32_t)clients,
                                            .trial = trial,
                                            .topology = topology};
                weigh(options, &list[count++]);
            }
        }
    }
    return count;
}

/* 0: the requests decide how long a trial takes. */
static uint64_t trial_ns(const struct options *options)
{
    uint64_t alone_ns = BACKGROUND_WARM_UP_NS + BACKGROUND_ALONE_S * NS_PER_S;
    if (options->plan.duration_ns == 0)
        return 0;
    return options->plan.duration_ns + (options->plan.background.given ? alone_ns : 0);
}

enum error_kind cells_init(struct cells *cells, const struct options *options, struct error *error)
{
    struct random random;
    size_t per_round =
        options->target.topology_count * options->plan.recipe_count * options->plan.clients.count;
    assert(per_round > 0 && options->plan.trials > 0);
    *cells = (struct cells){.list = calloc(per_round * options->plan.trials, sizeof *cells->list),
                            .trial_ns = trial_ns(options)};
    if (cells->list == NULL)
        return error_raise(error, ERROR_NO_MEMORY, 0, "plan", "%s", "");
    random_init(&random, options->plan.seed);
    for (uint32_t trial = 1; trial <= options->plan.trials; trial++) {
        struct cell *round = cells->list + cells->count;
        size_t count = add_round(round, options, trial);
        random_shuffle(&random, round, count, sizeof *round);
        cells->count += count;
    }
    return ERROR_NONE;
}

void cells_deinit(struct cells *cells)
{
    free(cells->list);
    *cells = (struct cells){0};
}

struct cell cells_warm_up(const struct options *options, size_t recipe, size_t topology)
{
    struct options small = *options;
    uint64_t clients = options->plan.clients.list[options->plan.clients.count - 1];
    if (clients > options->plan.most_clients[recipe])
        clients = options->plan.most_clients[recipe];
    if (clients > WARM_UP_CLIENTS)
        clients = WARM_UP_CLIENTS;
    struct cell cell = {.recipe = options->plan.recipes[recipe],
                        .clients = (uint32_t)clients,
                        .topology = topology};
    small.plan.workload = WORKLOAD_DRAIN;
    small.plan.locks = 1;
    weigh(&small, &cell);
    return cell;
}

uint64_t cells_bytes(const struct cells *cells)
{
    uint64_t bytes = 0;
    for (size_t i = 0; i < cells->count; i++)
        bytes += cells->list[i].bytes;
    return bytes;
}

uint64_t cells_rpcs(const struct cells *cells, size_t from)
{
    uint64_t rpcs = 0;
    for (size_t i = from; i < cells->count; i++)
        rpcs += cells->list[i].rpcs;
    return rpcs;
}

static size_t find_experience(const struct cells *cells, const struct cell *cell)
{
    size_t i = 0;
    while (i < cells->experience_count && (cells->experience[i].recipe != cell->recipe ||
                                           cells->experience[i].topology != cell->topology))
        i++;
    return i;
}

uint64_t cells_time_left_ns(const struct cells *cells, size_t from)
{
    double left_ns = 0;
    if (cells->trial_ns != 0)
        return cells->trial_ns * (cells->count - from);
    for (size_t i = from; i < cells->count; i++) {
        size_t at = find_experience(cells, &cells->list[i]);
        const struct experience *known = &cells->experience[at];
        if (at < cells->experience_count)
            left_ns += (double)known->took_ns / (double)known->rpcs * (double)cells->list[i].rpcs;
    }
    return (uint64_t)left_ns;
}

void cells_learn(struct cells *cells, const struct cell *cell, uint64_t rpcs, uint64_t took_ns)
{
    size_t at = find_experience(cells, cell);
    if (rpcs == 0 || at == CELLS_EXPERIENCE_MAX)
        return;
    if (at == cells->experience_count)
        cells->experience[cells->experience_count++] =
            (struct experience){.recipe = cell->recipe, .topology = cell->topology};
    cells->experience[at].rpcs += rpcs;
    cells->experience[at].took_ns += took_ns;
}
