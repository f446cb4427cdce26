// SPDX-License-Identifier: Apache-2.0
/* The experiment of Figure 8: its options, and what it tells. */
#include "bench/paper/internal.h"

#include "base/memory.h"
#include "base/output.h"
#include "bench/cli/complain.h"
#include "bench/cli/terminal.h"

#include <stdlib.h>

/* The paper's servers elect a leader in less than this (section 5.2). */
#define PUBLISHED_ELECTION_MS 200

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
    PAPER_ROWS_ON(ROW_REAL_DRIVER, "15s", ROW_NO_CONNECT),
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

/* ------------------------------------------------------------------ for people */

static const struct paper_column columns_of_events[] = {
    {{.over = "", .title = "killed"}, .of = figure8_event_event},
    {{.over = "before,", .title = "1/s", .right = true}, .of = figure8_event_before_per_s},
    {{.over = "down,", .title = "1/s", .right = true}, .of = figure8_event_down_per_s},
    {{.over = "after,", .title = "1/s", .right = true}, .of = figure8_event_after_per_s},
    {{.over = "write,", .title = "ms", .right = true}, .of = figure8_event_first_write_ms},
    {{.over = "silence,", .title = "ms", .right = true}, .of = figure8_event_longest_silence_ms},
    {{.over = "leader,", .title = "ms", .right = true}, .of = figure8_event_new_leader_ms},
    {{.over = "serves,", .title = "ms", .right = true}, .of = figure8_event_serves_ms},
};

static void explain(const struct table *events, const struct load_options *options, FILE *stream)
{
    char servers[120];
    (void)events;
    wrap_sentence(stream,
                  "Medians of the trials. Write: from the kill to the reply to the first write "
                  "that was sent after it. Silence: the longest time without a completed "
                  "operation. Leader: from the kill until another server leads and serves; in the "
                  "paper less than %d ms. Serves: from the restart until the servers serve.",
                  PUBLISHED_ELECTION_MS);
    wrap_sentence(
        stream, "Sessions do not go back to a server that has been restarted, as in the paper, so "
                "throughput does not recover in full. A claim about throughput holds if the "
                "ratio is above the share of servers that would be up had one more been killed. "
                "The paper has no numbers for it: its column is the share of servers that were "
                "up.");
    wrap_sentence(stream,
                  "Ours: %llu servers, %llu sessions, %u request%s outstanding each, 30 %% writes, "
                  "values of %u bytes; %s; %u trials of %u s. A session that finds no server waits "
                  "for %.0f ms (--session-timeout / 60).",
                  (unsigned long long)options->target.server_counts[0],
                  (unsigned long long)options->sessions.list[0], options->depth,
                  options->depth == 1 ? "" : "s", options->value_bytes,
                  paper_servers_describe(&options->target, servers, sizeof servers),
                  options->trials, (unsigned)(options->duration_ns / NS_PER_S),
                  (double)options->session_timeout_ns / 60 / 1e6);
}

/* ------------------------------------------------------------------ the results */

struct lead {
    struct figure8 figure;
    const struct paper *paper;
};

static enum error_kind keep(void *context, const struct table_value *row,
                            const struct load_result *result, struct error *error)
{
    struct lead *lead = context;
    const struct outages *outages = result->load->outages;
    uint32_t count = lead->figure.seconds * OUTAGES_SAMPLES_PER_S;
    struct figure8_operations *operations = memory_new(count, sizeof *operations);
    (void)error;
    for (uint32_t i = 0; i < count; i++) {
        operations[i].reads = outages_sample(outages, i, OUTAGES_READS);
        operations[i].writes = outages_sample(outages, i, OUTAGES_WRITES);
    }
    figure8_add(&lead->figure, row[load_row_trial].count, row[load_row_valid].flag, result->faults,
                operations);
    free(operations);
    return ERROR_NONE;
}

static int tell(const struct load_series *series, void *context, int *verdict)
{
    struct lead *lead = context;
    struct figure8 *figure = &lead->figure;
    const struct load_options *options = series->options;
    struct error error;
    figure8_judge(figure, paper_servers_cannot_show(&options->target, false));
    if (file_set_save_table(options->output.out, &figure->samples, NULL, &error) != ERROR_NONE)
        return complain(&error);
    const struct paper_outcome outcome = {.paper = lead->paper,
                                          .file = &figure->faults,
                                          .cells = &figure->events,
                                          .judgements = &figure->judgements,
                                          .series = &series->base,
                                          .fails = paper_loads_complain(series)};
    return paper_tell(&outcome, verdict);
}

static int lead_trials(struct paper *paper)
{
    struct load_options *load = &paper->options->load;
    struct lead lead = {.paper = paper};
    struct figure8 *figure = &lead.figure;
    load->mix = mix_of_reads(READS_PERCENT);
    figure8_init(figure, load->target.server_counts[0], load->duration_ns);
    const struct load_series_user user = {.tell = tell,
                                          .keep = keep,
                                          .context = &lead,
                                          .faults = figure->plan.faults,
                                          .fault_count = 2 * figure->plan.events};
    int status = paper_loads_lead(paper, &user);
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
    .columns = columns_of_events,
    .column_count = sizeof columns_of_events / sizeof columns_of_events[0],
    .explain = explain,
};
