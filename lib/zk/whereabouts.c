// SPDX-License-Identifier: Apache-2.0
#include "zk/whereabouts.h"

#include "base/clock.h"
#include "zk/admin.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A connection takes some 250 bytes of the answer; only what comes is touched. */
#define ANSWER_SIZE ((size_t)32 << 20)

void whereabouts_init(struct whereabouts *whereabouts, const struct connect_string *servers)
{
    *whereabouts = (struct whereabouts){.servers = servers};
}

void whereabouts_deinit(struct whereabouts *whereabouts)
{
    free(whereabouts->list);
    *whereabouts = (struct whereabouts){0};
}

/* " /127.0.0.1:54321[1](queued=0,recved=7,sent=7,sid=0x1000…,lop=PING,…)": an address may have
 * brackets of its own, and a host's name before its slash. */
static bool parse_line(const char *line, size_t length, struct whereabout *found)
{
    char text[512];
    snprintf(text, sizeof text, "%.*s", (int)length, line);
    const char *session = strstr(text, ",sid=0x");
    char *facts = strchr(text, '('), *slash = strchr(text, '/');
    if (session == NULL || facts == NULL || slash == NULL || slash > facts)
        return false;
    *facts = '\0';
    char *interest = strrchr(text, '[');
    if (interest == NULL || interest < slash)
        return false;
    *interest = '\0';
    found->session = (int64_t)strtoull(session + strlen(",sid="), NULL, 16);
    snprintf(found->client, sizeof found->client, "%.79s", slash + 1);
    return true;
}

static struct whereabout *make_room(struct whereabouts *whereabouts)
{
    if (whereabouts->count == whereabouts->capacity) {
        size_t capacity = whereabouts->capacity == 0 ? 64 : 2 * whereabouts->capacity;
        void *larger = realloc(whereabouts->list, capacity * sizeof *whereabouts->list);
        if (larger == NULL)
            return NULL;
        whereabouts->list = larger;
        whereabouts->capacity = capacity;
    }
    return &whereabouts->list[whereabouts->count];
}

static int compare(const void *a, const void *b)
{
    const struct whereabout *one = a, *other = b;
    return (one->session > other->session) - (one->session < other->session);
}

enum fault_kind whereabouts_read(struct whereabouts *whereabouts, size_t server, const char *answer,
                                 struct fault *fault)
{
    while (*answer != '\0') {
        size_t length = strcspn(answer, "\n");
        struct whereabout *place = make_room(whereabouts);
        if (place == NULL)
            return fault_from_errno(fault, ENOMEM, "connections", "%s", "");
        if (parse_line(answer, length, place)) {
            place->server = server;
            whereabouts->count++;
        }
        answer += length + (answer[length] == '\n');
    }
    if (whereabouts->count > 0)
        qsort(whereabouts->list, whereabouts->count, sizeof *whereabouts->list, compare);
    return FAULT_NONE;
}

static void ask_server(struct whereabouts *whereabouts, size_t server, char *answer,
                       uint64_t timeout_ns)
{
    const struct endpoint *endpoint = &whereabouts->servers->endpoints[server];
    struct fault *refusal = &whereabouts->refusals[server];
    if (refusal->kind == FAULT_NOT_WHITELISTED)
        return;
    enum fault_kind kind = admin_ask(endpoint, "cons", timeout_ns, answer, ANSWER_SIZE, refusal);
    if (kind == FAULT_NONE)
        kind = whereabouts_read(whereabouts, server, answer, refusal);
    refusal->kind = kind;
}

void whereabouts_ask(struct whereabouts *whereabouts, uint64_t timeout_ns)
{
    size_t count = whereabouts->servers->count;
    uint64_t until_ns = clock_now_ns() + timeout_ns;
    char *answer = malloc(ANSWER_SIZE);
    whereabouts->count = 0;
    for (size_t i = 0; i < count; i++) {
        uint64_t now_ns = clock_now_ns();
        if (answer != NULL)
            ask_server(whereabouts, i, answer,
                       now_ns < until_ns ? (until_ns - now_ns) / (count - i) : 0);
        else
            (void)!fault_from_errno(&whereabouts->refusals[i], ENOMEM, "connections", "%s", "");
    }
    free(answer);
}

const struct whereabout *whereabouts_find(const struct whereabouts *whereabouts, int64_t session)
{
    const struct whereabout wanted = {.session = session};
    if (whereabouts->count == 0)
        return NULL;
    return bsearch(&wanted, whereabouts->list, whereabouts->count, sizeof wanted, compare);
}
