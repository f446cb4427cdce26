// SPDX-License-Identifier: Apache-2.0
/* What a simulated message costs, to the nanosecond: every network hop takes 1,000 ns here, and
 * what a test does not name costs nothing. */
#include "tests/support/simulation.h"
#include "tests/support/test.h"

#include "base/clock.h"
#include "sim/sim.h"

#define CLIENTS    3
#define HOP_NS     1000
#define TIMEOUT_MS 30000

struct asker {
    struct client *client;
    uint64_t replied_ns;
    bool asks_again; /* when the reply comes */
    uint64_t established_ns;
    uint64_t notified_ns;
};

static struct sim *sim;
static struct asker askers[CLIENTS];
static uint64_t asked_ns;
static uint64_t rung_ns;

static void ask(struct asker *asker, enum operation operation)
{
    const struct request request = {
        .operation = operation, .path = "/", .version = REQUEST_ANY_VERSION};
    client_submit(asker->client, &request, 0);
}

static void state_changed(void *owner, enum client_state state)
{
    if (state == CLIENT_ESTABLISHED)
        ((struct asker *)owner)->established_ns = sim_now_ns(sim);
}

static void sent(void *owner, enum operation operation)
{
    (void)owner;
    (void)operation;
}

static void replied(void *owner, const struct client_reply *reply)
{
    struct asker *asker = owner;
    assert_int_equal(reply->status, ZK_OK);
    asker->replied_ns = sim_now_ns(sim) - asked_ns;
    if (asker->asks_again) {
        asker->asks_again = false;
        ask(asker, OP_EXISTS);
    }
}

static void notified(void *owner, enum client_event event, const char *path)
{
    (void)event;
    (void)path;
    ((struct asker *)owner)->notified_ns = sim_now_ns(sim) - asked_ns;
}

static const struct client_listener listener = {state_changed, sent, replied, notified};

static void settle(void)
{
    while (sim_step(sim))
        ;
    asked_ns = sim_now_ns(sim);
}

static void begin(unsigned servers, uint64_t seed, struct sim_costs costs)
{
    struct sim_options options = {.servers = servers, .seed = seed, .costs = costs};
    struct error error;
    options.costs.network_ns = HOP_NS;
    assert_int_equal(sim_new(&options, &sim, &error), ERROR_NONE);
    for (unsigned i = 0; i < CLIENTS; i++) {
        askers[i] = (struct asker){0};
        assert_int_equal(sim_open(sim, i % servers, TIMEOUT_MS, 1, &listener, &askers[i],
                                  &askers[i].client, &error),
                         ERROR_NONE);
    }
    settle();
}

FIXTURE(end)
{
    sim_free(sim);
    sim = NULL;
    return 0;
}

static void ring(void *context)
{
    (void)context;
    rung_ns = sim_now_ns(sim) - asked_ns;
}

/* ------------------------------------------------------------------ the driver */

TEST_BETWEEN(a_client_spends_time_on_each_message_and_name, NULL, end)
{
    begin(1, 1, (struct sim_costs){.client_message_ns = 100, .client_name_ns = 10});
    ask(&askers[0], OP_EXISTS);
    settle();
    assert_int_equal(askers[0].replied_ns, 100 + HOP_NS + HOP_NS + 100);
    ask(&askers[0], OP_GET_CHILDREN); /* one name: zookeeper */
    settle();
    assert_int_equal(askers[0].replied_ns, 100 + HOP_NS + HOP_NS + 100 + 10);
}

TEST_BETWEEN(the_driver_does_one_thing_at_a_time, NULL, end)
{
    begin(1, 1, (struct sim_costs){.client_message_ns = 600});
    for (unsigned i = 0; i < CLIENTS; i++)
        ask(&askers[i], OP_EXISTS);
    settle();
    assert_int_equal(askers[0].replied_ns, 600 + 2 * HOP_NS + 600);
    assert_int_equal(askers[1].replied_ns, askers[0].replied_ns + 600);
    assert_int_equal(askers[2].replied_ns, askers[0].replied_ns + 1200);
}

TEST_BETWEEN(what_a_client_sends_leaves_before_the_next_message_is_taken, NULL, end)
{
    begin(1, 1, (struct sim_costs){.client_message_ns = 100});
    ask(&askers[0], OP_EXISTS);
    ask(&askers[1], OP_EXISTS);
    askers[0].asks_again = true;
    settle();
    assert_int_equal(askers[1].replied_ns, 2200 + 100 + 100);
    assert_int_equal(askers[0].replied_ns, 2200 + 2200);
}

TEST_BETWEEN(a_timer_waits_for_the_driver, NULL, end)
{
    begin(1, 1, (struct sim_costs){.client_message_ns = 100});
    ask(&askers[0], OP_EXISTS);
    sim_at(sim, sim_now_ns(sim) + 2150, ring, NULL);
    settle();
    assert_int_equal(rung_ns, 2200);
}

/* ------------------------------------------------------------------ the servers */

/* The server reads on while the first reply is sent. */
TEST_BETWEEN(replies_are_sent_beside_the_reading, NULL, end)
{
    begin(1, 1, (struct sim_costs){.read_ns = 300, .send_ns = 300});
    for (unsigned i = 0; i < CLIENTS; i++)
        ask(&askers[i], OP_EXISTS);
    settle();
    for (unsigned i = 0; i < CLIENTS; i++)
        assert_int_equal(askers[i].replied_ns, HOP_NS + 300 * (i + 1) + 300 + HOP_NS);
}

TEST_BETWEEN(replies_that_wait_are_sent_in_a_random_order, NULL, end)
{
    unsigned overtaken = 0;
    for (uint64_t seed = 1; seed <= 40; seed++) {
        begin(1, seed, (struct sim_costs){.read_ns = 10, .send_ns = 300});
        for (unsigned i = 0; i < CLIENTS; i++)
            ask(&askers[i], OP_EXISTS);
        settle();
        assert_int_equal(askers[0].replied_ns, 2310);
        assert_in_range(askers[1].replied_ns, 2320, 2610);
        assert_in_range(askers[2].replied_ns, 2330, 2910);
        overtaken += askers[2].replied_ns < askers[1].replied_ns;
        if (seed < 40)
            end(state);
    }
    assert_in_range(overtaken, 5, 20);
}

/* ------------------------------------------------------------------ turns */

/* The other two arrive 100 ns apart during the first turn, and share the next one. */
TEST_BETWEEN(a_turn_of_a_server_has_all_that_came_during_the_one_before, NULL, end)
{
    const uint64_t message = 100, turn = 300, read = 100;
    begin(1, 1, (struct sim_costs){.client_message_ns = message, .turn_ns = turn, .read_ns = read});
    for (unsigned i = 0; i < CLIENTS; i++)
        ask(&askers[i], OP_EXISTS);
    settle();
    uint64_t first_ends = message + HOP_NS + turn + read;
    assert_int_equal(askers[0].replied_ns, first_ends + HOP_NS + message);
    assert_int_equal(askers[1].replied_ns, first_ends + turn + 2 * read + HOP_NS + message);
    assert_int_equal(askers[2].replied_ns, askers[1].replied_ns + message);
    ask(&askers[0], OP_EXISTS); /* an idle server begins a turn at once */
    settle();
    assert_int_equal(askers[0].replied_ns, first_ends + HOP_NS + message);
}

/* Two watches are fired, one after the other, before the write is answered. */
TEST_BETWEEN(a_notification_costs_the_server_time, NULL, end)
{
    const uint64_t notification = 400;
    const struct request watch = {.operation = OP_EXISTS, .path = "/", .watch = WATCH};
    begin(1, 1, (struct sim_costs){.notification_ns = notification});
    client_submit(askers[1].client, &watch, 0);
    client_submit(askers[2].client, &watch, 0);
    settle();
    ask(&askers[0], OP_SET);
    settle();
    assert_int_equal(askers[1].notified_ns, HOP_NS + notification + HOP_NS);
    assert_int_equal(askers[2].notified_ns, HOP_NS + 2 * notification + HOP_NS);
    assert_int_equal(askers[0].replied_ns, HOP_NS + 2 * notification + HOP_NS);
}

/* The handshake of TCP comes before the request for a session and its answer. */
TEST_BETWEEN(a_connection_takes_longer_than_a_round_trip, NULL, end)
{
    begin(1, 1, (struct sim_costs){0});
    for (unsigned i = 0; i < CLIENTS; i++)
        assert_true(askers[i].established_ns >= 3 * HOP_NS);
}

/* The first write is synced during the second turn, and applied in the third; the others are
 * applied in the fourth. */
TEST_BETWEEN(writes_of_one_turn_are_synced_together, NULL, end)
{
    const uint64_t turn = 300, order = 100, apply = 10;
    const struct sim_costs costs = {
        .turn_ns = turn, .order_ns = order, .apply_ns = apply, .sync_ns = 50};
    begin(1, 1, costs);
    for (unsigned i = 0; i < CLIENTS; i++)
        ask(&askers[i], OP_SET);
    settle();
    uint64_t third_begins = HOP_NS + turn + order + turn + 2 * order;
    assert_int_equal(askers[0].replied_ns, third_begins + turn + apply + HOP_NS);
    assert_int_equal(askers[1].replied_ns, askers[0].replied_ns + turn + 2 * apply);
    assert_int_equal(askers[2].replied_ns, askers[1].replied_ns);
}

TEST_BETWEEN(a_read_waits_for_a_write_that_came_before_in_its_turn, NULL, end)
{
    begin(1, 1, (struct sim_costs){.turn_ns = 300, .sync_ns = 5000});
    ask(&askers[0], OP_EXISTS);
    ask(&askers[1], OP_SET);
    ask(&askers[2], OP_EXISTS);
    settle();
    assert_int_equal(askers[0].replied_ns, HOP_NS + 300 + HOP_NS);
    assert_int_equal(askers[1].replied_ns, HOP_NS + 600 + 5000 + 300 + HOP_NS);
    assert_int_equal(askers[2].replied_ns, askers[1].replied_ns);
}

TEST_BETWEEN(replies_of_one_turn_are_sent_when_it_has_ended, NULL, end)
{
    begin(1, 1, (struct sim_costs){.turn_ns = 300, .read_ns = 100, .send_ns = 50});
    for (unsigned i = 0; i < CLIENTS; i++)
        ask(&askers[i], OP_EXISTS);
    settle();
    assert_int_equal(askers[0].replied_ns, HOP_NS + 400 + 50 + HOP_NS);
    for (unsigned i = 1; i < CLIENTS; i++)
        assert_in_range(askers[i].replied_ns, HOP_NS + 900 + 50 + HOP_NS,
                        HOP_NS + 900 + 100 + HOP_NS);
}

/* The replies arrive 100 ns apart; the last two share a turn. */
TEST_BETWEEN(a_turn_of_the_driver_has_all_that_came_during_the_one_before, NULL, end)
{
    begin(1, 1, (struct sim_costs){.client_turn_ns = 300, .client_message_ns = 100});
    for (unsigned i = 0; i < CLIENTS; i++)
        ask(&askers[i], OP_EXISTS);
    settle();
    uint64_t first = 100 + HOP_NS + HOP_NS;
    assert_int_equal(askers[0].replied_ns, first + 400);
    assert_int_equal(askers[1].replied_ns, first + 400 + 400);
    assert_int_equal(askers[2].replied_ns, first + 400 + 400 + 100);
}

/* ------------------------------------------------------------------ counts */

/* Costs change the times, and no count. */
TEST_BETWEEN(costs_change_no_count, NULL, end)
{
    static const char *const recipes[] = {"nonscalable", "childwatch", "scalable", "ticket"};
    struct simulation simulation;
    simulation_init(&simulation, 3);
    struct sim_costs *costs = &simulation.options.costs;
    costs->send_ns = costs->client_message_ns = 6000;
    costs->client_name_ns = 100;
    costs->turn_ns = costs->client_turn_ns = 20000;
    for (size_t i = 0; i < 4; i++) {
        const struct trial_plan plan = simulation_plan(&simulation, registry_find(recipes[i]), 12);
        struct trial_result *result = simulation_run(&simulation, &plan);
        assert_int_equal(result->end, END_DONE);
        assert_true(result->has_law);
        assert_int_equal(result->violation_count, 0);
        assert_int_equal(result->reconciled, RECONCILED_YES);
        assert_int_equal(tally_rpcs(&result->total), tally_rpcs(&result->law));
        assert_int_equal(result->total.of[TALLY_NOTIFICATION], result->law.of[TALLY_NOTIFICATION]);
        trial_result_free(result);
    }
}
