// SPDX-License-Identifier: Apache-2.0
#include "fleet/server_counters.h"

#include "base/clock.h"

#include <time.h>

#define TIMEOUT_NS    (5 * NS_PER_S)
#define AGAIN_NS      (10 * NS_PER_MS)
#define QUESTIONS_MAX 50

/* ------------------------------------------------------------------ one server */

/* What a server is asked for: its identity, or its counters. */
enum word { SRVR, MNTR };

struct answer {
    struct four_letter_identity identity;
    struct four_letter_counters counters;
};

static enum error_kind ask_once(struct server_counters *counters, const struct endpoint *endpoint,
                                enum word word, struct answer *answer, struct error *error)
{
    unsigned simulated = endpoint->port - 1U;
    enum error_kind kind = ERROR_NONE;
    counters->questions++;
    if (counters->sim != NULL && word == SRVR)
        answer->identity = (struct four_letter_identity){
            .role = sim_role((unsigned)counters->servers->count, simulated),
            .zxid = sim_zxid(counters->sim, simulated),
            .talks = true};
    else if (counters->sim != NULL)
        sim_counters(counters->sim, simulated, &answer->counters);
    else if (word == SRVR)
        kind = four_letter_identify(endpoint, TIMEOUT_NS, &answer->identity, error);
    else
        kind = four_letter_counters(endpoint, TIMEOUT_NS, &answer->counters, error);
    counters->words += kind == ERROR_NONE && (word == MNTR || answer->identity.talks);
    return kind;
}

/* Asks until there is an answer, or an error that is no election's; a private server that has ended
 * is not asked again. Whether the server counted the unanswered words is not known. */
static enum error_kind ask(struct server_counters *counters, const struct endpoint *endpoint,
                           enum word word, struct answer *answer, struct error *error)
{
    /* Where one server is known not to answer, no other question waits for it as long again. */
    uint64_t patience_ns = counters->absent.kind == ERROR_NONE ? TIMEOUT_NS : TIMEOUT_NS / 10;
    uint64_t until_ns = clock_now_ns() + patience_ns;
    for (bool again = false;; again = true) {
        enum error_kind kind = ask_once(counters, endpoint, word, answer, error);
        if (kind == ERROR_NONE) {
            counters->asked_again = counters->asked_again || again;
            return kind;
        }
        if (ensemble_check(counters->ensemble, error))
            return error->kind;
        if (!four_letter_may_pass(error) || clock_now_ns() >= until_ns)
            return kind;
        nanosleep(&(struct timespec){.tv_nsec = AGAIN_NS}, NULL);
    }
}

/* Whether the error of a question says that the server is gone, and the caller goes on without. */
static bool goes_without(struct server_counters *counters, const struct error *error)
{
    enum error_kind kind = error->kind;
    bool is_gone = kind == ERROR_REFUSED || kind == ERROR_CLOSED || kind == ERROR_NO_ANSWER ||
                   kind == ERROR_NOT_SERVING;
    if (!counters->may_lack || !is_gone)
        return false;
    if (counters->absent.kind == ERROR_NONE)
        counters->absent = *error;
    return true;
}

/* Asks for the counters until two answers in a row agree, and the server is at rest: it answers
 * line by line and works on meanwhile, so a ping may be in one counter and not in the other, and
 * stays so while it waits at the server. If no two agree, the last answer counts. */
static enum error_kind ask_whole(struct server_counters *counters, const struct endpoint *endpoint,
                                 struct answer *answer, struct error *error)
{
    struct four_letter_counters before = {0};
    for (int questions = 0; questions < QUESTIONS_MAX; questions++) {
        if (ask(counters, endpoint, MNTR, answer, error))
            return error->kind;
        const struct four_letter_counters *now = &answer->counters;
        bool is_at_rest = now->outstanding == 0 || now->outstanding == FOUR_LETTER_UNREPORTED;
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

/* ------------------------------------------------------------------ all servers */

bool server_counters_is_private(const struct server_counters *counters)
{
    return counters->ensemble != NULL || counters->sim != NULL;
}

bool server_counters_is_shared(const struct server_counters_count *reading, uint32_t clients)
{
    return reading->connections > clients + UINT64_C(1); /* the set-up session's */
}

/* That a server was asked again before its counters are first read does not matter to these. */
enum error_kind server_counters_ask_role(struct server_counters *counters,
                                         const struct endpoint *endpoint, enum role *role,
                                         struct error *error)
{
    struct answer answer = {.identity.role = ROLE_UNKNOWN};
    bool asked_again = counters->asked_again;
    enum error_kind kind = ask(counters, endpoint, SRVR, &answer, error);
    counters->asked_again = asked_again;
    if (kind != ERROR_NONE && !goes_without(counters, error))
        return kind;
    *role = answer.identity.role;
    return ERROR_NONE;
}

enum error_kind server_counters_follow(struct server_counters *counters, uint64_t *mark,
                                       bool *reached, uint64_t *longest_ns, struct error *error)
{
    uint64_t least = UINT64_MAX, most = 0;
    *longest_ns = 0;
    for (size_t i = 0; i < counters->servers->count; i++) {
        struct answer answer;
        uint64_t asked_ns = clock_now_ns();
        enum error_kind kind =
            ask(counters, &counters->servers->endpoints[i], SRVR, &answer, error);
        if (kind != ERROR_NONE && goes_without(counters, error))
            continue;
        if (kind != ERROR_NONE)
            return kind;
        uint64_t waited_ns = clock_now_ns() - asked_ns, zxid = answer.identity.zxid;
        *longest_ns = waited_ns > *longest_ns ? waited_ns : *longest_ns;
        if (!answer.identity.talks)
            continue;
        least = zxid < least ? zxid : least;
        most = zxid > most ? zxid : most;
    }
    if (*mark == 0)
        *mark = most;
    *reached = least >= *mark;
    return ERROR_NONE;
}

/* Adds one server's counters. If it does not report them, the reading is not known. */
static enum error_kind add_server(struct server_counters *counters, size_t index,
                                  struct server_counters_count *reading, struct error *error)
{
    struct answer answer;
    const struct four_letter_counters *counted = &answer.counters;
    enum error_kind kind =
        ask_whole(counters, &counters->servers->endpoints[index], &answer, error);
    bool is_unreported = kind == ERROR_NOT_WHITELISTED || kind == ERROR_ZOOKEEPER;
    if (is_unreported && counters->unreported.kind == ERROR_NONE)
        counters->unreported = *error;
    if (is_unreported || (kind != ERROR_NONE && goes_without(counters, error))) {
        reading->known = false;
        return ERROR_NONE;
    }
    if (kind != ERROR_NONE)
        return kind;
#define X(A, B, name, keys, word, meaning) reading->name += counted->name;
    FOUR_LETTER_COUNTED(X, , )
#undef X
    reading->connections += counted->connections - 1;
    reading->watches += (int64_t)counted->watch_count;
    reading->fsync_of_ms[index] = counted->fsync_ms;
    reading->uptime_of_ms[index] = counted->uptime_ms;
    /* A server has all ephemerals, except those that it has not applied yet. */
    if ((int64_t)counted->ephemerals_count < reading->ephemerals)
        reading->ephemerals = (int64_t)counted->ephemerals_count;
    return ERROR_NONE;
}

enum error_kind server_counters_read(struct server_counters *counters,
                                     struct server_counters_count *reading, struct error *error)
{
    const struct ensemble *ensemble = counters->ensemble;
    enum error_kind kind = ERROR_NONE;
    *reading = (struct server_counters_count){.known = true,
                                              .ephemerals = INT64_MAX,
                                              .servers = counters->servers->count,
                                              .cpu_known = ensemble != NULL};
    for (size_t i = 0; i < CONNECT_ENDPOINTS_MAX; i++)
        reading->fsync_of_ms[i] = reading->uptime_of_ms[i] = FOUR_LETTER_UNREPORTED;
    for (size_t i = 0; kind == ERROR_NONE && reading->known && i < counters->servers->count; i++)
        kind = add_server(counters, i, reading, error);
    reading->at_ns = clock_now_ns();
    reading->asked_again = counters->asked_again;
    reading->packets_received -= counters->words;
    if (counters->own != NULL) {
        reading->own = counters->own->traffic;
        reading->has_own = !setup_session_is_idle(counters->own);
    }
    uint64_t known = counters->companions + counters->guests;
    reading->connections -= reading->connections < known ? reading->connections : known;
    return kind == ERROR_NONE && ensemble != NULL
               ? ensemble_cpu_ns(ensemble, reading->cpu_of_ns, &reading->cpu_ns, error)
               : kind;
}

struct server_counters_count server_counters_subtract(const struct server_counters_count *before,
                                                      const struct server_counters_count *after)
{
    uint64_t requests = after->own.requests - before->own.requests,
             writes = after->own.writes - before->own.writes;
    struct server_counters_count count = {
        .known = before->known && after->known && !before->asked_again && !after->asked_again,
        .asked_again = before->asked_again || after->asked_again,
#define X(A, B, name, keys, word, meaning) .name = after->name - before->name,
        FOUR_LETTER_COUNTED(X, , )
#undef X
            .watches = after->watches - before->watches,
        .ephemerals = after->ephemerals - before->ephemerals,
        .has_own = before->has_own || after->has_own || after->own.losses > before->own.losses,
        .servers = after->servers,
        .cpu_known = before->cpu_known && after->cpu_known,
        .cpu_ns = after->cpu_ns - before->cpu_ns,
        .at_ns = after->at_ns - before->at_ns,
        .began_anew = (int64_t)(after->packets_received - before->packets_received) < 0,
    };
    if (!count.has_own) {
        count.writes -= writes;
        count.reads -= requests - writes;
        count.packets_received -= requests;
    }
    for (size_t i = 0; i < ENSEMBLE_SERVERS_MAX; i++)
        count.cpu_of_ns[i] = after->cpu_of_ns[i] - before->cpu_of_ns[i];
    for (size_t i = 0; i < CONNECT_ENDPOINTS_MAX; i++) {
        uint64_t from_ms = before->fsync_of_ms[i], to_ms = after->fsync_of_ms[i],
                 up_ms = before->uptime_of_ms[i], still_up_ms = after->uptime_of_ms[i];
        /* A server that was started anew counts from 0. */
        bool is_known = from_ms != FOUR_LETTER_UNREPORTED && to_ms != FOUR_LETTER_UNREPORTED &&
                        to_ms >= from_ms;
        count.fsync_of_ms[i] = is_known ? to_ms - from_ms : FOUR_LETTER_UNREPORTED;
        /* One that goes on is up for as much longer as was between, but for what asking took. */
        if (i < count.servers && up_ms != FOUR_LETTER_UNREPORTED)
            count.began_anew |= still_up_ms < up_ms + count.at_ns / NS_PER_MS / 2;
    }
    return count;
}
