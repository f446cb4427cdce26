// SPDX-License-Identifier: Apache-2.0
/* The simulation beside a real server: the same script on both, and after each of its steps the
 * same replies, notifications, bytes and counters. */
#include "client/event_loop.h"
#include "sim/sim.h"
#include "tests/support/live.h"
#include "tests/support/perform.h"
#include "tests/support/test.h"

#include <time.h>

#define ACTORS             2
#define SESSION_TIMEOUT_MS 60000
#define PATIENCE_NS        (10 * NS_PER_S)
#define NOTICES_MAX        16
#define WORDS              4096

/* ------------------------------------------------------------------ what is compared */

/* What a session has heard during a step. */
struct heard {
    char reply[WORDS];
    char notices[NOTICES_MAX][128];
    unsigned notice_count;
    unsigned established;
};

/* What a step came to. */
struct outcome {
    struct heard heard[ACTORS];
    struct client_bytes bytes[ACTORS];
    struct four_letter_counters
        counters; /* since the beginning, without the questions; of packets sent,
               which a server's answer to mntr is several of, nothing */
};

/* A session of either side. */
struct side_session {
    struct client *client;
    struct event_loop *events; /* the real one's loop, of its own, so that it can be left alone */
    struct heard heard;
};

/* A side: the simulation, or a real server. */
struct side {
    struct sim *world; /* NULL: the real one */
    struct side_session actors[ACTORS];
    struct four_letter_counters before;
    uint64_t questions;
};

static void state_changed(void *owner, enum client_state state)
{
    struct side_session *actor = owner;
    actor->heard.established += state == CLIENT_ESTABLISHED;
}

static void sent(void *owner, enum operation operation)
{
    (void)owner;
    (void)operation;
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void replied(void *owner, const struct client_reply *reply)
{
    struct side_session *actor = owner;
    char *text = actor->heard.reply;
    const char *names[64];
    int length = snprintf(text, WORDS, "operation %d status %d version %d path %s value %zu '%.*s'",
                          (int)reply->operation, (int)reply->status, reply->version,
                          reply->path == NULL ? "-" : reply->path, reply->value_length,
                          (int)reply->value_length, reply->value == NULL ? "" : reply->value);
    assert_in_range(reply->name_count, 0, 64);
    for (size_t i = 0; i < reply->name_count; i++)
        names[i] = reply->names[i];
    qsort(names, reply->name_count, sizeof names[0], by_text);
    for (size_t i = 0; i < reply->name_count; i++)
        length += snprintf(text + length, WORDS - (size_t)length, " %s", names[i]);
}

static void notified(void *owner, enum client_event event, const char *path)
{
    struct heard *heard = &((struct side_session *)owner)->heard;
    assert_true(heard->notice_count < NOTICES_MAX);
    snprintf(heard->notices[heard->notice_count++], sizeof heard->notices[0], "%d %s", (int)event,
             path);
}

static const struct client_listener listener = {state_changed, sent, replied, notified};

static int by_words(const void *a, const void *b)
{
    return strcmp(a, b);
}

/* ------------------------------------------------------------------ the two sides */

static void open_actor(struct side *side, struct side_session *actor)
{
    struct error error = {0};
    char hosts[CONNECT_TEXT_SIZE];
    if (side->world != NULL) {
        live_expect(sim_open(side->world, 0, SESSION_TIMEOUT_MS, 1, &listener, actor,
                             &actor->client, &error),
                    &error);
        return;
    }
    connect_format(&live_servers, true, hosts, sizeof hosts);
    live_expect(event_loop_new(1, NULL, &actor->events, &error), &error);
    live_expect(event_loop_open(actor->events, hosts, SESSION_TIMEOUT_MS, 1, &listener, actor,
                                &actor->client, &error),
                &error);
}

/* One turn: an event of the simulation; or what lies ready on the connections. */
static void turn(struct side *side)
{
    const struct timespec pause = {.tv_nsec = NS_PER_MS / 5};
    struct error error = {0};
    if (side->world != NULL) {
        sim_step(side->world);
        return;
    }
    for (int i = 0; i < ACTORS; i++) {
        if (side->actors[i].events != NULL)
            live_expect(event_loop_poll(side->actors[i].events, 0, &error), &error);
    }
    nanosleep(&pause, NULL);
}

static void read_counters(struct side *side, struct four_letter_counters *counters)
{
    struct error error = {0};
    if (side->world != NULL)
        sim_counters(side->world, 0, counters);
    else
        live_expect(four_letter_counters(&live_servers.endpoints[0], PATIENCE_NS, counters, &error),
                    &error);
    counters->packets_received -= ++side->questions;
}

static struct four_letter_counters counters_since(struct side *side)
{
    struct four_letter_counters now;
    const struct four_letter_counters *before = &side->before;
    read_counters(side, &now);
    return (struct four_letter_counters){
        .notifications = now.notifications - before->notifications,
        .writes = now.writes - before->writes,
        .reads = now.reads - before->reads,
        .packets_received = now.packets_received - before->packets_received,
        .watch_count = now.watch_count - before->watch_count,
        .ephemerals_count = now.ephemerals_count - before->ephemerals_count,
        .connections = now.connections - before->connections,
        .connects = now.connects - before->connects,
        .znode_count = now.znode_count - before->znode_count,
    };
}

/* ------------------------------------------------------------------ steps */

/* The simulation is run until nothing is left; the real side until it has heard as much. */
static bool heard_enough(const struct side *side, const struct outcome *expected)
{
    if (expected == NULL)
        return sim_next_ns(side->world) == UINT64_MAX;
    for (int i = 0; i < ACTORS; i++) {
        const struct heard *heard = &side->actors[i].heard, *wanted = &expected->heard[i];
        if ((wanted->reply[0] != '\0' && heard->reply[0] == '\0') ||
            heard->notice_count < wanted->notice_count || heard->established < wanted->established)
            return false;
    }
    return true;
}

/* A server may count a little later than its client hears. */
static void take_counters(struct side *side, struct outcome *outcome,
                          const struct outcome *expected)
{
    uint64_t until_ns = clock_now_ns() + PATIENCE_NS;
    do
        outcome->counters = counters_since(side);
    while (expected != NULL && clock_now_ns() < until_ns &&
           memcmp(&outcome->counters, &expected->counters, sizeof outcome->counters) != 0);
}

static bool same_bytes(const struct outcome *a, const struct outcome *b)
{
    for (int i = 0; i < ACTORS; i++) {
        if (a->bytes[i].sent_bytes != b->bytes[i].sent_bytes ||
            a->bytes[i].received_bytes != b->bytes[i].received_bytes)
            return false;
    }
    return true;
}

/* The reply to the request that sets watches again comes behind all that a session hears. */
static void take_bytes(struct side *side, struct outcome *outcome, const struct outcome *expected)
{
    uint64_t until_ns = clock_now_ns() + PATIENCE_NS;
    for (;;) {
        for (int i = 0; i < ACTORS; i++) {
            if (side->actors[i].client != NULL)
                client_bytes(side->actors[i].client, &outcome->bytes[i]);
        }
        if (expected == NULL || same_bytes(outcome, expected) || clock_now_ns() >= until_ns)
            return;
        turn(side);
    }
}

static void take_outcome(struct side *side, struct outcome *outcome, const struct outcome *expected)
{
    uint64_t until_ns = clock_now_ns() + PATIENCE_NS;
    while (!heard_enough(side, expected) && clock_now_ns() < until_ns)
        turn(side);
    for (int i = 0; i < ACTORS; i++) {
        struct heard *heard = &side->actors[i].heard;
        qsort(heard->notices, heard->notice_count, sizeof heard->notices[0], by_words);
        outcome->heard[i] = *heard;
        *heard = (struct heard){0};
    }
    take_bytes(side, outcome, expected);
}

static void compare_heard(const char *what, int actor, const struct heard *sim,
                          const struct heard *real)
{
    if (strcmp(sim->reply, real->reply) != 0)
        fail_msg("%s, session %d: simulated '%s', real '%s'", what, actor, sim->reply, real->reply);
    if (sim->notice_count != real->notice_count || sim->established != real->established)
        fail_msg("%s, session %d: simulated %u notifications, real %u; established %u, %u", what,
                 actor, sim->notice_count, real->notice_count, sim->established, real->established);
    for (unsigned i = 0; i < real->notice_count; i++)
        assert_string_equal(sim->notices[i], real->notices[i]);
}

static void compare_counters(const char *what, const struct four_letter_counters *sim,
                             const struct four_letter_counters *real)
{
#define COMPARE(counter)                                                                           \
    if (sim->counter != real->counter)                                                             \
    fail_msg("%s: " #counter ": simulated %ju, real %ju", what, (uintmax_t)sim->counter,           \
             (uintmax_t)real->counter)
    COMPARE(notifications);
    COMPARE(writes);
    COMPARE(reads);
    COMPARE(packets_received);
    COMPARE(watch_count);
    COMPARE(ephemerals_count);
    COMPARE(connections);
    COMPARE(znode_count);
#undef COMPARE
}

static void compare(const char *what, const struct outcome *sim, const struct outcome *real)
{
    for (int i = 0; i < ACTORS; i++) {
        compare_heard(what, i, &sim->heard[i], &real->heard[i]);
        const struct client_bytes *simulated = &sim->bytes[i], *counted = &real->bytes[i];
        if (simulated->sent_bytes != counted->sent_bytes ||
            simulated->received_bytes != counted->received_bytes)
            fail_msg("%s, session %d: simulated %ju bytes sent, %ju received; real %ju, %ju", what,
                     i, (uintmax_t)simulated->sent_bytes, (uintmax_t)simulated->received_bytes,
                     (uintmax_t)counted->sent_bytes, (uintmax_t)counted->received_bytes);
    }
    compare_counters(what, &sim->counters, &real->counters);
}

static void begin(struct side *side, bool simulate)
{
    struct sim_options options = sim_options_default();
    struct error error = {0};
    *side = (struct side){0};
    if (simulate)
        live_expect(sim_new(&options, &side->world, &error), &error);
    read_counters(side, &side->before);
    for (int i = 0; i < ACTORS; i++)
        open_actor(side, &side->actors[i]);
}

static void close_actor(struct side *side, struct side_session *actor)
{
    if (actor->client == NULL)
        return;
    if (side->world != NULL)
        sim_close(actor->client);
    else
        assert_int_equal(event_loop_close(actor->events, clock_now_ns() + PATIENCE_NS), 0);
    event_loop_free(actor->events);
    *actor = (struct side_session){0};
}

static void end(struct side *side)
{
    for (int i = 0; i < ACTORS; i++)
        close_actor(side, &side->actors[i]);
    sim_free(side->world);
}

/* ------------------------------------------------------------------ the script */

#define CREATE(node, kind)  .operation = OP_CREATE, .path = (node), .mode = (kind)
#define EXISTS(node, flag)  .operation = OP_EXISTS, .path = (node), .watch = (flag)
#define GET(node, flag)     .operation = OP_GET, .path = (node), .watch = (flag)
#define LIST(node, flag)    .operation = OP_GET_CHILDREN, .path = (node), .watch = (flag)
#define SET(node, number)   .operation = OP_SET, .path = (node), .version = (number)
#define DELETE(node)        .operation = OP_DELETE, .path = (node), .version = (-1)
#define CHECK(node, number) .operation = OP_CHECK, .path = (node), .version = (number)
#define SYNC(node)          .operation = OP_SYNC, .path = (node)
#define VALUE(text)         .value = (text), .value_length = sizeof(text) - 1
#define MULTI(list)                                                                                \
    .operation = OP_MULTI, .parts = (list), .part_count = sizeof(list) / sizeof(list)[0]

#define S "/simulated"

static const struct request turn_over[] = {
    {CREATE(S "/m", EPHEMERAL), VALUE("made")},
    {SET(S "/m", 0), VALUE("changed")},
    {CHECK(S "/m", 1)},
    {DELETE(S "/q/p-0000000001")},
};
static const struct request sequential[] = {{CREATE(S "/q/p-", EPHEMERAL_SEQUENTIAL)},
                                            {CHECK(S, -1)}};
static const struct request exists_already[] = {{CREATE(S "/m", PERSISTENT)}, {SET(S "/m", -1)}};
static const struct request fails_late[] = {
    {SET(S "/m", -1), VALUE("never")}, {DELETE(S "/m")}, {CHECK(S, 7)}, {DELETE(S "/q")}};
static const struct request one_part[] = {{DELETE(S "/m")}};

static const struct step {
    const char *what;
    int actor;
    struct request request;
} script[] = {
    {"create", 0, {CREATE(S, PERSISTENT)}},
    {"create what is there", 1, {CREATE(S, PERSISTENT)}},
    {"create below nothing", 0, {CREATE(S "/no/child", EPHEMERAL)}},
    {"create with a value", 0, {CREATE(S "/f", EPHEMERAL), VALUE("value of f")}},
    {"create below an ephemeral", 1, {CREATE(S "/f/g", PERSISTENT)}},
    {"create the root", 1, {CREATE("/", PERSISTENT)}},
    {"look", 1, {EXISTS(S "/f", WATCH)}},
    {"look again", 1, {EXISTS(S "/f", WATCH)}},
    {"look without a watch", 0, {EXISTS(S "/f", NO_WATCH)}},
    {"look for nothing", 0, {EXISTS(S "/none", NO_WATCH)}},
    {"await a creation", 1, {EXISTS(S "/coming", WATCH)}},
    {"get", 1, {GET(S "/f", NO_WATCH)}},
    {"get without a value", 1, {GET(S, WATCH)}},
    {"get nothing", 1, {GET(S "/none", WATCH)}},
    {"list", 0, {LIST(S, WATCH)}},
    {"list the root", 0, {LIST("/zookeeper", NO_WATCH)}},
    {"list nothing", 0, {LIST(S "/none", WATCH)}},
    {"list below a leaf", 0, {LIST(S "/f", NO_WATCH)}},
    {"what was awaited comes", 0, {CREATE(S "/coming", PERSISTENT)}},
    {"set", 0, {SET(S "/f", -1), VALUE("another value")}},
    {"set with the version", 0, {SET(S "/f", 1), VALUE("x")}},
    {"set with a wrong version", 0, {SET(S "/f", 1), VALUE("y")}},
    {"set nothing", 1, {SET(S "/none", -1), VALUE("y")}},
    {"set to nothing", 1, {SET(S, -1)}},
    {"get after sets", 1, {GET(S "/f", WATCH)}},
    {"delete what has children", 1, {DELETE(S)}},
    {"delete nothing", 1, {DELETE(S "/none")}},
    {"delete the root", 1, {DELETE("/")}},
    {"a queue", 1, {CREATE(S "/q", PERSISTENT)}},
    {"queue", 0, {CREATE(S "/q/p-", EPHEMERAL_SEQUENTIAL)}},
    {"queue behind", 1, {CREATE(S "/q/p-", EPHEMERAL_SEQUENTIAL), VALUE("me")}},
    {"queue behind that", 0, {CREATE(S "/q/p-", EPHEMERAL_SEQUENTIAL)}},
    {"queue without a prefix", 0, {CREATE(S "/q/", EPHEMERAL_SEQUENTIAL)}},
    {"queue where nothing is", 0, {CREATE(S "/none/", EPHEMERAL_SEQUENTIAL)}},
    {"list the queue", 1, {LIST(S "/q", WATCH)}},
    {"list the queue again", 0, {LIST(S "/q", WATCH)}},
    {"watch the predecessor", 1, {EXISTS(S "/q/p-0000000000", WATCH)}},
    {"the predecessor goes", 0, {DELETE(S "/q/p-0000000000")}},
    {"list what is left", 0, {LIST(S "/q", NO_WATCH)}},
    {"watch a value and the children", 1, {GET(S "/coming", WATCH)}},
    {"of one znode", 1, {LIST(S "/coming", WATCH)}},
    {"and by another session", 0, {LIST(S "/coming", WATCH)}},
    {"it goes", 0, {DELETE(S "/coming")}},
    {"several at once", 1, {MULTI(turn_over)}},
    {"get what they left", 0, {GET(S "/m", WATCH)}},
    {"a queue's place among several", 1, {MULTI(sequential)}},
    {"several that fail at once", 0, {MULTI(exists_already)}},
    {"several that fail late", 0, {MULTI(fails_late)}},
    {"get what they have not touched", 0, {GET(S "/m", WATCH)}},
    {"list what they have not touched", 0, {LIST(S "/q", WATCH)}},
    {"sync", 0, {SYNC(S "/q")}},
    {"sync of nothing", 1, {SYNC(S "/none")}},
    {"one of several", 1, {MULTI(one_part)}},
    {"the next number", 1, {CREATE(S "/q/p-", EPHEMERAL_SEQUENTIAL)}},
    /* For the end of the other session. */
    {"watch what the other owns", 0, {EXISTS(S "/q/p-0000000005", WATCH)}},
    {"and all of it", 0, {LIST(S "/q", WATCH)}},
    {"watch its own", 1, {EXISTS(S "/q/p-0000000005", WATCH)}},
};

#define STEPS (sizeof script / sizeof script[0])

/* Outcomes: of the opening, of each step, of the end of one session. */
static struct outcome sim[STEPS + 2], real[STEPS + 2];

static void play(struct side *side, struct outcome *outcomes, const struct outcome *expected)
{
#define EXPECTED(i) (expected == NULL ? NULL : &expected[i])
    take_outcome(side, &outcomes[0], EXPECTED(0));
    take_counters(side, &outcomes[0], EXPECTED(0));
    for (size_t i = 0; i < STEPS; i++) {
        perform(side->actors[script[i].actor].client, &script[i].request);
        take_outcome(side, &outcomes[i + 1], EXPECTED(i + 1));
        take_counters(side, &outcomes[i + 1], EXPECTED(i + 1));
        if (expected != NULL)
            compare(script[i].what, &expected[i + 1], &outcomes[i + 1]);
    }
    close_actor(side, &side->actors[1]);
    take_outcome(side, &outcomes[STEPS + 1], EXPECTED(STEPS + 1));
    take_counters(side, &outcomes[STEPS + 1], EXPECTED(STEPS + 1));
#undef EXPECTED
}

TEST(test_a_script_comes_to_the_same)
{
    struct side side;
    begin(&side, true);
    play(&side, sim, NULL);
    end(&side);
    begin(&side, false);
    play(&side, real, sim);
    compare("the opening", &sim[0], &real[0]);
    compare("the end of a session", &sim[STEPS + 1], &real[STEPS + 1]);
    end(&side);
}

/* ------------------------------------------------------------------ a broken connection */

#define R "/reconnect"

static const struct request layout[] = {{CREATE(R, PERSISTENT)},
                                        {CREATE(R "/set", PERSISTENT)},
                                        {CREATE(R "/gone", PERSISTENT)},
                                        {CREATE(R "/still", PERSISTENT)}};
static const struct request missed[] = {
    {SET(R "/set", -1)}, {DELETE(R "/gone")}, {CREATE(R "/absent", PERSISTENT)}};

static const struct step armed[] = {
    {"lay out", 1, {MULTI(layout)}},
    {"watch one that is going to be set", 0, {EXISTS(R "/set", WATCH)}},
    {"one that is going to go", 0, {GET(R "/gone", WATCH)}},
    {"one that is going to come", 0, {EXISTS(R "/absent", WATCH)}},
    {"one that nobody touches", 0, {GET(R "/still", WATCH)}},
    {"and all of them", 0, {LIST(R, WATCH)}},
    {"and one that stays away", 0, {EXISTS(R "/never", WATCH)}},
};

static void ask(struct side *side, int actor, const struct request *request)
{
    struct client *client = side->actors[actor].client;
    perform(client, request);
    while (client->outstanding)
        turn(side);
}

/* The first session loses a reply and its connection, and makes a pause before it tries its only
 * server again: it misses what the second one does meanwhile. */
static void miss(struct side *side)
{
    const struct request lost = {LIST(R, NO_WATCH)};
    struct client *client = side->actors[0].client;
    perform(client, &lost);
    assert_true(client_cut(client));
    while (client->outstanding)
        turn(side);
    const struct request request = {MULTI(missed)};
    ask(side, 1, &request);
}

static void play_reconnect(struct side *side, struct outcome outcomes[3],
                           const struct outcome *expected)
{
    const struct request touch = {SET(R "/still", -1)};
    take_outcome(side, &outcomes[0], expected);
    for (size_t i = 0; i < sizeof armed / sizeof armed[0]; i++) {
        ask(side, armed[i].actor, &armed[i].request);
        side->actors[armed[i].actor].heard = (struct heard){0};
    }
    miss(side);
    take_outcome(side, &outcomes[1], expected == NULL ? NULL : &expected[1]);
    perform(side->actors[1].client, &touch);
    take_outcome(side, &outcomes[2], expected == NULL ? NULL : &expected[2]);
}

TEST(test_a_session_that_comes_back_hears_the_same)
{
    static struct outcome sim_outcomes[3], real_outcomes[3];
    struct side side;
    begin(&side, true);
    play_reconnect(&side, sim_outcomes, NULL);
    end(&side);
    assert_int_equal(sim_outcomes[1].heard[0].notice_count, 4);
    begin(&side, false);
    play_reconnect(&side, real_outcomes, sim_outcomes);
    end(&side);
    for (int i = 1; i < 3; i++)
        compare(i == 1 ? "what was missed" : "what is still watched", &sim_outcomes[i],
                &real_outcomes[i]);
}

TEST_GROUP(live_start, live_stop)
