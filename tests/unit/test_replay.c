// SPDX-License-Identifier: Apache-2.0
/* What a replay is made of: the fields of messages, paths and names below another root, which
 * requests go before others, and which znodes a recording presupposes. */
#include "relay/order.h"
#include "relay/prior.h"
#include "relay/rename.h"
#include "wire/fields.h"

#include "base/random.h"

#include "tests/support/messages.h"
#include "tests/support/test.h"

#include <unistd.h>

static int set_up(void **state)
{
    (void)state;
    messages_count = 0;
    return 0;
}

/* ------------------------------------------------------------------ fields */

static const unsigned char *next_byte;
static char letters[BYTES_MOST];
static size_t letter_count;

static void take_field(void *context, char letter, const unsigned char *bytes, size_t count)
{
    (void)context;
    assert_ptr_equal(bytes, next_byte);
    assert_true(count > 0);
    next_byte += count;
    letters[letter_count++] = letter;
}

static void walk(enum fields_kind kind, enum opcode opcode, const void *bytes, size_t count)
{
    const struct fields_message message = {kind, opcode, bytes, count, count};
    next_byte = bytes;
    letter_count = 0;
    fields_walk(&message, take_field, NULL);
    letters[letter_count] = '\0';
    assert_ptr_equal(next_byte, (const unsigned char *)bytes + count);
}

static void assert_fields(enum fields_kind kind, enum opcode opcode, const char *expected)
{
    const struct message *message = &messages[messages_count - 1];
    walk(kind, opcode, message->bytes + 4, message->count - 4);
    assert_string_equal(letters, expected);
}

TEST_BETWEEN(fields_are_those_of_the_record, set_up, NULL)
{
    messages_open(77);
    assert_fields(FIELDS_SERVER_OPENING, 0, "htokw");
    messages_say(CLIENT, "ililsf", 0, 5, 30000, 0, "0123456789abcdef", 0);
    assert_fields(FIELDS_CLIENT_OPENING, 0, "hztokw");
    messages_say(CLIENT, "iissai", 1, 1, "/l/q-", "me", 3);
    assert_fields(FIELDS_REQUEST, 0, "hpdcPsIn");
    messages_say(SERVER, "ilisS", 6, 11, 0, "x");
    assert_fields(FIELDS_REPLY, OPCODE_GET_DATA, "hdS");
    messages_say(CLIENT, "iilisisisii", -8, 105, 12, 1, "/a", 1, "/b", 1, "/c", 0, 0);
    assert_fields(FIELDS_REQUEST, 0, "hlcvcvcvcc");
    messages_say(CLIENT, "iiifissiifi", 32, 14, 5, 0, -1, "/m", "data", -1, -1, 1, -1);
    assert_fields(FIELDS_REQUEST, 0, "hhpdnh");
    messages_say(SERVER, "iliifii", 11, 15, 0, -1, 0, -101, -101);
    assert_fields(FIELDS_REPLY, OPCODE_MULTI, "hhn");
    messages_say(SERVER, "iliiis", -1, -1, 0, 3, 3, "/l/b");
    assert_fields(FIELDS_NOTIFICATION, 0, "hp");
    messages_say(CLIENT, "iis", 2, 999, "later");
    assert_fields(FIELDS_REQUEST, 0, "h?");
    messages_say(SERVER, "ilis", 2, 9, -101, "why");
    assert_fields(FIELDS_REPLY, OPCODE_GET_DATA, "h?");
    messages_say(CLIENT, "iii", 2, 4, 100);
    assert_fields(FIELDS_REQUEST, 0, "h?");
}

/* Whatever they are. */
TEST(every_byte_is_in_one_field)
{
    unsigned char *bytes = malloc(64);
    struct random random;
    random_init(&random, 1);
    for (int round = 0; round < 200000; round++) {
        size_t count = random_next(&random) % 64;
        for (size_t i = 0; i < count; i++)
            bytes[i] = (unsigned char)(random_next(&random) % 4 > 0 ? 0 : random_next(&random));
        walk((enum fields_kind)(round % 5), (enum opcode)(round % OPCODES), bytes, count);
    }
    free(bytes);
}

/* ------------------------------------------------------------------ names */

static struct rename_target target;
static struct rename_message renamed;

static int tear_down_names(void **state)
{
    (void)state;
    rename_free(&target.names);
    free(renamed.bytes);
    renamed = (struct rename_message){0};
    return 0;
}

static int set_up_names(void **state)
{
    target = (struct rename_target){.root = "/new", .speed_percent = 200};
    return set_up(state);
}

/* The last message said, renamed, is the one that these fields make. */
static void assert_renamed(enum fields_kind kind, enum opcode opcode, bool is_settled)
{
    const struct message *message = &messages[messages_count - 2],
                         *expected = &messages[messages_count - 1];
    const struct rename_session session = {
        .number = 99, .password = "abc", .password_length = 3, .zxid = 1234};
    const struct fields_message fields = {kind, opcode, message->bytes + 4, message->count - 4,
                                          message->count - 4};
    assert_int_equal(rename_message(&target, &session, &fields, &renamed), is_settled);
    assert_int_equal(renamed.count, expected->count);
    assert_memory_equal(renamed.bytes, expected->bytes, expected->count);
}

TEST_BETWEEN(paths_are_below_the_root, set_up_names, tear_down_names)
{
    static const char *const paths[][2] = {
        {"/a/b", "/new/a/b"}, {"/", "/new"}, {"a", "a"}, {"", ""}};
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
        messages_say(CLIENT, "iisf", 5, 3, paths[i][0], 1);
        messages_say(CLIENT, "iisf", 5, 3, paths[i][1], 1);
        assert_renamed(FIELDS_REQUEST, OPCODE_EXISTS, true);
    }
    messages_say(CLIENT, "iiifissiifi", 3, 14, 5, 0, -1, "/m", "d", -1, -1, 1, -1);
    messages_say(CLIENT, "iiifissiifi", 3, 14, 5, 0, -1, "/new/m", "d", -1, -1, 1, -1);
    assert_renamed(FIELDS_REQUEST, OPCODE_MULTI, true);
}

TEST_BETWEEN(openings_and_watches_are_of_the_session_now, set_up_names, tear_down_names)
{
    messages_say(CLIENT, "ililsf", 0, 5, 30000, 77, "0123456789abcdef", 0);
    messages_say(CLIENT, "ililsf", 0, 1234, 15000, 99, "abc", 0);
    assert_renamed(FIELDS_CLIENT_OPENING, OPCODE_OTHER, true);
    messages_say(CLIENT, "iilisii", -8, 101, 12, 1, "/a", 0, 0);
    messages_say(CLIENT, "iilisii", -8, 101, 1234, 1, "/new/a", 0, 0);
    assert_renamed(FIELDS_REQUEST, OPCODE_SET_WATCHES, true);
    /* The time to live of a znode stays. */
    messages_say(CLIENT, "iisnail", 2, 21, "/l/t", 5, 900);
    messages_say(CLIENT, "iisnail", 2, 21, "/new/l/t", 5, 900);
    assert_renamed(FIELDS_REQUEST, OPCODE_CREATE_TTL, true);
}

TEST_BETWEEN(an_acl_gives_everybody_all_permissions, set_up_names, tear_down_names)
{
    messages_say(CLIENT, "iisiissi", 9, 7, "/l", 1, 1, "digest", "me:hash", -1);
    messages_say(CLIENT, "iisai", 9, 7, "/new/l", -1);
    assert_renamed(FIELDS_REQUEST, OPCODE_SET_ACL, true);
}

TEST_BETWEEN(sequential_names_wait_until_they_are_settled, set_up_names, tear_down_names)
{
    rename_add(&target.names, "/q/n-3", 6);
    rename_settle(&target.names, "/q/n-30", 7, "/no", 3); /* not added */
    messages_say(CLIENT, "iisi", 5, 2, "/q/n-3/x", -1);
    messages_say(CLIENT, "iisi", 5, 2, "/new/q/n-3/x", -1);
    assert_renamed(FIELDS_REQUEST, OPCODE_DELETE, false);
    messages_say(CLIENT, "iisi", 5, 2, "/q/n-30", -1);
    messages_say(CLIENT, "iisi", 5, 2, "/new/q/n-30", -1);
    assert_renamed(FIELDS_REQUEST, OPCODE_DELETE, true);
    rename_settle(&target.names, "/q/n-3", 6, "/q/n-0007 and more", 9);
    messages_say(CLIENT, "iisi", 5, 2, "/q/n-3/x", -1);
    messages_say(CLIENT, "iisi", 5, 2, "/new/q/n-0007/x", -1);
    assert_renamed(FIELDS_REQUEST, OPCODE_DELETE, true);
}

/* ------------------------------------------------------------------ order */

static path_tree places;
static uint64_t moment;

static void add(struct order_request *request, enum opcode opcode, const char *path)
{
    const struct message_request message = {
        .opcode = opcode, .record = {.path = {path, path != NULL ? strlen(path) : 0}}};
    *request = (struct order_request){.asked = ++moment};
    order_add(&places, request, &message);
}

/* Whether the second waits for the first, which is not sent. */
static bool follows(enum opcode first, const char *first_path, enum opcode second,
                    const char *second_path)
{
    struct order_request earlier, later;
    add(&earlier, first, first_path);
    add(&later, second, second_path);
    bool waits = order_waits(&later);
    assert_false(order_waits(&earlier));
    order_remove(&earlier);
    assert_false(order_waits(&later));
    order_remove(&later);
    order_free(&places);
    return waits;
}

TEST(requests_about_the_same_znodes_keep_their_order)
{
    static const struct {
        enum opcode first, second;
        const char *first_path, *second_path;
        bool follows;
    } pairs[] = {
        {OPCODE_CREATE, OPCODE_DELETE, "/a", "/a", true},
        {OPCODE_CREATE, OPCODE_EXISTS, "/a", "/a", true},
        {OPCODE_EXISTS, OPCODE_DELETE, "/a", "/a", true},
        {OPCODE_SET_DATA, OPCODE_SET_DATA, "/a", "/a", true},
        {OPCODE_EXISTS, OPCODE_GET_DATA, "/a", "/a", false},
        {OPCODE_CREATE, OPCODE_DELETE, "/a", "/b", false},
        {OPCODE_CREATE, OPCODE_CREATE, "/d", "/d/a", true},
        {OPCODE_DELETE, OPCODE_DELETE, "/d/a", "/d", true},
        {OPCODE_CREATE, OPCODE_GET_CHILDREN, "/d/a", "/d", true},
        {OPCODE_GET_CHILDREN, OPCODE_DELETE, "/d", "/d/a", true},
        {OPCODE_CREATE, OPCODE_CREATE, "/d/a", "/d/b", false},
        {OPCODE_SET_DATA, OPCODE_GET_CHILDREN, "/d/a", "/d", false},
        {OPCODE_CREATE, OPCODE_CREATE, "/d/a", "/d/a/b/c", false},
        {OPCODE_PING, OPCODE_CLOSE, NULL, NULL, false},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++)
        assert_int_equal(
            follows(pairs[i].first, pairs[i].first_path, pairs[i].second, pairs[i].second_path),
            pairs[i].follows);
}

TEST(a_request_that_overlapped_waits_for_the_sending_alone)
{
    struct order_request earlier, later;
    add(&earlier, OPCODE_DELETE, "/a");
    add(&later, OPCODE_EXISTS, "/a");
    assert_true(order_waits(&later));
    earlier.answered = ++moment;
    assert_true(order_waits(&later));
    earlier.sent = true;
    assert_false(order_waits(&later));
    order_remove(&earlier);
    order_remove(&later);
    /* One that was answered before is awaited until it is answered. */
    add(&earlier, OPCODE_DELETE, "/a");
    earlier.answered = ++moment;
    earlier.sent = true;
    add(&later, OPCODE_EXISTS, "/a");
    assert_true(order_waits(&later));
    order_remove(&earlier);
    assert_false(order_waits(&later));
    order_remove(&later);
    order_free(&places);
}

/* ------------------------------------------------------------------ what was there before */

static struct prior prior;
static char path[64];

static int set_up_prior(void **state)
{
    snprintf(path, sizeof path, "/tmp/test_replay.%d", (int)getpid());
    (void)unlink(path);
    return set_up(state);
}

static int tear_down_prior(void **state)
{
    (void)state;
    prior_deinit(&prior);
    (void)unlink(path);
    return 0;
}

/* Records what was said on one connection, and reads it. */
static void read_prior(void)
{
    static const struct conversation_listener *const listener = &traffic_listener;
    struct traffic traffic;
    struct conversation conversation;
    struct recorder *recorder;
    struct error error;
    traffic_init(&traffic);
    conversation_init(&conversation, listener, &traffic);
    assert_int_equal(recorder_new(path, false, &recorder, &error), ERROR_NONE);
    recorder_begin(recorder, 1000);
    conversation.copies = recorder_copies(recorder);
    for (size_t i = 0; i < messages_count; i++)
        conversation_feed(&conversation, messages[i].from, messages[i].bytes, messages[i].count,
                          1000 + i);
    assert_null(conversation.unreadable);
    recorder_ended(recorder, &conversation, 2000);
    assert_int_equal(recorder_end(recorder, true, &error), ERROR_NONE);
    conversation_deinit(&conversation);
    traffic_deinit(&traffic);
    assert_int_equal(prior_read(&prior, path, &error), ERROR_NONE);
}

static void assert_znodes(const char *const expected[])
{
    size_t count = 0;
    for (; expected[count] != NULL; count++) {
        assert_true(count < prior.znode_count);
        assert_string_equal(prior.znodes[count], expected[count]);
    }
    assert_int_equal(prior.znode_count, count);
}
#define ASSERT_ZNODES(...) assert_znodes((const char *const[]){__VA_ARGS__, NULL})

static void exchange(int xid, int operation, const char *asked, int error)
{
    if (operation == 1)
        messages_say(CLIENT, "iisnai", xid, 1, asked, 0);
    else if (operation == 2)
        messages_say(CLIENT, "iisi", xid, 2, asked, -1);
    else
        messages_say(CLIENT, "iisf", xid, 3, asked, 0);
    if (error != 0 || operation == 2)
        messages_say(SERVER, "ili", xid, 9, error);
    else if (operation == 1)
        messages_say(SERVER, "ilis", xid, 9, 0, asked);
    else
        messages_say(SERVER, "iliS", xid, 9, 0);
}

#define CREATE 1
#define DELETE 2
#define EXISTS 3

TEST_BETWEEN(what_is_found_before_it_is_made_was_there, set_up_prior, tear_down_prior)
{
    messages_open(77);
    exchange(1, EXISTS, "/was/there", 0);
    exchange(2, EXISTS, "/not", -101);
    exchange(3, CREATE, "/made", 0);
    exchange(4, EXISTS, "/made", 0);
    exchange(5, CREATE, "/above/made", 0);
    exchange(6, CREATE, "/old", -110);
    exchange(7, DELETE, "/gone", 0);
    exchange(8, CREATE, "/gone", 0);
    exchange(9, CREATE, "/not/below", -101);
    exchange(10, DELETE, "/full", -111);
    read_prior();
    ASSERT_ZNODES("/old", "/was", "/full", "/gone", "/above", "/was/there");
    assert_int_equal(prior.traffic.operations[OPCODE_CREATE].requests, 5);
}

/* A session may find a znode before the maker has its reply. */
TEST_BETWEEN(what_is_made_afterwards_was_not_there, set_up_prior, tear_down_prior)
{
    messages_open(77);
    messages_say(CLIENT, "iisnai", 1, 1, "/d", 0);
    messages_say(CLIENT, "iisf", 2, 3, "/d", 0);
    messages_say(SERVER, "iliS", 2, 9, 0);
    messages_say(SERVER, "ilis", 1, 9, 0, "/d");
    read_prior();
    assert_int_equal(prior.znode_count, 0);
}

TEST_BETWEEN(parts_of_a_transaction_tell_as_requests_do, set_up_prior, tear_down_prior)
{
    messages_open(77);
    messages_say(CLIENT, "iiifisiifisnaiifi", 1, 14, 13, 0, -1, "/c", -1, 1, 0, -1, "/d/n-", 3, -1,
                 1, -1);
    messages_say(SERVER, "iliifiifisifi", 1, 14, 0, 13, 0, 0, 1, 0, 0, "/d/n-0000000001", -1, 1,
                 -1);
    messages_say(CLIENT, "iiifisiifisiifi", 2, 14, 2, 0, -1, "/e", -1, 2, 0, -1, "/f", -1, -1, 1,
                 -1);
    messages_say(SERVER, "iliifiiifiiifi", 2, 15, 0, -1, 0, 0, 0, -1, 0, -101, -101, -1, 1, -1);
    read_prior();
    ASSERT_ZNODES("/c", "/d");
    /* The sequential znode's name waits for the one that it gets now. */
    const struct rename_session session = {0};
    target = (struct rename_target){.names = prior.names, .root = "", .speed_percent = 100};
    messages_count = 0;
    messages_say(CLIENT, "iisi", 5, 2, "/d/n-0000000001", -1);
    const struct fields_message fields = {FIELDS_REQUEST, OPCODE_DELETE, messages[0].bytes + 4,
                                          messages[0].count - 4, messages[0].count - 4};
    assert_false(rename_message(&target, &session, &fields, &renamed));
    free(renamed.bytes);
    renamed = (struct rename_message){0};
}
