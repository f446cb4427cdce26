// SPDX-License-Identifier: Apache-2.0
#include "load/load.h"
#include "measure/statistics.h"
#include "tests/cost/cost.h"

#include <stdio.h>

#define ROUNDS          7
#define SESSIONS        250u
#define DEPTH           100u
#define SECONDS         2u
#define RATIO_GOAL      1.25 /* 10 us where the bare client takes 8 */
#define PER_S_GOAL      50000.0
#define MEMORY_SESSIONS 1000u
#define MEMORY_GOAL_KIB 16.0

/* A load on the server of this port. */
struct stand {
    struct setup_session *setup;
    const char *root;
    struct connect_string servers;
};

static enum error_kind run_load(const struct stand *stand, uint32_t sessions, uint32_t depth,
                                struct reads_figures *figures, double *kib, struct error *error)
{
    char root[80];
    snprintf(root, sizeof root, "%s/t", stand->root);
    const struct load_plan plan = {
        .fleet = {.driver = DRIVER_EVENTS,
                  .sessions = sessions,
                  .processes = 1,
                  .depth = depth,
                  .session_timeout_ms = 120000,
                  .timeout_ns = 60 * NS_PER_S,
                  .seed = 1,
                  .servers = &stand->servers},
        .mix = mix_of_reads(100),
        .value_bytes = READ_SERVER_VALUE_BYTES,
        .warm_up_ns = 300 * NS_PER_MS,
        .seconds = SECONDS,
        .root = root,
    };
    const struct load_host host = {
        .setup = stand->setup, .servers = &stand->servers, .watch = {.interrupt_descriptor = -1}};
    struct load_result *result = NULL;
    enum error_kind kind = load_run(&plan, &host, &result, error);
    if (kind != ERROR_NONE)
        return kind;
    if (result->end != END_DONE)
        kind = error_raise(error, ERROR_INTERRUPTED, 0, "reads", "%s", result->reason);
    *figures = (struct reads_figures){(double)result->client_cpu_ns / 1e3 /
                                          (double)result->measured->answered,
                                      (double)result->measured->answered / SECONDS};
    *kib = (double)result->client_rss_kib / sessions;
    load_result_free(result);
    return kind;
}

/* The bare client and the load, in turn. */
static enum error_kind compare_cpu(const struct stand *stand, struct error *error)
{
    double ratios[ROUNDS], rates[ROUNDS], kib;
    printf("\nclient CPU per read of 1 KB, %u sessions, %u outstanding on each\n"
           "%8s  %10s  %10s  %12s  %10s  %12s\n",
           SESSIONS, DEPTH, "round", "bare us", "zkherd us", "zkherd/bare", "bare/s", "zkherd/s");
    for (int i = 0; i < ROUNDS; i++) {
        struct reads_figures bare, zkherd;
        enum error_kind kind = bare_reads_measure(stand->servers.endpoints[0].port, SESSIONS, DEPTH,
                                                  SECONDS, &bare, error);
        if (kind == ERROR_NONE)
            kind = run_load(stand, SESSIONS, DEPTH, &zkherd, &kib, error);
        if (kind != ERROR_NONE)
            return kind;
        ratios[i] = zkherd.cpu_us / bare.cpu_us;
        rates[i] = zkherd.per_s;
        printf("%8d  %10.2f  %10.2f  %12.2f  %10.0f  %12.0f\n", i + 1, bare.cpu_us, zkherd.cpu_us,
               ratios[i], bare.per_s, zkherd.per_s);
        fflush(stdout);
    }
    struct interval ratio = statistics_interval_of_logs(ratios, ROUNDS, 0.95);
    struct interval rate = statistics_interval_of_logs(rates, ROUNDS, 0.95);
    printf("%8s  %10s  %10s  %12.2f  %10s  %12.0f\n", "mean", "", "", ratio.value, "", rate.value);
    printf("%8s  %10s  %10s  %5.2f..%5.2f  %10s  %.0f..%.0f\n", "95 %", "", "", ratio.low,
           ratio.high, "", rate.low, rate.high);
    printf("%8s  %10s  %10s  %12.2f  %10s  %12.0f\n\n", "goal", "", "", RATIO_GOAL, "", PER_S_GOAL);
    return ERROR_NONE;
}

static enum error_kind measure_memory(const struct stand *stand, struct error *error)
{
    struct reads_figures figures;
    double kib;
    enum error_kind kind = run_load(stand, MEMORY_SESSIONS, 1, &figures, &kib, error);
    if (kind == ERROR_NONE)
        printf("resident memory per session of a load, %u sessions, 1 outstanding on each: "
               "%.2f KiB (goal %.0f)\n",
               MEMORY_SESSIONS, kib, MEMORY_GOAL_KIB);
    return kind;
}

enum error_kind reads_compare(struct setup_session *setup, const char *root, struct error *error)
{
    struct stand stand = {.setup = setup, .root = root, .servers = {.count = 1}};
    pid_t server;
    uint16_t port;
    enum error_kind kind = bare_server_start(read_server_serve, &port, &server, error);
    if (kind != ERROR_NONE)
        return kind;
    stand.servers.endpoints[0].port = port;
    snprintf(stand.servers.endpoints[0].host, sizeof stand.servers.endpoints[0].host, "127.0.0.1");
    kind = compare_cpu(&stand, error);
    if (kind == ERROR_NONE)
        kind = measure_memory(&stand, error);
    bare_server_stop(server);
    return kind;
}
