// SPDX-License-Identifier: Apache-2.0
#include "load/load_servers.h"

/* What the servers have answered at the end of a second. */
struct round {
    uint32_t ended; /* seconds of the measured time */
    uint64_t ended_ns;
    const struct server_poll_answer *answers;
};

/* An answer to an earlier question, from a server that hung, is of another time. */
static bool is_current(const struct round *round, size_t server)
{
    return round->answers[server].state != SERVER_POLL_OWES &&
           round->answers[server].asked_ns >= round->ended_ns;
}

/* ------------------------------------------------------------------ counters */

static struct load_server_reading reading_of(const struct round *round, size_t server)
{
    const struct server_poll_answer *answer = &round->answers[server];
    struct load_server_reading reading = {.known = false};
    if (!is_current(round, server) || answer->came_ns - round->ended_ns > LOAD_SERVERS_LATE_NS)
        return reading;
    if (answer->state == SERVER_POLL_ABSENT)
        reading.known = reading.absent = true;
    if (answer->state == SERVER_POLL_ANSWERED && answer->has_counters) {
        reading.known = true;
        reading.counters = answer->counters;
    }
    return reading;
}

/* A server counts from 0 again after an election or a restart. */
static bool goes_on_counting(const struct four_letter_counters *before,
                             const struct four_letter_counters *now)
{
    bool goes_on =
        before->uptime_ms == FOUR_LETTER_UNREPORTED || now->uptime_ms >= before->uptime_ms;
#define X(A, B, name, keys, word, meaning) goes_on = goes_on && now->name >= before->name;
    FOUR_LETTER_COUNTED(X, , )
#undef X
    return goes_on && now->packets_received > before->packets_received;
}

/* Whether it is known what a server counted between the two. One that has come up in between counts
 * from 0, which is what is known of it before. */
static bool are_comparable(const struct load_server_reading *before,
                           const struct load_server_reading *now)
{
    if (!before->known || !now->known)
        return false;
    if (now->absent)
        return before->absent;
    return before->absent || goes_on_counting(&before->counters, &now->counters);
}

/* Each answer has counted the word that asked for it. */
static void add_counted(const struct load_server_reading *before,
                        const struct load_server_reading *now, struct load_server_second *second)
{
    second->known = second->known && are_comparable(before, now);
    if (!second->known || now->absent)
        return;
#define X(A, B, name, keys, word, meaning)                                                         \
    second->name += now->counters.name - before->counters.name;
    FOUR_LETTER_COUNTED(X, , )
#undef X
    second->packets_received--;
}

static void add_state(const struct load_server_reading *now, struct load_server_second *second)
{
    second->state_known = second->state_known && now->known;
    if (!second->state_known || now->absent)
        return;
    second->watches += now->counters.watch_count;
    second->connections += now->counters.connections - 1;
    if (now->counters.outstanding == FOUR_LETTER_UNREPORTED)
        second->outstanding = FOUR_LETTER_UNREPORTED;
    else if (second->outstanding != FOUR_LETTER_UNREPORTED)
        second->outstanding += now->counters.outstanding;
}

static void store_counters(struct load_servers *servers, const struct round *round)
{
    struct load_server_second second = {.known = true, .state_known = true};
    for (size_t i = 0; i < servers->count; i++) {
        struct load_server_reading now = reading_of(round, i);
        add_counted(&servers->before[i], &now, &second);
        add_state(&now, &second);
        servers->before[i] = now;
    }
    if (round->ended > 0)
        servers->seconds[round->ended - 1] = second;
}

/* ------------------------------------------------------------------ marks */

/* Before the first second has ended nothing has happened yet: that is how things are. */
static void mark(struct load_servers *servers, const struct round *round, enum load_mark_kind kind,
                 size_t server)
{
    if (round->ended > 0)
        load_marks_add(servers->marks, round->ended - 1, kind, (uint32_t)server);
}

/* A server that has not answered is lost until it answers what it is asked later: an answer to an
 * earlier question came after the end of this second. */
static void mark_loss(struct load_servers *servers, const struct round *round, size_t server)
{
    enum server_poll_state state = round->answers[server].state;
    bool tells_nothing = state == SERVER_POLL_UNKNOWN || !is_current(round, server);
    bool lost = state == SERVER_POLL_ABSENT || state == SERVER_POLL_OWES ||
                (tells_nothing && servers->lost[server]);
    if (lost != servers->lost[server])
        mark(servers, round, lost ? LOAD_MARK_LOST : LOAD_MARK_BACK, server);
    servers->lost[server] = lost;
}

/* A process that has ended takes its count of snapshots with it. */
static void mark_snapshot(struct load_servers *servers, const struct round *round, size_t server)
{
    const struct server_poll_answer *answer = &round->answers[server];
    uint64_t *seen = &servers->snapshots[server];
    if (answer->state == SERVER_POLL_ABSENT)
        *seen = 0;
    if (!is_current(round, server) || answer->state != SERVER_POLL_ANSWERED ||
        !answer->has_counters || answer->counters.snapshots == FOUR_LETTER_UNREPORTED)
        return;
    if (*seen != FOUR_LETTER_UNREPORTED && answer->counters.snapshots > *seen)
        mark(servers, round, LOAD_MARK_SNAPSHOT, server);
    *seen = answer->counters.snapshots;
}

/* Whether it is known that a server does, or does not, lead. */
static bool tells_role(const struct round *round, size_t server)
{
    enum server_poll_state state = round->answers[server].state;
    return is_current(round, server) &&
           (state == SERVER_POLL_ABSENT || state == SERVER_POLL_UNSERVED ||
            (state == SERVER_POLL_ANSWERED && round->answers[server].role != ROLE_UNKNOWN));
}

static bool leads(const struct round *round, size_t server)
{
    return tells_role(round, server) && round->answers[server].state == SERVER_POLL_ANSWERED &&
           round->answers[server].role == ROLE_LEADER;
}

/* While a leader that is cut off does not know of its successor yet, both lead: the new one does.
 */
static int find_leader(const struct load_servers *servers, const struct round *round)
{
    int found = LOAD_SERVERS_LEADERLESS;
    for (size_t i = 0; i < servers->count; i++) {
        if (!tells_role(round, i) && found < 0)
            found = LOAD_SERVERS_LEADER_UNKNOWN;
        if (leads(round, i) && (found < 0 || found == servers->leader))
            found = (int)i;
    }
    return found;
}

static void mark_election(struct load_servers *servers, const struct round *round)
{
    int now = find_leader(servers, round), before = servers->leader;
    if (now == LOAD_SERVERS_LEADER_UNKNOWN || now == before)
        return;
    servers->leader = now;
    if (before == LOAD_SERVERS_LEADER_UNKNOWN)
        return;
    if (now == LOAD_SERVERS_LEADERLESS)
        mark(servers, round, LOAD_MARK_NO_LEADER, 0);
    else
        mark(servers, round, LOAD_MARK_LEADS, (size_t)now);
}

/* ------------------------------------------------------------------ the seconds */

void load_servers_init(struct load_servers *servers, size_t count, uint64_t measures_ns,
                       struct load_server_second *seconds, struct load_marks *marks)
{
    *servers = (struct load_servers){.count = count,
                                     .measures_ns = measures_ns,
                                     .seconds = seconds,
                                     .marks = marks,
                                     .leader = LOAD_SERVERS_LEADER_UNKNOWN};
    for (size_t i = 0; i < count; i++)
        servers->snapshots[i] = FOUR_LETTER_UNREPORTED;
}

void load_servers_add_answers(struct load_servers *servers, uint32_t ended,
                              const struct server_poll_answer *answers)
{
    const struct round round = {ended, servers->measures_ns + ended * NS_PER_S, answers};
    store_counters(servers, &round);
    for (size_t i = 0; i < servers->count; i++) {
        mark_loss(servers, &round, i);
        mark_snapshot(servers, &round, i);
    }
    mark_election(servers, &round);
}
