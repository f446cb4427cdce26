// SPDX-License-Identifier: Apache-2.0
#include "bench/cli/options.h"

#include "base/clock.h"
#include "base/output.h"
#include "bench/cli/complain.h"

#include <stdlib.h>

/* Steady, when neither --handoffs nor --duration is given: grants of each client. */
#define ROUNDS_DEFAULT 10

const char *const options_workloads[] = {
    [WORKLOAD_DRAIN] = "drain", [WORKLOAD_STEADY] = "steady", NULL};
const char *const options_paces[] = {[PACE_LOCKSTEP] = "lockstep", [PACE_FREE] = "free", NULL};
const char *const options_drivers[] = {[DRIVER_EVENTS] = "events",
                                       [DRIVER_THREADS] = "threads",
                                       [DRIVER_SIMULATED] = "simulated",
                                       NULL};
const char *const options_placements[] = {[PLACEMENT_SPREAD] = "spread",
                                          [PLACEMENT_LEADER] = "leader",
                                          [PLACEMENT_FOLLOWERS] = "followers",
                                          NULL};

const char *const options_acls[] = {"open", "creator", NULL};
const char *const options_noise_modes[] = {
    [NOISE_RETRY] = "retry", [NOISE_REPORT] = "report", [NOISE_OFF] = "off", NULL};

bool options_write_nowhere(const char *subcommand, struct output_options *output, const char *other)
{
    const char *asked = output->out != NULL                      ? "with --out"
                        : output->plots != OPTIONS_PLOTS_DEFAULT ? "with --plots"
                                                                 : other;
    if (!output->no_files)
        return true;
    if (asked != NULL)
        return complain_value(subcommand, "--no-files", asked, "nothing is written: leave one out");
    output->out = OUTPUT_NOWHERE;
    return true;
}

void options_deinit(struct options *options)
{
    free(options->plan.clients.list);
    free(options->plan.traced.list);
    target_options_deinit(&options->target);
    *options = (struct options){0};
}

void target_options_deinit(struct target_options *target)
{
    free(target->server_counts);
    identity_free(target->servers.identity);
    *target = (struct target_options){0};
}

uint64_t options_handoffs(const struct options *options, uint64_t clients)
{
    if (options->plan.handoffs != 0 || options->plan.duration_ns != 0)
        return options->plan.handoffs;
    return clients * ROUNDS_DEFAULT;
}

/* ------------------------------------------------------------------ a load */

const char *const load_options_arrivals[] = {"constant", "poisson", NULL};

void load_options_deinit(struct load_options *options)
{
    free(options->reads.list);
    free(options->sessions.list);
    free(options->rates.list);
    target_options_deinit(&options->target);
    *options = (struct load_options){0};
}

size_t load_options_mixes(const struct load_options *options)
{
    return options->reads.count > 0 ? options->reads.count : 1;
}

struct mix load_options_mix(const struct load_options *options, size_t index)
{
    return options->reads.count > 0 ? mix_of_reads((uint32_t)options->reads.list[index])
                                    : options->mix;
}

size_t load_options_rates(const struct load_options *options)
{
    return options->rates.count > 0 ? options->rates.count : 1;
}

uint64_t load_options_rate(const struct load_options *options, size_t index)
{
    return options->rates.count > 0 ? options->rates.list[index] : 0;
}

bool load_options_suit_driver(const char *subcommand, const struct load_options *options,
                              const struct mix *mix)
{
    return options->target.driver != DRIVER_THREADS || mix_requests(mix, options->depth) == 1 ||
           complain_value(subcommand, "--driver", "threads",
                          "a thread waits for each reply: for --depth above 1, and for "
                          "create-delete, use --driver events");
}

json_t *load_options_describe(const uint64_t *list, size_t count)
{
    json_t *numbers = json_array();
    for (size_t i = 0; i < count; i++)
        json_array_append_new(numbers, json_integer((json_int_t)list[i]));
    return numbers;
}

static json_t *describe_mixes(const struct load_options *options)
{
    json_t *mixes = json_array();
    for (size_t i = 0; i < load_options_mixes(options); i++) {
        const struct mix mix = load_options_mix(options, i);
        char text[128];
        json_array_append_new(mixes, json_string(mix_format(&mix, text, sizeof text)));
    }
    return mixes;
}

json_t *load_options_plan(const struct load_options *options)
{
    bool own = options->znodes == 0;
    return json_pack(
        "{s:o, s:o, s:o, s:s?, s:i, s:i, s:o, s:i, s:I, s:I, s:i, s:b, s:i, s:o, s:s, s:I, s:I}",
        "mixes", describe_mixes(options), "sessions",
        load_options_describe(options->sessions.list, options->sessions.count), "rates_per_s",
        load_options_describe(options->rates.list, options->rates.count), "arrivals",
        options->rates.count > 0 ? load_options_arrivals[options->poisson] : NULL, "depth",
        (int)options->depth, "value_bytes", (int)options->value_bytes, "znodes",
        own ? json_string("own") : json_integer(options->znodes), "watch_percent",
        (int)options->watch_percent, "warm_up_ns", (json_int_t)options->warm_up_ns, "duration_ns",
        (json_int_t)options->duration_ns, "trials", (int)options->trials, "rehearsal",
        options->rehearses, "processes", (int)options->processes, "server_cpu_percent",
        options->target.cpu_percent > 0 ? json_integer(options->target.cpu_percent) : json_null(),
        "placement", options_placements[options->target.placement], "session_timeout_ms",
        (json_int_t)(options->session_timeout_ns / NS_PER_MS), "timeout_ms",
        (json_int_t)(options->timeout_ns / NS_PER_MS));
}
