// SPDX-License-Identifier: Apache-2.0
#include "bench/run/internal.h"

#include "base/clock.h"
#include "base/text.h"
#include "bench/background/background.h"
#include "bench/cli/complain.h"
#include "bench/cli/machine.h"
#include "bench/output/folder.h"
#include "bench/target/resources.h"
#include "trial/trial_plan.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/statvfs.h>

/* Of the whole run. */
struct demand {
    uint64_t rpcs;
    uint64_t bytes;
    size_t trials, warm_ups;
};

static struct demand sum_up(const struct options *options, const struct cells *cells)
{
    struct demand demand = {cells_rpcs(cells, 0), cells_bytes(cells), cells->count,
                            options->plan.recipe_count};
    for (size_t i = 0; i < options->plan.recipe_count; i++) {
        struct cell warm_up = cells_warm_up(options, i, 0);
        demand.rpcs += warm_up.rpcs;
        demand.bytes += warm_up.bytes;
    }
    return demand;
}

static const char *plural(size_t count)
{
    return count == 1 ? "" : "s";
}

/* Only under lockstep do the laws say it exactly, and with --duration nobody knows. */
static void describe(const struct options *options, const struct demand *demand, char *text,
                     size_t size)
{
    char rpcs[32], time[32];
    bool roughly = options->plan.pace == PACE_FREE;
    text_format_count(demand->rpcs, rpcs, sizeof rpcs);
    if (options->plan.duration_ns != 0)
        snprintf(text, size,
                 "%zu trial%s of %s after %zu drain%s; requests: as many as the servers answer",
                 demand->trials, plural(demand->trials),
                 text_format_duration(options->plan.duration_ns, time, sizeof time),
                 demand->warm_ups, plural(demand->warm_ups));
    else
        snprintf(text, size, "%s%s requests and %s%.*f MB in %zu trial%s and %zu warm-up%s",
                 roughly ? "about " : "", rpcs, roughly ? "" : "up to ",
                 demand->bytes < 10000000 ? 2 : 0, (double)demand->bytes / 1e6, demand->trials,
                 plural(demand->trials), demand->warm_ups, plural(demand->warm_ups));
}

/* 292 years at most, which leaves room to round. */
static uint64_t least_ns(uint64_t rpcs, uint64_t max_rate)
{
    double ns = (double)rpcs / (double)max_rate * (double)NS_PER_S;
    return ns < (double)INT64_MAX ? (uint64_t)ns : INT64_MAX;
}

/* "" without --max-rate. */
static void describe_rate(const struct options *options, const struct demand *demand, char *text,
                          size_t size)
{
    char rate[32], time[32];
    text[0] = '\0';
    if (options->plan.max_rate == 0)
        return;
    text_format_count(options->plan.max_rate, rate, sizeof rate);
    text_format_duration(least_ns(demand->rpcs, options->plan.max_rate), time, sizeof time);
    if (options->plan.duration_ns != 0)
        snprintf(text, size, ", at most %s per second", rate);
    else
        snprintf(text, size, ", at most %s per second: at least %s", rate, time);
}

/* "" without --background. --max-rate does not limit these requests. */
static void describe_background(const struct options *options, char *text, size_t size)
{
    char rate[32];
    text[0] = '\0';
    if (options->plan.background.given)
        snprintf(text, size, "; beside them the load of --background: %d sessions, %s a second",
                 BACKGROUND_SESSIONS,
                 text_format_count(options->plan.background.rate_per_s, rate, sizeof rate));
}

void demand_tell(const struct options *options, const struct cells *cells,
                 const struct connect_string *servers)
{
    char where[CONNECT_TEXT_SIZE], what[160], rate[96], beside[112], most[32];
    struct demand demand = sum_up(options, cells);
    describe(options, &demand, what, sizeof what);
    describe_rate(options, &demand, rate, sizeof rate);
    describe_background(options, beside, sizeof beside);
    text_format_count(options->plan.clients.list[options->plan.clients.count - 1], most,
                      sizeof most);
    complain_mildly("on %s: at most %s sessions at a time, %s%s%s",
                    connect_typed(servers, where, sizeof where), most, what, rate, beside);
}

/* The client library numbers the requests of a process with 31 bits, beginning with the time of
 * day. */
#define REQUESTS_PER_PROCESS UINT64_C(300000000)

void limits_warn(const struct options *options, const struct cells *cells, size_t server_count,
                 struct record *record)
{
    if (options->target.driver == DRIVER_SIMULATED)
        return;
    uint64_t most_rpcs = 0,
             most_clients = options->plan.clients.list[options->plan.clients.count - 1];
    for (size_t i = 0; i < cells->count; i++) {
        if (cells->list[i].rpcs > most_rpcs)
            most_rpcs = cells->list[i].rpcs;
    }
    if (most_rpcs / options->plan.processes > REQUESTS_PER_PROCESS)
        record_warn(record, "a trial makes more requests than the client library can number in one "
                            "process: spread it with --processes");
    if (resources_warning(&options->target, server_count) != NULL)
        record_warn(record, "%s", resources_warning(&options->target, server_count));
    if (most_clients / server_count > machine_local_ports())
        record_warn(record, "more clients than local ports for one server "
                            "(net.ipv4.ip_local_port_range): not all of them will get a "
                            "connection");
}

/* The files that grow with the trials. */
enum { TRIALS, HANDOFFS, SESSIONS, LATENCY, HLOG, FILES };

/* Bytes of each: of a trial's rows, or of one row of a handoff or a session. They are the shortest
 * rows there are, and for a trial the fewest of latency.csv and the shortest histograms. */
static const uint64_t least_bytes[FILES] = {
    [TRIALS] = 180, [HANDOFFS] = 40, [SESSIONS] = 25, [LATENCY] = 300, [HLOG] = 1000};

/* The rows of handoffs.csv are thinned above a number of them. When the time decides, nobody knows
 * how many there are. */
static uint64_t handoff_rows(const struct options *options, const struct recipe *recipe,
                             uint64_t clients)
{
    struct trial_plan plan = {.recipe = recipe,
                              .workload = options->plan.workload,
                              .fleet.sessions = (uint32_t)clients,
                              .locks = options->plan.locks,
                              .handoffs = options_handoffs(options, clients)};
    uint64_t rows = 0;
    for (uint32_t lock = 0; lock < plan.locks; lock++) {
        uint64_t handoffs = plan_handoffs_of(&plan, lock);
        rows += handoffs == UINT64_MAX ? 0 : handoffs;
    }
    return rows;
}

/* The bytes of each file of one topology. */
static void measure(const struct options *options, uint64_t bytes[FILES])
{
    uint64_t rows[FILES] = {0};
    for (size_t r = 0; r < options->plan.recipe_count; r++) {
        for (size_t i = 0; i < options->plan.clients.count; i++) {
            uint64_t clients = options->plan.clients.list[i];
            if (clients > options->plan.most_clients[r] || clients > options->target.max_clients)
                continue;
            rows[TRIALS]++;
            rows[HANDOFFS] += handoff_rows(options, options->plan.recipes[r], clients);
            rows[SESSIONS] += clients;
        }
    }
    rows[LATENCY] = rows[HLOG] = rows[TRIALS];
    for (int file = 0; file < FILES; file++)
        bytes[file] = rows[file] * options->plan.trials * least_bytes[file];
    if (bytes[HANDOFFS] > RESULTS_HANDOFFS_MAX / 2 * least_bytes[HANDOFFS])
        bytes[HANDOFFS] = RESULTS_HANDOFFS_MAX / 2 * least_bytes[HANDOFFS];
}

static enum error_kind check_limit(uint64_t largest, const char *folder, struct error *error)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY ||
        limit.rlim_cur >= largest)
        return ERROR_NONE;
    return error_raise(error, ERROR_NO_SPACE, 0, folder,
                       "a file of the results takes at least %llu kB, and the limit is %llu kB "
                       "(ulimit -f)",
                       (unsigned long long)largest / 1000,
                       (unsigned long long)limit.rlim_cur / 1000);
}

enum error_kind space_check(const struct options *options, struct error *error)
{
    char folder[PATH_MAX];
    struct statvfs disk;
    uint64_t bytes[FILES], all = 0, largest = 0;
    measure(options, bytes);
    for (int file = 0; file < FILES; file++) {
        all += bytes[file] * options->target.topology_count;
        largest = bytes[file] > largest ? bytes[file] : largest;
    }
    folder_parent(options->output.out, folder);
    enum error_kind kind = check_limit(largest, folder, error);
    if (kind != ERROR_NONE || statvfs(folder, &disk) != 0)
        return kind;
    uint64_t free_bytes = (uint64_t)disk.f_bavail * disk.f_frsize;
    if (disk.f_blocks == 0 || free_bytes >= all)
        return ERROR_NONE;
    return error_raise(error, ERROR_NO_SPACE, 0, folder,
                       "the results take at least %llu kB, and %llu kB are free",
                       (unsigned long long)all / 1000 + 1, (unsigned long long)free_bytes / 1000);
}
