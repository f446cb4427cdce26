// SPDX-License-Identifier: Apache-2.0
/* Clients that are at a lock at the same time: who gets it, in which order, what it costs those who
 * wait, and what can be seen of them from outside, and done to them. */
#include "base/clock.h"
#include "bench/claims/internal.h"
#include "recipes/queue.h"

#include <inttypes.h>
#include <stdio.h>

/* ------------------------------------------------------------------ a crowd */

/* Clients that queue again and again, in two processes: as many as a small machine can run at the
 * same time. */
#define CROWD_CLIENTS   32
#define CROWD_HANDOFFS  320
#define CROWD_PROCESSES 2
/* The mean: two who hold for no time would hardly be seen to hold at once. */
#define CROWD_HOLD_NS NS_PER_MS

/* Runs a crowd at each lock; `check` compares what its counts say. */
static void try_crowds(struct experiment *experiment, uint64_t hold_ns,
                       void (*check)(const struct trial_result *result, struct finding *finding))
{
    char held[64] = "released immediately";
    if (hold_ns > 0)
        snprintf(held, sizeof held, "held for %" PRIu64 " ms on average", hold_ns / NS_PER_MS);
    finding_tried(experiment->finding,
                  "%d grants of each of %zu locks, %s; %d clients in %d processes, which queue "
                  "again after each release",
                  CROWD_HANDOFFS, experiment_recipes(experiment), held, CROWD_CLIENTS,
                  CROWD_PROCESSES);
    for (size_t i = 0; i < experiment_recipes(experiment); i++) {
        experiment_plan(experiment, experiment->claim->recipes[i], CROWD_CLIENTS);
        experiment->plan.hold = (struct hold){.mean_ns = hold_ns, .exponential = true};
        experiment->plan.workload = WORKLOAD_STEADY;
        experiment->plan.pace = PACE_FREE;
        experiment->plan.fleet.processes = CROWD_PROCESSES;
        experiment->plan.handoffs = CROWD_HANDOFFS;
        if (experiment_run_whole(experiment))
            check(experiment->result, experiment->finding);
    }
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

void contention_has_one_winner(struct experiment *experiment)
{
    finding_expected(experiment->finding,
                     "for each lock: %d grants, never two holders, and as many successful CREATEs",
                     CROWD_HANDOFFS);
    try_crowds(experiment, CROWD_HOLD_NS, check_winners);
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

void contention_loses_no_wakeup(struct experiment *experiment)
{
    finding_expected(experiment->finding, "for each lock: %d grants, although the race occurs",
                     CROWD_HANDOFFS);
    try_crowds(experiment, 0, check_races);
}

/* ------------------------------------------------------------------ in which order */

#define ORDER_CLIENTS 16
#define ORDER_DRAINS  5

/* Clients arrive one after another: a grant is out of order if somebody who came later was granted
 * before. */
static uint64_t count_overtaken(const struct experiment *experiment)
{
    uint64_t overtaken = 0;
    uint32_t latest = 0;
    for (uint64_t handoff = 0; handoff < ORDER_CLIENTS; handoff++) {
        uint32_t holder = experiment_row(experiment, handoff)->holder;
        overtaken += holder < latest;
        latest = holder > latest ? holder : latest;
    }
    return overtaken;
}

void contention_keeps_order(struct experiment *experiment)
{
    struct finding *finding = experiment->finding;
    const struct recipe *const *recipes = experiment->claim->recipes;
    finding_tried(finding,
                  "%d drains of each of %zu locks; %d clients, which arrive one after another",
                  ORDER_DRAINS, experiment_recipes(experiment), ORDER_CLIENTS);
    finding_expected(finding,
                     "grants later than that of a later arrival: some with %s, 0 with the others",
                     recipes[0]->name);
    for (size_t i = 0; i < experiment_recipes(experiment); i++) {
        uint64_t overtaken = 0;
        bool whole = true;
        for (int drain = 0; whole && drain < ORDER_DRAINS; drain++) {
            experiment_plan(experiment, recipes[i], ORDER_CLIENTS);
            whole = experiment_run_whole(experiment);
            overtaken += whole ? count_overtaken(experiment) : 0;
        }
        if (!whole)
            continue;
        finding_measured(finding, "%s: %" PRIu64 " of %d", recipes[i]->name, overtaken,
                         ORDER_DRAINS * ORDER_CLIENTS);
        if (i > 0)
            finding_check(finding, overtaken == 0);
        else if (overtaken == 0)
            finding_undecide(finding, "%s may have kept the order by chance", recipes[0]->name);
    }
}

/* ------------------------------------------------------------------ what waiting costs */

#define WAITING_CLIENTS 5

void contention_waits_for_nothing(struct experiment *experiment)
{
    static const int hold_ms[] = {20, 400};
    struct finding *finding = experiment->finding;
    const struct recipe *const *recipes = experiment->claim->recipes;
    finding_tried(finding,
                  "drains of %d clients: each holds for %d ms in one drain, for %d ms in another",
                  WAITING_CLIENTS, hold_ms[0], hold_ms[1]);
    finding_expected(finding,
                     "the same number of RPCs in both; with %s, which polls, more in the second",
                     recipes[0]->name);
    for (size_t i = 0; i < experiment_recipes(experiment); i++) {
        uint64_t rpcs[2] = {0};
        bool whole = true;
        for (size_t drain = 0; whole && drain < 2; drain++) {
            experiment_plan(experiment, recipes[i], WAITING_CLIENTS);
            experiment->plan.hold.mean_ns = (uint64_t)hold_ms[drain] * NS_PER_MS;
            if (!recipe_has_law(recipes[i]))
                experiment->plan.pace = PACE_FREE;
            whole = experiment_run_whole(experiment);
            rpcs[drain] = whole ? tally_rpcs(&experiment->result->total) : 0;
        }
        if (!whole)
            continue;
        finding_measured(finding, "%s: %" PRIu64 " and %" PRIu64 " RPCs", recipes[i]->name, rpcs[0],
                         rpcs[1]);
        if (i > 0)
            finding_check(finding, rpcs[0] == rpcs[1]);
        else if (rpcs[1] <= rpcs[0])
            finding_undecide(finding, "the polling of %s did not show", recipes[0]->name);
    }
}

/* ------------------------------------------------------------------ what is seen from outside */

#define SEEN_CLIENTS 6
/* Longer than the trial is to last: nobody releases, the lock is broken. */
#define SEEN_HOLD_NS (600 * NS_PER_S)

/* What an outsider has seen, and done. */
struct visit {
    const struct experiment *experiment;
    size_t in_lock;   /* znodes, when last looked at */
    char first[64];   /* the first of those in line; "" if none is in line */
    int32_t sequence; /* the sequence number of `first` */
    bool broken;      /* `first` was deleted */
    enum error_kind kind;
    struct error error;
};

/* Called while the trial runs: looks until all are in line, then breaks the lock. */
static void come_by(void *context, const struct trial_progress *progress)
{
    struct visit *visit = context;
    struct setup_session *setup = visit->experiment->testbed->host.setup;
    char lock[EXPERIMENT_ROOT_MAX + 8], path[sizeof lock + sizeof visit->first];
    const char *const *names;
    if (visit->kind != ERROR_NONE || visit->broken || progress->handoffs == 0)
        return;
    snprintf(lock, sizeof lock, "%s/l0", visit->experiment->root);
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
    if (visit->kind != ERROR_NONE || visit->in_lock != SEEN_CLIENTS || visit->first[0] == '\0')
        return;
    snprintf(path, sizeof path, "%s/%s", lock, visit->first);
    visit->broken = true;
    visit->kind = setup_session_delete_tree(setup, path, &visit->error);
}

/* Under lockstep the k-th client has the k-th number. The holder is not notified that its lock
 * was broken: the checker sees two holders, by name. */
static void check_visit(const struct visit *visit, struct finding *finding)
{
    const struct trial_result *result = visit->experiment->result;
    const struct violation *violation = &result->memory->violations[0];
    uint32_t holder = experiment_row(visit->experiment, 0)->holder;
    bool handed_on = result->violation_count > 0 && violation->kind == VIOLATION_TWO_HOLDERS;
    if (visit->in_lock == 0 || (!handed_on && result->end == END_LOST)) {
        finding_undecide(finding, "%s", visit->in_lock == 0 ? "no znode was seen" : result->reason);
        return;
    }
    finding_measured(
        finding, "%zu znodes in the lock, the first %s, while session %d held the lock",
        visit->in_lock, visit->first[0] != '\0' ? visit->first : "not in line", (int)holder - 1);
    if (handed_on)
        finding_measured(
            finding, "when that znode was deleted, session %d was granted although session %d held",
            (int)violation->session - 1, (int)violation->other - 1);
    else
        finding_measured(finding, "%s",
                         visit->broken ? "that znode was deleted, and no session was granted"
                                       : "the lock could not be broken");
    finding_check(finding, visit->in_lock == SEEN_CLIENTS);
    finding_check(finding, visit->first[0] != '\0' && visit->sequence + 1 == (int32_t)holder);
    finding_check(finding, visit->broken && handed_on && violation->session == holder + 1 &&
                               violation->other == holder);
}

void contention_shows_and_breaks(struct experiment *experiment)
{
    struct visit visit = {.experiment = experiment};
    experiment_plan(experiment, experiment->claim->recipes[0], SEEN_CLIENTS);
    experiment->plan.hold.mean_ns = SEEN_HOLD_NS;
    experiment->observe = come_by;
    /* The experiment looks at it in this function alone. */
    /* cppcheck-suppress autoVariables */
    experiment->context = &visit;
    finding_tried(experiment->finding,
                  "%d clients at one lock, %s, whose holder keeps the lock; another session lists "
                  "the znodes and deletes the first",
                  SEEN_CLIENTS, experiment->plan.recipe->name);
    finding_expected(experiment->finding,
                     "%d znodes, one for each client that holds or waits, the first the holder's; "
                     "when that is deleted, the next in line is granted, while the holder is not "
                     "notified and still holds",
                     SEEN_CLIENTS);
    if (!experiment_run(experiment))
        return;
    if (visit.kind != ERROR_NONE) {
        *experiment->error = visit.error;
        experiment->kind = visit.kind;
        return;
    }
    check_visit(&visit, experiment->finding);
}
