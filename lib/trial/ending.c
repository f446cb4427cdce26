// SPDX-License-Identifier: Apache-2.0
#include "trial/internal.h"

#include <inttypes.h>
#include <stdio.h>
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
    double timeout_s = (double)memory->plan->fleet.timeout_ns / 1e9;
    char what[2 * RECIPE_PATH_MAX + 64];
    describe_session(memory, first, what, sizeof what);
    if (unfinished == 0)
        snprintf(text, size, "nothing moved for %g s", timeout_s);
    else if (unfinished == 1)
        snprintf(text, size, "nothing moved for %g s: 1 session is unfinished, session %u, %s",
                 timeout_s, first, what);
    else
        snprintf(text, size,
                 "nothing moved for %g s: %u sessions are unfinished, the first is session %u, %s",
                 timeout_s, unfinished, first, what);
}

/* The requests that are out at each server. What has come and lies unread is zkherd's to answer
 * for, everything else the server's. A server is asked for its role. */
static void name_the_asked(const struct trial_memory *memory, struct server_counters *counters,
                           char *text, size_t size)
{
    const struct connect_string *servers = memory->plan->fleet.servers;
    size_t length = strlen(text);
    for (size_t i = 0; i < servers->count && length < size; i++) {
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
        length += (size_t)snprintf(
            text + length, size - length, "; out at %s (%s): %u request%s", address,
            kind == ERROR_NONE ? role_word(role) : error_words(kind), asked, asked == 1 ? "" : "s");
        if (answered > 0 && length < size)
            length += (size_t)snprintf(text + length, size - length, ", %u answered but not read",
                                       answered);
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
    switch (end) {
    case END_DONE:
    case END_VIOLATION:
    case END_ALONE: /* whoever led the company knows why */
    case END_ERROR:
        text[0] = '\0';
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

/* Who held, entered or left when it was not to be. Sessions are numbered from 0 for people; they
 * are stored +1 so that 0 can mean nobody. False: the violation is of another kind. */
static bool describe_access(const struct violation *v, char *text, size_t size)
{
    int64_t session = (int64_t)v->session - 1, other = (int64_t)v->other - 1;
    switch (v->kind) {
    case VIOLATION_TWO_HOLDERS:
        if (v->other == 0)
            snprintf(text, size,
                     "two holders: session %" PRId64 " was granted alone while %" PRId64
                     " shared it",
                     session, v->found);
        else
            snprintf(text, size,
                     "two holders: session %" PRId64 " was granted while session %" PRId64 " held",
                     session, other);
        return true;
    case VIOLATION_NOT_HOLDER:
        if (v->other == 0)
            snprintf(text, size, "session %" PRId64 " released a lock that nobody held", session);
        else
            snprintf(text, size,
                     "session %" PRId64 " released a lock that session %" PRId64 " held", session,
                     other);
        return true;
    case VIOLATION_ORDER:
        snprintf(text, size,
                 "out of turn: session %" PRId64 " with number %" PRId64
                 " was granted after number %" PRId64,
                 session, v->found, v->expected);
        return true;
    case VIOLATION_HOLDERS:
        snprintf(text, size, "all is at rest: %" PRId64 " should hold the lock, %" PRId64 " do",
                 v->expected, v->found);
        return true;
    case VIOLATION_ENTERED_EARLY:
        snprintf(text, size,
                 "session %" PRId64 " entered the barrier when %" PRId64 " of %" PRId64
                 " had arrived",
                 session, v->found, v->expected);
        return true;
    case VIOLATION_LEFT_EARLY:
        snprintf(text, size,
                 "session %" PRId64 " left the barrier when %" PRId64 " of %" PRId64
                 " had begun to leave",
                 session, v->found, v->expected);
        return true;
    default:
        return false;
    }
}

static void describe_what(const struct violation *v, char *text, size_t size)
{
    int64_t session = (int64_t)v->session - 1, other = (int64_t)v->other - 1;
    if (describe_access(v, text, size))
        return;
    switch (v->kind) {
    case VIOLATION_LAW:
        snprintf(text, size, "%s: the law says %" PRId64 ", found %" PRId64, tally_column(v->tally),
                 v->expected, v->found);
        break;
    case VIOLATION_COUNTER:
        snprintf(text, size, "after %" PRId64 " increments the counter says %" PRId64, v->expected,
                 v->found);
        break;
    case VIOLATION_LOST_WAKEUP:
        if (v->session == 0)
            snprintf(text, size,
                     "lost wake-up: %" PRId64 " of %" PRId64 " foretold notifications came",
                     v->found, v->expected);
        else
            snprintf(text, size,
                     "lost wake-up: session %" PRId64 " waits for what has happened already",
                     session);
        break;
    case VIOLATION_LEFTOVER:
        snprintf(text, size, "%" PRId64 " znodes are left in the lock", v->found);
        break;
    case VIOLATION_UNDELETED:
        snprintf(text, size,
                 "leftover: session %" PRId64
                 " ended and left its ephemeral znode: session %" PRId64
                 " was granted %.3f s after the release, at the session timeout (%.3f s)",
                 other, session, (double)v->found / 1e3, (double)v->expected / 1e3);
        break;
    case VIOLATION_SERVERS:
        snprintf(text, size,
                 "the servers counted %" PRId64 " %s, the sessions account for %" PRId64, v->found,
                 server_counters_counter_word(v->counter), v->expected);
        break;
    case VIOLATION_LEDGER:
        snprintf(text, size,
                 "%s: the sessions counted %" PRId64 ", the ledger's rows sum to %" PRId64,
                 tally_column(v->tally), v->expected, v->found);
        break;
    default:
        break;
    }
}

const char *violation_describe(const struct violation *violation, char *text, size_t size)
{
    char what[200];
    describe_what(violation, what, sizeof what);
    snprintf(text, size, "lock %" PRIu32 ", handoff %" PRIu64 ": %s", violation->lock,
             violation->handoff, what);
    return text;
}
