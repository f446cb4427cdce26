// SPDX-License-Identifier: Apache-2.0
/* The figures of a steady trial on a private server add up, and a broken one does not. */
#include "base/cores.h"
#include "tests/support/live.h"
#include "tests/support/test.h"
#include "trial/trial.h"

#include <math.h>

/* What an end of the steady part cuts counts as a whole or not at all: of each client one visit, of
 * each lock one handoff and one hold. */
static double cut_most_ns(double cut, const struct utilisation_figures *figures)
{
    return (2 * cut / (double)figures->grants + UTILISATION_SLACK) * figures->steady_s * 1e9;
}

/* Whether the machine has held up a visit, a handoff or a hold for longer than the laws allow for:
 * it may be one that an end has cut. */
static bool is_held_up(const struct trial_result *result, const struct utilisation_figures *figures)
{
    double of_client_ns = cut_most_ns(figures->clients, figures),
           of_lock_ns = cut_most_ns(figures->locks, figures);
    return (double)result->latency[METER_ACQUIRE].max_ns > of_client_ns ||
           (double)result->latency[METER_HANDOFF].max_ns > of_lock_ns ||
           (double)result->late->max_ns > of_lock_ns;
}

#define TRIES_MAX 20

/* A trial that the machine has held up, and that does not add up, tells nothing, and is repeated.
 */
static struct utilisation_figures measure(const char *recipe, uint32_t clients, uint32_t locks,
                                          uint32_t processes)
{
    struct trial_plan plan = live_plan(recipe, clients);
    plan.workload = WORKLOAD_STEADY;
    plan.pace = PACE_FREE;
    plan.locks = locks;
    plan.fleet.processes = processes;
    plan.handoffs = 400;
    plan.hold = (struct hold){.mean_ns = NS_PER_MS, .exponential = true};
    struct utilisation_figures figures;
    char why[UTILISATION_TEXT_SIZE];
    bool tells = false;
    for (int tries = 0; tries < TRIES_MAX && !tells; tries++) {
        struct trial_result *result = live_trial(&plan);
        live_assert_good(result);
        trial_utilisation_take(result, cores_allowed(), 0, &figures);
        tells = !is_held_up(result, &figures) || utilisation_adds_up(&figures, why, sizeof why);
        trial_result_free(result);
    }
    return figures;
}

static void assert_adds_up(const struct utilisation_figures *figures)
{
    char why[UTILISATION_TEXT_SIZE];
    if (!utilisation_adds_up(figures, why, sizeof why))
        fail_msg("%s", why);
}

static void assert_does_not(const struct utilisation_figures *figures, const char *words)
{
    char why[UTILISATION_TEXT_SIZE];
    assert_false(utilisation_adds_up(figures, why, sizeof why));
    if (strstr(why, words) == NULL)
        fail_msg("\"%s\" lacks \"%s\"", why, words);
}

TEST(test_a_steady_trial_adds_up)
{
    struct utilisation_figures figures = measure("scalable", 8, 1, 1);
    assert_adds_up(&figures);
    assert_true(figures.grants > 300);
    assert_int_equal(figures.servers, 1);
    assert_true(figures.span_s > figures.elapsed_s);
    assert_true(figures.server_cpu_s[0] > 0);
    assert_true(figures.fsync_s[0] >= 0 && figures.fsync_s[0] < figures.span_s);
    assert_true(figures.hold_s >= 1e-4);
    assert_int_equal(figures.count[UTILISATION_NOTIFICATION], figures.grants);
    assert_true(figures.handoff_s > 0 && figures.handoff_s < figures.acquire_s);
}

TEST(test_a_herd_and_several_locks_and_processes_add_up)
{
    struct utilisation_figures figures = measure("nonscalable", 8, 1, 1);
    assert_adds_up(&figures);
    struct utilisation_figures locks = measure("scalable", 10, 3, 2);
    assert_adds_up(&locks);
    assert_true(locks.grants > 300);
    struct utilisation_figures shared = measure("rwlock", 8, 1, 1);
    assert_true(isnan(shared.handoff_s));
    assert_adds_up(&shared);
}

/* Nobody is steady in a drain, and the CPU of somebody else's servers is not known. */
TEST(test_what_was_not_measured_is_not_known)
{
    struct trial_plan plan = live_plan("scalable", 3);
    struct trial_host host = live_host;
    struct utilisation_figures figures;
    host.ensemble = NULL;
    plan.pace = PACE_FREE;
    struct trial_result *result = live_trial_on(&plan, &host);
    live_assert_good(result);
    trial_utilisation_take(result, 2, 0, &figures);
    trial_result_free(result);
    assert_int_equal(figures.grants, 0);
    assert_int_equal(figures.servers, 1);
    assert_true(isnan(figures.server_cpu_s[0]));
    assert_true(isnan(figures.cores));
    assert_does_not(&figures, "no handoff in the steady part");
}

TEST_GROUP(live_start, live_stop)
