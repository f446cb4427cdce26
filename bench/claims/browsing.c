// SPDX-License-Identifier: Apache-2.0
#include "bench/claims/browsing.h"

#include "base/clock.h"
#include "recipes/queue.h"

#include <stdio.h>

#define CLIENTS 6
/* Longer than the trial is to last: nobody releases, the lock is broken. */
#define HOLD_NS (600 * NS_PER_S)

/* What an outsider has seen, and done. */
struct visit {
    struct setup_session *setup;
    const struct testbed_trial *trial;
    size_t in_lock;   /* znodes, when last looked at */
    char first[64];   /* the first of those in line; "" if none is in line */
    int32_t sequence; /* the sequence number of `first` */
    bool broken;      /* `first` was deleted */
    enum error_kind kind;
    struct error error;
};

static void find_first(struct visit *visit, const char *const *names, size_t count)
{
    visit->first[0] = '\0';
    for (size_t i = 0; i < count; i++) {
        int32_t sequence;
        if (!queue_sequence(names[i], &sequence) ||
            (visit->first[0] != '\0' && !queue_before(sequence, visit->sequence)))
            continue;
        snprintf(visit->first, sizeof visit->first, "%s", names[i]);
        visit->sequence = sequence;
    }
}

static enum error_kind look(struct visit *visit)
{
    char lock[TESTBED_ROOT_MAX + 8];
    const char *const *names;
    snprintf(lock, sizeof lock, "%s/l0", visit->trial->root);
    enum error_kind kind =
        setup_session_list_children(visit->setup, lock, &names, &visit->in_lock, &visit->error);
    if (kind == ERROR_NONE)
        find_first(visit, names, visit->in_lock);
    return kind;
}

static enum error_kind delete_first(struct visit *visit)
{
    char path[TESTBED_ROOT_MAX + 8 + sizeof visit->first];
    snprintf(path, sizeof path, "%s/l0/%s", visit->trial->root, visit->first);
    visit->broken = true;
    return setup_session_delete_tree(visit->setup, path, &visit->error);
}

/* Called while the trial runs: looks until all are in line, then breaks the lock. */
static void come_by(void *context, const struct trial_progress *progress)
{
    struct visit *visit = context;
    if (visit->kind != ERROR_NONE || visit->broken || progress->handoffs == 0)
        return;
    visit->kind = look(visit);
    if (visit->kind == ERROR_NONE && visit->in_lock == CLIENTS && visit->first[0] != '\0')
        visit->kind = delete_first(visit);
}

/* Under lockstep the k-th client has the k-th number. The holder is not notified that its lock
 * was broken: the checker sees two holders, by name. */
static void check_visit(const struct visit *visit, const struct testbed_trial *trial,
                        struct finding *finding)
{
    const struct trial_result *result = trial->result;
    const struct violation *violation = &result->memory->violations[0];
    uint32_t holder = testbed_row(trial, 0)->holder;
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
        finding_measured(finding, visit->broken
                                      ? "that znode was deleted, and no session was granted"
                                      : "the lock could not be broken");
    finding_check(finding, visit->in_lock == CLIENTS);
    finding_check(finding, visit->first[0] != '\0' && visit->sequence + 1 == (int32_t)holder);
    finding_check(finding, visit->broken && handed_on && violation->session == holder + 1 &&
                               violation->other == holder);
}

enum error_kind browsing_shows_and_breaks(const struct claim *claim, struct testbed *testbed,
                                          struct finding *finding, struct error *error)
{
    struct testbed_trial trial = testbed_drain(testbed, claim->recipes[0], CLIENTS);
    struct visit visit = {.setup = testbed->host.setup, .trial = &trial};
    trial.plan.hold.mean_ns = HOLD_NS;
    trial.observe = come_by;
    trial.context = &visit;
    finding_tried(finding,
                  "%d clients at one lock, %s, whose holder keeps the lock; another session lists "
                  "the znodes and deletes the first",
                  CLIENTS, claim->recipes[0]->name);
    finding_expected(finding,
                     "%d znodes, one for each client that holds or waits, the first the holder's; "
                     "when that is deleted, the next in line is granted, while the holder is not "
                     "notified and still holds",
                     CLIENTS);
    enum error_kind kind = testbed_run(testbed, &trial, error);
    if (kind == ERROR_NONE && visit.kind != ERROR_NONE) {
        *error = visit.error;
        kind = visit.kind;
    }
    if (kind == ERROR_NONE)
        check_visit(&visit, &trial, finding);
    testbed_clear(&trial);
    return kind;
}
