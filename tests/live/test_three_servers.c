// SPDX-License-Identifier: Apache-2.0
/* An ensemble of three: latencies by the role of the session's server; a tally that the servers do
 * not confirm; a server that stands still, and with it the trial; and one that dies. */
#include "base/process.h"
#include "servers/four_letter.h"
#include "tests/support/live.h"
#include "tests/support/pause.h"
#include "tests/support/test.h"
#include "tests/support/words.h"
#include "trial/stall.h"

#include <signal.h>

/* While the lock is held, zkherd's own session writes, and does not count that. */
static void write_once(void *context, const struct trial_progress *progress)
{
    bool *written = context;
    struct error error = {0};
    if (*written || progress->handoffs < 2)
        return;
    live_expect(setup_session_create(live_host.setup, ROOT "/more", "", &error), &error);
    live_expect(setup_session_delete_tree(live_host.setup, ROOT "/more", &error), &error);
    live_host.setup->traffic.requests -= 2;
    live_host.setup->traffic.writes -= 2;
    *written = true;
}

static void check_wrong_tally(enum pace pace)
{
    struct trial_plan plan = live_plan("scalable", 4);
    bool written = false;
    plan.pace = pace;
    plan.hold.mean_ns = 300 * NS_PER_MS;
    live_watch.progress = write_once;
    live_watch.context = &written;
    struct trial_result *result = live_trial(&plan);
    live_watch.progress = NULL;
    assert_true(written);
    assert_int_equal(result->reconcile.reconciled, RECONCILED_NO);
    assert_int_equal(result->violation_count, 1);
    const struct violation *violation = &result->memory->violations[0];
    assert_int_equal(violation->kind, VIOLATION_SERVERS);
    assert_int_equal(violation->counter, server_counters_writes);
    assert_int_equal(violation->found, violation->expected + 2);
    trial_result_free(result);
}

/* On servers of ours nobody else can have written: zkherd has miscounted. */
TEST(test_a_wrong_tally_fails_the_trial)
{
    check_wrong_tally(PACE_LOCKSTEP);
    check_wrong_tally(PACE_FREE);
}

/* ------------------------------------------------------------------ roles */

static uint64_t count_of(const struct trial_result *result, enum role role, enum meter_kind kind)
{
    return histogram_count(&result->latency_of[role][kind]);
}

static unsigned find_server(enum role role)
{
    unsigned index = 0;
    while (live_ensemble->servers[index].role != role)
        index++;
    return index;
}

TEST(test_every_role_has_its_own_latencies)
{
    struct trial_plan plan = live_plan("nonscalable", 9);
    plan.fleet.processes = 2;
    struct trial_result *result = live_trial(&plan);
    live_assert_good(result);
    unsigned leader = find_server(ROLE_LEADER);
    assert_int_equal(result->roles, 2);
    assert_int_equal(count_of(result, ROLE_LEADER, METER_ACQUIRE), 3);
    assert_int_equal(count_of(result, ROLE_FOLLOWER, METER_ACQUIRE), 6);
    /* Session 0 is granted first, and its grant ends no handoff. */
    assert_int_equal(count_of(result, ROLE_LEADER, METER_HANDOFF), leader == 0 ? 2 : 3);
    assert_int_equal(count_of(result, ROLE_FOLLOWER, METER_HANDOFF), leader == 0 ? 6 : 5);
    for (int kind = 0; kind < METER_KINDS; kind++)
        assert_int_equal(count_of(result, ROLE_LEADER, (enum meter_kind)kind) +
                             count_of(result, ROLE_FOLLOWER, (enum meter_kind)kind),
                         histogram_count(&result->latency[kind]));
    for (uint32_t i = 0; i < plan.fleet.sessions; i++)
        assert_int_equal(result->memory->fleet->sessions[i].role,
                         i % 3 == leader ? ROLE_LEADER : ROLE_FOLLOWER);
    trial_result_free(result);
}

static void check_placed(unsigned index, enum role role)
{
    struct connect_string placement = {.endpoints = {live_servers.endpoints[index]}, .count = 1};
    struct trial_plan plan = live_plan("scalable", 5);
    plan.fleet.servers = &placement;
    struct trial_result *result = live_trial(&plan);
    live_assert_good(result);
    assert_int_equal(result->roles, 1);
    assert_int_equal(count_of(result, role, METER_ACQUIRE), 5);
    trial_result_free(result);
}

TEST(test_one_server_is_one_role)
{
    check_placed(find_server(ROLE_LEADER), ROLE_LEADER);
    check_placed(find_server(ROLE_FOLLOWER), ROLE_FOLLOWER);
}

/* ------------------------------------------------------------------ a server that stands still */

/* The server that stands still: not the set-up session's, which is the first, and not the leader.
 */
static unsigned frozen;

struct freeze {
    uint64_t after; /* handoffs */
    bool begun, thawed;
    uint64_t shown_ns; /* the longest stall in the progress … */
    char shown_at[64]; /* … and its server */
};

static const char *frozen_address(void)
{
    static char address[ENDPOINT_TEXT_SIZE];
    return endpoint_address(&live_servers.endpoints[frozen], address, sizeof address);
}

/* Stops the server, until the progress shows a stall: on a busy machine it takes longer, because
 * time in which zkherd itself did not run is taken off. */
static void freeze_until_shown(void *context, const struct trial_progress *progress)
{
    struct freeze *freeze = context;
    if (progress->stalled_ns > freeze->shown_ns) {
        freeze->shown_ns = progress->stalled_ns;
        snprintf(freeze->shown_at, sizeof freeze->shown_at, "%s", progress->stalled_at);
    }
    if (!freeze->begun && progress->handoffs >= freeze->after) {
        freeze->begun = true;
        freeze->shown_ns = 0;
        pause_process(live_ensemble->servers[frozen].pid);
    } else if (freeze->begun && !freeze->thawed && freeze->shown_ns > 0) {
        freeze->thawed = true;
        kill(live_ensemble->servers[frozen].pid, SIGCONT);
    }
}

/* The trial goes on to its end, and its counts stand: the servers' agree. */
static struct trial_result *run_frozen(struct trial_plan *plan, struct freeze *freeze)
{
    const struct trial_watch watch = {.progress = freeze_until_shown, .context = freeze};
    struct trial_result *result = live_trial_on(plan, &live_host, &watch);
    assert_true(freeze->thawed);
    live_assert_good(result);
    assert_int_equal(result->reconcile.reconciled, RECONCILED_YES);
    return result;
}

/* On a busy machine there may be other stalls. */
static void assert_stalled(const struct trial_result *result, const struct freeze *freeze)
{
    assert_true(result->stalls.count >= 1);
    assert_true(result->stalls.longest_ns >= freeze->shown_ns);
    assert_true(result->stalls.total_ns >= result->stalls.longest_ns);
    assert_true(result->stalls.total_ns < result->elapsed_ns);
    assert_true(freeze->shown_ns > NS_PER_S);
}

/* All sessions are on that server: one of their requests is out, or a notification. */
static void stall_with(enum driver driver)
{
    struct freeze freeze = {.after = 10};
    struct trial_plan plan = live_plan("scalable", 2);
    const struct connect_string alone = {.endpoints = {live_servers.endpoints[frozen]}, .count = 1};
    plan.fleet.servers = &alone;
    plan.fleet.driver = driver;
    plan.pace = PACE_FREE;
    plan.workload = WORKLOAD_STEADY;
    plan.duration_ns = 5 * NS_PER_S;
    struct trial_result *result = run_frozen(&plan, &freeze);
    assert_stalled(result, &freeze);
    assert_string_equal(result->stalls.server, frozen_address());
    assert_string_equal(freeze.shown_at, frozen_address());
    trial_result_free(result);
}

TEST(test_a_stall_is_counted_and_its_server_named)
{
    stall_with(DRIVER_EVENTS);
}

TEST(test_a_stall_is_counted_with_threads)
{
    stall_with(DRIVER_THREADS);
}

/* All requests are answered; what the server that stands still owes is a notification: session 3,
 * which holds then, is with the first server, and one that waits for it with each of the others. */
TEST(test_a_notification_owed_is_a_stall)
{
    struct freeze freeze = {.after = 4};
    struct trial_plan plan = live_plan("childwatch", 6);
    plan.hold.mean_ns = NS_PER_S / 2; /* in which the progress is looked at */
    struct trial_result *result = run_frozen(&plan, &freeze);
    assert_stalled(result, &freeze);
    trial_result_free(result);
}

/* The coordinator waits for more than a second before a step. */
TEST(test_to_keep_a_rate_is_no_stall)
{
    struct trial_plan plan = live_plan("nonscalable", 6);
    plan.max_rate = 5;
    struct trial_result *result = live_trial(&plan);
    live_assert_good(result);
    assert_true(result->elapsed_ns > 5 * NS_PER_S);
    assert_true(result->stalls.longest_ns < 3 * STALL_LEAST_NS / 2);
    assert_true(result->stalls.count <= 1); /* a busy machine's */
    trial_result_free(result);
}

/* The waiters wait until the servers have ended the session. */
TEST(test_a_session_that_expires_is_no_stall)
{
    struct trial_plan plan = live_plan("scalable", 3);
    plan.fleet.session_timeout_ms = 4000;
    plan.death = (struct death){.how = DEATH_CRASH, .who = DEATH_HOLDER};
    struct trial_result *result = live_trial(&plan);
    live_assert_good(result);
    assert_true(result->recovery_ns > 2 * NS_PER_S);
    assert_true(result->stalls.longest_ns < result->recovery_ns / 2);
    trial_result_free(result);
}

/* ------------------------------------------------------------------ a server that dies */

/* A new ensemble, of somebody else. */
static void start_anew(void)
{
    live_stop(NULL);
    live_start_with(3, 2000);
    live_disown();
}

/* While session 1 holds, and everybody else waits: at the second look, when the release that let it
 * in has been answered. */
static void kill_follower(void *context, const struct trial_progress *progress)
{
    static unsigned looks;
    const unsigned *victim = context;
    if (progress->handoffs == 2 && ++looks == 2)
        live_kill(*victim);
}

TEST(test_a_session_that_reconnects_has_no_role)
{
    unsigned victim = live_ensemble->servers[0].role == ROLE_FOLLOWER ? 0 : 2;
    struct connect_string survivors = {.count = 0};
    struct trial_plan plan = live_plan("scalable", 6);
    for (unsigned i = 0; i < 3; i++) {
        if (i != victim)
            survivors.endpoints[survivors.count++] = live_servers.endpoints[i];
    }
    live_disown();
    plan.hold.mean_ns = NS_PER_S;   /* session 1 is to hold yet when a busy machine looks */
    live_host.servers = &survivors; /* only those are asked for their counters */
    live_watch.progress = kill_follower;
    live_watch.context = &victim;
    struct trial_result *result = live_trial(&plan);
    live_host.servers = &live_servers;
    live_watch.progress = NULL;
    assert_false(process_is_alive(live_ensemble->servers[victim].pid));
    assert_int_equal(result->end, END_DONE);
    /* Session 0 had been granted before; 2, 3 and 5 had not. */
    assert_int_equal(count_of(result, ROLE_RECONNECTED, METER_ACQUIRE), victim == 0 ? 1 : 2);
    for (uint32_t i = 0; i < plan.fleet.sessions; i++) {
        bool moved = result->memory->fleet->sessions[i].role == ROLE_RECONNECTED;
        assert_int_equal(moved, i % 3 == victim);
    }
    uint64_t acquired = 0;
    for (int role = 0; role < ROLES; role++)
        acquired += count_of(result, (enum role)role, METER_ACQUIRE);
    assert_int_equal(acquired, 6);
    trial_result_free(result);
    start_anew();
}

/* A few handoffs into the trial its leader dies. */
static void kill_leader(void *context, const struct trial_progress *progress)
{
    bool *killed = context;
    if (*killed || progress->handoffs < 3)
        return;
    live_kill(find_server(ROLE_LEADER));
    *killed = true;
}

/* Connections break when the ensemble elects. Of clients that ask time and again some have a
 * request out then, and cannot go on; those that only wait may survive an election that is over
 * before the library connects again, a second later. */
TEST(test_a_dead_leader_ends_the_trial_in_good_order)
{
    struct trial_plan plan = live_plan("poll", 30);
    struct error error = {0};
    bool exists = true;
    plan.hold.mean_ns = 100 * NS_PER_MS;
    uint64_t began_ns = clock_now_ns();
    struct trial_result *result = live_trial_befallen(&plan, kill_leader);
    assert_true(clock_now_ns() - began_ns < 40 * NS_PER_S);
    assert_true(result->end == END_LOST || result->end == END_DEADLINE);
    assert_true(strlen(result->reason) > 0);
    trial_result_free(result);
    live_expect(setup_session_exists(live_host.setup, plan.root, &exists, &error), &error);
    assert_false(exists);
    start_anew();
}

static void freeze_follower(void *context, const struct trial_progress *progress)
{
    bool *done = context;
    if (*done || progress->handoffs != 1)
        return;
    pause_process(live_ensemble->servers[frozen].pid);
    *done = true;
}

/* The set-up session is with the first server. The last test: the server may leave the ensemble for
 * a moment. The first holds, and the others ask for the lock time and again. */
TEST(test_a_server_that_stands_still_for_good_is_named)
{
    struct trial_plan plan = live_plan("poll", 3);
    char words[128];
    frozen = live_ensemble->servers[1].role == ROLE_FOLLOWER ? 1 : 2;
    plan.hold.mean_ns = NS_PER_S; /* the first is to hold yet when a busy machine looks */
    struct trial_result *result = live_trial_befallen(&plan, freeze_follower);
    kill(live_ensemble->servers[frozen].pid, SIGCONT);
    assert_int_equal(result->end, END_DEADLINE);
    snprintf(words, sizeof words, "; out at %s (no answer in time): 1 request", frozen_address());
    assert_has(result->reason, words);
    /* Of this server none is answered but not read; the answer to who asks another may just come.
     */
    const char *behind = strstr(result->reason, words) + strlen(words);
    assert_true(*behind == '\0' || *behind == ';');
    trial_result_free(result);
}

FIXTURE(start)
{
    int status = live_start_with(3, 2000);
    frozen = 1;
    while (status == 0 && live_ensemble->servers[frozen].role != ROLE_FOLLOWER)
        frozen++;
    return status;
}

TEST_GROUP(start, live_stop)
