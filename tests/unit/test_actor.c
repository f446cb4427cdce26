// SPDX-License-Identifier: Apache-2.0
/* What every actor counts of its session; and a fleet in a simulation, of actors that contend for
 * nothing: each reads a znode at its own time. */

#include "base/clock.h"
#include "fleet/workers.h"

#include "tests/support/test.h"

#define READERS 100

static struct connect_string servers;
static struct fleet_plan plan;
static struct shared *shared;

FIXTURE(set_up)
{
    struct error error;
    servers = (struct connect_string){.count = 3};
    for (uint16_t i = 0; i < 3; i++)
        servers.endpoints[i] = (struct endpoint){.host = "simulated", .port = i + 1U};
    plan = (struct fleet_plan){.driver = DRIVER_SIMULATED,
                               .sessions = READERS,
                               .processes = 1,
                               .session_timeout_ms = 30000,
                               .timeout_ns = NS_PER_S,
                               .seed = 1,
                               .servers = &servers};
    return shared_new(&plan, &shared, &error) == ERROR_NONE ? 0 : -1;
}

FIXTURE(tear_down)
{
    shared_free(shared);
    return 0;
}

/* ------------------------------------------------------------------ one session */

static uint32_t timeout_ms(const struct client *client)
{
    (void)client;
    return 30000;
}

static int64_t session_id(const struct client *client)
{
    (void)client;
    return 77;
}

static const char *connected_to = "simulated:2"; /* "": not connected */

static void server(const struct client *client, char *text, size_t size)
{
    (void)client;
    snprintf(text, size, "%s", connected_to);
}

static struct client client = {.driver = &(const struct client_driver){.timeout_ms = timeout_ms,
                                                                       .session_id = session_id,
                                                                       .server = server}};

static struct actor actor_of_client(void)
{
    return (struct actor){
        .shared = shared, .worker = &shared->workers[0], .client = &client, .session = 5};
}

/* Of thirty seconds' timeout: a ping each ten seconds of silence. */
TEST_BETWEEN(test_the_silences_of_a_session_say_how_many_pings_there_can_be, set_up, tear_down)
{
    struct actor actor = actor_of_client();
    const uint64_t requests_s[] = {5, 6, 17, 50};
    for (size_t i = 0; i < sizeof requests_s / sizeof requests_s[0]; i++) {
        client.sent_ns = requests_s[i] * NS_PER_S;
        actor_spoke(&actor);
    }
    assert_int_equal(actor.pings, 0 + 0 + 1 + 3);
    assert_int_equal(actor.spoke_ns, 50 * NS_PER_S);
}

TEST_BETWEEN(test_a_session_is_established_once_and_reconnects_after_that, set_up, tear_down)
{
    struct actor actor = actor_of_client();
    atomic_store(&shared->connecting, 1);
    actor_state_changed(&actor, CLIENT_CONNECTING);
    actor_state_changed(&actor, CLIENT_ESTABLISHED);
    assert_int_equal(atomic_load(&shared->connecting), 0);
    assert_int_equal(atomic_load(&shared->established), 1);
    assert_string_equal(shared->sessions[5].server, "simulated:2");
    shared->sessions[5].role = ROLE_LEADER;
    actor_pass_gate(&actor);
    assert_int_equal(actor.role, ROLE_LEADER);
    assert_int_equal(atomic_load(&shared->losses), 0);
    actor_state_changed(&actor, CLIENT_CONNECTING);
    actor_state_changed(&actor, CLIENT_CONNECTING);
    actor_state_changed(&actor, CLIENT_ESTABLISHED);
    assert_int_equal(atomic_load(&shared->established), 1);
    assert_int_equal(atomic_load(&shared->losses), 1);
    assert_int_equal(atomic_load(&shared->workers[0].reconnects), 1);
    assert_int_equal(actor.role, ROLE_RECONNECTED);
}

TEST_BETWEEN(test_the_first_session_that_is_lost_is_kept, set_up, tear_down)
{
    struct actor first = actor_of_client(), second = actor_of_client();
    second.session = 2;
    actor_lose(&first, ZK_NO_AUTH);
    actor_lose(&second, ZK_SESSION_EXPIRED);
    assert_int_equal(atomic_load(&shared->lost), 2);
    assert_int_equal(atomic_load(&shared->first_lost), 5 + 1);
    assert_int_equal(atomic_load(&shared->first_lost_status), ZK_NO_AUTH);
}

/* The deadline's message names the servers that owe an answer. */
TEST_BETWEEN(test_the_report_of_a_session_without_a_connection_names_its_last_server, set_up,
             tear_down)
{
    struct actor actor = actor_of_client();
    actor_state_changed(&actor, CLIENT_ESTABLISHED);
    connected_to = "";
    actor_state_changed(&actor, CLIENT_CONNECTING);
    actor_report(&actor);
    assert_string_equal(shared->sessions[5].server, "simulated:2");
    connected_to = "simulated:3";
    actor_state_changed(&actor, CLIENT_ESTABLISHED);
    actor_report(&actor);
    assert_string_equal(shared->sessions[5].server, "simulated:3");
    connected_to = "simulated:2";
}

/* ------------------------------------------------------------------ a fleet */

enum { ORDER_AGAIN = ORDER_OWN };

struct reader {
    struct actor actor;
    uint64_t seed;
    unsigned replies;
    bool reported;
    bool read;
};

static struct reader *readers[READERS];

static void init(void *actor, void *kind, uint64_t seed)
{
    struct reader *reader = actor;
    assert_ptr_equal(kind, &plan);
    assert_null(reader->actor.client);
    reader->seed = seed;
    readers[reader->actor.session] = reader;
}

static void order(void *actor, int order)
{
    struct reader *reader = actor;
    if (order == ORDER_GATE) {
        actor_pass_gate(&reader->actor);
        actor_set_alarm(&reader->actor, client_now_ns(reader->actor.client) + NS_PER_MS);
    } else if (order == ORDER_AGAIN) {
        client_exists(reader->actor.client, "/", NO_WATCH);
    } else if (order == ORDER_REPORT) {
        actor_report(&reader->actor);
        reader->reported = true;
    } else if (order == ORDER_READ) {
        reader->read = true;
    }
}

static void alarm_rang(void *actor, uint64_t late_ns)
{
    assert_int_equal(late_ns, 0);
    order(actor, ORDER_AGAIN);
}

static void state_changed(void *owner, enum client_state state)
{
    actor_state_changed(owner, state);
}

static void sent(void *owner, enum operation operation)
{
    (void)owner;
    (void)operation;
}

static void replied(void *owner, const struct client_reply *reply)
{
    struct reader *reader = owner;
    assert_int_equal(reply->status, ZK_OK);
    if (++reader->replies == 1)
        actor_finish(&reader->actor);
}

static const struct client_listener listener = {state_changed, sent, replied, NULL};
static const struct actor_ops reader_ops = {sizeof(struct reader), &listener, init, order,
                                            alarm_rang};

/* Until the number is that high. */
static void await(const struct workers *workers, const struct loop *loop, _Atomic uint32_t *number,
                  uint32_t least)
{
    struct error error;
    for (int turns = 0; atomic_load(number) < least; turns++) {
        assert_true(turns < 10000);
        assert_int_equal(workers_turn(workers, loop, NS_PER_MS, &error), ERROR_NONE);
        assert_int_equal(workers_check(workers, &error), ERROR_NONE);
    }
}

TEST_BETWEEN(test_a_fleet_runs_actors_of_any_kind, set_up, tear_down)
{
    const struct sim_options options = {.servers = 3, .seed = 1, .costs = {.network_ns = 1000}};
    const struct fleet fleet = {.shared = shared, .ops = &reader_ops, .kind = &plan};
    struct workers workers;
    struct error error;
    struct loop loop = {.sim = NULL};
    assert_int_equal(sim_new(&options, &loop.sim, &error), ERROR_NONE);
    assert_int_equal(workers_start(&workers, &fleet, NULL, loop.sim, NULL, &error), ERROR_NONE);
    await(&workers, &loop, &shared->established, READERS);
    shared_enter(shared, PHASE_RUN);
    await(&workers, &loop, &shared->finished, READERS);
    shared_tell(shared, 7, ORDER_AGAIN);
    for (int turns = 0; readers[7]->replies < 2 && turns < 100; turns++)
        assert_int_equal(workers_turn(&workers, &loop, NS_PER_MS, &error), ERROR_NONE);
    shared_tell_all(shared, ORDER_AGAIN);
    assert_true(shared_inquire(shared));
    assert_false(shared_inquire(shared)); /* not before all have answered */
    await(&workers, &loop, &shared->reported, 1);
    for (int turns = 0; readers[7]->replies < 3 && turns < 100; turns++)
        assert_int_equal(workers_turn(&workers, &loop, NS_PER_MS, &error), ERROR_NONE);
    shared_enter(shared, PHASE_MEASURED);
    await(&workers, &loop, &shared->workers_ready, 1);
    for (uint32_t i = 0; i < READERS; i++) {
        assert_int_equal(readers[i]->replies, i == 7 ? 3 : 2);
        assert_true(readers[i]->reported && readers[i]->read);
        assert_true(i == 0 || readers[i]->seed != readers[i - 1]->seed);
        assert_int_equal(shared->sessions[i].timeout_ms, 30000);
    }
    workers_end(&workers);
    sim_free(loop.sim);
}
