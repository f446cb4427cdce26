// SPDX-License-Identifier: Apache-2.0
#include "capacity/knee.h"

#include <math.h>

#define CONFIDENCE 0.95

/* What the trials told, each that told both. */
struct told {
    double knees[KNEE_TRIALS_MAX], most_per_s[KNEE_TRIALS_MAX], cycles_s[KNEE_TRIALS_MAX];
    size_t of[UTILISATION_LIMITS];
    size_t count;
};

static void take(const struct utilisation_figures *trial, struct told *told)
{
    struct utilisation_demand demand = utilisation_largest_demand(trial);
    double cycle_s = trial->handoff_s + trial->hold_s;
    if (!(cycle_s > 0) || !(demand.demand_s > 0))
        return;
    told->cycles_s[told->count] = cycle_s;
    told->most_per_s[told->count] = 1 / demand.demand_s;
    told->knees[told->count++] = cycle_s / demand.demand_s;
    told->of[demand.of]++;
}

static struct interval mean_of(const double *values, size_t count)
{
    struct interval mean = statistics_interval_of_logs(values, count, CONFIDENCE);
    if (count < STATISTICS_TRIALS_MIN)
        mean.low = mean.high = NAN;
    return mean;
}

static enum utilisation_limit most_often(const struct told *told)
{
    enum utilisation_limit most = UTILISATION_UNDETERMINED;
    for (int limit = 0; limit < UTILISATION_LIMITS; limit++) {
        if (told->of[limit] > told->of[most])
            most = (enum utilisation_limit)limit;
    }
    return most;
}

struct knee knee_of_trials(const struct utilisation_figures *trials, size_t count)
{
    struct told told = {.count = 0};
    for (size_t i = 0; i < count && i < KNEE_TRIALS_MAX; i++)
        take(&trials[i], &told);
    return (struct knee){
        .locks = mean_of(told.knees, told.count),
        .most_per_s = mean_of(told.most_per_s, told.count),
        .cycle_s = mean_of(told.cycles_s, told.count).value,
        .of = most_often(&told),
        .trials = told.count,
    };
}

double knee_bound_per_s(const struct knee *knee, double locks)
{
    if (!(knee->cycle_s > 0))
        return NAN;
    return fmin(locks / knee->cycle_s, knee->most_per_s.value);
}
