// SPDX-License-Identifier: Apache-2.0
#include "load/schedule.h"

#include "base/clock.h"

static void set_due(struct schedule *schedule)
{
    /* In two parts: number * NS_PER_S does not fit in 64 bits after five hours of a million a
     * second. */
    uint64_t seconds = schedule->number / schedule->rate_per_s,
             rest = schedule->number % schedule->rate_per_s;
    uint64_t since_ns = schedule->poisson
                            ? (uint64_t)schedule->since_start_ns
                            : seconds * NS_PER_S + rest * NS_PER_S / schedule->rate_per_s;
    schedule->due_ns = schedule->start_ns + since_ns;
}

static double draw_gap_ns(struct schedule *schedule)
{
    double mean_ns = (double)NS_PER_S * schedule->sessions / (double)schedule->rate_per_s;
    return random_exponential(&schedule->random, mean_ns);
}

void schedule_init(struct schedule *schedule, uint64_t rate_per_s, bool poisson, uint32_t session,
                   uint32_t sessions, uint64_t start_ns, uint64_t seed)
{
    *schedule = (struct schedule){.start_ns = start_ns,
                                  .rate_per_s = rate_per_s,
                                  .sessions = sessions,
                                  .poisson = poisson,
                                  .number = session};
    random_init(&schedule->random, seed);
    if (poisson)
        schedule->since_start_ns = draw_gap_ns(schedule);
    set_due(schedule);
}

void schedule_advance(struct schedule *schedule)
{
    schedule->number += schedule->sessions;
    if (schedule->poisson)
        schedule->since_start_ns += draw_gap_ns(schedule);
    set_due(schedule);
}

/* At constant distances: the number of all sessions' first operation that is due at this time or
 * later. */
static uint64_t number_at(const struct schedule *schedule, uint64_t time_ns)
{
    uint64_t since_ns = time_ns - schedule->start_ns;
    return since_ns / NS_PER_S * schedule->rate_per_s +
           (since_ns % NS_PER_S * schedule->rate_per_s + NS_PER_S - 1) / NS_PER_S;
}

static uint64_t skip_constant(struct schedule *schedule, uint64_t until_ns)
{
    uint64_t left = number_at(schedule, until_ns) - schedule->number,
             skipped = (left + schedule->sessions - 1) / schedule->sessions;
    schedule->number += skipped * schedule->sessions;
    set_due(schedule);
    return skipped;
}

uint64_t schedule_skip(struct schedule *schedule, uint64_t until_ns)
{
    uint64_t skipped = 0;
    if (schedule->due_ns >= until_ns)
        return 0;
    if (!schedule->poisson)
        return skip_constant(schedule, until_ns);
    for (; schedule->due_ns < until_ns; skipped++)
        schedule_advance(schedule);
    return skipped;
}
