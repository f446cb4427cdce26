// SPDX-License-Identifier: Apache-2.0
#include "trial/violation.h"

#include <inttypes.h>
#include <stdio.h>

/* Sessions are numbered from 0 for people; they are stored +1 so that 0 can mean nobody. */
static int64_t number(uint32_t stored)
{
    return (int64_t)stored - 1;
}

static void describe_two(const struct violation *v, char *text, size_t size)
{
    if (v->other == 0)
        snprintf(text, size,
                 "two holders: session %" PRId64 " was granted alone while %" PRId64 " shared it",
                 number(v->session), v->found);
    else
        snprintf(text, size,
                 "two holders: session %" PRId64 " was granted while session %" PRId64 " held",
                 number(v->session), number(v->other));
}

static void describe_not_holder(const struct violation *v, char *text, size_t size)
{
    if (v->other == 0)
        snprintf(text, size, "session %" PRId64 " released a lock that nobody held",
                 number(v->session));
    else
        snprintf(text, size, "session %" PRId64 " released a lock that session %" PRId64 " held",
                 number(v->session), number(v->other));
}

static void describe_lost(const struct violation *v, char *text, size_t size)
{
    if (v->session == 0)
        snprintf(text, size, "lost wake-up: %" PRId64 " of %" PRId64 " foretold notifications came",
                 v->found, v->expected);
    else
        snprintf(text, size,
                 "lost wake-up: session %" PRId64 " waits for what has happened already",
                 number(v->session));
}

static void describe_early(const struct violation *v, char *text, size_t size)
{
    bool entered = v->kind == VIOLATION_ENTERED_EARLY;
    snprintf(text, size, "session %" PRId64 " %s the barrier when %" PRId64 " of %" PRId64 " %s",
             number(v->session), entered ? "entered" : "left", v->found, v->expected,
             entered ? "had arrived" : "had begun to leave");
}

static void describe_deserted(const struct violation *v, char *text, size_t size)
{
    snprintf(text, size,
             "leftover: session %" PRId64 " ended and left its ephemeral znode: session %" PRId64
             " was granted %.3f s after the release, at the session timeout (%.3f s)",
             number(v->other), number(v->session), (double)v->found / 1e3,
             (double)v->expected / 1e3);
}

static void describe_what(const struct violation *v, char *text, size_t size)
{
    switch (v->kind) {
    case VIOLATION_TWO_HOLDERS:
        describe_two(v, text, size);
        break;
    case VIOLATION_NOT_HOLDER:
        describe_not_holder(v, text, size);
        break;
    case VIOLATION_ORDER:
        snprintf(text, size,
                 "out of turn: session %" PRId64 " with number %" PRId64
                 " was granted after number %" PRId64,
                 number(v->session), v->found, v->expected);
        break;
    case VIOLATION_LAW:
        snprintf(text, size, "%s: the law says %" PRId64 ", found %" PRId64, tally_column(v->tally),
                 v->expected, v->found);
        break;
    case VIOLATION_HOLDERS:
        snprintf(text, size, "all is at rest: %" PRId64 " should hold the lock, %" PRId64 " do",
                 v->expected, v->found);
        break;
    case VIOLATION_ENTERED_EARLY:
    case VIOLATION_LEFT_EARLY:
        describe_early(v, text, size);
        break;
    case VIOLATION_COUNTER:
        snprintf(text, size, "after %" PRId64 " increments the counter says %" PRId64, v->expected,
                 v->found);
        break;
    case VIOLATION_LOST_WAKEUP:
        describe_lost(v, text, size);
        break;
    case VIOLATION_LEFTOVER:
        snprintf(text, size, "%" PRId64 " znodes are left in the lock", v->found);
        break;
    case VIOLATION_UNDELETED:
        describe_deserted(v, text, size);
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
