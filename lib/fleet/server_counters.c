// SPDX-License-Identifier: Apache-2.0
#include "fleet/server_counters.h"

#include "base/clock.h"
#include "servers/four_letter.h"

#include <stdio.h>

#define TIMEOUT_NS    (5 * NS_PER_S)
#define QUESTIONS_MAX 50

/* The context of a question for four_letter_insist. */
struct inquiry {
    struct server_counters *counters;
    const struct endpoint *endpoint;
    struct four_letter_identity identity;
    struct four_letter_counters answer;
};

/* A private server that has ended is not asked again. */
static enum error_kind find_cause(const struct inquiry *inquiry, enum error_kind kind,
                                  struct error *error)
{
    struct error end;
    if (kind == ERROR_NONE || ensemble_check(inquiry->counters->ensemble, &end) == ERROR_NONE)
        return kind;
    *error = end;
    return end.kind;
}

/* Where one server is known not to answer, no other question waits for it as long again. */
static uint64_t patience_ns(const struct server_counters *counters)
{
    return counters->absent.kind == ERROR_NONE ? TIMEOUT_NS : TIMEOUT_NS / 10;
}

/* Asks until there is an answer. Whether the server counted the unanswered words is not known. */
static enum error_kind insist(enum error_kind (*ask)(void *inquiry, struct error *error),
                              struct inquiry *inquiry, struct error *error)
{
    unsigned times;
    enum error_kind kind =
        four_letter_insist(ask, inquiry, patience_ns(inquiry->counters), &times, error);
    if (kind == ERROR_NONE)
        inquiry->counters->asked_again = inquiry->counters->asked_again || times > 1;
    return kind;
}

/* Whether the error of a question says that the server is gone, and the caller goes on without. */
static bool goes_without(struct server_counters *counters, enum error_kind kind,
                         const struct error *error)
{
    bool is_gone = kind == ERROR_REFUSED || kind == ERROR_CLOSED || kind == ERROR_NO_ANSWER ||
                   kind == ERROR_NOT_SERVING;
    if (!counters->may_lack || !is_gone)
        return false;
    if (counters->absent.kind == ERROR_NONE)
        counters->absent = *error;
    return true;
}

static enum error_kind ask_identity(void *context, struct error *error)
{
    struct inquiry *inquiry = context;
    struct server_counters *counters = inquiry->counters;
    enum error_kind kind = ERROR_NONE;
    counters->questions++;
    if (counters->sim != NULL) {
        snprintf(inquiry->identity.mode, sizeof inquiry->identity.mode, "%s",
                 sim_mode((unsigned)counters->servers->count, inquiry->endpoint->port - 1U));
        inquiry->identity.zxid = sim_zxid(counters->sim, inquiry->endpoint->port - 1U);
        inquiry->identity.talks = true;
    } else {
        kind = four_letter_identify(inquiry->endpoint, TIMEOUT_NS, &inquiry->identity, error);
    }
    counters->words += kind == ERROR_NONE && inquiry->identity.talks;
    return find_cause(inquiry, kind, error);
}

static enum error_kind ask_counters(void *context, struct error *error)
{
    struct inquiry *inquiry = context;
    struct server_counters *counters = inquiry->counters;
    enum error_kind kind = ERROR_NONE;
    counters->questions++;
    if (counters->sim != NULL)
        sim_counters(counters->sim, inquiry->endpoint->port - 1U, &inquiry->answer);
    else
        kind = four_letter_counters(inquiry->endpoint, TIMEOUT_NS, &inquiry->answer, error);
    counters->words += kind == ERROR_NONE;
    return find_cause(inquiry, kind, error);
}

/* Asks for the counters until two answers in a row agree, and the server is at rest: it answers
 * line by line and works on meanwhile, so a ping may be in one counter and not in the other, and
 * stays so while it waits at the server. If no two agree, the last answer counts. */
static enum error_kind ask_whole(struct inquiry *inquiry, struct error *error)
{
    struct four_letter_counters before = {0};
    for (int questions = 0; questions < QUESTIONS_MAX; questions++) {
        enum error_kind kind = insist(ask_counters, inquiry, error);
        if (kind != ERROR_NONE)
            return kind;
        const struct four_letter_counters *now = &inquiry->answer;
        bool is_at_rest = now->outstanding == 0 || now->outstanding == FOUR_LETTER_UNTOLD;
        before.packets_received++; /* this question */
#define X(A, B, name, keys, word, meaning) is_at_rest = is_at_rest && now->name == before.name;
        FOUR_LETTER_COUNTED(X, , )
#undef X
        if (questions > 0 && is_at_rest)
            break;
        before = *now;
    }
    return ERROR_NONE;
}

/* Adds one server's counters. If it does not tell them, the reading is not known. */
static enum error_kind add_server(struct server_counters *counters, size_t index,
                                  struct server_counters_reading *reading, struct error *error)
{
    struct inquiry inquiry = {.counters = counters,
                              .endpoint = &counters->servers->endpoints[index]};
    enum error_kind kind = ask_whole(&inquiry, error);
    bool is_untold = kind == ERROR_NOT_WHITELISTED || kind == ERROR_ZOOKEEPER;
    if (is_untold && counters->untold.kind == ERROR_NONE)
        counters->untold = *error;
    if (is_untold || (kind != ERROR_NONE && goes_without(counters, kind, error))) {
        reading->known = false;
        return ERROR_NONE;
    }
    if (kind != ERROR_NONE)
        return kind;
    const struct four_letter_counters *answer = &inquiry.answer;
#define X(A, B, name, keys, word, meaning) reading->name += answer->name;
    FOUR_LETTER_COUNTED(X, , )
#undef X
    reading->connections += answer->connections - 1;
    reading->watches += answer->watch_count;
    reading->fsync_of_ms[index] = answer->fsync_ms;
    /* A server has all ephemerals, except those that it has not applied yet. */
    if (answer->ephemerals_count < reading->ephemerals)
        reading->ephemerals = answer->ephemerals_count;
    return ERROR_NONE;
}

bool server_counters_is_private(const struct server_counters *counters)
{
    return counters->ensemble != NULL || counters->sim != NULL;
}

bool server_counters_is_shared(const struct server_counters_reading *reading, uint32_t clients)
{
    return reading->connections > clients + UINT64_C(1); /* the set-up session's */
}

enum error_kind server_counters_ask_role(struct server_counters *counters,
                                         const struct endpoint *endpoint, enum role *role,
                                         struct error *error)
{
    struct inquiry inquiry = {.counters = counters, .endpoint = endpoint};
    unsigned times;
    enum error_kind kind =
        four_letter_insist(ask_identity, &inquiry, patience_ns(counters), &times, error);
    if (kind != ERROR_NONE && !goes_without(counters, kind, error))
        return kind;
    enum role found = role_of_mode(inquiry.identity.mode);
    *role = found < ROLES ? found : ROLE_UNKNOWN;
    return ERROR_NONE;
}

enum error_kind server_counters_follow(struct server_counters *counters, uint64_t *mark,
                                       bool *reached, uint64_t *longest_ns, struct error *error)
{
    uint64_t least = UINT64_MAX, most = 0;
    *longest_ns = 0;
    for (size_t i = 0; i < counters->servers->count; i++) {
        struct inquiry inquiry = {.counters = counters,
                                  .endpoint = &counters->servers->endpoints[i]};
        uint64_t asked_ns = clock_now_ns();
        enum error_kind kind = insist(ask_identity, &inquiry, error);
        if (kind != ERROR_NONE && goes_without(counters, kind, error))
            continue;
        if (kind != ERROR_NONE)
            return kind;
        uint64_t waited_ns = clock_now_ns() - asked_ns;
        *longest_ns = waited_ns > *longest_ns ? waited_ns : *longest_ns;
        if (!inquiry.identity.talks)
            continue;
        least = inquiry.identity.zxid < least ? inquiry.identity.zxid : least;
        most = inquiry.identity.zxid > most ? inquiry.identity.zxid : most;
    }
    if (*mark == 0)
        *mark = most;
    *reached = least >= *mark;
    return ERROR_NONE;
}

enum error_kind server_counters_read(struct server_counters *counters,
                                     struct server_counters_reading *reading, struct error *error)
{
    *reading = (struct server_counters_reading){.known = true, .ephemerals = UINT64_MAX};
    enum error_kind kind = ERROR_NONE;
    for (size_t i = 0; i < CONNECT_ENDPOINTS_MAX; i++)
        reading->fsync_of_ms[i] = FOUR_LETTER_UNTOLD;
    for (size_t i = 0; kind == ERROR_NONE && reading->known && i < counters->servers->count; i++)
        kind = add_server(counters, i, reading, error);
    reading->servers = counters->servers->count;
    reading->at_ns = clock_now_ns();
    reading->asked_again = counters->asked_again;
    reading->packets_received -= counters->words;
    if (counters->own != NULL) {
        reading->own = counters->own->traffic;
        reading->own_outstanding = counters->own->client->outstanding;
    }
    reading->connections -=
        reading->connections < counters->companions ? reading->connections : counters->companions;
    if (kind != ERROR_NONE || counters->ensemble == NULL)
        return kind;
    reading->cpu_known = true;
    for (unsigned i = 0; kind == ERROR_NONE && i < counters->ensemble->connect.count; i++) {
        kind = server_cpu_ns(&counters->ensemble->servers[i], &reading->cpu_of_ns[i], error);
        reading->cpu_ns += reading->cpu_of_ns[i];
    }
    return kind;
}

static void leave_out_own(const struct server_counters_reading *before,
                          const struct server_counters_reading *after,
                          struct server_counters_count *count)
{
    uint64_t requests = after->own.requests - before->own.requests;
    uint64_t writes = after->own.writes - before->own.writes;
    count->has_own = before->own_outstanding + after->own_outstanding > 0 ||
                     after->own.losses > before->own.losses;
    if (count->has_own)
        return;
    count->writes -= writes;
    count->reads -= requests - writes;
    count->packets_received -= requests;
}

struct server_counters_count server_counters_subtract(const struct server_counters_reading *before,
                                                      const struct server_counters_reading *after)
{
    struct server_counters_count count = {
        .known = before->known && after->known && !before->asked_again && !after->asked_again,
        .asked_again = before->asked_again || after->asked_again,
#define X(A, B, name, keys, word, meaning) .name = after->name - before->name,
        FOUR_LETTER_COUNTED(X, , )
#undef X
            .watches_leaked = (int64_t)after->watches - (int64_t)before->watches,
        .ephemerals_leaked = (int64_t)after->ephemerals - (int64_t)before->ephemerals,
        .cpu_known = before->cpu_known && after->cpu_known,
        .cpu_ns = after->cpu_ns - before->cpu_ns,
        .servers = after->servers,
        .span_ns = after->at_ns - before->at_ns,
    };
    leave_out_own(before, after, &count);
    for (size_t i = 0; i < ENSEMBLE_SERVERS_MAX; i++)
        count.cpu_of_ns[i] = after->cpu_of_ns[i] - before->cpu_of_ns[i];
    for (size_t i = 0; i < CONNECT_ENDPOINTS_MAX; i++) {
        uint64_t from_ms = before->fsync_of_ms[i], to_ms = after->fsync_of_ms[i];
        /* A server that was started anew counts from 0. */
        bool told =
            from_ms != FOUR_LETTER_UNTOLD && to_ms != FOUR_LETTER_UNTOLD && to_ms >= from_ms;
        count.fsync_of_ms[i] = told ? to_ms - from_ms : FOUR_LETTER_UNTOLD;
    }
    return count;
}
