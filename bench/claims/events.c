// SPDX-License-Identifier: Apache-2.0
/* Which client gets a lock, and when; what an outsider sees and does; what a death leads to. */
#include "base/clock.h"
#include "bench/claims/internal.h"
#include "bench/output/folder.h"
#include "recipes/queue.h"

#include <stdio.h>

/* ------------------------------------------------------------------ a crowd */

void contention_has_one_winner(struct attempt *attempt)
{
    const struct trial_result *result = attempt->result;
    unsigned long long grants = result->handoffs, creates = result->total.of[TALLY_CREATE],
                       won = creates - result->total.of[TALLY_CREATE_FAILED];
    claim_measured(attempt, "%s: %llu grants, %llu of %llu CREATEs succeeded",
                   attempt_recipe(attempt), grants, won, creates);
    claim_check(attempt, won == grants && grants == attempt->plan.handoffs);
}

/* A client creates when it arrives, when it is woken, and when the znode that it looked for has
 * gone between its CREATE and its look. */
void contention_loses_no_wakeup(struct attempt *attempt)
{
    const uint64_t *of = attempt->result->total.of;
    unsigned long long grants = attempt->result->handoffs, looks = of[TALLY_EXISTS] + of[TALLY_GET],
                       woken = of[TALLY_NOTIFICATION] - of[TALLY_NOTIFICATION_SPURIOUS],
                       races = of[TALLY_CREATE] - grants - woken;
    const char *name = attempt_recipe(attempt);
    claim_measured(attempt, "%s: %llu grants; at %llu of %llu looks the znode was gone", name,
                   grants, races, looks);
    if (races == 0)
        claim_undecide(attempt, "the race never occurred with %s", name);
    claim_check(attempt, grants == attempt->plan.handoffs);
}

/* Clients arrive one after another: a grant is out of order if a later client was granted before.
 */
void contention_count_overtaken(struct attempt *attempt)
{
    unsigned overtaken = 0;
    uint32_t latest = 0;
    for (uint64_t handoff = 0; handoff < attempt->plan.fleet.sessions; handoff++) {
        uint32_t holder = attempt_row(attempt, handoff)->holder;
        overtaken += holder < latest;
        latest = holder > latest ? holder : latest;
    }
    attempt->values[0][attempt->rounds] = overtaken;
}

void contention_keeps_order(struct attempt *attempt)
{
    const char *name = attempt_recipe(attempt);
    double overtaken = 0;
    for (size_t i = 0; i < attempt->rounds; i++)
        overtaken += attempt->values[0][i];
    claim_measured(attempt, "%s: %.0f of %zu", name, overtaken,
                   attempt->rounds * attempt->plan.fleet.sessions);
    if (attempt->recipe > 0)
        claim_check(attempt, overtaken == 0);
    else if (overtaken == 0)
        claim_undecide(attempt, "%s may have kept the order by chance", name);
}

void contention_waits_for_nothing(struct attempt *attempt)
{
    unsigned long long brief = tally_rpcs(&attempt->totals[0]),
                       longer = tally_rpcs(&attempt->totals[1]);
    const char *name = attempt_recipe(attempt);
    claim_measured(attempt, "%s: %llu and %llu RPCs", name, brief, longer);
    if (attempt->recipe > 0)
        claim_check(attempt, brief == longer);
    else if (longer <= brief)
        claim_undecide(attempt, "the polling of %s did not show", name);
}

/* While a lock is held, a session that does not contend lists its znodes, and when all clients are
 * in line deletes the first. */
void contention_break_lock(void *context, const struct trial_progress *progress)
{
    struct attempt *attempt = context;
    struct visit *visit = &attempt->visit;
    struct setup_session *setup = attempt->host->fleet.setup;
    char lock[EXPERIMENT_ROOT_MAX + 8], path[sizeof lock + sizeof visit->first];
    const char *const *names;
    int32_t sequence;
    if (visit->kind != ERROR_NONE || visit->broken || progress->handoffs == 0)
        return;
    snprintf(lock, sizeof lock, "%s/l0", attempt->root);
    visit->first[0] = '\0';
    visit->kind = setup_session_list_children(setup, lock, &names, &visit->in_lock, &visit->error);
    if (visit->kind != ERROR_NONE)
        return;
    for (size_t i = 0; i < visit->in_lock; i++) {
        if (queue_sequence(names[i], &sequence) &&
            (visit->first[0] == '\0' || queue_before(sequence, visit->sequence))) {
            snprintf(visit->first, sizeof visit->first, "%s", names[i]);
            visit->sequence = sequence;
        }
    }
    if (visit->in_lock != attempt->plan.fleet.sessions || visit->first[0] == '\0')
        return;
    snprintf(path, sizeof path, "%s/%s", lock, visit->first);
    visit->broken = true;
    visit->kind = setup_session_delete_tree(setup, path, &visit->error);
}

/* Under lockstep the k-th client has the k-th number. The holder is not notified that its lock was
 * broken: the checker sees two holders. */
void contention_shows_and_breaks(struct attempt *attempt)
{
    const struct visit *visit = &attempt->visit;
    const struct trial_result *result = attempt->result;
    const struct violation *violation = &result->memory->violations[0];
    uint32_t holder = attempt_row(attempt, 0)->holder;
    bool in_line = visit->first[0] != '\0',
         handed_on = result->violation_count > 0 && violation->kind == VIOLATION_TWO_HOLDERS;
    if (visit->kind != ERROR_NONE) {
        *attempt->error = visit->error;
        attempt->kind = visit->kind;
        return;
    }
    if (visit->in_lock == 0 || (!handed_on && result->end == END_LOST)) {
        claim_undecide(attempt, "%s", visit->in_lock == 0 ? "no znode was seen" : result->reason);
        return;
    }
    claim_measured(attempt, "%zu znodes in the lock, the first %s, while session %d held the lock",
                   visit->in_lock, in_line ? visit->first : "not in line", (int)holder - 1);
    if (handed_on)
        claim_measured(
            attempt, "when that znode was deleted, session %d was granted although session %d held",
            (int)violation->session - 1, (int)violation->other - 1);
    else
        claim_measured(attempt, visit->broken ? "that znode was deleted, and no session was granted"
                                              : "the lock could not be broken");
    claim_check(attempt, visit->in_lock == attempt->plan.fleet.sessions && in_line &&
                             visit->sequence + 1 == (int32_t)holder && visit->broken && handed_on &&
                             violation->session == holder + 1 && violation->other == holder);
}

/* ------------------------------------------------------------------ deaths */

enum { NO_DEATH, ONE_HOLDER, TWO_HOLDERS };

/* A trial that ended badly in another way says so by itself. */
void deaths_count_holders(struct attempt *attempt)
{
    const struct trial_result *result = attempt->result;
    double *holders = &attempt->values[0][attempt->rounds];
    if (result->violation_count > 0 && result->memory->violations[0].kind == VIOLATION_TWO_HOLDERS)
        *holders = TWO_HOLDERS;
    else
        *holders = attempt_accepts(attempt) && result->had_death ? ONE_HOLDER : NO_DEATH;
}

void deaths_need_another_list(struct attempt *attempt)
{
    size_t usable = 0, two_held = 0;
    for (size_t i = 0; i < attempt->rounds; i++) {
        usable += attempt->values[0][i] != NO_DEATH;
        two_held += attempt->values[0][i] == TWO_HOLDERS;
    }
    claim_measured(attempt, "%s: two holders in %zu of %zu drains", attempt_recipe(attempt),
                   two_held, usable);
    if (usable < attempt->rounds)
        claim_undecide(attempt, "no session died in the others");
    claim_check(attempt, two_held == attempt->recipe * usable);
}

/* The living are granted one after another. One notification for each handoff to a waiter, and one
 * for the death. */
void deaths_of_waiters_wake_one(struct attempt *attempt)
{
    unsigned long long living = attempt->plan.fleet.sessions - 1,
                       granted = attempt->result->handoffs,
                       notifications = attempt->result->total.of[TALLY_NOTIFICATION];
    uint32_t early = attempt_row(attempt, 0)->granted - 1;
    claim_measured(attempt, "%u grants before the next release, %llu in all; %llu notifications",
                   early, granted, notifications);
    claim_check(attempt, early == 0 && granted == living && notifications == living);
}

/* The trial is to run to its end, or to be blocked by a client that has created again. */
void deaths_of_replies_need_a_guid(struct attempt *attempt)
{
    const struct trial_result *result = attempt->result;
    uint32_t clients = attempt->plan.fleet.sessions;
    uint32_t loser = clients / 2; /* arrives in the middle, behind as many others */
    const struct trial_session_report *session = &result->memory->sessions[loser];
    unsigned long long grants = result->handoffs, creates = result->total.of[TALLY_CREATE];
    bool blocked = result->end == END_DEADLINE, blocks = attempt->recipe == 0,
         expected = blocked && creates > clients && result->violation_count == 0;
    if (!result->had_death)
        claim_undecide(attempt, "no reply was lost");
    if (!result->had_death || (!expected && !attempt_accepts(attempt)))
        return;
    claim_measured(attempt, "%s: %llu grants, %llu CREATEs", attempt_recipe(attempt), grants,
                   creates);
    if (blocked)
        claim_measured(attempt,
                       "then nothing for %d s: session %u, at %s, waits until %s is deleted",
                       (int)(attempt->plan.fleet.timeout_ns / NS_PER_S), loser,
                       folder_name(session->node), folder_name(session->waits_for));
    claim_check(attempt, blocked == blocks && grants == (blocks ? loser : clients) &&
                             creates == clients + blocks);
}

/* Whether a lock is freed in time after the last request of its dead holder: after one session
 * timeout at the earliest, and two at the latest. The servers count from the last message of a
 * session, and round up to a tick, which is at most half of the shortest timeout. */
bool deaths_frees_in_time(uint64_t freed_ns, uint64_t timeout_ns)
{
    return freed_ns >= timeout_ns && freed_ns <= 2 * timeout_ns;
}

/* After a crash, and only then, a holder finds that the one before had crashed. */
void deaths_of_holders_take_the_timeout(struct attempt *attempt)
{
    const struct trial_memory *memory = attempt->result->memory;
    bool crashes = attempt->plan.death.how != DEATH_NONE;
    if (crashes) {
        const struct shared_session *dead = memory->fleet->sessions;
        while (!dead->dead)
            dead++;
        uint64_t timeout_ns = dead->timeout_ms * NS_PER_MS;
        uint64_t granted_ns = memory->died_ns + memory->recovery_ns;
        uint64_t freed_ns = granted_ns - (memory->locks[0].lapses_ns - timeout_ns);
        claim_measured(attempt, "the next grant after %.2f s; the session timeout is %.1f s",
                       (double)freed_ns / 1e9, (double)timeout_ns / 1e9);
        claim_check(attempt, memory->recovery_ns > 0 && deaths_frees_in_time(freed_ns, timeout_ns));
    }
    unsigned long long repairs = attempt->result->repairs;
    claim_measured(attempt, "half-written %s: %llu",
                   crashes ? "after the crash" : "without a crash", repairs);
    claim_check(attempt, repairs == crashes);
}

/* In the row that the death of the leader, session 0, has opened, the next in line is notified,
 * lists, and leads. */
void deaths_of_leaders_have_one_successor(struct attempt *attempt)
{
    const struct ledger_row *row = attempt_row(attempt, 1);
    const struct trial_plan *plan = &attempt->plan;
    unsigned long long rpcs = tally_rpcs(&row->tally), notified = row->tally.of[TALLY_NOTIFICATION];
    claim_measured(
        attempt, "%u clients, %s: session %d leads after %.3f s, notifications %llu, RPCs %llu",
        plan->fleet.sessions, plan->death.how == DEATH_EXIT ? "exit" : "crash",
        (int)row->holder - 1, (double)attempt->result->recovery_ns / 1e9, notified, rpcs);
    claim_check(attempt, row->holder == 1 + 1 && notified == 1 && rpcs == 1);
}
