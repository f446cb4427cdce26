// SPDX-License-Identifier: Apache-2.0
#include "bench/output/load_summary.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#define CONFIDENCE 0.95

/* The trials of a cell, and room for one value of each. */
struct group {
    const struct load_samples *samples;
    const struct load_summary *summary;
    double *values;
};

static bool belongs(const struct load_sample *sample, const struct load_cell *cell)
{
    return sample->complete && load_cells_equal(&sample->cell, cell);
}

static void count_trials(const struct load_samples *samples, struct load_summary *summary)
{
    for (size_t i = 0; i < samples->count; i++) {
        const struct load_sample *sample = &samples->list[i];
        if (!belongs(sample, summary->cell))
            continue;
        summary->trials++;
        summary->valid += sample->valid;
        summary->driver_bound += sample->driver_bound;
        summary->miscounted += sample->reconciled == RECONCILED_NO;
        summary->errors += (double)sample->errors;
    }
}

/* Over the trials whose figures count, and that have this one. A figure above its range is no
 * number, and makes the mean none, either: a mean of the others would be too low. */
static struct interval over(const struct group *group,
                            double (*figure)(const struct load_sample *sample))
{
    size_t count = 0;
    for (size_t i = 0; i < group->samples->count; i++) {
        const struct load_sample *sample = &group->samples->list[i];
        if (!belongs(sample, group->summary->cell) || (!sample->valid && group->summary->valid > 0))
            continue;
        double value = figure(sample);
        if (!isnan(value))
            group->values[count++] = value;
    }
    struct interval found = statistics_interval_of_logs(group->values, count, CONFIDENCE);
    if (count < STATISTICS_TRIALS_MIN)
        found.low = found.high = NAN;
    return found;
}

static double offered(const struct load_sample *sample)
{
    return sample->offered_per_s;
}

static double achieved(const struct load_sample *sample)
{
    return sample->achieved_per_s;
}

static double response_p50(const struct load_sample *sample)
{
    return sample->response_us[0];
}

static double response_p99(const struct load_sample *sample)
{
    return sample->response_us[2];
}

static double service_p50(const struct load_sample *sample)
{
    return sample->service_us[0];
}

static double service_p99(const struct load_sample *sample)
{
    return sample->service_us[2];
}

static double fan_out_mean(const struct load_sample *sample)
{
    return sample->fan_out_mean;
}

static double first_notification_p50(const struct load_sample *sample)
{
    return sample->first_notification_us[0];
}

static double notification_p50(const struct load_sample *sample)
{
    return sample->notification_us[0];
}

static double last_notification_p50(const struct load_sample *sample)
{
    return sample->last_notification_us[0];
}

static double last_notification_p99(const struct load_sample *sample)
{
    return sample->last_notification_us[2];
}

static double set_service_p50(const struct load_sample *sample)
{
    return sample->set_service_us[0];
}

static double client_cores(const struct load_sample *sample)
{
    return sample->client_cores;
}

static double server_cores(const struct load_sample *sample)
{
    return sample->server_cores;
}

enum error_kind load_summary_take(const struct load_samples *samples, const struct load_cell *cell,
                                  struct load_summary *summary, struct error *error)
{
    *summary = (struct load_summary){.cell = cell};
    struct group group = {samples, summary, calloc(samples->count, sizeof *group.values)};
    bool has_room = group.values != NULL;
    count_trials(samples, summary);
    if (has_room) {
        summary->offered_per_s = over(&group, offered);
        summary->achieved_per_s = over(&group, achieved);
        summary->response_p50_us = over(&group, response_p50);
        summary->response_p99_us = over(&group, response_p99);
        summary->service_p50_us = over(&group, service_p50);
        summary->service_p99_us = over(&group, service_p99);
        summary->fan_out_mean = over(&group, fan_out_mean);
        summary->first_notification_p50_us = over(&group, first_notification_p50);
        summary->notification_p50_us = over(&group, notification_p50);
        summary->last_notification_p50_us = over(&group, last_notification_p50);
        summary->last_notification_p99_us = over(&group, last_notification_p99);
        summary->set_service_p50_us = over(&group, set_service_p50);
        summary->client_cores = over(&group, client_cores);
        summary->server_cores = over(&group, server_cores);
    }
    free(group.values);
    return has_room ? ERROR_NONE : error_raise(error, ERROR_NO_MEMORY, 0, "results", "%s", "");
}

/* The cells in the order of the plan: mixes, rates, sessions. */
static bool is_before(const struct load_cell *a, const struct load_cell *b)
{
    uint32_t reads_of_a = mix_reads(&a->mix), reads_of_b = mix_reads(&b->mix);
    if (reads_of_a != reads_of_b)
        return reads_of_a < reads_of_b;
    if (a->rate_per_s != b->rate_per_s)
        return a->rate_per_s < b->rate_per_s;
    return a->sessions < b->sessions;
}

const struct load_cell *load_summary_next(const struct load_samples *samples,
                                          const struct load_cell *behind)
{
    const struct load_cell *next = NULL;
    assert(samples->count == 0 || samples->list != NULL);
    for (size_t i = 0; i < samples->count; i++) {
        const struct load_cell *cell = &samples->list[i].cell;
        if ((behind == NULL || is_before(behind, cell)) && (next == NULL || is_before(cell, next)))
            next = cell;
    }
    return next;
}

/* ------------------------------------------------------------------ the row */

#define INTERVAL(X, name, decimals)                                                                \
    X(name, csv_real(csv, summary->name.value, decimals))                                          \
    X(name##_low, csv_real(csv, summary->name.low, decimals))                                      \
    X(name##_high, csv_real(csv, summary->name.high, decimals))

#define COLUMNS(X)                                                                                 \
    X(run, csv_text(csv, context->run))                                                            \
    X(target, csv_text(csv, context->target))                                                      \
    X(servers, csv_count(csv, context->servers))                                                   \
    X(mix, csv_text(csv, mix))                                                                     \
    X(reads_percent, csv_count(csv, mix_reads(&cell->mix)))                                        \
    X(sessions, csv_count(csv, cell->sessions))                                                    \
    X(rate_per_s, csv_count_if(csv, cell->rate_per_s > 0, cell->rate_per_s))                       \
    X(trials, csv_count(csv, summary->trials))                                                     \
    X(valid, csv_count(csv, summary->valid))                                                       \
    X(driver_bound, csv_count(csv, summary->driver_bound))                                         \
    X(errors, csv_real(csv, summary->errors, 0))                                                   \
    INTERVAL(X, offered_per_s, 2)                                                                  \
    INTERVAL(X, achieved_per_s, 2)                                                                 \
    INTERVAL(X, response_p50_us, 1)                                                                \
    INTERVAL(X, response_p99_us, 1)                                                                \
    INTERVAL(X, service_p50_us, 1)                                                                 \
    INTERVAL(X, service_p99_us, 1)                                                                 \
    INTERVAL(X, fan_out_mean, 3)                                                                   \
    INTERVAL(X, first_notification_p50_us, 1)                                                      \
    INTERVAL(X, notification_p50_us, 1)                                                            \
    INTERVAL(X, last_notification_p50_us, 1)                                                       \
    INTERVAL(X, last_notification_p99_us, 1)                                                       \
    INTERVAL(X, set_service_p50_us, 1)                                                             \
    INTERVAL(X, client_cores, 3)                                                                   \
    INTERVAL(X, server_cores, 3)

const char load_summary_columns[] = COLUMNS(CSV_NAME);

void load_summary_write(const struct load_summary *summary, const struct load_context *context,
                        struct csv *csv)
{
    const struct load_cell *cell = summary->cell;
    char mix[128];
    mix_format(&cell->mix, mix, sizeof mix);
    COLUMNS(CSV_WRITE) csv_end_row(csv);
}
