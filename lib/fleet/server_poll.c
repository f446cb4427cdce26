// SPDX-License-Identifier: Apache-2.0
#include "fleet/server_counters.h"

#include "base/memory.h"
#include "servers/four_letter.h"

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
    size_t count;  /* of servers */
    int readiness; /* an epoll descriptor for all questions; -1: in a simulation */
    struct server_poll_answer answers[CONNECT_ENDPOINTS_MAX];
    struct asked asked[]; /* `count` of them */
};

/* ------------------------------------------------------------------ an answer */

static enum role role_of(const char *mode)
{
    enum role role = role_of_mode(mode);
    return role < ROLES ? role : ROLE_UNKNOWN;
}

static void take_answer(struct server_poll *poll, size_t server)
{
    struct server_poll_answer *answer = &poll->answers[server];
    struct asked *asked = &poll->asked[server];
    const struct four_letter_question *question = &asked->question;
    struct four_letter_counters counters;
    struct four_letter_identity identity;
    struct error error;
    poll->counters->words++;
    answer->state = SERVER_POLL_ANSWERED;
    answer->has_counters = false;
    answer->role = ROLE_UNKNOWN;
    if (asked->refuses_mntr) {
        four_letter_read_identity(question->answer, &identity);
        answer->role = role_of(identity.mode);
    } else if (four_letter_read_counters(question->endpoint, question->answer, &counters, &error) !=
               ERROR_NONE) {
        asked->refuses_mntr = true;
        answer->state = SERVER_POLL_UNKNOWN;
    } else {
        uint64_t before_ms = answer->counters.uptime_ms;
        /* A server that serves in another role, or again, counts from 0. */
        if (counters.uptime_ms < before_ms && before_ms != FOUR_LETTER_UNTOLD)
            poll->counters->asked_again = true;
        answer->counters = counters;
        answer->has_counters = true;
        answer->role = role_of(counters.mode);
    }
}

/* Whoever refuses a connection has not counted the word, and begins to count from 0 when it comes
 * back; of others it is not known. */
static void take_failure(struct server_poll *poll, size_t server, enum error_kind kind)
{
    struct asked *asked = &poll->asked[server];
    poll->answers[server].state = kind == ERROR_REFUSED       ? SERVER_POLL_ABSENT
                                  : kind == ERROR_NOT_SERVING ? SERVER_POLL_UNSERVED
                                                              : SERVER_POLL_UNKNOWN;
    if (kind != ERROR_NOT_WHITELISTED)
        poll->counters->asked_again = true;
    else if (asked->refuses_mntr)
        asked->refuses_srvr = true;
    else
        asked->refuses_mntr = true;
}

static void end_question(struct server_poll *poll, size_t server, enum error_kind kind)
{
    poll->answers[server].came_ns = loop_now_ns(poll->loop);
    if (kind == ERROR_NONE)
        take_answer(poll, server);
    else
        take_failure(poll, server, kind);
}

/* ------------------------------------------------------------------ real servers */

/* What is ready to be written to is ready to be read from later. */
static bool watch(const struct server_poll *poll, size_t server, int operation, uint32_t events)
{
    struct epoll_event event = {.events = events, .data.u64 = server};
    return epoll_ctl(poll->readiness, operation, poll->asked[server].question.fd, &event) == 0;
}

static void go_on(struct server_poll *poll, size_t server)
{
    struct four_letter_question *question = &poll->asked[server].question;
    struct error error;
    bool done;
    enum error_kind kind = four_letter_turn(question, &done, &error);
    if (!done && watch(poll, server, EPOLL_CTL_MOD, EPOLLIN))
        return;
    four_letter_abandon(question);
    end_question(poll, server, done ? kind : ERROR_SYSTEM);
}

static void woken(void *context)
{
    struct server_poll *poll = context;
    struct epoll_event events[CONNECT_ENDPOINTS_MAX];
    int count = epoll_wait(poll->readiness, events, CONNECT_ENDPOINTS_MAX, 0);
    for (int i = 0; i < count; i++)
        go_on(poll, events[i].data.u64);
}

static void ask_real(struct server_poll *poll, size_t server)
{
    struct asked *asked = &poll->asked[server];
    struct error error;
    if (asked->refuses_srvr)
        return;
    poll->answers[server].state = SERVER_POLL_OWES;
    poll->answers[server].asked_ns = loop_now_ns(poll->loop);
    enum error_kind kind =
        four_letter_begin(&asked->question, &poll->counters->servers->endpoints[server],
                          asked->refuses_mntr ? "srvr" : "mntr", &error);
    if (kind == ERROR_NONE && !watch(poll, server, EPOLL_CTL_ADD, EPOLLOUT)) {
        kind = ERROR_SYSTEM;
        four_letter_abandon(&asked->question);
    }
    if (kind != ERROR_NONE)
        end_question(poll, server, kind);
}

/* ------------------------------------------------------------------ a simulation */

static void ask_simulated(struct server_poll *poll, size_t server)
{
    struct server_poll_answer *answer = &poll->answers[server];
    unsigned number = poll->counters->servers->endpoints[server].port - 1U;
    sim_counters(poll->counters->sim, number, &answer->counters);
    poll->counters->words++;
    answer->state = SERVER_POLL_ANSWERED;
    answer->asked_ns = answer->came_ns = loop_now_ns(poll->loop);
    answer->has_counters = true;
    answer->role = role_of(answer->counters.mode);
}

/* ------------------------------------------------------------------ all servers */

enum error_kind server_poll_new(struct server_counters *counters, const struct loop *loop,
                                struct server_poll **poll, struct error *error)
{
    size_t count = counters->servers->count;
    struct server_poll *made = memory_new(1, sizeof *made + count * sizeof made->asked[0]);
    made->counters = counters;
    made->loop = loop;
    made->count = count;
    made->readiness = -1;
    for (size_t i = 0; i < count; i++) {
        made->answers[i].state = SERVER_POLL_UNKNOWN;
        made->answers[i].counters.uptime_ms = FOUR_LETTER_UNTOLD;
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

/* A word that was sent, and whose answer nobody reads, the server counts or not. */
void server_poll_free(struct server_poll *poll)
{
    if (poll == NULL)
        return;
    for (size_t i = 0; i < poll->count; i++) {
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

void server_poll_ask(struct server_poll *poll)
{
    for (size_t i = 0; i < poll->count; i++) {
        if (poll->counters->sim != NULL)
            ask_simulated(poll, i);
        else if (poll->asked[i].question.fd < 0)
            ask_real(poll, i);
    }
}

bool server_poll_is_settled(const struct server_poll *poll)
{
    for (size_t i = 0; i < poll->count; i++) {
        if (poll->answers[i].state == SERVER_POLL_OWES)
            return false;
    }
    return true;
}

const struct server_poll_answer *server_poll_answers(const struct server_poll *poll)
{
    return poll->answers;
}
