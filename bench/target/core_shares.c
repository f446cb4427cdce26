// SPDX-License-Identifier: Apache-2.0
#include "bench/target/core_shares.h"

#include "base/cores.h"
#include "base/error.h"
#include "servers/cpu_share.h"
#include "servers/ensemble.h"

#include <stdio.h>
#include <unistd.h>

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

const char *core_shares_find(uint32_t processes, uint64_t servers, uint32_t *percent, char *text,
                             size_t size)
{
    struct error error;
    uint32_t share = core_shares_of(cores_allowed(), processes, servers);
    if (share == 0)
        return "there are too few cores for a share of each server";
    if (try_share(share, &error) != ERROR_NONE) {
        snprintf(text, size, "%s: %s", error.subject, error.detail);
        return text;
    }
    *percent = share;
    return NULL;
}

/* A comparison with NaN is false. */
bool core_shares_starved(double server_cores, uint64_t servers, uint32_t percent)
{
    double shares = (double)servers * percent / 100;
    return server_cores * 100 < CORE_SHARES_SATURATED_PERCENT * shares;
}
