// SPDX-License-Identifier: Apache-2.0
#include "servers/four_letter.h"

#include "base/clock.h"
#include "base/text.h"
#include "servers/tcp.h"

#include <assert.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define VERSION    "Zookeeper version: "
#define NO_SERVICE "This ZooKeeper instance is not currently serving requests"
#define NO_WORD    "is not executed because it is not in the whitelist"

/* ------------------------------------------------------------------ whether it is ZooKeeper's */

/* How an answer has ended. */
enum ending {
    COMES, /* it has not: more may come */
    CLOSED,
    BROKEN,
    LATE, /* the time was over */
    TOO_LONG
};

/* Whether an answer begins as ZooKeeper's to this word. A cut answer may end within the beginning.
 */
static bool looks_like_zookeeper(const char *word, const char *answer, bool is_cut)
{
    static const char *const beginnings[][2] = {{"srvr", VERSION},
                                                {"srvr", "ClickHouse Keeper version: "},
                                                {"mntr", "zk_version\t"},
                                                {"conf", "clientPort="},
                                                {"cons", " /"}};
    bool is_known = false;
    for (size_t i = 0; i < sizeof beginnings / sizeof beginnings[0]; i++) {
        size_t length = strlen(beginnings[i][1]), answered = strlen(answer);
        if (strcmp(word, beginnings[i][0]) != 0)
            continue;
        is_known = true;
        if (strncmp(answer, beginnings[i][1], is_cut && answered < length ? answered : length) == 0)
            return true;
    }
    return !is_known;
}

static enum error_kind judge(const struct four_letter_question *question, enum ending ending,
                             struct error *error)
{
    const char *answer = question->answer, *word = question->word;
    char subject[ENDPOINT_TEXT_SIZE], words[80];
    bool is_cut = ending != CLOSED || answer[0] == '\0';
    endpoint_format(question->endpoint, subject, sizeof subject);
    if (strstr(answer, NO_WORD) != NULL)
        return error_raise(error, ERROR_NOT_WHITELISTED, 0, subject, "%s", word);
    if (strncmp(answer, NO_SERVICE, strlen(NO_SERVICE)) == 0)
        return error_raise(error, ERROR_NOT_SERVING, 0, subject, "%s", "");
    if (!looks_like_zookeeper(word, answer, is_cut)) {
        printable_bytes(answer, strcspn(answer, "\r\n"), words, sizeof words);
        return error_raise(error, ERROR_NOT_ZOOKEEPER, 0, subject, "to %s it said '%s'", word,
                           words);
    }
    if (ending == LATE && !question->sent)
        return error_raise(error, ERROR_NO_ANSWER, ETIMEDOUT, subject,
                           "it could not be connected to");
    if (ending == LATE)
        return error_raise(error, ERROR_NO_ANSWER, 0, subject,
                           "it accepts connections, but does not answer %s", word);
    if (ending == TOO_LONG)
        return error_raise(error, ERROR_ZOOKEEPER, 0, subject,
                           "its answer to %s is longer than expected", word);
    if (answer[0] == '\0')
        return error_raise(error, ERROR_CLOSED, 0, subject, "asked %s, it said nothing", word);
    if (ending == BROKEN)
        return error_raise(error, ERROR_ZOOKEEPER, ECONNRESET, subject,
                           "the connection broke in the middle of its answer to %s", word);
    return ERROR_NONE;
}

/* ------------------------------------------------------------------ a question */

enum error_kind four_letter_begin(struct four_letter_question *question,
                                  const struct endpoint *endpoint, const char *word,
                                  struct error *error)
{
    question->endpoint = endpoint;
    question->word = word;
    question->sent = false;
    question->length = 0;
    question->answer[0] = '\0';
    return tcp_begin(endpoint, &question->fd, error);
}

/* Appends what has come, without waiting. The answer gets a NUL in any case. */
static enum ending receive(struct four_letter_question *question)
{
    for (;;) {
        char beyond, *end = question->answer + question->length;
        size_t room = question->size - 1 - question->length;
        ssize_t got = recv(question->fd, room > 0 ? end : &beyond, room > 0 ? room : 1, 0);
        if (got > 0 && room == 0)
            return TOO_LONG;
        if (got > 0)
            question->length += (size_t)got;
        question->answer[question->length] = '\0';
        if (got == 0)
            return CLOSED;
        if (got < 0 && errno == EAGAIN)
            return COMES;
        if (got < 0 && errno != EINTR)
            return BROKEN;
    }
}

/* Four bytes always fit a new socket. The shutdown makes another program, which waits for the rest
 * of a line, answer at once. A failure shows in reading. */
enum error_kind four_letter_turn(struct four_letter_question *question, bool *done,
                                 struct error *error)
{
    enum error_kind kind = ERROR_NONE;
    if (!question->sent) {
        kind = tcp_end(question->endpoint, question->fd, error);
        *done = kind != ERROR_NONE;
        (void)!send(question->fd, question->word, strlen(question->word), MSG_NOSIGNAL);
        (void)!shutdown(question->fd, SHUT_WR);
        question->sent = !*done;
    } else {
        enum ending ending = receive(question);
        *done = ending != COMES;
        if (*done)
            kind = judge(question, ending, error);
    }
    if (*done)
        four_letter_abandon(question);
    return kind;
}

void four_letter_abandon(struct four_letter_question *question)
{
    if (question->fd >= 0)
        close(question->fd);
    question->fd = -1;
}

enum error_kind four_letter_ask(const struct endpoint *endpoint, const char *word,
                                uint64_t timeout_ns, char *answer, size_t size, struct error *error)
{
    struct four_letter_question question = {.answer = answer, .size = size};
    uint64_t deadline_ns = clock_now_ns() + timeout_ns;
    bool done = false;
    assert(strlen(word) == 4);
    enum error_kind kind = four_letter_begin(&question, endpoint, word, error);
    if (kind != ERROR_NONE)
        return kind;
    while (!done && tcp_await(question.fd, question.sent ? POLLIN : POLLOUT, deadline_ns))
        kind = four_letter_turn(&question, &done, error);
    four_letter_abandon(&question);
    return done ? kind : judge(&question, LATE, error);
}

enum error_kind four_letter_identify(const struct endpoint *endpoint, uint64_t timeout_ns,
                                     struct four_letter_identity *identity, struct error *error)
{
    char answer[4096];
    struct error refusal;
    enum error_kind kind =
        four_letter_ask(endpoint, "srvr", timeout_ns, answer, sizeof answer, &refusal);
    *identity = (struct four_letter_identity){.talks = kind == ERROR_NONE};
    if (kind == ERROR_NOT_WHITELISTED)
        return ERROR_NONE;
    if (kind == ERROR_NONE)
        four_letter_read_identity(answer, identity);
    else
        *error = refusal;
    return kind;
}

enum error_kind four_letter_counters(const struct endpoint *endpoint, uint64_t timeout_ns,
                                     struct four_letter_counters *counters, struct error *error)
{
    char answer[FOUR_LETTER_MNTR_SIZE];
    enum error_kind kind =
        four_letter_ask(endpoint, "mntr", timeout_ns, answer, sizeof answer, error);
    return kind == ERROR_NONE ? four_letter_read_counters(endpoint, answer, counters, error) : kind;
}

/* The only ERROR_ZOOKEEPER with an errno is a connection that broke in the middle of an answer. */
bool four_letter_may_pass(const struct error *error)
{
    enum error_kind kind = error->kind;
    return kind == ERROR_NOT_ZOOKEEPER || kind == ERROR_CLOSED || kind == ERROR_NOT_SERVING ||
           kind == ERROR_NO_ANSWER || kind == ERROR_REFUSED ||
           (kind == ERROR_ZOOKEEPER && error->os_error != 0);
}

/* ------------------------------------------------------------------ what an answer says */

/* Copies the rest of the line of an answer that begins so; "" if there is none. */
static void copy_line(const char *answer, const char *beginning, char *text, size_t size)
{
    const char *line = strstr(answer, beginning);
    const char *rest = line == NULL ? "" : line + strlen(beginning);
    snprintf(text, size, "%.*s", (int)strcspn(rest, "\r\n"), rest);
}

const char *const role_words[] = {
#define X(name, word) word,
    ROLE_LIST(X)
#undef X
};

bool role_leads(enum role role)
{
    return role == ROLE_LEADER || role == ROLE_STANDALONE;
}

/* The role that the line with this beginning names. */
static enum role read_role(const char *answer, const char *beginning)
{
    char mode[24];
    copy_line(answer, beginning, mode, sizeof mode);
    for (enum role role = ROLE_STANDALONE; role <= ROLE_OBSERVER; role++) {
        if (strcmp(mode, role_words[role]) == 0)
            return role;
    }
    return ROLE_UNKNOWN;
}

/* "3.8.0-5a02a05e…, built on 2022-02-25 08:49 UTC" becomes "3.8.0"; a build of no known revision
 * says "3.4.13--1, built on …". */
void four_letter_read_identity(const char *answer, struct four_letter_identity *identity)
{
    char version[sizeof identity->version], zxid[32];
    copy_line(answer, VERSION, version, sizeof version);
    version[strcspn(version, ",")] = '\0';
    char *build = strrchr(version, '-');
    if (build != NULL && build > version && build[-1] == '-')
        build--;
    if (build != NULL)
        *build = '\0';
    copy_line(answer, "\nZxid: ", zxid, sizeof zxid);
    *identity =
        (struct four_letter_identity){.role = read_role(answer, "\nMode: "),
                                      .read_only = strstr(answer, "\nMode: read-only") != NULL,
                                      .zxid = strtoull(zxid, NULL, 16),
                                      .talks = true};
    strcpy(identity->version, version);
}

/* A row for each counter. */
static const struct row {
    const char *keys;
    size_t offset;
    bool is_optional;
} rows[] = {
#define COUNTED(A, B, name, keys, word, meaning) X(name, keys)
#define X(name, keys)                            {keys, offsetof(struct four_letter_counters, name), false},
    FOUR_LETTER_COUNTED(COUNTED, , ) FOUR_LETTER_STATES(X)
#undef X
#define X(name, keys) {keys, offsetof(struct four_letter_counters, name), true},
        FOUR_LETTER_OPTIONAL_STATES(X)
#undef X
};

/* Sums up the keys of a row. Every line but the first, zk_version, is behind another. Returns false
 * with the key that is missing. */
static bool read_row(const struct row *row, const char *answer, char key[64], uint64_t *sum)
{
    *sum = 0;
    for (const char *keys = row->keys; *keys != '\0'; keys += strspn(keys, " ")) {
        char beginning[72], digits[32];
        uint64_t value;
        size_t length = strcspn(keys, " ");
        snprintf(key, 64, "%.*s", (int)length, keys);
        snprintf(beginning, sizeof beginning, "\n%s\t", key);
        copy_line(answer, beginning, digits, sizeof digits);
        if (row->is_optional && digits[0] == '-')
            value = 0;
        else if (!text_parse_number(digits, 0, UINT64_MAX, &value))
            return false;
        *sum += value;
        keys += length;
    }
    return true;
}

enum error_kind four_letter_read_counters(const struct endpoint *endpoint, const char *answer,
                                          struct four_letter_counters *counters,
                                          struct error *error)
{
    char subject[ENDPOINT_TEXT_SIZE], key[64];
    *counters = (struct four_letter_counters){.role = read_role(answer, "\nzk_server_state\t")};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        uint64_t *counter = (uint64_t *)(void *)((char *)counters + rows[i].offset);
        if (read_row(&rows[i], answer, key, counter))
            continue;
        if (!rows[i].is_optional)
            return error_raise(error, ERROR_ZOOKEEPER, 0,
                               endpoint_format(endpoint, subject, sizeof subject),
                               "its answer to mntr lacks %s (ZooKeeper 3.6 or newer has it)", key);
        *counter = FOUR_LETTER_UNREPORTED;
    }
    return ERROR_NONE;
}

uint64_t four_letter_connections_limit(const struct endpoint *endpoint, uint64_t timeout_ns)
{
    char conf[8192], text[64];
    struct error ignored;
    uint64_t number;
    if (four_letter_ask(endpoint, "conf", timeout_ns, conf, sizeof conf, &ignored) != ERROR_NONE)
        return FOUR_LETTER_UNREPORTED;
    copy_line(conf, "\nmaxClientCnxns=", text, sizeof text);
    return text_parse_number(text, 0, UINT64_MAX - 1, &number) ? number : FOUR_LETTER_UNREPORTED;
}
