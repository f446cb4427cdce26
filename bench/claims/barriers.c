// SPDX-License-Identifier: Apache-2.0
#include "bench/claims/barriers.h"

#include "measure/fit.h"

#include <math.h>

/* As many as a class of growth takes. */
#define LEVELS FIT_LEVELS_MIN

/* Of the clients of a barrier, and of the barriers, when the number of the other grows. */
#define CLIENTS  24
#define BARRIERS 3

/* In each round there is a trial of every level. */
#define ROUNDS 10

/* With few clients a barrier takes some round trips, whatever their number. */
static const uint32_t barrier_levels[LEVELS] = {1, 2, 4, 8, 16, 32};
static const uint32_t client_levels[LEVELS] = {32, 50, 80, 127, 200, 320};

/* The trials in which one number grows. */
struct times {
    const struct recipe *recipe;
    const char *what; /* grows */
    uint32_t barriers[LEVELS], clients[LEVELS];
    double numbers[LEVELS];
    double fastest_s[LEVELS];
    bool whole; /* the times of all trials can be used */
};

static enum error_kind run_trial(const struct times *times, size_t level, struct testbed *testbed,
                                 double *seconds, struct finding *finding, bool *whole,
                                 struct error *error)
{
    struct testbed_trial trial = testbed_drain(testbed, times->recipe, times->clients[level]);
    trial.plan.pace = PACE_FREE;
    trial.plan.barriers = times->barriers[level];
    enum error_kind kind = testbed_run(testbed, &trial, error);
    if (kind != ERROR_NONE)
        return kind;
    *whole = finding_accepts(finding, trial.result);
    *seconds = (double)trial.result->elapsed_ns / 1e9;
    testbed_clear(&trial);
    return ERROR_NONE;
}

/* After a trial whose time cannot be used no other runs. The first round is a server's warm-up, if
 * the server has just started, and counts as any other: the fastest is of a later one then. */
static enum error_kind measure(struct times *times, struct testbed *testbed,
                               struct finding *finding, struct error *error)
{
    for (size_t i = 0; i < LEVELS; i++)
        times->fastest_s[i] = INFINITY;
    for (size_t i = 0; i < (size_t)ROUNDS * LEVELS && times->whole; i++) {
        double seconds;
        enum error_kind kind =
            run_trial(times, i % LEVELS, testbed, &seconds, finding, &times->whole, error);
        if (kind != ERROR_NONE)
            return kind;
        times->fastest_s[i % LEVELS] = fmin(times->fastest_s[i % LEVELS], seconds);
    }
    return ERROR_NONE;
}

static void judge(const struct times *times, struct finding *finding)
{
    struct fit_exponent fit = fit_exponent(times->numbers, times->fastest_s, LEVELS);
    enum fit_verdict judged = fit_judge(&fit);
    finding_measured(finding,
                     "%s, %.0f to %.0f %s: %.3f to %.3f s, growing as n^%.2f (95 %% CI %.2f to "
                     "%.2f)",
                     times->recipe->name, times->numbers[0], times->numbers[LEVELS - 1],
                     times->what, times->fastest_s[0], times->fastest_s[LEVELS - 1], fit.exponent,
                     fit.low, fit.high);
    if (judged == FIT_UNDETERMINED)
        finding_undecide(finding, "the CI is within ± %.2f of no whole exponent", FIT_MARGIN);
    else
        finding_check(finding, judged == FIT_LINEAR);
}

static enum error_kind try_times(struct times *times, struct testbed *testbed,
                                 struct finding *finding, struct error *error)
{
    times->whole = true;
    enum error_kind kind = measure(times, testbed, finding, error);
    if (kind == ERROR_NONE && times->whole)
        judge(times, finding);
    return kind;
}

enum error_kind barriers_take_linear_time(const struct recipe *recipe, struct testbed *testbed,
                                          struct finding *finding, struct error *error)
{
    struct times of_barriers = {.recipe = recipe, .what = "barriers"},
                 of_clients = {.recipe = recipe, .what = "clients"};
    finding_tried(finding,
                  "%s, free pace, the fastest of %d trials: %u to %u in turn with %d clients, and "
                  "%d with %u to %u clients",
                  recipe->name, ROUNDS, barrier_levels[0], barrier_levels[LEVELS - 1], CLIENTS,
                  BARRIERS, client_levels[0], client_levels[LEVELS - 1]);
    finding_expected(finding, "%s: time %s in barriers and in clients", recipe->name,
                     fit_verdict_words(FIT_LINEAR));
    for (size_t i = 0; i < LEVELS; i++) {
        of_barriers.numbers[i] = of_barriers.barriers[i] = barrier_levels[i];
        of_barriers.clients[i] = CLIENTS;
        of_clients.numbers[i] = of_clients.clients[i] = client_levels[i];
        of_clients.barriers[i] = BARRIERS;
    }
    enum error_kind kind = try_times(&of_barriers, testbed, finding, error);
    return kind == ERROR_NONE ? try_times(&of_clients, testbed, finding, error) : kind;
}
