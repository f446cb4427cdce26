// SPDX-License-Identifier: Apache-2.0
/* Single releases of a lock: the clients that each notifies, and those that it lets in. They are
 * read from the ledger of a drain under lockstep, whose row i has what release i set off. */
#include "bench/claims/internal.h"

#include <inttypes.h>

/* ------------------------------------------------------------------ notifications */

/* The notifications that a release is to set off. */
enum notified { NOTIFIES_ALL, NOTIFIES_ALL_AND_DELETER, NOTIFIES_ONE };

static uint64_t expect_notified(enum notified notified, uint64_t waiters, uint64_t handoff)
{
    if (notified == NOTIFIES_ONE)
        return waiters > 0 ? 1 : 0;
    /* The holder's own list set a watch as well; at the first release arrivals have used it up. */
    return waiters + (notified == NOTIFIES_ALL_AND_DELETER && handoff > 1 ? 1 : 0);
}

static uint64_t found_in(const struct ledger_row *row)
{
    return row->tally.of[TALLY_NOTIFICATION];
}

/* Compares every release; `shown` is in the text. */
static void check_notifications(struct experiment *experiment, enum notified notified,
                                uint64_t shown)
{
    uint64_t releases = trial_memory_rows_used(experiment->result->memory, 0) - 1, as_expected = 0;
    for (uint64_t handoff = 1; handoff <= releases; handoff++) {
        const struct ledger_row *row = experiment_row(experiment, handoff);
        as_expected += found_in(row) == expect_notified(notified, row->waiters, handoff);
    }
    const struct ledger_row *row = experiment_row(experiment, shown);
    outcome_measured(experiment->outcome,
                     "notifications: %" PRIu64 " with %u waiters; as expected in %" PRIu64
                     " of %" PRIu64 " releases",
                     found_in(row), row->waiters, as_expected, releases);
    outcome_check(experiment->outcome,
                  as_expected == experiment->plan.fleet.sessions && releases == as_expected);
}

void releases_notify_all(struct experiment *experiment)
{
    check_notifications(experiment, NOTIFIES_ALL, 1);
}

void releases_notify_children_watches(struct experiment *experiment)
{
    check_notifications(experiment, NOTIFIES_ALL_AND_DELETER, 2);
}

/* In the last of several drains: the cost is the same with many waiters as with one. The last
 * release hands on nothing. */
void releases_notify_one(struct experiment *experiment)
{
    struct outcome *outcome = experiment->outcome;
    uint64_t handoffs = trial_memory_rows_used(experiment->result->memory, 0) - 2;
    uint64_t least = UINT64_MAX, most = 0;
    growth_is_lawful(experiment);
    check_notifications(experiment, NOTIFIES_ONE, 1);
    for (uint64_t handoff = 1; handoff <= handoffs; handoff++) {
        uint64_t rpcs = tally_rpcs(&experiment_row(experiment, handoff)->tally);
        least = rpcs < least ? rpcs : least;
        most = rpcs > most ? rpcs : most;
    }
    if (least == most)
        outcome_measured(outcome, "%" PRIu64 " RPCs in each handoff", most);
    else
        outcome_measured(outcome, "%" PRIu64 " to %" PRIu64 " RPCs in a handoff", least, most);
    outcome_check(outcome, least == most);
}

/* ------------------------------------------------------------------ readers */

/* The clients that the release of client `releaser` is to let in, after those before it: the next
 * in line, and if that one reads all readers up to the next writer; none where readers hold
 * already. */
static uint64_t let_in_by(const struct recipe *recipe, uint32_t releaser, uint32_t clients)
{
    uint32_t next = releaser + 1;
    if (next == clients || (recipe_shares(recipe, releaser) && recipe_shares(recipe, next)))
        return 0;
    while (next < clients && recipe_shares(recipe, next))
        next++;
    return next > releaser + 1 ? next - releaser - 1 : 1;
}

void releases_let_readers_in_together(struct experiment *experiment)
{
    struct outcome *outcome = experiment->outcome;
    uint32_t clients = experiment->plan.fleet.sessions;
    uint64_t sharing = 0, largest = 0, notifications = 0, as_expected = 0;
    /* Clients release in the order in which they arrived. */
    for (uint32_t releaser = 0; releaser < clients; releaser++) {
        const struct ledger_row *row = experiment_row(experiment, releaser + UINT64_C(1));
        as_expected += row->granted == let_in_by(experiment->plan.recipe, releaser, clients);
        notifications += found_in(row);
        sharing += row->granted > 1;
        largest = row->granted > largest ? row->granted : largest;
    }
    if (sharing == 0)
        outcome_measured(outcome, "no release granted more than one client");
    else
        outcome_measured(outcome,
                         "%" PRIu64 " releases granted several clients at once, up to %" PRIu64,
                         sharing, largest);
    outcome_measured(outcome,
                     "as expected in %" PRIu64 " of %u releases; %" PRIu64 " notifications",
                     as_expected, clients, notifications);
    outcome_check(outcome, sharing > 0);
    outcome_check(outcome, as_expected == clients);
    outcome_check(outcome, notifications == clients - 1);
}
