// SPDX-License-Identifier: Apache-2.0
#include "bench/run/internal.h"

#include "base/memory.h"
#include "base/text.h"
#include "bench/background/background.h"
#include "bench/cli/complain.h"
#include "bench/cli/machine.h"

#include <stdlib.h>

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
