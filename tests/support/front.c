// SPDX-License-Identifier: Apache-2.0
#include "tests/support/front.h"

#include "base/clock.h"
#include "tests/support/port.h"

#include <fcntl.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>

static _Atomic unsigned *counters_asked; /* of all fronts together; they are processes */

static void send_all(int to, const char *bytes, size_t count)
{
    if (write(to, bytes, count) != (ssize_t)count)
        _exit(0);
}

static void make_version_9(char *answer, size_t count)
{
    static const char words[] = "Zookeeper version: ";
    char *at = memmem(answer, count, words, sizeof words - 1);
    if (at != NULL)
        at[sizeof words - 1] = '9';
}

static void make_hostile(char *answer, size_t count)
{
    static const char *const before[] = {" /", "Zookeeper version: "};
    for (size_t i = 0; i < 2; i++) {
        char *at = memmem(answer, count, before[i], strlen(before[i]));
        while (at != NULL && at + strlen(before[i]) + strlen(FRONT_HOSTILE) <= answer + count) {
            at += strlen(before[i]);
            memcpy(at, FRONT_HOSTILE, strlen(FRONT_HOSTILE));
            at = memmem(at, (size_t)(answer + count - at), before[i], strlen(before[i]));
        }
    }
}

#define ANSWER_MAX 65536

/* Every time the writes are told, by one fewer than the last time: between any two answers there
 * are too few. Returns the new length; the number may become as long as it can be. */
static size_t miscount(char *answer, size_t count)
{
    static const char words[] = "zk_cnt_updatelatency\t";
    char *number = memmem(answer, count, words, sizeof words - 1), *end, fewer[32];
    if (number == NULL)
        return count;
    number += sizeof words - 1;
    unsigned long long writes = strtoull(number, &end, 10);
    int length =
        snprintf(fewer, sizeof fewer, "%llu", writes - atomic_fetch_add(counters_asked, 1));
    size_t rest = (size_t)(answer + count - end);
    memmove(number + length, end, rest);
    memcpy(number, fewer, (size_t)length);
    return (size_t)(number - answer) + (size_t)length + rest;
}

/* Passes on the whole answer at once: the number may have come in two pieces. */
static void pass_miscounted(int from, int to)
{
    char answer[ANSWER_MAX + 32];
    size_t length = 0;
    ssize_t count;
    while (length < ANSWER_MAX && (count = read(from, answer + length, ANSWER_MAX - length)) > 0)
        length += (size_t)count;
    send_all(to, answer, miscount(answer, length));
}

/* Passes on what has come on one side; false when that side has ended. */
static bool pass(int from, int to, enum manner manner)
{
    char bytes[4096];
    ssize_t count = read(from, bytes, sizeof bytes);
    if (count <= 0) {
        shutdown(to, SHUT_WR);
        return false;
    }
    if (manner == ANOTHER_VERSION)
        make_version_9(bytes, (size_t)count);
    if (manner == HOSTILE)
        make_hostile(bytes, (size_t)count);
    send_all(to, bytes, (size_t)count);
    return true;
}

static bool is_refused(const char *word, enum manner manner)
{
    if (manner == REFUSES_CONNECTIONS)
        return memcmp(word, "cons", 4) == 0;
    return ((manner == REFUSES_WORDS || manner == REFUSES_COUNTERS) &&
            memcmp(word, "mntr", 4) == 0) ||
           (manner == REFUSES_WORDS && memcmp(word, "srvr", 4) == 0);
}

_Noreturn static void stand_between(int client, const struct endpoint *server, enum manner manner)
{
    static const char refusal[] = " is not executed because it is not in the whitelist.\n";
    char word[4];
    struct error error;
    int behind = -1;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (recv(client, word, sizeof word, MSG_WAITALL) != sizeof word)
        _exit(0);
    if (is_refused(word, manner)) {
        send_all(client, word, sizeof word);
        send_all(client, refusal, sizeof refusal - 1);
        _exit(0);
    }
    /* As in an election: two of three times it hangs up without a word. */
    if (manner == FALTERS && memcmp(word, "mntr", 4) == 0 &&
        atomic_fetch_add(counters_asked, 1) % 3 != 2)
        _exit(0);
    if (tcp_connect(server, clock_now_ns() + NS_PER_S, &behind, &error) != ERROR_NONE)
        _exit(0);
    fcntl(behind, F_SETFL, 0);
    send_all(behind, word, sizeof word);
    if (manner == MISCOUNTS && memcmp(word, "mntr", 4) == 0) {
        pass_miscounted(behind, client);
        _exit(0);
    }
    struct pollfd sides[] = {{.fd = client, .events = POLLIN}, {.fd = behind, .events = POLLIN}};
    while (sides[1].fd >= 0 && poll(sides, 2, -1) > 0) {
        if (sides[0].revents != 0 && !pass(client, behind, REFUSES_WORDS))
            sides[0].fd = -1;
        if (sides[1].revents != 0 && !pass(behind, client, manner))
            sides[1].fd = -1;
    }
    _exit(0);
}

_Noreturn static void serve(int listening, const struct endpoint *server, enum manner manner)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    signal(SIGCHLD, SIG_IGN);
    for (;;) {
        int client = accept(listening, NULL, NULL);
        if (fork() == 0)
            stand_between(client, server, manner);
        close(client);
    }
}

struct front front_start(const struct endpoint *server, enum manner manner)
{
    struct front front;
    if (counters_asked == NULL)
        counters_asked = mmap(NULL, sizeof *counters_asked, PROT_READ | PROT_WRITE,
                              MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    uint16_t port;
    int listening = port_listen(&port);
    snprintf(front.address, sizeof front.address, "127.0.0.1:%u", port);
    front.pid = fork();
    if (front.pid == 0)
        serve(listening, server, manner);
    close(listening);
    return front;
}

void front_stop(const struct front *front)
{
    kill(front->pid, SIGKILL);
    waitpid(front->pid, NULL, 0);
}
