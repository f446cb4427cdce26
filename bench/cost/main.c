// SPDX-License-Identifier: Apache-2.0
/*
 * cost: measures the cost of zkherd itself. Layer: bench.
 *
 * Each round runs the floor (floor.h) and the non-scalable lock in free pace, both on 1,000
 * connections; the ratio of client CPU time per request is taken round by round, so that slow
 * changes on the machine affect both alike. Then the resident memory of a worker with 5,000
 * sessions is measured. Then, for information, both drivers, and one process per session, with as
 * many sessions as one thread per session can serve in a short time. The memory of several
 * processes is the sum of the resident memory of each: a page that several share counts for each.
 * Exit status: 0 within the limits, 1 not, otherwise as zkherd's.
 */
#include "base/clock.h"
#include "bench/cli/complain.h"
#include "bench/cli/options.h"
#include "bench/cost/floor.h"
#include "bench/output/machine.h"
#include "bench/target/target.h"
#include "measure/statistics.h"
#include "recipes/registry.h"
#include "trial/trial.h"

#include <stdio.h>

#define ROUNDS                 3
#define CLIENTS                1000u
#define FLOOR_ROUND_TRIPS      200000
#define RATIO_MAX              3.0
#define MEMORY_CLIENTS         5000u
#define MEMORY_MAX_KIB         10.0
#define THREADS_CPU_CLIENTS    200u
#define THREADS_MEMORY_CLIENTS 1000u
#define PROCESSES_CLIENTS      THREADS_CPU_CLIENTS /* to fork more takes longer than all the rest */

struct figures {
    double cpu_us; /* client CPU a request */
    double kib;    /* resident memory a session */
};

static enum error_kind run_trial(const struct target *target, const char *recipe, uint32_t clients,
                                 enum driver driver, uint32_t processes, struct figures *figures,
                                 struct error *error)
{
    char root[80];
    snprintf(root, sizeof root, "%s/t", target->root);
    struct trial_plan plan = {
        .recipe = registry_find(recipe),
        .pace = PACE_FREE,
        .driver = driver,
        .clients = clients,
        .locks = 1,
        .processes = processes,
        .timeout_ns = 60 * NS_PER_S,
        .session_timeout_ms = 120000,
        .seed = 1,
        .root = root,
        .servers = &target->servers,
    };
    struct trial_host host = {
        .setup = target->setup,
        .servers = &target->servers,
        .ensemble = target->ensemble,
        .watch = {.interrupt_descriptor = -1},
    };
    struct trial_result *result = NULL;
    enum error_kind kind = trial_run(&plan, &host, &result, error);
    if (kind == ERROR_NONE && result->end != END_DONE)
        kind = error_raise(error, ERROR_INTERRUPTED, 0, recipe, "%s", result->reason);
    if (kind == ERROR_NONE)
        *figures = (struct figures){
            (double)result->client_cpu_ns / 1e3 / (double)tally_rpcs(&result->total),
            (double)result->client_rss_kib / clients,
        };
    trial_result_free(result); /* while its plan is there */
    return kind;
}

static enum error_kind compare_cpu(const struct target *target, bool *within, struct error *error)
{
    double ratios[ROUNDS];
    printf("client CPU per request, %u connections\n%8s  %10s  %10s  %8s\n", CLIENTS, "round",
           "floor us", "zkherd us", "ratio");
    for (int i = 0; i < ROUNDS; i++) {
        struct figures zkherd = {0};
        double floor_us = 0;
        enum error_kind kind = floor_measure(CLIENTS, FLOOR_ROUND_TRIPS, &floor_us, error);
        if (kind == ERROR_NONE)
            kind = run_trial(target, "nonscalable", CLIENTS, DRIVER_EVENTS, 1, &zkherd, error);
        if (kind != ERROR_NONE)
            return kind;
        ratios[i] = zkherd.cpu_us / floor_us;
        printf("%8d  %10.2f  %10.2f  %8.2f\n", i + 1, floor_us, zkherd.cpu_us, ratios[i]);
        fflush(stdout);
    }
    statistics_sort(ratios, ROUNDS);
    double median = statistics_median(ratios, ROUNDS);
    printf("%8s  %10s  %10s  %8.2f  (limit %.1f)\n\n", "median", "", "", median, RATIO_MAX);
    *within = *within && median <= RATIO_MAX;
    return ERROR_NONE;
}

static enum error_kind measure_memory(const struct target *target, bool *within,
                                      struct error *error)
{
    struct figures queue;
    enum error_kind kind =
        run_trial(target, "scalable", MEMORY_CLIENTS, DRIVER_EVENTS, 1, &queue, error);
    if (kind != ERROR_NONE)
        return kind;
    printf("resident memory per session, %u sessions: %.2f KiB (limit %.0f)\n", MEMORY_CLIENTS,
           queue.kib, MEMORY_MAX_KIB);
    *within = *within && queue.kib <= MEMORY_MAX_KIB;
    return ERROR_NONE;
}

/* One driver, in one process or with one for each session: client CPU a request of a herd, memory a
 * session of a queue. */
static enum error_kind tell_driver(const struct target *target, enum driver driver,
                                   bool in_processes, struct error *error)
{
    struct figures herd, queue;
    uint32_t clients = in_processes ? PROCESSES_CLIENTS : THREADS_MEMORY_CLIENTS;
    enum error_kind kind = run_trial(target, "nonscalable", THREADS_CPU_CLIENTS, driver,
                                     in_processes ? PROCESSES_CLIENTS : 1, &herd, error);
    if (kind == ERROR_NONE)
        kind = run_trial(target, "scalable", clients, driver, in_processes ? clients : 1, &queue,
                         error);
    if (kind != ERROR_NONE)
        return kind;
    printf("%8s  %9s  %10.2f  %10.2f\n", options_drivers[driver], in_processes ? "a session" : "1",
           herd.cpu_us, queue.kib);
    fflush(stdout);
    return ERROR_NONE;
}

static enum error_kind compare_drivers(const struct target *target, struct error *error)
{
    printf("\nclient CPU per request, %u sessions; resident memory per session, %u sessions "
           "(%u with one process per session)\n"
           "%8s  %9s  %10s  %10s\n",
           THREADS_CPU_CLIENTS, THREADS_MEMORY_CLIENTS, PROCESSES_CLIENTS, "driver", "processes",
           "us", "KiB");
    enum error_kind kind = tell_driver(target, DRIVER_EVENTS, false, error);
    if (kind == ERROR_NONE)
        kind = tell_driver(target, DRIVER_EVENTS, true, error);
    if (kind == ERROR_NONE)
        kind = tell_driver(target, DRIVER_THREADS, false, error);
    return kind;
}

int main(void)
{
    uint64_t one = 1;
    struct target_options options = {
        .server_counts = &one, .topology_count = 1, .heap_mib = 1024, .fsync = true};
    struct target target = {0};
    struct error error;
    bool within = true;
    enum error_kind kind = machine_allow_descriptors(MEMORY_CLIENTS, &error);
    if (kind == ERROR_NONE)
        kind = target_open(&options, 0, MEMORY_CLIENTS, &target, &error);
    if (kind == ERROR_NONE)
        kind = target_make_root(&target, -1, &error);
    if (kind != ERROR_NONE) {
        (void)!target_close(&target, &error); /* private servers leave nothing */
        return complain(&error);
    }
    kind = compare_cpu(&target, &within, &error);
    if (kind == ERROR_NONE)
        kind = measure_memory(&target, &within, &error);
    if (kind == ERROR_NONE)
        kind = compare_drivers(&target, &error);
    (void)!target_close(&target, &error); /* private servers leave nothing */
    if (kind != ERROR_NONE)
        return complain(&error);
    return within ? 0 : 1;
}
