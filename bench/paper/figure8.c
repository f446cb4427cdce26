// SPDX-License-Identifier: Apache-2.0
/*
 * Figure 8 of the paper, from its trials to its judgements: throughput while servers are killed and
 * started again.
 *
 * What is judged is what the paper says of the figure: no second of a trial is without a completed
 * operation, while a follower is down and when the leader is lost; a follower costs about its share
 * of the throughput, not more; throughput recovers. In the paper, too, it does not recover in full:
 * sessions stay where they are when a server is back. So a ratio holds if its interval is above
 * what is left without one server more than were killed, and the paper's is what is left without
 * those.
 */
#include "bench/paper/internal.h"

#include "base/clock.h"
#include "base/memory.h"

#include <math.h>
#include <stdlib.h>

TABLE_DEFINE(figure8_fault, "figure8.csv", FIGURE8_FAULT_COLUMNS)
TABLE_DEFINE(figure8_event, "", FIGURE8_EVENT_COLUMNS)
TABLE_DEFINE(figure8_sample, "samples.csv", FIGURE8_SAMPLE_COLUMNS)

#define SAMPLE_NS (NS_PER_S / OUTAGES_SAMPLES_PER_S)

/* As many samples as the paper counts together: 300 ms. */
#define SAMPLES_A_ROW 3

/* ------------------------------------------------------------------ the schedule */

/* With fewer servers two of them cannot be killed. */
#define SERVERS_FOR_TWO 5

static uint32_t events_of(uint64_t servers)
{
    return servers < SERVERS_FOR_TWO ? FIGURE8_EVENTS_MAX - 1 : FIGURE8_EVENTS_MAX;
}

uint64_t figure8_plan_parts(uint64_t servers)
{
    return 3 * events_of(servers) + 2;
}

void figure8_plan_init(struct figure8_plan *plan, uint64_t servers, uint64_t duration_ns)
{
    static const struct load_fault kills[FIGURE8_EVENTS_MAX] = {
        {.target = LOAD_FAULT_FOLLOWER, .servers = 1},
        {.target = LOAD_FAULT_ANOTHER_FOLLOWER, .servers = 1},
        {.target = LOAD_FAULT_LEADER, .servers = 1},
        {.target = LOAD_FAULT_FOLLOWER, .servers = 2},
        {.target = LOAD_FAULT_LEADER, .servers = 1},
    };
    *plan = (struct figure8_plan){.events = events_of(servers),
                                  .part_ns = duration_ns / figure8_plan_parts(servers)};
    for (uint32_t i = 0, kill = 0; i < plan->events; i++, kill++) {
        if (kills[kill].servers == 2 && servers < SERVERS_FOR_TWO)
            kill++;
        plan->faults[(size_t)2 * i] = kills[kill];
        plan->faults[(size_t)2 * i].action = LOAD_FAULT_KILL;
        plan->faults[(size_t)2 * i].at_ns = (2 + 3 * i) * plan->part_ns;
        plan->faults[(size_t)2 * i + 1] = (struct load_fault){.action = LOAD_FAULT_RESTART,
                                                              .target = LOAD_FAULT_DOWN,
                                                              .at_ns = (3 + 3 * i) * plan->part_ns};
    }
}

const char *figure8_plan_word(const struct figure8_plan *plan, uint32_t event)
{
    const struct load_fault *kill = &plan->faults[(size_t)2 * event];
    if (kill->target == LOAD_FAULT_LEADER)
        return "the leader";
    if (kill->servers > 1)
        return "two followers";
    return kill->target == LOAD_FAULT_FOLLOWER ? "a follower" : "another follower";
}

/* ------------------------------------------------------------------ a trial */

struct trial {
    const struct figure8 *figure;
    const struct load_fault_result *faults;
    const struct figure8_operations *operations;
};

static uint64_t duration_ns(const struct figure8 *figure)
{
    return figure->seconds * NS_PER_S;
}

/* Operations a second in the tenths that lie between these times; NaN: none does. */
static double rate_between(const struct trial *trial, uint64_t from_ns, uint64_t until_ns)
{
    uint64_t end_ns = duration_ns(trial->figure);
    uint64_t sum = 0, first = (from_ns + SAMPLE_NS - 1) / SAMPLE_NS,
             end = (until_ns < end_ns ? until_ns : end_ns) / SAMPLE_NS;
    for (uint64_t i = first; i < end; i++)
        sum += trial->operations[i].reads + trial->operations[i].writes;
    return end > first ? (double)sum * OUTAGES_SAMPLES_PER_S / (double)(end - first) : NAN;
}

/* The rates of an event, told once, with its kill: in the part before, until the start, and in the
 * part that begins a part after the start. */
static void put_rates(const struct trial *trial, uint32_t event, struct table_value *row)
{
    const struct figure8_plan *plan = &trial->figure->plan;
    const struct load_fault_result *kill = &trial->faults[(size_t)2 * event], *start = kill + 1;
    uint64_t until_ns = start->at_ns + 2 * plan->part_ns;
    if (!kill->carried_out || !start->carried_out)
        return;
    if (event + 1 < plan->events && kill[2].carried_out && kill[2].at_ns < until_ns)
        until_ns = kill[2].at_ns;
    row[figure8_fault_before_per_s] =
        table_real(rate_between(trial, kill->at_ns - plan->part_ns, kill->at_ns));
    row[figure8_fault_down_per_s] = table_real(rate_between(trial, kill->at_ns, start->at_ns));
    row[figure8_fault_after_per_s] =
        table_real(rate_between(trial, start->at_ns + plan->part_ns, until_ns));
}

/* Whole seconds of the measured time without an operation that end within a fault's time, which
 * ends with the next fault that was carried out, or with the trial. */
static uint32_t count_zero_seconds(const struct trial *trial, uint32_t fault)
{
    uint32_t count = 0, next = fault + 1, faults = 2 * trial->figure->plan.events;
    uint64_t from_ns = trial->faults[fault].at_ns, trial_ns = duration_ns(trial->figure);
    while (next < faults && !trial->faults[next].carried_out)
        next++;
    uint64_t until_ns = next < faults ? trial->faults[next].at_ns : trial_ns;
    for (uint64_t end_ns = NS_PER_S; end_ns <= trial_ns; end_ns += NS_PER_S) {
        if (end_ns > from_ns && end_ns <= until_ns)
            count += rate_between(trial, end_ns - NS_PER_S, end_ns) == 0;
    }
    return count;
}

/* A time since the fault; one that did not come within the trial is not known. */
static struct table_value since_ms(uint64_t time_ns)
{
    return table_real(time_ns == UINT64_MAX ? NAN : (double)time_ns / 1e6);
}

/* What became of a fault that was carried out. */
static void put_result(const struct load_fault_result *result, struct table_value *row)
{
    struct growing_text servers = {0};
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
    if (result->led_ns != UINT64_MAX) {
        row[figure8_fault_new_leader_ms] = since_ms(result->led_ns);
        row[figure8_fault_new_leader_sooner_ms] = since_ms(result->led_within_ns);
        row[figure8_fault_new_leader] = table_count(result->leader + UINT64_C(1));
    }
    if (result->served_ns != UINT64_MAX) {
        row[figure8_fault_serves_ms] = since_ms(result->served_ns);
        row[figure8_fault_serves_sooner_ms] = since_ms(result->served_within_ns);
    }
}

static void put_samples(struct figure8 *figure, uint64_t number,
                        const struct figure8_operations *operations)
{
    uint32_t count = figure->seconds * OUTAGES_SAMPLES_PER_S;
    for (uint32_t first = 0; first + SAMPLES_A_ROW <= count; first += SAMPLES_A_ROW) {
        struct table_value *row = table_add(&figure->samples);
        struct figure8_operations sum = {0};
        for (uint32_t i = first; i < first + SAMPLES_A_ROW; i++) {
            sum.reads += operations[i].reads;
            sum.writes += operations[i].writes;
        }
        row[figure8_sample_trial] = table_count(number);
        row[figure8_sample_from_s] = table_real((double)first / OUTAGES_SAMPLES_PER_S);
        row[figure8_sample_reads] = table_count(sum.reads);
        row[figure8_sample_writes] = table_count(sum.writes);
        row[figure8_sample_operations_per_s] =
            table_real((double)(sum.reads + sum.writes) * OUTAGES_SAMPLES_PER_S / SAMPLES_A_ROW);
    }
}

void figure8_add(struct figure8 *figure, uint64_t number, bool valid,
                 const struct load_fault_result *faults,
                 const struct figure8_operations *operations)
{
    const struct figure8_plan *plan = &figure->plan;
    const struct trial trial = {figure, faults, operations};
    for (uint32_t fault = 0; fault < 2 * plan->events; fault++) {
        const struct load_fault_result *result = &faults[fault];
        const struct load_fault *kill = &plan->faults[fault - fault % 2];
        struct table_value *row = table_add(&figure->faults);
        row[figure8_fault_trial] = table_count(number);
        row[figure8_fault_valid] = table_flag(valid);
        row[figure8_fault_fault] = table_count(fault + UINT64_C(1));
        row[figure8_fault_event] = table_text(figure8_plan_word(plan, fault / 2));
        row[figure8_fault_action] = table_text(load_fault_word(plan->faults[fault].action));
        row[figure8_fault_reason] = table_text(result->why);
        row[figure8_fault_of_leader] = table_flag(kill->target == LOAD_FAULT_LEADER);
        if (result->carried_out) {
            put_result(result, row);
            row[figure8_fault_seconds_at_zero] = table_count(count_zero_seconds(&trial, fault));
        }
        if (fault % 2 == 1)
            continue;
        row[figure8_fault_killed] = table_count(kill->servers);
        if (result->carried_out)
            row[figure8_fault_role] = table_text(role_word(result->roles[0]));
        put_rates(&trial, fault / 2, row);
    }
    put_samples(figure, number, operations);
}

void figure8_init(struct figure8 *figure, uint64_t servers, uint64_t duration_ns)
{
    *figure = (struct figure8){.servers = servers,
                               .seconds = (uint32_t)(duration_ns / NS_PER_S),
                               .faults.type = &figure8_fault_table,
                               .samples.type = &figure8_sample_table,
                               .events.type = &figure8_event_table,
                               .judgements = {.quantity = "ratio", .unit = "times"}};
    figure8_plan_init(&figure->plan, servers, duration_ns);
}

void figure8_deinit(struct figure8 *figure)
{
    table_deinit(&figure->faults);
    table_deinit(&figure->samples);
    table_deinit(&figure->events);
    judgements_deinit(&figure->judgements);
}

/* ------------------------------------------------------------------ over the trials */

static void sum_up(struct figure8 *figure, size_t trials, size_t valid)
{
    static const struct {
        size_t event, fault;
        bool of_start;
    } medians[] = {
        {figure8_event_before_per_s, figure8_fault_before_per_s, false},
        {figure8_event_down_per_s, figure8_fault_down_per_s, false},
        {figure8_event_after_per_s, figure8_fault_after_per_s, false},
        {figure8_event_first_write_ms, figure8_fault_first_write_ms, false},
        {figure8_event_longest_silence_ms, figure8_fault_longest_silence_ms, false},
        {figure8_event_new_leader_ms, figure8_fault_new_leader_ms, false},
        {figure8_event_serves_ms, figure8_fault_serves_ms, true},
    };
    static const size_t keys[] = {figure8_fault_fault};
    struct table_cells faults = table_group(&figure->faults, keys, 1);
    for (size_t kill = 0; kill + 1 < faults.count; kill += 2) {
        struct table_value *row = table_add(&figure->events);
        row[figure8_event_servers] = table_count(figure->servers);
        row[figure8_event_trials] = table_count(trials);
        row[figure8_event_valid] = table_count(valid);
        row[figure8_event_event] =
            table_text(table_cell_value(&faults.list[kill], figure8_fault_event)->text);
        for (size_t i = 0; i < sizeof medians / sizeof medians[0]; i++)
            row[medians[i].event] = table_real(
                table_cell_median(&faults.list[kill + medians[i].of_start], medians[i].fault,
                                  valid > 0 ? (size_t)figure8_fault_valid : TABLE_ALL));
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

/* Over valid trials, with one value each: the geometric mean of the events of a kind. A trial whose
 * value is 0 has no logarithm: then there is no interval, and *stands_still is true. */
static struct interval interval_of(const struct table_cells *trials, const struct claim *claim,
                                   bool *stands_still)
{
    double *values = memory_new(trials->count, sizeof *values);
    size_t count = 0;
    for (size_t i = 0; i < trials->count; i++) {
        const struct table_cell *trial = &trials->list[i];
        double logs = 0, events = 0;
        for (size_t k = 0; k < trial->count; k++) {
            const struct table_value *row = table_row(trial->table, trial->rows[k]);
            if (row[figure8_fault_of_leader].flag != claim->of_leader ||
                row[figure8_fault_killed].count != claim->killed)
                continue;
            logs += log(table_number(&row[claim->rate]) /
                        table_number(&row[figure8_fault_before_per_s]));
            events++;
        }
        if (!table_cell_value(trial, figure8_fault_valid)->flag || events == 0 ||
            !(logs < INFINITY))
            continue;
        values[count++] = exp(logs / events);
        *stands_still = *stands_still || values[count - 1] == 0;
    }
    struct interval ratio = statistics_interval_of_logs(values, count, JUDGEMENT_CONFIDENCE);
    free(values);
    return ratio;
}

/* Servers are alike, so one that is gone leaves its share. A comparison with NaN is false. */
static void judge_ratio(const struct figure8 *figure, const struct table_cells *trials,
                        const struct claim *claim, const char *cannot_show,
                        struct judgement *judgement)
{
    bool stands_still = false;
    double share = 1.0 / (double)figure->servers, bound = 1 - (claim->killed + 1) * share;
    judgement->ours = interval_of(trials, claim, &stands_still);
    judgement->paper = 1 - claim->killed * share;
    judgement->verdict = judgement->ours.low > bound    ? VERDICT_HOLDS
                         : judgement->ours.high < bound ? VERDICT_FAILS
                                                        : VERDICT_UNDETERMINED;
    judgement_deny(judgement, stands_still ? "no operation in such a part of a valid trial" : NULL);
    judgement_deny(judgement, cannot_show);
}

static void judge_zero(const struct figure8 *figure, const struct claim *claim, size_t valid,
                       struct judgement *judgement)
{
    uint64_t zero = 0;
    for (size_t i = 0; i < figure->faults.rows; i++) {
        const struct table_value *row = table_row(&figure->faults, i);
        if (row[figure8_fault_valid].flag && row[figure8_fault_of_leader].flag == claim->of_leader)
            zero += row[figure8_fault_seconds_at_zero].count;
    }
    judgement->verdict = valid == 0 ? VERDICT_UNDETERMINED
                         : zero > 0 ? VERDICT_FAILS
                                    : VERDICT_HOLDS;
    if (valid > 0)
        snprintf(judgement->reason, sizeof judgement->reason,
                 "%s: %u second%s of %zu valid trial%s without an operation", claim->row,
                 (unsigned)zero, zero == 1 ? "" : "s", valid, valid == 1 ? "" : "s");
    else
        snprintf(judgement->reason, sizeof judgement->reason, "no trial is valid");
}

void figure8_judge(struct figure8 *figure, const char *cannot_show)
{
    static const size_t keys[] = {figure8_fault_trial};
    struct table_cells trials = table_group(&figure->faults, keys, 1);
    size_t valid = 0;
    for (size_t i = 0; i < trials.count; i++)
        valid += table_cell_value(&trials.list[i], figure8_fault_valid)->flag;
    sum_up(figure, trials.count, valid);
    for (size_t i = 0; i < sizeof claims / sizeof claims[0]; i++) {
        const struct claim *claim = &claims[i];
        if (claim->killed == 2 && figure->plan.events < FIGURE8_EVENTS_MAX)
            continue;
        struct judgement *judgement = judgements_add(&figure->judgements);
        snprintf(judgement->claim, sizeof judgement->claim, "%s", claim->claim);
        snprintf(judgement->row, sizeof judgement->row, "%s", claim->row);
        judgement->servers = figure->servers;
        judgement->ours = (struct interval){NAN, NAN, NAN};
        judgement->paper = NAN;
        if (claim->rate == 0)
            judge_zero(figure, claim, valid, judgement);
        else
            judge_ratio(figure, &trials, claim, cannot_show, judgement);
    }
    table_cells_deinit(&trials);
}
