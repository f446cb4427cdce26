// SPDX-License-Identifier: Apache-2.0
/* Clients at a lock at the same time: which of them gets it, in which order, what waiting costs,
 * and what can be seen of them from outside, and done to them. */
#include "bench/claims/internal.h"
#include "recipes/queue.h"

#include <inttypes.h>
#include <stdio.h>

/* ------------------------------------------------------------------ a crowd */

void contention_has_one_winner(struct experiment *experiment)
{
    const struct trial_result *result = experiment->result;
    const uint64_t *of = result->total.of;
    uint64_t won = of[TALLY_CREATE] - of[TALLY_CREATE_FAILED];
    outcome_measured(experiment->outcome,
                     "%s: %" PRIu64 " grants, %" PRIu64 " of %" PRIu64 " CREATEs succeeded",
                     experiment->plan.recipe->name, result->handoffs, won, of[TALLY_CREATE]);
    outcome_check(experiment->outcome,
                  won == result->handoffs && result->handoffs == experiment->plan.handoffs);
}

/* A client creates when it arrives, when it is woken, and when the znode that it looked for has
 * gone between its CREATE and its look. */
void contention_loses_no_wakeup(struct experiment *experiment)
{
    struct outcome *outcome = experiment->outcome;
    const struct trial_result *result = experiment->result;
    const uint64_t *of = result->total.of;
    uint64_t looks = of[TALLY_EXISTS] + of[TALLY_GET];
    uint64_t woken = of[TALLY_NOTIFICATION] - of[TALLY_NOTIFICATION_SPURIOUS];
    uint64_t races = of[TALLY_CREATE] - result->handoffs - woken;
    const char *name = experiment->plan.recipe->name;
    outcome_measured(
        outcome, "%s: %" PRIu64 " grants; at %" PRIu64 " of %" PRIu64 " looks the znode was gone",
        name, result->handoffs, races, looks);
    if (races == 0)
        outcome_undecide(outcome, "the race never occurred with %s", name);
    outcome_check(outcome, result->handoffs == experiment->plan.handoffs);
}

/* ------------------------------------------------------------------ in which order */

/* Clients arrive one after another: a grant is out of order if a later client was granted before.
 */
void contention_count_overtaken(struct experiment *experiment)
{
    double *overtaken = &experiment->values[0][experiment->round];
    uint32_t latest = 0;
    for (uint64_t handoff = 0; handoff < experiment->plan.fleet.sessions; handoff++) {
        uint32_t holder = experiment_row(experiment, handoff)->holder;
        *overtaken = (handoff > 0 ? *overtaken : 0) + (holder < latest);
        latest = holder > latest ? holder : latest;
    }
}

void contention_keeps_order(struct experiment *experiment)
{
    struct outcome *outcome = experiment->outcome;
    const char *name = experiment->plan.recipe->name;
    double overtaken = 0;
    for (size_t i = 0; i < experiment->rounds; i++)
        overtaken += experiment->values[0][i];
    outcome_measured(outcome, "%s: %.0f of %zu", name, overtaken,
                     experiment->rounds * experiment->plan.fleet.sessions);
    if (experiment->recipe > 0)
        outcome_check(outcome, overtaken == 0);
    else if (overtaken == 0)
        outcome_undecide(outcome, "%s may have kept the order by chance", name);
}

/* ------------------------------------------------------------------ what waiting costs */

void contention_waits_for_nothing(struct experiment *experiment)
{
    struct outcome *outcome = experiment->outcome;
    const uint64_t rpcs[] = {tally_rpcs(&experiment->totals[0]),
                             tally_rpcs(&experiment->totals[1])};
    const char *name = experiment->plan.recipe->name;
    outcome_measured(outcome, "%s: %" PRIu64 " and %" PRIu64 " RPCs", name, rpcs[0], rpcs[1]);
    if (experiment->recipe > 0)
        outcome_check(outcome, rpcs[0] == rpcs[1]);
    else if (rpcs[1] <= rpcs[0])
        outcome_undecide(outcome, "the polling of %s did not show", name);
}

/* ------------------------------------------------------------------ what is seen from outside */

/* While a lock is held, a session that does not contend lists its znodes, and when all clients are
 * in line deletes the first. */
void contention_break_lock(void *context, const struct trial_progress *progress)
{
    struct experiment *experiment = context;
    struct visit *visit = &experiment->visit;
    struct setup_session *setup = experiment->host->trial.setup;
    char lock[EXPERIMENT_ROOT_MAX + 8], path[sizeof lock + sizeof visit->first];
    const char *const *names;
    if (visit->kind != ERROR_NONE || visit->broken || progress->handoffs == 0)
        return;
    snprintf(lock, sizeof lock, "%s/l0", experiment->root);
    visit->first[0] = '\0';
    visit->kind = setup_session_list_children(setup, lock, &names, &visit->in_lock, &visit->error);
    for (size_t i = 0; visit->kind == ERROR_NONE && i < visit->in_lock; i++) {
        int32_t sequence;
        if (!queue_sequence(names[i], &sequence) ||
            (visit->first[0] != '\0' && !queue_before(sequence, visit->sequence)))
            continue;
        snprintf(visit->first, sizeof visit->first, "%s", names[i]);
        visit->sequence = sequence;
    }
    if (visit->kind != ERROR_NONE || visit->in_lock != experiment->plan.fleet.sessions ||
        visit->first[0] == '\0')
        return;
    snprintf(path, sizeof path, "%s/%s", lock, visit->first);
    visit->broken = true;
    visit->kind = setup_session_delete_tree(setup, path, &visit->error);
}

/* Under lockstep the k-th client has the k-th number. The holder is not notified that its lock was
 * broken: the checker sees two holders. */
void contention_shows_and_breaks(struct experiment *experiment)
{
    struct outcome *outcome = experiment->outcome;
    const struct visit *visit = &experiment->visit;
    const struct trial_result *result = experiment->result;
    const struct violation *violation = &result->memory->violations[0];
    uint32_t holder = experiment_row(experiment, 0)->holder;
    bool handed_on = result->violation_count > 0 && violation->kind == VIOLATION_TWO_HOLDERS;
    if (visit->kind != ERROR_NONE) {
        *experiment->error = visit->error;
        experiment->kind = visit->kind;
        return;
    }
    if (visit->in_lock == 0 || (!handed_on && result->end == END_LOST)) {
        outcome_undecide(outcome, "%s", visit->in_lock == 0 ? "no znode was seen" : result->reason);
        return;
    }
    outcome_measured(
        outcome, "%zu znodes in the lock, the first %s, while session %d held the lock",
        visit->in_lock, visit->first[0] != '\0' ? visit->first : "not in line", (int)holder - 1);
    if (handed_on)
        outcome_measured(
            outcome, "when that znode was deleted, session %d was granted although session %d held",
            (int)violation->session - 1, (int)violation->other - 1);
    else
        outcome_measured(outcome, "%s",
                         visit->broken ? "that znode was deleted, and no session was granted"
                                       : "the lock could not be broken");
    outcome_check(outcome, visit->in_lock == experiment->plan.fleet.sessions);
    outcome_check(outcome, visit->first[0] != '\0' && visit->sequence + 1 == (int32_t)holder);
    outcome_check(outcome, visit->broken && handed_on && violation->session == holder + 1 &&
                               violation->other == holder);
}
