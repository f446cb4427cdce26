// SPDX-License-Identifier: Apache-2.0
/* A server that stands still, and with it the trial: it is named, and that it does not answer. */
#define LIVE_SERVERS 3
#include "tests/live/live.h"

#include <signal.h>

static unsigned frozen = 1; /* not the steward's, which is the first */

/* While the first holds, and the others ask for the lock time and again. */
static void freeze_follower(void *context, const struct trial_progress *progress)
{
    bool *done = context;
    if (*done || progress->handoffs != 1)
        return;
    while (ensemble_role(live_ensemble, frozen) != SERVER_FOLLOWER)
        frozen++;
    kill(ensemble_pid(live_ensemble, frozen), SIGSTOP);
    *done = true;
}

/* The servers are taken for somebody else's: of private ones the trial's end would be the fault. */
static void test_a_server_that_stands_still_is_named(void **state)
{
    struct trial_host host = live_host;
    struct trial_plan plan = live_plan("poll", 3);
    struct trial_result *result = NULL;
    struct fault fault = {0};
    bool done = false;
    char words[128], address[ENDPOINT_TEXT_SIZE];
    (void)state;
    plan.pace = PACE_FREE;
    plan.hold.mean_ns = 500 * NS_PER_MS;
    plan.timeout_ns = 3 * NS_PER_S;
    plan.root = ROOT "/stall";
    host.ensemble = NULL;
    host.watch.progress = freeze_follower;
    host.watch.context = &done;
    enum fault_kind kind = trial_run(&plan, &host, &result, &fault);
    kill(ensemble_pid(live_ensemble, frozen), SIGCONT);
    live_expect(kind, &fault);
    assert_true(done);
    assert_int_equal(result->end, END_DEADLINE);
    snprintf(words, sizeof words, "; out at %s (no answer in time): 1 request",
             endpoint_address(&live_servers.endpoints[frozen], address, sizeof address));
    if (strstr(result->reason, words) == NULL)
        fail_msg("'%s' lacks '%s'", result->reason, words);
    assert_null(strstr(result->reason, "not read"));
    trial_result_free(result);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_server_that_stands_still_is_named),
    };
    return cmocka_run_group_tests(tests, live_start, live_stop);
}
