// SPDX-License-Identifier: Apache-2.0
/* A session dies, or loses a reply. */
#include "base/clock.h"
#include "bench/claims/internal.h"
#include "bench/output/folder.h"

#include <inttypes.h>

/* ------------------------------------------------------------------ a waiter */

enum { NO_DEATH, ONE_HOLDER, TWO_HOLDERS };

/* A trial that came to another bad end says so by itself. */
void deaths_count_holders(struct experiment *experiment)
{
    const struct trial_result *result = experiment->result;
    double *holders = &experiment->values[0][experiment->round];
    if (result->violation_count > 0 && result->memory->violations[0].kind == VIOLATION_TWO_HOLDERS)
        *holders = TWO_HOLDERS;
    else
        *holders = experiment_accepts(experiment) && result->had_death ? ONE_HOLDER : NO_DEATH;
}

void deaths_need_another_list(struct experiment *experiment)
{
    struct outcome *outcome = experiment->outcome;
    size_t usable = 0, two_held = 0;
    for (size_t i = 0; i < experiment->rounds; i++) {
        usable += experiment->values[0][i] != NO_DEATH;
        two_held += experiment->values[0][i] == TWO_HOLDERS;
    }
    outcome_measured(outcome, "%s: two holders in %zu of %zu drains", experiment->plan.recipe->name,
                     two_held, usable);
    if (usable < experiment->rounds)
        outcome_undecide(outcome, "no session died in the others");
    outcome_check(outcome, two_held == experiment->recipe * usable);
}

/* The living are granted one after another. One notification for each handoff to a waiter, and one
 * for the death. */
void deaths_of_waiters_wake_one(struct experiment *experiment)
{
    struct outcome *outcome = experiment->outcome;
    uint64_t living = experiment->plan.fleet.sessions - 1;
    uint64_t granted = experiment->result->handoffs;
    uint64_t notifications = experiment->result->total.of[TALLY_NOTIFICATION];
    uint32_t early = experiment_row(experiment, 0)->granted - 1;
    outcome_measured(
        outcome, "%u grants before the next release, %" PRIu64 " in all; %" PRIu64 " notifications",
        early, granted, notifications);
    outcome_check(outcome, early == 0);
    outcome_check(outcome, granted == living);
    outcome_check(outcome, notifications == living);
}

/* ------------------------------------------------------------------ a reply */

/* Whether the trial ran to its end, or was blocked by a client that has created again. */
static bool accepts_lost_reply(struct experiment *experiment)
{
    const struct trial_result *result = experiment->result;
    bool created_again = result->total.of[TALLY_CREATE] > experiment->plan.fleet.sessions;
    if (!result->had_death) {
        outcome_undecide(experiment->outcome, "no reply was lost");
        return false;
    }
    return (result->end == END_DEADLINE && created_again && result->violation_count == 0) ||
           experiment_accepts(experiment);
}

void deaths_of_replies_need_a_guid(struct experiment *experiment)
{
    const struct trial_result *result = experiment->result;
    struct outcome *outcome = experiment->outcome;
    uint32_t clients = experiment->plan.fleet.sessions;
    uint32_t loser = clients / 2; /* arrives in the middle, behind as many others */
    const struct trial_session_report *session = &result->memory->sessions[loser];
    uint64_t creates = result->total.of[TALLY_CREATE];
    bool blocked = result->end == END_DEADLINE, blocks = experiment->recipe == 0;
    if (!accepts_lost_reply(experiment))
        return;
    outcome_measured(outcome, "%s: %" PRIu64 " grants, %" PRIu64 " CREATEs",
                     experiment->plan.recipe->name, result->handoffs, creates);
    if (blocked)
        outcome_measured(outcome,
                         "then nothing for %d s: session %u, at %s, waits until %s is deleted",
                         (int)(experiment->plan.fleet.timeout_ns / NS_PER_S), loser,
                         folder_name(session->node), folder_name(session->waits_for));
    outcome_check(outcome, blocked == blocks);
    outcome_check(outcome, result->handoffs == (blocks ? loser : clients));
    outcome_check(outcome, creates == (blocks ? clients + 1 : clients));
}

/* ------------------------------------------------------------------ a holder */

/* Whether a lock is freed in time after the last request of its dead holder: after one session
 * timeout at the earliest, and two at the latest. The servers count from the last message of a
 * session, and round up to a tick, which is at most half of the shortest timeout. */
bool deaths_frees_in_time(uint64_t freed_ns, uint64_t timeout_ns)
{
    return freed_ns >= timeout_ns && freed_ns <= 2 * timeout_ns;
}

static void check_timeout(const struct trial_memory *memory, struct outcome *outcome)
{
    const struct shared_session *dead = memory->fleet->sessions;
    while (!dead->dead)
        dead++;
    uint64_t timeout_ns = dead->timeout_ms * NS_PER_MS;
    uint64_t granted_ns = memory->died_ns + memory->recovery_ns;
    uint64_t freed_ns = granted_ns - (memory->locks[0].lapses_ns - timeout_ns);
    outcome_measured(outcome, "the next grant after %.2f s; the session timeout is %.1f s",
                     (double)freed_ns / 1e9, (double)timeout_ns / 1e9);
    outcome_check(outcome, memory->recovery_ns > 0 && deaths_frees_in_time(freed_ns, timeout_ns));
}

/* After a crash, and only then, a holder finds that the one before had crashed. */
void deaths_of_holders_take_the_timeout(struct experiment *experiment)
{
    struct outcome *outcome = experiment->outcome;
    bool crashes = experiment->plan.death.how != DEATH_NONE;
    if (crashes)
        check_timeout(experiment->result->memory, outcome);
    outcome_measured(outcome, "half-written %s: %" PRIu64,
                     crashes ? "after the crash" : "without a crash", experiment->result->repairs);
    outcome_check(outcome, experiment->result->repairs == crashes);
}

/* ------------------------------------------------------------------ a leader */

/* In the row that the death of the leader, session 0, has opened, the next in line is notified,
 * lists, and leads. */
void deaths_of_leaders_have_one_successor(struct experiment *experiment)
{
    const struct ledger_row *row = experiment_row(experiment, 1);
    const struct trial_plan *plan = &experiment->plan;
    uint64_t rpcs = tally_rpcs(&row->tally), notified = row->tally.of[TALLY_NOTIFICATION];
    outcome_measured(
        experiment->outcome,
        "%u clients, %s: session %d leads after %.3f s, notifications %" PRIu64 ", RPCs %" PRIu64,
        plan->fleet.sessions, plan->death.how == DEATH_EXIT ? "exit" : "crash",
        (int)row->holder - 1, (double)experiment->result->recovery_ns / 1e9, notified, rpcs);
    outcome_check(experiment->outcome, row->holder == 1 + 1);
    outcome_check(experiment->outcome, notified == 1 && rpcs == 1);
}
