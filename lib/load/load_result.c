// SPDX-License-Identifier: Apache-2.0
#include "load/load_result.h"

#include "base/memory.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* ------------------------------------------------------------------ memory */

static struct load_shared *lay_out(struct shared_layout *layout, const struct load_plan *plan)
{
    const struct fleet_plan *fleet = &plan->fleet;
    struct load_shared *load = shared_reserve(layout, sizeof *load);
    struct load_shared parts = {.plan = plan,
                                .measures_ns = UINT64_MAX,
                                .settles_ns = UINT64_MAX,
                                .contends_ns = UINT64_MAX,
                                .ends_ns = UINT64_MAX};
    parts.workers = shared_reserve(layout, (fleet->processes + 1) * sizeof *parts.workers);
    parts.seconds =
        shared_reserve(layout, (size_t)fleet->processes * plan->seconds * sizeof *parts.seconds);
    parts.times = shared_reserve(layout, (size_t)fleet->processes * load_plan_spans(plan) *
                                             sizeof *parts.times);
    parts.paths = shared_reserve(layout, (size_t)load_plan_znodes(plan) * sizeof *parts.paths);
    parts.value = shared_reserve(layout, plan->value_bytes);
    parts.fan_outs = shared_reserve(layout, (fleet->processes + 1) * sizeof *parts.fan_outs);
    if (plan->watch_percent > 0) {
        parts.fan_out = fan_out_lay_out(plan, parts.fan_outs, layout);
        parts.sent = shared_reserve(layout, (size_t)fleet->sessions * fleet_plan_depth(fleet) *
                                                sizeof *parts.sent);
    }
    if (load != NULL)
        *load = parts;
    return load;
}

enum error_kind load_result_new(const struct load_plan *plan, struct load_result **result,
                                struct error *error)
{
    struct shared_layout layout = {0};
    struct random random;
    assert(load_plan_depth(plan) > 0);
    (void)lay_out(&layout, plan);
    if (shared_layout_map(&layout, error) != ERROR_NONE)
        return error->kind;
    struct load_shared *load = lay_out(&layout, plan);
    struct load_worker *sum = &load->workers[plan->fleet.processes];
    struct load_result *made = memory_new(1, sizeof *made);
    *made = (struct load_result){
        .load = load,
        .measured = &sum->windows[LOAD_MEASURED],
        .contended = &sum->windows[LOAD_CONTENDED],
        .fan_out = &load->fan_outs[plan->fleet.processes],
        .usage = memory_new(plan->seconds + 1, sizeof *made->usage), /* never nothing */
        .server_seconds = memory_new(plan->seconds + 1, sizeof *made->server_seconds),
    };
    load->size_bytes = layout.size_bytes;
    for (uint32_t i = 0; i < load_plan_znodes(plan); i++)
        snprintf(load->paths[i], LOAD_PATH_SIZE, "%s/z/%u", plan->root, i);
    /* Printable, and of no period that a compressing file system could use. */
    random_init(&random, plan->fleet.seed);
    for (uint32_t i = 0; i < plan->value_bytes; i++)
        load->value[i] = (char)('!' + random_below(&random, '~' - '!'));
    enum error_kind kind = shared_new(&plan->fleet, &load->shared, error);
    if (kind == ERROR_NONE)
        *result = made;
    else
        load_result_free(made);
    return kind;
}

void load_result_free(struct load_result *result)
{
    if (result == NULL)
        return;
    shared_free(result->load->shared);
    munmap(result->load, result->load->size_bytes);
    free(result->usage);
    free(result->server_seconds);
    free(result);
}

/* ------------------------------------------------------------------ events of the servers */

static const char *const words[] = {
#define X(name, word) [LOAD_MARK_##name] = word,
    LOAD_MARK_LIST(X)
#undef X
};

void load_marks_add(struct load_marks *marks, uint32_t second, enum load_mark_kind kind,
                    uint32_t server)
{
    uint32_t most = kind == LOAD_MARK_SNAPSHOT ? LOAD_MARKS_MAX / 2 : LOAD_MARKS_MAX;
    if (marks->count < most)
        marks->list[marks->count++] = (struct load_mark){second, kind, server};
    else
        marks->left_out++;
}

const char *load_marks_format(const struct load_marks *marks, uint32_t second, char *text,
                              size_t size)
{
    size_t length = 0;
    text[0] = '\0';
    for (uint32_t i = 0; i < marks->count; i++) {
        const struct load_mark *mark = &marks->list[i];
        const char *between = length > 0 ? ";" : "";
        if (mark->second != second)
            continue;
        if (mark->kind == LOAD_MARK_NO_LEADER)
            snprintf(text + length, size - length, "%s%s", between, words[mark->kind]);
        else
            snprintf(text + length, size - length, "%sserver %u %s", between, mark->server + 1,
                     words[mark->kind]);
        length += strlen(text + length);
    }
    return text;
}

/* ------------------------------------------------------------------ while it runs */

enum load_window_kind load_shared_window(const struct load_shared *load, uint64_t time_ns)
{
    if (time_ns >= atomic_load(&load->contends_ns) && time_ns < atomic_load(&load->ends_ns))
        return LOAD_CONTENDED;
    return time_ns >= atomic_load(&load->measures_ns) && time_ns < atomic_load(&load->settles_ns)
               ? LOAD_MEASURED
               : LOAD_WINDOWS;
}

/* The second of a worker, from 0. */
static struct load_second *second_of(const struct load_shared *load, uint32_t worker,
                                     uint64_t second)
{
    return &load->seconds[(size_t)worker * load->plan->seconds + second];
}

struct load_second *load_shared_second(const struct load_shared *load, uint32_t worker,
                                       uint64_t time_ns)
{
    if (load->plan->seconds == 0 || load_shared_window(load, time_ns) != LOAD_MEASURED)
        return NULL;
    return second_of(load, worker, (time_ns - atomic_load(&load->measures_ns)) / NS_PER_S);
}

/* The times of a worker in the span of a second. */
static struct load_times *times_of(const struct load_shared *load, uint32_t worker, uint64_t second)
{
    const struct load_plan *plan = load->plan;
    return &load->times[(size_t)worker * load_plan_spans(plan) + second / load_plan_span_s(plan)];
}

struct load_times *load_shared_times(const struct load_shared *load, uint32_t worker,
                                     uint64_t time_ns)
{
    return times_of(load, worker, (time_ns - atomic_load(&load->measures_ns)) / NS_PER_S);
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
    uint32_t workers = load->plan->fleet.processes;
    for (uint32_t worker = 0; load_plan_ends_span(load->plan, second) && worker < workers;
         worker++) {
        histogram_add(reads, &times_of(load, worker, second)->reads);
        histogram_add(writes, &times_of(load, worker, second)->writes);
    }
}

/* The replies are read last: there are never fewer of them. */
void load_shared_contended(const struct load_shared *load, uint64_t *replied, uint64_t *over)
{
    *replied = *over = 0;
    for (uint32_t worker = 0; worker < load->plan->fleet.processes; worker++) {
        const struct load_window *window = &load->workers[worker].windows[LOAD_CONTENDED];
        *over += atomic_load(&window->over) + atomic_load(&window->failed);
        *replied += atomic_load(&window->replied);
    }
}

struct tally load_shared_total(const struct load_shared *load)
{
    struct tally sum = {0};
    for (uint32_t worker = 0; worker < load->plan->fleet.processes; worker++)
        tally_sum(&sum, &load->workers[worker].total);
    return sum;
}

uint64_t load_shared_sent(const struct load_shared *load)
{
    const struct tally total = load_shared_total(load);
    return tally_rpcs(&total);
}

bool load_shared_is_foreseen(enum load_kind kind, enum zk_status status)
{
    return status == ZK_OK || (kind == LOAD_TRYLOCK && status == ZK_NODE_EXISTS);
}

/* ------------------------------------------------------------------ adding up */

static void add_times(struct histogram (*sums)[LOAD_KINDS + 1],
                      const struct histogram (*times)[LOAD_KINDS + 1])
{
    for (int role = 0; role < ROLES; role++) {
        for (int kind = 0; kind < LOAD_KINDS; kind++) {
            const struct histogram *one = &times[role][kind];
            histogram_add(&sums[role][kind], one);
            histogram_add(&sums[ROLES][kind], one);
            if (kind >= (int)MIX_KINDS)
                continue;
            histogram_add(&sums[role][LOAD_KINDS], one);
            histogram_add(&sums[ROLES][LOAD_KINDS], one);
        }
    }
}

static void add_window(struct load_window *sum, const struct load_window *window)
{
#define X(counter) sum->counter += window->counter;
    LOAD_COUNTERS(X)
#undef X
    for (int kind = 0; kind < LOAD_KINDS; kind++) {
        for (int status = 0; status < LOAD_STATUSES; status++)
            sum->replies[kind][status] += window->replies[kind][status];
    }
    histogram_add(&sum->lag, &window->lag);
    add_times(sum->service, window->service);
    add_times(sum->response, window->response);
}

static void add_fan_out(struct fan_out_counts *sum, const struct fan_out_counts *counts)
{
    sum->timed += counts->timed;
    sum->untimed += counts->untimed;
    sum->writes += counts->writes;
    shared_raise(&sum->most, counts->most);
    histogram_add(&sum->notification, &counts->notification);
    histogram_add(&sum->first, &counts->first);
    histogram_add(&sum->last, &counts->last);
}

/* What follows from another operation was not offered, and is in no sum over the kinds. */
void load_result_add_up(struct load_result *result)
{
    const struct load_shared *load = result->load;
    uint32_t processes = load->plan->fleet.processes;
    struct load_worker *sum = &load->workers[processes];
    if (load->fan_out != NULL)
        fan_out_close(load->fan_out, &load->fan_outs[0]);
    for (uint32_t i = 0; i < processes; i++) {
        const struct load_worker *worker = &load->workers[i];
        tally_sum(&result->total, &worker->total);
        for (int window = 0; window < LOAD_WINDOWS; window++)
            add_window(&sum->windows[window], &worker->windows[window]);
        add_fan_out(&load->fan_outs[processes], &load->fan_outs[i]);
        result->reconnects += atomic_load(&load->shared->workers[i].reconnects);
    }
    for (uint32_t second = 0; second < load->plan->seconds; second++) {
        const struct load_usage *usage = &result->usage[second];
        result->client_cpu_ns += usage->client_cpu_ns;
        result->server_cpu_known = usage->server_cpu_known;
        result->server_cpu_ns += usage->server_cpu_ns;
    }
    result->offered = result->measured->unsent;
    for (int kind = 0; kind < (int)MIX_KINDS; kind++) {
        for (int status = 0; status < LOAD_STATUSES; status++)
            result->offered += result->measured->replies[kind][status];
    }
    if (atomic_load(&load->contends_ns) != UINT64_MAX)
        result->contended_ns = atomic_load(&load->ends_ns) - atomic_load(&load->contends_ns);
    result->losses = atomic_load(&load->shared->losses);
}
