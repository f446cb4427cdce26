// SPDX-License-Identifier: Apache-2.0

#include "base/clock.h"
#include "sim/sim.h"
#include "wire/wire.h"

#include "tests/support/ask.h"
#include "tests/support/ignore.h"
#include "tests/support/test.h"

#define PROBES_MAX 60
#define TIMEOUT_MS 30000

/* A session under test, and what it has heard. */
struct probe {
    struct client *client;
    bool replied;
    struct client_reply reply;
    char path[64];
    char names[512];
    unsigned notices;
    enum client_event event; /* the last one */
    char noticed[64];
    char states[64]; /* a letter each: c, e, x */
    unsigned callbacks;
};

static struct sim *sim;
static struct probe probes[PROBES_MAX];
static bool stepping; /* callbacks may come */
static void (*after)(struct probe *probe, const struct client_reply *reply);

/* ------------------------------------------------------------------ what sessions hear */

static void hear(struct probe *probe)
{
    assert_true(stepping);
    probe->callbacks++;
}

static void state_changed(void *owner, enum client_state state)
{
    struct probe *probe = owner;
    const char letter[2] = {"cex"[state], '\0'};
    hear(probe);
    strncat(probe->states, letter, sizeof probe->states - strlen(probe->states) - 1);
}

static void replied(void *owner, const struct client_reply *reply)
{
    struct probe *probe = owner;
    hear(probe);
    probe->replied = true;
    probe->reply = *reply;
    probe->names[0] = '\0';
    snprintf(probe->path, sizeof probe->path, "%s", reply->path == NULL ? "" : reply->path);
    for (size_t i = 0; i < reply->name_count; i++) {
        size_t length = strlen(probe->names);
        snprintf(probe->names + length, sizeof probe->names - length, "%s ", reply->names[i]);
    }
    if (after != NULL)
        after(probe, reply);
}

static void notified(void *owner, enum client_event event, const char *path)
{
    struct probe *probe = owner;
    hear(probe);
    probe->notices++;
    probe->event = event;
    snprintf(probe->noticed, sizeof probe->noticed, "%s", path);
}

static const struct client_listener listener = {state_changed, ignore_sent, replied, notified};

/* ------------------------------------------------------------------ the world */

static bool step(void)
{
    stepping = true;
    bool more = sim_step(sim);
    stepping = false;
    return more;
}

static void settle(void)
{
    while (step())
        ;
}

static void begin_costly(unsigned servers, uint64_t seed, unsigned sessions, struct sim_costs costs)
{
    const struct sim_options options = {.servers = servers, .seed = seed, .costs = costs};
    struct error error;
    memset(probes, 0, sizeof probes);
    after = NULL;
    assert_int_equal(sim_new(&options, &sim, &error), ERROR_NONE);
    for (unsigned i = 0; i < sessions; i++)
        assert_int_equal(sim_open(sim, i % servers, TIMEOUT_MS, 1, &listener, &probes[i],
                                  &probes[i].client, &error),
                         ERROR_NONE);
    settle();
}

static void begin_with(unsigned servers, uint64_t seed, unsigned sessions)
{
    begin_costly(servers, seed, sessions, sim_options_default().costs);
}

static void begin_uneven(unsigned servers, unsigned sessions, uint64_t jitter_ns)
{
    struct sim_costs costs = sim_options_default().costs;
    costs.network_jitter_ns = jitter_ns;
    begin_costly(servers, 1, sessions, costs);
}

FIXTURE(end)
{
    sim_free(sim);
    sim = NULL;
    return 0;
}

/* Carries out what was just asked for until its reply is there. */
static enum zk_status await(struct probe *probe)
{
    probe->replied = false;
    while (!probe->replied)
        assert_true(step());
    return probe->reply.status;
}

static enum zk_status create(struct probe *probe, const char *path, enum create_mode mode)
{
    ask(probe->client, request_create(path, NULL, 0, mode));
    return await(probe);
}

static enum zk_status exists(struct probe *probe, const char *path, enum watch_flag watch)
{
    ask(probe->client, request_read(OP_EXISTS, path, watch));
    return await(probe);
}

static enum zk_status list(struct probe *probe, const char *path, enum watch_flag watch)
{
    ask(probe->client, request_read(OP_GET_CHILDREN, path, watch));
    return await(probe);
}

static enum zk_status set(struct probe *probe, const char *path)
{
    ask(probe->client, request_set(path, "value", 5, REQUEST_ANY_VERSION));
    return await(probe);
}

static void expect_notice(const struct probe *probe, unsigned count, enum client_event event,
                          const char *path)
{
    assert_int_equal(probe->notices, count);
    assert_int_equal(probe->event, event);
    assert_string_equal(probe->noticed, path);
}

static struct four_letter_counters counters(unsigned server)
{
    struct four_letter_counters counters;
    sim_counters(sim, server, &counters);
    return counters;
}

static void expect_server(const struct probe *probe, const char *server)
{
    char text[CLIENT_SERVER_SIZE];
    client_server(probe->client, text, sizeof text);
    assert_string_equal(text, server);
}

/* ------------------------------------------------------------------ many outstanding */

static enum zk_status statuses[16];
static uint64_t tags[16];
static unsigned heard;

static void note_reply(void *owner, const struct client_reply *reply)
{
    (void)owner;
    tags[heard] = reply->tag;
    statuses[heard++] = reply->status;
}

/* Behind the parts is the mark of their end, as long as the header of each. */
TEST(test_a_transaction_is_as_long_as_its_parts)
{
    const struct request parts[] = {request_set("/t", "1", 1, 0), request_delete("/x")};
    const struct request multi = request_multi(parts, 2);
    assert_int_equal(wire_request(&multi), 12 + (9 + 6 + 5 + 4) + (9 + 6 + 4) + 9);
}

/* A follower answers reads at once, but not those of a session that has asked it for a write. */
TEST_BETWEEN(test_replies_come_in_the_order_of_requests, NULL, end)
{
    static const struct client_listener noting = {
        .state_changed = ignore_state, .sent = ignore_sent, .replied = note_reply};
    const struct request look = {.operation = OP_EXISTS, .path = "/x"};
    const struct request requests[] = {
        look, request_create("/x", NULL, 0, PERSISTENT), look, look, request_delete("/x"), look};
    const enum zk_status expected[] = {ZK_NO_NODE, ZK_OK, ZK_OK, ZK_OK, ZK_OK, ZK_NO_NODE};
    struct client *client;
    struct error error;
    begin_with(3, 1, 0);
    assert_int_equal(sim_open(sim, 0, TIMEOUT_MS, 6, &noting, NULL, &client, &error), ERROR_NONE);
    for (int round = 0; round < 2; round++) {
        heard = 0;
        for (unsigned i = 0; i < 6; i++) {
            assert_true(client->outstanding < client->depth);
            client_submit(client, &requests[i], 100 + i);
        }
        assert_int_equal(client->outstanding, client->depth);
        settle();
        assert_int_equal(heard, 6);
        for (unsigned i = 0; i < 6; i++) {
            assert_int_equal(tags[i], 100 + i);
            assert_int_equal(statuses[i], expected[i]);
        }
    }
}

/* ------------------------------------------------------------------ sessions and time */

TEST_BETWEEN(test_a_session_opens_and_ends, NULL, end)
{
    begin_with(3, 1, 2);
    assert_string_equal(probes[0].states, "e");
    expect_server(&probes[0], "simulated:1");
    expect_server(&probes[1], "simulated:2");
    assert_int_equal(client_timeout_ms(probes[0].client), TIMEOUT_MS);
    assert_int_equal(create(&probes[0], "/mine", EPHEMERAL), ZK_OK);
    assert_int_equal(exists(&probes[1], "/mine", WATCH), ZK_OK);
    assert_int_equal(probes[1].reply.owner, client_session_id(probes[0].client));
    assert_int_equal(exists(&probes[1], "/", NO_WATCH), ZK_OK);
    assert_int_equal(probes[1].reply.owner, 0);
    unsigned callbacks = probes[0].callbacks;
    struct client_bytes before, now;
    assert_true(client_bytes(probes[1].client, &before));
    sim_close(probes[0].client);
    settle();
    expect_notice(&probes[1], 1, EVENT_DELETED, "/mine");
    assert_true(client_bytes(probes[1].client, &now));
    assert_int_equal(now.received_bytes - before.received_bytes,
                     WIRE_NOTIFICATION(sizeof "/mine" - 1));
    assert_int_equal(probes[0].callbacks, callbacks);
    for (unsigned i = 0; i < 3; i++) {
        assert_int_equal(counters(i).ephemerals_count, 0);
        assert_int_equal(counters(i).watch_count, 0);
        assert_int_equal(counters(i).connections, i == 1 ? 2 : 1);
    }
}

/* To the nanosecond. A session opens with two hops of TCP and a write; the set fires two watches.
 */
TEST_BETWEEN(test_each_cost_is_spent_where_it_belongs, NULL, end)
{
    const uint64_t hop = 1000, read = 300, name = 10, order = 100, apply = 20, notification = 7,
                   sync = 5000;
    const struct sim_costs costs = {.network_ns = hop,
                                    .read_ns = read,
                                    .name_ns = name,
                                    .order_ns = order,
                                    .apply_ns = apply,
                                    .notification_ns = notification,
                                    .sync_ns = sync};
    begin_costly(1, 1, 1, costs);
    assert_int_equal(sim_now_ns(sim), 2 * hop + order + sync + apply + hop);
    sim_free(sim);
    begin_costly(1, 1, 3, costs);
    exists(&probes[0], "/", WATCH);
    assert_int_equal(probes[0].reply.latency_ns, hop + read + hop);
    list(&probes[0], "/", NO_WATCH); /* zookeeper */
    assert_int_equal(probes[0].reply.latency_ns, hop + read + name + hop);
    exists(&probes[1], "/", WATCH);
    set(&probes[2], "/");
    assert_int_equal(probes[2].reply.latency_ns,
                     hop + order + sync + apply + 2 * notification + hop);
    /* Two come during the sync of the first. */
    for (unsigned i = 0; i < 3; i++)
        ask(probes[i].client, request_set("/", NULL, 0, REQUEST_ANY_VERSION));
    settle();
    for (unsigned i = 0; i < 3; i++)
        assert_int_equal(probes[i].reply.latency_ns,
                         hop + order + (i == 0 ? sync : 2 * sync) + (i == 2 ? 2 : 1) * apply + hop);
    sim_free(sim);
    /* By a follower to the leader; from there to another's disk and back; and to the follower. */
    begin_costly(3, 1, 1, costs);
    set(&probes[0], "/");
    assert_int_equal(probes[0].reply.latency_ns,
                     hop + (hop + order) + (hop + sync + hop) + (hop + apply) + hop);
}

/* ------------------------------------------------------------------ order */

/* Also where the sync arrives at the leader before what was committed does at the follower: what
 * the follower's own session watches is told before the answer. */
TEST_BETWEEN(test_a_follower_that_has_synced_does_not_lag, NULL, end)
{
    begin_uneven(3, 3, 5 * NS_PER_MS);
    struct probe *leader = &probes[2], *follower = &probes[0];
    assert_int_equal(create(leader, "/a", PERSISTENT), ZK_OK);
    settle();
    assert_int_equal(exists(follower, "/a", WATCH), ZK_OK);
    for (unsigned i = 1; i <= 200; i++) {
        assert_int_equal(set(leader, "/a"), ZK_OK);
        ask(follower->client, request_read(OP_SYNC, "/a", NO_WATCH));
        assert_int_equal(await(follower), ZK_OK);
        assert_int_equal(follower->notices, i);
        assert_int_equal(exists(follower, "/a", WATCH), ZK_OK);
        assert_int_equal(follower->reply.version, i);
    }
}

/* ------------------------------------------------------------------ errors */

/* All servers of an ensemble carry a write out; the one that was asked for it counts it. */
TEST_BETWEEN(test_a_write_is_counted_where_it_was_asked_for, NULL, end)
{
    uint64_t before[3];
    begin_with(3, 1, 3);
    for (unsigned i = 0; i < 3; i++)
        before[i] = counters(i).writes;
    create(&probes[1], "/a", PERSISTENT);
    set(&probes[1], "/a");
    settle();
    for (unsigned i = 0; i < 3; i++)
        assert_int_equal(counters(i).writes - before[i], i == 1 ? 2 : 0);
}

/* A server counts the request that sets watches again as a read; the opening of the connection it
 * does not. */
TEST_BETWEEN(test_setting_watches_again_is_counted_as_a_read, NULL, end)
{
    begin_with(1, 1, 1);
    struct probe *probe = &probes[0];
    exists(probe, "/a", WATCH);
    ask(probe->client, request_read(OP_EXISTS, "/", NO_WATCH));
    assert_true(client_cut(probe->client));
    assert_int_equal(await(probe), ZK_CONNECTION_LOSS);
    uint64_t reads = counters(0).reads;
    settle();
    assert_string_equal(probe->states, "ece");
    assert_int_equal(counters(0).watch_count, 1);
    assert_int_equal(counters(0).reads, reads + 1);
}

static void write_on(struct probe *probe, const struct client_reply *reply)
{
    (void)reply;
    if (probe != &probes[2])
        ask(probe->client, request_set("/busy", NULL, 0, REQUEST_ANY_VERSION));
}

/* So many write that the followers are always behind; who comes from the leader to one of them must
 * not be let in before it has seen what the session has. */
TEST_BETWEEN(test_a_session_never_goes_back_in_time, NULL, end)
{
    unsigned refused = 0;
    begin_uneven(3, PROBES_MAX, 20 * NS_PER_MS);
    struct probe *probe = &probes[2];
    assert_int_equal(create(probe, "/busy", PERSISTENT), ZK_OK);
    assert_int_equal(create(probe, "/a", PERSISTENT), ZK_OK);
    after = write_on;
    for (int i = 0; i < PROBES_MAX; i++)
        write_on(&probes[i], NULL);
    for (int32_t i = 1; i < 2000; i++) {
        assert_int_equal(set(probe, "/a"), ZK_OK);
        assert_int_equal(probe->reply.version, i);
        probe->states[0] = '\0';
        ask(probe->client, request_read(OP_EXISTS, "/a", NO_WATCH));
        assert_true(client_cut(probe->client));
        while (strchr(probe->states, 'e') == NULL)
            assert_true(step());
        refused += strlen(probe->states) > 2;
        assert_int_equal(exists(probe, "/a", NO_WATCH), ZK_OK);
        assert_int_equal(probe->reply.version, i);
    }
    assert_true(refused > 0);
}

TEST_BETWEEN(test_an_expired_session_loses_all_at_once, NULL, end)
{
    begin_with(3, 1, 3);
    for (int i = 0; i < 6; i++)
        create(&probes[0], "/n-", EPHEMERAL_SEQUENTIAL);
    settle();
    exists(&probes[1], "/n-0000000001", WATCH);
    list(&probes[1], "/", WATCH);
    sim_expire(probes[0].client);
    uint64_t writes = counters(1).writes;
    while (probes[1].notices == 0)
        assert_true(step());
    assert_int_equal(list(&probes[1], "/", NO_WATCH), ZK_OK);
    assert_string_equal(probes[1].names, "zookeeper ");
    settle();
    assert_int_equal(probes[1].notices, 2);
    assert_int_equal(counters(1).writes, writes);
    sim_expire(probes[0].client);
    assert_int_equal(sim_next_ns(sim), UINT64_MAX);
    assert_string_equal(probes[0].states, "ecx");
    ask(probes[0].client, request_read(OP_EXISTS, "/", NO_WATCH));
    assert_false(client_cut(probes[0].client));
    assert_int_equal(await(&probes[0]), ZK_SESSION_EXPIRED);
    assert_false(client_crash(probes[0].client));
    sim_close(probes[0].client);
    settle();
}
