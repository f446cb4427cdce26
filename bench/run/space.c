// SPDX-License-Identifier: Apache-2.0
#include "bench/run/space.h"

#include "bench/output/folder.h"
#include "bench/run/results.h"
#include "trial/trial_plan.h"

#include <limits.h>
#include <sys/resource.h>
#include <sys/statvfs.h>

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
