// SPDX-License-Identifier: Apache-2.0
/* Sessions that wander about a simulation, lose connections, expire and crash: what ZooKeeper
 * promises holds at every step, and the seed tells every step. */

#include "base/random.h"
#include "sim/sim.h"

#include "tests/support/test.h"

#define WANDERERS  24
#define TIMEOUT_MS 30000
#define REQUESTS   6000

#define ZNODES 6

/* A session, and what it knows: its view of each znode must never go back, and a change of what it
 * watches is told before it is seen. */
struct wanderer {
    struct client *client;
    int32_t version[ZNODES];
    int32_t
        set_before; /* sync: the last set of this znode that had been answered when it was asked */
    bool watched[ZNODES];
    bool connected;
    bool asked; /* and has no reply yet */
    int znode;
    enum operation operation;
    bool watch;
    bool gone;
};

static struct sim *sim;
static bool stepping; /* callbacks may come */
static struct wanderer wanderers[WANDERERS];
static struct random chance;
static unsigned steps_left;
static int32_t last_set[ZNODES];
static unsigned caught_up; /* syncs behind which a znode had to be newer */
static uint64_t digest;

static void mix(uint64_t word)
{
    digest = (digest ^ word) * 0x100000001b3u;
    digest ^= digest >> 31;
}

static void wander(struct wanderer *mine)
{
    char path[16];
    if (steps_left == 0 || mine->gone || mine->asked)
        return;
    steps_left--;
    mine->znode = (int)random_below(&chance, ZNODES);
    mine->watch = random_below(&chance, 2) == 1;
    mine->asked = true;
    snprintf(path, sizeof path, "/z%d", mine->znode);
    uint64_t kind = random_below(&chance, 4);
    if (kind == 0) {
        mine->operation = OP_SYNC;
        mine->set_before = last_set[mine->znode];
        client_sync(mine->client, path);
    } else if (kind == 1) {
        mine->operation = OP_SET;
        client_set(mine->client, path, "v", 1, REQUEST_ANY_VERSION);
    } else {
        mine->operation = OP_GET;
        client_get(mine->client, path, mine->watch ? WATCH : NO_WATCH);
    }
    uint64_t what = random_below(&chance, 400);
    if (what < 8)
        (void)client_cut(mine->client);
    if (what == 9)
        sim_expire(mine->client);
    if (what == 10)
        mine->gone = client_crash(mine->client);
}

static void replied(void *owner, const struct client_reply *reply)
{
    struct wanderer *mine = owner;
    assert_true(stepping);
    assert_true(mine->asked);
    assert_int_equal(reply->operation, mine->operation);
    mine->asked = false;
    mix(sim_now_ns(sim) << 8 ^ (uint64_t)reply->status << 4 ^ (uint64_t)(mine - wanderers));
    mix((uint64_t)reply->version);
    if (reply->status == ZK_OK && reply->operation == OP_SYNC) {
        /* Whoever has set it: it has been told of, and what is read from here on is no older. */
        if (mine->version[mine->znode] < mine->set_before) {
            assert_false(mine->watched[mine->znode]);
            mine->version[mine->znode] = mine->set_before;
            caught_up++;
        }
    } else if (reply->status == ZK_OK) {
        int32_t *seen = &mine->version[mine->znode];
        assert_true(reply->version >= *seen);
        /* What is watched and has changed was told of before. */
        if (reply->operation == OP_GET && reply->version > *seen)
            assert_false(mine->watched[mine->znode]);
        if (reply->operation == OP_SET)
            assert_true(reply->version > *seen);
        *seen = reply->version;
        if (reply->operation == OP_GET && mine->watch)
            mine->watched[mine->znode] = true;
        if (reply->operation == OP_SET && reply->version > last_set[mine->znode])
            last_set[mine->znode] = reply->version;
    }
    wander(mine);
}

static void notified(void *owner, enum client_event event, const char *path)
{
    struct wanderer *mine = owner;
    int znode = path[2] - '0';
    assert_true(stepping);
    assert_true(mine->connected);
    assert_int_equal(event, EVENT_CHANGED);
    assert_true(mine->watched[znode]);
    mine->watched[znode] = false;
    mix(sim_now_ns(sim) << 8 ^ (uint64_t)(mine - wanderers) << 4 ^ (uint64_t)znode);
}

static void sent(void *owner, enum operation operation)
{
    (void)owner;
    (void)operation;
}

static void state_changed(void *owner, enum client_state state)
{
    struct wanderer *mine = owner;
    assert_true(stepping);
    mix(sim_now_ns(sim) << 8 ^ (uint64_t)state);
    mine->connected = state == CLIENT_ESTABLISHED;
    if (state == CLIENT_EXPIRED)
        mine->gone = true;
    if (state == CLIENT_ESTABLISHED)
        wander(mine);
}

static const struct client_listener listener = {state_changed, sent, replied, notified};

static void settle(void)
{
    stepping = true;
    while (sim_step(sim))
        ;
    stepping = false;
}

static struct four_letter_counters counters(unsigned server)
{
    struct four_letter_counters counters;
    sim_counters(sim, server, &counters);
    return counters;
}

static void open_wanderer(struct wanderer *wanderer, unsigned server)
{
    struct error error;
    assert_int_equal(
        sim_open(sim, server, TIMEOUT_MS, 1, &listener, wanderer, &wanderer->client, &error),
        ERROR_NONE);
}

static void lay_out(struct wanderer *wanderer)
{
    char path[16];
    for (int i = 0; i < ZNODES; i++) {
        snprintf(path, sizeof path, "/z%d", i);
        wanderer->asked = true;
        wanderer->operation = OP_CREATE;
        client_create(wanderer->client, path, NULL, 0, PERSISTENT);
        settle();
    }
}

/* Whatever order things came in, no set is lost. */
static void look_at_the_end(struct wanderer *wanderer)
{
    char path[16];
    for (int i = 0; i < ZNODES; i++) {
        snprintf(path, sizeof path, "/z%d", i);
        wanderer->asked = true;
        wanderer->operation = OP_EXISTS;
        wanderer->znode = i;
        client_exists(wanderer->client, path, NO_WATCH);
        settle();
        assert_true(wanderer->version[i] >= last_set[i]);
    }
}

static uint64_t wander_about(uint64_t seed, unsigned servers)
{
    struct sim_options options = sim_options_default();
    struct error error;
    options.servers = servers;
    options.seed = seed;
    assert_int_equal(sim_new(&options, &sim, &error), ERROR_NONE);
    memset(wanderers, 0, sizeof wanderers);
    memset(last_set, 0, sizeof last_set);
    random_init(&chance, 1); /* the sessions' part is the same, whatever the seed */
    steps_left = 0;
    digest = 0;
    open_wanderer(&wanderers[0], 0);
    settle();
    lay_out(&wanderers[0]);
    steps_left = REQUESTS;
    for (unsigned i = 1; i < WANDERERS; i++)
        open_wanderer(&wanderers[i], i % servers);
    settle();
    steps_left = 0;
    look_at_the_end(&wanderers[0]);
    for (unsigned i = 0; i < servers; i++)
        assert_int_equal(counters(i).znode_count, 5 + ZNODES);
    sim_free(sim);
    return digest;
}

TEST(test_promises_are_kept_in_any_order)
{
    for (uint64_t seed = 1; seed <= 12; seed++) {
        for (unsigned servers = 1; servers <= 5; servers += 2)
            wander_about(seed, servers);
    }
    assert_true(caught_up > 0);
}

TEST(test_a_seed_tells_everything)
{
    uint64_t once = wander_about(7, 3);
    assert_true(once == wander_about(7, 3));
    assert_true(once != wander_about(8, 3));
}
