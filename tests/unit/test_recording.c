// SPDX-License-Identifier: Apache-2.0
/* What was recorded is told again as it was: messages, lengths, times, and what could not be read;
 * nothing private is in the file; files that are cut, damaged, or something else. */
#include "relay/recording.h"

#include "relay/traffic.h"

#include "tests/support/messages.h"
#include "tests/support/test.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zlib.h>

#define FILE_SIZE_MOST (1 << 20)

static struct error error;
static uint64_t now_ns;
static char path[256];
static unsigned char content[FILE_SIZE_MOST];

static int set_up(void **state)
{
    (void)state;
    messages_count = 0;
    snprintf(path, sizeof path, "/tmp/test_recording.%d", (int)getpid());
    (void)unlink(path);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    (void)unlink(path);
    return 0;
}

/* One conversation of all that was said, counted and recorded. Each message comes in two pieces,
 * 300 ns apart, and after a while of its own. */
static void converse(struct recorder *recorder, struct traffic *traffic)
{
    struct conversation conversation;
    conversation_init(&conversation, &traffic_listener, traffic);
    conversation.copies = recorder_copies(recorder);
    for (size_t i = 0; i < messages_count; i++) {
        now_ns += 1000 * i * i;
        conversation_feed(&conversation, messages[i].from, messages[i].bytes, 2, now_ns);
        now_ns += 300;
        conversation_feed(&conversation, messages[i].from, messages[i].bytes + 2,
                          messages[i].count - 2, now_ns);
    }
    traffic_end(traffic, &conversation);
    recorder_ended(recorder, &conversation, now_ns += 1000);
    conversation_deinit(&conversation);
}

static struct recorder *begin(bool with_data)
{
    struct recorder *recorder;
    assert_int_equal(recorder_new(path, with_data, &recorder, &error), ERROR_NONE);
    recorder_begin(recorder, now_ns);
    return recorder;
}

static void end(struct recorder *recorder)
{
    assert_int_equal(recorder_end(recorder, true, &error), ERROR_NONE);
}

static void count_end(void *context, const struct conversation *conversation)
{
    traffic_end(context, conversation);
}

static enum error_kind read_again(struct traffic *traffic, struct recording_facts *facts)
{
    traffic_init(traffic);
    return recording_read(path, &traffic_listener, count_end, traffic, facts, &error);
}

static void assert_same_figures(const struct traffic_figures *a, const struct traffic_figures *b)
{
    assert_memory_equal(a, b, sizeof *a);
}

static void assert_same(const struct traffic *a, const struct traffic *b)
{
    for (enum opcode opcode = 0; opcode < OPCODES; opcode++)
        assert_same_figures(&a->operations[opcode], &b->operations[opcode]);
    assert_int_equal(a->places.count, b->places.count);
    for (size_t i = 0; i < a->places.count; i++) {
        assert_string_equal(a->places.list[i].text, b->places.list[i].text);
        assert_same_figures(a->of_places[i], b->of_places[i]);
    }
    assert_int_equal(a->error_count, b->error_count);
    if (a->error_count > 0)
        assert_memory_equal(a->errors, b->errors, a->error_count * sizeof *a->errors);
    assert_memory_equal(a->notifications, b->notifications, sizeof a->notifications);
    assert_memory_equal(a->notification_bytes, b->notification_bytes, sizeof a->notification_bytes);
    assert_memory_equal(a->opening_bytes, b->opening_bytes, sizeof a->opening_bytes);
#define X(name, meaning) assert_int_equal(a->name, b->name);
    TRAFFIC_CONVERSATIONS(X)
#undef X
    assert_int_equal(a->why_unreadable == NULL, b->why_unreadable == NULL);
}

/* What is recorded is counted as what was said. */
static void assert_told_again(void)
{
    struct traffic live, again;
    struct recording_facts facts;
    struct recorder *recorder = begin(false);
    traffic_init(&live);
    converse(recorder, &live);
    converse(recorder, &live);
    end(recorder);
    assert_int_equal(read_again(&again, &facts), ERROR_NONE);
    assert_same(&live, &again);
    assert_int_equal(facts.connections, 2);
    assert_false(facts.is_cut);
    traffic_deinit(&live);
    traffic_deinit(&again);
}

TEST_BETWEEN(counts_bytes_and_latencies_are_the_same, set_up, tear_down)
{
    messages_hold();
    assert_told_again();
}

TEST_BETWEEN(what_cannot_be_read_is_counted_the_same, set_up, tear_down)
{
    messages_open(77);
    messages_say(CLIENT, "iisf", 1, 4, "/l/b", 0);
    messages_say(SERVER, "ilis", 1, 9, 0, "no stat");
    messages_say(CLIENT, "iisf", 2, 4, "/l/b", 0);
    assert_told_again();
}

TEST_BETWEEN(a_reply_that_is_missing_is_still_missing, set_up, tear_down)
{
    messages_open(77);
    messages_say(CLIENT, "iisf", 1, 4, "/l/b", 0);
    assert_told_again();
}

TEST_BETWEEN(garbage_words_and_tls_are_what_they_were, set_up, tear_down)
{
    static const char *const said[] = {"ruok", "\x16\x03\x01\x02", "gar"};
    for (size_t i = 0; i < sizeof said / sizeof said[0]; i++) {
        messages_count = 2;
        for (size_t k = 0; k < messages_count; k++) {
            messages[k] =
                (struct message){.from = k == 0 ? CLIENT : SERVER, .count = strlen(said[i])};
            memcpy(messages[k].bytes, said[i], messages[k].count);
        }
        assert_told_again();
        assert_int_equal(unlink(path), 0);
    }
}

TEST_BETWEEN(a_message_longer_than_is_kept_has_its_length, set_up, tear_down)
{
    struct traffic live, again;
    struct recording_facts facts;
    struct conversation conversation;
    size_t count = SPLITTER_KEPT_MAX + 12345;
    unsigned char *long_message = calloc(count, 1);
    assert_non_null(long_message);
    messages_open(77);
    messages_say(CLIENT, "iissai", 1, 1, "/l/q-", "me", 3);
    memcpy(long_message, messages[2].bytes, messages[2].count);
    for (int i = 0; i < 4; i++)
        long_message[i] = (unsigned char)((count - 4) >> (24 - 8 * i));
    memset(long_message + 21, 1, 4); /* the length of the data */
    struct recorder *recorder = begin(true);
    traffic_init(&live);
    conversation_init(&conversation, &traffic_listener, &live);
    conversation.copies = recorder_copies(recorder);
    for (size_t i = 0; i < 2; i++)
        conversation_feed(&conversation, messages[i].from, messages[i].bytes, messages[i].count, 1);
    conversation_feed(&conversation, CLIENT, long_message, 100, 2);
    conversation_feed(&conversation, CLIENT, long_message + 100, count - 100, 2);
    traffic_end(&live, &conversation);
    recorder_ended(recorder, &conversation, 3);
    conversation_deinit(&conversation);
    end(recorder);
    assert_int_equal(read_again(&again, &facts), ERROR_NONE);
    assert_int_equal(again.operations[OPCODE_CREATE].bytes_sent, count);
    assert_same(&live, &again);
    traffic_deinit(&live);
    traffic_deinit(&again);
    free(long_message);
}

/* ------------------------------------------------------------------ what is private */

/* The whole file, decompressed; its length. */
static size_t read_content(void)
{
    gzFile file = gzopen(path, "rb");
    assert_non_null(file);
    int count = gzread(file, content, sizeof content);
    assert_int_equal(gzclose(file), Z_OK);
    assert_true(count > 0 && count < FILE_SIZE_MOST);
    return (size_t)count;
}

static bool has(size_t count, const char *text)
{
    return memmem(content, count, text, strlen(text)) != NULL;
}

static void record_secrets(bool with_data)
{
    struct traffic traffic;
    struct recorder *recorder = begin(with_data);
    messages_hold();
    messages_say(CLIENT, "iissai", 30, 1, "/l/secret", "of a create", 3);
    messages_say(SERVER, "ilis", 30, 9, 0, "/l/secret");
    messages_say(CLIENT, "iisf", 31, 4, "/l/b", 0);
    messages_say(SERVER, "ilisS", 31, 11, 0, "of a reply");
    messages_say(CLIENT, "iiifissiifi", 32, 14, 5, 0, -1, "/m", "of a transaction", -1, -1, 1, -1);
    messages_say(CLIENT, "iiisiis", 33, 102, 0, "of sasl", 0, 0, "");
    traffic_init(&traffic);
    converse(recorder, &traffic);
    end(recorder);
    traffic_deinit(&traffic);
}

TEST_BETWEEN(nothing_private_is_in_the_file, set_up, tear_down)
{
    static const char *const secrets[] = {"of a create", "of a reply",       "of a transaction",
                                          "me:too",      "0123456789abcdef", "anyone",
                                          "127.0.0.1"};
    for (int with_data = 0; with_data < 2; with_data++) {
        record_secrets(with_data > 0);
        size_t count = read_content();
        assert_true(has(count, "/l/secret"));
        for (size_t i = 0; i < sizeof secrets / sizeof secrets[0]; i++)
            assert_int_equal(has(count, secrets[i]), with_data > 0 && i < 3);
        assert_int_equal(unlink(path), 0);
    }
}

TEST_BETWEEN(bytes_of_an_unknown_operation_are_not_in_the_file, set_up, tear_down)
{
    struct traffic traffic;
    struct recorder *recorder = begin(true);
    messages_open(77);
    messages_say(CLIENT, "iis", 1, 999, "of a later release");
    messages_say(SERVER, "ilis", 1, 9, 0, "of a later reply");
    messages_say(CLIENT, "iis", 2, 9, "/l");
    messages_say(SERVER, "ilis", 2, 9, -101, "of a refusal");
    traffic_init(&traffic);
    converse(recorder, &traffic);
    end(recorder);
    traffic_deinit(&traffic);
    size_t count = read_content();
    assert_false(has(count, "of a "));
    assert_true(has(count, "/l"));
}

TEST_BETWEEN(only_the_owner_reads_the_file, set_up, tear_down)
{
    struct stat status;
    mode_t mask = umask(0);
    struct recorder *recorder = begin(false);
    umask(mask);
    assert_int_equal(stat(path, &status), 0);
    assert_int_equal(status.st_mode & 0777, 0600);
    end(recorder);
}

/* ------------------------------------------------------------------ files */

TEST_BETWEEN(a_file_that_exists_is_kept, set_up, tear_down)
{
    struct recorder *recorder;
    end(begin(false));
    assert_int_equal(recorder_new(path, false, &recorder, &error), ERROR_EXISTS);
    assert_int_equal(access(path, R_OK), 0);
}

TEST_BETWEEN(a_recorder_that_is_not_wanted_leaves_nothing, set_up, tear_down)
{
    assert_int_equal(recorder_end(begin(false), false, &error), ERROR_NONE);
    assert_int_not_equal(access(path, F_OK), 0);
}

TEST_BETWEEN(a_recording_without_a_message_is_one, set_up, tear_down)
{
    struct traffic traffic;
    struct recording_facts facts;
    end(begin(false));
    assert_int_equal(read_again(&traffic, &facts), ERROR_NONE);
    assert_int_equal(facts.connections, 0);
    assert_false(facts.is_cut);
    traffic_deinit(&traffic);
}

static void write_file(const void *bytes, size_t count)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, bytes, count), count);
    close(fd);
}

static void assert_malformed(const char *why)
{
    struct traffic traffic;
    struct recording_facts facts;
    assert_int_equal(read_again(&traffic, &facts), ERROR_MALFORMED);
    assert_string_equal(error.detail, why);
    traffic_deinit(&traffic);
}

TEST_BETWEEN(other_files_are_refused, set_up, tear_down)
{
    static const char later[] = "zkherd recording 2\n\0\1";
    write_file("", 0);
    assert_malformed("it is empty");
    write_file("time,bytes\n", 11);
    assert_malformed("it is no recording of zkherd tap --record");
    write_file("zkherd recording", 16);
    assert_malformed("it is no recording of zkherd tap --record");
    write_file(later, sizeof later);
    assert_malformed("a recording of version 2, and this zkherd reads version 1");
}

/* The file, compressed, goes to `content`. */
static size_t record_something(void)
{
    record_secrets(false);
    int fd = open(path, O_RDONLY);
    ssize_t count = read(fd, content, sizeof content);
    close(fd);
    assert_true(count > 0 && count < FILE_SIZE_MOST);
    return (size_t)count;
}

/* Wherever it ends, what is before that is read, and that it is cut is told. */
TEST_BETWEEN(a_file_may_be_cut_at_every_byte, set_up, tear_down)
{
    size_t count = record_something();
    uint64_t requests = 0;
    for (size_t cut = 1; cut < count - 8; cut++) {
        struct traffic traffic;
        struct recording_facts facts = {.is_cut = true};
        write_file(content, cut);
        enum error_kind kind = read_again(&traffic, &facts);
        assert_true(kind == ERROR_NONE || (kind == ERROR_MALFORMED && requests == 0));
        assert_true(traffic_requests(&traffic) >= requests);
        requests = traffic_requests(&traffic);
        traffic_deinit(&traffic);
    }
    assert_int_equal(requests, 21 + 3);
}

TEST_BETWEEN(a_file_with_a_wrong_byte_is_damaged_or_tells_nothing_else, set_up, tear_down)
{
    size_t count = record_something(), damaged = 0;
    for (size_t i = 12; i < count; i++) {
        struct traffic traffic;
        struct recording_facts facts;
        content[i] ^= 0x55;
        write_file(content, count);
        damaged += read_again(&traffic, &facts) == ERROR_MALFORMED;
        content[i] ^= 0x55;
        traffic_deinit(&traffic);
    }
    assert_true(damaged + 8 >= count - 12);
}

TEST_BETWEEN(a_recorder_that_was_killed_leaves_what_it_had_flushed, set_up, tear_down)
{
    struct traffic live, again;
    struct recording_facts facts;
    messages_hold();
    pid_t pid = fork();
    if (pid == 0) {
        struct recorder *recorder = begin(false);
        traffic_init(&live);
        converse(recorder, &live);
        now_ns += 2000000000; /* what comes so much later has everything before written */
        converse(recorder, &live);
        _exit(0);
    }
    int status;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
    assert_int_equal(read_again(&again, &facts), ERROR_NONE);
    assert_true(facts.is_cut);
    assert_true(traffic_requests(&again) >= 21);
    traffic_deinit(&again);
}

/* A limit of the file's size in place of a disk: the clients' messages go on to be counted. */
TEST_BETWEEN(a_full_disk_is_told_at_the_end, set_up, tear_down)
{
    const struct rlimit limit = {.rlim_cur = 0, .rlim_max = 0};
    int status;
    pid_t pid = fork();
    if (pid == 0) {
        struct traffic live;
        signal(SIGXFSZ, SIG_IGN);
        traffic_init(&live);
        messages_hold();
        struct recorder *recorder = begin(false);
        bool is_limited = setrlimit(RLIMIT_FSIZE, &limit) == 0;
        converse(recorder, &live);
        enum error_kind kind = recorder_end(recorder, true, &error);
        _exit(is_limited && kind == ERROR_NO_SPACE && traffic_requests(&live) == 21 ? 0 : 1);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
}
