// SPDX-License-Identifier: Apache-2.0
#include "bench/claims/releases.h"

#include <inttypes.h>

#define HERD_CLIENTS 64
/* The first of them writes, and so does every fourth after it. */
#define SHARE_CLIENTS 20

/* ------------------------------------------------------------------ notifications */

/* How many notifications a release is to set off. */
typedef uint64_t notified_function(uint64_t waiters, uint64_t handoff);

static uint64_t all(uint64_t waiters, uint64_t handoff)
{
    (void)handoff;
    return waiters;
}

/* The holder's own list set a watch as well; at the first release arrivals have used it up. */
static uint64_t all_and_the_deleter(uint64_t waiters, uint64_t handoff)
{
    return waiters + (handoff > 1 ? 1 : 0);
}

static uint64_t one(uint64_t waiters, uint64_t handoff)
{
    (void)handoff;
    return waiters > 0 ? 1 : 0;
}

static uint64_t found_in(const struct ledger_row *row)
{
    return row->tally.of[TALLY_NOTIFICATION];
}

/* States how many notifications the release `shown` is to set off, and all others accordingly. */
static void expect_notifications(uint32_t clients, notified_function *expected, uint32_t shown,
                                 struct finding *finding)
{
    uint32_t waiters = clients - shown;
    finding_expected(
        finding, "notifications: %" PRIu64 " with %u waiters, and accordingly in %u of %u releases",
        expected(waiters, shown), waiters, clients, clients);
}

static void check_notifications(const struct testbed_trial *trial, notified_function *expected,
                                uint32_t shown, struct finding *finding)
{
    uint64_t releases = trial_memory_rows_used(trial->result->memory, 0) - 1, as_expected = 0;
    for (uint64_t handoff = 1; handoff <= releases; handoff++) {
        const struct ledger_row *row = testbed_row(trial, handoff);
        as_expected += found_in(row) == expected(row->waiters, handoff);
    }
    const struct ledger_row *row = testbed_row(trial, shown);
    finding_measured(finding,
                     "notifications: %" PRIu64 " with %u waiters; as expected in %" PRIu64
                     " of %" PRIu64 " releases",
                     found_in(row), row->waiters, as_expected, releases);
    finding_check(finding, as_expected == trial->plan.fleet.sessions && releases == as_expected);
}

/* Runs a drain for its ledger; *whole says whether that can be used. To be cleared in any case. */
static enum error_kind run_drain(struct testbed_trial *trial, struct testbed *testbed,
                                 struct finding *finding, bool *whole, struct error *error)
{
    finding_tried(finding, "a drain of %u clients, %s, lockstep; each release is examined",
                  trial->plan.fleet.sessions, trial->plan.recipe->name);
    enum error_kind kind = testbed_run(testbed, trial, error);
    *whole = kind == ERROR_NONE && finding_accepts(finding, trial->result);
    return kind;
}

static enum error_kind try_notifications(const struct claim *claim, notified_function *expected,
                                         uint32_t shown, struct testbed *testbed,
                                         struct finding *finding, struct error *error)
{
    struct testbed_trial trial = testbed_drain(testbed, claim->recipes[0], HERD_CLIENTS);
    bool whole;
    expect_notifications(trial.plan.fleet.sessions, expected, shown, finding);
    enum error_kind kind = run_drain(&trial, testbed, finding, &whole, error);
    if (whole)
        check_notifications(&trial, expected, shown, finding);
    testbed_clear(&trial);
    return kind;
}

enum error_kind releases_notify_all(const struct claim *claim, struct testbed *testbed,
                                    struct finding *finding, struct error *error)
{
    return try_notifications(claim, all, 1, testbed, finding, error);
}

enum error_kind releases_notify_children_watches(const struct claim *claim, struct testbed *testbed,
                                                 struct finding *finding, struct error *error)
{
    finding_expected(finding, "W + 1 notifications, except at the first release: by then arrivals "
                              "have used up the deleter's own watch");
    return try_notifications(claim, all_and_the_deleter, 2, testbed, finding, error);
}

/* ------------------------------------------------------------------ the cost of a handoff */

/* With many waiters as with one: the last release hands on nothing. */
static void check_constant_cost(const struct testbed_trial *trial, struct finding *finding)
{
    uint64_t handoffs = trial_memory_rows_used(trial->result->memory, 0) - 2;
    uint64_t least = UINT64_MAX, most = 0;
    for (uint64_t handoff = 1; handoff <= handoffs; handoff++) {
        uint64_t rpcs = tally_rpcs(&testbed_row(trial, handoff)->tally);
        least = rpcs < least ? rpcs : least;
        most = rpcs > most ? rpcs : most;
    }
    if (least == most)
        finding_measured(finding, "%" PRIu64 " RPCs in each handoff", most);
    else
        finding_measured(finding, "%" PRIu64 " to %" PRIu64 " RPCs in a handoff", least, most);
    finding_check(finding, least == most);
}

enum error_kind releases_notify_one(const struct recipe *recipe, uint32_t clients,
                                    struct testbed *testbed, struct finding *finding,
                                    struct error *error)
{
    struct testbed_trial trial = testbed_drain(testbed, recipe, clients);
    bool whole;
    expect_notifications(clients, one, 1, finding);
    finding_expected(finding, "the same number of RPCs in each of %u handoffs", clients - 1);
    enum error_kind kind = run_drain(&trial, testbed, finding, &whole, error);
    if (whole) {
        check_notifications(&trial, one, 1, finding);
        check_constant_cost(&trial, finding);
    }
    testbed_clear(&trial);
    return kind;
}

/* ------------------------------------------------------------------ readers */

/* Whom the release of client `releaser` is to let in, when those before it have released: the next
 * in line, and if that one reads all readers up to the next writer; a reader's release lets in
 * nobody beside readers who hold already. */
static uint64_t let_in_by(const struct recipe *recipe, uint32_t releaser, uint32_t clients)
{
    uint32_t next = releaser + 1;
    if (next == clients || (recipe_shares(recipe, releaser) && recipe_shares(recipe, next)))
        return 0;
    while (next < clients && recipe_shares(recipe, next))
        next++;
    return next > releaser + 1 ? next - releaser - 1 : 1;
}

/* Clients release in the order in which they arrived. */
static void check_sharing(const struct testbed_trial *trial, struct finding *finding)
{
    const struct recipe *recipe = trial->plan.recipe;
    uint32_t clients = trial->plan.fleet.sessions;
    uint64_t sharing = 0, largest = 0, notifications = 0, as_expected = 0;
    for (uint32_t releaser = 0; releaser < clients; releaser++) {
        const struct ledger_row *row = testbed_row(trial, releaser + UINT64_C(1));
        as_expected += row->granted == let_in_by(recipe, releaser, clients);
        notifications += found_in(row);
        if (row->granted <= 1)
            continue;
        sharing++;
        largest = row->granted > largest ? row->granted : largest;
    }
    if (sharing == 0)
        finding_measured(finding, "no release granted more than one client");
    else
        finding_measured(finding,
                         "%" PRIu64 " releases granted several clients at once, up to %" PRIu64,
                         sharing, largest);
    finding_measured(finding,
                     "as expected in %" PRIu64 " of %u releases; %" PRIu64 " notifications",
                     as_expected, clients, notifications);
    finding_check(finding, sharing > 0);
    finding_check(finding, as_expected == clients);
    finding_check(finding, notifications == clients - 1);
}

enum error_kind releases_let_readers_in_together(const struct claim *claim, struct testbed *testbed,
                                                 struct finding *finding, struct error *error)
{
    struct testbed_trial trial = testbed_drain(testbed, claim->recipes[0], SHARE_CLIENTS);
    bool whole;
    finding_expected(
        finding,
        "each release grants one writer, or all readers up to the next writer at once: "
        "as expected in %d of %d releases; %d notifications, one for each client "
        "granted",
        SHARE_CLIENTS, SHARE_CLIENTS, SHARE_CLIENTS - 1);
    enum error_kind kind = run_drain(&trial, testbed, finding, &whole, error);
    if (whole)
        check_sharing(&trial, finding);
    testbed_clear(&trial);
    return kind;
}
