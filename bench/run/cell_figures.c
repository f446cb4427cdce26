// SPDX-License-Identifier: Apache-2.0
#include "bench/run/cell_figures.h"

#include "measure/statistics.h"

#include <math.h>

#define TRIALS_MAX 1024 /* of one cell: more than --trials allows */

/* The trials of one cell. */
struct group {
    const struct sample *list[TRIALS_MAX];
    size_t count;
};

static void gather(const struct samples *samples, const struct recipe *recipe, uint64_t clients,
                   struct group *group)
{
    group->count = 0;
    for (size_t i = 0; i < samples->count && group->count < TRIALS_MAX; i++) {
        const struct sample *sample = &samples->list[i];
        if (sample->cell.recipe == recipe && sample->cell.clients == clients)
            group->list[group->count++] = sample;
    }
}

static void count(const struct group *group, struct cell_figures *figures)
{
    for (size_t i = 0; i < group->count; i++) {
        const struct sample *sample = group->list[i];
        figures->complete += sample->complete;
        figures->valid += sample->valid;
        figures->fails = figures->fails || sample->violations > 0;
        figures->has_law = figures->has_law && (sample->has_law || !sample->complete);
    }
}

/* Of the trials led to their end; if there is none, of what there is. */
static double median(const struct group *group, bool all,
                     double (*value)(const struct sample *sample))
{
    double values[TRIALS_MAX];
    size_t found = 0;
    for (size_t i = 0; i < group->count; i++) {
        double one = value(group->list[i]);
        if (isfinite(one) && (all || group->list[i]->complete))
            values[found++] = one;
    }
    statistics_sort(values, found);
    return statistics_median(values, found);
}

static double handoff_p50_us(const struct sample *sample)
{
    return sample->handoff_us[0];
}

static double handoff_p99_us(const struct sample *sample)
{
    return sample->handoff_us[2];
}

static double handoff_of_us(const struct group *timed, int role)
{
    double values[TRIALS_MAX];
    size_t found = 0;
    for (size_t i = 0; i < timed->count; i++) {
        if (isfinite(timed->list[i]->handoff_of_us[role]))
            values[found++] = timed->list[i]->handoff_of_us[role];
    }
    statistics_sort(values, found);
    return statistics_median(values, found);
}

static void take_times(const struct group *group, struct cell_figures *figures)
{
    struct group timed = {.count = 0};
    for (size_t i = 0; i < group->count; i++) {
        if (group->list[i]->valid)
            timed.list[timed.count++] = group->list[i];
    }
    figures->drain_s = median(&timed, false, sample_drain_s);
    figures->handoff_p50_us = median(&timed, true, handoff_p50_us);
    figures->handoff_p99_us = median(&timed, true, handoff_p99_us);
    for (int role = 0; role < ROLES; role++)
        figures->handoff_of_us[role] = handoff_of_us(&timed, role);
}

bool cell_figures_take(const struct samples *samples, const struct recipe *recipe, uint64_t clients,
                       struct cell_figures *figures)
{
    struct group group;
    gather(samples, recipe, clients, &group);
    *figures = (struct cell_figures){
        .recipe = recipe, .clients = clients, .trials = group.count, .has_law = true};
    count(&group, figures);
    bool all = figures->complete == 0;
    figures->rpcs = median(&group, all, sample_rpcs);
    figures->creates = median(&group, all, sample_creates);
    figures->notifications = median(&group, all, sample_notifications);
    figures->bytes = median(&group, all, sample_bytes);
    take_times(&group, figures);
    return group.count > 0;
}
