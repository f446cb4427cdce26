// SPDX-License-Identifier: Apache-2.0
#include "servers/connections.h"

#include "base/clock.h"
#include "servers/four_letter.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A connection takes about 250 bytes of the answer. Pages that are not written cost nothing. */
#define ANSWER_SIZE ((size_t)32 << 20)

void connections_init(struct connections *connections, const struct connect_string *servers)
{
    *connections = (struct connections){.servers = servers};
}

void connections_deinit(struct connections *connections)
{
    free(connections->list);
    *connections = (struct connections){0};
}

/* " /127.0.0.1:54321[1](queued=0,recved=7,sent=7,sid=0x1000…,lop=PING,…)": an address may have
 * brackets of its own, and a host's name before its slash. */
static bool parse_line(const char *line, size_t length, struct connection *found)
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

static struct connection *make_room(struct connections *connections)
{
    if (connections->count == connections->capacity) {
        size_t capacity = connections->capacity == 0 ? 64 : 2 * connections->capacity;
        void *larger = realloc(connections->list, capacity * sizeof *connections->list);
        if (larger == NULL)
            return NULL;
        connections->list = larger;
        connections->capacity = capacity;
    }
    return &connections->list[connections->count];
}

static int compare(const void *a, const void *b)
{
    const struct connection *one = a, *other = b;
    return (one->session > other->session) - (one->session < other->session);
}

enum error_kind connections_read(struct connections *connections, size_t server, const char *answer,
                                 struct error *error)
{
    while (*answer != '\0') {
        size_t length = strcspn(answer, "\n");
        struct connection *place = make_room(connections);
        if (place == NULL)
            return error_from_errno(error, ENOMEM, "connections", "%s", "");
        if (parse_line(answer, length, place)) {
            place->server = server;
            connections->count++;
        }
        answer += length + (answer[length] == '\n');
    }
    if (connections->count > 0)
        qsort(connections->list, connections->count, sizeof *connections->list, compare);
    return ERROR_NONE;
}

static void ask_server(struct connections *connections, size_t server, char *answer,
                       uint64_t timeout_ns)
{
    const struct endpoint *endpoint = &connections->servers->endpoints[server];
    struct error *refusal = &connections->refusals[server];
    if (refusal->kind == ERROR_NOT_WHITELISTED)
        return;
    enum error_kind kind =
        four_letter_ask(endpoint, "cons", timeout_ns, answer, ANSWER_SIZE, refusal);
    if (kind == ERROR_NONE)
        kind = connections_read(connections, server, answer, refusal);
    refusal->kind = kind;
}

void connections_ask(struct connections *connections, uint64_t timeout_ns)
{
    size_t count = connections->servers->count;
    uint64_t until_ns = clock_now_ns() + timeout_ns;
    char *answer = malloc(ANSWER_SIZE);
    connections->count = 0;
    for (size_t i = 0; i < count; i++) {
        uint64_t now_ns = clock_now_ns();
        if (answer != NULL)
            ask_server(connections, i, answer,
                       now_ns < until_ns ? (until_ns - now_ns) / (count - i) : 0);
        else
            (void)!error_from_errno(&connections->refusals[i], ENOMEM, "connections", "%s", "");
    }
    free(answer);
}

const struct connection *connections_find(const struct connections *connections, int64_t session)
{
    const struct connection wanted = {.session = session};
    if (connections->count == 0)
        return NULL;
    return bsearch(&wanted, connections->list, connections->count, sizeof wanted, compare);
}
