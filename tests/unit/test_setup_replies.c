// SPDX-License-Identifier: Apache-2.0
/* The set-up session of a simulated server: what it keeps of replies, how long it waits, and that a
 * session which has expired is followed by another. */

#include "base/clock.h"
#include "fleet/setup_session.h"

#include "tests/support/test.h"

#include <unistd.h>

#define TIMEOUT_NS (10 * NS_PER_S)

static struct sim *sim;
static struct setup_session *setup;
static struct error error;

static int open_with(uint64_t read_ns)
{
    struct sim_options options = sim_options_default();
    options.costs.read_ns += read_ns;
    if (sim_new(&options, &sim, &error) != ERROR_NONE)
        return -1;
    return setup_session_new_simulated(sim, TIMEOUT_NS, &setup, &error) == ERROR_NONE ? 0 : -1;
}

FIXTURE(set_up)
{
    return open_with(0);
}

FIXTURE(set_up_slow)
{
    return open_with(2 * NS_PER_S);
}

FIXTURE(set_up_late)
{
    return open_with(12 * NS_PER_S);
}

FIXTURE(set_up_silent)
{
    return open_with(3600 * NS_PER_S);
}

FIXTURE(tear_down)
{
    setup_session_free(setup);
    sim_free(sim);
    return 0;
}

static enum zk_status look(enum operation operation, const char *path)
{
    if (setup_session_read(setup, operation, path, &error) != ERROR_NONE)
        fail_msg("%s: %s", error.subject, error.detail);
    return setup->reply.status;
}

static void create(const char *path, const char *text)
{
    assert_int_equal(setup_session_create(setup, path, text, &error), ERROR_NONE);
}

static bool is_among(const struct client_reply *reply, const char *name)
{
    size_t i = 0;
    while (i < reply->name_count && strcmp(reply->names[i], name) != 0)
        i++;
    return i < reply->name_count;
}

/* The list is there until the next one, whatever is asked between. */
TEST_BETWEEN(test_names_and_data_are_kept, set_up, tear_down)
{
    char data[4096];
    memset(data, 'x', sizeof data);
    data[sizeof data - 1] = '\0';
    create("/a", "short");
    create("/b", data);
    assert_int_equal(look(OP_GET_CHILDREN, "/"), ZK_OK);
    struct client_reply list = setup->reply;
    assert_int_equal(look(OP_GET, "/a"), ZK_OK);
    assert_string_equal(setup->value, "short");
    assert_int_equal(setup->value_length, 5);
    assert_int_equal(look(OP_GET, "/b"), ZK_OK);
    assert_int_equal(setup->value_length, sizeof data - 1);
    assert_string_equal(setup->value, data);
    assert_int_equal(look(OP_GET, "/c"), ZK_NO_NODE);
    assert_string_equal(setup->value, "");
    assert_int_equal(setup->value_length, 0);
    assert_int_equal(list.name_count, 3);
    assert_true(is_among(&list, "a") && is_among(&list, "b") && is_among(&list, "zookeeper"));
    assert_int_equal(setup->traffic.requests, 6);
    assert_int_equal(setup->traffic.writes, 2);
}

/* After a second without a reply another request is sent, which wakes a server; each reply is told
 * from the other, and none is left. A write is answered sooner. */
TEST_BETWEEN(test_a_late_reply_is_asked_for, set_up_slow, tear_down)
{
    uint64_t began_ns = sim_now_ns(sim);
    assert_int_equal(look(OP_EXISTS, "/a"), ZK_NO_NODE);
    assert_int_equal(setup->traffic.requests, 2);
    assert_int_equal(setup->traffic.writes, 0);
    assert_true(setup_session_is_idle(setup));
    assert_true(sim_now_ns(sim) - began_ns >= 4 * NS_PER_S);
    create("/a", "text");
    assert_int_equal(setup->traffic.requests, 3);
    assert_int_equal(look(OP_GET, "/a"), ZK_OK);
    assert_int_equal(setup->reply.operation, OP_GET);
    assert_string_equal(setup->value, "text");
}

/* Then nothing more is sent until that is answered: every request would take as long. */
TEST_BETWEEN(test_waiting_ends_at_its_limit, set_up_silent, tear_down)
{
    uint64_t until_ns = sim_now_ns(sim) + TIMEOUT_NS;
    assert_int_equal(setup_session_read(setup, OP_EXISTS, "/a", &error), ERROR_NO_ANSWER);
    assert_int_equal(sim_now_ns(sim), until_ns);
    assert_string_equal(error.subject, "simulation");
    assert_string_equal(error.detail, "asked about /a");
    uint64_t requests = setup->traffic.requests;
    assert_int_equal(setup_session_read(setup, OP_EXISTS, "/b", &error), ERROR_NO_ANSWER);
    assert_string_equal(error.detail, "to an earlier request than that about /b");
    assert_int_equal(setup->traffic.requests, requests);
    assert_int_equal(sim_now_ns(sim), until_ns + NS_PER_S);
}

/* A read, and the one that asks for its reply, take the server longer than they may; a write does
 * not. */
TEST_BETWEEN(test_servers_that_answer_late_are_asked_again, set_up_late, tear_down)
{
    assert_int_equal(setup_session_read(setup, OP_EXISTS, "/a", &error), ERROR_NO_ANSWER);
    assert_int_equal(setup_session_create(setup, "/a", "", &error), ERROR_NO_ANSWER);
    while (!setup_session_is_idle(setup))
        assert_true(sim_step(sim));
    create("/a", "");
    assert_int_equal(setup->traffic.writes, 1);
}

/* The owner interrupts what is to be sent, and may end that. */
TEST_BETWEEN(test_an_interrupted_request_is_not_sent, set_up, tear_down)
{
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    setup->interrupts = ends[0];
    assert_int_equal(look(OP_EXISTS, "/"), ZK_OK);
    assert_int_equal(write(ends[1], "", 1), 1);
    assert_int_equal(setup_session_read(setup, OP_EXISTS, "/", &error), ERROR_INTERRUPTED);
    assert_int_equal(setup->traffic.requests, 1);
    setup->interrupts = -1;
    assert_int_equal(look(OP_EXISTS, "/"), ZK_OK);
    close(ends[0]);
    close(ends[1]);
}

static void interrupt(void *descriptor)
{
    assert_int_equal(write(*(int *)descriptor, "", 1), 1);
}

/* An expired session says so when it is next used. */
static void expire(void)
{
    const struct request request = request_read(OP_EXISTS, "/", NO_WATCH);
    sim_expire(setup->client);
    client_submit(setup->client, &request, 0);
    while (setup->state != CLIENT_EXPIRED)
        assert_true(sim_step(sim));
}

/* While an expired session is replaced. */
TEST_BETWEEN(test_waiting_for_a_connection_is_interrupted, set_up, tear_down)
{
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    setup->interrupts = ends[0];
    expire();
    sim_at(sim, sim_now_ns(sim), interrupt, &ends[1]);
    assert_int_equal(setup_session_read(setup, OP_EXISTS, "/", &error), ERROR_INTERRUPTED);
    assert_string_equal(error.subject, "run");
    close(ends[0]);
    close(ends[1]);
}

/* The other makes the run's mark again. */
TEST_BETWEEN(test_an_expired_session_is_followed_by_another, set_up, tear_down)
{
    bool exists;
    assert_int_equal(setup_session_create_marked(setup, "/a", "text", "/a/mark", &error),
                     ERROR_NONE);
    int64_t former = client_session_id(setup->client);
    uint64_t began_ns = sim_now_ns(sim);
    assert_true(setup_session_stayed(setup, began_ns));
    sim_expire(setup->client);
    assert_int_equal(setup_session_exists(setup, "/", &exists, &error), ERROR_NONE);
    assert_true(exists);
    assert_int_not_equal(client_session_id(setup->client), former);
    assert_false(setup_session_stayed(setup, began_ns));
    assert_true(setup_session_stayed(setup, sim_now_ns(sim)));
    assert_int_equal(look(OP_GET_CHILDREN, "/a"), ZK_OK);
    assert_true(is_among(&setup->reply, "mark"));
    assert_int_equal(setup->marked_session, client_session_id(setup->client));
}

/* However long ago the former was used: it is given its time from its own beginning on. */
TEST_BETWEEN(test_another_session_is_given_its_time, set_up, tear_down)
{
    bool exists;
    expire();
    sim_advance(sim, sim_now_ns(sim) + 100 * TIMEOUT_NS);
    assert_int_equal(setup_session_exists(setup, "/", &exists, &error), ERROR_NONE);
    assert_int_equal(setup->state, CLIENT_ESTABLISHED);
}
