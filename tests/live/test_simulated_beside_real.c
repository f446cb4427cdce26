// SPDX-License-Identifier: Apache-2.0
/* The simulation beside a real server: the same script on both, and after each of its steps the
 * same replies, notifications, bytes and counters. */
#include "base/text.h"
#include "client/event_loop.h"
#include "sim/sim.h"
#include "tests/support/ignore.h"
#include "tests/support/live.h"
#include "tests/support/pause.h"
#include "tests/support/probe.h"
#include "tests/support/test.h"

#define ACTORS 2
#define SESSION_TIMEOUT_MS                                                                         \
    240000 /* who has lost its only server is back a sixtieth of that later */
#define NOTICES_MAX 16
#define WORDS       4096

/* ------------------------------------------------------------------ the two sides */

/* A session of either side, and what it has heard during a step. */
struct side_session {
    struct client *client;
    struct event_loop *events; /* the real one's loop, of its own */
    char reply[WORDS];
    char notices[NOTICES_MAX][128];
    unsigned notice_count;
    unsigned established;
};

struct side {
    struct sim *world; /* NULL: the real server */
    struct side_session actors[ACTORS];
    struct four_letter_counters before;
    uint64_t questions;
};

static struct side simulated, real;

static void state_changed(void *owner, enum client_state state)
{
    ((struct side_session *)owner)->established += state == CLIENT_ESTABLISHED;
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void replied(void *owner, const struct client_reply *reply)
{
    struct side_session *actor = owner;
    char *text = actor->reply;
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
    struct side_session *actor = owner;
    assert_true(actor->notice_count < NOTICES_MAX);
    snprintf(actor->notices[actor->notice_count++], sizeof actor->notices[0], "%d %s", (int)event,
             path);
}

static const struct client_listener listener = {state_changed, ignore_sent, replied, notified};

static int by_words(const void *a, const void *b)
{
    return strcmp(a, b);
}

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

static struct four_letter_counters read_counters(struct side *side)
{
    struct four_letter_counters counters;
    struct error error = {0};
    if (side->world != NULL)
        sim_counters(side->world, 0, &counters);
    else
        live_expect(
            four_letter_counters(&live_servers.endpoints[0], PATIENCE_NS, &counters, &error),
            &error);
    counters.packets_received -= ++side->questions;
    return counters;
}

static void begin(struct side *side)
{
    side->before = read_counters(side);
    for (int i = 0; i < ACTORS; i++)
        open_actor(side, &side->actors[i]);
}

FIXTURE(begin_both)
{
    const struct sim_options options = sim_options_default();
    struct error error = {0};
    simulated = real = (struct side){0};
    live_expect(sim_new(&options, &simulated.world, &error), &error);
    begin(&simulated);
    begin(&real);
    return 0;
}

FIXTURE(end_both)
{
    for (int i = 0; i < ACTORS; i++) {
        close_actor(&simulated, &simulated.actors[i]);
        close_actor(&real, &real.actors[i]);
    }
    sim_free(simulated.world);
    return 0;
}

/* One turn: an event of the simulation; or what lies ready on the connections. */
static void turn(struct side *side)
{
    struct error error = {0};
    if (side->world != NULL) {
        sim_step(side->world);
        return;
    }
    for (int i = 0; i < ACTORS; i++) {
        if (side->actors[i].events != NULL)
            live_expect(event_loop_poll(side->actors[i].events, clock_now_ns() + 1, &error),
                        &error);
    }
}

/* ------------------------------------------------------------------ what is compared */

static void describe_counters(struct side *side, char *text)
{
    const struct four_letter_counters now = read_counters(side), *before = &side->before;
#define X(counter)                                                                                 \
    text_append(text, 2 * WORDS, #counter " %jd\n", (intmax_t)(now.counter - before->counter));
    X(notifications)
    X(writes)
    X(reads)
    X(packets_received)
    X(watch_count)
    X(ephemerals_count)
    X(connections)
    X(znode_count)
#undef X
}

/* What the sessions have heard in this step, their bytes and the server's counters so far. */
static void describe(struct side *side, bool counts, char *text)
{
    text[0] = '\0';
    for (int i = 0; i < ACTORS; i++) {
        struct side_session *actor = &side->actors[i];
        struct client_bytes bytes = {0};
        qsort(actor->notices, actor->notice_count, sizeof actor->notices[0], by_words);
        text_append(text, 2 * WORDS, "session %d: %s; established %u\n", i, actor->reply,
                    actor->established);
        for (unsigned notice = 0; notice < actor->notice_count; notice++)
            text_append(text, 2 * WORDS, "notified %s\n", actor->notices[notice]);
        if (actor->client != NULL)
            client_bytes(actor->client, &bytes);
        text_append(text, 2 * WORDS, "bytes %ju %ju\n", (uintmax_t)bytes.sent_bytes,
                    (uintmax_t)bytes.received_bytes);
    }
    if (counts)
        describe_counters(side, text);
}

static void forget_step(struct side *side)
{
    for (int i = 0; i < ACTORS; i++) {
        side->actors[i].reply[0] = '\0';
        side->actors[i].notice_count = side->actors[i].established = 0;
    }
}

/* Runs the simulation until nothing is left, and the real side until it has come to the same. */
static void compare(const char *what, bool counts)
{
    char expected[2 * WORDS], found[2 * WORDS];
    uint64_t until_ns = clock_now_ns() + PATIENCE_NS;
    while (sim_step(simulated.world))
        ;
    describe(&simulated, counts, expected);
    do {
        turn(&real);
        describe(&real, counts, found);
    } while (strcmp(found, expected) != 0 && clock_now_ns() < until_ns);
    if (strcmp(found, expected) != 0)
        fail_msg("%s: simulated\n%sreal\n%s", what, expected, found);
    forget_step(&simulated);
    forget_step(&real);
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

TEST_BETWEEN(test_a_script_comes_to_the_same, begin_both, end_both)
{
    compare("the opening", true);
    for (size_t i = 0; i < sizeof script / sizeof script[0]; i++) {
        perform(simulated.actors[script[i].actor].client, &script[i].request);
        perform(real.actors[script[i].actor].client, &script[i].request);
        compare(script[i].what, true);
    }
    close_actor(&simulated, &simulated.actors[1]);
    close_actor(&real, &real.actors[1]);
    compare("the end of a session", true);
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

/* The first session loses a reply and its connection, and makes a pause before it tries its only
 * server again: it misses what the second one does meanwhile. */
static void miss(struct side *side)
{
    const struct request lost = {LIST(R, NO_WATCH)}, request = {MULTI(missed)};
    perform(side->actors[0].client, &lost);
    assert_true(client_cut(side->actors[0].client));
    while (side->actors[0].client->outstanding)
        turn(side);
    perform(side->actors[1].client, &request);
    while (side->actors[1].client->outstanding)
        turn(side);
}

TEST_BETWEEN(test_a_session_that_comes_back_hears_the_same, begin_both, end_both)
{
    const struct request touch = {SET(R "/still", -1)};
    compare("the opening", false);
    for (size_t i = 0; i < sizeof armed / sizeof armed[0]; i++) {
        perform(simulated.actors[armed[i].actor].client, &armed[i].request);
        perform(real.actors[armed[i].actor].client, &armed[i].request);
        compare(armed[i].what, false);
    }
    miss(&simulated);
    assert_int_equal(simulated.actors[0].established, 0);
    miss(&real);
    compare("what was missed", false);
    perform(simulated.actors[1].client, &touch);
    perform(real.actors[1].client, &touch);
    compare("what is still watched", false);
}

TEST_GROUP(live_start, live_stop)
