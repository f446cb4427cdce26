// SPDX-License-Identifier: Apache-2.0
#include "bench/run/internal.h"

#include "base/clock.h"
#include "base/memory.h"
#include "base/text.h"
#include "bench/background/background.h"
#include "bench/cli/complain.h"
#include "bench/cli/machine.h"
#include "bench/output/folder.h"
#include "trial/trial_plan.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/statvfs.h>

/* Only under lockstep do the laws say it exactly, and with --duration nobody knows. --max-rate does
 * not limit the requests of --background. */
void demand_print(const struct options *options, const struct cells *cells,
                  const struct connect_string *servers)
{
    const struct run_plan *plan = &options->plan;
    size_t warm_ups = plan->recipe_count;
    uint64_t rpcs = cells->rpcs, bytes = cells->bytes;
    bool roughly = plan->pace == PACE_FREE, timed = plan->duration_ns != 0;
    char where[CONNECT_TEXT_SIZE], number[32], time[32];
    struct growing_text what = {0};
    for (size_t i = 0; i < plan->recipe_count; i++) {
        struct trial_plan drain;
        const struct cell warm_up = cells_warm_up(options, i, 0, &drain);
        rpcs += warm_up.rpcs;
        bytes += warm_up.bytes;
    }
    if (timed)
        growing_text_add(&what,
                         "%zu trial%s of %s after %zu drain%s; requests: as many as the servers "
                         "answer",
                         cells->trials, text_plural(cells->trials),
                         text_format_duration(plan->duration_ns, time, sizeof time), warm_ups,
                         text_plural(warm_ups));
    else
        growing_text_add(&what, "%s%s requests and %s%.*f MB in %zu trial%s and %zu warm-up%s",
                         roughly ? "about " : "", text_format_count(rpcs, number, sizeof number),
                         roughly ? "" : "up to ", bytes < 10000000 ? 2 : 0, (double)bytes / 1e6,
                         cells->trials, text_plural(cells->trials), warm_ups,
                         text_plural(warm_ups));
    if (plan->max_rate != 0)
        growing_text_add(&what, ", at most %s per second",
                         text_format_count(plan->max_rate, number, sizeof number));
    if (plan->max_rate != 0 && !timed) { /* 292 years at most, which leaves room to round */
        double ns = (double)rpcs / (double)plan->max_rate * (double)NS_PER_S;
        uint64_t least_ns = ns < (double)INT64_MAX ? (uint64_t)ns : INT64_MAX;
        growing_text_add(&what, ": at least %s", text_format_duration(least_ns, time, sizeof time));
    }
    if (plan->background.given)
        growing_text_add(&what, "; beside them the load of --background: %d sessions, %s a second",
                         BACKGROUND_SESSIONS,
                         text_format_count(plan->background.rate_per_s, number, sizeof number));
    complain_mildly(
        "on %s: at most %s sessions at a time, %s", connect_typed(servers, where, sizeof where),
        text_format_count(plan->clients.list[plan->clients.count - 1], number, sizeof number),
        what.text);
    free(what.text);
}

/* The client library numbers the requests of a process with 31 bits, beginning with the time of
 * day. */
#define REQUESTS_PER_PROCESS UINT64_C(300000000)

void demand_warn(const struct series *series, const struct cells *cells,
                 struct series_record *record)
{
    const struct series_options *options = &series->options;
    uint64_t most_rpcs = 0;
    for (size_t i = 0; i < cells->count; i++)
        most_rpcs = cells->list[i].rpcs > most_rpcs ? cells->list[i].rpcs : most_rpcs;
    if (options->target->driver == DRIVER_SIMULATED)
        return;
    if (most_rpcs / options->processes > REQUESTS_PER_PROCESS)
        series_warn(series, record,
                    "a trial makes more requests than the client library can number in one "
                    "process: spread it with --processes");
    size_t servers = series->targets.list[record->topology].placement.count;
    if (series_most_clients(series) / servers > machine_local_ports())
        series_warn(series, record,
                    "more clients than local ports for one server (net.ipv4.ip_local_port_range): "
                    "not all of them will get a connection");
}

/* The files that grow with the trials. */
enum { TRIALS, HANDOFFS, SESSIONS, LATENCY, HLOG, FILES };

/* Bytes of each: of a trial's rows, or of one row of a handoff or a session. They are the shortest
 * rows there are, and for a trial the fewest of latency.csv and the shortest histograms. */
static const uint64_t least_bytes[FILES] = {
    [TRIALS] = 180, [HANDOFFS] = 40, [SESSIONS] = 25, [LATENCY] = 300, [HLOG] = 1000};

/* The bytes of each file of one topology. Rows of handoffs.csv are thinned above a number of them;
 * when the time decides, nobody knows how many there are. */
static void measure(const struct options *options, uint64_t bytes[FILES])
{
    uint64_t rows[FILES] = {0};
    for (size_t r = 0; r < options->plan.recipe_count; r++) {
        for (size_t i = 0; i < options->plan.clients.count; i++) {
            uint64_t clients = options->plan.clients.list[i];
            if (clients > options->plan.most_clients[r] || clients > options->target.max_clients)
                continue;
            const struct trial_plan plan = cell_plan(options, options->plan.recipes[r], clients);
            rows[TRIALS]++;
            rows[SESSIONS] += clients;
            for (uint32_t lock = 0; lock < plan.locks; lock++) {
                uint64_t handoffs = plan_handoffs_of(&plan, lock);
                rows[HANDOFFS] += handoffs == UINT64_MAX ? 0 : handoffs;
            }
        }
    }
    rows[LATENCY] = rows[HLOG] = rows[TRIALS];
    for (int file = 0; file < FILES; file++)
        bytes[file] = rows[file] * options->plan.trials * least_bytes[file];
    if (bytes[HANDOFFS] > RECORD_HANDOFFS_MAX / 2 * least_bytes[HANDOFFS])
        bytes[HANDOFFS] = RECORD_HANDOFFS_MAX / 2 * least_bytes[HANDOFFS];
}

enum error_kind demand_check_space(const struct options *options, struct error *error)
{
    char folder[PATH_MAX];
    struct statvfs disk;
    struct rlimit limit;
    uint64_t bytes[FILES], all = 0, largest = 0;
    measure(options, bytes);
    for (int file = 0; file < FILES; file++) {
        all += bytes[file] * options->target.topology_count;
        largest = bytes[file] > largest ? bytes[file] : largest;
    }
    folder_parent(options->output.out, folder);
    if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
        limit.rlim_cur < largest)
        return error_raise(error, ERROR_NO_SPACE, 0, folder,
                           "a file of the results takes at least %llu kB, and the limit is %llu kB "
                           "(ulimit -f)",
                           (unsigned long long)largest / 1000,
                           (unsigned long long)limit.rlim_cur / 1000);
    if (statvfs(folder, &disk) != 0 || disk.f_blocks == 0)
        return ERROR_NONE;
    uint64_t free_bytes = (uint64_t)disk.f_bavail * disk.f_frsize;
    if (free_bytes >= all)
        return ERROR_NONE;
    return error_raise(error, ERROR_NO_SPACE, 0, folder,
                       "the results take at least %llu kB, and %llu kB are free",
                       (unsigned long long)all / 1000 + 1, (unsigned long long)free_bytes / 1000);
}
