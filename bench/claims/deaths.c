// SPDX-License-Identifier: Apache-2.0
/* A session dies, or loses a reply. */
#include "base/clock.h"
#include "bench/claims/internal.h"
#include "bench/output/folder.h"

#include <inttypes.h>

/* As short as servers with ordinary settings come near to; they grant two ticks at least. */
#define CRASH_TIMEOUT_MS 2000

/* Runs the planned trial with a death; whether that took place, and the trial is whole. */
static bool run_death(struct experiment *experiment, struct death death)
{
    experiment->plan.death = death;
    if (death.how == DEATH_CRASH)
        experiment->plan.fleet.session_timeout_ms = CRASH_TIMEOUT_MS;
    if (!experiment_run_whole(experiment))
        return false;
    if (!experiment->result->had_death)
        finding_undecide(experiment->finding, "no session died with %s",
                         experiment->plan.recipe->name);
    return experiment->result->had_death;
}

/* ------------------------------------------------------------------ a waiter */

#define RECHECK_CLIENTS 5
#define RECHECK_TRIALS  5

void deaths_need_another_list(struct experiment *experiment)
{
    struct finding *finding = experiment->finding;
    const struct recipe *const *recipes = experiment->claim->recipes;
    finding_tried(finding,
                  "%d drains of %d clients, of %s, which lists again, and of %s; a waiter exits",
                  RECHECK_TRIALS, RECHECK_CLIENTS, recipes[0]->name, recipes[1]->name);
    for (unsigned i = 0; experiment->kind == ERROR_NONE && i < 2; i++) {
        unsigned two_held = 0, usable = 0;
        finding_expected(finding, "%s: two holders in %u drains", recipes[i]->name,
                         i * RECHECK_TRIALS);
        for (int trial = 0; trial < RECHECK_TRIALS; trial++) {
            experiment_plan(experiment, recipes[i], RECHECK_CLIENTS);
            experiment->plan.death = (struct death){DEATH_EXIT, DEATH_WAITER, 0};
            if (!experiment_run(experiment))
                break;
            /* A trial that came to another bad end says so by itself. */
            const struct trial_result *result = experiment->result;
            bool two = result->violation_count > 0 &&
                       result->memory->violations[0].kind == VIOLATION_TWO_HOLDERS;
            two_held += two;
            usable += two || (experiment_accepts(experiment) && result->had_death);
        }
        finding_measured(finding, "%s: two holders in %u of %u drains", recipes[i]->name, two_held,
                         usable);
        if (usable < RECHECK_TRIALS)
            finding_undecide(finding, "no session died in the others");
        finding_check(finding, two_held == i * usable);
    }
}

#define WAITER_CLIENTS 8

/* Those who live are granted one after another. So many notifications: one for each handoff to one
 * who waits, and one for the death. */
void deaths_of_waiters_wake_one(struct experiment *experiment)
{
    struct finding *finding = experiment->finding;
    const char *name = experiment->claim->recipes[0]->name;
    const uint64_t living = WAITER_CLIENTS - 1;
    finding_tried(finding, "a drain of %d clients, %s, lockstep; the waiter in the middle exits",
                  WAITER_CLIENTS, name);
    finding_expected(finding,
                     "0 grants before the next release, %d in all; %d notifications: 1 for each of "
                     "%d handoffs, 1 for the death",
                     WAITER_CLIENTS - 1, WAITER_CLIENTS - 1, WAITER_CLIENTS - 2);
    experiment_plan(experiment, experiment->claim->recipes[0], WAITER_CLIENTS);
    if (!run_death(experiment, (struct death){DEATH_EXIT, DEATH_WAITER, 0}))
        return;
    uint64_t granted = experiment->result->handoffs;
    uint64_t notifications = experiment->result->total.of[TALLY_NOTIFICATION];
    uint32_t early = experiment_row(experiment, 0)->granted - 1;
    finding_measured(
        finding, "%u grants before the next release, %" PRIu64 " in all; %" PRIu64 " notifications",
        early, granted, notifications);
    finding_check(finding, early == 0);
    finding_check(finding, granted == living);
    finding_check(finding, notifications == living);
}

/* ------------------------------------------------------------------ a reply */

#define REPLY_CLIENTS 5
/* Who loses its reply: the one that arrives in the middle, behind so many others. */
#define REPLY_SESSION (REPLY_CLIENTS / 2)
/* When nothing has moved for so long the lock is blocked. The sessions live for much longer. */
#define BLOCKED_NS (2 * NS_PER_S)

/* Led to its end, or blocked by a client that has created again. */
static bool accepts_lost_reply(struct experiment *experiment)
{
    const struct trial_result *result = experiment->result;
    bool created_again = result->total.of[TALLY_CREATE] > REPLY_CLIENTS;
    if (!result->had_death) {
        finding_undecide(experiment->finding, "no reply was lost");
        return false;
    }
    return (result->end == END_DEADLINE && created_again && result->violation_count == 0) ||
           experiment_accepts(experiment);
}

static void check_lost_reply(const struct experiment *experiment, bool blocks)
{
    const struct trial_result *result = experiment->result;
    const struct trial_session_report *session = &result->memory->sessions[REPLY_SESSION];
    struct finding *finding = experiment->finding;
    uint64_t creates = result->total.of[TALLY_CREATE];
    bool blocked = result->end == END_DEADLINE;
    finding_measured(finding, "%s: %" PRIu64 " grants, %" PRIu64 " CREATEs",
                     experiment->plan.recipe->name, result->handoffs, creates);
    if (blocked)
        finding_measured(finding,
                         "then nothing for %d s: session %d, at %s, waits until %s is deleted",
                         (int)(BLOCKED_NS / NS_PER_S), REPLY_SESSION, folder_name(session->node),
                         folder_name(session->waits_for));
    finding_check(finding, blocked == blocks);
    finding_check(finding, result->handoffs == (blocks ? REPLY_SESSION : REPLY_CLIENTS));
    finding_check(finding, creates == (blocks ? REPLY_CLIENTS + 1 : REPLY_CLIENTS));
}

void deaths_of_replies_need_a_guid(struct experiment *experiment)
{
    const struct recipe *const *recipes = experiment->claim->recipes;
    finding_tried(experiment->finding,
                  "drains of %d clients, of %s and %s; session %d loses the reply to its CREATE",
                  REPLY_CLIENTS, recipes[0]->name, recipes[1]->name, REPLY_SESSION);
    finding_expected(experiment->finding,
                     "%s: %d grants and no more, %d CREATEs, one of which blocks the others; "
                     "%s: %d grants, %d CREATEs",
                     recipes[0]->name, REPLY_SESSION, REPLY_CLIENTS + 1, recipes[1]->name,
                     REPLY_CLIENTS, REPLY_CLIENTS);
    for (int i = 0; i < 2; i++) {
        experiment_plan(experiment, recipes[i], REPLY_CLIENTS);
        experiment->plan.death = (struct death){DEATH_LOST_REPLY, DEATH_WAITER, 0};
        experiment->plan.fleet.timeout_ns = BLOCKED_NS;
        if (experiment_run(experiment) && accepts_lost_reply(experiment))
            check_lost_reply(experiment, i == 0);
    }
}

/* ------------------------------------------------------------------ a holder */

#define HOLDER_CLIENTS 4

bool deaths_frees_in_time(uint64_t freed_ns, uint64_t timeout_ns)
{
    return freed_ns >= timeout_ns && freed_ns <= 2 * timeout_ns;
}

static void check_timeout(const struct trial_memory *memory, struct finding *finding)
{
    const struct shared_session *dead = memory->fleet->sessions;
    while (!dead->dead)
        dead++;
    uint64_t timeout_ns = dead->timeout_ms * NS_PER_MS;
    uint64_t granted_ns = memory->died_ns + memory->recovery_ns;
    uint64_t freed_ns = granted_ns - (memory->locks[0].lapses_ns - timeout_ns);
    finding_measured(finding, "the next grant after %.2f s; the session timeout is %.1f s",
                     (double)freed_ns / 1e9, (double)timeout_ns / 1e9);
    finding_check(finding, memory->recovery_ns > 0 && deaths_frees_in_time(freed_ns, timeout_ns));
}

/* How often a holder found that the one before had crashed. */
static void check_repairs(const struct experiment *experiment, uint64_t foretold)
{
    finding_measured(experiment->finding, "half-written %s: %" PRIu64,
                     foretold > 0 ? "after the crash" : "without a crash",
                     experiment->result->repairs);
    finding_check(experiment->finding, experiment->result->repairs == foretold);
}

void deaths_of_holders_take_the_timeout(struct experiment *experiment)
{
    const struct recipe *recipe = experiment->claim->recipes[0];
    bool works = recipe->work != NULL;
    finding_tried(experiment->finding, "a drain of %d clients, %s; the second holder crashes %s",
                  HOLDER_CLIENTS, recipe->name,
                  works ? "between two writes" : "while it holds the lock");
    finding_expected(experiment->finding,
                     "from the holder's last request to the next grant at least the session "
                     "timeout, at most twice that; half-written after the crash: 1, without a "
                     "crash: 0");
    experiment_plan(experiment, recipe, HOLDER_CLIENTS);
    if (run_death(experiment,
                  (struct death){DEATH_CRASH, works ? DEATH_WORKER : DEATH_HOLDER, 1})) {
        check_timeout(experiment->result->memory, experiment->finding);
        check_repairs(experiment, 1);
    }
    experiment_plan(experiment, recipe, HOLDER_CLIENTS);
    if (experiment_run_whole(experiment))
        check_repairs(experiment, 0);
}

/* ------------------------------------------------------------------ a leader */

/* The row that the death of the leader, session 0, has opened: the next in line is notified, lists,
 * and leads. */
static void check_succession(const struct experiment *experiment)
{
    const struct ledger_row *row = experiment_row(experiment, 1);
    const struct trial_plan *plan = &experiment->plan;
    uint64_t rpcs = tally_rpcs(&row->tally), notified = row->tally.of[TALLY_NOTIFICATION];
    finding_measured(
        experiment->finding,
        "%u clients, %s: session %d leads after %.3f s, notifications %" PRIu64 ", RPCs %" PRIu64,
        plan->fleet.sessions, plan->death.how == DEATH_EXIT ? "exit" : "crash",
        (int)row->holder - 1, (double)experiment->result->recovery_ns / 1e9, notified, rpcs);
    finding_check(experiment->finding, row->holder == 1 + 1);
    finding_check(experiment->finding, notified == 1 && rpcs == 1);
}

void deaths_of_leaders_have_one_successor(struct experiment *experiment)
{
    static const struct {
        uint32_t clients;
        enum death_how how;
    } elections[] = {{4, DEATH_EXIT}, {32, DEATH_EXIT}, {32, DEATH_CRASH}};
    const struct recipe *recipe = experiment->claim->recipes[0];
    finding_tried(experiment->finding,
                  "elections among 4 and 32 clients, %s, lockstep; the leader, session 0, exits, "
                  "or crashes",
                  recipe->name);
    finding_expected(experiment->finding,
                     "session 1, the next in line, leads; notifications 1, RPCs 1, whatever the "
                     "number of clients");
    for (size_t i = 0; i < sizeof elections / sizeof elections[0]; i++) {
        experiment_plan(experiment, recipe, elections[i].clients);
        if (run_death(experiment, (struct death){elections[i].how, DEATH_HOLDER, 0}))
            check_succession(experiment);
    }
}
