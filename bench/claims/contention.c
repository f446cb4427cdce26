// SPDX-License-Identifier: Apache-2.0
#include "bench/claims/contention.h"

#include "base/clock.h"

#include <inttypes.h>
#include <stdio.h>

/* Clients that queue again and again, in two processes: as many as a small machine can run at the
 * same time. */
#define CROWD_CLIENTS   32
#define CROWD_HANDOFFS  320
#define CROWD_PROCESSES 2
/* The mean: two who hold for no time would hardly be seen to hold at once. */
#define CROWD_HOLD_NS NS_PER_MS

#define ORDER_CLIENTS 16
#define ORDER_DRAINS  5

#define WAITING_CLIENTS 5
#define SHORT_HOLD_NS   (20 * NS_PER_MS)
#define LONG_HOLD_NS    (400 * NS_PER_MS)

/* How many of the recipes are there. */
static size_t count_recipes(const struct claim *claim)
{
    size_t count = 0;
    while (count < CLAIM_RECIPES_MAX && claim->recipes[count] != NULL)
        count++;
    return count;
}

/* ------------------------------------------------------------------ a crowd */

static enum error_kind run_crowd(struct testbed_trial *trial, uint64_t hold_ns,
                                 struct testbed *testbed, struct error *error)
{
    trial->plan.hold = (struct hold){.mean_ns = hold_ns, .exponential = true};
    trial->plan.workload = WORKLOAD_STEADY;
    trial->plan.pace = PACE_FREE;
    trial->plan.fleet.processes = CROWD_PROCESSES;
    trial->plan.handoffs = CROWD_HANDOFFS;
    return testbed_run(testbed, trial, error);
}

/* What the counts of a crowd at one lock are to say. */
typedef void check_function(const struct trial_result *result, struct finding *finding);

static enum error_kind try_crowds(const struct claim *claim, uint64_t hold_ns,
                                  check_function *check, struct testbed *testbed,
                                  struct finding *finding, struct error *error)
{
    enum error_kind kind = ERROR_NONE;
    char held[64] = "released immediately";
    if (hold_ns > 0)
        snprintf(held, sizeof held, "held for %" PRIu64 " ms on average", hold_ns / NS_PER_MS);
    finding_tried(finding,
                  "%d grants of each of %zu locks, %s; %d clients in %d processes, which queue "
                  "again after each release",
                  CROWD_HANDOFFS, count_recipes(claim), held, CROWD_CLIENTS, CROWD_PROCESSES);
    for (size_t i = 0; kind == ERROR_NONE && i < count_recipes(claim); i++) {
        struct testbed_trial trial = testbed_drain(testbed, claim->recipes[i], CROWD_CLIENTS);
        kind = run_crowd(&trial, hold_ns, testbed, error);
        if (kind == ERROR_NONE && finding_accepts(finding, trial.result))
            check(trial.result, finding);
        testbed_clear(&trial);
    }
    return kind;
}

static void check_winners(const struct trial_result *result, struct finding *finding)
{
    const uint64_t *of = result->total.of;
    uint64_t won = of[TALLY_CREATE] - of[TALLY_CREATE_FAILED];
    finding_measured(finding,
                     "%s: %" PRIu64 " grants, %" PRIu64 " of %" PRIu64 " CREATEs succeeded",
                     result->memory->plan->recipe->name, result->handoffs, won, of[TALLY_CREATE]);
    finding_check(finding, won == result->handoffs && result->handoffs == CROWD_HANDOFFS);
}

enum error_kind contention_has_one_winner(const struct claim *claim, struct testbed *testbed,
                                          struct finding *finding, struct error *error)
{
    finding_expected(finding,
                     "for each lock: %d grants, never two holders, and as many successful CREATEs",
                     CROWD_HANDOFFS);
    return try_crowds(claim, CROWD_HOLD_NS, check_winners, testbed, finding, error);
}

/* A client creates when it arrives, when it is woken, and when it finds that what it looked for has
 * gone between its CREATE and its look. */
static void check_races(const struct trial_result *result, struct finding *finding)
{
    const uint64_t *of = result->total.of;
    uint64_t looks = of[TALLY_EXISTS] + of[TALLY_GET];
    uint64_t woken = of[TALLY_NOTIFICATION] - of[TALLY_NOTIFICATION_SPURIOUS];
    uint64_t races = of[TALLY_CREATE] - result->handoffs - woken;
    const char *name = result->memory->plan->recipe->name;
    finding_measured(
        finding, "%s: %" PRIu64 " grants; at %" PRIu64 " of %" PRIu64 " looks the znode was gone",
        name, result->handoffs, races, looks);
    if (races == 0)
        finding_undecide(finding, "the race never occurred with %s", name);
    finding_check(finding, result->handoffs == CROWD_HANDOFFS);
}

enum error_kind contention_loses_no_wakeup(const struct claim *claim, struct testbed *testbed,
                                           struct finding *finding, struct error *error)
{
    finding_expected(finding, "for each lock: %d grants, although the race occurs", CROWD_HANDOFFS);
    return try_crowds(claim, 0, check_races, testbed, finding, error);
}

/* ------------------------------------------------------------------ in which order */

/* Clients arrive one after another: a grant is out of order if somebody who came later was granted
 * before. */
static uint64_t count_overtaken(const struct testbed_trial *trial)
{
    uint64_t overtaken = 0;
    uint32_t latest = 0;
    for (uint64_t handoff = 0; handoff < trial->plan.fleet.sessions; handoff++) {
        uint32_t holder = testbed_row(trial, handoff)->holder;
        overtaken += holder < latest;
        latest = holder > latest ? holder : latest;
    }
    return overtaken;
}

static enum error_kind drain_in_order(const struct recipe *recipe, struct testbed *testbed,
                                      uint64_t *overtaken, bool *whole, struct finding *finding,
                                      struct error *error)
{
    enum error_kind kind = ERROR_NONE;
    *overtaken = 0;
    *whole = true;
    for (int drain = 0; kind == ERROR_NONE && *whole && drain < ORDER_DRAINS; drain++) {
        struct testbed_trial trial = testbed_drain(testbed, recipe, ORDER_CLIENTS);
        kind = testbed_run(testbed, &trial, error);
        *whole = kind == ERROR_NONE && finding_accepts(finding, trial.result);
        if (*whole)
            *overtaken += count_overtaken(&trial);
        testbed_clear(&trial);
    }
    return kind;
}

enum error_kind contention_keeps_order(const struct claim *claim, struct testbed *testbed,
                                       struct finding *finding, struct error *error)
{
    enum error_kind kind = ERROR_NONE;
    finding_tried(finding,
                  "%d drains of each of %zu locks; %d clients, which arrive one after another",
                  ORDER_DRAINS, count_recipes(claim), ORDER_CLIENTS);
    finding_expected(finding,
                     "grants later than that of a later arrival: some with %s, 0 with the others",
                     claim->recipes[0]->name);
    for (size_t i = 0; kind == ERROR_NONE && i < count_recipes(claim); i++) {
        uint64_t overtaken;
        bool whole;
        kind = drain_in_order(claim->recipes[i], testbed, &overtaken, &whole, finding, error);
        if (!whole)
            continue;
        finding_measured(finding, "%s: %" PRIu64 " of %d", claim->recipes[i]->name, overtaken,
                         ORDER_DRAINS * ORDER_CLIENTS);
        if (i > 0)
            finding_check(finding, overtaken == 0);
        else if (overtaken == 0)
            finding_undecide(finding, "%s may have kept the order by chance",
                             claim->recipes[0]->name);
    }
    return kind;
}

/* ------------------------------------------------------------------ what waiting costs */

static enum error_kind count_rpcs(const struct recipe *recipe, uint64_t hold_ns,
                                  struct testbed *testbed, uint64_t *rpcs, bool *whole,
                                  struct finding *finding, struct error *error)
{
    struct testbed_trial trial = testbed_drain(testbed, recipe, WAITING_CLIENTS);
    trial.plan.hold.mean_ns = hold_ns;
    if (!recipe_has_law(recipe))
        trial.plan.pace = PACE_FREE;
    enum error_kind kind = testbed_run(testbed, &trial, error);
    *whole = kind == ERROR_NONE && finding_accepts(finding, trial.result);
    if (*whole)
        *rpcs = tally_rpcs(&trial.result->total);
    testbed_clear(&trial);
    return kind;
}

static void check_waiting(const struct recipe *recipe, uint64_t briefly, uint64_t long_held,
                          bool polls, struct finding *finding)
{
    finding_measured(finding, "%s: %" PRIu64 " and %" PRIu64 " RPCs", recipe->name, briefly,
                     long_held);
    if (!polls)
        finding_check(finding, briefly == long_held);
    else if (long_held <= briefly)
        finding_undecide(finding, "the polling of %s did not show", recipe->name);
}

enum error_kind contention_waits_for_nothing(const struct claim *claim, struct testbed *testbed,
                                             struct finding *finding, struct error *error)
{
    enum error_kind kind = ERROR_NONE;
    finding_tried(
        finding, "drains of %d clients: each holds for %d ms in one drain, for %d ms in another",
        WAITING_CLIENTS, (int)(SHORT_HOLD_NS / NS_PER_MS), (int)(LONG_HOLD_NS / NS_PER_MS));
    finding_expected(finding,
                     "the same number of RPCs in both; with %s, which polls, more in the second",
                     claim->recipes[0]->name);
    for (size_t i = 0; kind == ERROR_NONE && i < count_recipes(claim); i++) {
        const struct recipe *recipe = claim->recipes[i];
        uint64_t briefly = 0, long_held = 0;
        bool whole;
        kind = count_rpcs(recipe, SHORT_HOLD_NS, testbed, &briefly, &whole, finding, error);
        if (kind == ERROR_NONE && whole)
            kind = count_rpcs(recipe, LONG_HOLD_NS, testbed, &long_held, &whole, finding, error);
        if (kind == ERROR_NONE && whole)
            check_waiting(recipe, briefly, long_held, i == 0, finding);
    }
    return kind;
}
