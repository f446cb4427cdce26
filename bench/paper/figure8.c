// SPDX-License-Identifier: Apache-2.0
/*
 * Figure 8 of the paper: throughput while servers are killed and started again.
 *
 * What is judged is what the paper says of the figure: no second of a trial is without a completed
 * operation, while a follower is down and when the leader is lost; a follower costs about its share
 * of the throughput, not more; throughput recovers. In the paper, too, it does not recover in full:
 * sessions stay where they are when a server is back. So a ratio holds if its interval is above
 * what is left without one server more than were killed, and the paper's is what is left without
 * those.
 */
#include "bench/paper/figure8.h"

#include "base/clock.h"
#include "base/memory.h"
#include "base/text.h"
#include "bench/cli/complain.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define FIGURE8_SAMPLE_COLUMNS(X, T)                                                               \
    X(T, trial, COUNT, "", 0, KEY, "the trial")                                                    \
    X(T, from_s, REAL, "s", 1, NONE, "the beginning, since the measured time began")               \
    X(T, reads, COUNT, "", 0, NONE, "completed as foreseen")                                       \
    X(T, writes, COUNT, "", 0, NONE, "completed as foreseen")                                      \
    X(T, operations_per_s, REAL, "1/s", 1, NONE, "the rate of both together")
TABLE_DECLARE(figure8_sample, FIGURE8_SAMPLE_COLUMNS);

TABLE_DEFINE(figure8_fault, "figure8.csv", FIGURE8_FAULT_COLUMNS)
TABLE_DEFINE(figure8_event, "figure8.csv", FIGURE8_EVENT_COLUMNS)
TABLE_DEFINE(figure8_sample, "samples.csv", FIGURE8_SAMPLE_COLUMNS)

#define READS_PERCENT 70
#define SAMPLE_NS     (NS_PER_S / OUTAGES_SAMPLES_PER_S)
#define LEAST_PART_NS (NS_PER_S / 2)

/* As many samples as the paper counts together: 300 ms. */
#define SAMPLES_A_ROW 3

/* ------------------------------------------------------------------ the schedule */

static const struct event {
    const char *word;
    enum load_fault_target target;
    uint32_t killed;
} events[FIGURE8_EVENTS_MAX] = {
    {"a follower", LOAD_FAULT_FOLLOWER, 1}, {"another follower", LOAD_FAULT_ANOTHER_FOLLOWER, 1},
    {"the leader", LOAD_FAULT_LEADER, 1},   {"two followers", LOAD_FAULT_FOLLOWER, 2},
    {"the leader", LOAD_FAULT_LEADER, 1},
};

static uint32_t count_events(uint64_t servers)
{
    return servers < 5 ? FIGURE8_EVENTS_MAX - 1 : FIGURE8_EVENTS_MAX;
}

uint64_t figure8_parts(uint64_t servers)
{
    return 3 * count_events(servers) + 2;
}

/* An event of the figure: without the two followers the leader is in their place. */
static const struct event *event_of(const struct figure8 *figure, size_t event)
{
    return &events[event + (figure->events < FIGURE8_EVENTS_MAX && event == figure->events - 1)];
}

void figure8_init(struct figure8 *figure, struct paper *paper, uint64_t servers,
                  uint64_t duration_ns)
{
    *figure = (struct figure8){.paper = paper,
                               .servers = servers,
                               .end_ns = duration_ns / NS_PER_S * NS_PER_S,
                               .part_ns = duration_ns / figure8_parts(servers),
                               .events = count_events(servers),
                               .faults.type = &figure8_fault_table,
                               .samples.type = &figure8_sample_table};
    for (size_t i = 0; i < figure->events; i++) {
        const struct event *event = event_of(figure, i);
        uint64_t at_ns = (2 + 3 * i) * figure->part_ns;
        figure->schedule[2 * i] = (struct load_fault){at_ns, event->target, event->killed};
        figure->schedule[2 * i + 1] =
            (struct load_fault){at_ns + figure->part_ns, LOAD_FAULT_DOWN, 0};
    }
}

void figure8_deinit(struct figure8 *figure)
{
    table_deinit(&figure->faults);
    table_deinit(&figure->samples);
}

/* ------------------------------------------------------------------ a trial */

/* Operations a second in the tenths that lie between these times; NaN: none does. */
static double rate_between(const struct figure8 *figure, uint64_t from_ns, uint64_t until_ns)
{
    uint64_t sum = 0, first = (from_ns + SAMPLE_NS - 1) / SAMPLE_NS,
             end = (until_ns < figure->end_ns ? until_ns : figure->end_ns) / SAMPLE_NS;
    for (uint64_t i = first; i < end; i++)
        sum += figure->operations[i].reads + figure->operations[i].writes;
    return end > first ? (double)sum * OUTAGES_SAMPLES_PER_S / (double)(end - first) : NAN;
}

/* When the time of a fault ends: at the next one that was carried out, or with the trial. */
static uint64_t end_of(const struct figure8 *figure, uint32_t fault)
{
    uint32_t next = fault + 1;
    while (next < 2 * figure->events && !figure->results[next].carried_out)
        next++;
    if (next == 2 * figure->events || figure->results[next].at_ns > figure->end_ns)
        return figure->end_ns;
    return figure->results[next].at_ns;
}

/* The rates of an event, in the row of its kill: in the part before, until the start, and in the
 * part that begins a part after the start. */
static void set_rates(const struct figure8 *figure, uint32_t fault, struct table_value *row)
{
    const struct load_fault_result *kill = &figure->results[fault], *start = kill + 1;
    uint64_t part_ns = figure->part_ns, killed_ns = kill->at_ns, started_ns = start->at_ns,
             until_ns = started_ns + 2 * part_ns, end_ns = end_of(figure, fault + 1);
    if (!start->carried_out)
        return;
    row[figure8_fault_before_per_s] =
        table_real(rate_between(figure, killed_ns - part_ns, killed_ns));
    row[figure8_fault_down_per_s] = table_real(rate_between(figure, killed_ns, started_ns));
    row[figure8_fault_after_per_s] = table_real(
        rate_between(figure, started_ns + part_ns, until_ns < end_ns ? until_ns : end_ns));
}

/* Whole seconds of the measured time without an operation that end within a fault's time. */
static uint32_t count_zero_seconds(const struct figure8 *figure, uint32_t fault)
{
    uint32_t count = 0;
    uint64_t end_ns = (figure->results[fault].at_ns / NS_PER_S + 1) * NS_PER_S;
    for (; end_ns <= end_of(figure, fault); end_ns += NS_PER_S)
        count += rate_between(figure, end_ns - NS_PER_S, end_ns) == 0;
    return count;
}

/* A time since the fault; one that did not come within the trial is not known. */
static struct table_value since_ms(uint64_t time_ns)
{
    return table_real(time_ns == UINT64_MAX ? NAN : (double)time_ns / 1e6);
}

/* What became of a fault that was carried out. */
static void set_result(const struct load_fault_result *result, struct table_value *row)
{
    struct growing_text servers = {0};
    bool led = result->led_ns != UINT64_MAX, served = result->served_ns != UINT64_MAX;
    for (uint32_t i = 0; i < result->count; i++)
        growing_text_add(&servers, "%s%u", i > 0 ? "+" : "", result->servers[i] + 1);
    row[figure8_fault_servers] = table_text(servers.text);
    free(servers.text);
    row[figure8_fault_at_s] = table_real((double)result->at_ns / 1e9);
    row[figure8_fault_took_ms] = table_real((double)result->took_ns / 1e6);
    row[figure8_fault_first_operation_ms] = since_ms(result->first_operation_ns);
    row[figure8_fault_first_write_ms] = since_ms(result->first_write_ns);
    row[figure8_fault_longest_silence_ms] = since_ms(result->silence_ns);
    row[figure8_fault_longest_write_silence_ms] = since_ms(result->write_silence_ns);
    row[figure8_fault_new_leader_ms] = since_ms(result->led_ns);
    row[figure8_fault_new_leader_sooner_ms] = since_ms(led ? result->led_within_ns : UINT64_MAX);
    row[figure8_fault_new_leader] = table_count_if(led, result->leader + UINT64_C(1));
    row[figure8_fault_serves_ms] = since_ms(result->served_ns);
    row[figure8_fault_serves_sooner_ms] = since_ms(served ? result->served_within_ns : UINT64_MAX);
}

static void add_samples(struct figure8 *figure, uint64_t number)
{
    size_t count = figure->end_ns / SAMPLE_NS;
    for (size_t first = 0; first + SAMPLES_A_ROW <= count; first += SAMPLES_A_ROW) {
        struct table_value *row = table_add(&figure->samples);
        uint64_t reads = 0, writes = 0;
        for (size_t i = first; i < first + SAMPLES_A_ROW; i++) {
            reads += figure->operations[i].reads;
            writes += figure->operations[i].writes;
        }
        row[figure8_sample_trial] = table_count(number);
        row[figure8_sample_from_s] = table_real((double)first / OUTAGES_SAMPLES_PER_S);
        row[figure8_sample_reads] = table_count(reads);
        row[figure8_sample_writes] = table_count(writes);
        row[figure8_sample_operations_per_s] =
            table_real((double)(reads + writes) * OUTAGES_SAMPLES_PER_S / SAMPLES_A_ROW);
    }
}

void figure8_add(struct figure8 *figure, uint64_t number, bool valid,
                 const struct load_fault_result *results,
                 const struct figure8_operations *operations)
{
    figure->results = results;
    figure->operations = operations;
    for (uint32_t fault = 0; fault < 2 * figure->events; fault++) {
        const struct load_fault_result *result = &results[fault];
        const struct event *event = event_of(figure, fault / 2);
        bool is_kill = fault % 2 == 0;
        struct table_value *row = table_add(&figure->faults);
        row[figure8_fault_trial] = table_count(number);
        row[figure8_fault_valid] = table_flag(valid);
        row[figure8_fault_fault] = table_count(fault + UINT64_C(1));
        row[figure8_fault_event] = table_text(event->word);
        row[figure8_fault_action] = table_text(load_fault_word(&figure->schedule[fault]));
        row[figure8_fault_reason] = table_text(result->why);
        row[figure8_fault_of_leader] = table_flag(event->target == LOAD_FAULT_LEADER);
        row[figure8_fault_killed] = table_count_if(is_kill, event->killed);
        if (result->carried_out) {
            set_result(result, row);
            row[figure8_fault_seconds_at_zero] = table_count(count_zero_seconds(figure, fault));
        }
        if (result->carried_out && is_kill) {
            row[figure8_fault_role] = table_text(role_word(result->roles[0]));
            set_rates(figure, fault, row);
        }
    }
    add_samples(figure, number);
}

/* ------------------------------------------------------------------ the events over the trials */

static void add_events(struct figure8 *figure, size_t trials, size_t valid)
{
    /* The columns of an event from before_per_s on. */
    static const size_t medians[] = {
        figure8_fault_before_per_s,   figure8_fault_down_per_s,         figure8_fault_after_per_s,
        figure8_fault_first_write_ms, figure8_fault_longest_silence_ms, figure8_fault_new_leader_ms,
        figure8_fault_serves_ms,
    };
    static const size_t keys[] = {figure8_fault_fault};
    struct table_cells faults = table_group(&figure->faults, keys, 1);
    size_t flag = valid > 0 ? (size_t)figure8_fault_valid : TABLE_ALL;
    for (size_t kill = 0; kill + 1 < faults.count; kill += 2) {
        struct table_value *row = table_add(&figure->paper->figures);
        row[figure8_event_servers] = table_count(figure->servers);
        row[figure8_event_trials] = table_count(trials);
        row[figure8_event_valid] = table_count(valid);
        row[figure8_event_event] =
            table_text(table_cell_value(&faults.list[kill], figure8_fault_event)->text);
        for (size_t i = 0; i < sizeof medians / sizeof medians[0]; i++) {
            size_t of_start = medians[i] == figure8_fault_serves_ms;
            row[figure8_event_before_per_s + i] =
                table_real(table_cell_median(&faults.list[kill + of_start], medians[i], flag));
        }
    }
    table_cells_deinit(&faults);
}

/* ------------------------------------------------------------------ the judgements */

/* A claim about the seconds without an operation, or about a ratio of the rates of the events that
 * kill so many servers. */
struct claim {
    const char *claim, *row;
    size_t rate; /* its ratio to the rate before; 0: seconds without an operation */
    uint32_t killed;
    bool of_leader;
};

static const struct claim claims[] = {
    {"no second without an operation while followers are down", "no second at zero, followers", 0,
     0, false},
    {"no second without an operation at the leader's loss", "no second at zero, leader", 0, 0,
     true},
    {"a killed follower costs about its share of the throughput", "while a follower is down",
     figure8_fault_down_per_s, 1, false},
    {"two killed followers cost about their share", "while two followers are down",
     figure8_fault_down_per_s, 2, false},
    {"throughput recovers after a follower was started again", "after a follower is back",
     figure8_fault_after_per_s, 1, false},
    {"throughput recovers after the leader's loss", "after the leader's loss",
     figure8_fault_after_per_s, 1, true},
};

/* The geometric mean of the ratios of the events of a kind in the trial whose first fault is this
 * row; NaN if it has none. */
static double ratio_in(const struct figure8 *figure, size_t first, const struct claim *claim)
{
    double logs = 0, count = 0;
    for (size_t i = first; i < first + 2 * (size_t)figure->events; i++) {
        const struct table_value *row = table_row(&figure->faults, i);
        if (row[figure8_fault_of_leader].flag != claim->of_leader ||
            row[figure8_fault_killed].count != claim->killed)
            continue;
        logs +=
            log(table_number(&row[claim->rate]) / table_number(&row[figure8_fault_before_per_s]));
        count++;
    }
    return logs < INFINITY ? exp(logs / count) : NAN; /* of 0 events too */
}

/* Servers are alike, so one that is gone leaves its share. A trial whose ratio is 0 has no
 * logarithm: then there is no interval. A comparison with NaN is false. */
static void judge_ratio(const struct figure8 *figure, const struct claim *claim,
                        const char *cannot_show, struct judgement *judgement)
{
    double share = 1.0 / (double)figure->servers, bound = 1 - (claim->killed + 1) * share;
    double *ratios = memory_new(judgement->trials, sizeof *ratios);
    size_t count = 0;
    for (size_t i = 0; i < figure->faults.rows; i += 2 * (size_t)figure->events) {
        double ratio = ratio_in(figure, i, claim);
        if (isnan(ratio) || !table_row(&figure->faults, i)[figure8_fault_valid].flag)
            continue;
        ratios[count++] = ratio;
        if (ratio == 0)
            judgement->obstacle = "no operation in such a part of a valid trial";
    }
    judgement->ours = statistics_interval_of_logs(ratios, count, PAPER_CONFIDENCE);
    free(ratios);
    judgement->paper = 1 - claim->killed * share;
    judgement->verdict = judgement->ours.low > bound    ? VERDICT_HOLDS
                         : judgement->ours.high < bound ? VERDICT_FAILS
                                                        : VERDICT_UNDETERMINED;
    if (cannot_show != NULL)
        judgement->obstacle = cannot_show;
}

static void judge_zero(const struct figure8 *figure, const struct claim *claim, char reason[96],
                       struct judgement *judgement)
{
    uint64_t zero = 0;
    for (size_t i = 0; i < figure->faults.rows; i++) {
        const struct table_value *row = table_row(&figure->faults, i);
        if (row[figure8_fault_valid].flag && row[figure8_fault_of_leader].flag == claim->of_leader)
            zero += row[figure8_fault_seconds_at_zero].count;
    }
    snprintf(reason, 96, "%s: %u second%s of %zu valid trial%s without an operation", claim->row,
             (unsigned)zero, text_plural(zero), judgement->trials, text_plural(judgement->trials));
    judgement->verdict = zero > 0 ? VERDICT_FAILS : VERDICT_HOLDS;
    judgement->reason = reason;
    judgement->obstacle = judgement->trials == 0 ? "no trial is valid" : NULL;
}

void figure8_judge(struct figure8 *figure, const char *cannot_show)
{
    size_t valid = 0, of_trial = 2 * (size_t)figure->events;
    char reason[96];
    for (size_t i = 0; i < figure->faults.rows; i += of_trial)
        valid += table_row(&figure->faults, i)[figure8_fault_valid].flag;
    add_events(figure, figure->faults.rows / of_trial, valid);
    for (size_t i = 0; i < sizeof claims / sizeof claims[0]; i++) {
        const struct claim *claim = &claims[i];
        struct judgement judgement = {.claim = claim->claim,
                                      .row = claim->row,
                                      .servers = figure->servers,
                                      .ours = FINDING_NO_FIGURE,
                                      .paper = NAN,
                                      .trials = valid};
        if (claim->killed == 2 && figure->events < FIGURE8_EVENTS_MAX)
            continue;
        if (claim->rate == 0)
            judge_zero(figure, claim, reason, &judgement);
        else
            judge_ratio(figure, claim, cannot_show, &judgement);
        paper_add(figure->paper, &judgement);
    }
}

/* ------------------------------------------------------------------ the evaluation */

static enum error_kind keep_trial(void *context, const struct table_value *row,
                                  const struct load_result *result, struct error *error)
{
    struct figure8 *figure = context;
    const struct outages *outages = result->load->outages;
    uint32_t count = (uint32_t)(figure->end_ns / SAMPLE_NS);
    struct figure8_operations *operations = memory_new(count, sizeof *operations);
    (void)error;
    for (uint32_t i = 0; i < count; i++)
        operations[i] = (struct figure8_operations){outages_sample(outages, i, OUTAGES_READS),
                                                    outages_sample(outages, i, OUTAGES_WRITES)};
    figure8_add(figure, row[load_row_trial].count, row[load_row_valid].flag, result->faults,
                operations);
    free(operations);
    return ERROR_NONE;
}

static int finish(const struct load_series *series, void *context, int *verdict)
{
    struct figure8 *figure = context;
    const struct table *const files[] = {&figure->faults, &figure->samples};
    figure8_judge(figure, paper_servers_cannot_show(&series->options->target, false));
    return paper_finish(figure->paper, &series->base, files, 2, verdict);
}

static int run_figure8(struct paper *paper)
{
    struct load_options *load = &paper->options.load;
    struct figure8 figure;
    load->mix = mix_of_reads(READS_PERCENT);
    figure8_init(&figure, paper, load->target.server_counts[0], load->duration_ns);
    const struct load_series_user user = {.print_results = finish,
                                          .keep = keep_trial,
                                          .context = &figure,
                                          .faults = figure.schedule,
                                          .fault_count = 2 * figure.events};
    int status = paper_run_loads(paper, &user);
    figure8_deinit(&figure);
    return status;
}

static const struct row_column columns[] = {
    {.column = figure8_event_event, .over = "", .title = "killed"},
    {.column = figure8_event_before_per_s, .over = "before,", .title = "1/s"},
    {.column = figure8_event_down_per_s, .over = "down,", .title = "1/s"},
    {.column = figure8_event_after_per_s, .over = "after,", .title = "1/s"},
    {.column = figure8_event_first_write_ms, .over = "write,", .title = "ms"},
    {.column = figure8_event_longest_silence_ms, .over = "silence,", .title = "ms"},
    {.column = figure8_event_new_leader_ms, .over = "leader,", .title = "ms"},
    {.column = figure8_event_serves_ms, .over = "serves,", .title = "ms"},
};

/* The simulation and --connect are refused with the reason, but the help does not offer them. */
static const struct option_row rows[] = {
    {.name = "--servers",
     .parse = rows_topologies,
     .member = PAPER_MEMBER(target),
     .given = PAPER_MEMBER(target.servers_given),
     .least = 1,
     .most = ENSEMBLE_SERVERS_MAX,
     .value = "5",
     .help = "      --servers N          private servers: 3, 5 or 7 [5]\n"},
    PAPER_ROW_ONE_SESSIONS,
    LOAD_ROW_DEPTH("20"),
    PAPER_ROWS_LOAD("170s", "10s"),
    {.name = "--driver",
     .letter = 'd',
     OPTION_WORD(struct load_options, target.driver, options_drivers, "expected events or threads"),
     .value = "events",
     .help = "  -d, --driver NAME        events: one event loop per process; threads: a thread\n"
             "                           per session [events]\n"},
    PAPER_ROWS_PRIVATE,
    {.name = "--connect",
     OPTION_SERVERS(struct load_options, target.servers),
     .given = PAPER_MEMBER(target.connect),
     .help = ""},
    {.name = "--session-timeout",
     OPTION_DURATION(struct load_options, session_timeout_ns, NS_PER_S),
     .most = 3600 * NS_PER_S,
     .expected = "expected at most an hour",
     .value = "15s",
     .help = "      --session-timeout D  requested by each session [15s]\n"},
    PAPER_ROWS_LAST,
};

static bool check_figure8(const struct paper_options *options)
{
    const struct target_options *target = &options->load.target;
    uint64_t servers = target->server_counts[0], parts = figure8_parts(servers);
    unsigned long long least_s = (parts * LEAST_PART_NS + NS_PER_S - 1) / NS_PER_S,
                       duration_s = options->load.duration_ns / NS_PER_S;
    char duration[32], expected[96];
    snprintf(duration, sizeof duration, "%llus", duration_s);
    snprintf(expected, sizeof expected,
             "expected at least %llus: half a second for each part of the schedule", least_s);
    const struct conflict conflicts[] = {
        {target->topology_count > 1, "--servers", "a list", "expected one number"},
        {servers < 3, "--servers", "1", "expected 3, 5 or 7: no quorum would stay"},
        {duration_s < least_s, "--duration", duration, expected},
    };
    return !complain_conflict("paper figure8", conflicts, sizeof conflicts / sizeof conflicts[0]);
}

static const char usage[] = PAPER_USAGE(
    "figure8", "Throughput over time, with 30 % writes, while servers are killed and started\n"
               "again (Figure 8 of the paper): a follower, another one, the leader, two\n"
               "followers, the leader. Private servers only.\n");

static const char notes[] =
    PAPER_NOTES("  zkherd paper figure8                            about nine minutes\n"
                "  zkherd paper figure8 --servers 3 --duration 84s without the two followers\n"
                "  zkherd paper figure8 -t 10                      narrower intervals\n");

const struct evaluation evaluation_figure8 = {
    .name = "figure8",
    .arguments = {"paper figure8", usage, rows, notes, NULL},
    .simulated = "5",
    .one_session = true,
    .is_consistent = check_figure8,
    .kills_servers = true,
    .run = run_figure8,
    .figures = &figure8_event_table,
    .quantity = "ratio",
    .unit = "times",
    .columns = columns,
    .column_count = sizeof columns / sizeof columns[0],
};
