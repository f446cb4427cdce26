// SPDX-License-Identifier: Apache-2.0
/* A dialogue with a simulated server: what it keeps of replies, how long it waits, and that a
 * session which has expired is followed by another. */

#include "base/clock.h"
#include "fleet/sync_session.h"

#include "tests/support/test.h"

#define LIMIT_NS (10 * NS_PER_S)

struct scene {
    struct sim *world;
    struct sync_session session;
    struct error error;
};

static struct sync_session_limit limit(const struct scene *scene)
{
    return (struct sync_session_limit){
        .until_ns = sim_now_ns(scene->world) + LIMIT_NS, .why = "nothing within", .about = "10 s"};
}

static void connect_again(struct scene *scene)
{
    assert_int_equal(sync_session_connect(&scene->session, limit(scene), &scene->error),
                     ERROR_NONE);
    assert_int_equal(scene->session.state, CLIENT_ESTABLISHED);
}

static enum zk_status ask(struct scene *scene, struct request request)
{
    const struct sync_session_limit until = limit(scene);
    assert_int_equal(sync_session_ask(&scene->session, &request, &until, &scene->error),
                     ERROR_NONE);
    return scene->session.reply.status;
}

static enum zk_status look(struct scene *scene, enum operation operation, const char *path)
{
    return ask(scene, (struct request){.operation = operation, .path = path});
}

static int open_scene_with(void **state, uint64_t read_ns)
{
    struct sim_options options = sim_options_default();
    options.costs.read_ns += read_ns;
    struct scene *scene = calloc(1, sizeof *scene);
    assert_non_null(scene);
    assert_int_equal(sim_new(&options, &scene->world, &scene->error), ERROR_NONE);
    assert_int_equal(sync_session_open(&scene->session, NULL, scene->world, &scene->error),
                     ERROR_NONE);
    connect_again(scene);
    *state = scene;
    return 0;
}

static int open_scene(void **state)
{
    return open_scene_with(state, 0);
}

static int open_slow_scene(void **state)
{
    return open_scene_with(state, 2 * NS_PER_S);
}

static int close_scene(void **state)
{
    struct scene *scene = *state;
    sync_session_close(&scene->session);
    sim_free(scene->world);
    free(scene);
    return 0;
}

static bool is_among(const struct client_reply *reply, const char *name)
{
    size_t i = 0;
    while (i < reply->name_count && strcmp(reply->names[i], name) != 0)
        i++;
    return i < reply->name_count;
}

/* The list is there until the next one, whatever is asked between. */
TEST_BETWEEN(test_names_and_data_are_kept, open_scene, close_scene)
{
    struct scene *scene = *state;
    const struct sync_session *session = &scene->session;
    char data[4096];
    memset(data, 'x', sizeof data);
    data[7] = '\0'; /* any bytes */
    assert_int_equal(ask(scene, request_create("/a", "short", 5, PERSISTENT)), ZK_OK);
    assert_int_equal(ask(scene, request_create("/b", data, sizeof data, PERSISTENT)), ZK_OK);
    assert_int_equal(look(scene, OP_GET_CHILDREN, "/"), ZK_OK);
    struct client_reply list = session->reply;
    assert_int_equal(look(scene, OP_GET, "/a"), ZK_OK);
    assert_string_equal(session->value, "short");
    assert_int_equal(session->value_length, 5);
    assert_int_equal(look(scene, OP_GET, "/b"), ZK_OK);
    assert_int_equal(session->value_length, sizeof data);
    assert_memory_equal(session->value, data, sizeof data);
    assert_int_equal(session->value[sizeof data], '\0');
    assert_int_equal(look(scene, OP_GET, "/c"), ZK_NO_NODE);
    assert_string_equal(session->value, "");
    assert_int_equal(session->value_length, 0);
    assert_int_equal(list.name_count, 3);
    assert_true(is_among(&list, "a") && is_among(&list, "b") && is_among(&list, "zookeeper"));
    assert_int_equal(session->traffic.requests, 6);
}

/* After a second without a reply another request is sent, which wakes a server; each reply is told
 * from the other, and none is left. A write is answered sooner. */
TEST_BETWEEN(test_a_late_reply_is_asked_for, open_slow_scene, close_scene)
{
    struct scene *scene = *state;
    const struct sync_session *session = &scene->session;
    uint64_t began_ns = sim_now_ns(scene->world);
    assert_int_equal(look(scene, OP_EXISTS, "/a"), ZK_NO_NODE);
    assert_int_equal(session->traffic.requests, 2);
    assert_int_equal(session->traffic.writes, 0);
    assert_int_equal(session->client->outstanding, 0);
    assert_true(sim_now_ns(scene->world) - began_ns >= 4 * NS_PER_S);
    assert_int_equal(ask(scene, request_create("/a", "text", 4, PERSISTENT)), ZK_OK);
    assert_int_equal(session->traffic.requests, 3);
    assert_int_equal(look(scene, OP_GET, "/a"), ZK_OK);
    assert_int_equal(session->reply.operation, OP_GET);
    assert_string_equal(session->value, "text");
}

TEST_BETWEEN(test_waiting_ends_at_its_limit, open_scene, close_scene)
{
    struct scene *scene = *state;
    const struct sync_session_limit until = limit(scene);
    const bool never = false;
    assert_int_equal(sync_session_await(&scene->session, &never, &until, &scene->error),
                     ERROR_NO_ANSWER);
    assert_int_equal(sim_now_ns(scene->world), until.until_ns);
    assert_string_equal(scene->error.subject, "simulation");
    assert_string_equal(scene->error.detail, "nothing within 10 s");
}

static void interrupt(void *session)
{
    ((struct sync_session *)session)->interrupted = true;
}

TEST_BETWEEN(test_waiting_is_interrupted, open_scene, close_scene)
{
    struct scene *scene = *state;
    const struct sync_session_limit until = limit(scene);
    const uint64_t interrupt_ns = sim_now_ns(scene->world) + NS_PER_S;
    const bool never = false;
    sim_at(scene->world, interrupt_ns, interrupt, &scene->session);
    assert_int_equal(sync_session_await(&scene->session, &never, &until, &scene->error),
                     ERROR_INTERRUPTED);
    assert_int_equal(sim_now_ns(scene->world), interrupt_ns);
    assert_string_equal(scene->error.subject, "run");
}

/* The one that has expired says so when it is next used. */
TEST_BETWEEN(test_an_expired_session_is_followed_by_another, open_scene, close_scene)
{
    struct scene *scene = *state;
    struct sync_session *session = &scene->session;
    int64_t former = client_session_id(session->client);
    sim_expire(session->client);
    enum zk_status status = look(scene, OP_EXISTS, "/");
    assert_true(status == ZK_CONNECTION_LOSS || status == ZK_SESSION_EXPIRED);
    connect_again(scene);
    assert_int_not_equal(client_session_id(session->client), former);
    assert_int_equal(look(scene, OP_EXISTS, "/"), ZK_OK);
}

/* Its limit has passed; the other session is given its time from its own beginning on. */
TEST_BETWEEN(test_another_session_is_given_its_time, open_scene, close_scene)
{
    struct scene *scene = *state;
    struct sync_session *session = &scene->session;
    struct sync_session_limit past = {.why = "no session", .about = "left"};
    sim_expire(session->client);
    (void)look(scene, OP_EXISTS, "/");
    while (!session->settled)
        assert_true(sim_step(scene->world));
    assert_int_equal(session->state, CLIENT_EXPIRED);
    past.since_loss_ns = NS_PER_S;
    sim_at(scene->world, sim_now_ns(scene->world) + LIMIT_NS, interrupt, session);
    while (!session->interrupted)
        sim_step(scene->world);
    session->interrupted = false;
    assert_int_equal(sync_session_connect(session, past, &scene->error), ERROR_NONE);
    assert_int_equal(session->state, CLIENT_ESTABLISHED);
}
