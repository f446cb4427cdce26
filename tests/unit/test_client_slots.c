// SPDX-License-Identifier: Apache-2.0
/* Operations outstanding and their replies, of a session that is driven by hand. */

#include "client/client.h"

#include "tests/support/test.h"

static struct client client;
static uint64_t time_ns;
static struct client_reply last;
static unsigned replies, refused_at; /* the request with so many outstanding is refused */

static void submit(struct client *submitted_to, const struct request *request)
{
    (void)request;
    if (submitted_to->outstanding == refused_at)
        client_refuse(submitted_to, ZK_OTHER_ERROR);
}

static uint64_t now_ns(const struct client *asked)
{
    (void)asked;
    return time_ns;
}

static void sent(void *owner, enum operation operation)
{
    (void)owner;
    (void)operation;
}

static void replied(void *owner, const struct client_reply *reply)
{
    (void)owner;
    last = *reply;
    replies++;
}

static void begin(uint32_t depth)
{
    static const struct client_driver driver = {.submit = submit, .now_ns = now_ns};
    static const struct client_listener listener = {.sent = sent, .replied = replied};
    struct error error;
    client = (struct client){.driver = &driver, .listener = &listener};
    time_ns = replies = refused_at = 0;
    assert_int_equal(client_init(&client, depth, &error), ERROR_NONE);
}

FIXTURE(end)
{
    client_deinit(&client);
    return 0;
}

static void ask(uint64_t tag)
{
    const struct request request = request_delete("/a");
    time_ns = tag * 1000;
    assert_true(client_can_submit(&client));
    client_submit(&client, &request, tag);
}

static void answer(uint64_t tag, uint64_t at_ns)
{
    struct client_reply reply = {.status = ZK_OK};
    time_ns = at_ns;
    client_deliver_reply(&client, &reply);
    assert_int_equal(last.tag, tag);
    assert_int_equal(last.operation, OP_DELETE);
    assert_int_equal(last.latency_ns, at_ns - tag * 1000);
}

/* The ring goes round several times, and each latency is from its own request on. */
TEST_BETWEEN(test_replies_bring_back_tags_and_times, NULL, end)
{
    static const uint32_t depths[] = {1, 2, 3, 100};
    for (size_t i = 0; i < sizeof depths / sizeof depths[0]; i++) {
        uint64_t asked = 0, answered = 0;
        begin(depths[i]);
        while (answered < 1000) {
            while (asked - answered < depths[i])
                ask(asked++);
            assert_false(client_can_submit(&client));
            for (uint32_t left = 1 + (uint32_t)(answered % depths[i]); left > 0; left--) {
                answer(answered, asked * 1000 + 7);
                answered++;
            }
            assert_int_equal(client.outstanding, asked - answered);
        }
        client_deinit(&client);
    }
}

/* Not before those that are older, and no later than the next. */
TEST_BETWEEN(test_what_was_refused_is_answered_in_turn, NULL, end)
{
    begin(4);
    refused_at = 2;
    ask(1);
    ask(2);
    ask(3);
    assert_false(client_deliver_refused(&client));
    answer(1, 9000);
    assert_true(client_deliver_refused(&client));
    assert_int_equal(last.tag, 2);
    assert_int_equal(last.status, ZK_OTHER_ERROR);
    assert_int_equal(last.latency_ns, 7000);
    assert_false(client_deliver_refused(&client));
    answer(3, 9000);
    assert_int_equal(replies, 3);
    assert_int_equal(client.outstanding, 0);
    assert_false(client_deliver_refused(&client));
}
