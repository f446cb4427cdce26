// SPDX-License-Identifier: Apache-2.0
#include "fleet/server_counters.h"

#include "base/memory.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <unistd.h>

struct asked {
    struct four_letter_question question;
    bool refuses_mntr;
    bool refuses_srvr;
    char answer[FOUR_LETTER_MNTR_SIZE];
};

struct server_poll {
    struct server_counters *counters;
    const struct loop *loop;
    int readiness; /* an epoll descriptor for all questions; -1: in a simulation */
    struct server_poll_answer answers[CONNECT_ENDPOINTS_MAX];
    struct asked asked[]; /* of each server */
};

/* ------------------------------------------------------------------ the end of a question */

/* A server that serves in another role, or again, counts from 0. */
static void store_counters(struct server_poll *poll, struct server_poll_answer *answer,
                           const struct four_letter_counters *counters)
{
    uint64_t before_ms = answer->counters.uptime_ms;
    if (counters->uptime_ms < before_ms && before_ms != FOUR_LETTER_UNREPORTED)
        poll->counters->asked_again = true;
    answer->state = SERVER_POLL_ANSWERED;
    answer->counters = *counters;
    answer->has_counters = true;
    answer->role = counters->role;
}

/* A server that refuses a connection has not counted the word, and begins to count from 0 when it
 * comes back; of others it is not known. One that is too old for mntr answers it without what is
 * asked for. */
static void end_question(struct server_poll *poll, size_t server, enum error_kind kind)
{
    struct asked *asked = &poll->asked[server];
    const struct four_letter_question *question = &asked->question;
    struct server_poll_answer *answer = &poll->answers[server];
    struct four_letter_counters counters;
    struct four_letter_identity identity;
    struct error error;
    four_letter_abandon(&asked->question);
    answer->came_ns = loop_now_ns(poll->loop);
    answer->state = kind == ERROR_REFUSED       ? SERVER_POLL_ABSENT
                    : kind == ERROR_NOT_SERVING ? SERVER_POLL_UNSERVED
                                                : SERVER_POLL_UNKNOWN;
    if (kind == ERROR_NONE)
        poll->counters->words++;
    if (kind == ERROR_NOT_WHITELISTED) {
        asked->refuses_srvr = asked->refuses_mntr;
        asked->refuses_mntr = true;
    } else if (kind != ERROR_NONE) {
        poll->counters->asked_again = true;
    } else if (asked->refuses_mntr) {
        four_letter_read_identity(asked->answer, &identity);
        answer->state = SERVER_POLL_ANSWERED;
        answer->has_counters = false;
        answer->role = identity.role;
    } else if (four_letter_read_counters(question->endpoint, asked->answer, &counters, &error) ==
               ERROR_NONE) {
        store_counters(poll, answer, &counters);
    } else {
        asked->refuses_mntr = true;
    }
}

/* ------------------------------------------------------------------ real servers */

static void woken(void *context)
{
    struct server_poll *poll = context;
    struct epoll_event events[CONNECT_ENDPOINTS_MAX];
    int count = epoll_wait(poll->readiness, events, CONNECT_ENDPOINTS_MAX, 0);
    for (int i = 0; i < count; i++) {
        size_t server = events[i].data.u64;
        struct error error;
        bool done;
        enum error_kind kind = four_letter_turn(&poll->asked[server].question, &done, &error);
        if (done)
            end_question(poll, server, kind);
    }
}

/* A change of readiness is an event (EPOLLET): one when the word can be sent, and then one for all
 * of the answer that has come. */
static void ask(struct server_poll *poll, size_t server)
{
    struct server_counters *counters = poll->counters;
    const struct endpoint *endpoint = &counters->servers->endpoints[server];
    struct server_poll_answer *answer = &poll->answers[server];
    struct asked *asked = &poll->asked[server];
    struct epoll_event event = {.events = EPOLLOUT | EPOLLIN | EPOLLET, .data.u64 = server};
    struct four_letter_counters simulated;
    struct error error;
    answer->asked_ns = answer->came_ns = loop_now_ns(poll->loop);
    if (counters->sim != NULL) {
        sim_counters(counters->sim, endpoint->port - 1U, &simulated);
        store_counters(poll, answer, &simulated);
        counters->words++;
        return;
    }
    answer->state = SERVER_POLL_OWES;
    enum error_kind kind = four_letter_begin(&asked->question, endpoint,
                                             asked->refuses_mntr ? "srvr" : "mntr", &error);
    if (kind == ERROR_NONE &&
        epoll_ctl(poll->readiness, EPOLL_CTL_ADD, asked->question.fd, &event) != 0)
        kind = ERROR_SYSTEM;
    if (kind != ERROR_NONE)
        end_question(poll, server, kind);
}

void server_poll_ask(struct server_poll *poll)
{
    for (size_t i = 0; i < poll->counters->servers->count; i++) {
        if (poll->asked[i].question.fd < 0 && !poll->asked[i].refuses_srvr)
            ask(poll, i);
    }
}

/* ------------------------------------------------------------------ the poll */

enum error_kind server_poll_new(struct server_counters *counters, const struct loop *loop,
                                struct server_poll **poll, struct error *error)
{
    size_t count = counters->servers->count;
    struct server_poll *made = memory_new(1, sizeof *made + count * sizeof made->asked[0]);
    made->counters = counters;
    made->loop = loop;
    made->readiness = -1;
    for (size_t i = 0; i < count; i++) {
        made->answers[i].state = SERVER_POLL_UNKNOWN;
        made->answers[i].counters.uptime_ms = FOUR_LETTER_UNREPORTED;
        made->asked[i].question = (struct four_letter_question){
            .fd = -1, .answer = made->asked[i].answer, .size = sizeof made->asked[i].answer};
    }
    enum error_kind kind = ERROR_NONE;
    if (counters->sim == NULL) {
        made->readiness = epoll_create1(EPOLL_CLOEXEC);
        kind = made->readiness < 0
                   ? error_from_errno(error, errno, "epoll", "while making a descriptor")
                   : event_loop_watch(loop->event_loop, made->readiness, woken, made, error);
    }
    if (kind == ERROR_NONE)
        *poll = made;
    else
        server_poll_free(made);
    return kind;
}

/* A server may count a word that was sent and whose answer is not read, or not. */
void server_poll_free(struct server_poll *poll)
{
    if (poll == NULL)
        return;
    for (size_t i = 0; i < poll->counters->servers->count; i++) {
        struct four_letter_question *question = &poll->asked[i].question;
        if (question->fd >= 0 && question->sent)
            poll->counters->asked_again = true;
        four_letter_abandon(question);
    }
    if (poll->readiness >= 0) {
        event_loop_unwatch(poll->loop->event_loop, poll->readiness);
        close(poll->readiness);
    }
    free(poll);
}

bool server_poll_is_settled(const struct server_poll *poll)
{
    for (size_t i = 0; i < poll->counters->servers->count; i++) {
        if (poll->answers[i].state == SERVER_POLL_OWES)
            return false;
    }
    return true;
}

const struct server_poll_answer *server_poll_answers(const struct server_poll *poll)
{
    return poll->answers;
}
