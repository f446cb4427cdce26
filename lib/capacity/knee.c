// SPDX-License-Identifier: Apache-2.0
#include "capacity/knee.h"

#include <math.h>

#define CONFIDENCE 0.95

/* One value of each trial that told it. */
struct values {
    double of[KNEE_TRIALS_MAX];
    size_t count;
};

void knee_trials_add(struct knee_trials *trials, const struct utilisation_figures *trial)
{
    if (trials->count < KNEE_TRIALS_MAX)
        trials->of[trials->count++] = trial;
}

static void take_cycles(const struct knee_trials *lone, struct values *cycles_s)
{
    for (size_t i = 0; i < lone->count; i++) {
        double cycle_s = lone->of[i]->handoff_s + lone->of[i]->hold_s;
        if (cycle_s > 0)
            cycles_s->of[cycles_s->count++] = cycle_s;
    }
}

static void take_demands(const struct knee_trials *trials, struct values *demands_s,
                         struct knee *knee)
{
    size_t times[UTILISATION_LIMITS] = {0};
    knee->of = UTILISATION_UNDETERMINED;
    for (size_t i = 0; i < trials->count; i++) {
        struct utilisation_demand demand = utilisation_largest_demand(trials->of[i]);
        if (!(demand.demand_s > 0))
            continue;
        demands_s->of[demands_s->count++] = demand.demand_s;
        if (++times[demand.of] > times[knee->of])
            knee->of = demand.of;
        if (trials->of[i]->locks > knee->demand_locks)
            knee->demand_locks = trials->of[i]->locks;
    }
}

static bool are_enough(const struct values *values)
{
    return values->count >= STATISTICS_TRIALS_MIN;
}

static struct interval judge(struct interval interval, bool enough)
{
    if (!enough)
        interval.low = interval.high = NAN;
    return interval;
}

static struct interval invert(struct interval interval)
{
    return (struct interval){1 / interval.value, 1 / interval.high, 1 / interval.low};
}

static struct interval mean_of(const struct values *values)
{
    return judge(statistics_interval_of_logs(values->of, values->count, CONFIDENCE),
                 are_enough(values));
}

struct knee knee_find(const struct knee_trials *lone, const struct knee_trials *busy)
{
    struct values cycles_s = {.count = 0}, demands_s = {.count = 0};
    struct knee knee = {.demand_locks = 0};
    take_cycles(lone, &cycles_s);
    take_demands(busy, &demands_s, &knee);
    if (demands_s.count == 0)
        take_demands(lone, &demands_s, &knee);
    knee.cycle_s = mean_of(&cycles_s);
    knee.most_per_s = invert(mean_of(&demands_s));
    knee.locks = judge(
        statistics_ratio(cycles_s.of, cycles_s.count, demands_s.of, demands_s.count, CONFIDENCE),
        are_enough(&cycles_s) && are_enough(&demands_s));
    knee.at_least = knee.demand_locks < knee.locks.value;
    return knee;
}
