// SPDX-License-Identifier: Apache-2.0
#include "bench/claims/deaths.h"

#include "base/clock.h"
#include "bench/output/folder.h"

#include <inttypes.h>

/* As short as servers with ordinary settings come near to; they grant two ticks at least. */
#define CRASH_TIMEOUT_MS 2000

/* Runs a trial with a death; *usable: it took place, and the trial is whole. */
static enum error_kind run_death(struct testbed_trial *trial, struct death death,
                                 struct testbed *testbed, struct finding *finding, bool *usable,
                                 struct error *error)
{
    trial->plan.death = death;
    if (death.how == DEATH_CRASH)
        trial->plan.fleet.session_timeout_ms = CRASH_TIMEOUT_MS;
    *usable = false;
    enum error_kind kind = testbed_run(testbed, trial, error);
    if (kind != ERROR_NONE || !finding_accepts(finding, trial->result))
        return kind;
    *usable = trial->result->had_death;
    if (!*usable)
        finding_undecide(finding, "no session died with %s", trial->plan.recipe->name);
    return kind;
}

/* ------------------------------------------------------------------ a waiter */

#define RECHECK_CLIENTS 5
#define RECHECK_TRIALS  5

static bool had_two_holders(const struct trial_result *result)
{
    return result->violation_count > 0 &&
           result->memory->violations[0].kind == VIOLATION_TWO_HOLDERS;
}

/* Adds up in how many trials two held. One that came to another bad end says so by itself. */
static enum error_kind count_two_holders(const struct recipe *recipe, struct testbed *testbed,
                                         unsigned *two_held, unsigned *usable,
                                         struct finding *finding, struct error *error)
{
    enum error_kind kind = ERROR_NONE;
    *two_held = *usable = 0;
    for (int i = 0; kind == ERROR_NONE && i < RECHECK_TRIALS; i++) {
        struct testbed_trial trial = testbed_drain(testbed, recipe, RECHECK_CLIENTS);
        trial.plan.death = (struct death){DEATH_EXIT, DEATH_WAITER, 0};
        kind = testbed_run(testbed, &trial, error);
        bool two = kind == ERROR_NONE && had_two_holders(trial.result);
        *two_held += two;
        *usable += two || (kind == ERROR_NONE && finding_accepts(finding, trial.result) &&
                           trial.result->had_death);
        testbed_clear(&trial);
    }
    return kind;
}

enum error_kind deaths_need_another_list(const struct claim *claim, struct testbed *testbed,
                                         struct finding *finding, struct error *error)
{
    enum error_kind kind = ERROR_NONE;
    finding_tried(
        finding, "%d drains of %d clients, of %s, which lists again, and of %s; a waiter exits",
        RECHECK_TRIALS, RECHECK_CLIENTS, claim->recipes[0]->name, claim->recipes[1]->name);
    for (unsigned i = 0; kind == ERROR_NONE && i < 2; i++) {
        const char *name = claim->recipes[i]->name;
        unsigned two_held, usable;
        finding_expected(finding, "%s: two holders in %u drains", name, i * RECHECK_TRIALS);
        kind = count_two_holders(claim->recipes[i], testbed, &two_held, &usable, finding, error);
        finding_measured(finding, "%s: two holders in %u of %u drains", name, two_held, usable);
        if (usable < RECHECK_TRIALS)
            finding_undecide(finding, "no session died in the others");
        finding_check(finding, two_held == i * usable);
    }
    return kind;
}

#define WAITER_CLIENTS 8

/* Those who live are granted one after another. So many notifications: one for each handoff to one
 * who waits, and one for the death. */
static void check_waiters_death(const struct testbed_trial *trial, struct finding *finding)
{
    const struct trial_result *result = trial->result;
    uint64_t living = trial->plan.fleet.sessions - UINT64_C(1);
    uint64_t notifications = result->total.of[TALLY_NOTIFICATION];
    uint32_t early = testbed_row(trial, 0)->granted - 1;
    finding_measured(
        finding, "%u grants before the next release, %" PRIu64 " in all; %" PRIu64 " notifications",
        early, result->handoffs, notifications);
    finding_check(finding, early == 0);
    finding_check(finding, result->handoffs == living);
    finding_check(finding, notifications == living);
}

enum error_kind deaths_of_waiters_wake_one(const struct claim *claim, struct testbed *testbed,
                                           struct finding *finding, struct error *error)
{
    struct testbed_trial trial = testbed_drain(testbed, claim->recipes[0], WAITER_CLIENTS);
    const struct death death = {DEATH_EXIT, DEATH_WAITER, 0};
    bool usable;
    finding_tried(finding, "a drain of %d clients, %s, lockstep; the waiter in the middle exits",
                  WAITER_CLIENTS, claim->recipes[0]->name);
    finding_expected(finding,
                     "0 grants before the next release, %d in all; %d notifications: 1 for each of "
                     "%d handoffs, 1 for the death",
                     WAITER_CLIENTS - 1, WAITER_CLIENTS - 1, WAITER_CLIENTS - 2);
    enum error_kind kind = run_death(&trial, death, testbed, finding, &usable, error);
    if (usable)
        check_waiters_death(&trial, finding);
    testbed_clear(&trial);
    return kind;
}

/* ------------------------------------------------------------------ a reply */

#define REPLY_CLIENTS 5
/* Who loses its reply: the one that arrives in the middle, behind so many others. */
#define REPLY_SESSION (REPLY_CLIENTS / 2)
/* When nothing has moved for so long the lock is blocked. The sessions live for much longer. */
#define BLOCKED_NS (2 * NS_PER_S)

/* Led to its end, or blocked by a client that has created again. */
static bool accepts_lost_reply(const struct trial_result *result, struct finding *finding)
{
    bool created_again = result->total.of[TALLY_CREATE] > REPLY_CLIENTS;
    if (!result->had_death) {
        finding_undecide(finding, "no reply was lost");
        return false;
    }
    return (result->end == END_DEADLINE && created_again && result->violation_count == 0) ||
           finding_accepts(finding, result);
}

static void check_lost_reply(const struct testbed_trial *trial, bool blocks,
                             struct finding *finding)
{
    const struct trial_result *result = trial->result;
    const struct trial_session_report *session = &result->memory->sessions[REPLY_SESSION];
    uint64_t creates = result->total.of[TALLY_CREATE];
    bool blocked = result->end == END_DEADLINE;
    finding_measured(finding, "%s: %" PRIu64 " grants, %" PRIu64 " CREATEs",
                     trial->plan.recipe->name, result->handoffs, creates);
    if (blocked)
        finding_measured(finding,
                         "then nothing for %d s: session %d, at %s, waits until %s is deleted",
                         (int)(BLOCKED_NS / NS_PER_S), REPLY_SESSION, folder_name(session->node),
                         folder_name(session->waits_for));
    finding_check(finding, blocked == blocks);
    finding_check(finding, result->handoffs == (blocks ? REPLY_SESSION : REPLY_CLIENTS));
    finding_check(finding, creates == (blocks ? REPLY_CLIENTS + 1 : REPLY_CLIENTS));
}

enum error_kind deaths_of_replies_need_a_guid(const struct claim *claim, struct testbed *testbed,
                                              struct finding *finding, struct error *error)
{
    enum error_kind kind = ERROR_NONE;
    finding_tried(finding,
                  "drains of %d clients, of %s and %s; session %d loses the reply to its CREATE",
                  REPLY_CLIENTS, claim->recipes[0]->name, claim->recipes[1]->name, REPLY_SESSION);
    finding_expected(finding,
                     "%s: %d grants and no more, %d CREATEs, one of which blocks the others; "
                     "%s: %d grants, %d CREATEs",
                     claim->recipes[0]->name, REPLY_SESSION, REPLY_CLIENTS + 1,
                     claim->recipes[1]->name, REPLY_CLIENTS, REPLY_CLIENTS);
    for (int i = 0; kind == ERROR_NONE && i < 2; i++) {
        struct testbed_trial trial = testbed_drain(testbed, claim->recipes[i], REPLY_CLIENTS);
        trial.plan.death = (struct death){DEATH_LOST_REPLY, DEATH_WAITER, 0};
        trial.plan.fleet.timeout_ns = BLOCKED_NS;
        kind = testbed_run(testbed, &trial, error);
        if (kind == ERROR_NONE && accepts_lost_reply(trial.result, finding))
            check_lost_reply(&trial, i == 0, finding);
        testbed_clear(&trial);
    }
    return kind;
}

/* ------------------------------------------------------------------ a holder */

#define HOLDER_CLIENTS 4

static const struct shared_session *find_dead(const struct testbed_trial *trial)
{
    const struct shared_session *session = trial->result->memory->fleet->sessions;
    while (!session->dead)
        session++;
    return session;
}

static double seconds(uint64_t ns)
{
    return (double)ns / 1e9;
}

bool deaths_frees_in_time(uint64_t freed_ns, uint64_t timeout_ns)
{
    return freed_ns >= timeout_ns && freed_ns <= 2 * timeout_ns;
}

static void check_timeout(const struct testbed_trial *trial, struct finding *finding)
{
    const struct trial_memory *memory = trial->result->memory;
    uint64_t timeout_ns = find_dead(trial)->timeout_ms * NS_PER_MS;
    uint64_t granted_ns = memory->died_ns + memory->recovery_ns;
    uint64_t freed_ns = granted_ns - (memory->locks[0].lapses_ns - timeout_ns);
    finding_measured(finding, "the next grant after %.2f s; the session timeout is %.1f s",
                     seconds(freed_ns), seconds(timeout_ns));
    finding_check(finding, memory->recovery_ns > 0 && deaths_frees_in_time(freed_ns, timeout_ns));
}

/* How often a holder found that the one before had crashed. */
static void check_repairs(const struct trial_result *result, uint64_t foretold,
                          struct finding *finding)
{
    finding_measured(finding, "half-written %s: %" PRIu64,
                     foretold > 0 ? "after the crash" : "without a crash", result->repairs);
    finding_check(finding, result->repairs == foretold);
}

static enum error_kind try_without_crash(const struct recipe *recipe, struct testbed *testbed,
                                         struct finding *finding, struct error *error)
{
    struct testbed_trial trial = testbed_drain(testbed, recipe, HOLDER_CLIENTS);
    enum error_kind kind = testbed_run(testbed, &trial, error);
    if (kind == ERROR_NONE && finding_accepts(finding, trial.result))
        check_repairs(trial.result, 0, finding);
    testbed_clear(&trial);
    return kind;
}

enum error_kind deaths_of_holders_take_the_timeout(const struct claim *claim,
                                                   struct testbed *testbed, struct finding *finding,
                                                   struct error *error)
{
    const struct recipe *recipe = claim->recipes[0];
    struct testbed_trial trial = testbed_drain(testbed, recipe, HOLDER_CLIENTS);
    const struct death death = {DEATH_CRASH, recipe->work != NULL ? DEATH_WORKER : DEATH_HOLDER, 1};
    bool usable;
    finding_tried(finding, "a drain of %d clients, %s; the second holder crashes %s",
                  HOLDER_CLIENTS, recipe->name,
                  recipe->work != NULL ? "between two writes" : "while it holds the lock");
    finding_expected(finding, "from the holder's last request to the next grant at least the "
                              "session timeout, at most twice that; half-written after the crash: "
                              "1, without a crash: 0");
    enum error_kind kind = run_death(&trial, death, testbed, finding, &usable, error);
    if (usable) {
        check_timeout(&trial, finding);
        check_repairs(trial.result, 1, finding);
    }
    testbed_clear(&trial);
    return kind == ERROR_NONE ? try_without_crash(recipe, testbed, finding, error) : kind;
}

/* ------------------------------------------------------------------ a leader */

/* The row that the death of the leader, session 0, has opened: the next in line is notified, lists,
 * and leads. */
static void check_succession(const struct testbed_trial *trial, struct finding *finding)
{
    const struct ledger_row *row = testbed_row(trial, 1);
    uint64_t rpcs = tally_rpcs(&row->tally), notified = row->tally.of[TALLY_NOTIFICATION];
    finding_measured(
        finding,
        "%u clients, %s: session %d leads after %.3f s, notifications %" PRIu64 ", RPCs %" PRIu64,
        trial->plan.fleet.sessions, trial->plan.death.how == DEATH_EXIT ? "exit" : "crash",
        (int)row->holder - 1, seconds(trial->result->recovery_ns), notified, rpcs);
    finding_check(finding, row->holder == 1 + 1);
    finding_check(finding, notified == 1 && rpcs == 1);
}

enum error_kind deaths_of_leaders_have_one_successor(const struct claim *claim,
                                                     struct testbed *testbed,
                                                     struct finding *finding, struct error *error)
{
    static const struct {
        uint32_t clients;
        enum death_how how;
    } elections[] = {{4, DEATH_EXIT}, {32, DEATH_EXIT}, {32, DEATH_CRASH}};
    enum error_kind kind = ERROR_NONE;
    finding_tried(
        finding,
        "elections among 4 and 32 clients, %s, lockstep; the leader, session 0, exits, or "
        "crashes",
        claim->recipes[0]->name);
    finding_expected(finding,
                     "session 1, the next in line, leads; notifications 1, RPCs 1, whatever the "
                     "number of clients");
    for (size_t i = 0; kind == ERROR_NONE && i < sizeof elections / sizeof elections[0]; i++) {
        struct testbed_trial trial =
            testbed_drain(testbed, claim->recipes[0], elections[i].clients);
        const struct death death = {elections[i].how, DEATH_HOLDER, 0};
        bool usable;
        kind = run_death(&trial, death, testbed, finding, &usable, error);
        if (usable)
            check_succession(&trial, finding);
        testbed_clear(&trial);
    }
    return kind;
}
