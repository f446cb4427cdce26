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

static void write_paths(const struct load_shared *load)
{
    for (uint32_t i = 0; i < load_plan_znodes(load->plan); i++)
        snprintf(load->paths[i], LOAD_PATH_SIZE, "%s/z/%u", load->plan->root, i);
}

static struct fan_out_shape shape_of(const struct load_plan *plan)
{
    return (struct fan_out_shape){.sessions = plan->fleet.sessions,
                                  .workers = plan->fleet.processes,
                                  .znodes = load_plan_znodes(plan),
                                  .own = plan->znodes == 0};
}

static size_t sent_bytes(const struct load_plan *plan)
{
    return (size_t)plan->fleet.sessions * fleet_plan_depth(&plan->fleet) * sizeof(struct load_sent);
}

/* What only a load needs that leaves watches. */
static size_t watch_bytes(const struct load_plan *plan)
{
    const struct fan_out_shape shape = shape_of(plan);
    return plan->watch_percent == 0
               ? 0
               : shared_round_up(fan_out_size_bytes(&shape)) + shared_round_up(sent_bytes(plan));
}

static void cut_watches(struct load_shared *load, char **at)
{
    const struct fan_out_shape shape = shape_of(load->plan);
    if (load->plan->watch_percent == 0)
        return;
    load->fan_out = fan_out_lay_out(&shape, shared_cut(at, fan_out_size_bytes(&shape)));
    load->sent = shared_cut(at, sent_bytes(load->plan));
}

static struct outages_shape outages_of(const struct load_plan *plan)
{
    return (struct outages_shape){
        .workers = plan->fleet.processes, .seconds = plan->seconds, .faults = plan->fault_count};
}

/* What only a load needs that has faults. */
static size_t outages_bytes(const struct load_plan *plan)
{
    const struct outages_shape shape = outages_of(plan);
    return plan->fault_count == 0 ? 0 : shared_round_up(outages_size_bytes(&shape));
}

static void cut_outages(struct load_shared *load, char **at)
{
    const struct outages_shape shape = outages_of(load->plan);
    if (load->plan->fault_count > 0)
        load->outages = outages_lay_out(&shape, shared_cut(at, outages_size_bytes(&shape)));
}

enum error_kind load_shared_new(const struct load_plan *plan, struct load_shared **load,
                                struct error *error)
{
    assert(load_plan_depth(plan) > 0);
    size_t workers_bytes = plan->fleet.processes * sizeof(struct load_worker);
    size_t seconds_bytes =
        (size_t)plan->fleet.processes * plan->seconds * sizeof(struct load_second);
    size_t paths_bytes = (size_t)load_plan_znodes(plan) * LOAD_PATH_SIZE;
    size_t size_bytes = shared_round_up(sizeof **load) + shared_round_up(workers_bytes) +
                        shared_round_up(seconds_bytes) + shared_round_up(paths_bytes) +
                        shared_round_up(plan->value_bytes) + watch_bytes(plan) +
                        outages_bytes(plan);
    void *memory = NULL;
    enum error_kind kind = shared_map(size_bytes, &memory, error);
    if (kind != ERROR_NONE)
        return kind;
    char *at = memory;
    struct load_shared *made = shared_cut(&at, sizeof *made);
    made->plan = plan;
    made->size_bytes = size_bytes;
    made->workers = shared_cut(&at, workers_bytes);
    made->seconds = shared_cut(&at, seconds_bytes);
    made->paths = shared_cut(&at, paths_bytes);
    made->value = shared_cut(&at, plan->value_bytes);
    cut_watches(made, &at);
    cut_outages(made, &at);
    atomic_store(&made->measures_ns, UINT64_MAX);
    atomic_store(&made->settles_ns, UINT64_MAX);
    atomic_store(&made->contends_ns, UINT64_MAX);
    atomic_store(&made->ends_ns, UINT64_MAX);
    write_paths(made);
    write_value(made->value, plan);
    kind = shared_new(&plan->fleet, &made->shared, error);
    if (kind != ERROR_NONE) {
        load_shared_free(made);
        return kind;
    }
    *load = made;
    return ERROR_NONE;
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

uint64_t load_shared_answered(const struct load_shared *load, uint32_t second)
{
    uint64_t sum = 0;
    for (uint32_t worker = 0; worker < load->plan->fleet.processes; worker++)
        sum += atomic_load(&second_of(load, worker, second)->answered);
    return sum;
}

uint64_t load_shared_errors(const struct load_shared *load, uint32_t second)
{
    uint64_t sum = 0;
    for (uint32_t worker = 0; worker < load->plan->fleet.processes; worker++)
        sum += atomic_load(&second_of(load, worker, second)->errors);
    return sum;
}

uint64_t load_shared_lag_ns(const struct load_shared *load, uint32_t second)
{
    uint64_t most_ns = 0;
    for (uint32_t worker = 0; worker < load->plan->fleet.processes; worker++) {
        uint64_t lag_ns = atomic_load(&second_of(load, worker, second)->lag_ns);
        most_ns = lag_ns > most_ns ? lag_ns : most_ns;
    }
    return most_ns;
}

void load_shared_add_reads(const struct load_shared *load, uint32_t second,
                           struct histogram *response)
{
    for (uint32_t worker = 0; worker < load->plan->fleet.processes; worker++)
        histogram_add(response, &second_of(load, worker, second)->reads);
}

void load_shared_add_writes(const struct load_shared *load, uint32_t second,
                            struct histogram *response)
{
    for (uint32_t worker = 0; worker < load->plan->fleet.processes; worker++)
        histogram_add(response, &second_of(load, worker, second)->writes);
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

uint64_t load_shared_sent(const struct load_shared *load)
{
    struct tally sum = {0};
    for (uint32_t worker = 0; worker < load->plan->fleet.processes; worker++) {
        for (int kind = 0; kind < TALLY_KINDS; kind++)
            sum.of[kind] += tally_read_shared(&load->workers[worker].total, (enum tally_kind)kind);
    }
    return tally_rpcs(&sum);
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
    uint64_t sum = 0;
    for (uint32_t worker = 0; worker < load->plan->fleet.processes; worker++)
        sum += tally_read_shared(&load->workers[worker].total, TALLY_NOTIFICATION);
    return sum;
}

bool load_shared_is_foreseen(enum load_kind kind, enum zk_status status)
{
    return status == ZK_OK || (kind == LOAD_TRYLOCK && status == ZK_NODE_EXISTS);
}
