// SPDX-License-Identifier: Apache-2.0
#include "load/internal.h"

#include <assert.h>
#include <stdio.h>
#include <sys/mman.h>

/* Printable, and of no period that a compressing file system could use. */
static void write_value(char *value, const struct load_plan *plan)
{
    struct random random;
    random_init(&random, plan->fleet.seed);
    for (uint32_t i = 0; i < plan->value_bytes; i++)
        value[i] = (char)('!' + random_below(&random, '~' - '!'));
}

static struct load_shared *lay_out(struct shared_layout *layout, const struct load_plan *plan)
{
    const struct fleet_plan *fleet = &plan->fleet;
    uint32_t znodes = load_plan_znodes(plan);
    const struct fan_out_shape watches = {fleet->sessions, fleet->processes, znodes,
                                          plan->znodes == 0};
    const struct outages_shape outages = {fleet->processes, plan->seconds, plan->fault_count};
    struct load_shared *load = shared_take(layout, sizeof *load);
    struct load_shared parts = {.plan = plan,
                                .measures_ns = UINT64_MAX,
                                .settles_ns = UINT64_MAX,
                                .contends_ns = UINT64_MAX,
                                .ends_ns = UINT64_MAX};
    parts.workers = shared_take(layout, fleet->processes * sizeof *parts.workers);
    parts.seconds =
        shared_take(layout, (size_t)fleet->processes * plan->seconds * sizeof *parts.seconds);
    parts.paths = shared_take(layout, (size_t)znodes * sizeof *parts.paths);
    parts.value = shared_take(layout, plan->value_bytes);
    if (plan->watch_percent > 0) {
        parts.fan_out = fan_out_lay_out(&watches, layout);
        parts.sent = shared_take(layout, (size_t)fleet->sessions * fleet_plan_depth(fleet) *
                                             sizeof *parts.sent);
    }
    if (plan->fault_count > 0)
        parts.outages = outages_lay_out(&outages, layout);
    if (load != NULL)
        *load = parts;
    return load;
}

enum error_kind load_shared_new(const struct load_plan *plan, struct load_shared **load,
                                struct error *error)
{
    assert(load_plan_depth(plan) > 0);
    struct shared_layout layout = {0};
    (void)lay_out(&layout, plan);
    enum error_kind kind = shared_layout_map(&layout, error);
    if (kind != ERROR_NONE)
        return kind;
    struct load_shared *made = lay_out(&layout, plan);
    made->size_bytes = layout.size_bytes;
    for (uint32_t i = 0; i < load_plan_znodes(plan); i++)
        snprintf(made->paths[i], LOAD_PATH_SIZE, "%s/z/%u", plan->root, i);
    write_value(made->value, plan);
    kind = shared_new(&plan->fleet, &made->shared, error);
    if (kind == ERROR_NONE)
        *load = made;
    else
        load_shared_free(made);
    return kind;
}

void load_shared_free(struct load_shared *load)
{
    if (load == NULL)
        return;
    shared_free(load->shared);
    munmap(load, load->size_bytes);
}

bool load_shared_is_measured(const struct load_shared *load, uint64_t time_ns)
{
    return time_ns >= atomic_load(&load->measures_ns) && time_ns < atomic_load(&load->settles_ns);
}

bool load_shared_is_contended(const struct load_shared *load, uint64_t time_ns)
{
    return time_ns >= atomic_load(&load->contends_ns) && time_ns < atomic_load(&load->ends_ns);
}

struct load_second *load_shared_second(const struct load_shared *load, uint32_t worker,
                                       uint64_t time_ns)
{
    if (load->plan->seconds == 0 || !load_shared_is_measured(load, time_ns))
        return NULL;
    uint64_t second = (time_ns - atomic_load(&load->measures_ns)) / NS_PER_S;
    return &load->seconds[(size_t)worker * load->plan->seconds + second];
}

/* The second of a worker, from 0. */
static const struct load_second *second_of(const struct load_shared *load, uint32_t worker,
                                           uint32_t second)
{
    return &load->seconds[(size_t)worker * load->plan->seconds + second];
}

struct load_second_sum load_shared_second_sum(const struct load_shared *load, uint32_t second)
{
    struct load_second_sum sum = {0};
    for (uint32_t worker = 0; worker < load->plan->fleet.processes; worker++) {
        const struct load_second *one = second_of(load, worker, second);
        uint64_t lag_ns = atomic_load(&one->lag_ns);
        sum.answered += atomic_load(&one->answered);
        sum.errors += atomic_load(&one->errors);
        sum.lag_ns = lag_ns > sum.lag_ns ? lag_ns : sum.lag_ns;
    }
    return sum;
}

void load_shared_add_times(const struct load_shared *load, uint32_t second, struct histogram *reads,
                           struct histogram *writes)
{
    for (uint32_t worker = 0; worker < load->plan->fleet.processes; worker++) {
        histogram_add(reads, &second_of(load, worker, second)->reads);
        histogram_add(writes, &second_of(load, worker, second)->writes);
    }
}

uint64_t load_shared_contended_replied(const struct load_shared *load)
{
    uint64_t sum = 0;
    for (uint32_t worker = 0; worker < load->plan->fleet.processes; worker++) {
        const struct load_contended *contended = &load->workers[worker].contended;
        sum += histogram_recorded(&contended->response) + atomic_load(&contended->failed);
    }
    return sum;
}

uint64_t load_shared_contended_over(const struct load_shared *load)
{
    uint64_t sum = 0;
    for (uint32_t worker = 0; worker < load->plan->fleet.processes; worker++) {
        const struct load_contended *contended = &load->workers[worker].contended;
        sum += atomic_load(&contended->over) + atomic_load(&contended->failed);
    }
    return sum;
}

static struct tally total_of(const struct load_shared *load)
{
    struct tally sum = {0};
    for (uint32_t worker = 0; worker < load->plan->fleet.processes; worker++) {
        for (int kind = 0; kind < TALLY_KINDS; kind++)
            sum.of[kind] += tally_read_shared(&load->workers[worker].total, (enum tally_kind)kind);
    }
    return sum;
}

uint64_t load_shared_sent(const struct load_shared *load)
{
    const struct tally total = total_of(load);
    return tally_rpcs(&total);
}

/* The replies are read first: none of them is to one that is not among the sent. */
uint64_t load_shared_outstanding(const struct load_shared *load)
{
    uint64_t replied = 0;
    for (uint32_t worker = 0; worker < load->plan->fleet.processes; worker++)
        replied += atomic_load(&load->workers[worker].replied);
    return load_shared_sent(load) - replied;
}

uint64_t load_shared_notifications(const struct load_shared *load)
{
    return total_of(load).of[TALLY_NOTIFICATION];
}

bool load_shared_is_foreseen(enum load_kind kind, enum zk_status status)
{
    return status == ZK_OK || (kind == LOAD_TRYLOCK && status == ZK_NODE_EXISTS);
}
