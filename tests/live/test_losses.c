// SPDX-License-Identifier: Apache-2.0
/* One of three servers of somebody else hangs while zkherd's own session asks it, or is killed
 * while a load is measured: what was asked is asked again, and what was measured says what was
 * lost, and when. */
#include "base/process.h"
#include "servers/four_letter.h"
#include "tests/support/live.h"
#include "tests/support/test.h"

#include <signal.h>

FIXTURE(start_three)
{
    int status = live_start_with(3, 500);
    live_disown();
    return status;
}

/* The server may leave the ensemble for a moment: the next test has another one. */
TEST(a_request_is_asked_again_when_its_server_hangs)
{
    char at[ENDPOINT_TEXT_SIZE], server[ENDPOINT_TEXT_SIZE];
    unsigned hangs = 0;
    bool exists = true;
    struct error error = {0};
    live_expect(setup_session_create(live_host.setup, ROOT "/some", "", &error), &error);
    client_server(live_host.setup->client, at, sizeof at);
    while (strcmp(endpoint_format(&live_servers.endpoints[hangs], server, sizeof server), at) != 0)
        hangs++;
    kill(live_ensemble->servers[hangs].pid, SIGSTOP);
    enum error_kind kind = setup_session_delete_tree(live_host.setup, ROOT "/some", &error);
    kill(live_ensemble->servers[hangs].pid, SIGCONT);
    live_expect(kind, &error);
    live_expect(setup_session_exists(live_host.setup, ROOT "/some", &exists, &error), &error);
    assert_false(exists);
    live_stop(NULL);
    start_three(NULL);
}

static struct load_plan plan = {
    .fleet = {.sessions = 6,
              .processes = 2,
              .depth = 4,
              .timeout_ns = 20 * NS_PER_S,
              .session_timeout_ms = 6000,
              .seed = 7,
              .servers = &live_servers},
    .value_bytes = 100,
    .warm_up_ns = 200 * NS_PER_MS,
    .seconds = 3,
};

static unsigned find_follower(void)
{
    struct four_letter_identity identity;
    struct error error;
    unsigned i = 0;
    while (four_letter_identify(&live_servers.endpoints[i], 10 * NS_PER_S, &identity, &error) !=
               ERROR_NONE ||
           identity.role != ROLE_FOLLOWER)
        i = (i + 1) % (unsigned)live_servers.count;
    return i;
}

static bool is_alive(unsigned index)
{
    return process_is_alive(live_ensemble->servers[index].pid);
}

/* In the second second: all servers have told by then what they are, and are asked again at its
 * end. */
static void kill_when_measured(void *context, const struct load_progress *progress)
{
    const unsigned *index = context;
    if (progress->phase == LOAD_MEASURES && progress->second == 1 && is_alive(*index))
        live_kill(*index);
}

static void assert_lacks(const struct load_result *result, unsigned index)
{
    char words[64];
    snprintf(words, sizeof words,
             "127.0.0.1:%u does not answer: ", live_servers.endpoints[index].port);
    assert_non_null(strstr(result->not_valid, words));
    assert_string_equal(result->reconcile.why, result->not_valid);
    assert_int_equal(result->reconcile.reconciled, RECONCILED_NA);
    assert_false(result->servers.known);
    assert_true(result->measured->answered > 0);
}

/* In the second of the kill, or in the next. */
static void assert_marked(const struct load_result *result, unsigned index)
{
    unsigned lost = 0;
    for (uint32_t i = 0; i < result->marks.count; i++) {
        const struct load_mark *mark = &result->marks.list[i];
        lost += mark->kind == LOAD_MARK_LOST && mark->server == index && mark->second >= 1;
    }
    assert_int_equal(lost, 1);
}

/* The sessions of the server go to the others. The next load has none of it, and is as little
 * valid. */
TEST(a_follower_of_somebody_else_that_goes_is_told)
{
    unsigned follower = find_follower();
    live_disown();
    plan.mix = mix_of_reads(70);
    struct load_result *result = live_load(&plan, kill_when_measured, &follower, NULL);
    while (is_alive(follower)) { /* a busy machine has skipped the look */
        load_result_free(result);
        result = live_load(&plan, kill_when_measured, &follower, NULL);
    }
    assert_lacks(result, follower);
    assert_marked(result, follower);
    assert_int_equal(result->losses, 2);
    assert_int_equal(result->reconnects, 2);
    load_result_free(result);

    result = live_load(&plan, NULL, NULL, NULL);
    assert_lacks(result, follower);
    assert_int_equal(result->losses, 0);
    load_result_free(result);
    live_assert_children(0);
}

TEST_GROUP(start_three, live_stop)
