// SPDX-License-Identifier: Apache-2.0
/*
 * Measures the cost of zkherd itself.
 *
 * Each round runs the floor, the bare client, and the non-scalable lock in free pace, all on 1,000
 * connections; the ratios of client CPU time per request are taken round by round, so that slow
 * changes on the machine affect all alike. Then the resident memory of a worker with 5,000 sessions
 * is measured. Then, for information, both drivers, and one process per session, with as many
 * sessions as one thread per session can serve in a short time. The memory of several processes is
 * the sum of the resident memory of each: a page that several share counts for each. At last a load
 * of reads is compared with the bare calls of the client library. Exit status: 0 within the limits,
 * 1 not, otherwise as zkherd's; a goal that is missed does not count.
 */
#include "tests/cost/cost.h"
#include "base/clock.h"
#include "bench/cli/complain.h"
#include "bench/cli/machine.h"
#include "bench/cli/options.h"
#include "bench/target/target.h"
#include "measure/statistics.h"
#include "recipes/registry.h"
#include "trial/trial.h"

#include <stdio.h>

#define ROUNDS                 3
#define CLIENTS                1000u
#define FLOOR_ROUND_TRIPS      200000
#define FLOOR_RATIO_MAX        3.0
#define BARE_RATIO_GOAL        1.5
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
        .fleet.driver = driver,
        .fleet.sessions = clients,
        .locks = 1,
        .fleet.processes = processes,
        .fleet.timeout_ns = 60 * NS_PER_S,
        .fleet.session_timeout_ms = 120000,
        .fleet.seed = 1,
        .root = root,
        .fleet.servers = &target->servers,
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

/* The bare client on a lock at the path that a trial's lock has. */
static enum error_kind run_bare_client(const struct target *target, double *cpu_us,
                                       struct error *error)
{
    char root[80], folder[84], lock[88];
    struct error clearing;
    snprintf(root, sizeof root, "%s/t", target->root);
    snprintf(folder, sizeof folder, "%s/l0", root);
    snprintf(lock, sizeof lock, "%s/f", folder);
    enum error_kind kind = setup_session_create(target->setup, root, error);
    if (kind == ERROR_NONE)
        kind = setup_session_create(target->setup, folder, error);
    if (kind == ERROR_NONE)
        kind = bare_client_measure(&target->servers.endpoints[0], lock, CLIENTS, cpu_us, error);
    enum error_kind cleared = setup_session_delete_tree(target->setup, root, &clearing);
    if (kind == ERROR_NONE && cleared != ERROR_NONE)
        *error = clearing;
    return kind == ERROR_NONE ? cleared : kind;
}

/* One round: what a request costs each of the three. */
struct round {
    double floor_us;
    double bare_us;
    double zkherd_us;
};

static enum error_kind run_round(const struct target *target, struct round *round,
                                 struct error *error)
{
    struct figures zkherd = {0};
    enum error_kind kind = floor_measure(CLIENTS, FLOOR_ROUND_TRIPS, &round->floor_us, error);
    if (kind == ERROR_NONE)
        kind = run_bare_client(target, &round->bare_us, error);
    if (kind == ERROR_NONE)
        kind = run_trial(target, "nonscalable", CLIENTS, DRIVER_EVENTS, 1, &zkherd, error);
    round->zkherd_us = zkherd.cpu_us;
    return kind;
}

static double median_of(double *ratios)
{
    statistics_sort(ratios, ROUNDS);
    return statistics_median(ratios, ROUNDS);
}

static enum error_kind compare_cpu(const struct target *target, bool *within, struct error *error)
{
    double to_floor[ROUNDS], to_bare[ROUNDS];
    printf("client CPU per request, %u connections\n%8s  %10s  %10s  %10s  %12s  %12s\n", CLIENTS,
           "round", "floor us", "bare us", "zkherd us", "zkherd/floor", "zkherd/bare");
    for (int i = 0; i < ROUNDS; i++) {
        struct round round = {0};
        enum error_kind kind = run_round(target, &round, error);
        if (kind != ERROR_NONE)
            return kind;
        to_floor[i] = round.zkherd_us / round.floor_us;
        to_bare[i] = round.zkherd_us / round.bare_us;
        printf("%8d  %10.2f  %10.2f  %10.2f  %12.2f  %12.2f\n", i + 1, round.floor_us,
               round.bare_us, round.zkherd_us, to_floor[i], to_bare[i]);
        fflush(stdout);
    }
    double floor_median = median_of(to_floor), bare_median = median_of(to_bare);
    printf("%8s  %10s  %10s  %10s  %12.2f  %12.2f\n", "median", "", "", "", floor_median,
           bare_median);
    printf("%8s  %10s  %10s  %10s  %12.1f\n%8s  %10s  %10s  %10s  %12s  %12.1f\n\n", "limit", "",
           "", "", FLOOR_RATIO_MAX, "goal", "", "", "", "", BARE_RATIO_GOAL);
    *within = *within && floor_median <= FLOOR_RATIO_MAX;
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
        kind = target_open(&options, 0, -1, &target, &error);
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
    if (kind == ERROR_NONE)
        kind = reads_compare(target.setup, target.root, &error);
    (void)!target_close(&target, &error); /* private servers leave nothing */
    if (kind != ERROR_NONE)
        return complain(&error);
    return within ? 0 : 1;
}
