// SPDX-License-Identifier: Apache-2.0
/* The connections that servers list, each with its session: the word cons. */
#include "bench/inspect/internal.h"

#include "base/clock.h"
#include "base/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Bytes of an answer to cons: a connection takes about 250 bytes. Pages that are not written cost
 * nothing.
 */
#define CONS_SIZE ((size_t)32 << 20)

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

void connections_read(struct connections *connections, size_t server, const char *answer)
{
    while (*answer != '\0') {
        size_t length = strcspn(answer, "\n");
        connections->list =
            memory_grow(connections->list, connections->count, sizeof *connections->list);
        struct connection *place = &connections->list[connections->count];
        place->server = server;
        connections->count += parse_line(answer, length, place);
        answer += length + (answer[length] == '\n');
    }
}

void connections_ask(struct connections *connections, uint64_t timeout_ns)
{
    size_t count = connections->servers->count;
    uint64_t until_ns = clock_now_ns() + timeout_ns;
    char *answer = memory_new(CONS_SIZE, 1);
    for (size_t i = 0; i < count; i++) {
        struct error *refusal = &connections->refusals[i];
        uint64_t now_ns = clock_now_ns();
        uint64_t share_ns = now_ns < until_ns ? (until_ns - now_ns) / (count - i) : 0;
        refusal->kind = four_letter_ask(&connections->servers->endpoints[i], "cons", share_ns,
                                        answer, CONS_SIZE, refusal);
        if (refusal->kind == ERROR_NONE)
            connections_read(connections, i, answer);
    }
    free(answer);
}

const struct connection *connections_find(const struct connections *connections, int64_t session)
{
    for (size_t i = 0; i < connections->count; i++) {
        if (connections->list[i].session == session)
            return &connections->list[i];
    }
    return NULL;
}
