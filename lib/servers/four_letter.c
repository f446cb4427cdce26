// SPDX-License-Identifier: Apache-2.0
#include "servers/four_letter.h"

#include "base/clock.h"
#include "base/printable.h"
#include "base/text.h"
#include "servers/tcp.h"

#include <assert.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define WORD_LENGTH  4
#define ASK_AGAIN_NS (10 * NS_PER_MS)
/* A standalone 3.8 server answers 16 KiB; each namespace and each other server add a line. */
#define MNTR_SIZE  (128 * 1024)
#define VERSION    "Zookeeper version: "
#define NO_SERVICE "This ZooKeeper instance is not currently serving requests"
#define NO_WORD    "is not executed because it is not in the whitelist"

enum ending { CLOSED, BROKEN, LATE, TOO_LONG };

/* Reads until the end of the answer, or an error. The answer gets a NUL in any case. */
static enum ending read_answer(int fd, uint64_t deadline_ns, char *answer, size_t size)
{
    size_t length = 0;
    answer[0] = '\0';
    for (;;) {
        char beyond;
        size_t room = size - 1 - length;
        if (!tcp_await(fd, POLLIN, deadline_ns))
            return LATE;
        ssize_t got = recv(fd, room > 0 ? answer + length : &beyond, room > 0 ? room : 1, 0);
        if (got == 0)
            return CLOSED;
        if (got > 0 && room == 0)
            return TOO_LONG;
        if (got > 0)
            length += (size_t)got;
        else if (errno != EAGAIN && errno != EINTR)
            return BROKEN;
        answer[length] = '\0';
    }
}

/* The beginning of ZooKeeper's answer to a word; "" for other words. */
static const char *beginning_of_answer(const char *word)
{
    static const char *const beginnings[][2] = {
        {"srvr", VERSION}, {"mntr", "zk_version\t"}, {"conf", "clientPort="}, {"cons", " /"}};
    for (size_t i = 0; i < sizeof beginnings / sizeof beginnings[0]; i++) {
        if (strcmp(word, beginnings[i][0]) == 0)
            return beginnings[i][1];
    }
    return "";
}

/* Whether an answer begins as ZooKeeper's does. A cut answer may end within the beginning. */
static bool looks_like_zookeeper(const char *word, const char *answer, bool is_cut)
{
    const char *beginning = beginning_of_answer(word);
    size_t length = strlen(beginning), answered = strlen(answer);
    return strncmp(answer, beginning, is_cut && answered < length ? answered : length) == 0;
}

/* The first line of an answer that is not ZooKeeper's, made printable. */
static enum error_kind raise_stranger(const char *subject, const char *word, const char *answer,
                                      struct error *error)
{
    char words[80];
    printable_bytes(answer, strcspn(answer, "\r\n"), words, sizeof words);
    return error_raise(error, ERROR_NOT_ZOOKEEPER, 0, subject, "to %s it said '%s'", word, words);
}

static enum error_kind raise_incomplete(const char *subject, const char *word, enum ending ending,
                                        const char *answer, struct error *error)
{
    if (!looks_like_zookeeper(word, answer, true))
        return raise_stranger(subject, word, answer, error);
    if (ending == LATE)
        return error_raise(error, ERROR_NO_ANSWER, 0, subject,
                           "it accepts connections, but does not answer %s", word);
    if (ending == TOO_LONG)
        return error_raise(error, ERROR_ZOOKEEPER, 0, subject,
                           "its answer to %s is longer than expected", word);
    if (answer[0] != '\0')
        return error_raise(error, ERROR_ZOOKEEPER, ECONNRESET, subject,
                           "the connection broke in the middle of its answer to %s", word);
    return error_raise(error, ERROR_CLOSED, 0, subject, "asked %s, it said nothing", word);
}

static enum error_kind judge(const struct endpoint *endpoint, const char *word, enum ending ending,
                             const char *answer, struct error *error)
{
    char subject[ENDPOINT_TEXT_SIZE];
    endpoint_format(endpoint, subject, sizeof subject);
    if (strstr(answer, NO_WORD) != NULL)
        return error_raise(error, ERROR_NOT_WHITELISTED, 0, subject, "%s", word);
    if (strncmp(answer, NO_SERVICE, strlen(NO_SERVICE)) == 0)
        return error_raise(error, ERROR_NOT_SERVING, 0, subject, "%s", "");
    if (ending != CLOSED || answer[0] == '\0')
        return raise_incomplete(subject, word, ending, answer, error);
    return looks_like_zookeeper(word, answer, false) ? ERROR_NONE
                                                     : raise_stranger(subject, word, answer, error);
}

enum error_kind four_letter_ask(const struct endpoint *endpoint, const char *word,
                                uint64_t timeout_ns, char *answer, size_t size, struct error *error)
{
    uint64_t deadline_ns = clock_now_ns() + timeout_ns;
    int fd = -1;
    assert(strlen(word) == WORD_LENGTH);
    enum error_kind kind = tcp_connect(endpoint, deadline_ns, &fd, error);
    if (kind != ERROR_NONE)
        return kind;
    /* Four bytes always fit a new socket. The shutdown makes another program, which waits for the
     * rest of a line, answer at once. A failure shows in reading. */
    (void)!send(fd, word, WORD_LENGTH, MSG_NOSIGNAL);
    (void)!shutdown(fd, SHUT_WR);
    enum ending ending = read_answer(fd, deadline_ns, answer, size);
    close(fd);
    return judge(endpoint, word, ending, answer, error);
}

/* Copies the rest of the line that begins so; "" if there is none. */
static void copy_line(const char *answer, const char *beginning, char *text, size_t size)
{
    const char *line = strstr(answer, beginning);
    const char *rest = line == NULL ? "" : line + strlen(beginning);
    snprintf(text, size, "%.*s", (int)strcspn(rest, "\r\n"), rest);
}

/* "3.8.0-5a02a05e…, built on 2022-02-25 08:49 UTC" becomes "3.8.0". */
static void cut_build(char *version)
{
    version[strcspn(version, ",")] = '\0';
    char *build = strrchr(version, '-');
    if (build != NULL)
        *build = '\0';
}

enum error_kind four_letter_identify(const struct endpoint *endpoint, uint64_t timeout_ns,
                                     struct four_letter_identity *identity, struct error *error)
{
    char answer[4096], version[256];
    struct error refusal;
    enum error_kind kind =
        four_letter_ask(endpoint, "srvr", timeout_ns, answer, sizeof answer, &refusal);
    *identity = (struct four_letter_identity){.mode = "unknown", .talks = kind == ERROR_NONE};
    if (kind == ERROR_NOT_WHITELISTED)
        return ERROR_NONE;
    if (kind != ERROR_NONE) {
        *error = refusal;
        return kind;
    }
    copy_line(answer, VERSION, version, sizeof version);
    cut_build(version);
    snprintf(identity->version, sizeof identity->version, "%.63s", version);
    const char *zxid = strstr(answer, "\nZxid: ");
    if (zxid != NULL)
        identity->zxid = strtoull(zxid + strlen("\nZxid: "), NULL, 16);
    if (strstr(answer, "\nMode: ") != NULL)
        copy_line(answer, "\nMode: ", identity->mode, sizeof identity->mode);
    return ERROR_NONE;
}

/* Every line but the first, zk_version, is behind another. */
static bool find_counter(const char *answer, const char *key, uint64_t *value)
{
    char beginning[64], digits[32];
    snprintf(beginning, sizeof beginning, "\n%s\t", key);
    copy_line(answer, beginning, digits, sizeof digits);
    return text_parse_number(digits, 0, UINT64_MAX, value);
}

/* The keys of each counter; several keys of one counter are summed. */
static const struct {
    const char *key;
    size_t offset;
} counter_keys[] = {
    {"zk_sum_node_created_watch_count", offsetof(struct four_letter_counters, notifications_sent)},
    {"zk_sum_node_deleted_watch_count", offsetof(struct four_letter_counters, notifications_sent)},
    {"zk_sum_node_children_watch_count", offsetof(struct four_letter_counters, notifications_sent)},
    {"zk_sum_node_changed_watch_count", offsetof(struct four_letter_counters, notifications_sent)},
    {"zk_cnt_updatelatency", offsetof(struct four_letter_counters, writes)},
    {"zk_cnt_readlatency", offsetof(struct four_letter_counters, reads)},
    {"zk_packets_received", offsetof(struct four_letter_counters, packets_received)},
    {"zk_watch_count", offsetof(struct four_letter_counters, watch_count)},
    {"zk_ephemerals_count", offsetof(struct four_letter_counters, ephemerals_count)},
    {"zk_num_alive_connections", offsetof(struct four_letter_counters, connections)},
    {"zk_connection_request_count", offsetof(struct four_letter_counters, connects)},
    {"zk_znode_count", offsetof(struct four_letter_counters, znode_count)},
};

enum error_kind four_letter_counters(const struct endpoint *endpoint, uint64_t timeout_ns,
                                     struct four_letter_counters *counters, struct error *error)
{
    char answer[MNTR_SIZE], subject[ENDPOINT_TEXT_SIZE];
    enum error_kind kind =
        four_letter_ask(endpoint, "mntr", timeout_ns, answer, sizeof answer, error);
    if (kind != ERROR_NONE)
        return kind;
    *counters = (struct four_letter_counters){0};
    for (size_t i = 0; i < sizeof counter_keys / sizeof counter_keys[0]; i++) {
        uint64_t value;
        if (!find_counter(answer, counter_keys[i].key, &value))
            return error_raise(
                error, ERROR_ZOOKEEPER, 0, endpoint_format(endpoint, subject, sizeof subject),
                "its answer to mntr lacks %s (ZooKeeper 3.6 or newer has it)", counter_keys[i].key);
        *(uint64_t *)(void *)((char *)counters + counter_keys[i].offset) += value;
    }
    return ERROR_NONE;
}

/* The only ERROR_ZOOKEEPER with an errno is a connection that broke in the middle of an answer. */
static bool may_pass(const struct error *error)
{
    switch (error->kind) {
    case ERROR_NOT_ZOOKEEPER:
    case ERROR_CLOSED:
    case ERROR_NOT_SERVING:
    case ERROR_NO_ANSWER:
    case ERROR_REFUSED:
        return true;
    case ERROR_ZOOKEEPER:
        return error->os_error != 0;
    default:
        return false;
    }
}

enum error_kind four_letter_insist(enum error_kind (*question)(void *context, struct error *error),
                                   void *context, uint64_t timeout_ns, unsigned *times,
                                   struct error *error)
{
    uint64_t until_ns = clock_now_ns() + timeout_ns;
    struct error found = {.kind = ERROR_NONE};
    enum error_kind kind = question(context, &found);
    *times = 1;
    while (kind != ERROR_NONE && may_pass(&found) && clock_now_ns() < until_ns) {
        nanosleep(&(struct timespec){.tv_nsec = ASK_AGAIN_NS}, NULL);
        kind = question(context, &found);
        ++*times;
    }
    if (kind != ERROR_NONE)
        *error = found;
    return kind;
}
