// SPDX-License-Identifier: Apache-2.0
#include "bench/paper/figure8.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SAMPLE_NS (NS_PER_S / OUTAGES_SAMPLES_PER_S)

/* ------------------------------------------------------------------ what is kept */

void figure8_init(struct figure8 *figure, uint64_t servers, uint64_t duration_ns)
{
    *figure = (struct figure8){.servers = servers, .seconds = (uint32_t)(duration_ns / NS_PER_S)};
    figure8_plan_init(&figure->plan, servers, duration_ns);
}

void figure8_deinit(struct figure8 *figure)
{
    for (size_t i = 0; i < figure->count; i++)
        free(figure->trials[i].samples);
    free(figure->trials);
    judgements_deinit(&figure->judgements);
    *figure = (struct figure8){.servers = 0};
}

static void copy_samples(const struct outages *outages, uint32_t count,
                         struct figure8_sample *samples)
{
    for (uint32_t i = 0; i < count; i++) {
        samples[i].reads = outages_sample(outages, i, OUTAGES_READS);
        samples[i].writes = outages_sample(outages, i, OUTAGES_WRITES);
    }
}

enum error_kind figure8_add(struct figure8 *figure, const struct table_value *row,
                            const struct load_result *result, struct error *error)
{
    uint32_t count = figure->seconds * OUTAGES_SAMPLES_PER_S;
    struct figure8_trial trial = {.number = (uint32_t)row[load_row_trial].count,
                                  .valid = row[load_row_valid].flag};
    struct figure8_trial *trials =
        realloc(figure->trials, (figure->count + 1) * sizeof *figure->trials);
    if (trials != NULL)
        figure->trials = trials;
    trial.samples = calloc(count, sizeof *trial.samples);
    if (trials == NULL || trial.samples == NULL) {
        free(trial.samples);
        return error_raise(error, ERROR_NO_MEMORY, 0, "figure 8", "%u samples", count);
    }
    copy_samples(result->load->outages, count, trial.samples);
    memcpy(trial.faults, result->faults, (size_t)2 * figure->plan.events * sizeof *trial.faults);
    figure8_measure(figure, &trial);
    figure->trials[figure->count++] = trial;
    return ERROR_NONE;
}

/* ------------------------------------------------------------------ a trial */

static uint64_t duration_ns(const struct figure8 *figure)
{
    return figure->seconds * NS_PER_S;
}

/* Operations a second in the samples that lie between these times; NaN: none does. */
static double rate_between(const struct figure8 *figure, const struct figure8_trial *trial,
                           uint64_t from_ns, uint64_t until_ns)
{
    uint64_t sum = 0, until = until_ns < duration_ns(figure) ? until_ns : duration_ns(figure),
             first = (from_ns + SAMPLE_NS - 1) / SAMPLE_NS, end = until / SAMPLE_NS;
    for (uint64_t i = first; i < end; i++)
        sum += trial->samples[i].reads + trial->samples[i].writes;
    return end > first ? (double)sum * OUTAGES_SAMPLES_PER_S / (double)(end - first) : NAN;
}

static struct figure8_rates rates_of(const struct figure8 *figure,
                                     const struct figure8_trial *trial, uint32_t event)
{
    const struct load_fault_result *kill = &trial->faults[(size_t)2 * event], *start = kill + 1;
    uint64_t part_ns = figure->plan.part_ns;
    if (!kill->carried_out || !start->carried_out)
        return (struct figure8_rates){NAN, NAN, NAN};
    uint64_t until_ns = start->at_ns + 2 * part_ns;
    if (event + 1 < figure->plan.events && kill[2].carried_out && kill[2].at_ns < until_ns)
        until_ns = kill[2].at_ns;
    return (struct figure8_rates){
        .before = rate_between(figure, trial, kill->at_ns - part_ns, kill->at_ns),
        .down = rate_between(figure, trial, kill->at_ns, start->at_ns),
        .after = rate_between(figure, trial, start->at_ns + part_ns, until_ns),
    };
}

/* A fault's time ends with the next that was carried out, or with the trial. */
static uint64_t next_ns(const struct figure8 *figure, const struct figure8_trial *trial,
                        uint32_t fault)
{
    while (++fault < 2 * figure->plan.events) {
        if (trial->faults[fault].carried_out)
            return trial->faults[fault].at_ns;
    }
    return duration_ns(figure);
}

/* Whole seconds of the measured time that end within a fault's time. */
static uint32_t count_zero_seconds(const struct figure8 *figure, const struct figure8_trial *trial,
                                   uint32_t fault)
{
    uint32_t count = 0;
    uint64_t from_ns = trial->faults[fault].at_ns, until_ns = next_ns(figure, trial, fault);
    if (!trial->faults[fault].carried_out)
        return 0;
    for (uint64_t end_ns = NS_PER_S; end_ns <= duration_ns(figure); end_ns += NS_PER_S) {
        if (end_ns > from_ns && end_ns <= until_ns)
            count += rate_between(figure, trial, end_ns - NS_PER_S, end_ns) == 0;
    }
    return count;
}

void figure8_measure(const struct figure8 *figure, struct figure8_trial *trial)
{
    for (uint32_t event = 0; event < figure->plan.events; event++)
        trial->rates[event] = rates_of(figure, trial, event);
    for (uint32_t fault = 0; fault < 2 * figure->plan.events; fault++)
        trial->zero_seconds[fault] = count_zero_seconds(figure, trial, fault);
}

/* ------------------------------------------------------------------ over the trials */

static double to_ms(uint64_t time_ns)
{
    return time_ns == UINT64_MAX ? NAN : (double)time_ns / 1e6;
}

double figure8_before_per_s(const struct figure8_trial *trial, uint32_t fault)
{
    return trial->rates[fault / 2].before;
}

double figure8_down_per_s(const struct figure8_trial *trial, uint32_t fault)
{
    return trial->rates[fault / 2].down;
}

double figure8_after_per_s(const struct figure8_trial *trial, uint32_t fault)
{
    return trial->rates[fault / 2].after;
}

double figure8_first_write_ms(const struct figure8_trial *trial, uint32_t fault)
{
    return to_ms(trial->faults[fault].first_write_ns);
}

double figure8_silence_ms(const struct figure8_trial *trial, uint32_t fault)
{
    return trial->faults[fault].carried_out ? to_ms(trial->faults[fault].silence_ns) : NAN;
}

double figure8_leader_ms(const struct figure8_trial *trial, uint32_t fault)
{
    return to_ms(trial->faults[fault].led_ns);
}

double figure8_served_ms(const struct figure8_trial *trial, uint32_t fault)
{
    return to_ms(trial->faults[fault].served_ns);
}

size_t figure8_valid(const struct figure8 *figure)
{
    size_t valid = 0;
    for (size_t i = 0; i < figure->count; i++)
        valid += figure->trials[i].valid;
    return valid;
}

double figure8_median(const struct figure8 *figure, uint32_t fault,
                      double (*value)(const struct figure8_trial *trial, uint32_t fault))
{
    double values[1000]; /* as many trials as there may be */
    size_t count = 0, valid = figure8_valid(figure);
    for (size_t i = 0; i < figure->count && count < 1000; i++) {
        double one = value(&figure->trials[i], fault);
        if ((figure->trials[i].valid || valid == 0) && isfinite(one))
            values[count++] = one;
    }
    statistics_sort(values, count);
    return statistics_median(values, count);
}

/* ------------------------------------------------------------------ the judgements */

/* Ratios of two rates of an event; NaN if one is not known. */
static double down_to_before(const struct figure8_rates *rates)
{
    return rates->down / rates->before;
}

static double after_to_before(const struct figure8_rates *rates)
{
    return rates->after / rates->before;
}

/* Over valid trials, with one value each: the geometric mean of the events of a kind. A trial whose
 * value is 0 has no logarithm: then there is no interval, and *stands_still is true. */
static struct interval interval_of(const struct figure8 *figure,
                                   double (*ratio)(const struct figure8_rates *rates),
                                   uint32_t killed, bool leader, bool *stands_still)
{
    double values[1000];
    size_t count = 0;
    for (size_t i = 0; i < figure->count && count < 1000; i++) {
        double logs = 0, events = 0;
        for (uint32_t event = 0; event < figure->plan.events; event++) {
            if (figure8_plan_is_of_leader(&figure->plan, event) != leader ||
                figure->plan.faults[(size_t)2 * event].servers != killed)
                continue;
            logs += log(ratio(&figure->trials[i].rates[event]));
            events++;
        }
        if (!figure->trials[i].valid || events == 0 || !(logs < INFINITY))
            continue;
        values[count++] = exp(logs / events);
        *stands_still = *stands_still || values[count - 1] == 0;
    }
    return statistics_interval_of_logs(values, count, JUDGEMENT_CONFIDENCE);
}

/* Holds if the interval is above the bound. A comparison with NaN is false. */
static enum verdict verdict_above(const struct interval *ours, double bound)
{
    if (ours->low > bound)
        return VERDICT_HOLDS;
    return ours->high < bound ? VERDICT_FAILS : VERDICT_UNDETERMINED;
}

static struct judgement *add(struct figure8 *figure, const char *claim, const char *row,
                             struct error *error)
{
    struct judgement *judgement = judgements_add(&figure->judgements, error);
    if (judgement == NULL)
        return NULL;
    snprintf(judgement->claim, sizeof judgement->claim, "%s", claim);
    snprintf(judgement->row, sizeof judgement->row, "%s", row);
    judgement->servers = figure->servers;
    judgement->ours = (struct interval){NAN, NAN, NAN};
    judgement->paper = NAN;
    return judgement;
}

/* Servers are alike, so one that is gone leaves its share. */
static enum error_kind judge_ratio(struct figure8 *figure, const char *claim, const char *row,
                                   double (*ratio)(const struct figure8_rates *rates),
                                   uint32_t killed, bool leader, const char *cannot_show,
                                   struct error *error)
{
    struct judgement *judgement = add(figure, claim, row, error);
    bool stands_still = false;
    if (judgement == NULL)
        return error->kind;
    double share = 1.0 / (double)figure->servers;
    judgement->ours = interval_of(figure, ratio, killed, leader, &stands_still);
    judgement->paper = 1 - killed * share;
    judgement->verdict = verdict_above(&judgement->ours, 1 - (killed + 1) * share);
    judgement_deny(judgement, stands_still ? "no operation in such a part of a valid trial" : NULL);
    judgement_deny(judgement, cannot_show);
    return ERROR_NONE;
}

static enum error_kind judge_zero(struct figure8 *figure, const char *claim, const char *row,
                                  bool leader, struct error *error)
{
    struct judgement *judgement = add(figure, claim, row, error);
    uint32_t zero = 0;
    size_t valid = figure8_valid(figure);
    if (judgement == NULL)
        return error->kind;
    for (size_t i = 0; i < figure->count; i++) {
        for (uint32_t fault = 0; fault < 2 * figure->plan.events; fault++) {
            if (figure->trials[i].valid &&
                figure8_plan_is_of_leader(&figure->plan, fault / 2) == leader)
                zero += figure->trials[i].zero_seconds[fault];
        }
    }
    judgement->verdict = valid == 0 ? VERDICT_UNDETERMINED
                         : zero > 0 ? VERDICT_FAILS
                                    : VERDICT_HOLDS;
    if (valid > 0)
        snprintf(judgement->reason, sizeof judgement->reason,
                 "%s: %u second%s of %zu valid trial%s without an operation", row, zero,
                 zero == 1 ? "" : "s", valid, valid == 1 ? "" : "s");
    else
        snprintf(judgement->reason, sizeof judgement->reason, "no trial is valid");
    return ERROR_NONE;
}

enum error_kind figure8_judge(struct figure8 *figure, const char *cannot_show, struct error *error)
{
    figure->judgements.quantity = "ratio";
    figure->judgements.unit = "times";
    enum error_kind kind =
        judge_zero(figure, "no second without an operation while followers are down",
                   "no second at zero, followers", false, error);
    if (kind == ERROR_NONE)
        kind = judge_zero(figure, "no second without an operation at the leader's loss",
                          "no second at zero, leader", true, error);
    if (kind == ERROR_NONE)
        kind =
            judge_ratio(figure, "a killed follower costs about its share of the throughput",
                        "while a follower is down", down_to_before, 1, false, cannot_show, error);
    if (kind == ERROR_NONE && figure->plan.events == FIGURE8_EVENTS_MAX)
        kind = judge_ratio(figure, "two killed followers cost about their share",
                           "while two followers are down", down_to_before, 2, false, cannot_show,
                           error);
    if (kind == ERROR_NONE)
        kind =
            judge_ratio(figure, "throughput recovers after a follower was started again",
                        "after a follower is back", after_to_before, 1, false, cannot_show, error);
    if (kind == ERROR_NONE)
        kind = judge_ratio(figure, "throughput recovers after the leader's loss",
                           "after the leader's loss", after_to_before, 1, true, cannot_show, error);
    return kind;
}
