// SPDX-License-Identifier: Apache-2.0
#include "base/memory.h"
#include "base/text.h"
#include "trial/internal.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ why a trial ended */

/* What a session that has not come to its end is doing. */
static void describe_session(const struct trial_memory *memory, uint32_t number, char *text,
                             size_t size)
{
    const struct trial_session_report *session = &memory->sessions[number];
    enum client_event event = session->awaited;
    const char *change = event == EVENT_CREATED   ? "the creation of"
                         : event == EVENT_DELETED ? "the deletion of"
                         : event == EVENT_CHILD   ? "a change of the children of"
                                                  : "a change of";
    if (session->parked)
        snprintf(text, size, "which waits at %s for %s %s", session->node, change,
                 session->waits_for);
    else if (memory->fleet->sessions[number].asked)
        snprintf(text, size, "which has a request out for its znode %s", session->node);
    else
        snprintf(text, size, "which rests at its znode %s", session->node);
}

static void name_the_unfinished(const struct trial_memory *memory, char *text, size_t size)
{
    uint32_t unfinished = 0, first = 0;
    for (uint32_t i = memory->plan->fleet.sessions; i-- > 0;) {
        if (memory->sessions[i].unfinished) {
            unfinished++;
            first = i;
        }
    }
    char what[2 * RECIPE_PATH_MAX + 64];
    describe_session(memory, first, what, sizeof what);
    text_append(text, size, "nothing moved for %g s", (double)memory->plan->fleet.timeout_ns / 1e9);
    if (unfinished == 1)
        text_append(text, size, ": 1 session is unfinished, session %u, %s", first, what);
    else if (unfinished > 1)
        text_append(text, size, ": %u sessions are unfinished, the first is session %u, %s",
                    unfinished, first, what);
}

/* Adds the requests that are out at each server, which is asked for its role. A reply that has come
 * and lies unread is zkherd's to answer for, everything else the server's. */
static void name_the_asked(const struct trial_memory *memory, struct server_counters *counters,
                           char *text, size_t size)
{
    const struct connect_string *servers = memory->plan->fleet.servers;
    for (size_t i = 0; i < servers->count; i++) {
        uint32_t asked = 0, answered = 0;
        char address[ENDPOINT_TEXT_SIZE];
        enum role role;
        struct error error;
        endpoint_address(&servers->endpoints[i], address, sizeof address);
        for (uint32_t n = 0; n < memory->plan->fleet.sessions; n++) {
            const struct shared_session *session = &memory->fleet->sessions[n];
            bool is_here = session->asked && strcmp(session->server, address) == 0;
            asked += is_here;
            answered += is_here && session->answered;
        }
        if (asked == 0)
            continue;
        enum error_kind kind =
            server_counters_ask_role(counters, &servers->endpoints[i], &role, &error);
        text_append(text, size, "; out at %s (%s): %u request%s", address,
                    kind == ERROR_NONE ? role_words[role] : error_words(kind), asked,
                    text_plural(asked));
        if (answered > 0)
            text_append(text, size, ", %u answered but not read", answered);
    }
}

static const char *status_words(int status)
{
    switch (status) {
    case ZK_CONNECTION_LOSS:
        return "lost its connection";
    case ZK_SESSION_EXPIRED:
        return "expired";
    case ZK_NO_AUTH:
        return "was denied a request";
    default:
        return "got an answer that its recipe cannot go on from";
    }
}

void ending_describe(const struct trial_memory *memory, struct server_counters *counters,
                     enum fleet_end end, char *text, size_t size)
{
    text[0] = '\0';
    switch (end) {
    case END_DONE:
    case END_VIOLATION:
    case END_ALONE: /* the load beside it has a reason of its own */
    case END_ERROR:
        break;
    case END_DEADLINE:
        name_the_unfinished(memory, text, size);
        name_the_asked(memory, counters, text, size);
        break;
    case END_LOST:
        snprintf(text, size, "session %u %s", atomic_load(&memory->fleet->first_lost) - 1,
                 status_words(atomic_load(&memory->fleet->first_lost_status)));
        break;
    case END_OVERFLOW:
        snprintf(text, size, "more handoffs than the %zu that there is room for",
                 memory->ledger.rows_per_lock);
        break;
    }
}

/* ------------------------------------------------------------------ what a verdict found */

/* The member of a violation that a letter stands for. Sessions are stored +1: 0 means none. */
static void add_fact(struct growing_text *text, const struct violation *violation, char letter)
{
    bool is_expected = letter == 'e' || letter == 'E';
    int64_t number = is_expected ? violation->expected : violation->found;
    uint32_t session = letter == 's' ? violation->session : violation->other;
    if (letter == 't')
        growing_text_add(text, "%s", tally_columns[violation->tally]);
    else if (letter == 'c')
        growing_text_add(text, "%s", server_counters_words[violation->counter]);
    else if (letter == 'p' && violation->file != NULL)
        growing_text_add(text, "ended it at %s:%d", violation->file, violation->line);
    else if (letter == 'p')
        growing_text_add(text, "has not ended it");
    else if (letter == 'E' || letter == 'F')
        growing_text_add(text, "%.3f", (double)number / 1e3);
    else if (letter == 'e' || letter == 'f')
        growing_text_add(text, "%" PRId64, number);
    else if (session == 0)
        growing_text_add(text, "no session");
    else
        growing_text_add(text, "session %" PRIu32, session - 1);
}

const char *violation_describe(const struct violation *violation, char *text, size_t size)
{
    static const char *const words[] = {
#define X(name, words) words,
        VIOLATION_LIST(X)
#undef X
    };
    struct growing_text growing = {0};
    growing_text_add(&growing, "lock %" PRIu32 ", handoff %" PRIu64 ": ", violation->lock,
                     violation->handoff);
    for (const char *at = words[violation->kind]; *at != '\0'; at++) {
        if (*at == '$')
            add_fact(&growing, violation, *++at);
        else
            growing_text_add(&growing, "%c", *at);
    }
    snprintf(text, size, "%s", growing.text);
    free(growing.text);
    return text;
}
