// SPDX-License-Identifier: Apache-2.0
#include "servers/answer.h"

#include "base/printable.h"
#include "base/text.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#define VERSION    "Zookeeper version: "
#define NO_SERVICE "This ZooKeeper instance is not currently serving requests"
#define NO_WORD    "is not executed because it is not in the whitelist"

/* ------------------------------------------------------------------ its bytes */

enum answer_ending answer_receive(int fd, char *answer, size_t size, size_t *length)
{
    for (;;) {
        char beyond;
        size_t room = size - 1 - *length;
        ssize_t got = recv(fd, room > 0 ? answer + *length : &beyond, room > 0 ? room : 1, 0);
        if (got > 0 && room == 0)
            return ANSWER_TOO_LONG;
        if (got > 0)
            *length += (size_t)got;
        answer[*length] = '\0';
        if (got == 0)
            return ANSWER_CLOSED;
        if (got < 0 && errno == EAGAIN)
            return ANSWER_COMES;
        if (got < 0 && errno != EINTR)
            return ANSWER_BROKEN;
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

static enum error_kind raise_incomplete(const char *subject, const char *word,
                                        enum answer_ending ending, const char *answer,
                                        struct error *error)
{
    if (!looks_like_zookeeper(word, answer, true))
        return raise_stranger(subject, word, answer, error);
    if (ending == ANSWER_LATE)
        return error_raise(error, ERROR_NO_ANSWER, 0, subject,
                           "it accepts connections, but does not answer %s", word);
    if (ending == ANSWER_TOO_LONG)
        return error_raise(error, ERROR_ZOOKEEPER, 0, subject,
                           "its answer to %s is longer than expected", word);
    if (answer[0] != '\0')
        return error_raise(error, ERROR_ZOOKEEPER, ECONNRESET, subject,
                           "the connection broke in the middle of its answer to %s", word);
    return error_raise(error, ERROR_CLOSED, 0, subject, "asked %s, it said nothing", word);
}

enum error_kind answer_judge(const struct endpoint *endpoint, const char *word,
                             enum answer_ending ending, const char *answer, struct error *error)
{
    char subject[ENDPOINT_TEXT_SIZE];
    endpoint_format(endpoint, subject, sizeof subject);
    if (strstr(answer, NO_WORD) != NULL)
        return error_raise(error, ERROR_NOT_WHITELISTED, 0, subject, "%s", word);
    if (strncmp(answer, NO_SERVICE, strlen(NO_SERVICE)) == 0)
        return error_raise(error, ERROR_NOT_SERVING, 0, subject, "%s", "");
    if (ending != ANSWER_CLOSED || answer[0] == '\0')
        return raise_incomplete(subject, word, ending, answer, error);
    return looks_like_zookeeper(word, answer, false) ? ERROR_NONE
                                                     : raise_stranger(subject, word, answer, error);
}

/* ------------------------------------------------------------------ what it says */

void answer_line(const char *answer, const char *beginning, char *text, size_t size)
{
    const char *line = strstr(answer, beginning);
    const char *rest = line == NULL ? "" : line + strlen(beginning);
    snprintf(text, size, "%.*s", (int)strcspn(rest, "\r\n"), rest);
}

/* "3.8.0-5a02a05e…, built on 2022-02-25 08:49 UTC" becomes "3.8.0"; a build of no known revision
 * says "3.4.13--1, built on …". */
static void cut_build(char *version)
{
    version[strcspn(version, ",")] = '\0';
    char *build = strrchr(version, '-');
    if (build != NULL && build > version && build[-1] == '-')
        build--;
    if (build != NULL)
        *build = '\0';
}

void answer_read_identity(const char *answer, struct four_letter_identity *identity)
{
    char version[256];
    *identity = (struct four_letter_identity){.mode = "unknown", .talks = true};
    answer_line(answer, VERSION, version, sizeof version);
    cut_build(version);
    snprintf(identity->version, sizeof identity->version, "%.63s", version);
    const char *zxid = strstr(answer, "\nZxid: ");
    if (zxid != NULL)
        identity->zxid = strtoull(zxid + strlen("\nZxid: "), NULL, 16);
    if (strstr(answer, "\nMode: ") != NULL)
        answer_line(answer, "\nMode: ", identity->mode, sizeof identity->mode);
}

/* Every line but the first, zk_version, is behind another. */
static bool find_counter(const char *answer, const char *key, uint64_t *value)
{
    char beginning[64], digits[32];
    snprintf(beginning, sizeof beginning, "\n%s\t", key);
    answer_line(answer, beginning, digits, sizeof digits);
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

static uint64_t counter_if_told(const char *answer, const char *key)
{
    uint64_t value;
    return find_counter(answer, key, &value) ? value : FOUR_LETTER_UNTOLD;
}

static void read_what_may_be_untold(const char *answer, struct four_letter_counters *counters)
{
    counters->outstanding = strstr(answer, "\nzk_outstanding_requests\t-") != NULL
                                ? 0
                                : counter_if_told(answer, "zk_outstanding_requests");
    counters->snapshots = counter_if_told(answer, "zk_cnt_snapshottime");
    counters->fsync_ms = counter_if_told(answer, "zk_sum_fsynctime");
    counters->uptime_ms = counter_if_told(answer, "zk_uptime");
    answer_line(answer, "\nzk_server_state\t", counters->mode, sizeof counters->mode);
    if (counters->mode[0] == '\0')
        snprintf(counters->mode, sizeof counters->mode, "unknown");
}

enum error_kind answer_read_counters(const struct endpoint *endpoint, const char *answer,
                                     struct four_letter_counters *counters, struct error *error)
{
    char subject[ENDPOINT_TEXT_SIZE];
    *counters = (struct four_letter_counters){0};
    for (size_t i = 0; i < sizeof counter_keys / sizeof counter_keys[0]; i++) {
        uint64_t value;
        if (!find_counter(answer, counter_keys[i].key, &value))
            return error_raise(
                error, ERROR_ZOOKEEPER, 0, endpoint_format(endpoint, subject, sizeof subject),
                "its answer to mntr lacks %s (ZooKeeper 3.6 or newer has it)", counter_keys[i].key);
        *(uint64_t *)(void *)((char *)counters + counter_keys[i].offset) += value;
    }
    read_what_may_be_untold(answer, counters);
    return ERROR_NONE;
}
