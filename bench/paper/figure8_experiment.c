// SPDX-License-Identifier: Apache-2.0
/* The experiment of Figure 8: its options, and what it ends with. */
#include "bench/cli/complain.h"
#include "bench/paper/experiment.h"
#include "bench/paper/figure8.h"
#include "bench/paper/figure8_text.h"
#include "bench/paper/paper_json_cells.h"
#include "bench/paper/paper_loads.h"
#include "bench/paper/paper_servers.h"

#include <stdio.h>

#define READS_PERCENT 70
#define LEAST_PART_NS (NS_PER_S / 2)

/* The simulation and --connect are refused with the reason, but the help does not offer them. */
#define ROW_REAL_DRIVER                                                                            \
    {                                                                                              \
        .name = "--driver", .letter = 'd',                                                         \
        OPTION_WORD(struct load_options, target.driver, options_drivers,                           \
                    "expected events or threads"),                                                 \
        .value = "events",                                                                         \
        .help = "  -d, --driver NAME        events: one event loop per process; threads: a "       \
                "thread\n"                                                                         \
                "                           per session [events]\n"                                \
    }
#define ROW_NO_CONNECT                                                                             \
    {                                                                                              \
        .name = "--connect", OPTION_SERVERS(struct load_options, target.servers),                  \
        .given = OPTION_MEMBER(struct load_options, target.connect), .help = ""                    \
    }

static const struct option_row rows[] = {
    {.name = "--servers",
     .parse = rows_topologies,
     .member = OPTION_MEMBER(struct load_options, target),
     .given = OPTION_MEMBER(struct load_options, target.servers_given),
     .least = 1,
     .most = ENSEMBLE_SERVERS_MAX,
     .value = "5",
     .help = "      --servers N          private servers: 3, 5 or 7 [5]\n"},
    PAPER_ROW_SESSIONS,
    LOAD_ROW_DEPTH("20"),
    LOAD_ROW_SIZE("1024"),
    LOAD_ROW_DURATION("170s"),
    LOAD_ROW_WARM_UP("10s"),
    LOAD_ROW_TRIALS(2, "3"),
    PAPER_ROWS_ON(ROW_REAL_DRIVER, ROW_NO_CONNECT, "15s"),
};

static const char usage[] =
    "Usage: zkherd paper figure8 [OPTION]...\n"
    "Throughput over time, with 30 % writes, while servers are killed and started\n"
    "again (Figure 8 of the paper): a follower, another one, the leader, two\n"
    "followers, the leader. Private servers only.\n"
    "\n";

static const char notes[] =
    "\n"
    "Durations D need a unit: 500ms, 30s, 5m. Exit status: see zkherd paper --help.\n"
    "\n"
    "Examples:\n"
    "  zkherd paper figure8                            about nine minutes\n"
    "  zkherd paper figure8 --servers 3 --duration 84s without the two followers\n"
    "  zkherd paper figure8 -t 10                      narrower intervals\n";

/* ------------------------------------------------------------------ the options */

static const char *cannot(const struct target_options *target)
{
    if (target->driver == DRIVER_SIMULATED)
        return "servers do not die in the simulation";
    return target->connect ? "zkherd does not kill servers of somebody else" : NULL;
}

static bool complain_of(const char *option, const char *value, const char *why)
{
    return complain_value("paper figure8", option, value, why);
}

static bool is_long_enough(const struct paper_options *options)
{
    uint64_t least_s =
        (figure8_plan_parts(options->load.target.server_counts[0]) * LEAST_PART_NS + NS_PER_S - 1) /
        NS_PER_S;
    char value[32], why[96];
    if (options->load.duration_ns >= least_s * NS_PER_S)
        return true;
    snprintf(value, sizeof value, "%llus",
             (unsigned long long)(options->load.duration_ns / NS_PER_S));
    snprintf(why, sizeof why,
             "expected at least %llus: half a second for each part of the schedule",
             (unsigned long long)least_s);
    return complain_of("--duration", value, why);
}

static bool is_consistent(const struct paper_options *options)
{
    const struct target_options *target = &options->load.target;
    const char *why = cannot(target);
    if (why != NULL && target->connect)
        return complain_of("--connect", "servers", why);
    if (why != NULL)
        return complain_of("--driver", "simulated", why);
    if (target->topology_count > 1)
        return complain_of("--servers", "a list", "expected one number");
    if (target->server_counts[0] < 3)
        return complain_of("--servers", "1", "expected 3, 5 or 7: no quorum would stay");
    return paper_options_sessions_are_one("paper figure8", options) && is_long_enough(options);
}

/* ------------------------------------------------------------------ the results */

struct lead {
    struct figure8 figure;
    const struct paper_options *options;
};

static enum error_kind keep(void *context, const struct table_value *row,
                            const struct load_result *result, struct error *error)
{
    struct lead *lead = context;
    return figure8_add(&lead->figure, row, result, error);
}

static void write_faults(const void *context, struct csv *csv)
{
    figure8_write(context, csv);
}

static void write_samples(const void *context, struct csv *csv)
{
    figure8_write_samples(context, csv);
}

static int tell(const struct load_series *series, void *context, int *verdict)
{
    const struct lead *lead = context;
    struct figure8 *figure = &((struct lead *)context)->figure;
    const struct load_options *options = series->options;
    struct error error;
    if (figure8_judge(figure, paper_servers_cannot_show(&options->target, false), &error) !=
            ERROR_NONE ||
        paper_results_write(options->output.out, "samples.csv", figure, write_samples, &error) !=
            ERROR_NONE)
        return complain(&error);
    const struct paper_results results = {
        .file = "figure8.csv",
        .table = figure,
        .write = write_faults,
        .print = figure8_text_print,
        .explain = figure8_text_explain,
        .describe = paper_json_cells_figure8,
        .judgements = &figure->judgements,
    };
    return paper_loads_tell(series, lead->options, &results, verdict);
}

static int lead_trials(struct paper_options *options, int argc, char **argv, bool *interrupted)
{
    struct load_options *load = &options->load;
    struct lead lead = {.options = options};
    struct figure8 *figure = &lead.figure;
    load->mix = mix_of_reads(READS_PERCENT);
    figure8_init(figure, load->target.server_counts[0], load->duration_ns);
    const struct load_series_user user = {.tell = tell,
                                          .keep = keep,
                                          .context = &lead,
                                          .faults = figure->plan.faults,
                                          .fault_count = 2 * figure->plan.events};
    int status = paper_loads_lead_for(&user, options, argc, argv, interrupted);
    figure8_deinit(figure);
    return status;
}

const struct experiment experiment_figure8 = {
    .name = "figure8",
    .command = {.arguments = {"paper figure8", usage, rows, notes, NULL},
                .simulated = "5",
                .is_consistent = is_consistent},
    .cannot = cannot,
    .lead = lead_trials,
};
