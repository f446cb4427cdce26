// SPDX-License-Identifier: Apache-2.0
#include "bench/run/space.h"

#include "bench/output/folder.h"
#include "bench/run/results.h"
#include "trial/plan.h"

#include <limits.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/statvfs.h>

/* The shortest rows there are, and for a trial the fewest of latency.csv and the shortest
 * histograms. */
#define TRIAL_BYTES     180
#define HANDOFF_BYTES   40
#define SESSION_BYTES   25
#define LATENCIES_BYTES 300
#define HISTOGRAM_BYTES 1000

/* Bytes of the files that grow with the trials. */
struct sizes {
    uint64_t trials, handoffs, sessions, latency, hlog;
};

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

/* Of one trial of each cell of one topology. */
static struct sizes size_of_round(const struct options *options)
{
    struct sizes sizes = {0};
    for (size_t r = 0; r < options->plan.recipe_count; r++) {
        for (size_t i = 0; i < options->plan.clients.count; i++) {
            uint64_t clients = options->plan.clients.list[i];
            if (clients > options->plan.most_clients[r] || clients > options->target.max_clients)
                continue;
            sizes.trials += TRIAL_BYTES;
            sizes.handoffs +=
                handoff_rows(options, options->plan.recipes[r], clients) * HANDOFF_BYTES;
            sizes.sessions += clients * SESSION_BYTES;
            sizes.latency += LATENCIES_BYTES;
            sizes.hlog += HISTOGRAM_BYTES;
        }
    }
    return sizes;
}

static struct sizes size_of_run(const struct options *options)
{
    struct sizes sizes = size_of_round(options);
    sizes.trials *= options->plan.trials;
    sizes.handoffs *= options->plan.trials;
    sizes.sessions *= options->plan.trials;
    sizes.latency *= options->plan.trials;
    sizes.hlog *= options->plan.trials;
    if (sizes.handoffs > RESULTS_HANDOFFS_MAX / 2 * HANDOFF_BYTES)
        sizes.handoffs = RESULTS_HANDOFFS_MAX / 2 * HANDOFF_BYTES;
    return sizes;
}

static uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static enum error_kind check_limit(const struct sizes *sizes, const char *folder,
                                   struct error *error)
{
    struct rlimit limit;
    uint64_t largest = larger(larger(sizes->trials, sizes->handoffs),
                              larger(sizes->sessions, larger(sizes->latency, sizes->hlog)));
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
    struct sizes sizes = size_of_run(options);
    uint64_t all = sizes.trials + sizes.handoffs + sizes.sessions + sizes.latency + sizes.hlog;
    all *= options->target.topology_count;
    folder_parent(options->output.out, folder);
    enum error_kind kind = check_limit(&sizes, folder, error);
    if (kind != ERROR_NONE || statvfs(folder, &disk) != 0)
        return kind;
    uint64_t free_bytes = (uint64_t)disk.f_bavail * disk.f_frsize;
    if (disk.f_blocks == 0 || free_bytes >= all)
        return ERROR_NONE;
    return error_raise(error, ERROR_NO_SPACE, 0, folder,
                       "the results take at least %llu kB, and %llu kB are free",
                       (unsigned long long)all / 1000 + 1, (unsigned long long)free_bytes / 1000);
}
