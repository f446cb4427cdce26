// SPDX-License-Identifier: Apache-2.0
/* What wire/maxbuffer.h computes, on a real server with a small jute.maxbuffer: what just fits is
 * taken, and a byte, a name or a watch more is not; and on which side. The Java client is
 * ZooKeeper's own command line (zkCli.sh), whose ls asks for the stat of the znode as well. */
#include "servers/four_letter.h"
#include "servers/install.h"
#include "tests/support/probe.h"
#include "tests/support/test.h"
#include "wire/maxbuffer.h"
#include "wire/wire.h"

#include <limits.h>
#include <unistd.h>

/* 80 names of 15 characters fill it, and 42 watches of paths of 32. */
#define LIMIT   1540
#define NAMES   80
#define WATCHES 42

/* ------------------------------------------------------------------ requests and replies */

static const char *value_of(size_t length)
{
    static char value[2 * LIMIT];
    return memset(value, 'v', length);
}

static enum zk_status set(const char *path, size_t length)
{
    return ask(request_set(path, value_of(length), length, REQUEST_ANY_VERSION));
}

static enum zk_status create_with(const char *path, size_t length)
{
    return ask(request_create(path, value_of(length), length, PERSISTENT));
}

/* The session is back when a request is answered again. */
static void go_on(void)
{
    probe.connections_awaited = probe.connections + 1;
    await(is_established, "session");
    assert_int_equal(ask(exists_request(A, NO_WATCH)), ZK_OK);
}

PROBE_TEST(test_a_value_of_the_limit_is_written)
{
    uint64_t created = maxbuffer_created_value(LIMIT, strlen(A));
    uint64_t most = maxbuffer_set_value(LIMIT, strlen(A));
    assert_int_equal(create_with(B, created), ZK_OK);
    assert_int_equal(create_with(A, 0), ZK_OK);
    assert_int_equal(create_with(C, created + 1), ZK_CONNECTION_LOSS);
    go_on();
    assert_int_equal(ask(exists_request(C, NO_WATCH)), ZK_NO_NODE);
    assert_int_equal(set(A, most), ZK_OK);
    assert_int_equal(set(A, most + 1), ZK_CONNECTION_LOSS);
    go_on();
    /* Longer than what a Java client reads; the C client has no limit. */
    assert_true(most > maxbuffer_read_value(LIMIT));
    assert_int_equal(ask(get(A, NO_WATCH)), ZK_OK);
    assert_int_equal(probe.reply.value_length, most);
}

/* ------------------------------------------------------------------ watches set again */

static uint64_t watch_count(void)
{
    struct four_letter_counters counters;
    struct error error = {0};
    live_expect(four_letter_counters(&live_servers.endpoints[0], PATIENCE_NS, &counters, &error),
                &error);
    return counters.watch_count;
}

/* On znodes that do not exist; each path has 32 characters. */
static void watch(size_t number)
{
    char path[64];
    snprintf(path, sizeof path, ROOT "/%0*zu", (int)(32 - strlen(ROOT "/")), number);
    assert_int_equal(strlen(path), 32);
    assert_int_equal(ask(exists_request(path, WATCH)), ZK_NO_NODE);
}

static void lose_the_connection(void)
{
    const struct request lost = exists_request(ROOT, NO_WATCH);
    probe.connections_awaited = probe.connections + 1;
    assert_int_equal(ask_on(TURN_CUT_REQUEST, &lost), ZK_CONNECTION_LOSS);
    assert_true(probe.injected);
    await(is_established, "session");
}

PROBE_TEST(test_watches_of_the_limit_are_set_again)
{
    assert_int_equal(maxbuffer_watches(LIMIT, 32), WATCHES);
    for (size_t i = 0; i < WATCHES; i++)
        watch(i);
    for (unsigned i = 1; i <= 3; i++) {
        lose_the_connection();
        assert_int_equal(ask(exists_request(ROOT, NO_WATCH)), ZK_OK);
        assert_int_equal(probe.connections, 1 + i);
        assert_int_equal(watch_count(), WATCHES);
    }
}

/* The C client sets all watches in one request, which the server refuses on every new connection:
 * the session lives, and no request of it is answered. It cannot even be closed. */
PROBE_TEST_SHORT(test_with_a_watch_more_no_request_is_answered)
{
    for (size_t i = 0; i <= WATCHES; i++)
        watch(i);
    lose_the_connection();
    for (unsigned i = 0; i < 3; i++) {
        assert_int_equal(ask(exists_request(ROOT, NO_WATCH)), ZK_CONNECTION_LOSS);
        probe.connections_awaited = probe.connections + 1;
        await(is_established, "session");
    }
    assert_int_equal(watch_count(), 0);
    while (!probe.injected) {
        do_turn(TURN_CRASH);
        probe.connections_awaited = probe.connections + 1;
        if (!probe.injected)
            await(is_established, "session");
    }
}

/* ------------------------------------------------------------------ a Java client */

/* What a Java client with the same limit says to these commands. */
static void run_java(const char *commands, char *said, size_t size)
{
    char java[PATH_MAX], command[INSTALL_CLASS_PATH_SIZE + 2 * (size_t)PATH_MAX];
    struct install install;
    struct error error = {0};
    live_expect(install_find_java(java, sizeof java, &error), &error);
    live_expect(install_find_zookeeper(NULL, &install, &error), &error);
    snprintf(command, sizeof command,
             "printf '%s' | '%s' -Xmx64m -Djute.maxbuffer=%d "
             "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn -cp '%s' "
             "org.apache.zookeeper.ZooKeeperMain -server 127.0.0.1:%u 2>&1",
             commands, java, LIMIT, install.class_path, live_servers.endpoints[0].port);
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    said[fread(said, 1, size - 1, pipe)] = '\0';
    pclose(pipe);
}

static size_t count_of(const char *said, const char *words)
{
    size_t count = 0;
    while ((said = strstr(said, words)) != NULL) {
        said++;
        count++;
    }
    return count;
}

/* A Java client reads the reply to the first command and refuses the one to the second, of so many
 * bytes. What the client said is returned. No command follows: without a connection the client
 * fails a command at once.
 */
static const char *assert_refused(const char *commands, uint64_t reply_bytes)
{
    static char said[65536];
    char words[64];
    snprintf(words, sizeof words, "Packet len %llu is out of range!",
             (unsigned long long)maxbuffer_counted(reply_bytes));
    run_java(commands, said, sizeof said);
    /* Again, if the client asks again on its next connection; and no other reply. */
    size_t count = count_of(said, words);
    if (count == 0)
        fail_msg("no '%s' in: %s", words, said);
    assert_int_equal(count_of(said, "is out of range!"), count);
    return said;
}

static void create_with_places(const char *parent, size_t count)
{
    char path[RECIPE_PATH_MAX];
    snprintf(path, sizeof path, "%s/lock-", parent);
    assert_int_equal(create_with(parent, 0), ZK_OK);
    for (size_t i = 0; i < count; i++)
        assert_int_equal(ask(request_create(path, NULL, 0, EPHEMERAL_SEQUENTIAL)), ZK_OK);
}

/* ls lists with a stat. A name more, and the list is not read. */
PROBE_TEST(test_a_java_client_lists_with_a_stat)
{
    size_t most = maxbuffer_names(LIMIT - WIRE_STAT, 15, 0, 0);
    assert_int_equal(NAMES - most, 4);
    create_with_places(A, most);
    create_with_places(B, most + 1);
    const char *said = assert_refused("ls " A "\\nls " B "\\n",
                                      wire_names_reply(most + 1, (most + 1) * 15) + WIRE_STAT);
    assert_int_equal(count_of(said, "lock-"), most);
}

/* deleteall lists without a stat, and then deletes what is listed, ten in a request. */
PROBE_TEST(test_a_java_client_lists_without_a_stat)
{
    assert_int_equal(maxbuffer_names(LIMIT, 15, 0, 0), NAMES);
    create_with_places(A, NAMES);
    create_with_places(B, NAMES + 1);
    assert_refused("deleteall " A " -b 10\\ndeleteall " B " -b 10\\n",
                   wire_names_reply(NAMES + 1, (NAMES + 1) * 15));
    assert_int_equal(ask(exists_request(A, NO_WATCH)), ZK_NO_NODE);
    assert_int_equal(ask(exists_request(B, NO_WATCH)), ZK_OK);
}

PROBE_TEST(test_a_java_client_reads_a_value)
{
    uint64_t value = maxbuffer_read_value(LIMIT);
    assert_int_equal(create_with(A, value), ZK_OK);
    assert_int_equal(create_with(B, 0), ZK_OK);
    assert_int_equal(set(B, value + 1), ZK_OK);
    const char *said = assert_refused("get " A "\\nget " B "\\n", wire_value_reply(value + 1));
    assert_non_null(strstr(said, "\nvvvvvvvv"));
}

PROBE_TEST(test_the_c_client_reads_longer_replies)
{
    create_with_places(A, 2 * NAMES);
    assert_int_equal(ask((struct request){.operation = OP_GET_CHILDREN, .path = A}), ZK_OK);
    assert_int_equal(probe.reply.name_count, 2 * NAMES);
}

static int start(void **state)
{
    struct ensemble_options options = ensemble_options_default();
    (void)state;
    options.heap_mib = 128;
    options.jute_maxbuffer_bytes = LIMIT;
    driver = DRIVER_EVENTS;
    return live_start_as(&options);
}

TEST_GROUP(start, live_stop)
