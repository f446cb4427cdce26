// SPDX-License-Identifier: Apache-2.0
#include "bench/model/costs_target.h"

#include "base/cores.h"
#include "bench/cli/machine.h"
#include "bench/cli/option_row.h"

#include <stdio.h>

void costs_target_describe(const struct target_options *options, const struct target *target,
                           uint32_t processes, struct costs_record *record)
{
    const struct four_letter_identity *identity = &target->identities[0];
    char servers[CONNECT_TEXT_SIZE];
    *record = (struct costs_record){.server_count = (uint32_t)target->servers.count,
                                    .processes = processes,
                                    .cpu_percent = options->cpu_percent,
                                    .cores = cores_allowed()};
    machine_names(record->host, sizeof record->host, record->cpu, sizeof record->cpu);
    snprintf(record->servers, sizeof record->servers, "%s",
             options->connect ? connect_typed(&options->servers, servers, sizeof servers)
                              : "private");
    snprintf(record->zookeeper, sizeof record->zookeeper, "%s",
             identity->talks ? identity->version : "unknown");
    snprintf(record->fsync, sizeof record->fsync, "%s",
             options->connect ? "unknown" : option_row_no_yes[options->fsync]);
    snprintf(record->driver, sizeof record->driver, "%s", options_drivers[options->driver]);
}
