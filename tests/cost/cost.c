// SPDX-License-Identifier: Apache-2.0
/*
 * Measures the cost of zkherd itself.
 *
 * Each round runs the bare client, and the non-scalable lock in free pace, on 1,000 connections;
 * the ratio of client CPU time per request is taken round by round, so that slow changes on the
 * machine affect both alike. Then the resident memory of a worker with 5,000 sessions is measured.
 * At last a load of reads is compared with the bare calls of the client library, in turn on a
 * server of reads. Exit status: 0 within the limits, 1 not, otherwise as zkherd's; a goal that is
 * missed does not count.
 */
#include "tests/cost/cost.h"
#include "base/clock.h"
#include "bench/cli/complain.h"
#include "bench/cli/machine.h"
#include "bench/target/target.h"
#include "load/load.h"
#include "measure/statistics.h"
#include "recipes/registry.h"
#include "trial/trial.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#define ROUNDS           3
#define CLIENTS          1000u
#define LOCK_RATIO_MAX   2.25
#define LOCK_RATIO_GOAL  1.5
#define MEMORY_CLIENTS   5000u
#define MEMORY_MAX_KIB   10.0
#define READS_ROUNDS     7
#define READS_SESSIONS   250u
#define READS_DEPTH      100u
#define READS_SECONDS    2u
#define READS_RATIO_GOAL 1.25 /* 10 us where the bare client takes 8 */
#define READS_PER_S_GOAL 50000.0
#define LOAD_SESSIONS    1000u
#define LOAD_GOAL_KIB    16.0

static struct target target;
static struct error error;
static char root[80];

void must(enum error_kind kind, const struct error *of)
{
    if (kind != ERROR_NONE)
        exit(complain(of));
}

_Noreturn void fail(enum error_kind kind, const char *what)
{
    must(error_raise(&error, kind, 0, "bare client", "%s", what), &error);
    abort();
}

_Noreturn void fail_errno(const char *what)
{
    must(error_from_errno(&error, errno, "bare client", "%s", what), &error);
    abort();
}

/* Private servers leave nothing. */
static void close_target(void)
{
    struct error closing;
    (void)!target_close(&target, &closing);
}

/* ------------------------------------------------------------------ a lock */

struct figures {
    double cpu_us; /* client CPU a request */
    double kib;    /* resident memory a session */
};

static struct figures run_trial(const char *recipe, uint32_t clients)
{
    struct trial_plan plan = {
        .recipe = registry_find(recipe),
        .pace = PACE_FREE,
        .fleet.driver = DRIVER_EVENTS,
        .fleet.sessions = clients,
        .locks = 1,
        .fleet.processes = 1,
        .fleet.timeout_ns = 60 * NS_PER_S,
        .fleet.session_timeout_ms = 120000,
        .fleet.seed = 1,
        .root = root,
        .fleet.servers = &target.servers,
    };
    struct fleet_host host = {
        .setup = target.setup,
        .servers = &target.servers,
        .ensemble = target.ensemble,
        .interrupt_descriptor = -1,
    };
    struct trial_result *result = NULL;
    must(trial_run(&plan, &host, NULL, &result, &error), &error);
    if (result->end != END_DONE)
        fail(ERROR_INTERRUPTED, result->reason);
    const struct figures figures = {
        (double)result->client_cpu_ns / 1e3 / (double)tally_rpcs(&result->total),
        (double)result->client_rss_kib / clients,
    };
    trial_result_free(result);
    return figures;
}

/* The bare client on a lock at the path that a trial's lock has. */
static double run_bare_client(void)
{
    char folder[84], lock[88];
    snprintf(folder, sizeof folder, "%s/l0", root);
    snprintf(lock, sizeof lock, "%s/f", folder);
    must(setup_session_create(target.setup, root, "", &error), &error);
    must(setup_session_create(target.setup, folder, "", &error), &error);
    double cpu_us = bare_client_measure(&target.servers.endpoints[0], lock, CLIENTS);
    must(setup_session_delete_tree(target.setup, root, &error), &error);
    return cpu_us;
}

/* Whether the median ratio is within its limit. */
static bool compare_locks(void)
{
    double ratios[ROUNDS];
    printf("client CPU per request, %u connections\n%8s  %10s  %10s  %12s\n", CLIENTS, "round",
           "bare us", "zkherd us", "zkherd/bare");
    for (int i = 0; i < ROUNDS; i++) {
        double bare_us = run_bare_client(), zkherd_us = run_trial("nonscalable", CLIENTS).cpu_us;
        ratios[i] = zkherd_us / bare_us;
        printf("%8d  %10.2f  %10.2f  %12.2f\n", i + 1, bare_us, zkherd_us, ratios[i]);
        fflush(stdout);
    }
    statistics_sort(ratios, ROUNDS);
    double median = statistics_median(ratios, ROUNDS);
    printf("%8s  %10s  %10s  %12.2f\n", "median", "", "", median);
    printf("%8s  %10s  %10s  %12.2f\n", "limit", "", "", LOCK_RATIO_MAX);
    printf("%8s  %10s  %10s  %12.1f\n\n", "goal", "", "", LOCK_RATIO_GOAL);
    return median <= LOCK_RATIO_MAX;
}

static bool measure_memory(void)
{
    double kib = run_trial("scalable", MEMORY_CLIENTS).kib;
    printf("resident memory per session, %u sessions: %.2f KiB (limit %.0f)\n", MEMORY_CLIENTS, kib,
           MEMORY_MAX_KIB);
    return kib <= MEMORY_MAX_KIB;
}

/* ------------------------------------------------------------------ a load of reads */

/* zkherd's sessions never ask for the folders of the load, which are on the server of the lock. */
static struct reads_figures run_load(const struct connect_string *servers, uint32_t sessions,
                                     uint32_t depth, double *kib)
{
    const struct load_plan plan = {
        .fleet = {.driver = DRIVER_EVENTS,
                  .sessions = sessions,
                  .processes = 1,
                  .depth = depth,
                  .session_timeout_ms = 120000,
                  .timeout_ns = 60 * NS_PER_S,
                  .seed = 1,
                  .servers = servers},
        .mix = mix_of_reads(100),
        .value_bytes = READ_SERVER_VALUE_BYTES,
        .warm_up_ns = 300 * NS_PER_MS,
        .seconds = READS_SECONDS,
        .root = root,
    };
    const struct fleet_host host = {
        .setup = target.setup, .servers = servers, .interrupt_descriptor = -1};
    struct load_result *result = NULL;
    must(load_run(&plan, &host, NULL, &result, &error), &error);
    if (result->end != END_DONE)
        fail(ERROR_INTERRUPTED, result->reason);
    double answered = (double)result->measured->answered;
    const struct reads_figures figures = {(double)result->client_cpu_ns / 1e3 / answered,
                                          answered / READS_SECONDS};
    *kib = (double)result->client_rss_kib / sessions;
    load_result_free(result);
    return figures;
}

static void compare_reads(void)
{
    double ratios[READS_ROUNDS], rates[READS_ROUNDS], kib;
    struct connect_string servers = {.count = 1, .endpoints = {{.host = "127.0.0.1"}}};
    servers.endpoints[0].port = read_server_start();
    printf("\nclient CPU per read of 1 KB, %u sessions, %u outstanding on each\n"
           "%8s  %10s  %10s  %12s  %10s  %12s\n",
           READS_SESSIONS, READS_DEPTH, "round", "bare us", "zkherd us", "zkherd/bare", "bare/s",
           "zkherd/s");
    for (int i = 0; i < READS_ROUNDS; i++) {
        struct reads_figures bare = bare_reads_measure(servers.endpoints[0].port, READS_SESSIONS,
                                                       READS_DEPTH, READS_SECONDS),
                             zkherd = run_load(&servers, READS_SESSIONS, READS_DEPTH, &kib);
        ratios[i] = zkherd.cpu_us / bare.cpu_us;
        rates[i] = zkherd.per_s;
        printf("%8d  %10.2f  %10.2f  %12.2f  %10.0f  %12.0f\n", i + 1, bare.cpu_us, zkherd.cpu_us,
               ratios[i], bare.per_s, zkherd.per_s);
        fflush(stdout);
    }
    struct interval ratio = statistics_interval_of_logs(ratios, READS_ROUNDS, 0.95);
    struct interval rate = statistics_interval_of_logs(rates, READS_ROUNDS, 0.95);
    printf("%8s  %10s  %10s  %12.2f  %10s  %12.0f\n", "mean", "", "", ratio.value, "", rate.value);
    printf("%8s  %10s  %10s  %5.2f..%5.2f  %10s  %.0f..%.0f\n", "95 %", "", "", ratio.low,
           ratio.high, "", rate.low, rate.high);
    printf("%8s  %10s  %10s  %12.2f  %10s  %12.0f\n\n", "goal", "", "", READS_RATIO_GOAL, "",
           READS_PER_S_GOAL);
    (void)run_load(&servers, LOAD_SESSIONS, 1, &kib);
    printf("resident memory per session of a load, %u sessions, 1 outstanding on each: "
           "%.2f KiB (goal %.0f)\n",
           LOAD_SESSIONS, kib, LOAD_GOAL_KIB);
    read_server_stop();
}

int main(void)
{
    uint64_t one = 1;
    struct target_options options = {
        .server_counts = &one, .topology_count = 1, .heap_mib = 1024, .fsync = true};
    must(machine_allow_descriptors(MEMORY_CLIENTS, &error), &error);
    atexit(close_target);
    must(target_open(&options, 0, -1, &target, &error), &error);
    must(target_make_root(&target, -1, &error), &error);
    snprintf(root, sizeof root, "%s/t", target.root);
    bool within = compare_locks();
    within = measure_memory() && within;
    compare_reads();
    return within ? 0 : 1;
}
