// SPDX-License-Identifier: Apache-2.0
#include "servers/four_letter.h"

#include "base/clock.h"
#include "servers/tcp.h"

#include <assert.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define WORD_LENGTH  4
#define ASK_AGAIN_NS (10 * NS_PER_MS)

/* Reads until the end of the answer, or an error. */
static enum answer_ending read_answer(int fd, uint64_t deadline_ns, char *answer, size_t size)
{
    enum answer_ending ending = ANSWER_COMES;
    size_t length = 0;
    answer[0] = '\0';
    while (ending == ANSWER_COMES)
        ending = tcp_await(fd, POLLIN, deadline_ns) ? answer_receive(fd, answer, size, &length)
                                                    : ANSWER_LATE;
    return ending;
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
    enum answer_ending ending = read_answer(fd, deadline_ns, answer, size);
    close(fd);
    return answer_judge(endpoint, word, ending, answer, error);
}

enum error_kind four_letter_identify(const struct endpoint *endpoint, uint64_t timeout_ns,
                                     struct four_letter_identity *identity, struct error *error)
{
    char answer[4096];
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
    answer_read_identity(answer, identity);
    return ERROR_NONE;
}

enum error_kind four_letter_counters(const struct endpoint *endpoint, uint64_t timeout_ns,
                                     struct four_letter_counters *counters, struct error *error)
{
    char answer[ANSWER_MNTR_SIZE];
    enum error_kind kind =
        four_letter_ask(endpoint, "mntr", timeout_ns, answer, sizeof answer, error);
    return kind == ERROR_NONE ? answer_read_counters(endpoint, answer, counters, error) : kind;
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
