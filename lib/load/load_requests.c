// SPDX-License-Identifier: Apache-2.0
#include "load/internal.h"

#include <stdio.h>
#include <string.h>

/* Of the number at the end of a created znode's name: enough for any 64-bit number. */
#define DIGITS 20

static const struct load_plan *plan_of(const struct load_requests *requests)
{
    return requests->load->plan;
}

void load_requests_init(struct load_requests *requests, const struct load_shared *load,
                        uint32_t session, uint64_t seed)
{
    const char *root = load->plan->root;
    *requests = (struct load_requests){.load = load, .session = session};
    random_init(&requests->random, seed);
    snprintf(requests->folder, sizeof requests->folder, "%s/c/%u", root, session);
    snprintf(requests->child, sizeof requests->child, "%s/c/%u/n%0*d", root, session, DIGITS, 0);
    snprintf(requests->pair, sizeof requests->pair, "%s/c/%u/p%0*d", root, session, DIGITS, 0);
    snprintf(requests->lock, sizeof requests->lock, "%s/lock", root);
}

/* ------------------------------------------------------------------ what is drawn */

static uint32_t draw_znode(struct load_requests *requests)
{
    uint32_t znodes = plan_of(requests)->znodes;
    return znodes == 0 ? requests->session : (uint32_t)random_below(&requests->random, znodes);
}

/* Of a read of a data znode. */
static bool draw_watch(struct load_requests *requests)
{
    uint32_t percent = plan_of(requests)->watch_percent;
    return percent > 0 && random_below(&requests->random, 100) < percent;
}

/* A delete that finds nothing to delete creates, and one of the creates to come deletes in its
 * place: so the shares are those of the mix. */
enum load_kind load_requests_draw(struct load_requests *requests)
{
    enum load_kind kind = mix_draw(&plan_of(requests)->mix, &requests->random);
    bool has_own = load_requests_has_own(requests);
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

/* ------------------------------------------------------------------ requests */

/* Writes the number into the digits at the path's end, without printf: it is in the measured path.
 */
static const char *numbered(char *path, uint64_t number)
{
    char *at = path + strlen(path);
    for (int i = 0; i < DIGITS; i++, number /= 10)
        *--at = (char)('0' + number % 10);
    return path;
}

struct request load_requests_create(const struct load_requests *requests, const char *path)
{
    return request_create(path, requests->load->value, plan_of(requests)->value_bytes, PERSISTENT);
}

bool load_requests_has_own(const struct load_requests *requests)
{
    return requests->deleted < requests->created;
}

struct request load_requests_delete_own(struct load_requests *requests)
{
    return request_delete(numbered(requests->child, requests->deleted++));
}

static void submit_multi(struct load_requests *requests, struct client *client, uint64_t tag)
{
    const char *path = requests->load->paths[draw_znode(requests)];
    const struct request parts[] = {
        request_check(path, REQUEST_ANY_VERSION),
        request_set(path, requests->load->value, plan_of(requests)->value_bytes,
                    REQUEST_ANY_VERSION),
    };
    const struct request multi = {.operation = OP_MULTI, .parts = parts, .part_count = 2};
    client_submit(client, &multi, tag);
}

/* Draws a data znode, and whether to leave a watch. */
static struct request read_request(struct load_requests *requests, enum operation operation,
                                   struct load_sent *sent)
{
    sent->znode = draw_znode(requests);
    sent->watch = draw_watch(requests);
    return (struct request){.operation = operation,
                            .path = requests->load->paths[sent->znode],
                            .watch = sent->watch ? WATCH : NO_WATCH};
}

static struct request set_request(struct load_requests *requests, struct load_sent *sent)
{
    sent->znode = draw_znode(requests);
    return request_set(requests->load->paths[sent->znode], requests->load->value,
                       plan_of(requests)->value_bytes, REQUEST_ANY_VERSION);
}

/* Of all kinds but LOAD_MULTI. */
static struct request request_of(struct load_requests *requests, enum load_kind kind,
                                 struct load_sent *sent)
{
    switch (kind) {
    case LOAD_EXISTS:
        return read_request(requests, OP_EXISTS, sent);
    case LOAD_CHILDREN:
        return (struct request){.operation = OP_GET_CHILDREN, .path = requests->folder};
    case LOAD_SET:
        return set_request(requests, sent);
    case LOAD_CREATE:
        return load_requests_create(requests, numbered(requests->child, requests->created++));
    case LOAD_DELETE:
        return load_requests_delete_own(requests);
    case LOAD_TRYLOCK:
        return request_create(requests->lock, NULL, 0, EPHEMERAL);
    case LOAD_CREATE_DELETE:
        return load_requests_create(requests, numbered(requests->pair, requests->pairs++));
    case LOAD_UNLOCK:
        return request_delete(requests->lock);
    case LOAD_ASYNC_DELETE:
        return request_delete(numbered(requests->pair, requests->pairs_answered - 1));
    default:
        return read_request(requests, OP_GET, sent);
    }
}

void load_requests_submit(struct load_requests *requests, struct client *client,
                          enum load_kind kind, uint64_t tag, struct load_sent *sent)
{
    *sent = (struct load_sent){0};
    if (kind == LOAD_MULTI) {
        submit_multi(requests, client, tag);
        return;
    }
    const struct request request = request_of(requests, kind, sent);
    client_submit(client, &request, tag);
}
