// SPDX-License-Identifier: Apache-2.0
#include "bench/paper/table3_plan.h"

#include "base/random.h"

#include <stdlib.h>

static struct table3_trial trial_of(const struct paper_options *options, size_t topology,
                                    size_t clients, size_t barriers, uint32_t number)
{
    return (struct table3_trial){.topology = topology,
                                 .clients = (uint32_t)options->load.sessions.list[clients],
                                 .barriers = (uint32_t)options->barriers.list[barriers],
                                 .number = number};
}

static void add_rehearsals(struct table3_plan *plan, const struct paper_options *options)
{
    const struct load_options *load = &options->load;
    for (size_t topology = 0; load->rehearses && topology < load->target.topology_count; topology++)
        plan->list[plan->count++] =
            trial_of(options, topology, load->sessions.count - 1, options->barriers.count - 1, 0);
    plan->rehearsals = plan->count;
}

/* One trial of every cell. Returns how many. */
static size_t add_round(struct table3_trial *list, const struct paper_options *options,
                        uint32_t number)
{
    size_t count = 0;
    for (size_t topology = 0; topology < options->load.target.topology_count; topology++) {
        for (size_t n = 0; n < options->load.sessions.count; n++) {
            for (size_t b = 0; b < options->barriers.count; b++)
                list[count++] = trial_of(options, topology, n, b, number);
        }
    }
    return count;
}

enum error_kind table3_plan_init(struct table3_plan *plan, const struct paper_options *options,
                                 struct error *error)
{
    const struct load_options *load = &options->load;
    size_t round = load->target.topology_count * load->sessions.count * options->barriers.count;
    size_t most = load->target.topology_count + round * load->trials;
    struct random random;
    *plan = (struct table3_plan){.list = calloc(most, sizeof *plan->list)};
    if (plan->list == NULL)
        return error_raise(error, ERROR_NO_MEMORY, 0, "plan", "%zu trials", most);
    random_init(&random, load->seed);
    add_rehearsals(plan, options);
    for (uint32_t number = 1; number <= load->trials; number++) {
        struct table3_trial *first = plan->list + plan->count;
        plan->count += add_round(first, options, number);
        random_shuffle(&random, first, round, sizeof *first);
    }
    return ERROR_NONE;
}

void table3_plan_deinit(struct table3_plan *plan)
{
    free(plan->list);
    *plan = (struct table3_plan){0};
}

uint64_t table3_passages(const struct table3_trial *trial)
{
    return UINT64_C(2) * trial->clients * trial->barriers;
}

void table3_plan_learn(struct table3_plan *plan, const struct table3_trial *trial, uint64_t took_ns)
{
    plan->took_ns[trial->topology] += took_ns;
    plan->passages[trial->topology] += table3_passages(trial);
}

uint64_t table3_plan_left_ns(const struct table3_plan *plan, size_t from)
{
    double left_ns = 0;
    for (size_t i = from; i < plan->count; i++) {
        size_t topology = plan->list[i].topology;
        if (plan->passages[topology] == 0)
            return 0;
        left_ns += (double)plan->took_ns[topology] / (double)plan->passages[topology] *
                   (double)table3_passages(&plan->list[i]);
    }
    return (uint64_t)left_ns;
}
