// SPDX-License-Identifier: Apache-2.0
/* A server that stands still, and with it the trial: it is named, and that it does not answer. */
#define LIVE_SERVERS 3
#include "tests/live/live.h"
#include "tests/live/words.h"

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

static void test_a_server_that_stands_still_is_named(void **state)
{
    struct trial_plan plan = live_plan("poll", 3);
    char words[128], address[ENDPOINT_TEXT_SIZE];
    (void)state;
    plan.hold.mean_ns = NS_PER_S; /* the first is to hold yet when a busy machine looks */
    struct trial_result *result = live_trial_befallen(&plan, freeze_follower);
    kill(ensemble_pid(live_ensemble, frozen), SIGCONT);
    assert_int_equal(result->end, END_DEADLINE);
    snprintf(words, sizeof words, "; out at %s (no answer in time): 1 request",
             endpoint_address(&live_servers.endpoints[frozen], address, sizeof address));
    assert_has(result->reason, words);
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
