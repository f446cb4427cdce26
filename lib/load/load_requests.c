// SPDX-License-Identifier: Apache-2.0
#include "load/load_session.h"

#include <stdio.h>
#include <string.h>

/* ------------------------------------------------------------------ when */

static void set_due(struct schedule *schedule)
{
    /* In two parts: after five hours of a million a second number * NS_PER_S exceeds 64 bits. */
    uint64_t seconds = schedule->number / schedule->rate_per_s,
             rest = schedule->number % schedule->rate_per_s;
    uint64_t since_ns = schedule->poisson
                            ? (uint64_t)schedule->since_start_ns
                            : seconds * NS_PER_S + rest * NS_PER_S / schedule->rate_per_s;
    schedule->due_ns = schedule->start_ns + since_ns;
}

static double draw_gap_ns(struct schedule *schedule)
{
    double mean_ns = (double)NS_PER_S * schedule->sessions / (double)schedule->rate_per_s;
    return random_exponential(&schedule->random, mean_ns);
}

void schedule_init(struct schedule *schedule, uint64_t rate_per_s, bool poisson, uint32_t session,
                   uint32_t sessions, uint64_t start_ns, uint64_t seed)
{
    *schedule = (struct schedule){.start_ns = start_ns,
                                  .rate_per_s = rate_per_s,
                                  .sessions = sessions,
                                  .poisson = poisson,
                                  .number = session};
    random_init(&schedule->random, seed);
    if (poisson)
        schedule->since_start_ns = draw_gap_ns(schedule);
    set_due(schedule);
}

void schedule_advance(struct schedule *schedule)
{
    schedule->number += schedule->sessions;
    if (schedule->poisson)
        schedule->since_start_ns += draw_gap_ns(schedule);
    set_due(schedule);
}

/* At constant distances the operations of all sessions until then are left from `number` on. */
uint64_t schedule_skip(struct schedule *schedule, uint64_t until_ns)
{
    uint64_t skipped = 0;
    if (schedule->due_ns >= until_ns)
        return 0;
    for (; schedule->poisson && schedule->due_ns < until_ns; skipped++)
        schedule_advance(schedule);
    if (schedule->poisson)
        return skipped;
    uint64_t since_ns = until_ns - schedule->start_ns,
             all = since_ns / NS_PER_S * schedule->rate_per_s +
                   (since_ns % NS_PER_S * schedule->rate_per_s + NS_PER_S - 1) / NS_PER_S;
    skipped = (all - schedule->number + schedule->sessions - 1) / schedule->sessions;
    schedule->number += skipped * schedule->sessions;
    set_due(schedule);
    return skipped;
}

/* ------------------------------------------------------------------ what */

/* The digits at the end of a created znode's name: enough for any 64-bit number. */
#define DIGITS 20

void load_requests_init(struct load_session *session, uint64_t seed)
{
    const char *root = session->load->plan->root;
    struct load_requests *requests = &session->requests;
    uint32_t number = session->actor.number;
    random_init(&requests->random, seed);
    requests->seed = seed;
    snprintf(requests->folder, sizeof requests->folder, "%s/c/%u", root, number);
    snprintf(requests->child, sizeof requests->child, "%s/c/%u/n%0*d", root, number, DIGITS, 0);
    snprintf(requests->pair, sizeof requests->pair, "%s/c/%u/p%0*d", root, number, DIGITS, 0);
    snprintf(requests->lock, sizeof requests->lock, "%s/lock", root);
}

static uint32_t draw_znode(struct load_session *session)
{
    uint32_t znodes = session->load->plan->znodes;
    return znodes == 0 ? session->actor.number
                       : (uint32_t)random_below(&session->requests.random, znodes);
}

void load_requests_seek(struct load_session *session, uint64_t number)
{
    struct load_requests *requests = &session->requests;
    random_init(&requests->random, requests->seed + number);
}

/* A delete that finds nothing creates, and a later create deletes instead: the shares stay. */
enum load_kind load_requests_draw(struct load_session *session)
{
    struct load_requests *requests = &session->requests;
    enum load_kind kind = mix_draw(&session->load->plan->mix, &requests->random);
    bool has_own = load_requests_has_own(session);
    if (kind == LOAD_DELETE && !has_own) {
        requests->deletes_owed++;
        return LOAD_CREATE;
    }
    if (kind == LOAD_CREATE && has_own && requests->deletes_owed > 0) {
        requests->deletes_owed--;
        return LOAD_DELETE;
    }
    return kind;
}

/* Writes the number into the digits at the path's end; in the measured path, so without printf. */
static const char *numbered(char *path, uint64_t number)
{
    char *at = path + strlen(path);
    for (int i = 0; i < DIGITS; i++, number /= 10)
        *--at = (char)('0' + number % 10);
    return path;
}

struct request load_requests_create(const struct load_session *session, const char *path)
{
    return request_create(path, session->load->value, session->load->plan->value_bytes, PERSISTENT);
}

bool load_requests_has_own(const struct load_session *session)
{
    return session->requests.deleted < session->requests.created;
}

struct request load_requests_delete_own(struct load_session *session)
{
    return request_delete(numbered(session->requests.child, session->requests.deleted++));
}

/* The data znode is drawn, as is whether the read leaves a watch. */
static struct request read_request(struct load_session *session, enum operation operation,
                                   struct load_sent *sent)
{
    uint32_t percent = session->load->plan->watch_percent;
    sent->znode = draw_znode(session);
    sent->watch = percent > 0 && random_below(&session->requests.random, 100) < percent;
    return request_read(operation, session->load->paths[sent->znode],
                        sent->watch ? WATCH : NO_WATCH);
}

/* For a multi: its write. */
static struct request request_of(struct load_session *session, enum load_kind kind,
                                 struct load_sent *sent)
{
    struct load_requests *requests = &session->requests;
    const struct load_shared *load = session->load;
    switch (kind) {
    case LOAD_EXISTS:
        return read_request(session, OP_EXISTS, sent);
    case LOAD_CHILDREN:
        return request_read(OP_GET_CHILDREN, requests->folder, NO_WATCH);
    case LOAD_SET:
    case LOAD_MULTI:
        sent->znode = draw_znode(session);
        return request_set(load->paths[sent->znode], load->value, load->plan->value_bytes,
                           REQUEST_ANY_VERSION);
    case LOAD_CREATE:
        return load_requests_create(session, numbered(requests->child, requests->created++));
    case LOAD_DELETE:
        return load_requests_delete_own(session);
    case LOAD_TRYLOCK:
        return request_create(requests->lock, NULL, 0, EPHEMERAL);
    case LOAD_CREATE_DELETE:
        return load_requests_create(session, numbered(requests->pair, requests->pairs++));
    case LOAD_UNLOCK:
        return request_delete(requests->lock);
    case LOAD_ASYNC_DELETE:
        return request_delete(numbered(requests->pair, requests->pairs_answered - 1));
    default:
        return read_request(session, OP_GET, sent);
    }
}

void load_requests_submit(struct load_session *session, enum load_kind kind, uint64_t tag,
                          struct load_sent *sent)
{
    *sent = (struct load_sent){0};
    struct request request = request_of(session, kind, sent), parts[2];
    if (kind == LOAD_MULTI) {
        parts[0] = request_check(request.path, REQUEST_ANY_VERSION);
        parts[1] = request;
        request = request_multi(parts, 2);
    }
    client_submit(session->actor.client, &request, tag);
}
