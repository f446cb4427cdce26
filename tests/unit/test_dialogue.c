// SPDX-License-Identifier: Apache-2.0
/* A dialogue with a simulated server: what it keeps of replies, how long it waits, and that a
 * session which has expired is followed by another. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/clock.h"
#include "trial/dialogue.h"

#include <stdlib.h>
#include <string.h>

#define LIMIT_NS (10 * NS_PER_S)

/* Of this size nothing is given; 0: all is. */
static size_t refused_size;

void *__real_malloc(size_t size);
void *__wrap_malloc(size_t size);

void *__wrap_malloc(size_t size)
{
    return size == refused_size && size > 0 ? NULL : __real_malloc(size);
}

struct scene {
    struct simulated *world;
    struct dialogue dialogue;
    struct fault fault;
};

static struct dialogue_limit limit(const struct scene *scene)
{
    return (struct dialogue_limit){.until_ns = simulated_now_ns(scene->world) + LIMIT_NS,
                                   .why = "nothing within",
                                   .about = "10 s"};
}

static void connect_again(struct scene *scene)
{
    assert_int_equal(dialogue_connect(&scene->dialogue, limit(scene), &scene->fault), FAULT_NONE);
    assert_int_equal(scene->dialogue.state, CLIENT_ESTABLISHED);
}

static enum zk_status ask(struct scene *scene, struct client_request request)
{
    const struct dialogue_limit until = limit(scene);
    assert_int_equal(dialogue_ask(&scene->dialogue, &request, &until, &scene->fault), FAULT_NONE);
    return scene->dialogue.reply.status;
}

static enum zk_status look(struct scene *scene, enum client_operation operation, const char *path)
{
    return ask(scene, (struct client_request){.operation = operation, .path = path});
}

static int open_scene(void **state)
{
    const struct simulated_options options = simulated_options_default();
    struct scene *scene = calloc(1, sizeof *scene);
    assert_non_null(scene);
    assert_int_equal(simulated_new(&options, &scene->world, &scene->fault), FAULT_NONE);
    assert_int_equal(dialogue_open_simulated(&scene->dialogue, "test", scene->world, &scene->fault),
                     FAULT_NONE);
    connect_again(scene);
    *state = scene;
    return 0;
}

static int close_scene(void **state)
{
    struct scene *scene = *state;
    dialogue_close(&scene->dialogue);
    simulated_free(scene->world);
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
static void test_names_and_data_are_kept(void **state)
{
    struct scene *scene = *state;
    const struct dialogue *dialogue = &scene->dialogue;
    char data[DIALOGUE_VALUE_MAX + 30];
    memset(data, 'x', sizeof data);
    data[7] = '\0'; /* any bytes */
    assert_int_equal(ask(scene, op_create("/a", "short", 5, PERSISTENT)), ZK_OK);
    assert_int_equal(ask(scene, op_create("/b", data, sizeof data, PERSISTENT)), ZK_OK);
    assert_int_equal(look(scene, CLIENT_GET_CHILDREN, "/"), ZK_OK);
    struct client_reply list = dialogue->reply;
    assert_int_equal(look(scene, CLIENT_GET, "/a"), ZK_OK);
    assert_string_equal(dialogue->value, "short");
    assert_int_equal(dialogue->value_length, 5);
    assert_int_equal(look(scene, CLIENT_GET, "/b"), ZK_OK);
    assert_int_equal(dialogue->value_length, DIALOGUE_VALUE_MAX);
    assert_memory_equal(dialogue->value, data, DIALOGUE_VALUE_MAX);
    assert_int_equal(dialogue->value[DIALOGUE_VALUE_MAX], '\0');
    assert_int_equal(look(scene, CLIENT_GET, "/c"), ZK_NO_NODE);
    assert_string_equal(dialogue->value, "");
    assert_int_equal(dialogue->value_length, 0);
    assert_int_equal(list.name_count, 3);
    assert_true(is_among(&list, "a") && is_among(&list, "b") && is_among(&list, "zookeeper"));
    assert_int_equal(dialogue->requests, 6);
}

/* What says that there are names must have them. */
static void test_names_without_memory_are_a_fault(void **state)
{
    static const char name[] = "zookeeper"; /* the only child of the root */
    struct scene *scene = *state;
    struct dialogue *dialogue = &scene->dialogue;
    const struct dialogue_limit until = limit(scene);
    const struct client_request list = {.operation = CLIENT_GET_CHILDREN, .path = "/"};
    refused_size = sizeof *dialogue->names + sizeof name + 1;
    enum fault_kind kind = dialogue_ask(dialogue, &list, &until, &scene->fault);
    refused_size = 0;
    assert_int_equal(kind, FAULT_NO_MEMORY);
    assert_null(dialogue->reply.names);
    assert_int_equal(dialogue->reply.name_count, 0);
    assert_int_equal(look(scene, CLIENT_GET_CHILDREN, "/"), ZK_OK);
    assert_true(dialogue->reply.name_count == 1 && is_among(&dialogue->reply, name));
}

static void test_waiting_ends_at_its_limit(void **state)
{
    struct scene *scene = *state;
    const struct dialogue_limit until = limit(scene);
    const bool never = false;
    assert_int_equal(dialogue_await(&scene->dialogue, &never, &until, &scene->fault),
                     FAULT_NO_ANSWER);
    assert_int_equal(simulated_now_ns(scene->world), until.until_ns);
    assert_string_equal(scene->fault.subject, "simulation");
    assert_string_equal(scene->fault.detail, "nothing within 10 s");
}

static void interrupt(void *dialogue)
{
    ((struct dialogue *)dialogue)->interrupted = true;
}

static void test_waiting_is_interrupted(void **state)
{
    struct scene *scene = *state;
    const struct dialogue_limit until = limit(scene);
    const uint64_t interrupt_ns = simulated_now_ns(scene->world) + NS_PER_S;
    const bool never = false;
    simulated_at(scene->world, interrupt_ns, interrupt, &scene->dialogue);
    assert_int_equal(dialogue_await(&scene->dialogue, &never, &until, &scene->fault),
                     FAULT_INTERRUPTED);
    assert_int_equal(simulated_now_ns(scene->world), interrupt_ns);
    assert_string_equal(scene->fault.subject, "test");
}

static void test_a_watch_is_heard(void **state)
{
    struct scene *scene = *state;
    struct dialogue *dialogue = &scene->dialogue;
    const struct dialogue_limit until = limit(scene);
    const struct client_request question = {
        .operation = CLIENT_EXISTS, .path = "/a", .watch = WATCH};
    assert_int_equal(ask(scene, question), ZK_NO_NODE);
    assert_false(dialogue->changed);
    assert_int_equal(ask(scene, op_create("/a", NULL, 0, PERSISTENT)), ZK_OK);
    assert_int_equal(dialogue_await(dialogue, &dialogue->changed, &until, &scene->fault),
                     FAULT_NONE);
    assert_false(dialogue->lost);
}

/* The one that has expired says so when it is next used, and that what has changed was not heard.
 */
static void test_an_expired_session_is_followed_by_another(void **state)
{
    struct scene *scene = *state;
    struct dialogue *dialogue = &scene->dialogue;
    int64_t former = client_session_id(dialogue->client);
    simulated_expire(dialogue->client);
    enum zk_status status = look(scene, CLIENT_EXISTS, "/");
    assert_true(status == ZK_CONNECTION_LOSS || status == ZK_SESSION_EXPIRED);
    connect_again(scene);
    assert_int_not_equal(client_session_id(dialogue->client), former);
    assert_true(dialogue->lost && dialogue->changed);
    assert_int_equal(look(scene, CLIENT_EXISTS, "/"), ZK_OK);
}

/* Its limit has passed; the other session is given its time from its own beginning on. */
static void test_another_session_is_given_its_time(void **state)
{
    struct scene *scene = *state;
    struct dialogue *dialogue = &scene->dialogue;
    struct dialogue_limit past = {.why = "no session", .about = "left"};
    simulated_expire(dialogue->client);
    (void)look(scene, CLIENT_EXISTS, "/");
    while (!dialogue->settled)
        assert_true(simulated_step(scene->world));
    assert_int_equal(dialogue->state, CLIENT_EXPIRED);
    past.since_loss_ns = NS_PER_S;
    simulated_at(scene->world, simulated_now_ns(scene->world) + LIMIT_NS, interrupt, dialogue);
    while (!dialogue->interrupted)
        simulated_step(scene->world);
    dialogue->interrupted = false;
    assert_int_equal(dialogue_connect(dialogue, past, &scene->fault), FAULT_NONE);
    assert_int_equal(dialogue->state, CLIENT_ESTABLISHED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_names_and_data_are_kept, open_scene, close_scene),
        cmocka_unit_test_setup_teardown(test_names_without_memory_are_a_fault, open_scene,
                                        close_scene),
        cmocka_unit_test_setup_teardown(test_waiting_ends_at_its_limit, open_scene, close_scene),
        cmocka_unit_test_setup_teardown(test_waiting_is_interrupted, open_scene, close_scene),
        cmocka_unit_test_setup_teardown(test_a_watch_is_heard, open_scene, close_scene),
        cmocka_unit_test_setup_teardown(test_an_expired_session_is_followed_by_another, open_scene,
                                        close_scene),
        cmocka_unit_test_setup_teardown(test_another_session_is_given_its_time, open_scene,
                                        close_scene),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
