// SPDX-License-Identifier: Apache-2.0
#include "bench/run/demand.h"

#include "base/clock.h"
#include "base/text.h"
#include "bench/background/background.h"
#include "bench/cli/complain.h"

#include <stdbool.h>
#include <stdio.h>

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
