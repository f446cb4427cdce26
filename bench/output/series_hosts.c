// SPDX-License-Identifier: Apache-2.0
/* The hosts of a series: the workers of --meet. */
#include "base/clock.h"
#include "base/cores.h"
#include "bench/output/crew_kinds.h"
#include "bench/output/json_result.h"
#include "bench/output/series.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* How long workers may take to come. */
#define GATHER_NS (30 * NS_PER_S)

enum error_kind series_meet(struct series *series, struct error *error)
{
    const struct crew_options *options = &series->options.target->crew;
    const struct target *target = &series->targets.list[0];
    struct connect_string place = options->meet;
    char host[128] = "", who[MEETING_LEADER_SIZE];
    if (!options->meets)
        return ERROR_NONE;
    place.identity = series->options.target->servers.identity;
    gethostname(host, sizeof host - 1);
    snprintf(who, sizeof who, "zkherd %s on %.100s, process %ld", series->options.subcommand, host,
             (long)getpid());
    enum error_kind kind = crew_open(&place, &target->servers, who, crew_kinds,
                                     series->targets.signals, &series->crew, error);
    series->targets.crew = series->crew;
    return kind == ERROR_NONE ? crew_announce(series->crew, &target->servers, target->root, error)
                              : kind;
}

enum error_kind series_gather(struct series *series, struct error *error)
{
    const struct crew_options *options = &series->options.target->crew;
    if (series->crew == NULL)
        return ERROR_NONE;
    progress_say(&series->progress, "waiting for the workers");
    enum error_kind kind =
        crew_gather(series->crew, options->least, options->most, GATHER_NS, error);
    if (kind == ERROR_NONE)
        kind = crew_look_for(series->crew, series->targets.list[0].setup, error);
    progress_clear(&series->progress);
    return kind;
}

/* What a member tells may be any bytes. */
json_t *series_describe_workers(const struct series *series)
{
    json_t *workers = json_array();
    const struct crew_seat *seat;
    for (uint32_t i = 0; (seat = crew_seat(series->crew, i)) != NULL; i++)
        json_array_append_new(
            workers, json_pack("{s:o, s:o, s:o, s:I, s:I, s:o}", "member",
                               json_text(seat->member.name), "host", json_text(seat->member.host),
                               "system", json_text(seat->member.system), "cores",
                               (json_int_t)seat->member.cores, "processes", (json_int_t)seat->count,
                               "version", json_text(seat->member.version)));
    return workers;
}

double series_cores(const struct series *series)
{
    return series->crew != NULL ? crew_cores(series->crew) : cores_allowed();
}
