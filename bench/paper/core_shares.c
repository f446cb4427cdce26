// SPDX-License-Identifier: Apache-2.0
#include "bench/paper/core_shares.h"

#include "base/cores.h"
#include "base/error.h"
#include "servers/cpu_share.h"
#include "servers/server.h"

#include <stdio.h>
#include <unistd.h>

#define CANNOT_SHOW                                                                                \
    "; the servers share the cores, so the shape cannot show, and is not judged between "          \
    "numbers of servers"

uint32_t core_shares_of(double cores, uint32_t processes, uint64_t servers)
{
    double driver = processes < cores / 2 ? processes : cores / 2;
    uint32_t percent = (uint32_t)((cores - driver) * 100 / (double)servers);
    return percent >= SERVER_CPU_MIN_PERCENT ? percent : 0;
}

/* By a share that nothing is put in. */
static enum error_kind try_share(uint32_t percent, struct error *error)
{
    struct cpu_share share;
    char name[48];
    snprintf(name, sizeof name, "zkherd-trial-%d", (int)getpid());
    enum error_kind kind = cpu_share_new(name, percent, &share, error);
    if (kind == ERROR_NONE)
        cpu_share_remove(&share);
    return kind;
}

const char *core_shares_choose(struct load_options *options, char *text, size_t size)
{
    struct target_options *target = &options->target;
    struct error error;
    if (target->driver == DRIVER_SIMULATED || target->connect || target->cpu_percent > 0)
        return NULL;
    uint32_t percent = core_shares_of(cores_allowed(), options->processes,
                                      target->server_counts[target->topology_count - 1]);
    if (percent == 0)
        return "there are too few cores for a share of each server" CANNOT_SHOW;
    if (try_share(percent, &error) != ERROR_NONE) {
        snprintf(text, size, "%s: %s%s", error.subject, error.detail, CANNOT_SHOW);
        return text;
    }
    target->cpu_percent = percent;
    return NULL;
}
