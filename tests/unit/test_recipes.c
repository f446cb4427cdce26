// SPDX-License-Identifier: Apache-2.0
/* Recipes played by hand: the ways that neither a drain under lockstep takes nor the schedules and
 * deaths of test_schedules.c and test_deaths_at_any_step.c. */
#include "recipes/registry.h"
#include "tests/support/ignore.h"
#include "tests/support/test.h"

/* ------------------------------------------------------------------ without a server */

/* A recipe that runs without a server: a test checks each request and makes up its reply. */
struct script {
    struct client client;
    struct contender contender;
    const struct recipe *recipe;
    enum recipe_step step;
    bool releasing;
    unsigned requests;           /* so far */
    struct request request;      /* the last one; what it points to may be gone */
    char path[RECIPE_PATH_MAX];  /* of that request, or of its last part */
    char value[RECIPE_PATH_MAX]; /* of that request, or of its first part */
};

static void script_submit(struct client *client, const struct request *request)
{
    struct script *script = client->owner;
    script->requests++;
    script->request = *request;
    const struct request *first = request->part_count > 0 ? request->parts : request;
    snprintf(script->value, sizeof script->value, "%.*s", (int)first->value_length,
             first->value_length > 0 ? (const char *)first->value : "");
    snprintf(script->path, sizeof script->path, "%s",
             request->part_count > 0 ? request->parts[request->part_count - 1].path
                                     : request->path);
}

static uint64_t script_now_ns(const struct client *client)
{
    (void)client;
    return 0;
}

/* Its session's id. */
#define SCRIPT_SESSION INT64_C(0x100001234560007)

static int64_t script_session_id(const struct client *client)
{
    (void)client;
    return SCRIPT_SESSION;
}

static void script_resume(struct script *script)
{
    const struct recipe *recipe = script->recipe;
    script->client.outstanding = false;
    script->step = script->releasing ? recipe->release(&script->contender)
                                     : recipe->acquire(&script->contender);
}

/* Begins to acquire, or to release. */
static void script_begin(struct script *script, bool releasing)
{
    script->releasing = releasing;
    script->contender.resume_at = 0;
    script_resume(script);
}

/* Begins to acquire, as this one of the clients. */
static void script_init_as(struct script *script, const char *recipe, uint32_t number,
                           uint32_t clients)
{
    static const struct client_driver driver = {
        .submit = script_submit, .now_ns = script_now_ns, .session_id = script_session_id};
    static const struct client_listener listener = {.sent = ignore_sent};
    *script = (struct script){
        .client = {.driver = &driver, .listener = &listener, .owner = script},
        .contender = {.client = &script->client,
                      .lock = "/l",
                      .number = number,
                      .clients = clients},
        .recipe = registry_find(recipe),
    };
    contender_set_guid(&script->contender, UINT64_C(0x0123456789abcdef), UINT64_MAX);
    script_begin(script, false);
}

static void script_init(struct script *script, const char *recipe)
{
    script_init_as(script, recipe, 0, 1);
}

static void script_reply(struct script *script, const struct client_reply *reply)
{
    script->contender.status = reply->status;
    script->contender.reply = reply;
    script_resume(script);
    script->contender.reply = NULL;
}

/* Checks that this request waits for its reply, and replies with a status alone. */
static void script_answer(struct script *script, enum operation operation, const char *path,
                          enum zk_status status)
{
    assert_int_equal(script->step, STEP_REPLY);
    assert_int_equal(script->request.operation, operation);
    assert_string_equal(script->path, path);
    script_reply(script, &(struct client_reply){.status = status});
}

/* Replies to a create: this is the znode's path. */
static void script_created(struct script *script, const char *path)
{
    assert_int_equal(script->step, STEP_REPLY);
    assert_int_equal(script->request.operation, OP_CREATE);
    script_reply(script, &(struct client_reply){.path = path});
}

#define NAMES(...) ((const char *const[]){__VA_ARGS__, NULL})

/* Replies to getChildren of this znode with these names, up to NULL. */
static void script_listed(struct script *script, const char *folder, const char *const names[])
{
    struct client_reply reply = {.names = names};
    while (names[reply.name_count] != NULL)
        reply.name_count++;
    assert_int_equal(script->step, STEP_REPLY);
    assert_int_equal(script->request.operation, OP_GET_CHILDREN);
    assert_string_equal(script->path, folder);
    script_reply(script, &reply);
}

/* Replies to getData of this znode with this data. */
static void script_data(struct script *script, const char *path, const char *value)
{
    assert_int_equal(script->step, STEP_REPLY);
    assert_int_equal(script->request.operation, OP_GET);
    assert_string_equal(script->path, path);
    script_reply(script, &(struct client_reply){.value = value, .value_length = strlen(value)});
}

/* Checks that the recipe waits for the deletion of this znode, and delivers that event. */
static void script_gone(struct script *script, const char *path)
{
    assert_int_equal(script->step, STEP_WATCH);
    assert_true(contender_wakes(&script->contender, EVENT_DELETED, path));
    script_resume(script);
}

/* ------------------------------------------------------------------ the ways */

static struct script script;

TEST(test_the_last_ticket_left_holds)
{
    script_init(&script, "ticket");
    script_created(&script, "/l/queue/t-0000000007");
    script_data(&script, "/l/turn", "66"); /* a number that ours begins */
    script_answer(&script, OP_GET, "/l/queue/t-0000000006", ZK_NO_NODE);
    script_data(&script, "/l/turn", "-6");
    script_listed(&script, "/l/queue", NAMES("t-0000000008", "t-0000000007"));
    assert_int_equal(script.step, STEP_DONE);
}

TEST(test_tickets_go_on_behind_the_last_number)
{
    script_init(&script, "ticket");
    script_created(&script, "/l/queue/t--2147483648");
    script_data(&script, "/l/turn", "2147483646");
    script_answer(&script, OP_GET, "/l/queue/t-2147483647", ZK_OK);
    script_gone(&script, "/l/queue/t-2147483647");
    script_data(&script, "/l/turn", "2147483647");
    assert_int_equal(script.step, STEP_DONE);
    script_begin(&script, true);
    assert_string_equal(script.value, "-2147483648");
}

TEST(test_polling_asks_after_a_pause)
{
    script_init(&script, "poll");
    script_answer(&script, OP_CREATE, "/l/f", ZK_NODE_EXISTS);
    for (unsigned i = 0; i < 3; i++) {
        assert_int_equal(script.step, STEP_PAUSE);
        assert_int_equal(script.contender.pause_ns, 10000000);
        script_resume(&script);
        assert_int_equal(script.request.watch, NO_WATCH);
        script_answer(&script, OP_EXISTS, "/l/f", i < 2 ? ZK_OK : ZK_NO_NODE);
    }
    script_answer(&script, OP_CREATE, "/l/f", ZK_OK);
    assert_int_equal(script.step, STEP_DONE);
}

#define GUID "_c_01234567-89ab-4def-bfff-ffffffffffff-lock-"

/* A CREATE's reply is lost, and so are those of the list behind it; the znode is there, behind the
 * counter's wrap. */
TEST(test_a_znode_is_found_by_its_guid)
{
    script_init(&script, "scalable-guid");
    script_answer(&script, OP_CREATE, "/l/" GUID, ZK_CONNECTION_LOSS);
    script_answer(&script, OP_GET_CHILDREN, "/l", ZK_CONNECTION_LOSS);
    script_answer(&script, OP_GET_CHILDREN, "/l", ZK_CONNECTION_LOSS);
    script_listed(&script, "/l",
                  NAMES("_c_01234567-89ab-4def-bfff-fffffffffffe-lock-2147483647",
                        GUID "-2147483648", "lock-0000000001"));
    assert_string_equal(script.contender.node, "/l/" GUID "-2147483648");
    assert_int_equal(script.contender.sequence, INT32_MIN);
    script_listed(&script, "/l", NAMES(GUID "-2147483648"));
    assert_int_equal(script.step, STEP_DONE);
}

/* Whatever is lost, and each time twice: the second retry waits. */
TEST(test_writelock_retries)
{
    const char *own = "/l/x-72057672225390599-";
    script_init(&script, "writelock");
    script_answer(&script, OP_EXISTS, "/l", ZK_CONNECTION_LOSS);
    script_answer(&script, OP_EXISTS, "/l", ZK_CONNECTION_LOSS);
    assert_int_equal(script.step, STEP_PAUSE);
    assert_int_equal(script.contender.pause_ns, 500000000);
    script_resume(&script);
    script_answer(&script, OP_EXISTS, "/l", ZK_NO_NODE);
    script_answer(&script, OP_CREATE, "/l", ZK_OK);
    script_listed(&script, "/l", NAMES("x-7-0000000000"));
    script_answer(&script, OP_CREATE, own, ZK_CONNECTION_LOSS);
    script_answer(&script, OP_GET_CHILDREN, "/l", ZK_CONNECTION_LOSS);
    assert_int_equal(script.step, STEP_PAUSE);
    script_resume(&script);
    /* It had been made. From here on it is known. */
    script_listed(&script, "/l", NAMES("x-7-0000000000", "x-72057672225390599-0000000001"));
    assert_string_equal(script.contender.node, "/l/x-72057672225390599-0000000001");
    script_answer(&script, OP_GET_CHILDREN, "/l", ZK_CONNECTION_LOSS);
    assert_int_equal(script.step, STEP_PAUSE);
    assert_int_equal(script.contender.pause_ns, 1000000000);
    script_resume(&script);
    script_listed(&script, "/l", NAMES("x-7-0000000000", "x-72057672225390599-0000000001"));
    /* Gone between the list and the look: as shipped it would sleep here for ever. */
    script_answer(&script, OP_EXISTS, "/l/x-7-0000000000", ZK_NO_NODE);
    script_listed(&script, "/l", NAMES("x-72057672225390599-0000000001"));
    assert_int_equal(script.step, STEP_DONE);
}

TEST(test_writelock_gives_up_after_ten_attempts)
{
    script_init(&script, "writelock");
    script_answer(&script, OP_EXISTS, "/l", ZK_OK);
    for (unsigned i = 0; i < 10; i++) {
        if (script.step == STEP_PAUSE)
            script_resume(&script);
        script_answer(&script, OP_GET_CHILDREN, "/l", ZK_CONNECTION_LOSS);
    }
    assert_int_equal(script.step, STEP_FAILED);
}

#define OWN "x-0100001234560007-"

/* The trap of the shipped recipe: a predecessor that goes at the wrong time costs the place in
 * line.
 */
TEST(test_zoolock_queues_again_behind_a_gone_predecessor)
{
    script_init(&script, "zoolock");
    script_answer(&script, OP_EXISTS, "/l", ZK_OK);
    script_listed(&script, "/l", NAMES("x-7-0000000000"));
    script_created(&script, "/l/" OWN "0000000001");
    script_listed(&script, "/l", NAMES("x-7-0000000000", OWN "0000000001"));
    script_answer(&script, OP_EXISTS, "/l/x-7-0000000000", ZK_NO_NODE);
    script_answer(&script, OP_DELETE, "/l/" OWN "0000000001", ZK_OK);
    script_listed(&script, "/l", NAMES("x-8-0000000002"));
    script_created(&script, "/l/" OWN "0000000003");
    script_listed(&script, "/l", NAMES(OWN "0000000003", "x-8-0000000002"));
    script_answer(&script, OP_EXISTS, "/l/x-8-0000000002", ZK_OK);
    script_gone(&script, "/l/x-8-0000000002");
    script_answer(&script, OP_EXISTS, "/l", ZK_OK);
    script_listed(&script, "/l", NAMES(OWN "0000000003"));
    script_listed(&script, "/l", NAMES(OWN "0000000003"));
    assert_int_equal(script.step, STEP_DONE);
}

TEST(test_what_is_no_number_is_not_counted_on)
{
    static const char *const values[] = {"", "x", "4x", "123456789012345678901234"};
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        script_init(&script, "counter");
        script_data(&script, "/l/counter", values[i]);
        assert_int_equal(script.step, STEP_FAILED);
    }
}

/* After 2147483647 comes -2147483648. */
TEST(test_writers_are_told_apart_behind_the_last_number)
{
    script_init_as(&script, "rwlock", 1, 8);
    script_created(&script, "/l/read--2147483647");
    script_listed(
        &script, "/l",
        NAMES("write-2147483647", "write--2147483648", "write--2147483646", "read--2147483647"));
    script_answer(&script, OP_EXISTS, "/l/write--2147483648", ZK_OK);
}

/* ------------------------------------------------------------------ another event than was awaited
 */

/* It takes a predecessor's end for certain: nothing less will do. */
TEST(test_walkback_looks_again_at_what_has_only_changed)
{
    script_init(&script, "walkback");
    script_created(&script, "/l/lock-0000000001");
    script_answer(&script, OP_EXISTS, "/l", ZK_OK);
    for (int i = 0; i < 2; i++)
        script_listed(&script, "/l", NAMES("lock-0000000000", "lock-0000000001"));
    script_answer(&script, OP_EXISTS, "/l/lock-0000000000", ZK_OK);
    assert_int_equal(script.step, STEP_WATCH);
    assert_true(contender_wakes(&script.contender, EVENT_CHANGED, "/l/lock-0000000000"));
    script_resume(&script);
    script_answer(&script, OP_EXISTS, "/l/lock-0000000000", ZK_OK);
    script_gone(&script, "/l/lock-0000000000");
    assert_int_equal(script.step, STEP_DONE);
}

TEST(test_a_barrier_is_entered_at_its_completion_alone)
{
    script_init_as(&script, "barrier", 0, 2);
    script_created(&script, "/l/p-0000000000");
    script_listed(&script, "/l", NAMES("p-0000000000"));
    script_answer(&script, OP_EXISTS, "/l/ready", ZK_NO_NODE);
    assert_true(contender_wakes(&script.contender, EVENT_DELETED, "/l/ready"));
    script_resume(&script);
    script_answer(&script, OP_EXISTS, "/l/ready", ZK_NO_NODE);
    assert_true(contender_wakes(&script.contender, EVENT_CREATED, "/l/ready"));
    script_resume(&script);
    assert_int_equal(script.step, STEP_DONE);
}
