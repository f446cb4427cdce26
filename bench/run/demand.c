// SPDX-License-Identifier: Apache-2.0
#include "bench/run/internal.h"

#include "base/memory.h"
#include "base/text.h"
#include "bench/background/background.h"
#include "bench/cli/complain.h"
#include "bench/cli/machine.h"
#include "bench/output/folder.h"
#include "trial/trial_plan.h"

#include <limits.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/statvfs.h>

/* The requests are exact under lockstep, a guess in free pace, and unknown with --duration.
 * --max-rate does not limit those of --background. */
void demand_print(const struct options *options, const struct cells *cells,
                  const struct connect_string *servers)
{
    const struct run_plan *plan = &options->plan;
    uint64_t rpcs = cells->rpcs, bytes = cells->bytes;
    char where[CONNECT_TEXT_SIZE];
    struct growing_text what = {0};
    for (size_t i = 0; i < plan->recipe_count; i++) {
        struct trial_plan drain;
        const struct cell warm_up = cells_warm_up(options, i, 0, &drain);
        rpcs += warm_up.rpcs;
        bytes += warm_up.bytes;
    }
    if (plan->duration_ns != 0)
        growing_text_add(&what, ", seconds of each %.1f", (double)plan->duration_ns / 1e9);
    else
        growing_text_add(&what, ", requests %s%s, MB %.2f", plan->pace == PACE_FREE ? "about " : "",
                         RUN_COUNT(rpcs), (double)bytes / 1e6);
    if (plan->max_rate != 0)
        growing_text_add(&what, ", requests a second %s", RUN_COUNT(plan->max_rate));
    if (plan->background.given)
        growing_text_add(&what, "; of --background: sessions %d, requests a second %s",
                         BACKGROUND_SESSIONS, RUN_COUNT(plan->background.rate_per_s));
    complain_mildly("on %s: at most %s sessions at a time, warm-ups %zu, trials %zu%s",
                    connect_typed(servers, where, sizeof where),
                    RUN_COUNT(plan->clients.list[plan->clients.count - 1]), plan->recipe_count,
                    cells->trials, what.text);
    free(what.text);
}

/* The client library numbers the requests of a process with 31 bits, beginning with the time of
 * day. */
#define REQUESTS_PER_PROCESS UINT64_C(300000000)

void demand_warn(const struct series *series, const struct cells *cells,
                 struct series_record *record)
{
    const struct series_options *options = &series->options;
    size_t servers = series->targets.list[record->topology].placement.count;
    uint64_t most_rpcs = 0;
    for (size_t i = 0; i < cells->count; i++)
        most_rpcs = cells->list[i].rpcs > most_rpcs ? cells->list[i].rpcs : most_rpcs;
    if (options->target->driver == DRIVER_SIMULATED)
        return;
    if (most_rpcs / options->processes > REQUESTS_PER_PROCESS)
        series_warn(series, record,
                    "a trial makes more requests than the client library can number in one "
                    "process: spread it with --processes");
    if (series_most_clients(series) / servers > machine_local_ports())
        series_warn(series, record,
                    "more clients than local ports for one server (net.ipv4.ip_local_port_range): "
                    "not all of them will get a connection");
}

/* Bytes of the shortest rows that there are: of a handoff, of a session; and of a trial in
 * latency.hlog, with the shortest histograms, and in its other files, with the fewest rows. */
#define HANDOFF_BYTES 40
#define SESSION_BYTES 25
#define HLOG_BYTES    1000
#define TRIAL_BYTES   480

/* The least bytes of the results on one topology: of all files, and of the largest. Handoffs of
 * trials that end by time are not counted. */
static void measure_files(const struct options *options, uint64_t *all, uint64_t *largest)
{
    const struct run_plan *run = &options->plan;
    uint64_t trials = 0, sessions = 0, handoffs = 0;
    for (size_t i = 0; i < run->recipe_count * run->clients.count; i++) {
        size_t recipe = i / run->clients.count;
        uint64_t clients = run->clients.list[i % run->clients.count];
        if (clients > run->most_clients[recipe] || clients > options->target.max_clients)
            continue;
        const struct trial_plan plan = cell_plan(options, run->recipes[recipe], clients);
        trials += run->trials;
        sessions += clients * run->trials;
        for (uint32_t lock = 0; lock < plan.locks; lock++) {
            uint64_t of_lock = plan_handoffs_of(&plan, lock);
            handoffs += of_lock == UINT64_MAX ? 0 : of_lock * run->trials;
        }
    }
    if (handoffs > RECORD_HANDOFFS_MAX / 2) /* above it rows are thinned */
        handoffs = RECORD_HANDOFFS_MAX / 2;
    const uint64_t files[] = {handoffs * HANDOFF_BYTES, sessions * SESSION_BYTES,
                              trials * HLOG_BYTES};
    *all = files[0] + files[1] + files[2] + trials * TRIAL_BYTES;
    *largest = files[0] > files[1] ? files[0] : files[1];
    *largest = files[2] > *largest ? files[2] : *largest;
}

enum error_kind demand_check_space(const struct options *options, struct error *error)
{
    char folder[PATH_MAX];
    struct statvfs disk;
    struct rlimit limit;
    uint64_t all, largest;
    measure_files(options, &all, &largest);
    all *= options->target.topology_count;
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
