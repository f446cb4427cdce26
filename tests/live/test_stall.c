// SPDX-License-Identifier: Apache-2.0
/* A server that stands still, and with it the trial: the stall is counted, and the server named; if
 * it does not go on, the trial ends at its deadline. */
#include "tests/support/live.h"
#include "tests/support/pause.h"
#include "tests/support/test.h"
#include "tests/support/words.h"
#include "trial/internal.h"

#include <signal.h>

/* The server that stands still: not the set-up session's, which is the first, and not the leader.
 */
static unsigned frozen;

struct freeze {
    uint64_t after;     /* so many handoffs … */
    uint64_t length_ns; /* … and so long */
    uint64_t since_ns;  /* 0: not frozen yet */
    bool thawed;
    uint64_t told_ns; /* the longest stall that the progress told of … */
    char told_at[64]; /* … and its server */
};

FIXTURE(find_follower)
{
    int status = live_start_with(3, 2000);
    frozen = 1;
    while (status == 0 && live_ensemble->servers[frozen].role != ROLE_FOLLOWER)
        frozen++;
    return status;
}

static const char *frozen_address(void)
{
    static char address[ENDPOINT_TEXT_SIZE];
    return endpoint_address(&live_servers.endpoints[frozen], address, sizeof address);
}

/* After so many handoffs: stops the server, and lets it go on after a while. */
static void freeze_for_a_while(void *context, const struct trial_progress *progress)
{
    struct freeze *freeze = context;
    uint64_t now_ns = clock_now_ns();
    if (progress->stalled_ns > freeze->told_ns) {
        freeze->told_ns = progress->stalled_ns;
        snprintf(freeze->told_at, sizeof freeze->told_at, "%s", progress->stalled_at);
    }
    if (freeze->since_ns == 0 && progress->handoffs >= freeze->after) {
        freeze->since_ns = now_ns;
        pause_process(live_ensemble->servers[frozen].pid);
    } else if (!freeze->thawed && freeze->since_ns != 0 &&
               now_ns - freeze->since_ns >= freeze->length_ns) {
        freeze->thawed = true;
        kill(live_ensemble->servers[frozen].pid, SIGCONT);
    }
}

/* The trial goes on to its end, and its counts stand: the servers' agree. */
static struct trial_result *run_frozen(struct trial_plan *plan, struct freeze *freeze)
{
    struct trial_host host = live_host;
    host.watch.progress = freeze_for_a_while;
    host.watch.context = freeze;
    struct trial_result *result = live_trial_on(plan, &host);
    assert_true(freeze->thawed);
    live_assert_good(result);
    assert_int_equal(result->reconciled, RECONCILED_YES);
    return result;
}

/* On a busy machine there may be other stalls, and time in which zkherd itself did not run is taken
 * off each. What the server owes, it owes from the end of a hold at the latest. */
static void assert_stalled(const struct trial_result *result, const struct freeze *freeze)
{
    assert_true(result->stalls.count >= 1);
    assert_true(result->stalls.longest_ns > freeze->length_ns / 2);
    assert_true(result->stalls.total_ns >= result->stalls.longest_ns);
    assert_true(result->stalls.total_ns < result->elapsed_ns);
    assert_true(freeze->told_ns > NS_PER_S);
}

/* All sessions are on that server: one of their requests is out, or a notification. */
static void stall_with(enum driver driver)
{
    struct freeze freeze = {.after = 10, .length_ns = 5 * NS_PER_S / 2};
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
    assert_string_equal(freeze.told_at, frozen_address());
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

/* All requests are answered; what the server that stands still owes is a notification. */
TEST(test_a_notification_owed_is_a_stall)
{
    struct freeze freeze = {.after = 2, .length_ns = 3 * NS_PER_S};
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

static void freeze_follower(void *context, const struct trial_progress *progress)
{
    bool *done = context;
    if (*done || progress->handoffs != 1)
        return;
    pause_process(live_ensemble->servers[frozen].pid);
    *done = true;
}

/* The first holds, and the others ask for the lock time and again. */
TEST(test_a_server_that_stands_still_for_good_is_named)
{
    struct trial_plan plan = live_plan("poll", 3);
    char words[128];
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

TEST_GROUP(find_follower, live_stop)
